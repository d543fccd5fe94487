# SPDX-License-Identifier: BSD-2-Clause
"""Each segment is followed by some that acknowledge octets that were never sent,
and by many that acknowledge the same octets again."""
VERDICTS = "clean"


def segments(s):
    yield s
    at = s.seq + len(s.octets)
    for ahead in (1, 1000, 1 << 20, 1 << 31, -1000, -(1 << 20)):
        yield s.but(ack=s.ack + ahead, octets=b"", seq=at)
    for _ in range(20):
        yield s.but(octets=b"", seq=at)

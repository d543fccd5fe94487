# SPDX-License-Identifier: BSD-2-Clause
"""Each segment comes again, and overlaps the next one, with other octets. What
came first counts (RFC 9293 s3.10.7.4: duplicates are removed)."""
VERDICTS = "clean"


def segments(s):
    yield s
    if s.octets:
        wrong = bytes(o ^ 0xff for o in s.octets)
        yield s.but(octets=wrong)
        for n in (1, len(s.octets) // 2, len(s.octets) - 1):
            yield s.but(octets=wrong[:n])
            yield s.but(seq=s.seq + n, octets=wrong[n:])

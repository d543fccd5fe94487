# SPDX-License-Identifier: BSD-2-Clause
"""The window is wide, shut, and one octet wide in turn; it shrinks, too, which
RFC 9293 s3.8.6 discourages and expects."""
import itertools

from frames import SYN

VERDICTS = "any"
WINDOWS = itertools.cycle((500, 0, 1, 40, 0, 3, 500, 7, 0))


def segments(s):
    yield s
    if not s.flags & SYN:
        for _ in range(3):
            yield s.but(window=next(WINDOWS), octets=b"",
                        seq=s.seq + len(s.octets))
        yield s.but(octets=b"", seq=s.seq + len(s.octets))

# SPDX-License-Identifier: BSD-2-Clause
"""Thirty RSTs around each segment, each with another number than the one
that is due. None ends the connection (RFC 5961 s3.2)."""
import random

from frames import ACK, FIN, RST, SYN

VERDICTS = "clean"
STORM = 30


def segments(s):
    yield s
    if s.flags & SYN:
        return
    due = s.seq + len(s.octets) + bool(s.flags & FIN)
    for _ in range(STORM):
        # -1 is due, too, before a FIN is acknowledged.
        away = random.choice((1, 2, 1000, 31999, -2, -1000, 1 << 31,
                              random.getrandbits(31) + 2))
        yield s.but(seq=due + away, flags=RST | random.choice((0, ACK)),
                    octets=b"", options=b"")

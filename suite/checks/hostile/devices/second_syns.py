# SPDX-License-Identifier: BSD-2-Clause
"""SYNs, SYNs and ACKs, FINs with SYN and segments without any flag in the middle
of a connection: none of them ends it (RFC 5961 s4.2)."""
import random

from frames import ACK, FIN, PSH, RST, SYN, URG

VERDICTS = "clean"
STRANGE = (SYN, SYN | ACK, SYN | FIN, SYN | PSH | URG, 0, PSH, URG, FIN,
           SYN | FIN | URG | PSH)


def segments(s):
    yield s
    if s.flags & (SYN | RST | FIN):
        return
    for flags in STRANGE:
        yield s.but(flags=flags, seq=s.seq + random.choice((0, 1, 5000, -5000)),
                    octets=b"")

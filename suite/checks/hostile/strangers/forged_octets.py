# SPDX-License-Identifier: BSD-2-Clause
"""Octets, FINs and acknowledgements in the name of the device, with guessed
numbers: the sequence numbers are swept in steps of a window."""
import itertools
import random

from frames import ACK, FIN, PSH

STEP = 16000
numbers = itertools.count(0, STEP)


def frames(here):
    for _ in range(64):
        s = here.live()
        if s:
            yield s.but(flags=ACK | random.choice((PSH, FIN, 0)),
                        seq=next(numbers), ack=random.getrandbits(32),
                        window=random.choice((0, 1, 500)),
                        octets=b"\x00\x17\x41\x43" + b"\xa5" * 20).frame()

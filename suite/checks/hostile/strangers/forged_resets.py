# SPDX-License-Identifier: BSD-2-Clause
"""RSTs in the name of the device, with guessed numbers."""
import random

from frames import ACK, RST


def frames(here):
    for _ in range(64):
        s = here.live()
        if s:
            yield s.but(flags=RST | random.choice((0, ACK)),
                        seq=random.getrandbits(32),
                        ack=random.getrandbits(32)).frame()

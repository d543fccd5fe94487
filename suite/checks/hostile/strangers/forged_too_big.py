# SPDX-License-Identifier: BSD-2-Clause
"""Routers that report that segments of the suite were too large."""
import random

from frames import too_big

OWN_MAC = bytes.fromhex("02770a4d00de")


def frames(here):
    for _ in range(8):
        s = here.live()
        if s:
            yield too_big(s.mac_to, OWN_MAC, "10.77.0.222",
                          s.answer(seq=random.getrandbits(32)),
                          random.choice((69, 100, 296, 576)))

# SPDX-License-Identifier: BSD-2-Clause
"""SYNs of hosts that do not exist, to the ports on which the suite listens, and
on which it will listen next."""
import random

from frames import Segment, SYN, mac_of


def frames(here):
    for link, port in list(here.ports.items()):
        for ahead in (0, 1, 2, 3):
            yield Segment(mac_to=mac_of(link), mac_from=random.randbytes(6),
                          source=f"10.77.0.{random.randint(100, 220)}",
                          to=link, sport=random.randint(1024, 65535),
                          port=port + ahead, flags=SYN, window=500,
                          seq=random.getrandbits(32)).frame()

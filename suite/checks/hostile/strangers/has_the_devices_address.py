# SPDX-License-Identifier: BSD-2-Clause
"""Another host says that it has the device's address."""
import time

from frames import arp, mac_of

OWN_MAC, DEVICE = bytes.fromhex("02770a4d00de"), "10.77.0.2"
PAUSE = 0.05  # seconds


def frames(here):
    if not here.recent:
        return  # the run has not begun
    time.sleep(PAUSE)
    for last in range(3, 11):
        link = f"10.77.0.{last}"
        yield arp(2, OWN_MAC, DEVICE, link, mac_of(link))

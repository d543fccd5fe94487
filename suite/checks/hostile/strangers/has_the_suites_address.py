# SPDX-License-Identifier: BSD-2-Clause
"""Another host says to everyone that it has the addresses of the suite."""
import time

from frames import arp

OWN_MAC = bytes.fromhex("02770a4d00de")
PAUSE = 0.2  # seconds


def frames(here):
    if not here.recent:
        return  # the run has not begun
    time.sleep(PAUSE)
    for last in range(3, 11):
        link = f"10.77.0.{last}"
        yield arp(2, OWN_MAC, link, link)

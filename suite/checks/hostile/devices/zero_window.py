# SPDX-License-Identifier: BSD-2-Clause
"""The window shuts with the first octet of the device, and never opens again."""
from frames import SYN

VERDICTS = "any"


def segments(s):
    return [s if s.flags & SYN else s.but(window=0)]

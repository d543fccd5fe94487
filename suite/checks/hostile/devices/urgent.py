# SPDX-License-Identifier: BSD-2-Clause
"""Each segment is urgent, up to an octet before, in or far behind it. iWARP has
no urgent data: the octets are those of the stream."""
import random

from frames import URG

VERDICTS = "clean"


def segments(s):
    return [s.but(flags=s.flags | URG,
                  urgent=random.choice((0, 1, len(s.octets), 0xffff)))]

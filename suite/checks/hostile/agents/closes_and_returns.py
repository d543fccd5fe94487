# SPDX-License-Identifier: BSD-2-Clause
"""It closes each session soon, and accepts the next one."""
import random

SOON = 60
MAY_FAIL = False


class Change:
    def __init__(self, count):
        self.count = count

    def lines(self, line):
        if random.randrange(SOON):
            return [line]
        self.count()
        raise OSError("closed")

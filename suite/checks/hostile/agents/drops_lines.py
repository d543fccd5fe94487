# SPDX-License-Identifier: BSD-2-Clause
"""Some lines do not arrive."""
import random

EACH = 150
MAY_FAIL = False


class Change:
    def __init__(self, count):
        self.count = count

    def lines(self, line):
        if random.randrange(EACH):
            return [line]
        self.count()
        return []

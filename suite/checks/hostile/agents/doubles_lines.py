# SPDX-License-Identifier: BSD-2-Clause
"""Some lines arrive twice."""
import random

EACH = 50
MAY_FAIL = False


class Change:
    def __init__(self, count):
        self.count = count

    def lines(self, line):
        if random.randrange(EACH):
            return [line]
        self.count()
        return [line, line]

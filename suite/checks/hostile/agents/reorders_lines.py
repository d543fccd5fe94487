# SPDX-License-Identifier: BSD-2-Clause
"""Some lines arrive after the next one. Where there is no next one, they do not
arrive. Events in another order are events of a device that delivers in that
order: they may cause a FAIL."""
import random

EACH = 150
MAY_FAIL = True


class Change:
    def __init__(self, count):
        self.count = count
        self.kept = []

    def lines(self, line):
        if not self.kept and not random.randrange(EACH):
            self.count()
            self.kept = [line]
            return []
        both, self.kept = [line, *self.kept], []
        return both

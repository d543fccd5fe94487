# SPDX-License-Identifier: BSD-2-Clause
"""Some lines arrive in another session than their own, one answer late. Where
one means in the wrong session what another one means in the right one, nothing
contradicts it: it may cause a FAIL."""
import random
import threading

EACH = 100
MAY_FAIL = True
lock = threading.Lock()
kept = []


class Change:
    def __init__(self, count):
        self.count = count

    def lines(self, line):
        with lock:
            if random.randrange(EACH):
                return [line]
            self.count()
            kept.append(line)
            return [kept.pop(0)] if len(kept) > 1 else [line]

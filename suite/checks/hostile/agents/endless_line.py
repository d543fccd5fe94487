# SPDX-License-Identifier: BSD-2-Clause
"""Some answers are a line of one gibibyte."""
import random

EACH = 100
MAY_FAIL = False
BLOCK = b"a" * (1 << 20)


class Change:
    def __init__(self, count):
        self.count = count

    def lines(self, line):
        if random.randrange(EACH):
            yield line
            return
        self.count()
        yield b"OK "
        for _ in range(1024):
            yield BLOCK
        yield b"\n"

# SPDX-License-Identifier: BSD-2-Clause
"""In some lines an octet is another one: a word, a number, the end of the
line. An agent whose numbers are others may cause a FAIL: nothing contradicts
it."""
import random

EACH = 20
MAY_FAIL = True


class Change:
    def __init__(self, count):
        self.count = count

    def lines(self, line):
        if random.randrange(EACH):
            return [line]
        self.count()
        octets = bytearray(line)
        octets[random.randrange(len(octets))] = random.choice(
            b"0123456789abcdef= \n\0\xff")
        return [bytes(octets)]

# SPDX-License-Identifier: BSD-2-Clause
"""
Converts terms of bits to terms of whole numbers, for questions that consist of
sums and comparisons: whether a + b > c + d, in 64 bits and in 72, is hard in
bits and nothing in linear arithmetic. Each term of n bits becomes a number of
[0, 2^n), with the wrapping that its operation has. What is not a sum is an
error.
"""

import z3


class NotLinear(Exception):
    """An operation without such a form."""


class Integers:
    def __init__(self):
        self.seen = {}
        self.facts = []

    def of(self, term):
        """(number, least, most) of bits; a condition of a condition."""
        key = term.get_id()
        if key not in self.seen:
            # The term is kept, so that its id is nobody else's.
            self.seen[key] = term, self.translated(term)
        return self.seen[key][1]

    def translated(self, term):
        if z3.is_bool(term):
            return self.condition(term)
        number, least, most = self.number(term)
        top = 1 << term.size()
        if most >= 4 * top or least <= -4 * top:
            return number % top, 0, top - 1
        # Each wrap is a few rounds away at most.
        while least < 0:
            number = z3.If(number < 0, number + top, number)
            least, most = (least + top if least + top < 0 else 0), \
                max(most, top - 1)
        while most >= top:
            number = z3.If(number >= top, number - top, number)
            most = max(most - top, top - 1)
        return number, least, most

    def condition(self, term):
        kind, args = term.decl().kind(), term.children()
        if kind in (z3.Z3_OP_TRUE, z3.Z3_OP_FALSE):
            return term
        if kind == z3.Z3_OP_AND:
            return z3.And([self.of(a) for a in args])
        if kind == z3.Z3_OP_OR:
            return z3.Or([self.of(a) for a in args])
        if kind == z3.Z3_OP_NOT:
            return z3.Not(self.of(args[0]))
        if kind == z3.Z3_OP_ITE:
            return z3.If(*[self.of(a) for a in args])
        if kind in (z3.Z3_OP_EQ, z3.Z3_OP_DISTINCT) and len(args) == 2:
            a, b = map(self.of, args)
            same = a == b if z3.is_bool(args[0]) else a[0] == b[0]
            return same if kind == z3.Z3_OP_EQ else z3.Not(same)
        compared = {z3.Z3_OP_ULEQ: lambda a, b: a <= b,
                    z3.Z3_OP_ULT: lambda a, b: a < b,
                    z3.Z3_OP_UGEQ: lambda a, b: a >= b,
                    z3.Z3_OP_UGT: lambda a, b: a > b}.get(kind)
        if not compared:
            raise NotLinear(term.decl().name())
        return compared(self.of(args[0])[0], self.of(args[1])[0])

    def number(self, term):
        """Not wrapped yet."""
        kind, args, bits = term.decl().kind(), term.children(), term.size()
        if z3.is_bv_value(term):
            n = term.as_long()
            return z3.IntVal(n), n, n
        if kind == z3.Z3_OP_UNINTERPRETED and not args:
            n = z3.Int(term.decl().name())
            self.facts += [n >= 0, n < 1 << bits]
            return n, 0, (1 << bits) - 1
        if kind == z3.Z3_OP_BADD:
            parts = [self.of(a) for a in args]
            return (z3.Sum([p[0] for p in parts]), sum(p[1] for p in parts),
                    sum(p[2] for p in parts))
        if kind == z3.Z3_OP_BSUB and len(args) == 2:
            (a, a_least, a_most), (b, b_least, b_most) = map(self.of, args)
            return a - b, a_least - b_most, a_most - b_least
        if kind == z3.Z3_OP_BMUL and len(args) == 2 and \
                z3.is_bv_value(args[0]):
            by = args[0].as_long()
            if by == (1 << bits) - 1:
                by = -1
            n, least, most = self.of(args[1])
            return by * n, min(by * least, by * most), \
                max(by * least, by * most)
        if kind == z3.Z3_OP_ITE:
            c, (a, a_least, a_most), (b, b_least, b_most) = map(self.of, args)
            return z3.If(c, a, b), min(a_least, b_least), max(a_most, b_most)
        if kind == z3.Z3_OP_ZERO_EXT:
            return self.of(args[0])
        if kind == z3.Z3_OP_CONCAT:
            total, least, most = z3.IntVal(0), 0, 0
            for a in args:
                n, a_least, a_most = self.of(a)
                shift = 1 << a.size()
                total = total * shift + n
                least, most = least * shift + a_least, most * shift + a_most
            return total, least, most
        if kind == z3.Z3_OP_EXTRACT:
            high, low = term.params()
            n, least, most = self.of(args[0])
            return n / (1 << low), least >> low, most >> low
        raise NotLinear(term.decl().name())

# SPDX-License-Identifier: BSD-2-Clause
"""
The parts of a description. It states the required results of a C function for
all its inputs, according to an RFC. The problem for z3, the wrong variants that
have to be refuted, and the rows for the compiled function are derived from it.
"""

import types

from z3 import BitVec, BitVecVal, BoolVal


class Mutant:
    """A fault of the reference device, planted in the function under proof."""

    def __init__(self, name):
        self.name = name
        self.says = name


class Written:
    """
    A plausible wrong replacement for a function. One that
    nobody calls is a mistake of the description, and is reported as one.
    """

    def __init__(self, says, **functions):
        self.says, self.functions = says, functions


class Property:
    """
    says      the property as a sentence
    rfc       where it is from
    sources   the C files it is about, the first with the function
    inputs    {name: bits}
    given     of the inputs: those it speaks of, as a condition
    claim     of the inputs, and `call` of (function, arguments...): what holds
    wrong     Mutants and Writtens: with any of them it does not hold
    values    {name: numbers}: all combinations of them become rows
    corners   conditions on the inputs; z3 picks a row for each
    variants  any choices of the reference device may be taken
    linear    all that is in it are sums and comparisons: integers.py
    """

    def __init__(self, says, rfc, sources, inputs, claim, wrong, values,
                 given=None, corners=(), variants=False, linear=False):
        self.says, self.rfc, self.sources = says, rfc, sources
        self.inputs, self.claim, self.wrong = inputs, claim, wrong
        self.values, self.corners = values, corners
        self.given = given or (lambda i: BoolVal(True))
        self.variants, self.linear = variants, linear

    def terms(self):
        return types.SimpleNamespace(
            **{n: BitVec(n, bits) for n, bits in self.inputs.items()})

    def numbers(self, row):
        return types.SimpleNamespace(
            **{n: BitVecVal(row[n], bits) for n, bits in self.inputs.items()})

    def due(self, function, args):
        """What a text makes due of a call; None: the claim says less."""
        return None


class Equals(Property):
    """A function of the inputs in their order returns what is due."""

    def __init__(self, says, rfc, sources, function, inputs, due, wrong,
                 values, **rest):
        self.function, self.definition = function, due
        super().__init__(
            says, rfc, sources, inputs,
            lambda i, call: call(function, *vars(i).values()) == due(i),
            wrong, values, **rest)


# Numbers around the places where arithmetic goes over an edge.

def edges(bits, *more):
    top = 1 << bits
    found = {0, 1, 2, 3, top - 1, top - 2, top // 2, top // 2 - 1,
             top // 2 + 1}
    for n in more:
        found |= {n - 1, n, n + 1}
    return sorted(n for n in found if 0 <= n < top)

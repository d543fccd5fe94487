#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""
prove.py BUILD [WORD...] - implements `make prove`: shows that the arithmetic of
codec, golden model and reference device is that of the RFCs, for all inputs.
With words, only the properties whose sentence has one of them.

  description.py  the parts of a description
  atomics.py      FetchAdd, CmpSwap, Swap
  framing.py      pad, markers, the length of an FPDU, MULPDU
  sequence.py     MSNs modulo 2^32
  bounds.py       bounds of regions and buffers, with wrap
  depths.py       IRD and ORD
  ir.py           reads C, as clang has translated it
  execute.py      runs it on terms instead of numbers
  decisions.py    the device's rules, and their overrides
  integers.py     converts sums of bits to sums of numbers, where that is easier
  table.py        calls the compiled functions with the rows

No formula is copied out of the C. clang translates the file to LLVM's text,
unoptimised, and z3 compares every path through it with a description; it also
shows that no path has undefined behaviour. The proof relies on clang's front
end, the reader here, and z3. The table guards against errors in the first two:
its rows, at the edges and chosen by z3, have the results that the description
requires, and the functions are called with them as the project's compiler made
them. The wrong variants guard against a property that is too weak: for each of
them z3 has to find an input on which the property fails. If the wrong variant
is a mutant of the reference device, the compiled device with it has to fail
there, too.

Functions with a struct among their parameters are called through a few lines
next to them, `x_prove.c`.

From make: COMPILE, LIBWARPSPEC, LIBREFDUT. Needs clang and z3's Python.
Exit: 0 all proved, 1 not.
"""

import itertools
import multiprocessing
import os
import re
import subprocess
import sys
import time
import traceback

sys.dont_write_bytecode = True  # nothing is left in the tree

import z3

import atomics
import bounds
import depths
import framing
import sequence
from decisions import Decisions
from description import Mutant
from execute import Device, Machine, bv
from integers import Integers
from ir import Module
from table import Table

ROOMS = [atomics, framing, sequence, bounds, depths]
ROWS_MOST = 100     # of one property, out of all combinations of its values
PATIENCE = 120000   # ms for one question

OLD_MUTANTS = "harness/refdut/decision/mutants.def"
DECISIONS = Decisions()

modules = {}


def read(source):
    if source not in modules:
        text = subprocess.run(
            ["clang", "-std=c11", "-D_GNU_SOURCE", "-I.", "-O0", "-S",
             "-emit-llvm", "-o", "-", source],
            stdout=subprocess.PIPE, text=True, check=True).stdout
        modules[source] = Module(text)
        modules[source].source = source
    return modules[source]


def planted_in_the_device(name):
    """The octets that are 1 where the fault is one that no file of its own
    has: [(global, offset)]."""
    names = []
    if os.path.exists(OLD_MUTANTS):
        with open(OLD_MUTANTS) as f:
            names = re.findall(r"^MUTANT\((\w+),", f.read(), re.M)
    if name in names:
        return [("mutants_planted", 1 + names.index(name))]
    if name not in DECISIONS.names:
        raise ValueError("there is no mutant " + name)
    return []


def machine(property_, wrong=None, variants=False):
    planted = wrong.name if isinstance(wrong, Mutant) else None
    return Machine([read(s) for s in property_.sources],
                   planted_in_the_device(planted) if planted else [],
                   ["variants_taken"] if variants else [],
                   {"variants_note": lambda m: bv(1, 1),
                    "chosen": lambda m: bv(1, 1)},
                   Device(DECISIONS, read, planted, variants))


def caller(m, wrong):
    """What a claim calls: the C function, or its wrong replacement."""
    other = getattr(wrong, "functions", {})
    used = set()

    def call(function, *args):
        if function not in other:
            return m.call(function, *args)
        used.add(function)
        f, _ = m.function(function)
        args = [z3.ZeroExt(t[1] - a.size(), a) if a.size() < t[1] else a
                for (t, _, _), a in zip(f.params, args)]
        # What is too wide is cut, as C would.
        return z3.Extract(f.result[1] - 1, 0, other[function](*args))
    call.used = used
    return call


def numbers_of(model, property_):
    return {n: model.eval(z3.BitVec(n, bits), model_completion=True).as_long()
            for n, bits in property_.inputs.items()}


def row_text(row):
    return " ".join("%s=%#x" % pair for pair in row.items())


class Undefined(Exception):
    """C leaves the result for these inputs undefined."""


class Said:
    """
    A claim about the C, or about what is wrong with it, over all inputs, and
    what it comes to for a row of numbers.
    """

    def __init__(self, property_, wrong=None, variants=False):
        self.property = property_
        self.machine = machine(property_, wrong, variants)
        self.inputs = property_.terms()
        self.calls, through = [], caller(self.machine, wrong)

        def call(function, *args):
            result = through(function, *args)
            self.calls.append((function, args, result))
            return result
        self.claim = property_.claim(self.inputs, call)
        self.used = through.used
        # Of an Equals, so that it is not made anew for each row.
        definition = getattr(property_, "definition", None)
        self.definition = definition and definition(self.inputs)

    def find(self, condition):
        """
        (answer, row): inputs that it speaks of and that meet the condition.
        """
        asked = z3.And(self.machine.facts +
                       [self.property.given(self.inputs), condition])
        of, s = z3.BitVec, z3.SolverFor("QF_BV")
        if self.property.linear:
            integers = Integers()
            asked = integers.of(z3.simplify(asked))
            of, s = lambda n, bits: z3.Int(n), z3.SolverFor("QF_LIA")
            s.add(integers.facts)
        s.set("timeout", PATIENCE)
        s.add(asked)
        answer = s.check()
        if answer != z3.sat:
            return answer, None
        model = s.model()
        return answer, {
            n: model.eval(of(n, bits), model_completion=True).as_long()
            for n, bits in self.property.inputs.items()}

    def undefined(self):
        return z3.Or([c for c, _ in self.machine.undefined] +
                     [z3.BoolVal(False)])

    def known(self, row):
        """What stands for the inputs, and for quotients, in this row."""
        known = [(z3.BitVec(n, bits), bv(row[n], bits))
                 for n, bits in self.property.inputs.items()]
        for quotient, term, divisor in self.machine.quotients:
            n = z3.simplify(z3.substitute(term, *known)).as_long()
            known.append((quotient, bv((n // divisor) % (1 << quotient.size()),
                                        quotient.size())))
        return known

    def at(self, row):
        """
        Whether it holds of these numbers, and the calls that are made, as
        [(function, numbers, result, what is due or None)].
        """
        known = self.known(row)

        def of(term):
            return z3.simplify(z3.substitute(term, *known))
        calls = [(f, [of(a) for a in args], of(result))
                 for f, args, result in self.calls]
        if self.definition is None:
            dues = [self.property.due(f, args) for f, args, _ in calls]
            holds = of(self.claim)
        else:
            dues = [of(self.definition)]
            holds = of(dues[0] == calls[0][2])
        if not (z3.is_true(holds) or z3.is_false(holds)):
            raise ValueError("open for " + row_text(row))
        if not z3.is_false(of(self.undefined())):
            raise Undefined(row_text(row))
        return z3.is_true(holds), [c + (due,) for c, due in zip(calls, dues)]


class Run:
    def __init__(self, table):
        self.table = table
        self.lines = []
        self.passed = self.failed = self.proved = 0

    def say(self, good, text):
        self.lines.append(("ok   " if good else "FAIL ") + text)
        self.passed += good
        self.failed += not good
        return good

    def prove(self, p):
        """As the device is; with `variants`, with each choice that bears on it
        as well. Two choices at once are not tried: their ways multiply."""
        if not p.variants:
            return self.prove_with(p, ())
        DECISIONS.asked.clear()
        tried, good = set(), self.prove_with(p, ())
        while good and DECISIONS.choices_asked() - tried:
            name = min(DECISIONS.choices_asked() - tried)
            tried.add(name)
            good = self.prove_with(p, (name,))
        return good

    def prove_with(self, p, choices):
        start = time.process_time()
        said = Said(p, variants=choices)
        some = said.find(z3.BoolVal(True))[0]
        answer, row = said.find(z3.Or(z3.Not(said.claim),
                                         said.undefined()))
        seconds = time.process_time() - start
        title = "%s (%s)" % (p.says, p.rfc)
        if choices:
            title += ", " + choices[0]
        if some != z3.sat:
            return self.say(False, title + ": it speaks of no input at all")
        if answer == z3.unsat:
            self.proved += 1
            return self.say(True, "%s: %d bits, %.2f s" %
                            (title, sum(p.inputs.values()), seconds))
        if answer != z3.sat:
            return self.say(False, "%s: not decided in %d s" %
                            (title, seconds))
        text = "%s: not for %s" % (title, row_text(row))
        if p.variants:
            return self.say(False, text)
        try:
            return self.say(False, text + self.told(said, row))
        except Undefined:
            met = [why for c, why in said.machine.undefined
                   if z3.is_true(z3.simplify(
                       z3.substitute(c, *said.known(row))))]
            return self.say(False, text + ": " + ", ".join(met))

    @staticmethod
    def told(said, row):
        """The calls behind a property that does not hold."""
        text = ""
        for function, _, result, due in said.at(row)[1][:2]:
            text += ": %s is %#x" % (function, result.as_long())
            if due is not None:
                text += ", due %#x" % due.as_long()
        return text

    def refute(self, p, wrong):
        """The input on which the property fails, and its results there."""
        said = Said(p, wrong)
        title = "  refuted: " + wrong.says
        if getattr(wrong, "functions", {}).keys() - said.used:
            self.say(False, title + ": nobody calls what it stands for")
            return None, said
        answer, row = said.find(z3.And(z3.Not(said.claim),
                                          z3.Not(said.undefined())))
        if answer != z3.sat:
            self.say(False, "%s: no input shows it (%s)" % (title, answer))
            return None, said
        if said.at(row)[0]:
            self.say(False, "%s: %s does not show it" %
                     (title, row_text(row)))
            return None, said
        self.say(True, "%s: %s%s" % (title, row_text(row),
                                     self.told(said, row)))
        return row, said

    def rows(self, p, chosen):
        """Those for the compiled functions."""
        names = list(p.inputs)
        if set(p.values) != set(names):
            raise ValueError(p.says + ": values of other names")
        every = [dict(zip(names, row)) for row in
                 itertools.product(*(p.values[n] for n in names))]
        rows = chosen + every[::-(-len(every) // ROWS_MOST)]
        for corner in p.corners:
            i = p.terms()
            s = z3.SolverFor("QF_BV")
            s.add(p.given(i), corner(i))
            if s.check() != z3.sat:
                raise ValueError(p.says + ": a corner that is not there")
            rows.append(numbers_of(s.model(), p))
        said = Said(p)
        for row in rows:
            if not z3.is_true(z3.simplify(p.given(p.numbers(row)))):
                continue
            holds, calls = said.at(row)
            if not holds:
                self.say(False, "%s: not for %s" % (p.says, row_text(row)))
            for function, args, result, due in calls:
                self.row(said, function, args,
                         result if due is None else due)

    def row(self, said, function, args, due, mutant=None):
        _, home = said.machine.function(function)
        self.table.add(home.source, function, [a.as_long() for a in args],
                       due.as_long(), due.size(), mutant)

    def property(self, p):
        if not self.prove(p):
            return
        chosen = []
        for wrong in p.wrong:
            row, said = self.refute(p, wrong)
            if row is None:
                continue
            chosen.append(row)
            if not isinstance(wrong, Mutant):
                continue
            for function, args, result, _ in said.at(row)[1]:
                _, home = said.machine.function(function)
                if home.source.startswith("harness/refdut/"):
                    self.row(said, function, args, result, wrong.name)
        if not p.wrong:
            self.say(False, p.says + ": nothing wrong to tell it from")
        self.rows(p, chosen)

    def compiled(self, folder):
        """The table, as due; with the mutants, as read; and all falsified."""
        of = {"as due": [0, 0], "planted": [0, 0], "falsified": [0, 0]}
        for source, program, process in self.table.start(folder):
            out = process.communicate()[0]
            if process.returncode:
                self.say(False, "%s: the table is not compiled: %s" %
                         (source, out.strip()[-800:]))
                continue
            for mode in of:
                out = subprocess.run([program, mode], text=True,
                                     stdout=subprocess.PIPE).stdout
                m = re.search(r"^(\d+) rows, (\d+) wrong$", out, re.M)
                if not m:
                    self.say(False, program + " came to no end")
                    continue
                of[mode][0] += int(m.group(1))
                of[mode][1] += int(m.group(2))
                if int(m.group(2)) and mode != "falsified":
                    self.lines.append(out)
        rows, mutants = self.table.count(False), self.table.count(True)
        n, bad = of["as due"]
        self.say(n == rows and n > 0 and not bad,
                 "the table: %d of %d rows called in the compiled C, %d "
                 "wrong" % (n, rows, bad))
        n, bad = of["planted"]
        self.say(n == mutants and not bad,
                 "the same with a mutant: %d of %d rows, %d not as read" %
                 (n, mutants, bad))
        n, bad = of["falsified"]
        self.say(n == rows and n == bad,
                 "the same with what is due falsified: %d of %d told" %
                 (bad, rows))


    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.proved += other.proved
        self.table.merge(other.table)
        other.tell()

    def tell(self):
        for line in self.lines:
            print(line, flush=True)
        self.lines = []


PROPERTIES = [p for room in ROOMS for p in room.PROPERTIES]


def alone(n):
    """One property, in a process of its own."""
    run = Run(Table())
    try:
        run.property(PROPERTIES[n])
    except Exception:  # what cannot be read or asked is a failure of it
        run.say(False, PROPERTIES[n].says + "\n" + traceback.format_exc())
    return run


def main():
    words = sys.argv[2:]
    wanted = [n for n, p in enumerate(PROPERTIES)
              if not words or any(w in p.says for w in words)]
    run = Run(Table())
    with multiprocessing.Pool(len(os.sched_getaffinity(0))) as pool:
        for other in pool.imap(alone, wanted, chunksize=1):
            run.add(other)
    if run.proved:
        run.compiled(os.path.join(sys.argv[1], "prove"))
    else:
        run.say(False, "nothing was proved")
    run.tell()
    print("prove: %d passed, %d failed" % (run.passed, run.failed))
    return run.failed != 0


if __name__ == "__main__":
    sys.exit(main())

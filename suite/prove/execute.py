# SPDX-License-Identifier: BSD-2-Clause
"""
Runs a C function, as ir.py has read it, on arguments that are terms of z3, and
gives back the term that it returns: all its paths at once. Where a condition
is open both ways are gone, and met again where they join, with If() of what
they left behind.

What C leaves undefined - a signed overflow, a shift too far, a division by
zero, an octet outside of its object, an assertion that fails - is written
down with the condition under which it happens, in `undefined`. A caller has to
show that none can be met.

Memory is made of objects, each of cells: octet offset -> (octets, term). What
was never written is zero in an object of static storage, and anything at all
elsewhere.
"""

import z3

from ir import (Unreadable, Words, align_of, layout, size_of)

DEEPEST = 200  # rounds of a loop whose end is open


def bv(value, bits):
    return z3.BitVecVal(value, bits)


def truth(condition):
    return z3.If(condition, bv(1, 1), bv(0, 1))


def is_true(term):
    return z3.simplify(term == 1)


def constant(term):
    """The number that a term equals, or None."""
    term = z3.simplify(term)
    return term.as_long() if z3.is_bv_value(term) else None


class Object:
    def __init__(self, name, size, zero):
        self.name, self.size, self.zero = name, size, zero
        self.cells = {}  # as it is before anything runs


class Pointer:
    """[(condition, object or None for NULL, offset)]: one condition is true."""

    def __init__(self, ways):
        self.ways = ways

    @staticmethod
    def to(thing, offset=0):
        return Pointer([(z3.BoolVal(True), thing, offset)])

    def moved(self, by):
        return Pointer([(c, o, at + by) for c, o, at in self.ways])

    def same(self, other):
        return len(self.ways) == len(other.ways) and all(
            a is b or (a[1] is b[1] and a[2] == b[2] and a[0].eq(b[0]))
            for a, b in zip(self.ways, other.ways))


class Memory:
    def __init__(self, cells=None):
        self.cells = cells or {}  # object: {offset: (octets, value)}

    def copy(self):
        return Memory({o: dict(c) for o, c in self.cells.items()})

    def of(self, thing):
        if thing not in self.cells:
            self.cells[thing] = dict(thing.cells)
        return self.cells[thing]

    @staticmethod
    def untouched(thing, at):
        if thing.zero:
            return bv(0, 8)
        return z3.BitVec("%s+%d" % (thing.name, at), 8)

    def split(self, thing, at, n):
        """Cells that cross the edges of [at, at+n) become octets."""
        cells = self.of(thing)
        for start in range(at - 15, at + n):
            if start not in cells:
                continue
            octets, value = cells[start]
            if start + octets <= at or (start >= at and
                                        start + octets <= at + n):
                continue
            if isinstance(value, Pointer):
                raise Unreadable("half a pointer is touched")
            del cells[start]
            for i in range(octets):
                cells[start + i] = (1, z3.simplify(
                    z3.Extract(8 * i + 7, 8 * i, value)))

    def read(self, thing, at, n):
        cells = self.of(thing)
        if at in cells and cells[at][0] == n:
            return cells[at][1]
        octets = []
        i = at
        self.split(thing, at, n)
        while i < at + n:
            if i in cells:
                size, value = cells[i]
                if isinstance(value, Pointer):
                    raise Unreadable("a pointer is read as octets")
                octets.append(value)
                i += size
            else:
                octets.append(self.untouched(thing, i))
                i += 1
        octets.reverse()
        return z3.simplify(z3.Concat(*octets)) if len(octets) > 1 \
            else octets[0]

    def write(self, thing, at, n, value):
        cells = self.of(thing)
        self.split(thing, at, n)
        for i in range(at, at + n):
            cells.pop(i, None)
        cells[at] = (n, value)

    def move(self, to, to_at, of, of_at, n):
        self.split(of, of_at, n)
        here, i, found = self.of(of), of_at, []
        while i < of_at + n:
            if i in here:
                found.append((i - of_at,) + here[i])
                i += here[i][0]
            else:
                found.append((i - of_at, 1, self.untouched(of, i)))
                i += 1
        for at, size, value in found:
            self.write(to, to_at + at, size, value)


def either(condition, a, b):
    """One value of the two."""
    if isinstance(a, Pointer):
        if a.same(b):
            return a
        return Pointer([(z3.And(condition, c), o, at) for c, o, at in a.ways] +
                       [(z3.And(z3.Not(condition), c), o, at)
                        for c, o, at in b.ways])
    if isinstance(a, tuple):
        return tuple(either(condition, x, y) for x, y in zip(a, b))
    return a if a.eq(b) else z3.simplify(z3.If(condition, a, b))


class State:
    def __init__(self, regs, memory, path):
        self.regs, self.memory, self.path = regs, memory, path
        self.result = None

    def fork(self, condition):
        return State(dict(self.regs), self.memory.copy(),
                     self.path + [condition])


def joined(condition, a, b, path):
    """The merged state of both paths; None is a path that is not taken."""
    if a is None or b is None:
        return a or b
    s = State({}, Memory(), path)
    for name, value in a.regs.items():
        if name in b.regs:
            try:
                s.regs[name] = either(condition, value, b.regs[name])
            except (z3.Z3Exception, AttributeError):
                raise Unreadable("values of two kinds in " + name)
    for thing in {**a.memory.cells, **b.memory.cells}:
        ours, theirs = a.memory.of(thing), b.memory.of(thing)
        starts = sorted({**ours, **theirs})
        for at in starts:
            x, y = ours.get(at), theirs.get(at)
            if x and y and x[0] == y[0]:
                continue
            n = max(c[0] for c in (x, y) if c)
            # A pointer on one side only is never read on the other.
            if any(c and isinstance(c[1], Pointer) for c in (x, y)):
                continue
            for m in (a.memory, b.memory):
                m.split(thing, at, n)
                for i in range(n):
                    m.split(thing, at + i, 1)
        cells = s.memory.of(thing)
        for at in sorted({**ours, **theirs}):
            x, y = ours.get(at), theirs.get(at)
            if (x or y)[1].__class__ is Pointer and not (
                    x and y and y[1].__class__ is Pointer):
                cells[at] = x or y
                continue
            x = x or (y[0], a.memory.read(thing, at, y[0]))
            y = y or (x[0], b.memory.read(thing, at, x[0]))
            if x[0] != y[0]:
                raise Unreadable("cells of two sizes in " + thing.name)
            cells[at] = (x[0], either(condition, x[1], y[1]))
    if a.result is not None:
        s.result = either(condition, a.result, b.result)
    return s


def joins_of(function):
    """For each block, the one where all paths from it meet again, or None."""
    ends = {}
    for label, block in function.blocks.items():
        last = block[-1]
        if last[0] == "br":
            ends[label] = [last[2]] if len(last) == 3 else [last[3], last[4]]
        elif last[0] == "switch":
            ends[label] = [last[4]] + [way for _, way in last[5]]
        else:
            ends[label] = []
    dead = {l for l, b in function.blocks.items() if b[-1][0] == "unreachable"}
    everything = set(function.blocks) | {None}
    after = {l: everything for l in function.blocks}
    after[None] = {None}
    changed = True
    while changed:
        changed = False
        for label in reversed(list(function.blocks)):
            if label in dead:
                continue
            next_ = [e for e in ends[label] if e not in dead] or [None]
            now = set.intersection(*(set(after[e]) for e in next_)) | {label}
            if now != after[label]:
                after[label], changed = now, True
    joins = {}
    for label in function.blocks:
        others = after[label] - {label}
        # The nearest is followed by all the others.
        joins[label] = next((o for o in others if o is not None and
                             after[o] >= others), None)
    return joins


class Level(Object):
    """The `self` of an override: its place in the chain of a decision."""

    def __init__(self, decision, at):
        super().__init__("%s.%d" % (decision, at), 0, True)
        self.decision, self.at = decision, at


class Device:
    """
    What stands behind the calls of the reference device's decisions:
    decisions.py, how a source is read, the fault that is planted, and whether
    any choices may be taken.
    """

    def __init__(self, decisions, read, planted=None, choices=False):
        self.decisions, self.read = decisions, read
        self.planted, self.choices = planted, choices


class Machine:
    """
    `modules` are searched for a function in their order, and then the files of
    the `device`. `stubs` gives for a name a function of (arguments) in the
    place of one that is not there.
    """

    def __init__(self, modules, ones=(), arbitrary=(), stubs=None,
                 device=None):
        self.modules, self.stubs = list(modules), stubs or {}
        self.device = device
        self.remembered = {}        # by overrides: (name): object
        self.ones = ones            # (global, offset): octets that are 1
        self.arbitrary = arbitrary  # globals that may hold anything
        self.undefined = []         # (condition, what)
        self.quotients = []         # (term, dividend, divisor)
        self.divisions = {}         # the same, by what is divided
        self.facts = []             # what makes them that
        self.statics = {}
        self.fresh = 0
        self.joins = {}

    def function(self, name, where=None):
        for m in ([where] if where else []) + self.modules:
            f = m.function(name)
            if f:
                return f, m
        if self.device and self.of_device(where):
            return self.in_file(self.device.decisions.home_of(name), name)
        return None, None

    def of_device(self, module):
        return module is not None and module.source.startswith(
            "harness/refdut/")

    def in_file(self, source, name):
        """A function of a file that is not named as a source."""
        if source is None:
            return None, None
        m = self.device.read(source)
        if m not in self.modules:
            self.modules.append(m)
        return m.function(name), m

    def call(self, name, *args):
        """
        The term that the function returns; arguments are terms, or numbers. An
        argument that is narrower than the parameter is extended with zeros.
        """
        f, m = self.function(name)
        if not f:
            raise Unreadable("there is no function " + name)
        state = State({}, Memory(), [])
        if len(args) != len(f.params):
            raise Unreadable("%s takes %d arguments" % (name, len(f.params)))
        values = []
        for (t, _, _), a in zip(f.params, args):
            if isinstance(a, int):
                a = bv(a, t[1])
            if z3.is_bool(a):
                a = truth(a)
            if a.size() < t[1]:
                a = z3.ZeroExt(t[1] - a.size(), a)
            if a.size() != t[1]:
                raise Unreadable("%s: an argument of %d bits for %d" %
                                 (name, a.size(), t[1]))
            values.append(a)
        state = self.run_function(f, m, values, state)
        if state is None:
            raise Unreadable(name + " never returns")
        return state.result

    # --- control ----------------------------------------------------------

    def run_function(self, f, module, args, state):
        caller, state.regs = state.regs, {}
        state.regs.update({name: a for (_, name, _), a in zip(f.params, args)})
        if f.name not in self.joins:
            self.joins[f.name] = joins_of(f)
        state = self.run(f, module, f.first, state, None, 0)
        if state is not None:
            state.regs = caller
        return state

    def run(self, f, module, label, state, stop, depth):
        """Until `stop`, or to the end; None if no path gets there."""
        while True:
            block = f.blocks[label]
            for instruction in block[:-1]:
                if instruction[0] == "phi":
                    continue  # set on arrival
                if not self.step(f, module, instruction, state):
                    return None
            last = block[-1]
            if last[0] == "ret":
                state.result = None if last[3] is None else \
                    self.value(module, state, last[2], last[3])
                return state
            if last[0] == "unreachable":
                self.undefined.append((z3.And(state.path),
                                       f.name + ": unreachable"))
                return None
            ways = self.ways(module, state, last)
            if len(ways) == 1:
                next_ = ways[0][1]
                self.arrive(f, module, label, next_, state)
            else:
                join = self.joins[f.name][label]
                state = self.branch(f, module, label, state, ways, join,
                                    depth)
                if state is None or join is None:
                    return state
                next_ = join
            if next_ == stop:
                return state
            label = next_

    def ways(self, module, state, last):
        """[(condition, label)] of the possible paths."""
        if last[0] == "br" and len(last) == 3:
            return [(None, last[2])]
        if last[0] == "br":
            c = is_true(self.value(module, state, ("int", 1), last[2]))
            if z3.is_true(c):
                return [(None, last[3])]
            if z3.is_false(c):
                return [(None, last[4])]
            return [(c, last[3]), (None, last[4])]
        of = self.value(module, state, last[2], last[3])
        ways = []
        for value, label in last[5]:
            c = z3.simplify(of == self.value(module, state, last[2], value))
            if z3.is_true(c):
                return ways + [(None, label)]
            if not z3.is_false(c):
                ways.append((c, label))
        return ways + [(None, last[4])]

    def branch(self, f, module, label, state, ways, join, depth):
        if len(ways) == 1:
            self.arrive(f, module, label, ways[0][1], state)
            if ways[0][1] == join:
                return state
            return self.run(f, module, ways[0][1], state, join, depth)
        condition, to = ways[0]
        path = state.path
        no = state.fork(z3.Not(condition))
        yes = State(state.regs, state.memory, path + [condition])
        if depth > 2 and not self.possible(yes.path):
            yes = None
        if depth > 2 and not self.possible(no.path):
            no = None
        if depth > DEEPEST:
            raise Unreadable(f.name + ": a loop without an end")
        if yes:
            self.arrive(f, module, label, to, yes)
            if to != join:
                yes = self.run(f, module, to, yes, join, depth + 1)
        if no:
            no = self.branch(f, module, label, no, ways[1:], join, depth + 1)
        return joined(condition, yes, no, path)

    def possible(self, path):
        s = z3.Solver()
        s.add(self.facts)
        s.add(path)
        return s.check() != z3.unsat

    def arrive(self, f, module, old, new, state):
        values = {}
        for instruction in f.blocks[new]:
            if instruction[0] != "phi":
                break
            _, into, t, by = instruction
            values[into] = self.value(module, state, t, by[old])
        state.regs.update(values)

    # --- values -----------------------------------------------------------

    def never(self, state, condition, what):
        condition = z3.simplify(condition)
        if not z3.is_false(condition):
            self.undefined.append((z3.And(state.path + [condition]), what))

    def arbitrary_term(self, bits, why):
        self.fresh += 1
        return z3.BitVec("%s!%d" % (why, self.fresh), bits)

    def value(self, module, state, t, v):
        kind = v[0]
        if kind == "reg":
            return state.regs[v[1]]
        if kind == "int":
            return bv(v[1], t[1])
        if kind == "null":
            return Pointer.to(None)
        if kind == "global":
            return Pointer.to(self.static(module, v[1][1:], state))
        if kind == "gep":
            base = self.value(module, state, ("ptr",), v[2])
            return self.moved(module, state, base, v[1], v[3])
        if kind == "undef" and t[0] == "struct":
            return tuple(self.value(module, state, x, v) for x in t[1])
        if kind == "undef" and t[0] == "int":
            return self.arbitrary_term(t[1], "undef")
        if kind == "zero" and t[0] == "int":
            return bv(0, t[1])
        raise Unreadable("value %r of %r" % (v, t))

    def static(self, module, name, state):
        # A static of one file is not that of another.
        where = [m for m in [module] + self.modules if name in m.globals]
        if not where:
            raise Unreadable("there is no global " + name)
        inside = [m for m in where if m.global_(name)[2] is not None]
        if name in where[0].globals and where[0].global_(name)[2] is not None:
            home = where[0]
        else:
            home = (inside or where)[0]
        key = (id(home) if home.global_(name)[2] is not None else 0, name)
        if key not in self.statics:
            _, t, value = home.global_(name)
            known = value is not None or any(name == g for g, _ in self.ones)
            zero = name not in self.arbitrary and (
                known or name in ("mutants_planted", "variants_taken"))
            thing = Object("@" + name, size_of(t), zero)
            self.statics[key] = thing
            if value is not None and zero:
                start = State({}, Memory({thing: thing.cells}), [])
                self.initial(home, start, thing, 0, t, value)
            for g, at in self.ones:
                if g == name:
                    thing.cells[at] = (1, bv(1, 8))
        return self.statics[key]

    def initial(self, module, state, thing, at, t, value):
        if value[0] in ("zero", "undef"):
            return
        if value[0] == "string":
            for i, c in enumerate(value[1]):
                state.memory.write(thing, at + i, 1, bv(c, 8))
        elif value[0] == "list":
            offsets = layout(t)[0] if t[0] == "struct" else \
                [i * size_of(t[2]) for i in range(t[1])]
            for offset, (ft, fv) in zip(offsets, value[1]):
                self.initial(module, state, thing, at + offset, ft, fv)
        else:
            self.store(state, Pointer.to(thing, at), t,
                       self.value(module, state, t, value))

    def moved(self, module, state, base, t, path):
        ways = list(base.ways)
        for depth, (of, v) in enumerate(path):
            index = self.value(module, state, of, v)
            n = constant(index)
            if depth == 0:
                step, bound = size_of(t), None
            elif t[0] == "struct":
                ways = [(c, o, at + layout(t)[0][n]) for c, o, at in ways]
                t = t[1][n]
                continue
            else:
                step, bound, t = size_of(t[2]), t[1], t[2]
            if n is not None:
                if n >= 1 << (index.size() - 1):
                    n -= 1 << index.size()
                ways = [(c, o, at + n * step) for c, o, at in ways]
                continue
            # Every place in every object that it may point to.
            open_ways = []
            for c, o, at in ways:
                if o is None or o.size > 64 * step:
                    raise Unreadable("an open index into a large object")
                first, end = -(at // step), -(-(o.size - at) // step) + 1
                if bound is not None:
                    first, end = 0, bound
                self.never(state, z3.And([c] + [index != bv(n, index.size())
                                                for n in range(first, end)]),
                           "an index beyond its array")
                open_ways += [(z3.And(c, index == bv(n, index.size())), o,
                               at + n * step) for n in range(first, end)]
            ways = open_ways
        return Pointer(ways)

    def reached(self, state, pointer, n, what):
        """The paths that lead to n octets of an object."""
        good = []
        for c, thing, at in pointer.ways:
            if thing is None or at < 0 or at + n > thing.size:
                self.never(state, c, "%s outside of its object" % what)
            elif not z3.is_false(z3.simplify(c)):
                good.append((c, thing, at))
        if not good:
            raise Unreadable("%s of nothing" % what)
        return good

    def load(self, state, pointer, t):
        if t[0] == "struct":
            return tuple(self.load(state, pointer.moved(at), f)
                         for at, f in zip(layout(t)[0], t[1]))
        n = 8 if t[0] == "ptr" else -(-t[1] // 8)
        good = self.reached(state, pointer, n, "a load")
        value = state.memory.read(good[-1][1], good[-1][2], n)
        for c, thing, at in reversed(good[:-1]):
            value = either(c, state.memory.read(thing, at, n), value)
        if t[0] == "ptr":
            if not isinstance(value, Pointer):
                if constant(value) == 0:
                    return Pointer.to(None)
                raise Unreadable("a pointer to anywhere")
            return value
        if isinstance(value, Pointer):
            raise Unreadable("a pointer is read as a number")
        if value.size() > t[1]:
            value = z3.Extract(t[1] - 1, 0, value)
        return value

    def store(self, state, pointer, t, value):
        if t[0] == "struct":
            for at, f, v in zip(layout(t)[0], t[1], value):
                self.store(state, pointer.moved(at), f, v)
            return
        n = 8 if t[0] == "ptr" else -(-t[1] // 8)
        if t[0] == "int" and value.size() < 8 * n:
            value = z3.ZeroExt(8 * n - value.size(), value)
        good = self.reached(state, pointer, n, "a store")
        for c, thing, at in good:
            old = value if len(good) == 1 else \
                either(c, value, state.memory.read(thing, at, n))
            state.memory.write(thing, at, n, old)

    # --- one instruction --------------------------------------------------

    def step(self, f, module, instruction, state):
        """False if nothing follows it."""
        op, into = instruction[0], instruction[1]

        def value(t, v):
            return self.value(module, state, t, v)

        if op == "alloca":
            self.fresh += 1
            thing = Object("%s%s!%d" % (f.name, into, self.fresh),
                           size_of(instruction[2]), False)
            state.memory.of(thing)
            state.regs[into] = Pointer.to(thing)
        elif op == "load":
            state.regs[into] = self.load(
                state, value(("ptr",), instruction[3]), instruction[2])
        elif op == "store":
            t = instruction[2]
            self.store(state, value(("ptr",), instruction[4]), t,
                       value(t, instruction[3]))
        elif op == "getelementptr":
            base = value(("ptr",), instruction[3])
            state.regs[into] = self.moved(module, state, base, instruction[2],
                                          instruction[4])
        elif op == "icmp":
            _, _, how, t, a, b = instruction
            state.regs[into] = truth(self.compare(how, value(t, a),
                                                  value(t, b)))
        elif op in ("zext", "sext", "trunc", "bitcast", "ptrtoint"):
            _, _, t, a, to = instruction
            a = value(t, a)
            if op == "zext":
                a = z3.ZeroExt(to[1] - t[1], a)
            elif op == "sext":
                a = z3.SignExt(to[1] - t[1], a)
            elif op == "trunc":
                a = z3.Extract(to[1] - 1, 0, a)
            state.regs[into] = a if isinstance(a, Pointer) else z3.simplify(a)
        elif op == "select":
            _, _, t, c, a, b = instruction
            state.regs[into] = either(is_true(value(("int", 1), c)),
                                      value(t, a), value(t, b))
        elif op == "extractvalue":
            state.regs[into] = value(("struct", []), instruction[2])[
                instruction[3]]
        elif op == "call":
            return self.step_call(module, instruction, state)
        else:
            _, _, t, a, b, flags = instruction
            state.regs[into] = self.arithmetic(
                state, op, flags, value(t, a), value(t, b))
        return True

    @staticmethod
    def compare(how, a, b):
        if isinstance(a, Pointer):
            same = z3.Or([z3.And(c, d) for c, o, i in a.ways
                          for d, p, j in b.ways if o is p and i == j] +
                         [z3.BoolVal(False)])
            if how == "eq":
                return same
            if how == "ne":
                return z3.Not(same)
            raise Unreadable("pointers compared by " + how)
        return {"eq": lambda: a == b, "ne": lambda: a != b,
                "ult": lambda: z3.ULT(a, b), "ule": lambda: z3.ULE(a, b),
                "ugt": lambda: z3.UGT(a, b), "uge": lambda: z3.UGE(a, b),
                "slt": lambda: a < b, "sle": lambda: a <= b,
                "sgt": lambda: a > b, "sge": lambda: a >= b}[how]()

    def arithmetic(self, state, op, flags, a, b):
        if isinstance(a, Pointer) and isinstance(b, Pointer) and op == "sub":
            if len(a.ways) != 1 or len(b.ways) != 1 or \
                    a.ways[0][1] is not b.ways[0][1]:
                raise Unreadable("a difference of two objects")
            return bv(a.ways[0][2] - b.ways[0][2], 64)
        bits = a.size()
        if "nsw" in flags:
            self.signed_overflow(state, op, a, b)
        if "nuw" in flags:
            raise Unreadable("nuw")
        if op in ("shl", "lshr", "ashr"):
            self.never(state, z3.UGE(b, bits), "a shift beyond the width")
        if op in ("udiv", "urem", "sdiv", "srem"):
            self.never(state, b == 0, "a division by zero")
        if op in ("udiv", "urem"):
            return self.divided(state, op, a, b)
        return z3.simplify({
            "add": lambda: a + b, "sub": lambda: a - b, "mul": lambda: a * b,
            "and": lambda: a & b, "or": lambda: a | b, "xor": lambda: a ^ b,
            "shl": lambda: a << b, "lshr": lambda: z3.LShR(a, b),
            "ashr": lambda: a >> b, "sdiv": lambda: a / b,
            "srem": lambda: z3.SRem(a, b)}[op]())

    def signed_overflow(self, state, op, a, b):
        fine = {"add": lambda: z3.And(z3.BVAddNoOverflow(a, b, True),
                                      z3.BVAddNoUnderflow(a, b)),
                "sub": lambda: z3.And(z3.BVSubNoOverflow(a, b),
                                      z3.BVSubNoUnderflow(a, b, True)),
                "mul": lambda: z3.And(z3.BVMulNoOverflow(a, b, True),
                                      z3.BVMulNoUnderflow(a, b))}.get(op)
        if not fine:
            raise Unreadable(op + " nsw")
        self.never(state, z3.Not(fine()), "a signed overflow")

    def divided(self, state, op, a, b):
        """
        By a constant that is no power of two: a new term for the quotient, of
        which all that makes it one is a fact on this path. A divider in bits
        is too much, and a product of 64 where 20 do nearly so.
        """
        n, k = constant(a), constant(b)
        if n is not None or not k or k & (k - 1) == 0:
            return z3.simplify(z3.UDiv(a, b) if op == "udiv"
                               else z3.URem(a, b))
        bits = a.size()
        for narrow in (20, 36, bits):
            if narrow < bits and k < 1 << 12 and not self.possible(
                    state.path + [z3.UGE(a, 1 << narrow)]):
                break
        narrow = min(narrow, bits)
        key = a.get_id(), k, narrow
        if key not in self.divisions:
            q = self.arbitrary_term(narrow, "quotient")
            self.quotients.append((q, a, k))
            self.divisions[key] = q
        q = self.divisions[key]
        low = z3.Extract(narrow - 1, 0, a)
        self.facts.append(z3.Implies(z3.And(state.path), z3.And(
            z3.ULE(q, ((1 << narrow) - 1) // k), z3.ULE(q * k, low),
            z3.ULT(low - q * k, k))))
        q = z3.ZeroExt(bits - narrow, q)
        return q if op == "udiv" else a - q * k

    # --- calls ------------------------------------------------------------

    def step_call(self, module, instruction, state):
        _, into, _, name, args = instruction
        if name.startswith("llvm."):
            return self.intrinsic(module, name, args, state)
        if name in self.stubs:
            result = self.stubs[name](self)
            if into:
                state.regs[into] = result
            return True
        if name in ("__assert_fail", "abort"):
            self.undefined.append((z3.And(state.path), "an assertion fails"))
            return False
        decision, asked = self.asked(module, name)
        f, home = (None, None) if decision else self.function(name, module)
        if not f and not decision and name != "remember":
            raise Unreadable("a call of %s, which is not there" % name)
        values = []
        for t, v, byval in args:
            a = self.value(module, state, t, v)
            if byval:
                self.fresh += 1
                copy = Object("%s!%d" % (name, self.fresh), size_of(byval),
                              False)
                state.memory.of(copy)
                self.copy(state, Pointer.to(copy), a, copy.size)
                a = Pointer.to(copy)
            values.append(a)
        if name == "remember":
            state.regs[into] = self.remember(values)
            return True
        if decision:
            after = self.decide(decision, asked, module, values, state)
        else:
            after = self.run_function(f, home, values, state)
        if after is None:
            return False
        # The state continues in place.
        state.regs, state.memory = after.regs, after.memory
        state.path = after.path
        if into:
            state.regs[into] = after.result
        state.result = None
        return True

    # --- decisions of the reference device --------------------------------

    def asked(self, module, name):
        """(decision, whether it is asked of what is below), or None twice."""
        if not self.device or not self.of_device(module):
            return None, None
        if name in self.device.decisions.rules:
            return name, False
        below = name[:-len("_otherwise")]
        if name.endswith("_otherwise") and below in self.device.decisions.rules:
            return below, True
        return None, None

    def decide(self, decision, below, module, values, state):
        """The state after the topmost override, or the next one."""
        at = 0
        if below:
            at = self.level(values).at + 1
            values = [v for v in values if not self.is_level(v)]
        d = self.device
        chain = d.decisions.chain(decision, d.planted, d.choices)
        if at == len(chain):
            f, home = self.rule(decision)
            return self.answer(f, home, decision, at, values, state)
        override = chain[at]
        f, home = self.in_file(override.source, override.function)
        if not f:
            raise Unreadable("there is no function " + override.function)
        if not override.choice:
            return self.answer(f, home, decision, at, values, state)
        taken = z3.Bool("taken " + override.name)
        path, regs = state.path, state.regs
        yes, no = state.fork(taken), state.fork(z3.Not(taken))
        yes = self.answer(f, home, decision, at, values, yes)
        no = self.decide(decision, True, module,
                         [Pointer.to(Level(decision, at))] + values, no)
        after = joined(taken, yes, no, path)
        if after is not None:
            after.regs = regs
        return after

    def rule(self, decision):
        """For a file that was already read, perhaps as part of another."""
        name = decision + "_rule"
        for m in self.modules:
            f = m.function(name)
            if f:
                return f, m
        return self.in_file(self.device.decisions.rules[decision], name)

    def answer(self, f, home, decision, at, values, state):
        myself = Pointer.to(Level(decision, at))
        first = 1 if home.returns_in_memory(f.name) else 0
        values = values[:first] + [myself] + values[first:]
        return self.run_function(f, home, values, state)

    @staticmethod
    def is_level(value):
        return isinstance(value, Pointer) and len(value.ways) == 1 and \
            isinstance(value.ways[0][1], Level)

    def level(self, values):
        return next(v for v in values if self.is_level(v)).ways[0][1]

    def remember(self, values):
        """A fault's own memory: zeros, before it ran."""
        mine, n = self.level(values), constant(values[2])
        d = self.device
        override = d.decisions.chain(mine.decision, d.planted,
                                     d.choices)[mine.at]
        if override.name not in self.remembered:
            self.remembered[override.name] = Object(
                "remembered by " + override.name, n, not override.choice)
        return Pointer.to(self.remembered[override.name])

    def intrinsic(self, module, name, args, state):
        def arg(i):
            return self.value(module, state, args[i][0], args[i][1])

        what = name.split(".")[1]
        if what in ("dbg", "lifetime"):
            return True
        if what not in ("memset", "memcpy", "memmove"):
            raise Unreadable(name)
        n = constant(arg(2))
        if n is None:
            raise Unreadable(name + " of an open length")
        if n == 0:
            return True
        if what == "memset":
            to = self.reached(state, arg(0), n, "a memset")
            if len(to) != 1:
                raise Unreadable("a memset somewhere")
            for i in range(n):
                state.memory.write(to[0][1], to[0][2] + i, 1, arg(1))
        else:
            self.copy(state, arg(0), arg(1), n)
        return True

    def copy(self, state, to, of, n):
        to = self.reached(state, to, n, "a copy")
        of = self.reached(state, of, n, "a copy")
        if len(to) != 1 or len(of) != 1:
            raise Unreadable("a copy somewhere")
        state.memory.move(to[0][1], to[0][2], of[0][1], of[0][2], n)

# SPDX-License-Identifier: BSD-2-Clause
"""
What clang makes of a C file without optimising it (-O0 -S -emit-llvm), read
into functions of blocks of instructions. Only what such text holds of plain C
is read: integers, pointers, arrays, structs. Anything else is an error and
never passed over, so that nothing is proved of a program that was read wrong.
"""

import re


class Unreadable(Exception):
    """A part of the text that this reader does not know."""


# --- types ----------------------------------------------------------------
# ("int", bits), ("ptr",), ("void",), ("array", n, type), ("struct", [types])

PTR = ("ptr",)
VOID = ("void",)


def align_of(t):
    kind = t[0]
    if kind == "int":
        size = 1
        while size * 8 < t[1]:
            size *= 2
        return min(size, 16)
    if kind == "ptr":
        return 8
    if kind == "array":
        return align_of(t[2])
    if kind == "struct":
        return max((align_of(f) for f in t[1]), default=1)
    raise Unreadable("alignment of %r" % (t,))


def size_of(t):
    """Octets from one element of an array to the next."""
    kind = t[0]
    if kind == "int":
        return align_of(t)
    if kind == "ptr":
        return 8
    if kind == "array":
        return t[1] * size_of(t[2])
    if kind == "struct":
        return layout(t)[1]
    raise Unreadable("size of %r" % (t,))


def layout(t):
    """The offsets of a struct's fields, and its size."""
    at, offsets = 0, []
    for f in t[1]:
        align = align_of(f)
        at = -(-at // align) * align
        offsets.append(at)
        at += size_of(f)
    align = align_of(t)
    return offsets, -(-at // align) * align


# --- words ----------------------------------------------------------------

WORD = re.compile(r"""
    \s+ | ;.* |
    (?P<name>[%@](?:[-\w.$]+|"[^"]*")) |
    (?P<string>c?"[^"]*") |
    (?P<number>-?\d+) |
    (?P<word>[\w.]+) |
    (?P<meta>![\w.]*) | (?P<attr>\#\d+) |
    (?P<sign>\.\.\.|[][(){}<>,=*:])
    """, re.X)

# Attributes of a type or a value that have no effect here.
BESIDE = set("""noundef zeroext signext nonnull noalias nocapture readonly
    readnone writeonly immarg returned inreg noreturn nounwind dso_local
    internal local_unnamed_addr unnamed_addr tail notail musttail hidden
    willreturn private fastcc""".split())


def words_of(line):
    found, at = [], 0
    while at < len(line):
        m = WORD.match(line, at)
        if not m:
            raise Unreadable(line)
        at = m.end()
        if m.lastgroup:
            found.append((m.lastgroup, m.group()))
    return found


class Words:
    def __init__(self, line, module):
        self.line, self.module = line, module
        self.words, self.at = words_of(line), 0

    def peek(self):
        return self.words[self.at][1] if self.at < len(self.words) else None

    def kind(self):
        return self.words[self.at][0] if self.at < len(self.words) else None

    def take(self):
        if self.at >= len(self.words):
            raise Unreadable("ends early: " + self.line)
        self.at += 1
        return self.words[self.at - 1][1]

    def takes(self, *words):
        if self.peek() in words:
            return self.take()
        return None

    def need(self, word):
        if self.take() != word:
            raise Unreadable("no '%s': %s" % (word, self.line))

    def skip(self, words=BESIDE):
        while True:
            if self.peek() in words:
                self.take()
            elif self.peek() in ("align", "dereferenceable"):
                self.take()
                if self.takes("("):
                    self.take()
                    self.need(")")
                else:
                    self.take()
            else:
                return

    def type(self):
        word = self.take()
        if re.fullmatch(r"i\d+", word):
            t = ("int", int(word[1:]))
        elif word == "void":
            t = VOID
        elif word == "ptr":
            t = PTR
        elif word == "[":
            n = int(self.take())
            self.need("x")
            t = ("array", n, self.type())
            self.need("]")
        elif word == "{":
            fields = []
            while not self.takes("}"):
                fields.append(self.type())
                self.takes(",")
            t = ("struct", fields)
        elif word.startswith("%"):
            # What is only pointed at may hold such pointers itself.
            t = PTR if self.peek() == "*" else self.module.named(word)
        else:
            raise Unreadable("type '%s': %s" % (word, self.line))
        if self.peek() == "(":  # of a function: only pointed at
            depth = 0
            while True:
                w = self.take()
                depth += (w == "(") - (w == ")")
                if depth == 0:
                    break
            t = VOID
        while self.takes("*"):
            t = PTR
        return t

    # A value: ("reg", name), ("global", name), ("int", n), ("zero",),
    # ("undef",), ("null",), ("string", octets), ("list", [(type, value)]),
    # ("gep", type, base, [(type, value)]).
    def value(self):
        kind, word = self.kind(), self.take()
        if kind == "name":
            return ("reg" if word[0] == "%" else "global", word)
        if kind == "number":
            return ("int", int(word))
        if kind == "string":
            octets = re.sub(r"\\([0-9A-Fa-f]{2})",
                            lambda m: chr(int(m.group(1), 16)), word[2:-1])
            return ("string", [ord(c) for c in octets])
        if word in ("true", "false"):
            return ("int", int(word == "true"))
        if word == "null":
            return ("null",)
        if word == "zeroinitializer":
            return ("zero",)
        if word in ("undef", "poison"):
            return ("undef",)
        if word in ("[", "{"):
            items = []
            while not self.takes("]", "}"):
                t = self.type()
                items.append((t, self.value()))
                self.takes(",")
            return ("list", items)
        if word == "getelementptr":
            self.takes("inbounds")
            self.need("(")
            t = self.type()
            self.need(",")
            self.type()
            base, path = self.value(), []
            while self.takes(","):
                self.takes("inrange")
                of = self.type()
                path.append((of, self.value()))
            self.need(")")
            return ("gep", t, base, path)
        if word == "bitcast":
            self.need("(")
            self.type()
            value = self.value()
            self.need("to")
            self.type()
            self.need(")")
            return value
        raise Unreadable("value '%s': %s" % (word, self.line))

    def typed(self):
        t = self.type()
        self.skip()
        return t, self.value()


# --- a module -------------------------------------------------------------

class Function:
    def __init__(self, name, result, params):
        self.name, self.result, self.params = name, result, params
        self.blocks, self.first = {}, None  # label: [instructions]


class Module:
    def __init__(self, text):
        self.text_of_type, self.types = {}, {}
        self.functions, self.globals = {}, {}
        self.in_memory = set()
        lines = text.splitlines()
        for line in lines:
            m = re.match(r"(%[-\w.\"$]+) = type (.*)$", line)
            if m:
                self.text_of_type[m.group(1)] = m.group(2)
        i = 0
        while i < len(lines):
            line = lines[i]
            i += 1
            if line.startswith("@"):
                self.read_global(line)
            elif line.startswith("define "):
                body = []
                while lines[i] != "}":
                    body.append(lines[i])
                    i += 1
                # Read on demand: most is never needed.
                f = re.search(r"@([-\w.$]+)\(", line).group(1)
                self.functions[f] = (line, body)
                if " sret(" in line:
                    self.in_memory.add(f)

    def named(self, name):
        if name not in self.types:
            text = self.text_of_type.get(name)
            if text is None or text == "opaque":
                return ("struct", [])
            self.types[name] = Words(text, self).type()
        return self.types[name]

    def read_global(self, line):
        name = re.match(r"(@[-\w.$]+) = ", line).group(1)
        rest = line[len(name) + 3:]
        m = re.search(r"\b(global|constant)\b", rest)
        if not m:
            raise Unreadable(line)
        outside = "external" in rest[:m.start()].split()
        # Read on demand, too.
        self.globals[name[1:]] = (m.group(1) == "constant", outside,
                                  rest[m.end():])

    def global_(self, name):
        constant, outside, text = self.globals[name]
        w = Words(text, self)
        t = w.type()
        return constant, t, None if outside else w.value()

    def returns_in_memory(self, name):
        """The result is a struct in the caller's memory."""
        return name in self.in_memory

    def function(self, name):
        f = self.functions.get(name)
        if isinstance(f, tuple):
            f = self.functions[name] = self.read_function(*f)
        return f

    def read_function(self, head, body):
        w = Words(head, self)
        w.need("define")
        w.skip()
        result = w.type()
        name = w.take()[1:]
        w.need("(")
        params = []
        while not w.takes(")"):
            t = w.type()
            byval = self.attributes(w)
            params.append((t, w.take(), byval))
            w.takes(",")
        f = Function(name, result, params)
        # The first block is numbered after the parameters, without a label.
        label = "%" + str(len(params))
        f.first = label
        f.blocks[label] = []
        i = 0
        while i < len(body):
            line = body[i]
            i += 1
            m = re.match(r"([-\w.$]+):", line)
            if m:
                label = "%" + m.group(1)
                f.blocks[label] = []
                continue
            if line.lstrip().startswith("switch"):
                while not body[i - 1].strip().endswith("]"):
                    line += " " + body[i]
                    i += 1
            if line.strip():
                f.blocks[label].append(self.instruction(line))
        return f

    @staticmethod
    def attributes(w):
        """Skip the attributes of an argument; returns the type, if it is passed by value."""
        byval = None
        while True:
            w.skip()
            if w.peek() not in ("byval", "sret"):
                return byval
            what = w.take()
            w.need("(")
            t = w.type()
            w.need(")")
            if what == "byval":
                byval = t

    def instruction(self, line):
        """(operation, register or None, operands...)"""
        w = Words(line, self)
        into = None
        if w.kind() == "name":
            into = w.take()
            w.need("=")
        w.skip()
        op = w.take()
        if op == "alloca":
            return op, into, w.type()
        if op == "load":
            t = w.type()
            w.need(",")
            return op, into, t, w.typed()[1]
        if op == "store":
            t, value = w.typed()
            w.need(",")
            return op, None, t, value, w.typed()[1]
        if op == "getelementptr":
            w.takes("inbounds")
            t = w.type()
            w.need(",")
            base, path = w.typed()[1], []
            while w.takes(","):
                path.append(w.typed())
            return op, into, t, base, path
        if op in ("add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl",
                  "lshr", "ashr", "and", "or", "xor"):
            flags = set()
            while w.peek() in ("nsw", "nuw", "exact"):
                flags.add(w.take())
            t, a = w.typed()
            w.need(",")
            return op, into, t, a, w.value(), flags
        if op == "icmp":
            how = w.take()
            t, a = w.typed()
            w.need(",")
            return op, into, how, t, a, w.value()
        if op in ("zext", "sext", "trunc", "bitcast", "ptrtoint"):
            t, a = w.typed()
            w.need("to")
            return op, into, t, a, w.type()
        if op == "select":
            c = w.typed()[1]
            w.need(",")
            t, a = w.typed()
            w.need(",")
            return op, into, t, c, a, w.typed()[1]
        if op == "phi":
            t, pairs = w.type(), []
            while not pairs or w.takes(","):
                w.need("[")
                value = w.value()
                w.need(",")
                pairs.append((w.take(), value))
                w.need("]")
            return op, into, t, dict(pairs)
        if op == "br":
            if w.takes("label"):
                return op, None, w.take()
            c = w.typed()[1]
            w.need(",")
            w.need("label")
            yes = w.take()
            w.need(",")
            w.need("label")
            return op, None, c, yes, w.take()
        if op == "switch":
            t, a = w.typed()
            w.need(",")
            w.need("label")
            other, ways = w.take(), []
            w.need("[")
            while not w.takes("]"):
                value = w.typed()[1]
                w.need(",")
                w.need("label")
                ways.append((value, w.take()))
            return op, None, t, a, other, ways
        if op == "ret":
            t = w.type()
            return op, None, t, None if t == VOID else w.value()
        if op == "unreachable":
            return op, None
        if op == "call":
            w.skip()
            t = w.type()
            name = w.take()
            if name[0] != "@":
                raise Unreadable("a call through a pointer: " + line)
            w.need("(")
            args = []
            while not w.takes(")"):
                at = w.type()
                byval = self.attributes(w)
                args.append((at, w.value(), byval))
                w.takes(",")
            return op, into, t, name[1:], args
        if op == "extractvalue":
            value = w.typed()
            w.need(",")
            return op, into, value[1], int(w.take())
        raise Unreadable(line)

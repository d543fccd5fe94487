# SPDX-License-Identifier: BSD-2-Clause
"""All mutants of the functions of a file.

A mutant is one change of the text, or two for a swap. Its identity is the
file, the function, the kind, the text before and after, and which of those
that are alike in this function it is: no line, so that it outlives changes of
other functions.

Where nothing is called or assigned, `differs` is an expression that says
whether the change makes a difference there. It climbs from a changed constant
to the comparison that the constant is part of, as far as that is safe to be
evaluated."""
import collections
import re

from syntax import TRANSPARENT

# A function with such a parameter reads text of the agent protocol.
TEXT = "struct line *"

COMPARISONS = {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="),
               ">=": (">", "<"), "==": ("!=", "<=", ">="),
               "!=": ("==", "<", ">")}
INVERSE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=",
           "!=": "=="}
ARITHMETIC = {"+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "&": "|",
              "|": "&", "^": "|", "<<": ">>", ">>": "<<"}
NARROWER = {64: "uint32_t", 32: "uint16_t", 16: "uint8_t"}
# These only read what they are given.
READERS = {"be16", "be24", "be32", "be64", "buf_len", "buf_head"}
HARMLESS = {"DeclRefExpr", "MemberExpr", "IntegerLiteral", "CharacterLiteral",
            "CStyleCastExpr", "ArraySubscriptExpr", "UnaryOperator",
            "BinaryOperator", "UnaryExprOrTypeTraitExpr", *TRANSPARENT}
OF_CONSTANTS = {"IntegerLiteral", "CharacterLiteral", "BinaryOperator",
                "UnaryOperator", "ConditionalOperator", "CStyleCastExpr",
                "DeclRefExpr", "UnaryExprOrTypeTraitExpr", *TRANSPARENT}
NEVER_ASK = ""  # whether there is a difference: it might be a division by 0
JUMPS = {"BreakStmt": "break", "ContinueStmt": "continue",
         "ReturnStmt": "return"}


class Mutant:
    """edits: of the text, (begin, end, new text). place: where it is chosen,
    for an expression or a statement."""

    def __init__(self, function, kind, edits, before, after, differs=None,
                 statement=False, boolean=False):
        self.function, self.kind = function, kind
        self.edits, self.differs = edits, differs
        self.statement, self.boolean = statement, boolean
        self.before, self.after = plain(before), plain(after)
        self.ordinal = 1
        self.number = 0

    @property
    def place(self):
        return self.edits[0][:2]

    def identity(self, path):
        return (f"{path} {self.function} {self.kind} `{self.before}` -> "
                f"`{self.after}` #{self.ordinal}")


def plain(text):
    return " ".join(re.sub(r"/\*.*?\*/", " ", text, flags=re.S).split())


class Mutator:
    def __init__(self, file):
        self.file = file
        self.of = file.of
        self.found = []

    def all(self):
        for function in self.file.functions:
            parameters = [c for c in function.children
                          if c.kind == "ParmVarDecl"]
            if any(TEXT in p.type for p in parameters):
                continue
            self.name = re.sub(r"_rule$", "", function.name)
            self.result = function.type.split("(")[0].strip()
            self.statement(function.children[-1])
        return self.numbered()

    def numbered(self):
        """Each change once, in the order of the text, alike ones counted."""
        seen, counts = set(), collections.Counter()
        kept = []
        for m in sorted(self.found, key=lambda m: m.edits[0][:2]):
            what = tuple((b, e, plain(t)) for b, e, t in m.edits)
            if what in seen or m.before == m.after:
                continue
            seen.add(what)
            alike = (m.function, m.kind, m.before, m.after)
            counts[alike] += 1
            m.ordinal = counts[alike]
            kept.append(m)
        return kept

    # --- making one -------------------------------------------------------

    def change(self, kind, node, after, boolean=False, differs=None):
        """Of an expression."""
        if not node.placed:
            return
        self.found.append(Mutant(
            self.name, kind, [(node.begin, node.end, after)], self.of(node),
            after, self.difference(node, after, boolean)
            if differs is None else differs or None, boolean=boolean))

    def difference(self, node, after, boolean=False):
        """The expression that says whether there is any, or None."""
        if not self.is_harmless(node):
            return None
        whole = node
        while not boolean and self.may_climb(whole):
            whole = whole.parent
        before = self.of(whole)
        at = node.begin - whole.begin
        changed = (before[:at] + "(" + after + ")" +
                   before[at + node.end - node.begin:])
        if boolean:
            return f"!!({changed}) != !!({before})"
        return f"({changed}) != ({before})"

    def may_climb(self, node):
        up = node.parent
        if up is None or not up.placed or up.macro or \
                not self.is_harmless(up) or not up.is_integer and \
                not up.is_pointer:
            return False
        if up.kind == "BinaryOperator":
            return not (up.opcode in "/%" and up.children[1] is node) and \
                up.opcode not in ("&&", "||", ",")
        return up.kind in TRANSPARENT or up.kind == "CStyleCastExpr" or \
            up.kind == "UnaryOperator" and up.opcode in "-~!+"

    def is_harmless(self, node):
        for n in node.walk():
            if n.kind == "CallExpr" and n.children[0].bare().ref.get(
                    "name") in READERS:
                continue
            if n.kind not in HARMLESS:
                return False
            if n.kind == "UnaryOperator" and n.opcode in ("++", "--"):
                return False
            if n.kind == "BinaryOperator" and n.opcode == "=":
                return False
        return True

    # --- statements ---------------------------------------------------------

    def statement(self, node):
        kind = node.kind
        if kind == "CompoundStmt":
            self.sequence(node.children)
        elif kind == "IfStmt":
            self.condition(node.children[0], (0, 1))
            for c in node.children[1:]:
                self.single(c)
        elif kind == "WhileStmt":
            self.condition(node.children[0], (0,))
            self.single(node.children[-1])
        elif kind == "DoStmt":
            self.single(node.children[0])
            self.condition(node.children[1], (0,))
        elif kind == "ForStmt":
            # Empty parts have no node: what is there is told by its place.
            *head, body = node.children
            for c in head:
                if c.kind == "DeclStmt":
                    self.declaration(c)
                elif c.is_integer and c.kind == "BinaryOperator" and \
                        c.opcode in (*COMPARISONS, "&&", "||"):
                    self.condition(c, (0,))
                else:
                    self.expression(c)
            self.single(body)
        elif kind == "SwitchStmt":
            self.expression(node.children[0])
            self.single(node.children[-1])
        elif kind in ("CaseStmt", "DefaultStmt", "LabelStmt"):
            self.single(node.children[-1])
        elif kind == "DeclStmt":
            self.declaration(node)
        elif kind == "ReturnStmt":
            if node.children:
                self.returned(node.children[0])
        elif kind not in ("BreakStmt", "ContinueStmt", "NullStmt",
                          "GotoStmt"):
            self.expression(node)

    def single(self, node):
        self.removal(node)
        self.statement(node)

    def sequence(self, nodes):
        inner = [n.children[-1] if n.kind in ("CaseStmt", "DefaultStmt") and
                 n.children else n for n in nodes]
        for first, second in zip(inner, nodes[1:]):
            self.swap(first, second)
        for i, node in enumerate(nodes):
            # Behind the last one of a function there is nothing to jump over.
            self.removal(node)
            self.statement(node)

    def end_of(self, node):
        """Behind the semicolon of a statement; None: that is elsewhere."""
        if not node.placed or node.macro:
            return None
        end = re.compile(r"\s*;").match(self.file.text, node.end)
        return end.end() if end else None

    @staticmethod
    def effect(node):
        """What an expression statement does; None: it is something else."""
        bare = node.bare()
        if bare.kind == "CallExpr":
            return "call"
        if bare.kind == "BinaryOperator" and bare.opcode == "=" or \
                bare.kind == "CompoundAssignOperator" or \
                bare.kind == "UnaryOperator" and bare.opcode in ("++", "--"):
            return "assignment"
        if bare.kind in JUMPS and not bare.children:
            return "jump"
        return None

    def removal(self, node):
        effect, end = self.effect(node), self.end_of(node)
        if not effect or not end:
            return
        differs = None
        bare = node.bare()
        if bare.kind == "BinaryOperator" and \
                all(map(self.is_harmless, bare.children)) and \
                (bare.children[0].is_integer or bare.children[0].is_pointer):
            differs = "({}) != ({})".format(*map(self.of, bare.children))
        self.found.append(Mutant(
            self.name, effect + "-removed",
            [(node.begin, end, ";")], self.of(node), "", differs,
            statement=True))

    def written(self, node):
        """The names of variables that a statement assigns to, or lends."""
        names = set()
        for n in node.walk():
            target = None
            if n.kind == "BinaryOperator" and n.opcode == "=" or \
                    n.kind == "CompoundAssignOperator" or \
                    n.kind == "UnaryOperator" and n.opcode in ("++", "--",
                                                               "&"):
                target = n.children[0]
            while target is not None:
                if target.kind == "DeclRefExpr":
                    names.add(target.ref.get("name"))
                target = target.children[0] if target.children else None
        return names

    def path_written(self, node):
        bare = node.bare()
        if bare.kind in ("BinaryOperator", "CompoundAssignOperator",
                         "UnaryOperator"):
            return self.of(bare.children[0])
        return None

    def swap(self, first, second):
        effects = [self.effect(n) for n in (first, second)]
        ends = [self.end_of(n) for n in (first, second)]
        if "call" not in effects or None in effects or "jump" in effects or \
                None in ends:
            return
        for one, other in ((first, second), (second, first)):
            path = self.path_written(one)
            # A variable of its own that the other one reads.
            if path and re.search(rf"(?<![\w.>]){re.escape(path)}(?!\w)",
                                  self.of(other)):
                return
            names = {n.ref.get("name") for n in other.walk()
                     if n.kind == "DeclRefExpr"}
            if path is None and self.written(one) & names:
                return
        texts = [self.file.text[n.begin:e]
                 for n, e in zip((first, second), ends)]
        self.found.append(Mutant(
            self.name, "swapped",
            [(first.begin, ends[0], texts[1]),
             (second.begin, ends[1], texts[0])],
            " ".join(texts), " ".join(reversed(texts)), statement=True))

    # --- expressions --------------------------------------------------------

    def condition(self, node, outcomes):
        if not node.macro:
            for outcome in outcomes:
                self.change("check-removed", node, str(outcome), boolean=True)
        self.expression(node)

    def declaration(self, node):
        for var in node.children:
            if var.kind != "VarDecl" or var.storage == "static":
                continue
            for init in var.children:
                if init.kind.endswith(("Expr", "Operator", "Literal")):
                    self.narrowed(init, var.width)
                    self.expression(init)

    def narrowed(self, node, width):
        """What is kept of a value in a field that is too narrow for it."""
        if NARROWER.get(width) and not node.macro and \
                node.bare().width and not self.is_constant(node.bare()):
            self.change("width", node, f"({NARROWER[width]})"
                        f"({self.of(node)})")

    @staticmethod
    def is_constant(node):
        return node.macro or node.kind in (
            "IntegerLiteral", "CharacterLiteral") or \
            node.kind == "DeclRefExpr" and \
            node.ref.get("kind") == "EnumConstantDecl"

    def returned(self, node):
        text = self.of(node) if node.placed else ""
        bare = node.bare()
        if node.placed and not node.macro and not self.is_constant(bare):
            if self.result in ("bool", "_Bool"):
                self.change("return-value", node, "0", boolean=True)
                self.change("return-value", node, "1", boolean=True)
            elif self.result.endswith("*"):
                self.change("return-value", node, "(void *)0")
            elif re.fullmatch(r"(u?int\d+_t|size_t|ssize_t|unsigned|int)",
                              self.result):
                self.change("return-value", node, "0")
                self.change("return-value", node, f"({text}) + 1")
                self.narrowed(node, node.width)
        self.expression(node)

    def expression(self, node):
        if node.kind == "UnaryExprOrTypeTraitExpr":
            return
        if node.macro:
            self.constant(node)
            return
        make = {"BinaryOperator": self.binary,
                "CompoundAssignOperator": self.compound,
                "UnaryOperator": self.unary,
                "IntegerLiteral": self.constant,
                "CharacterLiteral": self.constant,
                "DeclRefExpr": self.constant,
                "ConditionalOperator": self.conditional,
                "CStyleCastExpr": self.cast}.get(node.kind)
        if make and node.placed:
            make(node)
        if node.kind == "ConditionalOperator":
            return
        for c in node.children:
            self.expression(c)

    def conditional(self, node):
        self.condition(node.children[0], (0, 1))
        self.expression(node.children[1])
        self.expression(node.children[2])

    def binary(self, node):
        left, right = node.children
        a, b, op = self.of(left), self.of(right), node.opcode
        if op in COMPARISONS:
            options = COMPARISONS[op]
            if not (left.is_integer and right.is_integer):
                options = options[:1]
            elif left.is_bool or right.is_bool:
                options = options[:1]
            for new in options:
                self.change("comparison-inverted" if new == INVERSE[op] else
                            "comparison-shifted", node, f"({a}) {new} ({b})")
        elif op in ("&&", "||"):
            other = "||" if op == "&&" else "&&"
            self.change("logic", node, f"({a}) {other} ({b})", boolean=True,
                        differs=NEVER_ASK)
            self.change("logic", node, f"!!({a})", boolean=True)
            # What is behind the other may not be safe to ask.
            self.change("logic", node, f"!!({b})", boolean=True,
                        differs=NEVER_ASK)
        elif op in ARITHMETIC:
            if left.is_integer and right.is_integer:
                self.change("arithmetic", node,
                            f"({a}) {ARITHMETIC[op]} ({b})",
                            differs=NEVER_ASK if op == "%" else None)
                if op in ("+", "-", "%", "&", "<<", ">>"):
                    self.change("arithmetic", node, f"({a})")
            elif left.is_pointer and right.is_integer and op in "+-":
                self.change("arithmetic", node,
                            f"({a}) {ARITHMETIC[op]} ({b})")
                self.change("arithmetic", node, f"({a})")
        elif op == "=":
            self.narrowed(right, left.width)

    def compound(self, node):
        left, right = node.children
        op = node.opcode[:-1]
        if op in ARITHMETIC and (left.is_integer or op in "+-"):
            self.change("arithmetic", node,
                        f"{self.of(left)} {ARITHMETIC[op]}= {self.of(right)}")

    def unary(self, node):
        inner = self.of(node.children[0])
        if node.opcode == "!":
            self.change("logic", node, f"!!({inner})", boolean=True)
        elif node.opcode in ("-", "~"):
            self.change("arithmetic", node, f"({inner})")
        elif node.opcode in ("++", "--"):
            new = "--" if node.opcode == "++" else "++"
            self.change("arithmetic", node,
                        inner + new if node.postfix else new + inner)

    def constant(self, node):
        if not node.placed:
            return
        text = self.of(node)
        if text in ("true", "false"):
            self.change("constant", node,
                        "false" if text == "true" else "true")
            return
        if node.kind == "DeclRefExpr":
            if node.ref.get("kind") != "EnumConstantDecl":
                return
            name, names, index = self.file.enums.get(
                node.ref.get("id"), ("", [], 0))
            if name and len(names) > 1:
                for step in (1, -1):
                    self.change("constant", node,
                                names[(index + step) % len(names)])
                return
        if not node.is_integer or self.is_null(node) or \
                any(n.kind not in OF_CONSTANTS for n in node.walk()):
            return  # errno is a macro, too
        value = node.bare().value
        value = int(value) if isinstance(value, (int, str)) and \
            re.fullmatch(r"-?\d+", str(value)) else None
        kind = "constant"
        up = node.parent
        while up is not None and up.kind in (*TRANSPARENT, "CStyleCastExpr"):
            up = up.parent
        if up is not None and up.opcode in ("&", "|", "&=", "|="):
            kind = "mask"
            for shifted in (f"({text} << 1)", f"({text} >> 1)"):
                self.change(kind, node, shifted)
            return
        self.change(kind, node, f"({text} + 1)")
        if value != 0 and node.kind != "CharacterLiteral":
            self.change(kind, node, f"({text} - 1)")

    @staticmethod
    def is_null(node):
        up = node.parent
        while up is not None and up.kind in (*TRANSPARENT, "CStyleCastExpr"):
            if up.cast == "NullToPointer":
                return True
            up = up.parent
        return False

    def cast(self, node):
        if node.cast != "IntegralCast" or not node.width or node.macro:
            return
        inner = node.children[0]
        source, text = inner.bare().width, self.of(inner)
        if self.is_constant(inner.bare()):
            return
        if NARROWER.get(node.width):
            self.change("width", node,
                        f"({NARROWER[node.width]})({text})")
        if source > node.width:
            self.change("width", node, f"({text})")

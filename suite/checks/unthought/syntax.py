# SPDX-License-Identifier: BSD-2-Clause
"""The functions of a C file as trees, by clang's own dump of its syntax.

A node knows its place in the text of the file. Whatever a macro makes is one
token of that text, its call: nothing inside it has a place of its own."""
import json
import re
import shlex
import subprocess

TRANSPARENT = ("ParenExpr", "ImplicitCastExpr", "ConstantExpr")
WIDTHS = {"unsigned long": 64, "unsigned long long": 64, "long": 64,
          "long long": 64, "unsigned int": 32, "int": 32,
          "unsigned short": 16, "short": 16, "unsigned char": 8,
          "signed char": 8, "char": 8}


class Node:
    """One node, with begin and end as offsets in the text; None: no place."""
    __slots__ = ("kind", "begin", "end", "macro", "opcode", "postfix", "type",
                 "storage", "cast", "value", "name", "ref", "children",
                 "parent")

    def __init__(self, o, text, parent=None):
        where = o.get("range", {})
        self.kind = o.get("kind", "")
        self.begin, first = spot(where.get("begin", {}), text, False)
        self.end, last = spot(where.get("end", {}), text, True)
        # All of it is made by one macro.
        self.macro = first is not None and first == last
        self.opcode = o.get("opcode", "")
        self.postfix = o.get("isPostfix", False)
        of = o.get("type", {})
        self.type = of.get("desugaredQualType", of.get("qualType", ""))
        self.storage = o.get("storageClass", "")
        self.cast = o.get("castKind", "")
        self.value = o.get("value")
        self.name = o.get("name", "")
        self.ref = o.get("referencedDecl", {})
        self.parent = parent
        self.children = [Node(c, text, self) for c in o.get("inner", ())
                         if c]

    @property
    def placed(self):
        return self.begin is not None and self.end is not None and \
            self.begin < self.end

    def bare(self):
        """Without parentheses and what the compiler converts by itself."""
        node = self
        while node.kind in TRANSPARENT and len(node.children) == 1:
            node = node.children[0]
        return node

    def walk(self):
        yield self
        for c in self.children:
            yield from c.walk()

    @property
    def width(self):
        """Of an integer that is neither bool nor of an enum; 0: none."""
        return WIDTHS.get(re.sub(r"\b(const|volatile)\b", "",
                                 self.type).strip(), 0)

    @property
    def is_bool(self):
        return self.type in ("_Bool", "bool")

    @property
    def is_pointer(self):
        return self.type.endswith("*") or "(*" in self.type or \
            self.type.endswith("]")

    @property
    def is_integer(self):
        return bool(self.width) or self.is_bool or \
            self.type.startswith("enum ") or \
            self.type.startswith("const enum ")


def spot(loc, text, is_end):
    """Where it is in the file, and the offset of the macro that makes it."""
    macro = None
    if "expansionLoc" in loc:
        loc = loc["expansionLoc"]
        macro = loc.get("offset")
    if "offset" not in loc or not loc.get("ours", False):
        return None, None
    if not is_end:
        return loc["offset"], macro
    end = loc["offset"] + loc["tokLen"]
    if macro is not None:
        end = end_of_call(text, end)
    return end, macro


def end_of_call(text, at):
    """The end of the arguments that follow a macro's name, if any do."""
    start = re.compile(r"\s*\(").match(text, at)
    if not start:
        return at
    at, depth = start.end(), 1
    while depth and at < len(text):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return at


class File:
    """The syntax of one source file."""

    def __init__(self, path, options):
        self.path = path
        with open(path, encoding="utf-8") as f:
            self.text = f.read()
        assert self.text.isascii(), path  # offsets are octets
        done = subprocess.run(
            ["clang", "-fsyntax-only", "-w", "-Xclang", "-ast-dump=json",
             *options, path], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{path}: clang: {done.stderr.strip()}")
        tree = json.loads(done.stdout)
        self.mark(tree)
        self.enums = {}      # id of a constant: (enum, its names, index)
        self.functions = []  # Nodes of their bodies, with the name
        for o in tree["inner"]:
            self.learn_enums(o)
            self.take(o)

    def mark(self, tree):
        """Which places are in this file: a place names its file only where
        that is another than the one before."""
        now = None
        stack = [iter(((None, tree),))]
        while stack:
            for key, o in stack[-1]:
                if isinstance(o, dict):
                    if "offset" in o and "tokLen" in o:
                        now = o.get("file", now)
                        o["ours"] = now == self.path
                    elif key != "includedFrom":
                        stack.append(iter(o.items()))
                        break
                elif isinstance(o, list):
                    stack.append((None, x) for x in o)
                    break
            else:
                stack.pop()

    def learn_enums(self, o):
        if o.get("kind") == "EnumDecl":
            names = [c["name"] for c in o.get("inner", ())
                     if c["kind"] == "EnumConstantDecl"]
            for c in o.get("inner", ()):
                if c["kind"] == "EnumConstantDecl":
                    self.enums[c["id"]] = (o.get("name", ""), names,
                                           names.index(c["name"]))
        elif o.get("kind") in ("RecordDecl", "TranslationUnitDecl"):
            for c in o.get("inner", ()):
                self.learn_enums(c)

    def take(self, o):
        if o.get("kind") != "FunctionDecl" or not o.get("inner"):
            return
        body = o["inner"][-1]
        if body["kind"] != "CompoundStmt":
            return
        end = o["range"]["end"]
        if not end.get("ours"):
            return
        for c in body.get("inner", ()):
            if c.get("kind") == "DeclStmt":
                for d in c.get("inner", ()):
                    self.learn_enums(d)
        function = Node(o, self.text)
        self.functions.append(function)

    def of(self, node):
        return self.text[node.begin:node.end]


def options_of(command):
    """Those options of a compiler's command that the syntax depends on."""
    return [w for w in shlex.split(command)
            if re.match(r"-(I|D|std|isystem|U)", w)]

# SPDX-License-Identifier: BSD-2-Clause
"""The program with all mutants of a set of files in it.

Below a folder: gen/ has the files with mutants, obj/ their objects,
mutants.json the list, and next to it lies the program. Everything else of the
program are the objects of the ordinary build."""
import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import subprocess

import mutate
import schemata
import sets
import syntax

TOOLS = ("syntax.py", "mutate.py", "schemata.py", "sets.py")
OF_A_FILE = 8192  # numbers that a file has for its mutants
CITED = re.compile(r"RFC\s+(\d{4})[\s*]+s(\d+(?:\.\d+)*)")
COMMENT = re.compile(r"/\*.*?\*/", re.S)


def stale(target, *sources):
    return not os.path.exists(target) or any(
        os.path.getmtime(s) > os.path.getmtime(target) for s in sources)


class Sections:
    """The section of an RFC that a function is about: what is cited where its
    decision is declared, else in the nearest comment before it, else in the
    file's."""

    def __init__(self, file):
        self.file = file
        self.declared = {}
        folder = os.path.dirname(file.path)
        for name in sorted(os.listdir(folder)):
            if not name.endswith("_decisions.h"):
                continue
            with open(os.path.join(folder, name), encoding="utf-8") as f:
                text = f.read()
            for m in re.finditer(r"#define DECISION_(\w+)", text):
                before = list(COMMENT.finditer(text, 0, m.start()))
                if before and not text[before[-1].end():m.start()].strip():
                    self.declared[m[1]] = self.cited(before[-1][0])
        self.comments = [(c.start(), self.cited(c[0]))
                         for c in COMMENT.finditer(file.text)]

    @staticmethod
    def cited(text):
        found = CITED.search(text)
        return f"RFC {found[1]} s{found[2]}" if found else ""

    def of(self, name, offset):
        if self.declared.get(name):
            return self.declared[name]
        near = [section for at, section in self.comments
                if at < offset and section]
        return near[-1] if near else "none"


def generate(job):
    """One file: what its mutants are, and the text that has them all."""
    path, base, options, target = job
    file = syntax.File(path, options)
    mutants = mutate.Mutator(file).all()
    sections = Sections(file)
    if len(mutants) >= OF_A_FILE:
        raise SystemExit(f"{path}: {len(mutants)} mutants: too many numbers")
    for i, m in enumerate(mutants, 1):
        m.number = base + i
    if target:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as f:
            f.write(schemata.written(file, mutants))
    return [{"mutant": m.identity(path), "number": m.number, "file": path,
             "layer": sets.layer_of(path), "function": m.function,
             "section": sections.of(m.function, m.place[0]),
             "kind": m.kind, "before": m.before, "after": m.after,
             "line": file.text.count("\n", 0, m.place[0]) + 1,
             "edits": m.edits, "statement": m.statement}
            for m in mutants]


def all_mutants(files, options, folder=None, at_once=None):
    """Of these files, in order; written below a folder, if there is one."""
    jobs = [(path, i * OF_A_FILE, options,
             folder and os.path.join(folder, "gen", path))
            for i, path in files]
    with concurrent.futures.ProcessPoolExecutor(at_once) as pool:
        return [m for some in pool.map(generate, jobs) for m in some]


class Build:
    """compile: the command that compiles a file of the build, up to -c.
    objects: those of the whole program. link: the command that links it, up to
    them, and libraries: what stands behind them. tests: further programs of
    the same objects, by their paths below BUILD/obj."""

    PROGRAM = {"device": "warpspec-refdut", "judges": "warpspec"}

    def __init__(self, build, which, only=()):
        every = sets.files_of(which)
        for path in only:
            if path not in every:
                raise SystemExit(f"unthought: {path} is not in the set "
                                 f"'{which}' of sets.py")
        self.files = [(i, path) for i, path in enumerate(every)
                      if not only or path in only]
        self.build = build
        self.folder = os.path.join(build, "unthought",
                                   which + ("-part" if only else ""))
        self.program = os.path.join(self.folder, self.PROGRAM[which])
        self.compile = os.environ["COMPILE"]
        self.objects = os.environ["OBJECTS"].split()
        self.link = os.environ["LINK"]
        self.libraries = os.environ["LIBRARIES"]
        self.tests = os.environ.get("TESTS", "").split()
        self.octets = len(every) * OF_A_FILE
        self.list = os.path.join(self.folder, "mutants.json")

    def make(self):
        """Build it; returns the mutants."""
        os.makedirs(os.path.join(self.folder, "gen"), exist_ok=True)
        here = os.path.dirname(os.path.abspath(__file__))
        tools = [os.path.join(here, n) for n in TOOLS]
        changed = [(i, p) for i, p in self.files if stale(
            self.object(p), os.path.join(self.build, "obj", p[:-2] + ".o"),
            *tools)]
        known = {}
        if os.path.exists(self.list):
            with open(self.list, encoding="utf-8") as f:
                for m in json.load(f):
                    known.setdefault(m["file"], []).append(m)
        again = [f for f in self.files if f in changed or f[1] not in known]
        for m in all_mutants(again, syntax.options_of(self.compile),
                             self.folder):
            if m["file"] in {p for _, p in again}:
                known[m["file"]] = []
                again = [f for f in again if f[1] != m["file"]]
            known[m["file"]].append(m)
        mutants = [m for _, p in self.files for m in known.get(p, ())]
        with open(self.list + ".new", "w", encoding="utf-8") as f:
            json.dump(mutants, f, indent=0)
        os.replace(self.list + ".new", self.list)
        for name, text in (("unthought.h", schemata.HEADER),
                           ("unthought.c", schemata.SUPPORT % self.octets)):
            with open(os.path.join(self.folder, "gen", name), "w",
                      encoding="utf-8") as f:
                f.write(text)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(self.compiled,
                          [p for _, p in changed] + ["unthought.c"]))
        ours = self.linked()
        self.link_tests(ours)
        self.beside()
        return mutants

    def object(self, path):
        return os.path.join(self.folder, "obj", path[:-2] + ".o")

    def compiled(self, path):
        target = self.object(path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        gen = os.path.join(self.folder, "gen")
        self.ordered([*shlex.split(self.compile), "-w", "-g0", "-I", gen,
                      "-o", target, os.path.join(gen, path)], path)

    def linked(self):
        ours = {os.path.join(self.build, "obj", p[:-2] + ".o"):
                self.object(p) for _, p in self.files}
        missing = set(ours) - set(self.objects)
        if missing:
            raise SystemExit("unthought: not in the program: " +
                             " ".join(sorted(missing)))
        some = [*[ours.get(o, o) for o in self.objects],
                self.object("unthought.c")]
        self.ordered([*shlex.split(self.link), "-o", self.program, *some,
                      *shlex.split(self.libraries)], self.program)
        return some

    def test_programs(self):
        """(name, program) of each."""
        return [(t, os.path.join(self.folder, "test", t)) for t in self.tests]

    def link_tests(self, objects):
        """Each takes from an archive what it needs, as in the build."""
        archive = os.path.join(self.folder, "lib.a")
        if not self.tests:
            return
        if os.path.exists(archive):
            os.unlink(archive)
        self.ordered(["ar", "qcs", archive, *objects], archive)

        def link(test):
            name, program = test
            os.makedirs(os.path.dirname(program), exist_ok=True)
            self.ordered([*shlex.split(self.link), "-o", program,
                          os.path.join(self.build, "obj", name + ".o"),
                          archive, *shlex.split(self.libraries)], program)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(link, self.test_programs()))

    def beside(self):
        """The suite, which starts the device that lies beside it."""
        for name in ("warpspec", "warpspec-refdut"):
            there = os.path.join(self.folder, name)
            if there == self.program:
                continue
            if os.path.exists(there):
                os.unlink(there)
            os.link(os.path.join(self.build, name), there)

    @staticmethod
    def ordered(command, what):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"unthought: {what}: {done.stderr.strip()}")

    # --- equivalent mutants -------------------------------------------------

    def object_code(self, path, text):
        """What the compiler makes of a text of this file, as a digest; None
        where it makes nothing."""
        words = [w for w in shlex.split(self.compile)
                 if w not in ("ccache", "-MMD", "-MP", "-c", "-g")]
        done = subprocess.run(
            [*words, "-w", "-g0", "-S", "-x", "c", "-", "-o", "-"],
            input=f'#line 1 "{path}"\n{text}', capture_output=True, text=True)
        if done.returncode != 0:
            return None
        return hashlib.sha256(done.stdout.encode()).hexdigest()[:24]


def alone(text, mutant):
    """The text of a file with this mutant as ordinary source."""
    for begin, end, new in sorted(mutant["edits"], reverse=True):
        lines = text[begin:end].count("\n")
        new = schemata.one_line(new)
        if not mutant["statement"]:
            new = f"({new})"
        text = text[:begin] + new + "\n" * lines + text[end:]
    return text

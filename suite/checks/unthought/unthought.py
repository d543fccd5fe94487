#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""unthought.py BUILD SET [FILE...] - faults that nobody thought of: mutants that
a machine makes from the syntax tree, all in one program. Those of the set
`device`, the reference device, run against the cases that they can make a
difference to; those of `judges`, which judge devices, against the tests of the
suite, the device as it is, and its planted faults. With files, only their
mutants.

    sets.py      of which files
    syntax.py    a file as trees
    mutate.py    which mutants a tree has
    schemata.py  the file with all of them, of which one is chosen at start
    build.py     the program; equivalent mutants by their object code
    trial.py     the cases against one mutant of the device
    judges.py    what has to notice one of the judges
    score.py     what came of all
    reasons.py   reasons.txt, the mutants that nothing finds

What comes of each mutant is a line in BUILD/unthought/SET/journal. A run that
was interrupted goes on from there, as long as the programs are the same.

May be set: SAMPLE (1; every so many-th mutant) and PART (0; which of these),
SHARD (I/N: part I of N, for several machines, whose journals are put together
by JOURNALS, a list of further ones), KEEP (1: go on with a journal of other
programs, but for mutants that were not found), TIME_LIMIT (0; end after so
many seconds, to be continued), EXPLORE (10; seconds of exploration for one that no
case finds, 0: none), AT_ONCE (mutants at once; two for each processor), PUBLISH
(1: the score goes to reports/published/unthought/SET), KNOWN (N: only whether
reasons.txt names mutants that exist, and whether N mutants of one file, which
are published as found, are found again by the same case).
For judges: WITNESSES (unit clean fault: only these kinds).
From make: COMPILE, OBJECTS, LINK, LIBRARIES, TESTS (build.py).
Exit: 0 as many as asked for are found, 1 not, 2 it could not be run."""
import concurrent.futures
import hashlib
import json
import os
import sys
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import build as building  # noqa: E402
import judges  # noqa: E402
import reasons as reasoning  # noqa: E402
import score  # noqa: E402
import sets  # noqa: E402
import syntax  # noqa: E402
import trial as trials  # noqa: E402

AIM = 98  # of 100
SHOWN = 20
PUBLISHED = "reports/published/unthought/"
passed = failed = 0


def env(name, default):
    return os.environ.get(name) or default


def tell(ok, what, lines=()):
    global passed, failed
    passed, failed = passed + ok, failed + (not ok)
    lines = list(lines)
    more = [f"and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
    print(f"{'ok' if ok else 'not ok'} {what}",
          *lines[:SHOWN], *more, sep="\n    ", flush=True)
    return ok


def finish():
    print(f"unthought: {passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


def digest(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()[:24]


class Journal:
    """A line for each mutant; the first says which programs these are."""

    NOT_KEPT = ("not found", "explored", "not reached", "no difference")

    def __init__(self, path, about, keep):
        self.path, self.lock = path, threading.Lock()
        self.results = {}
        was, lines = None, []
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                lines = [json.loads(line) for line in f
                         if line.endswith("\n")]
            was = lines[0] if lines else None
        if was != about:
            lines = [one for one in lines[1:]
                     if one["result"] not in self.NOT_KEPT] if keep else []
            with open(path + ".new", "w", encoding="utf-8") as f:
                for one in [about, *lines]:
                    f.write(json.dumps(one) + "\n")
            os.replace(path + ".new", path)
            lines = [about, *lines]
        self.take(lines[1:])

    def take(self, lines):
        for one in lines:
            self.results[one["mutant"]] = one

    def add(self, one):
        with self.lock:
            self.results[one["mutant"]] = one
            with open(self.path, "a", encoding="utf-8") as f:
                f.write(json.dumps(one) + "\n")


def selected(mutants):
    """The sample, and of that the shard."""
    every, part = int(env("SAMPLE", 1)), int(env("PART", 0))
    some = mutants[part % every::every]
    if os.environ.get("SHARD"):
        i, n = map(int, os.environ["SHARD"].split("/"))
        some = some[i - 1::n]
    return some


class Run:
    def __init__(self, made, mutants, journal):
        self.made, self.journal = made, journal
        self.mutants = mutants
        self.trial = judges.Judges(made, made.test_programs()) \
            if made.tests else trials.Trial(made.folder, made.octets)
        self.texts, self.plain = {}, {}
        self.codes = {}  # (file, object code): the first mutant that has it
        self.seconds = int(env("EXPLORE", 10))
        self.lock = threading.Lock()
        for m in mutants:
            one = journal.results.get(m["mutant"], {})
            if one.get("object") and one["result"] != "duplicate":
                self.codes.setdefault((m["file"], one["object"]),
                                      m["mutant"])
            if one.get("case"):
                self.trial.learned(m, one["case"])

    def original(self, path):
        with self.lock:
            if path not in self.texts:
                with open(path, encoding="utf-8") as f:
                    self.texts[path] = f.read()
                self.plain[path] = self.made.object_code(
                    path, self.texts[path])
            return self.texts[path], self.plain[path]

    def one(self, mutant):
        began = time.monotonic()
        found = self.result(mutant)
        found["mutant"] = mutant["mutant"]
        found["seconds"] = round(time.monotonic() - began, 2)
        self.journal.add(found)
        said = found["result"]
        if found.get("case"):
            said += " by " + ", ".join(filter(None, (
                found["case"], found.get("world"),
                " ".join(found.get("rows", ())))))
        print(f"{mutant['mutant']}: {said}", flush=True)
        return found

    def result(self, mutant):
        text, plain = self.original(mutant["file"])
        code = self.made.object_code(mutant["file"],
                                     building.alone(text, mutant))
        if code == plain:
            return {"result": "equivalent"}
        with self.lock:
            first = self.codes.setdefault((mutant["file"], code),
                                          mutant["mutant"])
        if first != mutant["mutant"] and code:
            return {"result": "duplicate", "as": first}
        if not self.trial.is_reached(mutant["number"]):
            found = {"result": "not reached"}
        elif not self.trial.may_differ(mutant["number"]):
            found = {"result": "no difference"}
        else:
            found = self.trial.attempt(mutant)
        return {**found, "object": code}

    def explore(self, mutant):
        """What random programs find of one that no case finds."""
        link = ["--link", "sctp"] \
            if mutant["layer"].startswith("sctp") else []
        found = dict(self.journal.results[mutant["mutant"]],
                     explored=self.seconds)
        if self.trial.explore(mutant, self.seconds, link):
            found["result"] = "explored"
            print(f"{mutant['mutant']}: found by exploration only",
                  flush=True)
        self.journal.add(found)

    def all(self, seconds):
        """Cases on all, then exploration of what they do not find; in so many
        seconds, 0: whatever it takes. Returns how many are left."""
        until = time.monotonic() + seconds if seconds else None

        def each(what, mutants):
            def attempt(mutant):
                if until and time.monotonic() > until:
                    return False
                what(mutant)
                return True
            with concurrent.futures.ThreadPoolExecutor(
                    int(env("AT_ONCE", 2 * os.cpu_count()))) as pool:
                return list(pool.map(attempt, mutants)).count(False)

        of = self.journal.results
        # In no order, so that a part of them is spread over all files.
        mutants = sorted(self.mutants, key=lambda m: hashlib.sha256(
            m["mutant"].encode()).digest())
        left = each(self.one, [m for m in mutants if m["mutant"] not in of])
        if not hasattr(self.trial, "explore"):
            return left
        return left + (each(self.explore, [
            m for m in mutants if m["mutant"] in of and
            of[m["mutant"]]["result"] == "not found" and
            of[m["mutant"]].get("explored", 0) < self.seconds])
            if self.seconds else 0)


def check_reasons(reasons, mutants, which):
    """Of a set; in a file of none, there is no mutant."""
    known = {m["mutant"] for m in mutants}
    others = {f for s in sets.SETS if s != which for f in sets.files_of(s)}
    mine = [m for m in reasons if m.split(" ")[0] not in others]
    tell(known.issuperset(mine),
         f"the {len(mine)} reasons are about mutants that exist",
         (f"no such mutant, remove it from reasons.txt: {m}"
          for m in mine if m not in known))


def known_ones(count, published, names):
    """Mutants that are published as found, all of one file, another one for
    each PART. Those that the source does not have any more are left out."""
    files = {}
    for m in published["mutants"]:
        if m["result"] == "found" and m["mutant"] in names:
            files.setdefault(m["mutant"].split(" ")[0], []).append(m)
    names = sorted(f for f in files if len(files[f]) >= count)
    if not names:
        return []
    part = int(env("PART", 0))
    some = files[names[part % len(names)]]
    step = max(1, len(some) // count)
    return some[part // len(names) % step::step][:count]


def check_known(folder, which, reasons, count):
    """A few that are published as found are found again, each by its case."""
    made = building.Build(folder, which)
    mutants = building.all_mutants(made.files,
                                   syntax.options_of(made.compile))
    check_reasons(reasons, mutants, which)
    known = known_ones(count, score.published(PUBLISHED + which),
                       {m["mutant"] for m in mutants})
    if not known:
        tell(False, f"no file has {count} mutants that are published as "
             f"found: make unthought PUBLISH=1")
        finish()
    path = known[0]["mutant"].split(" ")[0]
    made = building.Build(folder, which, [path])
    there = {m["mutant"]: m for m in made.make()}
    trial = trials.Trial(made.folder, made.octets)
    worlds = {w[0]: trials.World(*w) for w in trials.WORLDS}
    wrong = []
    for name in sorted({m["world"] for m in known}):
        report, _ = trial.run(worlds[name], 0, sorted(
            {m["case"] for m in known if m["world"] == name}))
        wrong += [f"{name}: {c['verdict']} of {c['id']}"
                  for c in report["cases"] if c["verdict"] not in
                  ("pass", "info")] if report else [f"{name}: no report"]
    tell(not wrong, f"no mutant of {path} is chosen: all cases pass", wrong)

    def lost(m):
        doubts = []
        found = trial.confirmed(worlds[m["world"]], there[m["mutant"]],
                                m["case"], doubts)
        return None if found else doubts[0]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        said = [f"{m['mutant']}: {why}" for m, why in
                zip(known, pool.map(lost, known)) if why]
    tell(not said, f"{len(known)} mutants of {path} are found as published",
         said)
    finish()


def main():
    if len(sys.argv) < 3 or sys.argv[2] not in sets.SETS:
        sys.exit(__doc__)
    folder, which, *only = sys.argv[1:]
    reasons = reasoning.read()
    if env("KNOWN", ""):
        check_known(folder, which, reasons, int(env("KNOWN", 0)))
    made = building.Build(folder, which, only)
    mutants = made.make()
    print(f"{len(mutants)} mutants of {len(made.files)} files", flush=True)
    about = {p: digest(os.path.join(made.folder, p))
             for p in ("warpspec", "warpspec-refdut")}
    suffix = "." + os.environ["SHARD"].replace("/", "-of-") \
        if os.environ.get("SHARD") else ""
    journal = Journal(os.path.join(made.folder, "journal" + suffix), about,
                      env("KEEP", ""))
    for further in env("JOURNALS", "").split():
        with open(further, encoding="utf-8") as f:
            journal.take([json.loads(line) for line in f][1:])
    mine = selected(mutants)
    run = Run(made, mine, journal)
    began = time.monotonic()
    kept = "-".join(["reached", *(d[:8] for d in about.values()),
                     *env("WITNESSES", "").split()])
    wrong = run.trial.learn(int(env("AT_ONCE", 2 * os.cpu_count())),
                            os.path.join(made.folder, kept + ".json"))
    if not tell(not wrong, "no mutant is chosen: all is as it should be",
                wrong):
        finish()
    print(f"# learned in {time.monotonic() - began:.1f} s", flush=True)
    left = run.all(float(env("TIME_LIMIT", 0)))
    results = [(m, journal.results[m["mutant"]]) for m in mine
               if m["mutant"] in journal.results]
    if not only:
        check_reasons(reasons, mutants, which)
    score.write(made.folder, which, len(mutants), results, reasons)
    if env("PUBLISH", "") and not only:
        score.write(PUBLISHED + which, which, len(mutants), results, reasons)
    total, layers, _ = score.count(results, reasons)
    print(score.table("layer", [*sorted(layers.items()), ("all", total)]))
    if left:
        print(f"{left} mutants are left; the same command goes on")
    unclassified = [
        m["mutant"] for m, one in results
        if score.column(one["result"], reasons.get(m["mutant"]))
        not in score.GOOD + score.SAME and m["mutant"] not in reasons]
    tell(not unclassified, "each that is not found has a reason",
         unclassified)
    rate = score.score(total)
    tell(rate >= AIM, f"{rate:.1f} of 100 that are faults are found; "
         f"{AIM} are asked for")
    finish()


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-2-Clause
"""Who notices a fault of the suite itself: of the golden model, the matchers,
the scripted peer, the codec.

A *witness* is a program whose outcome has to change: a unit test, the vectors,
the cases of a topic on the device as it is, and the cases that find a planted
fault of the device. The last kind notices a judge who has become lenient. Each
runs once on the unmutated program, which shows what is its outcome, and which
mutants it reaches. On a mutant those run that it can make a difference to, the
quickest first, until the outcome of one is another one twice."""
import collections
import concurrent.futures
import json
import os
import subprocess
import tempfile
import threading
import time

import trial

KILL_MATRIX = "reports/published/kill-matrix/kill-matrix.json"
CASES_EACH = 6   # of a planted fault
AT_MOST = 60     # seconds that the witnesses of one mutant may take
BOUND = 40
OF_PROGRAMS = (("sctp", ["--link", "sctp"]), ("socket", []))


class Witness:
    def __init__(self, name, command, report=False):
        self.name, self.command, self.report = name, command, report
        self.outcome, self.seconds = None, 0.0
        self.reached, self.differs = set(), set()


class Judges:
    def __init__(self, made, tests):
        self.made, self.tests = made, tests
        self.warpspec = os.path.join(made.folder, "warpspec")
        self.witnesses = []
        self.finds = collections.defaultdict(collections.Counter)
        self.lock = threading.Lock()
        self.reaching = collections.defaultdict(list)
        self.differing = collections.defaultdict(list)

    # --- the witnesses ------------------------------------------------------

    def call(self):
        for name, program in self.tests:
            yield Witness("unit " + name, [program] + (
                ["check", *sorted(
                    os.path.join("vectors", v)
                    for v in os.listdir("vectors") if v.endswith(".vec"))]
                if name.endswith("vectors_tool") else []))
        listed = json.loads(subprocess.run(
            [self.warpspec, "list", "--json"], capture_output=True,
            check=True).stdout)
        topics = sorted({trial.topic_of(c["id"]) for c in listed})
        for link, options in OF_PROGRAMS:
            for topic in topics:
                if topic.startswith("sctp/") and link != "sctp":
                    continue
                yield Witness(f"clean {topic} {link}",
                              ["--refdut", topic, *options], True)
        with open(KILL_MATRIX, encoding="utf-8") as f:
            matrix = json.load(f)
        lines = [line[0] for line in matrix["lines"]]
        for m in matrix["mutants"]:
            cases = sorted({lines[i] for i in m["lines"]})[:CASES_EACH]
            if not cases:
                continue
            about_sctp = all(row.startswith("SCTP") for row in m["breaks"])
            yield Witness("fault " + m["mutant"],
                          [f"--refdut={m['mutant']}", *cases,
                           *(["--link", "sctp"] if about_sctp else [])], True)

    def outcome(self, witness, number, notes=None):
        with tempfile.TemporaryDirectory(prefix="unthought.") as scratch:
            report = os.path.join(scratch, "report.json")
            command = witness.command
            if witness.report:
                command = [self.warpspec, "run", "--quiet", "--jobs", "2",
                           "--timeout-scale", "0.5", "--report",
                           f"json={report}", *command]
            env = dict(os.environ, UNTHOUGHT=str(number),
                       TMPDIR=scratch)
            if notes:
                env["UNTHOUGHT_NOTES"] = notes
            started = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, start_new_session=True, env=env)
            if not trial.waited(started, BOUND):
                return "does not end"
            if not witness.report:
                return started.returncode
            try:
                with open(report, encoding="utf-8") as f:
                    return self.verdicts(json.load(f))
            except (OSError, ValueError):
                return f"no report: exit status {started.returncode}"

    @staticmethod
    def verdicts(report):
        """Each case with its verdict and the requirements that it blames."""
        return [[c["id"], c["verdict"],
                 *sorted({b["requirement"] for b in c.get("broken", ())})]
                for c in report["cases"] if c["verdict"] != "skip"]

    def learn(self, at_once, kept=None):
        if kept and os.path.exists(kept):
            with open(kept, encoding="utf-8") as f:
                for name, command, report, outcome, seconds, *sets in \
                        json.load(f):
                    w = Witness(name, command, report)
                    w.outcome, w.seconds = outcome, seconds
                    w.reached, w.differs = map(set, sets)
                    self.witnesses.append(w)
            self.index()
            return []
        kinds = os.environ.get("WITNESSES", "").split()
        called = [w for w in self.call()
                  if not kinds or w.name.split(" ")[0] in kinds]
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            self.witnesses = list(pool.map(self.heard, called))
        wrong = [w.name for w in self.witnesses
                 if not w.report and w.outcome != 0 or
                 w.report and not isinstance(w.outcome, list)]
        # A fault that is not found over this link is no witness.
        self.witnesses = [
            w for w in self.witnesses if not w.name.startswith("fault ") or
            any(v[1] in ("fail", "warn") for v in w.outcome)]
        wrong += [f"{w.name}: {v[1]} of {v[0]}" for w in self.witnesses
                  if w.name.startswith("clean ") and w.name not in wrong
                  for v in w.outcome if v[1] not in ("pass", "info")]
        if kept and not wrong:
            with open(kept + ".new", "w", encoding="utf-8") as f:
                json.dump([[w.name, w.command, w.report, w.outcome, w.seconds,
                            sorted(w.reached), sorted(w.differs)]
                           for w in self.witnesses], f)
            os.replace(kept + ".new", kept)
        self.index()
        return wrong

    def heard(self, witness):
        with tempfile.NamedTemporaryFile(prefix="unthought.") as notes:
            notes.truncate(self.made.octets)
            began = time.monotonic()
            witness.outcome = self.outcome(witness, 0, notes.name)
            witness.seconds = time.monotonic() - began
            with open(notes.name, "rb") as f:
                said = f.read()
        witness.reached = {i for i, n in enumerate(said) if n & trial.REACHED}
        witness.differs = {i for i, n in enumerate(said) if n & trial.DIFFERS}
        return witness

    def index(self):
        for w in self.witnesses:
            for i in w.reached:
                self.reaching[i].append(w)
            for i in w.differs:
                self.differing[i].append(w)

    def is_reached(self, number):
        return number in self.reaching

    def may_differ(self, number):
        return number in self.differing

    # --- one mutant ---------------------------------------------------------

    def learned(self, mutant, name):
        with self.lock:
            self.finds[mutant["file"], mutant["function"]][name] += 1

    def attempt(self, mutant):
        number = mutant["number"]
        with self.lock:
            finds = self.finds[mutant["file"], mutant["function"]]
            some = sorted(self.differing[number], key=lambda w: (
                -finds[w.name], w.seconds * (1 + len(w.differs) / 1000)))
        until, doubts = time.monotonic() + AT_MOST, []
        for i, witness in enumerate(some):
            if time.monotonic() > until:
                return {"result": "not found",
                        "note": f"{i} of {len(some)} witnesses were heard"}
            if self.outcome(witness, number) == witness.outcome:
                continue
            again = self.outcome(witness, number)
            if again == witness.outcome or \
                    self.outcome(witness, 0) != witness.outcome:
                doubts.append(witness.name)
                continue
            self.learned(mutant, witness.name)
            died = isinstance(again, str)
            return {"result": "died" if died else "found",
                    "case": witness.name, "note": again if died else ""}
        return {"result": "not found", **({"doubts": doubts} if doubts
                                          else {})}

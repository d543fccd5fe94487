# SPDX-License-Identifier: BSD-2-Clause
"""Common to the checks over whole runs: the mutants, the requirements that the
cases judge, whole runs on the reference device, and their accusations.

Several checks start from whole runs on the clean device. The folder CLEAN_RUNS
keeps these runs from one check to the next; the caller that sets it has to
empty it for each build.

A line is a case and a requirement that it judges by an expectation of its own
and that can fail: a MUST or a SHOULD. The instances of a case (the rows of its
table, the two roles) count as one case here, because a row of a table is a
value and not another sentence. An objection of the golden model belongs to no
line, but it accuses all the same."""
import collections
import fcntl
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

Mutant = collections.namedtuple("Mutant", "name breaks beside sentence")
Line = collections.namedtuple("Line", "case row")

# Not every case applies to every device on every link. Each world runs the
# cases that those before it could not.
WORLDS = (("socket", []),
          ("raw", ["--link", "raw"]),
          ("without", ["--without",
                       "fetchadd,cmpswap,masked-atomics,imm,imm-se"]),
          ("without-atomics", ["--without",
                               "fetchadd,cmpswap,masked-atomics"]),
          ("draft-03", ["--spec", "draft-03"]),
          ("draft-01", ["--spec", "draft-01"]),
          ("sctp", ["--link", "sctp"]))
CRASHED = "device-crashed"  # RESULT_CRASHED
CLEAN_SECONDS = 600  # then the run hangs


def case_of(instance):
    """mpa/crc/name of mpa/crc/name/row@initiator."""
    return "/".join(instance.split("@")[0].split("/")[:3])


def data_lines(path):
    """The lines of a data file, without comments and empty ones."""
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.split("#")[0].strip()
            if line:
                yield f"{path}:{number}", line


def run_clean(warpspec, options):
    """The report of a whole run on the clean device, in which the suite's
    own peer is judged as well, or None; and the reason if it did not exit 0."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        try:
            done = subprocess.run(
                [warpspec, "run", "--quiet", "--refdut", "--judge-peer",
                 "--report", f"json={report}", *options],
                stdin=subprocess.DEVNULL, capture_output=True, text=True,
                timeout=CLEAN_SECONDS)
        except subprocess.TimeoutExpired:
            return None, "the run hung"
        why = "" if done.returncode == 0 else \
            done.stderr.strip() or f"exit status {done.returncode}"
        try:
            with open(report, encoding="utf-8") as f:
                return json.load(f), why
        except (OSError, ValueError) as e:
            return None, why or str(e)


def clean_run(warpspec, options=()):
    """The same, but a run that exited 0 is made only once, if CLEAN_RUNS is
    set. A check that needs it meanwhile waits for it."""
    folder = os.environ.get("CLEAN_RUNS")
    if list(options) == ["--link", "socket"]:
        options = []  # as without it
    if not folder:
        return run_clean(warpspec, options)
    path = os.path.join(folder, re.sub(r"[^a-z0-9]+", "-",
                                       " ".join(["run", *options])) + ".json")
    with open(path, "a+", encoding="utf-8") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        f.seek(0)
        kept = f.read()
        if kept:
            return json.loads(kept), ""
        report, why = run_clean(warpspec, options)
        if report and not why:
            json.dump(report, f)
        return report, why


class Suite:
    def __init__(self, build, scale="0.5", jobs="", bound=120):
        self.warpspec = os.path.join(build, "warpspec")
        self.refdut = os.path.join(build, "warpspec-refdut")
        self.scale, self.jobs, self.bound = scale, jobs, float(bound)
        self.mutants = self.read_mutants()
        self.instances = {c["id"]: c for c in json.loads(
            self.output_of(self.warpspec, "list", "--json"))}
        self.rows = {r["id"]: r for r in json.loads(self.output_of(
            self.warpspec, "coverage", "--json"))["requirements"]}
        self.lines = {Line(case_of(c["id"]), row)
                      for c in self.instances.values()
                      for row in c["requirements"] if self.can_fail(row)}
        self.selected = {}  # world: instances it runs; None is all of them
        self.clean = {}     # instance: verdict on the clean device

    @staticmethod
    def output_of(*command):
        done = subprocess.run(command, capture_output=True, text=True,
                              timeout=60)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
        return done.stdout

    def read_mutants(self):
        beside = collections.defaultdict(set)
        known = {}
        for where, line in data_lines("suite/checks/beside.txt"):
            name, _, rows = line.partition(":")
            beside[name.strip()].update(rows.split())
        for line in self.output_of(self.refdut,
                                   "--list-mutants").splitlines():
            name, rows, sentence = line.split("\t")
            known[name] = Mutant(name, frozenset(rows.split()),
                                 frozenset(beside.pop(name, ())), sentence)
        if beside:
            sys.exit("beside.txt: no such mutant: " + " ".join(beside))
        return known

    def can_fail(self, row):
        row = self.rows[row]
        return not row["open"] and row["level"] != "MAY"

    def binds(self, row):
        return row in self.rows and self.rows[row]["level"].startswith("MUST")

    def of_sctp(self, rows):
        """Whether these rows can be judged over SCTP only."""
        layers = {self.rows[row]["layer"] for row in rows if row in self.rows}
        return layers == {"SCTP"}

    def run(self, options, report, selectors=(), bound=None, scale=None):
        """(report, note): if a run took too long, its results so far and a
        note that says so; without any report None and why."""
        command = [self.warpspec, "run", "--quiet", "--timeout-scale",
                   scale or self.scale, *(["--jobs", self.jobs] if self.jobs else []),
                   "--report", f"json={report}", *options, *selectors]
        note = ""
        bound = self.bound if bound is None else bound
        started = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        try:
            said = started.communicate(timeout=bound)[1]
        except subprocess.TimeoutExpired:
            note = "did not end in time"
            started.send_signal(signal.SIGTERM)
            try:
                said = started.communicate(timeout=30)[1]
            except subprocess.TimeoutExpired:
                started.kill()
                said = started.communicate()[1]
        try:
            with open(report, encoding="utf-8") as f:
                return json.load(f), note
        except (OSError, ValueError) as e:
            return None, f"no report: {said.strip() or e}"
        finally:
            if os.path.exists(report):
                os.unlink(report)

    def learn_worlds(self):
        """The cases that each world adds, on the clean device."""
        left = set(self.instances)
        for world, options in WORLDS:
            report, note = clean_run(self.warpspec, options)
            if not report and world == "raw":
                print(f"the raw link is not to be had here: {note}")
                continue
            if not report:
                sys.exit(f"the device as it is, {world}: {note}")
            bad = [c for c in report["cases"]
                   if c["verdict"] not in ("pass", "info", "skip")]
            if bad:
                sys.exit(f"the device as it is, {world}: {bad[0]['verdict']} "
                         f"of {bad[0]['id']}\n{bad[0]['detail']}")
            new = {c["id"]: c["verdict"] for c in report["cases"]
                   if c["verdict"] != "skip" and c["id"] in left}
            left -= set(new)
            self.clean.update(new)
            if new:
                self.selected[world] = (None if world == "socket"
                                        else sorted(new))

    def whole(self, devices, number, scratch, only=None):
        """The cases of all worlds, or only these cases, on the device
        of these mutants, and a note where that took longer than the bound."""
        cases, notes = {}, []
        until = time.monotonic() + self.bound
        about_sctp = [self.of_sctp(self.mutants[name].breaks)
                      for name in devices]
        for world, options in WORLDS:
            if world not in self.selected or \
                    all(about_sctp) and world != "sctp":
                continue
            # All cases, if the fault is one of SCTP.
            selected = self.selected[world]
            if world == "sctp" and any(about_sctp):
                selected = None
            if only is not None:
                selected = [i for i in selected or self.instances
                            if case_of(i) in only]
                if not selected:
                    continue
            report, note = self.run(
                ["--refdut=" + ",".join(devices), *options],
                os.path.join(scratch, f"{number}.{world}.json"),
                selected or (),
                max(1, until - time.monotonic()))
            if note:
                notes.append(f"{world}: {note}")
            for case in report["cases"] if report else ():
                # A mutant may apply to a case in an earlier world than the
                # clean device.
                if (case["id"] in self.clean and case["id"] not in cases and
                        (only is None or case_of(case["id"]) in only) and
                        (self.selected[world] and selected or
                         case["verdict"] != "skip")):
                    cases[case["id"]] = case
        return cases, "; ".join(notes)


class Seen:
    """The result of a whole run on a device."""

    def __init__(self, cases=None, note=""):
        cases = cases or {}
        self.note = note
        self.verdicts = collections.Counter(c["verdict"]
                                            for c in cases.values())
        # case: rows. By its own lines, and by the golden model.
        self.own = collections.defaultdict(set)
        self.model = collections.defaultdict(set)
        # Lines that failed as a consequence of a reported failure: they accuse
        # nobody, but they are not without a fault.
        self.after = collections.defaultdict(set)
        self.crashed = set()
        self.blocked = {}  # case: why
        self.late = set()  # cases that a busy host left without a verdict
        self.passed = set()  # cases of which an instance passed
        for case in cases.values():
            if case["verdict"] == "error" and \
                    "this host was" in case["reason"] + case["detail"]:
                self.late.add(case_of(case["id"]))
            if case["verdict"] == "blocked":
                self.blocked[case_of(case["id"])] = case["reason"]
                # Lines that failed because a dependency of the case failed.
                self.after[case_of(case["id"])].update(
                    case.get("consequences", "").split())
            if case["verdict"] in ("pass", "info"):
                self.passed.add(case_of(case["id"]))
            if case["verdict"] not in ("fail", "warn"):
                continue
            for broken in case.get("broken", ()):
                row = broken["requirement"]
                if row == CRASHED:
                    self.crashed.add(case_of(case["id"]))
                elif broken["by_model"]:
                    self.model[case_of(case["id"])].add(row)
                else:
                    self.own[case_of(case["id"])].add(row)
            self.after[case_of(case["id"])].update(
                case.get("consequences", "").split())
            if not case.get("broken"):
                self.crashed.add(case_of(case["id"]))

    @property
    def accused(self):
        """Rows, with the cases that accuse the device of them."""
        rows = collections.defaultdict(set)
        for found in (self.own, self.model):
            for case, some in found.items():
                for row in some:
                    rows[row].add(case)
        return rows

    def accuse(self, suite):
        """The MUST and MUST NOT rows among them."""
        return {row: cases for row, cases in self.accused.items()
                if suite.binds(row)}

    def as_json(self):
        def rows(of):
            return {case: sorted(some) for case, some in sorted(of.items())}
        return {"note": self.note, "verdicts": dict(self.verdicts),
                "own": rows(self.own), "model": rows(self.model),
                "after": rows({c: some for c, some in self.after.items()
                               if some}),
                "crashed": sorted(self.crashed),
                "blocked": dict(sorted(self.blocked.items()))}

    @classmethod
    def from_json(cls, o):
        seen = cls(note=o["note"])
        seen.verdicts.update(o["verdicts"])
        seen.blocked.update(o["blocked"])
        seen.crashed.update(o["crashed"])
        for of, to in ((o["own"], seen.own), (o["model"], seen.model),
                       (o.get("after", {}), seen.after)):
            for case, some in of.items():
                to[case].update(some)
        return seen

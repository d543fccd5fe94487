# SPDX-License-Identifier: BSD-2-Clause
"""Cases against one mutant of the device.

A *world* is a link and a device, as in the other checks over whole runs. Within
it, cases run by *topics*, the files that they are in. One run of each topic on
the unmutated program shows which mutants it reaches, and for which of them the
change would have made a difference. Only these topics run on a mutant: first
those in which the last mutants of the same function were found, then those
that make a difference to few mutants. A run ends at the first failure.

A mutant is found only if the case that failed fails alone again. On the
unmutated program each case passes, or is not taken at all."""
import collections
import concurrent.futures
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import matrix  # noqa: E402

REACHED, DIFFERS = 1, 2
FIRST = 4          # topics that run before all others
# An ERROR that says nothing about the device: others have failed before, or the
# host is too busy.
NO_FINDING = ("not run", "this host")
UNREACHABLE = 3    # exit status of a run
BOUND = 90         # seconds that a run on a mutant may take; most of it is waiting
TRIES = 4          # failed cases that are run again, alone
NARROW = ["unshare", "-rn", "sh", "-c",
          'ip link set lo mtu 1500 up && exec "$@"', "-"]
# name, options, what runs it, whether it runs everything or only what worlds
# before it could not
WORLDS = (("socket", [], [], True),
          ("raw", ["--link", "raw"], [], False),
          ("without", ["--without",
                       "fetchadd,cmpswap,masked-atomics,imm,imm-se"], [],
           False),
          ("without-atomics", ["--without",
                               "fetchadd,cmpswap,masked-atomics"], [], False),
          ("draft-03", ["--spec", "draft-03"], [], False),
          ("draft-01", ["--spec", "draft-01"], [], False),
          ("sctp", ["--link", "sctp"], [], True),
          ("narrow", ["--link", "sctp"], NARROW, True))
SCTP_FIRST = ("sctp", "narrow")


def topic_of(instance):
    return "/".join(instance.split("@")[0].split("/")[:2])


def waited(started, seconds):
    """Until it ends by itself. False: it was ended."""
    try:
        started.wait(seconds)
        return True
    except subprocess.TimeoutExpired:
        os.killpg(started.pid, signal.SIGTERM)
    try:
        started.wait(20)
    except subprocess.TimeoutExpired:
        os.killpg(started.pid, signal.SIGKILL)
        started.wait()
    return False


class World:
    def __init__(self, name, options, before, everything):
        self.name, self.options, self.before = name, options, before
        self.everything = everything
        self.topics = collections.defaultdict(list)  # topic: instances
        self.new = collections.defaultdict(list)  # not in worlds before it
        self.reached = {}  # topic: numbers of mutants
        self.differs = {}
        self.weight = {}   # topic: how many it makes a difference to


class Trial:
    def __init__(self, folder, octets, scale="0.5"):
        self.folder, self.octets, self.scale = folder, octets, scale
        self.warpspec = os.path.join(folder, "warpspec")
        self.worlds = []
        self.finds = collections.defaultdict(collections.Counter)
        self.lock = threading.Lock()

    def run(self, world, number, selectors, *options, notes=None,
            bound=BOUND):
        """The report of a run on a mutant (0: on none), or None; and whether
        it had to be ended."""
        with tempfile.TemporaryDirectory(prefix="unthought.") as scratch:
            report = os.path.join(scratch, "report.json")
            started = subprocess.Popen(
                [*world.before, self.warpspec, "run", "--refdut", "--quiet",
                 "--timeout-scale", self.scale, "--report", f"json={report}",
                 *world.options, *options, *selectors],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, start_new_session=True,
                env=dict(os.environ, UNTHOUGHT=str(number),
                         **({"UNTHOUGHT_NOTES": notes} if notes else {})))
            ended = not waited(started, bound)
            try:
                with open(report, encoding="utf-8") as f:
                    return json.load(f), ended
            except (OSError, ValueError):
                return None, ended

    # --- the unmutated program ----------------------------------------------

    def learn(self, at_once, kept=None):
        """Every world on the unmutated program. Returns what is wrong there,
        in lines. What it has learned is in a file from then on."""
        if kept and os.path.exists(kept):
            with open(kept, encoding="utf-8") as f:
                self.read(json.load(f))
            return []
        wrong, seen = [], set()
        for world in (World(*w) for w in WORLDS):
            report, _ = self.run(world, 0, (), bound=300)
            if not report:
                if world.name in ("raw", "narrow"):
                    print(f"# {world.name}: not to be had here")
                    continue
                return [f"{world.name}: no report of the unmutated program"]
            wrong += [f"{world.name}: {c['verdict']} of {c['id']}"
                      for c in report["cases"] if c["verdict"] not in
                      ("pass", "info", "skip")]
            for c in report["cases"]:
                if c["verdict"] not in ("pass", "info"):
                    continue
                if world.everything or c["id"] not in seen:
                    world.topics[topic_of(c["id"])].append(c["id"])
                if c["id"] not in seen:
                    world.new[topic_of(c["id"])].append(c["id"])
                    seen.add(c["id"])
            if world.topics:
                self.worlds.append(world)
        if wrong:
            return wrong
        jobs = [(w, t) for w in self.worlds for t in w.topics]
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            for (world, topic), notes in zip(jobs, pool.map(
                    lambda job: self.noted(*job), jobs)):
                world.reached[topic] = {i for i, n in enumerate(notes)
                                        if n & REACHED}
                world.differs[topic] = {i for i, n in enumerate(notes)
                                        if n & DIFFERS}
        self.weigh()
        if kept:
            with open(kept + ".new", "w", encoding="utf-8") as f:
                json.dump([[w.name, w.topics, w.new,
                            {t: sorted(s) for t, s in w.reached.items()},
                            {t: sorted(s) for t, s in w.differs.items()}]
                           for w in self.worlds], f)
            os.replace(kept + ".new", kept)
        return []

    def read(self, kept):
        known = {w[0]: w for w in WORLDS}
        for name, topics, new, reached, differs in kept:
            world = World(*known[name])
            world.topics, world.new = topics, new
            world.reached = {t: set(s) for t, s in reached.items()}
            world.differs = {t: set(s) for t, s in differs.items()}
            self.worlds.append(world)
        self.weigh()

    def weigh(self):
        for world in self.worlds:
            world.weight = {t: len(s) for t, s in world.differs.items()}

    def noted(self, world, topic):
        """What a run of this topic has noted of each mutant."""
        with tempfile.NamedTemporaryFile(prefix="unthought.") as notes:
            notes.truncate(self.octets)
            self.run(world, 0, world.topics[topic], "--jobs", "1",
                     notes=notes.name, bound=120)
            with open(notes.name, "rb") as f:
                return f.read()

    def is_reached(self, number):
        return any(number in s for w in self.worlds
                   for s in w.reached.values())

    def may_differ(self, number):
        return any(number in s for w in self.worlds
                   for s in w.differs.values())

    # --- one mutant ---------------------------------------------------------

    def order(self, world, mutant, cases):
        """The topics that the mutant can make a difference to, the most
        likely ones first."""
        topics = [t for t, s in world.differs.items()
                  if mutant["number"] in s and cases.get(t)]
        with self.lock:
            finds = self.finds[mutant["file"], mutant["function"]]
            return sorted(topics, key=lambda t: (-finds[t], world.weight[t]))

    def learned(self, mutant, case):
        with self.lock:
            self.finds[mutant["file"], mutant["function"]][topic_of(case)] += 1

    def attempt(self, mutant):
        """What comes of the cases: a result, with what shows it."""
        worlds = sorted(self.worlds,
                        key=lambda w: mutant["layer"].startswith("sctp") and
                        w.name not in SCTP_FIRST)
        doubts, tried = [], False
        for world in worlds:
            # The same cases over another link find more only of what is SCTP.
            cases = world.new if tried and not mutant["layer"].startswith(
                "sctp") else world.topics
            topics = self.order(world, mutant, cases)
            for some in (topics[:FIRST], topics[FIRST:]):
                if not some:
                    continue
                tried = True
                found = self.found_in(world, mutant,
                                      [i for t in some for i in cases[t]],
                                      doubts)
                if found:
                    self.learned(mutant, found.get("case", ""))
                    return found
        # Nobody is accused, but no run passes either: the agent is named.
        errors = [d for d in doubts if d.startswith("ERROR of ")]
        return {"result": "error" if errors else "not found",
                **({"doubts": sorted(set(doubts))} if doubts else {})}

    def found_in(self, world, mutant, selectors, doubts):
        fast = ["--fail-fast"]
        while True:
            report, ended = self.run(world, mutant["number"], selectors, *fast)
            if not report or not report["cases"]:
                # It does not even start, or no case could begin.
                again, _ = self.run(world, mutant["number"], selectors[:1])
                if not again or not again["cases"]:
                    return {"result": "died", "world": world.name}
                doubts.append("no report")
                return None
            failed = [c for c in report["cases"]
                      if c["verdict"] in ("fail", "warn")]
            if not failed and report["exit_status"] == UNREACHABLE:
                again, _ = self.run(world, mutant["number"], selectors[:1])
                if again and again["exit_status"] == UNREACHABLE:
                    return {"result": "died", "world": world.name,
                            "note": "the suite says that it is not there"}
            for case in failed[:TRIES]:
                found = self.confirmed(world, mutant, case["id"], doubts)
                if found:
                    return found
            errors = [c for c in report["cases"] if c["verdict"] == "error"
                      and not c["reason"].startswith(NO_FINDING)]
            for case in errors[:TRIES if not failed else 0]:
                found = self.confirmed(world, mutant, case["id"], doubts)
                if found:
                    return found
            if ended:
                again, ended = self.run(world, mutant["number"], selectors)
                if ended:
                    return {"result": "died", "world": world.name,
                            "note": "a run does not end"}
            # A first failure that was none has hidden the others.
            if not fast or not (failed or errors):
                return self.blocked(world, report, doubts)
            fast = []

    @staticmethod
    def blocked(world, report, doubts):
        some = [c for c in report["cases"] if c["verdict"] == "blocked"]
        if some:
            doubts.append(f"{world.name}: {len(some)} blocked")
        return None

    def confirmed(self, world, mutant, case, doubts):
        """The same case, alone."""
        report, ended = self.run(world, mutant["number"], [case])
        if not report or ended:
            return {"result": "died", "case": case, "world": world.name,
                    "note": "a run does not end" if ended else "no report"}
        for c in report["cases"]:
            if c["id"] != case:
                continue
            if c["verdict"] in ("fail", "warn"):
                rows = [b["requirement"] for b in c.get("broken", ())]
                if not rows or matrix.CRASHED in rows:
                    return {"result": "died", "case": case,
                            "world": world.name}
                return {"result": "found", "case": case, "world": world.name,
                        "verdict": c["verdict"],
                        "rows": sorted(set(rows)),
                        "detail": c["detail"][:600]}
            if c["verdict"] == "error" and \
                    not c["reason"].startswith(NO_FINDING):
                doubts.append(f"ERROR of {case}: {c['reason'][:200]}")
                return None
            if c["verdict"] == "blocked":
                doubts.append(f"BLOCKED {case}: {c['reason'][:200]}")
                return None
        doubts.append(f"{case} did not fail again")
        return None

    # --- exploration --------------------------------------------------------

    def explore(self, mutant, seconds, world):
        """Random programs, of one seed, twice: both times they find it."""
        for _ in range(2):
            with tempfile.TemporaryDirectory(prefix="unthought.") as scratch:
                done = subprocess.run(
                    [self.warpspec, "explore", "--refdut", "--seed", "1",
                     "--time", str(seconds), "--findings", "1", "--jobs", "1",
                     "--programs", scratch, "--quiet",
                     "--report", "text=/dev/null", *world],
                    stdin=subprocess.DEVNULL, capture_output=True,
                    env=dict(os.environ, UNTHOUGHT=str(mutant["number"])))
            if done.returncode not in (1, 3):
                return False
        return True

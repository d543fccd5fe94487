#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# audit_mutants.sh BUILD [MUTANT...] - counts the planted faults that are found
# in captures alone. Each mutant gets the traffic of the cases that judge its
# rows, ordinary and provoked, and `rejudge` reads nothing but the packets. It
# has to accuse the device under a row of the mutant, or under one that the
# mutant is known to break as well (beside.txt, and audit_beside.txt for
# captures). An accusation under any other row is false.
#
# A mutant that is not found is tried in another way: on the raw link, whose
# packets show the MSS; behind a ULP that lets its peers use memory, where the
# cases look at memory by RDMA Reads (--buffer; of each connection, if the mutant
# is about invalidation); and with the ordinary traffic of other cases. Before all
# that it talks to a clean device through a relay that knows its memory
# (audit_pair.py).
#
# Faults of SCTP are tried on that link, and before that in sessions with another
# device (audit_pair_sctp.py), if a network namespace can be had.
# reports/published/audit-mutants/list.txt says which mutants are found, and in
# which way; they have to be found again in that way. PUBLISH=1 tries all ways,
# and writes the lines of the mutants that this run looks at. May be set: SAMPLE
# (1; every so many-th), PART (0; which of these), OF (a file of names: only
# these), MISSED (a file for the faults that a run finds and its captures do not
# show). Exit: 0 all as listed, 1 not.
set -u

build=${1:?usage: audit_mutants.sh BUILD [MUTANT...]}
shift
python=/usr/bin/python3
[[ -x $python ]] || python=python3
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

"$python" - "$build" "$scratch" "${SAMPLE:-1}" "${PART:-0}" "${PUBLISH:-}" \
	"${OF:-}" "${MISSED:-}" "$@" <<'PY'
import concurrent.futures
import glob
import json
import os
import shutil
import subprocess
import sys

build, scratch, sample, part, publish, listed_in, missed, *only = sys.argv[1:]
PUBLISHED = "reports/published/audit-mutants/list.txt"
warpspec = os.path.join(build, "warpspec")
refdut = os.path.join(build, "warpspec-refdut")
HANG_SECONDS = 300
WORLDS = {
    "plain": [],
    "without": ["--without", "fetchadd,cmpswap,masked-atomics,imm,imm-se"],
    "draft": ["--spec", "draft-03"],
    "raw": ["--link", "raw"],
    "ordinary": ["--max-time", "10s"],
    "sctp": ["--link", "sctp"],
}
# Those that are tried only if nothing has been found live before.
FURTHER = ("without", "draft")
ORDINARY = ["foundations/operations"]


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True,
                          timeout=60).stdout


def beside():
    out = {}
    for name in ("beside.txt", "audit_beside.txt"):
        with open(os.path.join("suite/checks", name), encoding="utf-8") as file:
            for line in file:
                words = line.split("#")[0].replace(":", " ").split()
                if len(words) >= 2:
                    out.setdefault(words[0], set()).update(words[1:])
    return out


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)["cases"]


def broken_in(cases):
    return [(b["requirement"], c["id"], b["text"]) for c in cases
            if c["verdict"] in ("fail", "warn") for b in c.get("broken", [])]


def attempt(name, selectors, world):
    """(requirement, case, text) live, and by the captures alone."""
    place = os.path.join(scratch, "%s.%s" % (name, world))
    subprocess.run([warpspec, "run", "--refdut=" + name, "--quiet", "--jobs", "4",
                    "--timeout-scale", "0.5", "--captures", place, "--captures-of",
                    "all", "--report", "json=%s.run" % place, *WORLDS[world], *selectors],
                   stdin=subprocess.DEVNULL, capture_output=True,
                   timeout=HANG_SECONDS)
    return rejudged(place, WORLDS[world] if world == "draft" else [])


def attempt_with_memory(name, selectors, way):
    """The same behind the port of a ULP that has a buffer for its peers: one for all
    connections, or one for each."""
    place = os.path.join(scratch, name + ".memory")
    of_draft = any(s.startswith(("req:RDMAPX01", "req:RDMAPX03")) for s in selectors)
    spec = WORLDS["draft"] if of_draft else []
    with subprocess.Popen([refdut, "--ulp", "buffer", "--bind", "127.0.0.1", "--port",
                           "0", "--mutant", name], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL) as device:
        try:
            port = device.stdout.readline().split()[-1]
            buffer = ["--buffer", device.stdout.readline().split()[-1]
                      if way == "memory" else "private-data:0"]
            subprocess.run([warpspec, "run", "--target", port, *buffer, *spec, "--quiet",
                            "--max-time", "40s", "--captures", place, "--captures-of",
                            "all", "--report", "json=%s.run" % place,
                            "!role:initiator", *selectors],
                           stdin=subprocess.DEVNULL, capture_output=True,
                           timeout=HANG_SECONDS)
        except IndexError:
            return [], []
        finally:
            device.kill()
    return rejudged(place, buffer + spec)


def attempt_as_pair(name):
    """A conversation with a clean device, which provokes errors, through a relay."""
    place = os.path.join(scratch, name + ".pair")
    subprocess.run([sys.executable, "suite/checks/audit_pair.py", build, place,
                    "--mutant", name], stdin=subprocess.DEVNULL, capture_output=True,
                   timeout=HANG_SECONDS)
    return [], broken_in_parts(place)


def attempt_as_pair_over_sctp(name):
    place = os.path.join(scratch, name + ".pair-sctp")
    subprocess.run(["unshare", "-rn", sys.executable, "suite/checks/audit_pair_sctp.py",
                    build, place, "--mutant", name], stdin=subprocess.DEVNULL,
                   capture_output=True, timeout=HANG_SECONDS)
    return [], broken_in_parts(place)


def broken_in_parts(place):
    """Of each stream, the side whose role a part is named after is the device."""
    return [b for path in sorted(glob.glob(place + ".*"))
            if (role := os.path.splitext(path)[1][1:].split("-")[0]) in (
                "responder", "initiator")
            for b in broken_in(read(path)) if b[1].endswith("/" + role)]


def rejudged(place, options):
    run, now = place + ".run", place + ".now"
    subprocess.run([warpspec, "rejudge", "--report", "json=" + now, *options, run],
                   capture_output=True, timeout=HANG_SECONDS)
    live = broken_in(read(run)) if os.path.exists(run) else []
    alone = broken_in(read(now)) if os.path.exists(now) else []
    shutil.rmtree(place, ignore_errors=True)
    return live, alone


layer = {row["id"]: row["layer"] for row in json.loads(output_of(
    warpspec, "coverage", "--json"))["requirements"]}
judged = set()
for case in json.loads(output_of(warpspec, "list", "--json")):
    judged.update(case["requirements"])
mutants, every, of_sctp = [], set(), set()
if listed_in:
    with open(listed_in, encoding="utf-8") as file:
        only += file.read().split()
for line in output_of(refdut, "--list-mutants").splitlines():
    name, ids, sentence = line.split("\t")
    ids = set(ids.split()) & judged
    if ids:
        every.add(name)
        if {layer[r] for r in ids} == {"SCTP"}:
            of_sctp.add(name)
        if not only or name in only:
            mutants.append((name, ids, sentence))
if not only:
    mutants = mutants[int(part) % int(sample)::int(sample)]
known = beside()


def ways(name):
    """Those in which it has been found, else those that say something."""
    state = due.get(name)
    if name in of_sctp:
        return ["pair-sctp", "sctp"] if publish or not state else [
            state[1] if state[0] == "found" else "sctp"]
    if publish or not state:
        return ["pair", "plain", *FURTHER, "raw", "memory", "advertised", "ordinary"]
    return [state[1]] if state[0] == "found" else ["plain"]


def judge(mutant):
    name, ids, sentence = mutant
    selectors = ["req:" + r for r in sorted(ids)]
    live, alone, right, found_by = [], [], [], ""
    for way in ways(name):
        if way in FURTHER and any(b[0] in ids for b in live):
            continue
        if way == "advertised" and "invalidates" not in sentence:
            continue
        if way == "pair":
            more_live, more_alone = attempt_as_pair(name)
        elif way == "pair-sctp":
            more_live, more_alone = attempt_as_pair_over_sctp(name)
        elif way in ("memory", "advertised"):
            more_live, more_alone = attempt_with_memory(name, selectors, way)
        else:
            more_live, more_alone = attempt(
                name, ORDINARY if way == "ordinary" else selectors, way)
        live += more_live
        alone += more_alone
        right = [a for a in more_alone if a[0] in ids | known.get(name, set())]
        if right:
            found_by = way
            break
    return live, alone, right, found_by


def published():
    if not os.path.exists(PUBLISHED):
        return {}
    with open(PUBLISHED, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file]
    return {name: state for name, *state in lines}


def publish_lines(seen):
    """Continue the list; those that are no mutants any more leave it."""
    lines = {name: state for name, state in published().items() if name in every}
    lines.update(seen)
    os.makedirs(os.path.dirname(PUBLISHED), exist_ok=True)
    with open(PUBLISHED, "w", encoding="utf-8") as file:
        for name, state in sorted(lines.items()):
            file.write("\t".join([name, *state]) + "\n")
    return lines


due = published()
found = strange = lost = 0
seen = {}
left = open(missed, "w", encoding="utf-8") if missed else None
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    for mutant, result in zip(mutants, pool.map(judge, mutants)):
        name, ids, sentence = mutant
        live, alone, right, way = result
        if not publish and due.get(name, [""])[0] == "found" and not right:
            # A busy host leaves a long case without a verdict: once more.
            live, alone, right, way = judge(mutant)
        found += bool(right)
        seen[name] = ["found", way] if right else ["not found"]
        if not publish and due.get(name, [""])[0] == "found" and not right:
            print("%s was found before (%s), and is not" % (name, due[name][1]))
            lost += 1
        wrong = [a for a in alone if a[0] not in ids | known.get(name, set())]
        strange += bool(wrong)
        for requirement, case, text in wrong[:3]:
            print("%s is accused of %s in %s: %s" % (
                name, requirement, case, " / ".join(text.splitlines())[:300]))
        if right:
            print("found %s by %s (%s, %s)" % (name, right[0][1], right[0][0], way),
                  flush=True)
            continue
        print("not found %s: %s" % (name, sentence), flush=True)
        if left:
            print("%s: %s" % (name, sentence), file=left)
            for requirement, case, text in [b for b in live if b[0] in ids][:2]:
                print("    %s %s: %s" % (requirement, case,
                                         " / ".join(text.splitlines())[:600]), file=left)
            left.flush()
if publish:
    due = publish_lines(seen)
# The list is of all of them, whichever are looked at now.
astray = sorted(set(due) ^ every)
if astray:
    print("%s: not of the same mutants as these: %s\n"
          "PUBLISH=1 %s BUILD NAME... continues it" % (
              PUBLISHED, " ".join(astray[:20]), "suite/checks/audit_mutants.sh"))
percent = 100 * found // len(mutants) if mutants else 0
if len(mutants) < len(every):
    print("%d of %d mutants" % (len(mutants), len(every)))
print("%d of %d mutants found, %d %%; %d accused of another row" % (
    found, len(mutants), percent, strange))
bad = strange + lost + len(astray)
print("audit-mutants: %d passed, %d failed" % (found, bad))
sys.exit(1 if bad or not mutants else 0)
PY

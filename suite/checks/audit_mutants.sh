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
# Faults of SCTP are left out, because captures of SCTP are not judged. May be
# set: SAMPLE (1; every so many-th), PART (0; which of these), LEAST (0;
# percent that have to be found), OF (a file of names: only these), MISSED (a
# file for the faults that a run finds and its captures do not show). Exit: 0
# all as required, 1 not.
set -u

build=${1:?usage: audit_mutants.sh BUILD [MUTANT...]}
shift
python=/usr/bin/python3
[[ -x $python ]] || python=python3
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

"$python" - "$build" "$scratch" "${SAMPLE:-1}" "${PART:-0}" "${LEAST:-0}" \
	"${OF:-}" "${MISSED:-}" "$@" <<'PY'
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys

build, scratch, sample, part, least, listed_in, missed, *only = sys.argv[1:]
warpspec = os.path.join(build, "warpspec")
HANG_SECONDS = 300
WORLDS = ([], ["--without", "fetchadd,cmpswap,masked-atomics,imm,imm-se"],
          ["--spec", "draft-03"], ["--link", "raw"])
DRAFT = 2


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
    place = os.path.join(scratch, "%s.%d" % (name, world))
    run, now = place + ".run", place + ".now"
    subprocess.run([warpspec, "run", "--refdut=" + name, "--quiet", "--jobs", "4",
                    "--timeout-scale", "0.5", "--captures", place, "--captures-of",
                    "all", "--report", "json=" + run, *WORLDS[world], *selectors],
                   stdin=subprocess.DEVNULL, capture_output=True,
                   timeout=HANG_SECONDS)
    spec = WORLDS[world] if world == DRAFT else []
    subprocess.run([warpspec, "rejudge", "--report", "json=" + now, *spec, run],
                   capture_output=True, timeout=HANG_SECONDS)
    live = broken_in(read(run))
    alone = broken_in(read(now)) if os.path.exists(now) else []
    shutil.rmtree(place, ignore_errors=True)
    return live, alone


layer = {row["id"]: row["layer"] for row in json.loads(output_of(
    warpspec, "coverage", "--json"))["requirements"]}
judged = set()
for case in json.loads(output_of(warpspec, "list", "--json")):
    judged.update(case["requirements"])
mutants = []
if listed_in:
    with open(listed_in, encoding="utf-8") as file:
        only += file.read().split()
for line in output_of(os.path.join(build, "warpspec-refdut"),
                      "--list-mutants").splitlines():
    name, ids, sentence = line.split("\t")
    ids = set(ids.split()) & judged
    if ids and {layer[r] for r in ids} != {"SCTP"} and (not only or name in only):
        mutants.append((name, ids, sentence))
listed = len(mutants)
if not only:
    mutants = mutants[int(part) % int(sample)::int(sample)]
known = beside()


def judge(mutant):
    name, ids, _ = mutant
    live, alone = [], []
    for world in range(len(WORLDS)):
        more_live, more_alone = attempt(
            name, ["req:" + r for r in sorted(ids)], world)
        live += more_live
        alone += more_alone
        right = [a for a in alone if a[0] in ids | known.get(name, set())]
        if right or any(b[0] in ids for b in live):
            break
    return live, alone, right


found = strange = 0
left = open(missed, "w", encoding="utf-8") if missed else None
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    for (name, ids, sentence), (live, alone, right) in zip(
            mutants, pool.map(judge, mutants)):
        found += bool(right)
        wrong = [a for a in alone if a[0] not in ids | known.get(name, set())]
        strange += bool(wrong)
        for requirement, case, text in wrong[:3]:
            print("%s is accused of %s in %s: %s" % (
                name, requirement, case, " / ".join(text.splitlines())[:300]))
        if right:
            print("found %s by %s (%s)" % (name, right[0][1], right[0][0]), flush=True)
            continue
        print("not found %s: %s" % (name, sentence), flush=True)
        if left:
            print("%s: %s" % (name, sentence), file=left)
            for requirement, case, text in [b for b in live if b[0] in ids][:2]:
                print("    %s %s: %s" % (requirement, case,
                                         " / ".join(text.splitlines())[:600]), file=left)
            left.flush()
percent = 100 * found // len(mutants) if mutants else 0
if len(mutants) < listed:
    print("%d of %d mutants" % (len(mutants), listed))
print("%d of %d mutants found, %d %%; %d accused of another row" % (
    found, len(mutants), percent, strange))
bad = strange + (percent < int(least))
print("audit-mutants: %d passed, %d failed" % (found, bad))
sys.exit(1 if bad or not mutants else 0)
PY

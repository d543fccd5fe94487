#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# pairs.sh BUILD [MUTANT,MUTANT...] - two faults at once. The whole suite runs
# on the reference device with random pairs of mutants. A requirement is
# accused only if one of the two breaks it, or was accused of it when it was
# alone (reports/published/kill-matrix). Each is found, unless every case that
# finds it alone is BLOCKED because of the other one.
#
# May be set: PAIRS (500), SAMPLE (all; the first so many of them), SEED (1),
# TIMEOUT_SCALE (0.5), JOBS (of a run), AT_ONCE (2), BOUND (seconds that a pair
# may take, 120). Exit: 0 all checks hold, 1 not.
set -u

build=${1:?usage: pairs.sh BUILD [MUTANT,MUTANT...]}
shift
python=/usr/bin/python3
[[ -x $python ]] || python=python3
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$(dirname "$0") "$python" - "$build" \
	"$scratch" "${PAIRS:-500}" "${SAMPLE:-0}" "${SEED:-1}" \
	"${TIMEOUT_SCALE:-0.5}" "${JOBS:-}" "${AT_ONCE:-2}" "${BOUND:-120}" \
	"$@" <<'PY'
import collections
import concurrent.futures
import json
import random
import sys

import matrix

build, scratch, pairs, sample, seed, scale, jobs, at_once, bound = \
    sys.argv[1:10]
PUBLISHED = "reports/published/kill-matrix/kill-matrix.json"
SHOWN = 8
suite = matrix.Suite(build, scale, jobs, bound)

# The results of each alone: the rows accused, and the cases that found it.
with open(PUBLISHED, encoding="utf-8") as f:
    published = json.load(f)
Alone = collections.namedtuple("Alone", "accused finders crashes late")
alone = {}
for m in published["mutants"]:
    own = [tuple(published["lines"][i][:2]) for i in m["lines"]]
    others = [(case, row)
              for row, case, _ in m.get("others", []) + m.get("model", [])]
    named = [case for case, row in own if row in m["breaks"]] or \
        [case for case, _ in own + others]
    alone[m["mutant"]] = Alone({row for _, row in own + others}, set(named),
                               bool(m.get("crashed")), "note" in m)

names = [name for name in suite.mutants if name in alone]
chance = random.Random(int(seed))
chosen = []
while len(chosen) < int(pairs):
    two = tuple(sorted(chance.sample(names, 2)))
    # A fault that no run on loopback finds is found in no pair either: it
    # needs a path with an MTU (mutants.sh).
    if two not in chosen and all(alone[name].finders for name in two):
        chosen.append(two)
if int(sample):
    chosen = chosen[:int(sample)]
if sys.argv[10:]:
    chosen = [tuple(pair.split(",")) for pair in sys.argv[10:]]
for name in {name for pair in chosen for name in pair} - set(alone):
    sys.exit(f"pairs.sh: nothing is published of {name}")


def accusations(pair, seen):
    right = set()
    for name in pair:
        right |= suite.mutants[name].breaks | suite.mutants[name].beside
        right |= alone[name].accused
    return [f"{row} by {sorted(cases)[0]}" +
            (f" and {len(cases) - 1} more" if len(cases) > 1 else "")
            for row, cases in sorted(seen.accused.items()) if row not in right]


def lost(name, seen):
    """Why this one is not found: a line, empty where it is, or None where
    all that finds it is blocked, or was late on a busy host."""
    mutant = suite.mutants[name]
    if (mutant.breaks | mutant.beside) & set(seen.accused):
        return ""
    if seen.crashed and alone[name].crashes:
        return ""
    # A mutant that is reported only under rows of others.
    if not mutant.breaks & alone[name].accused and \
            any(seen.own.get(case) for case in alone[name].finders):
        return ""
    # The matrix has cases, not their instances: a blocked instance may be the
    # one that finds this.
    passes = sorted((alone[name].finders & seen.passed) - set(seen.blocked))
    if not passes and alone[name].finders & (set(seen.blocked) | seen.late):
        return None
    return f"{name} is not found" + (f": {passes[0]} passes" if passes else "")


def attempt(numbered):
    number, pair = numbered
    return pair, matrix.Seen(*suite.whole(pair, number, scratch))


suite.learn_worlds()
passed = failed = blocked = 0
with concurrent.futures.ThreadPoolExecutor(int(at_once)) as pool:
    for pair, seen in pool.map(attempt, enumerate(chosen)):
        wrong = [f"accused: {a}" for a in accusations(pair, seen)]
        for name in pair:
            why = lost(name, seen)
            if why is None:
                blocked += 1
            # How far a run got that took too long is chance.
            elif why and not seen.note:
                wrong.append(why)
        late = f" ({seen.note})" if seen.note else ""
        passed, failed = passed + (not wrong), failed + bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {','.join(pair)}{late}",
              *wrong[:SHOWN], sep="\n    ", flush=True)

print(f"{len(chosen)} pairs; {blocked} times a fault was blocked by the other, "
      "or the host was late")
print(f"pairs: {passed} passed, {failed} failed")
sys.exit(1 if failed or not passed else 0)
PY

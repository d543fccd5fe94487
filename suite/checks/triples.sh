#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# triples.sh BUILD [MUTANT,MUTANT,MUTANT...] - three faults at a time, each at
# a foundation that cases depend on, as in a broken stack: one run, in less
# than half a minute, names all three on the first screen of its summary, and
# accuses no other requirement.
#
# A fault is named by a requirement that it breaks. The first screen has 50
# lines. Otherwise, a MUST may only be accused if one of the three is known to
# break it as well (suite/checks/beside.txt).
#
# With SAMPLE=N every N-th triple. May be set: BOUND (seconds, 30), JOBS (of a
# run). Exit: 0 all checks hold, 1 not.
set -u

build=${1:?usage: triples.sh BUILD [MUTANT,MUTANT,MUTANT...]}
shift
python=/usr/bin/python3
[[ -x $python ]] || python=python3
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$(dirname "$0") "$python" - "$build" \
	"$scratch" "${SAMPLE:-0}" "${BOUND:-30}" "${JOBS:-}" "$@" <<'PY'
import collections
import json
import os
import subprocess
import sys
import time

import matrix

build, scratch, sample, bound, jobs = sys.argv[1:6]
SCREEN = 50

READS = "read_requests_in_host_order"
PAD, PAD_ZERO = "pad_of_one_nowhere", "pad_of_four_where_none_is_due"
MARKERS = "markers_in_both_directions"
OWN_M, OWN_C = "own_markers_wanted_of_peer", "own_crc_wanted_of_peer"
NO_CRC = "crc_field_missing_when_off"
REVISION = "revision_always_zero"
EMPTY = "empty_messages_left_out"
MSN = "msn_shared_by_queues"
SILENT = "errors_close_silently"
DEAF = "stops_reading_at_errors"

TRIPLES = [
    (REVISION, SILENT, MSN),
    (READS, PAD, MARKERS),
    (OWN_M, NO_CRC, REVISION),
    (EMPTY, MSN, SILENT),
    (DEAF, OWN_C, READS),
    (PAD, OWN_C, SILENT),
    (MARKERS, REVISION, DEAF),
    (EMPTY, OWN_M, PAD),
    (READS, SILENT, REVISION),
    (MSN, NO_CRC, MARKERS),
    (DEAF, MSN, OWN_M),
    (PAD_ZERO, REVISION, MARKERS),
    (NO_CRC, EMPTY, OWN_C),
    (READS, EMPTY, NO_CRC),
    (PAD, DEAF, NO_CRC),
    (MARKERS, SILENT, OWN_C),
]

suite = matrix.Suite(build)
triples = [tuple(t.split(",")) for t in sys.argv[6:]] or TRIPLES
for name in {name for triple in triples for name in triple}:
    if name not in suite.mutants:
        sys.exit(f"triples.sh: no such mutant: {name}")
if int(sample):
    triples = triples[int(sample) // 2::int(sample)]
passed = failed = 0


def judged(triple):
    """What is wrong with the run on it, in lines, and how long it took."""
    summary = os.path.join(scratch, "summary")
    report = os.path.join(scratch, "report.json")
    began = time.monotonic()
    subprocess.run([suite.warpspec, "run", "--quiet",
                    "--refdut=" + ",".join(triple),
                    *(["--jobs", jobs] if jobs else []),
                    "--report", f"summary={summary}",
                    "--report", f"json={report}"],
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, timeout=300)
    took = time.monotonic() - began
    with open(summary, encoding="utf-8") as f:
        screen = " ".join(f.read().splitlines()[:SCREEN])
    with open(report, encoding="utf-8") as f:
        cases = json.load(f)["cases"]
    wrong = [f"{name} is not on the first screen"
             for name in triple
             if not any(f" {row} " in screen
                        for row in suite.mutants[name].breaks)]
    known = set().union(*(suite.mutants[name].breaks |
                          suite.mutants[name].beside for name in triple))
    accused = collections.defaultdict(list)
    for case in cases:
        for broken in case.get("broken", ()):
            row = broken["requirement"]
            if suite.binds(row) and row not in known:
                accused[row].append(case["id"])
    wrong += [f"accused beside them: {row} by {ids[0]} ({len(ids)})"
              for row, ids in sorted(accused.items())]
    if took >= float(bound):
        wrong.append(f"it took {took:.0f} s")
    return wrong, took


for triple in triples:
    lines, took = judged(triple)
    passed, failed = passed + (not lines), failed + bool(lines)
    print(f"{'not ok' if lines else 'ok'} {', '.join(triple)} ({took:.0f} s)",
          *lines, sep="\n    ", flush=True)
print(f"triples: {passed} passed, {failed} failed")
sys.exit(1 if failed or not passed else 0)
PY

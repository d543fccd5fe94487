#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# axes.sh BUILD [REPORT.json...] - the gaps of `warpspec coverage --axes`, over
# the runs on the clean device with these reports (default: those that `make
# check` has left in BUILD, one for each link) and runs on a second connection:
# each gap has a reason in suite/catalogue/axes_gaps.def, and each reason a gap.
# Reasons there are globs, some of them wide: so the gaps that a case could still
# close ("open:") are counted, and may not become more than OPEN_MOST.
# Without the raw link a few gaps are left that its cases close.
# Exit: 0 so it is.
set -u

OPEN_MOST=73

build=${1:?usage: axes.sh BUILD [REPORT.json...]}
shift
warpspec=$build/warpspec
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
python=/usr/bin/python3
[[ -x $python ]] || python=python3

# NAME LINK OPTION...: a run of its own.
runs()
{
	local name=$1 link=$2 status
	shift 2
	# Others need the whole ones, too.
	[[ $# -eq 1 ]] && "${0%/*}/clean_run.py" "$build" \
		"$scratch/$name.json" --link "$link" "$@" \
		</dev/null >"$scratch/out" 2>&1 && return
	rm -f "$scratch/$name.json"
	# The raw link is not everywhere.
	timeout -k 5 300 "$warpspec" run --quiet --link "$link" "$@" \
		--report json="$scratch/$name.json" </dev/null \
		>"$scratch/out" 2>&1
	status=$?
	[[ $status -eq 0 || ($link == raw && $status -eq 2) ]] ||
		echo "$link $*: $(tail -n 1 "$scratch/out")"
}

links=("$build"/report/report.json "$build"/report-{sctp,raw}/report.json)
[[ $# -gt 0 ]] || for report in "${links[@]}"; do
	[[ -s $report ]] && set -- "$@" "$report"
done
if [[ $# -eq 0 ]]; then
	for link in socket sctp raw; do
		runs "$link" "$link"
	done
	set -- "$scratch"/*.json
fi
# Over TCP; what only its segments show, if there is the raw link; and what only
# SCTP has.
runs second-socket socket --second-connection
[[ "$*" != *raw* ]] || runs second-raw raw --second-connection
runs second-sctp sctp --second-connection rfc:5043 rfc:6580 rfc:6581

results=()
for report in "$@" "$scratch"/second-*.json; do
	results+=(--results "$report")
done
"$warpspec" coverage --axes --json "${results[@]}" >"$scratch/axes.json" ||
	exit 1
"$python" - "$scratch/axes.json" "$OPEN_MOST" <<'PY'
import json
import sys

with open(sys.argv[1], encoding="utf-8") as f:
    seen = json.load(f)
passed = failed = 0
for r in seen["requirements"]:
    for axis, points in r["axes"].items():
        left = [p for p, why in points["missing"].items() if not why]
        passed += not left
        if left:
            failed += 1
            print(f"a gap without a reason: {r['id']} {axis}: "
                  + ", ".join(left))
for q in seen["reasons"]:
    passed += q["gaps"] > 0
    if not q["gaps"]:
        failed += 1
        print(f"a reason without a gap: {q['requirements']} {q['points']}: "
              + q["reason"])
n = seen["totals"]
still = sum(q["gaps"] for q in seen["reasons"]
            if q["reason"].startswith("open:"))
print(f"{n['points']} points of {n['requirements']} requirements: "
      f"{n['covered']} covered, {n['points'] - n['covered'] - n['gaps']} "
      f"covered for others of their section, {n['gaps']} gaps, of which a "
      f"case could close {still}")
most = int(sys.argv[2])
passed += still <= most
if still > most:
    failed += 1
    print(f"a case could close {still} gaps, and {most} are borne: what was "
          "covered is not any more")
print(f"axes: {passed} passed, {failed} failed")
sys.exit(failed > 0 or not passed)
PY

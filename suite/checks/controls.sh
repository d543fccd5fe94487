#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# controls.sh BUILD [CONTROL...] - a device that implements nothing passes
# nothing that binds: on each control device the whole suite is run, and no
# case of level MUST may pass. A case that does has proved nothing.
#
# TIMEOUT_SCALE and JOBS (of each run) may be set. Exit: 0 none passed, 1 one did.
set -u

build=${1:?usage: controls.sh BUILD [CONTROL...]}
shift
controls=("$@")
[[ $# -gt 0 ]] || controls=(mute closer resetter garbage echo hangup terminator)
limit=300 # seconds; a control that takes longer hangs the suite
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
python=/usr/bin/python3
[[ -x $python ]] || python=python3

# Prints what the report holds; exit 0 if no MUST passed, and nearly all could
# be told: an ERROR is no pass, but proves as little as one.
judge()
{
	"$python" - "$1" "$2" <<'PY'
import collections
import json
import sys

control = sys.argv[2]
with open(sys.argv[1], encoding="utf-8") as f:
    cases = json.load(f)["cases"]
seen = collections.Counter(c["verdict"] for c in cases)
binding = [c for c in cases if c["level"] == "MUST"]
passed = [c["id"] for c in binding if c["verdict"] == "pass"]
applied = [c for c in binding if c["verdict"] != "skip"]
told = [c for c in applied if c["verdict"] != "error"]
for case in passed:
    print(f"{control}: passes {case}")
print(f"{control}: {len(binding)} MUST cases, {len(passed)} passed; "
      + ", ".join(f"{n} {v}" for v, n in sorted(seen.items())))
if len(told) * 20 < len(applied) * 19:
    print(f"{control}: only {len(told)} of {len(applied)} could be told")
sys.exit(1 if passed or not told or len(told) * 20 < len(applied) * 19
         else 0)
PY
}

# Mostly they wait, and can do so at once.
for control in "${controls[@]}"; do
	(
		timeout -k 5 "$limit" "$build/warpspec" run \
			--control="$control" --force --quiet --jobs "${JOBS:-48}" \
			--timeout-scale "${TIMEOUT_SCALE:-0.25}" \
			--report json="$scratch/$control.json" \
			</dev/null >"$scratch/$control.out" 2>&1
		echo $? >"$scratch/$control.status"
	) &
done
wait

passed=0 failed=0
for control in "${controls[@]}"; do
	report=$scratch/$control.json
	status=$(<"$scratch/$control.status")
	if [[ $status -ge 124 ]]; then
		echo "$control: the run did not end (status $status)"
	elif [[ ! -s $report ]]; then
		echo "$control: no report: $(tail -n 1 "$scratch/$control.out")"
	elif [[ $status -eq 0 ]]; then
		echo "$control: the run says that every MUST is met"
	elif judge "$report" "$control"; then
		passed=$((passed + 1))
		continue
	fi
	failed=$((failed + 1))
done

echo "controls: $passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]

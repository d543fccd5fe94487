#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# determinism.sh BUILD [ROUNDS] - the same device gets the same verdicts and
# the same ends of streams with 1, 2 and 16 jobs, in any order, and meets the
# same values; on each of the LINKS ("socket sctp"). They are compared with one
# more run, which CLEAN_RUNS may have (clean_run.py).
set -u

build=${1:?usage: determinism.sh BUILD [ROUNDS]}
rounds=${2:-20}
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
python=/usr/bin/python3
[[ -x $python ]] || python=python3

# NAME COMMAND...: write one line per case of the report that the command leaves,
# in order, with everything that must not change, into $scratch/NAME.
verdicts()
{
	local name=$1 status
	shift
	rm -f "$scratch/report.json"
	"$@" </dev/null >"$scratch/out" 2>&1
	status=$?
	if [[ ! -s $scratch/report.json ]]; then
		echo "status $status, no report: $(tail -n 1 "$scratch/out")"
		return 1
	fi
	"$python" - "$scratch/report.json" <<'PY' >"$scratch/$name"
import json
import sys

with open(sys.argv[1], encoding="utf-8") as f:
    report = json.load(f)
for c in report["cases"]:
    print(c["id"], c["verdict"], c["teardown"], *c["requirements"])
for d in report["dimensions"]:
    if "device_chooses" not in d:
        print(d["name"], "met", *d["met"])
PY
	[[ -s $scratch/$name ]]
}

run=(timeout -k 5 300 "$build/warpspec" run --refdut --quiet
	--report json="$scratch/report.json")

passed=0 failed=0
for link in ${LINKS:-socket sctp}; do
	verdicts first "${0%/*}/clean_run.py" "$build" "$scratch/report.json" \
		--link "$link" || exit 1
	for ((round = 1; round <= rounds; round++)); do
		for jobs in 1 2 16; do
			if verdicts this "${run[@]}" --link "$link" \
				--jobs "$jobs" --seed "$round" &&
				cmp -s "$scratch/first" "$scratch/this"; then
				passed=$((passed + 1))
				continue
			fi
			failed=$((failed + 1))
			echo "$link, jobs $jobs, seed $round:"
			diff "$scratch/first" "$scratch/this" | grep '^[<>]'
		done
	done
	echo "$link: $(grep -c / "$scratch/first") cases, $((rounds * 3)) runs," \
		"$(grep -cE '^[^ ]+/[^ ]+ (pass|info) ' "$scratch/first") compared"
done

echo "determinism: $passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]

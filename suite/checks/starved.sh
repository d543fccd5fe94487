#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# starved.sh BUILD - a busy host never causes a FAIL: whole runs of the clean
# device next to four busy loops. No case may accuse it of anything; a case
# that could not be judged may be an ERROR that says how late this host was. If
# the agent stops answering during such a run, no case is lost silently.
#
# May be set: ROUNDS (20, of each), JOBS ("1 8 64"), LINKS (socket, and raw
# where there are the privileges), CASES (all), LOOPS (4), NICE (10, of the
# suite; the loops have 5), LIMIT (600 seconds for a run), SILENT
# (yes: also test the agent that stops answering). Exit: 0 no accusation, 1 at
# least one.
set -u

build=${1:?usage: starved.sh BUILD}
scratch=$(mktemp -d) || exit 2
loops=()
calm() {
	if ((${#loops[@]})); then
		kill "${loops[@]}" 2>/dev/null
		wait "${loops[@]}" 2>/dev/null
	fi
	loops=()
}
others=()
trap 'calm; ((${#others[@]})) && kill "${others[@]}"; rm -rf "$scratch"' EXIT

burden() {
	local i
	for ((i = 0; i < ${LOOPS:-4}; i++)); do
		nice -n 5 timeout "${LIMIT:-600}" \
			bash -c 'while :; do :; done' &
		loops+=($!)
	done
}

links=${LINKS:-socket$( ((EUID == 0)) && echo " raw")}
passed=0 failed=0

# The accusations in a report, and the cases that were not judged for another
# reason than the host; last, the number of cases that were not judged.
look() {
	/usr/bin/python3 - "$1" <<'PY'
import json
import sys

with open(sys.argv[1]) as f:
    report = json.load(f)
for case in report["cases"]:
    reason = case["reason"] or ""
    late = "ms late" in reason or "this host is too busy" in reason
    if case["verdict"] in ("fail", "warn", "blocked") or \
            case["verdict"] == "error" and not late:
        print(case["verdict"], case["id"], reason)
print(report["totals"]["error"])
PY
}

for link in $links; do
	for jobs in ${JOBS:-1 8 64}; do
		for ((round = 1; round <= ${ROUNDS:-20}; round++)); do
			burden
			rm -f "$scratch/report.json"
			start=$SECONDS
			nice -n "${NICE:-10}" timeout "${LIMIT:-600}" \
				"$build/warpspec" run --refdut --link "$link" \
				--jobs "$jobs" --quiet --report \
				"json=$scratch/report.json" \
				${CASES:+"$CASES"} 2>"$scratch/err"
			status=$?
			calm
			what="$link, $jobs jobs, round $round"
			took=$((SECONDS - start))
			seen=$(look "$scratch/report.json" 2>&1)
			# One line: nothing is accused.
			if [[ $status == [04] && $seen =~ ^[0-9]+$ ]]; then
				passed=$((passed + 1))
				echo "ok $what: exit $status, $seen not judged, $took s"
			else
				failed=$((failed + 1))
				echo "not ok $what: exit $status, $took s"
				head -3 "$scratch/err" | sed 's/^/  /'
				head -5 <<<"$seen" | sed 's/^/  /'
			fi
		done
	done
done

# NAME COMMAND...: start it; $port is the number at the end of its first line.
starts() {
	local name=$1
	shift
	mkfifo "$scratch/$name"
	"$@" >"$scratch/$name" 2>"$scratch/err" &
	others+=($!)
	exec {said}<"$scratch/$name"
	read -r -t 60 -u "$said" port
	port=${port##*[!0-9]}
}

falls_silent() {
	starts device "$build/warpspec-refdut" --agent-port 0 --startup-timeout-ms 250
	starts agent /usr/bin/python3 "${0%/*}/fake_agent.py" stall "$port" 200
	printf '[device]\nagent = 127.0.0.1:%s\n' "$port" >"$scratch/silent.ini"
	burden
	nice -n "${NICE:-10}" timeout "${LIMIT:-600}" "$build/warpspec" run \
		-d "$scratch/silent.ini" --jobs 2 --quiet \
		--report "json=$scratch/report.json" 2>"$scratch/err"
	status=$?
	calm
	lost=$(($("$build/warpspec" list | grep -c /) -
		$(grep -c '"verdict": "' "$scratch/report.json")))
	if [[ $status == 3 && $lost == 0 ]]; then
		passed=$((passed + 1))
		echo "ok an agent falls silent: exit 3, each case is reported"
	else
		failed=$((failed + 1))
		echo "not ok an agent falls silent: exit $status, $lost cases lost"
	fi
}

[[ ${SILENT:-yes} == yes ]] && falls_silent
echo "starved: $passed passed, $failed failed"
((passed > 0 && failed == 0))

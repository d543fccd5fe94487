#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# check.sh BUILD [SERIES...] - implements `make check-siw`: the lab's own
# checks; then for each kernel series (6.1 6.12) our SCTP against the kernel's,
# and in a guest with siw the real rping against the reference device, the whole
# suite with the published deviations, services that others wrote, without an agent
# (ulp-test), and siw at both ends of them (between-test): each FAIL there must be
# one with an agent, too. Each finding is reported once, with its section; reports,
# captures and consoles are in BUILD/siw. The last line is "check-siw: N passed, N
# failed". SERVICES=between leaves out ulp-test, which takes minutes, and
# SERVICES=none both.
#
# SIW_SRC=FOLDER runs it on the driver in that folder (kernel.sh), and reports
# the differences from the published run: new, fixed, the same. A new failure
# fails. Without SERIES, the newest series for which the driver builds is used.
#
# SIW_SELECT=SELECTOR runs part of the suite, SIW_JOBS=N uses N workers (4). A
# running lab of the same name is replaced, and nothing of it remains. Exit: 0
# all as expected, 1 not, 2 the lab failed, 77 not on this machine.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=harness/lab/siw/lib.sh
. "$here/lib.sh"
build=$(realpath "${1:?usage: check.sh BUILD [SERIES...]}") || exit 2
shift
export WARPSPEC_AGENT=${WARPSPEC_AGENT:-$build/warpspec-agent}
top=$(cd "$here/../../.." && pwd)
passed=0 failed=0

"$here/can" || exit
out=$build/siw
rm -rf "$out"
mkdir -p "$out" || die "$out: cannot be made"

# Find out for which series a driver from SIW_SRC builds, before anything runs.
builds() { "$here/kernel.sh" "$1" "$SIW_SRC" >/dev/null; }
if [[ ${SIW_SRC:-} && $# -eq 0 ]]; then
	if builds 6.12; then
		set -- 6.12
	else
		builds 6.1 || exit
		set -- 6.1
	fi
	echo "siw: $SIW_SRC on kernel $1"
elif [[ ${SIW_SRC:-} ]]; then
	for s in "$@"; do
		builds "$s" || exit
	done
fi
[[ $# -gt 0 ]] || set -- 6.1 6.12

# A process of its own counts the results of each series: most of a run is
# waiting for answers that the device does not send.
working=()
finish()
{
	[[ ${#working[@]} -eq 0 ]] || kill "${working[@]}" 2>/dev/null
	wait
}
trap finish EXIT
trap 'exit 2' INT TERM HUP

count()
{
	passed=$((passed + $1))
	failed=$((failed + $2))
}

# REPORT: print a line for each case with an unexpected result: its id, what
# was found, and its verdict.
unexpected()
{
	python3 - "$1" <<-'END'
		import json, sys
		run = json.load(open(sys.argv[1], encoding="utf-8"))
		odd = {}
		for case in run["cases"]:
		    if case["verdict"] in ("fail", "error"):
		        broken = [b["requirement"] for b in case.get("broken", [])]
		        odd[case["id"]] = " ".join(
		            [case["verdict"]] +
		            (sorted(set(broken)) or [case["reason"]]))
		for stale in run.get("stale", []):
		    if stale["case"]:
		        odd.setdefault(stale["case"], stale["text"])
		    else:
		        odd.setdefault("-", stale["entry"] + ": " + stale["text"])
		for finding in run.get("findings", []):
		    if "brings it down alone" not in finding:
		        odd.setdefault("-", finding.splitlines()[0])
		for case, text in odd.items():
		    print(case, text)
	END
}

# REPORT: print a line for each crash that no case repeated by itself: the
# kernel's message, and the cases that were running.
crashes_by_chance()
{
	python3 - "$1" <<-'END'
		import json, sys
		run = json.load(open(sys.argv[1], encoding="utf-8"))
		for finding in run.get("findings", []):
		    if "brings it down alone" in finding:
		        print("; ".join(x.strip() for x in finding.splitlines()[:8]))
	END
}

# REPORT: print how many cases have a verdict.
told()
{
	python3 - "$1" <<-'END'
		import json, sys
		n = json.load(open(sys.argv[1], encoding="utf-8"))["totals"]
		print(n["pass"] + n["info"] + n["warn"] + n["xfail"] + n["fail"])
	END
}

# FILE: print the ids in it that are cases.
ids() { sed -n '/^-/!s/ .*//p' "$1"; }

# SERIES NAME [AGAIN]: set `bad` to the number of new failures. A failure that
# is known to show by chance is neither new nor fixed; it is in the full
# comparison.
against_the_published()
{
	local new=$out/new-$2 published=$out/published-$1.json
	gzip -dc "$top/reports/published/linux-siw/report-$1.json.gz" \
		>"$published"
	"$here/compare" "$published" "$out/report-$2.json" "${@:3}" >"$new"
	sed "s/^/siw $1: /" "$new"
	bad=$(sed -nE 's/^([0-9]+) new, .*/\1/p' "$new")
	[[ $bad ]] || bad=1
	"$build/warpspec" report diff "$published" "$out/report-$2.json" \
		-o "$out/diff-$2.txt" || [[ $? -eq 1 ]] || bad=1
	echo "siw $1: all that differs: $out/diff-$2.txt"
}

# SERIES LINK: one run of the whole suite. siw has faults that show by chance;
# the known ones are listed as such. A new failure counts if the case fails
# again when it runs by itself; otherwise it is only reported. The same applies
# to a crash that none of the cases running at the time repeats by itself.
run()
{
	local name=$1-$2 deviations status odd again line good bad crashes
	local again_ran=
	deviations=$top/reports/published/linux-siw/deviations-$1.ini
	local options=(-d "$device_file" --link "$2")
	[[ -e $deviations ]] && options+=(--deviations "$deviations")
	"$build/warpspec" run "${options[@]}" --jobs "${SIW_JOBS:-4}" \
		${SIW_SELECT:+"$SIW_SELECT"} --captures "$out/captures-$name" \
		--report "json=$out/report-$name.json" \
		--report "text=$out/report-$name.txt" \
		--report "summary=$out/summary-$name.txt"
	status=$?
	[[ ${SIW_SRC:-} ]] || cat "$out/summary-$name.txt"
	[[ -s $console ]] && cat "$state/console.past" "$console" \
		>"$out/console-$name.log"
	if [[ ! -s $out/report-$name.json ]]; then
		echo "siw $1: the run ended with status $status and no report"
		count 0 1
		return
	fi
	good=$(told "$out/report-$name.json")
	odd=$out/unexpected-$name again=$out/again-$name
	unexpected "$out/report-$name.json" >"$odd"
	bad=$(wc -l <"$odd")
	crashes=$(crashes_by_chance "$out/report-$name.json")
	[[ $crashes ]] && sed "s/^/siw $1, by chance: /" <<<"$crashes"
	if [[ $bad -gt 0 && $bad -le 100 && -n $(ids "$odd") ]]; then
		mapfile -t cases < <(ids "$odd")
		"$build/warpspec" run "${options[@]}" --jobs 1 --quiet \
			"${cases[@]}" --captures "$again" \
			--report "json=$again.json" --report "text=$again.txt"
		{
			grep '^-' "$odd"
			[[ -s $again.json ]] && unexpected "$again.json"
		} >"$again"-list
		while read -r line; do
			grep -qF -- "${line%% *} " "$again"-list ||
				echo "siw $1, by chance: $line"
		done <"$odd"
		[[ -s $again.json ]] && odd=$again-list again_ran=yes
		[[ ${SIW_SRC:-} ]] || sed "s/^/siw $1, not expected: /" "$odd"
		bad=$(wc -l <"$odd")
	elif [[ $bad -gt 0 ]]; then
		[[ ${SIW_SRC:-} ]] || sed "s/^/siw $1, not expected: /" "$odd"
	elif [[ $status -gt 1 || ($status -eq 1 && ! $crashes) ]]; then
		bad=1
	fi
	[[ ${SIW_SRC:-} ]] && against_the_published "$1" "$name" \
		${again_ran:+"$again.json"}
	count $((good - bad < 0 ? 0 : good - bad)) "$bad"
	echo "siw $1, link $2: status $status; all of it: $out/report-$name.txt"
}

# COMMAND...: a check that closes with its counts; its log is shown if it
# fails. A check that is not possible here says so, and does not count.
step()
{
	local log=$out/${1##*/}-$series.log status good='' bad=''
	"$@" >"$log" 2>&1
	status=$?
	read -r good bad < <(tail -n 1 "$log" |
		sed -nE 's/.*: ([0-9]+) passed, ([0-9]+) failed$/\1 \2/p')
	[[ $status -ne 0 && ${bad:-0} -eq 0 ]] && bad=1
	[[ $status -eq 77 ]] && bad=0
	count "${good:-0}" "${bad:-0}"
	tail -n 1 "$log"
	[[ ${bad:-0} -eq 0 ]] || { sed 's/^/    /' "$log"; echo "(in $log)"; }
}

# SERIES: no service without an agent may accuse siw of more than the run before.
without_an_agent()
{
	local report=$out/report-$1-socket.json
	[[ -s $report ]] || report=
	WITH=$report step "$here/ulp-test" "$build" "$1"
	sed -n 's/^siw .*/&/p' "$out/ulp-test-$1.log"
}

# SERIES: all of it, in a process that ends its lab in any case.
check_series()
{
	lab_is "$1"
	trap '"$here/down" "$series"' EXIT
	trap 'exit 2' INT TERM HUP
	[[ ${SIW_SRC:-} ]] || step "$here/sctp_test.sh" "$build" "$1"
	"$here/up" "$1" || exit
	BUILD=$build step "$here/rping-test" "$1"
	run "$1" socket
	if [[ ! ${SIW_SRC:-} ]]; then
		[[ ${SERVICES-all} != all ]] || without_an_agent "$1"
		[[ ${SERVICES-all} == none ]] ||
			step "$here/between-test" "$build" "$1"
	fi
	echo "$passed $failed" >"$out/counts-$1"
}

lab_is "$1"
# The lab is the same for a driver from SIW_SRC.
[[ ${SIW_SRC:-} ]] || step "$here/lab_test.sh" "$build" "$1"
own_passed=$passed own_failed=$failed
passed=0 failed=0 # each series counts from 0
for s in "$@"; do
	(check_series "$s") >"$out/check-$s.log" 2>&1 &
	working+=($!)
done
status=0
for s in "$@"; do
	wait "${working[0]}" || status=$?
	working=("${working[@]:1}")
	cat "$out/check-$s.log"
	[[ -s $out/counts-$s ]] || exit "$status"
	read -r good bad <"$out/counts-$s"
	count "$good" "$bad"
done
count "$own_passed" "$own_failed"
echo "check-siw: $passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]

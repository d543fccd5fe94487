#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# network.sh BUILD [short] - distance and loss are facts of the link: suite and
# reference device in two network namespaces, joined by tun devices and a
# forwarder that delays, loses, reorders and duplicates (harness/lab/
# network_tool.c). No case may FAIL, WARN or be BLOCKED that is not without them
# ("plain"); 3 of 1,000 may be an ERROR, each after it was run again. A fault of
# the device is found there as well.
#
# With "short" it runs a few cases on each link. Otherwise it runs all cases on
# each link, with each number of jobs, over each network, and prints a table. Its
# runs are kept in BUILD/network: what has ended is not run again, what was
# interrupted goes on where it stopped, until the programs change. May be set:
# LINKS (socket raw sctp), JOBS ("16 1"), NETWORKS ("4 40 150 unruly outage
# narrower": a round trip in ms with losses, or a name), CASES (all; globs), MUTANTS
# (NAME=CASE..., each has to be found by this case over each network), SEED (1), LIMIT (14400 seconds for a
# run). Exit: 0 all limits are kept; 1 not.
set -u

build=${1:?usage: network.sh BUILD [short]}
short=${2:-}
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
tool=$build/tool/harness/lab/network_tool

if ! unshare -n true 2>/dev/null || [[ ! -w /dev/net/tun ]]; then
	echo "network: not here: no network namespace with a tun device can be made"
	exit 0
fi

# The options of a network. At a round trip of so many ms, 1 of 100 is lost.
network() {
	case $1 in
	plain) echo "--delay-ms 0" ;;
	# Bursts of three and more, many overtake one, everything comes twice.
	unruly) echo "--delay-ms 2 --jitter-ms 4 --burst 0.4 --reorder 2" \
		"--overtaken-ms 15 --duplicate 100" ;;
	outage) echo "--delay-ms 2 --loss 0.1 --outage-ms 2000" ;;
	# In the middle of streams the path takes less, as a router reports.
	narrower) echo "--delay-ms 2 --mtu 1000 --mtu-from 3 --mtu-reported 1" ;;
	# The same without a report: only the raw link recovers by itself.
	hole) echo "--delay-ms 2 --mtu 1000 --mtu-from 3" ;;
	mixed) echo "--delay-ms 2 --jitter-ms 2 --loss 0.5 --reorder 2" \
		"--duplicate 2" ;;
	*) echo "--delay-ms $(($1 / 2)) --loss 1" ;;
	esac
}

if [[ $short ]]; then
	kept=$scratch
else
	stamp=$(sha256sum "$build/warpspec" "$build/warpspec-refdut" "$tool" |
		sha256sum | cut -c1-16)
	stamp+=$(echo "${SEED:-1} ${CASES:-}" | sha256sum | cut -c1-8)
	kept=$build/network/$stamp
	mkdir -p "$kept" || exit 2
	# The runs of other programs say nothing about these.
	for old in "$build"/network/*; do
		[[ $old -ef $kept ]] || rm -rf "$old"
	done
fi
# The same in each of its parts: a journal belongs to a device.
echo "a secret of the checks" >"$kept/token"
cat >"$kept/socket.ini" <<-END
	[device]
	agent = 10.66.0.2:18515
	token-file = token
END
cat "$kept/socket.ini" - >"$kept/raw.ini" <<-END
	[link]
	kind = raw
	interface = wire
	address = 10.66.0.3/24
END
cat "$kept/socket.ini" - >"$kept/sctp.ini" <<-END
	[link]
	kind = sctp
END
passed=0 failed=0

# REPORT LINK JOBS NETWORK "DEVICE" CASE...: a run; $status, and its report. With
# $journal set, it goes on where it was interrupted.
run() {
	local report=$1 link=$2 jobs=$3 network=$4 device=$5 log=()
	shift 5
	if [[ ${journal:-} ]]; then
		log=(--journal "$journal")
		[[ -s $journal ]] && log=(--resume "$journal")
	fi
	rm -f "$report"
	# shellcheck disable=SC2046,SC2086 # words
	timeout "${LIMIT:-14400}" "$tool" $(network "$network") \
		--seed "${SEED:-1}" \
		"$build/warpspec-refdut" --bind 10.66.0.2 \
		--token-file "$kept/token" $device -- \
		"$build/warpspec" run -d "$kept/$link.ini" --jobs "$jobs" \
		--quiet --report "json=$report" "${log[@]}" "$@" \
		2>"$scratch/err"
	status=$?
}

# REPORT PLAIN-REPORT: what it accuses the device of, and how many cases could
# not be judged; last, a line of figures.
look() {
	/usr/bin/python3 - "$@" <<'PY'
import json
import os
import sys

LIMIT = 3  # of 1,000
ACCUSES = ("fail", "warn", "blocked")


def cases_of(path):
    with open(path) as f:
        return {case["id"]: case for case in json.load(f)["cases"]}


cases = cases_of(sys.argv[1])
plain = cases_of(sys.argv[2]) if os.path.exists(sys.argv[2]) else {}
accused = errors = 0
for case in cases.values():
    verdict, again = case["verdict"], case.get("retried", "")
    before = plain.get(case["id"], {}).get("verdict")
    if verdict in ACCUSES and verdict != before:
        accused += 1
    elif verdict == "error" and again:
        errors += 1
        continue
    elif verdict != "error":
        continue
    print(verdict, case["id"], case["reason"], case["detail"][:200])
ran = sum(case["verdict"] != "skip" for case in cases.values())
if errors > max(1, ran * LIMIT // 1000):
    print(f"{errors} of {ran} cases could not be judged")
again = sum("retried" in case for case in cases.values())
print(f"{ran} cases, {accused} accusations, {errors} errors "
      f"({1000 * errors / max(1, ran):.1f} in 1,000), {again} run again")
PY
}

tell() {
	if [[ $1 == yes ]]; then
		passed=$((passed + 1))
		echo "ok $2"
	else
		failed=$((failed + 1))
		echo "not ok $2"
		shift 2
		printf '%s\n' "$@" | head -20 | sed 's/^/  /'
	fi
}

# LINK JOBS NETWORK CASE...: no case accuses the device. A run that has ended is
# only looked at again.
is_clean() {
	local start=$SECONDS name=$1.$2.$3 seen what
	local report=$kept/$name.json journal=
	[[ $short ]] || journal=$kept/$name.journal
	what="$1, $2 jobs, network $3"
	if [[ -s $kept/$name.status ]]; then
		status=$(<"$kept/$name.status")
		what+=" (kept)"
	else
		run "$report" "$1" "$2" "$3" "" "${@:4}"
		# Neither a signal nor the limit of time has ended it.
		[[ $status == [0-5] && -s $report ]] &&
			echo "$status" >"$kept/$name.status"
	fi
	seen=$(look "$report" "$kept/$1.plain.json" 2>&1)
	what+=": exit $status, $((SECONDS - start)) s"
	table+=("$(printf '%-7s %4s  %-7s %4s  %s' "$1" "$2" "$3" "$status" \
		"$(tail -1 <<<"$seen")")")
	if [[ $status == [014] && $(wc -l <<<"$seen") == 1 ]]; then
		tell yes "$what; $seen"
	else
		tell no "$what" "$seen" "$(tail -3 "$scratch/err" 2>/dev/null)"
	fi
}

# LINK NETWORK MUTANT CASE...: its fault is found.
is_found() {
	run "$scratch/mutant.json" "$1" 4 "$2" "--mutant $3" "${@:4}"
	if [[ $status == 1 ]] && grep -q '"verdict": "fail"' \
		"$scratch/mutant.json"; then
		tell yes "$1, network $2: $3 is found"
	else
		tell no "$1, network $2: $3 is not found" "exit $status" \
			"$(look "$scratch/mutant.json" - 2>&1)"
	fi
}

table=()
if [[ $short ]]; then
	is_clean socket 16 4 'mpa/crc/*' 'mpa/close/*' 'rdmap/send/*'
	is_clean raw 16 mixed 'mpa/fpdu/*' 'mpa/tcp_segments/*'
	is_found socket 4 ignore_bad_crc \
		mpa/crc/wrong_crc_is_never_delivered
	echo "network: $passed passed, $failed failed"
	((passed > 0 && failed == 0))
	exit
fi

read -ra cases <<<"${CASES:-}"
for link in ${LINKS:-socket raw sctp}; do
	# What is there without distance and loss.
	[[ -s $kept/$link.plain.json ]] ||
		run "$scratch/plain.json" "$link" 16 plain "" "${cases[@]}"
	[[ -s $scratch/plain.json ]] &&
		mv "$scratch/plain.json" "$kept/$link.plain.json"
	for jobs in ${JOBS:-16 1}; do
		for network in ${NETWORKS:-4 40 150 unruly outage narrower}; do
			is_clean "$link" "$jobs" "$network" "${cases[@]}"
		done
	done
	for network in ${NETWORKS:-4 40 150 unruly outage narrower}; do
		for mutant in ${MUTANTS:-}; do
			is_found "$link" "$network" "${mutant%%=*}" \
				"${mutant#*=}"
		done
	done
done
echo
printf '%-7s %4s  %-7s %4s  %s\n' link jobs network exit result
printf '%s\n' "${table[@]}"
echo "network: $passed passed, $failed failed"
((passed > 0 && failed == 0))

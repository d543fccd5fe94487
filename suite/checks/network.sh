#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# network.sh BUILD [short] - distance and loss are facts of the link: suite and
# reference device in two network namespaces, joined by tun devices and a
# forwarder that delays, loses, reorders and duplicates (harness/lab/
# network_tool.c). No case may FAIL or WARN that does not do so without them; 3
# of 1,000 may be an ERROR that names the cause, each after it was run again. A
# fault of the device is found there as well.
#
# With "short" it runs a few cases on each link; otherwise all cases, at each
# distance. May be set: LINKS (socket raw), JOBS ("1 16"), RTTS ("4 40 150", in
# ms), LOSS (1, in 100), SEED (1), LIMIT (7200 seconds for a run), CASES (all).
# Exit: 0 all checks hold.
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
echo "a secret of the checks" >"$scratch/token"
cat >"$scratch/socket.ini" <<-END
	[device]
	agent = 10.66.0.2:18515
	token-file = $scratch/token
END
cat "$scratch/socket.ini" - >"$scratch/raw.ini" <<-END
	[link]
	kind = raw
	interface = wire
	address = 10.66.0.3/24
END
passed=0 failed=0

# LINK JOBS "NETWORK" "DEVICE" CASE...: a run; $status, and its report.
run() {
	local link=$1 jobs=$2 network=$3 device=$4
	shift 4
	rm -f "$scratch/report.json"
	# shellcheck disable=SC2086 # words
	timeout "${LIMIT:-7200}" "$tool" $network --seed "${SEED:-1}" \
		"$build/warpspec-refdut" --bind 10.66.0.2 \
		--token-file "$scratch/token" $device -- \
		"$build/warpspec" run -d "$scratch/$link.ini" --jobs "$jobs" \
		--quiet --report "json=$scratch/report.json" "$@" \
		2>"$scratch/err"
	status=$?
}

# The accusations in a report, and how many cases could not be judged.
look() {
	/usr/bin/python3 - "$scratch/report.json" <<'PY'
import json
import sys

with open(sys.argv[1]) as f:
    report = json.load(f)
errors = 0
for case in report["cases"]:
    verdict, again = case["verdict"], case.get("retried", "")
    told = "lost" in case["reason"] or "ms late" in case["reason"]
    if verdict == "error" and again and told:
        errors += 1
    elif verdict in ("fail", "warn", "blocked", "error"):
        print(verdict, case["id"], case["reason"], case["detail"][:200])
ran = sum(c["verdict"] != "skip" for c in report["cases"])
if errors > max(1, ran * 3 // 1000):
    print(f"{errors} of {ran} cases could not be judged")
again = sum("retried" in c for c in report["cases"])
print(f"{ran} cases ran, {again} again, {errors} not judged")
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

# LINK JOBS "NETWORK" CASE...: no case accuses the device.
is_clean() {
	local start=$SECONDS what="$1, $2 jobs, $3" seen
	run "$1" "$2" "$3" "" "${@:4}"
	seen=$(look 2>&1)
	what+=": exit $status, $((SECONDS - start)) s"
	if [[ $status == [04] && $(wc -l <<<"$seen") == 1 ]]; then
		tell yes "$what; $seen"
	else
		tell no "$what" "$seen" "$(tail -3 "$scratch/err")"
	fi
}

# LINK "NETWORK" MUTANT CASE: its fault is found.
is_found() {
	run "$1" 4 "$2" "--mutant $3" "$4"
	if [[ $status == 1 ]] && grep -q '"verdict": "fail"' \
		"$scratch/report.json"; then
		tell yes "$1, $2: $3 is found"
	else
		tell no "$1, $2: $3 is not found" "exit $status" "$(look 2>&1)"
	fi
}

lossy="--delay-ms 2 --loss ${LOSS:-1}"
unruly="--delay-ms 2 --jitter-ms 2 --loss 0.5 --reorder 2 --duplicate 2"
if [[ $short ]]; then
	is_clean socket 16 "$lossy" 'mpa/crc/*' 'mpa/close/*' 'rdmap/send/*'
	is_clean raw 16 "$unruly" 'mpa/fpdu/*' 'mpa/tcp_segments/*'
	is_found socket "$lossy" ignore_bad_crc \
		mpa/crc/wrong_crc_is_never_delivered
else
	for link in ${LINKS:-socket raw}; do
		for jobs in ${JOBS:-1 16}; do
			for rtt in ${RTTS:-4 40 150}; do
				is_clean "$link" "$jobs" \
					"--delay-ms $((rtt / 2)) --loss ${LOSS:-1}" \
					${CASES:+"$CASES"}
			done
			is_clean "$link" "$jobs" "$unruly" ${CASES:+"$CASES"}
		done
	done
fi
echo "network: $passed passed, $failed failed"
((passed > 0 && failed == 0))

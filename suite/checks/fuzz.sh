#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# fuzz.sh SECONDS FUZZER... - run each fuzzer for this long; its findings are
# left next to it. A fuzzer that reads text has a dictionary next to its
# source, x_fuzz.dict.
set -u

seconds=$1
shift
passed=0 failed=0
for fuzzer in "$@"; do
	corpus=$fuzzer.corpus
	mkdir -p "$corpus"
	words=${fuzzer#*/fuzz/}.dict
	dict=()
	[[ -f $words ]] && dict=(-dict="$words")
	if "$fuzzer" -max_total_time="$seconds" -artifact_prefix="$fuzzer-" \
		"${dict[@]}" \
		-max_len=70000 -rss_limit_mb=1024 "$corpus" \
		>"$fuzzer.log" 2>&1; then
		runs=$(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "$fuzzer.log")
		echo "ok ${fuzzer##*/}: $runs runs"
		passed=$((passed + 1))
	else
		tail -n 30 "$fuzzer.log" >&2
		echo "not ok ${fuzzer##*/}: see $fuzzer.log"
		failed=$((failed + 1))
	fi
done

echo "fuzz: $passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]

#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# valgrind.sh TEST... - the unit tests under valgrind's memcheck: no invalid
# access, no decision by memory that was never written, and nothing that is lost.
# Nothing is suppressed. Each check prints ok or not ok. Exit: 0 all ok.
set -u

passed=0 failed=0
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT
for test in "$@"; do
	name=${test#*/test/}
	timeout 300 valgrind --quiet --error-exitcode=99 --leak-check=full \
		--errors-for-leak-kinds=definite --child-silent-after-fork=yes \
		"$test" >"$log" 2>&1
	status=$?
	if [[ $status -eq 0 ]]; then
		passed=$((passed + 1))
		echo "ok $name"
	else
		failed=$((failed + 1))
		echo "not ok $name: status $status"
		grep -v '^ok' "$log" | head -n 30 | sed 's/^/  /'
	fi
done

echo "valgrind: $passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]

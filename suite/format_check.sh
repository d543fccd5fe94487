#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# format_check.sh FILE... - lists the files that are not laid out as
# .clang-format says.
set -u

passed=0 failed=0
for file in "$@"; do
	if clang-format "$file" | cmp -s - "$file"; then
		passed=$((passed + 1))
	else
		echo "$file: not as 'make format' would lay it out" >&2
		failed=$((failed + 1))
	fi
done

echo "format: $passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]

#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# format_check.sh FILE... - lists the files that are not laid out as
# .clang-format says.
set -u

clang-format --version >/dev/null || exit 2
mapfile -t bad < <(printf '%s\0' "$@" |
	xargs -0 -P "$(nproc)" -n 16 clang-format --dry-run 2>&1 |
	sed -n 's/^\([^:]*\):[0-9]*:[0-9]*: .*/\1/p' | sort -u)
for file in "${bad[@]}"; do
	echo "$file: not as 'make format' would lay it out" >&2
done

echo "format: $(($# - ${#bad[@]})) passed, ${#bad[@]} failed"
[[ ${#bad[@]} -eq 0 && $# -gt 0 ]]

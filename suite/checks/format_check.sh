#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# format_check.sh KNOWN FILE... - list the files whose layout differs from
# .clang-format. KNOWN is a file with checksums of files that were correct
# before, with this .clang-format and this clang-format: only changed files are
# checked. Exit: 0 all are correct.
set -u

known=${1:?usage: format_check.sh KNOWN FILE...}
shift
version=$(clang-format --version) || exit 2
version=$(sha256sum - .clang-format <<<"$version" | sha256sum)
mkdir -p "${known%/*}" || exit 2
[[ $(head -n 1 "$known" 2>/dev/null) == "$version" ]] || echo "$version" >"$known"

# "SUM  FILE" of the files that are not known.
mapfile -t anew < <(sha256sum -- "$@" | grep -vxFf <(tail -n +2 "$known"))
mapfile -t bad < <(printf '%s\n' "${anew[@]#*  }" |
	xargs -d '\n' -r -P "$(nproc)" -n 16 clang-format --dry-run 2>&1 |
	sed -n 's/^\([^:]*\):[0-9]*:[0-9]*: .*/\1/p' | sort -u)
for file in "${bad[@]}"; do
	echo "$file: not as 'make format' would lay it out" >&2
done
if [[ ${#anew[@]} -gt 0 ]]; then
	printf '%s\n' "${anew[@]}" |
		grep -vF "$(printf '  %s\n' "${bad[@]:-/}")" >>"$known"
fi

echo "format: $(($# - ${#bad[@]})) passed, ${#bad[@]} failed"
[[ ${#bad[@]} -eq 0 && $# -gt 0 ]]

#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# headers.sh - every header compiles alone, and twice in one file, without a
# warning: by gcc and by clang. Run from the top of the tree.
set -u

flags=(-std=c11 -D_GNU_SOURCE -I. -Wall -Wextra -Werror -Wno-override-init
	-fsyntax-only -x c -)
read -ra packages <<<"$(pkg-config --cflags libpcap cunit jansson libxml-2.0)"

# Exit 0 if HEADER compiles by COMPILER.
check()
{
	local compiler=$1 header=$2 said

	said=$(printf '#include "%s"\n#include "%s"\n' "$header" "$header" |
		"$compiler" "${packages[@]}" "${flags[@]}" 2>&1) && return 0
	printf '%s by %s:\n%s\n' "$header" "$compiler" "$said" >&2
	return 1
}

passed=0 failed=0
while read -r header; do
	for compiler in gcc clang; do
		if check "$compiler" "$header"; then
			passed=$((passed + 1))
		else
			failed=$((failed + 1))
		fi
	done
done < <(find harness suite reports vectors -name '*.h' | LC_ALL=C sort)

echo "headers: $passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]

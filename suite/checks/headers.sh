#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# headers.sh - every header compiles by itself, and twice in one file, without
# a warning: with gcc and with clang, in parallel. Run from the top of the
# tree.
set -u

# Lists of words, for the processes below.
flags="-std=c11 -D_GNU_SOURCE -I. -Wall -Wextra -Werror -Wno-override-init
	-fsyntax-only -x c -"
packages=$(pkg-config --cflags libpcap cunit jansson libxml-2.0)

# Exit 0 if HEADER compiles with COMPILER.
check()
{
	local compiler=$1 header=$2 said

	# shellcheck disable=SC2086 # words
	said=$(printf '#include "%s"\n#include "%s"\n' "$header" "$header" |
		"$compiler" $packages $flags 2>&1) && return 0
	printf '%s by %s:\n%s\n' "$header" "$compiler" "$said" >&2
	return 1
}

# HEADER...: one line for each and each compiler.
check_all()
{
	local header compiler
	for header; do
		for compiler in gcc clang; do
			check "$compiler" "$header" && echo ok || echo "not ok"
		done
	done
}
export -f check check_all
export packages flags

results=$(find harness suite reports vectors -name '*.h' | LC_ALL=C sort |
	xargs -d '\n' -n 8 -P "$(nproc)" bash -c 'check_all "$@"' -)
passed=$(grep -c '^ok' <<<"$results")
failed=$(grep -c '^not ok' <<<"$results")

echo "headers: $passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]

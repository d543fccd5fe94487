#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# complexity.sh - no function has more paths than a reader can keep in mind:
# its cyclomatic complexity, as pmccabe counts it, is at most 20 in the
# reference device and 25 elsewhere. A switch counts once, so that a plain
# table of cases does not count against a function. Run from the top of the
# tree.
set -u

[[ -d cases && -d harness ]] || { echo "complexity.sh: not at the top" >&2; exit 2; }
command -v pmccabe >/dev/null || {
	echo "complexity.sh: no pmccabe (Debian: pmccabe); 'make deps' installs it" >&2
	exit 2
}

find cases harness suite reports vectors -name '*.c' -print0 | LC_ALL=C sort -z |
	xargs -0 pmccabe 2>/dev/null | awk -F '\t' '
	{
		most = $6 ~ /^harness\/refdut\// ? 20 : 25
		if ($1 <= most) { passed++; next }
		failed++
		at = $6; sub(/\(.*/, "", at); name = $6; sub(/.*: /, "", name)
		printf "%s:%s: %s(): %s, %s at most\n", at, $4, name, $1, most
	}
	END {
		printf "complexity: %d passed, %d failed\n", passed, failed
		exit failed || !passed
	}'

#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Prove that a case with a wrong level does not compile: each of must(),
# should(), may() and observe() is offered a row of every kind. Run from the
# top of the tree; CC chooses the compiler.
set -u

CC=${CC:-cc}
failed=0
passed=0

snippet() # FUNCTION ROW
{
	cat <<-EOF
	#include "suite/req/req.h"
	void must(struct req_must);
	void should(struct req_should);
	void may(struct req_may);
	void observe(struct req_open);
	void claim(void);
	void claim(void)
	{
		$1($2);
	}
	EOF
}

compiles() # FUNCTION ROW
{
	snippet "$1" "$2" |
		$CC -std=c11 -I. -fsyntax-only -x c - 2>/dev/null
}

# One row of each kind, taken from the catalogue itself.
row() # KIND
{
	sed -n "s/^REQ($1, [A-Z_]*, \([A-Z0-9_]*\),.*/\1/p" \
		suite/req/*.def | head -n 1
}

for function in must should may observe; do
	for kind in must should may open; do
		ident=$(row "$kind")
		if [ -z "$ident" ]; then
			echo "level_test: no row of kind $kind" >&2
			failed=$((failed + 1))
			continue
		fi
		due=no
		case $function/$kind in
		must/must | should/should | may/may | observe/open) due=yes ;;
		esac
		seen=no
		compiles "$function" "$ident" && seen=yes
		if [ $seen = $due ]; then
			passed=$((passed + 1))
		else
			echo "level_test: $function($ident), a row of kind" \
				"$kind: compiles: $seen, due: $due" >&2
			failed=$((failed + 1))
		fi
	done
done

# A name without a row never compiles.
if compiles must MPA_0_0_99; then
	echo "level_test: a requirement that does not exist compiles" >&2
	failed=$((failed + 1))
else
	passed=$((passed + 1))
fi

echo "req levels: $passed passed, $failed failed"
[ $failed -eq 0 ]

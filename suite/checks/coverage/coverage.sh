#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# coverage.sh BUILD - which lines and branches run in the unit tests, in the
# comparison with the vectors, in whole runs on the clean device, and in the
# audit of their captures. BUILD has been made with COV=1. Writes a page for a
# browser, prints the counts of each folder, and has gaps.py look at codec,
# model and judgement. PUBLISH=1: gaps.py. Run from the top of the tree.
# Exit: 0 each gap is explained or known, 1 not, 2 something could not run.
set -u

build=${1:?usage: coverage.sh BUILD}
[[ -d cases && -d harness ]] || { echo "coverage.sh: not at the top" >&2; exit 2; }
warpspec=$build/warpspec
counts=$build/obj # where the programs leave what they have counted
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"; rm -f "$counts"/*.pcapng' EXIT

# NAME COMMAND...: one line if it fails.
performs()
{
	local name=$1
	shift
	"$@" </dev/null >"$scratch/log" 2>&1 && return
	echo "coverage.sh: $name: exit status $?; what it said:" >&2
	{ grep -vE ' passed, 0 failed$|^profiling:' "$scratch/log" ||
		cat "$scratch/log"; } |
		tail -n 5 | sed 's/^/    /' >&2
	exit 2
}

# OPTION...: a whole run. A worker may only write below the folder of captures:
# so that is where its counts are, too.
whole_run()
{
	performs "run $*" "$warpspec" run --quiet --refdut --judge-peer \
		--captures "$counts" --captures-of "$captures" \
		--report "json=$scratch/report.json" "$@"
}

# CAPTURE...: the peer of a case breaks rules, so there are findings.
audit()
{
	"$warpspec" audit --report summary "$@"
	[[ $? -le 1 ]]
}

find "$counts" -name '*.gcda' -delete
mapfile -t tests < <(find harness suite reports vectors -name '*_test.c' |
	LC_ALL=C sort | sed "s|.*|$build/test/&|; s|\\.c\$||")
# On a busy host a test may wait too short: such a one runs again, alone.
if ! suite/checks/unit.sh "${tests[@]}" >"$scratch/units" 2>&1; then
	mapfile -t again < <(sed -n 's/^\(.*_test\): status [0-9]*$/\1/p' "$scratch/units")
	JOBS=1 performs "unit tests" suite/checks/unit.sh "${again[@]}"
fi
performs vectors "$build/tool/vectors/tool/vectors_tool" check vectors/*.vec

captures=all
for link in socket sctp; do
	whole_run --link "$link"
	find "$counts" -maxdepth 1 -name '*.pcapng' |
		LC_ALL=C sort >"$scratch/captures"
	mapfile -t taken <"$scratch/captures"
	performs "audit of $link" audit "${taken[@]}"
	rm -f "${taken[@]}"
done
captures=failures
atomics=fetchadd,cmpswap,masked-atomics
whole_run --second-connection
whole_run --without "$atomics"
whole_run --without "$atomics,imm,imm-se"
for spec in draft-10 draft-03 draft-01; do
	whole_run --spec "$spec"
done

folder=$build/page
rm -rf "$folder"
mkdir -p "$folder" || exit 2
# The branch of an assertion that does not hold is a bug of ours.
performs gcovr gcovr --root . --object-directory "$counts" -j "$(nproc)" \
	--exclude-unreachable-branches --exclude-throw-branches \
	--exclude-branches-by-pattern '^\s*assert\(' \
	--filter 'harness/' --filter 'suite/' --filter 'reports/' \
	--exclude '.*_(test|bench|fuzz|tool|prove|fixture)\.[ch]$' \
	--exclude '.*/(testing|sample|fuzz|unit)\.[ch]$' \
	--json "$build/coverage.json" \
	--html-details "$folder/index.html" --html-title "warpspec: coverage" \
	"$counts/harness" "$counts/suite" "$counts/reports"
echo "To read in a browser: $folder/index.html"
exec suite/checks/coverage/gaps.py "$build/coverage.json"

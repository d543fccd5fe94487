#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# analyze.sh BUILD FILE... - the static analyses of cppcheck and of gcc
# -fanalyzer, of these files. A finding that is none is listed with its reason in
# cppcheck.txt or analyzer.txt beside this script; one that is listed and not
# found is reported when all files are analyzed. COMPILE is the command of the
# build, ALL=1 says that these are all files. Closes with the counts. Exit: 0
# nothing found.
set -u

build=${1:?usage: analyze.sh BUILD FILE...}
shift
here=${0%/*}
out=$build/check/analyze
passed=0 failed=0
mkdir -p "$out/cppcheck" || exit 2

# The checks of cppcheck that are on: errors, and these. Not `style`: that is
# clang-format's and the reviewers'. Information about cppcheck itself is off.
cppcheck -q -j "$(nproc)" --enable=warning,performance,portability \
	--inline-suppr --std=c11 --cppcheck-build-dir="$out/cppcheck" \
	--suppressions-list="$here/cppcheck.txt" \
	--template='{file}:{line}: {id}: {message}' --template-location='' \
	-D_GNU_SOURCE -DWARPSPEC_VERSION='"0"' -I. -Isuite/language "$@" \
	>"$out/cppcheck.log" 2>&1
found=$(grep -c . "$out/cppcheck.log")
if [[ $found -gt 0 ]]; then
	cat "$out/cppcheck.log"
	failed=$((failed + found))
else
	passed=$(($# + passed))
fi
echo "cppcheck: $# files, $found findings"

# One at a time for each processor; the analyzer of gcc 12 is for C alone.
printf '%s\n' "$@" | xargs -P "$(nproc)" -n 1 sh -c '
	$COMPILE -Isuite/language -fanalyzer -o /dev/null "$1" 2>&1 |
		grep -E "warning:.*\[-Wanalyzer" |
		sed -E "s/^([^:]+):([0-9]+).*warning: (.*) \[(CWE[^]]*)?\]? ?\[?-W(analyzer[^]]*)\]/\1 \5 line \2: \3/"' - \
	2>&1 | sort -u >"$out/analyzer.log"
while read -r file warning rest; do
	[[ $file ]] || continue
	if grep -q "^$file $warning " "$here/analyzer.txt"; then
		passed=$((passed + 1))
	else
		echo "$file $warning $rest"
		failed=$((failed + 1))
	fi
done <"$out/analyzer.log"
if [[ ${ALL:-} ]]; then
	while read -r file warning _; do
		[[ $file && $file != "#" ]] || continue
		grep -q "^$file $warning " "$out/analyzer.log" && continue
		echo "analyzer.txt: $file $warning: not found any more"
		failed=$((failed + 1))
	done <"$here/analyzer.txt"
fi
echo "gcc -fanalyzer: $# files, $(grep -c . "$out/analyzer.log") findings"
passed=$(($# + passed))
echo "analyze: $passed passed, $failed failed"
[[ $failed -eq 0 ]]

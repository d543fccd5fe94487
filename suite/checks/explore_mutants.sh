#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# explore_mutants.sh BUILD [MUTANT...] - which faults exploration finds by
# itself: no case runs, only random programs from one seed. Each mutant of the
# reference device, or each named one, is explored until the first finding, for
# at most SECONDS_EACH (60). A mutant counts as found if a program has shown
# it, under any requirement, or if it took the device down; most of them, or
# LEAST (300), have to be found.
#
# May be set: SECONDS_EACH, LEAST, SEED (1), SAMPLE (1; every so many-th), OUT
# (a folder for the programs of each, and a list of the results), LIST
# (mutants, or another list of the device), PUBLISH (1: write which were found
# to reports/published/explore-LIST). Exit: 0 enough were found, 1 fewer.
set -u

# shellcheck source=suite/checks/testing.sh
. "${0%/*}/testing.sh"
shift

seconds=${SECONDS_EACH:-60}
least=${LEAST:-300}
seed=${SEED:-1}
out=${OUT:-$tmp/programs}
mkdir -p "$out" || exit 2

if [[ $# -gt 0 ]]; then
	names=("$@")
	least=${LEAST:-$#}
else
	mapfile -t names < <("$refdut" "--list-${LIST:-mutants}" | cut -f 1 |
		awk -v every="${SAMPLE:-1}" 'NR % every == 0')
fi

# MUTANT: prints its result as a line: found, clean, or the reason for neither.
one()
{
	local status began=$EPOCHREALTIME said

	rm -rf "${5:?}/$2"
	mkdir -p "$5/$2"
	said=$("$1" explore --refdut="$2" --seed "$3" --time "$4" --findings 1 \
		--jobs 1 --programs "$5/$2" --quiet --report text=/dev/null 2>&1)
	status=$?
	printf '%s\t%s\t%d\t%s\n' "$2" "$status" \
		$(((${EPOCHREALTIME/[.,]/} - ${began/[.,]/}) / 1000)) "${said//$'\n'/ }"
}
export -f one
printf '%s\n' "${names[@]}" |
	xargs -P "$(nproc)" -I {} bash -c \
		'one "$0" "$1" "$2" "$3" "$4"' "$warpspec" {} "$seed" \
		"$seconds" "$out" >"$out/list"
sort -o "$out/list" "$out/list"

found=$(awk -F '\t' '$2 == 1 || $2 == 3' "$out/list" | wc -l)
awk -F '\t' '$2 == 0 { print "not found: " $1 }' "$out/list"
while IFS=$'\t' read -r name status ms said; do
	not_ok "$name" "exit status $status after $ms ms: $said"
done < <(awk -F '\t' '$2 != 0 && $2 != 1 && $2 != 3' "$out/list")
echo "# $found of ${#names[@]} found; the slowest after $(cut -f 3 "$out/list" |
	sort -n | tail -n 1) ms"
# More time might find one that was not found; for the others the time means
# little.
if [[ ${PUBLISH:-0} == 1 ]]; then
	published=reports/published/explore-${LIST:-mutants}
	mkdir -p "$published" || exit 2
	awk -F '\t' '{
		print $1 "\t" ($2 == 1 ? "found" : $2 == 3 ? "crash" : "not found")
	}' "$out/list" >"$published/list.txt"
	printf '%s\n' "seed: $seed" "seconds for each: $seconds" "jobs: 1" \
		"${LIST:-mutants}: ${#names[@]}" "found: $found" \
		>"$published/digest.txt"
fi
if [[ $found -ge $least ]]; then
	ok "at least $least are found"
else
	not_ok "at least $least are found" "$found are"
fi
echo "explore-${LIST:-mutants}: $passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]

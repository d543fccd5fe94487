#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# explore_planted.sh BUILD [COINCIDENCE...] - exploration finds faults that
# cases do not: those that need two or three coincident events,
# `warpspec-refdut --list-coincidences`. First a whole run on each of them has
# to find nothing; then exploration gets SECONDS_EACH (600) for each, from one
# seed, and has to find most of them, or LEAST (25). A fault counts as found if
# its program shows it again, and shows nothing on a device without it: a busy
# host causes other findings.
#
# May be set: CASES (1; 0 omits the runs), LINK (socket) for them, and the
# variables of explore_mutants.sh. Exit: 0 no case finds any of them and
# exploration finds enough, 1 otherwise.
set -u

# shellcheck source=suite/checks/testing.sh
. "${0%/*}/testing.sh"
shift

if [[ $# -gt 0 ]]; then
	names=("$@")
	least=${LEAST:-$#}
else
	mapfile -t names < <("$refdut" --list-coincidences | cut -f 1 |
		awk -v every="${SAMPLE:-1}" 'NR % every == 0')
	least=${LEAST:-25}
fi

if [[ ${CASES:-1} != 0 ]]; then
	for name in "${names[@]}"; do
		"${run[@]}" --refdut="$name" --link "${LINK:-socket}" \
			--report text="$tmp/text" >"$tmp/out" 2>&1
		status=$?
		if [[ $status -eq 0 ]]; then
			ok "no case finds $name"
		else
			not_ok "no case finds $name" "exit status $status" \
				"$(grep -E '^(FAIL|ERROR|WARN)' "$tmp/text" "$tmp/out" |
					head -n 5)"
		fi
	done
fi

out=${OUT:-$tmp/programs}
LIST=coincidences LEAST=0 OUT=$out SECONDS_EACH=${SECONDS_EACH:-600} \
	"$here/explore_mutants.sh" "$build" "${names[@]}"

# DEVICE PROGRAM: the exit status of performing it.
replay()
{
	"$warpspec" explore "--refdut$1" --replay "$2" --quiet \
		--report text=/dev/null >"$tmp/out" 2>&1
}

found=0
for name in "${names[@]}"; do
	said="no program"
	for program in "$out/$name"/*.program; do
		[[ -e $program ]] || continue
		replay "=$name" "$program"
		status=$?
		if [[ $status -ne 1 ]]; then
			said="$program: exit status $status"
		elif ! replay '' "$program"; then
			said="$program: a device without the fault has it, too: exit status $?"
		else
			said=
			break
		fi
	done
	if [[ $said ]]; then
		echo "not found: $name: $said"
	else
		found=$((found + 1))
	fi
done
if [[ $found -ge $least ]]; then
	ok "at least $least of ${#names[@]} are found: $found"
else
	not_ok "at least $least of ${#names[@]} are found" "$found are"
fi
echo "explore-planted: $passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]

#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# metamorphic.sh BUILD - the same octets in other TCP segments get the same
# verdicts: whole runs cut at random, samples in single octets, and, if the
# machine allows the raw link, out of order and duplicated. So do the same cases
# on a second connection, unless a fault shows only there. CLEAN_RUNS may have
# the runs that are not cut (clean_run.py). Exit: 0 all the same.
set -u

build=${1:?usage: metamorphic.sh BUILD}
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
python=/usr/bin/python3
[[ -x $python ]] || python=python3
# Cases of every layer: where octets are reassembled, and where they are
# judged.
sample=('mpa/crc/*' 'mpa/fpdu/*' 'mpa/markers_*/*' 'mpa/startup/*'
	'mpa/startup_refused/*' 'ddp/segmentation/*' 'ddp/reassembly/*'
	'ddp/zero_length_write/*' 'ddp/tagged/*' 'rdmap/ordering/*'
	'rdmap/terminate/*')
passed=0 failed=0

# NAME OPTION...: write the verdicts of a run, one line for each case, into
# $scratch/NAME.
verdicts()
{
	local name=$1 report=$scratch/report.json
	shift
	rm -f "$report"
	# Others need those that have only these two options.
	if [[ $# -gt 3 || " $* " == *" --segmentation "* ]] ||
		! "${0%/*}/clean_run.py" "$build" "$report" "$@" \
			</dev/null >"$scratch/out" 2>&1; then
		rm -f "$report"
		timeout -k 5 300 "$build/warpspec" run --refdut --quiet "$@" \
			--report json="$report" </dev/null >"$scratch/out" 2>&1
		status=$?
	fi
	[[ -s $report ]] || return 1
	"$python" - "$report" <<'PY' >"$scratch/$name"
import json
import sys

with open(sys.argv[1], encoding="utf-8") as f:
    for c in json.load(f)["cases"]:
        print(c["id"], c["verdict"], *c["requirements"])
PY
	[[ -s $scratch/$name ]]
}

# LINK HOW SELECTOR...: compare verdicts in other segments with those of the
# whole run. HOW is an argument of --segmentation, or another option.
same()
{
	local link=$1 how=$2 option=(--segmentation "$2")
	shift 2
	[[ $how == --* ]] && option=("$how")
	if ! verdicts other --link "$link" "${option[@]}" "$@"; then
		echo "$link, $how: status $status, no report:" \
			"$(tail -n 1 "$scratch/out")"
		failed=$((failed + 1))
		return
	fi
	# Of the whole run, only the cases of this one.
	awk 'NR == FNR { here[$1]; next } $1 in here' "$scratch/other" \
		"$scratch/$link" >"$scratch/wanted"
	echo "$link, $how: $(wc -l <"$scratch/other") cases"
	if cmp -s "$scratch/wanted" "$scratch/other"; then
		passed=$((passed + 1))
		return
	fi
	failed=$((failed + 1))
	diff "$scratch/wanted" "$scratch/other" | grep '^[<>]'
}

verdicts socket --link socket || {
	echo "metamorphic: no report to compare with: $(tail -n 1 "$scratch/out")"
	exit 1
}
same socket random:7
same socket octets "${sample[@]}"
same socket --second-connection
verdicts sctp --link sctp && same sctp --second-connection
if verdicts raw --link raw; then
	same raw random:7
	same raw octets "${sample[@]}"
	same raw reordered "${sample[@]}"
	same raw duplicated "${sample[@]}"
	same raw --second-connection
elif [[ $status -eq 2 ]]; then
	echo "not on the raw link here: $(tail -n 1 "$scratch/out")"
else
	echo "the raw link: status $status: $(tail -n 1 "$scratch/out")"
	failed=$((failed + 1))
fi

echo "metamorphic: $passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]

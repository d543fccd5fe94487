#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# report_test.sh BUILD - tests commands on the reports of past runs: a report
# that is read and written again is the same; the regressions of a mutant are
# exactly its failures; shards make up the run; failed cases run again; devices
# are set side by side; bad input is rejected. Closes with the counts. Exit: 0
# all ok.
set -u

# shellcheck source=suite/checks/testing.sh
. "${0%/*}/testing.sh"

# A few cases of each layer: enough, and quick.
some=('mpa/crc/wrong_*' 'mpa/crc/a_damaged_*' mpa/rtr_sent mpa/rtr_received
	rdmap/header)

# NAME REFDUT [OPTION...]: its report is $tmp/NAME.json.
run_of()
{
	local name=$1 refdut=$2
	shift 2
	timeout 300 "${run[@]}" "--refdut$refdut" --jobs 4 \
		--report json="$tmp/$name.json" "$@" "${some[@]}" \
		>"$tmp/$name.out" 2>&1
}

run_of good ""
run_of mutant =ignore_bad_crc --report text="$tmp/mutant.text" \
	--report summary="$tmp/mutant.summary" \
	--report junit="$tmp/mutant.junit" --report tap="$tmp/mutant.tap"
run_of other =+no_depths
for k in 1 2 3; do
	run_of "shard$k" =ignore_bad_crc --shard "$k/3"
done
timeout 300 "${run[@]}" --refdut=ignore_bad_crc --journal "$tmp/journal" \
	rdmap/header >"$tmp/out" 2>&1
timeout 300 "${run[@]}" --refdut=ignore_bad_crc --resume "$tmp/journal" \
	--report json="$tmp/resumed.json" "${some[@]}" >"$tmp/out" 2>&1

report=("$warpspec" report)

# --- read again -------------------------------------------------------

for name in good mutant other shard2 resumed; do
	exits "$name, written again" 0 "${report[@]}" json "$tmp/$name.json" \
		-o "$tmp/again.json" &&
		if cmp -s "$tmp/$name.json" "$tmp/again.json"; then
			ok "$name, read and written again, is the same"
		else
			not_ok "$name, read and written again, is the same" \
				"$(diff "$tmp/$name.json" "$tmp/again.json" | head -n 6)"
		fi
done
timeout 300 "$warpspec" explore --quiet --refdut=fetchadd_mask_ignored --seed 1 \
	--findings 1 --programs "$tmp" --report json="$tmp/explored.json" \
	>"$tmp/out" 2>&1
says "what was explored is read again" 0 "1 passed, 1 failed" \
	"${report[@]}" text "$tmp/explored.json"
for format in text summary junit tap; do
	exits "$format of a past run" 0 "${report[@]}" "$format" \
		"$tmp/mutant.json" -o "$tmp/again" &&
		if cmp -s "$tmp/mutant.$format" "$tmp/again"; then
			ok "$format of a past run is that of the run"
		else
			not_ok "$format of a past run is that of the run" \
				"$(diff "$tmp/mutant.$format" "$tmp/again" | head -n 6)"
		fi
done

# --- diff -------------------------------------------------------------

says "a run and itself" 0 $'\n0 regressions, [0-9]+ the same' \
	"${report[@]}" diff "$tmp/good.json" "$tmp/good.json"
# The failed ids, and those reported as regressions.
exits "a mutant has regressions" 1 "${report[@]}" diff "$tmp/good.json" \
	"$tmp/mutant.json" -o "$tmp/diff.txt" && {
	"$python" - "$tmp/mutant.json" <<'PY' >"$tmp/failed"
import json, sys
for c in json.load(open(sys.argv[1], encoding="utf-8"))["cases"]:
    if c["verdict"] in ("fail", "error", "blocked"):
        print(c["id"])
PY
	sed -nE '/^[0-9]+ regressions$/,/^[0-9]+ (case|regr)/s/^(FAIL|ERROR|BLOCK) +([^ ]+):( .*|$)/\2/p' \
		"$tmp/diff.txt" >"$tmp/told"
	if [[ -s $tmp/failed ]] && cmp -s "$tmp/failed" "$tmp/told"; then
		ok "exactly the failures of a mutant are its regressions"
	else
		not_ok "exactly the failures of a mutant are its regressions" \
			"$(diff "$tmp/failed" "$tmp/told" | head -n 8)"
	fi
}
if [[ $(awk 'length > 80 && !/^[A-Z]+ +[^ ]+$/' "$tmp/diff.txt") ]]; then
	not_ok "a diff has 80 columns" "$(awk 'length > 80' "$tmp/diff.txt" | head -n 3)"
else
	ok "a diff has 80 columns"
fi
"$python" - "$tmp/good.json" "$tmp/slow.json" <<'PY'
import json
import sys

run = json.load(open(sys.argv[1], encoding="utf-8"))
slow = next(c for c in run["cases"] if c["verdict"] == "pass")
slow["duration_ms"] = 2 * slow["duration_ms"] + 1000
json.dump(run, open(sys.argv[2], "w", encoding="utf-8"))
PY
says "a case that takes longer is no regression" 0 \
	"1 case took at least twice as long.* ms -> 1[0-9.]+ ms.*0 regressions" \
	"${report[@]}" diff "$tmp/good.json" "$tmp/slow.json"
says "a mutant is fixed" 0 "cases fixed" "${report[@]}" diff \
	"$tmp/mutant.json" "$tmp/good.json"
says "in Markdown" 1 '\*\*FAIL\*\* `mpa/crc/' "${report[@]}" diff \
	"$tmp/good.json" "$tmp/mutant.json" --format markdown
says "in HTML" 1 '<h2>[0-9]+ regressions</h2>' "${report[@]}" diff \
	"$tmp/good.json" "$tmp/mutant.json" --format html
"${run[@]}" --report json="$tmp/few.json" mpa/rtr_sent >"$tmp/out" 2>&1
says "what differs in the runs" 0 "  selectors: .* -> mpa/rtr_sent" \
	"${report[@]}" diff "$tmp/good.json" "$tmp/few.json"

# --- merge ------------------------------------------------------------

# Except times, random octets, where it was run, cases that ran again because
# the host was busy, and values that the device chooses: its addresses are others
# in each run.
timeless()
{
	"$python" - "$1" <<'PY'
import json, re, sys
r = json.load(open(sys.argv[1], encoding="utf-8"))
for key in ("started", "finished", "duration_ms", "dimensions", "jobs"):
    r.pop(key, None)
for c in r["cases"]:
    c.pop("duration_ms")
    c.pop("evidence", None)
    c.pop("axes", None)
    c.pop("retried", None)
print(re.sub(r"\[[0-9a-f .]+(\([0-9]+ octets\))?\]", "[]",
             json.dumps(r, indent=1)))
PY
}
exits "shards are merged" 0 "${report[@]}" merge "$tmp"/shard[312].json \
	-o "$tmp/merged.json" && {
	timeless "$tmp/merged.json" >"$tmp/a"
	timeless "$tmp/mutant.json" >"$tmp/b"
	if cmp -s "$tmp/a" "$tmp/b"; then
		ok "shards are the run, but for times"
	else
		not_ok "shards are the run, but for times" "$(diff "$tmp/a" "$tmp/b" | head -n 8)"
	fi
}
refuses "a gap" "a gap: shard 3 of 3 is missing" \
	"${report[@]}" merge "$tmp/shard1.json" "$tmp/shard2.json"
refuses "an overlap" "an overlap: .*shard2.json are both shard 2 of 3" \
	"${report[@]}" merge "$tmp"/shard[123].json "$tmp/shard2.json"
refuses "another device" "different devices: '.*mutant ignore_bad_crc' and 'built-in device'" \
	"${report[@]}" merge "$tmp/shard1.json" "$tmp/good.json"
sed 's/"version": "[^"]*"/"version": "9"/' "$tmp/shard2.json" >"$tmp/suite.json"
refuses "another suite" "different versions of the suite: '.*' and '9'" \
	"${report[@]}" merge "$tmp/shard1.json" "$tmp/suite.json" "$tmp/shard3.json"
refuses "a run that is no shard" "a whole run, not a shard" \
	"${report[@]}" merge "$tmp/mutant.json" "$tmp/mutant.json"

# --- again ------------------------------------------------------------

exits "what failed runs again" 0 "${run[@]}" --rerun "$tmp/mutant.json" \
	--report json="$tmp/rerun.json" && {
	"$python" - "$tmp/rerun.json" <<'PY' >"$tmp/told"
import json, sys
for c in json.load(open(sys.argv[1], encoding="utf-8"))["cases"]:
    print(c["id"])
PY
	if cmp -s "$tmp/failed" "$tmp/told"; then
		ok "what failed runs again, and nothing else"
	else
		not_ok "what failed runs again, and nothing else" \
			"$(diff "$tmp/failed" "$tmp/told" | head -n 8)"
	fi
}
says "a rerun is no loss" 0 "0 regressions" "${report[@]}" diff \
	"$tmp/good.json" "$tmp/rerun.json"
refuses "nothing failed" "no case failed in it" \
	"${run[@]}" --rerun "$tmp/good.json"
refuses "of another specification" "that run was with --spec rfc7306, this one is with --spec draft-01" \
	"${run[@]}" --rerun "$tmp/mutant.json" --spec draft-01
refuses "of a device with other features" "other features: imm.* is claimed there" \
	"${run[@]}" --rerun "$tmp/mutant.json" --without imm,imm-se
refuses "a rerun of no report" "journal: line 2: " \
	"${run[@]}" --rerun "$tmp/journal"

# --- matrix -----------------------------------------------------------

says "three devices" 0 "The devices.*A: built-in device \(.*the reference.*Interoperability of pairs.*Layer by device.*mpa +[0-9]+/[0-9]+.*all +[0-9]+/[0-9]+.*Requirements.*Cases.*The runs.*cases: [0-9]+ passed" \
	"${report[@]}" matrix "$tmp/mutant.json" "$tmp/good.json" "$tmp/other.json"
says "their letters" 0 $'\nmpa/crc/wrong_crc_is_never_delivered +PASS +FAIL' \
	"${report[@]}" matrix "$tmp/mutant.json" "$tmp/good.json" "$tmp/other.json"
# A device that sends only a Send as RTR, and one that accepts only a Write.
for side in send write; do
	without=rtr-read,rtr-$([[ $side == send ]] && echo write || echo send)
	run_of "$side" "" --without "$without"
done
says "who has no RTR in common" 0 "A [^.]* and B [^.]*RTRs:.*sends a Send as RTR.*does not claim to accept a Send as" \
	"${report[@]}" matrix "$tmp/write.json" --reference "$tmp/send.json"
# A device of which most cases are blocked, next to one that is correct.
timeout 300 "${run[@]}" --control closer --report json="$tmp/closer.json" \
	"${some[@]}" >"$tmp/out" 2>&1
says "a device whose cases were blocked does not look flawless" 0 \
	$'\nmpa +0/[0-9]+ +[0-9]+\\+[0-9]+\\?/[0-9]+' \
	"${report[@]}" matrix "$tmp/good.json" "$tmp/closer.json"
exits "as a page" 0 "${report[@]}" matrix "$tmp/good.json" "$tmp/mutant.json" \
	-o "$tmp/matrix" &&
	if [[ $(ls "$tmp/matrix") == index.html ]] &&
		grep -q '<b class="v fail">FAIL' "$tmp/matrix/index.html" &&
		! grep -qE '<script|https?:' "$tmp/matrix/index.html"; then
		ok "as a page that needs nothing else"
	else
		not_ok "as a page that needs nothing else" "$(ls "$tmp/matrix")"
	fi
says "the page is written anew" 0 "" "${report[@]}" matrix "$tmp/good.json" \
	-o "$tmp/matrix"
# The capture of a failure is stored with the page; a capture of another run is
# not.
exits "a run with captures" 1 "${run[@]}" --refdut=ignore_bad_crc mpa/crc/wrong_crc_is_never_delivered \
	--captures "$tmp/caps" --report json="$tmp/caught.json"
exits "a page with captures" 0 "${report[@]}" matrix "$tmp/good.json" \
	"$tmp/caught.json" -o "$tmp/matrix" &&
	if [[ $(grep -o 'href="captures/[^"]*' "$tmp/matrix/index.html" | uniq -c) == \
		*" 2 "href=\"captures/B.mpa.crc.wrong_crc_is_never_delivered.pcapng ]] &&
		cmp -s "$tmp"/matrix/captures/* \
			"$tmp/caps/mpa.crc.wrong_crc_is_never_delivered.pcapng"; then
		ok "a page with captures"
	else
		not_ok "a page with captures" "$(ls "$tmp/matrix/"*)"
	fi
echo garbage >"$tmp/caps/mpa.crc.wrong_crc_is_never_delivered.pcapng"
exits "a page without captures that are not the run's" 0 "${report[@]}" matrix \
	"$tmp/good.json" "$tmp/caught.json" -o "$tmp/matrix" &&
	if [[ ! -e $tmp/matrix/captures ]]; then
		ok "a page without captures that are not the run's"
	else
		not_ok "a page without captures that are not the run's"
	fi
mkdir "$tmp/full"
echo mine >"$tmp/full/file"
refuses "a folder with other things in it" "full" \
	"${report[@]}" matrix "$tmp/good.json" -o "$tmp/full"

# --- bad input --------------------------------------------------------

refuses "no subcommand" "no subcommand" "${report[@]}"
refuses "an unknown one" "did you mean merge" "${report[@]}" marge
refuses "an unknown option" "--fromat: .*did you mean --format" \
	"${report[@]}" diff --fromat text a b
refuses "no such format" "--format pdf: no such format" \
	"${report[@]}" diff --format pdf a b
refuses "one file alone" "a file is missing" "${report[@]}" diff a
refuses "no such file" "none: No such file" "${report[@]}" text "$tmp/none"
refuses "a folder" "not a regular file" "${report[@]}" text "$tmp"
mkfifo "$tmp/fifo.json"
refuses "a FIFO" "not a regular file" "${report[@]}" text "$tmp/fifo.json"
head -c 5000 "$tmp/good.json" >"$tmp/bad.json"
refuses "one that is cut short" "bad.json: line [0-9]+: " \
	"${report[@]}" text "$tmp/bad.json"
sed 's/"schema": 2/"schema": 3/' "$tmp/good.json" >"$tmp/bad.json"
refuses "another schema" "a report of schema 3; this program reads 2" \
	"${report[@]}" text "$tmp/bad.json"
sed 's/"pass": [0-9]*/"pass": 1/' "$tmp/good.json" >"$tmp/bad.json"
refuses "totals that do not count the cases" "totals: pass: 1, but it has" \
	"${report[@]}" text "$tmp/bad.json"
sed '0,/"id": "[^"]*"/s//"id": "mpa\/\\u001b[31m"/' "$tmp/good.json" >"$tmp/bad.json"
refuses "an id that moves the cursor" "not the path of a case: 'mpa/.x1b" \
	"${report[@]}" text "$tmp/bad.json"
sed '0,/"name": "built-in device"/s//"name": "<script>x<\/script>\\u001b[2J"/' \
	"$tmp/good.json" >"$tmp/bad.json"
says "markup in a name is text" 0 '&lt;script&gt;x' "${report[@]}" diff \
	"$tmp/good.json" "$tmp/bad.json" --format html
exits "a full disk" 4 "${report[@]}" text "$tmp/good.json" -o /dev/full &&
	ok "a full disk is reported"

echo "report: $passed passed, $failed failed"
[[ $failed -eq 0 ]]

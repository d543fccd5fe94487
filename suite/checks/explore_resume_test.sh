#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# explore_resume_test.sh BUILD - tests the memory of an exploration: it resumes
# where it was ended, and only with the same device and options; known
# deviations are expected and avoided; a program that takes the device down is
# reported, and exploration continues. Closes with the counts.
set -u

# shellcheck source=suite/checks/testing.sh
. "${0%/*}/testing.sh"

cd "$tmp" || exit 2
explore=("$warpspec" explore --quiet --seed 3)

# JOURNAL PID [PROGRAMS]: wait until the journal has more than this many
# programs, whose number is then in `told`, or the process is gone; at most
# half a minute.
told_more()
{
	local until=$((SECONDS + 30)) least=${3:-0}
	while told=$(sed -nE 's/.*"state":.*"programs":([0-9]+).*/\1/p' "$1" \
		2>/dev/null | tail -n 1); [[ ${told:-0} -le $least ]] &&
		kill -0 "$2" 2>/dev/null && [[ $SECONDS -lt $until ]]; do
		read -r -t 0.02 <> <(:)
	done
}

# --- resuming ------------------------------------------------------------

faults=fetchadd_mask_ignored,imm_short_taken,response_one_short
mkdir whole parts
"${explore[@]}" --refdut=$faults --ops 30000 --findings 60 --programs whole \
	--report json=whole.json >/dev/null 2>&1
echo $? >status-whole
on_it=("${explore[@]}" --refdut=$faults --ops 30000 --findings 60
	--programs parts --report json=parts.json)
"${on_it[@]}" --journal journal >/dev/null 2>&1 &
told=0
for _ in 1 2 3; do
	pid=$!
	told_more journal "$pid" "${told:-0}"
	kill -KILL "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	"${on_it[@]}" --resume journal >/dev/null 2>&1 &
done
wait $!
echo $? >status-parts
if [[ $(<status-whole) == 1 && $(<status-parts) == 1 ]] &&
	diff -r whole parts >difference; then
	ok "killed three times, it finds the same: $(find whole -type f | wc -l)"
else
	not_ok "killed three times, it finds the same" \
		"$(cat status-*)" "$(<difference)"
fi
report_holds "all of it is in the report" parts.json "sorted(cases) == sorted(
	c['id'] for c in json.load(open('$tmp/whole.json'))['cases'])"
octets=$(stat -c %s journal)
if [[ $octets -lt 200000 && $(find . -maxdepth 1 -name 'journal?*' | wc -l) -eq 0 ]]; then
	ok "its file is small, and alone"
else
	not_ok "its file is small, and alone" "$octets octets" \
		"$(find . -maxdepth 1 -name 'journal?*')"
fi
says "there is nothing left to do then" 1 "$(sed -nE \
	's/.*"title": "([0-9]+ programs).*/\1/p' parts.json | head -n 1)" \
	"${explore[@]}" --refdut=$faults --ops 30000 --findings 60 --verbose \
	--resume journal

"${explore[@]}" --ops 100000000 --journal ended >said 2>&1 &
pid=$!
told_more ended "$pid"
kill -INT "$pid"
wait "$pid"
status=$?
if [[ $status -eq 5 ]] && grep -q '"state":1' ended; then
	ok "interrupted, it says how far it is"
else
	not_ok "interrupted, it says how far it is" "exit $status" "$(<said)"
fi
says "and goes on" 0 "1 passed" "${explore[@]}" --ops 1 --resume ended

# --- journals of other explorations ----------------------------------------

refuses "another seed" "journal ended:1: of another run: exploration" \
	"$warpspec" explore --quiet --seed 4 --resume ended
refuses "other dimensions" "of another run: exploration" \
	"${explore[@]}" --dimension peer-write=1..9 --resume ended
refuses "another device" "of another run: device" \
	"${explore[@]}" --refdut=$faults --resume ended
refuses "a journal of a run" "of another run: exploration" \
	"${explore[@]}" --resume "$("${run[@]}" --journal of-cases \
		'mpa/crc/what_*' >/dev/null 2>&1; echo of-cases)"
refuses "one that is no journal" "does not say which run" \
	"${explore[@]}" --resume "$(echo '{}' >none; echo none)"
sed 's/"programs":/"programs":1/' ended >altered
refuses "one that was altered" "altered:2: not as it was written" \
	"${explore[@]}" --resume altered
head -n 1 ended >short
refuses "one that was cut short" "does not say how far" \
	"${explore[@]}" --resume short
refuses "one that is not there" "No such file" "${explore[@]}" --resume no-such
refuses "of one program" "not possible with --replay" \
	"${explore[@]}" --replay whole --journal other
mkdir locked
if [[ $(id -u) -ne 0 ]]; then
	: >locked/journal
	chmod 500 locked
	says "a folder that nothing can be written to" 4 "Permission denied" \
		"${explore[@]}" --ops 2000 --journal locked/journal
	chmod 700 locked
fi

# --- what is known -----------------------------------------------------------

fault=(--refdut=fetchadd_mask_ignored --ops 5000 --programs "$tmp")
entry()
{
	printf '[deviation]\ncase = %s\nsignature = %s\nreason = as known\n%s\n' \
		"$1" "$2" "${3:-}"
}
any=rdmap/atomic/fetchadd_masks_make_fields/\*
"$warpspec" list "$any" >/dev/null 2>&1 || any=rdmap/atomic\*
entry "$any" "RDMAPX-5.1.1-08 RDMAPX-5.1.1-01" >known
says "a requirement that a case is known to break" 0 \
	"as known(.|\n)*1 passed, 0 failed, 1 xfail" \
	"${explore[@]}" "${fault[@]}" --deviations known
entry "$any" "MPA-4.4-14" >other
says "and not another one" 1 "1 failed" \
	"${explore[@]}" "${fault[@]}" --deviations other
entry "explore/RDMAPX-*" "RDMAPX-5.1.1-08" "expires = 2001-01-01" >expired
says "an entry that has expired" 1 "1 failed(.|\n)*has expired" \
	"${explore[@]}" "${fault[@]}" --deviations expired
entry "explore/no-such" "RDMAPX-5.1.1-08" >nothing
says "one that matches nothing" 1 "matches no case" \
	"${explore[@]}" "${fault[@]}" --deviations nothing
says "what no program came upon is not stale" 0 "1 passed, 0 failed" \
	"${explore[@]}" --ops 2000 --deviations other
says "nor is it in a run" 0 "info" "${run[@]}" 'mpa/crc/what_*' --deviations \
	"$(entry 'explore/*' MPA-4.4-14 >of-programs; echo of-programs)"
entry "explore/*" "MPA-4.4-14" "avoid = peer-fetchadds a-mask=1" >avoided
says "what is to be left out does not come" 0 "1 passed, 0 failed" \
	"${explore[@]}" "${fault[@]}" --deviations avoided
entry "explore/*" "MPA-4.4-14" "avoid = peer-fetchadds mask=1" >wrong
refuses "what is no step cannot be left out" \
	"avoid = peer-fetchadds mask=1: there is no 'mask' here" \
	"${explore[@]}" --deviations wrong

# --- programs that take the device down
# ----------------------------------------

crash=(--refdut=pd_length_overruns --ops 3000)
for jobs in 1 5; do
	mkdir "jobs-$jobs"
	"${explore[@]}" "${crash[@]}" --jobs "$jobs" --programs "jobs-$jobs" \
		--report json="jobs-$jobs.json" >/dev/null 2>&1
	echo "$?" >"status-$jobs"
done
if [[ $(<status-1) == 1 && $(<status-5) == 1 ]] && diff -r jobs-1 jobs-5 \
	>difference && grep -qhE '^stream.* fault=huge-pd-length' jobs-1/*; then
	ok "the program that takes the device down, at any number of jobs"
else
	not_ok "the program that takes the device down, at any number of jobs" \
		"$(cat status-[15])" "$(<difference)" "$(cat jobs-1/*)"
fi
report_holds "it goes on behind it" jobs-1.json \
	"by['fail'] == ['explore/device-crashed/stream/huge-pd-length'] and int(
	cases['explore/programs']['title'].split()[3]) > 3000"
says "a program whose startup frame is refused passes" 0 "1 passed, 0 failed" \
	"${explore[@]}" --replay jobs-1/*.program
says "it does it again" 1 "device-crashed/stream/huge-pd-length" \
	"${explore[@]}" --refdut=pd_length_overruns --replay jobs-1/*.program
entry "explore/device-crashed/stream/*" device-crashed >crashes
says "it may be known" 0 "1 passed, 0 failed, 1 xfail" \
	"${explore[@]}" "${crash[@]}" --programs "$tmp" --deviations crashes
entry "explore/device-crashed/stream/*" device-crashed \
	"avoid = stream fault=huge-pd-length" >crashes
says "and steered around from the start" 0 "1 passed, 0 failed, 0 error" \
	"${explore[@]}" "${crash[@]}" --programs "$tmp" --deviations crashes

echo "explore-resume: $passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]

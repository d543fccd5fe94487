#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# explore_test.sh BUILD - tests `warpspec explore`: it finds nothing on the
# clean device, nor with another legal choice; it finds the same from the same
# seed with any number of jobs; a finding runs again, and is short; exploration
# continues after it. Closes with the counts.
set -u
# CC may have a prefix, such as "ccache gcc".
read -ra cc <<<"${CC:-cc}"

# shellcheck source=suite/checks/testing.sh
. "${0%/*}/testing.sh"

top=$PWD
cd "$tmp" || exit 2
explore=("$warpspec" explore --quiet --programs "$tmp")

# --- nothing to be found ------------------------------------------------

for seed in 1 2 3; do
	says "the device as it is, seed $seed" 0 "1 passed, 0 failed" \
		"${explore[@]}" --seed "$seed" --ops 20000
done
if "$warpspec" run --quiet --link raw 'mpa/crc/*' >/dev/null 2>&1; then
	says "the same on the raw link" 0 "1 passed, 0 failed" \
		"${explore[@]}" --link raw --seed 4 --ops 20000
fi
says "octets that TCP brings in other pieces" 0 "1 passed, 0 failed" \
	"${explore[@]}" --segmentation random:1 --seed 5 --ops 10000
mapfile -t choices < <("$refdut" --list-variants | cut -f 1 |
	awk 'NR % 13 == 5')
accused=()
for choice in "${choices[@]}"; do
	"${explore[@]}" --refdut="+$choice" --seed 6 --ops 5000 \
		>"$tmp/said" 2>&1
	# A device that accepts no Read at all cannot perform any program.
	case $? in 0 | 5) ;; *) accused+=("$choice: $(<"$tmp/said")") ;; esac
done
if [[ ${accused[*]} || ${#choices[@]} -lt 5 ]]; then
	not_ok "a device that makes another choice" "${accused[@]}"
else
	ok "a device that makes another choice: ${#choices[@]} of them"
fi

# NAME CHOICE: the program on stdin finds nothing on a device of this choice.
acquits()
{
	cat >"$tmp/program"
	says "$1" 0 "1 passed, 0 failed" \
		"${explore[@]}" --refdut="+$2" --replay "$tmp/program"
}

acquits "an empty Read behind one that the device sends of itself" \
	empty_reads_before_work <<-END
	warpspec program 1
	stream enhanced ird=64 ord=5 peer-ird=38
	region len=8 access=local-write,remote-write
	device-reads off=8 fence
END
acquits "a Write that no Send follows" writes_lost_with_the_stream <<-END
	warpspec program 1
	stream
	region len=16 access=local-write,remote-write
	peer-writes len=1
END
acquits "a Send into the octets of a Write" writes_wait_for_send <<-END
	warpspec program 1
	stream
	region len=16 access=local-write,remote-write
	peer-writes len=1
	peer-sends len=1 into=1
END
acquits "a Read into the octets of a Write" writes_wait_for_send <<-END
	warpspec program 1
	stream
	region len=16 access=local-write,remote-write
	peer-writes len=1
	device-reads len=1
END
acquits "a Write whose second segment is wrong" writes_wait <<-END
	warpspec program 1
	stream
	region len=16 access=local-write,remote-write
	peer-writes len=2 segment=1 fault=bounds
END
acquits "an STag of the peer that was given up, and names other memory now" \
	stags_used_again <<-END
	warpspec program 1
	stream
	region len=16 access=local-write,remote-read,remote-write
	region len=16 access=local-write,remote-read,remote-write
	peer-sends invalidates=1
	peer-reads region=1 fault=other-pd
END
acquits "a Response whose TOs wrap, sent from its last octet" falling_to <<-END
	warpspec program 1
	stream markers-to-peer mss=256
	region len=221 access=local-write,remote-read,remote-write
	peer-reads len=221 fault=sink-wrap
END

# --- something to be found ------------------------------------------------

fault=fetchadd_mask_ignored
for jobs in 1 2 5; do
	"${explore[@]}" --refdut="$fault" --seed 1 --findings 1 --jobs "$jobs" \
		--report json="$tmp/found-$jobs.json" >/dev/null 2>&1
	echo "$?" >"$tmp/status-$jobs"
	mv "$tmp"/explore-1-*.program "$tmp/found-$jobs" 2>/dev/null
done
# The name of a program can be guessed: the target of a link of that name stays
# as it is.
echo precious >"$tmp/precious"
for n in {0..9}; do
	ln -s "$tmp/precious" "$tmp/explore-1-$n.program"
done
"${explore[@]}" --refdut="$fault" --seed 1 --findings 1 >"$tmp/said" 2>&1
rm -f "$tmp"/explore-1-*.program
[[ $(<"$tmp/precious") == precious ]] && grep -q "it is a link" "$tmp/said" &&
	ok "a program is not written where a link leads" ||
	not_ok "a program is not written where a link leads" "$(<"$tmp/said")"
if [[ $(cat "$tmp"/status-{1,2,5} | tr '\n' ' ') == "1 1 1 " ]] &&
	cmp -s "$tmp/found-1" "$tmp/found-2" &&
	cmp -s "$tmp/found-1" "$tmp/found-5"; then
	ok "the same is found at any number of jobs"
else
	not_ok "the same is found at any number of jobs" \
		"exit $(cat "$tmp"/status-{1,2,5} | tr '\n' ' ')" \
		"$(tail -n +1 "$tmp"/found-*)"
fi
if [[ $(grep -vcE '^(warpspec|#|stream|region)' "$tmp/found-1") -eq 1 ]] &&
	grep -q '^peer-fetchadds .*a-mask=' "$tmp/found-1"; then
	ok "one operation is left of it, and what it takes"
else
	not_ok "one operation is left of it, and what it takes" \
		"$(<"$tmp/found-1")"
fi
report_holds "it is a case of the report, under its requirement" \
	"$tmp/found-1.json" 'len(by["fail"]) == 1 and all(
		i.startswith("explore/RDMAPX-5.1.1-") and
		"peer-fetchadds" in cases[i]["detail"] for i in by["fail"])'
report_holds "with what was sent and seen in its shortest program" \
	"$tmp/found-1.json" 'all(
		[x["requirement"] for x in e["lines"] if not x["ok"]] and
		e["memory"] and any("Atomic Response" in x["text"] for x in e["events"])
		and sum("Atomic Request" in x["text"] for x in e["events"]) == 1
		for e in (cases[i]["evidence"] for i in by["fail"]))'
says "it runs again" 1 "RDMAPX-5\.1\.1-" \
	"${explore[@]}" --refdut="$fault" --replay "$tmp/found-1"
says "and shows nothing on the device as it is" 0 "1 passed, 0 failed" \
	"${explore[@]}" --replay "$tmp/found-1"
"${explore[@]}" --as-case "$tmp/found-1" >"$tmp/case.c" 2>"$tmp/err"
if [[ $? -eq 0 ]] && grep -q 'must(t, RDMAPX_5_1_1_08, memory_is' "$tmp/case.c" &&
	(cd "$top" && "${cc[@]}" -std=c11 -D_GNU_SOURCE -fsyntax-only -Werror \
		-Wall -Wno-override-init -Isuite/language -I. "$tmp/case.c") \
		>>"$tmp/err" 2>&1; then
	ok "it is the source of a case as well"
else
	not_ok "it is the source of a case as well" "$(<"$tmp/err")" \
		"$(<"$tmp/case.c")"
fi
"${explore[@]}" --refdut="$fault" --seed 1 --findings 1 --journal "$tmp/journal" \
	--report html="$tmp/pages" >/dev/null 2>&1
"${explore[@]}" --refdut="$fault" --seed 1 --findings 1 --resume "$tmp/journal" \
	--report json="$tmp/resumed.json" --evidence none >/dev/null 2>&1
report_holds "what is gone on with has that, too" "$tmp/resumed.json" \
	'by["fail"] and all(cases[i]["evidence"]["events"] for i in by["fail"])'
page=$(grep -l '<svg[^>]*ladder' "$tmp"/pages/cases/explore.RDMAPX* | head -n 1)
if [[ $page ]] && grep -q 'Atomic Response' "$page"; then
	ok "its page draws it as a ladder"
else
	not_ok "its page draws it as a ladder" "$(ls "$tmp/pages/cases")"
fi
"${explore[@]}" --refdut="$fault" --seed 1 --findings 1 --evidence none \
	--report json="$tmp/plain.json" >/dev/null 2>&1
report_holds "or without it" "$tmp/plain.json" \
	'by["fail"] and not any("evidence" in c for c in cases.values())'

# --- receive buffers in regions -------------------------------------------

cat >"$tmp/into" <<'EOF'
warpspec program 1
stream
region len=64 access=local-write,remote-read,remote-write
peer-sends len=10 into=1 off=3 room=5
peer-sends-immediate into=1 off=20 b=0x1122334455667788
peer-writes len=8
peer-reads len=64
peer-sends len=16 into=1 off=48 hold
settle
peer-sends len=9 into=1 off=30 room=1 fault=too-long
EOF
# The contents of the rest of a buffer are the device's choice.
for device in '' =+immediate_data_beside_the_buffer =+receive_tail_cleared; do
	says "buffers in a region, overlapped${device:+, on $device}" 0 "1 passed" \
		"${explore[@]}" --refdut"$device" --replay "$tmp/into"
done
for fault in message_limit_one_too_far overrun_placed_first mo_taken_as_zero; do
	"${explore[@]}" --refdut="$fault" --seed 1 --findings 1 --dimension \
		receive=1 --weights peer-writes=0 >"$tmp/said" 2>&1
	if [[ $? -eq 1 ]]; then
		ok "$fault is found"
	else
		not_ok "$fault is found" "$(<"$tmp/said")"
	fi
done
says "octets written behind a buffer are reported with its region" 1 \
	"explore/DDP-7\.1-09: a program" \
	"${explore[@]}" --refdut=overrun_placed_first --replay "$tmp/into"
"${explore[@]}" --as-case "$tmp/into" >"$tmp/into.c" 2>"$tmp/err"
if [[ $? -eq 0 ]] && grep -q 'dut_posts_recv_in(t, r0, 48, 16)' "$tmp/into.c" &&
	(cd "$top" && "${cc[@]}" -std=c11 -D_GNU_SOURCE -fsyntax-only -Werror \
		-Wall -Wno-override-init -Isuite/language -I. "$tmp/into.c") \
		>>"$tmp/err" 2>&1; then
	ok "they are the source of a case as well"
else
	not_ok "they are the source of a case as well" "$(<"$tmp/err")"
fi

fault=fetchadd_mask_ignored
says "two faults are both found" 1 "2 failed|3 failed|4 failed" \
	"${explore[@]}" --refdut="$fault,mo_counts_header" --seed 1 \
	--ops 100000 --findings 2
"${explore[@]}" --refdut=read_response_sent_as_write --seed 2 --findings 1 \
	>"$tmp/said" 2>&1
if [[ $? -eq 1 && $(sed -nE 's/.*a program of ([0-9]+) operation.*/\1/p' \
	"$tmp/said") -le 5 ]]; then
	ok "an answer that never comes is found, and shrunk"
else
	not_ok "an answer that never comes is found, and shrunk" \
		"$(<"$tmp/said")"
fi

"${explore[@]}" --refdut=fetchadds_of_two_streams_find_the_same --seed 1 \
	--findings 1 >"$tmp/said" 2>&1
if [[ $? -eq 1 && $(grep -c '^ *peer-fetchadds.*shared' "$tmp/said") -eq 2 ]] &&
	grep -q "explore/RDMAPX-5.3-01: a program of 2" "$tmp/said"; then
	ok "originals of two streams that no order explains"
else
	not_ok "originals of two streams that no order explains" \
		"$(<"$tmp/said")"
fi

# --- options ----------------------------------------------------------------

says "bounds of a dimension" 0 "1 passed" \
	"${explore[@]}" --ops 5000 --dimension peer-write=4095..4097 \
	--dimension dut-ird=3
refuses "a dimension that there is not" "--dimension none: no such dimension" \
	"${explore[@]}" --dimension none=1
refuses "bounds the other way" "expected NAME=LOW..HIGH" \
	"${explore[@]}" --dimension peer-write=5..4
says "weights" 0 "1 passed" "${explore[@]}" --ops 3000 \
	--weights peer-writes=0,device-reads=50
refuses "a weight of nothing" "--weights nothing: expected OPERATION=N" \
	"${explore[@]}" --weights nothing=1
refuses "a program that is none" "no-program:1: not a program" \
	"${explore[@]}" --replay "$(echo hello >"$tmp/no-program" &&
		echo "$tmp/no-program")"
refuses "a program that is not there" "No such file" \
	"${explore[@]}" --replay "$tmp/none"
says "time that is over is an end like any other" 0 "1 passed" \
	"${explore[@]}" --time 1s
"${explore[@]}" --ops 100000000 >"$tmp/said" 2>&1 &
pid=$!
sleep 1
kill -INT "$pid"
wait "$pid"
status=$?
if [[ $status -eq 5 ]] && grep -q interrupted "$tmp/said"; then
	ok "it can be interrupted, and says so"
else
	not_ok "it can be interrupted, and says so" "status $status" \
		"$(<"$tmp/said")"
fi
printf '[device]\nagent = 127.0.0.1:1\n' >"$tmp/absent.ini"
says "a device that is absent" 3 "refused" \
	"${explore[@]}" -d "$tmp/absent.ini"

echo "explore: $passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]

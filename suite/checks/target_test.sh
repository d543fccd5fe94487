#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# target_test.sh BUILD - tests `run --target` from the command line: its output
# before the first case, its messages about ports that cannot be tested, and
# that no ULP is ever blamed (odd_ulps.py). Closes with the counts. Exit: 0 all
# ok.
set -u

# shellcheck source=suite/checks/testing.sh
. "${0%/*}/testing.sh"

start "$refdut" --ulp rping --bind 127.0.0.1 --port 0
device=${line##*:}
mkfifo "$tmp/odd"
exec 9<>"$tmp/odd"
"$python" "$here/odd_ulps.py" "$device" <&9 >"$tmp/ports" 2>/dev/null &
started+=($!)
until grep -q ready "$tmp/ports"; do read -rt 0.05 <>"$tmp/odd"; done
port() { sed -n "s/^$1 //p" "$tmp/ports"; }
some=(mpa/startup mpa/crc ddp/header rdmap/opcodes foundations)

# --- output -----------------------------------------------------------------

says "what will be done" 0 "nothing destructive is run" \
	"$warpspec" run --target "127.0.0.1:$device" foundations
for regex in "MPA revisions 1 and 2; .*RTR: Send Write Read" \
	"CRCs are always used; markers are sent" "several connections at once" \
	"private data is not required" "zero-length RDMA Read of any STag is answered"; do
	if [[ $err =~ $regex ]]; then ok "before the first case: $regex"
	else not_ok "before the first case: $regex" "$err"; fi
done
says "one connection at a time, if said" 0 "one connection at a time" \
	"$warpspec" run --target "127.0.0.1:$device" --max-connections 1 foundations
says "what needs an agent, says so" 0 "needs an agent" \
	"$warpspec" run --target "127.0.0.1:$device" rdmap/write
printf '[device]\ntarget = 127.0.0.1:%s\n' "$device" >"$tmp/target.ini"
says "a device file with a target" 0 "passed" \
	"$warpspec" run -d "$tmp/target.ini" mpa/startup
refuses "an exploration of a target" "only 'run'" \
	"$warpspec" explore -d "$tmp/target.ini"
refuses "a check of an agent that is not there" "only 'run'" \
	"$warpspec" check-agent -d "$tmp/target.ini"
exits "a whole report" 0 "${run[@]}" --target "127.0.0.1:$device" \
	--report json="$tmp/json" role:responder &&
	report_holds "no case is accused, and many are judged" "$tmp/json" \
		"not by['fail'] + by['error'] + by['warn'] and len(by['pass']) > 200"

says "a fault is found without an agent" 1 "MPA-4.4-14" bash -c "
	exec 3< <(exec '$refdut' --ulp rping --bind 127.0.0.1 --port 0 \
		--mutant ignore_bad_crc 2>/dev/null); pid=\$!
	read -r line <&3
	'$warpspec' run --quiet --target 127.0.0.1:\${line##*:} mpa/crc
	status=\$?; kill \$pid; exit \$status"
says "what is judged without an agent" 0 "cases of a responder are judged" \
	"$warpspec" coverage --target
says "the cases that are" 0 "mpa/crc/wrong_crc_is_never_delivered" \
	"$warpspec" list --target-only mpa/crc

# --- memory that its ULP lets peers use ----------------------------------------

# NAME ULP BUFFER: no case accuses the device, and memory is judged.
judges_memory()
{
	local port place
	exec 3< <(exec "$refdut" --ulp "$2" --bind 127.0.0.1 --port 0 2>/dev/null)
	started+=($!)
	read -r port <&3
	read -r place <&3
	[[ $3 == given ]] && set -- "$1" "$2" "${place#buffer }"
	says "$1: what it is" 0 \
		"used, by RDMA Reads, Writes and atomics; what lies beside it is refused" \
		"$warpspec" run --target "127.0.0.1:${port##*:}" --buffer "$3" foundations
	exits "$1: a report" 0 "${run[@]}" --target "127.0.0.1:${port##*:}" --buffer "$3" \
		--report json="$tmp/json" rdmap/write rdmap/read rdmap/atomic ddp/alignments role:responder &&
		report_holds "$1: no case is accused, and memory is judged" "$tmp/json" \
			"not by['fail'] + by['error'] + by['warn'] and len(by['pass']) > 400"
}
judges_memory "a buffer that is given" buffer given
judges_memory "a buffer in private data" buffer private-data:0
judges_memory "a buffer in a Send" buffer-send send:0
# Of a hundred cases of a responder 45 at least are judged, where there is memory.
LEAST=45
exits "the reach with a buffer" 0 "$warpspec" coverage --target --buffer private-data:0
read -r judged of < <(sed -nE \
	's/^([0-9]+) of ([0-9]+) cases of a responder .*/\1 \2/p' <<<"$out")
if [[ ${of:-0} -gt 0 && $((judged * 100)) -ge $((of * LEAST)) ]]; then
	ok "the reach with a buffer: $judged of $of"
else
	not_ok "the reach with a buffer" "${judged:-0} of ${of:-0}, not $LEAST in 100"
fi
says "what MPA does is judged by Responses" 0 "mpa/mulpdu/mulpdu_of_the_path" \
	"$warpspec" list --target-only --buffer private-data:0 mpa/mulpdu
says "a buffer that is not there" 0 "no buffer is advertised where --buffer says" \
	"$warpspec" run --target "127.0.0.1:$device" --buffer private-data:0 foundations
says "a buffer that nobody has registered" 0 "is not answered by an RDMA Read" \
	"$warpspec" run --target "127.0.0.1:$device" --buffer 0x12345600:0x1000:4096 foundations
says "what is judged with a buffer" 0 "rdmap/atomic" \
	"$warpspec" list --target-only --buffer private-data:0 rdmap/atomic
for bad in 1:2 0x1:0x1000:0 private-data send: send:0:backwards 1:2:3:4 -1:0:8; do
	refuses "a buffer that is none: $bad" "expected STAG:TO:LENGTH" \
		"${run[@]}" --target 127.0.0.1:1 --buffer "$bad" mpa
done
refuses "a buffer of nobody" "give --target" "${run[@]}" --buffer 1:2:3 mpa

# --- the initiator --------------------------------------------------------------

client="exec '$refdut' --ulp rping-client --connect \$WARPSPEC_HOST:\$WARPSPEC_PORT"
exits "the initiator" 0 "${run[@]}" --connect-with "$client" \
	--report text --report json="$tmp/json" mpa/crc ddp/header foundations role:initiator &&
	report_holds "no case is accused, and some are judged" "$tmp/json" \
		"not by['fail'] + by['error'] + by['warn'] and len(by['pass']) > 15"
says "a fault of an initiator" 1 "MPA-4.4-14" "$warpspec" run --quiet \
	--connect-with "$client --mutant ignore_bad_crc" mpa/crc role:initiator
exits "a command that does not connect" 3 "${run[@]}" --connect-with "exec sleep 100" \
	role:initiator foundations &&
	[[ $(wc -l <"$tmp/err") -eq 1 && $(<"$tmp/err") =~ "opens no connection" ]] &&
	ok "it is one line" || not_ok "it is one line" "$(<"$tmp/err")"
refuses "no command" "expected a command" "${run[@]}" --connect-with "" mpa
refuses "a command and the built-in device" "choose one" \
	"${run[@]}" --connect-with true --refdut=ignore_bad_crc mpa

# --- ports that cannot be tested -------------------------------------------

# NAME PORT REGEX: status 3, and one line.
no_device()
{
	exits "$1" 3 "${run[@]}" --report summary="$tmp/said" --target "$2" "${some[@]}" || return
	if [[ $(wc -l <"$tmp/err") -eq 1 && $err =~ $3 ]]; then ok "$1"
	else not_ok "$1" "not one line that says /$3/: $err"; fi
}
no_device "nothing listens" 127.0.0.1:1 "no connection to 127.0.0.1:1: refused"
no_device "a web server" "127.0.0.1:$(port web)" "HTTP/1.0.*no MPA Reply"
no_device "silence" "127.0.0.1:$(port mute)" "sends nothing in answer"
no_device "it closes" "127.0.0.1:$(port closes_before)" "closes on an MPA Request"
no_device "it rejects" "127.0.0.1:$(port rejects)" "--private-data HEX"
no_device "it wants private data" "127.0.0.1:$(port wants_private_data)" \
	"--private-data HEX"
no_device "it answers after 3 s" "127.0.0.1:$(port late)" \
	"after 3.* s, .*--timeout-scale"
no_device "it ends with the first error" "127.0.0.1:$(port refuses_after_an_error)" \
	"answered before, but not after an error"
no_device "a name that does not resolve" nosuch.invalid:20049 "does not resolve"
refuses "no port" "expected HOST:PORT" "${run[@]}" --target 127.0.0.1 mpa
refuses "a target and the built-in device" "choose one" \
	"${run[@]}" --target 127.0.0.1:1 --refdut=ignore_bad_crc mpa
refuses "a target and what may bring it down" "--destructive: not possible without" \
	"${run[@]}" --target 127.0.0.1:1 --destructive mpa
refuses "private data of nobody" "give --target" "${run[@]}" --private-data 00 mpa
refuses "private data that are none" "expected 1 to 512 octets" \
	"${run[@]}" --target 127.0.0.1:1 --private-data 0 mpa
refuses "private data that are not there" "No such file" \
	"${run[@]}" --target 127.0.0.1:1 --private-data @"$tmp/none" mpa

# --- ULPs ---------------------------------------------------------------------

# NAME PORT OPTION...: no ULP is blamed.
blames_nobody()
{
	local name=$1 at=$2
	shift 2
	"${run[@]}" --report json="$tmp/json" --target "127.0.0.1:$at" "$@" \
		"${some[@]}" >"$tmp/out" 2>&1
	report_holds "$name" "$tmp/json" \
		"n > 100 and not by['fail'] + by['warn'] and not r.get('findings')"
}
blames_nobody "a ULP that closes at once" "$(port closes_at_once)"
blames_nobody "a ULP that closes soon" "$(port closes_soon)"
blames_nobody "a ULP that sends first" "$(port sends_first)"
blames_nobody "a ULP that takes one peer at a time" "$(port one_at_a_time)"
blames_nobody "a ULP that closes at errors" "$(port closes_at_errors)"
# It is unknown who has ended the stream: the case does not pass, either.
report_holds "an end without a Terminate passes nothing" "$tmp/json" \
	"'ddp/header/an_untagged_segment_shorter_than_its_header_is_refused/14' in by['skip']"
exits "a service that begins again for each peer" 0 "${run[@]}" --target \
	"127.0.0.1:$(port begins_again)" --report text --report json="$tmp/json" \
	foundations &&
	report_holds "a service that begins again for each peer is waited for" \
		"$tmp/json" "not by['error'] and len(by['pass']) > 3"
some+=(mpa/enhanced mpa/startup_refused)
blames_nobody "a ULP that wants private data" "$(port wants_private_data)" \
	--private-data cafe0001
blames_nobody "with --max-connections" "$(port counts)" --max-connections 3 --jobs 8
exec 8<>"/dev/tcp/127.0.0.1/$(port counts)"
echo GET >&8
read -rt 5 most <&8
if [[ $most && $most -ge 1 && $most -le 3 ]]; then
	ok "--max-connections is kept to"
else
	not_ok "--max-connections is kept to" "there were ${most:-?} at once"
fi
printf '\xca\xfe\x00\x01' >"$tmp/data"
says "private data of a file" 0 "private data is required" "$warpspec" run \
	--target "127.0.0.1:$(port wants_private_data)" \
	--private-data "@$tmp/data" foundations

echo "target-test: $passed passed, $failed failed"
[[ $failed -eq 0 ]]

#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# check_agent_test.sh BUILD [NAME...] - tests the results of check-agent for
# agents with one fault each (faulty_agent.py, all or the named ones), for
# sound agents, and for programs that are not agents. The check for a fault has
# to fail, and no other one, except those that cannot distinguish it. Exit: 0
# all ok.
set -u

# shellcheck source=suite/checks/testing.sh
. "${0%/*}/testing.sh"
shift

faulty=("$python" "$here/faulty_agent.py")
TOGETHER=8 # names that share a device

# A device of its own; its startup timeout does not matter here.
start "$refdut" --agent-port 0
agent=${line##*:}
echo "a shared token" >"$tmp/token"

# NAME: an agent of that name; the device file is $tmp/NAME.ini.
start_agent()
{
	start "${faulty[@]}" "$1" "$agent"
	device_file "$tmp/$1.ini" "$line"
	[[ $1 == *with_token* ]] && echo "token-file = $tmp/token" >>"$tmp/$1.ini"
}

# The failed sentences, one per line.
failures() { sed -n 's/^FAIL  [a-z]*: //p' <<<"$out"; }

# SENTENCE PREFIXES: whether it begins with one of them, separated by ';'.
is_one_of()
{
	local prefix prefixes
	IFS=';' read -ra prefixes <<<"$2"
	for prefix in "${prefixes[@]}"; do
		[[ $1 == "$prefix"* ]] && return 0
	done
	return 1
}

# NAME DUE ALSO: DUE has to fail, and nothing else except ALSO.
fault_is_found()
{
	local name=$1 due=$2 also=$3 sentence prefix missing=() other=()
	local prefixes

	start_agent "$name"
	exits "$name" 1 "$warpspec" check-agent -d "$tmp/$name.ini" || return
	while read -r sentence; do
		is_one_of "$sentence" "$due;${also:-$due}" || other+=("$sentence")
	done < <(failures)
	IFS=';' read -ra prefixes <<<"$due"
	for prefix in "${prefixes[@]}"; do
		grep -qF "$prefix" < <(failures) || missing+=("$prefix")
	done
	if [[ ${missing[*]} ]]; then
		not_ok "$name" "not found: ${missing[*]}" \
			"$(grep -A9 '^FAIL' <<<"$out")"
	elif [[ ${other[*]} && $also != "*" ]]; then
		not_ok "$name" "failed as well: ${other[*]}" \
			"$(grep -A9 '^FAIL' <<<"$out")"
	elif [[ $out != *"      sent: "*"      due: "*"PROTOCOL.md"* ]]; then
		not_ok "$name" "no evidence" "$(grep -A9 '^FAIL' <<<"$out")"
	else
		ok "$name"
	fi
}

# NAME: no check fails.
is_sound()
{
	start_agent "$1"
	says "$1: nothing fails" 0 \
		"check-agent: 1[0-9][0-9] passed, 0 failed" \
		"$warpspec" check-agent --quiet -d "$tmp/$1.ini"
}

if [[ $# -gt 0 ]]; then
	while IFS=$'\t' read -r name due also; do
		[[ " $* " == *" $name "* ]] || continue
		if [[ $name == sound* ]]; then
			is_sound "$name"
		else
			fault_is_found "$name" "$due" "$also"
		fi
		end "$pid"
	done < <("${faulty[@]}" --list)
	echo "check-agent: $passed passed, $failed failed"
	[[ $failed -eq 0 && $passed -eq $# ]]
	exit
fi

# --- one fault each -----------------------------------------------------

mapfile -t names < <("${faulty[@]}" --list | cut -f 1)
printf '%s\n' "${names[@]}" |
	xargs -n "$TOGETHER" -P $((2 * $(nproc))) "$0" "$build" >"$tmp/faults" 2>&1
grep -v '^check-agent: ' "$tmp/faults"
passed=$(grep -c '^ok ' "$tmp/faults")
failed=$((${#names[@]} - passed))

# --- the built-in device ----------------------------------------------

says "the built-in device" 0 "check-agent: 1[0-9][0-9] passed, 0 failed" \
	"$warpspec" check-agent --refdut
says "the same, by IPv6 and with a token" 0 "passed, 0 failed" \
	"$warpspec" check-agent --family 6
for without in read write send initiator responder mpa-v1 private-data,reject \
	recv-local,access,zero-based,half-close,provoke,stream-stag,multi-stream \
	mpa-v2,p2p,rtr-send,rtr-write,rtr-read,need-ord; do
	says "a device without $without" 0 " passed, 0 failed" \
		"$warpspec" check-agent --without "$without"
done
# The examples to copy: with the built-in device instead of a stack, and with
# their stubs; the only fault of the stubs is that they are not filled in.
examples=$here/../../examples/agent
# LANGUAGE COMMAND...
can_be_copied()
{
	local in=$1
	shift
	start "$@" --simulate "$agent"
	device_file "$tmp/example.ini" "${line##*:}"
	says "the example agent in $in, on a simulated device" 0 \
		"check-agent: 1[0-9][0-9] passed, 0 failed" \
		"$warpspec" check-agent --quiet -d "$tmp/example.ini"
	end "$pid"
	start "$@"
	device_file "$tmp/example.ini" "${line##*:}"
	exits "the example agent in $in, with stubs" 1 "$warpspec" check-agent \
		--quiet -d "$tmp/example.ini" &&
		if ! grep '^      came: ' <<<"$out" |
			grep -qvE ': (OK|ERR unsupported )'; then
			ok "the example agent in $in, with stubs: each failure is a stub's"
		else
			not_ok "the example agent in $in, with stubs" \
				"$(grep '^      came: ' <<<"$out")"
		fi
	end "$pid"
}
can_be_copied Python "$python" "$examples/agent.py"
# Built as a vendor builds it, without any file of this project.
mkdir "$tmp/copy" && cp "$examples/agent.c" "$tmp/copy"
# shellcheck disable=SC2086 # a compiler may be several words
exits "the example agent in C is built alone" 0 ${CC:-cc} -std=c11 -O2 \
	-Wall -Wextra -Werror -pthread -o "$tmp/copy/agent" "$tmp/copy/agent.c" &&
	can_be_copied C "$tmp/copy/agent"

# Who is at fault, where that is visible: only the agent decides the form of a
# reply; the fate of a stream may be the device's.
newline=$'\n'
# NAME WHOSE DEVICE-FILE
is_in()
{
	says "$1: in: $2" 1 "      due: .*      in:   $2${newline}      see: " \
		"$warpspec" check-agent --quiet -d "$3"
}
for name in drops_a_cr tells_no_se; do
	start_agent "$name"
	is_in "$name" agent "$tmp/$name.ini"
	end "$pid"
done
for name in polls_late_now_and_then leaves_the_sink_of_a_read; do
	start_agent "$name"
	is_in "$name" "agent or device" "$tmp/$name.ini"
	end "$pid"
done
# Legal choices of a device are not faults of its agent.
one_variant()
{
	said=$("$1" check-agent --quiet --refdut="+$2" 2>&1) && echo "ok $2" ||
		printf 'not ok %s\n%s\n' "$2" "$said"
}
export -f one_variant
# `se` reports the flag of the message (PROTOCOL.md); the two variants that
# choose whether there is an Event cannot know it. A device that reports an
# error does not report `rejected` either. PROTOCOL.md requires that flushed
# work completes as `flushed` and in order, that `close` ends with a FIN, and
# that a dump shows placed data: the other variants change just that, or make
# an agent wait longer than the checks do.
"$refdut" --list-variants | cut -f 1 |
	grep -vx -e no_events -e events_for_all -e reject_told_as_error \
		-e flushed_by_the_peer -e flushed_in_error \
		-e receives_reported_first -e input_read_late \
		-e writes_lost_with_the_stream -e writes_wait_for_send \
		-e close_by_reset \
		>"$tmp/variants"
xargs -n 1 -P $((2 * $(nproc))) bash -c 'one_variant "$0" "$1"' "$warpspec" \
	<"$tmp/variants" >"$tmp/choices"
if grep -q '^not ok' "$tmp/choices"; then
	not_ok "a device that makes another choice" "$(grep -v '^ok' "$tmp/choices")"
else
	ok "a device that makes another choice: $(grep -c '^ok' "$tmp/choices") of them"
fi

# --- what the suite does with an agent's replies -------------------------

start_agent sound_that_tells_little
exits "what the agent does not report is not judged" 0 "${run[@]}" \
	-d "$tmp/sound_that_tells_little.ini" --report json="$tmp/little.json" &&
	report_holds "what the agent does not report is not judged" "$tmp/little.json" \
		'by["pass"] and not by["fail"] and not by["error"] and sum(
			cases[i].get("reason", "").startswith("in part")
			for i in by["pass"]) > 20'
end "$pid"
start_agent sound_with_crc_never
exits "a device without CRCs" 1 "${run[@]}" \
	-d "$tmp/sound_with_crc_never.ini" --report json="$tmp/never.json" &&
	report_holds "it is failed for its CRCs, and for nothing else" \
		"$tmp/never.json" \
		'by["fail"] and not by["error"] and all(
			b["requirement"].startswith("MPA-4.4")
			for i in by["fail"] for b in cases[i]["broken"])'
end "$pid"
start_agent understates_receives
exits "what a device has no room for" 0 "${run[@]}" \
	-d "$tmp/understates_receives.ini" --report json="$tmp/few.json" &&
	report_holds "is not applicable" "$tmp/few.json" 'not by["error"]'
end "$pid"

# --- programs that are not agents ----------------------------------------

refuses "a selector" "takes no selector" "$warpspec" check-agent 'mpa/*'
refuses "a device file that is not there" "No such file" \
	"$warpspec" check-agent -d "$tmp/none.ini"
printf '[device]\nagent = 127.0.0.1:1\n' >"$tmp/absent.ini"
says "an agent that is absent" 3 "refused" \
	"$warpspec" check-agent -d "$tmp/absent.ini"
start_agent sound_with_token
sed -i /token-file/d "$tmp/sound_with_token.ini"
says "an agent whose token is not there" 3 "wants a token" \
	"$warpspec" check-agent -d "$tmp/sound_with_token.ini"
end "$pid"
for mode in "silent 3 no reply to hello in time" "garbage 1 FAIL  hello: its answer has all" \
	"liar 1 FAIL  hello: its answer has all" "flood 1 does not end"; do
	read -r mode status regex <<<"$mode"
	start "$python" "$here/fake_agent.py" "$mode"
	device_file "$tmp/fake.ini" "$line"
	says "an agent that is $mode" "$status" "$regex" \
		"$warpspec" check-agent -d "$tmp/fake.ini"
	end "$pid"
done
for mode in die stall; do
	start "$python" "$here/fake_agent.py" "$mode" "$agent" 100
	device_file "$tmp/fake.ini" "$line"
	says "an agent that is to $mode" 1 "[1-9][0-9]* failed" \
		"$warpspec" check-agent --timeout-scale 0.1 -d "$tmp/fake.ini"
	end "$pid"
done
# A skipped check is not a passed one.
start "$python" "$here/fake_agent.py" lag "$agent" 20
device_file "$tmp/fake.ini" "$line"
says "an agent that is right, but slow" 5 "not reached: .* --timeout-scale" \
	"$warpspec" check-agent --timeout-scale 0.1 -d "$tmp/fake.ini"
end "$pid"

echo "check-agent: $passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]

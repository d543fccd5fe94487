#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# audit_test.sh BUILD - checks what `warpspec audit` and `rejudge` report about
# captures of the reference device: nothing for the clean device; the fault of
# a mutant; no additional accusation if the tap was worse; and one clear line
# if a file is damaged, hostile or not a capture. May be set: EVERY (6: each
# 6th case). Closes with the counts.
set -u

# shellcheck source=suite/checks/testing.sh
. "${0%/*}/testing.sh"

checks=$PWD/suite/checks
every=${EVERY:-6}
cd "$tmp" || exit 2

# --- a run, live and by its captures --------------------------------------------

"$warpspec" list | awk -v n="$every" '$1 ~ /\// && $1 !~ /^sctp/ && NR % n == 0 { print $1 }' |
	sed 's/\[/?/g' >cases
xargs -a cases timeout 300 "$warpspec" run --refdut --quiet --captures captures \
	--report json=run.json >run.out 2>&1
says "live and offline agree on the device" 0 "[1-9][0-9]* passed, 0 failed" \
	"$warpspec" rejudge run.json
timeout 60 "$warpspec" run --refdut --quiet --report json=bare.json \
	foundations/operations >bare.out 2>&1
says "a run without captures" 2 "none of its [0-9]+ cases has a capture" \
	"$warpspec" rejudge bare.json

# A reset behind each Terminate: foundations report it, for all other cases.
timeout 60 "$warpspec" run --refdut=+reset_behind_a_terminate --quiet \
	--captures resets --report json=resets.json foundations/sequences \
	"ddp/each_kind/a_first_msn*" >resets.out 2>&1
says "what is so in every stream is reported once" 0 "[1-9][0-9]* passed, 0 failed, [1-9] warned" \
	"$warpspec" report summary resets.json
says "and once from the captures" 0 "[1-9][0-9]* passed, 0 failed, [1-5] warned" \
	"$warpspec" rejudge resets.json
if grep -q "the verdicts differ" "$tmp/out"; then
	not_ok "resets: live and offline agree" "$(grep differ "$tmp/out")"
else
	ok "resets: live and offline agree"
fi

# MUTANT REQUIREMENT CASE [OPTION...]: the live run and its captures show the
# same requirement.
shows_fault()
{
	timeout 60 "$warpspec" run --refdut="$1" --quiet --captures "of-$1" \
		--report json="$1.json" "${@:3}" >"$1.out" 2>&1
	says "$1 is found in its capture" 1 "FAIL.*$2" "$warpspec" rejudge "$1.json"
	if grep -q "the verdicts differ" "$tmp/out"; then
		not_ok "$1: live and offline agree" "$(grep differ "$tmp/out")"
	else
		ok "$1: live and offline agree"
	fi
}
while read -r mutant requirement case; do
	shows_fault "$mutant" "$requirement" "$case"
done <<'MUTANTS'
msn_starts_at_zero DDP-4.3-05 foundations/operations
ddp_reserved_bits_set DDP-4.1-11 foundations/operations
msn_counts_segments DDP-4.3-08 ddp/segmentation
reply_echoes_reserved_bits MPA-7.1.1-17 mpa/startup
terminate_reserved_bits_set RDMAP-4.8-07 rdmap/errors
request_key_misspelt MPA-7.1.1-01 mpa/startup/request_has_the_request_key
empty_tagged_checked DDP-5.2-11 ddp/zero_length_write
MUTANTS

# Memory that a ULP lets its peers use: "" or MUTANT, then what rejudge says.
with_memory()
{
	local buffer

	rm -f ulp
	"$refdut" --ulp buffer --bind 127.0.0.1 --port 0 ${1:+--mutant "$1"} >ulp 2>&1 &
	until grep -qs '^buffer' ulp; do kill -0 $! || return; sleep 0.05; done
	buffer=$(awk '/^buffer/ { print $2 }' ulp)
	timeout 300 "$warpspec" run --target "$(awk '/^listening/ { print $2 }' ulp)" \
		--buffer "$buffer" --quiet --captures "memory-$1" --captures-of all \
		--report "json=memory-$1.json" rdmap/fetchadd rdmap/write >memory.out 2>&1
	kill $!
	says "memory of ${1:-the device}" "$2" "$3" \
		"$warpspec" rejudge --buffer "$buffer" "memory-$1.json"
}
with_memory "" 0 "[1-9][0-9]* passed, 0 failed"
with_memory fetchadd_32_bit 1 "FAIL.*rdmap/fetchadd"
with_memory writes_rounded_up 1 "FAIL.*rdmap/write"
says "no such memory" 2 "expected STAG:TO:LENGTH" "$warpspec" audit --buffer here x.pcapng
echo "0x10:0:64 rx" >memory.txt
says "no such right" 2 "memory.txt, line 1: rx: expected rr, rw, ra or none" \
	"$warpspec" audit --memory memory.txt x.pcapng
says "memory by two options" 2 "choose one" \
	"$warpspec" audit --memory memory.txt --buffer 1:2:3 x.pcapng

# Two devices, of which one provokes errors: "" or MUTANT, then the side and the
# requirement that the relay names.
as_pair()
{
	local half found

	"$python" "$checks/audit_pair.py" "${warpspec%/*}" "$tmp/pair" ${1:+--mutant "$1"}
	for half in responder initiator; do
		found=$("$python" - "$tmp/pair.$half" <<'PY2'
import json, sys
cases = json.load(open(sys.argv[1]))["cases"]
assert len(cases) > 60, len(cases)
print(*sorted({"%s %s" % (c["id"].rsplit("/", 1)[1], b["requirement"])
               for c in cases for b in c.get("broken", [])}), sep=", ")
PY2
		)
		if [[ $found == $([[ $half == "${2%% *}" ]] && echo "$2") ]]; then
			ok "a pair of devices, ${1:-as they are}, $half"
		else
			not_ok "a pair of devices, ${1:-as they are}, $half" "$found"
		fi
	done
}
as_pair "" ""
as_pair write_access_unchecked "responder DDP-7.1-32"
as_pair upper_bound_one_too_far "responder DDP-7.1-28"
as_pair invalidate_shared_stag "responder RDMAP-8.1.1-05"

exits "the page of a finding" 1 "$warpspec" audit --report html=pages \
	of-msn_starts_at_zero/*.pcapng && {
	# The error is in its MSN, which is four octets of 0.
	if grep -lq '<mark>00 00 00 00' pages/cases/*; then
		ok "its octets are marked in the frame"
	else
		not_ok "its octets are marked in the frame" "no mark in pages/cases"
	fi
}

# --- a worse tap ------------------------------------------------------------------

mkdir few
find captures -name '*.pcapng' | LC_ALL=C sort | awk 'NR % 4 == 0' |
	xargs cp -t few
if "$python" "$checks/audit_disturb.py" "$warpspec" few >disturb 2>&1; then
	grep '^ok' disturb
	passed=$((passed + $(grep -c '^ok' disturb)))
else
	not_ok "captures of a worse tap" "$(grep -v '^ok' disturb | head -n 12)"
fi

# --- over SCTP -----------------------------------------------------------------------

"$warpspec" list | awk -v n="$every" '$1 ~ /\// && NR % n == 1 { print $1 }' |
	sed 's/\[/?/g' >cases
xargs -a cases timeout 300 "$warpspec" run --refdut --link sctp --quiet --captures chunks \
	--captures-of all --report json=chunks.json >chunks.out 2>&1
says "over SCTP, live and offline agree on the device" 0 "[1-9][0-9]+ passed, 0 failed" \
	"$warpspec" rejudge chunks.json
while read -r mutant requirement case; do
	shows_fault "$mutant" "$requirement" "$case" --link sctp
done <<'MUTANTS'
msn_starts_at_zero DDP-4.3-05 foundations/operations
segments_ordered SCTPX-10-01 sctp/ordering
terminate_has_private_data SCTPX-5.2.3-09 sctp/session/terminate_has_code_4
control_of_its_own SCTPX-5.1-03 sctp/association/association_has_as_many_streams_in_as_out
MUTANTS
exits "the page of a finding over SCTP" 1 "$warpspec" rejudge --report html=chunk-pages \
	terminate_has_private_data.json && {
	# The error is behind the function code.
	if grep -lq '00 04 <mark>' chunk-pages/cases/*; then
		ok "its octets are marked in the chunk"
	else
		not_ok "its octets are marked in the chunk" "no mark in chunk-pages/cases"
	fi
}
mkdir fewer
find chunks -name '*.pcapng' | LC_ALL=C sort | awk 'NR % 4 == 0' | xargs cp -t fewer
if "$python" "$checks/audit_disturb.py" "$warpspec" fewer >disturb 2>&1; then
	grep '^ok' disturb
	passed=$((passed + $(grep -c '^ok' disturb)))
else
	not_ok "captures of a worse tap, over SCTP" "$(grep -v '^ok' disturb | head -n 12)"
fi

# --- files that are damaged, or none ------------------------------------------------

# An exchange in which nobody breaks a rule.
"$warpspec" run --quiet --refdut --captures one \
	foundations/operations/a_read_is_answered >/dev/null
one=$(find "$PWD/one" -name '*a_read_is_answered.pcapng')
says "standard input" 0 "stdin/1/" sh -c "'$warpspec' audit -v - <'$one'"
says "no such file" 2 "no-such-file: No such file" "$warpspec" audit no-such-file
printf 'text\n' >text
says "no capture" 2 "neither pcap nor pcapng" "$warpspec" audit text
says "an empty file" 2 "neither pcap nor pcapng" "$warpspec" audit /dev/null
head -c $(($(stat -c %s "$one") - 9)) "$one" >short.pcapng
says "a capture that breaks off" 5 "truncated or damaged after packet [0-9]+, at octet" \
	"$warpspec" audit short.pcapng
printf '\324\303\262\241\2\0\4\0\0\0\0\0\0\0\0\0\0\0\4\0\1\0\0\0' >head.pcap
says "a capture without packets" 5 "no iWARP stream" "$warpspec" audit head.pcap
(cat head.pcap; printf '\0\0\0\0\0\0\0\0\377\377\377\177\377\377\377\177') >huge.pcap
says "a packet of 2 GiB" 5 "more than 1 MiB" "$warpspec" audit huge.pcap
says "no file named" 2 "name a capture" "$warpspec" audit

# Hostile: connections without end, none of them complete.
cat >endless.py <<'PY'
import struct, sys
out = sys.stdout.buffer
out.write(struct.pack("<IHHIIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 101))
key = b"MPA ID Req Frame" + bytes((0x40, 1)) + b"\xff\xff"
for i in range(60000):
    tcp = struct.pack("!HHIIBBHHH", 1024 + i % 60000, 7, 1, 1, 0x50, 0x10, 99, 0, 0)
    ip = struct.pack("!BBHHHBBH", 0x45, 0, 40 + len(key) + 400, i % 65536, 0, 9, 6, 0)
    ip += bytes((10, i // 60000, 0, 1, 10, 0, 0, 2))
    def sum16(octets):
        total = sum(struct.unpack("!%dH" % (len(octets) // 2), octets))
        while total >> 16:
            total = (total & 0xffff) + (total >> 16)
        return total
    body = key + bytes(400)
    ip = ip[:10] + struct.pack("!H", ~sum16(ip) & 0xffff) + ip[12:]
    total = sum16(ip[12:] + struct.pack("!HH", 6, len(tcp) + len(body)) + tcp + body)
    tcp = tcp[:16] + struct.pack("!H", ~total & 0xffff) + tcp[18:]
    out.write(struct.pack("<IIII", i, 0, len(ip + tcp + body), len(ip + tcp + body)))
    out.write(ip + tcp + body)
PY
says "endless connections in bounded memory" 5 "followed no longer" \
	sh -c "'$python' endless.py | (ulimit -v 1500000; '$warpspec' audit --report summary -)"

# An association with a session on each of its streams, and chunks ahead of their turn.
cat >streams.py <<'PY'
import struct, sys
table = []
for i in range(256):
    for _ in range(8):
        i = i >> 1 ^ (0x82f63b78 if i & 1 else 0)
    table.append(i)
def crc32c(octets):
    crc = 0xffffffff
    for o in octets:
        crc = crc >> 8 ^ table[(crc ^ o) & 0xff]
    return crc ^ 0xffffffff
def sum16(octets):
    total = sum(struct.unpack("!%dH" % (len(octets) // 2), octets))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff
out, number = sys.stdout.buffer, 0
out.write(struct.pack("<IHHIIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 101))
def packet(a, tag, chunk):
    global number
    number += 1
    ports = (7, 8) if a else (8, 7)
    sctp = struct.pack("!HHI", *ports, tag)
    sctp += struct.pack("<I", crc32c(sctp + bytes(4) + chunk)) + chunk
    ends = bytes((10, 0, 0, 1, 10, 0, 0, 2) if a else (10, 0, 0, 2, 10, 0, 0, 1))
    ip = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(sctp), number % 65536, 0, 9, 132, 0)
    ip = ip[:10] + struct.pack("!H", sum16(ip + ends)) + ends
    out.write(struct.pack("<IIII", number, 0, len(ip + sctp), len(ip + sctp)) + ip + sctp)
def init(kind, tag):
    ddp = struct.pack("!HHI", 0xc006, 8, 1)
    return struct.pack("!BBHIIHHI", kind, 0, 28, tag, 99999, 65535, 65535, 1) + ddp
packet(True, 0, init(1, 11))
packet(False, 11, init(2, 22))
for i in range(6000):
    for ssn, ppid, body in (0, 17, b"\0\1"), (2, 16, bytes(14)):
        user = struct.pack("!H", ssn) + body
        chunk = struct.pack("!BBHIHHI", 0, 7, 16 + len(user), 1 + i * 2 + (ssn > 0), i, 0, ppid)
        packet(True, 22, chunk + user)
PY
says "endless streams of an association in bounded memory" 1 "messages of SCTP were passed over" \
	sh -c "'$python' streams.py | (ulimit -v 1500000; '$warpspec' audit --report summary -)"

# A stream of Sends without CRCs whose start is missing; the last skips an MSN.
cat >named.py <<'PY'
import struct, sys
def sum16(octets):
    total = sum(struct.unpack("!%dH" % (len(octets) // 2), octets))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff
out, seq = sys.stdout.buffer, 1000
out.write(struct.pack("<IHHIIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 101))
for msn in list(range(50, 59)) + [60]:
    body = struct.pack("!HBBIIII", 26, 0x41, 0x43, 0, 0, msn, 0) + bytes(8) + bytes(4)
    tcp = struct.pack("!IIBBHHH", seq, 1, 0x50, 0x10, 99, 0, 0)
    tcp = struct.pack("!HH", 1024, 7174) + tcp
    ends = bytes((10, 0, 0, 1, 10, 0, 0, 2))
    ip = struct.pack("!BBHHHBBH", 0x45, 0, 40 + len(body), msn, 0, 9, 6, 0)
    ip = ip[:10] + struct.pack("!H", sum16(ip + ends)) + ends
    check = sum16(ends + struct.pack("!HH", 6, 20 + len(body)) + tcp + body)
    tcp = tcp[:16] + struct.pack("!H", check) + tcp[18:]
    out.write(struct.pack("<IIII", msn, 0, 40 + len(body), 40 + len(body)))
    out.write(ip + tcp + body)
    seq += len(body)
PY
"$python" named.py >named.pcap
says "a stream without CRCs and start, not named" 5 "no iWARP stream" \
	"$warpspec" audit named.pcap
says "and named by its port" 1 "named/1/a: .*DDP-4.3-06" \
	"$warpspec" audit --stream 7174,no-crc named.pcap
says "and by its host" 1 "DDP-4.3-06" "$warpspec" audit --stream 10.0.0.2:7174,no-crc named.pcap
says "another host" 5 "no iWARP stream" "$warpspec" audit --stream 10.0.0.3:7174,no-crc named.pcap
says "no such stream" 2 "expected \[HOST:\]PORT" "$warpspec" audit --stream x named.pcap

# --- an interface -------------------------------------------------------------------

# DEVICE-OPTION...: follow an exchange of two devices on the loopback of a
# network namespace of its own.
cat >followed.sh <<'SH'
ip link set lo up
mkfifo said server
"$WARPSPEC" audit --follow lo --max-time 20s 2>said &
audit=$!
read -r _ <said
"$REFDUT" --ulp rping --clients 1 >server &
read -r _ <server
"$REFDUT" --ulp rping-client --connect 127.0.0.1:7174 --count 5 "$@" >/dev/null 2>&1
kill "$audit"
wait "$audit"
status=$?
rm said server
exit $status
SH
# RUN-OPTION...: the same for a run over SCTP, whose peer breaks some rules on purpose;
# prints whether a responder sent ordered chunks.
cat >followed-sctp.sh <<'SH'
ip link set lo up
mkfifo said
"$WARPSPEC" audit --follow lo --max-time 20s --report json=followed.json 2>said &
audit=$!
read -r _ <said
"$WARPSPEC" run --quiet --link sctp "$@" \
	foundations/operations/a_read_is_answered >/dev/null 2>&1
kill "$audit"
wait "$audit"
rm said
python3 -c '
import json
sides = [c for c in json.load(open("followed.json"))["cases"] if c["role"] == "responder"]
ordered = any(b["requirement"] == "SCTPX-10-01" for c in sides for b in c.get("broken", []))
print(len(sides), "responders,", "some" if ordered else "none", "with ordered chunks")'
SH
says "no such interface" 2 "no-such-interface: No such device|not permitted" \
	"$warpspec" audit --follow no-such-interface
says "files, and an interface" 2 "choose one" "$warpspec" audit --follow lo named.pcap
if unshare -rn true 2>"$tmp/err"; then
	export WARPSPEC=$warpspec REFDUT=$refdut
	says "two devices, followed" 0 "2 passed, 0 failed" unshare -rn bash followed.sh
	says "a fault, followed" 1 "lo/1/initiator.*" \
		unshare -rn bash followed.sh --mutant msn_starts_at_zero
	says "SCTP, followed" 0 "^[1-9][0-9]* responders, none" \
		unshare -rn bash followed-sctp.sh --refdut
	says "a fault over SCTP, followed" 0 "^[1-9][0-9]* responders, some" \
		unshare -rn bash followed-sctp.sh --refdut=segments_ordered
	# Two devices over SCTP: "" or MUTANT, then of what the device is accused.
	as_sctp_pair()
	{
		local found name="a pair of devices over SCTP, ${1:-as they are}"

		rm -f "$tmp"/sctp.*
		unshare -rn "$python" "$checks/audit_pair_sctp.py" "${warpspec%/*}" \
			"$tmp/sctp" ${1:+--mutant "$1"}
		found=$("$python" - "$tmp"/sctp.* <<'PY2'
import json, os, sys
found = set()
for path in sys.argv[1:]:
    role = os.path.splitext(path)[1][1:].split("-")[0]
    cases = json.load(open(path))["cases"]
    assert cases or "-of-none" in path, path
    found.update("%s %s" % (role, b["requirement"]) for c in cases
                 if c["id"].endswith(role) for b in c.get("broken", []))
print(*sorted(found), sep=", ")
PY2
		)
		if [[ $found == "$2" ]]; then
			ok "$name"
		else
			not_ok "$name" "$found"
		fi
	}
	as_sctp_pair "" ""
	as_sctp_pair init_without_indication "initiator SCTPX-5.1-01"
	as_sctp_pair init_of_unequal_streams "initiator SCTPX-8-01"
	as_sctp_pair plain_accept_of_enhanced_taken "initiator SCTPX-6581.7-11"
else
	echo "a network of its own is not to be had here: nothing is followed"
fi

echo "audit: $passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]

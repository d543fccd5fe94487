#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# decode_test.sh BUILD - tests what `warpspec decode` prints for hex, for dumps
# of other programs, and for captures: the frames of the vectors, and each
# frame of the captures that a run has kept. Closes with the counts.
set -u

# shellcheck source=suite/checks/testing.sh
. "${0%/*}/testing.sh"

vectors=$PWD/vectors
cd "$tmp" || exit 2
decode=("$warpspec" decode)

# NAME: the octets of a vector, from its file.
vector()
{
	awk -v name="$1" '
		/^vector: / { inside = $2 == name }
		inside && /^\t/ { print }' "$vectors"/*.vec
}

# NAME EXPRESSION COMMAND...: Python over `r`, its output as JSON, `frames`,
# and `f(i, name)`, the value of a field of the i-th frame.
shows()
{
	local name=$1 expression=$2 said
	shift 2
	timeout 60 "$@" --json >"$tmp/json" 2>"$tmp/err"
	if said=$("$python" - "$tmp/json" "$expression" <<'PY' 2>&1
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    r = json.load(file)
frames = r["frames"]
def field(i, name):
    return [x for x in frames[i]["fields"] if x["name"] == name][0]
def f(i, name):
    return field(i, name)["value"]
sys.exit(None if eval(f"({sys.argv[2]})") else f"not so: {frames}"[:600])
PY
	); then
		ok "$name"
	else
		not_ok "$name" "$(<"$tmp/err")" "${said##*$'\n'}"
	fi
}

# --- hex ------------------------------------------------------------------------

vector send >send.hex
shows "a Send of the vectors" \
	'len(frames) == 1 and f(0, "ULPDU_Length") == 23 and f(0, "Opcode") == 3
	 and f(0, "MSN") == 1 and field(0, "payload")["octets"] == 5
	 and field(0, "CRC")["means"] == "matches" and field(0, "T")["means"] == "untagged"' \
	"${decode[@]}" send.hex
says "the same as text" 0 "Send, MSN 1, FPDU of 32 octets.*payload +5 octets.*hello.*matches" \
	"${decode[@]}" send.hex
shows "hex as words" 'f(0, "CRC") == 0xb990b10d and field(0, "CRC")["due"] == 0xb990b10c' \
	"${decode[@]}" 0017 4143 00000000 00000000 00000001 00000000 \
	68:65:6c:6c:6f 00-00-00 0xb990b10d
shows "a startup frame, and an FPDU behind it" \
	'[x["kind"] for x in frames] == ["startup", "fpdu"] and f(0, "Rev") == 1
	 and frames[1]["at"] == 20' \
	"${decode[@]}" 4d504120494420526570204672616d6540010000 \
	"$(tr -d ' \t' <send.hex | sed 's/|.*//' | tr -d '\n')"
if said=$("$python" - "$warpspec" "$vectors" <<'PY' 2>&1
import json, re, subprocess, sys
def octets(line):
    out = ""
    for text, octet, times in re.findall(
            r'"([^"]*)"|([0-9a-f]{2})(?:\*(\d+))?', line.split(" | ")[0]):
        out += text.encode().hex() + octet * int(times or 1)
    return out
right = 0
for name in "send", "startup", "tagged", "terminate", "atomic":
    with open(f"{sys.argv[2]}/{name}.vec", encoding="utf-8") as f:
        blocks = re.split(r"^vector: ", f.read(), flags=re.M)[1:]
    for b in blocks:
        if not re.search("^kind: (fpdu|mpa-re)", b, re.M) or "verdict: valid" not in b \
                or re.search("^(markers|crc|row): ", b, re.M):
            continue
        of = b.splitlines()[0]
        with open("one.hex", "w", encoding="utf-8") as f:
            f.write("\n".join(octets(x) for x in b.splitlines() if x.startswith("\t")))
        said = subprocess.run([sys.argv[1], "decode", "--json", "one.hex"],
                              capture_output=True, text=True, check=False)
        if said.returncode:
            sys.exit(f"{of}: {said.stderr or said.stdout[:300]}")
        frames = json.loads(said.stdout)["frames"]
        told = set()
        for x in frames[0]["fields"]:
            told |= set(range(x["at"], x["at"] + x["span"]))
            if "cut" in x or x["name"] == "CRC" and x["means"] != "matches":
                sys.exit(f"{of}: {x}")
        if len(frames) > 1 or len(told) != len(frames[0]["octets"]) // 2:
            sys.exit(f"{of}: octets that belong to no field")
        right += 1
print(right)
sys.exit(right < 30)
PY
); then
	ok "$said right frames of the vectors: every octet belongs to a field"
else
	not_ok "right frames of the vectors" "${said:0:600}"
fi

# --- dumps ------------------------------------------------------------------------

sed 's/|.*//' send.hex | tr -d ' \t\n' | sed 's/../\\x&/g' >escaped
printf '%b' "$(<escaped)" >send.bin
whole='len(frames) == 1 and f(0, "ULPDU_Length") == 23 and field(0, "CRC")["means"] == "matches"'
if command -v xxd >/dev/null; then
	xxd send.bin >send.xxd
	shows "what xxd writes" "$whole" "${decode[@]}" send.xxd
fi
if command -v hexdump >/dev/null; then
	hexdump -C send.bin >send.hexdump
	shows "what hexdump -C writes" "$whole" "${decode[@]}" send.hexdump
fi
cat >given.xxd <<'DUMP'
00000000: 0017 4143 0000 0000 0000 0000 0000 0001  ..AC............
00000010: 0000 0000 6865 6c6c 6f00 0000 b990 b10c  ....hello.......
DUMP
shows "a dump as xxd writes it" "$whole" "${decode[@]}" given.xxd
cat >given.hexdump <<'DUMP'
00000000  00 17 41 43 00 00 00 00  00 00 00 00 00 00 00 01  |..AC............|
00000010  00 00 00 00 68 65 6c 6c  6f 00 00 00 b9 90 b1 0c  |....hello.......|
00000020
DUMP
shows "a dump as hexdump -C writes it" "$whole" "${decode[@]}" given.hexdump
sed 1d given.xxd >hole.xxd
refuses "a dump without its beginning" "hole.xxd:1: unexpected offset" "${decode[@]}" hole.xxd

# --- captures -----------------------------------------------------------------------

cases=(mpa/crc/wrong_crc_is_never_delivered 'mpa/markers_sent' 'mpa/enhanced'
	'rdmap/terminate' 'rdmap/fetchadd' 'rdmap/immediate' 'ddp/segmentation')
# LINK FOLDER CASE...: captures of these, in which each frame is found.
each_frame_comes_out()
{
	exits "a run with captures, $1" 0 "${run[@]}" --refdut --link "$1" --jobs 4 --captures "$2" \
		--evidence all --report json="$2.json" "${@:3}"
	if said=$("$python" - "$warpspec" "$2.json" <<'PY' 2>&1
import collections, json, subprocess, sys
with open(sys.argv[2], encoding="utf-8") as f:
    run = json.load(f)
frames = files = 0
missing = []
for c in run["cases"]:
    if not c["capture"] or files == 100:
        continue
    said = subprocess.run([sys.argv[1], "decode", "--json", c["capture"]],
                          capture_output=True, text=True, check=False)
    if said.returncode > 1:
        missing.append(f"{c['id']}: {said.stderr}")
        continue
    came = collections.Counter(f["octets"] for f in json.loads(said.stdout)["frames"])
    due = collections.Counter(
        e["octets"] for e in c["evidence"]["events"]
        if e["kind"] in ("startup", "frame") and "of" not in e)
    files += 1
    frames += sum(due.values())
    if due - came:
        missing.append(f"{c['id']}: {sum((due - came).values())} of {sum(due.values())}")
if missing or frames < 500:
    sys.exit(f"{frames} frames; missing: {missing[:5]}")
print(f"{frames} frames of {files} captures")
PY
	); then
		ok "each frame of a capture comes out, $1: $said"
	else
		not_ok "each frame of a capture comes out, $1" "$said"
	fi
}
each_frame_comes_out socket captures "${cases[@]}"
each_frame_comes_out sctp chunks sctp foundations rdmap/errors
one=captures/mpa.crc.wrong_crc_is_never_delivered.pcapng
shows "the one with a wrong CRC is seen" \
	'[x["text"].split(",")[0] for x in frames][:3] == ["MPA Request", "MPA Reply", "RDMA Read Request"]
	 and [i for i, x in enumerate(frames) for y in x["fields"]
	      if y["name"] == "CRC" and y.get("due")] == [4]' "${decode[@]}" "$one"
tshark -r "$one" -w one.pcap -F pcap 2>/dev/null &&
	shows "the same as pcap" 'len(frames) == 6' "${decode[@]}" one.pcap
tshark -n -x -r "$one" >one.tshark 2>/dev/null &&
	shows "the same as tshark -x writes it" 'len(frames) == 6' \
		"${decode[@]}" one.tshark
# As tcpdump -x prints it: a line of its own, then the packet after a tab.
awk '/^[0-9a-f]+  / {
		if ($1 == "0000") print "12:00:00.000000 IP 127.0.0.1.1 > 127.0.0.1.2: tcp"
		hex = substr($0, 7, 48)
		line = "\t0x" $1 ": "
		for (n = split(hex, octet, " "); i < n; i += 2)
			line = line " " octet[i + 1] octet[i + 2]
		print line
		i = 0
	}' one.tshark >one.tcpdump
shows "the same as tcpdump -x writes it" 'len(frames) == 6' "${decode[@]}" one.tcpdump

exits "80 columns" 0 "${decode[@]}" "$one" &&
	if [[ $(awk 'length > 80' "$tmp/out") || $out == *$'\033'* ]]; then
		not_ok "80 columns, no colour in a file" "$(awk 'length > 80' "$tmp/out" | head -n 3)"
	else
		ok "80 columns, no colour in a file"
	fi
if command -v script >/dev/null; then
	env -u NO_COLOR TERM=xterm script -qec "$warpspec decode send.hex" \
		/dev/null >colour </dev/null
	NO_COLOR=1 TERM=xterm script -qec "$warpspec decode send.hex" /dev/null \
		>plain </dev/null
	if grep -q $'\033' colour && ! grep -q $'\033' plain; then
		ok "colour on a terminal, but for NO_COLOR"
	else
		not_ok "colour on a terminal, but for NO_COLOR"
	fi
fi

# --- not a frame
# ----------------------------------------------------------------------

head -c 700 "$one" >cut.pcapng
refuses "a capture that is cut" "cut.pcapng: truncated" "${decode[@]}" cut.pcapng
printf '\n\r\r\n' >head.pcapng
refuses "the head of one alone" "head.pcapng: no capture" "${decode[@]}" head.pcapng
head -c 3000 /dev/urandom | tr '\000' '\001' >noise
refuses "noise" "noise:" "${decode[@]}" noise
: >empty
refuses "an empty file" "empty: it is empty" "${decode[@]}" empty
mkfifo fifo
refuses "a FIFO" "fifo: " "${decode[@]}" fifo
refuses "a word that is neither" "neither a file nor hex" "${decode[@]}" nowhere.pcap
refuses "an odd digit" "odd number of digits" "${decode[@]}" 001
refuses "nothing" "name a capture" "${decode[@]}"
says "a part of an FPDU" 1 "not a frame: the rest of it is missing" "${decode[@]}" 0102 03
says "a ULPDU too short for its header" 0 "too short for its header" \
	"${decode[@]}" 0004 4143 0000 0000 00000000

echo "decode: $passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]

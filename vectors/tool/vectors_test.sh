#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The checker of the vectors, checked: vectors_test.sh VECTORS_TOOL
#
# It has to pass what is right, fail each vector made wrong, and refuse with
# one line what is no vector file.

set -u

tool=${1:?usage: vectors_test.sh VECTORS_TOOL}
tables=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM

passed=0
failed=0

good()
{
	passed=$((passed + 1))
}

bad()
{
	failed=$((failed + 1))
	echo "vectors_test.sh: $*"
}

# check NAME STATUS PATTERN [FILE]: the tool's status, and a line it prints.
check()
{
	"$tool" check "${4:-$dir/$1.vec}" >"$dir/out" 2>&1
	status=$?
	if [ "$status" -ne "$2" ]; then
		bad "$1: exit $status, not $2"
	elif ! grep -q -- "$3" "$dir/out"; then
		bad "$1: no line with '$3'"
	elif [ "$2" -eq 2 ] && [ "$(wc -l <"$dir/out")" -ne 1 ]; then
		bad "$1: more than one line"
	else
		good
	fi
}

# The vector that the wrong ones are made of: an RDMA Write of four octets.
cat >"$dir/right.vec" <<'VEC'
vector: right
kind: fpdu
verdict: valid
section: RFC 5040 s4.3
about: an RDMA Write
	00 12       | ULPDU_Length 18
	c1 40       | T 1, L 1, DV 1; RV 1, RDMA Write
	00 00 12 34 | STag
	00 00 00 00 | TO, high half
	00 00 10 00 | TO, low half
	de ad be ef | payload
	bd bc 30 f4 | CRC
ulpdu_length = 18; pad =; t = 1; l = 1; opcode = 0; stag = 0x1234
to = 0x1000; payload = de ad be ef
VEC

# make NAME SED-SCRIPT
make_wrong()
{
	sed "$2" "$dir/right.vec" >"$dir/$1.vec"
}

check right 0 'vectors: 1 passed, 0 failed'

# ---- vectors whose statement and octets disagree ---------------------------

# wrong NAME SED-SCRIPT PATTERN
wrong()
{
	make_wrong "$1" "$2"
	check "$1" 1 "$3"
}

wrong field 's/to = 0x1000/to = 0x1001/' 'to is 4096'
wrong too-large 's/opcode = 0/opcode = 16/' 'opcode is 0'
wrong length 's/ulpdu_length = 18/ulpdu_length = 17/' 'ulpdu_length is 18'
wrong payload 's/payload = de/payload = df/' 'payload is de'
wrong payload-short 's/payload = de ad be ef/payload = de ad/' 'payload is'
wrong pad 's/pad =/pad = 00/' 'pad is'
wrong no-such-field 's/; t = 1/; t = 1; qn = 0/' "no field 'qn'"
wrong octet 's/de ad be ef | payload/de ad be ee | payload/' "fault 'crc'"
wrong crc 's/bd bc 30 f4/f4 30 bc bd/' "fault 'crc'"
wrong dv 's/c1 40 /c2 40 /' "fault 'ddp-version'"
wrong reserved 's/c1 40 /c5 40 /' "fault 'ddp-reserved'"
wrong model 's/c1 40 /c1 43 /' "fault 'buffer-model'"
wrong missing 's/; stag = 0x1234//' 'build from the fields gives'
wrong too-few 's/	bd bc 30 f4/	bd bc 30/' 'octets needed'
wrong too-many 's/	bd bc 30 f4/	bd bc 30 f4 00/' 'left over'
wrong markers 's/^section/markers: yes\nsection/' 'left over'
wrong no-fault 's/verdict: valid/verdict: invalid\nreceiver: refuse\nfault: crc/' \
	"has no fault 'crc'"
wrong other-fault 's/verdict: valid/verdict: open\nreceiver: either\nfault: pad/' \
	"has no fault 'pad'"

cat >"$dir/startup.vec" <<'VEC'
vector: startup
kind: mpa-request
verdict: valid
section: RFC 5044 s7.1.1
about: a Request, stated to have C 0
	4d 50 41 20 49 44 20 52 65 71 20 46 72 61 6d 65 | key
	40 01 00 00 | C 1, Rev 1, PD_Length 0
c = 0; rev = 1; pd_length = 0
VEC
check startup 1 'c is 1'

sed 's/kind: mpa-request/kind: mpa-reply/; s/c = 0/c = 1/' \
	"$dir/startup.vec" >"$dir/reply.vec"
check reply 1 "fault 'key'"

cat >"$dir/crc.vec" <<'VEC'
vector: crc
kind: crc
verdict: valid
section: RFC 3720 B.4
about: 32 zeros, value one off
	00*32 | zeros
value = 0x8a9136ab; wire = aa 36 91 8a
VEC
check crc 1 'CRC32c is 0x8a9136aa'

cat >"$dir/atomic.vec" <<'VEC'
vector: atomic
kind: atomic
verdict: valid
section: RFC 7306 s5.1.1
about: a carry that the mask should have dropped
aopcode = 0; old = 0xffffffff; data = 1; mask = 0x80000000; new = 0x100000000
compare = 0; compare_mask = 0xffffffffffffffff
VEC
check atomic 1 'result is 0x0000000000000000'

cat >"$dir/mulpdu.vec" <<'VEC'
vector: mulpdu
kind: mulpdu
verdict: valid
section: RFC 5044 s4.5
about: markers forgotten
markers: yes
emss = 1460; mulpdu = 1454
VEC
check mulpdu 1 'MULPDU is 1442'

# ---- a marker's fields -----------------------------------------------------

cat >"$dir/marker.vec" <<'VEC'
vector: marker
kind: fpdu
verdict: valid
section: RFC 5044 s4.4 figure 6
about: the RFC's example, at the wrong offset
markers: yes
offset: 0x1e8
	00 2a       | ULPDU_Length 42
	41 43       | Send
	00 00 00 00 | no STag
	00 00 00 00 | QN 0
	00 00 00 02 | MSN 2
	00 00 00 00 | MO 0
	00 00 00 14 | marker
	00*24       | payload
	84 92 58 98 | CRC
markers = 1; marker.0.at = 20; marker.0.fpduptr = 0x14
VEC
check marker 1 'marker.0.at is 24'

# ---- what is no vector file ------------------------------------------------

# refused NAME SED-SCRIPT PATTERN
refused()
{
	make_wrong "$1" "$2"
	check "$1" 2 "$1.vec:[0-9]*: .*$3"
}

refused not-hex 's/de ad be ef | /de ad be eg | /' 'not a list of octets'
refused upper-case 's/de ad be ef | /DE ad be ef | /' 'not a list of octets'
refused no-note 's/ | payload//' 'meaning'
refused bad-key 's/^about:/abuot:/' "unknown or repeated header 'abuot'"
refused bad-kind 's/kind: fpdu/kind: pdu/' "unknown word 'pdu'"
refused bad-field 's/stag = /stagg = /' "unknown field 'stagg'"
refused twice 's/l = 1/t = 1/' 'stated twice'
refused no-equals 's/; l = 1/; l/' "not 'name = value'"
refused no-section '/^section/d' 'lacks'
refused no-verdict '/^verdict/d' 'lacks'
refused no-octets '/^	/d' 'no octets'
refused no-fields '/=/d' 'states no field'
refused no-name-first '/^vector/d' 'before the first'
refused no-fault-named 's/verdict: valid/verdict: invalid\nreceiver: refuse/' \
	'names no fault'
refused no-receiver 's/verdict: valid/verdict: invalid\nfault: crc/' \
	'what a receiver does'
refused valid-with-fault 's/^section/fault: crc\nsection/' 'yet names a fault'
refused name-twice 's/^kind/ vector: again\nkind/' 'repeated header .vector'
refused kind-twice 's/^verdict/kind: crc\nverdict/' 'repeated header .kind'
refused big-offset 's/^section/offset: 4294967296\nsection/' '32-bit'
refused row-cell 's/de ad be ef | payload/{1} | payload/
	$a\
row: only-a-name' 'no cell 1'

: >"$dir/empty.vec"
check empty 2 'empty.vec:0: no vector in it'
check absent 2 'absent.vec: No such file'
printf 'vector: \033[2J\n' >"$dir/escape.vec"
check escape 2 'escape.vec:1: a control character, U+001B'
printf 'vector: a\nkind: crc\000\n' >"$dir/nul.vec"
check nul 2 'nul.vec:2: a NUL'
mkfifo "$dir/fifo.vec"
check fifo 2 'fifo.vec: not a file, but a FIFO'
cat "$dir/right.vec" "$dir/right.vec" >"$dir/double.vec"
check double 2 'right is in .* already'

# ---- usage, and the vectors themselves -------------------------------------

for args in '' 'check' 'cheque x' 'pcap x' 'tshark x y'; do
	# shellcheck disable=SC2086  # the words are arguments
	"$tool" $args >"$dir/out" 2>&1
	status=$?
	if [ "$status" -eq 2 ] && grep -q '^usage:' "$dir/out"; then
		good
	else
		bad "usage '$args': exit $status"
	fi
done

"$tool" pcap "$dir/right.vec" -w "$dir/no/such/place.pcap" >"$dir/out" 2>&1
if [ $? -eq 2 ] && [ "$(wc -l <"$dir/out")" -eq 1 ]; then
	good
else
	bad 'an unwritable capture is not said in one line'
fi

for file in "$tables"/*.vec; do
	check "$(basename "$file")" 0 ' passed, 0 failed' "$file"
done

# The comparison with another reader: one that read nothing agrees with nothing.
: >"$dir/nothing"
"$tool" tshark "$dir/nothing" "$dir/nothing" "$dir/right.vec" >"$dir/out" 2>&1
if [ $? -eq 1 ] && grep -q 'opcode: tshark reads nothing' "$dir/out"; then
	good
else
	bad 'a reading of nothing is taken for agreement'
fi
echo 'right opcode perhaps because' >"$dir/known"
"$tool" tshark "$dir/nothing" "$dir/known" "$dir/right.vec" >"$dir/out" 2>&1
if [ $? -eq 2 ] && grep -q 'known:1: ' "$dir/out"; then
	good
else
	bad 'a wrong list of known deviations is taken'
fi
echo 'no-such-vector opcode nothing because' >"$dir/known"
"$tool" tshark "$dir/nothing" "$dir/known" "$dir/right.vec" >"$dir/out" 2>&1
if [ $? -eq 1 ] && grep -q 'not needed any more' "$dir/out"; then
	good
else
	bad 'a stale deviation is not reported'
fi

# Nothing has gone missing: there are hundreds.
"$tool" list "$tables"/*.vec >"$dir/list"
if [ "$(wc -l <"$dir/list")" -ge 300 ]; then
	good
else
	bad "only $(wc -l <"$dir/list") vectors"
fi

echo "vectors: $passed passed, $failed failed"
[ "$failed" -eq 0 ]

#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The vectors as tshark reads them: tshark_test.sh VECTORS_TOOL
#
# Writes the vectors as a capture, has tshark read it, and compares its reading
# with what the vectors state. tshark-known.txt lists where tshark is known to
# read nothing or to read wrongly.

set -eu

tool=${1:?usage: tshark_test.sh VECTORS_TOOL}
tables=$(cd "$(dirname "$0")/.." && pwd)

if ! command -v tshark >/dev/null 2>&1; then
	echo "tshark: not installed (Debian package tshark); not compared"
	exit 77
fi

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM

"$tool" pcap "$tables"/*.vec -w "$dir/vectors.pcap"

# MPA has no port: its heuristic has to come before the ports', and the two
# protocols above RDMAP would take Sends for theirs, as one above SCTP would.
read_capture()
{
	tshark -n -r "$dir/vectors.pcap" \
		--disable-protocol rpcordma --disable-protocol smb_direct \
		--disable-protocol nbap \
		-o tcp.try_heuristic_first:TRUE \
		-o tcp.relative_sequence_numbers:TRUE "$@" \
		2>"$dir/stderr" || {
		cat "$dir/stderr" >&2
		exit 2
	}
}

# shellcheck disable=SC2046  # one word per line
read_capture -T fields $("$tool" tshark-args) >"$dir/fields"

# Whether a CRC is right stands in the detailed output only.
read_capture -V >"$dir/detail"
awk '/^Frame [0-9]+:/ { frame = $2 + 0 }
     /CRC check: .*\((Good|Bad) CRC32/ {
	print frame "\t" (/\(Good CRC32/ ? "Good" : "Bad") }' \
	"$dir/detail" >"$dir/crc"
awk -F '\t' 'NR == FNR { crc[$1] = $2; next } { print $0 "\t" crc[$1] }' \
	"$dir/crc" "$dir/fields" >"$dir/reading"

"$tool" tshark "$dir/reading" "$tables/tshark-known.txt" "$tables"/*.vec

#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# bench_audit.sh BUILD - how fast `warpspec audit` is on one core, compared
# with tshark on the same file, and how much memory it takes for a stream that
# is piped. The expected figure is printed next to each one; nothing is
# asserted. May be set: MIB (1024), PIPED (1024).
set -u

build=${1:?usage: bench_audit.sh BUILD}
mib=${MIB:-1024} piped=${PIPED:-1024}
bench=$build/bench/harness/link/raw/assembly_bench
file=$(mktemp) || exit 2
trap 'rm -f "$file"' EXIT

# COMMAND...: prints the processor seconds that it takes.
seconds()
{
	local TIMEFORMAT='%U %S'
	{ time "$@" >/dev/null 2>&1; } 2>&1 | awk '{ print $1 + $2 }'
}

# MIB: prints the maximum of memory in KiB while this many MiB are piped.
memory_of()
{
	"$bench" --write - "$1" | /usr/bin/env python3 -c '
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$build/warpspec" audit -
}

"$bench"
"$bench" --write "$file" "$mib" || exit 2
ours=$(seconds "$build/warpspec" audit "$file")
awk -v s="$ours" -v m="$mib" 'BEGIN {
	printf "bench audit of a file %.2f GB/s (floor 1.00)\n", m * 1048576 / 1e9 / (s + 1e-9) }'
if command -v tshark >/dev/null; then
	head -c $((16 << 20)) "$file" >"$file.part"
	theirs=$(seconds tshark -o tcp.desegment_tcp_streams:TRUE -O iwarp_mpa,iwarp_ddp_rdmap \
		-r "$file.part")
	rm -f "$file.part"
	awk -v a="$ours" -v b="$theirs" -v m="$mib" 'BEGIN {
		printf "bench audit, times as fast as tshark %.0f (floor 20)\n",
			(b / 16) / ((a + 1e-9) / m) }'
fi
echo "bench audit, KiB of memory for 64 MiB piped $(memory_of 64)"
echo "bench audit, KiB of memory for $piped MiB piped $(memory_of "$piped") (floor: the same)"

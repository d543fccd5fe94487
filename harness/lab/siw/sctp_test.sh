#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# sctp_test.sh BUILD [SERIES] - tests harness/link/sctp and the peer on it
# against the SCTP of that kernel, in a guest of its own lab: in UDP (RFC 6951)
# and directly over IP, over IPv4 and IPv6 (harness/lab/sctp). A lab SIW_LAB
# may run at the same time. Closes with "sctp-kernel: N passed, N failed".
# Exit: 0 all passed, 1 not, 2 the lab failed, 77 not possible here.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=harness/lab/siw/lib.sh
. "$here/lib.sh"
build=$(realpath "${1:?usage: sctp_test.sh BUILD [SERIES]}") || exit 2
export SIW=${2:-6.1} SIW_LAB=${SIW_LAB:+$SIW_LAB.}sctp WARPSPEC_AGENT=none
export SIW_PROGRAM=$build/tool/harness/lab/sctp/kernel_tool
lab_is "$SIW"
interop=$build/tool/harness/lab/sctp/interop_tool
tool_port=18516 udp_port=9899 # of the guest; RFC 6951 s3.1
passed=0 failed=0

"$here/can" || exit
[[ -x $interop ]] || die "no program $interop: run make programs"
kernel=$("$here/kernel.sh" "$series") || exit
grep -qx sctp.ko "$kernel/modules.load" ||
	cannot "kernel $series of ${kernel##*/} has no sctp.ko"

trap '"$here/down" "$series"' EXIT
trap 'exit 2' INT TERM HUP
"$here/up" "$series" || exit

# --- the guest's end --------------------------------------------------

# COMMAND...: run it in the guest; if it cannot run, the lab has failed.
guest()
{
	local said
	said=$("$here/guest-exec" "$@") || die "in the guest, $*: $said"
}
# If 6.1 leaves segmentation to its device, it occasionally drops all packets
# to be segmented, in UDP (validate_xmit_skb); the retransmission by SCTP takes
# time.
[[ $series == 6.1 ]] &&
	guest /usr/bin/ip link set dev eth0 gso_max_size 1500
guest sh -c "kernel_tool $tool_port >/tool.log 2>&1 </dev/null &"
listens() { "$here/guest-exec" netstat -tln | grep -q ":$tool_port .*LISTEN"; }
await 5000 listens || die "kernel_tool does not listen in the guest:" \
	"$("$here/guest-exec" cat /tool.log)"

# --- each transport ---------------------------------------------------

# OWN GUEST UDP: to the guest's UDP port, or 0. With a port, its kernel
# reserves room for a UDP header even in packets directly over IP.
run()
{
	local out=$state/interop.log status good='' bad=''
	guest sh -c "echo $3 >/proc/sys/net/sctp/udp_port"
	in_netns timeout 300 "$interop" "$1" "$2" "$tool_port" "$3" \
		>"$out" 2>&1
	status=$?
	cat "$out"
	read -r good bad < <(sed -nE \
		's/.*: ([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$out")
	[[ $status -eq 0 || ${bad:-0} -gt 0 ]] || bad=1
	passed=$((passed + ${good:-0})) failed=$((failed + ${bad:-0}))
	"$here/health" "$series" "$SIW_LAB" || failed=$((failed + 1))
}
# Over IPv6 the kernel offers all its addresses; the suite does not use them.
offers()
{
	guest sh -c "cd /proc/sys/net/sctp && for e in auth_enable addip_enable \
		reconf_enable intl_enable; do echo $1 >\$e || exit; done"
}
run "$host_address" "$guest_address" $udp_port
offers 1
run "$host_address6" "$guest_address6" $udp_port
offers 0
# A kernel with SCTP would answer at our address.
if grep -qs '^SCTP' /proc/net/protocols; then
	echo "sctp-kernel: not over IP alone: this machine's kernel has SCTP" \
		"itself; take it out (modprobe -r sctp)"
else
	run "$host_address" "$guest_address" 0
	offers 1
	run "$host_address6" "$guest_address6" 0
fi

echo "sctp-kernel: $passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]

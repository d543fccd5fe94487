# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154 # lab_is sets what belongs to the lab
#
# boot.sh - starting, watching and ending a lab's guest. Sourced after lib.sh
# and lab_is; takes no privileges but those of the user whose lab it is, so
# that a hook can do it after the suite has given its own up.

boot_deadline_ms=60000
# Emulation is the same everywhere; KVM is faster where it works, which in a
# virtual machine is not where it only seems to be there.
accelerator=${WARPSPEC_SIW_ACCEL:-tcg}
# Of known speed, or the kernel complains of every question for it.
nic=virtio-net-pci,netdev=net,romfile=,mac=02:00:00:77:00:02
nic+=,speed=10000,duplex=full

# The console as it was is kept: what killed a guest is told by it.
console_begins()
{
	[[ -s $console ]] && cat "$console" >>"$state/console.past"
	: >"$console"
	echo 0 >"$state/clean-octets"
}

# Under sudo the guest is the caller's: the suite takes that identity back, and
# a hook of it has to be able to end one guest and start the next.
as_owner=()
[[ $(id -u) -eq 0 && ${SUDO_UID:-0} -ne 0 ]] && as_owner=(setpriv
	--reuid "$SUDO_UID" --regid "${SUDO_GID:?is unset under sudo}"
	--init-groups --inh-caps=-all)

# One processor: the same case takes the same course each time, and emulated
# ones trip over each other where a kernel patches its own code.
guest_starts()
{
	[[ $accelerator =~ ^(kvm|tcg)$ ]] ||
		die "WARPSPEC_SIW_ACCEL=$accelerator: say kvm or tcg"
	console_begins
	in_netns "${as_owner[@]}" qemu-system-x86_64 -name "$name" \
		-accel "$accelerator" -cpu max,arch-capabilities=off -smp 1 -m 384 \
		-nodefaults -no-user-config -display none \
		-kernel "$state/vmlinuz" -initrd "$state/initramfs" \
		-append "console=ttyS0 loglevel=5 panic=0 nokaslr \
			mitigations=off random.trust_cpu=on no_timer_check" \
		-chardev "file,id=console,path=$console,append=on" \
		-serial chardev:console \
		-netdev tap,id=net,ifname=tap0,script=no,downscript=no \
		-device "$nic" \
		-pidfile "$state/qemu.pid" -daemonize \
		</dev/null >"$boot_log" 2>&1 9>&- ||
		die "starting the guest: qemu failed:" \
			"$(head -n 1 "$boot_log"); see $boot_log"
}

# The guest's own verdict of its boot, its kernel's, or that it has ended.
boot_is_decided()
{
	grep -aqE -e "$trouble" -e '^siw-lab: (ready|boot failed)' "$console" ||
		! guest_runs
}

guest_is_up()
{
	local why
	if ! await "$boot_deadline_ms" boot_is_decided; then
		why="not ready after $((boot_deadline_ms / 1000)) s"
	elif ! why=$(grep -aEm 1 -e "$trouble" -e '^siw-lab: boot failed' \
		"$console"); then
		guest_runs && return
		why="it has ended"
	fi
	die "booting the guest: ${why%$'\r'}; see $console"
}

# Also one whose pid file is lost: it is in the lab's network.
guest_pids()
{
	local pid
	{
		[[ -r $state/qemu.pid ]] && cat "$state/qemu.pid"
		[[ -e /run/netns/$netns ]] && ip netns pids "$netns" 2>/dev/null
	} | sort -u | while read -r pid; do
		is_guest "$pid" && echo "$pid"
	done
}

guest_ends()
{
	local pid
	for pid in $(guest_pids); do
		kill "$pid" 2>/dev/null || ! is_guest "$pid" ||
			die "ending the guest: process $pid is another's"
		timeout 5 tail -s 0.02 --pid="$pid" -f /dev/null ||
			kill -9 "$pid" 2>/dev/null
	done
}

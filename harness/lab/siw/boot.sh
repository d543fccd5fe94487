# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154 # lab_is sets what belongs to the lab
#
# boot.sh - starting, watching and ending a lab's guest. Sourced after lib.sh
# and lab_is. It needs only the privileges of the user who owns the lab, so
# that a hook can use it after the suite has dropped its own.

boot_deadline_ms=60000
# Emulation is the same everywhere; KVM is faster where it works, but in a
# virtual machine it may only seem to be available.
accelerator=${WARPSPEC_SIW_ACCEL:-tcg}
# A clock of known speed: otherwise the kernel complains whenever it asks for
# it.
nic=virtio-net-pci,netdev=net,romfile=,mac=02:00:00:77:00:02
nic+=,speed=10000,duplex=full

# The earlier console is kept: it shows why a guest died.
console_begins()
{
	[[ -s $console ]] && cat "$console" >>"$state/console.past"
	: >"$console"
	echo 0 >"$state/clean-octets"
}

# Under sudo the guest belongs to the caller: the suite returns to that
# identity, and its hook must be able to end one guest and start the next.
as_owner=()
[[ $(id -u) -eq 0 && ${SUDO_UID:-0} -ne 0 ]] && as_owner=(setpriv
	--reuid "$SUDO_UID" --regid "${SUDO_GID:?is unset under sudo}"
	--init-groups --inh-caps=-all)

# One processor: a case takes the same course each time, and emulated
# processors disturb each other when a kernel patches its own code.
guest_starts()
{
	[[ $accelerator =~ ^(kvm|tcg)$ ]] ||
		die "WARPSPEC_SIW_ACCEL=$accelerator: use kvm or tcg"
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

# Wait for the guest's own result of its boot, for its kernel's, or for its
# end.
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

# Also a guest whose pid file is lost: it is in the lab's network.
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

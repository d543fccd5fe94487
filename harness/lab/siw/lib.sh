# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2034 # what is set here is used there
#
# lib.sh - shared by the scripts of this lab: names, paths, errors. Sourced,
# with $here as the folder of the lab.
#
# A lab is a guest of one kernel series in a network namespace of its own. Its
# name is siw-SERIES, or siw-SERIES-NAME if SIW_LAB=NAME requests a separate
# one, so that several can run at the same time.

here=${here:?is set by who sources this}
siw_cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/warpspec/siw
siw_run=/run/warpspec

# The addresses of every lab: separate networks may use the same ones.
host_address=10.77.0.1 host_address6=fd77::1
guest_address=10.77.0.2 guest_address6=fd77::2
agent_port=18515
command_port=18514

# The form of the kernel's reports of its own faults, as an extended regular
# expression.
trouble='BUG: |BUG at |WARNING: |Oops|Kernel panic|general protection|KASAN|UBSAN'
trouble+='|KFENCE|unable to handle|blocked for more than|soft lockup'
trouble+='|hard LOCKUP|rcu:.*(stall|detected)|refcount_t:|list_(add|del) corr'
trouble+='|stack-protector|Call Trace:'

die()
{
	echo "siw: $*" >&2
	exit 2
}

# Things that are impossible on this machine, in contrast to failures.
cannot()
{
	echo "siw: not on this machine: $*" >&2
	exit 77
}

# SERIES [NAME]: set the names that belong to this lab.
lab_is()
{
	series=$1
	lab=${2:-${SIW_LAB:-}}
	[[ $series =~ ^6\.(1|12)$ ]] ||
		die "no kernel series '$series': use 6.1 or 6.12"
	[[ $lab =~ ^[A-Za-z0-9._]{0,24}$ ]] ||
		die "SIW_LAB=$lab: letters, digits, dot and underscore, 24 at most"
	name=siw-$series${lab:+-$lab}
	netns=warpspec-$name
	state=$siw_run/$name
	console=$state/console
	boot_log=$state/boot.log
	device_file=$here/siw-$series.ini
	[[ $lab ]] && device_file=$state/$name.ini
}

# Only one process at a time changes a lab; the lock ends with the process.
# Removing a lab removes the file of its lock, too: a process that waited for
# it waits for the next one.
lab_lock()
{
	local lock=$siw_run/$name.lock
	until [[ $lock -ef /proc/self/fd/9 ]]; do
		mkdir -p "$siw_run" && exec 9>"$lock" ||
			die "$lock: cannot be made"
		flock -w 120 9 || die "another process has been busy with" \
			"$name for two minutes: see $lock"
	done
}
lab_unlock()
{
	rm -f "$siw_run/$name.lock"
	exec 9>&-
}

# COMMAND...: run it in the lab's network; nothing changes for a process that
# is already there, which needs no privileges.
in_netns()
{
	[[ -e /run/netns/$netns ]] || die "$name is not up: make siw-up SIW=$series"
	if [[ /proc/self/ns/net -ef /run/netns/$netns ]]; then
		"$@"
	else
		nsenter --net="/run/netns/$netns" -- "$@"
	fi
}

# PID: whether it is this lab's guest, according to the pid file on its command
# line: another process that has this number by now is never matched.
is_guest()
{
	local arguments=()
	[[ -r /proc/$1/cmdline ]] &&
		mapfile -d '' arguments <"/proc/$1/cmdline" 2>/dev/null &&
		[[ " ${arguments[*]} " == *" $state/qemu.pid "* ]]
}

guest_runs()
{
	local pid=none
	[[ -r $state/qemu.pid ]] && read -r pid <"$state/qemu.pid"
	is_guest "$pid"
}

# MILLISECONDS COMMAND...: repeat every 20 ms until it succeeds.
await()
{
	local end=$((${EPOCHREALTIME/[.,]/} / 1000 + $1))
	shift
	until "$@"; do
		((${EPOCHREALTIME/[.,]/} / 1000 < end)) || return 1
		sleep 0.02
	done
}

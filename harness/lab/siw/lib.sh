# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2034 # what is set here is used there
#
# lib.sh - what the scripts of this lab share: names, paths, errors. Sourced,
# with $here the folder of the lab.
#
# A lab is a guest of one kernel series in a network of its own. Its name is
# siw-SERIES, or siw-SERIES-NAME where SIW_LAB=NAME asks for one apart from
# the others, so that several can be up at once.

here=${here:?is set by who sources this}
siw_cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/warpspec/siw
siw_run=/run/warpspec

# The addresses of every lab: networks apart may use the same.
host_address=10.77.0.1 host_address6=fd77::1
guest_address=10.77.0.2 guest_address6=fd77::2
agent_port=18515
command_port=18514

# How a kernel reports a fault of its own, as an extended regular expression.
trouble='BUG: |BUG at |WARNING: |Oops|Kernel panic|general protection|KASAN|UBSAN'
trouble+='|KFENCE|unable to handle|blocked for more than|soft lockup'
trouble+='|hard LOCKUP|rcu:.*(stall|detected)|refcount_t:|list_(add|del) corr'
trouble+='|stack-protector|Call Trace:'

die()
{
	echo "siw: $*" >&2
	exit 2
}

# What this machine cannot do at all, as opposed to what went wrong on it.
cannot()
{
	echo "siw: not on this machine: $*" >&2
	exit 77
}

# SERIES [NAME]: sets what belongs to this lab.
lab_is()
{
	series=$1
	lab=${2:-${SIW_LAB:-}}
	[[ $series =~ ^6\.(1|12)$ ]] ||
		die "no kernel series '$series': say 6.1 or 6.12"
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

# One process at a time changes a lab; the lock ends with it. A lab that goes
# takes its lock's file along: who waited for it waits for the next one.
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

# COMMAND...: in the lab's network; nothing changes for who is there already,
# which takes no privileges.
in_netns()
{
	[[ -e /run/netns/$netns ]] || die "$name is not up: make siw-up SIW=$series"
	if [[ /proc/self/ns/net -ef /run/netns/$netns ]]; then
		"$@"
	else
		nsenter --net="/run/netns/$netns" -- "$@"
	fi
}

# PID: whether it is this lab's guest, by the pid file that is named on its
# command line: another process that has its number by now is never meant.
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

# MILLISECONDS COMMAND...: until it succeeds, asked every 20 ms.
await()
{
	local end=$((${EPOCHREALTIME/[.,]/} / 1000 + $1))
	shift
	until "$@"; do
		((${EPOCHREALTIME/[.,]/} / 1000 < end)) || return 1
		sleep 0.02
	done
}

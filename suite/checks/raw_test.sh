#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# raw_test.sh BUILD - tests the raw link with bad input: addresses in use, an
# interface that goes down, missing privileges, privileges that are not
# dropped, unrelated frames, a suite that is killed. All of it runs in a
# network namespace; if the machine allows none, the test says so. Each check
# prints ok or not ok. Exit: 0 all ok.
set -u

build=${1:?usage: raw_test.sh BUILD}

# Run again, inside the namespace.
if [[ ${2:-} != inside ]]; then
	for own in "unshare -n" "unshare -rn"; do
		$own true 2>/dev/null && exec $own "$0" "$build" inside
	done
	echo "raw: not here: no network namespace can be made"
	exit 0
fi
# shellcheck source=suite/checks/testing.sh
. "${0%/*}/testing.sh"
chmod 755 "$tmp" # for another user

# --- a wire, and a device on it ---------------------------------------

ip -batch - <<END || exit 2
link set lo up
link add device0 mtu 9216 type veth peer name peer0 mtu 9216
addr add 10.77.0.2/24 dev device0
addr add fd00:77::2/64 dev device0 nodad
addr add 198.51.100.2/32 dev device0
link set device0 up
link set peer0 up
END
echo 1 >/proc/sys/net/ipv6/conf/peer0/disable_ipv6
echo 1 >/proc/sys/net/ipv4/tcp_retries2
device_mac=$(ip -o link show device0 | sed 's/.*link.ether \([^ ]*\).*/\1/')
echo "a secret of the checks" >"$tmp/token"

# ADDRESS: a device bound to it; its agent is `agent`.
start_device_at()
{
	start "$refdut" --bind "$1" --agent-port 0 --startup-timeout-ms 1000 \
		--token-file "$tmp/token"
	agent=${line#*agent }
}

# FILE ADDRESS [LINE]: a device file; the link's own address.
raw_file()
{
	cat >"$1" <<-END
		[device]
		agent = $agent
		token-file = $tmp/token
		[link]
		kind = raw
		interface = ${4:-peer0}
		address = $2
		${3:-}
	END
}

# Print the state of a process and of those below it.
family_of()
{
	local pids=("$1") below i
	for ((i = 0; i < ${#pids[@]}; i++)); do
		read -ra below < <(cat "/proc/${pids[i]}/task/"*/children \
			2>/dev/null)
		pids+=("${below[@]}")
	done
	echo "${pids[@]}"
}

# SECONDS COMMAND...: repeat until it succeeds; the state of another program
# can only be polled.
until_true()
{
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		[[ $SECONDS -ge $end ]] && return 1
		read -r -t 0.02 -u "$never"
	done
	return 0 # not the status of the waiting command
}
mkfifo "$tmp/never"
exec {never}<>"$tmp/never"

has_lines() { [[ -s $1 && $(wc -l <"$1") -ge $2 ]]; }

# FOLDER COMMAND...: start a run in the background and wait until it is well
# under way. Its process is `suite`; its journal and its report are in the
# folder.
start_run()
{
	local to=$1
	shift
	rm -f "$to/journal" "$to/report.json"
	"$@" --journal "$to/journal" --report json="$to/report.json" \
		>"$tmp/out" 2>&1 &
	suite=$!
	until_true 30 has_lines "$to/journal" 50
}

start_device_at fd00:77::2
raw_file "$tmp/six.ini" fd00:77::3/64
start_device_at 10.77.0.2
raw_file "$tmp/four.ini" 10.77.0.3/24
raw=("$warpspec" run -d "$tmp/four.ini")

exits "the clean device" 0 "${raw[@]}" --report json="$tmp/clean.json" &&
	ok "the clean device"
exits "the clean device, over IPv6" 0 "${run[@]}" -d "$tmp/six.ini" 'mpa/*' \
	--report json="$tmp/six.json" && ok "the clean device, over IPv6"
all=$("$python" -c 'import json, sys
print(len(json.load(open(sys.argv[1]))["cases"]))' "$tmp/clean.json")

# --- addresses --------------------------------------------------------

for own in 10.77.0.2/24 fd00:77::2/64 10.77.0.1/24 fd00:77::1/64; do
	raw_file "$tmp/bad.ini" $own
	refuses "an address that is taken, from $own on" \
		"(10.77.0.2|fd00:77::2) is taken: $device_mac has it" \
		"$warpspec" run -d "$tmp/bad.ini"
done
raw_file "$tmp/bad.ini" 10.77.0.254/24
refuses "no more addresses" "10.77.0.254/24 has no [0-9]+ addresses after" \
	"$warpspec" run -d "$tmp/bad.ini"
raw_file "$tmp/bad.ini" 10.77.0.3
refuses "an address without a prefix" "10.77.0.3: expected ADDRESS/PREFIX" \
	"$warpspec" run -d "$tmp/bad.ini"
raw_file "$tmp/bad.ini" 10.77.0.3/24 "" nothing0
refuses "no such interface" "no interface nothing0" \
	"$warpspec" run -d "$tmp/bad.ini"
raw_file "$tmp/bad.ini" 10.77.0.3/24 "" lo
refuses "an interface that is not an Ethernet interface" "interface lo is not an Ethernet interface" \
	"$warpspec" run -d "$tmp/bad.ini"
raw_file "$tmp/bad.ini" 10.77.0.3/24 "gateway = 192.0.2.1"
refuses "a gateway that is elsewhere itself" "gateway 192.0.2.1: expected" \
	"$warpspec" run -d "$tmp/bad.ini"

# A device in another network: the kernel at the other end is the gateway.
start_device_at 198.51.100.2
raw_file "$tmp/far.ini" 10.77.0.3/24
says "a device elsewhere, without a gateway" 3 \
	"not on the segment of 10.77.0.3/24, and there is no \[link\] gateway" \
	"${run[@]}" -d "$tmp/far.ini" 'mpa/crc/*'
raw_file "$tmp/far.ini" 10.77.0.3/24 "gateway = 10.77.0.2"
exits "a device behind a gateway" 0 "${run[@]}" -d "$tmp/far.ini" 'mpa/*' &&
	ok "a device behind a gateway"

# --- an interface that goes down --------------------------------------

start_run "$tmp" "${raw[@]}" --jobs 2
ip link set peer0 down
wait "$suite"
status=$?
ip link set peer0 up
if [[ $status -eq 3 ]]; then
	ok "an interface that goes down: exit 3"
else
	not_ok "an interface that goes down: exit 3" "exit status $status" \
		"$(tail -n 3 "$tmp/out")"
fi
report_holds "the rest are errors, not failures" "$tmp/report.json" \
	"n == $all and by['pass'] and by['error'] and not by['fail']"

# --- unrelated frames -------------------------------------------------

# The device's kernel remembers how narrow a path was for earlier runs.
ip route flush cache
start "$python" "$here/flood.py" device0 8
flood_pid=$pid
exits "a flood" 0 "${raw[@]}" --report json="$tmp/flood.json" &&
	report_holds "a flood: the same verdicts as without" "$tmp/flood.json" \
		"[(c['id'], c['verdict']) for c in r['cases']] == [(c['id'],
		c['verdict']) for c in json.load(open('$tmp/clean.json'))['cases']]"
kill "$flood_pid"
read -r -t 20 -u "$spoken" frames
wait "$flood_pid" 2>/dev/null
if [[ ${frames:-0} -gt 10000 ]]; then
	ok "a flood of $frames frames"
else
	not_ok "a flood" "only ${frames:-none} frames"
fi

# --- the suite is killed ----------------------------------------------

gone()
{
	local pid
	for pid in "$@"; do
		[[ -e /proc/$pid && $(cut -d' ' -f3 "/proc/$pid/stat" \
			2>/dev/null) != [ZX] ]] && return 1
	done
	return 0
}
before=$(ip -o link | cut -d: -f2; ls /run/netns 2>/dev/null)
start_run "$tmp" "${run[@]}" --link raw
read -ra pids <<<"$(family_of "$suite")"
network=$(readlink "/proc/$suite/ns/net")
{ kill -KILL "$suite" && wait "$suite"; } 2>/dev/null
if [[ ${#pids[@]} -gt 3 ]] && until_true 10 gone "${pids[@]}"; then
	ok "kill -9: none of its ${#pids[@]} processes is left"
else
	not_ok "kill -9: no process is left" \
		"$(ps -o pid,stat,args -p "${pids[*]}" 2>&1)"
fi
left=$(readlink /proc/[0-9]*/ns/net | grep -cF "$network")
if [[ $network && $left -eq 0 ]]; then
	ok "kill -9: nor is its network"
else
	not_ok "kill -9: nor is its network" "$left processes in $network"
fi
if [[ $(ip -o link | cut -d: -f2; ls /run/netns 2>/dev/null) == "$before" ]]; then
	ok "kill -9: interfaces and namespaces are those of before"
else
	not_ok "kill -9: interfaces and namespaces are those of before" \
		"$(ip -o link)"
fi

# --- privileges -------------------------------------------------------

NOBODY=65534
nobody=(setpriv --reuid="$NOBODY" --regid="$NOBODY" --clear-groups)
if [[ $(id -u) -ne 0 ]] || ! "${nobody[@]}" true 2>/dev/null; then
	echo "skip privileges: only root can be somebody else"
	echo "raw: $passed passed, $failed failed"
	[[ $failed -eq 0 && $passed -gt 0 ]]
	exit
fi
mkdir "$tmp/bin" "$tmp/ours" "$tmp/theirs"
cp "$warpspec" "$refdut" "$tmp/bin"
chown $NOBODY "$tmp/theirs"
chmod 644 "$tmp/token" "$tmp/"*.ini
theirs=("${nobody[@]}" "$tmp/bin/warpspec" run --quiet)

refuses "without CAP_NET_RAW" \
	"needs CAP_NET_RAW: .*'setcap cap_net_raw\+ep $tmp/bin/warpspec'" \
	"${theirs[@]}" -d "$tmp/four.ini"

# Nor a namespace of their own: the capabilities that the kernel allows in one
# are none.
no_namespaces()
{
	echo 0 >/proc/sys/user/max_user_namespaces || exit 77
	shift
	exec setpriv --bounding-set=-all --inh-caps=-all "$@"
}
export -f no_namespaces
if unshare -r bash -c 'no_namespaces "$@"' - - true 2>/dev/null; then
	refuses "without any way to a network of its own" \
		"network of its own needs CAP_SYS_ADMIN, or user namespaces" \
		unshare -r bash -c 'no_namespaces "$@"' - - \
		"$tmp/bin/warpspec" run --link raw
else
	echo "skip without any way to a network: namespaces cannot be limited"
fi
if "${nobody[@]}" unshare -rn true 2>/dev/null; then
	exits "as nobody, in a namespace of their own" 0 \
		"${theirs[@]}" --link raw 'mpa/crc/*' &&
		ok "as nobody, in a namespace of their own"
else
	echo "skip as nobody: user namespaces are for root alone here"
fi

# PID...: none of them has any capability.
powerless()
{
	local pid
	for pid in "$@"; do
		grep -q '^Cap\(Prm\|Eff\|Amb\):.*[1-9a-f]' "/proc/$pid/status" &&
			return 1
	done
	return 0
}

# NAME: of the run that is under way, with its report in theirs.
gave_up_privileges()
{
	local pids status
	read -ra pids <<<"$(family_of "$suite")"
	if [[ ${#pids[@]} -gt 2 ]] && powerless "${pids[@]}"; then
		ok "$1: no capability is left in ${#pids[@]} processes"
	else
		not_ok "$1: no capability is left" \
			"$(grep -h ^Cap "/proc/$suite/status")"
	fi
	wait "$suite"
	status=$?
	if [[ $status -eq 0 ]]; then
		ok "$1: works"
	else
		not_ok "$1: works" "exit status $status" \
			"$(tail -n 3 "$tmp/out")"
	fi
}

start_run "$tmp/ours" "$tmp/bin/warpspec" run --quiet -d "$tmp/four.ini"
gave_up_privileges "as root"
if setcap cap_net_raw+ep "$tmp/bin/warpspec" 2>/dev/null; then
	start_run "$tmp/theirs" "${theirs[@]}" -d "$tmp/four.ini"
	gave_up_privileges "with setcap, as nobody"
	setcap -r "$tmp/bin/warpspec"
else
	echo "skip setcap: not to be had here (Debian: libcap2-bin)"
fi

# As sudo reports its caller.
start_run "$tmp/theirs" env SUDO_UID=$NOBODY SUDO_GID=$NOBODY \
	"$tmp/bin/warpspec" run --quiet -d "$tmp/four.ini"
gave_up_privileges "under sudo"
if [[ $(stat -c %u:%g "$tmp/theirs/report.json" "$tmp/theirs/journal" | uniq) \
	== "$NOBODY:$NOBODY" ]]; then
	ok "under sudo: what it writes is the caller's"
else
	not_ok "under sudo: what it writes is the caller's" \
		"$(ls -ln "$tmp/theirs")"
fi

echo "raw: $passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]

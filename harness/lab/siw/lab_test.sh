#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# lab_test.sh BUILD [SERIES] - tests the lab itself: guests that do not boot,
# steps that fail, labs that were killed; how its hooks detect a crash and
# recover from it. It uses a lab of its own, whose guest needs no agent. Closes
# with the counts.
set -u
# shellcheck source=suite/checks/testing.sh
. "$(dirname "$0")/../../../suite/checks/testing.sh"
# shellcheck source=harness/lab/siw/lib.sh
. "$here/lib.sh"
export SIW=${2:-6.1} SIW_LAB=selftest WARPSPEC_AGENT=none
lab_is "$SIW"

leave()
{
	"$here/down" "$series"
	finish
}
trap leave EXIT
trap 'exit 2' INT TERM HUP

# WHAT: no guest, network or folder of the lab is left.
nothing_left()
{
	local what
	for what in "$state" "$siw_run/$name.lock" "/run/netns/$netns"; do
		[[ -e $what ]] && { not_ok "$1" "$what is still there"; return; }
	done
	if pgrep -f -- "-pidfile $state/qemu.pid" >/dev/null; then
		not_ok "$1" "its guest still runs"
	else
		ok "$1"
	fi
}

# WHAT TEXT FILE
holds()
{
	if grep -aq -- "$2" "$3"; then
		ok "$1"
	else
		not_ok "$1" "no line '$2' in $3"
	fi
}

# --- failing steps ----------------------------------------------------

refuses "an unknown series" "6\.1 or 6\.12" "$here/up" 5.4
refuses "an agent that is not there" "/nowhere/agent" \
	env WARPSPEC_AGENT=/nowhere/agent "$here/up" "$series"
refuses "a program that is not there" "SIW_PROGRAM=/nowhere/program" \
	env SIW_PROGRAM=/nowhere/program "$here/up" "$series"
refuses "an unknown accelerator" "kvm or tcg" \
	env WARPSPEC_SIW_ACCEL=magic "$here/up" "$series"

refuses "a driver that is not there" "/nowhere: no siw driver there" \
	env SIW_SRC=/nowhere "$here/up" "$series"
mkdir "$tmp/driver"
echo '#error "of no use"' >"$tmp/driver/siw_main.c"
touch "$tmp/driver/siw.h"
printf 'obj-m := siw.o\nsiw-y := siw_main.o\n' >"$tmp/driver/Makefile"
refuses "a driver that does not build" \
	"does not build for kernel .*siw_main.c:1.*of no use.*own-$series.log" \
	env SIW_SRC="$tmp/driver" "$here/up" "$series"

# PROGRAM: a failing one, put before the real one.
failing()
{
	printf '#!/bin/sh\nexit 1\n' >"$tmp/bin/$1" && chmod +x "$tmp/bin/$1"
}
mkdir "$tmp/bin"
fresh=(env PATH="$tmp/bin:$PATH" XDG_CACHE_HOME="$tmp/cache")
# for the script to expand
printf '#!/bin/sh\n[ "${*#*download}" = "$*" ]\n' >"$tmp/bin/apt-get"
chmod +x "$tmp/bin/apt-get"
says "a download that fails" 77 "^.?siw: .*download.* failed; see $tmp/cache/" \
	"${fresh[@]}" "$here/kernel.sh" "$series"
old=$tmp/cache/warpspec/siw/$series
mkdir "$old"
echo linux-image-0=0 >"$old/versions"
echo another list >"$old/modules.asked"
says "a cache made from another list is no cache" 77 "download.* failed" \
	"${fresh[@]}" "$here/kernel.sh" "$series"
rm -r "$old"
printf '#!/bin/sh\n: >some.deb\n' >"$tmp/bin/apt-get"
failing dpkg-deb
refuses "a package that cannot be unpacked" "unpacking failed; see $tmp/cache/" \
	"${fresh[@]}" "$here/kernel.sh" "$series"
cat >"$tmp/bin/dpkg-deb" <<'END'
#!/bin/sh
touch some.deb
mkdir -p root/usr/src siw
END
failing make
for program in tar sed; do
	# shellcheck disable=SC2016 # it is for the script
	printf '#!/bin/sh\n[ "$1" = -n ] && exec /bin/%s "$@"\nexit 0\n' \
		$program >"$tmp/bin/$program"
done
chmod +x "$tmp/bin"/*
refuses "a module that does not build" "building siw.ko failed; see $tmp/cache/" \
	"${fresh[@]}" "$here/kernel.sh" "$series"
leftover=$(find "$tmp/cache" -name '.kernel-*' -print -quit)
if [[ $leftover ]]; then
	not_ok "no half a kernel is kept" "$leftover"
else
	ok "no half a kernel is kept"
fi

refuses "a guest that does not boot" \
	"booting the guest: .*the agent ended with status 1; see $console" \
	env WARPSPEC_AGENT=/bin/false "$here/up" "$series"
holds "its console is kept" 'agent ended with status 1' "$console"
"$here/down" "$series"
nothing_left "down after that"

# --- killed labs ------------------------------------------------------

"$here/up" "$series" >/dev/null 2>&1 9>&- &
up=$!
began() { [[ -s $state/qemu.pid ]]; }
await 60000 began || not_ok "a guest begins"
kill -9 "$up"
wait "$up" 2>/dev/null
[[ -e /run/netns/$netns ]] || not_ok "a killed lab leaves something to remove"
"$here/down" "$series"
nothing_left "down after kill -9"

# --- a running lab ----------------------------------------------------

says "up" 0 "is up after [0-9.]+ s; -d $state/" "$here/up" "$series"
says "a command in the guest" 0 "siw0.*state ACTIVE" \
	"$here/guest-exec" rdma link show
exits "its status" 7 "$here/guest-exec" sh -c 'exit 7' && ok "its status"
says "a sound guest" 0 '^.$' "$here/health" "$series" "$SIW_LAB"
says "nobody else's network has it" 1 "" ip -n "$netns" link show eth0
timeout 5 "$here/guest-exec" sh -c 'echo c >/proc/sysrq-trigger' \
	>/dev/null 2>&1 &
crash=$!
is_ill() { ! "$here/health" "$series" "$SIW_LAB" >/dev/null; }
await 10000 is_ill
says "a crash, with its console" 1 "Kernel panic.*sysrq" \
	"$here/health" "$series" "$SIW_LAB"
says "it stays told" 1 "Kernel panic.*sysrq" \
	"$here/health" "$series" "$SIW_LAB"
wait "$crash"
exits "reset" 0 "$here/reset" "$series" "$SIW_LAB" && ok "reset"
exits "sound again" 0 "$here/health" "$series" "$SIW_LAB" && ok "sound again"
holds "the old console is kept" 'Kernel panic' "$state/console.past"
kill -9 "$(<"$state/qemu.pid")"
await 5000 is_ill
says "a guest that is gone" 1 "qemu is gone" \
	"$here/health" "$series" "$SIW_LAB"
exits "reset without privileges" 0 nsenter --net="/run/netns/$netns" setpriv \
	--bounding-set=-all --inh-caps=-all --no-new-privs \
	"$here/reset" "$series" "$SIW_LAB" && ok "reset without privileges"
"$here/down" "$series"
nothing_left "down"
# Not a lab that others may be running.
sed "s|^netns = .*|netns = $netns|" "$here/siw-$series.ini" >"$tmp/lab.ini"
refuses "a run without the lab" "is the device up" \
	"$warpspec" run -d "$tmp/lab.ini" level:must

echo "lab: $passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]

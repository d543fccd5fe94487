#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# deps.sh GROUP... - check that the Debian packages of these groups (build,
# check, siw, html, tidy, analyze, valgrind, machines, coverage) are installed.
# As root, install the missing ones; otherwise print the command that does.
# Exit: 0 all installed, 2 not.
set -u

# libc6-dev and libclang-rt-14-dev are only recommended by the compilers.
declare -A group=(
	[build]="gcc libc6-dev make pkg-config libpcap-dev libnet1-dev libseccomp-dev
		libusrsctp-dev
		iproute2 libisal-dev
		libssl-dev libcunit1-dev libjansson-dev libinih-dev
		libxml2-dev zlib1g-dev libarchive-dev"
	[check]="tshark libxml2-utils python3 python3-jsonschema clang
		libclang-rt-14-dev clang-format libcap2-bin mandoc zsh perl
		python3-z3 python3-yaml python3-junitparser pmccabe"
	[siw]="qemu-system-x86 busybox-static cpio kmod xz-utils iproute2
		rdmacm-utils ibverbs-utils ibverbs-providers perftest
		libibverbs-dev librdmacm-dev"
	[html]="chromium chromium-driver python3-selenium"
	[tidy]="clang clang-tidy"
	[valgrind]="valgrind libc6-dbg"
	[machines]="qemu-user-static gcc-s390x-linux-gnu libc6-dev-s390x-cross
		gcc-arm-linux-gnueabihf libc6-dev-armhf-cross musl-tools clang lld llvm"
	[analyze]="gcc cppcheck"
	[coverage]="gcovr"
)
commands=(cc make pkg-config)

wanted=()
for g in "$@"; do
	[[ ${group[$g]:-} ]] || { echo "deps.sh: no group '$g'" >&2; exit 2; }
	read -ra some <<<"${group[$g]//[$'\n\t']/ }"
	wanted+=("${some[@]}")
done
[[ ${#wanted[@]} -gt 0 ]] || { echo "usage: deps.sh GROUP..." >&2; exit 2; }

# On other systems than Debian the packages have other names: print what is
# needed, and let the build find out.
if ! command -v dpkg-query >/dev/null; then
	for c in "${commands[@]}"; do
		command -v "$c" >/dev/null && continue
		echo "deps.sh: not a Debian system, and no $c; Debian's" \
			"names for what is needed: ${wanted[*]}" >&2
		exit 2
	done
	exit 0
fi

missing=()
find_missing()
{
	local -A there=()
	local name status

	while read -r name status; do
		[[ $status == installed ]] && there[${name%:*}]=1
	done < <(dpkg-query -W -f '${Package} ${db:Status-Status}\n' \
		"${wanted[@]}" 2>/dev/null)
	missing=()
	for name in "${wanted[@]}"; do
		[[ ${there[$name]:-} ]] || missing+=("$name")
	done
}

find_missing
[[ ${#missing[@]} -eq 0 ]] && exit 0

if [[ $(id -u) -ne 0 ]]; then
	echo "deps.sh: packages are missing; as root:" >&2
	echo "apt-get update && apt-get install -y --no-install-recommends" \
		"${missing[*]}" >&2
	exit 2
fi

echo "deps.sh: installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
apt=(apt-get -q -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300)
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT
if ! { "${apt[@]}" update && "${apt[@]}" install -y \
	--no-install-recommends "${missing[@]}"; } </dev/null >"$log" 2>&1; then
	tail -n 20 "$log" >&2
	echo "deps.sh: apt-get could not install: ${missing[*]}" >&2
	exit 2
fi
find_missing
if [[ ${#missing[@]} -gt 0 ]]; then
	echo "deps.sh: still missing: ${missing[*]}" >&2
	exit 2
fi

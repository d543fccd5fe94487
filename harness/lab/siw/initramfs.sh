#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# initramfs.sh KERNEL-FOLDER - the contents of the guest except the agent:
# busybox, rdma-core with siw's provider, rping and other services (guest/serve, guest/use),
# the kernel's modules, init. Prints the path of the archive in the cache; it is
# rebuilt when one of these has changed.
#
# initramfs.sh --overlay OUT AGENT TOKEN NAME [PROGRAM] - the contents that
# differ between labs, to be appended to it: the agent ("" for none), an
# additional program, their libraries, the token.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=harness/lab/siw/lib.sh
. "$here/lib.sh"

work=
trap '[[ $work ]] && rm -rf "$work"' EXIT

# FILE: copy it into $work with the libraries that it needs, all under the
# names that they have here.
take()
{
	local lib
	for lib in "$1" $(ldd "$1" 2>/dev/null |
		awk '$2 == "=>" { print $3 } $1 ~ /^\// { print $1 }'); do
		[[ -e $work$lib ]] && continue
		mkdir -p "$work${lib%/*}"
		cp -L "$lib" "$work$lib" ||
			die "the guest's files: $lib cannot be copied"
	done
}

pack()
{
	if ! (cd "$work" && find . -mindepth 1 -printf '%P\0' |
		LC_ALL=C sort -z | cpio --quiet -0 -o -H newc -R 0:0) \
		>"$1.$$" || ! mv "$1.$$" "$1"; then
		rm -f "$1.$$"
		die "the guest's files: no room for $1"
	fi
}

if [[ ${1:-} == --overlay ]]; then
	out=$2 agent=$3 token=$4 name=$5 program=${6:-}
	work=$(mktemp -d "$out.XXXXXX") || die "no room in ${out%/*}"
	mkdir -p "$work/etc" "$work/usr/bin"
	if [[ $agent ]]; then
		agent=$(realpath "$agent")
		take "$agent"
		[[ $agent == /usr/bin/warpspec-agent ]] ||
			mv "$work$agent" "$work/usr/bin/warpspec-agent"
	fi
	if [[ $program ]]; then
		program=$(realpath "$program")
		take "$program"
		[[ -e $work/usr/bin/${program##*/} ]] ||
			mv "$work$program" "$work/usr/bin/"
	fi
	install -m 600 "$token" "$work/etc/warpspec-token"
	printf '%s=%s\n' name "$name" host_address "$host_address" \
		guest_address "$guest_address" \
		guest_address6 "$guest_address6" agent_port "$agent_port" \
		command_port "$command_port" >"$work/etc/lab"
	pack "$out"
	exit
fi

kernel=${1:?usage: initramfs.sh KERNEL-FOLDER}
programs=()
for p in rdma rping ibv_devinfo ip ucmatose rdma_server rdma_client ib_send_bw \
	ib_write_bw ib_read_bw; do
	path=$(PATH=$PATH:/sbin:/usr/sbin command -v "$p") ||
		die "the guest's files: no program $p; suite/checks/deps.sh siw" \
			"installs it"
	programs+=("$(realpath "$path")")
done
provider=$(echo /usr/lib/*/libibverbs/libsiw-rdmav*.so)
[[ -e $provider ]] || die "the guest's files: no siw provider as $provider;" \
	"suite/checks/deps.sh siw installs it"

# The name depends on the contents.
key=$({
	cat "$0" "$here"/guest/*
	stat -Lc '%n %s %Y' "${programs[@]}" "$provider" /bin/busybox
	cd "$kernel" && sha256sum modules.load modules.services modules/*
} | sha256sum | cut -c1-16)
archive=$kernel/base-$key.cpio
if [[ ! -s $archive ]]; then
	work=$(mktemp -d "$kernel/.base.XXXXXX") || die "no room in $kernel"
	mkdir -p "$work"/{bin,lab,etc/libibverbs.d,usr/bin}
	cp /bin/busybox "$work/bin/busybox"
	for p in "${programs[@]}"; do
		take "$p"
		[[ -e $work/usr/bin/${p##*/} ]] || mv "$work$p" "$work/usr/bin/"
	done
	take "$provider"
	# Loaded by name when a thread is cancelled or exits.
	for lib in /lib/*/libgcc_s.so.1; do
		take "$lib"
	done
	echo "driver siw" >"$work/etc/libibverbs.d/siw.driver"
	cp -r "$kernel/modules" "$kernel"/modules.{load,services} "$work/"
	install -m 755 "$here/guest/init" "$work/init"
	install -m 755 "$here"/guest/{command,serve,use} "$work/lab/"
	install -m 644 "$here/guest/modules" "$work/lab/"
	# Remove the leftovers of a killed process, and older archives, unless
	# another lab is about to boot from them.
	find "$kernel" -maxdepth 1 \( -name 'base-*' -o -name '.base*' \) \
		-mmin +60 ! -path "$work" -exec rm -rf {} +
	pack "$archive"
fi
echo "$archive"

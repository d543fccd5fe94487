#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# kernel.sh SERIES - a kernel of that series, its modules and its siw driver,
# which Debian leaves out, built from the source package of the same version.
# Nothing is installed. Prints the folder in the cache: vmlinuz, modules.load
# (what to load, in order), modules/*.ko, siw.ko (with debugging information)
# and versions.
#
# What is in the cache is taken as it is; SIW_REFRESH=1 asks apt for newer.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=harness/lab/siw/lib.sh
. "$here/lib.sh"
lab_is "${1:-}"

log=$siw_cache/kernel-$series.log
mkdir -p "$siw_cache" || die "the cache: $siw_cache cannot be made"
exec 8>"$siw_cache/kernel-$series.lock"
flock -w 600 8 || die "the cache: another process has held" \
	"$siw_cache/kernel-$series.lock for ten minutes"

current=$siw_cache/$series
if [[ -s $current/versions && ! ${SIW_REFRESH:-} ]]; then
	realpath "$current"
	exit
fi

# What a killed one left behind.
rm -rf "$siw_cache/.kernel-$series".*
work=
trap '[[ $work ]] && rm -rf "$work"' EXIT
step()
{
	local what=$1
	shift
	echo "--- $what: $*" >>"$log"
	"$@" >>"$log" 2>&1 </dev/null ||
		die "kernel $series: $what failed; see $log"
}

# --- which one --------------------------------------------------------
# The newest image whose source is there in the same version. The cloud
# flavour is a third of the size and has all that a guest needs.

command -v apt-get >/dev/null || cannot "it has no apt-get"
: >"$log"
pattern="^linux-image-${series/./\\.}\\..*-cloud-amd64$"
abi='' version=''
find_image()
{
	local image
	for image in $(apt-cache search --names-only "$pattern" |
		cut -d' ' -f1 | sort -rV); do
		version=$(apt-cache show --no-all-versions "$image" |
			sed -n 's/^Version: //p')
		apt-cache show "linux-source-$series=$version" \
			>/dev/null 2>&1 || continue
		abi=${image#linux-image-}
		return
	done
	return 1
}
# The lists may be missing, or so old that what they name is gone.
update=(apt-get -q -o Acquire::Retries=3 update)
[[ ${SIW_REFRESH:-} ]] && step "apt-get update" "${update[@]}"
find_image || { step "apt-get update" "${update[@]}"; find_image; } ||
	cannot "kernel $series: apt knows no image and source of one version"

entry=$siw_cache/$abi-$version
if [[ ! -s $entry/versions ]]; then
	# --- fetching -------------------------------------------------
	work=$(mktemp -d "$siw_cache/.kernel-$series.XXXXXX") ||
		die "kernel $series: no room in $siw_cache"
	cd "$work" || exit 2
	kbuild=linux-kbuild-${abi%-cloud-amd64}
	[[ $series == 6.1 ]] && kbuild=linux-kbuild-6.1
	packages=("linux-image-$abi=$version" "linux-headers-$abi=$version"
		"linux-headers-${abi%-cloud-amd64}-common=$version"
		"$kbuild=$version" "linux-source-$series=$version")
	download=(apt-get -q -o Acquire::Retries=3 -o APT::Sandbox::User=root
		download "${packages[@]}")
	echo "--- download: ${download[*]}" >>"$log"
	if ! "${download[@]}" >>"$log" 2>&1; then
		step "apt-get update" "${update[@]}"
		echo "--- again: ${download[*]}" >>"$log"
		"${download[@]}" >>"$log" 2>&1 || cannot "kernel $series:" \
			"the download of ${packages[*]} failed; see $log"
	fi
	for deb in ./*.deb; do
		step unpacking dpkg-deb -x "$deb" root
	done

	# --- building -------------------------------------------------
	# Only the Makefile of the headers names an absolute path. Type
	# information for BPF would need a program more, and serves nobody.
	# The kernel names a line by the path it has in its own tree.
	headers=$work/root/usr/src/linux-headers-$abi
	step "unpacking the driver" tar -xJf \
		"root/usr/src/linux-source-$series.tar.xz" --strip-components=5 \
		--wildcards '*/drivers/infiniband/sw/siw/*' --one-top-level=siw
	step "preparing the headers" \
		sed -i "s,/usr/src,$work/root/usr/src," "$headers/Makefile"
	unset MAKEFLAGS MFLAGS MAKELEVEL # ours are not the kernel's
	step "building siw.ko" make -C "$headers" M="$work/siw" -j"$(nproc)" \
		CONFIG_RDMA_SIW=m CONFIG_DEBUG_INFO_BTF_MODULES= \
		KCFLAGS="-fmacro-prefix-map=$work/=drivers/infiniband/sw/" modules

	# --- what is kept ---------------------------------------------
	modules=$work/root/lib/modules/$abi
	mkdir -p "$modules/extra" new/modules
	cp siw/siw.ko new/siw.ko
	step "stripping siw.ko" strip --strip-debug \
		-o "$modules/extra/siw.ko" siw/siw.ko
	step depmod depmod -b "$work/root" "$abi"
	for module in virtio_pci virtio_net rdma_ucm ib_uverbs iw_cm siw; do
		# What is built in has no line "insmod".
		step "finding $module" /sbin/modprobe -d "$work/root" -S "$abi" \
			--show-depends "$module"
	done
	# Of the log, what was found; each once, in the order of need.
	sed -n '/^--- finding/,$s/^insmod \([^ ]*\).*/\1/p' "$log" |
		awk '!seen[$1]++' >load
	while read -r path; do
		file=${path##*/}
		step "keeping a module" cp "$path" "new/modules/$file"
		[[ $file != *.xz ]] ||
			step "keeping a module" unxz "new/modules/$file"
		echo "${file%.xz}" >>new/modules.load
	done <load
	grep -qx siw.ko new/modules.load ||
		die "kernel $series: no siw.ko to load; see $log"
	step "keeping the kernel" cp "root/boot/vmlinuz-$abi" new/vmlinuz
	printf '%s\n' "${packages[@]}" >new/versions
	rm -rf "$entry"
	mv new "$entry" || die "kernel $series: no room in $siw_cache"
fi
ln -sfn "${entry##*/}" "$current"
echo "$entry"

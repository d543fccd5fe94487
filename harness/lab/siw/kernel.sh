#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# kernel.sh SERIES [SOURCE] - a kernel of that series, its modules and its siw
# driver, which Debian leaves out, built from the source package of the same
# version. Nothing is installed. Prints the folder in the cache: vmlinuz,
# modules.load (the modules to load, in order), modules/*.ko, siw.ko (with
# debugging information), versions, and modules.asked (the list from which
# modules.load was made). SCTP is among the modules if the kernel has it.
# modules.services lists the modules of its services over RDMA, NFS and NVMe, if
# it has them; nothing loads them at boot.
#
# With SOURCE the driver is built from there instead, against the same kernel:
# a folder drivers/infiniband/sw/siw, or a kernel tree that has one. The
# compiler's output is in own-SERIES.log of the cache.
#
# Cached results are used as they are; SIW_REFRESH=1 asks apt for newer
# versions. An entry made from another list of modules is rebuilt.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=harness/lab/siw/lib.sh
. "$here/lib.sh"
lab_is "${1:-}"
source=${2:-}

# --- a driver from SIW_SRC: its folder and its version ------------------
if [[ $source ]]; then
	[[ -d $source/drivers/infiniband/sw/siw ]] &&
		source+=/drivers/infiniband/sw/siw
	[[ -f $source/siw_main.c && -f $source/Makefile ]] ||
		die "SIW_SRC=$source: no siw driver there (siw_main.c and" \
			"Makefile): give a folder drivers/infiniband/sw/siw"
	source=$(realpath "$source")
fi

log=$siw_cache/kernel-$series.log
mkdir -p "$siw_cache" || die "the cache: $siw_cache cannot be made"
exec 8>"$siw_cache/kernel-$series.lock"
flock -w 600 8 || die "the cache: another process has held" \
	"$siw_cache/kernel-$series.lock for ten minutes"

modules_needed=(virtio_pci virtio_net rdma_ucm ib_uverbs iw_cm siw)
modules_more=(sctp) # a kernel may lack it
# guest/serve and guest/use load them.
modules_of_services=(nfsd rpcrdma nvmet-rdma nfsv4 nvme-rdma)
asked="${modules_needed[*]} ${modules_more[*]} ${modules_of_services[*]}"
# ENTRY: whether it is complete, and made from this list.
is_whole()
{
	[[ -s $1/versions && -r $1/modules.asked &&
		$(<"$1/modules.asked") == "$asked" ]]
}

current=$siw_cache/$series
if is_whole "$current" && [[ ! ${SIW_REFRESH:-} && ! $source ]]; then
	realpath "$current"
	exit
fi

# The leftovers of a killed process.
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

# The kernel's own make: our make variables do not apply.
modules_of() # HEADERS DRIVER
{
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -C "$1" M="$2" \
		-j"$(nproc)" CONFIG_RDMA_SIW=m CONFIG_DEBUG_INFO_BTF_MODULES= \
		KCFLAGS="-fmacro-prefix-map=${2%/*}/=drivers/infiniband/sw/" \
		modules
}

# The package lists may be missing, or so old that the versions in them are
# gone.
update=(apt-get -q -o Acquire::Retries=3 update)

# PACKAGE=VERSION...: unpack them into $work/root.
fetch()
{
	local deb download=(apt-get -q -o Acquire::Retries=3
		-o APT::Sandbox::User=root download "$@")
	cd "$work" || exit 2
	echo "--- download: ${download[*]}" >>"$log"
	if ! "${download[@]}" >>"$log" 2>&1; then
		step "apt-get update" "${update[@]}"
		echo "--- again: ${download[*]}" >>"$log"
		"${download[@]}" >>"$log" 2>&1 || cannot "kernel $series:" \
			"the download of $* failed; see $log"
	fi
	for deb in ./*.deb; do
		step unpacking dpkg-deb -x "$deb" root
		rm -f "$deb"
	done
}

# FOLDER: headers contain absolute paths, only in their Makefile.
headers_stand_in()
{
	step "preparing the headers" \
		sed -i "s,[^ ]*/usr/src,$1/usr/src," \
		"$work/root/usr/src/linux-headers-$abi/Makefile"
}

# MODULE: one that this kernel may lack.
find_module()
{
	local find=(/sbin/modprobe -d "$work/root" -S "$abi" --show-depends
		"$1")
	echo "--- finding $1, if it is there: ${find[*]}" >>"$log"
	"${find[@]}" >>"$log" 2>&1 </dev/null
}

# LIST: the modules that were found so far and are in no list yet; each once, in
# the order of need.
keep_modules()
{
	local path file
	sed -n '/^--- finding/,$s/^insmod \([^ ]*\).*/\1/p' "$log" |
		awk '!seen[$1]++' >load
	: >"new/$1"
	while read -r path; do
		file=${path##*/}
		[[ ! -e new/modules/${file%.xz} ]] || continue
		step "keeping a module" cp "$path" "new/modules/$file"
		[[ $file != *.xz ]] ||
			step "keeping a module" unxz "new/modules/$file"
		echo "${file%.xz}" >>"new/$1"
	done <load
}

# --- choosing a version -----------------------------------------------
# The newest image for which the source of the same version is available. The
# cloud flavour is a third of the size and has all that a guest needs.

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
if is_whole "$current" && [[ ! ${SIW_REFRESH:-} ]]; then
	# linux-image-ABI=VERSION is its first line.
	IFS='=' read -r abi version <"$current/versions"
	abi=${abi#linux-image-}
else
	[[ ${SIW_REFRESH:-} ]] && step "apt-get update" "${update[@]}"
	find_image || { step "apt-get update" "${update[@]}"; find_image; } ||
		cannot "kernel $series: apt knows no image and source of one" \
			"version"
fi
kbuild=linux-kbuild-${abi%-cloud-amd64}
[[ $series == 6.1 ]] && kbuild=linux-kbuild-6.1
headers=("linux-headers-$abi=$version"
	"linux-headers-${abi%-cloud-amd64}-common=$version" "$kbuild=$version")

entry=$siw_cache/$abi-$version
if ! is_whole "$entry"; then
	work=$(mktemp -d "$siw_cache/.kernel-$series.XXXXXX") ||
		die "kernel $series: no room in $siw_cache"
	packages=("linux-image-$abi=$version" "${headers[@]}"
		"linux-source-$series=$version")
	fetch "${packages[@]}"

	# --- building -------------------------------------------------
	# Type information for BPF would need an additional program, and is not
	# used. The kernel names a line by the path in its own tree.
	step "unpacking the driver" tar -xJf \
		"root/usr/src/linux-source-$series.tar.xz" --strip-components=5 \
		--wildcards '*/drivers/infiniband/sw/siw/*' --one-top-level=siw
	headers_stand_in "$work/root"
	step "building siw.ko" modules_of \
		"$work/root/usr/src/linux-headers-$abi" "$work/siw"

	# --- keeping the result
	# -----------------------------------------------
	modules=$work/root/lib/modules/$abi
	mkdir -p "$modules/extra" new/modules
	cp siw/siw.ko new/siw.ko
	step "stripping siw.ko" strip --strip-debug \
		-o "$modules/extra/siw.ko" siw/siw.ko
	step depmod depmod -b "$work/root" "$abi"
	for module in "${modules_needed[@]}"; do
		# Built-in modules have no line "insmod".
		step "finding $module" /sbin/modprobe -d "$work/root" -S "$abi" \
			--show-depends "$module"
	done
	for module in "${modules_more[@]}"; do
		find_module "$module"
	done
	keep_modules modules.load
	for module in "${modules_of_services[@]}"; do
		find_module "$module"
	done
	keep_modules modules.services
	grep -qx siw.ko new/modules.load ||
		die "kernel $series: no siw.ko to load; see $log"
	step "keeping the kernel" cp "root/boot/vmlinuz-$abi" new/vmlinuz
	echo "$asked" >new/modules.asked
	printf '%s\n' "${packages[@]}" >new/versions
	# The files against which a driver from SIW_SRC is built.
	rm -rf root/boot root/lib "root/usr/src/linux-source-$series"*
	headers_stand_in "$entry/headers"
	mv root new/headers
	rm -rf "$entry"
	mv new "$entry" || die "kernel $series: no room in $siw_cache"
	rm -rf "$work"
fi
ln -sfn "${entry##*/}" "$current"
[[ $source ]] || { echo "$entry"; exit; }

# --- a driver from SIW_SRC ----------------------------------------------
# The files that it needs are prepared once: a build then takes seconds.

work=$(mktemp -d "$siw_cache/.kernel-$series.XXXXXX") ||
	die "kernel $series: no room in $siw_cache"
if [[ ! -d $entry/headers ]]; then
	fetch "${headers[@]}"
	headers_stand_in "$entry/headers"
	mv root "$entry/headers" || die "kernel $series: no room in $siw_cache"
fi

# Build outside the tree, so that no objects are left there.
mkdir "$work/siw" && cp "$source"/*.[ch] "$source"/Makefile "$work/siw/" ||
	die "SIW_SRC=$source: cannot be copied to $siw_cache"
key=$(cd "$work/siw" && sha256sum ./* "$entry/modules.load" | sha256sum |
	cut -c1-16)
own=$siw_cache/own-$abi-$version-$key
if [[ ! -s $own/versions ]]; then
	said=$siw_cache/own-$series.log
	modules_of "$entry/headers/usr/src/linux-headers-$abi" "$work/siw" \
		>"$said" 2>&1 </dev/null || die "SIW_SRC=$source: does not build" \
		"for kernel $abi: $(sed "s|$work/siw/||g" "$said" |
			grep -m 1 -iE 'error[: ]|error$' | head -c 200);" \
		"all of it: $said"
	[[ -s $work/siw/siw.ko ]] || die "SIW_SRC=$source: its Makefile builds" \
		"no siw.ko (obj-\$(CONFIG_RDMA_SIW)); see $said"
	rm -rf "$own"
	mkdir "$work/new" && cd "$work/new" && cp -al "$entry/modules" \
		"$entry"/modules.{load,services} "$entry/vmlinuz" . && rm modules/siw.ko &&
		strip --strip-debug -o modules/siw.ko ../siw/siw.ko &&
		cp ../siw/siw.ko . && cp "$entry/versions" . &&
		echo "siw.ko of one's own: $key, of $source" >>versions &&
		mv "$work/new" "$own" ||
		die "kernel $series: no room in $siw_cache"
fi
# Entries that were not used for a day.
touch "$own"
find "$siw_cache" -maxdepth 1 -name 'own-*' -type d -mmin +1440 \
	-exec rm -rf {} +
echo "$own"

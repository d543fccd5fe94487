#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# sysroot.sh ARCHITECTURE FOLDER - the libraries that warpspec is linked with,
# of another architecture of Debian (s390x, armhf), unpacked into FOLDER. Nothing
# is installed, and apt's own lists stay as they are. If they are there already,
# nothing is done. Exit: 0 all there, 2 not.
set -u

arch=${1:?usage: sysroot.sh ARCHITECTURE FOLDER}
root=${2:?usage: sysroot.sh ARCHITECTURE FOLDER}
wanted="libpcap-dev libnet1-dev libseccomp-dev libusrsctp-dev libisal-dev
	libssl-dev libcunit1-dev libjansson-dev libinih-dev libxml2-dev
	zlib1g-dev libarchive-dev"

[[ -e $root/complete ]] && exit 0
rm -rf "$root"
mkdir -p "$root/apt/lists/partial" "$root/apt/archives/partial" || exit 2
root=$(realpath "$root")
apt=(apt-get -q -o Acquire::Retries=3 -o APT::Architecture="$arch"
	-o APT::Architectures="$arch" -o Dir::State::lists="$root/apt/lists"
	-o Dir::Cache="$root/apt" -o Dir::State::status=/dev/null
	-o APT::Sandbox::User=root -o Debug::NoLocking=1
	-o Acquire::Languages=none)

# A mirror may lack some of its lists while it is being updated.
"${apt[@]}" update >"$root/log" 2>&1
# shellcheck disable=SC2086 # a list of words
if ! "${apt[@]}" install -y --download-only --no-install-recommends $wanted \
	>>"$root/log" 2>&1; then
	tail -n 5 "$root/log" >&2
	echo "sysroot.sh: apt-get could not fetch the libraries of $arch" >&2
	exit 2
fi
for package in "$root"/apt/archives/*.deb; do
	dpkg-deb -x "$package" "$root" || exit 2
done
rm -rf "$root/apt"
# Links that lead to /lib are for the machine itself.
find "$root" -type l -lname '/*' | while read -r link; do
	ln -sfn "$root$(readlink "$link")" "$link"
done
touch "$root/complete"

#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# machines.sh BUILD - builds codec, model, vectors and catalogue for other
# machines, and runs their tests in qemu: s390x has big-endian words of 64 bits,
# armhf has words of 32 bits. The lists of cases, requirements and mutants have to be
# those of this machine, and every vector has to hold.
#
# May be set: MACHINES, COMPILERS (gcc; clang) and LEVELS (-O0; -O3, lto). musl:
# codec and model are only compiled for it, since Debian's CUnit is not.
#
# Each check prints ok or not ok. Exit: 0 all ok.
set -u

build=${1:?usage: machines.sh BUILD}
read -ra machines <<<"${MACHINES:-s390x armhf}"
read -ra compilers <<<"${COMPILERS:-gcc}"
read -ra levels <<<"${LEVELS:--O0}"
declare -A triplet=([s390x]=s390x-linux-gnu [armhf]=arm-linux-gnueabihf)
declare -A emulator=([s390x]=qemu-s390x-static [armhf]=qemu-arm-static)
declare -A flags=([-O0]="-O0" [-O3]="-O3" [lto]="-O2 -flto")
passed=0 failed=0

ok()     { passed=$((passed + 1)); echo "ok $1"; }
not_ok()
{
	failed=$((failed + 1))
	echo "not ok $1"
	tail -n 8 "$log" | sed 's/^/  /'
}

# NAME COMMAND...: it ends with 0.
passes()
{
	local name=$1
	shift
	if "$@" >"$log" 2>&1; then ok "$name"; else not_ok "$name"; fi
}

same() { "${run[@]}" "$to/warpspec" "$@" | cmp - <("$build/warpspec" "$@"); }

mapfile -t tests < <(find harness/wire suite/model -name '*_test.c' |
	LC_ALL=C sort)

# MACHINE COMPILER LEVEL
try()
{
	local name="$1 $2 $3" root=$build/sysroot/$1 t=${triplet[$1]} test
	local to=$build/machines/$1-$2$3 log cc ar programs run

	root=$(realpath "$root")
	mkdir -p "$to"
	log=$to/log
	run=("${emulator[$1]}" -L "$root")
	cc="$t-gcc" ar="$t-gcc-ar"
	[[ $2 == clang ]] && cc="clang --target=$t" ar=llvm-ar
	[[ ${CCACHE:-} ]] && cc="$CCACHE $cc"
	programs=("$to/warpspec" "$to/tool/vectors/tool/vectors_tool"
		"${tests[@]/#/$to/test/}")
	if ! PKG_CONFIG_LIBDIR=$root/usr/lib/$t/pkgconfig \
		PKG_CONFIG_SYSROOT_DIR=$root \
		"${MAKE:-make}" -j"$(nproc)" BUILD="$to" CC="$cc" AR="$ar" \
		EMULATE="${run[*]}" RNIC_LIBS= \
		CFLAGS="--sysroot=$root ${flags[$3]}" \
		LDFLAGS="$([[ $2 == clang ]] && echo -fuse-ld=lld)" \
		"${programs[@]%.c}" >"$log" 2>&1; then
		not_ok "$name: built"
		return
	fi
	if grep -q 'warning:' "$log"; then
		not_ok "$name: built without a warning"
	else
		ok "$name: built"
	fi
	passes "$name: vectors" "${run[@]}" "${programs[1]}" check vectors/*.vec
	for test in "${tests[@]%.c}"; do
		passes "$name: $test" "${run[@]}" "$to/test/$test"
	done
	passes "$name: the list of cases" same list --json
	passes "$name: the list of requirements" same coverage --json
}

for machine in "${machines[@]}"; do
	suite/checks/sysroot.sh "$machine" "$build/sysroot/$machine" || exit 2
	for compiler in "${compilers[@]}"; do
		for level in "${levels[@]}"; do
			try "$machine" "$compiler" "$level"
		done
	done
done

if command -v musl-gcc >/dev/null; then
	mkdir -p "$build/machines/musl"
	log=$build/machines/musl/log
	for file in $(find harness/wire suite/model -name '*.c' \
		! -name '*_test.c' ! -name '*_fuzz.c' ! -name '*_bench.c'); do
		passes "musl: $file" musl-gcc -std=c11 -D_GNU_SOURCE -I. -Wall \
			-Wextra -Werror -O2 -c -o "$build/machines/musl/o" "$file"
	done
else
	echo "skip musl: there is no musl-gcc (Debian: musl-tools)"
fi

echo "machines: $passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]

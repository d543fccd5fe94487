#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# installed_test.sh PREFIX - the files that `make install` has put under this
# prefix work together: programs run from there, their pages and completions
# are found, their texts have no dead links. Closes with the counts. Exit: 0
# all ok.
set -u

# shellcheck source=suite/checks/testing.sh
. "${0%/*}/testing.sh" "$1/bin"
prefix=$(realpath "$1")

# NAME FILE...: all of them exist.
there()
{
	local name=$1 file
	shift
	for file in "$@"; do
		[[ -s $file ]] && continue
		not_ok "$name" "$file is not there"
		return
	done
	ok "$name"
}

says "a run" 0 "[1-9][0-9]* passed, 0 failed" "$warpspec" run --quiet 'mpa/crc/*'
for program in "$prefix"/bin/*; do
	name=${program##*/}
	there "the page and completion of $name" \
		"$prefix/share/man/man1/$name.1" \
		"$prefix/share/bash-completion/completions/$name" \
		"$prefix/share/zsh/site-functions/_warpspec"
done

# The files that pages name exist at these places, and so do the pages that
# they refer to.
named=$(sed -nE 's/^\.(It )?Pa //p' "$prefix"/share/man/man[15]/warpspec*.[15] |
	grep -oE 'share/[^ ,]+' | sort -u)
for file in $named; do
	there "$file" "$prefix/$file"
done
for name in $(sed -nE 's/^\.Xr (warpspec[a-z-]*) ([0-9]).*/\2\/\1.\2/p' \
	"$prefix"/share/man/man[15]/* | sort -u); do
	# If rdma-core was not installed at build time, its agent is missing.
	[[ $name == */warpspec-agent.1 && ! -e $prefix/bin/warpspec-agent ]] ||
		there "the page $name" "$prefix/share/man/man$name"
done

while read -r page; do
	for link in $(grep -oE '\]\([^)]*\)' "$page" | sed 's/^](//; s/)$//'); do
		[[ $link == *://* || $link == \#* ]] && continue
		if [[ -e ${page%/*}/${link%%#*} ]]; then
			ok "${page##*/}: $link"
		else
			not_ok "${page##*/}: $link" "a dead link"
		fi
	done
done < <(find "$prefix/share/doc" -name '*.md')

echo "installed: $passed passed, $failed failed"
[[ $failed -eq 0 ]]

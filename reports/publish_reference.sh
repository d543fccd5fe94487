#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# publish_reference.sh BUILD - recreate the published files of the built-in
# device: reports/published/reference with the report of a full run, as JSON
# and as a summary, the page of one case, and pictures of pages, which need
# chromium. Run from the top of the tree. Exit: 0 all of them were created.
set -eu

warpspec=$(realpath "${1:?usage: publish_reference.sh BUILD}/warpspec")
place=$(realpath reports/published/reference)
chromium=$(command -v chromium) ||
	{ echo "publish_reference.sh: no chromium (Debian: chromium)" >&2; exit 2; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

# NAME PAGE WIDTH HEIGHT
picture()
{
	local root=()
	[[ $(id -u) -eq 0 ]] && root=(--no-sandbox) # which does not work for root
	"$chromium" --headless=new --disable-gpu --hide-scrollbars \
		"${root[@]}" --user-data-dir="$tmp/profile" \
		--window-size="$3,$4" --screenshot="$tmp/$1" "file://$tmp/$2" \
		>/dev/null 2>&1
	[[ -s $tmp/$1 ]] || { echo "publish_reference.sh: no picture" >&2; exit 1; }
	cp "$tmp/$1" "$place/$1"
}

"$warpspec" run --quiet --refdut --evidence none \
	--report summary="$place/summary.txt" --report json=report.json
gzip -9n <report.json >"$place/report.json.gz"

# One fault, found once; and one that a ladder shows.
PATH=${warpspec%/*}:$PATH
warpspec run --quiet --refdut=terminate_bit_fields_from_the_lowest \
	--evidence failures --report html=overview || [[ $? -eq 1 ]]
warpspec run --quiet --refdut=ignore_bad_crc \
	mpa/crc/wrong_crc_is_never_delivered --report html=case || [[ $? -eq 1 ]]
page=case/cases/mpa.crc.wrong_crc_is_never_delivered.html
# The targets of its links are missing.
sed -E 's/<a href="[^#"][^"]*">([^<]*|<code>[^<]*<\/code>)<\/a>/\1/g' "$page" \
	>"$place/case.html"
picture overview.png overview/index.html 1200 900

# Only the ladder, in its full height.
height=$(grep -o '<svg class=ladder viewBox="0 0 1000 [0-9]*' "$page" |
	sed 's/.* //')
sed 's/<\/style>/header,footer,.jump,main>*:not(figure),figcaption{display:none}&/' \
	"$page" >ladder.html
picture ladder.png ladder.html 1050 $((height + 50))
ls -l "$place"

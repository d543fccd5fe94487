#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# html_test.sh BUILD - tests the pages of runs: where they are written and what
# is refused; that every link has a target; and, if chromium, chromedriver and
# selenium are installed, in a browser: filters, keyboard, contrast, landmarks,
# no request to any network, paper, and all of it without scripts. AXE=FILE, an
# axe.min.js, is used as well. Closes with the counts. Exit: 0 all ok.
set -u

# shellcheck source=suite/checks/testing.sh
. "${0%/*}/testing.sh"
here=$(realpath "$here")
axe=${AXE:+$(realpath "$AXE")}
cd "$tmp" || exit 2
mutant=terminate_bit_fields_from_the_lowest

# --- places ----------------------------------------------------------------

if exits "a run leaves pages" 1 "$warpspec" run --quiet --jobs 8 \
	--refdut=$mutant --captures captures --captures-of failures \
	--evidence failures \
	--report html=run --report json=run.json; then
	if [[ -s run/index.html && ! $out ]]; then
		ok "a run leaves pages"
	else
		not_ok "a run leaves pages" "no index, or words: $out"
	fi
fi
size=$(stat -c %s run/index.html)
if [[ $size -lt 3000000 ]]; then
	ok "the overview has less than 3 MB"
else
	not_ok "the overview has less than 3 MB" "$size"
fi
cp -r run before
exits "a past run, reported again" 0 "$warpspec" report html run.json -o run &&
	if diff -r before run >differs; then
		ok "a past run, reported again, has the same pages"
	else
		not_ok "a past run, reported again, has the same pages" \
			"$(head -c 600 differs)"
	fi
rm -rf before
# Evidence of passed cases, too: of frames with markers, of several streams.
exits "cases with all their evidence" 0 "$warpspec" run --quiet --jobs 8 --refdut \
	mpa/markers_received rdmap/atomicity --report html=some \
	--report json=some.json && ok "cases with all their evidence"
html=(run --quiet 'mpa/crc/*' --refdut)
refuses "no place" "standard output: it is a folder of pages: name one" \
	"$warpspec" "${html[@]}" --report html
mkdir mine && touch mine/notes
refuses "somebody's folder" "mine: exists, and contains more than an earlier" \
	"$warpspec" "${html[@]}" --report html=mine
refuses "a file" "run.json: exists, and contains" "$warpspec" "${html[@]}" --report html=run.json
refuses "captures among the pages" "new/captures is written there, too" \
	"$warpspec" "${html[@]}" --report html=new --captures new/captures
refuses "a report among the pages" "new/a.json is written there, too" \
	"$warpspec" "${html[@]}" --report html=new --report json=new/a.json
refuses "pages twice" "name a folder of its own" \
	"$warpspec" "${html[@]}" --report html=new --report html=./new
refuses "a folder that is not there" "no/such: No such file or directory" \
	"$warpspec" "${html[@]}" --report html=no/such
if [[ $(ls mine) == notes && ! -e new ]]; then
	ok "nothing is left of those"
else
	not_ok "nothing is left of those" "$(ls mine new)"
fi
if [[ ! $(find . -name '.warpspec-*') ]]; then
	ok "no draft is left"
else
	not_ok "no draft is left" "$(find . -name '.warpspec-*')"
fi

# In a private mount namespace: a small file system, filled up.
full_disk()
{
	mount -t tmpfs -o size=64m none "$1" || exit 77
	cd "$1" || exit 77
	"$3" report html "$2/some.json" -o pages || exit 78
	cp -r pages "$2/before"
	cat /dev/zero >filler 2>/dev/null
	"$3" report html "$2/some.json" -o pages 2>"$2/full.err"
	echo $? >"$2/full.status"
	rm filler
	{ diff -r "$2/before" pages; ls -A; } >"$2/full.left"
	exit 0
}
export -f full_disk
mkdir small
unshare -m bash -c 'full_disk "$@"' - "$tmp/small" "$tmp" "$warpspec" \
	>full.out 2>/dev/null
case $? in
77 | 1 | 126 | 127)
	echo "skip a full disk: no file system can be mounted here" ;;
*)
	if [[ -s full.err && $(<full.status) -eq 4 && $(<full.left) == pages &&
		$(<full.err) == *"pages: No space left"* ]]; then
		ok "a full disk: the earlier pages stay"
	else
		not_ok "a full disk: the earlier pages stay" "$(cat full.*)"
	fi ;;
esac
rm -rf before

# Killed at any moment: the earlier pages, or the new ones, are complete.
cp -r some before
for ms in 5 20 60 150; do
	"$warpspec" report html some.json -o some &
	sleep "$(printf '0.%03d' $ms)"
	kill -9 $! 2>/dev/null
	wait $! 2>/dev/null
	diff -r before some >differs || break
done
if [[ ! -s differs ]]; then
	ok "killed, it leaves whole pages"
else
	not_ok "killed, it leaves whole pages" "$(head -c 600 differs)"
fi
rm -rf before .warpspec-*

# Part of the run, so that a browser needs less time; and the same from a
# device, agents and wires whose texts might be taken for markup.
"$python" - run.json part.json hostile.json <<'PY'
import json
import sys

BAD = "<img src=x onerror=alert(1)>\"'><script>alert(2)</script>\u202e</pre>--><b id=forged>"
with open(sys.argv[1], encoding="utf-8") as f:
    run = json.load(f)
run["cases"] = [c for c in run["cases"]
                if c["verdict"] in ("fail", "info") or c["id"].startswith("mpa/crc/")]
for v in run["totals"]:
    run["totals"][v] = sum(c["verdict"] == v for c in run["cases"])
run.pop("not_applicable", None)
with open(sys.argv[2], "w", encoding="utf-8") as f:
    json.dump(run, f)
run["device"]["name"] = run["device"]["impl"] = BAD
run["note"] = run["link_note"] = BAD
for c in run["cases"]:
    c["title"] = c["detail"] = BAD
    c["capture"] = "captures/" + BAD
    for b in c.get("broken", []):
        b["text"] = BAD
    for part in c.get("evidence", {}).values():
        for e in part:
            if "text" in e:
                e["text"] = BAD
with open(sys.argv[3], "w", encoding="utf-8") as f:
    json.dump(run, f)
PY
for json in part hostile; do
	exits "pages of a report: $json" 0 \
		"$warpspec" report html $json.json -o $json &&
		ok "pages of a report: $json"
done

# Twenty devices side by side.
mapfile -t twenty < <(yes part.json | head -n 20)
exits "twenty devices side by side" 0 "$warpspec" report matrix "${twenty[@]}" \
	run.json -o wall && ok "twenty devices side by side"

# --- pages ----------------------------------------------------------------

: >said
for run in run hostile some; do
	"$python" "$here/html_pages.py" $run $run.json >>said 2>&1 ||
		echo "not ok $run: the pages were read" >>said
done
if ! chromium=$(command -v chromium) || ! driver=$(command -v chromedriver) ||
	! "$python" -c 'import selenium' 2>/dev/null; then
	echo "no browser here (Debian: chromium chromium-driver" \
		"python3-selenium): the pages were looked at as text alone"
else
	timeout -k 5 300 "$python" "$here/html_browser.py" "$chromium" "$driver" \
		"$tmp" "${axe:-}" >>said 2>&1 ||
		echo "not ok the browser came to its end" >>said
fi
cat said
passed=$((passed + $(grep -c '^ok ' said)))
failed=$((failed + $(grep -c '^not ok ' said)))
echo "html: $passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]

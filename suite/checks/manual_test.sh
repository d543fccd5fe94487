#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# manual_test.sh BUILD - the manual pages and the example of a device file
# document everything that the programs accept, and nothing else. Run from the
# top of the tree. Closes with the counts. Exit: 0 all ok.
set -u

# shellcheck source=suite/checks/testing.sh
. "${0%/*}/testing.sh"
man=man example=examples/device.ini

# NAME PAGE PROGRAM: two lists of words, in files given as descriptors, are the
# same.
same()
{
	local only_page only_program
	only_page=$(comm -23 <(sort -u "$2") <(sort -u "$3") | paste -sd ' ')
	only_program=$(comm -13 <(sort -u "$2") <(sort -u "$3") | paste -sd ' ')
	if [[ ! -s $2 || ! -s $3 ]]; then
		not_ok "$1" "nothing to compare"
	elif [[ $only_page$only_program ]]; then
		not_ok "$1" "in the page alone: ${only_page:-none}" \
			"in the program alone: ${only_program:-none}"
	else
		ok "$1"
	fi
}

# --- the pages --------------------------------------------------------

for page in "$man"/*.[15]; do
	if ! said=$(mandoc -Tlint -W warning "$page" 2>&1); then
		not_ok "$page: mdoc" "$said"
	elif ! said=$(mandoc -Tascii "$page" | sed 's,.\x08,,g' | grep -E '.{80}'); then
		ok "$page: mdoc"
	else
		not_ok "$page: within 79 columns" "$said"
	fi
done

# A page that another page refers to exists, if it is one of ours.
for name in $(sed -nE 's/^\.Xr (warpspec[a-z-]*) ([0-9]).*/\1.\2/p' "$man"/* |
	sort -u); do
	if [[ -s $man/$name ]]; then
		ok "a reference to $name"
	else
		not_ok "a reference to $name" "no such page"
	fi
done

# --- options ----------------------------------------------------------

# PAGE [SECTION]: print the long options that have an item there.
explained()
{
	awk -v only="${2:-}" '
		/^\.S[sh]/ { inside = !only || $0 == ".Ss " only }
		inside && /^\.It Fl/' "$man/$1" |
		grep -oE -- 'Fl -[a-z]+(-[a-z]+)*' | sed 's/^Fl -/--/'
}

commands=$("$warpspec" help | sed -nE 's/^  warpspec ([a-z][a-z-]*).*/\1/p' |
	sort -u)
sed -nE 's/^\.It Cm ([a-z-]+)$/\1/p' "$man/warpspec.1" |
	sed '/^text$/,$d' >"$tmp/page"
echo "$commands" >"$tmp/program"
same "the commands of warpspec" "$tmp/page" "$tmp/program"
for command in $commands; do
	[[ $command == help || $command == report ]] && continue
	"$warpspec" help "$command" |
		sed -nE 's/^  (-[a-z], )?(--[a-z-]+).*/\2/p' >"$tmp/program"
	explained warpspec.1 "Options of $command" >"$tmp/page"
	same "the options of warpspec $command" "$tmp/page" "$tmp/program"
done

# Each subcommand of report has its own section; the options of a format are
# those of any section.
"$warpspec" help report | sed -nE 's/^  warpspec report ([a-zA-Z]+).*/\1/p' \
	>"$tmp/program"
sed -nE 's/^\.Ss ([a-zA-Z]+)$/\1/p' "$man/warpspec-report.1" >"$tmp/page"
same "the subcommands of warpspec report" "$tmp/page" "$tmp/program"
while read -r sub <&3; do
	"$warpspec" report "${sub/#FORMAT/text}" --help |
		sed -nE 's/^  (-[a-z], )?(--[a-z-]+).*/\2/p' |
		grep -vx -e --help >"$tmp/program"
	awk -v only="$sub" '/^\.S[sh]/ { inside = $0 == ".Ss " only }
		inside && /^\.It Fl/' "$man/warpspec-report.1" |
		grep -oE -- 'Fl -[a-z]+(-[a-z]+)*' | sed 's/^Fl -/--/' >"$tmp/page"
	same "the options of warpspec report $sub" "$tmp/page" "$tmp/program"
done 3< <(sed -nE 's/^\.Ss ([a-zA-Z]+)$/\1/p' "$man/warpspec-report.1")

for program in refdut agent; do
	[[ -x $build/warpspec-$program ]] || continue
	"$build/warpspec-$program" --help |
		grep -oE -e '--[a-z]+(-[a-z]+)*' >"$tmp/program"
	explained "warpspec-$program.1" >"$tmp/page"
	same "the options of warpspec-$program" "$tmp/page" "$tmp/program"
done

if [[ -x $build/warpspec-agent ]] && ! ls /sys/class/infiniband/* >"$tmp/out" 2>&1; then
	says "an agent where there is no device" 1 "no RDMA device: .*rdma link" \
		"$build/warpspec-agent" --port 0
fi

# --- formats, verdicts ------------------------------------------------

for format in $(
	awk '/^\.It Fl -report/ { inside = 1 }
	/^\.It Fl -captures/ { inside = 0 }
	inside && /^\.It Cm/ { print $3 }' "$man/warpspec.1"
); do
	refuses "the report format $format" "--report none: no such format" \
		"$warpspec" run --report "$format=$tmp/a" --report none
done
"$warpspec" run --quiet --jobs 4 --journal "$tmp/journal" --evidence all \
	--captures "$tmp/captures" \
	--report json="$tmp/report.json" --report text="$tmp/text" mpa/crc/\* \
	>/dev/null
"$python" - "$tmp/report.json" <<'PY' >"$tmp/program"
import json, sys
for v in json.load(open(sys.argv[1], encoding="utf-8"))["totals"]:
    print(v.upper())
PY
awk '/^\.Sh VERDICTS/ { inside = 1 } /^\.Ss/ { inside = 0 }
	inside && /^\.It/ { print $2 }' "$man/warpspec.1" >"$tmp/page"
same "the verdicts" "$tmp/page" "$tmp/program"

# --- the device file --------------------------------------------------

# As "[section] key".
awk '/^\.S[sh] / { section = "" } /^\.Ss \[/ { section = $2 }
	section && /^\.It Ic/ { print section, $3 }' "$man/warpspec-device.5" \
	>"$tmp/page"
sed -nE '/^\[/h; /^;?[a-z0-9-]+ =/{s/^;?([a-z0-9-]+) =.*/\1/;G;s/(.*)\n(.*)/\2 \1/;p}' \
	"$example" >"$tmp/example"
same "the keys of $example" "$tmp/page" "$tmp/example"
"$warpspec" device --keys |
	sed -nE '/^\[/{s/\].*/]/;h}; /^  [a-z0-9-]+ =/{s/^  ([a-z0-9-]+) =.*/\1/;G;s/(.*)\n(.*)/\2 \1/;p}' \
		>"$tmp/program"
same "the keys of a device file" "$tmp/page" "$tmp/program"

# The keys of a statement, except those in the device file or in the catalogue.
awk '/^\.S[sh] / { section = "" } /^\.Ss \[/ { section = $2 }
	section && /^\.It Ic/ { print section, $3 }' "$man/warpspec-ics.5" \
	>"$tmp/page"
"$warpspec" ics --refdut | awk '
	NR == FNR { if (/^\[features\]/) known[$2]; next }
	/^\[/ { section = $0 }
	/^[a-z0-9-]+ =/ && section !~ /features|choices/ &&
		!($1 in known) { print section, $1 }' "$tmp/program" - \
		>"$tmp/form"
same "the keys of a statement" "$tmp/page" "$tmp/form"

# LINES...: print what the suite says about a device file with these lines;
# nobody listens at the agent's port.
device_file_with()
{
	sed -E 's/^agent = .*/agent = 127.0.0.1:1/' >"$tmp/example.ini"
	echo secret >"$tmp/my.token"
	said=$("$warpspec" check-agent -d "$tmp/example.ini" 2>&1)
}
device_file_with <"$example"
if [[ $? -eq 3 ]]; then
	ok "$example is read"
else
	not_ok "$example is read" "$said"
fi
# With all of its comments uncommented, and a network namespace that does not
# exist.
grep -v 'netns' "$example" | sed -E 's/^;([a-z0-9-]+ =)/\1/' | device_file_with
if [[ ${PIPESTATUS[2]} -eq 3 ]]; then
	ok "$example is read, with all its keys"
else
	device_file_with < <(grep -v netns "$example" | sed -E 's/^;([a-z0-9-]+ =)/\1/')
	not_ok "$example is read, with all its keys" "$said"
fi
device_file_with < <(sed -E 's/^;(netns =)/\1/' "$example")
if [[ $said == *'[link] netns: '* ]]; then
	ok "$example is read, with its network namespace"
else
	not_ok "$example is read, with its network namespace" "$said"
fi

# --- deviations, journal, vectors -------------------------------------

# The keys of the page, all in one entry.
keys=$(sed -nE 's/^\.It Ic ([a-z]+) Li.*/\1/p' "$man/warpspec-deviations.5")
{
	echo "[deviation]"
	for key in $keys; do
		case $key in
		case) echo "case = mpa/crc/*" ;;
		signature) echo "signature = MPA-4.4-14" ;;
		expires) echo "expires = 2999-12-31" ;;
		sometimes) echo "sometimes = yes" ;;
		*) echo "$key = x" ;;
		esac
	done
} >"$tmp/known.ini"
says "the keys of a deviation" 0 "2 info" "$warpspec" run --quiet \
	--deviations "$tmp/known.ini" 'mpa/crc/what_*'
printf '[deviation]\nno-such-key = 1\n' >"$tmp/known.ini"
said=$("$warpspec" run --deviations "$tmp/known.ini" 2>&1)
sed -E 's/.*expected //; s/\[deviation\]//' <<<"$said" |
	grep -oE '\b(case|signature|reason|reference|sometimes|expires|[a-z]+ =)' |
	tr -d ' =' >"$tmp/program"
printf '%s\n' "$keys" >"$tmp/page"
same "the keys that a deviation may have" "$tmp/page" "$tmp/program"

# SECTION: print the keys under it, several to an item.
journal_keys()
{
	awk -v only=".Ss $1" '/^\.S[sh]/ { inside = $0 == only }
		inside && /^\.It Ic/' "$man/warpspec-journal.5" |
		sed 's/^\.It Ic //' | tr -s ' ,' '\n'
}
# All lines end with `chain`; `blocked_by`, `evidence` and `retried` exist only
# if they have contents.
"$python" - "$tmp/journal" "$tmp" <<'PY'
import json, sys
with open(sys.argv[1], encoding="utf-8") as f:
    lines = [json.loads(line) for line in f]
first = set(lines[0]).union(*(v for v in lines[0].values() if isinstance(v, dict)))
rest = [set(line) for line in lines[1:]]
for name, keys in ("first", first), ("rest", set().union(*rest)):
    with open(f"{sys.argv[2]}/{name}", "w", encoding="utf-8") as f:
        f.writelines(k + "\n" for k in keys - {"blocked_by", "chain", "evidence", "interrupted", "retried"})
PY
journal_keys "The first line" >"$tmp/page"
same "the first line of a journal" "$tmp/page" "$tmp/first"
journal_keys "The other lines" | grep -vx -e blocked_by -e evidence -e interrupted -e retried >"$tmp/page"
same "the lines of a journal" "$tmp/page" "$tmp/rest"

sed -nE '/^\.Ss Headers/,/^\.Ss Fields/s/^\.It Ic ([a-z]+)$/\1/p' \
	"$man/warpspec-vectors.5" >"$tmp/page"
sed -nE 's/^(vector|[a-z]+): .*/\1/p' vectors/*.vec | grep -vx row >"$tmp/program"
same "the headers of a vector" "$tmp/page" "$tmp/program"

echo "manual: $passed passed, $failed failed"
[[ $failed -eq 0 ]]

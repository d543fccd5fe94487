#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# layers.sh BUILD - which folder may include and call which. Run from the top
# of the tree, after the programs in BUILD have been built.
#
# The rules protect the basis of a verdict: a case sees its language and
# nothing else; the codec and the golden model are pure; the reference device
# knows neither, so that it cannot repeat their errors.
set -u

build=${1:?usage: layers.sh BUILD}
[[ -d cases && -d harness ]] || { echo "layers.sh: not at the top" >&2; exit 2; }
passed=0 failed=0

objection()
{
	echo "$1" >&2
	failed=$((failed + 1))
}

# --- the rooms of suite/ ----------------------------------------------
# From the top floor down, each with the header that describes it. A room
# includes and calls only rooms below it.

rooms=(command/command.h report/report_command.h cli/cli.h decode/decode.h audit/audit.h agent_check/agent_check.h explore/explore.h run/run.h ics/ics.h catalogue/catalogue.h language/case.h judge/verdict.h
	reading/reading.h device/device.h model/model.h dimension/dimension.h req/req.h)

# ROOM: prints the folders that it may use, itself first, as a regular
# expression.
from_here_down()
{
	local room found=

	for room in "${rooms[@]}"; do
		[[ ${room%/*} == "$1" || $found ]] && found+="|${room%/*}"
	done
	echo "suite/(${found#|})/([a-z0-9_]+/)?[a-z0-9_]+\\.(h|def)"
}

for room in "${rooms[@]}"; do
	if [[ -s suite/$room ]]; then
		passed=$((passed + 1))
	else
		objection "suite/${room%/*}: no ${room#*/} that says what it is"
	fi
done
for room in suite/*/; do
	room=${room#suite/} room=${room%/}
	[[ $room == checks || $room == prove || " ${rooms[*]%%/*} " == *" $room "* ]] ||
		objection "suite/$room: on no floor; see the list of rooms"
done

# --- the folders in a room --------------------------------------------
# From the top floor down; `.` stands for the files of the room itself. A
# folder includes only folders below it in its room. Statements of a case may
# call one another all the same: to connect is to send, and to send is to wait.

declare -A floors=(
	[suite/language]="history match evidence sctp stream peer dut text execution . words"
	[suite/run]="runner blame probe pool . worker journal plan"
	[suite/model]="send receive . linear startup outcome atomic"
	[reports]="publish format compare html load text bundle ."
)

# PLACE: prints the files of the project in it, except those that only tests
# have.
own_files()
{
	find "$1" -maxdepth 1 -name '*.[ch]' |
		grep -vE '(_test|_bench|_fuzz|_tool|_prove|_fixture)\.[ch]$|/(testing|sample|fuzz)\.h$'
}

for place in "${!floors[@]}"; do
	above=''
	for floor in ${floors[$place]}; do
		folder=$place/$floor
		[[ $floor == . ]] && folder=$place
		if [[ ! -d $folder ]]; then
			objection "$folder: no such folder; see the floors of $place"
			continue
		fi
		mapfile -t mine < <(own_files "$folder")
		what=
		[[ $above ]] && what=$(grep -HnE \
			"^[[:space:]]*#[[:space:]]*include \"($above)/[a-z0-9_]+\\.(h|def)\"" \
			"${mine[@]}")
		if [[ $what ]]; then
			objection "includes what stands above it: $what"
		else
			passed=$((passed + 1))
		fi
		above+="${above:+|}$folder"
	done
	for folder in "$place"/*/; do
		folder=${folder%/}
		[[ $(find "$folder" -maxdepth 1 -name '*.[ch]') ]] || continue
		[[ " ${floors[$place]} " == *" ${folder##*/} "* ]] ||
			objection "$folder: on no floor of $place"
	done
done

# The layers of the device, and their neighbours.
refdut="mpa ddp rdmap sctp memory verbs agent ulp decision faults choices"
for folder in $refdut; do
	[[ -d harness/refdut/$folder ]] || objection "harness/refdut/$folder: no such folder"
done
for folder in harness/refdut/*/; do
	folder=${folder%/}
	[[ " $refdut " == *" ${folder##*/} "* ]] ||
		objection "$folder: none of the device's folders: $refdut"
done

# --- names ------------------------------------------------------------
# A reader sees a folder at a glance: at most this many names, where x.c, x.h,
# x_decisions.h and its tests are one name (x), and a folder is one. The
# exceptions are listed here with their reason.

names_most=16
declare -A more_names=(
	[cases/ddp]="a topic of the RFC each, as its table of contents has them"
	[cases/mpa]="likewise"
	[cases/rdmap]="likewise"
	[harness/lab/siw]="scripts that are commands of one lab, listed in its README.md"
	[harness/link/raw]="one TCP: each file is a step of a segment's way"
	[harness/refdut]="folders by layer, and what connects them"
	[harness/rnic]="one program, a file for each command of the protocol"
	[suite]="the rooms, which CONTRIBUTING.md lists"
	[suite/checks]="a script for each target of the Makefile"
)
while read -r many folder; do
	if [[ $many -gt $names_most && ! ${more_names[$folder]:-} ]]; then
		objection "$folder: $many names, $names_most at most: split it by idea"
	elif [[ $many -le $names_most && ${more_names[$folder]:-} ]]; then
		objection "$folder: $many names need no exception; see more_names"
	else
		passed=$((passed + 1))
	fi
done < <(find cases harness reports suite vectors ! -path '*/.*' \
	! -path 'reports/published/*' ! -name '__pycache__' ! -name '*.pyc' -mindepth 1 |
	awk -F/ '{
		folder = $0; sub(/\/[^\/]*$/, "", folder)
		name = $NF; sub(/\..*$/, "", name)
		sub(/_(test|bench|fuzz|tool|prove|fixture|decisions)$/, "", name)
		if (!((folder, name) in seen)) { seen[folder, name]; n[folder]++ }
	} END { for (f in n) print n[f], f }' | LC_ALL=C sort -k2)

# --- includes ---------------------------------------------------------

pure='assert|ctype|errno|inttypes|limits|stdarg|stdbool|stddef|stdint|string'
pure="($pure)\\.h"
any='.*'
# The public headers of harness/; the private headers of a folder are named
# here.
private='suite/(run/(run|pool/pool|worker/worker|plan/plan)|language/(execution/(execution|stream|dut)|dut/dut_internal)|agent_check/(checker|wire)|ics/items|explore/(as_case|crew|exploration|shrink|(finding/finding|perform/[a-z_]+))|dimension/edges)\.h|harness/(crc/provider|link/(provider|capture_record)|link/raw/(address|connect|connections|ethernet|frames|input|neighbours|packet|packet_internal|segment|stream|tcp|tcp_internal|wait)|link/sctp/(sctp_internal|stack)|peer/messages)\.h'
public='harness/(agent|crc|lab|link|link/raw|link/sctp|observe|peer|text|wire)/[a-z_]+\.(h|def)'
# The headers in which faults and choices of the reference device are stated,
# and those that they share. They see the device; the device does not see them.
overriding='harness/refdut/(faults/.*|choices/.*|decision/override\.h)'
overrides='harness/refdut/(faults|choices|decision)/.*'
# Headers for tests only.
testing='harness/unit\.h|[a-z/]+/(testing|fuzz|sample|[a-z_]*_fixture)\.h'

# Set `ours` and `system`: the headers of the project and of the machine that
# this file may include, as extended regular expressions. Fail if there is no
# rule.
rule()
{
	case $1 in
	cases/*)		ours='case\.h' system='' ;;
	suite/model/*)		ours='suite/(model|req)/.*|harness/wire/.*'
				system=$pure ;;
	suite/req/*)		ours='suite/req/.*' system=$pure ;;
	suite/report/*)		ours='suite/.*|reports/.*|harness/text/.*' system=$any ;;
	suite/main.c)		ours="suite/.*|harness/(crc|text)/[a-z]+\\.h" system=$any ;;
	suite/command/*)	ours="suite/.*|$public|reports/(format/formats|publish/publish|text/(closing|escape)|load/load)\\.h"
				system=$any ;;
	suite/cli/*)		ours="suite/.*|$public|reports/text/escape\\.h"
				system=$any ;;
	# The lists of faults and choices are data; the device itself stays
	# invisible.
	suite/checks/faults/*)	ours='suite/checks/faults/.*' system=$any ;;
	suite/*/*)		ours="$(from_here_down "$(cut -d / -f 2 <<<"$1")")"
				ours+="|$public|(refdut/(mutants|variants)|procedures)\\.def"
				system=$any ;;
	# A room of its own: a run as pages for a browser (html.h).
	reports/compare/*)	ours='reports/.*|suite/judge/(result|background)\.h|harness/text/(memstream|json_memory)\.h'
				system=$any ;;
	reports/html/*)		ours='reports/.*|suite/judge/(result|background)\.h|harness/(wire/fields|crc/crc|text/(memstream|json_memory))\.h'
				system=$any ;;
	reports/bundle/*)	ours='reports/bundle/.*|harness/text/.*' system=$any ;;
	reports/*)		ours='reports/.*|suite/judge/(result|evidence)\.h|harness/(wire/fields|crc/crc|text/(memstream|json_memory))\.h'
				system=$any ;;
	vectors/*)		ours='vectors/.*|harness/(wire|crc|link|text)/.*'
				system=$any ;;
	harness/wire/*)		ours='harness/wire/.*' system=$pure ;;
	harness/text/*)		ours='harness/text/.*' system=$any ;;
	harness/crc/*)		ours='harness/crc/.*' system=$any ;;
	harness/link/*/*)	ours='harness/link/.*' system=$any ;;
	harness/link/*)		ours='harness/link/[a-z_]+\.h' system=$any ;;
	harness/observe/*)	ours='harness/(observe|wire)/.*' system=$any ;;
	harness/peer/*)		ours='harness/(peer|wire|crc|link|observe)/.*'
				system=$any ;;
	harness/agent/*)	ours='harness/(agent|observe)/.*|harness/link/clock\.h'
				system=$any ;;
	harness/rnic/*)		ours='harness/rnic/.*|harness/link/clock\.h'
				ours+='|harness/agent/((line|protocol)\.h|features\.def)'
				system=$any ;;
	harness/refdut/*)	ours='harness/refdut/.*|harness/crc/crc\.h|harness/link/ports\.h'
				ours+='|harness/agent/(line\.h|features\.def)'
				system=$any ;;
	# A separate reading of the RFCs, in the guest of a lab.
	harness/lab/sctp/kernel_tool.c | harness/lab/sctp/kernel/*)
				ours='harness/lab/sctp/kernel/.*' system=$any ;;
	# The parts of a tool, which is a test.
	harness/lab/sctp/interop/*)
				ours="harness/lab/sctp/interop/.*|harness/unit\\.h|$public"
				system=$any ;;
	harness/lab/*)		ours="$public" system=$any ;;
	harness/unit.[ch])	ours='harness/unit\.h' system=$any ;;
	*)			return 1 ;;
	esac
	# A test may include anything except the reference device's headers.
	case $1 in
	harness/lab/sctp/kernel_tool.c) ;;
	harness/refdut/*_test.c | harness/refdut/*_bench.c)
		ours+="|$testing" system=$any ;;
	*_test.c | *_bench.c | *_fuzz.c | *_tool.c | */testing.h | */fuzz.h | \
	*/sample.h | *_fixture.[ch])
		ours='.*' system=$any ;;
	esac
}

# The headers of the machine that belong to one layer only.
system_of_layer()
{
	case $1 in
	infiniband/* | rdma/*)	[[ $2 == harness/rnic/ibverbs* ]] ;;
	usrsctp.h)		[[ $2 == harness/link/sctp/* || $2 == harness/refdut/sctp/* ]] ;;
	pcap/* | pcap.h | libnet.h)
		[[ $2 == harness/link/* || $2 == vectors/* ]] ;;
	netinet/* | linux/tcp.h)
		[[ $2 == harness/* ]] ;;
	isa-l/* | isa-l.h)	[[ $2 == harness/crc/* ]] ;;
	archive.h | archive_entry.h | openssl/cms.h | openssl/pem.h | openssl/x509*)
				[[ $2 == reports/bundle/* ]] ;;
	libxml/*)		[[ $2 == reports/* ]] ;;
	CUnit/*)		[[ $2 == suite/* || $2 == harness/unit.[ch] ]] ;;
	esac
}

# A room of suite/ is one place together with its folders.
same_place()
{
	local of=${2%/*}

	[[ $of == suite/*/* ]] && of=${of%/*}
	[[ ${1%/*}/ == "$of"/* ]]
}

check_includes()
{
	local file=$1 line what name ours system before=$failed

	if ! rule "$file"; then
		objection "$file: lies in no layer that a rule is written for"
		return
	fi
	while IFS=: read -r line what; do
		[[ $what ]] || continue
		name=${what#*[<\"]}
		name=${name%%[>\"]*}
		case $what in
		*\"*)
			[[ $name =~ ^($ours)$ ]] ||
				objection "$file:$line: may not include $name"
			[[ $name =~ ^($private)$ ]] &&
				! same_place "$file" "$name" &&
				objection "$file:$line: $name is private"
			[[ $name == suite/command/* && $file != suite/main.c &&
				$file != suite/command/* ]] &&
				objection "$file:$line: $name is for the program alone"
			[[ $name == harness/refdut/* && $file != harness/refdut/* ]] &&
				objection "$file:$line: $name is the device's own"
			[[ $name =~ ^($overriding)$ && ! $file =~ ^($overrides)$ ]] &&
				objection "$file:$line: $name is for faults and choices"
			[[ $name =~ ^($testing)$ && $file != harness/unit.c &&
				! $file =~ (_test|_bench|_fuzz|_tool|_fixture)\.c$ &&
				$file != harness/lab/sctp/interop/* &&
				! $file =~ ^($testing)$ ]] &&
				objection "$file:$line: $name is for tests"
			;;
		*)
			[[ $name =~ ^($system)$ ]] ||
				objection "$file:$line: may not include <$name>"
			system_of_layer "$name" "$file" ||
				objection "$file:$line: <$name> is not for this layer"
			;;
		esac
	done <<<"${includes[$file]:-}"
	[[ $failed -eq $before ]] && passed=$((passed + 1))
}

# FILE: print "LINE:WHAT" for each include, for all files at once.
declare -A includes=()
while IFS=: read -r file what; do
	includes[$file]+="$what"$'\n'
done < <(grep -rnE --include='*.[ch]' '^[[:space:]]*#[[:space:]]*include' \
	cases harness suite reports vectors |
	sed -E 's/^([^:]*:[0-9]+):[[:space:]]*#[[:space:]]*include[[:space:]]*/\1:/')

while read -r file; do
	check_includes "$file"
done < <(find cases harness suite reports vectors -name '*.[ch]' | LC_ALL=C sort)

# --- symbols ----------------------------------------------------------
# An include can be avoided; the objects show the actual calls.

# The objects of these folders, without those of tests, and without leftovers
# of files that no longer exist.
objects()
{
	local object source

	find "${@/#/$build/obj/}" -name '*.o' ! -name '*_test.o' \
		! -name '*_bench.o' ! -name '*_fuzz.o' ! -name '*_tool.o' |
		while read -r object; do
			source=${object#"$build/obj/"}
			[[ -f ${source%.o}.c ]] && echo "$object"
		done
}
defined()   { nm --defined-only -g "$@" 2>/dev/null | awk 'NF == 3 { print $3 }'; }
undefined() { nm -u "$@" 2>/dev/null | awk 'NF == 2 { print $2 }'; }

compiler='_GLOBAL_OFFSET_TABLE_|__stack_chk_fail|__(asan|ubsan|sanitizer|gcov|llvm)_.*|_?_?afl.*'
pure_calls="mem(cpy|set|cmp|move|chr)|str(len|n?cmp|n?len|chr)|__assert_fail|$compiler"

# NAME CALLS FOLDER...: the folder calls itself, these, and nothing else.
check_pure()
{
	local name=$1 calls=$2 what
	shift 2
	mapfile -t mine < <(objects "$@")
	if [[ ${#mine[@]} -eq 0 ]]; then
		objection "$name: no objects in $build: build first"
		return
	fi
	what=$(comm -23 <(undefined "${mine[@]}" | sort -u) \
		<(defined "${mine[@]}" | sort -u) | grep -vxE "$calls")
	if [[ $what ]]; then
		objection "$name calls $(tr '\n' ' ' <<<"$what")"
	else
		passed=$((passed + 1))
	fi
}
check_pure "the codec" "$pure_calls" harness/wire
check_pure "the codec and the golden model" "$pure_calls" \
	harness/wire suite/model suite/req

# An include can be avoided here, too.
above=()
for room in "${rooms[@]}"; do
	mapfile -t mine < <(objects "suite/${room%/*}")
	if [[ ${#above[@]} -gt 0 ]]; then
		what=$(comm -12 <(undefined "${mine[@]}" | sort -u) \
			<(defined "${above[@]}" | sort -u))
		if [[ $what ]]; then
			objection "suite/${room%/*} calls what stands above it: $(
				tr '\n' ' ' <<<"$what")"
		else
			passed=$((passed + 1))
		fi
	fi
	above+=("${mine[@]}")
done

# FOLDER...: the calls between their files, in whatever order, go one way.
# Naming a function counts as calling it, receiving its address does not.
check_one_way()
{
	local file circle mine=()

	for file in $(find "$@" -maxdepth 1 -name '*.c'); do
		[[ $file =~ _(test|bench|fuzz|tool|prove|fixture)\.c$ ]] && continue
		file=$build/obj/${file%.c}.o
		[[ -e $file ]] && mine+=("$file")
	done
	if [[ ${#mine[@]} -eq 0 ]]; then
		objection "$1: no objects in $build: build first"
		return
	fi
	# A call is part of a circle if it leads back to its caller.
	circle=$(nm -A -P -g "${mine[@]}" 2>/dev/null | awk '
		{ sub(/.*\/obj\//, "", $1); sub(/\.o:$/, ".c", $1) }
		$3 ~ /^[Uvw]$/ { from[++n] = $1; name[n] = $2; next }
		{ home[$2] = $1; files[$1] }
		END {
			for (i = 1; i <= n; i++)
				if (name[i] in home && home[name[i]] != from[i]) {
					calls[from[i], home[name[i]]] = \
						calls[from[i], home[name[i]]] " " name[i]
					leads[from[i], home[name[i]]]
				}
			for (k in files) for (i in files) if ((i, k) in leads)
				for (j in files) if ((k, j) in leads)
					leads[i, j]
			for (c in calls) {
				split(c, at, SUBSEP)
				if ((at[2], at[1]) in leads)
					print at[1] " calls" calls[c] " of " at[2]
			}
		}' | LC_ALL=C sort | paste -sd';' | sed 's/;/; /g')
	if [[ $circle ]]; then
		objection "$1 calls in a circle: $circle"
	else
		passed=$((passed + 1))
	fi
}
for folder in harness/rnic harness/link harness/link/raw harness/link/sctp harness/peer \
	harness/lab/sctp/kernel harness/lab/sctp/interop harness/wire harness/refdut/ulp vectors/tool suite/ics suite/catalogue \
	suite/judge suite/reading suite/device suite/dimension suite/command suite/cli suite/report suite/decode \
	reports/bundle; do
	check_one_way "$folder"
done
# A room, with all its folders.
check_one_way suite/run suite/run/*/
check_one_way suite/explore suite/explore/*/
check_one_way suite/audit suite/audit/*/
check_one_way reports reports/{publish,format,compare,html,load,text}/
# Receiving and sending of the model call each other, and so do the statements
# of a case; their folders go one way.
for folder in suite/model/{linear,startup,outcome,atomic} \
	suite/language/{text,match,peer,evidence,history}; do
	check_one_way "$folder"
done

# The folders that may make calls for sockets.
mapfile -t suite_objects < <(objects suite)
touched=$(undefined "${suite_objects[@]}" |
	grep -xE 'socket|connect|bind|listen|accept4?')
if [[ $touched ]]; then
	objection "suite/ calls $(sort -u <<<"$touched" | tr '\n' ' ')"
else
	passed=$((passed + 1))
fi

# open_memstream does not report octets that it drops (memstream.h). Tests may
# use it.
mapfile -t ours < <(objects harness suite reports)
touched=$(undefined "${ours[@]}" | grep -xE 'open_w?memstream')
if [[ $touched ]]; then
	objection "open_memstream is called beside harness/text/memstream.c"
else
	passed=$((passed + 1))
fi

# The reference device uses nothing of the codec, the peer, the model or the
# suite.
mapfile -t foreign < <(objects harness/wire harness/peer harness/observe \
	harness/link suite)
if [[ ! -s $build/librefdut.a ]]; then
	objection "$build/librefdut.a is not there: build first"
else
	common=$(comm -12 \
		<({ defined "$build/librefdut.a"; undefined "$build/librefdut.a"; } |
			sort -u) \
		<(defined "${foreign[@]}" | grep -vxE 'main' | sort -u))
	# Two files may define the same name independently.
	asked=$(comm -23 <(echo "$common") <(defined "$build/librefdut.a" | sort -u))
	if [[ ${asked//[[:space:]]/} ]]; then
		objection "harness/refdut asks for $(tr '\n' ' ' <<<"$asked")"
	else
		passed=$((passed + 1))
	fi
	# The device calls no fault and no choice by name.
	mapfile -t device < <(objects harness/refdut |
		grep -vE '/refdut/(faults|choices)/')
	mapfile -t planted < <(objects harness/refdut/faults harness/refdut/choices)
	asked=$(comm -12 <(undefined "${device[@]}" | sort -u) \
		<(defined "${planted[@]}" | sort -u))
	if [[ $asked ]]; then
		objection "harness/refdut calls faults: $(tr '\n' ' ' <<<"$asked")"
	else
		passed=$((passed + 1))
	fi
	alien=$(ar t "$build/librefdut.a" | sort | comm -23 - <(
		find harness/refdut harness/crc harness/agent/line.c -name '*.c' \
			-printf '%f\n' | sed 's/\.c$/.o/' | sort))
	if [[ $alien ]]; then
		objection "librefdut.a holds $(tr '\n' ' ' <<<"$alien")"
	else
		passed=$((passed + 1))
	fi
fi

echo "layers: $passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]

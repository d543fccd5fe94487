#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# shellcheck disable=SC2317 # the steps are called by name
#
# check.sh [quick] - implements `make check`: every check, with one line and
# the counts for each, the end of the log of a failed one, and at the end only
# "N passed, N failed". Exit: 0 all passed, 1 not.
#
# `quick` implements `make quick`: the unit tests, the rules of the source, the
# clean device over each link, and a smoke test of the rest.
#
# A slow check has its own target, which runs it whole, and runs as a sample
# here: another part with each commit, always the same part for a commit. The
# end shows the part; PART=N runs that part again.
#
# From make: BUILD, MAKE, SAN, COV. Logs are in BUILD/check.
set -u

# `make -n check` only says what it would run.
if [[ ${MAKEFLAGS:-} =~ ^[a-zA-Z]*n ]]; then
	echo "suite/checks/check.sh runs every check, in the order of that file; nothing was run"
	exit 0
fi

BUILD=${BUILD:-build}
MAKE=${MAKE:-make}
SAN=${SAN:-}
logs=$BUILD/check
passed=0 failed=0 wrong=() besides=()
lanes='' fillers='' # their descriptors, of open_lanes
mkdir -p "$logs" || exit 2
logs=$(realpath "$logs")
unset MAKELEVEL

export PART=${PART:-$(git rev-list --count HEAD 2>/dev/null || echo 0)}

# The jobserver of a `make -j` around us is used, else all processors.
jobs=(-j"$(nproc)")
[[ ${MAKEFLAGS:-} == *jobserver* ]] && jobs=()
make_it() { "$MAKE" --no-print-directory "${jobs[@]}" BUILD="$BUILD" "$@"; }

# The counts in a log's closing lines, as "PASSED FAILED".
counts()
{
	awk '
		/^(not )?ok / { next } # one check in a log
		match($0, /(^|: )[0-9]+ (passed|killed), [0-9]+ (failed|survived)/) {
			split(substr($0, RSTART), part, /[^0-9]+/)
			first = part[1] == "" ? 2 : 1
			ok += part[first]
			bad += part[first + 1]
		}
		END { print ok + 0, bad + 0 }' "$1"
}

# NAME COMMAND...: run one check, with its log, and write its result next to
# the log: its status, how long it took, and the processor time of all
# processes that it waited for, in milliseconds. The last shows its cost even
# on a busy host.
perform()
{
	local name=$1 log=$logs/$1.log before=$EPOCHREALTIME
	shift
	(
		"$@" >"$log" 2>&1 </dev/null {lanes}>&- {fillers}>&-
		echo "$? $(((${EPOCHREALTIME/[.,]/} - ${before/[.,]/}) / 1000))"
		times # "0m0.004s 0m0.002s": ours, and in a second line theirs
	) | awk -F '[ms ]' '
		NR == 1 { printf "%s", $0 }
		NR == 3 { printf " %d\n", ($1 + $4) * 60000 + ($2 + $5) * 1000 }
	' >"${log%.log}.came-to"
}

# NAME: report its result. A check without counts counts as one.
tell()
{
	local name=$1 log=$logs/$1.log status=1 ms=0 busy=0 ok bad
	# A check that was killed, or ended this shell, has no result.
	[[ -s ${log%.log}.came-to ]] &&
		read -r status ms busy <"${log%.log}.came-to"
	read -r ok bad < <(counts "$log")
	if [[ $status -ne 0 && $bad -eq 0 ]]; then
		bad=1
	elif [[ $((ok + bad)) -eq 0 ]]; then
		ok=1
	fi
	passed=$((passed + ok))
	failed=$((failed + bad))
	printf '%-22s %6d passed, %d failed  (%d.%d s, %d.%d s of processors)\n' \
		"$name" "$ok" "$bad" $((ms / 1000)) $((ms % 1000 / 100)) \
		$((busy / 1000)) $((busy % 1000 / 100))
	[[ $bad -eq 0 ]] && return 0
	wrong+=("$name")
	tail -n 30 "$log" | sed 's/^/    /'
	echo "    (all of it: $log)"
	return 1
}

step()
{
	perform "$@"
	tell "$1"
	tell_ended
}

# Checks that wait more than they work run alongside all others, a limited
# number at a time, in their order, until they are gathered. Each begins when a
# token is available.
readonly LANES=2
# VARIABLE TOKENS: a queue of tokens; the variable is its descriptor.
open_lanes()
{
	local fifo=$logs/lanes.fifo
	local -n lane=$1
	rm -f "$fifo"
	mkfifo "$fifo" || exit 2
	exec {lane}<>"$fifo"
	rm "$fifo"
	printf "%$2s" >&"$lane"
}

# LANE NAME COMMAND...
in_lane()
{
	local lane=$1
	shift
	rm -f "$logs/$1.came-to"
	{
		[[ $lane != "$fillers" ]] || renice -n 19 -p "$BASHPID" >/dev/null
		read -r -N 1 -u "$lane"
		perform "$@"
		printf ' ' >&"$lane"
	} &
	besides+=("$1")
}

beside() { in_lane "$lanes" "$@"; }

# Checks that only compute, and judge no time, run one after another in the time
# of the processors that all others leave: they are niced. They make nothing in
# BUILD, in which two makes spoil each other.
fill() { in_lane "$fillers" "$@"; }

# Report those that have ended.
tell_ended()
{
	local name left=()
	for name in "${besides[@]}"; do
		if [[ -s $logs/$name.came-to ]]; then
			tell "$name"
		else
			left+=("$name")
		fi
	done
	besides=("${left[@]}")
}

gather()
{
	local name
	wait
	for name in "${besides[@]}"; do
		tell "$name"
	done
	besides=()
}

finish()
{
	# Print it again for readers who only read the end: each check that failed, and
	# what it said of it, or else its last lines.
	local name said
	for name in "${wrong[@]}"; do
		echo "failed: $name"
		said=$(awk '
			/(^|[^[:alpha:]])(not ok|FAIL|FAILED|failed:|error:)/ { left = 7 }
			/^survived / { left = 1 }
			!/^ / && !/not ok|FAIL|failed:|error:|^survived / { left = 0 }
			left-- > 0 && /[^[:space:]]/ && ++n <= 30' "$logs/$name.log")
		[[ $said ]] || said=$(tail -n 12 "$logs/$name.log")
		cut -c 1-300 <<<"$said" | sed 's/^/    /'
	done
	echo "of what are samples, PART=$PART"
	echo "$passed passed, $failed failed"
	[[ $failed -eq 0 && $passed -gt 0 ]]
	exit
}

build()
{
	make_it "$@" programs || return
	if grep -n 'warning:' "$logs/${name:-build}.log"; then
		echo "a warning is a failure here"
		return 1
	fi
}

# After installation it runs from the prefix; after removal nothing is left.
installed()
{
	local root=$logs/root
	rm -rf "$root"
	make_it install DESTDIR="$root" prefix=/usr &&
		suite/checks/installed_test.sh "$root/usr" &&
		make_it uninstall DESTDIR="$root" prefix=/usr || return
	find "$root" -type f | grep . && return 1
	rm -rf "$root"
}

# Run everything again with sanitizers for memory and arithmetic; a compiler
# warning is an error here. -O1, and only the debugging information that a
# backtrace needs, halve the time of compilation; but with -O1 the compiler
# cannot bound a number as it can in the normal build.
sanitizing=("$MAKE" --no-print-directory BUILD="$BUILD/san" WERROR=1
	SAN="address,undefined" CFLAGS="-O1 -g1 -Wno-format-truncation ${CFLAGS:-}")
san_build() { "${sanitizing[@]}" "${jobs[@]}" all unit-programs; }
sanitized() { "${sanitizing[@]}" unit run-only crash; }

# [4]: the same on the raw link, if the machine allows a network namespace;
# with 4 only over IPv4.
raw()
{
	local cause
	raw_is_here=
	cause=$("$BUILD/warpspec" run --quiet --link raw 'mpa/crc/*' 2>&1 \
		>/dev/null)
	if [[ $? -eq 2 ]]; then
		printf '%-22s not here: %s\n' run-raw "$cause"
		return
	fi
	step run-raw make_it run-only LINK=raw REPORT="$BUILD/report-raw"
	[[ ${1:-} == 4 ]] || step run-raw-ipv6 make_it run-only LINK=raw FAMILY=6 \
		REPORT="$BUILD/report-raw-ipv6"
	raw_is_here=yes
	return 0
}

open_lanes lanes "$LANES"
open_lanes fillers 1
name=build step build build || finish

# Whole runs on the clean device, from which several checks start (matrix.py),
# are made once for this build.
clean_runs=$logs/clean-runs
rm -rf "$clean_runs" && mkdir "$clean_runs" || exit 2

mapfile -t formatted < <(find cases harness suite reports vectors -name '*.[ch]' |
	LC_ALL=C sort)

if [[ ${1:-} == quick ]]; then
	# Checks that judge no device and wait as much as they work; alongside
	# them, checks that judge a correct device. Two concurrent makes of one
	# build spoil it, so these run none.
	mapfile -t tests < <(find harness suite reports vectors -name '*_test.c' |
		LC_ALL=C sort | sed "s|.*|$BUILD/test/&|; s|\\.c\$||")
	beside unit suite/checks/unit.sh "${tests[@]}"
	beside layers suite/checks/layers.sh "$BUILD"
	beside format suite/checks/format_check.sh "$BUILD/check/formatted" \
		"${formatted[@]}"
	beside completion suite/checks/completion_test.sh "$BUILD"
	step vectors make_it vectors
	step complexity suite/checks/complexity.sh
	step run make_it run-only
	step run-sctp make_it run-only LINK=sctp REPORT="$BUILD/report-sctp"
	raw 4
	step reports reports/reports_check.sh "$BUILD"
	gather
	# One fault of each layer, and the cases that find it.
	step mutants suite/checks/mutants.sh "$BUILD" \
		ignore_bad_crc request_without_s msn_starts_at_zero \
		fetchadd_carry_crosses_field writes_overtaken
	finish
fi

step run make_it run-only
step run-sctp make_it run-only LINK=sctp REPORT="$BUILD/report-sctp"
raw
# It contains busy loops and floods: nothing else runs alongside it.
[[ $raw_is_here ]] && step raw-input suite/checks/raw_test.sh "$BUILD"
# A few of the attacks; "make hostile" tries all of them, with more cases.
CASES=foundations/startup T=4 step hostile suite/checks/hostile/hostile.py "$BUILD"
# Also alone: it compares what is left after each run.
T=10 SEED=$PART CASES="foundations mpa/crc ddp/queue rdmap/read" step soak suite/checks/soak.py "$BUILD"

# The longest one first.
if [[ ! $SAN ]]; then
	fill san-build san_build
	san_builder=$!
fi
fill headers suite/checks/headers.sh
fill format suite/checks/format_check.sh "$BUILD/check/formatted" "${formatted[@]}"
fill complexity suite/checks/complexity.sh
fill layers suite/checks/layers.sh "$BUILD"
fill levels suite/checks/level_test.sh

step unit make_it unit
ROUNDS=1 JOBS=64 LINKS=socket CASES="mpa/*" SILENT=no step starved suite/checks/starved.sh "$BUILD"

# The longest ones start first.
beside cli suite/checks/cli_test.sh "$BUILD"
beside target-test suite/checks/target_test.sh "$BUILD"
beside check-agent suite/checks/check_agent_test.sh "$BUILD"
beside bundle suite/checks/bundle_test.sh "$BUILD"
beside forges suite/checks/forges_test.sh "$BUILD"
# Every sixth of the faults that are none; "make readings" tries all of them.
SAMPLE=6 CLEAN_RUNS=$clean_runs beside readings suite/checks/readings_test.sh "$BUILD"
# A few; "make target" runs all of them.
beside target suite/checks/target.sh "$BUILD" "" crc_field_of_ones no_depths \
	reply_lists_one_rtr ignore_bad_crc writes_wait_for_send tos_from_zero \
	writes_placed_from_the_last least_private_data
beside endless suite/checks/endless_test.sh "$BUILD"
beside explore suite/checks/explore_test.sh "$BUILD"
beside evidence suite/checks/evidence_test.sh "$BUILD"
beside readme suite/checks/readme_test.sh "$BUILD"
beside report suite/checks/report_test.sh "$BUILD"
# Sixteen points; "make faults" tries all of them.
TRIALS=16 JOBS=2 beside faults suite/checks/faults/faults.py "$BUILD" run merge
beside host suite/checks/faults/host.py "$BUILD"
beside html suite/checks/html_test.sh "$BUILD"
beside decode suite/checks/decode_test.sh "$BUILD"
beside audit suite/checks/audit_test.sh "$BUILD"
SAMPLE=16 beside audit-mutants suite/checks/audit_mutants.sh "$BUILD"
beside relay suite/checks/relay_test.sh "$BUILD"
beside network suite/checks/network.sh "$BUILD" short
beside explore-resume suite/checks/explore_resume_test.sh "$BUILD"
beside crash suite/checks/crash_test.sh "$BUILD"
beside reports reports/reports_check.sh "$BUILD"
beside completion suite/checks/completion_test.sh "$BUILD"

step vectors make_it vectors
step tshark make_it tshark
step prove make_it prove
CLEAN_RUNS=$clean_runs step peer suite/checks/peer_test.sh "$BUILD"
# Every eighteenth; "make variants" runs all of them, on each link.
LINKS=socket COMBINATIONS=10 PAIRS=4 SAMPLE=18 CLEAN_RUNS=$clean_runs \
	step variants suite/checks/variants.sh "$BUILD"
# Every third; "make mutants" runs all of them.
SAMPLE=3 CLEAN_RUNS=$clean_runs step mutants suite/checks/mutants.sh "$BUILD"
# Samples; "make kill-matrix" and "make pairs" run all of them.
SAMPLE=75 CLEAN_RUNS=$clean_runs step kill-matrix suite/checks/kill_matrix.sh "$BUILD"
KNOWN=12 step unthought make_it unthought
# A pair that breaks much takes long on a busy host.
SAMPLE=4 BOUND=300 CLEAN_RUNS=$clean_runs step pairs suite/checks/pairs.sh "$BUILD"
SAMPLE=16 step triples suite/checks/triples.sh "$BUILD"
# Every fifth; "make controls" runs all of them. Sanitized processes are large.
SAMPLE=5 JOBS=$([[ $SAN ]] && echo 16 || echo 48) step controls suite/checks/controls.sh "$BUILD"
if [[ ! $SAN ]]; then
	wait "$san_builder"
	beside sanitized sanitized
fi
CLEAN_RUNS=$clean_runs step determinism suite/checks/determinism.sh "$BUILD" 2
CLEAN_RUNS=$clean_runs step metamorphic suite/checks/metamorphic.sh "$BUILD"
# It reads the reports of the runs above; those of every link are needed.
[[ $raw_is_here ]] && CLEAN_RUNS=$clean_runs step axes suite/checks/axes.sh "$BUILD"
# Samples of the faults that are found soon; "make explore-mutants" and "make
# explore-planted" run all of them.
step explore-mutants suite/checks/explore_mutants.sh "$BUILD" request_without_s \
	rx_odd_pad_not_expected writes_overtaken response_one_short \
	mo_counts_header request_private_limit_ignored
CASES=0 SECONDS_EACH=60 step explore-planted suite/checks/explore_planted.sh "$BUILD" \
	response_behind_atomic_rounded write_key_left_over \
	write_segments_meet_in_word fetchadd_carry_crosses_field
gather
step manual suite/checks/manual_test.sh "$BUILD"
step install installed
finish

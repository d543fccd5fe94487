# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2034
#
# Common to the checks of the command line, which source this file with BUILD
# as first argument: functions for checks, devices, and a folder, $tmp. All of
# it is removed when they end.

build=$(realpath "${1:?usage: ${0##*/} BUILD}")
here=$(dirname "$0")
warpspec=$build/warpspec
refdut=$build/warpspec-refdut
python=/usr/bin/python3
[[ -x $python ]] || python=python3
tmp=$(mktemp -d) || exit 2
passed=0 failed=0
started=() # processes of ours, ended at the end

finish()
{
	local pid
	for pid in "${started[@]}"; do
		end "$pid"
	done
	rm -rf "$tmp"
}
trap finish EXIT

# --- the checks' own language -----------------------------------------

ok()     { passed=$((passed + 1)); echo "ok $1"; }
not_ok()
{
	failed=$((failed + 1))
	echo "not ok $1"
	shift
	printf '%s\n' "$@" | sed 's/^/  /'
}

# NAME STATUS COMMAND...: the command ends with this status; `out` and `err`
# keep its output. Five minutes are for a host so busy that each case which waits
# runs again alone.
exits()
{
	local name=$1 status=$2 got
	shift 2
	timeout -k 5 300 "$@" </dev/null >"$tmp/out" 2>"$tmp/err"
	got=$?
	out=$(<"$tmp/out") err=$(<"$tmp/err")
	if [[ $got -eq $status ]]; then
		return 0
	fi
	# Of a run, the cases that are to blame.
	not_ok "$name" "exit status $got, not $status" "${err:0:400}" \
		"$(grep -A 5 -E '^(FAIL|ERROR|WARN) ' <<<"$out" | head -n 18)" \
		"$(tail -n 8 <<<"$out")"
	return 1
}

# NAME REGEX COMMAND...: it fails with a usage error of one line, before
# anything runs.
refuses()
{
	local name=$1 regex=$2
	shift 2
	exits "$name" 2 "$@" || return
	if [[ $out ]]; then
		not_ok "$name" "something on stdout: ${out:0:200}"
	elif [[ $(wc -l <"$tmp/err") -ne 1 ]]; then
		not_ok "$name" "not one line on stderr: ${err:0:300}"
	elif [[ ! $err =~ $regex ]]; then
		not_ok "$name" "does not say /$regex/: $err"
	else
		ok "$name"
	fi
}

# NAME STATUS REGEX COMMAND...: on stdout and stderr together.
says()
{
	local name=$1 status=$2 regex=$3
	shift 3
	exits "$name" "$status" "$@" || return
	if [[ $out$'\n'$err =~ $regex ]]; then
		ok "$name"
	else
		not_ok "$name" "does not say /$regex/" "$(tail -n 8 <<<"$out")"
	fi
}

# NAME REPORT EXPRESSION: Python over `cases` (by id), `by` (verdict to ids),
# `n`, and the report `r`.
report_holds()
{
	local said
	if said=$("$python" - "$2" "$3" <<'PY' 2>&1
import collections
import json
import sys

with open(sys.argv[1], encoding="utf-8") as f:
    r = json.load(f)
cases = {c["id"]: c for c in r["cases"]}
by = collections.defaultdict(list)
for c in r["cases"]:
    by[c["verdict"]].append(c["id"])
n = len(cases)
seen = {v: len(ids) for v, ids in by.items()}
sys.exit(None if eval(sys.argv[2]) else f"{sys.argv[2]}: not so; {seen}")
PY
	); then
		ok "$1"
	else
		not_ok "$1" "${said##*$'\n'}"
	fi
}

run=("$warpspec" run --quiet)

# --- processes --------------------------------------------------------

end() { kill "$1" 2>/dev/null && wait "$1" 2>/dev/null; }

# Start COMMAND with its stdout on a new descriptor, in `spoken`; `pid` is its
# process, `line` its first line.
start()
{
	local fifo=$tmp/fifo.${#started[@]}
	mkfifo "$fifo"
	"$@" >"$fifo" 2>"$tmp/start.err" &
	pid=$!
	started+=("$pid")
	exec {spoken}<"$fifo"
	line=
	read -r -t 20 -u "$spoken" line || line=
}

# A device of its own; `port` is its agent's port.
start_device()
{
	start "$refdut" --agent-port 0 --startup-timeout-ms 250
	device_pid=$pid
	port=${line##*:}
}

# FILE [ADDRESS:]PORT
device_file()
{
	local at=$2
	[[ $at == *:* ]] || at=127.0.0.1:$at
	printf '[device]\nname = a device\nagent = %s\n' "$at" >"$1"
}

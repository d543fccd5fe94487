#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# unit.sh TEST... - run the unit tests in parallel, and print the output of
# each at once. Those of suite/run start first: they wait more than they work.
# JOBS may be set (two for each processor). Exit: 0 all passed.
set -u
# shellcheck disable=SC2016 # the inner shell expands it

[[ $# -gt 0 ]] || { echo "usage: unit.sh TEST..." >&2; exit 2; }
printf '%s\n' "$@" | awk '
	{ if (/\/suite\/run\//) print; else rest[++n] = $0 }
	END { for (i = 1; i <= n; i++) print rest[i] }' |
	xargs -d '\n' -n 1 -P "${JOBS:-$((2 * $(nproc)))}" bash -c '
		says=$("$1" 2>&1 </dev/null)
		status=$?
		printf "%s\n" "$says"
		[[ $status -eq 0 ]] && exit 0
		echo "$1: status $status"
		exit 1' -

#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# endless_test.sh BUILD - a run always ends: if device or agent hang, stop
# answering, flood, or are not there, and when its time is over; and captures
# stay within their limits. Each check prints ok or not ok. Exit: 0 all ok.
set -u

# shellcheck source=suite/checks/testing.sh
. "${0%/*}/testing.sh"

# Cases that are tried on each of these devices. Behind the relay the device cuts
# its segments for another connection than the suite has: the case on large FPDUs
# would rightly fail.
cases=('mpa/crc/*' '!mpa/crc/crcs_are_generated_for_a_peer_that_wants_them*')
all=$("$warpspec" list "${cases[@]}" | grep -c '^mpa/')

# KIND [N]: a device of this kind; its file is $tmp/bad.ini.
start_bad()
{
	start_device
	start "$python" "$here/bad_device.py" "$1" "$port" "${@:2}"
	bad_pid=$pid
	device_file "$tmp/bad.ini" "$line"
}

# NAME STATUS EXPRESSION KIND [N]: these cases on this device end with this status
# (within the five minutes of `exits`, on a host however busy), its report satisfies
# the expression (report_holds), and reasons are reported once each, not once a
# case: what floods breaks 20 rules, in a dozen lines each, and each late case is
# named.
ends()
{
	local name=$1 status=$2 expression=$3 lines
	shift 3
	start_bad "$@"
	exits "$name" "$status" "${run[@]}" -d "$tmp/bad.ini" \
		--timeout-scale 0.2 --report json="$tmp/bad.json" \
		--report summary="$tmp/bad.txt" "${cases[@]}" || return
	end "$bad_pid"
	end "$device_pid"
	lines=$(wc -l <"$tmp/bad.txt")
	if [[ $lines -gt 500 ]]; then
		not_ok "$name" "the summary has $lines lines"
	else
		report_holds "$name" "$tmp/bad.json" "$expression"
	fi
}

ends "an agent that hangs is given up" 3 \
	"'does not serve' in r.get('note', '') and len(by['error']) == n" hangs
ends "a device that stops answering is given up" 3 \
	"'cases in a row' in r.get('note', '') and by['pass'] and not by['fail'] and \
	any(c.get('not_run') for c in r['cases'])" dies 200
ends "a device that floods is broken, not unreachable" 1 \
	"not by['error'] and by['blocked'] and not by['pass']" floods
# From its 200th stream on, which is behind the foundations. What floods overfills the
# socket's buffer and keeps the host busy: lost packets and a late host are ERRORs.
ends "one that begins to flood in the middle as well" 1 \
	"by['pass'] and by['fail'] and \
	all('this host' in cases[i]['reason'] or 'the link' in cases[i]['reason']
	    for i in by['error'])" \
	flood-late 200
# One octet every 30 ms: in the end the rest of a wait is shorter than that.
ends "one that sends octet by octet is waited for, and called slow" 4 \
	"by['pass'] and not by['fail'] and 'slow' in r['link_note'] and \
	all('more were arriving' in cases[i]['reason'] for i in by['error'])" \
	drips 30
ends "one that repeats a right FPDU without end" 1 \
	"not by['error'] and by['blocked']" repeats
ends "the suite waits only a few times for an agent that reports less than it counts" 3 \
	"all('events' in cases[i]['reason'] for i in by['error']) and \
	len(by['error']) > 40 and by['pass']" miscounts
ends "one that is late with one answer as well" 3 \
	"all('at connect' in cases[i]['reason'] for i in by['error']) and \
	len(by['error']) > 30 and len(by['pass']) > 30" connects-late

# --- nobody there ------------------------------------------------------

printf '[device]\nagent = 127.0.0.1:1\n' >"$tmp/nobody.ini"
exits "nobody there" 3 "${run[@]}" -d "$tmp/nobody.ini" \
	--report text --report json="$tmp/nobody.json" \
	--report junit="$tmp/nobody.xml" --report tap="$tmp/nobody.tap"
if [[ $(wc -l <"$tmp/out") -lt 20 && $out == *"Connection refused"* &&
	$(grep -c '<error' "$tmp/nobody.xml") -eq 1 &&
	$(grep -c '^not ok' "$tmp/nobody.tap") -eq 0 &&
	$(tail -n 1 "$tmp/nobody.tap") == "Bail out!"*refused* ]]; then
	ok "nobody there is said once, in each format"
else
	not_ok "nobody there is said once, in each format" "$(head "$tmp/out")"
fi
report_holds "and every case is there, as not run" "$tmp/nobody.json" \
	"n == len(by['error']) > 2000 and all(c['not_run'] for c in r['cases'])"

# --- time ----------------------------------------------------------------

for wrong in 0 5d -1 s 99999h 1.5; do
	refuses "--max-time $wrong" "--max-time $wrong: expected" \
		"$warpspec" run --max-time "$wrong"
done
start_bad drips
exits "--max-time ends a run, with reports" 5 "${run[@]}" -d "$tmp/bad.ini" \
	--max-time 3s --report json="$tmp/time.json" "${cases[@]}" &&
	report_holds "--max-time ends a run, with reports" "$tmp/time.json" \
		"'--max-time' in r.get('note', '') and n < $all"
exits "--case-timeout ends a case, and not the run" 4 "${run[@]}" \
	-d "$tmp/bad.ini" --case-timeout 1s --jobs 16 \
	--report json="$tmp/time.json" "${cases[@]}" &&
	report_holds "--case-timeout ends a case, and not the run" \
		"$tmp/time.json" "n == $all and by['error'] and not by['fail'] and \
		all('--case-timeout allows, 1 s' in cases[i]['reason']
		    for i in by['error'])"
refuses "--case-timeout 0" "--case-timeout 0: expected" \
	"$warpspec" run --case-timeout 0
end "$bad_pid"
end "$device_pid"

# On a terminal of 80 columns.
"$python" - "$warpspec" >"$tmp/terminal" <<'PY'
import fcntl
import os
import pty
import struct
import sys
import termios

pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    os.execv(sys.argv[1], [sys.argv[1], "run", "--refdut=ignore_bad_crc",
                           "--max-time", "4", "--report", "json=/dev/null",
                           "mpa/crc/*"])
said = b""
try:
    while got := os.read(fd, 4096):
        said += got
except OSError:
    pass
os.waitpid(pid, 0)
sys.stdout.buffer.write(said.replace(b"\r", b"\n"))
PY
if grep -Eq "^[0-9]+ of [0-9]+, [0-9]+ failed, [0-9]+ s left" "$tmp/terminal" &&
	! grep -Eq '^[0-9]+ of.{85}' "$tmp/terminal"; then
	ok "a terminal shows how far it is, and the time left"
else
	not_ok "a terminal shows how far it is, and the time left" \
		"$(head -n 20 "$tmp/terminal")"
fi

# --- captures ---------------------------------------------------------------

refuses "--captures-of some" "expected all or failures" \
	"$warpspec" run --captures-of some
refuses "--captures-max 0" "--captures-max 0: expected" \
	"$warpspec" run --captures-max 0
case=mpa/crc/wrong_crc_is_never_delivered
exits "captures of failures" 1 "${run[@]}" --refdut=ignore_bad_crc \
	--captures "$tmp/failures" --captures-of failures \
	--report json="$tmp/failures.json" "$case" mpa/fpdu/* &&
	report_holds "captures of failures, and of nothing else" \
		"$tmp/failures.json" "all(bool(c['capture']) == \
		(c['verdict'] in ('fail', 'warn', 'error')) for c in r['cases']) \
		and by['pass'] and by['fail'] and \
		{c['capture'] for c in r['cases'] if c['capture']} <= \
		{'$tmp/failures/' + f for f in __import__('os').listdir('$tmp/failures')}"
says "captures that are full are left out, and that is said" 0 \
	"captures: the limit of 1 MiB is reached, [1-9][0-9]* were left out" \
	"${run[@]}" --captures "$tmp/little" --captures-max 1 'rdmap/*'
kib=$(du -s --apparent-size -k "$tmp/little" | cut -f1)
if [[ $kib -gt 100 && $kib -le 1200 && ! $(find "$tmp/little" -name '*.part') ]]; then
	ok "they take no more"
else
	not_ok "they take no more" "$kib KiB"
fi
if command -v tshark >/dev/null; then
	says "a capture names its case and verdict" 0 "$case: .*fail: MPA-4.4-14" \
		tshark -n -r "$tmp/failures/${case//\//.}.pcapng" -Y frame.comment \
		-T fields -e frame.comment
	printf '[deviation]\ncase = %s\nsignature = MPA-4.4-14\nreason = %s\n' \
		"$case" "the engine is off" >"$tmp/known.ini"
	exits "a capture of a known deviation" 0 "${run[@]}" --captures \
		"$tmp/known" --refdut=ignore_bad_crc --deviations \
		"$tmp/known.ini" "$case" &&
		says "a capture of a known deviation" 0 \
			"xfail: MPA-4.4-14 the engine is off" \
			tshark -n -r "$tmp/known/${case//\//.}.pcapng" \
			-Y frame.comment -T fields -e frame.comment
fi

echo "endless: $passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]

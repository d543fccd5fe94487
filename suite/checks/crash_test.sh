#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# crash_test.sh BUILD - tests a device that goes down during the run, and hooks
# that report and restore it: which case is blamed, the results of all other
# cases, and failing hooks. Each check prints ok or not ok. Exit: 0 all ok.
set -u

# shellcheck source=suite/checks/testing.sh
. "${0%/*}/testing.sh"

crash=pd_length_overruns
culprit=mpa/private_data/huge_pd_length
# Not all cases: those that wait would do so for every suspect.
few=('mpa/private_data/*' 'mpa/crc/*')
lab=$tmp/lab
mkdir "$lab"

# --- a device, and its reset ---------------------------------------------

# It comes back at its port, which no other check may take in between: the
# address is ours alone.
address=127.77.$(($$ / 250 % 250)).$(($$ % 250 + 1))
# Its console is its output before it dies.
cat >"$lab/reset" <<END
#!/bin/bash
# [OPTION...]: a fresh device at the same port; the previous one is ended.
cd "\${0%/*}" || exit
echo reset >>resets
[[ -s pid ]] && kill "\$(<pid)" 2>/dev/null
# A dead process that was not reaped has no program any more.
while [[ -s pid && -e /proc/\$(<pid)/exe ]]; do
	read -r -t 0.01 <> <(:)
done
: >console
[[ -p ready ]] || mkfifo ready
exec 3<>ready
setsid "$refdut" --bind $address --agent-port "\$(<port)" \\
	--startup-timeout-ms 250 "\$@" 3>&- >ready 2>>console </dev/null &
echo \$! >pid
read -r -t 20 -u 3 line && echo "\${line##*:}" >port
END
cat >"$lab/health" <<'END'
#!/bin/bash
[[ ! -s console ]] || { cat console; exit 1; }
END
chmod +x "$lab/reset" "$lab/health"
echo 0 >"$lab/port"

power_off()
{
	[[ -s $lab/pid ]] && kill "$(<"$lab/pid")" 2>/dev/null
	finish
}
trap power_off EXIT

its_device_file()
{
	device_file "$lab/device.ini" "$address:$(<"$lab/port")"
}

# [HOOKS...]: a fresh device and its device file, with these lines of [hooks].
power_on()
{
	"$lab/reset" --mutant "$crash"
	rm -f "$lab/resets"
	its_device_file
	{ echo "[hooks]"; printf '%s\n' "$@"; } >>"$lab/device.ini"
}
well="health = ./health"
again="reset = ./reset --mutant $crash"
on_it=("${run[@]}" -d "$lab/device.ini" --report "json=$tmp/report.json"
	--report "text=$tmp/report.txt")

resets() { wc -l 2>/dev/null <"$lab/resets" || echo 0; }

# NAME TOLD [CULPRIT]: all verdicts and ends of streams of $tmp/report.json are
# those of a clean run, except for the culprit's verdict, which is TOLD.
as_clean_but()
{
	local said
	if said=$("$python" - "$tmp/clean.json" "$tmp/report.json" "$2" \
		"${3:-$culprit}" <<'PY' 2>&1
import json
import sys

clean, seen = ({c["id"]: (c["verdict"], c["teardown"])
                for c in json.load(open(path, encoding="utf-8"))["cases"]}
               for path in sys.argv[1:3])
told, culprit = sys.argv[3:]
if told != "nothing":
    clean[culprit] = (told, seen[culprit][1])
other = [(i, clean.get(i), seen.get(i)) for i in clean.keys() | seen.keys()
         if clean.get(i) != seen.get(i)]
sys.exit(f"{len(other)} others, like {other[:3]}" if other else None)
PY
	); then
		ok "$1"
	else
		not_ok "$1" "${said##*$'\n'}"
	fi
}

"${run[@]}" --report json="$tmp/clean.json" "${few[@]}" >/dev/null

# --- a hook that has nothing to report -----------------------------------

power_on "$well" "$again"
exits "a device that is well" 0 "${on_it[@]}" 'mpa/crc/*' && ok "a device that is well"
if [[ $(resets) -eq 0 ]]; then
	ok "it is not reset"
else
	not_ok "it is not reset" "$(resets) times"
fi

# --- a crash ----------------------------------------------------------

for jobs in 1 2 8; do
	power_on "$well" "$again"
	exits "a crash is a failure ($jobs jobs)" 1 "${on_it[@]}" --jobs $jobs \
		"${few[@]}" && ok "a crash is a failure ($jobs jobs)"
	as_clean_but "of the case that did it, and of no other ($jobs jobs)" fail
	if [[ $(resets) -ge 1 ]]; then
		ok "the device was reset ($jobs jobs)"
	else
		not_ok "the device was reset ($jobs jobs)"
	fi
done
report_holds "what the console said is the evidence" "$tmp/report.json" \
	"cases['$culprit']['reason'] == 'the device crashed' and \
	 'overruns its buffer' in cases['$culprit']['detail'] and \
	 cases['$culprit']['requirements'] == ['MPA-7.1.1-28']"
says "the text report has it" 0 \
	$'FAIL   [a-z_/]*/huge_pd_length: ([^\n]+\n)+ *the device crashed' \
	cat "$tmp/report.txt"
exits "the built-in device has hooks of its own" 1 "${run[@]}" --refdut=$crash \
	--report json="$tmp/report.json" "${few[@]}" &&
	as_clean_but "the built-in device has hooks of its own" fail

power_on "$well" "$again"
exits "--fail-fast" 1 "${on_it[@]}" --jobs 1 --fail-fast 'mpa/private_data/*' &&
	report_holds "--fail-fast ends at a crash" "$tmp/report.json" \
		"by['fail'] == ['$culprit'] and not by['error']"

# --- a crash that is known, or happened before ---------------------------

power_on "$well" "$again"
known=("${on_it[@]}" --deviations "$tmp/known.ini" "${few[@]}")
exits "--update-deviations" 1 "${known[@]}" --update-deviations &&
	says "a crash has a signature" 0 "signature = device-crashed" \
		cat "$tmp/known.ini"
rm -f "$lab/resets"
exits "a crash that is known" 0 "${known[@]}" &&
	as_clean_but "a crash that is known" xfail
if [[ $(resets) -eq 1 ]]; then
	ok "it takes one reset"
else
	not_ok "it takes one reset" "$(resets) resets"
fi
power_on "$well" "$again"
exits "a crash in the journal" 1 "${on_it[@]}" --journal "$tmp/journal" "${few[@]}"
rm -f "$lab/resets"
exits "a crash in the journal" 1 "${on_it[@]}" --resume "$tmp/journal" "${few[@]}" &&
	as_clean_but "a crash in the journal stays one" fail
if [[ $(resets) -eq 0 ]]; then
	ok "and is not tried again"
else
	not_ok "and is not tried again" "$(resets) resets"
fi

# --- a crash that no single case causes ----------------------------------

# At the third health check; by then the other workers have cases.
cat >"$lab/once" <<'END'
#!/bin/bash
echo look >>looks
[[ $(wc -l <looks) -ne 3 ]] || { printf 'a glitch\033[31m\n'; exit 1; }
END
chmod +x "$lab/once"
power_on "health = ./once" "reset = ./reset"
exits "a crash that is not seen again" 1 "${on_it[@]}" --jobs 4 'mpa/crc/*' &&
	ok "a crash that is not seen again"
report_holds "is a finding of the run" "$tmp/report.json" \
	"not by['fail'] and not by['error'] and len(r['findings']) == 1 and \
	 'a glitch\\\\x1b[31m' in r['findings'][0] and 'ran: foundations/' in r['findings'][0]"
says "and the text report has it" 0 'none of the cases that ran then brings it down alone'$'\n''  ran: .*a glitch' \
	cat "$tmp/report.txt"

# --- hooks that fail --------------------------------------------------

power_on "$well"
says "no reset hook" 3 "the device crashed, and there is no reset" \
	"${on_it[@]}" --jobs 1 "${few[@]}"
report_holds "the rest cannot be judged then" "$tmp/report.json" \
	"by['fail'] == ['$culprit'] and by['error'] and \
	 n == $("$warpspec" list "${few[@]}" | grep -c /)"

power_on "$well" "reset = echo no power; exit 1"
says "a reset that fails" 3 "warpspec: the reset hook ended with status 1: no power" \
	"${on_it[@]}" --jobs 1 "${few[@]}"
report_holds "the crash is reported anyway" "$tmp/report.json" \
	"by['fail'] == ['$culprit'] and by['error']"

power_on "$well" "reset = true"
says "a reset that does not help" 3 "the device is not well after its reset" \
	"${on_it[@]}" --jobs 2 "${few[@]}"

power_on "$well" "reset = echo \$\$ >hung; exec sleep 1000" "reset-timeout-ms = 300"
says "a reset that hangs" 3 "the reset hook did not end within 300 ms" \
	"${on_it[@]}" --jobs 1 "${few[@]}"

# NAME: the hook that hung is gone; allow a moment for it.
hook_is_gone()
{
	local until=$((SECONDS + 5)) hung
	hung=$(<"$lab/hung")
	while kill -0 "$hung" 2>/dev/null && [[ $SECONDS -lt $until ]]; do
		read -r -t 0.02 <> <(:)
	done
	if kill -0 "$hung" 2>/dev/null; then
		not_ok "$1" "$hung is still there"
	else
		ok "$1"
	fi
}
hook_is_gone "and is ended"

power_on "health = test ! -s console || { echo \$\$ >hung; exec sleep 1000; }" \
	"health-timeout-ms = 200" "$again"
exits "a health hook that hangs" 3 "${on_it[@]}" --jobs 2 "${few[@]}" &&
	as_clean_but "a health hook that hangs proves nothing" error
hook_is_gone "and is ended, too"

power_on "health = ./not-there" "$again"
refuses "a health hook that is not there" "the health hook cannot be run: .*not-there" \
	"$warpspec" run -d "$lab/device.ini" "${few[@]}"
power_on "health = echo lights out; false" "$again"
says "a device that is ill from the start" 3 "before anything has run: lights out" \
	"${on_it[@]}" "${few[@]}"
report_holds "nothing is run on it" "$tmp/report.json" "n == len(by['error'])"

# --- the device's log ---------------------------------------------------

# It prints one line each time; it changes no verdict.
log='echo "log of $WARPSPEC_CASE"'
power_on "$well" "$again" "log = $log; exit 7"
exits "the log of a device that crashes" 1 "${on_it[@]}" --jobs 2 \
	--report html="$tmp/pages" "${few[@]}" &&
	as_clean_but "the log of a device that crashes judges nothing" fail
report_holds "the log is kept with the case, and with no other" \
	"$tmp/report.json" "[i for i in cases if 'device_log' in cases[i]] == \
	 ['$culprit'] and cases['$culprit']['device_log'] == \
	 'log of $culprit\n(the log hook ended with status 7)'"
page=$tmp/pages/cases/${culprit//\//.}.html
grep -q "Log of the device" "$page" && grep -q "log of $culprit" "$page" &&
	ok "the page of the case has it" || not_ok "the page of the case has it"
power_on "$well" "$again" "log = $log"
exits "the log, by a journal" 1 "${on_it[@]}" --jobs 2 \
	--journal "$tmp/log.journal" "${few[@]}"
exits "the log, by a journal" 1 "${on_it[@]}" --resume "$tmp/log.journal" \
	"${few[@]}" && report_holds "the log, by a journal" "$tmp/report.json" \
	"cases['$culprit']['device_log'] == 'log of $culprit'"
# A device whose log is not available, and many failing cases.
cat >"$lab/hang" <<'END'
#!/bin/bash
echo "$WARPSPEC_CASE" >>asked
exec sleep 1000
END
chmod +x "$lab/hang"
"$lab/reset" --mutant ignore_bad_crc
its_device_file
printf '%s\n' "[hooks]" "log = ./hang" "log-timeout-ms = 100" >>"$lab/device.ini"
says "a log hook that hangs" 1 \
	"did not end within 100 ms: the logs of further failed cases are left out" \
	"$warpspec" run -d "$lab/device.ini" 'mpa/crc/*' --report \
	json="$tmp/report.json"
[[ $(wc -l <"$lab/asked") -eq 3 ]] && ok "it is asked three times" ||
	not_ok "it is asked three times" "$(<"$lab/asked")"
report_holds "and the cases are judged" "$tmp/report.json" \
	"len(by['fail']) > 3 and not by['error']"

# --- a run that ends while a hook hangs -------------------------------

for signal in INT KILL; do
	power_on "$well" "reset = echo \$\$ >hung; exec sleep 1000"
	rm -f "$lab/hung"
	"${on_it[@]}" --jobs 1 "${few[@]}" >/dev/null 2>&1 &
	suite=$!
	until=$((SECONDS + 20))
	while [[ ! -s $lab/hung && $SECONDS -lt $until ]]; do
		read -r -t 0.02 <> <(:)
	done
	{ kill -$signal "$suite" && wait "$suite"; } 2>/dev/null
	hook_is_gone "SIG$signal ends a hook with the run"
done
report_holds "SIGINT: the report has the crash" "$tmp/report.json" \
	"by['fail'] == ['$culprit'] and not by['error']"

# --- without a health hook --------------------------------------------

# Nobody reports the crash: no case is blamed, and the run is not a success.
power_on "$again"
exits "a reset hook alone" 3 "${on_it[@]}" --jobs 1 --timeout-scale 0.4 "${few[@]}" &&
	as_clean_but "a reset hook alone brings back a device that is gone" error

# As a service manager does.
cat >"$lab/serve" <<'END'
#!/bin/bash
# OPTION...: a device that is restarted whenever it ends
cd "${0%/*}" || exit
trap 'kill "$(<pid)"; exit' TERM
while :; do
	while [[ -e /proc/$(<pid)/exe ]]; do
		read -r -t 0.02 <> <(:)
	done
	./reset "$@"
done
END
chmod +x "$lab/serve"
power_on
"$lab/serve" --mutant "$crash" &
started+=($!)
exits "an agent that comes back by itself" 3 "${on_it[@]}" --jobs 1 "${few[@]}" &&
	as_clean_but "an agent that comes back costs one case, and the run goes on" error
end "${started[-1]}"

# --- on the raw link --------------------------------------------------

if "${run[@]}" --link raw "$culprit" >/dev/null 2>"$tmp/err"; then
	exits "on the raw link" 1 "${run[@]}" --link raw --refdut=$crash \
		--report json="$tmp/report.json" "${few[@]}" && report_holds \
		"on the raw link" "$tmp/report.json" "by['fail'] == ['$culprit']"
else
	echo "skip the raw link: $(tail -n 1 "$tmp/err")"
fi

echo "crash: $passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]

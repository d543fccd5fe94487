#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# readings_test.sh BUILD - a device that consistently encodes fields
# differently is reported by one case, and all other cases interpret its fields
# accordingly; no other fault is excused in this way. Each check prints ok or
# not ok. Exit: 0 all ok.
#
# May be set: SAMPLE (1; every so many-th of the other faults) and PART (0;
# which of them).
set -u

# shellcheck source=suite/checks/testing.sh
. "${0%/*}/testing.sh"

json=$tmp/run.json

# --- each reading, on the device that is its mutant ---------------------

# Print a line for each reading, and its errors.
readings_hold()
{
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here "$python" - "$warpspec" \
		"$tmp" <<'PY'
import concurrent.futures
import json
import os
import subprocess
import sys

import matrix

warpspec, tmp = sys.argv[1:]
# One reading of each group is tested with all cases, the others with those
# about their fields.
WHOLE = {"crc-byte-swapped", "untagged-little-endian", "mpa-error-type-3",
         "terminate-bit-fields-from-the-lowest", "to-little-endian",
         "request-ird-ord-little-endian", "reply-ird-ord-little-endian",
         "atomic-operands-little-endian",
         "atomic-response-value-little-endian", "imm-sent-byte-swapped"}
PART = {"terminate": ["*/places/*", "rdmap/terminate*", "rdmap/codes/*",
                      "ddp/errors/*", "mpa/crc/*"],
        "mpa": ["*/places/*", "mpa/*", "rdmap/terminate/*"],
        "request": ["*/places/*", "mpa/*"],
        "reply": ["*/places/*", "mpa/*"],
        "atomic": ["*/places/*", "rdmap/atomic*"]}
OTHER = ["*/places/*", "ddp/*"]


def run(mutant, selectors):
    path = os.path.join(tmp, f"reading.{mutant}.json")
    done = subprocess.run(
        [warpspec, "run", "--quiet",
         f"--refdut={mutant}", "--jobs", "4",
         "--report", f"json={path}", *selectors],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    with open(path, encoding="utf-8") as f:
        return done.returncode, json.load(f)


report, why = matrix.clean_run(warpspec)
if not report:
    sys.exit(f"not ok the clean device: {why}")
clean = {c["id"]: c["verdict"] for c in report["cases"]}
wrong = []
if why or "readings" in report or any("reading" in c
                                         for c in report["cases"]):
    wrong.append("the clean device has a reading, or fails")


def faults(name):
    status, r = run(name.replace("-", "_"),
                    [] if name in WHOLE
                    else PART.get(name.split("-")[0], OTHER))
    changed = [c for c in r["cases"] if c["verdict"] != clean[c["id"]]]
    # A contested reading may also be reported by the case about it.
    failed = [c for c in changed
              if c["verdict"] != "warn" or "/places/" not in c["id"]]
    marked = [c for c in r["cases"] if c.get("reading") == name]
    if status != 1:
        yield f"exit status {status}"
    if [x["name"] for x in r.get("readings", [])] != [name]:
        yield f"not found: {r.get('readings')}"
    if len(failed) != 1 or failed[0]["verdict"] != "fail" \
            or "/places/" not in failed[0]["id"]:
        yield "not told once: " + ", ".join(c["id"] for c in failed[:4])
    elif f"(reading {name})" not in failed[0]["detail"]:
        yield "its case does not name it"
    if sum(c["verdict"] == "pass" for c in marked) < 2:
        yield "cases that rest on it are not marked"
    if any(c.get("reading", name) != name for c in r["cases"]):
        yield "cases are marked with another"


names = [line.split()[0] for line in subprocess.run(
    [warpspec, "list", "--readings"], capture_output=True, text=True,
    check=True).stdout.splitlines()]
if wrong or len(names) < 8:
    print("not ok the clean device", *wrong)
else:
    print("ok the clean device is read as the RFCs say")
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    for name, said in zip(names, pool.map(lambda n: list(faults(n)), names)):
        print("not ok" if said else "ok", f"{name}: told once, and understood",
              *(f"\n  {x}" for x in said))
PY
}

readings_hold >"$tmp/held"
cat "$tmp/held"
passed=$((passed + $(grep -c '^ok ' "$tmp/held")))
failed=$((failed + $(grep -c '^not ok ' "$tmp/held")))
mapfile -t readings < <("$warpspec" list --readings | cut -d' ' -f1)
[[ $(grep -c '^ok ' "$tmp/held") -gt ${#readings[@]} ]] ||
	not_ok "every reading is tried"

# --- no other fault is taken for an encoding --------------------------------
# Among them are faults that send wrong numbers at the right places.

mapfile -t others < <("$refdut" --list-mutants | awk -F'\t' '
	$2 ~ /RDMAP-(4\.[18]|6\.2|7|8)|DDP-(4\.3|7)|MPA-(4\.4|8)|IANA|EMPA-(8|9)|RDMAPX-(5|6|8)/ {
		print $1
	}' | grep -vxF -f <(printf '%s\n' "${readings[@]//-/_}"))

# What a run reports about readings, for each of them.
tried=$(printf '%s\n' "${others[@]}" |
	awk -v every="${SAMPLE:-1}" -v part="${PART:-0}" 'NR % every == part % every')
taken=$(xargs <<<"$tried" -P 3 -I{} sh -c '
	said=$("$0" run --refdut={} --timeout-scale 0.25 --report text=/dev/null \
		"*/places/*" 2>&1 </dev/null)
	[ $? -le 1 ] || echo "{}: no verdict: $said"
	echo "$said" | sed -n "s/.*; reading/{}:&/p"' "$warpspec")
if [[ ${#others[@]} -lt 150 ]]; then
	not_ok "other faults are not excused" "only ${#others[@]} of them"
elif [[ $taken ]]; then
	not_ok "other faults are not excused" "$taken"
else
	ok "other faults are not excused: $(wc -l <<<"$tried") of ${#others[@]}"
fi
for control in garbage echo hangup terminator; do
	"$warpspec" run --control="$control" --force --timeout-scale 0.1 \
		--report json="$json" 'rdmap/places/*' </dev/null \
		>"$tmp/out" 2>"$tmp/err"
	report_holds "a device that is a $control has no reading" "$json" \
		"'readings' not in r and n"
done

# --- the same at any number of jobs, in any order ----------------------------

name=terminate-bit-fields-from-the-lowest
mutant=--refdut=${name//-/_}
some=('*/places/*' 'rdmap/terminate/*' 'ddp/errors/*')
exits "one job" 1 "${run[@]}" "$mutant" --jobs 1 --report json="$tmp/one.json" \
	"${some[@]}"
exits "sixteen jobs" 1 "${run[@]}" "$mutant" --jobs 16 --seed 7 \
	--report json="$json" "${some[@]}" &&
	report_holds "readings are the same at any number of jobs" "$json" \
		"([(c['id'], c['verdict'], c.get('reading')) for c in r['cases']] ==
		[(c['id'], c['verdict'], c.get('reading')) for c in
		json.load(open('$tmp/one.json'))['cases']])"

# A device with a reading in one role is reported in that role.
exits "an initiator" 1 "${run[@]}" "$mutant" --without responder \
	--report json="$json" 'rdmap/*' &&
	report_holds "a device that only connects is told once, too" "$json" \
		"by['fail'] == ['rdmap/places/"`
		`"fields_of_a_terminate_stand_in_their_places@initiator']"

# --- reports ------------------------------------------------------------------

says "the text report names the reading" 1 \
	"reading $name: the device fills .*judged under reading $name" \
	"${run[@]}" "$mutant" 'rdmap/places/*'
says "TAP marks a pass that rests on it" 0 \
	"ok 1 - .*verdict: pass.*reading: \"$name\"" \
	"${run[@]}" "$mutant" --report tap \
	'rdmap/terminate/a_terminate_returns_the_tagged_header'
says "JUnit marks it" 0 "name=\"reading\" value=\"$name\"" \
	"${run[@]}" "$mutant" --report junit \
	'rdmap/terminate/a_terminate_returns_the_tagged_header'
says "show tells what was meant" 0 "Terminate 0/1/00 \([^)]*\) \(reading $name\)" \
	"$warpspec" show "$mutant" \
	rdmap/places/fields_of_a_terminate_stand_in_their_places

# --- a resumed run keeps its set of readings
# ------------------------------------

# A device that is fixed between two runs gives the same information about
# itself.
from=("$warpspec" run --quiet -d "$tmp/device.ini")
start "$refdut" --agent-port 0 --mutant "${mutant#--refdut=}"
device_file "$tmp/device.ini" "${line##*:}"
exits "a journal under a reading" 1 "${from[@]}" \
	--journal "$tmp/journal" --report text="$tmp/text" "${some[@]}"
exits "it goes on with the same" 1 "${from[@]}" \
	--resume "$tmp/journal" --report json="$json" "${some[@]}" &&
	report_holds "a journal under the same readings counts" "$json" \
		"len(by['fail']) == 1 and all(x['duration_ns'] / 1e6 ==
		cases[x['id']]['duration_ms'] for x in
		map(json.loads, open('$tmp/journal')) if 'id' in x)"
end "$pid"
start "$refdut" --agent-port 0
device_file "$tmp/device.ini" "${line##*:}"
exits "it goes on with a device that was fixed" 0 "${from[@]}" \
	--resume "$tmp/journal" --report json="$json" "${some[@]}" &&
	report_holds "cases judged under another reading run again" "$json" \
		"not by['fail'] and not any('reading' in c for c in r['cases'])"
end "$pid"

echo "readings: $passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]

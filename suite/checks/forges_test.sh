#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# forges_test.sh BUILD - tests the output for forges: SARIF and JUnit as other
# programs read them, GitHub's annotations and summary; and the workflows of
# examples/ci, whose commands are run as they are, on a correct device, on one
# with a fault, and on that one with the fault known; then how a run on Linux
# siw is compared with the published one. Run from the top of the tree. Closes
# with the counts. Exit: 0 all ok.
set -u

# shellcheck source=suite/checks/testing.sh
. "${0%/*}/testing.sh"
top=$PWD
unset GITHUB_STEP_SUMMARY
case=mpa/crc/wrong_crc_is_never_delivered

# NAME COMMAND...
check()
{
	local name=$1 said
	shift
	if said=$("$@" 2>&1); then
		ok "$name${said:+: ${said##*$'\n'}}"
	else
		not_ok "$name" "${said:0:1000}"
	fi
}

# --- one run, as other programs read it
# ---------------------------------------

exits "a device with a fault" 1 env GITHUB_STEP_SUMMARY="$tmp/step.md" \
	"${run[@]}" --refdut=ignore_bad_crc 'mpa/crc' 'ddp/header' \
	--captures "$tmp/captures" --captures-of failures \
	--report github --report sarif="$tmp/a.sarif" \
	--report junit="$tmp/a.xml" --report json="$tmp/a.json" &&
	ok "a device with a fault"
cp "$tmp/out" "$tmp/annotations"
check "SARIF suits code-scanning pages, and agrees with the JSON report" \
	reports/schema/sarif_check.sh "$tmp/a.sarif" "$tmp/a.json"
check "JUnit fits its schema" \
	xmllint --noout --schema reports/schema/junit.xsd "$tmp/a.xml"

# As independent readers count it.
junit_reads()
{
	"$python" - "$tmp/a.xml" "$tmp/a.json" <<'PY'
import json
import sys

import junitparser

xml = junitparser.JUnitXml.fromfile(sys.argv[1])
with open(sys.argv[2], encoding="utf-8") as f:
    run = json.load(f)
counted = (xml.tests, xml.failures, xml.errors)
totals = run["totals"]
assert counted == (len(run["cases"]), totals["fail"],
                   totals["error"] + totals["blocked"]), counted
names = set()
for suite in xml:
    for case in suite:
        names.add((suite.name, case.classname, case.name))
        for result in case.result:
            if isinstance(result, junitparser.Failure):
                # Either of them identifies the failure.
                assert result.message.startswith("breaks "), result.message
                assert "due:" in result.text, result.text
assert len(names) == len(run["cases"]), "names that are not unique"
print(f"{xml.tests} tests, {xml.failures} failures")
PY
}
check "JUnit is read by junitparser" junit_reads

few=$(grep -c '^::error ' "$tmp/annotations")
if [[ $few -ge 2 && $few -le 10 ]] &&
	! grep -qv '^::\(error\|warning\|notice\) ' "$tmp/annotations"; then
	ok "annotations are few, and nothing else is said: $few"
else
	not_ok "annotations are few, and nothing else is said" \
		"$(head -n 15 "$tmp/annotations")"
fi
if grep -q '^## .*: failed$' "$tmp/step.md" &&
	grep -q '^| MPA-4.4-14 | MUST | ' "$tmp/step.md" &&
	grep -qF " --rerun=&#39;$tmp/a.json&#39;" "$tmp/step.md"; then
	ok "the summary of the step has what is broken, and the command"
else
	not_ok "the summary of the step has what is broken, and the command" \
		"$(head -n 15 "$tmp/step.md")"
fi
refuses "a summary that cannot be written" \
	"/nowhere/step.md: No such file" env GITHUB_STEP_SUMMARY=/nowhere/step.md \
	"${run[@]}" --refdut --report github "$case"
says "one that nobody wants" 0 "^::notice title=built-in device::1 passed" \
	"${run[@]}" --refdut --report github "$case"
exits "one with a path of its own" 0 "${run[@]}" --refdut \
	--report github="$tmp/own.md" "$case" &&
	check "one with a path of its own" grep -q '^## built-in device' \
		"$tmp/own.md"

# --- a driver against the published run -----------------------------------------

siw=reports/published/linux-siw/report-6.1.json.gz
# EXPRESSION FILE: the published run, changed: `case` finds one of a verdict.
siw_run()
{
	"$python" - "$siw" "$1" "$2" <<'PY'
import gzip
import json
import sys

with gzip.open(sys.argv[1], "rt", encoding="utf-8") as f:
    run = json.load(f)


def case(verdict):
    return next(c for c in run["cases"] if c["verdict"] == verdict)


exec(sys.argv[2])
with open(sys.argv[3], "w", encoding="utf-8") as f:
    json.dump(run, f)
PY
}
# NAME STATUS REGEX RUN [AGAIN]
compares()
{
	says "$1" "$2" "$3" "$python" harness/lab/siw/compare "$siw" "${@:4}"
}
siw_run 'run["findings"] = []' "$tmp/same.json"
exits "a real device, from its report" 0 "$warpspec" report sarif \
	"$tmp/same.json" -o "$tmp/siw.sarif" &&
	check "a real device, from its report" reports/schema/sarif_check.sh \
		"$tmp/siw.sarif" "$tmp/same.json"
compares "the published run is the same" 0 "0 new, 0 fixed" "$tmp/same.json"
broken='c = case("pass"); c["verdict"] = "fail"; run["cases"] = [c] if only else run["cases"]'
siw_run "only = False; $broken" "$tmp/new.json"
compares "a case that fails is new" 1 "new: .*: fail.*published: pass.*1 new, 0 f" \
	"$tmp/new.json"
siw_run 'run["cases"] = [case("pass")]' "$tmp/again.json"
compares "one that passes when it runs again is none" 0 \
	"0 new, .*1 failed once, and not when run again" \
	"$tmp/new.json" "$tmp/again.json"
siw_run "only = True; $broken" "$tmp/again.json"
compares "one that fails again is" 1 "1 new" "$tmp/new.json" "$tmp/again.json"
siw_run 'c = case("xfail"); c["verdict"] = "pass"
run["stale"] = [{"entry": c["id"], "case": c["id"], "text": "passes"}]' \
	"$tmp/fixed.json"
compares "one that was known and passes is fixed" 0 \
	"fixed: .*: pass .*published: xfail.*0 new, 1 fixed" "$tmp/fixed.json"
siw_run 'run["findings"] = ["the device crashed: Oops"]' "$tmp/oops.json"
compares "a crash of no case is new" 1 "new: the device crashed: Oops.*1 new" \
	"$tmp/oops.json"
head -c 1000 "$tmp/new.json" >"$tmp/torn.json"
compares "a report that is torn" 2 "compare: .*torn.json: " "$tmp/torn.json"

# NAME STATUS REGEX RUN: a run without an agent.
accuses()
{
	says "$1" "$2" "$3" "$python" harness/lab/siw/accused "$4" "$siw"
}
siw_run 'run["cases"] = [case("pass"), case("xfail")]' "$tmp/known.json"
accuses "what fails with an agent may fail without one" 0 \
	"2 judged, 1 FAIL, 0 of them not" "$tmp/known.json"
siw_run 'c = case("pass"); c["verdict"] = "fail"
c["broken"] = [{"requirement": "MPA-4.1-04", "by_model": False}]
run["cases"] = [c]' "$tmp/alone.json"
accuses "what does not, may not" 1 "MPA-4.1-04.*1 of them not" "$tmp/alone.json"
siw_run 'c = case("pass"); c["verdict"] = "fail"
c["broken"] = [{"requirement": "MPA-4.1-03", "by_model": True}]
run["cases"] = [c]' "$tmp/model.json"
accuses "but for what the golden model sees in any case" 0 "0 of them not" \
	"$tmp/model.json"
siw_run 'c = case("pass"); c["verdict"] = "fail"; run["cases"] = [c]' \
	"$tmp/bare.json"
accuses "a FAIL without a requirement is not accounted for" 1 "1 of them not" \
	"$tmp/bare.json"
accuses "a torn report without an agent" 2 "accused: .*torn.json: " "$tmp/torn.json"

# --- the examples -------------------------------------------------------------

# FILE: write each step of it as a script into $tmp/steps.
steps_of()
{
	rm -rf "$tmp/steps"
	mkdir "$tmp/steps"
	"$python" - "$1" "$tmp/steps" <<'PY'
import re
import sys

import yaml

with open(sys.argv[1], encoding="utf-8") as f:
    text = f.read()
if sys.argv[1].endswith(".yml"):
    whole = yaml.safe_load(text)
    assert isinstance(whole, dict), "no mapping"
    steps = []
    for job in whole.get("jobs", whole).values():
        if not isinstance(job, dict):
            continue
        steps += [s["run"] for s in job.get("steps", []) if "run" in s]
        if "script" in job:
            steps.append("set -e\n" + "\n".join(job["script"]))
else:
    depth = 0
    strings = r"'''[\s\S]*?'''|'[^'\n]*'|\"[^\"\n]*\""
    for c in re.sub(strings + r"|//.*", "", text):
        depth += (c in "{(") - (c in "})")
        assert depth >= 0, "a bracket too many"
    assert depth == 0, "a bracket is open"
    # A shell gets the line of a Groovy string that follows its \ at the end.
    steps = [m[0] or m[1] for m in
             re.findall(r"sh[^'\n]*(?:'''(.*?)'''|'([^'\n]+)')", text, re.S)]
steps = [s for s in steps if "warpspec" in s]
assert len(steps) >= 1, "no step of it runs warpspec"
for i, s in enumerate(steps):
    with open(f"{sys.argv[2]}/{i}", "w", encoding="utf-8") as f:
        f.write(s + "\n")
print(len(steps), "steps")
PY
}

# The program, with fewer cases; and agents are checked once.
mkdir "$tmp/bin" "$tmp/work" "$tmp/work/iwarp"
cat >"$tmp/bin/warpspec" <<END
#!/bin/bash
[[ \$1 == run ]] && set -- "\$@" '$case'
[[ \$1 == check-agent && -e $tmp/checked ]] && exit
exec '$warpspec' "\$@"
END
chmod +x "$tmp/bin/warpspec"

# STATUS: run the steps up to the first that fails; its status is STATUS.
steps_end()
{
	local step status=0
	cd "$tmp/work" && rm -rf out
	for step in "$tmp"/steps/*; do
		PATH=$tmp/bin:$PATH timeout 100 bash -e "$step" </dev/null
		status=$?
		[[ $status -eq 0 ]] || break
	done
	[[ $status -eq $1 ]] || { echo "status $status, not $1"; return 1; }
}

# NAME STATUS OPTION...: each example, with the device of these options.
gate()
{
	local name=$1 status=$2 timer=250 file
	shift 2
	# check-agent waits for this timer. Afterwards it may be long: on a busy host,
	# a short one makes a failure an ERROR.
	[[ -e $tmp/checked ]] && timer=2000
	start "$refdut" --agent-port 0 --startup-timeout-ms "$timer" "$@"
	printf '[device]\nname = a device\nagent = 127.0.0.1:%s\n' \
		"${line##*:}" >"$tmp/work/iwarp/device.ini"
	for file in "$top"/examples/ci/*; do
		steps_of "$file" >"$tmp/out" 2>&1 ||
			{ not_ok "${file##*/}" "$(tail -n 1 "$tmp/out")"; continue; }
		check "${file##*/}: $name" steps_end "$status"
		check "${file##*/}: its JUnit report is there" \
			xmllint --noout --schema reports/schema/junit.xsd \
			"$tmp/work/out/junit.xml"
		[[ $(<"$file") != *sarif=* ]] ||
			check "${file##*/}: its SARIF report as well" \
				reports/schema/sarif_check.sh \
				"$tmp/work/out/warpspec.sarif" \
				"$tmp/work/out/report.json"
	done
	end "$pid"
}

: >"$tmp/work/iwarp/known.ini"
gate "a right device passes" 0
touch "$tmp/checked"
gate "one with a fault does not" 1 --mutant ignore_bad_crc
printf '[deviation]\ncase = %s\nsignature = MPA-4.4-14\nreason = known\n' \
	"$case" >"$tmp/work/iwarp/known.ini"
gate "one whose fault is known does" 0 --mutant ignore_bad_crc
gate "one whose known fault is fixed does not" 1

echo "forges: $passed passed, $failed failed"
[[ $failed -eq 0 ]]

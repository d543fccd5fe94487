#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# reports_check.sh BUILD - reads the reports and captures that `make run` left
# in BUILD/report with other programs: the JSON is checked against its schema,
# the JUnit against its schema, the TAP by its plan and by prove, captures by
# tshark; all of them have to agree, and `coverage` has to add up. If
# BUILD/report-sctp exists, tshark has to read segments and session control in
# it. The published counts of siw have to be those of its reports.
#
# PASSED_MIN (150) cases have to have passed.
set -u

build=${1:?usage: reports_check.sh BUILD}
here=$(dirname "$0")
report=$build/report
passed=0 failed=0
python=/usr/bin/python3
[[ -x $python ]] || python=python3

# NAME COMMAND...
check()
{
	local name=$1 said
	shift
	if said=$("$@" 2>&1); then
		passed=$((passed + 1))
		echo "ok $name${said:+: ${said##*$'\n'}}"
	else
		failed=$((failed + 1))
		printf 'not ok %s\n%s\n' "$name" "$said"
	fi
}

# Counts, ids and captures, the same in every format.
one_story()
{
	"$python" - "$report" "${PASSED_MIN:-150}" <<'PY'
import json
import os
import re
import sys
import xml.etree.ElementTree as xml

folder, least = sys.argv[1], int(sys.argv[2])
with open(f"{folder}/report.json", encoding="utf-8") as f:
    run = json.load(f)
cases, totals = run["cases"], run["totals"]

with open(f"{folder}/report.tap", encoding="utf-8") as f:
    tap = f.read().splitlines()
assert tap[0] == "TAP version 13", tap[0]
plans = [line for line in tap if re.match(r"1\.\.\d+", line)]
points = [re.match(r"(ok|not ok) (\d+) - (\S+)", line) for line in tap]
points = [p for p in points if p]
assert len(plans) == 1 and int(plans[0].split()[0][3:]) == len(points), \
    f"TAP plans {plans}, and has {len(points)} test points"
assert [int(p[2]) for p in points] == list(range(1, len(points) + 1))
assert len(points) == len(cases), "TAP and JSON differ in their cases"
bad = {c["id"] for c in cases if c["verdict"] in ("fail", "error", "xfail", "blocked")}
assert sum(p[1] == "not ok" for p in points) == len(bad)

suites = xml.parse(f"{folder}/junit.xml").getroot()
tests = list(suites.iter("testcase"))
assert len(tests) == len(cases), "JUnit and JSON differ in their cases"
assert len(list(suites.iter("failure"))) == totals["fail"]
assert len(list(suites.iter("error"))) == totals["error"] + totals["blocked"]
assert len(list(suites.iter("skipped"))) == totals["skip"] + totals["xfail"]

for c in cases:
    if c["verdict"] not in ("skip", "blocked"):
        assert c["capture"], f"{c['id']}: no capture"
        assert os.path.getsize(c["capture"]) > 24, f"{c['capture']}: empty"
    assert c["role"] in ("responder", "initiator"), c["id"]
for role in ("responder", "initiator"):
    assert any(c["role"] == role and c["verdict"] == "pass" for c in cases), \
        f"nothing passed in the role of {role}"
assert totals["fail"] == totals["error"] == 0, totals
assert totals["pass"] >= least, f"{totals['pass']} passed, fewer than {least}"
print(", ".join(f"{n} {v}" for v, n in totals.items()))
PY
}

coverage_adds_up()
{
	"$build/warpspec" coverage --json >"$report/coverage.json" || return
	"$build/warpspec" list --json >"$report/list.json" || return
	"$python" - "$report" <<'PY'
import collections
import json
import sys

with open(f"{sys.argv[1]}/coverage.json", encoding="utf-8") as f:
    coverage = json.load(f)
with open(f"{sys.argv[1]}/list.json", encoding="utf-8") as f:
    cases = {c["id"]: c for c in json.load(f)}
rows, totals = coverage["requirements"], coverage["totals"]
seen = collections.Counter(r["status"] for r in rows)
assert totals["requirements"] == len(rows) == len({r["id"] for r in rows})
for status in ("covered", "uncovered", "untestable"):
    assert totals[status] == seen[status], (status, totals, seen)
for r in rows:
    assert (r["status"] == "covered") == bool(r["cases"]), r["id"]
    assert (r["status"] == "untestable") <= bool(r["reason"]), r["id"]
    for c in r["cases"]:
        assert r["id"] in cases[c]["requirements"], (r["id"], c)
links = sum(len(r["cases"]) for r in rows)
assert links == sum(len(c["requirements"]) for c in cases.values())
print(f"{seen['covered']} of {len(rows)} requirements, {len(cases)} cases")
PY
}

# A dozen of them, spread over the run.
captures_open()
{
	local all file i opened=0
	mapfile -t all < <(find "$report/captures" -name '*.pcap*' | LC_ALL=C sort)
	[[ ${#all[@]} -gt 0 ]] || { echo "no captures"; return 1; }
	for ((i = 0; i < ${#all[@]}; i += (${#all[@]} + 11) / 12)); do
		file=${all[i]}
		# The result of its dissectors for wrong frames does not matter
		# here.
		if ! tshark -n -r "$file" -T fields -e frame.number \
			>"$report/tshark.out" 2>"$report/tshark.err"; then
			echo "$file: $(tail -n 1 "$report/tshark.err")"
			return 1
		fi
		if [[ ! -s $report/tshark.out ]]; then
			echo "$file: tshark reads no packet"
			return 1
		fi
		opened=$((opened + 1))
	done
	echo "$opened of ${#all[@]} opened"
}

# The payload protocols of RFC 5043 s5.1, which tshark sees as SCTP.
sctp_is_read()
{
	local file
	file=$(find "$report-sctp/captures" -name 'rdmap.write.*.pcapng' |
		LC_ALL=C sort | head -n 1)
	[[ $file ]] || { echo "no capture of a Write"; return 1; }
	tshark -n -r "$file" -T fields -e sctp.data_payload_proto_id \
		2>"$report/tshark.err" | tr ',' '\n' | LC_ALL=C sort -u \
		>"$report/tshark.out"
	if ! grep -qx 16 "$report/tshark.out" || ! grep -qx 17 "$report/tshark.out"; then
		echo "$file: PPIDs $(tr '\n' ' ' <"$report/tshark.out")"
		return 1
	fi
	echo "$file"
}

check "the JSON report fits its schema" \
	"$here/schema/schema_check.sh" "$report/report.json"
check "the JUnit report fits its schema" \
	xmllint --noout --schema "$here/schema/junit.xsd" "$report/junit.xml"
check "prove takes the TAP report" prove -e cat "$report/report.tap"
check "all reports tell one story" one_story
check "tshark opens the captures" captures_open
[[ -d $report-sctp ]] && check "tshark reads SCTP, segments and control" sctp_is_read
check "coverage adds up" coverage_adds_up
check "siw's README has the counts of its reports" \
	"$here/../harness/lab/siw/counts" check

echo "reports: $passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]

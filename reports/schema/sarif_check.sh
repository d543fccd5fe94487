#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# sarif_check.sh REPORT.sarif [REPORT.json]
#
# Validates a SARIF report against sarif-schema.json in this folder, then
# checks what a schema cannot: that all named rules and notifications exist,
# that results are distinct, and that it is not larger than code-scanning pages
# accept. With the JSON report of the same run, both have to agree. Exit: 0 all
# ok, 1 not, 2 cannot check. Needs python3-jsonschema; PYTHON chooses the
# interpreter.
set -u

[ $# -gt 0 ] || { echo "usage: $0 REPORT.sarif [REPORT.json]" >&2; exit 2; }
python=${PYTHON:-/usr/bin/python3}
[ -x "$python" ] || python=python3
if ! "$python" -c 'import jsonschema' 2>/dev/null; then
	echo "$0: needs python3-jsonschema" >&2
	exit 2
fi

exec "$python" - "$(dirname "$0")/sarif-schema.json" "$@" <<'PY'
import collections
import gzip
import json
import sys

import jsonschema

MOST = 10 << 20  # octets, compressed


def of_the_schema(schema, log):
    validator = jsonschema.Draft202012Validator(schema)
    for error in validator.iter_errors(log):
        where = "/".join(str(p) for p in error.absolute_path) or "the report"
        yield f"{where}: {error.message[:200]}"
        return  # later objections would be consequences of the first


def of_the_rest(log):
    run = log["runs"][0]
    driver = run["tool"]["driver"]
    rules = [r["id"] for r in driver["rules"]]
    kinds = [r["id"] for r in driver["notifications"]]
    for name, ids in (("rules", rules), ("notifications", kinds)):
        if len(set(ids)) != len(ids):
            yield f"{name}: an id twice"
    for i, r in enumerate(run["results"]):
        if rules[r["ruleIndex"]:r["ruleIndex"] + 1] != [r["ruleId"]]:
            yield f"results/{i}: {r['ruleId']} is not rule {r['ruleIndex']}"
    for key in ("primaryLocationLineHash", "caseAndRequirement/v1"):
        seen = collections.Counter(
            r["partialFingerprints"][key] for r in run["results"])
        for value, n in seen.items():
            if n > 1:
                yield f"{n} results have the {key} {value}"
    for n in run["invocations"][0]["toolExecutionNotifications"]:
        of = n["descriptor"]
        if kinds[of["index"]:of["index"] + 1] != [of["id"]]:
            yield f"{of['id']} is not notification {of['index']}"


def one_story(log, report):
    run = log["runs"][0]
    told = collections.Counter()
    for c in report["cases"]:
        if c["verdict"] in ("fail", "warn", "xfail"):
            ids = {b["requirement"] for b in c.get("broken", [])} or {None}
            for b in ids:
                told[c["id"], b, c["verdict"] == "xfail"] += 1
    seen = collections.Counter()
    for r in run["results"]:
        if r["ruleId"] == "run-finding":
            continue
        where = r["locations"][0]["logicalLocations"][0]["fullyQualifiedName"]
        odd = r["ruleId"] in ("device-crashed", "case-failed")
        seen[where, None if odd else r["ruleId"],
             bool(r["suppressions"])] += 1
    for key in (told - seen) + (seen - told):
        yield f"{key}: {told[key]} in the JSON, {seen[key]} here"
    kinds = collections.Counter(
        n["descriptor"]["id"]
        for n in run["invocations"][0]["toolExecutionNotifications"])
    due = {
        "case-error": sum(c["verdict"] == "error" and not c.get("not_run")
                          for c in report["cases"]),
        "case-blocked": report["totals"]["blocked"],
        "stale-deviation": len(report.get("stale", [])),
    }
    for kind, n in due.items():
        if kinds[kind] != n:
            yield f"{kind}: {n} in the JSON, {kinds[kind]} here"
    if run["invocations"][0]["exitCode"] != report["exit_status"]:
        yield "the exit status is another"
    if run["properties"]["totals"] != report["totals"]:
        yield "the totals are others"


with open(sys.argv[1], encoding="utf-8") as f:
    schema = json.load(f)
jsonschema.Draft202012Validator.check_schema(schema)
try:
    with open(sys.argv[2], "rb") as f:
        octets = f.read()
    log = json.loads(octets)
    found = list(of_the_schema(schema, log)) or list(of_the_rest(log))
    if len(gzip.compress(octets)) > MOST:
        found.append("larger than 10 MiB, compressed")
    if len(sys.argv) > 3 and not found:
        with open(sys.argv[3], encoding="utf-8") as f:
            found = list(one_story(log, json.load(f)))
except (OSError, ValueError) as e:
    found = [str(e)]
for line in found[:20]:
    print(f"{sys.argv[2]}: {line}", file=sys.stderr)
if not found:
    run = log["runs"][0]
    print(f"{len(run['results'])} results of "
          f"{len(run['tool']['driver']['rules'])} rules")
sys.exit(1 if found else 0)
PY

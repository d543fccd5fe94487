#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# schema_check.sh REPORT.json...
#
# Validates reports against schema.json in this folder, and checks that their
# totals match their cases. Exit: 0 all valid, 1 not, 2 cannot check. Needs
# python3-jsonschema; PYTHON chooses the interpreter.
set -u

[ $# -gt 0 ] || { echo "usage: $0 REPORT.json..." >&2; exit 2; }
# Debian's package serves Debian's interpreter, whatever else is on the PATH.
python=${PYTHON:-/usr/bin/python3}
[ -x "$python" ] || python=python3
if ! "$python" -c 'import jsonschema' 2>/dev/null; then
	echo "$0: needs python3-jsonschema" >&2
	exit 2
fi

exec "$python" - "$(dirname "$0")/schema.json" "$@" <<'EOF'
import collections
import json
import sys

import jsonschema


def objections(validator, report):
    for error in validator.iter_errors(report):
        where = "/".join(str(p) for p in error.absolute_path) or "the report"
        yield f"{where}: {error.message[:200]}"
        return  # later objections would be consequences of the first
    seen = collections.Counter(c["verdict"] for c in report["cases"])
    for verdict, n in report["totals"].items():
        if seen[verdict] != n:
            yield f"totals/{verdict}: {n}, but {seen[verdict]} cases"
    ids = [c["id"] for c in report["cases"]]
    if any(a.encode() >= b.encode() for a, b in zip(ids, ids[1:])):
        yield "cases: not in the order of their ids, or one twice"


with open(sys.argv[1], encoding="utf-8") as f:
    schema = json.load(f)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
failed = False
for path in sys.argv[2:]:
    try:
        with open(path, encoding="utf-8") as f:
            found = list(objections(validator, json.load(f)))
    except (OSError, ValueError) as e:
        found = [str(e)]
    for line in found:
        failed = True
        print(f"{path}: {line}", file=sys.stderr)
sys.exit(1 if failed else 0)
EOF

#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# peer_test.sh BUILD - the suite's own peer keeps to the RFCs: the golden model
# judges each of its octets, the roles exchanged, over whole runs on legal
# devices of several kinds. It breaks only the rules that the case names. It
# also tests the judge: told to excuse nothing, it reports each rule that a
# case declares as broken by its peer, and a minimum number of others. Exit: 0
# all ok.
#
# PEER_RULES_MIN (80): how many rules it has to report as broken then.
set -u

build=${1:?usage: peer_test.sh BUILD}
python=/usr/bin/python3
[[ -x $python ]] || python=python3
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$(dirname "$0") "$python" - "$build" "$scratch" \
	"${PEER_RULES_MIN:-80}" <<'PY'
import glob
import json
import os
import re
import subprocess
import sys

import matrix

build, scratch, least = sys.argv[1], sys.argv[2], int(sys.argv[3])
warpspec = os.path.join(build, "warpspec")
HANG_SECONDS = 300
SHOWN = 8
# Legal devices that differ from each other, so that the peer has to answer and
# ask in different ways.
LINKS = (["--link", "socket"],
         ["--link", "raw"],
         ["--link", "sctp"])
WORLDS = (*LINKS,
          ["--spec", "draft-01"],
          ["--spec", "draft-03"],
          ["--without", "mpa-v1"],
          ["--without", "mpa-v2"],
          ["--without", "fetchadd,cmpswap,masked-atomics,imm,imm-se"])
BREAKS = re.compile(r"the suite's own peer breaks (\S+) \(")
OWN = re.compile(r"the suite's own peer |the case declares that its peer ")

passed = failed = 0


def tell(ok, what, *lines):
    global passed, failed
    passed, failed = passed + ok, failed + (not ok)
    print(f"{'ok' if ok else 'not ok'} {what}", *lines, sep="\n    ",
          flush=True)


def errors_of(report):
    """Reasons of errors, by id."""
    return {c["id"]: c["reason"] for c in report["cases"]
            if c["verdict"] == "error"}


def run(*options):
    """The report, or None and why."""
    report = os.path.join(scratch, "run.json")
    if os.path.exists(report):
        os.unlink(report)
    done = subprocess.run([warpspec, "run", "--quiet", "--refdut", "--report",
                           f"json={report}", *options], timeout=HANG_SECONDS,
                          stdin=subprocess.DEVNULL, capture_output=True,
                          text=True)
    if done.returncode == 2:
        return None, done.stderr.strip()
    with open(report, encoding="utf-8") as f:
        return json.load(f), ""


# Print the rules that cases/FOLDER/FILE.c declares as broken.
declared = {}
for path in glob.glob("cases/*/*.c"):
    with open(path, encoding="utf-8") as f:
        rows = set(re.findall(r"peer_breaks\(t, (\w+)\)", f.read()))
    declared.update({(path[len("cases/"):-len(".c")], row): False
                     for row in rows})

identifiers = {}
for path in glob.glob("suite/req/*.def"):
    with open(path, encoding="utf-8") as f:
        identifiers.update({m[1]: m[0] for m in re.findall(
            r'REQ\(\w+, \w+, (\w+), "([^"]+)"', f.read())})

told = set()
for world in WORLDS:
    name = " ".join(world)
    report, why = matrix.clean_run(warpspec, world)
    if report is None:
        print(f"not here, {name}: {why}")
        continue
    n = len(report["cases"])
    own = [f"{i}: {r}" for i, r in errors_of(report).items() if OWN.search(r)]
    tell(not own and n > 0, f"{name}: {n} cases", *own[:SHOWN],
         *([f"and {len(own) - SHOWN} more"] if len(own) > SHOWN else []))

    # A link has its own rules. Otherwise only the operations of a device decide
    # which rules cases break.
    which = [] if world in LINKS else ["rdmap"]
    report, why = run("--judge-peer=strict", *world, *which)
    for case, reason in errors_of(report).items() if report else ():
        broken = BREAKS.search(reason)
        if not broken:
            continue
        told.add(broken[1])
        key = ("/".join(case.split("/")[:2]), identifiers[broken[1]])
        if key in declared:
            declared[key] = True

unseen = [f"cases/{path}.c says that it breaks {row}"
          for (path, row), seen in sorted(declared.items()) if not seen]
tell(not unseen and len(declared) > 0,
     f"{len(declared)} declared, and seen as broken", *unseen)
tell(len(told) >= least, f"{len(told)} rules reported when nothing is excused")
print(f"peer: {passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
PY

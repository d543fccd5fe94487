#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# slowest.sh BUILD [NAME...] - how long a run on a broken device takes: the
# whole suite with default options, on each mutant and each control, one after
# another. The ten slowest are listed, with the total time that their cases
# waited. It is meant for a host that does nothing else.
#
# May be set: SAMPLE (1; every so many-th) and PART (0; which of these), MOST
# (10; the seconds that a run may take). Exit: 0 none took longer, 1 one did.
set -u

build=${1:?usage: slowest.sh BUILD [NAME...]}
shift
python=/usr/bin/python3
[[ -x $python ]] || python=python3
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

"$python" - "$build" "$scratch" "${SAMPLE:-1}" "${PART:-0}" "${MOST:-10}" \
	"$@" <<'PY'
import json
import os
import subprocess
import sys
import time

build, scratch, sample, part, most, *only = sys.argv[1:]
SHOWN = 10
HANG_SECONDS = 900
report = os.path.join(scratch, "report.json")


def names(what):
    done = subprocess.run([os.path.join(build, "warpspec-refdut"),
                           f"--list-{what}s"], check=True, text=True,
                          capture_output=True)
    return [(what, line.split("\t")[0]) for line in done.stdout.splitlines()]


def run(what, name):
    """(seconds, what its cases took in all, a note)."""
    option = {"mutant": [f"--refdut={name}"],
              "control": [f"--control={name}", "--force"]}[what]
    begin = time.monotonic()
    try:
        done = subprocess.run(
            [os.path.join(build, "warpspec"), "run", "--quiet",
             "--report", f"json={report}", *option],
            stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=HANG_SECONDS)
        took = time.monotonic() - begin
        with open(report, encoding="utf-8") as f:
            cases = json.load(f)["cases"]
        os.unlink(report)
    except subprocess.TimeoutExpired:
        return HANG_SECONDS, 0, "the run hung"
    except (OSError, ValueError) as e:
        return 0, 0, f"no report: {done.stderr.strip() or e}"
    again = sum(bool(c.get("retried")) for c in cases)
    return (took, sum(c["duration_ms"] for c in cases) / 1000,
            f"{again} cases twice: this host was late" if again else "")


devices = names("mutant") + names("control")
for name in only:
    if name not in [n for _, n in devices]:
        sys.exit(f"slowest.sh: no such mutant or control: {name}")
some = [d for d in devices if d[1] in only] if only else \
    devices[int(part) % int(sample)::int(sample)]
timed, failed = [], 0
for what, name in some:
    took, waited, note = run(what, name)
    if note.startswith(("no report", "the run hung")):
        failed += 1
        print(f"{what} {name}: {note}", flush=True)
    timed.append((took, waited, what, name, note))
timed.sort(reverse=True)
for took, waited, what, name, note in timed[:SHOWN]:
    print(f"{took:7.1f} s, cases {waited:7.1f} s  {what} {name}"
          + (f" ({note})" if note else ""))
slow = sum(took > float(most) for took, *_ in timed)
if slow:
    print(f"{slow} took longer than {most} s")
bad = max(slow, failed)
print(f"slowest: {len(timed) - bad} passed, {bad} failed")
sys.exit(1 if bad or not timed else 0)
PY

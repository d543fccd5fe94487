#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# target.sh BUILD [NAME...] - devices without an agent. The built-in device, as
# each mutant and as each legal variant, serves as an rping server, and `run
# --target` tests it there; then again as a server that lets its peers use
# memory, with --buffer. No variant is accused: no FAIL, no ERROR, and a WARN
# only under a row that it names. The mutants that are found under a row that
# they break are counted, and so are those that are found only under another
# row: without an agent no foundation case tests the broken step, and no
# reading is adopted.
#
# May be set: SAMPLE (1; every so many-th of all these devices) and PART (0;
# which of these), KINDS (variant mutant; which devices), WAYS (none given; also
# private-data and send: with which buffer), LEAST and LEAST_BUFFER (percent of
# the mutants that have to be found without and with a buffer). Exit: 0 no
# variant was accused, 1 one was.
set -u

build=${1:?usage: target.sh BUILD [NAME...]}
shift
python=/usr/bin/python3
[[ -x $python ]] || python=python3
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

"$python" - "$build" "$scratch" "${SAMPLE:-1}" "${PART:-0}" \
	"${LEAST:-0}" "${LEAST_BUFFER:-0}" "${KINDS:-variant mutant}" \
	"${WAYS:-none given}" "$@" <<'PY'
import concurrent.futures
import json
import os
import subprocess
import sys

(build, scratch, sample, part, least, least_buffer, kinds, ways,
 *only) = sys.argv[1:]
warpspec = os.path.join(build, "warpspec")
refdut = os.path.join(build, "warpspec-refdut")
AT_ONCE = 4
# A device that drops each wrong segment costs a whole wait in each such case, and
# the cases that use its buffer run one at a time.
HANG_SECONDS = 900


def listed(kind):
    done = subprocess.run([refdut, f"--list-{kind}s"], capture_output=True,
                          text=True, check=True)
    # A mutant: name, rows, sentence; a variant: name, matter, rows, sentence.
    at = 1 if kind == "mutant" else 2
    return [(kind, f[0], set(f[at].split())) for f in
            (line.split("\t") for line in done.stdout.splitlines())]


devices = [("clean", "", set())]
for kind in kinds.split():
    devices += listed(kind)
if only:
    devices = [d for d in devices if d[1] in only]
else:
    devices = devices[:1] + devices[1:][int(part) % int(sample)::int(sample)]
with open("suite/checks/beside.txt", encoding="utf-8") as f:
    beside = {}
    for line in f:
        words = line.split("#")[0].split()
        if len(words) >= 2:
            beside.setdefault(words[0].rstrip(":"), set()).update(words[1:])


def tested(item):
    """The report of a run, or a string that says why there is none."""
    way, (kind, name, _) = item
    report = os.path.join(scratch, f"{way}-{kind}-{name}.json")
    ulp = {"none": "rping", "send": "buffer-send"}.get(way, "buffer")
    command = [refdut, "--ulp", ulp, "--bind", "127.0.0.1", "--port", "0"]
    if name:
        command += [f"--{kind}", name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL) as device:
        try:
            port = device.stdout.readline().split()[-1]
            buffer = {"none": [], "given": ["--buffer"],
                      "private-data": ["--buffer", "private-data:0"],
                      "send": ["--buffer", "send:0"]}[way]
            if way == "given":
                buffer.append(device.stdout.readline().split()[-1])
            done = subprocess.run(
                [warpspec, "run", "--quiet", "--target", port, *buffer,
                 "--report", f"json={report}", "role:responder",
                 # A silent device costs a wait in each case. One that is
                 # named has to be found, also beside others.
                 *(["--max-time", "150s" if only else "40s"]
                   if kind == "mutant" else [])],
                capture_output=True, text=True, timeout=HANG_SECONDS,
                stdin=subprocess.DEVNULL)
            with open(report, encoding="utf-8") as f:
                found = json.load(f)
            found["status"], found["said"] = done.returncode, done.stderr
            return found
        except subprocess.TimeoutExpired:
            return "the run hung"
        except (OSError, ValueError, IndexError) as e:
            return f"no report: {e}"
        finally:
            device.kill()
            if os.path.exists(report):
                os.unlink(report)


passed = failed = 0
found = {way: [] for way in ways.split()}
missed = {way: [] for way in ways.split()}
elsewhere = {way: [] for way in ways.split()}


def judged(way, kind, name, rows, report):
    """What is wrong with it, as lines; notes what a mutant is found by."""
    wrong, broken = [], set()
    if isinstance(report, str):
        wrong.append(report)
        report = {"cases": []}
    elif report["status"] == 3 and kind == "mutant":
        # No stream comes up with it, which is reported before any case.
        report = {"cases": []}
    elif kind != "mutant" and report["status"] not in (0, 1):
        wrong.append(report["said"].strip())
    for case in report["cases"]:
        now = {b["requirement"] for b in case.get("broken", [])}
        told = f"{case['id']}: {case['detail'] or case['reason']}"
        if case["verdict"] == "fail":
            broken |= now
        if kind == "mutant" and case["verdict"] == "warn":
            broken |= now
        if kind != "mutant" and (
                case["verdict"] in ("fail", "error") or
                case["verdict"] == "warn" and now - rows):
            wrong.append(f"{case['verdict'].upper()} {told}")
    if kind == "mutant":
        # A mutant that breaks another row as well is reported under that row.
        (found if broken & rows else missed)[way].append(name)
        stray = broken - rows - beside.get(name, set())
        if stray and not broken & rows:
            elsewhere[way].append(name)
            if only:
                print("    by another row: " + " ".join(sorted(stray)))
    return wrong, broken & rows


todo = [(way, device) for device in devices for way in ways.split()]
with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
    for (way, (kind, name, rows)), report in zip(todo, pool.map(tested, todo)):
        wrong, by = judged(way, kind, name, rows, report)
        if only and kind == "mutant" and not by:
            wrong.append("it is not found by a row that it breaks")
        passed, failed = passed + (not wrong), failed + bool(wrong)
        if wrong or only:
            print("not ok" if wrong else "ok", kind, name, f"({way})",
                  *(by if kind == "mutant" else ()), flush=True)
            for line in wrong[:4]:
                print("   ", line.strip().replace("\n", "\n      "), flush=True)

for way in ways.split():
    total = len(found[way]) + len(missed[way])
    if not total:
        continue
    floor = int(least if way == "none" else least_buffer)
    print(f"target: {len(found[way])} of {total} mutants are found without an "
          f"agent, buffer: {way}; {len(elsewhere[way])} more by another row")
    if not only and len(found[way]) * 100 < floor * total:
        print(f"not ok: they have to be {floor} of a hundred at least")
        failed += 1
if os.environ.get("FOUND"):
    with open(os.environ["FOUND"], "w", encoding="utf-8") as f:
        f.write("".join(f"{way} {n}\n" for way in found
                        for n in sorted(found[way])))
print(f"target: {passed} passed, {failed} failed")
sys.exit(1 if failed or not passed else 0)
PY

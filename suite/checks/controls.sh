#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# controls.sh BUILD [CONTROL...] - a device that does not implement something
# passes no requirement about it. The whole suite runs on each control device
# (warpspec-refdut --list-controls). On those that implement nothing, no case
# of level MUST may pass. A pass is vacuous if the device did nothing about the
# subject of the case; this follows from data:
#
#   all        it is not an iWARP device: every case is about something that
#              it lacks
#   rest       it brings streams up and answers empty Reads: every case that
#              judges more than the sections on the startup
#   a kind of messages
#              it is correct otherwise: the case judges a row of the sections
#              on that kind, or needs a feature of it
#   placement, errors, agent
#              the case has a must() on octets in buffers, on the numbers of a
#              Terminate, on facts that its agent cannot report
#
# This holds over TCP and over SCTP.
#
# suite/checks/controls.txt lists cases that pass all the same, and why. A
# listed case that no longer passes is an error, so that the list gets shorter.
# A control there may be a pattern, which stands for all controls that it
# matches.
#
# May be set: SAMPLE (1; every so many-th) and PART (0; which of these),
# TIMEOUT_SCALE and JOBS (of a run on a device that implements nothing: most of
# its cases wait; the other devices get twice the scale and a quarter of the
# jobs), AT_ONCE (3), CONTROLS_OUT (a folder that keeps the reports). Exit: 0
# none passed, 1 one did.
set -u

build=${1:?usage: controls.sh BUILD [CONTROL...]}
shift
python=/usr/bin/python3
[[ -x $python ]] || python=python3
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$(dirname "$0") "$python" - "$build" \
	"${CONTROLS_OUT:-$scratch}" "${TIMEOUT_SCALE:-0.25}" "${JOBS:-48}" \
	"${AT_ONCE:-3}" "${SAMPLE:-1}" "${PART:-0}" "$@" <<'PY'
import collections
import concurrent.futures
import fnmatch
import glob
import json
import os
import re
import sys

import matrix

build, out, scale, jobs, at_once, sample, part, *only = sys.argv[1:]
PATIENT = 4  # times as long, if this host was late
LIMIT = 300  # seconds; a control that takes longer hangs the suite
LISTED = "suite/checks/controls.txt"
suite = matrix.Suite(build, bound=LIMIT)
controls = dict(line.split("\t")[:2] for line in suite.output_of(
    suite.refdut, "--list-controls").splitlines())
for name in only:
    if name not in controls:
        sys.exit(f"controls.sh: no such control: {name}")

# For a kind of messages: features, and its sections in RFC 5040 and RFC 7306.
KINDS = {
    "atomics": ({"fetchadd", "cmpswap", "swap", "masked-atomics"},
                r"RFC7306 s5\b"),
    "reads": (set(), r"RFC5040 s(4\.4|4\.5|5\.2)\b"),
    "sends": (set(), r"RFC5040 s(4\.6|4\.7|5\.3)\b"),
    "writes": (set(), r"RFC5040 s(4\.3|5\.1)\b"),
    "immediates": ({"imm", "imm-se"}, r"RFC7306 s6\b"),
    # The messages that the device sends are correct.
    "terminates": (set(), r"RFC5040 s(4\.8|5\.4)\b.* (receiver)$"),
}
# A case about anything beyond these is not about the startup alone.
STARTUP = (r"RFC5044 s7\b|RFC6581 |RFC5043 s(5|6|7|8|11)\b|"
           r"RFC6580 s3\.5\b")
# What a device has to do, or its agent to report, for these to pass.
SAID = {
    "places-nothing": r"\b(memory_is|memory_unchanged|word_is|delivered|"
                      r"delivered_text|delivered_imm)\(",
    "terminates-errors-alike": r"\bterminate(_if_any)?\(",
    "zero-agent": r"\b(memory_is|word_is|delivered|delivered_text|"
                  r"delivered_imm|completed_with_value)\(",
    "yes-agent": r"\b(completed_in_error|received_in_error|not_delivered|"
                 r"not_completed)\(",
}


def bodies():
    """case: its text in cases/."""
    found = {}
    for path in sorted(glob.glob("cases/*/*.c")):
        with open(path, encoding="utf-8") as f:
            parts = re.split(r"^CASE(?:_EACH)?\(\s*(\w+),", f.read(),
                             flags=re.M)
        for name, text in zip(parts[1::2], parts[2::2]):
            found[f"{path[6:-2]}/{name}"] = text
    return found


BODIES = bodies()


def place(row):
    row = suite.rows[row]
    return f"{row['spec']} s{row['section']} {row['actor']}"


def is_about(control, instance):
    kind = controls[control]
    if kind == "all":
        return True
    if kind == "rest":
        return any(suite.binds(row) and not re.search(STARTUP, place(row))
                   for row in suite.instances[instance]["requirements"])
    if control in SAID:
        # Judged by must(), not only observed.
        return any(re.search(SAID[control], said) for said in re.findall(
            r"\bmust(?:_row)?\(.*?\);", BODIES[matrix.case_of(instance)],
            re.S))
    features, sections = KINDS[kind]
    case = suite.instances[instance]
    return bool(features & set(case["needs"])) or any(
        suite.binds(row) and re.search(sections, place(row))
        for row in case["requirements"])


LINKS = ("socket", "sctp")


def was_late(report):
    """Whether the host was too busy for more than a few cases."""
    late = sum("ms late" in c["reason"] or "too busy" in c["reason"]
               for c in report["cases"])
    ran = sum(c["verdict"] not in ("skip", "blocked")
              for c in report["cases"])
    return late * 20 > ran


def attempt(work):
    control, link = work
    # A device that is correct otherwise keeps the host busy.
    busy = controls[control] != "all"
    # If other processes want the processors, run it again with more time.
    for patience in (1, PATIENT):
        report, note = suite.run(
            [f"--control={control}", "--force", "--link", link, "--jobs",
             str(max(1, int(jobs) // (4 if busy else 1)))],
            os.path.join(out, f"{control}.{link}.run.json"),
            bound=LIMIT * patience,
            scale=str(float(scale) * (2 if busy else 1) * patience))
        if not report or not was_late(report):
            break
    if out and report:
        with open(os.path.join(out, f"{control}.{link}.json"), "w",
                  encoding="utf-8") as f:
            json.dump(report, f)
    return control, link, report, note


listed = collections.defaultdict(set)
entries = {}  # the listed cases, with the controls of each
for where, line in matrix.data_lines(LISTED):
    control, case, *why = line.split()
    if not why:
        sys.exit(f"{where}: a control, a case, and the reason")
    named = fnmatch.filter(controls, control)
    if not named:
        sys.exit(f"{where}: no such control: {control}")
    for one in named:
        listed[one].add(case)
    entries[control, case] = set(named)

some = list(controls)[int(part) % int(sample)::int(sample)]
ok = failed = excused = 0
ran = only or some
stale = {entry for entry, named in entries.items() if named <= set(ran)}
untold_of = set()
with concurrent.futures.ThreadPoolExecutor(int(at_once)) as pool:
    for control, link, report, note in pool.map(
            attempt, [(c, link) for c in ran for link in LINKS]):
        name = f"{control}, {link}"
        if not report or note:
            print(f"{name}: {note}")
            failed += 1
            untold_of.add(control)
            continue
        seen = collections.Counter(c["verdict"] for c in report["cases"])
        binding = [c for c in report["cases"] if c["level"] == "MUST"
                   and is_about(control, c["id"])]
        passed = {matrix.case_of(c["id"]) for c in binding
                  if c["verdict"] == "pass"}
        applied = [c for c in binding if c["verdict"] != "skip"]
        told = [c for c in applied if c["verdict"] != "error"]
        for case in sorted(passed - listed[control]):
            print(f"{name}: passes {case}")
        excuse = passed | {matrix.case_of(c["id"]) for c in binding
                           if c["verdict"] == "error"}
        stale -= {entry for entry in stale
                  if control in entries[entry] and entry[1] in excuse}
        print(f"{name}: {len(binding)} MUST cases on {controls[control]}, "
              f"{len(passed)} of them pass"
              + (f", {len(passed & listed[control])} as listed"
                 if listed[control] else "") + "; "
              + ", ".join(f"{n} {v}" for v, n in sorted(seen.items())),
              flush=True)
        # An ERROR is not a pass, but proves as little as a pass.
        untold = len(told) * 20 < len(applied) * 19 or not told
        if untold:
            print(f"{name}: only {len(told)} of {len(applied)} could be judged")
        wrong = untold or passed - listed[control]
        excused += len(passed & listed[control])
        ok, failed = ok + (not wrong), failed + bool(wrong)

stale = {entry for entry in stale if not entries[entry] & untold_of}
for control, case in sorted(stale):
    print(f"{control}: does not pass {case}: strike it from {LISTED}")
failed += bool(stale)
if excused:
    print(f"{excused} passes are listed in {LISTED}")
if not only and len(some) < len(controls):
    print(f"{len(some)} of {len(controls)} controls")
print(f"controls: {ok} passed, {failed} failed")
sys.exit(1 if failed or not ok else 0)
PY

#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# mutants.sh BUILD [MUTANT...] - every planted fault has to be found by a case
# that judges one of the requirements it breaks. No other cases are run against
# it: a fault that only another case would notice survives. A fault of DDP over
# SCTP is run over SCTP; every so many-th fault of DDP and RDMAP is run there
# as well, and has to be found by the case that has found it over TCP.
#
# May be set: SAMPLE (1; every so many-th) and PART (0; which of these),
# OVER_SCTP (8; every so many-th of them),
# TIMEOUT_SCALE (0.5), MUTANTS_MIN (80; the minimum number of mutants). Exit: 0
# all killed, 1 not.
set -u

build=${1:?usage: mutants.sh BUILD [MUTANT...]}
shift
python=/usr/bin/python3
[[ -x $python ]] || python=python3
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$(dirname "$0") "$python" - "$build" "$scratch" \
	"${TIMEOUT_SCALE:-0.5}" "${MUTANTS_MIN:-80}" \
	"${SAMPLE:-1}" "${PART:-0}" "${OVER_SCTP:-8}" \
	"$@" <<'PY'
import concurrent.futures
import json
import os
import re
import subprocess
import sys

import matrix

build, scratch, scale, least, sample, part, over_sctp, *only = sys.argv[1:]
warpspec = os.path.join(build, "warpspec")
refdut = os.path.join(build, "warpspec-refdut")
HANG_SECONDS = 300
PATIENCE = "24"  # the factor for deadlines that a busy host keeps
# Some faults show only if the device claims less, follows a draft, or receives
# segments that a kernel would not send.
WORLDS = ([],
          ["--without", "fetchadd,cmpswap,masked-atomics,imm,imm-se"],
          ["--spec", "draft-03"],
          ["--link", "raw"],
          ["--link", "sctp"],
          ["--link", "sctp"])
SCTP = len(WORLDS) - 2
# The same where a path takes no more than a device's SCTP assumes: whether a
# device uses all of it is invisible where loopback takes 64 KiB.
NARROW = SCTP + 1
# Faults that show only if two messages are read at once. Packets of SCTP are
# read one by one.
READ_AT_ONCE = {"sends_overtaken", "sends_with_se_overtaken", "writes_overtaken",
                "one_fpdu_per_read", "rest_lost_behind_a_read_rtr",
                "responses_placed_behind_an_error",
                "stags_invalidated_behind_an_error",
                "stags_invalidated_behind_the_burst"}
# Faults without effect over SCTP: a session is over when one side has sent a
# Session Terminate, even the peer (RFC 5043 s6.2); and SCTP takes a segment as a
# whole, or not yet.
OF_TCP_ALONE = {"stream_left_open", "short_write_taken_for_whole",
                "send_along_with_fin_lost"}
# Faults of associations that break a row of DDP.
OF_SCTP_ALONE = {"loss_told_on_stream_0_only", "stag_serves_its_association"}
NARROWLY = ["unshare", "-rn", "sh", "-c",
            'ip link set lo mtu 1500 up && exec "$@"', "-"]
# In a case's detail, a line without indentation names a broken requirement, or
# one that only permits something.
BROKEN = re.compile(r"^(\S+) (?:MUST|SHOULD)(?: NOT)? \(", re.M)


def output_of(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        sys.exit(f"mutants.sh: {' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


def reported(device, patience, name, world, selectors):
    """The cases of a run by id; a string where there is no report. `device`:
    the options that name it."""
    report = os.path.join(scratch, f"{name or 'clean'}.{world}.json")
    command = [*(NARROWLY if world == NARROW else []),
               warpspec, "run", *device, "--quiet", "--jobs", "6",
               "--timeout-scale", patience, "--report", f"json={report}",
               *selectors]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True,
                              timeout=HANG_SECONDS)
        with open(report, encoding="utf-8") as f:
            return {c["id"]: c for c in json.load(f)["cases"]}
    except subprocess.TimeoutExpired:
        return "the run hung"
    except (OSError, ValueError) as e:
        return f"no report: {done.stderr.strip() or e}"


def run(name, world, selectors):
    return reported([f"--refdut={name}" if name else "--refdut",
                     *WORLDS[world]], scale, name, world, selectors)


def run_patiently(name, world, selectors):
    """The same, with a device and deadlines that wait so long that a busy host
    leaves a case its verdict. A narrow path has no loopback of this host."""
    if world == NARROW:
        return run(name, world, selectors)
    ini = os.path.join(scratch, f"{name}.ini")
    # What the device does not claim is not an option of the suite.
    options = WORLDS[world]
    without = options if options[:1] == ["--without"] else []
    spec = options if options[:1] == ["--spec"] else []
    with subprocess.Popen([refdut, "--agent-port", "0", "--mutant", name,
                           "--startup-timeout-ms", "12000", *without, *spec],
                          stdout=subprocess.PIPE, text=True) as device:
        try:
            port = device.stdout.readline().strip().rpartition(":")[2]
            with open(ini, "w", encoding="utf-8") as f:
                f.write(f"[device]\nname = {name}\n"
                        f"agent = 127.0.0.1:{port}\n")
            return reported(["-d", ini, *([] if without else options)],
                            PATIENCE, name, world, selectors)
        finally:
            device.terminate()


def killer(cases, ids, clean):
    """(case, requirement) that found it; its own requirement if possible."""
    bystander = None
    for case in cases.values():
        # A mutant may claim less than the clean device: then the case has to
        # pass on a clean device that claims less, too.
        if not any(world.get(case["id"], {}).get("verdict")
                   in ("pass", "info") for world in clean):
            continue
        if case["verdict"] not in ("fail", "warn"):
            continue
        named = [r for r in case["requirements"] if r in ids]
        broken = BROKEN.findall(case["detail"])
        own = [r for r in broken if r in ids]
        if own:
            return case["id"], own[0], True
        if named and not bystander:
            bystander = case["id"], ", ".join(broken) or named[0], False
    return bystander


mutants = []
for line in output_of(os.path.join(build, "warpspec-refdut"),
                      "--list-mutants").splitlines():
    name, ids, sentence = line.split("\t")
    if not only or name in only:
        mutants.append((name, set(ids.split()), sentence))
listed = len(mutants)
if not only:
    mutants = mutants[int(part) % int(sample)::int(sample)]

layer = {row["id"]: row["layer"] for row in json.loads(output_of(
    warpspec, "coverage", "--json"))["requirements"]}
judged = set()
for case in json.loads(output_of(warpspec, "list", "--json")):
    judged.update(case["requirements"])

everything = sorted(set().union(*(ids for _, ids, _ in mutants)) & judged)


def clean_device(world):
    """The same of the device as it is. Where whole runs on it are kept for
    several checks, one of these; else of the cases concerned alone."""
    if world == NARROW or not os.environ.get("CLEAN_RUNS"):
        return run(None, world, [f"req:{r}" for r in everything])
    report, why = matrix.clean_run(warpspec, WORLDS[world])
    return {c["id"]: c for c in report["cases"]} if report else why


clean = []
for world in range(len(WORLDS)):
    clean.append(clean_device(world))
    if isinstance(clean[world], str) and "raw" in WORLDS[world]:
        print(f"the raw link is not to be had here: {clean[world]}")
        clean[world] = {}
    if isinstance(clean[world], str) and world == NARROW:
        print(f"a narrow path is not to be had here: {clean[world]}")
        clean[world] = {}
    if isinstance(clean[world], str):
        sys.exit(f"mutants.sh: the clean device: {clean[world]}")
spoilt = [c for cases in clean for c in cases.values()
          if c["verdict"] not in ("pass", "info", "skip")]
for case in spoilt:
    print(f"the clean device: {case['verdict']} of {case['id']}\n"
          f"{case['detail']}{case['reason']}")


late = set()  # mutants with a case that a busy host left without a verdict


def note_late(name, cases):
    if any(c["verdict"] == "error" and
           "this host was" in c["reason"] + c["detail"]
           for c in cases.values()):
        late.add(name)


def attempt(numbered, run=run):
    """What found it, what was run, and whether SCTP hid it."""
    number, (name, ids, sentence) = numbered
    selectors = [f"req:{r}" for r in sorted(ids & judged)]
    if not selectors:
        return None, "no case judges " + " ".join(sorted(ids)), None
    layers = {layer[r] for r in ids}
    worlds = [SCTP, NARROW] \
        if layers == {"SCTP"} or name in OF_SCTP_ALONE else \
        [w for w in range(len(WORLDS)) if w < SCTP or "SCTP" in layers]
    by, seen = None, 0
    for world in worlds:
        if not clean[world]:
            continue
        cases = run(name, world, selectors)
        if isinstance(cases, str):
            return None, cases, None
        note_late(name, cases)
        seen = max(seen, len(cases))
        found = killer(cases, ids, clean)
        by = found if not by or (found and found[2]) else by
        if by and by[2]:
            break
    why = f"{seen} cases"
    if world >= SCTP or not by or not layers & {"DDP", "RDMAP"} or \
            (number + int(part)) % int(over_sctp) or \
            name in READ_AT_ONCE | OF_TCP_ALONE or \
            clean[SCTP].get(by[0], {}).get("verdict") not in ("pass", "info"):
        return by, why, None
    cases = run(name, SCTP, selectors)
    if isinstance(cases, str):
        return None, f"over SCTP {cases}", None
    note_late(name, cases)
    return by, why, bool(killer(cases, ids, [clean[SCTP]]))


def attempt_alone(item, result):
    """Again, alone and with patience, if a case could not be judged because the
    host was busy."""
    by, _, over = result
    if by and over is not False or item[1][0] not in late:
        return result
    return attempt(item, run_patiently)


killed = survived = strangers = there = 0
with concurrent.futures.ThreadPoolExecutor(8) as pool:
    results = list(pool.map(attempt, enumerate(mutants)))
for number, (name, ids, sentence) in enumerate(mutants):
    by, why, over = attempt_alone((number, mutants[number]), results[number])
    if over is False:
        survived += 1
        print(f"survived over SCTP {name}, which over TCP {by[0]} finds: "
              f"{sentence}")
        continue
    if not by:
        survived += 1
        print(f"survived {name} ({why}): {sentence}")
        continue
    killed += 1
    case, req, own = by
    strangers += not own
    there += bool(over)
    print(f"killed {name} by {case} "
          f"({req if own else 'as ' + req})" +
          (", over SCTP, too" if over else ""), flush=True)

if strangers:
    print(f"{strangers} of them were found under a requirement that the "
          "mutant does not name")
print(f"{there} of those in DDP and RDMAP were found over SCTP as well")
if not only and not there:
    print("none of those in DDP and RDMAP was run over SCTP")
    survived += 1
if not only and listed < int(least):
    print(f"there are {listed} mutants, fewer than {least}")
    survived += 1
if len(mutants) < listed:
    print(f"{len(mutants)} of {listed} mutants")
print(f"mutants: {killed} killed, {survived} survived")
sys.exit(1 if survived or spoilt or not killed else 0)
PY

#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""faults.py BUILD [COMMAND...] - every call fails once.

Each command of commands.py is run with one fault after another: a call fails
once, or from then on; reads and writes are short; waits are interrupted; files
are full. The result is as without the fault, or there is a line that names the
fault, the status of an error, and no output that looks complete but is not. A
device is never accused. Closes with the points tried, by part and call.

May be set: POINTS (0: each distinct stack that leads to a call; N: at most N of
each call), TRIALS (at most so many of all these, and every sixth command),
PART (which of a sample), JOBS (3), CALLS (names of calls), MODES (fail ever short wait full). Exit: 0
nothing wrong, 1 something.
"""

import collections
import concurrent.futures
import errno
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import threading

from commands import commands, prepare
from trial import (CALLS, COUNT, EVER, FAIL, FULL, INTERRUPTED, NOT_YET, PARTS, SHORT, Fault,
                   build, execute, frames)

DEVICE = PARTS.index("device")
LIMIT = 45  # seconds; a loaded host is slower
POINTS = int(os.environ.get("POINTS", "0"))
TRIALS = int(os.environ.get("TRIALS", "0"))
PART = int(os.environ.get("PART", "0"))
MODES = os.environ.get("MODES", "fail ever short wait full").split()
ONLY = os.environ.get("CALLS", "").split()
KINDS = {INTERRUPTED: "EINTR", NOT_YET: "EAGAIN", FULL: "full"}
SHORTENED = {"read", "pread", "write", "send", "recv"}


def sample(places, most=POINTS):
    """At most so many of them, spread evenly; PART moves them along."""
    if not most or len(places) <= most:
        return places
    step = len(places) / most
    return [places[int(k * step + PART * 0.618 * step) % len(places)] for k in range(most)]


def faults_of(points):
    """The faults to try, from the calls that were made without one."""
    for (part, call), made in sorted(points.items()):
        name, ways = CALLS[call]
        if ONLY and name not in ONLY:
            continue
        first = {}
        for n, stack in made:
            first.setdefault(stack, n)
        places = sorted(set(first.values()) | {made[-1][0]})
        for at in sample(places):
            if "fail" in MODES:
                for error in ways if not POINTS else ways[:1]:
                    yield Fault(FAIL, part, name, at, at, error)
            if "ever" in MODES and len(made) > at and ways[0] != errno.EINTR:
                yield Fault(FAIL, part, name, at, EVER, ways[0])
            if "short" in MODES and name in SHORTENED:
                yield Fault(SHORT, part, name, at, at)
        if "short" in MODES and name in SHORTENED:
            yield Fault(SHORT, part, name, 1, EVER)
    if ONLY:
        return
    for part in sorted({part for part, _ in points}):
        if "wait" in MODES:
            for every in (3, 5, 7):
                yield Fault(INTERRUPTED, part, at=every)
                yield Fault(NOT_YET, part, at=every)
        if "full" in MODES and part < 2:
            for octets in sample(list(range(0, 300)) + list(range(300, 60000, 997))):
                yield Fault(FULL, part, at=octets)


def says(text, error):
    """A text names the fault."""
    said = os.strerror(error) if error else "No space left on device"
    return said in text or "memory" in text or "malloc" in text


def judge(command, fault, got):
    """None, or what is wrong."""
    if got.status is None:
        return "no end"
    # That of a library costs the case, which is an ERROR.
    if got.crash_signal and not (got.in_library and fault.call in ("malloc", "calloc", "realloc")):
        return f"{PARTS[got.crash_part]} crashed, signal {got.crash_signal}"
    if got.in_library and got.status < 0:
        return command.is_honest(got, False)
    if got.status < 0 or got.status >= 126:
        return f"ended by signal {-got.status}"
    if re.search(r"AddressSanitizer|runtime error|Assertion", got.err):
        return "sanitizer or assertion"
    # An error that lasts can keep a draft from being removed.
    left = [name for name in command.left(got)
            if fault.to != EVER or not name.startswith(".warpspec-")]
    if left:
        return "left behind: " + " ".join(left)
    if fault.part == DEVICE and "warpspec-refdut: " in got.err:
        return None  # it names what it lacks, and may well fail then
    if got.status == command.due:
        wrong = command.is_whole(got)
        return wrong and f"status {got.status}, but {wrong}"
    if fault.part != DEVICE and fault.mode in (SHORT, INTERRUPTED, NOT_YET):
        return f"status {got.status}, not {command.due}"
    # A device that lacks something reports it, and may well fail then.
    mine = fault.part == DEVICE
    if got.status not in command.ends and not (mine and got.status == 1):
        return f"status {got.status}"
    wrong = command.is_honest(got, mine)
    if wrong:
        return f"status {got.status}, but {wrong}"
    text = got.err + command.reasons(got)
    if not (mine and got.status != 1) and not got.in_library and not says(text, fault.error):
        return f"status {got.status}, and the fault is not named"
    return None


def main():
    top = os.path.realpath(sys.argv[1])
    warpspec = os.path.join(top, "warpspec")
    symbols = subprocess.run(["nm", warpspec], capture_output=True, text=True).stdout
    folder = tempfile.mkdtemp(prefix="faults.")
    tried = collections.Counter()
    missed = collections.Counter()
    wrong, library = [], [0]
    lock = threading.Lock()
    try:
        env = build(folder, "__asan_init" in symbols)
        given = os.path.join(folder, "given")
        os.mkdir(given)
        known = commands(warpspec, given, prepare(warpspec, given))
        jobs = []
        names = sys.argv[2:] or list(known)
        if TRIALS and not sys.argv[2:]:
            names = names[:1] + names[1 + PART % 6::6]
        for name in names:
            command = known[name]
            whole = execute(command.words, Fault(COUNT), os.path.join(folder, name), env, 120)
            if command.due is None and whole.status in (0, 1):
                command.due = whole.status
            if whole.status != command.due:
                raise SystemExit(f"faults: {name}: status {whole.status}: {whole.err}")
            command.learn(whole)
            jobs += [(command, fault) for fault in faults_of(whole.points())]

        def attempt(job):
            number, (command, fault) = job
            at = os.path.join(folder, str(number))
            got = execute(command.words, fault, at, env, LIMIT)
            bad = got.hits and judge(command, fault, got)
            with lock:
                kind = PARTS[fault.part], fault.call or KINDS[fault.mode]
                tried[kind] += bool(got.hits)
                library[0] += got.in_library
                missed[kind] += not got.hits
                if bad:
                    program = os.path.join(top, "warpspec-refdut" if fault.part == DEVICE else "warpspec")
                    wrong.append(kind)
                    print(f"not ok {command.name}: {fault}: {bad}")
                    print("  at " + frames(program, got.hit))
                    if got.crash_signal:
                        print("  crash " + frames(program, got.crash))
                    said = got.err.strip().split("\n")[-3:] + \
                        sorted(set(command.reasons(got).split("\n")) - {""})[:4]
                    print("  " + "\n  ".join(said), flush=True)
            shutil.rmtree(at, ignore_errors=True)
            for ending in (".out", ".err"):
                os.unlink(at + ending)

        with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", "3"))) as pool:
            list(pool.map(attempt, enumerate(sample(jobs, TRIALS))))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for part in PARTS:
        kinds = sorted(k for k in tried if k[0] == part and tried[k])
        if kinds:
            print(textwrap.fill(f"{part}: " + ", ".join(f"{k[1]} {tried[k]}" for k in kinds), 100,
                                subsequent_indent="  "))
    print(f"faults: {sum(tried.values())} points tried, {sum(missed.values())} not reached; "
          f"{library[0]} ended in libusrsctp, libcrypto or libseccomp, which do not check their memory")
    print(f"faults: {sum(tried.values()) - len(wrong)} passed, {len(wrong)} failed")
    return 1 if wrong or not tried else 0


if __name__ == "__main__":
    sys.exit(main())

#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# bench.sh BUILD [--all] - figures of whole runs on the built-in device.
# Nothing is asserted: the expected figure is printed next to each one. The
# slowest mutant is that of a sample, or of all mutants with --all; with --all,
# random programs have ten million operations.
set -u

build=${1:?usage: bench.sh BUILD [--all]}
python=/usr/bin/python3
[[ -x $python ]] || python=python3
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

exec "$python" - "$build/warpspec" "$scratch/report.json" "${2-}" <<'PY'
import datetime
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time

warpspec, report, which = sys.argv[1:4]
ROUNDS = 5
SAMPLE = 12  # mutants, evenly spread, beside those known to cost most
COSTLY = ["ignore_bad_crc", "one_fpdu_per_read", "bad_request_awaits_timeout",
          "ulpdu_length_counts_itself"]


def descendants(pid):
    """This process and all below it, as far as they can be seen."""
    found = [pid]
    for at in found:
        try:
            for task in os.listdir(f"/proc/{at}/task"):
                with open(f"/proc/{at}/task/{task}/children") as f:
                    found += map(int, f.read().split())
        except OSError:
            pass
    return found


def peak(pid):
    """Its program, and the most memory it has had, in KiB."""
    try:
        with open(f"/proc/{pid}/status") as f:
            status = dict(line.split(":", 1) for line in f)
        return status["Name"].strip(), int(status["VmHWM"].split()[0])
    except (OSError, KeyError):
        return None


def watch(process, peaks):
    over = False
    while not over:
        for pid in descendants(process.pid):
            seen = peak(pid)
            if seen:
                peaks[seen[0]] = max(peaks.get(seen[0], 0), seen[1])
        try:
            process.wait(timeout=0.002)  # a sample, or the end of the run
            over = True
        except subprocess.TimeoutExpired:
            pass


def run(*options, peaks=None):
    command = [warpspec, "run", "--quiet", "--report", f"json={report}",
               *options]
    start = time.monotonic()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    if peaks is not None:
        watcher = threading.Thread(target=watch, args=(process, peaks))
        watcher.start()
        watcher.join()
    status = process.wait()
    elapsed = time.monotonic() - start
    try:
        with open(report, encoding="utf-8") as f:
            return json.load(f), elapsed, status
    finally:
        os.unlink(report)


def seconds(found):
    started, finished = (datetime.datetime.fromisoformat(
        found[k].replace("Z", "+00:00")) for k in ("started", "finished"))
    return (finished - started).total_seconds()


best = 0
for _ in range(ROUNDS):
    found, elapsed, _ = run("--jobs", "2")
    executed = len(found["cases"]) - found["totals"]["skip"]
    best = max(best, executed / max(seconds(found), 1e-3))
print(f"bench run.cases {executed} executed, {found['totals']['pass']} passed")
print(f"bench run.cases_per_second {best:.0f} /s (floor 2000)")

links = ["socket", "raw"]
probe = subprocess.run([warpspec, "run", "--quiet", "--link", "raw",
                        "mpa/crc/*"], stdin=subprocess.DEVNULL,
                       capture_output=True, text=True)
if probe.returncode == 2:
    print(f"bench run.raw not measured here: {probe.stderr.strip()}")
    links.remove("raw")

for link in links:
    peaks = {}
    for _ in range(ROUNDS):
        run("--jobs", "2", "--link", link, peaks=peaks)
    for name in sorted(peaks):
        if name.startswith("warpspec"):
            print(f"bench run.resident.{link}.{name} "
                  f"{peaks[name] / 1024:.1f} MiB (ceiling 32)")

# The programs as a whole, including their start and end. They run alternately,
# so that other load on the machine affects both.
took = {link: [] for link in links}
for _ in range(ROUNDS):
    for link in took:
        _, elapsed, status = run("--jobs", "2", "--link", link)
        took[link].append(elapsed if status == 0 else float("nan"))
least = {link: min(times) for link, times in took.items()}
for link in links:
    print(f"bench run.elapsed.{link} {least[link]:.2f} s, "
          f"{least[link] / least['socket']:.2f} of the socket link's "
          "(ceiling 3)")

# Random programs: how fast they run, how much memory they take, and how long
# it takes to shrink a long failing one. The faults of these mutants show in
# programs of full length.
OPERATIONS = 10000000 if which == "--all" else 1000000
LONG = ["response_to_of_another_stream",
        "invalidate_stag_missing_behind_immediate"]


def resident(pid, into):
    for found in descendants(pid):
        seen = peak(found)
        if seen and seen[0].startswith("warpspec"):
            into[found] = seen


def explored(*options, early=None, late=None):
    """Elapsed, and the exit status; early and late: the most memory that each
    process has had after a fifth of a minute, and at the end."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        process = subprocess.Popen(
            [warpspec, "explore", "--quiet", "--jobs", "8", "--seed", "1",
             "--programs", folder, *options], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while late is not None:
            over = time.monotonic() - began > 12
            resident(process.pid, late if over else early)
            try:
                process.wait(0.25)
                break
            except subprocess.TimeoutExpired:
                pass
        return process.wait(), time.monotonic() - began


# Other processes change processor time less than elapsed time: two runs are
# enough for the floor at ten microseconds each.
best = least_used = float("inf")
for _ in range(ROUNDS):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    status, elapsed = explored("--refdut", "--ops", "1000000")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = (after.ru_utime - before.ru_utime + after.ru_stime -
            before.ru_stime)
    if status == 0:
        best, least_used = min(best, elapsed), min(least_used, used)
print(f"bench explore.operations_per_second {1000000 / best:.0f} /s "
      "(floor 200000)")
print(f"bench explore.processor_per_operation {least_used:.2f} us "
      "(ceiling 10)")
early, late = {}, {}
status, elapsed = explored("--refdut", "--ops", str(OPERATIONS), early=early,
                           late=late)
grown = [late[pid][1] / early[pid][1] for pid in late if pid in early]
most = max(kib for _, kib in (late or early).values())
print(f"bench explore.operations {OPERATIONS} in {elapsed:.1f} s, exit {status}"
      " (exit 0)")
print(f"bench explore.resident {most / 1024:.1f} MiB (ceiling 32)")
if grown:
    print(f"bench explore.resident_growth {max(grown):.2f} (ceiling 1.10)")
for mutant in LONG:
    status, elapsed = explored(f"--refdut={mutant}", "--findings", "1")
    print(f"bench explore.found_and_shrunk.{mutant} {elapsed:.2f} s, "
          f"exit {status} (ceiling 30, exit 1)")

_, elapsed, status = run("--control=mute")
print(f"bench run.mute_device {elapsed:.2f} s, exit {status} (ceiling 5, "
      "exit 3)")


# With the default options of a user: the cost of a device that does not answer
# where it should.
def listed(option):
    out = subprocess.run([f"{os.path.dirname(warpspec)}/warpspec-refdut",
                          option], capture_output=True, text=True)
    return [line.split()[0] for line in out.stdout.splitlines()
            if line.strip()]


mutants = listed("--list-mutants")
if which != "--all":
    mutants = COSTLY + mutants[::max(1, len(mutants) // SAMPLE)]


def slowest(name, devices, ceiling):
    times = {d: run(d)[1] for d in devices}
    if times:
        most = max(times, key=times.get)
        print(f"bench run.{name} {times[most]:.2f} s, {most}, of "
              f"{len(times)} (ceiling {ceiling})")


slowest("slowest_mutant", [f"--refdut={m}" for m in mutants], 10)
slowest("slowest_control", [f"--control={c}" for c in listed("--list-controls")], 5)
PY

#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# bench.sh BUILD [--all] - figures of whole runs on the built-in device.
# Nothing is asserted: what a figure should be, is said beside it. The slowest
# mutant is that of a sample, with --all of all.
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

# Of the programs as a whole, with what they do before and after. By turns, so
# that what else the machine does falls on both.
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

# Random programs, and what it takes to shrink a long one that fails. Not
# reached so far: 200,000 operations a second.
def explored(*options):
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        status = subprocess.run(
            [warpspec, "explore", "--quiet", "--jobs", "2", "--seed", "1",
             "--programs", folder, *options], capture_output=True).returncode
        return time.monotonic() - began, status


OPERATIONS = 400000
elapsed, status = explored("--refdut", "--ops", str(OPERATIONS))
print(f"bench explore.operations_per_second {OPERATIONS / elapsed:.0f} /s, "
      f"exit {status} (floor 200000, exit 0)")
elapsed, status = explored("--refdut=send_delivered_twice", "--steps", "1000",
                           "--findings", "1")
print(f"bench explore.found_and_shrunk {elapsed:.2f} s, exit {status} "
      "(ceiling 30, exit 1)")

_, elapsed, status = run("--control=mute")
print(f"bench run.mute_device {elapsed:.2f} s, exit {status} (ceiling 5, "
      "exit 3)")


# With the options that a user has who says nothing: what a device costs that
# does not answer where it has to.
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

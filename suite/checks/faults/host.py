#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""host.py BUILD [WORD...] - hosts that lack something, clocks that jump, processes that stop.

A run gives the verdicts that it gives without that, or ends with the status of
an error and a line with the reason, and accuses the device of nothing. WORD:
only the checks with one of these in their names. May be set: STOP (3), the
seconds for which processes are stopped. Exit: 0 all ok.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from commands import SOME, Run
from trial import COUNT, JUMP, Fault, build, execute

STOP = float(os.environ.get("STOP", "3"))
LATE = r"ms late|too busy|busy"
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
DAY, LONG = 86400, 2 * 10**9


class Host:
    """The checks, and their counts."""

    def __init__(self, top, folder):
        self.warpspec = os.path.join(top, "warpspec")
        self.folder = folder
        self.passed = self.failed = 0
        self.only = sys.argv[2:]
        self.env = build(folder, "__asan_init" in subprocess.run(
            ["nm", self.warpspec], capture_output=True, text=True, check=False).stdout)
        self.plain = {k: v for k, v in self.env.items() if k != "LD_PRELOAD"}
        self.run = Run("run", self.warpspec, ["--refdut", "--jobs", "2"], SOME)
        self.run.learn(self.go(self.run.words))

    def wanted(self, name):
        return not self.only or any(word in name for word in self.only)

    def tell(self, name, wrong, got=None):
        if not wrong:
            self.passed += 1
            print("ok " + name, flush=True)
            return
        self.failed += 1
        print(f"not ok {name}\n  {wrong}", flush=True)
        if got:
            print("  " + "\n  ".join(got.err.strip().split("\n")[-3:] +
                                     sorted(set(self.run.reasons(got).split("\n")))[:4]))

    def go(self, words, fault=None, at="run"):
        return execute(words, fault or Fault(COUNT), os.path.join(self.folder, at),
                       self.env if fault else self.plain, 120)

    def judge(self, got, reason, due=(0, 2, 3, 4)):
        """None, or what is wrong. REASON: what the line of an error names."""
        if got.status is None:
            return "no end"
        if got.status not in due:
            return f"status {got.status}"
        if got.status == 0:
            return self.run.is_whole(got)
        wrong = self.run.is_honest(got, False)
        if wrong:
            return f"status {got.status}, but {wrong}"
        if not re.search(reason, got.err + self.run.reasons(got)):
            return f"status {got.status}, and the reason is not there"
        return None

    # --- clocks -------------------------------------------------------------

    def clocks(self):
        for part, of in enumerate(("suite", "workers", "device")):
            for off in (-LONG, -DAY, 3600, LONG):
                name = f"the wall clock of the {of} jumps by {off} s"
                if not self.wanted(name):
                    continue
                got = self.go(self.run.words, Fault(JUMP, part, at=40, off=off))
                wrong = self.judge(got, "$^", (0,))
                if not wrong and not part and not got.hits:
                    wrong = "nobody looked at the clock"
                if not wrong:
                    with open(os.path.join(got.folder, "r.json"), encoding="utf-8") as f:
                        report = json.load(f)
                    if report["finished"] < report["started"]:
                        wrong = f"finished {report['finished']}, started {report['started']}"
                self.tell(name, wrong, got)

    # --- processes that stop --------------------------------------------------

    def stopped(self):
        # Long enough to be met in its middle on a busy host, too; nothing is skipped.
        more = ["mpa/crc", "mpa/rtr_sent", "rdmap/header", "ddp/lengths", "ddp/alignments",
                "ddp/page_edges", "ddp/msn_bits", "ddp/stag_bits"]
        words = self.run.words[:-len(SOME)] + more
        whole = None
        for whom in ("all", "the suite", "the workers", "the device"):
            name = f"{whom} stopped for {STOP:g} s"
            if not self.wanted(name):
                continue
            if not whole:
                whole = Run("whole", self.warpspec, ["--refdut", "--jobs", "2"], more)
                whole.learn(self.go(whole.words))
            at = os.path.join(self.folder, "stopped")
            shutil.rmtree(at, ignore_errors=True)
            os.mkdir(at)
            with open(at + ".err", "wb+") as err:
                child = subprocess.Popen(words, cwd=at, stderr=err, stdin=subprocess.DEVNULL,
                                         env=self.plain, start_new_session=True)
                # The journal has its first lines: the run is in the middle.
                journal = os.path.join(at, "j")
                until = time.monotonic() + 20
                while time.monotonic() < until and child.poll() is None and \
                        (not os.path.exists(journal) or os.path.getsize(journal) < 8000):
                    time.sleep(0.002)
                pids = self.pids(child.pid, whom)
                while whom == "the workers" and not pids and child.poll() is None:
                    pids = self.pids(child.pid, whom)
                for pid in pids:
                    os.kill(pid, signal.SIGSTOP)
                time.sleep(STOP)
                for pid in pids:
                    try:
                        os.kill(pid, signal.SIGCONT)
                    except ProcessLookupError:
                        pass
                try:
                    status = child.wait(timeout=120)
                except subprocess.TimeoutExpired:
                    status = None
                    os.killpg(child.pid, signal.SIGKILL)
                err.seek(0)
                got = Stopped(status, err.read().decode(errors="replace"), at)
            before, self.run = self.run, whole
            wrong = "there was nobody to stop" if not pids else \
                self.judge(got, LATE + "|no reply|does not answer|hung|crashed|not run")
            if wrong and os.environ.get("KEEP"):
                shutil.copytree(at, os.environ["KEEP"], dirs_exist_ok=True)  # KEEP=DIR
            self.tell(name, wrong, got)
            self.run = before

    def pids(self, suite, whom):
        """Of a run: itself, its workers, and its device, which is no member of its group."""
        children = subprocess.run(["pgrep", "-P", str(suite)], capture_output=True, text=True,
                                  check=False).stdout.split()
        found = {"the suite": [suite], "the workers": [], "the device": []}
        for pid in map(int, children):
            try:
                with open(f"/proc/{pid}/comm", encoding="ascii") as f:
                    name = f.read().strip()
            except OSError:
                continue
            found["the device" if name == "warpspec-refdut" else "the workers"].append(pid)
        return sum(found.values(), []) if whom == "all" else found[whom]

    # --- what is missing -------------------------------------------------------

    def lacking(self, name, before, reason, words=None, due=(0, 2, 3, 4)):
        if self.wanted(name):
            got = self.go(before + (words or self.run.words))
            self.tell(name, self.judge(got, reason, due), got)

    def short(self):
        self.lacking("64 descriptors", ["prlimit", "--nofile=64"], "files", due=(0,))
        self.lacking("20 descriptors", ["prlimit", "--nofile=20"], "files")
        self.lacking("8 descriptors", ["prlimit", "--nofile=8"], "files")
        self.lacking("64 MiB of memory", ["prlimit", f"--data={64 << 20}"], "memory", due=(0,))
        for mib in (96, 48, 24):
            self.lacking(f"an address space of {mib} MiB", ["prlimit", f"--as={mib << 20}"],
                         "memory|cannot be started|shared|allocate|map",
                         due=(0, 2, 3, 4, 127))
        if os.geteuid() != 0:
            return
        os.chmod(self.folder, 0o755)
        for most in (20, 6, 3, 2):
            at = os.path.join(self.folder, "theirs")
            words = ["sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", at] + \
                ["prlimit", f"--nproc={most}"] + NOBODY + self.run.words
            if not self.wanted(f"{most} processes"):
                continue
            shutil.rmtree(at, ignore_errors=True)
            os.mkdir(at)
            os.chown(at, 65534, 65534)
            got = self.go(words)
            got.folder = at
            self.tell(f"{most} processes", self.judge(got, "temporarily unavailable"), got)

    def apart(self):
        """In namespaces of their own."""
        def within(script, *flags):
            return ["unshare", *flags, "sh", "-c", script + ' && exec "$@"', "sh"]

        if subprocess.run(within("true", "-m", "-n") + ["true"], capture_output=True,
                          check=False).returncode:
            print("skip namespaces: this machine allows none")
            return
        self.lacking("no /proc", within("mount -t tmpfs none /proc", "-m"),
                     "/proc/self/exe: No such file")
        self.lacking("no network", within("true", "-n"), "unreachable|No route|assign")
        up = "ip link set lo up && "
        self.lacking("no IPv6", within(up + "sysctl -qw net.ipv6.conf.all.disable_ipv6=1", "-n"),
                     "$^", due=(0,))
        self.lacking("no IPv6, and it is asked for",
                     within(up + "sysctl -qw net.ipv6.conf.all.disable_ipv6=1", "-n"),
                     "assign|IPv6", self.run.words + ["--family", "6"])
        self.lacking("four free ports",
                     within(up + "sysctl -qw net.ipv4.ip_local_port_range='40000 40003'", "-n"),
                     "in use|assign|no port")
        self.lacking("one free port",
                     within(up + "sysctl -qw net.ipv4.ip_local_port_range='40000 40000'", "-n"),
                     "in use|assign|no port")
        self.lacking("a folder that is read-only",
                     within("mount -t tmpfs -o ro none . && cd .", "-m"), "Read-only")
        self.lacking("a folder without room",
                     within("mount -t tmpfs -o size=4k none . && cd .", "-m"), "No space")


class Stopped:
    """What a run left that was stopped for a time."""

    def __init__(self, status, err, folder):
        self.status, self.err, self.folder = status, err, folder


def main():
    folder = tempfile.mkdtemp(prefix="faults.")
    try:
        host = Host(os.path.realpath(sys.argv[1]), folder)
        host.clocks()
        host.stopped()
        host.short()
        host.apart()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"host: {host.passed} passed, {host.failed} failed")
    return 1 if host.failed or not host.passed else 0


if __name__ == "__main__":
    sys.exit(main())

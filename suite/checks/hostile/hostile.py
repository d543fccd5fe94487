#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""hostile.py BUILD [WORD...] - hostile devices, strangers and agents.

Each file below devices/, strangers/ and agents/ is one attack:

    devices/    the TCP of the device, changed on the wire; over the raw link
    strangers/  a third host on the segment; over the raw link
    agents/     a man in the middle of suite and agent

A run ends in time, within a bound of memory, with a status and a report; and no
process crashes. Whatever a stranger does, and where the device's TCP is odd but
right, each case has the verdict that it has without that, or is an ERROR. Where
a device or an agent does harm, no other case has another verdict than without.

WORD: only the attacks with one of these in their names. May be set: CASES, the
cases that run; T, the seconds after which no further attack begins; PART, which begins.
All of it runs in a network namespace; if the machine allows none, the check says
so. Exit: 0 all ok."""
import collections
import glob
import importlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = ("foundations mpa/crc mpa/close mpa/tcp_segments mpa/startup ddp/queue "
         "rdmap/read rdmap/terminate")
RUN_S = 150        # then a run hangs
MEMORY_MIB = 400   # the most of any process of the suite
JOBS = 2
EACH = 12          # every so many-th connection meets a device that does harm
ACCUSES = ("fail", "warn", "blocked")
CRASHED = re.compile(r"crashed|hung, and was ended|Assertion|Sanitizer")

Ended = collections.namedtuple("Ended", "status seconds mib err cases")


def enter(build):
    """Run again in a network namespace; return only if there is none."""
    for own in (["unshare", "-n"], ["unshare", "-rn"]):
        if subprocess.run([*own, "true"], stderr=subprocess.DEVNULL,
                          check=False).returncode == 0:
            os.execvp("unshare", [*own, sys.executable,
                                  os.path.abspath(__file__), build, "inside",
                                  *sys.argv[2:]])


def ip(*lines):
    for line in lines:
        subprocess.run(["ip", *line.split()], check=True)


def furnish():
    """Two segments: device0 and peer0 on one; device1 and peer1 with a wire of
    ours between them, whose ends are wire0 and wire1."""
    ip("link set lo up",
       "link add device0 type veth peer name peer0",
       "link add device1 type veth peer name wire0",
       "link add peer1 type veth peer name wire1")
    for name in ("device0", "peer0", "device1", "wire0", "peer1", "wire1"):
        with open(f"/proc/sys/net/ipv6/conf/{name}/disable_ipv6", "w",
                  encoding="ascii") as f:
            f.write("1")
    # On the wire a segment is a frame.
    ip("link set device1 gso_max_segs 1")
    for name in ("device0", "peer0", "device1", "wire0", "peer1", "wire1"):
        ip(f"link set {name} up")


class Process:
    """A program that prints a line when it is ready, and one at SIGTERM."""

    def __init__(self, *words):
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, text=True)
        self.line = self.process.stdout.readline().strip()

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        said = self.process.stdout.read().strip()
        self.process.wait()
        return int(said) if said.isdigit() else 0


class Hostile:
    def __init__(self, build, folder):
        self.warpspec = os.path.join(build, "warpspec")
        self.refdut = os.path.join(build, "warpspec-refdut")
        self.folder = folder
        self.cases = os.environ.get("CASES", "") or CASES
        self.passed = self.failed = 0
        with open(f"{folder}/token", "w", encoding="ascii") as f:
            f.write("a secret of the checks\n")

    def tell(self, name, figures, wrong):
        if wrong:
            self.failed += 1
            print(f"not ok {name}: {figures}", *wrong, sep="\n  ", flush=True)
        else:
            self.passed += 1
            print(f"ok {name}: {figures}", flush=True)

    # --- runs ---

    def device(self, interface):
        """A device at 10.77.0.2 on this interface."""
        subprocess.run(["ip", "addr", "flush", "to", "10.77.0.2"], check=True)
        ip(f"addr add 10.77.0.2/24 dev {interface}")
        device = Process(self.refdut, "--bind", "10.77.0.2", "--agent-port",
                         "0", "--startup-timeout-ms", "1000", "--token-file",
                         f"{self.folder}/token")
        return device, device.line.split("agent ")[-1]

    def raw_file(self, agent, interface):
        with open(f"{self.folder}/raw.ini", "w", encoding="ascii") as f:
            f.write(f"[device]\nagent = {agent}\n"
                    f"token-file = {self.folder}/token\n[link]\nkind = raw\n"
                    f"interface = {interface}\naddress = 10.77.0.3/24\n")
        return f"{self.folder}/raw.ini"

    def agent_file(self, port):
        with open(f"{self.folder}/agent.ini", "w", encoding="ascii") as f:
            f.write(f"[device]\nagent = 127.0.0.1:{port}\n")
        return f"{self.folder}/agent.ini"

    def run(self, file):
        report = f"{self.folder}/report.json"
        if os.path.exists(report):
            os.remove(report)
        before = time.monotonic()
        with open(f"{self.folder}/err", "w+", encoding="utf-8",
                  errors="replace") as err:
            suite = subprocess.Popen(
                [self.warpspec, "run", "--quiet", "-d", file, "--jobs",
                 str(JOBS), "--report", "json=" + report, *self.cases.split()],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=err)
            alarm = subprocess.Popen(["sleep", str(RUN_S)])
            pids = {suite.pid, alarm.pid}
            first, status, usage = os.wait3(0)
            if first == alarm.pid:
                suite.kill()
                _, status, usage = os.wait4(suite.pid, 0)
            else:
                alarm.kill()
                os.wait4(alarm.pid, 0)
            assert first in pids
            err.seek(0)
            said = err.read()
        cases = {}
        if os.path.exists(report):
            with open(report, encoding="utf-8") as f:
                cases = {c["id"]: c for c in json.load(f)["cases"]}
        return Ended(os.waitstatus_to_exitcode(status),
                     time.monotonic() - before, usage.ru_maxrss / 1024, said,
                     cases)

    # --- judgement ---

    @staticmethod
    def sound(ended):
        """What is wrong with a run, whatever its verdicts are."""
        wrong = []
        if ended.status not in (0, 1, 3, 4):
            wrong.append(f"status {ended.status}: {ended.err[:300]}")
        if not ended.cases:
            wrong.append("no report")
        if ended.mib > MEMORY_MIB:
            wrong.append(f"{ended.mib:.0f} MiB")
        for name, case in ended.cases.items():
            if CRASHED.search(case.get("reason", "")):
                wrong.append(f"{name}: {case['reason']}")
        return wrong

    @staticmethod
    def other(clean, ended):
        """Cases with another verdict than without the attack."""
        return [(name, case) for name, case in ended.cases.items()
                if case["verdict"] != clean[name]["verdict"]]

    @staticmethod
    def lines(cases):
        return [f"{name}: {case['verdict']}: " +
                " ".join((case.get("reason") or case.get("detail") or ""
                          ).split())[:200]
                for name, case in cases[:6]]

    def judge(self, name, clean, ended, harm, did):
        """harm: None: no verdict may be another one, but ERROR; else so many
        cases may have another one."""
        wrong = self.sound(ended)
        other = self.other(clean, ended)
        errors = [o for o in other if o[1]["verdict"] == "error"]
        blocked = [o for o in other if o[1]["verdict"] == "blocked"]
        accused = [o for o in other if o[1]["verdict"] != "error"]
        if harm is None:
            wrong += self.lines(accused)
        elif len(other) - len(blocked) > harm:
            wrong.append(f"{len(other) - len(blocked)} cases have another "
                         "verdict")
            wrong += self.lines(accused)
        if not did:
            wrong.append("the attack did nothing")
        reasons = collections.Counter(
            " ".join(c.get("reason", "").split())[:90] for _, c in errors)
        self.tell(name, f"{did} times, {len(accused)} other verdicts, "
                  f"{len(errors)} of {len(clean)} ERROR, "
                  f"{ended.seconds:.1f} s, {ended.mib:.0f} MiB" +
                  "".join(f"\n  {n} ERROR: {reason}"
                          for reason, n in reasons.most_common(3)), wrong)

    # --- attacks ---

    def over_wire(self, name, clean):
        attack = importlib.import_module("devices." + name)
        harmless = attack.VERDICTS == "clean"
        device, agent = self.device("device1")
        wire = Process(sys.executable, f"{HERE}/wire.py", "wire0", "wire1",
                       name, "1" if harmless else str(EACH))
        ended = self.run(self.raw_file(agent, "peer1"))
        did = wire.end()
        device.end()
        self.judge("devices/" + name, clean, ended,
                   None if harmless else did, did)

    def from_stranger(self, name, clean):
        device, agent = self.device("device0")
        stranger = Process(sys.executable, f"{HERE}/stranger.py", "device0",
                           name)
        ended = self.run(self.raw_file(agent, "peer0"))
        did = stranger.end()
        device.end()
        self.judge("strangers/" + name, clean, ended, None, did)

    def in_the_middle(self, name, clean):
        attack = importlib.import_module("agents." + name)
        device = Process(self.refdut, "--agent-port", "0",
                         "--startup-timeout-ms", "250")
        middle = Process(sys.executable, f"{HERE}/middle.py",
                         device.line.rsplit(":", 1)[-1], name)
        ended = self.run(self.agent_file(middle.line))
        did = middle.end()
        device.end()
        self.judge("agents/" + name, clean, ended,
                   did if attack.MAY_FAIL else None, did)

    def clean(self, raw):
        device = Process(self.refdut, "--agent-port", "0",
                         "--startup-timeout-ms", "250")
        file = self.agent_file(device.line.rsplit(":", 1)[-1])
        if raw:
            device.end()
            device, agent = self.device("device0")
            file = self.raw_file(agent, "peer0")
        ended = self.run(file)
        device.end()
        if ended.status:
            print(f"not ok without attack: status {ended.status}: {ended.err}")
            sys.exit(1)
        return ended.cases


def main():
    os.chdir(HERE)
    sys.path.insert(0, HERE)
    kinds = {"devices": Hostile.over_wire, "strangers": Hostile.from_stranger,
             "agents": Hostile.in_the_middle}
    attacks = [(kind, os.path.basename(file)[:-3]) for kind in kinds
               for file in sorted(glob.glob(f"{kind}/*.py"))]
    words = sys.argv[3:]
    attacks = [a for a in attacks
               if not words or any(w in "/".join(a) for w in words)]
    first = int(os.environ.get("PART") or 0) % max(1, len(attacks))
    until = time.monotonic() + float(os.environ.get("T") or 1e9)
    with tempfile.TemporaryDirectory() as folder:
        hostile = Hostile(sys.argv[1], folder)
        furnish()
        clean = {}
        for kind, name in attacks[first:] + attacks[:first]:
            if time.monotonic() > until:
                break
            raw = kind != "agents"
            if raw not in clean:
                clean[raw] = hostile.clean(raw)
            kinds[kind](hostile, name, clean[raw])
    print(f"hostile: {hostile.passed} passed, {hostile.failed} failed")
    sys.exit(1 if hostile.failed or not hostile.passed else 0)


if len(sys.argv) < 2:
    sys.exit("usage: hostile.py BUILD [WORD...]")
if sys.argv[2:3] != ["inside"]:
    enter(os.path.realpath(sys.argv[1]))
    print("hostile: not here: no network namespace can be made")
    sys.exit(0)
main()

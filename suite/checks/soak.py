#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""soak.py BUILD - runs of every kind for T seconds (600), in a random order:
whole runs over each link, exploration, a suite, a worker or a device that is
killed, a network that is interrupted, a disk that is full. All of them meet the
same two devices, which live as long as the soak.

After each run the machine is as before: processes, network namespaces,
interfaces, mounts, shared memory, temporary files, and the descriptors and the
memory of the devices. The verdicts are those of the first run over that link. A
run that was disturbed may have an ERROR instead, but no other verdict; after a
kill or a full disk it is resumed, and then has the same verdicts.

SEED selects the order, and the moment of each disturbance. CASES are the cases
that run (default: all), KINDS the kinds of runs (default: all), RUN=N only the
N-th run, after the first runs of each link.

Everything happens in namespaces of its own, so that nothing else on the machine
is counted. If the machine allows none, the soak says so. Exit: 0 all ok, 1 not."""
import collections
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

LINKS = ("socket", "raw", "sctp")
HERE = "/tmp/soak"  # in the mount namespace of the soak
SETTLES_S = 10      # how long processes and descriptors may take to be gone
RUN_S = 300         # then a run hangs
DEVICE_MIB = 8      # a device may keep so much more than after the first round
SUITE_FACTOR = 2    # a run may need so many times the memory of the first
DRAFT = re.compile(r"^\.warpspec-|\.part$|\.new$")

Machine = collections.namedtuple(
    "Machine", "processes namespaces interfaces mounts shared files devices")
Ended = collections.namedtuple("Ended", "status err cases")


class Failed(Exception):
    """A run, or the machine after it, is not as it should be."""


# --- namespaces of its own ----------------------------------------------


def enter(build):
    """Run again as the first process of new namespaces; return only if the
    machine allows none."""
    own = ["--mount", "--pid", "--fork", "--kill-child", "--net", "--ipc",
           "--mount-proc"]
    for more in ([], ["--user", "--map-root-user"]):
        command = ["unshare", *more, *own]
        if subprocess.run([*command, "true"], stderr=subprocess.DEVNULL,
                          check=False).returncode == 0:
            os.execvp("unshare", [*command, sys.executable,
                                  os.path.abspath(__file__), build, "inside"])


def command(*words):
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL)


def furnish(build):
    """Empty folders for temporary files, the programs, and a network: the
    suite at 10.77.0.1, the devices at 10.77.0.2 in the namespace `dut`."""
    programs = {}
    for name in ("warpspec", "warpspec-refdut"):
        with open(os.path.join(build, name), "rb") as f:
            programs[name] = f.read()
    os.chdir("/")
    command("mount", "--make-rprivate", "/")
    for folder in ("/tmp", "/var/tmp", "/dev/shm", "/run"):
        command("mount", "-t", "tmpfs", "-o", "mode=1777", "soak", folder)
    os.makedirs(HERE + "/bin")
    for name, octets in programs.items():
        with open(f"{HERE}/bin/{name}", "wb") as f:
            f.write(octets)
        os.chmod(f"{HERE}/bin/{name}", 0o755)
    os.makedirs(HERE + "/home")
    os.environ.update(TMPDIR="/tmp", HOME=HERE + "/home", LC_ALL="C")
    # It makes a folder of its own.
    command("mount", "-t", "tmpfs", "soak", HERE + "/home")
    command("umount", HERE + "/home")
    command("ip", "netns", "add", "dut")
    for line in (
            "link set lo up",
            "link add peer0 mtu 9216 type veth peer name device0 mtu 9216 netns dut",
            "addr add 10.77.0.1/24 dev peer0", "link set peer0 up"):
        command("ip", *line.split())
    for line in ("link set lo up", "addr add 10.77.0.2/24 dev device0",
                 "link set device0 up"):
        command("ip", "-n", "dut", *line.split())


class Device:
    """A reference device in the namespace `dut`, with a device file for each
    link."""

    def __init__(self, folder):
        self.process = subprocess.Popen(
            ["ip", "netns", "exec", "dut", HERE + "/bin/warpspec-refdut",
             "--bind", "10.77.0.2", "--agent-port", "0",
             "--startup-timeout-ms", "1000", "--token-file",
             HERE + "/token"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.pid = self.process.pid
        agent = self.process.stdout.readline().split("agent ")[-1].strip()
        self.files = {}
        for link in LINKS:
            self.files[link] = f"{folder}/{link}.ini"
            with open(self.files[link], "w", encoding="utf-8") as f:
                f.write(f"[device]\nagent = {agent}\n"
                        f"token-file = {HERE}/token\n[link]\nkind = {link}\n")
                if link == "raw":
                    f.write("interface = peer0\naddress = 10.77.0.3/24\n")

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def kib(self):
        with open(f"/proc/{self.pid}/status", encoding="utf-8") as f:
            return int(re.search(r"VmRSS:\s+(\d+)", f.read()).group(1))

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait()
        self.process.stdout.close()


# --- the machine ----------------------------------------------------------


def family(pid):
    """The processes below this one."""
    found = [pid]
    for p in found:
        try:
            for task in os.listdir(f"/proc/{p}/task"):
                with open(f"/proc/{p}/task/{task}/children",
                          encoding="utf-8") as f:
                    found += [int(n) for n in f.read().split()]
        except (FileNotFoundError, ProcessLookupError):
            pass
    return found[1:]


def reap(ours):
    """The first process of a namespace inherits the orphans of all others."""
    for pid in family(os.getpid()):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
                state, parent = f.read().rsplit(")", 1)[1].split()[:2]
            if state == "Z" and int(parent) == os.getpid() and pid not in ours:
                os.waitpid(pid, os.WNOHANG)
        except (FileNotFoundError, ProcessLookupError, ChildProcessError):
            pass


def namespaces():
    found = set()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            found.add(os.readlink(f"/proc/{pid}/ns/net"))
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            pass
    return found


def lines_of(path):
    with open(path, encoding="utf-8") as f:
        return f.read().splitlines()


def read_machine(devices):
    reap({d.pid for d in devices})
    processes = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", encoding="utf-8") as f:
                processes[int(pid)] = f.read().replace("\0", " ")[:100]
        except (FileNotFoundError, ProcessLookupError):
            pass
    files = {os.path.join(folder, name)
             for top in ("/tmp", "/var/tmp", "/run")
             for folder, folders, names in os.walk(top)
             for name in folders + names}
    return Machine(
        {f"{pid} {what}" for pid, what in processes.items()}, namespaces(),
        {line.split(":")[0].strip() for line in lines_of("/proc/net/dev")[2:]},
        {line.split(" - ")[0].split(" ", 4)[4]
         for line in lines_of("/proc/self/mountinfo")},
        set(os.listdir("/dev/shm")) | set(lines_of("/proc/sysvipc/shm")[1:]),
        files, {f"device {d.pid}: {d.descriptors()} descriptors"
                for d in devices})


def differences(before, after):
    return [f"{name}: {'+' if one in new else '-'} {one}"
            for name, old, new in zip(Machine._fields, before, after)
            for one in sorted(old ^ new)]


def settles(before, devices):
    """Other programs end in their own time; their state can only be polled."""
    end = time.monotonic() + SETTLES_S
    while True:
        unlike = differences(before, read_machine(devices))
        if not unlike:
            return
        if time.monotonic() > end:
            raise Failed("\n".join(["is left:", *unlike[:12]]))
        time.sleep(0.02)


# --- the runs --------------------------------------------------------------


class Soak:
    def __init__(self, seed, cases):
        self.seed, self.cases = seed, cases
        self.first = {}   # link: verdicts by case
        self.kib = {}     # kind of command: the memory of the first
        with open(HERE + "/token", "w", encoding="utf-8") as f:
            f.write("a secret of the soak\n")
        self.device = Device(HERE)
        self.other = Device(HERE + "/home")
        self.devices = [self.device, self.other]

    # A command, with its folder.

    def run(self, link, folder, *options, device=None):
        return [HERE + "/bin/warpspec", "run", "--quiet", "-d",
                (device or self.device).files[link], "--report",
                f"json={folder}/report.json", *options, *self.cases]

    def start(self, words, folder):
        with open(folder + "/err", "ab") as err:
            return subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL,
                                    stdout=subprocess.DEVNULL, stderr=err)

    def ends(self, process, folder, sort):
        """Wait for it; its verdicts, if it wrote a report, and the memory of
        its largest process."""
        end = time.monotonic() + RUN_S
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > end:
                process.kill()
                os.wait4(process.pid, 0)
                raise Failed(f"hangs: ended after {RUN_S} s")
            time.sleep(0.02)
        process.returncode = os.waitstatus_to_exitcode(status)
        with open(folder + "/err", encoding="utf-8", errors="replace") as f:
            err = f.read()
        if sort:
            most = self.kib.setdefault(sort, usage.ru_maxrss) * SUITE_FACTOR
            if usage.ru_maxrss > most:
                raise Failed(f"needs {usage.ru_maxrss} KiB; the first "
                             f"needed {self.kib[sort]}")
        return Ended(process.returncode, err,
                     cases_of(folder + "/report.json"))

    def finishes(self, words, folder, sort=None):
        return self.ends(self.start(words, folder), folder, sort)

    def disturbed_at(self, process, journal, part):
        """Wait until this part of the cases is in the journal."""
        due = 1 + int(part * len(self.first["socket"]))
        end = time.monotonic() + RUN_S
        while count_lines(journal) < due:
            if is_gone(process.pid):
                return False
            if time.monotonic() > end:
                raise Failed("hangs before it was disturbed")
            time.sleep(0.005)
        return not is_gone(process.pid)

    # What is due.

    def as_first(self, ended, link, status=0):
        unlike = self.unlike(ended, link)
        if ended.status != status or unlike:
            raise Failed("\n".join([f"status {ended.status}, not {status}",
                                    *unlike[:12], ended.err[-600:]]))
        return f"{len(ended.cases)} verdicts"

    def as_first_or_error(self, ended, link, statuses):
        """Nothing but an ERROR takes the place of a verdict; a case that
        depends on such a case is BLOCKED."""
        unlike = self.unlike(ended, link, ("error", "blocked"))
        if ended.status not in statuses or unlike or not ended.cases:
            raise Failed("\n".join([
                f"status {ended.status}, not one of {statuses}", *unlike[:12],
                ended.err[-600:]]))
        errors = sum(v == "error" for v in verdicts(ended).values())
        return f"status {ended.status}, {errors} of {len(ended.cases)} ERROR"

    def unlike(self, ended, link, allowed=()):
        first, now = self.first.get(link, {}), verdicts(ended)
        cases = ended.cases or {}
        return [f"{link}: {case}: was {first.get(case)}, now {now.get(case)}: "
                + " ".join(str(cases.get(case, {}).get(key, ""))
                           for key in ("signature", "reason", "detail")
                           ).replace("\n", "\n    ")
                for case in sorted(first.keys() | now.keys())
                if now.get(case) not in (first.get(case), *allowed)]

    def resumes(self, link, folder, journal):
        ended = self.finishes(self.run(link, folder, "--resume", journal),
                              folder)
        # The captures of earlier cases are missing still, and the run says so.
        status = 4 if "warpspec: capture " in ended.err else 0
        return self.as_first(ended, link, status)

    # The kinds.

    def whole(self, link, folder):
        ended = self.finishes(
            self.run(link, folder, "--journal", folder + "/journal"), folder,
            link)
        if link not in self.first:
            if ended.status or not ended.cases:
                raise Failed(f"status {ended.status}\n{ended.err[-600:]}")
            self.first[link] = verdicts(ended)
        return self.as_first(ended, link)

    def kind_socket(self, _, folder):
        return self.whole("socket", folder)

    def kind_raw(self, _, folder):
        return self.whole("raw", folder)

    def kind_sctp(self, _, folder):
        return self.whole("sctp", folder)

    def kind_built_in(self, rng, folder):
        """The device, and on the raw link the network, are the run's own."""
        link = rng.choice(LINKS)
        ended = self.finishes(
            [HERE + "/bin/warpspec", "run", "--quiet", "--refdut", "--link",
             link, "--captures", folder + "/captures", "--captures-of",
             "failures", "--report", f"json={folder}/report.json", *self.cases],
            folder, "built-in " + link)
        if not ended.status and ended.cases:
            self.first.setdefault("built-in " + link, verdicts(ended))
        return f"{link}, {self.as_first(ended, 'built-in ' + link)}"

    def kind_explore(self, rng, folder):
        link = rng.choice(("socket", "raw"))
        seed = rng.randrange(1 << 30)
        ended = self.finishes(
            [HERE + "/bin/warpspec", "explore", "--quiet", "-d",
             self.device.files[link], "--seed", str(seed), "--ops", "4000",
             "--programs", folder], folder, "explore " + link)
        if ended.status:
            raise Failed(f"{link}, seed {seed}: status {ended.status}\n"
                         f"{ended.err[-600:]}")
        return f"{link}, seed {seed}, nothing found"

    def kind_kill_suite(self, rng, folder):
        link, part = rng.choice(LINKS), rng.uniform(0, 0.9)
        journal = folder + "/journal"
        process = self.start(self.run(link, folder, "--journal", journal),
                             folder)
        killed = self.disturbed_at(process, journal, part)
        below = family(process.pid)
        process.kill()
        process.wait()
        wait_for_end(below)
        if killed and os.path.exists(folder + "/report.json"):
            raise Failed("a report of a run that was killed")
        kept = count_lines(journal)
        return (f"{link}, killed after {kept} cases, then "
                f"{self.resumes(link, folder, journal)}")

    def kind_kill_worker(self, rng, folder):
        link, part = rng.choice(LINKS), rng.uniform(0, 0.9)
        journal = folder + "/journal"
        process = self.start(self.run(link, folder, "--journal", journal),
                             folder)
        self.disturbed_at(process, journal, part)
        below = family(process.pid)
        if below:
            kill(rng.choice(below))
        ended = self.ends(process, folder, None)
        errors = [c for c, v in verdicts(ended).items() if v == "error"]
        if len(errors) > 1:
            raise Failed("one worker was killed, and the cases that are an "
                         f"ERROR are {errors[:9]}")
        said = self.as_first_or_error(ended, link, (0, 4))
        return f"{link}, {said}"

    def kind_device_dies(self, rng, folder):
        link, part = rng.choice(LINKS), rng.uniform(0, 0.9)
        os.mkdir(folder + "/device")
        device = Device(folder + "/device")
        journal = folder + "/journal"
        process = self.start(
            self.run(link, folder, "--journal", journal, device=device), folder)
        died = self.disturbed_at(process, journal, part)
        device.end(rng.choice((signal.SIGKILL, signal.SIGTERM)))
        ended = self.ends(process, folder, None)
        said = self.as_first_or_error(ended, link, (3,) if died else (0, 3))
        return f"{link}, {said}"

    def kind_link_flaps(self, rng, folder):
        link, part = rng.choice(LINKS), rng.uniform(0, 0.9)
        journal = folder + "/journal"
        process = self.start(self.run(link, folder, "--journal", journal),
                             folder)
        self.disturbed_at(process, journal, part)
        times = rng.randint(1, 3)
        for _ in range(times):
            command("ip", "-n", "dut", "link", "set", "device0", "down")
            time.sleep(rng.choice((0.01, 0.1, 0.5, 1.5)))
            command("ip", "-n", "dut", "link", "set", "device0", "up")
            time.sleep(rng.choice((0.01, 0.1, 0.5)))
        ended = self.ends(process, folder, None)
        said = self.as_first_or_error(ended, link, (0, 3, 4))
        return f"{link}, down {times} times, {said}"

    def kind_disk_is_full(self, rng, folder):
        link, kib = rng.choice(LINKS), rng.choice((8, 64, 256, 512, 1024))
        disk, journal = folder + "/disk", folder + "/disk/journal"
        os.mkdir(disk)
        command("mount", "-t", "tmpfs", "-o", f"size={kib}k", "soak", disk)
        try:
            said = self.on_disk(link, disk, journal, rng)
        finally:
            command("umount", disk)
        return f"{link}, {kib} KiB, {said}"

    def on_disk(self, link, disk, journal, rng):
        more = ["--captures", disk + "/captures"] if rng.random() < 0.5 else []
        words = self.run(link, disk, "--journal", journal, *more)
        ended = self.ends(self.start(words, os.path.dirname(disk)),
                          os.path.dirname(disk), None)
        ended = ended._replace(cases=cases_of(disk + "/report.json"))
        if ended.status == 0:
            return self.as_first(ended, link)
        if ended.status != 4 or "No space left on device" not in ended.err:
            raise Failed(f"status {ended.status}\n{ended.err[-600:]}")
        if ended.cases:
            self.as_first_or_error(ended, link, (4,))
        refuse_drafts(disk)
        command("mount", "-o", "remount,size=256m", disk)
        if not count_lines(journal):
            return "status 4"
        for name in ("report.json", "err"):
            if os.path.exists(f"{disk}/{name}"):
                os.unlink(f"{disk}/{name}")
        return f"status 4, then {self.resumes(link, disk, journal)}"

    def kinds(self):
        return {name[5:].replace("_", "-"): getattr(self, name)
                for name in dir(self) if name.startswith("kind_")}

    # One run, and all of them.

    def once(self, number, kind, about):
        folder = f"{HERE}/run-{number}"
        rng = random.Random(f"{self.seed}/{number}")
        before, began = read_machine(self.devices), time.monotonic()
        os.mkdir(folder)
        # The devices' kernel remembers for minutes how narrow a path was.
        command("ip", "-n", "dut", "route", "flush", "cache")
        try:
            said = about(rng, folder)
            refuse_drafts(folder)
        finally:
            shutil.rmtree(folder)
        settles(before, self.devices)
        return f"{said}, {time.monotonic() - began:.1f} s"


def cases_of(report):
    """By id; None: there is no report. One that is not complete is no JSON."""
    try:
        with open(report, encoding="utf-8") as f:
            return {c["id"]: c for c in json.load(f)["cases"]}
    except FileNotFoundError:
        return None
    except (ValueError, KeyError) as e:
        raise Failed(f"{report}: {e}") from e


def verdicts(ended):
    return {i: c["verdict"] for i, c in (ended.cases or {}).items()}


def count_lines(path):
    """Complete ones, without the first, which identifies the run."""
    try:
        with open(path, "rb") as f:
            return max(f.read().count(b"\n") - 1, 0)
    except FileNotFoundError:
        return 0


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def is_gone(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
            return f.read().rsplit(")", 1)[1].split()[0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


def wait_for_end(pids):
    """Workers end with the suite."""
    end = time.monotonic() + SETTLES_S
    while not all(map(is_gone, pids)):
        if time.monotonic() > end:
            raise Failed("processes live on after the suite was killed")
        time.sleep(0.02)


def refuse_drafts(folder):
    left = [name for _, _, names in os.walk(folder) for name in names
            if DRAFT.search(name)]
    if left:
        raise Failed(f"drafts are left: {' '.join(left[:9])}")


def orders(names, rng):
    """Each kind once in each round, in another order."""
    while True:
        yield from rng.sample(names, len(names))


def soak(seconds, seed, cases):
    it = Soak(seed, cases)
    kinds = it.kinds()
    wanted = os.environ.get("KINDS", "").split() or sorted(kinds)
    if not set(wanted) <= kinds.keys():
        sys.exit(f"soak.py: KINDS: {' '.join(sorted(kinds))}")
    only = int(os.environ.get("RUN", 0))
    end = time.monotonic() + seconds
    order = orders(wanted, random.Random(str(seed)))
    passed, failed, number = collections.Counter(), 0, 0
    settled = len(LINKS) + len(wanted)
    kib = 0
    while number < len(LINKS) or (time.monotonic() < end and
                                  (not only or number < only)):
        number += 1
        kind = LINKS[number - 1] if number <= len(LINKS) else next(order)
        if only and len(LINKS) < number != only:
            continue
        try:
            print(f"ok {number} {kind}: {it.once(number, kind, kinds[kind])}",
                  flush=True)
            passed[kind] += 1
            now = max(d.kib() for d in it.devices)
            if number <= settled:
                kib = max(kib, now)
            elif now > kib + 1024 * DEVICE_MIB:
                raise Failed(f"a device has {now} KiB; after the first round "
                             f"it had {kib}")
        except Failed as e:
            print(f"not ok {number} {kind} (SEED={seed} RUN={number})\n  "
                  + str(e).replace("\n", "\n  "), flush=True)
            failed += 1
            if number <= len(LINKS):
                break  # nothing to compare with
    print("of each kind: " + ", ".join(f"{n} {k}" for k, n in
                                       sorted(passed.items())))
    print(f"the device: {it.device.descriptors()} descriptors, "
          f"{it.device.kib()} KiB; {kib} KiB after the first {settled} runs")
    for d in it.devices:
        d.end()
    print(f"soak: {sum(passed.values())} passed, {failed} failed")
    return failed == 0


def main():
    build = os.path.realpath(sys.argv[1])
    if sys.argv[2:] != ["inside"]:
        enter(build)
        print("soak: not here: no namespaces can be made")
        return 0
    seed = int(os.environ.get("SEED") or random.SystemRandom().randrange(10**6))
    seconds = float(os.environ.get("T") or 600)
    print(f"SEED={seed}, for {seconds:g} s", flush=True)
    furnish(build)
    return 0 if soak(seconds, seed,
                     os.environ.get("CASES", "").split()) else 1


if __name__ == "__main__":
    sys.exit(main())

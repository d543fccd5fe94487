# SPDX-License-Identifier: BSD-2-Clause
"""One run of a command under calls_preload.c, with one planned fault."""

import errno
import os
import re
import shutil
import signal
import struct
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
PARTS = ["suite", "worker", "device", "agent"]
COUNT, FAIL, SHORT, INTERRUPTED, NOT_YET, FULL, JUMP = range(7)
EVER = (1 << 64) - 1
STACK = 24
LOG = 4000000
# struct plan of calls_preload.c.
HEAD = "=4I2Qqi7IQ"
AT_STACKS = struct.calcsize(HEAD)
AT_COUNTS = AT_STACKS + 2 * 8 * STACK
# A position-independent program without address randomization.
BASE = 0x555555554000


def read_calls():
    """Names in the order of the enumeration, with their ways to fail."""
    with open(os.path.join(HERE, "calls.def"), encoding="ascii") as f:
        lines = re.findall(r"^(?:CALL|OWN)\((\w+),(.*)\)$", f.read(), re.M)
    return [(name, [getattr(errno, e) for e in re.findall(r"\bE[A-Z]+\b", rest)])
            for name, rest in lines]


CALLS = read_calls()
INDEX = {name: i for i, (name, _) in enumerate(CALLS)}
AT_LOG = AT_COUNTS + 8 * len(PARTS) * len(CALLS)


def build(folder, sanitized):
    """The library, compiled; and the environment that preloads it."""
    library = os.path.join(folder, "preload.so")
    subprocess.run([*os.environ.get("CC", "cc").split(), "-std=c11", "-D_GNU_SOURCE",
                    "-shared", "-fPIC", "-O1", "-fno-builtin", "-I" + os.path.join(HERE, "..", "..", ".."), "-o", library,
                    os.path.join(HERE, "calls_preload.c"), "-ldl"], check=True)
    env = dict(os.environ, LD_PRELOAD=library)
    if sanitized:
        env["ASAN_OPTIONS"] = ("verify_asan_link_order=0:detect_leaks=0:"
                               "allocator_may_return_null=1:handle_abort=0")
    return env


class Fault:
    """Which calls of which part fail, and how."""

    def __init__(self, mode, part=0, call=None, at=1, to=None, error=0, off=0):
        self.mode, self.part, self.call = mode, part, call
        self.at, self.to, self.error, self.off = at, to or at, error, off

    def __str__(self):
        kind = {COUNT: "nothing fails", INTERRUPTED: f"one wait of {self.at}: EINTR",
                NOT_YET: f"one wait of {self.at}: EAGAIN",
                FULL: f"files full after {self.at} bytes",
                JUMP: f"clock off by {self.off} s from look {self.at} on"}.get(self.mode)
        if not kind:
            kind = f"{self.call} {self.at}" + (" and later" if self.to == EVER else "")
            kind += ": one octet" if self.mode == SHORT else \
                f": {errno.errorcode[self.error]}"
        return f"{PARTS[self.part]}: {kind}"

    def write(self, path):
        with open(path, "wb") as f:
            f.write(struct.pack(HEAD, len(CALLS), self.mode, self.part,
                                INDEX.get(self.call, 0), self.at, self.to, self.off,
                                self.error, *[0] * 8))
            f.truncate(AT_LOG + 16 * LOG)


class Outcome:
    """What a command did under a fault."""

    def __init__(self, plan, status, out, err, folder):
        self.status, self.out, self.err, self.folder = status, out, err, folder
        with open(plan, "rb") as f:
            head = struct.unpack(HEAD, f.read(AT_STACKS))
            self.hits, self.crash_part, self.crash_signal, logged, self.in_library = head[9:14]
            self.hit = struct.unpack(f"={STACK}Q", f.read(8 * STACK))
            self.crash = struct.unpack(f"={STACK}Q", f.read(8 * STACK))
            f.seek(AT_LOG)
            self.log = list(struct.iter_unpack("=IIQ", f.read(16 * min(logged, LOG))))

    def points(self):
        """(part, call) to [(n, stack)], in order."""
        seen = {}
        for part_call, n, stack in self.log:
            seen.setdefault((part_call >> 16, part_call & 0xffff), []).append((n, stack))
        return seen


def execute(command, fault, folder, env, limit):
    """Run COMMAND in an empty FOLDER; status None: it did not end."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    plan = folder + ".plan"
    fault.write(plan)
    with open(folder + ".out", "wb+") as out, open(folder + ".err", "wb+") as err:
        child = subprocess.Popen(["setarch", "-R"] + command, cwd=folder,
                                 env=dict(env, FAULTS=plan), stdin=subprocess.DEVNULL,
                                 stdout=out, stderr=err, start_new_session=True)
        try:
            status = child.wait(timeout=limit)
        except subprocess.TimeoutExpired:
            status = None
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.wait()
        out.seek(0)
        err.seek(0)
        said = out.read(), err.read().decode(errors="replace")
    outcome = Outcome(plan, status, *said, folder)
    os.unlink(plan)
    return outcome


def frames(program, stack, most=6):
    """The functions of PROGRAM in a stack, innermost first."""
    offsets = [hex(at - BASE - 1) for at in stack if BASE < at < BASE + (1 << 28)]
    if not offsets:
        return "?"
    said = subprocess.run(["addr2line", "-f", "-s", "-e", program] + offsets[:most],
                          capture_output=True, text=True).stdout.split("\n")
    return " < ".join(f"{name} {at}" for name, at in zip(said[::2], said[1::2]))

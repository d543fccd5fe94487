# SPDX-License-Identifier: BSD-2-Clause
"""The two reference devices of audit_pair.py and audit_pair_sctp.py, their regions,
their streams, and their work."""
import os
import re
import socket
import subprocess

WAIT_MS = 400
# An address of its own: the ports of thousands of ended connections are in use for a
# minute.
HOST = "127.%d.%d.%d" % (1 + (os.getpid() >> 16) % 120, os.getpid() >> 8 & 255,
                         1 + os.getpid() % 250)
ALL = "lw,rr,rw,ra"
WAIT = None        # among works: for what comes of those before it
POSTED_MOST = 48   # works at a time


class Gone(Exception):
    """The agent or its device does not answer."""


class Agent:
    def __init__(self, build, arguments):
        self.process = subprocess.Popen(
            [os.path.join(build, "warpspec-refdut"), "--bind", HOST, "--agent-port", "0",
             "--startup-timeout-ms", "500", *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        port = int(re.search(r"(\d+)\s*$", self.process.stdout.readline()).group(1))
        self.lines = socket.create_connection((HOST, port), 20).makefile("rw")
        hello = self.ask("hello version=1")
        self.features = hello["features"].split(",")
        self.udp = hello.get("sctp-udp", "0")

    def ask(self, request):
        """The reply's keys; {} if the device refuses."""
        try:
            self.lines.write(request + "\n")
            self.lines.flush()
            words = self.lines.readline().split()
            if not words:
                raise Gone
            told = dict(w.split("=", 1) for w in words[1:] if "=" in w)
            if request.startswith("events"):
                for _ in range(int(told.get("n", 0))):
                    self.lines.readline()
        except OSError as e:
            raise Gone from e
        return told if words[0] == "OK" else {}

    def end(self):
        self.process.terminate()
        self.process.wait()


def free_port():
    with socket.create_server((HOST, 0)) as listener:
        return listener.getsockname()[1]


class Region:
    def __init__(self, agent, name, length, access, **more):
        words = "".join(" %s=%s" % (k, v) for k, v in more.items())
        told = agent.ask("reg name=%s len=%d access=%s%s" % (name, length, access, words))
        self.name, self.length, self.access = name, length, access
        self.there = bool(told)
        self.stag, self.to = (int(told.get(k, "0"), 0) for k in ("stag", "to"))
        self.words = {"pd": "foreign", "conn": "foreign", "shared": "shared",
                      "base": "zero-based"}
        self.told = [self.words[k] for k in more if k in self.words]

    def line(self):
        rights = [r for r in self.access.split(",") if r in ("rr", "rw", "ra")]
        return "0x%x:0x%x:%d %s\n" % (self.stag, self.to, self.length,
                                      ",".join((rights or ["none"]) + self.told))

    def at(self, offset=0, flip=0):
        """A place in it, in words of post; `flip`: bits of the STag."""
        return "rstag=0x%x rto=0x%x" % (self.stag ^ flip, (self.to + offset) % 2 ** 64)


class Stream:
    """One connection through a relay, with the ends' own names of it."""

    def __init__(self, passive, active, relay, port, accept="", connect="", rq=8):
        self.ends = passive, active
        self.ids = 0
        self.names = [None, None]
        listener = passive.ask(" ".join(
            ["listen port=%s rq=%d" % (port, rq), *accept.split()])).get("listener")
        if not listener:
            return
        self.names[1] = active.ask(" ".join(
            ["connect addr=%s port=%s rq=8" % (relay.address, relay.port),
             *connect.split()])).get("conn")
        self.names[0] = passive.ask("accept listener=%s timeout-ms=%d" % (
            listener, WAIT_MS)).get("conn")
        if self.names[1]:
            active.ask("state conn=%s timeout-ms=%d" % (self.names[1], WAIT_MS))

    def does(self, end, *works):
        """Post all, and wait for what comes of them: for so many at once, and where
        there is WAIT."""
        posted = 0
        for work in (*works, WAIT):
            if not self.names[end]:
                return
            if work is not WAIT:
                self.ids += 1
                posted += 1
                self.ends[end].ask("post conn=%s id=%d op=%s" % (
                    self.names[end], self.ids, work))
            if posted and (work is WAIT or posted == POSTED_MOST):
                self.ends[end].ask("events conn=%s min=%d max=64 timeout-ms=%d" % (
                    self.names[end], posted, WAIT_MS))
                posted = 0

    def takes(self, end, *lengths):
        for length in lengths:
            self.ends[end].ask("recv conn=%s len=%d" % (self.names[end], length))

    def over(self):
        for end in (1, 0):
            if self.names[end]:
                self.ends[end].ask("close conn=%s" % self.names[end])
        for end in (1, 0):
            if self.names[end]:
                self.ends[end].ask("state conn=%s until=closed timeout-ms=%d" % (
                    self.names[end], WAIT_MS))


def octets(n, seed=7):
    return bytes((i * 73 + seed * 29 + (i >> 8) * 5 + 0x81) & 0xff for i in range(n)).hex()


def fence(source, n=8):
    return "read local=s off=4000 len=%d %s" % (n, source.at())


def uses(x, offset=8):
    return {"write": "write hex=%s %s" % (octets(16), x.at(offset)),
            "read": "read local=s off=0 len=16 " + x.at(offset),
            "atomic": "fetchadd add=1 " + x.at(offset)}


def work_of_all(m):
    return ["send hex=%s" % octets(17), "write hex=%s %s" % (octets(1501), m.at(3)),
            "read local=s off=0 len=1501 " + m.at(3), "fetchadd add=2 " + m.at(2048),
            "cmpswap swap=5 compare=4 " + m.at(2048), "send hex=%s" % octets(4000),
            "imm imm=0011223344556677", fence(m), fence(m, 0)]

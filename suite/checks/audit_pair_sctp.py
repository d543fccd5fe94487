#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""audit_pair_sctp.py BUILD OUT [--mutant NAME | --variant NAME]... - sessions of two
reference devices over SCTP, judged by `warpspec audit --follow lo`. It belongs in a
network namespace of its own: unshare -rn audit_pair_sctp.py ...

One of them is the device as given. The other one breaks no rule that shows, but takes
each association for one of DDP. OUT.responder and OUT.initiator are the reports (JSON);
in either, the device has the role of that name. At last other devices answer its
Initiates wrongly: OUT.initiator-of-none and OUT.initiator-of-none-too.
"""
import os
import subprocess
import sys

sys.dont_write_bytecode = True

from audit_ends import ALL, HOST, Agent, Gone, Region, Stream, octets, work_of_all

build, out, *options = sys.argv[1:]
CARELESS = ["--mutant", "missing_indication_taken,other_indication_taken"]
WRONG_ANSWERS = ("enhanced_accept_of_code_two", "plain_request_answered_enhanced")

# (listen, connect): the parameters of a session.
SESSIONS = (
    ("", ""), ("private=" + octets(500), "private=" + octets(512)),
    ("private=" + octets(3), "private=" + octets(5)), ("", "mpa=2"),
    ("private=" + octets(301), "mpa=2 private=" + octets(303)),
    ("ird=4 ord=2", "mpa=2 ird=3 ord=4"), ("ird=300 ord=300", "mpa=2 ird=300 ord=300"),
    ("ird=8 ord=8", "mpa=2 ird=16383 ord=8"), ("ird=8 ord=8", "mpa=2 ird=8 ord=16383"),
    ("reject=1", ""), ("reject=1 private=01", "mpa=2"),
    ("ird=2 ord=2 need-ord=8", "mpa=2 ird=4 ord=1"),
)


class Follower:
    def __init__(self, report):
        self.process = subprocess.Popen(
            [os.path.join(build, "warpspec"), "audit", "--follow", "lo", "--max-time", "120s",
             "--report", "json=" + report],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.process.stderr.readline()

    def end(self):
        self.process.terminate()
        self.process.communicate(timeout=60)


class Place:
    """Where the passive end listens."""

    def __init__(self, port):
        self.address, self.port = HOST, port


def sessions(passive, active, port, parameters):
    there, here = Region(passive, "m", 4096, ALL), Region(active, "s", 65536, ALL)
    back = ["send hex=0908", "write hex=%s %s" % (octets(1501), here.at(9000)),
            "fetchadd add=1 " + here.at(64)]
    passive.ask("reg name=s len=65536 access=lw,rr,rw")
    for listens, connects in parameters:
        s = Stream(passive, active, Place(port), port, "proto=sctp " + listens,
                   "proto=sctp udp=%s %s" % (passive.udp, connects))
        s.does(1, *work_of_all(there), "read local=s off=0 len=13 " + there.at(5))
        s.does(0, *back)
        s.over()


def judged(part, passive, active, port, parameters):
    follower = Follower("%s.%s" % (out, part))
    try:
        sessions(passive, active, port, parameters)
    except Gone:
        pass
    finally:
        passive.end()
        active.end()
        follower.end()


def main():
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    judged("responder", Agent(build, options), Agent(build, CARELESS), 20001, SESSIONS)
    judged("initiator", Agent(build, CARELESS), Agent(build, options), 20002, SESSIONS)
    for i, wrong in enumerate(WRONG_ANSWERS):
        judged("initiator-of-none" + "-too" * i, Agent(build, ["--mutant", wrong]),
               Agent(build, options), 20003 + i, (("", ""), ("", "mpa=2")))


main()

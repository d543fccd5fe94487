#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""audit_pair.py BUILD OUT [--mutant NAME | --variant NAME]... - a conversation of
two reference devices through `warpspec relay`, which judges both.

One of them is the device as given, the other one is clean. In the first half the
device is the responder: it has regions of every kind, which the relay knows from a
file (--memory), and the other device does ordinary work on them, and provokes
errors as any ULP can: wrong STags, bounds and rights, messages that are too long,
invalidations. In the second half the device is the initiator.

Each stream has one matter. It ends with RDMA Reads of the initiator, whose answers
show that the responder goes on. At last a responder answers its Requests with wrong
Replies, and a device of draft-03 swaps words. OUT.responder, OUT.initiator,
OUT.initiator-of-none and OUT.responder-of-draft are the reports of the relay (JSON); in
each, the sides of that name are the device's.
"""
import os
import socket
import subprocess
import sys
import threading

sys.dont_write_bytecode = True

from audit_ends import (ALL, HOST, WAIT, WAIT_MS, Agent, Gone, Region, Stream, fence,
                        free_port, octets, uses, work_of_all)

build, out, *options = sys.argv[1:]
WARPSPEC = os.path.join(build, "warpspec")
DRAFT = ["--spec", "draft-03"]


class Relay:
    def __init__(self, to, report, *arguments):
        self.process = subprocess.Popen(
            [WARPSPEC, "relay", "--listen", HOST + ":0", "--to", "%s:%s" % (HOST, to),
             "--report", "json=" + report, "--max-time", "120s", *arguments],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        place = self.process.stderr.readline().split()[-1]
        self.address, self.port = place.rsplit(":", 1)

    def end(self):
        self.process.terminate()
        self.process.communicate(timeout=60)


# --- the device is the responder ------------------------------------------------


def accesses(r):
    """(name, works): each is an access that has to be refused."""
    m, end = r["m"], r["m"].length
    top = 2 ** 64 - m.to
    for name, flip in (("low", 1), ("key", 0x40), ("high-of-key", 0x80), ("high", 1 << 31),
                       ("index", 0x100), ("all", m.stag)):
        yield "write-stag-" + name, ["write hex=%s %s" % (octets(16), m.at(8, flip))]
        yield "write-stag-%s-at-0" % name, ["write hex=%s rstag=0x%x rto=0" % (
            octets(16), m.stag ^ flip)]
        yield "read-stag-" + name, ["read local=s off=0 len=16 " + m.at(8, flip)]
        yield "atomic-stag-" + name, ["fetchadd add=1 " + m.at(8, flip)]
        yield "inv-stag-" + name, ["send hex=0102 inv=0x%x" % (m.stag ^ flip)]
    for name, offset, n in (("below", -8, 16), ("one-below", -1, 16), ("far-below", -4096, 16),
                            ("one-beyond", end - 15, 16), ("across", end - 8, 16),
                            ("at-end", end, 16), ("beyond", end + 8, 16),
                            ("far", end + 65536, 16), ("upper-half", 1 << 32, 16),
                            ("upper-quarter", 1 << 48, 16),
                            ("wraps", top - 4, 16), ("long", end - 1500, 3000)):
        yield "write-" + name, ["write hex=%s %s" % (octets(n), m.at(offset))]
        yield "read-" + name, ["read local=s off=0 len=%d %s" % (n, m.at(offset))]
    for name, offset in (("at-end", end), ("below", -8), ("across", end - 4),
                         ("unaligned", 4), ("by-one", 1), ("upper-half", 1 << 32)):
        yield "fetchadd-" + name, ["fetchadd add=1 " + m.at(offset)]
        yield "cmpswap-" + name, ["cmpswap swap=1 compare=0 " + m.at(offset)]
        yield "cmpswap-unlike-" + name, ["cmpswap swap=1 compare=77 " + m.at(offset)]
    for name in ("ro", "wo", "ao", "none", "foreign", "bound"):
        x = r[name]
        if x.there:
            for what, work in uses(x).items():
                yield "%s-%s" % (what, name), [work]
            yield "write-%s-long" % name, ["write hex=%s %s" % (octets(4000), x.at(8))]
    # The right to one kind of access is none to another kind, which follows it.
    for name, right in (("ro", "read"), ("wo", "write"), ("ao", "atomic")):
        for what in ("read", "write", "atomic"):
            if what != right:
                yield "%s-behind-%s-%s" % (what, right, name), [
                    uses(r[name])[right], WAIT, uses(r[name])[what]]
    # Nor is a right to the region that is read meanwhile.
    for name in ("ro", "wo", "ao", "none", "foreign"):
        for what, work in uses(r[name]).items():
            yield "%s-%s-behind-a-read" % (what, name), [fence(r["big"], 60000), work]
    for name in ("ro", "wo", "ao", "none", "foreign", "bound", "shared"):
        if r[name].there:
            yield "inv-" + name, ["send hex=0102 inv=0x%x" % r[name].stag]


def ordinary(r):
    m, end = r["m"], r["m"].length
    for n in (1, 3, 8, 16, 63, 64, 65, 1000, 1450, 3000, 4096):
        yield "write-%d" % n, ["write hex=%s %s" % (octets(n), m.at(end - n))]
        yield "read-%d" % n, ["write hex=%s %s" % (octets(n), m.at()),
                              "read local=s off=0 len=%d %s" % (n, m.at(end - n)),
                              "read local=s off=0 len=%d %s" % (n, m.at())]
        yield "send-%d" % n, ["send hex=%s" % octets(n), "send hex=01", "send hex="]
    yield "atomics", ["write hex=%s %s" % (octets(64), m.at()),
                      "fetchadd add=3 " + m.at(8), "fetchadd add=3 mask=0x8000000000000000 "
                      + m.at(8), "cmpswap swap=9 compare=0 " + m.at(end - 8),
                      "read local=s off=0 len=64 " + m.at()]
    yield "imm", ["imm imm=0011223344556677", "imm imm=8899aabbccddeeff se=1",
                  "send hex=0102", "imm imm=0011223344556677"]
    yield "empty", ["write hex= " + m.at(), "send hex=", "read local=s off=0 len=0 " + m.at(),
                    "write hex= rstag=0 rto=0"]
    yield "many-reads", [fence(m, 8 + i) for i in range(24)]
    yield "many-atomics", ["fetchadd add=1 " + m.at(16) for _ in range(24)]
    yield "solicited", ["send hex=0102 se=1", "send hex=%s se=1" % octets(1500), "send hex=01"]
    yield "invalidation", ["send hex=0102 inv=0x%x" % r["spent"].stag,
                           "write hex=%s %s" % (octets(8), r["spent"].at())]
    yield "invalidation-se", ["send hex=0102 se=1 inv=0x%x" % r["spent-se"].stag,
                              "read local=s off=0 len=8 " + r["spent-se"].at()]
    yield "invalidation-atomic", ["send hex=0102 inv=0x%x" % r["spent-3"].stag,
                                  "fetchadd add=1 " + r["spent-3"].at()]
    yield "second-invalidation", ["send hex=0102 inv=0x%x" % r["spent-4"].stag,
                                  "send hex=0102 inv=0x%x" % r["spent-5"].stag,
                                  "read local=s off=0 len=8 " + r["spent-5"].at()]
    if r["zero"].there:
        yield "zero-based", ["write hex=%s %s" % (octets(64), r["zero"].at()),
                             "read local=s off=0 len=64 " + r["zero"].at()]
        yield "invalidation-zero-based", ["send hex=0102 inv=0x%x" % r["zero"].stag,
                                          "read local=s off=0 len=8 " + r["zero"].at()]
    # The Write shows in which order the device has the octets of a word.
    yield "130-atomics", ["write hex=%s %s" % (octets(8), m.at(24))] + [
        "fetchadd add=1 " + m.at(24)] * 132
    yield "empty-reads", ["read local=s off=0 len=0 " + m.at()] * 70
    # Around page boundaries, and beyond offsets of 16 and of 20 bits.
    for x, offset, n in (("pages", 4090, 16), ("pages", 4095, 2), ("pages", 4000, 1000),
                         ("pages", 8, 8000), ("big", 65536 + 8, 16), ("big", 1 << 20, 16),
                         ("big", (1 << 20) + 4000, 300)):
        yield "%s-%d-%d" % (x, offset, n), [
            "write hex=%s %s" % (octets(n, 3), r[x].at(offset & 0xffff)),
            "write hex=%s %s" % (octets(n, 5), r[x].at(offset)),
            "read local=s off=0 len=%d %s" % (n, r[x].at(offset)),
            "read local=s off=0 len=%d %s" % (n, r[x].at(offset & 0xffff))]


STARTUPS = (
    ("markers", "markers=1", "markers=1"), ("markers-here", "markers=1", ""),
    ("markers-there", "", "markers=1"), ("no-crc", "crc=0", "crc=0"),
    ("no-crc-here", "crc=0", ""), ("no-crc-there", "", "crc=0"),
    ("markers-no-crc", "markers=1 crc=0", "markers=1 crc=0"),
    ("rtr-send", "", "mpa=2 rtr=send"), ("rtr-write", "", "mpa=2 rtr=write"),
    ("rtr-read", "", "mpa=2 rtr=read"), ("rtr-all", "", "mpa=2 rtr=send,write,read"),
    ("rtr-markers", "markers=1", "mpa=2 markers=1 rtr=send,read"),
    ("depths", "ird=4 ord=2", "mpa=2 ird=3 ord=4"), ("deep", "ird=300 ord=300",
                                                       "mpa=2 ird=300 ord=300"),
    ("not-negotiated", "ird=16383 ord=16383", "mpa=2 ird=16383 ord=16383"),
    ("ord-not-negotiated", "ird=8 ord=8", "mpa=2 ird=8 ord=16383"),
    ("ird-not-negotiated", "ird=8 ord=8", "mpa=2 ird=16383 ord=8"),
    ("private", "private=" + octets(500), "private=" + octets(508)),
    ("odd-private", "private=" + octets(3), "private=" + octets(5)),
    ("private-enhanced", "private=" + octets(301), "mpa=2 private=" + octets(303)),
    ("private-rtr", "private=" + octets(30), "mpa=2 rtr=write"),
    ("reject", "reject=1", ""), ("reject-enhanced", "reject=1 private=01",
                                 "mpa=2 rtr=send,write"),
    ("plain", "mpa=1", "mpa=1"), ("revision-2", "", "mpa=2 enhanced=0"),
    ("excess", "ird=2 ord=2 need-ord=8", "mpa=2 ird=4 ord=1"),
)


def responder(device, other):
    first = device.ask("listen port=0 rq=8")
    direct = other.ask("connect addr=%s port=%s rq=8" % (HOST, first["port"]))["conn"]
    bound_to = device.ask("accept listener=%s timeout-ms=2000" % first["listener"]).get("conn")
    regions = {name: Region(device, name, length, access, **more)
               for name, length, access, more in (
                   ("m", 4096, ALL, {}), ("ro", 4096, "lw,rr", {}),
                   ("wo", 4096, "lw,rw", {}), ("none", 4096, "lw", {}),
                   ("foreign", 4096, ALL, {"pd": 1}),
                   ("bound", 4096, ALL, {"conn": bound_to}),
                   ("shared", 4096, ALL, {"shared": 1}),
                   ("ao", 4096, "lw,ra", {}), ("zero", 4096, ALL, {"base": "zero"}),
                   ("pages", 8192, ALL, {}), ("big", (1 << 20) + 65536, ALL, {}),
                   *((name, 4096, ALL, {}) for name in (
                       "spent", "spent-se", "spent-3", "spent-4", "spent-5")))}
    for name in ("m", "pages", "big"):
        regions[name].told.append("untouched")
    memory = out + ".memory"
    with open(memory, "w", encoding="utf-8") as file:
        file.writelines(x.line() for x in regions.values() if x.there)
    m, port = regions["m"], first["port"]
    relay = Relay(port, out + ".responder", "--memory", memory)
    other.ask("reg name=s len=65536 access=lw")
    lent = Region(other, "lent", 65536, "rr")
    for offset in range(0, lent.length, 4096):
        other.ask("fill name=lent off=%d hex=%s" % (offset, octets(4096, 11)))
    try:
        # The device reads into a region that gives its peers no right.
        for what in ("write", "read"):
            s = Stream(device, other, relay, port)
            s.does(1, fence(m))
            s.does(0, "read local=none off=0 len=64 " + lent.at())
            s.does(1, uses(regions["none"])[what], fence(m))
            s.over()
        # What the device has read into a region can be read from it.
        for x, offset, n in (("m", 0, 64), ("pages", 4090, 16), ("pages", 4000, 1000),
                             ("big", 0, 40000), ("big", 65536 + 8, 16)):
            s = Stream(device, other, relay, port)
            s.does(1, "write hex=%s %s" % (octets(64), regions[x].at(offset)),
                   "read local=s off=0 len=64 " + regions[x].at(offset))
            s.does(0, "read local=%s off=%d len=%d %s" % (x, offset, n, lent.at()))
            s.does(1, "read local=s off=0 len=%d %s" % (n, regions[x].at(offset)), fence(m))
            s.over()
        for _, works in [*ordinary(regions), *accesses(regions)]:
            s = Stream(device, other, relay, port)
            s.does(1, fence(m), fence(m, 0))
            s.does(1, *works, fence(m), fence(m, 0))
            s.over()
        for _, here, there in STARTUPS:
            s = Stream(device, other, relay, port, here, there)
            s.does(1, *work_of_all(m))
            s.over()
        for lengths, sends in (((16,), (16, 1)), ((16,), (17, 1)), ((16,), (3000,)),
                               ((3000, 3000), (3000, 3001)), ((3000,), (4400,)),
                               ((0,), (0, 0)), ((0,), (1,)), ((), (5, 1)), ((), (0,))):
            s = Stream(device, other, relay, port, rq=0)
            s.takes(0, *lengths)
            s.does(1, fence(m), *("send hex=%s" % octets(n) for n in sends), fence(m),
                   fence(m, 0))
            s.over()
        # More Requests than there are buffers, though never at once.
        for work in ("fetchadd add=1 " + m.at(16), fence(m)):
            s = Stream(device, other, relay, port, "ird=4 ord=4", "mpa=2 ird=4 ord=4")
            s.does(1, *[work] * 24)
            s.over()
        s = Stream(device, other, relay, port)
        s.does(1, *("send hex=%s" % octets(9 + i) for i in range(4)), fence(m))
        s.does(0, "send hex=0102", "write hex=%s rstag=0 rto=0" % "")
        s.over()
        # A region of another stream, which uses it, and which has ended at last.
        bound = regions["bound"]
        for ended in (False, True):
            if ended:
                other.ask("close conn=%s" % direct)
                device.ask("close conn=%s" % bound_to)
                device.ask("state conn=%s until=closed timeout-ms=%d" % (bound_to, WAIT_MS))
            for work in uses(bound).values():
                if not ended:
                    other.ask("post conn=%s id=1 op=%s" % (direct, work))
                    other.ask("events conn=%s min=1 max=64 timeout-ms=%d" % (direct, WAIT_MS))
                s = Stream(device, other, relay, port)
                s.does(1, work, fence(m), fence(m, 0))
                s.over()
    finally:
        relay.end()


# --- the device is the initiator ----------------------------------------------


def wrong_replies():
    """Each of them permits no stream."""
    def frame(key, private=b""):
        return key + bytes([0x40, 1]) + len(private).to_bytes(2, "big") + private

    yield frame(b"MPA ID Rep Framf")
    yield frame(b"MPA ID Req Frame")
    yield frame(b"MPA ID Rep Frame", bytes(513))


class WrongResponder:
    """Answers each Request with the next wrong Reply."""

    def __init__(self):
        self.listener = socket.create_server((HOST, 0))
        self.port = self.listener.getsockname()[1]
        self.replies = list(wrong_replies())
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        for reply in self.replies:
            stream, _ = self.listener.accept()
            with stream:
                if stream.recv(65536):
                    stream.sendall(reply)
                stream.settimeout(WAIT_MS / 1000)
                try:
                    while stream.recv(65536):
                        pass
                except OSError:
                    pass


def meets_wrong_replies(device):
    """It has work for a stream that never comes up."""
    wrong = WrongResponder()
    relay = Relay(wrong.port, out + ".initiator-of-none")
    try:
        for _ in wrong.replies:
            conn = device.ask("connect addr=%s port=%s rq=8" % (relay.address, relay.port))
            device.ask("post conn=%s id=1 op=send hex=0102" % conn.get("conn"))
            device.ask("state conn=%s until=closed timeout-ms=%d" % (conn.get("conn"), WAIT_MS))
            device.ask("close conn=%s abort=1" % conn.get("conn"))
    finally:
        relay.end()


def initiator(device, other):
    listener = other.ask("listen port=0 rq=8")
    there = Region(other, "m", 4096, ALL)
    here = Region(device, "s", 65536, ALL)
    port = listener["port"]
    relay = Relay(port, out + ".initiator")
    direct = device.ask("connect addr=%s port=%s rq=8" % (HOST, port)).get("conn")
    other.ask("accept listener=%s timeout-ms=2000" % listener["listener"])
    other.ask("reg name=t len=65536 access=lw,rr,rw")
    back = ["send hex=0908", "read local=t off=0 len=1501 " + here.at(),
            "write hex=%s %s" % (octets(1501), here.at(9000)),
            "read local=t off=0 len=8 " + here.at(9000), "fetchadd add=1 " + here.at(64)]
    try:
        for _, responder_words, words in (("as-it-is", "", ""), *STARTUPS):
            s = Stream(other, device, relay, port, responder_words, words)
            s.does(1, *work_of_all(there))
            s.does(0, *back)
            s.over()
        for n in (1, 8, 9, 16, 17, 63, 64, 65, 1450, 3000, 4000):
            s = Stream(other, device, relay, port)
            s.does(1, "write hex=%s %s" % (octets(n), there.at()),
                   "read local=s off=0 len=%d %s" % (n, there.at()),
                   "read local=s off=%d len=%d %s" % (n, n, there.at()),
                   "send hex=%s" % octets(n), "send hex=%s se=1" % octets(n),
                   "imm imm=0011223344556677 se=1", "send hex=", "write hex= " + there.at())
            s.does(0, *back)
            s.over()
        for work in ("write hex=01 " + there.at(0, 0x40), "read local=s off=0 len=8 "
                     + there.at(5000), "fetchadd add=1 " + there.at(4)):
            s = Stream(other, device, relay, port)
            s.does(1, fence(there), work, fence(there), "send hex=01")
            s.over()
        device.ask("close conn=%s" % direct)
    finally:
        relay.end()
    meets_wrong_replies(device)


# --- the device knows the Swap of the drafts -------------------------------------


def responder_of_draft(device, other):
    m = Region(device, "m", 4096, ALL)
    other.ask("reg name=s len=65536 access=lw")
    m.told.append("untouched")
    memory = out + ".memory-of-draft"
    with open(memory, "w", encoding="utf-8") as file:
        file.write(m.line())
    port = free_port()
    relay = Relay(port, out + ".responder-of-draft", "--memory", memory, *DRAFT)
    try:
        s = Stream(device, other, relay, port)
        s.does(1, "write hex=%s %s" % (octets(16), m.at()),
               *["%s %s" % (work, m.at(offset)) for offset in (0, 8) for work in (
                   "fetchadd add=1", "swap swap=0x1122334455667788",
                   "swap swap=0xffeeddccbbaa9988 swap-mask=0xff00 compare-mask=0",
                   "swap swap=7 swap-mask=0", "cmpswap swap=5 compare=7")],
               fence(m, 16))
        s.over()
    finally:
        relay.end()


def main():
    for half, edition in ((responder, []), (initiator, []), (responder_of_draft, DRAFT)):
        device, other = Agent(build, [*edition, *options]), Agent(build, edition)
        try:
            half(device, other)
        except Gone:
            pass
        finally:
            device.end()
            other.end()


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""wire.py DEVICE-SIDE SUITE-SIDE KIND EACH: the wire between a device and the
suite, which changes what the device sends as devices/KIND.py does it, in every
EACH-th connection. The device's own TCP does the rest, so that it is a device
whose TCP misbehaves in that way alone.

Prints "ready", and at SIGTERM the number of connections that it has changed."""
import importlib
import random
import select
import signal
import socket
import sys

from frames import Segment, SYN

DEVICE = "10.77.0.2"
EVERYTHING = 3  # ETH_P_ALL
RCVBUFFORCE = 33
BURST = 64      # frames that are taken before the other side has its turn


def port_of(interface):
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                         socket.htons(EVERYTHING))
    sock.setsockopt(socket.SOL_SOCKET, RCVBUFFORCE, 16 << 20)
    sock.bind((interface, 0))
    sock.setblocking(False)
    return sock


class Wire:
    def __init__(self, device, suite, attack, each):
        self.device, self.suite = port_of(device), port_of(suite)
        self.attack, self.each = attack, each
        self.hears = getattr(attack, "heard", None)
        self.seen, self.changed = {}, set()

    def is_changed(self, segment):
        key = segment.connection()
        if segment.flags & SYN and key not in self.seen:
            self.seen[key] = len(self.seen) % self.each == 0
            if self.seen[key]:
                self.changed.add(key)
        return self.seen.get(key, False)

    def from_device(self, frame):
        segment = Segment.of(frame)
        if not segment or segment.source != DEVICE or \
                not self.is_changed(segment):
            self.send(frame)
            return
        for each in self.attack.segments(segment):
            self.send(each if isinstance(each, bytes) else each.frame())

    def send(self, frame):
        try:
            self.suite.send(frame)
        except BlockingIOError:
            pass  # as if it had got lost

    def forward(self, source, act):
        for _ in range(BURST):
            try:
                frame, where = source.recvfrom(65536 + 14)
            except OSError:  # nothing is left
                return
            if where[2] != socket.PACKET_OUTGOING:
                act(frame)

    def from_suite(self, frame):
        segment = self.hears and Segment.of(frame)
        if segment:
            self.hears(segment)
        try:
            self.device.send(frame)
        except OSError:
            pass

    def serve(self):
        poll = select.poll()
        poll.register(self.device, select.POLLIN)
        poll.register(self.suite, select.POLLIN)
        late = getattr(self.attack, "later", None)
        while True:
            poll.poll(1 if late else None)
            self.forward(self.device, self.from_device)
            self.forward(self.suite, self.from_suite)
            for each in late() if late else ():
                self.send(each.frame())


def main():
    random.seed(1)
    attack = importlib.import_module("devices." + sys.argv[3])
    wire = Wire(sys.argv[1], sys.argv[2], attack, int(sys.argv[4]))

    def over(*_):
        print(len(wire.changed), flush=True)
        sys.exit(0)
    signal.signal(signal.SIGTERM, over)
    print("ready", flush=True)
    wire.serve()


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""stranger.py INTERFACE KIND: a third host on the segment of the suite and of
the device, which sends what strangers/KIND.py does, without end. It knows all
addresses, and the ports of all connections at once; it does not know their
numbers. Prints "ready", and at SIGTERM the number of its frames."""
import collections
import importlib
import random
import select
import signal
import socket
import sys

from frames import Segment

OWN = "10.77.0.222"
OWN_MAC = bytes.fromhex("02770a4d00de")
DEVICE = "10.77.0.2"
LINKS = [f"10.77.0.{last}" for last in range(3, 11)]
RECENT = 64
EVERYTHING = 3  # ETH_P_ALL


class Neighbourhood:
    """What the stranger knows of the segment."""

    def __init__(self, interface):
        self.sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                                  socket.htons(EVERYTHING))
        self.sock.bind((interface, 0))
        self.sock.setblocking(False)
        self.recent = collections.OrderedDict()  # the device's ends first
        self.ports = {}  # of each link, the last one
        self.answers = collections.deque(maxlen=1000)
        self.frames = 0
        self.device_mac = bytes(6)

    def look(self):
        for _ in range(500):
            try:
                frame = self.sock.recv(65536 + 14)
            except OSError:
                return
            segment = Segment.of(frame)
            if segment and segment.source == DEVICE:
                self.device_mac = segment.mac_from
                self.note(segment)
            elif segment and segment.to == DEVICE:
                self.note(segment.answer())
            elif segment and frame[:6] == OWN_MAC:
                self.answers.append(segment)

    def note(self, segment):
        if segment.to not in LINKS:
            return
        key = segment.connection()
        self.recent.pop(key, None)
        self.recent[key] = segment.but(octets=b"", options=b"", seq=0, ack=0,
                                       window=0)
        if len(self.recent) > RECENT:
            self.recent.popitem(last=False)
        if segment.port >= 32768:
            self.ports[segment.to] = segment.port

    def live(self):
        """A recent connection, as a segment of the device."""
        return random.choice(list(self.recent.values())[-16:]) \
            if self.recent else None

    def send(self, frame):
        try:
            self.sock.send(frame)
            self.frames += 1
        except OSError:
            select.select([], [self.sock], [], 0.01)


def main():
    random.seed(1)
    attack = importlib.import_module("strangers." + sys.argv[2])
    segment = Neighbourhood(sys.argv[1])

    def over(*_):
        print(segment.frames, flush=True)
        sys.exit(0)
    signal.signal(signal.SIGTERM, over)
    print("ready", flush=True)
    while True:
        segment.look()
        sent = 0
        for each in attack.frames(segment):
            segment.send(each)
            sent += 1
        if not sent:
            select.select([segment.sock], [], [], 0.01)


main()

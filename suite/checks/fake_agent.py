#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Agents that fail, for cli_test.sh.

    fake_agent.py silent            accepts connections and sends nothing
    fake_agent.py garbage           answers every line with noise
    fake_agent.py liar              answers correctly, but in another version
    fake_agent.py flood             answers with a line that never ends
    fake_agent.py die PORT N        relays to the agent at PORT; after N
                                    requests it closes everything, for good
    fake_agent.py leave PORT N      the same, but it returns after a while
    fake_agent.py stall PORT N      the same, but it stops answering
    fake_agent.py stall-one PORT N  only the session of the N-th request stops
    fake_agent.py lag PORT N        relays each request N ms late

The first line on stdout is the port. Agents with N print another line when they
fail: how many cases (`reset` requests) that session has begun, and the port at
the suite's end of it.
"""
import os
import selectors
import socket
import sys
import time

AWAY = 0.3  # seconds


def say(text):
    print(text, flush=True)


class Session:
    def __init__(self, near, far):
        self.near, self.far = near, far
        self.pending = b""
        self.silent = False
        self.endless = False  # its line
        self.resets = 0


class Agent:
    def __init__(self, mode, upstream, limit):
        self.mode, self.upstream, self.limit = mode, upstream, limit
        self.requests = 0
        self.stalled = False
        self.selector = selectors.DefaultSelector()
        self.sessions = []
        self.listen(0)
        self.port = self.listener.getsockname()[1]
        say(self.port)

    def listen(self, port):
        self.listener = socket.create_server(("127.0.0.1", port), backlog=64)
        self.selector.register(self.listener, selectors.EVENT_READ,
                               (self.accept, None))

    def accept(self, _):
        near, _ = self.listener.accept()
        far = None
        if self.upstream:
            far = socket.create_connection(("127.0.0.1", self.upstream))
            far.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        session = Session(near, far)
        self.sessions.append(session)
        session.silent = self.stalled and self.mode == "stall"
        self.selector.register(near, selectors.EVENT_READ,
                               (self.from_suite, session))
        if far:
            self.selector.register(far, selectors.EVENT_READ,
                                   (self.from_agent, session))

    def close(self, session):
        for s in (session.near, session.far):
            if s and s.fileno() >= 0:
                self.selector.unregister(s)
                s.close()

    def read(self, s, session):
        try:
            got = s.recv(65536)
        except ConnectionError:
            got = b""
        if not got:
            self.close(session)
        return got

    def from_agent(self, session):
        got = self.read(session.far, session)
        if got and not session.silent:
            session.near.sendall(got)

    def from_suite(self, session):
        got = self.read(session.near, session)
        if not got:
            return
        try:
            if self.upstream:
                self.pass_on(session, got)
            elif self.mode == "garbage":
                session.near.sendall(b"\x00\xff what? \r\n" * 3)
            elif self.mode == "liar":
                session.near.sendall(b"ERR unsupported version\n")
            elif self.mode == "flood":
                session.near.sendall(b"OK " + b"a" * (4 << 20))
        except ConnectionError:
            self.close(session)

    def pass_on(self, session, got):
        session.pending += got
        *lines, session.pending = session.pending.split(b"\n")
        for line in lines:
            self.requests += 1
            if self.mode == "lag":
                time.sleep(self.limit / 1000)
            elif self.requests >= self.limit and not self.stalled:
                self.strike(session)
            if session.silent or self.mode == "stall" and self.stalled:
                return
            session.resets += line.startswith(b"reset")
            session.far.sendall(line + b"\n")
        session.endless |= len(session.pending) > 65536
        if session.endless:
            session.far.sendall(session.pending)
            session.pending = b""

    def strike(self, session):
        self.stalled = True
        session.silent = True
        say(f"{self.mode} {session.resets} {session.near.getpeername()[1]}")
        if self.mode == "die":
            os._exit(0)
        if self.mode == "leave":
            self.selector.unregister(self.listener)
            self.listener.close()
            for each in self.sessions:
                self.close(each)

    def serve(self):
        while True:
            away = self.listener.fileno() < 0
            ready = self.selector.select(AWAY if away else None)
            for key, _ in ready:
                act, session = key.data
                if key.fileobj.fileno() >= 0:
                    act(session)
            if away and not ready:
                self.listen(self.port)


def main():
    mode = sys.argv[1]
    upstream, limit = 0, 0
    if len(sys.argv) > 3:
        upstream, limit = int(sys.argv[2]), int(sys.argv[3])
    Agent(mode, upstream, limit).serve()


main()

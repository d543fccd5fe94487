#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""middle.py PORT KIND: stands between the suite and the agent at PORT, and
changes what the agent answers as agents/KIND.py does it. Prints the port, and at
SIGTERM how many lines it has changed."""
import importlib
import os
import random
import signal
import socket
import sys
import threading

lock = threading.Lock()
changed = 0


def count():
    global changed
    with lock:
        changed += 1


def no_delay(sock):
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return sock


def end(*socks):
    for sock in socks:
        try:
            sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def requests(near, far):
    try:
        while got := near.recv(65536):
            far.sendall(got)
    except OSError:
        pass
    end(near, far)


def session(attack, near, upstream):
    far = no_delay(socket.create_connection(("127.0.0.1", upstream)))
    threading.Thread(target=requests, args=(no_delay(near), far),
                     daemon=True).start()
    change = attack.Change(count)
    try:
        for line in far.makefile("rb"):
            for each in change.lines(line):
                near.sendall(each)
    except OSError:
        pass
    end(near, far)


def main():
    random.seed(1)
    attack = importlib.import_module("agents." + sys.argv[2])
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)

    def over(*_):
        print(changed, flush=True)
        os._exit(0)
    signal.signal(signal.SIGTERM, over)
    print(listener.getsockname()[1], flush=True)
    while True:
        near, _ = listener.accept()
        threading.Thread(target=session, args=(attack, near, int(sys.argv[1])),
                         daemon=True).start()


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A relay between the suite and a device, for agent and wire, used by endless_test.sh.

    bad_device.py KIND PORT [N]    relays to the device whose agent is at PORT

Agent and streams behave as the device's, except for KIND:

    sound        nothing
    hangs        after 60 requests the agent answers nothing but `hello`
    dies         from the N-th stream (20) on, nothing is sent on the wire
    floods       endless octets after the startup frame, which are not an FPDU
    repeats      repeats its first FPDU without end
    flood-late   as floods, from the N-th stream (20) on
    drips        each octet of the device arrives N ms (20) after the previous one
    miscounts    reports one event more than there are
    connects-late    `connect` is answered after five seconds

The first line on stdout is the agent's port.
"""
import os
import re
import socket
import sys
import threading
import time

HANGS_AFTER = 60    # requests
N = int(sys.argv[3]) if len(sys.argv) > 3 else 20
TURNS_BAD_AT = N    # streams
DRIP = N / 1000     # seconds
LATE = 5            # seconds

kind, upstream = sys.argv[1], int(sys.argv[2])
lock = threading.Lock()
requests = streams = 0
proxies = {}


def spawn(act, *args):
    threading.Thread(target=act, args=args, daemon=True).start()


def end(*socks):
    for sock in socks:
        try:
            sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def no_delay(sock):
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return sock


# --- the wire ---------------------------------------------------------------

def startup_octets(octets):
    """The length of the startup frame at the start; 0: not known yet."""
    if len(octets) < 20:
        return 0
    n = 20 + int.from_bytes(octets[18:20], "big")
    return n if len(octets) >= n else 0


def fpdu_octets(octets):
    if len(octets) < 2:
        return 0
    n = (int.from_bytes(octets[:2], "big") + 2 + 3) // 4 * 4 + 4
    return n if len(octets) >= n else 0


def endless(to, octets):
    block = octets * max(1, 65536 // len(octets))
    while True:
        to.sendall(block)


def flood(device, to):
    seen = b""
    while not startup_octets(seen):
        seen += device.recv(65536) or b"\0" * 65536
    to.sendall(seen[:startup_octets(seen)])
    if kind == "repeats":
        rest = seen[startup_octets(seen):]
        while not fpdu_octets(rest):
            got = device.recv(65536)
            if not got:
                return
            rest += got
        endless(to, rest[:fpdu_octets(rest)])
    endless(to, b"\x00\x17\x41\x43" + b"\xa5" * 29)


def pass_on(source, to, is_device, number):
    late = number >= TURNS_BAD_AT
    try:
        if is_device and (kind in ("floods", "repeats") or
                          kind == "flood-late" and late):
            flood(source, to)
            return
        while True:
            got = source.recv(65536)
            if not got:
                break
            if kind == "dies" and late and is_device:
                continue
            if kind == "drips" and is_device:
                for octet in got:
                    to.sendall(bytes([octet]))
                    time.sleep(DRIP)
            else:
                to.sendall(got)
        if not (kind == "dies" and late):
            to.shutdown(socket.SHUT_WR)
    except OSError:
        if not (kind == "dies" and late):
            end(source, to)


def proxy(address, port, device_accepts):
    """A port that relays its connections to the given one."""
    key = (address, port, device_accepts)
    with lock:
        if key in proxies:
            return proxies[key]
        listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        proxies[key] = listener.getsockname()[1]
    spawn(serve_wire, listener, address, port, device_accepts)
    return listener.getsockname()[1]


def serve_wire(listener, address, port, device_accepts):
    global streams
    while True:
        near, _ = listener.accept()
        try:
            far = socket.create_connection((address, port))
        except OSError:
            near.close()
            continue
        with lock:
            streams += 1
            number = streams
        no_delay(near), no_delay(far)
        spawn(pass_on, near, far, not device_accepts, number)
        spawn(pass_on, far, near, device_accepts, number)


# --- the agent ---------------------------------------------------------------

def to_device(line):
    found = re.search(rb" addr=([0-9.]+) port=(\d+)", line)
    if line.startswith(b"connect ") and found:
        port = proxy(found[1].decode(), int(found[2]), False)
        line = line.replace(found[0], b" addr=127.0.0.1 port=%d" % port)
    return line


def to_suite(line):
    found = re.match(rb"OK n=(\d+)$", line.strip())
    if kind == "miscounts" and found:
        line = b"OK n=%d\n" % (int(found[1]) + 1)
    if kind == "connects-late" and re.match(rb"OK conn=\S+$", line.strip()):
        time.sleep(LATE)
    found = re.search(rb"^OK listener=\S+ port=(\d+)", line)
    if found:
        port = proxy("127.0.0.1", int(found[1]), True)
        line = line.replace(b" port=" + found[1], b" port=%d" % port)
    return line


def replies(far, near):
    try:
        for line in far.makefile("rb"):
            near.sendall(to_suite(line))
    except OSError:
        pass
    end(far, near)


def session(near):
    global requests
    far = no_delay(socket.create_connection(("127.0.0.1", upstream)))
    no_delay(near)
    spawn(replies, far, near)
    try:
        for line in near.makefile("rb"):
            with lock:
                requests += 1
            if kind == "hangs" and requests > HANGS_AFTER and \
                    not line.startswith(b"hello"):
                continue
            far.sendall(to_device(line))
    except OSError:
        pass
    end(far, near)


def main():
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    print(listener.getsockname()[1], flush=True)
    while True:
        spawn(session, listener.accept()[0])


try:
    main()
except KeyboardInterrupt:
    os._exit(0)

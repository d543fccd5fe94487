# SPDX-License-Identifier: BSD-2-Clause
"""odd_ulps.py DEVICE_PORT - ports for target_test.sh, one per line as NAME PORT.

Programs that do not speak MPA, and ULPs with behaviour that is not the
device's fault: each relays to a sound device at DEVICE_PORT, and differs from
it in something that a ULP may do.
"""
import select
import socket
import struct
import sys
import threading
import time

DEVICE = ("127.0.0.1", int(sys.argv[1]))
REPLY = b"MPA ID Rep Frame"
CLOSED = threading.Event()
SERVED = threading.Lock()
STARTING = 0.05  # seconds that a service takes to begin again


def fill(sock, n):
    got = b""
    while len(got) < n:
        more = sock.recv(n - len(got))
        if not more:
            raise OSError("closed")
        got += more
    return got


def startup(sock):
    head = fill(sock, 20)
    return head + fill(sock, struct.unpack(">H", head[18:20])[0])


def pump(left, right, most=None):
    """Relay both ways; end both after `most` octets to the peer."""
    sent, reading = 0, [left, right]
    while True:
        for end in select.select(reading, [], [])[0]:
            octets = end.recv(65536)
            other = right if end is left else left
            if not octets:
                other.shutdown(socket.SHUT_WR)
                if end is right:
                    return
                reading.remove(end)
                continue
            other.sendall(octets)
            sent += len(octets) if end is right else 0
            if most is not None and sent > most:
                return


def device():
    sock = socket.create_connection(DEVICE)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return sock


def web(peer):
    peer.recv(4096)
    peer.sendall(b"HTTP/1.0 400 Bad Request\r\n\r\n")


def mute(peer):
    peer.recv(4096)
    while peer.recv(4096):
        pass


def closes_before(peer):
    peer.recv(20)


def closes_at_once(peer):
    """Directly after its Reply."""
    with device() as dut:
        dut.sendall(startup(peer))
        peer.sendall(startup(dut))


def closes_soon(peer):
    """After a few answers."""
    with device() as dut:
        pump(peer, dut, 200)


def rejects(peer):
    startup(peer)
    peer.sendall(REPLY + bytes([0x60, 1, 0, 0]))


def wants_private_data(peer):
    """Like many ULPs: the first octets of the private data identify the ULP."""
    request = startup(peer)
    head = 24 if request[16] & 0x10 else 20
    if request[head:head + 4] != b"\xca\xfe\x00\x01":
        peer.sendall(REPLY + bytes([0x60, 1, 0, 0]))
        return
    with device() as dut:
        dut.sendall(request)
        pump(peer, dut)


def late(peer):
    time.sleep(3)
    with device() as dut:
        pump(peer, dut)


def one_at_a_time(peer):
    with SERVED, device() as dut:
        pump(peer, dut)


def is_terminate(octets):
    """Untagged, its opcode 7."""
    return len(octets) > 4 and octets[2] & 0x80 == 0 and octets[3] & 0x0f == 7


def relay(peer, dut):
    """(from the device, octets): forwarded when the caller continues."""
    dut.settimeout(20)
    while True:
        for end in select.select([peer, dut], [], [], 20)[0]:
            octets = end.recv(65536)
            if not octets:
                return
            yield end is dut, octets
            (dut if end is peer else peer).sendall(octets)


def refuses_after_an_error(peer):
    """Its service ends with the first stream on which the peer is at fault."""
    if CLOSED.is_set():
        return
    with device() as dut:
        dut.sendall(startup(peer))
        peer.sendall(startup(dut))
        for of_device, octets in relay(peer, dut):
            if of_device and is_terminate(octets):
                CLOSED.set()


def closes_at_errors(peer):
    """Before the Terminate of its device is sent."""
    with device() as dut:
        dut.sendall(startup(peer))
        peer.sendall(startup(dut))
        for of_device, octets in relay(peer, dut):
            if of_device and is_terminate(octets):
                return


# A Send of five octets as the device's first message, with its CRC.
SEND = bytes.fromhex("001741430000000000000000000000010000000068656c6c6f000000"
                     "b990b10c")


def sends_first(peer):
    """As soon as it may: after the peer's first FPDU (RFC 5044 s7.1.2)."""
    with device() as dut:
        request = startup(peer)
        dut.sendall(request)
        reply = startup(dut)
        peer.sendall(reply)
        # If markers are requested, the octets would differ.
        if not (request[16] | reply[16]) & 0x80 and not reply[16] & 0x20:
            first = peer.recv(65536)
            peer.sendall(SEND)
            dut.sendall(first)
        pump(peer, dut)


COUNT = threading.Lock()
counted = {"now": 0, "most": 0}


def counts(peer):
    """The number of connections at once; a web client gets the maximum so far."""
    if peer.recv(3, socket.MSG_PEEK) == b"GET":
        peer.sendall(b"%d\n" % counted["most"])
        return
    with COUNT:
        counted["now"] += 1
        counted["most"] = max(counted.values())
    try:
        with device() as dut:
            pump(peer, dut)
    finally:
        with COUNT:
            counted["now"] -= 1


def serve(ulp):
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    print(ulp.__name__, listener.getsockname()[1], flush=True)

    def speak(peer):
        with peer:
            try:
                ulp(peer)
            except OSError:
                pass

    def accept():
        while True:
            peer, _ = listener.accept()
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=speak, args=(peer,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()


def serve_again_and_again():
    """One peer at a time: the service ends with it. For a moment nobody listens
    at its port, as while a program starts."""
    listener = socket.create_server(("127.0.0.1", 0))
    print("begins_again", listener.getsockname()[1], flush=True)

    def begin(listener):
        while True:
            peer, _ = listener.accept()
            at = listener.getsockname()
            listener.close()
            with peer, device() as dut:
                try:
                    pump(peer, dut)
                except OSError:
                    pass
            time.sleep(STARTING)
            listener = socket.create_server(at)

    threading.Thread(target=begin, args=(listener,), daemon=True).start()


serve_again_and_again()
for each in (web, mute, closes_before, closes_at_once, closes_soon, rejects,
             wants_private_data, late, one_at_a_time,
             refuses_after_an_error, closes_at_errors, sends_first, counts):
    serve(each)
print("ready", 0, flush=True)
sys.stdin.read()

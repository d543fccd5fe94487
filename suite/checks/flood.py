#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""flood.py INTERFACE COUNT: sends unrelated frames without end to the raw links
at 10.77.0.3 and the COUNT - 1 addresses after it. Prints "flooding" with the
first frame, and the number of frames when SIGTERM ends it.

A host on a segment can meet each of them: truncated frames, frames with
impossible lengths, options and checksums, tagged frames, fragments, frames of
and for other hosts. Some would end a connection if they were obeyed. Most are
other hosts' traffic: a link itself gets no more than it can process."""
import itertools
import signal
import socket
import struct
import sys

ETHERNET_IP4, ETHERNET_ARP, ETHERNET_VLAN = 0x0800, 0x0806, 0x8100
ETHERNET_IP6 = 0x86dd
FIN, SYN, RST, ACK = 1, 2, 4, 16
DEVICE = socket.inet_aton("10.77.0.2")
OTHER = socket.inet_aton("10.77.0.222")
OTHER_MAC = bytes.fromhex("02770a4d00de")


def checksum(octets):
    octets += b"\0" * (len(octets) % 2)
    total = sum(struct.unpack(f">{len(octets) // 2}H", octets))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def ethernet(to, kind, body):
    return to + OTHER_MAC + struct.pack(">H", kind) + body


def ip4(source, to, body, proto=6, fragment=0, length=None):
    head = struct.pack(">BBHHHBBH4s4s", 0x45, 0,
                       len(body) + 20 if length is None else length,
                       7, fragment, 64, proto, 0, source, to)
    return head[:10] + struct.pack(">H", checksum(head)) + head[12:] + body


def tcp(source, to, port, flags, options=b"", words=None, bad=False):
    words = 5 + len(options) // 4 if words is None else words
    head = struct.pack(">HHIIBBHHH", 40000, port, 12345, 54321, words << 4,
                       flags, 1000, 0, 0) + options
    pseudo = source + to + struct.pack(">HH", 6, len(head))
    total = checksum(pseudo + head) ^ (0x5555 if bad else 0)
    return head[:16] + struct.pack(">H", total) + head[18:]


def arp(operation, source, to):
    return struct.pack(">HHBBH6s4s6s4s", 1, ETHERNET_IP4, 6, 4, operation,
                       OTHER_MAC, source, bytes(6), to)


def to_a_link(last):
    """Frames that the link has to examine."""
    own = socket.inet_aton(f"10.77.0.{last}")
    mac = b"\x02\x77" + own
    rst = tcp(DEVICE, own, 32768, RST | ACK)
    quoted = ip4(own, DEVICE, tcp(own, DEVICE, 1, ACK)[:8])
    too_big = struct.pack(">BBHHH", 3, 4, 0, 0, 68) + quoted
    for body in (
            rst,
            rst[:3],
            tcp(DEVICE, own, 32768, RST | ACK, bad=True),
            tcp(DEVICE, own, 32768, RST | ACK, words=2),
            tcp(DEVICE, own, 32768, RST | ACK, words=15),
            tcp(DEVICE, own, 32768, SYN, b"\x02\x00\x05\xb4"),
            tcp(DEVICE, own, 32768, SYN, b"\x03\x28\x01\x00"),
            tcp(DEVICE, own, 32768, SYN | FIN | RST)):
        yield ethernet(mac, ETHERNET_IP4, ip4(DEVICE, own, body))
    yield ethernet(mac, ETHERNET_IP4, ip4(DEVICE, own, rst)[:36])
    yield ethernet(mac, ETHERNET_IP4, ip4(DEVICE, own, rst, length=9000))
    yield ethernet(mac, ETHERNET_IP4, ip4(DEVICE, own, rst, length=19))
    yield ethernet(mac, ETHERNET_IP4, ip4(DEVICE, own, too_big, proto=1))
    yield ethernet(mac, ETHERNET_VLAN,
                   struct.pack(">HH", 5, ETHERNET_IP4) + ip4(DEVICE, own, rst))
    yield ethernet(b"\xff" * 6, ETHERNET_ARP, arp(1, OTHER, own)[:20])
    yield ethernet(b"\xff" * 6, ETHERNET_ARP, arp(1, OTHER, own))


def of_others(last):
    """Frames that the kernel filters out."""
    own = socket.inet_aton(f"10.77.0.{last}")
    mac = b"\x02\x77" + own
    rst = tcp(DEVICE, own, 32768, RST | ACK)
    yield ethernet(mac, ETHERNET_IP4, ip4(DEVICE, own, rst)[:30])
    yield ethernet(mac, ETHERNET_IP4, ip4(DEVICE, own, rst, fragment=0x2000))
    yield ethernet(mac, ETHERNET_IP4, ip4(DEVICE, own, rst, fragment=4))
    yield ethernet(mac, ETHERNET_IP4, ip4(DEVICE, own, rst, proto=17))
    yield ethernet(mac, ETHERNET_IP4, ip4(OTHER, OTHER, rst))
    yield ethernet(mac, ETHERNET_IP6, b"\x60" + bytes(20))
    yield ethernet(mac, 0x88b5, bytes(40))
    yield ethernet(b"\xff" * 6, ETHERNET_ARP, arp(1, OTHER, OTHER))
    yield ethernet(b"\xff" * 6, ETHERNET_ARP, arp(2, OTHER, OTHER))
    yield ethernet(b"\x02\x00\x00\x00\x00\x09", ETHERNET_IP4,
                   ip4(OTHER, DEVICE, rst))


def main():
    interface, count = sys.argv[1], int(sys.argv[2])
    links = range(3, 3 + count)
    others = [f for last in links for f in of_others(last)] * 5
    # Frames to one link are far apart.
    own = itertools.cycle(itertools.chain.from_iterable(
        zip(*(to_a_link(last) for last in links))))
    out = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    out.bind((interface, 0))
    over = []
    signal.signal(signal.SIGTERM, lambda *_: over.append(True))
    sent = 0
    print("flooding", flush=True)
    while not over:
        out.send(next(own))
        for frame in others:
            out.send(frame)
        sent += 1 + len(others)
    print(sent, flush=True)


main()

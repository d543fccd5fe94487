# SPDX-License-Identifier: BSD-2-Clause
"""Frames of an Ethernet as values: TCP segments over IPv4, ARP and ICMP. Any
field may be wrong; only the checksums are computed."""
import socket
import struct

FIN, SYN, RST, PSH, ACK, URG = 1, 2, 4, 8, 16, 32
IP4, ARP = 0x0800, 0x0806
TCP_PROTO, ICMP_PROTO = 6, 1
WORDS = 1 << 32


def checksum(octets):
    octets += b"\0" * (len(octets) % 2)
    total = sum(struct.unpack(f">{len(octets) // 2}H", octets))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def mac_of(ip):
    """The address that the raw link takes for its interface."""
    return b"\x02\x77" + socket.inet_aton(ip)


def ip4(source, to, body, proto):
    head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, len(body) + 20, 7, 0, 64,
                       proto, 0, socket.inet_aton(source), socket.inet_aton(to))
    return head[:10] + struct.pack(">H", checksum(head)) + head[12:] + body


class Segment:
    """A TCP segment and its way."""

    def __init__(self, **fields):
        self.mac_to = self.mac_from = bytes(6)
        self.source = self.to = "0.0.0.0"
        self.sport = self.port = self.seq = self.ack = 0
        self.flags, self.window, self.urgent = ACK, 0, 0
        self.options = self.octets = b""
        self.__dict__.update(fields)

    @staticmethod
    def of(frame):
        """None: it is none."""
        if len(frame) < 54 or frame[12:14] != b"\x08\x00" or frame[23] != 6:
            return None
        at = 14 + (frame[14] & 15) * 4
        end = 14 + int.from_bytes(frame[16:18], "big")
        tcp = frame[at:end]
        fields = struct.unpack(">HHIIBBHHH", tcp[:20])
        head = (fields[4] >> 4) * 4
        return Segment(mac_to=frame[:6], mac_from=frame[6:12],
                       source=socket.inet_ntoa(frame[26:30]),
                       to=socket.inet_ntoa(frame[30:34]),
                       sport=fields[0], port=fields[1], seq=fields[2],
                       ack=fields[3], flags=fields[5], window=fields[6],
                       urgent=fields[8], options=tcp[20:head],
                       octets=tcp[head:])

    def but(self, **changes):
        return Segment(**{**self.__dict__, **changes})

    def answer(self, **changes):
        """A segment in the other direction."""
        return Segment(**{
            "mac_to": self.mac_from, "mac_from": self.mac_to,
            "source": self.to, "to": self.source,
            "sport": self.port, "port": self.sport, **changes})

    def connection(self):
        return (self.source, self.sport, self.to, self.port)

    def frame(self):
        options = self.options + b"\0" * (-len(self.options) % 4)
        tcp = struct.pack(">HHIIBBHHH", self.sport, self.port,
                          self.seq % WORDS, self.ack % WORDS,
                          (5 + len(options) // 4) << 4, self.flags,
                          self.window, 0, self.urgent) + options + self.octets
        pseudo = (socket.inet_aton(self.source) + socket.inet_aton(self.to) +
                  struct.pack(">HH", TCP_PROTO, len(tcp)))
        tcp = (tcp[:16] + struct.pack(">H", checksum(pseudo + tcp)) + tcp[18:])
        return (self.mac_to + self.mac_from + b"\x08\x00" +
                ip4(self.source, self.to, tcp, TCP_PROTO))


def arp(operation, mac, ip, asked, mac_to=b"\xff" * 6):
    """1: who has `asked`? 2: `ip` is at `mac`."""
    return mac_to + mac + b"\x08\x06" + struct.pack(
        ">HHBBH6s4s6s4s", 1, IP4, 6, 4, operation, mac, socket.inet_aton(ip),
        bytes(6), socket.inet_aton(asked))


def too_big(mac_to, mac_from, router, segment, mtu):
    """ICMP: this segment was larger than mtu octets."""
    quoted = segment.frame()[14:42]
    body = struct.pack(">BBHHH", 3, 4, 0, 0, mtu) + quoted
    body = body[:2] + struct.pack(">H", checksum(body)) + body[4:]
    return (mac_to + mac_from + b"\x08\x00" +
            ip4(router, segment.source, body, ICMP_PROTO))

# SPDX-License-Identifier: BSD-2-Clause
"""audit_disturb.py WARPSPEC DIR - captures, and the same as a worse tap records them

Packets are lost, cut, duplicated, reordered, tagged with VLANs, on other links,
or their start is missing: the audit of such a capture must not accuse a side of
a requirement unless the complete capture accuses it of the same. Reads the
captures in DIR, which the suite has written, and writes the disturbed ones next
to them. In any order at all, DATA of SCTP does not show what its sender had
received; that is left out.
"""
import collections
import json
import os
import random
import struct
import subprocess
import sys

warpspec, folder = sys.argv[1:3]
names = sorted(f for f in os.listdir(folder) if f.endswith(".pcapng"))
passed = failed = 0
TCP, SCTP = 6, 132


def packets(path):
    """(time, octets of a frame of Ethernet or IP, is IP)"""
    data, at, out, links = open(path, "rb").read(), 0, [], []
    while at + 12 <= len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == 1:
            links.append(struct.unpack_from("<H", data, at + 8)[0])
        if kind == 6:
            which, high, low, n = struct.unpack_from("<IIII", data, at + 8)
            out.append((high << 32 | low, data[at + 28:at + 28 + n], links[which]))
        at += length
    return out


def ip_of(packet):
    octets = packet[1]
    return octets[14:] if packet[2] == 1 else octets


def pcap(path, link, all_of, snap=0):
    with open(path, "wb") as f:
        f.write(struct.pack("<IHHIIII", 0xa1b2c3d4, 2, 4, 0, 0, 262144, link))
        for i, octets in enumerate(all_of):
            kept = octets[:snap] if snap else octets
            f.write(struct.pack("<IIII", i, 0, len(kept), len(octets)) + kept)


def pcapng(path, all_of):
    """Each packet on an interface of another kind and another byte order of time."""
    def block(kind, body):
        body += bytes(-len(body) % 4)
        n = len(body) + 12
        return struct.pack("<II", kind, n) + body + struct.pack("<I", n)
    with open(path, "wb") as f:
        f.write(block(0x0a0d0d0a, struct.pack("<IHHq", 0x1a2b3c4d, 1, 0, -1)))
        f.write(block(1, struct.pack("<HHI", 101, 0, 0)))
        f.write(block(1, struct.pack("<HHI", 1, 0, 65535)))
        f.write(block(1, struct.pack("<HHI", 113, 0, 262144)))
        for i, octets in enumerate(all_of):
            kind = b"\x86\xdd" if octets[0] >> 4 == 6 else b"\x08\0"
            head = [b"", bytes(12) + b"\x81\0\0\x05" + kind, bytes(14) + kind][i % 3]
            octets = head + octets
            f.write(block(6, struct.pack("<IIIII", i % 3, 0, i, len(octets), len(octets))
                          + octets))


def checksum(octets):
    total = sum(struct.unpack("!%dH" % (len(octets) // 2), octets[:len(octets) & ~1]))
    if len(octets) & 1:
        total += octets[-1] << 8
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def as_ip6(octets):
    """The same packet of TCP or SCTP between addresses of IPv6."""
    if octets[0] >> 4 != 4 or octets[9] not in (TCP, SCTP):
        return octets
    body = bytearray(body_of(octets))
    source, sink = bytes(12) + octets[12:16], bytes(12) + octets[16:20]
    if octets[9] == TCP:
        body[16:18] = b"\0\0"
        body[16:18] = struct.pack("!H", checksum(source + sink + struct.pack(
            "!IHBB", len(body), 0, 0, TCP) + bytes(body)))
    return (struct.pack("!IHBB", 6 << 28, len(body), octets[9], 64) + source + sink +
            bytes(body))


def in_udp(octets):
    """The same packet of SCTP in a datagram (RFC 6951)."""
    if octets[0] >> 4 != 4 or octets[9] != SCTP:
        return octets
    body = body_of(octets)
    body = struct.pack("!HHHH", 9899, 9899, 8 + len(body), 0) + body
    head = bytearray(octets[:(octets[0] & 15) * 4])
    struct.pack_into("!H", head, 2, len(head) + len(body))
    head[9], head[10:12] = 17, b"\0\0"
    struct.pack_into("!H", head, 10, checksum(bytes(head)))
    return bytes(head) + body


def body_of(octets):
    """Of a packet of IPv4."""
    return octets[(octets[0] & 15) * 4:struct.unpack_from("!H", octets, 2)[0]]


def has_data(octets):
    if octets[0] >> 4 == 4 and octets[9] == SCTP:
        body, at = body_of(octets), 12
        while at + 4 <= len(body):
            if body[at] == 0:
                return True
            at += max(4, struct.unpack_from("!H", body, at + 2)[0] + 3 & ~3)
        return False
    return has_segment_data(octets)


def has_segment_data(octets):
    if octets[0] >> 4 != 4 or octets[9] != TCP:
        return False
    header = (octets[0] & 15) * 4
    return struct.unpack_from("!H", octets, 2)[0] > header + (octets[header + 12] >> 4) * 4


def merged(octets):
    """Consecutive segments of one direction, as offload shows them."""
    out = []
    for o in octets:
        last = out[-1] if out else b""
        if (has_segment_data(o) and last and has_segment_data(last) and o[12:20] == last[12:20] and
                len(last) + len(o) < 60000):
            header = (o[0] & 15) * 4
            a = header + (last[header + 12] >> 4) * 4
            b = header + (o[header + 12] >> 4) * 4
            seq = struct.unpack_from("!I", last, header + 4)[0]
            if (seq + len(last) - a) % (1 << 32) == struct.unpack_from(
                    "!I", o, header + 4)[0] and last[header:header + 4] == o[header:header + 4]:
                whole = bytearray(last + o[b:])
                struct.pack_into("!H", whole, 2, len(whole))
                whole[10:12] = whole[header + 16:header + 18] = b"\0\0"
                whole[header + 13] |= o[header + 13]
                whole[header + 8:header + 12] = o[header + 8:header + 12]
                struct.pack_into("!H", whole, 10, checksum(bytes(whole[:header])))
                pseudo = whole[12:20] + struct.pack("!HH", 6, len(whole) - header)
                struct.pack_into("!H", whole, header + 16,
                                 checksum(bytes(pseudo) + bytes(whole[header:])))
                out[-1] = bytes(whole)
                continue
        out.append(o)
    return out


def swapped(octets, draw):
    octets = list(octets)
    for i in range(0, len(octets) - 1, 2):
        if draw.random() < 0.5:
            octets[i], octets[i + 1] = octets[i + 1], octets[i]
    return octets


def lost(octets, draw):
    return [o for o in octets if not (has_data(o) and draw.random() < 0.2)]


def twice(octets, draw):
    return [x for o in octets for x in [o] * (2 if draw.random() < 0.5 else 1)]


def late(octets, draw):
    """One packet repeated some packets later, as if it had been retransmitted."""
    octets = list(octets)
    if len(octets) > 6:
        i = draw.randrange(3, len(octets) - 1)
        octets.insert(min(len(octets), i + draw.randrange(1, 6)), octets.pop(i))
    return octets


DISTURBED = {
    "reordered": lambda p, o, d: pcap(p, 101, swapped(o, d)),
    "shuffled": lambda p, o, d: pcap(p, 101, sorted(o, key=lambda _: d.random())),
    "twice": lambda p, o, d: pcap(p, 101, twice(o, d)),
    "late": lambda p, o, d: pcap(p, 101, late(o, d)),
    "lost": lambda p, o, d: pcap(p, 101, lost(o, d)),
    "cut to 96": lambda p, o, d: pcap(p, 101, o, 96),
    "cut to 60": lambda p, o, d: pcap(p, 101, o, 60),
    "without its start": lambda p, o, d: pcap(p, 101, o[3:]),
    "without startup frames": lambda p, o, d: pcap(p, 101, [x for x in o if has_data(x)][2:]),
    "one direction": lambda p, o, d: pcap(p, 101, [x for x in o if x[12:22] == o[0][12:22]]),
    "offloaded": lambda p, o, d: pcap(p, 101, merged(o)),
    "over IPv6": lambda p, o, d: pcap(p, 229, [as_ip6(x) for x in o]),
    "in UDP": lambda p, o, d: pcap(p, 101, [in_udp(x) for x in o]),
    "two VLAN tags": lambda p, o, d: pcap(p, 1, [
        bytes(12) + b"\x88\xa8\0\1\x81\0\0\2\x08\0" + x for x in o if x[0] >> 4 == 4]),
    "loopback": lambda p, o, d: pcap(p, 0, [b"\2\0\0\0" + x for x in o]),
    "several interfaces": lambda p, o, d: pcapng(p, o),
}
# Changes that leave the observed traffic the same give the same findings.
SAME = ("twice", "over IPv6", "in UDP", "two VLAN tags", "loopback", "several interfaces",
        "reordered")


def accused(paths):
    out = collections.defaultdict(set)
    report = os.path.join(folder, "audit.json")
    done = subprocess.run([warpspec, "audit", "--report", "json=" + report] + paths,
                          capture_output=True, text=True, timeout=300)
    if done.returncode not in (0, 1, 5):
        sys.exit("audit: exit %d: %s" % (done.returncode, done.stderr[-300:]))
    if done.returncode == 5 and not os.path.exists(report):
        return out, 0
    with open(report, encoding="utf-8") as f:
        cases = json.load(f)["cases"]
    for c in cases:
        place = c["id"].split("/")[0]
        ends = c["title"].replace("[", "").replace("]", "").split(" to ")
        out[place, ends[0].rsplit(":", 1)[-1]] |= {b["requirement"]
                                                    for b in c.get("broken", ())}
    return out, len(cases)


whole, count = accused([os.path.join(folder, n) for n in names])
print("whole: %d sides, %d findings" % (count, sum(map(len, whole.values()))))
for how, make in DISTURBED.items():
    draw, paths = random.Random(7), []
    where = os.path.join(folder, how.replace(" ", "-"))
    os.makedirs(where, exist_ok=True)
    for n in names:
        octets = [ip_of(p) for p in packets(os.path.join(folder, n))]
        octets = [o for o in octets if o]
        if how == "shuffled" and any(o[0] >> 4 == 4 and o[9] == SCTP for o in octets):
            continue
        if octets:
            paths.append(os.path.join(where, n[:-2]))
            make(paths[-1], octets, draw)
    if not paths:
        continue
    seen, sides = accused(paths)
    wrong = ["%s %s: %s" % (*k, " ".join(sorted(v - whole[k])))
             for k, v in seen.items() if v - whole[k]]
    if how in SAME:
        wrong += ["%s %s: not found: %s" % (*k, " ".join(sorted(v - seen[k])))
                  for k, v in list(whole.items()) if v - seen[k]]
    found = sum(map(len, seen.values()))
    ok = not wrong
    passed, failed = passed + ok, failed + (not ok)
    print("%s %s: %d sides, %d findings" % ("ok" if ok else "not ok", how, sides, found))
    for line in wrong[:8]:
        print("  " + line)
print("audit-disturb: %d passed, %d failed" % (passed, failed))
sys.exit(0 if passed and not failed else 1)

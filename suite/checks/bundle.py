#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""bundle.py WHAT FROM TO [ARGUMENT...] - a bundle, or a report, changed in one
way, for bundle_test.sh. Prints where it changed octets."""

import io
import json
import hashlib
import os
import re
import struct
import subprocess
import sys
import tarfile

BLOCK = 512
with open(os.path.join(os.path.dirname(__file__), "../../VERSION"), "rb") as version:
    VERSION = version.read().strip()


def parts(octets):
    """Name, first and last octet of each member, including its header."""
    at = 0
    while at < len(octets) and octets[at] != 0:
        header = octets[at : at + BLOCK]
        name = header[:100].rstrip(b"\0").decode()
        prefix = header[345:500].rstrip(b"\0").decode()
        size = int(header[124:136].rstrip(b"\0 "), 8)
        end = at + BLOCK + (size + BLOCK - 1) // BLOCK * BLOCK
        yield (prefix + "/" + name if prefix else name, at, end, size)
        at = end


def renamed(part, name):
    header = bytearray(part[:BLOCK])
    header[:100] = name.encode().ljust(100, b"\0")
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) + part[BLOCK:]


def find(octets, name):
    return next((a, e, n) for what, a, e, n in parts(octets) if what == name)


def flip(octets, at):
    return octets[:at] + bytes([octets[at] ^ 0x10]) + octets[at + 1 :]


def flip_some(octets, folder, count):
    """Changed octets all over it, a file for each; prints a list of their names."""
    members = list(parts(octets))
    end = members[-1][2]
    places = {end, len(octets) - 1}
    for _, at, last, size in members:
        places |= {at, at + 100, at + 136, at + 156, at + 257, at + 329, at + 500}
        if size:
            places |= {at + BLOCK, at + BLOCK + size // 2, at + BLOCK + size - 1}
        if size % BLOCK:
            places.add(last - 1)
    step = (len(octets) // count) | 1
    places |= set(range(7, end, step))
    for n, at in enumerate(sorted(places)):
        owner = next((m[0] for m in members if m[1] <= at < m[2]), "end")
        before = [m[0] for m in members if m[2] <= at]
        path = os.path.join(folder, f"{n}.bundle")
        with open(path, "wb") as f:
            f.write(flip(octets, at))
        # An unreadable header is identified by the member before it.
        print(path, at, owner, before[-1] if before else "beginning")


def member(name, octets=b"", kind=tarfile.REGTYPE, link=""):
    info = tarfile.TarInfo(name)
    info.size = len(octets) if kind == tarfile.REGTYPE else 0
    info.type = kind
    info.linkname = link
    return info, io.BytesIO(octets)


def archive(members, form=tarfile.USTAR_FORMAT):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as tar:
        for info, octets in members:
            octets.seek(0)
            tar.addfile(info, octets)
    return out.getvalue()


def sized(header, size):
    """The header gives this size, whatever the actual size."""
    header = bytearray(header[:BLOCK])
    if size < 8 ** 11:
        header[124:136] = b"%011o\0" % size
    else:
        header[124:136] = b"\x80\0\0\0" + struct.pack(">Q", size)
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header)


def sparse():
    """An old GNU file with a hole of 2^40 octets."""
    header = bytearray(archive([member("a.bin")])[:BLOCK])
    header[156:157] = b"S"
    header[257:265] = b"ustar  \0"
    header[386:398] = b"%011o\0" % 0
    header[398:410] = b"%011o\0" % 0
    header[410:422] = b"\x80\0\0\0" + struct.pack(">Q", 1 << 40)
    header[422:434] = b"%011o\0" % 0
    header[483:495] = b"\x80\0\0\0" + struct.pack(">Q", 1 << 40)
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) + b"\0" * 1024


def hostile(octets, folder):
    manifest = member("manifest.txt", b"x")
    signature = member("manifest.p7s", b"x")
    a = [manifest, signature]
    pax = member("b")
    pax[0].pax_headers = {"path": "../" * 4000 + "etc/passwd"}
    made = {
        "leads-out": archive(a + [member("../outside")]),
        "leads-out-deep": archive(a + [member("html/../../outside")]),
        "absolute": archive(a + [member("/tmp/outside")]),
        "control": archive(a + [member("a\x1b[31mb")]),
        "newline": archive(a + [member("a\nverified: all")]),
        "dot": archive(a + [member("./a")]),
        "long": archive(a + [member("a/" * 400 + "b")], tarfile.GNU_FORMAT),
        "pax-path": archive(a + [pax], tarfile.PAX_FORMAT),
        "link": archive(a + [member("a", kind=tarfile.SYMTYPE, link="/etc/passwd")]),
        "hard-link": archive(a + [member("a", kind=tarfile.LNKTYPE, link="manifest.txt")]),
        "device": archive(a + [member("a", kind=tarfile.CHRTYPE)]),
        "block-device": archive(a + [member("a", kind=tarfile.BLKTYPE)]),
        "fifo": archive(a + [member("a", kind=tarfile.FIFOTYPE)]),
        "folder": archive(a + [member("a", kind=tarfile.DIRTYPE)]),
        "twice": archive(a + [member("a", b"1"), member("a", b"2")]),
        "order": archive(a + [member("b"), member("a")]),
        "manifest-twice": archive(a + [manifest]),
        "no-manifest": archive([member("a")]),
        "holes": archive(a)[: 4 * BLOCK] + sparse(),
        "huge": sized(archive([member("manifest.txt")]), 1 << 62) + b"x" * 4096,
        "large": sized(archive([member("manifest.txt")]), 8 ** 11 - 1) + b"x" * 4096,
        "negative": sized(archive([member("manifest.txt")]), (1 << 64) - 1) + b"x" * 4096,
        "many": archive(a + [member(f"m{n:07}") for n in range(21000)]),
        "zip": b"PK\x03\x04" + b"\0" * 2000,
        "text": b"not an archive at all\n" * 100,
        "zeros": b"\0" * 10240,
        "empty": b"",
        "compressed": __import__("gzip").compress(octets[:65536]),
        "behind": octets + b"and more",
        "two": octets + octets,
    }
    for cut in (1, 100, 511, 512, 1000, len(octets) // 2, len(octets) - 1):
        made[f"cut-{cut}"] = octets[:cut]
    for name, content in made.items():
        with open(os.path.join(folder, name), "wb") as f:
            f.write(content)
        print(name)


def resized(header, size):
    """The same header, octet by octet, except the size and its checksum."""
    header = bytearray(header)
    header[124:135] = b"%011o" % size
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header)


def padded(content):
    return content + b"\0" * (-len(content) % BLOCK)


def resealed(octets, change, key, cert, digest="sha256"):
    """As the lab would seal it: `change` gets the members' contents by name and
    changes them; the manifest describes the changed members, and is signed anew."""
    members = {n: (octets[a : a + BLOCK], octets[a + BLOCK : a + BLOCK + size])
               for n, a, _, size in parts(octets)}
    contents = {n: body for n, (_, body) in members.items()
                if not n.startswith("manifest.")}
    tail = octets[max(e for _, _, e, _ in parts(octets)):]
    change(contents)
    manifest = "".join(f"{hashlib.sha256(body).hexdigest()}  {n}\n"
                       for n, body in sorted(contents.items())).encode()
    with open("resealed.txt", "wb") as f:
        f.write(manifest)
    signature = subprocess.run(
        ["openssl", "cms", "-sign", "-binary", "-nosmimecap", "-md", digest,
         "-in", "resealed.txt", "-signer", cert, "-inkey", key,
         "-outform", "DER"], check=True, capture_output=True).stdout
    contents["manifest.txt"], contents["manifest.p7s"] = manifest, signature
    # The manifest and its signature come first.
    order = sorted(contents, key=lambda n: (not n.startswith("manifest"),
                                            n == "manifest.p7s", n))
    like = members["run.json"][0]
    return b"".join(
        resized(members[n][0] if n in members else renamed(like, n),
                len(contents[n])) + padded(contents[n]) for n in order) + tail


def rewritten(octets, change):
    """`change`, with a manifest that agrees, under the signature of before."""
    signature = next(octets[a + BLOCK : a + BLOCK + size]
                     for n, a, _, size in parts(octets) if n == "manifest.p7s")
    octets = resealed(octets, change, "lab.key", "lab.pem")
    at, end, _ = find(octets, "manifest.p7s")
    return (octets[:at] + resized(octets[at : at + BLOCK], len(signature)) +
            padded(signature) + octets[end:])


def swapped(contents):
    """Two captures are exchanged."""
    one, other = [n for n in contents if n.startswith("captures/")][:2]
    contents[one], contents[other] = contents[other], contents[one]


def forgotten(contents):
    """A capture is left out."""
    del contents[next(n for n in contents if n.startswith("captures/"))]


def stated(contents):
    """The statement claims less than it did."""
    contents["statement.ini"] = contents["statement.ini"].replace(
        b"imm = yes", b"imm = no")


def failed(contents):
    """The test report contradicts the results."""
    contents["pctr.txt"] = contents["pctr.txt"].replace(
        b"No nonconformity was found", b"Nonconformities were found")


def judged(contents):
    """A passed case is reported as failed."""
    run = json.loads(contents["run.json"])
    case = next(c for c in run["cases"] if c["verdict"] == "pass")
    case["verdict"] = "fail"
    contents["run.json"] = json.dumps(run).encode()


def absolved(contents):
    """Failed cases are reported as passed, and all that counts them is adapted."""
    contents["run.json"] = json.dumps(
        acquitted(json.loads(contents["run.json"]))).encode()


def foreign(contents):
    """A capture is there that belongs to no case."""
    contents["captures/zz.pcapng"] = next(
        body for n, body in contents.items() if n.startswith("captures/"))


def of_old(contents):
    """Run, suite and report are of an older suite."""
    for name in ("suite.json", "run.json", "pctr.txt"):
        contents[name] = re.sub(rb"\b%s\b" % re.escape(VERSION), b"0.0.9",
                                contents[name])


def aged(contents):
    """Another suite than the run's."""
    suite = json.loads(contents["suite.json"])
    suite["version"] = "0.0.9"
    contents["suite.json"] = json.dumps(suite).encode()


def same(contents):
    """Nothing."""


def acquitted(report):
    """A failed case is changed to a pass, and the totals are adapted."""
    for case in report["cases"]:
        if case["verdict"] == "fail":
            case["verdict"] = "pass"
            report["totals"]["fail"] -= 1
            report["totals"]["pass"] += 1
    report["exit_status"] = 0
    report.pop("findings", None)
    return report


def whitewashed(report):
    """The same, and nothing is left of what was found; the captures stay."""
    for case in report["cases"]:
        if case["verdict"] == "fail":
            for key in ("broken", "evidence", "consequences"):
                case.pop(key, None)
    return acquitted(report)


def without(report, name):
    """A case is removed completely."""
    case = next(c for c in report["cases"] if c["id"] == name)
    report["cases"].remove(case)
    report["totals"][case["verdict"]] -= 1
    return report


def main():
    what, source, target = sys.argv[1:4]
    rest = sys.argv[4:]
    with open(source, "rb") as f:
        octets = f.read()
    if what in ("acquitted", "whitewashed", "without"):
        report = globals()[what](json.loads(octets), *rest)
        octets = json.dumps(report).encode()
    elif what == "exchanged":
        # Two captures, without a word in the manifest.
        (one, a, b, _), (other, c, d, _) = [
            m for m in parts(octets) if m[0].startswith("captures/")][:2]
        octets = (octets[:a] + renamed(octets[c:d], one) + octets[b:c] +
                  renamed(octets[a:b], other) + octets[d:])
    elif what == "rewritten":
        octets = rewritten(octets, globals()[rest[0]])
    elif what == "resealed":
        octets = resealed(octets, globals()[rest[0]], *rest[1:])
    elif what in ("counted", "ended", "renewed", "renamed-device"):
        report = json.loads(octets)
        if what == "counted":
            report["totals"]["pass"] += 1
        elif what == "ended":
            report["exit_status"] = 0
        elif what == "renewed":
            report["device"]["firmware"] = "9.9"
        else:
            report["device"]["name"] = "another card"
        octets = json.dumps(report).encode()
    elif what == "turned":
        # The members of the results in a different order.
        at, end, _ = find(octets, "pctr.txt")
        octets = (octets[:at] + octets[end : (e := find(octets, "run.json")[1])] +
                  octets[at:end] + octets[e:])
    elif what == "flipped":
        return flip_some(octets, target, int(rest[0]))
    elif what == "hostile":
        return hostile(octets, target)
    else:
        at, end, size = find(octets, rest[0])
        if what == "removed":
            octets = octets[:at] + octets[end:]
        elif what == "renamed":
            octets = octets[:at] + renamed(octets[at:end], rest[1]) + octets[end:]
        elif what == "added":
            octets = octets[:end] + renamed(octets[at:end], rest[1]) + octets[end:]
        elif what == "altered":
            octets = flip(octets, at + BLOCK + size // 3)
        else:
            sys.exit(f"bundle.py: no change called {what}")
    with open(target, "wb") as f:
        f.write(octets)
    return None


if __name__ == "__main__":
    main()

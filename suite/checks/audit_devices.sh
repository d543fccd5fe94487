#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# audit_devices.sh BUILD [NAME...] - checks what `warpspec audit` finds in
# captures of the reference device. The clean device and each variant must not
# be accused of anything, except of a SHOULD that the variant names. It counts
# the mutants that are found under one of their rows in the traffic of ordinary
# cases. A mutant that is accused only of another row is faulty all the same:
# it is counted separately, with the row.
# The device and its variants also stand behind a ULP that lets its peers use
# memory, and are judged with what is known of that memory (--buffer). They also
# talk to another device through a relay that knows their memory (audit_pair.py), and
# over SCTP (audit_pair_sctp.py).
#
# May be set: VARIANTS, MUTANTS (1; every so many-th, 0: none), PART (0; which
# of these), CASES (selectors of the traffic), OF_MEMORY (selectors of the
# traffic for memory), LEAST (0; percent of the mutants that have to be found).
# Exit: 0 no false accusation, 1 at least one.
set -u

build=${1:?usage: audit_devices.sh BUILD [NAME...]}
shift
python=/usr/bin/python3
[[ -x $python ]] || python=python3
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

"$python" - "$build" "$scratch" "${VARIANTS:-1}" "${MUTANTS:-1}" "${PART:-0}" \
	"${CASES:-foundations rdmap/read rdmap/send rdmap/write rdmap/terminate \
	mpa/fpdu mpa/startup mpa/rtr_sent rdmap/read_requester rdmap/atomic_requester \
	ddp/segmentation rdmap/errors}" "${OF_MEMORY:-foundations rdmap/write rdmap/read \
	rdmap/fetchadd rdmap/cmpswap rdmap/atomic rdmap/ordering ddp/page_edges \
	ddp/tagged rdmap/errors}" "${LEAST:-0}" "$@" <<'PY'
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys

(build, scratch, variants, mutants, part, cases, of_memory, least,
 *only) = sys.argv[1:]
warpspec = os.path.join(build, "warpspec")
refdut = os.path.join(build, "warpspec-refdut")
passed, failed, found, looked_at, others = 0, 0, 0, 0, 0
# The agent gives streams another first MSN than RFC 5041 does.
AT_ITS_WISH = "_msn_counts_in_32_bits."


def listed(kind):
    path = os.path.join(build, "gen/refdut", kind + ".def")
    out = []
    for line in open(path, encoding="utf-8"):
        text = re.findall(r'"((?:[^"\\]|\\.)*)"', line)
        if text:
            rows = text[2] if kind == "variants" else text[1]
            out.append((text[0], rows.split()))
    return out


def beside():
    path = os.path.join("suite/checks", "beside.txt")
    out = {}
    for line in open(path, encoding="utf-8"):
        words = line.split("#")[0].replace(":", " ").split()
        if len(words) >= 2:
            out.setdefault(words[0], set()).update(words[1:])
    return out


def accused(device, name):
    """(verdict, row, id) of each finding on the side that is the device; and how many
    sides are judged."""
    of_links = [accused_on(link, device, name) for link in ("socket", "sctp")]
    return sum((out for out, _ in of_links), []), sum(n for _, n in of_links)


def accused_on(link, device, name):
    folder = os.path.join(scratch, "%s.%s" % (name.replace(",", "_"), link))
    run, audit = folder + ".run", folder + ".audit"
    # Over SCTP, what differs there.
    traffic = cases.split() if link == "socket" else ["sctp", "foundations", "rdmap/errors",
                                                      "ddp/segmentation"]
    subprocess.run([warpspec, "run", "--refdut" + device, "--quiet", "--jobs", "2",
                    "--link", link, "--captures", folder, "--captures-of", "all",
                    "--report", "json=" + run, *traffic], capture_output=True, timeout=500)
    with open(run, encoding="utf-8") as file:
        roles = {os.path.basename(c["capture"])[:-len(".pcapng")]: c["role"]
                 for c in json.load(file)["cases"] if c.get("capture")}
    if not os.path.exists(folder):
        return [], 0
    captures = sorted(os.path.join(folder, f) for f in os.listdir(folder))
    done = subprocess.run([warpspec, "audit", "--report", "json=" + audit] + captures,
                          capture_output=True, text=True, timeout=100)
    if done.returncode not in (0, 1):
        return [("error", "exit %d" % done.returncode, done.stderr.strip())], 0
    with open(audit, encoding="utf-8") as file:
        sides = json.load(file)["cases"]
    shutil.rmtree(folder)
    out, judged = [], 0
    for s in sides:
        place, _, side = s["id"].rsplit("/", 2)
        if side != roles.get(place) or AT_ITS_WISH in place:
            continue
        judged += s["verdict"] == "pass"
        if s["verdict"] in ("fail", "warn"):
            out += [("fail" if b["level"] in ("MUST", "SHALL", "MUST NOT", "SHALL NOT",
                                              "REQUIRED") else "warn",
                     b["requirement"], s["id"]) for b in s.get("broken", [])]
    return out, judged


def accused_with_memory(name):
    """The same behind the port of a ULP that has a buffer for all connections."""
    folder = os.path.join(scratch, name + ".memory")
    run, now = folder + ".run", folder + ".now"
    as_it_is = [] if name == "device" else ["--variant", name]
    with subprocess.Popen([refdut, "--ulp", "buffer", "--bind", "127.0.0.1", "--port",
                           "0", *as_it_is], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL) as device:
        try:
            port = device.stdout.readline().split()[-1]
            buffer = ["--buffer", device.stdout.readline().split()[-1]]
            subprocess.run([warpspec, "run", "--target", port, *buffer, "--quiet",
                            "--captures", folder, "--captures-of", "all", "--report",
                            "json=" + run, "!role:initiator", *of_memory.split()],
                           stdin=subprocess.DEVNULL, capture_output=True, timeout=500)
        finally:
            device.kill()
    # Nothing comes about with some variants where there is no agent.
    if not os.path.exists(folder):
        return []
    subprocess.run([warpspec, "rejudge", "--report", "json=" + now, *buffer, run],
                   capture_output=True, timeout=100)
    with open(now, encoding="utf-8") as file:
        judged = json.load(file)["cases"]
    shutil.rmtree(folder)
    return [(c["verdict"], b["requirement"], c["id"]) for c in judged
            if c["verdict"] in ("fail", "warn") for b in c.get("broken", [])]


# How two devices are made to talk, and the parts of what they say.
PAIRS = {
    "another device through a relay": (
        "suite/checks/audit_pair.py",
        ("responder", "initiator", "initiator-of-none", "responder-of-draft")),
    "another device over SCTP": (
        "suite/checks/audit_pair_sctp.py",
        ("responder", "initiator", "initiator-of-none", "initiator-of-none-too")),
}
NETWORK = ["unshare", "-rn"]
if subprocess.run([*NETWORK, "true"], capture_output=True).returncode:
    del PAIRS["another device over SCTP"]
    print("a network of its own is not to be had here: nothing is followed", flush=True)


def accused_as_pair(name, how):
    """In either role; neither is the other device accused, where it does nothing wrong."""
    script, parts = PAIRS[how]
    place = os.path.join(scratch, name + ".pair")
    as_it_is = [] if name == "device" else ["--variant", name]
    subprocess.run([*(NETWORK if "SCTP" in how else []), sys.executable, script, build,
                    place, *as_it_is],
                   stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
    out = []
    for part in parts:
        role, *wrong = part.split("-")
        with open("%s.%s" % (place, part), encoding="utf-8") as file:
            out += [(c["verdict"], b["requirement"], "%s of %s: %s" % (
                c["id"], part, " / ".join(b["text"].splitlines())[:200]))
                    for c in json.load(file)["cases"]
                    if c["verdict"] in ("fail", "warn") for b in c.get("broken", [])
                    if not wrong or c["id"].endswith("/" + role)]
    return out


def say(ok, name, lines=()):
    global passed, failed
    ok = bool(ok)
    passed, failed = passed + ok, failed + (not ok)
    print(("ok " if ok else "not ok ") + name, flush=True)
    for line in lines:
        print("  " + line, flush=True)


def chosen(kind, every):
    of = listed(kind)
    if only:
        return [x for x in of if x[0] in only]
    every = int(every)
    return of[int(part) % every::every] if every else []


def both(devices):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        yield from zip(devices, pool.map(lambda d: accused(*d[:2]), devices))


if not only:
    what, judged = accused("", "device")
    say(not what and judged > 50, "the device as it is: %d sides" % judged,
        ["%s %s: %s" % w for w in what[:6]])
    what = accused_with_memory("device")
    say(not what, "the device with memory for its peers", ["%s %s: %s" % w for w in what[:6]])
    for how in PAIRS:
        what = accused_as_pair("device", how)
        say(not what, "the device and " + how, ["%s %s: %s" % w for w in what[:6]])
for (_, name, rows), (what, judged) in both(
        [("=+" + n, n, r) for n, r in chosen("variants", variants)]):
    wrong = [w for w in what if w[0] != "warn" or w[1] not in rows]
    say(not wrong and (judged or what), "+%s" % name, ["%s %s: %s" % w for w in wrong[:6]])
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    names = dict(chosen("variants", variants))
    for name, what in zip(names, pool.map(accused_with_memory, names)):
        wrong = [w for w in what if w[0] != "warn" or w[1] not in names[name]]
        say(not wrong, "+%s with memory for its peers" % name,
            ["%s %s: %s" % w for w in wrong[:6]])
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    for how in PAIRS:
        for name, what in zip(names, pool.map(lambda n: accused_as_pair(n, how), names)):
            wrong = [w for w in what if w[0] != "warn" or w[1] not in names[name]]
            say(not wrong, "+%s and %s" % (name, how), ["%s %s: %s" % w for w in wrong[:6]])
known = beside()
for (_, name, rows), (what, judged) in both(
        [("=" + n, n, r) for n, r in chosen("mutants", mutants)]):
    looked_at += 1
    right = [w for w in what if w[1] in rows or w[1] in known.get(name, ())]
    found += bool(right)
    others += bool(what) and not right
    if what or only:
        print("%s: %s" % (name, ", ".join(sorted({w[1] for w in what})) or "not seen"), flush=True)
if looked_at:
    percent = 100 * found // looked_at
    say(percent >= int(least), "%d of %d mutants found under a row of theirs, %d %%; %d more "
        "accused of another" % (found, looked_at, percent, others))
print("audit-devices: %d passed, %d failed" % (passed, failed))
sys.exit(0 if passed and not failed else 1)
PY

#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# variants.sh BUILD [VARIANT...] - no legal choice is accused. The whole suite
# runs on the reference device as each variant, as random combinations of
# three, and without each of its features, alone and in pairs: no FAIL, no
# ERROR, and a WARN only under a row that the variant names as one it does not
# follow. Cases that are a SKIP here but not on the clean device are counted by
# reason. The suite's own peer is judged in the same runs: it has to follow the
# rules with each of these devices. A choice about DDP over SCTP is made over
# SCTP, one about MPA is not.
#
# A variant has to have made its choice in its runs; otherwise they prove
# nothing. The same holds for a mutant that breaks only SHOULDs: it is run as
# well, and may only be warned about. Each row of kind may, open or should is
# named by a variant or by such a mutant; otherwise
# harness/refdut/choices/unvaried.def gives the reason.
#
# May be set: LINKS ("socket raw sctp"; variants about SCTP run over sctp in
# any case), COMBINATIONS (200), PAIRS (all; a number is that many of them),
# SAMPLE (1; every so many-th of all these devices) and PART (0; which of
# these), SEED (1). Exit: 0 no device was accused, 1 one was.
set -u

build=${1:?usage: variants.sh BUILD [VARIANT...]}
shift
python=/usr/bin/python3
[[ -x $python ]] || python=python3
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$(dirname "$0") "$python" - "$build" "$scratch" \
	"${LINKS:-socket raw sctp}" \
	"${COMBINATIONS:-200}" "${PAIRS:-all}" "${SEED:-1}" "${SAMPLE:-1}" \
	"${PART:-0}" "$@" <<'PY'
import collections
import concurrent.futures
import glob
import itertools
import json
import os
import random
import re
import subprocess
import sys

import matrix

build, scratch, links, combinations, pairs, seed, sample, part, *only = \
    sys.argv[1:]
warpspec = os.path.join(build, "warpspec")
links = links.split()
HANG_SECONDS = 600
AT_ONCE = 2
SHOWN = 6  # accusations of one device that are printed

Variant = collections.namedtuple("Variant", "name matter rows sentence")


def output_of(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        sys.exit(f"variants.sh: {' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


known = [Variant(n, m, set(r.split()), s) for n, m, r, s in
         (line.split("\t") for line in
          output_of(os.path.join(build, "warpspec-refdut"),
                    "--list-variants").splitlines())]
by_name = {v.name: v for v in known}
for name in only:
    if name not in by_name:
        sys.exit(f"variants.sh: no such variant: {name}")

passed = failed = 0


def tell(ok, what, *lines):
    global passed, failed
    passed, failed = passed + ok, failed + (not ok)
    print(f"{'ok' if ok else 'not ok'} {what}", *lines, sep="\n    ",
          flush=True)


# The choices that were made in its runs: see decision/override.h.
asked = os.path.join(scratch, "asked")
open(asked, "w", encoding="utf-8").close()
os.environ["REFDUT_CHOICES"] = asked


def run(number, options, link):
    """The report of a whole run, or a string that says why there is none."""
    report = os.path.join(scratch, f"{number}.json")
    command = [warpspec, "run", "--quiet", "--jobs", "4", "--link", link,
               "--judge-peer",
               "--report", f"json={report}", *options]
    done = None
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True,
                              timeout=HANG_SECONDS)
        with open(report, encoding="utf-8") as f:
            return json.load(f)
    except subprocess.TimeoutExpired:
        return "the run hung"
    except (OSError, ValueError) as e:
        said = done.stderr.strip() if done else ""
        return f"no report: {said or e}"
    finally:
        if os.path.exists(report):
            os.unlink(report)


def accusations(report, permitted):
    """What is said against a device that did nothing wrong, a line each."""
    found = []
    for case in report["cases"]:
        if case["verdict"] in ("fail", "error"):
            found.append(f"{case['verdict'].upper()} {case['id']}: " +
                         (case["detail"] or case["reason"])
                         .strip().replace("\n", "\n      "))
        elif case["verdict"] == "warn":
            wrong = sorted({b["requirement"] for b in case["broken"]}
                           - permitted)
            if wrong:
                found.append(f"WARN {case['id']} under {' '.join(wrong)}: " +
                             case["detail"].strip().replace("\n", "\n      "))
    found += [f"FINDING {f}" for f in report.get("findings", [])]
    return found


def reasons(report):
    return collections.Counter(c["reason"] for c in report["cases"]
                               if c["verdict"] == "skip")


# RFC 6581 s7: what it says of depths and their negotiation holds over SCTP, too.
def links_of(rows):
    about = {layers[row][0] for row in rows if row in layers}
    if any(row.startswith("EMPA-9") for row in rows):
        about.add("SCTP")
    if about == {"SCTP"}:
        return ["sctp"]
    return [link for link in links if link != "sctp" or about != {"MPA"}] + \
        ["sctp"] * ("SCTP" in about and "sctp" not in links)


clean = {}
for link in dict.fromkeys([*links, "sctp"]):
    clean[link], why = matrix.clean_run(warpspec, ["--link", link])
    if not clean[link]:
        if link == "raw":
            print(f"the raw link is not to be had here: {why}")
            continue
        sys.exit(f"variants.sh: the device as it is: {why}")
    said = accusations(clean[link], set())
    tell(not said, f"the device as it is, {link}", *said[:SHOWN])
links = [link for link in links if clean[link]]

# Each row that leaves a choice, or is only a SHOULD, has a device that makes
# the other choice.
kinds, layers = {}, {}
for path in glob.glob("suite/req/*.def"):
    with open(path, encoding="utf-8") as f:
        for kind, ident, row, layer in re.findall(
                r'REQ\((\w+),\s*\w+,\s*(\w+),\s*"([^"]+)",\s*"[^"]+",'
                r'\s*"[^"]+",\s*(\w+)', f.read()):
            kinds[row] = kind
            layers[row] = (layer, ident)
with open("suite/catalogue/untestable.def", encoding="utf-8") as f:
    untestable = set(re.findall(r"^UNTESTABLE\((\w+)", f.read(), re.M))
with open("harness/refdut/choices/unvaried.def", encoding="utf-8") as f:
    text = f.read()
unvaried = re.findall(r'^UNVARIED\("([^"]+)"', text, re.M)
discouraged = re.findall(r"^DISCOURAGED\((\w+)\)", text, re.M)
mutants = {name: set(rows.split()) for name, rows, _ in
           (line.split("\t") for line in
            output_of(os.path.join(build, "warpspec-refdut"),
                      "--list-mutants").splitlines())}
wrong = [f"{row}: no such row" for row in
         sorted(set().union(*(v.rows for v in known), unvaried) - set(kinds))]
wrong += [f"{name}: no mutant that breaks SHOULDs only" for name in discouraged
          if {kinds.get(r) for r in mutants.get(name, {""})} != {"should"}]
named = set().union(*(v.rows for v in known),
                    *(mutants.get(name, set()) for name in discouraged))
for row, kind in sorted(kinds.items()):
    ident = layers[row][1]
    if kind == "must" or ident in untestable:
        continue
    if row in unvaried and row in named:
        wrong.append(f"{row}: a device takes it the other way, and "
                     "unvaried.def says that none does")
    elif row not in unvaried and row not in named:
        wrong.append(f"{row}: no device takes it the other way, and "
                     "unvaried.def does not say why")
wrong += [f"{row}: twice in unvaried.def" for row in sorted(set(unvaried))
          if unvaried.count(row) > 1]
tell(not wrong, "every row with a choice has a device that takes it otherwise, "
     "or a reason", *wrong)

# DEVICE: (its name, options of run, rows under which it may be warned).
devices = [(v.name, [f"--refdut=+{v.name}"], v.rows)
           for v in known if not only or v.name in only]
devices += [(f"mutant {name}", [f"--refdut={name}"], mutants[name])
            for name in discouraged if not only]
if not only:
    chance = random.Random(int(seed))
    seen = set()
    tries = 0
    while len(seen) < int(combinations) and tries < 100000:
        tries += 1
        three = tuple(sorted(chance.sample(range(len(known)),
                                           min(3, len(known)))))
        some = [known[i] for i in three]
        if three in seen or len({v.matter for v in some}) < len(some):
            continue
        seen.add(three)
        names = [v.name for v in some]
        devices.append((" ".join(names),
                        ["--refdut=+" + ",+".join(names)],
                        set().union(*(v.rows for v in some))))
    features = [f for f in re.findall(
        r'^AGENT_FEATURE\(\w+, "([^"]+)"\)',
        open("harness/agent/features.def", encoding="utf-8").read(), re.M)
        if f not in ("swap", "fetchadd", "cmpswap")]
    # A device that has one of the two has the other: RFC 7306 s5.
    features.append("fetchadd,cmpswap,masked-atomics")
    off = [(f,) for f in features]
    two = list(itertools.combinations(features, 2))
    off += two if pairs == "all" else chance.sample(two, int(pairs))
    devices += [("without " + " and ".join(some),
                 ["--refdut", "--without", ",".join(some)], set())
                for some in off]
    # Its RTR can only be a Send, which uses an MSN.
    devices += [(f"{v.name} without rtr-write and rtr-read",
                 [f"--refdut=+{v.name}", "--without", "rtr-write,rtr-read"],
                 v.rows)
                for v in known if v.name == "always_p2p"]

devices = devices[int(part) % int(sample)::int(sample)]
work = [(d, link) for d in devices for link in links_of(d[2])
        if link != "sctp" or "sctp" not in d[0].split()]


def judged(item):
    number, ((name, options, rows), link) = item
    report = run(number, options, link)
    if isinstance(report, str):
        # Contradictory claims are reported before anything runs.
        told = "--without" in options and "contradict" in report
        return told, report, None
    said = accusations(report, rows)
    return not said, said, reasons(report) - reasons(clean[link])


with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
    for ((name, _, _), link), (ok, said, more) in zip(
            work, pool.map(judged, enumerate(work))):
        if isinstance(said, str):
            tell(ok, f"{name}, {link}: {said}")
            continue
        skipped = sum(more.values())
        why = ", ".join(f"{n} {r}" for r, n in more.most_common(3))
        tell(ok, f"{name}, {link}" +
             (f": {skipped} more SKIPs: {why}" if skipped else ""),
             *said[:SHOWN],
             *([f"and {len(said) - SHOWN} more"]
               if len(said) > SHOWN else []))

with open(asked, encoding="utf-8") as f:
    chosen = set(f.read().split())
for name, options, _ in devices:
    if name in by_name and name not in chosen:
        tell(False, f"{name}: its choice was never made")

print(f"{len(known)} variants, {len(devices)} devices, links: " +
      " ".join(f"{link} {n}" for link, n in
               collections.Counter(link for _, link in work).items()))
print(f"variants: {passed} passed, {failed} failed")
sys.exit(1 if failed or not passed else 0)
PY

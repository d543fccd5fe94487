#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# kill_matrix.sh BUILD [MUTANT...] - every mutant against every case, and which
# faults each line of each case finds. It checks three things that `mutants`
# does not: is there an expectation that no fault makes fail (a hole), is there
# a MUST without a fault, and which other requirements do the cases that find a
# fault accuse?
#
# A line is a case and a requirement that it judges itself and that can fail;
# all rows of its table and both roles are one case. suite/checks/beside.txt
# lists the rows that a mutant breaks besides its own, because its behaviour
# contradicts them, too. suite/checks/holes.txt lists the lines that nothing
# can make fail, with the reason, and suite/catalogue/unbroken.def the
# requirements without a mutant.
#
# The result goes to BUILD/kill-matrix: kill-matrix.json, index.html, and
# digest.txt. It is compared with the published one, and published with
# PUBLISH=1. With SAMPLE=N every N-th mutant is run: lines and mutants have to
# be those published, and a line that found a mutant has to find it again;
# other differences are printed. With names, these mutants are run, and their
# results are printed. With RUNS, a runs.json of an earlier run in the same
# folder (an interrupted run leaves one, too), the mutants in it are not run
# again.
#
# With PREVIOUS, a kill-matrix.json, that matrix is continued: the mutants in
# it run only the new cases, and those that match CASES (globs of changed
# cases); new mutants run all cases.
#
# May be set: SAMPLE, PUBLISH, RUNS, PREVIOUS, CASES, TIMEOUT_SCALE (0.5), JOBS (of
# a run), AT_ONCE (2), BOUND (seconds that a mutant may take, 120). Exit: 0 all
# checks hold, 1 not.
set -u

build=${1:?usage: kill_matrix.sh BUILD [MUTANT...]}
shift
python=/usr/bin/python3
[[ -x $python ]] || python=python3
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$(dirname "$0") "$python" - "$build" \
	"$scratch" "${SAMPLE:-0}" "${PUBLISH:-}" "${RUNS:-}" \
	"${TIMEOUT_SCALE:-0.5}" "${JOBS:-}" "${AT_ONCE:-2}" "${BOUND:-120}" \
	"${PREVIOUS:-}" "${CASES:-}" "$@" <<'PY'
import collections
import concurrent.futures
import fnmatch
import json
import os
import sys

import matrix

build, scratch, sample, publish, runs, scale, jobs, at_once, bound, previous, \
    globs = sys.argv[1:12]
only = sys.argv[12:]
sample = int(sample)
FOLDER = os.path.join(build, "kill-matrix")
PUBLISHED = "reports/published/kill-matrix"
BLAME_AIM, HOLES_AIM = 95, 2  # of 100: at least, at most
OWN_AIM = 97  # percent of those that are found
SHOWN = 10

suite = matrix.Suite(build, scale, jobs, bound)
for name in only:
    if name not in suite.mutants:
        sys.exit(f"kill_matrix.sh: no such mutant: {name}")
names = only or list(suite.mutants)
if sample and not only:
    names = names[sample // 2::sample]
passed = failed = 0


def tell(ok, what, lines=()):
    global passed, failed
    passed, failed = passed + ok, failed + (not ok)
    lines = list(lines)
    print(f"{'ok' if ok else 'not ok'} {what}", *lines[:SHOWN],
          *([f"and {len(lines) - SHOWN} more"]
            if len(lines) > SHOWN else []), sep="\n    ", flush=True)


# --- the runs ---------------------------------------------------------

seen = {}
if runs:
    with open(runs, encoding="utf-8") as f:
        seen = {name: matrix.Seen.from_json(o)
                for name, o in json.load(f).items() if name in names}


# The matrix that is continued: mutant: its entry, with its lines by name.
before, changed = {}, None
if previous:
    with open(previous, encoding="utf-8") as f:
        was = json.load(f)
    its_lines = [tuple(line[:2]) for line in was["lines"]]
    before = {m["mutant"]: dict(m, lines=[its_lines[i] for i in m["lines"]],
                                after=set())
              for m in was["mutants"] if m["mutant"] in suite.mutants and
              set(m["breaks"]) == suite.mutants[m["mutant"]].breaks}
    for case, row, killers, *_ in was["lines"]:
        for i in killers:
            if was["mutants"][i]["mutant"] in before:
                before[was["mutants"][i]["mutant"]]["after"].add((case, row))
    cases = {matrix.case_of(i) for i in suite.instances}
    known = {line[0] for line in was["lines"]} | set(was["instances"])
    changed = {c for c in cases if
               any(fnmatch.fnmatch(c, g) for g in globs.split())}
    changed |= {line.case for line in suite.lines
                if (line.case, line.row) not in set(its_lines)}
    print(f"continued: {len(before)} mutants of before, "
          f"{len(changed)} cases that are new or have changed", flush=True)


def attempt(numbered):
    number, name = numbered
    return name, matrix.Seen(*suite.whole(
        [name], number, scratch, changed if name in before else None))


def continue_from(name):
    """What was seen before of the cases that have not changed."""
    one, entry = seen[name], before[name]
    for case, row in entry["lines"]:
        if case not in changed:
            one.own[case].add(row)
    for case, row in entry["after"] - set(entry["lines"]):
        if case not in changed:
            one.after[case].add(row)
    for key, of in (("others", one.own), ("model", one.model)):
        for row, case, _ in entry.get(key, ()):
            if case not in changed:
                of[case].add(row)
    one.crashed.update(c for c in entry.get("crashed", ())
                       if c not in changed)
    one.note = one.note or entry.get("note", "")


def keep_runs():
    os.makedirs(FOLDER, exist_ok=True)
    kept = os.path.join(FOLDER, "runs.json")
    with open(kept + ".new", "w", encoding="utf-8") as f:
        json.dump({name: seen[name].as_json() for name in sorted(seen)}, f,
                  indent=0)
    os.replace(kept + ".new", kept)


left = [name for name in names if name not in seen]
if left:
    suite.learn_worlds()
with concurrent.futures.ThreadPoolExecutor(int(at_once)) as pool:
    for name, one in pool.map(attempt, enumerate(left)):
        seen[name] = one
        if name in before:
            continue_from(name)
        if not only:
            keep_runs()
        print(f"{name}: {sum(map(len, one.own.values()))} lines of "
              f"{len(one.own)} cases" + (f" ({one.note})" if one.note else ""),
              flush=True)

# --- their results ----------------------------------------------------

lines = sorted(suite.lines)
number = {line: i for i, line in enumerate(lines)}
order = sorted(seen)
killers = collections.defaultdict(list)
for i, name in enumerate(order):
    for line in lines:
        if line.row in (seen[name].own.get(line.case, set()) |
                        seen[name].after.get(line.case, set())):
            killers[line].append(i)


def by_row(of, lines=()):
    """[row, one of the cases, how many], sorted; but those that are lines."""
    rows = collections.defaultdict(list)
    for case in sorted(of):
        for row in of[case]:
            if (case, row) not in lines:
                rows[row].append(case)
    return [[row, cases[0], len(cases)] for row, cases in sorted(rows.items())]


def of_mutant(name):
    mutant, one = suite.mutants[name], seen[name]
    accused = one.accuse(suite)
    blamed = {row: sorted(cases) for row, cases in accused.items()
              if row not in mutant.breaks | mutant.beside}
    entry = {"mutant": name, "does": mutant.sentence,
             "breaks": sorted(mutant.breaks),
             "lines": sorted(number[matrix.Line(case, row)]
                             for case, rows in one.own.items() for row in rows
                             if (case, row) in number),
             "blamed": [[row, cases[0], len(cases)]
                        for row, cases in sorted(blamed.items())]}
    for key, value in (("beside", sorted(mutant.beside)),
                       ("others", by_row(one.own, number)),
                       ("model", by_row(one.model)),
                       ("crashed", sorted(one.crashed)),
                       ("blocked", sorted(collections.Counter(
                           one.blocked.values()).items())),
                       ("note", one.note)):
        if value:
            entry[key] = value
    return entry


mutants = [of_mutant(name) for name in order]
instances = collections.Counter(map(matrix.case_of, suite.instances))

# --- a sample: the same as published? ---------------------------------


def published():
    with open(os.path.join(PUBLISHED, "kill-matrix.json"),
              encoding="utf-8") as f:
        return json.load(f)


def differences(was, now):
    """What a mutant does otherwise than published, in lines."""
    if "note" in was or "note" in now:
        return []  # It took too long: how far it got is chance.
    found = []
    for key in ("lines", "others", "model", "crashed"):
        # For the rows without a line, compare only which they are.
        old, new = ({x[0] if key in ("others", "model") else
                     x if isinstance(x, str) else tuple(x)
                     for x in of.get(key, [])} for of in (was, now))
        found += [f"{key}: {sign} {x if isinstance(x, str) else ' '.join(x)}"
                  for sign, some in (("no longer", old - new),
                                     ("new:", new - old))
                  for x in sorted(some)]
    return found


def named(of, its_lines):
    """With the lines by their names."""
    return dict(of, lines=[tuple(its_lines[i][:2]) for i in of["lines"]])


if only:
    for m in mutants:
        tell(not m["blamed"], f"{m['mutant']} ({' '.join(m['breaks'])})",
             [f"found by {case}: {row}" for case, row in
              named(m, lines)["lines"]] +
             [f"accused too: {row} by {case}" for row, case, _ in m["blamed"]])
    print(f"kill-matrix: {passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
if sample:
    was = published()
    old = {m["mutant"]: named(m, was["lines"]) for m in was["mutants"]}
    tell({tuple(line[:2]) for line in was["lines"]} == suite.lines,
         f"the {len(lines)} lines are those published",
         (f"{case} {row}" for case, row in sorted(
             {tuple(line[:2]) for line in was["lines"]} ^ suite.lines)))
    tell(set(old) == set(suite.mutants),
         f"the {len(suite.mutants)} mutants are those published",
         sorted(set(old) ^ set(suite.mutants)))
    for now in mutants:
        if now["mutant"] not in old:
            tell(False, f"{now['mutant']} is not published")
            continue
        before, again = old[now["mutant"]], named(now, lines)
        tell(not before["lines"] or "note" in again or
             bool(set(before["lines"]) & set(again["lines"])),
             f"{now['mutant']} is found by a line that is published",
             differences(before, again))
    print("as published, else: make kill-matrix PUBLISH=1")
    print(f"kill-matrix: {passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)

# --- the complete matrix ----------------------------------------------

reasons = {}
for where, line in matrix.data_lines("suite/checks/holes.txt"):
    case, row, *why = line.split()
    if not why:
        sys.exit(f"{where}: a case, a requirement, and the reason")
    reasons[matrix.Line(case, row)] = " ".join(why)

killed = {name for name in order
          if any(row in suite.mutants[name].breaks
                 for row in seen[name].accused)
          or seen[name].crashed}
found_only = {name for name in order
              if name not in killed and (seen[name].own or seen[name].model)}
holes = [line for line in lines if not killers[line]]
unlisted = [line for line in holes if line not in reasons]
stale = sorted(line for line in reasons
               if line not in suite.lines or killers[line])
bare = sorted(row for row, r in suite.rows.items() if r["unproven"])
blamers = [m for m in mutants if m["blamed"]]
right = 100 * (len(mutants) - len(blamers)) / len(mutants)
share = 100 * len(set(reasons) & set(holes)) / len(lines)

found = [m for m in mutants if m["mutant"] in killed | found_only]
further = sorted(len(m["blamed"]) for m in found)


def centile(n):
    """Of the further requirements: n of 100 mutants have no more."""
    return further[min(len(further) - 1, len(further) * n // 100)] \
        if further else 0


own_share = 100 * len(killed) / max(1, len(found))
totals = {
    "mutants": len(mutants),
    "found under a row of their own": len(killed),
    "found otherwise": len(found_only),
    "found under a row of their own, of 100 that are found":
        round(own_share, 1),
    "further MUST requirements accused, median": centile(50),
    "further MUST requirements accused, 90th percentile": centile(90),
    "cases": len(instances),
    "instances": len(suite.instances),
    "lines": len(lines),
    "lines that a mutant made fail": len(lines) - len(holes),
    "holes with a reason": len(holes) - len(unlisted),
    "holes without": len(unlisted),
    "MUST and MUST NOT rows without a mutant or a reason": len(bare),
    "mutants for which no MUST is accused but their own":
        len(mutants) - len(blamers),
    "that many of 100": round(right, 1),
    "mutants whose run took too long": sum("note" in m for m in mutants),
}
result = {
    "schema": 1,
    "about": {
        "lines": "case, requirement, the mutants (by number) that made it "
                 "fail, and of a hole the reason",
        "mutants": "what it does; the requirements that it breaks, and those "
                   "broken beside them; the lines (by number) that it made "
                   "fail; the MUST and MUST NOT requirements blamed though "
                   "they are neither, with one of the cases and how many; "
                   "others: accused by a case of which they are no line; "
                   "model: by the golden model; each with one of the cases "
                   "and how many",
        "instances": "of a case, where there are several: all are one "
                     "here"},
    "totals": totals,
    "lines": [[line.case, line.row, killers[line]] +
              ([reasons[line]] if line in reasons else []) for line in lines],
    "mutants": mutants,
    "instances": {case: n for case, n in sorted(instances.items()) if n > 1},
    "levels": {row: suite.rows[row]["level"]
               for row in sorted({line.row for line in lines})},
    "rows without a mutant": [
        [row, suite.rows[row]["unbroken"]]
        for row in sorted(suite.rows) if suite.rows[row]["unbroken"]
        or suite.rows[row]["unproven"]],
}


def dumped(o):
    """JSON, one line for each member of a list on the first level."""
    parts = []
    for key, value in o.items():
        some = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        if isinstance(value, list) and value:
            some = "[\n" + ",\n".join(
                json.dumps(x, ensure_ascii=False, separators=(",", ":"))
                for x in value) + "\n]"
        parts.append(f"{json.dumps(key)}: {some}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def write(name, text):
    with open(os.path.join(FOLDER, name), "w", encoding="utf-8") as f:
        f.write(text)


os.makedirs(FOLDER, exist_ok=True)
keep_runs()
write("kill-matrix.json", dumped(result))
write("digest.txt", "".join(f"{what}: {n}\n" for what, n in totals.items()))
with open("suite/checks/kill_matrix.html", encoding="utf-8") as f:
    page = f.read()
# The page itself computes which mutants made a line fail.
write("index.html", page.replace("@DATA@", dumped(dict(
    result, lines=[line[:2] + line[3:] for line in result["lines"]]
)).replace("</", "<\\/")))

for m in blamers:
    print(f"{m['mutant']} ({' '.join(m['breaks'])}) also accused: " +
          ", ".join(f"{row} by {case}" + (f" and {n - 1} more" if n > 1
                                          else "")
                    for row, case, n in m["blamed"]))
tell(len(killed) + len(found_only) == len(mutants), "every mutant is found",
     sorted(set(order) - killed - found_only))
tell(not found_only, "every mutant is found under a row that it breaks",
     sorted(found_only))
tell(not unlisted, f"every line was made to fail or has its reason",
     (f"{line.case} {line.row}" for line in unlisted))
tell(not stale, "no reason is told for a line that fails, or is none",
     (f"{line.case} {line.row}" for line in stale))
tell(share <= HOLES_AIM, f"reasons for {share:.1f} of 100 lines, "
     f"{HOLES_AIM} are borne")
tell(not bare, "every MUST and MUST NOT has a mutant or a reason", bare)
tell(own_share >= OWN_AIM and not centile(50),
     f"{own_share:.1f} of 100 that are found are found under a row of their "
     f"own, {OWN_AIM} are asked for; beside it a median of {centile(50)} "
     f"further MUSTs is accused, and {centile(90)} in the 90th percentile")
tell(right >= BLAME_AIM, f"for {right:.1f} of 100 mutants no MUST is accused "
     f"but their own; {BLAME_AIM} are asked for")
if publish:
    os.makedirs(PUBLISHED, exist_ok=True)
    for name in ("kill-matrix.json", "digest.txt", "index.html"):
        with open(os.path.join(FOLDER, name), encoding="utf-8") as f, \
                open(os.path.join(PUBLISHED, name), "w",
                     encoding="utf-8") as to:
            to.write(f.read())
elif os.path.exists(PUBLISHED):
    was = published()
    old = {m["mutant"]: named(m, was["lines"]) for m in was["mutants"]}
    wrong = [f"{m['mutant']}: {d}" for m in mutants if m["mutant"] in old
             for d in differences(old[m["mutant"]], named(m, lines))]
    wrong += sorted(set(old) ^ set(order))
    tell(not wrong and totals == was["totals"], "all of it is as published",
         wrong)
for what, n in totals.items():
    print(f"{what}: {n}")
print(f"kill-matrix: {passed} passed, {failed} failed")
sys.exit(1 if failed or not passed else 0)
PY

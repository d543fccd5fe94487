#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""gaps.py COVERAGE.json - what gcovr has counted: the lines and branches of each
folder, and each line of codec, model and judgement that did not run, or has a
branch that was not taken.

Such a line needs a reason in reasons.txt beside this script. The other lines are
counted, by function, in reports/published/coverage/open.txt: a function may not
have more of them than that file says. A reason whose line is covered, or does
not exist, is reported. PUBLISH=1 writes open.txt again; it can only get shorter,
unless GROW=1 is set.

Exit: 0 so it is, 1 not, 2 a file cannot be read."""
import collections
import json
import os
import sys

KINDS = ("fault",       # a call of the system fails; `make faults` has it fail
         "precaution",  # no caller gets there, and another caller might
         "compiler")    # the branch is not in the source
JUDGED = ("harness/wire/", "suite/model/", "suite/judge/")
HERE = os.path.dirname(os.path.abspath(__file__))
REASONS = os.path.relpath(os.path.join(HERE, "reasons.txt"))
OPEN = "reports/published/coverage/open.txt"
OPEN_HEAD = """\
# FILE FUNCTION GAPS: lines of codec, model and judgement that did not run in
# `make coverage`, and branches that were not taken, without a reason in
# suite/checks/coverage/reasons.txt. No number may grow.
"""

Gap = collections.namedtuple("Gap", "path number function text missing says")


def give_up(why):
    print(f"gaps.py: {why}", file=sys.stderr)
    sys.exit(2)


def data_lines(path):
    """(number, line) of a data file, without comments and empty lines."""
    try:
        with open(path, encoding="utf-8") as f:
            lines = list(enumerate(f, 1))
    except OSError as e:
        give_up(f"{path}: {e.strerror}")
    return [(n, line.rstrip()) for n, line in lines
            if line.strip() and not line.startswith("#")]


def read_reasons():
    """entry: where it stands. An entry is "FILE FUNCTION", or "FILE FUNCTION:
    TEXT OF THE LINE". Below it, indented, is "KIND: REASON", for it and for
    those above it that have none of their own."""
    entries, waiting, said = {}, [], ""

    def settle():
        kind, _, reason = said.strip().partition(": ")
        if kind not in KINDS or not reason:
            give_up(f"{REASONS}:{waiting[-1][0]}: below this, indented, goes "
                    f"one of {', '.join(KINDS)}, then ': ' and the reason")
        entries.update({entry: n for n, entry in waiting})

    for number, line in data_lines(REASONS):
        if line[0].isspace():
            said += " " + line.strip()
            continue
        if said:
            settle()
            waiting, said = [], ""
        if line in entries or line in [entry for _, entry in waiting]:
            give_up(f"{REASONS}:{number}: the second entry of this line")
        waiting.append((number, line))
    if waiting:
        settle()
    return entries


def read_open():
    try:
        return {line.rpartition(" ")[0]: int(line.rpartition(" ")[2])
                for _, line in data_lines(OPEN)}
    except ValueError as e:
        give_up(f"{OPEN}: {e}")


class Counts:
    def __init__(self):
        self.lines = self.run = self.branches = self.taken = 0

    def add(self, line):
        self.lines += 1
        self.run += line["count"] > 0
        self.branches += len(line["branches"])
        self.taken += sum(b["count"] > 0 for b in line["branches"])

    def __str__(self):
        def share(part, whole):
            percent = int(1000 * part / whole) / 10 if whole else 100.0
            return f"{part:6} of {whole:6} ({percent:5.1f} %)"
        return (f"lines {share(self.run, self.lines)}   "
                f"branches {share(self.taken, self.branches)}")


def gaps_of(path, lines, functions):
    with open(path, encoding="utf-8") as f:
        source = f.read().split("\n")
    for line in lines:
        number = line["line_number"]
        missing = sum(not b["count"] for b in line["branches"])
        says = f"{missing} of {len(line['branches'])} branches not taken"
        if not line["count"]:
            missing, says = 1, "not run"
        if not missing:
            continue
        function = max((f for f in functions if f[0] <= number),
                       default=(0, "-"))[1]
        yield Gap(path, number, function, " ".join(source[number - 1].split()),
                  missing, says)


def read_coverage(path):
    """The counts of each folder, and the gaps."""
    folders, gaps = collections.defaultdict(Counts), []
    try:
        with open(path, encoding="utf-8") as f:
            files = json.load(f)["files"]
    except (OSError, ValueError, KeyError) as e:
        give_up(f"{path}: {e}")
    for file in files:
        lines = [line for line in file["lines"]
                 if not line.get("gcovr/noncode")]
        for line in lines:
            folders["/".join(file["file"].split("/")[:-1][:2])].add(line)
        if file["file"].startswith(JUDGED):
            gaps += gaps_of(file["file"], lines,
                            [(f["lineno"], f["name"])
                             for f in file["functions"]])
    return folders, gaps


def publish(left, known):
    grown = [place for place, n in left.items() if n > known.get(place, 0)]
    if grown and not os.environ.get("GROW"):
        give_up(f"{OPEN}: not written, because {grown[0]} has more gaps than "
                "there: write a test or a reason, or set GROW=1")
    with open(OPEN, "w", encoding="utf-8") as f:
        f.write(OPEN_HEAD)
        f.writelines(f"{place} {n}\n" for place, n in sorted(left.items()))


def main():
    if len(sys.argv) != 2:
        give_up("usage: gaps.py COVERAGE.json")
    folders, gaps = read_coverage(sys.argv[1])
    reasons, known = read_reasons(), read_open()
    for folder, counts in sorted(folders.items()):
        print(f"{folder:20} {counts}")

    used, left, passed, failed = set(), collections.Counter(), 0, 0
    unexplained = collections.defaultdict(list)
    for gap in gaps:
        place = f"{gap.path} {gap.function}"
        mine = {place, f"{place}: {gap.text}"} & set(reasons)
        used |= mine
        passed += bool(mine)
        if not mine:
            left[place] += gap.missing
            unexplained[place].append(gap)
    if os.environ.get("PUBLISH"):
        publish(left, known)
        known = dict(left)
    for place, some in sorted(unexplained.items()):
        if left[place] <= known.get(place, 0):
            passed += 1
            if left[place] < known[place]:
                print(f"{OPEN}: {place} has {left[place]} gaps left of "
                      f"{known[place]}: PUBLISH=1 writes that down")
            continue
        failed += len(some)
        for gap in some:
            print(f"{gap.path}:{gap.number}: {gap.function}(): {gap.says}: "
                  f"{gap.text}")
    for place in sorted(set(known) - set(left)):
        print(f"{OPEN}: {place} has no gaps left: PUBLISH=1 writes that down")
    for entry, number in reasons.items():
        passed += entry in used
        if entry not in used:
            failed += 1
            print(f"{REASONS}:{number}: a reason without a "
                  f"gap; remove it: {entry}")
    print(f"{len(gaps)} lines have a gap; {sum(left.values())} gaps of "
          f"{len(left)} functions are open")
    print(f"coverage: {passed} passed, {failed} failed")
    return failed > 0 or not passed


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: BSD-2-Clause
"""The score: what came of the mutants, by layer and by section of an RFC."""
import collections
import json
import os
import re

PAGE = """Machine-made mutants of {of}

Each is one change of the source, made from the syntax tree. `make {target}`
runs them; CONTRIBUTING.md says how. unthought.json has each of them, with the
case that found it and the requirements under which it did, or the reason why
nothing finds it (suite/checks/unthought/reasons.txt).

"""
SETS = {"device": {"of": "the reference device", "target": "unthought"},
        "judges": {"of": "model, matchers, peer and codec",
                   "target": "unthought-judges"}}
COLUMNS = (
    ("tried", "mutants of this run"),
    ("equivalent", "same object code as the original"),
    ("duplicate", "same object code as another mutant"),
    ("no fault", "equivalent or legal, by hand, with the reason"),
    ("found", "found by a case, which failed again alone"),
    ("died", "the device went down, did not answer, or did not end"),
    ("error", "nobody is accused, but runs end in an ERROR that names the agent"),
    ("explored", "found by exploration only"),
    ("not found", "run, and not found"),
    ("alike", "reached, and the change never made a difference"),
    ("unreached", "no case reaches it"),
    ("score", "found, died, error or explored, of 100 that are faults"),
)
COLUMN_OF = {"no difference": "alike", "not reached": "unreached"}
GOOD = ("found", "died", "error", "explored")
SAME = ("equivalent", "duplicate", "no fault")


def score(counts):
    tried = counts["tried"] - sum(counts[c] for c in SAME)
    return 100 * sum(counts[c] for c in GOOD) / tried if tried else 100.0


def column(result, reason):
    if result not in GOOD + SAME and reason and reason[0] in (
            "equivalent", "legal"):
        return "no fault"
    return COLUMN_OF.get(result, result)


def count(results, reasons):
    """total, by layer, by section: Counters of columns."""
    total = collections.Counter()
    layers = collections.defaultdict(collections.Counter)
    sections = collections.defaultdict(collections.Counter)
    for mutant, one in results:
        what = column(one["result"], reasons.get(mutant["mutant"]))
        for counts in (total, layers[mutant["layer"]],
                       sections[mutant["section"]]):
            counts["tried"] += 1
            counts[what] += 1
    return total, layers, sections


def by_number(section):
    return [int(n) for n in re.findall(r"\d+", section)]


def table(title, rows):
    width = max(len(title), *(len(name) for name, _ in rows))
    lines = [title.ljust(width) + "".join(f"{c:>11}" for c, _ in COLUMNS)]
    for name, counts in rows:
        cells = [f"{counts[c]:>11}" for c, _ in COLUMNS[:-1]]
        lines.append(name.ljust(width) + "".join(cells) +
                     f"{score(counts):>11.1f}")
    return "\n".join(lines) + "\n"


def page(which, generated, results, reasons):
    total, layers, sections = count(results, reasons)
    text = PAGE.format(**SETS[which]) + f"generated: {generated}" + (
        f", of which {len(results)} have been run: a sample\n"
        if len(results) < generated else "\n")
    text += "".join(f"{c}: {what}\n" for c, what in COLUMNS) + "\n"
    text += table("layer", [*sorted(layers.items()), ("all", total)]) + "\n"
    text += table("section", sorted(
        sections.items(), key=lambda s: by_number(s[0])))
    left = [(m, one) for m, one in results
            if column(one["result"], reasons.get(m["mutant"]))
            not in GOOD + SAME]
    kinds = collections.Counter(
        reasons.get(m["mutant"], ("not yet classified",))[0] for m, _ in left)
    text += f"\nNot found, with the reason by hand ({len(left)}: " + ", ".join(
        f"{n} {kind}" for kind, n in kinds.most_common()) + "):\n\n"
    for m, one in left:
        kind, why = reasons.get(m["mutant"], ("not yet classified", ""))
        text += (f"{m['mutant']}\n    {one['result']}; {kind}" +
                 (f": {why}" if why else "") + "\n")
    return text


def as_json(generated, results, reasons):
    total, layers, sections = count(results, reasons)

    def counts(of):
        return {**{c: of[c] for c, _ in COLUMNS[:-1]},
                "score": round(score(of), 1)}
    lines = []
    for m, one in results:
        entry = {"mutant": m["mutant"], "section": m["section"],
                 "result": one["result"]}
        for key in ("case", "world", "rows", "as", "note"):
            if one.get(key):
                entry[key] = one[key]
        if m["mutant"] in reasons and one["result"] not in GOOD:
            entry["reason"] = ": ".join(reasons[m["mutant"]])
        lines.append(json.dumps(entry))
    head = json.dumps({
        "schema": 1, "generated": generated, "totals": counts(total),
        "layers": {k: counts(v) for k, v in sorted(layers.items())},
        "sections": {k: counts(v) for k, v in sorted(
            sections.items(), key=lambda s: by_number(s[0]))}}, indent=1)
    return head[:-2] + ',\n "mutants": [\n' + ",\n".join(lines) + "\n]}\n"


def write(folder, which, generated, results, reasons):
    os.makedirs(folder, exist_ok=True)
    for name, text in (("score.txt",
                        page(which, generated, results, reasons)),
                       ("unthought.json",
                        as_json(generated, results, reasons))):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(text)


def published(folder):
    with open(os.path.join(folder, "unthought.json"), encoding="utf-8") as f:
        return json.load(f)

#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""findings.py REPORT.json... - what a run found wrong, each finding once.

A finding is a requirement that the device does not meet: its section, how
many cases show it, what was due and what was seen in the first of them, and
the reason where a deviations file gives one. Cases without a requirement in
their detail (a crash, an error) are told by its first line.
"""

import json
import re
import sys

RULE = re.compile(
    r"(?P<id>\S+) (?P<level>MUST NOT|MUST|SHOULD NOT|SHOULD|MAY) "
    r"\((?P<section>[^)]*)\)(?:, [^:]*)?: (?P<text>.*)")
BAD = ("fail", "xfail", "warn", "error")


def findings_of(case):
    """(section, id, level, text, evidence lines) of a case, each id once."""
    found = {}
    evidence = None
    for line in case["detail"].splitlines():
        rule = RULE.fullmatch(line)
        if rule:
            evidence = []
            found.setdefault(rule["id"], (rule, evidence))
        elif evidence is not None:
            evidence.append(line.strip())
    if not found:
        first = (case["detail"] or case["reason"]).partition("\n")
        yield ("", ", ".join(case["requirements"]), case["verdict"].upper(),
               first[0], first[2].splitlines()[:20])
    for rule, lines in found.values():
        yield (rule["section"], rule["id"], rule["level"], rule["text"], lines)


def in_order(key):
    """Sections by their numbers, not by their digits."""
    return [int(part) if part.isdigit() else part
            for part in re.split(r"(\d+)", key)]


def main():
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        findings = {}
        for case in report["cases"]:
            if case["verdict"] not in BAD:
                continue
            for section, name, level, text, lines in findings_of(case):
                finding = findings.setdefault(
                    (section, name, level, text),
                    {"cases": [], "lines": lines, "reasons": {}})
                finding["cases"].append(case["id"])
                if case["reason"] and case["verdict"] == "xfail":
                    finding["reasons"][case["reason"]] = True
        print(f"{report['device']['name']}, link {report['link']}: "
              f"{len(findings)} findings")
        for key in sorted(findings, key=lambda k: in_order(" ".join(k))):
            section, name, level, text = key
            finding = findings[key]
            cases = finding["cases"]
            print(f"\n{section or 'no section'}: {name} {level}: {text}")
            for line in finding["lines"]:
                print(f"  {line[:160]}")
            more = f" and {len(cases) - 1} more" if len(cases) > 1 else ""
            print(f"  in {cases[0]}{more}")
            for reason in finding["reasons"]:
                print(f"  known: {reason}")
        print()


if __name__ == "__main__":
    main()

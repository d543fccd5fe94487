# SPDX-License-Identifier: BSD-2-Clause
"""reasons.txt: mutants that nothing finds, each with the reason, by hand."""
import os

KINDS = ("equivalent",   # the device does the same
         "legal",        # it is another choice that the RFCs leave open
         "unreachable",  # nothing that a peer or a ULP does gets there
         "invisible",    # neither the wire, the agent nor memory shows it
         "missed")       # a case should find it, and none does
PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reasons.txt")


def read(path=PATH):
    """mutant: (kind, reason). A mutant stands at the start of a line; below,
    indented, are the kind and the reason, for it and for those above it that
    have none of their own."""
    reasons, waiting, text = {}, [], ""
    with open(path, encoding="utf-8") as f:
        lines = [(n, line.rstrip()) for n, line in enumerate(f, 1)]
    lines = [(n, line) for n, line in lines
             if line and not line.startswith("#")]

    def settle(number):
        kind, _, reason = text.strip().partition(": ")
        if kind not in KINDS or not reason:
            raise SystemExit(f"{path}:{number}: one of {', '.join(KINDS)}, "
                             "then ': ' and the reason")
        for mutant in waiting:
            reasons[mutant] = kind, reason

    for number, line in lines:
        if not line[0].isspace():
            if text:
                settle(number)
                waiting, text = [], ""
            if line in reasons or line in waiting:
                raise SystemExit(f"{path}:{number}: twice: {line}")
            waiting.append(line)
        else:
            text = f"{text} {line.strip()}".strip()
    if waiting:
        settle(lines[-1][0])
    return reasons

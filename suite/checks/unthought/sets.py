# SPDX-License-Identifier: BSD-2-Clause
"""The source files of which mutants are made, in one place.

The device proper: the layers, and the connection that joins them. No faults/
and choices/, which are mutants and variants themselves; no agent/ and ulp/,
which are no device; no loop, buffers, or addresses of the host. A function
that reads a line of the agent protocol is text, too (mutate.TEXT)."""
import glob

NOT_PART = ("_test.c", "_prove.c", "_fuzz.c", "_bench.c", "_tool.c",
            "_fixture.c")

SETS = {
    "device": ["harness/refdut/mpa", "harness/refdut/ddp",
               "harness/refdut/rdmap", "harness/refdut/sctp",
               "harness/refdut/memory", "harness/refdut/verbs",
               "harness/refdut/conn.c", "harness/refdut/conn_close.c",
               "harness/refdut/conn_input.c", "harness/refdut/conn_output.c"],
    "judges": ["suite/model", "suite/language/match", "harness/peer",
               "harness/wire"],
}


def files_of(name):
    found = []
    for place in SETS[name]:
        found += [place] if place.endswith(".c") else \
            sorted(glob.glob(place + "/**/*.c", recursive=True))
    return [f for f in found if not f.endswith(NOT_PART)]


def layer_of(path):
    """The folder by which a score is counted."""
    folder = path.rsplit("/", 1)[0]
    if folder == "harness/refdut":
        return "conn"
    for start in ("harness/refdut/", "harness/", "suite/"):
        if folder.startswith(start):
            return folder[len(start):]
    return folder

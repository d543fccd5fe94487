# SPDX-License-Identifier: BSD-2-Clause
"""
Where the octets and the markers of an FPDU stand (RFC 5044 s4.1 to s4.5).

What defines them is a walk: an FPDU's own octets go out one after the other,
and wherever the stream offset is a multiple of 512 a marker goes before the
next of them. The functions have no loop; that they agree with the walk after
every number of octets is shown by induction: before the first octet, and with
each step. `k` is that number, of 17 bits, which no ULPDU_Length exceeds.
"""

from z3 import (And, BitVecVal, Concat, Extract, If, Implies, Not, Or, UDiv,
                UGE, UGT, ULE, ULT, URem, ZeroExt)

from description import Equals, Mutant, Property, Written, edges

CODEC = "harness/wire/fpdu.c"
DEVICE = "harness/refdut/mpa/framing_prove.c"

LENGTHS = edges(16, 4, 126, 506, 510, 1014, 1442, 64768)
PHASES = [0, 4, 8, 252, 500, 504, 508, 509, 511, 512, 516, 0xfffffffc,
          0xffffffff]
OWN_MOST = 2 + 65535 + 3 + 4


def wide(term):
    return ZeroExt(64 - term.size(), term)


def due_at(offset, at):
    """A marker is due `at` octets after this stream offset."""
    return URem(wide(offset) + at, 512) == 0


def next_own(offset, at):
    """The octets so far, after one more octet of the FPDU."""
    return at + If(due_at(offset, at), BitVecVal(5, 64), BitVecVal(1, 64))


def walked(own, offset):
    """The walk itself, in plain numbers: octets, and positions of markers."""
    at, markers = 0, []
    for _ in range(own):
        if (offset + at) % 512 == 0:
            markers.append(at)
            at += 4
        at += 1
    return at, markers


# --- pad ------------------------------------------------------------------

def pads(i, call, fn):
    """The fewest octets that make the ULPDU and its length a multiple of 4."""
    pad = wide(call(fn, i.length))
    return And(ULT(pad, 4), URem(2 + wide(i.length) + pad, 4) == 0)


def pad_wrong(fn):
    return [Written("ULPDU_Length itself is not counted",
                    **{fn: lambda length: URem(0 - wide(length), 4)}),
            Written("four octets where none are missing",
                    **{fn: lambda length: 4 - URem(wide(length) + 2, 4)})]


# --- markers --------------------------------------------------------------

ON = BitVecVal(1, 1)
OFF = BitVecVal(0, 1)
WALK = {"k": 17, "offset": 32}
STEPS = {"k": [0, 1, 2, 507, 508, 509, 1016, 65544], "offset": PHASES}


def within(i):
    return ULE(i.k, OWN_MOST)


def walk(fn):
    """Octets on the wire after k octets of the FPDU: for all k, by induction."""
    def claim(i, call):
        k = ZeroExt(1, i.k)
        here, there = call(fn, k, ON, i.offset), call(fn, k + 1, ON, i.offset)
        return And(call(fn, BitVecVal(0, 18), ON, i.offset) == 0,
                   there == next_own(i.offset, here),
                   call(fn, k, OFF, i.offset) == wide(k))
    return claim


def count(i, call):
    """One more with each octet that a marker goes before, else as many."""
    k = ZeroExt(1, i.k)
    here = call("markers_in", k, ON, i.offset)
    due = due_at(i.offset, call("on_wire", k, ON, i.offset))
    return And(call("markers_in", BitVecVal(0, 18), ON, i.offset) == 0,
               call("markers_in", k + 1, ON, i.offset) ==
               If(due, here + 1, here),
               call("markers_in", k, OFF, i.offset) == 0)


def unlike_walk(first, between, leading=lambda first: first):
    """A count of markers with an error in it."""
    def on_wire(plain, markers, offset):
        at = leading(first(offset))
        n = If(ULE(plain, at), BitVecVal(0, 64),
               1 + wide(UDiv(Extract(17, 0, plain - 1 - at),
                             BitVecVal(between, 18))))
        return If(markers == 1, plain + 4 * n, plain)
    return on_wire


def to_marker(offset):
    return URem(0 - wide(offset), 512)


MARKER = {"length": 16, "offset": 32}


def where(i, call):
    """
    The first is at the first multiple of 512, each next 512 octets on, the
    last before the last octet, and the one behind it not within.
    """
    total = call("fpdu_octets", i.length, ON, i.offset)
    n = call("fpdu_marker_count", i.length, ON, i.offset)
    first = call("fpdu_marker_at", BitVecVal(0, 32), ON, i.offset)
    after = call("fpdu_marker_at", n, ON, i.offset)
    last = call("fpdu_marker_at", n - 1, ON, i.offset)
    return And(ULT(first, 512), due_at(i.offset, first), ULE(n, 132),
               Implies(n != 0, ULT(last, total - 4)), UGE(after, total))


def apart(i, call):
    at = call("fpdu_marker_at", i.n, ON, i.offset)
    return And(call("fpdu_marker_at", i.n + 1, ON, i.offset) == at + 512,
               due_at(i.offset, at))


def pointer(i, call):
    """Back to ULPDU_Length, after a leading marker."""
    at = call("fpdu_marker_at", i.n, ON, i.offset)
    lead = If(due_at(i.offset, BitVecVal(0, 64)), BitVecVal(4, 64),
              BitVecVal(0, 64))
    back = If(ULT(at, lead), BitVecVal(0, 64), at - lead)
    return And(wide(call("fpdu_marker_pointer", i.n, i.offset)) == back,
               URem(back, 4) == 0)


def whole(i, call):
    """Length, ULPDU, pad and CRC, walked."""
    own = 2 + wide(i.length) + wide(call("fpdu_pad", i.length)) + 4
    return And(call("fpdu_octets", i.length, ON, i.offset) ==
               call("on_wire", own, ON, i.offset),
               call("fpdu_octets", i.length, OFF, i.offset) == own,
               URem(own, 4) == 0,
               call("fpdu_marker_count", i.length, ON, i.offset) ==
               call("markers_in", own, ON, i.offset))


def device_walk(i, call):
    k = wide(i.k)
    here = call("octets_of_stream", k, ON, i.at)
    return And(call("octets_of_stream", BitVecVal(1, 64), ON, i.at) ==
               next_own(i.at, BitVecVal(0, 64)),
               call("octets_of_stream", k + 1, ON, i.at) ==
               next_own(i.at, here),
               call("octets_of_stream", k, OFF, i.at) == k)


# --- MULPDU ---------------------------------------------------------------

EMSS = edges(32, 127, 134, 136, 140, 512, 513, 1024, 1460, 8960, 64774,
             64776, 65280, 65284, 65535)


def mulpdu(i):
    """The formulas of s4.5, in 40 bits, and its range (s3.1)."""
    emss = ZeroExt(8, i.emss)
    four = BitVecVal(4, 40)
    room = 6 + URem(emss, four) + If(
        i.markers == 1, 4 * UDiv(emss + 511, BitVecVal(512, 40)),
        BitVecVal(0, 40))
    most = emss - room
    return Extract(31, 0, If(
        Or(ULT(emss, room), ULT(most, 128)), BitVecVal(128, 40),
        If(UGT(most, 64768), BitVecVal(64768, 40), most)))


def formula(markers_of):
    """MULPDU with another count of markers; 128 and 64768 unchanged."""
    def fn(emss, markers):
        room = 6 + URem(emss, BitVecVal(4, 32)) + If(
            markers == 1, 4 * markers_of(emss), BitVecVal(0, 32))
        return If(Or(ULT(emss, room), ULT(emss - room, 128)),
                  BitVecVal(128, 32),
                  If(UGT(emss - room, 64768), BitVecVal(64768, 32),
                     emss - room))
    return fn


ROUNDED_DOWN = formula(lambda emss: UDiv(emss, BitVecVal(512, 32)))
NO_MARKERS = formula(lambda emss: BitVecVal(0, 32))


def not_aligned(emss, markers):
    room = BitVecVal(6, 32) + If(
        markers == 1, 4 * UDiv(emss + 511, BitVecVal(512, 32)),
        BitVecVal(0, 32))
    return If(Or(ULT(emss, room), ULT(emss - room, 128)), BitVecVal(128, 32),
              If(UGT(emss - room, 64768), BitVecVal(64768, 32), emss - room))


def fits(i, call):
    """An FPDU of MULPDU octets fits a segment, wherever it starts."""
    most = Extract(15, 0, call("fpdu_mulpdu", ZeroExt(15, i.emss), i.markers))
    return ULE(call("fpdu_octets", most, i.markers, i.offset), wide(i.emss))


def largest(i, call):
    """Without markers, an FPDU with one more octet does not."""
    most = Extract(15, 0, call("fpdu_mulpdu", ZeroExt(15, i.emss), OFF))
    return UGT(call("fpdu_octets", most + 1, OFF, BitVecVal(0, 32)),
               wide(i.emss))


DEVICE_MULPDU = [Mutant("mulpdu_ignores_emss"), Mutant("mulpdu_ignores_markers"),
                 Mutant("mulpdu_not_aligned"), Mutant("mulpdu_quarter"),
                 Mutant("mulpdu_no_floor"), Mutant("mulpdu_no_ceiling")]


class Walk(Property):
    """Its rows are walked, octet for octet."""

    def due(self, function, args):
        if function in ("on_wire", "octets_of_stream"):
            own, markers, offset = (a.as_long() for a in args)
            return BitVecVal(walked(own, offset)[0] if markers else own, 64)
        if function == "markers_in":
            own, markers, offset = (a.as_long() for a in args)
            return BitVecVal(len(walked(own, offset)[1]) if markers else 0,
                             32)
        return None


PROPERTIES = [
    Property("the pad makes a multiple of 4, and is none too many",
             "RFC 5044 s4.1", [CODEC], {"length": 16},
             lambda i, call: pads(i, call, "fpdu_pad"), pad_wrong("fpdu_pad"),
             {"length": LENGTHS}),
    Property("the reference device's pad is the same",
             "RFC 5044 s4.1", [DEVICE], {"length": 16},
             lambda i, call: And(pads(i, call, "pad_due"),
                                 pads(i, call, "pad_awaited")),
             [Mutant("rx_pad_zero_taken_as_four"),
              Mutant("rx_odd_pad_not_expected"),
              Mutant("rx_pad_of_two_not_expected")], {"length": LENGTHS}),
    Walk("an FPDU's octets on the wire are those of the walk",
         "RFC 5044 s4.3", [CODEC], WALK, walk("on_wire"),
         [Written("512 octets between markers, not 508",
                  on_wire=unlike_walk(to_marker, 512)),
          Written("markers counted from the FPDU, not from the stream",
                  on_wire=unlike_walk(lambda offset: BitVecVal(0, 64), 508)),
          Written("the first marker behind its octet, not before it",
                  on_wire=unlike_walk(to_marker, 508,
                                      lambda first: first + 1))],
         STEPS, given=within),
    Walk("an FPDU holds as many markers as the walk sets",
         "RFC 5044 s4.3", [CODEC], WALK, count,
         [Written("one for each 512 octets, whatever the offset",
                  markers_in=lambda plain, markers, offset: If(
                      markers == 1, Extract(31, 0, UDiv(
                          plain, BitVecVal(512, 64))), BitVecVal(0, 32)))],
         STEPS, given=within),
    Property("an FPDU is its length, ULPDU, pad and CRC, walked",
             "RFC 5044 s4.1", [CODEC], MARKER, whole,
             [Written("the CRC left out", fpdu_octets=lambda length, m, offset:
                      2 + wide(length) + URem(2 - wide(length), 4))],
             {"length": LENGTHS, "offset": PHASES}),
    Property("the first marker is at a multiple of 512, the last within",
             "RFC 5044 s4.3", [CODEC], MARKER, where,
             [Written("counted from the FPDU, not from the stream",
                      fpdu_marker_at=lambda n, markers, offset:
                      512 * wide(n)),
              Written("the offset forward, not the way to the next",
                      fpdu_marker_at=lambda n, markers, offset:
                      URem(wide(offset), 512) + 512 * wide(n))],
             {"length": LENGTHS, "offset": PHASES}),
    Property("markers are 512 octets apart",
             "RFC 5044 s4.3", [CODEC], {"n": 32, "offset": 32}, apart,
             [Written("508 octets", fpdu_marker_at=lambda n, markers, offset:
                      to_marker(offset) + 508 * wide(n))],
             {"n": [0, 1, 2, 130], "offset": PHASES},
             given=lambda i: ULT(i.n, 132)),
    Property("a marker points back to its FPDU's ULPDU_Length",
             "RFC 5044 s4.3", [CODEC], {"n": 32, "offset": 32}, pointer,
             [Written("the marker at the front is counted",
                      fpdu_marker_pointer=lambda n, offset: Extract(
                          15, 0, to_marker(offset) + 512 * wide(n))),
              Written("to the ULPDU, not to its length",
                      fpdu_marker_pointer=lambda n, offset: Extract(
                          15, 0, to_marker(offset) + 512 * wide(n) - 2))],
             {"n": [0, 1, 2, 126], "offset": PHASES},
             # As far as 16 bits go: an FPDU of 64768 octets needs no more.
             given=lambda i: And(ULT(i.n, 127), URem(wide(i.offset), 4) == 0)),
    Walk("the reference device awaits as many octets as the walk",
         "RFC 5044 s4.3", [DEVICE], {"k": 17, "at": 64}, device_walk,
         [Mutant("rx_markers_not_counted")],
         {"k": [1, 2, 507, 508, 509, 1016, 65544], "at": PHASES},
         given=lambda i: And(within(i), i.k != 0, ULT(i.at, 1 << 62))),
    Equals("MULPDU is that of the formulas, within its range",
           "RFC 5044 s4.5", [CODEC], "fpdu_mulpdu",
           {"emss": 32, "markers": 1}, mulpdu,
           [Written("markers rounded down", fpdu_mulpdu=ROUNDED_DOWN),
            Written("no room for pad", fpdu_mulpdu=not_aligned)],
           {"emss": EMSS, "markers": [0, 1]}),
    Equals("the reference device's MULPDU is the same up to an EMSS of 2^31",
           "RFC 5044 s4.5", [DEVICE], "mulpdu_of",
           {"emss": 32, "markers": 1}, mulpdu, DEVICE_MULPDU,
           {"emss": [e for e in EMSS if e < 1 << 31], "markers": [0, 1]},
           given=lambda i: ULT(i.emss, 1 << 31)),
    Property("an FPDU of MULPDU octets fits into EMSS at every offset",
             "RFC 5044 s4.5", [CODEC],
             {"emss": 17, "markers": 1, "offset": 32}, fits,
             [Written("markers rounded down", fpdu_mulpdu=ROUNDED_DOWN),
              Written("no markers counted", fpdu_mulpdu=NO_MARKERS),
              Written("no room for pad", fpdu_mulpdu=not_aligned)],
             {"emss": [148, 512, 513, 516, 1024, 1460, 8960, 65535],
              "markers": [0, 1], "offset": PHASES[:9]},
             # Below, 128 is due whether it fits or not.
             given=lambda i: UGE(i.emss, 144)),
    Property("without markers no larger ULPDU fits into EMSS",
             "RFC 5044 s4.5", [CODEC], {"emss": 17}, largest,
             [Written("a marker counted all the same",
                      fpdu_mulpdu=lambda emss, markers: emss - 10 -
                      URem(emss, BitVecVal(4, 32)))],
             {"emss": [136, 512, 513, 516, 1024, 1460, 8960, 64773]},
             given=lambda i: And(UGE(i.emss, 134), ULT(i.emss, 64774))),
]

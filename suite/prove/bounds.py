# SPDX-License-Identifier: BSD-2-Clause
"""
Whether an access lies within a region (RFC 5041 s7.1). Written here with
numbers of 72 bits, in which no sum of TO and length wraps.
"""

from z3 import And, BitVecVal, If, Not, Or, UGE, UGT, ULE, ULT, ZeroExt

from description import Equals, Mutant, Written, edges

MODEL = "suite/model/receive/memory_prove.c"
DEVICE = "harness/refdut/memory/memory_prove.c"
UNTAGGED = "harness/refdut/ddp/ddp_rx_prove.c"

ACCESS = {"region_to": 64, "region_len": 64, "to": 64, "len": 64}
END = BitVecVal(1 << 64, 72)  # of all TOs


def wide(term):
    return ZeroExt(72 - term.size(), term)


def wraps(i):
    """An octet of it would have a TO that does not exist."""
    return UGT(wide(i.to) + wide(i.len), END)


def wraps_with_an_octet(i):
    return And(i.len != 0, wraps(i))


def outside(i):
    return Not(And(UGE(wide(i.to), wide(i.region_to)),
                   ULE(wide(i.to) + wide(i.len),
                       wide(i.region_to) + wide(i.region_len))))


def flaw(wrap, bounds):
    """The result of the functions under proof: a wrap, else the bounds."""
    return If(wrap, BitVecVal(2, 32),
              If(bounds, BitVecVal(1, 32), BitVecVal(0, 32)))


def wrong(fn):
    """Plausible code that forgets the end of all TOs."""
    def bounds_by_sums(region_to, region_len, to, len_):
        return flaw(False, Not(And(UGE(to, region_to),
                                   ULE(to + len_, region_to + region_len))))

    def start_only(region_to, region_len, to, len_):
        return flaw(And(len_ != 0, ULT(to + len_ - 1, to)),
                    UGT(to - region_to, region_len))

    def last_octet_too_far(region_to, region_len, to, len_):
        return flaw(And(len_ != 0, ULT(to + len_ - 1, to)),
                    Or(ULT(to, region_to), UGT(to - region_to, region_len),
                       UGT(len_, region_len - (to - region_to) + 1)))

    def end_taken_for_wrap(region_to, region_len, to, len_):
        return flaw(And(len_ != 0, ULT(to + len_, to)),
                    Or(ULT(to, region_to), UGT(to - region_to, region_len),
                       UGT(len_, region_len - (to - region_to))))

    return [
        Written("TO and length added in 64 bits", **{fn: bounds_by_sums}),
        Written("only where it starts is looked at", **{fn: start_only}),
        Written("one octet beyond the end", **{fn: last_octet_too_far}),
        Written("an end of exactly 2^64 taken for a wrap",
                **{fn: end_taken_for_wrap}),
    ]


VALUES = {"region_to": [0, 0x1000, (1 << 64) - 0x1000, (1 << 64) - 1],
          "region_len": [0, 1, 0x1000, (1 << 64) - 1],
          "to": edges(64, 0x1000, (1 << 64) - 0x1000),
          "len": [0, 1, 2, 0xfff, 0x1000, 0x1001, (1 << 64) - 1]}


def untagged(i):
    """Items 4 and 5 of s7.1: an MO beyond the buffer; an end beyond it."""
    start, size = wide(i.mo), wide(i.size)
    end = start + wide(i.octets)
    return If(Or(UGT(start, size), And(start == size, i.octets != 0)),
              BitVecVal(4, 32),
              If(UGT(end, size), BitVecVal(5, 32), BitVecVal(0, 32)))


PROPERTIES = [
    Equals("the model's bounds of a region hold beyond 2^64",
           "RFC 5041 s7.1", [MODEL], "region_faults", ACCESS,
           lambda i: flaw(wraps_with_an_octet(i), outside(i)),
           wrong("region_faults"), VALUES,
           corners=[lambda i: And(wraps(i), ULT(i.len, 0x10000),
                                  ULE(i.to + i.len,
                                      i.region_to + i.region_len))],
           linear=True),
    Equals("the reference device's bounds of a region hold beyond 2^64",
           "RFC 5041 s7.1", [DEVICE], "range_flaw", ACCESS,
           lambda i: flaw(wraps_with_an_octet(i), outside(i)),
           wrong("range_flaw"), VALUES, linear=True),
    Equals("a segment's end is held against its buffer without wrapping",
           "RFC 5041 s7.1", [UNTAGGED], "untagged_flaw",
           {"mo": 32, "octets": 16, "size": 32}, untagged,
           [Mutant("mo_added_in_32_bits"),
            Mutant("message_limit_one_too_far"),
            Mutant("mo_beyond_buffer_ignored")],
           {"mo": edges(32, 4096), "octets": [0, 1, 2, 64768, 0xffff],
            "size": edges(32, 4096)},
           corners=[lambda i: And(UGT(wide(i.mo) + wide(i.octets),
                                      wide(BitVecVal(0xffffffff, 32))),
                                  ULE(i.mo, i.size))]),
]

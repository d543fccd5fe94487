# SPDX-License-Identifier: BSD-2-Clause
"""The arithmetic of the atomic operations, as RFC 7306 s5.1 defines it."""

from z3 import (And, BitVecVal, Concat, Extract, If, LShR, UGT, ULT, ZeroExt)

from description import Equals, Mutant, Written, edges

MODEL = "suite/model/atomic/atomic_prove.c"
DEVICE = "harness/refdut/rdmap/atomics.c"

ADDED = {"old": 64, "add": 64, "mask": 64}
SWAPPED = {"old": 64, "compare": 64, "compare_mask": 64, "swap": 64,
           "swap_mask": 64}


def bit(term, n):
    return Extract(n, n, term)


def of_bits(bits):
    return Concat(*reversed(bits))


def fetchadd(i):
    """s5.1.1: from the lowest bit up, each sum includes the previous carry."""
    carry, bits = BitVecVal(0, 2), []
    for n in range(64):
        total = carry + ZeroExt(1, bit(i.old, n)) + ZeroExt(1, bit(i.add, n))
        bits.append(bit(total, 0))
        carry = If(bit(i.mask, n) == 1, BitVecVal(0, 2),
                   ZeroExt(1, bit(total, 1)))
    return of_bits(bits)


def matches(i):
    """s5.1.2: all compared bits are equal."""
    return And([If(bit(i.compare_mask, n) == 1,
                   bit(i.compare, n) == bit(i.old, n), True)
                for n in range(64)])


def cmpswap(i):
    """s5.1.2: then each swapped bit has its new value."""
    match = matches(i)
    return of_bits([If(And(match, bit(i.swap_mask, n) == 1), bit(i.swap, n),
                       bit(i.old, n)) for n in range(64)])


def octets(term):
    return [Extract(8 * n + 7, 8 * n, term) for n in range(8)]


WORDS = [0, 1, 0x8000000000000000, 0xffffffffffffffff, 0x0123456789abcdef]
MASKS = [0, 1, 0x8000000000000000, 0xffffffffffffffff, 0x8080808080808080,
         0x80000000, 0x0000000100000000]
SWAPS = {"old": WORDS[1:4], "compare": WORDS[1:4], "compare_mask": MASKS[:5],
         "swap": [0, WORDS[3], WORDS[4]], "swap_mask": MASKS[:5]}

# The places where adders are built differently.
CORNERS = [
    lambda i: And(bit(i.mask, 63) == 0, i.mask != 0,
                  ULT(i.old + i.add, i.old)),
    lambda i: And(i.mask == 0x80, (i.old & 0xff) + (i.add & 0xff) == 0x100),
    lambda i: And(bit(i.mask, 31) == 1, UGT(i.old + i.add, 0xffffffff),
                  ULT(i.old, 0x80000000), ULT(i.add, 0x80000000) == False),
    lambda i: And(i.old == ~i.add, i.mask == 0x5555555555555555),
    lambda i: And(i.old & i.add == i.mask, UGT(i.mask, 0xffff00000000)),
]


def add_wrong(fn):
    return [
        Written("the carry goes over the mask",
                **{fn: lambda old, add, mask: old + add}),
        Written("the mask marks the lowest bit of the next field",
                **{fn: lambda old, add, mask:
                   ((old & ~LShR(mask, 1)) + (add & ~LShR(mask, 1))) ^
                   ((old ^ add) & LShR(mask, 1))}),
        Written("the top bit of a field takes no carry",
                **{fn: lambda old, add, mask:
                   (((old & ~mask) + (add & ~mask)) & ~mask) |
                   ((old ^ add) & mask)}),
    ]


PROPERTIES = [
    Equals("the model's FetchAdd is the bit-serial adder",
           "RFC 7306 s5.1.1", [MODEL], "model_fetchadd", ADDED, fetchadd,
           add_wrong("model_fetchadd"),
           {"old": WORDS, "add": WORDS, "mask": MASKS}, corners=CORNERS),
    Equals("the model's own bit-serial adder is that of the text",
           "RFC 7306 s5.1.1", [MODEL], "model_fetchadd_serial", ADDED,
           fetchadd, add_wrong("model_fetchadd_serial")[:1],
           {"old": WORDS, "add": WORDS, "mask": MASKS}, corners=CORNERS),
    Equals("the reference device's FetchAdd is the bit-serial adder",
           "RFC 7306 s5.1.1", [DEVICE], "atomic_fetch_add", ADDED, fetchadd,
           [Mutant("fetchadd_mask_ignored"), Mutant("fetchadd_mask_selects"),
            Mutant("fetchadd_32_bit"), Mutant("fetchadd_boundary_below"),
            Mutant("fetchadd_of_zero_stores_half"),
            Mutant("fetchadd_saturates"), Mutant("fetchadd_top_bit_or")],
           {"old": WORDS, "add": WORDS, "mask": MASKS}, corners=CORNERS),
    Equals("the model's CmpSwap matches where every bit compared does",
           "RFC 7306 s5.1.2", [MODEL], "model_cmpswap_matches",
           {n: 64 for n in ("old", "compare", "compare_mask")},
           lambda i: If(matches(i), BitVecVal(1, 1), BitVecVal(0, 1)),
           [Written("the compare data is not masked",
                    model_cmpswap_matches=lambda old, compare, mask:
                    If(old & mask == compare, BitVecVal(1, 1),
                       BitVecVal(0, 1)))],
           {n: SWAPS[n] for n in ("old", "compare", "compare_mask")}),
    Equals("the model's CmpSwap replaces bit by bit, on a match only",
           "RFC 7306 s5.1.2", [MODEL], "model_cmpswap", SWAPPED, cmpswap,
           [Written("the masks are exchanged",
                    model_cmpswap=lambda old, compare, cm, swap, sm:
                    If((old ^ compare) & sm == 0,
                       (old & ~cm) | (swap & cm), old)),
            Written("bits that are not swapped become zero",
                    model_cmpswap=lambda old, compare, cm, swap, sm:
                    If((old ^ compare) & cm == 0, swap & sm, old))],
           SWAPS),
    Equals("the reference device's CmpSwap replaces bit by bit",
           "RFC 7306 s5.1.2", [DEVICE], "atomic_cmp_swap", SWAPPED, cmpswap,
           [Mutant("cmpswap_compare_mask_ignored"),
            Mutant("cmpswap_swap_mask_ignored"),
            Mutant("cmpswap_masks_exchanged"),
            Mutant("cmpswap_low_half_compared"),
            Mutant("cmpswap_compare_data_not_masked"),
            Mutant("cmpswap_always_swaps"), Mutant("cmpswap_clears_unmasked")],
           SWAPS),
    Equals("the model's Swap stores what it was given",
           "draft-ietf-storm-rdmap-ext-03 s5.1.2", [MODEL], "model_swap",
           {"old": 64, "swap": 64}, lambda i: i.swap,
           [Written("as a CmpSwap that found no match",
                    model_swap=lambda old, swap: old)],
           {"old": WORDS, "swap": WORDS}),
    Equals("a word in memory is its octets in the host's order",
           "RFC 7306 s5.1", [MODEL], "word_stored_loaded",
           {"word": 64, "stored": 1, "loaded": 1},
           lambda i: If(i.stored == i.loaded, i.word, Concat(*octets(i.word))),
           [Written("in one order, whatever was asked for",
                    word_stored_loaded=lambda word, stored, loaded: word)],
           {"word": WORDS, "stored": [0, 1], "loaded": [0, 1]}),
]

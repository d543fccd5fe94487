# SPDX-License-Identifier: BSD-2-Clause
"""
MSNs are counted modulo 2^32 (RFC 5041 s4.3): after 0xffffffff comes 0.
Written here with numbers of 40 bits, which do not wrap.
"""

from z3 import (And, BitVecVal, Concat, Extract, If, Or, UGE, ULE, ULT, URem,
                ZeroExt)

from description import Equals, Mutant, Property, Written, edges

MODEL = "suite/model/receive/receive_untagged_prove.c"
DEVICE = "harness/refdut/ddp/ddp_rx_prove.c"

ROUND = BitVecVal(1 << 32, 40)
MSNS = edges(32)


def wide(term):
    return ZeroExt(40 - term.size(), term)


def after(msn, n):
    """The MSN of the message that comes n messages after that of this MSN."""
    return Extract(31, 0, URem(wide(msn) + wide(n), ROUND))


def truth(condition):
    return If(condition, BitVecVal(1, 1), BitVecVal(0, 1))


def distance(i):
    """How many messages later the first MSN that is `msn` comes."""
    return URem(wide(i.msn) + ROUND - wide(i.due), ROUND)


PROPERTIES = [
    Property("an MSN that comes n messages later is n ahead in the model",
             "RFC 5041 s4.3", [MODEL], {"due": 32, "n": 32},
             lambda i, call: call("ahead_of", i.due, after(i.due, i.n)) == i.n,
             [Written("the numbers compared as they are",
                      ahead_of=lambda due, msn: If(
                          ULT(msn, due), BitVecVal(-1, 32), msn - due)),
              Written("0 left out after 0xffffffff",
                      ahead_of=lambda due, msn: If(
                          ULT(msn, due), msn - due - 1, msn - due))],
             {"due": MSNS, "n": [0, 1, 2, 1023, 0x7fffffff]},
             given=lambda i: ULT(i.n, 1 << 31)),
    Property("an MSN that came n messages before is n behind in the model",
             "RFC 5041 s4.3", [MODEL], {"due": 32, "n": 32},
             lambda i, call: call("ahead_of", after(i.due, i.n), i.due) ==
             -i.n,
             [Written("the distance without a sign",
                      ahead_of=lambda due, msn: If(
                          ULT(msn, due), due - msn, msn - due))],
             {"due": MSNS, "n": [1, 2, 1023, 0x7fffffff, 0x80000000]},
             given=lambda i: And(i.n != 0, ULE(i.n, 1 << 31))),
    Equals("an MSN has a buffer where fewer messages than buffers come before",
           "RFC 5041 s7.1", [DEVICE], "within_buffers",
           {"due": 32, "msn": 32, "buffers": 32},
           lambda i: truth(ULT(distance(i), wide(i.buffers))),
           [Written("the numbers compared as they are",
                    within_buffers=lambda due, msn, buffers: truth(
                        And(UGE(msn, due), ULT(msn, due + buffers)))),
            Written("one too many",
                    within_buffers=lambda due, msn, buffers: truth(
                        ULE(msn - due, buffers)))],
           {"due": MSNS, "msn": MSNS, "buffers": [0, 1, 2, 1024, 0xffffffff]},
           corners=[lambda i: And(ULT(i.msn, i.due), ULT(i.buffers, 8),
                                  ULT(distance(i), wide(i.buffers))),
                    lambda i: And(i.buffers == 8,
                                  distance(i) == wide(i.buffers),
                                  ULT(i.msn, i.due))]),
    Equals("the reference device takes no MSN but the one that is due",
           "RFC 5041 s4.3", [DEVICE], "is_due",
           {"due": 32, "msn": 32, "buffers": 32},
           lambda i: truth(distance(i) == 0),
           [Mutant("rx_msn_unchecked"), Mutant("skipped_msn_delivered"),
            Mutant("rx_repeated_msn_taken"), Mutant("rx_msn_wrap_skips_zero")],
           {"due": MSNS, "msn": MSNS, "buffers": [0, 1, 1024]}),
]

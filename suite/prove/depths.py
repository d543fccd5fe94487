# SPDX-License-Identifier: BSD-2-Clause
"""
IRD and ORD, 14 bits each, as RFC 6581 s9.1 has them negotiated; 0x3fff says
that an end negotiates none. All pairs of both ends, with the flags that share
their octets, whatever these are.
"""

from z3 import (And, BitVecVal, Concat, Extract, If, Implies, Not, Or, UGE,
                UGT, ULE, ULT, ZeroExt)

from description import Equals, Mutant, Property, Written

MODEL = ["suite/model/startup/negotiate_prove.c", "suite/model/startup/startup.c",
         "harness/wire/mpa.c", "harness/wire/cursor.c",
         "suite/model/outcome/objection.c"]
DEVICE = ["harness/refdut/mpa/startup_prove.c", "harness/refdut/agent/limits.c"]

NONE = BitVecVal(0x3fff, 16)
MOST = 1024  # the reference device's own limit
DEPTHS = [0, 1, 2, 1023, 1024, 1025, 0x1fff, 0x3ffe, 0x3fff]


def low(term):
    """The 14 bits of a depth, without the two flags before it."""
    return ZeroExt(2, Extract(13, 0, term))


def lesser(a, b):
    return If(ULT(a, b), a, b)


def greater(a, b):
    return If(ULT(a, b), b, a)


def fields(term):
    """The four numbers of 16 bits that an answer holds."""
    return [Extract(n + 15, n, term) for n in (48, 32, 16, 0)]


PAIRS = {"asked_ird": 16, "asked_ord": 16, "given_ird": 16, "given_ord": 16}


def agreed(asked_ird, asked_ord, given_ird, given_ord):
    a_ird, a_ord, g_ird, g_ord = map(low, (asked_ird, asked_ord, given_ird,
                                           given_ord))
    return Concat(
        # The initiator: an IRD of at least the responder's ORD, an ORD of at
        # most its IRD; a depth that was not negotiated is its own choice.
        If(Or(a_ird == NONE, g_ord == NONE), NONE, greater(a_ird, g_ord)),
        If(g_ird == NONE, NONE, lesser(a_ord, g_ird)),
        # The responder: the depths that it has announced.
        g_ird, g_ord)


def overrun(i, call):
    """Neither end may ask for more Reads than the other one serves."""
    i_ird, i_ord, r_ird, r_ord = fields(call("agreed_depths", *vars(i)
                                             .values()))
    return And(Implies(r_ird != NONE, ULE(i_ord, r_ird)),
               Implies(And(r_ord != NONE, i_ird != NONE),
                       ULE(r_ord, i_ird)))


def agreed_as(change):
    def fn(asked_ird, asked_ord, given_ird, given_ord):
        a = low(asked_ird), low(asked_ord)
        g = low(given_ird), low(given_ord)
        return Concat(*change(a, g))
    return fn


COUPLED = Written(
    "ORD held against one's own IRD, not the peer's",
    agreed_depths=agreed_as(lambda a, g: (
        If(Or(a[0] == NONE, g[1] == NONE), NONE, greater(a[0], g[1])),
        If(g[0] == NONE, NONE, lesser(a[1], a[0])), g[0], g[1])))
IRD_FOR_MIN = Written(
    "the IRD offered, not the lesser of both",
    agreed_depths=agreed_as(lambda a, g: (
        If(Or(a[0] == NONE, g[1] == NONE), NONE, greater(a[0], g[1])),
        a[1], g[0], g[1])))
NONE_A_NUMBER = Written(
    "0x3fff taken for a depth",
    agreed_depths=agreed_as(lambda a, g: (
        greater(a[0], g[1]), lesser(a[1], g[0]), g[0], g[1])))

PAIR_VALUES = {"asked_ird": [0, 1, 1024, 0x3fff, 0xc001],
               "asked_ord": [0, 1, 1024, 0x3fff, 0x8001],
               "given_ird": [0, 1, 1023, 0x3fff, 0x4002],
               "given_ord": [0, 2, 1025, 0x3fff, 0x7fff]}


# --- what a Reply may say -------------------------------------------------

REPLY = {"ird": 16, "ird_max": 16, "ord": 16, "asked_ird": 16,
         "asked_ord": 16}


def reply_allowed(i):
    """As the text says for each depth; a device may offer 0x3fff."""
    a_ird, a_ord = low(i.asked_ird), low(i.asked_ord)
    room = If(i.ird == NONE, NONE,
              If(i.ird_max == 0, NONE - 1,
                 greater(i.ird_max, BitVecVal(1, 16))))
    zero = BitVecVal(0, 16)
    return Concat(
        If(a_ord == NONE, NONE, If(ULE(a_ord, i.ird), a_ord, zero)),
        If(a_ord == NONE, NONE, room),
        If(a_ird == NONE, NONE, zero),
        If(Or(a_ird == NONE, i.ord == NONE), NONE, a_ird))


def reply_wrong(none_ird, none_ord):
    def fn(ird, ird_max, ord_, asked_ird, asked_ord):
        a_ird, a_ord = low(asked_ird), low(asked_ord)
        room = If(ird == NONE, NONE, If(ird_max == 0, NONE - 1, ird_max))
        zero = BitVecVal(0, 16)
        return Concat(
            If(none_ird(a_ird, a_ord), NONE, If(ULE(a_ord, ird), a_ord, zero)),
            If(none_ird(a_ird, a_ord), NONE, room),
            If(none_ord(a_ird, a_ord), NONE, zero),
            If(none_ord(a_ird, a_ord), NONE, a_ird))
    return fn


# --- a Reply that asks for too much ---------------------------------------

REFUSED = {"ird_max": 16, "asked_ird": 16, "asked_ord": 16, "given_ird": 16,
           "given_ord": 16}


def refused(i):
    """TERM 2/0/6 may come where the IRD offered is short, and has to where no
    more can be had. An IRD left open does not say what there is, and is not
    answered by a number."""
    ird, ord_ = low(i.asked_ird), low(i.given_ord)
    short = And(ord_ != NONE, Or(ird == NONE, UGT(ord_, ird)))
    must = And(short, ird != NONE, i.ird_max != 0, UGT(ord_, i.ird_max))
    return If(short, BitVecVal(6, 32), BitVecVal(0, 32)) | \
        If(must, BitVecVal(0x100, 32), BitVecVal(0, 32))


def refused_as(ird_of):
    def fn(ird_max, asked_ird, asked_ord, given_ird, given_ord):
        ird, ord_ = ird_of(low(asked_ird), low(given_ird)), low(given_ord)
        short = UGT(ord_, ird)
        must = And(short, ird_max != 0, UGT(ord_, ird_max))
        return If(short, BitVecVal(6, 32), BitVecVal(0, 32)) | \
            If(must, BitVecVal(0x100, 32), BitVecVal(0, 32))
    return fn


# --- the reference device -------------------------------------------------

OWN = {"ird": 32, "ord": 32, "peer_ird": 16, "peer_ord": 16}
OWN_VALUES = {"ird": [0, 1, 8, 1024], "ord": [0, 1, 8, 1024],
              "peer_ird": DEPTHS, "peer_ord": DEPTHS}


def of_fourteen(i):
    return And(ULE(i.peer_ird, NONE), ULE(i.peer_ord, NONE),
               ULE(i.ird, MOST), ULE(i.ord, MOST))


def answers(i, call):
    """The responder, s9.1: each depth follows from the one it answers."""
    ird, ord_, reply_ird, reply_ord = fields(call("answered", *vars(i)
                                                  .values()))
    own_ird, own_ord = Extract(15, 0, i.ird), Extract(15, 0, i.ord)
    return And(
        If(i.peer_ird == NONE, And(reply_ord == NONE, ord_ == own_ord),
           And(ULE(reply_ord, i.peer_ird), reply_ord == ord_,
               ULE(ord_, own_ord))),
        ird == own_ird,
        If(i.peer_ord == NONE, reply_ird == NONE, reply_ird == ird))


def answers_somehow(i, call):
    """What holds of it whatever it chooses of what the text leaves it: it may
    leave its IRD open, too."""
    _, ord_, reply_ird, reply_ord = fields(call("answered", *vars(i)
                                                .values()))
    return And(
        If(i.peer_ird == NONE, reply_ord == NONE,
           And(ULE(reply_ord, i.peer_ird), ULE(ord_, reply_ord))),
        Implies(i.peer_ord == NONE, reply_ird == NONE))


def concludes(i, call):
    """The initiator, s9.1: ORD to the peer's IRD at most, or as it is; and
    code 6 where its own IRD is short of the peer's ORD."""
    ird, ord_, _, code = fields(call("concluded", *vars(i).values()))
    own_ird, own_ord = Extract(15, 0, i.ird), Extract(15, 0, i.ord)
    short = And(i.peer_ord != NONE, UGT(i.peer_ord, own_ird))
    return And(ord_ == If(i.peer_ird == NONE, own_ord,
                          lesser(own_ord, i.peer_ird)),
               ird == own_ird,
               code == If(short, BitVecVal(6, 16), BitVecVal(0, 16)))


def model_takes_it(i, call):
    """The model allows the device's answer."""
    _, _, reply_ird, reply_ord = fields(call("answered", *vars(i).values()))
    ird_min, ird_max, ord_min, ord_max = fields(
        call("reply_depths", Extract(15, 0, i.ird), BitVecVal(MOST, 16),
             Extract(15, 0, i.ord), i.peer_ird, i.peer_ord))
    return And(UGE(reply_ird, ird_min), ULE(reply_ird, ird_max),
               UGE(reply_ord, ord_min), ULE(reply_ord, ord_max))


PROPERTIES = [
    Equals("enhanced data is written as it was read, every bit",
           "RFC 6581 s9", MODEL, "enhanced_again", {"first": 16, "second": 16},
           lambda i: Concat(i.first, i.second),
           [Written("B and C at each other's place",
                    enhanced_again=lambda first, second: Concat(
                        Extract(15, 15, first), Extract(15, 15, second),
                        Extract(13, 0, first), Extract(14, 14, first),
                        Extract(14, 0, second)))],
           {"first": [0, 1, 0x3fff, 0x4000, 0x8000, 0xffff],
            "second": [0, 1, 0x3fff, 0x4000, 0x8000, 0xffff]}),
    Equals("the model's agreement on depths is that of the text",
           "RFC 6581 s9.1", MODEL, "agreed_depths", PAIRS,
           lambda i: agreed(*vars(i).values()),
           [COUPLED, IRD_FOR_MIN, NONE_A_NUMBER], PAIR_VALUES),
    Property("no end may ask for more Reads than the other one serves",
             "RFC 6581 s9.1", MODEL, PAIRS, overrun, [COUPLED, IRD_FOR_MIN],
             PAIR_VALUES),
    Equals("the model allows of a Reply's depths what the text does",
           "RFC 6581 s9.1", MODEL, "reply_depths", REPLY, reply_allowed,
           [Written("0x3fff answered with 0x3fff in the same field",
                    reply_depths=reply_wrong(lambda ird, ord_: ird == NONE,
                                             lambda ird, ord_: ord_ == NONE)),
            Written("both left open where one is",
                    reply_depths=reply_wrong(
                        lambda ird, ord_: Or(ird == NONE, ord_ == NONE),
                        lambda ird, ord_: Or(ird == NONE, ord_ == NONE)))],
           {"ird": [0, 1, 1024, 0x3fff], "ird_max": [0, 1, 1024],
            "ord": [0, 1024, 0x3fff], "asked_ird": DEPTHS,
            "asked_ord": DEPTHS},
           given=lambda i: And(ULE(i.ird, NONE), ULT(i.ird_max, NONE),
                               ULE(i.ord, NONE))),
    Equals("the model's initiator refuses an ORD above its IRD, and no other",
           "RFC 6581 s9.1", MODEL, "reply_refused", REFUSED, refused,
           [Written("0x3fff taken for a depth",
                    reply_refused=refused_as(lambda asked, given: asked)),
            Written("held against the responder's own IRD",
                    reply_refused=refused_as(lambda asked, given: given))],
           {"ird_max": [0, 1, 1024], "asked_ird": [0, 1, 1024, 0x3fff, 0xbfff],
            "asked_ord": [0, 0xffff], "given_ird": [0, 0xffff],
            "given_ord": DEPTHS},
           given=lambda i: ULT(i.ird_max, NONE)),
    Property("the reference device answers each depth by the peer's other one",
             "RFC 6581 s9.1", DEVICE, OWN, answers,
             [Mutant("reply_ord_above_ird"), Mutant("reply_ird_overstated"),
              Mutant("reply_ird_too_low"),
              Mutant("unnegotiated_ord_answered_with_ird"),
              Mutant("unnegotiated_ird_answered_with_ord"),
              Mutant("unnegotiated_ird_lifts_ord"),
              Mutant("unnegotiated_values_coupled"),
              Mutant("unnegotiated_ord_leaves_one_read"),
              Mutant("large_depth_not_negotiated"),
              Mutant("reply_ord_understated")],
             OWN_VALUES, given=of_fourteen),
    Property("so it does with any of the choices that the RFCs leave it",
             "RFC 6581 s9.1", DEVICE, OWN, answers_somehow,
             [Mutant("reply_ord_above_ird"),
              Mutant("unnegotiated_ord_answered_with_ird"),
              Mutant("unnegotiated_ird_answered_with_ord"),
              Mutant("unnegotiated_values_coupled")],
             OWN_VALUES, given=of_fourteen, variants=True),
    Property("the reference device heeds the depths of a Reply",
             "RFC 6581 s9.1", DEVICE, OWN, concludes,
             [Mutant("initiator_ord_not_lowered"),
              Mutant("responder_ird_zero_ignored"),
              Mutant("insufficient_ird_ignored"),
              Mutant("unnegotiated_ord_zeroes_ird"),
              Mutant("unnegotiated_ird_lifts_ord"),
              Mutant("initiator_ird_follows_own_ord")],
             OWN_VALUES, given=of_fourteen),
    Property("the model takes every Reply of the reference device",
             "RFC 6581 s9.1", DEVICE + MODEL, OWN, model_takes_it,
             [Mutant("reply_ord_above_ird"),
              Mutant("unnegotiated_ord_answered_with_ird"),
              Mutant("unnegotiated_ird_answered_with_ord"),
              Mutant("reply_ird_overstated"), Mutant("reply_ird_too_low")],
             OWN_VALUES, given=of_fourteen),
]

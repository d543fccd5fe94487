# SPDX-License-Identifier: BSD-2-Clause
"""Each segment has options that nobody knows, in every order and length; and it
comes again with options of impossible lengths, which make it no segment (RFC
9293 s3.1)."""
import random

VERDICTS = "clean"
ROOM = 40
IMPOSSIBLE = (b"\x1e\x00\x01\x01", b"\x1e\x01\x01\x01", b"\xfd\x28\x01\x01",
              b"\x02\x03\x01\x01", b"\x08\x05\x00\x00")


def segments(s):
    options = s.options
    while len(options) + 2 <= ROOM and random.random() < 0.9:
        n = random.randint(2, ROOM - len(options))
        more = bytes([random.choice((4, 5, 14, 19, 27, 28, 29, 34, 69, 253, 254)
                                    ), n]) + random.randbytes(n - 2)
        options = random.choice((options + more, more + options))
    if len(s.octets) + ROOM <= 1460:
        yield s.but(options=options)
    else:
        yield s
    wrong = bytes(o ^ 0xff for o in s.octets)
    for bad in IMPOSSIBLE:
        yield s.but(options=bad, octets=wrong)

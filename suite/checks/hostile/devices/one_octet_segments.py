# SPDX-License-Identifier: BSD-2-Clause
"""The first octets of each segment arrive in segments of their own."""
VERDICTS = "clean"
FIRST = 24


def segments(s):
    if len(s.octets) < 2:
        return [s]
    n = min(FIRST, len(s.octets) - 1)
    return [s.but(seq=s.seq + i, octets=s.octets[i:i + 1])
            for i in range(n)] + [s.but(seq=s.seq + n, octets=s.octets[n:])]

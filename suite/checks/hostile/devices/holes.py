# SPDX-License-Identifier: BSD-2-Clause
"""The first octets of each segment come in reverse, with holes that are filled
late: more pieces than anybody keeps."""
VERDICTS = "clean"
FIRST = 24


def segments(s):
    if len(s.octets) < 2:
        return [s]
    pieces = [s.but(seq=s.seq + i, octets=s.octets[i:i + 1])
              for i in range(min(FIRST, len(s.octets)))]
    return pieces[1::2][::-1] + pieces[0::2][::-1] + [s]

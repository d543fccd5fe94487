# SPDX-License-Identifier: BSD-2-Clause
"""After the startup frame of the device comes a stream without end, as fast as
the window allows."""
from frames import ACK, PSH, SYN, WORDS

VERDICTS = "any"
BLOCK = b"\x00\x17\x41\x43" + b"\xa5" * 956
ROUND = 4  # blocks for a connection, each time
open_ones = {}


class Stream:
    def __init__(self):
        self.last = None
        self.at = self.edge = 0


def segments(s):
    if s.flags & SYN:
        open_ones[s.connection()] = Stream()
    stream = open_ones.get(s.connection())
    if not stream or stream.last:
        return
    yield s
    if s.octets:
        stream.last, stream.at = s, s.seq + len(s.octets)
        stream.edge = stream.at + len(BLOCK)


def heard(s):
    stream = open_ones.get(s.answer().connection())
    if stream and stream.last:
        stream.last.ack = s.seq + len(s.octets)
        stream.edge = stream.at + (s.ack - stream.at) % WORDS - (
            WORDS if (s.ack - stream.at) % WORDS > WORDS // 2 else 0) + s.window


def later():
    for stream in open_ones.values():
        for _ in range(ROUND):
            if not stream.last or stream.at + len(BLOCK) > stream.edge:
                break
            yield stream.last.but(seq=stream.at, octets=BLOCK,
                                  flags=ACK | PSH)
            stream.at += len(BLOCK)

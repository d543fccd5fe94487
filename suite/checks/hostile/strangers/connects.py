# SPDX-License-Identifier: BSD-2-Clause
"""A host that opens connections to the ports on which the suite listens, and on
which it will listen next: a port scanner. It says something, says nothing, or
resets the connection."""
import random

from frames import ACK, FIN, PSH, RST, Segment, SYN, mac_of

OWN, OWN_MAC = "10.77.0.222", bytes.fromhex("02770a4d00de")


def frames(here):
    while here.answers:
        s = here.answers.popleft()
        if s.flags & (SYN | ACK) != SYN | ACK:
            continue
        opened = s.answer(flags=ACK, seq=s.ack, ack=s.seq + 1, window=500)
        yield opened.frame()
        kind = random.randint(0, 3)
        if kind == 0:
            yield opened.but(flags=RST).frame()
        elif kind == 1:
            yield opened.but(flags=ACK | PSH, octets=b"GET / HTTP/1.0\r\n\r\n"
                             ).frame()
        elif kind == 2:
            yield opened.but(flags=ACK | FIN).frame()
    for link, port in list(here.ports.items()):
        for ahead in (1, 2):
            yield Segment(mac_to=mac_of(link), mac_from=OWN_MAC, source=OWN,
                          to=link, sport=random.randint(1024, 65535),
                          port=port + ahead, flags=SYN, window=500,
                          seq=random.getrandbits(32)).frame()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Agents with one fault each, for check_agent_test.sh.

    faulty_agent.py --list       NAME, a tab, what check-agent has to report about it
    faulty_agent.py NAME PORT    an agent that relays to the agent at PORT

The first line on stdout is the port. Every agent relays requests and replies
unchanged, except for its own few lines below. The text after the tab has the
beginnings of the sentences that have to fail; after a '~' come those that may
fail as well, because they cannot distinguish the fault. A name that begins with
"sound" is an agent without a fault.
"""
import hashlib
import hmac
import re
import select
import socket
import sys
import threading
import time

MIB = 1 << 20
LATE = 0.03  # seconds
TOKEN = b"a shared token"

FAULTS = {}


def fault(*due, also=()):
    def keep(cls):
        FAULTS[cls.__name__] = (cls, due, also)
        return cls
    return keep


class Gone(Exception):
    """The client has closed its session."""


class Upstream:
    """The real agent's end of a session."""

    def __init__(self, port):
        self.sock = socket.create_connection(("127.0.0.1", port))
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""
        self.lock = threading.Lock()

    def line(self, client):
        """The next line; b"" at the end. `client`: check whether it has ended, too."""
        while b"\n" not in self.buffer:
            watched = [self.sock] + ([client] if client else [])
            for sock in select.select(watched, [], [])[0]:
                if sock is client:
                    # Later requests wait their turn: only the end counts.
                    if sock.recv(1, socket.MSG_PEEK) == b"":
                        raise Gone
                    client = None
                    continue
                got = sock.recv(65536)
                if not got:
                    return b""
                self.buffer += got
        line, _, self.buffer = self.buffer.partition(b"\n")
        return line

    def ask(self, line, client=None):
        """All lines of the reply to a request."""
        with self.lock:
            self.sock.sendall(line + b"\n")
            reply = self.line(client)
            events = []
            if line.startswith(b"events ") and reply.startswith(b"OK n="):
                for _ in range(int(reply[5:].split()[0])):
                    events.append(self.line(None))
        return [reply] + events if reply else []


class Sound:
    """A session that relays everything."""

    all = []

    def __init__(self, client, port):
        self.client = client
        self.up = Upstream(port)
        self.names = {}  # from regions to the line that registered them
        self.conns = []
        self.greeted = False
        Sound.all.append(self)

    # What a fault changes:

    def read(self):
        return self.client.recv(65536)

    def chunk(self, octets):
        return octets

    def request(self, line):
        """The lines of the reply to a request."""
        return self.reply(line, self.pass_on(line))

    def reply(self, line, lines):
        return [self.tell(line, each) for each in lines]

    def tell(self, line, reply):
        """One line of a reply."""
        return reply

    def ended(self):
        self.up.sock.close()

    # And what it may use:

    def pass_on(self, line):
        lines = self.up.ask(line, self.client)
        ok = lines and lines[0].startswith(b"OK")
        if ok and line.startswith(b"reg "):
            self.names[value(line, b"name")] = line
        if ok and line.startswith(b"dereg "):
            self.names.pop(value(line, b"name"), None)
        if ok and line in (b"reset", b"bye"):
            self.names.clear()
            self.conns.clear()
        if ok and line.startswith((b"accept ", b"connect ")):
            self.conns.append(value(lines[0], b"conn"))
        self.greeted |= bool(ok) and line.startswith(b"hello ")
        return lines

    def serve(self):
        pending = b""
        try:
            while True:
                got = self.read()
                if not got:
                    break
                pending += self.chunk(got)
                while b"\n" in pending:
                    line, _, pending = pending.partition(b"\n")
                    if not self.answer(line):
                        return
                if len(pending) >= MIB:
                    self.answer(pending)
                    return
        except (Gone, OSError):
            pass
        finally:
            Sound.all.remove(self)
            self.client.close()
            self.ended()

    def answer(self, line):
        lines = self.request(line)
        if lines:
            self.client.sendall(b"".join(each + b"\n" for each in lines))
        if not lines or line == b"bye" or self.breaks(line):
            self.hang_up()
            return False
        return True

    def breaks(self, line):
        """The framing: the errors that end a session."""
        return len(line) >= MIB or any(octet > 127 for octet in line)

    def hang_up(self):
        self.client.shutdown(socket.SHUT_WR)


def value(line, key):
    found = re.search(rb"(?:^| )" + key + rb"=([^ ]*)", line)
    return found.group(1) if found else b""


def without(line, *keys):
    for key in keys:
        line = re.sub(rb" " + key + rb"=[^ ]*", b"", line)
    return line


def replaced(line, key, by):
    return re.sub(rb" " + key + rb"=[^ ]*", b" " + key + b"=" + by, line)


def later(act, *args):
    threading.Timer(LATE, act, args).start()


# --- no fault at all ------------------------------------------------------

@fault()
class sound(Sound):
    pass


@fault()
class sound_with_crc_always(Sound):
    def request(self, line):
        if line.startswith((b"listen", b"connect ")) and b" crc=0" in line:
            return [b"ERR unsupported crc"]
        return super().request(line)

    def tell(self, line, reply):
        if reply.startswith(b"OK version="):
            reply = reply.replace(b",crc-off", b"") + b" crc=always"
        return reply


@fault()
class sound_with_crc_never(Sound):
    def request(self, line):
        if line.startswith((b"listen", b"connect ")) and \
                b" proto=sctp" not in line and \
                value(line, b"crc") in (b"", b"1"):
            return [b"ERR unsupported crc"]
        return super().request(line)

    def tell(self, line, reply):
        if reply.startswith(b"OK version="):
            reply = reply.replace(b",crc-off", b"") + b" crc=never"
        return reply


@fault()
class sound_that_tells_little(Sound):
    UNTOLD = (b"startup-errors,terminate,se,reject-depths,ends,orderly-ends,"
              b"invalidated,private-data,receive-length,local-keys")

    def tell(self, line, reply):
        if reply.startswith(b"OK version="):
            return reply + b" untold=" + self.UNTOLD
        if line.startswith((b"accept ", b"state ")):
            reply = without(reply, b"private", b"term-[a-z]*")
            if b"state=rejected" in reply:
                reply = without(reply, b"ird", b"ord")
            reply = re.sub(b"state=(error|terminated)", b"state=closed", reply)
        if reply.startswith(b"ev "):
            reply = without(reply, b"se", b"inv")
        return reply


@fault()
class sound_that_tells_not_whose_terminate(Sound):
    def tell(self, line, reply):
        return without(reply, b"term-from")


class WithToken(Sound):
    """Asks for the token, as it should."""

    def __init__(self, client, port):
        super().__init__(client, port)
        self.nonce, self.proved = b"", False

    def request(self, line):
        if self.breaks(line):
            return super().request(line)
        known = not self.pass_on(line.split(b" ")[0] + b" x=1")[0].startswith(
            b"ERR unknown-verb") if line.strip() else True
        if not self.greeted or line.startswith(b"hello") or not known:
            return super().request(line)
        if line.startswith(b"auth "):
            return [self.auth(line)]
        if not self.proved:
            return [b"ERR auth prove it"]
        return super().request(line)

    def auth(self, line):
        if self.proved:
            return b"ERR bad-state proved"
        if self.is_right(bytes.fromhex(value(line, b"mac").decode())):
            self.proved = True
            return b"OK"
        return b"ERR auth wrong"

    def is_right(self, mac):
        due = hmac.new(TOKEN, bytes.fromhex(self.nonce.decode()),
                       hashlib.sha256).digest()
        return hmac.compare_digest(due, mac)

    def tell(self, line, reply):
        if line.startswith(b"hello ") and reply.startswith(b"OK"):
            self.nonce = value(reply, b"nonce")
            reply = replaced(reply, b"auth", b"hmac-sha256")
        return reply


@fault()
class sound_with_token(WithToken):
    pass


# --- framing ----------------------------------------------------------------

@fault("a CR before")
class drops_a_cr(Sound):
    def request(self, line):
        return super().request(line.rstrip(b"\r"))


@fault("a tab, or another")
class takes_tabs_for_spaces(Sound):
    def request(self, line):
        return super().request(line.replace(b"\t", b" "))


@fault("a space too many")
class squeezes_spaces(Sound):
    def request(self, line):
        words = [w for w in line.split(b" ") if w]
        return super().request(b" ".join(words) if words else line)


@fault("a key given twice")
class lets_the_last_key_win(Sound):
    def request(self, line):
        words = line.split(b" ")
        keys = {w.split(b"=")[0]: w for w in words[1:]}
        if len(line) < 1000 and b"" not in words and b"conn" in keys:
            line = b" ".join(words[:1] + list(keys.values()))
        return super().request(line)


@fault("an unknown key is unsupported", also=("a request that is refused",))
class ignores_unknown_keys(Sound):
    def request(self, line):
        return super().request(line.replace(b" colour=red", b"")
                               if line != b"frobnicate colour=red" else line)


@fault("a request that is refused")
class does_it_by_half(Sound):
    def request(self, line):
        reply = super().request(line)
        if line.startswith(b"reg ") and reply[0] == b"ERR unsupported colour":
            self.pass_on(line.replace(b" colour=red", b""))
        return reply


@fault("an unknown verb", also=("before the token",))
class has_no_unknown_verb(Sound):
    def tell(self, line, reply):
        return reply.replace(b"unknown-verb", b"bad-argument")


@fault("requests sent at once")
class loses_what_follows(Sound):
    def chunk(self, octets):
        if octets.startswith(b"fill ") and octets.count(b"\n") > 1:
            return octets.split(b"\n")[0] + b"\n"
        return octets


@fault("a request that comes in pieces")
class takes_a_read_for_a_line(Sound):
    def chunk(self, octets):
        whole = octets.endswith(b"\n") or len(octets) > 1000
        return octets if whole else octets + b"\n"


@fault("numbers are decimal")
class knows_no_hex(Sound):
    def request(self, line):
        if line.startswith(b"fill ") and b"off=0x" in line:
            return [b"ERR bad-argument off"]
        return super().request(line)


@fault("a value that is not a number")
class takes_minus_one(Sound):
    def request(self, line):
        return super().request(line.replace(b"off=-1 ", b"off=1 "))


@fault("a value that is not hex")
class fills_until_it_hurts(Sound):
    def request(self, line):
        if line.endswith(b"hex=01xy"):
            self.pass_on(line[:-2])
        return super().request(line)


@fault("octets that are not ASCII")
class talks_on_after_umlauts(Sound):
    def request(self, line):
        if len(line) < 1000 and any(octet > 127 for octet in line):
            return [b"ERR bad-argument not ASCII"]
        return super().request(line)

    def breaks(self, line):
        return len(line) >= MIB


@fault("octets that are not ASCII",
       also=("*",))
class ends_every_session(Sound):
    def hang_up(self):
        for session in list(Sound.all):
            session.client.shutdown(socket.SHUT_RDWR)


@fault("a line of 1 MiB")
class takes_half_a_mib(Sound):
    def request(self, line):
        if len(line) == MIB - 1:
            return [b"ERR bad-argument too long"]
        return super().request(line)


@fault("unsupported names a key",
       also=("markers=1 and crc=0 are unsupported",))
class names_no_key(Sound):
    def tell(self, line, reply):
        return re.sub(b"unsupported (proto|markers)", b"unsupported sorry",
                      reply)


# --- hello --------------------------------------------------------------------

class Hello(Sound):
    def tell(self, line, reply):
        if line.startswith(b"hello ") and reply.startswith(b"OK"):
            reply = self.hello(reply)
        return reply

    def hello(self, reply):
        return reply


@fault("its answer has all")
class leaves_out_max_private(Hello):
    def hello(self, reply):
        return without(reply, b"max-private")


@fault("its answer has all")
class has_a_byte_order_of_its_own(Hello):
    def hello(self, reply):
        return replaced(reply, b"byte-order", b"native")


@fault("addr is a numeric")
class is_at_a_name(Hello):
    def hello(self, reply):
        return replaced(reply, b"addr", b"localhost")


@fault("the names in features")
class misspells_a_feature(Hello):
    def hello(self, reply):
        return reply.replace(b",send-se-inv", b",send_se_inv")


@fault("the names in features")
class misspells_untold(Hello):
    def hello(self, reply):
        return reply + b" untold=terminates"


@fault("the claims are consistent")
class has_rtr_without_p2p(Hello):
    def hello(self, reply):
        return reply.replace(b",p2p", b"")


@fault("another version is")
class is_of_any_version(Sound):
    def request(self, line):
        return super().request(line.replace(b"version=2", b"version=1"))


@fault("a second one is bad-state")
class can_be_greeted_twice(Sound):
    def request(self, line):
        if not self.greeted or not line.startswith(b"hello "):
            self.said = super().request(line)
            return self.said
        return self.said if self.said[0].startswith(b"OK") else [b"OK"]


@fault("any other verb before")
class knows_no_verb_before_hello(Sound):
    def tell(self, line, reply):
        if not self.greeted and not line.startswith(b"hello"):
            return reply.replace(b"bad-state", b"unknown-verb")
        return reply


@fault("auth where no token")
class is_proved_everything(Sound):
    def request(self, line):
        return [b"OK"] if line.startswith(b"auth ") else super().request(line)


@fault("each session has a different nonce")
class with_token_has_one_nonce(WithToken):
    def tell(self, line, reply):
        reply = super().tell(line, reply)
        if self.nonce:
            self.nonce = b"5a" * 32
            reply = replaced(reply, b"nonce", self.nonce)
        return reply


@fault("a wrong proof")
class with_token_takes_any(WithToken):
    def is_right(self, mac):
        return True


@fault("before the token", also=("a wrong proof",))
class with_token_asks_late(WithToken):
    def request(self, line):
        if line.startswith(b"reset"):
            return Sound.request(self, line)
        return super().request(line)


# --- sessions -------------------------------------------------------------------

@fault("reset releases regions")
class keeps_regions(Sound):
    def request(self, line):
        kept = list(self.names.values())
        reply = super().request(line)
        if line == b"reset":
            for each in kept:
                self.pass_on(each)
        return reply


@fault("reset ends streams")
class keeps_streams(Sound):
    def request(self, line):
        if line == b"reset" and self.conns:
            return [b"OK"]
        return super().request(line)


@fault("bye is answered", also=("bye ends streams",))
class never_leaves(Sound):
    def answer(self, line):
        if line == b"bye":
            self.client.sendall(b"OK\n")
            return True
        return super().answer(line)


@fault("the end of a session ends", "the end of a session releases",
       also=("the end of a session is seen",))
class outlives_its_client(Sound):
    kept = []

    def ended(self):
        self.kept.append(self.up)


@fault("the end of a session is seen")
class sees_no_end_while_it_waits(Sound):
    def pass_on(self, line):
        if b"timeout-ms=20000" in line:
            return self.up.ask(line)
        return super().pass_on(line)


@fault("a session that waits holds up", also=("the end of a session is seen",))
class serves_one_at_a_time(Sound):
    """As with one thread for all sessions: whoever has asked goes first, in the
    order in which the sessions began."""

    turn = threading.Condition()
    asked = False

    def read(self):
        select.select([self.client], [], [])
        with self.turn:
            got = super().read()
            self.asked = b"\n" in got
            self.turn.notify_all()
        return got

    def request(self, line):
        with self.turn:
            self.turn.wait_for(self.comes_next)
            try:
                return super().request(line)
            finally:
                self.asked = False
                self.turn.notify_all()

    def ended(self):
        super().ended()
        with self.turn:
            self.turn.notify_all()

    def comes_next(self):
        older = Sound.all[: Sound.all.index(self)]
        return not any(each.asked or each.has_unread() for each in older)

    def has_unread(self):
        try:
            return bool(select.select([self.client], [], [], 0)[0])
        except (OSError, ValueError):
            return False  # it ends


@fault("two sessions have separate names")
class has_one_list_of_names(Sound):
    def request(self, line):
        if line.startswith(b"reg name=same ") and any(
                b"same" in s.names for s in Sound.all if s is not self):
            return [b"ERR bad-state the name is taken"]
        return super().request(line)


@fault("STags are unique")
class counts_stags_in_each_session(Sound):
    def tell(self, line, reply):
        if line.startswith(b"reg ") and not self.conns:
            reply = replaced(reply, b"stag", b"0x%x" % (256 * len(self.names)))
        return reply


@fault("two sessions have separate streams")
class has_one_list_of_streams(Sound):
    def request(self, line):
        if line.startswith(b"state ") and not self.conns and any(
                value(line, b"conn") in s.conns for s in Sound.all):
            return [b"OK state=established"]
        return super().request(line)


@fault("nothing is ever sent unasked", also=("*",))
class tells_events_unasked(Sound):
    def answer(self, line):
        stays = super().answer(line)
        if line.startswith(b"accept ") and self.rq:
            self.client.sendall(b"ev conn=c1 id=1 op=recv status=ok len=0\n")
        self.rq = line.startswith(b"listen") and b"rq=1" in line
        return stays

    rq = False


# --- memory ---------------------------------------------------------------------

@fault("a region is zeroed")
class has_memory_as_it_was(Sound):
    def request(self, line):
        name = value(line, b"name")
        again = line.startswith(b"reg ") and name in getattr(self, "had", ())
        reply = super().request(line)
        if again:
            self.pass_on(b"fill name=" + name + b" off=0 hex=ffffffff")
        if line.startswith(b"dereg "):
            self.had = {name}
        return reply


@fault("to is a multiple of align")
class aligns_nothing(Sound):
    def request(self, line):
        if line.startswith(b"reg ") and b"base=zero" not in line:
            line = without(line, b"align", b"skew")
        return super().request(line)


@fault("base=zero is to=0")
class skews_zero(Sound):
    def tell(self, line, reply):
        if line.startswith(b"reg ") and b"base=zero" in line:
            skew = value(line, b"skew")
            reply = replaced(reply, b"to", skew) if skew else reply
        return reply


@fault("off+len outside")
class fills_what_fits(Sound):
    def request(self, line):
        if line == b"fill name=a off=63 hex=1111":
            self.pass_on(line[:-2])
        return super().request(line)


@fault("an STag is invalidated once")
class invalidates_again(Sound):
    def request(self, line):
        done = getattr(self, "done", set())
        if line.startswith(b"inval ") and line in done:
            return [b"OK"]
        reply = super().request(line)
        if line.startswith(b"inval ") and reply == [b"OK"]:
            self.done = done | {line}
        return reply


@fault("dereg removes")
class deregisters_nothing(Sound):
    def request(self, line):
        if line.startswith(b"dereg ") and value(line, b"name") in self.names:
            return [b"OK"]
        return super().request(line)


@fault("a name used twice")
class registers_again(Sound):
    def request(self, line):
        name = value(line, b"name")
        if line.startswith(b"reg ") and name in self.names:
            self.pass_on(b"dereg name=" + name)
        return super().request(line)


@fault("digest is")
class digests_all(Sound):
    def request(self, line):
        if line.startswith(b"digest ") and b"len=4" in line:
            line = b"digest name=a off=0 len=64"
        return super().request(line)


@fault("rights that do not exist")
class takes_any_rights(Sound):
    def request(self, line):
        return super().request(line.replace(b"access=lw,lw", b"access=lw"))


@fault("an unknown name")
class knows_no_names(Sound):
    def tell(self, line, reply):
        if line.startswith(b"digest "):
            reply = reply.replace(b"no-such-name", b"bad-argument")
        return reply


@fault("a key that has no default")
class makes_up_what_is_missing(Sound):
    def request(self, line):
        if line == b"dump name=a len=1":
            line += b" off=0"
        return super().request(line)


@fault("a region has the rights")
class gives_all_or_nothing(Sound):
    def request(self, line):
        if line.startswith(b"reg name=r") and b"access=lw,rr,rw" in line:
            return [b"ERR device it will not"]
        return super().request(line)


# --- limits ---------------------------------------------------------------------

@fault("dump carries 256 KiB")
class has_no_limit_code(Sound):
    def tell(self, line, reply):
        if line.startswith(b"dump "):
            reply = reply.replace(b"limit", b"bad-argument")
        return reply


@fault("fill carries 256 KiB")
class fills_the_first_256_kib(Sound):
    def request(self, line):
        if line.startswith(b"fill ") and len(line) > 2 * (1 << 18) + 22:
            self.pass_on(line[:1000])
        return super().request(line)


@fault("a connection has max-recvs")
class understates_receives(Hello):
    def hello(self, reply):
        return replaced(reply, b"max-recvs", b"100")


@fault("a region beyond max-region-len")
class understates_regions(Hello):
    def hello(self, reply):
        return replaced(reply, b"max-region-len", b"1000000")


@fault("ird and ord beyond")
class understates_depths(Hello):
    def hello(self, reply):
        return replaced(reply, b"max-ird", b"100")


@fault("a receive beyond max-message")
class counts_what_it_refuses(Sound):
    more = 0

    def request(self, line):
        reply = super().request(line)
        if line.startswith(b"recv ") and reply[0].startswith(b"ERR limit"):
            self.more += 1
        return reply

    def tell(self, line, reply):
        if self.more and reply.startswith(b"ev ") and b"op=recv" in reply:
            reply = replaced(reply, b"id",
                             b"%d" % (int(value(reply, b"id")) + self.more))
        return reply


# --- streams --------------------------------------------------------------------

@fault("accept without a connection")
class accepts_at_once_or_never(Sound):
    def request(self, line):
        if line.startswith(b"accept "):
            line = line.replace(b"timeout-ms=60", b"timeout-ms=0")
        return super().request(line)


@fault("a connection is reported once")
class accepts_again(Sound):
    def request(self, line):
        told = getattr(self, "told", {})
        listener = value(line, b"listener")
        if line.startswith(b"accept ") and listener in told:
            return told[listener]
        reply = super().request(line)
        if line.startswith(b"accept ") and reply[0].startswith(b"OK"):
            self.told = {**told, listener: reply}
        return reply


@fault("accept and state report the Request's", also=("connect answers",))
class cuts_private_data(Sound):
    def tell(self, line, reply):
        if line.startswith(b"state ") and b" private=123456" in reply:
            reply = reply.replace(b"private=123456", b"private=1234")
        return reply


@fault("of an enhanced Request")
class tells_its_own_depths(Sound):
    def tell(self, line, reply):
        if line.startswith(b"accept ") and b" ird=" in reply:
            reply = replaced(reply, b"ird", b"15")
        return reply


@fault("of a Request that is not enhanced",
       also=("an Initiate is answered",))
class always_tells_depths(Sound):
    def tell(self, line, reply):
        if line.startswith(b"accept ") and b" ird=" not in reply:
            reply += b" ird=0 ord=0"
        return reply


@fault("accept reports the connection", also=("listens on one port",))
class tells_no_port(Sound):
    def tell(self, line, reply):
        if line.startswith(b"accept ") and reply.startswith(b"OK"):
            reply = replaced(reply, b"peer", b"127.0.0.1")
        return reply


@fault("each listen is for one", also=("listens on one port",))
class listens_on(Sound):
    def request(self, line):
        reply = super().request(line)
        if line == b"listen" and reply[0].startswith(b"OK"):
            self.pass_on(b"listen port=" + value(reply[0], b"port"))
        return reply


@fault("listens on one port")
class serves_the_last_first(Sound):
    def request(self, line):
        if line.startswith(b"listen port="):
            self.both = True
        if line.startswith(b"accept ") and getattr(self, "both", False):
            line = line.replace(b"=l1 ", b"=l3 ").replace(
                b"=l2 ", b"=l1 ").replace(b"=l3 ", b"=l2 ")
        return super().request(line)


@fault("a port of another session")
class shares_ports(Sound):
    def tell(self, line, reply):
        return reply.replace(b"ERR device port", b"ERR bad-state port")


@fault("where no valid Request came")
class accepts_anything(Sound):
    def tell(self, line, reply):
        if line.startswith(b"accept ") and reply.startswith(b"ERR device"):
            reply = b"OK conn=c1 state=established peer=x:1 private="
        return reply


@fault("invalid parameters")
class takes_any_parameters(Sound):
    def request(self, line):
        return super().request(line.replace(b" mpa=3", b" mpa=2"))


@fault("reject=1 rejects",
       also=("reject=1 is a Session Reject",))
class accepts_what_it_rejects(Sound):
    def request(self, line):
        return super().request(line.replace(b" reject=1", b" reject=0"))


@fault("connect answers at once",
       also=("a startup that is reset", "recv and post before",
             "connect opens a session", "a Session Reject",
             "a Session Terminate in answer"))
class waits_in_connect(Sound):
    def request(self, line):
        reply = super().request(line)
        if line.startswith(b"connect ") and reply[0].startswith(b"OK"):
            time.sleep(5)
        return reply


@fault("connect needs a numeric")
class connects_by_name(Sound):
    def request(self, line):
        return super().request(line.replace(b"addr=somewhere",
                                            b"addr=127.0.0.1"))


@fault("state reports the current state")
class has_no_until(Sound):
    def request(self, line):
        if line.startswith(b"state ") and b"timeout-ms=60" in line:
            line = without(line, b"until")
        return super().request(line)


@fault("state wants a connection")
class knows_any_state(Sound):
    def request(self, line):
        return super().request(line.replace(b" until=gone", b""))


# --- ends -----------------------------------------------------------------------

@fault("a reset by the peer", also=("a startup that is reset",
             "a Session Terminate in answer"))
class knows_no_error(Sound):
    def tell(self, line, reply):
        return reply.replace(b"state=error", b"state=closed")


@fault("a close of the peer",
       also=("a session that the peer terminates",))
class knows_no_order(Sound):
    over = ()

    def request(self, line):
        if line.startswith(b"close "):
            self.over += (value(line, b"conn"),)
        return super().request(line)

    def tell(self, line, reply):
        if (line.startswith(b"state ") and
                value(line, b"conn") not in self.over):
            reply = reply.replace(b"state=closed", b"state=error")
        return reply


@fault("a received Terminate", "a sent Terminate")
class tells_no_terminate(Sound):
    def tell(self, line, reply):
        return without(reply, b"term-[a-z]*")


@fault("a received Terminate")
class takes_them_for_its_own(Sound):
    def tell(self, line, reply):
        return reply.replace(b"term-from=remote", b"term-from=local")


@fault("the first final state stays")
class tells_the_last_state(Sound):
    def request(self, line):
        self.closed = getattr(self, "closed", False) or line.startswith(
            b"close ")
        return super().request(line)

    def tell(self, line, reply):
        if line.startswith(b"state ") and self.closed:
            reply = reply.replace(b"state=error", b"state=closed")
        return reply


@fault("close is a FIN", also=("after close half=1", "a close after a half"))
class closes_once(Sound):
    def request(self, line):
        closed = getattr(self, "closed", set())
        conn = value(line, b"conn")
        if line.startswith(b"close "):
            if conn in closed:
                return [b"ERR bad-state closed"]
            self.closed = closed | {conn}
        return super().request(line)


@fault("close abort=1")
class aborts_gently(Sound):
    def request(self, line):
        if b"half=1" not in line:
            line = line.replace(b" abort=1", b"")
        return super().request(line)


@fault("after close half=1")
class closes_both_halves(Sound):
    def request(self, line):
        if b"abort=1" not in line:
            line = line.replace(b" half=1", b"")
        return super().request(line)


@fault("recv and post in a final")
class refuses_late_work(Sound):
    def request(self, line):
        if line.startswith((b"recv ", b"post ")):
            state = self.up.ask(b"state conn=" + value(line, b"conn"))[0]
            if re.search(b"state=(closed|error|terminated)", state):
                return [b"ERR bad-state the stream is over"]
        return super().request(line)


@fault("unfinished work completes as flushed", "recv and post in a final",
       also=("after close half=1", "a close after a half",
             "unanswered work is flushed"))
class succeeds_always(Sound):
    def tell(self, line, reply):
        return reply.replace(b"status=flushed", b"status=ok")


# --- receives, events -------------------------------------------------------------

class Events(Sound):
    rq = 0

    def request(self, line):
        if line.startswith((b"listen", b"connect ")):
            self.rq = int(value(line, b"rq") or 0)
        return super().request(line)

    def tell(self, line, reply):
        return self.event(reply) if reply.startswith(b"ev ") else reply

    def event(self, reply):
        return reply


@fault("receives are numbered")
class numbers_rq_last(Events):
    def event(self, reply):
        number = int(value(reply, b"id"))
        if self.rq == 2 and b"op=recv " in reply and b"hex=0" in reply:
            number += 3 if number <= 2 else -2
            reply = replaced(reply, b"id", b"%d" % number)
        return reply


@fault("a receive completes", "se=1 means")
class tells_no_se(Events):
    def event(self, reply):
        return without(reply, b"se")


@fault("inv names the STag")
class tells_no_inv(Events):
    def event(self, reply):
        return without(reply, b"inv")


@fault("Immediate Data is recv-imm")
class turns_immediate_data_round(Events):
    def event(self, reply):
        imm = value(reply, b"imm")
        if imm:
            imm = bytes.fromhex(imm.decode())[::-1].hex().encode()
            reply = replaced(reply, b"imm", imm)
        return reply


@fault("a message of no octets")
class leaves_out_empty_hex(Events):
    def event(self, reply):
        return without(reply, b"hex") if b" hex= " in reply else reply


@fault("a message of more than 256 KiB")
class tells_every_octet(Events):
    def event(self, reply):
        if b" sha256=" in reply:
            reply = without(reply, b"sha256") + b" hex=" + b"00" * 262145
        return reply


@fault("a receive in a region has the id")
class numbers_all_by_itself(Events):
    def event(self, reply):
        return reply.replace(b" id=77 ", b" id=1 ")


@fault("events reports at most max")
class tells_more_than_max(Sound):
    def request(self, line):
        if line.startswith(b"events "):
            line = line.replace(b" min=2 max=2", b" min=3")
        return super().request(line)


@fault("events reports at most max")
class tells_events_twice(Events):
    def reply(self, line, lines):
        if line.startswith(b"events ") and self.rq == 3:
            if len(lines) > 1:
                self.told = lines
            elif lines == [b"OK n=0"]:
                return self.told
        return lines


@fault("events waits for min")
class waits_for_one(Sound):
    def request(self, line):
        if line.startswith(b"events "):
            line = line.replace(b" min=3", b" max=1")
        return super().request(line)


@fault("events reports what there is")
class tells_nothing_at_the_timeout(Sound):
    def reply(self, line, lines):
        if line.startswith(b"events ") and b"timeout-ms=60" in line:
            return [b"OK n=0"]
        return lines


@fault("events reports on the requested connection")
class tells_of_any_connection(Sound):
    def request(self, line):
        if line.startswith(b"events ") and len(self.conns) == 2:
            line = replaced(line, b"conn", self.conns[0])
        return super().request(line)


# --- work -----------------------------------------------------------------------

@fault("a Read bears the region's")
class has_two_keys_for_a_region(Sound):
    def tell(self, line, reply):
        if line == b"reg name=a len=64 access=lw,rw" and \
                reply.startswith(b"OK"):
            stag = int(value(reply, b"stag"), 16) ^ 0x01000000
            reply = replaced(reply, b"stag", b"0x%08x" % stag)
        return reply


@fault("an atomic completes")
class tells_no_value(Events):
    def event(self, reply):
        return without(reply, b"value")


@fault("write-imm gives one event")
class tells_both_halves(Sound):
    both = False

    def request(self, line):
        self.both |= b"op=write-imm" in line
        return super().request(line)

    def reply(self, line, lines):
        if self.both and lines[0] == b"OK n=1":
            self.both = False
            return [lines[0], replaced(lines[1], b"op", b"write")]
        return lines


@fault("a post with invalid values")
class posts_what_it_can(Sound):
    def request(self, line):
        return super().request(line.replace(b"op=teleport", b"op=send"))


@fault("se and inv select")
class posts_plain_sends(Sound):
    def request(self, line):
        if line.startswith(b"post ") and b"op=send" in line:
            line = without(line, b"se")
        return super().request(line)


# --- promises -------------------------------------------------------------------

class Late(Sound):
    """Answers OK to some requests, and relays them later."""

    def late(self, line):
        return False

    def request(self, line):
        if self.late(line):
            later(self.up.ask, line)
            return [b"OK"]
        return super().request(line)


@fault("after the OK of recv", also=("events timeout-ms=0",))
class receives_late(Late):
    seen = 0

    def late(self, line):
        self.seen += line.startswith(b"recv ")
        return line.startswith(b"recv ") and line.endswith(b" len=8") and \
            self.seen == 3


@fault("after the OK of fill")
class fills_late(Late):
    seen = 0

    def late(self, line):
        self.seen += line.startswith(b"fill ")
        return line.startswith(b"fill ") and self.seen == 3 and \
            bool(self.conns)


@fault("after the OK of inval")
class invalidates_late(Late):
    def late(self, line):
        return line.startswith(b"inval ") and b"access=lw,rw" in \
            self.names.get(value(line, b"name"), b"")


@fault("after the OK of inval no Read")
class leaves_the_sink_of_a_read(Sound):
    """It invalidates no STag that a Read still needs for placement."""

    def __init__(self, client, port):
        super().__init__(client, port)
        self.sinks, self.dead = set(), set()

    def request(self, line):
        name = value(line, b"name")
        if line.startswith(b"post ") and b" op=read " in line:
            self.sinks.add(value(line, b"local"))
        if line.startswith(b"inval ") and name in self.sinks:
            again, self.dead = name in self.dead, self.dead | {name}
            return [b"ERR bad-state invalid" if again else b"OK"]
        return super().request(line)


@fault("after the OK of access")
class takes_back_late(Late):
    def late(self, line):
        return line.startswith(b"access ") and bool(self.conns)


@fault("events timeout-ms=0", also=("a receive is reported once a Read",))
class polls_nothing(Sound):
    def reply(self, line, lines):
        if line.startswith(b"events ") and b"timeout-ms=0" in line:
            return [b"OK n=0"]
        return lines


@fault("a receive is reported once a Read")
class polls_late_now_and_then(Sound):
    """An event that one of several queries would show is reported a while later."""
    held, asked, until = [], 0, 0

    def reply(self, line, lines):
        if not line.startswith(b"events ") or not lines[0].startswith(b"OK"):
            return lines
        events, self.held = self.held + lines[1:], []
        if events and b" timeout-ms=0" in line:
            self.asked += 1
            if self.asked == 17:
                self.until = time.monotonic() + LATE
            if time.monotonic() < self.until:
                self.held, events = events, []
        return [b"OK n=%d" % len(events)] + events


@fault("dump has what")
class dumps_what_it_knew(Sound):
    def request(self, line):
        known = getattr(self, "known", {})
        if line.startswith(b"dump ") and self.conns and line in known:
            return known[line]
        reply = super().request(line)
        if line.startswith(b"dump ") and b"len=1" in line:
            self.known = {**known, line: reply}
        return reply


# --- streams over SCTP ----------------------------------------------------

@fault("proto=sctp is unsupported")
class sctp_that_it_does_not_claim(Sound):
    def tell(self, line, reply):
        if line.startswith(b"hello "):
            return reply.replace(b",sctp,", b",")
        return reply


@fault("an Initiate is answered")
class stream_of_sctp_untold(Sound):
    def tell(self, line, reply):
        if line.startswith(b"accept "):
            return without(reply, b"stream")
        return reply


@fault("an Initiate for which")
class listens_for_more_sessions(Sound):
    def reply(self, line, lines):
        if line == b"listen proto=sctp" and lines[0].startswith(b"OK"):
            self.pass_on(line + b" port=" + value(lines[0], b"port"))
        return lines


@fault("markers=1 and crc=0")
class sctp_without_a_checksum(Sound):
    def request(self, line):
        if b" proto=sctp" in line:
            line = without(line, b"crc")
        return super().request(line)


@fault("close abort=1 is an ABORT")
class sctp_never_aborted(Sound):
    def tell(self, line, reply):
        if line.startswith(b"accept ") and b" stream=" in reply:
            self.over_sctp = value(reply, b"conn")
        return reply

    def request(self, line):
        if line.startswith(b"close ") and \
                value(line, b"conn") == getattr(self, "over_sctp", None):
            line = without(line, b"abort")
        return super().request(line)


@fault("a Session Terminate in answer")
class refused_session_closed(Sound):
    def request(self, line):
        self.sctp = getattr(self, "sctp", False) or b" proto=sctp" in line
        return super().request(line)

    def tell(self, line, reply):
        if line.startswith(b"state ") and self.sctp:
            return reply.replace(b"state=error", b"state=closed")
        return reply


# --------------------------------------------------------------------------------

def main():
    if sys.argv[1:] == ["--list"]:
        for name, (_, due, also) in FAULTS.items():
            print(name, ";".join(due), ";".join(also), sep="\t")
        return
    session, port = FAULTS[sys.argv[1]][0], int(sys.argv[2])
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    print(listener.getsockname()[1], flush=True)
    while True:
        client, _ = listener.accept()
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=session(client, port).serve,
                         daemon=True).start()


main()

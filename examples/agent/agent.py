#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""An agent to copy: the protocol of harness/agent/PROTOCOL.md in one file.

    agent.py                  with the stubs below: every verb is unsupported
    agent.py --simulate PORT  with the device of 'warpspec-refdut --agent-port
                              PORT' in the place of yours

Fill in Device, one method after the other, and try each step:

    warpspec check-agent -d my.ini

Everything below Device (lines, order, errors, waiting) is done. The first line
on stdout has the port. It listens on loopback, without a token; to listen
elsewhere, PROTOCOL.md requires one ("auth").
"""
import argparse
import select
import socket
import threading


class Error(Exception):
    """`ERR CODE TEXT`: limit, timeout, unsupported KEY, device ..."""


class Device:
    """Your stack, as one session sees it. Each method gets the keys of its
    request (a dict of strings) and returns what follows OK, a string; of
    `events`, a list of lines. What fails raises Error and changes nothing.
    A method may wait: other sessions go on meanwhile. client() raises Gone
    where the suite has closed the session: call it while you wait."""

    def __init__(self, client):
        self.client = client

    def hello(self):
        """What you claim, and your limits. Claim only what you can do: what
        you leave out is not tested. Start with few features."""
        return ("agent=example impl=an_example addr=127.0.0.1 "
                "features=responder,initiator,mpa-v1 byte-order=little "
                "max-ird=16 max-ord=16 max-private=512 max-regions=64 "
                "max-region-len=1048576 max-message=1048576 "
                "startup-timeout-ms=0")

    def end(self):
        """The session is over: release listeners, connections (close open
        streams at once, by reset if necessary) and regions."""

    def reset(self, keys):
        """The same, and the session goes on: return ''."""
        raise Error("unsupported reset")

    # --- memory

    def reg(self, keys):
        """Allocate len zeroed bytes, register them with exactly the rights of
        access, and return 'stag=0x.. to=0x.. len=L'."""
        raise Error("unsupported reg")

    def access(self, keys):
        """Change the rights of a region that is registered."""
        raise Error("unsupported access")

    def fill(self, keys):
        """Write hex into the region at off, as the host does."""
        raise Error("unsupported fill")

    def dump(self, keys):
        """'hex=..': len bytes of the region at off, with all that the device
        has placed by now."""
        raise Error("unsupported dump")

    def digest(self, keys):
        """'sha256=..': the same, as hashlib.sha256(...).hexdigest()."""
        raise Error("unsupported digest")

    def inval(self, keys):
        """Invalidate the STag by which the peer addresses the region, and the
        one that results are placed by. Return once the device refuses it."""
        raise Error("unsupported inval")

    def dereg(self, keys):
        """Remove the region."""
        raise Error("unsupported dereg")

    # --- connections

    def listen(self, keys):
        """Listen for one connection: 'listener=l1 port=P'."""
        raise Error("unsupported listen")

    def accept(self, keys):
        """Wait for it, timeout-ms at most: 'conn=c1 state=established
        peer=A:P private=..'. Raise Error('timeout') where none came."""
        raise Error("unsupported accept")

    def connect(self, keys):
        """Start an active connection, and do not wait for it: 'conn=c1'."""
        raise Error("unsupported connect")

    def state(self, keys):
        """'state=established', terminated, closed, error ... Wait for
        `until` or a final one, timeout-ms at most; then say what it is."""
        raise Error("unsupported state")

    def recv(self, keys):
        """Post count receive buffers of len octets."""
        raise Error("unsupported recv")

    def post(self, keys):
        """Give the device one work request: op=send, write, read ..."""
        raise Error("unsupported post")

    def events(self, keys):
        """Ask the device now, wait timeout-ms at most for min of them, and
        return a list of 'conn=c1 id=1 op=send status=ok len=5 ...'."""
        raise Error("unsupported events")

    def close(self, keys):
        """Send what needs no answer, then FIN; abort=1: a reset."""
        raise Error("unsupported close")

    def provoke(self, keys):
        """Make the device run into an error of its own, if it can."""
        raise Error("unsupported provoke")


class Simulated(Device):
    """warpspec's built-in device: each call goes to it as it came."""

    port = 0

    def __init__(self, client):
        super().__init__(client)
        self.sock = socket.create_connection(("127.0.0.1", self.port))
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.lines = Lines(self.sock)

    def call(self, verb, keys):
        words = [verb] + [f"{key}={text}" for key, text in keys.items()]
        self.sock.sendall((" ".join(words) + "\n").encode("ascii"))
        while not self.lines.ready():
            if self.sock not in select.select([self.sock], [], [], 0.02)[0]:
                self.client()
        status, _, rest = self.lines.next().decode("ascii").partition(" ")
        if status != "OK":
            raise Error(rest)
        return rest

    def hello(self):
        words = self.call("hello", {"version": "1"}).split(" ")
        return " ".join(word for word in words if word.partition("=")[0]
                        not in ("version", "nonce", "auth"))

    def end(self):
        self.sock.close()

    def events(self, keys):
        n = int(self.call("events", keys)[2:])
        return [self.lines.next().decode("ascii")[3:] for _ in range(n)]

    def __getattribute__(self, name):
        if name in KEYS and name not in ("hello", "events"):
            return lambda keys: self.call(name, keys)
        return object.__getattribute__(self, name)


# --- the protocol: nothing below depends on the device ------------------------

MIB = 1 << 20
PARAMETERS = ("pd ird ord private markers crc rq rqlen proto need-ord msn mpa "
              "enhanced rtr ")
KEYS = {verb: keys.split() for verb, keys in {
    "hello": "version", "auth": "mac", "reset": "", "bye": "",
    "reg": "name len access pd align skew base conn shared",
    "access": "name access", "fill": "name off hex",
    "dump": "name off len", "digest": "name off len",
    "inval": "name", "dereg": "name",
    "listen": PARAMETERS + "port reject",
    "accept": "listener timeout-ms",
    "connect": PARAMETERS + "addr port udp stream",
    "state": "conn timeout-ms until",
    "recv": "conn count len local off id",
    "post": "conn id op local off len hex rstag rto inv imm add mask swap "
            "swap-mask compare compare-mask se fence",
    "events": "conn max timeout-ms min", "close": "conn abort half",
    "provoke": "conn layer etype code"}.items()}


class Gone(Exception):
    """The suite has closed the session."""


class Lines:
    """What arrives, in lines."""

    def __init__(self, sock):
        self.sock = sock
        self.buffer = b""

    def ready(self):
        if b"\n" in self.buffer:
            return True
        if self.sock in select.select([self.sock], [], [], 0)[0]:
            got = self.sock.recv(65536)
            if not got:
                raise Gone
            self.buffer += got
        return b"\n" in self.buffer

    def next(self):
        while b"\n" not in self.buffer:
            if len(self.buffer) >= MIB:
                raise OverflowError
            got = self.sock.recv(65536)
            if not got:
                raise Gone
            self.buffer += got
        line, _, self.buffer = self.buffer.partition(b"\n")
        if len(line) >= MIB or any(octet >= 0x80 for octet in line):
            raise OverflowError
        return line


def taken_apart(line):
    """The verb, and the keys of a request."""
    text = line.decode("ascii")
    if any(ord(char) < 0x20 or ord(char) == 0x7f for char in text):
        raise Error("bad-argument a control character")
    verb, *words = text.split(" ")
    if not verb:
        raise Error("bad-argument an empty line")
    keys = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not key or not equals or key in keys:
            raise Error(f"bad-argument {key}")
        keys[key] = value
    return verb, keys


class Session:
    def __init__(self, sock, device):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock = sock
        self.lines = Lines(sock)
        self.device = device(self.look)
        self.greeted = self.over = False

    def look(self):
        """While a request waits: has the suite closed the session?"""
        if self.sock in select.select([self.sock], [], [], 0)[0] and \
                not self.sock.recv(1, socket.MSG_PEEK):
            raise Gone

    def greeting(self, keys):
        if self.greeted:
            raise Error("bad-state a second hello")
        version = keys.get("version")
        if version is None or not is_number(version):
            raise Error("bad-argument version")
        if int(version, 0) != 1:
            raise Error("unsupported version")
        about = self.device.hello()
        self.greeted = True
        return f"version=1 {about} nonce={'00' * 16} auth=none"

    def answer(self, line):
        """The lines of a reply."""
        verb, keys = taken_apart(line)
        if verb not in KEYS:
            raise Error(f"unknown-verb {verb}")
        if not self.greeted and verb != "hello":
            raise Error("bad-state hello comes first")
        for key in keys:
            if key not in KEYS[verb]:
                raise Error(f"unsupported {key}")
        if verb == "hello":
            return [f"OK {self.greeting(keys)}"]
        if verb == "auth":
            raise Error("bad-state nobody asked for it")
        if verb == "bye":
            self.over = True
            return ["OK"]
        said = getattr(self.device, verb)(keys)
        if verb == "events":
            return [f"OK n={len(said)}"] + [f"ev {event}" for event in said]
        return [f"OK {said}".rstrip(" ") if said != "hex=" else "OK hex="]

    def run(self):
        try:
            while not self.over:
                try:
                    said = self.answer(self.lines.next())
                except Error as error:
                    said = [f"ERR {error}"]
                except OverflowError:
                    said, self.over = ["ERR bad-argument framing"], True
                self.sock.sendall(("\n".join(said) + "\n").encode("ascii"))
        except (Gone, OSError):
            pass
        finally:
            self.device.end()
            self.sock.close()


def is_number(text):
    try:
        return int(text, 0) >= 0
    except ValueError:
        return text.isdigit()


def main():
    options = argparse.ArgumentParser(description="An agent to copy.")
    options.add_argument("--port", type=int, default=0)
    options.add_argument("--simulate", type=int, metavar="PORT")
    given = options.parse_args()
    device = Simulated if given.simulate else Device
    Simulated.port = given.simulate
    listener = socket.create_server(("127.0.0.1", given.port), backlog=64)
    print(f"agent listens on 127.0.0.1:{listener.getsockname()[1]}",
          flush=True)
    while True:
        sock, _ = listener.accept()
        threading.Thread(target=lambda sock=sock: Session(sock, device).run(),
                         daemon=True).start()


if __name__ == "__main__":
    main()

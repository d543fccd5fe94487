#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# relay_test.sh BUILD - two reference devices that connect through `warpspec
# relay`: nothing is found if both are clean, the fault of a mutant is found on
# its side only, and both react as expected to each fault on the way. Closes
# with the counts.
set -u

# shellcheck source=suite/checks/testing.sh
. "${0%/*}/testing.sh"

# RESPONDER INITIATOR RELAY-OPTION...: an exchange between two devices, each of
# which is a mutant or -; prints the relay's status, its lines are in $tmp/out.
through()
{
	timeout -k 5 100 "$python" - "$refdut" "$warpspec" "$tmp/out" "$@" <<'PY'
import re
import socket
import subprocess
import sys

refdut, warpspec, out, server, client, *options = sys.argv[1:]


class Agent:
    def __init__(self, mutant):
        command = [refdut, "--agent-port", "0"]
        if mutant != "-":
            command += ["--mutant", mutant]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)
        port = int(re.search(r"(\d+)\s*$", self.process.stdout.readline()).group(1))
        self.lines = socket.create_connection(("127.0.0.1", port)).makefile("rw")
        self.ask("hello version=1")

    def ask(self, request):
        self.lines.write(request + "\n")
        self.lines.flush()
        answer = self.lines.readline().split()
        if answer[:1] != ["OK"]:
            print(request + ": " + " ".join(answer), file=sys.stderr)
        told = dict(w.split("=", 1) for w in answer[1:] if "=" in w)
        for _ in range(int(told.get("n", 0)) if request.startswith("events") else 0):
            self.lines.readline()
        return told

    def end(self):
        self.lines.close()
        self.process.terminate()
        self.process.wait()


a, b = Agent(server), Agent(client)
here = a.ask("reg name=r len=4096 access=lw,rr,rw,ra")
there = b.ask("reg name=s len=4096 access=lw,rr,rw,ra")
listener = a.ask("listen port=0 rq=8 private=0102030405060708")
relay = subprocess.Popen([warpspec, "relay", "--listen", "127.0.0.1:0", "--to",
                          "127.0.0.1:" + listener["port"], "-v", *options],
                         stdout=open(out, "w"), stderr=subprocess.PIPE, text=True)
place = relay.stderr.readline().split()[-1]
addr, port = place.rsplit(":", 1)
b.ask("connect addr=%s port=%s rq=8 private=1112131415161718" % (addr, port))
a.ask("accept listener=l1 timeout-ms=5000")
b.ask("state conn=c1 timeout-ms=5000")
remote = "rstag=%s rto=%s" % (here["stag"], here["to"])
for i, work in enumerate((
        "send hex=0102030405", "write hex=" + "a5" * 700 + " " + remote,
        "read local=s off=0 len=700 " + remote, "fetchadd add=2 " + remote,
        "cmpswap swap=5 compare=4 " + remote, "imm imm=0011223344556677")):
    b.ask("post conn=c1 id=%d op=%s" % (i + 1, work))
b.ask("events conn=c1 min=6 max=6 timeout-ms=2000")
a.ask("post conn=c1 id=1 op=send hex=0908070605")
b.ask("events conn=c1 min=1 timeout-ms=2000")
for agent in (b, a):
    agent.ask("close conn=c1")
a.ask("state conn=c1 until=closed timeout-ms=2000")
relay.terminate()
_, err = relay.communicate(timeout=20)
print(err, end="", file=open(out, "a"))
for agent in (a, b):
    agent.end()
sys.exit(relay.returncode)
PY
}

# NAME STATUS REGEX RESPONDER INITIATOR OPTION...
shows()
{
	local name=$1 status=$2 regex=$3 got
	shift 3
	through "$@" 2>"$tmp/err"
	got=$?
	if [[ $got -eq $status ]] && tr -s ' \n' '  ' <"$tmp/out" | grep -qE "$regex"; then
		ok "$name"
	else
		not_ok "$name" "status $got, not $status; or not: $regex" \
			"$(head -n 40 "$tmp/out")" "$(head -n 5 "$tmp/err")"
	fi
}

shows "two devices as they are" 0 "2 passed, 0 failed" - -
shows "the fault of a responder" 1 \
	"FAIL +relay/1/responder.*DDP-4.3-05.* 1 passed, 1 failed" msn_starts_at_zero -
shows "the fault of an initiator" 1 \
	"FAIL +relay/1/initiator.*DDP-4.1-11.* 1 passed, 1 failed" - ddp_reserved_bits_set

shows "a bit of a CRC" 0 \
	"crc-bit, RDMA Write of the initiator;.*responder: .*Terminate 2/0/02, FIN" \
	- - --fault crc-bit:2
shows "a bit of a CRC that nobody checks" 1 "FAIL +relay/1/responder.*MPA-4.4-14" \
	ignore_bad_crc - --fault crc-bit:3
shows "an FPDU cut elsewhere" 0 "cut-fpdu, .* of the initiator.* 2 passed, 0 failed" \
	- - --fault cut-fpdu:2
shows "a late Reply" 0 "late-reply, MPA Reply of the responder.* 2 passed" \
	- - --fault late-reply:200
shows "a late Request" 0 "late-request, MPA Request of the initiator.* 2 passed" \
	- - --fault late-request:200
shows "private data" 0 "private-data, MPA Request of the initiator.* 2 passed" \
	- - --fault private-data
shows "a Terminate withheld" 1 \
	"withhold-terminate, Terminate 1/1/04 of the responder; then from the initiator: .*FIN" \
	- dv_zero_in_tagged --fault withhold-terminate
shows "nothing to withhold" 0 "withhold-terminate: no frame arrived" \
	- - --fault withhold-terminate

says "no such fault" 2 "no such fault; there are crc-bit, .* and private-data" \
	"$warpspec" relay --listen 127.0.0.1:0 --to 127.0.0.1:1 --fault none
says "a fault's argument" 2 "expected 0 to 1000000" \
	"$warpspec" relay --listen 127.0.0.1:0 --to 127.0.0.1:1 --fault crc-bit:x
says "no place to listen" 2 "give --listen HOST:PORT and --to" \
	"$warpspec" relay --listen 127.0.0.1:0
says "an address that is none" 2 "expected HOST:PORT" \
	"$warpspec" relay --listen nowhere --to 127.0.0.1:1
says "nobody came" 5 "no iWARP stream came through" \
	"$warpspec" relay --listen 127.0.0.1:0 --to 127.0.0.1:1 --max-time 1s

echo "relay: $passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]

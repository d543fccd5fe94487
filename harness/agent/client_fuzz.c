/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any octets as an agent's output: in answer to hello, or after a correct hello
 * to a row of requests of every kind. Values stay within their limits, and
 * violations of the protocol are reported in one line.
 */
#include <sys/socket.h>
#include <unistd.h>

#include "harness/agent/client.h"
#include "harness/link/clock.h"
#include "harness/wire/fuzz.h"

#define HELLO                                                                  \
	"OK version=1 agent=fake impl=scripted_agent_0.1 addr=127.0.0.1"       \
	" features=send,read,imm byte-order=big max-ird=16 max-ord=8"          \
	" max-private=508 max-regions=64 max-region-len=1048576"               \
	" max-message=0x100000 startup-timeout-ms=500 nonce= auth=none\n"

#define BOUNDED(s) must_hold(strnlen(s, sizeof(s)) < sizeof(s))

static uint8_t room[4096];

static void ask_events(struct agent *a, uint64_t until)
{
	static struct agent_event event[8];
	struct agent_events e = {.event = event,
				 .cap = 8,
				 .room = room,
				 .room_octets = sizeof(room)};

	if (agent_events(a, "c", 0, 0, &e, until) != AGENT_OK)
		return;
	must_hold(e.n <= e.cap && e.room_used <= e.room_octets);
	for (size_t i = 0; i < e.n; i++) {
		BOUNDED(event[i].conn);
		must_hold(!event[i].octets || (event[i].octets >= room &&
					       event[i].octets + event[i].n <=
						       room + sizeof(room)));
	}
}

static void ask_all(struct agent *a, uint64_t until)
{
	const struct agent_reg reg = {.name = "r", .len = 64};
	const struct agent_params params = {.rq = 1};
	const struct agent_recv recv = {.conn = "c", .len = 8};
	const struct agent_post post = {
		.conn = "c", .id = 1, .op = AGENT_SEND, .inline_octets = true};
	struct agent_region region;
	struct agent_listener listener = {.listener = ""};
	struct agent_state state = {.conn = ""};
	char conn[AGENT_NAME] = "";
	uint8_t octets[64];

	agent_reg(a, &reg, &region, until);
	if (agent_listen(a, 0, &params, &listener, until) == AGENT_OK)
		BOUNDED(listener.listener);
	if (agent_accept(a, "l", 0, &state, until) == AGENT_OK) {
		BOUNDED(state.conn);
		BOUNDED(state.peer);
		must_hold(state.term_octets <= sizeof(state.term));
		must_hold(state.private_octets <= sizeof(state.private_data));
	}
	if (agent_connect(a, "127.0.0.1", 1, &params, conn, until) == AGENT_OK)
		BOUNDED(conn);
	if (agent_state(a, "c", 0, AGENT_STREAMS, &state, until) == AGENT_OK)
		must_hold(state.term_octets <= sizeof(state.term));
	agent_recv(a, &recv, until);
	agent_post(a, &post, until);
	ask_events(a, until);
	agent_dump(a, "r", 0, sizeof(octets), octets, until);
	agent_digest(a, "r", 0, 64, octets, until);
	agent_raw(a, "whatever", until);
	agent_reset(a, until);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct agent *a = NULL;
	int fd[2];

	if (size < 1 || socketpair(AF_UNIX, SOCK_STREAM, 0, fd) < 0)
		return 0;
	/* Everything fits, or is not reported. */
	if (data[0] & 1)
		(void)!send(fd[1], HELLO, sizeof(HELLO) - 1, MSG_DONTWAIT);
	(void)!send(fd[1], data + 1, size - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
	shutdown(fd[1], SHUT_WR);

	uint64_t until = clock_after_ms(10000);
	enum agent_result r = agent_open_fd(&a, fd[0], NULL, 0, until);

	must_hold(a);
	if (r == AGENT_OK) {
		const struct agent_hello *h = agent_hello(a);

		BOUNDED(h->agent);
		BOUNDED(h->impl);
		BOUNDED(h->addr);
		BOUNDED(h->claims);
		must_hold(h->nonce_octets <= sizeof(h->nonce));
		for (unsigned i = 0; i < 4 && agent_fd(a) >= 0; i++)
			ask_all(a, until);
		r = agent_raw(a, "the last", until);
	}
	if (r != AGENT_OK)
		must_be_a_line(agent_why(a));
	agent_close(a);
	close(fd[1]);
	return 0;
}

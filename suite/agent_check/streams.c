/* SPDX-License-Identifier: BSD-2-Clause */
/* How streams begin: listen, accept, connect, and the state of a connection. */
#include <inttypes.h>
#include <string.h>

#include "suite/agent_check/checker.h"

#define CONNECTIONS "Connections"
#define SESSION     "Session"

static const uint8_t ours[] = {0x12, 0x34, 0x56};

/* Up to the Reply of the device. */
static struct wire *replied(struct checker *c, const char *params)
{
	opens_session(c);
	struct wire *w = wire_listens(c, params);

	if (!wire_reaches(c, w))
		skips(c, "not reached: the device's port is closed");
	wire_requests(c, w, ours, sizeof(ours));
	if (!wire_is_replied_to(c, w))
		skips(c, "not reached: no Reply");
	return w;
}

static void listens(struct checker *c)
{
	opens_session(c);
	due_ok(c, "reset");
	struct wire *w = wire_listens(c, "");

	due(c, *w->listener && w->port, "listener= and the port's number");
	due(c, wire_reaches(c, w), "TCP to addr, and that port, opens");
}

static void accepts(struct checker *c)
{
	struct wire *w = replied(c, "");
	char text[LINK_END_TEXT];

	wire_due_accepted(c, w);
	due_word(c, "state", "established");
	link_end_text(&w->peer.conn->local, text);
	due_word(c, "peer", text);
}

static void tells_private_data(struct checker *c)
{
	struct wire *w = replied(c, "");

	if (untold(c, AGENT_UNTOLD_PRIVATE_DATA))
		skips(c, "untold: private-data");
	wire_due_accepted(c, w);
	due_octets(c, "private", ours, sizeof(ours));
	due_ok(c, "state conn=%s", w->conn);
	due_octets(c, "private", ours, sizeof(ours));
}

static void tells_depths(struct checker *c)
{
	opens_session(c);
	struct wire *w = wire_listens(c, "");

	if (!wire_reaches(c, w))
		skips(c, "not reached: the device's port is closed");
	w->asks_enhanced = true;
	wire_requests(c, w, ours, sizeof(ours));
	if (!wire_is_replied_to(c, w))
		skips(c, "not reached: no Reply");
	wire_due_accepted(c, w);
	due_number(c, "ird", 16);
	due_number(c, "ord", c->hello.max_ird < 16 ? c->hello.max_ird : 16);
	if (!untold(c, AGENT_UNTOLD_PRIVATE_DATA))
		due_octets(c, "private", ours, sizeof(ours));
	due_ok(c, "state conn=%s", w->conn);
	due_number(c, "ird", 16);
}

static void tells_no_depths(struct checker *c)
{
	struct wire *w = replied(c, "");

	wire_due_accepted(c, w);
	due_none(c, "ird");
	due_none(c, "ord");
}

static void sends_private_data(struct checker *c)
{
	struct wire *w = replied(c, " private=a1b2c3d4");

	/* A Reply need not have any (RFC 5044 s7.1.2, rule 9). */
	due(c,
	    !w->private_octets ||
		    (w->private_octets == 4 &&
		     memcmp(w->private_data, "\xa1\xb2\xc3\xd4", 4) == 0),
	    "these four octets in the device's Reply, or none");
}

static void accept_times_out(struct checker *c)
{
	enum { WAIT_MS = 60 };

	opens_session(c);
	struct wire *w = wire_listens(c, "");
	uint64_t before = clock_now_ns();

	due_err(c, LINE_TIMEOUT, "accept listener=%s timeout-ms=%d",
		w->listener, WAIT_MS);
	due(c, clock_now_ns() - before >= WAIT_MS * UINT64_C(900000),
	    "not before the %d ms are over", WAIT_MS);
	if (!wire_reaches(c, w))
		fails(c, "an error changes nothing: the listener remains");
	wire_requests(c, w, NULL, 0);
	if (wire_is_replied_to(c, w))
		wire_due_accepted(c, w);
}

static void accept_waits(struct checker *c)
{
	opens_session(c);
	struct wire *w = wire_listens(c, "");

	says(c, "accept listener=%s timeout-ms=%" PRIu64, w->listener,
	     c->wait_ns / CLOCK_NS_PER_MS);
	due_nothing(c);
	if (!wire_reaches(c, w))
		skips(c, "not reached: the device's port is closed");
	wire_requests(c, w, NULL, 0);
	hears(c);
	due_done(c);
	due_word(c, "state", "established");
}

static void accepts_once(struct checker *c)
{
	struct wire *w = replied(c, "");

	due_err(c, LINE_NO_SUCH_NAME, "accept listener=none timeout-ms=0");
	due_err(c, LINE_BAD_ARGUMENT, "accept listener=%s", w->listener);
	wire_due_accepted(c, w);
	due_err(c, LINE_BAD_STATE, "accept listener=%s timeout-ms=0",
		w->listener);
}

static void one_connection_each(struct checker *c)
{
	struct wire *w = replied(c, "");
	struct wire second = {.port = w->port};
	bool open = wire_reaches(c, &second);

	if (open)
		peer_end(&second.peer, true);
	due(c, !open, "a second connection is refused while no listen waits");
}

static void served_in_order(struct checker *c)
{
	char again[32], text[LINK_END_TEXT];
	struct wire *w[2];

	opens_session(c);
	w[0] = wire_listens(c, "");
	snprintf(again, sizeof(again), " port=%u", w[0]->port);
	w[1] = wire_listens(c, again);
	due(c, w[1]->port == w[0]->port, "port=%u, as asked", w[0]->port);
	due(c, strcmp(w[1]->listener, w[0]->listener) != 0,
	    "another listener= than the first");
	for (unsigned i = 0; i < 2; i++) {
		if (!wire_reaches(c, w[i]))
			fails(c, "a connection for each listen");
		wire_requests(c, w[i], NULL, 0);
		if (!wire_is_replied_to(c, w[i]))
			skips(c, "not reached: no Reply");
	}
	for (unsigned i = 0; i < 2; i++) {
		wire_due_accepted(c, w[i]);
		link_end_text(&w[i]->peer.conn->local, text);
		due_word(c, "peer", text);
	}
}

static void port_of_another(struct checker *c)
{
	opens_session(c);
	struct wire *w = wire_listens(c, "");

	opens_session(c);
	asks(c, "listen port=%u%s", w->port, wire_crc(c));
	if (was(c, LINE_UNSUPPORTED))
		skips(c, "not reached: %s", c->reply_text);
	due_code(c, LINE_DEVICE);
}

static void bad_request(struct checker *c)
{
	static const uint8_t octets[] = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

	opens_session(c);
	struct wire *w = wire_listens(c, "");

	if (!wire_reaches(c, w))
		skips(c, "not reached: the device's port is closed");
	peer_send(&w->peer, OBSERVE_OCTETS_SENT, octets, sizeof(octets) - 1,
		  NULL, 0, clock_now_ns() + c->wait_ns);
	notes(c, "wire", "octets that are not a Request, and our FIN");
	peer_close_sending(&w->peer);
	asks(c, "accept listener=%s timeout-ms=%u", w->listener,
	     untold(c, AGENT_UNTOLD_STARTUP_ERRORS)
		     ? 50
		     : (unsigned)(c->wait_ns / CLOCK_NS_PER_MS / 2));
	due(c,
	    was(c, LINE_DEVICE) || (was(c, LINE_TIMEOUT) &&
				    untold(c, AGENT_UNTOLD_STARTUP_ERRORS)),
	    "ERR device%s",
	    untold(c, AGENT_UNTOLD_STARTUP_ERRORS) ? ", or ERR timeout" : "");
}

static void bad_parameters(struct checker *c)
{
	static const char *const bad[] = {
		" markers=2",    " crc=x",         " rtr=carrier",
		" proto=pigeon", " mpa=3",         " ird=16384",
		" private=012",  " rtr=read,read", " port=65536"};

	opens_session(c);
	if (!claims(c, CLAIM(RESPONDER)))
		skips(c, "the device does not claim responder");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		/* If there is room for it. */
		if (strstr(bad[i], "private") && c->hello.max_private < 2)
			continue;
		due_err(c, LINE_BAD_ARGUMENT, "listen%s%s", bad[i],
			strstr(bad[i], "crc") ? "" : wire_crc(c));
	}
}

static void crc_as_told(struct checker *c)
{
	static const unsigned refused[] = {
		[AGENT_CRC_ALWAYS] = 0, [AGENT_CRC_NEVER] = 1};

	if (c->hello.crc == AGENT_CRC_ASKED)
		skips(c, "hello has no crc=always, and no crc=never");
	opens_session(c);
	due_err(c, LINE_UNSUPPORTED, "listen crc=%u", refused[c->hello.crc]);
	struct wire *w = wire_up(c, "");

	due(c, !(w->flags & MPA_C) == (c->hello.crc == AGENT_CRC_NEVER),
	    "C %s in the device's Reply",
	    c->hello.crc == AGENT_CRC_NEVER ? "clear" : "set");
}

static void rejects(struct checker *c)
{
	struct wire *w = replied(c, " reject=1 private=aa");

	due(c, w->flags & MPA_R, "a Reply that rejects: R=1");
	wire_due_accepted(c, w);
	due_word(c, "state", "rejected");
	due_ok(c, "state conn=%s", w->conn);
	due_word(c, "state", "rejected");
	due_ok(c, "close conn=%s", w->conn);
	due(c, wire_end(c, w) != PEER_TIMEOUT, "close ends it");
}

/* --- the device as initiator ---------------------------------------------- */

static void connects_without_waiting(struct checker *c)
{
	opens_session(c);
	struct wire *w = wire_is_connected_to(c, "");

	wire_takes_request(c, w);
	due_ok(c, "state conn=%s", w->conn);
	due_word(c, "state", "connecting");
	wire_replies(c, w, ours, sizeof(ours));
	due_ok(c, "state conn=%s timeout-ms=%" PRIu64, w->conn,
	       c->wait_ns / CLOCK_NS_PER_MS / 2);
	due_word(c, "state", "established");
	if (!untold(c, AGENT_UNTOLD_PRIVATE_DATA))
		due_octets(c, "private", ours, sizeof(ours));
	if (w->enhanced)
		number(c, "ird");
	else
		due_none(c, "ird");
}

static void startup_is_reset(struct checker *c)
{
	opens_session(c);
	struct wire *w = wire_is_connected_to(c, "");
	bool either = untold(c, AGENT_UNTOLD_ENDS);

	wire_takes_request(c, w);
	wire_resets(c, w);
	due_ok(c, "state conn=%s timeout-ms=%" PRIu64, w->conn,
	       c->wait_ns / CLOCK_NS_PER_MS / 2);
	due(c,
	    strcmp(word(c, "state"), "error") == 0 ||
		    (either && strcmp(word(c, "state"), "closed") == 0),
	    "state=error%s", either ? ", or closed" : "");
}

static void connect_needs(struct checker *c)
{
	const char *mpa = claims(c, CLAIM(MPA_V1)) ? "" : " mpa=2";
	const char *crc = wire_crc(c), *at = c->hello.addr;

	opens_session(c);
	/* A parameter that the device cannot choose may be refused before. */
	asks(c, "connect addr=somewhere port=9%s%s", mpa, crc);
	if (was(c, LINE_UNSUPPORTED))
		skips(c, "not reached: %s", c->reply_text);
	due_err(c, LINE_BAD_ARGUMENT, "connect addr=%s%s", at, crc);
	due_err(c, LINE_BAD_ARGUMENT, "connect port=9%s", crc);
	due_err(c, LINE_BAD_ARGUMENT, "connect addr=somewhere port=9%s%s", mpa,
		crc);
	due_err(c, LINE_BAD_ARGUMENT, "connect addr=%s port=0%s%s", at, mpa,
		crc);
	due_err(c, LINE_UNSUPPORTED, "connect addr=%s port=9 need-ord=1%s%s",
		at, mpa, crc);
}

/* --- state ---------------------------------------------------------------- */

static void state_asks(struct checker *c)
{
	opens_session(c);
	struct wire *w = wire_up(c, "");

	due_err(c, LINE_NO_SUCH_NAME, "state conn=none");
	due_err(c, LINE_BAD_ARGUMENT, "state");
	due_err(c, LINE_BAD_ARGUMENT, "state conn=%s until=gone", w->conn);
	due_ok(c, "state conn=%s", w->conn);
	due_word(c, "state", "established");
}

static void state_times_out(struct checker *c)
{
	enum { WAIT_MS = 60 };

	opens_session(c);
	struct wire *w = wire_up(c, "");
	uint64_t before = clock_now_ns();

	due_ok(c, "state conn=%s timeout-ms=%d until=closed", w->conn, WAIT_MS);
	due_word(c, "state", "established");
	due(c, clock_now_ns() - before >= WAIT_MS * UINT64_C(900000),
	    "not before the %d ms are over", WAIT_MS);
}

static void state_waits(struct checker *c)
{
	opens_session(c);
	struct wire *w = wire_up(c, "");

	says(c, "state conn=%s timeout-ms=%" PRIu64 " until=closed", w->conn,
	     c->wait_ns / CLOCK_NS_PER_MS);
	due_nothing(c);
	wire_closes(c, w);
	hears(c);
	due_done(c);
	due(c, strcmp(word(c, "state"), "established") != 0,
	    "a final state, once it is reached");
}

static void several(struct checker *c)
{
	opens_session(c);
	struct wire *a = wire_up(c, "");
	struct wire *b = wire_up(c, "");

	due(c, strcmp(a->conn, b->conn) != 0, "a different name for each");
	due_ok(c, "close conn=%s", a->conn);
	due_ok(c, "state conn=%s", b->conn);
	due_word(c, "state", "established");
}

static const struct check checks[] = {
	{CONNECTIONS, "listen reports a port that can be reached at addr",
	 listens, CLAIM(RESPONDER)},
	{CONNECTIONS, "accept reports the connection and its peer", accepts,
	 CLAIM(RESPONDER)},
	{CONNECTIONS, "accept and state report the Request's private data",
	 tells_private_data, CLAIM(RESPONDER) | CLAIM(PRIVATE_DATA)},
	{CONNECTIONS,
	 "of an enhanced Request they report ird and ord, and the "
	 "private data without its first four octets",
	 tells_depths, CLAIM(RESPONDER) | CLAIM(MPA_V2) | CLAIM(PRIVATE_DATA)},
	{CONNECTIONS, "of a Request that is not enhanced they omit ird and ord",
	 tells_no_depths, CLAIM(RESPONDER) | CLAIM(MPA_V1)},
	{CONNECTIONS, "private= is what the device's Reply has, if it has any",
	 sends_private_data, CLAIM(RESPONDER) | CLAIM(PRIVATE_DATA)},
	{CONNECTIONS,
	 "accept without a connection is timeout, in its time, and "
	 "changes nothing",
	 accept_times_out, CLAIM(RESPONDER)},
	{CONNECTIONS, "accept waits for the connection", accept_waits,
	 CLAIM(RESPONDER)},
	{CONNECTIONS,
	 "a connection is reported once: accept again is bad-state",
	 accepts_once, CLAIM(RESPONDER)},
	{CONNECTIONS, "each listen is for one TCP connection",
	 one_connection_each, CLAIM(RESPONDER)},
	{CONNECTIONS, "listens on one port are served in order",
	 served_in_order, CLAIM(RESPONDER)},
	{CONNECTIONS, "a port of another session is device", port_of_another,
	 CLAIM(RESPONDER)},
	{CONNECTIONS, "where no valid Request came, accept is device",
	 bad_request, CLAIM(RESPONDER)},
	{CONNECTIONS, "invalid parameters are bad-argument", bad_parameters,
	 CLAIM(RESPONDER)},
	{SESSION, "crc=always and crc=never hold, and the other is unsupported",
	 crc_as_told, CLAIM(RESPONDER)},
	{CONNECTIONS, "reject=1 rejects, and close ends it", rejects,
	 CLAIM(RESPONDER) | CLAIM(REJECT) | CLAIM(PRIVATE_DATA)},
	{CONNECTIONS,
	 "connect answers at once; state reports the result, "
	 "and what the Reply held",
	 connects_without_waiting, CLAIM(INITIATOR) | CLAIM(PRIVATE_DATA)},
	{CONNECTIONS, "a startup that is reset ends as error", startup_is_reset,
	 CLAIM(INITIATOR)},
	{CONNECTIONS,
	 "connect needs a numeric addr and a port, and has no "
	 "need-ord",
	 connect_needs, CLAIM(INITIATOR)},
	{CONNECTIONS, "state wants a connection, and a state that there is",
	 state_asks, 0},
	{CONNECTIONS, "state reports the current state at the timeout",
	 state_times_out, 0},
	{CONNECTIONS, "state waits for the one named, or a final one",
	 state_waits, 0},
	{CONNECTIONS, "streams of one session do not disturb one another",
	 several, CLAIM(MULTI_STREAM)},
};

const struct check_group stream_checks = CHECK_GROUP("streams", checks);

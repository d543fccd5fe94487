/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Streams over SCTP, if the device claims them: sessions between the device and
 * a correct peer.
 */
#include <inttypes.h>
#include <string.h>

#include "harness/link/sctp/sctp.h"
#include "harness/peer/session.h"
#include "suite/agent_check/checker.h"

#define OVER_SCTP "Streams over SCTP"

static const uint8_t ours[] = {0x12, 0x34, 0x56};

/* The association of the current check. */
static struct {
	struct link *link;
	struct link_listener *at;
	struct association *association;
	struct peer peer[2];
	unsigned peers;
} on;

void sessions_end(void)
{
	while (on.peers)
		peer_end(&on.peer[--on.peers], true);
	association_free(on.association, true);
	link_listener_close(on.at);
	link_close_provider(on.link);
	memset(&on, 0, sizeof(on));
}

static uint64_t deadline(const struct checker *c)
{
	return clock_now_ns() + c->wait_ns;
}

static unsigned wait_ms(const struct checker *c)
{
	return (unsigned)(c->wait_ns / CLOCK_NS_PER_MS / 2);
}

/* --- associations ------------------------------------------------------------- */

static void opens_link(struct checker *c)
{
	char own[LINK_ADDRESS], why[LINK_WHY];

	if (!c->hello.sctp_udp)
		skips(c, "the device runs SCTP directly over IP");
	if (!link_socket_own_address(c->hello.addr, own))
		skips(c, "no route to the device at %s", c->hello.addr);
	on.link = link_sctp_open(&(struct link_sctp){.address = own}, why);
	if (!on.link)
		skips(c, "the link failed: %s", why);
	link_sctp_set(on.link, &(struct link_sctp_options){
				       .adaptation = true,
				       .indication = SESSION_ADAPTATION_DDP,
				       .udp_port = c->hello.sctp_udp});
}

static void adopts(struct checker *c, struct link_conn *conn)
{
	on.association = association_new(conn);
	if (!on.association)
		skips(c, "out of memory");
}

static struct peer *on_stream(struct checker *c, uint16_t sid)
{
	struct peer *p = &on.peer[on.peers];

	if (!peer_init_session(p, on.association, sid, c->log, on.peers))
		skips(c, "out of memory");
	on.peers++;
	return p;
}

/* An association to this port of SCTP. */
static void associates(struct checker *c, uint16_t port)
{
	struct link_conn *conn = NULL;
	int status =
		link_connect(on.link, c->hello.addr, port, deadline(c), &conn);

	notes(c, "wire", "an association to %s port %u, in UDP to port %u: %s",
	      c->hello.addr, port, c->hello.sctp_udp, link_status_name(status));
	due(c, status == LINK_OK,
	    "an association to the port that `listen` reported, at sctp-udp");
	adopts(c, conn);
}

static void asks_for_session(struct checker *c, struct peer *p)
{
	if (peer_control(p, SESSION_INITIATE, ours, sizeof(ours), NULL,
			 deadline(c)) != PEER_OK)
		skips(c, "not reached: an Initiate is not accepted");
}

/* The next message of session control; function 0 if none arrives. */
static struct session_chunk comes(struct checker *c, struct peer *p)
{
	struct session_chunk m = {.function = 0};
	const uint8_t *octets;
	const char *name;
	size_t n;

	if (peer_receive_startup(p, deadline(c), &octets, &n) == PEER_OK)
		session_decode(&m, true, octets, n);
	name = session_function_name(m.function);
	notes(c, "wire", "the device, on stream %u: %s", p->stream,
	      name ? name : "nothing");
	return m;
}

/* The function that is due. */
static struct session_chunk due_control(struct checker *c, struct peer *p,
					enum session_function function)
{
	struct session_chunk m = comes(c, p);

	if (function == SESSION_REJECT && m.function == SESSION_TERMINATE)
		skips(c, "the device ends a session where its ULP rejects");
	due(c, m.function == function, "a %s",
	    session_function_name((uint16_t)function));
	return m;
}

/* --- the device as responder --------------------------------------------------- */

struct listening {
	char listener[AGENT_NAME];
	uint16_t port;
};

static struct listening listens(struct checker *c, const char *params)
{
	struct listening l;

	due_ok(c, "listen proto=sctp%s", params);
	snprintf(l.listener, sizeof(l.listener), "%s", word(c, "listener"));
	l.port = (uint16_t)number(c, "port");
	return l;
}

static void accepts(struct checker *c)
{
	opens_session(c);
	opens_link(c);
	struct listening l = listens(c, "");

	associates(c, l.port);
	struct peer *p = on_stream(c, 3);

	asks_for_session(c, p);
	due_control(c, p, SESSION_ACCEPT);
	due_ok(c, "accept listener=%s timeout-ms=%u", l.listener, wait_ms(c));
	due_word(c, "state", "established");
	due_number(c, "stream", 3);
	if (!untold(c, AGENT_UNTOLD_PRIVATE_DATA))
		due_octets(c, "private", ours, sizeof(ours));
}

static void rejects(struct checker *c)
{
	opens_session(c);
	opens_link(c);
	struct listening l = listens(c, " reject=1 private=a1b2");

	associates(c, l.port);
	struct peer *p = on_stream(c, 0);

	asks_for_session(c, p);
	struct session_chunk m = due_control(c, p, SESSION_REJECT);

	due(c, m.body_octets == 2 && memcmp(m.body, "\xa1\xb2", 2) == 0,
	    "these two octets of private data in the Reject");
	due_ok(c, "accept listener=%s timeout-ms=%u", l.listener, wait_ms(c));
	due_word(c, "state", "rejected");
}

static void none_pending(struct checker *c)
{
	opens_session(c);
	opens_link(c);
	struct listening l = listens(c, "");

	associates(c, l.port);
	struct peer *first = on_stream(c, 0), *second;

	asks_for_session(c, first);
	due_control(c, first, SESSION_ACCEPT);
	second = on_stream(c, 1);
	asks_for_session(c, second);
	due_control(c, second, SESSION_TERMINATE);
}

static void ends_in_order(struct checker *c)
{
	opens_session(c);
	opens_link(c);
	struct listening l = listens(c, "");

	associates(c, l.port);
	struct peer *p = on_stream(c, 0);

	asks_for_session(c, p);
	due_control(c, p, SESSION_ACCEPT);
	due_ok(c, "accept listener=%s timeout-ms=%u", l.listener, wait_ms(c));
	char conn[AGENT_NAME];

	snprintf(conn, sizeof(conn), "%s", word(c, "conn"));
	peer_close_sending(p);
	notes(c, "wire", "our Session Terminate");
	due_ok(c, "state conn=%s until=closed timeout-ms=%u", conn, wait_ms(c));
	due_orderly_end(c);
}

/* `close` with these options ends an accepted session in this way. */
static void ends_an_accepted_session(struct checker *c, const char *options,
				     enum peer_status as, const char *words)
{
	const struct frame *f;

	opens_session(c);
	opens_link(c);
	struct listening l = listens(c, "");

	associates(c, l.port);
	struct peer *p = on_stream(c, 0);

	asks_for_session(c, p);
	due_control(c, p, SESSION_ACCEPT);
	due_ok(c, "accept listener=%s timeout-ms=%u", l.listener, wait_ms(c));
	due_ok(c, "close conn=%s%s", word(c, "conn"), options);
	due(c, peer_receive(p, deadline(c), &f) == as, "%s", words);
}

static void closes(struct checker *c)
{
	ends_an_accepted_session(c, "", PEER_FIN,
				 "a Session Terminate on the wire");
}

static void aborts(struct checker *c)
{
	ends_an_accepted_session(c, " abort=1", PEER_RESET,
				 "an ABORT of the association on the wire");
}

static void has_no_mpa(struct checker *c)
{
	/* A device with a single choice reports this. */
	if (c->hello.crc != AGENT_CRC_ASKED)
		skips(c, "hello has another crc=");
	opens_session(c);
	due_err(c, LINE_UNSUPPORTED, "listen proto=sctp markers=1");
	due(c, strncmp(c->reply.text, "markers", 7) == 0,
	    "ERR unsupported markers");
	due_err(c, LINE_UNSUPPORTED, "listen proto=sctp crc=0");
	due(c, strncmp(c->reply.text, "crc", 3) == 0, "ERR unsupported crc");
}

/* --- as initiator ----------------------------------------------------------- */

/* The device was asked to open a session to us; it has arrived on some
 * stream. */
static struct peer *is_asked(struct checker *c, char conn[AGENT_NAME],
			     bool *enhanced, struct mpa_enhanced *depths)
{
	struct link_conn *link = NULL;
	uint16_t port = 0, sid = 0;

	opens_session(c);
	opens_link(c);
	if (link_listen(on.link, on.link->address, &port, &on.at) != LINK_OK)
		skips(c, "the link failed: %s", on.link->why);
	due_ok(c, "connect proto=sctp addr=%s port=%u udp=%u private=a1b2",
	       on.link->address, port, link_sctp_udp_port(on.link));
	snprintf(conn, AGENT_NAME, "%s", word(c, "conn"));
	due(c, link_accept(on.at, deadline(c), &link) == LINK_OK,
	    "an association to our port of SCTP, in UDP to `udp`");
	adopts(c, link);
	due(c,
	    association_other(on.association, NULL, 0, c->log, deadline(c),
			      &sid) == ASSOCIATION_MESSAGE,
	    "a Session Initiate on it");
	struct peer *p = on_stream(c, sid);
	struct session_chunk m = comes(c, p);
	const uint8_t *data;
	size_t n;

	due(c,
	    m.function == SESSION_INITIATE ||
		    m.function == SESSION_ENHANCED_INITIATE,
	    "a Session Initiate, plain or enhanced");
	*enhanced = session_enhanced(&m, depths);
	data = session_ulp_data(&m, &n);
	due(c, n == 2 && memcmp(data, "\xa1\xb2", 2) == 0,
	    "these two octets of private data in the Initiate");
	return p;
}

/* In the requested form; the device may choose it if none was requested. */
static enum session_function in_its_form(enum session_function function)
{
	switch (function) {
	case SESSION_ACCEPT:
		return SESSION_ENHANCED_ACCEPT;
	case SESSION_REJECT:
		return SESSION_ENHANCED_REJECT;
	default:
		return function;
	}
}

/* Our answer, and the agent's report of it. */
static void answers(struct checker *c, enum session_function function,
		    const char *state)
{
	char conn[AGENT_NAME];
	bool enhanced, either = untold(c, AGENT_UNTOLD_ENDS);
	struct mpa_enhanced e;
	uint8_t octets[4];
	size_t n = 0;
	struct peer *p = is_asked(c, conn, &enhanced, &e);

	if (enhanced)
		function = in_its_form(function);
	if (enhanced && function != SESSION_TERMINATE) {
		uint16_t ird = e.ird;

		e.ird = e.ord;
		e.ord = ird;
		mpa_enhanced_encode(&e, octets);
		n = sizeof(octets);
	}
	notes(c, "wire", "our %s", session_function_name((uint16_t)function));
	peer_control(p, (uint16_t)function, octets, n, NULL, deadline(c));
	due_ok(c, "state conn=%s timeout-ms=%u", conn, wait_ms(c));
	due(c,
	    strcmp(word(c, "state"), state) == 0 ||
		    (either && strcmp(state, "error") == 0 &&
		     strcmp(word(c, "state"), "closed") == 0),
	    "state=%s%s", state,
	    either && strcmp(state, "error") == 0 ? ", or closed" : "");
}

static void is_accepted(struct checker *c)
{
	answers(c, SESSION_ACCEPT, "established");
}

static void is_rejected(struct checker *c)
{
	answers(c, SESSION_REJECT, "rejected");
}

static void is_refused(struct checker *c)
{
	answers(c, SESSION_TERMINATE, "error");
}

/* --- without the claim ------------------------------------------------------- */

static void knows_none(struct checker *c)
{
	if (claims(c, CLAIM(SCTP)))
		skips(c, "the device claims sctp");
	opens_session(c);
	due_err(c, LINE_UNSUPPORTED, "listen proto=sctp");
	due(c, strncmp(c->reply.text, "proto", 5) == 0,
	    "ERR unsupported proto");
}

#define AS_RESPONDER (CLAIM(SCTP) | CLAIM(RESPONDER))
#define AS_INITIATOR (CLAIM(SCTP) | CLAIM(INITIATOR) | CLAIM(PRIVATE_DATA))

static const struct check checks[] = {
	{OVER_SCTP, "proto=sctp is unsupported where sctp is not claimed",
	 knows_none, 0},
	{OVER_SCTP,
	 "an Initiate is answered, and accept reports it, with its stream",
	 accepts, AS_RESPONDER},
	{OVER_SCTP, "reject=1 is a Session Reject", rejects,
	 AS_RESPONDER | CLAIM(REJECT) | CLAIM(PRIVATE_DATA)},
	{OVER_SCTP,
	 "an Initiate for which no listen is pending is answered with a "
	 "Session Terminate",
	 none_pending, AS_RESPONDER},
	{OVER_SCTP, "a session that the peer terminates is closed",
	 ends_in_order, AS_RESPONDER},
	{OVER_SCTP, "close is a Session Terminate", closes, AS_RESPONDER},
	{OVER_SCTP, "close abort=1 is an ABORT", aborts, AS_RESPONDER},
	{OVER_SCTP, "markers=1 and crc=0 are unsupported", has_no_mpa,
	 AS_RESPONDER},
	{OVER_SCTP, "connect opens a session, established by its Accept",
	 is_accepted, AS_INITIATOR},
	{OVER_SCTP, "a Session Reject makes it rejected", is_rejected,
	 AS_INITIATOR},
	{OVER_SCTP, "a Session Terminate in answer to it makes it error",
	 is_refused, AS_INITIATOR},
};

const struct check_group session_over_sctp_checks = CHECK_GROUP("sctp", checks);

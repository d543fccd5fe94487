/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/agent_check/wire.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/wire/ddp.h"
#include "harness/wire/rdmap.h"
#include "suite/agent_check/checker.h"

#define RELEASE_ID                                                             \
	4000000000u /* of work whose only purpose is that the device
			        * sends */
#define FENCE_STAG 0x5eed0000u

/* SEGMENT: octets that the MULPDU of a narrow path has room for, too (RFC 5044
 * s3). */
enum { SEGMENT = 512, DEPTH = 16 };

static uint64_t deadline(const struct checker *c)
{
	return clock_now_ns() + c->wait_ns;
}

static unsigned wait_ms(const struct checker *c)
{
	return (unsigned)(c->wait_ns / CLOCK_NS_PER_MS / 2);
}

static struct wire *new_wire(struct checker *c)
{
	if (c->wires == WIRE_STREAMS)
		abort();
	struct wire *w = &c->wire[c->wires++];

	*w = (struct wire){0};
	return w;
}

static void adopt(struct checker *c, struct wire *w, struct link_conn *conn)
{
	w->live = peer_init(&w->peer, conn, c->log, c->wires);
	if (w->live)
		return;
	link_close(conn);
	skips(c, "out of memory");
}

void wires_end(struct checker *c)
{
	for (unsigned i = 0; i < c->wires; i++) {
		if (c->wire[i].live)
			peer_end(&c->wire[i].peer, true);
		link_listener_close(c->wire[i].at);
	}
	c->wires = 0;
}

/* --- the agent's half of a startup ---------------------------------------- */

const char *wire_crc(const struct checker *c)
{
	return c->hello.crc == AGENT_CRC_NEVER ? " crc=0" : "";
}

/* All forms of RTR that the device claims. */
static const char *rtr_forms(const struct checker *c, char out[32])
{
	snprintf(out, 32, "%s%s%s", claims(c, CLAIM(RTR_SEND)) ? ",send" : "",
		 claims(c, CLAIM(RTR_WRITE)) ? ",write" : "",
		 claims(c, CLAIM(RTR_READ)) ? ",read" : "");
	return out[0] ? out + 1 : out;
}

/* The text after the key is for people. */
static const char *refused_key(const struct checker *c, char name[32])
{
	size_t n = strcspn(c->reply.text, " ");

	snprintf(name, 32, "%.*s", (int)n, c->reply.text);
	return name;
}

/*
 * Agents refuse parameters for which their interface leaves no choice. Then the
 * device's own value is requested. Each key at most once.
 */
static void ask_as_it_is(struct checker *c, const char *verb,
			 const char *params, bool initiator)
{
	char more[96] = "", forms[32], name[32];

	strcpy(more, wire_crc(c));

	for (;;) {
		const char *key = "";
		size_t at = strlen(more);

		asks(c, "%s%s%s", verb, params, more);
		if (was(c, LINE_UNSUPPORTED))
			key = refused_key(c, name);
		if (strcmp(key, "crc") == 0 && !strstr(more, "crc="))
			snprintf(more + at, sizeof(more) - at, " crc=0");
		else if (strcmp(key, "mpa") == 0 && !strstr(more, "mpa="))
			snprintf(more + at, sizeof(more) - at, " mpa=%u",
				 initiator ? 2 : 1);
		else if (strcmp(key, "rtr") == 0 && !strstr(more, "rtr="))
			snprintf(more + at, sizeof(more) - at, " rtr=%s",
				 rtr_forms(c, forms));
		else
			return;
	}
}

static void given_done(struct checker *c)
{
	if (!was(c, LINE_NO_ERROR))
		skips(c, "not reached: %s", c->reply_text);
}

struct wire *wire_listens(struct checker *c, const char *params)
{
	struct wire *w = new_wire(c);

	if (!claims(c, CLAIM(RESPONDER)))
		skips(c, "the device does not claim responder");
	ask_as_it_is(c, "listen", params, false);
	given_done(c);
	snprintf(w->listener, sizeof(w->listener), "%s", word(c, "listener"));
	w->port = (uint16_t)number(c, "port");
	return w;
}

bool wire_reaches(struct checker *c, struct wire *w)
{
	struct link_conn *conn = NULL;
	int status = link_connect(c->link, c->hello.addr, w->port, deadline(c),
				  &conn);

	notes(c, "wire", "TCP to %s port %u: %s", c->hello.addr, w->port,
	      link_status_name(status));
	if (status == LINK_ERROR)
		skips(c, "the link failed: %s", c->link->why);
	if (status == LINK_OK)
		adopt(c, w, conn);
	return status == LINK_OK;
}

static void send_startup(struct checker *c, struct wire *w, bool reply,
			 uint8_t rev, const struct mpa_enhanced *e,
			 const void *private_data, size_t n)
{
	uint8_t pd[MPA_PRIVATE_MAX], out[MPA_HEADER_OCTETS + MPA_PRIVATE_MAX];
	struct mpa_startup f = {.rev = rev, .private_data = pd};
	size_t at = 0;

	memcpy(f.key, reply ? mpa_key_reply : mpa_key_request, MPA_KEY_OCTETS);
	/* A device without CRCs cannot use them on request. */
	f.flags = (uint8_t)((c->hello.crc == AGENT_CRC_NEVER ? 0 : MPA_C) |
			    (e ? MPA_S : 0));
	if (e) {
		mpa_enhanced_encode(e, pd);
		at = MPA_ENHANCED_OCTETS;
	}
	if (n)
		memcpy(pd + at, private_data, n);
	f.private_octets = at + n;
	f.pd_length = (uint16_t)f.private_octets;
	w->sent_flags = f.flags;
	peer_send(&w->peer, OBSERVE_STARTUP_SENT, out,
		  mpa_startup_encode(&f, out, sizeof(out)), NULL, 0,
		  deadline(c));
	notes(c, "wire", "our %s%s, %zu octets of private data",
	      reply ? "Reply" : "Request", e ? ", enhanced" : "", n);
}

/* False: it did not arrive. */
static bool take_startup(struct checker *c, struct wire *w)
{
	const uint8_t *octets;
	struct mpa_startup f;
	size_t n;
	enum peer_status status =
		peer_receive_startup(&w->peer, deadline(c), &octets, &n);

	if (status != PEER_OK || !mpa_startup_decode(&f, octets, n)) {
		notes(c, "wire", "no startup frame of the device");
		return false;
	}
	w->flags = f.flags;
	w->rev = f.rev;
	w->enhanced = f.flags & MPA_S && f.private_octets >= 4;
	if (w->enhanced) {
		mpa_enhanced_decode(&w->depths, f.private_data);
		f.private_data += MPA_ENHANCED_OCTETS;
		f.private_octets -= MPA_ENHANCED_OCTETS;
	}
	w->private_octets = f.private_octets < MPA_PRIVATE_MAX
				    ? f.private_octets
				    : MPA_PRIVATE_MAX;
	if (w->private_octets)
		memcpy(w->private_data, f.private_data, w->private_octets);
	notes(c, "wire", "the device's startup frame%s%s",
	      w->enhanced ? ", enhanced" : "",
	      f.flags & MPA_R ? ", which rejects" : "");
	return true;
}

static void full_operation(struct wire *w)
{
	peer_full_operation(&w->peer, (w->flags | w->sent_flags) & MPA_C,
			    w->flags & MPA_M, w->sent_flags & MPA_M);
}

static uint16_t at_most(uint32_t n)
{
	return n < DEPTH ? (uint16_t)n : DEPTH;
}

void wire_requests(struct checker *c, struct wire *w, const void *private_data,
		   size_t n)
{
	const struct mpa_enhanced e = {.ird = DEPTH,
				       .ord = at_most(c->hello.max_ird)};
	bool enhanced = w->asks_enhanced || !claims(c, CLAIM(MPA_V1));

	send_startup(c, w, false, enhanced ? 2 : 1, enhanced ? &e : NULL,
		     private_data, n);
}

/* Some devices lose octets that immediately follow their Reply; the device file
 * says so. */
static void let_settle(struct checker *c, struct wire *w)
{
	struct link_wait wait = {.conn = w->peer.conn, .want = LINK_READ};
	uint64_t ns = c->device->settle_ms * (uint64_t)CLOCK_NS_PER_MS;

	if (ns)
		link_wait(c->link, &wait, 1, clock_now_ns() + ns);
}

bool wire_is_replied_to(struct checker *c, struct wire *w)
{
	if (!take_startup(c, w))
		return false;
	full_operation(w);
	let_settle(c, w);
	return true;
}

void wire_due_accepted(struct checker *c, struct wire *w)
{
	due_ok(c, "accept listener=%s timeout-ms=%u", w->listener, wait_ms(c));
	snprintf(w->conn, sizeof(w->conn), "%s", word(c, "conn"));
}

/* Our address to which the device can connect. */
static void own_address(struct checker *c, char own[LINK_ADDRESS])
{
	const struct device *d = c->device;
	size_t n = strcspn(d->link_address, "/");

	if (n && n < LINK_ADDRESS && strcmp(d->link_kind, "socket") == 0)
		snprintf(own, LINK_ADDRESS, "%.*s", (int)n, d->link_address);
	else if (!link_socket_own_address(c->hello.addr, own))
		skips(c, "no route to the device at %s", c->hello.addr);
}

struct wire *wire_is_connected_to(struct checker *c, const char *params)
{
	struct wire *w = new_wire(c);
	char own[LINK_ADDRESS], verb[128];

	if (!claims(c, CLAIM(INITIATOR)))
		skips(c, "the device does not claim initiator");
	w->initiator = true;
	own_address(c, own);
	if (link_listen(c->link, own, &w->port, &w->at) != LINK_OK)
		skips(c, "the link failed: %s", c->link->why);
	snprintf(verb, sizeof(verb), "connect addr=%s port=%u", own, w->port);
	ask_as_it_is(c, verb, params, true);
	given_done(c);
	snprintf(w->conn, sizeof(w->conn), "%s", word(c, "conn"));
	return w;
}

void wire_takes_request(struct checker *c, struct wire *w)
{
	struct link_conn *conn = NULL;

	if (link_accept(w->at, deadline(c), &conn) != LINK_OK)
		skips(c, "not reached: the device does not open TCP");
	adopt(c, w, conn);
	if (!take_startup(c, w))
		skips(c, "not reached: no Request of the device");
}

void wire_replies(struct checker *c, struct wire *w, const void *private_data,
		  size_t n)
{
	struct mpa_enhanced e = w->depths;

	/* As much as the Request asks for; none if it has no number. */
	e.ird = w->depths.ord;
	e.ord = w->depths.ird;
	/* Some devices accept no revision other than that of their Request. */
	send_startup(c, w, true, w->rev == 2 ? 2 : 1, w->enhanced ? &e : NULL,
		     private_data, n);
	full_operation(w);
}

/* --- what the device sends -------------------------------------------------- */

static const struct frame *hears_any(struct checker *c, struct wire *w)
{
	const struct frame *f = NULL;
	enum peer_status status = peer_receive(&w->peer, deadline(c), &f);

	if (status == PEER_OK) {
		notes(c, "wire", "the device sends %s, %zu octet%s of payload",
		      rdmap_opcode_name(f->seg.ddp.opcode),
		      f->seg.payload_octets,
		      f->seg.payload_octets == 1 ? "" : "s");
		return f;
	}
	notes(c, "wire",
	      status == PEER_FIN     ? "FIN of the device"
	      : status == PEER_RESET ? "RST of the device"
				     : "nothing comes from the device");
	return NULL;
}

/* --- up --------------------------------------------------------------------- */

/* The device's RTR, or another message that it is made to send: only then may
 * we send. */
static void device_speaks(struct checker *c, struct wire *w)
{
	const struct frame *f;

	if (w->enhanced && w->depths.a) {
		f = hears_any(c, w);
		if (f && f->seg.ddp.opcode == RDMAP_READ_REQUEST)
			wire_answers(c, w, f, NULL, 0);
	} else {
		given(c, "post conn=%s id=%u op=%s hex=%s", w->conn, RELEASE_ID,
		      claims(c, CLAIM(WRITE)) ? "write" : "send",
		      claims(c, CLAIM(WRITE)) ? " rstag=0 rto=0" : "");
		f = hears_any(c, w);
		given(c, "events conn=%s timeout-ms=%u", w->conn, wait_ms(c));
		for (uint64_t i = number(c, "n"); i > 0; i--)
			hears_event(c);
	}
	if (!f)
		skips(c, "not reached: the device sends nothing");
}

static void up_as_initiator(struct checker *c, struct wire *w)
{
	wire_takes_request(c, w);
	wire_replies(c, w, NULL, 0);
	given(c, "state conn=%s timeout-ms=%u until=established", w->conn,
	      wait_ms(c));
	if (strcmp(word(c, "state"), "established") != 0)
		skips(c, "not reached: the stream is %s", word(c, "state"));
	device_speaks(c, w);
}

static void up_as_responder(struct checker *c, struct wire *w)
{
	if (!wire_reaches(c, w))
		skips(c, "not reached: the device's port is closed");
	wire_requests(c, w, NULL, 0);
	if (!wire_is_replied_to(c, w) || w->flags & MPA_R)
		skips(c, "not reached: no Reply that accepts");
	given(c, "accept listener=%s timeout-ms=%u", w->listener, wait_ms(c));
	snprintf(w->conn, sizeof(w->conn), "%s", word(c, "conn"));
	/* The device may send once we have sent. */
	if (!claims(c, CLAIM(READ)) || !c->hello.max_ird)
		wire_writes(c, w, 0, 0, NULL, 0);
	else if (!wire_is_answered(c, w))
		skips(c, "not reached: the device does not answer a Read of "
			 "nothing");
}

struct wire *wire_up(struct checker *c, const char *params)
{
	bool initiator = !claims(c, CLAIM(RESPONDER));
	struct wire *w = initiator ? wire_is_connected_to(c, params)
				   : wire_listens(c, params);

	if (initiator)
		up_as_initiator(c, w);
	else
		up_as_responder(c, w);
	c->said_count = 0;
	return w;
}

/* --- on a stream ------------------------------------------------------------ */

static void put(struct checker *c, struct wire *w, const struct ddp *head,
		const uint8_t *octets, size_t n)
{
	uint8_t ulpdu[DDP_UNTAGGED_OCTETS + SEGMENT];
	size_t at = 0;

	do {
		size_t part = n - at < SEGMENT ? n - at : SEGMENT;
		struct ddp_segment seg = {.ddp = *head,
					  .payload = octets + at,
					  .payload_octets = part};

		seg.ddp.dv = DDP_VERSION;
		seg.ddp.rv = RDMAP_VERSION;
		seg.ddp.last = at + part == n;
		seg.ddp.to = head->to + (head->tagged ? at : 0);
		seg.ddp.mo = head->tagged ? 0 : (uint32_t)at;
		peer_frame(&w->peer, ulpdu,
			   ddp_encode(&seg, ulpdu, sizeof(ulpdu)),
			   &peer_no_faults, NULL);
		at += part;
	} while (at < n);
	peer_flush(&w->peer, NULL, 0, 0, deadline(c));
	notes(c, "wire", "we send %s, %zu octet%s of payload",
	      rdmap_opcode_name(head->opcode), n, n == 1 ? "" : "s");
}

static void put_untagged(struct checker *c, struct wire *w, uint8_t opcode,
			 unsigned queue, uint32_t stag, const void *octets,
			 size_t n)
{
	put(c, w,
	    &(struct ddp){.opcode = opcode,
			  .inval_stag = stag,
			  .qn = queue,
			  .msn = w->peer.msn[queue]++},
	    n ? octets : (const uint8_t *)"", n);
}

void wire_sends(struct checker *c, struct wire *w, uint8_t opcode,
		uint32_t stag, const void *octets, size_t n)
{
	put_untagged(c, w, opcode, DDP_QN_SEND, stag, octets, n);
}

void wire_writes(struct checker *c, struct wire *w, uint32_t stag, uint64_t to,
		 const void *octets, size_t n)
{
	put(c, w,
	    &(struct ddp){.tagged = true,
			  .opcode = RDMAP_WRITE,
			  .stag = stag,
			  .to = to},
	    n ? octets : (const uint8_t *)"", n);
}

void wire_terminates(struct checker *c, struct wire *w)
{
	/* RFC 5040 s4.8: a local catastrophic error, which needs no header. */
	static const uint8_t control[RDMAP_TERMINATE_OCTETS];

	put_untagged(c, w, RDMAP_TERMINATE, DDP_QN_TERMINATE, 0, control,
		     sizeof(control));
}

static void ask_for(struct checker *c, struct wire *w, uint32_t sink,
		    uint32_t stag, uint64_t to, uint32_t n)
{
	uint8_t out[RDMAP_READ_REQUEST_OCTETS];

	if (!c->hello.max_ird)
		skips(c, "max-ird is 0");
	const struct rdmap_read_request h = {.sink_stag = sink,
					     .size = n,
					     .source_stag = stag,
					     .source_to = to};

	rdmap_read_request_encode(&h, out, sizeof(out));
	put_untagged(c, w, RDMAP_READ_REQUEST, DDP_QN_READ_REQUEST, 0, out,
		     sizeof(out));
}

void wire_reads(struct checker *c, struct wire *w, uint32_t stag, uint64_t to,
		uint32_t n)
{
	ask_for(c, w, FENCE_STAG - 1, stag, to, n);
}

void wire_answers(struct checker *c, struct wire *w,
		  const struct frame *request, const void *octets, size_t n)
{
	const uint8_t *payload = request->seg.payload;
	size_t len = request->seg.payload_octets;
	struct rdmap_read_request r;
	struct rdmap_atomic_request a;
	uint8_t out[RDMAP_ATOMIC_RESPONSE_OCTETS];

	if (request->seg.ddp.opcode == RDMAP_ATOMIC_REQUEST &&
	    rdmap_atomic_request_decode(&a, payload, len)) {
		struct rdmap_atomic_response h = {.id = a.id};

		for (size_t i = 0; i < 8 && i < n; i++)
			h.value = h.value << 8 | ((const uint8_t *)octets)[i];
		rdmap_atomic_response_encode(&h, out, sizeof(out));
		put_untagged(c, w, RDMAP_ATOMIC_RESPONSE,
			     DDP_QN_ATOMIC_RESPONSE, 0, out, sizeof(out));
	} else if (rdmap_read_request_decode(&r, payload, len)) {
		put(c, w,
		    &(struct ddp){.tagged = true,
				  .opcode = RDMAP_READ_RESPONSE,
				  .stag = r.sink_stag,
				  .to = r.sink_to},
		    n ? octets : (const uint8_t *)"", n);
	}
}

static bool is_empty_read(const struct frame *f)
{
	struct rdmap_read_request r;

	return f->seg.ddp.opcode == RDMAP_READ_REQUEST &&
	       rdmap_read_request_decode(&r, f->seg.payload,
					 f->seg.payload_octets) &&
	       !r.size;
}

static bool is_empty_write(const struct frame *f)
{
	return f->seg.ddp.opcode == RDMAP_WRITE && f->seg.ddp.last &&
	       !f->seg.payload_octets;
}

/* A message may end with a segment of no octets, which nobody waits for. */
static bool is_empty_rest(const struct wire *w, const struct frame *f)
{
	return w->amid && f->seg.ddp.opcode == w->amid_opcode &&
	       !f->seg.payload_octets;
}

const struct frame *wire_hears(struct checker *c, struct wire *w)
{
	const struct frame *f;

	while ((f = hears_any(c, w)))
		if (is_empty_rest(w, f))
			w->amid = !f->seg.ddp.last;
		else if (is_empty_read(f))
			wire_answers(c, w, f, NULL, 0);
		else if (!is_empty_write(f))
			break;
	if (f) {
		w->amid = !f->seg.ddp.last;
		w->amid_opcode = f->seg.ddp.opcode;
	}
	return f;
}

void wire_due_empty_write(struct checker *c, struct wire *w)
{
	const struct frame *f;

	while ((f = hears_any(c, w)) && is_empty_read(f))
		wire_answers(c, w, f, NULL, 0);
	due(c, f && is_empty_write(f), "the device sends a Write of no octets");
}

const struct frame *wire_due(struct checker *c, struct wire *w, uint8_t opcode)
{
	const struct frame *f = wire_hears(c, w);

	if (!f || f->seg.ddp.opcode != opcode)
		fails(c, "the device sends %s", rdmap_opcode_name(opcode));
	return f;
}

void wire_due_payload(struct checker *c, struct wire *w, const struct frame *f,
		      const void *octets, size_t n)
{
	const uint8_t *posted = octets;
	size_t at = 0;
	bool right;

	for (;;) {
		size_t part = f->seg.payload_octets;

		right = part <= n - at &&
			memcmp(f->seg.payload, posted + at, part) == 0;
		at += part;
		if (!right || !part || at == n || f->seg.ddp.last)
			break;
		f = wire_due(c, w, f->seg.ddp.opcode);
	}
	due(c, right && at == n, "the %zu octets that were posted", n);
}

bool wire_is_answered(struct checker *c, struct wire *w)
{
	const struct frame *f;

	ask_for(c, w, FENCE_STAG + ++w->fences, 0, 0, 0);
	/* RFC 5041 s5.2: STag and TO have no meaning without octets. */
	while ((f = wire_hears(c, w)))
		if (f->seg.ddp.opcode == RDMAP_READ_RESPONSE &&
		    f->seg.ddp.last && f->seg.payload_octets == 0)
			return true;
	return false;
}

enum peer_status wire_end(struct checker *c, struct wire *w)
{
	const struct frame *f;
	enum peer_status status;

	while ((status = peer_receive(&w->peer, deadline(c), &f)) == PEER_OK)
		continue;
	notes(c, "wire",
	      status == PEER_FIN     ? "FIN of the device"
	      : status == PEER_RESET ? "RST of the device"
				     : "the device's direction stays open");
	return status;
}

void wire_closes(struct checker *c, struct wire *w)
{
	peer_close_sending(&w->peer);
	notes(c, "wire", "our FIN");
}

void wire_resets(struct checker *c, struct wire *w)
{
	peer_reset(&w->peer);
	notes(c, "wire", "our RST");
}

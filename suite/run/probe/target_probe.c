/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/run/probe/target_probe.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "harness/link/clock.h"
#include "suite/catalogue/registry.h"
#include "suite/language/case.h"
#include "suite/language/execution/alone.h"
#include "suite/run/plan/plan.h"
#include "suite/run/probe/probe.h"

/* For a first answer: much longer than a case waits, so that it can be said
 * when it came. */
#define PATIENCE_NS 6000000000ull

/* One Request, and what came of it. */
struct look {
	struct startup request;
	bool asks;  /* and a zero-length Read */
	bool twice; /* with a second connection beside it */
	/* out */
	bool connected, came, rejected, closed, answered, second;
	size_t n;
	uint8_t head[16];
	struct startup_seen reply;
	uint64_t reply_ns;
};

static void look_body(struct test *t, const void *row)
{
	struct look *l = *(struct look *const *)row;
	uint64_t began;

	dut_listens(t, .dut_crc = l->request.no_crc ? OFF : 0);
	began = clock_now_ns();
	peer_opens_tcp(t);
	l->connected = true;
	peer_sends_startup(t, l->request);
	l->reply = dut_startup(t);
	l->reply_ns = clock_now_ns() - began;
	l->came = l->reply.came;
	l->closed = l->reply.closed;
	l->n = l->reply.n;
	memcpy(l->head, l->reply.octets,
	       l->n < sizeof(l->head) ? l->n : sizeof(l->head));
	l->rejected = l->came && l->reply.frame.flags & MPA_R;
	if (!l->came || l->rejected || !(l->asks || l->twice))
		return;
	full_operation(t);
	l->answered = known_answer(t);
	if (!l->twice)
		return;
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(t, l->request);
	l->second = dut_startup(t).came;
}

static void look(struct testbed *bed, struct look *l, struct result *result)
{
	static const struct case_desc desc = {
		.file = "suite/run/probe/target_probe.c",
		.name = "probe",
		.title = "what there is behind the port",
		.run = look_body,
	};
	struct look *const row = l;

	bed->ulp.looking = true;
	probe_run(bed, &desc, RESPONDER, &row, result);
	bed->ulp.looking = false;
}

static void says(struct target_seen *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static void says(struct target_seen *s, const char *fmt, ...)
{
	va_list ap;

	if (s->lines == TARGET_LINES)
		return;
	va_start(ap, fmt);
	vsnprintf(s->line[s->lines++], sizeof(s->line[0]), fmt, ap);
	va_end(ap);
}

/* "48 54 54 50 (HTTP)" */
static const char *head_text(const struct look *l)
{
	static char text[128];
	size_t n = l->n < sizeof(l->head) ? l->n : sizeof(l->head), at = 0;

	for (size_t i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%02x",
				       i ? " " : "", l->head[i]);
	at += (size_t)snprintf(text + at, sizeof(text) - at, " (\"");
	for (size_t i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%c",
				       isprint(l->head[i]) ? l->head[i] : '.');
	snprintf(text + at, sizeof(text) - at, "\")");
	return text;
}

/* The port is none that can be tested: why. */
static bool objects(const struct testbed *bed, const struct look *l,
		    const struct result *r, char *why, size_t cap)
{
	const struct device *d = bed->device;
	char at[80];

	snprintf(at, sizeof(at), strchr(d->target, ':') ? "[%s]:%u" : "%s:%u",
		 d->target, d->target_port);
	if (!l->connected)
		snprintf(why, cap, "%s", r->reason);
	else if (l->rejected)
		snprintf(why, cap, "%s rejects a Request (R=1)%s", at,
			 d->private_octets
				 ? ": the ULP does not take this peer, or not "
				   "this --private-data"
				 : ": if its ULP wants private data, give it "
				   "with --private-data HEX|@FILE");
	else if (l->n)
		snprintf(why, cap,
			 "%s answers an MPA Request with %s, which is no MPA "
			 "Reply: give the port of an iWARP service",
			 at, head_text(l));
	else if (l->closed)
		snprintf(why, cap,
			 "%s closes on an MPA Request without a Reply: it is "
			 "no iWARP service, or does not take this peer",
			 at);
	else
		snprintf(why, cap,
			 "%s sends nothing in answer to an MPA Request: it is "
			 "no iWARP service, or is slow: try --timeout-scale 10",
			 at);
	return false;
}

static bool is_late(const struct testbed *bed, const struct look *l,
		    double timeout_scale, char *why, size_t cap)
{
	double wait = (double)TESTBED_WAIT_NS * timeout_scale;

	if ((double)l->reply_ns <= wait)
		return false;
	snprintf(why, cap,
		 "%s:%u answers an MPA Request after %.1f s, and a case waits "
		 "%.1f s: try --timeout-scale %.0f",
		 bed->device->target, bed->device->target_port,
		 (double)l->reply_ns / CLOCK_NS_PER_S, wait / CLOCK_NS_PER_S,
		 (double)l->reply_ns * 2 / (double)TESTBED_WAIT_NS + 1);
	return true;
}

static unsigned rtr_of(const struct startup_seen *reply)
{
	return (reply->enhanced.b ? RTR_SEND : 0) |
	       (reply->enhanced.c ? RTR_WRITE : 0) |
	       (reply->enhanced.d ? RTR_READ : 0);
}

static uint64_t needs_of(unsigned rtr)
{
	return (rtr & RTR_SEND ? NEED_RTR_SEND : 0) |
	       (rtr & RTR_WRITE ? NEED_RTR_WRITE : 0) |
	       (rtr & RTR_READ ? NEED_RTR_READ : 0);
}

static bool accepts(struct testbed *bed, struct look *l)
{
	struct result result;

	look(bed, l, &result);
	return l->came && !l->rejected;
}

/* The RTRs that its Reply lists. One of those that are known is always among the
 * offered: a stream without an RTR is left before it has begun (alone_leaves). */
static unsigned lists_of(struct testbed *bed, unsigned offered)
{
	struct look l = {.request = request_offering(offered)};
	bool p2p =
		accepts(bed, &l) && l.reply.has_enhanced && l.reply.enhanced.a;

	return p2p ? rtr_of(&l.reply) : 0;
}

static void find_revision(struct testbed *bed, struct target_seen *seen)
{
	struct look l = {
		.request = REQUEST(.enhanced = true, .ird = 16, .ord = 16)};
	uint64_t *features = &bed->hello.features;

	if (!accepts(bed, &l) || !l.reply.has_enhanced) {
		says(seen, "MPA revision 1; no enhanced connection setup");
		return;
	}
	*features |= NEED_MPA_V2;
	bed->claims |= NEED_MPA_V2;
	if (l.reply.enhanced.ird != MPA_NOT_NEGOTIATED &&
	    l.reply.enhanced.ord != MPA_NOT_NEGOTIATED) {
		bed->ulp.ird = l.reply.enhanced.ird;
		bed->ulp.ord = l.reply.enhanced.ord;
	}
	bed->ulp.ird_open = l.reply.enhanced.ird == MPA_NOT_NEGOTIATED;

	unsigned rtr = lists_of(bed, RTR_SEND | RTR_WRITE | RTR_READ);

	/* A Reply need not list all that the device takes. */
	for (unsigned bit = RTR_SEND; rtr && bit <= RTR_READ; bit <<= 1)
		if (!(rtr & bit))
			rtr |= lists_of(bed, rtr | bit);

	bed->ulp.rtr = rtr;
	if (rtr)
		*features |= NEED_P2P | needs_of(rtr);
	says(seen,
	     "MPA revisions 1 and 2; enhanced connection setup; RTR:%s%s%s%s",
	     rtr & RTR_SEND ? " Send" : "", rtr & RTR_WRITE ? " Write" : "",
	     rtr & RTR_READ ? " Read" : "", rtr ? "" : " none");
}

/* Revision 1 of MPA negotiates no depths: many ULPs then have an IRD of 0. */
static void find_depths(struct testbed *bed, const struct look *first)
{
	struct look l = {
		.request = REQUEST(.enhanced = true, .ird = 16, .ord = 16),
		.asks = true};

	bed->ulp.deaf = !first->answered;
	bed->ulp.negotiates =
		bed->ulp.deaf && bed->ulp.ird && accepts(bed, &l) && l.answered;
}

static void find_framing(struct testbed *bed, struct target_seen *seen)
{
	struct look crc = {.request = REQUEST(.no_crc = true)};
	struct look markers = {.request = REQUEST(.m = true)};
	bool without = accepts(bed, &crc) && !(crc.reply.frame.flags & MPA_C);
	bool marked = accepts(bed, &markers);

	bed->ulp.no_crc = without;
	bed->hello.features |=
		(without ? NEED_CRC_OFF : 0) | (marked ? NEED_MARKERS_TX : 0);
	says(seen, "CRCs are %s; markers are %s",
	     without ? "used where the peer asks for them" : "always used",
	     marked ? "sent where the peer asks for them" : "not sent");
}

/* What RFC 7306 adds, each on a stream of its own. */
struct extension {
	struct msg asks;
	/* out */
	bool answered, refused, unknown;
};

static void extension_body(struct test *t, const void *row)
{
	struct extension *x = *(struct extension *const *)row;
	enum { OPERATION = 2, OPCODE = 6, PROTECTION = 1 };

	connects(t);
	/* In one write: a ULP that minds it ends the stream only later. */
	peer_sends(t, x->asks, .hold = true);
	x->answered = known_answer(t);
	if (x->answered)
		return;
	how_it_ended(t);
	const struct frame *f = the_terminate(t);

	if (!f)
		return;
	struct rdmap_terminate term = case_terminate_of(f);

	x->unknown = term.layer == TERM_RDMA && term.etype == OPERATION &&
		     term.code == OPCODE;
	x->refused = term.layer == TERM_RDMA && term.etype == PROTECTION;
}

static void looks(struct testbed *bed,
		  void (*body)(struct test *, const void *), void *what)
{
	const struct case_desc desc = {
		.file = "suite/run/probe/target_probe.c",
		.name = "probe",
		.title = "what there is behind the port",
		.run = body,
	};
	struct result result;

	bed->ulp.looking = true;
	probe_run(bed, &desc, bed->device->target[0] ? RESPONDER : INITIATOR,
		  &what, &result);
	bed->ulp.looking = false;
}

static void ask_extension(struct testbed *bed, struct extension *x,
			  struct msg m)
{
	*x = (struct extension){.asks = m};
	looks(bed, extension_body, x);
}

static const char *extension_text(const struct extension *x, bool there)
{
	return there        ? "known to the device"
	       : x->unknown ? "not known to it"
			    : "not found out: nothing tells the device from "
			      "its ULP";
}

/* An atomic on an STag that was never issued is refused for that reason by who
 * knows the opcode; Immediate Data is taken, if the ULP has a buffer for it. */
#define ATOMICS (NEED_FETCHADD | NEED_CMPSWAP | NEED_MASKED_ATOMICS)

static void find_extensions(struct testbed *bed, struct target_seen *seen)
{
	static const uint8_t octets[8] = "warpspec";
	struct region nowhere = {.stag = 0x7a11f00d, .to = 0x1000};
	struct extension atomic, imm, se;

	ask_extension(bed, &atomic, FETCHADD(nowhere, 0, 1, 0));
	ask_extension(bed, &imm, IMM(octets));
	ask_extension(bed, &se, IMM_SE(octets));
	if (atomic.refused)
		bed->hello.features |= ATOMICS;
	if (imm.answered)
		bed->hello.features |= NEED_IMM;
	if (se.answered)
		bed->hello.features |= NEED_IMM_SE;
	says(seen, "atomics are %s", extension_text(&atomic, atomic.refused));
	says(seen, "Immediate Data are %s", extension_text(&imm, imm.answered));
}

/* --- the ULP's buffer ------------------------------------------------------ */

static void buffer_body(struct test *t, const void *row)
{
	buffer_looks(t, *(struct buffer_look *const *)row);
}

static bool step(struct testbed *bed, enum buffer_step what, bool *found,
		 bool *big_endian)
{
	struct buffer_look l = {.step = what};

	looks(bed, buffer_body, &l);
	*found |= l.found;
	if (l.ok)
		*big_endian = l.big_endian;
	return l.ok;
}

/* A ULP may give each connection another buffer: each edge is tried twice. */
static bool find_bounds(struct testbed *bed)
{
	enum { TIMES = 2 };
	bool found = false, big = false, ok = true;

	for (unsigned i = 0; ok && i < TIMES; i++)
		ok = step(bed, BUFFER_BEFORE, &found, &big) &&
		     step(bed, BUFFER_BEHIND, &found, &big);
	return ok;
}

/* Reads and Writes of its whole, as all that is judged there rests on them. */
static void find_buffer(struct testbed *bed, struct target_seen *seen)
{
	struct ulp_buffer *b = &bed->ulp.buffer;
	const unsigned all = REMOTE_READ | REMOTE_WRITE | REMOTE_ATOMIC;
	bool found = false, big = false, writes, atomics;

	if (bed->device->buffer.where == BUFFER_NONE)
		return;
	b->access = all;
	if (!step(bed, BUFFER_READ, &found, &big)) {
		*b = (struct ulp_buffer){0};
		says(seen, "%s",
		     found ? "its buffer is not answered by an RDMA Read: "
			     "nothing is judged there"
			   : "no buffer is advertised where --buffer says: "
			     "nothing is judged there");
		return;
	}
	writes = step(bed, BUFFER_WRITE, &found, &big);
	atomics = writes && step(bed, BUFFER_ATOMIC, &found, &big);
	if (atomics) {
		bed->hello.features |= ATOMICS;
		bed->hello.big_endian = big;
	}
	if (writes && !step(bed, BUFFER_KEEPS, &found, &big)) {
		*b = (struct ulp_buffer){0};
		says(seen, "its buffer does not keep what is written to it: "
			   "nothing is judged there");
		return;
	}
	b->access = REMOTE_READ | (writes ? REMOTE_WRITE : 0) |
		    (atomics ? REMOTE_ATOMIC : 0);
	b->bounded = find_bounds(bed);
	says(seen,
	     "its buffer: %zu octets are used, by RDMA Reads%s%s; what lies "
	     "beside it %s",
	     b->len, writes ? ", Writes" : " alone",
	     atomics ? " and atomics" : "",
	     b->bounded ? "is refused" : "may be registered, too");
}

static void find_connections(struct testbed *bed, struct target_seen *seen)
{
	struct look l = {.twice = true};
	struct result result;

	bed->ulp.connections = bed->device->connections;
	if (bed->ulp.connections != 1)
		look(bed, &l, &result);
	if (!l.second)
		bed->ulp.connections = 1;
	says(seen, "%s",
	     bed->device->connections == 1
		     ? "one connection at a time, as --max-connections says"
	     : l.second ? "several connections at once are accepted"
			: "one connection at a time is accepted");
}

static void find_private(struct testbed *bed, struct target_seen *seen)
{
	struct look l = {0};
	bool without;

	if (!bed->device->private_octets) {
		says(seen, "private data is not required");
		return;
	}
	bed->ulp.bare = true;
	without = accepts(bed, &l);
	bed->ulp.bare = false;
	says(seen, "private data is %srequired", without ? "not " : "");
}

/* --- the initiator ------------------------------------------------------- */

static void initiator_body(struct test *t, const void *row)
{
	struct look *l = *(struct look *const *)row;

	dut_dials(t, .sees_opening = true);
	l->connected = true;
	l->reply = dut_startup(t);
	l->came = l->reply.came;
}

/* The only Request that its command has it send. */
static bool find_initiator(struct testbed *bed, double timeout_scale,
			   struct target_seen *seen, char *why, size_t cap)
{
	static const struct case_desc desc = {
		.file = "suite/run/probe/target_probe.c",
		.name = "probe",
		.title = "the command that connects",
		.run = initiator_body,
	};
	struct look l = {0}, *const row = &l;
	struct result result;
	uint64_t wait = bed->wait_ns;
	unsigned rtr;

	if (!bed->device->connect[0])
		return true;
	bed->ulp.looking = true;
	bed->wait_ns = (uint64_t)((double)PATIENCE_NS * timeout_scale);
	probe_run(bed, &desc, INITIATOR, &row, &result);
	bed->wait_ns = wait;
	bed->ulp.looking = false;
	if (!l.came) {
		snprintf(why, cap,
			 "connect-with: %.100s: %s to $WARPSPEC_HOST port "
			 "$WARPSPEC_PORT within %.0f s",
			 bed->device->connect,
			 l.connected ? "the device sends no MPA Request"
				     : "the device opens no connection",
			 (double)PATIENCE_NS * timeout_scale / CLOCK_NS_PER_S);
		return false;
	}
	rtr = l.reply.enhanced.a ? rtr_of(&l.reply) : 0;
	bed->ulp.flags = l.reply.frame.flags;
	bed->habits.request = (struct request_form){
		.known = true,
		.rev = l.reply.frame.rev,
		.enhanced = l.reply.has_enhanced,
		.rtr = rtr,
	};
	if (l.reply.frame.rev > 1)
		bed->hello.features |= NEED_MPA_V2;
	if (rtr)
		bed->hello.features |= NEED_P2P | needs_of(rtr);
	if (l.reply.frame.flags & MPA_M)
		bed->hello.features |= NEED_MARKERS_RX;
	says(seen,
	     "its Requests: MPA revision %u%s; RTR:%s%s%s%s; CRCs are %s; "
	     "markers are %s",
	     l.reply.frame.rev,
	     l.reply.has_enhanced ? ", enhanced connection setup" : "",
	     rtr & RTR_SEND ? " Send" : "", rtr & RTR_WRITE ? " Write" : "",
	     rtr & RTR_READ ? " Read" : "", rtr ? "" : " none",
	     l.reply.frame.flags & MPA_C ? "asked for" : "left to the peer",
	     l.reply.frame.flags & MPA_M ? "asked for" : "not asked for");
	return true;
}

static void claim(struct testbed *bed)
{
	bed->claims = claims_in_force(
		claims_of(bed->device, bed->hello.features),
		bed->contradictions, sizeof(bed->contradictions));
}

bool target_probe(struct testbed *bed, double timeout_scale,
		  struct target_seen *seen, char *why, size_t cap)
{
	struct look first = {.asks = true};
	struct result result;
	uint64_t wait = bed->wait_ns;

	*seen = (struct target_seen){0};
	if (!bed->device->target[0]) {
		if (!find_initiator(bed, timeout_scale, seen, why, cap))
			return false;
		claim(bed);
		find_extensions(bed, seen);
		find_buffer(bed, seen);
		claim(bed);
		return true;
	}
	bed->wait_ns = (uint64_t)((double)PATIENCE_NS * timeout_scale);
	look(bed, &first, &result);
	bed->wait_ns = wait;
	if (!first.came || first.rejected)
		return objects(bed, &first, &result, why, cap);
	if (is_late(bed, &first, timeout_scale, why, cap))
		return false;
	find_revision(bed, seen);
	find_depths(bed, &first);
	find_framing(bed, seen);
	find_connections(bed, seen);
	find_private(bed, seen);
	find_extensions(bed, seen);
	find_buffer(bed, seen);
	says(seen, "a zero-length RDMA Read of any STag is %s",
	     bed->ulp.negotiates ? "answered where an IRD is negotiated"
	     : first.answered    ? "answered"
				 : "not answered, and without it little can be "
				   "tested");
	if (!find_initiator(bed, timeout_scale, seen, why, cap))
		return false;
	claim(bed);
	return true;
}

bool target_goes_on(struct testbed *bed, char *why, size_t cap)
{
	enum { TIMES = 3 };

	if (!device_is_alone(bed->device) || !bed->device->target[0])
		return true;
	/* A service that begins again may leave one peer unanswered. */
	for (unsigned i = 0; i < TIMES; i++) {
		struct look l = {0};

		if (accepts(bed, &l))
			return true;
	}
	snprintf(why, cap,
		 "%s:%u answered before, but not after an error of its peer: "
		 "use a service that keeps running, as rping -s -P does",
		 bed->device->target, bed->device->target_port);
	return false;
}

bool target_reach(struct testbed *bed, const struct run_options *o,
		  bool *selected, char *why, size_t cap)
{
	const struct registry *r = registry();
	struct target_seen seen;

	if (!testbed_reach_agent(bed, why, cap) ||
	    !target_probe(bed, o->timeout_scale, &seen, why, cap))
		return false;
	bed->brief = true;
	for (size_t i = 0; i < r->count; i++) {
		const struct instance *in = &r->instances[i];
		struct result result = {0};
		enum error_cause cause;

		if (!selected[i])
			continue;
		selected[i] =
			in->role == RESPONDER &&
			plan_is_applicable(o, in, bed->claims, bed->link->caps);
		if (!selected[i])
			continue;
		testbed_run(bed, in, &result, &cause);
		selected[i] = result.verdict != VERDICT_SKIP &&
			      result.verdict != VERDICT_ERROR;
	}
	bed->brief = false;
	return true;
}

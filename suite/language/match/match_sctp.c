/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the device sent over SCTP, chunk by chunk, and the matchers on it.
 */
#include "suite/language/execution/chunks.h"

#include <string.h>

#include "harness/wire/sctp.h"

/* --- chunks ---------------------------------------------------------------- */

static bool is_over(const struct seen_association *a)
{
	return a->dut_aborted || a->dut_shut || a->peer_aborted;
}

struct dut_chunks dut_chunks(struct test *t)
{
	const struct seen_association *a = chunks_of(t, the_stream(t));

	return a ? (struct dut_chunks){a->chunk, a->count}
		 : (struct dut_chunks){0};
}

/*
 * A device may have only one form of Initiate, whatever its agent is asked for.
 * stream_startup_seen() handles that for streams that are opened as a whole. A
 * case that looks at chunks is about the form that it requested.
 */
static const struct dut_chunk *as_asked(struct test *t,
					const struct dut_chunk *c)
{
	const struct stream *s = the_stream(t);
	const struct stream_opts *o = &s->opts;
	struct mpa_enhanced e = {0};

	if (!c || s->role != INITIATOR || c->ppid != SESSION_PPID_CONTROL ||
	    c->function != SESSION_ENHANCED_INITIATE || o->rtr || o->dut_rtr)
		return c;
	if (c->n >= SESSION_CONTROL_OCTETS + MPA_ENHANCED_OCTETS)
		mpa_enhanced_decode(&e, c->octets + SESSION_CONTROL_OCTETS);
	if (e.a)
		not_applicable(t, "the device's Initiates are all of the "
				  "peer-to-peer model");
	if (!o->enhanced)
		not_applicable(t, "the device's Initiates are all enhanced");
	return c;
}

const struct dut_chunk *next_chunk(struct test *t)
{
	struct stream *s = the_stream(t);
	uint64_t deadline = wait_begins(t);
	struct seen_association *a;

	while (!((a = chunks_of(t, s)) && a->taken < a->count)) {
		if (a && is_over(a))
			return NULL;
		if (!chunks_wait(t, deadline)) {
			wait_in_vain(t, deadline);
			return NULL;
		}
	}
	return as_asked(t, &a->chunk[a->taken++]);
}

/* Chunks from this number of the association on. */
static const struct dut_chunk *control_from(const struct seen_association *a,
					    unsigned sid, size_t *from)
{
	while (*from < a->count) {
		const struct dut_chunk *c = &a->chunk[(*from)++];

		if (c->ppid == SESSION_PPID_CONTROL && c->stream == sid)
			return c;
	}
	return NULL;
}

const struct dut_chunk *next_control(struct test *t)
{
	struct stream *s = the_stream(t);
	uint64_t deadline = wait_begins(t);

	for (;;) {
		struct seen_association *a = chunks_of(t, s);
		const struct dut_chunk *c =
			a ? control_from(a, stream_sid(s), &s->controls_taken)
			  : NULL;

		if (c || (a && is_over(a)))
			return as_asked(t, c);
		if (!chunks_wait(t, deadline)) {
			wait_in_vain(t, deadline);
			return NULL;
		}
	}
}

const struct dut_chunk *chunk_from(struct test *t, size_t order)
{
	struct stream *s = the_stream(t);
	uint64_t deadline = wait_begins(t);
	const struct seen_association *a;

	while (!((a = chunks_of(t, s)) && order < a->count)) {
		if (a && is_over(a))
			return NULL;
		if (!chunks_wait(t, deadline)) {
			wait_in_vain(t, deadline);
			return NULL;
		}
	}
	return as_asked(t, &a->chunk[order]);
}

/* What the device sent instead, if anything. */
static const char *what_came(struct test *t, const struct dut_chunk *c)
{
	if (c)
		return chunk_text(t, c);
	return test_format(t, "%s, of this session so far: %s",
			   association_is_over(t)
				   ? "the association ended"
				   : "nothing until the deadline",
			   dut_sequence(t));
}

/*
 * Another message came where a session is to begin or to be answered: the
 * requirement on the function code is broken, and not the one about what else
 * the message holds.
 */
static unsigned short other_code_row(unsigned short req, unsigned function)
{
	static const struct req_must *const of_code[] = {
		[SESSION_INITIATE] = &SCTPX_5_2_3_01,
		[SESSION_ACCEPT] = &SCTPX_5_2_3_02,
		[SESSION_REJECT] = &SCTPX_5_2_3_03,
		[SESSION_ENHANCED_INITIATE] = &SCTPX_6581_7_02,
		[SESSION_ENHANCED_ACCEPT] = &SCTPX_6581_7_03,
		[SESSION_ENHANCED_REJECT] = &SCTPX_6581_7_01,
	};

	return function < sizeof(of_code) / sizeof(of_code[0]) &&
			       of_code[function]
		       ? of_code[function]->index
		       : req;
}

const struct dut_chunk *case_awaits_control(struct test *t, struct req_must req,
					    unsigned function)
{
	const struct dut_chunk *c = next_control(t);

	/* If no session is established at all, another message instead of this
	 * one proves nothing about it. */
	if (!c || (function ? c->function != function
			    : c->function == SESSION_TERMINATE))
		test_stands_on(t, live_stream(t)->role, FOUNDATION_STREAM);
	if (c && (!function || c->function == function))
		return c;
	if (!c)
		test_counts_if_seen(t);
	t->contradicted = c != NULL;
	test_fail(t, c ? other_code_row(req.index, function) : req.index,
		  "due:  %s\nseen: %s",
		  function ? session_function_name((uint16_t)function)
			   : "session control",
		  what_came(t, c));
}

const struct dut_chunk *case_awaits_chunk(struct test *t, struct req_must req,
					  size_t order)
{
	const struct dut_chunk *c = chunk_from(t, order);

	if (c)
		return c;
	/* Behind the first one come Sends. */
	if (order)
		test_stands_on(t, the_stream(t)->role, FOUNDATION_SEND_POSTED);
	test_counts_if_seen(t);
	test_fail(t, req.index, "due:  a chunk\nseen: %s", what_came(t, NULL));
}

/* --- sequences ------------------------------------------------------------- */

static const char *kind_of(struct test *t, const struct dut_chunk *c)
{
	const char *name;

	if (c->ppid == SESSION_PPID_SEGMENT)
		return chunk_is_rdmap_terminate(c) ? "RDMAP Terminate"
						   : "segments";
	if (c->ppid != SESSION_PPID_CONTROL)
		return test_format(t, "PPID %u", c->ppid);
	name = session_function_name((uint16_t)c->function);
	return name ? name : test_format(t, "code 0x%04x", c->function);
}

const char *dut_sequence(struct test *t)
{
	const struct stream *s = the_stream(t);
	const struct seen_association *a = chunks_of(t, s);
	const char *all = "", *before = "";
	size_t n;
	bool whole;

	if (!a)
		return "nothing";
	const struct dut_chunk *const *c =
		chunks_in_order(t, a, stream_sid(s), &n, &whole);

	for (size_t i = 0; i < n; i++) {
		const char *kind = kind_of(t, c[i]);

		if (strcmp(kind, before) == 0 && strcmp(kind, "segments") == 0)
			continue;
		all = test_format(t, "%s%s%s", all, *all ? ", " : "", kind);
		before = kind;
	}
	return n ? all : "nothing";
}

static bool has_sequence(struct test *t, const struct expect *e)
{
	const char *seen = dut_sequence(t);

	test_due(t, "in the order of DDP-SSNs: %s", e->what);
	test_seen(t, "%s", seen);
	/* Its first part, or nothing: the rest may be on its way. */
	t->contradicted = strcmp(seen, "nothing") != 0 &&
			  strncmp(e->what, seen, strlen(seen)) != 0;
	return strcmp(seen, e->what) == 0;
}

struct expect sequence_is(const char *sequence)
{
	return (struct expect){.holds = has_sequence, .what = sequence};
}

static bool is_ahead(struct test *t, const struct expect *e)
{
	const struct stream *s = the_stream(t);
	const struct seen_association *a = chunks_of(t, s);
	bool ended = false, whole;
	size_t n = 0;

	(void)e;
	const struct dut_chunk *const *c =
		a ? chunks_in_order(t, a, stream_sid(s), &n, &whole) : NULL;

	test_seen(t, "%s", dut_sequence(t));
	t->contradicted = true;
	for (size_t i = 0; i < n; i++) {
		if (ended && chunk_is_rdmap_terminate(c[i]))
			return false;
		ended |= c[i]->ppid == SESSION_PPID_CONTROL &&
			 c[i]->function == SESSION_TERMINATE;
	}
	return true;
}

struct expect rdmap_terminate_is_ahead(void)
{
	return (struct expect){
		.holds = is_ahead,
		.due = "the RDMAP Terminate, and then a Session Terminate, if "
		       "any, in the order of DDP-SSNs"};
}

/* A negative function: any. */
static unsigned count_controls(struct test *t, long function)
{
	const struct dut_chunks all = dut_chunks(t);
	unsigned sid = stream_sid(the_stream(t)), n = 0;

	for (size_t i = 0; i < all.n; i++)
		n += all.chunk[i].stream == sid &&
		     all.chunk[i].ppid == SESSION_PPID_CONTROL &&
		     (function < 0 ||
		      all.chunk[i].function == (unsigned)function);
	return n;
}

unsigned segments_seen(struct test *t)
{
	const struct dut_chunks all = dut_chunks(t);
	unsigned sid = stream_sid(the_stream(t)), n = 0;

	for (size_t i = 0; i < all.n; i++)
		n += all.chunk[i].stream == sid &&
		     all.chunk[i].ppid == SESSION_PPID_SEGMENT &&
		     !chunk_is_rdmap_terminate(&all.chunk[i]);
	return n;
}

unsigned controls_seen(struct test *t, unsigned function)
{
	return count_controls(t, (long)function);
}

unsigned controls_on(struct test *t, unsigned sid, unsigned function,
		     size_t from)
{
	const struct dut_chunks all = dut_chunks(t);
	unsigned n = 0;

	for (size_t i = from; i < all.n; i++)
		n += all.chunk[i].stream == sid &&
		     all.chunk[i].ppid == SESSION_PPID_CONTROL &&
		     all.chunk[i].function == function;
	return n;
}

unsigned rdmap_terminates_seen(struct test *t)
{
	const struct dut_chunks all = dut_chunks(t);
	unsigned n = 0;

	for (size_t i = 0; i < all.n; i++)
		n += chunk_is_rdmap_terminate(&all.chunk[i]);
	return n;
}

unsigned controls_behind_the_first(struct test *t)
{
	unsigned n;

	all_has_arrived(t);
	n = count_controls(t, -1);
	return n ? n - 1 : 0;
}

unsigned chunks_uncovered(struct test *t)
{
	const struct dut_chunks all = dut_chunks(t);
	unsigned most = 0;

	for (size_t i = 0; i < all.n; i++)
		if (all.chunk[i].unacknowledged > most)
			most = all.chunk[i].unacknowledged;
	return most;
}

/* --- answers to Initiates ---------------------------------------------------- */

/* Wait for the first session control on a stream. */
static const struct dut_chunk *answer_on(struct test *t, unsigned sid,
					 bool wait)
{
	struct stream *s = the_stream(t);
	uint64_t deadline = wait ? wait_begins(t) : CLOCK_NOW;

	for (;;) {
		const struct seen_association *a = chunks_of(t, s);
		size_t from = 0;
		const struct dut_chunk *c =
			a ? control_from(a, sid, &from) : NULL;

		if (c || !a || is_over(a))
			return c;
		if (!chunks_wait(t, deadline)) {
			if (wait)
				wait_in_vain(t, deadline);
			return NULL;
		}
	}
}

static bool is_answered(struct test *t, const struct expect *e)
{
	unsigned sid = (unsigned)e->a, before = t->current;
	const struct dut_chunk *c;

	all_has_arrived(t);
	c = answer_on(t, sid, false);
	if (!c && !association_is_over(t)) {
		case_listens(t, &(struct stream_opts){.beside = before + 1 -
								t->beside,
						      .sid = sid});
		t->current = before;
		c = answer_on(t, sid, true);
		test_seen(t, "%s",
			  c ? chunk_text(t, c)
			    : "nothing, though the ULP listens once more");
		t->contradicted = true;
		return c && (c->function == SESSION_ACCEPT ||
			     c->function == SESSION_TERMINATE);
	}
	test_seen(t, "%s", c ? chunk_text(t, c) : "the association has ended");
	t->contradicted = c != NULL;
	return c && c->function == SESSION_TERMINATE;
}

struct expect answered_or_waiting(unsigned sid)
{
	return (struct expect){
		.holds = is_answered,
		.a = sid,
		.due = "a Session Terminate on its stream; or an answer, once "
		       "the ULP listens for one more"};
}

/* Whatever answers an Initiate and accepts it not. */
static unsigned refusals(struct test *t)
{
	const struct dut_chunks all = dut_chunks(t);
	unsigned n = 0;

	for (size_t i = 0; i < all.n; i++)
		n += all.chunk[i].ppid == SESSION_PPID_CONTROL &&
		     all.chunk[i].function != SESSION_ACCEPT;
	return n;
}

bool initiates_refused(struct test *t)
{
	all_has_arrived(t);
	return refusals(t) || association_is_over(t);
}

static bool ends_or_works(struct test *t, const struct expect *e)
{
	struct stream *s = live_stream(t);

	(void)e;
	bool ok = stream_over(s) ||
		  (stream_can_fence(t, s) && stream_fence(t, s)) ||
		  stream_over(s);

	test_seen(t, "%s",
		  stream_over(s) ? stream_end_text(t, s)
		  : ok           ? "it goes on: a zero-length RDMA Read is "
				   "answered"
				 : "silence");
	return ok;
}

struct expect stream_ends_or_works(void)
{
	return (struct expect){.holds = ends_or_works,
			       .due = "the stream ends, or goes on"};
}

/* --- ends and silence ------------------------------------------------------- */

/* The end of this session in words, or NULL. */
static const char *end_of(struct test *t, const struct seen_association *a,
			  unsigned sid)
{
	for (size_t i = 0; a && i < a->count; i++) {
		const struct dut_chunk *c = &a->chunk[i];

		if (c->stream == sid && ((c->ppid == SESSION_PPID_CONTROL &&
					  c->function == SESSION_TERMINATE) ||
					 chunk_is_rdmap_terminate(c)))
			return chunk_text(t, c);
	}
	if (a && a->dut_aborted)
		return "ABORT";
	return a && a->dut_shut ? "SHUTDOWN" : NULL;
}

static bool ends_session(struct test *t, const struct expect *e)
{
	struct stream *s = the_stream(t);
	uint64_t deadline = wait_begins(t);
	const char *how;

	(void)e;
	while (!(how = end_of(t, chunks_of(t, s), stream_sid(s))))
		if (!chunks_wait(t, deadline)) {
			wait_in_vain(t, deadline);
			break;
		}
	test_seen(t, "%s", how ? how : dut_sequence(t));
	return how;
}

struct expect session_ends(void)
{
	return (struct expect){
		.holds = ends_session,
		.due = "the device ends the session, by a Session Terminate "
		       "or with the association",
	};
}

static bool is_of_ddp(const struct dut_chunk *c)
{
	return c->ppid == SESSION_PPID_SEGMENT ||
	       c->ppid == SESSION_PPID_CONTROL;
}

static bool none_came(struct test *t, const struct expect *e)
{
	all_has_arrived(t);
	const struct dut_chunks all = dut_chunks(t);
	unsigned sid = stream_sid(the_stream(t));

	for (size_t i = e->b; i < all.n; i++) {
		const struct dut_chunk *c = &all.chunk[i];

		if ((e->a && c->ppid != e->a) || (e->c && c->stream != sid))
			continue;
		/* Associations with another adaptation do not belong to RFC
		 * 5043. */
		if (!e->a && !is_of_ddp(c))
			continue;
		test_seen(t, "%s", chunk_text(t, c));
		t->contradicted = true;
		return false;
	}
	test_seen(t, "none");
	return true;
}

struct expect no_chunk(unsigned ppid)
{
	return (struct expect){
		.holds = none_came,
		.a = ppid,
		.due = ppid == SESSION_PPID_CONTROL ? "no session control"
		       : ppid                       ? "no DDP segment"
						    : "no DATA chunk of DDP",
	};
}

struct expect no_chunk_since(size_t order)
{
	return (struct expect){.holds = none_came,
			       .b = order,
			       .c = 1,
			       .due = "no further chunk of this session"};
}

/* --- each chunk ------------------------------------------------------------- */

enum each { UNORDERED, WHOLE, OF_DDP, ON_STREAM, REGISTERED };

static bool is_right(const struct dut_chunk *c, const struct expect *e)
{
	switch ((enum each)e->a) {
	case UNORDERED:
		return c->unordered;
	case WHOLE:
		return c->first && c->last;
	case OF_DDP:
		return is_of_ddp(c);
	case ON_STREAM:
		return c->stream == e->b;
	case REGISTERED:
		return c->ppid != SESSION_PPID_CONTROL ||
		       (c->function >= SESSION_INITIATE &&
			c->function <= SESSION_ENHANCED_REJECT);
	}
	return false;
}

/* IPv6, UDP, the common header, and the chunk with its header. */
bool path_needs_fragments(struct test *t)
{
	enum { LEAST = 40 + 8 + 12 + 16 + SESSION_SEGMENT_LEAST };
	const struct stream *s = the_stream(t);
	unsigned path = s->live ? link_sctp_path_mtu(s->peer.conn) : 0;

	return path && path < LEAST;
}

void in_one_chunk(struct test *t, const struct dut_chunk *c)
{
	if (!c->last && path_needs_fragments(t))
		not_applicable(t, "the path is so narrow that SCTP fragments "
				  "the message");
}

static bool all_right(struct test *t, const struct expect *e)
{
	const struct dut_chunks all = dut_chunks(t);

	for (size_t i = 0; i < all.n; i++) {
		const struct dut_chunk *c = &all.chunk[i];

		if (is_right(c, e) ||
		    (e->a == WHOLE && path_needs_fragments(t)))
			continue;
		test_seen(t, "%s, U=%d B=%d E=%d", chunk_text(t, c),
			  c->unordered, c->first, c->last);
		t->contradicted = true;
		return false;
	}
	test_seen(t, "%zu chunks", all.n);
	return all.n > 0;
}

static struct expect each(enum each what, unsigned n, const char *due)
{
	return (struct expect){
		.holds = all_right, .a = what, .b = n, .due = due};
}

struct expect all_unordered(void)
{
	return each(UNORDERED, 0, "U is set in each DATA chunk");
}

struct expect all_whole(void)
{
	return each(WHOLE, 0, "B and E are set in each DATA chunk");
}

struct expect all_of_ddp(void)
{
	return each(OF_DDP, 0, "each DATA chunk has PPID 16 or 17");
}

struct expect all_on_stream(unsigned n)
{
	return each(ON_STREAM, n, "each DATA chunk is on the peer's stream");
}

struct expect all_registered(void)
{
	return each(REGISTERED, 0,
		    "each function code is one of those registered, 1 to 7");
}

static bool numbered(struct test *t, const struct expect *e)
{
	const struct seen_association *a = chunks_of(t, the_stream(t));
	size_t n = 0;
	bool whole = false;

	(void)e;
	if (!a)
		return false;
	const struct dut_chunk *const *c =
		chunks_in_order(t, a, stream_sid(the_stream(t)), &n, &whole);

	/* Chunks that fit no position come last. */
	test_seen(t, "%zu chunks%s%s", n, whole ? "" : ", out of place: ",
		  whole ? "" : chunk_text(t, c[n - 1]));
	t->contradicted = !whole;
	return whole && n;
}

struct expect all_numbered(void)
{
	return (struct expect){
		.holds = numbered,
		.due = "DDP-SSNs from 0 on, each once, modulo 65536",
	};
}

/* --- sizes ------------------------------------------------------------------- */

static bool fits(struct test *t, const struct expect *e)
{
	const struct dut_chunks all = dut_chunks(t);
	size_t largest = 0;

	for (size_t i = 0; i < all.n; i++) {
		const struct dut_chunk *c = &all.chunk[i];

		if (c->n > SESSION_SEGMENT_LEAST && c->packet > largest)
			largest = c->packet;
	}
	test_due(t, "packets of at most %u octets, or chunks of at most %u",
		 (unsigned)e->a, SESSION_SEGMENT_LEAST);
	test_seen(t, "a packet of %zu octets", largest);
	t->contradicted = largest > e->a;
	return all.n && (!e->a || largest <= e->a);
}

struct expect packets_fit(unsigned path)
{
	return (struct expect){.holds = fits, .a = path};
}

enum { SACK_OCTETS = 16 };

/* The packet of this chunk alone: others may be bundled with it. */
static size_t packet_alone(const struct test *t, const struct dut_chunk *c)
{
	return t->chunks->around + SCTP_HEADER_OCTETS + SCTP_CHUNK_OCTETS +
	       SCTP_DATA_OCTETS + ((c->n + 3) & ~(size_t)3);
}

static bool has_room(struct test *t, const struct expect *e)
{
	const struct dut_chunks all = dut_chunks(t);
	size_t full = 0, largest = 0;
	bool beside = false;

	for (size_t i = 0; i < all.n; i++)
		if (all.chunk[i].n > full)
			full = all.chunk[i].n;
	for (size_t i = 0; i < all.n; i++) {
		const struct dut_chunk *c = &all.chunk[i];

		if (c->n < full)
			continue;
		beside |= c->with_sack;
		if (!c->with_sack && packet_alone(t, c) > largest)
			largest = packet_alone(t, c);
	}
	test_due(t,
		 "a SACK beside a full-size segment; or packets with one of "
		 "at most %u octets",
		 (unsigned)e->a - SACK_OCTETS);
	test_seen(t, "%s, and packets of %zu octets",
		  beside ? "a SACK" : "no SACK", largest);
	t->contradicted = true;
	/* No segment need be shorter (RFC 5043 s9). */
	return beside || full <= SESSION_SEGMENT_LEAST ||
	       (e->a && largest + SACK_OCTETS <= e->a);
}

struct expect room_for_sack(unsigned path)
{
	return (struct expect){.holds = has_room, .a = path};
}

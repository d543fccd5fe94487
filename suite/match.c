/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The matchers: functions that return an expectation, and what is looked at
 * when it is judged.
 */
#include "suite/test.h"

#include <string.h>

#include <openssl/evp.h>

#include "harness/link/clock.h"
#include "suite/model/terminate.h"

#define HEX_SHOWN 64

/* --- the stream ---------------------------------------------------------- */

static bool ends(struct test *t, const struct expect *e)
{
	struct stream *s = live_stream(t);

	(void)e;
	stream_pull_to_end(t, s);
	test_seen(t, "%s", stream_end_text(t, s));
	return stream_over(s);
}

struct expect stream_ends(void)
{
	return (struct expect){.holds = ends,
			       .due = "the device ends the stream"};
}

static bool ends_or_stalls(struct test *t, const struct expect *e)
{
	struct stream *s = live_stream(t);

	s->may_stall = true;
	if (ends(t, e))
		return true;
	/* Silence so far: is it deaf to what follows, too? */
	s->starved = false;
	if (stream_can_fence(t, s) && stream_fence(t, s)) {
		test_seen(t, "the stream goes on: a later known-answer "
			     "exchange was answered");
		s->starved = true; /* it was waited for long enough */
		return false;
	}
	test_seen(t, "%s", stream_end_text(t, s));
	return true;
}

struct expect stream_ends_or_stalls(void)
{
	return (struct expect){
		.holds = ends_or_stalls,
		.due = "the device ends the stream, or drops the TCP segment "
		       "silently",
	};
}

static bool drops(struct test *t, const struct expect *e)
{
	struct stream *s = live_stream(t);

	return ends_or_stalls(t, e) && !stream_over(s);
}

struct expect segment_dropped(void)
{
	return (struct expect){.holds = drops,
			       .due = "the TCP segment dropped silently"};
}

struct expect held_back(void)
{
	return (struct expect){.holds = drops,
			       .due = "the message held back by the LLP"};
}

static bool works(struct test *t, const struct expect *e)
{
	struct stream *s = live_stream(t);
	bool ok = stream_can_fence(t, s) && stream_fence(t, s);

	(void)e;
	test_seen(t, "%s", ok ? "it is answered" : stream_end_text(t, s));
	return ok;
}

struct expect stream_works(void)
{
	return (struct expect){
		.holds = works,
		.due = "the stream goes on: a zero-length RDMA Read is "
		       "answered",
	};
}

static bool terminates(struct test *t, const struct expect *e)
{
	struct stream *s = live_stream(t);

	if (e->d)
		test_due(t, "a Terminate");
	else
		test_due(t, "a Terminate %x/%x/%02x", (unsigned)e->a,
			 (unsigned)e->b, (unsigned)e->c);
	stream_pull_to_end(t, s);
	test_seen(t, "%s", stream_end_text(t, s));
	if (!s->terminate)
		return false;
	struct rdmap_terminate term = case_terminate_of(s->terminate);

	test_seen(t, "%s [%s]", stream_end_text(t, s),
		  test_hex(t, s->terminate->octets, s->terminate->n, 96));
	return e->d ||
	       (term.layer == e->a && term.etype == e->b && term.code == e->c);
}

struct expect terminate(unsigned layer, unsigned etype, unsigned code)
{
	return (struct expect){
		.holds = terminates, .a = layer, .b = etype, .c = code};
}

struct expect terminate_any(void)
{
	return (struct expect){.holds = terminates, .d = 1};
}

static bool terminates_so(struct test *t, const struct expect *e)
{
	struct stream *s = live_stream(t);

	test_due(t, "the stream ends, and a Terminate says %x/%x/%02x",
		 (unsigned)e->a, (unsigned)e->b, (unsigned)e->c);
	stream_pull_to_end(t, s);
	if (s->terminate) {
		const char *due = t->due;
		bool ok = terminates(t, e);

		t->due = due;
		return ok;
	}
	test_seen(t, "%s", stream_end_text(t, s));
	return stream_over(s);
}

struct expect terminate_if_any(unsigned layer, unsigned etype, unsigned code)
{
	return (struct expect){
		.holds = terminates_so, .a = layer, .b = etype, .c = code};
}

static bool terminates_as_registered(struct test *t, const struct expect *e)
{
	struct stream *s = live_stream(t);

	(void)e;
	stream_pull_to_end(t, s);
	test_seen(t, "%s", stream_end_text(t, s));
	if (!s->terminate)
		return stream_over(s);
	struct rdmap_terminate term = case_terminate_of(s->terminate);

	return model_terminate_registered(term.layer, term.etype, term.code);
}

struct expect terminate_registered(void)
{
	return (struct expect){
		.holds = terminates_as_registered,
		.due = "the stream ends, and the numbers of a Terminate are "
		       "registered",
	};
}

static bool ends_without_answer(struct test *t, const struct expect *e)
{
	struct stream *s = live_stream(t);

	(void)e;
	stream_pull_to_end(t, s);
	for (size_t i = s->taken; i < s->frame_count; i++) {
		const struct frame *f = s->frames[i];

		if (f == s->terminate)
			continue;
		test_seen(t, "%s [%s]", test_frame_text(t, f),
			  test_hex(t, f->octets, f->n, HEX_SHOWN));
		return false;
	}
	test_seen(t, "%s", stream_end_text(t, s));
	return stream_over(s);
}

struct expect ends_unanswered(void)
{
	return (struct expect){
		.holds = ends_without_answer,
		.due = "the stream ends, and nothing but a Terminate came"};
}

static bool none_came(struct test *t, const struct expect *e)
{
	struct stream *s = live_stream(t);

	(void)e;
	stream_settle(t, s);
	test_seen(t, "%s", stream_end_text(t, s));
	return !s->terminate;
}

struct expect no_terminate(void)
{
	return (struct expect){.holds = none_came, .due = "no Terminate"};
}

static bool closes(struct test *t, const struct expect *e)
{
	struct stream *s = live_stream(t);

	while (stream_pull(t, s))
		continue;
	test_seen(t, "%s", stream_end_text(t, s));
	return e->a ? s->end == STREAM_FIN : s->end != STREAM_UP;
}

static bool ends_on_boundary(struct test *t, const struct expect *e)
{
	struct stream *s = live_stream(t);

	if (!closes(t, e))
		return false;
	if (!s->peer.leftover_logged)
		return true;
	test_seen(t, "%s, inside an FPDU", stream_end_text(t, s));
	return false;
}

struct expect fin_after_whole_fpdu(void)
{
	return (struct expect){
		.holds = ends_on_boundary,
		.a = 1,
		.due = "the device closes TCP with a FIN after a whole FPDU"};
}

struct expect tcp_closed(void)
{
	return (struct expect){.holds = closes, .due = "the device closes TCP"};
}

struct expect tcp_closed_by_fin(void)
{
	return (struct expect){.holds = closes,
			       .a = 1,
			       .due = "the device closes TCP with a FIN"};
}

/* Before the device may speak no exchange is possible. Its agent has taken
 * and answered requests since, and octets on the wire would be here. */
static bool no_octet_came(struct test *t, struct stream *s)
{
	for (unsigned i = 0; i < 3; i++)
		dut_round_trip(t);
	return !peer_has_octets(&s->peer);
}

bool dut_octets_came(struct test *t)
{
	return !no_octet_came(t, live_stream(t));
}

static bool silent(struct test *t, const struct expect *e)
{
	struct stream *s = live_stream(t);
	bool fenced = stream_can_fence(t, s) && s->model->rx_frames > 0;

	(void)e;
	if (fenced)
		stream_fence(t, s);
	else if (stream_over(s))
		while (stream_pull(t, s))
			continue;
	else if (!no_octet_came(t, s)) {
		test_seen(t, "octets from the device");
		return false;
	}
	if (s->taken == s->frame_count) {
		test_seen(t, "nothing");
		return true;
	}
	const struct frame *f = s->frames[s->taken];

	test_seen(t, "%s [%s]", test_frame_text(t, f),
		  test_hex(t, f->octets, f->n, HEX_SHOWN));
	return false;
}

struct expect nothing_more(void)
{
	return (struct expect){.holds = silent,
			       .due = "nothing more from the device"};
}

static bool closed_unanswered(struct test *t, const struct expect *e)
{
	struct stream *s = live_stream(t);
	const uint8_t *octets;
	size_t n = 0;
	uint64_t deadline = test_deadline(t) +
			    t->env->hello.startup_timeout_ms * 1000000ull;

	(void)e;
	if (s->end == STREAM_UP) {
		switch (peer_receive_startup(&s->peer, deadline, &octets, &n)) {
		case PEER_FIN:
			s->end = STREAM_FIN;
			break;
		case PEER_RESET:
			s->end = STREAM_RESET;
			break;
		case PEER_TIMEOUT:
			s->starved = true;
			break;
		default:
			break;
		}
	}
	const char *end = s->end == STREAM_FIN     ? "FIN"
			  : s->end == STREAM_RESET ? "RST"
						   : "TCP still open";

	test_seen(t, "%zu octets%s%s, then %s", n, n ? ": " : "",
		  n ? test_hex(t, octets, n, HEX_SHOWN) : "", end);
	return n == 0 && s->end != STREAM_UP;
}

struct expect closed_without_reply(void)
{
	return (struct expect){.holds = closed_unanswered,
			       .due = "TCP closed without an octet of a Reply"};
}

struct expect closed_without_fpdu(void)
{
	return (struct expect){.holds = closed_unanswered,
			       .due = "TCP closed without an octet of an FPDU"};
}

static bool goes_into_operation(struct test *t, const struct expect *e)
{
	struct stream *s = live_stream(t);
	const struct mpa_startup *reply =
		s->role == RESPONDER ? &s->seen_frame : &s->sent_frame;

	(void)e;
	if (!s->saw_startup || reply->flags & MPA_R) {
		test_seen(t, "%s", s->saw_startup ? "R=1" : "no startup frame");
		return false;
	}
	full_operation(t);
	if (stream_release(t, s))
		return works(t, e);
	test_seen(t, "%s", stream_end_text(t, s));
	return false;
}

struct expect full_operation_works(void)
{
	return (struct expect){
		.holds = goes_into_operation,
		.due = "Full Operation, where a zero-length RDMA Read is "
		       "answered",
	};
}

static bool waits_on(struct test *t, const struct expect *e)
{
	struct stream *s = live_stream(t);
	bool octets = !no_octet_came(t, s);

	(void)e;
	test_seen(t, "%s",
		  octets               ? "octets from the device"
		  : s->peer.fin_seen   ? "FIN"
		  : s->peer.reset_seen ? "RST"
				       : "so it is");
	return !octets && !s->peer.fin_seen && !s->peer.reset_seen;
}

struct expect still_waiting(void)
{
	return (struct expect){
		.holds = waits_on,
		.due = "the device has neither closed nor sent an octet yet",
	};
}

/* --- receives and completions -------------------------------------------- */

static const char *completion_text(struct test *t, const struct completion *c)
{
	if (!c->came)
		return "no completion";
	return test_format(t, "%s %s, %llu octets%s%s", c->op, c->status,
			   (unsigned long long)c->len, c->octets ? ": " : "",
			   c->octets ? test_hex(t, c->octets, c->n, HEX_SHOWN)
				     : "");
}

static bool is_digest_of(const uint8_t digest[32], const uint8_t *octets,
			 size_t n)
{
	uint8_t own[EVP_MAX_MD_SIZE];

	return EVP_Digest(octets, n, own, NULL, EVP_sha256(), NULL) == 1 &&
	       memcmp(own, digest, 32) == 0;
}

static bool is_delivered(struct test *t, const struct expect *e)
{
	struct sink s = {.first = (unsigned)e->a, .stream = (unsigned)e->c};
	const uint8_t *octets = e->p;
	size_t n = e->b;
	struct completion c = dut_receives(t, s);

	test_due(t, "receive %u completes with %zu octets: %s", s.first, n,
		 test_hex(t, octets, n, HEX_SHOWN));
	test_seen(t, "%s", completion_text(t, &c));
	if (!c.ok || c.len != n)
		return false;
	if (c.octets)
		return c.n == n && memcmp(c.octets, octets, n) == 0;
	/* Larger ones the agent tells by digest only. */
	return n == 0 || (c.has_sha256 && is_digest_of(c.sha256, octets, n));
}

struct expect delivered(struct sink s, const void *octets, size_t n)
{
	return (struct expect){.holds = is_delivered,
			       .a = s.first,
			       .b = n,
			       .c = s.stream,
			       .p = octets};
}

static bool is_imm_delivered(struct test *t, const struct expect *e)
{
	struct sink s = {.first = (unsigned)e->a, .stream = (unsigned)e->c};
	struct completion c = dut_receives(t, s);
	bool imm = strcmp(c.op, "recv-imm") == 0;

	test_due(t, "receive %u completes with Immediate Data: %s", s.first,
		 test_hex(t, e->p, sizeof(c.imm), HEX_SHOWN));
	test_seen(
		t, "%s%s", completion_text(t, &c),
		imm ? test_format(t, ": %s",
				  test_hex(t, c.imm, sizeof(c.imm), HEX_SHOWN))
		    : "");
	return c.ok && imm && memcmp(c.imm, e->p, sizeof(c.imm)) == 0;
}

struct expect delivered_imm(struct sink s, const void *octets8)
{
	return (struct expect){.holds = is_imm_delivered,
			       .a = s.first,
			       .c = s.stream,
			       .p = octets8};
}

static bool is_not_delivered(struct test *t, const struct expect *e)
{
	struct stream *s = &t->stream[e->c];
	enum settled how = stream_settle(t, s);

	test_due(t, "no successful completion of receive%s %llu%s%s",
		 e->b > 1 ? "s" : "", (unsigned long long)e->a,
		 e->b > 1 ? " to " : "",
		 e->b > 1 ? test_format(t, "%llu",
					(unsigned long long)(e->a + e->b - 1))
			  : "");
	for (unsigned i = 0; i < e->b; i++) {
		struct sink one = {.first = (unsigned)e->a + i,
				   .stream = (unsigned)e->c};
		struct completion c = dut_has_received(t, one);

		if (c.came && c.ok) {
			test_seen(t, "%s", completion_text(t, &c));
			return false;
		}
	}
	test_seen(t, "none (%s)",
		  how == SETTLED_ALIVE  ? "a later exchange was answered"
		  : how == SETTLED_OVER ? "the stream is over"
					: "the device is silent");
	return true;
}

struct expect not_delivered(struct sink s)
{
	return (struct expect){.holds = is_not_delivered,
			       .a = s.first,
			       .b = s.count,
			       .c = s.stream};
}

static bool is_completed(struct test *t, const struct expect *e)
{
	struct completion c = dut_completes(t, (unsigned)e->a);

	if (e->c)
		test_due(t, "its completion, with the value %016llx",
			 (unsigned long long)e->b);
	else
		test_due(t, "its completion, with success");
	test_seen(t, "%s%s", completion_text(t, &c),
		  c.has_value ? test_format(t, ", value %016llx",
					    (unsigned long long)c.value)
			      : "");
	return c.ok && (!e->c || (c.has_value && c.value == e->b));
}

struct expect completed(unsigned id)
{
	return (struct expect){.holds = is_completed, .a = id};
}

struct expect completed_with_value(unsigned id, uint64_t value)
{
	return (struct expect){
		.holds = is_completed, .a = id, .b = value, .c = 1};
}

static bool is_not_completed(struct test *t, const struct expect *e)
{
	stream_settle(t, the_stream(t));
	struct completion c = dut_has_completed(t, (unsigned)e->a);

	test_seen(t, "%s", completion_text(t, &c));
	return !c.ok;
}

struct expect not_completed(unsigned id)
{
	return (struct expect){.holds = is_not_completed,
			       .a = id,
			       .due = "it does not complete with success"};
}

static bool is_in_error(struct test *t, const struct expect *e)
{
	struct completion c = dut_completes(t, (unsigned)e->a);

	test_seen(t, "%s", completion_text(t, &c));
	return c.came && !c.ok;
}

struct expect completed_in_error(unsigned id)
{
	return (struct expect){.holds = is_in_error,
			       .a = id,
			       .due = "its completion, in error or flushed"};
}

static bool is_received_in_error(struct test *t, const struct expect *e)
{
	for (unsigned i = 0; i < e->b; i++) {
		struct sink one = {.first = (unsigned)e->a + i,
				   .stream = (unsigned)e->c};
		struct completion c = dut_receives(t, one);

		test_seen(t, "receive %u: %s", one.first,
			  completion_text(t, &c));
		if (!c.came || c.ok)
			return false;
	}
	return true;
}

struct expect received_in_error(struct sink s)
{
	return (struct expect){
		.holds = is_received_in_error,
		.a = s.first,
		.b = s.count,
		.c = s.stream,
		.due = "the completion of every receive, in error or flushed"};
}

static bool agent_is_told_fatal(struct test *t, const struct expect *e)
{
	struct dut_state d = dut_ends(t);

	(void)e;
	test_seen(t, "%s", d.state);
	return strcmp(d.state, "error") == 0 ||
	       strcmp(d.state, "terminated") == 0;
}

struct expect agent_sees_fatal_end(void)
{
	return (struct expect){.holds = agent_is_told_fatal,
			       .due = "the agent says: error or terminated"};
}

static bool agent_is_told(struct test *t, const struct expect *e)
{
	struct dut_state d = dut_ends(t);
	bool final = strcmp(d.state, "terminated") == 0 ||
		     strcmp(d.state, "closed") == 0 ||
		     strcmp(d.state, "error") == 0;

	if (!e->d) {
		test_seen(t, "%s", d.state);
		return final;
	}
	test_due(t, "the agent says: terminated, %x/%x/%02x", (unsigned)e->a,
		 (unsigned)e->b, (unsigned)e->c);
	test_seen(t, "%s%s", d.state,
		  d.has_terminate ? test_format(t, ", %x/%x/%02x", d.layer,
						d.etype, d.code)
				  : "");
	return strcmp(d.state, "terminated") == 0 && d.has_terminate &&
	       d.layer == e->a && d.etype == e->b && d.code == e->c;
}

struct expect agent_sees_end(void)
{
	return (struct expect){
		.holds = agent_is_told,
		.due = "the agent says: terminated, closed or error"};
}

static bool agent_is_told_failure(struct test *t, const struct expect *e)
{
	struct stream *s = live_stream(t);

	(void)e;
	if (s->role == RESPONDER && !s->conn[0]) {
		struct accept_seen seen = dut_accepts(t);

		test_seen(t, "accept: %s",
			  seen.ok       ? seen.state
			  : seen.silent ? "nothing"
					: seen.error);
		return !seen.ok && !seen.silent;
	}
	struct dut_state d = dut_ends(t);

	test_seen(t, "%s", d.state);
	return strcmp(d.state, "error") == 0 || strcmp(d.state, "closed") == 0;
}

struct expect agent_sees_failed_startup(void)
{
	return (struct expect){.holds = agent_is_told_failure,
			       .due = "the agent reports an error"};
}

static bool agent_is_told_reject(struct test *t, const struct expect *e)
{
	struct dut_state d = dut_ends(t);

	(void)e;
	test_seen(t, "%s", d.state);
	return strcmp(d.state, "rejected") == 0;
}

struct expect agent_sees_reject(void)
{
	return (struct expect){.holds = agent_is_told_reject,
			       .due = "the agent says: rejected"};
}

struct expect agent_sees_terminate(unsigned layer, unsigned etype,
				   unsigned code)
{
	return (struct expect){.holds = agent_is_told,
			       .a = layer,
			       .b = etype,
			       .c = code,
			       .d = 1};
}

/* --- memory ------------------------------------------------------------- */

static bool memory_matches(struct test *t, struct region r, size_t off,
			   const uint8_t *due, size_t n)
{
	if (t->streams && t->stream[t->current].live)
		stream_settle(t, &t->stream[t->current]);
	const uint8_t *now = dut_memory(t, r, off, n);
	size_t at = 0;

	while (at < n && now[at] == due[at])
		at++;
	if (at == n) {
		test_seen(t, "so it is");
		return true;
	}
	size_t from = at < 8 ? 0 : at - 8;

	test_due(t, "at octet %zu of the region: %s", off + from,
		 test_hex(t, due + from, n - from, HEX_SHOWN));
	test_seen(t, "at octet %zu of the region: %s", off + from,
		  test_hex(t, now + from, n - from, HEX_SHOWN));
	return false;
}

static bool has_octets(struct test *t, const struct expect *e)
{
	struct region r = t->region[e->a].r;

	return memory_matches(t, r, e->b, e->p, e->c);
}

struct expect memory_is(struct region r, size_t off, const void *octets,
			size_t n)
{
	return (struct expect){.holds = has_octets,
			       .a = r.number,
			       .b = off,
			       .c = n,
			       .p = octets,
			       .due = "the region holds the octets due"};
}

static bool is_unchanged(struct test *t, const struct expect *e)
{
	struct test_region *r = &t->region[e->a];

	return memory_matches(t, r->r, 0, r->kept, r->r.len);
}

struct expect memory_unchanged(struct region r)
{
	return (struct expect){.holds = is_unchanged,
			       .a = r.number,
			       .due = "the region is unchanged"};
}

static bool is_word(struct test *t, const struct expect *e)
{
	if (t->streams && t->stream[t->current].live)
		stream_settle(t, &t->stream[t->current]);
	uint64_t now =
		model_word_load(dut_memory(t, t->region[e->a].r, e->b, 8),
				t->env->hello.big_endian);

	test_due(t, "the word %016llx", (unsigned long long)e->c);
	test_seen(t, "%016llx", (unsigned long long)now);
	return now == e->c;
}

struct expect word_is(struct region r, size_t off, uint64_t value)
{
	return (struct expect){
		.holds = is_word, .a = r.number, .b = off, .c = value};
}

/* --- values ---------------------------------------------------------------- */

enum compare { EQUAL, DIFFERENT, AT_MOST, AT_LEAST };

static const char *number_text(struct test *t, uint64_t v)
{
	return v < 10 ? test_format(t, "%llu", (unsigned long long)v)
		      : test_format(t, "%llu (0x%llx)", (unsigned long long)v,
				    (unsigned long long)v);
}

static bool compares(struct test *t, const struct expect *e)
{
	static const char *const words[] = {
		[EQUAL] = "",
		[DIFFERENT] = "other than ",
		[AT_MOST] = "at most ",
		[AT_LEAST] = "at least ",
	};

	test_due(t, "%s: %s%s", e->what, words[e->c], number_text(t, e->b));
	test_seen(t, "%s", number_text(t, e->a));
	switch ((enum compare)e->c) {
	case EQUAL:
		return e->a == e->b;
	case DIFFERENT:
		return e->a != e->b;
	case AT_MOST:
		return e->a <= e->b;
	case AT_LEAST:
		return e->a >= e->b;
	}
	return false;
}

struct expect is(const char *what, uint64_t seen, uint64_t due)
{
	return (struct expect){.holds = compares,
			       .what = what,
			       .a = seen,
			       .b = due,
			       .c = EQUAL};
}

struct expect is_not(const char *what, uint64_t seen, uint64_t unwanted)
{
	return (struct expect){.holds = compares,
			       .what = what,
			       .a = seen,
			       .b = unwanted,
			       .c = DIFFERENT};
}

struct expect at_most(const char *what, uint64_t seen, uint64_t limit)
{
	return (struct expect){.holds = compares,
			       .what = what,
			       .a = seen,
			       .b = limit,
			       .c = AT_MOST};
}

struct expect at_least(const char *what, uint64_t seen, uint64_t limit)
{
	return (struct expect){.holds = compares,
			       .what = what,
			       .a = seen,
			       .b = limit,
			       .c = AT_LEAST};
}

struct octet_pair {
	const uint8_t *seen, *due;
	size_t seen_n, due_n;
};

static bool same_octets(struct test *t, const struct expect *e)
{
	const struct octet_pair *p = e->p;

	test_due(t, "%s: %s", e->what,
		 test_hex(t, p->due, p->due_n, HEX_SHOWN));
	test_seen(t, "%s", test_hex(t, p->seen, p->seen_n, HEX_SHOWN));
	if (p->seen_n != p->due_n)
		return false;
	for (size_t i = 0; i < p->due_n; i++) {
		if (p->seen[i] == p->due[i])
			continue;
		if (i >= HEX_SHOWN) {
			test_due(t, "%s: from octet %zu on %s", e->what, i,
				 test_hex(t, p->due + i, p->due_n - i,
					  HEX_SHOWN));
			test_seen(t, "%s",
				  test_hex(t, p->seen + i, p->seen_n - i,
					   HEX_SHOWN));
		}
		return false;
	}
	return true;
}

struct expect octets_are(struct test *t, const char *what, const void *seen,
			 size_t seen_n, const void *due, size_t due_n)
{
	struct octet_pair *p = test_alloc(t, sizeof(*p));

	*p = (struct octet_pair){seen, due, seen ? seen_n : 0, due_n};
	return (struct expect){.holds = same_octets, .what = what, .p = p};
}

static bool is_true(struct test *t, const struct expect *e)
{
	test_due(t, "%s", e->what);
	test_seen(t, "%s", e->a ? "so it is" : "it is not so");
	return e->a;
}

struct expect holds(const char *what, bool seen)
{
	return (struct expect){.holds = is_true, .what = what, .a = seen};
}

/* --- sets ------------------------------------------------------------------- */

static bool one_holds(struct test *t, const struct expect *e)
{
	const char *all = "";

	for (size_t i = 0; i < e->a; i++) {
		const struct expect *x = &e->alternatives[i];

		t->due = x->due ? x->due : "";
		if (x->holds(t, x)) {
			test_due(t, "%s (one of %llu outcomes allowed)", t->due,
				 (unsigned long long)e->a);
			return true;
		}
		all = test_format(t, "%s%s%s", all, i ? ", or " : "", t->due);
	}
	t->due = all;
	return false;
}

struct expect case_any_of(struct test *t, const struct expect *e, size_t n)
{
	struct expect *copy = test_alloc(t, n * sizeof(*copy));

	memcpy(copy, e, n * sizeof(*copy));
	return (struct expect){
		.holds = one_holds, .a = n, .alternatives = copy};
}

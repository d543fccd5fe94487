/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Matchers on effects: completions, reports of the agent, contents of memory.
 */
#include "suite/language/execution/execution.h"

#include <string.h>

#include <openssl/evp.h>

#define HEX_SHOWN 64
#define AROUND    8 /* octets beside those of memory that differ */

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

static size_t first_difference(const uint8_t *a, const uint8_t *b, size_t n)
{
	size_t at = 0;

	while (at < n && a[at] == b[at])
		at++;
	return at;
}

/* A buffer was used, and the agent cannot report how much of it. */
static bool is_longer(const struct test *t, const struct completion *c,
		      size_t n)
{
	return c->ok && c->len > n &&
	       t->bed->hello.untold & AGENT_UNTOLD_RECEIVE_LENGTH;
}

/* Of such a buffer, only so many octets count. */
static void shorten(const struct test *t, struct completion *c, size_t n)
{
	if (is_longer(t, c, n) && c->octets && c->n > n)
		c->len = c->n = n;
}

bool dut_received(struct test *t, struct completion c, const void *octets,
		  size_t n)
{
	shorten(t, &c, n);
	if (is_longer(t, &c, n) && c.has_sha256)
		return true; /* the digest of unknown octets */
	if (!c.ok || c.len != n)
		return false;
	if (c.octets)
		return c.n == n && memcmp(c.octets, octets, n) == 0;
	/* For larger ones the agent reports a digest only. */
	return n == 0 || (c.has_sha256 && is_digest_of(c.sha256, octets, n));
}

static bool is_delivered(struct test *t, const struct expect *e)
{
	struct sink s = {.first = (unsigned)e->a, .stream = (unsigned)e->c};
	const uint8_t *octets = e->p;
	size_t n = e->b;
	struct completion c = dut_receives(t, s), whole = c;

	shorten(t, &c, n);
	t->contradicted = c.ok;

	bool ok = dut_received(t, c, octets, n);

	if (is_longer(t, &c, n) && c.has_sha256)
		return test_not_told(t, "how much of a buffer was filled");
	if (!test_tells(t, ok))
		return ok;
	test_due(t, "receive %u completes with %zu octets: %s", s.first, n,
		 test_hex(t, octets, n, HEX_SHOWN));
	if (!ok && c.ok && c.octets && c.n == n)
		test_seen(t, "%s; the first that differs is octet %zu",
			  completion_text(t, &whole),
			  first_difference(c.octets, octets, n));
	else
		test_seen(t, "%s", completion_text(t, &whole));
	return ok;
}

struct expect delivered(struct sink s, const void *octets, size_t n)
{
	return (struct expect){.holds = is_delivered,
			       .a = s.first,
			       .b = n,
			       .c = s.stream,
			       .p = octets};
}

static bool names_length(struct test *t, const struct expect *e)
{
	struct sink s = {.first = (unsigned)e->a, .stream = (unsigned)e->c};
	struct completion c = dut_receives(t, s);

	t->contradicted = c.ok;
	test_due(t, "receive %u completes with %zu octets", s.first,
		 (size_t)e->b);
	test_seen(t, "%s", completion_text(t, &c));
	if (c.ok && t->bed->hello.untold & AGENT_UNTOLD_RECEIVE_LENGTH)
		return test_not_told(t, "how long a Send was");
	return c.ok && c.len == e->b;
}

struct expect tells_length(struct sink s, size_t n)
{
	return (struct expect){
		.holds = names_length, .a = s.first, .b = n, .c = s.stream};
}

static bool is_sink_of(struct test *t, const struct expect *e)
{
	const struct frame *f = e->p;
	struct rdmap_read_request r = case_read_of(f);

	look_at_frame(t, f);
	t->look.field = "sink STag, sink TO";
	test_due(t, "sink STag 0x%08x, sink TO 0x%llx", (unsigned)e->a,
		 (unsigned long long)e->b);
	test_seen(t, "sink STag 0x%08x, sink TO 0x%llx", r.sink_stag,
		  (unsigned long long)r.sink_to);
	if (r.sink_stag == e->a && r.sink_to == e->b)
		return true;
	return t->bed->hello.untold & AGENT_UNTOLD_LOCAL_KEYS
		       ? test_not_told(t, "the STag of the sink of a Read")
		       : false;
}

struct expect names_sink(const struct frame *f, struct region sink, size_t off)
{
	return (struct expect){.holds = is_sink_of,
			       .a = sink.stag,
			       .b = sink.to + off,
			       .p = f};
}

void sink_is_in(struct test *t, const struct frame *f, struct region r)
{
	if (case_read_of(f).sink_stag != r.stag)
		not_applicable(t, "the device's Read Request names another "
				  "STag than that of its buffer");
}

static bool is_imm_delivered(struct test *t, const struct expect *e)
{
	struct sink s = {.first = (unsigned)e->a, .stream = (unsigned)e->c};
	struct completion c = dut_receives(t, s);
	bool imm = strcmp(c.op, "recv-imm") == 0;

	t->contradicted = c.ok;

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
			t->contradicted = true;
			if (e->b > 1)
				test_seen(t, "receive %u: %s", one.first,
					  completion_text(t, &c));
			else
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
	bool ok = c.ok && (!e->c || (c.has_value && c.value == e->b));

	t->contradicted = c.ok;
	if (!test_tells(t, ok))
		return ok;
	if (e->c)
		test_due(t, "work %u completes with success, value 0x%016llx",
			 (unsigned)e->a, (unsigned long long)e->b);
	else
		test_due(t, "work %u completes with success", (unsigned)e->a);
	test_seen(t, "%s%s", completion_text(t, &c),
		  c.has_value ? test_format(t, ", value 0x%016llx",
					    (unsigned long long)c.value)
			      : "");
	return ok;
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

	t->contradicted = c.ok;
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
			       .due = "it completes in error or flushed"};
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
		.due = "every receive completes in error or flushed"};
}

static bool is_solicited(struct test *t, const struct expect *e)
{
	struct sink s = {.first = (unsigned)e->a, .stream = (unsigned)e->c};
	struct completion c = dut_receives(t, s);

	test_due(t, "%s", e->what);
	if (!c.has_se && t->bed->hello.untold & AGENT_UNTOLD_SE)
		return test_not_told(t, "a Solicited Event");
	test_seen(t, "%s%s", c.se ? "an Event" : "no Event",
		  c.came ? "" : ", and no completion");
	return c.se == e->d;
}

struct expect tells_se(struct sink s, bool se, const char *what)
{
	return (struct expect){.holds = is_solicited,
			       .a = s.first,
			       .c = s.stream,
			       .d = se,
			       .what = what};
}

static bool names_stag(struct test *t, const struct expect *e)
{
	struct sink s = {.first = (unsigned)e->a, .stream = (unsigned)e->c};
	struct completion c = dut_receives(t, s);

	test_due(t, "the agent reports invalidated STag 0x%08x",
		 (unsigned)e->b);
	if (c.ok && !c.has_inv &&
	    t->bed->hello.untold & AGENT_UNTOLD_INVALIDATED)
		return test_not_told(t, "which STag a Send invalidated");
	if (c.has_inv)
		test_seen(t, "0x%08x", c.inv);
	else
		test_seen(t, "none");
	return c.has_inv && c.inv == e->b;
}

struct expect tells_invalidated(struct sink s, uint32_t stag)
{
	return (struct expect){
		.holds = names_stag, .a = s.first, .b = stag, .c = s.stream};
}

static bool agent_is_told_fatal(struct test *t, const struct expect *e)
{
	stream_has_to_end(t, live_stream(t));
	struct dut_state d = dut_ends(t);

	(void)e;
	test_seen(t, "%s", d.state);
	if (strcmp(d.state, "closed") == 0 &&
	    t->bed->hello.untold & AGENT_UNTOLD_ENDS)
		return test_not_told(t, "whether a stream ended in order");
	return strcmp(d.state, "error") == 0 ||
	       strcmp(d.state, "terminated") == 0;
}

struct expect agent_sees_fatal_end(void)
{
	return (struct expect){.holds = agent_is_told_fatal,
			       .due = "the agent reports: error or terminated"};
}

static bool agent_is_told_orderly(struct test *t, const struct expect *e)
{
	struct dut_state d = dut_ends(t);

	(void)e;
	test_seen(t, "%s", d.state);
	if (strcmp(d.state, "error") == 0 &&
	    t->bed->hello.untold & AGENT_UNTOLD_ORDERLY_ENDS)
		return test_not_told(t, "whether a stream ended in order");
	return strcmp(d.state, "closed") == 0;
}

struct expect agent_sees_orderly_end(void)
{
	return (struct expect){.holds = agent_is_told_orderly,
			       .due = "the agent reports: closed"};
}

/*
 * A device that encodes the control word differently also decodes it that way:
 * whether it would decode the expected numbers as these.
 */
static bool is_told_as_sent(struct test *t, const struct expect *e,
			    const struct dut_state *d)
{
	const struct reading *r = t->bed->readings.of[READING_TERMINATE];
	const uint8_t told[] = {(uint8_t)(d->layer << 4 | d->etype),
				(uint8_t)d->code};
	const uint8_t due[] = {(uint8_t)(e->a << 4 | e->b), (uint8_t)e->c};

	return r && interpret_told(&t->interpreter, r, told, due, sizeof(due));
}

enum whose { NO_TERMINATE, ANYONES, THE_PEERS };

static bool is_told_so(struct test *t, const struct expect *e,
		       const struct dut_state *d)
{
	bool unspecified = t->bed->habits.unspecified && e->d == ANYONES &&
			   e->a == TERM_RDMA && e->c != TERM_CATASTROPHIC &&
			   d->code == TERM_UNSPECIFIED;

	return strcmp(d->state, "terminated") == 0 && d->has_terminate &&
	       ((d->layer == e->a && (d->code == e->c || unspecified) &&
		 (d->etype == e->b ||
		  (d->layer == TERM_LLP && d->etype == 3))) ||
		is_told_as_sent(t, e, d));
}

/* If the agent does not report whose Terminate it was, and the device has sent
 * none, it was the peer's. */
static bool is_of_the_peer(struct test *t, const struct dut_state *d)
{
	struct stream *s = live_stream(t);

	if (d->has_terminate_from)
		return d->terminate_remote;
	stream_settle(t, s);
	return !s->terminate || test_not_told(t, "whose Terminate it was");
}

static const char *sender_text(const struct dut_state *d)
{
	return !d->has_terminate_from ? ""
	       : d->terminate_remote  ? ", of the peer"
				      : ", of the device";
}

static bool agent_is_told(struct test *t, const struct expect *e)
{
	stream_has_to_end(t, live_stream(t));
	struct dut_state d = dut_ends(t);
	bool final = strcmp(d.state, "terminated") == 0 ||
		     strcmp(d.state, "closed") == 0 ||
		     strcmp(d.state, "error") == 0;

	if (e->d == NO_TERMINATE) {
		test_seen(t, "%s", d.state);
		return final;
	}
	test_due(t, "the agent reports: terminated, %s%s",
		 test_terminate_text(t, (unsigned)e->a, (unsigned)e->b,
				     (unsigned)e->c),
		 e->d == THE_PEERS ? ", of the peer" : "");
	if (d.has_terminate)
		test_seen(t, "%s, %s%s", d.state,
			  test_terminate_text(t, d.layer, d.etype, d.code),
			  sender_text(&d));
	else
		test_seen(t, "%s", d.state);
	if (final && !d.has_terminate &&
	    t->bed->hello.untold & AGENT_UNTOLD_TERMINATE)
		return test_not_told(t, "the numbers of a Terminate");
	return is_told_so(t, e, &d) &&
	       (e->d != THE_PEERS || is_of_the_peer(t, &d));
}

static bool is_not_told(struct test *t, const struct expect *e)
{
	struct dut_state d = dut_ends(t);
	bool terminated = strcmp(d.state, "terminated") == 0;
	bool told = is_told_so(t, e, &d) && is_of_the_peer(t, &d);

	if (d.has_terminate)
		test_seen(t, "%s, %s%s", d.state,
			  test_terminate_text(t, d.layer, d.etype, d.code),
			  sender_text(&d));
	else
		test_seen(t, "%s", d.state);
	if (terminated && !d.has_terminate &&
	    t->bed->hello.untold & AGENT_UNTOLD_TERMINATE)
		return test_not_told(t, "the numbers of a Terminate");
	test_due(t, "the agent does not report: terminated, %s, of the peer",
		 test_terminate_text(t, (unsigned)e->a, (unsigned)e->b,
				     (unsigned)e->c));
	t->contradicted = told;
	return !told;
}

struct expect agent_sees_no_terminate(unsigned layer, unsigned etype,
				      unsigned code)
{
	return (struct expect){
		.holds = is_not_told, .a = layer, .b = etype, .c = code};
}

struct expect agent_sees_end(void)
{
	return (struct expect){
		.holds = agent_is_told,
		.due = "the agent reports: terminated, closed or error"};
}

static bool agent_is_told_failure(struct test *t, const struct expect *e)
{
	struct stream *s = live_stream(t);

	(void)e;
	if (s->role == RESPONDER && !s->conn[0]) {
		bool untold =
			t->bed->hello.untold & AGENT_UNTOLD_STARTUP_ERRORS;
		/* Do not wait for an agent that cannot report it. */
		struct accept_seen seen =
			untold ? dut_accepts_within(t, 0) : dut_accepts(t);

		test_seen(t, "accept: %s",
			  seen.ok       ? seen.state
			  : seen.silent ? "nothing"
					: seen.error);
		if (seen.silent && untold)
			return test_not_told(t, "a failed startup");
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

static bool agent_is_told_no_stream(struct test *t, const struct expect *e)
{
	struct stream *s = live_stream(t);

	(void)e;
	if (s->not_accepted) {
		test_seen(t, "no stream");
		return true;
	}
	struct dut_state d = dut_starts(t);

	test_seen(t, "%s", d.state);
	return strcmp(d.state, "established") != 0;
}

struct expect agent_sees_no_stream(void)
{
	return (struct expect){.holds = agent_is_told_no_stream,
			       .due = "the agent does not report: established"};
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
			       .due = "the agent reports: rejected"};
}

struct expect agent_sees_terminate(unsigned layer, unsigned etype,
				   unsigned code)
{
	return (struct expect){.holds = agent_is_told,
			       .a = layer,
			       .b = etype,
			       .c = code,
			       .d = THE_PEERS};
}

struct expect agent_sees_error(unsigned layer, unsigned etype, unsigned code)
{
	return (struct expect){.holds = agent_is_told,
			       .a = layer,
			       .b = etype,
			       .c = code,
			       .d = ANYONES};
}

/* --- memory ------------------------------------------------------------- */

/*
 * Octets of memory, once what the peer sent was dealt with. Most devices show a
 * Write as soon as an answer to what follows it has come. For those that do
 * not, a Send goes out on each stream with a Write that may be unseen.
 */
static const uint8_t *settled_memory(struct test *t, struct region r,
				     size_t off, const uint8_t *due, size_t n)
{
	bool more = false;

	if (t->current < t->streams && t->stream[t->current].live)
		stream_settle(t, &t->stream[t->current]);
	const uint8_t *now = dut_memory(t, r, off, n);

	if (memcmp(now, due, n) == 0)
		return now;
	for (unsigned i = 0; i < t->streams; i++)
		more |= stream_reveals(t, &t->stream[i]);
	return more ? dut_memory(t, r, off, n) : now;
}

/* The peer's message may have had no effect at all. What was read on the wire is
 * what the device has sent. */
static bool has_changed(struct test *t, struct region r, size_t off,
			const uint8_t *now, size_t n)
{
	return test_alone(t) ||
	       memcmp(now, t->region[r.number].kept + off, n) != 0;
}

static bool memory_matches(struct test *t, struct region r, size_t off,
			   const uint8_t *due, size_t n)
{
	const uint8_t *now = settled_memory(t, r, off, due, n);
	size_t at = 0;

	look_at_memory(t, r, off, due, now, n);

	while (at < n && now[at] == due[at])
		at++;
	if (at == n) {
		test_seen(t, "the same octets");
		return true;
	}
	size_t from = at < AROUND ? 0 : at - AROUND, to = n;

	while (now[to - 1] == due[to - 1])
		to--;
	to = n - to < AROUND ? n : to + AROUND;
	t->contradicted = has_changed(t, r, off, now, n);

	test_due(t, "at octet %zu of the region: %s", off + from,
		 test_hex(t, due + from, to - from, HEX_SHOWN));
	test_seen(t, "at octet %zu of the region: %s", off + from,
		  test_hex(t, now + from, to - from, HEX_SHOWN));
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
			       .due = "the region holds the expected octets"};
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

static bool lacks_octets(struct test *t, const struct expect *e)
{
	enum { IN_A_ROW = 8 };
	const uint8_t *octets = e->p;
	size_t n = e->d, part = n < IN_A_ROW ? n : IN_A_ROW;

	if (t->current < t->streams && t->stream[t->current].live)
		stream_settle(t, &t->stream[t->current]);
	const uint8_t *now = dut_memory(t, t->region[e->a].r, e->b, e->c);

	for (size_t i = 0; part && i + part <= n; i++) {
		const uint8_t *at = memmem(now, e->c, octets + i, part);

		if (!at)
			continue;
		test_seen(t, "at octet %zu of the region: %s",
			  (size_t)e->b + (size_t)(at - now),
			  test_hex(t, at, part, HEX_SHOWN));
		return false;
	}
	test_seen(t, "none of them");
	return true;
}

struct expect memory_lacks(struct region r, size_t off, size_t len,
			   const void *octets, size_t n)
{
	return (struct expect){.holds = lacks_octets,
			       .a = r.number,
			       .b = off,
			       .c = len,
			       .d = n,
			       .p = octets,
			       .due = "none of the peer's octets in the buffer "
				      "of the operation"};
}

static bool is_word(struct test *t, const struct expect *e)
{
	const struct region r = t->region[e->a].r;
	uint8_t due[8];

	model_word_store(due, e->c, t->bed->hello.big_endian);
	const uint8_t *octets = settled_memory(t, r, e->b, due, 8);
	uint64_t now = model_word_load(octets, t->bed->hello.big_endian);

	look_at_memory(t, r, e->b, due, octets, 8);
	t->contradicted = has_changed(t, r, e->b, octets, 8);
	test_due(t, "the word is 0x%016llx", (unsigned long long)e->c);
	test_seen(t, "0x%016llx", (unsigned long long)now);
	return now == e->c;
}

struct expect word_is(struct region r, size_t off, uint64_t value)
{
	return (struct expect){
		.holds = is_word, .a = r.number, .b = off, .c = value};
}

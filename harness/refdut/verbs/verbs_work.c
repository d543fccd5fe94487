/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Work of the ULP: receive buffers and work requests are posted, completions
 * are fetched (RFC 5040 s5.5).
 *
 * Where the RFCs leave a choice: an atomic whose target is not aligned is sent,
 * and the ULP gets each completion when it first asks.
 */
#include "harness/refdut/agent/session.h"
#include "harness/refdut/control.h"
#include "harness/refdut/agent/features.h"
#include "harness/refdut/agent/limits.h"
#include "harness/refdut/verbs/post_decisions.h"

#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>

enum { REPLY_HIGH = 1 << 20 };

/* The requested receive buffers: `count` of `len` octets, or one in a
 * region. */
struct receives_wanted {
	uint64_t count, len, off, id;
	bool has_id;
	struct region *region;
};

static bool keys_of_one_form(struct session *s, const struct line *line)
{
	bool local = line_get(line, "local");

	if (line_get(line, "len") &&
	    (local ? !line_get(line, "count")
		   : !line_get(line, "off") && !line_get(line, "id")))
		return true;
	refuse(s, LINE_BAD_ARGUMENT, "len, or keys of both forms");
	return false;
}

static bool parse_recv(struct session *s, const struct line *line,
		       struct receives_wanted *w)
{
	w->count = 1;
	w->has_id = line_get(line, "id");
	if (!number(s, line, "count", UINT64_MAX, &w->count) ||
	    !number(s, line, "len", UINT64_MAX, &w->len) ||
	    !number(s, line, "off", UINT64_MAX, &w->off) ||
	    !number(s, line, "id", UINT64_MAX, &w->id) ||
	    !keys_of_one_form(s, line))
		return false;
	if (!line_get(line, "local"))
		return true;
	w->region = region_named(s, line, "local");
	if (!w->region)
		return false;
	if (w->off <= w->region->len && w->len <= w->region->len - w->off)
		return true;
	refuse(s, LINE_BAD_ARGUMENT, "outside the region");
	return false;
}

void verb_recv(struct session *s, const struct line *line)
{
	struct conn *c = conn_named(s, line);
	struct receives_wanted w = {0};

	if (!c || !parse_recv(s, line, &w))
		return;
	if (w.len > limit_message() || w.count > limit_receives() ||
	    c->nreceives + w.count > limit_receives()) {
		refuse(s, LINE_LIMIT, "too many or too long receives");
		return;
	}
	while (w.count--) {
		struct receive *receive = alloc_zeroed(sizeof(*receive));

		receive->id = ++c->receive_ordinal;
		if (w.has_id)
			receive->id = w.id;
		receive->local = region_get(w.region);
		receive->off = w.off;
		receive->len = (uint32_t)w.len;
		receive_post(c, receive);
	}
	reply(s, "OK");
}

enum { POST_WRITE_IMM = OPS };

static int parse_op(const char *name)
{
	if (!name)
		return -1;
	for (int op = OP_SEND; op < OPS; op++)
		if (strcmp(op_name((enum op)op), name) == 0)
			return op;
	return strcmp(name, "write-imm") == 0 ? POST_WRITE_IMM : -1;
}

static bool send_offered(bool se, bool inv)
{
	if (!inv)
		return !se || feature(FEATURE_SEND_SE);
	return feature(se ? FEATURE_SEND_SE_INV : FEATURE_SEND_INV);
}

static bool op_offered(int op, const struct line *line)
{
	const char *word = line_get(line, "se");
	bool se = word && strcmp(word, "1") == 0;

	switch (op) {
	case OP_SEND:
		return send_offered(se, line_get(line, "inv"));
	case OP_FETCHADD:
		return feature(FEATURE_FETCHADD);
	case OP_CMPSWAP:
		return feature(FEATURE_CMPSWAP);
	case OP_SWAP:
		return feature(FEATURE_SWAP);
	case OP_IMM:
	case POST_WRITE_IMM:
		return feature(se ? FEATURE_IMM_SE : FEATURE_IMM);
	default:
		return true;
	}
}

static bool is_atomic(int op)
{
	return op == OP_FETCHADD || op == OP_CMPSWAP || op == OP_SWAP;
}

/* The payload is octets in the request, or part of a region. The target of a
 * Read or atomic is part of a region, or nothing. */
static bool keys_of_one_buffer(const struct line *line, int op, uint64_t len)
{
	bool local = line_get(line, "local");

	if (line_find(line, "hex"))
		return !local && !is_atomic(op) && op != OP_READ &&
		       op != OP_IMM && !line_get(line, "len");
	if (is_atomic(op))
		return len == 8;
	return local ? line_get(line, "len") != NULL : !len;
}

static bool parse_hex(struct session *s, const struct line_token *hex,
		      struct work *work)
{
	if (hex->value_len / 2 > LINE_MAX_HEX_BYTES) {
		refuse(s, LINE_LIMIT, "more than 256 KiB");
		return false;
	}
	work->len = (uint32_t)(hex->value_len / 2);
	work->octets = alloc_zeroed(work->len);
	if (line_hex_decode(hex->value, hex->value_len, work->octets,
			    work->len))
		return true;
	refuse(s, LINE_BAD_ARGUMENT, "hex is not hexadecimal");
	return false;
}

static bool parse_local(struct session *s, const struct line *line,
			struct work *work, uint64_t len)
{
	struct region *region;

	work->len = (uint32_t)len;
	if (!line_get(line, "local"))
		return true;
	region = region_named(s, line, "local");
	if (!region)
		return false;
	if (work->off > region->len || len > region->len - work->off) {
		refuse(s, LINE_BAD_ARGUMENT, "outside the region");
		return false;
	}
	work->local = region_get(region);
	return true;
}

static bool parse_buffer(struct session *s, const struct line *line, int op,
			 struct work *work)
{
	const struct line_token *hex = line_find(line, "hex");
	uint64_t len = is_atomic(op) ? 8 : 0;

	if (!number(s, line, "off", UINT64_MAX, &work->off) ||
	    !number(s, line, "len", UINT64_MAX, &len))
		return false;
	if (!keys_of_one_buffer(line, op, len)) {
		refuse(s, LINE_BAD_ARGUMENT, "local, len or hex");
		return false;
	}
	return hex ? parse_hex(s, hex, work) : parse_local(s, line, work, len);
}

static bool parse_atomic(struct session *s, const struct line *line, int op,
			 struct work *work)
{
	work->mask = op == OP_FETCHADD ? 0 : UINT64_MAX;
	work->compare_mask = UINT64_MAX;
	if (op == OP_FETCHADD)
		return number(s, line, "add", UINT64_MAX, &work->data) &&
		       number(s, line, "mask", UINT64_MAX, &work->mask);
	return number(s, line, "swap", UINT64_MAX, &work->data) &&
	       number(s, line, "swap-mask", UINT64_MAX, &work->mask) &&
	       number(s, line, "compare", UINT64_MAX, &work->compare) &&
	       number(s, line, "compare-mask", UINT64_MAX, &work->compare_mask);
}

static bool parse_immediate(struct session *s, const struct line *line, int op,
			    struct work *work)
{
	const struct line_token *imm = line_find(line, "imm");
	bool wanted = op == OP_IMM || op == POST_WRITE_IMM;

	if (!imm && !wanted)
		return true;
	if (!imm || !wanted || imm->value_len != 2 * IMMEDIATE_SIZE ||
	    !line_hex_decode(imm->value, imm->value_len, work->imm,
			     IMMEDIATE_SIZE)) {
		refuse(s, LINE_BAD_ARGUMENT, "imm is 16 hex digits");
		return false;
	}
	return true;
}

static bool parse_work(struct session *s, const struct line *line, int op,
		       struct work *work)
{
	uint64_t rstag = 0, inv = 0;

	if (!line_get(line, "id") ||
	    !number(s, line, "id", UINT64_MAX, &work->id)) {
		if (!line_get(line, "id"))
			refuse(s, LINE_BAD_ARGUMENT, "id is missing");
		return false;
	}
	if (!number(s, line, "rstag", UINT32_MAX, &rstag) ||
	    !number(s, line, "rto", UINT64_MAX, &work->rto) ||
	    !number(s, line, "inv", UINT32_MAX, &inv) ||
	    !flag(s, line, "se", &work->se) ||
	    !flag(s, line, "fence", &work->fence))
		return false;
	work->rstag = (uint32_t)rstag;
	work->inv = (uint32_t)inv;
	work->has_inv = line_get(line, "inv");
	if (work->has_inv && op != OP_SEND) {
		refuse(s, LINE_BAD_ARGUMENT, "inv is for a send");
		return false;
	}
	if (!parse_immediate(s, line, op, work) ||
	    !parse_atomic(s, line, op, work) ||
	    !parse_buffer(s, line, op, work))
		return false;
	if (work->len > limit_message()) {
		refuse(s, LINE_LIMIT, "too long");
		return false;
	}
	return true;
}

RULE(atomic_may_be_posted)
{
	return true;
}

/* A Write and its Immediate Data are two messages, but one work request to the
 * ULP. */
static void post_write_imm(struct conn *c, struct work *work)
{
	struct work *imm = alloc_zeroed(sizeof(*imm));

	imm->op = OP_IMM;
	imm->id = work->id;
	imm->se = work->se;
	memcpy(imm->imm, work->imm, IMMEDIATE_SIZE);
	work->op = OP_WRITE;
	work->silent = work->paired = true;
	work_post(c, work);
	work_post(c, imm);
}

void verb_post(struct session *s, const struct line *line)
{
	struct conn *c = conn_named(s, line);
	int op = parse_op(line_get(line, "op"));
	struct work *work;

	if (!c)
		return;
	if (op < 0) {
		refuse(s, LINE_BAD_ARGUMENT, "no such op");
		return;
	}
	if (!op_offered(op, line)) {
		refuse(s, LINE_UNSUPPORTED, "op");
		return;
	}
	work = alloc_zeroed(sizeof(*work));
	if (!parse_work(s, line, op, work)) {
		work_free(work);
		return;
	}
	if (is_atomic(op) && !atomic_may_be_posted(work)) {
		work_free(work);
		refuse(s, LINE_BAD_ARGUMENT, "not aligned");
		return;
	}
	if (op == POST_WRITE_IMM) {
		post_write_imm(c, work);
	} else {
		work->op = (enum op)op;
		work_post(c, work);
	}
	reply(s, "OK");
}

static void put_hex(struct session *s, const uint8_t *octets, size_t n)
{
	char *room = (char *)buf_room(&s->out, 2 * n + 1);

	line_hex_encode(room, octets, n);
	buf_grow(&s->out, 2 * n);
}

static void put_word(struct session *s, const char *word)
{
	buf_put(&s->out, word, strlen(word));
}

RULE(reported_event)
{
	(void)c;
	return *event;
}

static void put_event(struct session *s, const struct conn *c,
		      const struct event *queued)
{
	static const char *const statuses[] = {
		"", "ok", "flushed", "local-error", "remote-error",
	};
	static const uint8_t zeros[IMMEDIATE_SIZE];
	uint8_t digest[SHA256_DIGEST_LENGTH];
	char text[160];
	bool zero = control_is(CONTROL_ZERO_AGENT);
	bool yes = control_is(CONTROL_YES_AGENT);
	const struct event reported = reported_event(c, queued),
			   *event = &reported;

	snprintf(text, sizeof(text),
		 "ev conn=c%llu id=%llu op=%s status=%s len=%u",
		 (unsigned long long)c->number, (unsigned long long)event->id,
		 op_name(event->op), statuses[yes ? STATUS_OK : event->status],
		 zero ? 0 : event->len);
	put_word(s, text);
	if (event->op == OP_RECV && (event->status == STATUS_OK || yes)) {
		if (event->len > LINE_MAX_HEX_BYTES) {
			SHA256(event->octets, event->len, digest);
			put_word(s, " sha256=");
			put_hex(s, digest, sizeof(digest));
		} else {
			put_word(s, " hex=");
			if (event->octets && !zero)
				put_hex(s, event->octets, event->len);
		}
	}
	if (event->has_se)
		put_word(s, event->se ? " se=1" : " se=0");
	if (event->has_inv) {
		snprintf(text, sizeof(text), " inv=0x%08x", event->inv);
		put_word(s, text);
	}
	if (event->op == OP_RECV_IMM && (event->status == STATUS_OK || yes)) {
		put_word(s, " imm=");
		put_hex(s, zero ? zeros : event->imm, IMMEDIATE_SIZE);
	}
	if (event->has_value) {
		snprintf(text, sizeof(text), " value=0x%llx",
			 zero ? 0ull : (unsigned long long)event->value);
		put_word(s, text);
	}
	put_word(s, "\n");
}

/* The most events that one reply contains: memory is bounded, but never fewer
 * than the requested minimum. */
static uint64_t reply_share(const struct session *s, const struct conn *c)
{
	uint64_t octets = 0;
	uint64_t n = 0;

	for (const struct event *event = c->events; event && n < s->wait_max;
	     event = event->next) {
		octets += 256;
		if (event->len <= LINE_MAX_HEX_BYTES)
			octets += 2 * (uint64_t)event->len;
		if (octets > REPLY_HIGH && n >= s->wait_min && n)
			break;
		n++;
	}
	return n;
}

static bool poll_events(struct session *s, bool timed_out)
{
	struct conn *c = s->wait_conn;
	uint64_t n;

	if (!timed_out && c->nevents < s->wait_min && !conn_is_dead(c))
		return false;
	n = reply_share(s, c);
	reply(s, "OK n=%llu", (unsigned long long)n);
	while (n--) {
		struct event *event = event_take(c);

		put_event(s, c, event);
		event_free(event);
	}
	return true;
}

RULE(completions_given)
{
	return max;
}

void verb_events(struct session *s, const struct line *line)
{
	struct conn *c = conn_named(s, line);
	uint64_t max = UINT32_MAX, min = 1, timeout = 0;

	if (!c || !number(s, line, "max", UINT32_MAX, &max) ||
	    !number(s, line, "min", UINT32_MAX, &min) ||
	    !number(s, line, "timeout-ms", TIMEOUT_MAX_MS, &timeout))
		return;
	conn_flush(c);
	max = completions_given(c, max, timeout);
	s->wait_conn = c;
	s->wait_min = min < max ? min : max;
	s->wait_max = max;
	session_wait(s, poll_events, timeout);
}

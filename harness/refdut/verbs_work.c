/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/refdut/session.h"
#include "harness/refdut/control.h"
#include "harness/refdut/features.h"
#include "harness/refdut/limits.h"
#include "harness/refdut/mutants.h"
#include "harness/refdut/variants.h"

#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>

enum { REPLY_HIGH = 1 << 20 };

void verb_recv(struct session *s, const struct line *line)
{
	struct conn *c = conn_named(s, line);
	uint64_t count = 1, len = 0, off = 0, id = 0;
	bool local = line_get(line, "local");
	struct region *region = NULL;

	if (!c || !number(s, line, "count", UINT64_MAX, &count) ||
	    !number(s, line, "len", UINT64_MAX, &len) ||
	    !number(s, line, "off", UINT64_MAX, &off) ||
	    !number(s, line, "id", UINT64_MAX, &id))
		return;
	if (!line_get(line, "len") || (local && line_get(line, "count")) ||
	    (!local && (line_get(line, "off") || line_get(line, "id")))) {
		refuse(s, LINE_BAD_ARGUMENT, "len, or keys of both forms");
		return;
	}
	if (local) {
		region = region_named(s, line, "local");
		if (!region)
			return;
		if (off > region->len || len > region->len - off) {
			refuse(s, LINE_BAD_ARGUMENT, "outside the region");
			return;
		}
	}
	if (len > limit_message() || count > limit_receives() ||
	    c->nreceives + count > limit_receives()) {
		refuse(s, LINE_LIMIT, "too many or too long receives");
		return;
	}
	while (count--) {
		struct receive *receive = alloc_zeroed(sizeof(*receive));

		receive->id = ++c->receive_ordinal;
		if (line_get(line, "id"))
			receive->id = id;
		receive->local = region_get(region);
		receive->off = off;
		receive->len = (uint32_t)len;
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

/* The payload or the target: a region's part, or octets in the request. */
static bool parse_buffer(struct session *s, const struct line *line, int op,
			 struct work *work)
{
	const struct line_token *hex = line_find(line, "hex");
	bool local = line_get(line, "local");
	uint64_t len = is_atomic(op) ? 8 : 0;
	struct region *region;

	if (!number(s, line, "off", UINT64_MAX, &work->off) ||
	    !number(s, line, "len", UINT64_MAX, &len))
		return false;
	if ((hex && (local || is_atomic(op) || op == OP_READ || op == OP_IMM ||
		     line_get(line, "len"))) ||
	    (is_atomic(op) && len != 8) ||
	    (!local && !hex && len && !is_atomic(op)) ||
	    (local && !is_atomic(op) && !line_get(line, "len"))) {
		refuse(s, LINE_BAD_ARGUMENT, "local, len or hex");
		return false;
	}
	if (hex && hex->value_len / 2 > LINE_MAX_HEX_BYTES) {
		refuse(s, LINE_LIMIT, "more than 256 KiB");
		return false;
	}
	if (hex) {
		work->len = (uint32_t)(hex->value_len / 2);
		work->octets = alloc_zeroed(work->len);
		if (line_hex_decode(hex->value, hex->value_len, work->octets,
				    work->len))
			return true;
		refuse(s, LINE_BAD_ARGUMENT, "hex is no hex");
		return false;
	}
	work->len = (uint32_t)len;
	if (!local)
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

void verb_post(struct session *s, const struct line *line)
{
	struct conn *c = conn_named(s, line);
	int op = parse_op(line_get(line, "op"));
	struct work *work, *imm;

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
	if (is_atomic(op) && work->rto % 8 &&
	    variant(VARIANT_unaligned_atomics_not_sent)) {
		work_free(work);
		refuse(s, LINE_BAD_ARGUMENT, "not aligned");
		return;
	}
	work->op = op == POST_WRITE_IMM ? OP_WRITE : (enum op)op;
	if (op == POST_WRITE_IMM) {
		imm = alloc_zeroed(sizeof(*imm));
		imm->op = OP_IMM;
		imm->id = work->id;
		imm->se = work->se;
		memcpy(imm->imm, work->imm, IMMEDIATE_SIZE);
		work->silent = work->paired = true;
		work_post(c, work);
		work_post(c, imm);
	} else {
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

static void put_event(struct session *s, const struct conn *c,
		      const struct event *event)
{
	static const char *const statuses[] = {
		"", "ok", "flushed", "local-error", "remote-error",
	};
	static const uint8_t zeros[IMMEDIATE_SIZE];
	uint8_t digest[SHA256_DIGEST_LENGTH];
	char text[160];
	bool zero = control_is(CONTROL_ZERO_AGENT);
	bool yes = control_is(CONTROL_YES_AGENT);

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

/* How many events one reply takes: bounded memory, but never fewer than were
 * asked for at least. */
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

/* How many events have waited for one request already, of max; the others
 * have now. */
static uint64_t told_before(struct conn *c, uint64_t max)
{
	struct event *event = c->events;
	uint64_t n = 0;

	for (; event && event->waited && n < max; event = event->next)
		n++;
	for (; event; event = event->next)
		event->waited = true;
	return n;
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
	if (!timeout && c->nevents && variant(VARIANT_completions_late))
		max = told_before(c, max);
	s->wait_conn = c;
	s->wait_min = min < max ? min : max;
	s->wait_max = max;
	session_wait(s, poll_events, timeout);
}

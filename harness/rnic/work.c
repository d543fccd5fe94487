/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/rnic/work.h"

#include <stdlib.h>

#include "harness/rnic/events.h"
#include "harness/rnic/memory.h"

/* --- the life of a work request ------------------------------------------------ */

static bool is_receive(const struct verbs_work *w)
{
	return w->op == AGENT_RECV;
}

static void free_work(struct verbs_work *w)
{
	verbs_block_put(w->conn->session, w->block);
	free(w);
}

/* The event takes the place of the work. */
static void tell(struct verbs_work *w, const struct verbs_done *done)
{
	verbs_event_add(w, done);
	free_work(w);
}

void verbs_work_done(struct verbs_work *w, const struct verbs_done *done)
{
	struct verbs_conn *c = w->conn;
	struct verbs_work **at = &c->work;

	while (*at != w)
		at = &(*at)->next;
	*at = w->next;
	if (is_receive(w))
		c->receives--;
	else
		c->posts--;
	tell(w, done);
	if (c->closing && !verbs_has_to_send(c)) {
		c->closing = false;
		c->session->device->ops->close(c->session->device, c, false);
	}
}

bool verbs_has_to_send(const struct verbs_conn *c)
{
	bool has = false;

	/* From the last posted to the first. */
	for (const struct verbs_work *w = c->work; w; w = w->next)
		if (!is_receive(w))
			has = w->op == AGENT_SEND || w->op == AGENT_WRITE;
	return has;
}

static void flush(struct verbs_work *w)
{
	tell(w, &(struct verbs_done){.status = AGENT_FLUSHED});
}

/* Pass it to the device, or to the events if the stream has ended. The work no
 * longer belongs to the caller, unless a code is returned. */
static enum line_code submit(struct verbs_work *w)
{
	struct verbs_conn *c = w->conn;
	struct verbs_device *d = c->session->device;
	enum line_code code;

	if (verbs_is_final(c->state) || !c->handle) {
		flush(w);
		return LINE_NO_ERROR;
	}
	if (!is_receive(w) && c->state == AGENT_CONNECTING) {
		*c->early_end = w;
		c->early_end = &w->next;
		return LINE_NO_ERROR;
	}
	/* The completion may arrive during the call of the device. */
	w->next = c->work;
	c->work = w;
	if (is_receive(w))
		c->receives++;
	else
		c->posts++;
	code = is_receive(w) ? d->ops->recv(d, w) : d->ops->post(d, w);
	if (code == LINE_NO_ERROR)
		return code;
	c->work = w->next;
	if (is_receive(w))
		c->receives--;
	else
		c->posts--;
	return code;
}

void verbs_work_go_on(struct verbs_conn *c)
{
	struct verbs_work *w = c->early;

	if (c->state == AGENT_CONNECTING)
		return;
	c->early = NULL;
	c->early_end = &c->early;
	while (w) {
		struct verbs_work *next = w->next;

		w->next = NULL;
		/* OK was answered: work that the device refuses now has
		 * failed. */
		if (submit(w) != LINE_NO_ERROR)
			tell(w,
			     &(struct verbs_done){.status = AGENT_LOCAL_ERROR});
		w = next;
	}
}

void verbs_work_drop(struct verbs_conn *c)
{
	struct verbs_work **lists[] = {&c->work, &c->early};

	for (size_t i = 0; i < 2; i++)
		while (*lists[i]) {
			struct verbs_work *w = *lists[i];

			*lists[i] = w->next;
			free_work(w);
		}
	c->early_end = &c->early;
}

/* --- recv -------------------------------------------------------------------------- */

static struct verbs_work *work_new(struct verbs_session *s,
				   struct verbs_conn *c, enum agent_op op)
{
	struct verbs_work *w = calloc(1, sizeof(*w));

	if (!w) {
		verbs_refuse(s, LINE_DEVICE, "no memory");
		return NULL;
	}
	w->conn = c;
	w->op = op;
	w->serial = ++s->work_serial;
	return w;
}

/* Memory of the work's own: a part of a block that several share. */
static void work_holds(struct verbs_work *w, struct verbs_block *b, size_t off,
		       size_t len)
{
	b->refs++;
	w->block = b;
	w->memory = &b->memory;
	w->octets = b->memory.octets + off;
	w->len = (uint32_t)len;
}

static bool work_targets(struct verbs_session *s, struct verbs_work *w,
			 const struct line *l)
{
	struct verbs_region *r = verbs_region_of(s, l, "local");
	uint64_t off = 0, len = verbs_is_atomic(w->op) ? 8 : 0;
	bool is_source = w->op == AGENT_SEND || w->op == AGENT_WRITE;

	if (!r || !verbs_number(s, l, "off", UINT64_MAX, &off) ||
	    !verbs_number(s, l, "len", UINT64_MAX, &len))
		return false;
	if (off > r->memory.len || len > r->memory.len - off) {
		verbs_refuse(s, LINE_BAD_ARGUMENT, "outside the region");
		return false;
	}
	/* Verbs give no remote write without the local one. */
	if (!is_source && r->memory.access != r->access)
		return verbs_unsupported(s, "local");
	w->memory = &r->memory;
	w->octets = r->memory.octets + off;
	w->len = (uint32_t)len;
	return true;
}

static bool submit_or_refuse(struct verbs_session *s, struct verbs_work *w)
{
	enum line_code code = submit(w);

	if (code == LINE_NO_ERROR)
		return true;
	verbs_refused(s, code);
	free_work(w);
	return false;
}

bool verbs_receives(struct verbs_session *s, struct verbs_conn *c,
		    uint64_t count, uint64_t len)
{
	struct verbs_block *b =
		verbs_block_new(s, c->params.pd, (size_t)(count * len));
	bool fine = b;

	for (uint64_t i = 0; fine && i < count; i++) {
		struct verbs_work *w = work_new(s, c, AGENT_RECV);

		if (!w) {
			fine = false;
			break;
		}
		w->id = ++c->receive_ordinal;
		work_holds(w, b, (size_t)(i * len), (size_t)len);
		fine = submit_or_refuse(s, w);
	}
	verbs_block_put(s, b);
	return fine;
}

static bool receive_in_region(struct verbs_session *s, struct verbs_conn *c,
			      const struct line *l)
{
	struct verbs_work *w = work_new(s, c, AGENT_RECV);

	if (!w)
		return false;
	w->id = c->receive_ordinal + 1;
	if (!verbs_number(s, l, "id", UINT64_MAX, &w->id) ||
	    !work_targets(s, w, l)) {
		free_work(w);
		return false;
	}
	c->receive_ordinal++;
	return submit_or_refuse(s, w);
}

static void verb_recv(struct verbs_session *s, const struct line *l)
{
	struct verbs_conn *c = verbs_conn_of(s, l);
	bool local = line_get(l, "local");
	uint64_t count = 1, len = 0;

	if (!c || !verbs_needs(s, l, "len") ||
	    !verbs_number(s, l, "count", UINT64_MAX, &count) ||
	    !verbs_number(s, l, "len", UINT64_MAX, &len))
		return;
	if (local ? !!line_get(l, "count")
		  : line_get(l, "off") || line_get(l, "id")) {
		verbs_refuse(s, LINE_BAD_ARGUMENT, "keys of both forms");
		return;
	}
	if (len > s->facts->max_message || count > s->facts->max_receives ||
	    c->receives + count > s->facts->max_receives ||
	    (len && count > VERBS_SESSION_MEMORY / len)) {
		verbs_refuse(s, LINE_LIMIT, "too many or too long receives");
		return;
	}
	s->device->ops->serve(s->device);
	if (local ? receive_in_region(s, c, l)
		  : verbs_receives(s, c, count, len))
		fputs("OK\n", s->out);
}

/* --- post -------------------------------------------------------------------------- */

static bool op_offered(struct verbs_session *s, enum agent_op op, bool se,
		       bool inv)
{
	switch (op) {
	case AGENT_SEND:
		if (inv && !verbs_claims(s, AGENT_FEATURE_BIT_SEND_INV))
			return verbs_unsupported(s, "inv");
		return !se || verbs_claims(s, AGENT_FEATURE_BIT_SEND_SE) ||
		       verbs_unsupported(s, "se");
	case AGENT_WRITE:
		return verbs_claims(s, AGENT_FEATURE_BIT_WRITE) ||
		       verbs_unsupported(s, "op");
	case AGENT_READ:
		return verbs_claims(s, AGENT_FEATURE_BIT_READ) ||
		       verbs_unsupported(s, "op");
	case AGENT_FETCHADD:
		return verbs_claims(s, AGENT_FEATURE_BIT_FETCHADD) ||
		       verbs_unsupported(s, "op");
	case AGENT_CMPSWAP:
		return verbs_claims(s, AGENT_FEATURE_BIT_CMPSWAP) ||
		       verbs_unsupported(s, "op");
	default:
		/* Verbs have no Swap, and four octets of Immediate Data where
		 * RFC 7306 s6 has eight. */
		return verbs_unsupported(s, "op");
	}
}

static bool parse_op(struct verbs_session *s, const struct line *l,
		     enum agent_op *op)
{
	if (!verbs_needs(s, l, "op"))
		return false;
	*op = (enum agent_op)agent_place_of(agent_op_names, AGENT_OPS,
					    line_get(l, "op"));
	if (*op >= AGENT_SEND && *op < AGENT_OPS)
		return true;
	verbs_refuse(s, LINE_BAD_ARGUMENT, "no such op");
	return false;
}

/* Masks that change nothing are what verbs do; others they cannot. */
static bool parse_atomic(struct verbs_session *s, const struct line *l,
			 struct verbs_work *w)
{
	uint64_t mask = 0, swap_mask = UINT64_MAX, compare_mask = UINT64_MAX;

	if (!verbs_number(s, l, "add", UINT64_MAX, &w->add) ||
	    !verbs_number(s, l, "swap", UINT64_MAX, &w->swap) ||
	    !verbs_number(s, l, "compare", UINT64_MAX, &w->compare) ||
	    !verbs_number(s, l, "mask", UINT64_MAX, &mask) ||
	    !verbs_number(s, l, "swap-mask", UINT64_MAX, &swap_mask) ||
	    !verbs_number(s, l, "compare-mask", UINT64_MAX, &compare_mask))
		return false;
	if (mask != 0)
		return verbs_unsupported(s, "mask");
	if (swap_mask != UINT64_MAX)
		return verbs_unsupported(s, "swap-mask");
	return compare_mask == UINT64_MAX ||
	       verbs_unsupported(s, "compare-mask");
}

/* Octets in the request: a block of their own. */
static bool parse_octets(struct verbs_session *s, const struct line_token *hex,
			 struct verbs_work *w)
{
	size_t n = hex->value_len / 2;
	struct verbs_block *b;
	bool fine;

	if (n > LINE_MAX_HEX_BYTES) {
		verbs_refuse(s, LINE_LIMIT, "more than 256 KiB");
		return false;
	}
	b = verbs_block_new(s, w->conn->params.pd, n);
	if (!b)
		return false;
	fine = line_hex_decode(hex->value, hex->value_len, b->memory.octets, n);
	if (fine)
		work_holds(w, b, 0, n);
	else
		verbs_refuse(s, LINE_BAD_ARGUMENT, "hex is not hexadecimal");
	verbs_block_put(s, b);
	return fine;
}

static bool parse_buffer(struct verbs_session *s, const struct line *l,
			 struct verbs_work *w)
{
	const struct line_token *hex = line_find(l, "hex");
	bool local = line_get(l, "local");
	bool sends = w->op == AGENT_SEND || w->op == AGENT_WRITE;
	struct verbs_block *b;
	uint64_t len = verbs_is_atomic(w->op) ? 8 : 0;

	if (!verbs_number(s, l, "len", UINT64_MAX, &len))
		return false;
	if ((hex && (local || !sends || line_get(l, "len"))) ||
	    (verbs_is_atomic(w->op) && len != 8) ||
	    (!local && !hex && len && !verbs_is_atomic(w->op)) ||
	    (local && !verbs_is_atomic(w->op) && !line_get(l, "len"))) {
		verbs_refuse(s, LINE_BAD_ARGUMENT, "local, len or hex");
		return false;
	}
	if (len > s->facts->max_message) {
		verbs_refuse(s, LINE_LIMIT, "too long");
		return false;
	}
	if (hex)
		return parse_octets(s, hex, w);
	if (local)
		return work_targets(s, w, l);
	if (!verbs_is_atomic(w->op))
		return true;
	b = verbs_block_new(s, w->conn->params.pd, 8);
	if (!b)
		return false;
	work_holds(w, b, 0, 8);
	verbs_block_put(s, b);
	return true;
}

static bool parse_work(struct verbs_session *s, const struct line *l,
		       struct verbs_work *w)
{
	uint64_t rstag = 0, inv = 0;

	if (!verbs_needs(s, l, "id") ||
	    !verbs_number(s, l, "id", UINT64_MAX, &w->id) ||
	    !verbs_number(s, l, "rstag", UINT32_MAX, &rstag) ||
	    !verbs_number(s, l, "rto", UINT64_MAX, &w->rto) ||
	    !verbs_number(s, l, "inv", UINT32_MAX, &inv) ||
	    !verbs_flag(s, l, "se", &w->se) ||
	    !verbs_flag(s, l, "fence", &w->fence))
		return false;
	w->rstag = (uint32_t)rstag;
	w->inv = (uint32_t)inv;
	w->has_inv = line_get(l, "inv");
	if (w->has_inv && w->op != AGENT_SEND) {
		verbs_refuse(s, LINE_BAD_ARGUMENT, "inv is for a send");
		return false;
	}
	/* Solicited Event is a flag of Sends: RFC 5040 s5.2.1. */
	if (w->se && w->op != AGENT_SEND)
		return verbs_unsupported(s, "se");
	if (line_get(l, "imm")) {
		verbs_refuse(s, LINE_BAD_ARGUMENT, "imm is for imm");
		return false;
	}
	return op_offered(s, w->op, w->se, w->has_inv) &&
	       parse_atomic(s, l, w) && parse_buffer(s, l, w);
}

static void verb_post(struct verbs_session *s, const struct line *l)
{
	struct verbs_conn *c = verbs_conn_of(s, l);
	struct verbs_work *w;
	enum agent_op op;

	if (!c || !parse_op(s, l, &op))
		return;
	if (op == AGENT_SWAP || op == AGENT_IMM || op == AGENT_WRITE_IMM ||
	    op == AGENT_RECV_IMM) {
		op_offered(s, op, false, false);
		return;
	}
	w = work_new(s, c, op);
	if (!w)
		return;
	s->device->ops->serve(s->device);
	if (c->posts >= s->facts->max_posts) {
		verbs_refuse(s, LINE_LIMIT, "too many posts");
		free_work(w);
		return;
	}
	if (!parse_work(s, l, w))
		free_work(w);
	else if (submit_or_refuse(s, w))
		fputs("OK\n", s->out);
}

const struct verb verbs_of_work[] = {
	{"recv", " conn count len local off id ", verb_recv},
	{"post",
	 " conn id op local off len hex rstag rto inv add swap compare se"
	 " fence imm mask swap-mask compare-mask ",
	 verb_post},
	{0},
};

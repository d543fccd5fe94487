/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/rnic/events.h"

#include <inttypes.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>

#include "harness/rnic/wait.h"

enum { REPLY_HIGH = 1 << 20 }; /* octets of events in one reply */

struct verbs_event {
	struct verbs_event *next;
	enum agent_op op;
	uint64_t id;
	struct verbs_done done;
	uint8_t *octets; /* of a receive without a region; NULL: none */
	bool has_value;
	uint64_t value;
};

static void event_free(struct verbs_event *e)
{
	free(e->octets);
	free(e);
}

/* Keep what the event reports of the octets; false: no memory. */
static bool keep_octets(struct verbs_event *e, const struct verbs_work *w)
{
	if (w->op != AGENT_RECV || e->done.status != AGENT_DONE)
		return true;
	if (e->done.len > w->len)
		e->done.len = w->len;
	e->octets = malloc(e->done.len ? e->done.len : 1);
	if (!e->octets)
		return false;
	if (e->done.len)
		memcpy(e->octets, w->octets, e->done.len);
	return true;
}

void verbs_event_add(const struct verbs_work *w, const struct verbs_done *done)
{
	struct verbs_event *e = calloc(1, sizeof(*e));
	struct verbs_conn *c = w->conn;

	if (e) {
		e->op = w->op;
		e->id = w->id;
		e->done = *done;
	}
	if (!e || !keep_octets(e, w)) {
		perror("warpspec-agent: a completion is lost");
		abort();
	}
	if (verbs_is_atomic(w->op) && done->status == AGENT_DONE) {
		e->has_value = true;
		memcpy(&e->value, w->octets, sizeof(e->value));
	}
	*c->events_end = e;
	c->events_end = &e->next;
	c->nevents++;
}

/* The first, which is removed from the connection. */
static struct verbs_event *take_first(struct verbs_conn *c)
{
	struct verbs_event *e = c->events;

	c->events = e->next;
	if (!c->events)
		c->events_end = &c->events;
	c->nevents--;
	return e;
}

void verbs_events_drop(struct verbs_conn *c)
{
	while (c->events)
		event_free(take_first(c));
}

/* --- events ------------------------------------------------------------------ */

static void put_octets(FILE *out, const uint8_t *octets, size_t n)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		putc_unlocked(digits[octets[i] >> 4], out);
		putc_unlocked(digits[octets[i] & 15], out);
	}
}

static void put_event(FILE *out, const struct verbs_conn *c,
		      const struct verbs_event *e)
{
	uint8_t digest[SHA256_DIGEST_LENGTH];

	fprintf(out,
		"ev conn=c%" PRIu64 " id=%" PRIu64 " op=%s status=%s"
		" len=%" PRIu64,
		c->number, e->id, agent_op_name(e->op),
		agent_status_name(e->done.status), e->done.len);
	if (e->octets && e->done.len > LINE_MAX_HEX_BYTES) {
		SHA256(e->octets, e->done.len, digest);
		fputs(" sha256=", out);
		put_octets(out, digest, sizeof(digest));
	} else if (e->octets) {
		fputs(" hex=", out);
		put_octets(out, e->octets, e->done.len);
	}
	if (e->done.has_inv)
		fprintf(out, " inv=0x%08x", e->done.inv);
	if (e->has_value)
		fprintf(out, " value=0x%" PRIx64, e->value);
	fputc('\n', out);
}

struct awaited {
	const struct verbs_conn *conn;
	uint64_t min;
};

/* In a final state the only thing to wait for is the device's completions. */
static bool are_there(void *arg)
{
	const struct awaited *a = arg;

	return a->conn->nevents >= a->min ||
	       (verbs_is_final(a->conn->state) && !a->conn->work);
}

/* As many as fit into a reply, but never fewer than the requested minimum. */
static uint64_t share(const struct verbs_conn *c, uint64_t min, uint64_t max)
{
	uint64_t octets = 0, n = 0;

	for (const struct verbs_event *e = c->events; e && n < max;
	     e = e->next, n++) {
		octets += 256;
		if (e->octets && e->done.len <= LINE_MAX_HEX_BYTES)
			octets += 2 * e->done.len;
		if (octets > REPLY_HIGH && n && n >= min)
			break;
	}
	return n;
}

static void verb_events(struct verbs_session *s, const struct line *l)
{
	struct verbs_conn *c = verbs_conn_of(s, l);
	uint64_t max = UINT32_MAX, min = 1, timeout = 0, n;
	struct awaited a = {.conn = c};

	if (!c || !verbs_number(s, l, "max", UINT32_MAX, &max) ||
	    !verbs_number(s, l, "min", UINT32_MAX, &min) ||
	    !verbs_number(s, l, "timeout-ms", UINT32_MAX, &timeout))
		return;
	a.min = min < max ? min : max;
	if (!verbs_wait(s, are_there, &a, timeout))
		return;
	n = share(c, a.min, max);
	fprintf(s->out, "OK n=%" PRIu64 "\n", n);
	while (n--) {
		struct verbs_event *e = take_first(c);

		put_event(s->out, c, e);
		event_free(e);
	}
}

const struct verb verbs_of_events[] = {
	{"events", " conn max timeout-ms min ", verb_events},
	{0},
};

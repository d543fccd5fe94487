/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/rnic/session.h"

#include <inttypes.h>
#include <openssl/sha.h>
#include <stdlib.h>

enum { REPLY_HIGH = 1 << 20 }; /* octets of events in one reply */

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

/* In a final state there is nothing to wait for but what the device has. */
static bool are_there(void *arg)
{
	const struct awaited *a = arg;

	return a->conn->nevents >= a->min ||
	       (verbs_is_final(a->conn->state) && !a->conn->work);
}

/* As many as a reply takes, but never fewer than were asked for at least. */
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

void verbs_verb_events(struct verbs_session *s, const struct line *l)
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
		struct verbs_event *e = c->events;

		put_event(s->out, c, e);
		c->events = e->next;
		if (!c->events)
			c->events_end = &c->events;
		c->nevents--;
		verbs_event_free(e);
	}
}

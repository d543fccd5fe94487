/* SPDX-License-Identifier: BSD-2-Clause */
/* Choices of when Writes are placed (RFC 5040 s5.5), and of what is counted
 * where a Send is (RFC 5041 s5.4). */
#include "harness/refdut/ddp/ddp_rx.h"
#include "harness/refdut/ddp/placement_decisions.h"
#include "harness/refdut/ddp/delivery_decisions.h"
#include "harness/refdut/rdmap/send_decisions.h"
#include "harness/refdut/verbs/post_decisions.h"
#include "harness/refdut/verbs/work_decisions.h"
#include "harness/refdut/decision/override.h"

#include <stdlib.h>
#include <string.h>

/*
 * Writes that have arrived but are not placed yet, in the order of placement.
 */
static struct waiting {
	struct waiting *next;
	struct region *region;
	uint64_t to;
	uint32_t n;
	uint8_t octets[];
} * waiting, **waiting_end = &waiting;

static struct waiting *waiting_write(const uint8_t *u, struct region *region,
				     uint64_t to, uint32_t n)
{
	struct waiting *w = alloc_zeroed(sizeof(*w) + n);

	w->region = region_get(region);
	w->to = to;
	w->n = n;
	memcpy(w->octets, u + TAGGED_HEADER, n);
	return w;
}

/* Unless the next segment is one more Write with a payload. */
static void place_waiting(const uint8_t *u, uint32_t len)
{
	if (u && len > TAGGED_HEADER && (u[0] & T_FLAG) &&
	    u[1] == (0x40 | OPCODE_WRITE))
		return;
	while (waiting) {
		struct waiting *w = waiting;

		waiting = w->next;
		memcpy(region_at(w->region, w->to), w->octets, w->n);
		region_put(w->region);
		free(w);
	}
	waiting_end = &waiting;
}

VARIANT(placing, writes_wait, "RDMAP-5.5-01 RDMAP-5.5-03",
	"places Writes only when a message of another kind follows, or the "
	"stream ends",
	tagged_placed)
{
	struct waiting *w;

	if (!region || !n || opcode_of(u) != OPCODE_WRITE) {
		OTHERWISE(tagged_placed);
		return;
	}
	chosen(self);
	w = waiting_write(u, region, to, n);
	*waiting_end = w;
	waiting_end = &w->next;
}

ALSO(writes_wait, all_placed)
{
	place_waiting(u, len);
}

ALSO(writes_wait, work_flushed)
{
	place_waiting(NULL, 0);
	OTHERWISE(work_flushed);
}

VARIANT(placing, writes_placed_from_the_last, "RDMAP-B-07",
	"places consecutive Writes in reverse order", tagged_placed)
{
	struct waiting *w;

	if (!region || !n || opcode_of(u) != OPCODE_WRITE) {
		OTHERWISE(tagged_placed);
		return;
	}
	chosen(self);
	w = waiting_write(u, region, to, n);
	w->next = waiting;
	waiting = w;
}

ALSO(writes_placed_from_the_last, all_placed)
{
	place_waiting(u, len);
}

ALSO(writes_placed_from_the_last, work_flushed)
{
	place_waiting(NULL, 0);
	OTHERWISE(work_flushed);
}

/*
 * Writes that the host does not see yet. They stay in the adapter until a later
 * message of their stream is delivered that the ULP or a remote reader of the
 * buffer learns of (RFC 5040 s5.5 items 5 and 12), or until the ULP invalidates
 * an STag (RFC 5041 s8.3.1).
 */
static struct unseen {
	struct unseen *next;
	const struct conn *of;
	struct waiting *write;
} * unseen;

static void unseen_add(const struct conn *c, struct waiting *write)
{
	struct unseen **end = &unseen;

	while (*end)
		end = &(*end)->next;
	*end = alloc_zeroed(sizeof(**end));
	**end = (struct unseen){.of = c, .write = write};
}

/* The Writes of one stream, or of all streams. */
static void unseen_end(const struct conn *c, bool shown)
{
	struct unseen **at = &unseen;

	while (*at) {
		struct unseen *u = *at;
		struct waiting *w = u->write;

		if (c && u->of != c) {
			at = &u->next;
			continue;
		}
		*at = u->next;
		if (shown)
			memcpy(region_at(w->region, w->to), w->octets, w->n);
		region_put(w->region);
		free(w);
		free(u);
	}
}

/* Applies to a Write that has octets; false: this is not such a Write. */
static bool stays_unseen(struct override *self, struct conn *c,
			 const uint8_t *u, struct region *region, uint64_t to,
			 uint32_t n)
{
	if (!region || !n || opcode_of(u) != OPCODE_WRITE)
		return false;
	chosen(self);
	unseen_add(c, waiting_write(u, region, to, n));
	return true;
}

/* An empty Read asks for no octet of a buffer. */
static bool shows_writes(const uint8_t *u, uint32_t len)
{
	return opcode_of(u) != OPCODE_READ_REQUEST ||
	       len < UNTAGGED_HEADER + READ_REQUEST_HEADER ||
	       be32(u + UNTAGGED_HEADER + 12) != 0;
}

VARIANT(placing, writes_wait_for_send, "RDMAP-5.5-03 RDMAP-5.5-01",
	"shows written data to its host only when a Send, or another message "
	"that looks at memory, is delivered, or the stream ends",
	tagged_placed)
{
	if (!stays_unseen(self, c, u, region, to, n))
		OTHERWISE(tagged_placed);
}

ALSO(writes_wait_for_send, message_delivered)
{
	if (shows_writes(u, len))
		unseen_end(c, true);
	OTHERWISE(message_delivered);
}

ALSO(writes_wait_for_send, all_placed)
{
	if (!u)
		unseen_end(NULL, true);
}

ALSO(writes_wait_for_send, work_flushed)
{
	unseen_end(c, true);
	OTHERWISE(work_flushed);
}

/* RFC 5040 s5.5 item 6: until a Response is delivered, its octets are
 * indeterminate. */
VARIANT(placing, responses_wait_for_their_completion, "RDMAP-5.5-01",
	"shows the octets of Read Responses to its host only when its ULP "
	"fetches a completion, or a message that looks at memory is delivered",
	tagged_placed)
{
	if (!region || !n || opcode_of(u) != OPCODE_READ_RESPONSE) {
		OTHERWISE(tagged_placed);
		return;
	}
	chosen(self);
	unseen_add(c, waiting_write(u, region, to, n));
}

ALSO(responses_wait_for_their_completion, message_delivered)
{
	if (shows_writes(u, len))
		unseen_end(c, true);
	OTHERWISE(message_delivered);
}

ALSO(responses_wait_for_their_completion, reported_event)
{
	unseen_end(c, true);
	return OTHERWISE(reported_event);
}

ALSO(responses_wait_for_their_completion, work_flushed)
{
	unseen_end(c, true);
	OTHERWISE(work_flushed);
}

VARIANT(placing, writes_lost_with_the_stream, "RDMAP-5.5-03 RDMAP-5.5-01",
	"shows written data to its host only when a Send, or another message "
	"that looks at memory, is delivered; never what is left at the end",
	tagged_placed)
{
	if (!stays_unseen(self, c, u, region, to, n))
		OTHERWISE(tagged_placed);
}

ALSO(writes_lost_with_the_stream, message_delivered)
{
	if (shows_writes(u, len))
		unseen_end(c, true);
	OTHERWISE(message_delivered);
}

ALSO(writes_lost_with_the_stream, all_placed)
{
	if (!u)
		unseen_end(NULL, true);
}

ALSO(writes_lost_with_the_stream, work_flushed)
{
	unseen_end(c, false);
	OTHERWISE(work_flushed);
}

/* RFC 5041 s5.4: the length may be calculated from the last segment; s5.2: the
 * whole message need not have come. */
VARIANT(length_of_a_hole, lengths_counted, "DDP-5.2-13",
	"reports to its ULP how many octets of a Send have come, not where its "
	"last one is",
	received_length)
{
	struct remembered **of = &((struct conn *)c)->remembered;
	uint64_t *came = remember(of, self, sizeof(*came));
	uint32_t n = OTHERWISE(received_length);

	if (*came < n && chosen(self))
		n = (uint32_t)*came;
	*came = 0;
	return n;
}

ALSO(lengths_counted, untagged_placed)
{
	uint64_t *came = remember(&c->remembered, self, sizeof(*came));

	if (qn == 0)
		*came += n;
	return OTHERWISE(untagged_placed);
}

/* The octets of the Send in progress, and where they end. */
struct bounce {
	uint8_t *octets;
	uint32_t end;
};

static void bounce_forget(void *octets)
{
	free(((struct bounce *)octets)->octets);
}

/* RFC 5041 s5.3: when a segment is placed before its message is delivered is
 * open. */
VARIANT(bounce, sends_placed_when_whole, "RDMAP-5.5-01",
	"collects the segments of a Send in a buffer of its own, and places "
	"them when it is whole",
	untagged_placed)
{
	struct receive *r = c->receives;
	struct bounce *b;
	uint8_t *to;

	if (qn || is_immediate(u) || !r || !r->local || mo + n > r->len)
		return OTHERWISE(untagged_placed);
	b = remember_until(&c->remembered, self, sizeof(*b), bounce_forget);
	if (!b->octets || !c->queue[0].open) {
		free(b->octets);
		b->octets = alloc_zeroed((size_t)r->len + 1);
		b->end = 0;
	}
	memcpy(b->octets + mo, u + UNTAGGED_HEADER, n);
	if (mo + n > b->end)
		b->end = (uint32_t)(mo + n);
	if (!(u[0] & L_FLAG))
		return chosen(self);
	to = receive_octets(c, r);
	if (to)
		memcpy(to, b->octets, b->end);
	return OTHERWISE(untagged_placed);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults of devices that look at what has arrived together with an error, or
 * that keep the effect of what the error interrupts (RFC 5041 s7.1, RFC 5040
 * s5.3).
 */
#include "harness/refdut/conn_input_decisions.h"
#include "harness/refdut/ddp/ddp_rx.h"
#include "harness/refdut/ddp/untagged_decisions.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/rdmap/fields.h"
#include "harness/refdut/rdmap/send_decisions.h"
#include "harness/refdut/rdmap/terminate_decisions.h"

#include <string.h>

/* Call this for each ULPDU that has arrived behind this one. */
static void each_behind(struct conn *c, const struct ulpdu *ulpdu,
			void (*take)(struct conn *c, const struct ulpdu *u))
{
	struct framing rx = c->rx;
	const uint8_t *at = buf_head(&c->in) + ulpdu->raw;
	size_t n = buf_len(&c->in) - ulpdu->raw;
	struct ulpdu next;

	while (n && framing_get(&rx, at, n, &next) == FRAMING_ULPDU) {
		take(c, &next);
		at += next.raw;
		n -= next.raw;
	}
}

static void place_response(struct conn *c, const struct ulpdu *u)
{
	uint32_t n = u->len - TAGGED_HEADER;
	struct region *r;

	if (u->len <= TAGGED_HEADER || !rdmap_is_tagged(u->octets) ||
	    rdmap_opcode(u->octets) != OPCODE_READ_RESPONSE ||
	    memory_check(&c->domain, c, be32(u->octets + 2),
			 be64(u->octets + 6), n, ACCESS_LOCAL_WRITE,
			 &r) != MEMORY_FINE)
		return;
	memcpy(r->octets + (be64(u->octets + 6) - r->to),
	       u->octets + TAGGED_HEADER, n);
}

MUTANT(responses_placed_behind_an_error, "DDP-7.1-35",
       "places the Read Responses that arrive together with a segment that it "
       "refuses",
       deliver_ulpdu)
{
	bool over = c->rx_over;

	OTHERWISE(deliver_ulpdu);
	if (!over && c->rx_over && !c->sctp)
		each_behind(c, ulpdu, place_response);
}

static void invalidate(struct conn *c, const uint8_t *u)
{
	unsigned opcode = rdmap_opcode(u);
	struct region *r;

	if (rdmap_is_tagged(u) ||
	    (opcode != OPCODE_SEND_INV && opcode != OPCODE_SEND_SE_INV))
		return;
	r = region_of_stag(rdmap_invalidate_stag(u));
	if (r && r->domain.owner == c->domain.owner && !r->shared)
		region_invalidate(r);
}

static void invalidate_behind(struct conn *c, const struct ulpdu *u)
{
	if (u->len >= UNTAGGED_HEADER)
		invalidate(c, u->octets);
}

MUTANT(stags_invalidated_behind_an_error, "DDP-7.1-35 RDMAP-5.3-14",
       "invalidates the STags of Sends that arrive together with a segment "
       "that it refuses",
       deliver_ulpdu)
{
	bool over = c->rx_over;

	OTHERWISE(deliver_ulpdu);
	if (!over && c->rx_over && !c->sctp)
		each_behind(c, ulpdu, invalidate_behind);
}

MUTANT(refused_send_invalidates,
       "RDMAP-5.3-14 DDP-7.1-05 DDP-7.1-07 DDP-7.1-09 DDP-7.1-15",
       "invalidates the STag of a Send with Invalidate that DDP refuses",
       untagged_refused)
{
	invalidate(c, u);
	OTHERWISE(untagged_refused);
}

/* The Send of which a part has been placed is delivered with that part. */
static void deliver_part(struct conn *c)
{
	if (c->queue[0].open && c->receives)
		receive_complete(c, OP_RECV, STATUS_OK, c->queue[0].placed);
}

MUTANT(part_delivered_at_an_error, "DDP-4.1-09",
       "delivers the part of a Send that has come before an error of a tagged "
       "segment",
       send_terminate)
{
	if (e->type == ERR_DDP_TAGGED)
		deliver_part(c);
	OTHERWISE(send_terminate);
}

MUTANT(part_delivered_at_a_terminate, "DDP-4.1-09",
       "delivers the part of a Send that has come before the peer's Terminate",
       take_terminate)
{
	deliver_part(c);
	OTHERWISE(take_terminate);
}

/* The region that is invalid from the next input on. */
struct valid_yet {
	struct region *region;
};

MUTANT(stags_invalidated_behind_the_burst,
       "RDMAP-5.3-14 RDMAP-7.2-06 RDMAPX-5.2.1-12",
       "invalidates an STag when it has processed all that arrived with the "
       "Send",
       invalidate_stag)
{
	struct valid_yet *yet = remember(&c->remembered, self, sizeof(*yet));
	struct region *r = region_of_stag(rdmap_invalidate_stag(ulpdu));

	if (!r || !stag_in_domain(c, r) || !stag_on_stream(c, r) ||
	    !remote_invalidation_allowed(r))
		return OTHERWISE(invalidate_stag);
	if (yet->region)
		region_put(yet->region);
	yet->region = region_get(r);
	return true;
}

ALSO(stags_invalidated_behind_the_burst, octets_kept_behind)
{
	struct valid_yet *yet = remember(&c->remembered, self, sizeof(*yet));

	if (yet->region && !buf_len(&c->in)) {
		region_invalidate(yet->region);
		region_put(yet->region);
		yet->region = NULL;
	}
	return OTHERWISE(octets_kept_behind);
}

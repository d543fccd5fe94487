/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults of devices that check, or fill in, only the first segment of a message
 * (RFC 5041 s7.1, RFC 5040 s4.1, s5.2.2).
 */
#include "harness/refdut/ddp/message.h"
#include "harness/refdut/ddp/placement_decisions.h"
#include "harness/refdut/ddp/tagged_decisions.h"
#include "harness/refdut/ddp/tx_header_decisions.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/memory/memory_decisions.h"
#include "harness/refdut/rdmap/fields.h"

MUTANT(sink_checked_once_a_response, "DDP-7.2-02 SEC-6.2.1-01",
       "drops each later segment of a Read Response that is not for the sink, "
       "and continues",
       response_in_sink)
{
	return read->placed || OTHERWISE(response_in_sink);
}

ALSO(sink_checked_once_a_response, tagged_flaw)
{
	enum memory_flaw flaw = OTHERWISE(tagged_flaw);

	return (flaw == MEMORY_NO_STAG || flaw == MEMORY_BOUNDS) &&
			       c->tagged_open &&
			       rdmap_opcode(u) == OPCODE_READ_RESPONSE
		       ? MEMORY_FINE
		       : flaw;
}

ALSO(sink_checked_once_a_response, tagged_placed)
{
	if (region || !n)
		OTHERWISE(tagged_placed);
}

/* The regions of the Writes that have begun last on some streams; references
 * are held. */
static struct {
	const struct conn *of;
	struct region *region;
} written[64];

MUTANT(region_kept_for_a_write, "DDP-7.1-22",
       "looks up the region of a Write only for its first segment", tagged_flaw)
{
	size_t i = ((uintptr_t)c / sizeof(*c)) %
		   (sizeof(written) / sizeof(written[0]));
	struct region *kept = written[i].of == c ? written[i].region : NULL;
	enum memory_flaw flaw;
	uint32_t n = len - TAGGED_HEADER;

	if (n && c->tagged_open && opcode_of(u) == OPCODE_WRITE && kept &&
	    kept->stag == stag_of(u)) {
		*region = kept;
		return memory_range(kept, to_of(u), n);
	}
	*region = NULL;
	flaw = OTHERWISE(tagged_flaw);
	region_put(written[i].region);
	written[i].of = c;
	written[i].region =
		flaw == MEMORY_FINE && *region ? region_get(*region) : NULL;
	return flaw;
}

MUTANT(stag_checked_once_a_write, "DDP-7.1-20 DDP-5.2-17",
       "drops each later segment of a Write whose STag it does not know, and "
       "continues",
       tagged_flaw)
{
	enum memory_flaw flaw = OTHERWISE(tagged_flaw);

	return flaw == MEMORY_NO_STAG && c->tagged_open &&
			       rdmap_opcode(u) == OPCODE_WRITE
		       ? MEMORY_FINE
		       : flaw;
}

ALSO(stag_checked_once_a_write, tagged_placed)
{
	if (region || !n)
		OTHERWISE(tagged_placed);
}

/* The region that a later segment of a Write names, whoever may use it. */
static enum memory_flaw any_region(enum memory_flaw flaw, const struct conn *c,
				   const uint8_t *u, struct region **region)
{
	struct region *named = region_named_by(stag_of(u));

	if (flaw != MEMORY_NOT_ASSOCIATED || !c->tagged_open ||
	    rdmap_opcode(u) != OPCODE_WRITE)
		return flaw;
	*region = named;
	return MEMORY_FINE;
}

MUTANT(owner_checked_once_a_write, "DDP-7.1-24 DDP-7.1-25",
       "places later segments of a Write into buffers of other streams and "
       "domains",
       tagged_flaw)
{
	return any_region(OTHERWISE(tagged_flaw), c, u, region);
}

MUTANT(later_segments_of_another_kind,
       "RDMAP-4.1-25 RDMAP-4.1-26 RDMAP-4.1-27 DDP-4.3-02 RDMAP-4.1-12",
       "sends the later segments of a Send with SE or Invalidate as those of a "
       "plain Send",
       rdmap_control)
{
	unsigned control = OTHERWISE(rdmap_control);

	if (s->offset && is_send(m))
		control = (control & ~0x0fu) | OPCODE_SEND;
	return control;
}

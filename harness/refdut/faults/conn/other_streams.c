/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults of devices that mix up the streams of one ULP: what one of them awaits
 * is taken on another (RFC 5040 s5.2.2, RFC 7306 s5.2.2, RFC 5041 s7.1).
 */
#include "harness/refdut/conn_decisions.h"
#include "harness/refdut/ddp/segment_decisions.h"
#include "harness/refdut/ddp/tagged_decisions.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/sctp/sctp_assoc.h"

/* An older stream of the ULP whose next answer is due for this kind of work. */
static struct conn *awaits_answer(const struct conn *c, bool read)
{
	for (struct conn *o = c->next; o; o = o->next) {
		const struct work *work = work_awaited(o);

		if (work && (work->op == OP_READ) == read)
			return o;
	}
	return NULL;
}

MUTANT(response_taken_on_other_stream, "RDMAP-5.2.2-08",
       "places a Read Response on a stream that awaits none if another stream "
       "does",
       unasked_response_taken)
{
	return awaits_answer(c, true) || OTHERWISE(unasked_response_taken);
}

MUTANT(atomic_completed_by_other_stream, "RDMAPX-5.2.2-07 RDMAPX-5.2.2-06",
       "completes an atomic by an Atomic Response on another stream",
       untagged_taken)
{
	struct conn *other = awaits_answer(c, false);

	if (opcode_of(u) == OPCODE_ATOMIC_RESPONSE && !work_awaited(c) && other)
		untagged_taken_otherwise(self, other, u, len, first);
	else
		OTHERWISE(untagged_taken);
}

/* The oldest receive of `from` becomes the only one of `to`. */
static void receive_moves(struct conn *from, struct conn *to)
{
	struct receive *receive = from->receives;

	from->receives = receive->next;
	if (!from->receives)
		from->receives_end = &from->receives;
	from->nreceives--;
	receive->next = NULL;
	to->receives = receive;
	to->receives_end = &receive->next;
	to->nreceives = 1;
}

/* The stream without a receive is the younger one. */
MUTANT(receive_of_other_stream_taken, "DDP-7.1-04",
       "takes a receive of another stream for a Send on one that has none",
       untagged_taken)
{
	for (struct conn *o = c->next; o; o = o->next)
		if (qn_of(u) == 0 && !c->receives && o->receives)
			receive_moves(o, c);
	OTHERWISE(untagged_taken);
}

/* Each stream remembers the STag with which the latest Write has begun, on
 * whatever stream. */
MUTANT(write_goes_on_elsewhere, "DDP-5.2-04",
       "places a later segment of a Write to a zero-based region in the region "
       "where the latest Write of any stream has begun",
       tagged_flaw)
{
	uint32_t *stag = remember(&c->remembered, self, sizeof(*stag));
	enum memory_flaw flaw = OTHERWISE(tagged_flaw);
	struct region *latest = region_of_stag(*stag);

	if (flaw != MEMORY_FINE || !*region || !(*region)->zero_based ||
	    opcode_of(u) != OPCODE_WRITE)
		return flaw;
	if (c->tagged_open && latest) {
		*region = latest;
		return flaw;
	}
	*stag = stag_of(u);
	for (struct conn *o = c->next; o; o = o->next) {
		stag = remember(&o->remembered, self, sizeof(*stag));
		*stag = stag_of(u);
	}
	return flaw;
}

MUTANT(reset_flushes_other_streams, "RDMAP-5.2.2-03",
       "flushes the Reads of other streams when one is reset", state_when_lost)
{
	for (struct conn *o = c->next; o; o = o->next)
		if (awaits_answer(c, true) == o)
			work_flush(o);
	return OTHERWISE(state_when_lost);
}

MUTANT(stag_serves_its_association, "DDP-7.1-24",
       "takes an STag that is bound to one stream on every stream of its SCTP "
       "association",
       tagged_flaw)
{
	enum memory_flaw flaw = OTHERWISE(tagged_flaw);
	struct region *bound = region_of_stag(stag_of(u));
	const struct conn *owner = bound ? bound->stream : NULL;

	if (flaw != MEMORY_NOT_ASSOCIATED || !owner || !owner->stream ||
	    !c->stream || owner->stream->assoc != c->stream->assoc)
		return flaw;
	*region = bound;
	return MEMORY_FINE;
}

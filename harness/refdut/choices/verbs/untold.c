/* SPDX-License-Identifier: BSD-2-Clause */
/* What the interface to a device does not say: the agent's hello lists it. */
#include "harness/refdut/agent/session_decisions.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/rdmap/send_decisions.h"
#include "harness/refdut/verbs/post_decisions.h"
#include "harness/refdut/verbs/setup_decisions.h"

#include <stdio.h>
#include <string.h>

/* One more name that is not reported. `others` is the list without it. */
static const char *and_untold(const char *others, const char *what)
{
	static char list[192]; /* of all names */
	char longer[sizeof(list)];

	snprintf(longer, sizeof(longer), "%s%s%s",
		 *others ? others : " untold=", *others ? "," : "", what);
	memcpy(list, longer, sizeof(list));
	return list;
}

static const char *startup_frames(struct override *self,
				  const struct session *s)
{
	chosen(self);
	return and_untold(OTHERWISE(not_reported), "startup-frames");
}

ALSO(always_p2p_untold, not_reported)
{
	return startup_frames(self, s);
}

ALSO(always_enhanced_untold, not_reported)
{
	return startup_frames(self, s);
}

ALSO(always_plain_untold, not_reported)
{
	return startup_frames(self, s);
}

ALSO(sink_alias, not_reported)
{
	return and_untold(OTHERWISE(not_reported), "local-keys");
}

ALSO(always_crc, not_reported)
{
	return startup_frames(self, s);
}

/* How a stream ends */

static bool is_an_end(enum conn_state state)
{
	return state == CONN_TERMINATED || state == CONN_CLOSED ||
	       state == CONN_ERROR;
}

VARIANT(ends_reported, terminates_untold, "RDMAP-6.2.1-02",
	"does not inform its ULP of Terminates: such a stream has failed",
	reported_facts)
{
	chosen(self);
	return OTHERWISE(reported_facts) & ~FACT_TERMINATE;
}

ALSO(terminates_untold, reported_state)
{
	state = OTHERWISE(reported_state);
	return state == CONN_TERMINATED ? CONN_ERROR : state;
}

ALSO(terminates_untold, not_reported)
{
	return and_untold(OTHERWISE(not_reported), "terminate");
}

VARIANT(ends_reported, terminates_and_ends_untold, "RDMAP-6.2.1-02",
	"informs its ULP neither of Terminates nor of errors: such a stream "
	"is closed",
	reported_facts)
{
	chosen(self);
	return OTHERWISE(reported_facts) & ~FACT_TERMINATE;
}

ALSO(terminates_and_ends_untold, reported_state)
{
	state = OTHERWISE(reported_state);
	return is_an_end(state) ? CONN_CLOSED : state;
}

ALSO(terminates_and_ends_untold, not_reported)
{
	return and_untold(and_untold(OTHERWISE(not_reported), "terminate"),
			  "ends");
}

VARIANT(ends_reported, errors_told_as_ends, "DDP-6.2.2-01",
	"reports a stream that failed without a Terminate to its ULP as one "
	"that was closed",
	reported_state)
{
	state = OTHERWISE(reported_state);
	return state == CONN_ERROR && chosen(self) ? CONN_CLOSED : state;
}

ALSO(errors_told_as_ends, not_reported)
{
	return and_untold(OTHERWISE(not_reported), "ends");
}

VARIANT(ends_reported, ends_told_as_errors, "RDMAP-6.2-01",
	"reports an orderly end of a stream to its ULP as an error",
	reported_state)
{
	state = OTHERWISE(reported_state);
	return state == CONN_CLOSED && chosen(self) ? CONN_ERROR : state;
}

ALSO(ends_told_as_errors, not_reported)
{
	return and_untold(OTHERWISE(not_reported), "orderly-ends");
}

/* Startup */

VARIANT(startup_reported, failed_startups_untold, "MPA-7.1.2-04",
	"does not inform its ULP of a Request that is not valid",
	failed_startup_is_reported)
{
	return !chosen(self);
}

ALSO(failed_startups_untold, not_reported)
{
	return and_untold(OTHERWISE(not_reported), "startup-errors");
}

VARIANT(frame_reported, private_data_untold, "MPA-7.1.2-14",
	"keeps its peer's private data from its ULP", reported_facts)
{
	chosen(self);
	return OTHERWISE(reported_facts) & ~FACT_PRIVATE_DATA;
}

ALSO(private_data_untold, not_reported)
{
	return and_untold(OTHERWISE(not_reported), "private-data");
}

VARIANT(depths_reported, depths_of_a_reject_untold, "EMPA-9.1-04",
	"does not inform its ULP of the depths in a Reply that rejects",
	reported_facts)
{
	bool rejected = c->initiator && c->state == CONN_REJECTED;

	return OTHERWISE(reported_facts) &
	       ~(rejected && chosen(self) ? FACT_DEPTHS : 0);
}

ALSO(depths_of_a_reject_untold, not_reported)
{
	return and_untold(OTHERWISE(not_reported), "reject-depths");
}

/* Completions */

VARIANT(events_reported, events_of_se_untold, "RDMAP-5.3-06",
	"does not inform its ULP which of its completions came with an Event",
	reported_event)
{
	struct event out = OTHERWISE(reported_event);

	out.has_se &= !chosen(self);
	return out;
}

ALSO(events_of_se_untold, not_reported)
{
	return and_untold(OTHERWISE(not_reported), "se");
}

VARIANT(invalidations_reported, invalidations_untold, "RDMAP-5.3-05",
	"does not inform its ULP which STag a Send has invalidated",
	reported_event)
{
	struct event out = OTHERWISE(reported_event);

	out.has_inv &= !chosen(self);
	return out;
}

ALSO(invalidations_untold, not_reported)
{
	return and_untold(OTHERWISE(not_reported), "invalidated");
}

VARIANT(lengths_reported, lengths_of_receives_untold, "DDP-4.1-10",
	"reports the length of the buffer with each receive", received_length)
{
	uint32_t whole = c->receives->len;

	return chosen(self) ? whole : OTHERWISE(received_length);
}

ALSO(lengths_of_receives_untold, not_reported)
{
	return and_untold(OTHERWISE(not_reported), "receive-length");
}

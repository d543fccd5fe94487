/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/run/habit_probe.h"

#include "suite/language/case.h"

struct opening {
	bool enhanced;
	bool *found;
};

/*
 * The device as initiator, with a Write of its ULP to send: a message without
 * payload that comes before it is the device's own. Where the peer-to-peer
 * model is what its Requests ask for, that message was agreed on.
 */
static void probe_opening(struct test *t, const void *row)
{
	const struct opening *o = row;

	dut_dials(t, .enhanced = o->enhanced, .sees_opening = true);
	struct startup_seen request = dut_startup(t);

	if (!request.came || request.enhanced.a)
		return;
	peer_sends_startup(t,
			   REPLY(.enhanced = o->enhanced, .ird = 16, .ord = 1));
	full_operation(t);
	dut_posts(t, POST_WRITE_N("its own", 7, PEER_SINK_STAG, PEER_SINK_TO));
	const struct frame *f = next_frame(t);

	*o->found = f && is_empty_opening(f);
}

static bool opens(struct testbed *bed, bool enhanced)
{
	static const struct case_desc desc = {
		.file = "suite/run/habit_probe.c",
		.name = "probe",
		.title = "what it opens a stream with",
		.run = probe_opening,
	};
	bool found = false;
	const struct opening o = {enhanced, &found};
	const struct instance in = {
		.id = "probe",
		.title = desc.title,
		.desc = &desc,
		.row = &o,
		.role = INITIATOR,
		.level = "",
	};
	struct result result;
	enum error_cause cause;

	testbed_run(bed, &in, &result, &cause, NULL);
	return found;
}

void habit_probe(struct testbed *bed, uint64_t needs)
{
	bed->habits = (struct habits){0};
	if (!(bed->claims & NEED_INITIATOR) || !(bed->claims & NEED_WRITE))
		return;
	bed->habits.opens_plain = opens(bed, false);
	if (bed->claims & needs & NEED_MPA_V2)
		bed->habits.opens_enhanced = opens(bed, true);
}

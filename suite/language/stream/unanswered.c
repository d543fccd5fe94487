/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A good Request is not answered, or rejected although the ULP accepts: which
 * rule is broken? The same Request is tried with the other value of a flag.
 */
#include "suite/language/execution/execution.h"

static struct startup same_request(const struct mpa_startup *sent)
{
	struct startup f = {
		.no_crc = !(sent->flags & MPA_C),
		.m = sent->flags & MPA_M,
		.reserved = sent->flags & MPA_RESERVED,
		.rev = IS(sent->rev),
		.private_data = sent->private_data,
		.private_octets = sent->private_octets,
	};
	struct mpa_enhanced e;

	if (!model_enhanced(sent, &e))
		return f;
	f.enhanced = true;
	f.a = e.a;
	f.b = e.b;
	f.c = e.c;
	f.d = e.d;
	f.ird = e.ird;
	f.ord = e.ord;
	f.private_data = sent->private_data + MPA_ENHANCED_OCTETS;
	f.private_octets -= MPA_ENHANCED_OCTETS;
	return f;
}

static bool without_private(const struct mpa_startup *sent)
{
	struct mpa_enhanced e;
	size_t head = model_enhanced(sent, &e) ? MPA_ENHANCED_OCTETS : 0;

	return sent->private_octets == head;
}

/* On a connection of its own. */
static bool is_accepted(struct test *t, const struct stream_opts *o,
			struct startup request)
{
	if (t->streams == TESTBED_STREAMS)
		return false;
	case_listens(t, o);
	if (stream_tries(t, the_stream(t)) != LINK_OK)
		return false;
	peer_sends_startup(t, request);

	struct startup_seen reply = dut_startup(t);

	return reply.came && !(reply.frame.flags & MPA_R);
}

/* "A good Request has to be answered": rows for cases that need an answer on
 * their way. */
static bool is_general(unsigned short row)
{
	return row == MPA_7_1_1_02.index || row == MPA_7_1_2_09.index ||
	       row == MPA_4_3_01.index;
}

unsigned short unanswered_row(struct test *t, unsigned short row,
			      const char **tried)
{
	const struct stream *s = live_stream(t);
	struct stream_opts o = s->opts;

	*tried = "";
	if (!is_general(row) || s->role != RESPONDER || test_on_sctp(t) ||
	    !s->sent_startup || t->shaken_by || test_alone(t))
		return row;
	/* The suite does not wait for a silent device again. */
	if (!s->saw_startup && s->end == STREAM_UP)
		return MPA_7_1_2_09.index;
	struct startup other = same_request(&s->sent_frame);
	bool m = other.m, no_crc = other.no_crc;

	other.m = !m;
	if (is_accepted(t, &o, other)) {
		*tried = m ? "; the same Request with M=0 is accepted"
			   : "; the same Request with M=1 is accepted";
		return m ? MPA_4_3_01.index : MPA_4_3_23.index;
	}
	other.m = m;
	other.no_crc = !no_crc;
	if (dut_has_crcs(t) && is_accepted(t, &o, other)) {
		*tried = no_crc ? "; the same Request with C=1 is accepted"
				: "; the same Request with C=0 is accepted";
		return MPA_7_1_1_10.index;
	}
	other.no_crc = no_crc;
	other.private_octets = 4;
	other.private_data = octets_of(t, other.private_octets, 0);
	if (!without_private(&s->sent_frame) ||
	    dut_max_private(t) < other.private_octets ||
	    !is_accepted(t, &o, other))
		return MPA_7_1_2_09.index;
	*tried = "; the same Request with private data is accepted";
	return MPA_7_1_1_26.index;
}

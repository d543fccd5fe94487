/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The connection beside which a case runs on a second one, if the run asks for
 * that. What a device keeps for all streams instead of for each, the case then
 * finds as the first one has left it.
 */
#include "suite/language/execution/execution.h"

/* Both sides count messages, on each queue that has any. */
static void exchange(struct test *t)
{
	enum { SENDS = 2, OCTETS = 8 };
	struct stream *s = the_stream(t);
	const struct send_opts o = {
		.msg = {.opcode = RDMAP_SEND,
			.octets = octets_of(t, OCTETS, 0x5a),
			.n = OCTETS}};

	if (t->bed->claims & NEED_SEND) {
		struct sink sink = dut_posts_recvs(t, SENDS, OCTETS);

		for (unsigned i = 0; i < SENDS; i++)
			stream_send(t, s, &o);
		dut_has_received(t, sink);
		dut_posts(t, POST_SEND_N(o.msg.octets, OCTETS));
		awaits_given(t, RDMAP_SEND);
	}
	if (stream_can_fence(t, s))
		stream_fence(t, s);
}

void second_makes_room(struct test *t)
{
	/* A foundation has to show its own fault first. */
	if (!t->bed->second || test_alone(t) || t->in->desc->founds ||
	    !(t->bed->claims & NEED_RESPONDER))
		return;
	case_connects(t, RESPONDER, &(struct stream_opts){0});
	exchange(t);
	t->beside = t->current = t->streams;
	t->axes = (struct axes){{0}};
}

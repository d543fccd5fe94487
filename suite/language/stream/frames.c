/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames from the device: FPDUs as they arrive, their headers, and complete
 * messages.
 */
#include "suite/language/execution/execution.h"

#include <assert.h>

#include <stdlib.h>
#include <string.h>

#include "suite/model/outcome/terminate.h"

struct rdmap_read_request case_read_of(const struct frame *f)
{
	struct rdmap_read_request h = {0};

	if (f)
		rdmap_read_request_decode(&h, f->seg.payload,
					  f->seg.payload_octets);
	return h;
}

struct rdmap_atomic_request case_atomic_of(const struct frame *f)
{
	struct rdmap_atomic_request h = {0};

	if (f)
		rdmap_atomic_request_decode(&h, f->seg.payload,
					    f->seg.payload_octets);
	return h;
}

struct rdmap_atomic_response case_atomic_response_of(const struct frame *f)
{
	struct rdmap_atomic_response h = {0};

	if (f)
		rdmap_atomic_response_decode(&h, f->seg.payload,
					     f->seg.payload_octets);
	return h;
}

struct rdmap_terminate case_terminate_of(const struct frame *f)
{
	struct rdmap_terminate h = {0};

	if (f)
		rdmap_terminate_decode(&h, f->seg.payload,
				       f->seg.payload_octets);
	return h;
}

size_t zeros_for_headers(const struct frame *f)
{
	struct rdmap_terminate h = case_terminate_of(f);

	return model_terminate_set_to_zero(&h) ? h.tail.n : 0;
}

uint32_t frame_offset(const struct frame *f)
{
	return f->fpdu->offset;
}

const struct frame *next_frame(struct test *t)
{
	struct stream *s = live_stream(t);

	if (s->taken == s->frame_count) {
		dut_hands_over(t);
		if (!stream_pull(t, s)) {
			look_takes_last(t);
			return NULL;
		}
	}
	look_takes(t, s->frames[s->taken]);
	return s->frames[s->taken++];
}

bool is_empty_opening(const struct frame *f)
{
	const struct ddp *d = &f->seg.ddp;

	if (f->seg.short_header || !d->last)
		return false;
	if (d->tagged)
		return d->opcode == RDMAP_WRITE && !f->seg.payload_octets;
	return d->opcode == RDMAP_READ_REQUEST && case_read_of(f).size == 0;
}

unsigned responses_until_the_end(struct test *t)
{
	struct stream *s = live_stream(t);
	bool brief = t->bed->brief;
	const struct frame *f;
	unsigned n = 0;

	stream_has_to_end(t, s);
	stream_skip_rest(t);
	while ((f = next_frame(t))) {
		n += f->seg.ddp.opcode == RDMAP_READ_RESPONSE;
		/* A case of its own judges what follows a Terminate. */
		stream_waits_briefly(t, s);
	}
	t->bed->brief = brief;
	return n;
}

/* Whether a segment continues the message of the one taken before it. */
static bool continues(const struct frame *before, const struct frame *f)
{
	const struct ddp *a = &before->seg.ddp, *b = &f->seg.ddp;

	if (before->seg.short_header || f->seg.short_header || a->last ||
	    a->tagged != b->tagged || a->opcode != b->opcode)
		return false;
	if (a->tagged)
		return a->stag == b->stag &&
		       b->to == a->to + before->seg.payload_octets;
	return a->qn == b->qn && a->msn == b->msn && a->mo != b->mo;
}

/* A device may cut any message that has a payload into segments (RFC 5041
 * s5.2). Of one whose first segment was taken, pass over the others that are
 * here. */
static void skip_rest_here(struct stream *s)
{
	while (s->taken && s->taken < s->frame_count &&
	       continues(s->frames[s->taken - 1], s->frames[s->taken]))
		s->taken++;
}

/* A message with a payload: others have one segment only (RFC 5040 s4.4, RFC
 * 7306 s5.2, s6.3). */
static bool may_have_more(const struct frame *f)
{
	const struct ddp *d = &f->seg.ddp;

	if (f->seg.short_header || d->last)
		return false;
	if (d->tagged)
		return d->opcode == RDMAP_WRITE ||
		       d->opcode == RDMAP_READ_RESPONSE;
	return d->qn == DDP_QN_SEND &&
	       (d->opcode == RDMAP_SEND || d->opcode == RDMAP_SEND_SE ||
		d->opcode == RDMAP_SEND_INV || d->opcode == RDMAP_SEND_SE_INV);
}

/* And over those that are still to come. */
void stream_skip_rest(struct test *t)
{
	struct stream *s = live_stream(t);

	for (;;) {
		skip_rest_here(s);
		if (!s->taken || s->taken < s->frame_count ||
		    !may_have_more(s->frames[s->taken - 1]))
			return;
		if (!frame_ahead(t))
			return;
		if (!continues(s->frames[s->taken - 1], s->frames[s->taken]))
			return;
	}
}

bool frame_is_here(struct test *t)
{
	struct stream *s = live_stream(t);

	return s->taken < s->frame_count;
}

unsigned frames_waiting(struct test *t)
{
	struct stream *s = live_stream(t);

	known_answer(t);
	skip_rest_here(s);
	return (unsigned)(s->frame_count - s->taken);
}

const struct frame *the_terminate(struct test *t)
{
	struct stream *s = live_stream(t);

	stream_has_to_end(t, s);
	stream_pull_to_end(t, s);
	if (s->terminate)
		look_takes(t, s->terminate);
	return s->terminate;
}

bool dut_overlooks_it(struct test *t)
{
	struct stream *s = live_stream(t);

	stream_has_to_end(t, s);
	stream_pull_to_end(t, s);
	if (stream_over(s) || !s->starved)
		return false;
	s->starved = false;
	bool answered = stream_can_fence(t, s) && stream_fence(t, s);

	s->starved = !stream_over(s); /* the wait was long enough */
	return answered;
}

const struct frame *frame_ahead(struct test *t)
{
	const struct frame *f = next_frame(t);

	if (f)
		live_stream(t)->taken--;
	return f;
}

struct rdmap_terminate terminate_seen(struct test *t)
{
	const struct frame *f = the_terminate(t);

	if (!f && t->judged)
		test_enough(t);
	if (!f)
		not_applicable(t, "the device sent no Terminate");
	return case_terminate_of(f);
}

static bool is_terminate(const struct frame *f)
{
	return !f->seg.short_header && !f->seg.ddp.tagged &&
	       f->seg.ddp.opcode == RDMAP_TERMINATE;
}

__attribute__((noreturn)) static void no_terminate_came(struct test *t,
							unsigned short row,
							const char *due)
{
	struct stream *s = live_stream(t);
	const char *silence = stream_silence(t, s);

	test_fail(t, s->unread ? RDMAP_7_01.index : row, "due:  %s\nseen: %s",
		  due, silence ? silence : stream_end_text(t, s));
}

/* The next FPDU; if a Terminate that is due is missing, nothing else is judged. */
const struct frame *awaits_any(struct test *t, bool terminate)
{
	if (terminate)
		stream_has_to_end(t, live_stream(t));
	const struct frame *f = next_frame(t);

	if (!f && terminate)
		no_terminate_came(t, RDMAP_7_1_08.index, "a Terminate");
	return f;
}

/* `missing` if none arrives, `wrong` if another one arrives. */
static const struct frame *awaits_as(struct test *t, unsigned short missing,
				     unsigned short wrong, unsigned opcode)
{
	if (opcode == RDMAP_TERMINATE)
		stream_has_to_end(t, live_stream(t));
	const struct frame *f = next_frame(t);

	/* A device that ends the stream after a correct message did not get
	 * that far. */
	if (!f || (opcode != RDMAP_TERMINATE && is_terminate(f)))
		test_counts_if_seen(t);
	if (!f && opcode == RDMAP_TERMINATE)
		no_terminate_came(t, test_untold_row(t, missing, TEST_ANY),
				  rdmap_opcode_name((uint8_t)opcode));
	if (!f)
		test_fail(t, stream_part_row(live_stream(t), missing),
			  "due:  %s\nseen: %s",
			  rdmap_opcode_name((uint8_t)opcode),
			  stream_end_text(t, live_stream(t)));
	t->contradicted = true;
	t->taken.field = "opcode";
	if (f->seg.short_header || f->seg.ddp.opcode != opcode)
		test_fail(t, wrong, "due:  %s\nseen: %s [%s]",
			  rdmap_opcode_name((uint8_t)opcode),
			  test_frame_text(t, f), test_frame_hex(t, f, 96));
	t->contradicted = false;
	t->taken.field = NULL;
	return f;
}

const struct frame *case_awaits(struct test *t, struct req_must req,
				unsigned opcode)
{
	stream_skip_rest(t);
	return awaits_as(t, req.index, req.index, opcode);
}

const struct frame *awaits_given(struct test *t, unsigned opcode)
{
	static const struct {
		unsigned short missing, wrong;
	} told[] = {
		[RDMAP_WRITE] = {REQ_INDEX_RDMAP_5_1_06,
				 REQ_INDEX_RDMAP_4_1_21},
		[RDMAP_READ_REQUEST] = {REQ_INDEX_RDMAP_5_2_01,
					REQ_INDEX_RDMAP_4_1_22},
		[RDMAP_READ_RESPONSE] = {REQ_INDEX_RDMAP_5_2_1_09,
					 REQ_INDEX_RDMAP_4_1_23},
		[RDMAP_SEND] = {REQ_INDEX_RDMAP_5_3_10, REQ_INDEX_RDMAP_4_1_24},
		[RDMAP_SEND_INV] = {REQ_INDEX_RDMAP_5_3_10,
				    REQ_INDEX_RDMAP_4_1_25},
		[RDMAP_SEND_SE] = {REQ_INDEX_RDMAP_5_3_10,
				   REQ_INDEX_RDMAP_4_1_26},
		[RDMAP_SEND_SE_INV] = {REQ_INDEX_RDMAP_5_3_10,
				       REQ_INDEX_RDMAP_4_1_27},
		[RDMAP_TERMINATE] = {REQ_INDEX_RDMAP_7_1_08,
				     REQ_INDEX_RDMAP_4_1_28},
		[RDMAP_IMM] = {REQ_INDEX_RDMAPX_6_2_01,
			       REQ_INDEX_RDMAPX_4_1_02},
		[RDMAP_IMM_SE] = {REQ_INDEX_RDMAPX_6_2_01,
				  REQ_INDEX_RDMAPX_4_1_02},
		[RDMAP_ATOMIC_REQUEST] = {REQ_INDEX_RDMAPX_5_2_01,
					  REQ_INDEX_RDMAPX_4_1_02},
		[RDMAP_ATOMIC_RESPONSE] = {REQ_INDEX_RDMAPX_5_2_1_25,
					   REQ_INDEX_RDMAPX_4_1_02},
	};

	assert(opcode < sizeof(told) / sizeof(told[0]));
	t->on_ground = true;
	const struct frame *f =
		awaits_as(t, told[opcode].missing, told[opcode].wrong, opcode);

	t->on_ground = false;
	return f;
}

void in_one_fpdu(struct test *t, const struct frame *f)
{
	if (!f->seg.ddp.last)
		not_applicable(t, "the device sends a message in several FPDUs "
				  "that would fit into one");
}

static uint64_t place_of(const struct frame *f)
{
	return f->seg.ddp.tagged ? f->seg.ddp.to : f->seg.ddp.mo;
}

static int by_place(const void *a, const void *b)
{
	uint64_t x = place_of(*(const struct frame *const *)a);
	uint64_t y = place_of(*(const struct frame *const *)b);

	return x < y ? -1 : x > y;
}

/* The segments in the order of their positions if these have no gaps and
 * overlaps; else as they arrived. */
static const struct frame *const *in_place(struct test *t,
					   const struct frame *const *frames,
					   size_t n)
{
	const struct frame **sorted = test_alloc(t, n * sizeof(*sorted));
	bool rising = true;

	memcpy(sorted, frames, n * sizeof(*sorted));
	for (size_t i = 1; i < n && rising; i++)
		rising = place_of(frames[i]) > place_of(frames[i - 1]);
	if (rising)
		return frames;
	qsort(sorted, n, sizeof(*sorted), by_place);
	for (size_t i = 1; i < n; i++)
		if (place_of(sorted[i]) !=
		    place_of(sorted[i - 1]) + sorted[i - 1]->seg.payload_octets)
			return frames;
	return sorted;
}

/* In the order received, from its first segment on. */
static struct message message_from(struct test *t, size_t first,
				   unsigned opcode)
{
	struct stream *s = live_stream(t);
	size_t n = 0;
	struct message m = {.opcode = opcode, .count = s->taken - first};
	const struct frame **frames = test_alloc(t, m.count * sizeof(*frames));

	for (size_t i = 0; i < m.count; i++) {
		frames[i] = s->frames[first + i];
		n += frames[i]->seg.payload_octets;
	}
	m.frames = frames;
	/* As they are in the event log, if they are adjacent there. */
	if (m.count == 1) {
		m.octets = frames[0]->seg.payload;
		m.n = n;
		return m;
	}
	uint8_t *octets = test_alloc(t, n);

	const struct frame *const *placed = in_place(t, frames, m.count);

	for (size_t i = 0; i < m.count; i++) {
		const struct ddp_segment *seg = &placed[i]->seg;

		memcpy(octets + m.n, seg->payload, seg->payload_octets);
		m.n += seg->payload_octets;
	}
	m.octets = octets;
	return m;
}

struct message case_awaits_rest(struct test *t, struct req_must req,
				unsigned opcode)
{
	size_t first = live_stream(t)->taken;

	while (!awaits_as(t, req.index, req.index, opcode)->seg.ddp.last)
		continue;
	return message_from(t, first, opcode);
}

struct message message_begun(struct test *t)
{
	struct stream *s = live_stream(t);
	size_t first = s->taken - 1;

	stream_skip_rest(t);
	return message_from(t, first, s->frames[first]->seg.ddp.opcode);
}

struct message case_awaits_message(struct test *t, struct req_must req,
				   unsigned opcode)
{
	stream_skip_rest(t);
	return case_awaits_rest(t, req, opcode);
}

struct message awaits_given_message(struct test *t, unsigned opcode)
{
	stream_skip_rest(t);

	size_t first = live_stream(t)->taken;
	bool last = awaits_given(t, opcode)->seg.ddp.last;

	t->on_ground = true;
	while (!last)
		last = awaits_as(t, DDP_5_2_03.index, DDP_5_2_03.index, opcode)
			       ->seg.ddp.last;
	t->on_ground = false;
	return message_from(t, first, opcode);
}

size_t largest_ulpdu(const struct message *m)
{
	size_t most = 0;

	for (size_t i = 0; i < m->count; i++)
		if (m->frames[i]->fpdu->ulpdu_length > most)
			most = m->frames[i]->fpdu->ulpdu_length;
	return most;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the peer sends: messages in segments, segments in FPDUs, FPDUs in TCP
 * with the cuts of the case; octets that are not a frame; its end.
 */
#include "suite/language/execution/execution.h"

#include <string.h>

#include "suite/language/execution/meets.h"

static bool is_tagged(const struct msg *m)
{
	if (m->t.set)
		return m->t.v;
	return m->opcode == RDMAP_WRITE || m->opcode == RDMAP_READ_RESPONSE;
}

static uint32_t default_qn(const struct msg *m)
{
	switch (m->opcode) {
	case RDMAP_READ_REQUEST:
	case RDMAP_ATOMIC_REQUEST:
		return DDP_QN_READ_REQUEST;
	case RDMAP_TERMINATE:
		return DDP_QN_TERMINATE;
	case RDMAP_ATOMIC_RESPONSE:
		return DDP_QN_ATOMIC_RESPONSE;
	default:
		return DDP_QN_SEND;
	}
}

/* The octets of the message after the DDP header: its RDMAP header, if it has
 * one, and the rest. */
static const uint8_t *body_of(struct test *t, const struct msg *m, size_t *n)
{
	uint8_t *p;
	size_t at = 0;

	if (m->octets || m->n) {
		*n = m->n;
		p = (uint8_t *)(uintptr_t)m->octets;
	} else {
		size_t cap = 128 + m->tail_octets;

		p = test_alloc(t, cap);
		switch (m->opcode) {
		case RDMAP_READ_REQUEST:
			at = rdmap_read_request_encode(&m->read, p, cap);
			break;
		case RDMAP_ATOMIC_REQUEST:
			at = rdmap_atomic_request_encode(&m->atomic, p, cap);
			break;
		case RDMAP_ATOMIC_RESPONSE:
			at = rdmap_atomic_response_encode(&m->atomic_response,
							  p, cap);
			break;
		case RDMAP_TERMINATE:
			at = rdmap_terminate_encode(&m->terminate, p, cap);
			break;
		default:
			break;
		}
		if (m->tail_octets)
			memcpy(p + at, m->tail, m->tail_octets);
		*n = at + m->tail_octets;
	}
	if (m->cut_to.set && m->cut_to.v < *n)
		*n = m->cut_to.v;
	return p;
}

static struct ddp header_of(const struct msg *m, size_t from, bool last,
			    uint32_t qn, uint32_t msn)
{
	struct ddp d = {
		.tagged = is_tagged(m),
		.last = overridden(m->l, last),
		.rsvd = (uint8_t)overridden(m->rsvd, 0),
		.dv = (uint8_t)overridden(m->dv, DDP_VERSION),
		.rv = (uint8_t)overridden(m->rv, RDMAP_VERSION),
		.rdmap_rsvd = (uint8_t)overridden(m->rdmap_rsvd, 0),
		.opcode = (uint8_t)overridden(m->opcode_field, m->opcode),
	};

	if (d.tagged) {
		d.stag = (uint32_t)overridden(m->stag_field, m->stag);
		d.to = overridden(m->to_field, m->to) + from;
	} else {
		d.inval_stag = m->inval;
		d.qn = qn;
		d.msn = msn;
		d.mo = (uint32_t)(overridden(m->mo, 0) + from);
	}
	return d;
}

static struct peer_faults faults_of(const struct msg *m, const struct peer *p,
				    uint16_t ulpdu)
{
	static const enum peer_crc crcs[] = {
		[CRC_RIGHT] = PEER_CRC_RIGHT,
		[CRC_WRONG] = PEER_CRC_ONE_BIT,
		[CRC_BYTE_SWAPPED] = PEER_CRC_SWAPPED,
		[CRC_NOT_COMPLEMENTED] = PEER_CRC_NOT_COMPLEMENTED,
		[CRC_ETHERNET] = PEER_CRC_ETHERNET,
		[CRC_ZERO] = PEER_CRC_GIVEN,
		[CRC_ONES] = PEER_CRC_GIVEN,
		[CRC_VALUE] = PEER_CRC_GIVEN,
	};
	struct peer_faults f = peer_no_faults;
	unsigned i = (unsigned)overridden(m->marker_index, 0);
	bool has = i < fpdu_marker_count(ulpdu, p->tx_markers, p->tx_offset);
	uint16_t pointer = has ? fpdu_marker_pointer(i, p->tx_offset) : 0;

	f.crc = crcs[m->crc];
	f.crc_value = m->crc == CRC_ONES ? 0xffffffffu : m->crc_value;
	f.pad = m->pad.set ? (int)m->pad.v : -1;
	f.pad_after = m->pad_after.set ? (int)m->pad_after.v : -1;
	f.ulpdu_length = m->ulpdu_length.set ? (long)m->ulpdu_length.v : -1;
	f.flip = m->flip.set ? (long)m->flip.v : -1;
	f.marker = i;
	if (m->marker_reserved.set)
		f.marker_reserved = (long)m->marker_reserved.v;
	if (m->marker_pointer_add.set)
		f.marker_pointer =
			(uint16_t)(pointer + m->marker_pointer_add.v);
	if (m->marker_reserved_after.set)
		f.marker_reserved_after = (long)m->marker_reserved_after.v;
	if (m->marker_pointer_or_after.set)
		f.marker_pointer_after =
			(uint16_t)(pointer | m->marker_pointer_or_after.v);
	f.no_markers = m->no_markers;
	f.extra_marker = m->extra_marker;
	return f;
}

/* How the model has to interpret a frame with these faults. */
static enum model_framing framing_of(const struct stream *s,
				     const struct msg *m,
				     const struct frame *sent)
{
	bool broken = m->ulpdu_length.set || m->no_markers || m->extra_marker;

	if (broken || (s->peer.crc && !sent->crc_ok))
		return MODEL_FRAME_CRC_WRONG;
	/* The low two bits of FPDUPTR count as zero (RFC 5044 s4.2). */
	if (m->marker_pointer_add.set && (m->marker_pointer_add.v & ~3ull))
		return MODEL_FRAME_MARKER_WRONG;
	return MODEL_FRAME_RIGHT;
}

void stream_link_failed(struct test *t, struct stream *s,
			enum peer_status status)
{
	switch (status) {
	case PEER_OK:
	case PEER_RESET: /* the device is gone: judge what it sent */
	case PEER_FIN:
		return;
	case PEER_TIMEOUT:
		s->starved = true; /* it does not read; that is allowed */
		return;
	case PEER_FLOOD:
		test_error(t, CAUSE_SUITE, "the case sends too much");
	case PEER_OUT_OF_TURN: /* of what is received alone */
	case PEER_BROKEN:
		test_error(t, CAUSE_SUITE, "the link failed: %s",
			   s->peer.conn->why);
	}
}

/* This fault has no place in a chunk of SCTP. */
static bool is_of_mpa(const struct msg *m)
{
	return m->crc != CRC_RIGHT || m->pad.set || m->pad_after.set ||
	       m->ulpdu_length.set || m->flip.set || m->marker_reserved.set ||
	       m->marker_pointer_add.set || m->marker_reserved_after.set ||
	       m->marker_pointer_or_after.set || m->no_markers ||
	       m->extra_marker;
}

static void fit_session(struct test *t, const struct stream *s,
			const struct send_opts *o)
{
	if (s->association && (is_of_mpa(&o->msg) || o->order.n || o->fin))
		not_applicable(t, "the stream is one of SCTP, which has no "
				  "framing of MPA");
}

static size_t make_cuts(const struct cuts *c, size_t n, size_t *out)
{
	size_t count = 0;

	if (c->first && c->first < n)
		out[count++] = c->first;
	for (size_t at = c->every; c->every && at < n && count < TEST_CUTS;
	     at += c->every)
		out[count++] = at;
	return count;
}

/* The segments of an order, or all but the withheld one. */
static size_t make_plan(const struct stream *s, const struct send_opts *o,
			size_t n, const size_t *cuts, size_t ncuts,
			struct link_segment *plan)
{
	size_t count = 0;
	size_t named = o->order.n ? o->order.n : ncuts + 1;

	for (size_t i = 0; i < named && count < LINK_SEGMENTS_MAX; i++) {
		size_t k = o->order.n ? o->order.number[i] - 1u : i;

		if (k > ncuts || (!o->order.n && k + 1 == s->withhold))
			continue;
		plan[count++] = (struct link_segment){
			.from = k ? cuts[k - 1] : 0,
			.to = k < ncuts ? cuts[k] : n,
			.fin = o->fin && i + 1 == named,
		};
	}
	return count;
}

static bool names_all(const struct order *o, size_t segments)
{
	for (size_t k = 1; o->n && k <= segments; k++)
		if (!memchr(o->number, (int)k, o->n))
			return false;
	return true;
}

/* The case's order of its segments. */
static void flush_script(struct test *t, struct stream *s,
			 const struct send_opts *o, size_t n, size_t *cuts,
			 size_t ncuts)
{
	struct link_segment plan[LINK_SEGMENTS_MAX];

	if (!(t->bed->link->caps & LINK_CAP_SEGMENTS))
		test_error(t, CAUSE_SUITE,
			   "the case places segments without .segments");
	if (!ncuts)
		for (unsigned i = 0; i + 1 < s->bounds; i++)
			cuts[ncuts++] = s->bound[i];
	size_t count = make_plan(s, o, n, cuts, ncuts, plan);

	meets_write(t, s, n, cuts, ncuts, o->keep_last);
	s->withheld = s->withhold || !names_all(&o->order, ncuts + 1);
	s->withhold = 0;
	stream_link_failed(
		t, s, peer_flush_segments(&s->peer, plan, count, o->keep_last));
}

/* The order that --segmentation asks for. */
static bool flush_scripted(struct test *t, struct stream *s, size_t n,
			   const size_t *cuts, size_t ncuts, size_t keep)
{
	struct link_segment plan[LINK_SEGMENTS_MAX];
	const struct segmentation *how = &t->bed->segmentation;

	if (!segmentation_is_scripted(how) || n > 1u << 16 ||
	    2 * (ncuts + 1) > LINK_SEGMENTS_MAX)
		return false;
	size_t count =
		segmentation_plan(how, n, cuts, ncuts, plan, LINK_SEGMENTS_MAX);

	stream_link_failed(t, s,
			   peer_flush_segments(&s->peer, plan, count, keep));
	return true;
}

static void flush(struct test *t, struct stream *s, const struct send_opts *o)
{
	size_t cuts[TEST_CUTS];
	size_t keep = o->keep_last;
	size_t n = s->peer.held_octets > keep ? s->peer.held_octets - keep : 0;
	size_t ncuts = make_cuts(&o->cuts, n, cuts);

	test_rests_on_write(t, s, n);
	if (o->order.n || s->withhold || o->fin) {
		flush_script(t, s, o, n, cuts, ncuts);
	} else {
		if (!ncuts)
			ncuts = segmentation_cuts(&t->bed->segmentation, n,
						  t->writes++, cuts, TEST_CUTS);
		meets_write(t, s, n, cuts, ncuts, keep);
		if (!flush_scripted(t, s, n, cuts, ncuts, keep))
			stream_link_failed(t, s,
					   peer_flush(&s->peer, cuts, ncuts,
						      keep, test_deadline(t)));
	}
	s->bounds = 0;
}

static void send_segment(struct test *t, struct stream *s,
			 const struct send_opts *o,
			 const struct ddp_segment *seg, bool faulty)
{
	const struct msg *m = &o->msg;
	uint8_t *ulpdu = test_alloc(t, seg->payload_octets + 32);
	size_t n = ddp_encode(seg, ulpdu, seg->payload_octets + 32);

	if (faulty && m->ulpdu_cut.set && m->ulpdu_cut.v < n)
		n = m->ulpdu_cut.v;
	struct peer_faults f =
		faulty ? faults_of(m, &s->peer, (uint16_t)n) : peer_no_faults;
	const struct frame *sent;
	struct model_outcomes out;

	test_stands_on_pad(t, s, n);
	stream_link_failed(t, s, peer_frame(&s->peer, ulpdu, n, &f, &sent));
	/* Only a CRC can detect it. */
	if (faulty && !dut_has_crcs(t) &&
	    (!sent->crc_ok || framing_of(s, m, sent) == MODEL_FRAME_CRC_WRONG))
		not_applicable(t, "the device has no CRCs");
	meets_segment_sent(t, s, seg, sent);
	if (s->bounds < sizeof(s->bound) / sizeof(s->bound[0]))
		s->bound[s->bounds++] = s->peer.held_octets;
	if (!s->full)
		return;
	excuse_frame(t, s, o, seg, sent);
	s->peer_inside = !seg->ddp.last;
	if (seg->ddp.tagged && seg->ddp.opcode == RDMAP_WRITE)
		s->unseen |= seg->payload_octets > 0;
	else if (!seg->ddp.tagged && seg->ddp.qn == DDP_QN_SEND)
		s->unseen = false;
	if (seg->ddp.opcode == RDMAP_TERMINATE && seg->ddp.last)
		s->peer_terminated = true;
	model_peer_sends(s->model, &sent->seg,
			 faulty ? framing_of(s, m, sent) : MODEL_FRAME_RIGHT,
			 &out);
}

/*
 * A Request waits for room in the device's IRD (RFC 5040 s6.1): until there is,
 * Responses are received and kept for the case. Atomics count, since a device
 * may count them (RFC 7306 s5.2). A case that exceeds the IRD says so.
 */
static void await_room(struct test *t, struct stream *s, const struct msg *m)
{
	if ((m->opcode != RDMAP_READ_REQUEST &&
	     m->opcode != RDMAP_ATOMIC_REQUEST) ||
	    !s->full || !s->peer_ord || peer_may_break(t, RDMAP_6_1_02.index))
		return;
	if (s->model->asked < s->peer_ord || stream_over(s))
		return;
	flush(t, s, &(struct send_opts){0});
	/* Programs do not look at each answer: all are received, and then as
	 * many Requests can be sent at once. */
	uint32_t left = t->bed->exploring ? 0 : s->peer_ord - 1;

	while (s->model->asked > left && !stream_over(s))
		if (!stream_pull(t, s))
			return;
}

unsigned peer_ord(struct test *t)
{
	return live_stream(t)->peer_ord;
}

/* Every path has room for so many octets. */
#define ROOM_ANYWHERE 256u

/*
 * The longest ULPDU that the peer makes of so many octets if the case does not
 * set it: at most MULPDU, on a path with a smaller MTU than most (RFC 5041
 * s5.2; by RFC 5044 s3 the device need not accept a longer one).
 */
static size_t longest_ulpdu(const struct stream *s, size_t octets)
{
	uint32_t mulpdu = 0;

	if (!s->association && octets > ROOM_ANYWHERE)
		mulpdu = stream_peer_mulpdu(s);
	return mulpdu && mulpdu < DIMENSION_MULPDU ? mulpdu : DIMENSION_MULPDU;
}

void stream_send(struct test *t, struct stream *s, const struct send_opts *said)
{
	struct send_opts named = *said;
	const struct send_opts *o = &named;
	const struct msg *m = &o->msg;

	buffer_names(t, s, &named.msg);
	fit_session(t, s, o);
	await_room(t, s, m);
	size_t n, from = 0;
	const uint8_t *body = body_of(t, m, &n);
	bool tagged = is_tagged(m);
	size_t header = ddp_header_octets(tagged);
	size_t room = longest_ulpdu(s, header + n) - header;
	size_t step = m->segment ? m->segment : room;

	if (n > room && step > room && step <= DIMENSION_MULPDU - header)
		not_applicable(t, "the path's MULPDU is less");
	uint32_t qn = (uint32_t)overridden(m->qn, default_qn(m));
	uint32_t msn = 0;
	size_t segments = 0;

	if (!t->bed->hello.max_ird && (m->opcode == RDMAP_READ_REQUEST ||
				       m->opcode == RDMAP_ATOMIC_REQUEST))
		not_applicable(t, "the device has IRD 0, and accepts no Read "
				  "or Atomic Requests");
	if (o->early && s->model)
		model_provoked(s->model);
	if (!s->full && !o->early)
		test_error(t, CAUSE_SUITE, "not in Full Operation yet");
	if (!tagged) {
		msn = (uint32_t)overridden(
			m->msn, qn < PEER_QUEUES ? s->peer.msn[qn] : 1);
		/* A given MSN is used up, too, if it was the next one. */
		if (qn < PEER_QUEUES && msn == s->peer.msn[qn] && !m->keeps_msn)
			s->peer.msn[qn]++;
	}
	s->to_queue_0 |= !tagged && qn == DDP_QN_SEND;
	meets_message(t, s, &said->msg, n, tagged ? PEER_QUEUES : qn);
	test_rests_on_message(t, s, said, tagged ? PEER_QUEUES : qn,
			      n > step || m->l.set || overridden(m->mo, 0));
	do {
		size_t part = n - from < step ? n - from : step;
		bool last = from + part == n;
		struct ddp_segment seg = {
			.ddp = header_of(m, from, last, qn, msn),
			.payload = body + from,
			.payload_octets = part,
		};

		send_segment(t, s, o, &seg, last);
		from += part;
		segments++;
	} while (from < n);
	meets_message_sent(t, s, &said->msg, segments);
	s->dirty = true;
	s->starved = false;
	test_acts(t);
	s->kept = o->keep_last;
	if (!o->hold)
		flush(t, s, o);
}

void case_peer_sends(struct test *t, const struct send_opts *o)
{
	struct stream *s = live_stream(t);

	test_stands_on_message(t, s, &o->msg);
	stream_send(t, s, o);
	unasked_answer(t, s);
}

void peer_goes_on(struct test *t)
{
	struct stream *s = live_stream(t);

	s->kept = 0;
	s->starved = false;
	test_acts(t);
	flush(t, s, &(struct send_opts){0});
}

void peer_sends_octets(struct test *t, const void *octets, size_t n)
{
	struct stream *s = live_stream(t);

	if (s->association)
		not_applicable(
			t,
			"the stream runs over SCTP, which carries only chunks");
	s->starved = false;
	s->dirty = true;
	if (t->regions)
		alone_asks(t, "to know which octets name its memory");
	s->to_queue_0 = true; /* as far as they are known */
	test_acts(t);
	stream_link_failed(t, s,
			   peer_send(&s->peer, OBSERVE_OCTETS_SENT, octets, n,
				     NULL, 0, test_deadline(t)));
	if (s->full)
		s->peer.tx_offset += (uint32_t)n;
}

void peer_closes(struct test *t)
{
	struct stream *s = live_stream(t);

	s->starved = false;
	test_acts(t);
	stream_link_failed(t, s, peer_close_sending(&s->peer));
}

void peer_closes_behind_terminate(struct test *t)
{
	if (the_terminate(t))
		peer_closes(t);
}

void peer_resets(struct test *t)
{
	struct stream *s = live_stream(t);

	test_acts(t);
	stream_link_failed(t, s, peer_reset(&s->peer));
}

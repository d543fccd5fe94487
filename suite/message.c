/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the peer sends and the device sent, as the language of a case speaks
 * of it: messages into segments, startup frames, messages put together.
 */
#include "suite/test.h"

#include <string.h>

#define PEER_ULPDU 1442 /* MULPDU for an EMSS of 1460, with markers */
#define CUTS_MAX   4096

/* --- a message into segments ------------------------------------------ */

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

/* The message's octets behind the DDP header: its RDMAP header, if it has
 * one, and what follows. */
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

static uint64_t over(struct over o, uint64_t otherwise)
{
	return o.set ? o.v : otherwise;
}

static struct ddp header_of(const struct msg *m, size_t from, bool last,
			    uint32_t qn, uint32_t msn)
{
	struct ddp d = {
		.tagged = is_tagged(m),
		.last = over(m->l, last),
		.rsvd = (uint8_t)over(m->rsvd, 0),
		.dv = (uint8_t)over(m->dv, DDP_VERSION),
		.rv = (uint8_t)over(m->rv, RDMAP_VERSION),
		.rdmap_rsvd = (uint8_t)over(m->rdmap_rsvd, 0),
		.opcode = (uint8_t)over(m->opcode_field, m->opcode),
	};

	if (d.tagged) {
		d.stag = (uint32_t)over(m->stag_field, m->stag);
		d.to = over(m->to_field, m->to) + from;
	} else {
		d.inval_stag = m->inval;
		d.qn = qn;
		d.msn = msn;
		d.mo = (uint32_t)(over(m->mo, 0) + from);
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
	unsigned i = (unsigned)over(m->marker_index, 0);
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

/* How the model has to take a frame with these faults. */
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

static void link_failed(struct test *t, struct stream *s,
			enum peer_status status)
{
	switch (status) {
	case PEER_OK:
	case PEER_RESET: /* the device is gone: what it sent is judged */
	case PEER_FIN:
		return;
	case PEER_TIMEOUT:
		s->starved = true; /* it does not read; so be it */
		return;
	case PEER_FLOOD:
		test_error(t, CAUSE_SUITE, "the case sends too much");
	case PEER_BROKEN:
		test_error(t, CAUSE_SUITE, "the link failed: %s",
			   s->peer.conn->why);
	}
}

static size_t make_cuts(const struct cuts *c, size_t n, size_t *out)
{
	size_t count = 0;

	if (c->first && c->first < n)
		out[count++] = c->first;
	for (size_t at = c->every; c->every && at < n && count < CUTS_MAX;
	     at += c->every)
		out[count++] = at;
	return count;
}

/* The segments of an order, or all of them but the one to be withheld. */
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

/* What the case says of its segments. */
static void flush_script(struct test *t, struct stream *s,
			 const struct send_opts *o, size_t n, size_t *cuts,
			 size_t ncuts)
{
	struct link_segment plan[LINK_SEGMENTS_MAX];

	if (!(t->env->link->caps & LINK_CAP_SEGMENTS))
		test_error(t, CAUSE_SUITE,
			   "the case places segments without .segments");
	if (!ncuts)
		for (unsigned i = 0; i + 1 < s->bounds; i++)
			cuts[ncuts++] = s->bound[i];
	size_t count = make_plan(s, o, n, cuts, ncuts, plan);

	s->withheld = s->withhold || !names_all(&o->order, ncuts + 1);
	s->withhold = 0;
	link_failed(t, s,
		    peer_flush_segments(&s->peer, plan, count, o->keep_last));
}

/* What --segmentation says of them. */
static bool flush_scripted(struct test *t, struct stream *s, size_t n,
			   const size_t *cuts, size_t ncuts, size_t keep)
{
	struct link_segment plan[LINK_SEGMENTS_MAX];
	const struct segmentation *how = &t->env->segmentation;

	if (!segmentation_is_scripted(how) || n > 1u << 16 ||
	    2 * (ncuts + 1) > LINK_SEGMENTS_MAX)
		return false;
	size_t count =
		segmentation_plan(how, n, cuts, ncuts, plan, LINK_SEGMENTS_MAX);

	link_failed(t, s, peer_flush_segments(&s->peer, plan, count, keep));
	return true;
}

static void flush(struct test *t, struct stream *s, const struct send_opts *o)
{
	size_t cuts[CUTS_MAX];
	size_t keep = o->keep_last;
	size_t n = s->peer.held_octets > keep ? s->peer.held_octets - keep : 0;
	size_t ncuts = make_cuts(&o->cuts, n, cuts);

	if (o->order.n || s->withhold || o->fin) {
		flush_script(t, s, o, n, cuts, ncuts);
	} else {
		if (!ncuts)
			ncuts = segmentation_cuts(&t->env->segmentation, n,
						  t->writes++, cuts, CUTS_MAX);
		if (!flush_scripted(t, s, n, cuts, ncuts, keep))
			link_failed(t, s,
				    peer_flush(&s->peer, cuts, ncuts, keep,
					       test_deadline(t)));
	}
	s->bounds = 0;
}

static void send_segment(struct test *t, struct stream *s, const struct msg *m,
			 const struct ddp_segment *seg, bool faulty)
{
	uint8_t *ulpdu = test_alloc(t, seg->payload_octets + 32);
	size_t n = ddp_encode(seg, ulpdu, seg->payload_octets + 32);

	if (faulty && m->ulpdu_cut.set && m->ulpdu_cut.v < n)
		n = m->ulpdu_cut.v;
	struct peer_faults f =
		faulty ? faults_of(m, &s->peer, (uint16_t)n) : peer_no_faults;
	const struct frame *sent;
	struct model_outcomes out;

	link_failed(t, s, peer_frame(&s->peer, ulpdu, n, &f, &sent));
	if (s->bounds < sizeof(s->bound) / sizeof(s->bound[0]))
		s->bound[s->bounds++] = s->peer.held_octets;
	if (!s->full)
		return;
	model_peer_sends(s->model, &sent->seg,
			 faulty ? framing_of(s, m, sent) : MODEL_FRAME_RIGHT,
			 &out);
}

void case_peer_sends(struct test *t, const struct send_opts *o)
{
	const struct msg *m = &o->msg;
	struct stream *s = live_stream(t);
	size_t n, from = 0;
	const uint8_t *body = body_of(t, m, &n);
	bool tagged = is_tagged(m);
	size_t room = PEER_ULPDU - ddp_header_octets(tagged);
	size_t step = m->segment ? m->segment : room;
	uint32_t qn = (uint32_t)over(m->qn, default_qn(m));
	uint32_t msn = 0;

	if (o->early && s->model)
		model_provoked(s->model);
	if (!s->full && !o->early)
		test_error(t, CAUSE_SUITE, "not in Full Operation yet");
	if (!tagged) {
		msn = (uint32_t)over(m->msn,
				     qn < PEER_QUEUES ? s->peer.msn[qn] : 1);
		/* One that was given is used up too, if it was the next. */
		if (qn < PEER_QUEUES && msn == s->peer.msn[qn] && !m->keeps_msn)
			s->peer.msn[qn]++;
	}
	do {
		size_t part = n - from < step ? n - from : step;
		bool last = from + part == n;
		struct ddp_segment seg = {
			.ddp = header_of(m, from, last, qn, msn),
			.payload = body + from,
			.payload_octets = part,
		};

		send_segment(t, s, m, &seg, last);
		from += part;
	} while (from < n);
	s->dirty = true;
	s->starved = false;
	s->kept = o->keep_last;
	if (!o->hold)
		flush(t, s, o);
}

void peer_goes_on(struct test *t)
{
	struct stream *s = live_stream(t);

	s->kept = 0;
	s->starved = false;
	flush(t, s, &(struct send_opts){0});
}

void peer_sends_octets(struct test *t, const void *octets, size_t n)
{
	struct stream *s = live_stream(t);

	s->starved = false;
	s->dirty = true;
	link_failed(t, s,
		    peer_send(&s->peer, OBSERVE_OCTETS_SENT, octets, n, NULL, 0,
			      test_deadline(t)));
	if (s->full)
		s->peer.tx_offset += (uint32_t)n;
}

void peer_closes(struct test *t)
{
	struct stream *s = live_stream(t);

	s->starved = false;
	link_failed(t, s, peer_close_sending(&s->peer));
}

void peer_resets(struct test *t)
{
	struct stream *s = live_stream(t);

	link_failed(t, s, peer_reset(&s->peer));
}

uint32_t peer_offset(struct test *t)
{
	return live_stream(t)->peer.tx_offset;
}

/* The payload of a Send whose FPDU starts at offset `from` and ends at `end`. */
static size_t payload_between(struct test *t, uint32_t from, uint32_t end,
			      bool markers)
{
	for (uint32_t n = DDP_UNTAGGED_OCTETS; n <= FPDU_ULPDU_MAX; n++) {
		size_t octets = fpdu_octets((uint16_t)n, markers, from);

		if (from + octets == end)
			return n - DDP_UNTAGGED_OCTETS;
		if (from + octets > end)
			break;
	}
	test_error(t, CAUSE_SUITE, "no FPDU from offset %u ends at %u", from,
		   end);
}

size_t send_payload_up_to(struct test *t, uint32_t end)
{
	const struct peer *p = &live_stream(t)->peer;

	return payload_between(t, p->tx_offset, end, p->tx_markers);
}

uint32_t dut_offset(struct test *t)
{
	return live_stream(t)->peer.rx_offset;
}

size_t dut_send_payload_up_to(struct test *t, uint32_t end)
{
	const struct peer *p = &live_stream(t)->peer;

	return payload_between(t, p->rx_offset, end, p->rx_markers);
}

unsigned path_emss(struct test *t)
{
	uint32_t emss = link_emss(live_stream(t)->peer.conn);

	if (!emss)
		not_applicable(t, "the link does not tell the EMSS");
	return emss;
}

unsigned path_mulpdu(struct test *t)
{
	return fpdu_mulpdu(path_emss(t), live_stream(t)->peer.rx_markers);
}

uint32_t stag_never_issued(struct test *t)
{
	uint32_t stag = 0x7a11f00d;

	for (unsigned i = 0; i < t->regions; i++)
		if ((t->region[i].r.stag & ~0xffu) == (stag & ~0xffu)) {
			stag += 0x01010100;
			i = 0;
		}
	return stag;
}

/* --- startup frames ------------------------------------------------------ */

static size_t startup_octets(struct test *t, const struct startup *f,
			     uint8_t **out, struct mpa_startup *frame)
{
	size_t head = f->enhanced ? MPA_ENHANCED_OCTETS : 0;
	uint8_t *pd = test_alloc(t, head + f->private_octets);

	if (f->enhanced)
		mpa_enhanced_encode(
			&(struct mpa_enhanced){.a = f->a,
					       .b = f->b,
					       .c = f->c,
					       .d = f->d,
					       .ird = (uint16_t)f->ird,
					       .ord = (uint16_t)f->ord},
			pd);
	if (f->private_octets)
		memcpy(pd + head, f->private_data, f->private_octets);
	*frame = (struct mpa_startup){
		.flags = (uint8_t)((f->no_crc ? 0 : MPA_C) |
				   (f->m ? MPA_M : 0) | (f->r ? MPA_R : 0) |
				   (over(f->s, f->enhanced) ? MPA_S : 0) |
				   (f->reserved & MPA_RESERVED)),
		.rev = (uint8_t)over(f->rev, f->enhanced ? 2 : 1),
		.private_data = pd,
		.private_octets = head + f->private_octets,
	};
	frame->pd_length = (uint16_t)over(f->pd_length, frame->private_octets);
	memcpy(frame->key,
	       f->key     ? (const uint8_t *)f->key
	       : f->reply ? mpa_key_reply
			  : mpa_key_request,
	       MPA_KEY_OCTETS);
	size_t cap = MPA_HEADER_OCTETS + frame->private_octets;

	*out = test_alloc(t, cap);
	return mpa_startup_encode(frame, *out, cap);
}

/* The Reply of a case that did not ask for an enhanced Request and says
 * nothing of its own revision: it has to fit the one that came. */
static void fit_request(struct test *t, const struct stream *s,
			struct startup *f)
{
	if (!s->enhanced_anyway || !f->reply || f->enhanced || f->rev.set ||
	    f->s.set || f->key)
		return;
	if (f->private_octets + MPA_ENHANCED_OCTETS > MPA_PRIVATE_MAX)
		not_applicable(t, "the device's Requests are all enhanced, "
				  "and leave its peer no room for this");
	f->enhanced = true;
	f->ird = f->ord = 16;
}

void peer_sends_startup_part(struct test *t, struct startup f, size_t from,
			     size_t to)
{
	struct stream *s = live_stream(t);
	uint8_t *octets;
	size_t n;

	fit_request(t, s, &f);
	n = startup_octets(t, &f, &octets, &s->sent_frame);

	if (f.octets.set && f.octets.v < n)
		n = f.octets.v;
	if (to && to < n)
		n = to;
	if (from > n)
		from = n;
	s->sent_startup = true;
	s->starved = false;
	size_t cuts[CUTS_MAX];
	size_t ncuts = segmentation_cuts(&t->env->segmentation, n - from,
					 t->writes++, cuts, CUTS_MAX);

	link_failed(t, s,
		    f.hold ? peer_hold(&s->peer, OBSERVE_STARTUP_SENT,
				       octets + from, n - from)
			   : peer_send(&s->peer, OBSERVE_STARTUP_SENT,
				       octets + from, n - from, cuts, ncuts,
				       test_deadline(t)));
}

void peer_sends_startup(struct test *t, struct startup f)
{
	peer_sends_startup_part(t, f, 0, 0);
}

/* --- what the device sent -------------------------------------------------- */

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

uint32_t frame_offset(const struct frame *f)
{
	return f->fpdu->offset;
}

const struct frame *next_frame(struct test *t)
{
	struct stream *s = live_stream(t);

	if (s->taken == s->frame_count && !stream_pull(t, s))
		return NULL;
	return s->frames[s->taken++];
}

unsigned responses_until_the_end(struct test *t)
{
	const struct frame *f;
	unsigned n = 0;

	while ((f = next_frame(t)))
		n += f->seg.ddp.opcode == RDMAP_READ_RESPONSE;
	return n;
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
	return (unsigned)(s->frame_count - s->taken);
}

const struct frame *the_terminate(struct test *t)
{
	struct stream *s = live_stream(t);

	stream_pull_to_end(t, s);
	return s->terminate;
}

const struct frame *case_awaits(struct test *t, struct req_must req,
				unsigned opcode)
{
	const struct frame *f = next_frame(t);

	if (!f)
		test_fail(t, req.index, "due:  %s\nseen: %s",
			  rdmap_opcode_name((uint8_t)opcode),
			  stream_end_text(t, live_stream(t)));
	if (f->seg.short_header || f->seg.ddp.opcode != opcode)
		test_fail(t, req.index, "due:  %s\nseen: %s [%s]",
			  rdmap_opcode_name((uint8_t)opcode),
			  test_frame_text(t, f), test_frame_hex(t, f, 96));
	return f;
}

struct message case_awaits_message(struct test *t, struct req_must req,
				   unsigned opcode)
{
	struct stream *s = live_stream(t);
	size_t first = s->taken, n = 0;

	while (!case_awaits(t, req, opcode)->seg.ddp.last)
		continue;
	struct message m = {.opcode = opcode, .count = s->taken - first};
	const struct frame **frames = test_alloc(t, m.count * sizeof(*frames));

	for (size_t i = 0; i < m.count; i++) {
		frames[i] = s->frames[first + i];
		n += frames[i]->seg.payload_octets;
	}
	uint8_t *octets = test_alloc(t, n);

	for (size_t i = 0; i < m.count; i++) {
		const struct ddp_segment *seg = &frames[i]->seg;

		memcpy(octets + m.n, seg->payload, seg->payload_octets);
		m.n += seg->payload_octets;
	}
	m.frames = frames;
	m.octets = octets;
	return m;
}

size_t largest_ulpdu(const struct message *m)
{
	size_t most = 0;

	for (size_t i = 0; i < m->count; i++)
		if (m->frames[i]->fpdu->ulpdu_length > most)
			most = m->frames[i]->fpdu->ulpdu_length;
	return most;
}

/* --- startup, step by step --------------------------------------------------- */

struct startup_seen dut_startup(struct test *t)
{
	struct stream *s = live_stream(t);
	struct startup_seen seen = {0};
	/* A device may take its whole startup timeout before it gives up. */
	uint64_t deadline = test_deadline(t) +
			    t->env->hello.startup_timeout_ms * 1000000ull;
	enum peer_status status =
		peer_receive_startup(&s->peer, deadline, &seen.octets, &seen.n);

	seen.closed = status == PEER_FIN || status == PEER_RESET;
	seen.reset = status == PEER_RESET;
	if (seen.closed)
		s->end = seen.reset ? STREAM_RESET : STREAM_FIN;
	if (status == PEER_TIMEOUT)
		s->starved = true;
	if (status == PEER_BROKEN)
		link_failed(t, s, status);
	const uint8_t *meant =
		reread_startup(t, s->role == INITIATOR, seen.octets, seen.n);

	if (!mpa_startup_decode(&seen.frame, meant, seen.n))
		return seen;
	seen.came = status == PEER_OK;
	seen.ulp_private = seen.frame.private_data;
	seen.ulp_private_octets = seen.frame.private_octets;
	if ((seen.frame.flags & MPA_S) &&
	    seen.frame.private_octets >= MPA_ENHANCED_OCTETS) {
		seen.has_enhanced = true;
		mpa_enhanced_decode(&seen.enhanced, seen.frame.private_data);
		seen.ulp_private += MPA_ENHANCED_OCTETS;
		seen.ulp_private_octets -= MPA_ENHANCED_OCTETS;
	}
	if (seen.came)
		stream_startup_seen(t, s, &seen.frame);
	return seen;
}

struct startup_seen case_awaits_startup(struct test *t, struct req_must req)
{
	struct startup_seen seen = dut_startup(t);

	if (!seen.came)
		test_fail(t, req.index, "due:  a startup frame\nseen: %s%s",
			  seen.closed ? (seen.reset ? "RST" : "FIN")
				      : "nothing until the deadline",
			  seen.n ? test_format(
					   t, " after %zu octets: %s", seen.n,
					   test_hex(t, seen.octets, seen.n, 32))
				 : "");
	return seen;
}

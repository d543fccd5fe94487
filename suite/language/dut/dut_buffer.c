/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device without an agent: the buffer that its ULP has advertised, in place
 * of memory that an agent registers.
 */
#include "suite/language/execution/execution.h"

#include <string.h>

#include "harness/link/clock.h"
#include "suite/device/target.h"

enum {
	PAGE = 4096,
	PIECE = 1024, /* octets of one RDMA Read, as discovery has proved it */
	NEAR = 2,     /* bits that STags of a case may differ by */
};
#define STAND_IN    0xb7a6c4d1u /* STags of regions, until they are known */
#define STAND_IN_TO 0x7f5a00000000ull
#define SINK_STAG   0x5eedc000u
#define PROOF_MOST  (3ull * CLOCK_NS_PER_S)

bool alone_has_buffer(const struct test *t)
{
	return test_alone(t) && t->bed->ulp.buffer.len;
}

/* --- parts of it ----------------------------------------------------- */

static uint32_t stand_in(unsigned number)
{
	return STAND_IN ^ number * 0x9e3779b1u;
}

static size_t aligned(size_t off, const struct region_opts *o)
{
	size_t align = o->align ? o->align : o->skew ? PAGE : 64;
	size_t skew = o->skew % align;

	return (off + align - 1 - skew) / align * align + skew;
}

static bool has_rights(const struct test *t, unsigned access)
{
	const unsigned remote = REMOTE_READ | REMOTE_WRITE | REMOTE_ATOMIC;

	return !(access & remote & ~t->bed->ulp.buffer.access);
}

/* Why this cannot be a part of the buffer; NULL: it can. */
static const char *why_absent(const struct test *t, const struct region_opts *o,
			      size_t off)
{
	size_t most = t->bed->ulp.buffer.len;

	if (!alone_has_buffer(t) || o->zero_based || o->bound || o->shared ||
	    o->pd || o->align > PAGE ||
	    (t->buffer.used && t->buffer.raced != o->raced))
		return "to use memory of its own";
	if (!has_rights(t, o->access))
		return "to use memory with other rights";
	return off > most || o->len > most - off ? "to use a larger buffer"
						 : NULL;
}

struct region buffer_allots(struct test *t, const struct region_opts *o)
{
	struct test_region *r = &t->region[t->regions];
	size_t off = aligned(t->buffer.octets, o);

	*r = (struct test_region){
		.opts = *o,
		.absent = why_absent(t, o, off),
		.off = off,
		.kept = test_alloc(t, o->len),
		.r = {.number = t->regions,
		      .stag = stand_in(t->regions),
		      .to = STAND_IN_TO + off,
		      .len = o->len},
	};
	memset(r->kept, 0, o->len);
	test_acts(t);
	t->regions++;
	if (r->absent)
		return r->r;
	if (!t->buffer.used && !o->raced)
		t->buffer.shadow = test_alloc(t, t->bed->ulp.buffer.len);
	t->buffer.used = true;
	t->buffer.raced = o->raced;
	t->buffer.octets = off + o->len;
	r->shadow = o->raced ? NULL : t->buffer.shadow + off;
	return r->r;
}

/* --- where it is ------------------------------------------------------ */

static bool told_by_reply(const struct stream *s, const struct device_buffer *b,
			  struct device_buffer *found)
{
	const struct mpa_startup *f = &s->seen_frame;
	struct mpa_enhanced e;
	size_t own = model_enhanced(f, &e) ? 4 : 0;

	return device_buffer_of(b, f->private_data + own,
				f->private_octets - own, found);
}

static bool told_by_send(struct test *t, struct stream *s,
			 const struct device_buffer *b,
			 struct device_buffer *found)
{
	s->saw_send = s->first_send != NULL;
	while (!s->saw_send && stream_pull_any(t, s))
		s->saw_send = s->first_send != NULL;
	return s->saw_send &&
	       device_buffer_of(b, s->first_send->seg.payload,
				s->first_send->seg.payload_octets, found);
}

void buffer_finds(struct test *t, struct stream *s)
{
	const struct device_buffer *b = &t->bed->device->buffer;
	struct device_buffer found = *b;
	bool ok = b->where == BUFFER_GIVEN;

	if (s->has_buffer)
		return;
	if (b->where == BUFFER_PRIVATE_DATA)
		ok = told_by_reply(s, b, &found);
	else if (b->where == BUFFER_SEND)
		ok = told_by_send(t, s, b, &found);
	if (!ok)
		not_applicable(t, "the ULP has advertised no buffer on this "
				  "connection");
	size_t shift = (PAGE - found.to % PAGE) % PAGE;

	if (found.len < shift || found.len - shift < t->buffer.octets)
		not_applicable(t,
			       "the ULP's buffer is too small: %zu octets are "
			       "needed",
			       shift + t->buffer.octets);
	s->has_buffer = true;
	s->buffer_stag = found.stag;
	s->buffer_to = found.to + shift;
	s->buffer_first = found.to;
	s->buffer_behind = found.to + found.len;
	if (!t->bed->ulp.looking)
		return;
	/* What is found out now is its size. */
	found.len -= shift;
	t->bed->ulp.buffer.len = found.len < sizeof(uint64_t) ? 0
				 : found.len < BUFFER_MOST ? (size_t)found.len
							   : BUFFER_MOST;
}

static unsigned model_rights(unsigned access)
{
	return MODEL_LW | (access & REMOTE_READ ? MODEL_RR : 0) |
	       (access & REMOTE_WRITE ? MODEL_RW : 0) |
	       (access & REMOTE_ATOMIC ? MODEL_RA : 0);
}

/* --- what goes there, and comes from there ------------------------------ */

void buffer_sends(struct test *t, struct stream *s, struct msg m)
{
	unsigned before = t->current;
	bool laying = t->buffer.laying;

	t->buffer.laying = true;
	t->current = (unsigned)(s - t->stream);
	stream_send(t, s, &(struct send_opts){.msg = m});
	t->current = before;
	t->buffer.laying = laying;
}

static bool takes_piece(struct stream *s, uint32_t sink, uint8_t *octets,
			size_t n, bool *last)
{
	const struct frame *f = s->frames[s->frame_count - 1];
	const struct ddp *d = &f->seg.ddp;

	*last = false;
	if (!d->tagged || d->opcode != RDMAP_READ_RESPONSE || d->stag != sink)
		return false;
	uint64_t at = d->to - PEER_SINK_TO;

	*last = d->last;
	s->frame_count--;
	if (at > n || f->seg.payload_octets > n - at)
		return false;
	memcpy(octets + at, f->seg.payload, f->seg.payload_octets);
	return true;
}

static bool reads_piece(struct test *t, struct stream *s, uint64_t to,
			uint8_t *octets, size_t n)
{
	uint32_t sink = SINK_STAG + t->fences++ % PAGE;
	size_t got = 0;
	bool last;

	buffer_sends(t, s,
		     READ_FROM(s->buffer_stag, to, (uint32_t)n,
			       .read.sink_stag = sink));
	while (got < n && stream_pull(t, s)) {
		size_t more = s->frames[s->frame_count - 1]->seg.payload_octets;

		if (takes_piece(s, sink, octets, n, &last))
			got += more;
		if (last)
			break;
	}
	s->dirty = got != n;
	return got == n;
}

bool buffer_reads(struct test *t, struct stream *s, uint64_t to,
		  uint8_t *octets, size_t n)
{
	/* It is memory that is looked at, and not the Read. */
	if (s->model)
		model_region_doubt(s->model, s->buffer_stag, to, n);
	for (size_t at = 0; at < n; at += PIECE)
		if (!reads_piece(t, s, to + at, octets + at,
				 n - at < PIECE ? n - at : PIECE))
			return false;
	return true;
}

static void write_part(struct test *t, struct stream *s,
		       const struct test_region *r, size_t off, size_t n)
{
	if (!n)
		return;
	buffer_sends(t, s,
		     WRITE_TO(s->buffer_stag, s->buffer_to + r->off + off,
			      r->kept + off, n));
}

/* A part that must not be written to keeps its content. */
static void lay_region(struct test *t, struct stream *s, struct test_region *r)
{
	bool writable = t->bed->ulp.buffer.access & REMOTE_WRITE;

	if (writable)
		write_part(t, s, r, 0, r->r.len);
	else if (!buffer_reads(t, s, s->buffer_to + r->off, r->kept, r->r.len))
		alone_excuses(t, "its buffer cannot be read");
	else if (r->shadow)
		memcpy(r->shadow, r->kept, r->r.len);
	r->laid = true;
}

/* Other streams need not see what this stream has written (RFC 5040 s5.5). */
static void is_only_one(struct test *t, const struct stream *s)
{
	if (t->buffer.on && t->buffer.on != (unsigned)(s - t->stream) + 1)
		alone_asks(t, "to use the same memory on several streams");
}

static void tell_model(struct test *t, struct stream *s)
{
	const struct ulp_buffer *b = &t->bed->ulp.buffer;

	if (!s->model || model_region(s->model, s->buffer_stag))
		return;
	model_region_add(s->model, &(struct model_region){
					   .stag = s->buffer_stag,
					   .to = s->buffer_to,
					   .len = b->len,
					   .access = model_rights(b->access),
					   .pd = s->opts.pd,
					   .shadow = t->buffer.shadow,
				   });
}

static bool is_due(const struct test_region *r)
{
	return !r->laid && !r->absent;
}

/* True: Writes were sent, and later Writes may be placed before them, unless a
 * Read comes in between (RFC 5040 s5.5). */
static bool lay(struct test *t, struct stream *s)
{
	bool any = false;

	if (!s->has_buffer) {
		buffer_finds(t, s);
		tell_model(t, s);
		is_only_one(t, s);
	}
	for (unsigned i = 0; i < t->regions; i++)
		any |= is_due(&t->region[i]);
	if (!any)
		return false;
	if (!stream_can_fence(t, s) || s->opts.counts_fpdus)
		alone_asks(t,
			   "to fill memory before the stream carries octets");
	t->buffer.on = (unsigned)(s - t->stream) + 1;
	for (unsigned i = 0; i < t->regions; i++)
		if (is_due(&t->region[i]))
			lay_region(t, s, &t->region[i]);
	return true;
}

static void lay_now(struct test *t, struct stream *s)
{
	if (lay(t, s))
		stream_fence(t, s);
}

/* The ULP may advertise the buffer only when it may send (RFC 5044 s7.1.2). */
static void speak_first(struct test *t, struct stream *s)
{
	if (t->bed->device->buffer.where == BUFFER_SEND &&
	    s->role == RESPONDER && !s->model->rx_frames)
		buffer_sends(t, s,
			     WRITE_TO(PEER_SINK_STAG, PEER_SINK_TO, "", 0));
}

void buffer_begins(struct test *t, struct stream *s)
{
	if (!alone_has_buffer(t) || !t->buffer.used || t->buffer.laying ||
	    !stream_can_fence(t, s) || s->opts.counts_fpdus)
		return;
	speak_first(t, s);
	lay(t, s);
}

void buffer_fills(struct test *t, struct region r, size_t off,
		  const uint8_t *octets, size_t n)
{
	struct test_region *tr = dut_region(t, r);

	if (!tr->absent && !(t->bed->ulp.buffer.access & REMOTE_WRITE))
		tr->absent = "to use memory with certain octets";
	memcpy(tr->kept + off, octets, n);
	if (!tr->laid)
		return;
	struct stream *s = the_stream(t);

	if (!s->has_buffer || !stream_can_fence(t, s))
		alone_asks(t, "to fill memory when no stream works");
	write_part(t, s, tr, off, n);
	stream_fence(t, s);
}

/* --- names ------------------------------------------------------------- */

static bool is_near(uint32_t stag, uint32_t other)
{
	return __builtin_popcount(stag ^ other) <= NEAR ||
	       (stag ^ other) >> 8 == 0 || stag == __builtin_bswap32(other);
}

/* The region that has this STag or is next to it; NULL: there is none. */
static const struct test_region *region_named(struct test *t, uint32_t stag)
{
	for (unsigned i = 0; i < t->regions; i++)
		if (t->region[i].r.stag == stag)
			return &t->region[i];
	for (unsigned i = 0; i < t->regions; i++)
		if (is_near(stag, t->region[i].r.stag))
			alone_asks(t,
				   "to use an STag next to that of its memory");
	return NULL;
}

static void name(struct test *t, struct stream *s, uint32_t *stag, uint64_t *to,
		 uint64_t n, unsigned access)
{
	const struct test_region *r = region_named(t, *stag);

	if (!r)
		return;
	if (r->absent)
		alone_asks(t, r->absent);
	if (n && access & ~r->opts.access & t->bed->ulp.buffer.access)
		alone_asks(t, "to use memory without an access right");
	bool beside = n && (*to < r->r.to || *to - r->r.to > r->r.len ||
			    n > r->r.len - (*to - r->r.to));

	if (beside)
		bounds_asked(t, *to, n, access);
	lay_now(t, s);
	*stag = s->buffer_stag;
	*to = beside ? bounds_moved(t, s, &r->r, *to, n)
		     : s->buffer_to + r->off + (*to - r->r.to);
}

static void set_if(struct over *o, uint64_t value)
{
	if (o->set)
		o->v = value;
}

static void name_tagged(struct test *t, struct stream *s, struct msg *m)
{
	uint32_t stag = (uint32_t)overridden(m->stag_field, m->stag);
	uint64_t to = overridden(m->to_field, m->to);

	name(t, s, &stag, &to, m->n, REMOTE_WRITE);
	set_if(&m->stag_field, stag);
	set_if(&m->to_field, to);
	m->stag = stag;
	m->to = to;
}

/* A peer may invalidate a buffer that belongs to this connection alone. */
static void name_invalidated(struct test *t, struct stream *s, struct msg *m)
{
	const struct test_region *r =
		m->inval ? region_named(t, m->inval) : NULL;

	if (!r)
		return;
	if (r->absent || t->regions > 1 ||
	    t->bed->device->buffer.where == BUFFER_GIVEN)
		alone_asks(t, "to invalidate its memory");
	lay_now(t, s);
	m->inval = s->buffer_stag;
}

void buffer_names(struct test *t, struct stream *s, struct msg *m)
{
	bool made = m->octets || m->n;
	bool tagged =
		overridden(m->t, m->opcode == RDMAP_WRITE ||
					 m->opcode == RDMAP_READ_RESPONSE);

	if (!test_alone(t) || !t->regions || t->buffer.laying)
		return;
	name_invalidated(t, s, m);
	if (tagged) {
		name_tagged(t, s, m);
		return;
	}
	if (m->opcode != RDMAP_READ_REQUEST &&
	    m->opcode != RDMAP_ATOMIC_REQUEST)
		return;
	if (made)
		alone_asks(t, "to name its memory by octets");
	if (m->opcode == RDMAP_READ_REQUEST)
		name(t, s, &m->read.source_stag, &m->read.source_to,
		     m->read.size, REMOTE_READ);
	else
		name(t, s, &m->atomic.stag, &m->atomic.to, 8, REMOTE_ATOMIC);
}

/* --- what it holds -------------------------------------------------------- */

/* Only Reads on the same stream are certain to see what was written on it (RFC
 * 5040 s5.5). NULL: the stream has ended. */
static struct stream *reading_stream(struct test *t)
{
	struct stream *s = &t->stream[t->current];

	return t->buffer.on == t->current + 1 && s->has_buffer &&
			       stream_can_fence(t, s)
		       ? s
		       : NULL;
}

const uint8_t *buffer_octets(struct test *t, struct region r, size_t off,
			     size_t n)
{
	struct test_region *tr = dut_region(t, r);
	uint8_t *octets = test_alloc(t, n);
	struct stream *s;

	if (tr->laid && (s = reading_stream(t)) &&
	    buffer_reads(t, s, s->buffer_to + tr->off + off, octets, n))
		return octets;
	alone_asks(t, tr->absent ? tr->absent
		      : tr->laid ? "to read memory after the end of its stream"
				 : "to read memory without a stream");
	return NULL;
}

/* --- left alone by its ULP ------------------------------------------------ */

static bool holds_kept(struct test *t, struct stream *s)
{
	uint8_t *now = test_alloc(t, t->bed->ulp.buffer.len);

	for (unsigned i = 0; i < t->regions; i++) {
		struct test_region *r = &t->region[i];

		if (r->absent)
			continue;
		if (!buffer_reads(t, s, s->buffer_to + r->off, now, r->r.len) ||
		    memcmp(now, r->kept, r->r.len) != 0)
			return false;
	}
	return true;
}

static bool asks_the_ulp(const struct test *t)
{
	for (unsigned i = 0; i < t->streams; i++)
		if (t->stream[i].to_queue_0)
			return true;
	return false;
}

/* Long enough for a ULP that writes there now and then to have done so; the
 * first octet that it writes ends the wait. */
static void wait_beside(struct test *t, struct stream *s, uint64_t ns)
{
	struct link_wait w = {.conn = s->peer.conn, .want = LINK_READ};

	link_wait(t->bed->link, &w, 1,
		  clock_now_ns() + (ns < PROOF_MOST ? ns : PROOF_MOST));
}

void buffer_proves(struct test *t)
{
	uint64_t took = clock_now_ns() - t->began;
	struct stream *s;

	if (!alone_has_buffer(t) || !t->buffer.used || asks_the_ulp(t))
		return;
	for (unsigned i = 0; i < t->streams; i++)
		if (t->stream[i].live && t->stream[i].end == STREAM_UP)
			peer_reset(&t->stream[i].peer);
	t->buffer.laying = true;
	case_connects(t, case_role(t), &(struct stream_opts){0});
	s = &t->stream[t->current];
	buffer_finds(t, s);
	tell_model(t, s);
	for (unsigned i = 0; i < t->regions; i++)
		if (!t->region[i].absent &&
		    t->bed->ulp.buffer.access & REMOTE_WRITE)
			write_part(t, s, &t->region[i], 0, t->region[i].r.len);
	if (!holds_kept(t, s))
		return;
	wait_beside(t, s, took);
	t->buffer.quiet = holds_kept(t, s) && bounds_stand(t);
}

/* --- before the first case ------------------------------------------------ */

/* The first word of the buffer, as an atomic leaves it. */
static const uint8_t word[8] = {0, 0, 0, 0, 0, 0, 0, 1};

static bool is_atomic_answered(struct test *t, struct stream *s, bool *big)
{
	struct region r = {.stag = s->buffer_stag, .to = s->buffer_to};
	const struct frame *f;
	uint64_t value;

	buffer_sends(t, s, WRITE(r, 0, word, sizeof(word)));
	buffer_sends(t, s, FETCHADD(r, 0, 0, 0));
	if (!stream_pull(t, s))
		return false;
	f = s->frames[--s->frame_count];
	if (f->seg.short_header || f->seg.ddp.tagged ||
	    f->seg.ddp.opcode != RDMAP_ATOMIC_RESPONSE)
		return false;
	value = case_atomic_response_of(f).value;
	*big = value == 1;
	return *big || value == 1ull << 56;
}

/* The first and the last piece of the buffer are looked at, and some between
 * them. Its first word is the target of an atomic. */
static bool holds_pattern(struct test *t, struct stream *s, const uint8_t *due,
			  uint8_t *now)
{
	enum { LOOKS = 32 };
	size_t len = t->bed->ulp.buffer.len, last;

	if (len < PIECE)
		return buffer_reads(t, s, s->buffer_to, now, len) &&
		       memcmp(now + sizeof(word), due + sizeof(word),
			      len - sizeof(word)) == 0;
	last = len - PIECE;
	for (size_t i = 0; i <= LOOKS; i++) {
		size_t at = last / LOOKS * i + last % LOOKS * (i == LOOKS);
		size_t from = at ? at : sizeof(word);

		if (!buffer_reads(t, s, s->buffer_to + at, now + at, PIECE) ||
		    memcmp(now + from, due + from, at + PIECE - from) != 0)
			return false;
	}
	return true;
}

void buffer_looks(struct test *t, struct buffer_look *l)
{
	struct ulp_buffer *b = &t->bed->ulp.buffer;
	const uint8_t *due;
	struct stream *s;
	uint8_t *now;

	t->buffer.laying = true;
	case_connects(t, case_role(t), &(struct stream_opts){0});
	s = the_stream(t);
	buffer_finds(t, s);
	l->found = b->len > 0;
	if (!l->found)
		return;
	tell_model(t, s);
	due = pattern(t, b->len, 1);
	now = test_alloc(t, b->len);
	if (l->step == BUFFER_ATOMIC) {
		l->ok = is_atomic_answered(t, s, &l->big_endian);
		return;
	}
	if (l->step == BUFFER_BEFORE || l->step == BUFFER_BEHIND) {
		l->ok = bounds_look(t, s, l->step == BUFFER_BEFORE);
		return;
	}
	if (l->step == BUFFER_READ) {
		l->ok = buffer_reads(t, s, s->buffer_to, now,
				     b->len < PIECE ? b->len : PIECE);
		return;
	}
	if (l->step == BUFFER_WRITE ||
	    t->bed->device->buffer.where != BUFFER_GIVEN)
		buffer_sends(
			t, s,
			WRITE_TO(s->buffer_stag, s->buffer_to, due, b->len));
	l->ok = holds_pattern(t, s, due, now);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The wire side of a case: streams brought up and taken down, frames pulled
 * from them and shown to the golden model, known-answer exchanges.
 */
#include "suite/language/execution.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/link/clock.h"
#include "suite/language/objection_text.h"

#define FENCE_STAG      0x5eedf000u
#define OBJECTIONS_TOLD 8u

uint64_t test_deadline(const struct test *t)
{
	return clock_now_ns() + t->bed->wait_ns;
}

struct stream *the_stream(struct test *t)
{
	if (!t->streams)
		test_error(t, CAUSE_SUITE, "the case has no stream yet");
	return &t->stream[t->current];
}

struct stream *live_stream(struct test *t)
{
	struct stream *s = the_stream(t);

	if (!s->live)
		test_error(t, CAUSE_SUITE, "the stream has no connection yet");
	return s;
}

void on_stream(struct test *t, unsigned stream)
{
	if (stream >= t->streams)
		test_error(t, CAUSE_SUITE, "there is no stream %u", stream);
	t->current = stream;
}

struct stream *new_stream(struct test *t, enum case_role role,
			  const struct stream_opts *o)
{
	if (t->streams == TESTBED_STREAMS)
		test_error(t, CAUSE_SUITE, "more than %u streams",
			   TESTBED_STREAMS);
	t->current = t->streams++;
	struct stream *s = &t->stream[t->current];

	*s = (struct stream){.used = true, .role = role, .opts = *o};
	return s;
}

/* --- the golden model ------------------------------------------------- */

static unsigned objections_told(const struct test *t, unsigned short req)
{
	unsigned n = 0;

	for (const struct judgement *j = t->judged; j; j = j->next)
		n += j->req == req && j->by_model;
	return n;
}

/* What a device does wrong in every segment of a long message is told of the
 * first ones: the text of all of them would fill the log. */
void test_objections(struct test *t, const struct model_objections *o,
		     const char *about)
{
	for (unsigned i = 0; i < o->n; i++) {
		const struct model_objection *ob = &o->list[i];
		unsigned told = objections_told(t, ob->req);

		if (told == OBJECTIONS_TOLD)
			continue;
		test_judge(t, ob->req, false, true,
			   test_format(t, "%s: %s%s", about,
				       objection_text(t, ob),
				       told + 1 == OBJECTIONS_TOLD
					       ? "; later ones are not told"
					       : ""));
	}
}

static uint32_t agreed_depth(uint16_t value, unsigned own)
{
	return value == MPA_NOT_NEGOTIATED ? own : value;
}

static unsigned depth_of(unsigned opt, unsigned otherwise)
{
	return opt == ZERO_DEPTH ? 0 : opt ? opt : otherwise;
}

static unsigned model_features(const struct test *t)
{
	uint64_t c = t->bed->claims;

	return (c & NEED_FETCHADD ? MODEL_FETCHADD : 0) |
	       (c & NEED_CMPSWAP ? MODEL_CMPSWAP : 0) |
	       (c & NEED_IMM ? MODEL_IMM : 0) |
	       (c & NEED_IMM_SE ? MODEL_IMM_SE : 0) |
	       (c & NEED_SWAP ? MODEL_SWAP : 0);
}

/* The device's MULPDU, or 0: this link does not tell. */
static uint32_t known_mulpdu(const struct stream *s, uint32_t emss)
{
	return emss ? fpdu_mulpdu(emss, s->peer.rx_markers) : 0;
}

static void model_start(struct test *t, struct stream *s)
{
	unsigned n = (unsigned)(s - t->stream);
	bool dut_initiates = s->role == INITIATOR;
	const struct mpa_startup *request =
		dut_initiates ? &s->seen_frame : &s->sent_frame;
	const struct mpa_startup *reply =
		dut_initiates ? &s->sent_frame : &s->seen_frame;
	struct model_agreed a = model_agree(request, reply);
	/* What this Reply lets the device do, and a Terminate it calls for. */
	struct model_answers answers = {0};
	unsigned ird = depth_of(s->opts.dut_ird,
				t->bed->hello.max_ird < 16
					? (unsigned)t->bed->hello.max_ird
					: 16);
	unsigned ord = depth_of(s->opts.dut_ord,
				t->bed->hello.max_ord < 16
					? (unsigned)t->bed->hello.max_ord
					: 16);

	if (!t->bed->models[n] &&
	    !(t->bed->models[n] = malloc(sizeof(struct model))))
		test_error(t, CAUSE_SUITE, "out of memory");
	s->model = t->bed->models[n];
	if (dut_initiates)
		answers = model_reply_judge(&s->as_device, request, reply);
	model_init(
		s->model,
		&(struct model_config){
			.dut_initiates = dut_initiates,
			.profile = t->bed->profile,
			.features = model_features(t),
			.crc = a.crc,
			.dut_markers = s->peer.rx_markers,
			.mulpdu = known_mulpdu(s, link_emss(s->peer.conn)),
			.mulpdu_most = known_mulpdu(s, link_mss(s->peer.conn)),
			.ird = agreed_depth(dut_initiates ? a.initiator_ird
							  : a.responder_ird,
					    ird),
			.ord = agreed_depth(dut_initiates ? a.initiator_ord
							  : a.responder_ord,
					    ord),
			.rtr = a.p2p ? a.rtr : 0,
			.pd = s->opts.pd,
			.stream = n + 1,
			.big_endian = t->bed->hello.big_endian,
			.first_msn = s->opts.dut_msn ? s->opts.dut_msn : 1,
			.regions_known = true,
			.receives_known = true,
			.works_known = !s->posted_early && !answers.open,
		});
	if (answers.terminate.n)
		model_setup_terminate(s->model, &answers.terminate);
	for (unsigned i = 0; i < t->regions; i++) {
		struct test_region *r = &t->region[i];

		if (!r->gone)
			dut_tell_region(t, s, r);
	}
}

/* Some devices lose what follows their Reply at once; their file says so. An
 * octet of the device ends the wait as well. */
static void let_settle(struct test *t, struct stream *s)
{
	struct link_wait w = {.conn = s->peer.conn, .want = LINK_READ};
	uint64_t ns = t->bed->device->settle_ms * 1000000ull;

	if (ns && s->role == RESPONDER && !s->opts.at_once)
		link_wait(t->bed->link, &w, 1, clock_now_ns() + ns);
}

void stream_full_operation(struct test *t, struct stream *s)
{
	bool crc = (s->sent_frame.flags | s->seen_frame.flags) & MPA_C;

	peer_full_operation(&s->peer, crc, s->seen_frame.flags & MPA_M,
			    s->sent_frame.flags & MPA_M);
	if (s->opts.dut_msn)
		for (unsigned q = 0; q < PEER_QUEUES; q++)
			s->peer.msn[q] = s->opts.dut_msn;
	s->full = true;
	model_start(t, s);
	let_settle(t, s);
}

/* --- receiving -------------------------------------------------------- */

static void keep_frame(struct test *t, struct stream *s, const struct frame *f)
{
	if (s->frame_count == s->frame_cap) {
		size_t cap = s->frame_cap ? s->frame_cap * 2 : 32;
		const struct frame **more = test_alloc(t, cap * sizeof(*more));

		if (s->frame_count)
			memcpy(more, s->frames, s->frame_count * sizeof(*more));
		s->frames = more;
		s->frame_cap = cap;
	}
	s->frames[s->frame_count++] = f;
	if (!s->terminate && !f->seg.ddp.tagged &&
	    f->seg.ddp.opcode == RDMAP_TERMINATE)
		s->terminate = f;
}

/* Any Response to the sink is one: it is for the model to say that it has not
 * the size asked for, and no other is waited for. An empty one may have no
 * STag, which a case tells. */
static bool is_answer(const struct frame *f, uint32_t stag)
{
	const struct ddp *d = &f->seg.ddp;

	return d->tagged && d->last && d->opcode == RDMAP_READ_RESPONSE &&
	       (d->stag == stag || (!d->stag && !f->seg.payload_octets));
}

/* Of an answer, but not what is waited for: not its last segment, or to a
 * question that was given up. */
static bool is_aside(const struct test *t, const struct stream *s,
		     const struct frame *f)
{
	const struct ddp *d = &f->seg.ddp;

	return d->tagged && d->opcode == RDMAP_READ_RESPONSE &&
	       d->stag >= FENCE_STAG && d->stag < FENCE_STAG + t->fences &&
	       !(d->last && d->stag == s->fence);
}

static void see_end(struct test *t, struct stream *s, enum stream_end end)
{
	if (s->end == STREAM_UP && s->model) {
		struct model_objections o;

		model_dut_ends(
			s->model,
			end == STREAM_FIN ? MODEL_END_FIN : MODEL_END_RST, &o);
		test_objections(t, &o, "the end of the stream");
	}
	s->end = end;
}

bool stream_pull(struct test *t, struct stream *s)
{
	const struct frame *f;

	if (!s->live || s->end != STREAM_UP || s->starved)
		return false;
	switch (peer_receive(&s->peer, test_deadline(t), &f)) {
	case PEER_OK:
		break;
	case PEER_FIN:
		see_end(t, s, STREAM_FIN);
		return false;
	case PEER_RESET:
		see_end(t, s, STREAM_RESET);
		return false;
	case PEER_TIMEOUT:
		s->starved = true;
		return false;
	case PEER_FLOOD:
		test_error(t, CAUSE_DEVICE,
			   "the device sent more than the event log takes "
			   "(%u MiB)",
			   OBSERVE_MAX >> 20);
	case PEER_BROKEN:
		test_error(t, CAUSE_SUITE, "the link failed: %s",
			   s->peer.conn->why);
	}
	f = interpret_frame(&t->interpreter, f);
	keep_frame(t, s, f);
	if (s->model) {
		struct model_objections o;

		model_dut_sends(s->model, &f->seg, f->fpdu,
				f->crc_ok ? NULL : f->crc_due, &o);
		/* That a device answers the suite's own question after a fault
		 * is judged by the case that asked. */
		if (o.n && !(s->model->failed && is_answer(f, s->fence) &&
			     f->seg.payload_octets == 0))
			test_objections(t, &o,
					test_format(t, "%s [%s]",
						    test_frame_text(t, f),
						    test_frame_hex(t, f, 96)));
	}
	if (is_aside(t, s, f)) {
		s->frame_count--;
		return stream_pull(t, s);
	}
	return true;
}

bool stream_over(const struct stream *s)
{
	return s->end != STREAM_UP || s->terminate;
}

void stream_pull_to_end(struct test *t, struct stream *s)
{
	while (!stream_over(s) && stream_pull(t, s))
		continue;
}

/* --- known-answer exchanges -------------------------------------------- */

void stream_needs_reads(struct test *t)
{
	if (!(t->bed->claims & NEED_READ))
		not_applicable(t, "the device does not claim read, and without "
				  "it no known-answer exchange is possible");
	if (!dut_max_ird(t))
		not_applicable(t, "the device has IRD 0, and without an "
				  "inbound Read no known-answer exchange is "
				  "possible");
}

bool stream_can_fence(const struct test *t, const struct stream *s)
{
	return s->live && s->full && !stream_over(s) && !s->starved &&
	       !s->peer.fin_sent && !s->peer.reset_sent && !s->kept &&
	       !s->withheld && !s->shut && (t->bed->claims & NEED_READ) &&
	       s->model->config.ird != 0;
}

bool stream_fence(struct test *t, struct stream *s)
{
	uint32_t stag = s->fence = FENCE_STAG + t->fences++;
	unsigned before = t->current;

	/* The device may have no room for one more Request. */
	while (s->model->asked >= s->model->config.ird && stream_pull(t, s))
		continue;
	if (!stream_can_fence(t, s))
		return false;
	t->current = (unsigned)(s - t->stream);
	peer_sends(t, READ_FROM(0, 0, 0,
				.read = {.sink_stag = stag,
					 .sink_to = PEER_SINK_TO}));
	t->current = before;
	while (stream_pull(t, s)) {
		if (!is_answer(s->frames[s->frame_count - 1], stag))
			continue;
		s->frame_count--; /* it is no answer to the case */
		s->dirty = false;
		return true;
	}
	s->fence = 0;
	return false;
}

bool known_answer(struct test *t)
{
	struct stream *s = live_stream(t);

	stream_needs_reads(t);
	return stream_can_fence(t, s) && stream_fence(t, s);
}

enum settled stream_settle(struct test *t, struct stream *s)
{
	if (!stream_over(s) && (s->peer.fin_sent || s->peer.reset_sent))
		stream_pull_to_end(t, s);
	if (!stream_over(s) && !s->dirty && !s->starved)
		return SETTLED_ALIVE;
	if (stream_can_fence(t, s) && stream_fence(t, s))
		return SETTLED_ALIVE;
	if (!stream_over(s) && !s->peer.reset_sent)
		return SETTLED_STALLED;
	dut_wait_final(t, s);
	return s->final_known ? SETTLED_OVER : SETTLED_STALLED;
}

/* --- bringing a stream up ----------------------------------------------- */

static void adopt(struct test *t, struct stream *s, struct link_conn *conn)
{
	if (!peer_init(&s->peer, conn, t->bed->log,
		       (unsigned)(s - t->stream))) {
		link_close(conn);
		test_error(t, CAUSE_SUITE, "out of memory");
	}
	s->live = true;
}

static void set_link_options(struct test *t, const struct stream *s)
{
	t->bed->link->options = (struct link_options){
		.rcvbuf = s->opts.rcvbuf,
		.mss = s->opts.mss,
		.isn_chosen = s->opts.isn.set,
		.isn = (uint32_t)s->opts.isn.v,
		.peer_isn_least = s->opts.dut_isn_least,
		.no_times = s->opts.no_timestamps,
	};
}

void case_listens(struct test *t, const struct stream_opts *o)
{
	dut_listen(t, new_stream(t, RESPONDER, o));
}

void peer_opens_tcp(struct test *t)
{
	struct stream *s = the_stream(t);
	struct link_conn *conn = NULL;

	set_link_options(t, s);
	int status = link_connect(t->bed->link, t->bed->hello.addr, s->dut_port,
				  test_deadline(t), &conn);

	if (status == LINK_ERROR)
		test_error(t, CAUSE_SUITE, "the link failed: %s",
			   t->bed->link->why);
	if (status != LINK_OK)
		test_fail(t, MPA_7_1_2_03.index,
			  "due:  TCP opens to the device's listener\n"
			  "seen: %s",
			  link_status_name(status));
	adopt(t, s, conn);
}

/* The peer's own address, as the device sees it. */
static const char *own_address(struct test *t)
{
	const struct device *d = t->bed->device;
	size_t n = strcspn(d->link_address, "/");
	char *own = test_alloc(t, LINK_ADDRESS);

	if (t->bed->link->address[0])
		return t->bed->link->address;
	/* Of a device file for any link it is the raw link's. */
	if (n && strcmp(d->link_kind, "socket") == 0)
		return test_format(t, "%.*s", (int)n, d->link_address);
	if (!link_socket_own_address(t->bed->hello.addr, own))
		test_error(t, CAUSE_SUITE, "no route to the device at %s",
			   t->bed->hello.addr);
	return own;
}

bool peer_accepts_tcp(struct test *t)
{
	struct stream *s = the_stream(t);
	struct link_conn *conn = NULL;
	int status = link_accept(s->peer_listener, test_deadline(t), &conn);

	if (status == LINK_ERROR)
		test_error(t, CAUSE_SUITE, "the link failed: %s",
			   t->bed->link->why);
	if (status != LINK_OK)
		return false;
	if (s->live) { /* one more connection of the device */
		struct link_listener *at = s->peer_listener;

		s->peer_listener = NULL;
		s = new_stream(t, INITIATOR, &s->opts);
		s->peer_listener = at;
	}
	adopt(t, s, conn);
	return true;
}

void case_dials(struct test *t, const struct stream_opts *o)
{
	struct stream *s = new_stream(t, INITIATOR, o);
	uint16_t port = 0;

	set_link_options(t, s);
	if (link_listen(t->bed->link, own_address(t), &port,
			&s->peer_listener) != LINK_OK)
		test_error(t, CAUSE_SUITE, "the link failed: %s",
			   t->bed->link->why);
	dut_connect(t, s, port);
	if (!peer_accepts_tcp(t))
		test_fail(t, MPA_7_1_2_01.index,
			  "due:  the device opens TCP to the peer\n"
			  "seen: nothing");
}

static struct startup peer_to_peer(struct startup f, unsigned rtr)
{
	f.enhanced = true;
	f.a = true;
	f.b = (rtr & RTR_SEND) != 0;
	f.c = (rtr & RTR_WRITE) != 0;
	f.d = (rtr & RTR_READ) != 0;
	return f;
}

struct startup request_offering(unsigned rtr)
{
	return peer_to_peer(REQUEST(.ird = 16, .ord = 16), rtr);
}

struct startup reply_listing(unsigned rtr)
{
	return peer_to_peer(REPLY(.ird = 16, .ord = 1), rtr);
}

static struct model_agreed agreed_on(const struct stream *s)
{
	return s->role == INITIATOR
		       ? model_agree(&s->seen_frame, &s->sent_frame)
		       : model_agree(&s->sent_frame, &s->seen_frame);
}

static struct startup own_startup(const struct stream *s)
{
	const struct stream_opts *o = &s->opts;
	struct startup f = {
		.reply = s->role == INITIATOR,
		.no_crc = o->crc == OFF,
		.m = o->markers,
		.enhanced = o->enhanced,
		.rev = o->plain_rev2 ? IS(2) : (struct over){0},
		.ird = depth_of(o->ird, 16),
		.ord = depth_of(o->ord, 16),
		.private_data = o->private_data,
		.private_octets = o->private_octets,
	};

	return o->rtr ? peer_to_peer(f, o->rtr) : f;
}

void initiator_speaks(struct test *t)
{
	if (live_stream(t)->role == RESPONDER) {
		peer_sends(t, WRITE_TO(PEER_SINK_STAG, PEER_SINK_TO, "", 0));
		return;
	}
	dut_posts(t, POST_WRITE_N("", 0, PEER_SINK_STAG, PEER_SINK_TO));
	case_awaits(t, RDMAP_5_5_10, RDMAP_WRITE);
}

/* A responder may not send before the initiator did. */
bool stream_release(struct test *t, struct stream *s)
{
	if (s->role == RESPONDER || s->frame_count)
		return true;
	if (s->model->config.rtr && !s->p2p_anyway) /* it does so by itself */
		return stream_pull(t, s);
	dut_posts(t, POST_WRITE_N("", 0, PEER_SINK_STAG, PEER_SINK_TO));
	if (!stream_pull(t, s))
		return false;
	s->taken++;
	return true;
}

bool stream_open(struct test *t, struct stream *s)
{
	struct model_agreed g = agreed_on(s);

	if (s->role != RESPONDER || !g.p2p || s->model->rx_frames)
		return true;
	if (g.rtr & MODEL_RTR_WRITE) {
		peer_sends(t, WRITE_TO(PEER_SINK_STAG, PEER_SINK_TO, "", 0));
	} else if (g.rtr & MODEL_RTR_READ && g.responder_ird) {
		stream_fence(t, s); /* it is that Read */
	} else if (g.rtr & MODEL_RTR_SEND) {
		dut_posts_recv(t, 64);
		peer_sends(t, SEND(""));
	} else {
		peer_sends(t, TERMINATE(TERM_LLP, 0, 0x07));
		peer_closes(t);
		return false;
	}
	return true;
}

/*
 * What the device says first by itself, where that is not what the case is
 * about: the RTR of a device whose Requests all ask for one, or a message that
 * nobody asked for. A Read among them is answered; then it is forgotten.
 */
static void take_opening(struct test *t, struct stream *s)
{
	bool habit = agreed_on(s).enhanced ? t->bed->habits.opens_enhanced
					   : t->bed->habits.opens_plain;
	const struct frame *f;
	bool read;

	if (s->role != INITIATOR || s->opts.sees_opening ||
	    (agreed_on(s).p2p ? !s->p2p_anyway : !habit) || !stream_pull(t, s))
		return;
	f = s->frames[s->frame_count - 1];
	if (f->seg.ddp.opcode != RDMAP_SEND && !is_empty_opening(f))
		return;
	read = f->seg.ddp.opcode == RDMAP_READ_REQUEST;
	if (s->opts.counts_fpdus || (read && s->opts.counts_reads))
		not_applicable(t, "the device opens its streams with a message "
				  "of its own");
	s->frame_count--;
	if (read)
		peer_sends(t, READ_RESPONSE(f, "", 0));
}

static void prove(struct test *t, struct stream *s)
{
	/* A responder may not send before the initiator did. */
	if (s->role == INITIATOR && !s->opts.rtr)
		initiator_speaks(t);
	stream_needs_reads(t);
	if (!stream_open(t, s) || !stream_can_fence(t, s))
		return;
	if (!stream_fence(t, s))
		test_fail(t, RDMAP_5_2_1_16.index,
			  "before the case's own stimulus\n"
			  "due:  a zero-length RDMA Read is answered\n"
			  "seen: %s",
			  stream_end_text(t, s));
}

/* A responder may agree to less than its ULP allows (RFC 6581 s9.1), and then
 * that is what both ends keep to. */
static void depths_as_asked(struct test *t, const struct stream *s)
{
	const struct stream_opts *o = &s->opts;
	struct model_agreed g = agreed_on(s);

	if (s->role != RESPONDER || !g.enhanced)
		return;
	if (g.responder_ird < depth_of(o->dut_ird, 0))
		not_applicable(t, "the device has agreed to an IRD of %u",
			       g.responder_ird);
	if (g.responder_ord < depth_of(o->dut_ord, 0) &&
	    g.responder_ord < depth_of(o->ird, 16))
		not_applicable(t, "the device has agreed to an ORD of %u",
			       g.responder_ord);
}

unsigned case_connects(struct test *t, enum case_role role,
		       const struct stream_opts *o)
{
	if (role == RESPONDER) {
		case_listens(t, o);
		peer_opens_tcp(t);
	} else {
		case_dials(t, o);
		case_awaits_startup(t, MPA_7_1_2_01);
	}
	struct stream *s = live_stream(t);

	peer_sends_startup(t, own_startup(s));
	if (s->opts.reject && role == RESPONDER && !dut_startup(t).came)
		not_applicable(t, "the device closes where its ULP rejects");
	else if (role == RESPONDER && !s->opts.reject)
		case_awaits_startup(t, MPA_7_1_1_02);
	if (s->opts.reject) {
		dut_accept(t, s);
		return t->current;
	}
	full_operation(t);
	depths_as_asked(t, s);
	if (!s->opts.unproven)
		prove(t, s);
	return t->current;
}

void dut_works(struct test *t)
{
	case_connects(t, case_role(t), &(struct stream_opts){0});
	peer_closes(t);
	the_stream(t)->done = true;
}

void full_operation(struct test *t)
{
	struct stream *s = live_stream(t);

	if (!s->sent_startup || !s->saw_startup)
		test_error(t, CAUSE_SUITE, "startup is not complete");
	if ((s->role == RESPONDER ? s->seen_frame : s->sent_frame).flags &
	    MPA_R)
		test_fail(t, MPA_7_1_2_09.index,
			  "due:  a Reply with R=0\nseen: R=1");
	stream_full_operation(t, s);
	dut_accept(t, s);
	take_opening(t, s);
}

/* --- taking it down ------------------------------------------------------ */

static const char *end_name(const struct stream *s)
{
	return s->end == STREAM_FIN ? "FIN" : "RST";
}

const char *stream_end_text(struct test *t, const struct stream *s)
{
	if (s->terminate && s->end != STREAM_UP)
		return test_format(t, "%s, then %s",
				   test_frame_text(t, s->terminate),
				   end_name(s));
	if (s->terminate)
		return test_frame_text(t, s->terminate);
	if (s->end != STREAM_UP)
		return test_format(t, "%s without a Terminate", end_name(s));
	return s->starved ? "the stream is still open, and silent"
			  : "the stream is still open";
}

const char *how_tcp_stands(struct test *t)
{
	struct stream *s = live_stream(t);

	dut_round_trip(t);
	peer_has_octets(&s->peer);
	return s->peer.reset_seen ? "RST" : s->peer.fin_seen ? "FIN" : "open";
}

const char *how_it_ended(struct test *t)
{
	struct stream *s = live_stream(t);

	stream_pull_to_end(t, s);
	return stream_end_text(t, s);
}

static void finish(struct test *t, struct stream *s)
{
	if (stream_can_fence(t, s) && s->dirty && !s->may_stall &&
	    !stream_fence(t, s) && !stream_over(s))
		test_judge(t, RDMAP_5_2_1_16.index, false, false,
			   "at the end of the case\n"
			   "due:  a zero-length RDMA Read is answered\n"
			   "seen: silence");
	/* How does it end? The peer's FIN asks a device that has sent a
	 * Terminate to come to an end as well. */
	if (s->live && s->terminate && s->end == STREAM_UP) {
		peer_close_sending(&s->peer);
		while (stream_pull(t, s))
			continue;
	}
}

void streams_finish(struct test *t)
{
	for (unsigned i = 0; i < t->streams; i++)
		finish(t, &t->stream[i]);
}

void streams_drop(struct test *t)
{
	for (unsigned i = 0; i < t->streams; i++) {
		struct stream *s = &t->stream[i];

		if (s->live)
			peer_end(&s->peer, true);
		link_listener_close(s->peer_listener);
		s->live = false;
		s->peer_listener = NULL;
	}
}

enum teardown test_teardown(const struct test *t)
{
	const struct stream *s = &t->stream[t->current];

	if (!t->streams)
		return TEARDOWN_NONE;
	for (unsigned i = 0; i < t->streams; i++)
		if (t->stream[i].terminate && !s->terminate)
			s = &t->stream[i];
	if (s->terminate)
		return s->end == STREAM_FIN     ? TEARDOWN_TERMINATE_FIN
		       : s->end == STREAM_RESET ? TEARDOWN_TERMINATE_RST
						: TEARDOWN_TERMINATE_OPEN;
	return s->end == STREAM_FIN     ? TEARDOWN_FIN
	       : s->end == STREAM_RESET ? TEARDOWN_RST
					: TEARDOWN_OPEN;
}

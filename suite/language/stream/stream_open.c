/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opening a stream: TCP, startup, Full Operation, and the proof that it works.
 */
#include "suite/language/execution/execution.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "harness/link/clock.h"

#define AGAIN_NS 50000000

static void adopt(struct test *t, struct stream *s, struct link_conn *conn)
{
	s->adopted = clock_now_ns();
	if (test_on_sctp(t)) {
		session_adopt(t, s, conn);
		return;
	}
	if (!peer_init(&s->peer, conn, t->bed->log,
		       (unsigned)(s - t->stream))) {
		link_close(conn);
		test_error(t, CAUSE_SUITE, "out of memory");
	}
	s->live = true;
}

static void set_link_options(struct test *t, const struct stream *s)
{
	if (test_on_sctp(t)) {
		session_set_link(t, s);
		return;
	}
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

int stream_tries(struct test *t, struct stream *s)
{
	struct link_conn *conn = NULL;

	if (session_beside(t, s)) {
		adopt(t, s, NULL);
		return LINK_OK;
	}
	set_link_options(t, s);
	int status = link_connect(t->bed->link, t->bed->hello.addr, s->dut_port,
				  test_deadline(t), &conn);

	if (status == LINK_ERROR)
		test_error(t, CAUSE_SUITE, "the link failed: %s",
			   t->bed->link->why);
	if (status == LINK_OK)
		adopt(t, s, conn);
	else if (status == LINK_TIMEOUT && t->bed->link->unwanted)
		not_applicable(t,
			       "none of %u connections began with such a "
			       "sequence number, and the path to the device is "
			       "too slow to try more",
			       t->bed->link->unwanted);
	return status;
}

/*
 * A service that ends with its peer and begins again refuses in between. Nothing
 * reports that it listens: it is asked again, as long as a case waits.
 */
static int tries_until_there(struct test *t, struct stream *s)
{
	uint64_t deadline = test_deadline(t);
	int status = stream_tries(t, s);

	while (status == LINK_REFUSED && t->bed->ulp.there &&
	       clock_now_ns() < deadline) {
		nanosleep(&(struct timespec){.tv_nsec = AGAIN_NS}, NULL);
		status = stream_tries(t, s);
	}
	t->bed->ulp.there |= status == LINK_OK && test_alone(t);
	return status;
}

void peer_opens_tcp(struct test *t)
{
	int status = tries_until_there(t, the_stream(t));

	if (status != LINK_OK && test_alone(t))
		test_error(
			t, CAUSE_DEVICE,
			"no connection to %s:%u: %s; is its ULP still there?",
			t->bed->device->target, t->bed->device->target_port,
			link_status_name(status));
	if (status != LINK_OK)
		test_fail(t, MPA_7_1_2_03.index,
			  "due:  %s opens to the device's listener\n"
			  "seen: %s",
			  test_on_sctp(t) ? "an association" : "TCP",
			  link_status_name(status));
}

/* The peer's own address, as the device sees it. */
static const char *own_address(struct test *t)
{
	const struct device *d = t->bed->device;
	size_t n = strcspn(d->link_address, "/");
	char *own = test_alloc(t, LINK_ADDRESS);

	if (t->bed->link->address[0])
		return t->bed->link->address;
	/* In a device file for any link, this is the raw link's address. */
	if (n && strcmp(d->link_kind, "socket") == 0)
		return test_format(t, "%.*s", (int)n, d->link_address);
	if (!link_socket_own_address(t->bed->hello.addr, own))
		test_error(t, CAUSE_SUITE, "no route to the device at %s: %s",
			   t->bed->hello.addr, strerror(errno));
	return own;
}

static bool is_same_host(const struct link_end *a, const struct link_end *b)
{
	return a->family == b->family &&
	       memcmp(a->addr, b->addr, a->family == 6 ? 16 : 4) == 0;
}

/*
 * Anybody can connect to the peer's port. The device does it from the address
 * of its listeners, or else from the one that its first connection came from.
 */
static bool is_from_device(struct test *t, const struct link_conn *conn)
{
	const struct link_end *caller = &t->bed->habits.caller;
	struct link_end own;

	return !conn->remote.family ||
	       !link_end_parse(&own, t->bed->hello.addr, 0) ||
	       is_same_host(&conn->remote, &own) || !caller->family ||
	       is_same_host(&conn->remote, caller);
}

/* The next connection of the device. Those of other hosts are closed. */
static int accept_device(struct test *t, struct link_listener *at,
			 struct link_conn **conn)
{
	uint64_t deadline = wait_deadline(t);
	char stranger[LINK_END_TEXT] = "";
	int status;

	while ((status = link_accept(at, deadline, conn)) == LINK_OK &&
	       !is_from_device(t, *conn)) {
		link_end_text(&(*conn)->remote, stranger);
		link_reset(*conn);
		link_close(*conn);
	}
	if (status == LINK_TIMEOUT && stranger[0])
		test_error(t, CAUSE_SUITE,
			   "%s has connected to the peer's port, and is not "
			   "the device at %s: keep other hosts away",
			   stranger, t->bed->hello.addr);
	return status;
}

bool peer_accepts_tcp(struct test *t)
{
	struct stream *s = the_stream(t);
	struct link_conn *conn = NULL;

	if (session_beside(t, s)) {
		adopt(t, s, NULL);
		return true;
	}
	int status = accept_device(t, s->peer_listener, &conn);

	if (status == LINK_ERROR)
		test_error(t, CAUSE_SUITE, "the link failed: %s",
			   t->bed->link->why);
	t->bed->unconnected |= status != LINK_OK;
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

void case_tries(struct test *t, const struct stream_opts *o)
{
	struct stream *s = new_stream(t, INITIATOR, o);
	const struct stream *other = session_beside(t, s);
	uint16_t port = 0;

	set_link_options(t, s);
	if (!other && link_listen(t->bed->link, own_address(t), &port,
				  &s->peer_listener) != LINK_OK)
		test_error(t, CAUSE_SUITE, "the link failed: %s",
			   t->bed->link->why);
	dut_connect(t, s, other ? other->peer_listener : s->peer_listener);
}

void case_dials(struct test *t, const struct stream_opts *o)
{
	case_tries(t, o);
	if (!peer_accepts_tcp(t))
		test_fail(t, MPA_7_1_2_01.index,
			  "due:  the device opens %s to the peer\n"
			  "seen: nothing",
			  test_on_sctp(t) ? "an association" : "TCP");
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

/* The device's first message has no octets, or one octet if empty messages are
 * not sent. */
void dut_posts_opening(struct test *t)
{
	const struct stream *s = the_stream(t);

	test_stands_on(t, s->role, FOUNDATION_OPENING);
	dut_posts(t, POST_WRITE_N("", test_way(t, s->role, FOUNDATION_OPENING),
				  PEER_SINK_STAG, PEER_SINK_TO));
}

/* A message without octets that opens the stream belongs to the startup,
 * whatever else the device does with messages of its kind. */
static void opens_with(struct test *t, struct stream *s, struct msg m)
{
	test_stands_on_directions(t, s);
	t->aside = true;
	stream_send(t, s, &(struct send_opts){.msg = m});
	t->aside = false;
}

void initiator_speaks(struct test *t)
{
	if (live_stream(t)->role == RESPONDER) {
		test_stands_on(t, RESPONDER, FOUNDATION_EMPTY_WRITE);
		opens_with(t, live_stream(t),
			   WRITE_TO(PEER_SINK_STAG, PEER_SINK_TO, "", 0));
		return;
	}
	if (test_alone(t)) {
		alone_hears(t, live_stream(t));
		return;
	}
	dut_posts_opening(t);
	t->on_ground = true;
	case_awaits(t, RDMAP_5_5_10, RDMAP_WRITE);
	t->on_ground = false;
}

/* A responder may not send before the initiator did. */
bool stream_release(struct test *t, struct stream *s)
{
	if (s->role == RESPONDER || s->frame_count)
		return true;
	if (test_alone(t)) {
		alone_hears(t, s);
		return true;
	}
	if (s->model->config.rtr && !s->p2p_anyway) /* it does so by itself */
		return stream_pull(t, s);
	dut_posts_opening(t);
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
		opens_with(t, s, WRITE_TO(PEER_SINK_STAG, PEER_SINK_TO, "", 0));
	} else if (g.rtr & MODEL_RTR_READ && g.responder_ird) {
		stream_ask(t, s, 0); /* it is that Read */
	} else if (g.rtr & MODEL_RTR_SEND) {
		dut_posts_recv(t, 64);
		peer_sends(t, SEND(""));
	} else {
		opens_with(t, s, TERMINATE(TERM_LLP, 0, 0x07));
		peer_closes(t);
		return false;
	}
	return true;
}

bool dut_opens_plain(struct test *t)
{
	return case_role(t) == INITIATOR && t->bed->habits.opens_plain;
}

static bool awaits_rtr(const struct stream *s)
{
	return s->live && s->end == STREAM_UP && s->role == RESPONDER &&
	       s->sent_startup && s->saw_startup &&
	       !(s->seen_frame.flags & MPA_R) && !s->peer.fin_sent &&
	       !s->peer.reset_sent && agreed_on(s).p2p &&
	       !(s->full && s->model->rx_frames);
}

void alone_leaves(struct test *t)
{
	for (unsigned i = 0; i < t->streams; i++) {
		struct stream *s = &t->stream[i];

		if (!awaits_rtr(s))
			continue;
		t->current = i;
		if (!s->full)
			stream_full_operation(t, s);
		/* Its answer shows that the RTR has been taken. */
		if (stream_open(t, s) && stream_can_fence(t, s))
			stream_fence(t, s);
	}
}

/*
 * The RTR of a device whose Requests all ask for one, if the case is not about
 * that. A Read among them is answered; then it is forgotten.
 */
static void take_opening(struct test *t, struct stream *s)
{
	const struct frame *f;
	bool read;

	/* Its ULP does so anyway. */
	if (test_alone(t))
		return;
	if (s->role != INITIATOR || s->opts.sees_opening || !agreed_on(s).p2p ||
	    !s->p2p_anyway || !stream_pull(t, s))
		return;
	f = s->frames[s->frame_count - 1];
	if (f->seg.ddp.opcode != RDMAP_SEND && !is_empty_opening(f))
		return;
	read = f->seg.ddp.opcode == RDMAP_READ_REQUEST;
	if (s->opts.counts_fpdus || (read && s->opts.counts_reads) ||
	    (f->seg.ddp.opcode == RDMAP_SEND && s->opts.counts_sends))
		not_applicable(t, "the device opens its streams with a message "
				  "of its own");
	s->frame_count--;
	if (read)
		peer_sends(t, READ_RESPONSE(f, "", 0));
}

/* If no exchange works, the peer has to send to a responder all the same, with
 * a message that is known to be harmless, before the responder may send (RFC
 * 5044 s7.1.2). */
static void open_without_exchange(struct test *t, struct stream *s)
{
	if (s->role != RESPONDER || s->model->rx_frames || stream_over(s))
		return;
	if (!test_has_fallen(t, RESPONDER, FOUNDATION_EMPTY_WRITE)) {
		peer_sends(t, WRITE_TO(PEER_SINK_STAG, PEER_SINK_TO, "", 0));
	} else if (t->bed->claims & NEED_WRITE &&
		   !test_has_fallen(t, RESPONDER, FOUNDATION_WRITE_TAKEN)) {
		struct region r = dut_registers(t, .len = 8, .pd = s->opts.pd,
						.access = FOR_WRITES);

		peer_sends(t, WRITE(r, 0, "!", 1));
	}
}

static void prove(struct test *t, struct stream *s)
{
	/* A responder may not send before the initiator did. */
	if (s->role == INITIATOR && (!s->opts.rtr || test_alone(t)))
		initiator_speaks(t);
	stream_needs_reads(t);
	test_stands_on_directions(t, s);
	if (!stream_open(t, s))
		return;
	if (test_has_fallen(t, s->role, FOUNDATION_ANSWER))
		open_without_exchange(t, s);
	buffer_begins(t, s);
	if (!stream_can_fence(t, s))
		return;
	if (stream_fence(t, s))
		return;
	test_counts_if_seen(t);
	t->on_ground = true;
	test_fail(t, stream_part_row(s, RDMAP_5_2_1_16.index),
		  "before the case's own stimulus\n"
		  "due:  a zero-length RDMA Read is answered\n"
		  "seen: %s",
		  stream_end_text(t, s));
}

/* A responder may agree to less than its ULP allows (RFC 6581 s9.1); then both
 * ends keep to the lower value. */
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

/* A device that chooses its own startup frames may require CRCs, whatever its
 * agent is asked for: PROTOCOL.md, startup-frames. */
static void crcs_as_asked(struct test *t, const struct stream *s)
{
	if (s->opts.crc == OFF && s->opts.dut_crc == OFF &&
	    t->bed->hello.untold & AGENT_UNTOLD_STARTUP_FRAMES &&
	    s->seen_frame.flags & MPA_C)
		not_applicable(t, "the device has asked for CRCs");
}

/* A similar Request was answered before the first case: so the service behind
 * the port is gone, or no longer accepts this peer. But a ULP need not take this
 * private data. */
static void alone_awaits_reply(struct test *t, struct stream *s)
{
	bool came = dut_startup(t).came || s->peer.rx_to;

	if (!came && s->opts.private_octets)
		alone_excuses(t, "no Reply to a Request with private data");
	if (!came)
		test_error(t, CAUSE_DEVICE,
			   "no Reply from %s:%u: %s; is its ULP still there?",
			   t->bed->device->target, t->bed->device->target_port,
			   stream_end_text(t, s));
	if (!s->saw_startup)
		case_awaits_startup(t, MPA_7_1_1_02);
}

unsigned case_connects(struct test *t, enum case_role role,
		       const struct stream_opts *o)
{
	struct stream_opts negotiated = *o;

	if (role == RESPONDER && alone_negotiates(t, o)) {
		negotiated.enhanced = true;
		o = &negotiated;
	}
	test_stands_on_startup(t, role, o);
	if (!o->unproven && !o->reject)
		test_goes_on_without_answers(t, role);
	if (role == RESPONDER) {
		t->connecting = true;
		case_listens(t, o);
		t->connecting = false;
		peer_opens_tcp(t);
	} else {
		case_dials(t, o);
		t->on_ground = true;
		case_awaits_startup(t, MPA_7_1_2_01);
	}
	struct stream *s = live_stream(t);

	t->on_ground = true;
	peer_sends_startup(t, own_startup(s));
	if (s->opts.reject && role == RESPONDER && !dut_startup(t).came)
		not_applicable(t, "the device closes where its ULP rejects");
	else if (role == RESPONDER && !s->opts.reject && test_alone(t))
		alone_awaits_reply(t, s);
	else if (role == RESPONDER && !s->opts.reject)
		case_awaits_startup(t, s->opts.markers ? MPA_4_3_01
						       : MPA_7_1_1_02);
	t->on_ground = false;
	if (s->opts.reject) {
		dut_accept(t, s);
		return t->current - t->beside;
	}
	full_operation(t);
	depths_as_asked(t, s);
	alone_keeps_depths(t, s);
	crcs_as_asked(t, s);
	if (!s->opts.unproven)
		prove(t, s);
	return t->current - t->beside;
}

void dut_works(struct test *t)
{
	case_connects(t, case_role(t), &(struct stream_opts){0});
	peer_closes(t);
	the_stream(t)->done = true;
}

/* A device may reject depths above its own (RFC 6581 s9.1). */
void stream_may_be_rejected(struct test *t, const struct stream *s)
{
	const struct mpa_startup *f = &s->sent_frame;
	struct mpa_enhanced asked;

	if (s->role != RESPONDER || !(f->flags & MPA_S) ||
	    f->private_octets < 4)
		return;
	mpa_enhanced_decode(&asked, f->private_data);
	if (asked.ord > t->bed->hello.max_ird ||
	    asked.ird > t->bed->hello.max_ord)
		not_applicable(t,
			       "the device has rejected an IRD of %u and an "
			       "ORD of %u",
			       asked.ird, asked.ord);
}

void full_operation(struct test *t)
{
	struct stream *s = live_stream(t);

	if (!s->sent_startup || !s->saw_startup)
		test_error(t, CAUSE_SUITE, "startup is not complete");
	test_stands_on_frames(t, s);
	if ((s->role == RESPONDER ? s->seen_frame : s->sent_frame).flags &
	    MPA_R) {
		stream_may_be_rejected(t, s);
		test_counts_if_seen(t);
		const char *tried;
		unsigned short row =
			unanswered_row(t, MPA_7_1_2_09.index, &tried);

		test_fail(t, row, "due:  a Reply with R=0\nseen: R=1%s", tried);
	}
	stream_full_operation(t, s);
	dut_accept(t, s);
	take_opening(t, s);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Associations by usrsctp; sctp_packets.c handles their packets.
 *
 * Where the RFCs leave a choice: the path MTU is that of the route, and at most
 * 1500; incoming chunks are acknowledged at once.
 */
#include "harness/refdut/sctp/stack_decisions.h"
#include "harness/refdut/sctp/stack_internal.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include <usrsctp.h>

enum {
	BACKLOG = 64,
	MESSAGE_ROOM = 4096, /* for a message, initially */
	MESSAGE_MOST = 128 << 10,
	PORTS_FROM = 49152,
	MTU = 1500,
	MTU_LEAST = 512, /* of usrsctp */
};

static uint16_t last_port;

/* --- sockets of usrsctp ------------------------------------------------- */

static bool option(struct socket *so, int name, const void *value, size_t n)
{
	return usrsctp_setsockopt(so, IPPROTO_SCTP, name, value,
				  (socklen_t)n) == 0;
}

static bool told(struct socket *so, uint16_t type)
{
	const struct sctp_event e = {
		.se_assoc_id = SCTP_FUTURE_ASSOC, .se_type = type, .se_on = 1};

	return option(so, SCTP_EVENT, &e, sizeof(e));
}

static void upcall(struct socket *so, void *job, int flags)
{
	(void)so;
	(void)flags;
	loop_post(job);
}

static bool make_ready(struct socket *so, struct job *job)
{
	const int on = 1;

	return usrsctp_set_non_blocking(so, 1) == 0 &&
	       option(so, SCTP_RECVRCVINFO, &on, sizeof(on)) &&
	       usrsctp_set_upcall(so, upcall, job) == 0;
}

/* For a path that is not known yet. */
static bool set_mtu(struct socket *so, uint32_t mtu)
{
	const struct sctp_paddrparams p = {
		.spp_assoc_id = SCTP_FUTURE_ASSOC,
		/* usrsctp adds its own header to the MTU that it is given. */
		.spp_pathmtu =
			(mtu < MTU_LEAST ? MTU_LEAST : mtu) - stack_headers(),
		.spp_flags = SPP_PMTUD_DISABLE,
	};

	return option(so, SCTP_PEER_ADDR_PARAMS, &p, sizeof(p));
}

/* Settings with which all associations of the socket begin. */
static bool configure(struct socket *so, const struct stack_options *o,
		      uint32_t mtu)
{
	const struct sctp_setadaptation adaptation = {.ssb_adaptation_ind =
							      o->indication};
	const struct sctp_initmsg init = {.sinit_num_ostreams = o->outbound,
					  .sinit_max_instreams = o->inbound};
	const struct sctp_sack_info sack = {.sack_assoc_id = SCTP_FUTURE_ASSOC,
					    .sack_freq = 1};
	const int nodelay = !o->bundled;

	return option(so, SCTP_INITMSG, &init, sizeof(init)) &&
	       option(so, SCTP_NODELAY, &nodelay, sizeof(nodelay)) &&
	       option(so, SCTP_DELAYED_SACK, &sack, sizeof(sack)) &&
	       set_mtu(so, mtu) && told(so, SCTP_ASSOC_CHANGE) &&
	       told(so, SCTP_ADAPTATION_INDICATION) &&
	       told(so, SCTP_SHUTDOWN_EVENT) &&
	       (!o->adaptation || option(so, SCTP_ADAPTATION_LAYER, &adaptation,
					 sizeof(adaptation)));
}

/* Bind to this port, or to any port if it is 0. */
static bool bind_to(struct socket *so, uint16_t *port)
{
	struct sockaddr_conn at = {.sconn_family = AF_CONN};
	bool any = !*port;

	for (int tries = 0; tries < UINT16_MAX - PORTS_FROM; tries++) {
		if (any && (last_port < PORTS_FROM || ++last_port == 0))
			last_port = PORTS_FROM;
		at.sconn_port = htons(any ? last_port : *port);
		if (usrsctp_bind(so, (struct sockaddr *)&at, sizeof(at)) == 0) {
			*port = ntohs(at.sconn_port);
			return true;
		}
		if (!any || errno != EADDRINUSE)
			return false;
	}
	return false;
}

static struct socket *open_socket(uint16_t *port, struct job *job,
				  const struct stack_options *o, uint32_t mtu)
{
	struct socket *so = usrsctp_socket(AF_CONN, SOCK_STREAM, IPPROTO_SCTP,
					   NULL, NULL, 0, NULL);
	int error;

	if (!so)
		return NULL;
	if (make_ready(so, job) && configure(so, o, mtu) && bind_to(so, port))
		return so;
	error = errno;
	usrsctp_close(so);
	errno = error;
	return NULL;
}

/* As far as the kernel knows it. */
RULE(path_mtu)
{
	bool six = to->at.ss_family == AF_INET6;
	int fd = socket(to->at.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int mtu = MTU;
	socklen_t n = sizeof(mtu);

	if (fd < 0)
		return MTU;
	if (connect(fd, (const struct sockaddr *)&to->at, to->len) < 0 ||
	    getsockopt(fd, six ? IPPROTO_IPV6 : IPPROTO_IP,
		       six ? IPV6_MTU : IP_MTU, &mtu, &n) < 0 ||
	    mtu > MTU || mtu <= 0)
		mtu = MTU;
	close(fd);
	return (uint32_t)mtu;
}

/* --- associations ------------------------------------------------------- */

static void add_wire(struct stack_wire *w, struct socket *so,
		     struct stack_path *p)
{
	w->so = so;
	w->path = p;
	p->wires++;
	w->next = stack_wires;
	stack_wires = w;
}

static void remove_wire(struct stack_wire *w)
{
	struct stack_wire **at = &stack_wires;

	while (*at && *at != w)
		at = &(*at)->next;
	if (*at)
		*at = w->next;
	w->path->wires--;
	w->so = NULL;
	buf_free(&w->in);
	buf_free(&w->flight);
}

static struct sctp_status status_of(const struct stack_wire *w)
{
	struct sctp_status status = {0};
	socklen_t n = sizeof(status);

	if (usrsctp_getsockopt(w->so, IPPROTO_SCTP, SCTP_STATUS, &status, &n) !=
	    0)
		memset(&status, 0, sizeof(status));
	return status;
}

static void note_changes(struct stack_wire *w, const uint8_t *octets, size_t n,
			 bool *ended, bool *in_order)
{
	union sctp_notification what;

	memset(&what, 0, sizeof(what));
	memcpy(&what, octets, n < sizeof(what) ? n : sizeof(what));
	switch (what.sn_header.sn_type) {
	case SCTP_ADAPTATION_INDICATION:
		w->indicated = true;
		w->indication = what.sn_adaptation_event.sai_adaptation_ind;
		break;
	case SCTP_SHUTDOWN_EVENT:
		*ended = *in_order = true;
		break;
	case SCTP_ASSOC_CHANGE:
		/* A restart ends the existing association. */
		if (what.sn_assoc_change.sac_state != SCTP_COMM_UP)
			*ended = true;
		if (what.sn_assoc_change.sac_state == SCTP_SHUTDOWN_COMP)
			*in_order = true;
		break;
	}
}

static void look_at_acks(struct stack_wire *w)
{
	size_t unacknowledged, sent = buf_len(&w->flight) / sizeof(uint32_t);

	if (!sent)
		return;
	unacknowledged = status_of(w).sstat_unackdata;
	while (w->so && sent > unacknowledged) {
		uint32_t entry;

		memcpy(&entry, buf_head(&w->flight), sizeof(entry));
		buf_take(&w->flight, sizeof(entry));
		sent--;
		if (entry >> 16)
			w->user->acknowledged(w, (uint16_t)entry);
	}
}

/* SCTP's notification that it is up precedes all messages. */
static void come_up(struct stack_wire *w)
{
	struct sctp_status status = status_of(w);
	uint32_t own_most =
		path_mtu(&w->path->udp) - stack_headers() - DATA_HEADER;

	if (status.sstat_state != SCTP_ESTABLISHED)
		return;
	w->up = true;
	w->streams = status.sstat_instrms < status.sstat_outstrms
			     ? status.sstat_instrms
			     : status.sstat_outstrms;
	w->largest = status.sstat_fragmentation_point;
	if (w->largest > own_most)
		w->largest = own_most;
	w->user->up(w);
}

/* Read a message or a piece of one. False: nothing is there. */
static bool take(struct stack_wire *w, bool *ended, bool *in_order)
{
	uint8_t *room = buf_room(&w->in, MESSAGE_ROOM);
	struct sctp_rcvinfo info = {0};
	socklen_t size = sizeof(info), none = 0;
	unsigned type = SCTP_RECVV_NOINFO;
	int flags = 0;
	ssize_t n = usrsctp_recvv(w->so, room, MESSAGE_ROOM, NULL, &none, &info,
				  &size, &type, &flags);

	if (n <= 0) {
		*in_order |= n == 0;
		*ended |= n == 0 || (errno != EWOULDBLOCK && errno != EAGAIN &&
				     errno != ENOTCONN);
		return false;
	}
	if (buf_len(&w->in) < MESSAGE_MOST)
		buf_grow(&w->in, (size_t)n);
	if (!(flags & MSG_EOR))
		return true;
	if (flags & MSG_NOTIFICATION) {
		note_changes(w, buf_head(&w->in), buf_len(&w->in), ended,
			     in_order);
	} else {
		const struct stack_message m = {
			.stream = info.rcv_sid,
			.ppid = ntohl(info.rcv_ppid),
			.ordered = !(info.rcv_flags & SCTP_UNORDERED),
			.octets = buf_head(&w->in),
			.n = buf_len(&w->in),
		};

		if (!w->up)
			come_up(w);
		if (w->so && w->up)
			w->user->message(w, &m);
	}
	if (w->so)
		buf_take(&w->in, buf_len(&w->in));
	return true;
}

/* Notifications of an association. */
static void look(struct stack_wire *w)
{
	bool ended = false, in_order = false;

	if (!w->so)
		return;
	while (w->so && take(w, &ended, &in_order))
		;
	if (!w->so)
		return;
	if (!w->up && !ended)
		come_up(w);
	if (w->so)
		look_at_acks(w);
	if (w->so)
		w->user->progress(w);
	if (!w->so || !ended)
		return;
	usrsctp_set_upcall(w->so, NULL, NULL);
	usrsctp_close(w->so);
	remove_wire(w);
	w->user->over(w, in_order);
}

static void look_job(struct job *job)
{
	look((struct stack_wire *)((char *)job -
				   offsetof(struct stack_wire, job)));
}

static void accept_job(struct job *job)
{
	struct stack_door *door =
		(struct stack_door *)((char *)job -
				      offsetof(struct stack_door, job));

	while (door->so) {
		struct sockaddr_conn who = {0};
		socklen_t n = sizeof(who);
		struct socket *so =
			usrsctp_accept(door->so, (struct sockaddr *)&who, &n);
		struct stack_path *p;
		struct stack_wire *w;

		if (!so)
			return;
		p = stack_path_with((uintptr_t)who.sconn_addr);
		w = p ? door->came(door) : NULL;
		if (!w) {
			usrsctp_close(so);
			continue;
		}
		w->job.run = look_job;
		w->local_port = door->port;
		w->peer_port = ntohs(who.sconn_port);
		add_wire(w, so, p);
		make_ready(so, &w->job);
		loop_post(&w->job);
	}
}

int stack_listen(struct stack_door *door, const struct stack_options *options)
{
	int error;

	door->job.run = accept_job;
	door->so = open_socket(&door->port, &door->job, options, MTU);
	if (!door->so)
		return -1;
	if (usrsctp_listen(door->so, BACKLOG) != 0) {
		error = errno;
		usrsctp_close(door->so);
		door->so = NULL;
		errno = error;
		return -1;
	}
	door->next = stack_doors;
	stack_doors = door;
	return 0;
}

void stack_close_door(struct stack_door *door)
{
	struct stack_door **at = &stack_doors;

	if (!door->so)
		return;
	while (*at != door)
		at = &(*at)->next;
	*at = door->next;
	usrsctp_set_upcall(door->so, NULL, NULL);
	usrsctp_close(door->so);
	door->so = NULL;
	door->job.queued = true; /* never run again */
}

int stack_connect(struct stack_wire *w, const struct address *to, uint16_t port,
		  const struct stack_options *options)
{
	struct stack_path *p = stack_path_to(to);
	struct sockaddr_conn at = {.sconn_family = AF_CONN,
				   .sconn_port = htons(port)};
	struct socket *so;

	if (!p) {
		errno = ENOBUFS;
		return -1;
	}
	w->job.run = look_job;
	w->local_port = 0;
	w->peer_port = port;
	so = open_socket(&w->local_port, &w->job, options, path_mtu(to));
	if (!so)
		return -1;
	add_wire(w, so, p);
	at.sconn_addr = (void *)p->id;
	stack_pass_time();
	if (usrsctp_connect(so, (struct sockaddr *)&at, sizeof(at)) != 0 &&
	    errno != EINPROGRESS) {
		int error = errno;

		stack_abort(w);
		errno = error;
		return -1;
	}
	return 0;
}

bool stack_is_with(const struct stack_wire *w, const struct address *to,
		   uint16_t port)
{
	return w->so && w->peer_port == port && w->path->udp.len == to->len &&
	       memcmp(&w->path->udp.at, &to->at, to->len) == 0;
}

void stack_peer_text(const struct stack_wire *w, char text[ADDRESS_TEXT])
{
	struct address at = w->path->udp;

	address_set_port(&at, w->peer_port);
	address_text(&at, text);
}

int stack_send(struct stack_wire *w, const struct stack_message *m)
{
	struct sctp_sndinfo info = {
		.snd_sid = m->stream,
		.snd_flags = m->ordered ? 0 : SCTP_UNORDERED,
		.snd_ppid = htonl(m->ppid),
	};

	const struct sctp_assoc_value short_chunks = {.assoc_value = 400};
	const struct sctp_assoc_value long_chunks = {.assoc_value = 65535};
	ssize_t sent;

	if (!w->so)
		return -1;
	stack_pass_time();
	if (m->cut)
		option(w->so, SCTP_MAXSEG, &short_chunks, sizeof(short_chunks));
	sent = usrsctp_sendv(w->so, m->octets, m->n, NULL, 0, &info,
			     sizeof(info), SCTP_SENDV_SNDINFO, 0);
	if (m->cut)
		option(w->so, SCTP_MAXSEG, &long_chunks, sizeof(long_chunks));
	if (sent >= 0)
		return 1;
	return errno == EWOULDBLOCK || errno == EAGAIN ? 0 : -1;
}

static void let_go(struct stack_wire *w, bool at_once)
{
	const struct linger now = {.l_onoff = 1};

	if (!w->so)
		return;
	usrsctp_set_upcall(w->so, NULL, NULL);
	if (at_once)
		usrsctp_setsockopt(w->so, SOL_SOCKET, SO_LINGER, &now,
				   sizeof(now));
	usrsctp_close(w->so);
	remove_wire(w);
	w->job.queued = true; /* never run again */
}

void stack_abort(struct stack_wire *w)
{
	let_go(w, true);
}

void stack_shut_down(struct stack_wire *w)
{
	let_go(w, false);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the texts leave a choice: an association that is not admitted is
 * aborted in answer to its INIT; the path MTU is that of the route, and 1500 at
 * most; what comes is acknowledged at once.
 */
#include "harness/refdut/sctp_stack.h"
#include "harness/refdut/control.h"
#include "harness/refdut/mutants.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <usrsctp.h>

enum {
	TICK_MS = 10,       /* while packets come and go, */
	TICK_MOST_MS = 100, /* and long after the last one */
	BACKLOG = 64,
	PATHS_MAX = 1024,
	DATAGRAMS_PER_ROUND = 64,
	SPACE = 4 << 20,     /* octets that may wait for SCTP, */
	CHUNKS_MAX = 65535,  /* and chunks */
	MESSAGE_ROOM = 4096, /* of a message, at first */
	MESSAGE_MOST = 128 << 10,
	PORTS_FROM = 49152,
	MTU = 1500,
	MTU_LEAST = 512, /* of usrsctp */
	IP4_HEADER = 20,
	IP6_HEADER = 40,
	UDP_HEADER = 8,
	COMMON_HEADER = 12,
	CHUNK_HEADER = 4,
	DATA_HEADER = 16,
	INIT_HEADER = 20,
	CHUNK_DATA = 0,
	CHUNK_INIT = 1,
	CHUNK_ABORT = 6,
	FLAG_END = 0x01,
	PARAMETER_ADAPTATION = 0xc006,
};

/* A remote UDP address: what usrsctp has for an address is its number, never
 * a pointer, so that what it still says of one that is gone goes nowhere. */
struct stack_path {
	struct stack_path *next; /* the one used last is first */
	uintptr_t id;
	struct address udp;
	unsigned wires;
};

static struct watch udp = {.fd = -1};
static struct address own;
static struct timer ticker;
static uint64_t ticked; /* until when usrsctp knows the time */
static uint64_t moved;  /* when the last packet came or went */
static struct stack_path *paths;
static unsigned npaths;
static uintptr_t last_id;
static struct stack_wire *wires;
static struct stack_door *doors;
static uint16_t last_port;

/* --- packets ------------------------------------------------------------ */

static struct stack_path *path_with(uintptr_t id)
{
	struct stack_path *p = paths;

	while (p && p->id != id)
		p = p->next;
	return p;
}

static void forget_oldest(void)
{
	struct stack_path **oldest = NULL;
	struct stack_path *p;

	for (struct stack_path **at = &paths; *at; at = &(*at)->next)
		if (!(*at)->wires)
			oldest = at;
	if (!oldest)
		return;
	p = *oldest;
	*oldest = p->next;
	npaths--;
	usrsctp_deregister_address((void *)p->id);
	free(p);
}

/* NULL: too many are in use. */
static struct stack_path *path_to(const struct address *to)
{
	struct stack_path **at = &paths;
	struct stack_path *p;

	while (*at && ((*at)->udp.len != to->len ||
		       memcmp(&(*at)->udp.at, &to->at, to->len) != 0))
		at = &(*at)->next;
	p = *at;
	if (p) {
		*at = p->next;
	} else {
		if (npaths == PATHS_MAX)
			forget_oldest();
		if (npaths == PATHS_MAX)
			return NULL;
		p = alloc_zeroed(sizeof(*p));
		p->id = ++last_id;
		p->udp = *to;
		npaths++;
		usrsctp_register_address((void *)p->id);
	}
	p->next = paths;
	paths = p;
	return p;
}

static void send_packet(const struct stack_path *p, const uint8_t *packet,
			size_t n)
{
	moved = loop_now();
	/* What does not go out is as good as lost on the way. */
	(void)!sendto(udp.fd, packet, n, MSG_DONTWAIT | MSG_NOSIGNAL,
		      (const struct sockaddr *)&p->udp.at, p->udp.len);
}

/* Which chunks are on their way. One that is sent again has its old TSN. */
static void note_data(struct stack_wire *w, const uint8_t *chunk)
{
	uint32_t tsn = be32(chunk + 4);
	uint32_t entry = be16(chunk + 8);

	if (w->tsn_known && tsn != w->next_tsn)
		return;
	w->tsn_known = true;
	w->next_tsn = tsn + 1;
	entry |= chunk[1] & FLAG_END ? 1u << 16 : 0;
	buf_put(&w->flight, &entry, sizeof(entry));
}

static int packet_out(void *address, void *octets, size_t n, uint8_t tos,
		      uint8_t df)
{
	struct stack_path *p = path_with((uintptr_t)address);
	const uint8_t *packet = octets;
	struct stack_wire *w = wires;

	(void)tos;
	(void)df;
	if (!p || udp.fd < 0 || n < COMMON_HEADER || control_is(CONTROL_MUTE))
		return 0;
	while (w && (w->path != p || w->local_port != be16(packet) ||
		     w->peer_port != be16(packet + 2)))
		w = w->next;
	for (size_t at = COMMON_HEADER; w && at + DATA_HEADER <= n;) {
		size_t len = be16(packet + at + 2);

		if (packet[at] == CHUNK_DATA)
			note_data(w, packet + at);
		at += (len < CHUNK_HEADER ? CHUNK_HEADER : len + 3) & ~3u;
	}
	send_packet(p, packet, n);
	return 0;
}

/* The sum as SCTP has it: of the packet with zeros in its place. */
static uint32_t checksum(uint8_t *packet, size_t n)
{
	memset(packet + 8, 0, 4);
	return usrsctp_crc32c(packet, n);
}

static bool sum_is_right(uint8_t *packet, size_t n)
{
	uint32_t theirs, ours;

	memcpy(&theirs, packet + 8, 4);
	ours = checksum(packet, n);
	memcpy(packet + 8, &theirs, 4);
	return ours == theirs;
}

static bool find_indication(const uint8_t *init, size_t n, uint32_t *indication)
{
	size_t at = INIT_HEADER;

	while (at + 4 <= n) {
		size_t len = be16(init + at + 2);

		if (len < 4 || at + len > n)
			return false;
		if (be16(init + at) == PARAMETER_ADAPTATION && len == 8) {
			*indication = be32(init + at + 4);
			return true;
		}
		at += (len + 3) & ~(size_t)3;
	}
	return false;
}

static void answer_with_abort(const struct stack_path *p, const uint8_t *packet)
{
	uint8_t out[COMMON_HEADER + CHUNK_HEADER] = {0};
	uint32_t sum;

	memcpy(out, packet + 2, 2);
	memcpy(out + 2, packet, 2);
	memcpy(out + 4, packet + COMMON_HEADER + 4, 4); /* its own tag */
	out[COMMON_HEADER] = CHUNK_ABORT;
	be16_put(out + COMMON_HEADER + 2, CHUNK_HEADER);
	sum = checksum(out, sizeof(out));
	memcpy(out + 8, &sum, 4);
	send_packet(p, out, sizeof(out));
}

/* An INIT that the port does not take for what it says. */
static bool refused_at_once(const struct stack_path *p, uint8_t *packet,
			    size_t n)
{
	const uint8_t *chunk = packet + COMMON_HEADER;
	struct stack_door *door = doors;
	uint32_t indication = 0;
	bool indicated;
	size_t len;

	if (n < COMMON_HEADER + INIT_HEADER || chunk[0] != CHUNK_INIT)
		return false;
	while (door && door->port != be16(packet + 2))
		door = door->next;
	len = be16(chunk + 2);
	if (!door || len > n - COMMON_HEADER || !sum_is_right(packet, n))
		return false;
	indicated = find_indication(chunk, len, &indication);
	if (door->admits(door, indicated, indication))
		return false;
	answer_with_abort(p, packet);
	return true;
}

static void tick(struct timer *timer);

static void pass_time(void)
{
	uint64_t now = loop_now();

	if (now > ticked)
		usrsctp_handle_timers((uint32_t)(now - ticked));
	ticked = now;
	if (!ticker.prev && paths) {
		uint64_t ms = (loop_now() - moved) / 4;

		if (ms < TICK_MS)
			ms = TICK_MS;
		timer_arm(&ticker, ms < TICK_MOST_MS ? ms : TICK_MOST_MS);
	}
}

static void tick(struct timer *timer)
{
	(void)timer;
	pass_time();
}

static void look(struct stack_wire *w);

static void readable(struct watch *watch, uint32_t events)
{
	static uint8_t packet[65536];

	(void)events;
	/* No timer of usrsctp is to begin at a time that is over. */
	pass_time();
	moved = loop_now();
	for (int i = 0; i < DATAGRAMS_PER_ROUND; i++) {
		struct address from = {.len = sizeof(from.at)};
		struct stack_path *p;
		ssize_t n = recvfrom(watch->fd, packet, sizeof(packet),
				     MSG_DONTWAIT, (struct sockaddr *)&from.at,
				     &from.len);

		if (n < 0)
			break;
		p = path_to(&from);
		if (!p || control_is(CONTROL_MUTE) ||
		    refused_at_once(p, packet, (size_t)n))
			continue;
		usrsctp_conninput((void *)p->id, packet, (size_t)n, 0);
		for (struct stack_wire *w = wires; w; w = w->next)
			if (w->path == p)
				loop_post(&w->job);
	}
	pass_time();
}

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

static uint32_t headers(void)
{
	return (own.at.ss_family == AF_INET6 ? IP6_HEADER : IP4_HEADER) +
	       UDP_HEADER + COMMON_HEADER;
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

/* Of a path that is not known yet. */
static bool set_mtu(struct socket *so, uint32_t mtu)
{
	const struct sctp_paddrparams p = {
		.spp_assoc_id = SCTP_FUTURE_ASSOC,
		/* usrsctp adds its own header to what it is told. */
		.spp_pathmtu = (mtu < MTU_LEAST ? MTU_LEAST : mtu) - headers(),
		.spp_flags = SPP_PMTUD_DISABLE,
	};

	return option(so, SCTP_PEER_ADDR_PARAMS, &p, sizeof(p));
}

static struct socket *open_socket(uint16_t *port, struct job *job,
				  const struct stack_options *o, uint32_t mtu)
{
	const struct sctp_setadaptation adaptation = {.ssb_adaptation_ind =
							      o->indication};
	const struct sctp_initmsg init = {.sinit_num_ostreams = o->outbound,
					  .sinit_max_instreams = o->inbound};
	const struct sctp_sack_info sack = {.sack_assoc_id = SCTP_FUTURE_ASSOC,
					    .sack_freq = 1};
	const int nodelay = !o->bundled;
	struct sockaddr_conn at = {.sconn_family = AF_CONN};
	struct socket *so = usrsctp_socket(AF_CONN, SOCK_STREAM, IPPROTO_SCTP,
					   NULL, NULL, 0, NULL);
	int error;
	bool right;

	if (!so)
		return NULL;
	right = make_ready(so, job) &&
		option(so, SCTP_INITMSG, &init, sizeof(init)) &&
		option(so, SCTP_NODELAY, &nodelay, sizeof(nodelay)) &&
		option(so, SCTP_DELAYED_SACK, &sack, sizeof(sack)) &&
		set_mtu(so, mtu) && told(so, SCTP_ASSOC_CHANGE) &&
		told(so, SCTP_ADAPTATION_INDICATION) &&
		told(so, SCTP_SHUTDOWN_EVENT) &&
		(!o->adaptation || option(so, SCTP_ADAPTATION_LAYER,
					  &adaptation, sizeof(adaptation)));
	for (int tries = 0; right && tries < UINT16_MAX - PORTS_FROM; tries++) {
		bool any = !*port;

		if (any && (last_port < PORTS_FROM || ++last_port == 0))
			last_port = PORTS_FROM;
		at.sconn_port = htons(any ? last_port : *port);
		if (usrsctp_bind(so, (struct sockaddr *)&at, sizeof(at)) == 0) {
			*port = ntohs(at.sconn_port);
			return so;
		}
		right = any && errno == EADDRINUSE;
	}
	error = errno;
	usrsctp_close(so);
	errno = error;
	return NULL;
}

/* The MTU of the way there, as far as the kernel knows it. */
static uint32_t mtu_to(const struct address *to)
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
	return mutant(MUTANT_path_taken_for_larger) ? 4000 : (uint32_t)mtu;
}

/* --- associations ------------------------------------------------------- */

static void look_job(struct job *job)
{
	look((struct stack_wire *)((char *)job -
				   offsetof(struct stack_wire, job)));
}

static void add_wire(struct stack_wire *w, struct socket *so,
		     struct stack_path *p)
{
	w->so = so;
	w->path = p;
	p->wires++;
	w->next = wires;
	wires = w;
}

static void remove_wire(struct stack_wire *w)
{
	struct stack_wire **at = &wires;

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
		/* A restart is the end of the one there was. */
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

/* What SCTP says of how it came up stands before all messages. */
static void come_up(struct stack_wire *w)
{
	struct sctp_status status = status_of(w);
	uint32_t own_most = mtu_to(&w->path->udp) - headers() - DATA_HEADER;

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

/* A message or a piece of one. False: nothing is there. */
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

/* What an association has to tell. */
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
		p = path_with((uintptr_t)who.sconn_addr);
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
	door->next = doors;
	doors = door;
	return 0;
}

void stack_close_door(struct stack_door *door)
{
	struct stack_door **at = &doors;

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
	struct stack_path *p = path_to(to);
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
	so = open_socket(&w->local_port, &w->job, options, mtu_to(to));
	if (!so)
		return -1;
	add_wire(w, so, p);
	at.sconn_addr = (void *)p->id;
	pass_time();
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
	pass_time();
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

/* --- all of it ---------------------------------------------------------- */

/* An end point that does what RFC 9260 asks for, and offers nothing more. */
static void tune(void)
{
	usrsctp_sysctl_set_sctp_sendspace(SPACE);
	usrsctp_sysctl_set_sctp_recvspace(SPACE);
	usrsctp_sysctl_set_sctp_max_chunks_on_queue(CHUNKS_MAX);
	usrsctp_sysctl_set_sctp_ecn_enable(0);
	usrsctp_sysctl_set_sctp_pr_enable(0);
	usrsctp_sysctl_set_sctp_asconf_enable(0);
	usrsctp_sysctl_set_sctp_auth_enable(0);
	usrsctp_sysctl_set_sctp_reconfig_enable(0);
	usrsctp_sysctl_set_sctp_nrsack_enable(0);
	usrsctp_sysctl_set_sctp_pktdrop_enable(0);
	usrsctp_sysctl_set_sctp_rto_initial_default(500);
	usrsctp_sysctl_set_sctp_rto_min_default(200);
	usrsctp_sysctl_set_sctp_rto_max_default(2000);
	usrsctp_sysctl_set_sctp_init_rto_max_default(2000);
}

int stack_start(const struct address *at)
{
	int size = SPACE;
	int fd;

	own = *at;
	address_set_port(&own, 0);
	fd = socket(own.at.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
		    0);
	if (fd < 0)
		return -1;
	if (bind(fd, (struct sockaddr *)&own.at, own.len) < 0 ||
	    !address_own(fd, &own)) {
		int error = errno;

		close(fd);
		errno = error;
		return -1;
	}
	/* As much of it as the system lets it have. */
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	usrsctp_init_nothreads(0, packet_out, NULL);
	tune();
	ticker.fire = tick;
	ticked = loop_now();
	udp.ready = readable;
	if (loop_watch(&udp, fd, EPOLLIN) == 0)
		return 0;
	close(fd);
	return -1;
}

void stack_stop(void)
{
	int fd = udp.fd;

	if (fd < 0)
		return;
	timer_cancel(&ticker);
	loop_unwatch(&udp);
	close(fd);
}

uint16_t stack_udp_port(void)
{
	return udp.fd < 0 ? 0 : address_port(&own);
}

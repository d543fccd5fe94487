/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/link/sctp/sctp.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include <usrsctp.h>

#include "harness/link/sctp/sctp_internal.h"

enum {
	UDP_OCTETS = 8,
	IP4_OCTETS = 20,
	IP6_OCTETS = 40,
	BACKLOG = 64,
	/* The receive window: a smaller one, of a few packets, would be opened
	 * and closed by timers most of the time. */
	RCVBUF_LEAST = 32768,
};

static const struct link_ops sctp_ops;

/* --- sockets of usrsctp -------------------------------------------------- */

static bool option(struct socket *so, int name, const void *value, size_t n)
{
	return usrsctp_setsockopt(so, IPPROTO_SCTP, name, value,
				  (socklen_t)n) == 0;
}

static bool event(struct socket *so, uint16_t type)
{
	const struct sctp_event e = {
		.se_assoc_id = SCTP_FUTURE_ASSOC, .se_type = type, .se_on = 1};

	return option(so, SCTP_EVENT, &e, sizeof(e));
}

static bool option_mtu(struct socket *so, const struct link_sctp_link *l)
{
	uint32_t mtu = l->options.mtu ? l->options.mtu : SCTP_MTU;
	/* usrsctp adds its common header to the MTU that it is given. */
	uint32_t around = SCTP_COMMON_OCTETS + (l->ip_alone ? 0 : UDP_OCTETS) +
			  (l->local.family == 6 ? IP6_OCTETS : IP4_OCTETS);
	const struct sctp_paddrparams p = {
		.spp_assoc_id = SCTP_FUTURE_ASSOC,
		.spp_pathmtu =
			(mtu < SCTP_MTU_LEAST ? SCTP_MTU_LEAST : mtu) - around,
		.spp_flags = SPP_PMTUD_DISABLE,
	};

	return option(so, SCTP_PEER_ADDR_PARAMS, &p, sizeof(p));
}

/* A one-to-one socket with the options of the link; NULL and why. */
static struct socket *new_socket(struct link_sctp_link *l)
{
	const struct link_sctp_options *o = &l->options;
	const struct sctp_setadaptation adaptation = {.ssb_adaptation_ind =
							      o->indication};
	const struct sctp_initmsg init = {
		.sinit_num_ostreams = o->outbound ? o->outbound : SCTP_STREAMS,
		.sinit_max_instreams = o->inbound ? o->inbound : SCTP_STREAMS,
	};
	const struct sctp_sack_info sack = {.sack_assoc_id = SCTP_FUTURE_ASSOC,
					    .sack_freq = 1};
	const int on = 1;
	struct socket *so = usrsctp_socket(AF_CONN, SOCK_STREAM, IPPROTO_SCTP,
					   NULL, NULL, 0, NULL);
	bool right = so && usrsctp_set_non_blocking(so, 1) == 0 &&
		     option(so, SCTP_INITMSG, &init, sizeof(init)) &&
		     option(so, SCTP_NODELAY, &on, sizeof(on)) &&
		     option(so, SCTP_RECVRCVINFO, &on, sizeof(on)) &&
		     option(so, SCTP_DELAYED_SACK, &sack, sizeof(sack)) &&
		     option_mtu(so, l) && event(so, SCTP_ASSOC_CHANGE) &&
		     event(so, SCTP_ADAPTATION_INDICATION) &&
		     event(so, SCTP_SHUTDOWN_EVENT);

	if (right && o->adaptation)
		right = option(so, SCTP_ADAPTATION_LAYER, &adaptation,
			       sizeof(adaptation));
	if (right && l->link.options.rcvbuf) {
		const int octets = l->link.options.rcvbuf < RCVBUF_LEAST
					   ? RCVBUF_LEAST
					   : (int)l->link.options.rcvbuf;

		right = usrsctp_setsockopt(so, SOL_SOCKET, SO_RCVBUF, &octets,
					   sizeof(octets)) == 0;
	}
	if (right)
		return so;
	link_fail(l->link.why, LINK_ERROR, "a socket of SCTP: %s",
		  strerror(errno));
	if (so)
		usrsctp_close(so);
	return NULL;
}

static uint16_t port_of(struct socket *so)
{
	struct sockaddr *all = NULL;
	struct sockaddr_conn one = {0};

	if (usrsctp_getladdrs(so, 0, &all) <= 0)
		return 0;
	memcpy(&one, all, sizeof(one));
	usrsctp_freeladdrs(all);
	return ntohs(one.sconn_port);
}

/* SCTP's ABORT instead of its SHUTDOWN. */
static void close_at_once(struct socket *so)
{
	const struct linger now = {.l_onoff = 1};

	usrsctp_setsockopt(so, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	usrsctp_close(so);
}

/* --- associations -------------------------------------------------------- */

static struct link_sctp_conn *conn_new(struct link_sctp_link *l,
				       struct sctp_path *path,
				       struct socket *so, uint16_t remote_port)
{
	struct link_sctp_conn *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->conn.link = &l->link;
	c->so = so;
	c->path = path;
	c->fragments = l->options.fragments;
	c->acks_withheld = l->link.options.acks == LINK_ACKS_WITHHELD;
	c->losses.chosen = c->acks_withheld;
	c->conn.local = l->local;
	c->conn.local.port = port_of(so);
	c->conn.remote = path->remote;
	c->conn.remote.port = remote_port;
	c->next = l->conns;
	l->conns = c;
	return c;
}

static void conn_free(struct link_sctp_conn *c)
{
	struct link_sctp_conn **at = &sctp_link(c->conn.link)->conns;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	sctp_forget_held(c);
	free(c->in);
	free(c);
}

/* Until it is up, or will never be. */
static int await_up(struct link_sctp_conn *c, const struct link_end *to,
		    uint64_t deadline)
{
	struct link *link = c->conn.link;
	char where[LINK_END_TEXT];

	link_end_text(to, where);
	for (;;) {
		struct pollfd p = {.fd = sctp_link(link)->fd, .events = POLLIN};
		int ms = clock_poll_ms(deadline);

		sctp_serve(sctp_link(link));
		sctp_fill(c);

		int tick = sctp_tick_ms(sctp_link(link));

		if (c->up)
			return LINK_OK;
		if (c->refused || c->lost)
			return link_fail(link->why, LINK_REFUSED,
					 "connect: %s refuses the association",
					 where);
		if (link->trouble[0])
			return link_fail(link->why, LINK_ERROR, "%s",
					 link->trouble);
		if (ms <= 0)
			return link_fail(link->why, LINK_TIMEOUT,
					 "connect: %s does not answer", where);
		if (poll(&p, 1, ms < tick ? ms : tick) < 0 && errno != EINTR)
			return link_fail(link->why, LINK_ERROR, "poll: %s",
					 strerror(errno));
	}
}

/* To SCTP's port at the UDP port of the options. */
static int sctp_connect(struct link *link, const struct link_end *to,
			uint64_t deadline, struct link_conn **conn)
{
	struct link_sctp_link *l = sctp_link(link);
	struct link_end udp = *to;
	struct sockaddr_conn at = {.sconn_family = AF_CONN,
				   .sconn_port = htons(to->port)};
	struct sctp_path *path;
	struct socket *so;

	udp.port =
		l->options.udp_port ? l->options.udp_port : LINK_SCTP_UDP_PORT;
	if (l->ip_alone)
		udp.port = 0;
	if (to->family != l->local.family)
		return link_fail(link->why, LINK_ERROR,
				 "connect: this link uses IPv%u",
				 l->local.family);
	path = sctp_path_to(l, &udp);
	if (!path)
		return link_fail(link->why, LINK_ERROR,
				 "connect: no room for another peer");
	so = new_socket(l);
	if (!so)
		return LINK_ERROR;
	at.sconn_addr = stack_address_of(&path->path);
	/* Its port, before a packet of it is seen. */
	struct sockaddr_conn any = {.sconn_family = AF_CONN};
	struct link_sctp_conn *c = NULL;

	if (usrsctp_bind(so, (struct sockaddr *)&any, sizeof(any)) == 0)
		c = conn_new(l, path, so, to->port);
	if (!c ||
	    (usrsctp_connect(so, (struct sockaddr *)&at, sizeof(at)) != 0 &&
	     errno != EINPROGRESS)) {
		link_fail(link->why, LINK_ERROR, "connect: %s",
			  strerror(errno));
		usrsctp_close(so);
		if (c)
			conn_free(c);
		return LINK_ERROR;
	}
	int status = await_up(c, &udp, deadline);

	if (status != LINK_OK) {
		/* An INIT without an answer proves no loss. */
		close_at_once(so);
		conn_free(c);
		return status;
	}
	*conn = &c->conn;
	return LINK_OK;
}

static int sctp_listen(struct link *link, const struct link_end *at,
		       struct link_listener **listener)
{
	struct link_sctp_link *l = sctp_link(link);
	struct link_sctp_listener *made = calloc(1, sizeof(*made));
	struct sockaddr_conn any = {.sconn_family = AF_CONN,
				    .sconn_port = htons(at->port)};
	struct socket *so = made ? new_socket(l) : NULL;

	if (!so) {
		free(made);
		return made ? LINK_ERROR
			    : link_fail(link->why, LINK_ERROR,
					"listen: no memory");
	}
	if (usrsctp_bind(so, (struct sockaddr *)&any, sizeof(any)) != 0 ||
	    usrsctp_listen(so, BACKLOG) != 0) {
		link_fail(link->why, LINK_ERROR, "listen: port %u of SCTP: %s",
			  at->port, strerror(errno));
		usrsctp_close(so);
		free(made);
		return LINK_ERROR;
	}
	made->so = so;
	made->listener.link = link;
	made->listener.local = l->local;
	made->listener.local.port = port_of(so);
	made->next = l->listeners;
	l->listeners = made;
	*listener = &made->listener;
	return LINK_OK;
}

static int sctp_accept_now(struct link_listener *listener,
			   struct link_conn **conn)
{
	struct link_sctp_listener *from = (struct link_sctp_listener *)listener;
	struct link_sctp_link *l = sctp_link(listener->link);
	struct sockaddr_conn who = {0};
	socklen_t n = sizeof(who);

	sctp_serve(l);
	struct socket *so =
		usrsctp_accept(from->so, (struct sockaddr *)&who, &n);

	if (!so)
		return LINK_TIMEOUT;
	struct stack_path *path = stack_path_of(who.sconn_addr);
	const int on = 1;
	struct link_sctp_conn *c = NULL;

	/* Another link of this process has no business with the port. */
	if (path && ((struct sctp_path *)path)->link == l &&
	    usrsctp_set_non_blocking(so, 1) == 0 &&
	    option(so, SCTP_RECVRCVINFO, &on, sizeof(on)))
		c = conn_new(l, (struct sctp_path *)path, so,
			     ntohs(who.sconn_port));
	if (!c) {
		close_at_once(so);
		return link_fail(l->link.why, LINK_ERROR,
				 "accept: no room for the association, or it "
				 "is of another link");
	}
	c->up = true;
	*conn = &c->conn;
	return LINK_OK;
}

static void sctp_listener_close(struct link_listener *listener)
{
	struct link_sctp_listener *was = (struct link_sctp_listener *)listener;
	struct link_sctp_listener **at = &sctp_link(listener->link)->listeners;

	while (*at != was)
		at = &(*at)->next;
	*at = was->next;
	usrsctp_close(was->so);
	free(was);
}

static int sctp_half_close(struct link_conn *conn)
{
	if (usrsctp_shutdown(sctp_conn(conn)->so, SHUT_WR) == 0)
		return LINK_OK;
	if (errno == ENOTCONN || errno == ECONNRESET)
		return LINK_RESET;
	return link_fail(conn->why, LINK_ERROR, "shutdown of SCTP: %s",
			 strerror(errno));
}

static bool sctp_reset(struct link_conn *conn)
{
	struct link_sctp_conn *c = sctp_conn(conn);
	bool over = c->lost || c->ended;

	sctp_fill(c);
	close_at_once(c->so);
	c->so = NULL;
	return !over;
}

static bool sctp_close(struct link_conn *conn)
{
	struct link_sctp_conn *c = sctp_conn(conn);

	/* Held packets precede the end. */
	link_sctp_release(conn, false);
	if (c->so)
		usrsctp_close(c->so);
	conn_free(c);
	return false;
}

static uint64_t sctp_lost(const struct link_conn *conn)
{
	return sctp_losses(&((const struct link_sctp_conn *)conn)->losses);
}

/* --- waiting ------------------------------------------------------------- */

static unsigned ready(const struct link_wait *w)
{
	unsigned is = 0;

	if (w->conn) {
		struct link_sctp_conn *c = sctp_conn(w->conn);

		if (sctp_readable(c))
			is |= LINK_READ;
		if (!c->so || c->lost || c->ended ||
		    usrsctp_get_events(c->so) & SCTP_EVENT_WRITE)
			is |= LINK_WRITE;
	} else if (w->listener) {
		struct link_sctp_listener *l =
			(struct link_sctp_listener *)w->listener;

		if (usrsctp_get_events(l->so) & SCTP_EVENT_READ)
			is |= LINK_READ;
	}
	return is & w->want;
}

/* Fills in p for the descriptors among the waits; how many. */
static nfds_t descriptors(const struct link_wait *waits, size_t n,
			  struct pollfd *p)
{
	nfds_t count = 0;

	for (size_t i = 0; i < n; i++)
		if (!waits[i].conn && !waits[i].listener)
			p[count++] = (struct pollfd){
				.fd = waits[i].fd,
				.events = (short)((waits[i].want & LINK_READ
							   ? POLLIN
							   : 0) |
						  (waits[i].want & LINK_WRITE
							   ? POLLOUT
							   : 0)),
			};
	return count;
}

static unsigned polled(const struct pollfd *p, unsigned want)
{
	unsigned is = 0;

	if (p->revents & (POLLIN | POLLHUP | POLLERR | POLLNVAL))
		is |= LINK_READ;
	if (p->revents & (POLLOUT | POLLHUP | POLLERR | POLLNVAL))
		is |= LINK_WRITE;
	return is & want;
}

static int sctp_wait(struct link *link, struct link_wait *waits, size_t n,
		     uint64_t deadline)
{
	struct link_sctp_link *l = sctp_link(link);
	struct pollfd p[LINK_WAIT_MAX + 1];
	nfds_t count = descriptors(waits, n, p);
	uint64_t packets = l->packets;
	int timeout = 0;

	p[count] = (struct pollfd){.fd = l->fd, .events = POLLIN};
	for (;;) {
		int found = 0, ms = clock_poll_ms(deadline);
		nfds_t at = 0;

		if (poll(p, count + 1, timeout) < 0 && errno != EINTR)
			return link_fail(link->why, LINK_ERROR, "poll: %s",
					 strerror(errno));
		sctp_serve(l);
		for (size_t i = 0; i < n; i++) {
			struct link_wait *w = &waits[i];

			w->ready = w->conn || w->listener
					   ? ready(w)
					   : polled(&p[at++], w->want);
			/* Its own, which was read meanwhile. */
			if (!w->conn && !w->listener && w->fd == l->fd &&
			    l->packets != packets)
				w->ready |= LINK_READ & w->want;
			found += w->ready != 0;
		}
		if (found)
			return found;
		if (link->trouble[0])
			return link_fail(link->why, LINK_ERROR, "%s",
					 link->trouble);
		if (ms <= 0)
			return LINK_TIMEOUT;
		timeout = sctp_tick_ms(l);
		if (ms < timeout)
			timeout = ms;
	}
}

static int sctp_fd(const struct link *link)
{
	return ((const struct link_sctp_link *)link)->fd;
}

static uint64_t sctp_serve_link(struct link *link)
{
	sctp_serve(sctp_link(link));
	return clock_after_ms((unsigned)sctp_tick_ms(sctp_link(link)));
}

/* --- the link ------------------------------------------------------------ */

struct link *link_sctp_open(const struct link_sctp *c, char why[LINK_WHY])
{
	struct link_sctp_link *l = calloc(1, sizeof(*l));

	if (!l) {
		link_fail(why, LINK_ERROR, "no memory for a link");
		return NULL;
	}
	l->link = (struct link){
		.ops = &sctp_ops,
		.name = "sctp",
		.caps = LINK_CAP_RESET | LINK_CAP_LISTEN | LINK_CAP_RCVBUF |
			LINK_CAP_MESSAGES,
	};
	if (!sctp_datagrams_open(l, c, why)) {
		free(l);
		return NULL;
	}
	stack_start();
	return &l->link;
}

uint16_t link_sctp_udp_port(const struct link *link)
{
	return ((const struct link_sctp_link *)link)->local.port;
}

void link_sctp_set(struct link *link, const struct link_sctp_options *options)
{
	sctp_link(link)->options = *options;
}

static void sctp_destroy(struct link *link)
{
	sctp_datagrams_close(sctp_link(link));
	free(link);
}

static const struct link_ops sctp_ops = {
	.sniffs = true,
	.connect = sctp_connect,
	.listen = sctp_listen,
	.accept_now = sctp_accept_now,
	.send_now = sctp_send_now,
	.recv_now = sctp_recv_now,
	.lost = sctp_lost,
	.unacknowledged = sctp_unacknowledged,
	.half_close = sctp_half_close,
	.reset = sctp_reset,
	.close = sctp_close,
	.listener_close = sctp_listener_close,
	.wait = sctp_wait,
	.destroy = sctp_destroy,
	.set_acks = sctp_set_acks,
	.lose = sctp_lose,
	.fall_silent = sctp_fall_silent,
	.fd = sctp_fd,
	.serve = sctp_serve_link,
};

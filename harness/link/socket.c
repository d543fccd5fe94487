/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's TCP. Every write ends a record (MSG_EOR), which keeps the kernel
 * from joining it with the next one in a segment, even if it delays writes for
 * a moment: TCP_NODELAY alone is not sufficient.
 */
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/link/ports.h"
#include "harness/link/provider.h"

struct socket_conn {
	struct link_conn conn;
	int fd;         /* -1 after a reset of ours */
	bool reset;     /* a RST came, whether or not octets are left to read */
	bool fin_first; /* and a FIN before it */
};

struct socket_listener {
	struct link_listener listener;
	int fd;
};

union address {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

static socklen_t to_address(const struct link_end *e, union address *a)
{
	memset(a, 0, sizeof(*a));
	if (e->family == 6) {
		a->in6.sin6_family = AF_INET6;
		a->in6.sin6_port = htons(e->port);
		a->in6.sin6_scope_id = e->scope;
		memcpy(&a->in6.sin6_addr, e->addr, 16);
		return sizeof(a->in6);
	}
	a->in.sin_family = AF_INET;
	a->in.sin_port = htons(e->port);
	memcpy(&a->in.sin_addr, e->addr, 4);
	return sizeof(a->in);
}

static struct link_end from_address(const union address *a)
{
	struct link_end e = {.family = 4};

	if (a->any.sa_family == AF_INET6) {
		e.family = 6;
		e.port = ntohs(a->in6.sin6_port);
		e.scope = a->in6.sin6_scope_id;
		memcpy(e.addr, &a->in6.sin6_addr, 16);
		return e;
	}
	e.port = ntohs(a->in.sin_port);
	memcpy(e.addr, &a->in.sin_addr, 4);
	return e;
}

/* False: errno. */
static bool local_end(int fd, struct link_end *end)
{
	union address a;
	socklen_t len = sizeof(a);

	memset(&a, 0, sizeof(a));
	if (getsockname(fd, &a.any, &len) < 0)
		return false;
	*end = from_address(&a);
	return true;
}

static int no_local_end(struct link *link, int fd)
{
	link_fail(link->why, LINK_ERROR, "getsockname: %s", strerror(errno));
	close(fd);
	return LINK_ERROR;
}

static bool is_wildcard(const struct link_end *e)
{
	static const uint8_t none[16];

	return memcmp(e->addr, none, e->family == 6 ? 16 : 4) == 0;
}

/* Options that have to be set before the handshake, which carries them to the
 * peer. */
static int socket_new(struct link *link, uint8_t family)
{
	int one = 1;
	int fd = socket(family == 6 ? AF_INET6 : AF_INET,
			SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return link_fail(link->why, -1, "socket: %s", strerror(errno));
	int bad = setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (link->options.rcvbuf)
		bad |= setsockopt(fd, SOL_SOCKET, SO_RCVBUF,
				  &(int){(int)link->options.rcvbuf},
				  sizeof(int));
	if (link->options.mss)
		bad |= setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG,
				  &(int){(int)link->options.mss}, sizeof(int));
	if (bad) {
		link_fail(link->why, -1, "socket option: %s", strerror(errno));
		close(fd);
		return -1;
	}
	return fd;
}

static int conn_new(struct link *link, int fd, struct link_end local,
		    struct link_end remote, struct link_conn **conn)
{
	struct socket_conn *s = calloc(1, sizeof(*s));

	if (!s) {
		close(fd);
		return link_fail(link->why, LINK_ERROR, "out of memory");
	}
	s->fd = fd;
	s->conn.local = local;
	s->conn.remote = remote;
	*conn = &s->conn;
	return LINK_OK;
}

/* Wait for one descriptor; poll() restarts after a signal. */
static int fd_wait(int fd, short events, uint64_t deadline)
{
	struct pollfd p = {.fd = fd, .events = events};
	int n;

	do
		n = poll(&p, 1, clock_poll_ms(deadline));
	while (n < 0 && errno == EINTR);
	return n;
}

static int connect_finish(int fd, const struct link_end *to, uint64_t deadline)
{
	union address a;
	socklen_t len = to_address(to, &a);

	if (connect(fd, &a.any, len) == 0)
		return 0;
	if (errno != EINPROGRESS && errno != EINTR)
		return errno;
	int n = fd_wait(fd, POLLOUT, deadline);
	if (n <= 0)
		return n == 0 ? ETIME : errno;
	int error = 0;
	len = sizeof(error);
	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0 ? errno
								      : error;
}

static int socket_connect(struct link *link, const struct link_end *to,
			  uint64_t deadline, struct link_conn **conn)
{
	char text[LINK_END_TEXT];
	int fd = socket_new(link, to->family);

	if (fd < 0)
		return LINK_ERROR;
	int error = connect_finish(fd, to, deadline);
	if (error == 0) {
		struct link_end local;

		return local_end(fd, &local)
			       ? conn_new(link, fd, local, *to, conn)
			       : no_local_end(link, fd);
	}
	link->lost += link_socket_lost(fd);
	close(fd);
	int status = LINK_ERROR;
	if (error == ETIME || error == ETIMEDOUT)
		status = LINK_TIMEOUT;
	else if (error == ECONNREFUSED)
		status = LINK_REFUSED;
	else if (error == ECONNRESET)
		status = LINK_RESET;
	link_end_text(to, text);
	return link_fail(link->why, status, "connect to %s: %s", text,
			 status == LINK_TIMEOUT ? "no answer"
						: strerror(error));
}

bool link_socket_own_address(const char *to, char own[LINK_ADDRESS])
{
	struct link_end end;
	char text[LINK_END_TEXT], *colon;
	union address a;
	bool found;
	int fd;

	if (!link_end_parse(&end, to, 1))
		return false;
	socklen_t len = to_address(&end, &a);

	/* Connecting a datagram socket sends nothing; it looks up the route. */
	fd = socket(a.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	found = connect(fd, &a.any, len) == 0 && local_end(fd, &end);
	close(fd);
	if (!found)
		return false;
	link_end_text(&end, text);
	colon = strrchr(text, ':');
	*colon = '\0';
	/* "[::1]" without its brackets. */
	if (text[0] == '[') {
		colon[-1] = '\0';
		memmove(text, text + 1, strlen(text));
	}
	found = strlen(text) < LINK_ADDRESS;
	if (found)
		memcpy(own, text, strlen(text) + 1);
	return found;
}

/* A socket that listens there; -1 with errno, or with link->why. */
static int listen_at(struct link *link, const struct link_end *at)
{
	union address a;
	socklen_t len = to_address(at, &a);
	int one = 1;
	int fd = socket_new(link, at->family);

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, &a.any, len) == 0 && listen(fd, SOMAXCONN) == 0)
		return fd;

	char text[LINK_END_TEXT];
	link_end_text(at, text);
	link_fail(link->why, -1, "listen at %s: %s", text, strerror(errno));
	close(fd);
	return -1;
}

static int socket_listen(struct link *link, const struct link_end *at,
			 struct link_listener **listener)
{
	static struct ports ports;
	struct link_end guess = *at;
	int fd = -1;

	for (unsigned i = 0; !at->port && fd < 0 && i < PORTS_AT_ONCE; i++)
		if ((guess.port = ports_guess(&ports)) != 0)
			fd = listen_at(link, &guess);
	bool guessed = fd >= 0;

	if (!guessed && (fd = listen_at(link, at)) < 0)
		return LINK_ERROR;
	struct socket_listener *l = calloc(1, sizeof(*l));

	if (!l) {
		close(fd);
		return link_fail(link->why, LINK_ERROR, "out of memory");
	}
	if (!local_end(fd, &l->listener.local)) {
		free(l);
		return no_local_end(link, fd);
	}
	l->fd = fd;
	if (!at->port && !guessed)
		ports_begin(&ports, l->listener.local.port);
	*listener = &l->listener;
	return LINK_OK;
}

static int socket_accept_now(struct link_listener *listener,
			     struct link_conn **conn)
{
	struct socket_listener *l = (struct socket_listener *)listener;
	union address a;
	socklen_t len;
	int fd;

	memset(&a, 0, sizeof(a));
	/* A connection that was reset in the queue does not count. */
	do {
		len = sizeof(a);
		fd = accept4(l->fd, &a.any, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
	} while (fd < 0 && (errno == EINTR || errno == ECONNABORTED));
	if (fd < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return LINK_TIMEOUT;
	if (fd < 0)
		return link_fail(listener->link->why, LINK_ERROR, "accept: %s",
				 strerror(errno));
	struct link_end local = listener->local;

	if (is_wildcard(&local) && !local_end(fd, &local))
		return no_local_end(listener->link, fd);
	return conn_new(listener->link, fd, local, from_address(&a), conn);
}

static void socket_listener_close(struct link_listener *listener)
{
	struct socket_listener *l = (struct socket_listener *)listener;

	close(l->fd);
	free(l);
}

static long socket_send_now(struct link_conn *conn, const void *octets,
			    size_t n)
{
	struct socket_conn *s = (struct socket_conn *)conn;
	ssize_t k;

	do
		k = send(s->fd, octets, n, MSG_NOSIGNAL | MSG_EOR);
	while (k < 0 && errno == EINTR);
	if (k >= 0)
		return k;
	if (errno == EAGAIN || errno == EWOULDBLOCK)
		return 0;
	/* The kernel's EPIPE is a RST that found a FIN before it. */
	if (errno == ECONNRESET || errno == EPIPE) {
		s->reset = true;
		s->fin_first = errno == EPIPE;
		return link_fail(conn->why, LINK_RESET,
				 "send: the peer has reset the connection");
	}
	return link_fail(conn->why, LINK_ERROR, "send: %s", strerror(errno));
}

/* After FIN nothing can be read; a RST that followed is reported once. */
static bool reset_followed(struct socket_conn *s)
{
	int error = 0;
	socklen_t len = sizeof(error);

	if (!s->reset &&
	    getsockopt(s->fd, SOL_SOCKET, SO_ERROR, &error, &len) == 0)
		s->reset = error == EPIPE || error == ECONNRESET;
	return s->reset;
}

static long socket_recv_now(struct link_conn *conn, void *octets, size_t cap)
{
	struct socket_conn *s = (struct socket_conn *)conn;
	ssize_t k;

	if (s->fd < 0)
		return LINK_RESET;
	if (conn->fin_seen)
		return reset_followed(s) ? LINK_RESET : 0;
	do
		k = recv(s->fd, octets, cap, 0);
	while (k < 0 && errno == EINTR);
	if (k > 0)
		return k;
	/* Once a send took the error, the kernel shows a RST as an end. */
	if (k == 0)
		return s->reset && !s->fin_first ? LINK_RESET : 0;
	/* There is no wait for unsent octets: a send has found that the
	 * connection is gone, and nothing more can happen. */
	if ((errno == EAGAIN || errno == EWOULDBLOCK) && !s->reset)
		return LINK_TIMEOUT;
	if (s->reset || errno == ECONNRESET || errno == EPIPE) {
		s->reset = true;
		return link_fail(conn->why, LINK_RESET,
				 "receive: the peer reset the connection");
	}
	return link_fail(conn->why, LINK_ERROR, "receive: %s", strerror(errno));
}

static int socket_half_close(struct link_conn *conn)
{
	struct socket_conn *s = (struct socket_conn *)conn;

	if (shutdown(s->fd, SHUT_WR) == 0)
		return LINK_OK;
	/* The kernel has closed both directions: there is an unread RST. */
	if (errno == ENOTCONN)
		return link_fail(conn->why, LINK_RESET,
				 "close: the peer has reset the connection");
	return link_fail(conn->why, LINK_ERROR, "close: %s", strerror(errno));
}

static bool socket_reset(struct link_conn *conn)
{
	struct socket_conn *s = (struct socket_conn *)conn;
	struct linger now = {.l_onoff = 1, .l_linger = 0};

	setsockopt(s->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(s->fd);
	s->fd = -1;
	/* After both FINs there is no connection left to reset. */
	return !(conn->fin_sent && conn->fin_seen);
}

static bool socket_close(struct link_conn *conn)
{
	struct socket_conn *s = (struct socket_conn *)conn;
	int unread = 0;

	if (s->fd >= 0) {
		if (conn->flow >= 0)
			ioctl(s->fd, FIONREAD, &unread);
		close(s->fd);
	}
	free(s);
	return unread > 0;
}

static int wait_fd(const struct link_wait *w)
{
	if (w->conn)
		return ((const struct socket_conn *)w->conn)->fd;
	if (w->listener)
		return ((const struct socket_listener *)w->listener)->fd;
	return w->fd;
}

static int socket_wait(struct link *link, struct link_wait *waits, size_t n,
		       uint64_t deadline)
{
	struct pollfd p[LINK_WAIT_MAX];
	int k;

	for (size_t i = 0; i < n; i++) {
		p[i].fd = wait_fd(&waits[i]);
		p[i].events = 0;
		if (waits[i].want & LINK_READ)
			p[i].events |= POLLIN;
		if (waits[i].want & LINK_WRITE)
			p[i].events |= POLLOUT;
	}
	do
		k = poll(p, n, clock_poll_ms(deadline));
	while (k < 0 && errno == EINTR);
	if (k < 0)
		return link_fail(link->why, LINK_ERROR, "poll: %s",
				 strerror(errno));
	for (size_t i = 0; i < n; i++) {
		waits[i].ready = 0;
		if (p[i].revents & POLLIN)
			waits[i].ready |= LINK_READ;
		if (p[i].revents & POLLOUT)
			waits[i].ready |= LINK_WRITE;
		if (p[i].revents & (POLLERR | POLLHUP | POLLNVAL))
			waits[i].ready |= waits[i].want;
	}
	return k == 0 ? LINK_TIMEOUT : k;
}

static void socket_destroy(struct link *link)
{
	free(link);
}

/* The time stamps' option in each segment, with its padding: RFC 7323 s3. */
#define TIMES_OCTETS 12

static struct tcp_info info_at(int fd)
{
	struct tcp_info info = {0};
	socklen_t n = sizeof(info);

	if (fd >= 0 && getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &n) < 0)
		memset(&info, 0, sizeof(info));
	return info;
}

static struct tcp_info info_of(const struct link_conn *conn)
{
	return info_at(((const struct socket_conn *)conn)->fd);
}

/* A retransmitted segment that had already arrived, as the peer reported (RFC
 * 2883), was not lost. */
uint64_t link_socket_lost(int fd)
{
	struct tcp_info info = info_at(fd);
	uint32_t again = info.tcpi_total_retrans;

	again -= info.tcpi_dsack_dups < again ? info.tcpi_dsack_dups : again;
	return (uint64_t)again + info.tcpi_rcv_ooopack;
}

static uint64_t socket_unacknowledged(const struct link_conn *conn)
{
	int octets = 0, fd = ((const struct socket_conn *)conn)->fd;

	return fd >= 0 && ioctl(fd, SIOCOUTQ, &octets) == 0 && octets > 0
		       ? (uint64_t)octets
		       : 0;
}

static uint64_t socket_lost(const struct link_conn *conn)
{
	return link_socket_lost(((const struct socket_conn *)conn)->fd);
}

static uint64_t socket_unproven(const struct link_conn *conn)
{
	return info_of(conn).tcpi_rcv_ooopack;
}

/* Octets of the headers of IP and TCP, without options. */
static uint32_t header_octets(const struct link_conn *conn)
{
	return conn->local.family == 6 ? 60 : 40;
}

/*
 * Linux has subtracted the negotiated options from advmss; it announces at
 * least 256 (min_adv_mss), even if the path has room for less. The smaller of
 * the two counts (RFC 1122 s4.2.2.6); the path back is assumed to have the same
 * MTU.
 */
static uint32_t socket_emss(const struct link_conn *conn)
{
	struct tcp_info info = info_of(conn);
	bool times = info.tcpi_options & TCPI_OPT_TIMESTAMPS;
	uint32_t taken = header_octets(conn) + (times ? TIMES_OCTETS : 0);
	uint32_t room = info.tcpi_pmtu > taken ? info.tcpi_pmtu - taken : 0;

	return room && room < info.tcpi_advmss ? room : info.tcpi_advmss;
}

static uint32_t socket_mss(const struct link_conn *conn)
{
	struct tcp_info info = info_of(conn);
	bool times = info.tcpi_options & TCPI_OPT_TIMESTAMPS;

	if (!info.tcpi_advmss)
		return 0;
	return info.tcpi_advmss + (times ? TIMES_OCTETS : 0);
}

static uint32_t socket_emss_out(const struct link_conn *conn)
{
	return info_of(conn).tcpi_snd_mss;
}

/* A buffer that was set before the handshake has left the window without a
 * scale, and with a clamp of its own. */
static bool socket_make_room(struct link_conn *conn)
{
	const struct socket_conn *s = (const struct socket_conn *)conn;
	int buffer = 1 << 18, clamp = UINT16_MAX;

	return setsockopt(s->fd, SOL_SOCKET, SO_RCVBUF, &buffer,
			  sizeof(buffer)) == 0 &&
	       setsockopt(s->fd, IPPROTO_TCP, TCP_WINDOW_CLAMP, &clamp,
			  sizeof(clamp)) == 0;
}

static const struct link_ops socket_ops = {
	.connect = socket_connect,
	.listen = socket_listen,
	.accept_now = socket_accept_now,
	.send_now = socket_send_now,
	.recv_now = socket_recv_now,
	.half_close = socket_half_close,
	.reset = socket_reset,
	.close = socket_close,
	.listener_close = socket_listener_close,
	.wait = socket_wait,
	.destroy = socket_destroy,
	.lost = socket_lost,
	.unproven = socket_unproven,
	.unacknowledged = socket_unacknowledged,
	.make_room = socket_make_room,
	.emss = socket_emss,
	.mss = socket_mss,
	.emss_out = socket_emss_out,
};

struct link *link_socket_open(void)
{
	struct link *link = calloc(1, sizeof(*link));

	if (!link)
		return NULL;
	link->ops = &socket_ops;
	link->name = "socket";
	link->caps = LINK_CAP_CUTS | LINK_CAP_HALF_CLOSE | LINK_CAP_RESET |
		     LINK_CAP_LISTEN | LINK_CAP_RCVBUF | LINK_CAP_MSS;
	return link;
}

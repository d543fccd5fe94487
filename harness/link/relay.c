/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/link/relay.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <linux/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	PIECE = 1 << 16,     /* read at a time */
	HELD_MOST = 1 << 20, /* for an end that does not read */
};

enum piece_kind { PIECE_OCTETS, PIECE_FIN, PIECE_RST };

struct piece {
	struct piece *next;
	enum piece_kind kind;
	uint64_t not_before;
	size_t at, n;
	uint8_t octets[];
};

/* One end, and the octets on their way to it. */
struct half {
	int fd;
	struct piece *first, **last;
	size_t held;
	bool connecting;
	bool ended;   /* nothing more arrives from it, */
	bool shut;    /* nor is sent to it */
	bool had_all; /* it had received everything before it sent the next
		       * octets */
};

struct pair {
	struct relay_pair pair; /* first: a pointer to it is a pointer to
				 * this */
	struct half half[2];
	bool begun;
};

struct relay {
	const struct relay_events *events;
	void *user;
	int listener;
	char place[128];
	struct sockaddr_storage to;
	socklen_t to_octets;
	struct pair *pair[RELAY_PAIRS];
	size_t pairs;
};

/* --- addresses ---------------------------------------------------------------- */

static bool fail(char why[RELAY_WHY], const char *about, const char *what)
{
	snprintf(why, RELAY_WHY, "%.120s: %.100s", about, what);
	return false;
}

static bool resolve(const char *text, bool passive,
		    struct sockaddr_storage *out, socklen_t *octets,
		    char why[RELAY_WHY])
{
	const struct addrinfo hints = {.ai_family = AF_UNSPEC,
				       .ai_socktype = SOCK_STREAM,
				       .ai_flags = AI_NUMERICSERV |
						   (passive ? AI_PASSIVE : 0)};
	struct addrinfo *found;
	const char *colon = strrchr(text, ':');
	char host[128];
	size_t n = colon ? (size_t)(colon - text) : 0;

	if (n >= 2 && text[0] == '[' && text[n - 1] == ']') {
		text++;
		n -= 2;
	} else if (colon && memchr(text, ':', n)) {
		n = 0;
	}
	if (!n || n >= sizeof(host) || !colon[1])
		return fail(why, text,
			    "expected HOST:PORT, as 192.0.2.7:7174 or "
			    "[2001:db8::7]:7174");
	memcpy(host, text, n);
	host[n] = '\0';
	int error = getaddrinfo(host, colon + 1, &hints, &found);

	if (error)
		return fail(why, text,
			    error == EAI_SYSTEM ? strerror(errno)
						: gai_strerror(error));
	memcpy(out, found->ai_addr, found->ai_addrlen);
	*octets = found->ai_addrlen;
	freeaddrinfo(found);
	return true;
}

static struct link_end end_of(const struct sockaddr_storage *a)
{
	const struct sockaddr_in *in = (const void *)a;
	const struct sockaddr_in6 *in6 = (const void *)a;
	struct link_end e = {.family = 4};

	if (a->ss_family == AF_INET6) {
		e.family = 6;
		e.port = ntohs(in6->sin6_port);
		e.scope = in6->sin6_scope_id;
		memcpy(e.addr, &in6->sin6_addr, 16);
		return e;
	}
	e.port = ntohs(in->sin_port);
	memcpy(e.addr, &in->sin_addr, 4);
	return e;
}

static void put_place(struct relay *r)
{
	struct sockaddr_storage a = {0};
	socklen_t n = sizeof(a);
	char host[64] = "", port[16] = "";

	getsockname(r->listener, (struct sockaddr *)&a, &n);
	getnameinfo((struct sockaddr *)&a, n, host, sizeof(host), port,
		    sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV);
	snprintf(r->place, sizeof(r->place),
		 a.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
}

/* --- octets on their way to an end ---------------------------------------- */

static struct piece *put(struct half *h, enum piece_kind kind, size_t n,
			 uint64_t not_before)
{
	struct piece *p = malloc(sizeof(*p) + n);

	if (!p)
		return NULL;
	*p = (struct piece){.kind = kind, .n = n, .not_before = not_before};
	if (!h->first)
		h->last = &h->first;
	*h->last = p;
	h->last = &p->next;
	h->held += n;
	return p;
}

static void drop_first(struct half *h)
{
	struct piece *p = h->first;

	h->held -= p->n - p->at;
	h->first = p->next;
	free(p);
}

bool relay_pass(struct relay_pair *pair, unsigned to, const uint8_t *octets,
		size_t n, uint64_t not_before)
{
	struct half *h = &((struct pair *)pair)->half[to];
	struct piece *p = n ? put(h, PIECE_OCTETS, n, not_before) : NULL;

	if (p)
		memcpy(p->octets, octets, n);
	return p || !n;
}

static void shut(struct half *h, bool reset)
{
	h->shut = true;
	if (!reset) {
		shutdown(h->fd, SHUT_WR);
		return;
	}
	setsockopt(h->fd, SOL_SOCKET, SO_LINGER, &(struct linger){1, 0},
		   sizeof(struct linger));
	close(h->fd);
	h->fd = -1;
	h->ended = true;
}

/* The octets that can be sent now. */
static void flush(struct relay *r, struct pair *pair, unsigned to)
{
	struct half *h = &pair->half[to];

	while (h->first && h->fd >= 0 && !h->connecting &&
	       (!h->first->not_before ||
		h->first->not_before <= clock_now_ns())) {
		struct piece *p = h->first;

		if (p->kind != PIECE_OCTETS) {
			shut(h, p->kind == PIECE_RST);
			drop_first(h);
			continue;
		}
		ssize_t n =
			h->shut ? (ssize_t)(p->n - p->at)
				: send(h->fd, p->octets + p->at, p->n - p->at,
				       MSG_NOSIGNAL | MSG_EOR);

		if (n < 0)
			return; /* full, or reset, which reading shows */
		h->had_all = false;
		if (!h->shut)
			r->events->passed(r->user, &pair->pair, to,
					  p->octets + p->at, (size_t)n);
		h->held -= (size_t)n;
		p->at += (size_t)n;
		if (p->at == p->n)
			drop_first(h);
	}
	if (h->fd < 0)
		while (h->first)
			drop_first(h);
}

/* --- octets from an end --------------------------------------------------- */

/* All that it was sent has arrived there. */
static bool has_received_all(const struct half *h)
{
	int unacked = 1;

	return !h->first && h->fd >= 0 &&
	       ioctl(h->fd, TIOCOUTQ, &unacked) == 0 && !unacked;
}

static void ended(struct relay *r, struct pair *p, unsigned from, bool reset)
{
	struct half *h = &p->half[from];

	h->ended = true;
	if (p->begun)
		r->events->ended(r->user, &p->pair, from, reset,
				 !reset && h->had_all);
	put(&p->half[!from], reset ? PIECE_RST : PIECE_FIN, 0, CLOCK_NOW);
	if (reset) {
		close(h->fd);
		h->fd = -1;
		h->shut = true;
	}
	flush(r, p, from);
	flush(r, p, !from);
}

static void take(struct relay *r, struct pair *p, unsigned from)
{
	static uint8_t room[PIECE];
	struct half *h = &p->half[from];

	while (!h->ended && p->half[!from].held < HELD_MOST) {
		ssize_t n = recv(h->fd, room, sizeof(room), MSG_DONTWAIT);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0) {
			ended(r, p, from, n < 0);
			return;
		}
		r->events->came(r->user, &p->pair, from, room, (size_t)n);
		flush(r, p, !from);
	}
}

/* --- pairs ------------------------------------------------------------------------ */

static void close_pair(struct relay *r, size_t i, bool hard)
{
	struct pair *p = r->pair[i];

	for (unsigned k = 0; k < 2; k++) {
		struct half *h = &p->half[k];

		if (h->fd >= 0 && hard)
			shut(h, true);
		else if (h->fd >= 0)
			close(h->fd);
		while (h->first)
			drop_first(h);
	}
	if (p->begun)
		r->events->over(r->user, &p->pair);
	free(p);
	r->pair[i] = r->pair[--r->pairs];
}

/* The size that TCP announces to the end behind it. */
static uint16_t announced_to(int fd)
{
	struct tcp_info info = {0};
	socklen_t n = sizeof(info);

	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &n) != 0 ||
	    info.tcpi_advmss > UINT16_MAX)
		return 0;
	return (uint16_t)info.tcpi_advmss;
}

static void begin(struct relay *r, struct pair *p)
{
	/* We announce the size that the SYN of each end announces. */
	for (unsigned i = 0; i < 2; i++)
		p->pair.mss[i] = announced_to(p->half[!i].fd);
	p->half[1].connecting = false;
	p->begun = true;
	r->events->begins(r->user, &p->pair);
}

/* False: there is no answer. */
static bool has_connected(struct relay *r, struct pair *p)
{
	int error = 0;
	socklen_t n = sizeof(error);

	getsockopt(p->half[1].fd, SOL_SOCKET, SO_ERROR, &error, &n);
	if (error) {
		r->events->refused(r->user, strerror(error));
		return false;
	}
	begin(r, p);
	return true;
}

static void no_delay(int fd)
{
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
}

static void welcome(struct relay *r)
{
	struct sockaddr_storage a = {0};
	socklen_t n = sizeof(a);
	int fd = accept4(r->listener, (struct sockaddr *)&a, &n,
			 SOCK_NONBLOCK | SOCK_CLOEXEC);
	struct pair *p = fd < 0 ? NULL : calloc(1, sizeof(*p));
	int on = p ? socket(r->to.ss_family,
			    SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)
		   : -1;

	if (on < 0) {
		if (fd >= 0) {
			r->events->refused(r->user, strerror(errno));
			close(fd);
		}
		free(p);
		return;
	}
	no_delay(fd);
	no_delay(on);
	p->half[0].fd = fd;
	p->half[1].fd = on;
	p->pair.end[0] = end_of(&a);
	p->pair.end[1] = end_of(&r->to);
	p->half[1].connecting = true;
	r->pair[r->pairs++] = p;
	if (connect(on, (struct sockaddr *)&r->to, r->to_octets) == 0) {
		begin(r, p);
	} else if (errno != EINPROGRESS) {
		r->events->refused(r->user, strerror(errno));
		close_pair(r, r->pairs - 1, true);
	}
}

/* --- the loop ------------------------------------------------------------------------ */

static short awaited(const struct pair *p, unsigned end, uint64_t *wake)
{
	const struct half *h = &p->half[end], *other = &p->half[!end];
	short events = 0;

	if (h->connecting)
		return POLLOUT;
	if (!p->begun || h->fd < 0)
		return 0;
	if (!h->ended && other->held < HELD_MOST)
		events |= POLLIN;
	if (h->first && h->first->not_before > clock_now_ns()) {
		if (h->first->not_before < *wake)
			*wake = h->first->not_before;
	} else if (h->first) {
		events |= POLLOUT;
	}
	return events;
}

static bool is_over(const struct pair *p)
{
	for (unsigned i = 0; i < 2; i++)
		if (p->half[i].fd >= 0 &&
		    !(p->half[i].ended && p->half[i].shut))
			return false;
	return true;
}

/* Both of its halves are closed; or it was reset after its FIN. */
static void vanished(struct pair *p, unsigned end)
{
	struct half *h = &p->half[end];

	close(h->fd);
	h->fd = -1;
	if (!h->shut && p->half[!end].fd >= 0)
		put(&p->half[!end], PIECE_RST, 0, CLOCK_NOW);
	h->shut = true;
}

static void serve(struct relay *r, size_t i, const struct pollfd fds[2])
{
	struct pair *p = r->pair[i];

	if (p->half[1].connecting) {
		if (fds[1].revents && !has_connected(r, p))
			close_pair(r, i, true);
		return;
	}
	for (unsigned k = 0; k < 2; k++) {
		struct half *h = &p->half[k];

		if (h->fd < 0)
			continue;
		if (h->ended && fds[k].revents & (POLLERR | POLLHUP))
			vanished(p, k);
		else if (fds[k].revents & (POLLIN | POLLHUP | POLLERR))
			take(r, p, k);
		flush(r, p, k);
	}
	if (is_over(p))
		close_pair(r, i, false);
}

/* An end that has received everything, and has sent nothing that arrived
 * yet. */
static void note_received(struct relay *r, const bool before[][2],
			  const struct pollfd *fds, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (unsigned k = 0; k < 2; k++)
			if (before[i][k] && !fds[2 * i + k].revents)
				r->pair[i]->half[k].had_all = true;
}

static int timeout_of(uint64_t wake)
{
	return wake == UINT64_MAX ? -1 : clock_poll_ms(wake);
}

bool relay_run(struct relay *r, uint64_t deadline, int stop,
	       char why[RELAY_WHY])
{
	struct pollfd fds[2 * RELAY_PAIRS + 2];
	bool before[RELAY_PAIRS][2];

	while (clock_now_ns() < deadline) {
		uint64_t wake = deadline;
		size_t n = r->pairs, at = 2 * n;

		for (size_t i = 0; i < n; i++)
			for (unsigned k = 0; k < 2; k++) {
				struct half *h = &r->pair[i]->half[k];

				fds[2 * i + k] = (struct pollfd){
					h->fd, awaited(r->pair[i], k, &wake),
					0};
				before[i][k] = has_received_all(h);
			}
		fds[at] = (struct pollfd){n < RELAY_PAIRS ? r->listener : -1,
					  POLLIN, 0};
		fds[at + 1] = (struct pollfd){stop, POLLIN, 0};
		if (poll(fds, at + 2, timeout_of(wake)) < 0 && errno != EINTR)
			return fail(why, "poll", strerror(errno));
		if (fds[at + 1].revents)
			break;
		note_received(r, before, fds, n);
		for (size_t i = n; i-- > 0;)
			serve(r, i, &fds[2 * i]);
		if (fds[at].revents)
			welcome(r);
	}
	while (r->pairs)
		close_pair(r, r->pairs - 1, true);
	return true;
}

struct relay *relay_open(const char *listen_at, const char *to,
			 const struct relay_events *events, void *user,
			 char why[RELAY_WHY])
{
	struct relay *r = calloc(1, sizeof(*r));
	struct sockaddr_storage here;
	socklen_t n;

	if (!r) {
		fail(why, "relay", "out of memory");
		return NULL;
	}
	r->events = events;
	r->user = user;
	r->listener = -1;
	if (!resolve(listen_at, true, &here, &n, why) ||
	    !resolve(to, false, &r->to, &r->to_octets, why)) {
		relay_close(r);
		return NULL;
	}
	r->listener = socket(here.ss_family,
			     SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (r->listener >= 0)
		setsockopt(r->listener, SOL_SOCKET, SO_REUSEADDR, &(int){1},
			   sizeof(int));
	if (r->listener < 0 || bind(r->listener, (void *)&here, n) != 0 ||
	    listen(r->listener, RELAY_PAIRS) != 0) {
		fail(why, listen_at, strerror(errno));
		relay_close(r);
		return NULL;
	}
	put_place(r);
	return r;
}

const char *relay_place(const struct relay *r)
{
	return r->place;
}

void relay_close(struct relay *r)
{
	if (!r)
		return;
	while (r->pairs)
		close_pair(r, r->pairs - 1, true);
	if (r->listener >= 0)
		close(r->listener);
	free(r);
}

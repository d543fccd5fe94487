/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The socket of a link: sends, receives, holds and drops packets.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/link/carrier.h"
#include "harness/link/sctp/sctp_internal.h"

enum {
	BUFFER = 4 << 20,
	AT_ONCE = 256, /* packets taken before timers run again */
};

/* --- addresses ----------------------------------------------------------- */

static socklen_t to_sockaddr(const struct link_end *end,
			     struct sockaddr_storage *out)
{
	memset(out, 0, sizeof(*out));
	if (end->family == 6) {
		struct sockaddr_in6 in6 = {.sin6_family = AF_INET6,
					   .sin6_port = htons(end->port),
					   .sin6_scope_id = end->scope};

		memcpy(&in6.sin6_addr, end->addr, 16);
		memcpy(out, &in6, sizeof(in6));
		return sizeof(in6);
	}
	struct sockaddr_in in = {.sin_family = AF_INET,
				 .sin_port = htons(end->port)};

	memcpy(&in.sin_addr, end->addr, 4);
	memcpy(out, &in, sizeof(in));
	return sizeof(in);
}

static struct link_end from_sockaddr(const struct sockaddr_storage *from)
{
	struct link_end end = {.family = 4};

	if (from->ss_family == AF_INET6) {
		struct sockaddr_in6 in6;

		memcpy(&in6, from, sizeof(in6));
		end.family = 6;
		end.port = ntohs(in6.sin6_port);
		end.scope = in6.sin6_scope_id;
		memcpy(end.addr, &in6.sin6_addr, 16);
		return end;
	}
	struct sockaddr_in in;

	memcpy(&in, from, sizeof(in));
	end.port = ntohs(in.sin_port);
	memcpy(end.addr, &in.sin_addr, 4);
	return end;
}

static bool same_end(const struct link_end *a, const struct link_end *b)
{
	return a->family == b->family && a->port == b->port &&
	       a->scope == b->scope &&
	       memcmp(a->addr, b->addr, a->family == 6 ? 16 : 4) == 0;
}

/* --- a packet -------------------------------------------------------------- */

/* The owner of the packet; NULL: none, or not yet. */
static struct link_sctp_conn *whose(const struct sctp_path *p,
				    const uint8_t *packet, bool sent)
{
	uint16_t source = sctp_get16(packet),
		 destination = sctp_get16(packet + 2);
	uint16_t local = sent ? source : destination;
	uint16_t remote = sent ? destination : source;
	struct link_sctp_conn *c = p->link->conns;

	while (c && (c->path != p || c->conn.local.port != local ||
		     c->conn.remote.port != remote))
		c = c->next;
	return c;
}

/* A case sees the packets of an association, but neither a stranger's packets
 * nor the answers to them; the capture has all of them, with a note. */
static void tell(struct sctp_path *p, bool sent, const uint8_t *packet,
		 size_t n)
{
	struct link_sctp_link *l = p->link;
	const struct link_sctp_packet seen = {
		.sent = sent, .remote = &p->remote, .octets = packet, .n = n};
	struct link_sctp_conn *c;
	bool ours =
		sent ? sctp_tags_out(p, packet, n) : sctp_tags_in(p, packet, n);

	if (ours && (c = whose(p, packet, sent)))
		sctp_losses_see(&c->losses, sent, packet, n);
	capture_sctp(l->link.capture, &l->local, &p->remote,
		     sent ? CAPTURE_SENT : CAPTURE_RECEIVED, packet, n,
		     ours   ? NULL
		     : sent ? "an answer to a packet of no association"
			    : "a packet of no association: its verification "
			      "tag or its CRC32c is wrong");
	if (l->seen && ours)
		l->seen(l->arg, &seen);
}

/* --- out ----------------------------------------------------------------- */

/* What UDP does not take is lost on the way, and SCTP makes it good. */
static void put_out(struct sctp_path *p, const uint8_t *packet, size_t n)
{
	struct sockaddr_storage to;
	socklen_t size = to_sockaddr(&p->remote, &to);

	tell(p, true, packet, n);
	p->link->moved = clock_now_ns();
	ssize_t sent;

	do
		sent = sendto(p->link->fd, packet, n,
			      MSG_DONTWAIT | MSG_NOSIGNAL,
			      (struct sockaddr *)&to, size);
	while (sent < 0 && errno == EINTR);
	if (sent < 0)
		link_trouble(&p->link->link, "sendto");
}

/* Keep the SACK of a packet: it is sent once SACKs are no longer withheld. */
static void keep_sack(struct sctp_path *p, const uint8_t *packet, size_t n)
{
	struct sctp_held *sack = &p->link->sack;
	size_t at = SCTP_COMMON_OCTETS, k;

	while (at < n && (k = sctp_chunk_octets(packet, n, at)) > 0 &&
	       packet[at] != SCTP_LINK_SACK)
		at += k;
	if (at >= n || !(k = sctp_chunk_octets(packet, n, at)))
		return;
	free(sack->octets);
	*sack = (struct sctp_held){malloc(SCTP_COMMON_OCTETS + k),
				   SCTP_COMMON_OCTETS + k};
	if (!sack->octets)
		return;
	memcpy(sack->octets, packet, SCTP_COMMON_OCTETS);
	memcpy(sack->octets + SCTP_COMMON_OCTETS, packet + at, k);
	stack_seal(sack->octets, sack->n);
	p->link->sack_path = p;
}

/* True: it waits. */
static bool hold(struct link_sctp_conn *c, const uint8_t *packet, size_t n)
{
	uint8_t *copy;

	if (!c->holds || c->held_count == LINK_SCTP_HELD ||
	    !sctp_has_chunk(packet, n, SCTP_LINK_DATA) || !(copy = malloc(n)))
		return false;
	memcpy(copy, packet, n);
	c->held[c->held_count++] = (struct sctp_held){copy, n};
	return true;
}

static void packet_out(struct stack_path *path, const uint8_t *packet, size_t n)
{
	struct sctp_path *p = (struct sctp_path *)path;
	struct link_sctp_conn *c =
		n >= SCTP_COMMON_OCTETS ? whose(p, packet, true) : NULL;
	uint8_t *other = NULL;

	if (c && (c->silent || hold(c, packet, n)))
		return;
	bool withheld = c ? c->acks_withheld
			  : p->link->link.options.acks == LINK_ACKS_WITHHELD;

	if (withheld && sctp_has_chunk(packet, n, SCTP_LINK_SACK)) {
		keep_sack(p, packet, n);
		other = malloc(n);
		if (!other)
			return;
		memcpy(other, packet, n);
		n = sctp_strip(other, n, SCTP_LINK_SACK);
		packet = other;
	}
	if (n > SCTP_COMMON_OCTETS)
		put_out(p, packet, n);
	free(other);
}

void link_sctp_hold(struct link_conn *conn)
{
	sctp_conn(conn)->holds = true;
	sctp_conn(conn)->losses.chosen = true;
}

void link_sctp_release(struct link_conn *conn, bool last_first)
{
	struct link_sctp_conn *c = sctp_conn(conn);

	c->holds = false;
	for (size_t i = 0; i < c->held_count; i++) {
		size_t k = last_first ? c->held_count - 1 - i : i;

		if (!c->silent)
			put_out(c->path, c->held[k].octets, c->held[k].n);
	}
	sctp_forget_held(c);
}

void sctp_forget_held(struct link_sctp_conn *c)
{
	for (size_t i = 0; i < c->held_count; i++)
		free(c->held[i].octets);
	c->held_count = 0;
}

void sctp_set_acks(struct link_conn *conn, enum link_acks acks)
{
	struct link_sctp_conn *c = sctp_conn(conn);
	struct sctp_held *sack = &c->path->link->sack;

	c->acks_withheld = acks == LINK_ACKS_WITHHELD;
	c->losses.chosen |= c->acks_withheld;
	if (c->acks_withheld || !sack->octets || c->silent ||
	    c->path->link->sack_path != c->path ||
	    whose(c->path, sack->octets, true) != c)
		return;
	put_out(c->path, sack->octets, sack->n);
	free(sack->octets);
	*sack = (struct sctp_held){0};
}

void sctp_lose(struct link_conn *conn, unsigned n)
{
	sctp_conn(conn)->lose = n;
	sctp_conn(conn)->losses.chosen = true;
}

void sctp_fall_silent(struct link_conn *conn)
{
	sctp_conn(conn)->silent = true;
	sctp_conn(conn)->losses.chosen = true;
}

/* --- in ------------------------------------------------------------------ */

struct sctp_path *sctp_path_to(struct link_sctp_link *l,
			       const struct link_end *remote)
{
	struct sctp_path *p = l->paths;

	while (p && !same_end(&p->remote, remote))
		p = p->next;
	if (p || l->path_count == SCTP_PATHS_MAX ||
	    !(p = calloc(1, sizeof(*p))))
		return p;
	p->path.out = packet_out;
	p->link = l;
	p->remote = *remote;
	p->next = l->paths;
	l->paths = p;
	l->path_count++;
	stack_add(&p->path);
	return p;
}

/* A raw socket of IPv4 delivers IP's header as well. */
static size_t ip_header(const struct link_sctp_link *l, size_t n)
{
	size_t octets = (l->packet[0] & 0x0fu) * 4u;

	if (!l->ip_alone || l->local.family != 4)
		return 0;
	return n && octets < n ? octets : n;
}

static void packet_in(struct link_sctp_link *l, const struct link_end *remote,
		      const uint8_t *packet, size_t n)
{
	struct sctp_path *p = NULL;

	if (n >= SCTP_COMMON_OCTETS)
		p = sctp_path_to(l, remote);
	if (!p)
		return;
	struct link_sctp_conn *c = whose(p, packet, false);

	if (c && c->silent)
		return;
	if (c && c->lose && sctp_has_chunk(packet, n, SCTP_LINK_DATA)) {
		c->lose--;
		return;
	}
	tell(p, false, packet, n);
	stack_take(&p->path, packet, n);
}

/* After a wait that only checks, it may have to wait for a busy processor:
 * milliseconds do not matter here. */
int sctp_tick_ms(const struct link_sctp_link *l)
{
	uint64_t part = (clock_now_ns() - l->moved) / CLOCK_NS_PER_MS / 4;

	if (part < SCTP_TICK_MS)
		return SCTP_TICK_MS;
	return part < SCTP_TICK_MOST_MS ? (int)part : SCTP_TICK_MOST_MS;
}

void sctp_serve(struct link_sctp_link *l)
{
	for (unsigned i = 0; i < AT_ONCE; i++) {
		struct sockaddr_storage from;
		socklen_t size = sizeof(from);
		ssize_t n =
			recvfrom(l->fd, l->packet, sizeof(l->packet),
				 MSG_DONTWAIT, (struct sockaddr *)&from, &size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			link_trouble(&l->link, "recvfrom");
			break;
		}
		struct link_end remote = from_sockaddr(&from);

		l->packets++;
		l->moved = clock_now_ns();
		size_t skip = ip_header(l, (size_t)n);

		packet_in(l, &remote, l->packet + skip, (size_t)n - skip);
	}
	stack_tick();
}

void link_sctp_watch(struct link *link,
		     void (*seen)(void *arg, const struct link_sctp_packet *),
		     void *arg)
{
	sctp_link(link)->seen = seen;
	sctp_link(link)->arg = arg;
}

unsigned link_sctp_path_mtu(const struct link_conn *conn)
{
	struct sockaddr_storage to;
	char host[NI_MAXHOST];
	socklen_t size = to_sockaddr(&conn->remote, &to);

	return getnameinfo((struct sockaddr *)&to, size, host, sizeof(host),
			   NULL, 0, NI_NUMERICHOST) == 0
		       ? carrier_mtu(host)
		       : 0;
}

/* --- the socket ---------------------------------------------------------- */

bool sctp_datagrams_open(struct link_sctp_link *l, const struct link_sctp *c,
			 char why[LINK_WHY])
{
	const char *address =
		c->address && *c->address ? c->address : "0.0.0.0";
	struct sockaddr_storage at;
	socklen_t size;
	int octets = BUFFER;

	if (!link_end_parse(&l->local, address,
			    c->ip_alone ? 0 : c->udp_port)) {
		link_fail(why, LINK_ERROR, "%.60s is not a numeric address",
			  address);
		return false;
	}
	l->ip_alone = c->ip_alone;
	size = to_sockaddr(&l->local, &at);
	l->fd = c->ip_alone
			? socket(at.ss_family, SOCK_RAW | SOCK_CLOEXEC,
				 IPPROTO_SCTP)
			: socket(at.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (l->fd < 0 || bind(l->fd, (struct sockaddr *)&at, size) != 0 ||
	    getsockname(l->fd, (struct sockaddr *)&at, &size) != 0) {
		if (c->ip_alone)
			link_fail(why, LINK_ERROR,
				  "SCTP over IP at %.60s: %s%s", address,
				  strerror(errno),
				  errno == EPERM ? " (it needs CAP_NET_RAW)"
						 : "");
		else
			link_fail(why, LINK_ERROR, "UDP port %u of %.60s: %s",
				  c->udp_port, address, strerror(errno));
		if (l->fd >= 0)
			close(l->fd);
		return false;
	}
	/* As much as the system grants. */
	setsockopt(l->fd, SOL_SOCKET, SO_RCVBUF, &octets, sizeof(octets));
	l->local = from_sockaddr(&at);
	if (c->address && *c->address)
		snprintf(l->link.address, sizeof(l->link.address), "%s",
			 c->address);
	/* A raw socket reports the protocol as its port. */
	if (c->ip_alone)
		l->local.port = 0;
	return true;
}

void sctp_datagrams_close(struct link_sctp_link *l)
{
	free(l->sack.octets);
	while (l->paths) {
		struct sctp_path *p = l->paths;

		l->paths = p->next;
		stack_remove(&p->path);
		free(p);
	}
	close(l->fd);
}

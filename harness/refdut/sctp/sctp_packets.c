/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SCTP packets in UDP datagrams (RFC 6951), and usrsctp's clock.
 *
 * Where the RFCs leave a choice: an association that is not admitted is aborted
 * in answer to its INIT.
 */
#include "harness/refdut/control.h"
#include "harness/refdut/sctp/stack_internal.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <usrsctp.h>

enum {
	TICK_MS = 10,       /* while packets are exchanged, */
	TICK_MOST_MS = 100, /* and long after the last one */
	PATHS_MAX = 1024,
	DATAGRAMS_PER_ROUND = 64,
	SPACE = 4 << 20,    /* octets that may wait for SCTP, */
	CHUNKS_MAX = 65535, /* and chunks */
	IP4_HEADER = 20,
	IP6_HEADER = 40,
	UDP_HEADER = 8,
	COMMON_HEADER = 12,
	CHUNK_HEADER = 4,
	INIT_HEADER = 20,
	CHUNK_DATA = 0,
	CHUNK_INIT = 1,
	CHUNK_ABORT = 6,
	FLAG_END = 0x01,
	PARAMETER_ADAPTATION = 0xc006,
};

struct stack_wire *stack_wires;
struct stack_door *stack_doors;

static struct watch udp = {.fd = -1};
static struct address own;
static struct timer ticker;
static uint64_t ticked; /* the time up to which usrsctp's clock has run */
static uint64_t moved;  /* when the last packet was sent or received */
static struct stack_path *paths;
static unsigned npaths;
static uintptr_t last_id;

/* --- paths ------------------------------------------------------------ */

struct stack_path *stack_path_with(uintptr_t id)
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

/* NULL: too many paths are in use. */
struct stack_path *stack_path_to(const struct address *to)
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
	/* A packet that cannot be sent counts as lost on the way. */
	ssize_t sent;

	do
		sent = sendto(udp.fd, packet, n, MSG_DONTWAIT | MSG_NOSIGNAL,
			      (const struct sockaddr *)&p->udp.at, p->udp.len);
	while (sent < 0 && errno == EINTR);
	if (sent < 0)
		loop_complain("sendto");
}

/* Record which chunks are in flight. A retransmitted chunk has its old TSN. */
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
	struct stack_path *p = stack_path_with((uintptr_t)address);
	const uint8_t *packet = octets;
	struct stack_wire *w = stack_wires;

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

/* The checksum as SCTP defines it: over the packet with zeros in its place. */
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

/* An INIT that the port refuses because of its contents. */
static bool refused_at_once(const struct stack_path *p, uint8_t *packet,
			    size_t n)
{
	const uint8_t *chunk = packet + COMMON_HEADER;
	struct stack_door *door = stack_doors;
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

void stack_pass_time(void)
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
	stack_pass_time();
}

static void readable(struct watch *watch, uint32_t events)
{
	static uint8_t packet[65536];

	(void)events;
	/* A timer of usrsctp must not start at a time in the past. */
	stack_pass_time();
	moved = loop_now();
	for (int i = 0; i < DATAGRAMS_PER_ROUND; i++) {
		struct address from = {.len = sizeof(from.at)};
		struct stack_path *p;
		ssize_t n = recvfrom(watch->fd, packet, sizeof(packet),
				     MSG_DONTWAIT, (struct sockaddr *)&from.at,
				     &from.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			loop_complain("recvfrom");
			break;
		}
		p = stack_path_to(&from);
		if (!p || control_is(CONTROL_MUTE) ||
		    refused_at_once(p, packet, (size_t)n))
			continue;
		usrsctp_conninput((void *)p->id, packet, (size_t)n, 0);
		for (struct stack_wire *w = stack_wires; w; w = w->next)
			if (w->path == p)
				loop_post(&w->job);
	}
	stack_pass_time();
}

uint32_t stack_headers(void)
{
	return (own.at.ss_family == AF_INET6 ? IP6_HEADER : IP4_HEADER) +
	       UDP_HEADER + COMMON_HEADER;
}

/* --- all of it ---------------------------------------------------------- */

/* An endpoint that does what RFC 9260 requires, without optional features. */
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
	if (fd < 0) {
		loop_complain("socket of SCTP");
		return -1;
	}
	if (bind(fd, (struct sockaddr *)&own.at, own.len) < 0 ||
	    !address_own(fd, &own)) {
		loop_complain("port of SCTP");
		close(fd);
		return -1;
	}
	/* As much of it as the system allows. */
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	usrsctp_init_nothreads(0, packet_out, NULL);
	tune();
	ticker.fire = tick;
	ticked = loop_now();
	udp.ready = readable;
	if (loop_watch(&udp, fd, EPOLLIN) == 0)
		return 0;
	loop_complain("socket of SCTP");
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

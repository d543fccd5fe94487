/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rdma_cm does not report a device's startup frames, and cannot set them. So
 * they are observed here, before the first session: a session of the agent's
 * own makes the device connect to a plain socket of this host, and answer a
 * plain socket's Requests. A device whose TCP bypasses the host's stack cannot
 * be reached like that, and then the suite has to observe its frames.
 *
 * Frames are built and read here separately: this agent does not use the
 * suite's codec (RFC 5044 s7.1, RFC 6581 s6 and s9).
 */
#include "harness/rnic/startup_probe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/link/clock.h"
#include "harness/rnic/own_client.h"

enum {
	HELLO_MS = 5000,
	WAIT_MS = 2000,
	ACCEPT_MS = 1000,
	NAME = 24, /* octets of a conn's or listener's name, with NUL */
	HEADER = 20,
	KEY = 16,
	FLAG_M = 0x80,
	FLAG_C = 0x40,
	FLAG_R = 0x20,
	FLAG_S = 0x10,
	ENHANCED = 4,
	BIT_A = 0x8000, /* of the IRD word */
	BIT_B = 0x4000,
	BIT_C = 0x8000, /* of the ORD word */
	BIT_D = 0x4000,
	DEPTH = 0x3fff,
};

static const char request_key[KEY + 1] = "MPA ID Req Frame";
static const char reply_key[KEY + 1] = "MPA ID Rep Frame";

struct frame {
	bool request, reply;
	unsigned flags, rev;
	bool enhanced;
	uint16_t ird, ord; /* with their flags */
	uint8_t private_data[VERBS_PRIVATE_MAX];
	size_t private_octets; /* of the whole field */
};

/* --- a plain socket's side -------------------------------------------------- */

static bool take(int fd, uint8_t *octets, size_t n)
{
	uint64_t deadline = clock_after_ms(WAIT_MS);
	size_t have = 0;

	while (have < n) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		ssize_t k;

		if (poll(&p, 1, clock_poll_ms(deadline)) <= 0)
			return false;
		k = recv(fd, octets + have, n - have, MSG_DONTWAIT);
		if (k <= 0)
			return false;
		have += (size_t)k;
	}
	return true;
}

static bool take_frame(int fd, struct frame *f)
{
	uint8_t h[HEADER];

	memset(f, 0, sizeof(*f));
	if (!take(fd, h, HEADER))
		return false;
	f->request = memcmp(h, request_key, KEY) == 0;
	f->reply = memcmp(h, reply_key, KEY) == 0;
	f->flags = h[16];
	f->rev = h[17];
	f->private_octets = (size_t)(h[18] << 8 | h[19]);
	if (f->private_octets > sizeof(f->private_data) ||
	    !take(fd, f->private_data, f->private_octets))
		return false;
	f->enhanced = f->rev >= 2 && f->flags & FLAG_S &&
		      f->private_octets >= ENHANCED;
	if (f->enhanced) {
		f->ird = (uint16_t)(f->private_data[0] << 8 |
				    f->private_data[1]);
		f->ord = (uint16_t)(f->private_data[2] << 8 |
				    f->private_data[3]);
	}
	return true;
}

static bool send_frame(int fd, const char *key, unsigned flags, unsigned rev,
		       bool enhanced, unsigned ird, unsigned ord)
{
	uint8_t h[HEADER + ENHANCED] = {0};
	size_t n = HEADER + (enhanced ? ENHANCED : 0);

	memcpy(h, key, KEY);
	h[16] = (uint8_t)(flags | (enhanced ? FLAG_S : 0));
	h[17] = (uint8_t)rev;
	h[19] = enhanced ? ENHANCED : 0;
	h[20] = (uint8_t)(ird >> 8);
	h[21] = (uint8_t)ird;
	h[22] = (uint8_t)(ord >> 8);
	h[23] = (uint8_t)ord;
	return send(fd, h, n, MSG_NOSIGNAL) == (ssize_t)n;
}

/* A socket at the device's address, as a server or as a client of port. */
static int plain_socket(const char *addr, uint16_t *port, bool serves)
{
	struct sockaddr_in6 at6 = {.sin6_family = AF_INET6};
	struct sockaddr_in at4 = {.sin_family = AF_INET};
	bool is6 = inet_pton(AF_INET6, addr, &at6.sin6_addr) == 1;
	struct sockaddr *at =
		is6 ? (struct sockaddr *)&at6 : (struct sockaddr *)&at4;
	socklen_t n = is6 ? sizeof(at6) : sizeof(at4);
	int fd = socket(at->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	inet_pton(AF_INET, addr, &at4.sin_addr);
	at6.sin6_port = at4.sin_port = htons(*port);
	if (fd < 0)
		return -1;
	if (serves ? bind(fd, at, n) != 0 || listen(fd, 1) != 0 ||
			     getsockname(fd, at, &n) != 0
		   : connect(fd, at, n) != 0) {
		close(fd);
		return -1;
	}
	*port = ntohs(is6 ? at6.sin6_port : at4.sin_port);
	return fd;
}

static int accept_soon(int listener)
{
	struct pollfd p = {.fd = listener, .events = POLLIN};

	return poll(&p, 1, WAIT_MS) > 0
		       ? accept4(listener, NULL, NULL, SOCK_CLOEXEC)
		       : -1;
}

static void claim(struct verbs_facts *f, enum agent_feature feature)
{
	f->features |= UINT64_C(1) << feature;
}

static unsigned rtr_of(const struct frame *f)
{
	if (!f->enhanced || !(f->ird & BIT_A))
		return 0;
	return (f->ird & BIT_B ? AGENT_RTR_SEND : 0) |
	       (f->ord & BIT_C ? AGENT_RTR_WRITE : 0) |
	       (f->ord & BIT_D ? AGENT_RTR_READ : 0);
}

/* A name in the session's reply, for later requests. */
static bool take_name(const struct verbs_client *c, const char *key,
		      char name[NAME])
{
	const char *value = line_get(&c->reply, key);

	return value && snprintf(name, NAME, "%s", value) < NAME;
}

/* --- the device connects ------------------------------------------------------ */

/* A connection by the device to a plain socket, and its Request. */
struct meeting {
	int fd;
	char conn[NAME];
	struct frame request;
};

static bool meet(struct verbs_client *c, struct meeting *m, const char *addr,
		 char *why, size_t cap)
{
	uint16_t port = 0;
	int listener = plain_socket(addr, &port, true);
	bool came;

	m->fd = -1;
	if (listener < 0) {
		snprintf(why, cap, "%s: %s", addr, strerror(errno));
		return false;
	}
	if (!verbs_client_ask(c, WAIT_MS, "connect addr=%s port=%u ird=1 ord=1",
			      addr, port) ||
	    !take_name(c, "conn", m->conn)) {
		snprintf(why, cap, "it does not connect: %s", c->why);
		close(listener);
		return false;
	}
	m->fd = accept_soon(listener);
	close(listener);
	came = m->fd >= 0 && take_frame(m->fd, &m->request) &&
	       m->request.request;
	if (!came)
		snprintf(why, cap,
			 m->fd < 0 ? "none of its connections reaches a socket "
				     "of this host"
				   : "it sends no Request");
	return came;
}

static bool is_established(const struct line *told)
{
	const char *state = line_get(told, "state");

	return state &&
	       strcmp(state, agent_stream_name(AGENT_ESTABLISHED)) == 0;
}

/* Whether the device takes this Reply to its Request. */
static bool is_taken(struct verbs_client *c, const struct meeting *m,
		     unsigned flags)
{
	const struct frame *q = &m->request;

	/* All of the requested types of an RTR; its depths in the other
	 * order. */
	return send_frame(m->fd, reply_key, (q->flags & FLAG_C) | flags,
			  q->rev < 2 ? 1 : 2, q->enhanced,
			  (q->ird & (BIT_A | BIT_B)) | (q->ord & DEPTH),
			  (q->ord & (BIT_C | BIT_D)) | (q->ird & DEPTH)) &&
	       verbs_client_ask(c, 2 * WAIT_MS, "state conn=%s timeout-ms=%d",
				m->conn, WAIT_MS) &&
	       is_established(&c->reply);
}

/* Whether its abort is a TCP reset. Messages before it do not matter. */
static bool abort_resets(struct verbs_client *c, const struct meeting *m)
{
	uint8_t octets[256];
	ssize_t n;

	if (!verbs_client_ask(c, WAIT_MS, "close conn=%s abort=1", m->conn))
		return false;
	do {
		struct pollfd p = {.fd = m->fd, .events = POLLIN};

		if (poll(&p, 1, WAIT_MS) <= 0)
			return false;
		n = recv(m->fd, octets, sizeof(octets), MSG_DONTWAIT);
	} while (n > 0);
	return n < 0 && errno == ECONNRESET;
}

static void part(struct verbs_client *c, struct meeting *m)
{
	verbs_client_ask(c, WAIT_MS, "reset");
	if (m->fd >= 0)
		close(m->fd);
}

static bool probe_requests(struct verbs_client *c, struct verbs_facts *f,
			   bool *sends_markers, char *why, size_t cap)
{
	struct meeting m;

	*sends_markers = false;
	if (!meet(c, &m, f->addr, why, cap)) {
		part(c, &m);
		return false;
	}
	claim(f, AGENT_FEATURE_BIT_INITIATOR);
	if (m.request.rev < 2)
		claim(f, AGENT_FEATURE_BIT_MPA_V1);
	f->request_rev = m.request.rev;
	f->request_enhanced = m.request.enhanced;
	f->request_crc = m.request.flags & FLAG_C;
	f->request_markers = m.request.flags & FLAG_M;
	f->request_rtr = rtr_of(&m.request);
	f->abort_resets = is_taken(c, &m, 0) && abort_resets(c, &m);
	part(c, &m);
	if (meet(c, &m, f->addr, why, cap))
		*sends_markers = is_taken(c, &m, FLAG_M);
	part(c, &m);
	return true;
}

/* --- the first FPDU -------------------------------------------------------------- */

/* Messages of no octets with their CRCs, each the first of its queue, about
 * STag 1, which is not checked: RFC 5040 s4.3, s4.4. */
static const uint8_t empty_send[] = {
	0x00, 0x12, 0x41, 0x43, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x58, 0x7b, 0xe8, 0xc4,
};
static const uint8_t empty_write[] = {
	0x00, 0x0e, 0xc1, 0x40, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xeb, 0xd3, 0x4c, 0x5f,
};
static const uint8_t empty_read[] = {
	0x00, 0x2e, 0x41, 0x41, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x01, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x27, 0xdb, 0xd7, 0xe7,
};

/*
 * A device that waits for its RTR gets one, and has to show that it has
 * accepted it, before either side closes: some drivers do not survive the other
 * ways out of that state, and this is not a test of them.
 */
static void give_rtr(int fd, unsigned form)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	if (form & AGENT_RTR_WRITE)
		send(fd, empty_write, sizeof(empty_write), MSG_NOSIGNAL);
	else if (form & AGENT_RTR_SEND)
		send(fd, empty_send, sizeof(empty_send), MSG_NOSIGNAL);
	send(fd, empty_read, sizeof(empty_read), MSG_NOSIGNAL);
	poll(&p, 1, WAIT_MS);
}

/* --- the device answers ---------------------------------------------------------- */

struct question {
	unsigned flags, rev;
	bool enhanced, reject;
	unsigned ird, ord;
};

/* A plain socket's Request, and the device's Reply. False: there was none. */
static bool ask(struct verbs_client *c, const char *addr,
		const struct question *q, struct frame *reply)
{
	char listener[NAME];
	uint64_t number = 0;
	uint16_t port;
	bool came, asked;
	int fd;

	/* A receive for an RTR that is a Send. */
	if (!verbs_client_ask(c, WAIT_MS, "listen ird=1 ord=1 rq=1%s",
			      q->reject ? " reject=1" : "") ||
	    !take_name(c, "listener", listener) ||
	    !line_number_of(&c->reply, "port", UINT16_MAX, &number))
		return false;
	port = (uint16_t)number;
	fd = plain_socket(addr, &port, false);
	came = fd >= 0 && send_frame(fd, request_key, q->flags, q->rev,
				     q->enhanced, q->ird, q->ord);
	/* A device that refuses on its own reports nothing to the agent. */
	asked = came && verbs_client_say(c, "accept listener=%s timeout-ms=%d",
					 listener, ACCEPT_MS);
	came = asked && take_frame(fd, reply) && reply->reply;
	if (asked)
		verbs_client_hear(c, WAIT_MS);
	if (came && !(reply->flags & FLAG_R) && rtr_of(reply))
		give_rtr(fd, rtr_of(reply));
	verbs_client_ask(c, WAIT_MS, "reset");
	if (fd >= 0)
		close(fd);
	return came;
}

static bool accepts(struct verbs_client *c, const char *addr,
		    const struct question *q, struct frame *reply)
{
	return ask(c, addr, q, reply) && !(reply->flags & FLAG_R);
}

static void probe_rtr(struct verbs_client *c, struct verbs_facts *f)
{
	static const struct {
		enum agent_rtr form;
		enum agent_feature feature;
		unsigned ird, ord;
	} forms[] = {
		{AGENT_RTR_SEND, AGENT_FEATURE_BIT_RTR_SEND, BIT_B, 0},
		{AGENT_RTR_WRITE, AGENT_FEATURE_BIT_RTR_WRITE, 0, BIT_C},
		{AGENT_RTR_READ, AGENT_FEATURE_BIT_RTR_READ, 0, BIT_D},
	};
	struct frame reply;

	for (size_t i = 0; i < 3; i++) {
		struct question q = {.flags = FLAG_C,
				     .rev = 2,
				     .enhanced = true,
				     .ird = BIT_A | forms[i].ird | 1,
				     .ord = forms[i].ord | 1};

		if (!accepts(c, f->addr, &q, &reply) ||
		    !(rtr_of(&reply) & forms[i].form))
			continue;
		claim(f, AGENT_FEATURE_BIT_P2P);
		claim(f, forms[i].feature);
		f->reply_rtr |= forms[i].form;
	}
}

static bool probe_replies(struct verbs_client *c, struct verbs_facts *f,
			  bool *sends_markers)
{
	struct question q = {.flags = FLAG_C, .rev = 1};
	struct frame reply;
	bool echoes;

	if (accepts(c, f->addr, &q, &reply)) {
		claim(f, AGENT_FEATURE_BIT_RESPONDER);
		claim(f, AGENT_FEATURE_BIT_MPA_V1);
		f->reply_markers = reply.flags & FLAG_M;
	}
	echoes = reply.flags & FLAG_C;
	q = (struct question){.flags = FLAG_C,
			      .rev = 2,
			      .enhanced = true,
			      .ird = 1,
			      .ord = 1};
	if (accepts(c, f->addr, &q, &reply)) {
		claim(f, AGENT_FEATURE_BIT_RESPONDER);
		if (reply.enhanced)
			claim(f, AGENT_FEATURE_BIT_MPA_V2);
		f->reply_markers = reply.flags & FLAG_M;
		echoes = reply.flags & FLAG_C;
	} else if (!(f->features >> AGENT_FEATURE_BIT_RESPONDER & 1)) {
		return false;
	}
	if (reply.enhanced)
		probe_rtr(c, f);
	q.flags = 0;
	f->reply_crc = accepts(c, f->addr, &q, &reply) && reply.flags & FLAG_C
			       ? VERBS_CRC_SET
		       : echoes ? VERBS_CRC_ECHOED
				: VERBS_CRC_CLEAR;
	q.flags = FLAG_C | FLAG_M;
	*sends_markers = *sends_markers && accepts(c, f->addr, &q, &reply);
	q.flags = FLAG_C;
	q.reject = true;
	if (ask(c, f->addr, &q, &reply) && reply.flags & FLAG_R)
		claim(f, AGENT_FEATURE_BIT_REJECT);
	return true;
}

static void probe(struct verbs_client *c, struct verbs_facts *f, char *why,
		  size_t cap)
{
	bool sends_markers;
	bool connects = probe_requests(c, f, &sends_markers, why, cap);
	bool answers;

	if (!connects)
		sends_markers = true; /* as far as its Replies say */
	answers = probe_replies(c, f, &sends_markers);
	if (!connects && !answers)
		return;
	if (f->request_rev > 1)
		claim(f, AGENT_FEATURE_BIT_MPA_V2);
	claim(f, AGENT_FEATURE_BIT_PRIVATE_DATA);
	if (sends_markers)
		claim(f, AGENT_FEATURE_BIT_MARKERS_TX);
	if (f->request_markers && f->reply_markers)
		claim(f, AGENT_FEATURE_BIT_MARKERS_RX);
	if (!f->request_crc && f->reply_crc != VERBS_CRC_SET)
		claim(f, AGENT_FEATURE_BIT_CRC_OFF);
}

void verbs_probe_startup(int fd, struct verbs_facts *f, char *why, size_t cap)
{
	struct verbs_client c;

	if (verbs_client_open(&c, fd, HELLO_MS))
		probe(&c, f, why, cap);
	else
		snprintf(why, cap, "%s", c.why);
	verbs_client_close(&c);
}

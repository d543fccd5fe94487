/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The SCTP link against itself: one link both connects and listens, so that any
 * wait serves both ends. A test with an end that is not served has a link of
 * its own, or a process.
 */
#include "harness/link/sctp/sctp.h"

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/link/capture.h"
#include "harness/link/sctp/stack.h"
#include "harness/unit.h"
#include "harness/wire/sctp.h"
#include "harness/wire/session.h"

static struct link *l;
static struct link_listener *listener;
static struct link_conn *us, *peer;
static struct link_sctp_options options;
static uint32_t rcvbuf;

/* What packets bore, as harness/wire reads them. */
static struct {
	unsigned inits, data, sacks, aborts, shutdowns;
	enum session_adaptation adaptation;
	uint32_t indication;
	uint16_t outbound, inbound;
	uint32_t window;
	uint8_t data_flags; /* of all, or'ed */
	unsigned fragments;
	uint32_t tsn[64];
	size_t largest;
} saw;

static void saw_chunk(const struct sctp_tlv *t)
{
	struct sctp_init i;
	struct sctp_data d;

	switch (t->type) {
	case SCTP_CHUNK_INIT:
		saw.inits++;
		if (!sctp_init_decode(&i, t->value, t->value_octets))
			break;
		saw.window = i.window;
		saw.outbound = i.outbound;
		saw.inbound = i.inbound;
		saw.adaptation = session_adaptation(
			i.parameters, i.parameter_octets, &saw.indication);
		break;
	case SCTP_CHUNK_DATA:
		if (!sctp_data_decode(&d, t->value, t->value_octets))
			break;
		saw.data_flags |= t->flags;
		saw.fragments += (t->flags & (SCTP_DATA_B | SCTP_DATA_E)) !=
				 (SCTP_DATA_B | SCTP_DATA_E);
		saw.tsn[saw.data++ % 64] = d.tsn;
		break;
	case SCTP_CHUNK_SACK:
		saw.sacks++;
		break;
	case SCTP_CHUNK_ABORT:
		saw.aborts++;
		break;
	case SCTP_CHUNK_SHUTDOWN:
		saw.shutdowns++;
		break;
	}
}

static void watch(void *arg, const struct link_sctp_packet *packet)
{
	struct sctp_packet p;
	struct sctp_tlv t;
	size_t at = 0, used;

	(void)arg;
	if (packet->sent)
		return;
	if (packet->n > saw.largest)
		saw.largest = packet->n;
	CU_ASSERT_TRUE_FATAL(sctp_packet_decode(&p, packet->octets, packet->n));
	while (sctp_chunk_decode(&t, p.chunks + at, p.chunk_octets - at,
				 &used) == SCTP_NEXT) {
		saw_chunk(&t);
		at += used;
	}
}

static uint64_t soon(void)
{
	return clock_after_ms(10000);
}

static struct link *open_link(void)
{
	char why[LINK_WHY] = "";
	const struct link_sctp c = {.address = "127.0.0.1"};
	struct link *made = link_sctp_open(&c, why);

	if (!made) {
		fprintf(stderr, "%s\n", why);
		exit(1);
	}
	return made;
}

/* An association with `options`, watched from its first packet on. */
static void start(void)
{
	uint16_t port = 0;

	memset(&saw, 0, sizeof(saw));
	l = open_link();
	l->options.rcvbuf = rcvbuf;
	options.udp_port = link_sctp_udp_port(l);
	link_sctp_set(l, &options);
	link_sctp_watch(l, watch, NULL);
	CU_ASSERT_EQUAL_FATAL(link_listen(l, "127.0.0.1", &port, &listener),
			      LINK_OK);
	CU_ASSERT_NOT_EQUAL_FATAL(port, 0);
	CU_ASSERT_EQUAL_FATAL(link_connect(l, "127.0.0.1", port, soon(), &us),
			      LINK_OK);
	CU_ASSERT_EQUAL_FATAL(link_accept(listener, soon(), &peer), LINK_OK);
	options = (struct link_sctp_options){0};
}

static void stop(void)
{
	link_close(us);
	link_close(peer);
	link_listener_close(listener);
	link_close_provider(l);
}

static int say(struct link_conn *from, uint16_t stream, uint32_t ppid,
	       const char *text)
{
	const struct link_message m = {.stream = stream, .ppid = ppid};

	return link_send_message(from, &m, text, strlen(text), soon());
}

static void must_hear(struct link_conn *by, uint16_t stream, uint32_t ppid,
		      const char *text)
{
	struct link_message m;

	CU_ASSERT_EQUAL_FATAL(link_recv_message(by, &m, soon()), 1);
	CU_ASSERT_EQUAL(m.stream, stream);
	CU_ASSERT_EQUAL(m.ppid, ppid);
	CU_ASSERT_EQUAL(m.n, strlen(text));
	CU_ASSERT_EQUAL(memcmp(m.octets, text, m.n), 0);
}

static void messages_pass_both_ways(void)
{
	struct link_message m;

	start();
	CU_ASSERT_EQUAL(us->local.port, peer->remote.port);
	CU_ASSERT_EQUAL(us->remote.port, listener->local.port);
	CU_ASSERT_EQUAL(link_recv_message(us, &m, CLOCK_NOW), LINK_TIMEOUT);
	CU_ASSERT_EQUAL(say(us, 3, 17, "hello"), LINK_OK);
	CU_ASSERT_EQUAL(say(us, 9, 16, "x"), LINK_OK);
	CU_ASSERT_EQUAL(say(peer, 0, 0xffffffff, "back"), LINK_OK);
	must_hear(peer, 3, 17, "hello");
	must_hear(peer, 9, 16, "x");
	must_hear(us, 0, 0xffffffff, "back");
	CU_ASSERT_EQUAL(saw.data, 3);
	CU_ASSERT_EQUAL(saw.data_flags,
			SCTP_DATA_U | SCTP_DATA_B | SCTP_DATA_E);
	CU_ASSERT_EQUAL(us->sent, 6);
	CU_ASSERT_EQUAL(peer->received, 6);
	stop();
}

static void ordered_ones_are_told(void)
{
	const struct link_message ordered = {.stream = 1, .ordered = true};
	struct link_message m;

	start();
	for (uint16_t i = 0; i < 3; i++)
		CU_ASSERT_EQUAL(
			link_send_message(us, &ordered, "abc", 3, soon()),
			LINK_OK);
	for (uint16_t i = 0; i < 3; i++) {
		CU_ASSERT_EQUAL_FATAL(link_recv_message(peer, &m, soon()), 1);
		CU_ASSERT_TRUE(m.ordered);
		CU_ASSERT_EQUAL(m.ssn, i);
	}
	CU_ASSERT_EQUAL(saw.data_flags, SCTP_DATA_B | SCTP_DATA_E);
	stop();
}

/* RFC 5043 s5.1 and s11.1: with DDP's, with another, without. */
static void adaptation_indications(void)
{
	start();
	CU_ASSERT_EQUAL(saw.adaptation, SESSION_ADAPTATION_ABSENT);
	CU_ASSERT_FALSE(link_sctp_state(us).adaptation);
	CU_ASSERT_FALSE(link_sctp_state(peer).adaptation);
	stop();
	for (uint32_t indication = 1; indication < 3; indication++) {
		options.adaptation = true;
		options.indication = indication;
		start();
		CU_ASSERT_EQUAL(saw.adaptation, SESSION_ADAPTATION_PRESENT);
		CU_ASSERT_EQUAL(saw.indication, indication);
		CU_ASSERT_TRUE(link_sctp_state(us).adaptation);
		CU_ASSERT_EQUAL(link_sctp_state(us).indication, indication);
		CU_ASSERT_EQUAL(link_sctp_state(peer).indication, indication);
		stop();
	}
}

static void streams_are_chosen(void)
{
	start();
	CU_ASSERT_EQUAL(saw.outbound, 10);
	CU_ASSERT_EQUAL(saw.inbound, 10);
	CU_ASSERT_EQUAL(say(us, 10, 16, "beyond"), LINK_ERROR);
	CU_ASSERT_PTR_NOT_NULL(strstr(us->why, "stream 10"));
	stop();
	options.outbound = 3;
	options.inbound = 7;
	start();
	CU_ASSERT_EQUAL(saw.outbound, 3);
	CU_ASSERT_EQUAL(saw.inbound, 7);
	CU_ASSERT_EQUAL(link_sctp_state(us).outbound, 3);
	CU_ASSERT_EQUAL(link_sctp_state(us).inbound, 3);
	stop();
}

/* A message fills a packet exactly; a larger one is refused, or fragmented if
 * that was chosen. */
static void fragments_are_chosen(void)
{
	static uint8_t octets[70000];
	const struct link_message m = {.stream = 0};
	struct link_message got;

	for (size_t i = 0; i < sizeof(octets); i++)
		octets[i] = (uint8_t)(i * 7);
	for (int fragments = 0; fragments < 2; fragments++) {
		options.mtu = 1000;
		options.fragments = fragments;
		start();
		size_t most = link_sctp_state(us).largest_message;

		CU_ASSERT(most > 900 && most < 1000 - 28);
		CU_ASSERT_EQUAL(link_send_message(us, &m, octets, most, soon()),
				LINK_OK);
		CU_ASSERT_EQUAL_FATAL(link_recv_message(peer, &got, soon()), 1);
		CU_ASSERT_EQUAL(got.n, most);
		CU_ASSERT_EQUAL(saw.fragments, 0);
		CU_ASSERT_EQUAL(
			link_send_message(us, &m, octets, most + 1, soon()),
			fragments ? LINK_OK : LINK_ERROR);
		if (!fragments) {
			CU_ASSERT_PTR_NOT_NULL(
				strstr(us->why, "do not fit into one packet"));
			stop();
			continue;
		}
		CU_ASSERT_EQUAL_FATAL(link_recv_message(peer, &got, soon()), 1);
		CU_ASSERT_EQUAL(got.n, most + 1);
		CU_ASSERT_EQUAL(saw.fragments, 2);
		CU_ASSERT_EQUAL(link_send_message(us, &m, octets,
						  sizeof(octets), soon()),
				LINK_OK);
		CU_ASSERT_EQUAL_FATAL(link_recv_message(peer, &got, soon()), 1);
		CU_ASSERT_EQUAL(got.n, sizeof(octets));
		CU_ASSERT_FALSE(got.cut);
		CU_ASSERT_EQUAL(memcmp(got.octets, octets, got.n), 0);
		CU_ASSERT(saw.largest <= 1000 - 28);
		stop();
	}
}

static void a_message_past_the_bound_is_cut(void)
{
	size_t n = LINK_SCTP_MESSAGE_MAX + 5000;
	uint8_t *octets = calloc(1, n);
	const struct link_message m = {.stream = 0};
	struct link_message got;

	CU_ASSERT_PTR_NOT_NULL_FATAL(octets);
	options.fragments = true;
	start();
	CU_ASSERT_EQUAL(link_send_message(us, &m, octets, n, soon()), LINK_OK);
	CU_ASSERT_EQUAL(say(us, 0, 0, "after"), LINK_OK);
	CU_ASSERT_EQUAL_FATAL(link_recv_message(peer, &got, soon()), 1);
	CU_ASSERT_TRUE(got.cut);
	CU_ASSERT_EQUAL(got.n, LINK_SCTP_MESSAGE_MAX);
	must_hear(peer, 0, 0, "after");
	stop();
	free(octets);
}

static void a_shutdown_is_told_after_the_last_message(void)
{
	struct link_message m;

	start();
	CU_ASSERT_EQUAL(say(us, 0, 16, "last"), LINK_OK);
	CU_ASSERT_EQUAL(link_half_close(us), LINK_OK);
	must_hear(peer, 0, 16, "last");
	CU_ASSERT_EQUAL(link_recv_message(peer, &m, soon()), 0);
	CU_ASSERT_TRUE(peer->fin_seen);
	CU_ASSERT_FALSE(peer->reset_seen);
	CU_ASSERT_EQUAL(link_recv_message(us, &m, soon()), 0);
	CU_ASSERT_EQUAL(saw.shutdowns, 1);
	CU_ASSERT_EQUAL(saw.aborts, 0);
	stop();
}

static void an_abort_is_told(void)
{
	struct link_message m;

	start();
	CU_ASSERT_EQUAL(say(us, 0, 16, "before"), LINK_OK);
	must_hear(peer, 0, 16, "before");
	CU_ASSERT_EQUAL(link_reset(us), LINK_OK);
	CU_ASSERT_EQUAL(link_recv_message(peer, &m, soon()), LINK_RESET);
	CU_ASSERT_TRUE(peer->reset_seen);
	CU_ASSERT_FALSE(peer->fin_seen);
	CU_ASSERT_EQUAL(say(peer, 0, 16, "x"), LINK_RESET);
	CU_ASSERT_EQUAL(saw.aborts, 1);
	stop();
}

/* With the right ports, and everything else of its own. */
static void abort_of_a_stranger(struct link_conn *to, uint32_t tag, bool sealed)
{
	uint8_t packet[16] = {(uint8_t)(to->remote.port >> 8),
			      (uint8_t)to->remote.port,
			      (uint8_t)(to->local.port >> 8),
			      (uint8_t)to->local.port,
			      (uint8_t)(tag >> 24),
			      (uint8_t)(tag >> 16),
			      (uint8_t)(tag >> 8),
			      (uint8_t)tag,
			      [12] = SCTP_CHUNK_ABORT,
			      [15] = 4};
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_port = htons(link_sctp_udp_port(l)),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (sealed)
		stack_seal(packet, sizeof(packet));
	CU_ASSERT_EQUAL(sendto(fd, packet, sizeof(packet), 0,
			       (struct sockaddr *)&at, sizeof(at)),
			sizeof(packet));
	close(fd);
}

static void an_abort_of_a_stranger_is_not_told(void)
{
	start();
	for (uint32_t tag = 0; tag < 8; tag++) {
		abort_of_a_stranger(us, tag * 0x1234567u, tag % 4 != 3);
		abort_of_a_stranger(peer, tag * 0x7654321u, true);
	}
	CU_ASSERT_EQUAL(say(us, 3, 17, "hello"), LINK_OK);
	must_hear(peer, 3, 17, "hello");
	CU_ASSERT_EQUAL(saw.aborts, 0);
	stop();
}

static void a_close_is_a_shutdown(void)
{
	struct link_message m;

	start();
	link_close(us);
	us = NULL;
	CU_ASSERT_EQUAL(link_recv_message(peer, &m, soon()), 0);
	CU_ASSERT_EQUAL(saw.aborts, 0);
	CU_ASSERT_EQUAL(link_drain(peer, soon()), LINK_OK);
	stop();
}

/* Packets that are held go out when they are released, in either order; SCTP
 * delivers unordered messages as they come. */
static void held_packets_overtake_one_another(void)
{
	for (int last_first = 0; last_first < 2; last_first++) {
		start();
		link_sctp_hold(us);
		CU_ASSERT_EQUAL(say(us, 0, 17, "one"), LINK_OK);
		CU_ASSERT_EQUAL(say(us, 0, 16, "two"), LINK_OK);
		CU_ASSERT_EQUAL(say(peer, 0, 16, "fence"), LINK_OK);
		must_hear(us, 0, 16, "fence");
		CU_ASSERT_EQUAL(saw.data, 1);
		link_sctp_release(us, last_first);
		must_hear(peer, 0, last_first ? 16 : 17,
			  last_first ? "two" : "one");
		must_hear(peer, 0, last_first ? 17 : 16,
			  last_first ? "one" : "two");
		CU_ASSERT_EQUAL_FATAL(saw.data, 3);
		CU_ASSERT_EQUAL((int32_t)(saw.tsn[2] - saw.tsn[1]),
				last_first ? -1 : 1);
		stop();
	}
}

static void what_is_lost_comes_again(void)
{
	start();
	CU_ASSERT_TRUE(link_lose(peer, 1));
	CU_ASSERT_EQUAL(say(us, 0, 16, "twice"), LINK_OK);
	must_hear(peer, 0, 16, "twice");
	stop();
}

static void acknowledgments_are_withheld(void)
{
	struct link_message m;
	unsigned before;

	start();
	CU_ASSERT_TRUE(link_set_acks(peer, LINK_ACKS_WITHHELD));
	before = saw.sacks;
	CU_ASSERT_EQUAL(say(us, 0, 16, "unheard"), LINK_OK);
	must_hear(peer, 0, 16, "unheard");
	/* With data of its own a SACK would travel; it is taken out. */
	CU_ASSERT_EQUAL(say(peer, 0, 16, "answer"), LINK_OK);
	must_hear(us, 0, 16, "answer");
	CU_ASSERT_EQUAL(link_sctp_state(us).unacknowledged, 1);
	CU_ASSERT_TRUE(link_set_acks(peer, LINK_ACKS_AT_ONCE));
	/* It comes again, and is acknowledged then. */
	uint64_t end = soon();

	while (link_sctp_state(us).unacknowledged && clock_now_ns() < end)
		CU_ASSERT_EQUAL(link_recv_message(peer, &m, clock_after_ms(20)),
				LINK_TIMEOUT);
	CU_ASSERT_EQUAL(link_sctp_state(us).unacknowledged, 0);
	CU_ASSERT(saw.sacks > before);
	stop();
}

/* Nothing passes any more, in either direction; no end is reported. */
static void a_connection_falls_silent(void)
{
	struct link_message m;
	unsigned before;

	start();
	CU_ASSERT_TRUE(link_fall_silent(peer));
	before = saw.data;
	CU_ASSERT_EQUAL(say(us, 0, 16, "unheard"), LINK_OK);
	CU_ASSERT_EQUAL(say(peer, 0, 16, "unsaid"), LINK_OK);
	CU_ASSERT_EQUAL(link_recv_message(us, &m, clock_after_ms(50)),
			LINK_TIMEOUT);
	CU_ASSERT_EQUAL(link_recv_message(peer, &m, CLOCK_NOW), LINK_TIMEOUT);
	CU_ASSERT_EQUAL(link_sctp_state(us).unacknowledged, 1);
	CU_ASSERT_EQUAL(saw.data, before);
	stop();
}

/* A window that was chosen is the one that is advertised, and stalls; one of
 * a few packets is not to be had. */
static void a_small_window_stalls(void)
{
	enum { WINDOW = 32768 };
	static uint8_t octets[1000];
	const struct link_message m = {.stream = 0};
	struct link_message got;
	unsigned sent = 0;
	int status;

	rcvbuf = 4096;
	start();
	rcvbuf = 0;
	CU_ASSERT_EQUAL(saw.window, WINDOW);
	while (sent < 5000 &&
	       (status = link_send_message(us, &m, octets, sizeof(octets),
					   clock_after_ms(20))) == LINK_OK)
		sent++;
	/* The contents of the two ends, and no more. */
	CU_ASSERT_EQUAL(status, LINK_TIMEOUT);
	CU_ASSERT(saw.data <= 2 * WINDOW / sizeof(octets));
	for (unsigned i = 0; i < sent; i++)
		CU_ASSERT_EQUAL_FATAL(link_recv_message(peer, &got, soon()), 1);
	stop();
}

static void nobody_answers(void)
{
	struct link *a = open_link(), *b = open_link();
	struct link_conn *c;

	options.udp_port = link_sctp_udp_port(b);
	link_sctp_set(a, &options);
	/* It is there, and is not served. */
	CU_ASSERT_EQUAL(
		link_connect(a, "127.0.0.1", 5000, clock_after_ms(30), &c),
		LINK_TIMEOUT);
	CU_ASSERT_PTR_NULL(c);
	CU_ASSERT_PTR_NOT_NULL(strstr(a->why, "127.0.0.1"));
	/* Its own stack, without a listener. */
	options.udp_port = link_sctp_udp_port(a);
	link_sctp_set(a, &options);
	CU_ASSERT_EQUAL(link_connect(a, "127.0.0.1", 5000, soon(), &c),
			LINK_REFUSED);
	CU_ASSERT_EQUAL(link_connect(a, "::1", 5000, soon(), &c), LINK_ERROR);
	options = (struct link_sctp_options){0};
	link_close_provider(a);
	link_close_provider(b);
}

static void a_port_that_is_taken(void)
{
	char why[LINK_WHY] = "";
	struct link *a = open_link();
	const struct link_sctp c = {.address = "127.0.0.1",
				    .udp_port = link_sctp_udp_port(a)};
	const struct link_sctp no = {.address = "localhost"};
	struct link_listener *one, *two;
	uint16_t port = 0;

	CU_ASSERT_PTR_NULL(link_sctp_open(&c, why));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "127.0.0.1"));
	CU_ASSERT_PTR_NULL(link_sctp_open(&no, why));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "localhost"));
	CU_ASSERT_EQUAL_FATAL(link_listen(a, "127.0.0.1", &port, &one),
			      LINK_OK);
	CU_ASSERT_EQUAL(link_listen(a, "127.0.0.1", &port, &two), LINK_ERROR);
	link_listener_close(one);
	link_close_provider(a);
}

static void octets_of_no_stream_are_refused(void)
{
	char got[8];

	start();
	CU_ASSERT_EQUAL(link_send(us, "ab", 2, NULL, 0, soon()), LINK_ERROR);
	CU_ASSERT_EQUAL(say(us, 0, 16, "abcdefghijkl"), LINK_OK);
	CU_ASSERT_EQUAL(link_recv(peer, got, sizeof(got), soon()), 8);
	CU_ASSERT_EQUAL(peer->received, 8);
	stop();
}

static void many_associations(void)
{
	enum { MANY = 40 };
	struct link_conn *a[MANY], *b[MANY];
	char text[16];

	start();
	link_sctp_set(l, &(struct link_sctp_options){
				 .udp_port = link_sctp_udp_port(l)});
	for (int i = 0; i < MANY; i++) {
		CU_ASSERT_EQUAL_FATAL(link_connect(l, "127.0.0.1",
						   listener->local.port, soon(),
						   &a[i]),
				      LINK_OK);
		CU_ASSERT_EQUAL_FATAL(link_accept(listener, soon(), &b[i]),
				      LINK_OK);
	}
	for (int i = 0; i < MANY; i++) {
		snprintf(text, sizeof(text), "number %d", i);
		CU_ASSERT_EQUAL(say(a[i], 1, 16, text), LINK_OK);
	}
	for (int i = MANY - 1; i >= 0; i--) {
		snprintf(text, sizeof(text), "number %d", i);
		must_hear(b[i], 1, 16, text);
	}
	for (int i = 0; i < MANY; i++) {
		link_close(a[i]);
		link_close(b[i]);
	}
	stop();
}

/* Without UDP, at an address of our own that no other test uses; without the
 * privilege it reports what is missing. And over IPv6. */
static void over_ip_alone(void)
{
	char why[LINK_WHY] = "", own[32];
	const char *const addresses[] = {own, "::1"};

	snprintf(own, sizeof(own), "127.%d.%d.9", 1 + getpid() / 200 % 200,
		 1 + getpid() % 200);
	for (size_t i = 0; i < UNIT_COUNT(addresses); i++) {
		const struct link_sctp c = {.address = addresses[i],
					    .ip_alone = i == 0};
		uint16_t port = 0;

		l = link_sctp_open(&c, why);
		if (!l) {
			CU_ASSERT_PTR_NOT_NULL(
				strstr(why, i ? "::1" : "takes CAP_NET_RAW"));
			CU_ASSERT(i == 1 || geteuid() != 0);
			continue;
		}
		memset(&saw, 0, sizeof(saw));
		link_sctp_set(l, &(struct link_sctp_options){
					 .mtu = 1000,
					 .udp_port = link_sctp_udp_port(l)});
		CU_ASSERT_EQUAL(link_sctp_udp_port(l) == 0, i == 0);
		link_sctp_watch(l, watch, NULL);
		CU_ASSERT_EQUAL_FATAL(
			link_listen(l, addresses[i], &port, &listener),
			LINK_OK);
		CU_ASSERT_EQUAL_FATAL(
			link_connect(l, addresses[i], port, soon(), &us),
			LINK_OK);
		CU_ASSERT_EQUAL_FATAL(link_accept(listener, soon(), &peer),
				      LINK_OK);
		CU_ASSERT_EQUAL(say(us, 1, 16, "there"), LINK_OK);
		must_hear(peer, 1, 16, "there");
		/* The whole packet except the headers before SCTP's. */
		static uint8_t octets[1000];
		size_t most = link_sctp_state(us).largest_message;
		const struct link_message m = {.stream = 0};
		struct link_message got;

		CU_ASSERT_EQUAL(link_send_message(us, &m, octets, most, soon()),
				LINK_OK);
		CU_ASSERT_EQUAL_FATAL(link_recv_message(peer, &got, soon()), 1);
		CU_ASSERT_EQUAL(saw.largest, i ? 1000 - 48 : 1000 - 20);
		stop();
	}
}

/* Datagrams that are not packets, or packets without an association. */
static void noise_is_harmless(void)
{
	uint8_t octets[64];
	uint32_t state = 5043;
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	start();
	link_sctp_watch(l, NULL, NULL);
	to.sin_port = htons(link_sctp_udp_port(l));
	for (unsigned i = 0; i < 2000; i++) {
		for (size_t k = 0; k < sizeof(octets); k++)
			octets[k] = (uint8_t)((state = state * 1664525u +
						       1013904223u) >>
					      24);
		/* Half of it is for the listener, by its port. */
		if (i % 2) {
			octets[2] = (uint8_t)(listener->local.port >> 8);
			octets[3] = (uint8_t)listener->local.port;
		}
		CU_ASSERT(sendto(fd, octets, i % sizeof(octets), 0,
				 (struct sockaddr *)&to, sizeof(to)) >= 0);
		link_serve(l);
	}
	close(fd);
	CU_ASSERT_EQUAL(say(us, 0, 16, "still"), LINK_OK);
	must_hear(peer, 0, 16, "still");
	stop();
}

/* Two processes, one association: echoed until SHUTDOWN. */
static int echo(int out)
{
	struct link *b = open_link();
	struct link_listener *at;
	struct link_conn *c;
	struct link_message m;
	uint16_t ports[2] = {link_sctp_udp_port(b), 0};
	int status;

	if (link_listen(b, "127.0.0.1", &ports[1], &at) != LINK_OK ||
	    write(out, ports, sizeof(ports)) != sizeof(ports) ||
	    link_accept(at, soon(), &c) != LINK_OK)
		return 1;
	while ((status = link_recv_message(c, &m, soon())) == 1) {
		struct link_message back = m;

		if (link_send_message(c, &back, m.octets, m.n, soon()) !=
		    LINK_OK)
			return 2;
	}
	link_close(c);
	link_listener_close(at);
	link_close_provider(b);
	return status == 0 ? 0 : 3;
}

static void two_processes_and_a_capture(void)
{
	int pipes[2], status = -1;
	uint16_t ports[2];
	char name[] = "/tmp/sctp_test.XXXXXX", why[CAPTURE_WHY] = "";
	char command[256], line[64] = "";
	struct capture *capture = capture_open(CAPTURE_LIMIT);

	CU_ASSERT_EQUAL_FATAL(pipe(pipes), 0);
	pid_t child = fork();

	if (child == 0)
		_exit(echo(pipes[1]));
	CU_ASSERT_EQUAL_FATAL(read(pipes[0], ports, sizeof(ports)),
			      sizeof(ports));
	l = open_link();
	l->capture = capture;
	link_sctp_set(l, &(struct link_sctp_options){.adaptation = true,
						     .indication = 1,
						     .udp_port = ports[0]});
	CU_ASSERT_EQUAL_FATAL(
		link_connect(l, "127.0.0.1", ports[1], soon(), &us), LINK_OK);
	for (int i = 0; i < 20; i++) {
		CU_ASSERT_EQUAL(say(us, 2, 17, "there and back"), LINK_OK);
		must_hear(us, 2, 17, "there and back");
	}
	CU_ASSERT_EQUAL(link_half_close(us), LINK_OK);
	CU_ASSERT_EQUAL(link_drain(us, soon()), LINK_OK);
	link_close(us);
	CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
	CU_ASSERT_EQUAL(status, 0);
	close(pipes[0]);
	close(pipes[1]);

	close(mkstemp(name));
	CU_ASSERT_EQUAL(capture_save(capture, NULL, name, why), 0);
	if (system("command -v tshark >/dev/null 2>&1") == 0) {
		snprintf(command, sizeof(command),
			 "tshark -r %s -o sctp.checksum:CRC-32C "
			 "-Y 'sctp.data_payload_proto_id == 17 && "
			 "sctp.checksum.status == 1' 2>/dev/null | wc -l",
			 name);
		FILE *f = popen(command, "r");

		CU_ASSERT_PTR_NOT_NULL_FATAL(f);
		CU_ASSERT_PTR_NOT_NULL(fgets(line, sizeof(line), f));
		pclose(f);
		CU_ASSERT_EQUAL(atoi(line), 40);
	}
	unlink(name);
	link_close_provider(l);
	capture_close(capture);
}

static const struct unit_test tests[] = {
	{"messages_pass_both_ways", messages_pass_both_ways},
	{"ordered_ones_are_told", ordered_ones_are_told},
	{"adaptation_indications", adaptation_indications},
	{"streams_are_chosen", streams_are_chosen},
	{"fragments_are_chosen", fragments_are_chosen},
	{"a_message_past_the_bound_is_cut", a_message_past_the_bound_is_cut},
	{"a_shutdown_is_told_after_the_last_message",
	 a_shutdown_is_told_after_the_last_message},
	{"an_abort_is_told", an_abort_is_told},
	{"an_abort_of_a_stranger_is_not_told",
	 an_abort_of_a_stranger_is_not_told},
	{"a_close_is_a_shutdown", a_close_is_a_shutdown},
	{"held_packets_overtake_one_another",
	 held_packets_overtake_one_another},
	{"what_is_lost_comes_again", what_is_lost_comes_again},
	{"acknowledgments_are_withheld", acknowledgments_are_withheld},
	{"a_connection_falls_silent", a_connection_falls_silent},
	{"a_small_window_stalls", a_small_window_stalls},
	{"nobody_answers", nobody_answers},
	{"a_port_that_is_taken", a_port_that_is_taken},
	{"octets_of_no_stream_are_refused", octets_of_no_stream_are_refused},
	{"many_associations", many_associations},
	{"over_ip_alone", over_ip_alone},
	{"noise_is_harmless", noise_is_harmless},
	{"two_processes_and_a_capture", two_processes_and_a_capture},
};

int main(void)
{
	return unit_run("sctp link", tests, UNIT_COUNT(tests));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The SCTP link and the peer on it against the SCTP of a kernel, which
 * kernel_tool.c plays in a guest: whoever makes the association, and whoever
 * begins the session. Prints a line of counts.
 *
 *   interop_tool OWN GUEST COMMANDS UDP [TEST]
 *
 * OWN and GUEST are addresses of one family; at COMMANDS the guest takes its
 * commands (TCP); UDP is where its SCTP takes datagrams, and 0 is SCTP over
 * IP alone.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/peer/session.h"
#include "harness/unit.h"
#include "harness/wire/rdmap.h"
#include "harness/wire/sctp.h"

enum {
	STREAMS = 10,
	MANY = 2000,
	PATH_MTU = 1500,
	UDP_OCTETS = 8,
	DATA_OCTETS = 16, /* of a DATA chunk, before its user data */
	SEND_OCTETS = 18, /* of a segment, before its payload */
};

static const char *own, *guest;
static uint16_t commands_port, guest_udp;
static int commands = -1;

static struct link *l;
static struct link_listener *listener;
static struct association *ours;
static struct observe *events;
static struct peer peer;
static uint16_t port; /* of SCTP; each association of the tests has its own */
static char theirs[32];
/* The choices of a test; every test starts with these. */
static struct {
	struct link_sctp_options link;
	uint32_t rcvbuf;
	const char *guest; /* keys of its listen and connect */
} with;

static uint64_t soon(void)
{
	return clock_after_ms(40000);
}

/* --- packets, as harness/wire reads them ---------------------------------- */

static struct {
	unsigned data[2], fragments[2], ordered[2]; /* received, sent */
	size_t largest[2];
	unsigned aborts[2], shutdowns[2];
	uint32_t tsn[MANY * 2]; /* of DATA received */
	enum session_adaptation adaptation;
	uint32_t indication;
	uint16_t outbound, inbound;
} saw;

static void saw_chunk(const struct sctp_tlv *t, bool sent)
{
	struct sctp_init i;
	struct sctp_data d;

	switch (t->type) {
	case SCTP_CHUNK_INIT:
	case SCTP_CHUNK_INIT_ACK:
		if (sent || !sctp_init_decode(&i, t->value, t->value_octets))
			break;
		saw.outbound = i.outbound;
		saw.inbound = i.inbound;
		saw.adaptation = session_adaptation(
			i.parameters, i.parameter_octets, &saw.indication);
		break;
	case SCTP_CHUNK_DATA:
		if (!sctp_data_decode(&d, t->value, t->value_octets))
			break;
		saw.fragments[sent] +=
			(t->flags & (SCTP_DATA_B | SCTP_DATA_E)) !=
			(SCTP_DATA_B | SCTP_DATA_E);
		saw.ordered[sent] += !(t->flags & SCTP_DATA_U);
		if (!sent)
			saw.tsn[saw.data[0] % UNIT_COUNT(saw.tsn)] = d.tsn;
		saw.data[sent]++;
		break;
	case SCTP_CHUNK_ABORT:
		saw.aborts[sent]++;
		break;
	case SCTP_CHUNK_SHUTDOWN:
		saw.shutdowns[sent]++;
		break;
	}
}

static void watch(void *arg, const struct link_sctp_packet *packet)
{
	struct sctp_packet p;
	struct sctp_tlv t;
	size_t at = 0, used;

	(void)arg;
	if (packet->n > saw.largest[packet->sent])
		saw.largest[packet->sent] = packet->n;
	if (!sctp_packet_decode(&p, packet->octets, packet->n))
		return;
	while (sctp_chunk_decode(&t, p.chunks + at, p.chunk_octets - at,
				 &used) == SCTP_NEXT) {
		saw_chunk(&t, packet->sent);
		at += used;
	}
}

/* Octets around a packet of SCTP. */
static size_t around(void)
{
	return (strchr(guest, ':') ? 40 : 20) + (guest_udp ? UDP_OCTETS : 0);
}

/* --- the guest -------------------------------------------------------------- */

static char reply[1024];

static void ask(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void ask_ahead(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));
static void tell(const char *fmt, va_list ap)
{
	char line[1024];
	int n = vsnprintf(line, sizeof(line) - 1, fmt, ap);

	line[n++] = '\n';
	CU_ASSERT_EQUAL_FATAL(write(commands, line, (size_t)n), n);
}

/* The answer, while our SCTP lives. */
static void hear(void)
{
	size_t n = 0;

	for (;;) {
		struct link_wait w = {.fd = commands, .want = LINK_READ};
		int status = link_wait(l, &w, 1, clock_after_ms(60000));

		CU_ASSERT_EQUAL_FATAL(status, 1);
		ssize_t k = read(commands, reply + n, sizeof(reply) - 1 - n);

		CU_ASSERT_FATAL(k > 0);
		n += (size_t)k;
		if (reply[n - 1] == '\n')
			break;
	}
	reply[n - 1] = '\0';
}

static void ask_ahead(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tell(fmt, ap);
	va_end(ap);
}

static void must_be_ok(void)
{
	bool right = strncmp(reply, "OK", 2) == 0;

	if (!right)
		fprintf(stderr, "the guest: %s\n", reply);
	CU_ASSERT_TRUE_FATAL(right);
}

static void ask(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tell(fmt, ap);
	va_end(ap);
	hear();
	must_be_ok();
}

/* A number of the answer. */
static long told(const char *key)
{
	char with_sign[32];
	const char *at;

	snprintf(with_sign, sizeof(with_sign), " %s=", key);
	at = strstr(reply, with_sign);
	CU_ASSERT_PTR_NOT_NULL_FATAL(at);
	if (!at)
		return -1;
	at += strlen(with_sign);
	return strncmp(at, "none", 4) == 0 ? -1 : strtol(at, NULL, 10);
}

static void guest_objects_to_nothing(void)
{
	ask("breaches");
	if (strcmp(reply, "OK 0") != 0)
		fprintf(stderr, "the guest: %s\n", reply);
	CU_ASSERT_STRING_EQUAL(reply, "OK 0");
}

static void guest_objects(const char *to)
{
	ask("breaches count=1");
	if (!strstr(reply, to))
		fprintf(stderr, "the guest does not say %s: %s\n", to, reply);
	CU_ASSERT_PTR_NOT_NULL(strstr(reply, to));
}

static void connect_commands(void)
{
	struct sockaddr_in in = {.sin_family = AF_INET,
				 .sin_port = htons(commands_port)};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6,
				   .sin6_port = htons(commands_port)};
	bool six = strchr(guest, ':');
	int status;

	inet_pton(AF_INET, guest, &in.sin_addr);
	inet_pton(AF_INET6, guest, &in6.sin6_addr);
	commands =
		socket(six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	status = six ? connect(commands, (struct sockaddr *)&in6, sizeof(in6))
		     : connect(commands, (struct sockaddr *)&in, sizeof(in));
	if (status != 0) {
		fprintf(stderr, "port %u of %s: %s\n", commands_port, guest,
			strerror(errno));
		exit(2);
	}
}

/* --- associations ----------------------------------------------------------- */

static void open_link(void)
{
	char why[LINK_WHY] = "";
	const struct link_sctp c = {.address = own, .ip_alone = !guest_udp};

	memset(&saw, 0, sizeof(saw));
	/* After a failed test: the guest accepts one association at a time. */
	if (commands >= 0)
		close(commands);
	connect_commands();
	l = link_sctp_open(&c, why);
	if (!l) {
		fprintf(stderr, "%s\n", why);
		exit(2);
	}
	l->options.rcvbuf = with.rcvbuf;
	with.link.udp_port = guest_udp;
	link_sctp_set(l, &with.link);
	link_sctp_watch(l, watch, NULL);
	port++;
}

static const char *guest_keys(void)
{
	return with.guest ? with.guest : "streams=10";
}

static struct link_conn *associate(bool we_connect)
{
	struct link_conn *c = NULL;

	if (we_connect) {
		ask("listen address=%s port=%u %s", guest, port, guest_keys());
		CU_ASSERT_EQUAL_FATAL(link_connect(l, guest, port, soon(), &c),
				      LINK_OK);
		ask("accept");
	} else {
		CU_ASSERT_EQUAL_FATAL(link_listen(l, own, &port, &listener),
				      LINK_OK);
		ask_ahead("connect address=%s port=%u udp=%u local=%s %s", own,
			  port, link_sctp_udp_port(l), guest, guest_keys());
		CU_ASSERT_EQUAL_FATAL(link_accept(listener, soon(), &c),
				      LINK_OK);
		hear();
		must_be_ok();
	}
	snprintf(theirs, sizeof(theirs), "association=%ld",
		 told("association"));
	return c;
}

static void set_up(bool we_connect)
{
	open_link();
	events = observe_new();
	ours = association_new(associate(we_connect));
	CU_ASSERT_TRUE_FATAL(events && ours);
	CU_ASSERT_TRUE_FATAL(peer_init_session(&peer, ours, 0, events, 0));
}

static void by_default(void)
{
	memset(&with, 0, sizeof(with));
	with.link = (struct link_sctp_options){
		.adaptation = true,
		.indication = SESSION_ADAPTATION_DDP,
		.outbound = STREAMS,
		.inbound = STREAMS,
	};
}

static void close_link(void)
{
	link_listener_close(listener);
	listener = NULL;
	link_close_provider(l);
	close(commands);
	commands = -1;
	by_default();
}

static void tear_down(void)
{
	CU_ASSERT_EQUAL(saw.ordered[0], 0);
	peer_end(&peer, false);
	association_free(ours, true);
	observe_free(events);
	close_link();
}

/* --- sessions --------------------------------------------------------------- */

static const uint8_t *private_data(uint16_t function, size_t n)
{
	static uint8_t octets[1024];

	for (size_t i = 0; i < n; i++)
		octets[i] = (uint8_t)(function + i);
	return octets;
}

static void we_say(struct peer *p, uint16_t function, size_t octets)
{
	CU_ASSERT_EQUAL_FATAL(peer_control(p, function,
					   private_data(function, octets),
					   octets, NULL, soon()),
			      PEER_OK);
}

static void we_hear(struct peer *p, uint16_t ddp_ssn, uint16_t function,
		    size_t private_octets)
{
	const uint8_t *octets;
	struct session_chunk c;
	size_t n;

	CU_ASSERT_EQUAL_FATAL(peer_receive_startup(p, soon(), &octets, &n),
			      PEER_OK);
	session_decode(&c, true, octets, n);
	CU_ASSERT_EQUAL(c.ddp_ssn, ddp_ssn);
	CU_ASSERT_EQUAL(c.function, function);
	CU_ASSERT_EQUAL_FATAL(c.body_octets, private_octets);
	CU_ASSERT_EQUAL(memcmp(c.body, private_data(function, private_octets),
			       private_octets),
			0);
}

static void they_say(unsigned sid, uint16_t function, size_t octets)
{
	ask("say %s stream=%u function=%u octets=%zu", theirs, sid, function,
	    octets);
}

static void they_hear(unsigned sid, uint16_t function, size_t octets,
		      unsigned segments)
{
	ask("control %s stream=%u", theirs, sid);
	CU_ASSERT_EQUAL(told("function"), function);
	CU_ASSERT_EQUAL(told("octets"), (long)octets);
	CU_ASSERT_EQUAL(told("segments"), segments);
}

/* RFC 5043 s6.2, whichever side begins. */
static void open_session(struct peer *p, unsigned sid, bool we_begin)
{
	if (we_begin) {
		we_say(p, SESSION_INITIATE, 5);
		they_hear(sid, SESSION_INITIATE, 5, 0);
		they_say(sid, SESSION_ACCEPT, 0);
		we_hear(p, 0, SESSION_ACCEPT, 0);
	} else {
		they_say(sid, SESSION_INITIATE, 0);
		we_hear(p, 0, SESSION_INITIATE, 0);
		we_say(p, SESSION_ACCEPT, 7);
		they_hear(sid, SESSION_ACCEPT, 7, 0);
	}
}

static enum peer_status put_send(struct peer *p, uint32_t msn, size_t payload,
				 const struct peer_faults *f)
{
	static uint8_t octets[70000], ulpdu[70000];
	const struct ddp_segment seg = {
		.ddp = {.last = true,
			.dv = 1,
			.rv = 1,
			.opcode = RDMAP_SEND,
			.msn = msn},
		.payload = octets,
		.payload_octets = payload,
	};

	for (size_t i = 0; i < payload; i++)
		octets[i] = (uint8_t)(msn + i);
	return peer_frame(p, ulpdu, ddp_encode(&seg, ulpdu, sizeof(ulpdu)),
			  f ? f : &peer_no_faults, NULL);
}

static void we_send(struct peer *p, uint32_t from, uint32_t count,
		    size_t payload)
{
	for (uint32_t i = from; i < from + count; i++)
		CU_ASSERT_EQUAL_FATAL(put_send(p, i, payload, NULL), PEER_OK);
	CU_ASSERT_EQUAL_FATAL(peer_flush(p, NULL, 0, 0, soon()), PEER_OK);
}

static void we_get(struct peer *p, uint32_t from, uint32_t count,
		   size_t payload)
{
	for (uint32_t i = from; i < from + count; i++) {
		const struct frame *f = NULL;

		CU_ASSERT_EQUAL_FATAL(peer_receive(p, soon(), &f), PEER_OK);
		CU_ASSERT_EQUAL(f->chunk->ddp_ssn, (uint16_t)i);
		CU_ASSERT_FALSE(f->chunk->ordered);
		CU_ASSERT_EQUAL(f->seg.ddp.opcode, RDMAP_SEND);
		CU_ASSERT_EQUAL(f->seg.ddp.msn, i);
		CU_ASSERT_EQUAL_FATAL(f->seg.payload_octets, payload);
		for (size_t k = 0; k < payload; k++)
			if (f->seg.payload[k] != (uint8_t)(i + k))
				CU_FAIL_FATAL("other octets than were sent");
	}
}

/* Both directions have ended, in order. */
static void end_session(struct peer *p, unsigned sid, unsigned segments)
{
	const struct frame *f;

	CU_ASSERT_EQUAL(peer_close_sending(p), PEER_OK);
	they_hear(sid, SESSION_TERMINATE, 0, segments);
	they_say(sid, SESSION_TERMINATE, 0);
	CU_ASSERT_EQUAL(peer_receive(p, soon(), &f), PEER_FIN);
}

/* --- tests: each with an association opened by either side ------------- */

#define EITHER_WAY for (int we = 1; we >= 0; we--)

static void the_association_is_one_of_ddp(void)
{
	EITHER_WAY
	{
		set_up(we);
		CU_ASSERT_EQUAL(told("up"), 1);
		CU_ASSERT_EQUAL(told("indication"), SESSION_ADAPTATION_DDP);
		CU_ASSERT_EQUAL(told("out"), STREAMS);
		CU_ASSERT_EQUAL(told("in"), STREAMS);
		const struct link_sctp_state s =
			link_sctp_state(association_conn(ours));

		CU_ASSERT_TRUE(s.adaptation);
		CU_ASSERT_EQUAL(s.indication, SESSION_ADAPTATION_DDP);
		CU_ASSERT_EQUAL(s.outbound, STREAMS);
		CU_ASSERT_EQUAL(s.inbound, STREAMS);
		CU_ASSERT_EQUAL(saw.adaptation, SESSION_ADAPTATION_PRESENT);
		CU_ASSERT_EQUAL(saw.outbound, STREAMS);
		tear_down();
	}
}

/* The smaller number of each direction counts: RFC 9260 s5.1.1. */
static void stream_counts_are_agreed(void)
{
	EITHER_WAY
	{
		with.link.outbound = 7;
		with.link.inbound = 5;
		with.guest = "streams=6";
		set_up(we);
		CU_ASSERT_EQUAL(told("out"), 5);
		CU_ASSERT_EQUAL(told("in"), 6);
		const struct link_sctp_state s =
			link_sctp_state(association_conn(ours));

		CU_ASSERT_EQUAL(s.outbound, 6);
		CU_ASSERT_EQUAL(s.inbound, 5);
		CU_ASSERT_EQUAL(saw.outbound, we ? 5 : 6);
		tear_down();
	}
}

/* RFC 5043 s11.1: both sides learn of it, and decide what follows. */
static void indications_are_told(void)
{
	static const struct {
		bool adaptation;
		uint32_t indication;
		const char *guest;
		long they_see;
		bool we_see;
		uint32_t what;
	} table[] = {
		{true, 2, "adaptation=1", 2, true, 1},
		{true, 0xfffffffe, "adaptation=0x80000001", 0xfffffffe, true,
		 0x80000001},
		{false, 0, "adaptation=1", -1, true, 1},
		{true, 1, "adaptation=0", 1, false, 0},
		{false, 0, "adaptation=0", -1, false, 0},
	};

	for (size_t i = 0; i < UNIT_COUNT(table); i++)
		EITHER_WAY
		{
			with.link.adaptation = table[i].adaptation;
			with.link.indication = table[i].indication;
			with.guest = table[i].guest;
			set_up(we);
			CU_ASSERT_EQUAL(told("indication"), table[i].they_see);
			const struct link_sctp_state s =
				link_sctp_state(association_conn(ours));

			CU_ASSERT_EQUAL(s.adaptation, table[i].we_see);
			CU_ASSERT_EQUAL(s.indication, table[i].what);
			tear_down();
		}
}

static void nobody_listens(void)
{
	struct link_conn *c = NULL;

	open_link();
	CU_ASSERT_EQUAL(link_connect(l, guest, port, soon(), &c), LINK_REFUSED);
	/* Nor here. */
	ask_ahead("connect address=%s port=%u udp=%u", own, port,
		  link_sctp_udp_port(l));
	hear();
	CU_ASSERT_STRING_EQUAL(reply, "ERR refused");
	close_link();
}

static void a_session_is_accepted(void)
{
	static const size_t sizes[] = {0, 1, 512};

	EITHER_WAY
	{
		for (int begin = 0; begin < 2; begin++) {
			for (size_t i = 0; i < UNIT_COUNT(sizes); i++) {
				size_t n = sizes[i];

				set_up(we);
				if (begin) {
					we_say(&peer, SESSION_INITIATE, n);
					they_hear(0, SESSION_INITIATE, n, 0);
					they_say(0, SESSION_ACCEPT, n);
					we_hear(&peer, 0, SESSION_ACCEPT, n);
				} else {
					they_say(0, SESSION_INITIATE, n);
					we_hear(&peer, 0, SESSION_INITIATE, n);
					we_say(&peer, SESSION_ACCEPT, n);
					they_hear(0, SESSION_ACCEPT, n, 0);
				}
				we_send(&peer, 1, 5, n);
				ask("segments %s count=6 size=%zu", theirs, n);
				we_get(&peer, 1, 6, n);
				end_session(&peer, 0, 5);
				guest_objects_to_nothing();
				tear_down();
			}
		}
	}
}

/* The guest ends it first, after segments that are still on the way. */
static void a_session_is_ended_by_the_other(void)
{
	const struct frame *f;

	EITHER_WAY
	{
		set_up(we);
		open_session(&peer, 0, !we);
		ask("segments %s count=200 size=900", theirs);
		they_say(0, SESSION_TERMINATE, 0);
		we_get(&peer, 1, 200, 900);
		CU_ASSERT_EQUAL(peer_receive(&peer, soon(), &f), PEER_FIN);
		we_send(&peer, 1, 3, 10);
		CU_ASSERT_EQUAL(peer_close_sending(&peer), PEER_OK);
		they_hear(0, SESSION_TERMINATE, 0, 3);
		guest_objects_to_nothing();
		tear_down();
	}
}

/* RFC 5043 s6.3 and s6.4. */
static void a_session_is_rejected(void)
{
	const struct frame *f;

	EITHER_WAY
	{
		set_up(we);
		we_say(&peer, SESSION_INITIATE, 512);
		they_hear(0, SESSION_INITIATE, 512, 0);
		they_say(0, SESSION_REJECT, 512);
		we_hear(&peer, 0, SESSION_REJECT, 512);
		guest_objects_to_nothing();
		tear_down();
		set_up(we);
		they_say(0, SESSION_INITIATE, 3);
		we_hear(&peer, 0, SESSION_INITIATE, 3);
		we_say(&peer, SESSION_REJECT, 0);
		they_hear(0, SESSION_REJECT, 0, 0);
		guest_objects_to_nothing();
		tear_down();
		/* Not by the ULP. */
		set_up(we);
		we_say(&peer, SESSION_INITIATE, 0);
		they_hear(0, SESSION_INITIATE, 0, 0);
		they_say(0, SESSION_TERMINATE, 0);
		CU_ASSERT_EQUAL(peer_receive(&peer, soon(), &f), PEER_FIN);
		guest_objects_to_nothing();
		tear_down();
		set_up(we);
		they_say(0, SESSION_INITIATE, 0);
		we_hear(&peer, 0, SESSION_INITIATE, 0);
		we_say(&peer, SESSION_TERMINATE, 0);
		they_hear(0, SESSION_TERMINATE, 0, 0);
		guest_objects_to_nothing();
		tear_down();
	}
}

/* RFC 6581 s7. */
static void enhanced_codes_pass(void)
{
	EITHER_WAY
	{
		set_up(we);
		we_say(&peer, SESSION_ENHANCED_INITIATE, 4);
		they_hear(0, SESSION_ENHANCED_INITIATE, 4, 0);
		they_say(0, SESSION_ENHANCED_ACCEPT, 512);
		we_hear(&peer, 0, SESSION_ENHANCED_ACCEPT, 512);
		end_session(&peer, 0, 0);
		guest_objects_to_nothing();
		tear_down();
		set_up(we);
		they_say(0, SESSION_ENHANCED_INITIATE, 512);
		we_hear(&peer, 0, SESSION_ENHANCED_INITIATE, 512);
		we_say(&peer, SESSION_ENHANCED_REJECT, 4);
		they_hear(0, SESSION_ENHANCED_REJECT, 4, 0);
		guest_objects_to_nothing();
		tear_down();
	}
}

/* RFC 5043 s6.1: the numbers begin anew. */
static void a_stream_is_used_again(void)
{
	set_up(true);
	for (unsigned i = 0; i < 4; i++) {
		open_session(&peer, 0, i % 2);
		we_send(&peer, 1, 3, 30);
		ask("segments %s count=3 size=30", theirs);
		we_get(&peer, 1, 3, 30);
		end_session(&peer, 0, 3);
		peer_end(&peer, false);
		CU_ASSERT_TRUE_FATAL(
			peer_init_session(&peer, ours, 0, events, 0));
		ask("fresh %s stream=0", theirs);
	}
	guest_objects_to_nothing();
	tear_down();
}

static void streams_share_an_association(void)
{
	EITHER_WAY
	{
		struct peer more[STREAMS - 1];

		set_up(we);
		open_session(&peer, 0, true);
		for (unsigned i = 1; i < STREAMS; i++) {
			CU_ASSERT_TRUE_FATAL(peer_init_session(
				&more[i - 1], ours, (uint16_t)i, events, i));
			open_session(&more[i - 1], i, i % 2);
			we_send(&more[i - 1], 1, 20 + i, 60);
			ask("segments %s stream=%u count=%u size=80", theirs, i,
			    30 + i);
		}
		for (unsigned i = 1; i < STREAMS; i++) {
			we_get(&more[i - 1], 1, 30 + i, 80);
			end_session(&more[i - 1], i, 20 + i);
			peer_end(&more[i - 1], false);
		}
		end_session(&peer, 0, 0);
		guest_objects_to_nothing();
		tear_down();
	}
}

static void thousands_both_ways(void)
{
	EITHER_WAY
	{
		set_up(we);
		open_session(&peer, 0, we);
		ask("segments %s count=%u size=100", theirs, MANY);
		we_send(&peer, 1, MANY, 70);
		we_get(&peer, 1, MANY, 100);
		ask("taken %s count=%u", theirs, MANY);
		CU_ASSERT_EQUAL(told("segments"), MANY);
		end_session(&peer, 0, MANY);
		guest_objects_to_nothing();
		CU_ASSERT_EQUAL(saw.fragments[0], 0);
		CU_ASSERT_EQUAL(saw.fragments[1], 0);
		CU_ASSERT(saw.data[0] >= MANY + 2);
		tear_down();
	}
}

/* A segment fills a packet as large as the path takes, but no larger. */
static void segments_up_to_the_path_mtu(void)
{
	EITHER_WAY
	{
		set_up(we);
		size_t most =
			PATH_MTU - around() - SCTP_HEADER_OCTETS - DATA_OCTETS;
		const struct link_sctp_state s =
			link_sctp_state(association_conn(ours));

		ask("status %s", theirs);
		/* Their sizes are multiples of four. */
		CU_ASSERT_EQUAL(s.largest_message & ~3u, most & ~(size_t)3);
		CU_ASSERT_EQUAL(told("largest"), (long)(most & ~(size_t)3));
		open_session(&peer, 0, we);
		size_t full =
			(most & ~(size_t)3) - SESSION_SSN_OCTETS - SEND_OCTETS;
		uint32_t msn = 1;

		for (size_t n = full - 9; n <= full; n++, msn++) {
			we_send(&peer, msn, 1, n);
			ask("segments %s count=1 size=%zu", theirs, n);
			we_get(&peer, msn, 1, n);
		}
		ask("taken %s count=%u", theirs, msn - 1);
		CU_ASSERT_EQUAL(put_send(&peer, msn, full + 4, NULL), PEER_OK);
		CU_ASSERT_EQUAL(peer_flush(&peer, NULL, 0, 0, soon()),
				PEER_BROKEN);
		CU_ASSERT_PTR_NOT_NULL(
			strstr(peer.conn->why, "do not fit into one packet"));
		for (int sent = 0; sent < 2; sent++) {
			CU_ASSERT_EQUAL(saw.fragments[sent], 0);
			CU_ASSERT_EQUAL(saw.largest[sent],
					(PATH_MTU - around()) & ~(size_t)3);
		}
		guest_objects_to_nothing();
		tear_down();
	}
}

/* RFC 5043 s9 permits fragments only where IP would fragment. */
static void larger_ones_are_put_together(void)
{
	EITHER_WAY
	{
		with.link.fragments = true;
		with.guest = "streams=10 fragments=1";
		set_up(we);
		open_session(&peer, 0, we);
		we_send(&peer, 1, 3, 20000);
		ask("segments %s count=3 size=60000", theirs);
		we_get(&peer, 1, 3, 60000);
		ask("taken %s count=3", theirs);
		CU_ASSERT(saw.fragments[0] > 100 && saw.fragments[1] > 30);
		CU_ASSERT(saw.largest[0] <= PATH_MTU - around());
		CU_ASSERT(saw.largest[1] <= PATH_MTU - around());
		guest_objects_to_nothing();
		tear_down();
	}
}

static void an_association_is_shut_down(void)
{
	struct link_message m;
	const struct frame *f;

	EITHER_WAY
	{
		set_up(we);
		open_session(&peer, 0, we);
		we_send(&peer, 1, 100, 900);
		CU_ASSERT_EQUAL(link_half_close(peer.conn), LINK_OK);
		ask("taken %s count=100", theirs);
		ask("end %s", theirs);
		CU_ASSERT_STRING_EQUAL(reply, "OK shutdown");
		CU_ASSERT_EQUAL(link_recv_message(peer.conn, &m, soon()), 0);
		CU_ASSERT_EQUAL(saw.aborts[0] + saw.aborts[1], 0);
		tear_down();
		set_up(we);
		open_session(&peer, 0, we);
		ask("segments %s count=100 size=900", theirs);
		/* It is sent at once; queued messages are not. */
		we_get(&peer, 1, 100, 900);
		ask("shutdown %s", theirs);
		CU_ASSERT_EQUAL(peer_receive(&peer, soon(), &f), PEER_FIN);
		ask("end %s", theirs);
		CU_ASSERT_STRING_EQUAL(reply, "OK shutdown");
		CU_ASSERT_EQUAL(saw.aborts[0] + saw.aborts[1], 0);
		guest_objects_to_nothing();
		tear_down();
	}
}

static void an_association_is_aborted(void)
{
	const struct frame *f;

	EITHER_WAY
	{
		set_up(we);
		open_session(&peer, 0, we);
		we_send(&peer, 1, 1, 9);
		ask("taken %s count=1", theirs);
		CU_ASSERT_EQUAL(peer_reset(&peer), PEER_OK);
		ask("end %s", theirs);
		CU_ASSERT_STRING_EQUAL(reply, "OK aborted");
		CU_ASSERT_EQUAL(saw.aborts[1], 1);
		tear_down();
		set_up(we);
		open_session(&peer, 0, we);
		ask("abort %s", theirs);
		CU_ASSERT_EQUAL(peer_receive(&peer, soon(), &f), PEER_RESET);
		CU_ASSERT_EQUAL(saw.aborts[0], 1);
		tear_down();
	}
}

static void what_is_lost_comes_again(void)
{
	EITHER_WAY
	{
		unsigned twice = 0;

		set_up(we);
		/* The guest's first message, and packets in the midst. */
		CU_ASSERT_TRUE(link_lose(peer.conn, 1));
		open_session(&peer, 0, we);
		for (uint32_t i = 0; i < 5; i++) {
			CU_ASSERT_TRUE(link_lose(peer.conn, i + 1));
			ask("segments %s count=40 size=700", theirs);
			we_send(&peer, 1 + 40 * i, 40, 500);
			we_get(&peer, 1 + 40 * i, 40, 700);
		}
		end_session(&peer, 0, 200);
		for (unsigned i = 1; i < saw.data[0]; i++)
			twice += saw.tsn[i] - saw.tsn[i - 1] != 1;
		/* The loss is noticed. */
		CU_ASSERT(twice > 0);
		guest_objects_to_nothing();
		tear_down();
	}
}

/* A chunk that is sent again although it arrived is accepted once, in both
 * directions. */
static void what_comes_twice_is_taken_once(void)
{
	const struct frame *f;
	unsigned before;

	set_up(true);
	open_session(&peer, 0, true);
	CU_ASSERT_TRUE(link_set_acks(peer.conn, LINK_ACKS_WITHHELD));
	before = saw.data[0];
	ask("segments %s count=2 size=50", theirs);
	we_get(&peer, 1, 2, 50);
	uint64_t end = soon();

	while (saw.data[0] < before + 4 && clock_now_ns() < end)
		CU_ASSERT_EQUAL_FATAL(
			peer_receive(&peer, clock_after_ms(20), &f),
			PEER_TIMEOUT);
	CU_ASSERT(saw.data[0] >= before + 4);
	CU_ASSERT_TRUE(link_set_acks(peer.conn, LINK_ACKS_AT_ONCE));
	/* Our packets are built again while they are held; all are sent. */
	before = saw.data[1];
	link_sctp_hold(peer.conn);
	we_send(&peer, 1, 3, 50);
	CU_ASSERT_EQUAL(peer_receive(&peer, clock_after_ms(1500), &f),
			PEER_TIMEOUT);
	link_sctp_release(peer.conn, false);
	CU_ASSERT(saw.data[1] > before + 3);
	end_session(&peer, 0, 3);
	guest_objects_to_nothing();
	tear_down();
}

/* RFC 5043 s10: unordered, and identified by their DDP-SSNs. */
static void what_overtakes_is_put_in_order(void)
{
	EITHER_WAY
	{
		set_up(we);
		open_session(&peer, 0, we);
		link_sctp_hold(peer.conn);
		/* One packet each. */
		we_send(&peer, 1, 3, 1200);
		link_sctp_release(peer.conn, true);
		ask("taken %s count=3", theirs);
		CU_ASSERT(told("overtaken") >= 2);
		end_session(&peer, 0, 3);
		guest_objects_to_nothing();
		tear_down();
	}
}

/* A control message may be overtaken by segments: the passive side's Accept. */
static void an_accept_is_overtaken(void)
{
	set_up(true);
	they_say(0, SESSION_INITIATE, 0);
	we_hear(&peer, 0, SESSION_INITIATE, 0);
	link_sctp_hold(peer.conn);
	we_say(&peer, SESSION_ACCEPT, 20);
	we_send(&peer, 1, 2, 1300);
	link_sctp_release(peer.conn, true);
	they_hear(0, SESSION_ACCEPT, 20, 0);
	ask("taken %s count=2", theirs);
	CU_ASSERT(told("overtaken") >= 1);
	guest_objects_to_nothing();
	tear_down();
}

/* With the acknowledgments of a kernel in its default settings. */
static void acknowledgments_are_delayed(void)
{
	EITHER_WAY
	{
		with.guest = "streams=10 sack=0";
		set_up(we);
		open_session(&peer, 0, we);
		we_send(&peer, 1, 101, 300);
		ask("segments %s count=101 size=300", theirs);
		we_get(&peer, 1, 101, 300);
		end_session(&peer, 0, 101);
		guest_objects_to_nothing();
		tear_down();
	}
}

/* Each side waits for a peer that does not read. */
static void a_window_closes_and_opens(void)
{
	EITHER_WAY
	{
		unsigned sent = 0;
		enum peer_status status;

		with.rcvbuf = 16384;
		with.guest = "rcvbuf=32768";
		set_up(we);
		open_session(&peer, 0, we);
		ask("segments %s count=100 size=1000", theirs);
		ask("status %s", theirs);
		we_get(&peer, 1, 100, 1000);
		ask("pause %s", theirs);
		do {
			CU_ASSERT_EQUAL_FATAL(
				put_send(&peer, ++sent, 1000, NULL), PEER_OK);
			status = peer_flush(&peer, NULL, 0, 0,
					    clock_after_ms(300));
		} while (status == PEER_OK && sent < 5000);
		CU_ASSERT_EQUAL(status, PEER_TIMEOUT);
		ask("resume %s", theirs);
		/* The chunk that found no room is not sent again. */
		ask("taken %s count=%u", theirs, sent - 1);
		guest_objects_to_nothing();
		tear_down();
	}
}

/* An end point that listens on all its addresses lists them in its INIT or INIT
 * ACK. */
static void several_addresses(void)
{
	struct link_conn *c = NULL;
	struct link_message m;
	const struct link_message first = {.ppid = SESSION_PPID_CONTROL};

	open_link();
	ask("listen address=%s port=%u", strchr(guest, ':') ? "::" : "0.0.0.0",
	    port);
	CU_ASSERT_EQUAL_FATAL(link_connect(l, guest, port, soon(), &c),
			      LINK_OK);
	ask("accept");
	CU_ASSERT_EQUAL(link_send_message(c, &first, "\0\0\0\1", 4, soon()),
			LINK_OK);
	ask("control association=1");
	ask("say association=1 function=2");
	CU_ASSERT_EQUAL_FATAL(link_recv_message(c, &m, soon()), 1);
	CU_ASSERT_EQUAL(m.ppid, SESSION_PPID_CONTROL);
	CU_ASSERT_EQUAL(m.n, 4);
	guest_objects_to_nothing();
	link_reset(c);
	link_close(c);
	close_link();
}

static void many_associations(void)
{
	enum { ASSOCIATIONS = 20 };
	struct link_conn *c[ASSOCIATIONS];
	struct link_message m;

	open_link();
	ask("listen address=%s port=%u", guest, port);
	for (unsigned i = 0; i < ASSOCIATIONS; i++) {
		CU_ASSERT_EQUAL_FATAL(
			link_connect(l, guest, port, soon(), &c[i]), LINK_OK);
		ask("accept");
	}
	for (unsigned i = 0; i < ASSOCIATIONS; i++)
		ask("say association=%u stream=%u function=1 octets=%u", i + 1,
		    i % STREAMS, i);
	for (unsigned i = ASSOCIATIONS; i-- > 0;) {
		CU_ASSERT_EQUAL_FATAL(link_recv_message(c[i], &m, soon()), 1);
		CU_ASSERT_EQUAL(m.stream, i % STREAMS);
		CU_ASSERT_EQUAL(m.n, SESSION_CONTROL_OCTETS + i);
	}
	for (unsigned i = 0; i < ASSOCIATIONS; i++) {
		CU_ASSERT_EQUAL(link_half_close(c[i]), LINK_OK);
		ask("end association=%u", i + 1);
		CU_ASSERT_STRING_EQUAL(reply, "OK shutdown");
		link_close(c[i]);
	}
	close_link();
}

static void a_faulty_chunk(const struct peer_chunk_faults *f, const char *text)
{
	struct peer_faults faults = peer_no_faults;

	set_up(true);
	open_session(&peer, 0, true);
	faults.chunk = *f;
	CU_ASSERT_EQUAL(put_send(&peer, 1, 5, &faults), PEER_OK);
	CU_ASSERT_EQUAL(put_send(&peer, 2, 5, NULL), PEER_OK);
	CU_ASSERT_EQUAL(peer_flush(&peer, NULL, 0, 0, soon()), PEER_OK);
	guest_objects(text);
	tear_down();
}

static void a_faulty_control(uint16_t function, size_t octets, const char *text)
{
	set_up(true);
	if (function != SESSION_INITIATE)
		open_session(&peer, 0, true);
	we_say(&peer, function, octets);
	guest_objects(text);
	tear_down();
}

/* The tool's approval means something: it objects to wrong messages. */
static void the_guest_objects(void)
{
	struct peer_chunk_faults f = peer_no_chunk_faults;

	f.ordered = true;
	a_faulty_chunk(&f, "ordered chunk");
	f = peer_no_chunk_faults;
	f.ppid = 18;
	a_faulty_chunk(&f, "payload protocol 18");
	f = peer_no_chunk_faults;
	f.ddp_ssn = 0;
	a_faulty_chunk(&f, "DDP-SSN 0, which was there before");
	f.ddp_ssn = 2;
	a_faulty_chunk(&f, "DDP-SSN 2, which was there before");
	a_faulty_control(SESSION_INITIATE, 513, "more than 512 octets");
	a_faulty_control(SESSION_TERMINATE, 1, "Terminate with private data");
	a_faulty_control(SESSION_ENHANCED_REJECT + 1, 0, "in no registry");
	a_faulty_control(SESSION_ACCEPT, 0, "an Accept of nothing");
	a_faulty_control(SESSION_ENHANCED_INITIATE, 0, "begins nothing");
}

static const struct unit_test tests[] = {
	{"the_association_is_one_of_ddp", the_association_is_one_of_ddp},
	{"stream_counts_are_agreed", stream_counts_are_agreed},
	{"indications_are_told", indications_are_told},
	{"nobody_listens", nobody_listens},
	{"a_session_is_accepted", a_session_is_accepted},
	{"a_session_is_ended_by_the_other", a_session_is_ended_by_the_other},
	{"a_session_is_rejected", a_session_is_rejected},
	{"enhanced_codes_pass", enhanced_codes_pass},
	{"a_stream_is_used_again", a_stream_is_used_again},
	{"streams_share_an_association", streams_share_an_association},
	{"thousands_both_ways", thousands_both_ways},
	{"segments_up_to_the_path_mtu", segments_up_to_the_path_mtu},
	{"larger_ones_are_put_together", larger_ones_are_put_together},
	{"an_association_is_shut_down", an_association_is_shut_down},
	{"an_association_is_aborted", an_association_is_aborted},
	{"what_is_lost_comes_again", what_is_lost_comes_again},
	{"what_comes_twice_is_taken_once", what_comes_twice_is_taken_once},
	{"what_overtakes_is_put_in_order", what_overtakes_is_put_in_order},
	{"an_accept_is_overtaken", an_accept_is_overtaken},
	{"acknowledgments_are_delayed", acknowledgments_are_delayed},
	{"a_window_closes_and_opens", a_window_closes_and_opens},
	{"several_addresses", several_addresses},
	{"many_associations", many_associations},
	{"the_guest_objects", the_guest_objects},
};

int main(int argc, char **argv)
{
	struct unit_test chosen[UNIT_COUNT(tests)];
	size_t n = 0;
	char name[64];

	if (argc < 5 || argc > 6) {
		fprintf(stderr, "usage: interop_tool OWN GUEST COMMANDS UDP "
				"[TEST]\n");
		return 2;
	}
	for (size_t i = 0; i < UNIT_COUNT(tests); i++)
		if (argc == 5 || strcmp(tests[i].name, argv[5]) == 0)
			chosen[n++] = tests[i];
	own = argv[1];
	guest = argv[2];
	commands_port = (uint16_t)strtoul(argv[3], NULL, 10);
	guest_udp = (uint16_t)strtoul(argv[4], NULL, 10);
	port = (uint16_t)(10000 + getpid() % 20000);
	by_default();
	snprintf(name, sizeof(name), "sctp-kernel, %s, IPv%d",
		 guest_udp ? "in UDP" : "over IP alone",
		 strchr(guest, ':') ? 6 : 4);
	return unit_run(name, chosen, n);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets of SCTP out of order, repeated, missing, forged: messages in order,
 * and the gaps. */
#include "suite/audit/sctp/associations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/crc/crc.h"
#include "harness/unit.h"
#include "harness/wire/sctp.h"

enum {
	IP4_HEADER = 20,
	UDP_HEADER = 8,
	TAG_OF_A = 0xaaaa0001u, /* in the packets that it receives */
	TAG_OF_B = 0xbbbb0001u,
	FIRST_OF_A = 1000,
	FIRST_OF_B = 0xffffffffu, /* its TSNs wrap */
	WHOLE = SCTP_DATA_B | SCTP_DATA_E | SCTP_DATA_U,
};

static struct associations *a;
static char seen[4096];
static uint64_t number;
static const struct association_flow *last;
static size_t most;
/* How the next packets are sent. */
static bool in_udp, is_damaged, other_address;
static size_t kept;

static void say(const char *text)
{
	size_t n = strlen(seen);

	snprintf(seen + n, sizeof(seen) - n, "%s%s", n ? " " : "", text);
}

static void begins(void *user, struct association_flow *f)
{
	(void)user;
	last = f;
}

static void message(void *user, struct association_flow *f, unsigned from,
		    bool received, const struct association_data *m,
		    const struct assembly_at *at)
{
	char text[128];

	(void)user;
	(void)f;
	(void)at;
	snprintf(text, sizeof(text), "%c%u:%.*s%s%s", from ? 'b' : 'a',
		 m->stream, (int)m->n, (const char *)m->octets,
		 m->ordered ? "(ordered)" : "", received ? "" : "?");
	most = m->most;
	for (unsigned i = 1; i < m->chunks && strlen(text) < 100; i++)
		strcat(text, "+");
	say(text);
	CU_ASSERT_EQUAL(m->ppid, 16);
}

static void gap(void *user, struct association_flow *f, unsigned from,
		const struct assembly_at *at)
{
	(void)user;
	(void)f;
	(void)at;
	say(from ? "gap-b" : "gap-a");
}

static void aborts(void *user, struct association_flow *f, unsigned from,
		   bool received, const struct assembly_at *at)
{
	(void)user;
	(void)f;
	(void)at;
	(void)received;
	say(from ? "abort-b" : "abort-a");
}

static void over(void *user, struct association_flow *f)
{
	(void)user;
	(void)f;
	say("over");
}

/* --- packets ------------------------------------------------------------------ */

struct chunks {
	uint8_t octets[1024];
	size_t n;
};

static void add(struct chunks *c, uint8_t type, uint8_t flags,
		const uint8_t *value, size_t n)
{
	const struct sctp_tlv t = {.type = type,
				   .flags = flags,
				   .length = (uint16_t)(SCTP_CHUNK_OCTETS + n),
				   .value = value,
				   .value_octets = n,
				   .pad = (const uint8_t *)"\0\0\0",
				   .pad_octets = -n & 3};

	c->n += sctp_chunk_encode(&t, c->octets + c->n,
				  sizeof(c->octets) - c->n);
}

static void put16(uint8_t *at, unsigned v)
{
	at[0] = (uint8_t)(v >> 8);
	at[1] = (uint8_t)v;
}

static enum associations_took send(bool b, uint32_t tag, const struct chunks *c)
{
	uint8_t packet[2048] = {0x45};
	const struct assembly_at at = {number + 1, number + 1};
	const struct sctp_packet head = {.source = b ? 20 : 10,
					 .destination = b ? 10 : 20,
					 .tag = tag,
					 .chunks = c->octets,
					 .chunk_octets = c->n};
	size_t skip = IP4_HEADER + (in_udp ? UDP_HEADER : 0);
	uint8_t *sctp = packet + skip;
	size_t n = sctp_packet_encode(&head, sctp, sizeof(packet) - skip);

	crc_put(sctp + 8, crc32c(sctp, n));
	sctp[8] ^= is_damaged;
	put16(packet + 2, (unsigned)(skip + n));
	packet[8] = 9;
	packet[9] = in_udp ? 17 : 132;
	packet[12] = packet[16] = 10;
	packet[15] = b ? 2 : other_address ? 3 : 1;
	packet[19] = b ? 1 : 2;
	if (in_udp) {
		put16(packet + IP4_HEADER, 9899);
		put16(packet + IP4_HEADER + 2, 9899);
		put16(packet + IP4_HEADER + 4, (unsigned)(UDP_HEADER + n));
	}

	uint32_t sum = 0;

	for (unsigned i = 0; i < IP4_HEADER; i += 2)
		sum += (uint32_t)(packet[i] << 8 | packet[i + 1]);
	sum = (sum & 0xffff) + (sum >> 16);
	put16(packet + 10, ~sum & 0xffff);
	number++;
	/* In a block of its exact size, so that a sanitizer detects reads past
	 * the end. */
	size_t captured = kept ? kept : skip + n;
	uint8_t *exact = malloc(captured);

	memcpy(exact, packet, captured);
	enum associations_took took =
		associations_packet(a, exact, captured, skip + n, &at);

	free(exact);
	return took;
}

static uint32_t tag_to(bool b)
{
	return b ? TAG_OF_B : TAG_OF_A;
}

static void send_init(bool b, uint32_t tag, uint32_t own, uint32_t tsn)
{
	static const uint8_t ddp[] = {0xc0, 0x06, 0, 8, 0, 0, 0, 1};
	const struct sctp_init i = {.tag = own,
				    .window = 1 << 20,
				    .outbound = 4,
				    .inbound = 4,
				    .tsn = tsn,
				    .parameters = ddp,
				    .parameter_octets = sizeof(ddp)};
	uint8_t value[64];
	struct chunks c = {.n = 0};

	add(&c, b ? SCTP_CHUNK_INIT_ACK : SCTP_CHUNK_INIT, 0, value,
	    sctp_init_encode(&i, value, sizeof(value)));
	CU_ASSERT_EQUAL(send(b, tag, &c), ASSOCIATIONS_TAKEN);
}

static void send_cookie(void)
{
	struct chunks c = {.n = 0};

	add(&c, SCTP_CHUNK_COOKIE_ECHO, 0, (const uint8_t *)"cake", 4);
	send(false, TAG_OF_B, &c);
}

static void data(bool b, uint32_t tsn, uint8_t flags, const char *text)
{
	const struct sctp_data d = {.tsn = tsn,
				    .stream = 3,
				    .ppid = 16,
				    .user = (const uint8_t *)text,
				    .user_octets = strlen(text)};
	uint8_t value[256];
	struct chunks c = {.n = 0};

	add(&c, SCTP_CHUNK_DATA, flags, value,
	    sctp_data_encode(&d, value, sizeof(value)));
	send(b, tag_to(!b), &c);
}

static void from_a(unsigned i, const char *text)
{
	data(false, FIRST_OF_A + i, WHOLE, text);
}

static void from_b(unsigned i, const char *text)
{
	data(true, FIRST_OF_B + i, WHOLE, text);
}

/* b acknowledges all of a's up to number i, or a of b's. */
static void sack(bool b, unsigned i)
{
	const struct sctp_sack s = {.cumulative =
					    (b ? FIRST_OF_A : FIRST_OF_B) + i,
				    .window = 1 << 20};
	uint8_t value[64];
	struct chunks c = {.n = 0};

	add(&c, SCTP_CHUNK_SACK, 0, value,
	    sctp_sack_encode(&s, value, sizeof(value)));
	send(b, tag_to(!b), &c);
}

static void send_abort(bool b, uint32_t tag, uint8_t flags)
{
	struct chunks c = {.n = 0};

	add(&c, SCTP_CHUNK_ABORT, flags, NULL, 0);
	send(b, tag, &c);
}

static void start(void)
{
	static const struct associations_events events = {begins, message, gap,
							  aborts, over};

	a = associations_new(&events, NULL);
	*seen = '\0';
	number = 0;
	in_udp = is_damaged = other_address = false;
	kept = 0;
}

static void open_up(void)
{
	start();
	send_init(false, 0, TAG_OF_A, FIRST_OF_A);
	send_init(true, TAG_OF_A, TAG_OF_B, FIRST_OF_B);
	send_cookie();
}

static void expect(const char *what)
{
	associations_free(a);
	a = NULL;
	CU_ASSERT_STRING_EQUAL(seen, what);
}

/* --- tests ------------------------------------------------------------------- */

static void messages_come_in_order(void)
{
	open_up();
	CU_ASSERT(last->opened && last->anchored[0] && last->anchored[1]);
	for (unsigned i = 0; i < 2; i++) {
		CU_ASSERT_EQUAL(last->setup[i].adaptation,
				SESSION_ADAPTATION_PRESENT);
		CU_ASSERT_EQUAL(last->setup[i].indication,
				SESSION_ADAPTATION_DDP);
	}
	CU_ASSERT_EQUAL(last->end[0].port, 10);
	CU_ASSERT_EQUAL(last->end[1].port, 20);
	from_a(0, "one");
	sack(true, 0);
	from_b(0, "two");
	from_b(1, "three");
	sack(false, 1);
	data(false, FIRST_OF_A + 1, WHOLE & ~SCTP_DATA_U, "four");
	expect("a3:one b3:two b3:three a3:four(ordered) over");
}

static void tsns_out_of_order_wait(void)
{
	open_up();
	from_a(2, "three");
	from_a(1, "two");
	from_a(1, "two");
	from_a(0, "one");
	from_a(0, "one");
	expect("a3:one a3:two a3:three over");
}

static void fragments_are_one_message(void)
{
	open_up();
	data(false, FIRST_OF_A, SCTP_DATA_B, "he");
	data(false, FIRST_OF_A + 2, SCTP_DATA_E, "o");
	data(false, FIRST_OF_A + 1, 0, "ll");
	from_a(3, "next");
	/* One without its first fragment is none. */
	data(false, FIRST_OF_A + 4, SCTP_DATA_E, "rest");
	/* No octets in any of them. */
	data(false, FIRST_OF_A + 5, SCTP_DATA_B, "");
	data(false, FIRST_OF_A + 6, SCTP_DATA_E, "");
	expect("a3:hello(ordered)++ a3:next gap-a a3:(ordered)+ over");
	open_up();
	data(false, FIRST_OF_A, SCTP_DATA_B, "long");
	data(false, FIRST_OF_A + 1, SCTP_DATA_E, "er");
	CU_ASSERT_EQUAL(most, 0);
	data(false, FIRST_OF_A + 2, WHOLE, "one");
	data(false, FIRST_OF_A + 3, WHOLE, "of");
	CU_ASSERT_EQUAL(most, 3);
	expect("a3:longer(ordered)+ a3:one a3:of over");
}

/* b has acknowledged a's chunk before it sent its own. */
static void an_effect_waits_for_its_cause(void)
{
	open_up();
	sack(true, 0);
	from_b(0, "answer");
	from_a(0, "question");
	expect("a3:question b3:answer over");
	/* It was not captured. */
	open_up();
	sack(true, 0);
	from_b(0, "answer");
	expect("gap-a b3:answer over");
}

/* A chunk that is captured late waits for nothing that its end has acknowledged
 * since. */
static void a_late_chunk_has_no_known_cause(void)
{
	open_up();
	sack(true, 0);
	from_b(0, "answer");
	sack(false, 0);
	from_a(1, "thanks");
	from_a(0, "question");
	expect("a3:question b3:answer a3:thanks over");
}

static void gaps_end_at_the_next_chunk(void)
{
	open_up();
	from_a(0, "one");
	from_a(3, "four");
	expect("a3:one gap-a a3:four over");
	/* What was acknowledged, and never captured. */
	open_up();
	from_a(0, "one");
	sack(true, 1);
	expect("a3:one gap-a over");
	/* Long before the end of the capture. */
	open_up();
	sack(true, 0);
	for (unsigned i = 1; i < 100; i++)
		from_a(i, "x");
	CU_ASSERT_EQUAL(strncmp(seen, "gap-a a3:x", 10), 0);
	associations_free(a);
}

static void what_an_end_had_received(void)
{
	open_up();
	from_a(0, "one");
	from_b(0, "early");
	sack(true, 0);
	from_b(1, "later");
	expect("a3:one b3:early? b3:later over");
}

static void aborts_come_last(void)
{
	open_up();
	from_b(0, "one");
	send_abort(false, TAG_OF_B, 0);
	from_b(1, "two");
	expect("b3:one abort-a over");
	/* Behind what its end has sent, although it was captured before that. */
	open_up();
	sack(true, 0);
	send_abort(false, TAG_OF_B, 0);
	from_a(0, "one");
	expect("a3:one abort-a over");
	/* The end that knows no association returns the tag. */
	open_up();
	send_abort(true, TAG_OF_B, 1);
	expect("abort-b over");
}

static void strangers_do_not_count(void)
{
	/* It ends an association of its own. */
	open_up();
	send_abort(false, TAG_OF_B + 1, 0);
	CU_ASSERT_STRING_EQUAL(seen, "abort-a over");
	is_damaged = true;
	send_abort(false, TAG_OF_B, 0);
	is_damaged = false;
	from_a(0, "one");
	expect("abort-a over a3:one over");
}

static void another_address_is_the_same_end(void)
{
	open_up();
	from_a(0, "one");
	other_address = true;
	from_a(1, "two");
	expect("a3:one a3:two over");
}

static void sctp_in_datagrams(void)
{
	start();
	in_udp = true;
	send_init(false, 0, TAG_OF_A, FIRST_OF_A);
	send_init(true, TAG_OF_A, TAG_OF_B, FIRST_OF_B);
	send_cookie();
	from_a(0, "one");
	expect("a3:one over");

	/* Other datagrams are nobody's. */
	struct chunks c = {.n = 0};

	start();
	in_udp = is_damaged = true;
	add(&c, SCTP_CHUNK_ABORT, 0, NULL, 0);
	CU_ASSERT_EQUAL(send(false, TAG_OF_B, &c), ASSOCIATIONS_FOREIGN);
	in_udp = false;
	CU_ASSERT_EQUAL(send(false, TAG_OF_B, &c), ASSOCIATIONS_DAMAGED);
	is_damaged = false;
	kept = IP4_HEADER + 4;
	CU_ASSERT_EQUAL(send(false, TAG_OF_B, &c), ASSOCIATIONS_DAMAGED);
	expect("");
}

static void starts_that_were_not_captured(void)
{
	start();
	from_a(5, "one");
	CU_ASSERT(!last->opened && !last->anchored[0] && !last->anchored[1]);
	from_b(7, "two");
	sack(true, 5);
	from_a(6, "three");
	expect("a3:one b3:two? a3:three? over");
	/* The INIT ACK before the INIT. */
	start();
	send_init(true, TAG_OF_A, TAG_OF_B, FIRST_OF_B);
	send_init(false, 0, TAG_OF_A, FIRST_OF_A);
	send_cookie();
	CU_ASSERT(last->opened && last->anchored[0] && last->anchored[1]);
	from_a(0, "one");
	expect("a3:one over");
	/* Messages before the INIT: the first one is not known. */
	start();
	from_a(1, "two");
	send_init(false, 0, TAG_OF_A, FIRST_OF_A);
	send_init(true, TAG_OF_A, TAG_OF_B, FIRST_OF_B);
	send_cookie();
	CU_ASSERT(last->opened && !last->anchored[0] && !last->anchored[1]);
	associations_free(a);
}

static void more_than_are_followed(void)
{
	start();
	for (uint32_t i = 0; i < ASSOCIATIONS_MOST; i++)
		send_init(false, 0, TAG_OF_A + i, FIRST_OF_A);
	CU_ASSERT_EQUAL(associations_evicted(a), 0);
	CU_ASSERT_STRING_EQUAL(seen, "");
	send_init(false, 0, TAG_OF_A + ASSOCIATIONS_MOST, FIRST_OF_A);
	CU_ASSERT_EQUAL(associations_evicted(a), 1);
	CU_ASSERT_STRING_EQUAL(seen, "over");
	associations_free(a);
}

/* Of several INIT ACKs, the one counts whose tag the other end uses. */
static void an_init_ack_is_chosen(void)
{
	start();
	send_init(false, 0, TAG_OF_A, FIRST_OF_A);
	send_init(true, TAG_OF_A, TAG_OF_B, FIRST_OF_B);
	send_init(false, 0, TAG_OF_A, FIRST_OF_A);
	send_init(true, TAG_OF_A, TAG_OF_B + 7, FIRST_OF_B + 50);
	send_cookie();
	from_b(0, "one");
	expect("b3:one over");
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"order", messages_come_in_order},
		{"out of order", tsns_out_of_order_wait},
		{"fragments", fragments_are_one_message},
		{"cause and effect", an_effect_waits_for_its_cause},
		{"late chunks", a_late_chunk_has_no_known_cause},
		{"gaps", gaps_end_at_the_next_chunk},
		{"received", what_an_end_had_received},
		{"aborts", aborts_come_last},
		{"strangers", strangers_do_not_count},
		{"addresses", another_address_is_the_same_end},
		{"datagrams", sctp_in_datagrams},
		{"no start", starts_that_were_not_captured},
		{"INIT ACKs", an_init_ack_is_chosen},
		{"more than are followed", more_than_are_followed},
	};
	const char *why;

	if (crc_init(&why))
		return 2;
	return unit_run("associations", tests, UNIT_COUNT(tests));
}

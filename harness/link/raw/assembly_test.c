/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets out of order, duplicated, missing: octets in order, and the gaps. */
#include "harness/link/raw/assembly.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/link/raw/packet.h"
#include "harness/unit.h"

static struct assembly *a;
static char seen[4096];
static uint64_t number;

static void say(const char *what, unsigned from, const char *more)
{
	size_t n = strlen(seen);

	snprintf(seen + n, sizeof(seen) - n, "%s%s%c%s", n ? " " : "", what,
		 from ? 'b' : 'a', more);
}

static void begins(void *user, struct assembly_flow *f)
{
	(void)user;
	(void)f;
}

static void octets(void *user, struct assembly_flow *f, unsigned from,
		   const uint8_t *octets, size_t n,
		   const struct assembly_at *at)
{
	char text[128];

	(void)user;
	(void)f;
	(void)at;
	snprintf(text, sizeof(text), ":%.*s", (int)n, (const char *)octets);
	say("", from, text);
}

static void gap(void *user, struct assembly_flow *f, unsigned from, uint64_t n,
		const struct assembly_at *at)
{
	char text[32];

	(void)user;
	(void)f;
	(void)at;
	snprintf(text, sizeof(text), ":%u", (unsigned)n);
	say("gap-", from, text);
}

static void changed(void *user, struct assembly_flow *f, unsigned from,
		    const struct assembly_at *at)
{
	(void)user;
	(void)f;
	(void)at;
	say("changed-", from, "");
}

static void ends(void *user, struct assembly_flow *f, unsigned from, bool reset,
		 bool acked, const struct assembly_at *at)
{
	(void)user;
	(void)f;
	(void)at;
	say(reset ? "rst-" : "fin-", from, acked ? "" : "?");
}

static void over(void *user, struct assembly_flow *f, bool evicted)
{
	(void)user;
	(void)f;
	say(evicted ? "evicted" : "over", 0, "");
	seen[strlen(seen) - 1] = '\0';
}

static void send_as(uint16_t port, bool b, uint32_t seq, uint32_t ack,
		    uint8_t flags, const char *text, size_t kept)
{
	uint8_t frame[2048];
	struct packet_path path = {.mac_to = {2}, .mac_from = {2}};
	const struct assembly_at at = {number + 1, number + 1};
	const struct segment s = {.seq = seq,
				  .ack = ack,
				  .flags = flags,
				  .octets = (const uint8_t *)text,
				  .n = strlen(text)};

	number++;
	link_end_parse(b ? &path.to : &path.from, "10.77.0.3", port);
	link_end_parse(b ? &path.from : &path.to, "10.77.0.2", 2000);
	size_t n = packet_tcp(frame, sizeof(frame), &path, &s) -
		   PACKET_ETHER_OCTETS;
	/* In a block of its exact size, so that a sanitizer detects reads past
	 * the end. */
	size_t captured = kept ? kept : n;
	uint8_t *exact = malloc(captured);

	memcpy(exact, frame + PACKET_ETHER_OCTETS, captured);
	CU_ASSERT(assembly_packet(a, exact, captured, n, &at));
	free(exact);
}

static void from_a(uint32_t seq, uint32_t ack, const char *text)
{
	send_as(1000, false, seq, ack, SEGMENT_ACK, text, 0);
}

static void from_b(uint32_t seq, uint32_t ack, const char *text)
{
	send_as(1000, true, seq, ack, SEGMENT_ACK, text, 0);
}

static void start(void)
{
	static const struct assembly_events events = {begins,  octets, gap,
						      changed, ends,   over};

	a = assembly_new(&events, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(a);
	seen[0] = '\0';
}

static void opens(uint32_t x, uint32_t y)
{
	send_as(1000, false, x - 1, 0, SEGMENT_SYN, "", 0);
	send_as(1000, true, y - 1, x, SEGMENT_SYN | SEGMENT_ACK, "", 0);
}

static void comes_to(const char *due)
{
	assembly_free(a);
	if (strcmp(seen, due) != 0)
		fprintf(stderr, "seen: %s\ndue:  %s\n", seen, due);
	CU_ASSERT_STRING_EQUAL(seen, due);
}

static void in_order(void)
{
	start();
	opens(0xfffffffe, 500);
	from_a(0xfffffffe, 500, "abc"); /* the number wraps in it */
	from_b(500, 1, "xyz");
	from_a(4, 503, "gh");
	from_a(1, 503, "def");
	from_a(1, 503, "def");
	comes_to("a:abc b:xyz a:def a:gh over");
}

/* It cannot have been sent before the octets that it acknowledges. */
static void an_answer_before_its_question(void)
{
	start();
	opens(1, 1);
	from_b(1, 4, "yes");
	from_a(1, 1, "ask");
	comes_to("a:ask b:yes over");
}

/* The question was not captured. */
static void an_answer_without_its_question(void)
{
	start();
	opens(1, 1);
	from_b(1, 4, "yes");
	from_a(4, 4, "more");
	comes_to("gap-a:3 b:yes a:more over");
}

static void a_gap(void)
{
	start();
	opens(1, 1);
	from_a(1, 1, "abc");
	from_a(7, 1, "ghi");
	comes_to("a:abc gap-a:3 a:ghi over");
}

static void octets_that_were_cut(void)
{
	start();
	opens(1, 1);
	send_as(1000, false, 1, 1, SEGMENT_ACK, "abcdef", 43);
	from_a(7, 1, "ghi");
	comes_to("a:abc gap-a:3 a:ghi over");
}

static void other_octets_the_second_time(void)
{
	start();
	opens(1, 1);
	from_a(1, 1, "abc");
	from_a(4, 1, "def");
	from_a(1, 1, "abcdef");
	from_a(1, 1, "abcdex");
	comes_to("a:abc a:def changed-a over");
}

static void ends_in_order(void)
{
	start();
	opens(1, 1);
	send_as(1000, true, 4, 4, SEGMENT_FIN | SEGMENT_ACK, "", 0);
	from_b(1, 4, "yes");
	from_a(1, 1, "ask");
	from_a(4, 5, "");
	send_as(1000, false, 4, 5, SEGMENT_FIN | SEGMENT_ACK, "", 0);
	comes_to("a:ask b:yes fin-b fin-a over");
}

static void a_reset(void)
{
	start();
	opens(1, 1);
	from_a(1, 1, "abc");
	send_as(1000, true, 1, 3, SEGMENT_RST | SEGMENT_ACK, "", 0);
	from_a(4, 1, "def");
	comes_to("a:abc rst-b? over");
}

/* The same ends, and another number: another connection. */
static void one_behind_another(void)
{
	start();
	opens(1, 1);
	from_a(1, 1, "one");
	opens(70001, 9);
	from_a(70001, 9, "two");
	comes_to("a:one over a:two over");
}

static void more_than_are_followed(void)
{
	start();
	for (unsigned i = 0; i <= ASSEMBLY_FLOWS; i++)
		send_as((uint16_t)(10000 + i), false, 0, 0, SEGMENT_SYN, "", 0);
	CU_ASSERT_EQUAL(assembly_counts(a)->evicted, 1);
	CU_ASSERT_EQUAL(strncmp(seen, "evicted", 7), 0);
	assembly_free(a);
}

/* Octets that wait for others that never arrive are limited. */
static void waits_no_longer(void)
{
	start();
	opens(1, 1);
	for (uint32_t i = 0; i < 5000; i++)
		from_a(10 + i, 1, "x");
	CU_ASSERT_EQUAL(strncmp(seen, "gap-a:9", 7), 0);
	assembly_free(a);
}

static void noise(void)
{
	const struct assembly_at at = {1, 1};
	uint64_t state = 1;
	uint8_t octets[96];

	start();
	for (unsigned i = 0; i < 20000; i++) {
		for (size_t k = 0; k < sizeof(octets); k++) {
			state = state * 6364136223846793005u + 1;
			octets[k] = (uint8_t)(state >> 33);
		}
		octets[0] = i & 1 ? 0x45 : 0x60;
		octets[i & 1 ? 9 : 6] = 6;
		CU_ASSERT(assembly_packet(a, octets, i % sizeof(octets),
					  i % 3 ? i % sizeof(octets) : 4096,
					  &at));
	}
	assembly_free(a);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"in order", in_order},
		{"an answer before its question",
		 an_answer_before_its_question},
		{"an answer without its question",
		 an_answer_without_its_question},
		{"a gap", a_gap},
		{"octets that were cut", octets_that_were_cut},
		{"other octets the second time", other_octets_the_second_time},
		{"ends in order", ends_in_order},
		{"a reset", a_reset},
		{"one behind another", one_behind_another},
		{"more than are followed", more_than_are_followed},
		{"waits no longer", waits_no_longer},
		{"noise", noise},
	};

	return unit_run("assembly", tests, UNIT_COUNT(tests));
}

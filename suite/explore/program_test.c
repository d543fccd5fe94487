/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs: within their ranges, as text and back, and made smaller. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/unit.h"
#include "suite/explore/generate.h"
#include "suite/explore/shrink.h"
#include "suite/language/case.h"

static struct program made, back, other;

static void how(struct generate_options *o, uint64_t seed)
{
	generate_defaults(o);
	o->seed = seed;
	o->device = (struct explore_device){
		.claims = ~0ull,
		.max_ird = 64,
		.max_ord = 64,
		.max_private = 512,
		.max_regions = 8,
		.max_region_len = 1 << 20,
		.max_message = 1 << 20,
	};
}

static bool is_same(const struct program *a, const struct program *b)
{
	return a->streams == b->streams && a->regions == b->regions &&
	       a->steps == b->steps &&
	       memcmp(a->stream, b->stream, sizeof(a->stream)) == 0 &&
	       memcmp(a->region, b->region, sizeof(a->region)) == 0 &&
	       memcmp(a->step, b->step, a->steps * sizeof(a->step[0])) == 0;
}

/* Of n octets. */
static bool read_back(const char *text, size_t n, char why[256])
{
	return program_read(&back, "p", text, n, why, 256);
}

static void text_and_back(void)
{
	struct generate_options o;
	char why[256], *text;
	size_t n;

	how(&o, 1);
	for (unsigned i = 0; i < 1000; i++) {
		FILE *out = open_memstream(&text, &n);

		generate(&o, i, &made);
		CU_ASSERT_TRUE(program_write(&made, out));
		fclose(out);
		CU_ASSERT_TRUE(read_back(text, n, why));
		CU_ASSERT_TRUE(is_same(&made, &back));
		free(text);
	}
}

static void the_same_from_the_same_seed(void)
{
	struct generate_options o;
	unsigned differ = 0;

	how(&o, 7);
	for (unsigned i = 0; i < 100; i++) {
		generate(&o, i, &made);
		generate(&o, i, &other);
		CU_ASSERT_TRUE(is_same(&made, &other));
		o.seed = 8;
		generate(&o, i, &other);
		o.seed = 7;
		differ += !is_same(&made, &other);
	}
	CU_ASSERT_EQUAL(differ, 100);
}

/* A receive buffer in a region is within that, which is its stream's and may be
 * written to; and only a message that is too long is longer than it. */
static void has_room_for_buffer(const struct step *s)
{
	if (s->op == PEER_SENDS)
		CU_ASSERT_EQUAL(step_buffer(s) < s->n[STEP_LEN],
				s->n[STEP_FAULT] == FAULT_TOO_LONG);
	if (!s->n[STEP_INTO])
		return;
	const uint64_t *r = made.region[s->n[STEP_INTO] - 1];

	CU_ASSERT_TRUE(s->op == PEER_SENDS || s->op == PEER_IMMEDIATE);
	CU_ASSERT_TRUE(step_region(s) < made.regions);
	CU_ASSERT_TRUE(s->n[STEP_INV] != s->n[STEP_INTO]);
	CU_ASSERT_EQUAL(r[REGION_STREAM], s->n[STEP_STREAM]);
	CU_ASSERT_TRUE(r[REGION_ACCESS] & LOCAL_WRITE);
	CU_ASSERT_TRUE(s->n[STEP_OFF] + step_buffer(s) <= r[REGION_LEN]);
}

/* Whatever a program contains, its valid part is a program. */
static void noise_is_made_to_fit(void)
{
	uint64_t state = 1;

	for (unsigned i = 0; i < 2000; i++) {
		made.streams = (unsigned)(dimension_random(&state) %
					  (PROGRAM_STREAMS + 1));
		made.regions = (unsigned)(dimension_random(&state) %
					  (PROGRAM_REGIONS + 1));
		made.steps = 50;
		for (unsigned k = 0; k < PROGRAM_STREAMS; k++)
			for (unsigned n = 0; n < STREAM_NUMBERS; n++)
				made.stream[k][n] =
					dimension_random(&state) >> i % 64;
		for (unsigned k = 0; k < PROGRAM_REGIONS; k++)
			for (unsigned n = 0; n < REGION_NUMBERS; n++)
				made.region[k][n] =
					dimension_random(&state) >> i % 64;
		for (unsigned k = 0; k < made.steps; k++) {
			made.step[k].op = (enum step_op)(
				dimension_random(&state) % STEP_OPS);
			for (unsigned n = 0; n < STEP_NUMBERS; n++)
				made.step[k].n[n] = dimension_random(&state) >>
						    (i + k) % 64;
		}
		program_fit(&made);
		for (unsigned k = 0; k < made.steps; k++) {
			const struct step *s = &made.step[k];
			const uint64_t *r = made.region[s->n[STEP_REGION]];
			unsigned access = step_access(s->op);

			CU_ASSERT_TRUE(s->n[STEP_STREAM] < made.streams);
			has_room_for_buffer(s);
			if (!step_has(s->op, STEP_REGION) || s->n[STEP_SHARED])
				continue;
			CU_ASSERT_TRUE(s->n[STEP_REGION] < made.regions);
			CU_ASSERT_EQUAL(r[REGION_ACCESS] & access, access);
			CU_ASSERT_TRUE(s->n[STEP_OFF] + s->n[STEP_LEN] <=
				       r[REGION_LEN]);
			if (s->op == PEER_ADDS)
				CU_ASSERT_EQUAL(
					(s->n[STEP_OFF] + r[REGION_SKEW]) % 8,
					0);
		}
		memcpy(&other, &made, sizeof(made));
		program_fit(&other);
		CU_ASSERT_TRUE(is_same(&made, &other));
	}
}

/* The drawn values reach the ends of regions and of buffers, and an octet more
 * or less. */
static void ends_are_met(void)
{
	struct generate_options o;
	unsigned to_end = 0, before = 0, at_end = 0, exact = 0, less = 0,
		 too_long = 0, into = 0;

	how(&o, 11);
	for (unsigned i = 0; i < 600; i++) {
		generate(&o, i, &made);
		for (unsigned k = 0; k < made.steps; k++) {
			const struct step *s = &made.step[k];
			unsigned r = step_region(s);

			has_room_for_buffer(s);
			if (s->op == PEER_SENDS) {
				exact += step_buffer(s) == s->n[STEP_LEN];
				less += step_buffer(s) == s->n[STEP_LEN] + 1;
				too_long +=
					step_buffer(s) + 1 == s->n[STEP_LEN];
				into += s->n[STEP_INTO] != 0;
			}
			if (r == PROGRAM_REGIONS || s->n[STEP_INTO])
				continue;
			uint64_t to = s->n[STEP_OFF] + step_span(s);

			to_end += to == made.region[r][REGION_LEN];
			before += to + 1 == made.region[r][REGION_LEN];
			at_end += s->n[STEP_OFF] == made.region[r][REGION_LEN];
		}
	}
	CU_ASSERT_TRUE(to_end > 100 && before > 100 && at_end > 100);
	CU_ASSERT_TRUE(exact > 100 && less > 10 && too_long > 1 && into > 100);
}

static void what_is_avoided_does_not_come(void)
{
	struct generate_options o;
	unsigned writes = 0;

	how(&o, 3);
	o.avoids = 2;
	o.avoided[0] =
		(struct avoided){.op = PEER_ADDS, .numbers = 1u << STEP_A_MASK};
	o.avoided[1] = (struct avoided){.op = PEER_READS};
	for (unsigned i = 0; i < 200; i++) {
		generate(&o, i, &made);
		for (unsigned k = 0; k < made.steps; k++) {
			const struct step *s = &made.step[k];

			CU_ASSERT_FALSE(s->op == PEER_READS);
			CU_ASSERT_FALSE(s->op == PEER_ADDS &&
					s->n[STEP_A_MASK]);
			writes += s->op == PEER_WRITES;
		}
	}
	CU_ASSERT_TRUE(writes > 100);
}

/* Of streams as well; and as a line, which is read back. */
static void what_is_avoided_is_a_line(void)
{
	static const char *const lines[] = {"peer-reads fault=sink-wrap",
					    "stream initiator private-data=1",
					    "stream fault=noise",
					    "peer-sends len=0",
					    "settle",
					    "peer-writes len=0 segment=1 hold"};
	struct generate_options o;
	char text[AVOIDED_TEXT], why[256];

	how(&o, 9);
	o.avoids = UNIT_COUNT(lines);
	for (size_t i = 0; i < UNIT_COUNT(lines); i++) {
		CU_ASSERT_TRUE(avoided_read(lines[i], &o.avoided[i], why,
					    sizeof(why)));
		avoided_write(&o.avoided[i], text);
		CU_ASSERT_STRING_EQUAL(text, lines[i]);
	}
	for (unsigned i = 0; i < 500; i++) {
		generate(&o, i, &made);
		for (unsigned k = 0; k < made.streams; k++) {
			const uint64_t *s = made.stream[k];

			CU_ASSERT_FALSE(s[STREAM_FAULT] == STARTUP_NOISE);
			CU_ASSERT_FALSE(s[STREAM_INITIATES] &&
					s[STREAM_PRIVATE]);
		}
		for (unsigned k = 0; k < made.steps; k++)
			CU_ASSERT_FALSE(made.step[k].op == SETTLE);
	}
	CU_ASSERT_FALSE(
		avoided_read("region len=1", o.avoided, why, sizeof(why)));
	CU_ASSERT_FALSE(
		avoided_read("peer-reads wrap", o.avoided, why, sizeof(why)));
}

/* A Write of 100 octets or more, and a Read of the device some time later. */
static bool has_both(void *user, const struct program *p)
{
	bool written = false;

	++*(unsigned *)user;
	for (unsigned i = 0; i < p->steps; i++) {
		const struct step *s = &p->step[i];

		written |= s->op == PEER_WRITES && s->n[STEP_LEN] >= 100;
		if (written && s->op == DUT_READS)
			return true;
	}
	return false;
}

static void the_shortest_is_found(void)
{
	struct generate_options o;
	unsigned asked = 0, tried = 0;

	how(&o, 5);
	for (unsigned i = 600; tried < 20; i++) {
		generate(&o, i, &made);
		if (!has_both(&asked, &made))
			continue;
		tried++;
		shrink(&made, has_both, &asked, 2000);
		CU_ASSERT_EQUAL(made.steps, 2);
		CU_ASSERT_EQUAL(made.streams, 1);
		CU_ASSERT_EQUAL(made.step[0].n[STEP_LEN], 100);
		CU_ASSERT_EQUAL(made.step[0].n[STEP_OFF], 0);
		CU_ASSERT_EQUAL(made.step[1].n[STEP_LEN], 0);
	}
	/* No more often than it was allowed to. */
	asked = 0;
	do
		generate(&o, (uint64_t)600 + asked, &made);
	while (!has_both(&asked, &made));
	asked = 0;
	CU_ASSERT_EQUAL(shrink(&made, has_both, &asked, 10), 10);
	CU_ASSERT_EQUAL(asked, 10);
}

static void what_is_no_program_is_refused(void)
{
	static const struct {
		const char *text, *what;
	} wrong[] = {
		{"", "p:1: it is empty"},
		{"hello\n", "p:1: not a program"},
		{"warpspec program 1\nfoo\n", "p:2: 'foo': not a stream"},
		{"warpspec program 1\nstream ird\n", "p:2: ird: its value"},
		{"warpspec program 1\nstream ird=x\n", "p:2: ird: its value"},
		{"warpspec program 1\nstream ird=-1\n", "p:2: ird: its value"},
		{"warpspec program 1\nstream enhanced=1\n",
		 "p:2: enhanced: it takes no value"},
		{"warpspec program 1\nstream nothing\n",
		 "p:2: there is no 'nothing' here"},
		{"warpspec program 1\nregion access=all\n",
		 "p:2: access: its value"},
		{"warpspec program 1\nstream\npeer-writes fault=none-such\n",
		 "p:3: fault: its value"},
		{"warpspec program 1\nstream\nstream\nstream\nstream\nstream\n",
		 "p:6: 'stream': not a stream"},
		{"warpspec program 1\nstream ird=99999999999999999999\n",
		 "p:2: ird: its value"},
	};
	char why[256];

	for (size_t i = 0; i < UNIT_COUNT(wrong); i++) {
		CU_ASSERT_FALSE(
			read_back(wrong[i].text, strlen(wrong[i].text), why));
		CU_ASSERT_NSTRING_EQUAL(why, wrong[i].what,
					strlen(wrong[i].what));
	}
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"text and back", text_and_back},
		{"the same from the same seed", the_same_from_the_same_seed},
		{"noise is made to fit", noise_is_made_to_fit},
		{"ends are met", ends_are_met},
		{"what is avoided does not come",
		 what_is_avoided_does_not_come},
		{"what is avoided is a line", what_is_avoided_is_a_line},
		{"the shortest is found", the_shortest_is_found},
		{"what is no program is refused",
		 what_is_no_program_is_refused},
	};

	return unit_run("program", tests, UNIT_COUNT(tests));
}

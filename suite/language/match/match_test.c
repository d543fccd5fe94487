/* SPDX-License-Identifier: BSD-2-Clause */
/* What the matchers say, on the built-in device: of a fact that does not hold,
 * which part failed and what came; of a set, how many outcomes it has. */
#include <stdio.h>
#include <string.h>

#include "harness/crc/crc.h"
#include "harness/unit.h"
#include "suite/device/builtin.h"
#include "suite/device/links.h"
#include "suite/language/execution/execution.h"

static struct device device;
static struct testbed bed;

#define RESPONSE_AT_LAST "the last from the device: RDMA Read Response, STag 0x"

/* --- cases ---------------------------------------------------------------- */

static void a_fact(struct test *t, const void *row)
{
	(void)row;
	connects(t);
	case_must(t, RDMAP_5_2_1_16, holds("a fact", false));
}

static void a_fact_before_the_stream(struct test *t, const void *row)
{
	(void)row;
	case_must(t, RDMAP_5_2_1_16, holds("a fact", false));
}

static void a_fact_with_parts(struct test *t, const void *row)
{
	(void)row;
	connects(t);
	case_must(t, RDMAP_5_2_1_16,
		  holds_else(t, "a and b", false, "no b, but %u", 7u));
}

static const struct frame *an_answer(struct test *t)
{
	connects(t);
	peer_sends(t, READ_FROM(0, 0, 0));
	return next_frame(t);
}

static void a_fact_of_a_frame(struct test *t, const void *row)
{
	case_must(t, RDMAP_5_2_1_16,
		  holds_of(an_answer(t), "a Send", false, row));
}

static void a_fact_of_no_frame(struct test *t, const void *row)
{
	(void)row;
	connects(t);
	case_must(t, RDMAP_5_2_1_16,
		  holds_of(NULL, "a Send", false, "it is none"));
}

static void a_set_of_facts(struct test *t, const void *row)
{
	(void)row;
	connects(t);
	case_must(t, RDMAP_5_2_1_16,
		  any_of(t, holds_else(t, "a", false, "not a"),
			 is("code", 1, 2), holds("c", false)));
}

static void a_set_that_ends_with_a_value(struct test *t, const void *row)
{
	(void)row;
	connects(t);
	case_must(t, RDMAP_5_2_1_16,
		  any_of(t, holds("a", false), is("code", 1, 2)));
}

static void one_outcome(struct test *t, const void *row)
{
	(void)row;
	case_may(t, DDP_4_2_06, any_of(t, is("code", 2, 2)));
}

static void two_outcomes(struct test *t, const void *row)
{
	(void)row;
	case_may(t, DDP_4_2_06, any_of(t, is("code", 1, 2), is("code", 2, 2)));
}

static void neither_outcome(struct test *t, const void *row)
{
	(void)row;
	connects(t);
	case_may(t, DDP_4_2_06,
		 any_of(t, holds("a", false), holds("b", false)));
}

static void an_unused_permission(struct test *t, const void *row)
{
	(void)row;
	case_may(t, DDP_4_2_06, holds("a", false));
}

static void the_same_twice(struct test *t, const void *row)
{
	one_outcome(t, row);
	one_outcome(t, row);
}

/* --- what they say ---------------------------------------------------------- */

static const struct {
	void (*run)(struct test *t, const void *row);
	const char *row;
	const char *says[3], *not ;
} rows[] = {
	{a_fact, NULL, {"due:  a fact\n  seen: " RESPONSE_AT_LAST}, NULL},
	{a_fact_before_the_stream,
	 NULL,
	 {"seen: the last from the device: nothing\n"},
	 NULL},
	{a_fact_with_parts,
	 NULL,
	 {"due:  a and b\n", "seen: no b, but 7; " RESPONSE_AT_LAST},
	 NULL},
	{a_fact_of_a_frame,
	 "not a Send",
	 {"due:  a Send\n", "seen: RDMA Read Response, STag", "]: not a Send"},
	 "the last from"},
	{a_fact_of_a_frame, NULL, {"seen: RDMA Read Response", "]\n"}, "]:"},
	{a_fact_of_no_frame,
	 NULL,
	 {"seen: no message came; " RESPONSE_AT_LAST},
	 "it is none"},
	{a_set_of_facts,
	 NULL,
	 {"due:  a, or code: 2, or c\n", "seen: " RESPONSE_AT_LAST},
	 "not a;"},
	{a_set_that_ends_with_a_value,
	 NULL,
	 {"due:  a, or code: 2\n", "seen: 1\n"},
	 "the last from"},
	{one_outcome, NULL, {"it did: code: 2 (seen: 2)\n"}, "one of"},
	{two_outcomes,
	 NULL,
	 {"it did: code: 2 (one of 2 outcomes allowed) (seen: 2)\n"},
	 NULL},
	{neither_outcome,
	 NULL,
	 {"it did not: a, or b (seen: " RESPONSE_AT_LAST},
	 NULL},
	{an_unused_permission, NULL, {"it did not: a\n"}, "seen"},
	{the_same_twice, NULL, {"it did: code: 2 (seen: 2)\n"}, "2)\nDDP"},
};

static bool right[UNIT_COUNT(rows)];

/* A case is a CUnit test itself, so none can run inside one. */
static bool says_so(size_t i)
{
	const struct case_desc desc = {
		.file = __FILE__, .name = "match", .run = rows[i].run};
	const struct instance in = {.id = "match",
				    .title = "match",
				    .desc = &desc,
				    .row = rows[i].row,
				    .role = RESPONDER,
				    .level = ""};
	struct result result;
	enum error_cause cause;

	testbed_run(&bed, &in, &result, &cause);
	bool ok = !strstr(result.detail, "not the case") &&
		  (!rows[i].not || !strstr(result.detail, rows[i].not ));

	for (size_t k = 0; k < UNIT_COUNT(rows[i].says); k++)
		ok &= !rows[i].says[k] ||
		      strstr(result.detail, rows[i].says[k]);
	if (!ok)
		printf("row %zu: %s: %s\n%s\n", i, verdict_name(result.verdict),
		       result.reason, result.detail);
	return ok;
}

static void texts_say_what_failed(void)
{
	for (size_t i = 0; i < UNIT_COUNT(rows); i++)
		CU_ASSERT_TRUE(right[i]);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"texts say what failed", texts_say_what_failed},
	};
	const struct builtin b = {.spec = "rfc7306"};
	const char *crc = "";
	char why[256] = "";
	bool usage;

	device_init(&device);
	if (crc_init(&crc) < 0 ||
	    !builtin_start(&b, &device, &usage, why, sizeof(why)) ||
	    !testbed_open(&bed, &device, link_socket_open(), MODEL_RFC7306, 1,
			  why, sizeof(why)) ||
	    !testbed_reach_agent(&bed, why, sizeof(why))) {
		fprintf(stderr, "match_test: %s%s\n", crc, why);
		return 1;
	}
	for (size_t i = 0; i < UNIT_COUNT(rows); i++)
		right[i] = says_so(i);
	int status = unit_run("match", tests, UNIT_COUNT(tests));

	testbed_close(&bed);
	builtin_stop();
	return status;
}

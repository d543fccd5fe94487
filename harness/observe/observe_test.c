/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/observe/observe.h"

#include <string.h>

#include "harness/unit.h"

static void events_keep_their_order(void)
{
	struct observe *o = observe_new();

	CU_ASSERT_PTR_NOT_NULL_FATAL(o);
	CU_ASSERT_PTR_NULL(observe_first(o));
	for (unsigned i = 0; i < 1000; i++)
		CU_ASSERT_PTR_NOT_NULL(observe_event(
			o, OBSERVE_OCTETS_SEEN, i % 3,
			observe_copy(o, &(uint8_t){(uint8_t)i}, 1), 1));
	unsigned n = 0;

	for (const struct event *e = observe_first(o); e; e = e->next, n++) {
		CU_ASSERT_EQUAL(e->stream, n % 3);
		CU_ASSERT_EQUAL(e->octets[0], (uint8_t)n);
		CU_ASSERT_TRUE(!e->next || e->next->at_ns >= e->at_ns);
	}
	CU_ASSERT_EQUAL(n, 1000);
	observe_reset(o);
	CU_ASSERT_PTR_NULL(observe_first(o));
	CU_ASSERT_PTR_NULL(observe_last(o));
	observe_free(o);
}

static void the_bound_holds(void)
{
	struct observe *o = observe_new();
	size_t got = 0;

	while (observe_alloc(o, 1 << 20))
		got += 1 << 20;
	CU_ASSERT_TRUE(got <= OBSERVE_MAX);
	CU_ASSERT_TRUE(got >= OBSERVE_MAX - (2u << 20));
	CU_ASSERT_PTR_NULL(observe_alloc(o, (size_t)-8));
	CU_ASSERT_PTR_NULL(observe_copy(o, "x", OBSERVE_MAX));
	/* There is still room for the report about it, once. */
	CU_ASSERT_TRUE(observe_spare(o));
	CU_ASSERT_FALSE(observe_spare(o));
	CU_ASSERT_PTR_NOT_NULL(observe_alloc(o, 4 << 20));
	CU_ASSERT_PTR_NULL(observe_alloc(o, OBSERVE_SPARE));
	observe_reset(o);
	CU_ASSERT_PTR_NOT_NULL(observe_alloc(o, 1 << 20));
	observe_free(o);
}

static void text_of_any_length(void)
{
	struct observe *o = observe_new();
	char many[1001];

	memset(many, 'x', 1000);
	many[1000] = '\0';
	CU_ASSERT_STRING_EQUAL(observe_format(o, "%d %s", 5, "five"), "5 five");
	CU_ASSERT_EQUAL(strlen(observe_format(o, "%s%s", many, many)), 2000);
	uint8_t *zeroed = observe_alloc(o, 4096);

	for (size_t i = 0; i < 4096; i++)
		CU_ASSERT_EQUAL(zeroed[i], 0);
	observe_text(o, OBSERVE_NOTE, 0, "noted");
	CU_ASSERT_STRING_EQUAL(observe_last(o)->text, "noted");
	observe_free(o);
	observe_free(NULL);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"events keep their order", events_keep_their_order},
		{"the bound holds", the_bound_holds},
		{"text of any length", text_of_any_length},
	};

	return unit_run("observe", tests, UNIT_COUNT(tests));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* A case with more than one result: the last one is kept. */
#include "suite/run/run.h"

#include <stdlib.h>
#include <string.h>

#include "harness/unit.h"
#include "suite/language/case.h"

CASE(is_tried_again, .title = "a case that is tried again")
{
	must(t, DDP_4_1_01, is("what was seen", 1, 1));
}

static struct run *new_run(void)
{
	struct run *run = calloc(1, sizeof(*run));

	CU_ASSERT_PTR_NOT_NULL_FATAL(run);
	run->o = calloc(1, sizeof(*run->o));
	run->records = calloc(1, sizeof(*run->records));
	run->done = calloc(1, sizeof(*run->done));
	run->captured = calloc(1, sizeof(*run->captured));
	run->plan.selected = calloc(1, sizeof(*run->plan.selected));
	return run;
}

static void release(struct run *run)
{
	run_forget(run, 0);
	free((void *)(uintptr_t)run->o);
	free(run->records);
	free(run->done);
	free(run->captured);
	free(run->plan.selected);
	free(run);
}

/* As a worker sends it: it owns what it was made of. */
static struct pending that_failed(void)
{
	const struct instance *in = &registry()->instances[0];
	struct record r = record_unjudged(in, VERDICT_FAIL, CAUSE_NONE, "");
	struct result_broken broken = {
		"DDP-4.1-01", "MUST", "RFC 5041 s4.1", "", "seen", "", false};
	struct pending p = {0};

	r.result.broken = &broken;
	r.result.broken_count = 1;
	char *line = record_line(&r);

	CU_ASSERT_PTR_NOT_NULL_FATAL(line);
	CU_ASSERT_TRUE(record_parse(&p.record, line, strlen(line)));
	free(line);
	return p;
}

/* A foundation that fell is tried twice more, and the device may crash then.
 * The first record has lists of its own: AddressSanitizer checks how they are
 * freed. */
static void the_last_result_takes_the_place_of_the_first(void)
{
	struct run *run = new_run();
	struct pending first = that_failed(), second = that_failed();

	run_accept(run, &first);
	run_accept(run, &second);
	CU_ASSERT_EQUAL(run->finished, 1);
	CU_ASSERT_EQUAL(run->failures, 1);
	run_settle(run, 0, VERDICT_BLOCKED, CAUSE_NONE, "what it stands on");
	CU_ASSERT_EQUAL(run->finished, 1);
	CU_ASSERT_EQUAL(run->failures, 0);
	CU_ASSERT_EQUAL(run->records[0].result.verdict, VERDICT_BLOCKED);
	release(run);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"the last result takes the place of the first",
		 the_last_result_takes_the_place_of_the_first},
	};

	return unit_run("totals", tests, UNIT_COUNT(tests));
}

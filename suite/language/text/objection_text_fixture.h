/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For the tests of the texts for a faulty device: the model objects, and the
 * objection is put into words.
 */
#ifndef SUITE_LANGUAGE_OBJECTION_TEXT_FIXTURE_H
#define SUITE_LANGUAGE_OBJECTION_TEXT_FIXTURE_H

#include <stdio.h>
#include <string.h>

#include "suite/language/text/objection_text.h"
#include "suite/model/model_fixture.h"

/* For objection_text(); objections_run() makes it. */
static struct test *test;

/* The only objection has this text, except for its first line. */
static inline void told(const struct model_objections *o, const char *due,
			const char *seen)
{
	const char *text, *told_due, *told_seen;

	CU_ASSERT_EQUAL(o->n, 1);
	if (!o->n)
		return;
	text = objection_text(test, &o->list[0]);
	told_due = strstr(text, "\ndue:  ");
	told_seen = strstr(text, "\nseen: ");
	CU_ASSERT_TRUE(told_due && told_seen);
	if (!told_due || !told_seen)
		return;
	told_due += strlen("\ndue:  ");
	if (strlen(due) != (size_t)(told_seen - told_due) ||
	    strncmp(told_due, due, strlen(due)) != 0 ||
	    strcmp(told_seen + strlen("\nseen: "), seen) != 0) {
		fprintf(stderr, "it says:\n%s\nwhere due is:\n%s\n%s\n", text,
			due, seen);
		CU_FAIL("told otherwise");
	}
}

/* The same, once the device has sent this segment. */
static inline void dut_told(struct fixture *f, struct ddp_segment s,
			    const char *due, const char *seen)
{
	dut(f, s);
	told(&f->objections, due, seen);
}

/* Like unit_run(). */
static inline int objections_run(const char *suite,
				 const struct unit_test *tests, size_t n)
{
	static struct testbed bed;
	static struct test t = {.bed = &bed};
	int status;

	bed.log = observe_new();
	if (!bed.log)
		return 1;
	t.interpreter.arena.log = bed.log;
	test = &t;
	status = unit_run(suite, tests, n);
	observe_free(bed.log);
	return status;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One case from its first statement to its result: its memory, its end, and the
 * whole.
 */
#include "suite/language/execution/execution.h"

#include <stdio.h>
#include <string.h>

#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>

#include "harness/link/clock.h"
#include "suite/judge/verdict.h"
#include "suite/language/execution/chunks.h"

/* --- memory of a case ----------------------------------------------- */

void *test_alloc(struct test *t, size_t n)
{
	return arena_alloc(&t->interpreter.arena, n);
}

static void no_memory_left(void *user)
{
	struct test *t = user;

	/* What is left is for judging what came. */
	if (observe_spare(t->bed->log))
		test_is_flooded(t);
	test_error(t, CAUSE_SUITE,
		   "the device sent more than the event log can hold (%u MiB)",
		   OBSERVE_MAX >> 20);
}

/* The finalizer of SplitMix64: its octets repeat at no distance. */
static uint64_t mixed(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

const uint8_t *pattern(struct test *t, size_t n, unsigned seed)
{
	uint8_t *p = test_alloc(t, n);

	for (size_t at = 0; at < n; at += 8) {
		uint64_t octets = mixed(((uint64_t)seed << 32 | at >> 3) + 1);

		for (size_t i = 0; i < 8 && at + i < n; i++)
			p[at + i] = (uint8_t)(octets >> 8 * i);
	}
	return p;
}

const uint8_t *octets_of(struct test *t, size_t n, unsigned value)
{
	return memset(test_alloc(t, n), (int)value, n);
}

/* --- ending ----------------------------------------------------------- */

static void leave(struct test *t) __attribute__((noreturn));
static void leave(struct test *t)
{
	longjmp(t->out, 1);
}

void test_error(struct test *t, enum error_cause cause, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(t->reason, sizeof(t->reason), fmt, ap);
	va_end(ap);
	t->cause = cause;
	leave(t);
}

bool test_has_broken(const struct test *t)
{
	return t->has_broken;
}

void test_is_flooded(struct test *t)
{
	observe_spare(t->bed->log);
	for (unsigned i = 0; i < t->streams; i++)
		t->stream[i].flooded = true;
	if (!test_has_broken(t))
		return;
	snprintf(
		t->reason, sizeof(t->reason),
		"the device sends without end; later octets were not examined");
	leave(t);
}

void not_applicable(struct test *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(t->reason, sizeof(t->reason), fmt, ap);
	va_end(ap);
	t->skipped = true;
	leave(t);
}

void test_enough(struct test *t)
{
	leave(t);
}

void test_blocked(struct test *t, const char *by, enum foundation f)
{
	test_set_blocked(t, by, f);
	leave(t);
}

void test_within(struct test *t, uint64_t needed, uint64_t most,
		 const char *what)
{
	if (most && needed > most)
		not_applicable(t, "the device has at most %llu %s",
			       (unsigned long long)most, what);
}

/* --- the whole ------------------------------------------------------- */

enum case_role case_role(const struct test *t)
{
	return t->in->role;
}

/* CUnit calls tests without an argument. */
static struct test *running;

static bool any_broken(const struct test *t)
{
	const struct judgement *j = t->judged;

	while (j && j->ok)
		j = j->next;
	return j != NULL;
}

/* The case ended neither at its last statement nor by a failure. */
static bool ended_early(const struct test *t)
{
	return t->skipped || t->blocked_by || t->cause != CAUSE_NONE;
}

/* The ULP may have changed it, or taken it away: then nobody is blamed. */
static void prove_buffer(struct test *t)
{
	struct judgement *last = t->judged_last;
	unsigned current = t->current;

	if (setjmp(t->out) == 0)
		buffer_proves(t);
	t->cause = CAUSE_NONE;
	t->skipped = false;
	last->next = NULL;
	t->judged_last = last;
	t->current = current;
	if (t->buffer.quiet)
		return;
	t->judged = t->judged_last = NULL;
	t->skipped = true;
	snprintf(t->reason, sizeof(t->reason),
		 "the device and the ULP behind its port cannot be "
		 "distinguished: the ULP may have changed its buffer, or ended "
		 "its use");
}

static void body(void)
{
	struct test *t = running;

	if (setjmp(t->out) == 0) {
		chunks_watch(t);
		dut_begin(t);
		second_makes_room(t);
		t->in->desc->run(t, t->in->row);
	}
	if (!ended_early(t) && setjmp(t->out) == 0)
		streams_finish(t);
	/* For a case that ran to its end. */
	if (!ended_early(t) && !any_broken(t) && setjmp(t->out) == 0)
		excuse_end(t);
	if (t->buffer.used && !ended_early(t) && any_broken(t))
		prove_buffer(t);
	/* A session that ends also ends its streams, by a reset if necessary: a
	 * fault that is seen then is not the device's. */
	if (!ended_early(t) && any_broken(t) && setjmp(t->out) == 0)
		dut_is_there(t);
}

static void run_in_cunit(struct test *t)
{
	static CU_pSuite suite;
	static CU_pTest test;

	if (!suite) {
		if (CU_initialize_registry() == CUE_SUCCESS &&
		    (suite = CU_add_suite("warpspec", NULL, NULL)))
			test = CU_add_test(suite, "case", body);
		if (!test) {
			snprintf(t->reason, sizeof(t->reason), "CUnit: %s",
				 CU_get_error() == CUE_NOMEMORY
					 ? "out of memory"
					 : CU_get_error_msg());
			t->cause = CAUSE_SUITE;
			return;
		}
	}
	running = t;
	CU_run_test(suite, test);
	running = NULL;
}

static void judge_all(struct test *t, struct result *out)
{
	/* Without a dependency there may be a contradiction, but no proof. A
	 * foundation itself does not depend on the exchange. */
	if (t->shaken_by &&
	    !(t->in->desc->founds && t->shaken == FOUNDATION_ANSWER) &&
	    !ended_early(t) && !any_broken(t))
		test_set_blocked(t, t->shaken_by, t->shaken);
	if (!ended_early(t) && any_broken(t))
		test_blames_its_ground(t);
	t->ended = (struct ended_case){
		.id = t->in->id,
		.title = t->in->title,
		.level = t->in->level,
		.role = instance_role(t->in),
		.reqs = t->in->reqs,
		.req_count = t->in->req_count,
		.judged = t->judged,
		.teardown = test_teardown(t),
		.skipped = t->skipped,
		.founds = t->in->desc->founds != STANDS_ALONE ||
			  test_tells_its_ground(t),
		.blocked_by = t->blocked_by,
		.outweighed = t->outweighed,
		.cause = t->cause,
		.reason = t->reason,
		.unjudged = t->unjudged,
		.presumed = t->presumed,
		.alone = test_alone(t),
		.excused = t->excused,
		.reading = interpret_names(&t->interpreter),
		.reading_lines = interpret_lines(&t->interpreter),
	};

	verdict_of(&t->ended, &t->interpreter.arena, out);
}

/* Packets may be missing for lack of something on this host: then nothing that
 * is missing is the device's fault. */
static void acquit_for_trouble(const struct testbed *bed, struct result *out)
{
	if (!bed->link->trouble[0] ||
	    (out->verdict != VERDICT_FAIL && out->verdict != VERDICT_WARN &&
	     out->verdict != VERDICT_BLOCKED))
		return;
	verdict_unsay(out);
	out->verdict = VERDICT_ERROR;
	out->reading = "";
	out->blocked_by = NULL;
	out->reason = bed->link->trouble;
}

/* The case that runs in this process, or ran last. */
static struct test test;

void testbed_run(struct testbed *bed, const struct instance *in,
		 struct result *out, enum error_cause *cause)
{
	uint64_t start = clock_now_ns(), lost = testbed_lost(bed);
	uint64_t unproven = bed->link->unproven;
	bool brief = bed->brief;
	struct test *t = &test;

	observe_reset(bed->log);
	bed->link->trouble[0] = '\0';
	bed->limited = bed->unconnected = false;
	memset(&bed->met, 0, sizeof(bed->met));
	memset(t, 0, sizeof(*t));
	t->bed = bed;
	t->in = in;
	t->began = start;
	t->next_post = TEST_POST_ID;
	t->interpreter = (struct interpreter){
		.readings = &bed->readings,
		.arena = {.log = bed->log, .full = no_memory_left, .user = t},
	};
	run_in_cunit(t);
	chunks_unwatch(t);
	if (setjmp(t->out) == 0) {
		judge_all(t, out);
	} else {
		/* Without memory for the detail, the reason says why. */
		out->verdict = VERDICT_ERROR;
		out->detail = out->signature = out->reading = "";
		out->reason = t->reason;
	}
	acquit_for_trouble(bed, out);
	if (test_alone(t) && setjmp(t->out) == 0)
		alone_leaves(t);
	streams_drop(t);
	/* It may have ended inside a wait that was brief. */
	bed->brief = brief;
	/* What a connection with little room for them has dropped by itself, TCP
	 * brings again: it explains nothing. */
	bed->lost = testbed_lost(bed) - lost - (bed->link->unproven - unproven);
	bed->interrupted = testbed_was_interrupted(bed);
	if (bed->patience)
		bed->patience->lost += bed->lost + bed->interrupted;
	out->duration_ns = clock_now_ns() - start;
	*cause = out->verdict == VERDICT_ERROR
			 ? (t->cause == CAUSE_NONE ? CAUSE_SUITE : t->cause)
			 : CAUSE_NONE;
}

void testbed_evidence(struct testbed *bed, const struct evidence_bounds *b,
		      struct result *out)
{
	struct test *t = &test;

	if (!t->in)
		return;
	/* Out of memory: there is no evidence. */
	observe_spare(bed->log);
	if (setjmp(t->out) == 0)
		test_evidence(t, b, out);
	else
		out->event_count = out->line_count = out->memory_count = 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One case from its first statement to its verdict: its end, its judgements,
 * and the result.
 */
#include "suite/language/execution/execution.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>

#include "harness/link/clock.h"
#include "harness/wire/terminate_names.h"
#include "suite/judge/verdict.h"
#include "suite/language/execution/chunks.h"

/* --- memory and text of a case -------------------------------------- */

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

const char *test_format(struct test *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	const char *s = observe_vformat(t->bed->log, fmt, ap);
	va_end(ap);
	return s;
}

void test_due(struct test *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	t->due = observe_vformat(t->bed->log, fmt, ap);
	va_end(ap);
}

void test_seen(struct test *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	t->seen = observe_vformat(t->bed->log, fmt, ap);
	va_end(ap);
}

const char *test_hex(struct test *t, const uint8_t *octets, size_t n,
		     size_t max)
{
	return arena_hex(&t->interpreter.arena, octets, n, max);
}

const char *test_frame_hex(struct test *t, const struct frame *f, size_t max)
{
	f = interpret_sent(&t->interpreter, f);
	return test_hex(t, f->octets, f->n, max);
}

/* A sign that its fields are not where they should be. */
static const char *read_as(struct test *t, const struct frame *f)
{
	const char *readings = interpret_text(&t->interpreter, f);

	return *readings ? test_format(t, " (reading %s)", readings) : "";
}

const char *test_terminate_text(struct test *t, unsigned layer, unsigned etype,
				unsigned code)
{
	struct terminate_names n = terminate_names(layer, etype, code);
	const char *words[] = {n.layer, n.etype,
			       n.code ? n.code : "not registered"};
	const char *text = "";

	for (size_t i = 0; i < 3; i++)
		if (words[i] && *words[i])
			text = test_format(t, "%s%s%s", text, *text ? ", " : "",
					   words[i]);
	return test_format(t, "%x/%x/%02x (%s)", layer, etype, code, text);
}

const char *test_frame_text(struct test *t, const struct frame *f)
{
	const struct ddp *d = &f->seg.ddp;

	if (f->seg.short_header)
		return test_format(t,
				   "a ULPDU of %u octets, too short for "
				   "its header",
				   f->fpdu->ulpdu_length);
	if (!d->tagged && d->opcode == RDMAP_TERMINATE) {
		struct rdmap_terminate term = case_terminate_of(f);

		return test_format(t, "a Terminate %s%s",
				   test_terminate_text(t, term.layer,
						       term.etype, term.code),
				   read_as(t, f));
	}
	const char *name = rdmap_opcode_name(d->opcode);
	const char *crc = f->crc_ok ? "" : ", its CRC not matching";

	if (d->tagged)
		return test_format(t,
				   "%s, STag 0x%08x, TO 0x%llx, %zu octets of "
				   "payload%s%s%s",
				   name, d->stag, (unsigned long long)d->to,
				   f->seg.payload_octets,
				   d->last ? "" : ", L=0", crc, read_as(t, f));
	return test_format(t,
			   "%s, QN %u, MSN %u, MO %u, %zu octets of "
			   "payload%s%s%s",
			   name, d->qn, d->msn, d->mo, f->seg.payload_octets,
			   d->last ? "" : ", L=0", crc, read_as(t, f));
}

/* --- what was seen of a fact that does not hold -------------------------------- */

const char test_not_the_case[] = "not the case";

struct last_seen {
	const struct event *octets; /* a frame, or what is none */
	const struct event *end;    /* FIN or RST behind it */
};

static struct last_seen last_from_device(const struct test *t)
{
	struct last_seen last = {0};

	for (const struct event *e = observe_first(t->bed->log); e; e = e->next)
		switch (e->kind) {
		case OBSERVE_STARTUP_SEEN:
		case OBSERVE_FRAME_SEEN:
		case OBSERVE_OCTETS_SEEN:
			last = (struct last_seen){.octets = e};
			break;
		case OBSERVE_FIN_SEEN:
		case OBSERVE_RESET_SEEN:
			last.end = e;
			break;
		default:
			break;
		}
	return last;
}

/* "not the case; the device's last: a Terminate 0/1/47 (...) [...], and FIN" */
static const char *not_the_case(struct test *t)
{
	enum { SHOWN = 96 };
	const struct last_seen last = last_from_device(t);
	const struct event *e = last.octets;
	const char *text = "nothing", *end = "";

	if (e)
		text = test_format(t, "%s [%s]",
				   e->kind == OBSERVE_STARTUP_SEEN
					   ? "a startup frame"
				   : e->frame ? test_frame_text(t, e->frame)
					      : "octets of no frame",
				   test_hex(t, e->octets, e->n, SHOWN));
	if (last.end)
		end = last.end->kind == OBSERVE_FIN_SEEN ? ", and then FIN"
							 : ", and then RST";
	return test_format(t, "%s; the last from the device: %s%s",
			   test_not_the_case, text, end);
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

static bool are_of_one_section(unsigned short req, unsigned short other)
{
	const struct req *r = &req_table[req], *of = &req_table[other];

	return strcmp(r->spec, of->spec) == 0 &&
	       strcmp(r->section, of->section) == 0;
}

/* Whether the fields of a stream are read at wrong positions, and this row is
 * not about positions. */
static bool is_adrift(const struct test *t, unsigned short req)
{
	if (req == MPA_7_1_1_07.index ||
	    are_of_one_section(req, MPA_4_3_02.index))
		return false;
	for (unsigned i = 0; i < t->streams; i++) {
		const struct model *m = t->stream[i].model;

		if (m && m->adrift)
			return !m->pad_adrift ||
			       !are_of_one_section(req, MPA_4_1_04.index);
	}
	return false;
}

/* The same for chunks that belong to no session. */
static bool is_astray(const struct test *t, unsigned short req)
{
	bool any = false;

	for (unsigned i = 0; i < t->streams; i++)
		any |= t->stream[i].astray;
	return any && strcmp(req_table[req].layer, "SCTP") != 0;
}

void test_judge(struct test *t, unsigned short req, bool ok, bool by_model,
		const char *text)
{
	bool is_there = !test_on_sctp(t) || session_row(req, &req);

	/* If SCTP has no such row, a success says nothing, and a failure is
	 * judged by the rows of sessions. */
	if (!is_there && ok)
		return;
	if (!is_there && req_table[req].kind == REQ_KIND_must)
		req = SCTPX_6_2_04.index;
	struct judgement *j = test_alloc(t, sizeof(*j));

	*j = (struct judgement){.req = req,
				.kind = req_table[req].kind,
				.ok = ok,
				.by_model = by_model,
				.missing = !by_model && !t->contradicted,
				.ground = !by_model && t->on_ground,
				.given = t->insists,
				.adrift = !ok && !by_model &&
					  (is_adrift(t, req) ||
					   is_astray(t, req) ||
					   stray_explains(t, req)),
				.text = text,
				.axes = t->axes,
				.on = look_kept(t)};
	if (t->judged_last)
		t->judged_last->next = j;
	else
		t->judged = j;
	t->judged_last = j;
	t->has_broken |= !ok && j->kind == REQ_KIND_must;
	/* CUnit counts the assertion; the suite has its own report. */
	if (!by_model)
		CU_assertImplementation(ok || j->kind != REQ_KIND_must,
					__LINE__, req_table[req].id,
					t->in->desc->file, t->in->id, CU_FALSE);
}

void test_fail(struct test *t, unsigned short req, const char *fmt, ...)
{
	va_list ap;

	t->look = t->taken;
	va_start(ap, fmt);
	const char *text = observe_vformat(t->bed->log, fmt, ap);
	va_end(ap);
	if (!alone_accuses(t))
		alone_excuses(t, text);
	test_judge(t, req, false, false, text);
	leave(t);
}

/* --- must, should, may, observe ------------------------------------- */

/* Why a line that does not hold is not judged. */
static const char *alone_doubts(struct test *t)
{
	t->excused = true;
	return test_format(t,
			   "the device and the ULP behind its port cannot be "
			   "distinguished: due %s, seen %s",
			   t->due, t->seen);
}

static bool evaluate(struct test *t, const struct expect *e)
{
	const struct event *before = look_begins(t);

	t->due = e->due ? e->due : "";
	t->seen = "";
	t->set_complete = e->alternatives != NULL;
	t->not_told = NULL;
	t->contradicted = false;
	t->untold = TOLD;
	t->rejected = false;
	t->in_parts = t->reads_no_more = false;
	t->asked = NULL;
	t->witnessed = t->of_receives = false;
	t->evaluating = true;
	bool ok = e->holds(t, e);

	t->evaluating = false;
	if (t->asked)
		t->not_told = t->asked;
	else if (!ok && !alone_accuses(t))
		t->not_told = alone_doubts(t);

	look_ends(t, before);
	return ok;
}

bool test_not_told(struct test *t, const char *what)
{
	t->not_told = what;
	return false;
}

unsigned short test_untold_row(struct test *t, unsigned short req,
			       unsigned layer)
{
	const char *spec = req_table[req].spec;

	if (!stream_over(live_stream(t)) || layer == TERM_LLP ||
	    req_table[req].kind != REQ_KIND_must)
		return req;
	if (layer == TERM_RDMA)
		return RDMAP_7_1_08.index;
	if (layer == TERM_DDP)
		return RDMAP_6_2_1_01.index;
	if (strcmp(spec, "RFC5040") == 0 || strcmp(spec, "RFC7306") == 0)
		return RDMAP_7_1_08.index;
	return strcmp(spec, "RFC5041") == 0 ? RDMAP_6_2_1_01.index : req;
}

/* If the agent cannot report it, the expectation is not judged. */
static bool is_unjudged(struct test *t, bool ok)
{
	if ((ok && !t->asked) || !t->not_told)
		return false;
	if (!t->unjudged || (!ok && !t->asked && test_alone(t)))
		t->unjudged = t->not_told;
	return true;
}

static bool judge(struct test *t, unsigned short req, struct expect e)
{
	bool ok = evaluate(t, &e);

	if (is_unjudged(t, ok)) {
		t->presumed |= t->insists;
		t->contradicted = false;
		return true;
	}
	if (!ok && !t->contradicted)
		test_counts_if_seen(t);
	if (!ok && t->rejected)
		req = MPA_7_1_2_09.index;
	if (!ok && t->in_parts)
		req = stream_part_row(live_stream(t), req);
	/* A row that is about the answer itself stays: it is all that is
	 * missing. */
	if (!ok && t->reads_no_more && req != RDMAP_5_2_1_16.index &&
	    req_table[req].kind == REQ_KIND_must) {
		req = RDMAP_7_01.index;
		t->untold = TOLD;
	}
	if (!ok && t->seen == test_not_the_case)
		t->seen = not_the_case(t);
	test_judge(t,
		   !ok && t->untold != TOLD ? test_untold_row(t, req, t->untold)
					    : req,
		   ok, false,
		   test_tells(t, ok) ? test_format(t, "due:  %s\nseen: %s",
						   t->due, t->seen)
				     : "");
	t->contradicted = false;
	return ok;
}

void case_must(struct test *t, struct req_must req, struct expect e)
{
	judge(t, req.index, e);
}

void case_insists(struct test *t, struct req_must req, struct expect e)
{
	t->insists = true;
	bool ok = judge(t, req.index, e);

	t->insists = false;
	if (!ok || t->excused)
		leave(t);
}

void case_should(struct test *t, struct req_should req, struct expect e)
{
	judge(t, req.index, e);
}

void case_may(struct test *t, struct req_may req, struct expect e)
{
	bool ok = evaluate(t, &e);
	/* Not using a permission does not break it; an outcome outside a closed
	 * set of outcomes does. */
	bool judged_ok = ok || !t->set_complete;

	/* A permission requires nothing: an unseen one is not a failure. */
	if (is_unjudged(t, ok) || (!ok && t->not_told)) {
		t->contradicted = false;
		return;
	}
	/* Another row is blamed for a missing Terminate. */
	if (!ok && t->untold != TOLD && stream_over(live_stream(t)))
		judged_ok = true;
	test_judge(t, req.index, judged_ok, false,
		   test_format(t, "%s: %s (seen: %s)",
			       ok ? "it did" : "it did not", t->due, t->seen));
	t->contradicted = false;
}

void case_observe(struct test *t, struct req_open req, const char *fmt, ...)
{
	va_list ap;

	t->look = t->taken;
	va_start(ap, fmt);
	test_judge(t, req.index, true, false,
		   observe_vformat(t->bed->log, fmt, ap));
	va_end(ap);
}

enum case_role case_role(const struct test *t)
{
	return t->in->role;
}

void agent_tells_reject_depths(struct test *t)
{
	if (t->bed->hello.untold & AGENT_UNTOLD_REJECT_DEPTHS)
		not_applicable(t, "the agent cannot report the IRD and ORD of "
				  "a rejecting Reply");
}

bool agent_tells_length(struct test *t)
{
	return !(t->bed->hello.untold & AGENT_UNTOLD_RECEIVE_LENGTH);
}

bool dut_has_crcs(struct test *t)
{
	return t->bed->hello.crc != AGENT_CRC_NEVER;
}

uint64_t dut_claims(struct test *t)
{
	return t->bed->claims;
}

bool dut_little_endian(struct test *t)
{
	return !t->bed->hello.big_endian;
}

bool dut_leaves_ird_open(struct test *t)
{
	return t->bed->habits.ird_open;
}

bool dut_makes_short_ulpdus(struct test *t)
{
	return t->bed->habits.short_ulpdus;
}

unsigned dut_max_ird(struct test *t)
{
	alone_asks(t, "to know its greatest IRD");
	return (unsigned)t->bed->hello.max_ird;
}

unsigned dut_max_ord(struct test *t)
{
	alone_asks(t, "to know its greatest ORD");
	return (unsigned)t->bed->hello.max_ord;
}

void dut_has_depths(struct test *t, unsigned ird, unsigned ord)
{
	const struct ulp_habits *u = &t->bed->ulp;

	if (test_alone(t) && u->ird && ird <= u->ird && ord <= u->ord)
		return;
	alone_asks(t, "to know its greatest IRD and ORD");
	if (ird > dut_max_ird(t) || ord > dut_max_ord(t))
		not_applicable(t, "the device has IRD %u and ORD %u at most",
			       dut_max_ird(t), dut_max_ord(t));
}

unsigned dut_max_private(struct test *t)
{
	return (unsigned)t->bed->hello.max_private;
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

/* --- the whole ------------------------------------------------------- */

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

/* SPDX-License-Identifier: BSD-2-Clause */
/* The fault that a program has shown: performed again, reduced to the shortest
 * program, and avoided later. */
#include "suite/explore/exploration.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>

#include "harness/text/memstream.h"
#include "suite/explore/shrink.h"
#include "suite/judge/evidence.h"
#include "suite/run/journal/record.h"

enum {
	SHRINK_MOST = 600,
	AGAIN_MOST = 4,          /* programs more that show the same */
	SHRINK_AGAIN_MOST = 100, /* performances for one of these */
	CRASHES_MOST = 24, /* of a device, until a program is short enough */
	LATE_PART = 4,     /* the part of a wait that decides nothing
			    * (run/host.c) */
};

struct showing {
	struct exploration *e;
	const char *signature; /* the first requirement counts */
	struct outcome last;
	/* For a program that takes the device down: */
	struct result *result;
	struct hook_result *seen;
	unsigned crashes;
	json_t *evidence; /* the last performance that has shown it; NULL:
			   * none */
};

size_t finding_first(const char *signature)
{
	return strcspn(signature, " ,");
}

static bool has_requirement(const char *signature, const char *first)
{
	size_t n = finding_first(first);

	for (const char *at = signature; *at;) {
		size_t len = finding_first(at);

		if (len == n && strncmp(at, first, n) == 0)
			return true;
		at += len + strspn(at + len, " ,");
	}
	return false;
}

/* --- evidence ------------------------------------------------------------------ */

/* The program just performed has shown it: it is the only one known, until a
 * shorter one does. */
static void take_evidence(struct showing *s, const struct result *r)
{
	struct evidence_bounds room;
	struct result with = *r;

	/* Without words on it, it was not performed. */
	if (s->e->o->run->evidence == EVIDENCE_OF_NONE || !r->detail)
		return;
	room = record_room(r);
	testbed_evidence(&s->e->bed, &room, &with);
	json_decref(s->evidence);
	s->evidence = evidence_is_there(&with) ? evidence_json(&with) : NULL;
}

static void drop_evidence(struct showing *s)
{
	json_decref(s->evidence);
	s->evidence = NULL;
}

/* For the rest of the process. */
static void give_evidence(struct showing *s, struct result *r)
{
	const char *why;
	void *owned;

	if (s->evidence)
		evidence_parse(r, s->evidence, &owned, &why);
	drop_evidence(s);
}

/* --- shown again ---------------------------------------------------------------- */

/* False: it was not performed, or has taken the device down, which is a
 * different fault. */
static bool performs(struct showing *s, const struct program *p,
		     struct result *result)
{
	static struct hook_result seen;
	struct exploration *e = s->e;

	if (e->device_gone || s->crashes == CRASHES_MOST)
		return false;
	explore_progress(e, false);
	if (!survival_fails(e, p, 1, result, &s->last, &seen))
		return true;
	s->crashes++;
	if (!e->culprit && (e->culprit = malloc(sizeof(*p))))
		memcpy(e->culprit, p, sizeof(*p));
	return false;
}

static bool performs_so(struct showing *s, const struct program *p)
{
	struct result result;

	if (!performs(s, p, &result) || s->last.verdict != VERDICT_FAIL ||
	    !has_requirement(s->last.signature, s->signature))
		return false;
	take_evidence(s, &result);
	return true;
}

static bool shows(void *user, const struct program *p)
{
	struct showing *s = user;

	return !explore_ended && performs_so(s, p);
}

/* The agent does not do what is requested. */
static bool is_refused(void *user, const struct program *p)
{
	struct showing *s = user;
	struct result result;

	if (explore_ended || !performs(s, p, &result) || !s->last.refused)
		return false;
	take_evidence(s, &result);
	return true;
}

/* Shown again, by a bed that waits as long as any. Time that is over leaves
 * that much. */
static bool is_confirmed(struct showing *s, const struct program *p)
{
	s->e->bed.brief = false;
	for (unsigned i = 0; i < CONFIRM; i++)
		if ((!explore_ended || explore_ended == SIGALRM) &&
		    performs_so(s, p))
			return true;
	return false;
}

static void let_take_turns(struct program *p)
{
	for (unsigned i = 0; i < p->steps; i++)
		p->step[i].n[STEP_TURN] = 1;
	program_fit(p);
}

/* The result of one of several streams may depend on the others: each waits for
 * the others, so that it is the same each time. */
static bool is_confirmed_in_turn(struct showing *s, struct finding *f)
{
	struct program *p = f->program;

	if (p->streams == 1)
		return false;
	let_take_turns(p);
	if (is_confirmed(s, p))
		return true;
	generate(&s->e->how, f->number, p);
	return false;
}

/* --- what to leave out ---------------------------------------------------------- */

/* Numbers of a step that do not characterize it: its stream and region, and
 * those that every step may have. */
static bool says_something(enum step_number n)
{
	return n != STEP_STREAM && n != STEP_REGION && n != STEP_OFF &&
	       n != STEP_LEN;
}

static struct avoided of_step(const struct step *s)
{
	struct avoided a = {.op = s->op, .fault = s->n[STEP_FAULT]};

	for (unsigned n = 0; n < STEP_NUMBERS; n++)
		if (s->n[n] && says_something(n))
			a.numbers |= 1u << n;
	return a;
}

/* A stream that nothing was done on yet. */
static struct avoided of_stream(const uint64_t *s)
{
	struct avoided a = {.stream = true, .fault = s[STREAM_FAULT]};

	for (unsigned n = 0; n < STREAM_NUMBERS; n++)
		if (s[n])
			a.numbers |= 1u << n;
	return a;
}

/* The necessary part of the shortest program, in its most specific step. False:
 * none. */
static bool essence_of(const struct program *p, struct avoided *a)
{
	const struct step *s = NULL;

	for (unsigned i = 0; i < p->streams; i++)
		if (p->stream[i][STREAM_FAULT] || !p->steps) {
			*a = of_stream(p->stream[i]);
			return true;
		}
	for (unsigned i = 0, most = 0; i < p->steps; i++) {
		unsigned says_so = 1;

		for (unsigned n = 0; n < STEP_NUMBERS; n++)
			says_so += p->step[i].n[n] != 0;
		if (p->step[i].op != SETTLE && says_so >= most) {
			most = says_so;
			s = &p->step[i];
		}
	}
	if (s)
		*a = of_step(s);
	return s;
}

/* Whether it needs a step of no octets. */
static bool is_about_nothing(const struct program *p, shows_fn *does,
			     struct showing *s, const struct avoided *a)
{
	enum { SOME = 8 };
	static struct program trial;
	bool any = false;

	if (a->stream || !step_has(a->op, STEP_LEN))
		return false;
	memcpy(&trial, p, sizeof(trial));
	for (unsigned i = 0; i < trial.steps; i++)
		if (trial.step[i].op == a->op && !trial.step[i].n[STEP_LEN])
			trial.step[i].n[STEP_LEN] = SOME, any = true;
	program_fit(&trial);
	return any && !does(s, &trial);
}

static void avoid(struct exploration *e, const struct program *p,
		  shows_fn *does, struct showing *s)
{
	struct avoided a;

	/* A step that could not be reduced does not show what it needs. */
	if (explore_ended || e->device_gone)
		return;
	if (!essence_of(p, &a) || e->how.avoids == AVOIDED_MOST) {
		e->at_an_end = true;
		return;
	}
	a.empty = is_about_nothing(p, does, s, &a);
	e->how.avoided[e->how.avoids++] = a;
}

/* --- files ---------------------------------------------------------------- */

static char *script_of(const struct program *p)
{
	struct memstream m;
	FILE *out = memstream_open(&m);

	if (out)
		program_write(p, out);
	return memstream_finish(&m, NULL);
}

/* Its name can be guessed: a link there leads to a file of somebody else. */
static FILE *open_program(const char *path)
{
	int fd = open(path,
		      O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
		      0666);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (!out && fd >= 0)
		close(fd);
	return out;
}

static void save_program(struct exploration *e, struct finding *f,
			 const char *script)
{
	const char *dir = e->o->programs ? e->o->programs : ".";
	FILE *out;

	snprintf(f->path, sizeof(f->path),
		 "%s/explore-%" PRIu64 "-%" PRIu64 ".program", dir,
		 f->program->seed, f->number);
	out = open_program(f->path);
	bool wrote = out && fputs(script, out) >= 0;

	if (out && fclose(out) == 0 && wrote)
		return;
	snprintf(e->note, sizeof(e->note), "%.400s: cannot be written: %s",
		 f->path, errno == ELOOP ? "it is a link" : strerror(errno));
	f->path[0] = '\0';
}

/* For the rest of the process; "" if there is no memory. */
static const char *kept(const char *text)
{
	char *copy = text_held(strdup(text ? text : ""));

	return copy ? copy : "";
}

static const char *kept_f(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));
static const char *kept_f(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	bool made = text_made(vasprintf(&text, fmt, ap));

	va_end(ap);
	return made ? text : "";
}

static void keep_broken(struct result *to, const struct result *from)
{
	size_t n = from->broken_count;
	struct result_broken *b = text_held(calloc(n ? n : 1, sizeof(*b)));
	const char **ids = text_held(calloc(n ? n : 1, sizeof(*ids)));

	to->broken_count = to->requirement_count = b && ids ? n : 0;
	to->broken = b;
	to->requirements = ids;
	to->axes = NULL; /* they are of cases */
	to->axes_count = 0;
	for (size_t i = 0; i < to->broken_count; i++) {
		b[i] = from->broken[i];
		b[i].requirement = kept(b[i].requirement);
		b[i].level = kept(b[i].level);
		b[i].section = kept(b[i].section);
		b[i].statement = kept(b[i].statement);
		b[i].text = kept(b[i].text);
		b[i].known = "";
		ids[i] = b[i].requirement;
	}
}

/* Known deviations of the device are expected. */
static void know(struct exploration *e, struct result *r)
{
	struct deviations *d = e->o->run->deviations;
	const char *reason = NULL;

	if (d && strcmp(r->signature, RESULT_CRASHED) == 0)
		reason = deviations_crash(d, r->id, time(NULL));
	else if (d && r->signature[0])
		reason = deviations_requirements(d, r, time(NULL));
	if (!reason)
		return;
	r->verdict = VERDICT_XFAIL;
	r->reason = kept_f("known to be broken: %s", reason);
}

/* A copy of the result, preceded by the program. */
static void keep(struct showing *s, struct finding *f, const struct result *r,
		 const char *script, const char *how)
{
	unsigned n = program_operations(f->program);
	struct exploration *e = s->e;

	f->result = *r;
	f->result.id =
		*r->id ? kept(r->id)
		       : kept_f("explore/%.*s",
				(int)finding_first(f->signature), f->signature);
	f->result.title =
		n ? kept_f("a program of %u operation%s", n, n == 1 ? "" : "s")
		  : kept("a startup without any operation");
	f->result.detail = kept_f(
		"%s%s%s%s%s%s", how, script,
		f->path[0] ? "# again: warpspec explore --replay " : "",
		f->path, f->path[0] && r->detail[0] ? "\n" : "", r->detail);
	f->result.level = kept(r->level);
	f->result.role = kept(r->role);
	f->result.signature = kept(f->signature);
	f->result.consequences = kept(r->consequences);
	f->result.reading = kept(r->reading);
	f->result.reason = kept(r->reason);
	f->result.capture = NULL;
	give_evidence(s, &f->result);
	keep_broken(&f->result, r);
	know(e, &f->result);
	e->findings++;
	e->news += f->result.verdict == VERDICT_FAIL;
}

static void conclude(struct showing *s, struct finding *f,
		     const struct result *r, const char *how)
{
	struct exploration *e = s->e;
	char *script = script_of(f->program);

	/* Without its program it is a finding still. */
	if (script)
		save_program(e, f, script);
	keep(s, f, r, script ? script : "", how);
	explore_says(e, "%s: %s, by %s%s%.120s",
		     f->result.verdict == VERDICT_XFAIL   ? "known"
		     : f->result.verdict == VERDICT_ERROR ? "cannot be done"
							  : "found",
		     f->result.id + sizeof("explore/") - 1, f->result.title,
		     f->path[0] ? ": " : "", f->path);
	free(script);
}

/* The same, and from now on it is avoided: the memory that the result refers to
 * is reused by the next performance. */
static void conclude_and_avoid(struct finding *f, const struct result *r,
			       shows_fn *does, struct showing *s)
{
	conclude(s, f, r, "");
	avoid(s->e, f->program, does, s);
	drop_evidence(s);
}

void finding_replayed(struct exploration *e, struct program *p,
		      const struct result *r)
{
	struct finding *f = &e->finding[0];
	struct showing s = {.e = e};
	char *script = script_of(p);

	take_evidence(&s, r);
	*f = (struct finding){.program = p};
	snprintf(f->signature, sizeof(f->signature), "%s", r->signature);
	if (script)
		keep(&s, f, r, script, "");
	free(script);
}

bool finding_taken(struct exploration *e, const struct result *r)
{
	struct finding *f = &e->finding[e->findings];

	if (e->findings == FINDINGS_MOST)
		return false;
	*f = (struct finding){.result = *r, .seen_again = AGAIN_MOST};
	snprintf(f->signature, sizeof(f->signature), "%s", r->signature);
	/* Today's deviations determine what is known. */
	if (f->result.verdict == VERDICT_XFAIL) {
		f->result.verdict = VERDICT_FAIL;
		f->result.reason = "";
	}
	know(e, &f->result);
	e->findings++;
	e->news += f->result.verdict == VERDICT_FAIL;
	return true;
}

/* --- one that fails ------------------------------------------------------------------ */

static struct finding *found_before(struct exploration *e,
				    const char *signature)
{
	for (unsigned i = 0; i < e->findings; i++)
		if (has_requirement(signature, e->finding[i].signature))
			return &e->finding[i];
	return NULL;
}

/* If it shows the same with its streams one after the other, it does so each
 * time. */
static void order_streams(struct showing *s, struct program *p)
{
	static struct program was;

	if (p->streams == 1 || explore_ended)
		return;
	memcpy(&was, p, sizeof(was));
	let_take_turns(p);
	if (!performs_so(s, p))
		memcpy(p, &was, sizeof(*p));
}

/*
 * Replaces it by its shortest form, and the result of that in a bed with the
 * full waits: reduced with short waits, and with longer ones if these were
 * misleading. False: it is unchanged.
 */
static bool shrinks(struct showing *s, struct program *p, unsigned most,
		    struct result *result)
{
	static struct program was;
	struct exploration *e = s->e;
	json_t *whole = json_incref(s->evidence);

	memcpy(&was, p, sizeof(was));
	for (unsigned patient = 0; patient < 2; patient++) {
		memcpy(p, &was, sizeof(*p));
		e->bed.brief = !patient;
		shrink(p, shows, s, most);
		e->bed.brief = false;
		order_streams(s, p);
		for (unsigned k = 0; k < CONFIRM; k++)
			if (performs(s, p, result) &&
			    s->last.verdict == VERDICT_FAIL) {
				take_evidence(s, result);
				json_decref(whole);
				return true;
			}
	}
	memcpy(p, &was, sizeof(*p));
	drop_evidence(s);
	s->evidence = whole;
	return false;
}

/* All that is known of it. */
static struct result seen_by_hand(const struct outcome *o)
{
	return (struct result){.id = "",
			       .title = "",
			       .verdict = VERDICT_FAIL,
			       .level = "MUST",
			       .role = "",
			       .signature = o->signature,
			       .consequences = "",
			       .detail = o->detail,
			       .reason = ""};
}

/* Another program that shows what one has shown: it is left out as well. */
static void look_again(struct exploration *e, struct finding *f,
		       const struct outcome *seen)
{
	static struct program p;
	struct showing s = {.e = e, .signature = f->signature};
	struct result result;

	if (f->seen_again++ >= AGAIN_MOST)
		return;
	generate(&e->how, seen->number, &p);
	if (is_confirmed(&s, &p) && shrinks(&s, &p, SHRINK_AGAIN_MOST, &result))
		avoid(e, &p, shows, &s);
	drop_evidence(&s);
}

static bool look_at(struct exploration *e, const struct outcome *seen)
{
	struct finding *f = found_before(e, seen->signature);
	struct showing s = {.e = e};
	struct result result;

	if (f) {
		look_again(e, f, seen);
		return true;
	}
	if (e->findings == FINDINGS_MOST)
		return true;
	f = &e->finding[e->findings];
	*f = (struct finding){.number = seen->number};
	memcpy(f->signature, seen->signature, sizeof(f->signature));
	f->program = malloc(sizeof(*f->program));
	if (!f->program) {
		explore_note(e, "out of memory");
		return true;
	}
	s.signature = f->signature;
	generate(&e->how, seen->number, f->program);
	if (!is_confirmed(&s, f->program) && !is_confirmed_in_turn(&s, f)) {
		bool ended = explore_ended && explore_ended != SIGALRM;

		/* A message that is missing once, after such a short wait,
		 * proves nothing. */
		if (seen->unseen || ended || e->device_gone ||
		    seen->late_ns >= e->bed.wait_ns / LATE_PART) {
			e->again += !ended;
			free(f->program);
			return !ended;
		}
		result = seen_by_hand(seen);
		conclude(&s, f, &result,
			 "# seen once, but not when it ran again: by chance, "
			 "or because of other streams\n");
		return true;
	}
	if (!shrinks(&s, f->program, SHRINK_MOST, &result)) {
		result = seen_by_hand(&s.last);
		conclude(&s, f, &result,
			 "# fails every time as it stands; no shorter program "
			 "does\n");
		return true;
	}
	if (s.last.signature[0])
		memcpy(f->signature, s.last.signature, sizeof(f->signature));
	result.id = "";
	conclude_and_avoid(f, &result, shows, &s);
	return true;
}

/* --- one that takes the device down -------------------------------------------------- */

static bool takes_it_down(void *user, const struct program *p)
{
	struct showing *s = user;

	static struct hook_result seen;

	if (explore_ended || s->e->device_gone || s->crashes == CRASHES_MOST ||
	    !survival_fails(s->e, p, SURVIVAL_TRIES, s->result, &s->last,
			    &seen))
		return false;
	take_evidence(s, s->result);
	*s->seen = seen;
	s->crashes++;
	return true;
}

/* By its necessary part: explore/device-crashed/peer-reads/wrap. */
static const char *id_by_essence(const char *what, const struct program *p)
{
	struct avoided a = {.stream = true};
	bool has_fault;

	essence_of(p, &a);
	has_fault = a.numbers & 1u << (a.stream ? STREAM_FAULT : STEP_FAULT);
	return kept_f("explore/%s/%s%s%s", what,
		      a.stream ? "stream" : step_op_name(a.op),
		      has_fault ? "/" : "",
		      !has_fault ? ""
		      : a.stream ? stream_fault_name(a.fault)
				 : step_fault_name((enum step_fault)a.fault));
}

const char *const *explore_ids(const char *const *cases, size_t count,
			       size_t *n)
{
	const size_t most = count + REQ_COUNT + STEP_OPS * (size_t)STEP_FAULTS +
			    STEP_OPS + STARTUP_FAULTS;
	static const char **ids;
	static size_t made;

	*n = made;
	if (ids)
		return ids;
	ids = calloc(most, sizeof(*ids));
	*n = count;
	if (!ids)
		return NULL;
	memcpy(ids, cases, count * sizeof(*ids));
	for (unsigned i = 0; i < REQ_COUNT; i++)
		ids[(*n)++] = kept_f("explore/%s", req_table[i].id);
	for (unsigned op = 0; op < STEP_OPS; op++)
		for (unsigned f = 0; f < STEP_FAULTS; f++)
			if (!f ||
			    step_can_have((enum step_op)op, (enum step_fault)f))
				ids[(*n)++] = kept_f(
					"explore/" RESULT_CRASHED "/%s%s%s",
					step_op_name((enum step_op)op),
					f ? "/" : "",
					f ? step_fault_name((enum step_fault)f)
					  : "");
	for (unsigned f = 0; f < STARTUP_FAULTS; f++)
		ids[(*n)++] =
			kept_f("explore/" RESULT_CRASHED "/stream%s%s",
			       f ? "/" : "", f ? stream_fault_name(f) : "");
	made = *n;
	return ids;
}

static struct result crash_result(const struct program *p,
				  const struct hook_result *seen)
{
	/* If only its agent is gone, no crash is reported. */
	bool crashed = seen->end == HOOK_ILL;

	return (struct result){
		.id = id_by_essence(crashed ? RESULT_CRASHED : "agent-lost", p),
		.title = "",
		.verdict = crashed ? VERDICT_FAIL : VERDICT_ERROR,
		.level = crashed ? "MUST" : "",
		.role = "",
		.signature = crashed ? RESULT_CRASHED : "",
		.consequences = "",
		.detail = crashed ? seen->output : "",
		.reason = crashed ? "" : seen->line};
}

void finding_replayed_crash(struct exploration *e, struct program *p,
			    const struct hook_result *seen)
{
	struct result r = crash_result(p, seen);

	e->refused |= r.verdict == VERDICT_ERROR;
	finding_replayed(e, p, &r);
}

void finding_crash(struct exploration *e, struct program *p,
		   const struct hook_result *seen)
{
	static struct hook_result last_seen;
	struct finding *f = &e->finding[e->findings];
	struct result result = {.verdict = VERDICT_FAIL};
	struct showing s = {.e = e, .result = &result, .seen = &last_seen};

	if (e->findings == FINDINGS_MOST)
		return;
	*f = (struct finding){.number = p->number};
	f->program = malloc(sizeof(*f->program));
	if (!f->program) {
		explore_note(e, "out of memory");
		return;
	}
	memcpy(f->program, p, sizeof(*p));
	explore_says(e, "program %" PRIu64 " takes the device down", p->number);
	last_seen = *seen;
	e->bed.brief = false;
	if (health_can_reset(e->o->run->hooks))
		shrink(f->program, takes_it_down, &s, SHRINK_MOST);
	snprintf(f->signature, sizeof(f->signature), RESULT_CRASHED);
	result = crash_result(f->program, &last_seen);
	e->refused |= result.verdict == VERDICT_ERROR;
	conclude_and_avoid(f, &result, takes_it_down, &s);
}

void finding_refused(struct exploration *e, const struct outcome *seen)
{
	struct finding *f = &e->finding[e->findings];
	struct result result = {.verdict = VERDICT_ERROR};
	struct showing s = {.e = e};

	if (e->findings == FINDINGS_MOST)
		return;
	*f = (struct finding){.number = seen->number};
	f->program = malloc(sizeof(*f->program));
	if (!f->program) {
		explore_note(e, "out of memory");
		return;
	}
	generate(&e->how, seen->number, f->program);
	e->bed.brief = false;
	if (!is_refused(&s, f->program)) {
		e->again += !explore_ended;
		free(f->program);
		return;
	}
	shrink(f->program, is_refused, &s, SHRINK_MOST);
	result = (struct result){.id = id_by_essence("refused", f->program),
				 .title = "",
				 .verdict = VERDICT_ERROR,
				 .level = "",
				 .role = "",
				 .signature = "",
				 .consequences = "",
				 .detail = "",
				 .reason = seen->reason};
	e->refused = true;
	conclude_and_avoid(f, &result, is_refused, &s);
}

void finding_unjudged(struct exploration *e, const struct outcome *seen)
{
	static struct program p;
	struct finding f = {.number = seen->number, .program = &p};
	char *script, why[512];

	generate(&e->how, seen->number, &p);
	script = script_of(&p);
	if (script)
		save_program(e, &f, script);
	free(script);
	snprintf(why, sizeof(why), "program %" PRIu64 ": %.200s%s%.200s",
		 seen->number, seen->reason, f.path[0] ? ": " : "", f.path);
	explore_note(e, why);
}

bool finding_look_at(struct exploration *e, const struct outcome *seen)
{
	static struct hook_result down;
	bool known = look_at(e, seen);
	struct program *p = e->culprit;
	struct result result;
	struct outcome out;

	e->culprit = NULL;
	if (p && !explore_ended && !e->device_gone &&
	    survival_fails(e, p, SURVIVAL_TRIES, &result, &out, &down))
		finding_crash(e, p, &down);
	free(p);
	return known;
}

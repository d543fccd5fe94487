/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that fails: performed again, and reduced to the shortest program
 * that shows the same.
 */
#include "suite/explore/finding/finding.h"

#include <stdlib.h>
#include <string.h>

enum {
	SHRINK_AGAIN_MOST = 100, /* performances for one more program */
	LATE_PART = 4,           /* the part of a wait that decides nothing
				  * (run/host.c) */
};

static bool shows(void *user, const struct program *p)
{
	struct showing *s = user;

	return !explore_ended && showing_performs_so(s, p);
}

/* Shown again, by a bed that waits as long as any. Time that is over leaves
 * that much. */
static bool is_confirmed(struct showing *s, const struct program *p)
{
	s->e->bed.brief = false;
	for (unsigned i = 0; i < CONFIRM; i++)
		if ((!explore_ended || explore_ended == SIGALRM) &&
		    showing_performs_so(s, p))
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

static struct finding *found_before(struct exploration *e,
				    const char *signature)
{
	for (unsigned i = 0; i < e->findings; i++)
		if (showing_has_requirement(signature, e->finding[i].signature))
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
	if (!showing_performs_so(s, p))
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
			if (showing_performs(s, p, result) &&
			    s->last.verdict == VERDICT_FAIL) {
				showing_take_evidence(s, result);
				json_decref(whole);
				return true;
			}
	}
	memcpy(p, &was, sizeof(*p));
	showing_drop_evidence(s);
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
		avoid_program(e, &p, shows, &s);
	showing_drop_evidence(&s);
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
		conclude_finding(
			&s, f, &result,
			"# seen once, but not when it ran again: by chance, "
			"or because of other streams\n");
		return true;
	}
	if (!shrinks(&s, f->program, SHRINK_MOST, &result)) {
		result = seen_by_hand(&s.last);
		conclude_finding(
			&s, f, &result,
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

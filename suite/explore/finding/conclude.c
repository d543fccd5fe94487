/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is kept of a finding: the shortest program, as a file, and its result.
 * Known deviations of the device are expected.
 */
#include "suite/explore/finding/finding.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "harness/text/memstream.h"

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

const char *conclude_text(const char *fmt, ...)
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
	r->reason = conclude_text("known to be broken: %s", reason);
}

/* A copy of the result, preceded by the program. */
static void keep(struct showing *s, struct finding *f, const struct result *r,
		 const char *script, const char *how)
{
	unsigned n = program_operations(f->program);
	struct exploration *e = s->e;

	f->result = *r;
	f->result.id = *r->id ? kept(r->id)
			      : conclude_text("explore/%.*s",
					      (int)finding_first(f->signature),
					      f->signature);
	f->result.title = n ? conclude_text("a program of %u operation%s", n,
					    n == 1 ? "" : "s")
			    : kept("a startup without any operation");
	f->result.detail = conclude_text(
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
	showing_give_evidence(s, &f->result);
	keep_broken(&f->result, r);
	know(e, &f->result);
	e->findings++;
	e->news += f->result.verdict == VERDICT_FAIL;
}

void conclude_finding(struct showing *s, struct finding *f,
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

void conclude_and_avoid(struct finding *f, const struct result *r,
			shows_fn *does, struct showing *s)
{
	conclude_finding(s, f, r, "");
	avoid_program(s->e, f->program, does, s);
	showing_drop_evidence(s);
}

void finding_replayed(struct exploration *e, struct program *p,
		      const struct result *r)
{
	struct finding *f = &e->finding[0];
	struct showing s = {.e = e};
	char *script = script_of(p);

	showing_take_evidence(&s, r);
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

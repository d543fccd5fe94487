/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/deviations.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ini.h>

#include "suite/registry.h"

struct entry {
	char glob[256], signature[512], reason[512], reference[256];
	char expires[16]; /* YYYY-MM-DD, or "" */
	struct entry *next;
};

struct deviations {
	struct entry *first, *last;
	const char *path;
	char wrong[256]; /* while loading: the first bad key */
};

/* --- loading ---------------------------------------------------------------- */

static bool is_date(const char *s)
{
	struct tm tm = {0};
	const char *end = strptime(s, "%Y-%m-%d", &tm);

	return strlen(s) == 10 && end && !*end;
}

static struct entry *new_entry(struct deviations *d)
{
	struct entry *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	if (d->last)
		d->last->next = e;
	else
		d->first = e;
	d->last = e;
	return e;
}

/* A value that goes on in further, indented lines comes in parts. */
static bool append(char *to, size_t cap, const char *value)
{
	size_t had = strlen(to), n = strlen(value);

	if (had + n + 2 > cap)
		return false;
	if (had)
		to[had++] = ' ';
	memcpy(to + had, value, n + 1);
	return true;
}

static int on_key(void *user, const char *section, const char *key,
		  const char *value)
{
	struct deviations *d = user;
	struct entry *e = d->last;
	bool ok = false;

	/* A glob is longer than libinih lets the name of a section be. */
	if (strcmp(section, "deviation") != 0)
		ok = false;
	else if (strcmp(key, "case") == 0)
		ok = (e = new_entry(d)) &&
		     append(e->glob, sizeof(e->glob), value);
	else if (e && strcmp(key, "signature") == 0)
		ok = append(e->signature, sizeof(e->signature), value);
	else if (e && strcmp(key, "reason") == 0)
		ok = append(e->reason, sizeof(e->reason), value);
	else if (e && strcmp(key, "reference") == 0)
		ok = append(e->reference, sizeof(e->reference), value);
	else if (e && strcmp(key, "expires") == 0)
		ok = is_date(value) && !e->expires[0] &&
		     append(e->expires, sizeof(e->expires), value);
	if (!ok && !d->wrong[0])
		snprintf(d->wrong, sizeof(d->wrong),
			 "[%s] %s = %s: expected [deviation] and in it case, "
			 "then signature, reason, reference, or expires = "
			 "YYYY-MM-DD",
			 section, key, value);
	return ok;
}

struct deviations *deviations_load(const char *path, bool may_be_missing,
				   char *why, size_t cap)
{
	struct deviations *d = calloc(1, sizeof(*d));
	int line;

	if (!d) {
		snprintf(why, cap, "out of memory");
		return NULL;
	}
	d->path = path;
	if (may_be_missing && access(path, F_OK) < 0 && errno == ENOENT)
		return d;
	line = ini_parse(path, on_key, d);
	if (line == 0) {
		for (struct entry *e = d->first; e; e = e->next)
			if (!e->signature[0] || !e->reason[0]) {
				snprintf(why, cap,
					 "%s: case = %s: signature and reason "
					 "are both due",
					 path, e->glob);
				deviations_free(d);
				return NULL;
			}
		return d;
	}
	if (line < 0)
		snprintf(why, cap, "%s: %s", path,
			 errno ? strerror(errno) : "cannot be read");
	else
		snprintf(why, cap, "%s:%d: %s", path, line,
			 d->wrong[0] ? d->wrong
				     : "neither a [section] nor 'key = value'");
	deviations_free(d);
	return NULL;
}

void deviations_free(struct deviations *d)
{
	while (d && d->first) {
		struct entry *e = d->first;

		d->first = e->next;
		free(e);
	}
	free(d);
}

/* --- applying ---------------------------------------------------------------- */

static bool expired(const struct entry *e, time_t now)
{
	char today[16];
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(today, sizeof(today), "%Y-%m-%d", &tm);
	return e->expires[0] && strcmp(e->expires, today) < 0;
}

static bool matches_a_case(const struct entry *e)
{
	const struct registry *r = registry();

	for (size_t i = 0; i < r->count; i++)
		if (fnmatch(e->glob, r->instances[i].id, 0) == 0)
			return true;
	return false;
}

static bool is_failure(const struct result *r)
{
	return r->verdict == VERDICT_FAIL || r->verdict == VERDICT_XFAIL;
}

static bool was_judged(const struct result *r)
{
	return r->verdict != VERDICT_SKIP && r->verdict != VERDICT_ERROR;
}

/* NULL: fine. Otherwise what is stale about it, among these results. */
static const char *stale(const struct entry *e, const struct result *results,
			 size_t n, time_t now)
{
	static char text[512];

	if (expired(e, now))
		return "has expired";
	if (!matches_a_case(e))
		return "matches no case";
	for (size_t i = 0; i < n; i++) {
		const struct result *r = &results[i];

		if (!was_judged(r) || fnmatch(e->glob, r->id, 0) != 0)
			continue;
		if (!is_failure(r)) {
			snprintf(text, sizeof(text), "%s does not fail", r->id);
			return text;
		}
		if (strcmp(r->signature, e->signature) != 0) {
			snprintf(text, sizeof(text),
				 "%s fails in a new way: %s", r->id,
				 r->signature);
			return text;
		}
	}
	return NULL;
}

size_t deviations_apply(const struct deviations *d, struct result *results,
			size_t n, time_t now, char *why, size_t cap)
{
	size_t count = 0;

	for (const struct entry *e = d->first; e; e = e->next) {
		const char *text = stale(e, results, n, now);

		if (text && !count++)
			snprintf(why, cap, "%s: stale deviation of %s: %s",
				 d->path, e->glob, text);
		for (size_t i = 0; !expired(e, now) && i < n; i++)
			if (results[i].verdict == VERDICT_FAIL &&
			    fnmatch(e->glob, results[i].id, 0) == 0 &&
			    strcmp(results[i].signature, e->signature) == 0) {
				results[i].verdict = VERDICT_XFAIL;
				results[i].reason = e->reason;
			}
	}
	if (count > 1) {
		size_t at = strlen(why);

		if (at < cap)
			snprintf(why + at, cap - at, " (and %zu more)",
				 count - 1);
	}
	return count;
}

/* --- updating ---------------------------------------------------------------- */

static const struct entry *entry_for(const struct deviations *d, const char *id)
{
	for (const struct entry *e = d->first; e; e = e->next)
		if (fnmatch(e->glob, id, 0) == 0)
			return e;
	return NULL;
}

/* Lines are kept short: libinih takes no more than 199 octets of one. */
static void write_value(FILE *f, const char *key, const char *value)
{
	size_t column = (size_t)fprintf(f, "%s =", key);

	for (bool first = true; *value; first = false) {
		size_t n = strcspn(value, " ");

		if (!first && column + n > 100)
			column = (size_t)fprintf(f, "\n\t");
		column += (size_t)fprintf(f, " %.*s", (int)n, value);
		value += n + strspn(value + n, " ");
	}
	fputc('\n', f);
}

static void write_entry(FILE *f, const char *name, const char *signature,
			const struct entry *e)
{
	fputs("[deviation]\n", f);
	write_value(f, "case", name);
	write_value(f, "signature", signature);
	write_value(f, "reason",
		    e && e->reason[0] ? e->reason : "not yet explained");
	if (e && e->reference[0])
		write_value(f, "reference", e->reference);
	if (e && e->expires[0])
		write_value(f, "expires", e->expires);
	fputc('\n', f);
}

static bool any_ran(const struct entry *e, const struct result *results,
		    size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (was_judged(&results[i]) &&
		    fnmatch(e->glob, results[i].id, 0) == 0)
			return true;
	return false;
}

bool deviations_update(const struct deviations *d, const char *path,
		       const struct result *results, size_t n, char *why,
		       size_t cap)
{
	char *temporary;

	if (asprintf(&temporary, "%s.new", path) < 0) {
		snprintf(why, cap, "out of memory");
		return false;
	}
	FILE *f = fopen(temporary, "we");

	if (f) {
		fputs("; Known deviations; see --deviations.\n\n", f);
		for (size_t i = 0; i < n; i++)
			if (is_failure(&results[i]))
				write_entry(f, results[i].id,
					    results[i].signature,
					    entry_for(d, results[i].id));
		for (const struct entry *e = d->first; e; e = e->next)
			if (!any_ran(e, results, n) && matches_a_case(e))
				write_entry(f, e->glob, e->signature, e);
	}
	bool ok = f && fflush(f) == 0 && !ferror(f) && fsync(fileno(f)) == 0;

	if (f && fclose(f) != 0)
		ok = false;
	if (ok && rename(temporary, path) < 0)
		ok = false;
	if (!ok) {
		snprintf(why, cap, "%s: %s", path, strerror(errno));
		unlink(temporary);
	}
	free(temporary);
	return ok;
}

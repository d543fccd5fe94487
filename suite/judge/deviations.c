/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/judge/deviations.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <string.h>
#include <unistd.h>

#include <ini.h>

#include "harness/text/text_file.h"
#include "suite/req/req.h"

#define GLOB_MAX  256
#define AVOID_MAX 200
#define PROGRAMS  "explore/" /* ids of what programs find */

struct entry {
	char (*globs)[GLOB_MAX];
	size_t glob_count;
	char signature[512], reason[1024], reference[256];
	char expires[16]; /* YYYY-MM-DD, or "" */
	bool sometimes;
	char (*avoid)[AVOID_MAX];
	size_t avoids;
	char *apart;    /* comments before it that do not belong to it, or
			 * NULL */
	char *comments; /* those that do */
	struct entry *next;
};

struct kept {
	char *text;
	struct kept *next;
};

struct deviations {
	struct entry *first, *last;
	const char *path;
	const char *const *ids; /* of all cases */
	size_t id_count;
	struct result_stale *stale;
	size_t stale_count;
	struct kept *kept; /* joined reasons, for the results */
	char *comments;    /* after the last entry, or NULL */
	/* while loading */
	struct text_lines text;
	bool section_begins; /* a [section] was read, none of its keys yet */
	char wrong[512];     /* the first bad key */
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

/* The line that every update begins with, and that of older versions. */
#define HEAD                                                                   \
	"; Known deviations of a device: man 5 warpspec-deviations. "          \
	"--update-deviations writes them anew."
#define OLDER_HEAD "; Known deviations; see --deviations."

/* Append to a text, which is NULL as long as it is empty. */
static void add_text(char **to, const char *text, size_t n)
{
	size_t had = *to ? strlen(*to) : 0;
	char *longer = realloc(*to, had + n + 1);

	if (!longer)
		return;
	memcpy(longer + had, text, n);
	longer[had + n] = '\0';
	*to = longer;
}

static bool is_head(const char *line, size_t n, const char *head)
{
	return n == strlen(head) && strncmp(line, head, n) == 0;
}

/* The text that libinih ignores: a line, or a comment after a blank. */
static void remember_comment(struct deviations *d, const char *line)
{
	const char *at = line + strspn(line, " \t");
	size_t n = strcspn(at, "\r\n");

	if (n == 0) {
		if (d->comments)
			add_text(&d->comments, "\n", 1);
		return;
	}
	if (*at != ';' && *at != '#') {
		for (at++, n = strcspn(at, "\r\n"); n; at++, n--)
			if (*at == ';' && (at[-1] == ' ' || at[-1] == '\t'))
				break;
	}
	if (!n || is_head(at, n, HEAD) || is_head(at, n, OLDER_HEAD))
		return;
	add_text(&d->comments, at, n);
	add_text(&d->comments, "\n", 1);
}

/* The comments read so far belong to the entry; those before its first line,
 * only if no empty line separates them. */
static void take_comments(struct deviations *d, struct entry *e, bool first)
{
	char *all = d->comments, *own = all;

	if (!all)
		return;
	for (char *p = all; first && (p = strstr(p, "\n\n")); p++)
		own = p + 2;
	if (own != all)
		add_text(&e->apart, all, (size_t)(own - all));
	add_text(&e->comments, own, strlen(own));
	free(all);
	d->comments = NULL;
}

/* libinih does not report the beginning of a section: its reader detects it. */
static char *read_line(char *line, int size, void *user)
{
	struct deviations *d = user;

	if (!text_lines_next(&d->text, line, size))
		return NULL;
	if (line[strspn(line, " \t")] == '[')
		d->section_begins = true;
	remember_comment(d, line);
	return line;
}

static bool add_globs(struct entry *e, const char *value)
{
	for (size_t n; *value; value += n + strspn(value + n, " \t")) {
		void *more = realloc(e->globs,
				     (e->glob_count + 1) * sizeof(*e->globs));

		n = strcspn(value, " \t");
		if (!more)
			return false;
		e->globs = more;
		if (n >= GLOB_MAX)
			return false;
		memcpy(e->globs[e->glob_count], value, n);
		e->globs[e->glob_count++][n] = '\0';
	}
	return true;
}

static bool add_avoid(struct entry *e, const char *value)
{
	void *more = realloc(e->avoid, (e->avoids + 1) * sizeof(*e->avoid));

	if (!more)
		return false;
	e->avoid = more;
	return (size_t)snprintf(e->avoid[e->avoids++], AVOID_MAX, "%s", value) <
	       AVOID_MAX;
}

/* A value with further, indented lines arrives in parts. */
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
	struct entry *e = d->section_begins ? new_entry(d) : d->last;
	bool ok = false;

	if (e)
		take_comments(d, e, d->section_begins);
	d->section_begins = false;
	if (strcmp(section, "deviation") != 0 || !e)
		ok = false;
	else if (strcmp(key, "case") == 0)
		ok = add_globs(e, value);
	else if (strcmp(key, "signature") == 0)
		ok = append(e->signature, sizeof(e->signature), value);
	else if (strcmp(key, "reason") == 0)
		ok = append(e->reason, sizeof(e->reason), value);
	else if (strcmp(key, "reference") == 0)
		ok = append(e->reference, sizeof(e->reference), value);
	else if (strcmp(key, "expires") == 0)
		ok = is_date(value) && !e->expires[0] &&
		     append(e->expires, sizeof(e->expires), value);
	else if (strcmp(key, "sometimes") == 0)
		ok = e->sometimes = strcmp(value, "yes") == 0;
	else if (strcmp(key, "avoid") == 0)
		ok = *value && add_avoid(e, value);
	if (!ok && !d->wrong[0])
		snprintf(d->wrong, sizeof(d->wrong),
			 "[%s] %s = %s: expected in [deviation]: case, "
			 "signature, reason, reference, sometimes = yes, avoid "
			 "= STEP, or expires = YYYY-MM-DD",
			 section, key, value);
	return ok;
}

/* NULL: every entry has what it needs. */
static const struct entry *incomplete(const struct deviations *d)
{
	for (const struct entry *e = d->first; e; e = e->next)
		if (!e->glob_count || !e->signature[0] || !e->reason[0])
			return e;
	return NULL;
}

static const char *name_of(const struct entry *e)
{
	return e->glob_count ? e->globs[0] : "";
}

struct deviations *deviations_parse(const char *path, const char *text,
				    size_t n, const char *const *ids,
				    size_t id_count, char *why, size_t cap)
{
	struct deviations *d = calloc(1, sizeof(*d));
	int line;

	if (!d) {
		snprintf(why, cap, "out of memory");
		return NULL;
	}
	d->path = path;
	d->ids = ids;
	d->id_count = id_count;
	d->text = (struct text_lines){text, text + n};
	if (!text_check(path, 1, text, n, TEXT_INI_LINE, why, cap)) {
		deviations_free(d);
		return NULL;
	}
	line = ini_parse_stream(read_line, d, on_key, d);
	d->text = (struct text_lines){0};
	const struct entry *bad = line == 0 ? incomplete(d) : NULL;

	if (bad) {
		snprintf(why, cap,
			 "%s: case = %s: case, signature and reason are all "
			 "required",
			 path, name_of(bad));
		deviations_free(d);
		return NULL;
	}
	if (line == 0)
		return d;
	if (line < 0)
		snprintf(why, cap, "%s: out of memory", path);
	else
		snprintf(why, cap, "%s:%d: %s", path, line,
			 d->wrong[0] ? d->wrong
				     : "neither a [section] nor 'key = value'");
	deviations_free(d);
	return NULL;
}

struct deviations *deviations_load(const char *path, bool may_be_missing,
				   const char *const *ids, size_t id_count,
				   char *why, size_t cap)
{
	const struct text_bounds bounds = {TEXT_INI_FILE, TEXT_INI_LINE};
	bool missing;
	size_t n;
	char *text = text_file_read(path, &bounds, &n, &missing, why, cap);
	struct deviations *d = NULL;

	if (text)
		d = deviations_parse(path, text, n, ids, id_count, why, cap);
	else if (may_be_missing && missing)
		d = deviations_parse(path, "", 0, ids, id_count, why, cap);
	free(text);
	return d;
}

static void forget_stale(struct deviations *d)
{
	for (size_t i = 0; i < d->stale_count; i++)
		free((void *)(uintptr_t)d->stale[i].text);
	free(d->stale);
	d->stale = NULL;
	d->stale_count = 0;
}

void deviations_free(struct deviations *d)
{
	while (d && d->first) {
		struct entry *e = d->first;

		d->first = e->next;
		free(e->globs);
		free(e->avoid);
		free(e->apart);
		free(e->comments);
		free(e);
	}
	if (d) {
		forget_stale(d);
		free(d->comments);
	}
	while (d && d->kept) {
		struct kept *k = d->kept;

		d->kept = k->next;
		free(k->text);
		free(k);
	}
	free(d);
}

/* --- matching --------------------------------------------------------------- */

static bool matches(const struct entry *e, const char *id)
{
	for (size_t i = 0; i < e->glob_count; i++)
		if (fnmatch(e->globs[i], id, 0) == 0)
			return true;
	return false;
}

/* A signature is words with a blank between them: the length of the next
 * one. */
static size_t word(const char *at)
{
	return strcspn(at, " ");
}

static const char *next_word(const char *at)
{
	at += word(at);
	return at + strspn(at, " ");
}

static bool has_word(const char *words, const char *w)
{
	for (; *words; words = next_word(words))
		if (word(words) == word(w) && strncmp(words, w, word(w)) == 0)
			return true;
	return false;
}

static bool is_failure(const struct result *r)
{
	return r->verdict == VERDICT_FAIL || r->verdict == VERDICT_XFAIL;
}

/* Whether the result can confirm the entry: after a crash of the device nothing
 * else shows. */
static bool speaks_of(const struct result *r, const struct entry *e)
{
	return r->verdict != VERDICT_SKIP && r->verdict != VERDICT_ERROR &&
	       r->verdict != VERDICT_BLOCKED &&
	       (!has_word(r->signature, RESULT_CRASHED) ||
		has_word(e->signature, RESULT_CRASHED));
}

/* Whether everything that the entry names is broken in this case. */
static bool still_holds(const struct entry *e, const struct result *r)
{
	if (!is_failure(r) || !matches(e, r->id))
		return false;
	for (const char *w = e->signature; *w; w = next_word(w))
		if (!has_word(r->signature, w))
			return false;
	return true;
}

static bool expired(const struct entry *e, time_t now)
{
	char today[16];
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(today, sizeof(today), "%Y-%m-%d", &tm);
	return e->expires[0] && strcmp(e->expires, today) < 0;
}

/* An entry that explains why this requirement is broken in this case. */
static const struct entry *explains(const struct deviations *d,
				    const struct result *r, const char *w,
				    time_t now)
{
	for (const struct entry *e = d->first; e; e = e->next)
		if (has_word(e->signature, w) && !expired(e, now) &&
		    still_holds(e, r))
			return e;
	return NULL;
}

static bool glob_matches_a_case(const struct deviations *d, const char *glob)
{
	for (size_t i = 0; i < d->id_count; i++)
		if (fnmatch(glob, d->ids[i], 0) == 0)
			return true;
	return false;
}

/* --- applying ---------------------------------------------------------------- */

static void __attribute__((format(printf, 4, 5)))
is_stale(struct deviations *d, const char *name, const char *id,
	 const char *fmt, ...)
{
	struct result_stale *more =
		realloc(d->stale, (d->stale_count + 1) * sizeof(*more));
	va_list ap;
	char *text;

	if (!more)
		return;
	d->stale = more;
	va_start(ap, fmt);
	int n = vasprintf(&text, fmt, ap);

	va_end(ap);
	if (n < 0)
		return;
	more[d->stale_count++] =
		(struct result_stale){.entry = name, .id = id, .text = text};
}

/* The case ran, and the entry does not hold. */
static bool is_at_odds(const struct entry *e, const struct result *r)
{
	return !e->sometimes && speaks_of(r, e) && matches(e, r->id) &&
	       !still_holds(e, r);
}

static const char *and_more(char text[64], size_t n)
{
	*text = '\0';
	if (n > 1)
		snprintf(text, 64, " (so in %zu more of its cases)", n - 1);
	return text;
}

/* The first case identifies the entry. */
static const char *it_or(const struct entry *e, const char *id)
{
	return strcmp(name_of(e), id) == 0 ? "it" : id;
}

/* One line for each entry that does not hold, however many cases show it. */
static void look_at_entry(struct deviations *d, const struct entry *e,
			  const struct result *results, size_t n, time_t now)
{
	if (expired(e, now)) {
		is_stale(d, name_of(e), "", "has expired");
		return;
	}
	for (size_t i = 0; i < e->glob_count; i++)
		if (!glob_matches_a_case(d, e->globs[i])) {
			is_stale(d, e->globs[i], "", "matches no case");
			return;
		}
	const struct result *fixed = NULL, *otherwise = NULL;
	size_t mended_count = 0, otherwise_count = 0;
	char more[64];

	for (size_t i = 0; i < n; i++) {
		const struct result *r = &results[i];

		if (!is_at_odds(e, r))
			continue;
		if (is_failure(r)) {
			otherwise = otherwise ? otherwise : r;
			otherwise_count++;
		} else {
			fixed = fixed ? fixed : r;
			mended_count++;
		}
	}
	if (fixed)
		is_stale(d, name_of(e), fixed->id,
			 "%s: %s does not fail%s; --update-deviations removes "
			 "it",
			 e->signature, it_or(e, fixed->id),
			 and_more(more, mended_count));
	if (otherwise)
		is_stale(d, name_of(e), otherwise->id,
			 "%s: %s fails in a new way%s: %s", e->signature,
			 it_or(e, otherwise->id),
			 and_more(more, otherwise_count), otherwise->signature);
}

/* Explained by an entry, and no entry contradicts this result. */
static bool is_listed(const struct deviations *d, const struct result *r,
		      time_t now)
{
	bool listed = false;

	for (const struct entry *e = d->first; e; e = e->next) {
		if (expired(e, now) || !matches(e, r->id))
			continue;
		if (is_at_odds(e, r))
			return false;
		listed = true;
	}
	return listed;
}

/* Either about cases, and so about any program; or about this program. */
static bool is_of_cases(const struct entry *e, const char *id)
{
	for (size_t i = 0; i < e->glob_count; i++)
		if (strncmp(e->globs[i], PROGRAMS, sizeof(PROGRAMS) - 1) != 0 ||
		    fnmatch(e->globs[i], id, 0) == 0)
			return true;
	return false;
}

/* The same for any case. */
static const struct entry *names(const struct deviations *d,
				 const struct result *r, const char *w,
				 time_t now)
{
	for (const struct entry *e = d->first; e; e = e->next)
		if (has_word(e->signature, w) && !expired(e, now) &&
		    is_of_cases(e, r->id))
			return e;
	return NULL;
}

/* Only failures have to be known. */
static bool is_must(const char *w)
{
	for (unsigned short i = 0; i < REQ_COUNT; i++)
		if (strlen(req_table[i].id) == word(w) &&
		    strncmp(req_table[i].id, w, word(w)) == 0)
			return req_table[i].kind == REQ_KIND_must;
	return true;
}

typedef const struct entry *explains_fn(const struct deviations *d,
					const struct result *r, const char *w,
					time_t now);

/* The reasons of the entries that explain a failure, each once; NULL: no entry
 * explains one of the broken requirements. */
static const char *explanation(struct deviations *d, const struct result *r,
			       explains_fn *explained, time_t now)
{
	struct kept *k = calloc(1, sizeof(*k));
	const char *w = r->signature;

	if (!k)
		return NULL;
	k->next = d->kept;
	d->kept = k;
	for (; *w; w = next_word(w)) {
		const struct entry *e = explained(d, r, w, now);
		char *longer;

		if (!e && explained == names && !is_must(w))
			continue;
		if (!e)
			return NULL;
		if (k->text && strstr(k->text, e->reason))
			continue;
		if (asprintf(&longer, "%s%s%s", k->text ? k->text : "",
			     k->text ? "; " : "", e->reason) < 0)
			return NULL;
		free(k->text);
		k->text = longer;
	}
	return k->text;
}

/* Give each broken requirement the reason of the entry that explains it. */
static void tell_broken(const struct deviations *d, struct result *r,
			explains_fn *explained, time_t now)
{
	for (size_t i = 0; i < r->broken_count; i++) {
		const struct entry *e =
			explained(d, r, r->broken[i].requirement, now);

		r->broken[i].known = e ? e->reason : "";
	}
}

size_t deviations_apply(struct deviations *d, struct result *results, size_t n,
			time_t now, const struct result_stale **stale)
{
	forget_stale(d);
	for (const struct entry *e = d->first; e; e = e->next)
		look_at_entry(d, e, results, n, now);
	for (size_t i = 0; i < n; i++) {
		struct result *r = &results[i];

		if (r->verdict != VERDICT_FAIL)
			continue;
		const char *reason = deviations_reason(d, r, now);

		if (reason) {
			r->verdict = VERDICT_XFAIL;
			r->reason = reason;
			tell_broken(d, r, explains, now);
		} else if (is_listed(d, r, now)) {
			is_stale(d, r->id, r->id, "%s fails in a new way: %s",
				 r->id, r->signature);
		}
	}
	*stale = d->stale;
	return d->stale_count;
}

const char *deviations_reason(struct deviations *d, const struct result *r,
			      time_t now)
{
	return r->verdict == VERDICT_FAIL ? explanation(d, r, explains, now)
					  : NULL;
}

const char *deviations_requirements(struct deviations *d, struct result *r,
				    time_t now)
{
	const char *reason = explanation(d, r, names, now);

	if (reason)
		tell_broken(d, r, names, now);
	return reason;
}

const char *deviations_avoid(const struct deviations *d, size_t n, time_t now)
{
	for (const struct entry *e = d->first; e; e = e->next) {
		if (expired(e, now))
			continue;
		if (n < e->avoids)
			return e->avoid[n];
		n -= e->avoids;
	}
	return NULL;
}

const char *deviations_crash(const struct deviations *d, const char *id,
			     time_t now)
{
	for (const struct entry *e = d->first; e; e = e->next)
		if (has_word(e->signature, RESULT_CRASHED) &&
		    !expired(e, now) && matches(e, id))
			return e->reason;
	return NULL;
}

/* --- updating ---------------------------------------------------------------- */

/* Lines are kept short: libinih reads at most 199 octets of a line. */
/* The first `octets` of it, in lines that are short enough to be read. */
static void write_octets(FILE *f, const char *key, const char *value,
			 size_t octets)
{
	const char *end = value + octets;
	size_t column = (size_t)fprintf(f, "%s =", key);

	for (bool first = true; value < end; first = false) {
		size_t n = strcspn(value, " ");

		if (!first && column + n > 100)
			column = (size_t)fprintf(f, "\n\t");
		column += (size_t)fprintf(f, " %.*s", (int)n, value);
		value += n + strspn(value + n, " ");
	}
	fputc('\n', f);
}

static void write_value(FILE *f, const char *key, const char *value)
{
	write_octets(f, key, value, strlen(value));
}

static void write_rest(FILE *f, const char *signature, size_t n,
		       const struct entry *e)
{
	write_octets(f, "signature", signature, n);
	write_value(f, "reason", e ? e->reason : RESULT_UNEXPLAINED);
	if (e && e->reference[0])
		write_value(f, "reference", e->reference);
	if (e && e->sometimes)
		fputs("sometimes = yes\n", f);
	for (size_t i = 0; e && i < e->avoids; i++)
		fprintf(f, "avoid = %s\n", e->avoid[i]);
	if (e && e->expires[0])
		write_value(f, "expires", e->expires);
	fputc('\n', f);
}

/* Without the empty lines at the end. */
static void write_comments(FILE *f, const char *text)
{
	size_t n = text ? strlen(text) : 0;

	while (n > 1 && text[n - 1] == '\n' && text[n - 2] == '\n')
		n--;
	if (n)
		fwrite(text, 1, n, f);
}

/* An entry while it is written. */
struct writing {
	FILE *f;
	const struct entry *old; /* or NULL */
	size_t cases;
	bool same; /* so far, the cases of the old entry */
};

/* One per line; the first one opens the entry. */
static void write_case(struct writing *w, const char *name)
{
	const struct entry *e = w->old;

	if (!w->cases && e)
		write_comments(w->f, e->comments);
	fprintf(w->f, "%s%s\n", w->cases ? "\t" : "[deviation]\ncase = ", name);
	w->same = w->same && e && w->cases < e->glob_count &&
		  strcmp(e->globs[w->cases], name) == 0;
	w->cases++;
}

static const struct result *result_of(const struct result *results, size_t n,
				      const char *id)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(results[i].id, id) == 0)
			return &results[i];
	return NULL;
}

/* Its cases that still fail in the same way, and those that did not run. */
static void write_old(FILE *f, const struct deviations *d,
		      const struct entry *e, const struct result *results,
		      size_t n, struct deviations_written *written)
{
	struct writing w = {.f = f, .old = e, .same = true};

	if (e->apart) {
		write_comments(f, e->apart);
		fputc('\n', f);
	}

	for (size_t g = 0; g < e->glob_count; g++) {
		bool ran = false;

		for (size_t i = 0; i < n; i++)
			ran |= !e->sometimes && speaks_of(&results[i], e) &&
			       fnmatch(e->globs[g], results[i].id, 0) == 0;
		if (!ran && glob_matches_a_case(d, e->globs[g]))
			write_case(&w, e->globs[g]);
		for (size_t i = 0; ran && i < n; i++)
			if (fnmatch(e->globs[g], results[i].id, 0) == 0 &&
			    still_holds(e, &results[i]))
				write_case(&w, results[i].id);
		for (size_t i = 0; ran && i < d->id_count; i++) {
			const char *id = d->ids[i];
			const struct result *r = result_of(results, n, id);

			if (fnmatch(e->globs[g], id, 0) == 0 &&
			    (!r || !speaks_of(r, e)))
				write_case(&w, id);
		}
	}
	if (w.cases)
		write_rest(f, e->signature, strlen(e->signature), e);
	if (!w.cases)
		written->removed++;
	else if (w.same && w.cases == e->glob_count)
		written->kept++;
	else
		written->changed++;
}

/* Failures that no entry explains: an entry for each requirement, with its
 * cases. */
static void write_new(FILE *f, const struct deviations *d,
		      const struct result *results, size_t n,
		      struct deviations_written *written)
{
	const char *done = "";
	char *all = NULL;

	for (size_t i = 0; i < n; i++) {
		const char *w = results[i].signature;

		for (; is_failure(&results[i]) && *w; w = next_word(w)) {
			struct writing new = {.f = f};

			if (has_word(done, w))
				continue;
			for (size_t k = i; k < n; k++)
				if (is_failure(&results[k]) &&
				    has_word(results[k].signature, w) &&
				    !explains(d, &results[k], w, 0))
					write_case(&new, results[k].id);
			if (!new.cases)
				continue;
			written->added++;
			write_rest(f, w, word(w), NULL);
			char *more;

			if (asprintf(&more, "%s %.*s", done, (int)word(w), w) <
			    0)
				break;
			free(all);
			done = all = more;
			done += *done == ' ';
		}
	}
	free(all);
}

/* A new file next to this one, with its rights; its name, to be freed. NULL:
 * errno. */
static char *open_beside(const char *target, FILE **f)
{
	const char *slash = strrchr(target, '/');
	struct stat old;
	mode_t mask = umask(0);
	char *name;

	umask(mask);
	if (asprintf(&name, "%.*s.warpspec-XXXXXX",
		     (int)(slash ? slash - target + 1 : 0), target) < 0)
		return NULL;
	int fd = mkostemp(name, O_CLOEXEC);
	mode_t mode =
		stat(target, &old) == 0 ? old.st_mode & 07777 : 0666 & ~mask;

	if (fd >= 0 && fchmod(fd, mode) == 0 && (*f = fdopen(fd, "w")))
		return name;
	int error = errno;

	if (fd >= 0) {
		close(fd);
		unlink(name);
	}
	free(name);
	errno = error;
	return NULL;
}

bool deviations_update(const struct deviations *d, const char *path,
		       const struct result *results, size_t n,
		       struct deviations_written *written, char *why,
		       size_t cap)
{
	char *temporary;

	*written = (struct deviations_written){0};
	/* The target of a link is replaced, not the link. */
	char *target = realpath(path, NULL);
	FILE *f = NULL;

	if (!target && errno == ENOENT)
		target = strdup(path);
	if (!target || !(temporary = open_beside(target, &f))) {
		snprintf(why, cap, "%s: %s", path, strerror(errno));
		free(target);
		return false;
	}
	if (f) {
		fputs(HEAD "\n\n", f);
		for (const struct entry *e = d->first; e; e = e->next)
			write_old(f, d, e, results, n, written);
		write_new(f, d, results, n, written);
		write_comments(f, d->comments);
	}
	bool ok = f && fflush(f) == 0 && !ferror(f) && fsync(fileno(f)) == 0;

	if (f && fclose(f) != 0)
		ok = false;
	if (ok && rename(temporary, target) < 0)
		ok = false;
	if (!ok) {
		snprintf(why, cap, "%s: %s", path, strerror(errno));
		unlink(temporary);
	}
	free(temporary);
	free(target);
	return ok;
}

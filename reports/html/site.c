/* SPDX-License-Identifier: BSD-2-Clause */
#include "reports/html/site.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness/text/memstream.h"
#include "reports/html/page.h"

/* --- names ------------------------------------------------------------ */

enum { NAME_MAX_OCTETS = 160 };

/* FNV-1a: distinguishes ids that are too long for a name. */
static uint64_t hash(const char *s)
{
	uint64_t h = 14695981039346656037u;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 1099511628211u;
	return h;
}

/*
 * One character, a slash or a dot, is written as a dot, and all other
 * characters that are not allowed in a name as their number after "=": no two
 * ids have the same name.
 */
char *site_page_name(const char *id, char dot, size_t nth)
{
	struct memstream m;
	size_t n = 0;
	FILE *out = memstream_open(&m);

	for (const char *p = id; out && *p && n < NAME_MAX_OCTETS; p++) {
		unsigned char c = (unsigned char)*p;

		if (isalnum(c) || c == '_' || c == '-' || c == '@')
			n += (size_t)fprintf(out, "%c", c);
		else if (*p == dot && p != id)
			n += (size_t)fprintf(out, ".");
		else
			n += (size_t)fprintf(out, "=%02x", c);
	}
	if (out && n >= NAME_MAX_OCTETS)
		fprintf(out, "=%016llx", (unsigned long long)hash(id));
	if (out && nth)
		fprintf(out, "=no%zu", nth + 1);
	if (out)
		fputs(".html", out);
	return memstream_finish(&m, NULL);
}

/* --- finding ------------------------------------------------------------ */

static int by_case_id(const void *a, const void *b, void *results)
{
	const struct result *r = results;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	int order = strcmp(r[x].id, r[y].id);

	return order ? order : (x > y) - (x < y);
}

static int by_requirement_id(const void *a, const void *b)
{
	const struct site_requirement *x = a, *y = b;

	return strcmp(x->id, y->id);
}

size_t site_case(const struct site *s, const char *id)
{
	size_t low = 0, high = s->run->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (strcmp(s->run->results[s->by_id[mid]].id, id) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low < s->run->count && strcmp(s->run->results[s->by_id[low]].id,
					     id) == 0
		       ? s->by_id[low]
		       : s->run->count;
}

static struct site_requirement *find(const struct site *s, const char *id)
{
	struct site_requirement key = {.id = id};

	return s->requirement_count
		       ? bsearch(&key, s->requirements, s->requirement_count,
				 sizeof(key), by_requirement_id)
		       : NULL;
}

const struct site_requirement *site_requirement(const struct site *s,
						const char *id)
{
	return find(s, id);
}

bool site_breaks(const struct result *r, const char *id)
{
	for (size_t i = 0; i < r->broken_count; i++)
		if (strcmp(r->broken[i].requirement, id) == 0)
			return true;
	return false;
}

/* --- building ------------------------------------------------------------ */

/* The nth id that a result names; NULL: there are no more. */
static const char *named(const struct result *r, size_t nth)
{
	if (nth < r->requirement_count)
		return r->requirements[nth];
	nth -= r->requirement_count;
	return nth < r->broken_count ? r->broken[nth].requirement : NULL;
}

static bool collect(struct site *s)
{
	const struct background *b = s->run->background;
	size_t n = b ? b->requirement_count : 0, at = 0;

	for (size_t i = 0; i < s->run->count; i++)
		n += s->run->results[i].requirement_count +
		     s->run->results[i].broken_count;
	struct site_requirement *q = calloc(n + 1, sizeof(*q));

	s->requirements = q;
	s->cases = calloc(n + 1, sizeof(*s->cases));
	if (!q || !s->cases)
		return false;
	for (size_t i = 0; b && i < b->requirement_count; i++) {
		q[at].id = b->requirements[i].id;
		q[at++].known = &b->requirements[i];
	}
	for (size_t i = 0; i < s->run->count; i++) {
		const char *id;

		for (size_t k = 0; (id = named(&s->run->results[i], k)); k++)
			q[at++].id = id;
	}
	qsort(q, n, sizeof(*q), by_requirement_id);
	for (size_t i = 0; i < n; i++) {
		struct site_requirement *last =
			&q[s->requirement_count ? s->requirement_count - 1 : 0];

		if (!s->requirement_count || strcmp(last->id, q[i].id) != 0)
			q[s->requirement_count++] = q[i];
		else if (q[i].known)
			last->known = q[i].known;
	}
	return true;
}

/* Called for each requirement that a result names, once. */
typedef void filer(struct site_requirement *q, size_t result);

static void counts(struct site_requirement *q, size_t result)
{
	(void)result;
	q->case_count++;
}

static void files(struct site_requirement *q, size_t result)
{
	q->cases[q->case_count++] = result;
}

static void each_named(const struct site *s, filer *file)
{
	const char *id;

	for (size_t i = 0; i < s->run->count; i++)
		for (size_t k = 0; (id = named(&s->run->results[i], k)); k++) {
			struct site_requirement *q = find(s, id);

			if (q->last == i + 1)
				continue;
			q->last = i + 1;
			file(q, i);
		}
}

static void file_cases(struct site *s)
{
	size_t at = 0;

	each_named(s, counts);
	for (size_t i = 0; i < s->requirement_count; i++) {
		struct site_requirement *q = &s->requirements[i];

		q->cases = s->cases + at;
		at += q->case_count;
		q->case_count = q->last = 0;
	}
	each_named(s, files);
}

/*
 * A case without a judgement, or one that failed under another requirement,
 * proves nothing about this one: its observation is unknown, and other passed
 * cases do not replace it.
 */
static void count_case(struct site_requirement *q, const struct result *r)
{
	switch (r->verdict) {
	case VERDICT_SKIP:
		q->skipped_cases++;
		break;
	case VERDICT_PASS:
	case VERDICT_WARN:
		q->held_cases++;
		break;
	case VERDICT_INFO:
		q->chosen_cases++;
		break;
	default:
		q->unjudged_cases++;
	}
}

static enum standing standing_of(const struct site_requirement *q)
{
	/* An open requirement is reported once it was observed. */
	bool seen = q->chosen_cases && !q->held_cases;

	return q->broken_cases     ? STANDING_BROKEN
	       : seen              ? STANDING_OBSERVED
	       : q->unjudged_cases ? STANDING_UNKNOWN
	       : q->held_cases     ? STANDING_HELD
	       : q->skipped_cases  ? STANDING_SKIPPED
				   : STANDING_NOT_RUN;
}

static void judge(struct site *s, struct site_requirement *q)
{
	for (size_t i = 0; i < q->case_count; i++) {
		const struct result *r = &s->run->results[q->cases[i]];

		q->broken_cases += site_breaks(r, q->id);
		count_case(q, r);
		for (size_t k = 0; k < r->broken_count; k++) {
			const struct result_broken *b = &r->broken[k];

			if (strcmp(b->requirement, q->id) == 0 &&
			    (!q->broken ||
			     (q->broken->by_model && !b->by_model)))
				q->broken = b;
		}
	}
	q->standing = standing_of(q);
}

static bool name_pages(struct site *s)
{
	const struct run_result *run = s->run;

	s->case_page = calloc(run->count + 1, sizeof(*s->case_page));
	if (!s->case_page)
		return false;
	for (size_t i = 0, nth = 0; i < run->count; i++) {
		const char *id = run->results[s->by_id[i]].id;

		nth = i && strcmp(run->results[s->by_id[i - 1]].id, id) == 0
			      ? nth + 1
			      : 0;
		s->case_page[s->by_id[i]] = site_page_name(id, '/', nth);
		if (!s->case_page[s->by_id[i]])
			return false;
	}
	for (size_t i = 0; i < s->requirement_count; i++) {
		s->requirements[i].page =
			site_page_name(s->requirements[i].id, '.', 0);
		if (!s->requirements[i].page)
			return false;
	}
	return true;
}

bool site_begin(struct site *s, const struct run_result *run,
		struct report_tree *tree)
{
	*s = (struct site){.run = run, .tree = tree};
	s->by_id = calloc(run->count + 1, sizeof(*s->by_id));
	if (!s->by_id)
		return false;
	for (size_t i = 0; i < run->count; i++)
		s->by_id[i] = i;
	qsort_r(s->by_id, run->count, sizeof(*s->by_id), by_case_id,
		(void *)run->results);
	if (!collect(s) || !name_pages(s))
		return false;
	file_cases(s);
	for (size_t i = 0; i < s->requirement_count; i++)
		judge(s, &s->requirements[i]);
	return true;
}

void site_end(struct site *s)
{
	for (size_t i = 0; s->case_page && i < s->run->count; i++)
		free(s->case_page[i]);
	for (size_t i = 0; i < s->requirement_count; i++)
		free(s->requirements[i].page);
	free(s->case_page);
	free(s->requirements);
	free(s->by_id);
	free(s->cases);
}

/* --- the details of a requirement ----------------------------------------- */

const char *site_section(const struct site_requirement *q)
{
	return q->known    ? q->known->section
	       : q->broken ? q->broken->section
			   : "";
}

const char *site_level(const struct site_requirement *q)
{
	return q->known ? q->known->level : q->broken ? q->broken->level : "";
}

const char *site_statement(const struct site_requirement *q)
{
	return q->known    ? q->known->statement
	       : q->broken ? q->broken->statement
			   : "";
}

const char *site_sentence(const struct site *s, const struct result_broken *b)
{
	const struct site_requirement *q = find(s, b->requirement);

	return *b->statement || !q ? b->statement : site_statement(q);
}

const char *standing_name(enum standing s)
{
	static const char *const names[STANDING_COUNT] = {
		[STANDING_BROKEN] = "broken",
		[STANDING_UNKNOWN] = "could not be judged",
		[STANDING_HELD] = "held",
		[STANDING_OBSERVED] = "left open, observed",
		[STANDING_SKIPPED] = "not applicable",
		[STANDING_NOT_RUN] = "not judged in this run",
	};

	return names[s];
}

void site_put_extent(const struct site_requirement *q, FILE *out)
{
	size_t ran = q->case_count - q->skipped_cases;

	if (q->standing == STANDING_UNKNOWN)
		page_put(out, " in %z of %z case%m", q->unjudged_cases, ran,
			 ran == 1 ? "" : "s");
}

/* --- links ------------------------------------------------------------------ */

void site_link_case(const struct site *s, const char *up, size_t i, FILE *out)
{
	page_put(out, "<a href=\"%mcases/%m\"><code>", up, s->case_page[i]);
	page_id(out, s->run->results[i].id);
	fputs("</code></a>", out);
}

void site_link_id(const struct site *s, const char *up, const char *id,
		  FILE *out)
{
	size_t i = site_case(s, id);

	if (i < s->run->count) {
		site_link_case(s, up, i, out);
		return;
	}
	fputs("<code>", out);
	page_id(out, id);
	fputs("</code>", out);
}

void site_link_requirement(const struct site *s, const char *up, const char *id,
			   FILE *out)
{
	const struct site_requirement *q = find(s, id);

	if (q)
		page_put(out, "<a href=\"%mrequirements/%m\">%s</a>", up,
			 q->page, id);
	else
		page_text(out, id);
}

char *site_capture(const struct site *s, size_t i)
{
	const char *page = s->case_page[i];
	char *name;

	return text_made(asprintf(&name, "captures/case.%.*s.pcapng",
				  (int)(strlen(page) - strlen(".html")), page))
		       ? name
		       : NULL;
}

FILE *site_open(const struct site *s, const char *folder, const char *name)
{
	char path[NAME_MAX_OCTETS + 96];

	snprintf(path, sizeof(path), "%s%s%s", folder, *folder ? "/" : "",
		 name);
	return report_tree_open(s->tree, path);
}

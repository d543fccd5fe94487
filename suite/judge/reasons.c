/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/judge/reasons.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNCLAIMED (sizeof(REASON_UNCLAIMED) - 1)

struct tally {
	bool feature;     /* an unclaimed feature: text is its name */
	const char *text; /* n octets of it */
	size_t n, cases;
};

struct tallies {
	struct tally *of;
	size_t count;
};

/* The tally of that text; a new one if needed; there is room. */
static struct tally *tally(struct tallies *t, bool feature, const char *text,
			   size_t n)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->of[i].feature == feature && t->of[i].n == n &&
		    memcmp(t->of[i].text, text, n) == 0)
			return &t->of[i];
	t->of[t->count] =
		(struct tally){.feature = feature, .text = text, .n = n};
	return &t->of[t->count++];
}

/* The features that a reason names, or NULL: it is about something else. */
static const char *features_of(const char *reason)
{
	static const char names[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
	const char *list = reason + UNCLAIMED;
	const char *at = list;

	if (strncmp(reason, REASON_UNCLAIMED, UNCLAIMED) != 0)
		return NULL;
	for (;; at += 2) {
		size_t n = strspn(at, names);

		at += n;
		if (n && !*at)
			return list;
		if (!n || strncmp(at, ", ", 2) != 0)
			return NULL;
	}
}

/* The name at *list, of *n octets; *list advances to the next one. */
static const char *next_name(const char **list, size_t *n)
{
	const char *at = *list;
	const char *comma = strstr(at, ", ");

	*n = comma ? (size_t)(comma - at) : strlen(at);
	*list = comma ? comma + 2 : at + *n;
	return at;
}

static void count_features(struct tallies *features, const char *list)
{
	size_t n;

	while (*list) {
		const char *name = next_name(&list, &n);

		tally(features, true, name, n)->cases++;
	}
}

static const struct tally *most_missed(struct tallies *features,
				       const char *list)
{
	const struct tally *most = NULL;
	size_t n;

	while (*list) {
		const char *name = next_name(&list, &n);
		const struct tally *t = tally(features, true, name, n);

		if (!most || t->cases > most->cases)
			most = t;
	}
	return most;
}

static int by_cases(const void *a, const void *b)
{
	const struct result_reason *x = a, *y = b;

	if (x->cases != y->cases)
		return x->cases > y->cases ? -1 : 1;
	return strcmp(x->text, y->text);
}

/* The maximum number of names, over all reasons. */
static size_t names_in(const struct result *results, size_t count)
{
	size_t n = 1;

	for (size_t i = 0; i < count; i++) {
		const char *list = features_of(results[i].reason);

		n++;
		for (; list && *list; list++)
			n += *list == ',';
	}
	return n;
}

static bool is_skip(const struct result *r)
{
	return r->verdict == VERDICT_SKIP && *r->reason;
}

/* Texts that are cut out of others are stored after the table. */
static struct result_reason *as_reasons(const struct tallies *groups)
{
	size_t octets = 0;
	struct result_reason *out;
	char *text;

	for (size_t i = 0; i < groups->count; i++)
		octets += sizeof(REASON_UNCLAIMED) + groups->of[i].n;
	out = malloc(groups->count * sizeof(*out) + octets);
	if (!out)
		return NULL;
	text = (char *)(out + groups->count);
	for (size_t i = 0; i < groups->count; i++) {
		const struct tally *t = &groups->of[i];

		out[i] = (struct result_reason){text, t->cases};
		text += sprintf(text, "%s%.*s",
				t->feature ? REASON_UNCLAIMED : "", (int)t->n,
				t->text) +
			1;
	}
	qsort(out, groups->count, sizeof(*out), by_cases);
	return out;
}

static void group(const struct result *results, size_t count,
		  struct tallies *features, struct tallies *groups)
{
	for (size_t i = 0; i < count; i++)
		if (is_skip(&results[i]) && features_of(results[i].reason))
			count_features(features,
				       features_of(results[i].reason));
	for (size_t i = 0; i < count; i++) {
		const char *reason = results[i].reason;
		const char *list = features_of(reason);

		if (!is_skip(&results[i]))
			continue;
		if (list) {
			const struct tally *f = most_missed(features, list);

			tally(groups, true, f->text, f->n)->cases++;
		} else {
			tally(groups, false, reason, strlen(reason))->cases++;
		}
	}
}

struct result_reason *reasons_of(const struct result *results, size_t count,
				 size_t *n)
{
	size_t room = names_in(results, count);
	struct tallies features = {calloc(room, sizeof(struct tally)), 0};
	struct tallies groups = {calloc(room, sizeof(struct tally)), 0};
	struct result_reason *out = NULL;

	if (features.of && groups.of)
		group(results, count, &features, &groups);
	if (groups.count)
		out = as_reasons(&groups);
	*n = out ? groups.count : 0;
	free(features.of);
	free(groups.of);
	return out;
}

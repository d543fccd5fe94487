/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/ics/ics.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/text/digest.h"
#include "harness/text/ini_file.h"
#include "harness/text/text_file.h"
#include "suite/device/spelling.h"
#include "suite/ics/items.h"
#include "suite/req/req.h"

struct loading {
	struct ics *ics;
	uint64_t stated; /* features that were read */
	bool form, spec;
};

/* --- values ---------------------------------------------------------------- */

static bool text(char *to, size_t cap, const char *value)
{
	size_t n = strlen(value);

	if (n >= cap)
		return false;
	memcpy(to, value, n + 1);
	return true;
}

static bool is_one_of(const char *words, const char *value)
{
	size_t n = strlen(value);

	while (*words) {
		size_t k = strcspn(words, " ");

		if (k == n && memcmp(words, value, n) == 0)
			return true;
		words += k + (words[k] == ' ');
	}
	return false;
}

static bool set_limit(struct ics *s, unsigned i, const char *value)
{
	char *end;

	if (!*value)
		return true;
	errno = 0;
	s->limit[i].most = strtoull(value, &end, 10);
	s->limit[i].stated = true;
	return *value >= '0' && *value <= '9' && !*end && !errno;
}

static bool set_feature(struct loading *l, unsigned i, const char *value)
{
	uint64_t bit = UINT64_C(1) << i;

	l->stated |= bit;
	if (strcmp(value, "yes") == 0)
		l->ics->yes |= bit;
	else
		return strcmp(value, "no") == 0;
	return true;
}

static bool set(struct loading *l, const struct ics_item *item,
		const char *value)
{
	struct ics *s = l->ics;

	switch (item->kind) {
	case ICS_IS_TEXT:
		return text(s->text[item->index], ICS_VALUE, value);
	case ICS_IS_FEATURE:
		return set_feature(l, item->index, value);
	case ICS_IS_LIMIT:
		return set_limit(s, item->index, value);
	case ICS_IS_CHOICE:
		return (!*value || is_one_of(item->values, value)) &&
		       text(s->choice[item->index], sizeof(s->choice[0]),
			    value);
	}
	return false;
}

static const char *wanted(const struct ics_item *item)
{
	switch (item->kind) {
	case ICS_IS_FEATURE:
		return "yes or no";
	case ICS_IS_LIMIT:
		return "a number, or nothing";
	case ICS_IS_CHOICE:
		return item->values;
	case ICS_IS_TEXT:
		break;
	}
	return "a shorter value";
}

/* --- keys ------------------------------------------------------------------ */

static bool set_open(struct ics *s, const char *id, const char *value,
		     char *why, size_t cap)
{
	const struct req *r = req_find(id);
	size_t n = strlen(why);

	if (!r || r->kind != REQ_KIND_open) {
		snprintf(why + n, cap - n, "%s",
			 r ? "expected a requirement that is left open"
			   : "expected the id of a requirement");
		return false;
	}
	if (!*value)
		return true;
	if (s->open_count == ICS_CHOSEN ||
	    !text(s->open[s->open_count].text, ICS_VALUE, value)) {
		snprintf(why + n, cap - n, "expected a shorter value");
		return false;
	}
	s->open[s->open_count++].requirement = r->id;
	return true;
}

static bool set_head(struct loading *l, const struct ini_key *k, char *why,
		     size_t cap)
{
	size_t n = strlen(why);

	if (strcmp(k->name, "form") == 0) {
		l->form = true;
		if (strcmp(k->value, "1") == 0)
			return true;
		snprintf(why + n, cap - n,
			 "expected 1, the form that this warpspec reads");
		return false;
	}
	l->spec = true;
	if (is_one_of("rfc7306 draft-10 draft-03 draft-01", k->value))
		return text(l->ics->spec, sizeof(l->ics->spec), k->value);
	snprintf(why + n, cap - n,
		 "expected rfc7306, draft-10, draft-03 or draft-01");
	return false;
}

static bool unknown(const struct ini_key *k, char *why, size_t cap)
{
	struct spelling names = spelling_of(k->name);
	const struct ics_item *item;
	const char *elsewhere = NULL;

	for (size_t i = 0; (item = ics_item_at(i)); i++) {
		if (strcmp(item->section, k->section) == 0)
			spelling_offer(&names, item->name);
		if (strcmp(item->name, k->name) == 0)
			elsewhere = item->section;
	}
	size_t n = strlen(why);

	snprintf(why + n, cap - n,
		 "expected a key of the form that 'warpspec ics' writes");
	n = strlen(why);
	if (elsewhere)
		snprintf(why + n, cap - n, "; %s is one of [%s]", k->name,
			 elsewhere);
	else
		spelling_say(&names, why, cap);
	return false;
}

static bool on_key(void *user, const struct ini_key *k, char *why, size_t cap)
{
	struct loading *l = user;
	const struct ics_item *item;

	snprintf(why, cap, "[%.60s] %.60s = %.160s: ", k->section, k->name,
		 k->value);
	if (strcmp(k->section, "statement") == 0 &&
	    (strcmp(k->name, "form") == 0 || strcmp(k->name, "spec") == 0))
		return set_head(l, k, why, cap);
	if (strcmp(k->section, "choices") == 0)
		return set_open(l->ics, k->name, k->value, why, cap);
	for (size_t i = 0; (item = ics_item_at(i)); i++) {
		if (strcmp(item->section, k->section) != 0 ||
		    strcmp(item->name, k->name) != 0)
			continue;
		if (set(l, item, k->value))
			return true;
		snprintf(why + strlen(why), cap - strlen(why), "expected %s",
			 wanted(item));
		return false;
	}
	return unknown(k, why, cap);
}

/* An item without a value is neither a claim nor a statement. */
static bool is_whole(const struct loading *l, const char *path, char *why,
		     size_t cap)
{
	const struct ics_item *item;

	if (!l->form || !l->spec) {
		snprintf(why, cap,
			 "%s: [statement] %s is missing; 'warpspec ics' writes "
			 "a form to complete",
			 path, l->form ? "spec" : "form");
		return false;
	}
	for (size_t i = 0; (item = ics_item_at(i)); i++)
		if (item->kind == ICS_IS_FEATURE &&
		    !(l->stated >> item->index & 1)) {
			snprintf(why, cap,
				 "%s: [%s] %s is missing: expected yes or no",
				 path, item->section, item->name);
			return false;
		}
	return true;
}

bool ics_parse(struct ics *s, const char *path, const char *octets, size_t n,
	       char *why, size_t cap)
{
	struct loading l = {.ics = s};

	*s = (struct ics){.yes = 0};
	if (!text(s->path, sizeof(s->path), path)) {
		snprintf(why, cap, "%.60s...: the path is too long", path);
		return false;
	}
	if (!ini_keys(path, octets, n, on_key, &l, why, cap) ||
	    !is_whole(&l, path, why, cap))
		return false;
	if (digest_sha256(octets, n, s->sha256))
		return true;
	snprintf(why, cap, "%s: %s", path, digest_trouble());
	return false;
}

bool ics_load(struct ics *s, const char *path, char *why, size_t cap)
{
	const struct text_bounds bounds = {ICS_FILE, TEXT_INI_LINE};
	size_t n;
	char *octets = text_file_read(path, &bounds, &n, NULL, why, cap);
	bool ok = octets && ics_parse(s, path, octets, n, why, cap);

	free(octets);
	return ok;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/ics/items.h"

#include <string.h>

#include "suite/device/keys.h"
#include "suite/req/req.h"

static struct ics_item items[] = {
#define ICS_TEXT(ident, in, key, what)                                         \
	{ICS_IS_TEXT, ICS_TEXT_##ident, in, key, NULL, NULL, "", what},
#define ICS_FEATURE(ident, how, ids)                                           \
	{ICS_IS_FEATURE,                                                       \
	 AGENT_FEATURE_BIT_##ident,                                            \
	 "features",                                                           \
	 NULL,                                                                 \
	 how,                                                                  \
	 NULL,                                                                 \
	 ids,                                                                  \
	 NULL},
#define ICS_LIMIT(ident, key, member, ids, what)                               \
	{ICS_IS_LIMIT, ICS_LIMIT_##ident, "limits", key, NULL, NULL, ids, what},
#define ICS_CHOICE(ident, in, key, some, ids, what)                            \
	{ICS_IS_CHOICE, ICS_CHOICE_##ident, in, key, NULL, some, ids, what},
#include "suite/ics/items.def"
#undef ICS_TEXT
#undef ICS_FEATURE
#undef ICS_LIMIT
#undef ICS_CHOICE
};
#define ITEMS (sizeof(items) / sizeof(items[0]))

/* What device files call a feature, and say of it. */
static void name_feature(struct ics_item *item)
{
	struct device_key k;

	item->name = agent_feature_name((enum agent_feature)item->index);
	item->text = "";
	for (size_t i = 0; device_key_at(i, &k); i++)
		if (strcmp(k.section, "features") == 0 &&
		    strcmp(k.name, item->name) == 0)
			item->text = k.text;
	if (*item->status == '-')
		item->section = "testing";
}

const struct ics_item *ics_item_at(size_t i)
{
	if (i >= ITEMS)
		return NULL;
	if (!items[i].name)
		name_feature(&items[i]);
	return &items[i];
}

static void section_of(const struct req *r, char *text, size_t cap)
{
	bool rfc = strncmp(r->spec, "RFC", 3) == 0;

	snprintf(text, cap, "%s%s s%s", rfc ? "RFC " : "",
		 r->spec + (rfc ? 3 : 0), r->section);
}

void ics_rows(const char *rows, char *text, size_t cap)
{
	char last[64] = "";
	size_t at = 0;

	*text = '\0';
	while (*rows) {
		char id[40], where[64];
		size_t n = strcspn(rows, " ");

		snprintf(id, sizeof(id), "%.*s", (int)n, rows);
		rows += n + (rows[n] == ' ');
		const struct req *r = req_find(id);

		if (!r || at >= cap)
			continue;
		section_of(r, where, sizeof(where));
		if (strcmp(where, last) == 0)
			at += (size_t)snprintf(text + at, cap - at, ", %s", id);
		else
			at += (size_t)snprintf(text + at, cap - at, "%s%s: %s",
					       at ? "; " : "", where, id);
		strcpy(last, where);
	}
}

uint64_t ics_limit_of(const struct agent_hello *h, enum ics_limit i)
{
	const uint64_t told[ICS_LIMITS] = {
#define ICS_TEXT(...)
#define ICS_FEATURE(...)
#define ICS_LIMIT(ident, key, member, ...) [ICS_LIMIT_##ident] = h->member,
#define ICS_CHOICE(...)
#include "suite/ics/items.def"
#undef ICS_TEXT
#undef ICS_FEATURE
#undef ICS_LIMIT
#undef ICS_CHOICE
	};

	return told[i];
}

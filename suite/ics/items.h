/* SPDX-License-Identifier: BSD-2-Clause */
/* The items of a statement (items.def), as data. */
#ifndef SUITE_ICS_ITEMS_H
#define SUITE_ICS_ITEMS_H

#include <stdio.h>

#include "suite/ics/ics.h"

enum ics_kind { ICS_IS_TEXT, ICS_IS_FEATURE, ICS_IS_LIMIT, ICS_IS_CHOICE };

struct ics_item {
	enum ics_kind kind;
	unsigned
		index; /* enum ics_text, agent_feature, ics_limit, ics_choice */
	const char *section, *name;
	const char *status; /* of a feature */
	const char *values; /* of a choice, with blanks between */
	const char *rows;   /* ids of requirements, with blanks between */
	const char *text;   /* in a few words, or "" */
};

/* In the order of the form; NULL: no more. */
const struct ics_item *ics_item_at(size_t i);

/* "RFC 5040 s4.1: RDMAP-4.1-24; ..." of an item's rows; "" without any. */
#define ICS_ROWS 256
void ics_rows(const char *rows, char *text, size_t cap);

/* Convert a text in UTF-8 to a form that a statement can have. */
void ics_clean(char *to, size_t cap, const char *from);

/* The value of a limit that an agent reports. */
uint64_t ics_limit_of(const struct agent_hello *h, enum ics_limit i);

#endif

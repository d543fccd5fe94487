/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The values that occurred, as a line of text: "peer-send=3,64*2;peer-pad=0". A
 * class is named by its lowest value, so that a line can be read with other
 * edges.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite/dimension/edges.h"

/* Append the text, if it fits completely. */
struct line {
	char *out;
	size_t n, cap;
	bool full;
};

static void put_class(struct line *l, enum dimension d, size_t c,
		      uint32_t count, bool first)
{
	char text[96];
	uint64_t low = dimension_class(d, c).low;
	int n;

	if (first)
		n = snprintf(text, sizeof(text), "%s%s=%" PRIu64,
			     l->n ? ";" : "", dimension_info(d)->name, low);
	else
		n = snprintf(text, sizeof(text), ",%" PRIu64, low);
	if (count > 1)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "*%" PRIu32,
			      count);
	l->full |= (size_t)n >= l->cap - l->n;
	if (l->full)
		return;
	memcpy(l->out + l->n, text, (size_t)n + 1);
	l->n += (size_t)n;
}

size_t dimensions_format(const struct dimensions_met *m, char *out, size_t cap)
{
	struct line l = {.out = out, .cap = cap};

	out[0] = '\0';
	for (unsigned i = 0; i < DIMENSION_COUNT && !l.full; i++) {
		const struct edges *e = edges_of((enum dimension)i);
		bool first = true;

		for (size_t c = 0; c < edges_classes(e) && !l.full; c++) {
			uint32_t count = m->count[e->slot + c];

			if (!count)
				continue;
			put_class(&l, (enum dimension)i, c, count, first);
			first = false;
		}
	}
	return l.n;
}

/* The class that begins there, or has that value. */
static void add_at(struct dimensions_met *m, enum dimension d, uint64_t low,
		   uint32_t count)
{
	const struct edges *e = edges_of(d);
	size_t k = edges_below(e, low);

	dimension_class_add(m, d, 2 * k + (k < e->n && e->value[k] == low),
			    count);
}

/* "3,64*2" up to a ';' or the end. */
static bool take_classes(struct dimensions_met *m, enum dimension d, bool known,
			 const char **at)
{
	const char *p = *at;
	char *end;

	do {
		uint64_t low = strtoull(p, &end, 10), count = 1;

		if (end == p || *p == '-' || *p == '+')
			return false;
		p = end;
		if (*p == '*') {
			count = strtoull(p + 1, &end, 10);
			if (end == p + 1 || count > UINT32_MAX)
				return false;
			p = end;
		}
		if (known)
			add_at(m, d, low, (uint32_t)count);
	} while (*p++ == ',');
	*at = p - 1;
	return true;
}

bool dimensions_add(struct dimensions_met *m, const char *line)
{
	while (*line) {
		char name[64];
		size_t n = strspn(line, "abcdefghijklmnopqrstuvwxyz-");
		enum dimension d = (enum dimension)0;

		if (!n || line[n] != '=' || n >= sizeof(name))
			return false;
		memcpy(name, line, n);
		name[n] = '\0';
		line += n + 1;
		/* A dimension that no longer exists is skipped. */
		bool known = dimension_named(name, &d);

		if (!take_classes(m, d, known, &line))
			return false;
		if (*line == ';' && line[1])
			line++;
		else if (*line)
			return false;
	}
	return true;
}

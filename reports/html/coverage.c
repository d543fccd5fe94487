/* SPDX-License-Identifier: BSD-2-Clause */
/* How many of the requirements that the suite can judge were judged, by
 * specification. */
#include <stdlib.h>
#include <string.h>

#include "harness/text/memstream.h"
#include "reports/html/page.h"
#include "reports/html/parts.h"

struct row {
	const char *spec;
	size_t n[STANDING_COUNT], untestable;
};

static struct row *row_of(struct row *rows, size_t *count, const char *spec)
{
	for (size_t i = 0; i < *count; i++)
		if (strcmp(rows[i].spec, spec) == 0)
			return &rows[i];
	rows[*count].spec = spec;
	return &rows[(*count)++];
}

static void put_row(const struct row *r, FILE *out)
{
	page_put(out, "<tr><th scope=row>%s", r->spec);
	for (int i = 0; i < STANDING_COUNT; i++)
		page_put(out, "<td class=n>%z", r->n[i]);
	page_put(out, "<td class=n>%z\n", r->untestable);
}

void coverage_put(const struct site *s, FILE *out)
{
	const struct background *b = s->run->background;
	struct row *rows =
		b ? text_held(calloc(b->requirement_count + 1, sizeof(*rows)))
		  : NULL;
	struct row all = {.spec = "all"};
	size_t count = 0;

	for (size_t i = 0; rows && i < b->requirement_count; i++) {
		const struct background_requirement *known =
			&b->requirements[i];
		enum standing standing =
			site_requirement(s, known->id)->standing;
		struct row *r = row_of(rows, &count, known->spec);
		bool untestable =
			standing == STANDING_NOT_RUN && *known->untestable;

		r->untestable += untestable;
		all.untestable += untestable;
		r->n[standing] += !untestable;
		all.n[standing] += !untestable;
	}
	if (count) {
		fputs("<div class=wide tabindex=0 role=region "
		      "aria-label=Coverage><table><caption>Requirements by "
		      "specification</caption><thead><tr><th scope=col>"
		      "Specification",
		      out);
		for (int i = 0; i < STANDING_COUNT; i++)
			fprintf(out, "<th scope=col class=n>%s",
				standing_name(i));
		fputs("<th scope=col class=n>not testable by a peer"
		      "<tbody>\n",
		      out);
		for (size_t i = 0; i < count; i++)
			put_row(&rows[i], out);
		put_row(&all, out);
		fputs("</table></div>\n", out);
	}
	free(rows);
}

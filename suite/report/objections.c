/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/report/objections.h"

#include <stdlib.h>
#include <string.h>

#include "reports/text/escape.h"
#include "suite/report/report_certificate.h"

#define LINE        512
#define CASES_NAMED 20

void objections_note(struct objections *o, const char *text)
{
	escape_put(o->out, text, strlen(text), ESCAPE_KEEP_NONE);
	fputc('\n', o->out);
}

bool objections_add(struct objections *o, const char *text)
{
	o->count++;
	objections_note(o, text);
	return false;
}

/* Each line of a finding below its first. */
static void add_lines(struct objections *o, const char *lines)
{
	const char *at = lines ? strchr(lines, '\n') : NULL;

	while (at && at[1]) {
		size_t n = strcspn(++at, "\n");
		char *line = NULL;

		if (asprintf(&line, "%s: %.*s", CERTIFICATE_STATEMENT,
			     (int)(n - strspn(at, " ")),
			     at + strspn(at, " ")) > 0)
			objections_add(o, line);
		free(line);
		at += n;
	}
}

static void add_cases(struct objections *o, const struct campaign *c,
		      enum campaign_end end, const char *what)
{
	char line[LINE];
	size_t named = 0;

	for (size_t i = 0; i < c->count; i++) {
		const struct campaign_case *one = &c->cases[i];

		if (one->end != end)
			continue;
		if (named++ >= CASES_NAMED) {
			o->count++;
			continue;
		}
		snprintf(line, sizeof(line), "%s: %s, but %s%s%s", one->due->id,
			 one->required == DUE_REQUIRED ? "required"
						       : "not required",
			 one->required == DUE_REQUIRED ? what
						       : "it ran and failed",
			 one->result && *one->result->reason ? ": " : "",
			 one->result ? one->result->reason : "");
		objections_add(o, line);
	}
	if (named > CASES_NAMED)
		fprintf(o->out, "and %zu more cases, also %s\n",
			named - CASES_NAMED, what);
}

/* Findings and stale deviations: they belong to no single case. */
static void add_others(struct objections *o, const struct run_result *run)
{
	char line[LINE];
	size_t at = 0;

	for (size_t i = 0; i < run->finding_count; i++) {
		const char *f = run->findings[i];

		snprintf(line, sizeof(line), "finding: %.*s",
			 (int)strcspn(f, "\n"), f);
		objections_add(o, line);
	}
	if (run->stale_count)
		objections_add(o, CERTIFICATE_RUN ": with a stale deviation");
	if (*run->note) {
		snprintf(line, sizeof(line), "%s: %.300s", CERTIFICATE_RUN,
			 run->note);
		objections_add(o, line);
	}
	while (campaign_disagrees(run, &at, line, sizeof(line)))
		objections_add(o, line);
}

void objections_of_campaign(struct objections *o, const struct campaign *c,
			    const struct run_result *run)
{
	add_lines(o, c->itself);
	add_lines(o, c->run);
	add_others(o, run);
	add_cases(o, c, CAMPAIGN_FAILED, "failed");
	add_cases(o, c, CAMPAIGN_INCONCLUSIVE, "not judged");
	add_cases(o, c, CAMPAIGN_NOT_RUN, "not run");
	if (!o->count && !c->ends[CAMPAIGN_PASSED])
		objections_add(o, CERTIFICATE_STATEMENT
			       ": requires no case at all");
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* A program with a step that the agent refuses. */
#include "suite/explore/finding/finding.h"

#include <stdlib.h>

/* The agent does not do what is requested. */
static bool is_refused(void *user, const struct program *p)
{
	struct showing *s = user;
	struct result result;

	if (explore_ended || !showing_performs(s, p, &result) ||
	    !s->last.refused)
		return false;
	showing_take_evidence(s, &result);
	return true;
}

void finding_refused(struct exploration *e, const struct outcome *seen)
{
	struct finding *f = &e->finding[e->findings];
	struct result result = {.verdict = VERDICT_ERROR};
	struct showing s = {.e = e};

	if (e->findings == FINDINGS_MOST)
		return;
	*f = (struct finding){.number = seen->number};
	f->program = malloc(sizeof(*f->program));
	if (!f->program) {
		explore_note(e, "out of memory");
		return;
	}
	generate(&e->how, seen->number, f->program);
	e->bed.brief = false;
	if (!is_refused(&s, f->program)) {
		e->again += !explore_ended;
		free(f->program);
		return;
	}
	shrink(f->program, is_refused, &s, SHRINK_MOST);
	result = (struct result){.id = id_by_essence("refused", f->program),
				 .title = "",
				 .verdict = VERDICT_ERROR,
				 .level = "",
				 .role = "",
				 .signature = "",
				 .consequences = "",
				 .detail = "",
				 .reason = seen->reason};
	e->refused = true;
	conclude_and_avoid(f, &result, is_refused, &s);
}

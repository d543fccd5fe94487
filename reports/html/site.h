/* SPDX-License-Identifier: BSD-2-Clause */
/* The pages of a run: their names, and their relations. */
#ifndef REPORTS_HTML_SITE_H
#define REPORTS_HTML_SITE_H

#include <stdbool.h>
#include <stddef.h>

#include "reports/tree.h"
#include "suite/judge/background.h"
#include "suite/judge/result.h"

/* The result of a requirement in a run, the worst of its cases first. */
enum standing {
	STANDING_BROKEN,   /* a case about it, or the model, found it broken */
	STANDING_UNKNOWN,  /* a case about it ran and did not judge it */
	STANDING_HELD,     /* each case about it that ran found it held */
	STANDING_OBSERVED, /* left open: the device has chosen */
	STANDING_SKIPPED,  /* not applicable to this device */
	STANDING_NOT_RUN,  /* no case of the run is about it */
	STANDING_COUNT,
};

/* Each requirement that the suite has, or that a result names. */
struct site_requirement {
	const char *id;
	const struct background_requirement *known; /* or NULL */
	const struct result_broken *broken; /* the clearest example; or NULL */
	char *page;                         /* "MPA-4.4-14.html" */
	size_t *cases;                      /* results, by index */
	size_t case_count, last;
	size_t broken_cases;
	/* The cases, by their verdicts. */
	size_t held_cases, chosen_cases, skipped_cases;
	size_t unjudged_cases; /* late, blocked, or failed: perhaps by another
				* requirement */
	enum standing standing;
};

struct site {
	const struct run_result *run;
	struct report_tree *tree;
	char **case_page; /* by result: "mpa.crc.a_name.html" */
	struct site_requirement *requirements; /* by id */
	size_t requirement_count;
	/* For searching: */
	size_t *by_id; /* results */
	size_t *cases; /* of requirements, one after the other */
};

/* False: out of memory. Call site_end() in any case. */
bool site_begin(struct site *s, const struct run_result *run,
		struct report_tree *tree);
void site_end(struct site *s);

/* The index of this case among the results, or run->count. */
size_t site_case(const struct site *s, const char *id);
const struct site_requirement *site_requirement(const struct site *s,
						const char *id);

/* True if a result finds this requirement broken. */
bool site_breaks(const struct result *r, const char *id);

/* "RFC 5044 s4.4", or "" if it is unknown; likewise the level, the
 * statement. */
const char *site_section(const struct site_requirement *q);
const char *site_level(const struct site_requirement *q);
const char *site_statement(const struct site_requirement *q);

/* The statement, from the run's report, or else from the catalogue. */
const char *site_sentence(const struct site *s, const struct result_broken *b);

/* "broken", "held", ... */
const char *standing_name(enum standing s);

/* " in 2 of 5 cases", after the name of a requirement that could not be
 * judged. */
void site_put_extent(const struct site_requirement *q, FILE *out);

/*
 * An id as the name of a page: letters, digits, . _ - @ =, and never the same
 * for two ids; `dot`: the character written as a dot, the slash of a case's id
 * or a requirement's dot. To be freed by the caller; NULL: no memory.
 */
char *site_page_name(const char *id, char dot, size_t nth);

/* Links to these pages, from a page `up` ("" or "../") below the overview. */
void site_link_case(const struct site *s, const char *up, size_t i, FILE *out);
void site_link_id(const struct site *s, const char *up, const char *id,
		  FILE *out);
void site_link_requirement(const struct site *s, const char *up, const char *id,
			   FILE *out);

/* The name of a case's capture among the pages, to be freed; NULL: no
 * memory. */
char *site_capture(const struct site *s, size_t i);
/* Open a page of the tree. */
FILE *site_open(const struct site *s, const char *folder, const char *name);

#endif

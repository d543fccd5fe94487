/* SPDX-License-Identifier: BSD-2-Clause */
/* The pages, and the parts of pages that have a file of their own. */
#ifndef REPORTS_HTML_PARTS_H
#define REPORTS_HTML_PARTS_H

#include <stdio.h>

#include "reports/html/site.h"

/* The first page. */
void overview_put(const struct site *s, FILE *out);
/* The results of a run's cases, as a table with a filter; its script. */
void cases_table_put(const struct site *s, FILE *out);
extern const char cases_table_script[];
/* The device's claims next to the results of the cases that need them. */
void claims_put(const struct site *s, FILE *out);
/* The requirements that were judged, out of those that the suite has. */
void coverage_put(const struct site *s, FILE *out);

/* `capture`: whether the pages have its capture. */
void case_page_put(const struct site *s, size_t i, bool capture, FILE *out);
void requirement_page_put(const struct site *s,
			  const struct site_requirement *q, FILE *out);
void requirement_index_put(const struct site *s, FILE *out);

/* The ladder of a case, as SVG. */
void ladder_put(const struct result *r, FILE *out);
/* Each event of the case, with octets and fields. */
void frames_put(const struct site *s, const struct result *r, FILE *out);
/* The octets of memory: before, due, and after. */
void memory_put(const struct site *s, const struct result *r, FILE *out);

/* Octets in lines: the first `kept` of n octets. Those in `marks` are
 * highlighted. */
void hex_put(const uint8_t *octets, size_t kept, size_t n,
	     const struct result_mark *marks, size_t mark_count, FILE *out);

/* True if event i is the last one that a failed line examined, or has octets
 * that a line objects to. */
bool event_is_accused(const struct result *r, size_t i);
/* "peer to device", "agent to suite". */
const char *event_way(const struct result_event *e);

#endif

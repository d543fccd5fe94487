/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contents of a certification bundle, for `report bundle`, which creates
 * one, and `report verify`, which checks it: the statement, the results, the
 * suite that made them, its catalogue, a test report; captures and pages, if
 * requested.
 */
#ifndef SUITE_REPORT_CERTIFICATE_H
#define SUITE_REPORT_CERTIFICATE_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "reports/bundle/bundle.h"
#include "suite/ics/campaign.h"

#define CERTIFICATE_STATEMENT "statement.ini"
#define CERTIFICATE_RUN       "run.json"
#define CERTIFICATE_SUITE     "suite.json"
#define CERTIFICATE_CATALOGUE "catalogue.json"
#define CERTIFICATE_REPORT    "pctr.txt"
#define CERTIFICATE_CAPTURES  "captures/"

#define CERTIFICATE_RUN_MOST ((size_t)256 << 20)

/* The suite that made the results: suite.json. */
struct certificate_suite {
	char name[32], version[32], build[64];
	char catalogue[ICS_DIGEST];   /* of catalogue.json */
	char kill_matrix[ICS_DIGEST]; /* "": not known */
	size_t requirements, mutants, captures;
	char valid_until[16]; /* "2028-01-31"; "": of an earlier warpspec */
};

/* True if the text is a day, such as 2026-01-31. *t is its beginning, in
 * UTC. */
bool certificate_is_day(const char *s, time_t *t);

/* To be freed; NULL: no memory. */
char *certificate_suite_json(const struct certificate_suite *s);
/* False: one line in why. */
bool certificate_suite_parse(struct certificate_suite *s, const char *json,
			     size_t n, char *why, size_t cap);

/* The name of a case's capture in the bundle. False: it is too long. */
bool certificate_capture(const struct result *r, char name[BUNDLE_NAME]);

/*
 * Add the run as pages. The pages stay in a folder until the bundle is written;
 * then certificate_drop_pages() removes the folder. "": there is none. False:
 * one line in why.
 */
#define CERTIFICATE_FOLDER 512
bool certificate_add_pages(struct bundle *b, const struct run_result *run,
			   bool captures, char folder[CERTIFICATE_FOLDER],
			   char *why, size_t cap);
void certificate_drop_pages(char *folder);

/* This program's catalogue, to be freed; NULL: no memory. */
char *certificate_catalogue(size_t *n);

/* The number of a certificate: two that differ in their results, statement,
 * suite or validity have different ones. False: no digest (digest_trouble()). */
#define CERTIFICATE_NUMBER 17
bool certificate_number(const struct certificate_suite *s,
			const struct ics *statement, const char *run_sha256,
			char number[CERTIFICATE_NUMBER]);

/* The test report, to be freed; NULL: no memory. */
char *certificate_report(const struct campaign *c, const struct ics *s,
			 const struct run_result *run,
			 const struct certificate_suite *suite,
			 const char *run_sha256, size_t *n);

#endif

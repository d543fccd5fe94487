/* SPDX-License-Identifier: BSD-2-Clause */
/* What is made of a bundle once it is proved: `report verify`, and the pages
 * of a certificate. */
#ifndef SUITE_REPORT_VERIFIED_H
#define SUITE_REPORT_VERIFIED_H

#include <stdio.h>

#include "suite/ics/campaign.h"
#include "suite/report/captures.h"
#include "suite/report/report_certificate.h"
#include "suite/report/report_command.h"

/* Of a bundle that is as it was signed, by whom it should be. */
struct verified {
	const struct run_result *run;
	const struct ics *ics;
	const struct certificate_suite *suite;
	const struct campaign *campaign;
	const struct captures *captures;
	const char *signer;
	/* What is no fault of the bundle, and decides what it is worth: lines,
	 * until NULL. */
	const char *const *warnings;
	const char *log; /* digest of the results; its first 16 digits are the
			  * certificate's number */
	bool good;       /* and all that its statement requires has passed */
};

/* It lives as long as the call. */
typedef void verified_fn(void *user, const struct verified *what);

/*
 * Verify the bundle at `path` with the call's --ca, --signer, --suite-at-least
 * and --not-before; what is found goes to `lines`. `use`, or NULL, is called
 * where the bundle is genuine. Returns the status: 0, or EXIT_FAILED where
 * there is an objection, or EXIT_USAGE with a complaint.
 */
int report_verified(const struct report_call *call, const char *path,
		    FILE *lines, verified_fn *use, void *user);

/* A certificate as a page of its own; for report_publish_content(). */
void certificate_page(const struct verified *v, FILE *out);

/* The list of those that are certified: its head, a row each, its foot. */
void certified_begin(FILE *out);
void certified_row(const struct verified *v, FILE *out);
void certified_end(size_t n, FILE *out);

/*
 * Write a page to `path`: as it is, or printed by a browser where the name
 * ends in .pdf. False: one line in why.
 */
bool page_publish(const char *html, size_t n, const char *path, char *why,
		  size_t cap);

#endif

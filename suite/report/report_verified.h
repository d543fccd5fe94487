/* SPDX-License-Identifier: BSD-2-Clause */
/* Verifies a bundle, and uses its contents: `report verify`, and the pages of a
 * certificate. */
#ifndef SUITE_REPORT_VERIFIED_H
#define SUITE_REPORT_VERIFIED_H

#include <stdio.h>

#include "suite/ics/campaign.h"
#include "suite/report/captures.h"
#include "suite/report/report_certificate.h"
#include "suite/report/report_command.h"

/* The contents of a bundle with a valid signature of the expected signer. */
struct verified {
	const struct run_result *run;
	const struct ics *ics;
	const struct certificate_suite *suite;
	const struct campaign *campaign;
	const struct captures *captures;
	const char *signer;
	/* Facts that are no objections to the bundle, but limit its value:
	 * lines, until NULL. */
	const char *const *warnings;
	const char *number; /* of the certificate */
	const char *log;    /* digest of the results */
	bool specimen;      /* of the suite's own reference device */
	bool good;          /* nothing has failed, and all cases that its
			     * statement requires were judged */
};

/* `what` lives as long as the call. */
typedef void verified_fn(void *user, const struct verified *what);

/*
 * Verify the bundle at `path` with the call's --ca, --signer, --suite-at-least
 * and --not-before. Objections and warnings go to `lines`. If the bundle is
 * genuine, `use` is called, unless it is NULL. Returns the status: 0, or
 * EXIT_FAILED if there is an objection, or EXIT_USAGE with a message.
 */
int report_verified(const struct report_call *call, const char *path,
		    FILE *lines, verified_fn *use, void *user);

/* A certificate as a page of its own; for report_publish_content(). */
void certificate_page(const struct verified *v, FILE *out);

/* The list of certified devices: its head, a row for each, its foot. */
void certified_begin(FILE *out);
void certified_row(const struct verified *v, FILE *out);
void certified_end(size_t n, FILE *out);

/*
 * Write a page to `path`: unchanged, or printed by a browser if the name ends
 * in .pdf. False: one line in why.
 */
bool page_publish(const char *html, size_t n, const char *path, char *why,
		  size_t cap);

#endif

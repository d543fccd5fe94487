/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Implementation Conformance Statement (ICS): the statement of an
 * implementation's supplier, in the terms of X.296, in addition to the claims
 * of its agent and the observed traffic. Each item has a status, which follows
 * from the RFCs, and a support, which the supplier states; items that only
 * serve testing (X.296's extra information for testing) are in the same file.
 *
 *   items.def     the items: one table of keys, status and requirements
 *   items.c       the same as data
 *   form.c        a statement as the file that warpspec-ics(5) describes
 *   ics.c         reads that file
 *   against.c     checks a statement: in itself, with a device, with traffic
 *   due.c         the cases of a catalogue that it requires
 *   campaign.c    their results, and the test report
 *
 * A statement never changes which cases a run judges, nor how.
 */
#ifndef SUITE_ICS_ICS_H
#define SUITE_ICS_ICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "harness/agent/client.h"
#include "suite/device/device.h"
#include "suite/judge/result.h"

#define ICS_VALUE   160          /* octets of a value, with a NUL */
#define ICS_CHOSEN  96           /* open points that can be stated */
#define ICS_FILE    (256u << 10) /* octets of a file */
#define ICS_DIGEST  65           /* SHA-256 in hex, with a NUL */
#define ICS_VERSION 1            /* of the form */

enum ics_text {
#define ICS_TEXT(ident, ...) ICS_TEXT_##ident,
#define ICS_FEATURE(...)
#define ICS_LIMIT(...)
#define ICS_CHOICE(...)
#include "suite/ics/items.def"
#undef ICS_TEXT
#undef ICS_FEATURE
#undef ICS_LIMIT
#undef ICS_CHOICE
	ICS_TEXTS
};
enum ics_limit {
#define ICS_TEXT(...)
#define ICS_FEATURE(...)
#define ICS_LIMIT(ident, ...) ICS_LIMIT_##ident,
#define ICS_CHOICE(...)
#include "suite/ics/items.def"
#undef ICS_TEXT
#undef ICS_FEATURE
#undef ICS_LIMIT
#undef ICS_CHOICE
	ICS_LIMITS
};
enum ics_choice {
#define ICS_TEXT(...)
#define ICS_FEATURE(...)
#define ICS_LIMIT(...)
#define ICS_CHOICE(ident, ...) ICS_CHOICE_##ident,
#include "suite/ics/items.def"
#undef ICS_TEXT
#undef ICS_FEATURE
#undef ICS_LIMIT
#undef ICS_CHOICE
	ICS_CHOICES
};

struct ics {
	char path[256];
	char sha256[ICS_DIGEST]; /* of the file; "": it was not read from a
				  * file */
	char spec[16];           /* "rfc7306" */
	char text[ICS_TEXTS][ICS_VALUE];
	uint64_t yes; /* 1 << enum agent_feature; the others are stated no */
	struct {
		bool stated;
		uint64_t most;
	} limit[ICS_LIMITS];
	char choice[ICS_CHOICES][16]; /* "": not stated */
	/* The device's behaviour where the RFCs leave it open, in the
	 * supplier's words. */
	struct {
		const char *requirement; /* of the catalogue */
		char text[ICS_VALUE];
	} open[ICS_CHOSEN];
	size_t open_count;
};

/* Fill in the facts about a device that are known without its supplier.
 * Features: 1 << enum agent_feature. */
void ics_of(struct ics *s, const struct device *d, const struct agent_hello *h,
	    uint64_t features, const char *spec, const char *link);

/* Fill in the facts about the device of a past run that has no statement: the
 * claims of its agent then. */
void ics_of_run(struct ics *s, const struct run_result *run);

/* Write the form with these facts; impl: the agent's name of the device. False:
 * `out` failed. */
bool ics_write(const struct ics *s, const char *impl, FILE *out);

/*
 * Read a statement. False: one line in why that names the file, the line and
 * the key.
 */
bool ics_load(struct ics *s, const char *path, char *why, size_t cap);
/* The same from n octets, followed by a NUL, that stand for the file at
 * path. */
bool ics_parse(struct ics *s, const char *path, const char *text, size_t n,
	       char *why, size_t cap);

#endif

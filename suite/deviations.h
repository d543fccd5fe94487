/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Known deviations of a device, as data. A file of entries, each of which
 * begins with a glob on case ids:
 *
 *   [deviation]
 *   case = mpa/crc/wrong_crc_*
 *   signature = MPA-4.4-14 MPA-8-02
 *   reason = the checksum engine is off in this firmware
 *   reference = vendor bug 4711
 *   expires = 2027-06-30
 *
 * A value may go on in further lines that are indented. The signature is the set of requirements that the case finds broken. A
 * failure with that signature is XFAIL. An entry is stale, and fails the
 * run, when a case of it that ran passes or fails otherwise, when it matches
 * no case at all, or when it has expired.
 */
#ifndef SUITE_DEVIATIONS_H
#define SUITE_DEVIATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "suite/result.h"

struct deviations;

/* NULL: one line in why that names file, line and key. A file that is not
 * there is an error unless `may_be_missing`. */
struct deviations *deviations_load(const char *path, bool may_be_missing,
				   char *why, size_t cap);
void deviations_free(struct deviations *d);

/*
 * Turn listed failures of the n results into XFAIL, with the entry's reason.
 * Returns how many entries are stale; the first is told in why.
 */
size_t deviations_apply(const struct deviations *d, struct result *results,
			size_t n, time_t now, char *why, size_t cap);

/*
 * Write the file anew from these results (before or after apply): an entry
 * for each case that fails, with the reason, reference and expiry of the
 * entry it had. Entries of cases that did not run are kept. Whole or not at
 * all; false: one line in why.
 */
bool deviations_update(const struct deviations *d, const char *path,
		       const struct result *results, size_t n, char *why,
		       size_t cap);

#endif

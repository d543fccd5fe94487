/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Known deviations of a device, as data. An entry is one thing that is known,
 * and the cases, by globs on their ids, that run into it:
 *
 *   [deviation]
 *   case = mpa/crc/wrong_crc_*
 *          mpa/crc/crc_covers_the_length
 *   signature = MPA-4.4-14 MPA-8-02
 *   reason = the checksum engine is off in this firmware
 *   reference = vendor bug 4711
 *   expires = 2027-06-30
 *
 * A value may go on in further lines that are indented. The signature is the
 * requirements that these cases find broken. A failure is XFAIL when the
 * entries of its case name every requirement that it breaks, and all that
 * they name is broken. An entry is stale, and fails the run, when a case of
 * it that ran passes or fails otherwise, when a glob matches no case at all,
 * or when it has expired. One with
 * `sometimes = yes` is of what happens by chance: its cases may do otherwise.
 *
 * What programs find (suite/explore) has ids of its own, explore/REQUIREMENT and
 * explore/device-crashed/OPERATION. Beside them a requirement that an entry
 * names is known to be broken whatever the program: programs show no more of a
 * fault than its requirement. An entry may say what programs have to leave
 * out, so that they do not run into it:
 *
 *   avoid = peer-reads fault=sink-wrap
 *
 * A device that crashes breaks no requirement by name: that signature is
 * device-crashed.
 */
#ifndef SUITE_JUDGE_DEVIATIONS_H
#define SUITE_JUDGE_DEVIATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "suite/judge/result.h"

struct deviations;

/* Of the cases with these ids, which live as long as it. NULL: one line in why
 * that names file, line and key. A file that is not there is an error unless
 * `may_be_missing`. */
struct deviations *deviations_load(const char *path, bool may_be_missing,
				   const char *const *ids, size_t id_count,
				   char *why, size_t cap);
/* The same of n octets, a NUL behind them, that stand for the file at path. */
struct deviations *deviations_parse(const char *path, const char *text,
				    size_t n, const char *const *ids,
				    size_t id_count, char *why, size_t cap);
void deviations_free(struct deviations *d);

/*
 * Turn listed failures of the n results into XFAIL, with the reasons of their
 * entries. Returns how many entries and failures are at odds, and which in
 * *stale; these and the reasons live as long as d.
 */
size_t deviations_apply(struct deviations *d, struct result *results, size_t n,
			time_t now, const struct result_stale **stale);

/* The reasons of the entries that explain this failure, alone; NULL: it is
 * none, or not all of it is listed. They live as long as d. */
const char *deviations_reason(struct deviations *d, const struct result *r,
			      time_t now);

/* The reason of an entry for this case with the signature device-crashed, or
 * NULL. */
const char *deviations_crash(const struct deviations *d, const char *id,
			     time_t now);

/*
 * The same by requirements alone, for a program: which case it is about does
 * not matter. What is known of them is in the result.
 */
const char *deviations_requirements(struct deviations *d, struct result *r,
				    time_t now);

/* What programs leave out, by entries that have not expired: the n-th, from 0;
 * NULL: there are no more. */
const char *deviations_avoid(const struct deviations *d, size_t n, time_t now);

/* Entries: as they were, with other cases than before, new, and gone. */
struct deviations_written {
	size_t kept, changed, added, removed;
};

/*
 * Write the file anew from these results (before or after apply). Entries
 * keep the cases that still fail as they say, and those that did not run;
 * what none explains becomes an entry for each requirement, to be explained.
 * A comment stays before the entry that it stood before or in, and goes with
 * it; one with an empty line behind it stays. Whole or not at all; false: one
 * line in why.
 */
bool deviations_update(const struct deviations *d, const char *path,
		       const struct result *results, size_t n,
		       struct deviations_written *written, char *why,
		       size_t cap);

#endif

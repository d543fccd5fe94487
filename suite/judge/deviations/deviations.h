/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Known deviations of a device, as data. An entry is one known deviation, and
 * the cases that show it, as globs on their ids:
 *
 *   [deviation]
 *   case = mpa/crc/wrong_crc_*
 *          mpa/crc/crc_covers_the_length
 *   signature = MPA-4.4-14 MPA-8-02
 *   reason = the checksum engine is off in this firmware
 *   reference = vendor bug 4711
 *   expires = 2027-06-30
 *
 * A value may continue on further lines that are indented. The signature lists
 * the requirements that these cases find broken. A failure is XFAIL if the
 * entries of its case name every requirement that it breaks, and all that they
 * name are broken. An entry is stale, and fails the run, if one of its cases
 * ran and passed or failed differently, if a glob matches no case at all, or if
 * it has expired. An entry with `sometimes = yes` is about something that
 * happens by chance: its cases may also have other results.
 *
 * Findings of programs (suite/explore) have ids of their own,
 * explore/REQUIREMENT and explore/device-crashed/OPERATION. In addition, a
 * requirement that an entry names is known to be broken in any program, because
 * programs show only the requirement of a fault. An entry may list the steps
 * that programs have to avoid, so that they do not meet the fault:
 *
 *   avoid = peer-reads fault=sink-wrap
 *
 * A crash of the device breaks no requirement by name: its signature is
 * device-crashed.
 */
#ifndef SUITE_JUDGE_DEVIATIONS_DEVIATIONS_H
#define SUITE_JUDGE_DEVIATIONS_DEVIATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "suite/judge/result.h"

struct deviations;

/* Load the deviations for the cases with these ids, which have to live as long.
 * NULL: one line in why with file, line and key. A missing file is an error
 * unless `may_be_missing`. */
struct deviations *deviations_load(const char *path, bool may_be_missing,
				   const char *const *ids, size_t id_count,
				   char *why, size_t cap);
/* The same from n octets, followed by a NUL, that stand for the file at
 * path. */
struct deviations *deviations_parse(const char *path, const char *text,
				    size_t n, const char *const *ids,
				    size_t id_count, char *why, size_t cap);
void deviations_free(struct deviations *d);

/*
 * Turn listed failures of the n results into XFAIL, with the reasons of their
 * entries. Returns the number of stale entries, and a text about each in
 * *stale; the texts and the reasons live as long as d.
 */
size_t deviations_apply(struct deviations *d, struct result *results, size_t n,
			time_t now, const struct result_stale **stale);

/* The reasons of the entries that explain this failure alone; NULL: it is not a
 * failure, or not completely listed. They live as long as d. */
const char *deviations_reason(struct deviations *d, const struct result *r,
			      time_t now);

/* The reason of an entry for this case with the signature device-crashed, or
 * NULL. */
const char *deviations_crash(const struct deviations *d, const char *id,
			     time_t now);

/*
 * The same by requirements only, for a program: the case does not matter. The
 * known requirements are in the result.
 */
const char *deviations_requirements(struct deviations *d, struct result *r,
				    time_t now);

/* The steps that programs have to avoid, by entries that have not expired: the
 * n-th, from 0; NULL: there are no more. */
const char *deviations_avoid(const struct deviations *d, size_t n, time_t now);

/* The number of entries: unchanged, with other cases than before, new, and
 * removed. */
struct deviations_written {
	size_t kept, changed, added, removed;
};

/*
 * Rewrite the file from these results (before or after apply). Entries keep the
 * cases that still fail in the same way, and those that did not run;
 * unexplained failures become an entry for each requirement, to be explained. A
 * comment stays before or in its entry, and is removed with it; one followed by
 * an empty line stays. The file is written completely or not at all. False: one
 * line in why.
 */
bool deviations_update(const struct deviations *d, const char *path,
		       const struct result *results, size_t n,
		       struct deviations_written *written, char *why,
		       size_t cap);

#endif

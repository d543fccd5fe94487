/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Readings: what to make of a device that encodes a group of fields in
 * another way than the RFCs say, but always in the same.
 *
 * A reading puts the bits of such a group back where they belong. It is a
 * picture of the octets as the device sends them, beside the picture that the
 * RFC has of them; whatever can be drawn so, can be undone. Where a device has
 * another value of a field instead, that is reported beside it.
 *
 *   before the cases, in the parent:
 *     probes (reading_probe.h)    make the device send a group whose content
 *          |                      is known, several times
 *          v
 *     evidence                    the octets, and under which readings they
 *          |                      say what was due
 *          v
 *     reading_choose()            what the RFC says, or the one reading that
 *          |                      explains all of it
 *          v
 *   struct readings               a copy in every worker
 *
 *   in every case:
 *     a frame of the device       stays in the log and captures as sent
 *          |
 *          v
 *     interpret.h                 a copy with the group as it was meant:
 *          |                      cases, matchers and model see this one
 *          v
 *     result.reading              the case is marked in every report
 *
 * One case for each group judges the octets as sent: placed() of case.h. All
 * here is pure.
 */
#ifndef SUITE_READING_READING_H
#define SUITE_READING_READING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "suite/reading/groups.h"

#define READING_OCTETS_MAX 32 /* of a group */
#define READING_EVIDENCE   8  /* observations of a group, at most */

struct reading {
	enum reading_group group;
	const char *name; /* "bit-fields-from-the-lowest" */
	const char *picture;
	const char *note; /* what such a device does, in a few words */
};

/* What the RFC says of a group. */
struct reading_group_desc {
	const char *name;    /* "the control word of a Terminate" */
	const char *section; /* "RFC 5040 s4.8" */
	unsigned octets;
	unsigned unit; /* bits that a letter of its pictures stands for */
	const char *picture;
};

const struct reading_group_desc *reading_group(enum reading_group g);

/* All readings there are, of any group. */
const struct reading *reading_table(size_t *count);

/* Octets as sent into octets as meant, and back; they do not overlap. */
void reading_meant(const struct reading *r, const uint8_t *sent,
		   uint8_t *meant);
void reading_sent(const struct reading *r, const uint8_t *meant, uint8_t *sent);

/* Whether the bits of these fields (letters) differ, in the places that the
 * RFC gives them. */
bool reading_fields_differ(enum reading_group g, const char *fields,
			   const uint8_t *a, const uint8_t *b);

/* Both pictures of a reading hold the same fields, and fill the group. */
bool reading_is_sound(const struct reading *r);

/* The readings in force: NULL where the RFC's own is. */
struct readings {
	const struct reading *of[READING_GROUPS];
	/* Octets that showed it. */
	uint8_t sent[READING_GROUPS][READING_OCTETS_MAX];
};

/* Their names, separated by ", ", in at most cap octets; "" for none. */
void readings_names(const struct readings *r, char *text, size_t cap);

/* --- which one is it ---------------------------------------------------- */

/*
 * Octets that came, and the readings under which they say what was due: bit 0
 * of `fits` is what the RFC says, bit i + 1 is row i of the table.
 */
struct reading_seen {
	uint8_t octets[READING_OCTETS_MAX];
	uint64_t fits;
};
struct reading_evidence {
	enum reading_group group;
	unsigned n;
	struct reading_seen seen[READING_EVIDENCE];
};

/*
 * Add one observation. `is_due` says whether a group that was meant to be so
 * is what was due; it is asked for every reading of the group.
 */
void reading_observe(struct reading_evidence *e, const uint8_t *sent,
		     bool (*is_due)(const uint8_t *meant, const void *arg),
		     const void *arg);

/* Nothing more can change the choice: it is the RFC's. */
bool reading_settled(const struct reading_evidence *e);

/*
 * The reading of this device, or NULL: the RFC's.
 *
 * It is one that fits whatever the RFC's fits, and explains at least two
 * different groups of octets that the RFC's does not, or one where it is about
 * a value that has no other meaning. Octets that fit nothing
 * - a fault of another kind - speak for none, but must be fewer than those it
 * explains. Of several it is the one that explains the most, of several of
 * these that take all the octets for the same the first in the table; where
 * these disagree nothing is known, and nothing is guessed.
 */
const struct reading *reading_choose(const struct reading_evidence *e);

/* Put it in force, if there is one, with octets that show it. */
void reading_adopt(struct readings *r, const struct reading_evidence *e);

#endif

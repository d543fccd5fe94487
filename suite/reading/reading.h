/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Readings: how to interpret a device that consistently encodes a group of
 * fields differently from the RFCs.
 *
 * A reading puts the bits of such a group back where they belong. It is a
 * picture of the octets as the device sends them, next to the RFC's picture of
 * them; every encoding that can be drawn in this way can be reversed. If a
 * device has another value of a field instead, that is reported separately.
 *
 *   before the cases, in the parent:
 *     probes (reading_probe.h)    make the device send a group whose contents
 *          |                      are known, several times
 *          v
 *     evidence                    the octets, and the readings under which they
 *          |                      are the expected ones
 *          v
 *     reading_choose()            the RFC's encoding, or the one reading that
 *          |                      explains all of them
 *          v
 *   struct readings               a copy in every worker
 *
 *   in every case:
 *     a frame of the device       stays in the log and captures as sent
 *          |
 *          v
 *     interpret.h                 a copy with the group as intended:
 *          |                      cases, matchers and model see this one
 *          v
 *     result.reading              the case is marked in every report
 *
 * One case for each group judges the octets as sent: placed() of case.h. All
 * functions here are pure.
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

/* The RFC's encoding of a group. */
struct reading_group_desc {
	const char *name;    /* "the control word of a Terminate" */
	const char *section; /* "RFC 5040 s4.8" */
	unsigned octets;
	unsigned unit; /* bits that a letter of its pictures stands for */
	const char *picture;
};

const struct reading_group_desc *reading_group(enum reading_group g);

/* All readings of all groups. */
const struct reading *reading_table(size_t *count);

/* Octets as sent into octets as meant, and back; they do not overlap. */
void reading_meant(const struct reading *r, const uint8_t *sent,
		   uint8_t *meant);
void reading_sent(const struct reading *r, const uint8_t *meant, uint8_t *sent);

/* True if the bits of these fields (letters) differ, at their positions in the
 * RFC. */
bool reading_fields_differ(enum reading_group g, const char *fields,
			   const uint8_t *a, const uint8_t *b);

/* True if both pictures of a reading have the same fields, and fill the
 * group. */
bool reading_is_sound(const struct reading *r);

/* The readings in force; NULL: the RFC's encoding. */
struct readings {
	const struct reading *of[READING_GROUPS];
	/* Octets that showed the reading. */
	uint8_t sent[READING_GROUPS][READING_OCTETS_MAX];
};

/* Their names, separated by ", ", in at most cap octets; "" for none. */
void readings_names(const struct readings *r, char *text, size_t cap);

/* --- choosing a reading ------------------------------------------------- */

/*
 * Octets that arrived, and the readings under which they are the expected ones:
 * bit 0 of `fits` is the RFC's encoding, bit i + 1 is row i of the table.
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
 * Add one observation. `is_due` returns whether a group with this meaning is
 * the expected one; it is called for every reading of the group.
 */
void reading_observe(struct reading_evidence *e, const uint8_t *sent,
		     bool (*is_due)(const uint8_t *meant, const void *arg),
		     const void *arg);

/* Nothing more can change the choice: it is the RFC's. */
bool reading_settled(const struct reading_evidence *e);

/*
 * The reading of this device, or NULL: the RFC's.
 *
 * It fits every observation that the RFC's encoding fits, and explains at least
 * two different groups of octets that the RFC's does not, or one if it is about
 * a value that has no other meaning. Octets that fit no encoding - a fault of
 * another kind - count for none, but must be fewer than those that it explains.
 * Of several readings it is the one that explains the most; of several of these
 * that interpret all octets in the same way, the first in the table; if these
 * disagree, the reading is unknown, and is not guessed.
 */
const struct reading *reading_choose(const struct reading_evidence *e);

/* Put the reading of this device in force, if there is one, with octets that
 * show it. */
void reading_adopt(struct readings *r, const struct reading_evidence *e);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Divides the octets of one direction into FPDUs, while they arrive. After
 * missing octets, it finds the next FPDU from the length of the FPDU that they
 * belong to, or by its CRC. Until an FPDU is certain, nothing is passed on.
 */
#ifndef SUITE_AUDIT_OCTETS_H
#define SUITE_AUDIT_OCTETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/wire/ddp.h"
#include "harness/wire/fpdu.h"

/* An FPDU, its CRC if that does not match, and its octets. */
typedef void octets_fpdu(void *user, const struct fpdu *f,
			 const struct ddp_segment *seg, const uint8_t *crc,
			 const uint8_t *octets, size_t n);

enum octets_state {
	OCTETS_FRAMES, /* an FPDU begins at the first octet held */
	OCTETS_SKIP,   /* one begins after `skip` octets */
	OCTETS_SEARCH, /* the start is unknown */
	OCTETS_LOST,   /* its sender has lost the framing: nothing follows */
};

struct octets {
	enum octets_state state;
	uint8_t *held;
	size_t n, cap;
	uint32_t offset; /* of the first octet held, as RFC 5044 counts */
	bool markers, crc;
	bool aligned;  /* FPDUs begin at multiples of 4 of `offset` */
	bool doubtful; /* the last FPDU was wrong: the framing may be lost */
	/* This many octets of FPDUs have to be correct in sequence before one
	 * that is not correct is accepted as an FPDU. */
	uint64_t unsure;
	unsigned searches; /* number begun; the skipped octets are missing */
	uint64_t skip;
	size_t scanned;  /* of those held, in a search */
	uint64_t budget; /* octets that a search may still compare */
	uint64_t passed; /* octets given up in searches */
	bool failed;     /* no memory */
};

/* Keeps octets whose place is not known yet. False: no memory. */
bool octets_hold(struct octets *o, const uint8_t *octets, size_t n);
void octets_drop(struct octets *o, size_t n);
void octets_free(struct octets *o);

/* FPDUs begin with the first octet held; at an unknown place. */
void octets_begin(struct octets *o, bool crc, bool markers);
void octets_begin_midway(struct octets *o, bool crc);

/* These octets are next (none: look at the held ones). */
void octets_take(struct octets *o, const uint8_t *octets, size_t n,
		 octets_fpdu *fpdu, void *user);
/* This many octets are missing. True: the FPDUs continue after them. */
void octets_gap(struct octets *o, uint64_t n);

/* True if an end could have sent this DDP header. */
bool octets_plausible(const struct ddp_segment *seg);

#endif

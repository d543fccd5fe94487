/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/reading/place.h"

#include "harness/wire/mpa.h"
#include "harness/wire/rdmap.h"
#include "suite/reading/reading.h"

/* A group inside the ULPDU. */
struct place {
	unsigned opcodes; /* a bit for each; 0: not in a ULPDU */
	unsigned at;      /* octets from the start of the ULPDU */
	bool tagged;      /* of tagged messages, else of untagged */
	bool first_only;  /* of these, the segment with MO 0 */
};

#define BIT(opcode) (1u << (opcode))
#define BEHIND(n)   (DDP_UNTAGGED_OCTETS + (n))

static const struct place places[READING_GROUPS] = {
	[READING_TAGGED] = {.opcodes = 0xffff, .at = 2, .tagged = true},
	[READING_UNTAGGED] = {.opcodes = 0xffff, .at = 6},
	[READING_TERMINATE] = {.opcodes = BIT(RDMAP_TERMINATE),
			       .at = BEHIND(0),
			       .first_only = true},
	[READING_MPA_ERROR] = {.opcodes = BIT(RDMAP_TERMINATE),
			       .at = BEHIND(0),
			       .first_only = true},
	[READING_ATOMIC_REQUEST] = {.opcodes = BIT(RDMAP_ATOMIC_REQUEST),
				    .at = BEHIND(20),
				    .first_only = true},
	[READING_ATOMIC_RESPONSE] = {.opcodes = BIT(RDMAP_ATOMIC_RESPONSE),
				     .at = BEHIND(4),
				     .first_only = true},
	[READING_IMMEDIATE] = {.opcodes = BIT(RDMAP_IMM) | BIT(RDMAP_IMM_SE),
			       .at = BEHIND(0),
			       .first_only = true},
};

const uint8_t *reading_octets(const struct frame *f, enum reading_group g)
{
	const struct place *p = &places[g];
	const struct ddp *d = &f->seg.ddp;

	if (g == READING_CRC)
		return f->chunk ? NULL : f->fpdu->crc;
	if (!p->opcodes || f->seg.short_header || d->tagged != p->tagged ||
	    !(p->opcodes & BIT(d->opcode)) || (p->first_only && d->mo) ||
	    f->fpdu->ulpdu_length < p->at + reading_group(g)->octets)
		return NULL;
	return f->fpdu->ulpdu + p->at;
}

const uint8_t *reading_enhanced_octets(const uint8_t *octets, size_t n)
{
	struct mpa_startup f;

	if (!mpa_startup_decode(&f, octets, n) || !(f.flags & MPA_S) ||
	    f.private_octets < MPA_ENHANCED_OCTETS)
		return NULL;
	return f.private_data;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which numbers of a Terminate are registered, and what it returns. outcomes.c
 * has the numbers that each fault allows.
 */
#include <stddef.h>

#include "harness/wire/ddp.h"
#include "harness/wire/terminate_names.h"
#include "suite/model/outcome/terminate.h"

#define LEVEL(ident) REQ_INDEX_##ident

bool model_outcomes_has(const struct model_outcomes *o,
			enum model_outcome_kind kind)
{
	unsigned i;

	for (i = 0; i < o->n; i++)
		if (o->outcome[i].kind == kind)
			return true;
	return false;
}

static bool number_fits(uint16_t allowed, unsigned seen)
{
	return allowed == MODEL_ANY || allowed == seen;
}

bool model_outcomes_terminate(const struct model_outcomes *o, unsigned layer,
			      unsigned etype, unsigned code)
{
	unsigned i;

	for (i = 0; i < o->n; i++)
		if (o->outcome[i].kind == MODEL_TERMINATE &&
		    number_fits(o->outcome[i].layer, layer) &&
		    number_fits(o->outcome[i].etype, etype) &&
		    number_fits(o->outcome[i].code, code))
			return true;
	return false;
}

bool model_outcomes_unspecified(const struct model_outcomes *o, unsigned layer,
				unsigned etype, unsigned code)
{
	unsigned i;

	if (layer != TERM_RDMA || code != TERM_UNSPECIFIED)
		return false;
	for (i = 0; i < o->n; i++)
		if (o->outcome[i].kind == MODEL_TERMINATE &&
		    number_fits(o->outcome[i].layer, layer) &&
		    number_fits(o->outcome[i].etype, etype) &&
		    o->outcome[i].code != TERM_CATASTROPHIC)
			return true;
	return false;
}

bool model_terminate_registered(unsigned layer, unsigned etype, unsigned code)
{
	return terminate_names(layer, etype, code).code;
}

/* RFC 5040 s7.2: protection is checked if a message names an STag; for the
 * access rights of a tagged message DDP has no number. */
static bool rdmap_may_be_hidden(unsigned etype, unsigned code,
				const struct ddp *d)
{
	bool invalidates =
		d->opcode == RDMAP_SEND_INV || d->opcode == RDMAP_SEND_SE_INV;

	if (etype == 0)
		return true;
	if (etype == 1)
		return d->tagged || invalidates ||
		       d->opcode == RDMAP_READ_REQUEST;
	switch (code) {
	case 0x05: /* the version is in the header, */
		return false;
	case 0x06: /* and so is the opcode; but Reads may not be served, and a
		    * Read may have ended with the STag of its sink */
		return d->opcode == RDMAP_READ_REQUEST ||
		       d->opcode == RDMAP_READ_RESPONSE;
	case 0x09:
		return invalidates;
	default:
		return true;
	}
}

bool model_terminate_may_be_hidden(unsigned layer, unsigned etype,
				   unsigned code, const struct ddp *d)
{
	/* Some devices do not know the opcodes and the queue of the
	 * extensions. */
	if (d->opcode > RDMAP_TERMINATE ||
	    (!d->tagged && d->qn > DDP_QN_TERMINATE))
		return true;
	if (layer == TERM_RDMA)
		return rdmap_may_be_hidden(etype, code, d);
	if (layer != TERM_DDP || etype == 0)
		return true;
	if (etype == 1)
		return d->tagged && code != 0x04;
	return !d->tagged && code != 0x01 && code != 0x06;
}

unsigned model_terminate_ulpdu(bool m, bool d, bool r, bool tagged)
{
	unsigned octets = DDP_UNTAGGED_OCTETS + RDMAP_TERMINATE_OCTETS;

	if (m || d)
		octets += 2;
	if (d)
		octets += (unsigned)ddp_header_octets(tagged);
	if (r)
		octets += RDMAP_READ_REQUEST_OCTETS;
	return octets;
}

bool model_terminate_set_to_zero(const struct rdmap_terminate *t)
{
	static const size_t ddp[] = {DDP_TAGGED_OCTETS, DDP_UNTAGGED_OCTETS};
	size_t length = t->has_segment_length ? 0 : 2;
	size_t i;

	for (i = 0; i < t->tail.n; i++)
		if (t->tail.octets[i])
			return false;
	if (t->r)
		return false;
	if (t->tail.n == RDMAP_READ_REQUEST_OCTETS)
		return true;
	for (i = 0; i < 2 && !t->d; i++) {
		size_t n = t->tail.n;

		if (n >= ddp[i] + RDMAP_READ_REQUEST_OCTETS)
			n -= RDMAP_READ_REQUEST_OCTETS;
		if (n == ddp[i] || n == ddp[i] + length)
			return true;
	}
	return false;
}

static struct model_bit_due bit(enum model_due due, unsigned short req)
{
	return (struct model_bit_due){.due = due, .req = req};
}

static const struct model_bit_due free_choice = {MODEL_DUE_EITHER,
						 MODEL_REQ_NONE};

/* Errors that RDMAP finds on a message DDP has delivered. */
static struct model_headers_due rdmap_headers_due(unsigned etype,
						  unsigned opcode)
{
	struct model_headers_due due;
	unsigned short included = LEVEL(RDMAP_7_1_03);
	unsigned short by_type =
		etype == 1 ? LEVEL(RDMAP_4_8_27) : LEVEL(RDMAP_4_8_28);
	bool invalidates =
		opcode == RDMAP_SEND_INV || opcode == RDMAP_SEND_SE_INV;

	/*
	 * RFC 7306 s8.1 requires the header, but does not mention its length;
	 * figure 10 of RFC 5040 requires the length, too.
	 */
	if (opcode == RDMAP_ATOMIC_REQUEST)
		included = LEVEL(RDMAPX_8_1_02);
	else if (opcode == RDMAP_IMM || opcode == RDMAP_IMM_SE)
		included = LEVEL(RDMAPX_8_1_03);
	else if (opcode == RDMAP_ATOMIC_RESPONSE)
		included = LEVEL(RDMAPX_8_1_04);

	switch (opcode) {
	case RDMAP_READ_REQUEST:
		/* Figure 10 and s7.1 item 3 disagree about R for 0/2. */
		due.m = bit(MODEL_DUE_SET, by_type);
		due.d = bit(MODEL_DUE_SET, by_type);
		due.r = etype == 1 ? bit(MODEL_DUE_SET, LEVEL(RDMAP_4_8_27))
				   : free_choice;
		break;
	case RDMAP_WRITE:
	case RDMAP_READ_RESPONSE:
	case RDMAP_SEND:
	case RDMAP_SEND_INV:
	case RDMAP_SEND_SE:
	case RDMAP_SEND_SE_INV:
		due.m = bit(MODEL_DUE_SET, included);
		due.d = bit(MODEL_DUE_SET, included);
		/* Figure 10 has R for Send with Invalidate; s4.8 does not. */
		due.r = etype == 1 && invalidates
				? free_choice
				: bit(MODEL_DUE_CLEAR, by_type);
		break;
	case RDMAP_IMM:
	case RDMAP_IMM_SE:
	case RDMAP_ATOMIC_REQUEST:
	case RDMAP_ATOMIC_RESPONSE:
		due.m = bit(MODEL_DUE_SET, by_type);
		due.d = bit(MODEL_DUE_SET, included);
		due.r = bit(MODEL_DUE_CLEAR, included);
		break;
	default: /* a Terminate, or no opcode at all */
		due.m = bit(MODEL_DUE_SET, by_type);
		due.d = bit(MODEL_DUE_SET, by_type);
		due.r = bit(MODEL_DUE_CLEAR, by_type);
		break;
	}
	return due;
}

struct model_headers_due model_terminate_headers_due(unsigned layer,
						     unsigned etype,
						     unsigned code,
						     unsigned opcode)
{
	struct model_headers_due due = {free_choice, free_choice, free_choice};

	(void)code;
	if (opcode == MODEL_ANY) {
		/*
		 * RFC 5040 s7.1 item 1: nothing is returned. Zeroed headers
		 * with their bits set mean the same, so the bits are free
		 * there.
		 */
		return due;
	}
	if (layer == TERM_LLP) {
		due.m = bit(MODEL_DUE_CLEAR, LEVEL(RDMAP_4_8_25));
		due.d = bit(MODEL_DUE_CLEAR, LEVEL(RDMAP_4_8_25));
		due.r = bit(MODEL_DUE_CLEAR, LEVEL(RDMAP_4_8_25));
	} else if (layer == TERM_DDP && etype != 0) {
		/* For 1/0/00 figure 10 and the field's text disagree. */
		due.m = bit(MODEL_DUE_SET, LEVEL(RDMAP_4_8_26));
		due.d = bit(MODEL_DUE_SET, LEVEL(RDMAP_4_8_26));
		due.r = bit(MODEL_DUE_CLEAR, LEVEL(RDMAP_4_8_26));
	} else if (layer == TERM_RDMA && etype == 0) {
		due.m = bit(MODEL_DUE_CLEAR, LEVEL(RDMAP_4_8_30));
		due.d = bit(MODEL_DUE_CLEAR, LEVEL(RDMAP_4_8_30));
		due.r = bit(MODEL_DUE_CLEAR, LEVEL(RDMAP_4_8_30));
	} else if (layer == TERM_RDMA) {
		due = rdmap_headers_due(etype, opcode);
	}
	return due;
}

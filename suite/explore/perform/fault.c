/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/explore/perform/fault.h"

#include <stddef.h>

#define OTHER_PD 77u

/* --- the memory that a message names -------------------------------------- */

static uint32_t *stag_of(struct msg *m)
{
	switch (m->opcode) {
	case RDMAP_READ_REQUEST:
		return &m->read.source_stag;
	case RDMAP_ATOMIC_REQUEST:
		return &m->atomic.stag;
	default:
		return &m->stag;
	}
}

static uint64_t *to_of(struct msg *m)
{
	switch (m->opcode) {
	case RDMAP_READ_REQUEST:
		return &m->read.source_to;
	case RDMAP_ATOMIC_REQUEST:
		return &m->atomic.to;
	default:
		return &m->to;
	}
}

/* How many octets it is about; of none nothing is checked. */
static size_t octets_of_it(struct msg *m)
{
	if (m->opcode == RDMAP_ATOMIC_REQUEST)
		return 8;
	if (m->opcode == RDMAP_READ_REQUEST)
		return m->read.size ? m->read.size : (m->read.size = 1);
	return m->n;
}

/* Of the same size, and at its place, but not for any stream of this
 * session. */
static struct region elsewhere(struct test *t, const struct fault_place *at,
			       unsigned pd, unsigned access)
{
	return dut_registers(t, .len = at->region->len, .pd = pd,
			     .access = access);
}

static void put_region(struct msg *m, const struct fault_place *at,
		       struct region r)
{
	*stag_of(m) = r.stag;
	*to_of(m) += r.to - at->region->to;
}

/* The first octet after it, or one of those that follow; for an atomic, aligned
 * like its word. */
static uint64_t behind(const struct region *r, const struct msg *m, bool far)
{
	uint64_t end = r->to + r->len;

	if (m->opcode != RDMAP_ATOMIC_REQUEST)
		return end + far;
	return end + (m->atomic.to - end) % 8 + (far ? 8 : 0);
}

static void put_memory_fault(struct test *t, const struct fault_place *at,
			     struct msg *m)
{
	const struct region *r = at->region;
	size_t n = octets_of_it(m);
	bool atomic = m->opcode == RDMAP_ATOMIC_REQUEST;
	enum step_fault f = (enum step_fault)at->step->n[STEP_FAULT];

	if (!n)
		return;
	switch (f) {
	case FAULT_STAG:
		*stag_of(m) = stag_never_issued(t);
		break;
	case FAULT_STAG_ZERO:
		*stag_of(m) = 0;
		break;
	case FAULT_OTHER_PD:
		put_region(m, at,
			   elsewhere(t, at, OTHER_PD, access_for(m->opcode)));
		break;
	case FAULT_ACCESS:
		put_region(m, at,
			   elsewhere(t, at, 0,
				     m->opcode == RDMAP_READ_REQUEST
					     ? FOR_WRITES
					     : FOR_READS));
		break;
	case FAULT_BOUNDS:
		if (!atomic)
			*to_of(m) = r->to + r->len - (n - 1);
		while (atomic && m->atomic.to - r->to + 8 <= r->len)
			m->atomic.to += 8; /* its word stays aligned */
		break;
	case FAULT_AT_END:
	case FAULT_BEHIND:
		*to_of(m) = behind(r, m, f == FAULT_BEHIND);
		break;
	case FAULT_BELOW:
		*to_of(m) = r->to - 1;
		if (atomic)
			m->atomic.to = r->to + at->step->n[STEP_OFF] % 8 - 8;
		break;
	case FAULT_WRAP:
		*to_of(m) = UINT64_MAX - n / 2;
		break;
	default:
		break;
	}
}

/* --- the others ------------------------------------------------------------------ */

static void put_mpa_fault(struct msg *m, enum step_fault f)
{
	switch (f) {
	case FAULT_CRC:
		m->crc = CRC_WRONG;
		break;
	case FAULT_CRC_SWAPPED:
		m->crc = CRC_BYTE_SWAPPED;
		break;
	default:
		break;
	}
}

static void put_ddp_fault(struct msg *m, enum step_fault f)
{
	bool tagged = m->opcode == RDMAP_WRITE;

	switch (f) {
	case FAULT_DV:
		m->dv = IS(2);
		break;
	case FAULT_DV_ZERO:
		m->dv = IS(0);
		break;
	case FAULT_MSN:
		m->msn = IS(0);
		break;
	case FAULT_MSN_AHEAD:
		m->msn = IS(0x40000000);
		break;
	case FAULT_QN:
		m->qn = IS(4);
		m->msn = IS(1);
		break;
	case FAULT_QN_HIGH:
		m->qn = IS(0x80000000u);
		m->msn = IS(1);
		break;
	case FAULT_MO:
		m->mo = IS(0x10000);
		break;
	case FAULT_SHORT_HEADER:
		m->ulpdu_cut = IS(tagged ? 10 : 12);
		break;
	case FAULT_TAGGED:
		m->t = IS(!tagged);
		break;
	default:
		break;
	}
}

static void put_header_fault(struct test *t, const struct fault_place *at,
			     struct msg *m, enum step_fault f)
{
	bool imm = m->opcode == RDMAP_IMM || m->opcode == RDMAP_IMM_SE;

	switch (f) {
	case FAULT_SHORT:
		m->cut_to = IS(imm ? 7 : 20);
		break;
	case FAULT_LONG:
		if (imm) {
			m->octets = octets_of(t, 9, 0x5a);
			m->n = 9;
		} else {
			m->tail = octets_of(t, 4, 0x5a);
			m->tail_octets = 4;
		}
		break;
	case FAULT_SEGMENTED:
		m->segment = imm ? 4 : 12;
		break;
	case FAULT_NOT_LAST:
		m->l = IS(0);
		break;
	case FAULT_SINK_WRAP:
		m->read.size = m->read.size < 2 ? 2 : m->read.size;
		m->read.sink_to = UINT64_MAX;
		break;
	case FAULT_UNALIGNED:
		/* Within its region still. */
		m->atomic.to += at->step->n[STEP_OFF] >= 8 ? (uint64_t)-1 : 1;
		break;
	case FAULT_AOPCODE_1:
		m->atomic.aopcode = 1;
		break;
	case FAULT_AOPCODE_3:
		m->atomic.aopcode = 3;
		break;
	case FAULT_AOPCODE_15:
		m->atomic.aopcode = 15;
		break;
	default:
		break;
	}
}

static void put_rdmap_fault(struct test *t, const struct fault_place *at,
			    struct msg *m, enum step_fault f)
{
	switch (f) {
	case FAULT_RV:
		m->rv = IS(3);
		break;
	case FAULT_OPCODE:
		m->opcode_field = IS(0xf);
		break;
	case FAULT_QUEUE:
		m->qn = IS(m->opcode == RDMAP_SEND || m->opcode == RDMAP_IMM ||
					   m->opcode == RDMAP_IMM_SE ||
					   m->opcode == RDMAP_SEND_SE
				   ? 1
				   : 0);
		break;
	case FAULT_INVALIDATE:
		m->opcode = RDMAP_SEND_INV;
		m->inval = stag_never_issued(t);
		break;
	case FAULT_INVALIDATE_PD:
		m->opcode = RDMAP_SEND_INV;
		m->inval = dut_registers(t, .len = 16, .pd = OTHER_PD,
					 .access = FOR_READS)
				   .stag;
		break;
	case FAULT_UNASKED:
		m->opcode = RDMAP_READ_RESPONSE;
		break;
	case FAULT_UNASKED_ATOMIC:
		*m = (struct msg){.opcode = RDMAP_ATOMIC_RESPONSE,
				  .atomic_response = {.id = 1, .value = 1}};
		break;
	default:
		put_header_fault(t, at, m, f);
		break;
	}
}

void fault_put(struct test *t, const struct fault_place *at, struct msg *m)
{
	enum step_fault f = (enum step_fault)at->step->n[STEP_FAULT];

	put_mpa_fault(m, f);
	put_ddp_fault(m, f);
	if (step_has(at->step->op, STEP_REGION))
		put_memory_fault(t, at, m);
	put_rdmap_fault(t, at, m, f);
}

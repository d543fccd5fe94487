/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of any kind, and their effects: words of case_kind.h that are made of
 * other words. */
#include "suite/language/execution/execution.h"

#define FETCHED 7u /* by an atomic of the device */

bool kind_is_send(uint8_t opcode)
{
	return opcode >= RDMAP_SEND && opcode <= RDMAP_SEND_SE_INV;
}

bool kind_is_received(uint8_t opcode)
{
	return kind_is_send(opcode) || opcode == RDMAP_IMM ||
	       opcode == RDMAP_IMM_SE;
}

/* What a kind needs: a feature, and a region with these rights. */
static const struct {
	enum case_need_bit need;
	size_t octets;
	unsigned access;
} kinds[] = {
	[RDMAP_WRITE] = {NEED_BIT_WRITE, AWAITED_OCTETS, FOR_WRITES},
	[RDMAP_READ_REQUEST] = {NEED_BIT_READ, 16, FOR_READS},
	[RDMAP_READ_RESPONSE] = {NEED_BIT_READ, AWAITED_OCTETS, FOR_RESPONSES},
	[RDMAP_SEND] = {NEED_BIT_SEND, 16, FOR_READS},
	[RDMAP_SEND_INV] = {NEED_BIT_SEND_INV, 16, FOR_READS},
	[RDMAP_SEND_SE] = {NEED_BIT_SEND_SE, 16, FOR_READS},
	[RDMAP_SEND_SE_INV] = {NEED_BIT_SEND_SE_INV, 16, FOR_READS},
	[RDMAP_TERMINATE] = {NEED_BIT_TERMINATE, 16, FOR_READS},
	[RDMAP_IMM] = {NEED_BIT_IMM, 16, FOR_READS},
	[RDMAP_IMM_SE] = {NEED_BIT_IMM_SE, 16, FOR_READS},
	[RDMAP_ATOMIC_REQUEST] = {NEED_BIT_FETCHADD, 8, FOR_ATOMICS},
	[RDMAP_ATOMIC_RESPONSE] = {NEED_BIT_FETCHADD, 8, FOR_RESULTS},
};

/* The device asks for what a Response brings. */
static void asks(struct test *t, struct awaited *a)
{
	bool reads = a->opcode == RDMAP_READ_RESPONSE;

	if (!reads && a->opcode != RDMAP_ATOMIC_RESPONSE)
		return;
	a->id = dut_posts(
		t, reads ? POST_READ(a->r, 0, AWAITED_OCTETS, 0x1234, 0x1000)
			 : POST_FETCHADD(a->r, 0, 0x1234, 0x1000, 1));
	a->f = awaits_given(t,
			    reads ? RDMAP_READ_REQUEST : RDMAP_ATOMIC_REQUEST);
}

void dut_claims_kind(struct test *t, uint8_t opcode)
{
	if (!(dut_claims(t) >> kinds[opcode].need & 1))
		not_applicable(
			t, "the device does not claim the feature of this row");
}

struct awaited case_dut_awaits(struct test *t, uint8_t opcode,
			       const struct stream_opts *o)
{
	struct awaited a = {.opcode = opcode};

	dut_claims_kind(t, opcode);
	a.r = dut_registers(t, .len = kinds[opcode].octets, .pd = o->pd,
			    .access = kinds[opcode].access);
	if (kind_is_received(opcode))
		a.sinks = dut_posts_recvs(t, AWAITED_RECEIVES, AWAITED_OCTETS);
	case_connects(t, case_role(t), o);
	asks(t, &a);
	return a;
}

void dut_awaits_another(struct test *t, struct awaited *a)
{
	a->turn++;
	if (a->opcode == RDMAP_ATOMIC_REQUEST)
		a->word--;
	/* An STag is invalidated only once. */
	if (a->opcode == RDMAP_SEND_INV || a->opcode == RDMAP_SEND_SE_INV)
		a->r = dut_registers(t, .len = kinds[a->opcode].octets,
				     .access = kinds[a->opcode].access);
	asks(t, a);
}

uint32_t msn_awaited(const struct awaited *a)
{
	bool asks = a->opcode == RDMAP_READ_REQUEST ||
		    a->opcode == RDMAP_ATOMIC_REQUEST;

	if (a->opcode == RDMAP_WRITE || a->opcode == RDMAP_READ_RESPONSE)
		return 0;
	return a->turn + (asks ? 2 : 1);
}

struct msg message_awaited(struct test *t, const struct awaited *a,
			   size_t octets)
{
	const uint8_t *p = pattern(
		t, octets > AWAITED_OCTETS ? octets : AWAITED_OCTETS, 1);

	switch (a->opcode) {
	case RDMAP_WRITE:
		return WRITE(a->r, 0, p, octets);
	case RDMAP_READ_REQUEST:
		return READ(a->r, 0, 16);
	case RDMAP_READ_RESPONSE:
		return READ_RESPONSE(a->f, p, AWAITED_OCTETS);
	case RDMAP_TERMINATE:
		return TERMINATE(TERM_RDMA, 1, 0x01);
	case RDMAP_ATOMIC_REQUEST:
		return FETCHADD(a->r, 0, ~0ull, 0);
	case RDMAP_ATOMIC_RESPONSE:
		return ATOMIC_RESPONSE(a->f, FETCHED);
	case RDMAP_IMM:
	case RDMAP_IMM_SE:
		return SEND_KIND(a->opcode, p, RDMAP_IMM_OCTETS);
	default:
		return SEND_KIND(a->opcode, p, octets, .inval = a->r.stag);
	}
}

static struct expect is_answered(struct test *t)
{
	const struct frame *f = awaits_any(t, false);

	return is("opcode of the answer", f ? f->seg.ddp.opcode : ~0u,
		  RDMAP_READ_RESPONSE);
}

struct expect had_its_effect(struct test *t, const struct awaited *a,
			     size_t octets)
{
	const uint8_t *p = pattern(t, AWAITED_OCTETS, 1);

	switch (a->opcode) {
	case RDMAP_WRITE:
		return memory_is(a->r, 0, p, octets);
	case RDMAP_READ_REQUEST:
		return is_answered(t);
	case RDMAP_READ_RESPONSE:
		return completed(a->id);
	case RDMAP_TERMINATE:
		return agent_sees_terminate(TERM_RDMA, 1, 0x01);
	case RDMAP_ATOMIC_REQUEST:
		/* Without Reads only its Response shows that it was carried
		 * out. */
		if (!(dut_claims(t) & NEED_READ))
			awaits_any(t, false);
		return word_is(a->r, 0, a->word - 1);
	case RDMAP_ATOMIC_RESPONSE:
		return completed_with_value(a->id, FETCHED);
	case RDMAP_IMM:
	case RDMAP_IMM_SE:
		return delivered_imm(sink_at(a->sinks, a->turn), p);
	default:
		return delivered(sink_at(a->sinks, a->turn), p, octets);
	}
}

/* What asks for the effect of a right message. */
static struct req_must asks_for(uint8_t opcode)
{
	switch (opcode) {
	case RDMAP_WRITE:
		return DDP_4_1_01;
	case RDMAP_READ_REQUEST:
		return RDMAP_5_2_1_09;
	case RDMAP_READ_RESPONSE:
		return RDMAP_5_2_2_03;
	case RDMAP_TERMINATE:
		return RDMAP_5_4_04;
	case RDMAP_ATOMIC_REQUEST:
		return RDMAPX_5_1_1_01;
	case RDMAP_ATOMIC_RESPONSE:
		return RDMAPX_5_2_2_06;
	case RDMAP_IMM:
		return RDMAPX_6_3_02;
	case RDMAP_IMM_SE:
		return RDMAPX_6_3_03;
	default:
		return RDMAP_5_3_02;
	}
}

void awaits_effect(struct test *t, const struct awaited *a, size_t octets)
{
	t->on_ground = true;
	case_insists(t, asks_for(a->opcode), had_its_effect(t, a, octets));
	t->on_ground = false;
}

struct expect had_no_effect(const struct awaited *a)
{
	switch (a->opcode) {
	case RDMAP_WRITE:
	case RDMAP_READ_REQUEST:
		return memory_unchanged(a->r);
	case RDMAP_TERMINATE:
		return agent_sees_no_terminate(TERM_RDMA, 1, 0x01);
	case RDMAP_ATOMIC_REQUEST:
		return word_is(a->r, 0, a->word);
	case RDMAP_READ_RESPONSE:
	case RDMAP_ATOMIC_RESPONSE:
		return not_completed(a->id);
	default:
		return not_delivered(sink_at(a->sinks, a->turn));
	}
}

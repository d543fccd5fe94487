/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "harness/unit.h"
#include "suite/model/startup/negotiate.h"

#define REQ_OF(ident) REQ_INDEX_##ident

/* A startup frame and the octets of its private data. */
struct frame {
	struct mpa_startup f;
	uint8_t octets[600];
};

static void plain(struct frame *x, const uint8_t *key, uint8_t flags,
		  uint8_t rev)
{
	memset(x, 0, sizeof(*x));
	memcpy(x->f.key, key, MPA_KEY_OCTETS);
	x->f.flags = flags;
	x->f.rev = rev;
	x->f.private_data = x->octets;
}

static void enhanced(struct frame *x, const uint8_t *key, uint8_t flags,
		     uint16_t ird, uint16_t ord, bool a, uint8_t rtr)
{
	struct mpa_enhanced e = {.a = a,
				 .b = rtr & MODEL_RTR_SEND,
				 .c = rtr & MODEL_RTR_WRITE,
				 .d = rtr & MODEL_RTR_READ,
				 .ird = ird,
				 .ord = ord};

	plain(x, key, flags | MPA_S, 2);
	mpa_enhanced_encode(&e, x->octets);
	x->f.pd_length = MPA_ENHANCED_OCTETS;
	x->f.private_octets = MPA_ENHANCED_OCTETS;
}

static const struct model_device device = {
	.enhanced = true,
	.asks_enhanced = true,
	.crc = true,
	.ird = 16,
	.ord = 16,
	.ird_max = 32,
	.rtr = MODEL_RTR_WRITE | MODEL_RTR_READ,
};

static bool only(const struct model_objections *o, enum model_fault fault,
		 unsigned short req)
{
	return o->n == 1 && o->list[0].fault == fault && o->list[0].req == req;
}

/* ---- Requests, at the device --------------------------------------------- */

static void requests_and_what_may_be_done(void)
{
	struct frame x;
	struct model_device d = device;
	struct model_answers a;

	plain(&x, mpa_key_request, MPA_C, 1);
	a = model_request_judge(&device, &x.f);
	CU_ASSERT_EQUAL(a.set, MODEL_ANSWER_ACCEPT);

	/* R and the reserved bits of a Request are not checked. */
	x.f.flags |= MPA_R | 0x0f;
	a = model_request_judge(&device, &x.f);
	CU_ASSERT_EQUAL(a.set, MODEL_ANSWER_ACCEPT);

	x.f.key[9] ^= 0x20;
	a = model_request_judge(&device, &x.f);
	CU_ASSERT_EQUAL(a.set, MODEL_ANSWER_CLOSE);
	CU_ASSERT_EQUAL(a.req, REQ_OF(MPA_7_1_1_03));

	plain(&x, mpa_key_reply, MPA_C, 1);
	a = model_request_judge(&device, &x.f);
	CU_ASSERT_EQUAL(a.set, MODEL_ANSWER_CLOSE);
	CU_ASSERT_EQUAL(a.req, REQ_OF(MPA_7_1_2_22));

	plain(&x, mpa_key_request, MPA_C, 1);
	x.f.pd_length = 513;
	x.f.private_octets = 513;
	a = model_request_judge(&device, &x.f);
	CU_ASSERT_EQUAL(a.set, MODEL_ANSWER_CLOSE);
	CU_ASSERT_EQUAL(a.req, REQ_OF(MPA_7_1_1_27));

	x.f.pd_length = 512;
	x.f.private_octets = 500;
	a = model_request_judge(&device, &x.f);
	CU_ASSERT_EQUAL(a.set, MODEL_ANSWER_WAIT);
	x.f.private_octets = 512;
	a = model_request_judge(&device, &x.f);
	CU_ASSERT_EQUAL(a.set, MODEL_ANSWER_ACCEPT);

	d.rejects = true;
	a = model_request_judge(&d, &x.f);
	CU_ASSERT_EQUAL(a.set, MODEL_ANSWER_REJECT);

	d = device;
	d.enhanced = false;
	enhanced(&x, mpa_key_request, MPA_C, 4, 4, false, 0);
	a = model_request_judge(&d, &x.f);
	CU_ASSERT_EQUAL(a.set, MODEL_ANSWER_CLOSE);
	CU_ASSERT_EQUAL(a.req, REQ_OF(EMPA_10_06));
}

/* RFC 6581 s9.1, whether the ULP needs that ORD or the device. */
static void an_ird_below_the_ord_may_be_rejected(void)
{
	const unsigned either = MODEL_ANSWER_ACCEPT | MODEL_ANSWER_REJECT;
	struct model_device d = device;
	struct frame x;

	enhanced(&x, mpa_key_request, MPA_C, 15, 1, false, 0);
	CU_ASSERT_EQUAL(model_request_judge(&d, &x.f).set, either);
	enhanced(&x, mpa_key_request, MPA_C, 16, 1, false, 0);
	CU_ASSERT_EQUAL(model_request_judge(&d, &x.f).set, MODEL_ANSWER_ACCEPT);
	d.need_ord = 17;
	CU_ASSERT_EQUAL(model_request_judge(&d, &x.f).set, either);
	enhanced(&x, mpa_key_request, MPA_C, MPA_NOT_NEGOTIATED, 1, false, 0);
	CU_ASSERT_EQUAL(model_request_judge(&d, &x.f).set, MODEL_ANSWER_ACCEPT);
}

static void open_requests_are_called_open(void)
{
	struct frame x;
	struct model_answers a;

	plain(&x, mpa_key_request, MPA_C | MPA_S, 1);
	a = model_request_judge(&device, &x.f);
	CU_ASSERT_TRUE(a.open);
	CU_ASSERT_EQUAL(a.req, REQ_OF(EMPA_6_13));
	plain(&x, mpa_key_request, MPA_C | MPA_S, 2);
	a = model_request_judge(&device, &x.f);
	CU_ASSERT_EQUAL(a.req, REQ_OF(EMPA_6_11));
	CU_ASSERT_FALSE(a.set & MODEL_ANSWER_ACCEPT);
	plain(&x, mpa_key_request, MPA_C, 7);
	a = model_request_judge(&device, &x.f);
	CU_ASSERT_EQUAL(a.req, REQ_OF(MPA_7_1_1_21));
	enhanced(&x, mpa_key_request, MPA_C, 4, 4, true, 0);
	a = model_request_judge(&device, &x.f);
	CU_ASSERT_EQUAL(a.req, REQ_OF(EMPA_9_2_09));
	CU_ASSERT_EQUAL(a.set, MODEL_ANSWER_ACCEPT | MODEL_ANSWER_REJECT |
				       MODEL_ANSWER_CLOSE);
}

/* ---- a Reply of the device ------------------------------------------------- */

static void right_replies_have_no_objection(void)
{
	struct frame q, r;
	struct model_objections o;

	plain(&q, mpa_key_request, MPA_C, 1);
	plain(&r, mpa_key_reply, MPA_C, 1);
	model_reply_check(&device, &q.f, &r.f, &o);
	CU_ASSERT_EQUAL(o.n, 0);

	enhanced(&q, mpa_key_request, MPA_C, 3, 5, true,
		 MODEL_RTR_SEND | MODEL_RTR_READ);
	enhanced(&r, mpa_key_reply, MPA_C, 5, 3, true, MODEL_RTR_READ);
	model_reply_check(&device, &q.f, &r.f, &o);
	CU_ASSERT_EQUAL(o.n, 0);
	/* More depth and additional types that it supports are its own
	 * choice. */
	enhanced(&r, mpa_key_reply, 0, 32, 0, true,
		 MODEL_RTR_READ | MODEL_RTR_WRITE);
	model_reply_check(&device, &q.f, &r.f, &o);
	CU_ASSERT_EQUAL(o.n, 0);

	enhanced(&q, mpa_key_request, MPA_C, MPA_NOT_NEGOTIATED,
		 MPA_NOT_NEGOTIATED, false, 7);
	enhanced(&r, mpa_key_reply, 0, MPA_NOT_NEGOTIATED, MPA_NOT_NEGOTIATED,
		 false, 0);
	model_reply_check(&device, &q.f, &r.f, &o);
	CU_ASSERT_EQUAL(o.n, 0);
}

static void wrong_plain_replies(void)
{
	struct frame q, r;
	struct model_objections o;

	plain(&q, mpa_key_request, MPA_C, 1);
	plain(&r, mpa_key_request, MPA_C, 1);
	model_reply_check(&device, &q.f, &r.f, &o);
	CU_ASSERT_TRUE(only(&o, MODEL_FAULT_KEY, REQ_OF(MPA_7_1_1_02)));
	plain(&r, mpa_key_reply, MPA_C | 0x08, 1);
	model_reply_check(&device, &q.f, &r.f, &o);
	CU_ASSERT_TRUE(
		only(&o, MODEL_FAULT_RESERVED_FLAGS, REQ_OF(MPA_7_1_1_17)));
	plain(&r, mpa_key_reply, MPA_C, 2);
	model_reply_check(&device, &q.f, &r.f, &o);
	CU_ASSERT_TRUE(only(&o, MODEL_FAULT_REV, REQ_OF(MPA_7_1_1_37)));
	plain(&r, mpa_key_reply, MPA_C | MPA_R, 1);
	model_reply_check(&device, &q.f, &r.f, &o);
	CU_ASSERT_TRUE(only(&o, MODEL_FAULT_REJECT_FLAG, REQ_OF(MPA_7_1_2_09)));
	plain(&r, mpa_key_reply, MPA_C, 1);
	r.f.pd_length = 2;
	model_reply_check(&device, &q.f, &r.f, &o);
	CU_ASSERT_TRUE(only(&o, MODEL_FAULT_PD_LENGTH, REQ_OF(MPA_7_1_1_25)));

	/* Neither asks for CRCs, though the device should by default. */
	q.f.flags = 0;
	plain(&r, mpa_key_reply, 0, 1);
	model_reply_check(&device, &q.f, &r.f, &o);
	CU_ASSERT_TRUE(only(&o, MODEL_FAULT_C_FLAG, REQ_OF(MPA_4_4_03)));

	/* A frame that requires a close must not be answered. */
	q.f.key[0] = 'm';
	plain(&r, mpa_key_reply, MPA_C, 1);
	model_reply_check(&device, &q.f, &r.f, &o);
	CU_ASSERT_TRUE(
		only(&o, MODEL_FAULT_NOT_ANSWERED_SO, REQ_OF(MPA_7_1_1_03)));
}

static void wrong_enhanced_replies(void)
{
	struct {
		uint16_t ird, ord;
		bool a;
		uint8_t rtr;
		enum model_fault fault;
		unsigned short req;
	} rows[] = {
		{5, 4, true, MODEL_RTR_READ, MODEL_FAULT_ORD,
		 REQ_OF(EMPA_9_1_01)},
		{4, 3, true, MODEL_RTR_READ, MODEL_FAULT_IRD,
		 REQ_OF(EMPA_9_1_03)},
		{33, 3, true, MODEL_RTR_READ, MODEL_FAULT_IRD,
		 REQ_OF(EMPA_9_1_02)},
		{0x500, 3, true, MODEL_RTR_READ, MODEL_FAULT_IRD,
		 REQ_OF(EMPA_9_02)},
		{MPA_NOT_NEGOTIATED, 3, true, MODEL_RTR_READ, MODEL_FAULT_IRD,
		 REQ_OF(EMPA_9_1_20)},
		{5, 3, false, 0, MODEL_FAULT_A_FLAG, REQ_OF(EMPA_9_2_04)},
		{5, 3, true, 0, MODEL_FAULT_RTR_FLAGS, REQ_OF(EMPA_9_2_03)},
		{5, 3, true, MODEL_RTR_WRITE, MODEL_FAULT_RTR_NOT_ALL,
		 REQ_OF(EMPA_9_2_05)},
		{5, 3, true, MODEL_RTR_SEND | MODEL_RTR_READ,
		 MODEL_FAULT_RTR_FLAGS, REQ_OF(EMPA_9_2_08)},
	};
	struct frame q, r;
	struct model_objections o;
	size_t i;

	enhanced(&q, mpa_key_request, MPA_C, 3, 5, true,
		 MODEL_RTR_SEND | MODEL_RTR_READ);
	for (i = 0; i < UNIT_COUNT(rows); i++) {
		enhanced(&r, mpa_key_reply, MPA_C, rows[i].ird, rows[i].ord,
			 rows[i].a, rows[i].rtr);
		model_reply_check(&device, &q.f, &r.f, &o);
		CU_ASSERT_TRUE(only(&o, rows[i].fault, rows[i].req));
	}

	/* Whatever it does with A=1 without an RTR, it answers with A=1. */
	struct frame none;

	enhanced(&none, mpa_key_request, MPA_C, 3, 5, true, 0);
	enhanced(&r, mpa_key_reply, MPA_C, 5, 3, true, MODEL_RTR_READ);
	model_reply_check(&device, &none.f, &r.f, &o);
	CU_ASSERT_EQUAL(o.n, 0);
	enhanced(&r, mpa_key_reply, MPA_C, 5, 3, false, 0);
	model_reply_check(&device, &none.f, &r.f, &o);
	CU_ASSERT_TRUE(only(&o, MODEL_FAULT_RTR_FLAGS, REQ_OF(EMPA_9_2_09)));

	/* It covers the requested ORD up to the IRD that it was given. */
	enhanced(&q, mpa_key_request, MPA_C, 3, 16, false, 0);
	enhanced(&r, mpa_key_reply, MPA_C, 15, 3, false, 0);
	model_reply_check(&device, &q.f, &r.f, &o);
	CU_ASSERT_TRUE(only(&o, MODEL_FAULT_IRD, REQ_OF(EMPA_9_1_03)));
	enhanced(&q, mpa_key_request, MPA_C, 3, 17, false, 0);
	model_reply_check(&device, &q.f, &r.f, &o);
	CU_ASSERT_EQUAL(o.n, 0);

	/* Several types in common, and none of them listed. */
	enhanced(&q, mpa_key_request, MPA_C, 3, 5, true,
		 MODEL_RTR_WRITE | MODEL_RTR_READ);
	enhanced(&r, mpa_key_reply, MPA_C, 5, 3, true, MODEL_RTR_SEND);
	model_reply_check(&device, &q.f, &r.f, &o);
	CU_ASSERT_TRUE(only(&o, MODEL_FAULT_RTR_FLAGS, REQ_OF(EMPA_9_2_06)));

	enhanced(&q, mpa_key_request, MPA_C, MPA_NOT_NEGOTIATED,
		 MPA_NOT_NEGOTIATED, false, 0);
	enhanced(&r, mpa_key_reply, MPA_C, 4, MPA_NOT_NEGOTIATED, false, 0);
	model_reply_check(&device, &q.f, &r.f, &o);
	CU_ASSERT_TRUE(only(&o, MODEL_FAULT_IRD, REQ_OF(EMPA_9_1_14)));
	enhanced(&r, mpa_key_reply, MPA_C, MPA_NOT_NEGOTIATED, 4, false, 0);
	model_reply_check(&device, &q.f, &r.f, &o);
	CU_ASSERT_TRUE(only(&o, MODEL_FAULT_ORD, REQ_OF(EMPA_9_1_15)));
	enhanced(&r, mpa_key_reply, MPA_C, MPA_NOT_NEGOTIATED,
		 MPA_NOT_NEGOTIATED, false, MODEL_RTR_READ);
	model_reply_check(&device, &q.f, &r.f, &o);
	CU_ASSERT_TRUE(only(&o, MODEL_FAULT_RTR_FLAGS, REQ_OF(EMPA_9_2_26)));

	plain(&r, mpa_key_reply, MPA_C, 2);
	model_reply_check(&device, &q.f, &r.f, &o);
	CU_ASSERT_TRUE(only(&o, MODEL_FAULT_NOT_ENHANCED, REQ_OF(EMPA_10_01)));
}

/* ---- a Request of the device ------------------------------------------------- */

static void requests_of_the_device(void)
{
	struct model_device d = device;
	struct model_objections o;
	struct frame q;

	d.p2p = true;
	enhanced(&q, mpa_key_request, MPA_C, 16, 16, true,
		 MODEL_RTR_WRITE | MODEL_RTR_READ);
	model_request_check(&d, &q.f, &o);
	CU_ASSERT_EQUAL(o.n, 0);
	enhanced(&q, mpa_key_request, MPA_C, 16, 16, true, MODEL_RTR_WRITE);
	model_request_check(&d, &q.f, &o);
	CU_ASSERT_TRUE(only(&o, MODEL_FAULT_RTR_FLAGS, REQ_OF(EMPA_9_2_02)));
	enhanced(&q, mpa_key_request, MPA_C, 16, 16, false, 0);
	model_request_check(&d, &q.f, &o);
	CU_ASSERT_TRUE(only(&o, MODEL_FAULT_A_FLAG, REQ_OF(EMPA_9_2_01)));
	d.p2p = false;
	model_request_check(&d, &q.f, &o);
	CU_ASSERT_EQUAL(o.n, 0);
	enhanced(&q, mpa_key_request, MPA_C, 16, 16, false, MODEL_RTR_READ);
	model_request_check(&d, &q.f, &o);
	CU_ASSERT_TRUE(only(&o, MODEL_FAULT_RTR_FLAGS, REQ_OF(EMPA_9_2_25)));
	/* A device may choose other depths; depths of its ULP in another octet
	 * order are wrong; so is another model. */
	enhanced(&q, mpa_key_request, MPA_C, 15, 16, false, 0);
	model_request_check(&d, &q.f, &o);
	CU_ASSERT_EQUAL(o.n, 0);
	enhanced(&q, mpa_key_request, MPA_C, 0x1000, 16, false, 0);
	model_request_check(&d, &q.f, &o);
	CU_ASSERT_TRUE(only(&o, MODEL_FAULT_IRD, REQ_OF(EMPA_9_01)));
	enhanced(&q, mpa_key_request, MPA_C, 16, 16, true,
		 MODEL_RTR_WRITE | MODEL_RTR_READ);
	model_request_check(&d, &q.f, &o);
	CU_ASSERT_EQUAL(o.n, 0);
	enhanced(&q, mpa_key_request, MPA_C | MPA_R, 16, 16, false, 0);
	model_request_check(&d, &q.f, &o);
	CU_ASSERT_TRUE(only(&o, MODEL_FAULT_REJECT_FLAG, REQ_OF(MPA_7_1_1_13)));
	enhanced(&q, mpa_key_request, MPA_C | 1, 16, 16, false, 0);
	model_request_check(&d, &q.f, &o);
	CU_ASSERT_TRUE(only(&o, MODEL_FAULT_RESERVED_FLAGS, REQ_OF(EMPA_6_06)));
	enhanced(&q, mpa_key_request, 0, 16, 16, false, 0);
	model_request_check(&d, &q.f, &o);
	CU_ASSERT_TRUE(only(&o, MODEL_FAULT_C_FLAG, REQ_OF(MPA_4_4_02)));
	d.asks_enhanced = false;
	enhanced(&q, mpa_key_request, MPA_C, 16, 16, false, 0);
	model_request_check(&d, &q.f, &o);
	CU_ASSERT_TRUE(only(&o, MODEL_FAULT_ENHANCED, REQ_OF(EMPA_10_04)));
	plain(&q, mpa_key_request, MPA_C, 3);
	model_request_check(&d, &q.f, &o);
	CU_ASSERT_TRUE(only(&o, MODEL_FAULT_REV, REQ_OF(MPA_7_1_1_20)));
	d.private_known = true;
	d.private_data = (const uint8_t *)"ulp";
	d.private_octets = 3;
	plain(&q, mpa_key_request, MPA_C, 1);
	q.f.pd_length = 3;
	q.f.private_octets = 3;
	model_request_check(&d, &q.f, &o);
	CU_ASSERT_TRUE(
		only(&o, MODEL_FAULT_PRIVATE_DATA, REQ_OF(MPA_7_1_1_24)));
}

/* ---- Replies, at the device ---------------------------------------------------- */

static void replies_and_what_may_be_done(void)
{
	struct model_device d = device;
	struct model_answers a;
	struct frame q, r, left;

	enhanced(&q, mpa_key_request, MPA_C, 4, 4, true,
		 MODEL_RTR_WRITE | MODEL_RTR_READ);
	enhanced(&r, mpa_key_reply, MPA_C, 4, 4, true, MODEL_RTR_READ);
	a = model_reply_judge(&d, &q.f, &r.f);
	CU_ASSERT_EQUAL(a.set, MODEL_ANSWER_ACCEPT);

	r.f.flags |= MPA_R;
	a = model_reply_judge(&d, &q.f, &r.f);
	CU_ASSERT_EQUAL(a.set, MODEL_ANSWER_LEAVE);

	/* No common RTR. */
	enhanced(&r, mpa_key_reply, MPA_C, 4, 4, true, MODEL_RTR_SEND);
	a = model_reply_judge(&d, &q.f, &r.f);
	CU_ASSERT_EQUAL(a.set, MODEL_ANSWER_TERMINATE);
	CU_ASSERT_EQUAL(a.req, REQ_OF(EMPA_9_2_16));
	CU_ASSERT_TRUE(model_outcomes_terminate(&a.terminate, 2, 0, 7));
	CU_ASSERT_EQUAL(a.terminate.silent_req, REQ_OF(EMPA_9_2_16));
	enhanced(&r, mpa_key_reply, MPA_C, 4, 4, true, 0);
	a = model_reply_judge(&d, &q.f, &r.f);
	CU_ASSERT_EQUAL(a.req, REQ_OF(EMPA_9_2_31));

	/* An ORD beyond what was offered, within and beyond the maximum. */
	enhanced(&r, mpa_key_reply, MPA_C, 4, 20, true, MODEL_RTR_READ);
	a = model_reply_judge(&d, &q.f, &r.f);
	CU_ASSERT_EQUAL(a.set, MODEL_ANSWER_ACCEPT | MODEL_ANSWER_TERMINATE);
	CU_ASSERT_TRUE(model_outcomes_terminate(&a.terminate, 2, 0, 6));
	enhanced(&r, mpa_key_reply, MPA_C, 4, 33, true, MODEL_RTR_READ);
	a = model_reply_judge(&d, &q.f, &r.f);
	CU_ASSERT_EQUAL(a.set, MODEL_ANSWER_TERMINATE);
	CU_ASSERT_EQUAL(a.req, REQ_OF(EMPA_9_1_13));

	enhanced(&r, mpa_key_reply, MPA_C, 4, 32, true, MODEL_RTR_READ);
	a = model_reply_judge(&d, &q.f, &r.f);
	CU_ASSERT_TRUE(a.set & MODEL_ANSWER_ACCEPT);

	/* Or if nothing was offered: its room is its own choice. */
	enhanced(&left, mpa_key_request, MPA_C, 0x3fff, 0x3fff, true,
		 MODEL_RTR_READ);
	a = model_reply_judge(&d, &left.f, &r.f);
	CU_ASSERT_EQUAL(a.set, MODEL_ANSWER_ACCEPT | MODEL_ANSWER_TERMINATE);
	CU_ASSERT_TRUE(model_outcomes_terminate(&a.terminate, 2, 0, 6));

	/* Another model than requested: the RFCs do not rule on it. */
	enhanced(&r, mpa_key_reply, MPA_C, 4, 4, false, 0);
	a = model_reply_judge(&d, &q.f, &r.f);
	CU_ASSERT_TRUE(a.open);
	CU_ASSERT_EQUAL(a.req, REQ_OF(EMPA_9_2_29));
	CU_ASSERT_TRUE(a.set & MODEL_ANSWER_ACCEPT);

	plain(&r, mpa_key_reply, MPA_C, 1);
	a = model_reply_judge(&d, &q.f, &r.f);
	CU_ASSERT_EQUAL(a.req, REQ_OF(EMPA_10_08));
	plain(&r, mpa_key_request, MPA_C, 1);
	a = model_reply_judge(&d, &q.f, &r.f);
	CU_ASSERT_EQUAL(a.set, MODEL_ANSWER_CLOSE);
	CU_ASSERT_EQUAL(a.req, REQ_OF(MPA_7_1_2_20));
	enhanced(&r, mpa_key_reply, MPA_C, 4, 4, true, MODEL_RTR_READ);
	r.f.pd_length = 100;
	a = model_reply_judge(&d, &q.f, &r.f);
	CU_ASSERT_EQUAL(a.set, MODEL_ANSWER_WAIT);
	r.f.pd_length = 600;
	a = model_reply_judge(&d, &q.f, &r.f);
	CU_ASSERT_EQUAL(a.set, MODEL_ANSWER_CLOSE);
}

/* RFC 5044 s7.1.1, RFC 6581 s6, s10: revisions by what the device knows. */
static void revisions_of_requests(void)
{
	struct model_device d = device;
	struct model_objections o;
	struct frame q;

	/* The peer-to-peer model is enhanced, and the device's choice. */
	d.asks_enhanced = false;
	enhanced(&q, mpa_key_request, MPA_C, 16, 16, true,
		 MODEL_RTR_WRITE | MODEL_RTR_READ);
	model_request_check(&d, &q.f, &o);
	CU_ASSERT_EQUAL(o.n, 0);
	d.asks_revision_2 = true;
	plain(&q, mpa_key_request, MPA_C, 2);
	model_request_check(&d, &q.f, &o);
	CU_ASSERT_EQUAL(o.n, 0);
	plain(&q, mpa_key_request, MPA_C, 1);
	model_request_check(&d, &q.f, &o);
	CU_ASSERT_TRUE(only(&o, MODEL_FAULT_REV, REQ_OF(MPA_7_1_1_20)));
	/* One that knows RFC 5044 alone has no flag S, and no revision 2. */
	d.asks_revision_2 = d.enhanced = false;
	plain(&q, mpa_key_request, MPA_C | MPA_S, 1);
	model_request_check(&d, &q.f, &o);
	CU_ASSERT_TRUE(only(&o, MODEL_FAULT_ENHANCED, REQ_OF(MPA_7_1_1_16)));
	plain(&q, mpa_key_request, MPA_C, 2);
	model_request_check(&d, &q.f, &o);
	CU_ASSERT_TRUE(only(&o, MODEL_FAULT_REV, REQ_OF(MPA_7_1_1_20)));
}

/* RFC 6581 s9: IRD stands before ORD. */
static void depths_in_each_others_place(void)
{
	struct model_device d = device;
	struct model_objections o;
	struct frame q;

	d.ord = 8;
	enhanced(&q, mpa_key_request, MPA_C, 8, 16, false, 0);
	model_request_check(&d, &q.f, &o);
	CU_ASSERT_EQUAL_FATAL(o.n, 2);
	CU_ASSERT_EQUAL(o.list[0].fault, MODEL_FAULT_IRD);
	CU_ASSERT_EQUAL(o.list[1].fault, MODEL_FAULT_ORD);
	enhanced(&q, mpa_key_request, MPA_C, 8, 5, false, 0);
	model_request_check(&d, &q.f, &o);
	CU_ASSERT_EQUAL(o.n, 0);
}

/* A Reply to a Request that may be refused, and one that is not enhanced. */
static void forms_of_replies(void)
{
	struct model_device d = device;
	struct model_objections o;
	struct frame q, r;

	/* RFC 6581 s6: S is set, and the data is missing. */
	plain(&q, mpa_key_request, MPA_C | MPA_S, 2);
	plain(&r, mpa_key_reply, MPA_C | MPA_R, 2);
	model_reply_check(&d, &q.f, &r.f, &o);
	CU_ASSERT_EQUAL(o.n, 0);
	/* A=1 without an RTR: whatever comes back has A=1 and an RTR. */
	enhanced(&q, mpa_key_request, MPA_C, 3, 5, true, 0);
	enhanced(&r, mpa_key_reply, MPA_C, 5, 3, true, 0);
	model_reply_check(&d, &q.f, &r.f, &o);
	CU_ASSERT_TRUE(only(&o, MODEL_FAULT_RTR_FLAGS, REQ_OF(EMPA_9_2_09)));
	plain(&r, mpa_key_reply, MPA_C | MPA_S, 2);
	model_reply_check(&d, &q.f, &r.f, &o);
	CU_ASSERT_TRUE(o.n == 1 && o.list[0].fault == MODEL_FAULT_NOT_ENHANCED);
	/* Its revision is wrong, and a fault of its own. */
	enhanced(&r, mpa_key_reply, MPA_C, 5, 3, true, MODEL_RTR_READ);
	r.f.rev = 1;
	model_reply_check(&d, &q.f, &r.f, &o);
	CU_ASSERT_EQUAL(o.n, 0);
	/* RFC 5044 s7.1.1 has no S; RFC 6581 s10 only if it was asked for. */
	plain(&q, mpa_key_request, MPA_C, 1);
	plain(&r, mpa_key_reply, MPA_C | MPA_S, 1);
	model_reply_check(&d, &q.f, &r.f, &o);
	CU_ASSERT_TRUE(only(&o, MODEL_FAULT_ENHANCED, REQ_OF(MPA_7_1_1_17)));
	q.f.rev = r.f.rev = 2;
	model_reply_check(&d, &q.f, &r.f, &o);
	CU_ASSERT_TRUE(only(&o, MODEL_FAULT_ENHANCED, REQ_OF(EMPA_10_03)));
	/* RFC 6581 s7: over SCTP a Reject has no enhanced data. */
	d.sctp = d.rejects = true;
	enhanced(&q, mpa_key_request, MPA_C, 3, 5, false, 0);
	plain(&r, mpa_key_reply, MPA_C | MPA_S | MPA_R, 2);
	model_reply_check(&d, &q.f, &r.f, &o);
	CU_ASSERT_EQUAL(o.n, 0);
	d.sctp = false;
	model_reply_check(&d, &q.f, &r.f, &o);
	CU_ASSERT_TRUE(o.n == 1 && o.list[0].fault == MODEL_FAULT_NOT_ENHANCED);
	/* Of a device whose forms nobody knows, each may be meant. */
	d = device;
	d.rtr = 0;
	enhanced(&q, mpa_key_request, MPA_C, 3, 5, true, MODEL_RTR_SEND);
	enhanced(&r, mpa_key_reply, MPA_C, 5, 3, true, MODEL_RTR_SEND);
	model_reply_check(&d, &q.f, &r.f, &o);
	CU_ASSERT_EQUAL(o.n, 0);
}

/* RFC 5044 s7.1.1, s7.1.2; RFC 6581 s6, s10: what a Reply may not be. */
static void replies_that_are_none(void)
{
	const unsigned either = MODEL_ANSWER_CLOSE | MODEL_ANSWER_ACCEPT;
	struct model_answers a;
	struct frame q, r;

	plain(&q, mpa_key_request, MPA_C, 1);
	plain(&r, mpa_key_reply, MPA_C, 1);
	r.f.key[9] ^= 0x20;
	a = model_reply_judge(&device, &q.f, &r.f);
	CU_ASSERT_EQUAL(a.set, MODEL_ANSWER_CLOSE);
	CU_ASSERT_EQUAL(a.req, REQ_OF(MPA_7_1_1_04));
	for (uint8_t rev = 0; rev < 4; rev += 3) {
		plain(&r, mpa_key_reply, MPA_C, rev);
		a = model_reply_judge(&device, &q.f, &r.f);
		CU_ASSERT_EQUAL(a.set, either);
		CU_ASSERT_EQUAL(a.req, REQ_OF(MPA_7_1_1_23));
	}
	/* More private data than its length says. */
	plain(&r, mpa_key_reply, MPA_C, 1);
	r.f.private_octets = 1;
	a = model_reply_judge(&device, &q.f, &r.f);
	CU_ASSERT_EQUAL(a.set, either);
	CU_ASSERT_EQUAL(a.req, REQ_OF(MPA_7_1_2_33));
	/* RFC 5044 s7.1.1: a Reply of a revision that was not asked for. A device
	 * that reads it as enhanced may report its fault. */
	plain(&r, mpa_key_reply, MPA_C, 2);
	a = model_reply_judge(&device, &q.f, &r.f);
	CU_ASSERT_TRUE((a.set & either) == either);
	CU_ASSERT_EQUAL(a.req, REQ_OF(MPA_7_1_1_23));
	for (unsigned code = 5; code <= 7; code++)
		CU_ASSERT_TRUE(
			model_outcomes_terminate(&a.terminate, 2, 0, code));
	CU_ASSERT_TRUE(model_outcomes_has(&a.terminate, MODEL_PROCESS));
	/* An enhanced Request has a plain Reply. */
	enhanced(&q, mpa_key_request, MPA_C, 4, 4, false, 0);
	plain(&r, mpa_key_reply, MPA_C, 2);
	a = model_reply_judge(&device, &q.f, &r.f);
	CU_ASSERT_EQUAL(a.set, either);
	CU_ASSERT_EQUAL(a.req, REQ_OF(EMPA_10_08));
	/* S without the octets that it announces. */
	plain(&r, mpa_key_reply, MPA_C | MPA_S, 2);
	r.f.pd_length = r.f.private_octets = MPA_ENHANCED_OCTETS - 1;
	a = model_reply_judge(&device, &q.f, &r.f);
	CU_ASSERT_TRUE(a.set & MODEL_ANSWER_CLOSE);
	CU_ASSERT_EQUAL(a.req, REQ_OF(EMPA_6_12));
	CU_ASSERT_TRUE(model_outcomes_terminate(&a.terminate, 2, 0, 5));
	CU_ASSERT_TRUE(model_outcomes_has(&a.terminate, MODEL_END));
	CU_ASSERT_TRUE(a.terminate.open);
}

/* RFC 6581 s9.1: if nobody knows how deep the device can go, a larger ORD is its
 * choice. Of two faults the one without a choice decides. */
static void depths_that_nobody_told(void)
{
	struct model_device d = device;
	struct model_answers a;
	struct frame q, r;

	enhanced(&q, mpa_key_request, MPA_C, 4, 4, true, MODEL_RTR_READ);
	enhanced(&r, mpa_key_reply, MPA_C, 4, 40, true, MODEL_RTR_READ);
	a = model_reply_judge(&d, &q.f, &r.f);
	CU_ASSERT_EQUAL(a.set, MODEL_ANSWER_TERMINATE);
	d.ird_max = 0;
	a = model_reply_judge(&d, &q.f, &r.f);
	CU_ASSERT_EQUAL(a.set, MODEL_ANSWER_ACCEPT | MODEL_ANSWER_TERMINATE);
	d.ird_max = 32;
	enhanced(&r, mpa_key_reply, MPA_C, 4, 40, false, 0);
	a = model_reply_judge(&d, &q.f, &r.f);
	CU_ASSERT_FALSE(a.open);
	CU_ASSERT_EQUAL(a.req, REQ_OF(EMPA_9_1_13));
	CU_ASSERT_TRUE(model_outcomes_terminate(&a.terminate, 2, 0, 6));
	CU_ASSERT_TRUE(model_outcomes_terminate(&a.terminate, 2, 0, 7));
}

static void requests_with_faults_of_their_own(void)
{
	const unsigned any =
		MODEL_ANSWER_CLOSE | MODEL_ANSWER_ACCEPT | MODEL_ANSWER_REJECT;
	struct model_device d = device;
	struct model_answers a;
	struct frame x;

	/* RFC 6581 s6 and RFC 5044 s7.1.1 each limit it. */
	enhanced(&x, mpa_key_request, MPA_C, 4, 4, false, 0);
	x.f.pd_length = x.f.private_octets = 513;
	CU_ASSERT_EQUAL(model_request_judge(&d, &x.f).req, REQ_OF(EMPA_6_15));
	x.f.rev = 1;
	CU_ASSERT_EQUAL(model_request_judge(&d, &x.f).req,
			REQ_OF(MPA_7_1_1_27));
	plain(&x, mpa_key_request, MPA_C, 2);
	x.f.pd_length = 513;
	CU_ASSERT_EQUAL(model_request_judge(&d, &x.f).req,
			REQ_OF(MPA_7_1_1_27));
	plain(&x, mpa_key_request, MPA_C, 1);
	x.f.private_octets = 1;
	a = model_request_judge(&d, &x.f);
	CU_ASSERT_EQUAL(a.set, any);
	CU_ASSERT_EQUAL(a.req, REQ_OF(MPA_7_1_1_30));
	/* The RDMA Consortium's revision is 0. */
	plain(&x, mpa_key_request, MPA_C, 0);
	a = model_request_judge(&d, &x.f);
	CU_ASSERT_EQUAL(a.set, any);
	CU_ASSERT_EQUAL(a.req, REQ_OF(MPA_7_1_1_22));
	/* A device of RFC 5044 alone does not know revision 2. */
	d.enhanced = false;
	plain(&x, mpa_key_request, MPA_C, 2);
	a = model_request_judge(&d, &x.f);
	CU_ASSERT_EQUAL(a.set, any);
	CU_ASSERT_EQUAL(a.req, REQ_OF(MPA_7_1_1_21));
	/* RFC 6581 s7: over SCTP the ULP may never learn of the RTR. */
	d = device;
	d.sctp = true;
	enhanced(&x, mpa_key_request, MPA_C, 16, 4, true, MODEL_RTR_SEND);
	a = model_request_judge(&d, &x.f);
	CU_ASSERT_EQUAL(a.set, any);
	CU_ASSERT_EQUAL(a.req, REQ_OF(SCTPX_6581_7_08));
	enhanced(&x, mpa_key_request, MPA_C, 16, 4, true, MODEL_RTR_READ);
	CU_ASSERT_EQUAL(model_request_judge(&d, &x.f).set, MODEL_ANSWER_ACCEPT);
	d.rtr = 0;
	enhanced(&x, mpa_key_request, MPA_C, 16, 4, true, MODEL_RTR_SEND);
	CU_ASSERT_EQUAL(model_request_judge(&d, &x.f).set, MODEL_ANSWER_ACCEPT);
}

static void what_both_agree_on(void)
{
	struct model_agreed g;
	struct frame q, r;

	plain(&q, mpa_key_request, MPA_M, 1);
	plain(&r, mpa_key_reply, MPA_C, 1);
	g = model_agree(&q.f, &r.f);
	CU_ASSERT_TRUE(g.crc);
	CU_ASSERT_TRUE(g.markers_by_responder);
	CU_ASSERT_FALSE(g.markers_by_initiator);
	CU_ASSERT_FALSE(g.enhanced);
	CU_ASSERT_EQUAL(g.initiator_ord, MPA_NOT_NEGOTIATED);

	enhanced(&q, mpa_key_request, 0, 8, 4, true,
		 MODEL_RTR_WRITE | MODEL_RTR_READ);
	enhanced(&r, mpa_key_reply, 0, 3, 6, true,
		 MODEL_RTR_SEND | MODEL_RTR_READ);
	g = model_agree(&q.f, &r.f);
	CU_ASSERT_FALSE(g.crc);
	CU_ASSERT_TRUE(g.p2p);
	CU_ASSERT_EQUAL(g.rtr, MODEL_RTR_READ);
	CU_ASSERT_EQUAL(g.initiator_ord, 3);
	CU_ASSERT_EQUAL(g.initiator_ird, 8);
	CU_ASSERT_EQUAL(g.responder_ird, 3);
	CU_ASSERT_EQUAL(g.responder_ord, 6);

	/* The initiator has to make room for the responder's ORD. */
	enhanced(&r, mpa_key_reply, 0, 3, 9, true, MODEL_RTR_READ);
	g = model_agree(&q.f, &r.f);
	CU_ASSERT_EQUAL(g.initiator_ird, 9);

	enhanced(&r, mpa_key_reply, 0, MPA_NOT_NEGOTIATED, 6, false, 7);
	g = model_agree(&q.f, &r.f);
	CU_ASSERT_FALSE(g.p2p);
	CU_ASSERT_EQUAL(g.rtr, 0);
	CU_ASSERT_EQUAL(g.initiator_ord, MPA_NOT_NEGOTIATED);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"requests", requests_and_what_may_be_done},
		{"a low IRD", an_ird_below_the_ord_may_be_rejected},
		{"open requests", open_requests_are_called_open},
		{"right replies", right_replies_have_no_objection},
		{"wrong plain replies", wrong_plain_replies},
		{"wrong enhanced replies", wrong_enhanced_replies},
		{"requests of the device", requests_of_the_device},
		{"replies", replies_and_what_may_be_done},
		{"revisions of Requests", revisions_of_requests},
		{"depths in each other's place", depths_in_each_others_place},
		{"forms of Replies", forms_of_replies},
		{"Replies that are none", replies_that_are_none},
		{"depths that nobody told", depths_that_nobody_told},
		{"Requests with faults of their own",
		 requests_with_faults_of_their_own},
		{"agreement", what_both_agree_on},
	};

	return unit_run("negotiate", tests, UNIT_COUNT(tests));
}

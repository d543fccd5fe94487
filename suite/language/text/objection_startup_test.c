/* SPDX-License-Identifier: BSD-2-Clause */
/* The texts about startup frames: plain and enhanced ones, private data, RTRs. */
#include "suite/language/text/objection_text_fixture.h"

#include <string.h>

struct startup_frame {
	struct mpa_startup f;
	uint8_t octets[16];
};

static void plain(struct startup_frame *x, const uint8_t *key, uint8_t flags,
		  uint8_t rev, const char *private_data)
{
	size_t n = strlen(private_data);

	memset(x, 0, sizeof(*x));
	memcpy(x->f.key, key, MPA_KEY_OCTETS);
	memcpy(x->octets, private_data, n);
	x->f.flags = flags;
	x->f.rev = rev;
	x->f.private_data = x->octets;
	x->f.private_octets = n;
	x->f.pd_length = (uint16_t)n;
}

static void enhanced(struct startup_frame *x, const uint8_t *key,
		     struct mpa_enhanced e)
{
	plain(x, key, MPA_C | MPA_S, 2, "");
	mpa_enhanced_encode(&e, x->octets);
	x->f.pd_length = MPA_ENHANCED_OCTETS;
	x->f.private_octets = MPA_ENHANCED_OCTETS;
}

static struct model_device a_device(void)
{
	return (struct model_device){
		.enhanced = true,
		.asks_enhanced = true,
		.crc = true,
		.ird = 16,
		.ord = 16,
		.ird_max = 32,
		.rtr = MODEL_RTR_WRITE | MODEL_RTR_READ,
	};
}

static void reply_told(const struct model_device *d,
		       const struct startup_frame *q,
		       const struct startup_frame *r, const char *due,
		       const char *seen)
{
	struct model_objections o;

	model_reply_check(d, &q->f, &r->f, &o);
	told(&o, due, seen);
}

static void request_told(const struct model_device *d,
			 const struct startup_frame *q, const char *due,
			 const char *seen)
{
	struct model_objections o;

	model_request_check(d, &q->f, &o);
	told(&o, due, seen);
}

static void plain_startup_frames(void)
{
	struct model_device d = a_device();
	struct startup_frame q, r;

	plain(&q, mpa_key_request, MPA_C, 1, "");
	plain(&r, mpa_key_reply, MPA_C, 1, "");
	r.f.key[9] = 'P';
	reply_told(&d, &q, &r, "Key: \"MPA ID Rep Frame\"",
		   "\"MPA ID ReP Frame\"");
	r.f.key[9] = 0xe5;
	reply_told(&d, &q, &r, "Key: \"MPA ID Rep Frame\"",
		   "4d 50 41 20 49 44 20 52 65 e5 20 46 72 61 6d 65");
	plain(&r, mpa_key_reply, MPA_C | 0x09, 1, "");
	reply_told(&d, &q, &r, "Res: 0x0", "0x9");
	plain(&r, mpa_key_reply, MPA_C | MPA_R, 1, "");
	reply_told(&d, &q, &r, "R=0", "R=1");
	plain(&r, mpa_key_reply, MPA_C, 2, "");
	reply_told(&d, &q, &r, "Rev: 1", "2");
	q.f.rev = 2;
	plain(&r, mpa_key_reply, MPA_C, 3, "");
	reply_told(&d, &q, &r, "Rev: 1 or 2", "3");
	q.f.flags = 0;
	plain(&r, mpa_key_reply, 0, 1, "");
	reply_told(&d, &q, &r, "C=1", "C=0");
	q.f.key[0] = 'm';
	reply_told(&d, &q, &r, "TCP closed without a Reply",
		   "a Reply with R=0");
	plain(&q, mpa_key_request, MPA_C, 1, "");
	q.f.pd_length = 4;
	reply_told(&d, &q, &r, "no Reply before the whole Request has arrived",
		   "a Reply with R=0");
	plain(&q, mpa_key_request, MPA_C | MPA_S, 1, "");
	d.asks_enhanced = false;
	request_told(&d, &q, "S=0", "S=1");
}

static void private_data(void)
{
	struct model_device d = a_device();
	struct startup_frame q, r;

	plain(&q, mpa_key_request, MPA_C, 1, "");
	plain(&r, mpa_key_reply, MPA_C, 1, "12");
	r.f.pd_length = 512;
	reply_told(&d, &q, &r, "PD_Length: 2 octets, as many as follow",
		   "512 octets");
	r.f.pd_length = 513;
	r.f.private_octets = 513;
	reply_told(&d, &q, &r, "PD_Length: at most 512 octets", "513 octets");
	d.private_known = true;
	d.private_data = (const uint8_t *)"ulp";
	d.private_octets = 3;
	plain(&r, mpa_key_reply, MPA_C, 1, "ul");
	reply_told(&d, &q, &r, "PD_Length: 3 octets, those of the ULP",
		   "2 octets");
	plain(&r, mpa_key_reply, MPA_C, 1, "uLP");
	reply_told(&d, &q, &r, "private data of the ULP from octet 1 on: 6c 70",
		   "4c 50");
	enhanced(&q, mpa_key_request, (struct mpa_enhanced){.ird = 3});
	enhanced(&r, mpa_key_reply, (struct mpa_enhanced){.ird = 3});
	memcpy(r.octets + 4, "ul", 2);
	r.f.private_octets = r.f.pd_length = 6;
	reply_told(&d, &q, &r,
		   "PD_Length: 7 octets, 4 of enhanced data and 3 of the ULP",
		   "6 octets");
}

static void enhanced_startup_frames(void)
{
	struct model_device d = a_device();
	struct startup_frame q, r;
	struct mpa_enhanced e = {.ird = 5, .ord = 3};

	enhanced(&q, mpa_key_request,
		 (struct mpa_enhanced){.ird = 3, .ord = 5});
	plain(&r, mpa_key_reply, MPA_C, 2, "");
	reply_told(&d, &q, &r, "S=1, with enhanced data", "S=0");
	r.f.flags |= MPA_S;
	reply_told(&d, &q, &r,
		   "PD_Length: at least 4 octets, with enhanced data",
		   "0 octets");
	e.ord = 4;
	enhanced(&r, mpa_key_reply, e);
	reply_told(&d, &q, &r, "ORD: at most 3", "4");
	e.ord = 3;
	e.ird = 33;
	enhanced(&r, mpa_key_reply, e);
	reply_told(&d, &q, &r, "IRD: 5 to 32", "33");
	e.ird = MPA_NOT_NEGOTIATED;
	enhanced(&r, mpa_key_reply, e);
	reply_told(&d, &q, &r, "IRD: 5 to 32", "0x3fff (not negotiated)");
	e.ird = 4;
	d.ird_max = 0;
	enhanced(&r, mpa_key_reply, e);
	reply_told(&d, &q, &r, "IRD: at least 5", "4");
	d.ird = MPA_NOT_NEGOTIATED;
	reply_told(&d, &q, &r, "IRD: at least 5, or 0x3fff (not negotiated)",
		   "4");
	enhanced(&q, mpa_key_request,
		 (struct mpa_enhanced){.ird = 3, .ord = MPA_NOT_NEGOTIATED});
	reply_told(&d, &q, &r, "IRD: 0x3fff (not negotiated)", "4");

	d = a_device();
	enhanced(&q, mpa_key_request,
		 (struct mpa_enhanced){.ird = 0x1000, .ord = 16});
	request_told(&d, &q, "IRD: 16", "4096");
	enhanced(&q, mpa_key_request,
		 (struct mpa_enhanced){.ird = 16, .ord = 16});
	q.f.rev = 1;
	d.private_known = false;
	request_told(&d, &q, "Rev: at least 2", "1");
}

static void rtr_flags(void)
{
	struct model_device d = a_device();
	struct startup_frame q, r;
	struct mpa_enhanced asked = {
		.a = true, .b = true, .c = true, .d = true};
	struct mpa_enhanced e = {.a = true};

	enhanced(&q, mpa_key_request, asked);
	enhanced(&r, mpa_key_reply, e);
	reply_told(&d, &q, &r, "C, D: at least one set", "none");
	d.rtr = 0;
	reply_told(&d, &q, &r, "B, C, D: at least one set", "none");
	d.rtr = MODEL_RTR_READ;
	reply_told(&d, &q, &r, "B, C, D: D set", "none");
	d = a_device();
	e.c = true;
	enhanced(&r, mpa_key_reply, e);
	reply_told(&d, &q, &r, "B, C, D: C and D set", "C");
	e.b = true;
	enhanced(&r, mpa_key_reply, e);
	reply_told(&d, &q, &r, "B, C, D: none set but C and D", "B and C");
	e.a = false;
	enhanced(&r, mpa_key_reply, e);
	reply_told(&d, &q, &r, "A=1", "A=0");
	asked.a = false;
	enhanced(&q, mpa_key_request, asked);
	reply_told(&d, &q, &r, "B, C, D: none set", "B and C");

	d.p2p = true;
	d.rtr = MODEL_RTR_READ;
	enhanced(&q, mpa_key_request,
		 (struct mpa_enhanced){
			 .a = true, .c = true, .ird = 16, .ord = 16});
	request_told(&d, &q, "B, C, D: D set, no other", "C");
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"plain startup", plain_startup_frames},
		{"private data", private_data},
		{"enhanced startup", enhanced_startup_frames},
		{"RTR flags", rtr_flags},
	};

	return objections_run("objection_startup", tests, UNIT_COUNT(tests));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Hand-made segments, for the unit tests of the model. */
#ifndef SUITE_MODEL_MODEL_FIXTURE_H
#define SUITE_MODEL_MODEL_FIXTURE_H

#include <string.h>

#include "harness/unit.h"
#include "suite/model/model.h"
#include "suite/model/startup/negotiate.h"

#define REQ_OF(ident) REQ_INDEX_##ident

/* The region of every fixture. */
#define STAG 0x1234u
#define BASE 0x1000u
#define LEN  0x100u

struct fixture {
	struct model m;
	uint8_t memory[LEN];
	uint8_t receive[8][64];
	struct model_outcomes outcomes;
	struct model_objections objections;
	uint8_t octets[4][128]; /* headers of the segments made */
	unsigned made;
};

static inline struct model_config plain_config(void)
{
	return (struct model_config){
		.features = MODEL_ATOMICS | MODEL_IMM | MODEL_IMM_SE,
		.crc = true,
		.ird = 4,
		.ord = 2,
		.pd = 1,
		.stream = 1,
		.first_msn = 1,
		.regions_known = true,
		.receives_known = true,
		.works_known = true,
	};
}

static inline void setup_with(struct fixture *f, const struct model_config *c)
{
	struct model_region r = {
		.stag = STAG,
		.to = BASE,
		.len = LEN,
		.access = MODEL_LW | MODEL_RR | MODEL_RW | MODEL_RA,
		.pd = 1,
		.shadow = f->memory,
	};
	unsigned i;

	memset(f, 0, sizeof(*f));
	for (i = 0; i < LEN; i++)
		f->memory[i] = (uint8_t)i;
	model_init(&f->m, c);
	CU_ASSERT_TRUE(model_region_add(&f->m, &r));
}

static inline void setup(struct fixture *f)
{
	struct model_config c = plain_config();

	setup_with(f, &c);
}

static inline void post_receives(struct fixture *f, unsigned n)
{
	unsigned i;

	for (i = 0; i < n; i++)
		CU_ASSERT_TRUE(model_recv_posted(&f->m, 64, f->receive[i]));
}

static inline struct ddp_segment untagged(unsigned opcode, uint32_t qn,
					  uint32_t msn, const void *payload,
					  size_t n)
{
	return (struct ddp_segment){
		.ddp = {.last = true,
			.dv = 1,
			.rv = 1,
			.opcode = (uint8_t)opcode,
			.qn = qn,
			.msn = msn},
		.payload = payload,
		.payload_octets = n,
	};
}

static inline struct ddp_segment tagged(unsigned opcode, uint32_t stag,
					uint64_t to, const void *payload,
					size_t n)
{
	return (struct ddp_segment){
		.ddp = {.tagged = true,
			.last = true,
			.dv = 1,
			.rv = 1,
			.opcode = (uint8_t)opcode,
			.stag = stag,
			.to = to},
		.payload = payload,
		.payload_octets = n,
	};
}

static inline struct ddp_segment send_of(uint32_t msn, const char *text)
{
	return untagged(RDMAP_SEND, 0, msn, text, strlen(text));
}

static inline struct ddp_segment read_request(struct fixture *f, uint32_t msn,
					      uint32_t size, uint32_t stag,
					      uint64_t to)
{
	struct rdmap_read_request h = {.sink_stag = 0xaaaa,
				       .sink_to = 0x2000 + msn * 0x1000,
				       .size = size,
				       .source_stag = stag,
				       .source_to = to};
	uint8_t *room = f->octets[f->made++ % 4];

	rdmap_read_request_encode(&h, room, 128);
	return untagged(RDMAP_READ_REQUEST, 1, msn, room,
			RDMAP_READ_REQUEST_OCTETS);
}

static inline struct ddp_segment fetchadd(struct fixture *f, uint32_t msn,
					  uint32_t id, uint64_t to,
					  uint64_t add)
{
	struct rdmap_atomic_request h = {.aopcode = RDMAP_FETCHADD,
					 .id = id,
					 .stag = STAG,
					 .to = to,
					 .data = add,
					 .compare_mask = UINT64_MAX};
	uint8_t *room = f->octets[f->made++ % 4];

	rdmap_atomic_request_encode(&h, room, 128);
	return untagged(RDMAP_ATOMIC_REQUEST, 1, msn, room,
			RDMAP_ATOMIC_REQUEST_OCTETS);
}

static inline struct ddp_segment atomic_response(struct fixture *f,
						 uint32_t msn, uint32_t id,
						 uint64_t value)
{
	struct rdmap_atomic_response h = {.id = id, .value = value};
	uint8_t *room = f->octets[f->made++ % 4];

	rdmap_atomic_response_encode(&h, room, 128);
	return untagged(RDMAP_ATOMIC_RESPONSE, 3, msn, room,
			RDMAP_ATOMIC_RESPONSE_OCTETS);
}

static inline enum model_stimulus peer(struct fixture *f,
				       struct ddp_segment seg)
{
	return model_peer_sends(&f->m, &seg, MODEL_FRAME_RIGHT, &f->outcomes);
}

/* The DUT sends it; returns how many objections there are. */
static inline unsigned dut(struct fixture *f, struct ddp_segment seg)
{
	model_dut_sends(&f->m, &seg, NULL, NULL, &f->objections);
	return f->objections.n;
}

/* Exactly this objection and no other. */
static inline bool only(const struct fixture *f, enum model_fault fault,
			unsigned short req)
{
	return f->objections.n == 1 && f->objections.list[0].fault == fault &&
	       f->objections.list[0].req == req;
}

/* A Terminate that returns the header of `about` according to M, D, R. */
static inline struct ddp_segment terminate_about(
	struct fixture *f, unsigned layer, unsigned etype, unsigned code,
	const struct ddp_segment *about, bool r)
{
	static uint8_t header[DDP_UNTAGGED_OCTETS];
	struct rdmap_terminate t = {.layer = (uint8_t)layer,
				    .etype = (uint8_t)etype,
				    .code = (uint8_t)code};
	uint8_t *room = f->octets[f->made++ % 4];
	size_t n;

	if (about) {
		t.m = t.d = true;
		t.r = r;
		t.ddp_header_octets = ddp_header_encode(&about->ddp, header);
		t.ddp_header = header;
		t.segment_length =
			(uint16_t)(t.ddp_header_octets + about->payload_octets);
		t.has_segment_length = true;
		if (r)
			t.rdma_header = about->payload;
	}
	n = rdmap_terminate_encode(&t, room, 128);
	return untagged(RDMAP_TERMINATE, 2, 1, room, n);
}

/* A DUT that may speak: the TP has sent something. */
static inline void setup_released(struct fixture *f)
{
	setup(f);
	post_receives(f, 4);
	CU_ASSERT_EQUAL(peer(f, send_of(1, "")), MODEL_STIM_NONE);
}

#endif

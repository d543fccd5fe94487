/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Operations that the golden model follows per second on one core: a round is
 * a Write, a Read, a FetchAdd and a Send of the peer, and the Responses of the
 * device to the second and third, judged. A figure, not a verdict; but a model
 * that objects, or does not accept the segments, has not done the work.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "harness/wire/rdmap.h"
#include "suite/model/model.h"

enum {
	STAG = 0x1234,
	BASE = 0x1000,
	LEN = 4096,
	OCTETS = 64,
	SINK = 0xaaaa,
	ROUNDS = 5,
	PER_ROUND = 200000,
	OPERATIONS = 4, /* of a turn */
};

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct ddp_segment untagged(uint8_t opcode, uint32_t qn, uint32_t msn,
				   const void *payload, size_t n)
{
	return (struct ddp_segment){.ddp = {.last = true,
					    .dv = DDP_VERSION,
					    .rv = RDMAP_VERSION,
					    .opcode = opcode,
					    .qn = qn,
					    .msn = msn},
				    .payload = payload,
				    .payload_octets = n};
}

static struct ddp_segment tagged(uint8_t opcode, uint32_t stag, uint64_t to,
				 const void *payload, size_t n)
{
	return (struct ddp_segment){.ddp = {.tagged = true,
					    .last = true,
					    .dv = DDP_VERSION,
					    .rv = RDMAP_VERSION,
					    .opcode = opcode,
					    .stag = stag,
					    .to = to},
				    .payload = payload,
				    .payload_octets = n};
}

static bool peer_may(struct model *m, const struct ddp_segment *seg)
{
	struct model_outcomes out;

	return model_peer_sends(m, seg, MODEL_FRAME_RIGHT, &out) ==
	       MODEL_STIM_NONE;
}

static bool dut_may(struct model *m, const struct ddp_segment *seg)
{
	struct model_objections out;

	model_dut_sends(m, seg, NULL, NULL, &out);
	return out.n == 0;
}

static bool writes(struct model *m, const uint8_t *octets, uint32_t turn)
{
	struct ddp_segment s = tagged(
		RDMAP_WRITE, STAG, BASE + turn % 32 * OCTETS, octets, OCTETS);

	return peer_may(m, &s);
}

static bool reads(struct model *m, const uint8_t *memory, uint32_t turn)
{
	uint64_t at = turn % 32 * OCTETS;
	struct rdmap_read_request h = {.sink_stag = SINK,
				       .sink_to = BASE,
				       .size = OCTETS,
				       .source_stag = STAG,
				       .source_to = BASE + at};
	uint8_t header[RDMAP_READ_REQUEST_OCTETS];
	struct ddp_segment s = untagged(
		RDMAP_READ_REQUEST, DDP_QN_READ_REQUEST, 2 * turn + 1, header,
		rdmap_read_request_encode(&h, header, sizeof(header)));
	struct ddp_segment answer =
		tagged(RDMAP_READ_RESPONSE, SINK, BASE, memory + at, OCTETS);

	return peer_may(m, &s) && dut_may(m, &answer);
}

static bool adds(struct model *m, uint32_t turn)
{
	struct rdmap_atomic_request h = {.aopcode = RDMAP_FETCHADD,
					 .id = turn,
					 .stag = STAG,
					 .to = BASE + LEN - 8,
					 .data = 1,
					 .compare_mask = UINT64_MAX};
	struct rdmap_atomic_response r = {.id = turn, .value = turn};
	uint8_t header[RDMAP_ATOMIC_REQUEST_OCTETS],
		found[RDMAP_ATOMIC_RESPONSE_OCTETS];
	struct ddp_segment s = untagged(
		RDMAP_ATOMIC_REQUEST, DDP_QN_READ_REQUEST, 2 * turn + 2, header,
		rdmap_atomic_request_encode(&h, header, sizeof(header)));
	struct ddp_segment answer = untagged(
		RDMAP_ATOMIC_RESPONSE, DDP_QN_ATOMIC_RESPONSE, turn + 1, found,
		rdmap_atomic_response_encode(&r, found, sizeof(found)));

	return peer_may(m, &s) && dut_may(m, &answer);
}

static bool sends(struct model *m, const uint8_t *octets, uint8_t *buffer,
		  uint32_t turn)
{
	struct ddp_segment s =
		untagged(RDMAP_SEND, DDP_QN_SEND, turn + 1, octets, OCTETS);

	return model_recv_posted(m, OCTETS, buffer) && peer_may(m, &s) &&
	       model_deliveries(m) == turn + 1;
}

/* Turns with the expected results. */
static unsigned follow(void)
{
	static struct model m;
	static uint8_t memory[LEN], buffer[OCTETS];
	uint8_t octets[OCTETS];
	struct model_region r = {.stag = STAG,
				 .to = BASE,
				 .len = LEN,
				 .access = MODEL_LW | MODEL_RR | MODEL_RW |
					   MODEL_RA,
				 .shadow = memory};
	unsigned right = 0;

	for (unsigned i = 0; i < OCTETS; i++)
		octets[i] = (uint8_t)i;
	for (unsigned i = 0; i < LEN; i++)
		memory[i] = 0;
	model_init(&m, &(struct model_config){
			       .features = MODEL_FETCHADD,
			       .crc = true,
			       .ird = 16,
			       .ord = 16,
			       .stream = 1,
			       .first_msn = 1,
			       .regions_known = true,
			       .receives_known = true,
			       .works_known = true,
			       .atomics_known = true,
		       });
	if (!model_region_add(&m, &r))
		return 0;
	for (uint32_t i = 0; i < PER_ROUND; i++)
		right += writes(&m, octets, i) && reads(&m, memory, i) &&
			 adds(&m, i) && sends(&m, octets, buffer, i);
	return right;
}

int main(void)
{
	double best = 0;

	for (unsigned i = 0; i < ROUNDS; i++) {
		double start = seconds();
		unsigned right = follow();
		double rate = PER_ROUND * OPERATIONS / (seconds() - start);

		if (right != PER_ROUND) {
			fprintf(stderr,
				"model_bench: %u of %d turns went as they "
				"should\n",
				right, PER_ROUND);
			return 1;
		}
		best = rate > best ? rate : best;
	}
	printf("bench model.operations_per_second %.0f /s (floor 1000000)\n",
	       best);
	return 0;
}

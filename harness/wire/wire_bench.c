/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many Atomic Request FPDUs a core encodes, guards with a CRC, and
 * decodes again per second. A figure, not a verdict: nothing fails on time.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "harness/crc/crc.h"
#include "harness/wire/fpdu.h"
#include "harness/wire/rdmap.h"

#define ROUNDS         5
#define PER_ROUND      1000000
#define FLOOR_MILLIONS 3.0

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static size_t encode(uint8_t *wire, size_t cap, uint32_t id)
{
	uint8_t header[RDMAP_ATOMIC_REQUEST_OCTETS];
	uint8_t ulpdu[DDP_UNTAGGED_OCTETS + sizeof(header)];
	struct rdmap_atomic_request request = {
		.aopcode = RDMAP_FETCHADD,
		.id = id,
		.stag = 0x1234,
		.to = 0x1000,
		.data = 1,
		.compare_mask = UINT64_MAX,
	};
	struct ddp_segment s = {
		.ddp = {.last = true,
			.dv = DDP_VERSION,
			.rv = RDMAP_VERSION,
			.opcode = RDMAP_ATOMIC_REQUEST,
			.qn = DDP_QN_READ_REQUEST,
			.msn = id},
		.payload = header,
	};
	struct fpdu f;

	s.payload_octets =
		rdmap_atomic_request_encode(&request, header, sizeof(header));
	size_t n = ddp_encode(&s, ulpdu, sizeof(ulpdu));
	fpdu_init(&f, ulpdu, (uint16_t)n, false, 0);
	n = fpdu_encode(&f, wire, cap);
	crc_put(wire + n - FPDU_CRC_OCTETS, crc32c(wire, n - FPDU_CRC_OCTETS));
	return n;
}

/* The Request Identifier of the result, or 0 if anything is wrong. */
static uint32_t decode(const uint8_t *wire, size_t n)
{
	struct rdmap_atomic_request request;
	struct ddp_segment s;
	struct fpdu f;
	size_t used;

	if (fpdu_decode(&f, wire, n, false, 0, NULL, 0, &used) != FPDU_OK ||
	    crc_get(f.crc) != crc32c(wire, used - FPDU_CRC_OCTETS))
		return 0;
	ddp_decode(&s, f.ulpdu, f.ulpdu_length);
	if (s.ddp.opcode != RDMAP_ATOMIC_REQUEST ||
	    !rdmap_atomic_request_decode(&request, s.payload, s.payload_octets))
		return 0;
	return request.id;
}

int main(void)
{
	const char *why;
	double best = 0;

	if (crc_init(&why) != 0) {
		fprintf(stderr, "wire_bench: %s\n", why);
		return 1;
	}
	for (unsigned round = 0; round < ROUNDS; round++) {
		double start = seconds();
		for (uint32_t id = 1; id <= PER_ROUND; id++) {
			uint8_t wire[128];
			if (decode(wire, encode(wire, sizeof(wire), id)) !=
			    id) {
				fprintf(stderr, "wire_bench: lost one\n");
				return 1;
			}
		}
		double rate = PER_ROUND / (seconds() - start) / 1e6;
		best = rate > best ? rate : best;
	}
	printf("bench codec.atomic_request %.1f M/s (floor %.1f)\n", best,
	       FLOOR_MILLIONS);
	return 0;
}

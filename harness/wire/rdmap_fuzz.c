/* SPDX-License-Identifier: BSD-2-Clause */
/* Every RDMAP header over the same payload: what decodes comes back. */
#include "harness/wire/fuzz.h"
#include "harness/wire/rdmap.h"

static uint8_t *out;

/* n octets were encoded, and have to be the payload. */
static void check(size_t n, const uint8_t *data, size_t size)
{
	must_hold(n == size);
	must_equal(data, out, size);
	memset(out, 0, size);
}

static void check_terminate(const uint8_t *data, size_t size)
{
	struct rdmap_terminate h;

	if (!rdmap_terminate_decode(&h, data, size)) {
		must_hold(size < RDMAP_TERMINATE_OCTETS);
		return;
	}
	if (!h.truncated) {
		must_hold(h.has_segment_length == (h.m || h.d));
		must_hold((h.ddp_header != NULL) == h.d);
		must_hold((h.rdma_header != NULL) == h.r);
	}
	if (h.ddp_header) {
		struct ddp_segment s;
		ddp_decode(&s, h.ddp_header, h.ddp_header_octets);
		must_hold(!s.short_header && s.payload_octets == 0);
	}
	check(rdmap_terminate_encode(&h, out, size), data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rdmap_read_request read;
	struct rdmap_atomic_request request;
	struct rdmap_atomic_response response;
	struct rdmap_imm imm;

	out = calloc(1, size + 1);
	must_hold(out != NULL);
	if (size > 0)
		must_hold(rdmap_opcode_name(data[0] & 0x0f)[0] != '\0');
	if (rdmap_read_request_decode(&read, data, size))
		check(rdmap_read_request_encode(&read, out, size), data, size);
	else
		must_hold(size < RDMAP_READ_REQUEST_OCTETS);
	if (rdmap_atomic_request_decode(&request, data, size))
		check(rdmap_atomic_request_encode(&request, out, size), data,
		      size);
	else
		must_hold(size < RDMAP_ATOMIC_REQUEST_OCTETS);
	if (rdmap_atomic_response_decode(&response, data, size))
		check(rdmap_atomic_response_encode(&response, out, size), data,
		      size);
	else
		must_hold(size < RDMAP_ATOMIC_RESPONSE_OCTETS);
	if (rdmap_imm_decode(&imm, data, size))
		check(rdmap_imm_encode(&imm, out, size), data, size);
	else
		must_hold(size < RDMAP_IMM_OCTETS);
	check_terminate(data, size);
	free(out);
	return 0;
}

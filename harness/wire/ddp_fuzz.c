/* SPDX-License-Identifier: BSD-2-Clause */
/* Every ULPDU decodes, and comes back octet for octet. */
#include "harness/wire/ddp.h"
#include "harness/wire/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ddp_segment s;

	ddp_decode(&s, data, size);
	if (size == 0) {
		must_hold(s.short_header && s.payload_octets == 0);
		return 0;
	}
	uint8_t *out = malloc(size);
	must_hold(out != NULL);
	must_hold(ddp_encode(&s, out, size) == size);
	must_equal(data, out, size);
	must_hold(ddp_encode(&s, out, size - 1) == 0);
	free(out);

	if (!s.short_header) {
		uint8_t header[DDP_UNTAGGED_OCTETS];
		size_t n = ddp_header_encode(&s.ddp, header);
		must_hold(n == ddp_header_octets(s.ddp.tagged));
		must_hold(n + s.payload_octets == size);
		must_equal(data, header, n);
	}
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Startup frames: what decodes comes back octet for octet. */
#include "harness/wire/fuzz.h"
#include "harness/wire/mpa.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mpa_startup f;
	size_t needed = mpa_startup_octets(data, size);

	must_hold(needed >= MPA_HEADER_OCTETS);
	if (!mpa_startup_decode(&f, data, size)) {
		must_hold(size < MPA_HEADER_OCTETS);
		return 0;
	}
	must_hold(needed == MPA_HEADER_OCTETS + (size_t)f.pd_length);
	must_hold(mpa_kind(&f) <= MPA_KIND_NEITHER);

	uint8_t *out = malloc(size);
	must_hold(out != NULL);
	must_hold(mpa_startup_encode(&f, out, size) == size);
	must_equal(data, out, size);
	must_hold(mpa_startup_encode(&f, out, size - 1) == 0);
	free(out);

	if (f.private_octets >= MPA_ENHANCED_OCTETS) {
		struct mpa_enhanced e;
		uint8_t octets[MPA_ENHANCED_OCTETS];
		mpa_enhanced_decode(&e, f.private_data);
		mpa_enhanced_encode(&e, octets);
		must_equal(f.private_data, octets, sizeof(octets));
	}
	return 0;
}

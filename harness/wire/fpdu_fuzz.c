/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A stream of FPDUs at any offset, with and without markers: what frames
 * comes back octet for octet, and what does not asks for more than is there.
 * The first five octets choose markers and offset.
 */
#include "harness/wire/fpdu.h"
#include "harness/wire/fuzz.h"

#define CHOICE_OCTETS 5

static uint8_t room[65536], again[FPDU_OCTETS_MAX];

static void check_markers(const struct fpdu *f, size_t used)
{
	must_hold(f->marker_count <= FPDU_MARKERS_MAX);
	for (unsigned i = 0; i < f->marker_count; i++) {
		size_t at = fpdu_marker_at(i, true, f->offset);
		must_hold(at + FPDU_MARKER_OCTETS < used);
		must_hold((f->offset + at) % FPDU_MARKER_SPACING == 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < CHOICE_OCTETS)
		return 0;
	bool markers = data[0] & 1;
	uint32_t offset;
	memcpy(&offset, data + 1, sizeof(offset));
	data += CHOICE_OCTETS;
	size -= CHOICE_OCTETS;

	for (;;) {
		struct fpdu f;
		size_t used;
		if (fpdu_decode(&f, data, size, markers, offset, room,
				sizeof(room), &used) == FPDU_MORE) {
			must_hold(used > size);
			return 0;
		}
		must_hold(used <= size);
		must_hold(used == fpdu_octets(f.ulpdu_length, markers, offset));
		check_markers(&f, used);
		must_hold(fpdu_encode(&f, again, used) == used);
		must_equal(data, again, used);
		must_hold(fpdu_encode(&f, again, used - 1) == 0);
		data += used;
		size -= used;
		offset += (uint32_t)used;
	}
}

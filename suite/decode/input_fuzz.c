/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any text as hex or a dump of it: accepted octets lie in blocks, and are taken
 * apart into frames that lie in these; any other text is refused in one line.
 */
#include "harness/crc/crc.h"
#include "harness/wire/fuzz.h"
#include "suite/decode/frames.h"

static void take_apart(const struct input *in, size_t block, bool markers)
{
	const struct decode_options o = {.markers = markers};
	const struct input_block *b = &in->blocks[block];
	static struct field list[FIELDS_MAX];
	struct decoded_list frames = {0};
	size_t at = 0;

	frames_of_block(&frames, in, block, &o);
	must_hold(!frames.failed);
	for (size_t i = 0; i < frames.n; i++) {
		const struct decoded *d = &frames.list[i];

		must_hold(d->at == at && d->n > 0 && d->at + d->n <= b->n);
		must_hold(d->octets == in->octets + b->from + d->at);
		must_be_a_line(d->title);
		must_hold(frame_fields(d, list, FIELDS_MAX) > 0);
		at += d->n;
	}
	must_hold(at == b->n);
	free(frames.list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool ready;
	struct input in = {.n = 0};
	char why[512] = "";
	const char *fault;
	size_t octets = 0;

	if (!ready)
		must_hold(crc_init(&fault) == 0);
	ready = true;
	if (input_parse(&in, "input", (const char *)data, size, why,
			sizeof(why))) {
		must_hold(in.n > 0 && in.count > 0);
		for (size_t i = 0; i < in.count; i++) {
			must_hold(in.blocks[i].from == octets);
			octets += in.blocks[i].n;
			take_apart(&in, i, size & 1);
		}
		must_hold(octets == in.n);
	} else {
		must_be_a_line(why);
	}
	input_free(&in);
	return 0;
}

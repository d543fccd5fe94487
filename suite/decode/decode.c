/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/decode/decode.h"

#include <stdlib.h>

#include "suite/decode/frames.h"
#include "suite/decode/input.h"
#include "suite/decode/say.h"

/* One line about the omitted octets. */
static void say_packets(const struct input *in, FILE *out)
{
	const struct captured *c = &in->captured;
	unsigned other = c->other - in->chunks.packets;
	unsigned damaged = c->damaged + in->chunks.damaged;

	if (c->full || in->chunks.full)
		fputs("\nthe capture is too large: the rest of it was "
		      "ignored\n",
		      out);
	if (in->chunks.gaps)
		fputs("\nchunks of SCTP are missing in the capture\n", out);
	if (other || damaged)
		fprintf(out,
			"\n%u of %u packets were not decoded: %u neither of "
			"TCP nor of SCTP, %u cut, fragmented or damaged\n",
			other + damaged, c->packets, other, damaged);
}

static void say_all(const struct input *in, const struct decoded_list *frames,
		    bool colour, FILE *out)
{
	for (size_t i = 0; i < frames->n; i++) {
		const struct decoded *d = &frames->list[i];

		if (d->packet && (!i || d->flow != frames->list[i - 1].flow)) {
			if (i)
				fputc('\n', out);
			say_flow(&in->captured, d, colour, out);
		}
		say_frame(d, colour, out);
	}
	say_packets(in, out);
}

static bool are_whole(const struct input *in, const struct decoded_list *frames)
{
	for (size_t i = 0; i < frames->n; i++)
		if (*frames->list[i].why)
			return false;
	for (size_t i = 0; i < in->captured.flow_count; i++)
		if (in->captured.flows[i].from[0].lost ||
		    in->captured.flows[i].from[1].lost)
			return false;
	return frames->n && !in->captured.full && !in->chunks.full &&
	       !in->chunks.gaps;
}

enum decode_result decode(char *const *words, size_t n,
			  const struct decode_options *o, FILE *out, char *why,
			  size_t cap)
{
	struct decoded_list frames = {0};
	enum decode_result result = DECODE_UNREAD;
	struct input in;

	if (!input_read(&in, words, n, why, cap)) {
		input_free(&in);
		return DECODE_UNREAD;
	}
	for (size_t i = 0; i < in.captured.flow_count; i++)
		frames_of_flow(&frames, &in.captured, i, o);
	frames_of_chunks(&frames, &in);
	for (size_t i = 0; i < in.count; i++)
		frames_of_block(&frames, &in, i, o);
	if (frames.failed) {
		snprintf(why, cap, "out of memory");
	} else if (!o->json && !frames.n) {
		snprintf(why, cap,
			 "%.300s: no octets of TCP in it, and no DDP of SCTP; "
			 "packets: %u, %u not of TCP, %u cut, fragmented or "
			 "damaged",
			 words[0], in.captured.packets, in.captured.other,
			 in.captured.damaged);
	} else if (o->json && !say_json(&in, &frames, out)) {
		snprintf(why, cap, "out of memory");
	} else {
		if (!o->json)
			say_all(&in, &frames, o->colour, out);
		result = are_whole(&in, &frames) ? DECODE_FRAMES : DECODE_REST;
	}
	free(frames.list);
	input_free(&in);
	return result;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Octets of a stream as frames. */
#ifndef SUITE_DECODE_FRAMES_H
#define SUITE_DECODE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/wire/fields.h"
#include "suite/decode/decode.h"
#include "suite/decode/input.h"

enum decoded_kind {
	DECODED_STARTUP,
	DECODED_FPDU,
	DECODED_OCTETS,
	DECODED_CHUNK, /* of SCTP: its user data */
};

struct decoded {
	enum decoded_kind kind;
	unsigned flow; /* of a capture: connections, then associations */
	const struct link_end *end; /* both ends of it; NULL: not from a
				     * capture */
	unsigned from;              /* the end that sent the frame */
	unsigned packet; /* the packet with its first octet, or the last one of
			  * a chunk */
	size_t at;       /* its first octet, in the stream of TCP */
	uint16_t stream; /* of a chunk */
	uint32_t ppid;
	const uint8_t *octets;
	size_t n;
	size_t whole; /* its length, as its own fields announce it */
	bool markers, crc_off;
	uint32_t offset; /* of an FPDU: after the startup frame */
	char title[128];
	const char *why; /* why it is not a whole frame, or "" */
};

struct decoded_list {
	struct decoded *list;
	size_t n, cap;
	bool failed; /* no memory */
};

/* A flow's frames in the order of the capture. */
void frames_of_flow(struct decoded_list *out, const struct captured *c,
		    size_t flow, const struct decode_options *o);
/* The chunks of all associations, in the order of the capture. */
void frames_of_chunks(struct decoded_list *out, const struct input *in);
void frames_of_block(struct decoded_list *out, const struct input *in,
		     size_t block, const struct decode_options *o);

/* Fills in the frame's fields, and returns their number. */
size_t frame_fields(const struct decoded *d, struct field *list, size_t cap);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One TCP segment as a value, exchanged between the end point (tcp.h) and the
 * packet codec (packet.h). It has no ports and addresses.
 */
#ifndef HARNESS_LINK_RAW_SEGMENT_H
#define HARNESS_LINK_RAW_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum segment_flag {
	SEGMENT_FIN = 1,
	SEGMENT_SYN = 2,
	SEGMENT_RST = 4,
	SEGMENT_PSH = 8,
	SEGMENT_ACK = 16,
};

struct segment {
	uint32_t seq, ack;
	uint16_t window; /* as in the header: not scaled */
	uint8_t flags;   /* enum segment_flag */
	/* Options, RFC 9293 s3.2 and RFC 7323 s2 and s3. */
	uint16_t mss; /* 0: none */
	bool has_scale, has_timestamps;
	uint8_t scale;
	uint32_t tsval, tsecr;
	const uint8_t *octets; /* n of them; the segment does not own them */
	size_t n;
};

/* a before b, modulo 2^32 (RFC 9293 s3.4). */
static inline bool seq_before(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * MPA startup frames (RFC 5044 s7.1, RFC 6581 s6) and the enhanced data at the
 * start of their private data (RFC 6581 s9). The codec is lossless for wrong
 * frames, too: the key, all flag bits and the lengths are kept as received.
 */
#ifndef HARNESS_WIRE_MPA_H
#define HARNESS_WIRE_MPA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MPA_KEY_OCTETS      16
#define MPA_HEADER_OCTETS   20
#define MPA_PRIVATE_MAX     512 /* RFC 5044 s7.1.1, enhanced data included */
#define MPA_ENHANCED_OCTETS 4
#define MPA_NOT_NEGOTIATED  0x3fff /* RFC 6581 s9.1 */

extern const uint8_t mpa_key_request[MPA_KEY_OCTETS];
extern const uint8_t mpa_key_reply[MPA_KEY_OCTETS];

enum mpa_flag {
	MPA_M = 0x80, /* requests markers from the peer */
	MPA_C = 0x40, /* CRC */
	MPA_R = 0x20, /* rejected; Reply only */
	MPA_S = 0x10, /* enhanced data present (RFC 6581) */
	MPA_RESERVED = 0x0f,
};

/* A startup frame. private_data points into the decoded octets. */
struct mpa_startup {
	uint8_t key[MPA_KEY_OCTETS];
	uint8_t flags;      /* octet 16 as on the wire */
	uint8_t rev;        /* octet 17 */
	uint16_t pd_length; /* the field, right or wrong */
	const uint8_t *private_data;
	size_t private_octets; /* the octets that are present */
};

/* Enhanced data: the first four private data octets when S is set. */
struct mpa_enhanced {
	bool a;            /* peer-to-peer model */
	bool b;            /* RTR: zero-length Send */
	bool c;            /* RTR: zero-length RDMA Write */
	bool d;            /* RTR: zero-length RDMA Read */
	uint16_t ird, ord; /* 14 bits each */
};

enum mpa_kind { MPA_KIND_REQUEST, MPA_KIND_REPLY, MPA_KIND_NEITHER };
enum mpa_kind mpa_kind(const struct mpa_startup *f);

/*
 * The size of the frame at `octets`, as far as known: 20 while the header is
 * incomplete, then 20 + PD_Length, whatever that field contains.
 */
size_t mpa_startup_octets(const uint8_t *octets, size_t n);

/*
 * Decode n octets as one whole frame: all octets after the header are private
 * data, even if their number is not pd_length. False: n is less than 20.
 */
bool mpa_startup_decode(struct mpa_startup *f, const uint8_t *octets, size_t n);

/* Encode all fields as they are. Returns the number of octets written; 0: cap
 * is too small. */
size_t mpa_startup_encode(const struct mpa_startup *f, uint8_t *out,
			  size_t cap);

void mpa_enhanced_decode(struct mpa_enhanced *e, const uint8_t octets[4]);
void mpa_enhanced_encode(const struct mpa_enhanced *e, uint8_t octets[4]);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is wrong with a frame taken by itself: the names that `fault:` lines
 * use. Only what the octets show; what depends on the stream's history (an
 * MSN out of turn, an STag nobody issued) is the golden model's. Written
 * apart from that model, so that a vector's verdict has a second reader.
 */
#ifndef VECTORS_TOOL_FAULT_H
#define VECTORS_TOOL_FAULT_H

#include "vectors/tool/values.h"

#define VEC_FAULTS_MAX 32

struct vec_faults {
	char name[VEC_FAULTS_MAX][32];
	size_t n;
};

/* request says which of the two frames it was meant to be. */
void vec_startup_faults(struct vec_faults *faults, const struct mpa_startup *s,
			bool request);

/* octets are the FPDU's own, f->used of them. crc: CRCs are in use. */
void vec_frame_faults(struct vec_faults *faults, const char *prefix,
		      const struct vec_frame *f, const uint8_t *octets,
		      bool crc);

/* DATA of a DDP session, or an INIT or INIT ACK that begins one. */
void vec_chunk_faults(struct vec_faults *faults, const struct vec_chunk *c);

/* Is layer, error type, error code in the registry (RFC 6580 s3, RFC 6581)? */
bool vec_term_registered(uint8_t layer, uint8_t etype, uint8_t code);

#endif

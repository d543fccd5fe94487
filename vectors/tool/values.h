/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A vector's octets through the codec: decoded to the bottom, back, and as
 * the list of named values a vector states. man/warpspec-vectors.5 lists them.
 */
#ifndef VECTORS_TOOL_VALUES_H
#define VECTORS_TOOL_VALUES_H

#include "harness/wire/ddp.h"
#include "harness/wire/fpdu.h"
#include "harness/wire/mpa.h"
#include "harness/wire/rdmap.h"
#include "harness/wire/sctp.h"
#include "harness/wire/session.h"
#include "vectors/tool/vec.h"

#define VEC_VALUES_MAX 512
#define VEC_ROOM       (65536 + 8)

struct vec_value {
	char name[48];
	bool is_octets;
	uint64_t number;
	const uint8_t *octets; /* points into what was decoded */
	size_t n;
};

struct vec_values {
	struct vec_value value[VEC_VALUES_MAX];
	size_t n;
};

const struct vec_value *vec_value(const struct vec_values *v, const char *name);
/* Does the stated text mean this value? */
bool vec_value_is(const struct vec_value *v, const char *stated);

enum vec_header {
	VEC_NO_HEADER, /* payload is the ULP's, or a later segment */
	VEC_READ_REQUEST,
	VEC_TERMINATE,
	VEC_IMM,
	VEC_ATOMIC_REQUEST,
	VEC_ATOMIC_RESPONSE,
};

/* One FPDU decoded down to its RDMAP header. Large: keep it off the stack. */
struct vec_frame {
	struct fpdu fpdu;
	size_t used;
	struct ddp_segment seg;
	enum vec_header header;
	bool header_short; /* the payload ends inside that header */
	struct rdmap_read_request read_request;
	struct rdmap_terminate terminate;
	struct rdmap_imm imm;
	struct rdmap_atomic_request atomic_request;
	struct rdmap_atomic_response atomic_response;
	uint8_t room[VEC_ROOM]; /* the ULPDU, where markers had to come out */
};

enum fpdu_status vec_frame_decode(struct vec_frame *f, const uint8_t *octets,
				  size_t n, bool markers, uint32_t offset);
/* Encode from the structs, bottom to top. 0 if cap is short. */
size_t vec_frame_encode(const struct vec_frame *f, uint8_t *out, size_t cap);

/* The payload's header encoded again; 0 if it has none or is short. */
size_t vec_header_encode(const struct vec_frame *f, uint8_t *out, size_t cap);
/* Fill header and the struct it names from a payload. */
void vec_header_decode(struct vec_frame *f, const uint8_t *payload, size_t n);

/* Append the values of a frame; prefix is "" or "2." in a stream. */
void vec_frame_values(struct vec_values *v, const char *prefix,
		      const struct vec_frame *f);
void vec_startup_values(struct vec_values *v, const struct mpa_startup *s);

/* One SCTP chunk: DATA of a DDP session, or INIT and INIT ACK. Large. */
struct vec_chunk {
	struct sctp_tlv tlv;
	struct sctp_init init; /* not of DATA */
	struct sctp_data data;
	struct session_chunk session;
	struct vec_frame frame; /* seg and header alone: a DDP segment */
};

/* False: not one chunk, or it ends inside its fixed fields. */
bool vec_chunk_decode(struct vec_chunk *c, const uint8_t *octets, size_t n);
/* Encode from the structs, bottom to top. 0 if cap is short. */
size_t vec_chunk_encode(const struct vec_chunk *c, uint8_t *out, size_t cap);
void vec_chunk_values(struct vec_values *v, const struct vec_chunk *c);

/* Is there enhanced data at the head of the private data? */
bool vec_enhanced(const struct mpa_startup *s, struct mpa_enhanced *e);

#endif

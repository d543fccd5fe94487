/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A DDP segment with its RDMAP control octet (RFC 5041 s4, RFC 5040 s4.1): the
 * contents of one ULPDU.
 */
#ifndef HARNESS_WIRE_DDP_H
#define HARNESS_WIRE_DDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DDP_TAGGED_OCTETS   14
#define DDP_UNTAGGED_OCTETS 18
#define DDP_VERSION         1
#define RDMAP_VERSION       1

/* RFC 5040 s4.2, RFC 7306 s4. */
enum ddp_queue {
	DDP_QN_SEND = 0,
	DDP_QN_READ_REQUEST = 1,
	DDP_QN_TERMINATE = 2,
	DDP_QN_ATOMIC_RESPONSE = 3,
};

/*
 * All bits of the DDP and RDMAP header of one segment. A value too wide for its
 * field is a bug of the caller.
 */
struct ddp {
	bool tagged;          /* T */
	bool last;            /* L */
	uint8_t rsvd;         /* 4 bits: 0x3c of octet 0, shifted down */
	uint8_t dv;           /* 2 bits */
	uint8_t rv;           /* 2 bits */
	uint8_t rdmap_rsvd;   /* 2 bits: 0x30 of octet 1, shifted down */
	uint8_t opcode;       /* 4 bits */
	uint32_t stag;        /* tagged */
	uint64_t to;          /* tagged */
	uint32_t inval_stag;  /* untagged: RsvdULP[8:39] */
	uint32_t qn, msn, mo; /* untagged */
};

struct ddp_segment {
	struct ddp ddp;
	/*
	 * The ULPDU ends inside the header. The fields are zero, except those
	 * of octets 0 and 1 if these are present; payload is the whole ULPDU.
	 */
	bool short_header;
	const uint8_t *payload; /* the octets after the DDP header */
	size_t payload_octets;
};

/* The number of header octets: 14 or 18. */
size_t ddp_header_octets(bool tagged);

/* Decode a ULPDU. Never fails: a ULPDU too short sets short_header. */
void ddp_decode(struct ddp_segment *s, const uint8_t *ulpdu, size_t n);

/*
 * Returns the number of octets written; 0: cap is too small, or the ULPDU is
 * empty. With short_header, only the payload is written.
 */
size_t ddp_encode(const struct ddp_segment *s, uint8_t *out, size_t cap);

/* Write only the header, as a Terminate returns it: 14 or 18 octets. */
size_t ddp_header_encode(const struct ddp *d, uint8_t out[DDP_UNTAGGED_OCTETS]);

#endif

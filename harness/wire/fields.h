/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes a frame for people: the fields of the RFCs, with their octets, values
 * and meanings. Any octets may be given; nothing is judged here, and no octet
 * is read past the end.
 */
#ifndef HARNESS_WIRE_FIELDS_H
#define HARNESS_WIRE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum field_part {
	FIELD_OF_MPA,
	FIELD_OF_SCTP, /* DDP's adaptation to SCTP: RFC 5043 s5 */
	FIELD_OF_DDP,
	FIELD_OF_RDMAP,
	FIELD_OF_DDP_RETURNED,  /* in a Terminate: the DDP header at fault */
	FIELD_OF_RDMA_RETURNED, /* in a Terminate: the Read Request header */
	FIELD_OF_ULP,
	FIELD_OF_NOBODY, /* octets where none are allowed */
};

enum field_form { FIELD_NUMBER, FIELD_HEX, FIELD_OCTETS };

struct field {
	const char *name;    /* as its RFC spells it: "ULPDU_Length", "MSN" */
	const char *section; /* "RFC 5044 s4.1", or "" */
	const char *means;   /* the meaning of the value, or "" */
	enum field_part part;
	enum field_form form;
	/* The place of the first octet, the number of octets on the wire from
	 * the first to the last, and the number of octets without a marker
	 * between them: a marker is a field of its own. */
	size_t at, span, octets;
	/* If the field is only some bits of these octets: its first bit,
	 * counted from the highest one of the first octet, and their number.
	 * bits 0: the field is all of these octets. */
	unsigned first_bit, bits;
	uint64_t value; /* of at most eight octets, big-endian */
	bool cut;       /* the frame announces more octets than it has */
	/* The RFC permits only the value `due`, and this one is different. */
	bool is_wrong;
	uint64_t due;
};

/* Enough for any frame with markers at the right places. */
#define FIELDS_MAX 320

/* The facts needed to decode an FPDU (RFC 5044 s4). */
struct fields_framing {
	const unsigned short *markers; /* their places, from low to high */
	size_t marker_count;
	bool crc_off; /* the CRC field is not in use */
	/* Computes CRC32c (harness/crc); NULL: the CRC is not checked. */
	uint32_t (*crc)(const void *octets, size_t n);
};

/*
 * The fields of the first n octets of an FPDU, or of a startup frame, in the
 * order of their first octets; a marker follows the field that it splits.
 * Returns their number, at most cap; further fields are left out.
 */
size_t fields_of_fpdu(struct field *list, size_t cap, const uint8_t *octets,
		      size_t n, const struct fields_framing *how);
size_t fields_of_startup(struct field *list, size_t cap, const uint8_t *octets,
			 size_t n);

/* The same for the user data of an SCTP chunk with this payload protocol: 16 is
 * a DDP segment, 17 is session control, others are unknown (RFC 5043 s5.2). */
size_t fields_of_chunk(struct field *list, size_t cap, const uint8_t *octets,
		       size_t n, uint32_t ppid);

/* "MPA", "DDP", "the DDP header returned", ... */
const char *field_part_name(enum field_part part);

/* The value: "23", "0x00000100", "5 octets". */
#define FIELD_TEXT 32
void field_value_text(const struct field *f, char text[FIELD_TEXT]);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes a frame for people: which octets are which field of which RFC, its
 * value, and the meaning of that. Any octets may be given; nothing is judged
 * here, and no octet is read past the end.
 */
#ifndef HARNESS_WIRE_FIELDS_H
#define HARNESS_WIRE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum field_part {
	FIELD_OF_MPA,
	FIELD_OF_SCTP, /* of DDP's adaptation to it: RFC 5043 s5 */
	FIELD_OF_DDP,
	FIELD_OF_RDMAP,
	FIELD_OF_DDP_RETURNED,  /* in a Terminate: the header at fault, */
	FIELD_OF_RDMA_RETURNED, /* and the Read Request header after it */
	FIELD_OF_ULP,
	FIELD_OF_NOBODY, /* octets where none are allowed */
};

enum field_form { FIELD_NUMBER, FIELD_HEX, FIELD_OCTETS };

struct field {
	const char *name;    /* as its RFC spells it: "ULPDU_Length", "MSN" */
	const char *section; /* "RFC 5044 s4.1"; "" : none */
	const char *means;   /* the meaning of the value, or "" */
	enum field_part part;
	enum field_form form;
	/* On the wire: its first octet, and how many up to its last. A marker
	 * may be inside: it is a field of its own, and `octets` does not count
	 * it. */
	size_t at, span, octets;
	/* For a part of these octets: its first bit, counted from the highest
	 * one of the first octet, and how many. No bits: all of them. */
	unsigned first_bit, bits;
	uint64_t value; /* of up to eight octets, the first the highest */
	bool cut;       /* more is announced than there is */
	/* The RFC leaves no other value, and this is not it. */
	bool is_wrong;
	uint64_t due;
};

/* Enough for any frame whose markers are where they are due. */
#define FIELDS_MAX 320

/* The facts needed to decode an FPDU (RFC 5044 s4). */
struct fields_framing {
	const unsigned short *markers; /* their places, from low to high */
	size_t marker_count;
	bool crc_off; /* the CRC field is not in use */
	/* CRC32c (harness/crc); NULL: whether it matches is not checked. */
	uint32_t (*crc)(const void *octets, size_t n);
};

/*
 * The fields of the first n octets of an FPDU, or of a startup frame, in the
 * order of their first octets; a marker follows the field that it splits.
 * Returns how many; those beyond cap are left out.
 */
size_t fields_of_fpdu(struct field *list, size_t cap, const uint8_t *octets,
		      size_t n, const struct fields_framing *how);
size_t fields_of_startup(struct field *list, size_t cap, const uint8_t *octets,
			 size_t n);

/* The same for a chunk's user data over SCTP, by its payload protocol: 16 is a
 * DDP segment, 17 session control, anything else unknown (RFC 5043 s5.2). */
size_t fields_of_chunk(struct field *list, size_t cap, const uint8_t *octets,
		       size_t n, uint32_t ppid);

/* "MPA", "DDP", "the DDP header returned", ... */
const char *field_part_name(enum field_part part);

/* The value: "23", "0x00000100", "5 octets". */
#define FIELD_TEXT 32
void field_value_text(const struct field *f, char text[FIELD_TEXT]);

#endif

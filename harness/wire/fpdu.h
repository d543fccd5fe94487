/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FPDUs and markers (RFC 5044 s4.1 to s4.5).
 *
 *   [marker] ULPDU_Length(2) ULPDU PAD(0..3) [marker] CRC(4)
 *
 * A stream offset counts octets of one direction from the first octet after
 * that direction's startup frame. If markers are in use, there is a marker at
 * every offset that is a multiple of 512. A marker right before ULPDU_Length
 * belongs to the FPDU that follows. So the CRC always covers all octets of an
 * encoded FPDU except its last four. This codec computes no CRC: the four
 * octets are a field like any other.
 *
 * The size of an FPDU is a multiple of 4 octets, and so are all offsets; so a
 * marker never splits ULPDU_Length, PAD or CRC. Other offsets (after invalid
 * octets from a peer) are supported, too. A marker can then split any of these,
 * and the sentence about the CRC is true only if no marker splits it.
 */
#ifndef HARNESS_WIRE_FPDU_H
#define HARNESS_WIRE_FPDU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FPDU_MARKER_SPACING 512
#define FPDU_MARKER_OCTETS  4
#define FPDU_CRC_OCTETS     4
#define FPDU_ULPDU_MAX      64768 /* the largest legal ULPDU_Length */
/* Enough for any 16-bit ULPDU_Length: (2+65535+3+4)/508 + 2. */
#define FPDU_MARKERS_MAX 132
/* The largest FPDU that a ULPDU_Length can announce, markers included. */
#define FPDU_OCTETS_MAX (2 + 65535 + 3 + 4 + FPDU_MARKERS_MAX * 4)

struct fpdu_marker {
	uint16_t reserved; /* sent 0, not checked, in the CRC */
	uint16_t fpduptr;  /* octets back to ULPDU_Length */
};

struct fpdu {
	uint16_t ulpdu_length;
	const uint8_t *ulpdu; /* ulpdu_length octets, markers removed */
	uint8_t pad[3];
	uint8_t pad_octets; /* 0..3, from ulpdu_length */
	uint8_t crc[4];     /* as on the wire */
	/* The distance in octets from the place of `crc` to a matching CRC:
	 * positive after it, negative before it. 0: `crc` itself matches, or no
	 * CRC nearby does. The caller sets it, because it has the octets after
	 * the FPDU. */
	int8_t crc_off;
	bool markers;    /* this direction uses markers */
	uint32_t offset; /* stream offset of the first octet, modulo 2^32 */
	unsigned marker_count;
	struct fpdu_marker marker[FPDU_MARKERS_MAX]; /* in stream order */
};

enum fpdu_status {
	FPDU_OK,   /* one whole FPDU was decoded */
	FPDU_MORE, /* some of its octets are missing */
};

uint8_t fpdu_pad(uint16_t ulpdu_length);

/* The number of octets on the wire of an FPDU that starts at this stream
 * offset. */
size_t fpdu_octets(uint16_t ulpdu_length, bool markers, uint32_t offset);

/* The number of markers in an FPDU, and the place of marker i, in octets from
 * the first octet of the FPDU. */
unsigned fpdu_marker_count(uint16_t ulpdu_length, bool markers,
			   uint32_t offset);
size_t fpdu_marker_at(unsigned i, bool markers, uint32_t offset);
/*
 * The correct FPDUPTR of marker i of an FPDU at this offset, modulo 2^16. Up to
 * FPDU_ULPDU_MAX the whole value fits.
 */
uint16_t fpdu_marker_pointer(unsigned i, uint32_t offset);

/*
 * Set up a correct FPDU around a ULPDU: the pad is zero, all markers are
 * present with correct pointers, and the CRC is zero (the caller sets it after
 * encoding). The caller can change fields before fpdu_encode(), which writes
 * them unchanged: with another pad_octets the size is not a multiple of 4, and
 * with a lower marker_count the last markers are left out. ulpdu_length has to
 * remain the number of octets at ulpdu; to announce another length, the caller
 * changes the encoded octets. Only the first marker_count elements of the array
 * of markers are set.
 */
void fpdu_init(struct fpdu *f, const uint8_t *ulpdu, uint16_t ulpdu_length,
	       bool markers, uint32_t offset);

/* Returns the number of octets written; 0: cap is too small. */
size_t fpdu_encode(const struct fpdu *f, uint8_t *out, size_t cap);

/*
 * Decode one FPDU at the start of n octets, which are at this stream offset. On
 * FPDU_OK *used is the size of the FPDU. On FPDU_MORE *used is the number of
 * octets that it will need, as far as known (at least n + 1), and *f is not
 * valid. Without markers, f->ulpdu points into `octets`. With markers, the
 * ULPDU is copied into `room`, and f->ulpdu points there. `room` has cap
 * octets; 65535 are always enough, and fewer than ULPDU_Length announces are a
 * bug of the caller. Wrong fields are data: nothing is judged here, and every
 * length is accepted.
 */
enum fpdu_status fpdu_decode(struct fpdu *f, const uint8_t *octets, size_t n,
			     bool markers, uint32_t offset, uint8_t *room,
			     size_t cap, size_t *used);

/* The MULPDU for an effective MSS (RFC 5044 s4.5), from 128 to 64768. */
uint32_t fpdu_mulpdu(uint32_t emss, bool markers);

#endif

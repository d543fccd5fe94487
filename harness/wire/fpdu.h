/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FPDUs and markers (RFC 5044 s4.1 to s4.5).
 *
 *   [marker] ULPDU_Length(2) ULPDU PAD(0..3) [marker] CRC(4)
 *
 * A stream offset counts octets of one direction from the first octet after
 * that direction's startup frame; with markers on, one stands at every
 * offset that is a multiple of 512. A marker right before ULPDU_Length
 * belongs to the FPDU that follows, so the CRC always covers every octet of an
 * encoded FPDU except its last four. This codec computes no CRC: the four
 * octets are a field like any other.
 *
 * FPDUs are multiples of 4 octets, so offsets are, and a marker never splits
 * ULPDU_Length, PAD or CRC. Other offsets (after invalid octets from a peer)
 * are supported all the same; a marker may then split any of them, and the
 * statement about the CRC holds only if the CRC is not split.
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
/* More than any 16-bit ULPDU_Length can bring: (2+65535+3+4)/508 + 2. */
#define FPDU_MARKERS_MAX 132
/* The largest FPDU any ULPDU_Length can announce, markers included. */
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
	/* A matching CRC lies so many octets after the place of `crc`, or
	 * before it; 0: there, or not nearby. Set by the caller that has the
	 * octets after it. */
	int8_t crc_off;
	bool markers;    /* this direction uses markers */
	uint32_t offset; /* stream offset of the first octet, modulo 2^32 */
	unsigned marker_count;
	struct fpdu_marker marker[FPDU_MARKERS_MAX]; /* in stream order */
};

enum fpdu_status {
	FPDU_OK,   /* one whole FPDU decoded */
	FPDU_MORE, /* not all its octets are there yet */
};

uint8_t fpdu_pad(uint16_t ulpdu_length);

/* Octets on the wire of an FPDU that starts at this stream offset. */
size_t fpdu_octets(uint16_t ulpdu_length, bool markers, uint32_t offset);

/* How many markers it holds, and where: octets from its first octet. */
unsigned fpdu_marker_count(uint16_t ulpdu_length, bool markers,
			   uint32_t offset);
size_t fpdu_marker_at(unsigned i, bool markers, uint32_t offset);
/*
 * The FPDUPTR that marker i of an FPDU at this offset has to carry: what fits
 * into 16 bits, which is all of it up to FPDU_ULPDU_MAX.
 */
uint16_t fpdu_marker_pointer(unsigned i, uint32_t offset);

/*
 * Set up a correct FPDU around a ULPDU: pad zero, markers present with correct
 * pointers, CRC zero (the caller fills it in after encoding). Fields can be
 * changed before fpdu_encode, which writes them unchanged: a pad_octets of
 * another value breaks the multiple of 4, a lower marker_count leaves out the
 * last markers. ulpdu_length stays the number of octets at ulpdu; to announce
 * another length, the caller patches the encoded octets. The array of markers
 * is set up to marker_count and no further.
 */
void fpdu_init(struct fpdu *f, const uint8_t *ulpdu, uint16_t ulpdu_length,
	       bool markers, uint32_t offset);

/* Returns the octets written, 0 if cap is short. */
size_t fpdu_encode(const struct fpdu *f, uint8_t *out, size_t cap);

/*
 * Decode one FPDU from the front of n octets at this stream offset. *used is
 * the octets it takes: all that it took on FPDU_OK, all that it will need as
 * far as is known on FPDU_MORE (n + 1 at least), and *f is of no use then.
 * Without markers f->ulpdu points into `octets`; with markers the ULPDU is
 * copied into `room` (cap octets; 65535 always suffice, and fewer than
 * ULPDU_Length announces is a bug of the caller) and points there. Wrong
 * fields are data: nothing is judged here, and no length is refused.
 */
enum fpdu_status fpdu_decode(struct fpdu *f, const uint8_t *octets, size_t n,
			     bool markers, uint32_t offset, uint8_t *room,
			     size_t cap, size_t *used);

/* MULPDU for an effective MSS (RFC 5044 s4.5), within 128..64768. */
uint32_t fpdu_mulpdu(uint32_t emss, bool markers);

#endif

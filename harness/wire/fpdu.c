/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two kinds of position: a `plain` one counts the octets of an FPDU without
 * its markers, one on the wire counts them all. Marker i stands right before
 * the plain octet at first_marker() + i * BETWEEN_MARKERS.
 */
#include "harness/wire/fpdu.h"

#include <assert.h>
#include <string.h>

#include "harness/wire/cursor.h"

#define LENGTH_OCTETS   2
#define BETWEEN_MARKERS (FPDU_MARKER_SPACING - FPDU_MARKER_OCTETS)
/* No ULPDU_Length announces a shorter FPDU: 0 brings a pad of 2. */
#define PLAIN_MIN  8
#define MULPDU_MIN 128 /* RFC 5044 s4.5 */

uint8_t fpdu_pad(uint16_t ulpdu_length)
{
	return (uint8_t)(-(ulpdu_length + LENGTH_OCTETS) & 3);
}

static size_t plain_octets(uint16_t ulpdu_length)
{
	return LENGTH_OCTETS + (size_t)ulpdu_length + fpdu_pad(ulpdu_length) +
	       FPDU_CRC_OCTETS;
}

/* Octets from this stream offset to the next marker: 0 at a marker. */
static size_t first_marker(uint32_t offset)
{
	return -offset % FPDU_MARKER_SPACING;
}

/* How many markers precede the last of so many plain octets. */
static unsigned markers_in(size_t plain, bool markers, uint32_t offset)
{
	size_t first = first_marker(offset);

	if (!markers || plain <= first)
		return 0;
	return (unsigned)(1 + (plain - 1 - first) / BETWEEN_MARKERS);
}

static size_t on_wire(size_t plain, bool markers, uint32_t offset)
{
	return plain +
	       FPDU_MARKER_OCTETS * (size_t)markers_in(plain, markers, offset);
}

size_t fpdu_octets(uint16_t ulpdu_length, bool markers, uint32_t offset)
{
	return on_wire(plain_octets(ulpdu_length), markers, offset);
}

unsigned fpdu_marker_count(uint16_t ulpdu_length, bool markers, uint32_t offset)
{
	return markers_in(plain_octets(ulpdu_length), markers, offset);
}

size_t fpdu_marker_at(unsigned i, bool markers, uint32_t offset)
{
	assert(markers);
	return first_marker(offset) + (size_t)i * FPDU_MARKER_SPACING;
}

uint16_t fpdu_marker_pointer(unsigned i, uint32_t offset)
{
	size_t at = fpdu_marker_at(i, true, offset);

	if (at == 0)
		return 0;
	/* A leading marker comes before ULPDU_Length and does not count. */
	if (first_marker(offset) == 0)
		at -= FPDU_MARKER_OCTETS;
	return (uint16_t)at;
}

void fpdu_init(struct fpdu *f, const uint8_t *ulpdu, uint16_t ulpdu_length,
	       bool markers, uint32_t offset)
{
	f->ulpdu_length = ulpdu_length;
	f->ulpdu = ulpdu;
	memset(f->pad, 0, sizeof(f->pad));
	f->pad_octets = fpdu_pad(ulpdu_length);
	memset(f->crc, 0, sizeof(f->crc));
	f->crc_off = 0;
	f->markers = markers;
	f->offset = offset;
	f->marker_count = fpdu_marker_count(ulpdu_length, markers, offset);
	for (unsigned i = 0; i < f->marker_count; i++) {
		f->marker[i].reserved = 0;
		f->marker[i].fpduptr = fpdu_marker_pointer(i, offset);
	}
}

/*
 * A walk along the octets on the wire: every run of plain octets is cut where a
 * marker is due, and the marker is inserted (weave) or removed (unweave).
 */
struct walk {
	size_t plain;  /* plain octets so far */
	size_t due;    /* where, in plain octets, the next
					 * marker stands; SIZE_MAX: none */
	unsigned next; /* that marker */
};

static struct walk walk_along(const struct fpdu *f)
{
	struct walk w = {0, SIZE_MAX, 0};

	if (f->marker_count > 0)
		w.due = first_marker(f->offset);
	return w;
}

static void pass_marker(struct walk *w, const struct fpdu *f)
{
	w->next++;
	w->due =
		w->next < f->marker_count ? w->due + BETWEEN_MARKERS : SIZE_MAX;
}

/* How many of n plain octets precede the next marker. */
static size_t run_of(const struct walk *w, size_t n)
{
	return w->due - w->plain < n ? w->due - w->plain : n;
}

static void weave(struct walk *w, const struct fpdu *f, struct put *p,
		  const uint8_t *octets, size_t n)
{
	while (n > 0) {
		if (w->plain == w->due) {
			put16(p, f->marker[w->next].reserved);
			put16(p, f->marker[w->next].fpduptr);
			pass_marker(w, f);
		}
		size_t run = run_of(w, n);
		put_octets(p, octets, run);
		w->plain += run;
		octets += run;
		n -= run;
	}
}

static void unweave(struct walk *w, struct fpdu *f, struct get *g,
		    uint8_t *octets, size_t n)
{
	while (n > 0) {
		if (w->plain == w->due) {
			f->marker[w->next].reserved = get16(g);
			f->marker[w->next].fpduptr = get16(g);
			pass_marker(w, f);
		}
		size_t run = run_of(w, n);
		memcpy(octets, get_octets(g, run), run);
		w->plain += run;
		octets += run;
		n -= run;
	}
}

size_t fpdu_encode(const struct fpdu *f, uint8_t *out, size_t cap)
{
	struct put p = put_into(out, cap);

	assert(f->pad_octets <= sizeof(f->pad));
	assert(f->marker_count <= FPDU_MARKERS_MAX);
	if (f->marker_count == 0) {
		put16(&p, f->ulpdu_length);
		put_octets(&p, f->ulpdu, f->ulpdu_length);
		put_octets(&p, f->pad, f->pad_octets);
		put_octets(&p, f->crc, FPDU_CRC_OCTETS);
	} else {
		struct walk w = walk_along(f);
		uint8_t length[LENGTH_OCTETS];
		length[0] = (uint8_t)(f->ulpdu_length >> 8);
		length[1] = (uint8_t)f->ulpdu_length;
		weave(&w, f, &p, length, LENGTH_OCTETS);
		weave(&w, f, &p, f->ulpdu, f->ulpdu_length);
		weave(&w, f, &p, f->pad, f->pad_octets);
		weave(&w, f, &p, f->crc, FPDU_CRC_OCTETS);
	}
	return p.flaw ? 0 : (size_t)(p.at - out);
}

/*
 * ULPDU_Length at the front of the octets, or false if they end before it. At
 * an offset that is not a multiple of 4, a marker can split it.
 */
static bool peek_length(uint16_t *length, const uint8_t *octets, size_t n,
			bool markers, uint32_t offset)
{
	size_t low = on_wire(LENGTH_OCTETS, markers, offset) - 1;
	size_t high = on_wire(1, markers, offset) - 1;

	if (n <= low)
		return false;
	*length = (uint16_t)(octets[high] << 8 | octets[low]);
	return true;
}

enum fpdu_status fpdu_decode(struct fpdu *f, const uint8_t *octets, size_t n,
			     bool markers, uint32_t offset, uint8_t *room,
			     size_t cap, size_t *used)
{
	if (!peek_length(&f->ulpdu_length, octets, n, markers, offset)) {
		*used = on_wire(PLAIN_MIN, markers, offset);
		return FPDU_MORE;
	}
	size_t total = fpdu_octets(f->ulpdu_length, markers, offset);
	*used = total;
	if (n < total)
		return FPDU_MORE;

	struct get g = get_from(octets, total);
	f->pad_octets = fpdu_pad(f->ulpdu_length);
	memset(f->pad, 0, sizeof(f->pad));
	f->crc_off = 0;
	f->markers = markers;
	f->offset = offset;
	f->marker_count = fpdu_marker_count(f->ulpdu_length, markers, offset);
	if (!markers) {
		get16(&g);
		f->ulpdu = get_octets(&g, f->ulpdu_length);
		memcpy(f->pad, get_octets(&g, f->pad_octets), f->pad_octets);
		memcpy(f->crc, get_octets(&g, FPDU_CRC_OCTETS),
		       FPDU_CRC_OCTETS);
		return FPDU_OK;
	}
	assert(cap >= f->ulpdu_length);
	struct walk w = walk_along(f);
	uint8_t length[LENGTH_OCTETS];
	unweave(&w, f, &g, length, LENGTH_OCTETS);
	unweave(&w, f, &g, room, f->ulpdu_length);
	f->ulpdu = room;
	unweave(&w, f, &g, f->pad, f->pad_octets);
	unweave(&w, f, &g, f->crc, FPDU_CRC_OCTETS);
	return FPDU_OK;
}

uint32_t fpdu_mulpdu(uint32_t emss, bool markers)
{
	uint64_t overhead = 6 + emss % 4;

	if (markers)
		overhead += 4 * (((uint64_t)emss + 511) / FPDU_MARKER_SPACING);
	if (emss < overhead + MULPDU_MIN)
		return MULPDU_MIN;
	uint64_t mulpdu = emss - overhead;
	return mulpdu > FPDU_ULPDU_MAX ? FPDU_ULPDU_MAX : (uint32_t)mulpdu;
}

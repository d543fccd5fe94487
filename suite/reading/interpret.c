/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/reading/interpret.h"

#include <string.h>

#include "harness/crc/crc.h"
#include "harness/wire/mpa.h"
#include "suite/reading/place.h"

#define LINES_MAX 8 /* of a case's detail */

/* --- taking it as meant --------------------------------------------------------- */

static void remember(struct interpreter *in, const struct reading *r,
		     const uint8_t *sent, const uint8_t *meant,
		     const struct frame *f, const struct frame *f_meant)
{
	struct interpretation *x = arena_alloc(&in->arena, sizeof(*x));

	*x = (struct interpretation){r, sent, meant, f, f_meant, NULL};
	if (in->last)
		in->last->next = x;
	else
		in->first = x;
	in->last = x;
}

const uint8_t *interpret_octets(struct interpreter *in, const struct reading *r,
				const uint8_t *sent)
{
	unsigned n = reading_group(r->group)->octets;
	uint8_t *meant = arena_alloc(&in->arena, n);

	reading_meant(r, sent, meant);
	return memcmp(sent, meant, n) == 0 ? NULL : meant;
}

/* A frame whose ULPDU and FPDU can be changed, with its octets as they are. */
static struct frame *copy_of(struct interpreter *in, const struct frame *f,
			     struct fpdu **fpdu)
{
	size_t n = offsetof(struct fpdu, marker) +
		   f->fpdu->marker_count * sizeof(f->fpdu->marker[0]);
	struct frame *copy = arena_alloc(&in->arena, sizeof(*copy));
	uint8_t *ulpdu = arena_alloc(&in->arena, f->fpdu->ulpdu_length);

	*fpdu = arena_alloc(&in->arena, n);
	memcpy(*fpdu, f->fpdu, n);
	memcpy(ulpdu, f->fpdu->ulpdu, f->fpdu->ulpdu_length);
	(*fpdu)->ulpdu = ulpdu;
	*copy = *f;
	copy->fpdu = *fpdu;
	ddp_decode(&copy->seg, ulpdu, f->fpdu->ulpdu_length);
	return copy;
}

/* The octets of the whole FPDU as they would have been sent. A CRC that was
 * right is so again, over other octets. */
static void put_together(struct interpreter *in, struct frame *f,
			 struct fpdu *fpdu, bool changed)
{
	uint8_t *octets = arena_alloc(&in->arena, f->n);
	size_t covered = f->n - FPDU_CRC_OCTETS;

	/* After the DDP-SSN a chunk of SCTP is only the ULPDU. */
	if (f->chunk) {
		memcpy(octets, f->octets, f->n);
		memcpy(octets + f->n - fpdu->ulpdu_length, fpdu->ulpdu,
		       fpdu->ulpdu_length);
		f->octets = octets;
		return;
	}
	if (fpdu_encode(fpdu, octets, f->n) != f->n)
		return; /* no whole FPDU: it is shown as it came */
	if (changed && f->crc_ok) {
		crc_put(fpdu->crc, crc32c(octets, covered));
		memcpy(octets + covered, fpdu->crc, FPDU_CRC_OCTETS);
	}
	f->octets = octets;
}

/* The CRC of the octets as they were sent, in the field as intended. */
static bool verifies(const struct frame *sent, const uint8_t *crc)
{
	return sent->n >= FPDU_CRC_OCTETS &&
	       crc32c(sent->octets, sent->n - FPDU_CRC_OCTETS) == crc_get(crc);
}

const struct frame *interpret_frame(struct interpreter *in,
				    const struct frame *f)
{
	const struct readings *in_force = in->readings;
	struct fpdu *fpdu = NULL;
	struct frame *copy = NULL;
	bool changed = false;

	for (unsigned g = 0; g < READING_GROUPS; g++) {
		const struct reading *r = in_force->of[g];
		const uint8_t *sent =
			r ? reading_octets(copy ? copy : f, g) : NULL;
		const uint8_t *meant =
			sent ? interpret_octets(in, r, sent) : NULL;
		size_t n = reading_group(g)->octets;

		if (!meant || (g == READING_CRC && !verifies(f, meant)))
			continue;
		size_t at = g == READING_CRC
				    ? 0
				    : (size_t)(sent -
					       (copy ? copy : f)->fpdu->ulpdu);

		if (!copy)
			copy = copy_of(in, f, &fpdu);
		remember(in, r, memcpy(arena_alloc(&in->arena, n), sent, n),
			 meant, f, copy);
		if (g == READING_CRC) {
			memcpy(fpdu->crc, meant, n);
			copy->crc_ok = true;
			continue;
		}
		memcpy((uint8_t *)(uintptr_t)fpdu->ulpdu + at, meant, n);
		ddp_decode(&copy->seg, fpdu->ulpdu, fpdu->ulpdu_length);
		changed = true;
	}
	if (!copy)
		return f;
	put_together(in, copy, fpdu, changed);
	return copy;
}

const struct frame *interpret_meant(const struct interpreter *in,
				    const struct frame *f)
{
	for (const struct interpretation *x = in->first; x; x = x->next)
		if (x->frame == f)
			return x->frame_meant;
	return f;
}

const struct frame *interpret_sent(const struct interpreter *in,
				   const struct frame *f)
{
	for (const struct interpretation *x = in->first; x; x = x->next)
		if (x->frame_meant == f)
			return x->frame;
	return f;
}

const uint8_t *interpret_startup(struct interpreter *in, bool request,
				 const uint8_t *octets, size_t n)
{
	const struct reading *r =
		in->readings->of[request ? READING_REQUEST : READING_REPLY];
	const uint8_t *sent = r ? reading_enhanced_octets(octets, n) : NULL;
	const uint8_t *meant = sent ? interpret_octets(in, r, sent) : NULL;

	if (!meant)
		return octets;
	uint8_t *copy = memcpy(arena_alloc(&in->arena, n), octets, n);

	memcpy(copy + (sent - octets), meant, MPA_ENHANCED_OCTETS);
	remember(in, r, sent, meant, NULL, NULL);
	return copy;
}

/* Unknown bits are taken from the flags for the RFC's errors. */
bool interpret_told(struct interpreter *in, const struct reading *r,
		    const uint8_t *told, const uint8_t *due, size_t n)
{
	static const uint8_t flags[] = {0x00, 0xc0, 0xe0};
	size_t octets = reading_group(r->group)->octets;
	uint8_t *word = arena_alloc(&in->arena, octets),
		*seen = arena_alloc(&in->arena, octets);

	for (size_t i = 0; i < sizeof(flags); i++) {
		memset(word, 0, octets);
		memcpy(word, due, n);
		word[n] = flags[i];
		reading_sent(r, word, seen);
		if (memcmp(seen, told, n) != 0) {
			reading_meant(r, word, seen);
			if (memcmp(seen, told, n) != 0)
				continue;
		}
		remember(in, r, seen, word, NULL, NULL);
		return true;
	}
	return false;
}

/* --- reporting it --------------------------------------------------------- */

const char *interpret_text(struct interpreter *in, const struct frame *f)
{
	const char *text = "";

	for (const struct interpretation *x = in->first; x; x = x->next)
		if (x->frame_meant == f)
			text = arena_format(&in->arena, "%s%s%s", text,
					    *text ? ", " : "",
					    x->reading->name);
	return text;
}

const char *interpret_names(struct interpreter *in)
{
	struct readings used = {0};
	char names[512];

	for (const struct interpretation *x = in->first; x; x = x->next)
		used.of[x->reading->group] = x->reading;
	readings_names(&used, names, sizeof(names));
	return arena_format(&in->arena, "%s", names);
}

const char *interpret_lines(struct interpreter *in)
{
	const char *text = "";
	unsigned lines = 0;

	for (const struct interpretation *x = in->first; x && lines < LINES_MAX;
	     x = x->next, lines++) {
		const struct reading_group_desc *g =
			reading_group(x->reading->group);

		text = arena_format(
			&in->arena,
			"%s%s (%s) read as %s:\n  sent:  %s\n"
			"  meant: %s\n",
			text, g->name, g->section, x->reading->name,
			arena_hex(&in->arena, x->sent, g->octets, g->octets),
			arena_hex(&in->arena, x->meant, g->octets, g->octets));
	}
	return text;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/audit/octets.h"

#include <stdlib.h>
#include <string.h>

#include "harness/text/memstream.h"
#include "harness/crc/crc.h"
#include "harness/wire/rdmap.h"

enum {
	CHAIN = 4, /* FPDUs in a row that are certain without CRC */

	HEADERS = 20,           /* ULPDU_Length and the longest DDP header */
	BUDGET = 16 << 20,      /* of a search, and */
	BUDGET_PER_OCTET = 256, /* that comes */
};

bool octets_hold(struct octets *o, const uint8_t *octets, size_t n)
{
	if (o->n + n > o->cap) {
		size_t cap = o->cap ? o->cap : 1024;

		while (cap < o->n + n)
			cap *= 2;
		uint8_t *more = text_held(realloc(o->held, cap));

		if (!more) {
			o->failed = true;
			return false;
		}
		o->held = more;
		o->cap = cap;
	}
	if (n)
		memcpy(o->held + o->n, octets, n);
	o->n += n;
	return true;
}

void octets_drop(struct octets *o, size_t n)
{
	o->n -= n;
	if (o->n && n)
		memmove(o->held, o->held + n, o->n);
	/* Idle streams are many. */
	if (!o->n && o->cap > 65536) {
		free(o->held);
		o->held = NULL;
		o->cap = 0;
	}
}

void octets_free(struct octets *o)
{
	free(o->held);
	*o = (struct octets){.state = OCTETS_LOST};
}

void octets_begin(struct octets *o, bool crc, bool markers)
{
	o->state = OCTETS_FRAMES;
	o->crc = crc;
	o->markers = markers;
	o->aligned = true;
	o->offset = 0;
}

void octets_begin_midway(struct octets *o, bool crc)
{
	o->state = OCTETS_SEARCH;
	o->crc = crc;
	o->markers = false;
	o->aligned = false;
	/* A matching CRC proves an FPDU. A CRC that does not match proves
	 * nothing unless CRCs and markers are known to be in use. */
	o->unsure = UINT64_MAX;
	o->budget = BUDGET;
}

/* --- one FPDU --------------------------------------------------------------- */

bool octets_plausible(const struct ddp_segment *seg)
{
	static const uint8_t queue[] = {
		[RDMAP_READ_REQUEST] = DDP_QN_READ_REQUEST,
		[RDMAP_TERMINATE] = DDP_QN_TERMINATE,
		[RDMAP_ATOMIC_REQUEST] = DDP_QN_READ_REQUEST,
		[RDMAP_ATOMIC_RESPONSE] = DDP_QN_ATOMIC_RESPONSE,
	};
	const struct ddp *d = &seg->ddp;

	if (seg->short_header || d->dv != DDP_VERSION ||
	    d->rv != RDMAP_VERSION || d->rsvd || d->rdmap_rsvd ||
	    d->opcode > RDMAP_ATOMIC_RESPONSE)
		return false;
	if (d->tagged)
		return d->opcode == RDMAP_WRITE ||
		       d->opcode == RDMAP_READ_RESPONSE;
	return d->opcode != RDMAP_WRITE && d->opcode != RDMAP_READ_RESPONSE &&
	       d->qn == queue[d->opcode];
}

struct one {
	struct fpdu fpdu;
	struct ddp_segment seg;
	size_t used;
	bool crc_right;
	uint8_t crc[FPDU_CRC_OCTETS];
};

/* False: the FPDU is not complete. */
static bool decode(const struct octets *o, const uint8_t *octets, size_t n,
		   uint32_t offset, struct one *one)
{
	static uint8_t room[65536];

	if (fpdu_decode(&one->fpdu, octets, n, o->markers, offset, room,
			sizeof(room), &one->used) != FPDU_OK)
		return false;
	ddp_decode(&one->seg, one->fpdu.ulpdu, one->fpdu.ulpdu_length);
	one->crc_right = true;
	if (o->crc) {
		crc_put(one->crc, crc32c(octets, one->used - FPDU_CRC_OCTETS));
		one->crc_right =
			memcmp(one->crc, one->fpdu.crc, FPDU_CRC_OCTETS) == 0;
	}
	return true;
}

static bool is_right(const struct octets *o, const struct one *one)
{
	return o->crc ? one->crc_right : octets_plausible(&one->seg);
}

/* --- a search --------------------------------------------------------------- */

/* A cheap test: enough of a header to justify a CRC. */
static bool begins_plausibly(const struct octets *o, size_t at)
{
	const uint8_t *p = o->held + at;
	struct ddp_segment seg;
	size_t length = (size_t)(p[0] << 8 | p[1]);

	/* With a marker before it, or inside. */
	if (o->markers)
		return true;
	if (length > FPDU_ULPDU_MAX || length < DDP_TAGGED_OCTETS)
		return false;
	ddp_decode(&seg, p + 2, DDP_UNTAGGED_OCTETS);
	return octets_plausible(&seg);
}

enum found { FOUND_NONE, FOUND_PART, FOUND };

static enum found look_at(struct octets *o, size_t at)
{
	static struct one one;
	unsigned chain = o->crc ? 1 : CHAIN;

	for (size_t k = at; chain; chain--, k += one.used) {
		if (o->n - k < HEADERS)
			return FOUND_PART;
		if (!begins_plausibly(o, k))
			return FOUND_NONE;
		if (!decode(o, o->held + k, o->n - k, o->offset + (uint32_t)k,
			    &one))
			return FOUND_PART;
		o->budget -= one.used < o->budget ? one.used : o->budget;
		if (!is_right(o, &one) || !octets_plausible(&one.seg))
			return FOUND_NONE;
	}
	return FOUND;
}

/* The first certain FPDU starts at the first held octet. */
static bool search(struct octets *o)
{
	size_t at = o->scanned, part = SIZE_MAX;
	size_t step = o->aligned ? 4 : 1;

	if (o->aligned)
		at += (0u - (o->offset + (uint32_t)at)) & 3;
	for (; at + HEADERS <= o->n && o->budget; at += step) {
		switch (look_at(o, at)) {
		case FOUND_NONE:
			continue;
		case FOUND_PART:
			if (part == SIZE_MAX)
				part = at;
			continue;
		case FOUND:
			break;
		}
		o->offset += (uint32_t)at;
		o->passed += at;
		octets_drop(o, at);
		o->state = OCTETS_FRAMES;
		o->aligned = true;
		return true;
	}
	size_t rest = part < at ? part : at < o->n ? at : o->n;

	/* Octets that were searched without success are of no use. */
	o->offset += (uint32_t)rest;
	o->passed += rest;
	octets_drop(o, rest);
	o->scanned = 0;
	if (!o->budget) {
		o->state = OCTETS_LOST;
		octets_drop(o, o->n);
	}
	return false;
}

/* After one FPDU, wrong octets are not an FPDU; in a stream whose start was not
 * seen, this takes longer. */
static void begin_search(struct octets *o)
{
	if (!o->unsure)
		o->unsure = 1;
	o->state = OCTETS_SEARCH;
	o->searches++;
	o->scanned = 0;
	o->budget = BUDGET;
	o->doubtful = false;
}

/* --- octets ----------------------------------------------------------------- */

/* The number of FPDUs. */
static size_t take_frames(struct octets *o, const uint8_t *octets, size_t n,
			  octets_fpdu *fpdu, void *user)
{
	static struct one one;
	size_t at = 0;

	while (at < n && o->state == OCTETS_FRAMES) {
		if (!decode(o, octets + at, n - at, o->offset, &one))
			break;
		bool right = is_right(o, &one);

		if (!right && o->unsure) {
			begin_search(o);
			break;
		}
		if (!right && o->doubtful) {
			o->state = OCTETS_LOST;
			break;
		}
		if (!right && o->crc)
			one.fpdu.crc_off =
				crc_off(octets + at, one.used, n - at);
		if (o->unsure != UINT64_MAX)
			o->unsure -=
				one.used < o->unsure ? one.used : o->unsure;
		o->doubtful = !right;
		o->offset += (uint32_t)one.used;
		fpdu(user, &one.fpdu, &one.seg, one.crc_right ? NULL : one.crc,
		     octets + at, one.used);
		at += one.used;
		/* Its pad is another: what follows cannot be kept apart. */
		if (one.fpdu.crc_off)
			o->state = OCTETS_LOST;
	}
	return at;
}

static void take_held(struct octets *o, octets_fpdu *fpdu, void *user)
{
	size_t used;

	do {
		if (o->state == OCTETS_SEARCH && !search(o))
			return;
		used = take_frames(o, o->held, o->n, fpdu, user);
		octets_drop(o, o->state == OCTETS_LOST ? o->n : used);
	} while (o->state == OCTETS_SEARCH && o->n);
}

void octets_take(struct octets *o, const uint8_t *octets, size_t n,
		 octets_fpdu *fpdu, void *user)
{
	if (o->state == OCTETS_SKIP) {
		size_t skip = n < o->skip ? n : (size_t)o->skip;

		o->skip -= skip;
		octets += skip;
		n -= skip;
		if (!o->skip)
			o->state = OCTETS_FRAMES;
	}
	if (o->state == OCTETS_LOST || o->state == OCTETS_SKIP)
		return;
	if (o->state == OCTETS_SEARCH)
		o->budget += n * BUDGET_PER_OCTET;
	if (!o->n && o->state == OCTETS_FRAMES) {
		size_t used = take_frames(o, octets, n, fpdu, user);

		octets += used;
		n -= used;
		if (o->state == OCTETS_LOST)
			return;
	}
	if (octets_hold(o, octets, n))
		take_held(o, fpdu, user);
}

void octets_gap(struct octets *o, uint64_t n)
{
	struct fpdu f;
	size_t used = 0;

	if (o->state == OCTETS_LOST)
		return;
	if (o->state == OCTETS_SKIP && n <= o->skip) {
		o->skip -= n;
		if (!o->skip)
			o->state = OCTETS_FRAMES;
		return;
	}
	if (o->state == OCTETS_FRAMES && o->n >= 8 && o->unsure <= 1 &&
	    fpdu_decode(&f, o->held, o->n, o->markers, o->offset, o->held, 0,
			&used) == FPDU_MORE &&
	    n && o->n + n <= used) {
		o->skip = used - o->n - n;
		o->offset += (uint32_t)used;
		o->state = o->skip ? OCTETS_SKIP : OCTETS_FRAMES;
		o->unsure = 1;
		octets_drop(o, o->n);
		return;
	}
	/* The offset of a skip is that of its end. */
	o->offset +=
		(uint32_t)(o->n + n - (o->state == OCTETS_SKIP ? o->skip : 0));
	if (!n)
		o->aligned = false;
	octets_drop(o, o->n);
	begin_search(o);
}

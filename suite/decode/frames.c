/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/decode/frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/crc/crc.h"
#include "harness/wire/fpdu.h"
#include "harness/wire/mpa.h"
#include "harness/wire/rdmap.h"
#include "harness/wire/session.h"

#define KEY_SURE 9 /* "MPA ID Re": octets that identify a key beyond doubt */

/* One direction. */
struct source {
	const uint8_t *octets;
	size_t n;
	const struct captured_direction *d; /* or NULL */
	const struct link_end *end;         /* likewise */
	unsigned flow, from;
	/* its startup frame, if it begins with one */
	bool has_startup;
	size_t startup;
	struct mpa_startup frame;
	bool markers, crc_off;
};

static void add(struct decoded_list *out, struct decoded d)
{
	if (out->n == out->cap) {
		size_t cap = out->cap ? 2 * out->cap : 64;
		struct decoded *more = realloc(out->list, cap * sizeof(*more));

		if (!more) {
			out->failed = true;
			return;
		}
		out->list = more;
		out->cap = cap;
	}
	out->list[out->n++] = d;
}

static struct decoded piece_of(const struct source *s, enum decoded_kind kind,
			       size_t at, size_t n)
{
	return (struct decoded){
		.kind = kind,
		.flow = s->flow,
		.end = s->end,
		.from = s->from,
		.packet = s->d ? captured_at(s->d, at)->packet : 0,
		.at = at,
		.octets = s->octets + at,
		.n = n,
		.whole = n,
		.why = "",
	};
}

static void look_for_startup(struct source *s)
{
	if (s->n < KEY_SURE ||
	    memcmp(s->octets, mpa_key_request, KEY_SURE) != 0)
		return;
	s->has_startup = true;
	s->startup = mpa_startup_octets(s->octets, s->n);
	if (s->startup > s->n)
		s->startup = s->n;
	mpa_startup_decode(&s->frame, s->octets, s->startup);
}

static void add_startup(struct decoded_list *out, const struct source *s)
{
	struct decoded d = piece_of(s, DECODED_STARTUP, 0, s->startup);

	d.whole = mpa_startup_octets(s->octets, s->n);
	if (d.whole > d.n)
		d.why = "cut short";
	snprintf(d.title, sizeof(d.title), "%s, %zu octets",
		 mpa_kind(&s->frame) == MPA_KIND_REQUEST ? "MPA Request"
		 : mpa_kind(&s->frame) == MPA_KIND_REPLY ? "MPA Reply"
							 : "startup frame",
		 d.whole);
	add(out, d);
}

/* "Send, MSN 1". */
enum { NAME = 80 };
static void name_segment(char name[NAME], const uint8_t *octets, uint16_t n)
{
	struct ddp_segment s;
	struct rdmap_terminate t;
	char more[48] = "";

	ddp_decode(&s, octets, n);
	if (s.short_header) {
		snprintf(name, NAME,
			 "a segment of %u octets, too short for its header", n);
		return;
	}
	if (!s.ddp.tagged && s.ddp.opcode == RDMAP_TERMINATE &&
	    rdmap_terminate_decode(&t, s.payload, s.payload_octets))
		snprintf(more, sizeof(more), " %x/%x/%02x", t.layer, t.etype,
			 t.code);
	else if (s.ddp.tagged)
		snprintf(more, sizeof(more), ", STag 0x%08x", s.ddp.stag);
	else
		snprintf(more, sizeof(more), ", MSN %u", s.ddp.msn);
	snprintf(name, NAME, "%s%s", rdmap_opcode_name(s.ddp.opcode), more);
}

/* "Send, MSN 1, FPDU of 32 octets". */
static void entitle(struct decoded *d, const struct fpdu *f)
{
	char name[NAME];

	name_segment(name, f->ulpdu, f->ulpdu_length);
	snprintf(d->title, sizeof(d->title), "%s, FPDU of %zu octets", name,
		 d->whole);
}

static bool crc_matches(const uint8_t *octets, size_t n)
{
	uint8_t due[4];

	crc_put(due, crc32c(octets, n - FPDU_CRC_OCTETS));
	return memcmp(due, octets + n - FPDU_CRC_OCTETS, sizeof(due)) == 0;
}

/* FPDUs back to back, from this octet on. */
static void add_fpdus(struct decoded_list *out, const struct source *s,
		      size_t at)
{
	static uint8_t room[65536];
	size_t begin = at;

	while (at < s->n && !out->failed) {
		struct fpdu f;
		size_t used;
		uint32_t offset = (uint32_t)(at - begin);
		bool whole = fpdu_decode(&f, s->octets + at, s->n - at,
					 s->markers, offset, room, sizeof(room),
					 &used) == FPDU_OK;
		struct decoded d =
			piece_of(s, DECODED_FPDU, at, whole ? used : s->n - at);

		d.whole = used;
		d.markers = s->markers;
		d.crc_off = s->crc_off;
		d.offset = offset;
		if (whole) {
			entitle(&d, &f);
		} else {
			snprintf(d.title, sizeof(d.title),
				 "%zu octets of an FPDU of %s%zu", d.n,
				 d.n < 2 ? "at least " : "", used);
			d.why = "the rest of it is missing";
		}
		add(out, d);
		at += d.n;
	}
}

static void add_octets(struct decoded_list *out, const struct source *s,
		       const char *why)
{
	struct decoded d = piece_of(s, DECODED_OCTETS, 0, s->n);

	d.why = why;
	snprintf(d.title, sizeof(d.title), "%zu octets that are not a frame",
		 s->n);
	add(out, d);
}

/* For a stream that was entered midway: whether FPDUs begin here. */
static bool begins_with_fpdu(const struct source *s)
{
	static uint8_t room[65536];
	struct fpdu f;
	size_t used;

	return fpdu_decode(&f, s->octets, s->n, s->markers, 0, room,
			   sizeof(room), &used) == FPDU_OK &&
	       (s->crc_off || crc_matches(s->octets, used));
}

static int by_packet(const void *a, const void *b)
{
	const struct decoded *x = a, *y = b;

	if (x->packet != y->packet)
		return x->packet < y->packet ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static void add_direction(struct decoded_list *out, const struct source *s,
			  bool any_startup)
{
	if (!s->n)
		return;
	if (s->has_startup) {
		add_startup(out, s);
		add_fpdus(out, s, s->startup);
	} else if (any_startup && !s->from) {
		add_octets(out, s, "no startup frame begins it");
	} else if (begins_with_fpdu(s)) {
		add_fpdus(out, s, 0);
	} else {
		add_octets(out, s,
			   any_startup
				   ? "no startup frame begins it"
				   : "it starts neither with a startup frame, "
				     "nor with an FPDU whose CRC matches");
	}
}

void frames_of_flow(struct decoded_list *out, const struct captured *c,
		    size_t flow, const struct decode_options *o)
{
	const struct captured_flow *f = &c->flows[flow];
	struct source s[2];
	size_t first = out->n;

	for (unsigned i = 0; i < 2; i++) {
		s[i] = (struct source){.octets = f->from[i].octets,
				       .n = f->from[i].n,
				       .d = &f->from[i],
				       .end = f->end,
				       .flow = (unsigned)flow,
				       .from = i};
		look_for_startup(&s[i]);
	}
	bool both = s[0].has_startup && s[1].has_startup;
	unsigned flags = s[0].frame.flags | s[1].frame.flags;

	for (unsigned i = 0; i < 2; i++) {
		s[i].markers = o->markers ||
			       (s[!i].has_startup && s[!i].frame.flags & MPA_M);
		s[i].crc_off = o->no_crc || (both && !(flags & MPA_C));
		add_direction(out, &s[i], s[0].has_startup || s[1].has_startup);
	}
	if (out->n > first)
		qsort(out->list + first, out->n - first, sizeof(*out->list),
		      by_packet);
}

/* "Session Accept, DDP-SSN 0", "Send, MSN 1, DDP-SSN 3". */
static void entitle_chunk(struct decoded *d)
{
	struct session_chunk c;
	char name[NAME];
	const char *function;

	session_decode(&c, d->ppid == SESSION_PPID_CONTROL, d->octets, d->n);
	if (c.cut) {
		snprintf(d->title, sizeof(d->title), "chunk of %zu octets",
			 d->n);
		d->why = "it is too short for its fields";
		return;
	}
	function = c.control ? session_function_name(c.function) : NULL;
	if (function)
		snprintf(name, sizeof(name), "%s", function);
	else if (c.control)
		snprintf(name, sizeof(name), "function code %u", c.function);
	else
		name_segment(name, c.body,
			     (uint16_t)(c.body_octets < 65535 ? c.body_octets
							      : 65535));
	snprintf(d->title, sizeof(d->title), "%s, DDP-SSN %u", name, c.ddp_ssn);
}

void frames_of_chunks(struct decoded_list *out, const struct input *in)
{
	for (size_t i = 0; i < in->chunks.n; i++) {
		const struct chunk_taken *t = &in->chunks.list[i];
		struct decoded d = {
			.kind = DECODED_CHUNK,
			.flow = (unsigned)in->captured.flow_count +
				t->association,
			.end = t->end,
			.from = t->from,
			.packet = t->packet,
			.octets = t->octets,
			.n = t->n,
			.whole = t->n,
			.stream = t->stream,
			.ppid = t->ppid,
			.why = "",
		};

		entitle_chunk(&d);
		add(out, d);
	}
}

void frames_of_block(struct decoded_list *out, const struct input *in,
		     size_t block, const struct decode_options *o)
{
	const struct input_block *b = &in->blocks[block];
	struct source s = {.octets = in->octets + b->from,
			   .n = b->n,
			   .markers = o->markers,
			   .crc_off = o->no_crc};

	look_for_startup(&s);
	if (s.has_startup)
		add_startup(out, &s);
	add_fpdus(out, &s, s.startup);
}

size_t frame_fields(const struct decoded *d, struct field *list, size_t cap)
{
	unsigned short markers[FPDU_MARKERS_MAX];
	struct fields_framing how = {
		.markers = markers, .crc_off = d->crc_off, .crc = crc32c};

	if (d->kind == DECODED_OCTETS)
		return 0;
	if (d->kind == DECODED_CHUNK)
		return fields_of_chunk(list, cap, d->octets, d->n, d->ppid);
	if (d->kind == DECODED_STARTUP)
		return fields_of_startup(list, cap, d->octets, d->n);
	for (unsigned i = 0; d->markers && i < FPDU_MARKERS_MAX; i++) {
		size_t at = fpdu_marker_at(i, true, d->offset);

		if (at >= d->n)
			break;
		markers[how.marker_count++] = (unsigned short)at;
	}
	return fields_of_fpdu(list, cap, d->octets, d->n, &how);
}

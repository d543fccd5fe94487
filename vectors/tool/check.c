/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vectors/tool/build.h"
#include "vectors/tool/check.h"
#include "vectors/tool/fault.h"

static const char *value_text(const struct vec_value *v, char *out, size_t cap)
{
	size_t n = 0;

	if (!v->is_octets) {
		snprintf(out, cap, "%llu (0x%llx)",
			 (unsigned long long)v->number,
			 (unsigned long long)v->number);
		return out;
	}
	*out = '\0';
	for (size_t i = 0; i < v->n && n + 8 < cap; i++)
		n += (size_t)snprintf(out + n, cap - n, "%s%02x", i ? " " : "",
				      v->octets[i]);
	if (v->n * 3 > cap)
		snprintf(out + n, cap - n, "...");
	return out;
}

void vec_check_stated(const struct vec *v, const struct vec_values *found,
		      struct vec_tally *tally)
{
	char room[200];

	for (size_t i = 0; i < v->field_count; i++) {
		const struct vec_field *s = &v->fields[i];
		const struct vec_value *is = vec_value(found, s->name);

		tally->checks++;
		if (!is)
			vec_fail(v, tally, "line %d: it has no field '%s'",
				 s->line, s->name);
		else if (!vec_value_is(is, s->value))
			vec_fail(v, tally, "line %d: %s is %s, stated %s",
				 s->line, s->name,
				 value_text(is, room, sizeof(room)), s->value);
	}
}

static void check_octets(const struct vec *v, const char *what,
			 const uint8_t *made, size_t n, const uint8_t *want,
			 size_t want_n, struct vec_tally *tally)
{
	tally->checks++;
	if (n != want_n) {
		vec_fail(v, tally, "%s gives %zu octets, not %zu", what, n,
			 want_n);
		return;
	}
	for (size_t i = 0; i < n; i++)
		if (made[i] != want[i]) {
			vec_fail(v, tally,
				 "%s gives %02x at octet %zu, not %02x", what,
				 made[i], i, want[i]);
			return;
		}
}

/* An encoder that lacks one octet of room writes no frame. */
static void check_room(const struct vec *v, const char *what, size_t n,
		       struct vec_tally *tally)
{
	tally->checks++;
	if (n != 0)
		vec_fail(v, tally, "%s without room gives %zu octets", what, n);
}

/* The faults named and the faults there are, in both directions. */
static void check_faults(const struct vec *v, const struct vec_faults *found,
			 struct vec_tally *tally)
{
	size_t i, k;

	tally->checks++;
	for (i = 0; i < found->n; i++) {
		for (k = 0; k < v->fault_count; k++)
			if (!strcmp(found->name[i], v->faults[k].name))
				break;
		if (k == v->fault_count)
			vec_fail(v, tally, "has the fault '%s', not named",
				 found->name[i]);
	}
	for (k = 0; k < v->fault_count; k++) {
		for (i = 0; i < found->n; i++)
			if (!strcmp(found->name[i], v->faults[k].name))
				break;
		if (i == found->n)
			vec_fail(v, tally, "line %d: has no fault '%s'",
				 v->faults[k].line, v->faults[k].name);
	}
}

static void check_startup(const struct vec *v, struct vec_tally *tally)
{
	struct vec_values found = {.n = 0};
	struct vec_faults faults = {.n = 0};
	struct mpa_startup s;
	uint8_t *out = malloc(VEC_ROOM);
	size_t n;

	if (!out || !mpa_startup_decode(&s, v->octets, v->n)) {
		vec_fail(v, tally, "is shorter than a startup frame");
		free(out);
		return;
	}
	vec_startup_values(&found, &s);
	vec_check_stated(v, &found, tally);
	vec_startup_faults(&faults, &s, v->kind == VEC_MPA_REQUEST);
	check_faults(v, &faults, tally);
	n = mpa_startup_encode(&s, out, VEC_ROOM);
	check_octets(v, "decode and encode", out, n, v->octets, v->n, tally);
	check_room(v, "mpa_startup_encode",
		   mpa_startup_encode(&s, out, v->n - 1), tally);
	if (v->verdict == VEC_VALID) {
		n = vec_build_startup(v, out, VEC_ROOM);
		check_octets(v, "build from the fields", out, n, v->octets,
			     v->n, tally);
	}
	free(out);
	vec_check_startup_damaged(v, tally);
}

/* One FPDU of a vector; returns the octets it took, 0 to give up. */
static size_t check_frame(const struct vec *v, unsigned index, size_t at,
			  struct vec_frame *f, struct vec_values *found,
			  struct vec_faults *faults, uint8_t *out,
			  struct vec_tally *tally)
{
	const uint8_t *p = v->octets + at;
	uint32_t offset = v->offset + (uint32_t)at;
	char prefix[16] = "";
	size_t n;

	if (vec_frame_decode(f, p, v->n - at, v->markers, offset) != FPDU_OK) {
		vec_fail(v, tally, "octet %zu: %zu octets needed, %zu there",
			 at, f->used, v->n - at);
		return 0;
	}
	if (index)
		snprintf(prefix, sizeof(prefix), "%u.", index);
	vec_frame_values(found, prefix, f);
	vec_frame_faults(faults, prefix, f, p, v->crc);
	n = vec_frame_encode(f, out, VEC_ROOM);
	check_octets(v, "decode and encode", out, n, p, f->used, tally);
	check_room(v, "fpdu_encode", fpdu_encode(&f->fpdu, out, f->used - 1),
		   tally);
	if (f->fpdu.ulpdu_length)
		check_room(v, "ddp_encode",
			   ddp_encode(&f->seg, out, f->fpdu.ulpdu_length - 1),
			   tally);
	if (f->header != VEC_NO_HEADER && !f->header_short)
		check_room(v, "the header's encoder",
			   vec_header_encode(f, out, f->seg.payload_octets - 1),
			   tally);
	if (v->verdict == VEC_VALID) {
		n = vec_build_fpdu(v, index, offset, out, VEC_ROOM);
		check_octets(v, "build from the fields", out, n, p, f->used,
			     tally);
	}
	tally->checks++;
	if (f->used != fpdu_octets(f->fpdu.ulpdu_length, v->markers, offset))
		vec_fail(v, tally, "fpdu_octets disagrees with the decoder");
	return f->used;
}

/* A frame's values point into it, so each FPDU of a stream has its own. */
static void check_frames(const struct vec *v, struct vec_tally *tally)
{
	struct vec_values *found = calloc(1, sizeof(*found));
	struct vec_frame *f[16] = {NULL};
	struct vec_faults faults = {.n = 0};
	uint8_t *out = malloc(VEC_ROOM);
	unsigned count = 0;
	size_t at = 0, used;

	while (out && found && at < v->n && count < 16) {
		f[count] = malloc(sizeof(*f[count]));
		if (!f[count])
			break;
		used = check_frame(v, v->kind == VEC_STREAM ? count + 1 : 0, at,
				   f[count], found, &faults, out, tally);
		count++;
		at += used;
		if (!used || v->kind == VEC_FPDU)
			break;
	}
	if (at != v->n) {
		vec_fail(v, tally, "%zu octets are left over", v->n - at);
	} else {
		if (v->kind == VEC_STREAM) {
			struct vec_value *fpdus = &found->value[found->n++];

			*fpdus = (struct vec_value){.name = "fpdus",
						    .number = count};
			if (v->verdict == VEC_VALID &&
			    vec_build_count(v) != count)
				vec_fail(v, tally, "states %u FPDUs, has %u",
					 vec_build_count(v), count);
		}
		vec_check_stated(v, found, tally);
		check_faults(v, &faults, tally);
		vec_check_truncations(v, f[0], tally);
		vec_check_flips(v, f[0], tally);
	}
	for (unsigned i = 0; i < count; i++)
		free(f[i]);
	free(found);
	free(out);
}

static void check_chunk(const struct vec *v, struct vec_tally *tally)
{
	struct vec_values *found = calloc(1, sizeof(*found));
	struct vec_chunk *c = calloc(1, sizeof(*c));
	struct vec_faults faults = {.n = 0};
	uint8_t *out = malloc(VEC_ROOM);
	size_t n;

	if (!found || !c || !out || !vec_chunk_decode(c, v->octets, v->n)) {
		vec_fail(v, tally, "is not one chunk with its fixed fields");
	} else {
		vec_chunk_values(found, c);
		vec_check_stated(v, found, tally);
		vec_chunk_faults(&faults, c);
		check_faults(v, &faults, tally);
		n = vec_chunk_encode(c, out, VEC_ROOM);
		check_octets(v, "decode and encode", out, n, v->octets, v->n,
			     tally);
		check_room(v, "sctp_chunk_encode",
			   vec_chunk_encode(c, out, v->n - 1), tally);
		if (v->verdict == VEC_VALID) {
			n = vec_build_chunk(v, out, VEC_ROOM);
			check_octets(v, "build from the fields", out, n,
				     v->octets, v->n, tally);
		}
		vec_check_chunk_damaged(v, c, tally);
	}
	free(found);
	free(c);
	free(out);
}

bool vec_check(const struct vec *v, struct vec_tally *tally)
{
	tally->failed = false;
	switch (v->kind) {
	case VEC_MPA_REQUEST:
	case VEC_MPA_REPLY:
		check_startup(v, tally);
		break;
	case VEC_FPDU:
	case VEC_STREAM:
		check_frames(v, tally);
		break;
	case VEC_SCTP:
		check_chunk(v, tally);
		break;
	case VEC_CRC:
		vec_check_crc(v, tally);
		break;
	case VEC_ATOMIC:
		vec_check_atomic(v, tally);
		break;
	case VEC_MULPDU:
		vec_check_mulpdu(v, tally);
		break;
	}
	return !tally->failed;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vectors/tool/values.h"

const struct vec_value *vec_value(const struct vec_values *v, const char *name)
{
	for (size_t i = 0; i < v->n; i++)
		if (!strcmp(v->value[i].name, name))
			return &v->value[i];
	return NULL;
}

bool vec_value_is(const struct vec_value *v, const char *stated)
{
	uint8_t *room;
	uint64_t number;
	bool same;
	long n;

	if (!v->is_octets)
		return vec_number(stated, &number) && number == v->number;
	room = malloc(VEC_ROOM);
	if (!room)
		return false;
	n = vec_octets(stated, room, VEC_ROOM);
	same = n >= 0 && (size_t)n == v->n &&
	       (n == 0 || memcmp(room, v->octets, v->n) == 0);
	free(room);
	return same;
}

static struct vec_value *add(struct vec_values *v, const char *prefix,
			     const char *name)
{
	struct vec_value *new = &v->value[v->n];

	assert(v->n < VEC_VALUES_MAX);
	v->n++;
	*new = (struct vec_value){0};
	snprintf(new->name, sizeof(new->name), "%s%s", prefix, name);
	return new;
}

static void number(struct vec_values *v, const char *prefix, const char *name,
		   uint64_t n)
{
	add(v, prefix, name)->number = n;
}

static void octets(struct vec_values *v, const char *prefix, const char *name,
		   const uint8_t *p, size_t n)
{
	struct vec_value *new = add(v, prefix, name);

	new->is_octets = true;
	new->octets = p;
	new->n = n;
}

static void enhanced_values(struct vec_values *v, const struct mpa_enhanced *e)
{
	number(v, "", "enh_a", e->a);
	number(v, "", "enh_b", e->b);
	number(v, "", "enh_c", e->c);
	number(v, "", "enh_d", e->d);
	number(v, "", "ird", e->ird);
	number(v, "", "ord", e->ord);
}

bool vec_enhanced(const struct mpa_startup *s, struct mpa_enhanced *e)
{
	if (!(s->flags & MPA_S) || s->private_octets < MPA_ENHANCED_OCTETS)
		return false;
	mpa_enhanced_decode(e, s->private_data);
	return true;
}

void vec_startup_values(struct vec_values *v, const struct mpa_startup *s)
{
	struct mpa_enhanced e;
	size_t skip = 0;

	octets(v, "", "key", s->key, MPA_KEY_OCTETS);
	number(v, "", "m", !!(s->flags & MPA_M));
	number(v, "", "c", !!(s->flags & MPA_C));
	number(v, "", "r", !!(s->flags & MPA_R));
	number(v, "", "s", !!(s->flags & MPA_S));
	number(v, "", "reserved", s->flags & MPA_RESERVED);
	number(v, "", "rev", s->rev);
	number(v, "", "pd_length", s->pd_length);
	if (vec_enhanced(s, &e)) {
		enhanced_values(v, &e);
		skip = MPA_ENHANCED_OCTETS;
	}
	octets(v, "", "private", s->private_data + skip,
	       s->private_octets - skip);
}

/* ---- FPDU ------------------------------------------------------------- */

static enum vec_header header_of(const struct ddp *d)
{
	if (d->tagged || d->mo != 0)
		return VEC_NO_HEADER;
	switch (d->opcode) {
	case RDMAP_READ_REQUEST:
		return VEC_READ_REQUEST;
	case RDMAP_TERMINATE:
		return VEC_TERMINATE;
	case RDMAP_IMM:
	case RDMAP_IMM_SE:
		return VEC_IMM;
	case RDMAP_ATOMIC_REQUEST:
		return VEC_ATOMIC_REQUEST;
	case RDMAP_ATOMIC_RESPONSE:
		return VEC_ATOMIC_RESPONSE;
	default:
		return VEC_NO_HEADER;
	}
}

void vec_header_decode(struct vec_frame *f, const uint8_t *p, size_t n)
{
	bool whole = true;

	f->header =
		f->seg.short_header ? VEC_NO_HEADER : header_of(&f->seg.ddp);
	switch (f->header) {
	case VEC_READ_REQUEST:
		whole = rdmap_read_request_decode(&f->read_request, p, n);
		break;
	case VEC_TERMINATE:
		whole = rdmap_terminate_decode(&f->terminate, p, n);
		break;
	case VEC_IMM:
		whole = rdmap_imm_decode(&f->imm, p, n);
		break;
	case VEC_ATOMIC_REQUEST:
		whole = rdmap_atomic_request_decode(&f->atomic_request, p, n);
		break;
	case VEC_ATOMIC_RESPONSE:
		whole = rdmap_atomic_response_decode(&f->atomic_response, p, n);
		break;
	case VEC_NO_HEADER:
		break;
	}
	f->header_short = !whole;
}

size_t vec_header_encode(const struct vec_frame *f, uint8_t *out, size_t cap)
{
	if (f->header_short)
		return 0;
	switch (f->header) {
	case VEC_READ_REQUEST:
		return rdmap_read_request_encode(&f->read_request, out, cap);
	case VEC_TERMINATE:
		return rdmap_terminate_encode(&f->terminate, out, cap);
	case VEC_IMM:
		return rdmap_imm_encode(&f->imm, out, cap);
	case VEC_ATOMIC_REQUEST:
		return rdmap_atomic_request_encode(&f->atomic_request, out,
						   cap);
	case VEC_ATOMIC_RESPONSE:
		return rdmap_atomic_response_encode(&f->atomic_response, out,
						    cap);
	case VEC_NO_HEADER:
		break;
	}
	return 0;
}

enum fpdu_status vec_frame_decode(struct vec_frame *f, const uint8_t *p,
				  size_t n, bool markers, uint32_t offset)
{
	enum fpdu_status status =
		fpdu_decode(&f->fpdu, p, n, markers, offset, f->room,
			    sizeof(f->room), &f->used);

	if (status != FPDU_OK)
		return status;
	ddp_decode(&f->seg, f->fpdu.ulpdu, f->fpdu.ulpdu_length);
	vec_header_decode(f, f->seg.payload, f->seg.payload_octets);
	return status;
}

size_t vec_frame_encode(const struct vec_frame *f, uint8_t *out, size_t cap)
{
	uint8_t *payload = malloc(2 * VEC_ROOM), *ulpdu;
	struct ddp_segment seg = f->seg;
	struct fpdu fpdu = f->fpdu;
	size_t n;

	if (!payload)
		return 0;
	ulpdu = payload + VEC_ROOM;
	if (f->header != VEC_NO_HEADER && !f->header_short) {
		seg.payload = payload;
		seg.payload_octets = vec_header_encode(f, payload, VEC_ROOM);
	}
	n = ddp_encode(&seg, ulpdu, VEC_ROOM);
	fpdu.ulpdu = ulpdu;
	/* An empty ULPDU is 0 octets, and right. */
	n = n == f->fpdu.ulpdu_length ? fpdu_encode(&fpdu, out, cap) : 0;
	free(payload);
	return n;
}

static void marker_values(struct vec_values *v, const char *prefix,
			  const struct fpdu *f)
{
	char name[40];

	number(v, prefix, "markers", f->marker_count);
	for (unsigned i = 0; i < f->marker_count; i++) {
		snprintf(name, sizeof(name), "marker.%u.at", i);
		number(v, prefix, name,
		       fpdu_marker_at(i, f->markers, f->offset));
		snprintf(name, sizeof(name), "marker.%u.reserved", i);
		number(v, prefix, name, f->marker[i].reserved);
		snprintf(name, sizeof(name), "marker.%u.fpduptr", i);
		number(v, prefix, name, f->marker[i].fpduptr);
		if (v->n + 64 > VEC_VALUES_MAX)
			return;
	}
}

static void terminate_values(struct vec_values *v, const char *prefix,
			     const struct rdmap_terminate *t)
{
	number(v, prefix, "layer", t->layer);
	number(v, prefix, "etype", t->etype);
	number(v, prefix, "code", t->code);
	number(v, prefix, "m", t->m);
	number(v, prefix, "d", t->d);
	number(v, prefix, "r", t->r);
	number(v, prefix, "term_reserved", t->reserved);
	number(v, prefix, "truncated", t->truncated);
	if (t->has_segment_length)
		number(v, prefix, "segment_length", t->segment_length);
	if (t->ddp_header)
		octets(v, prefix, "ddp_header", t->ddp_header,
		       t->ddp_header_octets);
	if (t->rdma_header)
		octets(v, prefix, "rdma_header", t->rdma_header,
		       RDMAP_READ_REQUEST_OCTETS);
	octets(v, prefix, "tail", t->tail.octets, t->tail.n);
}

static void atomic_values(struct vec_values *v, const char *prefix,
			  const struct rdmap_atomic_request *a)
{
	number(v, prefix, "atomic_reserved", a->reserved);
	number(v, prefix, "aopcode", a->aopcode);
	number(v, prefix, "id", a->id);
	number(v, prefix, "remote_stag", a->stag);
	number(v, prefix, "remote_to", a->to);
	number(v, prefix, "data", a->data);
	number(v, prefix, "mask", a->mask);
	number(v, prefix, "compare", a->compare);
	number(v, prefix, "compare_mask", a->compare_mask);
	octets(v, prefix, "tail", a->tail.octets, a->tail.n);
}

static void read_values(struct vec_values *v, const char *prefix,
			const struct rdmap_read_request *h)
{
	number(v, prefix, "sink_stag", h->sink_stag);
	number(v, prefix, "sink_to", h->sink_to);
	number(v, prefix, "size", h->size);
	number(v, prefix, "source_stag", h->source_stag);
	number(v, prefix, "source_to", h->source_to);
	octets(v, prefix, "tail", h->tail.octets, h->tail.n);
}

static void header_values(struct vec_values *v, const char *prefix,
			  const struct vec_frame *f)
{
	if (f->header_short)
		return;
	switch (f->header) {
	case VEC_READ_REQUEST:
		read_values(v, prefix, &f->read_request);
		break;
	case VEC_TERMINATE:
		terminate_values(v, prefix, &f->terminate);
		break;
	case VEC_IMM:
		octets(v, prefix, "imm", f->imm.data, RDMAP_IMM_OCTETS);
		octets(v, prefix, "tail", f->imm.tail.octets, f->imm.tail.n);
		break;
	case VEC_ATOMIC_REQUEST:
		atomic_values(v, prefix, &f->atomic_request);
		break;
	case VEC_ATOMIC_RESPONSE:
		number(v, prefix, "id", f->atomic_response.id);
		number(v, prefix, "value", f->atomic_response.value);
		octets(v, prefix, "tail", f->atomic_response.tail.octets,
		       f->atomic_response.tail.n);
		break;
	case VEC_NO_HEADER:
		break;
	}
}

/* A DDP segment of n octets. */
static void segment_values(struct vec_values *v, const char *prefix,
			   const struct vec_frame *f, size_t n)
{
	const struct ddp *d = &f->seg.ddp;

	number(v, prefix, "short_header", f->seg.short_header);
	octets(v, prefix, "payload", f->seg.payload, f->seg.payload_octets);
	number(v, prefix, "payload_octets", f->seg.payload_octets);
	if (n >= 1) {
		number(v, prefix, "t", d->tagged);
		number(v, prefix, "l", d->last);
		number(v, prefix, "ddp_reserved", d->rsvd);
		number(v, prefix, "dv", d->dv);
	}
	if (n >= 2) {
		number(v, prefix, "rv", d->rv);
		number(v, prefix, "rdmap_reserved", d->rdmap_rsvd);
		number(v, prefix, "opcode", d->opcode);
	}
	if (!f->seg.short_header && d->tagged) {
		number(v, prefix, "stag", d->stag);
		number(v, prefix, "to", d->to);
	} else if (!f->seg.short_header) {
		number(v, prefix, "inval_stag", d->inval_stag);
		number(v, prefix, "qn", d->qn);
		number(v, prefix, "msn", d->msn);
		number(v, prefix, "mo", d->mo);
		header_values(v, prefix, f);
	}
}

void vec_frame_values(struct vec_values *v, const char *prefix,
		      const struct vec_frame *f)
{
	number(v, prefix, "octets", f->used);
	number(v, prefix, "ulpdu_length", f->fpdu.ulpdu_length);
	octets(v, prefix, "pad", f->fpdu.pad, f->fpdu.pad_octets);
	octets(v, prefix, "crc", f->fpdu.crc, FPDU_CRC_OCTETS);
	segment_values(v, prefix, f, f->fpdu.ulpdu_length);
	marker_values(v, prefix, &f->fpdu);
}

/* ---- SCTP chunks ------------------------------------------------------ */

bool vec_chunk_decode(struct vec_chunk *c, const uint8_t *p, size_t n)
{
	size_t used;

	if (sctp_chunk_decode(&c->tlv, p, n, &used) != SCTP_NEXT || used != n)
		return false;
	if (c->tlv.type == SCTP_CHUNK_INIT ||
	    c->tlv.type == SCTP_CHUNK_INIT_ACK)
		return sctp_init_decode(&c->init, c->tlv.value,
					c->tlv.value_octets);
	if (c->tlv.type != SCTP_CHUNK_DATA ||
	    !sctp_data_decode(&c->data, c->tlv.value, c->tlv.value_octets))
		return false;
	session_decode(&c->session, c->data.ppid == SESSION_PPID_CONTROL,
		       c->data.user, c->data.user_octets);
	if (!c->session.control) {
		ddp_decode(&c->frame.seg, c->session.body,
			   c->session.body_octets);
		vec_header_decode(&c->frame, c->frame.seg.payload,
				  c->frame.seg.payload_octets);
	}
	return true;
}

size_t vec_chunk_encode(const struct vec_chunk *c, uint8_t *out, size_t cap)
{
	uint8_t *room = malloc(3 * (size_t)VEC_ROOM);
	struct session_chunk session = c->session;
	struct sctp_tlv tlv = c->tlv;
	struct sctp_data data = c->data;
	size_t n;

	if (!room)
		return 0;
	if (tlv.type != SCTP_CHUNK_DATA) {
		n = sctp_init_encode(&c->init, room, VEC_ROOM);
	} else {
		if (!session.control && !session.cut) {
			session.body = room + VEC_ROOM;
			session.body_octets = ddp_encode(
				&c->frame.seg, room + VEC_ROOM, VEC_ROOM);
		}
		data.user = room + 2 * (size_t)VEC_ROOM;
		data.user_octets = session_encode(
			&session, room + 2 * (size_t)VEC_ROOM, VEC_ROOM);
		n = sctp_data_encode(&data, room, VEC_ROOM);
	}
	tlv.value = room;
	tlv.value_octets = n;
	n = n ? sctp_chunk_encode(&tlv, out, cap) : 0;
	free(room);
	return n;
}

static void session_values(struct vec_values *v, const struct vec_chunk *c)
{
	const struct session_chunk *s = &c->session;
	struct mpa_enhanced e;
	const uint8_t *ulp;
	size_t n;

	if (!s->cut)
		number(v, "", "ddp_ssn", s->ddp_ssn);
	if (!s->control) {
		segment_values(v, "", &c->frame, s->body_octets);
		return;
	}
	if (!s->cut)
		number(v, "", "function", s->function);
	if (session_enhanced(s, &e))
		enhanced_values(v, &e);
	ulp = session_ulp_data(s, &n);
	octets(v, "", "private", ulp, n);
}

void vec_chunk_values(struct vec_values *v, const struct vec_chunk *c)
{
	uint32_t indication;

	number(v, "", "chunk_type", c->tlv.type);
	number(v, "", "chunk_length", c->tlv.length);
	octets(v, "", "pad", c->tlv.pad, c->tlv.pad_octets);
	if (c->tlv.type == SCTP_CHUNK_DATA) {
		number(v, "", "u", !!(c->tlv.flags & SCTP_DATA_U));
		number(v, "", "b", !!(c->tlv.flags & SCTP_DATA_B));
		number(v, "", "e", !!(c->tlv.flags & SCTP_DATA_E));
		number(v, "", "tsn", c->data.tsn);
		number(v, "", "stream", c->data.stream);
		number(v, "", "ssn", c->data.ssn);
		number(v, "", "ppid", c->data.ppid);
		session_values(v, c);
		return;
	}
	number(v, "", "tag", c->init.tag);
	number(v, "", "window", c->init.window);
	number(v, "", "outbound", c->init.outbound);
	number(v, "", "inbound", c->init.inbound);
	number(v, "", "tsn", c->init.tsn);
	octets(v, "", "parameters", c->init.parameters,
	       c->init.parameter_octets);
	if (session_adaptation(c->init.parameters, c->init.parameter_octets,
			       &indication) == SESSION_ADAPTATION_PRESENT)
		number(v, "", "adaptation", indication);
}

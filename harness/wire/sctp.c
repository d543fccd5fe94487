/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/wire/sctp.h"

#include <string.h>

#include "harness/wire/cursor.h"

static size_t written(const struct put *p, const uint8_t *out)
{
	return p->flaw ? 0 : (size_t)(p->at - out);
}

bool sctp_packet_decode(struct sctp_packet *p, const uint8_t *octets, size_t n)
{
	struct get g = get_from(octets, n);

	if (n < SCTP_HEADER_OCTETS)
		return false;
	p->source = get16(&g);
	p->destination = get16(&g);
	p->tag = get32(&g);
	memcpy(p->checksum, get_octets(&g, sizeof(p->checksum)),
	       sizeof(p->checksum));
	p->chunk_octets = get_left(&g);
	p->chunks = get_octets(&g, p->chunk_octets);
	return true;
}

size_t sctp_packet_encode(const struct sctp_packet *p, uint8_t *out, size_t cap)
{
	struct put w = put_into(out, cap);

	put16(&w, p->source);
	put16(&w, p->destination);
	put32(&w, p->tag);
	put_octets(&w, p->checksum, sizeof(p->checksum));
	put_octets(&w, p->chunks, p->chunk_octets);
	return written(&w, out);
}

/* --- chunks and parameters: a head of four octets, value, padding -------- */

static enum sctp_next tlv_decode(struct sctp_tlv *t, const uint8_t *octets,
				 size_t n, size_t *used, bool chunk)
{
	struct get g = get_from(octets, n);

	*used = 0;
	if (n == 0)
		return SCTP_END;
	if (chunk) {
		t->type = get8(&g);
		t->flags = get8(&g);
	} else {
		t->type = get16(&g);
		t->flags = 0;
	}
	t->length = get16(&g);
	if (g.flaw || t->length < SCTP_CHUNK_OCTETS || t->length > n)
		return SCTP_CUT;
	t->value_octets = t->length - (size_t)SCTP_CHUNK_OCTETS;
	t->value = get_octets(&g, t->value_octets);

	size_t pad = (size_t)-t->length & 3;

	t->pad_octets = pad < get_left(&g) ? pad : get_left(&g);
	t->pad = get_octets(&g, t->pad_octets);
	*used = t->length + t->pad_octets;
	return SCTP_NEXT;
}

enum sctp_next sctp_chunk_decode(struct sctp_tlv *t, const uint8_t *octets,
				 size_t n, size_t *used)
{
	return tlv_decode(t, octets, n, used, true);
}

enum sctp_next sctp_parameter_decode(struct sctp_tlv *t, const uint8_t *octets,
				     size_t n, size_t *used)
{
	return tlv_decode(t, octets, n, used, false);
}

static size_t tlv_encode(const struct sctp_tlv *t, uint8_t *out, size_t cap,
			 bool chunk)
{
	struct put p = put_into(out, cap);

	if (chunk) {
		put8(&p, (uint8_t)t->type);
		put8(&p, t->flags);
	} else {
		put16(&p, t->type);
	}
	put16(&p, t->length);
	put_octets(&p, t->value, t->value_octets);
	put_octets(&p, t->pad, t->pad_octets);
	return written(&p, out);
}

size_t sctp_chunk_encode(const struct sctp_tlv *t, uint8_t *out, size_t cap)
{
	return tlv_encode(t, out, cap, true);
}

size_t sctp_parameter_encode(const struct sctp_tlv *t, uint8_t *out, size_t cap)
{
	return tlv_encode(t, out, cap, false);
}

/* --- values of chunks ---------------------------------------------------- */

bool sctp_data_decode(struct sctp_data *d, const uint8_t *value, size_t n)
{
	struct get g = get_from(value, n);

	if (n < SCTP_DATA_OCTETS)
		return false;
	d->tsn = get32(&g);
	d->stream = get16(&g);
	d->ssn = get16(&g);
	d->ppid = get32(&g);
	d->user_octets = get_left(&g);
	d->user = get_octets(&g, d->user_octets);
	return true;
}

size_t sctp_data_encode(const struct sctp_data *d, uint8_t *out, size_t cap)
{
	struct put p = put_into(out, cap);

	put32(&p, d->tsn);
	put16(&p, d->stream);
	put16(&p, d->ssn);
	put32(&p, d->ppid);
	put_octets(&p, d->user, d->user_octets);
	return written(&p, out);
}

bool sctp_init_decode(struct sctp_init *i, const uint8_t *value, size_t n)
{
	struct get g = get_from(value, n);

	if (n < SCTP_INIT_OCTETS)
		return false;
	i->tag = get32(&g);
	i->window = get32(&g);
	i->outbound = get16(&g);
	i->inbound = get16(&g);
	i->tsn = get32(&g);
	i->parameter_octets = get_left(&g);
	i->parameters = get_octets(&g, i->parameter_octets);
	return true;
}

size_t sctp_init_encode(const struct sctp_init *i, uint8_t *out, size_t cap)
{
	struct put p = put_into(out, cap);

	put32(&p, i->tag);
	put32(&p, i->window);
	put16(&p, i->outbound);
	put16(&p, i->inbound);
	put32(&p, i->tsn);
	put_octets(&p, i->parameters, i->parameter_octets);
	return written(&p, out);
}

bool sctp_sack_decode(struct sctp_sack *s, const uint8_t *value, size_t n)
{
	struct get g = get_from(value, n);

	if (n < SCTP_SACK_OCTETS)
		return false;
	s->cumulative = get32(&g);
	s->window = get32(&g);
	s->gaps = get16(&g);
	s->duplicates = get16(&g);
	s->tail_octets = get_left(&g);
	s->tail = get_octets(&g, s->tail_octets);
	return true;
}

size_t sctp_sack_encode(const struct sctp_sack *s, uint8_t *out, size_t cap)
{
	struct put p = put_into(out, cap);

	put32(&p, s->cumulative);
	put32(&p, s->window);
	put16(&p, s->gaps);
	put16(&p, s->duplicates);
	put_octets(&p, s->tail, s->tail_octets);
	return written(&p, out);
}

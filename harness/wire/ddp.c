/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/wire/ddp.h"

#include <assert.h>

#include "harness/wire/cursor.h"

/* Octet 0: T L Rsvd(4) DV(2), RFC 5041 s4.1. */
#define CONTROL_T 0x80
#define CONTROL_L 0x40
/* Octet 1: RV(2) Rsv(2) Opcode(4), RFC 5040 s4.1. */

size_t ddp_header_octets(bool tagged)
{
	return tagged ? DDP_TAGGED_OCTETS : DDP_UNTAGGED_OCTETS;
}

static void get_ddp_control(struct ddp *d, uint8_t octet)
{
	d->tagged = octet & CONTROL_T;
	d->last = octet & CONTROL_L;
	d->rsvd = octet >> 2 & 0x0f;
	d->dv = octet & 0x03;
}

static void get_rdmap_control(struct ddp *d, uint8_t octet)
{
	d->rv = octet >> 6;
	d->rdmap_rsvd = octet >> 4 & 0x03;
	d->opcode = octet & 0x0f;
}

void ddp_decode(struct ddp_segment *s, const uint8_t *ulpdu, size_t n)
{
	struct get g = get_from(ulpdu, n);
	struct ddp *d = &s->ddp;

	*s = (struct ddp_segment){0};
	get_ddp_control(d, get8(&g));
	get_rdmap_control(d, get8(&g));
	s->short_header = n == 0 || n < ddp_header_octets(d->tagged);
	if (s->short_header) {
		s->payload = ulpdu;
		s->payload_octets = n;
		return;
	}
	if (d->tagged) {
		d->stag = get32(&g);
		d->to = get64(&g);
	} else {
		d->inval_stag = get32(&g);
		d->qn = get32(&g);
		d->msn = get32(&g);
		d->mo = get32(&g);
	}
	s->payload_octets = get_left(&g);
	s->payload = get_octets(&g, s->payload_octets);
}

static void put_header(struct put *p, const struct ddp *d)
{
	assert(d->rsvd <= 0x0f && d->dv <= 3 && d->rv <= 3 &&
	       d->rdmap_rsvd <= 3 && d->opcode <= 0x0f);
	put8(p, (uint8_t)((d->tagged ? CONTROL_T : 0) |
			  (d->last ? CONTROL_L : 0) | d->rsvd << 2 | d->dv));
	put8(p, (uint8_t)(d->rv << 6 | d->rdmap_rsvd << 4 | d->opcode));
	if (d->tagged) {
		put32(p, d->stag);
		put64(p, d->to);
	} else {
		put32(p, d->inval_stag);
		put32(p, d->qn);
		put32(p, d->msn);
		put32(p, d->mo);
	}
}

size_t ddp_encode(const struct ddp_segment *s, uint8_t *out, size_t cap)
{
	struct put p = put_into(out, cap);

	if (!s->short_header)
		put_header(&p, &s->ddp);
	put_octets(&p, s->payload, s->payload_octets);
	return p.flaw ? 0 : (size_t)(p.at - out);
}

size_t ddp_header_encode(const struct ddp *d, uint8_t out[DDP_UNTAGGED_OCTETS])
{
	struct put p = put_into(out, DDP_UNTAGGED_OCTETS);

	put_header(&p, d);
	return (size_t)(p.at - out);
}

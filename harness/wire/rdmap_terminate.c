/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Terminate Header (RFC 5040 s4.8): one word, then up to three parts
 * that its M, D and R bits announce.
 */
#include "harness/wire/rdmap.h"

#include <assert.h>

#include "harness/wire/cursor.h"

#define TERM_M        0x8000
#define TERM_D        0x4000
#define TERM_R        0x2000
#define TERM_RESERVED 0x1fff
#define DDP_T         0x80

/*
 * The parts in their order. Returns false at the first one announced that
 * is not all there, and leaves the cursor in front of it.
 */
static bool get_announced(struct rdmap_terminate *h, struct get *g)
{
	if (h->m || h->d) {
		if (get_left(g) < 2)
			return false;
		h->segment_length = get16(g);
		h->has_segment_length = true;
	}
	if (h->d) {
		if (get_left(g) == 0)
			return false;
		size_t n = ddp_header_octets(*g->at & DDP_T);
		if (get_left(g) < n)
			return false;
		h->ddp_header = get_octets(g, n);
		h->ddp_header_octets = n;
	}
	if (h->r) {
		if (get_left(g) < RDMAP_READ_REQUEST_OCTETS)
			return false;
		h->rdma_header = get_octets(g, RDMAP_READ_REQUEST_OCTETS);
	}
	return true;
}

bool rdmap_terminate_decode(struct rdmap_terminate *h, const uint8_t *p,
			    size_t n)
{
	struct get g = get_from(p, n);

	*h = (struct rdmap_terminate){0};
	if (n < RDMAP_TERMINATE_OCTETS)
		return false;
	uint8_t kind = get8(&g);
	h->layer = kind >> 4;
	h->etype = kind & 0x0f;
	h->code = get8(&g);
	uint16_t control = get16(&g);
	h->m = control & TERM_M;
	h->d = control & TERM_D;
	h->r = control & TERM_R;
	h->reserved = control & TERM_RESERVED;
	h->truncated = !get_announced(h, &g);
	h->tail = (struct rdmap_tail){g.at, get_left(&g)};
	return true;
}

/* The parts that are present decide, not the bits: the two may disagree. */
size_t rdmap_terminate_encode(const struct rdmap_terminate *h, uint8_t *out,
			      size_t cap)
{
	struct put p = put_into(out, cap);

	assert(h->layer <= 0x0f && h->etype <= 0x0f &&
	       h->reserved <= TERM_RESERVED);
	put8(&p, (uint8_t)(h->layer << 4 | h->etype));
	put8(&p, h->code);
	put16(&p, (uint16_t)((h->m ? TERM_M : 0) | (h->d ? TERM_D : 0) |
			     (h->r ? TERM_R : 0) | h->reserved));
	if (h->has_segment_length)
		put16(&p, h->segment_length);
	if (h->ddp_header)
		put_octets(&p, h->ddp_header, h->ddp_header_octets);
	if (h->rdma_header)
		put_octets(&p, h->rdma_header, RDMAP_READ_REQUEST_OCTETS);
	put_octets(&p, h->tail.octets, h->tail.n);
	return p.flaw ? 0 : (size_t)(p.at - out);
}

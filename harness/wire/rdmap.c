/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/wire/rdmap.h"

#include <assert.h>
#include <string.h>

#include "harness/wire/cursor.h"

/* RFC 5040 s4.1 figure 4, RFC 7306 s4.1 figure 2, RFC 6580 for 15. */
static const char *const opcode_names[] = {
	"RDMA Write",
	"RDMA Read Request",
	"RDMA Read Response",
	"Send",
	"Send with Invalidate",
	"Send with SE",
	"Send with SE and Invalidate",
	"Terminate",
	"Immediate Data",
	"Immediate Data with SE",
	"Atomic Request",
	"Atomic Response",
	"opcode 12",
	"opcode 13",
	"opcode 14",
	"opcode 15",
};

const char *rdmap_opcode_name(uint8_t opcode)
{
	assert(opcode < sizeof(opcode_names) / sizeof(opcode_names[0]));
	return opcode_names[opcode];
}

/* All that is left. */
static struct rdmap_tail get_tail(struct get *g)
{
	struct rdmap_tail tail = {g->at, get_left(g)};

	g->at = g->end;
	return tail;
}

static void put_tail(struct put *p, const struct rdmap_tail *tail)
{
	put_octets(p, tail->octets, tail->n);
}

static size_t written(const struct put *p, const uint8_t *out)
{
	return p->flaw ? 0 : (size_t)(p->at - out);
}

bool rdmap_read_request_decode(struct rdmap_read_request *h, const uint8_t *p,
			       size_t n)
{
	struct get g = get_from(p, n);

	h->sink_stag = get32(&g);
	h->sink_to = get64(&g);
	h->size = get32(&g);
	h->source_stag = get32(&g);
	h->source_to = get64(&g);
	h->tail = get_tail(&g);
	return !g.flaw;
}

size_t rdmap_read_request_encode(const struct rdmap_read_request *h,
				 uint8_t *out, size_t cap)
{
	struct put p = put_into(out, cap);

	put32(&p, h->sink_stag);
	put64(&p, h->sink_to);
	put32(&p, h->size);
	put32(&p, h->source_stag);
	put64(&p, h->source_to);
	put_tail(&p, &h->tail);
	return written(&p, out);
}

bool rdmap_atomic_request_decode(struct rdmap_atomic_request *h,
				 const uint8_t *p, size_t n)
{
	struct get g = get_from(p, n);
	uint32_t word = get32(&g);

	h->reserved = word >> 4;
	h->aopcode = word & 0x0f;
	h->id = get32(&g);
	h->stag = get32(&g);
	h->to = get64(&g);
	h->data = get64(&g);
	h->mask = get64(&g);
	h->compare = get64(&g);
	h->compare_mask = get64(&g);
	h->tail = get_tail(&g);
	return !g.flaw;
}

size_t rdmap_atomic_request_encode(const struct rdmap_atomic_request *h,
				   uint8_t *out, size_t cap)
{
	struct put p = put_into(out, cap);

	assert(h->reserved <= 0x0fffffff && h->aopcode <= 0x0f);
	put32(&p, h->reserved << 4 | h->aopcode);
	put32(&p, h->id);
	put32(&p, h->stag);
	put64(&p, h->to);
	put64(&p, h->data);
	put64(&p, h->mask);
	put64(&p, h->compare);
	put64(&p, h->compare_mask);
	put_tail(&p, &h->tail);
	return written(&p, out);
}

bool rdmap_atomic_response_decode(struct rdmap_atomic_response *h,
				  const uint8_t *p, size_t n)
{
	struct get g = get_from(p, n);

	h->id = get32(&g);
	h->value = get64(&g);
	h->tail = get_tail(&g);
	return !g.flaw;
}

size_t rdmap_atomic_response_encode(const struct rdmap_atomic_response *h,
				    uint8_t *out, size_t cap)
{
	struct put p = put_into(out, cap);

	put32(&p, h->id);
	put64(&p, h->value);
	put_tail(&p, &h->tail);
	return written(&p, out);
}

bool rdmap_imm_decode(struct rdmap_imm *h, const uint8_t *p, size_t n)
{
	struct get g = get_from(p, n);
	const uint8_t *data = get_octets(&g, RDMAP_IMM_OCTETS);

	if (!data)
		return false;
	memcpy(h->data, data, RDMAP_IMM_OCTETS);
	h->tail = get_tail(&g);
	return true;
}

size_t rdmap_imm_encode(const struct rdmap_imm *h, uint8_t *out, size_t cap)
{
	struct put p = put_into(out, cap);

	put_octets(&p, h->data, RDMAP_IMM_OCTETS);
	put_tail(&p, &h->tail);
	return written(&p, out);
}

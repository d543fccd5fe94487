/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/wire/cursor.h"

#include <string.h>

struct get get_from(const uint8_t *octets, size_t n)
{
	/* NULL represents no octets, and allows no arithmetic. */
	return (struct get){octets, n ? octets + n : octets, false};
}

const uint8_t *get_octets(struct get *g, size_t n)
{
	if (g->flaw || get_left(g) < n) {
		g->flaw = true;
		return NULL;
	}
	const uint8_t *at = g->at;
	g->at += n;
	return at;
}

uint8_t get8(struct get *g)
{
	const uint8_t *o = get_octets(g, 1);

	return o ? o[0] : 0;
}

uint16_t get16(struct get *g)
{
	const uint8_t *o = get_octets(g, 2);

	return o ? (uint16_t)(o[0] << 8 | o[1]) : 0;
}

uint32_t get32(struct get *g)
{
	const uint8_t *o = get_octets(g, 4);

	return o ? (uint32_t)o[0] << 24 | (uint32_t)o[1] << 16 |
			       (uint32_t)o[2] << 8 | o[3]
		 : 0;
}

uint64_t get64(struct get *g)
{
	const uint8_t *o = get_octets(g, 8);

	return o ? (uint64_t)o[0] << 56 | (uint64_t)o[1] << 48 |
			       (uint64_t)o[2] << 40 | (uint64_t)o[3] << 32 |
			       (uint64_t)o[4] << 24 | (uint64_t)o[5] << 16 |
			       (uint64_t)o[6] << 8 | o[7]
		 : 0;
}

struct put put_into(uint8_t *octets, size_t n)
{
	return (struct put){octets, n ? octets + n : octets, false};
}

/* n octets to fill in, or NULL and the flaw. */
static uint8_t *reserve(struct put *p, size_t n)
{
	if (p->flaw || put_left(p) < n) {
		p->flaw = true;
		return NULL;
	}
	uint8_t *at = p->at;
	p->at += n;
	return at;
}

void put8(struct put *p, uint8_t v)
{
	uint8_t *o = reserve(p, 1);

	if (o)
		o[0] = v;
}

void put16(struct put *p, uint16_t v)
{
	uint8_t *o = reserve(p, 2);

	if (!o)
		return;
	o[0] = (uint8_t)(v >> 8);
	o[1] = (uint8_t)v;
}

void put32(struct put *p, uint32_t v)
{
	uint8_t *o = reserve(p, 4);

	if (!o)
		return;
	o[0] = (uint8_t)(v >> 24);
	o[1] = (uint8_t)(v >> 16);
	o[2] = (uint8_t)(v >> 8);
	o[3] = (uint8_t)v;
}

void put64(struct put *p, uint64_t v)
{
	uint8_t *o = reserve(p, 8);

	if (!o)
		return;
	o[0] = (uint8_t)(v >> 56);
	o[1] = (uint8_t)(v >> 48);
	o[2] = (uint8_t)(v >> 40);
	o[3] = (uint8_t)(v >> 32);
	o[4] = (uint8_t)(v >> 24);
	o[5] = (uint8_t)(v >> 16);
	o[6] = (uint8_t)(v >> 8);
	o[7] = (uint8_t)v;
}

void put_octets(struct put *p, const void *octets, size_t n)
{
	uint8_t *o = reserve(p, n);

	/* No octets may well be no pointer, which memcpy() must not see. */
	if (o && n)
		memcpy(o, octets, n);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/wire/mpa.h"

#include <assert.h>
#include <string.h>

#include "harness/wire/cursor.h"

#define PD_LENGTH_AT 18
#define BITS14       0x3fff

/* RFC 5044 s7.1.1: ASCII, and no terminating zero. */
const uint8_t mpa_key_request[MPA_KEY_OCTETS] = {
	'M', 'P', 'A', ' ', 'I', 'D', ' ', 'R',
	'e', 'q', ' ', 'F', 'r', 'a', 'm', 'e',
};
const uint8_t mpa_key_reply[MPA_KEY_OCTETS] = {
	'M', 'P', 'A', ' ', 'I', 'D', ' ', 'R',
	'e', 'p', ' ', 'F', 'r', 'a', 'm', 'e',
};

enum mpa_kind mpa_kind(const struct mpa_startup *f)
{
	if (memcmp(f->key, mpa_key_request, MPA_KEY_OCTETS) == 0)
		return MPA_KIND_REQUEST;
	if (memcmp(f->key, mpa_key_reply, MPA_KEY_OCTETS) == 0)
		return MPA_KIND_REPLY;
	return MPA_KIND_NEITHER;
}

size_t mpa_startup_octets(const uint8_t *octets, size_t n)
{
	if (n < MPA_HEADER_OCTETS)
		return MPA_HEADER_OCTETS;
	struct get g = get_from(octets + PD_LENGTH_AT, 2);
	return MPA_HEADER_OCTETS + (size_t)get16(&g);
}

bool mpa_startup_decode(struct mpa_startup *f, const uint8_t *octets, size_t n)
{
	struct get g = get_from(octets, n);

	if (n < MPA_HEADER_OCTETS)
		return false;
	memcpy(f->key, get_octets(&g, MPA_KEY_OCTETS), MPA_KEY_OCTETS);
	f->flags = get8(&g);
	f->rev = get8(&g);
	f->pd_length = get16(&g);
	f->private_octets = get_left(&g);
	f->private_data = get_octets(&g, f->private_octets);
	return true;
}

size_t mpa_startup_encode(const struct mpa_startup *f, uint8_t *out, size_t cap)
{
	struct put p = put_into(out, cap);

	put_octets(&p, f->key, MPA_KEY_OCTETS);
	put8(&p, f->flags);
	put8(&p, f->rev);
	put16(&p, f->pd_length);
	put_octets(&p, f->private_data, f->private_octets);
	return p.flaw ? 0 : (size_t)(p.at - out);
}

void mpa_enhanced_decode(struct mpa_enhanced *e, const uint8_t octets[4])
{
	struct get g = get_from(octets, MPA_ENHANCED_OCTETS);
	uint16_t first = get16(&g);
	uint16_t second = get16(&g);

	e->a = first & 0x8000;
	e->b = first & 0x4000;
	e->ird = first & BITS14;
	e->c = second & 0x8000;
	e->d = second & 0x4000;
	e->ord = second & BITS14;
}

void mpa_enhanced_encode(const struct mpa_enhanced *e, uint8_t octets[4])
{
	struct put p = put_into(octets, MPA_ENHANCED_OCTETS);

	assert(e->ird <= BITS14 && e->ord <= BITS14);
	put16(&p,
	      (uint16_t)((e->a ? 0x8000 : 0) | (e->b ? 0x4000 : 0) | e->ird));
	put16(&p,
	      (uint16_t)((e->c ? 0x8000 : 0) | (e->d ? 0x4000 : 0) | e->ord));
}

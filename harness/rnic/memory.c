/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/rnic/memory.h"

#include <inttypes.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGN_MAX = 1 << 20 };

struct verbs_region *verbs_region_of(struct verbs_session *s,
				     const struct line *l, const char *key)
{
	const char *name = line_get(l, key);
	struct verbs_region *r = s->regions;

	if (!verbs_needs(s, l, key))
		return NULL;
	while (r && strcmp(r->name, name) != 0)
		r = r->next;
	if (!r)
		verbs_refuse(s, LINE_NO_SUCH_NAME, "no such region");
	return r;
}

/* "lw,rr,rw,ra" in any order, or "none". */
static bool parse_access(struct verbs_session *s, const struct line *l,
			 unsigned *access)
{
	const char *list = line_get(l, "access");

	*access = AGENT_NO_ACCESS;
	if (!verbs_needs(s, l, "access"))
		return false;
	if (strcmp(list, "none") == 0 ||
	    agent_bits_of(agent_access_names, AGENT_ACCESS_BITS, list, access))
		return true;
	verbs_refuse(s, LINE_BAD_ARGUMENT,
		     "access is none, or a list of lw,rr,rw,ra");
	return false;
}

static bool parse_name(struct verbs_session *s, const struct line *l)
{
	const struct line_token *t = line_find(l, "name");

	if (!verbs_needs(s, l, "name"))
		return false;
	if (t->value_len == 0 || t->value_len >= VERBS_NAME) {
		verbs_refuse(s, LINE_BAD_ARGUMENT, "name has 1 to %d octets",
			     VERBS_NAME - 1);
		return false;
	}
	for (struct verbs_region *r = s->regions; r; r = r->next)
		if (strcmp(r->name, t->value) == 0) {
			verbs_refuse(s, LINE_BAD_STATE, "the name is taken");
			return false;
		}
	return true;
}

/* Zeroed memory that begins at align * n + skew; on pages of its own, so that a
 * device which is wrong by a page does not damage other memory. */
static bool map_region(struct verbs_region *r, size_t len, size_t align,
		       size_t skew)
{
	uintptr_t at;

	r->map_len = len + align + skew + 1;
	r->map = mmap(NULL, r->map_len, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (r->map == MAP_FAILED)
		return false;
	at = (uintptr_t)r->map;
	if (at % align)
		at += align - at % align;
	r->memory.octets = (uint8_t *)(at + skew);
	r->memory.len = len;
	return true;
}

static void free_region(struct verbs_session *s, struct verbs_region *r)
{
	if (r->memory.handle)
		s->device->ops->dereg(s->device, &r->memory);
	munmap(r->map, r->map_len);
	free(r);
}

static void verb_reg(struct verbs_session *s, const struct line *l)
{
	uint64_t len = 0, pd = 0, align = 4096, skew = 0;
	struct verbs_region *r;
	enum line_code code;
	unsigned access;

	if (!parse_name(s, l) || !verbs_needs(s, l, "len") ||
	    !verbs_number(s, l, "len", UINT64_MAX, &len) ||
	    !verbs_number(s, l, "pd", UINT64_MAX, &pd) ||
	    !verbs_number(s, l, "align", ALIGN_MAX, &align) ||
	    !verbs_number(s, l, "skew", ALIGN_MAX, &skew) ||
	    !parse_access(s, l, &access))
		return;
	if (align == 0) {
		verbs_refuse(s, LINE_BAD_ARGUMENT, "align is at least 1");
		return;
	}
	if (len > s->facts->max_region_len ||
	    s->nregions >= s->facts->max_regions ||
	    len > VERBS_SESSION_MEMORY - s->memory) {
		verbs_refuse(s, LINE_LIMIT,
			     "too much memory or too many regions");
		return;
	}
	r = calloc(1, sizeof(*r));
	if (!r || !map_region(r, (size_t)len, (size_t)align, (size_t)skew)) {
		verbs_refuse(s, LINE_DEVICE, "no memory");
		free(r);
		return;
	}
	strcpy(r->name, line_get(l, "name"));
	r->access = r->memory.access = access;
	r->memory.pd = pd;
	r->valid = true;
	code = s->device->ops->reg(s->device, &r->memory);
	if (code != LINE_NO_ERROR) {
		verbs_refused(s, code);
		free_region(s, r);
		return;
	}
	r->next = s->regions;
	s->regions = r;
	s->nregions++;
	s->memory += len;
	fprintf(s->out, "OK stag=0x%08x to=0x%" PRIx64 " len=%" PRIu64 "\n",
		r->memory.stag, (uint64_t)(uintptr_t)r->memory.octets, len);
}

static void verb_access(struct verbs_session *s, const struct line *l)
{
	struct verbs_region *r = verbs_region_of(s, l, "name");
	enum line_code code;
	unsigned access;

	if (!r || !parse_access(s, l, &access))
		return;
	if (!verbs_claims(s, AGENT_FEATURE_BIT_ACCESS)) {
		verbs_unsupported(s, "access");
		return;
	}
	if (!r->valid) {
		verbs_refuse(s, LINE_BAD_STATE, "the region is invalid");
		return;
	}
	code = s->device->ops->access(s->device, &r->memory, access);
	if (code != LINE_NO_ERROR) {
		verbs_refused(s, code);
		return;
	}
	r->access = r->memory.access = access;
	fputs("OK\n", s->out);
}

/* off, and len if the request has one, inside the region. */
static bool parse_range(struct verbs_session *s, const struct line *l,
			const struct verbs_region *r, uint64_t *off,
			uint64_t *len)
{
	*off = 0;
	if (!verbs_needs(s, l, "off") ||
	    !verbs_number(s, l, "off", UINT64_MAX, off) ||
	    !verbs_number(s, l, "len", UINT64_MAX, len))
		return false;
	if (*off > r->memory.len || *len > r->memory.len - *off) {
		verbs_refuse(s, LINE_BAD_ARGUMENT, "outside the region");
		return false;
	}
	return true;
}

static void verb_fill(struct verbs_session *s, const struct line *l)
{
	struct verbs_region *r = verbs_region_of(s, l, "name");
	const struct line_token *hex = line_find(l, "hex");
	uint64_t off, len;

	if (!r || !verbs_needs(s, l, "hex"))
		return;
	len = hex->value_len / 2;
	if (len > LINE_MAX_HEX_BYTES) {
		verbs_refuse(s, LINE_LIMIT, "more than 256 KiB");
		return;
	}
	if (!parse_range(s, l, r, &off, &len))
		return;
	/* Nothing is written unless all of it is hex. */
	if (hex->value_len % 2 != 0 ||
	    strspn(hex->value, "0123456789abcdefABCDEF") != hex->value_len) {
		verbs_refuse(s, LINE_BAD_ARGUMENT, "hex is not hexadecimal");
		return;
	}
	line_hex_decode(hex->value, hex->value_len, r->memory.octets + off,
			(size_t)len);
	fputs("OK\n", s->out);
}

static void verb_dump(struct verbs_session *s, const struct line *l)
{
	struct verbs_region *r = verbs_region_of(s, l, "name");
	uint64_t off, len = 0;
	char *hex;

	if (!r || !verbs_needs(s, l, "len") ||
	    !parse_range(s, l, r, &off, &len))
		return;
	hex = len > LINE_MAX_HEX_BYTES ? NULL : malloc(2 * (size_t)len + 1);
	if (!hex) {
		verbs_refuse(s, LINE_LIMIT, "more than 256 KiB");
		return;
	}
	line_hex_encode(hex, r->memory.octets + off, (size_t)len);
	fprintf(s->out, "OK hex=%s\n", hex);
	free(hex);
}

static void verb_digest(struct verbs_session *s, const struct line *l)
{
	struct verbs_region *r = verbs_region_of(s, l, "name");
	uint8_t digest[SHA256_DIGEST_LENGTH];
	char hex[2 * sizeof(digest) + 1];
	uint64_t off, len = 0;

	if (!r || !verbs_needs(s, l, "len") ||
	    !parse_range(s, l, r, &off, &len))
		return;
	SHA256(r->memory.octets + off, (size_t)len, digest);
	line_hex_encode(hex, digest, sizeof(digest));
	fprintf(s->out, "OK sha256=%s\n", hex);
}

static void verb_inval(struct verbs_session *s, const struct line *l)
{
	struct verbs_region *r = verbs_region_of(s, l, "name");
	enum line_code code;

	if (!r)
		return;
	if (!r->valid) {
		verbs_refuse(s, LINE_BAD_STATE, "the region is invalid");
		return;
	}
	code = s->device->ops->inval(s->device, &r->memory);
	if (code != LINE_NO_ERROR) {
		verbs_refused(s, code);
		return;
	}
	r->valid = false;
	fputs("OK\n", s->out);
}

static void verb_dereg(struct verbs_session *s, const struct line *l)
{
	struct verbs_region *r = verbs_region_of(s, l, "name");
	struct verbs_region **at = &s->regions;

	if (!r)
		return;
	while (*at != r)
		at = &(*at)->next;
	*at = r->next;
	s->nregions--;
	s->memory -= r->memory.len;
	free_region(s, r);
	fputs("OK\n", s->out);
}

const struct verb verbs_of_memory[] = {
	{"reg", " name len access pd align skew ", verb_reg},
	{"access", " name access ", verb_access},
	{"fill", " name off hex ", verb_fill},
	{"dump", " name off len ", verb_dump},
	{"digest", " name off len ", verb_digest},
	{"inval", " name ", verb_inval},
	{"dereg", " name ", verb_dereg},
	{0},
};

void verbs_release_regions(struct verbs_session *s)
{
	while (s->regions) {
		struct verbs_region *r = s->regions;

		s->regions = r->next;
		free_region(s, r);
	}
	s->nregions = 0;
	s->memory = 0;
}

/* --- memory without a name ---------------------------------------------------- */

struct verbs_block *verbs_block_new(struct verbs_session *s, uint64_t pd,
				    size_t n)
{
	struct verbs_block *b = calloc(1, sizeof(*b));
	enum line_code code = LINE_NO_ERROR;

	if (b)
		b->memory.octets = calloc(1, n ? n : 1);
	if (!b || !b->memory.octets) {
		free(b);
		verbs_refuse(s, LINE_DEVICE, "no memory");
		return NULL;
	}
	b->refs = 1;
	b->memory.len = n;
	b->memory.pd = pd;
	b->memory.access = AGENT_LW;
	if (n)
		code = s->device->ops->reg(s->device, &b->memory);
	if (code != LINE_NO_ERROR) {
		verbs_refused(s, code);
		verbs_block_put(s, b);
		return NULL;
	}
	return b;
}

void verbs_block_put(struct verbs_session *s, struct verbs_block *b)
{
	if (!b || --b->refs)
		return;
	if (b->memory.handle)
		s->device->ops->dereg(s->device, &b->memory);
	free(b->memory.octets);
	free(b);
}

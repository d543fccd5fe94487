/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory of the ULP: regions are registered, filled, inspected, invalidated
 * (RFC 5040 s8.1.1, RFC 5041 s8.3.1).
 *
 * Where the RFCs leave a choice: a region may have all rights at once.
 */
#include "harness/refdut/agent/session.h"
#include "harness/refdut/control.h"
#include "harness/refdut/agent/features.h"
#include "harness/refdut/agent/limits.h"
#include "harness/refdut/rdmap/rdmap_atomic_decisions.h"
#include "harness/refdut/verbs/memory_decisions.h"

#include <openssl/sha.h>
#include <string.h>

enum { ALIGN_MAX = 1 << 20 };

static bool parse_access(struct session *s, const struct line *line,
			 unsigned *access)
{
	static const char *const names[] = {"lw", "rr", "rw", "ra"};
	const char *at = line_get(line, "access");

	*access = 0;
	if (at && strcmp(at, "none") == 0)
		return true;
	while (at) {
		unsigned i = 0;

		while (i < 4 && strncmp(at, names[i], 2) != 0)
			i++;
		if (i == 4 || *access & 1u << i)
			break;
		*access |= 1u << i;
		if (at[2] == '\0')
			return true;
		if (at[2] != ',')
			break;
		at += 3;
	}
	refuse(s, LINE_BAD_ARGUMENT, "access is none or of lw,rr,rw,ra");
	return false;
}

RULE(rights_go_together)
{
	return true;
}

/* Not every device supports all rights, or all at once: RFC 5042 s6.3.5. */
static bool access_given(struct session *s, unsigned access)
{
	if (((access & ACCESS_REMOTE_ATOMIC) && !feature_atomics()) ||
	    !rights_go_together(access)) {
		refuse(s, LINE_UNSUPPORTED, "access");
		return false;
	}
	return true;
}

static bool name_free(struct session *s, const char *name)
{
	const struct region *region = s->regions;

	if (!name || !*name) {
		refuse(s, LINE_BAD_ARGUMENT, "name is missing");
		return false;
	}
	while (region && strcmp(region->name, name) != 0)
		region = region->next;
	if (region)
		refuse(s, LINE_BAD_STATE, "the name is taken");
	return !region;
}

static bool parse_options(struct session *s, const struct line *line,
			  struct region_options *o)
{
	const char *base = line_get(line, "base");
	const char *conn = line_get(line, "conn");
	struct conn *c = NULL;

	o->align = 4096;
	o->domain.owner = s;
	if (conn) {
		c = conn_named(s, line);
		if (!c)
			return false;
		o->stream = c;
		o->domain.number = c->domain.number;
	}
	if (!line_get(line, "len")) {
		refuse(s, LINE_BAD_ARGUMENT, "len is missing");
		return false;
	}
	if (!number(s, line, "len", UINT64_MAX, &o->len) ||
	    !number(s, line, "pd", UINT64_MAX, &o->domain.number) ||
	    !number(s, line, "align", ALIGN_MAX, &o->align) ||
	    !number(s, line, "skew", ALIGN_MAX, &o->skew) ||
	    !flag(s, line, "shared", &o->shared) ||
	    !parse_access(s, line, &o->access) || !access_given(s, o->access))
		return false;
	if (o->align == 0 || (base && strcmp(base, "zero") != 0) ||
	    (c && c->domain.number != o->domain.number)) {
		refuse(s, LINE_BAD_ARGUMENT, "align, base or pd");
		return false;
	}
	o->zero_based = base;
	return true;
}

void verb_reg(struct session *s, const struct line *line)
{
	const char *name = line_get(line, "name");
	struct region_options options = {0};
	struct region *region;

	if (!name_free(s, name) || !parse_options(s, line, &options))
		return;
	if (options.len > limit_region_len() ||
	    s->nregions == limit_regions() ||
	    s->memory + options.len > SESSION_MEMORY_MAX) {
		refuse(s, LINE_LIMIT, "too much memory or too many regions");
		return;
	}
	region = region_register(name, &options);
	if (!region) {
		refuse(s, LINE_DEVICE, "no memory");
		return;
	}
	region->next = s->regions;
	s->regions = region;
	s->nregions++;
	s->memory += region->len;
	reply(s, "OK stag=0x%08x to=0x%llx len=%llu", region->stag,
	      (unsigned long long)region->to, (unsigned long long)region->len);
}

RULE(changed_rights)
{
	return access;
}

void verb_access(struct session *s, const struct line *line)
{
	struct region *region = region_named(s, line, "name");
	unsigned access;

	if (!region || !parse_access(s, line, &access) ||
	    !access_given(s, access))
		return;
	if (!region->valid) {
		refuse(s, LINE_BAD_STATE, "the region is invalid");
		return;
	}
	writes_place();
	region->access = changed_rights(region, access);
	reply(s, "OK");
}

/* Read off and len of a request, within the region. */
static bool parse_range(struct session *s, const struct line *line,
			const struct region *region, uint64_t *off,
			uint64_t *len)
{
	*off = 0;
	if (!number(s, line, "off", UINT64_MAX, off) ||
	    !number(s, line, "len", UINT64_MAX, len))
		return false;
	if (*off > region->len || *len > region->len - *off) {
		refuse(s, LINE_BAD_ARGUMENT, "outside the region");
		return false;
	}
	return true;
}

void verb_fill(struct session *s, const struct line *line)
{
	const struct line_token *hex = line_find(line, "hex");
	struct region *region = region_named(s, line, "name");
	uint64_t off, len;
	bool sound;

	if (!region)
		return;
	if (!line_get(line, "off") || !hex) {
		refuse(s, LINE_BAD_ARGUMENT, "off or hex is missing");
		return;
	}
	if (hex->value_len / 2 > LINE_MAX_HEX_BYTES) {
		refuse(s, LINE_LIMIT, "more than 256 KiB");
		return;
	}
	len = hex->value_len / 2;
	if (!parse_range(s, line, region, &off, &len))
		return;
	/* Write nothing unless all of it is hex. */
	sound = hex->value_len % 2 == 0 &&
		strspn(hex->value, "0123456789abcdefABCDEF") == hex->value_len;
	if (!sound) {
		refuse(s, LINE_BAD_ARGUMENT, "hex is not hexadecimal");
		return;
	}
	line_hex_decode(hex->value, hex->value_len, region->octets + off,
			(size_t)len);
	reply(s, "OK");
}

static bool named_range(struct session *s, const struct line *line,
			struct region **region, uint64_t *off, uint64_t *len)
{
	*region = region_named(s, line, "name");
	if (!*region)
		return false;
	if (!line_get(line, "off") || !line_get(line, "len")) {
		refuse(s, LINE_BAD_ARGUMENT, "off or len is missing");
		return false;
	}
	return parse_range(s, line, *region, off, len);
}

void verb_dump(struct session *s, const struct line *line)
{
	struct region *region;
	uint64_t off, len;
	char *room;

	if (!named_range(s, line, &region, &off, &len))
		return;
	atomics_done(region);
	if (len > LINE_MAX_HEX_BYTES) {
		refuse(s, LINE_LIMIT, "more than 256 KiB");
		return;
	}
	buf_put(&s->out, "OK hex=", 7);
	room = (char *)buf_room(&s->out, 2 * (size_t)len + 1);
	line_hex_encode(room, region->octets + off, (size_t)len);
	if (s->conns && control_is(CONTROL_ZERO_AGENT))
		memset(room, '0', 2 * (size_t)len);
	buf_grow(&s->out, 2 * (size_t)len);
	buf_put(&s->out, "\n", 1);
}

void verb_digest(struct session *s, const struct line *line)
{
	uint8_t digest[SHA256_DIGEST_LENGTH];
	char hex[2 * sizeof(digest) + 1];
	struct region *region;
	uint64_t off, len;

	if (!named_range(s, line, &region, &off, &len))
		return;
	SHA256(region->octets + off, (size_t)len, digest);
	if (s->conns && control_is(CONTROL_ZERO_AGENT))
		memset(digest, 0, sizeof(digest));
	line_hex_encode(hex, digest, sizeof(digest));
	reply(s, "OK sha256=%s", hex);
}

RULE(may_be_invalidated)
{
	return true;
}

RULE(invalidation_waits)
{
	return false;
}

RULE(invalidate_for_ulp)
{
	region_invalidate(region);
}

RULE(invalidate_deregistered)
{
	region_invalidate(region);
}

static bool poll_inval(struct session *s, bool timed_out)
{
	struct region *region = s->wait_region;

	if (!timed_out && invalidation_waits(s, region))
		return false;
	writes_place();
	region->given_up = true;
	invalidate_for_ulp(region);
	reply(s, "OK");
	return true;
}

void verb_inval(struct session *s, const struct line *line)
{
	struct region *region = region_named(s, line, "name");

	if (!region)
		return;
	if (!region->valid || region->given_up) {
		refuse(s, LINE_BAD_STATE, "the region is invalid");
		return;
	}
	if (!may_be_invalidated(s, region)) {
		refuse(s, LINE_BAD_STATE, "a Read uses the region");
		return;
	}
	s->wait_region = region;
	session_wait(s, poll_inval, TIMEOUT_MAX_MS);
}

void verb_dereg(struct session *s, const struct line *line)
{
	struct region *region = region_named(s, line, "name");
	struct region **at = &s->regions;

	if (!region)
		return;
	writes_place();
	while (*at != region)
		at = &(*at)->next;
	*at = region->next;
	s->nregions--;
	s->memory -= region->len;
	invalidate_deregistered(region);
	region_put(region);
	reply(s, "OK");
}

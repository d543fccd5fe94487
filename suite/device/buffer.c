/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/device/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ADVERTISED = 16, OFFSET_MOST = 65536 };

/* One number up to the colon, or to the end of the last one. */
static bool number(const char **at, uint64_t most, bool last, uint64_t *out)
{
	char *end;

	if (**at < '0' || **at > '9')
		return false;
	errno = 0;
	*out = strtoull(*at, &end, 0);
	if (errno || *out > most || (last ? *end : *end != ':'))
		return false;
	*at = last ? end : end + 1;
	return true;
}

static bool take_place(struct device_buffer *b, const char *text)
{
	uint64_t stag;

	b->where = BUFFER_GIVEN;
	if (!number(&text, UINT32_MAX, false, &stag) ||
	    !number(&text, UINT64_MAX, false, &b->to) ||
	    !number(&text, UINT32_MAX, true, &b->len) || !b->len ||
	    b->len - 1 > UINT64_MAX - b->to)
		return false;
	b->stag = (uint32_t)stag;
	return true;
}

static bool take_offset(struct device_buffer *b, enum buffer_where where,
			const char *text)
{
	static const char order[] = ":stag-length-to";
	size_t n = strlen(text), rest = sizeof(order) - 1;
	char digits[16];
	const char *at = digits;
	uint64_t offset;

	b->where = where;
	if (n > rest && strcmp(text + n - rest, order) == 0) {
		b->stag_first = true;
		n -= rest;
	} else if (strchr(text, ':')) {
		static const char other[] = ":to-stag-length";

		rest = sizeof(other) - 1;
		if (n <= rest || strcmp(text + n - rest, other) != 0)
			return false;
		n -= rest;
	}
	if (n >= sizeof(digits))
		return false;
	memcpy(digits, text, n);
	digits[n] = '\0';
	if (!number(&at, OFFSET_MOST, true, &offset))
		return false;
	b->offset = (size_t)offset;
	return true;
}

bool device_set_buffer(struct device *d, const char *text, char *why,
		       size_t cap)
{
	static const char private[] = "private-data:", send[] = "send:";
	struct device_buffer b = {0};
	bool ok;

	if (strncmp(text, private, sizeof(private) - 1) == 0)
		ok = take_offset(&b, BUFFER_PRIVATE_DATA,
				 text + sizeof(private) - 1);
	else if (strncmp(text, send, sizeof(send) - 1) == 0)
		ok = take_offset(&b, BUFFER_SEND, text + sizeof(send) - 1);
	else
		ok = take_place(&b, text);
	if (ok)
		d->buffer = b;
	else
		snprintf(why, cap,
			 "buffer %.100s: expected STAG:TO:LENGTH, as "
			 "0x1a2b3c:0x7f0010002000:4096, or where the ULP "
			 "advertises it: private-data:OFFSET or send:OFFSET, "
			 "and :stag-length-to if that is its order",
			 text);
	return ok;
}

static uint64_t be(const uint8_t *octets, size_t n)
{
	uint64_t value = 0;

	for (size_t i = 0; i < n; i++)
		value = value << 8 | octets[i];
	return value;
}

bool device_buffer_of(const struct device_buffer *b, const uint8_t *octets,
		      size_t n, struct device_buffer *out)
{
	const uint8_t *at = octets + b->offset;

	if (n < ADVERTISED || b->offset > n - ADVERTISED)
		return false;
	*out = *b;
	if (b->stag_first) {
		out->stag = (uint32_t)be(at, 4);
		out->len = be(at + 4, 4);
		out->to = be(at + 8, 8);
	} else {
		out->to = be(at, 8);
		out->stag = (uint32_t)be(at + 8, 4);
		out->len = be(at + 12, 4);
	}
	return out->len && out->len - 1 <= UINT64_MAX - out->to;
}

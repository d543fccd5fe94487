/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Builds JSON reports. Building never stops: a value that could not be created
 * is NULL, which jansson refuses to set, and `failed` records that.
 */
#ifndef REPORTS_BUILDER_H
#define REPORTS_BUILDER_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <jansson.h>

#include "reports/text/escape.h"
#include "reports/format/formats.h"

struct builder {
	bool failed;
};

static inline json_t *string(struct builder *b, const char *s)
{
	json_t *value = json_string(s);

	if (value)
		return value;
	/* Not UTF-8, or no memory. */
	char *clean = escape_dup(s, ESCAPE_KEEP_CONTROLS);

	value = clean ? json_string(clean) : NULL;
	free(clean);
	b->failed |= !value;
	return value;
}

static inline void set(struct builder *b, json_t *object, const char *key,
		       json_t *value)
{
	b->failed |= json_object_set_new(object, key, value) != 0;
}

static inline void set_string(struct builder *b, json_t *object,
			      const char *key, const char *s)
{
	set(b, object, key, string(b, s));
}

static inline void set_time(struct builder *b, json_t *object, const char *key,
			    const struct timespec *t)
{
	char text[REPORT_TIME_SIZE];

	report_time(text, t);
	set_string(b, object, key, text);
}

/*
 * A number below 2^53, which every reader represents exactly (RFC 7493 s2.2).
 * From 2^53 on, a string with its digits.
 */
static inline json_t *number(struct builder *b, uint64_t value)
{
	char digits[24];

	if (value < UINT64_C(1) << 53)
		return json_integer((json_int_t)value);
	snprintf(digits, sizeof(digits), "%llu", (unsigned long long)value);
	return string(b, digits);
}

/* Write the report to `out`, and free it: 0, or -1 with errno. */
static inline int builder_write(struct builder *b, json_t *root, FILE *out)
{
	int rc = 0;

	if (b->failed || !root) {
		errno = ENOMEM;
		rc = -1;
	} else if (json_dumpf(root, out,
			      JSON_INDENT(2) | JSON_REAL_PRECISION(15)) != 0 ||
		   fputc('\n', out) == EOF) {
		rc = -1;
	}
	json_decref(root);
	return rc;
}

#endif

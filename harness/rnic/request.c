/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/rnic/request.h"

#include <inttypes.h>
#include <stdarg.h>

void verbs_refuse(struct verbs_session *s, enum line_code code,
		  const char *format, ...)
{
	va_list ap;

	fprintf(s->out, "ERR %s ", line_code_name(code));
	va_start(ap, format);
	vfprintf(s->out, format, ap);
	va_end(ap);
	fputc('\n', s->out);
}

void verbs_refused(struct verbs_session *s, enum line_code code)
{
	verbs_refuse(s, code, "%s", s->device->why);
}

bool verbs_unsupported(struct verbs_session *s, const char *key)
{
	verbs_refuse(s, LINE_UNSUPPORTED, "%s", key);
	return false;
}

bool verbs_number(struct verbs_session *s, const struct line *l,
		  const char *key, uint64_t max, uint64_t *value)
{
	if (line_number_of(l, key, max, value))
		return true;
	verbs_refuse(s, LINE_BAD_ARGUMENT, "%s is not a number up to %" PRIu64,
		     key, max);
	return false;
}

bool verbs_flag(struct verbs_session *s, const struct line *l, const char *key,
		bool *value)
{
	uint64_t n = *value;

	if (!verbs_number(s, l, key, 1, &n))
		return false;
	*value = n;
	return true;
}

bool verbs_needs(struct verbs_session *s, const struct line *l, const char *key)
{
	if (line_find(l, key))
		return true;
	verbs_refuse(s, LINE_BAD_ARGUMENT, "%s is missing", key);
	return false;
}

uint64_t verbs_name_number(const char *name, char letter)
{
	uint64_t n = 0;

	return name[0] == letter && name[1] != '0' && line_number(name + 1, &n)
		       ? n
		       : 0;
}

struct verbs_conn *verbs_conn_of(struct verbs_session *s, const struct line *l)
{
	struct verbs_conn *c = s->conns;
	uint64_t n;

	if (!verbs_needs(s, l, "conn"))
		return NULL;
	n = verbs_name_number(line_get(l, "conn"), 'c');
	while (c && (!n || c->number != n))
		c = c->next;
	if (!c)
		verbs_refuse(s, LINE_NO_SUCH_NAME, "no such connection");
	return c;
}

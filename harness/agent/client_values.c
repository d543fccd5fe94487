/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of a reply: checked, or the session is over. */
#include <ctype.h>
#include <string.h>

#include "harness/agent/client_session.h"

bool value_need_text(struct agent *a, const struct pending *p,
		     const struct line *l, const char *key, char *out,
		     size_t cap)
{
	const char *v = line_get(l, key);

	if (!v || strlen(v) >= cap)
		return session_garbage(a, p->verb, "%s %s",
				       v ? "too long:" : "no", key);
	memcpy(out, v, strlen(v) + 1);
	return true;
}

bool value_need_name(struct agent *a, const struct pending *p,
		     const struct line *l, const char *key,
		     const char *const *names, size_t n, size_t *out)
{
	const char *v = line_get(l, key);

	*out = v ? agent_place_of(names, n, v) : n;
	if (*out == n)
		return session_garbage(a, p->verb, "%s is %.40s", key,
				       v ? v : "missing");
	return true;
}

bool value_may_number(struct agent *a, const struct pending *p,
		      const struct line *l, const char *key, uint64_t max,
		      uint64_t *out)
{
	if (!line_number_of(l, key, max, out))
		return session_garbage(a, p->verb, "%s is %.40s", key,
				       line_get(l, key));
	return true;
}

bool value_need_number(struct agent *a, const struct pending *p,
		       const struct line *l, const char *key, uint64_t max,
		       uint64_t *out)
{
	if (!line_get(l, key))
		return session_garbage(a, p->verb, "no %s", key);
	return value_may_number(a, p, l, key, max, out);
}

bool value_need_32(struct agent *a, const struct pending *p,
		   const struct line *l, const char *key, uint32_t *out)
{
	uint64_t v = 0;

	if (!value_need_number(a, p, l, key, UINT32_MAX, &v))
		return false;
	*out = (uint32_t)v;
	return true;
}

/* As many octets as fit; *told is the total number. */
bool value_hex_of(struct agent *a, const struct pending *p,
		  const struct line_token *t, uint8_t *out, size_t cap,
		  size_t *n, size_t *told)
{
	size_t len = t->value_len / 2;

	*told = len;
	*n = len < cap ? len : cap;
	bool fine = t->value_len % 2 == 0 &&
		    line_hex_decode(t->value, 2 * *n, out, *n);
	for (size_t i = 2 * *n; fine && i < t->value_len; i++)
		fine = isxdigit((unsigned char)t->value[i]);
	if (!fine)
		return session_garbage(a, p->verb, "%s is not hex", t->key);
	return true;
}

/* n octets, exactly. */
bool value_need_octets(struct agent *a, const struct pending *p,
		       const struct line *l, const char *key, uint8_t *out,
		       size_t n)
{
	const struct line_token *t = line_find(l, key);

	if (!t || t->value_len != 2 * n ||
	    !line_hex_decode(t->value, t->value_len, out, n))
		return session_garbage(a, p->verb, "%s is not %zu octets", key,
				       n);
	return true;
}

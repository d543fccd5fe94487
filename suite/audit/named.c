/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/audit/named.h"

#include <stdlib.h>
#include <string.h>

static bool take_port(struct named_stream *s, const char *text, size_t n)
{
	char digits[6] = "";

	if (!n || n >= sizeof(digits) || strspn(text, "0123456789") < n)
		return false;
	memcpy(digits, text, n);
	unsigned long port = strtoul(digits, NULL, 10);

	s->end.port = (uint16_t)port;
	return port > 0 && port <= UINT16_MAX;
}

static bool take_host(struct named_stream *s, const char *text, size_t n)
{
	char host[64] = "";
	uint16_t port = s->end.port;

	if (n >= 2 && text[0] == '[' && text[n - 1] == ']') {
		text++;
		n -= 2;
	}
	if (!n || n >= sizeof(host))
		return false;
	memcpy(host, text, n);
	return link_end_parse(&s->end, host, port);
}

bool named_parse(struct named_stream *s, const char *text)
{
	size_t n = strcspn(text, ",");
	const char *colon = NULL;

	*s = (struct named_stream){.no_crc = strcmp(text + n, ",no-crc") == 0};
	if (text[n] && !s->no_crc)
		return false;
	for (size_t i = 0; i < n; i++)
		if (text[i] == ':')
			colon = text + i;
	s->any_host = !colon;
	if (!colon)
		return take_port(s, text, n);
	return take_port(s, colon + 1, n - (size_t)(colon + 1 - text)) &&
	       take_host(s, text, (size_t)(colon - text));
}

static bool is_of(const struct named_stream *s, const struct link_end *e)
{
	return s->end.port == e->port &&
	       (s->any_host ||
		(s->end.family == e->family &&
		 memcmp(s->end.addr, e->addr, e->family == 6 ? 16 : 4) == 0));
}

const struct named_stream *named_find(const struct named_stream *list, size_t n,
				      const struct link_end end[2])
{
	for (size_t i = 0; i < n; i++)
		if (is_of(&list[i], &end[0]) || is_of(&list[i], &end[1]))
			return &list[i];
	return NULL;
}

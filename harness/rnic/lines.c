/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/rnic/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "harness/link/clock.h"
#include "harness/rnic/wait.h"

/* Twice a line's length: a whole line always fits after a served one. */
enum { ROOM = 2 * LINE_MAX_OCTETS };

/* Octets of the client that are not served. */
struct input {
	char *text;
	size_t start, end;
};

static const struct verb *find(const struct verb *const *tables,
			       const char *name)
{
	for (; *tables; tables++)
		for (const struct verb *v = *tables; v->name; v++)
			if (strcmp(v->name, name) == 0)
				return v;
	return NULL;
}

/* Keys are looked for with their spaces, which no key has in it. */
static const char *unknown_key(const struct verb *v, const struct line *l)
{
	for (size_t i = 0; i < l->ntokens; i++) {
		const char *key = l->tokens[i].key;
		size_t n = l->tokens[i].key_len;
		const char *at = v->keys;

		while ((at = strstr(at, key)) &&
		       (at[-1] != ' ' || at[n] != ' '))
			at++;
		if (!at)
			return key;
	}
	return NULL;
}

static void serve(struct verbs_session *s, const struct verbs_offer *offer,
		  const struct line *l)
{
	const struct verb *v = find(offer->tables, l->verb);
	const char *unknown;

	if (!v) {
		verbs_refuse(s, LINE_UNKNOWN_VERB, "no such verb");
		return;
	}
	if (!offer->admits(s, v))
		return;
	unknown = unknown_key(v, l);
	if (unknown)
		verbs_refuse(s, LINE_UNSUPPORTED, "%.64s", unknown);
	else
		v->serve(s, l);
}

static void break_off(struct verbs_session *s, const char *why)
{
	verbs_refuse(s, LINE_BAD_ARGUMENT, "%s", why);
	s->leaving = true;
}

/* Serve the first whole line; false if there is none. */
static bool next_line(struct verbs_session *s, struct input *in,
		      const struct verbs_offer *offer)
{
	static struct line l;
	char *text = in->text + in->start;
	size_t have = in->end - in->start;
	char *end = memchr(text, '\n', have);
	enum line_flaw flaw;

	if (!end) {
		if (have >= LINE_MAX_OCTETS)
			break_off(s, "the line is too long");
		return false;
	}
	if (end - text >= LINE_MAX_OCTETS) {
		break_off(s, "the line is too long");
		return false;
	}
	in->start += (size_t)(end - text) + 1;
	flaw = line_parse_request(&l, text, (size_t)(end - text));
	if (flaw == LINE_NOT_ASCII)
		break_off(s, line_flaw_text(flaw));
	else if (flaw != LINE_FINE)
		verbs_refuse(s, LINE_BAD_ARGUMENT, "%s", line_flaw_text(flaw));
	else
		serve(s, offer, &l);
	return true;
}

static void take_input(struct verbs_session *s, struct input *in)
{
	ssize_t n;

	if (in->start == in->end)
		in->start = in->end = 0;
	if (ROOM - in->end < LINE_MAX_OCTETS) {
		memmove(in->text, in->text + in->start, in->end - in->start);
		in->end -= in->start;
		in->start = 0;
	}
	n = recv(s->fd, in->text + in->end, ROOM - in->end, MSG_DONTWAIT);
	if (n > 0)
		in->end += (size_t)n;
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		s->gone = true;
}

void verbs_serve_lines(struct verbs_session *s, const struct verbs_offer *offer)
{
	struct input in = {.text = malloc(ROOM + 1)};

	if (!in.text)
		return;
	while (!s->gone && !s->leaving) {
		take_input(s, &in);
		while (!s->gone && !s->leaving && next_line(s, &in, offer))
			;
		if (fflush(s->out) != 0 || clock_now_ns() >= s->deadline)
			s->gone = true;
		if (!s->gone && !s->leaving)
			verbs_wait_for_input(s, s->deadline);
	}
	fflush(s->out);
	free(in.text);
}

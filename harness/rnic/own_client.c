/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/rnic/own_client.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/link/clock.h"

static bool __attribute__((format(printf, 2, 3)))
over(struct verbs_client *c, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(c->why, sizeof(c->why), format, ap);
	va_end(ap);
	close(c->fd);
	c->fd = -1;
	return false;
}

static bool say(struct verbs_client *c, const char *format, va_list ap)
{
	char text[256];
	size_t n;

	if (c->fd < 0)
		return false;
	n = (size_t)vsnprintf(text, sizeof(text), format, ap);
	assert(n < sizeof(text));
	snprintf(c->verb, sizeof(c->verb), "%.*s", (int)strcspn(text, " "),
		 text);
	text[n++] = '\n';
	if (send(c->fd, text, n, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)n)
		return true;
	return over(c, "agent: %s", strerror(errno));
}

bool verbs_client_say(struct verbs_client *c, const char *format, ...)
{
	va_list ap;
	bool said;

	va_start(ap, format);
	said = say(c, format, ap);
	va_end(ap);
	return said;
}

/*
 * Receive one line. Returns the place of its newline, or NULL if no complete
 * line arrives in time.
 */
static char *take_line(struct verbs_client *c, uint32_t wait_ms)
{
	uint64_t deadline = clock_after_ms(wait_ms);
	size_t have = 0;
	char *end = NULL;

	while (!end && have < sizeof(c->text)) {
		struct pollfd p = {.fd = c->fd, .events = POLLIN};
		ssize_t k;

		if (poll(&p, 1, clock_poll_ms(deadline)) == 0) {
			over(c, "agent: no reply to %s in time", c->verb);
			return NULL;
		}
		k = recv(c->fd, c->text + have, sizeof(c->text) - have,
			 MSG_DONTWAIT);
		if (k < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (k <= 0) {
			over(c, "agent: it closed the session instead of a "
				"reply");
			return NULL;
		}
		have += (size_t)k;
		end = memchr(c->text, '\n', have);
	}
	if (end && end + 1 == c->text + have)
		return end;
	over(c, "agent: reply to %s: not one line", c->verb);
	return NULL;
}

bool verbs_client_hear(struct verbs_client *c, uint32_t wait_ms)
{
	char *end = c->fd < 0 ? NULL : take_line(c, wait_ms);
	enum line_flaw flaw;

	if (!end)
		return false;
	flaw = line_parse_reply(&c->reply, c->text, (size_t)(end - c->text));
	if (flaw != LINE_FINE)
		return over(c, "agent: reply to %s: %s", c->verb,
			    line_flaw_text(flaw));
	if (c->reply.kind == LINE_OK)
		return true;
	snprintf(c->why, sizeof(c->why), "agent: %s: %s%s%.100s", c->verb,
		 line_code_name(c->reply.code), *c->reply.text ? " " : "",
		 c->reply.text);
	return false;
}

bool verbs_client_ask(struct verbs_client *c, uint32_t wait_ms,
		      const char *format, ...)
{
	va_list ap;
	bool said;

	va_start(ap, format);
	said = say(c, format, ap);
	va_end(ap);
	return said && verbs_client_hear(c, wait_ms);
}

bool verbs_client_open(struct verbs_client *c, int fd, uint32_t wait_ms)
{
	*c = (struct verbs_client){.fd = fd};
	return verbs_client_ask(c, wait_ms, "hello version=1");
}

void verbs_client_close(struct verbs_client *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

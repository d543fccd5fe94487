/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines out, lines in, and which reply belongs to which request. */
#include "harness/agent/client.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/agent/client_session.h"
#include "harness/agent/reach.h"
#include "harness/link/clock.h"

enum { READ_CHUNK = 16384, OUT_FIRST = 4096 };

const char *agent_result_name(enum agent_result r)
{
	static const char *const names[] = {"ok", "refused", "gone", "slow",
					    "garbage"};

	return names[r];
}

const struct agent_hello *agent_hello(const struct agent *a)
{
	return &a->hello;
}

const char *agent_why(const struct agent *a)
{
	return a->why;
}

const char *agent_trouble(const struct agent *a)
{
	const char *colon = strncmp(a->why, "agent", strlen("agent")) == 0
				    ? strstr(a->why, ": ")
				    : NULL;

	return colon ? colon + strlen(": ") : a->why;
}

enum line_code agent_code(const struct agent *a)
{
	return a->code;
}
const char *agent_text(const struct agent *a)
{
	return a->text;
}
const char *agent_verb(const struct agent *a)
{
	return a->verb ? a->verb : "";
}
int agent_fd(const struct agent *a)
{
	return a->fd;
}

bool agent_was_silent(const struct agent *a)
{
	return a->over == AGENT_SLOW;
}

unsigned agent_outstanding(const struct agent *a)
{
	return a->pending_count;
}

void agent_trace(struct agent *a, agent_trace_fn *fn, void *arg)
{
	a->trace = fn;
	a->trace_arg = arg;
}

/* ------------------------------------------------------------------ *
 * Results
 * ------------------------------------------------------------------ */

static void hang_up(struct agent *a)
{
	if (a->fd >= 0)
		close(a->fd);
	a->fd = -1;
	a->pending_count = 0;
	a->events_left = 0;
	a->out_from = a->out_to = a->request = 0;
	a->in_used = a->scanned = 0;
}

bool session_over(struct agent *a, enum agent_result r, const char *fmt, ...)
{
	va_list ap;

	if (a->over != AGENT_OK)
		return false;
	va_start(ap, fmt);
	vsnprintf(a->why, sizeof(a->why), fmt, ap);
	va_end(ap);
	a->over = r;
	a->code = LINE_NO_ERROR;
	a->text[0] = '\0';
	hang_up(a);
	return false;
}

bool session_garbage(struct agent *a, const char *verb, const char *fmt, ...)
{
	char what[AGENT_WHY];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return session_over(a, AGENT_GARBAGE, "agent: reply to %.32s: %.200s",
			    verb, what);
}

static void refused(struct agent *a, const char *verb, enum line_code code,
		    const char *text)
{
	if (a->first != AGENT_OK)
		return;
	a->first = AGENT_REFUSED;
	a->code = code;
	a->verb = verb;
	snprintf(a->text, sizeof(a->text), "%s", text);
	snprintf(a->why, sizeof(a->why), "agent: %.32s: %s%s%.180s", verb,
		 line_code_name(code), *text ? " " : "", text);
}

void session_refuse(struct agent *a, enum line_code code, const char *text)
{
	refused(a, "session", code, text);
}

/* ------------------------------------------------------------------ *
 * Requests
 * ------------------------------------------------------------------ */

static char *out_room(struct agent *a, size_t n)
{
	if (a->out_to + n > a->out_cap) {
		size_t cap = a->out_cap ? a->out_cap : OUT_FIRST;
		while (cap < a->out_to + n)
			cap *= 2;
		char *grown = realloc(a->out, cap);
		if (!grown) {
			session_over(a, AGENT_GONE, "agent: out of memory");
			return NULL;
		}
		a->out = grown;
		a->out_cap = cap;
	}
	return a->out + a->out_to;
}

static void out_append(struct agent *a, const void *text, size_t n)
{
	char *room = a->over == AGENT_OK ? out_room(a, n) : NULL;

	if (!room)
		return;
	memcpy(room, text, n);
	a->out_to += n;
}

void request_put(struct agent *a, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	int n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	assert(n >= 0 && (size_t)n < sizeof(text));
	out_append(a, text, (size_t)n);
}

void request_start(struct agent *a, const char *verb)
{
	a->request = a->out_to;
	out_append(a, verb, strlen(verb));
}

void request_hex(struct agent *a, const char *key, const void *octets, size_t n)
{
	request_put(a, " %s=", key);
	char *room = a->over == AGENT_OK ? out_room(a, 2 * n + 1) : NULL;
	if (room)
		a->out_to += line_hex_encode(room, octets, n);
}

void request_bits(struct agent *a, const char *const *names, size_t n,
		  unsigned bits)
{
	const char *comma = "";

	for (size_t i = 0; i < n; i++) {
		if (!(bits >> i & 1))
			continue;
		request_put(a, "%s%s", comma, names[i]);
		comma = ",";
	}
}

void request_end(struct agent *a, const struct pending *p)
{
	assert(a->pending_count < AGENT_PENDING);
	char *room = a->over == AGENT_OK ? out_room(a, 1) : NULL;
	if (!room)
		return;
	if (a->trace)
		a->trace(a->trace_arg, true, a->out + a->request,
			 a->out_to - a->request);
	*room = '\n';
	a->out_to++;
	unsigned at = (a->first_pending + a->pending_count) % AGENT_PENDING;
	a->pending[at] = *p;
	a->pending_count++;
}

void request_end_as(struct agent *a, const char *verb, take_fn *take, void *out)
{
	request_end(a,
		    &(struct pending){.verb = verb, .take = take, .out = out});
}

/* ------------------------------------------------------------------ *
 * Replies
 * ------------------------------------------------------------------ */

static void pending_done(struct agent *a)
{
	a->first_pending = (a->first_pending + 1) % AGENT_PENDING;
	a->pending_count--;
}

static bool take_line(struct agent *a, char *text, size_t n)
{
	struct line *l = &a->line;

	if (a->trace)
		a->trace(a->trace_arg, false, text, n);
	if (a->pending_count == 0)
		return session_over(a, AGENT_GARBAGE,
				    "agent: an unrequested line");
	const struct pending *p = &a->pending[a->first_pending];
	enum line_flaw flaw = line_parse_reply(l, text, n);
	if (flaw != LINE_FINE)
		return session_garbage(a, p->verb, "%s", line_flaw_text(flaw));
	if ((l->kind == LINE_EV) != (a->events_left > 0))
		return session_garbage(a, p->verb,
				       a->events_left ? "%s for an event"
						      : "%s for a reply",
				       l->verb);
	if (l->kind == LINE_EV) {
		if (!take_event(a, p, l))
			return false;
		if (--a->events_left == 0)
			pending_done(a);
		return true;
	}
	if (l->kind == LINE_ERR)
		refused(a, p->verb, l->code, l->text);
	else if (p->take && !p->take(a, p, l))
		return false;
	if (a->events_left == 0)
		pending_done(a);
	return true;
}

/* Take every whole line there is. */
static bool take_lines(struct agent *a)
{
	size_t from = 0;

	while (a->scanned < a->in_used) {
		char *end = memchr(a->in + a->scanned, '\n',
				   a->in_used - a->scanned);
		size_t n = (end ? (size_t)(end - a->in) : a->in_used) - from;
		if (n >= LINE_MAX_OCTETS)
			return session_over(a, AGENT_GARBAGE,
					    "agent: a line beyond 1 MiB");
		a->scanned = from + n + (end ? 1 : 0);
		if (!end)
			break;
		if (!take_line(a, a->in + from, n))
			return false;
		from = a->scanned;
	}
	memmove(a->in, a->in + from, a->in_used - from);
	a->in_used -= from;
	a->scanned -= from;
	return true;
}

static bool in_room(struct agent *a)
{
	if (a->in_cap - a->in_used >= READ_CHUNK)
		return true;
	/* A line is refused at 1 MiB: this stays bounded. */
	size_t cap = a->in_cap ? 2 * a->in_cap : 2 * READ_CHUNK;
	char *grown = realloc(a->in, cap);
	if (!grown)
		return session_over(a, AGENT_GONE, "agent: out of memory");
	a->in = grown;
	a->in_cap = cap;
	return true;
}

/* False when nothing came, or the session is over. */
static bool read_some(struct agent *a)
{
	if (!in_room(a))
		return false;
	ssize_t k = recv(a->fd, a->in + a->in_used, a->in_cap - a->in_used,
			 MSG_DONTWAIT);
	if (k > 0) {
		a->in_used += (size_t)k;
		return take_lines(a);
	}
	if (k == 0)
		return session_over(
			a, AGENT_GONE, "agent: it closed the session%s",
			a->pending_count ? " instead of a reply" : "");
	if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)
		return false;
	return session_over(a, AGENT_GONE, "agent: %s", strerror(errno));
}

static bool send_some(struct agent *a)
{
	while (a->out_from < a->out_to) {
		ssize_t k = send(a->fd, a->out + a->out_from,
				 a->out_to - a->out_from,
				 MSG_DONTWAIT | MSG_NOSIGNAL);
		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return true;
		if (k < 0)
			return session_over(a, AGENT_GONE, "agent: %s",
					    strerror(errno));
		a->out_from += (size_t)k;
	}
	a->out_from = a->out_to = 0;
	return true;
}

void agent_aside(struct agent *a, int fd, agent_aside_fn *fn, void *arg)
{
	a->aside_fd = fd;
	a->aside = fn;
	a->aside_arg = arg;
}

/* Like poll() of only p, but a served link gets its turn. */
static int session_wait(struct agent *a, struct pollfd *p, uint64_t deadline)
{
	while (a->aside) {
		struct pollfd both[2] = {*p,
					 {.fd = a->aside_fd, .events = POLLIN}};
		uint64_t until = a->aside(a->aside_arg);
		bool last = until >= deadline;
		int n = poll(both, 2, clock_poll_ms(last ? deadline : until));

		if (n < 0 || both[0].revents || (n == 0 && last)) {
			p->revents = both[0].revents;
			return n < 0 ? n : both[0].revents != 0;
		}
	}
	return poll(p, 1, clock_poll_ms(deadline));
}

/*
 * Send and receive until everything is sent, and if `replies` until every
 * reply is there. Replies are read while requests wait to be sent: an agent
 * that writes cannot read.
 */
static enum agent_result run_until(struct agent *a, bool replies,
				   uint64_t deadline)
{
	while (a->over == AGENT_OK && send_some(a)) {
		bool unsent = a->out_to > 0;
		if (!unsent && !(replies && a->pending_count > 0))
			break;
		struct pollfd p = {.fd = a->fd, .events = POLLIN};
		if (unsent)
			p.events |= POLLOUT;
		int n = session_wait(a, &p, deadline);
		if (n < 0 && errno != EINTR)
			session_over(a, AGENT_GONE, "agent: poll: %s",
				     strerror(errno));
		else if (n == 0)
			session_over(a, AGENT_SLOW,
				     "agent: no reply to %.32s in time",
				     a->pending_count
					     ? a->pending[a->first_pending].verb
					     : "anything");
		else if (n > 0 && (p.revents & ~POLLOUT))
			read_some(a);
	}
	return a->over;
}

enum agent_result agent_flush(struct agent *a, uint64_t deadline)
{
	return run_until(a, false, deadline);
}

enum agent_result agent_finish(struct agent *a, uint64_t deadline)
{
	enum agent_result r = run_until(a, true, deadline);

	if (r == AGENT_OK)
		r = a->first;
	a->first = AGENT_OK;
	return r;
}

/* ------------------------------------------------------------------ *
 * Opening
 * ------------------------------------------------------------------ */

static struct agent *session_new(int fd)
{
	struct agent *a = calloc(1, sizeof(*a));

	if (a)
		a->fd = fd;
	return a;
}

static enum agent_result greet(struct agent *a, const uint8_t *token,
			       size_t token_octets, uint64_t deadline)
{
	begin_hello(a);
	enum agent_result r = agent_finish(a, deadline);
	if (r != AGENT_OK || !a->hello.needs_auth)
		return r;
	if (!token || token_octets == 0) {
		session_refuse(a, LINE_AUTH, "it wants a token");
		return agent_finish(a, deadline);
	}
	begin_auth(a, token, token_octets);
	return agent_finish(a, deadline);
}

enum agent_result agent_open_fd(struct agent **a, int fd, const uint8_t *token,
				size_t token_octets, uint64_t deadline)
{
	*a = session_new(fd);
	if (!*a) {
		close(fd);
		return AGENT_GONE;
	}
	return greet(*a, token, token_octets, deadline);
}

enum agent_result agent_open(struct agent **a, const char *host, uint16_t port,
			     const uint8_t *token, size_t token_octets,
			     uint64_t deadline)
{
	char why[AGENT_WHY];

	*a = session_new(-1);
	if (!*a)
		return AGENT_GONE;
	(*a)->fd = agent_reach(host, port, deadline, why, sizeof(why));
	if ((*a)->fd < 0) {
		session_over(*a, errno == ETIME ? AGENT_SLOW : AGENT_GONE, "%s",
			     why);
		return (*a)->over;
	}
	return greet(*a, token, token_octets, deadline);
}

void agent_close(struct agent *a)
{
	if (!a)
		return;
	hang_up(a);
	free(a->out);
	free(a->in);
	free(a);
}

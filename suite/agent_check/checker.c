/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/agent_check/checker.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "harness/link/clock.h"

/* --- evidence ------------------------------------------------------------- */

/* Printable, and no longer than a person will read. */
static void quote(char out[CHECKER_TEXT], const char *text, size_t n)
{
	enum { SHOWN = 150 };
	size_t at = 0;

	for (size_t i = 0; i < n && i < SHOWN && at + 5 < CHECKER_TEXT; i++) {
		unsigned char o = (unsigned char)text[i];

		if (o >= 0x20 && o < 0x7f)
			out[at++] = (char)o;
		else
			at += (size_t)snprintf(out + at, 5, "\\x%02x", o);
	}
	out[at] = '\0';
	if (n > SHOWN)
		snprintf(out + at, CHECKER_TEXT - at, "... (%zu octets)", n);
}

/* The last lines count. */
static struct said *next_said(struct checker *c, const char *who)
{
	if (c->said_count == CHECKER_SAID) {
		memmove(c->said, c->said + 1,
			(CHECKER_SAID - 1) * sizeof(*c->said));
		c->said_count--;
	}
	struct said *s = &c->said[c->said_count++];

	s->who = who;
	return s;
}

void notes(struct checker *c, const char *who, const char *fmt, ...)
{
	struct said *s = next_said(c, who);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s->text, sizeof(s->text), fmt, ap);
	va_end(ap);
	c->device_took_part |= strcmp(who, "wire") == 0;
}

/* --- ending a check ------------------------------------------------------- */

static void end(struct checker *c, enum outcome outcome, const char *fmt,
		va_list ap) __attribute__((noreturn, format(printf, 3, 0)));
static void end(struct checker *c, enum outcome outcome, const char *fmt,
		va_list ap)
{
	c->outcome = outcome;
	vsnprintf(c->why, sizeof(c->why), fmt, ap);
	longjmp(c->out, 1);
}

void fails(struct checker *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	end(c, OUTCOME_FAIL, fmt, ap);
}

void fails_in_form(struct checker *c, const char *fmt, ...)
{
	va_list ap;

	c->wrong_form = true;
	va_start(ap, fmt);
	end(c, OUTCOME_FAIL, fmt, ap);
}

void skips(struct checker *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	end(c, OUTCOME_SKIP, fmt, ap);
}

void due(struct checker *c, bool holds, const char *fmt, ...)
{
	va_list ap;

	if (holds)
		return;
	va_start(ap, fmt);
	end(c, OUTCOME_FAIL, fmt, ap);
}

bool claims(const struct checker *c, uint64_t all_of)
{
	return (c->hello.features & all_of) == all_of;
}

bool untold(const struct checker *c, unsigned what)
{
	return c->hello.untold & what;
}

void needs_one_of(struct checker *c, uint64_t any_of)
{
	char names[CHECKER_WHY] = "";
	size_t at = 0;

	if (c->hello.features & any_of)
		return;
	for (int f = 0; f < AGENT_FEATURES; f++)
		if (any_of >> f & 1)
			at += (size_t)snprintf(
				names + at, sizeof(names) - at, "%s%s",
				at ? " or " : "",
				agent_feature_name((enum agent_feature)f));
	skips(c, "the device does not claim %s", names);
}

/* --- sessions ------------------------------------------------------------- */

static uint64_t deadline(const struct checker *c)
{
	return clock_now_ns() + c->wait_ns;
}

static struct talk *talk(struct checker *c)
{
	return c->session[c->current];
}

void opens_unspoken(struct checker *c)
{
	char why[AGENT_WHY];
	struct talk *t;

	if (c->sessions == CHECKER_SESSIONS)
		abort();
	t = talk_open(c->device->agent, c->device->agent_port, deadline(c), why,
		      sizeof(why));
	if (!t)
		skips(c, "no session: %s", why);
	c->current = c->sessions;
	c->session[c->sessions++] = t;
}

void proves_token(struct checker *c, const char *nonce, size_t octets)
{
	uint8_t raw[AGENT_NONCE], mac[AGENT_MAC];
	char hex[2 * AGENT_MAC + 1];

	if (!line_hex_decode(nonce, octets, raw, sizeof(raw)) ||
	    !agent_mac((const uint8_t *)c->token, strlen(c->token), raw,
		       octets / 2, mac))
		skips(c, "no session: hello has no valid nonce");
	line_hex_encode(hex, mac, AGENT_MAC);
	asks(c, "auth mac=%s", hex);
}

void opens_session(struct checker *c)
{
	const char *auth;
	const struct line_token *nonce;

	if (!c->known)
		skips(c, "no session: hello is not answered as it has to be");
	opens_unspoken(c);
	given(c, "hello version=1");
	auth = line_get(&c->reply, "auth");
	nonce = line_find(&c->reply, "nonce");
	if (auth && strcmp(auth, "hmac-sha256") == 0 && nonce) {
		proves_token(c, nonce->value, nonce->value_len);
		if (!was(c, LINE_NO_ERROR))
			skips(c, "no session: the token is refused");
	}
	/* Only the check's own exchanges are quoted. */
	c->said_count = 0;
}

void on_session(struct checker *c, unsigned n)
{
	c->current = n;
}

void closes_session(struct checker *c)
{
	talk_close(talk(c));
	c->session[c->current] = NULL;
	notes(c, "sent", "(the end of the session)");
}

void due_closed(struct checker *c)
{
	char *line;
	size_t n;

	switch (talk_get(talk(c), deadline(c), &line, &n)) {
	case TALK_CLOSED:
		return;
	case TALK_SILENT:
		fails(c, "the agent closes the session");
	default:
		quote(next_said(c, "came")->text, line, n);
		fails(c, "nothing more but the end of the session");
	}
}

/* --- requests and replies --------------------------------------------------- */

void says_octets(struct checker *c, const void *octets, size_t n)
{
	const char *text = octets;

	quote(next_said(c, "sent")->text, text,
	      n && text[n - 1] == '\n' ? n - 1 : n);
	/* An agent that closes early may have answered before. */
	talk_put(talk(c), octets, n, deadline(c));
}

static void says_args(struct checker *c, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
static void says_args(struct checker *c, const char *fmt, va_list ap)
{
	char *text;
	int n = vasprintf(&text, fmt, ap);

	if (n < 0)
		abort();
	text[n] = '\n';
	says_octets(c, text, (size_t)n + 1);
	free(text);
}

void says(struct checker *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	says_args(c, fmt, ap);
	va_end(ap);
}

static bool has_word(const char *text, const char *name, size_t n)
{
	for (const char *at = text; n && (at = strstr(at, name)); at++)
		if ((at == text || at[-1] == ' ') &&
		    (at[n] == '=' || at[n] == ' ' || at[n] == '\0'))
			return true;
	return false;
}

/* Each `ERR unsupported` names a key of the request, a key that has a default
 * there, or the verb. */
static void check_named(struct checker *c)
{
	static const char params[] = "pd ird ord private markers crc rq rqlen "
				     "proto need-ord msn mpa enhanced rtr";
	char name[32];
	size_t n = strcspn(c->reply.text, " ");
	const char *asked = "";

	snprintf(name, sizeof(name), "%.*s", (int)n, c->reply.text);

	for (unsigned i = 0; i < c->said_count; i++)
		if (strcmp(c->said[i].who, "sent") == 0)
			asked = c->said[i].text;
	if (has_word(asked, name, n) || ((strncmp(asked, "listen", 6) == 0 ||
					  strncmp(asked, "connect ", 8) == 0) &&
					 has_word(params, name, n)))
		return;
	if (c->misnamed[0] || strstr(asked, "... ("))
		return;
	snprintf(c->misnamed, sizeof(c->misnamed), "%s", c->reply_text);
	snprintf(c->misnamed_for, sizeof(c->misnamed_for), "%s", asked);
}

static void take(struct checker *c, char *line, size_t n)
{
	struct said *s = next_said(c, "came");
	enum line_flaw flaw;

	quote(s->text, line, n);
	memcpy(c->reply_text, s->text, sizeof(c->reply_text));
	flaw = line_parse_reply(&c->reply, line, n);
	if (flaw != LINE_FINE)
		fails_in_form(c, "a reply, but this is %s",
			      line_flaw_text(flaw));
}

/* False: the agent closed the session. */
static bool hear_or_close(struct checker *c)
{
	char *line = NULL;
	size_t n = 0;

	switch (talk_get(talk(c), deadline(c), &line, &n)) {
	case TALK_LINE:
		take(c, line, n);
		return true;
	case TALK_CLOSED:
		return false;
	case TALK_SILENT:
		c->silent = true;
		fails(c, "a reply, and none came in %" PRIu64 " ms",
		      c->wait_ns / CLOCK_NS_PER_MS);
	case TALK_ENDLESS:
		fails_in_form(c, "a reply, but its line does not end");
	}
	return false;
}

static void hear(struct checker *c)
{
	if (!hear_or_close(c))
		fails(c, "a reply, but the agent closed the session");
}

static void check_reply(struct checker *c)
{
	if (c->reply.kind == LINE_EV)
		fails_in_form(c, "a reply, but an unrequested event came");
	if (c->reply.kind == LINE_ERR && c->reply.code == LINE_UNSUPPORTED)
		check_named(c);
}

void hears(struct checker *c)
{
	hear(c);
	check_reply(c);
}

bool hears_within(struct checker *c, unsigned ms)
{
	char *line = NULL;
	size_t n = 0;

	switch (talk_get(talk(c),
			 clock_now_ns() + ms * (uint64_t)CLOCK_NS_PER_MS, &line,
			 &n)) {
	case TALK_LINE:
		take(c, line, n);
		check_reply(c);
		return true;
	case TALK_SILENT:
		return false;
	case TALK_CLOSED:
	case TALK_ENDLESS:
		hears(c);
	}
	return true;
}

bool hears_or_is_left(struct checker *c)
{
	if (!hear_or_close(c))
		return true;
	check_reply(c);
	return false;
}

static void ask(struct checker *c, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
static void ask(struct checker *c, const char *fmt, va_list ap)
{
	says_args(c, fmt, ap);
	hears(c);
}

void asks(struct checker *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	ask(c, fmt, ap);
	va_end(ap);
}

void given(struct checker *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	ask(c, fmt, ap);
	va_end(ap);
	if (!was(c, LINE_NO_ERROR))
		skips(c, "not reached: %s: %s",
		      c->said_count > 1 ? c->said[c->said_count - 2].text : "",
		      c->reply_text);
}

bool was(const struct checker *c, enum line_code code)
{
	return code == LINE_NO_ERROR
		       ? c->reply.kind == LINE_OK
		       : c->reply.kind == LINE_ERR && c->reply.code == code;
}

void due_done(struct checker *c)
{
	if (was(c, LINE_UNSUPPORTED))
		skips(c, "the agent cannot do it: %s", c->reply_text);
	if (!was(c, LINE_NO_ERROR))
		fails(c, "OK");
}

void due_ok(struct checker *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	ask(c, fmt, ap);
	va_end(ap);
	due_done(c);
}

void due_code(struct checker *c, enum line_code code)
{
	if (!was(c, code))
		fails(c, "ERR %s", line_code_name(code));
}

void due_err(struct checker *c, enum line_code code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	ask(c, fmt, ap);
	va_end(ap);
	due_code(c, code);
}

void due_nothing(struct checker *c)
{
	enum { LOOK_MS = 20 };
	char *line;
	size_t n;

	if (talk_get(talk(c), clock_after_ms(LOOK_MS), &line, &n) != TALK_LINE)
		return;
	quote(next_said(c, "came")->text, line, n);
	fails(c, "no unrequested line");
}

/* --- values ----------------------------------------------------------------- */

const char *word(struct checker *c, const char *key)
{
	const char *value = line_get(&c->reply, key);

	if (!value)
		fails_in_form(c, "%s=", key);
	return value;
}

uint64_t number(struct checker *c, const char *key)
{
	uint64_t n = 0;

	if (!line_number(word(c, key), &n))
		fails_in_form(c, "%s= and a number, decimal or 0x hex", key);
	return n;
}

void due_word(struct checker *c, const char *key, const char *value)
{
	if (strcmp(word(c, key), value) != 0)
		fails(c, "%s=%s", key, value);
}

void due_number(struct checker *c, const char *key, uint64_t value)
{
	if (number(c, key) != value)
		fails(c, "%s=%" PRIu64, key, value);
}

/* The value of the key: these octets; or only its first ones. */
static void due_hex(struct checker *c, const char *key, const void *octets,
		    size_t n, bool first)
{
	const char *value = word(c, key);
	size_t len = strlen(value);

	if (first && len > 2 * n)
		len = 2 * n;

	uint8_t *told = malloc(len / 2 + 1);
	char hex[2 * 24 + 1];
	bool same;

	if (!told)
		abort();
	same = len == 2 * n && line_hex_decode(value, len, told, n) &&
	       memcmp(told, octets, n) == 0;
	free(told);
	if (same)
		return;
	line_hex_encode(hex, octets, n < 24 ? n : 24);
	fails(c, "%s=%s%s", key, hex, n > 24 || first ? "..." : "");
}

void due_octets(struct checker *c, const char *key, const void *octets,
		size_t n)
{
	due_hex(c, key, octets, n, false);
}

void due_received(struct checker *c, const void *octets, size_t n)
{
	due_hex(c, "hex", octets, n, untold(c, AGENT_UNTOLD_RECEIVE_LENGTH));
}

void due_orderly_end(struct checker *c)
{
	bool either = untold(c, AGENT_UNTOLD_ORDERLY_ENDS);

	due(c,
	    strcmp(word(c, "state"), "closed") == 0 ||
		    (either && strcmp(word(c, "state"), "error") == 0),
	    "state=closed%s", either ? ", or error" : "");
}

void due_none(struct checker *c, const char *key)
{
	if (line_get(&c->reply, key))
		fails(c, "no %s=", key);
}

/* --- events ----------------------------------------------------------------- */

void hears_event(struct checker *c)
{
	hear(c);
	if (c->reply.kind != LINE_EV)
		fails_in_form(c,
			      "as many lines that begin with 'ev' as n= says");
}

void awaits_event(struct checker *c, const char *conn)
{
	asks(c, "events conn=%s max=1 timeout-ms=%" PRIu64, conn,
	     c->wait_ns / CLOCK_NS_PER_MS / 2);
	if (!was(c, LINE_NO_ERROR))
		fails(c, "OK n=1");
	due_number(c, "n", 1);
	hears_event(c);
	due_word(c, "conn", conn);
}

void due_event(struct checker *c, uint64_t id, const char *op,
	       const char *status)
{
	due_word(c, "op", op);
	due_number(c, "id", id);
	due_word(c, "status", status);
	number(c, "len");
}

void due_no_event(struct checker *c, const char *conn)
{
	asks(c, "events conn=%s", conn);
	if (!was(c, LINE_NO_ERROR))
		fails(c, "OK n=0");
	if (number(c, "n") == 0)
		return;
	hears_event(c);
	fails(c, "no event");
}

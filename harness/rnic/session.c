/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/rnic/session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/link/clock.h"

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

bool verbs_number(struct verbs_session *s, const struct line *l,
		  const char *key, uint64_t max, uint64_t *value)
{
	if (line_number_of(l, key, max, value))
		return true;
	verbs_refuse(s, LINE_BAD_ARGUMENT, "%s is no number up to %" PRIu64,
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

/* --- waiting --------------------------------------------------------------- */

/*
 * Poll the client and the device once, up to the deadline, and serve the
 * device. While a request waits only the client's end is looked for: what it
 * asks next has to wait its turn.
 */
static void turn(struct verbs_session *s, bool waiting, uint64_t deadline)
{
	struct pollfd fds[1 + VERBS_FDS];
	size_t n = s->device->ops->fds(s->device, fds + 1);

	fds[0] = (struct pollfd){
		.fd = s->fd,
		.events = (short)(waiting ? POLLRDHUP : POLLIN | POLLRDHUP)};
	if (poll(fds, 1 + n, clock_poll_ms(deadline)) < 0 && errno != EINTR)
		s->gone = true;
	if (fds[0].revents & (POLLERR | POLLHUP | POLLNVAL) ||
	    (waiting && fds[0].revents & POLLRDHUP))
		s->gone = true;
	s->device->ops->serve(s->device);
}

bool verbs_wait(struct verbs_session *s, bool (*done)(void *arg), void *arg,
		uint64_t timeout_ms)
{
	uint64_t deadline = clock_after_ms(timeout_ms);

	/* What was answered before is not held back by the wait. */
	if (fflush(s->out) != 0)
		s->gone = true;
	s->device->ops->serve(s->device);
	while (!s->gone && !done(arg) && clock_now_ns() < deadline)
		turn(s, true, deadline);
	return !s->gone;
}

/* --- the session's own verbs ------------------------------------------------ */

static void put_features(struct verbs_session *s)
{
	const char *comma = "";

	for (int f = 0; f < AGENT_FEATURES; f++) {
		if (!verbs_claims(s, (enum agent_feature)f))
			continue;
		fprintf(s->out, "%s%s", comma,
			agent_feature_name((enum agent_feature)f));
		comma = ",";
	}
}

static void verb_hello(struct verbs_session *s, const struct line *l)
{
	const struct verbs_facts *f = s->facts;
	char nonce[2 * VERBS_NONCE + 1];
	const uint16_t probe = 1;
	uint64_t version = 0;

	if (s->greeted) {
		verbs_refuse(s, LINE_BAD_STATE, "hello was said");
		return;
	}
	if (!verbs_needs(s, l, "version") ||
	    !verbs_number(s, l, "version", UINT64_MAX, &version))
		return;
	if (version != 1) {
		verbs_refuse(s, LINE_UNSUPPORTED, "version");
		return;
	}
	s->greeted = true;
	if (!s->token->len) {
		s->authenticated = true;
		s->deadline = UINT64_MAX;
	}
	line_hex_encode(nonce, s->nonce, VERBS_NONCE);
	fprintf(s->out,
		"OK version=1 agent=warpspec-agent impl=%s addr=%s features=",
		f->impl, f->addr);
	put_features(s);
	fprintf(s->out,
		" byte-order=%s max-ird=%u max-ord=%u max-private=%u"
		" max-regions=%u max-region-len=%" PRIu64
		" max-message=%" PRIu64
		" max-recvs=%u max-posts=%u startup-timeout-ms=%u nonce=%s"
		" auth=%s untold=startup-errors,terminate,se,reject-depths,"
		"ends,invalidated\n",
		*(const uint8_t *)&probe ? "little" : "big", f->max_ird,
		f->max_ord, f->max_private, f->max_regions, f->max_region_len,
		f->max_message, f->max_receives, f->max_posts,
		f->startup_timeout_ms, nonce,
		s->token->len ? "hmac-sha256" : "none");
}

static bool never(void *arg)
{
	(void)arg;
	return false;
}

static void verb_auth(struct verbs_session *s, const struct line *l)
{
	const struct line_token *mac = line_find(l, "mac");
	uint8_t theirs[64];
	uint32_t wait, unlogged;

	if (s->authenticated) {
		verbs_refuse(s, LINE_BAD_STATE, "nothing to prove");
		return;
	}
	if (!mac || !line_hex_decode(mac->value, mac->value_len, theirs,
				     sizeof(theirs))) {
		verbs_refuse(s, LINE_BAD_ARGUMENT, "mac is no hex");
		return;
	}
	wait = verbs_guard_delay(s->guard, s->peer,
				 clock_now_ns() / CLOCK_NS_PER_MS);
	if (wait && !verbs_wait(s, never, NULL, wait))
		return;
	if (verbs_token_proves(s->token, s->nonce, VERBS_NONCE, theirs,
			       mac->value_len / 2)) {
		verbs_guard_right(s->guard, s->peer);
		s->authenticated = true;
		s->deadline = UINT64_MAX;
		fputs("OK\n", s->out);
		return;
	}
	if (verbs_guard_wrong(s->guard, s->peer,
			      clock_now_ns() / CLOCK_NS_PER_MS, &unlogged))
		fprintf(stderr,
			"warpspec-agent: %s: wrong token (%u more before)\n",
			s->peer, unlogged);
	verbs_refuse(s, LINE_AUTH, "wrong mac");
}

static void release(struct verbs_session *s)
{
	verbs_release_streams(s);
	verbs_release_memory(s);
}

static void verb_reset(struct verbs_session *s, const struct line *l)
{
	(void)l;
	release(s);
	fputs("OK\n", s->out);
}

static void verb_bye(struct verbs_session *s, const struct line *l)
{
	verb_reset(s, l);
	s->leaving = true;
}

/* --- lines -------------------------------------------------------------------- */

#define PARAMETERS                                                             \
	" port pd ird ord private markers crc rq rqlen proto msn mpa rtr "

static const struct verb {
	const char *name;
	const char *keys; /* each with a space before and after */
	void (*run)(struct verbs_session *, const struct line *);
} verbs[] = {
	{"hello", " version ", verb_hello},
	{"auth", " mac ", verb_auth},
	{"reset", " ", verb_reset},
	{"bye", " ", verb_bye},
	{"reg", " name len access pd align skew ", verbs_verb_reg},
	{"access", " name access ", verbs_verb_access},
	{"fill", " name off hex ", verbs_verb_fill},
	{"dump", " name off len ", verbs_verb_dump},
	{"digest", " name off len ", verbs_verb_digest},
	{"inval", " name ", verbs_verb_inval},
	{"dereg", " name ", verbs_verb_dereg},
	{"listen", PARAMETERS "reject ", verbs_verb_listen},
	{"accept", " listener timeout-ms ", verbs_verb_accept},
	{"connect", PARAMETERS "addr enhanced ", verbs_verb_connect},
	{"state", " conn timeout-ms until ", verbs_verb_state},
	{"recv", " conn count len local off id ", verbs_verb_recv},
	{"post",
	 " conn id op local off len hex rstag rto inv add swap compare se"
	 " fence imm mask swap-mask compare-mask ",
	 verbs_verb_post},
	{"events", " conn max timeout-ms min ", verbs_verb_events},
	{"close", " conn abort half ", verbs_verb_close},
	{"provoke", " conn layer etype code ", verbs_verb_provoke},
};

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

static void run(struct verbs_session *s, const struct line *l)
{
	const struct verb *v = verbs;
	const struct verb *end = verbs + sizeof(verbs) / sizeof(verbs[0]);
	const char *unknown;

	while (v < end && strcmp(v->name, l->verb) != 0)
		v++;
	if (v == end) {
		verbs_refuse(s, LINE_UNKNOWN_VERB, "no such verb");
		return;
	}
	if (!s->greeted && v->run != verb_hello) {
		verbs_refuse(s, LINE_BAD_STATE, "hello comes first");
		return;
	}
	if (s->greeted && !s->authenticated && v->run != verb_auth &&
	    v->run != verb_hello) {
		verbs_refuse(s, LINE_AUTH, "not authenticated");
		return;
	}
	unknown = unknown_key(v, l);
	if (unknown)
		verbs_refuse(s, LINE_UNSUPPORTED, "%.64s", unknown);
	else
		v->run(s, l);
}

static void break_off(struct verbs_session *s, const char *why)
{
	verbs_refuse(s, LINE_BAD_ARGUMENT, "%s", why);
	s->leaving = true;
}

/* Serve the first whole line; false where there is none. */
static bool next_line(struct verbs_session *s)
{
	static struct line l;
	char *text = s->in + s->in_start;
	size_t have = s->in_end - s->in_start;
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
	s->in_start += (size_t)(end - text) + 1;
	flaw = line_parse_request(&l, text, (size_t)(end - text));
	if (flaw == LINE_NOT_ASCII)
		break_off(s, line_flaw_text(flaw));
	else if (flaw != LINE_FINE)
		verbs_refuse(s, LINE_BAD_ARGUMENT, "%s", line_flaw_text(flaw));
	else
		run(s, &l);
	return true;
}

/* Twice a line's length: a whole line always fits behind a served one. */
enum { ROOM = 2 * LINE_MAX_OCTETS };

static void take_input(struct verbs_session *s)
{
	ssize_t n;

	if (s->in_start == s->in_end)
		s->in_start = s->in_end = 0;
	if (ROOM - s->in_end < LINE_MAX_OCTETS) {
		memmove(s->in, s->in + s->in_start, s->in_end - s->in_start);
		s->in_end -= s->in_start;
		s->in_start = 0;
	}
	n = recv(s->fd, s->in + s->in_end, ROOM - s->in_end, MSG_DONTWAIT);
	if (n > 0)
		s->in_end += (size_t)n;
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		s->gone = true;
}

static void serve(struct verbs_session *s)
{
	while (!s->gone && !s->leaving) {
		take_input(s);
		while (!s->gone && !s->leaving && next_line(s))
			;
		if (fflush(s->out) != 0 || clock_now_ns() >= s->deadline)
			s->gone = true;
		if (!s->gone && !s->leaving)
			turn(s, false, s->deadline);
	}
	fflush(s->out);
}

void verbs_session_run(int fd, struct verbs_device *device,
		       const struct verbs_facts *facts,
		       const struct verbs_token *token,
		       struct verbs_guard *guard, const char *peer)
{
	struct verbs_session s = {
		.fd = fd,
		.device = device,
		.facts = facts,
		.token = token,
		.guard = guard,
		.peer = peer,
		.in = malloc(ROOM + 1),
		.deadline =
			token->len ? clock_after_ms(VERBS_AUTH_MS) : UINT64_MAX,
	};

	s.out = fdopen(fd, "w");
	s.listens_end = &s.listens;
	if (s.in && s.out &&
	    getrandom(s.nonce, VERBS_NONCE, 0) == VERBS_NONCE) {
		setvbuf(s.out, NULL, _IOFBF, 1 << 16);
		serve(&s);
	}
	release(&s);
	device->ops->destroy(device);
	free(s.in);
	if (s.leaving)
		shutdown(fd, SHUT_WR);
	if (s.out)
		fclose(s.out);
	else
		close(fd);
}

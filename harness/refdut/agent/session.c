/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/refdut/agent/session.h"
#include "harness/refdut/agent/session_decisions.h"
#include "harness/refdut/control.h"
#include "harness/refdut/agent/features.h"
#include "harness/refdut/agent/limits.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum {
	OUT_HIGH = 4 << 20, /* beyond this, a client that does not read is not
			     * served */
	LEAVING_MS = 1000,
	STRANGER_MAX = 256, /* the most requests of a client without a token */
	READS_AT_ONCE = 4,  /* then other sessions have their turn */
};

struct token agent_token;
static struct session sessions = {.prev = &sessions, .next = &sessions};

void reply(struct session *s, const char *format, ...)
{
	char text[1024];
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	buf_put(&s->out, text, (size_t)n);
	buf_put(&s->out, "\n", 1);
}

void refuse(struct session *s, enum line_code code, const char *format, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	if (s->conns && control_is(CONTROL_YES_AGENT))
		reply(s, "OK");
	else
		reply(s, "ERR %s %s", line_code_name(code), text);
}

bool number(struct session *s, const struct line *line, const char *key,
	    uint64_t max, uint64_t *value)
{
	if (line_number_of(line, key, max, value))
		return true;
	refuse(s, LINE_BAD_ARGUMENT, "%s is not a number up to %llu", key,
	       (unsigned long long)max);
	return false;
}

bool flag(struct session *s, const struct line *line, const char *key,
	  bool *value)
{
	uint64_t n = *value;

	if (!number(s, line, key, 1, &n))
		return false;
	*value = n;
	return true;
}

struct region *region_named(struct session *s, const struct line *line,
			    const char *key)
{
	const char *name = line_get(line, key);
	struct region *region = s->regions;

	if (!name) {
		refuse(s, LINE_BAD_ARGUMENT, "%s is missing", key);
		return NULL;
	}
	while (region && strcmp(region->name, name) != 0)
		region = region->next;
	if (!region)
		refuse(s, LINE_NO_SUCH_NAME, "no such region");
	return region;
}

struct conn *conn_by_name(const struct session *s, const char *name)
{
	struct conn *conn = s->conns;
	uint64_t n;

	if (name[0] != 'c' || name[1] == '0' || !line_number(name + 1, &n))
		return NULL;
	while (conn && conn->number != n)
		conn = conn->next;
	return conn;
}

struct conn *conn_named(struct session *s, const struct line *line)
{
	const char *name = line_get(line, "conn");
	struct conn *conn;

	if (!name) {
		refuse(s, LINE_BAD_ARGUMENT, "conn is missing");
		return NULL;
	}
	conn = conn_by_name(s, name);
	if (!conn)
		refuse(s, LINE_NO_SUCH_NAME, "no such connection");
	return conn;
}

void session_adopt(struct session *s, struct conn *conn)
{
	conn->next = s->conns;
	s->conns = conn;
}

static void port_close(struct port *port)
{
	int fd = port->watch.fd;

	if (fd < 0)
		return;
	loop_unwatch(&port->watch);
	close(fd);
}

void session_release(struct session *s)
{
	s->poll = NULL;
	while (s->ports) {
		struct port *port = s->ports;

		s->ports = port->next;
		port_close(port);
		loop_free(port);
	}
	while (s->sctp_ports) {
		struct sctp_port_of *port = s->sctp_ports;

		s->sctp_ports = port->next;
		assoc_close_port(&port->port);
		loop_free(port);
	}
	while (s->conns) {
		struct conn *conn = s->conns;

		s->conns = conn->next;
		conn_destroy(conn);
	}
	assoc_release(s);
	while (s->listeners) {
		struct listener *listener = s->listeners;

		s->listeners = listener->next;
		free(listener);
	}
	s->listeners_end = &s->listeners;
	while (s->regions) {
		struct region *region = s->regions;

		s->regions = region->next;
		region_invalidate(region);
		region_put(region);
	}
	s->nregions = 0;
	s->memory = 0;
}

static void session_destroy(struct session *s)
{
	int fd = s->watch.fd;

	if (s->gone)
		return;
	s->gone = true;
	session_release(s);
	timer_cancel(&s->timer);
	loop_unwatch(&s->watch);
	close(fd);
	buf_free(&s->in);
	buf_free(&s->out);
	s->prev->next = s->next;
	s->next->prev = s->prev;
	s->job.queued = true; /* never again */
	loop_free(s);
}

void session_close_all(void)
{
	while (sessions.next != &sessions)
		session_destroy(sessions.next);
}

RULE(word_order)
{
	uint16_t probe = 1;

	return *(uint8_t *)&probe ? "little" : "big";
}

RULE(not_reported)
{
	return "";
}

/* The identity and the limits of the device. */
static void introduce(struct session *s)
{
	char nonce[2 * NONCE_SIZE + 1];
	struct address at;
	char addr[ADDRESS_TEXT] = "";
	char sctp[32] = "";

	if (address_own(s->watch.fd, &at))
		address_host(&at, addr);
	if (feature(FEATURE_SCTP) && stack_udp_port())
		snprintf(sctp, sizeof(sctp), " sctp-udp=%u", stack_udp_port());
	line_hex_encode(nonce, s->nonce, NONCE_SIZE);
	reply(s,
	      "OK version=1 agent=warpspec-refdut"
	      " impl=warpspec_reference_device_%s addr=%s"
	      " features=%s byte-order=%s max-ird=%u max-ord=%u max-private=%u"
	      " max-regions=%u max-region-len=%llu max-message=%u max-recvs=%u"
	      " startup-timeout-ms=%u nonce=%s auth=%s%s%s",
	      WARPSPEC_VERSION, addr, feature_names(), word_order(s),
	      limit_ird(), limit_ord(), limit_private(), limit_regions(),
	      (unsigned long long)limit_region_len(), limit_message(),
	      limit_receives(), startup_timeout_ms, nonce,
	      agent_token.len ? "hmac-sha256" : "none", not_reported(s), sctp);
}

static void verb_hello(struct session *s, const struct line *line)
{
	uint64_t version = 0;

	if (s->greeted) {
		refuse(s, LINE_BAD_STATE, "hello was already received");
		return;
	}
	if (!line_get(line, "version") ||
	    !line_number_of(line, "version", UINT64_MAX, &version)) {
		refuse(s, LINE_BAD_ARGUMENT, "version is not a number");
		return;
	}
	if (version != 1) {
		refuse(s, LINE_UNSUPPORTED, "version");
		return;
	}
	s->greeted = true;
	s->authenticated = agent_token.len == 0;
	introduce(s);
}

static void verb_auth(struct session *s, const struct line *line)
{
	const struct line_token *mac = line_find(line, "mac");
	uint8_t theirs[EVP_MAX_MD_SIZE];
	uint8_t ours[EVP_MAX_MD_SIZE];
	unsigned n = 0;

	if (agent_token.len == 0 || s->authenticated) {
		refuse(s, LINE_BAD_STATE, "nothing to prove");
		return;
	}
	if (!mac || !line_hex_decode(mac->value, mac->value_len, theirs,
				     sizeof(theirs))) {
		refuse(s, LINE_BAD_ARGUMENT, "mac is not hex");
		return;
	}
	if (!HMAC(EVP_sha256(), agent_token.octets, (int)agent_token.len,
		  s->nonce, NONCE_SIZE, ours, &n) ||
	    mac->value_len != 2 * (size_t)n ||
	    CRYPTO_memcmp(ours, theirs, n) != 0) {
		/* Each guess costs a connection, and each connection has its
		 * own nonce. */
		refuse(s, LINE_AUTH, "wrong mac");
		session_release(s);
		s->leaving = true;
		return;
	}
	s->authenticated = true;
	reply(s, "OK");
}

static void verb_reset(struct session *s, const struct line *line)
{
	(void)line;
	session_release(s);
	reply(s, "OK");
}

static void verb_bye(struct session *s, const struct line *line)
{
	(void)line;
	session_release(s);
	reply(s, "OK");
	s->leaving = true;
}

#define PARAMETERS                                                             \
	" port pd ird ord private markers crc rq rqlen proto msn mpa rtr "

static const struct verb {
	const char *name;
	const char *keys; /* each with a space on both sides */
	void (*run)(struct session *, const struct line *);
} verbs[] = {
	{"hello", " version ", verb_hello},
	{"auth", " mac ", verb_auth},
	{"reset", "", verb_reset},
	{"bye", "", verb_bye},
	{"reg", " name len access pd align skew base conn shared ", verb_reg},
	{"access", " name access ", verb_access},
	{"fill", " name off hex ", verb_fill},
	{"dump", " name off len ", verb_dump},
	{"digest", " name off len ", verb_digest},
	{"inval", " name ", verb_inval},
	{"dereg", " name ", verb_dereg},
	{"listen", PARAMETERS "need-ord reject ", verb_listen},
	{"accept", " listener timeout-ms ", verb_accept},
	{"connect", PARAMETERS "addr enhanced udp stream ", verb_connect},
	{"state", " conn timeout-ms until ", verb_state},
	{"recv", " conn count len local off id ", verb_recv},
	{"post",
	 " conn id op local off len hex rstag rto inv imm add mask swap"
	 " swap-mask compare compare-mask se fence ",
	 verb_post},
	{"events", " conn max timeout-ms min ", verb_events},
	{"close", " conn abort half ", verb_close},
	{"provoke", " conn layer etype code ", verb_provoke},
};

static const struct line_token *unknown_key(const struct verb *verb,
					    const struct line *line)
{
	for (size_t i = 0; i < line->ntokens; i++) {
		const struct line_token *t = &line->tokens[i];
		const char *at = verb->keys;

		while ((at = strstr(at, t->key))) {
			if (at[-1] == ' ' && at[t->key_len] == ' ')
				break;
			at++;
		}
		if (!at)
			return t;
	}
	return NULL;
}

static void run(struct session *s, const struct line *line)
{
	const struct line_token *unknown;
	const struct verb *verb = NULL;

	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
		if (strcmp(verbs[i].name, line->verb) == 0)
			verb = &verbs[i];
	if (!verb) {
		refuse(s, LINE_UNKNOWN_VERB, "no such verb");
		return;
	}
	if (!s->greeted && verb->run != verb_hello) {
		refuse(s, LINE_BAD_STATE, "hello comes first");
		return;
	}
	if (s->greeted && !s->authenticated && verb->run != verb_auth &&
	    verb->run != verb_hello) {
		refuse(s, LINE_AUTH, "not authenticated");
		return;
	}
	unknown = unknown_key(verb, line);
	if (unknown) {
		refuse(s, LINE_UNSUPPORTED, "%.64s", unknown->key);
		return;
	}
	verb->run(s, line);
}

static void leave_over(struct session *s, const char *why)
{
	refuse(s, LINE_BAD_ARGUMENT, "%s", why);
	session_release(s);
	s->leaving = true;
}

/* Serve the next whole line. False: there is none. */
static bool next_line(struct session *s)
{
	static struct line line;
	size_t len = buf_len(&s->in);
	uint8_t *text = buf_head(&s->in);
	enum line_flaw flaw;
	uint8_t *end;

	if (len == s->scanned)
		return false;
	end = memchr(text + s->scanned, '\n', len - s->scanned);
	if (!end || end - text >= LINE_MAX_OCTETS) {
		s->scanned = len;
		if (len >= LINE_MAX_OCTETS)
			leave_over(s, "the line is too long");
		return false;
	}
	s->scanned = 0;
	len = (size_t)(end - text);
	flaw = line_parse_request(&line, (char *)text, len);
	if (!s->authenticated && ++s->unproven > STRANGER_MAX)
		leave_over(s, "too many requests without a token");
	else if (flaw == LINE_NOT_ASCII)
		leave_over(s, line_flaw_text(flaw));
	else if (flaw != LINE_FINE)
		refuse(s, LINE_BAD_ARGUMENT, "%s", line_flaw_text(flaw));
	else
		run(s, &line);
	buf_take(&s->in, len + 1);
	return true;
}

static void flush(struct session *s)
{
	bool blocked = false;

	while (buf_len(&s->out) && !blocked) {
		ssize_t n = send(s->watch.fd, buf_head(&s->out),
				 buf_len(&s->out), MSG_NOSIGNAL);

		if (n < 0 && errno != EAGAIN && errno != EINTR) {
			loop_complain("send to the suite");
			session_destroy(s);
			return;
		}
		if (n > 0)
			buf_take(&s->out, (size_t)n);
		blocked = n < 0;
	}
	/* The device does not read from a client that does not read. */
	bool full = blocked && buf_len(&s->in) > 2 * LINE_MAX_OCTETS;

	loop_want(&s->watch,
		  EPOLLRDHUP | (full ? 0 : EPOLLIN) | (blocked ? EPOLLOUT : 0));
	if (s->leaving && !blocked && !s->timer.prev) {
		shutdown(s->watch.fd, SHUT_WR);
		timer_arm(&s->timer, LEAVING_MS);
	}
}

static void serve(struct session *s)
{
	if (s->poll && s->poll(s, false)) {
		s->poll = NULL;
		timer_cancel(&s->timer);
	}
	while (!s->poll && !s->leaving && buf_len(&s->out) < OUT_HIGH &&
	       next_line(s))
		;
	if (s->leaving)
		buf_take(&s->in, buf_len(&s->in));
	flush(s);
}

static void run_job(struct job *job)
{
	struct session *s =
		(struct session *)((char *)job - offsetof(struct session, job));

	if (!s->gone)
		serve(s);
}

void session_wait(struct session *s, bool (*poll)(struct session *, bool),
		  uint64_t timeout_ms)
{
	if (poll(s, timeout_ms == 0))
		return;
	s->poll = poll;
	timer_arm(&s->timer, timeout_ms);
}

static void expired(struct timer *timer)
{
	struct session *s = (struct session *)((char *)timer -
					       offsetof(struct session, timer));

	if (s->leaving) {
		session_destroy(s);
		return;
	}
	s->poll(s, true);
	s->poll = NULL;
	loop_post(&s->job);
}

/* The client has gone. Serve its earlier requests in order, except those that
 * would have to wait. */
static void ended(struct session *s)
{
	if (!s->leaving && !s->poll)
		serve(s);
	if (!s->gone)
		session_destroy(s);
}

/* Take the input that has arrived. False: the session waits for nothing more
 * now, or has ended. */
static bool read_some(struct session *s)
{
	size_t room = buf_len(&s->in) ? 64 << 10 : 4 << 10;
	ssize_t n;

	/* A waiting or slow session buffers no more than this. */
	if (buf_len(&s->in) > 2 * LINE_MAX_OCTETS)
		return false;
	n = recv(s->watch.fd, buf_room(&s->in, room), room, 0);
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
		if (n < 0)
			loop_complain("recv from the suite");
		ended(s);
		return false;
	}
	if (n < 0)
		return false;
	buf_grow(&s->in, (size_t)n);
	if (s->leaving)
		buf_take(&s->in, buf_len(&s->in));
	if ((size_t)n < room)
		return false;
	if (!s->poll)
		serve(s);
	return !s->gone;
}

static void ready(struct watch *watch, uint32_t events)
{
	struct session *s = (struct session *)watch;

	if (s->poll && (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR))) {
		session_destroy(s);
		return;
	}
	if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
		for (unsigned i = 0; i < READS_AT_ONCE && read_some(s); i++)
			;
	if (!s->gone)
		serve(s);
	if (!s->gone && s->poll && buf_len(&s->in) > 2 * LINE_MAX_OCTETS)
		loop_want(&s->watch, EPOLLRDHUP);
}

void session_open(int fd)
{
	struct session *s = alloc_zeroed(sizeof(*s));
	int one = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	s->watch.fd = -1;
	s->watch.ready = ready;
	s->job.run = run_job;
	s->timer.fire = expired;
	s->listeners_end = &s->listeners;
	if (!random_octets(s->nonce, NONCE_SIZE) ||
	    loop_watch(&s->watch, fd, EPOLLIN | EPOLLRDHUP) < 0) {
		loop_complain("a session");
		close(fd);
		free(s);
		return;
	}
	s->prev = sessions.prev;
	s->next = &sessions;
	s->prev->next = s;
	sessions.prev = s;
}

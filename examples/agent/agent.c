/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An agent to copy: the protocol of harness/agent/PROTOCOL.md in one file of C,
 * with nothing but POSIX sockets and threads.
 *
 *   cc -std=c11 -pthread -o agent agent.c
 *
 *   agent [--port P]       with the stubs below: every verb is unsupported
 *   agent --simulate PORT  with the device of 'warpspec-refdut --agent-port
 *                          PORT' in the place of yours
 *
 * Fill in the functions of "the device", one after the other, and try each
 * step:
 *
 *   warpspec check-agent -d my.ini
 *
 * Everything below them (lines, order, errors, the end of a session) is done.
 * The first line on stdout has the port. It listens on loopback, without a
 * token; to listen elsewhere, PROTOCOL.md requires one ("auth").
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* --- what a verb has to do with --------------------------------------------- */

struct device;
struct request;
struct reply;

/* The value of a key of the request; NULL: it is not there. */
static const char *key(const struct request *q, const char *name);
/* `OK` and what follows it. Once for a request, or refuse() instead. */
static void done(struct reply *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* A line behind done(r, "n=..."); without use as long as do_events is a stub. */
static void event(struct reply *r, const char *format, ...)
	__attribute__((format(printf, 2, 3), unused));
/* `ERR CODE TEXT`: "limit", "timeout", "unsupported KEY", "device why". What
 * fails changes nothing. */
static void refuse(struct reply *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The suite has closed the session: look while you wait, and give up. */
static bool gone(const struct device *d);

/* --- the device: this is yours ----------------------------------------------
 *
 * Your stack, as one session sees it. Each session has a thread: a function
 * may wait, and others go on meanwhile.
 */
struct device {
	int client;         /* for gone() */
	int refdut;         /* --simulate only: the connection to it, and */
	struct lines *said; /* what came by it */
	/* Your handles: regions, listeners, connections by their names. */
};

/* A session begins. False: it cannot. */
static bool device_begins(struct device *d)
{
	(void)d;
	return true;
}

/* The session is over: release listeners, connections (close open streams at
 * once, by reset if necessary) and regions. */
static void device_ends(struct device *d)
{
	(void)d;
}

/* What you claim, and your limits. Claim only what you can do: what you leave
 * out is not tested. Start with few features. */
static void do_hello(struct device *d, const struct request *q, struct reply *r)
{
	(void)d, (void)q;
	done(r, "agent=example impl=an_example addr=127.0.0.1 "
		"features=responder,initiator,mpa-v1 byte-order=little "
		"max-ird=16 max-ord=16 max-private=512 max-regions=64 "
		"max-region-len=1048576 max-message=1048576 "
		"startup-timeout-ms=0");
}

/* The same as device_ends(), and the session goes on: done(r, ""). */
static void do_reset(struct device *d, const struct request *q, struct reply *r)
{
	(void)d, (void)q;
	refuse(r, "unsupported reset");
}

/* Allocate len zeroed bytes, register them with exactly the rights of access:
 * done(r, "stag=0x%08x to=0x%llx len=%zu", ...). */
static void do_reg(struct device *d, const struct request *q, struct reply *r)
{
	(void)d, (void)q;
	refuse(r, "unsupported reg");
}

/* Change the rights of a region that is registered. */
static void do_access(struct device *d, const struct request *q,
		      struct reply *r)
{
	(void)d, (void)q;
	refuse(r, "unsupported access");
}

/* Write hex into the region at off, as the host does. */
static void do_fill(struct device *d, const struct request *q, struct reply *r)
{
	(void)d, (void)q;
	refuse(r, "unsupported fill");
}

/* "hex=...": len bytes of the region at off, with all that the device has
 * placed by now. */
static void do_dump(struct device *d, const struct request *q, struct reply *r)
{
	(void)d, (void)q;
	refuse(r, "unsupported dump");
}

/* "sha256=...": the SHA-256 of the same bytes, in hex. */
static void do_digest(struct device *d, const struct request *q,
		      struct reply *r)
{
	(void)d, (void)q;
	refuse(r, "unsupported digest");
}

/* Invalidate the STag by which the peer addresses the region, and the one that
 * results are placed by, also of Reads that are not answered yet. Return once
 * the device refuses it. */
static void do_inval(struct device *d, const struct request *q, struct reply *r)
{
	(void)d, (void)q;
	refuse(r, "unsupported inval");
}

/* Remove the region. */
static void do_dereg(struct device *d, const struct request *q, struct reply *r)
{
	(void)d, (void)q;
	refuse(r, "unsupported dereg");
}

/* Listen for one connection: "listener=l1 port=P". */
static void do_listen(struct device *d, const struct request *q,
		      struct reply *r)
{
	(void)d, (void)q;
	refuse(r, "unsupported listen");
}

/* Wait for it, timeout-ms at most: "conn=c1 state=established peer=A:P
 * private=...". refuse(r, "timeout") where none came. */
static void do_accept(struct device *d, const struct request *q,
		      struct reply *r)
{
	(void)d, (void)q;
	refuse(r, "unsupported accept");
}

/* Start an active connection, and do not wait for it: "conn=c1". */
static void do_connect(struct device *d, const struct request *q,
		       struct reply *r)
{
	(void)d, (void)q;
	refuse(r, "unsupported connect");
}

/* "state=established", terminated, closed, error ... Wait for `until` or a
 * final one, timeout-ms at most; then say what it is. */
static void do_state(struct device *d, const struct request *q, struct reply *r)
{
	(void)d, (void)q;
	refuse(r, "unsupported state");
}

/* Post count receive buffers of len octets. */
static void do_recv(struct device *d, const struct request *q, struct reply *r)
{
	(void)d, (void)q;
	refuse(r, "unsupported recv");
}

/* Give the device one work request: op=send, write, read ... */
static void do_post(struct device *d, const struct request *q, struct reply *r)
{
	(void)d, (void)q;
	refuse(r, "unsupported post");
}

/* Ask the device now, wait timeout-ms at most for min completions:
 * done(r, "n=%u", n), and then n times
 * event(r, "conn=c1 id=1 op=send status=ok len=5"). */
static void do_events(struct device *d, const struct request *q,
		      struct reply *r)
{
	(void)d, (void)q;
	refuse(r, "unsupported events");
}

/* Send what needs no answer, then FIN; abort=1: a reset. */
static void do_close(struct device *d, const struct request *q, struct reply *r)
{
	(void)d, (void)q;
	refuse(r, "unsupported close");
}

/* Make the device run into an error of its own, if it can. */
static void do_provoke(struct device *d, const struct request *q,
		       struct reply *r)
{
	(void)d, (void)q;
	refuse(r, "unsupported provoke");
}

/* --- the protocol: nothing below depends on the device ----------------------- */

enum {
	MIB = 1 << 20, /* of a line, its newline included */
	KEYS = 32,     /* of a request */
	NAME = 64,
};

/* Parameters of a connection. */
#define PARAMETERS                                                             \
	" pd ird ord private markers crc rq rqlen proto need-ord msn mpa "     \
	"enhanced rtr "

static const struct verb {
	const char *name;
	const char *keys; /* between blanks */
	void (*run)(struct device *d, const struct request *q, struct reply *r);
} verbs[] = {
	{"hello", " version ", do_hello},
	{"auth", " mac ", NULL},
	{"reset", " ", do_reset},
	{"bye", " ", NULL},
	{"reg", " name len access pd align skew base conn shared ", do_reg},
	{"access", " name access ", do_access},
	{"fill", " name off hex ", do_fill},
	{"dump", " name off len ", do_dump},
	{"digest", " name off len ", do_digest},
	{"inval", " name ", do_inval},
	{"dereg", " name ", do_dereg},
	{"listen", PARAMETERS "port reject ", do_listen},
	{"accept", " listener timeout-ms ", do_accept},
	{"connect", PARAMETERS "addr port udp stream ", do_connect},
	{"state", " conn timeout-ms until ", do_state},
	{"recv", " conn count len local off id ", do_recv},
	{"post",
	 " conn id op local off len hex rstag rto inv imm add mask swap "
	 "swap-mask compare compare-mask se fence ",
	 do_post},
	{"events", " conn max timeout-ms min ", do_events},
	{"close", " conn abort half ", do_close},
	{"provoke", " conn layer etype code ", do_provoke},
};

struct request {
	char *line; /* as it came */
	char *text; /* the same, taken apart: */
	const char *verb;
	struct {
		const char *name, *value;
	} keys[KEYS];
	unsigned count;
};

struct reply {
	char *text; /* lines */
	size_t n, room;
};

struct session {
	struct device device;
	int fd;
	bool greeted, over;
};

static int refdut_port; /* 0: the stubs */

static const char *key(const struct request *q, const char *name)
{
	for (unsigned i = 0; i < q->count; i++)
		if (strcmp(q->keys[i].name, name) == 0)
			return q->keys[i].value;
	return NULL;
}

/* --- replies ------------------------------------------------------------------ */

static void put(struct reply *r, const char *text, size_t n)
{
	if (r->n + n > r->room) {
		size_t room = 2 * (r->n + n);
		char *more = realloc(r->text, room);

		if (!more)
			abort();
		r->text = more;
		r->room = room;
	}
	memcpy(r->text + r->n, text, n);
	r->n += n;
}

/* "OK", a blank if anything follows, a newline. */
static void put_line(struct reply *r, const char *word, const char *format,
		     va_list ap)
{
	char *text;
	int n = vasprintf(&text, format, ap);

	if (n < 0)
		abort();
	put(r, word, strlen(word));
	if (n)
		put(r, " ", 1);
	put(r, text, (size_t)n);
	put(r, "\n", 1);
	free(text);
}

static void done(struct reply *r, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	put_line(r, "OK", format, ap);
	va_end(ap);
}

static void refuse(struct reply *r, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	put_line(r, "ERR", format, ap);
	va_end(ap);
}

static void event(struct reply *r, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	put_line(r, "ev", format, ap);
	va_end(ap);
}

/* --- lines --------------------------------------------------------------------- */

struct lines {
	int fd;
	size_t n,
		taken; /* octets at hand; of the last line, with its newline */
	char octets[MIB];
};

enum came { CAME_LINE, CAME_END, CAME_TOO_LONG };

static bool gone(const struct device *d)
{
	struct pollfd p = {.fd = d->client, .events = POLLRDHUP};

	return poll(&p, 1, 0) > 0;
}

/* More octets. False: there are none, or nobody waits for them any more. */
static bool more(struct lines *l, const struct device *waits)
{
	struct pollfd p[] = {
		{.fd = l->fd, .events = POLLIN},
		{.fd = waits ? waits->client : -1, .events = POLLRDHUP}};

	if (poll(p, 2, -1) < 0 || p[1].revents)
		return false;

	ssize_t got = recv(l->fd, l->octets + l->n, MIB - l->n, 0);

	if (got <= 0)
		return false;
	l->n += (size_t)got;
	return true;
}

/* The next line, with a NUL for its newline, and its length. `waits`: a session
 * whose end is looked for meanwhile, or NULL. */
static enum came next_line(struct lines *l, const struct device *waits,
			   char **line, size_t *n)
{
	char *end;

	l->n -= l->taken;
	memmove(l->octets, l->octets + l->taken, l->n);
	l->taken = 0;
	for (size_t seen = 0;
	     !(end = memchr(l->octets + seen, '\n', l->n - seen));) {
		seen = l->n;
		if (l->n == MIB)
			return CAME_TOO_LONG;
		if (!more(l, waits))
			return CAME_END;
	}
	*end = '\0';
	*line = l->octets;
	*n = (size_t)(end - l->octets);
	l->taken = *n + 1;
	return CAME_LINE;
}

static bool send_all(int fd, const char *text, size_t n)
{
	while (n) {
		ssize_t sent = send(fd, text, n, MSG_NOSIGNAL);

		if (sent <= 0)
			return false;
		text += sent;
		n -= (size_t)sent;
	}
	return true;
}

/* --- requests ------------------------------------------------------------------- */

/* One `key=value`. False: it is none. */
static bool take_key(struct request *q, char *word)
{
	char *equals = strchr(word, '=');

	if (equals)
		*equals = '\0';
	if (!equals || equals == word || key(q, word) || q->count == KEYS)
		return false;
	q->keys[q->count].name = word;
	q->keys[q->count++].value = equals + 1;
	return true;
}

/* Take q->text apart, of n octets. False: the reply says why. */
static bool take_apart(struct request *q, size_t n, struct reply *r)
{
	char *rest = q->text, *word;

	for (size_t i = 0; i < n; i++)
		if ((unsigned char)q->text[i] < 0x20 || q->text[i] == 0x7f) {
			refuse(r, "bad-argument a control character");
			return false;
		}
	q->verb = strsep(&rest, " ");
	while ((word = strsep(&rest, " ")))
		if (!take_key(q, word)) {
			refuse(r, "bad-argument %.*s", NAME, word);
			return false;
		}
	if (!*q->verb)
		refuse(r, "bad-argument an empty line");
	return *q->verb;
}

/* Whether it is one of the words, which stand between blanks. */
static bool is_word(const char *words, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = words; (at = strstr(at, word)); at++)
		if (at[-1] == ' ' && at[n] == ' ')
			return true;
	return false;
}

/* Decimal, or 0x hex. */
static bool is_number(const char *text, unsigned long *value)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *digits = hex ? text + 2 : text;
	size_t n =
		strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789");

	*value = strtoul(digits, NULL, hex ? 16 : 10);
	return n && !digits[n];
}

/* --- a simulated device --------------------------------------------------------- */

static bool simulation_begins(struct device *d)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)refdut_port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int one = 1;

	d->refdut = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	d->said = malloc(sizeof(*d->said));
	if (!d->said)
		abort();
	d->said->fd = d->refdut;
	d->said->n = d->said->taken = 0;
	setsockopt(d->refdut, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return connect(d->refdut, (struct sockaddr *)&to, sizeof(to)) == 0;
}

static void simulation_ends(struct device *d)
{
	close(d->refdut);
	free(d->said);
}

/* Its answer to hello, without what this agent says itself. */
static void simulated_hello(char *line, struct reply *r)
{
	char about[4096] = "", *word;
	size_t at = 0;

	strsep(&line, " "); /* OK */
	while ((word = strsep(&line, " ")))
		if (strncmp(word, "version=", 8) != 0 &&
		    strncmp(word, "nonce=", 6) != 0 &&
		    strncmp(word, "auth=", 5) != 0 && at < sizeof(about))
			at += (size_t)snprintf(about + at, sizeof(about) - at,
					       "%s%s", at ? " " : "", word);
	done(r, "%s", about);
}

/* warpspec's built-in device: each request goes to it as it came. False: it, or
 * the session, is gone. */
static bool simulated(struct device *d, const struct request *q,
		      struct reply *r)
{
	unsigned long events = 0;
	char *line;
	size_t n;

	if (!send_all(d->refdut, q->line, strlen(q->line)) ||
	    !send_all(d->refdut, "\n", 1) ||
	    next_line(d->said, d, &line, &n) != CAME_LINE)
		return false;
	if (strcmp(q->verb, "hello") == 0) {
		simulated_hello(line, r);
		return true;
	}
	if (strcmp(q->verb, "events") == 0 && strncmp(line, "OK n=", 5) == 0)
		events = strtoul(line + 5, NULL, 10);
	for (;;) {
		put(r, line, n);
		put(r, "\n", 1);
		if (!events--)
			return true;
		if (next_line(d->said, NULL, &line, &n) != CAME_LINE)
			return false;
	}
}

/* --- sessions ------------------------------------------------------------------- */

/* False: there is no answer, and the session is over. */
static bool run_verb(struct session *s, const struct verb *v,
		     const struct request *q, struct reply *r)
{
	if (refdut_port)
		return simulated(&s->device, q, r);
	v->run(&s->device, q, r);
	return !gone(&s->device);
}

/* What the device says of itself, between what the protocol says. */
static bool hello(struct session *s, const struct verb *v,
		  const struct request *q, struct reply *r)
{
	const char *version = key(q, "version");
	struct reply about = {0};
	unsigned long n;
	bool ok = true;

	if (s->greeted) {
		refuse(r, "bad-state a second hello");
	} else if (!version || !is_number(version, &n)) {
		refuse(r, "bad-argument version");
	} else if (n != 1) {
		refuse(r, "unsupported version");
	} else if ((ok = run_verb(s, v, q, &about))) {
		/* "OK ", and a newline behind it */
		done(r, "version=1 %.*s nonce=%032d auth=none",
		     (int)about.n - 4, about.text + 3, 0);
		s->greeted = true;
	}
	free(about.text);
	return ok;
}

static const struct verb *verb_named(const char *name)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
		if (strcmp(verbs[i].name, name) == 0)
			return &verbs[i];
	return NULL;
}

/* A request that is taken apart. False: the session is over. */
static bool answer(struct session *s, const struct request *q, struct reply *r)
{
	const struct verb *v = verb_named(q->verb);
	bool is_hello = v && v->run == do_hello;

	if (!v) {
		refuse(r, "unknown-verb %.*s", NAME, q->verb);
		return true;
	}
	if (!s->greeted && !is_hello) {
		refuse(r, "bad-state hello comes first");
		return true;
	}
	for (unsigned i = 0; i < q->count; i++)
		if (!is_word(v->keys, q->keys[i].name)) {
			refuse(r, "unsupported %.*s", NAME, q->keys[i].name);
			return true;
		}
	if (is_hello)
		return hello(s, v, q, r);
	if (v->run)
		return run_verb(s, v, q, r);
	s->over = strcmp(v->name, "bye") == 0;
	if (s->over)
		done(r, "%s", "");
	else
		refuse(r, "bad-state nobody asked for it");
	return true;
}

/* A line of n octets. False: the session is over, without a word. */
static bool take(struct session *s, char *line, size_t n, struct reply *r)
{
	struct request q = {.line = line, .text = malloc(n + 1)};
	bool ok = true;

	if (!q.text)
		abort();
	memcpy(q.text, line, n + 1);
	if (take_apart(&q, n, r))
		ok = answer(s, &q, r);
	free(q.text);
	return ok;
}

static bool is_ascii(const char *line, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (line[i] & 0x80)
			return false;
	return true;
}

/* One request, and its reply. False: the session is over. */
static bool serve(struct session *s, struct lines *l)
{
	struct reply r = {0};
	char *line;
	size_t n;
	enum came came = next_line(l, NULL, &line, &n);
	bool ok = came != CAME_END;

	if (came == CAME_TOO_LONG || (ok && !is_ascii(line, n))) {
		refuse(&r, "bad-argument framing");
		s->over = true;
	} else if (ok) {
		ok = take(s, line, n, &r);
	}
	ok = ok && send_all(s->fd, r.text, r.n) && !s->over;
	free(r.text);
	return ok;
}

/* What is not read at a close would take the last reply with it. */
static void hang_up(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	char octets[4096];

	shutdown(fd, SHUT_WR);
	while (poll(&p, 1, 1000) > 0 && recv(fd, octets, sizeof(octets), 0) > 0)
		continue;
	close(fd);
}

static void *session(void *of)
{
	struct session *s = of;
	struct lines *l = malloc(sizeof(*l));
	bool begun;

	if (!l)
		abort();
	l->fd = s->fd;
	l->n = l->taken = 0;
	s->device.client = s->fd;
	begun = refdut_port ? simulation_begins(&s->device)
			    : device_begins(&s->device);
	while (begun && serve(s, l))
		continue;
	if (refdut_port)
		simulation_ends(&s->device);
	else
		device_ends(&s->device);
	hang_up(s->fd);
	free(l);
	free(s);
	return NULL;
}

static int listens(int port)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t n = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0 ||
	    listen(fd, 64) < 0 ||
	    getsockname(fd, (struct sockaddr *)&at, &n) < 0) {
		perror("agent");
		exit(1);
	}
	printf("agent listens on 127.0.0.1:%d\n", ntohs(at.sin_port));
	fflush(stdout);
	return fd;
}

int main(int argc, char **argv)
{
	int port = 0, fd, one = 1;

	for (int i = 1; i < argc; i += 2) {
		bool simulate = strcmp(argv[i], "--simulate") == 0;

		if (i + 1 == argc || (!simulate && strcmp(argv[i], "--port"))) {
			fputs("usage: agent [--port P] [--simulate PORT]\n",
			      stderr);
			return 2;
		}
		*(simulate ? &refdut_port : &port) = atoi(argv[i + 1]);
	}
	signal(SIGPIPE, SIG_IGN);
	fd = listens(port);
	for (;;) {
		struct session *s = calloc(1, sizeof(*s));
		pthread_t thread;

		if (!s)
			abort();
		s->fd = accept(fd, NULL, NULL);
		setsockopt(s->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		if (s->fd < 0 || pthread_create(&thread, NULL, session, s)) {
			perror("agent");
			return 1;
		}
		pthread_detach(thread);
	}
}

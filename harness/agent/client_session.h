/* SPDX-License-Identifier: BSD-2-Clause */
/* The internals of a session: between client.c, which moves lines, and the
 * other files, which know their meaning. */
#ifndef HARNESS_AGENT_CLIENT_SESSION_H
#define HARNESS_AGENT_CLIENT_SESSION_H

#include "harness/agent/client.h"

struct pending;

/* Read the values of an OK. False: reported with session_garbage. */
typedef bool take_fn(struct agent *a, const struct pending *p,
		     const struct line *l);

/* A request whose reply has not come. */
struct pending {
	const char *verb;
	take_fn *take;         /* NULL: an OK has no keys */
	void *out;             /* the caller's memory, for `take` */
	size_t n;              /* octets at out, if it is memory */
	char name[AGENT_NAME]; /* of the conn, for events */
};

struct agent {
	int fd;
	enum agent_result over;  /* not AGENT_OK: the session is over */
	enum agent_result first; /* since the last agent_finish */
	enum line_code code;
	const char *verb; /* the key that was refused */
	char text[AGENT_WHY];
	char why[AGENT_WHY];
	struct agent_hello hello;
	agent_trace_fn *trace;
	void *trace_arg;
	int aside_fd;
	agent_aside_fn *aside; /* NULL: nothing is served */
	void *aside_arg;

	char *out; /* requests not sent */
	size_t out_from, out_to, out_cap;
	size_t request; /* the start of the one being built */
	char *in;       /* octets received, not taken */
	size_t in_used, in_cap;
	size_t scanned; /* of them, that hold no '\n' */

	struct pending pending[AGENT_PENDING]; /* a ring, in order */
	unsigned first_pending, pending_count;
	uint64_t events_left; /* ev lines that the first pending is due */
	struct line line;     /* large: not for the stack */
};

/* The session is over, for this reason. Always false. */
bool session_over(struct agent *a, enum agent_result r, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* ... because the reply to `verb` breaks the protocol. */
bool session_garbage(struct agent *a, const char *verb, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The request failed without the agent having been asked. */
void session_refuse(struct agent *a, enum line_code code, const char *text);

/* Build a request: its first word, " key=value" text, and its end. */
void request_start(struct agent *a, const char *verb);
void request_put(struct agent *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void request_hex(struct agent *a, const char *key, const void *octets,
		 size_t n);
/* The names of the bits that are set, with commas between them. */
void request_bits(struct agent *a, const char *const *names, size_t n,
		  unsigned bits);
void request_end(struct agent *a, const struct pending *p);

void request_end_as(struct agent *a, const char *verb, take_fn *take,
		    void *out);

/*
 * Values of a reply (client_values.c). Each returns false if the session is
 * over because of it: `need` if the key has to be present, `may` if not.
 */
bool value_need_text(struct agent *a, const struct pending *p,
		     const struct line *l, const char *key, char *out,
		     size_t cap);
/* The place of the value in a table of names. */
bool value_need_name(struct agent *a, const struct pending *p,
		     const struct line *l, const char *key,
		     const char *const *names, size_t n, size_t *out);
bool value_may_number(struct agent *a, const struct pending *p,
		      const struct line *l, const char *key, uint64_t max,
		      uint64_t *out);
bool value_need_number(struct agent *a, const struct pending *p,
		       const struct line *l, const char *key, uint64_t max,
		       uint64_t *out);
bool value_need_32(struct agent *a, const struct pending *p,
		   const struct line *l, const char *key, uint32_t *out);
/* As many octets as fit; *told is the total number. */
bool value_hex_of(struct agent *a, const struct pending *p,
		  const struct line_token *t, uint8_t *out, size_t cap,
		  size_t *n, size_t *told);
/* n octets, exactly. */
bool value_need_octets(struct agent *a, const struct pending *p,
		       const struct line *l, const char *key, uint8_t *out,
		       size_t n);

/* An ev line for the first pending request (client_stream.c). */
bool take_event(struct agent *a, const struct pending *p, const struct line *l);
/* hello and auth (client_memory.c). */
void begin_hello(struct agent *a);
void begin_auth(struct agent *a, const uint8_t *token, size_t token_octets);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The internals of a session: client.c sends and receives lines; the other
 * files know their meaning. */
#ifndef HARNESS_AGENT_CLIENT_SESSION_H
#define HARNESS_AGENT_CLIENT_SESSION_H

#include "harness/agent/client.h"

struct pending;

/* Read the values of an OK. False: session_garbage() was called. */
typedef bool take_fn(struct agent *a, const struct pending *p,
		     const struct line *l);

/* A request whose reply has not come. */
struct pending {
	const char *verb;
	take_fn *take;         /* NULL: an OK has no keys */
	void *out;             /* the caller's memory, for `take` */
	size_t n;              /* octets at out, for `dump` */
	char name[AGENT_NAME]; /* the conn, for `events` */
};

struct agent {
	int fd;
	enum agent_result over;  /* not AGENT_OK: the session is over */
	enum agent_result first; /* the first failure since agent_finish() */
	enum line_code code;
	const char *verb; /* that was refused */
	char text[AGENT_WHY];
	char why[AGENT_WHY];
	struct agent_hello hello;
	agent_trace_fn *trace;
	void *trace_arg;
	int aside_fd;
	agent_aside_fn *aside; /* NULL: nothing else is served */
	void *aside_arg;

	char *out; /* requests that were not sent yet */
	size_t out_from, out_to, out_cap;
	size_t request; /* the start of the one that is being built */
	char *in;       /* octets received and not processed yet */
	size_t in_used, in_cap;
	size_t scanned; /* how many of them were searched for '\n' */

	struct pending pending[AGENT_PENDING]; /* a ring, in order */
	unsigned first_pending, pending_count;
	uint64_t events_left; /* ev lines that the first pending still gets */
	struct line line;     /* too large for the stack */
};

/* End the session for this reason. Returns false. */
bool session_over(struct agent *a, enum agent_result r, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* End it because the reply to `verb` breaks the protocol. Returns false. */
bool session_garbage(struct agent *a, const char *verb, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* A request failed before it was sent to the agent. */
void session_refuse(struct agent *a, enum line_code code, const char *text);

/* Build a request: its verb, " key=value" texts, and its end. */
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
 * Read values of a reply (client_values.c). If a value is wrong, each function
 * ends the session and returns false. With `need` the key has to be present;
 * with `may` it need not.
 */
bool value_need_text(struct agent *a, const struct pending *p,
		     const struct line *l, const char *key, char *out,
		     size_t cap);
/* *out is the place of the value in a table of names. */
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
/* Decode as many octets as fit: *n. *told is the total number. */
bool value_hex_of(struct agent *a, const struct pending *p,
		  const struct line_token *t, uint8_t *out, size_t cap,
		  size_t *n, size_t *told);
/* Exactly n octets. */
bool value_need_octets(struct agent *a, const struct pending *p,
		       const struct line *l, const char *key, uint8_t *out,
		       size_t n);

/* Process an ev line for the first pending request (client_stream.c). */
bool take_event(struct agent *a, const struct pending *p, const struct line *l);
/* hello and auth (client_memory.c). */
void begin_hello(struct agent *a);
void begin_auth(struct agent *a, const uint8_t *token, size_t token_octets);

#endif

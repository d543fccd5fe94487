/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a check is written in. It reads as a talk with the agent: `given` is
 * what has to be there first, and makes the check not applicable where it
 * cannot be had; `due_ok`, `due_err` and `due` are what is checked. The first
 * that does not hold ends the check. Every check has sessions of its own.
 */
#ifndef SUITE_AGENT_CHECK_CHECKER_H
#define SUITE_AGENT_CHECK_CHECKER_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "harness/agent/client.h"
#include "harness/agent/line.h"
#include "harness/agent/talk.h"
#include "harness/link/link.h"
#include "harness/observe/observe.h"
#include "suite/agent_check/wire.h"
#include "suite/device/device.h"

struct checker;

/* "The agent ...": a sentence of PROTOCOL.md in that section. */
struct check {
	const char *section, *sentence;
	void (*run)(struct checker *c);
	uint64_t needs; /* CLAIM()s */
};

struct check_group {
	const char *name;
	const struct check *check;
	size_t n;
};

#define CHECK_GROUP(name, checks)                                              \
	{                                                                      \
		name, checks, sizeof(checks) / sizeof(*(checks))               \
	}
#define CLAIM(ident) (UINT64_C(1) << AGENT_FEATURE_BIT_##ident)

extern const struct check_group framing_checks, hello_checks, session_checks,
	memory_checks, stream_checks, end_checks, receive_checks, work_checks,
	promise_checks, limit_checks, session_over_sctp_checks;

enum {
	CHECKER_SESSIONS = 4,
	CHECKER_SAID = 6,   /* of an exchange, as far as it is quoted */
	CHECKER_TEXT = 200, /* octets of a quoted line */
	CHECKER_WHY = 512,
	CHECKER_TOKEN = 256,
};

enum outcome { OUTCOME_PASS, OUTCOME_FAIL, OUTCOME_SKIP, OUTCOME_NOT_REACHED };

/* One line of the evidence. */
struct said {
	const char *who; /* "sent", "came", "wire" */
	char text[CHECKER_TEXT];
};

struct checker {
	const struct device *device;
	char token[CHECKER_TOKEN];
	uint64_t wait_ns; /* an answer that has to come, comes by then */
	struct agent_hello hello; /* what the agent claims */
	bool known;               /* hello is what it said */
	struct link *link;
	struct observe *log;

	struct talk *session[CHECKER_SESSIONS];
	unsigned sessions, current;
	struct wire wire[WIRE_STREAMS];
	unsigned wires;
	/* the last reply */
	struct line reply;
	char reply_text[CHECKER_TEXT]; /* as it came, for the evidence */

	/* this check's end */
	jmp_buf out;
	enum outcome outcome;
	char why[CHECKER_WHY];
	struct said said[CHECKER_SAID];
	unsigned said_count;
	/* over all checks: an `ERR unsupported` that named no key of its
	 * request, and what was asked */
	char misnamed[CHECKER_TEXT], misnamed_for[CHECKER_TEXT];
	bool silent; /* the agent did not answer in this check */
	/* What failed may be the device's fault as well: it had its part in
	 * this check, and the reply is not wrong in its form. */
	bool device_took_part, wrong_form;
};

/* --- ending a check ------------------------------------------------------- */

/* Not so: what was due instead. */
void due(struct checker *c, bool holds, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void fails(struct checker *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), noreturn));
/* The same of what no device has a part in: the form of a reply. */
void fails_in_form(struct checker *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), noreturn));
void skips(struct checker *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), noreturn));
/* Not applicable unless one of these is claimed. */
void needs_one_of(struct checker *c, uint64_t claims);
bool claims(const struct checker *c, uint64_t all_of);
bool untold(const struct checker *c, unsigned what);
/* Into the evidence. */
void notes(struct checker *c, const char *who, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Associations of a check, and their streams (sessions.c). */
void sessions_end(void);

/* --- sessions --------------------------------------------------------------- */

/* Open one, greet the agent, prove the token: it is the current one. */
void opens_session(struct checker *c);
/* The same without a word. */
void opens_unspoken(struct checker *c);
/* Answer for the nonce, in the current session. */
void proves_token(struct checker *c, const char *nonce, size_t octets);
/* Go on with another, by the order they were opened in, from 0. */
void on_session(struct checker *c, unsigned n);
void closes_session(struct checker *c);
/* The agent closes the current session, and says no more. */
void due_closed(struct checker *c);

/* --- requests and replies ----------------------------------------------------- */

/* Octets as they are. */
void says(struct checker *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void says_octets(struct checker *c, const void *octets, size_t n);
/* The next line: a reply to what was said. */
void hears(struct checker *c);
/* The same where the agent may close the session instead. True: it did. */
bool hears_or_is_left(struct checker *c);
/* A line, and its reply in c->reply. */
void asks(struct checker *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* ... which is what the check needs to go on with. */
void given(struct checker *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* ... which is OK; where the agent cannot do it, the check is not applicable. */
void due_ok(struct checker *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* ... which is an error of this code. */
void due_err(struct checker *c, enum line_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The reply at hand is that. */
void due_code(struct checker *c, enum line_code code);
/* It is OK, or the agent cannot do it. */
void due_done(struct checker *c);
bool was(const struct checker *c, enum line_code code); /* LINE_NO_ERROR: OK */
/* Nothing is there to be read that was not asked for. */
void due_nothing(struct checker *c);

/* Values of the reply at hand. It has to have them. */
const char *word(struct checker *c, const char *key);
uint64_t number(struct checker *c, const char *key);
/* That key has this value. */
void due_word(struct checker *c, const char *key, const char *value);
void due_number(struct checker *c, const char *key, uint64_t value);
/* Octets in hex, exactly these. */
void due_octets(struct checker *c, const char *key, const void *octets,
		size_t n);
/* There is no such key. */
void due_none(struct checker *c, const char *key);

/* An event after `OK n=K`: the next line, in c->reply. */
void hears_event(struct checker *c);
/* Ask for exactly one of a connection, and wait for it. */
void awaits_event(struct checker *c, const char *conn);
/* It is of this operation, with this status. */
void due_event(struct checker *c, uint64_t id, const char *op,
	       const char *status);
/* There is none now. */
void due_no_event(struct checker *c, const char *conn);

#endif

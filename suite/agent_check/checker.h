/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The language of a check: it reads like a dialogue with the agent. `given` is
 * a precondition: if it cannot be met, the check is not applicable. `due_ok`,
 * `due_err` and `due` are the tests; the first that fails ends the check. Every
 * check has sessions of its own.
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
	CHECKER_SAID = 6,   /* lines of an exchange that are quoted */
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
	uint64_t wait_ns;         /* a due answer arrives by then */
	struct agent_hello hello; /* what the agent claims */
	bool known;               /* the contents of hello */
	struct link *link;
	struct observe *log;

	struct talk *session[CHECKER_SESSIONS];
	unsigned sessions, current;
	struct wire wire[WIRE_STREAMS];
	unsigned wires;
	/* the last reply */
	struct line reply;
	char reply_text[CHECKER_TEXT]; /* as received, for the evidence */

	/* the result of this check */
	jmp_buf out;
	enum outcome outcome;
	char why[CHECKER_WHY];
	struct said said[CHECKER_SAID];
	unsigned said_count;
	/* over all checks: an `ERR unsupported` that named no key of its
	 * request, and the request */
	char misnamed[CHECKER_TEXT], misnamed_for[CHECKER_TEXT];
	bool silent; /* the agent did not answer in this check */
	/* The device may be the cause of a failure, too, if it took part in
	 * this check and the form of the reply is not wrong. */
	bool device_took_part, wrong_form;
};

/* --- ending a check ------------------------------------------------------- */

/* If the test does not hold, the check fails. The text says what was due. */
void due(struct checker *c, bool holds, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void fails(struct checker *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), noreturn));
/* The same for something that no device is involved in: the form of a reply. */
void fails_in_form(struct checker *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), noreturn));
void skips(struct checker *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), noreturn));
/* The check is not applicable unless one of these is claimed. */
void needs_one_of(struct checker *c, uint64_t claims);
bool claims(const struct checker *c, uint64_t all_of);
bool untold(const struct checker *c, unsigned what);
/* Add a line to the evidence. */
void notes(struct checker *c, const char *who, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* End the associations of a check, and their streams (sessions.c). */
void sessions_end(void);

/* --- sessions --------------------------------------------------------- */

/* Opens a session, greets the agent, and proves the token. The session becomes
 * the current one. */
void opens_session(struct checker *c);
/* The same without a greeting. */
void opens_unspoken(struct checker *c);
/* Answer for the nonce, in the current session. */
void proves_token(struct checker *c, const char *nonce, size_t octets);
/* Continues with another session, by the order of opening, from 0. */
void on_session(struct checker *c, unsigned n);
void closes_session(struct checker *c);
/* The agent closes the current session, and sends nothing more. */
void due_closed(struct checker *c);

/* --- requests and replies --------------------------------------------- */

/* Sends these octets unchanged. */
void says(struct checker *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void says_octets(struct checker *c, const void *octets, size_t n);
/* The next line: a reply to the last request. */
void hears(struct checker *c);
/* The same, if it comes within so many ms. False: the request is still open. */
bool hears_within(struct checker *c, unsigned ms);
/* The same if the agent may close the session instead. True: it did. */
bool hears_or_is_left(struct checker *c);
/* Sends a request, and takes its reply into c->reply. */
void asks(struct checker *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* ... which has to be OK, or the check is not applicable. */
void given(struct checker *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* ... which has to be OK, or the check fails; if the agent cannot do it, the
 * check is not applicable. */
void due_ok(struct checker *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* ... which has to be an error with this code. */
void due_err(struct checker *c, enum line_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The current reply is an error with this code. */
void due_code(struct checker *c, enum line_code code);
/* The current reply is OK, or the agent cannot do it. */
void due_done(struct checker *c);
bool was(const struct checker *c, enum line_code code); /* LINE_NO_ERROR: OK */
/* There is nothing unsolicited to read. */
void due_nothing(struct checker *c);

/* Values of the current reply, which has to have these keys. */
const char *word(struct checker *c, const char *key);
uint64_t number(struct checker *c, const char *key);
/* That key has this value. */
void due_word(struct checker *c, const char *key, const char *value);
void due_number(struct checker *c, const char *key, uint64_t value);
/* Octets in hex, exactly these. */
void due_octets(struct checker *c, const char *key, const void *octets,
		size_t n);
/* The octets of a receive. An agent that cannot report their number has to
 * report these as the first octets of the buffer. */
void due_received(struct checker *c, const void *octets, size_t n);
/* The state after an orderly end, as far as the agent can report that. */
void due_orderly_end(struct checker *c);
/* The current reply does not have this key. */
void due_none(struct checker *c, const char *key);

/* An event after `OK n=K`: the next line, in c->reply. */
void hears_event(struct checker *c);
/* Asks for exactly one event of a connection, and waits for it. */
void awaits_event(struct checker *c, const char *conn);
/* The event has this operation and this status. */
void due_event(struct checker *c, uint64_t id, const char *op,
	       const char *status);
/* There is no event now. */
void due_no_event(struct checker *c, const char *conn);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For the tests of the agent's sessions: a device without an RNIC, and a
 * session that uses it, in a thread of its own. The test determines the events
 * of the device, which occur in the session's thread.
 */
#ifndef HARNESS_RNIC_SESSION_FIXTURE_H
#define HARNESS_RNIC_SESSION_FIXTURE_H

#include <pthread.h>
#include <stdatomic.h>

#include "harness/rnic/session.h"
#include "harness/unit.h"

#define STARTS(text, with) CU_ASSERT_NSTRING_EQUAL((text), (with), strlen(with))
#define IS(text, what)     CU_ASSERT_STRING_EQUAL((text), (what))

enum fake_deed {
	FAKE_REQUEST,     /* a Request with IRD a and ORD b arrives at port */
	FAKE_ESTABLISHED, /* connection number a */
	FAKE_ENDS,        /* connection number a, in state b */
	FAKE_RECEIVES,    /* connection number a: b octets of 'x' */
	FAKE_COMPLETES,   /* its oldest post, with status b */
};

struct fake {
	struct verbs_device base;
	int pipe[2];
	/* the number of live objects; 0 when all were released */
	atomic_int registered, listening, streams;
	atomic_int destroyed, closes;
	/* its behaviour */
	bool refuses_accept, refuses_post;
	uint32_t stag;
	struct verbs_port *port; /* the last one that listens */
	struct verbs_session *session;
};

struct fixture {
	struct fake fake;
	struct verbs_facts facts;
	struct verbs_token token;
	struct verbs_guard *guard;
	int fd; /* the client's end */
	FILE *in;
	pthread_t thread;
	char reply[1 << 20];
};

/* Make a fake device. NULL: no descriptors. */
struct verbs_device *fake_new(struct fake *f);
/* Start a session, with a token or without (NULL). */
void fixture_open(struct fixture *f, const char *token);
/* Close the client's end, if it is open, and wait for the session. */
void fixture_close(struct fixture *f);
/* Start a session without a token, and say hello. */
void opened(struct fixture *f);
/* Call fixture_close(), and check that all objects were released. */
void closed(struct fixture *f);
/* Send a line, and return the next one; "": the session has ended. */
const char *ask(struct fixture *f, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Return the next line. */
const char *next_line_of(struct fixture *f);
void fake_does(struct fixture *f, enum fake_deed deed, uint32_t a, uint32_t b);

#endif

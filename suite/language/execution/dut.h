/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device's side of a case, as its agent tells it: regions, receives, what
 * was completed. Who asks is dut*.c.
 */
#ifndef SUITE_LANGUAGE_DUT_H
#define SUITE_LANGUAGE_DUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/agent/client.h"
#include "suite/language/words/case_dut.h"

struct stream;
struct link_listener;

/* An event that the agent told, of a receive or of posted work. */
struct dut_event {
	unsigned id;
	bool receive;
	struct completion c;
	struct dut_event *next, *same; /* in order; of the same slot */
};
#define DUT_EVENT_SLOTS 64u /* by id */

struct test_region {
	struct region r;
	struct region_opts opts;
	uint8_t *shadow;   /* what the model knows of it; NULL: raced */
	uint8_t *kept;     /* what the agent's side put there */
	uint32_t bound_to; /* the model's number of that stream, or 0 */
	bool gone;         /* deregistered */
};

/* Receives asked for before there is a connection to post them on. */
struct pending_recv {
	unsigned count;
	size_t len;
	bool local;
	struct region region;
	size_t off;
	struct pending_recv *next;
};

/* An agent's reply to this verb takes its own time on top of the wait it was
 * asked for; one that never comes is not waited for each time (waits.c). */
uint64_t dut_deadline(const struct test *t, const char *verb);
uint64_t dut_reply_deadline(const struct test *t, uint64_t deadline,
			    const char *verb);
/* Ends the case unless the agent did what it was asked. */
void dut_check(struct test *t, enum agent_result r, const char *verb);
/* What was begun has been done; that is of this verb. */
void dut_finishes(struct test *t, const char *verb);
/* What was posted ahead: the agent has said what came of it; it is on its way
 * to the device. */
void dut_hears(struct test *t);
void dut_hands_over(struct test *t);
const char *dut_region_name(struct test *t, unsigned number);
struct test_region *dut_region(struct test *t, struct region r);
/* The octets of several regions, asked for at once. */
void dut_memories(struct test *t, const struct region *r, unsigned n,
		  uint8_t **octets);
void dut_begin(struct test *t); /* reset the session */
void dut_listen(struct test *t, struct stream *s);
void dut_connect(struct test *t, struct stream *s,
		 const struct link_listener *to);
/* Learn the connection's name, and post what waits for it. */
void dut_accept(struct test *t, struct stream *s);
void dut_post_pending(struct test *t, struct stream *s);
/* Fetch events: at least `min`, or until the deadline. */
void dut_events(struct test *t, struct stream *s, unsigned min,
		uint64_t deadline);
/* dut_accepts, of what has come within ms. */
struct accept_seen dut_accepts_within(struct test *t, unsigned ms);
void dut_wait_final(struct test *t, struct stream *s);
/* Whether it is known, or becomes so within ms. */
bool dut_is_final(struct test *t, struct stream *s, unsigned ms);
void dut_round_trip(struct test *t);
/* The agent still answers; else the case ends with an error. */
void dut_is_there(struct test *t);
void dut_tell_region(struct test *t, struct stream *s, struct test_region *r);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device's side of a case, as its agent reports it: regions, receives,
 * completions. dut*.c sends the requests.
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

/* An event that the agent reported, of a receive or of posted work. */
struct dut_event {
	unsigned id;
	bool receive;
	struct completion c;
	struct dut_event *next, *same; /* the next one; of the same slot */
};
#define DUT_EVENT_SLOTS 64u /* by id */

struct test_region {
	struct region r;
	struct region_opts opts;
	uint8_t *shadow;   /* its octets as the model knows them; NULL: raced */
	uint8_t *kept;     /* the octets that the agent's side put there */
	uint32_t bound_to; /* the model's number of that stream, or 0 */
	bool gone;         /* deregistered */
	/* Without an agent the region is a part of the ULP's buffer: */
	size_t off;         /* its offset in the buffer */
	bool laid;          /* its octets were written there */
	const char *absent; /* why it is no part of it; NULL: it is */
};

/* Receives that were requested before there is a connection to post them on. */
struct pending_recv {
	unsigned count;
	size_t len;
	bool local;
	struct region region;
	size_t off;
	struct pending_recv *next;
};

/* The deadline for an agent's reply to this verb: the reply takes time in
 * addition to the requested wait. If replies never arrive, the suite waits less
 * for later ones (waits.c). */
uint64_t dut_deadline(const struct test *t, const char *verb);
uint64_t dut_reply_deadline(const struct test *t, uint64_t deadline,
			    const char *verb);
/* End the case unless the agent fulfilled the request. */
void dut_check(struct test *t, enum agent_result r, const char *verb);
/* Wait for all requests that were begun; the last is of this verb. */
void dut_finishes(struct test *t, const char *verb);
/* For work posted ahead: take the agent's reply; hand the work to the
 * device. */
void dut_hears(struct test *t);
void dut_hands_over(struct test *t);
const char *dut_region_name(struct test *t, unsigned number);
struct test_region *dut_region(struct test *t, struct region r);
/* The octets of several regions, requested together. */
void dut_memories(struct test *t, const struct region *r, unsigned n,
		  uint8_t **octets);
void dut_begin(struct test *t); /* reset the session */
void dut_listen(struct test *t, struct stream *s);
void dut_connect(struct test *t, struct stream *s,
		 const struct link_listener *to);
/* Get the agent's name of the connection, and post the pending receives. */
void dut_accept(struct test *t, struct stream *s);
void dut_post_pending(struct test *t, struct stream *s);
/* Fetch events: at least `min`, or until the deadline. */
void dut_events(struct test *t, struct stream *s, unsigned min,
		uint64_t deadline);
/* Like dut_accepts(), within ms. */
struct accept_seen dut_accepts_within(struct test *t, unsigned ms);
void dut_wait_final(struct test *t, struct stream *s);
/* True if the final state is known, or becomes known within ms. */
bool dut_is_final(struct test *t, struct stream *s, unsigned ms);
void dut_round_trip(struct test *t);
/* End the case with an error if the agent does not answer. */
void dut_is_there(struct test *t);
void dut_tell_region(struct test *t, struct stream *s, struct test_region *r);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a program takes beside the language of case.h: one that nobody wrote
 * (suite/explore) knows only from the golden model what is due.
 */
#ifndef SUITE_LANGUAGE_CASE_PROGRAM_H
#define SUITE_LANGUAGE_CASE_PROGRAM_H

#include "suite/language/case.h"

/* Receive buffers, posted in one go: each so long, in a region of its own or in
 * this one. */
struct recv_wanted {
	uint32_t len;
	const struct region *in; /* NULL: in none that the case has */
	size_t off;
};
struct sink dut_posts_recv_each(struct test *t, const struct recv_wanted *want,
				unsigned count);
/* Requests of the peer that the device still has to answer, on this stream. */
unsigned answers_due(struct test *t);
/* Messages that the device was given and has not sent whole, likewise. */
unsigned works_unsent(struct test *t);
/* What the device has sent is whole messages, as far as is seen. */
bool has_ended(struct test *t);
/* The startup has left the peer with a stream to send on. */
bool may_send(struct test *t);
/* The peer's RTR was a Send. Whether that has used up a receive buffer, is the
 * device's choice: nobody knows what the next one is for. */
bool was_opened_by_send(struct test *t);
/* Its agent tells the ULP's share of a startup frame. */
bool agent_tells_private_data(struct test *t);
/* And of a startup that has failed. */
bool agent_tells_startup_errors(struct test *t);
/* Nor which STag a Send has invalidated. */
bool agent_tells_invalidated(struct test *t);
/* None of these is still to come. */
struct expect none_left(const char *what, unsigned left);
/* On every stream the device has dealt with what was sent, or is over. */
void all_settle(struct test *t);
/* Messages of the peer wait for more to go out with. */
bool something_is_held(struct test *t);
/* The enhanced data of the peer's startup frame, as it fits the device's. */
struct mpa_enhanced enhanced_data_sent(struct test *t);
/* What was posted ahead is on its way to the device. */
void dut_gets_work(struct test *t);
/* Receives, and posts, that the device takes at once: at most so many. */
unsigned dut_max_recvs(struct test *t, unsigned most);
unsigned dut_max_posts(struct test *t, unsigned most);
/* Regions, each with its octets, registered in one go. */
void dut_registers_each(struct test *t, const struct region_opts *o,
			const uint8_t *const *octets, unsigned n,
			struct region *out);
/* Parts of regions, filled with these octets in one go. */
struct refill {
	struct region r;
	size_t off, n;
	const uint8_t *octets;
};
void dut_refills(struct test *t, const struct refill *part, unsigned n);
/* A copy of these octets as they have to be now. */
const uint8_t *octets_due(struct test *t, struct region r, size_t off,
			  size_t n);
/* What these octets are is the device's choice from now on. */
void octets_are_open(struct test *t, struct region r, size_t off, size_t n);
/* Of each of these regions the first octet that is not what it has to be; its
 * length, where all are. What nothing fixes may be anything. */
void memories_differ(struct test *t, const struct region *r, unsigned n,
		     size_t *at);
/* All its octets as they have to be; NULL where something fixes not all. */
const uint8_t *memory_due(struct test *t, struct region r);
/* Of that octet, as it was seen then. */
struct expect memory_as_due(struct region r, size_t differs);
/* Behind a fault of the peer: judge what came, or did not, by the requirement
 * that the model has for it. */
void judge_fault(struct test *t);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The language of case.h for random programs (suite/explore). Only the golden
 * model knows the correct results in them.
 */
#ifndef SUITE_LANGUAGE_CASE_PROGRAM_H
#define SUITE_LANGUAGE_CASE_PROGRAM_H

#include "suite/language/case.h"

/* Receive buffers, posted together: each with its length, in a region of its
 * own or in this one. */
struct recv_wanted {
	uint32_t len;
	const struct region *in; /* NULL: a region of its own */
	size_t off;
};
struct sink dut_posts_recv_each(struct test *t, const struct recv_wanted *want,
				unsigned count);
/* Requests of the peer on this stream that the device has not answered. */
unsigned answers_due(struct test *t);
/* Messages on this stream that the device was given and has not sent
 * completely. */
unsigned works_unsent(struct test *t);

/* The model took an empty message for posted work whose memory it does not
 * name. The device may have sent it of its own accord. Then the message of the
 * work follows, perhaps only once the first one was answered, if the work has a
 * fence. */
bool twin_is_due(struct test *t);

/* Waits for that message and answers it, unless this work completes without
 * it. */
void awaits_twin(struct test *t, unsigned id);
/* The stream is over. */
bool has_ended(struct test *t);
/* The stream is in Full Operation, and the peer may send on it. */
bool may_send(struct test *t);
/* The peer's RTR was a Send. Whether it used a receive buffer is the device's
 * choice: the purpose of the next buffer is unknown. */
bool was_opened_by_send(struct test *t);
/* The agent reports the private data of a startup frame that the ULP gets. */
bool agent_tells_private_data(struct test *t);
/* The agent reports a failed startup. */
bool agent_tells_startup_errors(struct test *t);
/* The agent reports which STag a Send invalidated. */
bool agent_tells_invalidated(struct test *t);
/* Nothing is missing: `left` is 0. */
struct expect none_left(const char *what, unsigned left);
/* Waits until, on every stream, the device has handled everything that the peer
 * sent, or the stream is over. */
void all_settle(struct test *t);
/* Messages of the peer are held back, to go out with the next one. */
bool something_is_held(struct test *t);
/* The enhanced data of the peer's startup frame, which fits the device's. */
struct mpa_enhanced enhanced_data_sent(struct test *t);
/* Hand posted work to the device. */
void dut_gets_work(struct test *t);
/* The number of receives, or posts, that the device takes at once, at most
 * `most`. */
unsigned dut_max_recvs(struct test *t, unsigned most);
unsigned dut_max_posts(struct test *t, unsigned most);
/* Register several regions with their octets, together. */
void dut_registers_each(struct test *t, const struct region_opts *o,
			const uint8_t *const *octets, unsigned n,
			struct region *out);
/* Parts of regions to fill with these octets, together. */
struct refill {
	struct region r;
	size_t off, n;
	const uint8_t *octets;
};
void dut_refills(struct test *t, const struct refill *part, unsigned n);
/* A copy of these octets as they have to be now. */
const uint8_t *octets_due(struct test *t, struct region r, size_t off,
			  size_t n);
/* From now on, the device may choose the contents of these octets. */
void octets_are_open(struct test *t, struct region r, size_t off, size_t n);
/* The first wrong octet of each of these regions, or its length if none is
 * wrong. An octet that nothing determines may have any value. */
void memories_differ(struct test *t, const struct region *r, unsigned n,
		     size_t *at);
/* All octets of the region as they have to be; NULL if some are not
 * determined. */
const uint8_t *memory_due(struct test *t, struct region r);
/* The region is as it has to be: `differs` is its first wrong octet, or its
 * length, as memories_differ() has found. */
struct expect memory_as_due(struct region r, size_t differs);
/* After a fault of the peer: judge the answer, or its absence, by the
 * requirement of the model. */
void judge_fault(struct test *t);

#endif

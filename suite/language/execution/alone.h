/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device without an agent: an address, a port, and the ULP behind it.
 *
 * What a body does says whether its case can be judged there:
 *
 *   - A statement that asks the device's host ends the case as not applicable;
 *     inside an expectation it leaves that one unjudged. What is asked of a
 *     listener has to be what this ULP does anyway.
 *   - Receives are taken to be the ULP's own: there may be none, or others. The
 *     golden model does not know them, nor what the ULP posts. Messages that
 *     only a ULP sends are judged by the model, and pass the case by.
 *   - What did not come, and a stream that ended without a word, may be the
 *     ULP's doing. A line that does not hold counts only by what the device
 *     alone can have sent: a frame that contradicts it, or the answer to a
 *     known-answer exchange behind what has to end the stream. Otherwise the
 *     case is not applicable, and says what was seen.
 */
#ifndef SUITE_LANGUAGE_ALONE_H
#define SUITE_LANGUAGE_ALONE_H

#include <stdbool.h>

#include "harness/agent/client.h"

struct frame;
struct model_device;
struct msg;
struct region_opts;
struct stream;
struct stream_opts;
struct test;

#define ALONE_NEEDS_AGENT "needs an agent"

bool test_alone(const struct test *t);

/* A statement asks the host for this. With an agent nothing happens; without
 * one the case ends; inside an expectation it returns true, and the line is not
 * judged. */
bool alone_asks(struct test *t, const char *what);
/* Not applicable where a listener is to do what this ULP may not. */
void alone_listens(struct test *t, const struct stream_opts *o,
		   const struct agent_params *p);
/* The command is run that has the device connect; not applicable where that is to
 * do what its ULP may not. */
void alone_connects(struct test *t, struct stream *s, const char *host,
		    uint16_t port, const struct agent_params *p);
/* What the device has asked for in its Request, and always does. */
struct model_device alone_initiator(const struct test *t);
/* The device's ULP speaks first: until it has. An RTR is answered. */
void alone_hears(struct test *t, struct stream *s);
/* For a case that needs depths: negotiate them. What it breaks on purpose has to
 * be the depth that it names. */
bool alone_negotiates(const struct test *t, const struct stream_opts *o);
void alone_keeps_depths(struct test *t, const struct stream *s);
/* As the golden model is to judge its Reply. */
struct model_device alone_device(const struct test *t, unsigned rtr);
/* The device's Reply shows what its ULP has chosen: before it is judged, and
 * after; where the ULP rejects the case ends. */
void alone_sees_reply(struct test *t, struct stream *s);
void alone_takes_reply(struct test *t, const struct stream *s);
/*
 * The case is over. A stream of the peer-to-peer model that still waits for the
 * peer's RTR gets it first: the connection manager of Linux does not survive an end
 * before (kernel BUG in iwcm.c), and a production service may be behind the port.
 */
void alone_leaves(struct test *t);
/* For the same reason: not applicable where a Request of this model offers none of
 * the RTRs that the device lists. */
void alone_offers(struct test *t, const struct stream *s, bool p2p,
		  unsigned rtr);
/* Not applicable where no further connection is accepted. */
void alone_opens(struct test *t);

/*
 * The ULP's buffer (dut_buffer.c). A region of a case is a part of it, under an
 * STag and TO that stand for it: they are replaced in what the peer sends by
 * those that the ULP has advertised on that stream. What a case fills in goes
 * there by RDMA Writes, once a stream works; what memory holds is found out by
 * RDMA Reads. What a use outside the case's regions would meet nobody knows,
 * and none is sent.
 */
bool alone_has_buffer(const struct test *t);
struct region buffer_allots(struct test *t, const struct region_opts *o);
void buffer_fills(struct test *t, struct region r, size_t off,
		  const uint8_t *octets, size_t n);
/* The stream is open, and no Read has gone out: fill what is to be filled. */
void buffer_begins(struct test *t, struct stream *s);
/* Of a message: the STag and TO that the device knows. */
void buffer_names(struct test *t, struct stream *s, struct msg *m);
/* As they are now; NULL: that cannot be found out, and the line is unjudged. */
const uint8_t *buffer_octets(struct test *t, struct region r, size_t off,
			     size_t n);
/* A case with regions has failed: whether the buffer is there still, and its
 * ULP leaves it alone as long as the case took. */
void buffer_proves(struct test *t);
/* The message goes out with the STag and TO that it has. */
void buffer_sends(struct test *t, struct stream *s, struct msg m);
/* Of the stream's own: n octets from there; false: they have not come. */
bool buffer_reads(struct test *t, struct stream *s, uint64_t to,
		  uint8_t *octets, size_t n);
/* Find it on this stream. */
void buffer_finds(struct test *t, struct stream *s);

/*
 * What lies beside the buffer (dut_bounds.c). A ULP may advertise a part of what
 * it has registered. Where the octets right before and behind are refused, the
 * bounds of the STag are those of the buffer. What a case then reads beside its
 * region is read beside the buffer: before its first octet, or behind its last. A
 * range that wraps past 2^64 is in no buffer. Nothing is written there.
 */
/* Not applicable where that is not known. */
void bounds_asked(struct test *t, uint64_t to, uint64_t n, unsigned access);
/* The TO in place of one that lies, or leads, beside this region. */
uint64_t bounds_moved(struct test *t, struct stream *s, const struct region *r,
		      uint64_t to, uint64_t n);
/* A case that has used this has failed: whether they are refused still. */
bool bounds_stand(struct test *t);
/* Whether the octet before it (or the one behind it) is refused on this stream. */
bool bounds_look(struct test *t, struct stream *s, bool before);

/* What discovery finds out, on a stream each: whether the buffer can be read;
 * written to; whether an atomic is answered there; whether it still holds what
 * was written; whether the octets beside it are refused. */
enum buffer_step {
	BUFFER_READ,
	BUFFER_WRITE,
	BUFFER_ATOMIC,
	BUFFER_KEEPS,
	BUFFER_BEFORE,
	BUFFER_BEHIND
};
struct buffer_look {
	enum buffer_step step;
	/* out */
	bool found, ok, big_endian;
};
void buffer_looks(struct test *t, struct buffer_look *l);

/* It may come from the ULP: a message of its own, unasked. */
bool alone_is_ulps(const struct test *t, const struct stream *s,
		   const struct frame *f);
/* The ULP's first Send of a stream may advertise its buffer. */
void alone_notes(const struct test *t, struct stream *s, const struct frame *f);
/* The Terminate of this stream may be due to the ULP: to buffers that it has
 * not posted, or to an error of its own. */
bool alone_explains(const struct test *t, const struct stream *s);

/* Whether a line that does not hold, or a step that failed, counts. */
bool alone_accuses(struct test *t);
/* A step failed for which the ULP may be the cause: the case ends. */
void alone_excuses(struct test *t, const char *seen) __attribute__((noreturn));

#endif

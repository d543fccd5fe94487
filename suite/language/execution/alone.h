/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device without an agent: an address, a port, and the ULP behind it.
 *
 * The statements of a case decide whether it can be judged there:
 *
 *   - A statement that needs an agent ends the case as not applicable. Inside
 *     an expectation, only that expectation stays unjudged. A case may ask the
 *     listener only for things that this ULP does anyway.
 *   - The ULP posts its own receives: there may be none, or others than those
 *     of the case. The golden model knows neither these receives nor the work
 *     that the ULP posts. The model judges messages that only a ULP sends; the
 *     case does not get them.
 *   - If something did not arrive, or a stream ended without a Terminate, the
 *     ULP may be the cause. So a line that does not hold counts only if octets
 *     prove it that the device must have sent itself: a frame that contradicts
 *     the line, or the answer to a known-answer exchange after an error that
 *     has to end the stream. Otherwise the case is not applicable, and reports
 *     the observation.
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

/* A statement needs this from the agent. With an agent, returns false. Without
 * one, the case ends as not applicable; inside an expectation it returns true
 * instead, and the line is not judged. */
bool alone_asks(struct test *t, const char *what);
/* The case is not applicable if it asks the listener for something that this
 * ULP may not do. */
void alone_listens(struct test *t, const struct stream_opts *o,
		   const struct agent_params *p);
/* Starts the command that makes the device connect. The case is not applicable
 * if it asks the device's ULP for something that this ULP may not do. */
void alone_connects(struct test *t, struct stream *s, const char *host,
		    uint16_t port, const struct agent_params *p);
/* The parameters of the device as initiator: all its Requests have them. */
struct model_device alone_initiator(const struct test *t);
/* Waits until the device's ULP has sent its first message. The peer answers it
 * if it is an RTR of the Read form. */
void alone_hears(struct test *t, struct stream *s);
/* True if the startup has to negotiate depths, because the case needs them or
 * because the device answers Reads only then. */
bool alone_negotiates(const struct test *t, const struct stream_opts *o);
/* The case is not applicable if it exceeds an IRD on purpose, and the device
 * has another IRD than the case requested. */
void alone_keeps_depths(struct test *t, const struct stream *s);
/* The parameters by which the golden model judges the device's Reply: the ULP
 * may choose all values that it can have. */
struct model_device alone_device(const struct test *t, unsigned rtr);
/* The device's Reply shows the choices of its ULP. Before the Reply is judged:
 * records them. After it: the case ends as not applicable if the ULP rejects,
 * or if no CRCs are in use although the case needs them. */
void alone_sees_reply(struct test *t, struct stream *s);
void alone_takes_reply(struct test *t, const struct stream *s);
/*
 * The case is over. If a stream in the peer-to-peer model still waits for the
 * peer's RTR, the peer sends it first: the connection manager of Linux crashes
 * if TCP ends before the RTR (kernel BUG in iwcm.c), and the port may belong to
 * a production service.
 */
void alone_leaves(struct test *t);
/* For the same reason, the case is not applicable if a Request for this model
 * offers none of the RTRs that the device lists. */
void alone_offers(struct test *t, const struct stream *s, bool p2p,
		  unsigned rtr);
/* The case is not applicable if the device accepts no further connection. */
void alone_opens(struct test *t);

/*
 * The ULP's buffer (dut_buffer.c). A region of a case is a part of that buffer,
 * and has a made-up STag and TO. In the messages of the peer, the suite
 * replaces these by the STag and TO that the ULP has advertised on that stream.
 * Once a stream works, the suite writes the contents of a region by RDMA
 * Writes, and it examines them by RDMA Reads. The peer does not use octets
 * outside the case's regions, because their contents are unknown. For octets
 * next to the buffer see below.
 */
bool alone_has_buffer(const struct test *t);
struct region buffer_allots(struct test *t, const struct region_opts *o);
void buffer_fills(struct test *t, struct region r, size_t off,
		  const uint8_t *octets, size_t n);
/* The stream is open, and the peer has sent no Read yet: write the contents of
 * the regions. */
void buffer_begins(struct test *t, struct stream *s);
/* Puts into a message the STag and TO that the device knows. */
void buffer_names(struct test *t, struct stream *s, struct msg *m);
/* The octets of a region as they are now. NULL: they cannot be read, and the
 * line is not judged. */
const uint8_t *buffer_octets(struct test *t, struct region r, size_t off,
			     size_t n);
/* A case with regions has failed: check that the buffer still exists, and that
 * its ULP does not change it for as long as the case took. */
void buffer_proves(struct test *t);
/* Sends a message without replacing its STag and TO. */
void buffer_sends(struct test *t, struct stream *s, struct msg m);
/* Reads n octets of the stream's buffer from this TO. False: they did not
 * arrive. */
bool buffer_reads(struct test *t, struct stream *s, uint64_t to,
		  uint8_t *octets, size_t n);
/* Finds the buffer of this stream. Without one the case is not applicable. */
void buffer_finds(struct test *t, struct stream *s);

/*
 * The octets next to the buffer (dut_bounds.c). A ULP may advertise only a part
 * of a registered region. If the device refuses the octets right before and
 * right after the buffer, the bounds of the STag are those of the buffer. Then
 * a Read of octets next to a region of the case becomes a Read next to the
 * buffer: before its first octet, or after its last. A range that wraps past
 * 2^64 is in no buffer. The peer never writes next to the buffer.
 */
/* The case is not applicable if the bounds of the STag are not known, or if it
 * is not a Read. */
void bounds_asked(struct test *t, uint64_t to, uint64_t n, unsigned access);
/* The TO next to the buffer that replaces a TO next to this region, or one
 * whose n octets leave it. */
uint64_t bounds_moved(struct test *t, struct stream *s, const struct region *r,
		      uint64_t to, uint64_t n);
/* A case that has used these octets has failed: true if the device still
 * refuses them. */
bool bounds_stand(struct test *t);
/* True if the device refuses a Read of the octet before the buffer, or of the
 * one after it, on this stream. */
bool bounds_look(struct test *t, struct stream *s, bool before);

/* The questions of discovery, each on a stream of its own: can the buffer be
 * read; can it be written to; does the device answer an atomic there; does the
 * buffer still have the octets that were written; does the device refuse the
 * octets next to it. */
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

/* The ULP may have posted this message of its own accord. */
bool alone_is_ulps(const struct test *t, const struct stream *s,
		   const struct frame *f);
/* Keeps the ULP's first Send on a stream: it may advertise the buffer. */
void alone_notes(const struct test *t, struct stream *s, const struct frame *f);
/* The ULP may be the cause of the Terminate on this stream: it may not have
 * posted buffers, or it may have had an error of its own. */
bool alone_explains(const struct test *t, const struct stream *s);

/* True if a line that does not hold, or a step that failed, counts. */
bool alone_accuses(struct test *t);
/* A step failed, and the ULP may be the cause: the case ends as not
 * applicable. */
void alone_excuses(struct test *t, const char *seen) __attribute__((noreturn));

#endif

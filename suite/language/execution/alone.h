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
/* As the golden model is to judge its Reply. */
struct model_device alone_device(const struct test *t, unsigned rtr);
/* The device's Reply shows what its ULP has chosen: before it is judged, and
 * after; where the ULP rejects the case ends. */
void alone_sees_reply(struct test *t, struct stream *s);
void alone_takes_reply(struct test *t, const struct stream *s);
/* Not applicable where no further connection is accepted. */
void alone_opens(struct test *t);

/* It may come from the ULP: a message of its own, unasked. */
bool alone_is_ulps(const struct test *t, const struct stream *s,
		   const struct frame *f);
/* The Terminate of this stream may be due to the ULP: to buffers that it has
 * not posted, or to an error of its own. */
bool alone_explains(const struct test *t, const struct stream *s);

/* Whether a line that does not hold, or a step that failed, counts. */
bool alone_accuses(struct test *t);
/* A step failed for which the ULP may be the cause: the case ends. */
void alone_excuses(struct test *t, const char *seen) __attribute__((noreturn));

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of this folder share. Each sends requests to the device's agent
 * and takes its replies (suite/language/execution/dut.h):
 *
 *   dut_connect.c   listening, connecting, accepting
 *   dut_startup.c   the device's startup frame
 *   dut_claims.c    what device and agent say of themselves
 *   dut_params.c    what is asked for with a connection
 *   dut_state.c     the states and the ends of a stream
 *   dut_work.c      receive buffers, work, and events
 *   dut_memory.c    memory: registered, filled, read
 *   dut_stags.c     STags of many registrations in a row
 *   dut_buffer.c    the buffer of a ULP without an agent, in place of memory
 *   dut_bounds.c    what lies beside that buffer
 *   dut_regions.c   the regions of a case, their rights, and their end
 *   dut_replies.c   replies, and until when they are waited for
 */
#ifndef SUITE_LANGUAGE_DUT_INTERNAL_H
#define SUITE_LANGUAGE_DUT_INTERNAL_H

#include "suite/language/execution/execution.h"

/* --- replies (dut_replies.c) ---------------------------------------------- */

/* Count the late replies to this verb, in a row. */
void dut_count_late(const struct test *t, enum agent_result r,
		    const char *verb);
/* How long a case waits for a possible answer, in ms. */
unsigned dut_wait_ms(const struct test *t);

/* --- regions (dut_regions.c) ---------------------------------------------- */

/* Access rights of a case, for the agent. */
unsigned dut_agent_rights(unsigned access);

/* --- parameters of a connection (dut_params.c) ---------------------------- */

/* Those that the case chooses. */
struct agent_params dut_params_of(struct test *t, const struct stream *s);
/* Those that the device can have, as far as the case leaves them open. */
struct agent_params dut_fitting_params(struct test *t, struct stream *s);
/*
 * Some devices have no choice in their startup frames, and their agents refuse
 * other values. If the case does not set this key, the other value is
 * requested, and the stream continues as if the case had set it. False: the
 * case sets it, or there is no key.
 */
bool dut_takes_as_it_is(struct test *t, struct stream *s, const char *key);
/* The key that the agent refused as unsupported, or NULL. The rest of its line is
 * for people. */
const char *dut_refused_key(struct test *t, enum agent_result r);
/* RTR_SEND, RTR_WRITE, RTR_READ: those that the device claims. */
unsigned dut_claimed_rtr(const struct test *t);

/* --- the device's startup frame (dut_startup.c) --------------------------- */

/* What the golden model knows of the device on this stream (s->as_device). */
void dut_describe(struct test *t, struct stream *s);

#endif

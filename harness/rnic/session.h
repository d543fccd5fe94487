/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * warpspec-agent: the agent of an RNIC. From top to bottom, each file calling
 * only those below it. Lower files report upwards through tables of functions:
 * a device reports to its session through struct verbs_consumer, a line reaches
 * its function through struct verb.
 *
 *   main.c            the command line, the device, what is known of it
 *   ibverbs.c         the device: its own files are in ibverbs_internal.h
 *   startup_probe.c   the device's startup frames
 *   own_client.c      the client that asks a session for that
 *   server.c          a process for each client
 *   session.c         a client: hello auth reset bye, all verbs, the end
 *   lines.c           its lines, each to the verb that it names
 *   stream.c          listen accept connect state close provoke
 *   params.c          the parameters of listen and connect
 *   work.c            recv post, and the life of what they post
 *   events.c          events, and the completions in them
 *   memory.c          reg access fill dump digest inval dereg
 *   request.c         values and names in a request; refusing it
 *   wait.c            waiting, and serving the device meanwhile
 *   auth.c            the token, and the delay for guesses
 *
 * At the bottom are device.h, the device as all of them see it, and
 * session_state.h, the state of a session. An RNIC is driven by verbs: names
 * begin with verbs_, and with rnic_ in ibverbs*.c.
 */
#ifndef HARNESS_RNIC_SESSION_H
#define HARNESS_RNIC_SESSION_H

#include "harness/rnic/auth.h"
#include "harness/rnic/device.h"

/*
 * A session: one client, one device object, one thread of its own process.
 * Serve the client of a connected socket until either side ends it; then all
 * it made is released, and the socket and the device are closed. peer is who
 * the client is, for the log.
 */
void verbs_session_run(int fd, struct verbs_device *device,
		       const struct verbs_facts *facts,
		       const struct verbs_token *token,
		       struct verbs_guard *guard, const char *peer);

#endif

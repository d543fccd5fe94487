/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * warpspec-agent: the agent of an RNIC. These are its files, from top to
 * bottom; each calls only those below it. Lower files call upper ones only
 * through tables of functions: a device reports to its session through struct
 * verbs_consumer, and lines.c calls a verb through struct verb.
 *
 *   main.c            the command line, the device, and its properties
 *   ibverbs.c         the device; ibverbs_internal.h lists its own files
 *   startup_probe.c   determines the form of the device's startup frames
 *   own_client.c      the client for startup_probe.c
 *   server.c          a process for each client
 *   session.c         a client: hello auth reset bye, all verbs, the end
 *   lines.c           the client's lines; calls the verb of each
 *   stream.c          listen accept connect state close provoke
 *   params.c          the parameters of listen and connect
 *   work.c            recv post, and the work that they post
 *   events.c          events, and the completions in them
 *   memory.c          reg access fill dump digest inval dereg
 *   request.c         values and names in a request; refusing it
 *   wait.c            waiting, and serving the device meanwhile
 *   auth.c            the token, and the delay for guesses
 *
 * At the bottom are device.h, the interface to the device, and session_state.h,
 * the state of a session. The interface to an RNIC is called verbs: names begin
 * with verbs_, and in ibverbs*.c with rnic_.
 */
#ifndef HARNESS_RNIC_SESSION_H
#define HARNESS_RNIC_SESSION_H

#include "harness/rnic/auth.h"
#include "harness/rnic/device.h"

/*
 * A session: one client, one device object, one thread of its own process.
 * Serve the client of a connected socket until either side ends the session.
 * Then release all its objects, and close the socket and the device. peer is
 * the client's address, for the log.
 */
void verbs_session_run(int fd, struct verbs_device *device,
		       const struct verbs_facts *facts,
		       const struct verbs_token *token,
		       struct verbs_guard *guard, const char *peer);

#endif

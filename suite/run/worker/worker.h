/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A worker: a process that runs the cases that it is given, one at a time, with
 * its own session at the agent.
 */
#ifndef SUITE_RUN_WORKER_H
#define SUITE_RUN_WORKER_H

#include <stdatomic.h>
#include <stdint.h>

#include "suite/device/device.h"
#include "suite/device/segmentation.h"
#include "suite/judge/deviations/deviations.h"
#include "suite/language/execution/testbed.h"
#include "suite/model/model.h"
#include "suite/reading/reading.h"
#include "suite/run/journal/record.h"

/* The room for captures, shared by all workers. */
struct capture_room {
	_Atomic uint64_t octets;
	_Atomic unsigned left_out; /* captures left out for lack of room */
};

struct worker_options {
	const struct device *device;
	struct link *link; /* its own; closed when it ends */
	enum model_profile profile;
	double timeout_scale;
	struct segmentation segmentation;
	bool second; /* each case runs beside another connection */
	enum testbed_peer peer;
	struct readings readings; /* as probed */
	struct habits habits;     /* likewise */
	struct ulp_habits ulp;    /* of a device without an agent */
	struct agent_hello hello; /* likewise: in place of an agent's claims */
	const struct ground *ground; /* the state of the foundations, so far */
	uint64_t wait_ns;            /* as calibrated */
	uint64_t exchange_ns;        /* likewise */
	const char *captures;        /* folder, or NULL */
	bool captures_of_failures;   /* only of failed cases */
	/* By instance: it is selected. Instances that are not, which run only
	 * to test a foundation, have captures only if they fail. */
	const bool *asked;
	struct capture_room *room; /* for captures; NULL: unlimited */
	enum evidence_of evidence;
	struct deviations *known; /* known deviations, for captures; or NULL */
	struct waiting *waiting;  /* where it publishes that its case waits */
	int bell;                 /* likewise, as an event (testbed.h); or -1 */
	struct patience *patience; /* shared by all, or NULL */
};

/* Sent instead of an index: the device was restored, and the worker starts
 * again with it. There is no answer. */
#define WORKER_ANEW UINT32_MAX

/* Precedes the line of an answer, so that a line of another case, or a part of
 * one, is not taken for it. */
struct worker_answer {
	uint32_t index;
	uint32_t octets; /* 0: there was no memory for a line */
	uint32_t crc;    /* crc32 of zlib */
};
#define WORKER_ANSWER_MAX (sizeof(struct worker_answer) + RECORD_MAX)

/*
 * Serve requests on fd (SOCK_SEQPACKET): a uint32_t is the index of an
 * instance; the answer is a struct worker_answer and its record as a line, in
 * one message. Returns when fd is closed.
 */
void worker_serve(const struct worker_options *o, int fd);

#endif

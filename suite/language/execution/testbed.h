/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The test bed: what all cases of one process share. The agent's session, the
 * link, the event log, how long an answer may take, and how this device is to
 * be read.
 */
#ifndef SUITE_LANGUAGE_TESTBED_H
#define SUITE_LANGUAGE_TESTBED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/agent/client.h"
#include "harness/link/link.h"
#include "harness/observe/observe.h"
#include "suite/device/claims.h"
#include "suite/device/device.h"
#include "suite/device/segmentation.h"
#include "suite/dimension/dimension.h"
#include "suite/judge/verdict.h"
#include "suite/language/execution/instance.h"
#include "suite/model/model.h"
#include "suite/reading/reading.h"

#define TESTBED_STREAMS 16            /* of a case */
#define TESTBED_WAIT_NS 2000000000ull /* before calibration and scale */
#define WAIT_BRIEF_PART 8u            /* of it, where nobody is judged by it */

/*
 * What a device does by itself. RFC 5040 s5.1 and s5.2.1 let an end issue a
 * zero-length Write or Read, and want no ULP behind it: as an initiator it may
 * open every stream so, though no RTR was agreed on.
 */
struct habits {
	struct request_form request; /* where it is the only one */
	bool opens_plain;            /* a stream without enhanced data */
	bool opens_enhanced;         /* one in the client-server model */
	bool ird_open;               /* has IRD 3fff in every Reply */
	bool unspecified;            /* names its errors of RDMAP by code FF */
};
/* What was found out of the ULP behind the port of a device without an agent. */
struct ulp_habits {
	bool no_crc;  /* its Replies have C=0, where that is left to it */
	unsigned rtr; /* the RTRs of its Replies: RTR_ bits */
	unsigned connections; /* at once; 0: no bound is known */
	bool ird_open;        /* IRD 3fff in its Replies */
	bool looking;         /* this is still being found out, */
	bool bare;            /* just now without the private data it wants */
};

/* Whether the suite's own peer is held to the RFCs: a check of the suite, not
 * of a device. Strictly: what a case names is no excuse. */
enum testbed_peer { PEER_TRUSTED, PEER_JUDGED, PEER_JUDGED_STRICTLY };

struct peer_judge;

/* How the case waits; shared with who runs it. */
struct waiting {
	_Atomic uint64_t until;
	_Atomic bool at_ease; /* it may blame nobody: others may run beside */
};

/* How much of a case is kept for people: nothing, or so much of it. */
struct evidence_bounds {
	size_t event; /* octets of one event; 0: there is no evidence */
	size_t all;   /* about so many characters of JSON in all */
};

/* Of which cases; WARN, XFAIL, BLOCKED and ERROR are failures here. */
enum evidence_of { EVIDENCE_OF_NONE, EVIDENCE_OF_FAILURES, EVIDENCE_OF_ALL };

/* How often in a row replies to a verb have been late, whichever worker asked;
 * shared by all of them. */
#define PATIENCE_VERBS 16

struct patience {
	_Atomic unsigned late[PATIENCE_VERBS];
	/* Packets, by the link, in all cases so far; without what a case with
	 * little room for them may have lost by itself (link.h: unproven). */
	_Atomic uint64_t lost;
};

struct testbed {
	const struct device *device;
	struct agent *agent; /* NULL: has to be opened again */
	struct agent_hello hello;
	uint64_t claims;                  /* NEED_ bits, overrides applied */
	char contradictions[CLAIMS_TOLD]; /* among them; "" = none */
	struct link *link;
	struct observe *log;
	struct model *models[TESTBED_STREAMS];      /* made when first needed */
	struct peer_judge *judges[TESTBED_STREAMS]; /* likewise */
	enum testbed_peer peer;
	uint64_t wait_ns;     /* an answer that has to come, comes by then */
	uint64_t exchange_ns; /* what a plain exchange took, at calibration */
	bool brief;           /* a part of that is enough */
	bool exploring;       /* by programs, which blame nobody by themselves:
			       * the model knows what an atomic leaves */
	struct waiting *waiting;   /* told by the case; NULL: nobody asks */
	struct patience *patience; /* with the agent; NULL: always */
	bool limited;     /* what the last case asked for is beyond a limit */
	bool unconnected; /* it awaited a connection of the device in vain */
	uint64_t lost;    /* packets, that its connections know of */
	uint64_t agent_lost; /* the same of agents' sessions that have ended */
	bool traced; /* what is asked of the agent goes into the log, too */
	struct segmentation segmentation;
	struct readings readings; /* how this device is to be read */
	struct habits habits;
	struct ulp_habits ulp;
	const struct ground *ground; /* what stands; NULL: everything */
	enum model_profile profile;
	unsigned spec;             /* its SPEC_ bit */
	char token[DEVICE_TOKEN];  /* "" = none */
	struct dimensions_met met; /* by the last case */
};

/* The link (NULL: there was no memory for it) is closed by testbed_close, also
 * after a failure. False: no memory, or an unreadable token file; one line in
 * why. */
bool testbed_open(struct testbed *bed, const struct device *d,
		  struct link *link, enum model_profile p, double timeout_scale,
		  char *why, size_t cap);
void testbed_close(struct testbed *bed);

/* Open the agent's session (again). False: one line in why. */
bool testbed_reach_agent(struct testbed *bed, char *why, size_t cap);
/* Close it, if there is one. */
void testbed_leave_agent(struct testbed *bed);

/* Packets that its connections and its session know to be lost, so far: those
 * of the link, once they have ended. */
uint64_t testbed_lost(const struct testbed *bed);

/* What bounds the dimensions on this device, as its agent has told. */
struct dimension_limits testbed_limits(const struct testbed *bed);

/* From now on what is asked of the agent, and told, goes into the log; and
 * what a judgement is about is noted. */
void testbed_trace(struct testbed *bed);

/* Have the agent answer anything. False: it does not, one line in why. */
bool testbed_hear_agent(struct testbed *bed, char *why, size_t cap);

/* Whether the session has to be opened again; between cases, when nothing is
 * asked, also what the agent did unasked ends it. */
bool testbed_agent_lost(const struct testbed *bed);

/*
 * Run one instance and fill *out; *cause tells of an ERROR. Strings in it live
 * until the next call.
 */
void testbed_run(struct testbed *bed, const struct instance *in,
		 struct result *out, enum error_cause *cause);
/* Of the instance that has run last: fill in its evidence. */
void testbed_evidence(struct testbed *bed, const struct evidence_bounds *b,
		      struct result *out);

#endif

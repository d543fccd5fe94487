/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The test bed: what all cases of one process share. It has the agent's
 * session, the link, the event log, the time that an answer may take, and the
 * readings of this device.
 */
#ifndef SUITE_LANGUAGE_TESTBED_H
#define SUITE_LANGUAGE_TESTBED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/agent/client.h"
#include "harness/link/carrier.h"
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
#define WAIT_BRIEF_PART 8u /* a part of it, if no verdict depends on the wait */

/*
 * The habits of a device. RFC 5040 s5.1 and s5.2.1 permit a zero-length Write
 * or Read without a request of the ULP: an initiator may open every stream with
 * one, even if no RTR was agreed on.
 */
struct habits {
	struct request_form request; /* if it sends only one form */
	bool opens_plain;            /* a stream without enhanced data */
	bool opens_enhanced;         /* one in the client-server model */
	bool ird_open;               /* has IRD 3fff in every Reply */
	bool ird_low;                /* or one below the ORD asked for, although
				      * its ULP allows more */
	bool unspecified;            /* uses code FF for its RDMAP errors */
	bool short_ulpdus;           /* cuts messages into ULPDUs that are
				      * shorter than any MULPDU */
	struct link_end caller; /* the address from which its first connection
				 * came; family 0: there was none */
};
/* The ULP's buffer, where it has one that its peers can read. */
struct ulp_buffer {
	size_t len;      /* that is used; 0: there is none */
	unsigned access; /* REMOTE_READ and what else it is found to permit */
	bool bounded;    /* no octet right beside it can be read */
};
#define BUFFER_MOST (2u << 20) /* octets of it that are used */

/* What was found out of the ULP behind the port of a device without an agent. */
struct ulp_habits {
	bool no_crc;  /* its Replies have C=0, where that is left to it */
	unsigned rtr; /* the RTRs of its Replies: RTR_ bits */
	unsigned connections; /* at once; 0: no bound is known */
	uint8_t flags;        /* of its Requests */
	bool ird_open;        /* IRD 3fff in its Replies */
	unsigned ird, ord;    /* of its Replies to 16 of each; 0: none */
	struct ulp_buffer buffer;
	bool there;      /* its port has taken a connection */
	bool deaf;       /* without one, its Reads are not answered */
	bool negotiates; /* it answers Reads where an IRD is negotiated alone */
	bool looking;    /* this is still being found out, */
	bool bare;       /* just now without the private data it wants */
};

/* Whether the suite's own peer is held to the RFCs: a check of the suite, not
 * of a device. Strictly: also for faults that a case names. */
enum testbed_peer { PEER_TRUSTED, PEER_JUDGED, PEER_JUDGED_STRICTLY };

struct peer_judge;

/* Whether the case waits; shared with the pool of workers. */
struct waiting {
	_Atomic uint64_t until;
	_Atomic bool at_ease; /* others may run; the testbed's bell says so */
};

/* How much evidence of a case is kept. */
struct evidence_bounds {
	size_t event; /* octets of one event; 0: no evidence */
	size_t all;   /* characters of JSON in all, approximately */
};

/* Which cases have evidence; WARN, XFAIL, BLOCKED and ERROR count as failures. */
enum evidence_of { EVIDENCE_OF_NONE, EVIDENCE_OF_FAILURES, EVIDENCE_OF_ALL };

/* How often in a row replies to a verb were late, for any worker; shared by
 * all. */
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
	char contradictions[CLAIMS_TOLD]; /* between claims; "" = none */
	struct link *link;
	struct observe *log;
	struct model *models[TESTBED_STREAMS];      /* made when first needed */
	struct peer_judge *judges[TESTBED_STREAMS]; /* likewise */
	enum testbed_peer peer;
	uint64_t wait_ns;     /* an answer comes within this time */
	uint64_t exchange_ns; /* the time of a plain exchange, at calibration */
	bool brief;           /* waits may be a part of that */
	bool exploring; /* by programs, which judge each answer by the model: it knows what an atomic leaves */
	struct waiting *waiting; /* published by the case; NULL: not wanted */
	int bell; /* an eventfd, rung where at_ease is set; -1: none */
	struct patience *patience; /* with the agent; NULL: unlimited */
	bool limited;     /* the last case exceeded a limit of the agent */
	bool unconnected; /* it waited for a connection of the device in vain */
	uint64_t lost;    /* packets, as testbed_lost() counts them */
	uint64_t agent_lost; /* the same for agents' sessions that have ended */
	bool interrupted;    /* the path, since the case before */
	struct carrier carrier;
	bool traced; /* the log has the requests to the agent, too */
	struct segmentation segmentation;
	bool second;              /* each case runs beside another connection */
	struct readings readings; /* how this device is to be read */
	struct habits habits;
	struct ulp_habits ulp;
	const struct ground *ground; /* which foundations hold; NULL: all */
	enum model_profile profile;
	unsigned spec;             /* its SPEC_ bit */
	char token[DEVICE_TOKEN];  /* "" = none */
	struct dimensions_met met; /* by the last case */
};

/* testbed_close() also closes the link (NULL: there was no memory for it), even
 * after a failure. False: out of memory, or an unreadable token file; one line
 * in why. */
bool testbed_open(struct testbed *bed, const struct device *d,
		  struct link *link, enum model_profile p, double timeout_scale,
		  char *why, size_t cap);
void testbed_close(struct testbed *bed);

/* Open the agent's session (again). False: one line in why. */
bool testbed_reach_agent(struct testbed *bed, char *why, size_t cap);
/* Close it, if there is one. */
void testbed_leave_agent(struct testbed *bed);

/* Packets lost so far, as its connections and its session report; for the link,
 * once they have ended. With those that this host received and dropped. */
uint64_t testbed_lost(const struct testbed *bed);
/* Whether the path to the device was interrupted at this host since it was asked
 * last, or is now. */
bool testbed_was_interrupted(struct testbed *bed);

/* The limits of the dimensions on this device, as its agent reports them. */
struct dimension_limits testbed_limits(const struct testbed *bed);

/* From now on the log has all requests to the agent and their replies, and what
 * each judgement is about. */
void testbed_trace(struct testbed *bed);

/* Request any reply from the agent. False: none came, one line in why. */
bool testbed_hear_agent(struct testbed *bed, char *why, size_t cap);

/* Whether the session has to be opened again. Between cases an unrequested
 * message of the agent ends it, too. */
bool testbed_agent_lost(const struct testbed *bed);

/*
 * Run one instance and fill *out; *cause is the cause of an ERROR. Strings in
 * it live until the next call.
 */
void testbed_run(struct testbed *bed, const struct instance *in,
		 struct result *out, enum error_cause *cause);
/* Fill in the evidence of the latest instance. */
void testbed_evidence(struct testbed *bed, const struct evidence_bounds *b,
		      struct result *out);

#endif

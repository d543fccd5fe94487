/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The test bed, which all cases of one process share. It has the agent's
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
#define WAIT_BRIEF_PART 8u /* 1/8 of a wait, if no verdict depends on it */

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
	bool ird_low;                /* has an IRD below the requested ORD in
				      * every Reply, although its ULP allows
				      * more */
	bool unspecified;            /* uses code FF for its RDMAP errors */
	bool short_ulpdus;           /* cuts messages into ULPDUs that are
				      * shorter than any MULPDU */
	struct link_end caller; /* the address from which its first connection
				 * came; family 0: there was none */
};
/* The ULP's buffer, if it has one that its peers can read. */
struct ulp_buffer {
	size_t len;      /* octets that the suite uses; 0: there is none */
	unsigned access; /* REMOTE_READ, and other rights that were found */
	bool bounded;    /* the octets right next to it cannot be read */
};
#define BUFFER_MOST (2u << 20) /* octets that the suite uses at most */

/* The habits of the ULP behind the port of a device without an agent, as the
 * probe has found them. */
struct ulp_habits {
	bool no_crc;          /* its Replies have C=0 if the Request has C=0 */
	unsigned rtr;         /* the RTRs of its Replies: RTR_ bits */
	unsigned connections; /* accepted at once; 0: no limit is known */
	uint8_t flags;        /* of its Requests */
	bool ird_open;        /* IRD 3fff in its Replies */
	unsigned ird, ord;    /* of its Replies to 16 of each; 0: none */
	struct ulp_buffer buffer;
	bool there;      /* its port has accepted a connection */
	bool deaf;       /* it answers no Read if no IRD was negotiated */
	bool negotiates; /* it answers Reads only if an IRD was negotiated */
	bool looking;    /* the probe is still running */
	bool bare;       /* it just tries without the configured private data */
};

/* Whether the suite's own peer is judged, too: a check of the suite, not of a
 * device. Strictly: also for faults that a case names. */
enum testbed_peer { PEER_TRUSTED, PEER_JUDGED, PEER_JUDGED_STRICTLY };

struct peer_judge;

/* Whether the case waits; shared with the pool of workers. */
struct waiting {
	_Atomic uint64_t until;
	_Atomic bool at_ease; /* others may run; rings the test bed's bell */
};

/* How much evidence of a case is kept. */
struct evidence_bounds {
	size_t event; /* octets of one event; 0: no evidence */
	size_t all;   /* characters of JSON in all, approximately */
};

/* Which cases have evidence; WARN, XFAIL, BLOCKED and ERROR count as
 * failures. */
enum evidence_of { EVIDENCE_OF_NONE, EVIDENCE_OF_FAILURES, EVIDENCE_OF_ALL };

/* The number of consecutive late replies to each verb, for any worker; all
 * workers share it. */
#define PATIENCE_VERBS 16

struct patience {
	_Atomic unsigned late[PATIENCE_VERBS];
	/* Packets that the link has lost in all cases so far, without those
	 * that a case with little room for them may itself have lost (link.h:
	 * unproven). */
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
	bool exploring; /* the cases are random programs: the model then knows
			 * the word that an atomic leaves */
	struct waiting *waiting; /* published by the case; NULL: not wanted */
	int bell; /* an eventfd, rung when at_ease is set; -1: none */
	struct patience *patience; /* with the agent; NULL: unlimited */
	bool limited;        /* the last case exceeded a limit of the agent */
	bool unconnected;    /* it waited for a connection that never came */
	uint64_t lost;       /* packets, as testbed_lost() counts them */
	uint64_t agent_lost; /* the same for agents' sessions that have ended */
	bool interrupted;    /* the path was, since the previous case */
	struct carrier carrier;
	bool traced; /* the log has the requests to the agent, too */
	struct segmentation segmentation;
	bool second;              /* each case runs beside another connection */
	struct readings readings; /* how to read this device's fields */
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

/* Packets lost so far: those of the link's connections, counted when they end;
 * those of the agent's session; and those that this host received and
 * dropped. */
uint64_t testbed_lost(const struct testbed *bed);
/* True if the path to the device was interrupted at this host since the last
 * call, or is interrupted now. */
bool testbed_was_interrupted(struct testbed *bed);

/* The limits of the dimensions on this device, as its agent reports them. */
struct dimension_limits testbed_limits(const struct testbed *bed);

/* From now on the log has all requests to the agent and their replies, and the
 * subject of each judgement (looked_at.h). */
void testbed_trace(struct testbed *bed);

/* Request any reply from the agent. False: none came, one line in why. */
bool testbed_hear_agent(struct testbed *bed, char *why, size_t cap);

/* True if the session has to be opened again. Between cases an unrequested
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

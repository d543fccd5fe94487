/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sessions of a DDP stream over SCTP: the legal sequences of RFC 5043
 * s6.2 to s6.4 and RFC 6581 s7. The caller reports each chunk of one SCTP
 * stream: those of each side in the order of its DDP-SSNs, and those of both
 * sides in the order seen at the test peer. The model returns the fault in a
 * chunk from the device, and the reaction that is due after a chunk from the
 * peer.
 *
 * 	active           passive
 * 	Initiate
 * 	                 Accept | Reject | Terminate
 * 	segments         segments       (after an Accept alone)
 * 	Terminate        Terminate      (one at least; the last of its side)
 *
 * or the same with the enhanced codes; Terminate is the same in both. The RFCs
 * leave open what happens if the active side ends before it was answered. Its
 * own chunks are a legal pattern, but only the answer makes them a session, and
 * the active side does not wait for it.
 */
#ifndef SUITE_MODEL_SESSION_H
#define SUITE_MODEL_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/wire/session.h"

enum model_session_state {
	MODEL_SESSION_NONE,     /* no chunk yet */
	MODEL_SESSION_ASKED,    /* an Initiate, without an answer */
	MODEL_SESSION_ACCEPTED, /* until both sides have ended, or one has */
	MODEL_SESSION_OVER,     /* rejected, refused, or ended by both */
};

enum model_side { MODEL_PEER, MODEL_DUT };

struct model_session {
	enum model_session_state state;
	enum model_side active;  /* the sender of the Initiate, once sent */
	bool enhanced;           /* with the codes of RFC 6581 */
	bool broken;             /* a chunk was outside the legal patterns */
	uint16_t ssn[2];         /* of the next chunk, by enum model_side */
	bool ended[2];           /* the side has sent its Terminate */
	uint32_t chunks[2];      /* number of chunks of each side */
	bool dut_knows_rfc6581;  /* it may send codes 5 to 7 */
	unsigned rejects_agreed; /* the number of Rejects that its ULP
				  * requested */
};

/* The faults of a chunk from the device. */
enum model_session_fault {
	MODEL_SESSION_RIGHT,
	MODEL_SESSION_PPID,      /* neither 16 nor 17 */
	MODEL_SESSION_ORDERED,   /* not unordered */
	MODEL_SESSION_CUT,       /* ends inside its fields */
	MODEL_SESSION_SSN,       /* not the next number: `due` */
	MODEL_SESSION_FUNCTION,  /* not a code it may use */
	MODEL_SESSION_PRIVATE,   /* more than 512 octets, `due` */
	MODEL_SESSION_WITH_DATA, /* a Terminate with private data */
	MODEL_SESSION_SEQUENCE,  /* outside the legal patterns */
	MODEL_SESSION_MIXED,     /* a plain code for an enhanced one, or back */
	MODEL_SESSION_UNASKED,   /* a Reject that the ULP did not request */
	MODEL_SESSION_AFTER_END, /* after its own Terminate, or after the end of
				  * the session */
};

/* One chunk of DATA, as far as it matters to a session. */
struct model_chunk {
	uint32_t ppid;
	bool ordered;
	struct session_chunk session;
};

struct model_session_verdict {
	enum model_session_fault fault;
	unsigned short req; /* the requirement behind it */
	uint64_t seen, due;
};

void model_session_init(struct model_session *s, bool dut_knows_rfc6581);

/* The device sent this. Returns its first fault; the state continues as if the
 * chunk were correct, if possible. */
struct model_session_verdict model_session_dut(struct model_session *s,
					       const struct model_chunk *c);

/* The reaction of the device that is due to a chunk from the peer. */
enum model_session_due {
	MODEL_SESSION_GOES_ON,  /* nothing */
	MODEL_SESSION_ANSWERS,  /* Accept, Reject or Terminate */
	MODEL_SESSION_IS_ENDED, /* the session has to end: `req` is the
				 * reason */
	MODEL_SESSION_IS_OPEN,  /* the RFCs leave it to the device: `req` */
	MODEL_SESSION_WAITS,    /* a number ahead of its turn: nothing yet, or
				 * the end (RFC 5043 s10) */
};
struct model_session_owed {
	enum model_session_due due;
	unsigned short req;
};
struct model_session_owed model_session_peer(struct model_session *s,
					     const struct model_chunk *c);

/* Neither side may send another chunk of the session. */
bool model_session_is_over(const struct model_session *s);
/* The session is over, or may stay as it is: a side has sent the Terminate that
 * is due (RFC 5043 s6.2). */
bool model_session_may_end(const struct model_session *s);

/* After such a fault, later chunks cannot be interpreted: their numbers do not
 * continue, or they belong to no session. */
bool model_session_leads_astray(enum model_session_fault fault);

/* The startup frame of MPA that a message of session control stands for. False:
 * it starts nothing. */
bool model_session_startup(const struct session_chunk *c,
			   struct mpa_startup *f);
/* The row over SCTP for a row about MPA: that of RFC 5043 or RFC 6581 s7.
 * False: there is none. */
bool model_session_row(unsigned short req, unsigned short *on_sctp);

#endif

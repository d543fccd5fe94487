/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One stream, judged twice by the golden model: each side in turn is the
 * device, and the other one its peer. The caller reports frames in the order of
 * assembly.h, and gets the model's objections to each.
 *
 * The model judges nothing that the wire does not show (model.h: observed). If
 * octets are missing in the capture, Requests and Responses are no longer
 * compared, and each direction is followed from the next message on.
 */
#ifndef SUITE_AUDIT_OBSERVER_H
#define SUITE_AUDIT_OBSERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/wire/fpdu.h"
#include "harness/wire/mpa.h"
#include "suite/audit/memory.h"
#include "suite/model/model.h"
#include "suite/model/startup/negotiate.h"

enum observed_side { OBSERVED_INITIATOR, OBSERVED_RESPONDER };

/* Segments of a side that are kept, for a Terminate that returns the header of
 * one. */
enum { OBSERVED_SEGMENTS = 128 };

struct observed_segment {
	struct ddp ddp;
	uint16_t octets;
	uint8_t head[RDMAP_READ_REQUEST_OCTETS]; /* of a Read Request */
};

struct observer {
	struct model *model[2]; /* by side: the model judges it */
	/* A direction was entered midway: it is not followed until the end of a
	 * message, and then the next numbers of its queues are accepted. */
	bool midway[2];
	bool adopts[2][4];
	struct memory memory; /* of the responder */
	bool foggy;           /* Requests and Responses are not compared */
	bool broken[2];       /* the start of its FPDUs is no longer certain */
	bool ended[2];
	bool failed;                      /* no memory */
	struct observed_segment *sent[2]; /* by side: the last ones */
	uint64_t sent_count[2];
	/* By side: the numbers of its last Requests among all segments that it
	 * has sent; the counts of its Requests and of the answers; and the
	 * number of the last segment that the other side has certainly taken,
	 * because it has answered it. */
	uint64_t request[2][OBSERVED_SEGMENTS];
	uint64_t requests[2], answers[2], taken[2];
	uint64_t fault[2]; /* its first message at fault; 0: none */
	/* The Reply requires a Terminate of the initiator, and no other
	 * message. */
	struct model_outcomes terminate_due;
};

/* Both startup frames were seen. `places`: the responder's memory for its
 * peers, or NULL. False: out of memory. */
struct observed_start {
	const struct mpa_startup *request, *reply;
	enum model_profile profile;
	bool sctp;
	uint16_t mss[2]; /* 0: not known */
	struct memory_places *places;
};
bool observer_starts(struct observer *o, const struct observed_start *s);
/* The startup was not seen: the caller knows the settings of both sides. */
bool observer_enters(struct observer *o, bool crc, bool sctp,
		     enum model_profile profile);
void observer_ends(struct observer *o);

/* Objections to a startup frame, or to the frame that a message of session
 * control stands for. Facts about its sender that the capture does not show are
 * assumed in its favour. */
void observer_request(const struct mpa_startup *request, bool sctp,
		      struct model_objections *out);
void observer_reply(const struct mpa_startup *request,
		    const struct mpa_startup *reply, bool sctp,
		    struct model_objections *out);

/* A segment of this side, in this FPDU (NULL over SCTP); `crc` as for
 * model_dut_sends(). */
void observer_fpdu(struct observer *o, enum observed_side side,
		   const struct ddp_segment *seg, const struct fpdu *fpdu,
		   const uint8_t *crc, struct model_objections *out);
/* Octets of this side are missing. */
void observer_gap(struct observer *o, enum observed_side side);
/* The side has ended its half of the stream. `received`: it had received all
 * octets of the other side. */
void observer_end(struct observer *o, enum observed_side side,
		  enum model_end end, bool received,
		  struct model_objections *out);

#endif

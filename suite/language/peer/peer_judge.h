/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The suite's own peer, held to the RFCs. The golden model judges the octets
 * of a device; with the roles exchanged it judges those of the peer: "device"
 * is then the peer, and "peer" the device. What it objects to has to be the
 * fault that the case names in its stimulus, or a rule that the case says it
 * breaks (peer_breaks); anything else is an error of the suite.
 *
 * Only a MUST counts: who leaves a SHOULD is no less legal. What a peer does
 * wrong that only its receiver can tell, an STag that is not valid or a Send
 * for which no buffer is posted, is the business of the case; the device's
 * own model knows of it.
 */
#ifndef SUITE_LANGUAGE_PEER_JUDGE_H
#define SUITE_LANGUAGE_PEER_JUDGE_H

#include "harness/observe/observe.h"
#include "suite/language/words/case_wire.h"
#include "suite/model/model.h"
#include "suite/model/startup/negotiate.h"

struct peer_judge {
	struct model model;
	/* Faults that were named, and leave the stream other than it was:
	 * what follows from them is excused too. A set. */
	unsigned left_over;
	/* The device's Reply calls for a Terminate, and no other FPDU. */
	struct model_outcomes terminate_due;
	struct ddp latest; /* the header of its latest segment */
};

/* `device` is the configuration under which the device is judged, `a` what
 * both frames agree on, `markers` what the peer sends. */
void peer_judge_start(struct peer_judge *j, const struct model_config *device,
		      const struct model_agreed *a, bool markers);
/* The device's Reply, to the peer's Request. */
void peer_judge_reply(struct peer_judge *j, const struct mpa_startup *request,
		      const struct mpa_startup *reply);

/* The faults that a stimulus names, as a set; of its last segment only those
 * that concern an FPDU. 0: it is to be right throughout. */
unsigned peer_judge_named(const struct send_opts *o, bool last);
unsigned peer_judge_startup_named(const struct startup *f);

/* All that the device sent could be followed so far: what the peer may do is
 * certain. */
bool peer_judge_is_certain(const struct peer_judge *j);

/* The device has sent this. */
void peer_judge_sees(struct peer_judge *j, const struct frame *f);
/* The peer sends this; the frame as it stands in the stream, and the segment
 * that is meant where the former cannot be read. What is wrong and not among
 * `named` is put into *out. */
void peer_judge_sends(struct peer_judge *j, const struct frame *f,
		      const struct ddp_segment *meant, unsigned named,
		      struct model_objections *out);
/* Its Request, or its Reply to this request. */
void peer_judge_startup(const struct startup *f, const struct mpa_startup *sent,
			const struct mpa_startup *request, unsigned named,
			struct model_objections *out);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Judges the suite's own peer by the RFCs. The golden model judges the octets
 * of a device; with the roles exchanged it judges those of the peer: "device"
 * is then the peer, and "peer" the device. An objection has to be the fault
 * that the case names in its stimulus, or a rule that the case declares as
 * broken (peer_breaks); any other objection is an error of the suite.
 *
 * Only a MUST counts: not following a SHOULD is legal. A fault that only the
 * receiver can detect, such as an invalid STag or a Send without a posted
 * buffer, is not judged here. The device's model handles it.
 */
#ifndef SUITE_LANGUAGE_PEER_JUDGE_H
#define SUITE_LANGUAGE_PEER_JUDGE_H

#include "harness/observe/observe.h"
#include "suite/language/words/case_wire.h"
#include "suite/model/model.h"
#include "suite/model/startup/negotiate.h"

struct peer_judge {
	struct model model;
	/* Named faults that changed the state of the stream: their consequences
	 * are excused, too. A set. */
	unsigned left_over;
	/* The device's Reply calls for a Terminate, and no other FPDU. */
	struct model_outcomes terminate_due;
	struct ddp latest; /* the header of its latest segment */
};

/* `device` is the configuration under which the device is judged, `a` what both
 * frames agree on, `markers` whether the peer sends markers. */
void peer_judge_start(struct peer_judge *j, const struct model_config *device,
		      const struct model_agreed *a, bool markers);
/* The device's Reply to the peer's Request. */
void peer_judge_reply(struct peer_judge *j, const struct mpa_startup *request,
		      const struct mpa_startup *reply);

/* The set of faults that a stimulus names; those of the FPDU only for its last
 * segment. 0: everything has to be correct. */
unsigned peer_judge_named(const struct send_opts *o, bool last);
unsigned peer_judge_startup_named(const struct startup *f);

/* The model could follow everything that the device sent: the peer's duties are
 * certain. */
bool peer_judge_is_certain(const struct peer_judge *j);

/* The device has sent this. */
void peer_judge_sees(struct peer_judge *j, const struct frame *f);
/* The peer sends this: the frame as it is in the stream, and the intended
 * segment if the frame cannot be read. Faults that are not in `named` go to
 * *out. */
void peer_judge_sends(struct peer_judge *j, const struct frame *f,
		      const struct ddp_segment *meant, unsigned named,
		      struct model_objections *out);
/* The peer sends its Request, or its Reply to this request. */
void peer_judge_startup(const struct startup *f, const struct mpa_startup *sent,
			const struct mpa_startup *request, unsigned named,
			struct model_objections *out);

#endif

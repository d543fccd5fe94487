/* SPDX-License-Identifier: BSD-2-Clause */
/* How the DUT ends a stream, and whether a Terminate was due before (RFC 5040
 * s6.2.1). */
#include <string.h>

#include "suite/model/send/suspect.h"

static bool may_be_silent(const struct model_outcomes *o)
{
	return model_outcomes_has(o, MODEL_PROCESS) ||
	       model_outcomes_has(o, MODEL_END) ||
	       model_outcomes_has(o, MODEL_WAIT) ||
	       model_outcomes_has(o, MODEL_BACK_PRESSURE);
}

static bool is_must(unsigned short req)
{
	return req != MODEL_REQ_NONE && req_table[req].kind == REQ_KIND_must;
}

void model_dut_ends(struct model *m, enum model_end end,
		    struct model_objections *out)
{
	const struct model_suspect *s = suspect_culprit(m);

	memset(out, 0, sizeof(*out));
	if (m->adrift)
		return;
	if (!m->terminated && !m->half_closed && s &&
	    !may_be_silent(&s->outcomes) &&
	    (m->config.dut_initiates || m->rx_frames)) {
		/* A reset may have destroyed the Terminate that a MUST requires
		 * (RFC 5040 s6.2.1): then nothing more can be said. */
		if (end == MODEL_END_RST && is_must(s->outcomes.silent_req))
			model_object(out, LEVEL(RDMAP_6_2_1_03),
				     MODEL_FAULT_NOT_GRACEFUL, end,
				     MODEL_END_FIN);
		else
			suspect_object(s, &s->outcomes, s->outcomes.silent_req,
				       MODEL_FAULT_TERMINATE_MISSING, end, out);
	} else if (!m->terminated && m->setup.n && !may_be_silent(&m->setup))
		suspect_object(NULL, &m->setup, m->setup.silent_req,
			       MODEL_FAULT_TERMINATE_MISSING, end, out);
	if (end == MODEL_END_RST && m->terminated)
		model_object(out, LEVEL(RDMAP_6_2_1_03),
			     MODEL_FAULT_NOT_GRACEFUL, end, MODEL_END_FIN);
	else if (end == MODEL_END_RST && m->peer_terminated)
		model_object(out, LEVEL(RDMAP_6_2_1_06),
			     MODEL_FAULT_NOT_GRACEFUL, end, MODEL_END_FIN);
}

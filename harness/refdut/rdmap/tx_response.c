/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Responses: Read Responses (RFC 5040 s4.5, s5.2) and Atomic Responses
 * (RFC 7306 s5). A Request is validated before each segment of its Response is
 * made.
 */
#include "harness/refdut/rdmap/tx.h"
#include "harness/refdut/rdmap/tx_request_decisions.h"
#include "harness/refdut/rdmap/tx_response_decisions.h"
#include "harness/refdut/ddp/tx_segment_decisions.h"

#include <string.h>

enum answer { ANSWER_MORE, ANSWER_WHOLE, ANSWER_FAULT };

/* Atomics (RFC 7306 s5) */

RULE(original_value)
{
	return region ? rdmap_atomic(c, request, region) : 0;
}

RULE(atomic_response_queue)
{
	return 3;
}

RULE(atomic_response)
{
	struct message m = {
		.opcode = OPCODE_ATOMIC_RESPONSE,
		.msn = msn,
		.len = ATOMIC_RESPONSE_HEADER,
	};

	/* The Original Request Identifier. */
	memcpy(m.body, request->header + 4, 4);
	be64_put(m.body + 4, original);
	return m;
}

static enum answer answer_atomic(struct conn *c, struct request *request)
{
	uint32_t qn = atomic_response_queue(request);
	struct region *region;
	struct message m;
	uint32_t offset = 0;
	uint32_t msn;

	if (!rdmap_check_request(c, request, &region))
		return ANSWER_FAULT;
	tx_refresh_mulpdu(c);
	msn = next_msn(c, qn);
	m = atomic_response(c, request, msn,
			    original_value(c, request, region));
	m.qn = qn;
	m.request = request;
	put_segment(c, &m, &offset);
	return ANSWER_WHOLE;
}

/* Reads (RFC 5040 s5.2) */

RULE(read_is_answered)
{
	return true;
}

RULE(read_response)
{
	static const uint8_t zeros[64];
	struct message m = {
		.opcode = OPCODE_READ_RESPONSE,
		.tagged = true,
		.stag = be32(request->header),
		.to = be64(request->header + 4),
		.len = be32(request->header + 12),
	};

	if (request->snapshot) {
		m.payload = request->snapshot;
	} else if (region) {
		m.payload = region_at(region, be64(request->header + 20));
		m.region = region;
	} else {
		m.payload = zeros;
		m.len = m.len < sizeof(zeros) ? m.len : sizeof(zeros);
	}
	return m;
}

static enum answer answer_read(struct conn *c, struct request *request)
{
	struct region *region = NULL;
	struct message m;

	if (!rdmap_check_request(c, request, &region))
		return ANSWER_FAULT;
	if (!c->in_response)
		tx_refresh_mulpdu(c);
	if (!read_is_answered(c, request))
		return ANSWER_WHOLE;
	m = read_response(c, request, region);
	m.request = request;
	c->in_response = !put_segment(c, &m, &request->sent);
	return c->in_response ? ANSWER_MORE : ANSWER_WHOLE;
}

RULE(response_is_issued)
{
	request->issued = true;
	request->end = c->generated;
	c->answering = request->next;
}

bool tx_step_response(struct conn *c)
{
	struct request *request = c->answering;
	enum answer answer = request->atomic ? answer_atomic(c, request)
					     : answer_read(c, request);

	/* A fault has freed the request, unless the stream continues. */
	if (answer == ANSWER_FAULT && c->phase != PHASE_FULL)
		return false;
	if (answer == ANSWER_FAULT)
		c->in_response = false;
	if (answer != ANSWER_MORE)
		response_is_issued(c, request);
	return true;
}

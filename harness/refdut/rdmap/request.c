/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Read and Atomic Requests delivered: RFC 5040 s5.2.1 and s7.2, RFC 7306 s5.2
 * and s8.2.
 *
 * Where the RFCs leave a choice:
 * - STag and rights of a request are checked when it is delivered and again
 *   whenever a segment of its Response is made; an atomic is performed when
 *   its Response is made;
 * - a Response is made as soon as its Request was accepted, if no other one is
 *   due;
 * - the sink of a Read is not checked: it is the peer's memory.
 */
#include "harness/refdut/rdmap/request_decisions.h"
#include "harness/refdut/rdmap/fields.h"
#include "harness/refdut/rdmap/header_decisions.h"
#include "harness/refdut/rdmap/rdmap_atomic_decisions.h"

#include <string.h>

RULE(protection_code)
{
	static const uint8_t codes[] = {
		[MEMORY_NO_STAG] = INVALID_STAG,
		[MEMORY_BOUNDS] = BOUNDS_VIOLATION,
		[MEMORY_ACCESS] = ACCESS_VIOLATION,
		[MEMORY_NOT_ASSOCIATED] = NOT_ASSOCIATED,
		[MEMORY_WRAP] = TO_WRAP,
	};

	return codes[flaw];
}

RULE(read_source_validated)
{
	return read_size(request->header) != 0;
}

RULE(read_source_flaw)
{
	const uint8_t *header = request->header;

	return memory_check(&c->domain, c, read_source_stag(header),
			    read_source_to(header) + request->sent,
			    read_size(header) - request->sent,
			    ACCESS_REMOTE_READ, region);
}

RULE(terminated_read_header)
{
	const uint8_t *original = request->header;

	memcpy(header, original, READ_REQUEST_HEADER);
	be64_put(header + 4, read_sink_to(original) + request->sent);
	be32_put(header + 12, read_size(original) - request->sent);
	be64_put(header + 20, read_source_to(original) + request->sent);
}

static bool check_read(struct conn *c, const struct request *request,
		       struct region **region)
{
	uint8_t header[READ_REQUEST_HEADER];
	enum memory_flaw flaw;

	*region = NULL;
	if (!read_source_validated(request))
		return true;
	flaw = read_source_flaw(c, request, region);
	if (flaw == MEMORY_FINE)
		return true;
	terminated_read_header(request, header);
	fault(c, ERR_RDMA_PROTECTION, protection_code(flaw), request->ddp,
	      request->segment_len, header);
	return false;
}

bool rdmap_check_request(struct conn *c, const struct request *request,
			 struct region **region)
{
	if (request->agreed) {
		*region = NULL;
		return true;
	}
	return request->atomic ? rdmap_check_atomic(c, request, region)
			       : check_read(c, request, region);
}

RULE(queue_request)
{
	*c->requests_end = request;
	c->requests_end = &request->next;
	if (!c->answering)
		c->answering = request;
}

RULE(answered_at_once)
{
	return true;
}

void rdmap_take_request(struct conn *c, struct request *request)
{
	queue_request(c, request);
	c->inbound++;
	requests_inbound++;
	/* Pending answers are sent before the Terminate for an error found
	 * next. */
	if (answered_at_once(c))
		tx_pump(c);
}

RULE(take_request)
{
	rdmap_take_request(c, request);
}

RULE(accept_request)
{
	struct region *region;

	if (rdmap_check_request(c, request, &region))
		take_request(c, request, region);
	else
		request_free(request);
}

static struct request *request_new(const uint8_t *ulpdu, uint32_t len,
				   const uint8_t *header)
{
	struct request *request = alloc_zeroed(sizeof(*request));

	request->atomic = rdmap_opcode(ulpdu) == OPCODE_ATOMIC_REQUEST;
	request->segment_len = len;
	memcpy(request->ddp, ulpdu, UNTAGGED_HEADER);
	memcpy(request->header, header,
	       request->atomic ? ATOMIC_REQUEST_HEADER : READ_REQUEST_HEADER);
	return request;
}

void rdmap_deliver_request(struct conn *c, const uint8_t *ulpdu, uint32_t len,
			   uint32_t message_len)
{
	const uint8_t *header = c->queue[1].own;

	if (!message_well_formed(c, ulpdu, message_len)) {
		refuse_operation(c, UNSPECIFIED, ulpdu, len);
		return;
	}
	/* Our half is closed: no Response can follow. */
	if (c->fin_due) {
		refuse_operation(c, CATASTROPHIC_STREAM, ulpdu, len);
		return;
	}
	if (rdmap_opcode(ulpdu) == OPCODE_ATOMIC_REQUEST &&
	    !aopcode_known(atomic_aopcode(header))) {
		refuse_operation(c, UNEXPECTED_OPCODE, ulpdu, len);
		return;
	}
	accept_request(c, request_new(ulpdu, len, header));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of Responses (RFC 5040 s4.5, s5.2, RFC 7306 s5). */
#include "harness/refdut/rdmap/tx_response_decisions.h"
#include "harness/refdut/decision/override.h"

#include <string.h>

/* Read Responses (RFC 5040 s4.4, s4.5) */

MUTANT(response_stag_is_source, "RDMAP-4.4-02 RDMAP-4.4-03",
       "answers a Read with the source STag", read_response)
{
	struct message m = OTHERWISE(read_response);

	m.stag = be32(request->header + 16);
	return m;
}

MUTANT(response_stag_of_previous, "RDMAP-5.2.2-07",
       "answers a Read with the sink STag of the one before it", read_response)
{
	struct message m = OTHERWISE(read_response);
	const uint32_t *last = remember(&c->remembered, self, sizeof(*last));

	if (m.len && *last)
		m.stag = *last;
	return m;
}

ALSO(response_stag_of_previous, response_is_issued)
{
	uint32_t *last = remember(&c->remembered, self, sizeof(*last));

	if (!request->atomic && be32(request->header + 12))
		*last = be32(request->header);
	OTHERWISE(response_is_issued);
}

MUTANT(response_to_is_source, "RDMAP-4.4-04",
       "answers a Read with the source TO", read_response)
{
	struct message m = OTHERWISE(read_response);

	m.to = be64(request->header + 20);
	return m;
}

MUTANT(response_to_32_bit, "RDMAP-4.4-04 DDP-4.2-07",
       "answers a Read with the low half of the sink TO", read_response)
{
	struct message m = OTHERWISE(read_response);

	m.to = (uint32_t)m.to;
	return m;
}

MUTANT(response_one_short, "RDMAP-4.4-05 RDMAP-5.2.1-09",
       "sends one octet less than requested", read_response)
{
	struct message m = OTHERWISE(read_response);

	if (m.len)
		m.len--;
	return m;
}

MUTANT(response_to_zero_one_short, "RDMAP-4.4-05 RDMAP-5.2.1-09",
       "sends one octet less than requested if the sink TO is zero",
       read_response)
{
	struct message m = OTHERWISE(read_response);

	if (m.len && m.to == 0)
		m.len--;
	return m;
}

MUTANT(zero_read_unanswered, "RDMAP-5.2.1-16 EMPA-9.2-18",
       "does not answer a Read of size 0", read_is_answered)
{
	return be32(request->header + 12) && OTHERWISE(read_is_answered);
}

MUTANT(empty_response_behind_another_filled, "RDMAP-5.2.1-16",
       "answers a Read of size 0 with four octets if other Reads wait before "
       "it",
       read_response)
{
	struct message m = OTHERWISE(read_response);

	if (m.len == 0 && c->requests != request) {
		m.payload = NULL;
		m.region = NULL;
		m.len = 4;
	}
	return m;
}

/* Atomic Responses (RFC 7306 s5.2.2) */

MUTANT(atomic_response_on_queue_one, "RDMAPX-4.1-08",
       "sends Atomic Responses on queue 1", atomic_response_queue)
{
	return 1;
}

MUTANT(atomic_response_msn_of_request, "RDMAPX-5.2-03",
       "sends Atomic Responses with the MSN of their Request", atomic_response)
{
	msn = be32(request->ddp + 10);
	return OTHERWISE(atomic_response);
}

MUTANT(atomic_identifier_not_echoed, "RDMAPX-5.2.1-10 RDMAPX03-5.2.2-01",
       "sends an identifier of its own in Atomic Responses", atomic_response)
{
	struct message m = OTHERWISE(atomic_response);

	be32_put(m.body, m.msn);
	return m;
}

MUTANT(atomic_response_value_little_endian, "RDMAPX-5.1.1-10 RDMAPX-5.1.2-09",
       "sends the original value least significant octet first",
       atomic_response)
{
	struct message m = OTHERWISE(atomic_response);

	memcpy(m.body + 4, &original, sizeof(original));
	return m;
}

MUTANT(atomic_response_padded, "RDMAPX-5.2.2-01 RDMAPX-5.2.1-25",
       "sends Atomic Responses of 32 octets", atomic_response)
{
	struct message m = OTHERWISE(atomic_response);

	m.len = 32;
	return m;
}

/* The Request whose atomic was performed ahead of the one before it. */
struct ahead {
	const struct request *request;
	uint64_t original;
};

/* The STag and TO of two atomics are the same: both may be done. */
static bool is_of_same_word(const struct request *a, const struct request *b)
{
	return a->atomic && b->atomic &&
	       memcmp(a->header + 8, b->header + 8, 12) == 0;
}

MUTANT(atomics_exchanged_behind_another_stream, "RDMAPX-5.2.1-24 RDMAPX-5.4-08",
       "performs the second of two waiting atomics first if another stream has "
       "changed their word",
       original_value)
{
	struct ahead *ahead = remember(&c->remembered, self, sizeof(*ahead));
	struct request *next = request->next;

	if (ahead->request == request) {
		ahead->request = NULL;
		return ahead->original;
	}
	if (region && next && is_of_same_word(request, next) &&
	    rdmap_changed_by_another(c, region, request)) {
		ahead->original =
			original_value_otherwise(self, c, next, region);
		ahead->request = next;
	}
	return OTHERWISE(original_value);
}

MUTANT(atomic_completes_by_own_response, "RDMAPX-5.4-07",
       "completes its only atomic when it has answered a Request of its peer",
       response_is_issued)
{
	struct work *work;

	OTHERWISE(response_is_issued);
	work = work_awaited(c);
	if (!work || work->op == OP_READ || c->outstanding != 1)
		return;
	work->answered = true;
	c->outstanding--;
	work_complete_done(c);
}

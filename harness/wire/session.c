/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/wire/session.h"

#include "harness/wire/cursor.h"
#include "harness/wire/sctp.h"

const char *session_function_name(uint16_t function)
{
	switch (function) {
	case SESSION_INITIATE:
		return "Session Initiate";
	case SESSION_ACCEPT:
		return "Session Accept";
	case SESSION_REJECT:
		return "Session Reject";
	case SESSION_TERMINATE:
		return "Session Terminate";
	case SESSION_ENHANCED_INITIATE:
		return "Enhanced Session Initiate";
	case SESSION_ENHANCED_ACCEPT:
		return "Enhanced Session Accept";
	case SESSION_ENHANCED_REJECT:
		return "Enhanced Session Reject";
	case SESSION_EXPERIMENTAL:
		return "experimental";
	default:
		return NULL;
	}
}

void session_decode(struct session_chunk *c, bool control,
		    const uint8_t *octets, size_t n)
{
	struct get g = get_from(octets, n);
	size_t head = control ? SESSION_CONTROL_OCTETS : SESSION_SSN_OCTETS;

	*c = (struct session_chunk){.control = control, .cut = n < head};
	if (!c->cut) {
		c->ddp_ssn = get16(&g);
		c->function = control ? get16(&g) : 0;
	}
	c->body_octets = get_left(&g);
	c->body = get_octets(&g, c->body_octets);
}

size_t session_encode(const struct session_chunk *c, uint8_t *out, size_t cap)
{
	struct put p = put_into(out, cap);

	if (!c->cut) {
		put16(&p, c->ddp_ssn);
		if (c->control)
			put16(&p, c->function);
	}
	put_octets(&p, c->body, c->body_octets);
	return p.flaw ? 0 : (size_t)(p.at - out);
}

bool session_enhanced(const struct session_chunk *c, struct mpa_enhanced *e)
{
	if (!c->control || c->cut || c->body_octets < MPA_ENHANCED_OCTETS ||
	    (c->function != SESSION_ENHANCED_INITIATE &&
	     c->function != SESSION_ENHANCED_ACCEPT))
		return false;
	mpa_enhanced_decode(e, c->body);
	return true;
}

const uint8_t *session_ulp_data(const struct session_chunk *c, size_t *n)
{
	struct mpa_enhanced e;
	size_t skip = session_enhanced(c, &e) ? MPA_ENHANCED_OCTETS : 0;

	*n = c->body_octets - skip;
	return skip ? c->body + skip : c->body;
}

enum session_adaptation session_adaptation(const uint8_t *parameters, size_t n,
					   uint32_t *indication)
{
	enum sctp_next next;
	struct sctp_tlv t;
	size_t at = 0, used;

	while ((next = sctp_parameter_decode(&t, parameters + at, n - at,
					     &used)) == SCTP_NEXT) {
		at += used;
		if (t.type != SESSION_ADAPTATION_TYPE)
			continue;
		if (t.length != SESSION_ADAPTATION_LENGTH)
			return SESSION_ADAPTATION_BROKEN;
		struct get g = get_from(t.value, t.value_octets);

		*indication = get32(&g);
		return SESSION_ADAPTATION_PRESENT;
	}
	return next == SCTP_CUT ? SESSION_ADAPTATION_BROKEN
				: SESSION_ADAPTATION_ABSENT;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* SCTP packets of DDP sessions: what decodes comes back octet for octet, and
 * a walk over chunks and parameters ends. */
#include "harness/wire/fuzz.h"
#include "harness/wire/sctp.h"
#include "harness/wire/session.h"

static void come_back(const uint8_t *in, const uint8_t *out, size_t made,
		      size_t n)
{
	must_hold(made == n);
	must_equal(in, out, n);
}

static void parameters(const struct sctp_init *i, uint8_t *out)
{
	size_t at = 0, used, count = 0;
	enum sctp_next next;
	struct sctp_tlv t;
	uint32_t indication = 0;

	while ((next = sctp_parameter_decode(&t, i->parameters + at,
					     i->parameter_octets - at,
					     &used)) == SCTP_NEXT) {
		must_hold(used >= SCTP_PARAMETER_OCTETS);
		come_back(i->parameters + at, out,
			  sctp_parameter_encode(&t, out, used), used);
		at += used;
		count += t.type == SESSION_ADAPTATION_TYPE;
	}
	must_hold((next == SCTP_END) == (at == i->parameter_octets));
	must_hold(session_adaptation(i->parameters, i->parameter_octets,
				     &indication) !=
			  SESSION_ADAPTATION_ABSENT ||
		  count == 0);
}

static void user_data(const struct sctp_data *d, uint8_t *out)
{
	struct session_chunk c;
	struct mpa_enhanced e;
	size_t ulp;

	session_decode(&c, d->ppid == SESSION_PPID_CONTROL, d->user,
		       d->user_octets);
	come_back(d->user, out, session_encode(&c, out, d->user_octets),
		  d->user_octets);
	session_ulp_data(&c, &ulp);
	must_hold(ulp ==
		  c.body_octets -
			  (session_enhanced(&c, &e) ? MPA_ENHANCED_OCTETS : 0));
}

static void chunk(const struct sctp_tlv *t, uint8_t *out)
{
	struct sctp_data d;
	struct sctp_init i;
	struct sctp_sack s;
	size_t n = t->value_octets;

	switch (t->type) {
	case SCTP_CHUNK_DATA:
		if (!sctp_data_decode(&d, t->value, n))
			break;
		come_back(t->value, out, sctp_data_encode(&d, out, n), n);
		user_data(&d, out);
		break;
	case SCTP_CHUNK_INIT:
	case SCTP_CHUNK_INIT_ACK:
		if (!sctp_init_decode(&i, t->value, n))
			break;
		come_back(t->value, out, sctp_init_encode(&i, out, n), n);
		parameters(&i, out);
		break;
	case SCTP_CHUNK_SACK:
		if (sctp_sack_decode(&s, t->value, n))
			come_back(t->value, out, sctp_sack_encode(&s, out, n),
				  n);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *out = malloc(size + 1);
	enum sctp_next next;
	struct sctp_packet p;
	struct sctp_tlv t;
	size_t at = 0, used;

	must_hold(out != NULL);
	if (sctp_packet_decode(&p, data, size)) {
		come_back(data, out, sctp_packet_encode(&p, out, size), size);
		must_hold(sctp_packet_encode(&p, out, size - 1) == 0);
		while ((next = sctp_chunk_decode(&t, p.chunks + at,
						 p.chunk_octets - at, &used)) ==
		       SCTP_NEXT) {
			come_back(p.chunks + at, out,
				  sctp_chunk_encode(&t, out, used), used);
			chunk(&t, out);
			at += used;
		}
		must_hold((next == SCTP_END) == (at == p.chunk_octets));
	} else {
		must_hold(size < SCTP_HEADER_OCTETS);
	}
	free(out);
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/rnic/params.h"

#include <string.h>

enum { NOT_NEGOTIATED = 16383, DEPTH_DEFAULT = 16 };

static bool parse_rtr(struct verbs_session *s, const struct line *l,
		      unsigned *rtr)
{
	const char *list = line_get(l, "rtr");

	*rtr = 0;
	if (!list || agent_bits_of(agent_rtr_names, AGENT_RTR_BITS, list, rtr))
		return true;
	verbs_refuse(s, LINE_BAD_ARGUMENT, "rtr is of send,write,read");
	return false;
}

static bool parse_depth(struct verbs_session *s, const struct line *l,
			const char *key, uint32_t max, uint32_t *depth)
{
	uint64_t n = max < DEPTH_DEFAULT ? max : DEPTH_DEFAULT;

	if (!verbs_number(s, l, key, NOT_NEGOTIATED, &n))
		return false;
	if (n == NOT_NEGOTIATED)
		return verbs_unsupported(s, key);
	if (n > max) {
		verbs_refuse(s, LINE_LIMIT, "%s is at most %u", key, max);
		return false;
	}
	*depth = (uint32_t)n;
	return true;
}

static bool parse_private(struct verbs_session *s, const struct line *l,
			  struct verbs_params *p)
{
	const struct line_token *t = line_find(l, "private");

	if (!t)
		return true;
	if (t->value_len / 2 > s->facts->max_private) {
		verbs_refuse(s, LINE_LIMIT, "private data is at most %u",
			     s->facts->max_private);
		return false;
	}
	if (!line_hex_decode(t->value, t->value_len, p->private_data,
			     sizeof(p->private_data))) {
		verbs_refuse(s, LINE_BAD_ARGUMENT, "private is not hex");
		return false;
	}
	p->private_octets = t->value_len / 2;
	return true;
}

static bool parse_receives(struct verbs_session *s, const struct line *l,
			   struct verbs_params *p)
{
	uint64_t rq = 0, rqlen = 4096;

	if (!verbs_number(s, l, "rq", UINT64_MAX, &rq) ||
	    !verbs_number(s, l, "rqlen", UINT64_MAX, &rqlen))
		return false;
	if (rq > s->facts->max_receives || rqlen > s->facts->max_message) {
		verbs_refuse(s, LINE_LIMIT, "too many or too long receives");
		return false;
	}
	p->receives = (uint32_t)rq;
	p->receive_len = (uint32_t)rqlen;
	return true;
}

/* proto and msn have one value that this agent's devices have. */
static bool parse_fixed(struct verbs_session *s, const struct line *l)
{
	const char *proto = line_get(l, "proto");
	uint64_t msn = 1;

	if (proto && strcmp(proto, "tcp") != 0) {
		if (strcmp(proto, "sctp") == 0)
			return verbs_unsupported(s, "proto");
		verbs_refuse(s, LINE_BAD_ARGUMENT, "proto is tcp or sctp");
		return false;
	}
	return verbs_number(s, l, "msn", UINT32_MAX, &msn) &&
	       (msn == 1 || verbs_unsupported(s, "msn"));
}

/* The required contents of the device's own Request, compared with the actual
 * ones. */
static bool check_request(struct verbs_session *s, const struct line *l,
			  bool markers, bool crc)
{
	const struct verbs_facts *f = s->facts;
	bool enhanced = true;
	bool wanted =
		line_get(l, "ird") || line_get(l, "ord") || line_get(l, "rtr");
	uint64_t rev = wanted ? 2 : 1;
	unsigned rtr;

	if (!verbs_number(s, l, "mpa", 2, &rev) ||
	    !verbs_flag(s, l, "enhanced", &enhanced) || !parse_rtr(s, l, &rtr))
		return false;
	if (rev == 0) {
		verbs_refuse(s, LINE_BAD_ARGUMENT, "mpa is 1 or 2");
		return false;
	}
	if (rev != f->request_rev)
		return verbs_unsupported(s, "mpa");
	if (rev == 2 && enhanced != f->request_enhanced)
		return verbs_unsupported(s, "enhanced");
	if (rtr != f->request_rtr)
		return verbs_unsupported(s, "rtr");
	if (markers != f->request_markers)
		return verbs_unsupported(s, "markers");
	return crc == f->request_crc || verbs_unsupported(s, "crc");
}

/* The same of its Reply, as far as that does not follow the Request. */
static bool check_reply(struct verbs_session *s, const struct line *l,
			bool markers, bool crc)
{
	const struct verbs_facts *f = s->facts;
	uint64_t knows = verbs_claims(s, AGENT_FEATURE_BIT_MPA_V2) ? 2 : 1;
	uint64_t rev = knows;
	unsigned rtr;

	if (!verbs_number(s, l, "mpa", 2, &rev) || !parse_rtr(s, l, &rtr))
		return false;
	if (rev == 0) {
		verbs_refuse(s, LINE_BAD_ARGUMENT, "mpa is 1 or 2");
		return false;
	}
	if (rev != knows)
		return verbs_unsupported(s, "mpa");
	if (line_get(l, "rtr") && rtr != f->reply_rtr)
		return verbs_unsupported(s, "rtr");
	if (markers != f->reply_markers)
		return verbs_unsupported(s, "markers");
	/* CRCs are used if the peer requests them, whatever C is here. */
	return crc == (f->reply_crc == VERBS_CRC_SET) ||
	       verbs_unsupported(s, "crc");
}

bool verbs_params_of(struct verbs_session *s, const struct line *l,
		     bool listening, struct verbs_params *p)
{
	bool markers = false, crc = true;

	*p = (struct verbs_params){0};
	if (!verbs_flag(s, l, "markers", &markers) ||
	    !verbs_flag(s, l, "crc", &crc) || !parse_fixed(s, l) ||
	    !verbs_number(s, l, "pd", UINT64_MAX, &p->pd) ||
	    !parse_depth(s, l, "ird", s->facts->max_ird, &p->ird) ||
	    !parse_depth(s, l, "ord", s->facts->max_ord, &p->ord) ||
	    !parse_private(s, l, p) || !parse_receives(s, l, p) ||
	    !verbs_flag(s, l, "reject", &p->reject))
		return false;
	if (!s->facts->probed)
		return true;
	return listening ? check_reply(s, l, markers, crc)
			 : check_request(s, l, markers, crc);
}

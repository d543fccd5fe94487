/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parameters of a connection: converts the keys of `listen` and `connect`
 * to parameters of startup (RFC 5044 s7.1, RFC 6581, RFC 5043 s5.2).
 *
 * Where the RFCs leave a choice: a Request has the form and the depths that the
 * ULP requests, and the ULP may do without CRCs.
 */
#include "harness/refdut/verbs/setup.h"
#include "harness/refdut/verbs/setup_decisions.h"
#include "harness/refdut/agent/features.h"
#include "harness/refdut/agent/limits.h"

#include <string.h>

/* The RTR types that the device claims. If it claims none: all, because an
 * enhanced responder has to support one (RFC 6581 s9.2). */
unsigned setup_claimed_rtr(void)
{
	unsigned rtr = (feature(FEATURE_RTR_SEND) ? RTR_SEND : 0u) |
		       (feature(FEATURE_RTR_WRITE) ? RTR_WRITE : 0u) |
		       (feature(FEATURE_RTR_READ) ? RTR_READ : 0u);

	return rtr ? rtr : RTR_ALL;
}

bool setup_is_sctp(const struct line *line)
{
	const char *proto = line_get(line, "proto");

	return proto && strcmp(proto, "sctp") == 0;
}

static bool parse_rtr(struct session *s, const struct line *line, unsigned *rtr)
{
	static const char *const names[] = {"send", "write", "read"};
	const char *at = line_get(line, "rtr");

	if (!at)
		return true;
	*rtr = 0;
	for (;;) {
		size_t len = strcspn(at, ",");
		unsigned i = 0;

		while (i < 3 && (strlen(names[i]) != len ||
				 strncmp(at, names[i], len) != 0))
			i++;
		if (i == 3 || *rtr & 1u << i)
			break;
		*rtr |= 1u << i;
		if (at[len] == '\0' && (*rtr & ~setup_claimed_rtr())) {
			refuse(s, LINE_UNSUPPORTED, "rtr");
			return false;
		}
		if (at[len] == '\0')
			return true;
		at += len + 1;
	}
	refuse(s, LINE_BAD_ARGUMENT, "rtr is of send,write,read");
	return false;
}

static bool parse_depth(struct session *s, const struct line *line,
			const char *key, uint32_t most, uint32_t *depth)
{
	uint64_t n = *depth;

	if (!number(s, line, key, NOT_NEGOTIATED, &n))
		return false;
	if (n > most && n != NOT_NEGOTIATED) {
		refuse(s, LINE_LIMIT, "%s is at most %u", key, most);
		return false;
	}
	*depth = (uint32_t)n;
	return true;
}

RULE(private_data_limit)
{
	size_t max = STARTUP_PRIVATE_MAX - (enhanced ? ENHANCED_SIZE : 0);

	return max < limit_private() ? max : limit_private();
}

static bool parse_private(struct session *s, const struct line *line,
			  bool enhanced, struct params *p)
{
	const struct line_token *t = line_find(line, "private");
	size_t max;

	if (!t)
		return true;
	max = private_data_limit(setup_is_sctp(line), enhanced);
	if (t->value_len / 2 > max) {
		refuse(s, LINE_LIMIT, "private data is at most %zu", max);
		return false;
	}
	if (!line_hex_decode(t->value, t->value_len, p->private_data,
			     STARTUP_PRIVATE_ROOM)) {
		refuse(s, LINE_BAD_ARGUMENT, "private is not hex");
		return false;
	}
	p->private_len = (uint32_t)(t->value_len / 2);
	return true;
}

static bool parse_receives(struct session *s, const struct line *line,
			   struct params *p)
{
	uint64_t rq = 0, rqlen = 4096;

	if (!number(s, line, "rq", UINT64_MAX, &rq) ||
	    !number(s, line, "rqlen", UINT64_MAX, &rqlen))
		return false;
	if (rq > limit_receives() || (rq && rqlen > limit_message())) {
		refuse(s, LINE_LIMIT, "too many or too long receives");
		return false;
	}
	p->rq = (uint32_t)rq;
	p->rqlen = (uint32_t)rqlen;
	return true;
}

/* Keys that exist for only one of the two transports. */
static bool parse_protocol(struct session *s, const struct line *line,
			   const struct params *p)
{
	const char *proto = line_get(line, "proto");

	if (proto && strcmp(proto, "tcp") != 0 && !setup_is_sctp(line)) {
		refuse(s, LINE_BAD_ARGUMENT, "proto is tcp or sctp");
		return false;
	}
	if (!setup_is_sctp(line)) {
		if (!line_get(line, "udp") && !line_get(line, "stream"))
			return true;
		refuse(s, LINE_UNSUPPORTED, "%s",
		       line_get(line, "udp") ? "udp" : "stream");
		return false;
	}
	if (!feature(FEATURE_SCTP) || !stack_udp_port())
		refuse(s, LINE_UNSUPPORTED, "proto");
	else if (p->markers)
		refuse(s, LINE_UNSUPPORTED, "markers");
	else if (!p->crc)
		refuse(s, LINE_UNSUPPORTED, "crc");
	else
		return true;
	return false;
}

RULE(form_is_offered)
{
	return true;
}

RULE(form_sent)
{
	return form;
}

/* The form that the keys request; for a listener, the form of the Replies that
 * it may send. */
static bool parse_form(struct session *s, const struct line *line,
		       bool listening, struct request_form *form)
{
	bool wanted = line_get(line, "ird") || line_get(line, "ord") ||
		      line_get(line, "rtr");

	form->rev = listening || wanted ? 2 : 1;
	form->enhanced = true;
	form->rtr = listening ? setup_claimed_rtr() : 0;
	if (!feature(FEATURE_MPA_V2))
		form->rev = 1;
	if (!number(s, line, "mpa", 2, &form->rev) ||
	    !flag(s, line, "enhanced", &form->enhanced) ||
	    !parse_rtr(s, line, &form->rtr))
		return false;
	if (form->rev == 0) {
		refuse(s, LINE_BAD_ARGUMENT, "mpa is 1 or 2");
		return false;
	}
	/* A listener always accepts revision 1. */
	if ((form->rev == 2 && !feature(FEATURE_MPA_V2)) ||
	    (form->rev == 1 && !listening && !feature(FEATURE_MPA_V1))) {
		refuse(s, LINE_UNSUPPORTED, "mpa");
		return false;
	}
	return true;
}

/* Derive a connect's revision and enhanced data from its keys. */
static bool parse_setup(struct session *s, const struct line *line,
			bool listening, struct params *p)
{
	struct request_form form;

	if (!parse_form(s, line, listening, &form))
		return false;
	if (!listening && !form_is_offered(&form)) {
		refuse(s, LINE_UNSUPPORTED,
		       form.rev == 1 || !form.enhanced ? "mpa" : "rtr");
		return false;
	}
	if (!listening)
		form = form_sent(form);
	if (setup_is_sctp(line) && form.rev == 2 && !form.enhanced) {
		refuse(s, LINE_UNSUPPORTED, "enhanced");
		return false;
	}
	p->rev = (unsigned)form.rev;
	p->rtr = form.rtr;
	p->enhanced = !listening && form.rev == 2 && form.enhanced;
	p->peer_to_peer = p->enhanced && p->rtr;
	return true;
}

RULE(crc_may_be_off)
{
	return true;
}

RULE(requested_depth)
{
	return depth;
}

bool setup_parse(struct session *s, const struct line *line, bool listening,
		 struct params *p)
{
	uint64_t msn = 1, need = 0;

	*p = (struct params){.ird = limit_ird() < 16 ? limit_ird() : 16,
			     .ord = limit_ord() < 16 ? limit_ord() : 16,
			     .crc = true};
	if (!parse_setup(s, line, listening, p) ||
	    !number(s, line, "pd", UINT64_MAX, &p->domain) ||
	    !parse_depth(s, line, "ird", limit_ird(), &p->ird) ||
	    !parse_depth(s, line, "ord", limit_ord(), &p->ord) ||
	    !parse_private(s, line, listening ? false : p->enhanced, p) ||
	    !flag(s, line, "markers", &p->markers) ||
	    !flag(s, line, "crc", &p->crc) || !parse_protocol(s, line, p) ||
	    !parse_receives(s, line, p) ||
	    !number(s, line, "msn", UINT32_MAX, &msn) ||
	    !flag(s, line, "reject", &p->reject) ||
	    !number(s, line, "need-ord", DEPTH_MAX, &need))
		return false;
	if (!p->crc && !crc_may_be_off(p)) {
		refuse(s, LINE_UNSUPPORTED, "crc");
		return false;
	}
	if (!listening) {
		p->ird = requested_depth(p->ird, limit_ird());
		p->ord = requested_depth(p->ord, limit_ord());
	}
	p->first_msn = (uint32_t)msn;
	p->need_ord = (uint32_t)need;
	p->has_need_ord = line_get(line, "need-ord");
	return true;
}

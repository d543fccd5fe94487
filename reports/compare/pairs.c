/* SPDX-License-Identifier: BSD-2-Clause */
#include "reports/compare/pairs.h"

#include <stdlib.h>
#include <string.h>

#define V(name) (1u << VERDICT_##name)

/* An observed property of a device. */
struct shown {
	const char *id;
	unsigned verdicts;
	const char *says; /* in its detail or reason; NULL: whatever */
};

/* The first of each is named for the pair; one without an id is not
 * required. */
struct rule {
	const char *about;
	bool one_initiates;
	struct shown insists[2], refuses[2];
	const char *insists_on, *refuses_it;
};

#define BROKEN (V(FAIL) | V(XFAIL))
/* An unclaimed feature is not tested. */
#define UNCLAIMED "does not claim"

static const struct rule rules[] = {
	/* RFC 6581 s10: a device that only knows Rev 1 closes on an enhanced
	 * Request. */
	{"enhanced startup",
	 true,
	 {{"mpa/startup/plain_request_is_revision_one", V(SKIP) | BROKEN, NULL},
	  {"mpa/enhanced/initiator_may_fall_back", V(INFO) | V(PASS),
	   "an error for the ULP"}},
	 {{"mpa/enhanced/enhanced_request_gets_an_enhanced_reply", V(SKIP),
	   "mpa-v2"}},
	 "sends only enhanced Requests, and does not try again with a plain "
	 "one",
	 "does not claim enhanced startup"},
	{"enhanced startup",
	 true,
	 {{"mpa/startup/plain_request_is_revision_one", V(SKIP) | BROKEN, NULL},
	  {"mpa/enhanced/initiator_may_fall_back", V(INFO) | V(PASS),
	   "an error for the ULP"}},
	 {{"mpa/enhanced/enhanced_request_gets_an_enhanced_reply", BROKEN,
	   NULL}},
	 "sends only enhanced Requests, and does not try again with a plain "
	 "one",
	 "does not answer an enhanced Request with an enhanced Reply"},
	{"plain startup",
	 true,
	 {{"mpa/enhanced/enhanced_request_is_marked", V(SKIP), "mpa-v2"},
	  {"mpa/startup/plain_request_is_revision_one", V(PASS), NULL}},
	 {{"mpa/enhanced/plain_request_gets_a_plain_reply", BROKEN, NULL}},
	 "sends only plain Requests",
	 "does not answer a plain Request with a plain Reply"},
	/* RFC 6581 s9.2: A=0 in answer to A=1. */
	{"the peer-to-peer model",
	 true,
	 {{"mpa/rtr_negotiation/client_server_reply_to_peer_to_peer",
	   V(INFO) | V(PASS), "a Terminate"}},
	 {{"mpa/rtr_negotiation/responder_echoes_a", V(SKIP), UNCLAIMED},
	  {"mpa/enhanced/enhanced_request_gets_an_enhanced_reply", V(PASS),
	   NULL}},
	 "requests the peer-to-peer model, and ends the stream if the Reply "
	 "does not accept it",
	 "answers enhanced Requests, and does not claim the peer-to-peer "
	 "model"},
	/* RFC 5044 s4.3, s7.1: a device that asks for markers gets them. */
	{"markers",
	 true,
	 {{"mpa/full_operation/markers_asked_for_have_to_come@initiator",
	   V(PASS), NULL}},
	 {{"mpa/markers_sent/a_responder_can_send_markers", BROKEN, NULL}},
	 "if it requests markers, accepts no FPDU without them",
	 "does not send the markers that a Request asks for"},
	{"markers",
	 true,
	 {{"mpa/full_operation/markers_asked_for_have_to_come@initiator",
	   V(PASS), NULL}},
	 {{"mpa/markers_sent/a_responder_can_send_markers", V(WARN),
	   "the R flag is wrong"}},
	 "if it requests markers, accepts no FPDU without them",
	 "rejects a Request that asks for markers"},
	{"markers",
	 false,
	 {{"mpa/full_operation/markers_asked_for_have_to_come", V(PASS), NULL}},
	 {{"mpa/markers_sent/an_initiator_can_send_markers", BROKEN, NULL}},
	 "if it requests markers, accepts no FPDU without them",
	 "does not send the markers that a Reply asks for"},
	/* RFC 5044 s4.4, s7.1: one C=1 is enough. */
	{"CRCs",
	 true,
	 {{"mpa/crc/crcs_are_checked_if_only_the_device_wants_them@initiator",
	   V(PASS), NULL},
	  {"mpa/crc/a_request_asks_for_crcs_by_default", V(PASS), NULL}},
	 {{"mpa/crc/crc_is_supported", BROKEN, NULL}},
	 "requests CRCs by default, and checks them",
	 "sends no correct CRCs to a peer that requires them"},
	{"CRCs",
	 false,
	 {{"mpa/crc/crcs_are_checked_if_only_the_device_wants_them", V(PASS),
	   NULL},
	  {"mpa/crc/a_reply_asks_for_crcs_by_default", V(PASS), NULL}},
	 {{"mpa/crc/crc_is_supported@initiator", BROKEN, NULL}},
	 "requests CRCs by default, and checks them",
	 "sends no correct CRCs to a peer that requires them"},
	/* RFC 5044 s7.1: up to 512 octets. */
	{"private data",
	 true,
	 {{"mpa/private_data/request_carries_private_data/512", V(PASS), NULL}},
	 {{"mpa/private_data/largest_private_data_of_a_request", BROKEN, NULL}},
	 "sends 512 octets of private data if its ULP has them",
	 "does not accept 512 octets of private data in a Request"},
	{"private data",
	 false,
	 {{"mpa/private_data/reply_carries_private_data/512", V(PASS), NULL}},
	 {{"mpa/private_data/largest_private_data_of_a_reply", BROKEN, NULL}},
	 "sends 512 octets of private data if its ULP has them",
	 "does not accept 512 octets of private data in a Reply"},
};

struct pairing {
	const struct run_result *const *runs;
	struct pair *pairs;
	size_t count;
	bool failed;
};

static const struct result *is_shown(const struct run_result *run,
				     const struct shown *s)
{
	const struct result *r = result_find(run, s->id);

	if (!r || !(s->verdicts >> r->verdict & 1))
		return NULL;
	return !s->says || strstr(r->detail, s->says) ||
			       strstr(r->reason, s->says)
		       ? r
		       : NULL;
}

/* All that is asked: the first of it. */
static const struct result *are_shown(const struct run_result *run,
				      const struct shown s[2])
{
	const struct result *first = is_shown(run, &s[0]);

	return first && (!s[1].id || is_shown(run, &s[1])) ? first : NULL;
}

static void add(struct pairing *p, struct pair pair)
{
	struct pair *more =
		realloc(p->pairs, (p->count + 1) * sizeof(*p->pairs));

	if (!more) {
		p->failed = true;
		return;
	}
	p->pairs = more;
	more[p->count++] = pair;
}

static void by_rules(struct pairing *p, size_t one, size_t other)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		const struct rule *r = &rules[i];
		const struct result *insists =
			are_shown(p->runs[one], r->insists);
		const struct result *refuses =
			are_shown(p->runs[other], r->refuses);

		if (insists && refuses)
			add(p, (struct pair){one, other, r->one_initiates,
					     r->about, r->insists_on,
					     r->refuses_it, insists, refuses});
	}
}

/* --- RTRs -------------------------------------------------------------------- */

/* RFC 6581 s9.2: without a common RTR there is no stream. */
static const struct {
	const char *sent, *received;
	const char *insists, *refuses;
} rtrs[] = {
	{"mpa/rtr_sent/send_is_the_rtr",
	 "mpa/rtr_received/send_rtr_is_accepted", "sends a Send as RTR",
	 "does not claim to accept a Send as RTR"},
	{"mpa/rtr_sent/write_is_the_rtr",
	 "mpa/rtr_received/write_rtr_is_accepted/0", "sends a Write as RTR",
	 "does not claim to accept a Write as RTR"},
	{"mpa/rtr_sent/read_is_the_rtr",
	 "mpa/rtr_received/read_rtr_is_answered", "sends a Read as RTR",
	 "does not claim to accept a Read as RTR"},
};

static const struct result *shows(const struct run_result *run, const char *id,
				  unsigned verdicts, const char *says)
{
	const struct shown s = {id, verdicts, says};

	return is_shown(run, &s);
}

/* For each form, one of the two is known not to have it; and each has one. */
static void by_rtr(struct pairing *p, size_t one, size_t other)
{
	const struct run_result *a = p->runs[one], *b = p->runs[other];
	bool has = false, takes = false;
	size_t first = 0;

	for (size_t i = sizeof(rtrs) / sizeof(rtrs[0]); i-- > 0;) {
		bool sends = shows(a, rtrs[i].sent, V(PASS), NULL);

		if (!shows(a, rtrs[i].sent, V(SKIP), UNCLAIMED) &&
		    !shows(b, rtrs[i].received, V(SKIP), UNCLAIMED))
			return;
		takes |= shows(b, rtrs[i].received, V(PASS), NULL) != NULL;
		has |= sends;
		if (sends)
			first = i;
	}
	if (has && takes)
		add(p, (struct pair){one, other, true, "RTRs",
				     rtrs[first].insists, rtrs[first].refuses,
				     result_find(a, rtrs[first].sent),
				     result_find(b, rtrs[first].received)});
}

bool pairs_of(const struct run_result *const *runs, size_t count,
	      struct pair **out, size_t *n)
{
	struct pairing p = {.runs = runs};

	for (size_t one = 0; one < count; one++)
		for (size_t other = 0; other < count; other++) {
			if (one == other)
				continue;
			by_rules(&p, one, other);
			by_rtr(&p, one, other);
		}
	if (p.failed) {
		free(p.pairs);
		p.pairs = NULL;
		p.count = 0;
	}
	*out = p.pairs;
	*n = p.count;
	return !p.failed;
}

static bool is_open(const struct run_result *run, const char *id)
{
	const struct result *r = id ? result_find(run, id) : NULL;

	return id && (!r || r->verdict == VERDICT_BLOCKED ||
		      r->verdict == VERDICT_ERROR);
}

bool pairs_are_open(const struct run_result *run)
{
	bool open = false;

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		for (size_t k = 0; k < 2; k++)
			open |= is_open(run, rules[i].insists[k].id) ||
				is_open(run, rules[i].refuses[k].id);
	for (size_t i = 0; i < sizeof(rtrs) / sizeof(rtrs[0]); i++)
		open |= is_open(run, rtrs[i].sent) ||
			is_open(run, rtrs[i].received);
	return open;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/rnic/session.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/link/clock.h"
#include "harness/rnic/events.h"
#include "harness/rnic/lines.h"
#include "harness/rnic/memory.h"
#include "harness/rnic/stream.h"
#include "harness/rnic/wait.h"
#include "harness/rnic/work.h"

enum { AUTH_MS = 30000 }; /* to authenticate in */

static void put_features(struct verbs_session *s)
{
	const char *comma = "";

	for (int f = 0; f < AGENT_FEATURES; f++) {
		if (!verbs_claims(s, (enum agent_feature)f))
			continue;
		fprintf(s->out, "%s%s", comma,
			agent_feature_name((enum agent_feature)f));
		comma = ",";
	}
}

static void verb_hello(struct verbs_session *s, const struct line *l)
{
	const struct verbs_facts *f = s->facts;
	char nonce[2 * VERBS_NONCE + 1];
	const uint16_t probe = 1;
	uint64_t version = 0;

	if (s->greeted) {
		verbs_refuse(s, LINE_BAD_STATE, "hello was already received");
		return;
	}
	if (!verbs_needs(s, l, "version") ||
	    !verbs_number(s, l, "version", UINT64_MAX, &version))
		return;
	if (version != 1) {
		verbs_unsupported(s, "version");
		return;
	}
	s->greeted = true;
	if (!s->token->len) {
		s->authenticated = true;
		s->deadline = UINT64_MAX;
	}
	line_hex_encode(nonce, s->nonce, VERBS_NONCE);
	fprintf(s->out,
		"OK version=1 agent=warpspec-agent impl=%s addr=%s features=",
		f->impl, f->addr);
	put_features(s);
	fprintf(s->out,
		" byte-order=%s max-ird=%u max-ord=%u max-private=%u"
		" max-regions=%u max-region-len=%" PRIu64
		" max-message=%" PRIu64
		" max-recvs=%u max-posts=%u startup-timeout-ms=%u nonce=%s"
		" auth=%s untold=startup-errors,terminate,se,reject-depths,"
		"ends,invalidated%s\n",
		*(const uint8_t *)&probe ? "little" : "big", f->max_ird,
		f->max_ord, f->max_private, f->max_regions, f->max_region_len,
		f->max_message, f->max_receives, f->max_posts,
		f->startup_timeout_ms, nonce,
		s->token->len ? "hmac-sha256" : "none",
		f->probed ? "" : ",startup-frames");
}

static bool never(void *arg)
{
	(void)arg;
	return false;
}

static void verb_auth(struct verbs_session *s, const struct line *l)
{
	const struct line_token *mac = line_find(l, "mac");
	uint8_t theirs[64];
	uint32_t wait, unlogged;

	if (s->authenticated) {
		verbs_refuse(s, LINE_BAD_STATE, "nothing to prove");
		return;
	}
	if (!mac || !line_hex_decode(mac->value, mac->value_len, theirs,
				     sizeof(theirs))) {
		verbs_refuse(s, LINE_BAD_ARGUMENT, "mac is not hex");
		return;
	}
	wait = verbs_guard_delay(s->guard, s->peer,
				 clock_now_ns() / CLOCK_NS_PER_MS);
	if (wait && !verbs_wait(s, never, NULL, wait))
		return;
	if (verbs_token_proves(s->token, s->nonce, VERBS_NONCE, theirs,
			       mac->value_len / 2)) {
		verbs_guard_right(s->guard, s->peer);
		s->authenticated = true;
		s->deadline = UINT64_MAX;
		fputs("OK\n", s->out);
		return;
	}
	if (verbs_guard_wrong(s->guard, s->peer,
			      clock_now_ns() / CLOCK_NS_PER_MS, &unlogged))
		fprintf(stderr,
			"warpspec-agent: %s: wrong token (%u more before)\n",
			s->peer, unlogged);
	verbs_refuse(s, LINE_AUTH, "wrong mac");
}

static void release(struct verbs_session *s)
{
	verbs_release_streams(s);
	verbs_release_regions(s);
}

static void verb_reset(struct verbs_session *s, const struct line *l)
{
	(void)l;
	release(s);
	fputs("OK\n", s->out);
}

static void verb_bye(struct verbs_session *s, const struct line *l)
{
	verb_reset(s, l);
	s->leaving = true;
}

static const struct verb session_verbs[] = {
	{"hello", " version ", verb_hello},
	{"auth", " mac ", verb_auth},
	{"reset", " ", verb_reset},
	{"bye", " ", verb_bye},
	{0},
};

static const struct verb *const tables[] = {
	session_verbs, verbs_of_memory, verbs_of_streams,
	verbs_of_work, verbs_of_events, NULL,
};

/* The verbs allowed before hello and authentication. */
static bool admits(struct verbs_session *s, const struct verb *v)
{
	if (!s->greeted && v->serve != verb_hello) {
		verbs_refuse(s, LINE_BAD_STATE, "hello comes first");
		return false;
	}
	if (s->greeted && !s->authenticated && v->serve != verb_auth &&
	    v->serve != verb_hello) {
		verbs_refuse(s, LINE_AUTH, "not authenticated");
		return false;
	}
	return true;
}

static const struct verbs_offer offer = {.tables = tables, .admits = admits};

static const struct verbs_consumer consumer = {
	.request_came = verbs_request_came,
	.conn_is = verbs_conn_is,
	.work_done = verbs_work_done,
};

void verbs_session_run(int fd, struct verbs_device *device,
		       const struct verbs_facts *facts,
		       const struct verbs_token *token,
		       struct verbs_guard *guard, const char *peer)
{
	struct verbs_session s = {
		.fd = fd,
		.device = device,
		.facts = facts,
		.token = token,
		.guard = guard,
		.peer = peer,
		.deadline = token->len ? clock_after_ms(AUTH_MS) : UINT64_MAX,
	};

	device->consumer = &consumer;
	s.out = fdopen(fd, "w");
	s.listens_end = &s.listens;
	if (s.out && getrandom(s.nonce, VERBS_NONCE, 0) == VERBS_NONCE) {
		setvbuf(s.out, NULL, _IOFBF, 1 << 16);
		verbs_serve_lines(&s, &offer);
	}
	release(&s);
	device->ops->destroy(device);
	if (s.leaving)
		shutdown(fd, SHUT_WR);
	if (s.out)
		fclose(s.out);
	else
		close(fd);
}

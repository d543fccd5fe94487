/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/audit/rejudge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/text/memstream.h"
#include "suite/audit/audit.h"
#include "suite/catalogue/registry.h"

struct rejudging {
	struct result *results;
	size_t count;
	size_t readable, differ;
	enum model_profile profile;
	struct memory_places *memory;
	/* By requirement: it is broken in every stream of the device, which one
	 * case of the run reports for all. */
	bool told[FOUNDATION_ROLES][REQ_COUNT];
	bool failed;
};

static char *text_of(struct rejudging *r, const char *a, const char *b,
		     const char *c)
{
	struct memstream m;
	FILE *out = memstream_open(&m);

	if (out)
		fprintf(out, "%s%s%s", a, b, c);
	char *text = memstream_finish(&m, NULL);

	r->failed |= !text;
	return text;
}

/* NULL: a case of another suite. */
static const struct instance *instance_of(const struct result *live)
{
	const struct registry *all = registry();

	for (size_t i = 0; i < all->count; i++)
		if (strcmp(all->instances[i].id, live->id) == 0)
			return &all->instances[i];
	return NULL;
}

/* The streams of some cases begin with an MSN other than that of RFC 5041, at
 * the agent's request: a run knows that, but a capture does not. */
static bool is_at_its_wish(const struct result *live)
{
	const struct instance *in = instance_of(live);

	return in && in->needs & NEED_MSN_PRESET;
}

/* What this case of the run reports for all others of its role. */
static void learn(struct rejudging *r, const struct result *live)
{
	const struct instance *in = instance_of(live);

	for (size_t i = 0; in && i < live->broken_count; i++) {
		const struct req *row = req_find(live->broken[i].requirement);

		if (live->broken[i].by_model && row &&
		    founds_always(in->desc->founds,
				  (unsigned short)(row - req_table)))
			r->told[in->role][row - req_table] = true;
	}
}

/* The capture shows nothing else than what other cases report for this one. */
static bool is_all_told(const struct rejudging *r, const struct result *live,
			const struct result *now)
{
	const struct instance *in = instance_of(live);
	size_t told = 0;

	for (size_t i = 0; in && i < now->broken_count; i++) {
		const struct req *row = req_find(now->broken[i].requirement);

		told += row && r->told[in->role][row - req_table];
	}
	return told && told == now->broken_count;
}

/* The device's sides of the capture as one result: the worst of them. */
static const struct result *side_of_device(const struct run_result *audited,
					   const char *role)
{
	static const int weight[VERDICT_COUNT] = {
		[VERDICT_FAIL] = 3, [VERDICT_WARN] = 2, [VERDICT_PASS] = 1};
	const struct result *worst = NULL;

	for (size_t i = 0; i < audited->count; i++) {
		const struct result *s = &audited->results[i];

		if (strcmp(s->role, role) == 0 &&
		    (!worst || weight[s->verdict] > weight[worst->verdict]))
			worst = s;
	}
	return worst;
}

static bool is_found_live(const struct result *live, const char *requirement)
{
	for (size_t i = 0; i < live->broken_count; i++)
		if (strcmp(live->broken[i].requirement, requirement) == 0)
			return true;
	return false;
}

/* A requirement that the capture shows broken, and that the run did not find,
 * a MUST before a SHOULD; NULL: there is none. */
static const struct result_broken *not_found_live(const struct result *live,
						  const struct result *now)
{
	const struct result_broken *found = NULL;

	for (size_t i = 0; i < now->broken_count; i++) {
		const struct result_broken *b = &now->broken[i];

		if (is_found_live(live, b->requirement))
			continue;
		if (strncmp(b->level, "MUST", 4) == 0)
			return b;
		if (!found)
			found = b;
	}
	return found;
}

static bool has_failed(const struct result *r)
{
	return r->verdict == VERDICT_FAIL || r->verdict == VERDICT_WARN ||
	       r->verdict == VERDICT_XFAIL;
}

static void skip(struct rejudging *r, struct result *out,
		 const struct result *live, const char *reason)
{
	bool failed = has_failed(live);

	out->verdict = VERDICT_SKIP;
	out->reason = text_of(r, reason, failed ? "; the run says: " : "",
			      failed ? live->signature : "");
}

static struct rejudged_case unshown(const char *reason)
{
	return (struct rejudged_case){.what = REJUDGED_UNSHOWN,
				      .reason = reason};
}

static struct rejudged_case decide(const struct result *live,
				   const struct run_result *audited)
{
	struct rejudged_case c = {
		.now = side_of_device(audited, live->role),
	};

	if (!c.now)
		return unshown("the capture shows no stream with the device's "
			       "startup frame in it");
	if (is_at_its_wish(live))
		return unshown("its first MSN is what the agent was asked for");
	if (c.now->verdict == VERDICT_SKIP)
		return unshown(c.now->reason);
	if (c.now->verdict == VERDICT_PASS && has_failed(live))
		return unshown("the capture does not show it");
	/* A run that could not judge it says nothing else. */
	if (live->verdict != VERDICT_ERROR)
		c.other = not_found_live(live, c.now);
	c.what = c.other ? REJUDGED_DIFFERS : REJUDGED_SAME;
	return c;
}

void rejudge_octets(const struct result *live, const void *octets, size_t n,
		    enum model_profile profile, struct rejudged_case *out)
{
	static char why[512];
	const struct audit_options o = {.profile = profile, .spec = ""};
	struct run_result audited;

	if (audit_octets(&o, live->id, octets, n, &audited, why, sizeof(why)))
		*out = decide(live, &audited);
	else
		*out = unshown(why);
}

/* What the capture shows is the verdict, and what it rests on. */
static void take(struct rejudging *r, struct result *out,
		 const struct result *live, const struct rejudged_case *c)
{
	const struct result *now = c->now;

	if (c->what == REJUDGED_UNSHOWN) {
		skip(r, out, live, c->reason);
		return;
	}
	if (now->verdict == VERDICT_SKIP) {
		skip(r, out, live, now->reason);
		return;
	}
	if (live->verdict == VERDICT_PASS && is_all_told(r, live, now)) {
		out->verdict = VERDICT_PASS;
		return;
	}
	out->verdict = now->verdict;
	if (now->verdict == VERDICT_PASS)
		return;
	out->requirements = now->requirements;
	out->requirement_count = now->requirement_count;
	out->broken = now->broken;
	out->broken_count = now->broken_count;
	out->signature = now->signature;
	out->detail = now->detail;
	out->teardown = now->teardown;
	out->events = now->events;
	out->event_count = now->event_count;
	out->lines = now->lines;
	out->line_count = now->line_count;
	if (c->what == REJUDGED_SAME)
		return;
	r->differ++;
	out->reason = text_of(r, "the verdicts differ; the run says: ",
			      verdict_name(live->verdict),
			      *live->signature ? live->signature : "");
}

static void rejudge_one(struct rejudging *r, const struct result *live)
{
	struct result *out = &r->results[r->count++];
	char *const file[] = {(char *)live->capture};
	const struct audit_options o = {.files = file,
					.count = 1,
					.profile = r->profile,
					.spec = "",
					.memory = r->memory};
	struct run_result audited;
	char why[512];

	*out = (struct result){.id = live->id,
			       .title = live->title,
			       .role = live->role,
			       .level = live->level,
			       .capture = live->capture,
			       .capture_sha256 = live->capture_sha256,
			       .teardown = live->teardown,
			       .signature = "",
			       .consequences = "",
			       .detail = "",
			       .reason = ""};
	if (!live->capture) {
		skip(r, out, live, "the run kept no capture of it");
		return;
	}
	if (!audit(&o, &audited, why, sizeof(why))) {
		skip(r, out, live, why);
		return;
	}
	r->readable++;

	const struct rejudged_case c = decide(live, &audited);

	take(r, out, live, &c);
}

bool rejudge(const struct run_result *past, enum model_profile profile,
	     struct memory_places *memory, struct run_result *out, char *why,
	     size_t cap)
{
	static char note[128];
	struct rejudging r = {.profile = profile, .memory = memory};

	r.results = text_held(calloc(past->count + 1, sizeof(*r.results)));
	if (!r.results) {
		snprintf(why, cap, "out of memory");
		return false;
	}
	for (size_t i = 0; i < past->count; i++)
		learn(&r, &past->results[i]);
	for (size_t i = 0; i < past->count; i++)
		rejudge_one(&r, &past->results[i]);
	if (!r.readable) {
		snprintf(why, cap,
			 "none of its %zu cases has a capture that can be "
			 "read: run with --captures DIR, and from the same "
			 "folder",
			 past->count);
		return false;
	}
	*out = *past;
	memset(out->totals, 0, sizeof(out->totals));
	out->results = r.results;
	out->count = r.count;
	for (size_t i = 0; i < r.count; i++)
		out->totals[r.results[i].verdict]++;
	/* Facts about the run alone. */
	out->reasons = NULL;
	out->reason_count = 0;
	out->stale_count = out->finding_count = out->known_count = 0;
	out->from_journal = 0;
	out->again = "";
	note[0] = '\0';
	if (r.differ)
		snprintf(note, sizeof(note),
			 "the verdicts of %zu case%s differ from the run's",
			 r.differ, r.differ == 1 ? "" : "s");
	out->note = note;
	out->exit_status = out->totals[VERDICT_FAIL] ? 1 : r.failed ? 4 : 0;
	return true;
}

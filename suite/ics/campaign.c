/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/ics/campaign.h"

#include <stdlib.h>
#include <string.h>

#include "suite/ics/against.h"

/* --- the result of each case ---------------------------------------------- */

/* Both are in the order of their ids. */
static const struct result *find(const struct run_result *run, const char *id)
{
	size_t low = 0, high = run->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int order = strcmp(run->results[mid].id, id);

		if (order == 0)
			return &run->results[mid];
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

static bool passed(const struct result *r)
{
	return r && (r->verdict == VERDICT_PASS || r->verdict == VERDICT_WARN ||
		     r->verdict == VERDICT_INFO);
}

/* The responder's case, where what does not depend on the device's role is
 * judged; NULL: it is judged here. */
static const struct result *told_by(const struct run_result *run,
				    const struct result *r)
{
	static const char role[] = "@initiator";
	size_t n = r ? strlen(r->id) : 0, k = sizeof(role) - 1;
	char id[256];

	if (n <= k || n - k >= sizeof(id) || strcmp(r->id + n - k, role) != 0 ||
	    strcmp(r->reason, "judged by the responder variant of this case") !=
		    0)
		return NULL;
	memcpy(id, r->id, n - k);
	id[n - k] = '\0';
	return find(run, id);
}

/* What a case has found out about the link on the way, which is no matter of the
 * device: nothing was due there. */
static bool is_of_the_link(const struct run_result *run, const struct result *r)
{
	static const struct {
		const char *link, *reason;
	} of[] = {
		{"raw", "no TCP segment is large enough for this FPDU"},
		{"sctp", "the link does not report the EMSS"},
		{"sctp", "the stream is one of SCTP, which has no framing of "
			 "MPA"},
		{"sctp", "the stream is one of SCTP: a message of session "
			 "control has no field of MPA's"},
	};

	if (!r || r->verdict != VERDICT_SKIP)
		return false;
	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		if (strcmp(run->link, of[i].link) == 0 &&
		    strcmp(r->reason, of[i].reason) == 0)
			return true;
	return false;
}

static enum campaign_end end_of(const struct run_result *run,
				const struct result *r)
{
	if (!r || r->not_run)
		return CAMPAIGN_NOT_RUN;
	if (passed(r))
		return CAMPAIGN_PASSED;
	if (r->verdict == VERDICT_FAIL || r->verdict == VERDICT_XFAIL)
		return CAMPAIGN_FAILED;
	return r->verdict == VERDICT_SKIP && passed(told_by(run, r))
		       ? CAMPAIGN_ALIKE
		       : CAMPAIGN_INCONCLUSIVE;
}

/* A case that ran and failed is a failure, whoever asked for it. */
static void judge(struct campaign *c, struct campaign_case *one,
		  const struct ics *s, const struct run_result *run)
{
	enum campaign_end end;

	one->result = find(run, one->due->id);
	one->required = due_of(s, one->due, one->why);
	if (one->required == DUE_REQUIRED &&
	    (is_of_the_link(run, one->result) ||
	     is_of_the_link(run, told_by(run, one->result)))) {
		one->required = DUE_ON_LINK;
		snprintf(one->why, sizeof(one->why), "%s", one->result->reason);
	}
	end = end_of(run, one->result);
	if (one->required == DUE_REQUIRED || end == CAMPAIGN_FAILED)
		one->end = end;
	else
		one->end = CAMPAIGN_NOT_SELECTED;
	c->ends[one->end]++;
	c->of[one->required]++;
	c->unasked += one->required != DUE_REQUIRED && end == CAMPAIGN_FAILED;
}

bool campaign_of(struct campaign *c, const struct ics *s,
		 const struct due_list *due, const struct run_result *run)
{
	*c = (struct campaign){.count = due->count};
	c->cases = calloc(c->count ? c->count : 1, sizeof(*c->cases));
	if (!c->cases)
		return false;
	for (size_t i = 0; i < c->count; i++) {
		c->cases[i].due = &due->cases[i];
		judge(c, &c->cases[i], s, run);
	}
	c->itself = ics_against_itself(s);
	c->run = ics_against_run(s, run);
	return true;
}

const char *campaign_texts(const struct ics *s, const struct run_result *run)
{
	if (strcmp(s->spec, "rfc7306") != 0)
		return s->spec;
	return strcmp(run->link, "sctp") == 0
		       ? "RFC 5040, 5041, 5043, 6581, 7306"
		       : "RFC 5040, 5041, 5044, 6581, 7306";
}

void campaign_free(struct campaign *c)
{
	free(c->cases);
	free(c->itself);
	free(c->run);
	*c = (struct campaign){0};
}

bool campaign_is_good(const struct campaign *c, const struct run_result *run)
{
	return !c->itself && !c->run && !run->finding_count &&
	       !run->stale_count && c->ends[CAMPAIGN_PASSED] &&
	       !c->ends[CAMPAIGN_FAILED] && !c->ends[CAMPAIGN_INCONCLUSIVE] &&
	       !c->ends[CAMPAIGN_NOT_RUN];
}

/* --- a run by itself -------------------------------------------------------- */

static bool is_must(const char *level)
{
	return strncmp(level, "MUST", 4) == 0;
}

/* The first requirement that was found broken and is not excused. */
static const char *broken_must(const struct result *r)
{
	for (size_t i = 0; i < r->broken_count; i++)
		if (is_must(r->broken[i].level))
			return r->broken[i].requirement;
	for (size_t i = 0; i < r->line_count; i++)
		if (!r->lines[i].ok && !r->lines[i].consequence &&
		    is_must(r->lines[i].level))
			return r->lines[i].requirement;
	return NULL;
}

static bool verdict_disagrees(const struct result *r, char *why, size_t cap)
{
	const char *broken = passed(r) ? broken_must(r) : NULL;

	if (broken)
		snprintf(why, cap, "%s: %s, but %s is reported as broken",
			 r->id, verdict_name(r->verdict), broken);
	else if (r->verdict == VERDICT_PASS && r->broken_count)
		snprintf(why, cap, "%s: pass, but %s is reported as broken",
			 r->id, r->broken[0].requirement);
	else
		return false;
	return true;
}

bool campaign_disagrees(const struct run_result *run, size_t *at, char *why,
			size_t cap)
{
	bool fails = run->totals[VERDICT_FAIL] || run->totals[VERDICT_ERROR] ||
		     run->finding_count || run->stale_count;

	for (; *at < run->count; ++*at)
		if (verdict_disagrees(&run->results[*at], why, cap)) {
			++*at;
			return true;
		}
	if (*at > run->count || !fails || run->exit_status != 0)
		return false;
	++*at;
	snprintf(why, cap, "exit_status: 0, but not every verdict is good");
	return true;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device's claims next to the observations: a case needs features, and if
 * the device does not claim one of them, the case was not applicable for that
 * reason. If it ran, the device claims them all.
 */
#include <string.h>

#include "reports/html/page.h"
#include "reports/html/parts.h"

struct showing {
	size_t held, failed, untold, skipped, unclaimed;
};

static bool has_need(const struct background_case *c, const char *feature)
{
	for (size_t i = 0; c && i < c->need_count; i++)
		if (strcmp(c->needs[i], feature) == 0)
			return true;
	return false;
}

/* "the device does not claim imm, read" of read. */
static bool is_unclaimed(const char *reason, const char *feature)
{
	static const char begins[] = "the device does not claim ";
	size_t n = strlen(feature);

	if (strncmp(reason, begins, sizeof(begins) - 1) != 0)
		return false;
	for (const char *p = reason + sizeof(begins) - 1; *p;) {
		size_t word = strcspn(p, ", ");

		if (word == n && strncmp(p, feature, n) == 0)
			return true;
		p += word;
		p += strspn(p, ", ");
	}
	return false;
}

static const struct result_claim *claim_of(const struct run_result *run,
					   const char *name)
{
	for (size_t i = 0; i < run->claim_count; i++)
		if (strcmp(run->claims[i].name, name) == 0)
			return &run->claims[i];
	return NULL;
}

/* If the report of the run lacks the claims, they follow from the cases that
 * ran. */
static const char *said(const struct run_result *run, const char *feature,
			const struct showing *n, bool ran)
{
	if (run->claim_count)
		return claim_of(run, feature) ? "claims it"
					      : "does not claim it";
	return ran            ? "claims it"
	       : n->unclaimed ? "does not claim it"
			      : "was not asked";
}

static bool is_feature(const struct background *b, const char *name)
{
	for (size_t i = 0; i < b->feature_count; i++)
		if (strcmp(b->features[i], name) == 0)
			return true;
	return false;
}

/* Limits, and features that this suite does not know. */
static void put_others(const struct run_result *run, FILE *out)
{
	for (size_t i = 0; i < run->claim_count; i++) {
		const struct result_claim *c = &run->claims[i];

		if (is_feature(run->background, c->name))
			continue;
		page_put(out, "<tr><th scope=row>%s<td>claims %s<td>\n",
			 c->name, *c->value ? c->value : "it");
	}
}

static void count(struct showing *n, const struct result *r,
		  const char *feature)
{
	switch (r->verdict) {
	case VERDICT_FAIL:
	case VERDICT_XFAIL:
		n->failed++;
		break;
	case VERDICT_ERROR:
	case VERDICT_BLOCKED:
		n->untold++;
		break;
	case VERDICT_SKIP:
		n->skipped++;
		n->unclaimed += is_unclaimed(r->reason, feature);
		break;
	default:
		n->held++;
	}
}

static void put_showing(const struct showing *n, FILE *out)
{
	const char *join = "";

	if (n->held) {
		page_count(out, n->held, "case");
		fputs(" as due", out);
		join = ", ";
	}
	if (n->failed) {
		fprintf(out, "%s<b class=no>\xe2\x9c\x97 ", join);
		page_count(out, n->failed, "case");
		fputs(" failed</b>", out);
		join = ", ";
	}
	if (n->untold) {
		fputs(join, out);
		page_count(out, n->untold, "case");
		fputs(" could not be judged", out);
		join = ", ";
	}
	if (n->skipped) {
		fputs(join, out);
		page_count(out, n->skipped, "case");
		fputs(" not applicable", out);
	}
}

/* False: no case of the run needs it. */
static bool put_feature(const struct run_result *run, const char *feature,
			bool first, FILE *out)
{
	struct showing n = {0};

	for (size_t i = 0; i < run->count; i++) {
		const struct result *r = &run->results[i];

		if (has_need(background_case_of(run->background, r->id),
			     feature))
			count(&n, r, feature);
	}
	bool ran = n.held || n.failed || n.untold;

	if (!ran && !n.skipped)
		return false;
	if (first)
		fputs("<h2 id=claims>What the device claims, and what the wire "
		      "showed " FOLD("all claims") "</h2>\n<div class=wide "
						   "tabindex=0 role=region "
						   "aria-label=Claims><table><"
						   "thead><tr>"
						   "<th scope=col>Feature<th "
						   "scope=col>The device"
						   "<th scope=col>Cases that "
						   "need it<tbody>\n",
		      out);
	page_put(out, "<tr><th scope=row>%s<td>%m<td>", feature,
		 said(run, feature, &n, ran));
	put_showing(&n, out);
	fputc('\n', out);
	return true;
}

void claims_put(const struct site *s, FILE *out)
{
	const struct background *b = s->run->background;
	bool any = false;

	for (size_t i = 0; b && i < b->feature_count; i++)
		any |= put_feature(s->run, b->features[i], !any, out);
	if (!any)
		return;
	put_others(s->run, out);
	fputs("</table></div>\n", out);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/ics/against.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "harness/text/memstream.h"
#include "suite/catalogue/registry.h"
#include "suite/device/claims.h"
#include "suite/ics/items.h"

#define BIT(ident) (UINT64_C(1) << AGENT_FEATURE_BIT_##ident)
#define ATOMICS    (BIT(FETCHADD) | BIT(CMPSWAP))

/* --- lines --------------------------------------------------------------------- */

struct lines {
	struct memstream m;
	bool begun;
};

__attribute__((format(printf, 3, 4))) static void line(struct lines *l,
						       const char *head,
						       const char *fmt, ...)
{
	va_list ap;

	if (!l->begun && memstream_open(&l->m))
		fprintf(l->m.file, "%s\n", head);
	l->begun = true;
	if (!l->m.file)
		return;
	fputs("  ", l->m.file);
	va_start(ap, fmt);
	vfprintf(l->m.file, fmt, ap);
	va_end(ap);
	fputc('\n', l->m.file);
}

/* NULL: there is nothing to say, or no memory (text_lost). */
static char *end(struct lines *l)
{
	return l->begun ? memstream_finish(&l->m, NULL) : NULL;
}

static const char *yes_no(bool yes)
{
	return yes ? "yes" : "no";
}

/* " (RFC 5040 s4.1: RDMAP-4.1-24)" */
static const char *because(const char *rows, char text[ICS_ROWS + 4])
{
	char told[ICS_ROWS];

	ics_rows(rows, told, sizeof(told));
	snprintf(text, ICS_ROWS + 4, "%s%s%s", *told ? " (" : "", told,
		 *told ? ")" : "");
	return text;
}

/* --- itself --------------------------------------------------------------- */

/* Before RFC 7306 there were other atomics. */
static bool is_of_rfc(const struct ics *s)
{
	return strcmp(s->spec, "rfc7306") == 0;
}

static bool has_private(const struct ics *s)
{
	return s->yes & BIT(PRIVATE_DATA);
}

static bool is_none(const struct ics *s, enum ics_limit i)
{
	return s->limit[i].stated && s->limit[i].most == 0;
}

static bool chose(const struct ics *s, enum ics_choice i, const char *what)
{
	return strcmp(s->choice[i], what) == 0;
}

static bool no_role(const struct ics *s)
{
	return !(s->yes & (BIT(RESPONDER) | BIT(INITIATOR)));
}

static bool swap_in_rfc(const struct ics *s)
{
	return is_of_rfc(s) && s->yes & BIT(SWAP);
}

static bool no_masks(const struct ics *s)
{
	return is_of_rfc(s) && s->yes & ATOMICS &&
	       !(s->yes & BIT(MASKED_ATOMICS));
}

static bool reads_nothing(const struct ics *s)
{
	return s->yes & BIT(READ) && is_none(s, ICS_LIMIT_MAX_IRD) &&
	       is_none(s, ICS_LIMIT_MAX_ORD);
}

static bool atomics_of_nothing(const struct ics *s)
{
	return s->yes & ATOMICS && is_none(s, ICS_LIMIT_MAX_IRD) &&
	       is_none(s, ICS_LIMIT_MAX_ORD);
}

static bool no_room_for_private(const struct ics *s)
{
	return has_private(s) && is_none(s, ICS_LIMIT_MAX_PRIVATE);
}

static bool private_without(const struct ics *s)
{
	return !has_private(s) && s->limit[ICS_LIMIT_MAX_PRIVATE].most > 0;
}

static bool too_much_private(const struct ics *s)
{
	return s->limit[ICS_LIMIT_MAX_PRIVATE].most > 512;
}

static bool never_crc(const struct ics *s)
{
	return chose(s, ICS_CHOICE_CRC, "never");
}

static bool always_off(const struct ics *s)
{
	return chose(s, ICS_CHOICE_CRC, "always") && s->yes & BIT(CRC_OFF);
}

static bool plain_without_v1(const struct ics *s)
{
	return chose(s, ICS_CHOICE_REQUEST, "plain") && !(s->yes & BIT(MPA_V1));
}

static bool enhanced_without_v2(const struct ics *s)
{
	return chose(s, ICS_CHOICE_REQUEST, "enhanced") &&
	       !(s->yes & BIT(MPA_V2));
}

static bool peers_without_p2p(const struct ics *s)
{
	return chose(s, ICS_CHOICE_REQUEST, "peer-to-peer") &&
	       !(s->yes & BIT(P2P));
}

/* In addition to the rules of claims.h: rules about more than claims. */
static const struct {
	bool (*broken)(const struct ics *s);
	const char *text, *rows;
} rules[] = {
	{no_role, "neither responder nor initiator: one of o.1 is required",
	 "MPA-7.1.2-01 MPA-7.1.2-03"},
	{swap_in_rfc, "swap: excluded, its AOpCode is reserved",
	 "RDMAPX-5.2.1-07"},
	{no_masks, "fetchadd or cmpswap without masked-atomics",
	 "RDMAPX-5.1.1-03 RDMAPX-5.1.2-03"},
	{reads_nothing,
	 "read, and neither max-ird nor max-ord has room for one",
	 "EMPA-9.1-12"},
	{atomics_of_nothing,
	 "atomics, and neither max-ird nor max-ord has room for one",
	 "RDMAPX-5.2-01"},
	{no_room_for_private, "private-data, and max-private = 0",
	 "MPA-7.1.1-32"},
	{private_without, "max-private, without private-data", "MPA-7.1.2-02"},
	{too_much_private, "max-private is more than 512", "MPA-7.1.1-27"},
	{never_crc, "crc = never: CRCs are mandatory", "MPA-4.4-01"},
	{always_off, "crc = always, and crc-off = yes", "MPA-4.4-06"},
	{plain_without_v1, "request = plain, without mpa-v1", "MPA-7.1.1-20"},
	{enhanced_without_v2, "request = enhanced, without mpa-v2",
	 "EMPA-6-03"},
	{peers_without_p2p, "request = peer-to-peer, without p2p",
	 "EMPA-9.2-01"},
};

char *ics_against_itself(const struct ics *s)
{
	struct lines l = {.begun = false};
	char head[ICS_VALUE + 300], rows[ICS_ROWS + 4];
	const struct ics_item *item;
	struct claim_rule rule;

	snprintf(head, sizeof(head), "%s: the statement contradicts itself",
		 s->path);
	for (size_t i = 0; (item = ics_item_at(i)); i++)
		if (item->status && *item->status == 'm' &&
		    !(s->yes >> item->index & 1))
			line(&l, head, "%s = no: mandatory%s", item->name,
			     because(item->rows, rows));
	for (size_t i = 0; claim_rule_at(i, &rule); i++)
		if (s->yes & rule.claim && !(s->yes & rule.wants))
			line(&l, head, "%s%s", rule.text,
			     because(rule.rows, rows));
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (rules[i].broken(s))
			line(&l, head, "%s%s", rules[i].text,
			     because(rules[i].rows, rows));
	return end(&l);
}

/* --- the device ------------------------------------------------------------ */

static void limits(struct lines *l, const char *head, const struct ics *s,
		   const struct agent_hello *h)
{
	const struct ics_item *item;

	for (size_t i = 0; (item = ics_item_at(i)); i++) {
		if (item->kind != ICS_IS_LIMIT || !s->limit[item->index].stated)
			continue;
		uint64_t told = ics_limit_of(h, (enum ics_limit)item->index);
		uint64_t most = s->limit[item->index].most;

		if (told != most)
			line(l, head, "%s = %llu: the agent reports %llu",
			     item->name, (unsigned long long)most,
			     (unsigned long long)told);
	}
}

/* Stated and reported, and not the same. */
static void differs(struct lines *l, const char *head, const char *name,
		    const char *stated, const char *who, const char *told)
{
	if (*stated && *told && strcmp(stated, told) != 0)
		line(l, head, "%s = %s: %s %s", name, stated, who, told);
}

char *ics_against_device(const struct ics *s, const struct ics_run *r)
{
	struct ics is;
	struct lines l = {.begun = false};
	char head[ICS_VALUE + 300];
	const struct ics_item *item;

	ics_of(&is, r->device, r->hello, r->claims, r->spec, r->link);
	snprintf(head, sizeof(head),
		 "%s: the statement does not match this device and this run",
		 s->path);
	for (size_t i = 0; (item = ics_item_at(i)); i++) {
		if (item->kind == ICS_IS_FEATURE &&
		    (s->yes ^ is.yes) >> item->index & 1)
			line(&l, head, "%s = %s: the agent claims %s",
			     item->name, yes_no(s->yes >> item->index & 1),
			     yes_no(is.yes >> item->index & 1));
		else if (item->kind == ICS_IS_TEXT)
			differs(&l, head, item->name, s->text[item->index],
				"the device's is", is.text[item->index]);
		else if (item->kind == ICS_IS_CHOICE &&
			 item->index != ICS_CHOICE_DESTRUCTIVE)
			differs(&l, head, item->name, s->choice[item->index],
				item->index == ICS_CHOICE_LINK
					? "the run is over"
					: "the device's is",
				is.choice[item->index]);
	}
	differs(&l, head, "spec", s->spec, "the run is of", r->spec);
	if (chose(s, ICS_CHOICE_DESTRUCTIVE, "yes") && !r->destructive)
		line(&l, head,
		     "destructive = yes: the run is without "
		     "--destructive");
	limits(&l, head, s, r->hello);
	return end(&l);
}

/* --- a run of the past ---------------------------------------------------------- */

/* The run's value for it; NULL: none. */
static const char *claim_of(const struct run_result *run, const char *name)
{
	for (size_t i = 0; i < run->claim_count; i++)
		if (strcmp(run->claims[i].name, name) == 0)
			return run->claims[i].value;
	return NULL;
}

static const char *identity_of_run(const struct run_result *run,
				   const char *name)
{
	for (size_t i = 0; i < run->identity_count; i++)
		if (strcmp(run->identity[i].name, name) == 0)
			return run->identity[i].value;
	return strcmp(name, "name") == 0 ? run->device_name : "";
}

static void stated_limit(struct lines *l, const char *head, const struct ics *s,
			 const struct ics_item *item, const char *told)
{
	char stated[24];

	snprintf(stated, sizeof(stated), "%llu",
		 (unsigned long long)s->limit[item->index].most);
	if (s->limit[item->index].stated && told)
		differs(l, head, item->name, stated, "the run has", told);
}

char *ics_against_run(const struct ics *s, const struct run_result *run)
{
	struct lines l = {.begun = false};
	char head[ICS_VALUE + 300], told[ICS_VALUE];
	const struct ics_item *item;

	snprintf(head, sizeof(head),
		 "%s: the statement does not match this run's device", s->path);
	if (!run->claim_count)
		line(&l, head, "the run does not record the device's claims");
	for (size_t i = 0; (item = ics_item_at(i)); i++) {
		const char *claim = claim_of(run, item->name);
		bool stated = item->kind == ICS_IS_FEATURE &&
			      s->yes >> item->index & 1;

		if (item->kind == ICS_IS_FEATURE && run->claim_count &&
		    stated != (claim != NULL))
			line(&l, head, "%s = %s: the run's device claims %s",
			     item->name, yes_no(stated), yes_no(!stated));
		else if (item->kind == ICS_IS_LIMIT)
			stated_limit(&l, head, s, item, claim);
		else if (item->kind == ICS_IS_TEXT) {
			ics_clean(told, sizeof(told),
				  identity_of_run(run, item->name));
			differs(&l, head, item->name, s->text[item->index],
				"the run's device is", told);
		}
	}
	differs(&l, head, "spec", s->spec, "the run is of", run->spec);
	differs(&l, head, "link", s->choice[ICS_CHOICE_LINK], "the run is over",
		run->link);
	if (run->statement && strcmp(run->statement->sha256, s->sha256) != 0)
		line(&l, head,
		     "the run was checked against another: SHA-256 %.64s, not "
		     "%s",
		     run->statement->sha256, s->sha256);
	return end(&l);
}

/* --- the wire --------------------------------------------------------------- */

/* The results of the cases that need a feature, or its absence. */
struct shown {
	size_t cases, seen; /* there are, and are in the run */
	size_t judged, passed, failed;
	size_t lacking_failed; /* of those for devices without it */
};

static const struct instance *find(const char *id)
{
	const struct registry *reg = registry();
	size_t low = 0, high = reg->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int order = strcmp(reg->instances[mid].id, id);

		if (order == 0)
			return &reg->instances[mid];
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

/* A case that blocks another counts for the features that it needs itself. */
static uint64_t blamed(const struct result *r)
{
	const struct instance *by = r->blocked_by ? find(r->blocked_by) : NULL;

	if (r->verdict == VERDICT_FAIL || r->verdict == VERDICT_XFAIL)
		return UINT64_MAX;
	return r->verdict == VERDICT_BLOCKED && by ? by->needs : 0;
}

static void count(struct shown *of, const struct instance *in,
		  const struct result *r)
{
	bool passed = r->verdict == VERDICT_PASS ||
		      r->verdict == VERDICT_WARN || r->verdict == VERDICT_INFO;
	uint64_t failed = blamed(r);

	for (unsigned f = 0; f < AGENT_FEATURES; f++) {
		if (in->needs >> f & 1) {
			of[f].seen++;
			of[f].judged += r->verdict != VERDICT_SKIP &&
					r->verdict != VERDICT_ERROR;
			of[f].passed += passed;
			of[f].failed += failed >> f & 1;
		}
		if (in->desc->lacks >> f & 1)
			of[f].lacking_failed += r->verdict == VERDICT_FAIL;
	}
}

static void look(struct shown *of, const struct result *results, size_t n)
{
	for (size_t i = 0; i < registry()->count; i++)
		for (unsigned f = 0; f < AGENT_FEATURES; f++)
			of[f].cases += registry()->instances[i].needs >> f & 1;
	for (size_t i = 0; i < n; i++) {
		const struct instance *in = find(results[i].id);

		if (in)
			count(of, in, &results[i]);
	}
}

char *ics_against_wire(const struct ics *s, uint64_t claims,
		       const struct result *results, size_t n, char **notes)
{
	struct shown of[AGENT_FEATURES] = {{0}};
	struct lines l = {.begun = false}, remarks = {.begun = false};
	char head[ICS_VALUE + 300], about[ICS_VALUE + 300];

	snprintf(head, sizeof(head),
		 "%s: the statement contradicts the traffic", s->path);
	snprintf(about, sizeof(about),
		 "%s: a feature that it does not state was seen", s->path);
	look(of, results, n);
	for (unsigned f = 0; f < AGENT_FEATURES; f++) {
		const char *name = agent_feature_name((enum agent_feature)f);
		bool stated = s->yes >> f & 1, claimed = claims >> f & 1;

		/* A part of them would prove little. */
		if (stated && of[f].judged && !of[f].passed && of[f].failed &&
		    of[f].seen == of[f].cases)
			line(&l, head,
			     "%s = yes: none of the %zu cases that need it "
			     "passed",
			     name, of[f].judged);
		else if (!stated && claimed && of[f].passed)
			line(&remarks, about,
			     "%s = no: %zu of the %zu cases that need it "
			     "passed",
			     name, of[f].passed, of[f].judged);
		else if (!stated && of[f].lacking_failed)
			line(&remarks, about,
			     "%s = no: %zu case%s about its refusal failed",
			     name, of[f].lacking_failed,
			     of[f].lacking_failed == 1 ? "" : "s");
	}
	*notes = end(&remarks);
	return end(&l);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* `report verify`: what a bundle says, believed only where it is proved. */
#include <stdlib.h>
#include <string.h>

#include "harness/text/digest.h"
#include "harness/text/memstream.h"
#include "reports/bundle/bundle.h"
#include "reports/text/escape.h"
#include "reports/load/load.h"
#include "suite/cli/complain.h"
#include "suite/report/report_certificate.h"
#include "suite/report/report_command.h"
#include "suite/run/runner/provenance.h"

#define WHY        512
#define CASES_TOLD 20 /* of each kind; the others are counted */

enum { RUN, STATEMENT, SUITE, CATALOGUE, REPORT, WANTED };

struct verifying {
	size_t objections;
	struct bundle_wanted *of; /* by the names above */
	const struct run_result *run;
	struct ics ics;
	struct due_list due;
	struct certificate_suite suite;
};

static void put(const char *text)
{
	escape_put(stdout, text, strlen(text), ESCAPE_KEEP_NONE);
	fputc('\n', stdout);
}

static bool object(struct verifying *v, const char *text)
{
	v->objections++;
	put(text);
	return false;
}

static void tell(void *user, const char *line)
{
	object(user, line);
}

/* --- what is in it ------------------------------------------------------------ */

static bool take_apart(struct verifying *v)
{
	struct bundle_wanted *of = v->of;
	char why[WHY], sum[DIGEST_HEX];

	for (unsigned i = 0; i < WANTED; i++) {
		bool statement = i == STATEMENT || i == REPORT;

		if (of[i].octets)
			continue;
		snprintf(why, sizeof(why), "%s: missing%s", of[i].name,
			 statement ? ": nothing says what was due" : "");
		object(v, why);
	}
	if (v->objections)
		return false;
	if (!certificate_suite_parse(&v->suite, of[SUITE].octets, of[SUITE].n,
				     why, sizeof(why)) ||
	    !ics_parse(&v->ics, CERTIFICATE_STATEMENT, of[STATEMENT].octets,
		       of[STATEMENT].n, why, sizeof(why)) ||
	    !due_read(&v->due, CERTIFICATE_CATALOGUE, of[CATALOGUE].octets,
		      of[CATALOGUE].n, why, sizeof(why)) ||
	    !(v->run = report_load_octets(of[RUN].octets, of[RUN].n,
					  CERTIFICATE_RUN, why, sizeof(why))))
		return object(v, why);
	if (!digest_sha256(of[CATALOGUE].octets, of[CATALOGUE].n, sum) ||
	    strcmp(sum, v->suite.catalogue) != 0)
		return object(v, CERTIFICATE_CATALOGUE
			      ": not the one that " CERTIFICATE_SUITE " names");
	if (strcmp(v->run->suite_name, v->suite.name) != 0 ||
	    strcmp(v->run->suite_version, v->suite.version) != 0 ||
	    strcmp(v->run->suite_build, v->suite.build) != 0)
		return object(v, CERTIFICATE_RUN
			      ": not of the suite that " CERTIFICATE_SUITE
			      " names");
	return true;
}

/* --- what it shows ------------------------------------------------------------ */

/* Each line of a finding below its first. */
static void object_lines(struct verifying *v, const char *lines)
{
	const char *at = lines ? strchr(lines, '\n') : NULL;

	while (at && at[1]) {
		size_t n = strcspn(++at, "\n");
		char *line = NULL;

		if (asprintf(&line, "%s: %.*s", CERTIFICATE_STATEMENT,
			     (int)(n - strspn(at, " ")),
			     at + strspn(at, " ")) > 0)
			object(v, line);
		free(line);
		at += n;
	}
}

static void object_cases(struct verifying *v, const struct campaign *c,
			 enum campaign_end end, const char *what)
{
	char line[WHY];
	size_t told = 0;

	for (size_t i = 0; i < c->count; i++) {
		const struct campaign_case *one = &c->cases[i];

		if (one->end != end)
			continue;
		v->objections++;
		if (told++ >= CASES_TOLD)
			continue;
		snprintf(line, sizeof(line), "%s: required, and %s%s%s",
			 one->due->id, what,
			 one->result && *one->result->reason ? ": " : "",
			 one->result ? one->result->reason : "");
		put(line);
	}
	if (told > CASES_TOLD)
		printf("and %zu cases more that are required, and %s\n",
		       told - CASES_TOLD, what);
}

/* Findings and stale deviations: what no case accounts for. */
static void object_others(struct verifying *v)
{
	char line[WHY];
	size_t at = 0;

	for (size_t i = 0; i < v->run->finding_count; i++) {
		const char *f = v->run->findings[i];

		snprintf(line, sizeof(line), "finding: %.*s",
			 (int)strcspn(f, "\n"), f);
		object(v, line);
	}
	if (v->run->stale_count)
		object(v, CERTIFICATE_RUN ": with a stale deviation");
	if (*v->run->note) {
		snprintf(line, sizeof(line), "%s: %.300s", CERTIFICATE_RUN,
			 v->run->note);
		object(v, line);
	}
	while (campaign_disagrees(v->run, &at, line, sizeof(line)))
		object(v, line);
}

/* The same report, if it is of this program; another may word it otherwise. */
static void check_report(struct verifying *v, const struct campaign *c)
{
	char sum[DIGEST_HEX], *again = NULL;
	size_t n = 0;

	if (digest_sha256(v->of[RUN].octets, v->of[RUN].n, sum))
		again = certificate_report(c, &v->ics, v->run, &v->suite, sum,
					   &n);
	bool same = again && n == v->of[REPORT].n &&
		    memcmp(again, v->of[REPORT].octets, n) == 0;
	bool ours = strcmp(v->suite.version, WARPSPEC_VERSION) == 0 &&
		    strcmp(v->suite.build, provenance_build()) == 0;

	/* What is missing here is no fault of the bundle's. */
	if (!again)
		text_is_lost();
	else if (!same && ours)
		object(v, CERTIFICATE_REPORT
		       ": does not say what " CERTIFICATE_RUN " does");
	else if (!same)
		put("note: " CERTIFICATE_REPORT " is in the words of another "
		    "warpspec, and was not compared");
	free(again);
}

static void check_catalogue(struct verifying *v)
{
	char sum[DIGEST_HEX] = "", line[WHY];
	size_t n = 0;
	char *ours = certificate_catalogue(&n);

	bool known = ours && digest_sha256(ours, n, sum);

	free(ours);
	if (!known) {
		text_is_lost();
		return;
	}
	if (strcmp(sum, v->suite.catalogue) == 0)
		return;
	snprintf(line, sizeof(line),
		 "%s: another one than this program's, of the same build",
		 CERTIFICATE_CATALOGUE);
	if (strcmp(v->suite.build, provenance_build()) == 0 &&
	    *v->suite.build) {
		object(v, line);
		return;
	}
	snprintf(line, sizeof(line),
		 "note: what was due is taken from the catalogue of %s %s, "
		 "build "
		 "%s",
		 v->suite.name, v->suite.version, v->suite.build);
	put(line);
}

static void judge(struct verifying *v)
{
	struct campaign c;

	if (!campaign_of(&c, &v->ics, &v->due, v->run)) {
		object(v, "out of memory");
		return;
	}
	check_catalogue(v);
	check_report(v, &c);
	object_lines(v, c.itself);
	object_lines(v, c.run);
	object_others(v);
	object_cases(v, &c, CAMPAIGN_FAILED, "failed");
	object_cases(v, &c, CAMPAIGN_INCONCLUSIVE, "not judged");
	object_cases(v, &c, CAMPAIGN_NOT_RUN, "not run");
	if (!v->objections && !c.ends[CAMPAIGN_PASSED])
		object(v, CERTIFICATE_STATEMENT ": requires no case at all");
	if (!*v->ics.text[ICS_TEXT_MAKER] && !*v->ics.text[ICS_TEXT_CONTACT])
		put("note: " CERTIFICATE_STATEMENT ": neither maker nor "
		    "contact: nobody answers for it, and it may say no more "
		    "than what the device's agent claimed");
	if (!v->objections)
		printf("%zu cases that the statement requires were run, and "
		       "none failed; %zu were not due\n",
		       c.ends[CAMPAIGN_PASSED], c.ends[CAMPAIGN_NOT_SELECTED]);
	campaign_free(&c);
}

/* --- the command -------------------------------------------------------------- */

static void tell_end(const struct verifying *v, const struct bundle_check *b)
{
	if (text_lost()) /* then nothing is known, and main.c says why */
		return;
	if (v->objections) {
		printf("not verified: %zu objection%s\n", v->objections,
		       v->objections == 1 ? "" : "s");
		return;
	}
	static const enum ics_text who[] = {ICS_TEXT_MAKER, ICS_TEXT_NAME,
					    ICS_TEXT_MODEL, ICS_TEXT_FIRMWARE};
	char line[2 * WHY] = "verified:";

	for (size_t i = 0; i < sizeof(who) / sizeof(who[0]); i++)
		if (*v->ics.text[who[i]])
			snprintf(line + strlen(line),
				 sizeof(line) - strlen(line), " %s",
				 v->ics.text[who[i]]);
	snprintf(line + strlen(line), sizeof(line) - strlen(line),
		 "; %zu members, signed by %s", b->members, b->signer);
	put(line);
}

static int perform(const struct report_call *call)
{
	static struct verifying v;
	struct bundle_wanted wanted[WANTED] = {
		[RUN] = {.name = CERTIFICATE_RUN, .most = CERTIFICATE_RUN_MOST},
		[STATEMENT] = {.name = CERTIFICATE_STATEMENT, .most = ICS_FILE},
		[SUITE] = {.name = CERTIFICATE_SUITE, .most = 65536},
		[CATALOGUE] = {.name = CERTIFICATE_CATALOGUE,
			       .most = 16u << 20},
		[REPORT] = {.name = CERTIFICATE_REPORT, .most = 16u << 20},
	};
	struct bundle_check b = {.ca = report_option(call, "ca"),
				 .wanted = wanted,
				 .wanted_count = WANTED,
				 .tell = tell,
				 .user = &v};
	char why[WHY];

	if (!b.ca)
		return complain(EXIT_USAGE,
				"report verify: --ca is missing: say who is "
				"believed, in PEM");
	v.of = wanted;
	bool read = bundle_verify(&b, call->files[0], why, sizeof(why));

	/* What is not proved is not taken apart. */
	if (read && !v.objections && take_apart(&v))
		judge(&v);
	if (read)
		tell_end(&v, &b);
	report_unload(v.run);
	due_free(&v.due);
	bundle_forget(&b);
	if (!read)
		return complain(EXIT_USAGE, why);
	return flushed(v.objections ? EXIT_FAILED : 0);
}

static const struct report_option options[] = {
	{"ca", '\0', "FILE", "certificates, in PEM, of those who are believed"},
	{0},
};

const struct report_subcommand report_verify = {
	.name = "verify",
	.usage = "BUNDLE --ca FILE",
	.text = "Check a bundle: its signature and certificate, every octet of "
		"it, and that each case that its statement requires was run "
		"and passed.",
	.exit = "Exit: 0 verified; 1 not, and what was altered, is missing or "
		"has failed is told; 2 usage, or a file that cannot be read.",
	.options = options,
	.files_least = 1,
	.files_most = 1,
	.perform = perform,
};

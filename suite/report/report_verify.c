/* SPDX-License-Identifier: BSD-2-Clause */
/* `report verify`: what a bundle says, believed only where it is proved. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/text/digest.h"
#include "harness/text/memstream.h"
#include "reports/bundle/bundle.h"
#include "reports/load/load.h"
#include "suite/cli/complain.h"
#include "suite/device/builtin.h"
#include "suite/report/captures.h"
#include "suite/report/objections.h"
#include "suite/report/report_certificate.h"
#include "suite/report/report_command.h"
#include "suite/report/report_verified.h"
#include "suite/run/runner/provenance.h"

#define WHY      512
#define WARNINGS 8

enum { RUN, STATEMENT, SUITE, CATALOGUE, REPORT, WANTED };

struct verifying {
	struct objections objections;
	struct captures captures; /* that are in the bundle */
	const char *path;         /* of the bundle */
	struct bundle_wanted *of; /* by the names above */
	const struct run_result *run;
	struct ics ics;
	struct due_list due;
	struct certificate_suite suite;
	const char *warnings[WARNINGS + 1]; /* NULL behind the last */
	size_t warning_count;
	char unexplained[WHY], older[WHY];
	/* What was asked for; NULL, 0: nothing. */
	const char *signer, *at_least;
	time_t not_before;
};

static bool object(struct verifying *v, const char *text)
{
	return objections_add(&v->objections, text);
}

static void put(struct verifying *v, const char *text)
{
	objections_note(&v->objections, text);
}

static void tell(void *user, const char *line)
{
	object(user, line);
}

static void has_member(void *user, const char *name, const char *sum)
{
	struct verifying *v = user;

	if (!captures_add(&v->captures, name, sum))
		text_is_lost();
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
			 statement ? ": nothing determines the required cases"
				   : "");
		object(v, why);
	}
	if (v->objections.count)
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
		put(v,
		    "note: " CERTIFICATE_REPORT
		    " has the texts of another warpspec, and was not compared");
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
		 "%s: not the catalogue of this program, though of the same "
		 "build",
		 CERTIFICATE_CATALOGUE);
	if (strcmp(v->suite.build, provenance_build()) == 0 &&
	    *v->suite.build) {
		object(v, line);
		return;
	}
	snprintf(line, sizeof(line),
		 "note: the required cases are taken from the catalogue of %s "
		 "%s, build %s",
		 v->suite.name, v->suite.version, v->suite.build);
	put(v, line);
}

/* --- whose it is, and what is asked of it -------------------------------------- */

/* "model X, " or that nobody has stated it. */
static void stated(char *line, size_t cap, const char *what, const char *value)
{
	size_t at = strlen(line);

	snprintf(line + at, cap - at, "%s%s %s", at ? ", " : "", what,
		 *value ? value : "not stated");
}

static void day(const struct timespec *t, char text[32])
{
	struct tm tm;

	if (!gmtime_r(&t->tv_sec, &tm) ||
	    strftime(text, 32, "%Y-%m-%d", &tm) == 0)
		strcpy(text, "?");
}

/* What a reader has to know before the verdict means anything. */
static void introduce(struct verifying *v)
{
	const struct run_result *run = v->run;
	char line[4 * WHY] = "", on[32];

	stated(line, sizeof(line), "device: maker",
	       v->ics.text[ICS_TEXT_MAKER]);
	stated(line, sizeof(line), "name", v->ics.text[ICS_TEXT_NAME]);
	stated(line, sizeof(line), "model", v->ics.text[ICS_TEXT_MODEL]);
	stated(line, sizeof(line), "serial", v->ics.text[ICS_TEXT_SERIAL]);
	stated(line, sizeof(line), "firmware", v->ics.text[ICS_TEXT_FIRMWARE]);
	put(v, line);
	snprintf(line, sizeof(line), "its agent calls it: %.400s",
		 run->device_impl);
	put(v, line);
	day(&run->finished, on);
	snprintf(line, sizeof(line),
		 "tested: %s, over %.40s, by %s %s, build %s", on, run->link,
		 v->suite.name, v->suite.version,
		 *v->suite.build ? v->suite.build : "unknown");
	put(v, line);
	*line = '\0';
	stated(line, sizeof(line),
	       "laboratory:", v->ics.text[ICS_TEXT_LABORATORY]);
	stated(line, sizeof(line), "operator", v->ics.text[ICS_TEXT_OPERATOR]);
	put(v, line);
	snprintf(line, sizeof(line), "claims:");
	for (size_t i = 0; i < run->claim_count; i++)
		snprintf(line + strlen(line), sizeof(line) - strlen(line),
			 " %s%s%s", run->claims[i].name,
			 *run->claims[i].value ? "=" : "",
			 run->claims[i].value);
	put(v, line);
}

static void warn(struct verifying *v, const char *text)
{
	char line[2 * WHY];

	snprintf(line, sizeof(line), "warning: %s", text);
	put(v, line);
	if (v->warning_count < WARNINGS)
		v->warnings[v->warning_count++] = text;
}

static void warn_of_statement(struct verifying *v)
{
	static const enum ics_text identity[] = {
		ICS_TEXT_MODEL, ICS_TEXT_SERIAL, ICS_TEXT_FIRMWARE};
	bool whole = true;

	for (size_t i = 0; i < sizeof(identity) / sizeof(identity[0]); i++)
		whole &= *v->ics.text[identity[i]] != '\0';
	if (!*v->ics.text[ICS_TEXT_MAKER] && !*v->ics.text[ICS_TEXT_CONTACT])
		warn(v, "the statement names neither maker nor contact; it may "
			"only "
			"repeat what the device's agent claimed");
	if (!whole)
		warn(v, "the statement lacks the model, the serial or the "
			"firmware, "
			"which would identify the device");
	if (!*v->ics.text[ICS_TEXT_LABORATORY] ||
	    !*v->ics.text[ICS_TEXT_OPERATOR])
		warn(v, "the statement does not name the laboratory and the "
			"operator "
			"that tested it");
}

static bool is_own_device(const struct verifying *v)
{
	return strncmp(v->run->device_impl, BUILTIN_IMPL,
		       strlen(BUILTIN_IMPL)) == 0;
}

/* What is no fault of the bundle, and decides what it is worth. */
static void warn_of_all(struct verifying *v)
{
	size_t n = 0;

	warn_of_statement(v);
	if (is_own_device(v))
		warn(v, "the device was the suite's own reference device");
	if (strverscmp(v->suite.version, WARPSPEC_VERSION) < 0) {
		snprintf(v->older, sizeof(v->older),
			 "the suite was version %.40s, older than this one, "
			 "%s",
			 v->suite.version, WARPSPEC_VERSION);
		warn(v, v->older);
	}
	for (size_t i = 0; i < v->run->count; i++)
		n += v->run->results[i].verdict == VERDICT_XFAIL &&
		     strstr(v->run->results[i].reason, RESULT_UNEXPLAINED);
	if (!n)
		return;
	snprintf(v->unexplained, sizeof(v->unexplained),
		 "%zu known deviation%s not yet explained", n,
		 n == 1 ? " is" : "s are");
	warn(v, v->unexplained);
}

/* False: one line in why. */
static bool take_wishes(struct verifying *v, const struct report_call *call,
			char *why, size_t cap)
{
	const char *at_least = report_option(call, "suite-at-least");
	const char *not_before = report_option(call, "not-before");
	struct tm tm = {0};
	const char *end;

	v->signer = report_option(call, "signer");
	v->at_least = at_least;
	if (at_least &&
	    (!*at_least || at_least[strspn(at_least, "0123456789.")])) {
		snprintf(why, cap,
			 "report: --suite-at-least %.100s: expected a "
			 "version, such as %s",
			 at_least, WARPSPEC_VERSION);
		return false;
	}
	if (!not_before)
		return true;
	end = strptime(not_before, "%Y-%m-%d", &tm);
	if (!end || *end) {
		snprintf(why, cap,
			 "report: --not-before %.100s: expected a day, "
			 "such as 2026-01-31",
			 not_before);
		return false;
	}
	v->not_before = timegm(&tm);
	return true;
}

/* The name as a whole, or its common name. */
static bool is_signer(const char *name, const char *wanted)
{
	const char *cn = strstr(name, "CN = ");
	size_t n = strlen(wanted);

	return strcmp(name, wanted) == 0 ||
	       (cn && strncmp(cn + 5, wanted, n) == 0 &&
		(cn[5 + n] == '\0' || cn[5 + n] == ','));
}

static void check_wishes(struct verifying *v, const struct bundle_check *b)
{
	char line[WHY], on[32];

	if (v->signer && !is_signer(b->signer, v->signer)) {
		snprintf(line, sizeof(line),
			 "signature: by %.200s, not by %.200s", b->signer,
			 v->signer);
		object(v, line);
	}
	if (v->at_least && strverscmp(v->suite.version, v->at_least) < 0) {
		snprintf(line, sizeof(line),
			 CERTIFICATE_SUITE
			 ": version %.40s; at least %.40s is required",
			 v->suite.version, v->at_least);
		object(v, line);
	}
	if (v->not_before && v->run->finished.tv_sec < v->not_before) {
		day(&v->run->finished, on);
		snprintf(line, sizeof(line),
			 CERTIFICATE_RUN
			 ": tested on %s, before the day of --not-before",
			 on);
		object(v, line);
	}
}

/* Past the day that its lab has put on it. */
static void check_validity(struct verifying *v, const char *number)
{
	const char *until = v->suite.valid_until;
	char line[WHY];
	time_t end = 0;

	snprintf(line, sizeof(line), "certificate %s%s%s", number,
		 *until ? ", valid until " : ", without an end of its validity",
		 until);
	put(v, line);
	if (!*until || !certificate_is_day(until, &end) ||
	    time(NULL) < end + 24 * 60 * 60)
		return;
	snprintf(line, sizeof(line),
		 CERTIFICATE_SUITE ": no longer valid: until %.16s", until);
	object(v, line);
}

static bool judge_capture(void *user, const char *name, const void *octets,
			  size_t n)
{
	struct verifying *v = user;

	captures_judge(&v->captures, &v->objections, v->run, name, octets, n);
	return true;
}

/* What the wire shows of the verdicts, and that it does not show all. */
static void check_verdicts(struct verifying *v)
{
	char line[WHY];

	captures_check(&v->captures, &v->objections, v->run);
	if (v->captures.count &&
	    !bundle_members(v->path, CERTIFICATE_CAPTURES, judge_capture, v,
			    line, sizeof(line)))
		object(v, line);
	captures_conclude(&v->captures, line, sizeof(line));
	put(v, line);
}

/* What the verdict is about, and what was not tested. */
static void put_required(struct verifying *v, const struct campaign *c)
{
	if (!v->objections.count)
		fprintf(v->objections.out,
			"required: %zu cases; %zu ran and %zu were judged in "
			"the responder's case; none failed\n",
			c->of[DUE_REQUIRED], c->ends[CAMPAIGN_PASSED],
			c->ends[CAMPAIGN_ALIKE]);
	fprintf(v->objections.out,
		"not required: %zu cases; %zu need SCTP, %zu MPA or TCP, %zu "
		"chosen TCP segments, %zu another link, %zu what is not "
		"stated\n",
		c->count - c->of[DUE_REQUIRED], c->of[DUE_OF_SCTP],
		c->of[DUE_OF_TCP], c->of[DUE_SEGMENTS], c->of[DUE_ON_LINK],
		c->of[DUE_UNSTATED]);
}

static void judge(struct verifying *v, const struct bundle_check *b,
		  verified_fn *use, void *user)
{
	struct campaign c;
	char log[DIGEST_HEX] = "", number[CERTIFICATE_NUMBER] = "";

	introduce(v);
	if (!campaign_of(&c, &v->ics, &v->due, v->run)) {
		object(v, "out of memory");
		return;
	}
	check_catalogue(v);
	check_report(v, &c);
	check_verdicts(v);
	check_wishes(v, b);
	if (!digest_sha256(v->of[RUN].octets, v->of[RUN].n, log) ||
	    !certificate_number(&v->suite, &v->ics, log, number))
		object(v, digest_trouble());
	check_validity(v, number);
	size_t foreign = v->objections.count;

	objections_of_campaign(&v->objections, &c, v->run);
	warn_of_all(v);
	if (use && !foreign)
		use(user, &(const struct verified){
				  .run = v->run,
				  .ics = &v->ics,
				  .suite = &v->suite,
				  .campaign = &c,
				  .captures = &v->captures,
				  .warnings = v->warnings,
				  .signer = b->signer,
				  .number = number,
				  .log = log,
				  .specimen = is_own_device(v),
				  .good = !v->objections.count,
			  });
	put_required(v, &c);
	campaign_free(&c);
}

/* --- the command -------------------------------------------------------------- */

static void tell_end(struct verifying *v, const struct bundle_check *b)
{
	if (text_lost()) /* then nothing is known, and main.c says why */
		return;
	if (v->objections.count) {
		fprintf(v->objections.out, "not verified: %zu objection%s\n",
			v->objections.count,
			v->objections.count == 1 ? "" : "s");
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
	put(v, line);
}

int report_verified(const struct report_call *call, const char *path,
		    FILE *lines, verified_fn *use, void *user)
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
				 .member = has_member,
				 .user = &v};
	char why[WHY];

	v = (struct verifying){.of = NULL};
	if (!b.ca) {
		snprintf(why, sizeof(why),
			 "report %s: --ca is missing: name the "
			 "certificates of the trusted authorities, in "
			 "PEM",
			 call->name);
		return complain(EXIT_USAGE, why);
	}
	if (!take_wishes(&v, call, why, sizeof(why)))
		return complain(EXIT_USAGE, why);
	v.of = wanted;
	v.path = path;
	v.objections.out = lines;
	bool read = bundle_verify(&b, path, why, sizeof(why));

	/* What is not proved is not taken apart. */
	if (read && !v.objections.count && take_apart(&v))
		judge(&v, &b, use, user);
	if (read)
		tell_end(&v, &b);
	report_unload(v.run);
	due_free(&v.due);
	captures_free(&v.captures);
	bundle_forget(&b);
	if (!read)
		return complain(EXIT_USAGE, why);
	return v.objections.count ? EXIT_FAILED : 0;
}

static int perform(const struct report_call *call)
{
	return flushed(
		report_verified(call, call->files[0], stdout, NULL, NULL));
}

static const struct report_option options[] = {
	{"ca", '\0', "FILE",
	 "the certificates of the trusted authorities, in PEM"},
	{"signer", '\0', "NAME",
	 "require this signer: the name in the certificate, or its common "
	 "name"},
	{"suite-at-least", '\0', "VERSION",
	 "refuse a run of an older version of the suite"},
	{"not-before", '\0', "DAY",
	 "refuse a run before this day, such as 2026-01-31"},
	{0},
};

const struct report_subcommand report_verify = {
	.name = "verify",
	.usage = "BUNDLE --ca FILE [--signer NAME] [--suite-at-least VERSION] "
		 "[--not-before DAY]",
	.text = "Verify a bundle: its signature and certificate, the digest of "
		"every file, that the captures belong to the run and show no "
		"fault that it does not report, and that each case that its "
		"statement requires ran and passed. Prints the device, its "
		"maker, the date, and the version of the suite.",
	.exit = "Exit: 0 verified; 1 not verified (the reasons are printed); 2 "
		"usage, or a file that cannot be read.",
	.options = options,
	.files_least = 1,
	.files_most = 1,
	.perform = perform,
};

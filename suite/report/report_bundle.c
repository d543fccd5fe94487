/* SPDX-License-Identifier: BSD-2-Clause */
/* `report bundle`: a run, and the statement that it was held to, sealed. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/text/digest.h"
#include "harness/text/memstream.h"
#include "harness/text/text_file.h"
#include "reports/bundle/bundle.h"
#include "reports/load/load.h"
#include "reports/publish/publish.h"
#include "suite/catalogue/catalogue.h"
#include "suite/cli/complain.h"
#include "suite/report/captures.h"
#include "suite/report/objections.h"
#include "suite/report/report_certificate.h"
#include "suite/report/report_command.h"
#include "suite/run/runner/provenance.h"

#define WHY 512

#define VALID_YEARS 2 /* of a certificate, unless its lab says otherwise */

struct making {
	const struct report_call *call;
	struct bundle *bundle;
	char *run_json, *statement, *catalogue;
	size_t run_octets, statement_octets, catalogue_octets;
	char run_sha256[DIGEST_HEX];
	const struct run_result *run;
	struct ics ics;
	struct due_list due;
	struct certificate_suite suite;
	char pages[CERTIFICATE_FOLDER]; /* "": there are none */
	struct captures captures;
	struct objections objections;
	char why[WHY];
};

static bool objects(struct making *m, const char *what)
{
	snprintf(m->why, sizeof(m->why), "%.200s: %.250s", m->call->files[0],
		 what);
	return false;
}

/* The catalogue that goes along is this program's. */
static bool is_ours(struct making *m)
{
	char what[256];

	if (strcmp(m->run->suite_name, "warpspec") == 0 &&
	    strcmp(m->run->suite_version, WARPSPEC_VERSION) == 0 &&
	    strcmp(m->run->suite_build, provenance_build()) == 0)
		return true;
	snprintf(what, sizeof(what),
		 "run by %.40s %.40s, build %.40s: bundle it with that "
		 "version; this is warpspec %s, build %s",
		 m->run->suite_name, m->run->suite_version, m->run->suite_build,
		 WARPSPEC_VERSION, provenance_build());
	return objects(m, what);
}

static bool read_run(struct making *m)
{
	const char *path = m->call->files[0];

	m->run_json = text_file_octets(path, CERTIFICATE_RUN_MOST,
				       &m->run_octets, m->why, WHY);
	if (!m->run_json)
		return false;
	m->run = report_load_octets(m->run_json, m->run_octets, path, m->why,
				    WHY);
	if (!m->run || !is_ours(m))
		return false;
	if (m->run->shards > 1)
		return objects(
			m, "this is a shard of a run: merge all shards first");
	return digest_sha256(m->run_json, m->run_octets, m->run_sha256) ||
	       objects(m, digest_trouble());
}

/* Nobody has stated anything: what the agent claimed stands for it. */
static bool write_statement(struct making *m)
{
	struct memstream text;
	FILE *out;

	if (m->run->statement)
		return objects(m, "the run was checked against a statement: "
				  "name it with --ics");
	if (!m->run->claim_count)
		return objects(m, "the report does not have the claims of the "
				  "device: name a statement with --ics");
	ics_of_run(&m->ics, m->run);
	out = memstream_open(&text);
	bool ok = out && ics_write(&m->ics, m->run->device_impl, out);

	m->statement = memstream_finish(&text, &m->statement_octets);
	if (!ok || !m->statement)
		return objects(m, "out of memory");
	return ics_parse(&m->ics, CERTIFICATE_STATEMENT, m->statement,
			 m->statement_octets, m->why, WHY);
}

static bool read_statement(struct making *m)
{
	const char *path = report_option(m->call, "ics");
	const struct text_bounds bounds = {ICS_FILE, TEXT_INI_LINE};

	if (!path)
		return write_statement(m);
	m->statement = text_file_read(path, &bounds, &m->statement_octets, NULL,
				      m->why, WHY);
	if (!m->statement || !ics_parse(&m->ics, path, m->statement,
					m->statement_octets, m->why, WHY))
		return false;
	strcpy(m->ics.path, CERTIFICATE_STATEMENT);
	const struct result_statement *held = m->run->statement;

	if (held && strcmp(held->sha256, m->ics.sha256) != 0)
		return objects(m, "the run was checked against another "
				  "statement than that of --ics");
	return true;
}

static bool add(struct making *m, const char *name, const char *octets,
		size_t n)
{
	if (octets)
		return bundle_add(m->bundle, name, octets, n, m->why, WHY);
	snprintf(m->why, sizeof(m->why), "%s: out of memory", name);
	return false;
}

/* What a link leads to may be no capture of the run's. */
static bool is_a_link(struct making *m, const char *path)
{
	struct stat st;
	bool link = lstat(path, &st) == 0 && S_ISLNK(st.st_mode);

	if (link)
		snprintf(m->why, WHY,
			 "%.300s: it is a link: a capture is a "
			 "file of the run's own",
			 path);
	return link;
}

/* The file that a case's capture is in now. False: the path is too long. */
static bool capture_path(const struct making *m, const struct result *r,
			 char *path, size_t cap)
{
	const char *slash = strrchr(r->capture, '/');

	return snprintf(path, cap, "%s/%s", report_option(m->call, "captures"),
			slash ? slash + 1 : r->capture) < (int)cap;
}

/* Those that the report names, from the folder that they are in now. */
static bool add_captures(struct making *m)
{
	const char *folder = report_option(m->call, "captures");

	for (size_t i = 0; folder && i < m->run->count; i++) {
		const struct result *r = &m->run->results[i];
		char path[1024], name[BUNDLE_NAME];

		if (!r->capture || !*r->capture)
			continue;
		if (!capture_path(m, r, path, sizeof(path)) ||
		    !certificate_capture(r, name))
			return objects(m, "a capture's name is too long");
		if (is_a_link(m, path) ||
		    !bundle_add_file(m->bundle, name, path, m->why, WHY))
			return false;
		if (!captures_add(&m->captures, name,
				  bundle_sum(m->bundle, name)))
			return objects(m, "out of memory");
		m->suite.captures++;
	}
	return true;
}

/* To the day that was asked for, or two years from the test. */
static void set_validity(struct making *m)
{
	const char *asked = report_option(m->call, "valid-until");
	char *until = m->suite.valid_until;
	struct tm day;

	if (asked) {
		snprintf(until, sizeof(m->suite.valid_until), "%s", asked);
	} else if (gmtime_r(&m->run->finished.tv_sec, &day)) {
		day.tm_year += VALID_YEARS;
		timegm(&day); /* from 29 February to 1 March */
		strftime(until, sizeof(m->suite.valid_until), "%Y-%m-%d", &day);
	}
}

static bool add_suite(struct making *m)
{
	struct certificate_suite *s = &m->suite;

	m->catalogue = certificate_catalogue(&m->catalogue_octets);
	if (!add(m, CERTIFICATE_CATALOGUE, m->catalogue, m->catalogue_octets))
		return false;
	if (!due_read(&m->due, CERTIFICATE_CATALOGUE, m->catalogue,
		      m->catalogue_octets, m->why, WHY))
		return false;
	snprintf(s->name, sizeof(s->name), "%s", m->run->suite_name);
	snprintf(s->version, sizeof(s->version), "%s", WARPSPEC_VERSION);
	snprintf(s->build, sizeof(s->build), "%s", provenance_build());
	snprintf(s->kill_matrix, sizeof(s->kill_matrix), "%s",
		 catalogue_kill_matrix());
	set_validity(m);
	s->requirements = m->due.requirements;
	s->mutants = m->run->mutants;
	if (!digest_sha256(m->catalogue, m->catalogue_octets, s->catalogue))
		return objects(m, digest_trouble());
	char *json = certificate_suite_json(s);
	bool ok = add(m, CERTIFICATE_SUITE, json, json ? strlen(json) : 0);

	free(json);
	return ok;
}

/* As `report verify` will. */
static bool check_captures(struct making *m)
{
	captures_sort(&m->captures);
	captures_check(&m->captures, &m->objections, m->run);
	for (size_t i = 0; m->captures.count && i < m->run->count; i++) {
		const struct result *r = &m->run->results[i];
		char path[1024], name[BUNDLE_NAME];
		size_t n;

		if (!r->capture || !*r->capture ||
		    !capture_path(m, r, path, sizeof(path)) ||
		    !certificate_capture(r, name))
			continue;
		char *octets =
			text_file_octets(path, BUNDLE_KEPT, &n, m->why, WHY);

		if (!octets)
			return false;
		captures_judge(&m->captures, &m->objections, m->run, name,
			       octets, n);
		free(octets);
	}
	return true;
}

/* What a statement requires, and what came of it. */
static bool add_report(struct making *m)
{
	struct campaign c;
	size_t n = 0;

	if (!campaign_of(&c, &m->ics, &m->due, m->run))
		return objects(m, "out of memory");
	objections_of_campaign(&m->objections, &c, m->run);
	char *text = certificate_report(&c, &m->ics, m->run, &m->suite,
					m->run_sha256, &n);
	bool ok = add(m, CERTIFICATE_REPORT, text, n) &&
		  add(m, CERTIFICATE_STATEMENT, m->statement,
		      m->statement_octets);

	free(text);
	campaign_free(&c);
	return ok;
}

static bool add_pages(struct making *m)
{
	return !report_option(m->call, "html") ||
	       certificate_add_pages(m->bundle, m->run,
				     report_option(m->call, "captures"),
				     m->pages, m->why, WHY);
}

static bool fill(struct making *m)
{
	return read_run(m) && read_statement(m) &&
	       add(m, CERTIFICATE_RUN, m->run_json, m->run_octets) &&
	       add_captures(m) && add_pages(m) && add_suite(m) &&
	       check_captures(m) && add_report(m) &&
	       bundle_sign(m->bundle, report_option(m->call, "key"),
			   report_option(m->call, "cert"), m->why, WHY);
}

static void release(struct making *m)
{
	certificate_drop_pages(m->pages);
	bundle_free(m->bundle);
	report_unload(m->run);
	due_free(&m->due);
	free(m->run_json);
	free(m->statement);
	free(m->catalogue);
	captures_free(&m->captures);
}

/* What would not verify is sealed on demand alone, and never in silence. */
static int concludes(const struct making *m, const char *path, bool forced)
{
	size_t n = m->objections.count;

	if (!n)
		return 0;
	fprintf(stderr,
		"warpspec: %s: %s: %zu objection%s, as 'warpspec report "
		"verify' would have%s\n",
		path, forced ? "written, but it will not verify" : "not sealed",
		n, n == 1 ? "" : "s",
		forced ? "" : "; --force writes it anyway");
	return EXIT_FAILED;
}

static int write_bundle(const void *what, const struct report_options *options,
			FILE *out)
{
	(void)options;
	return bundle_write(what, out);
}

static int perform(const struct report_call *call)
{
	static const char *const due[] = {"key", "cert", "output"};
	const char *path = report_option(call, "output");
	bool forced = report_option(call, "force");
	static struct making m;

	for (size_t i = 0; i < sizeof(due) / sizeof(due[0]); i++)
		if (!report_option(call, due[i])) {
			snprintf(m.why, WHY,
				 "report bundle: --%s is missing; 'warpspec "
				 "report bundle --help' says what it is",
				 due[i]);
			return complain(EXIT_USAGE, m.why);
		}
	const char *until = report_option(call, "valid-until");

	if (until && !certificate_is_day(until, NULL)) {
		snprintf(m.why, WHY,
			 "report bundle: --valid-until %.100s: expected a day, "
			 "such as 2028-01-31",
			 until);
		return complain(EXIT_USAGE, m.why);
	}
	m.call = call;
	m.objections.out = stderr;
	m.bundle = bundle_new();
	if (!m.bundle)
		return complain(EXIT_SUITE, "out of memory");
	const struct report_content content = {write_bundle, m.bundle, false};
	int status = 0;

	if (report_check_path(path, m.why, WHY) < 0 || !fill(&m))
		status = complain(EXIT_USAGE, m.why);
	else if (text_lost()) /* nothing with a hole is signed */
		status = complain(EXIT_SUITE, "out of memory");
	else if (m.objections.count && !forced)
		status = concludes(&m, path, forced);
	else if (report_publish_content(&content, path, m.why, WHY) < 0)
		status = complain(EXIT_SUITE, m.why);
	else
		status = concludes(&m, path, forced);
	release(&m);
	return status;
}

static const struct report_option options[] = {
	{"ics", '\0', "FILE",
	 "the conformance statement, which determines the required cases "
	 "(default: the claims of the device's agent)"},
	{"key", '\0', "FILE", "the signer's private key, in PEM"},
	{"cert", '\0', "FILE",
	 "the signer's certificate and any intermediate certificates, in PEM"},
	{"captures", '\0', "DIR",
	 "add the captures of the run from this folder"},
	{"html", '\0', NULL, "add the run as pages for a browser"},
	{"valid-until", '\0', "DAY",
	 "the last day on which the certificate is valid, as 2028-01-31 "
	 "(default: "
	 "two years from the test)"},
	{"force", '\0', NULL,
	 "write the archive even if it would not verify; exit status 1"},
	{"output", 'o', "FILE", "where to write the bundle"},
	{0},
};

const struct report_subcommand report_bundle = {
	.name = "bundle",
	.usage = "RUN.json --key FILE --cert FILE -o FILE [--ics FILE] "
		 "[--captures DIR] [--html] [--valid-until DAY] [--force]",
	.text = "Write a signed archive of a run: its statement, its results "
		"and a test report. 'warpspec report verify' checks it. A run "
		"that would not verify is refused.",
	.exit = "Exit: 0 written; 1 the run would not verify; 2 usage, or a "
		"file that cannot be read; 4 the archive cannot be written.",
	.options = options,
	.files_least = 1,
	.files_most = 1,
	.perform = perform,
};

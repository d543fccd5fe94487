/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/report/report_certificate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "harness/text/digest.h"
#include "harness/text/json_memory.h"
#include "harness/text/memstream.h"

#define FORM 1 /* of a bundle */

bool certificate_is_day(const char *s, time_t *t)
{
	struct tm tm = {0};
	const char *end = strptime(s, "%Y-%m-%d", &tm);

	if (t)
		*t = timegm(&tm);
	return strlen(s) == 10 && end && !*end;
}

char *certificate_suite_json(const struct certificate_suite *s)
{
	json_t *o = json_pack(
		"{s:i,s:s,s:s,s:s,s:s,s:s,s:I,s:I,s:I}", "bundle", FORM, "name",
		s->name, "version", s->version, "build", s->build, "catalogue",
		s->catalogue, "kill_matrix", s->kill_matrix, "requirements",
		(json_int_t)s->requirements, "mutants", (json_int_t)s->mutants,
		"captures", (json_int_t)s->captures);
	bool ok = o && (!*s->valid_until ||
			json_object_set_new(o, "valid_until",
					    json_string(s->valid_until)) == 0);
	char *text = ok ? json_dumps(o, JSON_INDENT(2)) : NULL;

	json_decref(o);
	return text;
}

/* A line of printable ASCII, of hexadecimal digits only if `hex`. */
static bool text(const json_t *o, const char *key, bool hex, char *to,
		 size_t cap)
{
	const char *s = json_string_value(json_object_get(o, key));

	if (!s || strlen(s) >= cap || (hex && s[strspn(s, "0123456789abcdef")]))
		return false;
	for (const char *c = s; *c; c++)
		if (*c < 0x20 || *c > 0x7e)
			return false;
	strcpy(to, s);
	return true;
}

static bool number(const json_t *o, const char *key, size_t *to)
{
	const json_t *v = json_object_get(o, key);

	*to = (size_t)json_integer_value(v);
	return json_is_integer(v) && json_integer_value(v) >= 0 &&
	       *to <= 1000000;
}

bool certificate_suite_parse(struct certificate_suite *s, const char *json,
			     size_t n, char *why, size_t cap)
{
	json_t *o = json_memory_load(json, n, JSON_REJECT_DUPLICATES, NULL);
	bool is_short = !o && errno == ENOMEM;

	*s = (struct certificate_suite){.requirements = 0};
	bool form = json_integer_value(json_object_get(o, "bundle")) == FORM;
	bool ends = json_object_get(o, "valid_until");
	bool ok = form && json_object_size(o) == (ends ? 10 : 9) &&
		  text(o, "name", false, s->name, sizeof(s->name)) &&
		  text(o, "version", false, s->version, sizeof(s->version)) &&
		  text(o, "build", true, s->build, sizeof(s->build)) &&
		  text(o, "catalogue", true, s->catalogue,
		       sizeof(s->catalogue)) &&
		  text(o, "kill_matrix", true, s->kill_matrix,
		       sizeof(s->kill_matrix)) &&
		  number(o, "requirements", &s->requirements) &&
		  number(o, "mutants", &s->mutants) &&
		  number(o, "captures", &s->captures) &&
		  (!ends || (text(o, "valid_until", false, s->valid_until,
				  sizeof(s->valid_until)) &&
			     certificate_is_day(s->valid_until, NULL)));

	if (!ok)
		snprintf(why, cap, CERTIFICATE_SUITE ": %s",
			 is_short ? "out of memory"
			 : form   ? "not as 'warpspec report bundle' writes it"
				  : "not a bundle of form 1");
	json_decref(o);
	return ok;
}

bool certificate_capture(const struct result *r, char name[BUNDLE_NAME])
{
	const char *slash = strrchr(r->capture, '/');
	const char *dot = strrchr(slash ? slash : r->capture, '.');

	return snprintf(name, BUNDLE_NAME, CERTIFICATE_CAPTURES "%s%s", r->id,
			dot ? dot : "") < BUNDLE_NAME;
}

char *certificate_catalogue(size_t *n)
{
	struct memstream m;
	FILE *out = memstream_open(&m);
	bool ok = out && due_write(out);
	char *text_of_it = memstream_finish(&m, n);

	if (ok)
		return text_of_it;
	free(text_of_it);
	return NULL;
}

bool certificate_number(const struct certificate_suite *s,
			const struct ics *statement, const char *run_sha256,
			char number[CERTIFICATE_NUMBER])
{
	char of[512], sum[DIGEST_HEX];

	snprintf(of, sizeof(of), "%s\n%s\n%s %s %s\n%s\n", run_sha256,
		 statement->sha256, s->name, s->version, s->build,
		 s->valid_until);
	*number = '\0';
	if (!digest_sha256(of, strlen(of), sum))
		return false;
	snprintf(number, CERTIFICATE_NUMBER, "%.16s", sum);
	return true;
}

char *certificate_report(const struct campaign *c, const struct ics *s,
			 const struct run_result *run,
			 const struct certificate_suite *suite,
			 const char *run_sha256, size_t *n)
{
	char name[80], numbered[CERTIFICATE_NUMBER];
	struct memstream m;

	if (!certificate_number(suite, s, run_sha256, numbered))
		return NULL;
	const struct campaign_report about = {
		.suite = name,
		.build = suite->build,
		.catalogue = suite->catalogue,
		.kill_matrix = suite->kill_matrix,
		.requirements = suite->requirements,
		.mutants = suite->mutants,
		.captures = suite->captures,
		.number = numbered,
		.log = run_sha256,
	};
	FILE *out = memstream_open(&m);

	snprintf(name, sizeof(name), "%s %s", suite->name, suite->version);
	bool ok = out && campaign_write(c, s, run, &about, out);
	char *report = memstream_finish(&m, n);

	if (ok)
		return report;
	free(report);
	return NULL;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The protocol conformance test report, as text, in the order that X.291 has
 * its proforma. */
#include "suite/ics/campaign.h"

#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "suite/req/req.h"

#define WIDTH    79
#define COLUMN   26
#define VERDICTS 20 /* octets before the name of a case */

/* Words from this column on; the line has `at` octets already. What may hold
 * anything has been made one line of text before. */
static void words(FILE *out, const char *text, size_t at, size_t indent)
{
	bool first = true;

	while (*text) {
		size_t n = strcspn(text, " ");

		if (!first && at + 1 + n > WIDTH) {
			fprintf(out, "\n%*s", (int)indent, "");
			at = indent;
			first = true;
		}
		at += (size_t)fprintf(out, "%s%.*s", first ? "" : " ", (int)n,
				      text);
		first = false;
		text += n + strspn(text + n, " ");
	}
	fputc('\n', out);
}

__attribute__((format(printf, 3, 4))) static void entry(FILE *out,
							const char *name,
							const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (char *c = text; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '?';
	int at = fprintf(out, "  %-*s", COLUMN - 2, name);

	words(out, *text ? text : "(not stated)", (size_t)at, COLUMN);
}

/* A paragraph. */
static void sentence(FILE *out, const char *text)
{
	fputs("  ", out);
	words(out, text, 2, 2);
}

static void section(FILE *out, const char *title)
{
	fprintf(out, "\n%s\n", title);
}

static void when(const struct timespec *t, char text[32])
{
	struct tm tm;

	if (!gmtime_r(&t->tv_sec, &tm) ||
	    strftime(text, 32, "%Y-%m-%d %H:%M:%S UTC", &tm) == 0)
		strcpy(text, "?");
}

/* Lines of a finding, or that there is none. */
static void contradictions(FILE *out, const char *lines)
{
	while (lines && *lines) {
		size_t n = strcspn(lines, "\n");

		fputs("  ", out);
		for (size_t i = 0; i < n; i++)
			fputc((unsigned char)lines[i] < 0x20 || lines[i] == 0x7f
				      ? '?'
				      : lines[i],
			      out);
		fputc('\n', out);
		lines += n + (lines[n] == '\n');
	}
}

static void identification(const struct ics *s, const struct run_result *run,
			   const struct campaign_report *about, FILE *out)
{
	char from[32], to[32];

	when(&run->started, from);
	when(&run->finished, to);
	section(out, "1. Identification summary");
	section(out, "1.1 Protocol conformance test report");
	entry(out, "Number", "%s", about->number);
	entry(out, "Date", "%s", to);
	entry(out, "Test laboratory", "%s", s->text[ICS_TEXT_LABORATORY]);
	entry(out, "Operator", "%s", s->text[ICS_TEXT_OPERATOR]);
	section(out, "1.2 Implementation under test (IUT)");
	entry(out, "Name", "%s", s->text[ICS_TEXT_NAME]);
	entry(out, "Model", "%s", s->text[ICS_TEXT_MODEL]);
	entry(out, "Serial", "%s", s->text[ICS_TEXT_SERIAL]);
	entry(out, "Firmware", "%s", s->text[ICS_TEXT_FIRMWARE]);
	entry(out, "Driver", "%s", s->text[ICS_TEXT_DRIVER]);
	entry(out, "Supplier", "%s", s->text[ICS_TEXT_MAKER]);
	entry(out, "Address", "%s", s->text[ICS_TEXT_ADDRESS]);
	entry(out, "Contact", "%s", s->text[ICS_TEXT_CONTACT]);
	entry(out, "Called by its agent", "%s", run->device_impl);
	entry(out, "Protocols", "%s", campaign_texts(s, run));
	entry(out, "ICS, with IXIT", "statement.ini, SHA-256 %s", s->sha256);
	section(out, "1.3 Testing environment");
	entry(out, "Test suite", "%s, build %s", about->suite,
	      *about->build ? about->build : "unknown");
	entry(out, "Catalogue", "%zu requirements, %s", about->requirements,
	      about->catalogue);
	entry(out, "Suite tested with", "%zu faults; kill matrix %s",
	      about->mutants,
	      *about->kill_matrix ? about->kill_matrix : "unknown");
	entry(out, "Means of testing", "link %s; agent %s", run->link,
	      run->device_agent);
	entry(out, "Host", "%s, %s, %s", run->host_name, run->host_release,
	      run->host_machine);
	entry(out, "Period of testing", "%s to %s", from, to);
	entry(out, "Conformance log", "run.json, SHA-256 %s; %zu captures",
	      about->log, about->captures);
	section(out, "1.4 Limits and reservations");
	fputs("  This report is about the one implementation named above, with "
	      "the statement\n"
	      "  and in the environment named above. That no test failed does "
	      "not prove that\n"
	      "  there is no fault. What the statement does not claim was not "
	      "tested.\n",
	      out);
}

static size_t count_of(const struct campaign *c, enum verdict v)
{
	size_t n = 0;

	for (size_t i = 0; i < c->count; i++)
		n += c->cases[i].result && c->cases[i].result->verdict == v;
	return n;
}

/* The required cases, and those that failed although they are not. */
static void dynamic_summary(const struct campaign *c, FILE *out)
{
	section(out, "4. Dynamic conformance summary");
	entry(out, "Test cases", "%zu", c->count);
	entry(out, "Selected by the ICS", "%zu", c->of[DUE_REQUIRED]);
	entry(out, "Passed", "%zu", c->ends[CAMPAIGN_PASSED]);
	entry(out, "  by a choice (INFO)", "%zu", count_of(c, VERDICT_INFO));
	entry(out, "  with a WARN", "%zu", count_of(c, VERDICT_WARN));
	entry(out, "Judged by another case", "%zu, which passed",
	      c->ends[CAMPAIGN_ALIKE]);
	entry(out, "Failed", "%zu", c->ends[CAMPAIGN_FAILED] - c->unasked);
	entry(out, "Inconclusive", "%zu", c->ends[CAMPAIGN_INCONCLUSIVE]);
	entry(out, "Not run", "%zu", c->ends[CAMPAIGN_NOT_RUN]);
	if (c->unasked)
		entry(out, "Failed, not selected", "%zu", c->unasked);
	entry(out, "Not selected",
	      "%zu: %zu need SCTP, %zu MPA or TCP, %zu "
	      "chosen TCP segments, %zu another link, %zu what is not stated",
	      c->count - c->of[DUE_REQUIRED], c->of[DUE_OF_SCTP],
	      c->of[DUE_OF_TCP], c->of[DUE_SEGMENTS], c->of[DUE_ON_LINK],
	      c->of[DUE_UNSTATED]);
}

static void summary(const struct campaign *c, const struct run_result *run,
		    FILE *out)
{
	bool fixed = !c->itself && !c->run;

	section(out, "2. IUT conformance status");
	if (campaign_is_good(c, run))
		sentence(out,
			 "No nonconformity was found by the test campaign, and "
			 "the campaign is complete.");
	else if (c->ends[CAMPAIGN_FAILED] || run->finding_count ||
		 run->stale_count || !fixed)
		sentence(out, "Nonconformities were found.");
	else
		sentence(out,
			 "No conclusion: the test campaign is not complete.");
	section(out, "3. Static conformance summary");
	sentence(out,
		 fixed ? "The ICS is consistent with the static conformance "
			 "requirements and with the run."
		       : "The ICS is not consistent; see 5.");
	dynamic_summary(c, out);
	section(out, "5. Static conformance review report");
	if (fixed)
		fputs("  No inconsistency.\n", out);
	contradictions(out, c->itself);
	contradictions(out, c->run);
}

static const char *observation(const struct campaign_case *one)
{
	const struct result *r = one->result;

	if (one->required != DUE_REQUIRED)
		return one->why;
	if (!r)
		return "";
	if (r->verdict == VERDICT_WARN)
		return "a SHOULD is not followed";
	if (r->verdict == VERDICT_XFAIL)
		return "a known deviation";
	if (r->verdict == VERDICT_INFO)
		return "a choice; see 7";
	return r->verdict == VERDICT_PASS ? "" : r->reason;
}

/* --- the cases, by layer and by topic ----------------------------------------- */

/* Octets of "mpa" in "mpa/crc/a_case", and of "mpa/crc". */
static size_t layer_of(const char *id)
{
	return strcspn(id, "/");
}

static size_t topic_of(const char *id)
{
	size_t n = layer_of(id);

	return id[n] ? n + 1 + strcspn(id + n + 1, "/") : n;
}

/* Behind the last case in a row that is of the same, by so many octets. */
static size_t group_end(const struct campaign *c, size_t first,
			size_t (*length)(const char *id))
{
	const char *id = c->cases[first].due->id;
	size_t n = length(id), i = first;

	while (i < c->count && length(c->cases[i].due->id) == n &&
	       memcmp(c->cases[i].due->id, id, n) == 0)
		i++;
	return i;
}

/* "6.2 mpa: 1217 cases, 1100 passed, 0 failed" */
static void group(const struct campaign *c, size_t from, size_t to,
		  unsigned number, FILE *out)
{
	const char *id = c->cases[from].due->id;
	size_t n[CAMPAIGN_ENDS] = {0};

	for (size_t i = from; i < to; i++)
		n[c->cases[i].end]++;
	fprintf(out, "6.%u %.*s: %zu case%s, %zu passed, %zu failed\n", number,
		(int)layer_of(id), id, to - from, to - from == 1 ? "" : "s",
		n[CAMPAIGN_PASSED] + n[CAMPAIGN_ALIKE], n[CAMPAIGN_FAILED]);
}

static void one_case(const struct campaign_case *one, FILE *out)
{
	static const char *const verdicts[CAMPAIGN_ENDS] = {
		[CAMPAIGN_PASSED] = "pass",
		[CAMPAIGN_ALIKE] = "(pass)",
		[CAMPAIGN_FAILED] = "fail",
		[CAMPAIGN_NOT_RUN] = "-",
		[CAMPAIGN_INCONCLUSIVE] = "inconc",
		[CAMPAIGN_NOT_SELECTED] = "-",
	};
	bool ran = one->end < CAMPAIGN_NOT_RUN &&
		   one->result->verdict != VERDICT_SKIP;
	size_t topic = topic_of(one->due->id);
	char text[256];

	fprintf(out, "  %-4s %-4s %-6s  %s\n",
		one->required == DUE_REQUIRED ? "yes" : "no",
		ran ? "yes" : "no", verdicts[one->end],
		one->due->id + topic + (one->due->id[topic] == '/'));
	snprintf(text, sizeof(text), "%.200s", observation(one));
	for (char *p = text; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
	if (!*text)
		return;
	fprintf(out, "%*s", VERDICTS, "");
	words(out, text, VERDICTS, VERDICTS);
}

/* A layer begins a page. */
static void campaign(const struct campaign *c, FILE *out)
{
	unsigned number = 0;

	fputc('\f', out);
	section(out, "6. Test campaign report");
	fputs("  Selected, run, verdict, and the case; below it, what was "
	      "observed.\n"
	      "  (pass): the responder's case of the same name judges it, and "
	      "passed.\n",
	      out);
	for (size_t i = 0; i < c->count;) {
		size_t end = group_end(c, i, layer_of);

		fputs(number ? "\f\n" : "\n", out);
		group(c, i, end, ++number, out);
		while (i < end) {
			size_t next = group_end(c, i, topic_of);
			const char *id = c->cases[i].due->id;

			fprintf(out, "\n  %.*s\n", (int)topic_of(id), id);
			for (; i < next; i++)
				one_case(&c->cases[i], out);
		}
	}
}

static void contents(const struct campaign *c, FILE *out)
{
	unsigned number = 0;

	section(out, "Contents");
	fputs("  1. Identification summary\n"
	      "  2. IUT conformance status\n"
	      "  3. Static conformance summary\n"
	      "  4. Dynamic conformance summary\n"
	      "  5. Static conformance review report\n"
	      "  6. Test campaign report\n",
	      out);
	for (size_t i = 0, end; i < c->count; i = end) {
		end = group_end(c, i, layer_of);
		fputs("     ", out);
		group(c, i, end, ++number, out);
	}
	fputs("  7. Observations\n", out);
}

const char *campaign_stated(const struct ics *s, const char *id)
{
	for (size_t i = 0; i < s->open_count; i++)
		if (strcmp(s->open[i].requirement, id) == 0)
			return s->open[i].text;
	return "";
}

/*
 * What a case says of one open point: the lines below the one that names it,
 * in a row. "": nothing.
 */
static void choice(const char *detail, const char *id, char *text, size_t cap)
{
	size_t n = strlen(id), at = 0;
	bool inside = false;

	for (*text = '\0'; *detail;) {
		size_t k = strcspn(detail, "\n");

		if (*detail != ' ')
			inside =
				strncmp(detail, id, n) == 0 && detail[n] == ' ';
		else if (inside && at < cap)
			at += (size_t)snprintf(text + at, cap - at, "%s%.*s",
					       at ? " " : "",
					       (int)(k - strspn(detail, " ")),
					       detail + strspn(detail, " "));
		detail += k + (detail[k] == '\n');
	}
}

size_t campaign_observed(const struct run_result *run, const char *id,
			 char text[CAMPAIGN_OBSERVED][CAMPAIGN_OBSERVATION])
{
	size_t n = 0;

	for (size_t i = 0; i < run->count && n < CAMPAIGN_OBSERVED; i++) {
		size_t same = 0;

		choice(run->results[i].detail, id, text[n], sizeof(text[0]));
		while (strcmp(text[same], text[n]) != 0)
			same++;
		n += *text[n] && same == n;
	}
	return n;
}

static void observed(const struct run_result *run, const char *id, FILE *out)
{
	char text[CAMPAIGN_OBSERVED][CAMPAIGN_OBSERVATION];
	size_t n = campaign_observed(run, id, text);

	for (size_t i = 0; i < n; i++)
		entry(out, "  observed", "%s", text[i]);
}

static void observations(const struct ics *s, const struct run_result *run,
			 FILE *out)
{
	fputc('\f', out);
	section(out, "7. Observations");
	fputs("  Requirements that the RFCs leave open: the supplier's "
	      "statement, and the observed choice.\n",
	      out);
	for (size_t i = 0; i < REQ_COUNT; i++) {
		const struct req *r = &req_table[i];

		if (r->kind != REQ_KIND_open)
			continue;
		fputc('\n', out);
		entry(out, r->id, "%s", r->requirement);
		entry(out, "  stated", "%s", campaign_stated(s, r->id));
		observed(run, r->id, out);
	}
	for (size_t i = 0; i < run->finding_count; i++) {
		fputc('\n', out);
		contradictions(out, run->findings[i]);
	}
}

bool campaign_write(const struct campaign *c, const struct ics *s,
		    const struct run_result *run,
		    const struct campaign_report *about, FILE *out)
{
	fputs("PROTOCOL CONFORMANCE TEST REPORT\n", out);
	contents(c, out);
	identification(s, run, about, out);
	summary(c, run, out);
	campaign(c, out);
	observations(s, run, out);
	return fflush(out) == 0 && !ferror(out);
}

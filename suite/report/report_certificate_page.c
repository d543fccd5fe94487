/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A certificate as people read it, two to five pages: what it says, whose
 * device it is, what was tested, what failed and why, what the device chose,
 * who signed it. And the list of those that are certified, a line each.
 */
#include <stdlib.h>
#include <string.h>

#include "reports/html/page.h"
#include "reports/ranking.h"
#include "reports/report.h"
#include "suite/report/report_verified.h"
#include "suite/req/req.h"

enum {
	FAILED_MOST = 20, /* requirements, in full */
	TEXT_MOST = 160,  /* octets of a choice */
	TOPIC = 64
};

static const char style[] =
	"<style>@page{size:A4;margin:12mm}main{max-width:60rem}"
	"h1{margin-top:0}.groups{columns:2;column-gap:2rem}"
	".groups table{width:100%;margin-bottom:.6rem}"
	"table{font-size:.8rem}td,th{padding:.12rem .6rem .12rem 0}"
	"td{overflow-wrap:anywhere}.all{width:100%}.all pre{margin:0}"
	".all th[scope=row],.short,.groups :is(th,td)"
	"{white-space:nowrap;overflow-wrap:normal}"
	".groups :is(td,th):not(:last-child){padding-right:.4rem}"
	".seal{border:3px double var(--fg);padding:.4rem 1rem}"
	"@media(max-width:40rem){.groups{columns:1}"
	".all,.all tbody,.all tr,.all td,.all th{display:block;border:0;"
	"text-align:left!important}"
	".all td[data-of]::before{content:attr(data-of) ': ';"
	"color:var(--dim)}.all th[scope=row]{white-space:normal}"
	".all thead{display:none}.all tr{border-top:1px solid var(--line)}}"
	"@media print{body{font-size:9pt;line-height:1.3}dl{margin:.3rem 0;"
	"gap:.05rem 1rem}h1{font-size:15pt}h2{font-size:11pt;"
	"margin:.7rem 0 .2rem;padding-top:.2rem}table{font-size:7.5pt}"
	"td,th{padding:.03rem .5rem .03rem 0}footer{display:none}}</style>\n";

static void put_term(FILE *out, const char *term, const char *text)
{
	page_put(out, "<dt>%m<dd>%s", term, *text ? text : "not stated");
}

static void begin(const char *title, FILE *out)
{
	const struct page page = {
		.kind = "certificate", .title = title, .suite = "warpspec"};

	page_begin(&page, out);
	fputs(style, out);
}

static void end(FILE *out)
{
	const struct page page = {.suite = "warpspec " WARPSPEC_VERSION};

	page_end(&page, out);
}

static void day(const struct timespec *t, char text[REPORT_TIME_SIZE])
{
	report_time(text, t);
	text[strcspn(text, "T")] = '\0';
}

static const char *title_of(const struct verified *v)
{
	return !v->good      ? "Test report: not conformant"
	       : v->specimen ? "Specimen of a certificate: the suite's own "
			       "reference device"
			     : "Certificate of conformance";
}

static void put_verdict(const struct verified *v, FILE *out)
{
	const struct campaign *c = v->campaign;
	size_t due = c->of[DUE_REQUIRED];

	if (v->good) {
		page_put(out,
			 "The statement of this device requires <strong>%z"
			 "</strong> cases: %z were run and none failed",
			 due, c->ends[CAMPAIGN_PASSED]);
		if (c->ends[CAMPAIGN_ALIKE])
			page_put(out,
				 "; %z as initiator are judged in the "
				 "responder's case of the same name",
				 c->ends[CAMPAIGN_ALIKE]);
		fputs(".", out);
		return;
	}
	page_put(out,
		 "Of %z cases that the statement of this device requires, "
		 "<strong>%z failed</strong>, %z could not be judged, and %z "
		 "were not run.",
		 due, c->ends[CAMPAIGN_FAILED] - c->unasked,
		 c->ends[CAMPAIGN_INCONCLUSIVE], c->ends[CAMPAIGN_NOT_RUN]);
	if (v->run->totals[VERDICT_BLOCKED])
		page_put(out,
			 " %z of them depend on cases that failed, and were "
			 "not run for that reason.",
			 v->run->totals[VERDICT_BLOCKED]);
	if (c->unasked)
		page_put(out,
			 " <strong>%z more failed</strong>, although the "
			 "statement does not require them.",
			 c->unasked);
}

/* What the reader may take for tested, and was not. */
static void put_untested(const struct verified *v, FILE *out)
{
	static const struct {
		enum due of;
		const char *what;
	} kinds[] = {{DUE_OF_SCTP, "DDP over SCTP"},
		     {DUE_OF_TCP, "MPA over TCP"},
		     {DUE_SEGMENTS, "TCP segments that the suite chooses"},
		     {DUE_ON_LINK, "what this link cannot carry"}};
	const char *join = " Not tested over link %s: ";

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t n = v->campaign->of[kinds[i].of];

		if (!n)
			continue;
		page_put(out, join, v->run->link);
		page_put(out, "%m (%z case%m)", kinds[i].what, n,
			 n == 1 ? "" : "s");
		join = ", ";
	}
	if (*join == ',')
		fputs(".", out);
}

static void put_head(const struct verified *v, FILE *out)
{
	char on[REPORT_TIME_SIZE];

	page_put(out, "<h1>%m</h1>\n<div class=seal><p>Number <strong>",
		 title_of(v));
	page_text(out, v->number);
	day(&v->run->finished, on);
	page_put(out, "</strong>; tested on %s%m%s.</p>\n<p>", on,
		 !v->good                 ? ""
		 : *v->suite->valid_until ? "; valid until "
					  : "; without an end of its validity",
		 v->good ? v->suite->valid_until : "");
	put_verdict(v, out);
	put_untested(v, out);
	fputs("</p>\n", out);
	for (size_t i = 0; v->warnings[i]; i++)
		page_put(out, "<p><strong>Warning:</strong> %s.</p>\n",
			 v->warnings[i]);
	fputs("</div>\n", out);
}

static void put_device(const struct verified *v, FILE *out)
{
	const struct ics *s = v->ics;

	fputs("<h2>The device</h2>\n<dl>", out);
	put_term(out, "Maker", s->text[ICS_TEXT_MAKER]);
	put_term(out, "Name", s->text[ICS_TEXT_NAME]);
	put_term(out, "Model", s->text[ICS_TEXT_MODEL]);
	put_term(out, "Serial", s->text[ICS_TEXT_SERIAL]);
	put_term(out, "Firmware", s->text[ICS_TEXT_FIRMWARE]);
	put_term(out, "Driver", s->text[ICS_TEXT_DRIVER]);
	put_term(out, "Called by its agent", v->run->device_impl);
	put_term(out, "Answers for the statement", s->text[ICS_TEXT_CONTACT]);
	fputs("<dt>Claims<dd>", out);
	for (size_t i = 0; i < v->run->claim_count; i++)
		page_put(out, "%m%s%m%s", i ? ", " : "", v->run->claims[i].name,
			 *v->run->claims[i].value ? " " : "",
			 v->run->claims[i].value);
	fputs("</dl>\n<h2>The test</h2>\n<dl>", out);
	put_term(out, "Laboratory", s->text[ICS_TEXT_LABORATORY]);
	put_term(out, "Operator", s->text[ICS_TEXT_OPERATOR]);
	put_term(out, "Link", v->run->link);
	put_term(out, "Texts", campaign_texts(s, v->run));
	page_put(out, "<dt>Suite<dd>%s %s, build %s; %z requirements</dl>\n",
		 v->suite->name, v->suite->version,
		 *v->suite->build ? v->suite->build : "unknown",
		 v->suite->requirements);
}

/* --- groups ------------------------------------------------------------------ */

/* Cases of one topic, "mpa/crc", which stand in a row. */
static size_t topic_end(const struct campaign *c, size_t first)
{
	const char *id = c->cases[first].due->id;
	size_t n = report_file_length(id), i = first;

	while (i < c->count && report_file_length(c->cases[i].due->id) == n &&
	       memcmp(c->cases[i].due->id, id, n) == 0)
		i++;
	return i;
}

static size_t layer_of(const char *id)
{
	return strcspn(id, "/");
}

struct counted {
	size_t ends[CAMPAIGN_ENDS], info;
};

static void count(struct counted *n, const struct campaign_case *one)
{
	n->ends[one->end]++;
	n->info += one->end == CAMPAIGN_PASSED &&
		   one->result->verdict == VERDICT_INFO;
}

static void put_counted(const char *name, const struct counted *n, FILE *out)
{
	page_put(out,
		 "<tr><th scope=row>%s<td class=n>%z<td class=n>%z<td "
		 "class=n>%z<td class=n>%z<td class=n>%z\n",
		 name, n->ends[CAMPAIGN_PASSED] - n->info, n->info,
		 n->ends[CAMPAIGN_FAILED],
		 n->ends[CAMPAIGN_INCONCLUSIVE] + n->ends[CAMPAIGN_NOT_RUN],
		 n->ends[CAMPAIGN_NOT_SELECTED] + n->ends[CAMPAIGN_ALIKE]);
}

static void put_topic(const struct campaign *c, size_t from, size_t to,
		      FILE *out)
{
	size_t layer = layer_of(c->cases[from].due->id);
	struct counted n = {.info = 0};
	char name[TOPIC];

	for (size_t i = from; i < to; i++)
		count(&n, &c->cases[i]);
	snprintf(name, sizeof(name), "%.*s",
		 (int)(report_file_length(c->cases[from].due->id) - layer - 1),
		 c->cases[from].due->id + layer + 1);
	put_counted(name, &n, out);
}

/* All cases of a layer; NULL: of all of them. */
static void put_total(const struct campaign *c, const char *layer, FILE *out)
{
	size_t length = layer ? layer_of(layer) : 0;
	struct counted n = {.info = 0};

	for (size_t i = 0; i < c->count; i++)
		if (!layer || (layer_of(c->cases[i].due->id) == length &&
			       memcmp(c->cases[i].due->id, layer, length) == 0))
			count(&n, &c->cases[i]);
	put_counted("all", &n, out);
}

static void put_groups_head(const char *name, FILE *out)
{
	page_put(out,
		 "<table><thead><tr><th scope=col>%s<th scope=col class=n>"
		 "passed<th scope=col class=n>chose<th scope=col class=n>failed"
		 "<th scope=col class=n>open<th scope=col class=n>not due"
		 "<tbody>\n",
		 name);
}

static void put_groups(const struct verified *v, FILE *out)
{
	const struct campaign *c = v->campaign;
	const char *before = "";

	fputs("<h2>What was tested</h2>\n<div class=groups>", out);
	for (size_t i = 0; i < c->count;) {
		const char *id = c->cases[i].due->id;
		size_t layer = layer_of(id), to = topic_end(c, i);

		if (strncmp(before, id, layer + 1) != 0) {
			char name[TOPIC];

			snprintf(name, sizeof(name), "%.*s", (int)layer, id);
			fputs(*before ? "</table>" : "", out);
			put_groups_head(name, out);
			put_total(c, id, out);
		}
		before = id;
		put_topic(c, i, to, out);
		i = to;
	}
	fputs(*before ? "</table>" : "", out);
	put_groups_head("Everything", out);
	put_total(c, NULL, out);
	fputs("</table></div>\n<p class=dim>The groups are the files of the "
	      "suite's cases. Chose: the RFCs leave it open, and the case "
	      "observed what the device chose. Open: not judged, or not run. "
	      "Not due: the statement does not claim what the case needs, the "
	      "link cannot carry it, or the responder's case judges it."
	      "</p>\n",
	      out);
}

/* --- what failed ------------------------------------------------------------- */

static void put_broken(const struct verified *v, FILE *out)
{
	size_t n = 0;
	struct ranked *of = report_ranking(v->run, &n);

	fputs("<h2>What was not met</h2>\n", out);
	if (!of || !n)
		fputs("<p>Nothing: no MUST is broken, and each SHOULD that was "
		      "judged is followed.</p>\n",
		      out);
	else
		fputs("<table class=all><thead><tr><th scope=col>Requirement"
		      "<th scope=col class=n>Cases<th scope=col>What has to "
		      "hold<th scope=col>Due and seen<tbody>\n",
		      out);
	for (size_t i = 0; of && i < n && i < FAILED_MOST; i++) {
		const struct result_broken *b = of[i].example;

		page_put(out, "<tr><th scope=row>%s %s<br><small>",
			 b->requirement, b->level);
		page_section(out, b->section);
		page_put(out, "</small><td class=n>%z<td>%s<td>", of[i].cases,
			 b->statement);
		page_lines(out, b->text);
	}
	if (of && n)
		fputs("</table>\n", out);
	if (n > FAILED_MOST)
		page_put(out, "<p>And %z more, in pctr.txt.</p>\n",
			 n - FAILED_MOST);
	free(of);
}

/* --- choices ----------------------------------------------------------------- */

static void put_short(FILE *out, const char *text)
{
	char part[TEXT_MOST + 4];
	size_t n = strlen(text);

	if (n > TEXT_MOST) {
		n = TEXT_MOST;
		while (n && text[n] != ' ')
			n--;
	}
	snprintf(part, sizeof(part), "%.*s%s", (int)n, text,
		 text[n] ? "..." : "");
	page_text(out, part);
}

static void put_choice(const struct verified *v, const struct req *r, FILE *out)
{
	static char seen[CAMPAIGN_OBSERVED][CAMPAIGN_OBSERVATION];
	const char *said = campaign_stated(v->ics, r->id);
	size_t n = campaign_observed(v->run, r->id, seen);

	if (!*said && !n)
		return;
	page_put(out, "<tr><th scope=row>%s<td>", r->id);
	put_short(out, r->requirement);
	fputs("<td>", out);
	if (*said) {
		fputs("stated: ", out);
		put_short(out, said);
		fputs(n ? "; seen: " : "", out);
	}
	if (n)
		put_short(out, seen[0]);
	if (n > 1)
		page_put(out, " (and %z more)", n - 1);
	fputc('\n', out);
}

static void put_choices(const struct verified *v, FILE *out)
{
	fputs("<h2>What the device chose where it may</h2>\n<table class=all>"
	      "<thead><tr><th scope=col>Left open by<th scope=col>What<th "
	      "scope=col>What was seen<tbody>\n",
	      out);
	for (size_t i = 0; i < REQ_COUNT; i++)
		if (req_table[i].kind == REQ_KIND_open)
			put_choice(v, &req_table[i], out);
	fputs("</table>\n", out);
}

static void put_signature(const struct verified *v, FILE *out)
{
	page_put(out,
		 "<h2>Signature</h2>\n<p>This page is made of a bundle that "
		 "<strong>%s</strong> has signed. Its results (SHA-256 "
		 "<code>%s</code>) and its statement (SHA-256 <code>%s</code>) "
		 "are in it. ",
		 v->signer, v->log, v->ics->sha256);
	if (v->captures->count)
		page_put(out,
			 "So are %z captures; the verdicts were derived again "
			 "from %z of them, as far as the wire shows them.",
			 v->captures->count, v->captures->judged);
	else
		fputs("It has no captures, from which the verdicts could be "
		      "derived again.",
		      out);
	fputs(" To check it:</p>\n"
	      "<pre>warpspec report verify BUNDLE --ca AUTHORITY.pem</pre>\n"
	      "<p class=dim>This is about the one device named above, with "
	      "its statement. That no case failed does not prove that there "
	      "is no fault; what the statement does not claim was not "
	      "tested.</p>\n",
	      out);
}

void certificate_page(const struct verified *v, FILE *out)
{
	begin(title_of(v), out);
	put_head(v, out);
	put_device(v, out);
	put_broken(v, out);
	put_groups(v, out);
	put_choices(v, out);
	put_signature(v, out);
	end(out);
}

/* --- the list ---------------------------------------------------------------- */

void certified_begin(FILE *out)
{
	begin("Certified devices", out);
	fputs("<style>@page{size:A4 landscape}main{max-width:76rem}</style>"
	      "<h1>Certified devices</h1>\n<table class=all><thead><tr><th "
	      "scope=col>Device<th scope=col>Firmware<th scope=col>Tested<th "
	      "scope=col>Valid until<th scope=col>Link<th scope=col>Suite<th "
	      "scope=col>Signed by<th scope=col>Number<tbody>\n",
	      out);
}

void certified_row(const struct verified *v, FILE *out)
{
	const struct ics *s = v->ics;
	char on[REPORT_TIME_SIZE];

	day(&v->run->finished, on);
	page_put(out,
		 "<tr><th scope=row>%s %s %s%m%s<td data-of=Firmware>%s<td "
		 "class=short data-of=Tested>%s<td class=short "
		 "data-of=\"Valid until\">%s<td class=short data-of=Link>%s"
		 "<td data-of=Suite>%s %s<td data-of=\"Signed by\">%s<td "
		 "class=short data-of=Number><code>",
		 s->text[ICS_TEXT_MAKER], s->text[ICS_TEXT_NAME],
		 s->text[ICS_TEXT_MODEL],
		 *s->text[ICS_TEXT_SERIAL] ? ", serial " : "",
		 s->text[ICS_TEXT_SERIAL], s->text[ICS_TEXT_FIRMWARE], on,
		 *v->suite->valid_until ? v->suite->valid_until : "no end",
		 v->run->link, v->suite->name, v->suite->version, v->signer);
	page_text(out, v->number);
	fputs("</code>\n", out);
}

void certified_end(size_t n, FILE *out)
{
	page_put(out,
		 "</table>\n<p class=dim>%z certificate%m, each verified "
		 "when this list was made.</p>\n",
		 n, n == 1 ? "" : "s");
	end(out);
}

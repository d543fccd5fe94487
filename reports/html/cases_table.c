/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Thousands of rows, with few octets each. Verdicts are shown and hidden by
 * style rules, without a script; the filter by words needs a script, and its
 * field is shown only if scripts run. Where the page is narrow each file is
 * folded, without a script: it shows the cases that a reader has to look at, and
 * all of them once its box is checked, or while the filter has words. A table of
 * many cases is closed, below a short one of those that a reader has to look at.
 */
#include <string.h>

#include "reports/html/page.h"
#include "reports/html/parts.h"
#include "reports/text/plain.h"
#include "reports/report.h"

const char cases_table_script[] =
	"\"use strict\";"
	"const words=document.getElementById(\"words\"),"
	"field=words.querySelector(\"input\"),"
	"shown=document.getElementById(\"shown\"),"
	"boxes=[...document.querySelectorAll(\".filter [type=checkbox]\")],"
	"files=[...document.getElementById(\"cases\").tBodies].map(body=>"
	"({body,rows:[...body.rows].slice(1).map(row=>({row,text:null}))}));"
	"const textOf=(file,r)=>r.text||(r.text=(file.body.dataset.file+\"/\"+"
	"r.row.textContent).toLowerCase());"
	"const table=document.getElementById(\"cases\");function filter(){"
	"const wanted=field.value.toLowerCase().split(/\\s+/).filter(Boolean),"
	"on=new Set(boxes.filter(b=>b.checked).map(b=>b.value));let n=0;"
	"table.classList.toggle(\"sought\",wanted.length>0);"
	"for(const file of files){let any=0;for(const r of file.rows){"
	"const ok=on.has(r.row.className)&&"
	"wanted.every(w=>textOf(file,r).includes(w));"
	"if(r.row.hidden===ok)r.row.hidden=!ok;any+=ok}"
	"file.body.hidden=!any;n+=any}"
	"shown.textContent=n+(n===1?\" case\":\" cases\")+\" shown\"}"
	"const shut=table.closest(\"details\");function unshut(){"
	"if(shut&&location.hash===\"#all-cases\")shut.open=true}"
	"addEventListener(\"hashchange\",unshut);unshut();"
	"words.hidden=false;let due;"
	"field.addEventListener(\"input\",()=>{clearTimeout(due);"
	"due=setTimeout(filter,80)});"
	"for(const b of boxes)b.addEventListener(\"change\",filter);"
	"if(field.value||boxes.some(b=>!b.checked))filter();";

/* A page with more cases than this is too long for anybody who does not search
 * for one of them. */
enum { OPEN_UP_TO = 300 };

static void put_filter(const struct run_result *run, FILE *out)
{
	fputs("<style>", out);
	for (int v = 0; v < VERDICT_COUNT; v++)
		page_put(out,
			 "body:has(#show-%m:not(:checked)) "
			 "#cases tr.%m{display:none}",
			 page_class(v), page_class(v));
	fputs("</style>\n<fieldset class=filter><legend>Show</legend><p>", out);
	for (int v = 0; v < VERDICT_COUNT; v++)
		if (run->totals[v])
			page_put(out,
				 "<label><input type=checkbox id=show-%m "
				 "value=%m checked> %m <span class=dim>%z"
				 "</span></label> ",
				 page_class(v), page_class(v),
				 v == VERDICT_BLOCKED ? "BLOCKED"
						      : plain_looks[v].word,
				 run->totals[v]);
	fputs("</p>\n<p id=words hidden><label>With the words <input "
	      "type=search placeholder=\"mpa/crc MPA-4.4\"></label> "
	      "<output id=shown></output></p></fieldset>\n",
	      out);
}

static void put_row(const struct site *s, size_t i, FILE *out)
{
	const struct result *r = &s->run->results[i];
	const char *said = r->verdict == VERDICT_PASS ? "" : r->reason;

	page_put(out, "<tr class=%m><th scope=row><a href=\"cases/%m\">",
		 page_class(r->verdict), s->case_page[i]);
	page_id(out, report_case_name(r->id));
	page_put(out, "</a><td>%s%m%s%m<td>", r->title,
		 *said ? "<br><small class=dim>" : "", said,
		 *said ? "</small>" : "");
	page_verdict(out, r->verdict);
	fputs("<td>", out);
	for (size_t k = 0; k < r->requirement_count; k++) {
		fputs(k ? ", " : "", out);
		site_link_requirement(s, "", r->requirements[k], out);
	}
	fputc('\n', out);
}

static void put_files(const struct site *s, FILE *out)
{
	const struct run_result *run = s->run;

	put_filter(run, out);
	fputs("<table id=cases><thead><tr><th scope=col>Case<th scope=col>"
	      "Subject<th scope=col>Verdict<th scope=col>Judges\n",
	      out);
	for (size_t i = 0; i < run->count;) {
		size_t end = report_file_end(run, i);
		char file[256];

		snprintf(file, sizeof(file), "%.*s",
			 (int)report_file_length(run->results[i].id),
			 run->results[i].id);
		page_put(out,
			 "<tbody data-file=\"%s\"><tr><th scope=rowgroup "
			 "colspan=4>%s <small class=dim>",
			 file, *file ? file : "elsewhere");
		page_count(out, end - i, "case");
		page_put(out, "</small> " FOLD("all cases of %s") "\n",
			 *file ? file : "elsewhere");
		for (; i < end; i++)
			put_row(s, i, out);
	}
	fputs("</table>\n", out);
}

static bool needs_a_look(const struct result *r)
{
	return !r->not_run &&
	       (r->verdict == VERDICT_FAIL || r->verdict == VERDICT_WARN ||
		r->verdict == VERDICT_XFAIL || r->verdict == VERDICT_ERROR);
}

/* What stays in sight while the table of all cases is closed. */
static void put_failed(const struct site *s, FILE *out)
{
	bool any = false;

	for (size_t i = 0; i < s->run->count; i++) {
		const struct result *r = &s->run->results[i];

		if (!needs_a_look(r))
			continue;
		if (!any)
			fputs("<div class=wide tabindex=0 role=region "
			      "aria-label=\"Cases to look at\"><table "
			      "id=failed><caption>Cases to look at</caption>"
			      "<thead><tr><th scope=col>Verdict<th scope=col>"
			      "Case<th scope=col>Broken<tbody>\n",
			      out);
		any = true;
		fputs("<tr><td>", out);
		page_verdict(out, r->verdict);
		fputs("<th scope=row>", out);
		site_link_case(s, "", i, out);
		page_put(out, "<td>%s\n",
			 r->signature && *r->signature ? r->signature
						       : r->reason);
	}
	if (any)
		fputs("</table></div>\n", out);
}

void cases_table_put(const struct site *s, FILE *out)
{
	const struct run_result *run = s->run;
	bool shut = run->count > OPEN_UP_TO;

	fputs("<h2 id=all-cases>All cases</h2>\n", out);
	if (!run->count) {
		fputs("<p>None ran.</p>\n", out);
		return;
	}
	if (shut) {
		put_failed(s, out);
		fputs("<details id=every><summary>Show all ", out);
		page_count(out, run->count, "case");
		fputs(", with a filter</summary>\n", out);
	}
	put_files(s, out);
	if (shut)
		fputs("</details>\n", out);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/catalogue/catalogue.h"

#include <errno.h>
#include <string.h>

#include <jansson.h>

#include "harness/agent/client.h"
#include "harness/text/json_memory.h"
#include "suite/reading/reading.h"

enum {
	VARIANTS = 0
#define VARIANT(name, matter, reqs, text) +1
#include "refdut/variants.def"
#undef VARIANT
};

size_t catalogue_mutants(void)
{
	return catalogue_background()->fault_count;
}

size_t catalogue_variants(void)
{
	return VARIANTS;
}

static json_t *feature_names(uint64_t mask)
{
	json_t *a = json_array();

	for (unsigned i = 0; i < AGENT_FEATURES; i++)
		if (mask >> i & 1)
			json_array_append_new(
				a, json_string(agent_feature_name(i)));
	return a;
}

/* False, with errno ENOMEM, also if memory was not sufficient for a part of it
 * since json_memory_failures() had this value. */
static bool dump(json_t *o, unsigned long failures, FILE *out)
{
	bool whole = json_memory_failures() == failures;

	if (!whole)
		errno = ENOMEM;

	bool ok = o && whole && json_dumpf(o, out, JSON_INDENT(1)) == 0 &&
		  fputc('\n', out) != EOF;

	json_decref(o);
	return ok;
}

/* --- readings ----------------------------------------------------------- */

bool catalogue_readings(FILE *out)
{
	size_t n;
	const struct reading *r = reading_table(&n);

	for (size_t i = 0; i < n; i++)
		fprintf(out, "%-44s %-16s %s\n", r[i].name,
			reading_group(r[i].group)->section, r[i].note);
	return !ferror(out);
}

/* --- by link, by verdict --------------------------------------------------- */

void catalogue_on_link(bool *selected, const char *link)
{
	const struct registry *r = registry();
	bool sctp = strcmp(link, "sctp") == 0, raw = strcmp(link, "raw") == 0;

	for (size_t i = 0; i < r->count; i++) {
		const struct instance *in = &r->instances[i];

		selected[i] &= !(in->needs & (sctp ? NEED_MPA : NEED_SCTP)) &&
			       (raw || !in->desc->segments);
	}
}

/* NULL: it did not run. */
static const char *verdict_in(const struct run_result *run,
			      const struct instance *in)
{
	const struct result *r = run ? result_find(run, in->id) : NULL;

	return r ? verdict_name(r->verdict) : NULL;
}

static bool is_one_of(const char *words, const char *word)
{
	size_t n = strlen(word);

	for (; *words; words += strcspn(words, ","), words += *words == ',')
		if (strcspn(words, ",") == n && strncmp(words, word, n) == 0)
			return true;
	return false;
}

static bool are_verdicts(const char *words, char *why, size_t cap)
{
	for (; *words; words += strcspn(words, ","), words += *words == ',') {
		size_t n = strcspn(words, ",");
		int v = 0;

		while (v < VERDICT_COUNT &&
		       (strlen(verdict_name((enum verdict)v)) != n ||
			strncmp(words, verdict_name((enum verdict)v), n) != 0))
			v++;
		if (v < VERDICT_COUNT)
			continue;
		snprintf(why, cap,
			 "--verdict %.*s: expected pass, fail, warn, info, "
			 "skip, xfail, error or blocked",
			 (int)(n < 60 ? n : 60), words);
		return false;
	}
	return true;
}

bool catalogue_with_verdict(bool *selected, const struct run_result *run,
			    const char *verdicts, char *why, size_t cap)
{
	const struct registry *r = registry();
	bool any = false;

	if (!are_verdicts(verdicts, why, cap))
		return false;
	for (size_t i = 0; i < r->count; i++) {
		const char *v = verdict_in(run, &r->instances[i]);

		selected[i] &= v && is_one_of(verdicts, v);
		any |= selected[i];
	}
	if (!any)
		snprintf(why, cap, "--verdict %.60s: no such case in that run",
			 verdicts);
	return any;
}

/* --- list ---------------------------------------------------------------- */

static json_t *as_json(const struct instance *in, const char *verdict)
{
	const struct background_case *c =
		background_case_of(catalogue_background(), in->id);
	json_t *reqs = json_array();

	for (size_t i = 0; i < in->req_count; i++)
		json_array_append_new(reqs,
				      json_string(req_table[in->reqs[i]].id));
	return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:b, s:s*, s:s*, "
			 "s:s, s:s}",
			 "id", in->id, "title", in->title, "level", in->level,
			 "role", instance_role(in), "requirements", reqs,
			 "needs", feature_names(in->needs), "lacks",
			 feature_names(in->desc->lacks), "destructive",
			 in->desc->destructive, "founds",
			 in->desc->founds ? foundation_text(in->desc->founds)
					  : NULL,
			 "verdict", verdict, "procedure", c->procedure,
			 "discussion", c->discussion);
}

/* Words, in as many lines as they need. */
static void put_words(const char *text, size_t indent, size_t columns,
		      FILE *out)
{
	size_t column = 0;

	while (*text) {
		size_t n = strcspn(text, " ");

		if (!column || column + 1 + n > columns) {
			fprintf(out, "%s%*s", column ? "\n" : "", (int)indent,
				"");
			column = indent;
		} else {
			fputc(' ', out);
			column++;
		}
		fwrite(text, 1, n, out);
		column += n;
		text += n + strspn(text + n, " ");
	}
	fputc('\n', out);
}

static void list_line(const struct instance *in, const char *verdict,
		      unsigned columns, FILE *out)
{
	const char *more = in->desc->destructive ? " (destructive)" : "";
	const char *after = verdict ? ", " : "";
	char text[512];

	if (!verdict)
		verdict = "";
	if (!columns) {
		fprintf(out, "%-60s %-6s%s%-*s %s%s\n", in->id, in->level,
			*after ? " " : "", *after ? 7 : 0, verdict, in->title,
			more);
		return;
	}
	snprintf(text, sizeof(text), "%s%s%s: %s%s", in->level, after, verdict,
		 in->title, more);
	fprintf(out, "%s\n", in->id);
	put_words(text, 4, columns, out);
}

bool catalogue_list(const bool *selected, const struct run_result *run,
		    bool json, unsigned columns, FILE *out)
{
	const struct registry *r = registry();
	unsigned long failures = json_memory_failures();
	json_t *all = json ? json_array() : NULL;
	size_t n = 0;

	for (size_t i = 0; i < r->count; i++) {
		const struct instance *in = &r->instances[i];

		if (!selected[i])
			continue;
		n++;
		if (json)
			json_array_append_new(all,
					      as_json(in, verdict_in(run, in)));
		else
			list_line(in, verdict_in(run, in), columns, out);
	}
	if (json)
		return dump(all, failures, out);
	return fprintf(out, "%zu cases\n", n) > 0;
}

/* --- show ---------------------------------------------------------------- */

static void show_requirement(const struct req *r, FILE *out)
{
	const char *spec =
		strncmp(r->spec, "RFC", 3) == 0 ? r->spec + 3 : r->spec;

	fprintf(out,
		"  %s  %s%s, %s%s s%s\n      %s\n      stimulus: %s\n"
		"      expected: %s\n",
		r->id, req_level_name(r->level),
		r->kind == REQ_KIND_open
			? " (left open: observed, never failed)"
			: "",
		spec == r->spec ? "" : "RFC ", spec, r->section, r->requirement,
		r->stimulus, r->expected);
}

static bool breaks(const struct background_fault *fault,
		   const struct background_requirement *q)
{
	for (size_t i = 0; i < q->fault_count; i++)
		if (q->faults[i].name == fault->name)
			return true;
	return false;
}

static bool breaks_any(const struct background_fault *fault,
		       const struct instance *in)
{
	const struct background *all = catalogue_background();

	for (size_t i = 0; i < in->req_count; i++)
		if (breaks(fault, &all->requirements[in->reqs[i]]))
			return true;
	return false;
}

static void show_features(const char *what, uint64_t mask, FILE *out)
{
	if (!mask)
		return;
	fprintf(out, "%s", what);
	for (unsigned i = 0; i < AGENT_FEATURES; i++)
		if (mask >> i & 1)
			fprintf(out, " %s", agent_feature_name(i));
	fputc('\n', out);
}

/* The case in the words of its file. */
static void show_procedure(const struct instance *in, FILE *out)
{
	const struct background_case *c =
		background_case_of(catalogue_background(), in->id);

	if (*c->procedure)
		put_words(c->procedure, 2, 79, out);
	if (*c->discussion)
		put_words(c->discussion, 2, 79, out);
	if (*c->procedure || *c->discussion)
		fputc('\n', out);
}

bool catalogue_show(const struct instance *in, FILE *out)
{
	fprintf(out, "%s\n%s\n\n", in->id, in->title);
	show_procedure(in, out);
	fprintf(out, "level: %s\nrole of the device: %s\n", in->level,
		instance_role(in));
	show_features("needs:", in->needs, out);
	show_features("for devices without:", in->desc->lacks, out);
	if (in->desc->founds)
		fprintf(out,
			"founds: %s; runs before the cases that depend on "
			"it;\nif it fails, they are BLOCKED\n",
			foundation_text(in->desc->founds));
	if (in->desc->destructive)
		fputs("destructive: may bring a device down; runs only with "
		      "--destructive,\nlast and alone\n",
		      out);
	fprintf(out, "file: %s\n\nrequirements\n", in->desc->file);
	for (size_t i = 0; i < in->req_count; i++)
		show_requirement(&req_table[in->reqs[i]], out);
	bool any = false;

	const struct background *all = catalogue_background();

	for (size_t i = 0; i < all->fault_count; i++) {
		const struct background_fault *fault = &all->faults[i];

		if (!breaks_any(fault, in))
			continue;
		if (!any)
			fputs("\nfaults of these requirements "
			      "(--refdut=NAME)\n",
			      out);
		any = true;
		fprintf(out, "  %s: %s\n", fault->name, fault->text);
	}
	return !ferror(out);
}

/* --- coverage ------------------------------------------------------------- */

static bool is_about(const struct instance *in, unsigned req)
{
	for (size_t k = 0; k < in->req_count; k++)
		if (in->reqs[k] == req)
			return true;
	return false;
}

static json_t *cases_of(unsigned req, const bool *cases)
{
	const struct registry *r = registry();
	json_t *a = json_array();

	for (size_t i = 0; i < r->count; i++)
		if (cases[i] && is_about(&r->instances[i], req))
			json_array_append_new(a,
					      json_string(r->instances[i].id));
	return a;
}

/* How many of its cases have which verdict; NULL: not requested. */
static json_t *verdicts_of(unsigned req, const struct coverage_of *of)
{
	const struct registry *r = registry();
	json_t *o = of->run ? json_object() : NULL;
	size_t n[VERDICT_COUNT] = {0};

	for (size_t i = 0; o && i < r->count; i++) {
		const struct result *seen =
			of->cases[i] && is_about(&r->instances[i], req)
				? result_find(of->run, r->instances[i].id)
				: NULL;

		if (seen)
			n[seen->verdict]++;
	}
	for (int v = 0; o && v < VERDICT_COUNT; v++)
		if (n[v])
			json_object_set_new(o, verdict_name((enum verdict)v),
					    json_integer((json_int_t)n[v]));
	return o;
}

static json_t *mutants_of(const struct background_requirement *q)
{
	json_t *a = json_array();

	for (size_t i = 0; i < q->fault_count; i++)
		json_array_append_new(a, json_string(q->faults[i].name));
	return a;
}

/* A binding requirement, without evidence that its cases can find it broken. */
static bool is_unproven(unsigned req, const struct background_requirement *q)
{
	return req_table[req].kind == REQ_KIND_must && !q->fault_count &&
	       !*q->unbroken && !*q->untestable;
}

static json_t *coverage_of(unsigned req, const struct coverage_of *of)
{
	const struct req *r = &req_table[req];
	const struct background_requirement *q =
		&catalogue_background()->requirements[req];
	json_t *cases = cases_of(req, of->cases);
	const char *status = json_array_size(cases) ? "covered"
			     : *q->untestable       ? "untestable"
						    : "uncovered";

	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:b, s:s, s:s, s:o, "
			 "s:o, s:s, s:b, s:o*}",
			 "id", r->id, "spec", r->spec, "section", r->section,
			 "layer", r->layer, "actor", r->actor, "level",
			 req_level_name(r->level), "open",
			 r->kind == REQ_KIND_open, "status", status, "reason",
			 q->untestable, "cases", cases, "mutants",
			 mutants_of(q), "unbroken", q->unbroken, "unproven",
			 is_unproven(req, q), "verdicts", verdicts_of(req, of));
}

static const char *string_of(const json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

static void print_row(json_t *o, FILE *out)
{
	const char *join = "  ", *verdict;
	json_t *n;

	fprintf(out, "%-22s %-10s %-10s %3zu case%s %3zu mutant%s",
		string_of(o, "id"), string_of(o, "level"),
		string_of(o, "status"),
		json_array_size(json_object_get(o, "cases")),
		json_array_size(json_object_get(o, "cases")) == 1 ? " " : "s",
		json_array_size(json_object_get(o, "mutants")),
		json_array_size(json_object_get(o, "mutants")) == 1 ? "" : "s");
	json_object_foreach(json_object_get(o, "verdicts"), verdict, n)
	{
		fprintf(out, "%s%d %s", join, (int)json_integer_value(n),
			verdict);
		join = ", ";
	}
	fputc('\n', out);
}

bool catalogue_coverage(const struct coverage_of *of, FILE *out)
{
	unsigned long failures = json_memory_failures();
	json_t *rows = json_array();
	json_int_t covered = 0, open = 0, excused = 0, unproven = 0;
	int all = 0;

	for (unsigned r = 0; r < REQ_COUNT; r++) {
		if (!of->requirements[r])
			continue;

		json_t *o = coverage_of(r, of);

		if (of->judged_only &&
		    !json_array_size(json_object_get(o, "cases"))) {
			json_decref(o);
			continue;
		}
		all++;

		const char *status = string_of(o, "status");
		bool is_open = strcmp(status, "uncovered") == 0;

		covered += strcmp(status, "covered") == 0;
		excused += strcmp(status, "untestable") == 0;
		open += is_open;
		unproven += json_is_true(json_object_get(o, "unproven"));
		if (of->uncovered && !is_open) {
			json_decref(o);
			continue;
		}
		if (!of->json)
			print_row(o, out);
		json_array_append_new(rows, o);
	}
	if (of->json)
		return dump(
			json_pack(
				"{s:o, s:{s:i, s:I, s:I, s:I, s:i, s:i, s:I}}",
				"requirements", rows, "totals", "requirements",
				all, "covered", covered, "uncovered", open,
				"untestable", excused, "cases",
				(int)registry()->count, "mutants",
				(int)catalogue_mutants(), "unproven", unproven),
			failures, out);
	json_decref(rows);
	return fprintf(out,
		       "%d requirements: %d covered, %d uncovered, %d "
		       "untestable\n%zu cases, %zu mutants; %d MUST without "
		       "a mutant or a reason\n",
		       all, (int)covered, (int)open, (int)excused,
		       registry()->count, catalogue_mutants(),
		       (int)unproven) > 0;
}

/* --- coverage without an agent --------------------------------------------- */

/* Cases that judge it, with the device as responder over TCP; and how many of
 * them need no agent. */
struct reached {
	size_t cases, alone;
};

static struct reached reached_of(unsigned req, const bool *applicable)
{
	const struct registry *r = registry();
	struct reached n = {0};

	for (size_t i = 0; i < r->count; i++) {
		const struct instance *in = &r->instances[i];

		if (in->role != RESPONDER || in->needs & NEED_SCTP)
			continue;
		for (size_t k = 0; k < in->req_count; k++)
			if (in->reqs[k] == req) {
				n.cases++;
				n.alone += applicable[i];
			}
	}
	return n;
}

static struct reached reached_in_all(const bool *applicable)
{
	const struct registry *r = registry();
	struct reached n = {0};

	for (size_t i = 0; i < r->count; i++) {
		const struct instance *in = &r->instances[i];

		if (in->role != RESPONDER || in->needs & NEED_SCTP)
			continue;
		n.cases++;
		n.alone += applicable[i];
	}
	return n;
}

/* One layer: its requirements, and how many of them are judged. */
static void add_layer(const char *layer, const bool *selected,
		      const bool *applicable, json_t *rows, json_t *layers)
{
	json_int_t all = 0, judged = 0;

	for (unsigned r = 0; r < REQ_COUNT; r++) {
		struct reached n;

		if (!selected[r] || strcmp(req_table[r].layer, layer) != 0)
			continue;
		n = reached_of(r, applicable);
		if (!n.cases)
			continue;
		all++;
		judged += n.alone > 0;
		json_array_append_new(
			rows,
			json_pack("{s:s, s:s, s:s, s:I, s:I}", "id",
				  req_table[r].id, "layer", layer, "level",
				  req_level_name(req_table[r].level), "cases",
				  (json_int_t)n.cases, "alone",
				  (json_int_t)n.alone));
	}
	if (all)
		json_array_append_new(layers,
				      json_pack("{s:s, s:I, s:I}", "layer",
						layer, "requirements", all,
						"alone", judged));
}

static json_int_t number_of(const json_t *o, const char *key)
{
	return json_integer_value(json_object_get(o, key));
}

bool catalogue_reach(const bool *selected, const bool *applicable, bool json,
		     FILE *out)
{
	static const char *const names[] = {"MPA", "DDP", "RDMAP"};
	unsigned long failures = json_memory_failures();
	json_t *rows = json_array(), *layers = json_array(), *o;
	struct reached n = reached_in_all(applicable);
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		add_layer(names[i], selected, applicable, rows, layers);
	if (json)
		return dump(json_pack("{s:o, s:o, s:I, s:I}", "requirements",
				      rows, "layers", layers, "cases",
				      (json_int_t)n.cases, "alone",
				      (json_int_t)n.alone),
			    failures, out);
	json_array_foreach(rows, i, o)
		fprintf(out, "%-22s %-10s %3d of %3d cases\n",
			string_of(o, "id"), string_of(o, "level"),
			(int)number_of(o, "alone"), (int)number_of(o, "cases"));
	json_array_foreach(layers, i, o) fprintf(
		out, "%s: %d of %d requirements\n", string_of(o, "layer"),
		(int)number_of(o, "alone"), (int)number_of(o, "requirements"));
	json_decref(rows);
	json_decref(layers);
	return fprintf(out,
		       "%zu of %zu cases of a responder are judged without an "
		       "agent\n",
		       n.alone, n.cases) > 0;
}

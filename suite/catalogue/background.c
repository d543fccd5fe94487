/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/agent/client.h"
#include "suite/catalogue/catalogue.h"

static const struct {
	const char *reqs;
	struct background_fault fault;
} faults[] = {
#define MUTANT(name, reqs, text) {reqs, {name, text}},
#include "refdut/mutants.def"
#undef MUTANT
};
#define FAULTS (sizeof(faults) / sizeof(faults[0]))

static const char *const untestable[REQ_COUNT] = {
#define UNTESTABLE(ident, why) [REQ_INDEX_##ident] = why,
#include "suite/catalogue/untestable.def"
#undef UNTESTABLE
};

static const char *const unbroken[REQ_COUNT] = {
#define UNBROKEN(ident, why) [REQ_INDEX_##ident] = why,
#include "suite/catalogue/unbroken.def"
#undef UNBROKEN
};

/* By the path of its file and its name, sorted. */
static const struct procedure {
	const char *id, *procedure, *discussion;
} procedures[] = {
#define PROCEDURE(id, procedure, discussion) {id, procedure, discussion},
#include "procedures.def"
#undef PROCEDURE
};
#define PROCEDURES (sizeof(procedures) / sizeof(procedures[0]))

static void *zeroed(size_t n, size_t size)
{
	void *p = calloc(n + 1, size);

	if (!p) {
		fputs("warpspec: out of memory\n", stderr);
		exit(4);
	}
	return p;
}

/* --- the faults of each requirement --------------------------------------- */

/* Rows of req_table, in the order of their ids. */
static int by_row_id(const void *a, const void *b)
{
	return strcmp(req_table[*(const unsigned *)a].id,
		      req_table[*(const unsigned *)b].id);
}

struct word {
	const char *at;
	size_t n;
};

/* The next word of a list, "A B C"; false: no more. */
static bool next_word(const char **list, struct word *w)
{
	w->at = *list + strspn(*list, " ");
	w->n = strcspn(w->at, " ");
	*list = w->at + w->n;
	return w->n > 0;
}

static int word_and_row(const void *key, const void *of)
{
	const struct word *w = key;
	const char *id = req_table[*(const unsigned *)of].id;
	int order = strncmp(w->at, id, w->n);

	return order ? order : -(id[w->n] != '\0');
}

/* A row that a fault breaks: its index, or REQ_COUNT behind the last. */
static unsigned next_row(const unsigned *sorted, const char **list)
{
	struct word w;

	while (next_word(list, &w)) {
		const unsigned *row = bsearch(&w, sorted, REQ_COUNT,
					      sizeof(*sorted), word_and_row);

		if (row)
			return *row;
	}
	return REQ_COUNT;
}

/* To each requirement the faults that break it, in their order. */
static void add_faults(struct background_requirement *q)
{
	struct background_fault **list = zeroed(REQ_COUNT, sizeof(*list));
	unsigned *sorted = zeroed(REQ_COUNT, sizeof(*sorted));

	for (unsigned i = 0; i < REQ_COUNT; i++)
		sorted[i] = i;
	qsort(sorted, REQ_COUNT, sizeof(*sorted), by_row_id);
	for (size_t i = 0; i < FAULTS; i++) {
		const char *reqs = faults[i].reqs;

		for (unsigned row; (row = next_row(sorted, &reqs)) < REQ_COUNT;)
			q[row].fault_count++;
	}
	for (unsigned i = 0; i < REQ_COUNT; i++) {
		q[i].faults = list[i] =
			zeroed(q[i].fault_count, sizeof(*list[i]));
		q[i].fault_count = 0;
	}
	for (size_t i = 0; i < FAULTS; i++) {
		const char *reqs = faults[i].reqs;

		for (unsigned row; (row = next_row(sorted, &reqs)) < REQ_COUNT;)
			list[row][q[row].fault_count++] = faults[i].fault;
	}
	free(sorted);
	free(list);
}

/* --- all of it -------------------------------------------------------------- */

static struct background_requirement requirement_of(unsigned i)
{
	const struct req *r = &req_table[i];
	bool rfc = strncmp(r->spec, "RFC", 3) == 0;
	char *spec = zeroed(strlen(r->spec) + 2, 1);
	char *section = zeroed(strlen(r->spec) + strlen(r->section) + 4, 1);

	sprintf(spec, "%s%s", rfc ? "RFC " : "", r->spec + (rfc ? 3 : 0));
	sprintf(section, "%s s%s", spec, r->section);

	struct background_requirement q = {
		.id = r->id,
		.level = req_level_name(r->level),
		.spec = spec,
		.section = section,
		.layer = r->layer,
		.actor = r->actor,
		.open = r->kind == REQ_KIND_open,
		.statement = r->requirement,
		.stimulus = r->stimulus,
		.expected = r->expected,
		.untestable = untestable[i] ? untestable[i] : "",
		.unbroken = unbroken[i] ? unbroken[i] : "",
	};
	return q;
}

static int by_id(const void *key, const void *of)
{
	return strcmp(key, ((const struct procedure *)of)->id);
}

/* "mpa/crc/name" of cases/mpa/crc.c. */
static const struct procedure *procedure_of(const struct case_desc *desc)
{
	const char *path = strstr(desc->file, "cases/");
	const char *dot = path ? strrchr(path, '.') : NULL;
	char id[512];

	if (!dot)
		return NULL;
	path += strlen("cases/");
	snprintf(id, sizeof(id), "%.*s/%s", (int)(dot - path), path,
		 desc->name);
	return bsearch(id, procedures, PROCEDURES, sizeof(procedures[0]),
		       by_id);
}

static struct background_case case_of(const struct instance *in)
{
	const char **needs = zeroed(AGENT_FEATURES, sizeof(*needs));
	const struct procedure *p = procedure_of(in->desc);
	struct background_case c = {.id = in->id,
				    .needs = needs,
				    .procedure = p ? p->procedure : "",
				    .discussion = p ? p->discussion : ""};

	for (unsigned i = 0; i < AGENT_FEATURES; i++)
		if (in->needs >> i & 1)
			needs[c.need_count++] = agent_feature_name(i);
	return c;
}

const struct background *catalogue_background(void)
{
	static struct background all;
	const struct registry *r = registry();

	if (all.requirements)
		return &all;
	struct background_requirement *q = zeroed(REQ_COUNT, sizeof(*q));
	struct background_case *cases = zeroed(r->count, sizeof(*cases));
	const char **features = zeroed(AGENT_FEATURES, sizeof(*features));
	static struct background_fault every[FAULTS];

	for (unsigned i = 0; i < REQ_COUNT; i++)
		q[i] = requirement_of(i);
	add_faults(q);
	for (size_t i = 0; i < FAULTS; i++)
		every[i] = faults[i].fault;
	for (size_t i = 0; i < r->count; i++) {
		const struct instance *in = &r->instances[i];

		cases[i] = case_of(in);
		for (size_t k = 0; k < in->req_count; k++)
			q[in->reqs[k]].cases++;
	}
	for (unsigned i = 0; i < AGENT_FEATURES; i++)
		features[i] = agent_feature_name(i);
	all = (struct background){.requirements = q,
				  .requirement_count = REQ_COUNT,
				  .cases = cases,
				  .case_count = r->count,
				  .faults = every,
				  .fault_count = FAULTS,
				  .features = features,
				  .feature_count = AGENT_FEATURES};
	return &all;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/refdut/mutants.h"

#include <string.h>
#include <unistd.h>

bool mutants_planted[FAULTS];

static const struct {
	const char *name;
	const char *reqs;
	const char *sentence;
} catalogue[] = {
#define MUTANT(name, reqs, sentence) {#name, reqs, sentence},
#include "harness/refdut/mutants.def"
#undef MUTANT
#define COINCIDENCE(name, reqs, sentence) {#name, reqs, sentence},
#include "harness/refdut/coincidences.def"
#undef COINCIDENCE
};

static enum mutant named(const char *name, size_t n)
{
	for (int i = 0; i < FAULTS - 1; i++)
		if (strlen(catalogue[i].name) == n &&
		    memcmp(catalogue[i].name, name, n) == 0)
			return (enum mutant)(i + 1);
	return MUTANT_none;
}

bool mutants_plant(const char *list)
{
	bool planted[FAULTS] = {false};

	for (;;) {
		size_t n = strcspn(list, ",");
		enum mutant m = named(list, n);

		if (m == MUTANT_none)
			return false;
		planted[m] = true;
		list += n;
		if (!*list++)
			break;
	}
	memcpy(mutants_planted, planted, sizeof(planted));
	return true;
}

void mutant_crash(const char *where)
{
	fprintf(stderr, "warpspec-refdut: crashed: %s\n", where);
	_exit(70);
}

static void list(FILE *to, int from, int end)
{
	for (int i = from; i < end; i++)
		fprintf(to, "%s\t%s\t%s\n", catalogue[i].name,
			catalogue[i].reqs, catalogue[i].sentence);
}

void mutant_list(FILE *to)
{
	list(to, 0, MUTANTS - 1);
}

void coincidence_list(FILE *to)
{
	list(to, MUTANTS - 1, FAULTS - 1);
}

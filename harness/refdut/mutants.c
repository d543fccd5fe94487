/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/refdut/mutants.h"

#include <string.h>
#include <unistd.h>

bool mutants_planted[MUTANTS];

static const struct {
	const char *name;
	const char *reqs;
	const char *sentence;
} catalogue[] = {
#define MUTANT(name, reqs, sentence) {#name, reqs, sentence},
#include "harness/refdut/mutants.def"
#undef MUTANT
};

static enum mutant named(const char *name, size_t n)
{
	for (int i = 0; i < MUTANTS - 1; i++)
		if (strlen(catalogue[i].name) == n &&
		    memcmp(catalogue[i].name, name, n) == 0)
			return (enum mutant)(i + 1);
	return MUTANT_none;
}

bool mutants_plant(const char *list)
{
	bool planted[MUTANTS] = {false};

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

void mutant_list(FILE *to)
{
	for (int i = 0; i < MUTANTS - 1; i++)
		fprintf(to, "%s\t%s\t%s\n", catalogue[i].name,
			catalogue[i].reqs, catalogue[i].sentence);
}

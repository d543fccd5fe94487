/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/refdut/mutants.h"

#include <string.h>
#include <unistd.h>

enum mutant mutant_planted = MUTANT_none;

static const struct {
	const char *name;
	const char *reqs;
	const char *sentence;
} catalogue[] = {
#define MUTANT(name, reqs, sentence) {#name, reqs, sentence},
#include "harness/refdut/mutants.def"
#undef MUTANT
};

bool mutant_plant(const char *name)
{
	for (int i = 0; i < MUTANTS - 1; i++) {
		if (strcmp(catalogue[i].name, name) == 0) {
			mutant_planted = (enum mutant)(i + 1);
			return true;
		}
	}
	return false;
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

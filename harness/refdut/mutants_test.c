/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/refdut/mutants.h"
#include "harness/unit.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	char *name;
	char *reqs;
	char *sentence;
};

static char *listing;
static struct entry entries[FAULTS];

/* The listing as others read it, cut into its fields. */
static size_t read_listing(void)
{
	size_t size, n = 0;
	FILE *to = open_memstream(&listing, &size);
	char *save = NULL;

	mutant_list(to);
	coincidence_list(to);
	fclose(to);
	for (char *l = strtok_r(listing, "\n", &save); l && n < FAULTS;
	     l = strtok_r(NULL, "\n", &save)) {
		struct entry *e = &entries[n++];

		e->name = l;
		e->reqs = strchr(l, '\t');
		CU_ASSERT_PTR_NOT_NULL_FATAL(e->reqs);
		*e->reqs++ = '\0';
		e->sentence = strchr(e->reqs, '\t');
		CU_ASSERT_PTR_NOT_NULL_FATAL(e->sentence);
		*e->sentence++ = '\0';
	}
	return n;
}

static void every_mutant_is_named_once_and_planted_by_name(void)
{
	size_t n = read_listing();

	CU_ASSERT_EQUAL(n, FAULTS - 1);
	for (size_t i = 0; i < n; i++) {
		CU_ASSERT_TRUE(mutants_plant(entries[i].name));
		CU_ASSERT_TRUE(mutant((enum mutant)(i + 1)));
		CU_ASSERT_FALSE(i && mutant((enum mutant)i));
		for (size_t j = 0; j < i; j++)
			CU_ASSERT_STRING_NOT_EQUAL(entries[i].name,
						   entries[j].name);
	}
	CU_ASSERT_FALSE(mutants_plant("none"));
	CU_ASSERT_FALSE(mutants_plant(""));
	CU_ASSERT_FALSE(mutants_plant("ignore_bad_cr"));
	free(listing);
}

static void several_are_planted_at_once_or_none(void)
{
	CU_ASSERT_TRUE(mutants_plant("pad_not_zero,ignore_bad_crc"));
	CU_ASSERT_TRUE(mutant(MUTANT_ignore_bad_crc));
	CU_ASSERT_TRUE(mutant(MUTANT_pad_not_zero));
	CU_ASSERT_FALSE(mutant(MUTANT_peer_fin_ignored));
	CU_ASSERT_FALSE(mutants_plant("peer_fin_ignored,none"));
	CU_ASSERT_FALSE(mutants_plant("peer_fin_ignored,"));
	CU_ASSERT_FALSE(mutant(MUTANT_peer_fin_ignored));
}

static void every_mutant_says_what_it_breaks(void)
{
	size_t n = read_listing();

	for (size_t i = 0; i < n; i++) {
		CU_ASSERT_TRUE(strlen(entries[i].sentence) > 10);
		CU_ASSERT_TRUE(islower((unsigned char)entries[i].sentence[0]));
		CU_ASSERT_TRUE(isupper((unsigned char)entries[i].reqs[0]));
		CU_ASSERT_PTR_NULL(strstr(entries[i].reqs, "  "));
	}
	free(listing);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"every mutant is named once and planted by name",
		 every_mutant_is_named_once_and_planted_by_name},
		{"several are planted at once, or none",
		 several_are_planted_at_once_or_none},
		{"every mutant says what it breaks",
		 every_mutant_says_what_it_breaks},
	};

	return unit_run("refdut mutants", tests, UNIT_COUNT(tests));
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/refdut/variants.h"
#include "harness/unit.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	char *field[4]; /* name, matter, rows, sentence */
};

static char *listing;
static struct entry entries[VARIANTS];
static char why[128];

/* The listing as others read it, cut into its fields. */
static size_t read_listing(void)
{
	size_t size, n = 0;
	FILE *to = open_memstream(&listing, &size);
	char *save = NULL;

	variants_list(to);
	fclose(to);
	for (char *l = strtok_r(listing, "\n", &save); l && n < VARIANTS;
	     l = strtok_r(NULL, "\n", &save)) {
		struct entry *e = &entries[n++];

		for (size_t i = 0; i < UNIT_COUNT(e->field); i++) {
			e->field[i] = l;
			l = strchr(l, '\t');
			if (l)
				*l++ = '\0';
			CU_ASSERT_EQUAL_FATAL(l != NULL, i < 3);
		}
	}
	return n;
}

static void take_none(void)
{
	memset(variants_taken, 0, sizeof(variants_taken));
}

static void every_variant_is_named_once_and_taken_by_name(void)
{
	size_t n = read_listing();

	CU_ASSERT_EQUAL(n, VARIANTS);
	for (size_t i = 0; i < n; i++) {
		take_none();
		CU_ASSERT_TRUE(
			variants_take(entries[i].field[0], why, sizeof(why)));
		for (size_t j = 0; j < n; j++) {
			CU_ASSERT_EQUAL(variant((enum variant)j), i == j);
			CU_ASSERT_TRUE(i == j ||
				       strcmp(entries[i].field[0],
					      entries[j].field[0]) != 0);
		}
	}
	take_none();
	CU_ASSERT_FALSE(variants_take("no_such_one", why, sizeof(why)));
	CU_ASSERT_STRING_EQUAL(why, "no such variant: no_such_one");
	CU_ASSERT_FALSE(variants_take("", why, sizeof(why)));
	free(listing);
}

static void every_variant_says_what_permits_it(void)
{
	size_t n = read_listing();

	for (size_t i = 0; i < n; i++) {
		const char *reqs = entries[i].field[2];

		CU_ASSERT_TRUE(isupper((unsigned char)reqs[0]));
		CU_ASSERT_PTR_NULL(strstr(reqs, "  "));
		CU_ASSERT_TRUE(islower((unsigned char)entries[i].field[3][0]));
		CU_ASSERT_TRUE(strlen(entries[i].field[3]) > 10);
	}
	free(listing);
}

static void two_of_one_matter_exclude_each_other(void)
{
	char list[128];
	size_t n = read_listing(), pairs = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			bool same = strcmp(entries[i].field[1],
					   entries[j].field[1]) == 0;

			if (i == j)
				continue;
			take_none();
			snprintf(list, sizeof(list), "%s,%s",
				 entries[i].field[0], entries[j].field[0]);
			CU_ASSERT_EQUAL(variants_take(list, why, sizeof(why)),
					!same);
			pairs += same;
		}
	CU_ASSERT_TRUE(pairs > 0);
	take_none();
	free(listing);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"every variant is named once and taken by name",
		 every_variant_is_named_once_and_taken_by_name},
		{"every variant says what permits it",
		 every_variant_says_what_permits_it},
		{"two of one matter exclude each other",
		 two_of_one_matter_exclude_each_other},
	};

	return unit_run("refdut variants", tests, UNIT_COUNT(tests));
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/refdut/decision/overrides.h"
#include "harness/unit.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static char why[128];

static bool is_fault(const struct override *o)
{
	return o->kind == OVERRIDE_MUTANT || o->kind == OVERRIDE_COINCIDENCE;
}

static bool is_choice(const struct override *o)
{
	return o->kind == OVERRIDE_VARIANT;
}

static bool is_taken(const char *name)
{
	struct override *o;

	for (size_t i = 0; (o = override_at(i)); i++)
		if (strcmp(o->name, name) == 0)
			return o->taken;
	return false;
}

/* The chain of a decision contains each active override once, above the
 * rule. */
static bool in_chain(const struct override *wanted)
{
	unsigned times = 0;
	const struct override *o = wanted->decision->top;

	for (; o->kind != OVERRIDE_RULE; o = o->below)
		times += o == wanted;
	return o == &wanted->decision->rule && times == 1;
}

static void every_fault_is_planted_by_name(void)
{
	struct override *o, *other;

	for (size_t i = 0; (o = override_at(i)); i++) {
		if (!is_fault(o))
			continue;
		CU_ASSERT_TRUE(mutants_plant(o->name));
		for (size_t j = 0; (other = override_at(j)); j++)
			CU_ASSERT_EQUAL(other->taken,
					strcmp(o->name, other->name) == 0);
		CU_ASSERT_TRUE(in_chain(o));
	}
	CU_ASSERT_FALSE(mutants_plant("none"));
	CU_ASSERT_FALSE(mutants_plant(""));
	CU_ASSERT_FALSE(mutants_plant("ignore_bad_cr"));
	overrides_clear();
}

static void every_name_is_given_once(void)
{
	struct override *o, *other;

	for (size_t i = 0; (o = override_at(i)); i++)
		for (size_t j = 0; j < i && (other = override_at(j)); j++)
			CU_ASSERT_TRUE(o->kind == OVERRIDE_ALSO ||
				       other->kind == OVERRIDE_ALSO ||
				       strcmp(o->name, other->name) != 0);
}

static void several_are_planted_at_once_or_none(void)
{
	CU_ASSERT_TRUE(mutants_plant("pad_not_zero,ignore_bad_crc"));
	CU_ASSERT_TRUE(is_taken("ignore_bad_crc"));
	CU_ASSERT_TRUE(is_taken("pad_not_zero"));
	CU_ASSERT_FALSE(is_taken("peer_fin_ignored"));
	CU_ASSERT_FALSE(mutants_plant("peer_fin_ignored,none"));
	CU_ASSERT_FALSE(mutants_plant("peer_fin_ignored,"));
	CU_ASSERT_FALSE(is_taken("peer_fin_ignored"));
	CU_ASSERT_FALSE(is_taken("pad_not_zero"));
}

static void every_choice_is_taken_by_name(void)
{
	struct override *o;

	for (size_t i = 0; (o = override_at(i)); i++) {
		if (!is_choice(o))
			continue;
		overrides_clear();
		CU_ASSERT_TRUE(variants_take(o->name, why, sizeof(why)));
		CU_ASSERT_TRUE(in_chain(o));
	}
	overrides_clear();
	CU_ASSERT_FALSE(variants_take("no_such_one", why, sizeof(why)));
	CU_ASSERT_STRING_EQUAL(why, "no such variant (--list-variants lists "
				    "them): no_such_one");
	CU_ASSERT_FALSE(variants_take("", why, sizeof(why)));
}

static void two_of_one_matter_exclude_each_other(void)
{
	struct override *a, *b;
	char list[128];
	size_t pairs = 0;

	for (size_t i = 0; (a = override_at(i)); i++)
		for (size_t j = 0; (b = override_at(j)); j++) {
			bool same;

			if (i == j || !is_choice(a) || !is_choice(b))
				continue;
			same = strcmp(a->matter, b->matter) == 0;
			overrides_clear();
			snprintf(list, sizeof(list), "%s,%s", a->name, b->name);
			CU_ASSERT_EQUAL(variants_take(list, why, sizeof(why)),
					!same);
			pairs += same;
		}
	CU_ASSERT_TRUE(pairs > 0);
	overrides_clear();
}

/* A decision that nothing overrides is a place where no fault was planted. */
static void every_decision_is_overridden(void)
{
	struct decision *d;
	struct override *o;

	for (size_t i = 0; (d = decision_at(i)); i++) {
		unsigned overrides = 0;

		for (size_t j = 0; (o = override_at(j)); j++)
			overrides += o->decision == d;
		if (!overrides)
			fprintf(stderr, "%s: nothing overrides %s\n",
				d->rule.file, d->name);
		CU_ASSERT_NOT_EQUAL(overrides, 0);
	}
}

static void every_override_says_what_it_does(void)
{
	struct override *o;

	for (size_t i = 0; (o = override_at(i)); i++) {
		if (o->kind == OVERRIDE_ALSO)
			continue;
		CU_ASSERT_TRUE(strlen(o->sentence) > 10);
		CU_ASSERT_TRUE(islower((unsigned char)o->sentence[0]));
		CU_ASSERT_TRUE(isupper((unsigned char)o->reqs[0]));
		CU_ASSERT_PTR_NULL(strstr(o->reqs, "  "));
	}
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"every fault is planted by name",
		 every_fault_is_planted_by_name},
		{"every name is given once", every_name_is_given_once},
		{"several are planted at once, or none",
		 several_are_planted_at_once_or_none},
		{"every choice is taken by name",
		 every_choice_is_taken_by_name},
		{"two of one matter exclude each other",
		 two_of_one_matter_exclude_each_other},
		{"every decision is overridden", every_decision_is_overridden},
		{"every override says what it does",
		 every_override_says_what_it_does},
	};

	return unit_run("refdut overrides", tests, UNIT_COUNT(tests));
}

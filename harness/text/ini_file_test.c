/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/text/ini_file.h"

#include <stdio.h>
#include <string.h>

#include "harness/unit.h"

static char seen[256];

static bool take(void *user, const struct ini_key *k, char *why, size_t cap)
{
	(void)user;
	if (strcmp(k->value, "bad") == 0) {
		snprintf(why, cap, "%s: bad is bad", k->name);
		return false;
	}
	snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen),
		 "%u [%s] %s=%s;", k->line, k->section, k->name, k->value);
	return true;
}

static bool keys(const char *text, char *why, size_t cap)
{
	seen[0] = why[0] = '\0';
	return ini_keys("a.ini", text, strlen(text), take, NULL, why, cap);
}

static void keys_come_with_their_lines(void)
{
	char why[256];

	CU_ASSERT_TRUE(keys("; c\n[a]\nx = 1\n\n[b]\nx = 2 ; c\nempty =\n", why,
			    sizeof(why)));
	CU_ASSERT_STRING_EQUAL(seen, "3 [a] x=1;6 [b] x=2;7 [b] empty=;");
}

static void the_first_that_is_wrong_is_told(void)
{
	char why[256];

	CU_ASSERT_FALSE(keys("[a]\nx = 1\nx = 2\n", why, sizeof(why)));
	CU_ASSERT_STRING_EQUAL(
		why, "a.ini:3: [a] x = 2: line 2 already has a value for it");
	CU_ASSERT_FALSE(keys("[a]\nx = bad\nx = 2\n", why, sizeof(why)));
	CU_ASSERT_STRING_EQUAL(why, "a.ini:2: x: bad is bad");
	CU_ASSERT_FALSE(keys("[a]\nwhat\n", why, sizeof(why)));
	CU_ASSERT_STRING_EQUAL(
		why, "a.ini:2: neither a [section] nor 'key = value'");
	CU_ASSERT_FALSE(keys("[a]\nx = \x02\n", why, sizeof(why)));
	CU_ASSERT_EQUAL(strncmp(why, "a.ini:2: ", 9), 0);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"keys come with their lines", keys_come_with_their_lines},
		{"the first error is reported",
		 the_first_that_is_wrong_is_told},
	};

	return unit_run("ini file", tests, UNIT_COUNT(tests));
}

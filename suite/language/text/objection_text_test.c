/* SPDX-License-Identifier: BSD-2-Clause */
/* The texts of every kind of objection, and their first lines. */
#include "suite/language/text/objection_text_fixture.h"

#include <string.h>

static void reads_well(const char *text)
{
	const char *due = strstr(text, "\ndue:  ");
	const char *seen = strstr(text, "\nseen: ");

	CU_ASSERT_TRUE_FATAL(due && seen);
	CU_ASSERT_NOT_EQUAL(due[strlen("\ndue:  ")], '\n');
	CU_ASSERT_NOT_EQUAL(seen[strlen("\nseen: ")], '\0');
	CU_ASSERT_PTR_NULL(strstr(text, "(hex)"));
	CU_ASSERT_PTR_NULL(strstr(text, "MODEL_"));
	CU_ASSERT_PTR_NULL(strstr(text, "(null)"));
}

static void every_fault_has_words_of_its_own(void)
{
	const char *wrong[MODEL_FAULT_COUNT];

	for (unsigned i = 0; i < MODEL_FAULT_COUNT; i++) {
		struct model_objection o = {.fault = (enum model_fault)i,
					    .seen = 1,
					    .opcode = RDMAP_SEND};
		const char *text = objection_text(test, &o);

		wrong[i] = test_format(test, "%.*s", (int)strcspn(text, "\n"),
				       text);
		for (unsigned k = 0; k < i; k++)
			CU_ASSERT_STRING_NOT_EQUAL(wrong[k], wrong[i]);
		for (unsigned k = 0; k < MODEL_FIELD_COUNT; k++) {
			o.field = (enum model_field)k;
			reads_well(objection_text(test, &o));
		}
	}
}

static void the_first_line_names_the_fault_of_the_peer(void)
{
	struct fixture f;
	struct ddp_segment s = tagged(RDMAP_WRITE, 0x999, BASE, "abcd", 4);

	setup(&f);
	peer(&f, s);
	dut(&f, terminate_about(&f, 1, 1, 1, &s, false));
	CU_ASSERT_STRING_EQUAL(
		objection_text(test, &f.objections.list[0]),
		"the Terminate's numbers do not fit the fault (the peer's "
		"fault: the STag is not valid)\n"
		"due:  a Terminate 1/1/00 (DDP, tagged, invalid STag)\n"
		"seen: 1/1/01 (DDP, tagged, base or bounds violation)");
	setup_released(&f);
	dut(&f, send_of(2, ""));
	CU_ASSERT_STRING_EQUAL(objection_text(test, &f.objections.list[0]),
			       "the MSN is not the next of its queue\n"
			       "due:  MSN on QN 0: 1\n"
			       "seen: 2");
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"every fault", every_fault_has_words_of_its_own},
		{"first line", the_first_line_names_the_fault_of_the_peer},
	};

	return objections_run("objection_text", tests, UNIT_COUNT(tests));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any octets as known deviations: accepted input is applied to a few results;
 * for other input there is one line with the error.
 */
#include "harness/wire/fuzz.h"
#include "suite/judge/deviations/deviations.h"

static const char *const ids[] = {"mpa/crc/a", "mpa/crc/b", "rdmap/read/c"};

static void apply(struct deviations *d)
{
	struct result_broken broken = {.requirement = "MPA-4.4-14",
				       .level = "MUST",
				       .section = "",
				       .statement = "",
				       .text = "",
				       .known = ""};
	struct result r[] = {
		{.id = ids[0],
		 .verdict = VERDICT_FAIL,
		 .signature = "MPA-4.4-14",
		 .broken = &broken,
		 .broken_count = 1,
		 .reason = ""},
		{.id = ids[1],
		 .verdict = VERDICT_PASS,
		 .signature = "",
		 .reason = ""},
		{.id = ids[2],
		 .verdict = VERDICT_FAIL,
		 .signature = RESULT_CRASHED,
		 .reason = ""},
	};
	const struct result_stale *stale = NULL;
	size_t n = deviations_apply(d, r, 3, 1700000000, &stale);

	for (size_t i = 0; i < n; i++)
		must_hold(stale[i].entry && stale[i].id && stale[i].text);
	must_hold(r[0].verdict == VERDICT_FAIL ||
		  r[0].verdict == VERDICT_XFAIL);
	must_hold(r[1].verdict == VERDICT_PASS);
	deviations_crash(d, ids[2], 1700000000);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), why[512] = "";

	must_hold(text);
	memcpy(text, data, size);
	text[size] = '\0';
	struct deviations *d =
		deviations_parse("f", text, size, ids, 3, why, sizeof(why));

	if (d) {
		apply(d);
	} else {
		for (char *c = why; *c; c++)
			*c = *c == '\t' ? ' ' : *c;
		must_be_a_line(why);
	}
	deviations_free(d);
	free(text);
	return 0;
}

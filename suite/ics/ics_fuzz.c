/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any octets as a statement: an accepted statement is complete, does not
 * contradict itself in several lines, and stays the same when it is written and
 * read; for other input there is one line with the error.
 */
#include <stdio.h>

#include "harness/wire/fuzz.h"
#include "suite/ics/against.h"
#include "suite/ics/ics.h"

static void must_come_back(const struct ics *s)
{
	char *text = NULL, why[512];
	struct ics back;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	must_hold(out && ics_write(s, "", out) && fclose(out) == 0);
	must_hold(ics_parse(&back, s->path, text, n, why, sizeof(why)));
	must_hold(back.yes == s->yes && back.open_count == s->open_count);
	for (unsigned i = 0; i < ICS_TEXTS; i++)
		must_hold(strcmp(back.text[i], s->text[i]) == 0);
	for (unsigned i = 0; i < ICS_LIMITS; i++)
		must_hold(back.limit[i].stated == s->limit[i].stated &&
			  back.limit[i].most == s->limit[i].most);
	for (unsigned i = 0; i < ICS_CHOICES; i++)
		must_hold(strcmp(back.choice[i], s->choice[i]) == 0);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), why[512] = "";
	static struct ics s;

	must_hold(text);
	memcpy(text, data, size);
	text[size] = '\0';
	if (ics_parse(&s, "/nowhere/statement.ini", text, size, why,
		      sizeof(why))) {
		must_come_back(&s);
		free(ics_against_itself(&s));
	} else {
		must_hold(strncmp(why, "/nowhere/statement.ini:", 23) == 0);
		for (char *c = why; *c; c++) /* a value may hold tabs */
			*c = *c == '\t' ? ' ' : *c;
		must_be_a_line(why);
	}
	free(text);
	return 0;
}

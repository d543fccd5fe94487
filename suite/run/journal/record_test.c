/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/run/journal/record.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/unit.h"
#include "reports/sample.h"

static long succeed = -1; /* calls of malloc that do; -1: all */
static unsigned fail = 1; /* so many in a row fail then */

/* Replaces the C library's functions, which a sanitizer may replace, too. */
void *malloc(size_t n)
{
	static void *(*real)(size_t);
	static unsigned failed;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "malloc");
	if (succeed == 0) {
		if (++failed >= fail) {
			succeed = -1;
			failed = 0;
		}
		errno = ENOMEM;
		return NULL;
	}
	if (succeed > 0)
		succeed--;
	return real(n);
}

static struct record sample(void)
{
	struct record r = {.note = ""};
	size_t i = 0;

	while (i < nasty.count && !nasty.results[i].event_count)
		i++;
	CU_ASSERT_FATAL(i < nasty.count);
	r.result = nasty.results[i];
	/* What a device sent is escaped in these. */
	r.result.detail = "detail";
	r.result.broken_count = 0;
	r.result.signature = "";
	return r;
}

static void evidence_goes_with_it(void)
{
	struct record r = sample(), back;

	/* A line is UTF-8, as the suite writes it. */
	char *line = record_line(&r);

	CU_ASSERT_PTR_NOT_NULL_FATAL(line);
	CU_ASSERT_FATAL(record_parse(&back, line, strlen(line)));
	CU_ASSERT_EQUAL(back.result.event_count, r.result.event_count);
	CU_ASSERT_EQUAL(back.result.line_count, r.result.line_count);
	CU_ASSERT_EQUAL(back.result.memory_count, r.result.memory_count);
	char *again = record_line(&back);

	CU_ASSERT_STRING_EQUAL(line, again);
	free(again);
	free(line);
	record_release(&back);
}

/* The verdict is not. */
static void too_much_is_left_out(void)
{
	static uint8_t octets[RECORD_MAX / 2];
	struct record r = sample(), back;
	const struct result_event e = {.kind = EVENT_OCTETS,
				       .text = "",
				       .octets = octets,
				       .kept = sizeof(octets),
				       .n = sizeof(octets)};

	r.result.events = &e;
	r.result.event_count = 1;
	r.result.line_count = r.result.memory_count = 0;
	char *line = record_line(&r);

	CU_ASSERT_PTR_NOT_NULL_FATAL(line);
	CU_ASSERT(strlen(line) <= RECORD_MAX);
	CU_ASSERT_FATAL(record_parse(&back, line, strlen(line)));
	CU_ASSERT_STRING_EQUAL(back.result.id, r.result.id);
	CU_ASSERT_EQUAL(back.result.event_count, 0);
	free(line);
	record_release(&back);
}

static void wrong_evidence_is_no_record(void)
{
	struct record r = sample(), back;

	char *line = record_line(&r);

	CU_ASSERT_PTR_NOT_NULL_FATAL(line);
	char *kind = strstr(line, "\"kind\":\"startup\"");

	CU_ASSERT_PTR_NOT_NULL_FATAL(kind);
	kind[8] = 'x';
	CU_ASSERT_FALSE(record_parse(&back, line, strlen(line)));
	free(line);
}

/* The longer the rest of the line, the less evidence. */
static void room_is_what_is_left(void)
{
	struct result c = {.detail = ""};
	const struct evidence_bounds most = record_room(&c);
	char *detail = malloc(160u << 10);

	CU_ASSERT_PTR_NOT_NULL_FATAL(detail);
	memset(detail, 'x', (160u << 10) - 1);
	detail[(160u << 10) - 1] = '\0';
	c.detail = detail;
	const struct evidence_bounds least = record_room(&c);

	CU_ASSERT_EQUAL(most.all, RECORD_EVIDENCE);
	CU_ASSERT(least.all < most.all && least.all > 8u << 10);
	free(detail);
}

/* Whichever allocations fail, and however many in a row: a record that is read,
 * and a line that is written, is complete. */
static void nothing_has_a_hole_of(unsigned in_a_row)
{
	fail = in_a_row;
	struct record r = sample(), back;
	char *line = record_line(&r), *again;
	unsigned read = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(line);
	for (long calls = 0; calls < 3000; calls++) {
		succeed = calls;
		bool fine = record_parse(&back, line, strlen(line));
		int error = errno;
		bool reached = succeed < 0;

		succeed = -1;
		if (!fine) {
			read++;
			CU_ASSERT_EQUAL(error, ENOMEM);
			continue;
		}
		again = record_line(&back);
		CU_ASSERT_PTR_NOT_NULL_FATAL(again);
		CU_ASSERT_STRING_EQUAL(again, line);
		free(again);
		record_release(&back);
		if (!reached)
			break;
	}
	for (long calls = 0; calls < 3000; calls++) {
		succeed = calls;
		again = record_line(&r);
		bool reached = succeed < 0;

		succeed = -1;
		/* Without its evidence, at the worst. */
		if (again) {
			CU_ASSERT_FATAL(
				record_parse(&back, again, strlen(again)));
			CU_ASSERT_STRING_EQUAL(back.result.id, r.result.id);
			CU_ASSERT_EQUAL(back.result.requirement_count,
					r.result.requirement_count);
			record_release(&back);
		}
		free(again);
		if (!reached)
			break;
	}
	CU_ASSERT(read > 10);
	free(line);
}

static void nothing_has_a_hole(void)
{
	for (unsigned n = 1; n <= 3; n++)
		nothing_has_a_hole_of(n);
	fail = 1;
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"nothing has a hole", nothing_has_a_hole},
		{"evidence goes with it", evidence_goes_with_it},
		{"too much is left out", too_much_is_left_out},
		{"wrong evidence is no record", wrong_evidence_is_no_record},
		{"room is what is left", room_is_what_is_left},
	};

	return unit_run("record", tests, UNIT_COUNT(tests));
}

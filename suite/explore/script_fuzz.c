/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any octets as a program: an accepted program is within its ranges, is the
 * same when it is written and read again, and is the source of a case. Its
 * lines are also tried as steps to avoid.
 */
#include "harness/text/text_file.h"
#include "harness/wire/fuzz.h"
#include "suite/explore/as_case.h"
#include "suite/explore/generate.h"

#define LINE_MOST 1024

static bool is_same(const struct program *a, const struct program *b)
{
	return a->streams == b->streams && a->regions == b->regions &&
	       a->steps == b->steps &&
	       memcmp(a->stream, b->stream, sizeof(a->stream)) == 0 &&
	       memcmp(a->region, b->region, sizeof(a->region)) == 0 &&
	       memcmp(a->step, b->step, a->steps * sizeof(a->step[0])) == 0;
}

/* As a file is read: a tab is the only unprintable character. */
static void is_a_line(char *why)
{
	for (char *c = why; *c; c++)
		*c = *c == '\t' ? ' ' : *c;
	must_be_a_line(why);
}

static void try_lines(const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		char line[AVOIDED_TEXT], back[AVOIDED_TEXT], why[256] = "";
		struct avoided a, again;

		snprintf(line, sizeof(line), "%.*s", (int)(n < 400 ? n : 400),
			 text);
		if (avoided_read(line, &a, why, sizeof(why))) {
			avoided_write(&a, back);
			must_hold(avoided_read(back, &again, why, sizeof(why)));
			must_hold(a.stream == again.stream &&
				  a.numbers == again.numbers &&
				  a.fault == again.fault &&
				  a.empty == again.empty);
			must_hold(a.stream || a.op == again.op);
		} else {
			is_a_line(why);
		}
		text += n + (text[n] == '\n');
	}
}

static void use(const struct program *p)
{
	static struct program again;
	const struct as_case_due due = {.broken = 0};
	char *text = NULL, why[256] = "";
	size_t n;
	FILE *out = open_memstream(&text, &n);

	must_hold(out);
	must_hold(program_write(p, out));
	fclose(out);
	must_hold(program_read(&again, "f", text, n, why, sizeof(why)));
	must_hold(is_same(p, &again));
	free(text);
	text = NULL;
	out = open_memstream(&text, &n);
	must_hold(out);
	must_hold(as_case_write(p, &due, out));
	fclose(out);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct program p;
	char *text = malloc(size + 1), why[512] = "";

	must_hold(text);
	memcpy(text, data, size);
	text[size] = '\0';
	if (!text_check("f", 1, text, size, LINE_MOST, why, sizeof(why))) {
		is_a_line(why);
	} else {
		if (program_read(&p, "f", text, size, why, sizeof(why)))
			use(&p);
		else
			is_a_line(why);
		try_lines(text);
	}
	free(text);
	return 0;
}

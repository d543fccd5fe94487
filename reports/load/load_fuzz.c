/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any octets as the report of a run, and a correct one with edits: an accepted
 * report is written and read again with the same result; it does not differ
 * from itself; and it is part of a matrix. For other input there is one line
 * with the error.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/wire/fuzz.h"
#include "reports/compare/diff.h"
#include "reports/load/load.h"
#include "reports/compare/matrix_write.h"
#include "reports/format/formats.h"
#include "reports/sample.h"

static const struct report_options options;

static char *written(const struct run_result *run)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	must_hold(out && report_json(run, &options, out) == 0);
	must_hold(fclose(out) == 0);
	return text;
}

static void round_trip(const struct run_result *run)
{
	char *text = written(run), why[512] = "";
	const struct run_result *again = report_load_octets(
		text, strlen(text), "again", why, sizeof(why));

	must_hold(again);

	char *other = written(again);

	must_hold(strcmp(text, other) == 0);
	free(other);
	free(text);
	report_unload(again);
}

static void no_change(const struct run_result *run)
{
	struct diff d;

	must_hold(diff_runs(run, run, &d));
	must_hold(!d.case_count && !d.fact_count && d.same == run->count);
	diff_free(&d);
}

static void in_a_matrix(const struct run_result *run)
{
	const struct run_result *runs[] = {run, run};
	struct matrix m;
	struct matrix_report r = {&m, DOCUMENT_HTML};
	FILE *out = fopen("/dev/null", "w");

	must_hold(out && matrix_of(runs, 2, false, &m));
	must_hold(matrix_write(&r, &options, out) == 0);
	matrix_free(&m);
	fclose(out);
}

static void load(const char *octets, size_t n)
{
	char why[512] = "";
	const struct run_result *run =
		report_load_octets(octets, n, "f", why, sizeof(why));

	if (run) {
		round_trip(run);
		no_change(run);
		in_a_matrix(run);
	} else {
		must_hold(*why != '\0');
	}
	report_unload(run);
}

/* A report that is right, with edits: where, how many octets of it, and what
 * takes their place, up to a NUL. */
static void load_edited(const uint8_t *data, size_t size)
{
	static char *base;
	struct run_result run = with_dimensions();
	size_t n, at = 0;
	char *text;

	if (!base)
		base = written(&run);
	n = strlen(base);
	text = malloc(n + size + 1);
	must_hold(text);
	memcpy(text, base, n);
	while (size - at > 3) {
		size_t where = (size_t)(data[at] << 8 | data[at + 1]) % n;
		size_t gone = data[at + 2], more;

		at += 3;
		more = strnlen((const char *)data + at, size - at);
		if (gone > n - where)
			gone = n - where;
		memmove(text + where + more, text + where + gone,
			n - where - gone);
		memcpy(text + where, data + at, more);
		n = n - gone + more;
		at += more + (at + more < size);
		if (!n)
			break;
	}
	load(text, n);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size && data[0] == 'e')
		load_edited(data + 1, size - 1);
	else
		load((const char *)data, size);
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any octets as vectors: what is taken has all that a vector has, what is not
 * is reported in one line.
 */
#include "harness/wire/fuzz.h"
#include "vectors/tool/vec.h"

static void must_be_whole(const struct vec *v)
{
	must_hold(v->name && *v->name && v->file && v->section && v->about);
	must_hold(vec_kind_name(v->kind) != NULL);
	must_hold(v->field_count > 0 && v->n <= 70000);
	must_hold((v->kind == VEC_ATOMIC || v->kind == VEC_MULPDU) ==
		  (v->n == 0));
	for (size_t i = 0; i < v->field_count; i++)
		must_hold(v->fields[i].name && v->fields[i].value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vec_set set = {0};
	char *text = malloc(size + 1), why[400] = "";

	must_hold(text);
	memcpy(text, data, size);
	text[size] = '\0';
	if (vec_parse(&set, "f", text, size, why, sizeof(why)) == 0) {
		must_hold(set.n > 0);
		for (size_t i = 0; i < set.n; i++)
			must_be_whole(&set.vec[i]);
	} else {
		for (char *c = why; *c; c++)
			*c = *c == '\t' ? ' ' : *c;
		must_be_a_line(why);
	}
	vec_free(&set);
	free(text);
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "reports/compare/names.h"

#include <stdlib.h>
#include <string.h>

#include "harness/text/memstream.h"

const char *names_letter(size_t run)
{
	static const char letters[MATRIX_RUNS][2] = {
		"A", "B", "C", "D", "E", "F", "G", "H", "I",
		"J", "K", "L", "M", "N", "O", "P", "Q", "R",
		"S", "T", "U", "V", "W", "X", "Y", "Z"};

	return letters[run];
}

void names_put_letters(const bool of[MATRIX_RUNS], FILE *out)
{
	const char *join = "";

	for (size_t i = 0, n; i < MATRIX_RUNS; i += n + 1) {
		for (n = 0; i + n < MATRIX_RUNS && of[i + n];)
			n++;
		if (!n)
			continue;
		fprintf(out, "%s%s", join, names_letter(i));
		if (n > 1)
			fprintf(out, "%s%s", n > 2 ? " to " : ", ",
				names_letter(i + n - 1));
		join = ", ";
	}
}

/* --- what tells apart -------------------------------------------------------- */

static const char *identity(const struct run_result *run, const char *name)
{
	for (size_t i = 0; i < run->identity_count; i++)
		if (strcmp(run->identity[i].name, name) == 0)
			return run->identity[i].value;
	return "";
}

static bool has_twin(const struct matrix *m, size_t run)
{
	for (size_t i = 0; i < m->count; i++)
		if (i != run && strcmp(m->runs[i]->device_name,
				       m->runs[run]->device_name) == 0)
			return true;
	return false;
}

/* False: another device with the same name has the same of it. */
static bool tells_apart(const struct matrix *m, size_t run, const char *name)
{
	const char *own = identity(m->runs[run], name);

	for (size_t i = 0; *own && i < m->count; i++)
		if (i != run &&
		    strcmp(m->runs[i]->device_name,
			   m->runs[run]->device_name) == 0 &&
		    strcmp(identity(m->runs[i], name), own) == 0)
			return false;
	return *own;
}

/* "firmware", or another fact; NULL: the letter has to do. */
static const char *difference(const struct matrix *m, size_t run)
{
	static const char *const first[] = {"firmware", "model"};

	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		if (tells_apart(m, run, first[i]))
			return first[i];
	for (size_t i = 0; i < m->runs[run]->identity_count; i++)
		if (tells_apart(m, run, m->runs[run]->identity[i].name))
			return m->runs[run]->identity[i].name;
	return NULL;
}

static char *name_of(const struct matrix *m, size_t run)
{
	const char *name = m->runs[run]->device_name;
	const char *by = has_twin(m, run) ? difference(m, run) : NULL;
	char *text;

	if (!by)
		return text_held(strdup(name));
	return text_made(asprintf(&text, "%s, %s %s", name, by,
				  identity(m->runs[run], by)))
		       ? text
		       : NULL;
}

/* --- brief ------------------------------------------------------------------- */

enum { BRIEF = 26, BEGIN = 9, END = BRIEF - BEGIN - 1 }; /* characters */

static bool continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

static size_t characters(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += !continues(*s);
	return n;
}

/* Where the n-th character begins. */
static const char *character(const char *s, size_t n)
{
	for (; *s; s++)
		if (!continues(*s) && n-- == 0)
			break;
	return s;
}

static char *brief_of(const char *name)
{
	size_t n = characters(name);
	char *text;

	if (n <= BRIEF)
		return text_held(strdup(name));
	return text_made(asprintf(&text, "%.*s\xe2\x80\xa6%s",
				  (int)(character(name, BEGIN) - name), name,
				  character(name, n - END)))
		       ? text
		       : NULL;
}

bool names_of(const struct matrix *m, struct names *out)
{
	bool ok = true;

	*out = (struct names){0};
	for (size_t i = 0; ok && i < m->count; i++) {
		char *lettered;

		out->of[i] = name_of(m, i);
		ok = out->of[i] &&
		     text_made(asprintf(&lettered, "%s %s", names_letter(i),
					out->of[i]));
		out->lettered[i] = ok ? lettered : NULL;
		out->brief[i] = ok ? brief_of(lettered) : NULL;
		ok = out->brief[i];
	}
	if (!ok)
		names_free(out);
	return ok;
}

void names_free(struct names *n)
{
	for (size_t i = 0; i < MATRIX_RUNS; i++) {
		free(n->of[i]);
		free(n->lettered[i]);
		free(n->brief[i]);
	}
	*n = (struct names){0};
}

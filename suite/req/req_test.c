/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/unit.h"
#include "suite/req/req.h"

/* What each row calls itself in C, beside what the table says of it. */
static const char *const idents[] = {
#define REQ(kind, level, ident, ...) [REQ_INDEX_##ident] = #ident,
#include "suite/req/all.def"
#undef REQ
};

static const char *const layers[] = {"MPA", "DDP", "RDMAP", "SCTP"};
static const char *const actors[] = {"sender", "receiver", "responder",
				     "initiator", "requester"};
/* In the order of all.def. */
static const char *const specs[] = {
	"RFC5044",
	"RFC5041",
	"RFC5040",
	"RFC5043",
	"RFC6581",
	"RFC7306",
	"RFC5042",
	"RFC6580",
	"draft-ietf-storm-rdmap-ext-03",
	"draft-ietf-storm-rdmap-ext-01",
};

/* Fails the test, and says for which row. */
static void row_ok(bool ok, size_t i, const char *what)
{
	if (!ok)
		fprintf(stderr, "%s: %s\n", req_table[i].id, what);
	CU_ASSERT(ok);
}

static int position(const char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return (int)i;
	return -1;
}

static void catalogue_is_complete(void)
{
	size_t per_spec[UNIT_COUNT(specs)] = {0};
	static const size_t due[UNIT_COUNT(specs)] = {
		191, 147, 233, 57, 102, 137, 8, 9, 10, 4,
	};

	CU_ASSERT_EQUAL(REQ_COUNT, 898);
	for (size_t i = 0; i < REQ_COUNT; i++) {
		int spec =
			position(specs, UNIT_COUNT(specs), req_table[i].spec);
		row_ok(spec >= 0, i, "unknown specification");
		if (spec >= 0)
			per_spec[spec]++;
	}
	for (size_t i = 0; i < UNIT_COUNT(specs); i++)
		CU_ASSERT_EQUAL(per_spec[i], due[i]);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void ids_are_unique(void)
{
	const char *ids[REQ_COUNT];

	for (size_t i = 0; i < REQ_COUNT; i++)
		ids[i] = req_table[i].id;
	qsort(ids, REQ_COUNT, sizeof(*ids), by_text);
	for (size_t i = 1; i < REQ_COUNT; i++)
		CU_ASSERT_STRING_NOT_EQUAL(ids[i - 1], ids[i]);
}

static void idents_are_the_ids(void)
{
	for (size_t i = 0; i < REQ_COUNT; i++) {
		const char *id = req_table[i].id, *ident = idents[i];
		bool same = strlen(id) == strlen(ident);

		for (size_t k = 0; same && id[k]; k++)
			same = ident[k] ==
			       (isalnum((unsigned char)id[k]) ? id[k] : '_');
		row_ok(same, i, "the identifier is not the id");
	}
	/* The constant that a case names leads to its own row. */
	CU_ASSERT_STRING_EQUAL(req_table[MPA_4_4_14.index].id, "MPA-4.4-14");
	CU_ASSERT_STRING_EQUAL(req_table[SEC_6_1_1_01.index].id,
			       "SEC-6.1.1-01");
}

/* <PREFIX>-<section>-<two or more digits>; IANA names the RFC too. */
static bool id_is_well_formed(const char *id)
{
	const char *first = strchr(id, '-'), *last = strrchr(id, '-');

	if (!first || first == last || last == first + 1)
		return false;
	for (const char *p = id; p < first; p++)
		if (!isupper((unsigned char)*p) && !isdigit((unsigned char)*p))
			return false;
	for (const char *p = first + 1; p < last; p++)
		if (!isalnum((unsigned char)*p) && !strchr(".-", *p))
			return false;
	return strlen(last + 1) >= 2 &&
	       strspn(last + 1, "0123456789") == strlen(last + 1);
}

static enum req_kind kind_of_level(enum req_level level)
{
	switch (level) {
	case REQ_LEVEL_MUST:
	case REQ_LEVEL_MUST_NOT:
		return REQ_KIND_must;
	case REQ_LEVEL_SHOULD:
	case REQ_LEVEL_SHOULD_NOT:
		return REQ_KIND_should;
	case REQ_LEVEL_MAY:
		break;
	}
	return REQ_KIND_may;
}

static void rows_are_consistent(void)
{
	size_t open = 0;

	for (size_t i = 0; i < REQ_COUNT; i++) {
		const struct req *r = &req_table[i];

		row_ok(id_is_well_formed(r->id), i, "malformed id");
		row_ok(*req_level_name(r->level), i, "unknown level");
		if (r->kind == REQ_KIND_open)
			open++;
		else
			row_ok(r->kind == kind_of_level(r->level), i,
			       "kind and level disagree");
		row_ok(!(r->kind == REQ_KIND_open && r->desc), i,
		       "both open and a stated fact");
		row_ok(position(layers, UNIT_COUNT(layers), r->layer) >= 0, i,
		       "unknown layer");
		row_ok(position(actors, UNIT_COUNT(actors), r->actor) >= 0, i,
		       "unknown actor");
		row_ok(*r->section, i, "no section");
	}
	CU_ASSERT_EQUAL(open, 57);
}

/* A sentence each, on one line, with no mark-up left in it. */
static void row_text_ok(size_t i, const char *text)
{
	size_t n = strlen(text);

	row_ok(n > 0 && text[n - 1] == '.', i, "not a sentence");
	row_ok(!strpbrk(text, "{}\t\n"), i, "a mark or a control octet");
	row_ok(!strstr(text, "  "), i, "two spaces in a row");
}

static void texts_are_sentences(void)
{
	for (size_t i = 0; i < REQ_COUNT; i++) {
		row_text_ok(i, req_table[i].requirement);
		row_text_ok(i, req_table[i].stimulus);
		row_text_ok(i, req_table[i].expected);
	}
}

/*
 * Sorted by specification, and within one by the section in the id and then
 * by number: strverscmp() reads the digits of "4.10" as a number, and the
 * prefixes of one specification stay together.
 */
static void rows_are_sorted(void)
{
	for (size_t i = 1; i < REQ_COUNT; i++) {
		const struct req *a = &req_table[i - 1], *b = &req_table[i];
		int sa = position(specs, UNIT_COUNT(specs), a->spec);
		int sb = position(specs, UNIT_COUNT(specs), b->spec);

		row_ok(sa <= sb, i, "its specification is out of order");
		if (sa != sb)
			continue;
		size_t prefix = strcspn(a->id, "-") + 1;
		if (strncmp(a->id, b->id, prefix) != 0)
			row_ok(strcspn(b->id, "-") + 1 != prefix ||
				       strncmp(a->id, b->id, prefix) < 0,
			       i, "its prefix is out of order");
		else
			row_ok(strverscmp(a->id, b->id) < 0, i, "out of order");
	}
}

static void find_finds(void)
{
	for (size_t i = 0; i < REQ_COUNT; i++)
		CU_ASSERT_PTR_EQUAL(req_find(req_table[i].id), &req_table[i]);
	CU_ASSERT_PTR_NULL(req_find("MPA-4.4-99"));
	CU_ASSERT_PTR_NULL(req_find("MPA-4.4-1"));
	CU_ASSERT_PTR_NULL(req_find(""));
}

static void levels_have_names(void)
{
	CU_ASSERT_STRING_EQUAL(req_level_name(REQ_LEVEL_MUST), "MUST");
	CU_ASSERT_STRING_EQUAL(req_level_name(REQ_LEVEL_MUST_NOT), "MUST NOT");
	CU_ASSERT_STRING_EQUAL(req_level_name(REQ_LEVEL_SHOULD), "SHOULD");
	CU_ASSERT_STRING_EQUAL(req_level_name(REQ_LEVEL_SHOULD_NOT),
			       "SHOULD NOT");
	CU_ASSERT_STRING_EQUAL(req_level_name(REQ_LEVEL_MAY), "MAY");
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"catalogue is complete", catalogue_is_complete},
		{"ids are unique", ids_are_unique},
		{"idents are the ids", idents_are_the_ids},
		{"rows are consistent", rows_are_consistent},
		{"texts are sentences", texts_are_sentences},
		{"rows are sorted", rows_are_sorted},
		{"find finds", find_finds},
		{"levels have names", levels_have_names},
	};

	return unit_run("req", tests, UNIT_COUNT(tests));
}

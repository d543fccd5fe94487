/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Matchers: functions that return an expectation. Here are those on values, and
 * sets of others.
 */
#include "suite/language/execution/execution.h"

#include <string.h>

#include "suite/language/text/objection_say.h"

#define HEX_SHOWN   64
#define FRAME_SHOWN 96

/* --- values ---------------------------------------------------------------- */

enum compare { EQUAL, DIFFERENT, AT_MOST, AT_LEAST };

static bool ends_with(const char *what, const char *name)
{
	size_t n = strlen(what), end = strlen(name);

	return n >= end && strcmp(what + n - end, name) == 0 &&
	       (n == end || what[n - end - 1] == ' ');
}

/* One notation for the expected and the observed value, chosen by the field. */
static value_text *number_text(const char *what, uint64_t a, uint64_t b)
{
	if (strncmp(what, "segments", 8) == 0)
		return text_decimal;
	if (ends_with(what, "STag"))
		return text_stag;
	if (ends_with(what, "TO"))
		return text_to;
	if (strstr(what, "reserved bits"))
		return text_bits;
	return a <= UINT16_MAX && b <= UINT16_MAX ? text_decimal : text_both;
}

static bool compares(struct test *t, const struct expect *e)
{
	static const char *const words[] = {
		[EQUAL] = "",
		[DIFFERENT] = "other than ",
		[AT_MOST] = "at most ",
		[AT_LEAST] = "at least ",
	};

	value_text *text = number_text(e->what, e->a, e->b);

	test_due(t, "%s: %s%s", e->what, words[e->c], text(t, e->b));
	test_seen(t, "%s", text(t, e->a));
	look_at_field(t, e->what, e->a);
	t->contradicted = true;
	switch ((enum compare)e->c) {
	case EQUAL:
		return e->a == e->b;
	case DIFFERENT:
		return e->a != e->b;
	case AT_MOST:
		return e->a <= e->b;
	case AT_LEAST:
		return e->a >= e->b;
	}
	return false;
}

static struct expect number(const char *what, uint64_t seen, enum compare how,
			    uint64_t due)
{
	return (struct expect){
		.holds = compares, .what = what, .a = seen, .b = due, .c = how};
}

struct expect is(const char *what, uint64_t seen, uint64_t due)
{
	return number(what, seen, EQUAL, due);
}

struct expect is_not(const char *what, uint64_t seen, uint64_t unwanted)
{
	return number(what, seen, DIFFERENT, unwanted);
}

struct expect at_most(const char *what, uint64_t seen, uint64_t limit)
{
	return number(what, seen, AT_MOST, limit);
}

struct expect at_least(const char *what, uint64_t seen, uint64_t limit)
{
	return number(what, seen, AT_LEAST, limit);
}

struct octet_pair {
	const uint8_t *seen, *due;
	size_t seen_n, due_n;
};

/* Without an agent, what the ULP has put into a startup frame is as it likes. */
static bool is_of_the_ulp(struct test *t, const struct octet_pair *p)
{
	for (unsigned i = 0; test_alone(t) && i < t->streams; i++) {
		const struct mpa_startup *f = &t->stream[i].seen_frame;
		size_t at = (size_t)(p->seen - f->private_data);

		if (f->private_octets && p->seen >= f->private_data &&
		    at < f->private_octets)
			return alone_asks(
				t, "to know the private data of its ULP");
	}
	return false;
}

static bool same_octets(struct test *t, const struct expect *e)
{
	const struct octet_pair *p = e->p;

	if (p->seen_n && is_of_the_ulp(t, p))
		return false;

	test_due(t, "%s: %s", e->what,
		 test_hex(t, p->due, p->due_n, HEX_SHOWN));
	test_seen(t, "%s", test_hex(t, p->seen, p->seen_n, HEX_SHOWN));
	look_at_octets(t, p->seen, p->seen_n, p->due, p->due_n);
	t->contradicted = p->seen_n > 0;
	if (p->seen_n != p->due_n)
		return false;
	for (size_t i = 0; i < p->due_n; i++) {
		if (p->seen[i] == p->due[i])
			continue;
		if (i >= HEX_SHOWN) {
			test_due(t, "%s: from octet %zu on %s", e->what, i,
				 test_hex(t, p->due + i, p->due_n - i,
					  HEX_SHOWN));
			test_seen(t, "%s",
				  test_hex(t, p->seen + i, p->seen_n - i,
					   HEX_SHOWN));
		}
		return false;
	}
	return true;
}

struct expect octets_are(struct test *t, const char *what, const void *seen,
			 size_t seen_n, const void *due, size_t due_n)
{
	struct octet_pair *p = test_alloc(t, sizeof(*p));

	*p = (struct octet_pair){seen, due, seen ? seen_n : 0, due_n};
	return (struct expect){.holds = same_octets, .what = what, .p = p};
}

static bool same_private_data(struct test *t, const struct expect *e)
{
	return t->bed->hello.untold & AGENT_UNTOLD_PRIVATE_DATA
		       ? test_not_told(t, "the private data of the peer")
		       : same_octets(t, e);
}

struct expect ulp_gets(struct test *t, const void *seen, size_t seen_n,
		       const void *due, size_t due_n)
{
	struct expect e = octets_are(t, "private data at the ULP", seen, seen_n,
				     due, due_n);

	e.holds = same_private_data;
	return e;
}

static bool is_true(struct test *t, const struct expect *e)
{
	test_due(t, "%s", e->what);
	t->seen = e->a ? "as expected" : e->instead ? e->instead : "";
	t->shows_last = !e->a;
	return e->a;
}

struct expect holds(const char *what, bool seen)
{
	return (struct expect){.holds = is_true, .what = what, .a = seen};
}

struct expect holds_else(struct test *t, const char *what, bool seen,
			 const char *instead, ...)
{
	struct expect e = holds(what, seen);
	va_list ap;

	va_start(ap, instead);
	if (!seen)
		e.instead = observe_vformat(t->bed->log, instead, ap);
	va_end(ap);
	return e;
}

static bool is_true_of(struct test *t, const struct expect *e)
{
	const struct frame *f = e->p;

	if (e->a || !f)
		return is_true(t, e);
	test_due(t, "%s", e->what);
	test_seen(t, "%s [%s]%s%s", test_frame_text(t, f),
		  test_frame_hex(t, f, FRAME_SHOWN), e->instead ? ": " : "",
		  e->instead ? e->instead : "");
	return false;
}

struct expect holds_of(const struct frame *f, const char *what, bool seen,
		       const char *instead)
{
	return (struct expect){.holds = is_true_of,
			       .what = what,
			       .a = seen,
			       .p = f,
			       .instead = f ? instead : "no message came"};
}

/* --- sets ------------------------------------------------------------------- */

static bool one_holds(struct test *t, const struct expect *e)
{
	const char *all = "";

	for (size_t i = 0; i < e->a; i++) {
		const struct expect *x = &e->alternatives[i];

		t->due = x->due ? x->due : "";
		t->shows_last = false;
		if (x->holds(t, x)) {
			if (e->a > 1)
				test_due(t, "%s (one of %llu outcomes allowed)",
					 t->due, (unsigned long long)e->a);
			return true;
		}
		all = test_format(t, "%s%s%s", all, i ? ", or " : "", t->due);
	}
	t->due = all;
	return false;
}

struct expect case_any_of(struct test *t, const struct expect *e, size_t n)
{
	struct expect *copy = test_alloc(t, n * sizeof(*copy));

	memcpy(copy, e, n * sizeof(*copy));
	return (struct expect){
		.holds = one_holds, .a = n, .alternatives = copy};
}

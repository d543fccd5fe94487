/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/refdut/decision/overrides.h"
#include "harness/refdut/decision/override.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern struct override *const __start_refdut_overrides[] __attribute__((weak));
extern struct override *const __stop_refdut_overrides[] __attribute__((weak));
extern struct decision *const __start_refdut_decisions[] __attribute__((weak));
extern struct decision *const __stop_refdut_decisions[] __attribute__((weak));

struct override *override_at(size_t i)
{
	size_t n = (size_t)(__stop_refdut_overrides - __start_refdut_overrides);

	return i < n ? __start_refdut_overrides[i] : NULL;
}

struct decision *decision_at(size_t i)
{
	size_t n = (size_t)(__stop_refdut_decisions - __start_refdut_decisions);

	return i < n ? __start_refdut_decisions[i] : NULL;
}

static bool is_fault(const struct override *o)
{
	return o->kind == OVERRIDE_MUTANT || o->kind == OVERRIDE_COINCIDENCE;
}

static bool is_choice(const struct override *o)
{
	return o->kind == OVERRIDE_VARIANT;
}

static struct override *named(const char *name, size_t n,
			      bool (*of_kind)(const struct override *))
{
	struct override *o;

	for (size_t i = 0; (o = override_at(i)); i++)
		if (of_kind(o) && strlen(o->name) == n &&
		    memcmp(o->name, name, n) == 0)
			return o;
	return NULL;
}

/* Octets that are left out, put in or replaced. */
static unsigned distance(const char *a, const char *b)
{
	enum { LONGEST = 80 };
	unsigned row[LONGEST + 1];
	size_t n = strlen(b);

	if (n > LONGEST)
		return LONGEST;
	for (size_t j = 0; j <= n; j++)
		row[j] = (unsigned)j;
	for (; *a; a++) {
		unsigned corner = row[0]++;

		for (size_t j = 1; j <= n; j++) {
			unsigned best = corner + (*a != b[j - 1]);

			best = row[j] + 1 < best ? row[j] + 1 : best;
			best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
			corner = row[j];
			row[j] = best;
		}
	}
	return row[n];
}

const struct override *override_meant(const char *name)
{
	const struct override *o, *meant = NULL;
	unsigned least = 4;

	for (size_t i = 0; (o = override_at(i)); i++) {
		unsigned d = is_fault(o) || is_choice(o)
				     ? distance(name, o->name)
				     : least;

		if (d >= least)
			continue;
		least = d;
		meant = o;
	}
	return meant;
}

/* The override itself, and those of its further decisions. */
static void take(const char *name, size_t n, bool taken)
{
	struct override *o;

	for (size_t i = 0; (o = override_at(i)); i++)
		if (strlen(o->name) == n && memcmp(o->name, name, n) == 0)
			o->taken = taken;
}

/* Whether it is a fault, or a further decision of a fault. */
static bool belongs_to_fault(const struct override *o)
{
	return named(o->name, strlen(o->name), is_fault) != NULL;
}

static void push_taken(bool faults)
{
	struct override *o;

	for (size_t i = 0; (o = override_at(i)); i++) {
		if (!o->taken || belongs_to_fault(o) != faults)
			continue;
		o->below = o->decision->top;
		o->decision->top = o;
	}
}

/* A fault lies above the choices: it is a fault of a device that made them. */
static void chain(void)
{
	struct decision *d;

	for (size_t i = 0; (d = decision_at(i)); i++)
		d->top = &d->rule;
	push_taken(false);
	push_taken(true);
}

static void take_none(bool faults)
{
	struct override *o;

	for (size_t i = 0; (o = override_at(i)); i++)
		if (o->taken && belongs_to_fault(o) == faults)
			o->taken = false;
}

bool mutants_plant(const char *list)
{
	bool known = true;

	take_none(true);
	for (; known; list++) {
		size_t n = strcspn(list, ",");

		known = named(list, n, is_fault) != NULL;
		if (known)
			take(list, n, true);
		list += n;
		if (!*list)
			break;
	}
	if (!known)
		take_none(true);
	chain();
	return known;
}

static bool take_choice(const char *name, size_t n, char *why, size_t cap)
{
	struct override *found = named(name, n, is_choice);
	struct override *o;

	if (!found) {
		snprintf(why, cap,
			 "no such variant (--list-variants lists them): %.*s",
			 (int)n, name);
		return false;
	}
	for (size_t i = 0; (o = override_at(i)); i++)
		if (o != found && o->taken && is_choice(o) &&
		    strcmp(o->matter, found->matter) == 0) {
			snprintf(why, cap,
				 "variants %s and %s exclude each other",
				 o->name, found->name);
			return false;
		}
	take(name, n, true);
	return true;
}

bool variants_take(const char *list, char *why, size_t cap)
{
	for (;; list++) {
		size_t n = strcspn(list, ",");

		if (!take_choice(list, n, why, cap))
			return false;
		list += n;
		if (!*list)
			break;
	}
	chain();
	return true;
}

void overrides_clear(void)
{
	take_none(true);
	take_none(false);
	chain();
}

static void list_kind(FILE *to, enum override_kind kind)
{
	struct override *o;

	for (size_t i = 0; (o = override_at(i)); i++)
		if (o->kind == kind)
			fprintf(to, "%s\t%s%s%s\t%s\n", o->name,
				o->matter ? o->matter : "",
				o->matter ? "\t" : "", o->reqs, o->sentence);
}

void mutant_list(FILE *to)
{
	list_kind(to, OVERRIDE_MUTANT);
}

void coincidence_list(FILE *to)
{
	list_kind(to, OVERRIDE_COINCIDENCE);
}

void variants_list(FILE *to)
{
	list_kind(to, OVERRIDE_VARIANT);
}

bool chosen(struct override *self)
{
	const char *path = self->noted ? NULL : getenv("REFDUT_CHOICES");
	char line[128];
	int fd, n;

	self->noted = true;
	fd = path ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
	if (fd < 0)
		return true;
	n = snprintf(line, sizeof(line), "%s\n", self->name);
	/* Whoever reads the file notices a lost line. */
	if (write(fd, line, (size_t)n) < n)
		perror(path);
	close(fd);
	return true;
}

void mutant_crash(const char *where)
{
	fprintf(stderr, "warpspec-refdut: crashed: %s\n", where);
	_exit(70);
}

struct remembered {
	struct remembered *next;
	const char *fault;
	void (*forget)(void *octets);
	_Alignas(max_align_t) uint8_t octets[];
};

void *remember(struct remembered **of, const struct override *self, size_t size)
{
	return remember_until(of, self, size, NULL);
}

void *remember_until(struct remembered **of, const struct override *self,
		     size_t size, void (*forget)(void *octets))
{
	struct remembered *r;

	for (r = *of; r; r = r->next)
		if (strcmp(r->fault, self->name) == 0 && r->forget == forget)
			return r->octets;
	r = calloc(1, sizeof(*r) + size);
	if (!r) {
		fputs("warpspec-refdut: out of memory\n", stderr);
		exit(EXIT_FAILURE);
	}
	r->next = *of;
	r->fault = self->name;
	r->forget = forget;
	*of = r;
	return r->octets;
}

void remembered_free(struct remembered **of)
{
	while (*of) {
		struct remembered *r = *of;

		*of = r->next;
		if (r->forget)
			r->forget(r->octets);
		free(r);
	}
}

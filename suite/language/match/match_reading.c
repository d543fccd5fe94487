/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The one matcher that looks at octets as they were sent, for devices that
 * encode fields differently.
 */
#include "suite/language/execution/execution.h"

/* Octets of this group in wrong positions, and their meaning: from this case,
 * or else from the probes. False: none. */
static bool find_displaced(struct test *t, enum reading_group g,
			   const char *fields, bool here, const uint8_t **sent,
			   const uint8_t **meant)
{
	const struct readings *in_force = &t->bed->readings;
	bool came = false;

	for (const struct interpretation *x = t->interpreter.first; x;
	     x = x->next) {
		if (x->reading->group != g)
			continue;
		came = true;
		*sent = x->sent;
		*meant = x->meant;
		if (reading_fields_differ(g, fields, *sent, *meant))
			return true;
	}
	if (came || here || !in_force->of[g])
		return false;
	*sent = in_force->sent[g];
	*meant = interpret_octets(&t->interpreter, in_force->of[g], *sent);
	return *meant && reading_fields_differ(g, fields, *sent, *meant);
}

static bool is_placed(struct test *t, const struct expect *e)
{
	const struct reading_group_desc *g = reading_group(e->a);
	const struct reading *r = t->bed->readings.of[e->a];
	const uint8_t *sent, *meant;

	if (!find_displaced(t, e->a, e->p, e->b, &sent, &meant)) {
		test_due(t, "%s as %s draws it", g->name, g->section);
		test_seen(t, "as expected");
		return true;
	}
	test_due(t, "%s (%s): %s", g->name, g->section,
		 test_hex(t, meant, g->octets, g->octets));
	test_seen(t, "%s: the device always %s (reading %s)",
		  test_hex(t, sent, g->octets, g->octets), r->note, r->name);
	return false;
}

struct expect placed(enum reading_group group, const char *fields)
{
	return (struct expect){.holds = is_placed, .a = group, .p = fields};
}

struct expect placed_here(enum reading_group group, const char *fields)
{
	return (struct expect){
		.holds = is_placed, .a = group, .b = true, .p = fields};
}

void told_once(struct test *t)
{
	if (t->in->role == INITIATOR && t->bed->claims & NEED_RESPONDER)
		not_applicable(t,
			       "judged by the responder variant of this case");
}

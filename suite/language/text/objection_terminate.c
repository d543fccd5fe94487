/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objections to a Terminate, to the headers it returns, and to a missing one.
 */
#include "suite/language/text/objection_say.h"

/* ---- its numbers ------------------------------------------------------------ */

static const char *numbers(struct test *t, uint64_t packed)
{
	return test_terminate_text(t, (unsigned)(packed >> 12),
				   (unsigned)(packed >> 8 & 0xf),
				   (unsigned)(packed & 0xff));
}

static const char *outcome_text(struct test *t, const struct model_outcome *o)
{
	switch (o->kind) {
	case MODEL_PROCESS:
		return "the message accepted";
	case MODEL_TERMINATE:
		if (o->layer == MODEL_ANY)
			return "a Terminate with any registered numbers";
		return test_format(
			t, "a Terminate %s",
			test_terminate_text(t, o->layer, o->etype, o->code));
	case MODEL_BACK_PRESSURE:
		return "the message held back by the LLP";
	case MODEL_DROP:
		return "the TCP segment dropped silently";
	case MODEL_WAIT:
		return "nothing before the rest is there";
	case MODEL_END:
		return "the end of the stream";
	case MODEL_IGNORE:
		return "nothing, as the stream has failed";
	}
	return "";
}

/* Every permitted reaction to the peer's fault; or only the Terminates. */
static const char *allowed(struct test *t, const struct model_outcomes *o,
			   bool terminates)
{
	bool any = model_outcomes_terminate(o, MODEL_ANY, MODEL_ANY, MODEL_ANY);
	const char *text = "";
	unsigned n = 0;

	for (unsigned i = 0; i < o->n; i++) {
		const struct model_outcome *x = &o->outcome[i];
		bool is_terminate = x->kind == MODEL_TERMINATE;

		if ((terminates && !is_terminate) ||
		    (any && is_terminate && x->layer != MODEL_ANY))
			continue;
		text = test_format(t, "%s%s%s", text, n++ ? ", or " : "",
				   outcome_text(t, x));
	}
	if (!n)
		return "no Terminate";
	return n == 1 ? text : test_format(t, "one of: %s", text);
}

void say_refused(struct test *t, const struct kind *k,
		 const struct model_objection *o, struct words *w)
{
	w->due = allowed(t, &o->allowed, false);
	w->seen = say_answer_to(t, k->field, o->opcode, o->seen);
}

void say_code(struct test *t, const struct kind *k,
	      const struct model_objection *o, struct words *w)
{
	w->due = k->field ? k->field : allowed(t, &o->allowed, true);
	w->seen = numbers(t, o->seen);
}

/* The numbers registered for its layer and type. */
void say_unregistered(struct test *t, const struct kind *k,
		      const struct model_objection *o, struct words *w)
{
	unsigned layer = (unsigned)(o->seen >> 12);
	unsigned etype = (unsigned)(o->seen >> 8 & 0xf);
	const char *text = "";

	for (unsigned code = 0; code <= 0xff; code++)
		if (model_terminate_registered(layer, etype, code))
			text = test_format(t, "%s%s%x/%x/%02x", text,
					   *text ? ", " : "", layer, etype,
					   code);
	w->due = *text ? test_format(t, "%s: one of %s", k->field, text)
		       : k->field;
	w->seen = numbers(t, o->seen);
}

/* ---- its form ---------------------------------------------------------------- */

/* M, D and R, as far as they are in `which`. */
static const char *text_header_bits(struct test *t, uint64_t bits,
				    uint64_t which)
{
	static const char *const names[] = {"R", "D", "M"};
	const char *text = "";

	for (unsigned i = 3; i-- > 0;)
		if (which >> i & 1)
			text = test_format(t, "%s%s%s=%u", text,
					   *text ? ", " : "", names[i],
					   (unsigned)(bits >> i & 1));
	return text;
}

#define ALL_BITS UINT64_MAX

void say_header_bits(struct test *t, const struct kind *k,
		     const struct model_objection *o, struct words *w)
{
	uint64_t free_choice = o->due ^ o->due_max;

	w->due = test_format(t, "%s: %s", k->field,
			     text_header_bits(t, o->due, ~free_choice));
	w->seen = text_header_bits(t, o->seen, ALL_BITS);
}

void say_terminate_length(struct test *t, const struct kind *k,
			  const struct model_objection *o, struct words *w)
{
	say_value(t, k, o, w);
	if (o->due == o->due_max)
		w->due = test_format(t, "%s, with %s", w->due,
				     text_header_bits(t, o->at, ALL_BITS));
}

/* ---- the headers that it returns ----------------------------------------- */

/* The first field in which two headers of one kind differ. */
static struct words at_odds(struct test *t, const struct ddp *seen,
			    const struct ddp *due)
{
	const struct {
		const char *name;
		value_text *text;
		uint64_t seen, due;
	} fields[] = {
		{"L", text_decimal, seen->last, due->last},
		{"Rsvd", text_bits, seen->rsvd, due->rsvd},
		{"DV", text_decimal, seen->dv, due->dv},
		{"RV", text_decimal, seen->rv, due->rv},
		{"Rsv", text_bits, seen->rdmap_rsvd, due->rdmap_rsvd},
		{"opcode", text_opcode, seen->opcode, due->opcode},
		{"STag", text_stag, seen->stag, due->stag},
		{"TO", text_to, seen->to, due->to},
		{"Invalidate STag", text_stag, seen->inval_stag,
		 due->inval_stag},
		{"QN", text_decimal, seen->qn, due->qn},
		{"MSN", text_decimal, seen->msn, due->msn},
		{"MO", text_decimal, seen->mo, due->mo},
	};
	size_t i = 0, last = sizeof(fields) / sizeof(fields[0]) - 1;

	while (i < last && fields[i].seen == fields[i].due)
		i++;
	return (struct words){
		.due = test_format(t, "%s: %s", fields[i].name,
				   fields[i].text(t, fields[i].due)),
		.seen = fields[i].text(t, fields[i].seen),
	};
}

void say_ddp_header(struct test *t, const struct kind *k,
		    const struct model_objection *o, struct words *w)
{
	static const char *const kinds[] = {"the header of an untagged segment",
					    "the header of a tagged segment"};
	const char *hex = say_hex(t, &o->seen_octets);
	struct ddp_segment seen, due;

	if (!o->due_octets.n) {
		*w = (struct words){k->field, hex};
		return;
	}
	ddp_decode(&seen, o->seen_octets.octet, o->seen_octets.n);
	ddp_decode(&due, o->due_octets.octet, o->due_octets.n);
	if (seen.ddp.tagged == due.ddp.tagged)
		*w = at_odds(t, &seen.ddp, &due.ddp);
	else
		*w = (struct words){kinds[due.ddp.tagged],
				    kinds[seen.ddp.tagged]};
	w->due = test_format(t, "%s [%s]", w->due, say_hex(t, &o->due_octets));
	w->seen = test_format(t, "%s [%s]", w->seen, hex);
}

void say_rdma_header(struct test *t, const struct kind *k,
		     const struct model_objection *o, struct words *w)
{
	say_value(t, k, o, w);
	if (o->at)
		w->due = test_format(t, "%s, after an answer of %s", w->due,
				     text_octets(t, o->at));
}

/* ---- the end ---------------------------------------------------------------------- */

static const char *end(const struct test *t, uint64_t how)
{
	if (test_on_sctp(t))
		return how == MODEL_END_FIN ? "Session Terminate" : "ABORT";
	return how == MODEL_END_FIN ? "FIN" : "RST";
}

void say_missing(struct test *t, const struct kind *k,
		 const struct model_objection *o, struct words *w)
{
	w->due = allowed(t, &o->allowed, true);
	w->seen = test_format(t, "%s %s", end(t, o->seen), k->field);
}

void say_end(struct test *t, const struct kind *k,
	     const struct model_objection *o, struct words *w)
{
	(void)k;
	*w = (struct words){end(t, o->due), end(t, o->seen)};
}

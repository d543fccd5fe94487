/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/language/text/objection_say.h"

#include <string.h>

#define MEMBERS 3 /* of every set that has names */

/* ---- values ----------------------------------------------------------------- */

const char *text_decimal(struct test *t, uint64_t v)
{
	return test_format(t, "%llu", (unsigned long long)v);
}

const char *text_bits(struct test *t, uint64_t v)
{
	return test_format(t, "0x%llx", (unsigned long long)v);
}

const char *text_both(struct test *t, uint64_t v)
{
	return test_format(t, "%llu (0x%llx)", (unsigned long long)v,
			   (unsigned long long)v);
}

const char *text_octets(struct test *t, uint64_t v)
{
	return test_format(t, "%llu octet%s", (unsigned long long)v,
			   v == 1 ? "" : "s");
}

const char *text_stag(struct test *t, uint64_t v)
{
	return test_format(t, "0x%08llx", (unsigned long long)v);
}

const char *text_to(struct test *t, uint64_t v)
{
	return test_format(t, "0x%llx", (unsigned long long)v);
}

const char *text_word(struct test *t, uint64_t v)
{
	return test_format(t, "0x%016llx", (unsigned long long)v);
}

/* RFC 6581 s9.1: one value says that the depth is not negotiated here. */
static const char *text_depth(struct test *t, uint64_t v)
{
	return v == MPA_NOT_NEGOTIATED ? "0x3fff (not negotiated)"
				       : text_decimal(t, v);
}

const char *text_opcode(struct test *t, uint64_t v)
{
	(void)t;
	return rdmap_opcode_name((uint8_t)v);
}

static const char *const aopcodes[MEMBERS] = {"0 (FetchAdd)", "1 (Swap)",
					      "2 (CmpSwap)"};

static const char *text_aopcode(struct test *t, uint64_t v)
{
	return v < MEMBERS ? aopcodes[v] : text_decimal(t, v);
}

/* The range of expected values, up to due_max. */
static const char *range(struct test *t, const struct model_objection *o,
			 value_text *text)
{
	const char *low = text(t, o->due);

	if (o->due_max == o->due)
		return low;
	if (o->due_max == UINT64_MAX)
		return test_format(t, "at least %s", low);
	if (o->due == 0)
		return test_format(t, "at most %s", text(t, o->due_max));
	return test_format(t, "%s %s %s", low,
			   o->due_max == o->due + 1 ? "or" : "to",
			   text(t, o->due_max));
}

static void value(struct test *t, const char *field, value_text *text,
		  const struct model_objection *o, struct words *w)
{
	w->due = test_format(t, "%s: %s", field, range(t, o, text));
	w->seen = text(t, o->seen);
}

/* Names and notations of fields that a fault does not imply. */
static const struct {
	const char *name;
	value_text *text;
} fields[MODEL_FIELD_COUNT] = {
	[MODEL_FIELD_REV] = {"Rev", text_decimal},
	[MODEL_FIELD_PD_LENGTH] = {"PD_Length", text_octets},
	[MODEL_FIELD_OPCODE] = {"opcode", text_opcode},
	[MODEL_FIELD_INVALIDATE_STAG] = {"Invalidate STag", text_stag},
	[MODEL_FIELD_MO] = {"MO", text_decimal},
	[MODEL_FIELD_SINK_STAG] = {"Data Sink STag", text_stag},
	[MODEL_FIELD_SINK_TO] = {"Data Sink Tagged Offset", text_to},
	[MODEL_FIELD_SIZE] = {"RDMA Read Message Size", text_octets},
	[MODEL_FIELD_SOURCE_STAG] = {"Data Source STag", text_stag},
	[MODEL_FIELD_SOURCE_TO] = {"Data Source Tagged Offset", text_to},
	[MODEL_FIELD_REMOTE_STAG] = {"Remote STag", text_stag},
	[MODEL_FIELD_REMOTE_TO] = {"Remote Tagged Offset", text_to},
	[MODEL_FIELD_DATA] = {"Add or Swap Data", text_word},
	[MODEL_FIELD_MASK] = {"Add or Swap Mask", text_word},
	[MODEL_FIELD_COMPARE] = {"Compare Data", text_word},
	[MODEL_FIELD_COMPARE_MASK] = {"Compare Mask", text_word},
};

const char *say_field(const struct model_objection *o)
{
	return fields[o->field].name;
}

void say_value(struct test *t, const struct kind *k,
	       const struct model_objection *o, struct words *w)
{
	if (fields[o->field].name)
		value(t, fields[o->field].name, fields[o->field].text, o, w);
	else
		value(t, k->field, k->text, o, w);
}

static const char *of_message(struct test *t, const char *field,
			      const struct model_objection *o)
{
	return test_format(t, "%s of %s", field, rdmap_opcode_name(o->opcode));
}

void say_value_of_message(struct test *t, const struct kind *k,
			  const struct model_objection *o, struct words *w)
{
	value(t, of_message(t, k->field, o), k->text, o, w);
}

void say_phrases(struct test *t, const struct kind *k,
		 const struct model_objection *o, struct words *w)
{
	size_t n = strcspn(k->field, "/");

	(void)o;
	w->due = test_format(t, "%.*s", (int)n, k->field);
	w->seen = k->field + n + 1;
}

static void flag(struct test *t, const char *field,
		 const struct model_objection *o, struct words *w)
{
	w->due = test_format(t, "%s=%u", field, o->due != 0);
	w->seen = test_format(t, "%s=%u", field, o->seen != 0);
}

void say_flag(struct test *t, const struct kind *k,
	      const struct model_objection *o, struct words *w)
{
	flag(t, k->field, o, w);
}

void say_flag_of_message(struct test *t, const struct kind *k,
			 const struct model_objection *o, struct words *w)
{
	flag(t, k->field, o, w);
	w->due = test_format(t, "%s in %s", w->due,
			     rdmap_opcode_name(o->opcode));
}

const char *say_hex(struct test *t, const struct model_octets *o)
{
	return test_hex(t, o->octet, o->n, MODEL_OCTETS);
}

void say_octets(struct test *t, const struct kind *k,
		const struct model_objection *o, struct words *w)
{
	w->due = test_format(t, "%s: %s", k->field, say_hex(t, &o->due_octets));
	w->seen = say_hex(t, &o->seen_octets);
}

void say_data(struct test *t, const struct kind *k,
	      const struct model_objection *o, struct words *w)
{
	say_octets(t, k, o, w);
	w->due = test_format(t, "%s from octet %llu on: %s", k->field,
			     (unsigned long long)o->at,
			     say_hex(t, &o->due_octets));
}

void say_message(struct test *t, const struct kind *k,
		 const struct model_objection *o, struct words *w)
{
	w->due = o->due == MODEL_NOTHING
			 ? k->field
			 : test_format(t, "%s, the next that was posted",
				       text_opcode(t, o->due));
	w->seen =
		o->seen == MODEL_NOTHING ? "an FPDU" : text_opcode(t, o->seen);
}

/* "B, C and D": the names of the bits that are set. */
static const char *list(struct test *t, uint64_t set, const char *const *names,
			const char *last)
{
	const char *text = "";

	for (unsigned i = 0; i < MEMBERS; i++)
		if (set >> i & 1)
			text = test_format(t, "%s%s%s", text,
					   !*text          ? ""
					   : set >> i == 1 ? last
							   : ", ",
					   names[i]);
	return text;
}

/* ---- startup frames ----------------------------------------------------------- */

static const char *key(struct test *t, const struct model_octets *o)
{
	for (unsigned i = 0; i < o->n; i++)
		if (o->octet[i] < ' ' || o->octet[i] > '~')
			return say_hex(t, o);
	return test_format(t, "\"%.*s\"", o->n, (const char *)o->octet);
}

void say_key(struct test *t, const struct kind *k,
	     const struct model_objection *o, struct words *w)
{
	w->due = test_format(t, "%s: %s", k->field, key(t, &o->due_octets));
	w->seen = key(t, &o->seen_octets);
}

void say_pd_length(struct test *t, const struct kind *k,
		   const struct model_objection *o, struct words *w)
{
	say_value(t, k, o, w);
	if (o->field == MODEL_FIELD_PRIVATE_DATA && o->at)
		w->due = test_format(
			t, "%s, %s of enhanced data and %s of the ULP", w->due,
			text_decimal(t, o->at),
			text_decimal(t, o->due - o->at));
	else if (o->field == MODEL_FIELD_PRIVATE_DATA)
		w->due = test_format(t, "%s, those of the ULP", w->due);
	else if (o->due == o->due_max)
		w->due = test_format(t, "%s, as many as follow", w->due);
}

void say_enhanced(struct test *t, const struct kind *k,
		  const struct model_objection *o, struct words *w)
{
	if (fields[o->field].name)
		say_value(t, k, o, w);
	else
		flag(t, k->field, o, w);
	w->due = test_format(t, "%s, with enhanced data", w->due);
}

/* Bits of enum model_rtr. */
static const char *const rtr_flags[MEMBERS] = {"B", "C", "D"};
static const char *const rtr_forms[MEMBERS] = {"a zero-length Send",
					       "a zero-length RDMA Write",
					       "a zero-length RDMA Read"};

void say_rtr_flags(struct test *t, const struct kind *k,
		   const struct model_objection *o, struct words *w)
{
	uint64_t all = (1u << MEMBERS) - 1;
	const char *those = list(t, o->due, rtr_flags, " and ");

	if (o->one_of && o->due & (o->due - 1))
		w->due = test_format(t, "%s: at least one set",
				     list(t, o->due, rtr_flags, ", "));
	else if (o->due == all)
		w->due = test_format(t, "%s: all set", k->field);
	else if (o->due)
		w->due = test_format(
			t, "%s: %s set%s", k->field, those,
			o->due == o->due_max && !o->one_of ? ", no other" : "");
	else if (o->due_max)
		w->due = test_format(t, "%s: none set but %s", k->field,
				     list(t, o->due_max, rtr_flags, " and "));
	else
		w->due = test_format(t, "%s: none set", k->field);
	w->seen = o->seen ? list(t, o->seen, rtr_flags, " and ") : "none";
}

/* The highest value is not a depth. */
void say_depth(struct test *t, const struct kind *k,
	       const struct model_objection *o, struct words *w)
{
	struct model_objection upwards = *o;

	if (0 < o->due && o->due < o->due_max &&
	    o->due_max >= MPA_NOT_NEGOTIATED - 1)
		upwards.due_max = UINT64_MAX;
	value(t, k->field, text_depth, &upwards, w);
	if (o->due < o->due_max && o->due_max == MPA_NOT_NEGOTIATED)
		w->due = test_format(t, "%s, or %s", w->due,
				     text_depth(t, o->due_max));
}

void say_answer(struct test *t, const struct kind *k,
		const struct model_objection *o, struct words *w)
{
	w->due = o->due & MODEL_ANSWER_WAIT
			 ? "no Reply before the whole Request has arrived"
		 : test_on_sctp(t) ? "a Session Terminate"
				   : k->field;
	w->seen = test_on_sctp(t)
			  ? o->seen ? "a Session Reject" : "a Session Accept"
			  : test_format(t, "a Reply with R=%u", o->seen != 0);
}

/* ---- framing and headers ------------------------------------------------------ */

void say_marker(struct test *t, const struct kind *k,
		const struct model_objection *o, struct words *w)
{
	value(t,
	      test_format(t, "%s of marker %llu", k->field,
			  (unsigned long long)o->at + 1),
	      k->text, o, w);
}

void say_rtr(struct test *t, const struct kind *k,
	     const struct model_objection *o, struct words *w)
{
	const char *name = rdmap_opcode_name(o->opcode);

	w->due = test_format(t, "%s: %s", k->field,
			     list(t, o->due, rtr_forms, " or "));
	if (o->field == MODEL_FIELD_L)
		w->seen = test_format(t, "%s with L=0", name);
	else if (o->field == MODEL_FIELD_T)
		w->seen = test_format(t, "%s with T=%u", name, o->seen != 0);
	else if (o->field == MODEL_FIELD_LENGTH)
		w->seen = test_format(t, "%s, %s of payload", name,
				      text_octets(t, o->seen));
	else if (o->field == MODEL_FIELD_SIZE)
		w->seen = test_format(t, "%s for %s", name,
				      text_octets(t, o->seen));
	else
		w->seen = o->seen ? list(t, o->seen, rtr_forms, "") : name;
}

void say_header(struct test *t, const struct kind *k,
		const struct model_objection *o, struct words *w)
{
	say_value(t, k, o, w);
	w->due = test_format(t, "%s, the header of %s segment", w->due,
			     o->field == MODEL_FIELD_T ? "a tagged"
						       : "an untagged");
}

void say_opcode(struct test *t, const struct kind *k,
		const struct model_objection *o, struct words *w)
{
	w->due = k->field;
	w->seen = test_format(t, "opcode %llu", (unsigned long long)o->seen);
	if (o->seen <= RDMAP_ATOMIC_RESPONSE)
		w->seen = test_format(t, "%s, %s", w->seen,
				      text_opcode(t, o->seen));
}

void say_msn(struct test *t, const struct kind *k,
	     const struct model_objection *o, struct words *w)
{
	value(t, test_format(t, "%s on QN %u", k->field, o->qn), text_decimal,
	      o, w);
}

void say_changed(struct test *t, const struct kind *k,
		 const struct model_objection *o, struct words *w)
{
	say_value(t, k, o, w);
	w->due = test_format(t, "%s, as in its first segment", w->due);
}

void say_last(struct test *t, const struct kind *k,
	      const struct model_objection *o, struct words *w)
{
	if (o->field == MODEL_FIELD_MO) {
		say_value(t, k, o, w);
		return;
	}
	flag(t, k->field, o, w);
	if (o->field == MODEL_FIELD_L) {
		w->due =
			test_format(t, "%s=1 in the segment that ends at MO %s",
				    k->field, text_decimal(t, o->due));
		w->seen = test_format(t, "%s=1 in one that ends at MO %s",
				      k->field, text_decimal(t, o->seen));
	}
}

void say_interleaved(struct test *t, const struct kind *k,
		     const struct model_objection *o, struct words *w)
{
	w->due = test_format(t, "%s %s", k->field, text_opcode(t, o->due));
	w->seen = test_format(t, "a new message, %s", text_opcode(t, o->seen));
}

/* ---- requests, answers, posted work -------------------------------------------- */

const char *say_answer_to(struct test *t, const char *field, unsigned response,
			  uint64_t msn)
{
	return test_format(t, "%s %s with MSN %s", field,
			   rdmap_opcode_name(response == RDMAP_ATOMIC_RESPONSE
						     ? RDMAP_ATOMIC_REQUEST
						     : RDMAP_READ_REQUEST),
			   text_decimal(t, msn));
}

void say_turn(struct test *t, const struct kind *k,
	      const struct model_objection *o, struct words *w)
{
	w->due = say_answer_to(t, k->field, o->due_opcode, o->due);
	w->seen = o->seen == MODEL_NOTHING
			  ? rdmap_opcode_name(o->opcode)
			  : say_answer_to(t, k->field, o->opcode, o->seen);
}

void say_aopcode(struct test *t, const struct kind *k,
		 const struct model_objection *o, struct words *w)
{
	w->seen = text_aopcode(t, o->seen);
	w->due = o->one_of ? test_format(t, "%s: one of %s", k->field,
					 list(t, o->due, aopcodes, ", "))
			   : test_format(t, "%s: %s", k->field,
					 text_aopcode(t, o->due));
}

void say_posted_order(struct test *t, const struct kind *k,
		      const struct model_objection *o, struct words *w)
{
	w->due = test_format(t, "%s %s, %s", k->field,
			     text_decimal(t, o->due + 1),
			     rdmap_opcode_name(o->due_opcode));
	w->seen = test_format(t, "%s %s, %s", k->field,
			      text_decimal(t, o->seen + 1),
			      rdmap_opcode_name(o->opcode));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How an objection is said, by the kind of what is at fault: a number, a
 * flag, a set of them, octets, a message, the numbers of a Terminate. Which
 * fault is of which kind stands in objection_text.c; no one else asks.
 */
#ifndef SUITE_LANGUAGE_OBJECTION_SAY_H
#define SUITE_LANGUAGE_OBJECTION_SAY_H

#include "suite/language/execution/execution.h"

struct words {
	const char *due, *seen;
};

struct kind;
typedef void say(struct test *t, const struct kind *k,
		 const struct model_objection *o, struct words *w);
/* One value in the notation of its field. */
typedef const char *value_text(struct test *t, uint64_t v);

struct kind {
	const char *wrong; /* "the MSN is not the next of its queue" */
	const char *field; /* its name, or what else `say` needs */
	say *say;
	value_text *text; /* of say_value and its like */
};

value_text text_decimal, text_bits, text_both, text_octets, text_stag, text_to,
	text_word, text_opcode;
const char *say_hex(struct test *t, const struct model_octets *o);
/* "the answer to the RDMA Read Request with MSN 2". */
const char *say_answer_to(struct test *t, const char *field, unsigned response,
			  uint64_t msn);

/* "MO: 2", "5"; "QN of Send: 0", "1". A field that the objection names goes
 * before that of its kind. */
say say_value, say_value_of_message;
/* The two phrases of the field: "due/seen". */
say say_phrases;
/* "R=0", "R=1"; "T=0 in Send", "T=1". */
say say_flag, say_flag_of_message;
/* All the octets; those from the first that differs. */
say say_octets, say_data;
/* A message, where the field says that none is due: but perhaps another. */
say say_message;

/* The field that an objection names, or NULL: its kind does. */
const char *say_field(const struct model_objection *o);

/* startup frames */
say say_key, say_pd_length, say_enhanced, say_rtr_flags, say_depth, say_answer;
/* framing and headers */
say say_marker, say_rtr, say_header, say_opcode, say_msn, say_changed, say_last,
	say_interleaved;
/* requests, answers, posted work */
say say_turn, say_aopcode, say_posted_order;
/* Terminate and the end (objection_terminate.c) */
say say_refused, say_code, say_unregistered, say_header_bits,
	say_terminate_length, say_ddp_header, say_rdma_header, say_missing,
	say_end;

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of an objection, by the kind of thing at fault: a number, a flag, a
 * set of flags, octets, a message, the numbers of a Terminate. objection_text.c
 * has the kind of each fault.
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
	const char *field; /* its name, or other input of `say` */
	say *say;
	value_text *text; /* for say_value and similar functions */
};

value_text text_decimal, text_bits, text_both, text_octets, text_stag, text_to,
	text_word, text_opcode;
const char *say_hex(struct test *t, const struct model_octets *o);
/* "the answer to the RDMA Read Request with MSN 2". */
const char *say_answer_to(struct test *t, const char *field, unsigned response,
			  uint64_t msn);

/* "MO: 2", "5"; "QN of Send: 0", "1". A field named by the objection overrides
 * that of its kind. */
say say_value, say_value_of_message;
/* The two phrases of the field: "due/seen". */
say say_phrases;
/* "R=0", "R=1"; "T=0 in Send", "T=1". */
say say_flag, say_flag_of_message;
/* All octets; those from the first difference on. */
say say_octets, say_data;
/* A message, if the field says that none is due; or another one. */
say say_message;

/* The field that an objection names; NULL: its kind has one. */
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

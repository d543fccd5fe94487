/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults and legal choices, planted from outside: for files below faults/ and
 * choices/ only. One function holds the name of a fault, the rows of the
 * catalogue that it breaks, what it does wrong, and how:
 *
 * 	MUTANT(rx_pad_of_two_not_expected, "MPA-4-03",
 * 	       "does not expect two octets of pad", pad_length)
 * 	{
 * 		size_t pad = OTHERWISE(pad_length);
 *
 * 		return pad == 2 ? 0 : pad;
 * 	}
 *
 * The function has the parameters of the decision, and `self`. OTHERWISE(d)
 * asks for the decision without this override, with the current parameters;
 * d_otherwise(self, ...) asks with other parameters.
 *
 * A VARIANT is legal. Variants of the same matter exclude each other. A variant
 * calls chosen(self) where it differs from the device without it.
 *
 * A fault with several decisions states the further ones with ALSO(name, d).
 */
#ifndef HARNESS_REFDUT_DECISION_OVERRIDE_H
#define HARNESS_REFDUT_DECISION_OVERRIDE_H

#include "harness/refdut/decision/decision.h"

#define MUTANT(name, reqs, sentence, decision)                                 \
	OVERRIDE(name, name, OVERRIDE_MUTANT, NULL, reqs, sentence, decision)
/* A mutant that shows only when several things coincide, so that no case finds
 * it. */
#define COINCIDENCE(name, reqs, sentence, decision)                            \
	OVERRIDE(name, name, OVERRIDE_COINCIDENCE, NULL, reqs, sentence,       \
		 decision)
#define VARIANT(matter, name, reqs, sentence, decision)                        \
	OVERRIDE(name, name, OVERRIDE_VARIANT, #matter, reqs, sentence,        \
		 decision)
#define ALSO(name, decision)                                                   \
	OVERRIDE(name##_##decision, name, OVERRIDE_ALSO, NULL, NULL, NULL,     \
		 decision)

#define OVERRIDE(symbol, fault, is, its_matter, rows, says, decided)           \
	static decided##_answer symbol##_answers;                              \
	static struct override symbol##_override = {                           \
		.kind = is,                                                    \
		.name = #fault,                                                \
		.matter = its_matter,                                          \
		.reqs = rows,                                                  \
		.sentence = says,                                              \
		.file = __FILE__,                                              \
		.line = __LINE__,                                              \
		.decision = &decided##_decision,                               \
		.answer = (void (*)(void))symbol##_answers};                   \
	static struct override *const symbol##_gathered DECISION_GATHERED(     \
		"refdut_overrides") = &symbol##_override;                      \
	static DECISION_RESULT(decided) symbol##_answers DECISION_PARAMETERS(  \
		decided)

#define OTHERWISE(decision) decision##_otherwise DECISION_ARGUMENTS(decision)

/*
 * The choice was made. The first time, the file that the environment variable
 * REFDUT_CHOICES names gets a line with the variant's name. Always true.
 */
bool chosen(struct override *self);

/* A fault that no device survives: end this process at once. */
void mutant_crash(const char *where) __attribute__((noreturn));

/*
 * The memory of a fault about one object of the device (a connection, a
 * region). `of` is that object's list. The first call of a fault returns `size`
 * zeroed octets, later calls the same memory.
 */
struct remembered;
void *remember(struct remembered **of, const struct override *self,
	       size_t size);
/* The same. `forget` is called with that memory when the object is freed. */
void *remember_until(struct remembered **of, const struct override *self,
		     size_t size, void (*forget)(void *octets));

#endif

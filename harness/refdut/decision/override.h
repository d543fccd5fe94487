/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults and legal choices, planted from outside: for files below faults/ and
 * choices/ only. A definition has the name of a fault, the rows of the
 * catalogue that it breaks, a sentence about the device with the fault, and the
 * function that overrides the decision:
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
 * calls the decision without this override, with the current parameters;
 * d_otherwise(self, ...) calls it with other parameters.
 *
 * A VARIANT is legal. Variants of the same matter exclude each other. A variant
 * calls chosen(self) where it differs from the device without it.
 *
 * If a fault overrides several decisions, ALSO(name, d) defines the further
 * ones.
 */
#ifndef HARNESS_REFDUT_DECISION_OVERRIDE_H
#define HARNESS_REFDUT_DECISION_OVERRIDE_H

#include "harness/refdut/decision/decision.h"

#define MUTANT(name, reqs, sentence, decision)                                 \
	OVERRIDE(name, name, OVERRIDE_MUTANT, NULL, reqs, sentence, decision)
/* A mutant that shows only if several conditions coincide, so that no case
 * finds it. */
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
 * Record that the variant has made its choice. The first call appends the
 * variant's name, as a line, to the file in the environment variable
 * REFDUT_CHOICES. Returns true.
 */
bool chosen(struct override *self);

/* A fault that no device survives: end this process at once. */
void mutant_crash(const char *where) __attribute__((noreturn));

/*
 * Memory of a fault, for one object of the device (a connection, a region).
 * `of` is that object's list. The first call of a fault returns `size` zeroed
 * octets; later calls return the same memory.
 */
struct remembered;
void *remember(struct remembered **of, const struct override *self,
	       size_t size);
/* The same. When the object is freed, `forget` is called with the memory. A fault
 * has separate memory for each `forget`, and for none. */
void *remember_until(struct remembered **of, const struct override *self,
		     size_t size, void (*forget)(void *octets));

#endif

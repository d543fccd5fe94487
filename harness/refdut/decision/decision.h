/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decision points: the places where a rule of the RFCs decides something (what
 * is checked, what a field holds, what happens next). The device calls a
 * decision like any function. A header of the layer declares it, with its
 * result, parameters and arguments:
 *
 *	// How many octets of pad follow a ULPDU (RFC 5044 s4).
 *	#define DECISION_pad_length size_t, (size_t ulpdu_length), (ulpdu_length)
 *	DECISION(pad_length)
 *
 * A source file of the layer states what the RFCs say:
 *
 *	RULE(pad_length)
 *	{
 *		return (0 - (ulpdu_length + 2)) & 3;
 *	}
 *
 * faults/ and choices/ override decisions from outside (override.h). Every
 * decision has at least one parameter. Several overrides of one decision form
 * a chain: the one on top is called, and may call the one below it.
 */
#ifndef HARNESS_REFDUT_DECISION_DECISION_H
#define HARNESS_REFDUT_DECISION_DECISION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One answer to a decision: the rule, a fault, or a choice. */
struct override {
	enum override_kind {
		OVERRIDE_RULE,
		OVERRIDE_MUTANT,
		OVERRIDE_COINCIDENCE,
		OVERRIDE_VARIANT,
		OVERRIDE_ALSO, /* another decision of the fault of this name */
	} kind;
	const char *name;
	const char *matter; /* variants only: at most one of each matter */
	const char *reqs;
	const char *sentence;
	const char *file;
	int line;
	struct decision *decision;
	void (*answer)(void);
	struct override *below;
	bool taken; /* in the chain of its decision */
	bool noted; /* chosen() was called */
};

struct decision {
	const char *name;
	struct override *top;
	struct override rule;
};

#define DECISION(name)     DECISION_WITH(name, DECISION_##name)
#define DECISION_WITH(...) DECLARE_DECISION(__VA_ARGS__)
#define DECLARE_DECISION(name, result, parameters, arguments)                  \
	typedef result name##_answer DECISION_SELF parameters;                 \
	extern struct decision name##_decision;                                \
	static inline result name parameters                                   \
	{                                                                      \
		struct override *self = name##_decision.top;                   \
		return ((name##_answer *)self->answer)DECISION_CALL arguments; \
	}                                                                      \
	/* The decision without this override. */                              \
	static inline result name##_otherwise DECISION_SELF parameters         \
	{                                                                      \
		self = self->below;                                            \
		return ((name##_answer *)self->answer)DECISION_CALL arguments; \
	}

#define DECISION_SELF(...)                              (struct override * self, __VA_ARGS__)
#define DECISION_CALL(...)                              (self, __VA_ARGS__)
#define DECISION_RESULT(name)                           DECISION_FIRST(DECISION_##name)
#define DECISION_PARAMETERS(name)                       DECISION_SECOND(DECISION_##name)
#define DECISION_ARGUMENTS(name)                        DECISION_THIRD(DECISION_##name)
#define DECISION_FIRST(...)                             DECISION_FIRST_(__VA_ARGS__)
#define DECISION_SECOND(...)                            DECISION_SECOND_(__VA_ARGS__)
#define DECISION_THIRD(...)                             DECISION_THIRD_(__VA_ARGS__)
#define DECISION_FIRST_(result, parameters, arguments)  result
#define DECISION_SECOND_(result, parameters, arguments) DECISION_SELF parameters
#define DECISION_THIRD_(result, parameters, arguments)  DECISION_CALL arguments

/*
 * Pointers to all decisions and overrides, collected by the linker in the order
 * of the source.
 */
#if __has_attribute(no_reorder)
#define DECISION_IN_ORDER no_reorder,
#else
#define DECISION_IN_ORDER
#endif
#define DECISION_GATHERED(section_name)                                        \
	__attribute__((DECISION_IN_ORDER used, section(section_name),          \
		       aligned(sizeof(void *))))

#define RULE(decided)                                                          \
	static decided##_answer decided##_rule;                                \
	struct decision decided##_decision = {                                 \
		#decided,                                                      \
		&decided##_decision.rule,                                      \
		{.kind = OVERRIDE_RULE,                                        \
		 .name = #decided,                                             \
		 .file = __FILE__,                                             \
		 .line = __LINE__,                                             \
		 .decision = &decided##_decision,                              \
		 .answer = (void (*)(void))decided##_rule}};                   \
	static struct decision *const decided##_gathered DECISION_GATHERED(    \
		"refdut_decisions") = &decided##_decision;                     \
	static DECISION_RESULT(decided) decided##_rule DECISION_PARAMETERS(    \
		decided)

#endif

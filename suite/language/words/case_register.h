/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The language of a case, part of case.h: how a case is registered.
 */
#ifndef SUITE_LANGUAGE_CASE_REGISTER_H
#define SUITE_LANGUAGE_CASE_REGISTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "harness/observe/observe.h"
#include "harness/wire/ddp.h"
#include "harness/wire/fpdu.h"
#include "harness/wire/mpa.h"
#include "harness/wire/rdmap.h"
#include "suite/dimension/dimension.h"
#include "suite/language/words/foundation.h"
#include "suite/model/atomic/atomic.h"
#include "suite/req/req.h"

struct test;

/* ------------------------------------------------------------------ *
 * Registration
 * ------------------------------------------------------------------ */

/* The startup role of the device in a case. EITHER makes two instances: the id
 * of the second one ends in "@initiator". */
enum case_role { RESPONDER = 1, INITIATOR = 2, EITHER = 3 };

/* The features that the device has to claim (agent protocol). If a case needs
 * more than the device or the link offers, it is a SKIP with that reason. */
#define NEED_AGENT 0ull /* every run has one */
#define NEED_CRC   0ull /* every device has it: RFC 5044 s4.4 */
enum case_need_bit {
#define AGENT_FEATURE(ident, name) NEED_BIT_##ident,
#include "harness/agent/features.def"
#undef AGENT_FEATURE
	NEED_BIT_COUNT
};
#define AGENT_FEATURE(ident, name)                                             \
	static const uint64_t NEED_##ident __attribute__((unused)) =           \
		1ull << NEED_BIT_##ident;
#include "harness/agent/features.def"
#undef AGENT_FEATURE
/* A need of the link, not of the device: the case is about MPA or TCP. If all
 * requirements of a case belong to RFC 5044 or to the frames of RFC 6581, the
 * case has this need without naming it. */
#define NEED_MPA      (1ull << NEED_BIT_COUNT)
#define NEED_ATOMICS  (NEED_FETCHADD | NEED_CMPSWAP)
#define NEED_ENHANCED (NEED_MPA_V2)

/* The specifications for which a case holds; 0 means all of them. */
enum case_spec {
	SPEC_RFC7306 = 1,
	SPEC_DRAFT_10 = 2,
	SPEC_DRAFT_03 = 4,
	SPEC_DRAFT_01 = 8,
};

/* Rows that a table draws from a dimension (ALONG). */
#define CASE_RANGES 7u
struct case_range {
	enum dimension dimension;
	uint64_t low, high;
	size_t at, octets; /* offset and size of the row's member; size 0: no
			    * range */
};

struct case_desc {
	const char *file; /* __FILE__ */
	const char *name;
	const char *title;   /* one sentence, in the terms of the field */
	uint64_t needs;      /* the device claims all of these */
	uint64_t lacks;      /* the device claims none of these */
	enum case_role role; /* 0 = RESPONDER */
	unsigned spec;
	bool segments;    /* the case chooses TCP segments: not on every link */
	bool destructive; /* legal, but known to crash devices */
	bool waits;       /* no fence is possible: a bounded wait */
	/* The foundation of other cases that this case tests, and the way that
	 * it tests: 0 is the first way, the others are the next best. */
	enum foundation founds;
	unsigned way;
	void (*run)(struct test *t, const void *row);
	const void *rows; /* CASE_EACH: the table */
	size_t row_octets, row_count;
	struct case_range along[CASE_RANGES];
};

#define CASE_IN_SECTION __attribute__((used, section("warpspec_cases")))

#define CASE(ident, ...)                                                       \
	static void ident(struct test *t);                                     \
	static void ident##_run(struct test *t, const void *row)               \
	{                                                                      \
		(void)row;                                                     \
		ident(t);                                                      \
	}                                                                      \
	static const struct case_desc ident##_desc = {.file = __FILE__,        \
						      .name = #ident,          \
						      .run = ident##_run,      \
						      __VA_ARGS__};            \
	static const struct case_desc *const ident##_case CASE_IN_SECTION =    \
		&ident##_desc;                                                 \
	static void ident(struct test *t)

/*
 * A case with variants: one instance for each row of a table, whose id ends
 * in /ROW. The row's struct starts with CASE_ROW; `must` or `should` name
 * the requirement of that row alone, for must_row() and should_row().
 */
#define CASE_ROW                                                               \
	const char *id;                                                        \
	const struct req_must *must;                                           \
	const struct req_should *should
struct case_row {
	CASE_ROW;
};

/*
 * A table has the rows that its author has chosen. Further rows are generated
 * from the dimension of the table:
 *
 *    .along = {ALONG(struct size_row, size, PEER_READ, 0, 8193)}
 *
 * adds a row for each interesting value within these bounds that is not in the
 * table. The id of such a row is the value; everything else is as in the first
 * row of the table. In a case with both roles each of these rows has one role:
 * they alternate.
 */
#define ALONG(row_type, member, ident, low_, high_)                            \
	{                                                                      \
		.dimension = DIM_##ident, .low = (low_), .high = (high_),      \
		.at = offsetof(row_type, member),                              \
		.octets = sizeof(((row_type *)NULL)->member)                   \
	}

#define CASE_EACH(ident, row_type, table, ...)                                 \
	static void ident(struct test *t, const row_type *row);                \
	static void ident##_run(struct test *t, const void *row)               \
	{                                                                      \
		ident(t, row);                                                 \
	}                                                                      \
	static const struct case_desc ident##_desc = {                         \
		.file = __FILE__,                                              \
		.name = #ident,                                                \
		.run = ident##_run,                                            \
		.rows = (table),                                               \
		.row_octets = sizeof((table)[0]),                              \
		.row_count = sizeof(table) / sizeof((table)[0]),               \
		__VA_ARGS__};                                                  \
	static const struct case_desc *const ident##_case CASE_IN_SECTION =    \
		&ident##_desc;                                                 \
	static void ident(struct test *t, const row_type *row)

#endif

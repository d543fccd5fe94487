/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The requirement catalogue: one .def file per RFC, each row
 *
 *   REQ(KIND, LEVEL, IDENT, "ID", "SPEC", "SECTION", LAYER, ACTOR, DESC,
 *       "requirement", "stimulus", "expected")
 *
 * KIND (must, should, may, open) is the C type that the row's identifier
 * gets: must() takes only rows of kind must, and so on, so that a case with the
 * wrong level does not compile. LEVEL is the RFC's keyword. `open` rows are
 * those whose outcome the RFCs leave open: they are observed, and never fail.
 * DESC is 1 if the RFC states the fact without a keyword.
 */
#ifndef SUITE_REQ_REQ_H
#define SUITE_REQ_REQ_H

#include <stdbool.h>
#include <stddef.h>

enum req_kind { REQ_KIND_must, REQ_KIND_should, REQ_KIND_may, REQ_KIND_open };
enum req_level {
	REQ_LEVEL_MUST,
	REQ_LEVEL_MUST_NOT,
	REQ_LEVEL_SHOULD,
	REQ_LEVEL_SHOULD_NOT,
	REQ_LEVEL_MAY,
};

struct req {
	const char *id;      /* "MPA-4.4-14" */
	const char *spec;    /* "RFC5044", "draft-ietf-storm-rdmap-ext-03" */
	const char *section; /* "4.4" */
	enum req_kind kind;
	enum req_level level;
	bool desc;
	const char *layer; /* "MPA" "DDP" "RDMAP" "SCTP" */
	const char *actor; /* "sender" "receiver" "responder" ... */
	const char *requirement, *stimulus, *expected;
};

enum req_index {
#define REQ(kind, level, ident, ...) REQ_INDEX_##ident,
#include "suite/req/all.def"
#undef REQ
	REQ_COUNT
};

struct req_must {
	unsigned short index;
};
struct req_should {
	unsigned short index;
};
struct req_may {
	unsigned short index;
};
struct req_open {
	unsigned short index;
};

#define REQ(kind, level, ident, ...)                                           \
	static const struct req_##kind ident                                   \
		__attribute__((unused)) = {REQ_INDEX_##ident};
#include "suite/req/all.def"
#undef REQ

extern const struct req req_table[REQ_COUNT];

/* The row with this id ("MPA-4.4-14"), or NULL. */
const struct req *req_find(const char *id);

/* "MUST", "MUST NOT", ... */
const char *req_level_name(enum req_level level);

#endif

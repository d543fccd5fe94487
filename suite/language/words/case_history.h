/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The language of a case, part of case.h: atomics of several streams on the
 * same words, kept as a history, and whether one order explains it
 * (suite/model/linear/linear.h says what RFC 7306 promises of it).
 *
 *   struct history *h = history_of(t, region, 2);
 *   on_stream(t, a);
 *   peer_asks(t, h, FETCHADD(region, 0, 1, 0));
 *   ...
 *   awaits_original(t, RDMAP_6_1_05, h);
 *   must(t, RDMAPX_5_3_01, has_one_order(h));
 *
 * In the words of a history nothing else may write, nor the device's CPU.
 */
#ifndef SUITE_LANGUAGE_CASE_HISTORY_H
#define SUITE_LANGUAGE_CASE_HISTORY_H

#include "suite/language/words/case_wire.h"

struct history;

/* Of the first words of a region, which are zero. */
struct history *history_of(struct test *t, struct region r, unsigned words);

/* An Atomic Request on the current stream, with an identifier of its own. */
#define peer_asks(t, h, ...)                                                   \
	case_peer_asks(t, h, &(struct send_opts){.msg = __VA_ARGS__})
void case_peer_asks(struct test *t, struct history *h,
		    const struct send_opts *o);

/* The next Atomic Response on the current stream: its value, which belongs to
 * the Request that its identifier names; where none is outstanding under that,
 * to the oldest. */
#define awaits_original(t, req, h)                                             \
	(__extension__({                                                       \
		CASE_USE(req);                                                 \
		case_awaits_original(t, req, h);                               \
	}))
uint64_t case_awaits_original(struct test *t, struct req_must req,
			      struct history *h);
/* The same as awaits_given() has it: no line of the case. */
uint64_t original_given(struct test *t, struct history *h);
/* The same of a frame that was taken. */
void original_came(struct test *t, struct history *h, const struct frame *f);
/* Requests of the history that the current stream has outstanding. */
unsigned originals_due(struct test *t, const struct history *h);

/* What a word, counted from 0, was found to hold by the answer that came last. */
uint64_t found_last(const struct history *h, unsigned word);

/* There is an order in which each operation has found what those before it have
 * left, and what was answered before another was sent comes before that. */
struct expect has_one_order(const struct history *h);
/* The same, and those of each stream come as they were sent. */
struct expect has_one_order_by_stream(const struct history *h);

#endif

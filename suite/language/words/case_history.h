/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The language of a case, part of case.h: atomics of several streams on the
 * same words. The suite keeps them as a history, and decides whether one order
 * explains it (suite/model/linear/linear.h lists what RFC 7306 promises about
 * that order).
 *
 *   struct history *h = history_of(t, region, 2);
 *   on_stream(t, a);
 *   peer_asks(t, h, FETCHADD(region, 0, 1, 0));
 *   ...
 *   awaits_original(t, RDMAP_6_1_05, h);
 *   must(t, RDMAPX_5_3_01, has_one_order(h));
 *
 * Nothing else may write to the words of a history, not even the device's CPU.
 */
#ifndef SUITE_LANGUAGE_CASE_HISTORY_H
#define SUITE_LANGUAGE_CASE_HISTORY_H

#include "suite/language/words/case_wire.h"

struct history;

/* A history of the first words of a region, which are zero. */
struct history *history_of(struct test *t, struct region r, unsigned words);

/* An Atomic Request on the current stream, with an identifier of its own. */
#define peer_asks(t, h, ...)                                                   \
	case_peer_asks(t, h, &(struct send_opts){.msg = __VA_ARGS__})
void case_peer_asks(struct test *t, struct history *h,
		    const struct send_opts *o);

/* The value of the next Atomic Response on the current stream. The Response
 * belongs to the Request that its identifier names. If no such Request is
 * outstanding, it belongs to the oldest one. */
#define awaits_original(t, req, h)                                             \
	(__extension__({                                                       \
		CASE_USE(req);                                                 \
		case_awaits_original(t, req, h);                               \
	}))
uint64_t case_awaits_original(struct test *t, struct req_must req,
			      struct history *h);
/* The same for a step that merely leads up to the point of the case, like
 * awaits_given(). */
uint64_t original_given(struct test *t, struct history *h);
/* The same for a frame that was already taken. */
void original_came(struct test *t, struct history *h, const struct frame *f);
/* The number of Requests of the history that are outstanding on the current
 * stream. */
unsigned originals_due(struct test *t, const struct history *h);

/* The value of a word, counted from 0, according to the last answer. */
uint64_t found_last(const struct history *h, unsigned word);

/* There is an order in which each operation finds the value that the operations
 * before it have left, and in which an operation that was answered before
 * another was sent comes before the other. */
struct expect has_one_order(const struct history *h);
/* The same, and the operations of each stream come in the order sent. */
struct expect has_one_order_by_stream(const struct history *h);

#endif

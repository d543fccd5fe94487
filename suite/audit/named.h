/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams that the command line names, because their start is not captured,
 * with the settings that their startup frames would have shown. */
#ifndef SUITE_AUDIT_NAMED_H
#define SUITE_AUDIT_NAMED_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/link/link.h"

enum { NAMED_MOST = 16 };

struct named_stream {
	bool any_host;
	struct link_end end; /* one of its ends */
	bool no_crc;
};

/* [HOST:]PORT[,no-crc]: only numbers, IPv6 in brackets. False: it has not this
 * form. */
bool named_parse(struct named_stream *s, const char *text);
/* The first stream that has one of these ends; NULL: none. */
const struct named_stream *named_find(const struct named_stream *list, size_t n,
				      const struct link_end end[2]);

#endif

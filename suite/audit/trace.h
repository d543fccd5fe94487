/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The last frames of a stream, from both ends. The frames before a finding are
 * kept: they are the ladder on its page.
 */
#ifndef SUITE_AUDIT_TRACE_H
#define SUITE_AUDIT_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/wire/fpdu.h"
#include "suite/judge/result.h"
#include "suite/model/outcome/objection.h"

enum {
	TRACE_RING = 12,    /* frames up to a finding, its own included */
	TRACE_KEPT = 48,    /* of one stream, in all */
	TRACE_OCTETS = 192, /* of a frame */
	TRACE_MARKS = 4,
};

struct trace_head {
	enum result_event_kind kind;
	unsigned end;     /* the end that sent it */
	const char *name; /* of its message; a constant */
	uint64_t at_ns;
	size_t n;      /* octets on the wire */
	uint32_t ppid; /* of a chunk of SCTP; else 0 */
	bool crc_off;
};

struct trace_event {
	struct trace_head head;
	bool markers;
	uint32_t offset; /* of an FPDU, as RFC 5044 counts */
	/* The octets at fault; `line` is the number of the finding. */
	struct result_mark mark[TRACE_MARKS];
	size_t marks;
	uint8_t octets[TRACE_OCTETS];
};

struct trace {
	struct trace_event *ring;
	uint64_t count; /* of all frames so far */
	struct trace_event *kept;
	size_t kept_count;
	uint64_t kept_upto; /* `count` when frames were kept last */
};

/* Add an event with these octets (NULL if there are none). `f`: an FPDU, else
 * NULL. */
void trace_add(struct trace *t, const struct trace_head *head,
	       const uint8_t *octets, const struct fpdu *f);
/* Keep the last frame and those before it. Returns its number among those kept,
 * from 1; 0: there is no room. */
size_t trace_keep(struct trace *t);
/* Mark the octets of a field (NULL: none) to which finding `number` objects in
 * event `event`, which has these octets. */
void trace_mark(struct trace *t, size_t event, size_t number, const char *field,
		const uint8_t *octets, size_t n, const struct fpdu *f);
void trace_free(struct trace *t);

#endif

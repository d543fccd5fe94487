/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/audit/trace.h"

#include <stdlib.h>
#include <string.h>

#include "harness/text/memstream.h"
#include "suite/language/text/objection_text.h"

void trace_add(struct trace *t, const struct trace_head *head,
	       const uint8_t *octets, const struct fpdu *f)
{
	size_t kept = head->n < TRACE_OCTETS ? head->n : TRACE_OCTETS;

	if (!t->ring &&
	    !(t->ring = text_held(calloc(TRACE_RING, sizeof(*t->ring)))))
		return;
	struct trace_event *e = &t->ring[t->count++ % TRACE_RING];

	e->head = *head;
	e->markers = f && f->markers;
	e->offset = f ? f->offset : 0;
	e->marks = 0;
	if (kept)
		memcpy(e->octets, octets, kept);
}

size_t trace_keep(struct trace *t)
{
	uint64_t from = t->count > TRACE_RING ? t->count - TRACE_RING : 0;

	if (!t->ring ||
	    (!t->kept &&
	     !(t->kept = text_held(calloc(TRACE_KEPT, sizeof(*t->kept))))))
		return 0;
	if (from < t->kept_upto)
		from = t->kept_upto;
	if (t->count - from > TRACE_KEPT - t->kept_count)
		return 0;
	for (; from < t->count; from++)
		t->kept[t->kept_count++] = t->ring[from % TRACE_RING];
	t->kept_upto = t->count;
	return t->kept_count;
}

void trace_mark(struct trace *t, size_t event, size_t number, const char *field,
		const uint8_t *octets, size_t n, const struct fpdu *f)
{
	struct trace_event *e = &t->kept[event - 1];
	const struct frame frame = {.octets = octets, .n = n, .fpdu = f};
	const struct frame_chunk chunk = {.ppid = e->head.ppid};
	const struct event seen = {.kind = f ? OBSERVE_FRAME_SEEN
					     : OBSERVE_STARTUP_SEEN,
				   .octets = octets,
				   .n = n,
				   .chunk = e->head.ppid ? &chunk : NULL,
				   .frame = f ? &frame : NULL};
	const struct looked_at on = {.field = field};
	struct result_mark some[TRACE_MARKS];
	size_t count =
		on.field ? look_marks(NULL, &on, &seen, some, TRACE_MARKS) : 0;

	for (size_t i = 0; i < count && e->marks < TRACE_MARKS; i++) {
		if (some[i].from + some[i].octets > sizeof(e->octets))
			continue;
		some[i].line = number;
		e->mark[e->marks++] = some[i];
	}
}

void trace_free(struct trace *t)
{
	free(t->ring);
	free(t->kept);
	*t = (struct trace){0};
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/audit/ladder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/text/memstream.h"
#include "suite/req/req.h"

/* Owned by the process: results refer to them until it ends. */
static bool copied(const void **what, size_t n)
{
	void *copy = text_held(malloc(n + 1));

	if (copy && n)
		memcpy(copy, *what, n);
	*what = copy;
	return copy;
}

static bool put_name(const struct trace_event *e, struct result_event *out)
{
	char text[96];
	const void *copy = text;

	if (e->head.kind == EVENT_FIN || e->head.kind == EVENT_RESET)
		snprintf(text, sizeof(text), "%s", e->head.name);
	else if (e->head.kind == EVENT_FRAME)
		snprintf(text, sizeof(text), "%s (%s of %zu octets)",
			 e->head.name,
			 e->head.ppid ? "DDP Segment Chunk" : "FPDU",
			 e->head.n);
	else
		snprintf(text, sizeof(text), "%s, %zu octets", e->head.name,
			 e->head.n);
	bool ok = copied(&copy, strlen(text) + 1);

	out->text = ok ? copy : "";
	return ok;
}

static bool put_markers(const struct trace_event *e, struct result_event *out)
{
	unsigned short at[8];
	const void *copy = at;

	while (e->markers && out->marker_count < 8) {
		size_t where = fpdu_marker_at((unsigned)out->marker_count, true,
					      e->offset);

		if (where >= out->kept)
			break;
		at[out->marker_count++] = (unsigned short)where;
	}
	bool ok = copied(&copy, out->marker_count * sizeof(*at));

	out->markers = copy;
	return ok;
}

/* Marks the lines that have a finding on this side. */
static bool put_marks(const struct conversation *c, unsigned end,
		      const struct trace_event *e, struct result_event *out)
{
	struct result_mark some[TRACE_MARKS];
	const void *copy = some;

	for (size_t i = 0; i < e->marks; i++) {
		size_t line = 0;
		const struct finding *f = c->findings.first;

		for (; f && f->number != e->mark[i].line; f = f->next)
			line += f->end == end;
		if (!f || f->end != end)
			continue;
		some[out->mark_count] = e->mark[i];
		some[out->mark_count++].line = line;
	}
	bool ok = copied(&copy, out->mark_count * sizeof(*some));

	out->marks = copy;
	return ok;
}

static bool put_event(const struct conversation *c, unsigned end,
		      const struct trace_event *e, struct result_event *out)
{
	const struct trace_event *first = c->trace.kept;
	const void *octets = e->octets;

	*out = (struct result_event){
		.kind = e->head.kind,
		.from_device = e->head.end == end,
		.at_ns = e->head.at_ns > first->head.at_ns
				 ? e->head.at_ns - first->head.at_ns
				 : 0,
		.kept = e->head.n < TRACE_OCTETS ? e->head.n : TRACE_OCTETS,
		.n = e->head.n,
		.crc_off = e->head.crc_off,
		.ppid = e->head.ppid,
	};
	bool ok = copied(&octets, out->kept);

	out->octets = octets;
	return ok && put_name(e, out) && put_markers(e, out) &&
	       put_marks(c, end, e, out);
}

static bool put_line(const struct finding *f, struct result_line *out)
{
	const void *text = f->text;
	bool ok = copied(&text, strlen(f->text) + 1);

	*out = (struct result_line){
		.requirement = req_table[f->req].id,
		.level = req_level_name(req_table[f->req].level),
		.text = ok ? text : "",
		.by_model = true,
		.event = f->event,
	};
	return ok;
}

bool ladder_of(const struct conversation *c, unsigned end, struct result *out)
{
	size_t n = c->trace.kept_count;
	struct result_event *events = text_held(calloc(n + 1, sizeof(*events)));
	struct result_line *lines =
		text_held(calloc(c->findings.count + 1, sizeof(*lines)));
	bool ok = events && lines;

	for (size_t i = 0; ok && i < n; i++)
		ok = put_event(c, end, &c->trace.kept[i], &events[i]);
	for (const struct finding *f = c->findings.first; ok && f; f = f->next)
		if (f->end == end)
			ok = put_line(f, &lines[out->line_count++]);
	out->events = events;
	out->event_count = ok ? n : 0;
	out->lines = lines;
	return ok;
}

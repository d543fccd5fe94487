/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The evidence of a case for people (result.h): from its event log, and from
 * its judgements.
 */
#include "suite/language/execution/execution.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "suite/language/text/session_text.h"

#define TEXT_MAX    1024u /* characters of one text */
#define LINES_MAX   128u
#define MEMORY_MAX  16u
#define MARKS_MAX   64u
#define OCTETS_MIN  64u  /* of an event, before events are left out */
#define EVENT_COSTS 120u /* characters of JSON beside its text and octets */
#define LINE_COSTS  100u

/* --- events ---------------------------------------------------------------- */

/* Printable, in one line. */
static const char *clean(struct test *t, const char *text)
{
	size_t n = strlen(text), at = 0;

	while (at < n && isprint((unsigned char)text[at]))
		at++;
	if (at == n && n <= TEXT_MAX)
		return text;
	char *out = test_alloc(t, 4 * TEXT_MAX + 8);

	n = 0;
	for (; *text && n < TEXT_MAX; text++) {
		if (isprint((unsigned char)*text))
			out[n++] = *text;
		else
			n += (size_t)sprintf(out + n, "\\x%02x",
					     (unsigned char)*text);
	}
	if (*text)
		strcpy(out + n, "...");
	return out;
}

/* For a chunk, which has neither startup frames nor FPDUs. */
static const char *chunk_text(struct test *t, const struct event *e)
{
	struct model_chunk c = {.ppid = e->chunk->ppid,
				.ordered = e->chunk->ordered};
	const char *what;

	session_decode(&c.session, c.ppid == SESSION_PPID_CONTROL, e->octets,
		       e->n);
	what = e->frame
		       ? test_format(t, "%s (chunk of %zu octets, DDP-SSN %u)",
				     test_frame_text(
					     t, interpret_meant(&t->interpreter,
								e->frame)),
				     e->n, e->chunk->ddp_ssn)
		       : session_chunk_text(t, &c);
	return test_format(t, "%s%s%s", what,
			   e->chunk->ordered ? ", not unordered" : "",
			   e->kind == OBSERVE_OCTETS_SEEN
				   ? ", which has no turn in its session"
				   : "");
}

static const char *text_of(struct test *t, const struct event *e)
{
	bool sctp = test_on_sctp(t);

	if (e->chunk)
		return chunk_text(t, e);
	switch (e->kind) {
	case OBSERVE_STARTUP_SENT:
	case OBSERVE_STARTUP_SEEN:
		return test_format(t, "startup frame, %zu octets", e->n);
	case OBSERVE_FRAME_SENT:
	case OBSERVE_FRAME_SEEN:
		/* The meaning of the fields; the octets are those received. */
		return test_format(
			t, "%s (FPDU of %zu octets)",
			test_frame_text(
				t, interpret_meant(&t->interpreter, e->frame)),
			e->n);
	case OBSERVE_OCTETS_SENT:
	case OBSERVE_OCTETS_SEEN:
		return test_format(t, "%zu octets that are not a frame", e->n);
	case OBSERVE_FIN_SENT:
	case OBSERVE_FIN_SEEN:
		return sctp ? "its end of the session" : "FIN";
	case OBSERVE_RESET_SENT:
	case OBSERVE_RESET_SEEN:
		return sctp ? "ABORT" : "RST";
	default:
		return clean(t, e->text ? e->text : "");
	}
}

static const struct {
	enum result_event_kind kind;
	bool from_device;
} kinds[] = {
	[OBSERVE_STARTUP_SENT] = {EVENT_STARTUP, false},
	[OBSERVE_STARTUP_SEEN] = {EVENT_STARTUP, true},
	[OBSERVE_FRAME_SENT] = {EVENT_FRAME, false},
	[OBSERVE_FRAME_SEEN] = {EVENT_FRAME, true},
	[OBSERVE_OCTETS_SENT] = {EVENT_OCTETS, false},
	[OBSERVE_OCTETS_SEEN] = {EVENT_OCTETS, true},
	[OBSERVE_FIN_SENT] = {EVENT_FIN, false},
	[OBSERVE_FIN_SEEN] = {EVENT_FIN, true},
	[OBSERVE_RESET_SENT] = {EVENT_RESET, false},
	[OBSERVE_RESET_SEEN] = {EVENT_RESET, true},
	[OBSERVE_AGENT_ASKED] = {EVENT_AGENT, false},
	[OBSERVE_AGENT_SAID] = {EVENT_AGENT, true},
	[OBSERVE_NOTE] = {EVENT_NOTE, false},
};

static void add_framing(struct test *t, const struct event *e,
			struct result_event *out)
{
	const struct fpdu *f = e->frame->fpdu;
	const struct stream *s = &t->stream[e->stream];
	unsigned short *at;

	if (e->chunk)
		return;
	out->crc_off = s->full &&
		       !((s->sent_frame.flags | s->seen_frame.flags) & MPA_C);
	if (!f->markers || !f->marker_count)
		return;
	at = test_alloc(t, f->marker_count * sizeof(*at));
	out->marker_count = look_markers(e->frame, at, f->marker_count);
	out->markers = at;
}

static struct result_event event_of(struct test *t, const struct event *e,
				    size_t octets)
{
	struct result_event out = {
		.kind = kinds[e->kind].kind,
		.from_device = kinds[e->kind].from_device,
		.stream = e->stream,
		.at_ns = e->at_ns > t->began ? e->at_ns - t->began : 0,
		.text = text_of(t, e),
		.octets = e->octets,
		.kept = e->n < octets ? e->n : octets,
		.n = e->n,
		.ppid = e->chunk ? e->chunk->ppid : 0,
	};

	if (e->frame)
		add_framing(t, e, &out);
	return out;
}

static size_t cost_of(const struct event *e, size_t octets)
{
	size_t text = e->text ? strnlen(e->text, TEXT_MAX) : 64;

	return EVENT_COSTS + text + 2 * (e->n < octets ? e->n : octets);
}

static size_t cost_of_all(struct test *t, size_t octets, size_t *n)
{
	size_t cost = 0;

	*n = 0;
	for (const struct event *e = observe_first(t->bed->log); e;
	     e = e->next) {
		cost += cost_of(e, octets);
		++*n;
	}
	return cost;
}

/* Which events are kept: all, or the first and the last ones. */
struct selection {
	size_t octets;     /* of each of them */
	size_t n;          /* the number of events */
	size_t head, tail; /* the number of first ones; of last ones */
};

static struct selection select_events(struct test *t,
				      const struct evidence_bounds *b)
{
	struct selection s = {.octets = b->event};
	size_t cost, head = 0, i = 0;

	while ((cost = cost_of_all(t, s.octets, &s.n)) > b->all &&
	       s.octets > OCTETS_MIN)
		s.octets =
			s.octets / 4 > OCTETS_MIN ? s.octets / 4 : OCTETS_MIN;
	s.head = s.n;
	if (cost <= b->all)
		return s;
	/* Two thirds of the room are for the beginning. */
	for (const struct event *e = observe_first(t->bed->log); e;
	     e = e->next, i++) {
		head += cost_of(e, s.octets);
		if (head > b->all * 2 / 3)
			break;
	}
	s.head = i;
	/* How many last events fit into the rest, counted from the front. */
	size_t left = cost;

	i = 0;
	for (const struct event *e = observe_first(t->bed->log);
	     e && (left > b->all / 3 || i < s.head); e = e->next, i++)
		left -= cost_of(e, s.octets);
	s.tail = s.n - i;
	return s;
}

/* The position of an event among the kept ones, from 1; 0: not kept. */
static size_t place_of(struct test *t, const struct selection *s,
		       const struct event *of)
{
	size_t i = 0;

	for (const struct event *e = observe_first(t->bed->log); of && e;
	     e = e->next, i++) {
		if (e != of)
			continue;
		if (i < s->head)
			return i + 1;
		if (i >= s->n - s->tail)
			return s->head + 1 + i - (s->n - s->tail) + 1;
		return 0;
	}
	return 0;
}

/* A growing buffer. */
struct evidence {
	struct selection s;
	struct result_event *events;
	struct result_line *lines;
	struct result_memory *memory;
	size_t event_count, line_count, memory_count;
};

static void add_events(struct test *t, struct evidence *out)
{
	const struct selection *s = &out->s;
	size_t left_out = s->n - s->head - s->tail, i = 0;

	out->events =
		test_alloc(t, (s->n - left_out + 2) * sizeof(*out->events));
	for (const struct event *e = observe_first(t->bed->log); e;
	     e = e->next, i++) {
		if (i == s->head && left_out)
			out->events[out->event_count++] = (struct result_event){
				.kind = EVENT_NOTE,
				.at_ns = e->at_ns - t->began,
				.text = test_format(
					t, "%zu events are left out here",
					left_out)};
		if (i < s->head || i >= s->n - s->tail)
			out->events[out->event_count++] =
				event_of(t, e, s->octets);
	}
}

/* --- lines ------------------------------------------------------------------- */

static void add_marks(struct test *t, const struct judgement *j, size_t line,
		      const struct event *e, struct result_event *to)
{
	struct result_mark some[8], *all;
	size_t n = look_marks(t, j->on, e, some, 8);

	if (!n || to->mark_count + n > MARKS_MAX)
		return;
	all = test_alloc(t, (to->mark_count + n) * sizeof(*all));
	if (to->mark_count)
		memcpy(all, to->marks, to->mark_count * sizeof(*all));
	for (size_t i = 0; i < n; i++) {
		some[i].line = line;
		all[to->mark_count + i] = some[i];
	}
	to->marks = all;
	to->mark_count += n;
}

static const char *cut(struct test *t, const char *text)
{
	return strnlen(text, TEXT_MAX + 1) <= TEXT_MAX
		       ? text
		       : test_format(t, "%.*s...", (int)TEXT_MAX, text);
}

static void add_line(struct test *t, const struct judgement *j,
		     struct evidence *out)
{
	struct result_line *line = &out->lines[out->line_count];
	const struct event *e = j->on ? look_event(t, j->on) : NULL;

	*line = (struct result_line){
		.requirement = req_table[j->req].id,
		.level = req_level_name(req_table[j->req].level),
		.text = cut(t, j->text),
		.ok = j->ok,
		.by_model = j->by_model,
		.consequence = verdict_is_consequence(&t->ended, j),
		.event = place_of(t, &out->s, e),
	};
	if (line->event && !j->ok)
		add_marks(t, j, out->line_count, e,
			  &out->events[line->event - 1]);
	if (j->on && j->on->memory && out->memory_count < MEMORY_MAX) {
		out->memory[out->memory_count] = *j->on->memory;
		out->memory[out->memory_count++].line = out->line_count;
	}
	out->line_count++;
}

static size_t cost_of_lines(const struct test *t)
{
	size_t n = 0, cost = 0;

	for (const struct judgement *j = t->judged; j && n < LINES_MAX;
	     j = j->next, n++)
		cost += LINE_COSTS + strnlen(j->text, TEXT_MAX);
	return cost;
}

/* Keep the first lines; the verdict reports a later failure. */
static void add_lines(struct test *t, size_t room, struct evidence *out)
{
	size_t cost = 0;

	out->lines = test_alloc(t, LINES_MAX * sizeof(*out->lines));
	out->memory = test_alloc(t, MEMORY_MAX * sizeof(*out->memory));
	for (const struct judgement *j = t->judged;
	     j && out->line_count < LINES_MAX; j = j->next) {
		cost += LINE_COSTS + strnlen(j->text, TEXT_MAX);
		if (cost > room)
			break;
		add_line(t, j, out);
	}
}

void test_evidence(struct test *t, const struct evidence_bounds *b,
		   struct result *out)
{
	struct evidence_bounds events = *b;
	struct evidence e = {.event_count = 0};
	size_t lines = cost_of_lines(t);

	/* Half of the room at most. */
	if (lines > b->all / 2)
		lines = b->all / 2;
	events.all = b->all - lines;
	e.s = select_events(t, &events);
	add_events(t, &e);
	add_lines(t, lines, &e);
	out->events = e.events;
	out->event_count = e.event_count;
	out->lines = e.lines;
	out->line_count = e.line_count;
	out->memory = e.memory;
	out->memory_count = e.memory_count;
}

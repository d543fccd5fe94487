/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/language/execution/execution.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/wire/fields.h"

#define BACK     32u /* frames that are searched for a field */
#define AROUND   8u  /* octets in front of a difference that are kept */
#define MEMORY   64u /* and in all */
#define PARTS    4u  /* of "B, C, D" */
#define PART_MAX 48u

/* --- while the case runs -------------------------------------------------- */

static bool is_seen(const struct event *e)
{
	switch (e->kind) {
	case OBSERVE_STARTUP_SEEN:
	case OBSERVE_FRAME_SEEN:
	case OBSERVE_OCTETS_SEEN:
	case OBSERVE_FIN_SEEN:
	case OBSERVE_RESET_SEEN:
	case OBSERVE_AGENT_SAID:
		return true;
	default:
		return false;
	}
}

void look_takes(struct test *t, const struct frame *f)
{
	t->taken = (struct looked_at){.frame = f};
}

void look_takes_last(struct test *t)
{
	const struct event *e = observe_last(t->bed->log);

	t->taken = (struct looked_at){.event = e && is_seen(e) ? e : NULL};
}

const struct event *look_begins(struct test *t)
{
	t->look = (struct looked_at){0};
	return observe_last(t->bed->log);
}

/* If no matcher named one: the frame that came meanwhile, or the last one that
 * the case looked at. */
void look_ends(struct test *t, const struct event *before)
{
	struct looked_at *l = &t->look;

	if (!t->bed->traced || l->frame)
		return;
	l->event = NULL;
	for (const struct event *e = before ? before->next
					    : observe_first(t->bed->log);
	     e; e = e->next)
		if (is_seen(e))
			l->event = e;
	if (!l->event) {
		l->frame = t->taken.frame;
		l->event = t->taken.event;
	}
}

void look_at_frame(struct test *t, const struct frame *f)
{
	t->look.frame = f;
}

void look_at_field(struct test *t, const char *field, uint64_t value)
{
	t->look.field = field;
	t->look.has_value = true;
	t->look.value = value;
}

void look_at_octets(struct test *t, const uint8_t *seen, size_t seen_n,
		    const uint8_t *due, size_t due_n)
{
	size_t n = seen_n < due_n ? seen_n : due_n, at = 0;

	while (at < n && seen[at] == due[at])
		at++;
	t->look.octets = seen ? seen + at : NULL;
	/* Up to the last octet that differs. */
	if (seen_n == due_n)
		while (n > at && seen[n - 1] == due[n - 1])
			n--;
	else
		n = seen_n;
	t->look.n = n - at;
}

void look_at_memory(struct test *t, struct region r, size_t off,
		    const uint8_t *due, const uint8_t *now, size_t n)
{
	const struct test_region *region = &t->region[r.number];
	struct result_memory *m;
	size_t at = 0;

	if (!t->bed->traced)
		return;
	while (at < n && now[at] == due[at])
		at++;
	if (at == n)
		at = 0;
	at -= at < AROUND ? at : AROUND;
	n -= at;
	if (n > MEMORY)
		n = MEMORY;
	m = test_alloc(t, sizeof(*m));
	*m = (struct result_memory){
		.region = test_format(t, "region %u, STag 0x%08x", r.number,
				      r.stag),
		.offset = off + at,
		.before = region->kept ? region->kept + off + at : NULL,
		.due = memcpy(test_alloc(t, n + 1), due + at, n),
		.after = memcpy(test_alloc(t, n + 1), now + at, n),
		.octets = n,
	};
	t->look.memory = m;
}

const struct looked_at *look_kept(struct test *t)
{
	struct looked_at *l;

	if (!t->bed->traced)
		return NULL;
	l = test_alloc(t, sizeof(*l));
	*l = t->look;
	return l;
}

/* --- fields by their names ------------------------------------------------- */

/* Names of fields in cases and in the golden model that differ from the RFC's. */
static const struct {
	const char *word, *name;
} also_called[] = {
	{"reserved bits of the DDP octet", "Rsvd"},
	{"the four reserved bits", "Rsvd"},
	{"reserved bits of the RDMAP octet", "Rsv"},
	{"the two reserved bits", "Rsv"},
	{"the 28 reserved bits", "Reserved"},
	{"reserved bits", "marker: reserved"},
	{"FPDUPTR", "marker: FPDUPTR"},
	{"RsvdULP", "Invalidate STag"},
	{"Invalidate STag field", "Invalidate STag"},
	{"sink STag", "Data Sink STag"},
	{"sink TO", "Data Sink Tagged Offset"},
	{"size", "RDMA Read Message Size"},
	{"source STag", "Data Source STag"},
	{"source TO", "Data Source Tagged Offset"},
	{"original value", "Original Remote Data Value"},
	{"identifier", "Original Request Identifier"},
	{"identifier", "Request Identifier"},
	{"Add Data", "Add or Swap Data"},
	{"Swap Data", "Add or Swap Data"},
	{"Swap Mask", "Add or Swap Mask"},
	{"layer", "Layer"},
	{"error type", "Error Type"},
	{"type", "Error Type"},
	{"code", "Error Code"},
	{"low five bits of octet 2", "Reserved"},
	{"octet 3", "Reserved"},
	{"L flag", "L"},
	{"largest ULPDU_Length", "ULPDU_Length"},
};

static bool is_called(const struct field *f, const char *word)
{
	if (strcasecmp(f->name, word) == 0 ||
	    strcasecmp(field_part_name(f->part), word) == 0)
		return true;
	for (size_t i = 0; i < sizeof(also_called) / sizeof(also_called[0]);
	     i++)
		if (strcasecmp(also_called[i].word, word) == 0 &&
		    strcmp(also_called[i].name, f->name) == 0)
			return true;
	return false;
}

/* "the MSN of the second Send" is the MSN; "M, D, R as 4, 2, 1" are three. */
struct words_of {
	char part[PARTS][PART_MAX];
	size_t n;
};

static struct words_of split(const char *what)
{
	static const char *const ends[] = {" of the ", " on ",    " in ",
					   ", if ",    ", where", " as "};
	static const char *const articles[] = {"the ", "its "};
	struct words_of w = {.n = 0};
	size_t n = strlen(what);

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		const char *end = strstr(what, ends[i]);

		if (end && (size_t)(end - what) < n)
			n = (size_t)(end - what);
	}
	while (n && w.n < PARTS) {
		size_t part = 0;

		for (size_t i = 0; i < 2; i++)
			if (n > 4 && strncmp(what, articles[i], 4) == 0) {
				what += 4;
				n -= 4;
			}
		while (part < n && strncmp(what + part, ", ", 2) != 0 &&
		       strncmp(what + part, " and ", 5) != 0)
			part++;
		if (part < PART_MAX) {
			memcpy(w.part[w.n], what, part);
			w.part[w.n++][part] = '\0';
		}
		size_t skip = part < n ? (what[part] == ',' ? 2 : 5) : 0;

		if (part + skip > n)
			skip = n - part;
		what += part + skip;
		n -= part + skip;
	}
	return w;
}

size_t look_markers(const struct frame *f, unsigned short *at, size_t cap)
{
	const struct fpdu *fpdu = f->fpdu;
	size_t n = 0;

	while (fpdu->markers && n < fpdu->marker_count && n < cap) {
		size_t where = fpdu_marker_at((unsigned)n, true, fpdu->offset);

		if (where >= f->n)
			break;
		at[n++] = (unsigned short)where;
	}
	return n;
}

static size_t fields_of(const struct event *e, struct field *list)
{
	unsigned short markers[FPDU_MARKERS_MAX];

	if (e->chunk)
		return fields_of_chunk(list, FIELDS_MAX, e->octets, e->n,
				       e->chunk->ppid);
	if (e->kind == OBSERVE_STARTUP_SEEN || e->kind == OBSERVE_STARTUP_SENT)
		return fields_of_startup(list, FIELDS_MAX, e->octets, e->n);
	if (!e->frame)
		return 0;
	struct fields_framing how = {
		.markers = markers,
		.marker_count =
			look_markers(e->frame, markers, FPDU_MARKERS_MAX)};

	return fields_of_fpdu(list, FIELDS_MAX, e->octets, e->n, &how);
}

/* The first field with this name, and with this value if there is one. Of
 * several markers: a wrong one. */
static const struct field *find(const struct field *list, size_t n,
				const char *word, const uint64_t *value)
{
	const struct field *first = NULL;

	for (size_t i = 0; i < n; i++) {
		if (!is_called(&list[i], word) ||
		    (value && (list[i].cut || list[i].value != *value)))
			continue;
		if (list[i].is_wrong)
			return &list[i];
		if (!first)
			first = &list[i];
	}
	return first;
}

/* --- once it has ended ------------------------------------------------------ */

static const struct event *event_of(struct test *t, const struct looked_at *on)
{
	const struct frame *sent;

	if (!on->frame)
		return on->event;
	sent = interpret_sent(&t->interpreter, on->frame);
	for (const struct event *e = observe_first(t->bed->log); e; e = e->next)
		if (e->frame && (e->frame == sent || e->octets == sent->octets))
			return e;
	return NULL;
}

static bool has_field(const struct event *e, const struct looked_at *on)
{
	static struct field list[FIELDS_MAX];
	const struct words_of w = split(on->field);
	const char *queue = strstr(on->field, " on queue ");
	size_t n;

	if (!is_seen(e) || w.n != 1)
		return false;
	n = fields_of(e, list);
	if (queue) {
		uint64_t qn = strtoull(queue + strlen(" on queue "), NULL, 10);

		if (!find(list, n, "QN", &qn))
			return false;
	}
	return find(list, n, w.part[0], on->has_value ? &on->value : NULL);
}

static bool holds_octets(const struct event *e, const struct looked_at *on)
{
	return on->n && e->octets && on->octets >= e->octets &&
	       on->octets + on->n <= e->octets + e->n;
}

/* The last event up to `last` that has it. */
static const struct event *last_with(struct test *t, const struct looked_at *on,
				     const struct event *last)
{
	const struct event *back[BACK];
	size_t n = 0;

	for (const struct event *e = observe_first(t->bed->log); e;
	     e = e->next) {
		if (is_seen(e) && e->octets)
			back[n++ % BACK] = e;
		if (e == last)
			break;
	}
	for (size_t i = 0; i < n && i < BACK; i++) {
		const struct event *e = back[(n - 1 - i) % BACK];

		if (on->octets ? holds_octets(e, on) : has_field(e, on))
			return e;
	}
	return NULL;
}

const struct event *look_event(struct test *t, const struct looked_at *on)
{
	const struct event *e = event_of(t, on), *better = NULL;

	if (on->octets || (on->field && on->has_value))
		better = last_with(t, on, e);
	return better ? better : e;
}

static size_t mark(struct result_mark *marks, size_t n, size_t cap, size_t from,
		   size_t octets)
{
	/* Adjacent marks become one. */
	if (n && from <= marks[n - 1].from + marks[n - 1].octets &&
	    from >= marks[n - 1].from) {
		if (from + octets > marks[n - 1].from + marks[n - 1].octets)
			marks[n - 1].octets = from + octets - marks[n - 1].from;
		return n;
	}
	if (n < cap && octets)
		marks[n++] = (struct result_mark){from, octets, 0};
	return n;
}

/* A returned header is marked as one. */
static size_t mark_part(const struct field *list, size_t count,
			const struct field *f, struct result_mark *marks,
			size_t n, size_t cap)
{
	size_t end = f->at + f->span;

	for (size_t i = 0; i < count; i++)
		if (list[i].part == f->part && list[i].at >= f->at)
			end = list[i].at + list[i].span;
	return mark(marks, n, cap, f->at, end - f->at);
}

size_t look_marks(struct test *t, const struct looked_at *on,
		  const struct event *e, struct result_mark *marks, size_t cap)
{
	static struct field list[FIELDS_MAX];
	size_t n = 0;

	(void)t;
	if (on->octets)
		return holds_octets(e, on)
			       ? mark(marks, 0, cap,
				      (size_t)(on->octets - e->octets), on->n)
			       : 0;
	if (!on->field)
		return 0;
	const struct words_of w = split(on->field);
	size_t count = fields_of(e, list);
	bool by_value = on->has_value && w.n == 1;

	for (size_t i = 0; i < w.n; i++) {
		const struct field *f = find(list, count, w.part[i],
					     by_value ? &on->value : NULL);

		if (f && strcasecmp(f->name, w.part[i]) != 0 &&
		    strcasecmp(field_part_name(f->part), w.part[i]) == 0)
			n = mark_part(list, count, f, marks, n, cap);
		else if (f)
			n = mark(marks, n, cap, f->at, f->span);
	}
	return n;
}

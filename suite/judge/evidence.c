/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/judge/evidence.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

bool evidence_is_there(const struct result *r)
{
	return r->event_count || r->line_count || r->memory_count;
}

/* --- to JSON --------------------------------------------------------- */

/*
 * Building never stops: a value that could not be made is NULL, which jansson
 * refuses to set, and `failed` records it.
 */
struct builder {
	bool failed;
};

static void set(struct builder *b, json_t *object, const char *key,
		json_t *value)
{
	b->failed |= json_object_set_new(object, key, value) != 0;
}

static void append(struct builder *b, json_t *list, json_t *value)
{
	b->failed |= json_array_append_new(list, value) != 0;
}

static void set_size(struct builder *b, json_t *object, const char *key,
		     size_t n)
{
	set(b, object, key, json_integer((json_int_t)n));
}

/* Octets that are not UTF-8 are written in ASCII. */
static void set_text(struct builder *b, json_t *object, const char *key,
		     const char *text)
{
	json_t *value = json_string(text);
	char *ascii = value ? NULL : strdup(text);

	for (char *c = ascii; c && *c; c++)
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	if (ascii)
		value = json_string(ascii);
	free(ascii);
	set(b, object, key, value);
}

static void set_hex(struct builder *b, json_t *object, const char *key,
		    const uint8_t *octets, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	char *hex = malloc(2 * n + 1);

	for (size_t i = 0; hex && i < n; i++) {
		hex[2 * i] = digits[octets[i] >> 4];
		hex[2 * i + 1] = digits[octets[i] & 15];
	}
	set(b, object, key, hex ? json_stringn(hex, 2 * n) : NULL);
	free(hex);
}

static json_t *marks_json(struct builder *b, const struct result_event *e)
{
	json_t *list = json_array();

	for (size_t i = 0; i < e->mark_count; i++) {
		json_t *object = json_object();

		set_size(b, object, "from", e->marks[i].from);
		set_size(b, object, "octets", e->marks[i].octets);
		set_size(b, object, "line", e->marks[i].line);
		append(b, list, object);
	}
	return list;
}

static json_t *event_json(struct builder *b, const struct result_event *e)
{
	json_t *object = json_object();

	set_text(b, object, "kind", event_kind_name(e->kind));
	set(b, object, "from_device", json_boolean(e->from_device));
	set_size(b, object, "stream", e->stream);
	set(b, object, "at_ns", json_integer((json_int_t)e->at_ns));
	set_text(b, object, "text", e->text);
	if (e->n)
		set_hex(b, object, "octets", e->octets, e->kept);
	if (e->kept < e->n)
		set_size(b, object, "of", e->n);
	if (e->marker_count) {
		json_t *list = json_array();

		for (size_t i = 0; i < e->marker_count; i++)
			append(b, list, json_integer(e->markers[i]));
		set(b, object, "markers", list);
	}
	if (e->crc_off)
		set(b, object, "crc_off", json_true());
	if (e->ppid)
		set_size(b, object, "ppid", e->ppid);
	if (e->mark_count)
		set(b, object, "marks", marks_json(b, e));
	return object;
}

static json_t *line_json(struct builder *b, const struct result_line *l)
{
	json_t *object = json_object();

	set_text(b, object, "requirement", l->requirement);
	set_text(b, object, "level", l->level);
	set(b, object, "ok", json_boolean(l->ok));
	if (l->by_model)
		set(b, object, "by_model", json_true());
	if (l->consequence)
		set(b, object, "consequence", json_true());
	set_text(b, object, "text", l->text);
	if (l->event)
		set_size(b, object, "event", l->event - 1);
	return object;
}

static json_t *memory_json(struct builder *b, const struct result_memory *m)
{
	json_t *object = json_object();

	set_text(b, object, "region", m->region);
	set(b, object, "offset", json_integer((json_int_t)m->offset));
	if (m->before)
		set_hex(b, object, "before", m->before, m->octets);
	if (m->due)
		set_hex(b, object, "due", m->due, m->octets);
	if (m->after)
		set_hex(b, object, "after", m->after, m->octets);
	set_size(b, object, "line", m->line);
	return object;
}

json_t *evidence_json(const struct result *r)
{
	struct builder b = {false};
	json_t *object = json_object();
	json_t *events = json_array(), *lines = json_array();
	json_t *memory = json_array();

	for (size_t i = 0; i < r->event_count; i++)
		append(&b, events, event_json(&b, &r->events[i]));
	for (size_t i = 0; i < r->line_count; i++)
		append(&b, lines, line_json(&b, &r->lines[i]));
	for (size_t i = 0; i < r->memory_count; i++)
		append(&b, memory, memory_json(&b, &r->memory[i]));
	set(&b, object, "events", events);
	set(&b, object, "lines", lines);
	if (r->memory_count)
		set(&b, object, "memory", memory);
	else
		json_decref(memory);
	if (!b.failed)
		return object;
	json_decref(object);
	return NULL;
}

/* --- from JSON ------------------------------------------------------- */

#define CHUNK 4096u

/* The allocations, the newest first. */
struct block {
	struct block *next;
	size_t used, cap; /* words of the room */
	uint64_t room[];
};

struct reader {
	struct block *blocks;
	const char *why; /* the first error */
};

/* Zeroed. */
static void *take(struct reader *r, size_t n, size_t octets)
{
	struct block *b = r->blocks;

	if (n > (SIZE_MAX / 2 - sizeof(*b)) / (octets ? octets : 1)) {
		r->why = "out of memory";
		return NULL;
	}
	size_t words = n * octets / sizeof(b->room[0]) + 1;

	if (!b || b->cap - b->used < words) {
		size_t cap = words > CHUNK / sizeof(b->room[0])
				     ? words
				     : CHUNK / sizeof(b->room[0]);

		b = calloc(1, sizeof(*b) + cap * sizeof(b->room[0]));
		if (!b) {
			r->why = "out of memory";
			return NULL;
		}
		b->next = r->blocks;
		b->cap = cap;
		r->blocks = b;
	}
	b->used += words;
	return b->room + b->used - words;
}

static void wrong(struct reader *r, const char *why)
{
	if (!r->why)
		r->why = why;
}

static const char *text_of(struct reader *r, const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);
	const char *s = json_string_value(v);
	char *copy = s ? take(r, json_string_length(v) + 1, 1) : NULL;

	if (!s)
		wrong(r, "evidence: a text is missing");
	return copy ? strcpy(copy, s) : "";
}

/* If it is left out: this value. */
static uint64_t number_of(struct reader *r, const json_t *o, const char *key,
			  uint64_t otherwise, uint64_t most)
{
	const json_t *v = json_object_get(o, key);
	json_int_t n = json_integer_value(v);

	if (!v)
		return otherwise;
	if (!json_is_integer(v) || n < 0 || (uint64_t)n > most) {
		wrong(r, "evidence: a number is out of its range");
		return otherwise;
	}
	return (uint64_t)n;
}

static bool flag_of(const json_t *o, const char *key)
{
	return json_is_true(json_object_get(o, key));
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* NULL if there are none: *n stays unchanged. */
static const uint8_t *hex_of(struct reader *r, const json_t *o, const char *key,
			     size_t *n)
{
	const json_t *v = json_object_get(o, key);
	const char *hex = json_string_value(v);
	size_t digits = json_string_length(v);

	if (!v)
		return NULL;
	uint8_t *octets = take(r, digits / 2 + 1, 1);

	if (!hex || digits % 2 || !octets) {
		wrong(r, "evidence: octets that are not hex");
		return NULL;
	}
	for (size_t i = 0; i < digits; i += 2) {
		int high = digit(hex[i]), low = digit(hex[i + 1]);

		if (high < 0 || low < 0) {
			wrong(r, "evidence: octets that are not hex");
			return NULL;
		}
		octets[i / 2] = (uint8_t)(high << 4 | low);
	}
	*n = digits / 2;
	return octets;
}

static void read_markers(struct reader *r, const json_t *o,
			 struct result_event *e)
{
	const json_t *list = json_object_get(o, "markers"), *v;
	unsigned short *at = take(r, json_array_size(list) + 1, sizeof(*at));
	size_t i;

	json_array_foreach(list, i, v)
	{
		json_int_t n = json_integer_value(v);

		if (!at || !json_is_integer(v) || n < 0 ||
		    (uint64_t)n >= e->n || n > USHRT_MAX ||
		    (i && n <= at[i - 1])) {
			wrong(r, "evidence: a marker outside its FPDU");
			return;
		}
		at[i] = (unsigned short)n;
	}
	e->markers = at;
	e->marker_count = json_array_size(list);
}

static void read_marks(struct reader *r, const json_t *o,
		       struct result_event *e, size_t lines)
{
	const json_t *list = json_object_get(o, "marks"), *v;
	struct result_mark *m = take(r, json_array_size(list) + 1, sizeof(*m));
	size_t i;

	json_array_foreach(list, i, v)
	{
		struct result_mark one = {
			.from = number_of(r, v, "from", SIZE_MAX, e->n),
			.octets = number_of(r, v, "octets", SIZE_MAX, e->n),
			.line = number_of(r, v, "line", SIZE_MAX, SIZE_MAX),
		};

		if (!m || one.from > e->n || one.octets > e->n - one.from ||
		    one.line >= lines) {
			wrong(r, "evidence: a mark outside its event");
			return;
		}
		m[i] = one;
	}
	e->marks = m;
	e->mark_count = json_array_size(list);
}

static struct result_event read_event(struct reader *r, const json_t *o,
				      size_t lines)
{
	struct result_event e = {
		.kind = event_kind_named(text_of(r, o, "kind")),
		.from_device = flag_of(o, "from_device"),
		.stream = (unsigned)number_of(r, o, "stream", 0, UINT_MAX),
		.at_ns = number_of(r, o, "at_ns", 0, INT64_MAX),
		.text = text_of(r, o, "text"),
		.crc_off = flag_of(o, "crc_off"),
		.ppid = (uint32_t)number_of(r, o, "ppid", 0, UINT32_MAX),
	};

	if (e.kind == EVENT_KIND_COUNT)
		wrong(r, "evidence: an event of unknown kind");
	e.octets = hex_of(r, o, "octets", &e.kept);
	e.n = number_of(r, o, "of", e.kept, SIZE_MAX);
	if (e.n < e.kept)
		wrong(r, "evidence: more octets than there were");
	read_markers(r, o, &e);
	read_marks(r, o, &e, lines);
	return e;
}

static struct result_line read_line(struct reader *r, const json_t *o,
				    size_t events)
{
	struct result_line l = {
		.requirement = text_of(r, o, "requirement"),
		.level = text_of(r, o, "level"),
		.text = text_of(r, o, "text"),
		.ok = flag_of(o, "ok"),
		.by_model = flag_of(o, "by_model"),
		.consequence = flag_of(o, "consequence"),
	};

	if (json_object_get(o, "event"))
		l.event = 1 + number_of(r, o, "event", 0, SIZE_MAX - 1);
	if (l.event > events)
		wrong(r, "evidence: a line refers to a missing event");
	return l;
}

static struct result_memory read_memory(struct reader *r, const json_t *o,
					size_t lines)
{
	size_t n[3] = {SIZE_MAX, SIZE_MAX, SIZE_MAX};
	struct result_memory m = {
		.region = text_of(r, o, "region"),
		.offset = number_of(r, o, "offset", 0, INT64_MAX),
		.before = hex_of(r, o, "before", &n[0]),
		.due = hex_of(r, o, "due", &n[1]),
		.after = hex_of(r, o, "after", &n[2]),
		.line = number_of(r, o, "line", SIZE_MAX, SIZE_MAX),
	};

	for (unsigned i = 0; i < 3; i++)
		if (n[i] != SIZE_MAX)
			m.octets = n[i];
	for (unsigned i = 0; i < 3; i++)
		if (n[i] != SIZE_MAX && n[i] != m.octets)
			wrong(r, "evidence: memory of different lengths");
	if (m.line >= lines)
		wrong(r, "evidence: memory refers to a missing line");
	return m;
}

bool evidence_parse(struct result *out, const json_t *o, void **owned,
		    const char **why)
{
	struct reader r = {0};
	const json_t *events = json_object_get(o, "events"), *v;
	const json_t *lines = json_object_get(o, "lines");
	const json_t *memory = json_object_get(o, "memory");
	size_t event_count = json_array_size(events);
	size_t line_count = json_array_size(lines);
	size_t memory_count = json_array_size(memory), i;
	struct result_event *e = take(&r, event_count + 1, sizeof(*e));
	struct result_line *l = take(&r, line_count + 1, sizeof(*l));
	struct result_memory *m = take(&r, memory_count + 1, sizeof(*m));

	if (!json_is_array(events) || !json_is_array(lines) ||
	    (memory && !json_is_array(memory)))
		wrong(&r,
		      "evidence: the lists of events and lines are missing");
	json_array_foreach(events, i, v) if (!r.why) e[i] =
		read_event(&r, v, line_count);
	json_array_foreach(lines, i, v) if (!r.why) l[i] =
		read_line(&r, v, event_count);
	json_array_foreach(memory, i, v) if (!r.why) m[i] =
		read_memory(&r, v, line_count);
	if (r.why) {
		*why = r.why;
		evidence_release(r.blocks);
		return false;
	}
	out->events = e;
	out->event_count = event_count;
	out->lines = l;
	out->line_count = line_count;
	out->memory = m;
	out->memory_count = memory_count;
	*owned = r.blocks;
	return true;
}

void evidence_release(void *owned)
{
	struct block *b = owned, *next;

	for (; b; b = next) {
		next = b->next;
		free(b);
	}
}

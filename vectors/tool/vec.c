/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/text/text_file.h"
#include "vectors/tool/vec.h"
#include "vectors/tool/vec.h"

#define VEC_OCTETS_MAX 70000
#define ROW_CELLS_MAX  12
#define VEC_LINE_MAX   (256u << 10)
#define VEC_FILE_MAX   (16u << 20)

struct line {
	char *text;
	int number;
};

/* One file being read. The first thing found wrong stays in why. */
struct reader {
	struct vec_set *set;
	const char *path;
	char *why;
	size_t cap;
	bool wrong;
	struct line *block; /* the lines of the vector being read */
	size_t lines;
};

__attribute__((format(printf, 3, 4))) static void complain(struct reader *r,
							   int line,
							   const char *fmt, ...)
{
	va_list ap;
	int n;

	if (r->wrong)
		return;
	r->wrong = true;
	n = snprintf(r->why, r->cap, "%s:%d: ", r->path, line);
	if (n < 0 || (size_t)n >= r->cap)
		return;
	va_start(ap, fmt);
	vsnprintf(r->why + n, r->cap - (size_t)n, fmt, ap);
	va_end(ap);
}

/* Room for one more element at the end of an array. */
static bool grow(struct reader *r, int line, void *array, size_t n, size_t size)
{
	void *old, *bigger;

	memcpy(&old, array, sizeof(old));
	bigger = realloc(old, (n + 1) * size);
	if (!bigger) {
		complain(r, line, "out of memory");
		return false;
	}
	memset((char *)bigger + n * size, 0, size);
	memcpy(array, &bigger, sizeof(bigger));
	return true;
}

static char *copy(struct reader *r, int line, const char *text)
{
	char *s = strdup(text);

	if (!s)
		complain(r, line, "out of memory");
	return s;
}

static char *trim(char *s)
{
	char *end;

	while (*s == ' ' || *s == '\t')
		s++;
	end = s + strlen(s);
	while (end > s && (end[-1] == ' ' || end[-1] == '\t'))
		*--end = '\0';
	return s;
}

bool vec_number(const char *text, uint64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*value = strtoull(text, &end, strncmp(text, "0x", 2) ? 10 : 16);
	return errno == 0 && *end == '\0';
}

static int nibble(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static long quoted(const char *s, uint8_t *out, size_t cap)
{
	size_t n = strlen(s);

	if (n < 2 || s[n - 1] != '"')
		return -1;
	n -= 2;
	if (n > cap)
		return -1;
	memcpy(out, s + 1, n);
	return (long)n;
}

long vec_octets(const char *s, uint8_t *out, size_t cap)
{
	unsigned long times;
	char *after;
	size_t n = 0;

	if (*s == '"')
		return quoted(s, out, cap);
	while (*s) {
		int hi = nibble(s[0]), lo = hi < 0 ? -1 : nibble(s[1]);

		if (lo < 0)
			return -1;
		s += 2;
		times = 1;
		if (*s == '*') {
			if (!isdigit((unsigned char)s[1]))
				return -1;
			times = strtoul(s + 1, &after, 10);
			s = after;
		}
		if (times > cap - n)
			return -1;
		memset(out + n, hi << 4 | lo, times);
		n += times;
		if (*s && *s++ != ' ')
			return -1;
		while (*s == ' ')
			s++;
	}
	return (long)n;
}

static const char *const kinds[] = {
	[VEC_MPA_REQUEST] = "mpa-request",
	[VEC_MPA_REPLY] = "mpa-reply",
	[VEC_FPDU] = "fpdu",
	[VEC_STREAM] = "stream",
	[VEC_CRC] = "crc",
	[VEC_ATOMIC] = "atomic",
	[VEC_SCTP] = "sctp-chunk",
	[VEC_MULPDU] = "mulpdu",
};
static const char *const verdicts[] = {
	[VEC_VALID] = "valid", [VEC_INVALID] = "invalid", [VEC_OPEN] = "open"};
static const char *const receivers[] = {[VEC_ACCEPT] = "accept",
					[VEC_REFUSE] = "refuse",
					[VEC_EITHER] = "either"};
static const char *const no_yes[] = {"no", "yes"};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

const char *vec_kind_name(enum vec_kind kind)
{
	return kinds[kind];
}

static int word(struct reader *r, int line, const char *value,
		const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(value, words[i]))
			return (int)i;
	complain(r, line, "unknown word '%s'", value);
	return 0;
}

/* Which of a vector's header lines have been seen. */
struct seen {
	bool kind, verdict, receiver, markers, crc, offset;
};

static void header(struct reader *r, struct vec *v, struct seen *seen, int line,
		   const char *key, const char *value)
{
	uint64_t n = 0;

	if (!strcmp(key, "vector") && !v->name) {
		v->name = copy(r, line, value);
	} else if (!strcmp(key, "kind") && !seen->kind) {
		v->kind = (enum vec_kind)word(r, line, value, kinds,
					      COUNT(kinds));
		seen->kind = true;
	} else if (!strcmp(key, "verdict") && !seen->verdict) {
		v->verdict = (enum vec_verdict)word(r, line, value, verdicts,
						    COUNT(verdicts));
		seen->verdict = true;
	} else if (!strcmp(key, "receiver") && !seen->receiver) {
		v->receiver = (enum vec_receiver)word(r, line, value, receivers,
						      COUNT(receivers));
		seen->receiver = true;
	} else if (!strcmp(key, "section") && !v->section) {
		v->section = copy(r, line, value);
	} else if (!strcmp(key, "about") && !v->about) {
		v->about = copy(r, line, value);
	} else if (!strcmp(key, "markers") && !seen->markers) {
		v->markers = word(r, line, value, no_yes, 2);
		seen->markers = true;
	} else if (!strcmp(key, "crc") && !seen->crc) {
		v->crc = word(r, line, value, no_yes, 2);
		seen->crc = true;
	} else if (!strcmp(key, "offset") && !seen->offset) {
		if (!vec_number(value, &n) || n > UINT32_MAX)
			complain(r, line, "offset '%s' is not a 32-bit number",
				 value);
		v->offset = (uint32_t)n;
		seen->offset = true;
	} else if (!strcmp(key, "fault")) {
		if (!grow(r, line, &v->faults, v->fault_count,
			  sizeof(*v->faults)))
			return;
		v->faults[v->fault_count++] = (struct vec_field){
			.name = copy(r, line, value), .line = line};
	} else {
		complain(r, line, "unknown or repeated header '%s'", key);
	}
}

static void octet_line(struct reader *r, struct vec *v, int line, char *text)
{
	static uint8_t room[VEC_OCTETS_MAX];
	char *bar = strchr(text, '|');
	uint8_t *more;
	long n;

	if (!bar || !*trim(bar + 1)) {
		complain(r, line, "octets without '| meaning'");
		return;
	}
	*bar = '\0';
	text = trim(text);
	n = *text == '"' ? -1 : vec_octets(text, room, sizeof(room));
	if (n <= 0 || v->n + (size_t)n > VEC_OCTETS_MAX) {
		complain(r, line, "'%s' is not a list of octets", text);
		return;
	}
	more = realloc(v->octets, v->n + (size_t)n);
	if (!more) {
		complain(r, line, "out of memory");
		return;
	}
	memcpy(more + v->n, room, (size_t)n);
	v->octets = more;
	v->n += (size_t)n;
}

static void field(struct reader *r, struct vec *v, int line, char *text)
{
	char *eq = strchr(text, '='), *name, *value;

	if (!eq) {
		complain(r, line, "'%s' is not 'name = value'", trim(text));
		return;
	}
	*eq = '\0';
	name = trim(text);
	value = trim(eq + 1);
	if (!vec_name_known(name))
		complain(r, line, "unknown field '%s'", name);
	else if (vec_stated(v, name))
		complain(r, line, "'%s' is stated twice", name);
	else if (grow(r, line, &v->fields, v->field_count, sizeof(*v->fields)))
		v->fields[v->field_count++] =
			(struct vec_field){.name = copy(r, line, name),
					   .value = copy(r, line, value),
					   .line = line};
}

static void one_line(struct reader *r, struct vec *v, struct seen *seen,
		     int line, char *text)
{
	char *colon = strchr(text, ':'), *eq = strchr(text, '=');
	char *part, *rest = text;

	if (*text == '\t') {
		octet_line(r, v, line, text);
	} else if (colon && (!eq || colon < eq)) {
		*colon = '\0';
		header(r, v, seen, line, trim(text), trim(colon + 1));
	} else {
		while (!r->wrong && (part = strsep(&rest, ";")))
			field(r, v, line, part);
	}
}

static void whole(struct reader *r, const struct vec *v,
		  const struct seen *seen)
{
	bool bare = v->kind == VEC_ATOMIC || v->kind == VEC_MULPDU;

	if (!v->name || !*v->name)
		complain(r, v->line, "a vector without a name");
	else if (!seen->kind || !seen->verdict || !v->section || !v->about)
		complain(r, v->line, "%s lacks kind, verdict, section or about",
			 v->name);
	else if (bare != (v->n == 0))
		complain(r, v->line, "%s: %s", v->name,
			 bare ? "this kind has no octets" : "no octets");
	else if (v->field_count == 0)
		complain(r, v->line, "%s states no field", v->name);
	else if (v->verdict == VEC_VALID && (v->fault_count || seen->receiver))
		complain(r, v->line, "%s is valid, yet names a fault", v->name);
	else if (v->verdict == VEC_INVALID && !v->fault_count)
		complain(r, v->line, "%s is invalid, yet names no fault",
			 v->name);
	else if (v->verdict != VEC_VALID && !seen->receiver)
		complain(r, v->line, "%s does not say what a receiver does",
			 v->name);
	for (size_t i = 0; !r->wrong && i < r->set->n; i++)
		if (!strcmp(r->set->vec[i].name, v->name))
			complain(r, v->line, "%s is in %s:%d already", v->name,
				 r->set->vec[i].file, r->set->vec[i].line);
}

static void vec_clear(struct vec *v)
{
	for (size_t i = 0; i < v->field_count; i++) {
		free(v->fields[i].name);
		free(v->fields[i].value);
	}
	for (size_t i = 0; i < v->fault_count; i++)
		free(v->faults[i].name);
	free(v->fields);
	free(v->faults);
	free(v->octets);
	free(v->name);
	free(v->file);
	free(v->section);
	free(v->about);
}

/* A table row: cell 0 is its name. */
struct row {
	char *cell[ROW_CELLS_MAX];
	size_t cells;
	int line;
};

/* The line with every {n} replaced by the row's cell n. */
static char *expand(struct reader *r, const struct line *from,
		    const struct row *row)
{
	size_t cap = strlen(from->text) + 1, n = 0;
	const char *s = from->text;
	char *out;

	for (size_t i = 0; i < row->cells; i++)
		cap += 8 * strlen(row->cell[i]);
	out = calloc(1, cap);
	if (!out) {
		complain(r, row->line, "out of memory");
		return NULL;
	}
	while (*s) {
		if (s[0] == '{' && isdigit((unsigned char)s[1])) {
			char *end;
			size_t i = strtoul(s + 1, &end, 10);

			if (i >= row->cells || *end != '}' ||
			    n + strlen(row->cell[i]) >= cap) {
				complain(r, row->line, "no cell %zu for '%s'",
					 i, from->text);
				break;
			}
			n += (size_t)sprintf(out + n, "%s", row->cell[i]);
			s = end + 1;
		} else if (n + 1 < cap) {
			out[n++] = *s++;
		} else {
			complain(r, from->number, "too many cells used");
			break;
		}
	}
	return out;
}

/* Read the block as one vector: the template itself, or one of its rows. */
static void build(struct reader *r, const struct row *row)
{
	struct vec v = {.line = row ? row->line : r->block[0].number,
			.crc = true};
	struct seen seen = {0};
	char *text, *name;

	v.file = copy(r, v.line, r->path);
	for (size_t i = 0; !r->wrong && i < r->lines; i++) {
		int line = row ? row->line : r->block[i].number;

		if (!strncmp(r->block[i].text, "row:", 4))
			continue;
		text = row ? expand(r, &r->block[i], row)
			   : copy(r, line, r->block[i].text);
		if (!r->wrong)
			one_line(r, &v, &seen, line, text);
		free(text);
	}
	if (!r->wrong && row && v.name) {
		if (asprintf(&name, "%s/%s", v.name, row->cell[0]) < 0) {
			complain(r, v.line, "out of memory");
		} else {
			free(v.name);
			v.name = name;
		}
	}
	if (!r->wrong)
		whole(r, &v, &seen);
	if (!r->wrong && grow(r, v.line, &r->set->vec, r->set->n, sizeof(v)))
		r->set->vec[r->set->n++] = v;
	else
		vec_clear(&v);
}

static void build_row(struct reader *r, const struct line *line)
{
	struct row row = {.line = line->number};
	char *text = copy(r, line->number, line->text + 4), *rest = text, *s;

	while (text && (s = strsep(&rest, "|"))) {
		if (row.cells == ROW_CELLS_MAX) {
			complain(r, row.line, "a row has at most %d cells",
				 ROW_CELLS_MAX);
			break;
		}
		row.cell[row.cells++] = trim(s);
	}
	if (!r->wrong)
		build(r, &row);
	free(text);
}

static void flush(struct reader *r)
{
	bool table = false;

	for (size_t i = 0; !r->wrong && i < r->lines; i++)
		if (!strncmp(r->block[i].text, "row:", 4)) {
			table = true;
			build_row(r, &r->block[i]);
		}
	if (!r->wrong && r->lines && !table)
		build(r, NULL);
	for (size_t i = 0; i < r->lines; i++)
		free(r->block[i].text);
	r->lines = 0;
}

static void take(struct reader *r, int number, const char *text)
{
	bool first = !strncmp(text, "vector:", 7);

	if (*text == '#' || !*text)
		return;
	if (first)
		flush(r);
	if (!first && r->lines == 0)
		complain(r, number, "text before the first 'vector:'");
	if (!r->wrong &&
	    grow(r, number, &r->block, r->lines, sizeof(*r->block)))
		r->block[r->lines++] = (struct line){
			.text = copy(r, number, text), .number = number};
}

int vec_parse(struct vec_set *set, const char *path, char *text, size_t n,
	      char *why, size_t cap)
{
	struct reader r = {.set = set, .path = path, .why = why, .cap = cap};
	size_t before = set->n;
	int number = 0;

	if (!text_check(path, 1, text, n, VEC_LINE_MAX, why, cap))
		return -1;
	while (!r.wrong && n) {
		char *end = memchr(text, '\n', n);
		size_t line = end ? (size_t)(end - text) : n;
		size_t whole = line + (end ? 1 : 0);

		while (line > 0 && strchr("\r \t", text[line - 1]))
			line--;
		text[line] = '\0';
		take(&r, ++number, text);
		text += whole;
		n -= whole;
	}
	flush(&r);
	if (!r.wrong && set->n == before)
		complain(&r, number, "no vector in it");
	free(r.block);
	return r.wrong ? -1 : 0;
}

int vec_load(struct vec_set *set, const char *path, char *why, size_t cap)
{
	const struct text_bounds bounds = {VEC_FILE_MAX, VEC_LINE_MAX};
	size_t n;
	char *text = text_file_read(path, &bounds, &n, NULL, why, cap);
	int rc = text ? vec_parse(set, path, text, n, why, cap) : -1;

	free(text);
	return rc;
}

void vec_free(struct vec_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		vec_clear(&set->vec[i]);
	free(set->vec);
	*set = (struct vec_set){0};
}

const char *vec_stated(const struct vec *v, const char *name)
{
	for (size_t i = 0; i < v->field_count; i++)
		if (!strcmp(v->fields[i].name, name))
			return v->fields[i].value;
	return NULL;
}

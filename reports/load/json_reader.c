/* SPDX-License-Identifier: BSD-2-Clause */
#include "reports/load/json_reader.h"

#include "harness/text/memstream.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No run lasts longer, and a double still holds its ns. */
#define MS_MOST 4e9

struct reader_block {
	struct reader_block *next;
	max_align_t octets[];
};

void reader_objects(struct reader *r, const char *format, ...)
{
	char text[400];
	va_list ap;

	if (r->failed)
		return;
	r->failed = true;
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	snprintf(r->why, r->cap, "%s: %s%s", r->name, r->place, text);
}

size_t reader_enter(struct reader *r, const char *key, size_t i)
{
	size_t mark = strlen(r->place), room = sizeof(r->place) - mark;

	if (i == SIZE_MAX)
		snprintf(r->place + mark, room, "%s: ", key);
	else
		snprintf(r->place + mark, room, "%s[%zu]: ", key, i);
	return mark;
}

void reader_leave(struct reader *r, size_t mark)
{
	r->place[mark] = '\0';
}

void *reader_alloc(struct reader *r, size_t n, size_t size)
{
	struct reader_block *block = NULL;

	if (r->failed)
		return NULL;
	/* Something of no octets is there, too. */
	if (n <= SIZE_MAX / 2 / size)
		block = calloc(1, sizeof(*block) + n * size);
	if (!block) {
		text_is_lost();
		reader_objects(r, "out of memory");
		return NULL;
	}
	block->next = r->blocks;
	r->blocks = block;
	return block->octets;
}

void reader_free(struct reader_block *blocks)
{
	while (blocks) {
		struct reader_block *next = blocks->next;

		free(blocks);
		blocks = next;
	}
}

static bool is_one_of(const char *key, const char *keys)
{
	size_t n = strlen(key);

	for (const char *at = keys; n && (at = strstr(at, key)); at += n)
		if ((at == keys || at[-1] == ' ') && (at[n] == ' ' || !at[n]) &&
		    !strchr(key, ' '))
			return true;
	return false;
}

bool reader_is_object(struct reader *r, const json_t *value, const char *keys)
{
	const char *key;
	json_t *member;

	if (!json_is_object(value)) {
		reader_objects(r, "expected an object");
		return false;
	}
	json_object_foreach((json_t *)value, key,
			    member) if (!is_one_of(key, keys))
		reader_objects(r, "no such key: %.60s", key);
	return !r->failed;
}

const json_t *reader_member(struct reader *r, const json_t *object,
			    const char *key, bool due)
{
	const json_t *value = r->failed ? NULL : json_object_get(object, key);

	if (!value && due)
		reader_objects(r, "%s is missing", key);
	return value;
}

const char *reader_text(struct reader *r, const json_t *object, const char *key,
			bool due)
{
	const json_t *value = reader_member(r, object, key, due);

	if (!value)
		return "";
	if (!json_is_string(value)) {
		reader_objects(r, "%s: expected a string", key);
		return "";
	}
	return json_string_value(value);
}

const char *reader_line(struct reader *r, const json_t *object, const char *key,
			bool due)
{
	const char *text = reader_text(r, object, key, due);

	if (strchr(text, '\n'))
		reader_objects(r, "%s: expected one line", key);
	return text;
}

const char *reader_item(struct reader *r, const json_t *list, size_t i)
{
	const char *text = json_string_value(json_array_get(list, i));

	if (text)
		return text;
	reader_objects(r, "expected a string");
	return "";
}

bool reader_flag(struct reader *r, const json_t *object, const char *key)
{
	const json_t *value = reader_member(r, object, key, false);

	if (value && !json_is_boolean(value))
		reader_objects(r, "%s: expected true or false", key);
	return json_is_true(value);
}

bool reader_digits(const char *text, size_t n, uint64_t *out)
{
	uint64_t value = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned digit = (unsigned)(text[i] - '0');

		if (digit > 9 || value > (UINT64_MAX - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	*out = value;
	return n > 0;
}

uint64_t reader_number(struct reader *r, const json_t *object, const char *key,
		       uint64_t most, bool due)
{
	const json_t *value = reader_member(r, object, key, due);
	const char *digits = json_string_value(value);
	uint64_t n = 0;

	if (!value)
		return 0;
	if (digits ? reader_digits(digits, strlen(digits), &n)
		   : json_is_integer(value) && json_integer_value(value) >= 0) {
		if (!digits)
			n = (uint64_t)json_integer_value(value);
		if (n <= most)
			return n;
	}
	reader_objects(r, "%s: expected a number up to %llu", key,
		       (unsigned long long)most);
	return 0;
}

uint64_t reader_ms(struct reader *r, const json_t *object, const char *key,
		   bool due)
{
	const json_t *value = reader_member(r, object, key, due);
	double ms = json_number_value(value);

	if (!value)
		return 0;
	if (json_is_number(value) && ms >= 0 && ms <= MS_MOST)
		return (uint64_t)(ms * 1e6 + 0.5);
	reader_objects(r, "%s: expected milliseconds", key);
	return 0;
}

const json_t *reader_list(struct reader *r, const json_t *object,
			  const char *key, bool due, size_t *n)
{
	const json_t *list = reader_member(r, object, key, due);

	*n = 0;
	if (list && !json_is_array(list))
		reader_objects(r, "%s: expected a list", key);
	else
		*n = json_array_size(list);
	return list;
}

const char **reader_texts(struct reader *r, const json_t *object,
			  const char *key, bool due, size_t *n)
{
	const json_t *list = reader_list(r, object, key, due, n);
	const char **texts = reader_alloc(r, *n, sizeof(*texts));

	for (size_t i = 0; texts && i < *n; i++) {
		size_t mark = reader_enter(r, key, i);

		texts[i] = reader_item(r, list, i);
		reader_leave(r, mark);
	}
	return texts;
}

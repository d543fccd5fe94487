/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads values from an untrusted JSON document. The first error is reported in
 * one line, with its place, and nothing after it is read: every function may
 * still be called, and then returns harmless values.
 */
#ifndef REPORTS_JSON_READER_H
#define REPORTS_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

struct reader {
	const char *name; /* of the document, for messages */
	char *why;        /* room for the line */
	size_t cap;       /* its size in octets */
	bool failed;
	char place[200]; /* "cases[12]: " */
	struct reader_block *blocks;
};

/* Write the line, unless there already is one: the document, the place, and
 * this text. */
__attribute__((format(printf, 2, 3))) void reader_objects(struct reader *r,
							  const char *format,
							  ...);

/* Enter list[i], or an object if i is SIZE_MAX. The result is for
 * reader_leave(). */
size_t reader_enter(struct reader *r, const char *key, size_t i);
void reader_leave(struct reader *r, size_t mark);

/* Zeroed memory that lives as long as the reader's blocks; NULL: failed. */
void *reader_alloc(struct reader *r, size_t n, size_t size);
void reader_free(struct reader_block *blocks);

/* True if the value is an object with no keys but these. `keys` has blanks
 * between them. */
bool reader_is_object(struct reader *r, const json_t *value, const char *keys);

/* The member, or NULL if it is missing; with `due` that is an error. */
const json_t *reader_member(struct reader *r, const json_t *object,
			    const char *key, bool due);

/* A string; "" if it is missing and not due. */
const char *reader_text(struct reader *r, const json_t *object, const char *key,
			bool due);
/* The same, for a string of one line. */
const char *reader_line(struct reader *r, const json_t *object, const char *key,
			bool due);
/* An element of a list. */
const char *reader_item(struct reader *r, const json_t *list, size_t i);
bool reader_flag(struct reader *r, const json_t *object, const char *key);
/* A number, or a string of digits if readers of JSON would round the number. */
uint64_t reader_number(struct reader *r, const json_t *object, const char *key,
		       uint64_t most, bool due);
/* Milliseconds as a real, in ns. */
uint64_t reader_ms(struct reader *r, const json_t *object, const char *key,
		   bool due);
/* A list, and its length: 0 if it is missing and not due. */
const json_t *reader_list(struct reader *r, const json_t *object,
			  const char *key, bool due, size_t *n);
/* A list of strings. */
const char **reader_texts(struct reader *r, const json_t *object,
			  const char *key, bool due, size_t *n);

/* True if the text is only digits that form a number. False is not an error. */
bool reader_digits(const char *text, size_t n, uint64_t *out);

#endif

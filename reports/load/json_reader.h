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
	char *why;        /* room for the line, */
	size_t cap;       /* of so many octets */
	bool failed;
	char place[200]; /* "cases[12]: " */
	struct reader_block *blocks;
};

/* The line, unless there is one: the document, the place, and this. */
__attribute__((format(printf, 2, 3))) void reader_objects(struct reader *r,
							  const char *format,
							  ...);

/* Enter list[i], or an object if i is SIZE_MAX. The result is for leaving it
 * again. */
size_t reader_enter(struct reader *r, const char *key, size_t i);
void reader_leave(struct reader *r, size_t mark);

/* Zeroed, for as long as the reader's blocks live; NULL: failed. */
void *reader_alloc(struct reader *r, size_t n, size_t size);
void reader_free(struct reader_block *blocks);

/* An object with these keys, a blank between them, and no other. */
bool reader_is_object(struct reader *r, const json_t *value, const char *keys);

/* The member, or NULL if there is none; `due`: that is an error. */
const json_t *reader_member(struct reader *r, const json_t *object,
			    const char *key, bool due);

/* "" if it is missing and not due. */
const char *reader_text(struct reader *r, const json_t *object, const char *key,
			bool due);
/* The same, of one line. */
const char *reader_line(struct reader *r, const json_t *object, const char *key,
			bool due);
/* An element of a list. */
const char *reader_item(struct reader *r, const json_t *list, size_t i);
bool reader_flag(struct reader *r, const json_t *object, const char *key);
/* A number, or its digits in a string where readers would round it. */
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

/* Only digits that form a number: false without an error. */
bool reader_digits(const char *text, size_t n, uint64_t *out);

#endif

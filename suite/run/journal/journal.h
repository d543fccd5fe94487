/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The journal of a run: one line for each finished case, written before the
 * next one starts, so that a kill loses no known result.
 *
 * Its first line identifies the run (identity.h). Each line ends with a
 * checksum over itself and all lines before it. An altered line, or a missing
 * one in the middle, is detected. The checksum is not a signature: anybody who
 * can write the file can compute it again.
 */
#ifndef SUITE_RUN_JOURNAL_H
#define SUITE_RUN_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "suite/run/journal/record.h"

#define JOURNAL_MOST (1ull << 30) /* most octets of a file */
#define JOURNAL_LINE (1u << 20)   /* of a line */
#define JOURNAL_SEAL 28u /* octets more: ,"chain":"16 digits" and '\n' */

struct journal;

enum journal_use {
	JOURNAL_READ,  /* has to exist, and is not changed */
	JOURNAL_WRITE, /* is created if it does not exist */
	JOURNAL_GO_ON, /* has to exist */
};

/*
 * Open a journal. Its contents stay until journal_begin; only one run at a time
 * can write. NULL: one line in why.
 */
struct journal *journal_open(const char *path, enum journal_use use, char *why,
			     size_t cap);
/* True if that path is the journal's file. */
bool journal_is(const struct journal *j, const char *path);
void journal_close(struct journal *j); /* NULL is fine */

/* Lines are JSON objects without '\n'. False once a line could not be written
 * completely (a full disk): one line in why. */
bool journal_begin(struct journal *j, const char *head, size_t n, char *why,
		   size_t cap);
bool journal_write(struct journal *j, const char *line, size_t n, char *why,
		   size_t cap);

/* Replace all of it, from the first line on: completely, or not at all. False:
 * one line in why. */
bool journal_replace(struct journal *j, const char *const *line, size_t count,
		     char *why, size_t cap);

struct journal_reader {
	/* The first line. False: one line in why. */
	bool (*head)(void *user, const char *line, size_t n, char *why,
		     size_t cap);
	/* Takes a record, and its line for journal_write. True: it keeps the
	 * record; false: the caller releases it. NULL: records are not
	 * wanted. */
	bool (*take)(void *user, struct record *r, const char *line, size_t n);
	/* Takes a line that is not a record. False: one line in why. NULL: no
	 * such line is allowed. */
	bool (*other)(void *user, const char *line, size_t n, char *why,
		      size_t cap);
	void *user;
};

/*
 * Read all of it; may be called repeatedly. A torn last line is ignored, and
 * overwritten by the next one; an empty file has no first line. False: one line
 * in why that names the file and the line.
 */
bool journal_read(struct journal *j, const struct journal_reader *reader,
		  char *why, size_t cap);
/* True if a first line was read or written. */
bool journal_has_head(const struct journal *j);

/* Put the seal on a line, after all lines before it, and the '\n': n +
 * JOURNAL_SEAL octets in out. The chain starts with zeros. */
#define JOURNAL_CHAIN 32
void journal_seal(unsigned char chain[JOURNAL_CHAIN], const char *line,
		  size_t n, char *out);
/* Read in the same way from a stream that stands for the file at path. */
bool journal_scan(FILE *f, const char *path,
		  const struct journal_reader *reader, char *why, size_t cap);

#endif

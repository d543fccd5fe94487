/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The journal of a run: one line per finished case, out of the process
 * before the next one starts, so that a kill loses nothing that was known.
 *
 * Its first line says which run it is of (identity.h). Each line ends with a
 * checksum over itself and all before it, so that one that was altered, or is
 * missing in the middle, is told. It is no signature: who can write the file
 * can make it anew.
 */
#ifndef SUITE_RUN_JOURNAL_H
#define SUITE_RUN_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "suite/run/journal/record.h"

#define JOURNAL_MOST (1ull << 30) /* octets of a file that is read */
#define JOURNAL_LINE (1u << 20)   /* of a line */
#define JOURNAL_SEAL 28u /* octets more: ,"chain":"16 digits" and '\n' */

struct journal;

enum journal_use {
	JOURNAL_READ,  /* what another run has written */
	JOURNAL_WRITE, /* made if it is not there */
	JOURNAL_GO_ON, /* it is there */
};

/*
 * Open a journal. What is there stays, until journal_begin; only one run at a
 * time can write. NULL: one line in why.
 */
struct journal *journal_open(const char *path, enum journal_use use, char *why,
			     size_t cap);
/* Whether that path is this file. */
bool journal_is(const struct journal *j, const char *path);
void journal_close(struct journal *j); /* NULL is fine */

/* Lines are JSON objects without '\n'. False once one could not be written
 * whole (a full disk): one line in why. */
bool journal_begin(struct journal *j, const char *head, size_t n, char *why,
		   size_t cap);
bool journal_write(struct journal *j, const char *line, size_t n, char *why,
		   size_t cap);

/* All of it anew, from its first line on: whole, or as it was. False: one line
 * in why. */
bool journal_replace(struct journal *j, const char *const *line, size_t count,
		     char *why, size_t cap);

struct journal_reader {
	/* The first line. False: one line in why. */
	bool (*head)(void *user, const char *line, size_t n, char *why,
		     size_t cap);
	/* A record, which it keeps (true) or leaves to be released; its line
	 * as journal_write wants it. NULL: nobody wants them. */
	bool (*take)(void *user, struct record *r, const char *line, size_t n);
	/* A line that is none. False: one line in why. NULL: there is none. */
	bool (*other)(void *user, const char *line, size_t n, char *why,
		      size_t cap);
	void *user;
};

/*
 * Read all of it, as often as one likes. A torn last line is passed over, and
 * what is written then stands in its place; an empty file has no first line.
 * False: one line in why that names the file and the line.
 */
bool journal_read(struct journal *j, const struct journal_reader *reader,
		  char *why, size_t cap);
/* Whether a first line was read or written. */
bool journal_has_head(const struct journal *j);

/* The line as it stands in the file after those before it, with its '\n':
 * n + JOURNAL_SEAL octets in out. The chain begins with zeros. */
#define JOURNAL_CHAIN 32
void journal_seal(unsigned char chain[JOURNAL_CHAIN], const char *line,
		  size_t n, char *out);
/* The same reading, of a stream that stands for the file at path. */
bool journal_scan(FILE *f, const char *path,
		  const struct journal_reader *reader, char *why, size_t cap);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * INI files in which a key stands once: device files, statements. What they
 * may be made of is as in text_file.h; sections and keys are read by libinih.
 */
#ifndef HARNESS_TEXT_INI_FILE_H
#define HARNESS_TEXT_INI_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct ini_key {
	const char *section, *name, *value; /* until the call returns */
	unsigned line;
};

/* Takes a key. False: in why, what is wrong with it. */
typedef bool ini_key_fn(void *user, const struct ini_key *key, char *why,
			size_t cap);

/*
 * All keys of n octets, a NUL behind them, that stand for the file at path; the
 * first that is wrong or there twice ends it. False: one line in why that
 * begins with the path, and the line where it is about one.
 */
bool ini_keys(const char *path, const char *text, size_t n, ini_key_fn *take,
	      void *user, char *why, size_t cap);

#endif

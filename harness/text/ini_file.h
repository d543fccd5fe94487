/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * INI files in which a key appears once: device files, statements. text_file.h
 * limits their contents; libinih reads sections and keys.
 */
#ifndef HARNESS_TEXT_INI_FILE_H
#define HARNESS_TEXT_INI_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct ini_key {
	const char *section, *name, *value; /* valid during the call */
	unsigned line;
};

/* Called with a key. False: the error is in why. */
typedef bool ini_key_fn(void *user, const struct ini_key *key, char *why,
			size_t cap);

/*
 * Read all keys of the n octets at text, which are the contents of the file at
 * path, followed by a NUL. The first error or repeated key ends it. False: one
 * line in why that begins with the path, and with the number of the line if the
 * error is about a line.
 */
bool ini_keys(const char *path, const char *text, size_t n, ini_key_fn *take,
	      void *user, char *why, size_t cap);

#endif

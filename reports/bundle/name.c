/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "reports/bundle/bundle.h"

#define PLAIN                                                                  \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"       \
	"._-+@=,:"

/* One part of it, between slashes. */
static bool is_part(const char *part, size_t n)
{
	return n > 0 && strspn(part, PLAIN) >= n && part[0] != '-' &&
	       !(n == 1 && part[0] == '.') &&
	       !(n == 2 && part[0] == '.' && part[1] == '.');
}

bool bundle_is_name(const char *name)
{
	if (strlen(name) >= BUNDLE_NAME)
		return false;
	for (;;) {
		size_t n = strcspn(name, "/");

		if (!is_part(name, n))
			return false;
		if (!name[n])
			return true;
		name += n + 1;
	}
}

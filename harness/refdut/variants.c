/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/refdut/variants.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool variants_taken[VARIANTS];

static const struct {
	const char *matter;
	const char *name;
	const char *reqs;
	const char *sentence;
} catalogue[] = {
#define VARIANT(matter, name, reqs, sentence) {#matter, #name, reqs, sentence},
#include "harness/refdut/variants.def"
#undef VARIANT
};

bool variants_note(enum variant v)
{
	static bool noted[VARIANTS];
	const char *path = noted[v] ? NULL : getenv("REFDUT_CHOICES");
	char line[128];
	int fd, n;

	noted[v] = true;
	fd = path ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
	if (fd < 0)
		return true;
	n = snprintf(line, sizeof(line), "%s\n", catalogue[v].name);
	/* One that is lost is missed by who reads the file. */
	if (write(fd, line, (size_t)n) < n)
		perror(path);
	close(fd);
	return true;
}

static bool take_one(const char *name, size_t n, char *why, size_t cap)
{
	int found = -1;

	for (int i = 0; i < VARIANTS; i++)
		if (strlen(catalogue[i].name) == n &&
		    memcmp(catalogue[i].name, name, n) == 0)
			found = i;
	if (found < 0) {
		snprintf(why, cap, "no such variant: %.*s", (int)n, name);
		return false;
	}
	for (int i = 0; i < VARIANTS; i++)
		if (i != found && variants_taken[i] &&
		    strcmp(catalogue[i].matter, catalogue[found].matter) == 0) {
			snprintf(why, cap,
				 "variants %s and %s exclude each other",
				 catalogue[i].name, catalogue[found].name);
			return false;
		}
	variants_taken[found] = true;
	return true;
}

bool variants_take(const char *list, char *why, size_t cap)
{
	for (;;) {
		size_t n = strcspn(list, ",");

		if (!take_one(list, n, why, cap))
			return false;
		list += n;
		if (!*list++)
			return true;
	}
}

void variants_list(FILE *to)
{
	for (int i = 0; i < VARIANTS; i++)
		fprintf(to, "%s\t%s\t%s\t%s\n", catalogue[i].name,
			catalogue[i].matter, catalogue[i].reqs,
			catalogue[i].sentence);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite/audit/memory.h"
#include "suite/device/target.h"

enum { LINE_MOST = 256 };

#define BLANKS " \t\r\n"

static bool place_of(struct memory_place *p, const char *text, char *why,
		     size_t cap)
{
	static struct device d;

	if (!device_set_buffer(&d, text, why, cap))
		return false;
	*p = (struct memory_place){.buffer = d.buffer};
	return true;
}

bool memory_buffer(struct memory_places *p, const char *text, char *why,
		   size_t cap)
{
	if (!place_of(&p->place[0], text, why, cap))
		return false;
	p->place[0].access = MODEL_LW | MODEL_RR | MODEL_RW | MODEL_RA;
	p->place[0].untouched = true;
	p->n = 1;
	return true;
}

static bool take_word(struct memory_place *p, const char *word)
{
	static const struct {
		const char *word;
		unsigned access;
	} rights[] = {{"none", 0},
		      {"rr", MODEL_RR},
		      {"rw", MODEL_RW},
		      {"ra", MODEL_RA}};

	for (size_t i = 0; i < sizeof(rights) / sizeof(rights[0]); i++)
		if (strcmp(word, rights[i].word) == 0) {
			p->access |= rights[i].access;
			return true;
		}
	if (strcmp(word, "foreign") == 0)
		p->foreign = true;
	else if (strcmp(word, "shared") == 0)
		p->shared = true;
	else if (strcmp(word, "zero-based") == 0)
		p->by_address = false;
	else if (strcmp(word, "untouched") == 0)
		p->untouched = true;
	else
		return false;
	return true;
}

/* Where a region is, and no rule by which its ULP advertises it. */
static bool take_place(struct memory_places *p, struct memory_place *place,
		       const char *word, char *why, size_t cap)
{
	if (!place_of(place, word, why, cap))
		return false;
	for (size_t i = 0; i < p->n; i++)
		if (p->place[i].buffer.stag == place->buffer.stag) {
			snprintf(why, cap, "a second region of STag 0x%x",
				 place->buffer.stag);
			return false;
		}
	if (place->buffer.where == BUFFER_GIVEN)
		return true;
	snprintf(why, cap, "%.60s: expected STAG:TO:LENGTH", word);
	return false;
}

static bool take_line(struct memory_places *p, char *line, char *why,
		      size_t cap)
{
	struct memory_place *place = &p->place[p->n];
	char *rest = NULL;

	line[strcspn(line, ";")] = '\0';
	char *word = strtok_r(line, BLANKS ",", &rest);

	if (!word)
		return true;
	if (p->n == MODEL_REGIONS) {
		snprintf(why, cap, "more than %d regions", MODEL_REGIONS);
		return false;
	}
	if (!take_place(p, place, word, why, cap))
		return false;
	place->by_address = true;
	while ((word = strtok_r(NULL, BLANKS ",", &rest))) {
		if (take_word(place, word))
			continue;
		snprintf(why, cap,
			 "%.60s: expected rr, rw, ra or none, foreign, shared, "
			 "zero-based or untouched",
			 word);
		return false;
	}
	p->n++;
	return true;
}

bool memory_file(struct memory_places *p, const char *path, char *why,
		 size_t cap)
{
	char line[LINE_MOST], about[LINE_MOST];
	FILE *f = fopen(path, "r");
	unsigned number = 0;
	bool ok = f;

	if (!f) {
		snprintf(why, cap, "memory file %.200s: %s", path,
			 strerror(errno));
		return false;
	}
	while (ok && fgets(line, sizeof(line), f)) {
		number++;
		ok = take_line(p, line, about, sizeof(about));
	}
	if (!ok) {
		snprintf(why, cap, "memory file %.200s, line %u: %s", path,
			 number, about);
	} else if (ferror(f)) {
		snprintf(why, cap, "memory file %.200s: %s", path,
			 strerror(errno));
		ok = false;
	} else if (!p->n) {
		snprintf(why, cap, "memory file %.200s: it names no region",
			 path);
		ok = false;
	}
	p->all = true;
	fclose(f);
	return ok;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/device/spelling.h"

#include <stdio.h>
#include <string.h>

#define LONGEST 120 /* of names; longer words are not compared */

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

unsigned spelling_distance(const char *a, const char *b)
{
	/* Three rows of the table: the one before the last, the last, this. */
	unsigned row[3][LONGEST + 1];
	size_t n = strlen(a), m = strlen(b);

	if (n > LONGEST || m > LONGEST)
		return LONGEST;
	for (size_t j = 0; j <= m; j++)
		row[0][j] = (unsigned)j;
	for (size_t i = 1; i <= n; i++) {
		unsigned *now = row[i % 3], *last = row[(i + 2) % 3],
			 *before = row[(i + 1) % 3];

		now[0] = (unsigned)i;
		for (size_t j = 1; j <= m; j++) {
			now[j] = last[j - 1] + (a[i - 1] != b[j - 1]);
			now[j] = least(now[j], least(now[j - 1], last[j]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				now[j] = least(now[j], before[j - 2] + 1);
		}
	}
	return row[n % 3][m];
}

struct spelling spelling_of(const char *word)
{
	size_t n = strlen(word);

	/* One slip in a short word, three in a long one. */
	return (struct spelling){.word = word,
				 .distance = n < 4   ? 2
					     : n < 8 ? 3
						     : 4};
}

void spelling_offer(struct spelling *s, const char *name)
{
	unsigned d = spelling_distance(s->word, name);

	if (d >= s->distance || d >= strlen(name))
		return;
	s->distance = d;
	s->nearest = name;
}

void spelling_say(const struct spelling *s, char *line, size_t cap)
{
	size_t n = strlen(line);

	if (s->nearest)
		snprintf(line + n, cap - n, "; did you mean %s?", s->nearest);
}

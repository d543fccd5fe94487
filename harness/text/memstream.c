/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/text/memstream.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#define ROOM_FIRST 256u

static atomic_ulong lost;

unsigned long text_lost(void)
{
	return lost;
}

void text_is_lost(void)
{
	lost++;
}

void *text_held(void *allocated)
{
	if (!allocated)
		text_is_lost();
	return allocated;
}

bool text_made(int octets)
{
	if (octets < 0)
		text_is_lost();
	return octets >= 0;
}

/* Room for n octets more and a NUL. */
static bool has_room(struct memstream *m, size_t n)
{
	size_t room = m->room ? m->room : ROOM_FIRST;

	if (n < m->room - m->n)
		return true;
	while (room - m->n <= n) {
		if (room > SIZE_MAX / 2)
			return false;
		room *= 2;
	}
	char *grown = realloc(m->text, room);

	if (!grown)
		return false;
	m->text = grown;
	m->room = room;
	return true;
}

static ssize_t add(void *cookie, const char *octets, size_t n)
{
	struct memstream *m = cookie;

	if (m->failed || !has_room(m, n)) {
		m->failed = true;
		errno = ENOMEM;
		return 0; /* that is an error: see fopencookie(3) */
	}
	memcpy(m->text + m->n, octets, n);
	m->n += n;
	m->text[m->n] = '\0';
	return (ssize_t)n;
}

FILE *memstream_open(struct memstream *m)
{
	const cookie_io_functions_t functions = {.write = add};

	*m = (struct memstream){.failed = false};
	/* An empty text is a text. */
	if (has_room(m, 0)) {
		m->text[0] = '\0';
		m->file = fopencookie(m, "w", functions);
	}
	m->failed = !m->file;
	if (m->file)
		setvbuf(m->file, m->buffer, _IOFBF, sizeof(m->buffer));
	else
		errno = ENOMEM;
	return m->file;
}

char *memstream_finish(struct memstream *m, size_t *n)
{
	char *text = m->text;

	if (m->file) {
		m->failed |= ferror(m->file) != 0;
		m->failed |= fclose(m->file) != 0;
		text = m->text;
	}
	if (n)
		*n = m->failed ? 0 : m->n;
	if (m->failed) {
		free(text);
		text = NULL;
		text_is_lost();
		errno = ENOMEM;
	}
	m->file = NULL;
	m->text = NULL;
	return text;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/explore/exploration.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "harness/link/clock.h"
#include "suite/explore/perform/perform.h"

void explore_note(struct exploration *e, const char *text)
{
	if (!e->note[0])
		snprintf(e->note, sizeof(e->note), "%s", text);
}

void explore_progress(struct exploration *e, bool last)
{
	uint64_t now = clock_now_ns();
	double s = (double)(now - e->began) / CLOCK_NS_PER_S;

	if (!e->progress || (!last && now - e->told < CLOCK_NS_PER_S))
		return;
	e->told = now;
	fprintf(stderr,
		"\r%" PRIu64 " programs, %" PRIu64 " operations, %.0f/s, "
		"%u finding%s  %s",
		e->programs, e->operations,
		s > 0 ? (double)e->operations / s : 0, e->findings,
		e->findings == 1 ? "" : "s", last ? "\n" : "");
}

void explore_says(const struct exploration *e, const char *fmt, ...)
{
	va_list ap;

	if (e->o->run->quiet)
		return;
	if (e->progress)
		fputs("\r\033[K", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

struct outcome explore_perform(struct exploration *e, const struct program *p,
			       struct result *result)
{
	struct performance performance = {.program = p};

	return crew_perform_one(&e->bed, &performance, result);
}

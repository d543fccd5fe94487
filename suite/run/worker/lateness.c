/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/run/worker/lateness.h"

#include <inttypes.h>
#include <stdio.h>

#include "harness/link/clock.h"

static uint64_t overslept;

static uint64_t waited(pid_t pid)
{
	char path[48];
	uint64_t ns = 0;

	if (!pid)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)pid);
	FILE *f = fopen(path, "re");

	if (!f)
		return 0;
	if (fscanf(f, "%*s %" SCNu64, &ns) != 1)
		ns = 0;
	fclose(f);
	return ns;
}

struct lateness lateness_from_now(pid_t suite, pid_t device)
{
	return (struct lateness){
		.who = {suite, device},
		.waited = {waited(suite), waited(device)},
		.overslept = overslept,
	};
}

uint64_t lateness_since(const struct lateness *from)
{
	uint64_t most = overslept - from->overslept;

	for (unsigned i = 0; i < 2; i++) {
		uint64_t now = waited(from->who[i]);

		/* A process that ended meanwhile has not waited less. */
		if (now > from->waited[i] && now - from->waited[i] > most)
			most = now - from->waited[i];
	}
	return most;
}

struct late_spans late_spans_from_now(pid_t suite, pid_t device, uint64_t span)
{
	return (struct late_spans){.span = span,
				   .from = lateness_from_now(suite, device),
				   .since = clock_now_ns()};
}

uint64_t late_spans_worst(const struct late_spans *s)
{
	uint64_t late = s->before + lateness_since(&s->from);

	return late > s->worst ? late : s->worst;
}

void late_spans_look(struct late_spans *s, uint64_t now)
{
	if (now < s->since + s->span)
		return;
	s->worst = late_spans_worst(s);
	s->before = lateness_since(&s->from);
	s->from = lateness_from_now(s->from.who[0], s->from.who[1]);
	s->since = now;
}

void lateness_overslept(uint64_t ns)
{
	overslept += ns;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/command/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "reports/load/load.h"
#include "suite/audit/audit.h"
#include "suite/audit/rejudge.h"
#include "suite/audit/relaying.h"
#include "suite/cli/complain.h"

/* A line on the terminal that is overwritten. */
static void show_progress(const struct audit_progress *p)
{
	fprintf(stderr,
		"\r%" PRIu64 " packets (the kernel dropped %" PRIu64
		"), connections: %" PRIu64 ", streams judged: %" PRIu64
		", sides with findings: %" PRIu64 " ",
		p->packets, p->dropped, p->open, p->over, p->findings);
	fflush(stderr);
}

static void say_following(const char *interface)
{
	fprintf(stderr, "audit: following %s\n", interface);
}

/* The memory that --buffer or --memory names; NULL: none is named, or the name is
 * wrong. */
static struct memory_places *memory_of(const struct cli *c, char *why,
				       size_t cap)
{
	static struct memory_places places;

	*why = '\0';
	if (c->buffer && c->memory)
		snprintf(why, cap, "--buffer and --memory: choose one");
	else if (c->buffer)
		memory_buffer(&places, c->buffer, why, cap);
	else if (c->memory)
		memory_file(&places, c->memory, why, cap);
	return places.n && !*why ? &places : NULL;
}

int command_audit(struct cli *c)
{
	static struct run_result run;
	char why[1024];
	const struct audit_options o = {
		.files = c->run.selectors,
		.count = c->run.selector_count,
		.profile = c->run.profile,
		.spec = c->run.spec,
		.strict = c->run.strict,
		.follow = c->follow,
		.max_time_ns = c->run.max_time_ns,
		.follows = say_following,
		.shows = isatty(2) ? show_progress : NULL,
		.streams = c->stream,
		.stream_count = c->streams,
		.memory = memory_of(c, why, sizeof(why))};

	if (*why || !publish_check(c, why, sizeof(why)) ||
	    !audit(&o, &run, why, sizeof(why)))
		return complain(EXIT_USAGE, why);
	if (o.follow && o.shows)
		fputc('\n', stderr);
	return publish_judged(c, &run);
}

static void say_place(const char *place)
{
	fprintf(stderr, "relay: listening on %s\n", place);
}

int command_relay(struct cli *c)
{
	static struct run_result run;
	char why[1024];
	const struct relay_options o = {.listen = c->listen,
					.to = c->to,
					.fault = c->fault,
					.max_time_ns = c->run.max_time_ns,
					.profile = c->run.profile,
					.spec = c->run.spec,
					.strict = c->run.strict,
					.memory =
						memory_of(c, why, sizeof(why)),
					.listens = say_place};

	if (*why || !publish_check(c, why, sizeof(why)) ||
	    !relaying(&o, &run, why, sizeof(why)))
		return complain(EXIT_USAGE, why);
	return publish_judged(c, &run);
}

int command_rejudge(struct cli *c)
{
	static struct run_result run;
	const struct run_result *past;
	char why[1024];
	struct memory_places *memory = memory_of(c, why, sizeof(why));

	if (*why || !publish_check(c, why, sizeof(why)) ||
	    !(past = report_load(c->run.selectors[0], why, sizeof(why))) ||
	    !rejudge(past, c->run.profile, memory, &run, why, sizeof(why)))
		return complain(EXIT_USAGE, why);
	return publish_judged(c, &run);
}

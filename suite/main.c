/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Wires the parts together: with suite/command/, all that sees every folder.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/crc/crc.h"
#include "harness/lab/netns.h"
#include "harness/lab/privilege.h"
#include "harness/lab/veth.h"
#include "harness/link/sctp/sctp.h"
#include "harness/text/digest.h"
#include "harness/text/memstream.h"
#include "reports/load/load.h"
#include "reports/publish/publish.h"
#include "reports/text/closing.h"
#include "suite/agent_check/agent_check.h"
#include "suite/audit/audit.h"
#include "suite/audit/rejudge.h"
#include "suite/audit/relaying.h"
#include "suite/catalogue/axes.h"
#include "suite/catalogue/catalogue.h"
#include "suite/catalogue/registry.h"
#include "suite/cli/cli.h"
#include "suite/cli/complain.h"
#include "suite/cli/limits.h"
#include "suite/command/command.h"
#include "suite/decode/decode.h"
#include "suite/device/builtin.h"
#include "suite/device/claims.h"
#include "suite/device/confined.h"
#include "suite/device/links.h"
#include "suite/device/spelling.h"
#include "suite/device/target.h"
#include "suite/language/execution/testbed.h"
#include "suite/language/evidence/transcript.h"
#include "suite/report/report_command.h"
#include "suite/run/probe/habit_probe.h"
#include "suite/run/probe/reading_probe.h"
#include "suite/run/probe/target_probe.h"
#include "suite/run/plan/runner.h"

/* --- ics ------------------------------------------------------------------ */

struct form {
	struct ics ics;
	const char *impl;
};

static int write_form(const void *what, const struct report_options *options,
		      FILE *out)
{
	const struct form *f = what;

	(void)options;

	return ics_write(&f->ics, f->impl, out) ? 0 : -1;
}

static int command_ics(struct cli *c)
{
	static struct device device;
	static struct form form;
	struct testbed bed = {0};
	struct stat st;
	char why[512];
	int status = find_agent(c, &device);

	if (status)
		return status;
	if (report_check_path(c->output, why, sizeof(why)) < 0)
		return complain(EXIT_USAGE, why);
	if (c->output && stat(c->output, &st) == 0 && S_ISREG(st.st_mode)) {
		snprintf(why, sizeof(why),
			 "%s: this statement exists, and 'ics' does not "
			 "overwrite it: name another file, or remove it",
			 c->output);
		return complain(EXIT_USAGE, why);
	}
	status = start_agent(c, &device);
	if (status)
		return status;
	bool there =
		testbed_open(&bed, &device, link_socket_open(), c->run.profile,
			     c->run.timeout_scale, why, sizeof(why)) &&
		testbed_reach_agent(&bed, why, sizeof(why));

	if (there) {
		ics_of(&form.ics, &device, &bed.hello,
		       claims_of(&device, bed.hello.features), c->run.spec,
		       link_kind(c, &device));
		form.impl = bed.hello.impl;
	}
	const struct report_content content = {write_form, &form, false};
	status = !there ? complain(EXIT_DEVICE, why)
		 : report_publish_content(&content, c->output, why,
					  sizeof(why)) == 0
			 ? 0
			 : complain(EXIT_SUITE, why);

	testbed_close(&bed);
	builtin_stop();
	return status;
}

/* --- check-agent ------------------------------------------------------------------ */

static int command_check_agent(struct cli *c)
{
	static struct device device;
	const struct agent_check_options options = {
		.timeout_scale = c->run.timeout_scale, .quiet = c->run.quiet};
	struct agent_check_counts n;
	char why[512];
	int status = find_agent(c, &device);

	if (!status)
		status = start_agent(c, &device);
	if (status)
		return status;
	bool there =
		agent_check(&device, &options, stdout, &n, why, sizeof(why));

	builtin_stop();
	if (!there)
		return complain(EXIT_DEVICE, why);
	printf("%zu not applicable\n", n.skipped);
	if (n.not_reached)
		printf("%zu not reached: the agent took too long before; give "
		       "it more time with --timeout-scale\n",
		       n.not_reached);
	printf("check-agent: %zu passed, %zu failed\n", n.passed, n.failed);
	return flushed(n.failed        ? EXIT_FAILED
		       : n.not_reached ? EXIT_PARTIAL
				       : 0);
}

/* --- decode ------------------------------------------------------------------ */

static int command_decode(struct cli *c)
{
	const struct decode_options o = {.json = c->json,
					 .colour = report_colours(stdout),
					 .no_crc = c->no_crc,
					 .markers = c->markers};
	char why[1024];

	if (c->run.selector_count > 1 &&
	    access(c->run.selectors[0], F_OK) == 0) {
		snprintf(why, sizeof(why),
			 "decode: one file at a time, but there are %zu: from "
			 "%.200s on",
			 c->run.selector_count, c->run.selectors[0]);
		return complain(EXIT_USAGE, why);
	}
	switch (decode(c->run.selectors, c->run.selector_count, &o, stdout, why,
		       sizeof(why))) {
	case DECODE_FRAMES:
		return flushed(0);
	case DECODE_REST:
		return flushed(EXIT_FAILED);
	case DECODE_UNREAD:
		break;
	}
	return complain(EXIT_USAGE, why);
}

/* --- audit ------------------------------------------------------------------ */

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

static int command_audit(struct cli *c)
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

static int command_relay(struct cli *c)
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

static int command_rejudge(struct cli *c)
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

static int command(struct cli *c)
{
	switch (c->command) {
	case COMMAND_RUN:
		return command_run(c);
	case COMMAND_LIST:
		return command_list(c);
	case COMMAND_SHOW:
		return command_show(c);
	case COMMAND_COVERAGE:
		return command_coverage(c);
	case COMMAND_EXPLORE:
		return command_explore(c);
	case COMMAND_CHECK_AGENT:
		return command_check_agent(c);
	case COMMAND_REPORT:
		return report_command(c->word_count, c->words);
	case COMMAND_ICS:
		return command_ics(c);
	case COMMAND_HELP:
		if (c->help_about && strcmp(c->help_about, "report") == 0)
			return report_command_help(c->run.selector_count > 1
							   ? c->run.selectors[1]
							   : NULL);
		cli_help(c->help_about);
		return flushed(0);
	case COMMAND_DECODE:
		return command_decode(c);
	case COMMAND_AUDIT:
		return command_audit(c);
	case COMMAND_REJUDGE:
		return command_rejudge(c);
	case COMMAND_RELAY:
		return command_relay(c);
	case COMMAND_DEVICE:
		if (c->confinement)
			return printed(confined_print(stdout));
		cli_device_keys();
		return flushed(0);
	case COMMAND_VERSION:
		printf("warpspec %s\n", WARPSPEC_VERSION);
		return flushed(0);
	}
	return EXIT_USAGE;
}

/* Output that looks complete and is not is worse than none. Errors other than
 * those of usage have been reported. */
static int whole(int status)
{
	if (!text_lost() || status == EXIT_DEVICE || status == EXIT_SUITE)
		return status;
	return status == EXIT_USAGE ? EXIT_SUITE
				    : complain(EXIT_SUITE, "out of memory");
}

int main(int argc, char **argv)
{
	static struct cli c;
	char why[512];
	const char *crc_fault;

	if (!limits_suffice(why, sizeof(why)))
		return complain(EXIT_SUITE, why);
	digest_watches_memory();
	if (!cli_parse(&c, argc, argv, why, sizeof(why)))
		return complain(EXIT_USAGE, why);
	if (crc_init(&crc_fault) < 0)
		return complain(EXIT_SUITE, crc_fault);
	return whole(command(&c));
}

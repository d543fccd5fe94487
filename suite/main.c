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

/* --- select ------------------------------------------------------------------ */

static bool *select_cases(const struct cli *c, char *why, size_t cap)
{
	bool *selected = calloc(registry()->count + 1, sizeof(*selected));

	snprintf(why, cap, "out of memory");
	if (!selected ||
	    registry_select(c->run.selectors, c->run.selector_count, selected,
			    why, cap))
		return selected;
	free(selected);
	return NULL;
}

static bool select_asked(const struct cli *c, bool *selected,
			 const struct run_result **run, char *why, size_t cap)
{
	*run = NULL;
	if (c->link)
		catalogue_on_link(selected, c->link);
	if (c->verdict && !c->result_count) {
		snprintf(why, cap,
			 "--verdict: --results is missing: the "
			 "report that has the verdicts");
		return false;
	}
	if (c->result_count && !(*run = report_load(c->results[0], why, cap)))
		return false;
	return !c->verdict ||
	       catalogue_with_verdict(selected, *run, c->verdict, why, cap);
}

static int select_alone(struct cli *c, bool *selected)
{
	static struct device device;
	struct testbed bed = {0};
	char why[512];
	int status;
	bool ok;

	device_init(&device);
	c->builtin.alone = true;
	if (c->buffer &&
	    (!device_set_buffer(&device, c->buffer, why, sizeof(why)) ||
	     device.buffer.where == BUFFER_GIVEN))
		return complain(EXIT_USAGE, "--buffer: of the built-in device: "
					    "private-data:0 or send:0");
	c->builtin.offers = c->buffer != NULL;
	c->builtin.offers_in_send = device.buffer.where == BUFFER_SEND;
	status = start_builtin(c, &device);
	if (status)
		return status;
	ok = testbed_open(&bed, &device, link_socket_open(), c->run.profile, 1,
			  why, sizeof(why)) &&
	     target_reach(&bed, &c->run, selected, why, sizeof(why));
	testbed_close(&bed);
	builtin_stop();
	return ok ? 0 : complain(EXIT_DEVICE, why);
}

/* --- run ------------------------------------------------------------------ */

/* What to run on the device: cases, or programs. */
static bool work_on(struct cli *c, struct run_result *out, char *why,
		    size_t cap)
{
	if (c->command != COMMAND_EXPLORE)
		return runner_run(&c->run, out, why, cap);
	c->explore.run = &c->run;
	if (!c->run.max_time_ns && !c->explore.operations)
		c->explore.operations = EXPLORE_OPERATIONS;
	return explore(&c->explore, out, why, cap);
}

static int run_on_device(struct cli *c, struct run_result *out)
{
	static struct device device;
	char why[512];
	int status = start_device(c, &device);

	if (status)
		return status;
	c->run.device = &device;
	bool ok = work_on(c, out, why, sizeof(why));

	builtin_stop();
	if (c->device_file)
		hooks_close(c->run.hooks);
	if (!ok)
		return complain(EXIT_USAGE, why);
	publish_note(out);
	return 0;
}

static int run_and_publish(struct cli *c)
{
	static struct run_result run;
	int status = run_on_device(c, &run);

	if (!status)
		status = c->command == COMMAND_EXPLORE && c->explore.as_case
				 ? run.exit_status
				 : publish_run(c, &run);
	/* The results refer to them: they go last. */
	deviations_free(c->run.deviations);
	return status;
}

/* Known deviations: of cases, and of findings by exploration. False: one line
 * in why. */
static bool load_deviations(struct cli *c, char *why, size_t cap)
{
	size_t n;
	const char *const *ids;

	if (!c->run.deviations_path)
		return true;
	ids = explore_ids(registry_ids(), registry()->count, &n);
	snprintf(why, cap, "out of memory");
	c->run.deviations = ids ? deviations_load(c->run.deviations_path,
						  c->run.update_deviations, ids,
						  n, why, cap)
				: NULL;
	return c->run.deviations;
}

static int command_explore(struct cli *c)
{
	char why[512];

	if (!publish_check(c, why, sizeof(why)) ||
	    !load_deviations(c, why, sizeof(why)))
		return complain(EXIT_USAGE, why);
	return run_and_publish(c);
}

static int run_selected(struct cli *c)
{
	static struct ics statement;
	char why[512];
	bool *selected = select_cases(c, why, sizeof(why));

	if (!selected)
		return complain(EXIT_USAGE, why);
	free(selected);
	if (!load_deviations(c, why, sizeof(why)))
		return complain(EXIT_USAGE, why);
	if (c->statement) {
		if (!ics_load(&statement, c->statement, why, sizeof(why))) {
			deviations_free(c->run.deviations);
			return complain(EXIT_USAGE, why);
		}
		c->run.statement = &statement;
	}
	return run_and_publish(c);
}

static int command_run(struct cli *c)
{
	char why[512];
	int status;

	if (!publish_check(c, why, sizeof(why)))
		return complain(EXIT_USAGE, why);
	if (c->run.rerun_path &&
	    !(c->run.rerun = report_load(c->run.rerun_path, why, sizeof(why))))
		return complain(EXIT_USAGE, why);
	status = run_selected(c);
	report_unload(c->run.rerun);
	return status;
}

/* --- show ------------------------------------------------------------------ */

/* The octets that a case sends to the built-in device. */
static void show_conversation(struct testbed *bed, const struct instance *in)
{
	struct result result;
	enum error_cause cause;
	/* All events, and much of each. */
	const struct evidence_bounds bounds = {.event = 1024, .all = SIZE_MAX};

	if (in->needs & ~(bed->claims | NEED_MPA)) {
		puts("\nthe built-in device does not claim every feature that "
		     "the case needs");
		return;
	}
	habit_probe(bed, in->needs);
	reading_probe(bed, in->needs);
	testbed_trace(bed);
	testbed_run(bed, in, &result, &cause);
	testbed_evidence(bed, &bounds, &result);
	printf("\nwith the built-in device: %s%s%s\n",
	       verdict_name(result.verdict),
	       *result.reading ? ", under reading " : "", result.reading);
	transcript_print(&result, stdout);
}

/* A built-in device that has what the case needs. */
static struct link *link_for(const struct instance *in, const struct device *d)
{
	char why[LINK_WHY];

	return in->needs & NEED_SCTP
		       ? link_sctp_open(
				 &(struct link_sctp){.address = d->agent}, why)
		       : link_socket_open();
}

static int show_selected(struct cli *c, const bool *selected)
{
	static struct device device;
	const struct registry *r = registry();
	struct testbed bed;
	char why[512];
	const char *apart = "";
	bool ok = true, written = true;

	device_init(&device);
	int status = start_builtin(c, &device);

	if (status)
		return status;
	for (size_t i = 0; ok && written && i < r->count; i++) {
		if (!selected[i])
			continue;
		fputs(apart, stdout);
		apart = "\n----\n\n";
		written = catalogue_show(&r->instances[i], stdout);
		ok = testbed_open(&bed, &device,
				  link_for(&r->instances[i], &device),
				  c->run.profile, 1, why, sizeof(why)) &&
		     testbed_reach_agent(&bed, why, sizeof(why));
		bed.peer = c->run.peer;
		if (ok)
			show_conversation(&bed, &r->instances[i]);
		testbed_close(&bed);
	}
	builtin_stop();
	if (!ok)
		return complain(EXIT_DEVICE, why);
	return flushed(0);
}

static int command_show(struct cli *c)
{
	char why[512];
	bool *selected = select_cases(c, why, sizeof(why));
	int status = selected ? show_selected(c, selected)
			      : complain(EXIT_USAGE, why);

	free(selected);
	return status;
}

/* --- list ------------------------------------------------------------------ */

/* The columns of this terminal; 0: it is none. */
static unsigned columns_of(int fd)
{
	struct winsize w;

	if (!isatty(fd))
		return 0;
	return ioctl(fd, TIOCGWINSZ, &w) == 0 && w.ws_col > 20 ? w.ws_col : 80;
}

static int list_selected(struct cli *c, bool *selected)
{
	const struct run_result *run = NULL;
	char why[512];
	int status;

	if (!registry_select(c->run.selectors, c->run.selector_count, selected,
			     why, sizeof(why)) ||
	    !select_asked(c, selected, &run, why, sizeof(why))) {
		report_unload(run);
		return complain(EXIT_USAGE, why);
	}
	status = c->target_only ? select_alone(c, selected) : 0;
	if (!status)
		status = printed(catalogue_list(selected, run, c->json,
						columns_of(STDOUT_FILENO),
						stdout));
	report_unload(run);
	return status;
}

static int command_list(struct cli *c)
{
	if (c->readings)
		return printed(catalogue_readings(stdout));
	bool *selected = calloc(registry()->count + 1, sizeof(*selected));
	int status = selected ? list_selected(c, selected)
			      : complain(EXIT_SUITE, "out of memory");

	free(selected);
	return status;
}

/* --- coverage ------------------------------------------------------------------ */

/* One flag for each instance, set; for free(). NULL: out of memory. */
static bool *all_cases(void)
{
	size_t n = registry()->count;
	bool *cases = malloc(n + 1);

	if (cases)
		memset(cases, true, n);
	return cases;
}

static int target_coverage(struct cli *c, const bool *requirements)
{
	bool *applicable = all_cases();
	int status;

	if (!applicable)
		return complain(EXIT_SUITE, "out of memory");
	status = select_alone(c, applicable);
	if (!status)
		status = printed(catalogue_reach(requirements, applicable,
						 c->json, stdout));
	free(applicable);
	return status;
}

static int coverage_by_cases(struct cli *c, const bool *requirements)
{
	bool *cases = all_cases();
	const struct run_result *run = NULL;
	char why[512];
	int status = 0;

	if (!cases)
		return complain(EXIT_SUITE, "out of memory");
	if (!select_asked(c, cases, &run, why, sizeof(why)))
		status = complain(EXIT_USAGE, why);
	const struct coverage_of of = {
		.requirements = requirements,
		.cases = cases,
		.run = run,
		.judged_only = c->verdict != NULL,
		.json = c->json,
		.uncovered = c->uncovered,
	};

	if (!status)
		status = printed(catalogue_coverage(&of, stdout));
	report_unload(run);
	free(cases);
	return status;
}

/* All cases, on the built-in device. The run lives as long as the process. */
static int run_for_axes(struct cli *c, struct run_result *run)
{
	c->run.selector_count = 0;
	c->run.quiet = true;
	int status = run_on_device(c, run);

	return status ? status : run->exit_status;
}

static int coverage_of_axes(struct cli *c, const bool *requirements)
{
	static struct run_result run;
	const struct run_result *runs[CLI_REPORTS] = {&run};
	char why[512];
	size_t n = 0;
	int status = 0;

	if (c->verdict || c->uncovered || c->of_target)
		return complain(EXIT_USAGE, "--axes: not with --verdict, "
					    "--uncovered or --target");
	if (!c->result_count)
		status = run_for_axes(c, &run);
	while (n < c->result_count &&
	       (runs[n] = report_load(c->results[n], why, sizeof(why))))
		n++;
	if (n < c->result_count)
		status = complain(EXIT_USAGE, why);
	else if ((n || run.count) &&
		 printed(catalogue_axes(requirements, runs, n ? n : 1, c->json,
					stdout)) != 0)
		status = EXIT_SUITE;
	while (n)
		report_unload(runs[--n]);
	return status;
}

static int command_coverage(struct cli *c)
{
	static bool selected[REQ_COUNT];
	char why[512];

	if (!registry_select_requirements(c->run.selectors,
					  c->run.selector_count, selected, why,
					  sizeof(why)))
		return complain(EXIT_USAGE, why);
	if (c->axes)
		return coverage_of_axes(c, selected);
	if (c->of_target)
		return target_coverage(c, selected);
	return coverage_by_cases(c, selected);
}

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

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Wires the parts together: the only file that sees every folder.
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

/* --- run ------------------------------------------------------------------- */

static void no_such_format(const char *name, char *why, size_t cap)
{
	struct spelling near = spelling_of(name);
	const struct report_format *f;

	snprintf(why, cap, "--report %.60s: no such format; there are", name);
	for (size_t i = 0; (f = report_format_at(i)); i++) {
		size_t n = strlen(why);

		snprintf(why + n, cap - n, "%s %s",
			 !i                        ? ""
			 : report_format_at(i + 1) ? ","
						   : " and",
			 f->name);
		spelling_offer(&near, f->name);
	}
	spelling_say(&near, why, cap);
}

/* A file inside a folder of pages would be lost when the folder is replaced, or
 * would prevent that. */
static bool has_folder_alone(const struct cli *c, size_t i, char *why,
			     size_t cap)
{
	const char *folder = c->report[i].path, *other = NULL;

	for (size_t k = 0; k < c->reports; k++)
		if (k != i && c->report[k].path &&
		    report_is_inside(folder, c->report[k].path))
			other = c->report[k].path;
	if (c->run.captures && report_is_inside(folder, c->run.captures))
		other = c->run.captures;
	if (c->run.journal && report_is_inside(folder, c->run.journal))
		other = c->run.journal;
	if (other)
		snprintf(why, cap,
			 "--report %s=%s: %s is written there, too; name a "
			 "folder of its own",
			 c->report[i].format, folder, other);
	return !other;
}

static bool check_reports(const struct cli *c, char *why, size_t cap)
{
	for (size_t i = 0; i < c->reports; i++) {
		const struct report_format *f =
			report_format_find(c->report[i].format);

		if (!f) {
			no_such_format(c->report[i].format, why, cap);
			return false;
		}
		if (report_check_place(f, c->report[i].path, why, cap) < 0)
			return false;
		if (!f->write && !has_folder_alone(c, i, why, cap))
			return false;
		for (size_t k = 0; k < i; k++)
			if (report_same_place(c->report[i].path,
					      c->report[k].path)) {
				snprintf(why, cap,
					 "--report %s and %s: both would be "
					 "written to %s",
					 c->report[k].format,
					 c->report[i].format,
					 c->report[i].path);
				return false;
			}
	}
	return true;
}

static bool publish_all(const struct cli *c, const struct run_result *run)
{
	static const struct cli_report text[] = {{"text", NULL}};
	const struct cli_report *r = c->reports ? c->report : text;
	size_t n = c->reports ? c->reports : 1;
	bool ok = true;

	for (size_t i = 0; i < n; i++) {
		char why[512];

		if (report_publish(report_format_find(r[i].format), run,
				   c->verbose, r[i].path, why,
				   sizeof(why)) == 0)
			continue;
		complain(EXIT_SUITE, why);
		ok = false;
	}
	return ok;
}

static bool is_file(const char *path)
{
	return path && strcmp(path, "-") != 0;
}

/* Whether a report on standard output says how the run ended. */
static bool is_told_on_stdout(const struct cli *c)
{
	for (size_t i = 0; i < c->reports; i++)
		if (!is_file(c->report[i].path) &&
		    (strcmp(c->report[i].format, "text") == 0 ||
		     strcmp(c->report[i].format, "summary") == 0))
			return true;
	return !c->reports;
}

/* The last lines of a run: its result, unless a report on the terminal has it,
 * and the files that it wrote. */
static void say_the_end(const struct cli *c, const struct run_result *run)
{
	const struct report_options options = {.colour =
						       report_colours(stderr)};

	if (c->run.quiet)
		return;
	fflush(stdout);
	if (!is_told_on_stdout(c))
		closing_alone(run, &options, stderr);
	for (size_t i = 0; i < c->reports; i++)
		if (is_file(c->report[i].path))
			fprintf(stderr, "Wrote %s%s\n", c->report[i].path,
				report_format_find(c->report[i].format)->write
					? ""
					: "/index.html");
	if (c->run.captures)
		fprintf(stderr, "Captures are in %s\n", c->run.captures);
}

/* The kind of link: from the command line, else from the device file, else
 * socket. */
static const char *link_kind(const struct cli *c, const struct device *d)
{
	if (c->link)
		return c->link;
	return d->link_kind[0] && strcmp(d->link_kind, "auto") != 0
		       ? d->link_kind
		       : "socket";
}

/* The network of the device, as its file names it. */
static bool join_network(const struct cli *c, const struct device *d, char *why,
			 size_t cap)
{
	char line[256];

	if (!d->link_netns[0] || netns_join(d->link_netns, line, sizeof(line)))
		return true;
	snprintf(why, cap, "%s: [link] netns: %s", c->device_file, line);
	return false;
}

#define NEEDS_AGENT "[device] target: only 'run' works without an agent"

static bool is_builtin(const struct cli *c)
{
	return !c->device_file && !c->target && !c->connect;
}

/* A device without an agent, as the command line describes it. */
static int take_target(const struct cli *c, struct device *d)
{
	char why[512];
	bool unknown = false;

	if (c->target &&
	    !device_set_target(d, c->target, &unknown, why, sizeof(why)))
		return complain(unknown ? EXIT_DEVICE : EXIT_USAGE, why);
	if (c->private_data &&
	    !device_set_private_data(d, c->private_data, why, sizeof(why)))
		return complain(EXIT_USAGE, why);
	if (c->buffer && !device_set_buffer(d, c->buffer, why, sizeof(why)))
		return complain(EXIT_USAGE, why);
	if (c->connect) {
		if (!c->connect[0] || strlen(c->connect) >= sizeof(d->connect))
			return complain(EXIT_USAGE,
					"connect-with: expected a command of "
					"at most 255 octets");
		strcpy(d->connect, c->connect);
		if (strcmp(d->name, "unnamed device") == 0)
			snprintf(d->name, sizeof(d->name), "%.180s",
				 c->connect);
	}
	if (c->connections)
		d->connections = c->connections;
	if (!device_is_alone(d))
		return 0;
	if (c->command != COMMAND_RUN)
		return complain(EXIT_USAGE, NEEDS_AGENT);
	if (c->run.destructive)
		return complain(
			EXIT_USAGE,
			"--destructive: not possible without an agent: the "
			"service behind the port may be in use");
	return 0;
}

/* Enter a network for both ends of the raw link. */
static bool enter_lab(struct cli *c, struct device *d, char *why, size_t cap)
{
	struct lab lab;

	if (!lab_enter(&lab, c->ipv6 ? LAB_IPV6 : LAB_IPV4, why, cap))
		return false;
	c->builtin.bind = lab.device_address;
	snprintf(d->link_interface, sizeof(d->link_interface), "%s",
		 lab.peer_interface);
	snprintf(d->link_address, sizeof(d->link_address), "%s",
		 lab.peer_address);
	return true;
}

static int start_builtin(struct cli *c, struct device *d)
{
	char why[512];
	bool usage;

	if (!builtin_start(&c->builtin, d, &usage, why, sizeof(why)))
		return usage ? EXIT_USAGE : complain(EXIT_DEVICE, why);
	c->run.hooks = builtin_hooks();
	c->run.builtin = &c->builtin;
	/* Nobody misses it. */
	c->run.destructive = true;
	return 0;
}

/*
 * Open the link, in the network that it needs. Whatever needs privileges comes
 * first; then all of them are dropped.
 */
static int open_link(struct cli *c, struct device *d)
{
	char why[512];
	const char *kind = link_kind(c, d);
	bool raw = strcmp(kind, "raw") == 0;
	bool in_lab = raw && is_builtin(c);
	bool on_sctp = strcmp(kind, "sctp") == 0;
	/* Who shares an address of IP alone, answers for the others. */
	bool ip_alone = on_sctp && d->sctp_ip_alone;

	if (c->ipv6)
		c->builtin.bind = "::1";
	if (in_lab && !enter_lab(c, d, why, sizeof(why)))
		return complain(EXIT_USAGE, why);
	/* The built-in device is where its agent is. */
	if (on_sctp && !c->device_file)
		snprintf(d->link_address, sizeof(d->link_address), "%s",
			 c->builtin.bind ? c->builtin.bind : "127.0.0.1");
	if (ip_alone)
		c->run.jobs = 1;
	if (!join_network(c, d, why, sizeof(why)))
		return complain(EXIT_USAGE, why);
	if (!links_open(kind, d, runner_workers(d, c->run.jobs, raw), why,
			sizeof(why)))
		return complain(EXIT_USAGE, why);
	if ((raw || ip_alone) && !privilege_drop(why, sizeof(why)))
		return complain(EXIT_SUITE, why);
	/* In the lab there is nobody else. */
	if (raw && !in_lab && !links_claim(why, sizeof(why)))
		return complain(EXIT_USAGE, why);
	/* With another identity, other files can be written. */
	if (raw && !check_reports(c, why, sizeof(why)))
		return complain(EXIT_USAGE, why);
	return 0;
}

/*
 * For the raw link, the built-in device and this process enter a network of
 * their own.
 */
static int start_device(struct cli *c, struct device *d)
{
	char why[512];
	int status;

	device_init(d);
	if (c->device_file && !device_load(d, c->device_file, why, sizeof(why)))
		return complain(EXIT_USAGE, why);
	status = take_target(c, d);
	if (status)
		return status;
	/* Before anything is given up that a reset may need. */
	if ((d->hook_health[0] || d->hook_reset[0] || d->hook_log[0]) &&
	    !(c->run.hooks = hooks_open(d, why, sizeof(why))))
		return complain(EXIT_SUITE, why);
	status = open_link(c, d);
	if (status == 0 && is_builtin(c))
		status = start_builtin(c, d);
	return status;
}

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

static int run_on_device(struct cli *c)
{
	static struct device device;
	static struct run_result run;
	char why[512];
	int status = start_device(c, &device);

	if (status)
		return status;
	c->run.device = &device;
	bool ok = work_on(c, &run, why, sizeof(why));

	builtin_stop();
	if (c->device_file)
		hooks_close(c->run.hooks);
	if (!ok)
		return complain(EXIT_USAGE, why);
	if (run.note[0])
		complain(0, run.note);
	run.background = catalogue_background();
	for (size_t i = 0; i < c->reports; i++)
		if (strcmp(c->report[i].format, "json") == 0 && !run.written)
			run.written = c->report[i].path;
	if (c->command == COMMAND_EXPLORE && c->explore.as_case)
		return run.exit_status;
	if (!publish_all(c, &run))
		return EXIT_SUITE;
	say_the_end(c, &run);
	return run.exit_status;
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

	if (!check_reports(c, why, sizeof(why)) ||
	    !load_deviations(c, why, sizeof(why)))
		return complain(EXIT_USAGE, why);
	/* The results refer to them: they go last. */
	int status = run_on_device(c);

	deviations_free(c->run.deviations);
	return status;
}

/* The columns of this terminal; 0: it is none. */
static unsigned columns_of(int fd)
{
	struct winsize w;

	if (!isatty(fd))
		return 0;
	return ioctl(fd, TIOCGWINSZ, &w) == 0 && w.ws_col > 20 ? w.ws_col : 80;
}

static int run_selected(struct cli *c)
{
	char why[512] = "out of memory";

	bool *selected = calloc(registry()->count + 1, sizeof(*selected));
	bool ok = selected &&
		  registry_select(c->run.selectors, c->run.selector_count,
				  selected, why, sizeof(why));

	free(selected);
	if (!ok)
		return complain(EXIT_USAGE, why);
	if (!load_deviations(c, why, sizeof(why)))
		return complain(EXIT_USAGE, why);
	static struct ics statement;

	if (c->statement) {
		if (!ics_load(&statement, c->statement, why, sizeof(why))) {
			deviations_free(c->run.deviations);
			return complain(EXIT_USAGE, why);
		}
		c->run.statement = &statement;
	}
	/* The results refer to them: they go last. */
	int status = run_on_device(c);

	deviations_free(c->run.deviations);
	return status;
}

static int command_run(struct cli *c)
{
	char why[512];
	int status;

	if (!check_reports(c, why, sizeof(why)))
		return complain(EXIT_USAGE, why);
	if (c->run.rerun_path &&
	    !(c->run.rerun = report_load(c->run.rerun_path, why, sizeof(why))))
		return complain(EXIT_USAGE, why);
	status = run_selected(c);
	report_unload(c->run.rerun);
	return status;
}

/* --- show -------------------------------------------------------------------- */

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
	bool usage, ok = true, written = true;

	device_init(&device);
	if (!builtin_start(&c->builtin, &device, &usage, why, sizeof(why)))
		return usage ? EXIT_USAGE : complain(EXIT_DEVICE, why);
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
	bool *selected = calloc(registry()->count + 1, sizeof(*selected));
	char why[512] = "out of memory";
	int status = EXIT_USAGE;

	if (selected && registry_select(c->run.selectors, c->run.selector_count,
					selected, why, sizeof(why)))
		status = show_selected(c, selected);
	else
		complain(status, why);
	free(selected);
	return status;
}

/* --- list, coverage ------------------------------------------------------------ */

/* Keep only the instances that are judged without an agent, on the built-in
 * device. */
static int leave_alone(struct cli *c, bool *selected)
{
	static struct device device;
	struct testbed bed = {0};
	char why[512];
	bool usage, ok;

	device_init(&device);
	c->builtin.alone = true;
	if (c->buffer &&
	    (!device_set_buffer(&device, c->buffer, why, sizeof(why)) ||
	     device.buffer.where == BUFFER_GIVEN))
		return complain(EXIT_USAGE, "--buffer: of the built-in device: "
					    "private-data:0 or send:0");
	c->builtin.offers = c->buffer != NULL;
	c->builtin.offers_in_send = device.buffer.where == BUFFER_SEND;
	if (!builtin_start(&c->builtin, &device, &usage, why, sizeof(why)))
		return usage ? EXIT_USAGE : complain(EXIT_DEVICE, why);
	ok = testbed_open(&bed, &device, link_socket_open(), c->run.profile, 1,
			  why, sizeof(why)) &&
	     target_reach(&bed, &c->run, selected, why, sizeof(why));
	testbed_close(&bed);
	builtin_stop();
	return ok ? 0 : complain(EXIT_DEVICE, why);
}

/* Select by --link, --results and --verdict. The caller gives the run to
 * report_unload(). */
static bool leave_asked(struct cli *c, bool *selected,
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

static int list_selected(struct cli *c, bool *selected)
{
	const struct run_result *run = NULL;
	char why[512];
	int status;

	if (!registry_select(c->run.selectors, c->run.selector_count, selected,
			     why, sizeof(why)) ||
	    !leave_asked(c, selected, &run, why, sizeof(why))) {
		report_unload(run);
		return complain(EXIT_USAGE, why);
	}
	status = c->target_only ? leave_alone(c, selected) : 0;
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

static int target_coverage(struct cli *c, const bool *requirements)
{
	size_t n = registry()->count;
	bool *applicable = malloc(n + 1);
	int status;

	if (!applicable)
		return complain(EXIT_SUITE, "out of memory");
	memset(applicable, true, n);
	status = leave_alone(c, applicable);
	if (!status)
		status = printed(catalogue_reach(requirements, applicable,
						 c->json, stdout));
	free(applicable);
	return status;
}

static int coverage_by_cases(struct cli *c, const bool *requirements)
{
	size_t n = registry()->count;
	bool *cases = malloc(n + 1);
	const struct run_result *run = NULL;
	char why[512];
	int status = 0;

	if (!cases)
		return complain(EXIT_SUITE, "out of memory");
	memset(cases, true, n);
	if (!leave_asked(c, cases, &run, why, sizeof(why)))
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
	static struct device device;
	char why[512];
	int status = start_device(c, &device);

	if (status)
		return status;
	c->run.device = &device;
	c->run.selector_count = 0;
	c->run.quiet = true;
	bool ok = runner_run(&c->run, run, why, sizeof(why));

	builtin_stop();
	if (!ok)
		return complain(EXIT_USAGE, why);
	if (run->note[0])
		complain(0, run->note);
	return run->exit_status;
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

/* --- ics --------------------------------------------------------------------- */

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
	bool usage;

	device_init(&device);
	if (c->device_file &&
	    (!device_load(&device, c->device_file, why, sizeof(why)) ||
	     !join_network(c, &device, why, sizeof(why))))
		return complain(EXIT_USAGE, why);
	if (device_is_alone(&device))
		return complain(EXIT_USAGE, NEEDS_AGENT);
	if (report_check_path(c->output, why, sizeof(why)) < 0)
		return complain(EXIT_USAGE, why);
	if (c->output && stat(c->output, &st) == 0 && S_ISREG(st.st_mode)) {
		snprintf(why, sizeof(why),
			 "%s: this statement exists, and 'ics' does not "
			 "overwrite it: name another file, or remove it",
			 c->output);
		return complain(EXIT_USAGE, why);
	}
	if (!c->device_file &&
	    !builtin_start(&c->builtin, &device, &usage, why, sizeof(why)))
		return usage ? EXIT_USAGE : complain(EXIT_DEVICE, why);
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
	int status = !there ? complain(EXIT_DEVICE, why)
		     : report_publish_content(&content, c->output, why,
					      sizeof(why)) == 0
			     ? 0
			     : complain(EXIT_SUITE, why);

	testbed_close(&bed);
	builtin_stop();
	return status;
}

/* --- check-agent --------------------------------------------------------- */

static int command_check_agent(struct cli *c)
{
	static struct device device;
	const struct agent_check_options options = {
		.timeout_scale = c->run.timeout_scale, .quiet = c->run.quiet};
	struct agent_check_counts n;
	char why[512];
	bool usage;

	device_init(&device);
	if (c->device_file &&
	    (!device_load(&device, c->device_file, why, sizeof(why)) ||
	     !join_network(c, &device, why, sizeof(why))))
		return complain(EXIT_USAGE, why);
	if (device_is_alone(&device))
		return complain(EXIT_USAGE, NEEDS_AGENT);
	if (c->ipv6)
		c->builtin.bind = "::1";
	if (!c->device_file &&
	    !builtin_start(&c->builtin, &device, &usage, why, sizeof(why)))
		return usage ? EXIT_USAGE : complain(EXIT_DEVICE, why);
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

/* --- decode ---------------------------------------------------------------- */

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

/* --- audit ----------------------------------------------------------------- */

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

	if (*why || !check_reports(c, why, sizeof(why)) ||
	    !audit(&o, &run, why, sizeof(why)))
		return complain(EXIT_USAGE, why);
	if (o.follow && o.shows)
		fputc('\n', stderr);
	if (run.note[0])
		complain(0, run.note);
	run.background = catalogue_background();
	return publish_all(c, &run) ? run.exit_status : EXIT_SUITE;
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

	if (*why || !check_reports(c, why, sizeof(why)) ||
	    !relaying(&o, &run, why, sizeof(why)))
		return complain(EXIT_USAGE, why);
	if (run.note[0])
		complain(0, run.note);
	run.background = catalogue_background();
	return publish_all(c, &run) ? run.exit_status : EXIT_SUITE;
}

static int command_rejudge(struct cli *c)
{
	static struct run_result run;
	const struct run_result *past;
	char why[1024];
	struct memory_places *memory = memory_of(c, why, sizeof(why));

	if (*why || !check_reports(c, why, sizeof(why)) ||
	    !(past = report_load(c->run.selectors[0], why, sizeof(why))) ||
	    !rejudge(past, c->run.profile, memory, &run, why, sizeof(why)))
		return complain(EXIT_USAGE, why);
	if (run.note[0])
		complain(0, run.note);
	run.background = catalogue_background();
	return publish_all(c, &run) ? run.exit_status : EXIT_SUITE;
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

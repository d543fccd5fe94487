/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/text/memstream.h"
#include "suite/cli/cli_options.h"

/* For the requested reports, and for those of a later run. */
static enum evidence_of evidence_needed(const struct cli *c)
{
	enum evidence_of most = c->run.journal || c->run.resumes
					? EVIDENCE_OF_FAILURES
					: EVIDENCE_OF_NONE;

	for (size_t i = 0; i < c->reports; i++) {
		if (strcmp(c->report[i].format, "html") == 0)
			return EVIDENCE_OF_ALL;
		if (strcmp(c->report[i].format, "json") == 0)
			most = EVIDENCE_OF_FAILURES;
	}
	return most;
}

static void defaults(struct cli *c)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	*c = (struct cli){.builtin.spec = "rfc7306"};
	c->run.spec = "rfc7306";
	c->run.profile = MODEL_RFC7306;
	c->run.jobs = n < 1 ? 1 : n > 16 ? 16 : (unsigned)n;
	c->run.timeout_scale = 1;
	c->run.captures_max = 512ull << 20;
	c->explore.findings = EXPLORE_FINDINGS;
}

/* A program waits for one round trip after another. There are more programs
 * than processors, so that the built-in device and the processors are always
 * busy. The capacity of other devices is unknown. */
static void more_jobs(struct cli *c)
{
	enum { TIMES = 4 };

	if (c->command == COMMAND_EXPLORE && !c->jobs_said && !c->device_file)
		c->run.jobs *= TIMES;
}

static bool check_target(const struct cli *c, char *why, size_t cap)
{
	const char *of = c->target ? "target" : "connect-with";

	if ((c->target || c->connect) &&
	    ((c->target && c->device_file) || c->builtin.as ||
	     c->builtin.control || c->builtin.without)) {
		snprintf(why, cap, "--%s and %s: choose one", of,
			 c->device_file ? "-d" : "the built-in device");
		return false;
	}
	if (!c->target && !c->connect && !c->device_file &&
	    c->command == COMMAND_RUN &&
	    (c->private_data || c->connections || c->buffer)) {
		snprintf(why, cap, "--%s: also give --target HOST:PORT",
			 c->private_data ? "private-data"
			 : c->buffer     ? "buffer"
					 : "max-connections");
		return false;
	}
	if ((c->target || c->connect) && c->link &&
	    strcmp(c->link, "sctp") == 0) {
		snprintf(why, cap, "--%s: by MPA over TCP; not --link sctp",
			 of);
		return false;
	}
	return true;
}

/* The input of a command has to be named. */
static bool check_operands(const struct cli *c, char *why, size_t cap)
{
	const char *lacks = NULL;
	bool none = c->run.selector_count == 0;

	if (c->command == COMMAND_SHOW && none)
		lacks = "show: name a case; 'warpspec list' shows them all";
	if (c->command == COMMAND_DECODE && none)
		lacks = "decode: name a capture or a file of hex, or give the "
			"hex itself";
	if (c->command == COMMAND_AUDIT && none && !c->follow)
		lacks = "audit: name a capture; - is standard input";
	if (c->command == COMMAND_AUDIT && !none && c->follow)
		lacks = "audit: captures or --follow: choose one";
	if (c->command == COMMAND_REJUDGE && c->run.selector_count != 1)
		lacks = "rejudge: name the JSON report of one run";
	if (c->command == COMMAND_RELAY && (!c->listen || !c->to))
		lacks = "relay: give --listen HOST:PORT and --to HOST:PORT";
	if (c->command == COMMAND_DEVICE && c->keys == c->confinement)
		lacks = "device: 'warpspec device --keys' lists the keys of a "
			"device file, and --confinement what confines workers";
	if (lacks)
		snprintf(why, cap, "%s", lacks);
	return !lacks;
}

static bool check(const struct cli *c, char *why, size_t cap)
{
	if (!check_operands(c, why, cap))
		return false;
	if (c->device_file &&
	    (c->builtin.as || c->builtin.control || c->builtin.without)) {
		snprintf(why, cap, "-d and the built-in device: choose one");
		return false;
	}
	if (!check_target(c, why, cap))
		return false;
	if (c->device_file && c->ipv6) {
		snprintf(why, cap,
			 "-d and --family: choose one; the addresses in the "
			 "device file determine the family");
		return false;
	}
	if (c->run.update_deviations && !c->run.deviations_path) {
		snprintf(why, cap,
			 "--update-deviations: name the file with "
			 "--deviations FILE");
		return false;
	}
	if ((c->explore.replay || c->explore.as_case) &&
	    (c->run.journal || c->run.resumes)) {
		snprintf(why, cap,
			 "--journal and --resume: not possible with --replay "
			 "or --as-case");
		return false;
	}
	if (c->run.resumes > 1 && !c->run.journal) {
		snprintf(why, cap,
			 "--resume: with several journals, name the journal of "
			 "this run with --journal FILE");
		return false;
	}
	return true;
}

/* The error in the word that getopt_long() rejected. */
static bool bad_option(const char *word, bool value_missing,
		       const struct cli_command *cmd, char *why, size_t cap)
{
	const char *eq = strchr(word, '=');

	for (const struct option *o = cli_long_options(cmd->command);
	     eq && o->name; o++)
		if (strlen(o->name) + 2 == (size_t)(eq - word) &&
		    strncmp(word + 2, o->name, strlen(o->name)) == 0) {
			snprintf(why, cap, "--%s: takes no value", o->name);
			return false;
		}
	snprintf(why, cap, "%.100s: %s; 'warpspec help %s' lists them", word,
		 value_missing ? "a value is missing" : "unknown option",
		 cmd->name);
	if (!value_missing)
		cli_meant_option(word, cmd->command, why, cap);
	return false;
}

/* What would be lost without a word, if the last one won. */
static bool is_second(int id, char *why, size_t cap)
{
	static bool given[512];
	const struct cli_option *o = cli_option_by_id(id);

	if (!o || o->repeats || o->argument == no_argument || !given[id]) {
		given[id] = true;
		return false;
	}
	snprintf(why, cap, "--%s: given twice", o->name);
	return true;
}

/* As a shell takes it. */
static void quote(FILE *out, const char *s)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_@%+=:,./-";

	if (*s && !s[strspn(s, plain)]) {
		fputs(s, out);
		return;
	}
	fputc('\'', out);
	for (; *s; s++)
		if (*s == '\'')
			fputs("'\\''", out);
		else
			fputc(*s, out);
	fputc('\'', out);
}

/* An option, or a word without a name, as a shell takes it; NULL: out of
 * memory. */
static char *word_of(const char *name, const char *value, size_t *n)
{
	struct memstream m;
	FILE *out = memstream_open(&m);

	if (out && name)
		fprintf(out, " --%s%s", name, value ? "=" : "");
	if (out && value)
		quote(out, value);
	return memstream_finish(&m, n);
}

/* Without the words that are too long to repeat, such a command does not
 * exist. */
static void say_again(struct cli *c, const char *name, const char *value)
{
	size_t had = strlen(c->again), room = sizeof(c->again) - had - 8, n;
	char *word = word_of(name, value, &n);

	if (word && c->run.again && n < room)
		memcpy(c->again + had, word, n + 1);
	else
		c->run.again = NULL;
	free(word);
}

/* With the entries that this run writes, nothing would fail any more. */
static void leave_out_deviations(struct cli *c)
{
	size_t n;
	char *word = word_of("deviations", c->run.deviations_path, &n);
	char *at = word ? strstr(c->again, word) : NULL;

	if (at)
		memmove(at, at + n, strlen(at + n) + 1);
	free(word);
}

static bool take_options(struct cli *c, const struct cli_command *cmd, int argc,
			 char **argv, char *why, size_t cap)
{
	int id;

	opterr = 0;
	while ((id = getopt_long(argc, argv, cli_short_options(cmd->command),
				 cli_long_options(cmd->command), NULL)) != -1) {
		if (id == '?' || id == ':')
			return bad_option(argv[optind - 1], id == ':', cmd, why,
					  cap);
		if (id == OPT_HELP) {
			c->command = COMMAND_HELP;
			c->help_about = cmd->name;
			return true;
		}
		const struct cli_option *o = cli_option_by_id(id);

		if (o && !o->once)
			say_again(c, o->name, optarg);
		if (is_second(id, why, cap) ||
		    !cli_take(c, id, optarg, why, cap))
			return false;
	}
	return true;
}

static void unknown_command(const char *name, char *why, size_t cap)
{
	static const char *const of_report[] = {
		"bundle", "certificate", "certified", "diff",
		"html",   "matrix",      "merge",     "verify"};
	size_t n;

	snprintf(why, cap,
		 "unknown command '%.60s'; 'warpspec help' lists them", name);
	n = strlen(why);
	for (size_t i = 0; i < sizeof(of_report) / sizeof(of_report[0]); i++)
		if (strcmp(name, of_report[i]) == 0) {
			snprintf(why + n, cap - n,
				 "; did you mean 'report %s'?", name);
			return;
		}
	cli_meant_command(name, why, cap);
}

static bool take_help(struct cli *c, char *why, size_t cap)
{
	/* 'report --help' has the subcommands, too. */
	bool report = c->run.selector_count == 2 &&
		      strcmp(c->run.selectors[0], "report") == 0;

	if (c->run.selector_count > 1 && !report) {
		snprintf(why, cap, "help: name one command at a time");
		return false;
	}
	if (c->run.selector_count == 0)
		return true;
	c->help_about = c->run.selectors[0];
	if (cli_command_find(c->help_about))
		return true;
	unknown_command(c->help_about, why, cap);
	return false;
}

bool cli_parse(struct cli *c, int argc, char **argv, char *why, size_t cap)
{
	const struct cli_command *cmd =
		argc > 1 ? cli_command_find(argv[1]) : NULL;

	defaults(c);
	if (argc == 2 && strcmp(argv[1], "--version") == 0) {
		c->command = COMMAND_VERSION;
		return true;
	}
	if (argc < 2) {
		snprintf(
			why, cap,
			"no command; 'warpspec help' lists them, 'warpspec run "
			"--refdut' tests the built-in device");
		return false;
	}
	if (!cmd) {
		unknown_command(argv[1], why, cap);
		return false;
	}
	c->command = cmd->command;
	if (c->command == COMMAND_REPORT) {
		c->words = argv + 2;
		c->word_count = argc - 2;
		return true;
	}
	c->run.again = c->again;
	say_again(c, NULL, argv[0]);
	memcpy(c->again + strlen(c->again), " run", sizeof(" run"));
	argc--;
	argv++;
	if (!take_options(c, cmd, argc, argv, why, cap))
		return false;
	if (c->run.update_deviations && c->run.deviations_path)
		leave_out_deviations(c);
	if (c->command == COMMAND_HELP && c->help_about)
		return true;
	c->run.selectors = argv + optind;
	c->run.selector_count = (size_t)(argc - optind);
	if (c->command == COMMAND_HELP)
		return take_help(c, why, cap);
	if ((c->command == COMMAND_DEVICE || c->command == COMMAND_ICS ||
	     c->command == COMMAND_CHECK_AGENT ||
	     c->command == COMMAND_RELAY) &&
	    c->run.selector_count) {
		snprintf(why, cap, "%s: takes no selector", cmd->name);
		return false;
	}
	if (!c->evidence)
		c->run.evidence = evidence_needed(c);
	more_jobs(c);
	return check(c, why, cap);
}

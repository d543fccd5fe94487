/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suite/cli_options.h"

static bool number(const char *text, uint64_t max, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 0);
	return *text >= '0' && *text <= '9' && !*end && !errno && *out <= max;
}

static bool bad(char *why, size_t cap, const char *option, const char *value,
		const char *wanted)
{
	snprintf(why, cap, "%s %s: expected %s", option, value, wanted);
	return false;
}

static bool shard(struct run_options *r, const char *text)
{
	char head[32];
	const char *slash = strchr(text, '/');
	uint64_t k, n;

	if (!slash || (size_t)(slash - text) >= sizeof(head))
		return false;
	memcpy(head, text, (size_t)(slash - text));
	head[slash - text] = '\0';
	if (!number(head, 100000, &k) || !number(slash + 1, 100000, &n) ||
	    k < 1 || k > n)
		return false;
	r->shard = (unsigned)k;
	r->shards = (unsigned)n;
	return true;
}

static bool evidence(const char *value, enum evidence_of *of)
{
	static const char *const names[] = {"none", "failures", "all"};

	for (unsigned i = 0; i < 3; i++) {
		*of = (enum evidence_of)i;
		if (strcmp(value, names[i]) == 0)
			return true;
	}
	return false;
}

static bool report(struct cli *c, char *text)
{
	char *eq = strchr(text, '=');

	if (c->reports == CLI_REPORTS)
		return false;
	if (eq)
		*eq = '\0';
	c->report[c->reports++] = (struct cli_report){text, eq ? eq + 1 : NULL};
	return true;
}

static bool scale(const char *text, double *out)
{
	char *end;

	*out = strtod(text, &end);
	return *text && !*end && *out >= 0.01 && *out <= 1000;
}

/* "90", "90s", "15m", "2h", in ns; a week at most. */
static bool duration(const char *text, uint64_t *ns)
{
	static const struct {
		const char *unit;
		uint64_t seconds;
	} units[] = {{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}};
	uint64_t n;
	char digits[16];
	size_t k = strspn(text, "0123456789");

	if (!k || k >= sizeof(digits))
		return false;
	memcpy(digits, text, k);
	digits[k] = '\0';
	n = strtoull(digits, NULL, 10);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(text + k, units[i].unit) == 0 && n &&
		    n <= 7 * 24 * 3600 / units[i].seconds) {
			*ns = n * units[i].seconds * 1000000000;
			return true;
		}
	return false;
}

static bool take(struct cli *c, int id, char *value, char *why, size_t cap)
{
	struct run_options *r = &c->run;
	uint64_t n;

	switch (id) {
	case OPT_DEVICE:
		c->device_file = value;
		break;
	case OPT_REFDUT:
		c->builtin.as = value;
		break;
	case OPT_CONTROL:
		c->builtin.control = value;
		break;
	case OPT_WITHOUT:
		c->builtin.without = value;
		break;
	case OPT_LINK:
		if (strcmp(value, "socket") != 0 && strcmp(value, "raw") != 0 &&
		    strcmp(value, "sctp") != 0 && strcmp(value, "auto") != 0)
			return bad(why, cap, "--link", value,
				   "socket, raw, sctp or auto");
		c->link = strcmp(value, "auto") == 0 ? NULL : value;
		break;
	case OPT_FAMILY:
		if (strcmp(value, "4") != 0 && strcmp(value, "6") != 0)
			return bad(why, cap, "--family", value, "4 or 6");
		c->ipv6 = value[0] == '6';
		break;
	case OPT_SPEC:
		if (!runner_profile(value, &r->profile))
			return bad(why, cap, "--spec", value,
				   "rfc7306, draft-10, draft-03 or draft-01");
		r->spec = c->builtin.spec = value;
		break;
	case OPT_JOBS:
		if (!number(value, 64, &n) || n == 0)
			return bad(why, cap, "--jobs", value, "1 to 64");
		r->jobs = (unsigned)n;
		c->jobs_said = true;
		break;
	case OPT_SHARD:
		if (!shard(r, value))
			return bad(why, cap, "--shard", value,
				   "K/N with 1 <= K <= N");
		break;
	case OPT_SEED:
		if (!number(value, (1ull << 53) - 1, &r->seed))
			return bad(why, cap, "--seed", value,
				   "a number below 2^53");
		r->shuffle = true;
		break;
	case OPT_REPORT:
		if (!report(c, value))
			return bad(why, cap, "--report", value,
				   "at most 16 reports");
		break;
	case OPT_CAPTURES:
		r->captures = value;
		break;
	case OPT_JOURNAL:
		r->journal = value;
		break;
	case OPT_RESUME:
		if (r->resumes == RUNNER_RESUMES)
			return bad(why, cap, "--resume", value,
				   "at most 64 journals");
		r->resume[r->resumes++] = value;
		break;
	case OPT_RERUN:
		r->rerun_path = value;
		break;
	case OPT_DEVIATIONS:
		r->deviations_path = value;
		break;
	case OPT_UPDATE:
		r->update_deviations = true;
		break;
	case OPT_ICS:
		c->statement = value;
		break;
	case OPT_OUTPUT:
		c->output = value;
		break;
	case OPT_DESTRUCTIVE:
		r->destructive = true;
		break;
	case OPT_STRICT:
		r->strict = true;
		break;
	case OPT_FAIL_FAST:
		r->fail_fast = true;
		break;
	case OPT_SCALE:
		if (!scale(value, &r->timeout_scale))
			return bad(why, cap, "--timeout-scale", value,
				   "0.01 to 1000");
		break;
	case OPT_MAX_TIME:
		if (!duration(value, &r->max_time_ns))
			return bad(why, cap, "--max-time", value,
				   "a number with s, m or h, a week at most");
		break;
	case OPT_CAPTURES_OF:
		if (strcmp(value, "all") != 0 && strcmp(value, "failures") != 0)
			return bad(why, cap, "--captures-of", value,
				   "all or failures");
		r->captures_of_failures = strcmp(value, "failures") == 0;
		break;
	case OPT_EVIDENCE:
		if (!evidence(value, &r->evidence))
			return bad(why, cap, "--evidence", value,
				   "all, failures or none");
		c->evidence = value;
		break;
	case OPT_CAPTURES_MAX:
		if (!number(value, 1u << 20, &n) || n == 0)
			return bad(why, cap, "--captures-max", value,
				   "1 to 1048576 (MiB)");
		r->captures_max = n << 20;
		break;
	case OPT_SEGMENTATION:
		if (!segmentation_parse(&r->segmentation, value))
			return bad(why, cap, "--segmentation", value,
				   "whole, octets, random:SEED, reordered or "
				   "duplicated");
		break;
	case OPT_JUDGE_PEER:
		if (value && strcmp(value, "strict") != 0)
			return bad(why, cap, "--judge-peer", value,
				   "strict, or nothing");
		r->peer = value ? PEER_JUDGED_STRICTLY : PEER_JUDGED;
		break;
	case OPT_FORCE:
		r->force = true;
		break;
	case OPT_VERBOSE:
		c->verbose = true;
		break;
	case OPT_QUIET:
		r->quiet = true;
		break;
	case OPT_JSON:
		c->json = true;
		break;
	case OPT_UNCOVERED:
		c->uncovered = true;
		break;
	case OPT_READINGS:
		c->readings = true;
		break;
	case OPT_KEYS:
		c->keys = true;
		break;
	case OPT_NO_CRC:
		c->no_crc = true;
		break;
	case OPT_MARKERS:
		c->markers = true;
		break;
	case OPT_OPS:
		if (!number(value, 1ull << 53, &c->explore.operations) ||
		    !c->explore.operations)
			return bad(why, cap, "--ops", value, "1 to 2^53");
		break;
	case OPT_TIME:
		if (!duration(value, &r->max_time_ns))
			return bad(why, cap, "--time", value,
				   "a number with s, m or h, a week at most");
		break;
	case OPT_STEPS:
		if (!number(value, PROGRAM_STEPS, &n) || !n)
			return bad(why, cap, "--steps", value, "1 to 4096");
		c->explore.steps = (unsigned)n;
		break;
	case OPT_STREAMS:
		if (!number(value, PROGRAM_STREAMS, &n) || !n)
			return bad(why, cap, "--streams", value, "1 to 4");
		c->explore.streams = (unsigned)n;
		break;
	case OPT_WEIGHTS:
		c->explore.weights = value;
		break;
	case OPT_DIMENSION:
		if (c->explore.dimension_count == CLI_REPORTS)
			return bad(why, cap, "--dimension", value,
				   "at most 16 of them");
		c->dimension[c->explore.dimension_count++] = value;
		c->explore.dimensions = c->dimension;
		break;
	case OPT_FINDINGS:
		if (!number(value, 64, &n) || !n)
			return bad(why, cap, "--findings", value, "1 to 64");
		c->explore.findings = (unsigned)n;
		break;
	case OPT_PROGRAMS:
		c->explore.programs = value;
		break;
	case OPT_AS_CASE:
		c->explore.as_case = value;
		break;
	case OPT_REPLAY:
		c->explore.replay = value;
		break;
	}
	return true;
}

/* As the reports asked for, and those of a later run, make use of it. */
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

/* A program waits for one round trip after the other: so that the built-in
 * device and the processors have always something to do, there are more of
 * them. What another device takes at once nobody knows. */
static void more_jobs(struct cli *c)
{
	enum { TIMES = 4 };

	if (c->command == COMMAND_EXPLORE && !c->jobs_said && !c->device_file)
		c->run.jobs *= TIMES;
}

static bool check(const struct cli *c, char *why, size_t cap)
{
	if (c->command == COMMAND_SHOW && c->run.selector_count == 0) {
		snprintf(why, cap,
			 "show: name a case; 'warpspec list' "
			 "shows them all");
		return false;
	}
	if (c->command == COMMAND_DECODE && c->run.selector_count == 0) {
		snprintf(why, cap,
			 "decode: name a capture or a file of hex, or give the "
			 "hex itself");
		return false;
	}
	if (c->command == COMMAND_DEVICE && !c->keys) {
		snprintf(why, cap,
			 "device: say --keys, for what may stand in a device "
			 "file");
		return false;
	}
	if (c->device_file &&
	    (c->builtin.as || c->builtin.control || c->builtin.without)) {
		snprintf(why, cap, "-d and the built-in device: choose one");
		return false;
	}
	if (c->device_file && c->ipv6) {
		snprintf(why, cap,
			 "-d and --family: the device file's addresses say "
			 "which");
		return false;
	}
	if (c->run.update_deviations && !c->run.deviations_path) {
		snprintf(why, cap,
			 "--update-deviations: say which file with "
			 "--deviations FILE");
		return false;
	}
	if ((c->explore.replay || c->explore.as_case) &&
	    (c->run.journal || c->run.resumes)) {
		snprintf(why, cap,
			 "--journal and --resume: of an exploration, not of "
			 "one program");
		return false;
	}
	if (c->run.resumes > 1 && !c->run.journal) {
		snprintf(why, cap,
			 "--resume: of several journals, say with --journal "
			 "FILE in which the run goes on");
		return false;
	}
	return true;
}

/* What is wrong with the word that getopt_long() stumbled on. */
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

/* Without what is too long to be repeated there is no such command. */
static void say_again(struct cli *c, const char *name, const char *value)
{
	size_t had = strlen(c->again), room = sizeof(c->again) - had - 8;
	char *word = NULL;
	size_t n;
	FILE *out = open_memstream(&word, &n);

	if (!out)
		return;
	if (name)
		fprintf(out, " --%s%s", name, value ? "=" : "");
	if (value)
		quote(out, value);
	if (fclose(out) == 0 && c->run.again && n < room)
		memcpy(c->again + had, word, n + 1);
	else
		c->run.again = NULL;
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
		if (is_second(id, why, cap) || !take(c, id, optarg, why, cap))
			return false;
	}
	return true;
}

static bool take_help(struct cli *c, char *why, size_t cap)
{
	if (c->run.selector_count > 1) {
		snprintf(why, cap, "help: about one command at a time");
		return false;
	}
	if (c->run.selector_count == 0)
		return true;
	c->help_about = c->run.selectors[0];
	if (cli_command_find(c->help_about))
		return true;
	snprintf(why, cap,
		 "unknown command '%.60s'; 'warpspec help' lists them",
		 c->help_about);
	cli_meant_command(c->help_about, why, cap);
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
		snprintf(why, cap, "no command; 'warpspec help' lists them");
		return false;
	}
	if (!cmd) {
		snprintf(why, cap,
			 "unknown command '%.60s'; 'warpspec help' lists them",
			 argv[1]);
		cli_meant_command(argv[1], why, cap);
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
	if (c->command == COMMAND_HELP && c->help_about)
		return true;
	c->run.selectors = argv + optind;
	c->run.selector_count = (size_t)(argc - optind);
	if (c->command == COMMAND_HELP)
		return take_help(c, why, cap);
	if ((c->command == COMMAND_DEVICE || c->command == COMMAND_ICS ||
	     c->command == COMMAND_CHECK_AGENT) &&
	    c->run.selector_count) {
		snprintf(why, cap, "%s: takes no selector", cmd->name);
		return false;
	}
	if (!c->evidence)
		c->run.evidence = evidence_needed(c);
	more_jobs(c);
	return check(c, why, cap);
}

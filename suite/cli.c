/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/cli.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum option_id {
	OPT_DEVICE = 'd',
	OPT_REFDUT = 256,
	OPT_CONTROL,
	OPT_WITHOUT,
	OPT_LINK,
	OPT_FAMILY,
	OPT_SPEC,
	OPT_JOBS,
	OPT_SHARD,
	OPT_SEED,
	OPT_REPORT,
	OPT_CAPTURES,
	OPT_JOURNAL,
	OPT_RESUME,
	OPT_DEVIATIONS,
	OPT_UPDATE,
	OPT_DESTRUCTIVE,
	OPT_STRICT,
	OPT_FAIL_FAST,
	OPT_SCALE,
	OPT_FORCE,
	OPT_VERBOSE,
	OPT_QUIET,
	OPT_JSON,
	OPT_UNCOVERED,
	OPT_READINGS,
	OPT_SEGMENTATION,
	OPT_JUDGE_PEER,
};

static const struct option run_options[] = {
	{"device", required_argument, NULL, OPT_DEVICE},
	{"refdut", optional_argument, NULL, OPT_REFDUT},
	{"control", required_argument, NULL, OPT_CONTROL},
	{"without", required_argument, NULL, OPT_WITHOUT},
	{"link", required_argument, NULL, OPT_LINK},
	{"family", required_argument, NULL, OPT_FAMILY},
	{"spec", required_argument, NULL, OPT_SPEC},
	{"jobs", required_argument, NULL, OPT_JOBS},
	{"shard", required_argument, NULL, OPT_SHARD},
	{"seed", required_argument, NULL, OPT_SEED},
	{"report", required_argument, NULL, OPT_REPORT},
	{"captures", required_argument, NULL, OPT_CAPTURES},
	{"journal", required_argument, NULL, OPT_JOURNAL},
	{"resume", required_argument, NULL, OPT_RESUME},
	{"deviations", required_argument, NULL, OPT_DEVIATIONS},
	{"update-deviations", no_argument, NULL, OPT_UPDATE},
	{"destructive", no_argument, NULL, OPT_DESTRUCTIVE},
	{"strict", no_argument, NULL, OPT_STRICT},
	{"fail-fast", no_argument, NULL, OPT_FAIL_FAST},
	{"timeout-scale", required_argument, NULL, OPT_SCALE},
	{"segmentation", required_argument, NULL, OPT_SEGMENTATION},
	{"judge-peer", optional_argument, NULL, OPT_JUDGE_PEER},
	{"force", no_argument, NULL, OPT_FORCE},
	{"verbose", no_argument, NULL, OPT_VERBOSE},
	{"quiet", no_argument, NULL, OPT_QUIET},
	{0},
};
static const struct option show_options[] = {
	{"refdut", optional_argument, NULL, OPT_REFDUT},
	{"judge-peer", optional_argument, NULL, OPT_JUDGE_PEER},
	{0},
};
static const struct option check_agent_options[] = {
	{"device", required_argument, NULL, OPT_DEVICE},
	{"refdut", optional_argument, NULL, OPT_REFDUT},
	{"without", required_argument, NULL, OPT_WITHOUT},
	{"family", required_argument, NULL, OPT_FAMILY},
	{"timeout-scale", required_argument, NULL, OPT_SCALE},
	{"quiet", no_argument, NULL, OPT_QUIET},
	{0},
};
static const struct option list_options[] = {
	{"json", no_argument, NULL, OPT_JSON},
	{"readings", no_argument, NULL, OPT_READINGS},
	{"uncovered", no_argument, NULL, OPT_UNCOVERED},
	{0},
};

static const struct command_name {
	const char *name;
	enum command command;
	const struct option *options;
} commands[] = {
	{"run", COMMAND_RUN, run_options},
	{"list", COMMAND_LIST, list_options},
	{"show", COMMAND_SHOW, show_options},
	{"coverage", COMMAND_COVERAGE, list_options},
	{"check-agent", COMMAND_CHECK_AGENT, check_agent_options},
	{"help", COMMAND_HELP, list_options},
	{"--help", COMMAND_HELP, list_options},
	{"-h", COMMAND_HELP, list_options},
	{"--version", COMMAND_VERSION, list_options},
};

void cli_help(void)
{
	puts("warpspec: wire-protocol conformance of iWARP devices\n"
	     "\n"
	     "  warpspec run      [-d DEVICE.ini | --refdut[=DEVICE]] "
	     "[SELECTOR...] [OPTION...]\n"
	     "  warpspec list     [SELECTOR...] [--json] | --readings\n"
	     "  warpspec show     CASE [--refdut=DEVICE]\n"
	     "  warpspec coverage [--json] [--uncovered]\n"
	     "  warpspec check-agent [-d DEVICE.ini | --refdut[=DEVICE]] "
	     "[--quiet]\n"
	     "\n"
	     "SELECTOR: a glob on a case's id (mpa/*), or req:MPA-4.4-01, "
	     "rfc:5044, level:must,\n"
	     "role:responder, feature:imm; a leading ! excludes.\n"
	     "\n"
	     "Options of run:\n"
	     "  -d, --device FILE      the device file; without it the "
	     "built-in device is used\n"
	     "  --refdut[=DEVICE]      the built-in device; DEVICE is "
	     "MUTANT[,MUTANT...], named\n"
	     "                         faults, +NAME[,+NAME...], other legal "
	     "choices, or both\n"
	     "  --control NAME         a control device: one that "
	     "'warpspec-refdut --list-controls'\n"
	     "                         names\n"
	     "  --without F,F          the built-in device without these "
	     "features\n"
	     "  --link KIND            socket, raw, or auto: as the device "
	     "file "
	     "says\n"
	     "  --family 4|6           IPv4 or IPv6, of the built-in device\n"
	     "  --spec NAME            rfc7306, draft-10, draft-03, draft-01\n"
	     "  --jobs N               workers (default: the machine's "
	     "processors)\n"
	     "  --shard K/N            the K-th of N parts\n"
	     "  --seed S               shuffle the order of execution\n"
	     "  --report FORMAT[=PATH] text, json, junit or tap; may be "
	     "repeated\n"
	     "  --captures DIR         a capture of every case\n"
	     "  --journal FILE         a line per finished case, as it "
	     "finishes\n"
	     "  --resume FILE          leave out what this journal has\n"
	     "  --deviations FILE      known deviations\n"
	     "  --update-deviations    write that file anew from this run\n"
	     "  --destructive          also what is known to bring devices "
	     "down;\n"
	     "                         the built-in device gets it anyway\n"
	     "  --strict               a SHOULD not followed fails the run\n"
	     "  --fail-fast            end at the first failure\n"
	     "  --timeout-scale X      stretch every deadline\n"
	     "  --segmentation HOW     whole, octets, random:SEED, reordered, "
	     "duplicated: how\n"
	     "                         octets stand in TCP segments where a "
	     "case "
	     "does not say\n"
	     "  --judge-peer[=strict]  an error of the suite where its own "
	     "peer breaks a rule\n"
	     "                         that the case does not name; "
	     "=strict: or does\n"
	     "  --force                run although the device is silent\n"
	     "  --verbose, --quiet     more, or less, of both\n"
	     "\n"
	     "check-agent tells whether an agent does what "
	     "harness/agent/PROTOCOL.md says; it takes\n"
	     "--without, --family and --timeout-scale as well.\n"
	     "\n"
	     "Exit: 0 every MUST met or expected; 1 failures; 2 usage; 3 the "
	     "device is unreachable\n"
	     "or died; 4 an error of the suite; 5 nothing ran, or less than "
	     "was required.");
}

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
		    strcmp(value, "auto") != 0)
			return bad(why, cap, "--link", value,
				   "socket, raw or auto");
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
		r->resume = value;
		break;
	case OPT_DEVIATIONS:
		r->deviations_path = value;
		break;
	case OPT_UPDATE:
		r->update_deviations = true;
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
	default:
		snprintf(why, cap,
			 "unknown option; 'warpspec help' lists "
			 "them");
		return false;
	}
	return true;
}

static void defaults(struct cli *c)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	*c = (struct cli){.builtin.spec = "rfc7306"};
	c->run.spec = "rfc7306";
	c->run.profile = MODEL_RFC7306;
	c->run.jobs = n < 1 ? 1 : n > 16 ? 16 : (unsigned)n;
	c->run.timeout_scale = 1;
}

static const struct command_name *find_command(const char *name)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(name, commands[i].name) == 0)
			return &commands[i];
	return NULL;
}

static bool check(const struct cli *c, char *why, size_t cap)
{
	if (c->command == COMMAND_SHOW && c->run.selector_count != 1) {
		snprintf(why, cap,
			 "show: name one case; 'warpspec list' "
			 "shows them all");
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
	return true;
}

bool cli_parse(struct cli *c, int argc, char **argv, char *why, size_t cap)
{
	const struct command_name *cmd =
		argc > 1 ? find_command(argv[1]) : NULL;
	int id;

	defaults(c);
	if (!cmd) {
		if (argc > 1)
			snprintf(why, cap,
				 "unknown command '%s'; 'warpspec help' lists "
				 "them",
				 argv[1]);
		else
			snprintf(why, cap,
				 "no command; 'warpspec help' lists them");
		return false;
	}
	c->command = cmd->command;
	argc--;
	argv++;
	opterr = 0;
	while ((id = getopt_long(argc, argv,
				 cmd->command == COMMAND_RUN           ? ":d:v"
				 : cmd->command == COMMAND_CHECK_AGENT ? ":d:"
								       : ":",
				 cmd->options, NULL)) != -1) {
		if (id == '?' || id == ':') {
			snprintf(why, cap, "%s: %s; 'warpspec help' lists them",
				 argv[optind - 1],
				 id == ':' ? "a value is missing"
					   : "unknown option");
			return false;
		}
		if (!take(c, id == 'v' ? OPT_VERBOSE : id, optarg, why, cap))
			return false;
	}
	c->run.selectors = argv + optind;
	c->run.selector_count = (size_t)(argc - optind);
	if ((c->command == COMMAND_COVERAGE ||
	     c->command == COMMAND_CHECK_AGENT) &&
	    c->run.selector_count) {
		snprintf(why, cap, "%s: takes no selector", cmd->name);
		return false;
	}
	return check(c, why, cap);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/cli/cli_options.h"

#include <stdio.h>
#include <string.h>

#include "suite/device/keys.h"
#include "suite/device/spelling.h"

#define WIDTH      80
#define COLUMN     25 /* where the text on an option begins */
#define KEY_COLUMN 30

static const struct cli_command commands[] = {
	{"run", COMMAND_RUN,
	 "[-d FILE | --target HOST:PORT | --refdut[=DEVICE]] [SELECTOR...] "
	 "[OPTION...]",
	 "Run cases on a device and write reports.", true, true},
	{"list", COMMAND_LIST, "[SELECTOR...] [OPTION...] | --readings",
	 "List cases: id, level, title.", true, false},
	{"show", COMMAND_SHOW, "SELECTOR... [--refdut[=DEVICE]]",
	 "Print what cases judge, and the frames that they exchange with the "
	 "built-in device.",
	 true, true},
	{"coverage", COMMAND_COVERAGE, "[req:GLOB | rfc:NUMBER]... [OPTION...]",
	 "List requirements, and how many cases judge each.", false, false},
	{"explore", COMMAND_EXPLORE,
	 "[-d FILE | --refdut[=DEVICE]] [OPTION...]",
	 "Run random programs on a device and check each step against the "
	 "golden model. A program that finds something is reduced to the "
	 "shortest one that still does.",
	 false, true},
	{"check-agent", COMMAND_CHECK_AGENT,
	 "[-d FILE | --refdut[=DEVICE]] [OPTION...]",
	 "Test an agent against harness/agent/PROTOCOL.md.", false, true},
	{"report", COMMAND_REPORT, "SUBCOMMAND ...",
	 "Convert, compare, merge or sign the JSON reports of past runs.",
	 false, false},
	{"ics", COMMAND_ICS, "[-d FILE | --refdut[=DEVICE]] [-o FILE]",
	 "Write a conformance statement from the claims of a device's agent: a "
	 "form for the maker of the device to complete.",
	 false, true},
	{"device", COMMAND_DEVICE, "--keys | --confinement",
	 "List the keys of a device file, or what confines the processes that "
	 "read what a device sends.",
	 false, false},
	{"decode", COMMAND_DECODE, "FILE | HEX... [--json]",
	 "Print the frames in a capture, in a file of hex (as xxd, hexdump or "
	 "tcpdump write it) or in hex on the command line, field by field.",
	 false, false},
	{"audit", COMMAND_AUDIT, "FILE... | --follow INTERFACE [OPTION...]",
	 "Judge both sides of the iWARP streams in captures, pcap or pcapng; - "
	 "is standard input.",
	 false, true},
	{"rejudge", COMMAND_REJUDGE, "RUN.json [OPTION...]",
	 "Derive the verdicts of a past run again from its captures; where "
	 "they differ, both are shown.",
	 false, true},
	{"relay", COMMAND_RELAY,
	 "--listen HOST:PORT --to HOST:PORT [OPTION...]",
	 "Let two devices connect through this host, and judge both sides of "
	 "their streams; --fault changes one frame on the way.",
	 false, true},
	{"help", COMMAND_HELP, "[COMMAND]",
	 "Print this help, or the help of a command, like COMMAND --help.",
	 false, false},
};
#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

#define RUN         (1u << COMMAND_RUN)
#define LIST        (1u << COMMAND_LIST)
#define SHOW        (1u << COMMAND_SHOW)
#define COVERAGE    (1u << COMMAND_COVERAGE)
#define EXPLORE     (1u << COMMAND_EXPLORE)
#define CHECK_AGENT (1u << COMMAND_CHECK_AGENT)
#define DEVICE      (1u << COMMAND_DEVICE)
#define ICS         (1u << COMMAND_ICS)
#define DECODE      (1u << COMMAND_DECODE)
#define AUDIT       (1u << COMMAND_AUDIT)
#define REJUDGE     (1u << COMMAND_REJUDGE)
#define RELAY       (1u << COMMAND_RELAY)
#define ALL         (~0u)

static const struct cli_option options[] = {
	{"device", required_argument, OPT_DEVICE,
	 RUN | EXPLORE | CHECK_AGENT | ICS, "FILE",
	 "the device file (default: the built-in device)", false, false},
	{"target", required_argument, OPT_TARGET, RUN, "HOST:PORT",
	 "any RDMA endpoint, without an agent: what the wire alone shows",
	 false, false},
	{"private-data", required_argument, OPT_PRIVATE_DATA, RUN, "HEX|@FILE",
	 "with --target: what its ULP wants in each Request", false, false},
	{"buffer", required_argument, OPT_BUFFER,
	 RUN | LIST | COVERAGE | AUDIT | REJUDGE | RELAY, "STAG:TO:LENGTH",
	 "with --target, or of responders in a capture: memory that the ULP "
	 "offers to peers; or private-data:OFFSET, send:OFFSET: where it "
	 "advertises it",
	 false, false},
	{"memory", required_argument, OPT_MEMORY, AUDIT | REJUDGE | RELAY,
	 "FILE",
	 "all memory that responders have registered: a line for each region, "
	 "STAG:TO:LENGTH, with the rights of peers (rr, rw, ra, or none) and "
	 "foreign, shared, zero-based or untouched",
	 false, false},
	{"connect-with", required_argument, OPT_CONNECT_WITH, RUN, "COMMAND",
	 "without an agent: has the device connect to $WARPSPEC_HOST, port "
	 "$WARPSPEC_PORT; run for each case of an initiator",
	 false, false},
	{"max-connections", required_argument, OPT_MAX_CONNECTIONS, RUN, "N",
	 "with --target: connections at once, those of one case included",
	 false, false},
	{"refdut", optional_argument, OPT_REFDUT,
	 RUN | EXPLORE | SHOW | CHECK_AGENT | ICS, "DEVICE",
	 "the built-in device; DEVICE is a list of faults (NAME,...), of other "
	 "legal choices (+NAME,...), or of both",
	 false, false},
	{"control", required_argument, OPT_CONTROL, RUN | EXPLORE, "NAME",
	 "a control device; 'warpspec-refdut --list-controls' lists them",
	 false, false},
	{"without", required_argument, OPT_WITHOUT,
	 RUN | EXPLORE | CHECK_AGENT | ICS, "F,F",
	 "the built-in device without these features", false, false},
	{"link", required_argument, OPT_LINK, RUN | EXPLORE | LIST | COVERAGE,
	 "KIND",
	 "socket, raw, sctp, or auto (the link of the device file); list and "
	 "coverage: only cases that this link can carry",
	 false, false},
	{"family", required_argument, OPT_FAMILY, RUN | EXPLORE | CHECK_AGENT,
	 "4|6", "IPv4 or IPv6, for the built-in device", false, false},
	{"spec", required_argument, OPT_SPEC,
	 RUN | EXPLORE | ICS | AUDIT | REJUDGE | RELAY, "NAME",
	 "the edition of RFC 7306: rfc7306 (default), draft-10, draft-03 or "
	 "draft-01",
	 false, false},
	{"jobs", required_argument, OPT_JOBS, RUN | EXPLORE, "N",
	 "number of workers (default: one for each processor; explore on the "
	 "built-in device: four)",
	 false, true},
	{"shard", required_argument, OPT_SHARD, RUN, "K/N",
	 "run the K-th of N parts", false, true},
	{"seed", required_argument, OPT_SEED, RUN | EXPLORE, "S",
	 "shuffle the order of execution; explore: select the programs", false,
	 true},
	{"report", required_argument, OPT_REPORT,
	 RUN | EXPLORE | AUDIT | REJUDGE | RELAY, "FORMAT[=PATH]",
	 "text, summary, json, junit, tap, html, sarif or github; may be "
	 "repeated",
	 true, true},
	{"captures", required_argument, OPT_CAPTURES, RUN, "DIR",
	 "write a capture of every case to DIR, as pcapng", false, true},
	{"captures-of", required_argument, OPT_CAPTURES_OF, RUN, "WHICH",
	 "which captures to keep: all, or failures (FAIL, WARN and ERROR)",
	 false, true},
	{"captures-max", required_argument, OPT_CAPTURES_MAX, RUN, "MIB",
	 "limit the total size of the captures (default: 512)", false, true},
	{"evidence", required_argument, OPT_EVIDENCE, RUN | EXPLORE, "WHICH",
	 "which cases have their events in the reports: all, failures, or none "
	 "(default: as the formats need)",
	 false, true},
	{"max-time", required_argument, OPT_MAX_TIME, RUN | RELAY | AUDIT,
	 "N[s|m|h]",
	 "end the run after this time; the reports have the cases that ran",
	 false, true},
	{"case-timeout", required_argument, OPT_CASE_TIMEOUT, RUN, "N[s|m|h]",
	 "end a case after this time, as an ERROR, and go on with the next",
	 false, true},
	{"journal", required_argument, OPT_JOURNAL, RUN | EXPLORE, "FILE",
	 "write a line for each case when it finishes; explore: write the "
	 "progress",
	 false, true},
	{"resume", required_argument, OPT_RESUME, RUN | EXPLORE, "FILE",
	 "leave out the cases in this journal, and append to it; the journal "
	 "of another device, link or build is refused; run: may be repeated",
	 true, true},
	{"rerun", required_argument, OPT_RERUN, RUN, "FILE",
	 "run only the selected cases that failed in this JSON report: FAIL, "
	 "ERROR, BLOCKED, and WARN with --strict",
	 false, true},
	{"deviations", required_argument, OPT_DEVIATIONS, RUN | EXPLORE, "FILE",
	 "the known deviations of the device", false, false},
	{"update-deviations", no_argument, OPT_UPDATE, RUN, NULL,
	 "rewrite the file of --deviations from the results of this run", false,
	 true},
	{"ics", required_argument, OPT_ICS, RUN, "FILE",
	 "also check the device against this conformance statement", false,
	 false},
	{"output", required_argument, OPT_OUTPUT, ICS, "FILE",
	 "where to write the form (default: standard output)", false, false},
	{"destructive", no_argument, OPT_DESTRUCTIVE, RUN, NULL,
	 "also run the cases that are known to bring devices down (always run "
	 "on the built-in device)",
	 false, false},
	{"strict", no_argument, OPT_STRICT, RUN | AUDIT | RELAY, NULL,
	 "a WARN (a SHOULD not followed) also fails the run", false, false},
	{"fail-fast", no_argument, OPT_FAIL_FAST, RUN | EXPLORE, NULL,
	 "end at the first failure", false, true},
	{"ops", required_argument, OPT_OPS, EXPLORE, "N",
	 "number of operations to perform (default: 200000; with --time, no "
	 "limit)",
	 false, false},
	{"time", required_argument, OPT_TIME, EXPLORE, "N[s|m|h]",
	 "end the exploration after this time", false, false},
	{"steps", required_argument, OPT_STEPS, EXPLORE, "N",
	 "number of steps of a program, up to 4096 (default: 1000)", false,
	 false},
	{"streams", required_argument, OPT_STREAMS, EXPLORE, "N",
	 "most streams of a program, up to 4 (default: 2)", false, false},
	{"weights", required_argument, OPT_WEIGHTS, EXPLORE, "OPERATION=N,...",
	 "how often an operation is drawn, relative to the others", false,
	 false},
	{"dimension", required_argument, OPT_DIMENSION, EXPLORE,
	 "NAME=LOW..HIGH",
	 "draw this quantity from these bounds; may be repeated", true, false},
	{"findings", required_argument, OPT_FINDINGS, EXPLORE, "N",
	 "end after this number of findings (default: 16)", false, false},
	{"programs", required_argument, OPT_PROGRAMS, EXPLORE, "DIR",
	 "where to write the programs that found something (default: the "
	 "current folder)",
	 false, false},
	{"replay", required_argument, OPT_REPLAY, EXPLORE, "FILE",
	 "run only this program", false, false},
	{"as-case", required_argument, OPT_AS_CASE, EXPLORE, "FILE",
	 "print this program as the C source of a case, instead of a report",
	 false, false},
	{"timeout-scale", required_argument, OPT_SCALE,
	 RUN | EXPLORE | CHECK_AGENT, "X", "multiply every deadline by X",
	 false, false},
	{"segmentation", required_argument, OPT_SEGMENTATION, RUN | EXPLORE,
	 "HOW",
	 "how the peer divides its octets into TCP segments, unless the case "
	 "says so: whole, octets, random:SEED, reordered or duplicated",
	 false, false},
	{"second-connection", no_argument, OPT_SECOND, RUN | COVERAGE, NULL,
	 "run each case on a second connection, beside one on which messages "
	 "have gone both ways; coverage: the run of --axes",
	 false, false},
	{"judge-peer", optional_argument, OPT_JUDGE_PEER, RUN | EXPLORE | SHOW,
	 "strict",
	 "make it an ERROR if the suite's own peer breaks a rule that the case "
	 "does not name; =strict: any rule",
	 false, false},
	{"force", no_argument, OPT_FORCE, RUN, NULL,
	 "run even if the device does not answer", false, false},
	{"verbose", no_argument, OPT_VERBOSE,
	 RUN | EXPLORE | AUDIT | REJUDGE | RELAY, NULL,
	 "text report: also list each case that is PASS, INFO, SKIP or BLOCKED",
	 false, true},
	{"quiet", no_argument, OPT_QUIET, RUN | EXPLORE | CHECK_AGENT, NULL,
	 "print only the reports, no plan and no progress; check-agent: print "
	 "only failures",
	 false, true},
	{"listen", required_argument, OPT_LISTEN, RELAY, "HOST:PORT",
	 "where one device connects to; port 0 is any, and is printed", false,
	 false},
	{"to", required_argument, OPT_TO, RELAY, "HOST:PORT",
	 "where the other device listens", false, false},
	{"fault", required_argument, OPT_FAULT, RELAY, "NAME[:ARG]",
	 "change one frame of each stream: crc-bit[:FPDU], "
	 "crc-bit-back[:FPDU], "
	 "cut-fpdu[:FPDU], withhold-terminate, late-request[:MS], "
	 "late-reply[:MS] or private-data[:OCTET]",
	 false, false},
	{"follow", required_argument, OPT_FOLLOW, AUDIT, "INTERFACE",
	 "judge the traffic of this interface as it comes, until SIGINT or "
	 "--max-time, instead of files",
	 false, false},
	{"stream", required_argument, OPT_STREAM, AUDIT, "[HOST:]PORT[,no-crc]",
	 "take connections of this end for iWARP, though their start is "
	 "missing; "
	 "without CRCs, FPDUs are found by their headers; may be repeated",
	 true, false},
	{"readings", no_argument, OPT_READINGS, LIST, NULL,
	 "list the readings instead: the other encodings of fields that the "
	 "suite can read",
	 false, false},
	{"target-only", no_argument, OPT_TARGET_ONLY, LIST, NULL,
	 "only cases that are judged without an agent: each is tried on the "
	 "built-in device",
	 false, false},
	{"target", no_argument, OPT_OF_TARGET, COVERAGE, NULL,
	 "print instead what is judged without an agent, by layer and "
	 "requirement",
	 false, false},
	{"uncovered", no_argument, OPT_UNCOVERED, COVERAGE, NULL,
	 "list only requirements that no case judges", false, false},
	{"axes", no_argument, OPT_AXES, COVERAGE, NULL,
	 "print at which opcodes, segments, roles, streams and edges of "
	 "quantities each requirement was judged, and at which not: in a run "
	 "on the built-in device, or in that of --results",
	 false, false},
	{"results", required_argument, OPT_RESULTS, LIST | COVERAGE, "FILE",
	 "show the verdicts of this run, from its JSON report; after --axes: "
	 "may be repeated, for runs on several links",
	 true, false},
	{"verdict", required_argument, OPT_VERDICT, LIST | COVERAGE,
	 "VERDICT[,VERDICT...]",
	 "with --results: only cases that came to one of these", false, false},
	{"no-crc", no_argument, OPT_NO_CRC, DECODE, NULL,
	 "CRCs are not in use (not needed for a capture with its startup "
	 "frames)",
	 false, false},
	{"markers", no_argument, OPT_MARKERS, DECODE, NULL,
	 "FPDUs have markers (not needed for a capture with its startup "
	 "frames)",
	 false, false},
	{"json", no_argument, OPT_JSON, LIST | COVERAGE | DECODE, NULL,
	 "print JSON, with more details", false, false},
	{"keys", no_argument, OPT_KEYS, DEVICE, NULL,
	 "list every key, by section, with its values and its purpose", false,
	 false},
	{"confinement", no_argument, OPT_CONFINEMENT, DEVICE, NULL,
	 "list what Landlock and seccomp deny to workers on this host", false,
	 false},
	{"help", no_argument, OPT_HELP, ALL, NULL, "print this help", false,
	 false},
};
#define OPTIONS (sizeof(options) / sizeof(options[0]))

const struct cli_command *cli_command_find(const char *name)
{
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
		name = "help";
	for (size_t i = 0; i < COMMANDS; i++)
		if (strcmp(name, commands[i].name) == 0)
			return &commands[i];
	return NULL;
}

const struct cli_option *cli_option_by_id(int id)
{
	for (size_t i = 0; i < OPTIONS; i++)
		if (options[i].id == id)
			return &options[i];
	return NULL;
}

static bool is_of(const struct cli_option *o, enum command c)
{
	return o->of >> c & 1;
}

const char *cli_short_options(enum command c)
{
	return c == COMMAND_AUDIT || c == COMMAND_REJUDGE || c == COMMAND_RELAY
		       ? ":vh"
	       : c == COMMAND_RUN || c == COMMAND_EXPLORE ? ":d:vh"
	       : c == COMMAND_CHECK_AGENT                 ? ":d:h"
	       : c == COMMAND_ICS                         ? ":d:o:h"
							  : ":h";
}

const struct option *cli_long_options(enum command c)
{
	static struct option list[OPTIONS + 1];
	size_t n = 0;

	for (size_t i = 0; i < OPTIONS; i++)
		if (is_of(&options[i], c))
			list[n++] = (struct option){options[i].name,
						    options[i].argument, NULL,
						    options[i].id};
	list[n] = (struct option){0};
	return list;
}

/* --- what was meant ---------------------------------------------------------- */

void cli_meant_command(const char *word, char *line, size_t cap)
{
	struct spelling s = spelling_of(word);

	for (size_t i = 0; i < COMMANDS; i++)
		spelling_offer(&s, commands[i].name);
	spelling_say(&s, line, cap);
}

void cli_meant_option(const char *word, enum command c, char *line, size_t cap)
{
	char name[64];
	size_t n = strcspn(word += strspn(word, "-"), "=");

	snprintf(name, sizeof(name), "%.*s", (int)n, word);

	struct spelling s = spelling_of(name);

	for (size_t i = 0; i < OPTIONS; i++)
		if (is_of(&options[i], c))
			spelling_offer(&s, options[i].name);
	n = strlen(line);
	if (strcmp(name, "mutant") == 0 || strcmp(name, "variant") == 0)
		snprintf(line + n, cap - n, "; did you mean --refdut=%s?",
			 name[0] == 'm' ? "MUTANT" : "+VARIANT");
	else if (s.nearest)
		snprintf(line + n, cap - n, "; did you mean --%s?", s.nearest);
}

/* --- help -------------------------------------------------------------------- */

void cli_put_words(const char *text, size_t column, size_t indent)
{
	size_t at = column;

	for (const char *p = text; *p;) {
		size_t n = strcspn(p, " ");

		if (at > indent && at + 1 + n > WIDTH) {
			printf("\n%*s", (int)indent, "");
			at = indent;
		} else if (at > indent && p != text) {
			putchar(' ');
			at++;
		}
		printf("%.*s", (int)n, p);
		at += n;
		p += n + strspn(p + n, " ");
	}
	putchar('\n');
}

static void put_entry_at(int column, const char *left, const char *text)
{
	int n = printf("  %s", left);

	if (n >= column)
		n = printf("\n") - 1;
	printf("%*s", column - n, "");
	cli_put_words(text, (size_t)column, (size_t)column);
}

void cli_put_entry(const char *left, const char *text)
{
	put_entry_at(COLUMN, left, text);
}

static void put_option(const struct cli_option *o)
{
	char left[64], dash[8] = "";
	bool equals = o->argument == optional_argument;

	if (o->id < 256)
		snprintf(dash, sizeof(dash), "-%c, ", o->id);
	snprintf(left, sizeof(left), "%s--%s%s%s%s", dash, o->name,
		 !o->value ? ""
		 : equals  ? "[="
			   : " ",
		 o->value ? o->value : "", equals ? "]" : "");
	cli_put_entry(left, o->text);
}

static void put_options(enum command c)
{
	for (size_t i = 0; i < OPTIONS; i++)
		if (is_of(&options[i], c))
			put_option(&options[i]);
}

static void put_usage(const struct cli_command *c, size_t indent)
{
	int n = printf("%*swarpspec %s ", (int)indent, "", c->name);

	cli_put_words(c->usage, (size_t)n, (size_t)n);
}

static void put_selectors(void)
{
	puts("\nSELECTOR is one of");
	cli_put_entry("mpa/crc", "a folder of cases, or a case");
	cli_put_entry("'mpa/*crc*'", "a glob on ids");
	cli_put_entry("req:MPA-4.4-14",
		      "the cases that judge this requirement; also a glob, or "
		      "a section: req:MPA-4.4");
	cli_put_entry("rfc:5044",
		      "the cases that judge a requirement of this RFC");
	cli_put_entry("level:must",
		      "the cases of a level: must, should, may, open");
	cli_put_entry("role:responder",
		      "the cases of a role of the device: responder, "
		      "initiator");
	cli_put_entry("feature:imm", "the cases that need this feature");
	cli_put_entry("'!SELECTOR'", "exclude these cases");
}

static void put_exit(void)
{
	puts("\n"
	     "Exit: 0 every MUST met, or its failure expected; 1 failures; 2 "
	     "usage; 3 the\n"
	     "device is unreachable or died; 4 an error of the suite; 5 "
	     "nothing ran, or fewer\n"
	     "cases than required.");
}

static void help_on(const struct cli_command *c)
{
	put_usage(c, 0);
	putchar('\n');
	cli_put_words(c->text, 0, 0);
	if (c->selects)
		put_selectors();
	puts("\nOptions:");
	put_options(c->command);
	if (c->has_status)
		put_exit();
}

void cli_help(const char *about)
{
	const struct cli_command *c = about ? cli_command_find(about) : NULL;

	if (c && c->command != COMMAND_HELP) {
		help_on(c);
		return;
	}
	puts("warpspec: wire-protocol conformance of iWARP devices\n");
	for (size_t i = 0; i < COMMANDS; i++)
		put_usage(&commands[i], 2);
	puts("  warpspec --version");
	put_selectors();
	puts("\nOptions of run:");
	put_options(COMMAND_RUN);
	puts("\n'warpspec help COMMAND' lists the options of other commands.");
	put_exit();
}

/* --- keys of the device file ------------------------------------------------- */

void cli_device_keys(void)
{
	const char *section = "";
	struct device_key k;

	puts("# A device file: sections and their keys; ';' begins a comment.\n"
	     "# Without a key, the suite uses what the agent reports, or its "
	     "own default.");
	for (size_t i = 0; device_key_at(i, &k); i++) {
		char left[80];

		if (strcmp(section, k.section) != 0)
			printf("\n[%s]%s\n", k.section,
			       strcmp(k.section, "features") == 0
				       ? " override what the agent claims"
				       : "");
		section = k.section;
		snprintf(left, sizeof(left), "%s = %s", k.name, k.value);
		put_entry_at(KEY_COLUMN, left, k.text);
	}
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/report/report_command.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "reports/format/formats.h"
#include "suite/cli/cli_options.h"
#include "suite/cli/complain.h"
#include "suite/device/spelling.h"

static const struct report_subcommand *const subcommands[] = {
	&report_as_format,   &report_diff,      &report_merge,
	&report_matrix,      &report_bundle,    &report_verify,
	&report_certificate, &report_certified,
};
#define SUBCOMMANDS (sizeof(subcommands) / sizeof(subcommands[0]))

/* The one of this name; a format's is that of one for all formats. */
static const struct report_subcommand *find(const char *name)
{
	for (size_t i = 0; i < SUBCOMMANDS; i++)
		if (strcmp(name, subcommands[i]->name) == 0 &&
		    subcommands[i] != &report_as_format)
			return subcommands[i];
	return report_format_find(name) ? &report_as_format : NULL;
}

static int no_such_subcommand(const char *name)
{
	struct spelling near = spelling_of(name);
	char why[512];

	snprintf(why, sizeof(why),
		 "report %.60s: no such subcommand; 'warpspec report --help' "
		 "lists them",
		 name);
	for (size_t i = 0; i < SUBCOMMANDS; i++)
		if (subcommands[i] != &report_as_format)
			spelling_offer(&near, subcommands[i]->name);
	for (size_t i = 0; report_format_at(i); i++)
		spelling_offer(&near, report_format_at(i)->name);
	spelling_say(&near, why, sizeof(why));
	return complain(EXIT_USAGE, why);
}

/* --- help -------------------------------------------------------------------- */

static void put_usage(const struct report_subcommand *s, const char *name,
		      size_t indent)
{
	int n = printf("%*swarpspec report %s ", (int)indent, "", name);

	cli_put_words(s->usage, (size_t)n, (size_t)n);
}

static void help_on(const struct report_subcommand *s, const char *name)
{
	put_usage(s, name, 0);
	putchar('\n');
	cli_put_words(s->text, 0, 0);
	puts("\nOptions:");
	for (const struct report_option *o = s->options; o->name; o++) {
		char left[64], letter[8] = "";

		if (o->letter)
			snprintf(letter, sizeof(letter), "-%c, ", o->letter);
		snprintf(left, sizeof(left), "%s--%s%s%s", letter, o->name,
			 o->value ? " " : "", o->value ? o->value : "");
		cli_put_entry(left, o->text);
	}
	cli_put_entry("-h, --help", "print this help");
	putchar('\n');
	cli_put_words(
		s->exit ? s->exit
			: "Exit: 0 done; 2 usage, or a file that is not a "
			  "report; 4 the output cannot be written.",
		0, 0);
}

static void help_on_all(void)
{
	puts("warpspec report SUBCOMMAND ...\n\n"
	     "Convert, compare, merge or sign the JSON reports of past runs. "
	     "No "
	     "device is\nneeded.\n");
	for (size_t i = 0; i < SUBCOMMANDS; i++) {
		put_usage(subcommands[i], subcommands[i]->name, 2);
		printf("      ");
		cli_put_words(subcommands[i]->text, 6, 6);
	}
	printf("\nFORMAT is");
	for (size_t i = 0; report_format_at(i); i++)
		printf("%s %s",
		       !i                        ? ""
		       : report_format_at(i + 1) ? ","
						 : " or",
		       report_format_at(i)->name);
	puts(".\n'warpspec report SUBCOMMAND --help' lists its options.");
}

/* --- its arguments -------------------------------------------------------- */

#define FIRST_LONG 256

static int parse_error(const struct report_call *c, const char *word,
		       const char *what, bool unknown)
{
	char why[512], name[64];
	size_t n = strcspn(word += strspn(word, "-"), "=");
	struct spelling near;

	snprintf(name, sizeof(name), "%.*s", (int)n, word);
	near = spelling_of(name);
	snprintf(why, sizeof(why),
		 "report %s: --%s: %s; 'warpspec report %s --help' lists them",
		 c->name, name, what, c->name);
	for (const struct report_option *o = c->subcommand->options; o->name;
	     o++)
		spelling_offer(&near, o->name);
	if (unknown && near.nearest)
		snprintf(why + strlen(why), sizeof(why) - strlen(why),
			 "; did you mean --%s?", near.nearest);
	return complain(EXIT_USAGE, why);
}

static int option_twice(const struct report_call *c, const char *name)
{
	char why[128];

	snprintf(why, sizeof(why), "report %s: --%s: given twice", c->name,
		 name);
	return complain(EXIT_USAGE, why);
}

/* For getopt_long(); returns how many there are. */
static size_t list_options(const struct report_option *options,
			   struct option *list, char *letters)
{
	size_t n = 0;

	*letters++ = ':';
	*letters++ = 'h';
	for (; options[n].name && n < REPORT_OPTIONS; n++) {
		list[n] = (struct option){options[n].name,
					  options[n].value ? required_argument
							   : no_argument,
					  NULL, FIRST_LONG + (int)n};
		if (!options[n].letter)
			continue;
		*letters++ = options[n].letter;
		if (options[n].value)
			*letters++ = ':';
	}
	*letters = '\0';
	list[n] = (struct option){"help", no_argument, NULL, 'h'};
	list[n + 1] = (struct option){0};
	return n;
}

int report_command_help(const char *subcommand)
{
	const struct report_subcommand *s =
		subcommand ? find(subcommand) : NULL;

	if (subcommand && !s)
		return no_such_subcommand(subcommand);
	if (s)
		help_on(s, subcommand);
	else
		help_on_all();
	return flushed(0);
}

/* -1: continue; else the status to exit with. */
static int parse(struct report_call *c, int argc, char **argv)
{
	const struct report_option *options = c->subcommand->options;
	struct option list[REPORT_OPTIONS + 2];
	char letters[2 * REPORT_OPTIONS + 3];
	size_t n = list_options(options, list, letters);
	int id;

	opterr = 0;
	while ((id = getopt_long(argc, argv, letters, list, NULL)) != -1) {
		size_t i = id >= FIRST_LONG ? (size_t)(id - FIRST_LONG) : 0;

		if (id == '?' || id == ':')
			return parse_error(c, argv[optind - 1],
					   id == ':' ? "a value is missing"
						     : "unknown option",
					   id == '?');
		if (id == 'h') {
			help_on(c->subcommand, c->name);
			return flushed(0);
		}
		while (id < FIRST_LONG && i < n && options[i].letter != id)
			i++;
		if (c->value[i])
			return option_twice(c, options[i].name);
		c->value[i] = optarg ? optarg : "";
	}
	c->files = argv + optind;
	c->file_count = (size_t)(argc - optind);
	return -1;
}

static int bad_count(const struct report_call *c)
{
	char why[256];
	bool few = c->file_count < c->subcommand->files_least;

	snprintf(why, sizeof(why),
		 "report %s: %s; expected: warpspec report %s %s", c->name,
		 few ? "a file is missing" : "too many files", c->name,
		 c->subcommand->usage);
	return complain(EXIT_USAGE, why);
}

int report_command(int argc, char **argv)
{
	struct report_call call = {.name = argc ? argv[0] : ""};
	int status;

	if (!argc)
		return complain(EXIT_USAGE,
				"report: no subcommand; 'warpspec report "
				"--help' lists them");
	if (strcmp(call.name, "--help") == 0 || strcmp(call.name, "-h") == 0)
		return report_command_help(NULL);
	call.subcommand = find(call.name);
	if (!call.subcommand)
		return no_such_subcommand(call.name);
	status = parse(&call, argc, argv);
	if (status >= 0)
		return status;
	if (call.file_count < call.subcommand->files_least ||
	    call.file_count > call.subcommand->files_most)
		return bad_count(&call);
	return call.subcommand->perform(&call);
}

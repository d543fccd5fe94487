/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The commands of the program. A command is a function that gets the command
 * line (cli.h), wires the parts of the suite together, and returns the exit
 * status; a file has the code of one, or of a few that do the same. Only main.c
 * calls them.
 *
 *   run.c            run, explore
 *   show.c           show
 *   list.c           list
 *   coverage.c       coverage
 *   ics.c            ics
 *   check_agent.c    check-agent
 *   decode.c         decode
 *   audit.c          audit, relay, rejudge
 *
 *   start.c          what they share: the device under test, its link and its
 *                    network
 *   select.c         the cases that the command line names
 *   publish.c        the reports
 *
 * `report` has a folder of its own (suite/report/).
 */
#ifndef SUITE_COMMAND_H
#define SUITE_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "suite/cli/cli.h"
#include "suite/device/device.h"
#include "suite/judge/result.h"

/* --- the commands ------------------------------------------------------------ */

int command_run(struct cli *c);
int command_explore(struct cli *c);
int command_show(struct cli *c);
int command_list(struct cli *c);
int command_coverage(struct cli *c);
int command_ics(struct cli *c);
int command_check_agent(struct cli *c);
int command_decode(struct cli *c);
int command_audit(struct cli *c);
int command_relay(struct cli *c);
int command_rejudge(struct cli *c);

/* --- start.c: the device ----------------------------------------------------- */

/* Where an int is returned, it is 0, or the exit status after a complaint. */

/* For a run: the device of the command line, with its link, its hooks, and
 * without any privileges that only the link needs. The caller ends the built-in
 * one by builtin_stop(). */
int start_device(struct cli *c, struct device *d);

/* The built-in device alone, with neither a link nor hooks; *d comes from
 * device_init(). The caller ends it by builtin_stop(). */
int start_builtin(struct cli *c, struct device *d);

/* For a command that talks to an agent and opens no link: the device of the
 * command line, in the network of its file; a device without an agent is
 * refused. */
int find_agent(struct cli *c, struct device *d);
/* After that: start it, if it is the built-in one. builtin_stop() may follow in
 * any case. */
int start_agent(struct cli *c, struct device *d);

/* The kind of link: from the command line, else from the device file, else
 * socket. */
const char *link_kind(const struct cli *c, const struct device *d);

/* --- run.c: a run ------------------------------------------------------------ */

/* Start the device, run cases or programs on it, and end it. 0: *out is
 * complete, and its note was said. Else the exit status, after a complaint. */
int run_on_device(struct cli *c, struct run_result *out);

/* --- select.c: the cases ----------------------------------------------------- */

/* One flag for each instance, set if the selectors choose it; for free(). NULL:
 * one line in why. */
bool *select_cases(const struct cli *c, char *why, size_t cap);

/* Of the selected keep those that --link, --results and --verdict leave. *run is
 * the report of --results, or NULL; the caller gives it to report_unload() in
 * any case. False: one line in why. */
bool select_asked(const struct cli *c, bool *selected,
		  const struct run_result **run, char *why, size_t cap);

/* Of the selected keep those that are judged without an agent, on the built-in
 * device. 0, or the exit status after a complaint. */
int select_alone(struct cli *c, bool *selected);

/* --- publish.c: the reports -------------------------------------------------- */

/* Whether all reports of the command line could be published, for use before
 * anything runs. False: one line in why. */
bool publish_check(const struct cli *c, char *why, size_t cap);

/* Say the note of a run, if it has one. */
void publish_note(const struct run_result *run);

/* Publish all reports of a run on a device, and say how it ended and what was
 * written. Returns the exit status of the program: that of the run, or EXIT_SUITE
 * after a complaint. */
int publish_run(const struct cli *c, struct run_result *run);

/* The same of traffic in which the suite took no part: its note, and the
 * reports. */
int publish_judged(const struct cli *c, struct run_result *run);

#endif

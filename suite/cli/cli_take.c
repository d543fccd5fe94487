/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The effect of each option, as a table: it sets a text, a flag, or calls a
 * function with the value.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite/cli/cli_options.h"

static bool number(const char *text, uint64_t max, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 0);
	return *text >= '0' && *text <= '9' && !*end && !errno && *out <= max;
}

static bool take_shard(struct cli *c, char *text)
{
	struct run_options *r = &c->run;
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

static bool take_evidence(struct cli *c, char *value)
{
	static const char *const names[] = {"none", "failures", "all"};

	for (unsigned i = 0; i < 3; i++)
		if (strcmp(value, names[i]) == 0) {
			c->run.evidence = (enum evidence_of)i;
			c->evidence = value;
			return true;
		}
	return false;
}

static bool take_report(struct cli *c, char *text)
{
	char *eq = strchr(text, '=');

	if (c->reports == CLI_REPORTS)
		return false;
	if (eq)
		*eq = '\0';
	c->report[c->reports++] = (struct cli_report){text, eq ? eq + 1 : NULL};
	return true;
}

static bool take_scale(struct cli *c, char *text)
{
	double *out = &c->run.timeout_scale;
	char *end;

	*out = strtod(text, &end);
	c->builtin.patient = *out >= 1;
	return *text && !*end && *out >= 0.01 && *out <= 1000;
}

/* "90", "90s", "15m", "2h", in ns; a week at most. */
static bool take_time(const char *text, uint64_t *ns)
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

static bool take_max_time(struct cli *c, char *text)
{
	return take_time(text, &c->run.max_time_ns);
}

static bool take_case_timeout(struct cli *c, char *text)
{
	return take_time(text, &c->run.case_timeout_ns);
}

static bool is_one_of(const char *value, const char *const *names)
{
	while (*names && strcmp(value, *names) != 0)
		names++;
	return *names;
}

static bool take_link(struct cli *c, char *value)
{
	static const char *const names[] = {"socket", "raw", "sctp", "auto",
					    NULL};

	c->link = strcmp(value, "auto") == 0 ? NULL : value;
	return is_one_of(value, names);
}

static bool take_family(struct cli *c, char *value)
{
	static const char *const names[] = {"4", "6", NULL};

	c->ipv6 = value[0] == '6';
	return is_one_of(value, names);
}

static bool take_spec(struct cli *c, char *value)
{
	c->run.spec = c->builtin.spec = value;
	return runner_profile(value, &c->run.profile);
}

static bool take_captures_of(struct cli *c, char *value)
{
	static const char *const names[] = {"all", "failures", NULL};

	c->run.captures_of_failures = strcmp(value, "failures") == 0;
	return is_one_of(value, names);
}

static bool take_segmentation(struct cli *c, char *value)
{
	return segmentation_parse(&c->run.segmentation, value);
}

static bool take_judge_peer(struct cli *c, char *value)
{
	c->run.peer = value ? PEER_JUDGED_STRICTLY : PEER_JUDGED;
	return !value || strcmp(value, "strict") == 0;
}

static bool take_resume(struct cli *c, char *value)
{
	if (c->run.resumes == RUNNER_RESUMES)
		return false;
	c->run.resume[c->run.resumes++] = value;
	return true;
}

static bool take_results(struct cli *c, char *value)
{
	if (c->result_count == (c->axes ? CLI_REPORTS : 1))
		return false;
	c->results[c->result_count++] = value;
	return true;
}

static bool take_dimension(struct cli *c, char *value)
{
	if (c->explore.dimension_count == CLI_REPORTS)
		return false;
	c->dimension[c->explore.dimension_count++] = value;
	c->explore.dimensions = c->dimension;
	return true;
}

/* --- numbers ------------------------------------------------------------- */

/* From 1 to `most`. */
static bool count(const char *text, unsigned most, unsigned *out)
{
	uint64_t n;

	if (!number(text, most, &n) || n == 0)
		return false;
	*out = (unsigned)n;
	return true;
}

static bool take_jobs(struct cli *c, char *value)
{
	c->jobs_said = true;
	return count(value, 64, &c->run.jobs);
}

static bool take_connections(struct cli *c, char *value)
{
	return count(value, 65535, &c->connections);
}

static bool take_seed(struct cli *c, char *value)
{
	c->run.shuffle = true;
	return number(value, (1ull << 53) - 1, &c->run.seed);
}

static bool take_captures_max(struct cli *c, char *value)
{
	unsigned mebibytes;

	if (!count(value, 1u << 20, &mebibytes))
		return false;
	c->run.captures_max = (uint64_t)mebibytes << 20;
	return true;
}

static bool take_operations(struct cli *c, char *value)
{
	return number(value, 1ull << 53, &c->explore.operations) &&
	       c->explore.operations;
}

static bool take_steps(struct cli *c, char *value)
{
	return count(value, PROGRAM_STEPS, &c->explore.steps);
}

static bool take_streams(struct cli *c, char *value)
{
	return count(value, PROGRAM_STREAMS, &c->explore.streams);
}

static bool take_stream(struct cli *c, char *value)
{
	return c->streams < NAMED_MOST &&
	       named_parse(&c->stream[c->streams++], value);
}

static bool take_findings(struct cli *c, char *value)
{
	return count(value, 64, &c->explore.findings);
}

/* --- the table ----------------------------------------------------------- */

#define TEXT(member) .is = SETS_TEXT, .at = offsetof(struct cli, member)
#define FLAG(member) .is = SETS_FLAG, .at = offsetof(struct cli, member)

static const struct {
	int id;
	enum { SETS_BY_FUNCTION, SETS_TEXT, SETS_FLAG } is;
	size_t at;                                /* of text and flag */
	bool (*take)(struct cli *c, char *value); /* for the others; false: */
	const char *expected;                     /* it is not that */
} settings[] = {
	{OPT_DEVICE, TEXT(device_file)},
	{OPT_TARGET, TEXT(target)},
	{OPT_PRIVATE_DATA, TEXT(private_data)},
	{OPT_BUFFER, TEXT(buffer)},
	{OPT_MEMORY, TEXT(memory)},
	{OPT_CONNECT_WITH, TEXT(connect)},
	{OPT_MAX_CONNECTIONS, .take = take_connections,
	 .expected = "1 to 65535"},
	{OPT_REFDUT, TEXT(builtin.as)},
	{OPT_CONTROL, TEXT(builtin.control)},
	{OPT_WITHOUT, TEXT(builtin.without)},
	{OPT_LINK, .take = take_link, .expected = "socket, raw, sctp or auto"},
	{OPT_FAMILY, .take = take_family, .expected = "4 or 6"},
	{OPT_SPEC, .take = take_spec,
	 .expected = "rfc7306, draft-10, draft-03 or draft-01"},
	{OPT_JOBS, .take = take_jobs, .expected = "1 to 64"},
	{OPT_SHARD, .take = take_shard, .expected = "K/N with 1 <= K <= N"},
	{OPT_SEED, .take = take_seed, .expected = "a number below 2^53"},
	{OPT_REPORT, .take = take_report, .expected = "at most 16 reports"},
	{OPT_CAPTURES, TEXT(run.captures)},
	{OPT_JOURNAL, TEXT(run.journal)},
	{OPT_RESUME, .take = take_resume, .expected = "at most 64 journals"},
	{OPT_RERUN, TEXT(run.rerun_path)},
	{OPT_RESULTS, .take = take_results,
	 .expected = "at most 16 reports, and one without --axes"},
	{OPT_VERDICT, TEXT(verdict)},
	{OPT_DEVIATIONS, TEXT(run.deviations_path)},
	{OPT_UPDATE, FLAG(run.update_deviations)},
	{OPT_ICS, TEXT(statement)},
	{OPT_OUTPUT, TEXT(output)},
	{OPT_DESTRUCTIVE, FLAG(run.destructive)},
	{OPT_STRICT, FLAG(run.strict)},
	{OPT_FAIL_FAST, FLAG(run.fail_fast)},
	{OPT_SCALE, .take = take_scale, .expected = "0.01 to 1000"},
	{OPT_MAX_TIME, .take = take_max_time,
	 .expected = "a time such as 90s, 15m or 2h, a week at most"},
	{OPT_CASE_TIMEOUT, .take = take_case_timeout,
	 .expected = "a time such as 90s, 15m or 2h, a week at most"},
	{OPT_CAPTURES_OF, .take = take_captures_of,
	 .expected = "all or failures"},
	{OPT_EVIDENCE, .take = take_evidence,
	 .expected = "all, failures or none"},
	{OPT_CAPTURES_MAX, .take = take_captures_max,
	 .expected = "1 to 1048576 (MiB)"},
	{OPT_SEGMENTATION, .take = take_segmentation,
	 .expected = "whole, octets, random:SEED, reordered or duplicated"},
	{OPT_SECOND, FLAG(run.second)},
	{OPT_JUDGE_PEER, .take = take_judge_peer,
	 .expected = "strict, or nothing"},
	{OPT_FORCE, FLAG(run.force)},
	{OPT_VERBOSE, FLAG(verbose)},
	{OPT_QUIET, FLAG(run.quiet)},
	{OPT_JSON, FLAG(json)},
	{OPT_UNCOVERED, FLAG(uncovered)},
	{OPT_AXES, FLAG(axes)},
	{OPT_TARGET_ONLY, FLAG(target_only)},
	{OPT_OF_TARGET, FLAG(of_target)},
	{OPT_READINGS, FLAG(readings)},
	{OPT_KEYS, FLAG(keys)},
	{OPT_CONFINEMENT, FLAG(confinement)},
	{OPT_FOLLOW, TEXT(follow)},
	{OPT_STREAM, .take = take_stream,
	 .expected = "[HOST:]PORT[,no-crc], at most 16 of them"},
	{OPT_LISTEN, TEXT(listen)},
	{OPT_TO, TEXT(to)},
	{OPT_FAULT, TEXT(fault)},
	{OPT_NO_CRC, FLAG(no_crc)},
	{OPT_MARKERS, FLAG(markers)},
	{OPT_OPS, .take = take_operations, .expected = "1 to 2^53"},
	{OPT_TIME, .take = take_max_time,
	 .expected = "a time such as 90s, 15m or 2h, a week at most"},
	{OPT_STEPS, .take = take_steps, .expected = "1 to 4096"},
	{OPT_STREAMS, .take = take_streams, .expected = "1 to 4"},
	{OPT_WEIGHTS, TEXT(explore.weights)},
	{OPT_DIMENSION, .take = take_dimension,
	 .expected = "at most 16 of them"},
	{OPT_FINDINGS, .take = take_findings, .expected = "1 to 64"},
	{OPT_PROGRAMS, TEXT(explore.programs)},
	{OPT_AS_CASE, TEXT(explore.as_case)},
	{OPT_REPLAY, TEXT(explore.replay)},
};

bool cli_take(struct cli *c, int id, char *value, char *why, size_t cap)
{
	size_t i = 0, n = sizeof(settings) / sizeof(settings[0]);

	while (i < n && settings[i].id != id)
		i++;
	if (i == n)
		return true;
	void *member = (char *)c + settings[i].at;

	switch (settings[i].is) {
	case SETS_TEXT:
		*(const char **)member = value;
		return true;
	case SETS_FLAG:
		*(bool *)member = true;
		return true;
	case SETS_BY_FUNCTION:
		break;
	}
	if (settings[i].take(c, value))
		return true;
	snprintf(why, cap, "--%s %s: expected %s", cli_option_by_id(id)->name,
		 value, settings[i].expected);
	return false;
}

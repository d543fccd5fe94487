/* SPDX-License-Identifier: BSD-2-Clause */
/* For the tests: runs that hold whatever could break a format. */
#ifndef REPORTS_SAMPLE_H
#define REPORTS_SAMPLE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness/unit.h"
#include "reports/report.h"

/* Quotes, markup, UTF-8, what YAML and TAP read as their own, and lines. */
#define NASTY_LINE                                                             \
	"\"q\" 'a' <&>]]> # SKIP \\ \xc3\xa9 \xe2\x82\xac \xf0\x9f\x92\xa5"
/* Control octets, C1, halves of characters, a surrogate, U+FFFE. */
#define NASTY_OCTETS                                                           \
	"\x01\x07\x1b[31m\r\x7f\xc2\x85\xff\xc3 \xe2\x82 "                     \
	"\xed\xa0\x80\xef\xbf\xbe\xc0\x80"
#define NASTY_LINES "  indented\n...\n---\n\nnot ok 7\n1..9\n\tTab: x\n"

static const char *const one_id[] = {"MPA-4.4-14"};
static const char *const two_ids[] = {"MPA-4.4-14", "MPA-8-02"};

static struct result_broken nasty_broken[] = {
	{.requirement = "MPA-8-02",
	 .level = "SHOULD",
	 .section = "RFC 5044 s8",
	 .statement = NASTY_LINE,
	 .text = NASTY_LINES NASTY_OCTETS,
	 .known = "",
	 .by_model = true},
	{.requirement = "MPA-4.4-14",
	 .level = "MUST NOT",
	 .section = "RFC 5044 s4.4",
	 .statement = "the statement",
	 .text = "due:  a\nseen: \x1b[1mb",
	 .known = "known: " NASTY_LINE},
};

static const struct result nasty_results[] = {
	{.id = "ddp/header/error",
	 .title = NASTY_LINE,
	 .verdict = VERDICT_ERROR,
	 .teardown = TEARDOWN_RST,
	 .level = "",
	 .role = "",
	 .detail = NASTY_LINES,
	 .reason = "agent gone: " NASTY_OCTETS},
	{.id = "mpa/crc/fail",
	 .title = NASTY_LINE,
	 .verdict = VERDICT_FAIL,
	 .teardown = TEARDOWN_TERMINATE_FIN,
	 .level = "MUST",
	 .requirements = two_ids,
	 .requirement_count = 2,
	 .role = "responder",
	 .duration_ns = 1234567,
	 .detail = NASTY_LINES NASTY_OCTETS NASTY_LINE,
	 .broken = nasty_broken,
	 .broken_count = 2,
	 .reading = "one " NASTY_LINE,
	 .reason = "",
	 .capture = "captures/a b&c.pcap"},
	{.id = "mpa/crc/info",
	 .title = "t",
	 .verdict = VERDICT_INFO,
	 .teardown = TEARDOWN_FIN,
	 .level = "MAY",
	 .requirements = one_id,
	 .requirement_count = 1,
	 .role = "initiator",
	 .detail = "chose \xff",
	 .reason = ""},
	{.id = "mpa/crc/pass",
	 .title = "a plain pass",
	 .reading = "one, other",
	 .verdict = VERDICT_PASS,
	 .teardown = TEARDOWN_OPEN,
	 .level = "MUST",
	 .requirements = one_id,
	 .requirement_count = 1,
	 .role = "responder",
	 .detail = "",
	 .reason = ""},
	{.id = "mpa/crc/skip",
	 .title = "t",
	 .verdict = VERDICT_SKIP,
	 .teardown = TEARDOWN_NONE,
	 .level = "",
	 .role = "",
	 .detail = "",
	 .reason = "the device claims no " NASTY_LINE},
	{.id = "mpa/crc/warn",
	 .title = "t",
	 .verdict = VERDICT_WARN,
	 .teardown = TEARDOWN_TERMINATE_RST,
	 .level = "SHOULD",
	 .requirements = one_id,
	 .requirement_count = 1,
	 .role = "",
	 .detail = "seen: " NASTY_LINE "\ndue: x",
	 .reason = ""},
	{.id = "mpa/crc/xfail",
	 .title = "t",
	 .verdict = VERDICT_XFAIL,
	 .teardown = TEARDOWN_TERMINATE_OPEN,
	 .level = "MUST",
	 .requirements = one_id,
	 .requirement_count = 1,
	 .role = "",
	 .detail = "seen",
	 .reason = "known: " NASTY_LINE " # TODO"},
};

static const struct result_reading nasty_readings[] = {
	{"one " NASTY_LINE, "fields", "RFC 5040 s4.8", "does " NASTY_OCTETS},
};

static const struct result_reason nasty_reasons[] = {
	{"not # SKIP " NASTY_LINE NASTY_OCTETS, 1},
};

static const struct result_identity nasty_identity[] = {
	{"maker", NASTY_LINE},
	{"firmware", NASTY_OCTETS},
};

static char nasty_selector[] = "!" NASTY_LINE NASTY_OCTETS;
static char *const nasty_selectors[] = {nasty_selector};

static const struct run_result nasty = {
	.suite_name = "warpspec",
	.mutants = 476,
	.variants = 128,
	.suite_version = "0.1",
	.suite_build = "0123abcd",
	.identity = nasty_identity,
	.identity_count = UNIT_COUNT(nasty_identity),
	.host_name = "host",
	.host_release = "6.1 " NASTY_OCTETS,
	.host_machine = "x86_64",
	.shard = 2,
	.shards = 3,
	.jobs = 4,
	.selectors = nasty_selectors,
	.selector_count = UNIT_COUNT(nasty_selectors),
	.device_name = NASTY_LINE NASTY_OCTETS,
	.device_agent = "[::1]:18515",
	.device_impl = "siw <6.1> & \xfe",
	.link = "socket",
	.link_note = "met " NASTY_LINE "# ok 7",
	.spec = "rfc7306",
	.seed = UINT64_MAX,
	.journal = "",
	.started = {.tv_sec = 1700000000, .tv_nsec = 999999999},
	.finished = {.tv_sec = 1700000002, .tv_nsec = 1000000},
	.duration_ns = 1001000000,
	.totals = {1, 1, 1, 1, 1, 1, 1},
	.results = nasty_results,
	.count = UNIT_COUNT(nasty_results),
	.planned = UNIT_COUNT(nasty_results),
	.readings = nasty_readings,
	.reading_count = UNIT_COUNT(nasty_readings),
	.reasons = nasty_reasons,
	.reason_count = UNIT_COUNT(nasty_reasons),
	.exit_status = 1,
	.note = "",
};

/* The same, ended by a signal before its last two cases. */
static inline struct run_result cut_short(void)
{
	struct run_result run = nasty;

	run.count -= 2;
	run.totals[VERDICT_WARN] = run.totals[VERDICT_XFAIL] = 0;
	run.note = "interrupted # here\nok 6 - forged";
	return run;
}

static const struct result_stale nasty_stale[] = {
	{"mpa/crc/*", "", "has expired"},
	{NASTY_LINE, "mpa/crc/pass", NASTY_LINE NASTY_OCTETS},
};

static const struct result_values some_values[] = {
	{0, 0, true}, {1, 1, true},    {2, 2, false},
	{3, 9, true}, {10, 10, false}, {11, UINT64_MAX, false},
};
static const struct result_dimension some_dimensions[] = {
	{"peer-size", "octets", "what " NASTY_OCTETS, 0, UINT64_MAX, false,
	 some_values, UNIT_COUNT(some_values)},
	{"dut-size", "octets", "what", 0, 2, true, some_values, 3},
};

/* What was met of them, but for two cases of a journal. */
static inline struct run_result with_dimensions(void)
{
	struct run_result run = nasty;

	run.dimensions = some_dimensions;
	run.dimension_count = UNIT_COUNT(some_dimensions);
	run.unknown_met = 2;
	return run;
}

/* In part from a journal. */
static inline struct run_result with_journal(void)
{
	struct run_result run = nasty;

	run.journal = "a " NASTY_LINE NASTY_OCTETS;
	run.from_journal = 3;
	return run;
}

/* Deviations that are not so any more. */
static inline struct run_result with_stale(void)
{
	struct run_result run = nasty;

	run.stale = nasty_stale;
	run.stale_count = UNIT_COUNT(nasty_stale);
	return run;
}

/* A crash that no case accounts for. */
static inline struct run_result with_finding(void)
{
	static const char *const findings[] = {
		"the device crashed: # SKIP a, b\n  Oops: <0002>\n  ---\n"};
	struct run_result run = nasty;

	run.findings = findings;
	run.finding_count = UNIT_COUNT(findings);
	return run;
}

static inline struct run_result empty(void)
{
	struct run_result run = nasty;

	memset(run.totals, 0, sizeof(run.totals));
	run.count = run.planned = run.reason_count = 0;
	run.exit_status = 5;
	run.note = "no case is left";
	return run;
}

/* The report as text, for the caller to free(). */
static inline char *report(const char *format, const struct run_result *run,
			   struct report_options options)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	CU_ASSERT_EQUAL(report_format_find(format)->write(run, &options, out),
			0);
	CU_ASSERT_EQUAL(fclose(out), 0);
	CU_ASSERT_EQUAL(strlen(text), size);
	return text;
}

#endif

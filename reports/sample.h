/* SPDX-License-Identifier: BSD-2-Clause */
/* For the tests: runs with texts and values that could break a format. */
#ifndef REPORTS_SAMPLE_H
#define REPORTS_SAMPLE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness/unit.h"
#include "reports/format/formats.h"

/* Quotes, markup, UTF-8, and the syntax of YAML and TAP. */
#define NASTY_LINE                                                             \
	"\"q\" 'a' <&>]]> # SKIP \\ \xc3\xa9 \xe2\x82\xac \xf0\x9f\x92\xa5"
/* Control octets, C1, incomplete characters, a surrogate, U+FFFE. */
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

/* A Request, a Send whose CRC is wrong, and the Terminate that it gets. */
static const uint8_t request_octets[] = "MPA ID Req Frame\x40\x01\x00\x02<&";
static const uint8_t send_octets[] = {
	0x00, 0x17, 0x41, 0x43, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x68, 0x65,
	0x6c, 0x6c, 0x6f, 0x00, 0x00, 0x00, 0xb9, 0x90, 0xb1, 0x0d,
};
static const uint8_t terminate_octets[] = {
	0x00, 0x16, 0x41, 0x47, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x02, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00,
	0x20, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
};
static const uint8_t memory_before[] = {0x00, 0x00, 0x00, 0x00};
static const uint8_t memory_after[] = {0x3c, 0x26, 0x00, 0xff};
static const struct result_mark some_marks[] = {{21, 1, 0}, {24, 4, 1}};
static const unsigned short some_markers[] = {20, 532};
static const struct result_event nasty_events[] = {
	{.kind = EVENT_STARTUP,
	 .text = "startup frame, 22 octets",
	 .octets = request_octets,
	 .kept = 22,
	 .n = 22},
	{.kind = EVENT_AGENT, .at_ns = 1000, .text = "recv c1 " NASTY_LINE},
	{.kind = EVENT_AGENT,
	 .from_device = true,
	 .at_ns = 2000,
	 .text = "ok " NASTY_OCTETS},
	{.kind = EVENT_FRAME,
	 .at_ns = 3000,
	 .text = "Send, QN 0, MSN 1, MO 0, 5 octets of payload",
	 .octets = send_octets,
	 .kept = sizeof(send_octets),
	 .n = sizeof(send_octets)},
	{.kind = EVENT_FRAME,
	 .from_device = true,
	 .at_ns = 4000,
	 .text = "a Terminate 2/0/02 (LLP, MPA, CRC error)",
	 .octets = terminate_octets,
	 .kept = sizeof(terminate_octets),
	 .n = sizeof(terminate_octets),
	 .crc_off = true,
	 .marks = some_marks,
	 .mark_count = UNIT_COUNT(some_marks)},
	{.kind = EVENT_OCTETS,
	 .stream = 1,
	 .at_ns = 5000,
	 .text = "1024 octets that are not a frame",
	 .octets = send_octets,
	 .kept = 4,
	 .n = 1024,
	 .ppid = 18,
	 .markers = some_markers,
	 .marker_count = UNIT_COUNT(some_markers)},
	{.kind = EVENT_FIN, .from_device = true, .at_ns = 6000, .text = "FIN"},
	{.kind = EVENT_NOTE, .at_ns = UINT64_C(1) << 40, .text = NASTY_LINE},
};
static const struct result_line nasty_lines[] = {
	{.requirement = "MPA-8-02",
	 .level = "SHOULD",
	 .text = NASTY_LINES NASTY_OCTETS,
	 .by_model = true,
	 .event = 5},
	{.requirement = "MPA-4.4-14",
	 .level = "MUST NOT",
	 .text = "due:  a\nseen: \x1b[1mb",
	 .event = 5},
	{.requirement = "MPA-4.4-14",
	 .level = "MUST NOT",
	 .text = "due:  a\nseen: a",
	 .ok = true},
	{.requirement = "RDMAP-7.1-08",
	 .level = "MUST",
	 .text = "due:  a Terminate\nseen: none",
	 .consequence = true},
};
static const struct result_memory nasty_memory[] = {
	{.region = "region 1, STag 0x00000100 " NASTY_LINE,
	 .offset = 4092,
	 .before = memory_before,
	 .after = memory_after,
	 .octets = sizeof(memory_after),
	 .line = 1},
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
	 .capture = "captures/a b&c.pcap",
	 .events = nasty_events,
	 .event_count = UNIT_COUNT(nasty_events),
	 .lines = nasty_lines,
	 .line_count = UNIT_COUNT(nasty_lines),
	 .memory = nasty_memory,
	 .memory_count = UNIT_COUNT(nasty_memory)},
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

static const struct result_claim nasty_claims[] = {
	{"mpa-v2", ""},
	{"max-ird", "16 " NASTY_LINE},
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
	.claims = nasty_claims,
	.claim_count = UNIT_COUNT(nasty_claims),
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

/* The values that occurred, except in two cases of a journal. */
static inline struct run_result with_dimensions(void)
{
	struct run_result run = nasty;

	run.dimensions = some_dimensions;
	run.dimension_count = UNIT_COUNT(some_dimensions);
	run.unknown_met = 2;
	return run;
}

/* Some of its results are from a journal. */
static inline struct run_result with_journal(void)
{
	struct run_result run = nasty;

	run.journal = "a " NASTY_LINE NASTY_OCTETS;
	run.from_journal = 3;
	return run;
}

/* With stale deviations. */
static inline struct run_result with_stale(void)
{
	struct run_result run = nasty;

	run.stale = nasty_stale;
	run.stale_count = UNIT_COUNT(nasty_stale);
	return run;
}

/* With a crash that no case explains. */
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

/* The report as text, to be freed. */
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

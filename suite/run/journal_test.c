/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/run/journal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/unit.h"

static char path[] = "/tmp/warpspec-journal-XXXXXX";
static char why[512];

static const char *const reqs[] = {"MPA-4.4-14", "MPA-8-02"};

static struct result_broken broken[] = {
	{"MPA-8-02", "SHOULD", "RFC 5044 s8", "a statement", "due: x\nseen: y",
	 "", true},
};

static struct record sample(const char *id)
{
	return (struct record){
		.result =
			{
				.id = id,
				.title = "a title with \"quotes\"",
				.verdict = VERDICT_WARN,
				.teardown = TEARDOWN_TERMINATE_RST,
				.level = "MUST",
				.requirements = reqs,
				.requirement_count = 2,
				.role = "initiator",
				.duration_ns = 123456789012,
				.signature = "MPA-8-02",
				.broken = broken,
				.broken_count = 1,
				.reading = "crc-byte-swapped",
				.detail = "line\nand \x01 control",
				.reason = "",
				.capture = "a/b.pcap",
			},
		.cause = CAUSE_DEVICE,
		.agent_lost = true,
		.in_force = "a, b",
		.note = "noted",
	};
}

static void a_record_comes_back(void)
{
	struct record r = sample("mpa/crc/x"), back;
	char *line = record_line(&r);

	CU_ASSERT_PTR_NOT_NULL_FATAL(line);
	CU_ASSERT_PTR_NULL(strchr(line, '\n'));
	CU_ASSERT_TRUE_FATAL(record_parse(&back, line, strlen(line)));
	CU_ASSERT_STRING_EQUAL(back.result.id, "mpa/crc/x");
	CU_ASSERT_STRING_EQUAL(back.result.title, r.result.title);
	CU_ASSERT_EQUAL(back.result.verdict, VERDICT_WARN);
	CU_ASSERT_EQUAL(back.result.teardown, TEARDOWN_TERMINATE_RST);
	CU_ASSERT_STRING_EQUAL(back.result.level, "MUST");
	CU_ASSERT_EQUAL(back.result.requirement_count, 2);
	CU_ASSERT_STRING_EQUAL(back.result.requirements[1], "MPA-8-02");
	CU_ASSERT_STRING_EQUAL(back.result.role, "initiator");
	CU_ASSERT_EQUAL(back.result.duration_ns, 123456789012);
	CU_ASSERT_STRING_EQUAL(back.result.signature, "MPA-8-02");
	CU_ASSERT_STRING_EQUAL(back.result.detail, r.result.detail);
	CU_ASSERT_STRING_EQUAL(back.result.capture, "a/b.pcap");
	CU_ASSERT_EQUAL_FATAL(back.result.broken_count, 1);
	CU_ASSERT_STRING_EQUAL(back.result.broken[0].requirement, "MPA-8-02");
	CU_ASSERT_STRING_EQUAL(back.result.broken[0].level, "SHOULD");
	CU_ASSERT_STRING_EQUAL(back.result.broken[0].section, "RFC 5044 s8");
	CU_ASSERT_STRING_EQUAL(back.result.broken[0].statement, "a statement");
	CU_ASSERT_STRING_EQUAL(back.result.broken[0].text, broken[0].text);
	CU_ASSERT_TRUE(back.result.broken[0].by_model);
	CU_ASSERT_EQUAL(back.cause, CAUSE_DEVICE);
	CU_ASSERT_TRUE(back.agent_lost);
	CU_ASSERT_STRING_EQUAL(back.result.reading, "crc-byte-swapped");
	CU_ASSERT_STRING_EQUAL(back.in_force, "a, b");
	CU_ASSERT_STRING_EQUAL(back.note, "noted");
	record_release(&back);
	free(line);
}

static void what_is_no_record_is_refused(void)
{
	struct record r = sample("mpa/crc/x"), back;
	char *line = record_line(&r);

	for (size_t n = 0; n < strlen(line); n++)
		CU_ASSERT_FALSE(record_parse(&back, line, n));
	CU_ASSERT_FALSE(record_parse(&back, "{}", 2));
	CU_ASSERT_FALSE(record_parse(&back, "[1]", 3));
	free(line);
}

struct taken {
	unsigned count;
	char last[64];
};

static bool take(void *user, struct record *r)
{
	struct taken *t = user;

	t->count++;
	snprintf(t->last, sizeof(t->last), "%s", r->result.id);
	return false;
}

static void write_one(bool append, const char *id)
{
	struct journal *j = journal_open(path, append, why, sizeof(why));
	struct record r = sample(id);
	char *line = record_line(&r);

	CU_ASSERT_PTR_NOT_NULL_FATAL(j);
	CU_ASSERT_TRUE(journal_write(j, line, strlen(line), why, sizeof(why)));
	journal_close(j);
	free(line);
}

static void a_torn_line_costs_itself_alone(void)
{
	struct taken t = {0};

	write_one(false, "a");
	write_one(true, "b");
	FILE *f = fopen(path, "a");

	fputs("{\"id\":\"torn", f);
	fclose(f);
	CU_ASSERT_TRUE(journal_read(path, take, &t, why, sizeof(why)));
	CU_ASSERT_EQUAL(t.count, 2);
	write_one(true, "c");
	t.count = 0;
	CU_ASSERT_TRUE(journal_read(path, take, &t, why, sizeof(why)));
	CU_ASSERT_EQUAL(t.count, 3);
	CU_ASSERT_STRING_EQUAL(t.last, "c");
}

static void another_file_is_no_journal(void)
{
	struct taken t = {0};
	FILE *f = fopen(path, "w");

	fputs("[device]\n", f);
	fclose(f);
	CU_ASSERT_FALSE(journal_read(path, take, &t, why, sizeof(why)));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, ":1: not a record"));
	CU_ASSERT_FALSE(
		journal_read("/nowhere/at-all", take, &t, why, sizeof(why)));
	CU_ASSERT_FALSE(journal_read("/tmp", take, &t, why, sizeof(why)));
}

static void a_full_disk_is_told(void)
{
	struct journal *j = journal_open("/dev/full", false, why, sizeof(why));

	CU_ASSERT_PTR_NOT_NULL_FATAL(j);
	CU_ASSERT_FALSE(journal_write(j, "x", 1, why, sizeof(why)));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "/dev/full: No space left"));
	journal_close(j);
	CU_ASSERT_PTR_NULL(
		journal_open("/nowhere/at-all", false, why, sizeof(why)));
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"a record comes back", a_record_comes_back},
		{"what is no record is refused", what_is_no_record_is_refused},
		{"a torn line costs itself alone",
		 a_torn_line_costs_itself_alone},
		{"another file is no journal", another_file_is_no_journal},
		{"a full disk is told", a_full_disk_is_told},
	};
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	int status = unit_run("journal", tests, UNIT_COUNT(tests));

	unlink(path);
	return status;
}

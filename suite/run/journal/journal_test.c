/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/run/journal/journal.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
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
		.agent_silent = true,
		.in_force = "a, b",
		.note = "noted",
		.met = "peer-send=3,64*2",
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
	CU_ASSERT_TRUE(back.agent_silent);
	CU_ASSERT_STRING_EQUAL(back.result.reading, "crc-byte-swapped");
	CU_ASSERT_STRING_EQUAL(back.in_force, "a, b");
	CU_ASSERT_STRING_EQUAL(back.note, "noted");
	CU_ASSERT_STRING_EQUAL(back.met, "peer-send=3,64*2");
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
	unsigned heads, count;
	char last[64];
};

static bool head(void *user, const char *line, size_t n, char *said, size_t cap)
{
	struct taken *t = user;

	static const char run[] = "{\"run\":\"A\"}";

	t->heads++;
	snprintf(said, cap, "of another run");
	return n == strlen(run) && memcmp(line, run, n) == 0;
}

static bool take(void *user, struct record *r, const char *line, size_t n)
{
	struct taken *t = user;
	struct record again;

	CU_ASSERT_TRUE_FATAL(record_parse(&again, line, n));
	record_release(&again);
	t->count++;
	snprintf(t->last, sizeof(t->last), "%s", r->result.id);
	return false;
}

static bool reads(struct journal *j, struct taken *t)
{
	const struct journal_reader reader = {
		.head = head, .take = take, .user = t};

	*t = (struct taken){0};
	why[0] = '\0';
	return journal_read(j, &reader, why, sizeof(why));
}

/* As another run finds it. */
static bool holds(struct taken *t)
{
	struct journal *j = journal_open(path, JOURNAL_READ, why, sizeof(why));

	CU_ASSERT_PTR_NOT_NULL_FATAL(j);
	bool ok = reads(j, t);

	journal_close(j);
	return ok;
}

static void writes(struct journal *j, const char *id)
{
	struct record r = sample(id);
	char *line = record_line(&r);

	CU_ASSERT_TRUE(journal_write(j, line, strlen(line), why, sizeof(why)));
	free(line);
}

static struct journal *begins(const char *first)
{
	struct journal *j = journal_open(path, JOURNAL_WRITE, why, sizeof(why));

	CU_ASSERT_PTR_NOT_NULL_FATAL(j);
	CU_ASSERT_TRUE(
		journal_begin(j, first, strlen(first), why, sizeof(why)));
	return j;
}

/* A journal of three cases, a to c. */
static void three(void)
{
	struct journal *j = begins("{\"run\":\"A\"}");

	writes(j, "a");
	writes(j, "b");
	writes(j, "c");
	journal_close(j);
}

static void put(const char *mode, const char *text, size_t n)
{
	FILE *f = fopen(path, mode);

	fwrite(text, 1, n, f);
	fclose(f);
}

static char *whole(size_t *n)
{
	FILE *f = fopen(path, "r");
	char *text = malloc(1 << 16);

	*n = fread(text, 1, 1 << 16, f);
	fclose(f);
	return text;
}

static void what_was_written_is_read(void)
{
	struct taken t;

	three();
	CU_ASSERT_TRUE(holds(&t));
	CU_ASSERT_EQUAL(t.heads, 1);
	CU_ASSERT_EQUAL(t.count, 3);
	CU_ASSERT_STRING_EQUAL(t.last, "c");
	/* A new journal contains nothing of the old one. */
	journal_close(begins("{\"run\":\"A\"}"));
	CU_ASSERT_TRUE(holds(&t));
	CU_ASSERT_EQUAL(t.count, 0);
}

static void a_torn_line_costs_itself_alone(void)
{
	struct taken t;

	three();
	put("a", "{\"id\":\"torn", 11);
	CU_ASSERT_TRUE(holds(&t));
	CU_ASSERT_EQUAL(t.count, 3);

	struct journal *j = journal_open(path, JOURNAL_GO_ON, why, sizeof(why));

	CU_ASSERT_PTR_NOT_NULL_FATAL(j);
	CU_ASSERT_TRUE(reads(j, &t));
	CU_ASSERT_TRUE(journal_has_head(j));
	writes(j, "d");
	writes(j, "e");
	journal_close(j);
	CU_ASSERT_TRUE(holds(&t));
	CU_ASSERT_EQUAL(t.count, 5);
	CU_ASSERT_STRING_EQUAL(t.last, "e");
}

/* Wherever a kill cuts it, the lines before the cut are read, or there are
 * none. */
static void any_end_is_a_right_one(void)
{
	struct taken t;
	size_t n, lines = 0;

	three();
	char *text = whole(&n);

	for (size_t i = 0; i <= n; i++) {
		lines += i && text[i - 1] == '\n';
		put("w", text, i);
		CU_ASSERT_EQUAL(holds(&t), i == 0 || lines > 0);
		CU_ASSERT_EQUAL(t.count, lines ? lines - 1 : 0);
	}
	free(text);
}

static void what_was_altered_is_told(void)
{
	struct taken t;
	size_t n;
	unsigned line = 1;
	char where[128];

	three();
	char *text = whole(&n);

	for (size_t i = 0; i + 1 < n; i++) {
		if (text[i] == '\n') {
			line++;
			continue;
		}
		text[i] ^= 1;
		put("w", text, n);
		text[i] ^= 1;
		CU_ASSERT_FALSE(holds(&t));
		snprintf(where, sizeof(where), "journal %s:%u: ", path, line);
		CU_ASSERT_PTR_NOT_NULL(strstr(why, where));
		CU_ASSERT_PTR_NULL(strchr(why, '\n'));
	}
	free(text);
}

static void what_is_missing_or_moved_is_told(void)
{
	struct taken t;
	size_t n;

	three();
	char *text = whole(&n);
	char *a = strchr(text, '\n') + 1, *b = strchr(a, '\n') + 1,
	     *c = strchr(b, '\n') + 1;

	put("w", text, (size_t)(a - text));
	put("a", b, n - (size_t)(b - text));
	CU_ASSERT_FALSE(holds(&t));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, ":2: not as it was written"));
	put("w", text, (size_t)(c - text));
	put("a", b, (size_t)(c - b));
	CU_ASSERT_FALSE(holds(&t));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, ":4: not as it was written"));
	put("w", text, (size_t)(c - text));
	put("a", "{}\n", 3);
	CU_ASSERT_FALSE(holds(&t));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, ":4: not as it was written"));
	put("w", a, n - (size_t)(a - text));
	CU_ASSERT_FALSE(holds(&t));
	free(text);
}

static void another_file_is_no_journal(void)
{
	struct record r = sample("mpa/crc/x");
	char *line = record_line(&r);
	struct taken t;

	put("w", "[device]\n", 9);
	CU_ASSERT_FALSE(holds(&t));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, ":1: it does not say which run"));
	put("w", "[device]", 8);
	CU_ASSERT_FALSE(holds(&t));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, ":1: this line is cut short"));
	/* As they were before. */
	put("w", line, strlen(line));
	put("a", "\n", 1);
	CU_ASSERT_FALSE(holds(&t));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "an earlier warpspec"));
	free(line);
	journal_close(begins("{\"run\":\"another\"}"));
	CU_ASSERT_FALSE(holds(&t));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, ":1: of another run"));
	static const char *const none[] = {"/nowhere/at-all", "/tmp",
					   "/dev/zero"};

	for (size_t i = 0; i < UNIT_COUNT(none); i++)
		for (int use = JOURNAL_READ; use <= JOURNAL_GO_ON; use++)
			CU_ASSERT_PTR_NULL(journal_open(none[i],
							(enum journal_use)use,
							why, sizeof(why)));
}

/* Nothing without a valid seal is parsed, and sealed lines are parsed with
 * care. */
static void a_bomb_is_no_record(void)
{
	enum { DEEP = 200000 };
	char *bomb = malloc(DEEP + 8);
	struct taken t;

	memcpy(bomb, "{\"id\":", 6);
	memset(bomb + 6, '[', DEEP);
	bomb[6 + DEEP] = '}';

	struct journal *j = begins("{\"run\":\"A\"}");

	CU_ASSERT_TRUE(journal_write(j, bomb, DEEP + 7, why, sizeof(why)));
	journal_close(j);
	CU_ASSERT_FALSE(holds(&t));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, ":2: not a record of a case"));
	free(bomb);

	char *line = malloc(JOURNAL_LINE + 1);

	three();
	memset(line, 'x', JOURNAL_LINE + 1);
	put("a", line, JOURNAL_LINE + 1);
	CU_ASSERT_FALSE(holds(&t));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, ":5: a line of more than 1 MiB"));
	free(line);
	CU_ASSERT_EQUAL(truncate(path, (off_t)(JOURNAL_MOST + 1)), 0);
	CU_ASSERT_PTR_NULL(journal_open(path, JOURNAL_READ, why, sizeof(why)));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "at most 1073741824 are read"));
}

/* The lock of a child counts as another run's. */
static int tries(enum journal_use use)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		struct journal *j = journal_open(path, use, why, sizeof(why));

		_exit(j ? 0 : strstr(why, "another run is writing it") ? 1 : 2);
	}
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void one_run_writes(void)
{
	struct journal *j = begins("{\"run\":\"A\"}");

	CU_ASSERT_EQUAL(tries(JOURNAL_WRITE), 1);
	CU_ASSERT_EQUAL(tries(JOURNAL_GO_ON), 1);
	CU_ASSERT_EQUAL(tries(JOURNAL_READ), 1);
	writes(j, "a");
	journal_close(j);
	CU_ASSERT_EQUAL(tries(JOURNAL_WRITE), 0);
	CU_ASSERT_EQUAL(tries(JOURNAL_READ), 0);
}

static void a_full_disk_is_told(void)
{
	struct rlimit was, small;
	struct journal *j = begins("{\"run\":\"A\"}");

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &was);
	small = was;
	small.rlim_cur = 60;
	setrlimit(RLIMIT_FSIZE, &small);
	CU_ASSERT_FALSE(
		journal_write(j, "{\"of\":\"some octets\"}", 20, why, 512));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, ": File too large"));
	CU_ASSERT_FALSE(
		journal_write(j, "{\"of\":\"some octets\"}", 20, why, 512));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, ": File too large"));
	setrlimit(RLIMIT_FSIZE, &was);
	journal_close(j);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"a record comes back", a_record_comes_back},
		{"what is no record is refused", what_is_no_record_is_refused},
		{"what was written is read", what_was_written_is_read},
		{"a torn line costs itself alone",
		 a_torn_line_costs_itself_alone},
		{"any end is a right one", any_end_is_a_right_one},
		{"what was altered is told", what_was_altered_is_told},
		{"what is missing or moved is told",
		 what_is_missing_or_moved_is_told},
		{"another file is no journal", another_file_is_no_journal},
		{"a bomb is no record", a_bomb_is_no_record},
		{"one run writes", one_run_writes},
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

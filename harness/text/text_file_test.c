/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/text/text_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/unit.h"

static char path[] = "/tmp/warpspec-text-XXXXXX";
static char why[256];

static bool is_text(const char *text, size_t n)
{
	why[0] = '\0';
	return text_check("f", 1, text, n, 20, why, sizeof(why));
}
#define IS_TEXT(literal) is_text(literal, sizeof(literal) - 1)

static void text_is_text(void)
{
	CU_ASSERT_TRUE(IS_TEXT(""));
	CU_ASSERT_TRUE(IS_TEXT("a = b\r\n\tc\n\nno end"));
	CU_ASSERT_TRUE(IS_TEXT("\xef\xbb\xbf\xc3\xa9 \xe2\x82\xac\n"));
	CU_ASSERT_TRUE(IS_TEXT("12345678901234567890\r\n"));
}

static void what_is_none_is_told_with_its_line(void)
{
	static const struct {
		const char *text;
		size_t n;
		const char *says;
	} wrong[] = {
#define WRONG(text, says) {text, sizeof(text) - 1, says}
		WRONG("\0", "f:1: a NUL"),
		WRONG("a\nb\0c\n", "f:2: a NUL"),
		WRONG("a\n\nb\x1b[2J", "f:3: a control character, U+001B"),
		WRONG("a\rb\n", "f:1: a control character, U+000D"),
		WRONG("a\r", "f:1: a control character, U+000D"),
		WRONG("\x7f", "f:1: a control character, U+007F"),
		WRONG("\xc2\x9b", "f:1: a control character, U+009B"),
		WRONG("a\n\xff\n", "f:2: not UTF-8"),
		WRONG("\xc3\n", "f:1: not UTF-8"),
		WRONG("\xed\xa0\x80", "f:1: not UTF-8"),
		WRONG("\n123456789012345678901\n",
		      "f:2: a line of more than 20 octets"),
		WRONG("1234567890123456789\xc3\xa9",
		      "f:1: a line of more than 20 octets"),
	};

	for (size_t i = 0; i < UNIT_COUNT(wrong); i++) {
		CU_ASSERT_FALSE(is_text(wrong[i].text, wrong[i].n));
		CU_ASSERT_STRING_EQUAL(why, wrong[i].says);
	}
}

static const struct text_bounds bounds = {.file = 100, .line = 50};

static char *reads(const char *what)
{
	size_t n;

	why[0] = '\0';
	return text_file_read(what, &bounds, &n, NULL, why, sizeof(why));
}

static void writes(const char *text)
{
	FILE *f = fopen(path, "w");

	fputs(text, f);
	fclose(f);
}

static void a_file_is_read_whole(void)
{
	writes("one\ntwo\n");
	char *text = reads(path);

	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_STRING_EQUAL(text, "one\ntwo\n");

	struct text_lines t = {text, text + strlen(text)};
	char line[20];

	CU_ASSERT_STRING_EQUAL(text_lines_next(&t, line, 20), "one\n");
	CU_ASSERT_STRING_EQUAL(text_lines_next(&t, line, 3), "tw");
	CU_ASSERT_STRING_EQUAL(text_lines_next(&t, line, 20), "o\n");
	CU_ASSERT_PTR_NULL(text_lines_next(&t, line, 20));
	free(text);
}

static void what_is_no_file_is_refused_at_once(void)
{
	char fifo[sizeof(path) + 8];

	snprintf(fifo, sizeof(fifo), "%s.fifo", path);
	CU_ASSERT_EQUAL_FATAL(mkfifo(fifo, 0600), 0);
	CU_ASSERT_PTR_NULL(reads(fifo));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, ": not a file, but a FIFO"));
	CU_ASSERT_EQUAL(text_file_open(fifo, O_WRONLY, 1, why, sizeof(why)),
			-1);
	CU_ASSERT_PTR_NOT_NULL(strstr(why, ": not a file"));
	unlink(fifo);
	CU_ASSERT_PTR_NULL(reads("/tmp"));
	CU_ASSERT_STRING_EQUAL(why, "/tmp: not a file, but a folder");
	CU_ASSERT_PTR_NULL(reads("/dev/zero"));
	CU_ASSERT_STRING_EQUAL(why, "/dev/zero: not a file, but a device");
	CU_ASSERT_PTR_NULL(reads("/nowhere/at-all"));
	CU_ASSERT_STRING_EQUAL(why,
			       "/nowhere/at-all: No such file or directory");
}

static void a_file_has_a_bound(void)
{
	static const char line[] = "ten octets\n";

	FILE *f = fopen(path, "w");

	for (unsigned i = 0; i < 10; i++)
		fputs(line, f);
	fclose(f);
	CU_ASSERT_PTR_NULL(reads(path));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, ": 110 octets; at most 100"));
	/* Its size is reported as 0. */
	CU_ASSERT_PTR_NULL(reads("/proc/self/status"));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, ": more than 100 octets"));
}

static void a_first_line(void)
{
	char token[8];

	writes("sesame\r\nrest\n");
	CU_ASSERT_TRUE(text_file_first_line(path, token, 8, NULL, why, 256));
	CU_ASSERT_STRING_EQUAL(token, "sesame");
	writes("sesame12");
	CU_ASSERT_FALSE(text_file_first_line(path, token, 8, NULL, why, 256));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, ":1: a line of more than 7"));
	writes("\nsesame");
	CU_ASSERT_FALSE(text_file_first_line(path, token, 8, NULL, why, 256));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "its first line is empty"));
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"text is text", text_is_text},
		{"a line that is none is reported with its number",
		 what_is_none_is_told_with_its_line},
		{"a file is read whole", a_file_is_read_whole},
		{"what is no file is refused at once",
		 what_is_no_file_is_refused_at_once},
		{"a file has a bound", a_file_has_a_bound},
		{"a first line", a_first_line},
	};
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	int status = unit_run("text_file", tests, UNIT_COUNT(tests));

	unlink(path);
	return status;
}

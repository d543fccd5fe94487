/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/agent/line.h"
#include "harness/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char text[4096];
static struct line line;

static enum line_flaw request(const char *s)
{
	size_t len = strlen(s);

	memcpy(text, s, len);
	return line_parse_request(&line, text, len);
}

static enum line_flaw reply(const char *s)
{
	size_t len = strlen(s);

	memcpy(text, s, len);
	return line_parse_reply(&line, text, len);
}

static void a_request_is_a_verb_and_its_tokens(void)
{
	uint64_t n = 0;

	CU_ASSERT_EQUAL(request("listen port=0 private= rq=0x1F"), LINE_FINE);
	CU_ASSERT_EQUAL(line.kind, LINE_REQUEST);
	CU_ASSERT_STRING_EQUAL(line.verb, "listen");
	CU_ASSERT_EQUAL(line.ntokens, 3);
	CU_ASSERT_STRING_EQUAL(line_get(&line, "private"), "");
	CU_ASSERT_EQUAL(line_find(&line, "port")->value_len, 1);
	CU_ASSERT_PTR_NULL(line_get(&line, "por"));
	CU_ASSERT_PTR_NULL(line_get(&line, "ports"));
	CU_ASSERT_TRUE(line_number_of(&line, "rq", 31, &n));
	CU_ASSERT_EQUAL(n, 31);
	CU_ASSERT_FALSE(line_number_of(&line, "rq", 30, &n));
	CU_ASSERT_FALSE(line_number_of(&line, "private", 30, &n));
	CU_ASSERT_TRUE(line_number_of(&line, "absent", 30, &n));
	CU_ASSERT_EQUAL(n, 31);
	CU_ASSERT_EQUAL(request("bye"), LINE_FINE);
	CU_ASSERT_STRING_EQUAL(line.verb, "bye");
	CU_ASSERT_EQUAL(line.ntokens, 0);
	/* A value may hold an equals sign; the first one ends the key. */
	CU_ASSERT_EQUAL(request("hello impl=a=b"), LINE_FINE);
	CU_ASSERT_STRING_EQUAL(line_get(&line, "impl"), "a=b");
}

static void broken_framing_is_refused(void)
{
	CU_ASSERT_EQUAL(request(""), LINE_EMPTY);
	CU_ASSERT_EQUAL(request(" bye"), LINE_SPACING);
	CU_ASSERT_EQUAL(request("bye "), LINE_SPACING);
	CU_ASSERT_EQUAL(request("reg  a=1"), LINE_SPACING);
	CU_ASSERT_EQUAL(request("reg a=1 "), LINE_SPACING);
	CU_ASSERT_EQUAL(request("reg a=1  b=2"), LINE_SPACING);
	CU_ASSERT_EQUAL(request("bye\r"), LINE_CONTROL);
	CU_ASSERT_EQUAL(request("reg\ta=1"), LINE_CONTROL);
	CU_ASSERT_EQUAL(request("reg a=\x7f"), LINE_CONTROL);
	CU_ASSERT_EQUAL(request("reg a=\xc3\xa9"), LINE_NOT_ASCII);
	CU_ASSERT_EQUAL(request("\r\x80"), LINE_NOT_ASCII);
	CU_ASSERT_EQUAL(request("reg a"), LINE_NOT_KEY_VALUE);
	CU_ASSERT_EQUAL(request("reg =1"), LINE_NOT_KEY_VALUE);
	CU_ASSERT_EQUAL(request("reg a=1 b=2 a=1"), LINE_KEY_TWICE);
	memcpy(text, "by\0e", 4);
	CU_ASSERT_EQUAL(line_parse_request(&line, text, 4), LINE_CONTROL);
}

static void tokens_are_counted(void)
{
	char big[2048] = "v";

	for (int i = 0; i < LINE_MAX_TOKENS; i++)
		snprintf(big + strlen(big), 16, " k%d=%d", i, i);
	CU_ASSERT_EQUAL(request(big), LINE_FINE);
	CU_ASSERT_EQUAL(line.ntokens, LINE_MAX_TOKENS);
	CU_ASSERT_STRING_EQUAL(line_get(&line, "k63"), "63");
	strcat(big, " more=1");
	CU_ASSERT_EQUAL(request(big), LINE_TOO_MANY);
}

static void replies_are_of_three_kinds(void)
{
	CU_ASSERT_EQUAL(reply("OK"), LINE_FINE);
	CU_ASSERT_EQUAL(line.kind, LINE_OK);
	CU_ASSERT_EQUAL(reply("OK conn=c1"), LINE_FINE);
	CU_ASSERT_STRING_EQUAL(line_get(&line, "conn"), "c1");
	CU_ASSERT_EQUAL(reply("ev conn=c1 id=1"), LINE_FINE);
	CU_ASSERT_EQUAL(line.kind, LINE_EV);
	CU_ASSERT_EQUAL(reply("ERR bad-state a name  used twice"), LINE_FINE);
	CU_ASSERT_EQUAL(line.kind, LINE_ERR);
	CU_ASSERT_EQUAL(line.code, LINE_BAD_STATE);
	CU_ASSERT_STRING_EQUAL(line.text, "a name  used twice");
	CU_ASSERT_EQUAL(reply("ERR timeout"), LINE_FINE);
	CU_ASSERT_EQUAL(line.code, LINE_TIMEOUT);
	CU_ASSERT_STRING_EQUAL(line.text, "");
	CU_ASSERT_EQUAL(reply("ERR"), LINE_UNKNOWN_CODE);
	CU_ASSERT_EQUAL(reply("ERR oops x"), LINE_UNKNOWN_CODE);
	CU_ASSERT_EQUAL(reply("ok"), LINE_UNKNOWN_KIND);
	CU_ASSERT_EQUAL(reply("OK conn"), LINE_NOT_KEY_VALUE);
}

static void numbers_are_strict(void)
{
	static const char *const bad[] = {
		"",
		"0x",
		"x1",
		"-1",
		"+1",
		" 1",
		"1 ",
		"1a",
		"0xg",
		"0x0x1",
		"18446744073709551616",
		"99999999999999999999",
		"0x10000000000000000",
	};
	uint64_t n = 7;

	for (size_t i = 0; i < UNIT_COUNT(bad); i++)
		CU_ASSERT_FALSE(line_number(bad[i], &n));
	CU_ASSERT_EQUAL(n, 7);
	CU_ASSERT_TRUE(line_number("18446744073709551615", &n));
	CU_ASSERT_EQUAL(n, UINT64_MAX);
	CU_ASSERT_TRUE(line_number("0XffffffffFFFFFFFF", &n));
	CU_ASSERT_EQUAL(n, UINT64_MAX);
	CU_ASSERT_TRUE(line_number("0010", &n));
	CU_ASSERT_EQUAL(n, 10);
	CU_ASSERT_TRUE(line_number("0", &n));
	CU_ASSERT_EQUAL(n, 0);
}

static void hex_is_strict_and_returns(void)
{
	uint8_t octets[256], back[256];
	char hex[513];

	for (int i = 0; i < 256; i++)
		octets[i] = (uint8_t)i;
	CU_ASSERT_EQUAL(line_hex_encode(hex, octets, 256), 512);
	CU_ASSERT_EQUAL(strlen(hex), 512);
	CU_ASSERT_TRUE(line_hex_decode(hex, 512, back, 256));
	CU_ASSERT_EQUAL(memcmp(octets, back, 256), 0);
	CU_ASSERT_FALSE(line_hex_decode(hex, 512, back, 255));
	CU_ASSERT_FALSE(line_hex_decode("abc", 3, back, 256));
	CU_ASSERT_FALSE(line_hex_decode("0g", 2, back, 256));
	CU_ASSERT_FALSE(line_hex_decode("0x12", 4, back, 256));
	CU_ASSERT_TRUE(line_hex_decode("aBCd", 4, back, 2));
	CU_ASSERT_EQUAL(back[0], 0xab);
	CU_ASSERT_EQUAL(back[1], 0xcd);
	CU_ASSERT_TRUE(line_hex_decode("", 0, back, 0));
}

static void codes_have_names(void)
{
	for (int i = 1; i < LINE_CODES; i++)
		CU_ASSERT_EQUAL((int)line_code_of(line_code_name(i)), i);
	CU_ASSERT_EQUAL(line_code_of(""), LINE_CODES);
	CU_ASSERT_EQUAL(line_code_of("bad"), LINE_CODES);
	CU_ASSERT_STRING_EQUAL(line_code_name(LINE_CODES), "");
}

/* For any input the parser ends, stays inside the text, and every accepted line
 * is correct: every token lies within it. */
static void noise_is_handled_calmly(void)
{
	static const char alphabet[] = "OKERev  ==a1\r\x80";
	unsigned long fine = 0;

	srand(1);
	for (int round = 0; round < 200000; round++) {
		size_t len = (size_t)rand() % 24;
		char *s = malloc(len + 1);
		enum line_flaw flaw;

		for (size_t i = 0; i < len; i++)
			s[i] = alphabet[rand() % (sizeof(alphabet) - 1)];
		if (round % 2)
			flaw = line_parse_request(&line, s, len);
		else
			flaw = line_parse_reply(&line, s, len);
		fine += flaw == LINE_FINE;
		for (size_t i = 0; flaw == LINE_FINE && i < line.ntokens; i++) {
			const struct line_token *t = &line.tokens[i];

			CU_ASSERT_TRUE(t->key > s && t->key_len > 0);
			CU_ASSERT_TRUE(t->value + t->value_len <= s + len);
			CU_ASSERT_EQUAL(t->value[t->value_len], '\0');
		}
		free(s);
	}
	CU_ASSERT_TRUE(fine > 100);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"a request is a verb and its tokens",
		 a_request_is_a_verb_and_its_tokens},
		{"broken framing is refused", broken_framing_is_refused},
		{"tokens are counted", tokens_are_counted},
		{"replies are of three kinds", replies_are_of_three_kinds},
		{"numbers are strict", numbers_are_strict},
		{"hex is strict and returns", hex_is_strict_and_returns},
		{"codes have names", codes_have_names},
		{"noise is handled calmly", noise_is_handled_calmly},
	};

	return unit_run("line", tests, UNIT_COUNT(tests));
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/agent/line.h"

#include <string.h>

static const char *const code_names[LINE_CODES] = {
	[LINE_NO_ERROR] = "",
	[LINE_UNKNOWN_VERB] = "unknown-verb",
	[LINE_BAD_ARGUMENT] = "bad-argument",
	[LINE_BAD_STATE] = "bad-state",
	[LINE_NO_SUCH_NAME] = "no-such-name",
	[LINE_UNSUPPORTED] = "unsupported",
	[LINE_LIMIT] = "limit",
	[LINE_TIMEOUT] = "timeout",
	[LINE_AUTH] = "auth",
	[LINE_DEVICE] = "device",
};

const char *line_code_name(enum line_code code)
{
	return (unsigned)code < LINE_CODES ? code_names[code] : "";
}

enum line_code line_code_of(const char *name)
{
	for (unsigned i = LINE_NO_ERROR + 1; i < LINE_CODES; i++)
		if (strcmp(code_names[i], name) == 0)
			return (enum line_code)i;
	return LINE_CODES;
}

const char *line_flaw_text(enum line_flaw flaw)
{
	switch (flaw) {
	case LINE_FINE:
		return "nothing wrong";
	case LINE_NOT_ASCII:
		return "not ASCII";
	case LINE_CONTROL:
		return "a control character";
	case LINE_EMPTY:
		return "an empty line";
	case LINE_SPACING:
		return "a space too many";
	case LINE_NOT_KEY_VALUE:
		return "a token that is not key=value";
	case LINE_KEY_TWICE:
		return "a key given twice";
	case LINE_TOO_MANY:
		return "too many tokens";
	case LINE_UNKNOWN_CODE:
		return "an unknown error code";
	case LINE_UNKNOWN_KIND:
		return "neither OK, ERR nor ev";
	}
	return "unknown flaw";
}

/* A top bit anywhere outweighs any control character before it: it decides
 * whether the session lives. */
static enum line_flaw check_octets(const char *text, size_t len)
{
	const uint64_t ones = 0x0101010101010101ull, tops = ones << 7;
	uint64_t seen = 0, control = 0, word;

	/* Eight at once. Below 0x80, a character below 0x20 has no top bit when
	 * 0x60 is added to it, and only 0x7f has one when 1 is. */
	for (size_t i = 0; i < len; i += sizeof(word)) {
		size_t n = len - i < sizeof(word) ? len - i : sizeof(word);

		word = ones * ' ';
		memcpy(&word, text + i, n);
		seen |= word;
		word &= ~tops;
		control |= ~(word + ones * 0x60) | (word + ones);
	}
	if (seen & tops)
		return LINE_NOT_ASCII;
	return control & tops ? LINE_CONTROL : LINE_FINE;
}

static bool key_known(const struct line *line, const char *key, size_t len)
{
	for (size_t i = 0; i < line->ntokens; i++) {
		const struct line_token *t = &line->tokens[i];

		if (t->key_len == len && memcmp(t->key, key, len) == 0)
			return true;
	}
	return false;
}

/* Tokens from at to end; end[0] is writable. */
static enum line_flaw parse_tokens(struct line *line, char *at, char *end)
{
	for (;;) {
		char *stop = memchr(at, ' ', (size_t)(end - at));
		struct line_token *t;
		char *equals;

		if (!stop)
			stop = end;
		if (stop == at)
			return LINE_SPACING;
		equals = memchr(at, '=', (size_t)(stop - at));
		if (!equals || equals == at)
			return LINE_NOT_KEY_VALUE;
		if (line->ntokens == LINE_MAX_TOKENS)
			return LINE_TOO_MANY;
		if (key_known(line, at, (size_t)(equals - at)))
			return LINE_KEY_TWICE;
		t = &line->tokens[line->ntokens++];
		t->key = at;
		t->key_len = (size_t)(equals - at);
		t->value = equals + 1;
		t->value_len = (size_t)(stop - equals - 1);
		*equals = '\0';
		*stop = '\0';
		if (stop == end)
			return LINE_FINE;
		at = stop + 1;
	}
}

/* The first word; *rest is the text after its space, or NULL at the end. */
static enum line_flaw parse_word(struct line *line, char *text, size_t len,
				 char **rest)
{
	enum line_flaw flaw = check_octets(text, len);
	char *end = text + len;
	char *stop;

	line->verb = text;
	line->code = LINE_NO_ERROR;
	line->text = "";
	line->ntokens = 0;
	*end = '\0';
	*rest = NULL;
	if (flaw != LINE_FINE)
		return flaw;
	if (len == 0)
		return LINE_EMPTY;
	stop = memchr(text, ' ', len);
	if (stop == text)
		return LINE_SPACING;
	if (stop) {
		*stop = '\0';
		*rest = stop + 1;
	}
	return LINE_FINE;
}

enum line_flaw line_parse_request(struct line *line, char *text, size_t len)
{
	char *rest;
	enum line_flaw flaw = parse_word(line, text, len, &rest);

	line->kind = LINE_REQUEST;
	if (flaw != LINE_FINE || !rest)
		return flaw;
	return parse_tokens(line, rest, text + len);
}

static enum line_flaw parse_error(struct line *line, char *rest, char *end)
{
	char *stop;

	line->kind = LINE_ERR;
	if (!rest)
		return LINE_UNKNOWN_CODE;
	stop = memchr(rest, ' ', (size_t)(end - rest));
	if (stop) {
		*stop = '\0';
		line->text = stop + 1;
	}
	line->code = line_code_of(rest);
	return line->code == LINE_CODES ? LINE_UNKNOWN_CODE : LINE_FINE;
}

enum line_flaw line_parse_reply(struct line *line, char *text, size_t len)
{
	char *rest;
	enum line_flaw flaw = parse_word(line, text, len, &rest);

	line->kind = LINE_OK;
	if (flaw != LINE_FINE)
		return flaw;
	if (strcmp(line->verb, "ERR") == 0)
		return parse_error(line, rest, text + len);
	if (strcmp(line->verb, "ev") == 0)
		line->kind = LINE_EV;
	else if (strcmp(line->verb, "OK") != 0)
		return LINE_UNKNOWN_KIND;
	return rest ? parse_tokens(line, rest, text + len) : LINE_FINE;
}

const struct line_token *line_find(const struct line *line, const char *key)
{
	size_t len = strlen(key);

	for (size_t i = 0; i < line->ntokens; i++) {
		const struct line_token *t = &line->tokens[i];

		if (t->key_len == len && memcmp(t->key, key, len) == 0)
			return t;
	}
	return NULL;
}

const char *line_get(const struct line *line, const char *key)
{
	const struct line_token *t = line_find(line, key);

	return t ? t->value : NULL;
}

/* 0..15, or 16 for a character that is not a hex digit. */
static unsigned digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	if (c >= 'A' && c <= 'F')
		return (unsigned)(c - 'A') + 10;
	return 16;
}

bool line_number(const char *text, uint64_t *value)
{
	unsigned base = 10;
	uint64_t sum = 0;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		text += 2;
	}
	if (*text == '\0')
		return false;
	for (; *text; text++) {
		unsigned d = digit(*text);

		if (d >= base || sum > (UINT64_MAX - d) / base)
			return false;
		sum = sum * base + d;
	}
	*value = sum;
	return true;
}

bool line_number_of(const struct line *line, const char *key, uint64_t max,
		    uint64_t *value)
{
	const char *text = line_get(line, key);
	uint64_t number;

	if (!text)
		return true;
	if (!line_number(text, &number) || number > max)
		return false;
	*value = number;
	return true;
}

/* digit() of each character, plus one, so that other characters are zero. */
#define DIGITS(c, n)                                                           \
	[c] = (n) + 1, [(c) + 1] = (n) + 2, [(c) + 2] = (n) + 3,               \
	[(c) + 3] = (n) + 4, [(c) + 4] = (n) + 5, [(c) + 5] = (n) + 6
static const uint8_t digits_of[256] = {
	DIGITS('0', 0), ['6'] = 7,       ['7'] = 8,       ['8'] = 9,
	['9'] = 10,     DIGITS('a', 10), DIGITS('A', 10),
};
#undef DIGITS

/* Long values are what most of an agent's lines consist of. */
bool line_hex_decode(const char *text, size_t len, uint8_t *octets, size_t cap)
{
	const uint8_t *at = (const uint8_t *)text;
	bool all = true;

	if (len % 2 != 0 || len / 2 > cap)
		return false;
	for (size_t i = 0; i < len / 2; i++) {
		unsigned high = digits_of[at[2 * i]];
		unsigned low = digits_of[at[2 * i + 1]];

		all &= high && low;
		octets[i] = (uint8_t)((high - 1) << 4 | (low - 1));
	}
	return all;
}

size_t line_hex_encode(char *text, const uint8_t *octets, size_t n)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		text[2 * i] = digits[octets[i] >> 4];
		text[2 * i + 1] = digits[octets[i] & 15];
	}
	text[2 * n] = '\0';
	return 2 * n;
}

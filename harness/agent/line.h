/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One line of the agent protocol, as text: requests, replies and events. It is
 * parsed in place, without allocation, as "Framing" in the protocol requires:
 * printable ASCII, single spaces, no key twice, no CR. Both ends of the
 * protocol use this parser; it does not know the meaning of verbs.
 *
 * The caller finds the end of a line, because it owns the buffer.
 */
#ifndef HARNESS_AGENT_LINE_H
#define HARNESS_AGENT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	LINE_MAX_OCTETS = 1 << 20,    /* of one line, including its '\n' */
	LINE_MAX_TOKENS = 64,         /* key=value tokens of one line */
	LINE_MAX_HEX_BYTES = 1 << 18, /* bytes in any hex= value */
};

/* The error in a line. Only LINE_NOT_ASCII breaks the framing itself, after
 * which a session cannot continue. */
enum line_flaw {
	LINE_FINE,
	LINE_NOT_ASCII,     /* an octet with its top bit set */
	LINE_CONTROL,       /* a control character: CR, TAB, NUL, ... */
	LINE_EMPTY,         /* no first word */
	LINE_SPACING,       /* a leading, trailing or double space */
	LINE_NOT_KEY_VALUE, /* a token without '=', or with an empty key */
	LINE_KEY_TWICE,
	LINE_TOO_MANY,     /* more than LINE_MAX_TOKENS */
	LINE_UNKNOWN_CODE, /* a reply's ERR with an unknown code */
	LINE_UNKNOWN_KIND, /* a reply that is not OK, ERR or ev */
};

/* The protocol's error codes. */
enum line_code {
	LINE_NO_ERROR,
	LINE_UNKNOWN_VERB,
	LINE_BAD_ARGUMENT,
	LINE_BAD_STATE,
	LINE_NO_SUCH_NAME,
	LINE_UNSUPPORTED,
	LINE_LIMIT,
	LINE_TIMEOUT,
	LINE_AUTH,
	LINE_DEVICE,
	LINE_CODES
};

enum line_kind { LINE_REQUEST, LINE_OK, LINE_ERR, LINE_EV };

struct line_token {
	const char *key;   /* NUL-terminated, not empty */
	const char *value; /* NUL-terminated, may be empty */
	size_t key_len;
	size_t value_len;
};

/* A parsed line. Its pointers point into the text that was parsed. */
struct line {
	enum line_kind kind;
	const char *verb;    /* of a request; "OK", "ERR", "ev" otherwise */
	enum line_code code; /* of an ERR, otherwise LINE_NO_ERROR */
	const char *text;    /* of an ERR: the rest of the line, or "" */
	size_t ntokens;
	struct line_token tokens[LINE_MAX_TOKENS];
};

/*
 * Parse len octets at text, without the '\n'; text[len] must be writable (the
 * place of the '\n'). The text is changed in any case. If the result is not
 * LINE_FINE, the contents of *line are not valid.
 */
enum line_flaw line_parse_request(struct line *line, char *text, size_t len);
enum line_flaw line_parse_reply(struct line *line, char *text, size_t len);

/* A few words about a flaw, for an ERR's text or a log. Static. */
const char *line_flaw_text(enum line_flaw flaw);

/* "bad-argument" and so on; static. line_code_of returns LINE_CODES for an
 * unknown name. */
const char *line_code_name(enum line_code code);
enum line_code line_code_of(const char *name);

/* The token with this key, and its value; NULL: there is no such key. */
const struct line_token *line_find(const struct line *line, const char *key);
const char *line_get(const struct line *line, const char *key);

/* A decimal number, or a hexadecimal one after 0x or 0X, without a sign, blanks
 * or other characters. False: it is not such a number, or exceeds 64 bits;
 * *value is unchanged. */
bool line_number(const char *text, uint64_t *value);

/* The number with this key. If the key is absent, *value stays unchanged (the
 * default). False: the value is not a number, or is above max. */
bool line_number_of(const struct line *line, const char *key, uint64_t max,
		    uint64_t *value);

/* Decode len hex digits, upper or lower case, to len / 2 octets. False: len is
 * odd, a character is not a digit, or there would be more than cap octets; then
 * the octets are unspecified. */
bool line_hex_decode(const char *text, size_t len, uint8_t *octets, size_t cap);

/* Write 2 * n lower-case digits and a NUL; returns 2 * n. */
size_t line_hex_encode(char *text, const uint8_t *octets, size_t n);

#endif

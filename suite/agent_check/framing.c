/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines as octets: which of them are requests. */
#include <stdlib.h>
#include <string.h>

#include "suite/agent_check/checker.h"

#define FRAMING "Framing"

static void unknown_verb(struct checker *c)
{
	opens_session(c);
	due_err(c, LINE_UNKNOWN_VERB, "frobnicate");
	due_err(c, LINE_UNKNOWN_VERB, "frobnicate colour=red");
}

static void unknown_key(struct checker *c)
{
	opens_session(c);
	due_err(c, LINE_UNSUPPORTED, "reset colour=red");
	due(c, strcmp(c->reply.text, "colour") == 0, "ERR unsupported colour");
}

static void not_half_done(struct checker *c)
{
	opens_session(c);
	due_err(c, LINE_UNSUPPORTED,
		"reg name=half len=8 access=lw colour=red");
	due_err(c, LINE_NO_SUCH_NAME, "dump name=half off=0 len=8");
}

/* A line that is refused, after which the session continues. */
static void refused(struct checker *c, const char *line)
{
	says_octets(c, line, strlen(line));
	hears(c);
	due_code(c, LINE_BAD_ARGUMENT);
	due_ok(c, "reset");
}

static void carriage_return(struct checker *c)
{
	opens_session(c);
	refused(c, "reset\r\n");
}

static void control_characters(struct checker *c)
{
	opens_session(c);
	refused(c, "reset\t\n");
	refused(c, "state\tconn=nothing\n");
	refused(c, "state conn=\x01\n");
}

static void spaces(struct checker *c)
{
	opens_session(c);
	refused(c, "state  conn=nothing\n");
	refused(c, "state conn=nothing \n");
	refused(c, " state conn=nothing\n");
}

static void key_twice(struct checker *c)
{
	opens_session(c);
	refused(c, "state conn=nothing conn=nothing\n");
}

static void no_key_value(struct checker *c)
{
	opens_session(c);
	refused(c, "state conn\n");
	refused(c, "state =nothing\n");
	refused(c, "\n");
}

static void any_order(struct checker *c)
{
	opens_session(c);
	given(c, "reg name=a len=8 access=lw");
	due_ok(c, "fill hex=0102 off=3 name=a");
	due_ok(c, "dump len=4 name=a off=2");
	due_octets(c, "hex", "\x00\x01\x02\x00", 4);
}

static void hexadecimal(struct checker *c)
{
	opens_session(c);
	given(c, "reg name=a len=64 access=lw");
	due_ok(c, "fill name=a off=0x2A hex=aBcD");
	due_ok(c, "dump name=a off=42 len=0X2");
	due_octets(c, "hex", "\xab\xcd", 2);
}

static void no_numbers(struct checker *c)
{
	static const char *const bad[] = {
		"", "-1", "+1", "1x", "0x", "one", "18446744073709551616"};

	opens_session(c);
	given(c, "reg name=a len=64 access=lw");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		due_err(c, LINE_BAD_ARGUMENT, "dump name=a off=%s len=1",
			bad[i]);
}

static void no_hex(struct checker *c)
{
	opens_session(c);
	given(c, "reg name=a len=8 access=lw");
	due_err(c, LINE_BAD_ARGUMENT, "fill name=a off=0 hex=010");
	due_err(c, LINE_BAD_ARGUMENT, "fill name=a off=0 hex=01xy");
	due_ok(c, "dump name=a off=0 len=2");
	due_octets(c, "hex", "\0\0", 2);
}

static void many_at_once(struct checker *c)
{
	opens_session(c);
	given(c, "reg name=a len=8 access=lw");
	says(c, "fill name=a off=0 hex=01\ndump name=a off=0 len=1\n"
		"fill name=a off=0 hex=02\ndump name=a off=0 len=1");
	hears(c);
	due_done(c);
	hears(c);
	due_octets(c, "hex", "\1", 1);
	hears(c);
	due_done(c);
	hears(c);
	due_octets(c, "hex", "\2", 1);
}

static void in_pieces(struct checker *c)
{
	opens_session(c);
	given(c, "reg name=a len=8 access=lw");
	says_octets(c, "dump name=a off=0 l", 19);
	due_nothing(c);
	says_octets(c, "en=1\nres", 8);
	hears(c);
	due_octets(c, "hex", "\0", 1);
	says_octets(c, "et\n", 3);
	hears(c);
	due_done(c);
}

/* One more session breaks the framing; the other is still served. */
static void breaks_framing(struct checker *c, const char *octets, size_t n)
{
	opens_session(c);
	given(c, "reg name=kept len=8 access=lw");
	opens_session(c);
	says_octets(c, octets, n);
	hears(c);
	due_code(c, LINE_BAD_ARGUMENT);
	due_closed(c);
	on_session(c, 0);
	due_ok(c, "dump name=kept off=0 len=1");
}

static void no_ascii(struct checker *c)
{
	breaks_framing(c, "reset\xc3\xa4\nreset\n", 14);
}

static char *long_line(const char *start, size_t n)
{
	char *line = malloc(n + 1);

	if (!line)
		abort();
	memset(line, 'x', n);
	memcpy(line, start, strlen(start));
	line[n - 1] = '\n';
	return line;
}

static void longest_line(struct checker *c)
{
	char *line = long_line("state conn=", LINE_MAX_OCTETS);

	opens_session(c);
	says_octets(c, line, LINE_MAX_OCTETS);
	free(line);
	hears(c);
	due_code(c, LINE_NO_SUCH_NAME);
}

static void line_too_long(struct checker *c)
{
	static char line[LINE_MAX_OCTETS + 1];

	memset(line, 'x', sizeof(line));
	line[sizeof(line) - 1] = '\n';
	memcpy(line, "state conn=", 11);
	breaks_framing(c, line, sizeof(line));
}

static void line_without_end(struct checker *c)
{
	static char line[LINE_MAX_OCTETS];

	memset(line, 'x', sizeof(line));
	breaks_framing(c, line, sizeof(line));
}

static void unsupported_names_a_key(struct checker *c)
{
	opens_session(c);
	/* Either answer, from a device without SCTP. */
	asks(c, "listen proto=sctp markers=1");
	asks(c, "post conn=c1 id=1 op=swap swap=1");
	if (!c->misnamed[0])
		return;
	c->said_count = 0;
	notes(c, "sent", "%.190s", c->misnamed_for);
	notes(c, "came", "%.190s", c->misnamed);
	fails(c, "ERR unsupported, and a key of the request, or its verb");
}

static const struct check checks[] = {
	{FRAMING, "an unknown verb is unknown-verb", unknown_verb, 0},
	{FRAMING, "an unknown key is unsupported, and is named", unknown_key,
	 0},
	{FRAMING, "a request that is refused for a key is not half done",
	 not_half_done, 0},
	{FRAMING,
	 "a CR before the line's end is bad-argument, and the session "
	 "goes on",
	 carriage_return, 0},
	{FRAMING,
	 "a tab, or another control character, is bad-argument, and the "
	 "session "
	 "goes on",
	 control_characters, 0},
	{FRAMING,
	 "a space too many, doubled, leading or trailing, is bad-argument",
	 spaces, 0},
	{FRAMING, "a key given twice is bad-argument", key_twice, 0},
	{FRAMING,
	 "a token that is not key=value is bad-argument, and so is an empty "
	 "line",
	 no_key_value, 0},
	{FRAMING, "keys come in any order", any_order, 0},
	{FRAMING, "numbers are decimal or 0x hex, and hex has either case",
	 hexadecimal, 0},
	{FRAMING,
	 "a value that is not a number, or exceeds 64 bits, is bad-argument",
	 no_numbers, 0},
	{FRAMING,
	 "a value that is not hex is bad-argument, and changes nothing", no_hex,
	 0},
	{FRAMING, "requests sent at once are answered one by one, in order",
	 many_at_once, 0},
	{FRAMING, "a request that comes in pieces is taken when it is whole",
	 in_pieces, 0},
	{FRAMING, "a line of 1 MiB, its end included, is taken", longest_line,
	 0},
	{"What an agent must promise",
	 "octets that are not ASCII get one bad-argument, and the session's "
	 "end; another session lives on",
	 no_ascii, 0},
	{"What an agent must promise",
	 "a line of more than 1 MiB gets one bad-argument, and the session's "
	 "end",
	 line_too_long, 0},
	{"What an agent must promise",
	 "1 MiB without the end of a line gets one bad-argument, and the "
	 "session's end",
	 line_without_end, 0},
	{FRAMING, "unsupported names a key of the request, or its verb",
	 unsupported_names_a_key, 0},
};

const struct check_group framing_checks = CHECK_GROUP("framing", checks);

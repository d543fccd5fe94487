/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/decode/input.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/link/raw/capture_file.h"
#include "harness/text/text_file.h"

#define CAPTURE_MOST (1ull << 30)
#define TEXT_MOST    (64u << 20)
#define LINE_MOST    65536u

static const char neither[] = "neither hex nor a hex dump";

/* --- blocks of octets -------------------------------------------------------- */

static bool begin_block(struct input *in)
{
	if (!in->blocks)
		in->blocks = calloc(INPUT_BLOCKS, sizeof(*in->blocks));
	if (!in->blocks || in->count == INPUT_BLOCKS)
		return false;
	in->blocks[in->count++] = (struct input_block){.from = in->n};
	return true;
}

static bool add_octet(struct input *in, uint8_t octet)
{
	if (in->n == in->cap) {
		size_t cap = in->cap ? 2 * in->cap : 4096;
		uint8_t *more =
			cap <= INPUT_OCTETS ? realloc(in->octets, cap) : NULL;

		if (!more)
			return false;
		in->octets = more;
		in->cap = cap;
	}
	in->octets[in->n++] = octet;
	in->blocks[in->count - 1].n++;
	return true;
}

/* --- lines -------------------------------------------------------------------- */

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static size_t digits(const char *p)
{
	size_t n = 0;

	while (digit(p[n]) >= 0)
		n++;
	return n;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Text before the octets of a line of a dump. */
struct offset {
	bool there, colon;
	unsigned long long value;
	const char *octets;
};

/*
 * "00000010: 0017 4143  ..AC" is xxd's, "	0x0010:  0017 4143" tcpdump's,
 * "00000010  00 17 41 43  |..AC|" hexdump's, "0010  00 17 41 43   ..AC" tshark's.
 */
static struct offset offset_of(const char *p)
{
	struct offset o = {false, false, 0, NULL};
	bool dumped;

	while (is_blank(*p))
		p++;
	dumped = p[0] == '0' && p[1] == 'x';
	const char *number = p + (dumped ? 2 : 0);
	size_t n = digits(number);

	if (n < 4 || n > 16)
		return o;
	o.value = strtoull(number, NULL, 16);
	p = number + n;
	if (*p == ':' && is_blank(p[1])) {
		o.there = o.colon = true;
		o.octets = p + 1;
	} else if (!dumped && is_blank(p[0]) && is_blank(p[1])) {
		while (is_blank(*p))
			p++;
		o.there = digits(p) == 2 && !digits(p + 2);
		o.octets = p;
	}
	return o;
}

/* The end of the hex digits on a line, where a dump begins to show the
 * characters. */
enum line_end {
	AT_ITS_END,        /* plain: nothing is shown */
	AT_TWO_BLANKS,     /* after a colon */
	AT_SIXTEEN_OCTETS, /* or three blanks */
};

/* Text before a group. After a colon there are only blanks. */
static size_t skip_separators(const char **p, bool colon)
{
	size_t n = 0;

	while (is_blank(**p) ||
	       (!colon && (**p == ':' || **p == '-' || **p == ','))) {
		n++;
		(*p)++;
	}
	return n;
}

/* One group of n digits. False: why. */
static bool add_group(struct input *in, const char *p, size_t n,
		      const char **why)
{
	if (n == 0) {
		*why = neither;
		return false;
	}
	if (n % 2) {
		*why = "an odd number of digits";
		return false;
	}
	for (; n; n -= 2, p += 2)
		if (!add_octet(in, (uint8_t)(digit(p[0]) << 4 | digit(p[1])))) {
			*why = "more octets than warpspec reads, or out of "
			       "memory";
			return false;
		}
	return true;
}

/* Groups of digits up to there. False: not hex. */
static bool add_groups(struct input *in, const char *p, enum line_end end,
		       const char **why)
{
	const size_t before = in->n;
	bool any = false, colon = end == AT_TWO_BLANKS;

	for (;;) {
		size_t blanks = skip_separators(&p, colon), n;

		if (!*p || *p == '|' || *p == '#' ||
		    (colon && any && blanks > 1) ||
		    (end == AT_SIXTEEN_OCTETS &&
		     ((any && blanks > 2) || in->n - before >= 16)))
			return true;
		if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
			p += 2;
		n = digits(p);
		/* xxd and tcpdump show the characters next to a short last
		 * line. */
		if (n == 0 && colon && any)
			return true;
		if (!add_group(in, p, n, why))
			return false;
		p += n;
		any = true;
	}
}

struct lines {
	const char *at, *end;
	unsigned number;
	char line[LINE_MOST];
};

/* False: there is no other one. */
static bool next_line(struct lines *l)
{
	size_t n;

	if (l->at >= l->end)
		return false;
	const char *end = memchr(l->at, '\n', (size_t)(l->end - l->at));

	n = (size_t)((end ? end : l->end) - l->at);
	l->number++;
	l->line[0] = '\0';
	if (n < LINE_MOST) {
		memcpy(l->line, l->at, n);
		l->line[n] = '\0';
		while (n && isspace((unsigned char)l->line[n - 1]))
			l->line[--n] = '\0';
	}
	l->at += n;
	l->at = end ? end + 1 : l->end;
	return true;
}

static bool refuse(char *why, size_t cap, const char *name, unsigned line,
		   const char *what)
{
	if (line)
		snprintf(why, cap, "%.300s:%u: %s", name, line, what);
	else
		snprintf(why, cap, "%.300s: %s", name, what);
	return false;
}

static bool is_dump(struct lines l)
{
	while (next_line(&l))
		if (offset_of(l.line).there)
			return true;
	return false;
}

/* A line of another kind, for example tcpdump's own, ends a block. */
static bool parse_dump(struct input *in, const char *name, struct lines *l,
		       char *why, size_t cap)
{
	bool open = false;
	const char *what;

	while (next_line(l)) {
		const struct offset o = offset_of(l->line);

		if (!o.there) {
			open = false;
			continue;
		}
		if (!open || !o.value) {
			if (!begin_block(in))
				return refuse(why, cap, name, l->number,
					      "more dumps than warpspec reads");
			open = true;
		}
		if (o.value != in->blocks[in->count - 1].n)
			return refuse(why, cap, name, l->number,
				      "unexpected offset: lines of the dump "
				      "are missing");
		if (!add_groups(in, o.octets,
				o.colon ? AT_TWO_BLANKS : AT_SIXTEEN_OCTETS,
				&what))
			return refuse(why, cap, name, l->number, what);
	}
	return true;
}

/* An empty line ends a block. */
static bool parse_plain(struct input *in, const char *name, struct lines *l,
			char *why, size_t cap)
{
	bool open = false,
	     one_line = !memchr(l->at, '\n', (size_t)(l->end - l->at));
	const char *what;

	while (next_line(l)) {
		const char *p = l->line;

		while (is_blank(*p))
			p++;
		if (!*p)
			open = false;
		if (!*p || *p == '#')
			continue;
		if (!open && !begin_block(in))
			return refuse(why, cap, name, l->number,
				      "more blocks than warpspec reads");
		open = true;
		if (!add_groups(in, p, AT_ITS_END, &what))
			return refuse(why, cap, name, one_line ? 0 : l->number,
				      what);
	}
	return true;
}

bool input_parse(struct input *in, const char *name, const char *text, size_t n,
		 char *why, size_t cap)
{
	static struct lines l;

	if (memchr(text, '\0', n))
		return refuse(why, cap, name, 0,
			      "neither a capture nor text; give octets as hex");
	l.at = text;
	l.end = text + n;
	l.number = 0;
	if (is_dump(l) ? !parse_dump(in, name, &l, why, cap)
		       : !parse_plain(in, name, &l, why, cap))
		return false;
	if (!in->n)
		return refuse(why, cap, name, 0, "it has no octets");
	return true;
}

/* --- packets of a dump ---------------------------------------------------------- */

static unsigned get16(const uint8_t *at)
{
	return (unsigned)(at[0] << 8 | at[1]);
}

/* TCP over IP, by its version, length and protocol. */
static bool is_ip(const uint8_t *o, size_t n)
{
	if (n < 40)
		return false;
	if (o[0] >> 4 == 6)
		return get16(o + 4) + 40u <= n && o[6] == 6;
	return o[0] >> 4 == 4 && (o[0] & 15) >= 5 && get16(o + 2) >= 40 &&
	       get16(o + 2) <= n && o[9] == 6;
}

/* tcpdump's -x begins with IP, its -xx and tshark's -x with the link. Octets
 * beyond the IP length are padding. */
static bool is_packet(const uint8_t *o, size_t n, enum captured_link *link)
{
	unsigned type = n > 14 ? get16(o + 12) : 0;

	*link = CAPTURED_IP;
	if (is_ip(o, n))
		return true;
	*link = CAPTURED_ETHERNET;
	return (type == 0x0800 || type == 0x86dd) && is_ip(o + 14, n - 14);
}

/* The headers are removed from the blocks. */
static bool take_packets(struct input *in)
{
	enum captured_link link;
	size_t left = 0;

	for (size_t i = 0; i < in->count; i++) {
		const struct input_block b = in->blocks[i];

		if (!is_packet(in->octets + b.from, b.n, &link))
			in->blocks[left++] = b;
		else if (!captured_packet(&in->captured, link,
					  in->octets + b.from, b.n, b.n, 0))
			return false;
	}
	in->count = left;
	return true;
}

/* --- files ----------------------------------------------------------------------- */

static bool read_capture(struct input *in, const char *path, FILE *f, char *why,
			 size_t cap)
{
	char said[CAPTURED_WHY];
	int fd = dup(fileno(f));
	FILE *again;

	if (!captured_read(&in->captured, f, said)) {
		if (fd >= 0)
			close(fd);
		return refuse(why, cap, path, 0, said);
	}
	/* The same packets once more, for SCTP. */
	again = fd >= 0 && lseek(fd, 0, SEEK_SET) == 0 ? fdopen(fd, "rb")
						       : NULL;
	if (again) {
		chunks_read(&in->chunks, again);
		if (!in->chunks.failed)
			return true;
	} else if (fd >= 0) {
		close(fd);
	}
	return refuse(why, cap, path, 0,
		      again ? "out of memory"
			    : "it cannot be read a second time");
}

static bool read_text(struct input *in, const char *path, char *why, size_t cap)
{
	const struct text_bounds bounds = {TEXT_MOST, LINE_MOST - 1};
	size_t n;
	char *text = text_file_read(path, &bounds, &n, NULL, why, cap);
	bool ok = text && input_parse(in, path, text, n, why, cap);

	free(text);
	return ok;
}

static bool read_file(struct input *in, const char *path, char *why, size_t cap)
{
	uint8_t magic[4] = {0};
	int fd = text_file_open(path, O_RDONLY, CAPTURE_MOST, why, cap);

	if (fd < 0)
		return false;
	ssize_t n = pread(fd, magic, sizeof(magic), 0);

	if (n == sizeof(magic) && capture_file_is(magic)) {
		FILE *f = fdopen(fd, "rb");

		if (f)
			return read_capture(in, path, f, why, cap);
		close(fd);
		return refuse(why, cap, path, 0, strerror(errno));
	}
	close(fd);
	if (n == 0)
		return refuse(why, cap, path, 0, "it is empty");
	return read_text(in, path, why, cap);
}

static bool read_words(struct input *in, char *const *words, size_t n,
		       char *why, size_t cap)
{
	size_t octets = 0;

	for (size_t i = 0; i < n; i++)
		octets += strlen(words[i]) + 1;
	char *text = calloc(1, octets + 1);

	if (!text)
		return refuse(why, cap, words[0], 0, "out of memory");
	for (size_t i = 0; i < n; i++) {
		strcat(text, words[i]);
		if (i + 1 < n)
			strcat(text, " ");
	}
	struct lines l = {.at = text, .end = text + strlen(text)};
	bool ok = parse_plain(in, n == 1 ? words[0] : "hex", &l, why, cap);

	free(text);
	if (!ok && n == 1 && strstr(why, neither))
		snprintf(why, cap, "%.300s: neither a file nor hex", words[0]);
	if (ok && !in->n)
		return refuse(why, cap, "decode", 0, "no octets given");
	return ok;
}

bool input_read(struct input *in, char *const *words, size_t n, char *why,
		size_t cap)
{
	struct stat st;

	*in = (struct input){.n = 0};
	bool ok = n == 1 && stat(words[0], &st) == 0
			  ? read_file(in, words[0], why, cap)
			  : read_words(in, words, n, why, cap);

	if (!ok)
		return false;
	if (take_packets(in) && captured_end(&in->captured))
		return true;
	return refuse(why, cap, words[0], 0, "out of memory");
}

void input_free(struct input *in)
{
	captured_free(&in->captured);
	chunks_free(&in->chunks);
	free(in->octets);
	free(in->blocks);
	*in = (struct input){.n = 0};
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program as text: a line for each stream, region and step, with the numbers
 * that are not zero as KEY=VALUE, or only KEY for 1. Lines may have a comment
 * after '#'.
 */
#include "suite/explore/generate.h"
#include "suite/explore/program.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_LINE "warpspec program 1"
#define LINE_MOST  1024

enum kind { NUMBER, WORD, FLAG, RIGHTS, RTRS, FAULTS, STARTUPS };

struct key {
	const char *name;
	enum kind kind;
};

static const struct key stream_keys[STREAM_NUMBERS] = {
	[STREAM_INITIATES] = {"initiator", FLAG},
	[STREAM_ENHANCED] = {"enhanced", FLAG},
	[STREAM_RTR] = {"rtr", RTRS},
	[STREAM_CRC_OFF] = {"crc-off", FLAG},
	[STREAM_MARKERS] = {"markers-to-peer", FLAG},
	[STREAM_DUT_MARKERS] = {"markers-to-device", FLAG},
	[STREAM_DUT_RTR] = {"device-rtr", RTRS},
	[STREAM_REVISION_2] = {"revision-2", FLAG},
	[STREAM_IRD] = {"ird", NUMBER},
	[STREAM_ORD] = {"ord", NUMBER},
	[STREAM_PEER_IRD] = {"peer-ird", NUMBER},
	[STREAM_PEER_ORD] = {"peer-ord", NUMBER},
	[STREAM_PRIVATE] = {"private-data", NUMBER},
	[STREAM_DUT_PRIVATE] = {"device-private-data", NUMBER},
	[STREAM_MSS] = {"mss", NUMBER},
	[STREAM_FAULT] = {"fault", STARTUPS},
	[STREAM_FAULT_AT] = {"fault-at", NUMBER},
};

static const struct key region_keys[REGION_NUMBERS] = {
	[REGION_LEN] = {"len", NUMBER},
	[REGION_ACCESS] = {"access", RIGHTS},
	[REGION_ALIGN] = {"align", NUMBER},
	[REGION_SKEW] = {"skew", NUMBER},
	[REGION_ZERO_BASED] = {"zero-based", FLAG},
	[REGION_STREAM] = {"stream", NUMBER},
};

static const struct key step_keys[STEP_NUMBERS] = {
	[STEP_STREAM] = {"stream", NUMBER},
	[STEP_REGION] = {"region", NUMBER},
	[STEP_OFF] = {"off", NUMBER},
	[STEP_LEN] = {"len", NUMBER},
	[STEP_SEGMENT] = {"segment", NUMBER},
	[STEP_CUT] = {"cut", NUMBER},
	[STEP_ROOM] = {"room", NUMBER},
	[STEP_INTO] = {"into", NUMBER},
	[STEP_TO] = {"to", WORD},
	[STEP_INV] = {"invalidates", NUMBER},
	[STEP_A] = {"a", WORD},
	[STEP_A_MASK] = {"a-mask", WORD},
	[STEP_B] = {"b", WORD},
	[STEP_B_MASK] = {"b-mask", WORD},
	[STEP_SHARED] = {"shared", FLAG},
	[STEP_SE] = {"se", FLAG},
	[STEP_FENCE] = {"fence", FLAG},
	[STEP_HOLD] = {"hold", FLAG},
	[STEP_TURN] = {"turn", FLAG},
	[STEP_BACKWARDS] = {"backwards", FLAG},
	[STEP_FAULT] = {"fault", FAULTS},
};

static const char *const op_names[STEP_OPS] = {
	[PEER_SENDS] = "peer-sends",
	[PEER_WRITES] = "peer-writes",
	[PEER_READS] = "peer-reads",
	[PEER_ADDS] = "peer-fetchadds",
	[PEER_SWAPS] = "peer-cmpswaps",
	[PEER_IMMEDIATE] = "peer-sends-immediate",
	[DUT_SENDS] = "device-sends",
	[DUT_WRITES] = "device-writes",
	[DUT_READS] = "device-reads",
	[DUT_ADDS] = "device-fetchadds",
	[DUT_SWAPS] = "device-cmpswaps",
	[DUT_IMMEDIATE] = "device-sends-immediate",
	[DUT_WRITES_IMMEDIATE] = "device-writes-immediate",
	[SETTLE] = "settle",
	[PEER_TERMINATES] = "peer-terminates",
	[PEER_CLOSES] = "peer-closes",
	[PEER_RESETS] = "peer-resets",
	[DUT_CLOSES] = "device-closes",
};

static const char *const fault_names[STEP_FAULTS] = {
	[FAULT_NONE] = "none",
#define FAULT(ident, name, text, ops) [FAULT_##ident] = (name),
#include "suite/explore/faults.def"
#undef FAULT
};

static const char *const startup_names[STARTUP_FAULTS] = {
	[STARTUP_RIGHT] = "none",
#define STARTUP(ident, name, text, responder, initiator)                       \
	[STARTUP_##ident] = (name),
#include "suite/explore/startups.def"
#undef STARTUP
};

static const char *const right_names[] = {"local-write", "remote-read",
					  "remote-write", "remote-atomic"};
static const char *const rtr_names[] = {"send", "write", "read"};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

const char *step_op_name(enum step_op op)
{
	return op_names[op];
}

const char *step_fault_name(enum step_fault f)
{
	return fault_names[f];
}

const char *stream_fault_name(uint64_t f)
{
	return startup_names[f];
}

/* --- written -------------------------------------------------------------------- */

static void write_bits(uint64_t v, const char *const *names, size_t n,
		       FILE *out)
{
	const char *apart = "";

	for (size_t i = 0; i < n; i++)
		if (v & 1ull << i) {
			fprintf(out, "%s%s", apart, names[i]);
			apart = ",";
		}
}

static void write_numbers(const uint64_t *v, const struct key *keys, size_t n,
			  FILE *out)
{
	for (size_t i = 0; i < n; i++) {
		if (!v[i])
			continue;
		fprintf(out, " %s", keys[i].name);
		if (keys[i].kind == FLAG)
			continue;
		putc('=', out);
		if (keys[i].kind == RIGHTS)
			write_bits(v[i], right_names, COUNT(right_names), out);
		else if (keys[i].kind == RTRS)
			write_bits(v[i], rtr_names, COUNT(rtr_names), out);
		else if (keys[i].kind == FAULTS)
			fputs(fault_names[v[i]], out);
		else if (keys[i].kind == STARTUPS)
			fputs(startup_names[v[i]], out);
		else
			fprintf(out,
				keys[i].kind == WORD ? "0x%" PRIx64
						     : "%" PRIu64,
				v[i]);
	}
}

void step_write(const struct step *s, FILE *out)
{
	fputs(op_names[s->op], out);
	write_numbers(s->n, step_keys, STEP_NUMBERS, out);
}

bool program_write(const struct program *p, FILE *out)
{
	fprintf(out, "%s\n# seed %" PRIu64 ", program %" PRIu64 "\n",
		FIRST_LINE, p->seed, p->number);
	for (unsigned i = 0; i < p->streams; i++) {
		fputs("stream", out);
		write_numbers(p->stream[i], stream_keys, STREAM_NUMBERS, out);
		putc('\n', out);
	}
	for (unsigned i = 0; i < p->regions; i++) {
		fputs("region", out);
		write_numbers(p->region[i], region_keys, REGION_NUMBERS, out);
		putc('\n', out);
	}
	for (unsigned i = 0; i < p->steps; i++) {
		step_write(&p->step[i], out);
		putc('\n', out);
	}
	return !ferror(out);
}

/* --- read ------------------------------------------------------------------------- */

static bool read_bits(const char *text, const char *const *names, size_t n,
		      uint64_t *v)
{
	*v = 0;
	while (*text) {
		size_t len = strcspn(text, ","), i = 0;

		while (i < n && (strlen(names[i]) != len ||
				 strncmp(names[i], text, len) != 0))
			i++;
		if (i == n)
			return false;
		*v |= 1ull << i;
		text += len + (text[len] == ',');
	}
	return true;
}

static bool read_name(const char *text, const char *const *names, size_t n,
		      uint64_t *v)
{
	for (*v = 0; *v < n; ++*v)
		if (strcmp(names[*v], text) == 0)
			return true;
	return false;
}

static bool read_value(const struct key *k, const char *text, uint64_t *v)
{
	char *end;

	switch (k->kind) {
	case RIGHTS:
		return read_bits(text, right_names, COUNT(right_names), v);
	case RTRS:
		return read_bits(text, rtr_names, COUNT(rtr_names), v);
	case FAULTS:
		return read_name(text, fault_names, STEP_FAULTS, v);
	case STARTUPS:
		return read_name(text, startup_names, STARTUP_FAULTS, v);
	default:
		errno = 0;
		*v = strtoull(text, &end, 0);
		return *text >= '0' && *text <= '9' && !*end && !errno;
	}
}

/* One KEY or KEY=VALUE. False: one line in why. */
static bool read_pair(char *pair, const struct key *keys, size_t n, uint64_t *v,
		      char *why, size_t cap)
{
	char *value = strchr(pair, '=');
	size_t i = 0;

	if (value)
		*value++ = '\0';
	while (i < n && strcmp(keys[i].name, pair) != 0)
		i++;
	if (i == n) {
		snprintf(why, cap, "there is no '%.40s' here", pair);
		return false;
	}
	if (!value == (keys[i].kind == FLAG) &&
	    (value ? read_value(&keys[i], value, &v[i]) : (v[i] = 1)))
		return true;
	snprintf(why, cap, "%s: %s", pair,
		 keys[i].kind == FLAG ? "it takes no value"
				      : "its value is not valid");
	return false;
}

/* Where its numbers are stored, and their names; NULL: no room, or no such
 * word. */
static uint64_t *begin_line(struct program *p, const char *word,
			    const struct key **keys, size_t *n)
{
	if (strcmp(word, "stream") == 0 && p->streams < PROGRAM_STREAMS) {
		*keys = stream_keys;
		*n = STREAM_NUMBERS;
		return p->stream[p->streams++];
	}
	if (strcmp(word, "region") == 0 && p->regions < PROGRAM_REGIONS) {
		*keys = region_keys;
		*n = REGION_NUMBERS;
		return p->region[p->regions++];
	}
	for (unsigned op = 0; op < STEP_OPS && p->steps < PROGRAM_STEPS; op++)
		if (strcmp(op_names[op], word) == 0) {
			struct step *s = &p->step[p->steps++];

			*s = (struct step){.op = (enum step_op)op};
			*keys = step_keys;
			*n = STEP_NUMBERS;
			return s->n;
		}
	return NULL;
}

static bool read_line(struct program *p, char *line, char *why, size_t cap)
{
	char *rest = line, *word;
	const struct key *keys;
	size_t n;

	/* Its origin, which is only a comment. */
	if (sscanf(line, "# seed %" SCNu64 ", program %" SCNu64, &p->seed,
		   &p->number) == 2)
		return true;
	line[strcspn(line, "#")] = '\0';
	word = strtok_r(rest, " \t\r", &rest);
	if (!word)
		return true;
	uint64_t *v = begin_line(p, word, &keys, &n);

	if (!v) {
		snprintf(why, cap,
			 "'%.40s': not a stream, region or step, or too many "
			 "of them",
			 word);
		return false;
	}
	while ((word = strtok_r(rest, " \t\r", &rest)))
		if (!read_pair(word, keys, n, v, why, cap))
			return false;
	return true;
}

bool program_read(struct program *p, const char *name, const char *text,
		  size_t n, char *why, size_t cap)
{
	const char *end = text + n;
	unsigned number = 0;

	memset(p, 0, offsetof(struct program, step));
	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		size_t len = (size_t)((stop ? stop : end) - text);
		char line[LINE_MOST], said[256] = "";
		bool ok = len < sizeof(line);

		number++;
		snprintf(said, sizeof(said), "the line is too long");
		if (ok) {
			memcpy(line, text, len);
			line[len] = '\0';
			if (number == 1) {
				ok = strcmp(line, FIRST_LINE) == 0;
				snprintf(said, sizeof(said),
					 "not a program: its first line is "
					 "'" FIRST_LINE "'");
			} else {
				ok = read_line(p, line, said, sizeof(said));
			}
		}
		if (!ok) {
			snprintf(why, cap, "%s:%u: %s", name, number, said);
			return false;
		}
		text += len + 1;
	}
	if (!number) {
		snprintf(why, cap, "%s:1: it is empty", name);
		return false;
	}
	program_fit(p);
	return true;
}

/* --- one line of it -------------------------------------------------------------- */

/* If that matters. */
#define NOTHING " len=0"

void avoided_write(const struct avoided *a, char text[AVOIDED_TEXT])
{
	uint64_t n[32] = {0}; /* a bit each */
	unsigned fault = a->stream ? STREAM_FAULT : STEP_FAULT;
	FILE *out = fmemopen(text, AVOIDED_TEXT, "w");

	text[0] = '\0';
	for (unsigned i = 0; i < sizeof(n) / sizeof(n[0]); i++)
		n[i] = a->numbers >> i & 1;
	if (n[fault])
		n[fault] = a->fault;
	if (!out)
		return;
	fputs(a->stream ? "stream" : op_names[a->op], out);
	if (a->empty)
		fputs(NOTHING, out);
	if (a->stream)
		write_numbers(n, stream_keys, STREAM_NUMBERS, out);
	else
		write_numbers(n, step_keys, STEP_NUMBERS, out);
	fclose(out);
}

static bool says_nothing(const char *text)
{
	const char *at = strstr(text, NOTHING);
	char behind = at ? at[sizeof(NOTHING) - 1] : '0';

	return at && at < text + strcspn(text, "#") &&
	       (behind == '\0' || behind == ' ');
}

bool avoided_read(const char *text, struct avoided *a, char *why, size_t cap)
{
	static struct program p;
	char line[AVOIDED_TEXT];
	const uint64_t *n;
	unsigned fault, count;

	memset(&p, 0, offsetof(struct program, step));
	snprintf(line, sizeof(line), "%s", text);
	if (!read_line(&p, line, why, cap))
		return false;
	if (p.streams + p.steps != 1) {
		snprintf(why, cap, "neither a stream nor a step of a program");
		return false;
	}
	*a = (struct avoided){.stream = p.streams, .op = p.step[0].op};
	a->empty =
		says_nothing(text) && !a->stream && step_has(a->op, STEP_LEN);
	n = p.streams ? p.stream[0] : p.step[0].n;
	fault = p.streams ? STREAM_FAULT : STEP_FAULT;
	count = p.streams ? STREAM_NUMBERS : STEP_NUMBERS;
	a->fault = n[fault];
	for (unsigned i = 0; i < count; i++)
		a->numbers |= n[i] ? 1u << i : 0;
	return true;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The axes that a requirement has, from its layer, its actor, its section and
 * the words of its sentence.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "harness/wire/rdmap.h"
#include "suite/catalogue/axes.h"

#define OP(name)   (1u << RDMAP_##name)
#define SENDS      (OP(SEND) | OP(SEND_INV) | OP(SEND_SE) | OP(SEND_SE_INV))
#define READS      (OP(READ_REQUEST) | OP(READ_RESPONSE))
#define IMMEDIATES (OP(IMM) | OP(IMM_SE))
#define ATOMICS    (OP(ATOMIC_REQUEST) | OP(ATOMIC_RESPONSE))
#define TAGGED     (OP(WRITE) | OP(READ_RESPONSE))
#define UNTAGGED                                                               \
	(SENDS | OP(READ_REQUEST) | OP(TERMINATE) | IMMEDIATES | ATOMICS)
#define ALL          (TAGGED | UNTAGGED)
#define WITH_PAYLOAD (TAGGED | SENDS)
#define REMOTE       (OP(WRITE) | OP(READ_REQUEST) | OP(ATOMIC_REQUEST))
/* Of DDP: tagged if it is about an STag or a TO, else untagged. */
#define BY_FIELD (1u << 31)

enum {
	KIND_SEGMENT,
	KIND_LENGTH,
	KIND_TO,
	KIND_MSN,
	KIND_MO,
	KIND_PRIVATE,
	KIND_ULPDU,
	KIND_COUNT,
	KIND_STAG,
	KIND_MSN_PART,
	KIND_PAGE,
	KINDS
};
#define KIND(name) (1u << KIND_##name)

static const struct {
	const char *text;
	unsigned opcodes, kinds;
} words[] = {
#define WORD(text, opcodes, kinds) {text, opcodes, kinds},
#include "suite/catalogue/axes_words.def"
#undef WORD
};

static const struct {
	const char *spec, *section;
	unsigned opcodes, kinds;
} sections[] = {
#define SECTION(spec, section, opcodes, kinds) {spec, section, opcodes, kinds},
#include "suite/catalogue/axes_words.def"
#undef SECTION
};

struct subject {
	unsigned opcodes, kinds;
};

/* The first word that the text begins with; returns its octets. */
static size_t take_word(struct subject *s, const char *text)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = strlen(words[i].text);

		if (strncmp(text, words[i].text, n) != 0 ||
		    isalnum((unsigned char)text[n]))
			continue;
		s->opcodes |= words[i].opcodes;
		s->kinds |= words[i].kinds;
		return n;
	}
	return strcspn(text, " (-");
}

static struct subject named_by(const char *text)
{
	struct subject s = {0};

	while (*text) {
		text += take_word(&s, text);
		while (*text && !isalnum((unsigned char)*text))
			text++;
	}
	return s;
}

static void add_section(struct subject *s, const struct req *r)
{
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		size_t n = strlen(sections[i].section);

		if (strcmp(r->spec, sections[i].spec) != 0 ||
		    strncmp(r->section, sections[i].section, n) != 0 ||
		    isdigit((unsigned char)r->section[n]))
			continue;
		s->kinds |= sections[i].kinds;
		if (!s->opcodes && sections[i].opcodes != BY_FIELD)
			s->opcodes = sections[i].opcodes;
		else if (!s->opcodes)
			s->opcodes = s->kinds & (KIND(STAG) | KIND(TO))
					     ? TAGGED
					     : UNTAGGED;
		return;
	}
}

/* Whether it is the device that sends what the row is about. */
static bool is_of_sender(const struct req *r)
{
	return strcmp(r->actor, "sender") == 0 ||
	       strcmp(r->actor, "requester") == 0;
}

static void add_all(struct axes *s, enum axis a)
{
	for (size_t p = 0; p < axis_points(a); p++)
		axes_add(s, a, p);
}

/* Requests and Responses go opposite ways. */
static void add_opcodes(struct axes *s, const struct req *r, unsigned opcodes)
{
	unsigned responses = OP(READ_RESPONSE) | OP(ATOMIC_RESPONSE);
	bool asks = strcmp(r->actor, "requester") == 0;
	bool answers = strcmp(r->actor, "responder") == 0;

	for (unsigned op = 0; op < AXIS_OPCODES; op++) {
		bool by_dut = is_of_sender(r);

		/* Elsewhere a Terminate is the answer, not the stimulus. */
		if (!(opcodes >> op & 1) || (op == RDMAP_TERMINATE && !by_dut &&
					     strcmp(r->section, "4.1") != 0 &&
					     strcmp(r->section, "5.4") != 0))
			continue;
		if ((asks || answers) && responses >> op & 1)
			by_dut = !by_dut;
		axes_add(s, by_dut ? AXIS_DUT_OPCODE : AXIS_PEER_OPCODE, op);
	}
}

/* The field holds these, or a device has room for them. */
static void add_quantity(struct axes *s, enum axis a)
{
	static const struct {
		enum axis peer, dut;
		const char *without; /* words of points, a blank on each side */
	} lack[] = {
		{AXIS_PEER_TO, AXIS_DUT_TO, " mulpdu-1 mulpdu mulpdu+1 "},
		/* MSN 2^32 is MSN 0. */
		{AXIS_PEER_MSN, AXIS_DUT_MSN,
		 " mulpdu-1 mulpdu mulpdu+1 2^32 2^32+1 "},
		/* Of messages: 16 MiB are long. */
		{AXIS_PEER_MO, AXIS_DUT_MO,
		 " mulpdu-1 mulpdu mulpdu+1 2^31-1 2^31 2^31+1 2^32-1 2^32 "
		 "2^32+1 "},
		{AXIS_PEER_LENGTH, AXIS_DUT_LENGTH,
		 " 2^31-1 2^31 2^31+1 2^32-1 2^32 2^32+1 "},
		/* A receiver need not take an FPDU beyond MULPDU. */
		{AXIS_PEER_ULPDU, AXIS_DUT_ULPDU,
		 " 0 1 2^12-1 2^12 2^12+1 2^16-1 2^16 2^16+1 2^24-1 2^24 "
		 "2^24+1 2^31-1 2^31 2^31+1 2^32-1 2^32 2^32+1 mulpdu+1 "},
		/* At most 512 octets. */
		{AXIS_PEER_PRIVATE, AXIS_DUT_PRIVATE,
		 " 2^12-1 2^12 2^12+1 2^16-1 2^16 2^16+1 2^24-1 2^24 2^24+1 "
		 "2^31-1 2^31 2^31+1 2^32-1 2^32 2^32+1 mulpdu-1 mulpdu "
		 "mulpdu+1 "},
	};
	const char *without = "";
	char word[32];

	for (size_t i = 0; i < sizeof(lack) / sizeof(lack[0]); i++)
		if (a == lack[i].peer || a == lack[i].dut)
			without = lack[i].without;
	for (size_t p = 0; p < axis_points(a); p++) {
		snprintf(word, sizeof(word), " %s ", axis_point(a, p));
		if (!strstr(without, word))
			axes_add(s, a, p);
	}
}

static void add_kinds(struct axes *s, const struct req *r,
		      const struct subject *of)
{
	/* In the order of the kinds: by the peer, by the device. */
	static const enum axis quantities[][2] = {
		[KIND_LENGTH] = {AXIS_PEER_LENGTH, AXIS_DUT_LENGTH},
		[KIND_TO] = {AXIS_PEER_TO, AXIS_DUT_TO},
		[KIND_MSN] = {AXIS_PEER_MSN, AXIS_DUT_MSN},
		[KIND_MO] = {AXIS_PEER_MO, AXIS_DUT_MO},
		[KIND_PRIVATE] = {AXIS_PEER_PRIVATE, AXIS_DUT_PRIVATE},
		[KIND_ULPDU] = {AXIS_PEER_ULPDU, AXIS_DUT_ULPDU},
	};
	bool by_dut = is_of_sender(r);

	for (unsigned k = KIND_LENGTH; k <= KIND_ULPDU; k++)
		if (of->kinds >> k & 1)
			add_quantity(s, quantities[k][by_dut]);
	/* Other messages have one segment. */
	if (of->kinds & KIND(SEGMENT) && of->opcodes & WITH_PAYLOAD)
		add_all(s, by_dut ? AXIS_DUT_SEGMENT : AXIS_PEER_SEGMENT);
	if (of->kinds & KIND(COUNT))
		add_all(s, by_dut ? AXIS_DUT_COUNT : AXIS_PEER_COUNT);
	/* The device's own names are its ULP's choice. */
	if (by_dut)
		return;
	if (of->kinds & KIND(STAG))
		add_all(s, AXIS_PEER_STAG);
	if (of->kinds & KIND(MSN_PART))
		add_all(s, AXIS_PEER_MSN_PART);
	if (of->kinds & KIND(PAGE))
		add_all(s, AXIS_PEER_PAGE);
}

struct axes axes_of_requirement(const struct req *r)
{
	bool startup =
		strcmp(r->layer, "MPA") == 0 || strcmp(r->layer, "SCTP") == 0;
	struct subject of = named_by(r->requirement);
	struct axes s = {{0}};

	add_section(&of, r);
	/* The lower layers see no messages. */
	if (startup) {
		of.opcodes = 0;
		of.kinds &= KIND(PRIVATE) | KIND(ULPDU);
	}
	if (!startup || strcmp(r->actor, "initiator") != 0)
		axes_add(&s, AXIS_ROLE, ROLE_IS_RESPONDER);
	if (!startup || strcmp(r->actor, "responder") != 0)
		axes_add(&s, AXIS_ROLE, ROLE_IS_INITIATOR);
	add_all(&s, AXIS_STREAM);
	add_opcodes(&s, r, of.opcodes);
	add_kinds(&s, r, &of);
	return s;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/reading/reading.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

/*
 * Pictures. A letter is a bit of the field of that name (an octet where the
 * group's unit is 8), most significant first as the octets are sent; a point
 * is a reserved bit. In a device's picture the letters of a field that come
 * first are its most significant ones; as a capital, its least significant
 * ones. Blanks are for readability.
 */
static const struct reading_group_desc groups[READING_GROUPS] = {
	[READING_CRC] = {"the CRC field", "RFC 5044 s4.4", 4, 8, "cccc"},
	/* TO in two halves, the more significant one as h */
	[READING_TAGGED] = {"STag and TO", "RFC 5041 s4.2", 12, 8,
			    "ssss hhhhllll"},
	[READING_UNTAGGED] = {"QN, MSN and MO", "RFC 5041 s4.3", 12, 8,
			      "qqqq mmmm oooo"},
	/* Layer, error Type, error Code; M, D, R */
	[READING_TERMINATE] = {"the Terminate control word", "RFC 5040 s4.8", 4,
			       1, "lllltttt cccccccc mdr..... ........"},
	[READING_MPA_ERROR] = {"the error type of an error of MPA",
			       "RFC 6580 s3.3", 4, 1,
			       "lllltttt cccccccc mdr..... ........"},
	/* A and B, C and D. IRD is i, k, j from its most significant bit on,
	 * and ORD o, q, p: so that its parts can be in any order. */
	[READING_REQUEST] = {"the enhanced data of a Request", "RFC 6581 s9", 4,
			     1, "abiiiiii kkjjjjjj cdoooooo qqpppppp"},
	[READING_REPLY] = {"the enhanced data of a Reply", "RFC 6581 s9", 4, 1,
			   "abiiiiii kkjjjjjj cdoooooo qqpppppp"},
	/* Add or Swap Data, its mask; Compare Data, its mask */
	[READING_ATOMIC_REQUEST] = {"the operands of an Atomic Request",
				    "RFC 7306 s5.2.1", 32, 8,
				    "dddddddd mmmmmmmm cccccccc nnnnnnnn"},
	[READING_ATOMIC_RESPONSE] = {"the value of an Atomic Response",
				     "RFC 7306 s5.2.2", 8, 8, "vvvvvvvv"},
	[READING_IMMEDIATE] = {"Immediate Data", "RFC 7306 s6.2", 8, 8,
			       "iiiiiiii"},
};

/* A value of the first octet that readings of the group interpret as
 * another. */
static const struct value {
	uint8_t sent, meant;
} values[READING_GROUPS] = {
	[READING_MPA_ERROR] = {0x23, 0x20},
};

static const struct reading table[] = {
	{READING_CRC, "crc-byte-swapped", "CCCC",
	 "sends the CRC most significant octet first"},

	{READING_TAGGED, "tagged-little-endian", "SSSS LLLLHHHH",
	 "sends STag and TO least significant octet first"},
	{READING_TAGGED, "stag-little-endian", "SSSS hhhhllll",
	 "sends STags least significant octet first"},
	{READING_TAGGED, "to-little-endian", "ssss LLLLHHHH",
	 "sends TOs least significant octet first"},
	{READING_TAGGED, "to-halves-exchanged", "ssss llllhhhh",
	 "sends the less significant half of a TO first"},
	{READING_TAGGED, "stag-behind-to", "hhhhllll ssss",
	 "sends the TO before the STag"},

	{READING_UNTAGGED, "untagged-little-endian", "QQQQ MMMM OOOO",
	 "sends QN, MSN and MO least significant octet first"},
	{READING_UNTAGGED, "qn-little-endian", "QQQQ mmmm oooo",
	 "sends QN least significant octet first"},
	{READING_UNTAGGED, "msn-little-endian", "qqqq MMMM oooo",
	 "sends MSN least significant octet first"},
	{READING_UNTAGGED, "msn-and-mo-exchanged", "qqqq oooo mmmm",
	 "exchanges MSN and MO"},
	{READING_UNTAGGED, "qn-and-msn-exchanged", "mmmm qqqq oooo",
	 "exchanges QN and MSN"},

	{READING_TERMINATE, "terminate-layer-type-swapped",
	 "ttttllll cccccccc mdr..... ........",
	 "sends the error type before the layer"},
	{READING_TERMINATE, "terminate-flags-mirrored",
	 "lllltttt cccccccc .....rdm ........",
	 "sends M, D and R as the lowest bits of their octet, with M the "
	 "lowest"},
	{READING_TERMINATE, "terminate-flags-low",
	 "lllltttt cccccccc .....mdr ........",
	 "sends M, D and R as the lowest bits of their octet, with R the "
	 "lowest"},
	{READING_TERMINATE, "terminate-bit-fields-from-the-lowest",
	 "ttttllll cccccccc .....rdm ........",
	 "fills the octets of the control word from their lowest bit on"},
	{READING_TERMINATE, "terminate-exchanged-and-flags-low",
	 "ttttllll cccccccc .....mdr ........",
	 "sends the error type before the layer, and M, D and R as the lowest "
	 "bits of their octet"},
	{READING_TERMINATE, "terminate-little-endian",
	 "........ mdr..... cccccccc lllltttt",
	 "sends the control word least significant octet first"},
	{READING_TERMINATE, "terminate-little-endian-and-exchanged",
	 "........ mdr..... cccccccc ttttllll",
	 "sends the control word least significant octet first, with the error "
	 "type before the layer"},
	{READING_TERMINATE, "terminate-fields-in-reverse",
	 "........ .....rdm cccccccc ttttllll",
	 "fills the control word from its lowest bit on"},
	{READING_TERMINATE, "terminate-halves-little-endian",
	 "cccccccc lllltttt ........ mdr.....",
	 "sends each half of the control word least significant octet first"},
	{READING_TERMINATE, "terminate-octets-mirrored",
	 "TTTTLLLL CCCCCCCC .....rdm ........",
	 "sends every octet of the control word lowest bit first"},
	{READING_TERMINATE, "terminate-word-mirrored",
	 "........ .....rdm CCCCCCCC TTTTLLLL",
	 "sends the control word lowest bit first"},

	/* RFC 5041 s7.2 keeps type 3 for the LLP. */
	{READING_MPA_ERROR, "mpa-error-type-3",
	 "lllltttt cccccccc mdr..... ........",
	 "names the errors of MPA under error type 3"},

#define ENHANCED(which, name)                                                  \
	{which, name "-ird-ord-little-endian",                                 \
	 "kkjjjjjj abiiiiii qqpppppp cdoooooo",                                \
	 "sends the words of IRD and ORD least significant octet first"},      \
		{which, name "-ird-ord-swapped",                               \
		 "aboooooo qqpppppp cdiiiiii kkjjjjjj",                        \
		 "sends ORD where IRD stands, and IRD where ORD stands"},      \
		{which, name "-enhanced-little-endian",                        \
		 "qqpppppp cdoooooo kkjjjjjj abiiiiii",                        \
		 "sends the enhanced data, as one word, least significant "    \
		 "octet first"},                                               \
		{which, name "-enhanced-flags-low",                            \
		 "iiiiiikk jjjjjjba ooooooqq ppppppdc",                        \
		 "sends the flags as the lowest bits of the words of IRD "     \
		 "and ORD"},                                                   \
	{                                                                      \
		which, name "-enhanced-bit-fields-from-the-lowest",            \
			"jjjjjjba iiiiiikk ppppppdc ooooooqq",                 \
			"fills the words of IRD and ORD from their lowest "    \
			"bit on"                                               \
	}
	ENHANCED(READING_REQUEST, "request"),
	ENHANCED(READING_REPLY, "reply"),

	{READING_ATOMIC_REQUEST, "atomic-operands-little-endian",
	 "DDDDDDDD MMMMMMMM CCCCCCCC NNNNNNNN",
	 "sends all four operands least significant octet first"},
	{READING_ATOMIC_REQUEST, "atomic-data-little-endian",
	 "DDDDDDDD mmmmmmmm cccccccc nnnnnnnn",
	 "sends Add or Swap Data least significant octet first"},

	{READING_ATOMIC_RESPONSE, "atomic-response-value-little-endian",
	 "VVVVVVVV", "sends the original value least significant octet first"},

	{READING_IMMEDIATE, "imm-sent-byte-swapped", "IIIIIIII",
	 "sends Immediate Data last octet first"},
};

#define TABLE_ROWS (sizeof(table) / sizeof(table[0]))
_Static_assert(TABLE_ROWS < 64, "a bit of reading_seen.fits for each");

const struct reading_group_desc *reading_group(enum reading_group g)
{
	return &groups[g];
}

const struct reading *reading_table(size_t *count)
{
	*count = TABLE_ROWS;
	return table;
}

/* --- pictures ------------------------------------------------------------- */

/* For each bit in the RFC's picture, its place in the other picture. */
struct places {
	unsigned n;
	uint16_t at[READING_OCTETS_MAX * 8];
};

static unsigned letters(const char *picture, char letter)
{
	unsigned n = 0;

	for (; *picture; picture++)
		n += *picture == letter;
	return n;
}

/* The place of a letter's nth occurrence, in letters. */
static unsigned place_of(const char *picture, char letter, unsigned nth)
{
	unsigned at = 0;

	for (;; picture++) {
		if (*picture == ' ')
			continue;
		if (*picture == letter && nth-- == 0)
			return at;
		at++;
	}
}

/* False: the pictures do not have the same bits. */
static bool places_of(const struct reading *r, struct places *p)
{
	const struct reading_group_desc *g = &groups[r->group];
	unsigned unit = g->unit, at = 0;

	p->n = g->octets * 8;
	for (const char *c = g->picture; *c; c++) {
		if (*c == ' ')
			continue;
		char capital = (char)toupper((unsigned char)*c);
		unsigned all = letters(g->picture, *c);
		unsigned nth = letters(g->picture, *c) - letters(c, *c);
		unsigned as_is = letters(r->picture, *c);
		bool reversed = as_is == 0 && letters(r->picture, capital);

		if (reversed ? letters(r->picture, capital) != all
			     : as_is != all)
			return false;
		unsigned from =
			reversed ? place_of(r->picture, capital, all - 1 - nth)
				 : place_of(r->picture, *c, nth);

		for (unsigned b = 0; b < unit; b++)
			p->at[at++] = (uint16_t)(from * unit + b);
	}
	return at == p->n;
}

bool reading_is_sound(const struct reading *r)
{
	struct places p;
	bool taken[READING_OCTETS_MAX * 8] = {false};

	if (groups[r->group].octets > READING_OCTETS_MAX || !places_of(r, &p))
		return false;
	for (unsigned i = 0; i < p.n; i++) {
		if (p.at[i] >= p.n || taken[p.at[i]])
			return false;
		taken[p.at[i]] = true;
	}
	return true;
}

static bool bit_of(const uint8_t *octets, unsigned i)
{
	return octets[i / 8] >> (7 - i % 8) & 1;
}

static void set_bit(uint8_t *octets, unsigned i, bool v)
{
	octets[i / 8] |= (uint8_t)(v << (7 - i % 8));
}

void reading_meant(const struct reading *r, const uint8_t *sent, uint8_t *meant)
{
	struct places p;
	const struct value *v = &values[r->group];
	bool sound = places_of(r, &p);

	assert(sound);
	(void)sound;
	memset(meant, 0, p.n / 8);
	for (unsigned i = 0; i < p.n; i++)
		set_bit(meant, i, bit_of(sent, p.at[i]));
	if (v->sent && meant[0] == v->sent)
		meant[0] = v->meant;
}

void reading_sent(const struct reading *r, const uint8_t *meant, uint8_t *sent)
{
	struct places p;
	bool sound = places_of(r, &p);
	const struct value *v = &values[r->group];

	assert(sound);
	(void)sound;
	memset(sent, 0, p.n / 8);
	for (unsigned i = 0; i < p.n; i++)
		set_bit(sent, p.at[i], bit_of(meant, i));
	if (v->sent && meant[0] == v->meant)
		sent[0] = v->sent;
}

bool reading_fields_differ(enum reading_group g, const char *fields,
			   const uint8_t *a, const uint8_t *b)
{
	const char *c = groups[g].picture;
	unsigned at = 0;

	for (; *c; c++) {
		if (*c == ' ')
			continue;
		for (unsigned i = 0; i < groups[g].unit; i++, at++)
			if (strchr(fields, *c) &&
			    bit_of(a, at) != bit_of(b, at))
				return true;
	}
	return false;
}

void readings_names(const struct readings *r, char *text, size_t cap)
{
	size_t n = 0;

	text[0] = '\0';
	for (unsigned g = 0; g < READING_GROUPS && n < cap; g++)
		if (r->of[g])
			n += (size_t)snprintf(text + n, cap - n, "%s%s",
					      n ? ", " : "", r->of[g]->name);
}

/* --- which one is it ------------------------------------------------------ */

#define RFC 1ull

static uint64_t bit_of_row(size_t row)
{
	return 2ull << row;
}

/* The bits of all readings of a group that arrived. */
static uint64_t rows_of(enum reading_group g)
{
	uint64_t rows = 0;

	for (size_t i = 0; i < TABLE_ROWS; i++)
		if (table[i].group == g)
			rows |= bit_of_row(i);
	return rows;
}

void reading_observe(struct reading_evidence *e, const uint8_t *sent,
		     bool (*is_due)(const uint8_t *meant, const void *arg),
		     const void *arg)
{
	uint8_t meant[READING_OCTETS_MAX];

	if (e->n == READING_EVIDENCE)
		return;
	struct reading_seen *s = &e->seen[e->n++];

	*s = (struct reading_seen){.fits = is_due(sent, arg) ? RFC : 0};
	memcpy(s->octets, sent, groups[e->group].octets);
	for (size_t i = 0; i < TABLE_ROWS; i++) {
		if (table[i].group != e->group)
			continue;
		reading_meant(&table[i], sent, meant);
		if (is_due(meant, arg))
			s->fits |= bit_of_row(i);
	}
}

/* The readings that fit whatever the RFC's fits. */
static uint64_t candidates(const struct reading_evidence *e)
{
	uint64_t left = rows_of(e->group);

	for (unsigned i = 0; i < e->n; i++)
		if (e->seen[i].fits & RFC)
			left &= e->seen[i].fits;
	return left;
}

bool reading_settled(const struct reading_evidence *e)
{
	return candidates(e) == 0;
}

/* How many observations it explains that the RFC's reading does not; 0: not
 * enough. */
static unsigned explains(const struct reading_evidence *e, uint64_t row)
{
	const struct reading_seen *first = NULL;
	unsigned more = 0, stray = 0;
	bool different = false;

	for (unsigned i = 0; i < e->n; i++) {
		const struct reading_seen *s = &e->seen[i];

		if (s->fits & RFC)
			continue;
		if (!(s->fits & row)) {
			stray++;
			continue;
		}
		more++;
		if (!first)
			first = s;
		different |= memcmp(first->octets, s->octets,
				    sizeof(s->octets)) != 0;
	}
	return (different || values[e->group].sent) && more > stray ? more : 0;
}

static bool agree(const struct reading_evidence *e, const struct reading *a,
		  const struct reading *b)
{
	uint8_t as_a[READING_OCTETS_MAX], as_b[READING_OCTETS_MAX];

	for (unsigned i = 0; i < e->n; i++) {
		reading_meant(a, e->seen[i].octets, as_a);
		reading_meant(b, e->seen[i].octets, as_b);
		if (memcmp(as_a, as_b, groups[e->group].octets) != 0)
			return false;
	}
	return true;
}

const struct reading *reading_choose(const struct reading_evidence *e)
{
	uint64_t left = candidates(e);
	const struct reading *found = NULL;
	unsigned most = 1;
	bool several = false;

	for (size_t i = 0; i < TABLE_ROWS; i++) {
		unsigned more =
			left & bit_of_row(i) ? explains(e, bit_of_row(i)) : 0;

		if (more < most || more == 0)
			continue;
		if (more > most || !found) {
			found = &table[i];
			several = false;
		} else if (!agree(e, found, &table[i])) {
			several = true;
		}
		most = more;
	}
	return several ? NULL : found;
}

void reading_adopt(struct readings *r, const struct reading_evidence *e)
{
	const struct reading *found = reading_choose(e);
	unsigned i = 0;

	r->of[e->group] = found;
	if (!found)
		return;
	while (e->seen[i].fits & RFC ||
	       !(e->seen[i].fits & bit_of_row((size_t)(found - table))))
		i++;
	memcpy(r->sent[e->group], e->seen[i].octets, READING_OCTETS_MAX);
}

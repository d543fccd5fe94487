/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/reread.h"

#include <string.h>

#include "harness/crc/crc.h"
#include "harness/wire/mpa.h"
#include "suite/test.h"

#define LINES_MAX 8 /* of a case's detail */

/* --- where a group stands ------------------------------------------------- */

/* A group inside the ULPDU. */
struct place {
	unsigned opcodes; /* a bit for each; 0: not in a ULPDU */
	unsigned at;      /* octets from the start of the ULPDU */
	bool tagged;      /* of tagged messages, else of untagged */
	bool first_only;  /* of these, the segment with MO 0 */
};

#define BIT(opcode) (1u << (opcode))
#define BEHIND(n)   (DDP_UNTAGGED_OCTETS + (n))

static const struct place places[READING_GROUPS] = {
	[READING_TAGGED] = {.opcodes = 0xffff, .at = 2, .tagged = true},
	[READING_UNTAGGED] = {.opcodes = 0xffff, .at = 6},
	[READING_TERMINATE] = {.opcodes = BIT(RDMAP_TERMINATE),
			       .at = BEHIND(0),
			       .first_only = true},
	[READING_ATOMIC_REQUEST] = {.opcodes = BIT(RDMAP_ATOMIC_REQUEST),
				    .at = BEHIND(20),
				    .first_only = true},
	[READING_ATOMIC_RESPONSE] = {.opcodes = BIT(RDMAP_ATOMIC_RESPONSE),
				     .at = BEHIND(4),
				     .first_only = true},
	[READING_IMMEDIATE] = {.opcodes = BIT(RDMAP_IMM) | BIT(RDMAP_IMM_SE),
			       .at = BEHIND(0),
			       .first_only = true},
};

const uint8_t *reread_place(const struct frame *f, enum reading_group g)
{
	const struct place *p = &places[g];
	const struct ddp *d = &f->seg.ddp;

	if (g == READING_CRC)
		return f->fpdu->crc;
	if (!p->opcodes || f->seg.short_header || d->tagged != p->tagged ||
	    !(p->opcodes & BIT(d->opcode)) || (p->first_only && d->mo) ||
	    f->fpdu->ulpdu_length < p->at + reading_group(g)->octets)
		return NULL;
	return f->fpdu->ulpdu + p->at;
}

const uint8_t *reread_enhanced(const uint8_t *octets, size_t n)
{
	struct mpa_startup f;

	if (!mpa_startup_decode(&f, octets, n) || !(f.flags & MPA_S) ||
	    f.private_octets < MPA_ENHANCED_OCTETS)
		return NULL;
	return f.private_data;
}

/* --- reading anew --------------------------------------------------------- */

static void remember(struct test *t, const struct reading *r,
		     const uint8_t *sent, const uint8_t *meant,
		     const struct frame *f, const struct frame *f_meant)
{
	struct reread *x = test_alloc(t, sizeof(*x));

	*x = (struct reread){r, sent, meant, f, f_meant, NULL};
	if (t->reread_last)
		t->reread_last->next = x;
	else
		t->reread = x;
	t->reread_last = x;
}

/* What was meant by a group; NULL where that is what was sent. */
static const uint8_t *meant_by(struct test *t, const struct reading *r,
			       const uint8_t *sent)
{
	unsigned n = reading_group(r->group)->octets;
	uint8_t *meant = test_alloc(t, n);

	reading_meant(r, sent, meant);
	return memcmp(sent, meant, n) == 0 ? NULL : meant;
}

/* A frame whose ULPDU and FPDU can be changed, with its octets as they are. */
static struct frame *copy_of(struct test *t, const struct frame *f,
			     struct fpdu **fpdu)
{
	size_t n = offsetof(struct fpdu, marker) +
		   f->fpdu->marker_count * sizeof(f->fpdu->marker[0]);
	struct frame *copy = test_alloc(t, sizeof(*copy));
	uint8_t *ulpdu = test_alloc(t, f->fpdu->ulpdu_length);

	*fpdu = test_alloc(t, n);
	memcpy(*fpdu, f->fpdu, n);
	memcpy(ulpdu, f->fpdu->ulpdu, f->fpdu->ulpdu_length);
	(*fpdu)->ulpdu = ulpdu;
	*copy = *f;
	copy->fpdu = *fpdu;
	ddp_decode(&copy->seg, ulpdu, f->fpdu->ulpdu_length);
	return copy;
}

/* The octets of the whole FPDU as they would have been sent. A CRC that was
 * right is so again, over other octets. */
static void put_together(struct test *t, struct frame *f, struct fpdu *fpdu,
			 bool changed)
{
	uint8_t *octets = test_alloc(t, f->n);
	size_t covered = f->n - FPDU_CRC_OCTETS;

	if (fpdu_encode(fpdu, octets, f->n) != f->n)
		return; /* no whole FPDU: it is shown as it came */
	if (changed && f->crc_ok) {
		crc_put(fpdu->crc, crc32c(octets, covered));
		memcpy(octets + covered, fpdu->crc, FPDU_CRC_OCTETS);
	}
	f->octets = octets;
}

/* The CRC of the octets as they were sent, in the field as it was meant. */
static bool verifies(const struct frame *sent, const uint8_t *crc)
{
	return sent->n >= FPDU_CRC_OCTETS &&
	       crc32c(sent->octets, sent->n - FPDU_CRC_OCTETS) == crc_get(crc);
}

const struct frame *reread_frame(struct test *t, const struct frame *f)
{
	const struct readings *in_force = &t->env->readings;
	struct fpdu *fpdu = NULL;
	struct frame *copy = NULL;
	bool changed = false;

	for (unsigned g = 0; g < READING_GROUPS; g++) {
		const struct reading *r = in_force->of[g];
		const uint8_t *sent =
			r ? reread_place(copy ? copy : f, g) : NULL;
		const uint8_t *meant = sent ? meant_by(t, r, sent) : NULL;
		size_t n = reading_group(g)->octets;

		if (!meant || (g == READING_CRC && !verifies(f, meant)))
			continue;
		size_t at = g == READING_CRC
				    ? 0
				    : (size_t)(sent -
					       (copy ? copy : f)->fpdu->ulpdu);

		if (!copy)
			copy = copy_of(t, f, &fpdu);
		remember(t, r, memcpy(test_alloc(t, n), sent, n), meant, f,
			 copy);
		if (g == READING_CRC) {
			memcpy(fpdu->crc, meant, n);
			copy->crc_ok = true;
			continue;
		}
		memcpy((uint8_t *)(uintptr_t)fpdu->ulpdu + at, meant, n);
		ddp_decode(&copy->seg, fpdu->ulpdu, fpdu->ulpdu_length);
		changed = true;
	}
	if (!copy)
		return f;
	put_together(t, copy, fpdu, changed);
	return copy;
}

const struct frame *reread_again(const struct test *t, const struct frame *f)
{
	for (const struct reread *x = t->reread; x; x = x->next)
		if (x->frame == f)
			return x->frame_meant;
	return f;
}

const char *test_frame_hex(struct test *t, const struct frame *f, size_t max)
{
	for (const struct reread *x = t->reread; x; x = x->next)
		if (x->frame_meant == f)
			return test_hex(t, x->frame->octets, x->frame->n, max);
	return test_hex(t, f->octets, f->n, max);
}

const uint8_t *reread_startup(struct test *t, bool request,
			      const uint8_t *octets, size_t n)
{
	const struct reading *r =
		t->env->readings.of[request ? READING_REQUEST : READING_REPLY];
	const uint8_t *sent = r ? reread_enhanced(octets, n) : NULL;
	const uint8_t *meant = sent ? meant_by(t, r, sent) : NULL;

	if (!meant)
		return octets;
	uint8_t *copy = memcpy(test_alloc(t, n), octets, n);

	memcpy(copy + (sent - octets), meant, MPA_ENHANCED_OCTETS);
	remember(t, r, sent, meant, NULL, NULL);
	return copy;
}

/* Flags stand in for all that is not known: those of the RFC's errors. */
bool reread_told(struct test *t, const struct reading *r, const uint8_t *told,
		 const uint8_t *due, size_t n)
{
	static const uint8_t flags[] = {0x00, 0xc0, 0xe0};
	size_t octets = reading_group(r->group)->octets;
	uint8_t *word = test_alloc(t, octets), *seen = test_alloc(t, octets);

	for (size_t i = 0; i < sizeof(flags); i++) {
		memset(word, 0, octets);
		memcpy(word, due, n);
		word[n] = flags[i];
		reading_sent(r, word, seen);
		if (memcmp(seen, told, n) != 0) {
			reading_meant(r, word, seen);
			if (memcmp(seen, told, n) != 0)
				continue;
		}
		remember(t, r, seen, word, NULL, NULL);
		return true;
	}
	return false;
}

/* --- telling it ----------------------------------------------------------- */

const char *reread_text(struct test *t, const struct frame *f)
{
	const char *text = "";

	for (const struct reread *x = t->reread; x; x = x->next)
		if (x->frame_meant == f)
			text = test_format(t, "%s%s%s", text, *text ? ", " : "",
					   x->reading->name);
	return text;
}

const char *reread_names(struct test *t)
{
	struct readings used = {0};
	char names[512];

	for (const struct reread *x = t->reread; x; x = x->next)
		used.of[x->reading->group] = x->reading;
	readings_names(&used, names, sizeof(names));
	return test_format(t, "%s", names);
}

const char *reread_lines(struct test *t)
{
	const char *text = "";
	unsigned lines = 0;

	for (const struct reread *x = t->reread; x && lines < LINES_MAX;
	     x = x->next, lines++) {
		const struct reading_group_desc *g =
			reading_group(x->reading->group);

		text = test_format(t,
				   "%s%s (%s) read as %s:\n  sent:  %s\n"
				   "  meant: %s\n",
				   text, g->name, g->section, x->reading->name,
				   test_hex(t, x->sent, g->octets, g->octets),
				   test_hex(t, x->meant, g->octets, g->octets));
	}
	return text;
}

/* --- the octets as sent --------------------------------------------------- */

/* Octets of this group that are not where they belong, and what they mean:
 * of this case, or else of the probes. False: there are none. */
static bool find_displaced(struct test *t, enum reading_group g,
			   const char *fields, const uint8_t **sent,
			   const uint8_t **meant)
{
	const struct readings *in_force = &t->env->readings;
	bool came = false;

	for (const struct reread *x = t->reread; x; x = x->next) {
		if (x->reading->group != g)
			continue;
		came = true;
		*sent = x->sent;
		*meant = x->meant;
		if (reading_fields_differ(g, fields, *sent, *meant))
			return true;
	}
	if (came || !in_force->of[g])
		return false;
	*sent = in_force->sent[g];
	*meant = meant_by(t, in_force->of[g], *sent);
	return *meant && reading_fields_differ(g, fields, *sent, *meant);
}

static bool is_placed(struct test *t, const struct expect *e)
{
	const struct reading_group_desc *g = reading_group(e->a);
	const struct reading *r = t->env->readings.of[e->a];
	const uint8_t *sent, *meant;

	if (!find_displaced(t, e->a, e->p, &sent, &meant)) {
		test_due(t, "%s as %s draws it", g->name, g->section);
		test_seen(t, "so it is");
		return true;
	}
	test_due(t, "%s (%s): %s", g->name, g->section,
		 test_hex(t, meant, g->octets, g->octets));
	test_seen(t, "%s: the device always %s (reading %s)",
		  test_hex(t, sent, g->octets, g->octets), r->note, r->name);
	return false;
}

struct expect placed(enum reading_group group, const char *fields)
{
	return (struct expect){.holds = is_placed, .a = group, .p = fields};
}

void told_once(struct test *t)
{
	if (t->in->role == INITIATOR && t->env->claims & NEED_RESPONDER)
		not_applicable(t, "told of the device as responder");
}

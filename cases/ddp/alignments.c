/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 5041 s4.2, s5.2: TO is octet granular. Messages of 1 to 16 octets, of
 * which each begins at the same place in a word of memory.
 */
#include "case.h"

#define SLOT    64u /* octets, for a message of each length */
#define LEAST   1u
#define LENGTHS 16u

struct place {
	CASE_ROW;
	unsigned off; /* octets behind the start of a word */
};

#define AT(n)                                                                  \
	{                                                                      \
		.id = #n, .off = (n)                                           \
	}
static const struct place places[] = {AT(0), AT(1), AT(2), AT(3),
				      AT(4), AT(5), AT(6), AT(7)};

static size_t slot(const struct place *p, unsigned i)
{
	return (size_t)i * SLOT + 8 + p->off;
}

CASE_EACH(
	writes_are_placed, struct place, places,
	.title = "Writes of 1 to 16 octets are placed whole from this octet of "
		 "a word on",
	.needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer, */
	struct region r =
		dut_registers(t, .len = LENGTHS * SLOT, .access = FOR_WRITES);
	uint8_t *due = (uint8_t *)(uintptr_t)octets_of(t, LENGTHS * SLOT, 0);
	connects(t);

	/* when the peer writes 1 octet, 2, and so on, */
	for (unsigned i = 0; i < LENGTHS; i++) {
		const uint8_t *p = pattern(t, LEAST + i, i);

		memcpy(due + slot(row, i), p, LEAST + i);
		peer_sends(t, WRITE(r, slot(row, i), p, LEAST + i),
			   .hold = i + 1 < LENGTHS);
	}

	/* then all are in their places, and nothing else has changed. */
	must(t, DDP_4_1_01, memory_is(r, 0, due, LENGTHS * SLOT));
}

CASE_EACH(responses_are_placed, struct place, places,
	  .title =
		  "Read Responses of 1 to 16 octets are placed whole from this "
		  "octet of a word on",
	  .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer, */
	struct region r = dut_registers(t, .len = LENGTHS * SLOT,
					.access = FOR_RESPONSES);
	uint8_t *due = (uint8_t *)(uintptr_t)octets_of(t, LENGTHS * SLOT, 0);
	unsigned last = 0;
	connects(t);

	/* when Reads of 1 octet, 2, and so on, are answered, */
	for (unsigned i = 0; i < LENGTHS; i++) {
		const uint8_t *p = pattern(t, LEAST + i, i);

		memcpy(due + slot(row, i), p, LEAST + i);
		last = dut_posts(t, POST_READ(r, slot(row, i), LEAST + i,
					      PEER_SINK_STAG, 0));
		const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);
		peer_sends(t, READ_RESPONSE(f, p, LEAST + i));
	}

	/* then all are in their places, and nothing else has changed. */
	dut_completes(t, last);
	must(t, DDP_4_1_01, memory_is(r, 0, due, LENGTHS * SLOT));
}

CASE_EACH(reads_are_answered, struct place, places,
	  .title = "Reads of 1 to 16 octets are answered from this octet of a "
		   "word on",
	  .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer of known octets, */
	struct region r =
		dut_registers(t, .len = LENGTHS * SLOT, .access = FOR_READS);
	const uint8_t *p = pattern(t, LENGTHS * SLOT, 1);
	dut_fills(t, r, 0, p, LENGTHS * SLOT);
	connects(t);

	/* when the peer reads 1 octet, 2, and so on, then these come. */
	for (unsigned i = 0; i < LENGTHS; i++) {
		peer_sends(t, READ(r, slot(row, i), LEAST + i));
		struct message m =
			awaits_message(t, RDMAP_5_2_1_09, RDMAP_READ_RESPONSE);
		must(t, RDMAP_5_2_1_09,
		     octets_are(t, "the Response", m.octets, m.n,
				p + slot(row, i), LEAST + i));
	}
}

CASE_EACH(messages_leave, struct place, places,
	  .title =
		  "Writes of 1 to 16 octets have the octets from this octet of "
		  "a word on",
	  .needs = NEED_WRITE, .role = EITHER)
{
	/* Given known octets, */
	struct region r = dut_registers(t, .len = LENGTHS * SLOT);
	const uint8_t *p = pattern(t, LENGTHS * SLOT, 2);
	dut_fills(t, r, 0, p, LENGTHS * SLOT);
	connects(t);

	/* when the device writes 1 octet, 2, and so on, then these come. */
	for (unsigned i = 0; i < LENGTHS; i++)
		dut_posts(t, POST_WRITE_FROM(r, slot(row, i), LEAST + i, 0x1234,
					     0x1000, .ahead = true));
	for (unsigned i = 0; i < LENGTHS; i++) {
		struct message m = awaits_message(t, DDP_5_2_03, RDMAP_WRITE);

		must(t, DDP_5_2_03,
		     octets_are(t, "the Write", m.octets, m.n, p + slot(row, i),
				LEAST + i));
	}
}

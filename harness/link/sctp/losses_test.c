/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/link/sctp/sctp_internal.h"

#include <string.h>

#include "harness/unit.h"

enum { ROOM = 256 };

static struct sctp_losses losses;
static uint8_t packet[ROOM];
static size_t n;

static void begin(void)
{
	memset(packet, 0, sizeof(packet));
	n = SCTP_COMMON_OCTETS;
}

/* A chunk of 24 octets with a TSN at the place that its type gives it. */
static void add(uint8_t type, uint32_t tsn)
{
	enum { OCTETS = 24 };
	size_t at = n + (type == SCTP_LINK_DATA ? 4 : 16);

	packet[n] = type;
	packet[n + 3] = OCTETS;
	for (unsigned i = 0; i < 4; i++)
		packet[at + i] = (uint8_t)(tsn >> (24 - 8 * i));
	n += OCTETS;
}

static void passes(bool sent, uint8_t type, uint32_t tsn)
{
	begin();
	add(type, tsn);
	sctp_losses_see(&losses, sent, packet, n);
}

static void sent_again(void)
{
	losses = (struct sctp_losses){0};
	passes(true, SCTP_LINK_DATA, UINT32_MAX);
	passes(true, SCTP_LINK_DATA, 0);
	passes(true, SCTP_LINK_DATA, 1);
	CU_ASSERT_EQUAL(sctp_losses(&losses), 0);
	passes(true, SCTP_LINK_DATA, 1);
	CU_ASSERT_EQUAL(sctp_losses(&losses), 1);
	passes(true, SCTP_LINK_DATA, UINT32_MAX);
	CU_ASSERT_EQUAL(sctp_losses(&losses), 2);
	/* An older one is not the highest. */
	passes(true, SCTP_LINK_DATA, 2);
	CU_ASSERT_EQUAL(sctp_losses(&losses), 2);
}

static void beginnings_sent_again(void)
{
	losses = (struct sctp_losses){0};
	passes(true, SCTP_LINK_INIT, 7);
	passes(true, SCTP_LINK_COOKIE_ECHO, 0);
	passes(true, SCTP_LINK_SACK, 0);
	passes(true, SCTP_LINK_SACK, 0);
	CU_ASSERT_EQUAL(sctp_losses(&losses), 0);
	passes(true, SCTP_LINK_INIT, 7);
	passes(true, SCTP_LINK_COOKIE_ECHO, 0);
	CU_ASSERT_EQUAL(sctp_losses(&losses), 2);
}

static void missing_before(void)
{
	losses = (struct sctp_losses){0};
	passes(false, SCTP_LINK_INIT_ACK, 0);
	passes(false, SCTP_LINK_DATA, 0);
	CU_ASSERT_EQUAL(sctp_losses(&losses), 0);
	/* 1 and 2 are missing; then they arrive. */
	passes(false, SCTP_LINK_DATA, 3);
	CU_ASSERT_EQUAL(sctp_losses(&losses), 2);
	passes(false, SCTP_LINK_DATA, 1);
	passes(false, SCTP_LINK_DATA, 2);
	passes(false, SCTP_LINK_DATA, 4);
	CU_ASSERT_EQUAL(sctp_losses(&losses), 2);
}

static void the_first_is_missing(void)
{
	losses = (struct sctp_losses){0};
	passes(false, SCTP_LINK_INIT, 10);
	passes(false, SCTP_LINK_DATA, 11);
	CU_ASSERT_EQUAL(sctp_losses(&losses), 1);
	/* Whose INIT was not seen began with what came first. */
	losses = (struct sctp_losses){0};
	passes(false, SCTP_LINK_DATA, 11);
	CU_ASSERT_EQUAL(sctp_losses(&losses), 0);
}

static void several_chunks(void)
{
	losses = (struct sctp_losses){0};
	begin();
	add(SCTP_LINK_SACK, 0);
	add(SCTP_LINK_DATA, 5);
	add(SCTP_LINK_DATA, 7);
	sctp_losses_see(&losses, false, packet, n);
	CU_ASSERT_EQUAL(sctp_losses(&losses), 1);
}

static void too_short(void)
{
	losses = (struct sctp_losses){0};
	begin();
	add(SCTP_LINK_DATA, 5);
	packet[SCTP_COMMON_OCTETS + 3] = 7;
	for (size_t k = 0; k <= n; k++)
		sctp_losses_see(&losses, true, packet, k);
	packet[SCTP_COMMON_OCTETS + 3] = 24;
	for (size_t k = 0; k < n; k++)
		sctp_losses_see(&losses, true, packet, k);
	CU_ASSERT_FALSE(losses.has_sent);
	begin();
	add(SCTP_LINK_INIT, 5);
	packet[SCTP_COMMON_OCTETS + 3] = 19;
	sctp_losses_see(&losses, false, packet, n);
	CU_ASSERT_FALSE(losses.has_received);
}

static void chosen_by_a_case(void)
{
	losses = (struct sctp_losses){.chosen = true};
	passes(true, SCTP_LINK_DATA, 1);
	passes(true, SCTP_LINK_DATA, 1);
	CU_ASSERT_EQUAL(sctp_losses(&losses), 0);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"DATA is sent again", sent_again},
		{"INIT and COOKIE ECHO are sent again", beginnings_sent_again},
		{"DATA arrives before DATA with a lower TSN", missing_before},
		{"the first DATA is lost", the_first_is_missing},
		{"several chunks in a packet", several_chunks},
		{"a chunk that is too short", too_short},
		{"losses that a case has chosen", chosen_by_a_case},
	};

	return unit_run("sctp_losses", tests, UNIT_COUNT(tests));
}

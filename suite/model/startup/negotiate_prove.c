/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions with plain numbers, for suite/prove/depths.py: each half of a
 * frame's enhanced data as its 16 bits on the wire.
 */
#include "suite/model/startup/negotiate.c"

#define ASKED __attribute__((used)) static

static void enhanced_put(uint8_t octets[4], uint16_t first, uint16_t second)
{
	octets[0] = (uint8_t)(first >> 8);
	octets[1] = (uint8_t)first;
	octets[2] = (uint8_t)(second >> 8);
	octets[3] = (uint8_t)second;
}

static struct mpa_startup frame_of(const uint8_t octets[4])
{
	return (struct mpa_startup){.flags = MPA_S,
				    .rev = 2,
				    .pd_length = 4,
				    .private_data = octets,
				    .private_octets = 4};
}

/* Enhanced data read and written again. */
ASKED uint32_t enhanced_again(uint16_t first, uint16_t second)
{
	struct mpa_enhanced e;
	uint8_t octets[4];

	enhanced_put(octets, first, second);
	mpa_enhanced_decode(&e, octets);
	memset(octets, 0, sizeof(octets));
	mpa_enhanced_encode(&e, octets);
	return (uint32_t)octets[0] << 24 | (uint32_t)octets[1] << 16 |
	       (uint32_t)octets[2] << 8 | octets[3];
}

/* IRD and ORD of the initiator, of the responder, 16 bits each. */
ASKED uint64_t agreed_depths(uint16_t asked_first, uint16_t asked_second,
			     uint16_t given_first, uint16_t given_second)
{
	uint8_t asked[4], given[4];
	struct mpa_startup request = frame_of(asked), reply = frame_of(given);
	struct model_agreed g;

	enhanced_put(asked, asked_first, asked_second);
	enhanced_put(given, given_first, given_second);
	g = model_agree(&request, &reply);
	return (uint64_t)g.initiator_ird << 48 |
	       (uint64_t)g.initiator_ord << 32 |
	       (uint64_t)g.responder_ird << 16 | g.responder_ord;
}

/* The allowed values in a Reply: IRD from and to, ORD from and to. */
ASKED uint64_t reply_depths(uint16_t ird, uint16_t ird_max, uint16_t ord,
			    uint16_t asked_first, uint16_t asked_second)
{
	struct model_device d = {.enhanced = true,
				 .ird = ird,
				 .ird_max = ird_max,
				 .ord = ord,
				 .rtr = MODEL_RTR_READ};
	uint8_t asked[4];
	struct mpa_startup request = frame_of(asked);
	struct model_reply_due due;

	enhanced_put(asked, asked_first, asked_second);
	due = model_reply_due(&d, &request);
	return (uint64_t)due.ird_min << 48 | (uint64_t)due.ird_max << 32 |
	       (uint64_t)due.ord_min << 16 | due.ord_max;
}

/* The Terminate code that may answer a Reply, or 0; bit 8: it is required. */
ASKED unsigned reply_refused(uint16_t ird_max, uint16_t asked_first,
			     uint16_t asked_second, uint16_t given_first,
			     uint16_t given_second)
{
	struct model_device d = {.enhanced = true, .ird_max = ird_max};
	uint8_t asked[4], given[4];
	struct mpa_enhanced request, reply;
	struct model_answers a;
	bool must = false;

	memset(&a, 0, sizeof(a));
	enhanced_put(asked, asked_first, asked_second);
	enhanced_put(given, given_first, given_second);
	mpa_enhanced_decode(&request, asked);
	mpa_enhanced_decode(&reply, given);
	judge_depths(&d, &request, &reply, &a, &must);
	return (a.terminate.n ? a.terminate.outcome[0].code : 0u) |
	       (must ? 0x100u : 0u);
}

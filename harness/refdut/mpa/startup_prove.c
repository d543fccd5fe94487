/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions with plain numbers, for suite/prove/depths.py. */
#include "harness/refdut/mpa/negotiation.c"

#define ASKED __attribute__((used)) static

static struct params params;
static struct agreement agreement;
static struct startup_frame frame;

static void speak(uint32_t ird, uint32_t ord, uint32_t peer_ird,
		  uint32_t peer_ord)
{
	params.rev = 2;
	params.enhanced = true;
	params.ird = ird;
	params.ord = ord;
	frame.rev = 2;
	frame.enhanced = true;
	frame.ird = peer_ird;
	frame.ord = peer_ord;
}

/* The responder: IRD and ORD in force, IRD and ORD in the Reply. */
ASKED uint64_t answered(uint32_t ird, uint32_t ord, uint16_t asked_ird,
			uint16_t asked_ord)
{
	speak(ird, ord, asked_ird, asked_ord);
	startup_answer(&agreement, &params, &frame);
	return (uint64_t)(uint16_t)agreement.ird << 48 |
	       (uint64_t)(uint16_t)agreement.ord << 32 |
	       (uint64_t)(uint16_t)agreement.reply_ird << 16 |
	       (uint16_t)agreement.reply_ord;
}

/* The initiator: IRD and ORD in force, and the Terminate code. */
ASKED uint64_t concluded(uint32_t ird, uint32_t ord, uint16_t given_ird,
			 uint16_t given_ord)
{
	speak(ird, ord, given_ird, given_ord);
	startup_conclude(&agreement, &params, &frame);
	return (uint64_t)(uint16_t)agreement.ird << 48 |
	       (uint64_t)(uint16_t)agreement.ord << 32 | agreement.terminate;
}

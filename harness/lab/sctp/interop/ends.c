/* SPDX-License-Identifier: BSD-2-Clause */
/* The two ends: their addresses, the link, and until when to wait. */
#include "harness/lab/sctp/interop/interop.h"

const char *own, *guest;
uint16_t guest_udp;
struct link *our_link;

uint64_t soon(void)
{
	return clock_after_ms(40000);
}

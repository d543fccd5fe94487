/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions with plain numbers, for suite/prove/sequence.py. */
#include "suite/model/receive/receive_untagged.c"

#define ASKED __attribute__((used)) static

ASKED int32_t ahead_of(uint32_t due, uint32_t msn)
{
	static struct model m;
	struct ddp d = {.qn = DDP_QN_SEND, .msn = msn};

	m.rx_msn[DDP_QN_SEND] = due;
	return msn_ahead(&m, &d);
}

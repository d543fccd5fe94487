/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The headers in front of each segment: DDP's (RFC 5041 s4), and the octets in
 * it that belong to RDMAP (RFC 5040 s4.1).
 */
#include "harness/refdut/ddp/tx_header_decisions.h"
#include "harness/refdut/memory/layout.h"

enum { L_FLAG = 0x40, T_FLAG = 0x80, DV = 1, RV = 0x40 };

RULE(ddp_control)
{
	return DV | (m->tagged ? T_FLAG : 0) | (s->last ? L_FLAG : 0);
}

RULE(rdmap_control)
{
	return RV | m->opcode;
}

RULE(segment_stag)
{
	return m->stag;
}

RULE(segment_to)
{
	return m->to + s->mo;
}

RULE(segment_invalidate_stag)
{
	return m->stag;
}

RULE(segment_qn)
{
	return m->qn;
}

RULE(segment_mo)
{
	return s->mo;
}

static size_t tagged_header(struct conn *c, const struct message *m,
			    const struct segment *s, uint8_t *h)
{
	be32_put(h + 2, segment_stag(c, m, s));
	be64_put(h + 6, segment_to(c, m, s));
	layout_tagged(h + 2);
	return TAGGED_HEADER;
}

static size_t untagged_header(struct conn *c, const struct message *m,
			      const struct segment *s, uint8_t *h)
{
	be32_put(h + 2, segment_invalidate_stag(c, m, s));
	be32_put(h + 6, segment_qn(c, m, s));
	be32_put(h + 10, m->msn);
	be32_put(h + 14, segment_mo(c, m, s));
	layout_untagged(h + 6);
	return UNTAGGED_HEADER;
}

RULE(segment_header)
{
	h[0] = (uint8_t)ddp_control(c, m, s);
	h[1] = (uint8_t)rdmap_control(c, m, s);
	return m->tagged ? tagged_header(c, m, s, h)
			 : untagged_header(c, m, s, h);
}

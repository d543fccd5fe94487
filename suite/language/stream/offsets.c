/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The positions of both sides in their streams of octets, and the size that the
 * path takes.
 */
#include "suite/language/execution/execution.h"

uint32_t peer_offset(struct test *t)
{
	return live_stream(t)->peer.tx_offset;
}

/* The payload of a Send whose FPDU starts at offset `from` and ends at `end`. */
static size_t payload_between(struct test *t, uint32_t from, uint32_t end,
			      bool markers)
{
	for (uint32_t n = DDP_UNTAGGED_OCTETS; n <= FPDU_ULPDU_MAX; n++) {
		size_t octets = fpdu_octets((uint16_t)n, markers, from);

		if (from + octets == end)
			return n - DDP_UNTAGGED_OCTETS;
		if (from + octets > end)
			break;
	}
	test_error(t, CAUSE_SUITE, "no FPDU from offset %u ends at %u", from,
		   end);
}

size_t send_payload_up_to(struct test *t, uint32_t end)
{
	const struct peer *p = &live_stream(t)->peer;

	size_t n = payload_between(t, p->tx_offset, end, p->tx_markers);

	if (peer_mulpdu(t) < n + DDP_UNTAGGED_OCTETS)
		not_applicable(t, "the path takes no ULPDU of %zu octets",
			       n + DDP_UNTAGGED_OCTETS);
	return n;
}

uint32_t dut_offset(struct test *t)
{
	return live_stream(t)->peer.rx_offset;
}

size_t dut_send_payload_up_to(struct test *t, uint32_t end)
{
	const struct peer *p = &live_stream(t)->peer;

	return payload_between(t, p->rx_offset, end, p->rx_markers);
}

unsigned path_emss(struct test *t)
{
	uint32_t emss = link_emss(live_stream(t)->peer.conn);

	if (!emss)
		not_applicable(t, "the link does not report the EMSS");
	return emss;
}

unsigned path_mulpdu_most(struct test *t)
{
	struct stream *s = live_stream(t);
	uint32_t mss = link_mss(s->peer.conn);

	return mss ? fpdu_mulpdu(mss, s->peer.rx_markers) : path_mulpdu(t);
}

unsigned path_mulpdu(struct test *t)
{
	return fpdu_mulpdu(path_emss(t), live_stream(t)->peer.rx_markers);
}

uint32_t stream_peer_mulpdu(const struct stream *s)
{
	uint32_t in = link_emss(s->peer.conn);
	uint32_t out = link_emss_out(s->peer.conn);
	uint32_t emss = in && (!out || in < out) ? in : out;

	bool markers = s->peer.tx_markers || s->peer.rx_markers;

	return emss ? fpdu_mulpdu(emss, markers) : 0;
}

unsigned peer_mulpdu(struct test *t)
{
	uint32_t mulpdu = stream_peer_mulpdu(live_stream(t));

	if (!mulpdu)
		not_applicable(t, "the link does not report the EMSS");
	return mulpdu;
}

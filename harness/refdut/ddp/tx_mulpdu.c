/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * MULPDU, the length of the longest ULPDU that DDP creates. Over TCP it follows
 * from the EMSS, which may change at any time (RFC 5044 s4.5); over SCTP from
 * the path of the association (RFC 5043 s9).
 */
#include "harness/refdut/ddp/message.h"
#include "harness/refdut/ddp/tx_mulpdu_decisions.h"
#include "harness/refdut/sctp/conn_sctp.h"

#include <netinet/in.h>
#include <netinet/tcp.h>

/* The EMSS is not read again while nothing is sent and incoming octets are
 * processed. */
RULE(emss)
{
	socklen_t len = sizeof(c->emss);

	if (c->path_at == loop_round() && c->emss)
		return (uint32_t)c->emss;
	c->path_at = loop_round();
	c->emss = 536;
	if (c->watch.fd >= 0)
		getsockopt(c->watch.fd, IPPROTO_TCP, TCP_MAXSEG, &c->emss,
			   &len);
	return (uint32_t)c->emss;
}

RULE(mulpdu)
{
	if (c->sctp)
		return c->stream ? stream_mulpdu(c->stream) : SHORT_MULPDU;
	return framing_mulpdu(emss(c), c->tx.markers);
}

void tx_refresh_mulpdu(struct conn *c)
{
	c->mulpdu = mulpdu(c);
}

void tx_look_at_path(struct conn *c)
{
	tx_refresh_mulpdu(c);
}

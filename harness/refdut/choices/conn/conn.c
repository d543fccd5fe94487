/* SPDX-License-Identifier: BSD-2-Clause */
/* Choices as a connection begins, and of the order of streams. */
#include "harness/refdut/conn_decisions.h"
#include "harness/refdut/conn_input_decisions.h"
#include "harness/refdut/decision/override.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#define NARROW_MSS 900 /* octets: of a tunnel in a tunnel, time stamps or not */

VARIANT(startup_timeout, startup_never_times_out,
	"MPA-7.1.2-21 MPA-7.1.2-28 MPA-7.1.2-29 MPA-7.1.2-30",
	"waits for startup frames forever", startup_times_out)
{
	chosen(self);
	return false;
}

/* RFC 5044 s3: MPA need not support a ULPDU that is longer than MULPDU. */
VARIANT(long_ulpdu, narrow_host, "MPA-3-06 MPA-5.1-01",
	"announces an MSS of 900 octets, and has no room for a ULPDU that is "
	"longer than MULPDU then",
	tcp_is_prepared)
{
	int mss = NARROW_MSS;

	setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &mss, sizeof(mss));
}

ALSO(narrow_host, ulpdu_is_too_long)
{
	tx_look_at_path(c);
	return (!c->sctp && ulpdu->len > c->mulpdu && chosen(self)) ||
	       OTHERWISE(ulpdu_is_too_long);
}

/* RFC 9293 s3.7.1: as without the option. */
VARIANT(long_ulpdu, segments_of_536, "MPA-3-06 MPA-5.1-01",
	"announces an MSS of 536 octets", tcp_is_prepared)
{
	int mss = 536;

	chosen(self);
	setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &mss, sizeof(mss));
}

/* RFC 5044 s4.5: MULPDU is 128 at least, even if no FPDU of it fits a segment. */
VARIANT(long_ulpdu, segments_of_216, "MPA-3-06 MPA-4.5-05 MPA-5.1-01",
	"announces an MSS of 216 octets", tcp_is_prepared)
{
	int mss = 216;

	chosen(self);
	setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &mss, sizeof(mss));
}

/* The kernel has at least 2304 octets. */
VARIANT(window, small_window, "MPA-5.1-09",
	"has room for about two kilobytes in the receive window of its TCP",
	tcp_is_prepared)
{
	int room = 1;

	chosen(self);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
}

ALSO(last_stream_first, goes_first)
{
	return chosen(self);
}

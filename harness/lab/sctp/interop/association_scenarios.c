/* SPDX-License-Identifier: BSD-2-Clause */
/* How associations begin and end: streams, indications, addresses, many. */
#include "harness/lab/sctp/interop/interop.h"

#include <string.h>

void the_association_is_one_of_ddp(void)
{
	EITHER_WAY
	{
		set_up(we);
		CU_ASSERT_EQUAL(told("up"), 1);
		CU_ASSERT_EQUAL(told("indication"), SESSION_ADAPTATION_DDP);
		CU_ASSERT_EQUAL(told("out"), STREAMS);
		CU_ASSERT_EQUAL(told("in"), STREAMS);
		const struct link_sctp_state s =
			link_sctp_state(association_conn(ours));

		CU_ASSERT_TRUE(s.adaptation);
		CU_ASSERT_EQUAL(s.indication, SESSION_ADAPTATION_DDP);
		CU_ASSERT_EQUAL(s.outbound, STREAMS);
		CU_ASSERT_EQUAL(s.inbound, STREAMS);
		CU_ASSERT_EQUAL(saw.adaptation, SESSION_ADAPTATION_PRESENT);
		CU_ASSERT_EQUAL(saw.outbound, STREAMS);
		tear_down();
	}
}

/* The smaller number of each direction counts: RFC 9260 s5.1.1. */
void stream_counts_are_agreed(void)
{
	EITHER_WAY
	{
		with.link.outbound = 7;
		with.link.inbound = 5;
		with.guest = "streams=6";
		set_up(we);
		CU_ASSERT_EQUAL(told("out"), 5);
		CU_ASSERT_EQUAL(told("in"), 6);
		const struct link_sctp_state s =
			link_sctp_state(association_conn(ours));

		CU_ASSERT_EQUAL(s.outbound, 6);
		CU_ASSERT_EQUAL(s.inbound, 5);
		CU_ASSERT_EQUAL(saw.outbound, we ? 5 : 6);
		tear_down();
	}
}

/* RFC 5043 s11.1: both sides learn of it, and decide what follows. */
void indications_are_told(void)
{
	static const struct {
		bool adaptation;
		uint32_t indication;
		const char *guest;
		long they_see;
		bool we_see;
		uint32_t what;
	} table[] = {
		{true, 2, "adaptation=1", 2, true, 1},
		{true, 0xfffffffe, "adaptation=0x80000001", 0xfffffffe, true,
		 0x80000001},
		{false, 0, "adaptation=1", -1, true, 1},
		{true, 1, "adaptation=0", 1, false, 0},
		{false, 0, "adaptation=0", -1, false, 0},
	};

	for (size_t i = 0; i < UNIT_COUNT(table); i++)
		EITHER_WAY
		{
			with.link.adaptation = table[i].adaptation;
			with.link.indication = table[i].indication;
			with.guest = table[i].guest;
			set_up(we);
			CU_ASSERT_EQUAL(told("indication"), table[i].they_see);
			const struct link_sctp_state s =
				link_sctp_state(association_conn(ours));

			CU_ASSERT_EQUAL(s.adaptation, table[i].we_see);
			CU_ASSERT_EQUAL(s.indication, table[i].what);
			tear_down();
		}
}

void nobody_listens(void)
{
	struct link_conn *c = NULL;

	open_link();
	CU_ASSERT_EQUAL(link_connect(our_link, guest, port, soon(), &c),
			LINK_REFUSED);
	/* Nor here. */
	ask_ahead("connect address=%s port=%u udp=%u", own, port,
		  link_sctp_udp_port(our_link));
	hear();
	CU_ASSERT_STRING_EQUAL(reply, "ERR refused");
	close_link();
}

void an_association_is_shut_down(void)
{
	struct link_message m;
	const struct frame *f;

	EITHER_WAY
	{
		set_up(we);
		open_session(&peer, 0, we);
		we_send(&peer, 1, 100, 900);
		CU_ASSERT_EQUAL(link_half_close(peer.conn), LINK_OK);
		ask("taken %s count=100", theirs);
		ask("end %s", theirs);
		CU_ASSERT_STRING_EQUAL(reply, "OK shutdown");
		CU_ASSERT_EQUAL(link_recv_message(peer.conn, &m, soon()), 0);
		CU_ASSERT_EQUAL(saw.aborts[0] + saw.aborts[1], 0);
		tear_down();
		set_up(we);
		open_session(&peer, 0, we);
		ask("segments %s count=100 size=900", theirs);
		/* It is sent at once; queued messages are not. */
		we_get(&peer, 1, 100, 900);
		ask("shutdown %s", theirs);
		CU_ASSERT_EQUAL(peer_receive(&peer, soon(), &f), PEER_FIN);
		ask("end %s", theirs);
		CU_ASSERT_STRING_EQUAL(reply, "OK shutdown");
		CU_ASSERT_EQUAL(saw.aborts[0] + saw.aborts[1], 0);
		guest_objects_to_nothing();
		tear_down();
	}
}

void an_association_is_aborted(void)
{
	const struct frame *f;

	EITHER_WAY
	{
		set_up(we);
		open_session(&peer, 0, we);
		we_send(&peer, 1, 1, 9);
		ask("taken %s count=1", theirs);
		CU_ASSERT_EQUAL(peer_reset(&peer), PEER_OK);
		ask("end %s", theirs);
		CU_ASSERT_STRING_EQUAL(reply, "OK aborted");
		CU_ASSERT_EQUAL(saw.aborts[1], 1);
		tear_down();
		set_up(we);
		open_session(&peer, 0, we);
		ask("abort %s", theirs);
		CU_ASSERT_EQUAL(peer_receive(&peer, soon(), &f), PEER_RESET);
		CU_ASSERT_EQUAL(saw.aborts[0], 1);
		tear_down();
	}
}

/* An end point that listens on all its addresses lists them in its INIT or INIT
 * ACK. */
void several_addresses(void)
{
	struct link_conn *c = NULL;
	struct link_message m;
	const struct link_message first = {.ppid = SESSION_PPID_CONTROL};

	open_link();
	ask("listen address=%s port=%u", strchr(guest, ':') ? "::" : "0.0.0.0",
	    port);
	CU_ASSERT_EQUAL_FATAL(link_connect(our_link, guest, port, soon(), &c),
			      LINK_OK);
	ask("accept");
	CU_ASSERT_EQUAL(link_send_message(c, &first, "\0\0\0\1", 4, soon()),
			LINK_OK);
	ask("control association=1");
	ask("say association=1 function=2");
	CU_ASSERT_EQUAL_FATAL(link_recv_message(c, &m, soon()), 1);
	CU_ASSERT_EQUAL(m.ppid, SESSION_PPID_CONTROL);
	CU_ASSERT_EQUAL(m.n, 4);
	guest_objects_to_nothing();
	link_reset(c);
	link_close(c);
	close_link();
}

void many_associations(void)
{
	enum { ASSOCIATIONS = 20 };
	struct link_conn *c[ASSOCIATIONS];
	struct link_message m;

	open_link();
	ask("listen address=%s port=%u", guest, port);
	for (unsigned i = 0; i < ASSOCIATIONS; i++) {
		CU_ASSERT_EQUAL_FATAL(
			link_connect(our_link, guest, port, soon(), &c[i]),
			LINK_OK);
		ask("accept");
	}
	for (unsigned i = 0; i < ASSOCIATIONS; i++)
		ask("say association=%u stream=%u function=1 octets=%u", i + 1,
		    i % STREAMS, i);
	for (unsigned i = ASSOCIATIONS; i-- > 0;) {
		CU_ASSERT_EQUAL_FATAL(link_recv_message(c[i], &m, soon()), 1);
		CU_ASSERT_EQUAL(m.stream, i % STREAMS);
		CU_ASSERT_EQUAL(m.n, SESSION_CONTROL_OCTETS + i);
	}
	for (unsigned i = 0; i < ASSOCIATIONS; i++) {
		CU_ASSERT_EQUAL(link_half_close(c[i]), LINK_OK);
		ask("end association=%u", i + 1);
		CU_ASSERT_STRING_EQUAL(reply, "OK shutdown");
		link_close(c[i]);
	}
	close_link();
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether all messages arrive once and in order: many, large ones, lost,
 * duplicated and overtaken ones, and more than there is room for. */
#include "harness/lab/sctp/interop/interop.h"

#include <string.h>

#include "harness/wire/sctp.h"

void thousands_both_ways(void)
{
	EITHER_WAY
	{
		set_up(we);
		open_session(&peer, 0, we);
		ask("segments %s count=%u size=100", theirs, MANY);
		we_send(&peer, 1, MANY, 70);
		we_get(&peer, 1, MANY, 100);
		ask("taken %s count=%u", theirs, MANY);
		CU_ASSERT_EQUAL(told("segments"), MANY);
		end_session(&peer, 0, MANY);
		guest_objects_to_nothing();
		CU_ASSERT_EQUAL(saw.fragments[0], 0);
		CU_ASSERT_EQUAL(saw.fragments[1], 0);
		CU_ASSERT(saw.data[0] >= MANY + 2);
		tear_down();
	}
}

/* A segment fills a packet as large as the path takes, but no larger. */
void segments_up_to_the_path_mtu(void)
{
	EITHER_WAY
	{
		set_up(we);
		size_t most =
			PATH_MTU - around() - SCTP_HEADER_OCTETS - DATA_OCTETS;
		const struct link_sctp_state s =
			link_sctp_state(association_conn(ours));

		ask("status %s", theirs);
		/* Their sizes are multiples of four. */
		CU_ASSERT_EQUAL(s.largest_message & ~3u, most & ~(size_t)3);
		CU_ASSERT_EQUAL(told("largest"), (long)(most & ~(size_t)3));
		open_session(&peer, 0, we);
		size_t full =
			(most & ~(size_t)3) - SESSION_SSN_OCTETS - SEND_OCTETS;
		uint32_t msn = 1;

		for (size_t n = full - 9; n <= full; n++, msn++) {
			we_send(&peer, msn, 1, n);
			ask("segments %s count=1 size=%zu", theirs, n);
			we_get(&peer, msn, 1, n);
		}
		ask("taken %s count=%u", theirs, msn - 1);
		CU_ASSERT_EQUAL(put_send(&peer, msn, full + 4, NULL), PEER_OK);
		CU_ASSERT_EQUAL(peer_flush(&peer, NULL, 0, 0, soon()),
				PEER_BROKEN);
		CU_ASSERT_PTR_NOT_NULL(
			strstr(peer.conn->why, "do not fit into one packet"));
		for (int sent = 0; sent < 2; sent++) {
			CU_ASSERT_EQUAL(saw.fragments[sent], 0);
			CU_ASSERT_EQUAL(saw.largest[sent],
					(PATH_MTU - around()) & ~(size_t)3);
		}
		guest_objects_to_nothing();
		tear_down();
	}
}

/* RFC 5043 s9 permits fragments only where IP would fragment. */
void larger_ones_are_put_together(void)
{
	EITHER_WAY
	{
		with.link.fragments = true;
		with.guest = "streams=10 fragments=1";
		set_up(we);
		open_session(&peer, 0, we);
		we_send(&peer, 1, 3, 20000);
		ask("segments %s count=3 size=60000", theirs);
		we_get(&peer, 1, 3, 60000);
		ask("taken %s count=3", theirs);
		CU_ASSERT(saw.fragments[0] > 100 && saw.fragments[1] > 30);
		CU_ASSERT(saw.largest[0] <= PATH_MTU - around());
		CU_ASSERT(saw.largest[1] <= PATH_MTU - around());
		guest_objects_to_nothing();
		tear_down();
	}
}

void what_is_lost_comes_again(void)
{
	EITHER_WAY
	{
		unsigned twice = 0;

		set_up(we);
		/* The guest's first message, and packets in the midst. */
		CU_ASSERT_TRUE(link_lose(peer.conn, 1));
		open_session(&peer, 0, we);
		for (uint32_t i = 0; i < 5; i++) {
			CU_ASSERT_TRUE(link_lose(peer.conn, i + 1));
			ask("segments %s count=40 size=700", theirs);
			we_send(&peer, 1 + 40 * i, 40, 500);
			we_get(&peer, 1 + 40 * i, 40, 700);
		}
		end_session(&peer, 0, 200);
		for (unsigned i = 1; i < saw.data[0]; i++)
			twice += saw.tsn[i] - saw.tsn[i - 1] != 1;
		/* The loss is noticed. */
		CU_ASSERT(twice > 0);
		guest_objects_to_nothing();
		tear_down();
	}
}

/* A chunk that is sent again although it arrived is accepted once, in both
 * directions. */
void what_comes_twice_is_taken_once(void)
{
	const struct frame *f;
	unsigned before;

	set_up(true);
	open_session(&peer, 0, true);
	CU_ASSERT_TRUE(link_set_acks(peer.conn, LINK_ACKS_WITHHELD));
	before = saw.data[0];
	ask("segments %s count=2 size=50", theirs);
	we_get(&peer, 1, 2, 50);
	uint64_t end = soon();

	while (saw.data[0] < before + 4 && clock_now_ns() < end)
		CU_ASSERT_EQUAL_FATAL(
			peer_receive(&peer, clock_after_ms(20), &f),
			PEER_TIMEOUT);
	CU_ASSERT(saw.data[0] >= before + 4);
	CU_ASSERT_TRUE(link_set_acks(peer.conn, LINK_ACKS_AT_ONCE));
	/* Our packets are built again while they are held; all are sent. */
	before = saw.data[1];
	link_sctp_hold(peer.conn);
	we_send(&peer, 1, 3, 50);
	CU_ASSERT_EQUAL(peer_receive(&peer, clock_after_ms(1500), &f),
			PEER_TIMEOUT);
	link_sctp_release(peer.conn, false);
	CU_ASSERT(saw.data[1] > before + 3);
	end_session(&peer, 0, 3);
	guest_objects_to_nothing();
	tear_down();
}

/* RFC 5043 s10: unordered, and identified by their DDP-SSNs. */
void what_overtakes_is_put_in_order(void)
{
	EITHER_WAY
	{
		set_up(we);
		open_session(&peer, 0, we);
		link_sctp_hold(peer.conn);
		/* One packet each. */
		we_send(&peer, 1, 3, 1200);
		link_sctp_release(peer.conn, true);
		ask("taken %s count=3", theirs);
		CU_ASSERT(told("overtaken") >= 2);
		end_session(&peer, 0, 3);
		guest_objects_to_nothing();
		tear_down();
	}
}

/* A control message may be overtaken by segments: the passive side's Accept. */
void an_accept_is_overtaken(void)
{
	set_up(true);
	they_say(0, SESSION_INITIATE, 0);
	we_hear(&peer, 0, SESSION_INITIATE, 0);
	link_sctp_hold(peer.conn);
	we_say(&peer, SESSION_ACCEPT, 20);
	we_send(&peer, 1, 2, 1300);
	link_sctp_release(peer.conn, true);
	they_hear(0, SESSION_ACCEPT, 20, 0);
	ask("taken %s count=2", theirs);
	CU_ASSERT(told("overtaken") >= 1);
	guest_objects_to_nothing();
	tear_down();
}

/* With the acknowledgments of a kernel in its default settings. */
void acknowledgments_are_delayed(void)
{
	EITHER_WAY
	{
		with.guest = "streams=10 sack=0";
		set_up(we);
		open_session(&peer, 0, we);
		we_send(&peer, 1, 101, 300);
		ask("segments %s count=101 size=300", theirs);
		we_get(&peer, 1, 101, 300);
		end_session(&peer, 0, 101);
		guest_objects_to_nothing();
		tear_down();
	}
}

/* Each side waits for a peer that does not read. */
void a_window_closes_and_opens(void)
{
	EITHER_WAY
	{
		unsigned sent = 0;
		enum peer_status status;

		with.rcvbuf = 16384;
		with.guest = "rcvbuf=32768";
		set_up(we);
		open_session(&peer, 0, we);
		ask("segments %s count=100 size=1000", theirs);
		ask("status %s", theirs);
		we_get(&peer, 1, 100, 1000);
		ask("pause %s", theirs);
		do {
			CU_ASSERT_EQUAL_FATAL(
				put_send(&peer, ++sent, 1000, NULL), PEER_OK);
			status = peer_flush(&peer, NULL, 0, 0,
					    clock_after_ms(300));
		} while (status == PEER_OK && sent < 5000);
		CU_ASSERT_EQUAL(status, PEER_TIMEOUT);
		ask("resume %s", theirs);
		/* The chunk that found no room is not sent again. */
		ask("taken %s count=%u", theirs, sent - 1);
		guest_objects_to_nothing();
		tear_down();
	}
}

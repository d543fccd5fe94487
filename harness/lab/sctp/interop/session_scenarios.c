/* SPDX-License-Identifier: BSD-2-Clause */
/* How sessions begin and end (RFC 5043 s6, RFC 6581 s7), and the faults that the
 * guest has to report. */
#include "harness/lab/sctp/interop/interop.h"

void a_session_is_accepted(void)
{
	static const size_t sizes[] = {0, 1, 512};

	EITHER_WAY
	{
		for (int begin = 0; begin < 2; begin++) {
			for (size_t i = 0; i < UNIT_COUNT(sizes); i++) {
				size_t n = sizes[i];

				set_up(we);
				if (begin) {
					we_say(&peer, SESSION_INITIATE, n);
					they_hear(0, SESSION_INITIATE, n, 0);
					they_say(0, SESSION_ACCEPT, n);
					we_hear(&peer, 0, SESSION_ACCEPT, n);
				} else {
					they_say(0, SESSION_INITIATE, n);
					we_hear(&peer, 0, SESSION_INITIATE, n);
					we_say(&peer, SESSION_ACCEPT, n);
					they_hear(0, SESSION_ACCEPT, n, 0);
				}
				we_send(&peer, 1, 5, n);
				ask("segments %s count=6 size=%zu", theirs, n);
				we_get(&peer, 1, 6, n);
				end_session(&peer, 0, 5);
				guest_objects_to_nothing();
				tear_down();
			}
		}
	}
}

/* The guest ends it first, after segments that are still on the way. */
void a_session_is_ended_by_the_other(void)
{
	const struct frame *f;

	EITHER_WAY
	{
		set_up(we);
		open_session(&peer, 0, !we);
		ask("segments %s count=200 size=900", theirs);
		they_say(0, SESSION_TERMINATE, 0);
		we_get(&peer, 1, 200, 900);
		CU_ASSERT_EQUAL(peer_receive(&peer, soon(), &f), PEER_FIN);
		we_send(&peer, 1, 3, 10);
		CU_ASSERT_EQUAL(peer_close_sending(&peer), PEER_OK);
		they_hear(0, SESSION_TERMINATE, 0, 3);
		guest_objects_to_nothing();
		tear_down();
	}
}

/* RFC 5043 s6.3 and s6.4. */
void a_session_is_rejected(void)
{
	const struct frame *f;

	EITHER_WAY
	{
		set_up(we);
		we_say(&peer, SESSION_INITIATE, 512);
		they_hear(0, SESSION_INITIATE, 512, 0);
		they_say(0, SESSION_REJECT, 512);
		we_hear(&peer, 0, SESSION_REJECT, 512);
		guest_objects_to_nothing();
		tear_down();
		set_up(we);
		they_say(0, SESSION_INITIATE, 3);
		we_hear(&peer, 0, SESSION_INITIATE, 3);
		we_say(&peer, SESSION_REJECT, 0);
		they_hear(0, SESSION_REJECT, 0, 0);
		guest_objects_to_nothing();
		tear_down();
		/* Not by the ULP. */
		set_up(we);
		we_say(&peer, SESSION_INITIATE, 0);
		they_hear(0, SESSION_INITIATE, 0, 0);
		they_say(0, SESSION_TERMINATE, 0);
		CU_ASSERT_EQUAL(peer_receive(&peer, soon(), &f), PEER_FIN);
		guest_objects_to_nothing();
		tear_down();
		set_up(we);
		they_say(0, SESSION_INITIATE, 0);
		we_hear(&peer, 0, SESSION_INITIATE, 0);
		we_say(&peer, SESSION_TERMINATE, 0);
		they_hear(0, SESSION_TERMINATE, 0, 0);
		guest_objects_to_nothing();
		tear_down();
	}
}

/* RFC 6581 s7. */
void enhanced_codes_pass(void)
{
	EITHER_WAY
	{
		set_up(we);
		we_say(&peer, SESSION_ENHANCED_INITIATE, 4);
		they_hear(0, SESSION_ENHANCED_INITIATE, 4, 0);
		they_say(0, SESSION_ENHANCED_ACCEPT, 512);
		we_hear(&peer, 0, SESSION_ENHANCED_ACCEPT, 512);
		end_session(&peer, 0, 0);
		guest_objects_to_nothing();
		tear_down();
		set_up(we);
		they_say(0, SESSION_ENHANCED_INITIATE, 512);
		we_hear(&peer, 0, SESSION_ENHANCED_INITIATE, 512);
		we_say(&peer, SESSION_ENHANCED_REJECT, 4);
		they_hear(0, SESSION_ENHANCED_REJECT, 4, 0);
		guest_objects_to_nothing();
		tear_down();
	}
}

/* RFC 5043 s6.1: the numbers begin anew. */
void a_stream_is_used_again(void)
{
	set_up(true);
	for (unsigned i = 0; i < 4; i++) {
		open_session(&peer, 0, i % 2);
		we_send(&peer, 1, 3, 30);
		ask("segments %s count=3 size=30", theirs);
		we_get(&peer, 1, 3, 30);
		end_session(&peer, 0, 3);
		peer_end(&peer, false);
		CU_ASSERT_TRUE_FATAL(
			peer_init_session(&peer, ours, 0, events, 0));
		ask("fresh %s stream=0", theirs);
	}
	guest_objects_to_nothing();
	tear_down();
}

void streams_share_an_association(void)
{
	EITHER_WAY
	{
		struct peer more[STREAMS - 1];

		set_up(we);
		open_session(&peer, 0, true);
		for (unsigned i = 1; i < STREAMS; i++) {
			CU_ASSERT_TRUE_FATAL(peer_init_session(
				&more[i - 1], ours, (uint16_t)i, events, i));
			open_session(&more[i - 1], i, i % 2);
			we_send(&more[i - 1], 1, 20 + i, 60);
			ask("segments %s stream=%u count=%u size=80", theirs, i,
			    30 + i);
		}
		for (unsigned i = 1; i < STREAMS; i++) {
			we_get(&more[i - 1], 1, 30 + i, 80);
			end_session(&more[i - 1], i, 20 + i);
			peer_end(&more[i - 1], false);
		}
		end_session(&peer, 0, 0);
		guest_objects_to_nothing();
		tear_down();
	}
}

static void a_faulty_chunk(const struct peer_chunk_faults *f, const char *text)
{
	struct peer_faults faults = peer_no_faults;

	set_up(true);
	open_session(&peer, 0, true);
	faults.chunk = *f;
	CU_ASSERT_EQUAL(put_send(&peer, 1, 5, &faults), PEER_OK);
	CU_ASSERT_EQUAL(put_send(&peer, 2, 5, NULL), PEER_OK);
	CU_ASSERT_EQUAL(peer_flush(&peer, NULL, 0, 0, soon()), PEER_OK);
	guest_objects(text);
	tear_down();
}

static void a_faulty_control(uint16_t function, size_t octets, const char *text)
{
	set_up(true);
	if (function != SESSION_INITIATE)
		open_session(&peer, 0, true);
	we_say(&peer, function, octets);
	guest_objects(text);
	tear_down();
}

/* The tool's approval means something: it objects to wrong messages. */
void the_guest_objects(void)
{
	struct peer_chunk_faults f = peer_no_chunk_faults;

	f.ordered = true;
	a_faulty_chunk(&f, "ordered chunk");
	f = peer_no_chunk_faults;
	f.ppid = 18;
	a_faulty_chunk(&f, "payload protocol 18");
	f = peer_no_chunk_faults;
	f.ddp_ssn = 0;
	a_faulty_chunk(&f, "DDP-SSN 0, which was there before");
	f.ddp_ssn = 2;
	a_faulty_chunk(&f, "DDP-SSN 2, which was there before");
	a_faulty_control(SESSION_INITIATE, 513, "more than 512 octets");
	a_faulty_control(SESSION_TERMINATE, 1, "Terminate with private data");
	a_faulty_control(SESSION_ENHANCED_REJECT + 1, 0, "in no registry");
	a_faulty_control(SESSION_ACCEPT, 0, "an Accept of nothing");
	a_faulty_control(SESSION_ENHANCED_INITIATE, 0, "begins nothing");
}

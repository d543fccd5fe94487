/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The peer against itself on streams of one association: one end sends, the
 * other reads, in the order of DDP-SSNs, and every named fault is in the chunk,
 * and nothing else.
 */
#include "harness/peer/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/unit.h"
#include "harness/wire/rdmap.h"

static struct link *l;
static struct link_listener *listener;
static struct association *ours, *theirs;
static struct observe *events;
static struct peer a, b;

static uint64_t soon(void)
{
	return clock_after_ms(10000);
}

static void set_up(uint16_t sid)
{
	char why[LINK_WHY] = "";
	struct link_conn *x, *y;
	uint16_t port = 0;

	l = link_sctp_open(&(struct link_sctp){.address = "127.0.0.1"}, why);
	if (!l) {
		fprintf(stderr, "%s\n", why);
		exit(1);
	}
	link_sctp_set(l, &(struct link_sctp_options){
				 .adaptation = true,
				 .indication = SESSION_ADAPTATION_DDP,
				 .udp_port = link_sctp_udp_port(l)});
	CU_ASSERT_EQUAL_FATAL(link_listen(l, "127.0.0.1", &port, &listener),
			      LINK_OK);
	CU_ASSERT_EQUAL_FATAL(link_connect(l, "127.0.0.1", port, soon(), &x),
			      LINK_OK);
	CU_ASSERT_EQUAL_FATAL(link_accept(listener, soon(), &y), LINK_OK);
	events = observe_new();
	ours = association_new(x);
	theirs = association_new(y);
	CU_ASSERT_TRUE_FATAL(events && ours && theirs);
	CU_ASSERT_TRUE_FATAL(peer_init_session(&a, ours, sid, events, 0));
	CU_ASSERT_TRUE_FATAL(peer_init_session(&b, theirs, sid, events, 1));
}

static void tear_down(void)
{
	peer_end(&a, false);
	peer_end(&b, false);
	association_free(ours, false);
	association_free(theirs, true);
	link_listener_close(listener);
	link_close_provider(l);
	observe_free(events);
}

static void must_get_control(struct peer *p, uint16_t ddp_ssn,
			     uint16_t function, const char *private_data)
{
	const uint8_t *octets;
	struct session_chunk c;
	size_t n;

	CU_ASSERT_EQUAL_FATAL(peer_receive_startup(p, soon(), &octets, &n),
			      PEER_OK);
	session_decode(&c, true, octets, n);
	CU_ASSERT_EQUAL(c.ddp_ssn, ddp_ssn);
	CU_ASSERT_EQUAL(c.function, function);
	CU_ASSERT_EQUAL(c.body_octets, strlen(private_data));
	CU_ASSERT_EQUAL(memcmp(c.body, private_data, c.body_octets), 0);
}

/* RFC 5043 s6.2, up to where segments may flow. */
static void open_session(void)
{
	CU_ASSERT_EQUAL(peer_control(&a, SESSION_INITIATE,
				     (const uint8_t *)"may I", 5, NULL, soon()),
			PEER_OK);
	must_get_control(&b, 0, SESSION_INITIATE, "may I");
	CU_ASSERT_EQUAL(peer_control(&b, SESSION_ACCEPT, NULL, 0, NULL, soon()),
			PEER_OK);
	must_get_control(&a, 0, SESSION_ACCEPT, "");
}

static enum peer_status put_send(struct peer *p, uint32_t msn, size_t payload,
				 const struct peer_faults *f)
{
	static uint8_t octets[4096];
	uint8_t ulpdu[4200];
	const struct ddp_segment seg = {
		.ddp = {.last = true,
			.dv = 1,
			.rv = 1,
			.opcode = RDMAP_SEND,
			.msn = msn},
		.payload = octets,
		.payload_octets = payload,
	};

	for (size_t i = 0; i < payload; i++)
		octets[i] = (uint8_t)(i + msn);
	return peer_frame(p, ulpdu, ddp_encode(&seg, ulpdu, sizeof(ulpdu)), f,
			  NULL);
}

static void must_get_send(struct peer *p, uint16_t ddp_ssn, uint32_t msn)
{
	const struct frame *f = NULL;

	CU_ASSERT_EQUAL_FATAL(peer_receive(p, soon(), &f), PEER_OK);
	CU_ASSERT_PTR_NOT_NULL_FATAL(f->chunk);
	CU_ASSERT_EQUAL(f->chunk->ddp_ssn, ddp_ssn);
	CU_ASSERT_EQUAL(f->chunk->ppid, SESSION_PPID_SEGMENT);
	CU_ASSERT_EQUAL(f->seg.ddp.opcode, RDMAP_SEND);
	CU_ASSERT_EQUAL(f->seg.ddp.msn, msn);
	CU_ASSERT_EQUAL(f->fpdu->ulpdu_length, f->n - SESSION_SSN_OCTETS);
	CU_ASSERT_TRUE(f->crc_ok);
	CU_ASSERT_EQUAL(f->fpdu->marker_count, 0);
}

static void a_session_from_end_to_end(void)
{
	const struct frame *f;

	set_up(3);
	open_session();
	for (uint32_t i = 1; i <= 10; i++) {
		CU_ASSERT_EQUAL(put_send(&a, i, i * 100, &peer_no_faults),
				PEER_OK);
		CU_ASSERT_EQUAL(put_send(&b, i, i, &peer_no_faults), PEER_OK);
	}
	CU_ASSERT_EQUAL(peer_flush(&a, NULL, 0, 0, soon()), PEER_OK);
	CU_ASSERT_EQUAL(peer_flush(&b, NULL, 0, 0, soon()), PEER_OK);
	for (uint32_t i = 1; i <= 10; i++) {
		must_get_send(&b, (uint16_t)i, i);
		must_get_send(&a, (uint16_t)i, i);
	}
	CU_ASSERT_EQUAL(peer_close_sending(&a), PEER_OK);
	CU_ASSERT_EQUAL(peer_receive(&b, soon(), &f), PEER_FIN);
	CU_ASSERT_TRUE(b.fin_seen);
	CU_ASSERT_EQUAL(peer_receive(&b, soon(), &f), PEER_FIN);
	tear_down();
}

/* RFC 5043 s6.1 and s10: the order of DDP-SSNs, not that of TSNs. */
static void the_order_is_that_of_ddp_ssns(void)
{
	struct peer_faults later = peer_no_faults, sooner = peer_no_faults;
	const struct frame *f;

	set_up(0);
	open_session();
	later.chunk.ddp_ssn = 3;
	sooner.chunk.ddp_ssn = 1;
	CU_ASSERT_EQUAL(put_send(&a, 3, 5, &later), PEER_OK);
	CU_ASSERT_EQUAL(put_send(&a, 2, 5, &peer_no_faults), PEER_OK);
	CU_ASSERT_EQUAL(peer_flush(&a, NULL, 0, 0, soon()), PEER_OK);
	/* The first is not there yet. */
	CU_ASSERT_EQUAL(peer_receive(&b, clock_after_ms(50), &f), PEER_TIMEOUT);
	CU_ASSERT_EQUAL(put_send(&a, 1, 5, &sooner), PEER_OK);
	CU_ASSERT_EQUAL(peer_flush(&a, NULL, 0, 0, soon()), PEER_OK);
	must_get_send(&b, 1, 1);
	must_get_send(&b, 2, 2);
	CU_ASSERT_EQUAL_FATAL(peer_receive(&b, soon(), &f), PEER_OK);
	CU_ASSERT_EQUAL(f->seg.ddp.msn, 3);
	/* The Initiate came first of all, this one next. */
	CU_ASSERT_EQUAL(f->chunk->arrival, 1);
	tear_down();
}

/* After one that never arrives, the others are reported in the order of their
 * numbers, with their kinds. */
static void what_waits_in_vain_is_told(void)
{
	struct peer_faults f = peer_no_faults;
	const struct frame *none;
	uint16_t due = 4;

	set_up(2);
	open_session();
	for (long ssn = 6; ssn >= 4; ssn--) {
		f.chunk.ddp_ssn = ssn;
		CU_ASSERT_EQUAL(put_send(&a, 1, 5, &f), PEER_OK);
	}
	CU_ASSERT_EQUAL(peer_flush(&a, NULL, 0, 0, soon()), PEER_OK);
	CU_ASSERT_EQUAL(peer_receive(&b, clock_after_ms(50), &none),
			PEER_TIMEOUT);
	CU_ASSERT_TRUE(peer_passes_over(&b));
	CU_ASSERT_FALSE(peer_passes_over(&b));
	for (const struct event *e = observe_first(events); e; e = e->next) {
		CU_ASSERT_EQUAL(e->chunk != NULL, e->octets != NULL);
		if (e->kind == OBSERVE_FRAME_SENT)
			CU_ASSERT_TRUE(e->chunk->faulty);
		if (e->kind != OBSERVE_OCTETS_SEEN)
			continue;
		CU_ASSERT_EQUAL(e->chunk->ddp_ssn, due++);
		CU_ASSERT_EQUAL(e->chunk->ppid, SESSION_PPID_SEGMENT);
		CU_ASSERT_FALSE(e->chunk->faulty);
	}
	CU_ASSERT_EQUAL(due, 7);
	tear_down();
}

/* The stream that the other end has chosen. */
static void a_stream_is_found_by_its_first_message(void)
{
	const uint16_t known[] = {7};
	uint16_t sid = 0;

	set_up(7);
	open_session();
	CU_ASSERT_EQUAL(put_send(&a, 1, 5, &peer_no_faults), PEER_OK);
	CU_ASSERT_EQUAL(peer_flush(&a, NULL, 0, 0, soon()), PEER_OK);
	CU_ASSERT_EQUAL(association_other(theirs, known, 1, events,
					  clock_after_ms(50), &sid),
			ASSOCIATION_TIMEOUT);
	CU_ASSERT_EQUAL(
		association_other(theirs, NULL, 0, events, soon(), &sid),
		ASSOCIATION_MESSAGE);
	CU_ASSERT_EQUAL(sid, 7);
	must_get_send(&b, 1, 1);
	tear_down();
}

static unsigned logged(enum observe_kind kind, unsigned stream)
{
	unsigned n = 0;

	for (const struct event *e = observe_first(events); e; e = e->next)
		n += e->kind == kind && e->stream == stream;
	return n;
}

/* A chunk without a turn is reported, and nothing waits for it. */
static void chunks_without_a_turn_are_passed_over(void)
{
	struct peer_faults again = peer_no_faults, other = peer_no_faults;
	struct link_message shortest = {.stream = 5, .ppid = 16};

	set_up(5);
	open_session();
	again.chunk.ddp_ssn = 0;
	other.chunk.ppid = 18;
	CU_ASSERT_EQUAL(put_send(&a, 9, 5, &again), PEER_OK);
	CU_ASSERT_EQUAL(put_send(&a, 9, 5, &other), PEER_OK);
	CU_ASSERT_EQUAL(peer_flush(&a, NULL, 0, 0, soon()), PEER_OK);
	CU_ASSERT_EQUAL(link_send_message(a.conn, &shortest, "\1", 1, soon()),
			LINK_OK);
	other = peer_no_faults;
	other.chunk.ddp_ssn = 1;
	CU_ASSERT_EQUAL(put_send(&a, 1, 5, &other), PEER_OK);
	CU_ASSERT_EQUAL(peer_flush(&a, NULL, 0, 0, soon()), PEER_OK);
	must_get_send(&b, 1, 1);
	CU_ASSERT_EQUAL(logged(OBSERVE_OCTETS_SEEN, 1), 3);
	tear_down();
}

static void each_fault_is_its_own(void)
{
	struct peer_faults f = peer_no_faults;
	const struct frame *got;
	struct link_message m;

	set_up(2);
	open_session();
	f.chunk.ordered = true;
	CU_ASSERT_EQUAL(put_send(&a, 1, 5, &f), PEER_OK);
	CU_ASSERT_EQUAL(put_send(&a, 2, 5, &peer_no_faults), PEER_OK);
	CU_ASSERT_EQUAL(peer_flush(&a, NULL, 0, 0, soon()), PEER_OK);
	CU_ASSERT_EQUAL_FATAL(peer_receive(&b, soon(), &got), PEER_OK);
	CU_ASSERT_TRUE(got->chunk->ordered);
	CU_ASSERT_EQUAL(got->chunk->stream, 2);
	CU_ASSERT_EQUAL_FATAL(peer_receive(&b, soon(), &got), PEER_OK);
	CU_ASSERT_FALSE(got->chunk->ordered);
	/* On another stream: the peer of that stream would get it. */
	f = peer_no_faults;
	f.chunk.stream = 7;
	CU_ASSERT_EQUAL(put_send(&a, 3, 5, &f), PEER_OK);
	CU_ASSERT_EQUAL(peer_flush(&a, NULL, 0, 0, soon()), PEER_OK);
	CU_ASSERT_EQUAL_FATAL(link_recv_message(b.conn, &m, soon()), 1);
	CU_ASSERT_EQUAL(m.stream, 7);
	CU_ASSERT_EQUAL(m.octets[1], 3);
	/* Parameters of MPA do not apply here. */
	f = peer_no_faults;
	f.pad = 1;
	CU_ASSERT_EQUAL(put_send(&a, 4, 5, &f), PEER_BROKEN);
	f = peer_no_faults;
	f.crc = PEER_CRC_ONE_BIT;
	CU_ASSERT_EQUAL(put_send(&a, 4, 5, &f), PEER_BROKEN);
	tear_down();
}

static void a_chunk_of_the_other_kind_stays(void)
{
	const struct frame *f;
	const uint8_t *octets;
	size_t n;

	set_up(0);
	CU_ASSERT_EQUAL(put_send(&a, 1, 5, &peer_no_faults), PEER_OK);
	CU_ASSERT_EQUAL(peer_flush(&a, NULL, 0, 0, soon()), PEER_OK);
	CU_ASSERT_EQUAL(peer_receive_startup(&b, soon(), &octets, &n),
			PEER_OUT_OF_TURN);
	must_get_send(&b, 0, 1);
	CU_ASSERT_EQUAL(peer_control(&a, 8, NULL, 0, NULL, soon()), PEER_OK);
	CU_ASSERT_EQUAL(peer_receive(&b, soon(), &f), PEER_OUT_OF_TURN);
	CU_ASSERT_TRUE(peer_has_octets(&b));
	must_get_control(&b, 1, 8, "");
	CU_ASSERT_FALSE(peer_has_octets(&b));
	tear_down();
}

/* RFC 5043 s6.6. */
static void a_control_message_waits_for_the_one_before(void)
{
	struct peer_chunk_faults at_once = peer_no_chunk_faults;

	set_up(0);
	link_set_acks(b.conn, LINK_ACKS_WITHHELD);
	CU_ASSERT_EQUAL(
		peer_control(&a, SESSION_INITIATE, NULL, 0, NULL, soon()),
		PEER_OK);
	CU_ASSERT_EQUAL(peer_control(&a, SESSION_TERMINATE, NULL, 0, NULL,
				     clock_after_ms(50)),
			PEER_TIMEOUT);
	at_once.at_once = true;
	CU_ASSERT_EQUAL(
		peer_control(&a, SESSION_TERMINATE, NULL, 0, &at_once, soon()),
		PEER_OK);
	must_get_control(&b, 0, SESSION_INITIATE, "");
	must_get_control(&b, 1, SESSION_TERMINATE, "");
	link_set_acks(b.conn, LINK_ACKS_AT_ONCE);
	CU_ASSERT_EQUAL(
		peer_control(&a, SESSION_TERMINATE, NULL, 0, NULL, soon()),
		PEER_OK);
	must_get_control(&b, 2, SESSION_TERMINATE, "");
	tear_down();
}

static void streams_share_an_association(void)
{
	struct peer c, d;

	set_up(1);
	CU_ASSERT_TRUE_FATAL(peer_init_session(&c, ours, 2, events, 2));
	CU_ASSERT_TRUE_FATAL(peer_init_session(&d, theirs, 2, events, 3));
	for (uint32_t i = 1; i <= 5; i++) {
		CU_ASSERT_EQUAL(put_send(&a, i, 9, &peer_no_faults), PEER_OK);
		CU_ASSERT_EQUAL(put_send(&c, 10 + i, 9, &peer_no_faults),
				PEER_OK);
		CU_ASSERT_EQUAL(peer_flush(&a, NULL, 0, 0, soon()), PEER_OK);
		CU_ASSERT_EQUAL(peer_flush(&c, NULL, 0, 0, soon()), PEER_OK);
	}
	for (uint32_t i = 1; i <= 5; i++)
		must_get_send(&d, (uint16_t)(i - 1), 10 + i);
	for (uint32_t i = 1; i <= 5; i++)
		must_get_send(&b, (uint16_t)(i - 1), i);
	peer_end(&c, false);
	peer_end(&d, false);
	tear_down();
}

static void what_is_kept_goes_out_later(void)
{
	const struct frame *f;

	set_up(0);
	for (uint32_t i = 1; i <= 3; i++)
		CU_ASSERT_EQUAL(put_send(&a, i, 10, &peer_no_faults), PEER_OK);
	CU_ASSERT_EQUAL(peer_flush(&a, NULL, 0, 1, soon()), PEER_OK);
	must_get_send(&b, 0, 1);
	must_get_send(&b, 1, 2);
	CU_ASSERT_EQUAL(peer_receive(&b, clock_after_ms(20), &f), PEER_TIMEOUT);
	CU_ASSERT_EQUAL(peer_flush(&a, NULL, 0, 0, soon()), PEER_OK);
	must_get_send(&b, 2, 3);
	tear_down();
}

static void the_ends_of_an_association_are_told(void)
{
	const struct frame *f;

	for (int abort = 0; abort < 2; abort++) {
		struct peer_faults gap = peer_no_faults;

		set_up(0);
		gap.chunk.ddp_ssn = 1;
		CU_ASSERT_EQUAL(put_send(&a, 1, 5, &gap), PEER_OK);
		CU_ASSERT_EQUAL(peer_flush(&a, NULL, 0, 0, soon()), PEER_OK);
		CU_ASSERT_EQUAL(peer_receive(&b, clock_after_ms(30), &f),
				PEER_TIMEOUT);
		CU_ASSERT_EQUAL(abort ? (int)peer_reset(&a)
				      : link_half_close(a.conn),
				0);
		CU_ASSERT_EQUAL(peer_receive(&b, soon(), &f),
				abort ? PEER_RESET : PEER_FIN);
		/* What never had its turn is reported, unless an abort has kept
		 * what belongs before it from arriving. */
		CU_ASSERT_EQUAL(logged(OBSERVE_OCTETS_SEEN, 1), abort ? 0 : 1);
		CU_ASSERT_EQUAL(logged(OBSERVE_RESET_SEEN, 1), abort ? 1 : 0);
		CU_ASSERT_EQUAL(logged(OBSERVE_FIN_SEEN, 1), abort ? 0 : 1);
		tear_down();
	}
}

/* Across 65535: RFC 5043 s6. */
static void ddp_ssns_wrap(void)
{
	enum { MANY = 66000, AT_ONCE = 500 };

	set_up(0);
	for (uint32_t i = 0; i < MANY; i++) {
		uint8_t user[3] = {(uint8_t)(i >> 8), (uint8_t)i, 0x41};
		const struct link_message m = {.ppid = 16};
		const struct frame *f;

		CU_ASSERT_EQUAL_FATAL(link_send_message(a.conn, &m, user,
							sizeof(user), soon()),
				      LINK_OK);
		if (i % AT_ONCE != AT_ONCE - 1)
			continue;
		for (uint32_t k = i - (AT_ONCE - 1); k <= i; k++) {
			CU_ASSERT_EQUAL_FATAL(peer_receive(&b, soon(), &f),
					      PEER_OK);
			CU_ASSERT_EQUAL(f->chunk->ddp_ssn, k & 0xffff);
		}
		observe_reset(events);
	}
	tear_down();
}

static const struct unit_test tests[] = {
	{"a_session_from_end_to_end", a_session_from_end_to_end},
	{"the_order_is_that_of_ddp_ssns", the_order_is_that_of_ddp_ssns},
	{"chunks_without_a_turn_are_passed_over",
	 chunks_without_a_turn_are_passed_over},
	{"each_fault_is_its_own", each_fault_is_its_own},
	{"a_chunk_of_the_other_kind_stays", a_chunk_of_the_other_kind_stays},
	{"a_control_message_waits_for_the_one_before",
	 a_control_message_waits_for_the_one_before},
	{"streams_share_an_association", streams_share_an_association},
	{"what_is_kept_goes_out_later", what_is_kept_goes_out_later},
	{"the_ends_of_an_association_are_told",
	 the_ends_of_an_association_are_told},
	{"ddp_ssns_wrap", ddp_ssns_wrap},
	{"what_waits_in_vain_is_told", what_waits_in_vain_is_told},
	{"a_stream_is_found_by_its_first_message",
	 a_stream_is_found_by_its_first_message},
};

int main(void)
{
	return unit_run("session on SCTP", tests, UNIT_COUNT(tests));
}

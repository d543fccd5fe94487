/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The peer against itself, over the in-process pair: one end sends, the other
 * reads; and every named fault is in the octets, and nothing else.
 */
#include "harness/peer/peer.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "harness/crc/crc.h"
#include "harness/link/clock.h"
#include "harness/unit.h"
#include "harness/wire/rdmap.h"

static struct link *link;
static struct observe *events;
static struct peer a, b;

static void set_up(bool crc, bool markers)
{
	struct link_conn *x, *y;

	link = link_pair_open();
	events = observe_new();
	CU_ASSERT_EQUAL_FATAL(link_pair(link, &x, &y), LINK_OK);
	CU_ASSERT_TRUE_FATAL(peer_init(&a, x, events, 0));
	CU_ASSERT_TRUE_FATAL(peer_init(&b, y, events, 1));
	peer_full_operation(&a, crc, markers, markers);
	peer_full_operation(&b, crc, markers, markers);
}

static void tear_down(void)
{
	peer_end(&a, false);
	peer_end(&b, true);
	link_close_provider(link);
	observe_free(events);
}

static size_t a_send(uint8_t *ulpdu, uint32_t msn, size_t payload)
{
	struct ddp_segment seg = {
		.ddp = {.last = true,
			.dv = 1,
			.rv = 1,
			.opcode = RDMAP_SEND,
			.msn = msn},
		.payload = ulpdu + 100,
		.payload_octets = payload,
	};

	for (size_t i = 0; i < payload; i++)
		ulpdu[100 + i] = (uint8_t)(i + msn);
	uint8_t out[4096];
	size_t n = ddp_encode(&seg, out, sizeof(out));

	memcpy(ulpdu, out, n);
	return n;
}

static const struct frame *sent_with(const struct peer_faults *f,
				     size_t payload)
{
	uint8_t ulpdu[4096];
	const struct frame *frame = NULL;
	size_t n = a_send(ulpdu, 1, payload);

	CU_ASSERT_EQUAL_FATAL(peer_frame(&a, ulpdu, n, f, &frame), PEER_OK);
	return frame;
}

static void frames_arrive_as_sent(void)
{
	for (unsigned markers = 0; markers < 2; markers++) {
		set_up(true, markers);
		for (uint32_t i = 1; i <= 60; i++) {
			uint8_t ulpdu[4096];
			size_t n = a_send(ulpdu, i, i * 37 % 1500);
			const struct frame *in, *out;
			size_t cut = 3;

			CU_ASSERT_EQUAL(
				peer_frame(&a, ulpdu, n, &peer_no_faults, &out),
				PEER_OK);
			CU_ASSERT_EQUAL(peer_flush(&a, &cut, 1, 0, CLOCK_NOW),
					PEER_OK);
			CU_ASSERT_EQUAL_FATAL(peer_receive(&b, CLOCK_NOW, &in),
					      PEER_OK);
			CU_ASSERT_EQUAL(in->n, out->n);
			CU_ASSERT_EQUAL(memcmp(in->octets, out->octets, in->n),
					0);
			CU_ASSERT_TRUE(in->crc_ok);
			CU_ASSERT_EQUAL(in->fpdu->ulpdu_length, n);
			CU_ASSERT_EQUAL(memcmp(in->fpdu->ulpdu, ulpdu, n), 0);
			CU_ASSERT_EQUAL(in->seg.ddp.msn, i);
		}
		CU_ASSERT_EQUAL(a.tx_offset, b.rx_offset);
		tear_down();
	}
}

static void each_crc_fault_is_its_own(void)
{
	static const enum peer_crc faults[] = {
		PEER_CRC_ONE_BIT, PEER_CRC_SWAPPED, PEER_CRC_NOT_COMPLEMENTED,
		PEER_CRC_ETHERNET, PEER_CRC_GIVEN};
	uint8_t right[4], seen[UNIT_COUNT(faults)][4];

	set_up(true, false);
	const struct frame *f = sent_with(&peer_no_faults, 5);

	CU_ASSERT_TRUE(f->crc_ok);
	memcpy(right, f->octets + f->n - 4, 4);
	for (size_t i = 0; i < UNIT_COUNT(faults); i++) {
		struct peer_faults fault = peer_no_faults;

		fault.crc = faults[i];
		f = sent_with(&fault, 5);
		CU_ASSERT_FALSE(f->crc_ok);
		memcpy(seen[i], f->octets + f->n - 4, 4);
		for (size_t k = 0; k < i; k++)
			CU_ASSERT_NOT_EQUAL(memcmp(seen[i], seen[k], 4), 0);
	}
	uint8_t swapped[4] = {right[3], right[2], right[1], right[0]};

	CU_ASSERT_EQUAL(memcmp(seen[1], swapped, 4), 0);
	for (unsigned i = 0; i < 4; i++)
		CU_ASSERT_EQUAL(seen[2][i], (uint8_t)~right[i]);
	tear_down();
}

static void a_pad_fault_is_covered_or_not(void)
{
	struct peer_faults fault = peer_no_faults;

	set_up(true, false);
	fault.pad = 0xff;
	const struct frame *f = sent_with(&fault, 5);

	CU_ASSERT_EQUAL(f->fpdu->pad_octets, 3);
	CU_ASSERT_EQUAL(f->fpdu->pad[1], 0xff);
	CU_ASSERT_TRUE(f->crc_ok);
	fault = peer_no_faults;
	fault.pad_after = 0x11;
	f = sent_with(&fault, 5);
	CU_ASSERT_EQUAL(f->fpdu->pad[2], 0x11);
	CU_ASSERT_FALSE(f->crc_ok);
	fault = peer_no_faults;
	fault.flip = 8 * 20;
	f = sent_with(&fault, 5);
	CU_ASSERT_FALSE(f->crc_ok);
	CU_ASSERT_EQUAL(f->seg.payload[0], 0x80 | 1);
	tear_down();
}

static void marker_faults_stand_where_named(void)
{
	struct peer_faults fault = peer_no_faults;

	set_up(true, true);
	fault.marker_reserved = 0xffff;
	fault.marker_pointer = 4;
	const struct frame *f = sent_with(&fault, 5);

	CU_ASSERT_TRUE(f->crc_ok);
	CU_ASSERT_EQUAL(f->fpdu->marker_count, 1);
	CU_ASSERT_EQUAL(f->fpdu->marker[0].reserved, 0xffff);
	CU_ASSERT_EQUAL(f->fpdu->marker[0].fpduptr, 4);
	fault = peer_no_faults;
	fault.marker_pointer_after = 3;
	peer_full_operation(&a, true, true, true);
	f = sent_with(&fault, 5);
	CU_ASSERT_FALSE(f->crc_ok);
	CU_ASSERT_EQUAL(f->fpdu->marker[0].fpduptr, 3);
	fault = peer_no_faults;
	fault.no_markers = true;
	peer_full_operation(&a, true, true, true);
	f = sent_with(&fault, 5);
	CU_ASSERT_TRUE(f->crc_ok);
	CU_ASSERT_EQUAL(f->n, 32);
	CU_ASSERT_EQUAL(a.tx_offset, 32);
	tear_down();
}

static void the_end_is_told_after_the_last_octet(void)
{
	const struct frame *f;

	set_up(true, false);
	sent_with(&peer_no_faults, 5);
	CU_ASSERT_EQUAL(peer_flush(&a, NULL, 0, 4, CLOCK_NOW), PEER_OK);
	CU_ASSERT_EQUAL(peer_receive(&b, CLOCK_NOW, &f), PEER_TIMEOUT);
	CU_ASSERT_TRUE(peer_has_octets(&b));
	CU_ASSERT_EQUAL(peer_close_sending(&a), PEER_OK);
	CU_ASSERT_EQUAL(peer_receive(&b, CLOCK_NOW, &f), PEER_FIN);
	CU_ASSERT_TRUE(b.fin_seen);
	/* The octets that make no FPDU are in the events, ahead of the FIN. */
	const struct event *e = observe_first(events);

	while (e && e->kind != OBSERVE_OCTETS_SEEN)
		e = e->next;
	CU_ASSERT_PTR_NOT_NULL_FATAL(e);
	CU_ASSERT_EQUAL(e->n, 28);
	CU_ASSERT_EQUAL(e->next->kind, OBSERVE_FIN_SEEN);
	CU_ASSERT_EQUAL(peer_receive(&b, CLOCK_NOW, &f), PEER_FIN);
	CU_ASSERT_EQUAL(peer_reset(&b), PEER_OK);
	CU_ASSERT_EQUAL(peer_receive(&a, CLOCK_NOW, &f), PEER_RESET);
	CU_ASSERT_TRUE(a.reset_seen);
	tear_down();
}

/* One that is due, with the pointer of an FPDU that follows it, may come early. */
static void a_lone_marker_is_no_part_of_an_fpdu(void)
{
	static const struct {
		uint8_t octets[4];
		unsigned n;
		bool markers, is_part;
	} ends[] = {
		{{0, 0, 0, 0}, 4, true, false},
		{{0, 0, 0, 0}, 3, true, true},
		{{0, 0, 0, 4}, 4, true, true},
		{{0, 0, 0, 0}, 4, false, true},
	};
	const struct frame *f;

	for (unsigned i = 0; i < UNIT_COUNT(ends); i++) {
		set_up(true, ends[i].markers);
		CU_ASSERT_EQUAL(peer_send(&a, OBSERVE_OCTETS_SENT,
					  ends[i].octets, ends[i].n, NULL, 0,
					  CLOCK_NOW),
				PEER_OK);
		CU_ASSERT_EQUAL(peer_close_sending(&a), PEER_OK);
		CU_ASSERT_EQUAL(peer_receive(&b, CLOCK_NOW, &f), PEER_FIN);
		CU_ASSERT_EQUAL(b.leftover_logged, ends[i].is_part);
		tear_down();
	}
}

static void what_came_before_a_reset_is_received(void)
{
	const struct frame *f;

	set_up(true, false);
	sent_with(&peer_no_faults, 5);
	CU_ASSERT_EQUAL(peer_flush(&a, NULL, 0, 0, CLOCK_NOW), PEER_OK);
	CU_ASSERT_EQUAL(peer_reset(&a), PEER_OK);
	/* That a send was refused first makes no difference. */
	CU_ASSERT_EQUAL(peer_send(&b, OBSERVE_OCTETS_SENT, (uint8_t *)"x", 1,
				  NULL, 0, CLOCK_NOW),
			PEER_RESET);
	CU_ASSERT_FALSE(b.reset_seen);
	CU_ASSERT_EQUAL(peer_receive(&b, CLOCK_NOW, &f), PEER_OK);
	CU_ASSERT_EQUAL(peer_receive(&b, CLOCK_NOW, &f), PEER_RESET);
	CU_ASSERT_TRUE(b.reset_seen);
	tear_down();
}

static void a_startup_frame_of_any_length(void)
{
	uint8_t frame[MPA_HEADER_OCTETS + 600] = {0};
	const uint8_t *octets;
	size_t n;

	set_up(true, false);
	memcpy(frame, mpa_key_request, MPA_KEY_OCTETS);
	frame[18] = 600 >> 8;
	frame[19] = 600 & 0xff;
	CU_ASSERT_EQUAL(peer_send(&a, OBSERVE_STARTUP_SENT, frame, 19, NULL, 0,
				  CLOCK_NOW),
			PEER_OK);
	CU_ASSERT_EQUAL(peer_receive_startup(&b, CLOCK_NOW, &octets, &n),
			PEER_TIMEOUT);
	CU_ASSERT_EQUAL(n, 19);
	CU_ASSERT_EQUAL(peer_send(&a, OBSERVE_STARTUP_SENT, frame + 19,
				  sizeof(frame) - 19, NULL, 0, CLOCK_NOW),
			PEER_OK);
	CU_ASSERT_EQUAL(peer_receive_startup(&b, CLOCK_NOW, &octets, &n),
			PEER_OK);
	CU_ASSERT_EQUAL(n, sizeof(frame));
	CU_ASSERT_EQUAL(memcmp(octets, frame, n), 0);
	tear_down();
}

/* Over TCP, so that one end can wait while the other sends. */
static void set_up_tcp(void)
{
	struct link_listener *l;
	struct link_conn *x, *y;
	uint16_t port = 0;

	link = link_socket_open();
	events = observe_new();
	CU_ASSERT_EQUAL_FATAL(link_listen(link, "127.0.0.1", &port, &l),
			      LINK_OK);
	CU_ASSERT_EQUAL_FATAL(
		link_connect(link, "127.0.0.1", port, clock_after_ms(1000), &x),
		LINK_OK);
	CU_ASSERT_EQUAL_FATAL(link_accept(l, clock_after_ms(1000), &y),
			      LINK_OK);
	link_listener_close(l);
	CU_ASSERT_TRUE_FATAL(peer_init(&a, x, events, 0));
	CU_ASSERT_TRUE_FATAL(peer_init(&b, y, events, 1));
	peer_full_operation(&a, true, false, false);
	peer_full_operation(&b, true, false, false);
}

/* The held octets are sent in so many parts, each some time after the previous
 * one; or only the first of them. */
struct dripping {
	size_t parts, first;
	unsigned ms;
};

static void *drip(void *how)
{
	const struct dripping *d = how;
	const struct timespec between = {.tv_nsec = d->ms * CLOCK_NS_PER_MS};
	size_t n = a.held_octets;

	for (size_t i = 0; i < d->first; i++) {
		size_t from = i * n / d->parts, to = (i + 1) * n / d->parts;

		link_send(a.conn, a.held + from, to - from, NULL, 0,
			  clock_after_ms(1000));
		nanosleep(&between, NULL);
	}
	return NULL;
}

static enum peer_status wait_for(struct dripping d, unsigned ms)
{
	const struct frame *f;
	enum peer_status status;
	pthread_t sender;

	set_up_tcp();
	sent_with(&peer_no_faults, 100);
	CU_ASSERT_EQUAL_FATAL(pthread_create(&sender, NULL, drip, &d), 0);
	status = peer_receive(&b, clock_after_ms(ms), &f);
	pthread_join(sender, NULL);
	return status;
}

/* The wait is shorter than ten parts take. */
static void a_frame_that_grows_is_waited_for(void)
{
	CU_ASSERT_EQUAL(wait_for((struct dripping){10, 10, 90}, 600), PEER_OK);
	tear_down();
	CU_ASSERT_EQUAL(wait_for((struct dripping){10, 3, 90}, 600),
			PEER_TIMEOUT);
	CU_ASSERT_FALSE(b.growing);
	tear_down();
}

/* All parts would take a second longer than the wait: this is detected before
 * the parts of half that time have arrived. */
static void one_that_comes_too_late_is_not(void)
{
	CU_ASSERT_EQUAL(wait_for((struct dripping){100, 100, 26}, 200),
			PEER_TIMEOUT);
	CU_ASSERT_TRUE(b.growing);
	CU_ASSERT_TRUE((b.rx_to - b.rx_from) * 3 < a.held_octets);
	tear_down();
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"frames arrive as sent", frames_arrive_as_sent},
		{"each CRC fault is its own", each_crc_fault_is_its_own},
		{"a pad fault is covered or not",
		 a_pad_fault_is_covered_or_not},
		{"marker faults stand where named",
		 marker_faults_stand_where_named},
		{"the end is reported after the last octet",
		 the_end_is_told_after_the_last_octet},
		{"what came before a reset is received",
		 what_came_before_a_reset_is_received},
		{"a frame that grows is waited for",
		 a_frame_that_grows_is_waited_for},
		{"a lone marker", a_lone_marker_is_no_part_of_an_fpdu},
		{"one that comes too late is not",
		 one_that_comes_too_late_is_not},
		{"a startup frame of any length",
		 a_startup_frame_of_any_length},
	};
	const char *why;

	if (crc_init(&why) < 0)
		return 1;
	return unit_run("peer", tests, UNIT_COUNT(tests));
}

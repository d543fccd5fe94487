/* SPDX-License-Identifier: BSD-2-Clause */
/* Paths that drop what is large, and paths that only seem to. */
#include "harness/link/raw/tcp.h"

#include <string.h>

#include "harness/link/clock.h"
#include "harness/link/raw/tcp_fixture.h"

static uint32_t told; /* by the first end; 0: nothing */

static void narrowed(void *user, uint32_t mss)
{
	CU_ASSERT_PTR_EQUAL(user, &a);
	told = mss;
}

static void connected_and_watched(void)
{
	struct tcp_config ca = config(&a), cb = config(&b);

	ca.narrowed = narrowed;
	told = 0;
	connect_with(&ca, &cb);
}

/* Deliver what has at most so many octets; lose the rest. */
static void pass(struct end *from, struct end *to, size_t most)
{
	while (from->count) {
		if (on_wire(from)->n > most)
			lose(from);
		else
			deliver(from, to);
	}
}

/* So many milliseconds on such a path, in steps of 100. */
static void wait_on(size_t most_out, size_t most_in, unsigned ms)
{
	for (unsigned i = 0; i < ms / 100; i++) {
		pass(&a, &b, most_out);
		pass(&b, &a, most_in);
		now += 100 * CLOCK_NS_PER_MS;
		tcp_tick(a.tcp, now);
		tcp_tick(b.tcp, now);
	}
	pass(&a, &b, most_out);
	tcp_flush_ack(b.tcp, now);
	pass(&b, &a, most_in);
}

static void write_large(void)
{
	static const char many[3000] = {'h'};

	CU_ASSERT_EQUAL(tcp_write(a.tcp, many, sizeof(many), now), 3000);
}

static void large_segments_are_lost(void)
{
	connected_and_watched();
	write_large();
	wait_on(1300, MSS, 5000);
	CU_ASSERT_EQUAL(told, 1220);
	CU_ASSERT_EQUAL(tcp_readable(b.tcp), 3000);
}

static void the_path_is_narrower_still(void)
{
	connected_and_watched();
	write_large();
	wait_on(960, MSS, 10000);
	CU_ASSERT_EQUAL(told, 536);
	CU_ASSERT_EQUAL(tcp_readable(b.tcp), 3000);
}

/* Nothing arrives for two seconds, and then everything. */
static void an_outage_is_no_hole(void)
{
	connected_and_watched();
	write_large();
	while (a.count)
		lose(&a);
	for (unsigned ms = 0; ms < 2000; ms += 100) {
		now += 100 * CLOCK_NS_PER_MS;
		tcp_tick(a.tcp, now);
		while (a.count)
			lose(&a);
	}
	wait_on(MSS, MSS, 5000);
	CU_ASSERT_EQUAL(told, 0);
	CU_ASSERT_EQUAL(tcp_readable(b.tcp), 3000);
	CU_ASSERT_EQUAL(tcp_emss_out(a.tcp), MSS);
}

/* Everything arrives, and no ACK returns for a while. */
static void lost_acknowledgements_are_no_hole(void)
{
	connected_and_watched();
	write_large();
	pass(&a, &b, MSS);
	tcp_flush_ack(b.tcp, now);
	for (unsigned ms = 0; ms < 2000; ms += 100) {
		while (b.count)
			lose(&b);
		now += 100 * CLOCK_NS_PER_MS;
		tcp_tick(a.tcp, now);
		pass(&a, &b, MSS);
		tcp_flush_ack(b.tcp, now);
	}
	wait_on(MSS, MSS, 5000);
	CU_ASSERT_EQUAL(told, 0);
	CU_ASSERT_EQUAL(tcp_readable(b.tcp), 3000);
}

/* One large segment is lost together with its first retransmission. */
static void two_losses_are_no_hole(void)
{
	connected_and_watched();
	write_large();
	wait_on(1300, MSS, 400);
	wait_on(MSS, MSS, 2000);
	CU_ASSERT_EQUAL(told, 0);
	CU_ASSERT_EQUAL(tcp_readable(b.tcp), 3000);
}

/* The peer has announced that it has no room left, and drops what comes. */
static void a_full_peer_is_no_hole(void)
{
	connected_and_watched();
	write_large();
	while (a.count)
		lose(&a);
	tcp_set_window(b.tcp, 0, now);
	wait_on(1300, MSS, 5000);
	CU_ASSERT_EQUAL(told, 0);
	CU_ASSERT_EQUAL(tcp_emss_out(a.tcp), MSS);
}

/* The octets wait for their place: the script decides how they are cut. */
static void a_script_is_not_cut(void)
{
	static const char many[1400] = {'s'};
	static const struct link_segment plan[] = {{.from = 0, .to = 1400}};

	connected_and_watched();
	CU_ASSERT(tcp_write_segments(a.tcp, many, 1400, plan, 1, now));
	wait_on(1300, MSS, 5000);
	CU_ASSERT_EQUAL(told, 0);
	CU_ASSERT_EQUAL(tcp_readable(b.tcp), 0);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"large segments are lost", large_segments_are_lost},
		{"the path is narrower still", the_path_is_narrower_still},
		{"an outage is no hole", an_outage_is_no_hole},
		{"lost acknowledgements are no hole",
		 lost_acknowledgements_are_no_hole},
		{"two losses are no hole", two_losses_are_no_hole},
		{"a full peer is no hole", a_full_peer_is_no_hole},
		{"a script is not cut", a_script_is_not_cut},
	};

	return run_tests("tcp black holes", tests, UNIT_COUNT(tests));
}

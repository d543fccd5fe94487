/* SPDX-License-Identifier: BSD-2-Clause */
/* Two end points, and a wire between them that the test controls. */
#ifndef HARNESS_LINK_RAW_TCP_FIXTURE_H
#define HARNESS_LINK_RAW_TCP_FIXTURE_H

#include <string.h>

#include "harness/link/raw/tcp.h"
#include "harness/unit.h"

enum { WIRE = 256, OCTETS = 2048, MSS = 1460 };

struct flying {
	struct segment s;
	uint8_t octets[OCTETS];
};

/* An end, and the segments that it has sent and that are still on their way. */
static struct end {
	struct tcp *tcp;
	struct flying wire[WIRE];
	size_t first, count;
	uint64_t emitted;
} a, b;
static uint64_t now;

static inline void emit(void *user, const struct segment *s)
{
	struct end *e = user;
	struct flying *f = &e->wire[(e->first + e->count++) % WIRE];

	CU_ASSERT_FATAL(e->count <= WIRE && s->n <= OCTETS);
	f->s = *s;
	if (s->n)
		memcpy(f->octets, s->octets, s->n);
	f->s.octets = f->octets;
	e->emitted++;
}

static inline struct tcp_config config(struct end *e)
{
	return (struct tcp_config){.isn = 0xfffffff0u,
				   .mss = MSS,
				   .path_mss = MSS,
				   .max_window = 32000,
				   .emit = emit,
				   .user = e};
}

static inline struct segment *on_wire(struct end *e)
{
	CU_ASSERT_FATAL(e->count > 0);
	return &e->wire[e->first].s;
}

static inline void lose(struct end *e)
{
	CU_ASSERT_FATAL(e->count > 0);
	e->first = (e->first + 1) % WIRE;
	e->count--;
}

static inline void deliver(struct end *from, struct end *to)
{
	struct flying f = from->wire[from->first];

	lose(from);
	f.s.octets = f.octets;
	tcp_input(to->tcp, &f.s, now);
}

/* Deliver all segments on their way, and the answers, until there are no
 * more. */
static inline void settle(void)
{
	for (unsigned i = 0; i < 10000; i++) {
		while (a.count)
			deliver(&a, &b);
		while (b.count)
			deliver(&b, &a);
		if (a.count || b.count)
			continue;
		tcp_flush_ack(a.tcp, now);
		tcp_flush_ack(b.tcp, now);
		if (!a.count && !b.count)
			return;
	}
	CU_FAIL("it never gets quiet");
}

static inline void prepare(void)
{
	now = 1000000;
	a.first = a.count = a.emitted = 0;
	b.first = b.count = b.emitted = 0;
}

static inline void connect_with(const struct tcp_config *ca,
				const struct tcp_config *cb)
{
	prepare();
	tcp_open(a.tcp, ca, now);
	CU_ASSERT_EQUAL(on_wire(&a)->flags, SEGMENT_SYN);
	struct segment syn = *on_wire(&a);

	lose(&a);
	tcp_accept(b.tcp, cb, &syn, now);
	settle();
	CU_ASSERT_EQUAL_FATAL(tcp_state(a.tcp), TCP_SYNCHRONIZED);
	CU_ASSERT_EQUAL_FATAL(tcp_state(b.tcp), TCP_SYNCHRONIZED);
}

static inline void connected(void)
{
	struct tcp_config ca = config(&a), cb = config(&b);

	connect_with(&ca, &cb);
}

static inline void got(struct end *e, const char *text)
{
	char octets[256];
	size_t n = tcp_read(e->tcp, octets, sizeof(octets));

	CU_ASSERT_EQUAL(n, strlen(text));
	CU_ASSERT_EQUAL(memcmp(octets, text, n), 0);
}

static inline void say(struct end *e, const char *text)
{
	CU_ASSERT_EQUAL(tcp_write(e->tcp, text, strlen(text), now),
			strlen(text));
}

/* Make both ends, and run the tests. */
static inline int run_tests(const char *suite, const struct unit_test *tests,
			    size_t n)
{
	a.tcp = tcp_new();
	b.tcp = tcp_new();
	int status = unit_run(suite, tests, n);

	tcp_free(a.tcp);
	tcp_free(b.tcp);
	return status;
}

#endif

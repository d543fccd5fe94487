/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device's memory: regions are registered, filled and read.
 */
#include "suite/language/dut/dut_internal.h"

#include <string.h>

#include "suite/language/case_program.h"
#include "suite/language/execution/meets.h"

static void check_room(struct test *t, unsigned n)
{
	if (t->regions + n > TEST_REGIONS)
		test_error(t, CAUSE_SUITE, "more than %u regions",
			   TEST_REGIONS);
}

/* Check for room for `n` more regions of this size. */
static void check_regions(struct test *t, const struct region_opts *o,
			  unsigned n)
{
	alone_asks(t, "to register memory");
	check_room(t, n);
	for (unsigned i = 0; i < n; i++)
		test_within(t, o[i].len, t->bed->hello.max_region_len,
			    "octets in a region");
}

/* Ask for region `number`; the reply goes to *told. */
static void begin_region(struct test *t, const struct region_opts *o,
			 unsigned number, struct agent_region *told)
{
	struct test_region *r = &t->region[number];
	struct stream *bound = o->bound ? the_stream(t) : NULL;

	*r = (struct test_region){
		.opts = *o,
		.bound_to = bound ? (uint32_t)(bound - t->stream) + 1 : 0};
	meets_region(t, o);
	test_acts(t);
	agent_begin_reg(t->bed->agent,
			&(struct agent_reg){
				.name = dut_region_name(t, number),
				.len = o->len,
				.access = dut_agent_rights(o->access),
				.pd = o->pd,
				.align = o->align,
				.skew = o->skew,
				.zero_based = o->zero_based,
				.shared = o->shared,
				.conn = bound ? bound->conn : NULL,
			},
			told);
}

/* The next region is registered. */
static struct region take_region(struct test *t,
				 const struct agent_region *told)
{
	struct test_region *r = &t->region[t->regions];
	const struct region_opts *o = &r->opts;

	r->r = (struct region){.number = t->regions++,
			       .stag = told->stag,
			       .to = told->to,
			       .len = o->len};
	r->shadow = o->raced ? NULL : test_alloc(t, o->len);
	r->kept = test_alloc(t, o->len);
	for (unsigned i = 0; i < t->streams; i++)
		if (t->stream[i].model)
			dut_tell_region(t, &t->stream[i], r);
	return r->r;
}

struct region case_registers(struct test *t, const struct region_opts *o)
{
	struct agent_region told;

	if (test_alone(t)) {
		check_room(t, 1);
		return buffer_allots(t, o);
	}
	check_regions(t, o, 1);
	begin_region(t, o, t->regions, &told);
	dut_finishes(t, "reg");
	return take_region(t, &told);
}

/* In pieces of the size that the agent protocol prescribes. */
static void begin_fill(struct test *t, unsigned region, size_t off,
		       const uint8_t *octets, size_t n)
{
	const size_t most = LINE_MAX_HEX_BYTES;

	for (size_t at = 0; at < n; at += most)
		agent_begin_fill(t->bed->agent, dut_region_name(t, region),
				 off + at, octets + at,
				 n - at < most ? n - at : most);
}

/* The device's memory holds them now. */
static void take_fill(struct test *t, struct region r, size_t off,
		      const uint8_t *octets, size_t n)
{
	struct test_region *tr = dut_region(t, r);

	memcpy(tr->kept + off, octets, n);
	if (tr->shadow)
		memcpy(tr->shadow + off, octets, n);
	for (unsigned i = 0; i < t->streams; i++)
		if (t->stream[i].model)
			model_region_changed(t->stream[i].model, r.stag,
					     r.to + off, n);
}

void dut_registers_each(struct test *t, const struct region_opts *o,
			const uint8_t *const *octets, unsigned n,
			struct region *out)
{
	struct agent_region told[TEST_REGIONS];

	if (test_alone(t)) {
		check_room(t, n);
		for (unsigned i = 0; i < n; i++) {
			out[i] = buffer_allots(t, &o[i]);
			buffer_fills(t, out[i], 0, octets[i], o[i].len);
		}
		return;
	}
	check_regions(t, o, n);
	for (unsigned i = 0; i < n; i++) {
		begin_region(t, &o[i], t->regions + i, &told[i]);
		begin_fill(t, t->regions + i, 0, octets[i], o[i].len);
	}
	dut_finishes(t, "reg");
	for (unsigned i = 0; i < n; i++) {
		out[i] = take_region(t, &told[i]);
		take_fill(t, out[i], 0, octets[i], o[i].len);
	}
}

void dut_fills(struct test *t, struct region r, size_t off, const void *octets,
	       size_t n)
{
	dut_refills(
		t,
		&(struct refill){.r = r, .off = off, .n = n, .octets = octets},
		1);
}

void dut_refills(struct test *t, const struct refill *part, unsigned n)
{
	test_acts(t);
	if (test_alone(t)) {
		for (unsigned i = 0; i < n; i++)
			buffer_fills(t, part[i].r, part[i].off, part[i].octets,
				     part[i].n);
		return;
	}
	for (unsigned i = 0; i < n; i++)
		begin_fill(t, part[i].r.number, part[i].off, part[i].octets,
			   part[i].n);
	dut_finishes(t, "fill");
	for (unsigned i = 0; i < n; i++)
		take_fill(t, part[i].r, part[i].off, part[i].octets, part[i].n);
}

void dut_sets_word(struct test *t, struct region r, size_t off, uint64_t value)
{
	uint8_t octets[8];

	model_word_store(octets, value, t->bed->hello.big_endian);
	dut_fills(t, r, off, octets, sizeof(octets));
}

/* The most that one reply of the agent protocol may carry. */
static void begin_dump(struct test *t, struct region r, size_t off, size_t n,
		       uint8_t *octets)
{
	const size_t most = LINE_MAX_HEX_BYTES;

	for (size_t at = 0; at < n; at += most)
		agent_begin_dump(t->bed->agent, dut_region_name(t, r.number),
				 off + at, n - at < most ? n - at : most,
				 octets + at);
}

const uint8_t *dut_memory(struct test *t, struct region r, size_t off, size_t n)
{
	uint8_t *octets;

	if (test_alone(t)) {
		const uint8_t *now = buffer_octets(t, r, off, n);

		return now ? now : dut_region(t, r)->kept + off;
	}
	octets = test_alloc(t, n);
	begin_dump(t, r, off, n, octets);
	dut_finishes(t, "dump");
	return octets;
}

void dut_memories(struct test *t, const struct region *r, unsigned n,
		  uint8_t **octets)
{
	alone_asks(t, "to read its memory");
	for (unsigned i = 0; i < n; i++)
		octets[i] = test_alloc(t, r[i].len);
	for (unsigned i = 0; i < n; i++)
		begin_dump(t, r[i], 0, r[i].len, octets[i]);
	dut_finishes(t, "dump");
}

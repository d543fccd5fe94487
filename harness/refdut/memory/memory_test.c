/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/refdut/memory/memory.h"
#include "harness/unit.h"

#include <stdlib.h>

static const int owner, stranger, stream_a, stream_b;

static struct region *make(uint64_t len, unsigned access)
{
	struct region_options o = {.domain = {&owner, 1},
				   .len = len,
				   .align = 64,
				   .skew = 1,
				   .access = access};

	return region_register("r", &o);
}

static enum memory_flaw check(struct region *r, uint64_t to, uint64_t len)
{
	struct domain domain = {&owner, 1};
	struct region *found;

	return memory_check(&domain, &stream_a, r->stag, to, len,
			    ACCESS_REMOTE_WRITE, &found);
}

static void bounds_have_octet_granularity(void)
{
	struct region *r = make(13, ACCESS_REMOTE_WRITE);

	CU_ASSERT_EQUAL(r->to % 64, 1);
	CU_ASSERT_EQUAL(check(r, r->to, 13), MEMORY_FINE);
	CU_ASSERT_EQUAL(check(r, r->to, 14), MEMORY_BOUNDS);
	CU_ASSERT_EQUAL(check(r, r->to + 12, 1), MEMORY_FINE);
	CU_ASSERT_EQUAL(check(r, r->to + 13, 1), MEMORY_BOUNDS);
	CU_ASSERT_EQUAL(check(r, r->to - 1, 1), MEMORY_BOUNDS);
	CU_ASSERT_EQUAL(check(r, r->to + (1ull << 32), 1), MEMORY_BOUNDS);
	CU_ASSERT_EQUAL(check(r, r->to, UINT64_MAX - r->to), MEMORY_BOUNDS);
	CU_ASSERT_EQUAL(check(r, UINT64_MAX - 15, 32), MEMORY_WRAP);
	CU_ASSERT_EQUAL(check(r, UINT64_MAX, 1), MEMORY_BOUNDS);
	region_put(r);
}

static void an_stag_belongs_to_its_domain_and_stream(void)
{
	struct region *r = make(8, ACCESS_REMOTE_WRITE);
	struct domain other = {&owner, 2};
	struct domain same_number = {&stranger, 1};
	struct domain own = {&owner, 1};
	struct region *found;

	CU_ASSERT_EQUAL(
		memory_check(&other, &stream_a, r->stag, r->to, 1, 0, &found),
		MEMORY_NOT_ASSOCIATED);
	CU_ASSERT_EQUAL(memory_check(&same_number, &stream_a, r->stag, r->to, 1,
				     0, &found),
			MEMORY_NOT_ASSOCIATED);
	r->stream = &stream_b;
	CU_ASSERT_EQUAL(check(r, r->to, 1), MEMORY_NOT_ASSOCIATED);
	CU_ASSERT_EQUAL(
		memory_check(&own, &stream_b, r->stag, r->to, 1, 0, &found),
		MEMORY_FINE);
	CU_ASSERT_PTR_EQUAL(found, r);
	region_put(r);
}

static void rights_are_checked_one_by_one(void)
{
	struct region *r = make(8, ACCESS_REMOTE_READ | ACCESS_LOCAL_WRITE);
	struct domain own = {&owner, 1};
	struct region *found;

	CU_ASSERT_EQUAL(check(r, r->to, 1), MEMORY_ACCESS);
	CU_ASSERT_EQUAL(memory_check(&own, &stream_a, r->stag, r->to, 8,
				     ACCESS_REMOTE_READ, &found),
			MEMORY_FINE);
	CU_ASSERT_EQUAL(memory_check(&own, &stream_a, r->stag, r->to, 8,
				     ACCESS_REMOTE_READ | ACCESS_REMOTE_ATOMIC,
				     &found),
			MEMORY_ACCESS);
	region_put(r);
}

static void an_invalid_stag_is_unknown(void)
{
	struct region *r = make(8, ACCESS_REMOTE_WRITE);
	struct region *kept = region_get(r);

	CU_ASSERT_EQUAL(check(r, r->to, 1), MEMORY_FINE);
	region_invalidate(r);
	CU_ASSERT_EQUAL(check(r, r->to, 1), MEMORY_NO_STAG);
	region_invalidate(r);
	region_put(r);
	/* References that remain can still use its octets. */
	kept->octets[7] = 1;
	CU_ASSERT_EQUAL(kept->octets[7], 1);
	region_put(kept);
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Sparse over the whole space, without a fixed step, and without duplicates. */
static void stags_cannot_be_guessed(void)
{
	enum { N = 2000 };
	static uint32_t stags[N];
	unsigned quarter[4] = {0};

	for (int i = 0; i < N; i++) {
		struct region *r = make(1, 0);

		stags[i] = r->stag;
		quarter[r->stag >> 30]++;
		region_put(r);
	}
	for (int q = 0; q < 4; q++)
		CU_ASSERT_TRUE(quarter[q] > N / 8);
	CU_ASSERT_NOT_EQUAL(stags[1] - stags[0], stags[2] - stags[1]);
	qsort(stags, N, sizeof(*stags), by_value);
	for (int i = 1; i < N; i++)
		CU_ASSERT_NOT_EQUAL(stags[i], stags[i - 1]);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"bounds have octet granularity",
		 bounds_have_octet_granularity},
		{"an STag belongs to its domain and stream",
		 an_stag_belongs_to_its_domain_and_stream},
		{"rights are checked one by one",
		 rights_are_checked_one_by_one},
		{"an invalid STag is unknown", an_invalid_stag_is_unknown},
		{"STags cannot be guessed", stags_cannot_be_guessed},
	};

	return unit_run("refdut memory", tests, UNIT_COUNT(tests));
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/audit/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/unit.h"

/* Whether this is a file of memory; the line about it is in why. */
static bool reads(struct memory_places *p, const char *text, char *why,
		  size_t cap)
{
	char path[] = "/tmp/memory_test.XXXXXX";
	int fd = mkstemp(path);
	size_t n = strlen(text);

	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(write(fd, text, n), (ssize_t)n);
	close(fd);
	*p = (struct memory_places){.n = 0};
	bool ok = memory_file(p, path, why, cap);

	unlink(path);
	return ok;
}

static void regions_and_their_rights(void)
{
	struct memory_places p;
	char why[512];

	CU_ASSERT_FATAL(reads(&p,
			      "; two regions\n"
			      "0x10:0x7000:4096 rr,rw ra untouched ; of rping\n"
			      "\n"
			      "17:8:16 none foreign,shared zero-based\n",
			      why, sizeof(why)));
	CU_ASSERT_EQUAL(p.n, 2);
	CU_ASSERT(p.all);
	CU_ASSERT_EQUAL(p.place[0].buffer.stag, 0x10);
	CU_ASSERT_EQUAL(p.place[0].buffer.to, 0x7000);
	CU_ASSERT_EQUAL(p.place[0].buffer.len, 4096);
	CU_ASSERT_EQUAL(p.place[0].access, MODEL_RR | MODEL_RW | MODEL_RA);
	CU_ASSERT(p.place[0].untouched && p.place[0].by_address);
	CU_ASSERT(!p.place[0].foreign && !p.place[0].shared);
	CU_ASSERT_EQUAL(p.place[1].access, 0);
	CU_ASSERT(p.place[1].foreign && p.place[1].shared);
	CU_ASSERT(!p.place[1].untouched && !p.place[1].by_address);
}

static void what_is_no_file_of_memory(void)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{"", "it names no region"},
		{"; nothing\n", "it names no region"},
		{"1:2:3 rr\nhere rr\n", "line 2: buffer here: expected STAG"},
		{"1:2:3 lw\n", "line 1: lw: expected rr"},
		{"1:2:3 rr\n1:9:3 rr\n", "line 2: a second region of STag 0x1"},
		{"send:0 rr\n", "line 1: send:0: expected STAG:TO:LENGTH"},
		{"1:0:1\n2:0:1\n3:0:1\n4:0:1\n5:0:1\n6:0:1\n7:0:1\n8:0:1\n"
		 "9:0:1\n10:0:1\n11:0:1\n12:0:1\n13:0:1\n14:0:1\n15:0:1\n"
		 "16:0:1\n17:0:1\n",
		 "line 17: more than 16 regions"},
	};
	struct memory_places p;
	char why[512];

	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		CU_ASSERT(!reads(&p, rows[i].text, why, sizeof(why)));
		CU_ASSERT_PTR_NOT_NULL(strstr(why, rows[i].says));
	}
	CU_ASSERT(!memory_file(&p, "/no/such/file", why, sizeof(why)));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "No such file"));
}

/* The Reply has no part in it. */
static const struct mpa_startup reply;

static void a_region_of_two_streams(void)
{
	static struct model one, other;
	static struct memory a, b;
	struct memory_places p;
	struct model_config config = {.observed = true};
	char why[512];

	CU_ASSERT_FATAL(
		reads(&p, "1:0x1000:64 rr,rw untouched\n", why, sizeof(why)));
	model_init(&one, &config);
	model_init(&other, &config);
	CU_ASSERT(memory_begins(&a, &p, &one, &reply));
	CU_ASSERT_PTR_NOT_NULL(model_region(&one, 1)->shadow);
	CU_ASSERT(one.config.regions_known);

	/* What it holds is followed while one stream has it, */
	CU_ASSERT(memory_begins(&b, &p, &other, &reply));
	memory_shared(&a, &one);
	CU_ASSERT_PTR_NULL(model_region(&one, 1)->shadow);
	CU_ASSERT_PTR_NULL(model_region(&other, 1)->shadow);

	/* and whether it is still valid once the other has invalidated it is
	 * not known. */
	CU_ASSERT(model_region_invalidate(&one, 1));
	memory_shared(&a, &one);
	memory_shared(&b, &other);
	CU_ASSERT(model_region(&other, 1)->doubtful);
	CU_ASSERT(!model_region(&one, 1)->doubtful);
	memory_ends(&a);
	memory_ends(&b);
	CU_ASSERT_EQUAL(p.place[0].users, 0);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"regions and their rights", regions_and_their_rights},
		{"what is no file of memory", what_is_no_file_of_memory},
		{"a region of two streams", a_region_of_two_streams},
	};

	return unit_run("memory", tests, UNIT_COUNT(tests));
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/run/worker/packets.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness/unit.h"

static char path[2][32] = {"/tmp/packets-XXXXXX", "/tmp/packets-XXXXXX"};

static void says(unsigned which, const char *text)
{
	FILE *f = fopen(path[which], "w");

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	fputs(text, f);
	fclose(f);
}

static void the_longest_wait_since_the_last_look(void)
{
	struct packets p = {0};

	says(0, "70008674779 1000 2499903\n");
	says(1, "71068746976 5000 2521473\n");
	CU_ASSERT_TRUE(packets_watch(&p, path[0]));
	CU_ASSERT_TRUE(packets_watch(&p, path[1]));
	CU_ASSERT_EQUAL(packets_look(&p), 0);
	says(0, "70008674779 1300 2499904\n");
	says(1, "71068746976 5700 2521474\n");
	CU_ASSERT_EQUAL(packets_look(&p), 700);
	CU_ASSERT_EQUAL(packets_look(&p), 0);
	says(0, "70008674779 2300 2499905\n");
	CU_ASSERT_EQUAL(packets_look(&p), 1000);
	packets_close(&p);
	CU_ASSERT_EQUAL(packets_look(&p), 0);
}

static void what_cannot_be_read_is_no_wait(void)
{
	struct packets p = {0};

	CU_ASSERT_FALSE(packets_watch(&p, "/nowhere/schedstat"));
	says(0, "nothing of the kind");
	CU_ASSERT_FALSE(packets_watch(&p, path[0]));
	says(0, "1 2 3\n");
	CU_ASSERT_TRUE(packets_watch(&p, path[0]));
	says(0, "");
	CU_ASSERT_EQUAL(packets_look(&p), 0);
	packets_close(&p);
}

static void this_host_is_watched(void)
{
	struct packets p;

	packets_open(&p);
	packets_look(&p);
	CU_ASSERT_TRUE(p.count <= PACKETS_THREADS);
	packets_close(&p);
	CU_ASSERT_EQUAL(p.count, 0);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"the longest wait since the last look",
		 the_longest_wait_since_the_last_look},
		{"what cannot be read is no wait",
		 what_cannot_be_read_is_no_wait},
		{"this host is watched", this_host_is_watched},
	};

	for (unsigned i = 0; i < 2; i++) {
		int fd = mkstemp(path[i]);

		if (fd < 0)
			return 1;
		close(fd);
	}
	int status = unit_run("packets", tests, UNIT_COUNT(tests));

	unlink(path[0]);
	unlink(path[1]);
	return status;
}

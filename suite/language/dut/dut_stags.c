/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * STags: one that the device never issued, and those of many registrations in a
 * row. Only the agent knows the regions of the latter: no case uses them, and
 * the model does not know them.
 */
#include "suite/language/execution/execution.h"

#define BATCH 128

struct stags dut_draws_stags(struct test *t, unsigned n, bool freed)
{
	struct agent *a = t->bed->agent;
	unsigned most = t->bed->hello.max_regions;
	unsigned left = most > t->regions ? most - t->regions : 0;
	struct agent_region told[BATCH];

	alone_asks(t, "to register memory");
	if (!freed && most && n > left)
		n = left;
	uint32_t *stag = test_alloc(t, n * sizeof(*stag));

	for (unsigned at = 0; at < n; at += BATCH) {
		unsigned end = at + BATCH < n ? at + BATCH : n;

		for (unsigned i = at; i < end; i++) {
			const char *name = test_format(t, "s%u", i);

			agent_begin_reg(a,
					&(struct agent_reg){.name = name,
							    .len = 4096,
							    .access = AGENT_LW |
								      AGENT_RR},
					&told[i - at]);
			if (freed)
				agent_begin_dereg(a, name);
		}
		dut_finishes(t, "reg");
		for (unsigned i = at; i < end; i++)
			stag[i] = told[i - at].stag;
	}
	return (struct stags){.stag = stag, .n = n};
}

uint32_t stag_never_issued(struct test *t)
{
	uint32_t stag = 0x7a11f00d;

	if ((t->bed->device->buffer.stag & ~0xffu) == (stag & ~0xffu))
		stag += 0x01010100;
	for (unsigned i = 0; i < t->regions; i++)
		if ((t->region[i].r.stag & ~0xffu) == (stag & ~0xffu)) {
			stag += 0x01010100;
			i = 0;
		}
	return stag;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* A right message of the peer gets the one fault of its step (faults.def). */
#ifndef SUITE_EXPLORE_FAULT_H
#define SUITE_EXPLORE_FAULT_H

#include "suite/explore/program.h"
#include "suite/language/case.h"

struct fault_place {
	const struct step *step;
	const struct region *region; /* that of the step, */
	const struct region *others; /* and all there are: len 0 is none */
	unsigned count;
};

/* Where the fault cannot be had here, the message stays right. */
void fault_put(struct test *t, const struct fault_place *at, struct msg *m);

#endif

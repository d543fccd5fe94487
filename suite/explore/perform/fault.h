/* SPDX-License-Identifier: BSD-2-Clause */
/* A right message of the peer gets the one fault of its step (faults.def). */
#ifndef SUITE_EXPLORE_FAULT_H
#define SUITE_EXPLORE_FAULT_H

#include "suite/explore/program.h"
#include "suite/language/case.h"

struct fault_place {
	const struct step *step;
	const struct region *region; /* that of the step, */
	const struct region *others; /* and the number of regions; len 0: there
				      * is none */
	unsigned count;
};

/* If the fault is not possible here, the message stays correct. */
void fault_put(struct test *t, const struct fault_place *at, struct msg *m);

#endif

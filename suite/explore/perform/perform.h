/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program is performed as a case is: on a device, in step with the golden
 * model, judged by requirement.
 */
#ifndef SUITE_EXPLORE_PERFORM_H
#define SUITE_EXPLORE_PERFORM_H

#include "suite/explore/program.h"
#include "suite/language/execution/instance.h"

/* The case that performed it, and how far it got: set by perform(). */
struct performance {
	const struct program *program;
	unsigned operations; /* done, and compared */
	/* Called for each region at the end, with the octets due (NULL: not all
	 * are determined), and the requirement behind the last of them; may be
	 * NULL. */
	void (*due)(void *user, unsigned region, const uint8_t *octets,
		    size_t n, unsigned short req);
	void *user;
};

/* The value that the peer answers an atomic of the device with: any will do. */
uint64_t perform_value(const struct step *s);
/* An instance that performs it; `id` and the performance outlive it. */
struct instance perform_as(struct performance *p, const char *id);

#endif

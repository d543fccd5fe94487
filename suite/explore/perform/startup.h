/* SPDX-License-Identifier: BSD-2-Clause */
/* A startup frame of the peer that the device has to refuse (startups.def). */
#ifndef SUITE_EXPLORE_STARTUP_H
#define SUITE_EXPLORE_STARTUP_H

#include "suite/explore/program.h"
#include "suite/language/case.h"

/* Instead of a stream with these numbers, which is never established. */
void startup_is_wrong(struct test *t, const uint64_t *s,
		      const struct stream_opts *o);

#endif

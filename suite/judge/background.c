/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/judge/background.h"

#include <stdlib.h>
#include <string.h>

static int by_id(const void *id, const void *of)
{
	return strcmp(id, ((const struct background_case *)of)->id);
}

const struct background_case *background_case_of(const struct background *b,
						 const char *id)
{
	return b->case_count ? bsearch(id, b->cases, b->case_count,
				       sizeof(*b->cases), by_id)
			     : NULL;
}

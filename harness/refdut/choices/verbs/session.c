/* SPDX-License-Identifier: BSD-2-Clause */
/* Choices that the agent's hello reports. */
#include "harness/refdut/agent/session_decisions.h"
#include "harness/refdut/decision/override.h"

#include <stdio.h>
#include <string.h>

VARIANT(endian, big_endian, "RDMAPX-5.1.1-10",
	"keeps the word of an atomic in big-endian order", word_order)
{
	bool little = strcmp(OTHERWISE(word_order), "little") == 0;

	chosen(self);
	return little ? "big" : "little";
}

/* One more name that is not reported. `others` is the list without it. */
static const char *and_untold(const char *others, const char *what)
{
	static char list[128];
	char longer[sizeof(list)];

	snprintf(longer, sizeof(longer), "%s%s%s",
		 *others ? others : " untold=", *others ? "," : "", what);
	memcpy(list, longer, sizeof(list));
	return list;
}

static const char *startup_frames(struct override *self,
				  const struct session *s)
{
	chosen(self);
	return and_untold(OTHERWISE(not_reported), "startup-frames");
}

ALSO(always_p2p_untold, not_reported)
{
	return startup_frames(self, s);
}

ALSO(always_enhanced_untold, not_reported)
{
	return startup_frames(self, s);
}

ALSO(always_plain_untold, not_reported)
{
	return startup_frames(self, s);
}

ALSO(sink_alias, not_reported)
{
	return and_untold(OTHERWISE(not_reported), "local-keys");
}

ALSO(always_crc, not_reported)
{
	return startup_frames(self, s);
}

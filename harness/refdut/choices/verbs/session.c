/* SPDX-License-Identifier: BSD-2-Clause */
/* A choice that the agent's hello reports. */
#include "harness/refdut/agent/session_decisions.h"
#include "harness/refdut/decision/override.h"

#include <string.h>

VARIANT(endian, big_endian, "RDMAPX-5.1.1-10",
	"keeps the word of an atomic in big-endian order", word_order)
{
	bool little = strcmp(OTHERWISE(word_order), "little") == 0;

	chosen(self);
	return little ? "big" : "little";
}

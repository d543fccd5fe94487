/* SPDX-License-Identifier: BSD-2-Clause */
/* Choices as a connection begins, and of the order of streams. */
#include "harness/refdut/conn_decisions.h"
#include "harness/refdut/decision/override.h"

VARIANT(startup_timeout, startup_never_times_out,
	"MPA-7.1.2-21 MPA-7.1.2-28 MPA-7.1.2-29 MPA-7.1.2-30",
	"waits for startup frames forever", startup_times_out)
{
	chosen(self);
	return false;
}

ALSO(last_stream_first, goes_first)
{
	return chosen(self);
}

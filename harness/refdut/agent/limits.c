/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/refdut/agent/limits.h"

#include "harness/refdut/agent/limits_decisions.h"
#include "harness/refdut/agent/session.h"
#include "harness/refdut/conn.h"
#include "harness/refdut/mpa/startup.h"

/* The limits that the device is built for. */
RULE(limit_of)
{
	switch (what) {
	case LIMIT_IRD:
	case LIMIT_ORD:
		return DEPTH_MAX;
	case LIMIT_PRIVATE_DATA:
		return STARTUP_PRIVATE_MAX;
	case LIMIT_REGIONS:
		return REGIONS_MAX;
	case LIMIT_REGION_LEN:
		return REGION_LEN_MAX;
	case LIMIT_MESSAGE:
		return MESSAGE_MAX;
	default:
		return RECEIVES_MAX;
	}
}

uint32_t limit_ird(void)
{
	return (uint32_t)limit_of(LIMIT_IRD);
}

uint32_t limit_ord(void)
{
	return (uint32_t)limit_of(LIMIT_ORD);
}

unsigned limit_regions(void)
{
	return (unsigned)limit_of(LIMIT_REGIONS);
}

uint64_t limit_region_len(void)
{
	return limit_of(LIMIT_REGION_LEN);
}

uint32_t limit_message(void)
{
	return (uint32_t)limit_of(LIMIT_MESSAGE);
}

unsigned limit_receives(void)
{
	return (unsigned)limit_of(LIMIT_RECEIVES);
}

uint32_t limit_private(void)
{
	return (uint32_t)limit_of(LIMIT_PRIVATE_DATA);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Choices of the limits and features that a device has and announces. */
#include "harness/refdut/agent/limits_decisions.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/mpa/startup.h"

/* IRD and ORD (RFC 5040 s6.1) */

static bool is_depth(enum limit what)
{
	return what == LIMIT_IRD || what == LIMIT_ORD;
}

VARIANT(depth, depths_of_one, "RDMAP-6.1-01 RDMAP-6.1-02",
	"has an IRD and an ORD of one, and announces them", limit_of)
{
	return is_depth(what) && chosen(self) ? 1 : OTHERWISE(limit_of);
}

VARIANT(depth, depths_of_two, "RDMAP-6.1-01 RDMAP-6.1-02",
	"has an IRD and an ORD of two, and announces them", limit_of)
{
	return is_depth(what) && chosen(self) ? 2 : OTHERWISE(limit_of);
}

VARIANT(depth, no_inbound_depth, "RDMAP-6.1-04",
	"accepts no Reads and atomics, and announces this", limit_of)
{
	return what == LIMIT_IRD && chosen(self) ? 0 : OTHERWISE(limit_of);
}

VARIANT(depth, no_outbound_depth, "RDMAP-6.1-02",
	"sends no Reads and atomics, and announces this", limit_of)
{
	return what == LIMIT_ORD && chosen(self) ? 0 : OTHERWISE(limit_of);
}

VARIANT(depth, no_depths, "RDMAP-6.1-02 RDMAP-6.1-04",
	"neither accepts nor sends Reads and atomics, and announces this",
	limit_of)
{
	return is_depth(what) && chosen(self) ? 0 : OTHERWISE(limit_of);
}

/* Memory and messages (RFC 5040 s8.1.1, RFC 5041 s5.2) */

VARIANT(regions, few_regions, "RDMAP-8.1.1-09", "has at most four regions",
	limit_of)
{
	return what == LIMIT_REGIONS && chosen(self) ? 4 : OTHERWISE(limit_of);
}

VARIANT(receives, few_receives, "DDP-7.1-06",
	"has at most eight receive buffers on a connection", limit_of)
{
	return what == LIMIT_RECEIVES && chosen(self) ? 8 : OTHERWISE(limit_of);
}

VARIANT(lengths, least_messages, "DDP-5.2-02",
	"has messages of at most 256 octets", limit_of)
{
	return what == LIMIT_MESSAGE && chosen(self) ? 256
						     : OTHERWISE(limit_of);
}

VARIANT(lengths, short_messages, "DDP-5.2-02",
	"has messages and regions of at most 64 KiB", limit_of)
{
	if ((what == LIMIT_MESSAGE || what == LIMIT_REGION_LEN) && chosen(self))
		return 64 << 10;
	return OTHERWISE(limit_of);
}

/* Private data (RFC 5044 s7.1.2) */

VARIANT(private_data, least_private_data, "MPA-7.1.2-27",
	"has no buffer for private data, and treats a frame with any as badly "
	"formed",
	limit_of)
{
	return what == LIMIT_PRIVATE_DATA && chosen(self) ? 0
							  : OTHERWISE(limit_of);
}

VARIANT(private_data, private_data_of_56, "MPA-7.1.2-27",
	"has room for 56 octets of private data, and treats a frame with more "
	"as badly formed",
	limit_of)
{
	return what == LIMIT_PRIVATE_DATA && chosen(self) ? 56
							  : OTHERWISE(limit_of);
}

/* The room left if there is always enhanced data before it. */
static uint64_t behind_enhanced_data(struct override *self, enum limit what)
{
	uint64_t limit = OTHERWISE(limit_of);

	if (what == LIMIT_PRIVATE_DATA && limit == STARTUP_PRIVATE_MAX &&
	    chosen(self))
		limit -= ENHANCED_SIZE;
	return limit;
}

ALSO(always_p2p, limit_of)
{
	return behind_enhanced_data(self, what);
}

ALSO(always_p2p_blind, limit_of)
{
	return behind_enhanced_data(self, what);
}

ALSO(always_p2p_untold, limit_of)
{
	return behind_enhanced_data(self, what);
}

ALSO(always_enhanced_untold, limit_of)
{
	return behind_enhanced_data(self, what);
}

/* Features */

ALSO(crc_always, feature_claimed)
{
	if (f == FEATURE_CRC_OFF && chosen(self))
		return false;
	return OTHERWISE(feature_claimed);
}

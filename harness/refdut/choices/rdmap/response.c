/* SPDX-License-Identifier: BSD-2-Clause */
/* Choices about Responses to the device's own Requests (RFC 7306 s5.2.2). */
#include "harness/refdut/decision/override.h"
#include "harness/refdut/rdmap/response_decisions.h"

ALSO(big_endian, original_in_buffer)
{
	chosen(self);
	return __builtin_bswap64(OTHERWISE(original_in_buffer));
}

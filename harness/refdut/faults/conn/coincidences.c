/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of a connection that show only if several conditions meet. */
#include "harness/refdut/conn_output_decisions.h"
#include "harness/refdut/decision/override.h"

COINCIDENCE(read_credit_lost_behind_atomic, "RDMAP-5.2.1-02",
	    "does not free the buffer of an empty Read's Request that was "
	    "answered right after an atomic",
	    request_buffer_is_free)
{
	bool *behind_atomic =
		remember(&c->remembered, self, sizeof(*behind_atomic));
	bool lost = *behind_atomic && !request->atomic &&
		    !be32(request->header + 12);

	*behind_atomic = request->atomic;
	return !lost && OTHERWISE(request_buffer_is_free);
}

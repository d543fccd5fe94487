/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of memory whose access the ULP revokes (RFC 5040 s8.1.1). */
#include "harness/refdut/verbs/memory_decisions.h"
#include "harness/refdut/decision/override.h"

MUTANT(local_invalidate_ignored,
       "DDP-7.1-22 DDP-8.3.1-02 RDMAP-8.1.1-04 SEC-6.2.2-01",
       "keeps an STag valid after its ULP has invalidated it",
       invalidate_for_ulp)
{
}

MUTANT(rights_not_taken_back, "RDMAP-8.1.1-10",
       "keeps access rights that its ULP has revoked", changed_rights)
{
	return region->access | OTHERWISE(changed_rights);
}

MUTANT(right_to_read_not_taken_back, "RDMAP-8.1.1-10",
       "keeps the right to read that its ULP has revoked", changed_rights)
{
	return (region->access & ACCESS_REMOTE_READ) |
	       OTHERWISE(changed_rights);
}

MUTANT(right_to_atomics_not_taken_back, "RDMAP-8.1.1-10",
       "keeps the right to atomics that its ULP has revoked", changed_rights)
{
	return (region->access & ACCESS_REMOTE_ATOMIC) |
	       OTHERWISE(changed_rights);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Choices about atomics that are performed (RFC 7306 s5.1). */
#include "harness/refdut/decision/override.h"
#include "harness/refdut/rdmap/fields.h"
#include "harness/refdut/rdmap/rdmap_atomic_decisions.h"

ALSO(big_endian, word_in_memory)
{
	chosen(self);
	return __builtin_bswap64(OTHERWISE(word_in_memory));
}

/* RFC 5040 s8.1.1 knows two access rights: read and write. */
VARIANT(right_to_atomics, atomics_by_rw_right, "RDMAPX-9-01",
	"performs atomics on buffers with remote read and write access",
	atomic_target_flaw)
{
	const uint8_t *header = request->header;
	enum memory_flaw flaw = OTHERWISE(atomic_target_flaw);

	if (flaw != MEMORY_ACCESS)
		return flaw;
	flaw = memory_check(&c->domain, c, atomic_stag(header),
			    atomic_to(header), 8,
			    ACCESS_REMOTE_READ | ACCESS_REMOTE_WRITE, region);
	if (flaw == MEMORY_FINE)
		chosen(self);
	return flaw;
}

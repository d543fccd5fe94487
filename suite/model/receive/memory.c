/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registered memory as the model sees it: who may touch it (RFC 5041 s7.1,
 * s8.2; RFC 5040 s7.2), and which octets are certain. RFC 5040 s5.5 lets a
 * later Send or Write be placed before an earlier Read is answered, so that
 * each unanswered Request remembers what has changed under it.
 */
#include <string.h>

#include "suite/model/internal.h"

int memory_find(const struct model *m, uint32_t stag)
{
	unsigned i;

	for (i = 0; i < m->regions; i++)
		if (m->region[i].stag == stag)
			return (int)i;
	return -1;
}

bool memory_is_near(const struct model *m, uint32_t stag)
{
	bool near = false;

	if (memory_find(m, stag) >= 0)
		return false;
	for (unsigned i = 0; i < m->regions; i++) {
		uint32_t apart = m->region[i].stag ^ stag;

		near |= apart <= UINT8_MAX || (apart & (apart - 1)) == 0;
	}
	return near;
}

unsigned memory_check(const struct model *m, uint32_t stag, uint64_t to,
		      uint64_t len, unsigned access)
{
	const struct model_region *r;
	unsigned faults = 0;
	int i = memory_find(m, stag);

	if (len && to > UINT64_MAX - (len - 1))
		faults |= ACCESS_WRAP;
	/* No region may have octets beyond the last TO. */
	if (i < 0 && !m->config.regions_known)
		return ACCESS_UNKNOWN | (m->config.observed ? faults : 0);
	if (i < 0 || m->dead[i])
		return faults | ACCESS_STAG;
	r = &m->region[i];
	if (r->doubtful)
		return ACCESS_UNKNOWN | faults;
	if (r->pd != m->config.pd ||
	    (r->stream && r->stream != m->config.stream))
		faults |= ACCESS_STREAM;
	if (!(faults & ACCESS_WRAP) &&
	    (to < r->to || to - r->to > r->len || len > r->len - (to - r->to)))
		faults |= ACCESS_BOUNDS;
	if ((r->access & access) != access)
		faults |= ACCESS_RIGHTS;
	return faults;
}

static bool memory_holds(const struct model *m, int i, uint64_t to, uint64_t n)
{
	const struct model_region *r;

	if (i < 0)
		return false;
	r = &m->region[i];
	return to >= r->to && to - r->to <= r->len &&
	       n <= r->len - (to - r->to);
}

uint8_t *memory_at(const struct model *m, int i, uint64_t to, uint64_t n)
{
	if (!memory_holds(m, i, to, n) || !m->region[i].shadow)
		return NULL;
	return m->region[i].shadow + (to - m->region[i].to);
}

bool memory_certain(const struct model *m, int i, uint64_t to, uint64_t n)
{
	if (!memory_at(m, i, to, n))
		return false;
	const struct model_region *r = &m->region[i];

	for (uint64_t k = 0; r->known && k < n; k++)
		if (r->known[to - r->to + k] < MODEL_OCTET_RECENT)
			return false;
	return !run_overlaps(m->unknown[i], to, to + n);
}

/* These octets of region i are not certain any more, as far as it has them. Those
 * placed recently may still be followed by older ones. */
static void forget(struct model *m, int i, uint64_t to, uint64_t n)
{
	const struct model_region *r = &m->region[i];
	uint64_t skip = to < r->to ? r->to - to : 0;
	uint64_t at = to + skip - r->to;

	if (!r->known) {
		m->unknown[i] = run_union(m->unknown[i], to, to + n);
		return;
	}
	for (uint64_t k = skip; k < n && at < r->len; k++, at++)
		r->known[at] = r->known[at] == MODEL_OCTET_RECENT ||
					       r->known[at] == MODEL_OCTET_MIXED
				       ? MODEL_OCTET_MIXED
				       : MODEL_OCTET_UNKNOWN;
}

unsigned memory_why(const struct model *m, uint32_t stag, uint64_t to)
{
	int i = memory_find(m, stag);

	return memory_at(m, i, to, 1) && m->region[i].known
		       ? m->region[i].known[to - m->region[i].to]
		       : MODEL_OCTET_UNKNOWN;
}

void memory_shows(struct model *m, uint32_t stag, uint64_t to,
		  const uint8_t *octets, uint64_t n, struct model_run except,
		  unsigned why)
{
	int i = memory_find(m, stag);
	uint8_t *at = memory_at(m, i, to, n);

	if (!at || !m->region[i].known || m->uncertain)
		return;
	for (uint64_t k = 0; k < n; k++) {
		uint8_t *known = &m->region[i].known[to - m->region[i].to + k];

		if (run_overlaps(except, to + k, to + k + 1) ||
		    (*known >= MODEL_OCTET_RECENT && at[k] == octets[k] &&
		     why == MODEL_OCTET_SEEN))
			continue;
		at[k] = octets[k];
		*known = (uint8_t)why;
	}
}

/*
 * Octets change while Requests that name them are unanswered. An atomic that
 * comes later is no danger to an earlier one: they are processed in order
 * (RFC 7306 s5.4, s7).
 */
static void touch(struct model *m, uint32_t stag, uint64_t to, uint64_t n,
		  bool by_atomic)
{
	unsigned i;
	int region = memory_find(m, stag);

	for (i = 0; i < m->asked; i++) {
		struct model_request *q = ask_at(m, i);
		uint64_t size = q->atomic ? 8 : q->size;

		if (q->source_stag != stag || !n || !size ||
		    to > q->source_to + (size - 1) ||
		    q->source_to > to + (n - 1))
			continue;
		if (!q->atomic) {
			q->touched = run_union(q->touched, to, to + n);
			continue;
		}
		if (by_atomic)
			continue;
		/*
		 * The atomic may be performed before or after: neither the value
		 * that it returns nor the one that it leaves is certain.
		 */
		q->value_known = false;
		q->disturbed = true;
		if (region >= 0)
			forget(m, region, q->source_to, 8);
	}
}

void memory_touched(struct model *m, uint32_t stag, uint64_t to, uint64_t n)
{
	touch(m, stag, to, n, false);
}

void memory_atomic(struct model *m, uint32_t stag, uint64_t to,
		   const uint8_t *word)
{
	int i = memory_find(m, stag);
	uint8_t *at = memory_at(m, i, to, 8);

	touch(m, stag, to, 8, true);
	/* The Response will show what the atomic leaves there. */
	if (i >= 0 && m->region[i].known)
		return;
	if (at && word)
		memcpy(at, word, 8);
	if (word && m->config.atomics_known)
		return;
	/*
	 * If another number is reported for this word later, the wire does not
	 * show which is wrong: the operation that left it, or the one that
	 * reports it.
	 */
	if (i >= 0)
		forget(m, i, to, 8);
}

void memory_doubt(struct model *m, uint32_t stag, uint64_t to, uint64_t n)
{
	int i = memory_find(m, stag);

	memory_touched(m, stag, to, n);
	if (i >= 0 && n)
		forget(m, i, to, n);
}

/*
 * RFC 5040 s5.5 item 3 does not order the placement of messages: which of several that
 * write to an octet is the last is known only where an ordering point is between
 * them.
 */
static void place_known(struct model *m, int i, uint64_t to,
			const uint8_t *octets, uint64_t n)
{
	const uint8_t *at = memory_at(m, i, to, n);

	if (!at)
		return;
	for (uint64_t k = 0; k < n; k++) {
		uint8_t *known = &m->region[i].known[to - m->region[i].to + k];

		if (*known != MODEL_OCTET_MIXED)
			*known = *known == MODEL_OCTET_RECENT &&
						 at[k] != octets[k]
					 ? MODEL_OCTET_MIXED
					 : MODEL_OCTET_RECENT;
	}
	m->recent[i] = run_union(m->recent[i], to, to + n);
}

void memory_settles(struct model *m, const struct model_request *q)
{
	if (q->behind != m->placed)
		return;
	for (unsigned i = 0; i < m->regions; i++) {
		struct model_run r = m->recent[i];
		uint8_t *known = m->region[i].known;

		if (!known || run_empty(r))
			continue;
		for (uint64_t k = r.from - m->region[i].to;
		     k != r.to - m->region[i].to; k++)
			known[k] = known[k] == MODEL_OCTET_RECENT
					   ? MODEL_OCTET_SEEN
				   : known[k] == MODEL_OCTET_MIXED
					   ? MODEL_OCTET_UNKNOWN
					   : known[k];
		m->recent[i] = (struct model_run){0, 0};
	}
}

void memory_elsewhere(struct model *m)
{
	for (unsigned i = 0; i < m->regions; i++)
		if (m->region[i].known)
			m->region[i].shadow = m->region[i].known = NULL;
}

void memory_place(struct model *m, uint32_t stag, uint64_t to,
		  const uint8_t *octets, uint64_t n)
{
	int i = memory_find(m, stag);
	uint8_t *at;

	if (!n)
		return;
	m->placed++;
	/* Octets that are wholly written again are certain again. */
	if (octets && i >= 0 && run_within(m->unknown[i], to, to + n))
		m->unknown[i] = (struct model_run){0, 0};
	if (octets && i >= 0 && m->region[i].known)
		place_known(m, i, to, octets, n);
	memory_touched(m, stag, to, n);
	at = memory_at(m, i, to, n);
	if (!octets || m->uncertain)
		memory_doubt(m, stag, to, n);
	if (at && octets)
		memcpy(at, octets, n);
}

bool model_region_add(struct model *m, const struct model_region *r)
{
	int i = memory_find(m, r->stag);

	/* An STag that was invalidated may name other memory now. */
	if (i >= 0 && m->dead[i])
		model_region_remove(m, r->stag);
	else if (i >= 0)
		return false;
	if (m->regions == MODEL_REGIONS)
		return false;
	m->region[m->regions] = *r;
	m->unknown[m->regions] = (struct model_run){0, 0};
	m->recent[m->regions] = (struct model_run){0, 0};
	m->dead[m->regions] = false;
	m->regions++;
	return true;
}

/*
 * Rights are withdrawn while Reads of this region are unanswered. Such a Read may
 * be answered or refused: RFC 5040 s5.5 fixes no moment of reading.
 */
static void revoke(struct model *m, uint32_t stag)
{
	struct verdict v = {.first = MODEL_STIM_NONE};
	const struct model_request *q = NULL;
	struct ddp_segment seg;
	unsigned i;

	m->revoked = true;
	for (i = 0; i < m->asked; i++) {
		struct model_request *p = ask_at(m, i);

		if (p->source_stag != stag || (!p->atomic && !p->size))
			continue;
		p->optional = true;
		p->value_known = false;
		p->disturbed = true;
		p->touched = (struct model_run){0, UINT64_MAX};
		if (!q)
			q = p;
	}
	if (!q)
		return;
	verdict_add(&v, q->atomic ? MODEL_STIM_ATOMIC_REVOKED
				  : MODEL_STIM_READ_REVOKED);
	v.has_read = !q->atomic;
	v.read.sink_stag = q->sink_stag;
	v.read.sink_to = q->sink_to;
	v.read.size = q->size;
	v.read.source_stag = q->source_stag;
	v.read.source_to = q->source_to;
	ddp_decode(&seg, q->header, sizeof(q->header));
	suspect_add(m, &v, &seg.ddp, q->ulpdu_length, false);
}

bool model_region_remove(struct model *m, uint32_t stag)
{
	int i = memory_find(m, stag);
	unsigned last;

	if (i < 0)
		return false;
	if (!m->dead[i])
		revoke(m, stag);
	last = --m->regions;
	m->region[i] = m->region[last];
	m->unknown[i] = m->unknown[last];
	m->recent[i] = m->recent[last];
	m->dead[i] = m->dead[last];
	return true;
}

bool model_region_invalidate(struct model *m, uint32_t stag)
{
	int i = memory_find(m, stag);

	if (i < 0)
		return false;
	if (!m->dead[i])
		revoke(m, stag);
	m->dead[i] = true;
	return true;
}

bool model_region_access(struct model *m, uint32_t stag, unsigned access)
{
	int i = memory_find(m, stag);

	if (i < 0)
		return false;
	if (m->region[i].access & ~access & (MODEL_RR | MODEL_RA))
		revoke(m, stag);
	if (m->region[i].access & ~access & MODEL_LW)
		m->revoked = true;
	m->region[i].access = access;
	return true;
}

bool model_region_changed(struct model *m, uint32_t stag, uint64_t to,
			  uint64_t len)
{
	int i = memory_find(m, stag);

	if (i < 0)
		return false;
	if (to <= m->unknown[i].from && len >= m->unknown[i].to - to)
		m->unknown[i] = (struct model_run){0, 0};
	memory_touched(m, stag, to, len);
	return true;
}

bool model_region_doubt(struct model *m, uint32_t stag, uint64_t to,
			uint64_t len)
{
	if (memory_find(m, stag) < 0)
		return false;
	memory_doubt(m, stag, to, len);
	return true;
}

const struct model_region *model_region(const struct model *m, uint32_t stag)
{
	int i = memory_find(m, stag);

	return i < 0 ? NULL : &m->region[i];
}

bool model_region_certain(const struct model *m, uint32_t stag, uint64_t to,
			  uint64_t len)
{
	return memory_certain(m, memory_find(m, stag), to, len);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "suite/model/internal.h"

void model_init(struct model *m, const struct model_config *c)
{
	unsigned qn;

	memset(m, 0, sizeof(*m));
	m->config = *c;
	if (!m->config.first_msn)
		m->config.first_msn = 1;
	for (qn = 0; qn < 4; qn++)
		m->rx_msn[qn] = m->tx_msn[qn] = m->config.first_msn;
	m->tx_ask = -1;
	m->setup.req = m->setup.silent_req = MODEL_REQ_NONE;
}

/* One more than the model tracks individually. */
static void add_beyond(struct model *m, const struct model_receive *r)
{
	if (!m->receives_beyond++)
		m->beyond_shortest = m->beyond_longest = r->len;
	if (r->len < m->beyond_shortest)
		m->beyond_shortest = r->len;
	if (r->len > m->beyond_longest)
		m->beyond_longest = r->len;
	if (r->in_region)
		memory_doubt(m, r->stag, r->to, r->len);
}

static bool recv_add(struct model *m, const struct model_receive *r)
{
	if (m->receives_beyond ||
	    m->receives - m->receives_used >= MODEL_RECEIVES)
		add_beyond(m, r);
	else
		m->receive[m->receives++ % MODEL_RECEIVES] = *r;
	if (m->held) {
		/*
		 * Held-back messages may arrive now, or the stream may have
		 * ended: nothing that follows is certain.
		 */
		m->held = false;
		m->lossy = true;
	}
	return true;
}

bool model_recv_posted(struct model *m, uint32_t len, uint8_t *shadow)
{
	struct model_receive r = {.shadow = shadow, .len = len};

	return recv_add(m, &r);
}

bool model_recv_posted_in(struct model *m, uint32_t stag, uint64_t to,
			  uint32_t len)
{
	struct model_receive r = {
		.len = len, .in_region = true, .stag = stag, .to = to};
	int i = memory_find(m, stag);

	if (i < 0)
		return false;
	if (!(m->region[i].access & MODEL_LW))
		m->revoked = true;
	r.shadow = memory_at(m, i, to, len);
	return recv_add(m, &r);
}

void model_setup_terminate(struct model *m, const struct model_outcomes *o)
{
	m->setup = *o;
}

void model_half_closed(struct model *m)
{
	m->half_closed = true;
}

void model_peer_closed(struct model *m)
{
	m->peer_closed = true;
}

void model_provoked(struct model *m)
{
	unsigned i;

	m->local_error = true;
	m->uncertain = true;
	for (i = 0; i < m->asked; i++)
		ask_at(m, i)->optional = true;
}

/* Whether a Terminate has to be sent, because all other outcomes are ruled
 * out. */
static bool owes_terminate(const struct model *m)
{
	const struct model_outcomes *o;
	unsigned i, k;

	if (m->terminated || !m->failed)
		return false;
	for (i = 0; i < m->suspects; i++) {
		o = &m->suspect[i].outcomes;
		for (k = 0; k < o->n; k++)
			if (o->outcome[k].kind != MODEL_TERMINATE)
				break;
		if (o->n && k == o->n)
			return true;
	}
	return false;
}

/* Posted work that nothing keeps from being sent. */
static unsigned owed_works(const struct model *m)
{
	uint32_t reads = 0, i;
	unsigned owed = 0;

	/* It waits for the initiator's first FPDU; over SCTP at most for an
	 * RTR. */
	if (!m->config.dut_initiates && !m->rx_frames &&
	    (!m->config.sctp || m->config.rtr))
		return 0;
	for (i = 0; i < m->wanted; i++)
		reads +=
			!m->want[(m->wanted_first + i) % MODEL_REQUESTS].atomic;
	for (i = m->works_sent; i != m->works; i++) {
		const struct model_posted *p = &m->posted[i % MODEL_WORKS];

		if (p->state != MODEL_WORK_UNSENT)
			continue;
		/* Atomics may share the ORD, so that they may wait too. */
		if (p->work.op == MODEL_WORK_READ ||
		    p->work.op == MODEL_WORK_FETCHADD ||
		    p->work.op == MODEL_WORK_CMPSWAP ||
		    p->work.op == MODEL_WORK_SWAP) {
			if (m->config.ord == MODEL_UNLIMITED
				    ? m->wanted > 0
				    : reads + 1 > m->config.ord)
				break;
			reads++;
		}
		owed++;
	}
	return owed;
}

struct model_owes model_owes(const struct model *m)
{
	struct model_owes owes = {0};
	bool sure = !m->failed && !m->held && !m->uncertain &&
		    !m->peer_terminated && !m->terminated;
	unsigned i;

	owes.terminate = owes_terminate(m);
	if (!sure)
		return owes;
	for (i = 0; i < m->asked; i++) {
		const struct model_request *q =
			&m->ask[(m->asked_first + i) % MODEL_REQUESTS];

		if (q->optional || q->gone)
			continue;
		if (q->atomic)
			owes.atomics++;
		else
			owes.reads++;
	}
	owes.works = owed_works(m);
	owes.rtr = m->config.dut_initiates && m->config.rtr && !m->tx_frames;
	return owes;
}

bool model_quiet(const struct model *m)
{
	struct model_owes owes = model_owes(m);

	return !owes.reads && !owes.atomics && !owes.works && !owes.terminate &&
	       !owes.rtr;
}

uint32_t model_deliveries(const struct model *m)
{
	return m->deliveries;
}

const struct model_delivery *model_delivery(const struct model *m, uint32_t i)
{
	if (i >= m->deliveries || m->deliveries - i > MODEL_RECEIVES)
		return NULL;
	return &m->delivery[i % MODEL_RECEIVES];
}

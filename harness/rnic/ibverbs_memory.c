/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/rnic/ibverbs_internal.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <string.h>

enum line_code rnic_failed(struct rnic *r, const char *what)
{
	snprintf(r->base.why, sizeof(r->base.why), "%s: %s", what,
		 strerror(errno));
	return LINE_DEVICE;
}

struct ibv_pd *rnic_domain_of(struct rnic *r, uint64_t number)
{
	struct ibv_pd *pd;

	for (size_t i = 0; i < r->domains; i++)
		if (r->domain[i].number == number)
			return r->domain[i].pd;
	if (r->domains == RNIC_DOMAINS) {
		errno = ENOSPC;
		return NULL;
	}
	pd = ibv_alloc_pd(r->verbs);
	if (pd)
		r->domain[r->domains++] =
			(struct rnic_domain){.number = number, .pd = pd};
	return pd;
}

/* Verbs want local write with remote write and with atomics. */
static int verbs_access(unsigned access)
{
	int flags = 0;

	if (access & (AGENT_LW | AGENT_RW | AGENT_RA))
		flags |= IBV_ACCESS_LOCAL_WRITE;
	if (access & AGENT_RR)
		flags |= IBV_ACCESS_REMOTE_READ;
	if (access & AGENT_RW)
		flags |= IBV_ACCESS_REMOTE_WRITE;
	if (access & AGENT_RA)
		flags |= IBV_ACCESS_REMOTE_ATOMIC;
	return flags;
}

enum line_code rnic_reg(struct verbs_device *d, struct verbs_memory *m)
{
	struct rnic *r = (struct rnic *)d;
	struct ibv_pd *pd = rnic_domain_of(r, m->pd);
	struct ibv_mr *mr;

	if (!pd)
		return rnic_failed(r, "protection domain");
	mr = ibv_reg_mr(pd, m->octets, m->len, verbs_access(m->access));
	if (!mr)
		return rnic_failed(r, "registration");
	if (m->access & (AGENT_RW | AGENT_RA))
		m->access |= AGENT_LW;
	m->stag = mr->rkey;
	m->handle = mr;
	return LINE_NO_ERROR;
}

void rnic_dereg(struct verbs_device *d, struct verbs_memory *m)
{
	(void)d;
	ibv_dereg_mr(m->handle);
	m->handle = NULL;
}

static enum line_code unsupported(struct verbs_device *d, const char *key)
{
	snprintf(d->why, sizeof(d->why), "%s", key);
	return LINE_UNSUPPORTED;
}

/* ibv_rereg_mr may give another STag: the reported one would be wrong. */
enum line_code rnic_access(struct verbs_device *d, struct verbs_memory *m,
			   unsigned access)
{
	(void)m;
	(void)access;
	return unsupported(d, "access");
}

/* Verbs invalidate windows and regions of the kernel's, not user regions. */
enum line_code rnic_inval(struct verbs_device *d, struct verbs_memory *m)
{
	(void)m;
	return unsupported(d, "inval");
}

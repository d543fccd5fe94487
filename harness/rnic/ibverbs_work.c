/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/rnic/ibverbs_internal.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCH = 32 };

static struct ibv_sge sge_of(const struct verbs_work *w)
{
	const struct ibv_mr *mr = w->memory ? w->memory->handle : NULL;

	return (struct ibv_sge){
		.addr = (uintptr_t)w->octets,
		.length = w->len,
		.lkey = mr ? mr->lkey : 0,
	};
}

enum line_code rnic_recv(struct verbs_device *d, struct verbs_work *w)
{
	struct rnic_stream *s = w->conn->handle;
	struct ibv_sge sge = sge_of(w);
	struct ibv_recv_wr wr = {
		.wr_id = w->serial,
		.sg_list = &sge,
		.num_sge = w->len ? 1 : 0,
	};
	struct ibv_recv_wr *bad;

	/* Some providers return the error as a positive number, others as a
	 * negative one. */
	errno = abs(ibv_post_recv(s->id->qp, &wr, &bad));
	return errno ? rnic_failed((struct rnic *)d, "recv") : LINE_NO_ERROR;
}

static enum ibv_wr_opcode opcode_of(const struct verbs_work *w)
{
	switch (w->op) {
	case AGENT_WRITE:
		return IBV_WR_RDMA_WRITE;
	case AGENT_READ:
		return IBV_WR_RDMA_READ;
	case AGENT_FETCHADD:
		return IBV_WR_ATOMIC_FETCH_AND_ADD;
	case AGENT_CMPSWAP:
		return IBV_WR_ATOMIC_CMP_AND_SWP;
	default:
		return w->has_inv ? IBV_WR_SEND_WITH_INV : IBV_WR_SEND;
	}
}

enum line_code rnic_post(struct verbs_device *d, struct verbs_work *w)
{
	struct rnic_stream *s = w->conn->handle;
	struct ibv_sge sge = sge_of(w);
	struct ibv_send_wr wr = {
		.wr_id = w->serial,
		.sg_list = &sge,
		/* A Read has one, also of no octets. */
		.num_sge = w->len || w->op == AGENT_READ ? 1 : 0,
		.opcode = opcode_of(w),
		.send_flags = IBV_SEND_SIGNALED |
			      (w->se ? IBV_SEND_SOLICITED : 0) |
			      (w->fence ? IBV_SEND_FENCE : 0),
	};
	struct ibv_send_wr *bad;

	switch (wr.opcode) {
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		wr.wr.atomic.remote_addr = w->rto;
		wr.wr.atomic.rkey = w->rstag;
		wr.wr.atomic.compare_add =
			w->op == AGENT_FETCHADD ? w->add : w->compare;
		wr.wr.atomic.swap = w->swap;
		break;
	case IBV_WR_SEND_WITH_INV:
		wr.invalidate_rkey = w->inv;
		break;
	default:
		wr.wr.rdma.remote_addr = w->rto;
		wr.wr.rdma.rkey = w->rstag;
	}
	errno = abs(ibv_post_send(s->id->qp, &wr, &bad));
	return errno ? rnic_failed((struct rnic *)d, "post") : LINE_NO_ERROR;
}

static enum agent_status status_of(enum ibv_wc_status status)
{
	switch (status) {
	case IBV_WC_SUCCESS:
		return AGENT_DONE;
	case IBV_WC_WR_FLUSH_ERR:
		return AGENT_FLUSHED;
	case IBV_WC_REM_ACCESS_ERR:
	case IBV_WC_REM_INV_REQ_ERR:
	case IBV_WC_REM_OP_ERR:
	case IBV_WC_REM_ABORT_ERR:
		return AGENT_REMOTE_ERROR;
	default:
		return AGENT_LOCAL_ERROR;
	}
}

/* A provider that refused a work request may complete it all the same: unknown
 * completions are not reported. */
static struct verbs_work *work_of(const struct rnic_stream *s, uint64_t serial)
{
	struct verbs_work *w = s->conn->work;

	while (w && w->serial != serial)
		w = w->next;
	return w;
}

static void complete(const struct rnic_stream *s, const struct ibv_wc *wc)
{
	struct verbs_work *w = work_of(s, wc->wr_id);
	struct verbs_done done = {.status = status_of(wc->status)};

	if (!w)
		return;
	if (done.status == AGENT_DONE) {
		/* byte_len is reported for receives only. */
		done.len = w->op == AGENT_RECV ? wc->byte_len : w->len;
		done.has_inv = wc->wc_flags & IBV_WC_WITH_INV;
		done.inv = done.has_inv ? wc->invalidated_rkey : 0;
	}
	s->rnic->base.consumer->work_done(w, &done);
}

void rnic_drain(struct rnic_stream *s)
{
	struct ibv_wc wc[BATCH];
	int n;

	while ((n = ibv_poll_cq(s->cq, BATCH, wc)) > 0)
		for (int i = 0; i < n; i++)
			complete(s, &wc[i]);
}

void rnic_take_completions(struct rnic *r)
{
	struct ibv_cq *cq;
	void *context;

	while (ibv_get_cq_event(r->completions, &cq, &context) == 0) {
		struct rnic_stream *s = context;

		s->cq_events++;
		s->armed = false;
	}
	for (struct rnic_stream *s = r->streams; s; s = s->next) {
		rnic_drain(s);
		/* An event between the two is found by the second poll. */
		if (!s->armed && ibv_req_notify_cq(s->cq, 0) == 0) {
			s->armed = true;
			rnic_drain(s);
		}
	}
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/rnic/ibverbs_internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	BACKLOG = 16,
	ANY_PORT_TRIES = 16,
	RESOLVE_MS = 2000,
};

static struct rnic *rnic_of(struct verbs_device *d)
{
	return (struct rnic *)d;
}

/* A cm_id at the device's address. */
static struct rdma_cm_id *bound_id(struct rnic *r, void *context, uint16_t port)
{
	struct rnic_place at = r->place;
	struct rdma_cm_id *id;
	int error;

	at.at.in.sin_port = htons(port); /* where sin6_port is, too */
	if (rdma_create_id(r->events, &id, context, RDMA_PS_TCP) != 0)
		return NULL;
	if (rdma_bind_addr(id, &at.at.sa) == 0)
		return id;
	error = errno;
	rdma_destroy_id(id);
	errno = error;
	return NULL;
}

static void tell(const struct rnic_stream *s, enum agent_stream state,
		 const struct verbs_frame *frame)
{
	s->rnic->base.consumer->conn_is(s->conn, state, frame);
}

/* --- streams ------------------------------------------------------------------- */

static void stream_free(struct rnic_stream *s)
{
	struct rnic_stream **at = &s->rnic->streams;

	while (*at && *at != s)
		at = &(*at)->next;
	if (*at)
		*at = s->next;
	if (s->id && s->id->qp)
		rdma_destroy_qp(s->id);
	if (s->id)
		rdma_destroy_id(s->id);
	if (s->cq) {
		if (s->cq_events)
			ibv_ack_cq_events(s->cq, s->cq_events);
		ibv_destroy_cq(s->cq);
	}
	free(s);
}

/* The queue pair of a connection, in its domain. The id becomes the
 * stream's, also where NULL is returned. */
static struct rnic_stream *stream_new(struct rnic *r, struct verbs_conn *c,
				      struct rdma_cm_id *id)
{
	struct rnic_stream *s = calloc(1, sizeof(*s));
	struct ibv_pd *pd = rnic_domain_of(r, c->params.pd);
	uint32_t receives = r->facts->max_receives, posts = r->facts->max_posts;
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
		.cap = {.max_send_wr = posts,
			.max_recv_wr = receives,
			.max_send_sge = 1,
			.max_recv_sge = 1},
	};
	int error;

	if (!s) {
		rdma_destroy_id(id);
		return NULL;
	}
	s->rnic = r;
	s->conn = c;
	s->id = id;
	id->context = s;
	/* One queue for both: completions stay in the device's order. */
	s->cq = pd ? ibv_create_cq(r->verbs, (int)(receives + posts), s,
				   r->completions, 0)
		   : NULL;
	attr.send_cq = attr.recv_cq = s->cq;
	attr.qp_context = s;
	if (s->cq && rdma_create_qp(id, pd, &attr) == 0) {
		s->next = r->streams;
		r->streams = s;
		c->handle = s;
		return s;
	}
	error = errno;
	stream_free(s);
	errno = error;
	return NULL;
}

static struct rdma_conn_param conn_param(const struct verbs_params *p)
{
	return (struct rdma_conn_param){
		.private_data = p->private_data,
		.private_data_len = (uint8_t)p->private_octets,
		.responder_resources = (uint8_t)p->ird,
		.initiator_depth = (uint8_t)p->ord,
	};
}

/* --- listening ------------------------------------------------------------------- */

enum line_code rnic_listen(struct verbs_device *d, struct verbs_port *port)
{
	struct rnic *r = rnic_of(d);
	struct rdma_cm_id *id = NULL;
	/* A port that rdma_cm has free may be taken by a socket. */
	unsigned tries = port->number ? 1 : ANY_PORT_TRIES;

	while (!id && tries--) {
		int error;

		id = bound_id(r, port, port->number);
		if (!id)
			continue;
		if (rdma_listen(id, BACKLOG) == 0)
			break;
		error = errno;
		rdma_destroy_id(id);
		id = NULL;
		errno = error;
	}
	if (!id)
		return rnic_failed(r, "port");
	port->number = ntohs(rdma_get_src_port(id));
	port->handle = id;
	return LINE_NO_ERROR;
}

void rnic_unlisten(struct verbs_device *d, struct verbs_port *port)
{
	(void)d;
	rdma_destroy_id(port->handle);
	port->handle = NULL;
}

/* The peer's startup frame as reported by an event. rdma_cm reports depths of 0
 * if the frame had none, and at most the device's maximum: such values are not
 * reported. */
static struct verbs_frame frame_of(const struct rnic *r,
				   const struct rdma_conn_param *p)
{
	struct verbs_frame f = {
		.known = true,
		.ird = p->initiator_depth,
		.ord = p->responder_resources,
		.private_octets = p->private_data ? p->private_data_len : 0,
	};

	f.has_depths = (f.ird || f.ord) && f.ird < r->facts->max_ord &&
		       f.ord < r->facts->max_ird;
	if (f.private_octets)
		memcpy(f.private_data, p->private_data, f.private_octets);
	return f;
}

static void name_peer(struct rdma_cm_id *id, char text[VERBS_PEER])
{
	const struct sockaddr *sa = rdma_get_peer_addr(id);
	char addr[INET6_ADDRSTRLEN] = "";
	unsigned port = ntohs(rdma_get_dst_port(id));

	if (sa->sa_family == AF_INET6) {
		inet_ntop(AF_INET6,
			  &((const struct sockaddr_in6 *)(const void *)sa)
				   ->sin6_addr,
			  addr, sizeof(addr));
		snprintf(text, VERBS_PEER, "[%s]:%u", addr, port);
	} else {
		inet_ntop(AF_INET,
			  &((const struct sockaddr_in *)(const void *)sa)
				   ->sin_addr,
			  addr, sizeof(addr));
		snprintf(text, VERBS_PEER, "%s:%u", addr, port);
	}
}

enum line_code rnic_accept(struct verbs_device *d, void *request,
			   struct verbs_conn *c,
			   void (*ready)(struct verbs_conn *c))
{
	struct rnic *r = rnic_of(d);
	struct rdma_conn_param p = conn_param(&c->params);

	if (!stream_new(r, c, request))
		return rnic_failed(r, "queue pair");
	ready(c);
	if (rdma_accept(request, &p) != 0)
		return rnic_failed(r, "accept");
	return LINE_NO_ERROR;
}

enum line_code rnic_reject(struct verbs_device *d, void *request,
			   struct verbs_conn *c)
{
	struct rnic *r = rnic_of(d);
	enum line_code code = LINE_NO_ERROR;

	if (rdma_reject(request, c ? c->params.private_data : NULL,
			c ? (uint8_t)c->params.private_octets : 0) != 0)
		code = rnic_failed(r, "reject");
	rdma_destroy_id(request);
	return code;
}

/* --- connecting --------------------------------------------------------------------- */

/*
 * rdma_connect of some providers waits for the peer's TCP, for minutes if there
 * is no answer. A thread calls it, so that the session continues. The thread
 * and the stream share this; the last of them to leave frees it.
 */
struct rnic_dial {
	struct rdma_cm_id *id;
	struct rdma_conn_param param;
	uint8_t private_data[VERBS_PRIVATE_MAX];
	struct rnic_stream *stream;
	int pipe;
	atomic_int state;
};
enum { DIAL_RUNS, DIAL_DONE, DIAL_ORPHAN };

struct dialled {
	struct rnic_dial *dial;
	int error;
};

static void *dial_run(void *arg)
{
	struct rnic_dial *dial = arg;
	struct dialled done = {.dial = dial};
	int runs = DIAL_RUNS;

	if (rdma_connect(dial->id, &dial->param) != 0)
		done.error = errno;
	/* The wait was given up: the stream is left to this thread. */
	if (!atomic_compare_exchange_strong(&dial->state, &runs, DIAL_DONE)) {
		stream_free(dial->stream);
		free(dial);
		return NULL;
	}
	if (write(dial->pipe, &done, sizeof(done)) != sizeof(done))
		abort();
	return NULL;
}

static bool dial_start(struct rnic_stream *s)
{
	struct rnic_dial *dial = calloc(1, sizeof(*dial));
	pthread_attr_t attr;
	pthread_t thread;
	int error;

	if (!dial)
		return false;
	dial->id = s->id;
	dial->stream = s;
	dial->param = conn_param(&s->conn->params);
	memcpy(dial->private_data, s->conn->params.private_data,
	       sizeof(dial->private_data));
	dial->param.private_data = dial->private_data;
	dial->pipe = s->rnic->dialled[1];
	s->dial = dial;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	error = pthread_create(&thread, &attr, dial_run, dial);
	pthread_attr_destroy(&attr);
	if (error) {
		s->dial = NULL;
		free(dial);
		errno = error;
	}
	return error == 0;
}

void rnic_take_dialled(struct rnic *r)
{
	struct dialled done;

	while (read(r->dialled[0], &done, sizeof(done)) == sizeof(done)) {
		struct rnic_stream *s = r->streams;

		while (s && s->dial != done.dial)
			s = s->next;
		if (s) {
			s->dial = NULL;
			if (done.error)
				tell(s, AGENT_ERROR, NULL);
		}
		free(done.dial);
	}
}

enum line_code rnic_connect(struct verbs_device *d, struct verbs_conn *c,
			    const char *addr, uint16_t port)
{
	struct rnic *r = rnic_of(d);
	struct rnic_place to = {0};
	struct rdma_cm_id *id;

	to.at.sa.sa_family = strchr(addr, ':') ? AF_INET6 : AF_INET;
	to.at.in.sin_port = htons(port);
	inet_pton(to.at.sa.sa_family, addr,
		  to.at.sa.sa_family == AF_INET ? (void *)&to.at.in.sin_addr
						: (void *)&to.at.in6.sin6_addr);
	if (to.at.sa.sa_family != r->place.at.sa.sa_family) {
		errno = EAFNOSUPPORT;
		return rnic_failed(r, addr);
	}
	id = bound_id(r, NULL, 0);
	if (!id)
		return rnic_failed(r, "connection");
	if (!stream_new(r, c, id))
		return rnic_failed(r, "queue pair");
	if (rdma_resolve_addr(id, NULL, &to.at.sa, RESOLVE_MS) != 0)
		return rnic_failed(r, "address");
	return LINE_NO_ERROR;
}

/* --- events ------------------------------------------------------------------------- */

static void request_came(struct rnic *r, struct rdma_cm_event *e)
{
	struct verbs_port *port = e->listen_id->context;
	struct verbs_frame frame = frame_of(r, &e->param.conn);
	struct rdma_cm_id *id = e->id;

	name_peer(id, frame.peer);
	rdma_ack_cm_event(e);
	r->base.consumer->request_came(port, id, &frame);
}

/* A stream that the device ended in order has no error of its QP to report; the
 * device raises one only for errors of the peer or the ULP. */
static void ended(struct rnic_stream *s, int status)
{
	rnic_take_async_events(s->rnic);
	rnic_drain(s);
	tell(s, s->failed || status ? AGENT_ERROR : AGENT_CLOSED, NULL);
}

static void stream_event(struct rnic_stream *s, enum rdma_cm_event_type what,
			 int status, const struct verbs_frame *frame)
{
	switch (what) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		if (rdma_resolve_route(s->id, RESOLVE_MS) != 0)
			tell(s, AGENT_ERROR, NULL);
		break;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		if (!dial_start(s))
			tell(s, AGENT_ERROR, NULL);
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		if (s->conn->state == AGENT_CONNECTING)
			tell(s, AGENT_ESTABLISHED, frame);
		break;
	case RDMA_CM_EVENT_REJECTED:
		tell(s, AGENT_REJECTED, frame);
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
		ended(s, status);
		break;
	case RDMA_CM_EVENT_ADDR_ERROR:
	case RDMA_CM_EVENT_ROUTE_ERROR:
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		tell(s, AGENT_ERROR, NULL);
		break;
	default:
		break;
	}
}

static bool is_stream(const struct rnic *r, const void *context)
{
	const struct rnic_stream *s = r->streams;

	while (s && s != context)
		s = s->next;
	return s;
}

void rnic_take_cm_events(struct rnic *r)
{
	struct rdma_cm_event *e;

	while (rdma_get_cm_event(r->events, &e) == 0) {
		struct rnic_stream *s = e->id->context;
		enum rdma_cm_event_type what = e->event;
		int status = e->status;
		struct verbs_frame frame;

		if (what == RDMA_CM_EVENT_CONNECT_REQUEST) {
			request_came(r, e);
			continue;
		}
		frame = frame_of(r, &e->param.conn);
		rdma_ack_cm_event(e);
		if (is_stream(r, s))
			stream_event(s, what, status, &frame);
	}
}

static bool is_error(enum ibv_event_type what)
{
	return what == IBV_EVENT_QP_FATAL || what == IBV_EVENT_QP_REQ_ERR ||
	       what == IBV_EVENT_QP_ACCESS_ERR;
}

void rnic_take_async_events(struct rnic *r)
{
	struct pollfd fd = {.fd = r->verbs->async_fd, .events = POLLIN};
	struct ibv_async_event e;

	while (poll(&fd, 1, 0) > 0 && ibv_get_async_event(r->verbs, &e) == 0) {
		void *context = is_error(e.event_type)
					? e.element.qp->qp_context
					: NULL;

		ibv_ack_async_event(&e);
		if (context && is_stream(r, context))
			((struct rnic_stream *)context)->failed = true;
	}
}

/* --- ending --------------------------------------------------------------------------- */

void rnic_close(struct verbs_device *d, struct verbs_conn *c, bool aborts)
{
	struct ibv_qp_attr error = {.qp_state = IBV_QPS_ERR};
	struct rnic_stream *s = c->handle;

	(void)d;
	/* A call that is under way is given up with its stream. */
	if (s->dial || c->state == AGENT_CONNECTING) {
		rnic_release(d, c);
		return;
	}
	if (aborts)
		ibv_modify_qp(s->id->qp, &error, IBV_QP_STATE);
	else
		rdma_disconnect(s->id);
}

void rnic_release(struct verbs_device *d, struct verbs_conn *c)
{
	struct rnic_stream *s = c->handle;
	struct rnic_stream **at = &s->rnic->streams;
	int runs = DIAL_RUNS;

	(void)d;
	c->handle = NULL;
	if (s->dial && atomic_compare_exchange_strong(&s->dial->state, &runs,
						      DIAL_ORPHAN)) {
		while (*at != s)
			at = &(*at)->next;
		*at = s->next;
		return;
	}
	stream_free(s);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The internals of an RNIC. These are its files, from top to bottom; each calls
 * only those below it:
 *
 *   ibverbs.c          finding an address, opening, polling, the operations
 *   ibverbs_facts.c    the properties that the device reports
 *   ibverbs_stream.c   listening, answering, connecting, closing
 *   ibverbs_work.c     work requests and their completions
 *   ibverbs_memory.c   domains and registrations
 */
#ifndef HARNESS_RNIC_IBVERBS_INTERNAL_H
#define HARNESS_RNIC_IBVERBS_INTERNAL_H

#include "harness/rnic/ibverbs.h"

struct ibv_comp_channel;
struct ibv_context;
struct ibv_cq;
struct ibv_pd;
struct rdma_cm_id;
struct rdma_event_channel;

enum { RNIC_DOMAINS = 64 };

struct rnic_domain {
	uint64_t number;
	struct ibv_pd *pd;
};

struct rnic_stream {
	struct rnic_stream *next;
	struct rnic *rnic;
	struct verbs_conn *conn;
	struct rdma_cm_id *id;
	struct ibv_cq *cq;
	bool armed;
	unsigned cq_events; /* to be acknowledged */
	bool failed;        /* the device reported an error of the QP */
	/* rdma_connect() waits for TCP, and therefore has its own thread */
	struct rnic_dial *dial;
};

struct rnic {
	struct verbs_device base;
	const struct verbs_facts *facts;
	struct rnic_place place;
	struct rdma_event_channel *events;
	struct rdma_cm_id *anchor; /* keeps the device open */
	struct ibv_context *verbs;
	struct ibv_comp_channel *completions;
	struct rnic_domain domain[RNIC_DOMAINS];
	size_t domains;
	struct rnic_stream *streams;
	int dialled[2]; /* a pipe with the results of rdma_connect() */
};

/* --- ibverbs_stream.c ----------------------------------------------------- */

enum line_code rnic_listen(struct verbs_device *d, struct verbs_port *port);
void rnic_unlisten(struct verbs_device *d, struct verbs_port *port);
enum line_code rnic_accept(struct verbs_device *d, void *request,
			   struct verbs_conn *c,
			   void (*ready)(struct verbs_conn *c));
enum line_code rnic_reject(struct verbs_device *d, void *request,
			   struct verbs_conn *c);
enum line_code rnic_connect(struct verbs_device *d, struct verbs_conn *c,
			    const char *addr, uint16_t port);
void rnic_close(struct verbs_device *d, struct verbs_conn *c, bool abort);
void rnic_release(struct verbs_device *d, struct verbs_conn *c);
void rnic_take_cm_events(struct rnic *r);
void rnic_take_async_events(struct rnic *r);
void rnic_take_dialled(struct rnic *r);

/* --- ibverbs_work.c ------------------------------------------------------- */

enum line_code rnic_recv(struct verbs_device *d, struct verbs_work *w);
enum line_code rnic_post(struct verbs_device *d, struct verbs_work *w);
void rnic_take_completions(struct rnic *r);
/* Poll a stream's completions until there are none. */
void rnic_drain(struct rnic_stream *s);

/* --- ibverbs_memory.c ----------------------------------------------------- */

enum line_code rnic_reg(struct verbs_device *d, struct verbs_memory *m);
void rnic_dereg(struct verbs_device *d, struct verbs_memory *m);
enum line_code rnic_access(struct verbs_device *d, struct verbs_memory *m,
			   unsigned access);
enum line_code rnic_inval(struct verbs_device *d, struct verbs_memory *m);
/* Find the domain with this number, or create it. NULL with errno. */
struct ibv_pd *rnic_domain_of(struct rnic *r, uint64_t number);
/* Write a text about errno into device->why; returns the code. */
enum line_code rnic_failed(struct rnic *r, const char *what);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device of the verbs agent that is an RNIC: libibverbs for memory and
 * work, librdmacm for connections.
 *
 *   ibverbs.c          opening, domains, memory, what to poll for
 *   ibverbs_stream.c   listening, answering, connecting, closing
 *   ibverbs_work.c     work requests and their completions
 *   ibverbs_facts.c    what the device says of itself
 */
#ifndef HARNESS_RNIC_IBVERBS_H
#define HARNESS_RNIC_IBVERBS_H

#include <netinet/in.h>
#include <sys/socket.h>

#include "harness/rnic/device.h"

struct ibv_comp_channel;
struct ibv_context;
struct ibv_cq;
struct ibv_pd;
struct rdma_cm_id;
struct rdma_event_channel;

enum { RNIC_DOMAINS = 64 };

/* An address that an iWARP device listens at. */
struct rnic_place {
	union {
		struct sockaddr sa;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
	} at;
	char device[64]; /* its name */
};

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
	bool failed;        /* the device told of an error of the QP */
	/* rdma_connect waits for TCP, and has a thread for that */
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
	int dialled[2]; /* a pipe: how an rdma_connect has returned */
};

/* The address of a device: --device and --bind may be NULL. False: there is
 * none; why says it. */
bool rnic_find(struct rnic_place *place, const char *device, const char *bind,
	       char *why, size_t cap);
/* NULL: why says it. facts has to outlive it. */
struct rnic *rnic_open(const struct rnic_place *place,
		       const struct verbs_facts *facts, char *why, size_t cap);

/* Limits and operations, as the device is asked; impl and addr. */
bool rnic_facts(struct rnic *r, struct verbs_facts *facts);
/* --- for the files of this device ----------------------------------------- */

/* errno in device->why; gives the code. */
enum line_code rnic_failed(struct rnic *r, const char *what);
struct ibv_pd *rnic_domain_of(struct rnic *r, uint64_t number);

void rnic_take_cm_events(struct rnic *r);
void rnic_take_async_events(struct rnic *r);
void rnic_take_completions(struct rnic *r);
void rnic_take_dialled(struct rnic *r);
/* Poll a stream's completions until there are none. */
void rnic_drain(struct rnic_stream *s);

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
enum line_code rnic_recv(struct verbs_device *d, struct verbs_work *w);
enum line_code rnic_post(struct verbs_device *d, struct verbs_work *w);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interface between the agent's sessions and a device. Sessions parse, keep
 * names and wait; a device moves data. The program uses ibverbs.c (libibverbs
 * and librdmacm). The unit tests use a device of their own, so that sessions
 * are tested without an RNIC.
 *
 * One device object belongs to one session, and to one thread. A failure is an
 * error code of the protocol, with a text in device->why; LINE_NO_ERROR is
 * success.
 */
#ifndef HARNESS_RNIC_DEVICE_H
#define HARNESS_RNIC_DEVICE_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/agent/line.h"
#include "harness/agent/protocol.h"

enum {
	VERBS_PRIVATE_MAX = 512, /* of a startup frame: RFC 5044 s7.1 */
	VERBS_FDS = 8,
	VERBS_PEER = 64, /* octets of "address:port", with NUL */
	VERBS_WHY = 160,
};

/* How a device sets the C flag of its Reply: RFC 5044 s7.1. */
enum verbs_reply_crc {
	VERBS_CRC_SET,    /* always set */
	VERBS_CRC_ECHOED, /* set if it is set in the Request */
	VERBS_CRC_CLEAR,  /* never set */
};

/*
 * The claims of a device, and the fixed values of its interface: each key of
 * `listen` and `connect` that rdma_cm cannot set has one accepted value; other
 * values are unsupported.
 */
struct verbs_facts {
	char impl[128]; /* '_' for a space */
	char addr[64];
	uint64_t features; /* 1 << enum agent_feature */
	uint32_t max_ird, max_ord, max_private, max_regions;
	uint32_t max_receives, max_posts; /* outstanding, of a connection */
	uint64_t max_region_len, max_message;
	uint32_t startup_timeout_ms;
	/* false: the rest is unknown, and every value is accepted */
	bool probed;
	/* the device's Request; a revision of 0: it sends no Requests */
	unsigned request_rev;
	bool request_enhanced, request_crc, request_markers;
	unsigned request_rtr; /* enum agent_rtr */
	/* the device's Reply */
	enum verbs_reply_crc reply_crc;
	bool reply_markers;
	unsigned reply_rtr; /* all types that it accepts */
	bool abort_resets;  /* close abort=1 is a TCP reset */
};

/* The parameters that a device can be given. */
struct verbs_params {
	uint64_t pd;
	uint32_t ird, ord;
	uint8_t private_data[VERBS_PRIVATE_MAX];
	size_t private_octets;
	uint32_t receives, receive_len; /* rq, rqlen */
	bool reject;
};

/* The peer's startup frame, as far as the device reports it. */
struct verbs_frame {
	bool known, has_depths;
	uint32_t ird, ord;
	uint8_t private_data[VERBS_PRIVATE_MAX];
	size_t private_octets;
	char peer[VERBS_PEER];
};

/* An area of memory and its registration. */
struct verbs_memory {
	uint8_t *octets;
	size_t len;
	uint64_t pd;
	unsigned access; /* enum agent_access */
	uint32_t stag;
	void *handle; /* the device's; NULL: not registered */
};

/* A work request or a receive. The device uses it until it calls work_done(),
 * once. */
struct verbs_work {
	struct verbs_work *next;
	struct verbs_conn *conn;
	enum agent_op op;
	uint64_t id;
	uint64_t serial; /* unique */
	/* the memory of the octets; not needed if len is 0 */
	const struct verbs_memory *memory;
	uint8_t *octets;
	uint32_t len;
	uint32_t rstag, inv;
	uint64_t rto, add, compare, swap;
	bool has_inv, se, fence;
	/* the session's data about this work */
	struct verbs_block *block;
};

/* How a work request ended. */
struct verbs_done {
	enum agent_status status;
	uint64_t len;
	bool has_inv;
	uint32_t inv;
};

struct verbs_session;

struct verbs_port {
	struct verbs_port *next;
	struct verbs_session *session;
	uint16_t number;
	unsigned pending; /* listens that wait for a connection */
	void *handle;     /* the device's; NULL: not listening */
};

struct verbs_conn {
	struct verbs_conn *next;
	struct verbs_session *session;
	uint64_t number;
	enum agent_stream state;
	bool closing; /* the ULP closes it when its posted work was sent */
	struct verbs_params params;
	struct verbs_frame frame;
	void *handle; /* the device's; NULL: not created yet, or released */
	uint64_t receive_ordinal;
	uint32_t receives, posts;              /* outstanding at the device */
	struct verbs_work *work;               /* the completions of the
					        * device */
	struct verbs_work *early, **early_end; /* sends that wait for startup */
	struct verbs_event *events, **events_end;
	uint64_t nevents;
};

struct verbs_device {
	const struct verbs_device_ops *ops;
	const struct verbs_consumer *consumer; /* set before `serve` */
	char why[VERBS_WHY];
};

struct verbs_device_ops {
	/* Registers memory->octets; fills in stag and handle. */
	enum line_code (*reg)(struct verbs_device *d, struct verbs_memory *m);
	void (*dereg)(struct verbs_device *d, struct verbs_memory *m);
	/* Changes the rights and keeps the STag. */
	enum line_code (*access)(struct verbs_device *d, struct verbs_memory *m,
				 unsigned access);
	enum line_code (*inval)(struct verbs_device *d, struct verbs_memory *m);

	/* Starts to listen. If port->number is 0, the device chooses one, and
	 * sets it. */
	enum line_code (*listen)(struct verbs_device *d,
				 struct verbs_port *port);
	void (*unlisten)(struct verbs_device *d, struct verbs_port *port);

	/* Answers a Request that request_came() reported. The request is not
	 * valid afterwards. If accept returns LINE_NO_ERROR, TCP has the Reply.
	 * ready is called when receives can be posted, before the Reply is
	 * sent. */
	enum line_code (*accept)(struct verbs_device *d, void *request,
				 struct verbs_conn *c,
				 void (*ready)(struct verbs_conn *c));
	enum line_code (*reject)(struct verbs_device *d, void *request,
				 struct verbs_conn *c);
	/* Begins to connect; after its return receives can be posted. conn_is()
	 * reports the result. addr is numeric. */
	enum line_code (*connect)(struct verbs_device *d, struct verbs_conn *c,
				  const char *addr, uint16_t port);

	enum line_code (*recv)(struct verbs_device *d, struct verbs_work *w);
	enum line_code (*post)(struct verbs_device *d, struct verbs_work *w);

	void (*close)(struct verbs_device *d, struct verbs_conn *c, bool abort);
	/* Ends a connection at once; it is not reported on any more. */
	void (*release)(struct verbs_device *d, struct verbs_conn *c);

	/* The descriptors to poll, at most VERBS_FDS; returns how many. */
	size_t (*fds)(struct verbs_device *d, struct pollfd *fds);
	/* Reads the available events, without waiting, and reports them. */
	void (*serve)(struct verbs_device *d);
	void (*destroy)(struct verbs_device *d);
};

/* A device's reports to its session, inside serve or another call. */
struct verbs_consumer {
	/* A valid Request has arrived at the port. */
	void (*request_came)(struct verbs_port *port, void *request,
			     const struct verbs_frame *frame);
	/* The state of a connection has changed. After a final state it does
	 * not change again. frame has the contents of the peer's Reply, or is
	 * NULL. */
	void (*conn_is)(struct verbs_conn *c, enum agent_stream state,
			const struct verbs_frame *frame);
	void (*work_done)(struct verbs_work *w, const struct verbs_done *done);
};

static inline bool verbs_is_atomic(enum agent_op op)
{
	return op == AGENT_FETCHADD || op == AGENT_CMPSWAP || op == AGENT_SWAP;
}

static inline bool verbs_is_final(enum agent_stream state)
{
	return state != AGENT_CONNECTING && state != AGENT_ESTABLISHED;
}

#endif

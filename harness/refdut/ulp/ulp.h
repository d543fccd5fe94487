/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Upper layer protocols that the device speaks by itself, without an agent,
 * so that a real peer which knows nothing of warpspec can be held against it.
 *
 * rping is the ping of rdmacm-utils. The client Sends where its data lies;
 * the server fetches them by an RDMA Read and Sends a go-ahead; the client
 * Sends where it wants them back; the server puts them there by an RDMA Write
 * and Sends that it has. That is one exchange. After the last one the client
 * closes. Over iWARP the initiator is the one that speaks first, as RFC 5044
 * s7.1.2 needs it.
 *
 * buffer is a server that does nothing but to let its peers use memory: one
 * buffer for all connections, whose place it prints, and one for each, whose
 * place it puts into its private data; or, as buffer-send, into a Send of its
 * own, as rping's client does.
 *
 *   ulp.c         listening, connecting, and what comes of it all
 *   ulp_rping.c   one connection's exchanges, in both roles
 *   ulp_buffer.c  one connection, and its buffer
 */
#ifndef HARNESS_REFDUT_ULP_H
#define HARNESS_REFDUT_ULP_H

#include "harness/refdut/conn.h"

enum {
	RPING_PORT = 7174,
	RPING_SIZE = 64, /* octets of data, by default */
	RPING_SIZE_MAX = 64 << 10,
	RPING_SETTLE_MAX_MS = 60000,
	RPING_COUNT_MAX = INT32_MAX,
	/* For what the peer has to do next, and for its startup frame: a ULP
	 * behind a real device is started by people and scripts. */
	RPING_PATIENCE_MS = 10000,
};

enum ulp_role {
	ULP_NONE,
	ULP_RPING,
	ULP_RPING_CLIENT,
	ULP_BUFFER,
	ULP_BUFFER_SEND
};

struct ulp {
	enum ulp_role role;
	struct address address; /* to listen at or to connect to */
	uint32_t clients;       /* server: how many to serve; 0: all */
	uint32_t count;         /* client: exchanges */
	uint32_t size;          /* client: octets of each */
	unsigned rev;           /* of MPA */
	unsigned settle_ms;     /* client: wait behind startup */
	bool verify;            /* the octets that come */
};

/*
 * Speak it, in the event loop, until the client is done, the last client of a
 * server was served, or loop_stop. What happens is printed on stdout, what goes
 * wrong on stderr, a line each. Returns the exit status: 0 if nothing went
 * wrong.
 */
int ulp_run(const struct ulp *ulp);

/* --- one connection, between the files -------------------------------- */

enum rping_step {
	/* server */
	RPING_SOURCE,
	RPING_READ,
	RPING_SINK,
	RPING_WRITE,
	/* client */
	RPING_GO_AHEAD,
	RPING_RETURN,
	/* both */
	RPING_STARTUP,
	RPING_SETTLE,
	RPING_CLOSE, /* how it ended is printed */
};

struct rping {
	struct rping *prev;
	struct rping *next;
	struct job job;
	struct timer timer;
	const struct ulp *ulp;
	struct conn *conn;
	char peer[ADDRESS_TEXT];
	enum rping_step step;
	struct region *source; /* client: what the server is to read */
	struct region *data;   /* what was read, or has come back */
	uint8_t *due;          /* what it has to be */
	uint32_t size;         /* of this exchange */
	uint32_t exchanges;    /* that are done */
	bool failed;
	bool gone;
	/* What it does when the stream is up, when something completed, and when
	 * the connection has come to its end. */
	void (*established)(struct rping *rping);
	void (*completed)(struct rping *rping, const struct event *event);
	void (*ended)(struct rping *rping);
	/* It is over, and its connection is closed: destroys it. */
	void (*over)(struct rping *rping);
};

/* The job of each: looks at what has happened on the connection. */
void ulp_step(struct job *job);

/* What is Sent: where data are. */
enum { RPING_INFO_SIZE = 16 };
struct rping_info {
	uint64_t to;
	uint32_t stag;
	uint32_t size;
};
void rping_info_put(const struct rping_info *info, uint8_t *octets);

/* The buffer for all connections, and its place on stdout; false: no memory. */
bool buffer_open(const struct ulp *ulp);
void buffer_close(void);
/* Take over an accepted socket. */
struct rping *buffer_serve(const struct ulp *ulp, int fd);

/* Take over an accepted socket. */
struct rping *rping_serve(const struct ulp *ulp, int fd);

/* Connect; NULL with errno where no socket is to be had. */
struct rping *rping_connect(const struct ulp *ulp);

/* Cut it off, if it is not over, and free it. */
void rping_destroy(struct rping *rping);

#endif

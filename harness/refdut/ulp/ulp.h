/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Upper layer protocols that the device speaks by itself, without an agent, so
 * that it can be tested against a real peer that knows nothing of warpspec.
 *
 * rping is the ping of rdmacm-utils. In one exchange,
 *   the client Sends the location of its data;
 *   the server reads the data with an RDMA Read, and Sends a go-ahead;
 *   the client Sends the location of the buffer for the returned data;
 *   the server writes it there with an RDMA Write, and Sends a confirmation.
 * After the last exchange the client closes. Over iWARP the initiator sends
 * first, as RFC 5044 s7.1.2 requires.
 *
 * buffer is a server that only provides memory to its peers: one buffer for all
 * connections, whose location it prints, and one buffer for each connection. It
 * puts the location of the latter into its private data; buffer-send sends it
 * in a Send instead, as rping's client does.
 *
 *   ulp.c         listening, connecting, and the result
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
	/* The time for the peer's next step, and for its startup frame. It is
	 * long, because people and scripts start a ULP on a real device. */
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
	struct address address; /* the address to listen at or to connect to */
	uint32_t clients;       /* server: number of clients to serve; 0: all */
	uint32_t count;         /* client: number of exchanges */
	uint32_t size;          /* client: octets of each exchange */
	unsigned rev;           /* of MPA */
	unsigned settle_ms;     /* client: pause after startup */
	bool verify;            /* print the octets that arrive */
};

/*
 * Run the protocol in the event loop, until the client is done, the last client
 * of a server was served, or loop_stop was called. Events are printed on
 * stdout, errors on stderr, one line each. Returns the exit status: 0 if there
 * was no error.
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
	RPING_CLOSE, /* the end of the connection was printed */
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
	struct region *source; /* client: the data for the server to read */
	struct region *data;   /* the data that was read, or written back */
	uint8_t *due;          /* the expected data */
	uint32_t size;         /* octets of this exchange */
	uint32_t exchanges;    /* finished exchanges */
	bool failed;
	bool gone;
	/* Called when the stream is up, when work has completed, and when the
	 * connection has ended. */
	void (*established)(struct rping *rping);
	void (*completed)(struct rping *rping, const struct event *event);
	void (*ended)(struct rping *rping);
	/* The protocol is over, and the connection is closed: destroy both. */
	void (*over)(struct rping *rping);
};

/* The job of each connection: handles its new events. */
void ulp_step(struct job *job);

/* Write the contents of a Send: the location of data. */
enum { RPING_INFO_SIZE = 16 };
struct rping_info {
	uint64_t to;
	uint32_t stag;
	uint32_t size;
};
void rping_info_put(const struct rping_info *info, uint8_t *octets);

/* Create the buffer for all connections, and print its location on stdout.
 * False: no memory. */
bool buffer_open(const struct ulp *ulp);
void buffer_close(void);
/* Take over an accepted socket. */
struct rping *buffer_serve(const struct ulp *ulp, int fd);

/* Take over an accepted socket. */
struct rping *rping_serve(const struct ulp *ulp, int fd);

/* Connect. NULL with errno if there is no socket. */
struct rping *rping_connect(const struct ulp *ulp);

/* Abort the connection if it is not over, and free everything. */
void rping_destroy(struct rping *rping);

#endif

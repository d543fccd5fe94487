/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The suite's side of the agent protocol: one session, one thread.
 *
 * Every verb has two functions. agent_VERB() sends a request and waits for the
 * reply. agent_begin_VERB() puts the request into a queue; agent_finish() sends
 * the queue and waits for all outstanding replies, so that many requests cost
 * only one round trip. The memory that a begin call fills (replies, octets) has
 * to stay valid until agent_finish() returns; the request need not.
 *
 * Results: AGENT_REFUSED comes from the device, and the session continues. The
 * three results after it come from the environment, and the session is over:
 * every later call returns the same result at once. agent_why() returns the
 * reason in one line.
 */
#ifndef HARNESS_AGENT_CLIENT_H
#define HARNESS_AGENT_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/agent/line.h"
#include "harness/agent/protocol.h"

enum agent_result {
	AGENT_OK,
	AGENT_REFUSED, /* ERR: see agent_code() and agent_text() */
	AGENT_GONE,    /* the agent cannot be reached, or has hung up */
	AGENT_SLOW,    /* no complete reply before the deadline */
	AGENT_GARBAGE, /* a reply that breaks the protocol */
};

/* The facts that an agent's interface to its device may be unable to report:
 * bits of agent_hello.untold. */
enum agent_untold {
	AGENT_UNTOLD_STARTUP_ERRORS = 1, /* that a Request was invalid */
	AGENT_UNTOLD_TERMINATE = 2,      /* the numbers of a Terminate */
	AGENT_UNTOLD_SE = 4,             /* a message's solicited event */
	AGENT_UNTOLD_REJECT_DEPTHS = 8,  /* IRD and ORD of a rejecting Reply */
	AGENT_UNTOLD_ENDS = 16,          /* `closed` may be a disorderly end */
	AGENT_UNTOLD_INVALIDATED = 32,   /* the STag that a Send invalidates */
	AGENT_UNTOLD_PRIVATE_DATA = 64,  /* that of the peer's startup frame */
	AGENT_UNTOLD_RECEIVE_LENGTH = 128,
	AGENT_UNTOLD_LOCAL_KEYS = 256,      /* STag and TO of the results */
	AGENT_UNTOLD_ORDERLY_ENDS = 512,    /* `error` may be an orderly end */
	AGENT_UNTOLD_STARTUP_FRAMES = 1024, /* the device's startup frames */
};
/* The bit with this name, or 0. */
unsigned agent_untold_of(const char *name, size_t n);

/* The device's treatment of `crc=`. */
enum agent_crc {
	AGENT_CRC_ASKED,  /* C is set as requested */
	AGENT_CRC_ALWAYS, /* C is always set */
	AGENT_CRC_NEVER,  /* no CRCs: C is clear, and none is checked */
	AGENT_CRCS
};

#define AGENT_NAME    64 /* size of a conn, listener or region name, with NUL */
#define AGENT_NONCE   256
#define AGENT_TERM    256
#define AGENT_PRIVATE 1024
#define AGENT_PENDING 2048 /* the most outstanding requests */
#define AGENT_WHY     256

struct agent_hello {
	char agent[64], impl[128]; /* impl: '_' is replaced by a space */
	char addr[64];             /* the address of iWARP listeners */
	uint64_t features;         /* 1 << enum agent_feature */
	char claims[1024];         /* the features as the agent lists them */
	unsigned untold;           /* enum agent_untold */
	bool big_endian;           /* the word of an atomic in memory */
	uint32_t max_ird, max_ord, max_private, max_regions;
	uint32_t max_recvs, max_posts; /* per connection; 0: not given */
	uint64_t max_region_len, max_message;
	enum agent_crc crc;
	uint32_t startup_timeout_ms;
	uint16_t sctp_udp; /* the UDP port for SCTP; 0: directly over IP */
	bool needs_auth;   /* hmac-sha256 */
	uint8_t nonce[AGENT_NONCE];
	size_t nonce_octets;
};

struct agent;

/*
 * Connect to a host (name or number), send hello, and authenticate if the agent
 * requires it; token may be NULL. *a is set in any case, unless memory is out,
 * so that the caller can call agent_why(); the caller has to close it.
 * AGENT_REFUSED with code LINE_AUTH: the token is wrong, or missing.
 */
enum agent_result agent_open(struct agent **a, const char *host, uint16_t port,
			     const uint8_t *token, size_t token_octets,
			     uint64_t deadline);
/* The same over a connected stream socket, which the client takes over. */
enum agent_result agent_open_fd(struct agent **a, int fd, const uint8_t *token,
				size_t token_octets, uint64_t deadline);
/* The value of `auth`: HMAC-SHA256 of the nonce with the token as its key.
 * False: this host cannot compute it. */
#define AGENT_MAC 32
bool agent_mac(const uint8_t *token, size_t token_octets, const uint8_t *nonce,
	       size_t nonce_octets, uint8_t mac[AGENT_MAC]);
/* Close without `bye`; queued requests are dropped. NULL is fine. */
void agent_close(struct agent *a);

const struct agent_hello *agent_hello(const struct agent *a);

/* About the last result that was not AGENT_OK. The texts are static, or belong
 * to the session. */
const char *agent_why(const struct agent *a); /* one line */
/* The same without "agent: " or "agent HOST port N: ", for a line that already
 * names the agent. */
const char *agent_trouble(const struct agent *a);
enum line_code agent_code(const struct agent *a); /* of AGENT_REFUSED */
const char *agent_text(const struct agent *a);    /* of AGENT_REFUSED, or "" */
const char *agent_verb(const struct agent *a);    /* of the refused request */
const char *agent_result_name(enum agent_result r);

/* Whether the session is over because a reply did not come in time: the agent
 * has not closed it. */
bool agent_was_silent(const struct agent *a);
/* A descriptor to poll for a reply; -1: the session is over. */
int agent_fd(const struct agent *a);
/* The number of requests whose reply has not come. */
unsigned agent_outstanding(const struct agent *a);

/* Called with every line that is sent and received, without its '\n'. */
typedef void agent_trace_fn(void *arg, bool sent, const char *text, size_t n);
void agent_trace(struct agent *a, agent_trace_fn *fn, void *arg);

/*
 * During a wait for the agent, serve something else, too: call fn whenever fd
 * is readable, and at the time that fn has returned last (clock.h; UINT64_MAX:
 * never).
 */
typedef uint64_t agent_aside_fn(void *arg);
void agent_aside(struct agent *a, int fd, agent_aside_fn *fn, void *arg);

/* Send the queue; replies that arrive meanwhile are read. */
enum agent_result agent_flush(struct agent *a, uint64_t deadline);
/* Send the queue and wait for all replies. Returns the first result since the
 * last agent_finish() that was not AGENT_OK; all other replies were read,
 * too. */
enum agent_result agent_finish(struct agent *a, uint64_t deadline);

/* ------------------------------------------------------------------ *
 * Session and memory
 * ------------------------------------------------------------------ */

/* 0 and NULL are the protocol's defaults, and are left out. */
struct agent_reg {
	const char *name;
	uint64_t len;
	unsigned access; /* enum agent_access */
	uint32_t pd;
	uint64_t align, skew;
	bool zero_based, shared;
	const char *conn; /* the stream to which it is bound */
};

struct agent_region {
	uint32_t stag;
	uint64_t to, len;
};

/* A line without its '\n', for requests that no correct client sends. */
void agent_begin_raw(struct agent *a, const char *text);
void agent_begin_reset(struct agent *a);
void agent_begin_bye(struct agent *a);
void agent_begin_reg(struct agent *a, const struct agent_reg *r,
		     struct agent_region *out);
void agent_begin_access(struct agent *a, const char *name, unsigned access);
void agent_begin_fill(struct agent *a, const char *name, uint64_t off,
		      const void *octets, size_t n);
/* Read exactly n octets into out. */
void agent_begin_dump(struct agent *a, const char *name, uint64_t off, size_t n,
		      uint8_t *out);
void agent_begin_digest(struct agent *a, const char *name, uint64_t off,
			uint64_t len, uint8_t sha256[32]);
void agent_begin_inval(struct agent *a, const char *name);
void agent_begin_dereg(struct agent *a, const char *name);

/* ------------------------------------------------------------------ *
 * Connections
 * ------------------------------------------------------------------ */

/* A number whose default is not 0: it is left out unless `given` is set. */
struct agent_number {
	bool given;
	uint64_t value;
};

static inline struct agent_number agent_number(uint64_t value)
{
	return (struct agent_number){.given = true, .value = value};
}

struct agent_params {
	uint32_t pd;
	struct agent_number ird, ord;
	const void *private_data;
	size_t private_octets;
	bool markers; /* the device requests markers */
	bool crc_off; /* C is clear in the device's frame */
	uint32_t rq;
	struct agent_number rqlen;
	bool sctp;
	/* `connect` over SCTP: the peer's UDP port (0: directly over IP), and
	 * the SCTP stream. */
	uint16_t udp;
	struct agent_number stream;
	unsigned mpa; /* 1, 2; 0: the default */
	bool plain;   /* mpa=2 without enhanced data */
	unsigned rtr; /* enum agent_rtr; 0: the key is left out */
	struct agent_number need_ord, msn;
	bool reject; /* `listen` only */
};

struct agent_listener {
	char listener[AGENT_NAME];
	uint16_t port;
};

/* The reply to `accept` and `state`: a report about a connection. */
struct agent_state {
	char conn[AGENT_NAME]; /* accept only */
	char peer[AGENT_NAME]; /* accept only */
	enum agent_stream state;
	bool has_terminate;
	/* The sender of the Terminate, if the agent reports it. */
	bool has_terminate_from, terminate_remote;
	unsigned layer, etype, code;
	/* The Terminate from its control word on. *_octets is the number of
	 * octets that are present here. *_told is the number that the agent has
	 * sent, which may be larger. */
	uint8_t term[AGENT_TERM];
	size_t term_octets, term_told;
	bool has_private;
	uint8_t private_data[AGENT_PRIVATE];
	size_t private_octets, private_told;
	bool has_ird; /* ird and ord are set */
	uint32_t ird, ord;
	bool has_stream; /* accept only, over SCTP */
	uint16_t stream;
};

struct agent_recv {
	const char *conn;
	uint32_t count;    /* 0: left out, which means one */
	uint64_t len;      /* of each buffer; always sent */
	const char *local; /* a region as the buffer, with off, len and id */
	uint64_t off;
	struct agent_number id;
};

struct agent_post {
	const char *conn;
	uint64_t id;
	enum agent_op op;
	const char *local; /* a region, with off and len */
	uint64_t off, len;
	bool inline_octets; /* instead: hex= with n octets; n may be 0 */
	const void *octets;
	size_t n;
	struct agent_number rstag, rto, inv;
	const uint8_t *imm; /* 8 octets, in wire order */
	struct agent_number add, mask;
	struct agent_number swap, swap_mask, compare, compare_mask;
	bool se, fence;
};

struct agent_event {
	char conn[AGENT_NAME];
	uint64_t id;
	enum agent_op op;
	enum agent_status status;
	uint64_t len;
	const uint8_t *octets; /* in `room` of the batch; NULL: no hex= came */
	size_t n;
	bool cut; /* hex= came, but `room` was full */
	bool has_sha256, has_se, se, has_inv, has_imm, has_value;
	uint8_t sha256[32];
	uint32_t inv;
	uint8_t imm[8]; /* wire order */
	uint64_t value;
};

/* A batch of events. The caller owns the memory at event and room, and sets the
 * rest to 0. At most cap events are requested. */
struct agent_events {
	struct agent_event *event;
	size_t cap, n;
	uint8_t *room;
	size_t room_octets, room_used;
};

void agent_begin_listen(struct agent *a, uint16_t port,
			const struct agent_params *p,
			struct agent_listener *out);
void agent_begin_accept(struct agent *a, const char *listener,
			uint32_t timeout_ms, struct agent_state *out);
/* The name of the connection is written to conn. */
void agent_begin_connect(struct agent *a, const char *addr, uint16_t port,
			 const struct agent_params *p, char conn[AGENT_NAME]);
/* AGENT_STREAMS: without `until`. */
void agent_begin_state(struct agent *a, const char *conn, uint32_t timeout_ms,
		       enum agent_stream until, struct agent_state *out);
void agent_begin_recv(struct agent *a, const struct agent_recv *r);
void agent_begin_post(struct agent *a, const struct agent_post *p);
void agent_begin_events(struct agent *a, const char *conn, uint32_t timeout_ms,
			uint32_t min, struct agent_events *out);
enum agent_closing { AGENT_CLOSE, AGENT_CLOSE_ABORT, AGENT_CLOSE_HALF };
void agent_begin_close(struct agent *a, const char *conn, enum agent_closing h);
void agent_begin_provoke(struct agent *a, const char *conn, unsigned layer,
			 unsigned etype, unsigned code);

/* ------------------------------------------------------------------ *
 * The same functions, which wait for the reply. If an earlier request has
 * failed, its result is returned.
 * ------------------------------------------------------------------ */

enum agent_result agent_raw(struct agent *a, const char *text, uint64_t dl);
enum agent_result agent_reset(struct agent *a, uint64_t dl);
enum agent_result agent_bye(struct agent *a, uint64_t dl);
enum agent_result agent_reg(struct agent *a, const struct agent_reg *r,
			    struct agent_region *out, uint64_t dl);
enum agent_result agent_access(struct agent *a, const char *name,
			       unsigned access, uint64_t dl);
enum agent_result agent_fill(struct agent *a, const char *name, uint64_t off,
			     const void *octets, size_t n, uint64_t dl);
enum agent_result agent_dump(struct agent *a, const char *name, uint64_t off,
			     size_t n, uint8_t *out, uint64_t dl);
enum agent_result agent_digest(struct agent *a, const char *name, uint64_t off,
			       uint64_t len, uint8_t sha256[32], uint64_t dl);
enum agent_result agent_inval(struct agent *a, const char *name, uint64_t dl);
enum agent_result agent_dereg(struct agent *a, const char *name, uint64_t dl);
enum agent_result agent_listen(struct agent *a, uint16_t port,
			       const struct agent_params *p,
			       struct agent_listener *out, uint64_t dl);
enum agent_result agent_accept(struct agent *a, const char *listener,
			       uint32_t timeout_ms, struct agent_state *out,
			       uint64_t dl);
enum agent_result agent_connect(struct agent *a, const char *addr,
				uint16_t port, const struct agent_params *p,
				char conn[AGENT_NAME], uint64_t dl);
enum agent_result agent_state(struct agent *a, const char *conn,
			      uint32_t timeout_ms, enum agent_stream until,
			      struct agent_state *out, uint64_t dl);
enum agent_result agent_recv(struct agent *a, const struct agent_recv *r,
			     uint64_t dl);
enum agent_result agent_post(struct agent *a, const struct agent_post *p,
			     uint64_t dl);
enum agent_result agent_events(struct agent *a, const char *conn,
			       uint32_t timeout_ms, uint32_t min,
			       struct agent_events *out, uint64_t dl);
enum agent_result agent_stop(struct agent *a, const char *conn,
			     enum agent_closing h, uint64_t dl);
enum agent_result agent_provoke(struct agent *a, const char *conn,
				unsigned layer, unsigned etype, unsigned code,
				uint64_t dl);

#endif

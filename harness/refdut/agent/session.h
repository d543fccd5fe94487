/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The agent's side: sessions of the agent protocol, version 1.
 *
 *   server.c       the listening socket
 *   session.c      lines in and out, the verb table, waiting, the end
 *   verbs_memory.c reg access fill dump digest inval dereg
 *   verbs_conn.c   listen accept connect state close provoke
 *   verbs_work.c   recv post events
 */
#ifndef HARNESS_REFDUT_SESSION_H
#define HARNESS_REFDUT_SESSION_H

#include "harness/agent/line.h"
#include "harness/refdut/address.h"
#include "harness/refdut/conn.h"
#include "harness/refdut/sctp/sctp_assoc.h"

enum {
	REGIONS_MAX = 16384,
	REGION_LEN_MAX = 64 << 20,
	SESSION_MEMORY_MAX = 256 << 20,
	NONCE_SIZE = 32,
	TOKEN_MAX = 256,
};

/* One `listen`, until `accept` has reported its connection. */
struct listener {
	struct listener *next; /* of the session */
	uint64_t number;
	bool sctp;
	uint16_t port;
	bool taken;
	struct params params;
	struct conn *conn; /* set when TCP or an SCTP session has arrived */
};

/* A listening socket, shared by the session's listens on its port. */
struct port {
	struct watch watch;
	struct port *next;
	struct session *session;
	uint16_t number;
	unsigned pending;
};

/* An SCTP port, which exists as long as the session. */
struct sctp_port_of {
	struct sctp_port port;
	struct sctp_port_of *next;
};

struct session {
	struct watch watch;
	struct job job;
	struct timer timer;
	struct session *prev;
	struct session *next;
	struct buf in;
	struct buf out;
	size_t scanned; /* how many octets of `in` were searched for a line end */
	bool greeted;
	bool authenticated;
	unsigned unproven; /* requests before authentication */
	bool leaving;      /* flush, close our half, drop further input */
	bool gone;
	uint8_t nonce[NONCE_SIZE];
	struct region *regions;
	unsigned nregions;
	uint64_t memory;
	struct conn *conns;
	uint64_t conn_ordinal;
	struct listener *listeners;
	struct listener **listeners_end;
	uint64_t listener_ordinal;
	struct port *ports;
	struct sctp_port_of *sctp_ports;

	/* The request that waits, if any. */
	bool (*poll)(struct session *session, bool timed_out);
	struct conn *wait_conn;
	struct listener *wait_listener;
	struct region *wait_region;
	enum conn_state wait_state;
	bool wait_any;
	uint64_t wait_min;
	uint64_t wait_max;
};

/* The shared token; len 0: no authentication. */
struct token {
	uint8_t octets[TOKEN_MAX];
	size_t len;
};
extern struct token agent_token;

/* Serve sessions at an address; *at is then the bound address. Returns 0, or -1
 * with errno. */
int server_start(struct address *at);
void server_stop(void);

/* Take over an accepted socket. */
void session_open(int fd);
void session_close_all(void);

/* Free everything that the session created. */
void session_release(struct session *session);

/* Replies. A verb gives exactly one. */
void reply(struct session *session, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void refuse(struct session *session, enum line_code code, const char *format,
	    ...) __attribute__((format(printf, 3, 4)));

/* Call poll now and after every change, until it replies and returns true. At
 * the timeout, timed_out is true, and poll has to reply. */
void session_wait(struct session *session,
		  bool (*poll)(struct session *, bool timed_out),
		  uint64_t timeout_ms);

/* Read numbers of a request. Refuse the request and return false if they are
 * invalid. */
bool number(struct session *session, const struct line *line, const char *key,
	    uint64_t max, uint64_t *value);
bool flag(struct session *session, const struct line *line, const char *key,
	  bool *value);

/* Look up objects by the names in a request. Refuse the request and return NULL
 * if there is none. */
struct region *region_named(struct session *session, const struct line *line,
			    const char *key);
struct conn *conn_named(struct session *session, const struct line *line);
struct conn *conn_by_name(const struct session *session, const char *name);

void session_adopt(struct session *session, struct conn *conn);

enum { TIMEOUT_MAX_MS = 24 * 3600 * 1000 };

void verb_reg(struct session *session, const struct line *line);
void verb_access(struct session *session, const struct line *line);
void verb_fill(struct session *session, const struct line *line);
void verb_dump(struct session *session, const struct line *line);
void verb_digest(struct session *session, const struct line *line);
void verb_inval(struct session *session, const struct line *line);
void verb_dereg(struct session *session, const struct line *line);
void verb_listen(struct session *session, const struct line *line);
void verb_accept(struct session *session, const struct line *line);
void verb_connect(struct session *session, const struct line *line);
void verb_state(struct session *session, const struct line *line);
void verb_close(struct session *session, const struct line *line);
void verb_provoke(struct session *session, const struct line *line);
void verb_recv(struct session *session, const struct line *line);
void verb_post(struct session *session, const struct line *line);
void verb_events(struct session *session, const struct line *line);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A session of the verbs agent: one client, one device object, one thread
 * of its own process. Requests are served in order; one that has to wait
 * serves the device meanwhile and gives up when the client is gone.
 *
 *   session.c  lines in and out, the verb table, waiting, the end
 *   memory.c   reg access fill dump digest inval dereg
 *   params.c   the parameters of listen and connect
 *   stream.c   listen accept connect state close provoke
 *   work.c     recv post
 *   events.c   events
 */
#ifndef HARNESS_RNIC_SESSION_H
#define HARNESS_RNIC_SESSION_H

#include <stdio.h>

#include "harness/rnic/device.h"
#include "harness/rnic/guard.h"

enum {
	VERBS_NAME = 64, /* octets of a region's name, with NUL */
	VERBS_SESSION_MEMORY = 1 << 30, /* octets of all its regions */
	VERBS_CONNS = 4096,             /* of a session, until reset */
	VERBS_NONCE = 32,
	VERBS_AUTH_MS = 30000, /* to authenticate in */
};

/* Memory under a name. */
struct verbs_region {
	struct verbs_region *next;
	char name[VERBS_NAME];
	struct verbs_memory memory;
	void *map;
	size_t map_len;
	unsigned access; /* as asked; the device may have been given more */
	bool valid;
};

/* Memory without a name: of receives, and of octets in a post. */
struct verbs_block {
	struct verbs_memory memory;
	unsigned refs;
};

/* One `listen`, until its connection was told by `accept`. */
struct verbs_listen {
	struct verbs_listen *next;
	uint64_t number;
	struct verbs_port *port;
	struct verbs_params params;
	bool taken;
	struct verbs_conn *conn; /* once its Request has come */
	enum line_code failed;   /* the device could not answer it */
	char why[VERBS_WHY];
};

struct verbs_event {
	struct verbs_event *next;
	enum agent_op op;
	uint64_t id;
	struct verbs_done done;
	uint8_t *octets; /* of a receive without a region; NULL: none */
	bool has_value;
	uint64_t value;
};

struct verbs_session {
	int fd;
	FILE *out;
	struct verbs_device *device;
	const struct verbs_facts *facts;
	const struct verbs_token *token; /* len 0: no authentication */
	struct verbs_guard *guard;
	const char *peer; /* who the client is, for the log */
	char *in;
	size_t in_start, in_end;
	bool greeted, authenticated, leaving, gone;
	uint64_t deadline; /* of authentication; UINT64_MAX: none */
	uint8_t nonce[VERBS_NONCE];
	struct verbs_region *regions;
	uint32_t nregions;
	uint64_t memory;
	struct verbs_conn *conns;
	uint64_t conn_ordinal, nconns, work_serial;
	struct verbs_listen *listens, **listens_end;
	uint64_t listen_ordinal;
	struct verbs_port *ports;
};

/*
 * Serve the client of a connected socket until either side ends it; then
 * all it made is released, and the socket and the device are closed.
 */
void verbs_session_run(int fd, struct verbs_device *device,
		       const struct verbs_facts *facts,
		       const struct verbs_token *token,
		       struct verbs_guard *guard, const char *peer);

/* --- for the files of a session ------------------------------------------ */

void verbs_refuse(struct verbs_session *s, enum line_code code,
		  const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* ERR with what the device said. */
void verbs_refused(struct verbs_session *s, enum line_code code);
/* Ones that answer ERR themselves where they return false. */
bool verbs_number(struct verbs_session *s, const struct line *l,
		  const char *key, uint64_t max, uint64_t *value);
bool verbs_flag(struct verbs_session *s, const struct line *l, const char *key,
		bool *value);
bool verbs_needs(struct verbs_session *s, const struct line *l,
		 const char *key);

/*
 * Serve the device until done(arg) says so, or the time is over. False: the
 * client is gone, and there is nobody to reply to.
 */
bool verbs_wait(struct verbs_session *s, bool (*done)(void *arg), void *arg,
		uint64_t timeout_ms);

static inline bool verbs_claims(const struct verbs_session *s,
				enum agent_feature f)
{
	return s->facts->features >> f & 1;
}

struct verbs_region *verbs_region_of(struct verbs_session *s,
				     const struct line *l, const char *key);
struct verbs_conn *verbs_conn_of(struct verbs_session *s, const struct line *l);

/* The parameters of a listen or connect; false: refused. */
bool verbs_params(struct verbs_session *s, const struct line *l, bool listening,
		  struct verbs_params *p);

/* Registered memory of n octets; NULL: refused. Give it back with put. */
struct verbs_block *verbs_block_new(struct verbs_session *s, uint64_t pd,
				    size_t n);
void verbs_block_put(struct verbs_session *s, struct verbs_block *b);

/* Post n receives of len octets each. False: refused. */
bool verbs_receives(struct verbs_session *s, struct verbs_conn *c,
		    uint64_t count, uint64_t len);
/* What the device tells: struct verbs_consumer. */
void verbs_request_came(struct verbs_port *port, void *request,
			const struct verbs_frame *frame);
void verbs_conn_is(struct verbs_conn *c, enum agent_stream state,
		   const struct verbs_frame *frame);
void verbs_work_done(struct verbs_work *w, const struct verbs_done *done);

/* Give what waited for the connection to the device, or flush it. */
void verbs_work_go_on(struct verbs_conn *c);
/* Whether the device has something to send for which no answer of the peer is
 * needed: a Send or a Write, with nothing unanswered before it. */
bool verbs_has_to_send(const struct verbs_conn *c);
/* Forget all work of a connection that the device has released. */
void verbs_work_drop(struct verbs_conn *c);
void verbs_event_free(struct verbs_event *e);
void verbs_conn_free(struct verbs_conn *c);
void verbs_release_memory(struct verbs_session *s);
void verbs_release_streams(struct verbs_session *s);

void verbs_verb_reg(struct verbs_session *s, const struct line *l);
void verbs_verb_access(struct verbs_session *s, const struct line *l);
void verbs_verb_fill(struct verbs_session *s, const struct line *l);
void verbs_verb_dump(struct verbs_session *s, const struct line *l);
void verbs_verb_digest(struct verbs_session *s, const struct line *l);
void verbs_verb_inval(struct verbs_session *s, const struct line *l);
void verbs_verb_dereg(struct verbs_session *s, const struct line *l);
void verbs_verb_listen(struct verbs_session *s, const struct line *l);
void verbs_verb_accept(struct verbs_session *s, const struct line *l);
void verbs_verb_connect(struct verbs_session *s, const struct line *l);
void verbs_verb_state(struct verbs_session *s, const struct line *l);
void verbs_verb_close(struct verbs_session *s, const struct line *l);
void verbs_verb_provoke(struct verbs_session *s, const struct line *l);
void verbs_verb_recv(struct verbs_session *s, const struct line *l);
void verbs_verb_post(struct verbs_session *s, const struct line *l);
void verbs_verb_events(struct verbs_session *s, const struct line *l);

#endif

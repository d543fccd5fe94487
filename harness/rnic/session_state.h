/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of a session. Each list belongs to a file: regions to memory.c, all
 * others to stream.c.
 */
#ifndef HARNESS_RNIC_SESSION_STATE_H
#define HARNESS_RNIC_SESSION_STATE_H

#include <stdio.h>

#include "harness/rnic/auth.h"
#include "harness/rnic/device.h"

struct verbs_session {
	int fd;
	FILE *out;
	struct verbs_device *device;
	const struct verbs_facts *facts;
	const struct verbs_token *token; /* len 0: no authentication */
	struct verbs_guard *guard;
	const char *peer; /* the client's address, for the log */
	bool greeted, authenticated;
	bool leaving;      /* this side ends it when everything was sent */
	bool gone;         /* the client has gone, or its time is over */
	uint64_t deadline; /* for authentication; UINT64_MAX: none */
	uint8_t nonce[VERBS_NONCE];

	struct verbs_region *regions;
	uint32_t nregions;
	uint64_t memory; /* octets of all regions */

	struct verbs_conn *conns;
	uint64_t conn_ordinal, nconns, work_serial;
	struct verbs_listen *listens, **listens_end;
	uint64_t listen_ordinal;
	struct verbs_port *ports;
};

static inline bool verbs_claims(const struct verbs_session *s,
				enum agent_feature f)
{
	return s->facts->features >> f & 1;
}

#endif

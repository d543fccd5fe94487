/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words of the agent protocol (PROTOCOL.md) that both of its ends use:
 * features of a device, access rights of a region, states of a connection,
 * operations and their results, each with its name on a line.
 */
#ifndef HARNESS_AGENT_PROTOCOL_H
#define HARNESS_AGENT_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>

/* The features that a device may claim: bits of a 64-bit set. */
enum agent_feature {
#define AGENT_FEATURE(ident, name) AGENT_FEATURE_BIT_##ident,
#include "harness/agent/features.def"
#undef AGENT_FEATURE
	AGENT_FEATURES
};
/* The name of a feature, and the feature with a name (AGENT_FEATURES: there is
 * no such feature). */
const char *agent_feature_name(enum agent_feature f);
enum agent_feature agent_feature_of(const char *name, size_t n);

enum agent_access {
	AGENT_LW = 1,
	AGENT_RR = 2,
	AGENT_RW = 4,
	AGENT_RA = 8,
	AGENT_NO_ACCESS = 0,
};

enum agent_rtr {
	AGENT_RTR_SEND = 1,
	AGENT_RTR_WRITE = 2,
	AGENT_RTR_READ = 4,
	AGENT_RTR_EMPTY = 8, /* the key with an empty list */
};

enum agent_stream {
	AGENT_CONNECTING,
	AGENT_ESTABLISHED,
	AGENT_REJECTED,
	AGENT_TERMINATED,
	AGENT_CLOSED,
	AGENT_ERROR,
	AGENT_STREAMS
};
const char *agent_stream_name(enum agent_stream s);

enum agent_op {
	AGENT_RECV,
	AGENT_RECV_IMM,
	AGENT_SEND,
	AGENT_WRITE,
	AGENT_READ,
	AGENT_FETCHADD,
	AGENT_CMPSWAP,
	AGENT_SWAP,
	AGENT_IMM,
	AGENT_WRITE_IMM, /* posted; completes as AGENT_IMM */
	AGENT_OPS
};
const char *agent_op_name(enum agent_op op);

enum agent_status {
	AGENT_DONE, /* ok */
	AGENT_FLUSHED,
	AGENT_LOCAL_ERROR,
	AGENT_REMOTE_ERROR,
	AGENT_STATUSES
};
const char *agent_status_name(enum agent_status s);

/*
 * The names, in the order of their enumeration; those of access and RTR begin
 * with the lowest bit.
 */
enum { AGENT_ACCESS_BITS = 4, AGENT_RTR_BITS = 3 };
extern const char *const agent_access_names[AGENT_ACCESS_BITS];
extern const char *const agent_rtr_names[AGENT_RTR_BITS];
extern const char *const agent_stream_names[AGENT_STREAMS];
extern const char *const agent_op_names[AGENT_OPS];
extern const char *const agent_status_names[AGENT_STATUSES];

/* The place of a name among n, or n. */
size_t agent_place_of(const char *const *names, size_t n, const char *name);
/* The bits of a list like "lw,rr". False: a name is unknown, empty or listed
 * twice. */
bool agent_bits_of(const char *const *names, size_t n, const char *list,
		   unsigned *bits);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The traffic between a case and the device over SCTP: the packets of the link,
 * decoded as far as cases about associations and chunks need.
 */
#ifndef SUITE_LANGUAGE_CHUNKS_H
#define SUITE_LANGUAGE_CHUNKS_H

#include "harness/link/sctp/sctp.h"
#include "suite/language/execution/execution.h"

#define CHUNK_OCTETS_KEPT 1024u
#define CHUNK_TSNS        (1u << 18) /* tracked TSNs of an association */

/* The contents of an INIT or INIT ACK. */
struct init_said {
	bool came;
	enum session_adaptation adaptation;
	uint32_t indication;
	unsigned adaptation_octets;
	uint16_t outbound, inbound;
	uint32_t tag, tsn;
};

struct seen_association {
	uint16_t local, remote; /* ports of SCTP */
	struct init_said dut, peer;
	bool up;
	bool dut_aborted, dut_shut, peer_aborted;
	struct dut_chunk *chunk;
	size_t count, cap, taken, controls_taken;
	uint8_t *tsns;                 /* a bit for each one received */
	bool sacked;                   /* the peer has sent a SACK */
	uint32_t through;              /* the Cumulative TSN Ack of the last */
	struct seen_association *next; /* the one that began before it */
};

struct chunk_log {
	struct observe *log;
	unsigned around; /* octets of the headers of IP and UDP */
	struct seen_association *latest;
	unsigned packets; /* of the device */
	bool full;        /* out of memory: something is missing */
	bool stray_is_judged;
};

/* Watch from the start of a case. On other links these do nothing. */
void chunks_watch(struct test *t);
void chunks_unwatch(struct test *t);
/* The association of a stream; NULL: none yet. If the stream is not open, it is
 * the latest at the device's listener, or at the peer's. */
struct seen_association *chunks_of(struct test *t, const struct stream *s);
/* Wait for packets. False: the deadline has passed. */
bool chunks_wait(struct test *t, uint64_t deadline);
/* The chunks of a SCTP stream, session by session, each in the order of its
 * DDP-SSNs; *whole: no number is missing. */
const struct dut_chunk *const *chunks_in_order(struct test *t,
					       const struct seen_association *a,
					       unsigned sid, size_t *n,
					       bool *whole);
const char *chunk_text(struct test *t, const struct dut_chunk *c);
bool chunk_is_rdmap_terminate(const struct dut_chunk *c);
/* True if a failure of this requirement of SCTP is a consequence: the device
 * has sent a chunk with a PPID that is not DDP's, or with a function code that
 * is not registered, and the requirement is not about that. The chunk itself is
 * judged once in a case (stray.c). */
bool stray_explains(struct test *t, unsigned short req);
/* The number of the SCTP stream of a stream. */
unsigned stream_sid(const struct stream *s);

/* The options of the peer's associations (association.c). */
struct link_sctp_options association_options(const struct test *t);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What passes between a case and the device over SCTP: the packets of the
 * link, taken apart as far as cases about associations and chunks ask for it.
 */
#ifndef SUITE_LANGUAGE_CHUNKS_H
#define SUITE_LANGUAGE_CHUNKS_H

#include "harness/link/sctp/sctp.h"
#include "suite/language/execution/execution.h"

#define CHUNK_OCTETS_KEPT 1024u
#define CHUNK_TSNS        (1u << 18) /* of an association that are looked at */

/* What an INIT or INIT ACK says. */
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
	uint8_t *tsns;                 /* a bit for each that has come */
	bool sacked;                   /* the peer has acknowledged, */
	uint32_t through;              /* all up to this */
	struct seen_association *next; /* the one before */
};

struct chunk_log {
	struct observe *log;
	unsigned around;                 /* octets of IP and UDP */
	struct seen_association *latest; /* the one begun last */
	unsigned packets;                /* of the device */
	bool full;                       /* no memory: something is missing */
};

/* From the beginning of a case on; on other links nothing. */
void chunks_watch(struct test *t);
void chunks_unwatch(struct test *t);
/* That of a stream, or NULL: there is none yet. Without one that is open it is
 * the latest at the device's listener, or at the peer's. */
struct seen_association *chunks_of(struct test *t, const struct stream *s);
/* Something may have come: false at the deadline. */
bool chunks_wait(struct test *t, uint64_t deadline);
/* The chunks of a SCTP stream, sessions one after another, each in the order
 * of its DDP-SSNs; *whole: no number is missing. */
const struct dut_chunk *const *chunks_in_order(struct test *t,
					       const struct seen_association *a,
					       unsigned sid, size_t *n,
					       bool *whole);
const char *chunk_text(struct test *t, const struct dut_chunk *c);
bool chunk_is_rdmap_terminate(const struct dut_chunk *c);
/* The SCTP stream of a stream of the case. */
unsigned stream_sid(const struct stream *s);

/* The options that the peer's associations have (association.c). */
struct link_sctp_options association_options(const struct test *t);

#endif

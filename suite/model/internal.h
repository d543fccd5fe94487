/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the golden model share with each other, and with nobody
 * else.
 *
 *   send/     send.c: a segment of the DUT: framing, headers, continuity;
 *             send_work.c: against the work posted; send_response.c: against
 *             the TP's Requests; send_terminate.c: Terminate, and how the
 *             stream ends
 *   receive/  receive.c: a segment of the TP: framing, headers, tagged;
 *             receive_untagged.c: queues, receive buffers, deliveries,
 *             Terminate; receive_request.c: Read and Atomic Requests, Atomic
 *             Responses; memory.c: regions, placement, which octets are certain
 */
#ifndef SUITE_MODEL_INTERNAL_H
#define SUITE_MODEL_INTERNAL_H

#include "suite/model/model.h"

#define LEVEL(ident) REQ_INDEX_##ident

/* memory.c */

enum access_fault {
	ACCESS_STAG = 1,
	ACCESS_STREAM = 2,
	ACCESS_BOUNDS = 4,
	ACCESS_WRAP = 8,
	ACCESS_RIGHTS = 16,
	ACCESS_UNKNOWN = 32, /* no such region, and not all are known */
};

/* Every check that fails, as a set of enum access_fault; 0: none. */
unsigned memory_check(const struct model *m, uint32_t stag, uint64_t to,
		      uint64_t len, unsigned access);
/* Index of the region with this STag, dead or not; -1 if there is none. */
int memory_find(const struct model *m, uint32_t stag);
/* Octets [to, to+n) of region i in its shadow; NULL if that is not known. */
uint8_t *memory_at(const struct model *m, int i, uint64_t to, uint64_t n);
bool memory_certain(const struct model *m, int i, uint64_t to, uint64_t n);
/* Write octets there (NULL: unknown ones) and note who may see the change. */
void memory_place(struct model *m, uint32_t stag, uint64_t to,
		  const uint8_t *octets, uint64_t n);
void memory_doubt(struct model *m, uint32_t stag, uint64_t to, uint64_t n);
/* What an atomic leaves in its word: eight octets, or NULL for unknown. */
void memory_atomic(struct model *m, uint32_t stag, uint64_t to,
		   const uint8_t *word);
/* Words whose octets `known` tells: what stands there was seen to be this, or has
 * been left by an atomic. */
void memory_shows(struct model *m, uint32_t stag, uint64_t to,
		  const uint8_t *octets, uint64_t n, struct model_run except,
		  unsigned why);
/* Why this octet is what it is: enum model_octet. */
unsigned memory_why(const struct model *m, uint32_t stag, uint64_t to);
/* Its octets have changed otherwise: only unanswered Requests may show it. */
void memory_touched(struct model *m, uint32_t stag, uint64_t to, uint64_t n);

static inline bool run_empty(struct model_run r)
{
	return r.from == r.to;
}

/* A run up to the last TO of all ends at 0: each length is a difference. */
static inline bool run_overlaps(struct model_run r, uint64_t from, uint64_t to)
{
	return !run_empty(r) && from != to &&
	       (from - r.from < r.to - r.from || r.from - from < to - from);
}

static inline struct model_run run_union(struct model_run r, uint64_t from,
					 uint64_t to)
{
	if (from == to)
		return r;
	if (run_empty(r))
		return (struct model_run){from, to};
	return (struct model_run){r.from < from ? r.from : from,
				  r.to - 1 > to - 1 ? r.to : to};
}

/* Whether [from, to) has all octets of it. */
static inline bool run_within(struct model_run r, uint64_t from, uint64_t to)
{
	return run_empty(r) ||
	       (from != to && from <= r.from && r.to - 1 <= to - 1);
}

/* receive.c */

/* The faults found in one segment, as one set of reactions. */
struct verdict {
	struct model_outcomes o;
	enum model_stimulus first; /* the first that has to be refused, else
				    * the first */
	bool refused;              /* to process it is not among them */
	bool has_read;             /* it is a Read Request, this one: */
	struct rdmap_read_request read;
};

void verdict_add(struct verdict *v, enum model_stimulus s);
/* Record what the DUT may do about this segment, and whether it goes on. */
void suspect_add(struct model *m, const struct verdict *v,
		 const struct ddp *ddp, size_t ulpdu_length, bool no_header);
bool ring_full(unsigned count);
struct model_request *ask_at(struct model *m, unsigned i);
struct model_request *want_at(struct model *m, unsigned i);

/* receive_untagged.c */
void receive_untagged(struct model *m, const struct ddp_segment *seg,
		      struct verdict *v);
bool incoming_whole(const struct model_incoming *in);

/* receive_request.c */
void receive_read_request(struct model *m, const struct ddp_segment *seg,
			  const struct model_incoming *in, struct verdict *v);
/* Of a word that is learnt from what comes and goes: what a Request left there is
 * shown by its Response. */
/* The row of the atomic that should have left an octet, if `why` says that one
 * has; else this one. */
unsigned short atomic_row(unsigned why, unsigned short otherwise);
void atomic_answered(struct model *m, unsigned slot, uint64_t original,
		     struct model_objections *out);
void receive_atomic_request(struct model *m, const struct ddp_segment *seg,
			    const struct model_incoming *in, struct verdict *v);
void receive_atomic_response(struct model *m, const struct ddp_segment *seg,
			     struct verdict *v);
void receive_read_response(struct model *m, const struct ddp_segment *seg,
			   bool first, unsigned access, struct verdict *v);

/* send.c */

/* Whether the opcode is one that this device may send or know. */
bool opcode_known(const struct model *m, unsigned opcode);
bool opcode_tagged(unsigned opcode);
/* The queue that an untagged opcode belongs to (RFC 5040 s4.1, RFC 7306 s4). */
uint32_t opcode_queue(unsigned opcode);
/* The row of RFC 5040 s4.1 or RFC 7306 s4.1 that binds T and QN to it. */
unsigned short opcode_row(unsigned opcode);
/* A zero-length Send, Write or Read: which RTR it could be; 0 if none. */
uint8_t rtr_form(const struct ddp_segment *seg);

/* send_work.c: one segment of a message that somebody posted. */
void send_work(struct model *m, const struct ddp_segment *seg, bool first,
	       struct model_objections *out);
/* It could be the first segment of the work whose turn it is. */
bool work_is_next(struct model *m, const struct ddp_segment *seg);
/* Every octet of the open message is out, L or not; and its end, then. */
bool work_whole(struct model *m);
void work_done(struct model *m);
/* A posted Read or atomic has been answered in full. */
/* The work behind a Request of the DUT; NULL where it is not known. */
const struct model_work *work_of(struct model *m,
				 const struct model_request *q);
void work_answered(struct model *m, uint32_t work);

/* send_response.c */
void send_read_response(struct model *m, const struct ddp_segment *seg,
			bool first, struct model_objections *out);
/* As work_whole() and work_done(). */
bool response_whole(const struct model *m);
void response_done(struct model *m);
void send_atomic_response(struct model *m, const struct ddp_segment *seg,
			  struct model_objections *out);

/* send_terminate.c */
void send_terminate(struct model *m, const struct ddp_segment *seg,
		    struct model_objections *out);

#endif

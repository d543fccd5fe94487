/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declarations that only the files of the golden model share.
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
/* Whether the ULP has no region with this STag, dead or not, but one whose STag
 * differs from it in one bit, or in the low octet only. */
bool memory_is_near(const struct model *m, uint32_t stag);
/* Index of the region with this STag, dead or not; -1 if there is none. */
int memory_find(const struct model *m, uint32_t stag);
/* Octets [to, to+n) of region i in its shadow; NULL if that is not known. */
uint8_t *memory_at(const struct model *m, int i, uint64_t to, uint64_t n);
bool memory_certain(const struct model *m, int i, uint64_t to, uint64_t n);
/* Write octets there (NULL: unknown ones), and note which unanswered Requests
 * may see the change. */
void memory_place(struct model *m, uint32_t stag, uint64_t to,
		  const uint8_t *octets, uint64_t n);
void memory_doubt(struct model *m, uint32_t stag, uint64_t to, uint64_t n);
/* This Request, of any length, has been answered: what was placed before it
 * arrived is there (RFC 5040 s5.5 item 12), and what is placed later comes
 * later. */
void memory_settles(struct model *m, const struct model_request *q);
/* The DUT has placed octets by an STag that is of no known region, and may be
 * another one of their memory: what the traffic has shown of it, and will show,
 * is compared no longer. */
void memory_elsewhere(struct model *m);
/* An atomic leaves these eight octets in its word; NULL: unknown ones. */
void memory_atomic(struct model *m, uint32_t stag, uint64_t to,
		   const uint8_t *word);
/* For a region with `known`: these octets are in memory, because they were seen
 * there or because an atomic has left them (`why`: enum model_octet). Octets
 * within `except` are left out. */
void memory_shows(struct model *m, uint32_t stag, uint64_t to,
		  const uint8_t *octets, uint64_t n, struct model_run except,
		  unsigned why);
/* Where the value of this octet comes from: enum model_octet. */
unsigned memory_why(const struct model *m, uint32_t stag, uint64_t to);
/* These octets have changed in another way: the answers to outstanding Requests
 * may show the old or the new values. */
void memory_touched(struct model *m, uint32_t stag, uint64_t to, uint64_t n);

static inline bool run_empty(struct model_run r)
{
	return r.from == r.to;
}

/* A run that includes the last TO, 2^64 - 1, ends at 0. So each length is
 * computed as a difference. */
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

/* True if [from, to) contains the whole run. */
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
	bool refused;              /* MODEL_PROCESS is not allowed */
	bool has_read;             /* it is a Read Request: `read` */
	struct rdmap_read_request read;
};

void verdict_add(struct verdict *v, enum model_stimulus s);
/* Record this segment with a fault, the reactions that the DUT may have, and
 * whether the stream continues. */
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
/* The row about the atomic that should have left an octet, if `why` is one of
 * the values from MODEL_OCTET_ATOMIC on; else `otherwise`. */
unsigned short atomic_row(unsigned why, unsigned short otherwise);
/* For a region with `known`: the Response shows the word that the Atomic
 * Request in this slot has left. Objects to an original value that cannot be
 * right. */
void atomic_answered(struct model *m, unsigned slot, uint64_t original,
		     struct model_objections *out);
void receive_atomic_request(struct model *m, const struct ddp_segment *seg,
			    const struct model_incoming *in, struct verdict *v);
void receive_atomic_response(struct model *m, const struct ddp_segment *seg,
			     struct verdict *v);
void receive_read_response(struct model *m, const struct ddp_segment *seg,
			   bool first, unsigned access, struct verdict *v);

/* send.c */

/* True if this device may send or know the opcode. */
bool opcode_known(const struct model *m, unsigned opcode);
bool opcode_tagged(unsigned opcode);
/* The queue that an untagged opcode belongs to (RFC 5040 s4.1, RFC 7306 s4). */
uint32_t opcode_queue(unsigned opcode);
/* The row of RFC 5040 s4.1 or RFC 7306 s4.1 that gives T and QN of this
 * opcode. */
unsigned short opcode_row(unsigned opcode);
/* The RTR that this segment could be: a zero-length Send, Write or Read (enum
 * model_rtr); 0: none. */
uint8_t rtr_form(const struct ddp_segment *seg);

/* send_work.c: one segment of a message for posted work. */
void send_work(struct model *m, const struct ddp_segment *seg, bool first,
	       struct model_objections *out);
/* True if this could be the first segment of the next work in turn. */
bool work_is_next(struct model *m, const struct ddp_segment *seg);
/* The DUT has sent every octet of the open message, with or without L; the
 * message then ends. */
bool work_whole(struct model *m);
void work_done(struct model *m);
/* The work behind a Request of the DUT; NULL: not known. */
const struct model_work *work_of(struct model *m,
				 const struct model_request *q);
/* The TP has answered a posted Read or atomic completely. */
void work_answered(struct model *m, uint32_t work);

/* send_response.c */
void send_read_response(struct model *m, const struct ddp_segment *seg,
			bool first, struct model_objections *out);
/* Like work_whole() and work_done(). */
bool response_whole(const struct model *m);
void response_done(struct model *m);
void send_atomic_response(struct model *m, const struct ddp_segment *seg,
			  struct model_objections *out);

/* send_terminate.c */
void send_terminate(struct model *m, const struct ddp_segment *seg,
		    struct model_objections *out);

#endif

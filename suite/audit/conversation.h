/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One connection of a capture: its startup, then its FPDUs, and the findings
 * about either side. It ends as one result for each side.
 */
#ifndef SUITE_AUDIT_CONVERSATION_H
#define SUITE_AUDIT_CONVERSATION_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/link/raw/assembly.h"
#include "suite/audit/finding.h"
#include "suite/audit/named.h"
#include "suite/audit/observer.h"
#include "suite/audit/octets.h"
#include "suite/audit/trace.h"

enum conversation_phase {
	CONVERSATION_ASKS,    /* no startup frame so far */
	CONVERSATION_ANSWERS, /* a Request, but no Reply */
	CONVERSATION_FULL,
	CONVERSATION_MIDWAY,  /* its start is missing */
	CONVERSATION_REFUSED, /* no stream may follow */
	CONVERSATION_NONE,    /* not iWARP, or no longer */
};

/* Observations about one side. */
struct conversation_side {
	bool startup; /* its frame was observed: */
	uint8_t flags, rev;
	uint16_t pd_length;
	bool enhanced;
	struct mpa_enhanced offers;
	uint64_t fpdus, octets; /* of FPDUs */
	uint64_t messages[16];  /* that ended, by opcode */
	uint16_t longest;       /* ULPDU */
	unsigned gaps;
	uint64_t lost; /* octets */
	unsigned changed;
	bool fin, reset, terminated;
	uint64_t not_judged_from; /* the packet; 0: everything was judged */
};

struct conversation {
	enum conversation_phase phase;
	enum model_profile profile;
	struct assembly_flow *flow; /* NULL over SCTP */
	struct link_end ends[2];
	bool sctp;
	uint16_t stream;                  /* SCTP's number of it */
	const struct named_stream *named; /* on the command line, or NULL */
	struct memory_places *memory;     /* likewise */
	unsigned number;                  /* in the audit, from 1 */
	unsigned initiator;               /* the end that is the initiator */
	struct octets from[2];            /* by end */
	bool early; /* the initiator sent an FPDU before the Reply, or the Reply
		     * has begun */
	bool loose; /* it is not certain which end sent first */
	/* The initiator has sent octets after its Request and before the first
	 * octet of the Reply. */
	bool hasty;
	/* The initiator has sent nothing after startup: the responder may not
	 * send yet, either. */
	bool unreleased;
	unsigned searches[2]; /* searches in `from` that the observer knows */
	uint8_t *request;     /* as it arrived; over SCTP: its private data, */
	size_t request_octets;
	struct mpa_startup asked; /* and the Request that it stands for */
	struct observer observer;
	struct conversation_side side[2]; /* by end */
	struct findings findings;
	struct trace trace;
	bool recognised; /* as iWARP */
	/* By end: the requirement by which that end may send nothing. */
	unsigned short silent[2];
	const char
		*remark; /* a line next to the choices of its sides, or NULL */
	/* of the current octets */
	unsigned end;
	struct assembly_at at;
};

/* `f`: of TCP, and its ends are known; NULL: on an SCTP stream, of which
 * ddp_streams.c reports the messages. */
struct conversation *conversation_new(struct assembly_flow *f,
				      enum model_profile profile);
void conversation_free(struct conversation *c);

void conversation_octets(struct conversation *c, unsigned from,
			 const uint8_t *octets, size_t n,
			 const struct assembly_at *at);
void conversation_gap(struct conversation *c, unsigned from, uint64_t n,
		      const struct assembly_at *at);
void conversation_changed(struct conversation *c, unsigned from);
void conversation_ends(struct conversation *c, unsigned from, bool reset,
		       bool acked, const struct assembly_at *at);

enum observed_side conversation_side(const struct conversation *c,
				     unsigned end);

/* The octets that a finding is about; none for FIN and RST. */
struct subject {
	const char *what;
	const uint8_t *octets;
	size_t n;
	const struct fpdu *fpdu; /* of an FPDU */
};

/* For ddp_streams.c: "packet 7, WHAT [OCTETS]"; objections to the last event of
 * end `end`; a startup frame of it; a whole DDP segment, whose chunk has these
 * octets. */
enum { CONVERSATION_ABOUT = 256 };
void conversation_about(const struct conversation *c, const struct subject *on,
			char text[CONVERSATION_ABOUT]);
void conversation_find(struct conversation *c, unsigned end,
		       const struct model_objections *o,
		       const struct subject *on);
void conversation_offers(struct conversation *c, unsigned end,
			 const struct mpa_startup *f);
void conversation_segment(struct conversation *c, unsigned end,
			  const struct ddp_segment *seg,
			  const struct subject *chunk);
/* The end has ended its half; its event is in the trace. */
void conversation_end(struct conversation *c, unsigned end, enum model_end how,
		      bool received, const char *what);

#endif

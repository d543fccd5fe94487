/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The golden model of one stream between the test peer (TP) and the device
 * under test (DUT): RFC 5040, 5041, 5044 and 7306. The caller reports all
 * events in the order seen at the TP: the actions of the agent, each segment
 * that the TP sent, and each segment that the DUT sent. The model returns the
 * reactions to the TP's segments that it allows the DUT, and its objections to
 * the DUT's segments.
 *
 * Pure: no clock, no I/O, no allocation; the same events give the same
 * answers. A struct model is plain data of fixed size (it may be copied); it
 * points only to octets that the caller keeps alive and owns: the shadow of
 * registered memory and of receive buffers, which the model also writes, and
 * the payload of posted work, which it reads.
 *
 * If the RFCs allow several outcomes, the model continues with the facts that
 * are certain. It does not compare octets that depend on an order that the RFCs
 * leave open. After a fault that a device need not refuse, the DUT owes
 * nothing.
 */
#ifndef SUITE_MODEL_MODEL_H
#define SUITE_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/wire/ddp.h"
#include "harness/wire/fpdu.h"
#include "harness/wire/rdmap.h"
#include "suite/model/outcome/objection.h"
#include "suite/model/outcome/terminate.h"

/* Limits. Beyond them, an event is refused (false), or the oldest history is
 * forgotten. */
#define MODEL_REGIONS  16
#define MODEL_REQUESTS 128 /* unanswered Reads and atomics, each way */
#define MODEL_RECEIVES                                                         \
	256 /* deliveries, and buffers that the model knows one by one */
#define MODEL_WORKS    128 /* posted work not yet complete */
#define MODEL_SUSPECTS 4   /* faults that a Terminate may answer */
#define MODEL_RUNS     8   /* pieces of one message out of order */

enum model_profile {
	MODEL_RFC7306,
	MODEL_DRAFT_10,
	MODEL_DRAFT_03, /* AOpCode 1 is Swap */
	MODEL_DRAFT_01,
};

enum model_feature { /* the features of RFC 7306 that the DUT claims */
		     MODEL_FETCHADD = 1,
		     MODEL_CMPSWAP = 2,
		     MODEL_IMM = 4,
		     MODEL_IMM_SE = 8,
		     MODEL_SWAP = 16, /* the drafts' Swap */

		     /* A device that has one has both: RFC 7306 s5. */
		     MODEL_ATOMICS = MODEL_FETCHADD | MODEL_CMPSWAP,
};

/* Where the value of an octet of memory comes from. */
enum model_octet {
	MODEL_OCTET_UNKNOWN,
	MODEL_OCTET_MIXED,  /* the same: several recent values, in any order */
	MODEL_OCTET_RECENT, /* placed since the last ordering point */
	MODEL_OCTET_SEEN,   /* it was written, or arrived in a Read Response */
	MODEL_OCTET_ATOMIC, /* an atomic should have left it; the values from
			     * here on name the row that requires it */
};

enum model_access { MODEL_LW = 1, MODEL_RR = 2, MODEL_RW = 4, MODEL_RA = 8 };

/* For ird and ord: no limit, or an unknown one. */
#define MODEL_UNLIMITED 0xffffffffu

struct model_config {
	bool dut_initiates; /* the DUT's startup role */
	bool sctp;          /* RFC 5043: either side may speak first */
	enum model_profile profile;
	unsigned features;    /* enum model_feature */
	bool crc;             /* CRCs are in use */
	bool crc_by_wish;     /* only the DUT has asked for them */
	bool dut_markers;     /* the TP asked the DUT to send markers */
	uint32_t ird, ord;    /* the DUT's, as agreed; or MODEL_UNLIMITED */
	uint8_t rtr;          /* enum model_rtr: forms that may open the
				 * stream; 0 in the client-server model */
	uint32_t pd;          /* the stream's protection domain */
	uint32_t stream;      /* its number, from 1, for bound STags */
	bool big_endian;      /* how the DUT keeps the word of an atomic */
	uint32_t first_msn;   /* of every queue, both ways; RFC: 1 */
	uint32_t mulpdu;      /* the DUT's; 0: not known */
	uint32_t mulpdu_most; /* the same without subtracting TCP options */
	bool regions_known;   /* the regions reported are all there are */
	bool receives_known;  /* the receive buffers reported are all */
	bool works_known;     /* the work reported is all that is posted */
	bool sinks_elsewhere; /* a Read's sink may have another STag and TO
			       * than its region: by RFC 5040 s4.4 the Request
			       * decides */
	bool unspecified;     /* the DUT uses code FF for its RDMAP errors */
	bool short_ulpdus;    /* the DUT may cut messages into ULPDUs shorter
			       * than any MULPDU */
	bool observed;        /* only the wire is visible. The DUT's ULP, its
			       * memory and its claims are unknown, so it may
			       * have hidden causes for a Terminate */
	bool atomics_known;   /* the word that an atomic leaves is certain, as
			       * if the device had been seen to process it
			       * correctly: for callers that do not need to
			       * know which operation is at fault */
};

/* The operands of an Atomic Request. */
struct model_operands {
	uint64_t data, mask, compare, compare_mask;
};

struct model_region {
	uint32_t stag;
	uint64_t to; /* TO of its first octet */
	uint64_t len;
	unsigned access; /* enum model_access */
	uint32_t pd;
	uint32_t stream; /* the one it is bound to; 0: any of its domain */
	bool shared;     /* remote invalidation has to be refused */
	uint8_t residue; /* (address - TO) modulo 8, for zero-based TO */
	bool by_address; /* with `observed`: the residue is known */
	bool doubtful;   /* with `observed`: the STag may not be valid now */
	uint8_t *shadow; /* len octets as memory has them, or NULL */
	/* With `observed`, if the model learns the shadow from the traffic: len
	 * octets of enum model_octet, owned by the caller like the shadow.
	 * NULL: the shadow was complete when the region was reported. */
	uint8_t *known;
	/* With `known`: room for MODEL_REQUESTS unanswered atomics. */
	struct model_operands *operands;
};

enum model_work_op {
	MODEL_WORK_SEND, /* with se, inv */
	MODEL_WORK_WRITE,
	MODEL_WORK_READ,
	MODEL_WORK_FETCHADD,
	MODEL_WORK_CMPSWAP,
	MODEL_WORK_SWAP,
	MODEL_WORK_IMM,       /* with se */
	MODEL_WORK_WRITE_IMM, /* a Write, then Immediate Data */
};

/* A work request that the agent posted on the DUT. */
struct model_work {
	enum model_work_op op;
	uint64_t id;         /* the caller's */
	uint64_t len;        /* octets of payload, or to read */
	const uint8_t *data; /* payload; NULL: not known */
	uint32_t stag;       /* remote */
	uint32_t local_stag;
	uint64_t to, local_to;
	bool no_room; /* the DUT may not write its result to that region */
	bool local;   /* its result goes to a region: local_stag, local_to */
	bool se, inv;
	uint32_t inv_stag;
	uint8_t imm[RDMAP_IMM_OCTETS]; /* in wire order */
	uint64_t add, mask;            /* FetchAdd; Swap uses swap alone */
	uint64_t swap, swap_mask, compare, compare_mask;
};

enum model_work_state {
	MODEL_WORK_UNSENT, /* or not all of it */
	MODEL_WORK_SENT,
	MODEL_WORK_ANSWERED,  /* Read, atomic: the whole answer was sent */
	MODEL_WORK_FORGOTTEN, /* longer ago than MODEL_WORKS */
};

/* How the FPDU carried the segment. */
enum model_framing {
	MODEL_FRAME_RIGHT,
	MODEL_FRAME_CRC_WRONG,
	MODEL_FRAME_MARKER_WRONG, /* with a right CRC over it */
};

/* A receive completion that the agent has to report, in this order. */
struct model_delivery {
	uint32_t ordinal; /* of its buffer, from 1 in posting order */
	uint8_t opcode;   /* Send in four kinds, Immediate Data in two */
	uint32_t len;
	bool se;
	bool inv;
	uint32_t inv_stag;
	uint8_t imm[RDMAP_IMM_OCTETS];
	const uint8_t *data; /* the buffer's shadow: len octets; or NULL */
	bool data_known;     /* every octet of it is certain */
	bool optional;       /* it may also be missing: an RTR, or after
				 * a fault that need not be refused */
};

struct model_owes {
	unsigned reads, atomics; /* Responses to the TP */
	unsigned works;          /* posted messages not sent */
	bool terminate;
	bool rtr;
};

struct model_run {
	uint64_t from, to;
}; /* octets [from, to), modulo 2^64 */

/* One untagged message on its way in. Private to the model. */
struct model_incoming {
	bool open;
	uint32_t msn;
	struct ddp first; /* header of its first segment */
	bool last_seen;
	uint64_t total; /* valid when last_seen */
	unsigned runs;
	struct model_run run[MODEL_RUNS];
	unsigned segments;
	bool doubtful; /* some octets are not certain */
	uint8_t head[RDMAP_ATOMIC_REQUEST_OCTETS]; /* for headers */
};

struct model_receive {
	uint8_t *shadow;
	uint64_t to;
	uint32_t len;
	bool in_region;
	uint32_t stag; /* of that region */
};

/* A Read or Atomic Request not yet answered, either way. */
struct model_request {
	bool atomic;
	uint8_t aopcode;
	bool gone;     /* answered out of turn */
	bool optional; /* it may also be left unanswered */
	uint32_t msn;
	uint32_t id; /* atomic */
	uint32_t sink_stag, source_stag;
	uint64_t sink_to, source_to;
	uint32_t size, done; /* octets asked for, and answered */
	uint64_t value;      /* atomic: the original value */
	bool value_known;
	bool disturbed;  /* atomic: its word may have changed meanwhile */
	uint8_t ahead;   /* unanswered Requests when it arrived */
	uint32_t behind; /* model.placed when it arrived */
	struct model_run touched; /* source TOs changed meanwhile */
	uint32_t work;            /* a Request of the DUT: the work behind it */
	bool own;                 /* no ULP has posted it: there is no work */
	uint16_t ulpdu_length;
	uint8_t header[DDP_UNTAGGED_OCTETS]; /* as sent, for a Terminate */
};

/* A segment with a fault, and the reactions that the DUT may have. */
struct model_suspect {
	enum model_stimulus stimulus;
	struct model_outcomes outcomes;
	struct ddp ddp;
	uint16_t ulpdu_length;
	bool no_header; /* a returned header cannot be compared */
	bool has_rdma_header;
	uint8_t rdma_header[RDMAP_READ_REQUEST_OCTETS];
};

struct model_posted {
	struct model_work work;
	enum model_work_state state;
	bool lent; /* an empty message that names other memory was taken for
		    * this work: the message of the work may follow */
};

struct model {
	struct model_config config;

	unsigned regions;
	struct model_region region[MODEL_REGIONS];
	struct model_run unknown[MODEL_REGIONS]; /* TOs not certain */
	struct model_run recent[MODEL_REGIONS];  /* TOs, with `known`: around
						  * all MODEL_OCTET_RECENT */
	bool dead[MODEL_REGIONS];                /* invalidated */
	uint32_t placed; /* how often octets were placed in regions */

	/* TP to DUT */
	uint32_t rx_frames;
	uint32_t rx_msn[4]; /* the next message of each queue */
	struct model_incoming rx[4];
	bool rx_tagged_open;
	struct ddp rx_tagged; /* its first header */
	struct model_run rx_tagged_span;
	uint64_t rx_tagged_octets;
	uint32_t receives, receives_used;
	struct model_receive receive[MODEL_RECEIVES];
	/* Buffers after those: their number, and their range of lengths. */
	uint32_t receives_beyond, beyond_shortest, beyond_longest;
	bool rtr_used_receive; /* possible, not certain */
	uint32_t deliveries;
	struct model_delivery delivery[MODEL_RECEIVES];
	unsigned asked_first, asked; /* ring: requests of the TP */
	struct model_request ask[MODEL_REQUESTS];
	bool serves; /* the DUT has answered one */
	/* Atomics have shown that words in memory are not in this octet
	 * order. */
	bool not_little, not_big;
	bool atomics_astray; /* one has returned a value that was not there */

	/* DUT to TP */
	uint32_t tx_frames;
	uint32_t tx_msn[4];
	uint32_t tx_atomics, tx_imms; /* messages that share their queue */
	bool adrift;     /* markers are not at their positions: the octets after
		      * that cannot be read as FPDUs */
	bool pad_adrift; /* the same, because of a pad of the wrong length */
	bool tx_open;    /* inside a message */
	struct ddp tx_first;
	struct model_run tx_span; /* of TO or MO it has covered */
	uint64_t tx_next;         /* TO or MO after its last octet */
	uint64_t tx_octets;       /* of its payload so far */
	bool tx_disorder;         /* a segment was not at tx_next */
	uint64_t tx_stray;        /* TO or MO of the first such segment */
	uint64_t tx_stray_due;    /* the TO or MO that was due */
	int tx_ask;               /* slot of the Request it answers, or -1 */
	uint32_t tx_work;         /* the work it belongs to */
	bool tx_matched;          /* there is such a work */
	bool tx_own; /* the last segment is an empty message that no ULP has
		      * posted (RFC 5040 s5.1, s5.2.1) */
	unsigned tx_lent; /* posted work that is `lent` */
	uint32_t works, works_sent;
	bool tx_imm_due; /* second half of a write-imm */
	struct model_posted posted[MODEL_WORKS];
	unsigned wanted_first, wanted; /* ring: requests of the DUT */
	struct model_request want[MODEL_REQUESTS];

	/* the end */
	bool failed;          /* the DUT drops later segments */
	bool held;            /* it holds them back, until a buffer is posted */
	bool uncertain;       /* a fault need not be refused */
	bool lossy;           /* it is unknown which segments the DUT took */
	bool passed_over;     /* a Request that may stay unanswered was passed
			       * over */
	bool local_error;     /* the agent provoked one */
	bool half_closed;     /* the device can send nothing more */
	bool peer_closed;     /* nor can the TP */
	bool revoked;         /* local memory is missing: a local error may
			       * follow */
	bool peer_terminated; /* the TP sent a Terminate */
	bool terminated;      /* the DUT did */
	uint8_t term_layer, term_etype, term_code;
	unsigned suspects;
	struct model_suspect suspect[MODEL_SUSPECTS];
	struct model_outcomes setup; /* Terminates that the startup allows */
};

_Static_assert(sizeof(struct model) < 72 * 1024, "the model stays copyable");

void model_init(struct model *m, const struct model_config *c);

/*
 * Actions of the agent. False: a limit of the model is reached, or no region
 * has this STag; nothing has changed.
 */
bool model_region_add(struct model *m, const struct model_region *r);
bool model_region_remove(struct model *m, uint32_t stag);
bool model_region_invalidate(struct model *m, uint32_t stag);
bool model_region_access(struct model *m, uint32_t stag, unsigned access);
/* The agent wrote to the region; the caller has changed the shadow. */
bool model_region_changed(struct model *m, uint32_t stag, uint64_t to,
			  uint64_t len);
/* From now on the value of these octets is unknown. */
bool model_region_doubt(struct model *m, uint32_t stag, uint64_t to,
			uint64_t len);
/* The region of this STag, valid or not; NULL if there is none. */
const struct model_region *model_region(const struct model *m, uint32_t stag);
/* True if all these octets of the shadow are certain. */
bool model_region_certain(const struct model *m, uint32_t stag, uint64_t to,
			  uint64_t len);

/* A receive buffer, with `len` octets of shadow or NULL. Beyond MODEL_RECEIVES
 * of them, the model knows their number, but not the content of each. */
bool model_recv_posted(struct model *m, uint32_t len, uint8_t *shadow);
/* The same, with a buffer inside a region. */
bool model_recv_posted_in(struct model *m, uint32_t stag, uint64_t to,
			  uint32_t len);

/* Work was posted. *index identifies it from now on. */
bool model_post(struct model *m, const struct model_work *w, uint32_t *index);
enum model_work_state model_work_state(const struct model *m, uint32_t index);
/* True if no ULP has posted the oldest unanswered Request of the DUT. */
bool model_own_is_due(const struct model *m);

/*
 * Startup has left the DUT with a duty or a right to send one of these
 * Terminates (RFC 6581 s8, s9).
 */
void model_setup_terminate(struct model *m, const struct model_outcomes *o);
/* The agent made the DUT meet a local error: any Terminate may follow. */
void model_provoked(struct model *m);
/* The device's ULP has closed the half on which a Terminate would be sent. */
void model_half_closed(struct model *m);
/* The TP has sent a FIN, of which the device's MPA may inform its RDMAP (RFC 5044
 * s8). */
void model_peer_closed(struct model *m);

/*
 * The TP sent this segment, alone in an FPDU whose ULPDU_Length fits it. *out
 * gets the reactions that the DUT may have; a correct segment has the single
 * outcome MODEL_PROCESS (or MODEL_WAIT). Returns the fault, or MODEL_STIM_NONE
 * for a correct segment.
 */
enum model_stimulus model_peer_sends(struct model *m,
				     const struct ddp_segment *seg,
				     enum model_framing framing,
				     struct model_outcomes *out);

/*
 * The DUT sent this segment, in this FPDU (NULL over SCTP). `crc` is NULL if
 * the CRC of the FPDU is correct, else the four octets of the correct CRC.
 * Objections are put into *out, which is emptied first.
 */
void model_dut_sends(struct model *m, const struct ddp_segment *seg,
		     const struct fpdu *fpdu, const uint8_t *crc,
		     struct model_objections *out);

/*
 * With `observed`: true if a correct segment from the TP with this header may
 * be the cause of this Terminate. Only the receiver may know the reason, and no
 * observation rules it out.
 */
bool model_cause_may_be_hidden(const struct model *m,
			       const struct rdmap_terminate *t,
			       const struct ddp *d);

/* How the DUT ended its half of the stream. */
enum model_end { MODEL_END_FIN, MODEL_END_RST };
void model_dut_ends(struct model *m, enum model_end end,
		    struct model_objections *out);

/* The messages that the DUT still has to send. Once the stream has failed, only
 * the Terminate is due. */
struct model_owes model_owes(const struct model *m);
/* The DUT owes nothing. */
bool model_quiet(const struct model *m);

/* The number of deliveries so far, and one of the last MODEL_RECEIVES (else
 * NULL). */
uint32_t model_deliveries(const struct model *m);
const struct model_delivery *model_delivery(const struct model *m, uint32_t i);

#endif

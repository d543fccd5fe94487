/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The startup of a stream (RFC 5044 s7.1, RFC 6581): the Requests and Replies
 * that a device may send, the reactions that it may have to those of its peer,
 * and the result of the negotiation.
 */
#ifndef SUITE_MODEL_NEGOTIATE_H
#define SUITE_MODEL_NEGOTIATE_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/wire/mpa.h"
#include "suite/model/outcome/objection.h"
#include "suite/model/outcome/terminate.h"

/* RTR forms, as a set (RFC 6581 s9.2). */
enum model_rtr {
	MODEL_RTR_SEND = 1,  /* flag B */
	MODEL_RTR_WRITE = 2, /* flag C */
	MODEL_RTR_READ = 4,  /* flag D */
};

/* The known startup parameters of the device. */
struct model_device {
	bool enhanced;        /* it knows RFC 6581 (mpa-v2) */
	bool asks_enhanced;   /* as an initiator: its ULP asks for it */
	bool asks_revision_2; /* as an initiator: Rev 2, enhanced or not */
	bool markers;         /* M in its own frame */
	bool crc;             /* C in its own frame */
	uint16_t ird, ord;    /* the ULP's offer, or the device's maximum */
	uint16_t ird_max;     /* the most it can give; 0: unknown */
	uint8_t rtr;          /* enum model_rtr: the forms it supports */
	bool p2p;             /* as an initiator: asks for A=1 */
	bool sctp;            /* a session of RFC 5043: RFC 6581 s7 */
	bool rejects;         /* its ULP refuses the next Request */
	bool ird_open;        /* its Replies all have IRD 3fff */
	bool ird_low;         /* they have an IRD below the requested ORD */
	uint16_t need_ord;    /* its ULP rejects a Request with a lower IRD; 0:
			       * never */
	bool private_known;   /* the next two are known: the ULP set them */
	const uint8_t *private_data;
	uint16_t private_octets;
};

/* The reactions that a device may have to a startup frame, as a set. */
enum model_answer {
	MODEL_ANSWER_ACCEPT = 1,     /* Reply with R=0; or Full Operation */
	MODEL_ANSWER_REJECT = 2,     /* Reply with R=1 */
	MODEL_ANSWER_CLOSE = 4,      /* TCP ends, without an FPDU */
	MODEL_ANSWER_WAIT = 8,       /* the frame is not complete */
	MODEL_ANSWER_TERMINATE = 16, /* see `terminate` */
	MODEL_ANSWER_LEAVE = 32,     /* rejected: leave MPA, send no FPDU */
};
struct model_answers {
	unsigned set;                    /* enum model_answer */
	unsigned short req;              /* the requirement behind it */
	bool open;                       /* the RFCs leave it open */
	struct model_outcomes terminate; /* the Terminates allowed */
};

/* The device is the responder: the reactions that it may have to this
 * Request. */
struct model_answers model_request_judge(const struct model_device *d,
					 const struct mpa_startup *request);

/* The device is the initiator: the reactions that it may have to this Reply. */
struct model_answers model_reply_judge(const struct model_device *d,
				       const struct mpa_startup *request,
				       const struct mpa_startup *reply);

/* The permitted fields of a Reply to this Request. Ranges are inclusive. */
struct model_reply_due {
	uint8_t rev_min, rev_max;
	bool enhanced; /* S */
	bool a;
	uint16_t ird_min, ird_max, ord_min, ord_max;
	bool ird_open;      /* 3fff is also allowed */
	uint8_t rtr_any;    /* at least one of these when a; 0: all clear */
	uint8_t rtr_should; /* these, too, by a SHOULD */
};
struct model_reply_due model_reply_due(const struct model_device *d,
				       const struct mpa_startup *request);

/* Objections to a device's Reply; to its Request. */
void model_reply_check(const struct model_device *d,
		       const struct mpa_startup *request,
		       const struct mpa_startup *reply,
		       struct model_objections *out);
void model_request_check(const struct model_device *d,
			 const struct mpa_startup *request,
			 struct model_objections *out);

/* The result of an accepted startup. */
struct model_agreed {
	bool crc; /* in both directions */
	bool markers_by_initiator, markers_by_responder;
	bool enhanced;
	bool p2p;
	uint8_t rtr; /* types that both ends listed */
	/*
	 * The number of Reads that each end may have outstanding (ORD), and
	 * that it accepts (IRD). MPA_NOT_NEGOTIATED: each end decides for
	 * itself.
	 */
	uint16_t initiator_ird, initiator_ord;
	uint16_t responder_ird, responder_ord;
};
struct model_agreed model_agree(const struct mpa_startup *request,
				const struct mpa_startup *reply);

/*
 * True if the frame has readable enhanced data (S=1, Rev 2 or more, four
 * octets). *e gets that data.
 */
bool model_enhanced(const struct mpa_startup *f, struct mpa_enhanced *e);

/* The RTR types listed in B, C and D. */
uint8_t model_rtr_named(const struct mpa_enhanced *e);

#endif

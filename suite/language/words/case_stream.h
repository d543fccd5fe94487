/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The language of a case, part of case.h: streams, set up as a whole or step by
 * step.
 */
#ifndef SUITE_LANGUAGE_CASE_STREAM_H
#define SUITE_LANGUAGE_CASE_STREAM_H

#include "suite/language/words/case_expect.h"

/*
 * ------------------------------------------------------------------ *
 *  A stream, set up as a whole
 *  ------------------------------------------------------------------
 */

enum { ON = 1, OFF = 2 };
enum { RTR_SEND = 1, RTR_WRITE = 2, RTR_READ = 4 };

/* A value that overrides the correct one; 0 is a value, too. */
struct over {
	bool set;
	uint64_t v;
};
#define IS(value) ((struct over){true, (value)})

struct stream_opts {
	unsigned crc;      /* the peer's C: ON (also 0, true) or OFF */
	unsigned dut_crc;  /* the device's C; OFF needs NEED_CRC_OFF */
	bool markers;      /* the peer sets M: the device has to send them */
	bool dut_markers;  /* the device sets M: the peer has to send them */
	bool enhanced;     /* RFC 6581 on both sides */
	unsigned rtr;      /* peer-to-peer model, with these RTR types */
	unsigned dut_rtr;  /* what the device supports or offers; 0 = rtr */
	unsigned ird, ord; /* of the peer; 0 = 16; ZERO_DEPTH = really 0 */
	unsigned dut_ird, dut_ord; /* of the device; likewise */
	unsigned dut_mpa;          /* the agent's mpa= ; 0 = fits the rest */
	bool plain_rev2;           /* Rev 2 without enhanced data */
	bool exact; /* not applicable to a device that can only send another
		     * frame */
	const void *private_data; /* of the peer */
	size_t private_octets;
	const void *dut_private_data;
	size_t dut_private_octets;
	unsigned pd;       /* of the device's end */
	unsigned need_ord; /* the device rejects a smaller offer */
	uint32_t dut_msn;  /* msn-preset; the peer follows it */
	unsigned rcvbuf;   /* of the peer's socket, octets; 0 = default */
	unsigned mss;      /* TCP MSS of the peer's socket; 0 = default */
	struct over isn;   /* the peer's initial sequence number */
	/* The device's initial sequence number is at least this; only with the
	 * device as responder. */
	uint32_t dut_isn_least;
	bool no_timestamps; /* the peer offers no TCP time stamps */
	unsigned sid;       /* over SCTP: the SCTP stream; 0 = stream 0, or the
			     * device's choice if it opens the session */
	unsigned beside;    /* over SCTP: 1 + the number of the stream whose
			     * association it shares; 0 = one of its own */
	bool reject;        /* the device's ULP rejects */
	bool at_once;       /* do not wait for an FPDU, whatever the device file
			     * says */
	bool unproven;      /* no known-answer exchange before going on */
	/* The device sends an FPDU of its own accord. sees_opening: the case
	 * looks at it. counts_*: the case is not applicable, because it counts
	 * FPDUs, Reads, or MSNs of queue 0. */
	bool sees_opening, counts_fpdus, counts_reads, counts_sends;
	/* Over SCTP: the peer acknowledges nothing, from the beginning. */
	bool unacknowledged;
	/* Ask for things that the device's interface does not accept: see
	 * dut_has_refused(). */
	bool beyond;
};
#define ZERO_DEPTH 0x10000u

/*
 * Brings a stream up to Full Operation and proves that it works: a zero-length
 * RDMA Read by the peer is answered (this uses up QN 1 MSN 1). If the device is
 * the initiator, its agent first posts a zero-length RDMA Write, because a
 * responder may not send first. The golden model judges the startup frames.
 */
#define peer_connects(t, ...)                                                  \
	case_connects(t, RESPONDER, &(struct stream_opts){__VA_ARGS__})
#define dut_connects(t, ...)                                                   \
	case_connects(t, INITIATOR, &(struct stream_opts){__VA_ARGS__})
/*
 * Brings up a separate connection in the role of this instance, proves that it
 * works, and closes it again. A device that refuses every connection fails
 * here. For cases in which no stream is established.
 */
void dut_works(struct test *t);
/* In the role of this instance, for cases of role EITHER. */
#define connects(t, ...)                                                       \
	case_connects(t, case_role(t), &(struct stream_opts){__VA_ARGS__})
unsigned case_connects(struct test *t, enum case_role role,
		       const struct stream_opts *o);
enum case_role case_role(const struct test *t);

/* For a stream that is `unproven`: the initiator sends its first FPDU, a
 * zero-length RDMA Write. From then on the responder may send, too. */
void initiator_speaks(struct test *t);
/* As initiator, the device opens streams without enhanced data with a message
 * that no ULP has posted (RFC 5040 s5.1, s5.2.1). */
bool dut_opens_plain(struct test *t);
/* The device as initiator sends its first FPDU. Does not wait for it. */
void dut_posts_opening(struct test *t);

/* With several streams: all following statements are about this one. */
void on_stream(struct test *t, unsigned stream);

/* Sends a zero-length RDMA Read and awaits its answer: true if it arrived.
 * Earlier frames are in the log, and the model has judged them. */
bool known_answer(struct test *t);

/* ------------------------------------------------------------------ *
 * Startup, step by step
 * ------------------------------------------------------------------ */

/* A correct startup frame with overrides. Over SCTP it is the corresponding
 * message of session control (RFC 6581 s7). Fields that only MPA has cannot be
 * overridden there: the case is then not applicable. */
struct startup {
	bool reply;
	const char *key;   /* 16 octets, or NULL for the correct ones */
	bool no_crc, m, r; /* C is set unless no_crc */
	struct over s;     /* default: enhanced */
	unsigned reserved; /* low four bits of the flags */
	struct over rev;   /* default: 2 if enhanced, else 1 */
	bool enhanced;
	bool a, b, c, d;
	unsigned ird, ord;
	const void *private_data; /* after the enhanced data */
	size_t private_octets;
	struct over pd_length; /* default: the octets that are present */
	struct over octets;    /* send only this many of its octets */
	bool hold;             /* it goes out in one write with the next FPDU */
	/* More than allowed: private data above the device's limit, a Reply's
	 * ORD above the IRD of the Request. */
	bool exceeds;
};
#define REQUEST(...) ((struct startup){.reply = false, __VA_ARGS__})
#define REPLY(...)   ((struct startup){.reply = true, __VA_ARGS__})
/* The frames of the peer-to-peer model, with B, C and D as in `rtr`; the Reply
 * accepts. */
struct startup request_offering(unsigned rtr);
struct startup reply_listing(unsigned rtr);

/* The device listens with these parameters; TCP is not opened yet. */
#define dut_listens(t, ...) case_listens(t, &(struct stream_opts){__VA_ARGS__})
void case_listens(struct test *t, const struct stream_opts *o);
/* The peer opens TCP to it and sends nothing. */
void peer_opens_tcp(struct test *t);
/* The device opens TCP to the peer, as initiator. */
#define dut_dials(t, ...) case_dials(t, &(struct stream_opts){__VA_ARGS__})
void case_dials(struct test *t, const struct stream_opts *o);
/* The peer accepts one more TCP connection of the device: true if there was
 * one. */
bool peer_accepts_tcp(struct test *t);

void peer_sends_startup(struct test *t, struct startup f);
/* Sends only the octets [from, to) of the frame; 0 as `to` means its end. */
void peer_sends_startup_part(struct test *t, struct startup f, size_t from,
			     size_t to);

/* The device's startup frame; came is false if the connection ended first, or
 * if no frame arrived before the deadline. */
struct startup_seen {
	bool came, closed, reset;
	const uint8_t *octets;
	size_t n;
	struct mpa_startup frame; /* if at least 20 octets arrived; over SCTP
				   * the corresponding frame */
	bool has_enhanced;        /* S is set, and four octets are present */
	struct mpa_enhanced enhanced;
	const uint8_t *ulp_private; /* without the enhanced data */
	size_t ulp_private_octets;
};
struct startup_seen dut_startup(struct test *t);
/* Like must(t, req, a frame arrives): otherwise the case ends with FAIL. */
#define awaits_startup(t, req)                                                 \
	(__extension__({                                                       \
		CASE_USE(req);                                                 \
		case_awaits_startup(t, req);                                   \
	}))
struct startup_seen case_awaits_startup(struct test *t, struct req_must req);
/* The same for a frame that merely leads up to the point of the case: it is no
 * line of the case. If it does not arrive, the row that requires it is
 * blamed. */
struct startup_seen awaits_request(struct test *t);
struct startup_seen awaits_reply(struct test *t);

/* The Request has numbers for IRD and ORD. The case is not applicable if it has
 * 0x3fff, which a Reply answers with the same value (RFC 6581 s9.1). */
void request_negotiates_depths(struct test *t, struct startup_seen request);

/* After a manual exchange of startup frames: both ends are in Full Operation,
 * with markers and CRC as the two frames say. An FPDU that the device sends of
 * its own accord has arrived by then. */
void full_operation(struct test *t);

/* The agent's answer to `accept` (the device as responder). */
struct accept_seen {
	bool ok;
	bool silent;    /* not ok: no report before the deadline */
	char error[48]; /* "bad-frame", "timeout", ... if not ok */
	char state[16]; /* established, rejected */
	const uint8_t *private_data;
	size_t private_octets;
	bool has_ird;
	unsigned ird, ord;
};
struct accept_seen dut_accepts(struct test *t);

#endif

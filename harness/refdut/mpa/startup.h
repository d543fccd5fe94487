/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * MPA startup: startup.c reads and writes frames, and negotiation.c decides
 * what the two sides agree on (RFC 5044 s7.1, RFC 6581). Both have no state and
 * no I/O: conn_startup.c sends and receives the octets.
 */
#ifndef HARNESS_REFDUT_STARTUP_H
#define HARNESS_REFDUT_STARTUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	STARTUP_HEADER = 20,
	STARTUP_PRIVATE_MAX = 512,
	STARTUP_PRIVATE_ROOM = STARTUP_PRIVATE_MAX + 4, /* if it is faulty */
	STARTUP_FRAME_MAX = STARTUP_HEADER + STARTUP_PRIVATE_MAX,
	/* Room for octets that a faulty device adds to a frame. */
	STARTUP_ROOM = STARTUP_FRAME_MAX + 16,
	ENHANCED_SIZE = 4,
	NOT_NEGOTIATED = 0x3fff, /* RFC 6581 s9.1 */
	DEPTH_MAX = 1024,        /* our limit of IRD and ORD */
};

/* The octet of flags in a startup frame (RFC 5044 s7.1.1, RFC 6581 s6). */
enum startup_flags {
	FLAG_M = 0x80,
	FLAG_C = 0x40,
	FLAG_R = 0x20,
	FLAG_S = 0x10,
	FLAGS_RESERVED = 0x0f,
};

enum rtr { RTR_SEND = 1, RTR_WRITE = 2, RTR_READ = 4, RTR_ALL = 7 };

/* The agent's request for one connection. */
struct params {
	uint64_t domain;
	uint32_t ird;
	uint32_t ord;
	uint8_t private_data[STARTUP_PRIVATE_ROOM];
	uint32_t private_len;
	bool markers;
	bool crc;
	bool enhanced; /* initiator: send enhanced data */
	bool peer_to_peer;
	bool reject;
	bool has_need_ord;
	unsigned rev;
	unsigned rtr;
	uint32_t need_ord;
	uint32_t rq;
	uint32_t rqlen;
	uint32_t first_msn;
};

/* A startup frame that was read. */
struct startup_frame {
	bool is_session; /* over SCTP: an Initiate, Accept or Reject */
	bool markers;
	bool crc;
	bool rejected;
	bool enhanced;
	bool peer_to_peer;
	unsigned reserved;
	unsigned rev;
	unsigned rtr;
	uint32_t ird;
	uint32_t ord;
	uint8_t private_data[STARTUP_PRIVATE_MAX];
	uint32_t private_len; /* without the enhanced data */
};

enum startup_progress {
	STARTUP_MORE, /* correct so far, incomplete */
	STARTUP_DONE,
	STARTUP_BAD, /* not a frame of this kind */
	STARTUP_BAD_PRIVATE,
};

/* Read a Request (or a Reply) from the n available octets. A flaw is reported
 * as soon as an octet shows it. *used is the length of the frame. */
enum startup_progress startup_read(struct startup_frame *frame, bool reply,
				   const uint8_t *octets, size_t n,
				   size_t *used);

/* Write the Request for these parameters; returns its length. */
size_t startup_request(uint8_t *octets, const struct params *params);

/* Write only the enhanced data of a Request. */
void startup_enhanced_request(uint8_t *octets, const struct params *params);
/* Read the enhanced data of either side into *frame. */
void startup_read_enhanced(struct startup_frame *frame, const uint8_t *octets);

/* The result of a negotiation. */
struct agreement {
	bool refused; /* no Reply: close at once */
	bool rejected;
	bool enhanced;
	bool crc;
	bool tx_markers;
	bool peer_to_peer;
	unsigned rtr; /* the types that the Reply lists (responder), or that
		       * both list (initiator) */
	unsigned rev;
	uint32_t reply_ird;
	uint32_t reply_ord;
	uint32_t ird; /* in force on this side, as is ord */
	uint32_t ord;
	/* Initiator: the code of the MPA error whose Terminate ends the setup,
	 * or 0 */
	uint8_t terminate;
};

/* negotiation.c: the responder's side. */
void startup_answer(struct agreement *agreement, const struct params *params,
		    const struct startup_frame *request);

/* Write the Reply; returns its length. */
size_t startup_reply(uint8_t *octets, const struct params *params,
		     const struct agreement *agreement,
		     const struct startup_frame *request);

/* Write only the enhanced data of a Reply. */
void startup_enhanced_reply(uint8_t *octets, const struct agreement *agreement);

/* negotiation.c: the initiator's side, after a Reply was read. */
void startup_conclude(struct agreement *agreement, const struct params *params,
		      const struct startup_frame *reply);

#endif

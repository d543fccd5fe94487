/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Streams between the device and a correct peer, over the system's TCP. They
 * end with the check. If something is not available, the check is not
 * applicable, unless the name of the function says that it is due.
 */
#ifndef SUITE_AGENT_CHECK_WIRE_H
#define SUITE_AGENT_CHECK_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/agent/client.h"
#include "harness/link/link.h"
#include "harness/peer/peer.h"
#include "harness/wire/mpa.h"

enum { WIRE_STREAMS = 4, WIRE_PAYLOAD = 1024 };

struct checker;

struct wire {
	bool initiator;                              /* the device is */
	char listener[AGENT_NAME], conn[AGENT_NAME]; /* the agent's names */
	uint16_t port;
	struct link_listener *at; /* ours, if the device connects */
	bool live;
	struct peer peer;
	/* the device's startup frame */
	uint8_t flags, rev;
	bool enhanced;
	struct mpa_enhanced depths;
	uint8_t private_data[MPA_PRIVATE_MAX];
	size_t private_octets;
	uint8_t sent_flags; /* ours */
	bool asks_enhanced; /* we do, even if the device need not */
	uint32_t fences;
};

/* --- the device as responder ---------------------------------------------- */

/* The device listens, with these additional parameters ("" or " rq=2"). */
struct wire *wire_listens(struct checker *c, const char *params);
/* TCP to its port. False: refused. */
bool wire_reaches(struct checker *c, struct wire *w);
/* Our Request, with private data; enhanced if the device requires it. */
void wire_requests(struct checker *c, struct wire *w, const void *private_data,
		   size_t n);
/* Its Reply. False: there is none. */
bool wire_is_replied_to(struct checker *c, struct wire *w);
/* `accept`, which has to report the connection: its reply is the current
 * one. */
void wire_due_accepted(struct checker *c, struct wire *w);

/* --- as initiator --------------------------------------------------------- */

/* Listen ourselves, and let the device connect. */
struct wire *wire_is_connected_to(struct checker *c, const char *params);
/* TCP and its Request. */
void wire_takes_request(struct checker *c, struct wire *w);
/* Our Reply, with private data. */
void wire_replies(struct checker *c, struct wire *w, const void *private_data,
		  size_t n);

/* --- in either role ------------------------------------------------------- */

/* Established, known to the agent, and free to send on both sides. */
struct wire *wire_up(struct checker *c, const char *params);

/* --- on a stream ---------------------------------------------------------- */

/* A Send of some kind. */
void wire_sends(struct checker *c, struct wire *w, uint8_t opcode,
		uint32_t stag, const void *octets, size_t n);
void wire_writes(struct checker *c, struct wire *w, uint32_t stag, uint64_t to,
		 const void *octets, size_t n);
void wire_terminates(struct checker *c, struct wire *w);
/* Asks the device for octets of its memory. */
void wire_reads(struct checker *c, struct wire *w, uint32_t stag, uint64_t to,
		uint32_t n);
/* Answer its Read Request, or its Atomic Request. */
void wire_answers(struct checker *c, struct wire *w,
		  const struct frame *request, const void *octets, size_t n);
/* The device has processed everything that was sent: it answers a Read of no
 * octets. False: the stream is over, or silent. Not applicable if the device
 * accepts no Reads. */
bool wire_is_answered(struct checker *c, struct wire *w);
/* The next FPDU of the device; NULL: none arrived. It may send Writes and Reads of
 * no octets by itself (RFC 5040 s5.1, s5.2.1): they are passed over, and these
 * Reads answered. */
const struct frame *wire_hears(struct checker *c, struct wire *w);
void wire_due_empty_write(struct checker *c, struct wire *w);
/* Like wire_hears(); it is due to be of this opcode. */
const struct frame *wire_due(struct checker *c, struct wire *w, uint8_t opcode);
/* How its direction ends: PEER_FIN, PEER_RESET; PEER_TIMEOUT if it does not. */
enum peer_status wire_end(struct checker *c, struct wire *w);
void wire_closes(struct checker *c, struct wire *w);
void wire_resets(struct checker *c, struct wire *w);

/* " crc=0" if the device accepts nothing else, for a listen or connect that is
 * wrong in another way; else "". */
const char *wire_crc(const struct checker *c);
/* All of a check's streams. */
void wires_end(struct checker *c);

#endif

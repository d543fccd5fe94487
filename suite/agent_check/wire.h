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
	bool initiator;                              /* the device's role */
	char listener[AGENT_NAME], conn[AGENT_NAME]; /* the agent's names */
	uint16_t port;
	struct link_listener *at; /* of the peer, if the device connects */
	bool live;
	struct peer peer;
	/* the device's startup frame */
	uint8_t flags, rev;
	bool enhanced;
	struct mpa_enhanced depths;
	uint8_t private_data[MPA_PRIVATE_MAX];
	size_t private_octets;
	uint8_t sent_flags; /* of the peer's startup frame */
	bool asks_enhanced; /* the peer does; the device need not */
	uint32_t fences;
	bool amid; /* the segment heard last does not end its message */
	uint8_t amid_opcode;
};

/* --- the device as responder ---------------------------------------------- */

/* The device listens, with these additional parameters ("" or " rq=2"). */
struct wire *wire_listens(struct checker *c, const char *params);
/* The peer opens TCP to the device's port. False: refused. */
bool wire_reaches(struct checker *c, struct wire *w);
/* The peer sends a Request with private data; enhanced if the device requires
 * that. */
void wire_requests(struct checker *c, struct wire *w, const void *private_data,
		   size_t n);
/* Wait for the device's Reply. False: there is none. */
bool wire_is_replied_to(struct checker *c, struct wire *w);
/* Request `accept`, which has to report the connection. Its reply becomes the
 * current one. */
void wire_due_accepted(struct checker *c, struct wire *w);

/* --- as initiator --------------------------------------------------------- */

/* The peer listens, and the device connects to it. */
struct wire *wire_is_connected_to(struct checker *c, const char *params);
/* The peer accepts TCP, and takes the device's Request. */
void wire_takes_request(struct checker *c, struct wire *w);
/* The peer sends a Reply with private data. */
void wire_replies(struct checker *c, struct wire *w, const void *private_data,
		  size_t n);

/* --- in either role ------------------------------------------------------- */

/* A stream that is established and known to the agent, on which both sides may
 * send. */
struct wire *wire_up(struct checker *c, const char *params);

/* --- on a stream ---------------------------------------------------------- */

/* The peer sends a Send of the kind with this opcode. */
void wire_sends(struct checker *c, struct wire *w, uint8_t opcode,
		uint32_t stag, const void *octets, size_t n);
void wire_writes(struct checker *c, struct wire *w, uint32_t stag, uint64_t to,
		 const void *octets, size_t n);
void wire_terminates(struct checker *c, struct wire *w);
/* The peer sends a Read Request for octets of the device's memory. */
void wire_reads(struct checker *c, struct wire *w, uint32_t stag, uint64_t to,
		uint32_t n);
/* The peer answers a Read Request or an Atomic Request of the device. */
void wire_answers(struct checker *c, struct wire *w,
		  const struct frame *request, const void *octets, size_t n);
/* The device has processed everything that the peer sent: it answers a
 * zero-length Read. False: the stream is over, or no answer arrives. The check
 * is not applicable if the device accepts no Reads. */
bool wire_is_answered(struct checker *c, struct wire *w);
/* The next FPDU of the device; NULL: none arrived. The device may send
 * zero-length Writes and Reads of its own accord (RFC 5040 s5.1, s5.2.1): the
 * peer skips them, and answers the Reads. */
const struct frame *wire_hears(struct checker *c, struct wire *w);
void wire_due_empty_write(struct checker *c, struct wire *w);
/* Like wire_hears(); the FPDU has to have this opcode. */
const struct frame *wire_due(struct checker *c, struct wire *w, uint8_t opcode);
/* The message that begins with this FPDU has this payload, in one segment or
 * several (RFC 5041 s5.2). */
void wire_due_payload(struct checker *c, struct wire *w, const struct frame *f,
		      const void *octets, size_t n);
/* How the device ends its direction: PEER_FIN or PEER_RESET; PEER_TIMEOUT if it
 * does not end it. */
enum peer_status wire_end(struct checker *c, struct wire *w);
void wire_closes(struct checker *c, struct wire *w);
void wire_resets(struct checker *c, struct wire *w);

/* " crc=0" if the device accepts nothing else, else "": for a listen or connect
 * that has to be wrong only in another way. */
const char *wire_crc(const struct checker *c);
/* End all streams of a check. */
void wires_end(struct checker *c);

#endif

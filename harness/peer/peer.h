/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scripted peer: one end of one stream. It keeps the sequence numbers and
 * stream offsets that a correct peer would keep, and sends the messages that
 * the case requests, correct or not. It converts octets to frames and back,
 * writes both into the event log, and judges nothing.
 */
#ifndef HARNESS_PEER_PEER_H
#define HARNESS_PEER_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/link/link.h"
#include "harness/observe/observe.h"
#include "harness/wire/mpa.h"

#define PEER_QUEUES 4
/* While a frame grows slowly, a wait is extended: up to PEER_GROWS times its
 * length in all, but not beyond PEER_GROWS_NS, unless the wait itself is
 * longer. It ends earlier if the frame grows so slowly for half a wait that it
 * cannot be complete by then. */
#define PEER_GROWS    8u
#define PEER_GROWS_NS 8000000000ull

enum peer_status {
	PEER_OK,
	PEER_TIMEOUT,     /* the deadline has passed */
	PEER_FIN,         /* the device closed its direction */
	PEER_RESET,       /* the device reset the connection */
	PEER_OUT_OF_TURN, /* a chunk of the other kind is next: session.h */
	PEER_FLOOD,       /* more octets than the log can hold */
	PEER_BROKEN,      /* the environment failed: conn->why */
};

struct peer_session;

struct peer {
	struct link_conn *conn;
	struct peer_session *session; /* on an SCTP stream; NULL: on TCP */
	struct observe *log;
	unsigned stream; /* its number in the log */
	bool crc;        /* CRCs are in use */
	bool tx_markers, rx_markers;
	uint32_t tx_offset, rx_offset; /* of the next FPDU, modulo 2^32 */
	uint32_t msn[PEER_QUEUES];     /* of the next message sent, by queue */
	bool fin_seen, reset_seen, fin_sent, reset_sent;
	bool end_held; /* `end` was received early; it is reported later */
	long end;      /* a FIN or RST, as link_recv() has returned it */
	bool growing;  /* the last timeout came while a frame still grew */
	uint64_t grew; /* when the last octets came; 0: none yet */
	bool leftover_logged; /* octets before the end that are no whole FPDU */
	size_t part_logged;   /* the size of a partial frame already logged */
	uint8_t *rx;          /* received, not yet framed */
	size_t rx_from, rx_to, rx_cap;
	uint8_t *held; /* to be sent with the next write */
	size_t held_octets, held_cap;
};

/* The CRC of one FPDU, correct or not. */
enum peer_crc {
	PEER_CRC_RIGHT,
	PEER_CRC_ONE_BIT, /* correct except for its last bit */
	PEER_CRC_SWAPPED, /* most significant octet first */
	PEER_CRC_NOT_COMPLEMENTED,
	PEER_CRC_ETHERNET, /* CRC-32 of IEEE 802.3, in the same octet order */
	PEER_CRC_GIVEN,    /* crc_value, as a number */
};

/* Deviations of one SCTP chunk from the correct one; -1: correct. */
struct peer_chunk_faults {
	long ddp_ssn, ppid, stream;
	bool ordered;
	bool at_once; /* send a control message without waiting for acks */
	bool hold;    /* send a control message with the next segments */
};
extern const struct peer_chunk_faults peer_no_chunk_faults;

/* Deviations of one FPDU, or of one SCTP chunk, from the correct one. */
struct peer_faults {
	enum peer_crc crc;
	uint32_t crc_value;
	int pad;           /* 0..255: this octet as padding; -1: zeros */
	int pad_after;     /* the same, after the CRC was computed */
	long ulpdu_length; /* the field, before the CRC; -1: correct */
	long flip;         /* this bit of the finished FPDU; -1: no bit */
	/* The fields of marker number `marker` of the FPDU; -1: correct. The
	 * CRC does not cover the `_after` values. */
	unsigned marker;
	long marker_reserved, marker_pointer;
	long marker_reserved_after, marker_pointer_after;
	bool no_markers;   /* leave them out; the offset counts the octets
			    * sent */
	bool extra_marker; /* a leading marker, inside the CRC */
	struct peer_chunk_faults chunk; /* over SCTP; the rest is for TCP */
};
extern const struct peer_faults peer_no_faults;

/* Take over a connection. False: no memory. */
bool peer_init(struct peer *p, struct link_conn *conn, struct observe *log,
	       unsigned stream);
/* Close and free everything; a reset leaves no TIME_WAIT behind. */
void peer_end(struct peer *p, bool reset);

/* From now on send and expect FPDUs; both offsets start at 0. */
void peer_full_operation(struct peer *p, bool crc, bool tx_markers,
			 bool rx_markers);

/* Send raw octets, logged as `kind`. */
enum peer_status peer_send(struct peer *p, enum observe_kind kind,
			   const uint8_t *octets, size_t n, const size_t *cuts,
			   size_t ncuts, uint64_t deadline);

/*
 * Frame one ULPDU at the peer's offset and append it to the held octets. The
 * frame is logged as sent, and *frame is set to it (frame may be NULL).
 */
enum peer_status peer_frame(struct peer *p, const uint8_t *ulpdu, size_t n,
			    const struct peer_faults *f,
			    const struct frame **frame);
/* Append octets that are not an FPDU to the held octets, logged as `kind`. */
enum peer_status peer_hold(struct peer *p, enum observe_kind kind,
			   const uint8_t *octets, size_t n);
/* Send the held octets, except the last `keep` ones. */
enum peer_status peer_flush(struct peer *p, const size_t *cuts, size_t ncuts,
			    size_t keep, uint64_t deadline);

/* Send the held octets, except the last `keep` ones, as these segments. */
enum peer_status peer_flush_segments(struct peer *p,
				     const struct link_segment *plan,
				     size_t count, size_t keep);

/*
 * Receive a startup frame: its 20 octets and as many as PD_Length announces,
 * at most 20 + 65535. On PEER_FIN, PEER_RESET and PEER_TIMEOUT *n is the number
 * of octets that arrived.
 *
 * In this function and the next, the wait continues after the deadline while a
 * frame grows: PEER_GROWS.
 */
enum peer_status peer_receive_startup(struct peer *p, uint64_t deadline,
				      const uint8_t **octets, size_t *n);

/* Receive the next FPDU. */
enum peer_status peer_receive(struct peer *p, uint64_t deadline,
			      const struct frame **frame);
/* Log the received part of a frame that is no longer awaited. Each part is
 * logged once. */
void peer_tell_part(struct peer *p);
/* Whether octets have arrived that are not framed yet. It does not wait. */
bool peer_has_octets(struct peer *p);

enum peer_status peer_close_sending(struct peer *p);
enum peer_status peer_reset(struct peer *p);

#endif

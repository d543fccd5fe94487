/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scripted peer: one end of one stream, which keeps the sequence numbers
 * and stream offsets that a correct peer would keep, and sends what the case
 * requests, correct or not. It turns octets into frames and back, writes both
 * into the event log, and judges nothing.
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
/* A frame that grows slowly: so many waits in all, and no longer than this or
 * the one wait; less where half a wait has shown that it will not be whole by
 * then. */
#define PEER_GROWS    8u
#define PEER_GROWS_NS 8000000000ull

enum peer_status {
	PEER_OK,
	PEER_TIMEOUT,     /* the deadline came first */
	PEER_FIN,         /* the device closed its direction */
	PEER_RESET,       /* the device reset the connection */
	PEER_OUT_OF_TURN, /* a chunk of the other kind is next: session.h */
	PEER_FLOOD,       /* more octets than the log takes */
	PEER_BROKEN,      /* the environment failed: conn->why */
};

struct peer_session;

struct peer {
	struct link_conn *conn;
	struct peer_session *session; /* on a stream of SCTP; NULL: on TCP */
	struct observe *log;
	unsigned stream; /* its number in the log */
	bool crc;        /* CRC in use: computed right by default */
	bool tx_markers, rx_markers;
	uint32_t tx_offset, rx_offset; /* of the next FPDU, modulo 2^32 */
	uint32_t msn[PEER_QUEUES];     /* of the next message sent, by queue */
	bool fin_seen, reset_seen, fin_sent, reset_sent;
	bool end_held; /* this end was received ahead, and is to be seen: */
	long end;      /* as from link_recv() */
	bool growing;  /* it timed out with a frame that still grew */
	bool leftover_logged; /* octets before the end that make no FPDU */
	size_t part_logged;   /* of them, those that nobody waited for longer */
	uint8_t *rx;          /* received, not yet framed */
	size_t rx_from, rx_to, rx_cap;
	uint8_t *held; /* to go out with the next write */
	size_t held_octets, held_cap;
};

/* Deviations of one FPDU from the right one. */
enum peer_crc {
	PEER_CRC_RIGHT,
	PEER_CRC_ONE_BIT, /* correct except for its last bit */
	PEER_CRC_SWAPPED, /* most significant octet first */
	PEER_CRC_NOT_COMPLEMENTED,
	PEER_CRC_ETHERNET, /* CRC-32 of IEEE 802.3, otherwise placed right */
	PEER_CRC_GIVEN,    /* crc_value, as a number */
};

/* Deviations of one chunk of SCTP; -1: right. */
struct peer_chunk_faults {
	long ddp_ssn, ppid, stream;
	bool ordered;
	bool at_once; /* a control message that waits for nothing, */
	bool hold;    /* or goes out with the next segments */
};
extern const struct peer_chunk_faults peer_no_chunk_faults;

struct peer_faults {
	enum peer_crc crc;
	uint32_t crc_value;
	int pad;           /* 0..255: this octet as padding; -1: zeros */
	int pad_after;     /* the same, after the CRC was computed */
	long ulpdu_length; /* the field, before the CRC; -1: right */
	long flip;         /* bit of the finished FPDU; -1: none */
	/* Marker `marker` of the FPDU; -1: right. `_after`: not in the CRC. */
	unsigned marker;
	long marker_reserved, marker_pointer;
	long marker_reserved_after, marker_pointer_after;
	bool no_markers;   /* leave them out; the offset counts the octets
			    * sent */
	bool extra_marker; /* a leading marker, inside the CRC */
	struct peer_chunk_faults chunk; /* over SCTP, and nothing else there */
};
extern const struct peer_faults peer_no_faults;

/* Take over a connection. False: no memory. */
bool peer_init(struct peer *p, struct link_conn *conn, struct observe *log,
	       unsigned stream);
/* Close and free everything; a reset leaves no TIME_WAIT behind. */
void peer_end(struct peer *p, bool reset);

/* From here on FPDUs are sent and expected; both offsets start at 0. */
void peer_full_operation(struct peer *p, bool crc, bool tx_markers,
			 bool rx_markers);

/* Send raw octets, logged as `kind`. */
enum peer_status peer_send(struct peer *p, enum observe_kind kind,
			   const uint8_t *octets, size_t n, const size_t *cuts,
			   size_t ncuts, uint64_t deadline);

/*
 * Frame one ULPDU at the peer's offset and append it to the held octets. The
 * frame is logged as sent; *frame (may be NULL) is that frame.
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
 * A deadline limits only silence: the wait continues while a frame grows.
 *
 * Receive a startup frame: its 20 octets and as many as PD_Length announces,
 * at most 20 + 65535. On PEER_FIN, PEER_RESET and PEER_TIMEOUT *n is the number
 * of octets that arrived.
 */
enum peer_status peer_receive_startup(struct peer *p, uint64_t deadline,
				      const uint8_t **octets, size_t *n);

/* Receive the next FPDU. */
enum peer_status peer_receive(struct peer *p, uint64_t deadline,
			      const struct frame **frame);
/* The received part of a frame that is no longer awaited, once. */
void peer_tell_part(struct peer *p);
/* Whether one octet has arrived that is not framed yet, without waiting. */
bool peer_has_octets(struct peer *p);

enum peer_status peer_close_sending(struct peer *p);
enum peer_status peer_reset(struct peer *p);

#endif

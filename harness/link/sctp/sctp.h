/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The SCTP link: associations over usrsctp, each packet of theirs in a UDP
 * datagram (RFC 6951), so that it needs neither SCTP of the kernel nor
 * privileges; or, where there are some, in IP alone. One socket is the whole
 * of a link's network.
 *
 * How data flows, and where MPA and SCTP part. Above a link the scripted peer
 * (harness/peer) deals in two things: what starts a stream, and ULPDUs - a
 * ULPDU is a DDP segment. Over TCP the first are startup frames, the second
 * FPDUs, both octets of one stream. Here the first are messages with PPID 17,
 * the second messages with PPID 16, both behind a DDP-SSN (harness/wire's
 * session.h) and each one DATA chunk; many streams share an association. So
 * the seam is peer.h: peer_send and peer_receive_startup with the octets of
 * one startup message, peer_frame and peer_flush with ULPDUs, peer_receive
 * with a struct frame whose `seg` is all that model, reading and matchers
 * look at; peer_close_sending is a Session Terminate, peer_reset an ABORT.
 * Markers, CRC, pad and cuts are MPA's, and faults of them have no place
 * here. A link knows none of it: messages, streams, PPIDs and an adaptation
 * indication are SCTP's.
 *
 * usrsctp is one per process and has no thread of its own: it lives while a
 * link is called (link_wait, link_serve). Its packets pass through here, and
 * are the caller's to see, to hold back, and to lose.
 *
 *   sctp.c     opens the link; connect, listen, accept, wait, close
 *   message.c  messages of an association, and what SCTP reports of it
 *   datagram.c the socket: packets out and in, and what befalls them
 *   chunks.c   chunks of a packet
 *   losses.c   packets that were lost, as an association notices them
 *   stack.c    usrsctp, and who its addresses stand for
 *
 * Of link.h: link_send is refused, for its octets have no stream; link_recv
 * is the next message, cut to cap; link_half_close is SHUTDOWN, which ends
 * both directions; link_reset is ABORT; a receive buffer of less than 32768
 * octets is one of so many. link_lose, link_fall_silent and
 * link_set_acks do what they say; options.acks is looked at as well, from the
 * first chunk on, and what was withheld last goes out once that is over.
 */
#ifndef HARNESS_LINK_SCTP_SCTP_H
#define HARNESS_LINK_SCTP_SCTP_H

#include "harness/link/link.h"

#define LINK_SCTP_UDP_PORT 9899 /* RFC 6951 s3.1 */
/* Octets of a message that are kept: the rest of a longer one is dropped. */
#define LINK_SCTP_MESSAGE_MAX (128u << 10)

struct link_sctp {
	const char *address; /* numeric, to bind to; "" or NULL: any IPv4 */
	uint16_t udp_port;   /* 0 chooses one */
	/* Without UDP: packets of IP's protocol 132, by a raw socket. Needs
	 * CAP_NET_RAW and an address of its own, for a kernel with SCTP answers
	 * to what comes for any of its own, too. */
	bool ip_alone;
};

/* NULL, and one line of why. */
struct link *link_sctp_open(const struct link_sctp *c, char why[LINK_WHY]);
/* The UDP port that it has; 0: none. */
uint16_t link_sctp_udp_port(const struct link *link);

/* For associations made, and listeners opened, from now on. */
struct link_sctp_options {
	bool adaptation; /* INIT and INIT ACK carry an indication */
	uint32_t indication;
	uint16_t outbound, inbound; /* streams; 0: ten */
	uint16_t udp_port;          /* of who is connected to; 0: 9899 */
	/* The largest IP packet that is sent; 0: 1500. */
	uint16_t mtu;
	/* A message too large for a packet is sent in fragments, not
	 * refused. */
	bool fragments;
};
void link_sctp_set(struct link *link, const struct link_sctp_options *options);

/* A message. */
struct link_message {
	uint16_t stream;
	uint32_t ppid;
	bool ordered;
	/* Of a received one: */
	uint32_t tsn;          /* of its first chunk */
	uint16_t ssn;          /* of SCTP; ordered ones alone have one */
	bool cut;              /* longer than LINK_SCTP_MESSAGE_MAX */
	const uint8_t *octets; /* until the next is received */
	size_t n;
};

/*
 * Send n octets as one message. LINK_OK: SCTP has taken it over. LINK_ERROR:
 * `why`, also where it is too large and may not be in fragments, or the
 * stream is not there.
 */
int link_send_message(struct link_conn *conn, const struct link_message *m,
		      const void *octets, size_t n, uint64_t deadline);
/*
 * The next message, in the order in which SCTP delivers. 1: *m is set; 0: the
 * peer has shut the association down; or a status, LINK_RESET for its ABORT.
 */
int link_recv_message(struct link_conn *conn, struct link_message *m,
		      uint64_t deadline);

/* What SCTP reports of an association that is up. */
struct link_sctp_state {
	bool adaptation; /* the peer's INIT or INIT ACK carried one */
	uint32_t indication;
	uint16_t outbound, inbound;
	uint16_t unacknowledged;  /* DATA chunks of ours, sent or waiting */
	uint32_t largest_message; /* that goes into one packet */
};
struct link_sctp_state link_sctp_state(struct link_conn *conn);

/* The largest IP packet that can come from the remote end in one piece: the MTU
 * of this host's interface towards it; 0: unknown. The path may be narrower, but
 * a router that has reported that to this host need not have reported it to the
 * other one, nor in time. */
unsigned link_sctp_path_mtu(const struct link_conn *conn);

/*
 * Packets as they pass, from the common header of SCTP on: those of a link,
 * sent or received, with the tag of an association (RFC 9260 s8.5). One that is
 * held is reported when it goes out, one that is lost is not reported. It may
 * not call the link. NULL: nobody.
 */
struct link_sctp_packet {
	bool sent;
	const struct link_end *remote; /* with its UDP port, or 0 */
	const uint8_t *octets;
	size_t n;
};
void link_sctp_watch(struct link *link,
		     void (*seen)(void *arg, const struct link_sctp_packet *),
		     void *arg);

/*
 * From now on packets with DATA of ours wait, LINK_SCTP_HELD at most: what is
 * more goes out. Released, they go out in the order they were made in, or the
 * last one first. Too long a wait has SCTP make them again.
 */
enum { LINK_SCTP_HELD = 64 };
void link_sctp_hold(struct link_conn *conn);
void link_sctp_release(struct link_conn *conn, bool last_first);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The SCTP link: associations over usrsctp. Each SCTP packet is in a UDP
 * datagram (RFC 6951), so that the link needs neither privileges nor the
 * kernel's SCTP. With privileges, packets can also be directly in IP. One
 * socket carries all packets of a link.
 *
 * How data flows, and where MPA and SCTP differ: the scripted peer
 * (harness/peer) sends startup messages and ULPDUs; a ULPDU is a DDP segment.
 * Over TCP, these are startup frames and FPDUs, octets of one stream. Over
 * SCTP, startup messages have PPID 17, and ULPDUs have PPID 16. Both begin with
 * a DDP-SSN (session.h of harness/wire), and each is one DATA chunk. Many
 * streams share an association. peer.h is the interface that both have in
 * common: peer_send() and peer_receive_startup() take the octets of one startup
 * message. peer_frame() and peer_flush() take ULPDUs. peer_receive() returns a
 * struct frame; the model, the readings and the matchers use only its `seg`.
 * peer_close_sending() sends a Session Terminate, and peer_reset() an ABORT.
 * Markers, CRC, pad and cuts belong to MPA, and so do faults in them. The link
 * itself handles only what belongs to SCTP: messages, streams, PPIDs and an
 * adaptation indication.
 *
 * There is one usrsctp per process. It has no thread of its own, and makes
 * progress only while a link is called (link_wait, link_serve). All its packets
 * pass through this link, so that the caller can watch, hold or drop them.
 *
 *   sctp.c     opens the link; connect, listen, accept, wait, close
 *   message.c  messages of an association, and its notifications
 *   datagram.c the socket: sends, receives, holds and drops packets
 *   chunks.c   chunks of a packet
 *   losses.c   packets that were lost, as an association notices them
 *   tags.c     decides by verification tags which packets are ours
 *   stack.c    usrsctp, and the meaning of its addresses
 *
 * Functions of link.h: link_send() fails, because octets need an SCTP stream
 * number. link_recv() returns the next message, cut to cap. link_half_close()
 * sends SHUTDOWN, which ends both directions. link_reset() sends ABORT. A
 * receive buffer of less than 32768 octets gets that size. link_lose() and
 * link_fall_silent() work. link_set_acks() can withhold SACKs, and options.acks
 * can withhold them from the first chunk on. When SACKs are no longer withheld,
 * the last one is sent.
 */
#ifndef HARNESS_LINK_SCTP_SCTP_H
#define HARNESS_LINK_SCTP_SCTP_H

#include "harness/link/link.h"

#define LINK_SCTP_UDP_PORT 9899 /* RFC 6951 s3.1 */
/* The octets of a message that are kept: the rest of a longer one is
 * dropped. */
#define LINK_SCTP_MESSAGE_MAX (128u << 10)

struct link_sctp {
	const char *address; /* numeric, to bind to; "" or NULL: any IPv4 */
	uint16_t udp_port;   /* 0: the system chooses one */
	/* Without UDP: SCTP directly in IP, as protocol 132, through a raw
	 * socket. This needs CAP_NET_RAW, and an address that only the link
	 * uses: a kernel with SCTP answers packets to its addresses, too. */
	bool ip_alone;
};

/* NULL: one line in `why`. */
struct link *link_sctp_open(const struct link_sctp *c, char why[LINK_WHY]);
/* The UDP port of the link; 0: it does not use UDP. */
uint16_t link_sctp_udp_port(const struct link *link);

/* Options of associations and listeners that are opened from now on. */
struct link_sctp_options {
	bool adaptation; /* INIT and INIT ACK carry an indication */
	uint32_t indication;
	uint16_t outbound, inbound; /* numbers of streams; 0: ten */
	uint16_t udp_port;          /* of the end to connect to; 0: 9899 */
	/* The largest IP packet that is sent, in octets; 0: 1500. */
	uint16_t mtu;
	/* Send a message that is too large for one packet in fragments.
	 * Otherwise link_send_message() fails. */
	bool fragments;
};
void link_sctp_set(struct link *link, const struct link_sctp_options *options);

/* A message. */
struct link_message {
	uint16_t stream;
	uint32_t ppid;
	bool ordered;
	/* The rest is set in received messages. */
	uint32_t tsn;          /* of the first chunk */
	uint16_t ssn;          /* SCTP's; only ordered messages have one */
	bool cut;              /* longer than LINK_SCTP_MESSAGE_MAX */
	const uint8_t *octets; /* valid until the next message is received */
	size_t n;
};

/*
 * Send n octets (not 0) as one message. LINK_OK: SCTP has accepted it.
 * LINK_TIMEOUT: the send buffer had no room before the deadline. LINK_RESET:
 * the association has ended. LINK_ERROR: see `why`; for example, the message is
 * too large and must not be fragmented, or there is no such stream.
 */
int link_send_message(struct link_conn *conn, const struct link_message *m,
		      const void *octets, size_t n, uint64_t deadline);
/*
 * The next message, in the order in which SCTP delivers them. 1: *m is set. 0:
 * the peer has shut the association down. Otherwise a status; LINK_RESET: the
 * association was aborted.
 */
int link_recv_message(struct link_conn *conn, struct link_message *m,
		      uint64_t deadline);

/* The state of an association that is up, as SCTP reports it. */
struct link_sctp_state {
	bool adaptation; /* the peer's INIT or INIT ACK carried one */
	uint32_t indication;
	uint16_t outbound, inbound;
	uint16_t unacknowledged;  /* our DATA chunks, sent or queued */
	uint32_t largest_message; /* that fits into one packet, in octets */
};
struct link_sctp_state link_sctp_state(struct link_conn *conn);

/* The largest IP packet that can arrive from the remote end in one piece: the
 * MTU of this host's interface towards that end; 0: unknown. The MTU of the
 * path may be smaller. Reports of routers to this host do not count, because
 * the remote end may not have received the same report, or not in time. */
unsigned link_sctp_path_mtu(const struct link_conn *conn);

/*
 * Call `seen` with each packet that the link sends or receives, from the common
 * header of SCTP on, if its verification tag belongs to an association of the
 * link (RFC 9260 s8.5). A held packet is reported when it is sent; a dropped
 * one is not reported. `seen` must not call the link. NULL: no reports.
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
 * link_sctp_hold(): from now on keep our packets with DATA, at most
 * LINK_SCTP_HELD of them; further ones are sent. link_sctp_release(): send the
 * kept packets in the order in which SCTP made them, or the last one first. If
 * packets are kept for too long, SCTP retransmits them.
 */
enum { LINK_SCTP_HELD = 64 };
void link_sctp_hold(struct link_conn *conn);
void link_sctp_release(struct link_conn *conn, bool last_first);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of interop_tool share. Each calls only those below it:
 *
 *   interop_tool.c           the scenarios, from the arguments to the counts
 *   *_scenarios.c            of associations, of sessions, of delivery
 *   session.c                the steps of a session
 *   association.c            the association of a test
 *   guest.c                  the guest's commands and answers
 *   packets.c                the packets of both sides
 *   ends.c                   addresses, and the link
 *
 * A function whose step fails ends the test (CUnit's FATAL).
 */
#ifndef HARNESS_LAB_SCTP_INTEROP_INTEROP_H
#define HARNESS_LAB_SCTP_INTEROP_INTEROP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/peer/session.h"
#include "harness/unit.h"

enum {
	STREAMS = 10,
	MANY = 2000,
	PATH_MTU = 1500,
	UDP_OCTETS = 8,
	DATA_OCTETS = 16, /* of a DATA chunk, before its user data */
	SEND_OCTETS = 18, /* of a segment, before its payload */
};

/* --- ends.c ----------------------------------------------------------- */

extern const char *own, *guest; /* addresses of one family */
extern uint16_t guest_udp;      /* 0: SCTP over IP alone */
extern struct link *our_link;   /* from open_link() to close_link() */

/* When a step that works has ended, in ns of clock_now_ns(). */
uint64_t soon(void);

/* --- packets.c -------------------------------------------------------- */

struct seen_packets {
	unsigned data[2], fragments[2], ordered[2]; /* received, sent */
	size_t largest[2];
	unsigned aborts[2], shutdowns[2];
	uint32_t tsn[MANY * 2]; /* of DATA received */
	enum session_adaptation adaptation;
	uint32_t indication;
	uint16_t outbound, inbound;
};
extern struct seen_packets saw; /* since open_link() */

/* For link_sctp_watch(). */
void watch(void *arg, const struct link_sctp_packet *packet);
/* Octets around a packet of SCTP. */
size_t around(void);

/* --- guest.c ---------------------------------------------------------- */

extern uint16_t commands_port;
extern int commands;     /* the connection; -1: none */
extern char reply[1024]; /* its last line */

void connect_commands(void);
/* Sends a command; its answer comes later. */
void ask_ahead(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Takes the answer, while our SCTP lives. */
void hear(void);
void must_be_ok(void);
/* All three. */
void ask(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A number of the answer; -1: none. */
long told(const char *key);
void guest_objects_to_nothing(void);
void guest_objects(const char *to);

/* --- association.c ---------------------------------------------------- */

/* The choices of a test; by_default() makes those that every test starts
 * with. */
struct choices {
	struct link_sctp_options link;
	uint32_t rcvbuf;
	const char *guest; /* keys of its listen and connect */
};
extern struct choices with;
extern uint16_t port; /* of SCTP; each association of the tests has its own */
extern struct association *ours;
extern char theirs[32]; /* the same for the guest: association=N */
extern struct observe *events;
extern struct peer peer; /* on stream 0 */

void by_default(void);
void open_link(void);
void close_link(void);
/* A link and an association with a peer; their end. */
void set_up(bool we_connect);
void tear_down(void);

/* --- session.c -------------------------------------------------------- */

/* A control message with so many octets of private data. */
void we_say(struct peer *p, uint16_t function, size_t octets);
void we_hear(struct peer *p, uint16_t ddp_ssn, uint16_t function,
	     size_t private_octets);
void they_say(unsigned sid, uint16_t function, size_t octets);
/* `segments` have arrived before it. */
void they_hear(unsigned sid, uint16_t function, size_t octets,
	       unsigned segments);
/* RFC 5043 s6.2, whichever side begins. */
void open_session(struct peer *p, unsigned sid, bool we_begin);
/* Both directions end, in order. */
void end_session(struct peer *p, unsigned sid, unsigned segments);
/* A Send of one segment, with faults, or NULL; not flushed. */
enum peer_status put_send(struct peer *p, uint32_t msn, size_t payload,
			  const struct peer_faults *f);
void we_send(struct peer *p, uint32_t from, uint32_t count, size_t payload);
void we_get(struct peer *p, uint32_t from, uint32_t count, size_t payload);

/* --- the scenarios: each with an association opened by either side ------ */

#define EITHER_WAY for (int we = 1; we >= 0; we--)

void the_association_is_one_of_ddp(void);
void stream_counts_are_agreed(void);
void indications_are_told(void);
void nobody_listens(void);
void a_session_is_accepted(void);
void a_session_is_ended_by_the_other(void);
void a_session_is_rejected(void);
void enhanced_codes_pass(void);
void a_stream_is_used_again(void);
void streams_share_an_association(void);
void thousands_both_ways(void);
void segments_up_to_the_path_mtu(void);
void larger_ones_are_put_together(void);
void an_association_is_shut_down(void);
void an_association_is_aborted(void);
void what_is_lost_comes_again(void);
void what_comes_twice_is_taken_once(void);
void what_overtakes_is_put_in_order(void);
void an_accept_is_overtaken(void);
void acknowledgments_are_delayed(void);
void a_window_closes_and_opens(void);
void several_addresses(void);
void many_associations(void);
void the_guest_objects(void);

#endif

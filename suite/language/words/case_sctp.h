/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The language of a case, part of case.h: DDP over SCTP (RFC 5043), where a
 * case is about associations, sessions and chunks themselves. A stream that is
 * brought up by connects() or by startup frames is a session there as well:
 * REQUEST() is an Initiate, REPLY() an Accept or, with R, a Reject.
 *
 * What is here needs NEED_SCTP, which no other link has.
 */
#ifndef SUITE_LANGUAGE_CASE_SCTP_H
#define SUITE_LANGUAGE_CASE_SCTP_H

#include "harness/wire/session.h"
#include "suite/language/words/case_stream.h"
#include "suite/language/words/case_wire.h"

/* ------------------------------------------------------------------ *
 * Associations
 * ------------------------------------------------------------------ */

/* The streams of the case are sessions; on any link. */
bool over_sctp(struct test *t);

/* What the peer's INIT or INIT ACK says. */
enum peer_adaptation {
	ADAPTATION_OF_DDP,
	ADAPTATION_NONE,
	ADAPTATION_OTHER, /* a number that is not DDP's */
};
struct association_opts {
	enum peer_adaptation adaptation;
	unsigned streams; /* OS and MIS; 0 = 16 */
	unsigned mtu;     /* of the peer's packets; 0 = 1500 */
};
/* Of those that the peer makes from now on, asked for or answered. */
#define associations_have(t, ...)                                              \
	case_associations_have(t, &(struct association_opts){__VA_ARGS__})
void case_associations_have(struct test *t, const struct association_opts *o);

/* The peer opens one to the device that listens: false where it is refused,
 * in the handshake or at once behind it. */
bool peer_associates(struct test *t);
/* The device is told to open a session, and nothing is waited for: no end of
 * the peer takes it. */
#define dut_tries(t, ...) case_tries(t, &(struct stream_opts){__VA_ARGS__})
void case_tries(struct test *t, const struct stream_opts *o);
/* Its agent has refused what lies beyond its interface (`beyond`). */
bool dut_has_refused(struct test *t);
/* No session has come to the ULP that listens. */
struct expect ulp_not_asked(void);
/* Streams that both ends have in either direction, at most so many. */
unsigned streams_both_ways(struct test *t, unsigned most);

/* What the device's INIT or INIT ACK says, waited for. */
struct association_seen {
	bool came; /* otherwise nothing else is known */
	enum session_adaptation adaptation;
	uint32_t indication;
	unsigned adaptation_octets; /* the length that the parameter says */
	unsigned outbound, inbound; /* OS, MIS */
	unsigned peer_outbound, peer_inbound; /* those of the peer */
	bool up; /* as far as the peer knows, by now */
};
struct association_seen dut_association(struct test *t);

/* The device has ended it, by ABORT or SHUTDOWN; waited for. */
struct expect association_ends(void);
/* It was refused, or is ended again before any of it was used. */
struct expect association_refused(void);
bool association_is_over(struct test *t);
/* The device has begun another one with the same end of the peer: RFC 5043 wants
 * none to be used for more than one session. */
bool association_is_not_alone(struct test *t);

/* ------------------------------------------------------------------ *
 * What the peer sends
 * ------------------------------------------------------------------ */

/* A message of session control; every field not overridden is right. */
struct control {
	unsigned function;
	const void *private_data; /* all of it: enhanced data too, if any */
	size_t private_octets;
	struct over ddp_ssn, ppid, sid;
	bool ordered;
	bool hold; /* it goes out with the next segment */
};
#define CONTROL(function_, ...)                                                \
	((struct control){.function = (function_), __VA_ARGS__})
void peer_sends_control(struct test *t, struct control c);
/* The same with enhanced data ahead of the private data. */
struct control enhanced_control(struct test *t, unsigned function,
				const struct mpa_enhanced *e,
				const void *ulp_data, size_t n);

/* User data as it is behind this DDP-SSN, n times, of which nobody but the
 * device is told: no number of the peer's moves by it. */
void peer_sends_chunk(struct test *t, unsigned ppid, uint16_t ddp_ssn,
		      const void *octets, size_t n);
/* A zero-length RDMA Write, as octets of a segment. */
const uint8_t *empty_write_segment(struct test *t, size_t *n);

/* What is held goes out last first: later DDP-SSNs under lower TSNs. */
void peer_goes_backwards(struct test *t, bool on);
/* Packets with data of the peer wait, and are released last first. */
void packets_wait(struct test *t);
void packets_overtake(struct test *t);
/* The peer's SACKs, of the whole association: none, or as ever. What was not
 * acknowledged meanwhile is so at once. */
void peer_acknowledges_chunks(struct test *t, bool on);
/* All that the peer has sent has arrived at the device's SCTP, and its agent
 * has answered since: what it says to that is here. */
void all_has_arrived(struct test *t);

/*
 * The device is given `n` Writes of no octets: how many chunks came of them, or
 * how many its SCTP has taken over so far, by what its agent says. They are
 * kept of the golden model and the log, since they are many, and the stream is
 * of no more use.
 */
unsigned writes_that_come(struct test *t, unsigned n);
unsigned writes_of_nothing(struct test *t, unsigned n);
/* The device is given a Send, of which nobody else is told. */
void dut_sends_plainly(struct test *t, const void *octets, size_t n);
/* The DDP-SSN of the peer's next chunk. */
unsigned peer_ddp_ssn(struct test *t);

/* ------------------------------------------------------------------ *
 * What the device sends
 * ------------------------------------------------------------------ */

/* One DATA chunk, as it came the first time. */
struct dut_chunk {
	uint32_t ppid, tsn;
	unsigned stream;
	bool unordered, first, last; /* U, B, E */
	uint16_t ddp_ssn;            /* where there are two octets */
	unsigned function;           /* of PPID 17: the code */
	const uint8_t *octets;       /* user data, the first 1024 of it */
	size_t n;                    /* all of it */
	size_t packet;               /* octets of the IP packet it came in */
	bool with_sack;              /* a SACK was in there, too */
	/* The peer had acknowledged it all, up to so many chunks back: how
	 * many had come, and were not covered by any SACK that went out. */
	unsigned unacknowledged;
	unsigned of_packet; /* the how many-th of all that came */
	unsigned order;     /* among the chunks of its association, from 0 */
};

/* Those of this stream's association so far, as they came. */
struct dut_chunks {
	const struct dut_chunk *chunk;
	size_t n;
};
struct dut_chunks dut_chunks(struct test *t);
/* The next of them that was not asked for yet; NULL where the association ends
 * first, or none comes. The second: of session control, on this stream. */
const struct dut_chunk *next_chunk(struct test *t);
const struct dut_chunk *next_control(struct test *t);
/* That with so many of the association before it, waited for. */
const struct dut_chunk *chunk_from(struct test *t, size_t order);
/* The next one on its way to what the case is about: where it does not come,
 * or is another, that is told under the requirement. */
#define awaits_control(t, req, function)                                       \
	(__extension__({                                                       \
		CASE_USE(req);                                                 \
		case_awaits_control(t, req, function);                         \
	}))
const struct dut_chunk *case_awaits_control(struct test *t, struct req_must req,
					    unsigned function);
/* The same of any code, and of any chunk: that with so many before it. */
#define awaits_any_control(t, req)                                             \
	(__extension__({                                                       \
		CASE_USE(req);                                                 \
		case_awaits_control(t, req, 0);                                \
	}))
#define awaits_chunk(t, req, order)                                            \
	(__extension__({                                                       \
		CASE_USE(req);                                                 \
		case_awaits_chunk(t, req, order);                              \
	}))
const struct dut_chunk *case_awaits_chunk(struct test *t, struct req_must req,
					  size_t order);

/* "Session Accept", "a segment", ...: what came on this stream, in the order
 * of DDP-SSNs; alike neighbours once: "Session Accept, segments". */
const char *dut_sequence(struct test *t);
struct expect sequence_is(const char *sequence);

/* Of this stream, by now: */
unsigned segments_seen(struct test *t); /* chunks with PPID 16 */
unsigned controls_seen(struct test *t, unsigned function);
/* Of all streams, or of another, from the so many-th of the association on. */
unsigned rdmap_terminates_seen(struct test *t);
unsigned controls_on(struct test *t, unsigned sid, unsigned function,
		     size_t from);
/* Once all has arrived: session control on this stream but for the first. */
unsigned controls_behind_the_first(struct test *t);
/* Chunks that no SACK of the peer has covered, at most at any time. */
unsigned chunks_uncovered(struct test *t);

/* An Initiate on this stream of the association was answered by a Session
 * Terminate; or one more listen of the ULP has it answered. */
struct expect answered_or_waiting(unsigned sid);
/* Of the Initiates on this association one at least was answered by a Session
 * Terminate, or by its end, once all of them have arrived. */
bool initiates_refused(struct test *t);
/* The stream is over, or goes on: nothing third. */
struct expect stream_ends_or_works(void);

/* This session is over for the device: it has sent a Session Terminate, or the
 * association has ended; waited for. */
struct expect session_ends(void);
/* No chunk of this PPID, or of either of DDP's (0), has come on the
 * association, once all that the peer sent has arrived. */
struct expect no_chunk(unsigned ppid);
/* The same of this stream, from the so many-th of the association on. */
struct expect no_chunk_since(size_t order);
/* Each chunk so far: */
struct expect all_unordered(void);
struct expect all_whole(void);  /* B and E set */
struct expect all_of_ddp(void); /* PPID 16 or 17 */
struct expect all_on_stream(unsigned n);
struct expect all_numbered(unsigned stream); /* from 0, without a gap */
struct expect all_registered(void);          /* codes of session control */

/* No packet with a chunk of more than 516 octets is larger; 0: nobody knows. */
struct expect packets_fit(unsigned path);
/* The same with a SACK beside each; or one was seen there. */
struct expect room_for_sack(unsigned path);

/* The largest IP packet that the way to the device takes, as the host knows. */
unsigned path_octets(struct test *t);

#endif

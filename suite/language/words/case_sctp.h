/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The language of a case, part of case.h: DDP over SCTP (RFC 5043), where a
 * case is about associations, sessions and chunks themselves. A stream that is
 * brought up by connects() or by startup frames is a session there as well:
 * REQUEST() is an Initiate, REPLY() an Accept or, with R, a Reject.
 *
 * The statements here need NEED_SCTP, which no other link offers.
 */
#ifndef SUITE_LANGUAGE_CASE_SCTP_H
#define SUITE_LANGUAGE_CASE_SCTP_H

#include "harness/wire/session.h"
#include "suite/language/words/case_stream.h"
#include "suite/language/words/case_wire.h"

/* ------------------------------------------------------------------ *
 * Associations
 * ------------------------------------------------------------------ */

/* The streams of the case are sessions. May be used on any link. */
bool over_sctp(struct test *t);

/* The contents of the peer's INIT or INIT ACK. */
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
/* For all associations that the peer opens or accepts from now on. */
#define associations_have(t, ...)                                              \
	case_associations_have(t, &(struct association_opts){__VA_ARGS__})
void case_associations_have(struct test *t, const struct association_opts *o);

/* The peer opens an association to the listening device: false if it is
 * refused, in the handshake or right after it. */
bool peer_associates(struct test *t);
/* Asks the agent to open a session, and does not wait: no end of the peer
 * accepts it. */
#define dut_tries(t, ...) case_tries(t, &(struct stream_opts){__VA_ARGS__})
void case_tries(struct test *t, const struct stream_opts *o);
/* The agent has refused a request that the device's interface does not accept
 * (`beyond` in struct stream_opts). */
bool dut_has_refused(struct test *t);
/* No session has been reported to the listening ULP. */
struct expect ulp_not_asked(void);
/* The number of streams that both ends have in both directions, at most
 * `most`. */
unsigned streams_both_ways(struct test *t, unsigned most);

/* The contents of the device's INIT or INIT ACK, awaited. */
struct association_seen {
	bool came; /* otherwise nothing else is known */
	enum session_adaptation adaptation;
	uint32_t indication;
	unsigned adaptation_octets;           /* the length in the parameter */
	unsigned outbound, inbound;           /* OS, MIS */
	unsigned peer_outbound, peer_inbound; /* those of the peer */
	bool up; /* as far as the peer knows at this moment */
};
struct association_seen dut_association(struct test *t);

/* The association was refused, or ended before it was used. */
struct expect association_refused(void);
bool association_is_over(struct test *t);
/* The device has opened another association with the same end of the peer: RFC
 * 5043 does not want an association to be used for more than one session. */
bool association_is_not_alone(struct test *t);

/* ------------------------------------------------------------------ *
 * What the peer sends
 * ------------------------------------------------------------------ */

/* A message of session control; every field that is not overridden is
 * correct. */
struct control {
	unsigned function;
	const void *private_data; /* all of it: enhanced data too, if any */
	size_t private_octets;
	struct over ddp_ssn, ppid, sid;
	bool ordered;
	bool hold; /* it is sent with the next segment */
};
#define CONTROL(function_, ...)                                                \
	((struct control){.function = (function_), __VA_ARGS__})
void peer_sends_control(struct test *t, struct control c);
/* The same with enhanced data before the private data. */
struct control enhanced_control(struct test *t, unsigned function,
				const struct mpa_enhanced *e,
				const void *ulp_data, size_t n);

/* Sends a chunk with this DDP-SSN and n octets after it. The peer does not
 * count it: its own numbers do not advance. */
void peer_sends_chunk(struct test *t, unsigned ppid, uint16_t ddp_ssn,
		      const void *octets, size_t n);
/* A zero-length RDMA Write, as octets of a segment. */
const uint8_t *empty_write_segment(struct test *t, size_t *n);

/* Sends held chunks in reverse order: later DDP-SSNs with lower TSNs. */
void peer_goes_backwards(struct test *t, bool on);
/* Holds the peer's packets with data, and releases them in reverse order. */
void packets_wait(struct test *t);
void packets_overtake(struct test *t);
/* Turns the peer's SACKs for the whole association off or on. Turning them on
 * acknowledges everything that arrived meanwhile. */
void peer_acknowledges_chunks(struct test *t, bool on);
/* Waits until everything that the peer has sent has arrived at the device's
 * SCTP, and until the agent has answered a later request, so that its reports
 * have arrived, too. */
void all_has_arrived(struct test *t);

/*
 * Gives the device n zero-length Writes. writes_that_come() returns the number
 * of chunks that arrived; writes_of_nothing() returns the number of Writes that
 * the device's SCTP has accepted so far, as its agent reports it. Because there
 * are many, they are neither logged nor passed to the golden model, and the
 * case cannot use the stream any more.
 */
unsigned writes_that_come(struct test *t, unsigned n);
unsigned writes_of_nothing(struct test *t, unsigned n);
/* Gives the device a Send that is neither logged nor passed to the golden
 * model. */
void dut_sends_plainly(struct test *t, const void *octets, size_t n);
/* The DDP-SSN of the peer's next chunk. */
unsigned peer_ddp_ssn(struct test *t);

/* ------------------------------------------------------------------ *
 * What the device sends
 * ------------------------------------------------------------------ */

/* One DATA chunk, as it first arrived. */
struct dut_chunk {
	uint32_t ppid, tsn;
	unsigned stream;
	bool unordered, first, last; /* U, B, E */
	uint16_t ddp_ssn;            /* if there are two octets */
	unsigned function;           /* with PPID 17: the code */
	const uint8_t *octets;       /* user data, the first 1024 of it */
	size_t n;                    /* the length of all user data */
	size_t packet;  /* octets of the IP packet that carried it */
	bool with_sack; /* the packet also had a SACK */
	/* Unacknowledged chunks when it arrived: chunks that had arrived and
	 * were not covered by any SACK sent. */
	unsigned unacknowledged;
	unsigned
		of_packet; /* the number of its packet among all that arrived */
	unsigned order;    /* among the chunks of its association, from 0 */
};

/* The chunks so far of this stream's association, in the order of arrival. */
struct dut_chunks {
	const struct dut_chunk *chunk;
	size_t n;
};
struct dut_chunks dut_chunks(struct test *t);
/* The next chunk that the case has not asked for yet; NULL if the association
 * ends first, or if none arrives. next_control() returns only session control
 * on this stream. */
const struct dut_chunk *next_chunk(struct test *t);
const struct dut_chunk *next_control(struct test *t);
/* Waits for the chunk that has `order` chunks of the association before it. */
const struct dut_chunk *chunk_from(struct test *t, size_t order);
/* The next chunk of session control, for a step that merely leads up to the
 * point of the case. If it does not arrive, or has another function code, the
 * requirement is blamed. */
#define awaits_control(t, req, function)                                       \
	(__extension__({                                                       \
		CASE_USE(req);                                                 \
		case_awaits_control(t, req, function);                         \
	}))
const struct dut_chunk *case_awaits_control(struct test *t, struct req_must req,
					    unsigned function);
/* The same for any function code; and for any chunk, with chunk_from(). */
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

/* The chunks of this stream in words, in the order of DDP-SSNs. Equal
 * neighbours are named once: "Session Accept, segments". */
const char *dut_sequence(struct test *t);
struct expect sequence_is(const char *sequence);
/* No RDMAP Terminate has a later DDP-SSN than a Session Terminate. */
struct expect rdmap_terminate_is_ahead(void);

/* On this stream, so far: */
/* Chunks with PPID 16. A Terminate of RDMAP does not count: it may report an
 * error of the startup (RFC 6581 s9.3). */
unsigned segments_seen(struct test *t);
unsigned controls_seen(struct test *t, unsigned function);
/* On all streams; on stream `sid`, from chunk `from` of the association on. */
unsigned rdmap_terminates_seen(struct test *t);
unsigned controls_on(struct test *t, unsigned sid, unsigned function,
		     size_t from);
/* The number of messages of session control on this stream after the first one,
 * once everything has arrived. */
unsigned controls_behind_the_first(struct test *t);
/* The largest number of chunks at any time that no SACK of the peer had
 * covered. */
unsigned chunks_uncovered(struct test *t);

/* An Initiate on this stream of the association was answered with a Session
 * Terminate, or is answered once the ULP listens again. */
struct expect answered_or_waiting(unsigned sid);
/* At least one of the Initiates on this association was answered with a Session
 * Terminate, or by the end of the association, once all of them have
 * arrived. */
bool initiates_refused(struct test *t);
/* The stream is over, or it still works. */
struct expect stream_ends_or_works(void);

/* The device has ended this session: it has sent a Session Terminate, or the
 * association has ended; awaited. */
struct expect session_ends(void);
/* No chunk of this PPID, or of either of DDP's (0), has arrived on the
 * association, once everything that the peer sent has arrived. */
struct expect no_chunk(unsigned ppid);
/* The same for this stream, from this chunk of the association on. */
struct expect no_chunk_since(size_t order);
/* Each chunk so far: */
struct expect all_unordered(void);
struct expect all_whole(void);  /* B and E set */
struct expect all_of_ddp(void); /* PPID 16 or 17 */
struct expect all_on_stream(unsigned n);
/* Those of this stream's session: from 0, without a gap. */
struct expect all_numbered(void);
struct expect all_registered(void); /* codes of session control */

/* No packet with a chunk of more than 516 octets is larger than `path`; 0: the
 * size is unknown. */
struct expect packets_fit(unsigned path);
/* A packet with a full-size segment also has a SACK, or has room for one within
 * `path`. */
struct expect room_for_sack(unsigned path);

/* The largest IP packet that can arrive from the device without fragmentation:
 * the MTU of this host's interface; 0: unknown. The path may be narrower, but
 * the device learns that only after it has sent a larger packet. */
unsigned path_octets(struct test *t);
/* The packet of a chunk of 516 octets does not fit the path, so that SCTP may
 * fragment chunks, since IP would do so otherwise (RFC 5043 s9). */
bool path_needs_fragments(struct test *t);
/* The message has arrived in this one chunk. The case is not applicable if SCTP
 * has fragmented it for such a path. */
void in_one_chunk(struct test *t, const struct dut_chunk *c);

#endif

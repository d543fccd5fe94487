/* SPDX-License-Identifier: BSD-2-Clause */
/* The language of a case, part of case.h: what the peer and the device send. */
#ifndef SUITE_LANGUAGE_CASE_WIRE_H
#define SUITE_LANGUAGE_CASE_WIRE_H

#include "suite/language/words/case_dut.h"
#include "suite/language/words/case_stream.h"

/* ------------------------------------------------------------------ *
 * What the peer sends
 * ------------------------------------------------------------------ */

enum crc_fault {
	CRC_RIGHT,
	CRC_WRONG /* flip one bit of it */,
	CRC_BYTE_SWAPPED,
	CRC_NOT_COMPLEMENTED,
	CRC_ETHERNET,
	CRC_ZERO,
	CRC_ONES,
	CRC_VALUE,
};

/* A legal message with named faults. Fields that are not overridden are
 * correct. */
struct msg {
	uint8_t opcode;
	const void *octets; /* payload */
	size_t n;
	uint32_t stag; /* tagged messages, atomics */
	uint64_t to;
	uint32_t inval; /* Invalidate STag field */
	struct rdmap_read_request read;
	struct rdmap_atomic_request atomic;
	struct rdmap_atomic_response atomic_response;
	struct rdmap_terminate terminate;
	const void *tail; /* octets after a header that has no payload */
	size_t tail_octets;
	struct over
		cut_to; /* the message ends after this many payload octets */
	struct over ulpdu_cut; /* its last segment has only this many octets,
			        * including the header; PAD and CRC fit that
			        * length */

	size_t segment; /* payload octets of a segment; 0 = MULPDU */

	/* overrides, on every segment of the message */
	struct over t, l, rsvd, dv, rv, rdmap_rsvd, opcode_field, qn, msn, mo;
	struct over stag_field, to_field;
	bool keeps_msn; /* the peer's MSN counter does not move */

	/* FPDU faults, on its last segment */
	enum crc_fault crc;
	uint32_t crc_value;    /* CRC_VALUE: as a number */
	struct over pad;       /* this octet as padding, covered by the CRC */
	struct over pad_after; /* this octet as padding, put in after the CRC */
	struct over ulpdu_length; /* CRC computed over the wrong field */
	struct over flip;         /* bit of the finished FPDU to flip, 0 = the
				 * most significant bit of its first octet */
	/* covered by the CRC; put in after the CRC */
	struct over marker_reserved, marker_pointer_add;
	struct over marker_reserved_after, marker_pointer_or_after;
	struct over marker_index; /* which marker; default: the first */
	bool no_markers;          /* leave markers out although they are due */
	bool extra_marker; /* send a leading marker although none is due */
};

#define SEND(text, ...) SEND_N("" text, sizeof(text) - 1, __VA_ARGS__)
#define SEND_N(p, len, ...)                                                    \
	(struct msg)                                                           \
	{                                                                      \
		.opcode = RDMAP_SEND, .octets = (p), .n = (len), __VA_ARGS__   \
	}
/* Any of the four kinds of Send. */
#define SEND_KIND(op, p, len, ...)                                             \
	(struct msg)                                                           \
	{                                                                      \
		.opcode = (op), .octets = (p), .n = (len), __VA_ARGS__         \
	}
#define WRITE(region_, off, p, len, ...)                                       \
	(struct msg)                                                           \
	{                                                                      \
		.opcode = RDMAP_WRITE, .octets = (p), .n = (len),              \
		.stag = (region_).stag, .to = (region_).to + (off),            \
		__VA_ARGS__                                                    \
	}
#define WRITE_TO(stag_, to_, p, len, ...)                                      \
	(struct msg)                                                           \
	{                                                                      \
		.opcode = RDMAP_WRITE, .octets = (p), .n = (len),              \
		.stag = (stag_), .to = (to_), __VA_ARGS__                      \
	}
#define PEER_SINK_STAG 0x5eed0001u
#define PEER_SINK_TO   0x0000000100000000ull
#define READ(region_, off, len, ...)                                           \
	READ_FROM((region_).stag, (region_).to + (off), len, __VA_ARGS__)
#define READ_FROM(stag_, to_, len, ...)                                        \
	(struct msg)                                                           \
	{                                                                      \
		.opcode = RDMAP_READ_REQUEST,                                  \
		.read = {.sink_stag = PEER_SINK_STAG,                          \
			 .sink_to = PEER_SINK_TO,                              \
			 .size = (len),                                        \
			 .source_stag = (stag_),                               \
			 .source_to = (to_)},                                  \
		__VA_ARGS__                                                    \
	}
/* The answer to the device's Read Request in frame f. */
#define READ_RESPONSE(f, p, len, ...)                                          \
	(struct msg)                                                           \
	{                                                                      \
		.opcode = RDMAP_READ_RESPONSE, .octets = (p), .n = (len),      \
		.stag = case_read_of(f).sink_stag,                             \
		.to = case_read_of(f).sink_to, __VA_ARGS__                     \
	}
#define FETCHADD(region_, off, add_, mask_, ...)                               \
	(struct msg)                                                           \
	{                                                                      \
		.opcode = RDMAP_ATOMIC_REQUEST,                                \
		.atomic = {.aopcode = RDMAP_FETCHADD,                          \
			   .id = 0x11223344,                                   \
			   .stag = (region_).stag,                             \
			   .to = (region_).to + (off),                         \
			   .data = (add_),                                     \
			   .mask = (mask_),                                    \
			   .compare_mask = ~0ull},                             \
		__VA_ARGS__                                                    \
	}
#define CMPSWAP(region_, off, compare_, swap_, ...)                            \
	CMPSWAP_MASKED(region_, off, compare_, ~0ull, swap_, ~0ull, __VA_ARGS__)
#define CMPSWAP_MASKED(region_, off, compare_, cmask_, swap_, smask_, ...)     \
	(struct msg)                                                           \
	{                                                                      \
		.opcode = RDMAP_ATOMIC_REQUEST,                                \
		.atomic = {.aopcode = RDMAP_CMPSWAP,                           \
			   .id = 0x11223344,                                   \
			   .stag = (region_).stag,                             \
			   .to = (region_).to + (off),                         \
			   .data = (swap_),                                    \
			   .mask = (smask_),                                   \
			   .compare = (compare_),                              \
			   .compare_mask = (cmask_)},                          \
		__VA_ARGS__                                                    \
	}
/* The Swap of the older drafts; the fields that it does not use are as the
 * drafts say. */
#define SWAP(region_, off, swap_, ...)                                         \
	(struct msg)                                                           \
	{                                                                      \
		.opcode = RDMAP_ATOMIC_REQUEST,                                \
		.atomic = {.aopcode = RDMAP_SWAP,                              \
			   .id = 0x11223344,                                   \
			   .stag = (region_).stag,                             \
			   .to = (region_).to + (off),                         \
			   .data = (swap_),                                    \
			   .mask = ~0ull,                                      \
			   .compare_mask = ~0ull},                             \
		__VA_ARGS__                                                    \
	}
/* Any Atomic Request, with all fields chosen by the case: .atomic = {...}. */
#define ATOMIC(...)                                                            \
	(struct msg)                                                           \
	{                                                                      \
		.opcode = RDMAP_ATOMIC_REQUEST, __VA_ARGS__                    \
	}
/* The answer to the device's Atomic Request in frame f. */
#define ATOMIC_RESPONSE(f, value_, ...)                                        \
	(struct msg)                                                           \
	{                                                                      \
		.opcode = RDMAP_ATOMIC_RESPONSE,                               \
		.atomic_response = {.id = case_atomic_of(f).id,                \
				    .value = (value_)},                        \
		__VA_ARGS__                                                    \
	}
#define IMM(octets8, ...) IMM_N(octets8, 8, __VA_ARGS__)
#define IMM_N(p, len, ...)                                                     \
	(struct msg)                                                           \
	{                                                                      \
		.opcode = RDMAP_IMM, .octets = (p), .n = (len), __VA_ARGS__    \
	}
#define IMM_SE(octets8, ...)                                                   \
	(struct msg)                                                           \
	{                                                                      \
		.opcode = RDMAP_IMM_SE, .octets = (octets8), .n = 8,           \
		__VA_ARGS__                                                    \
	}
#define TERMINATE(layer_, etype_, code_, ...)                                  \
	(struct msg)                                                           \
	{                                                                      \
		.opcode = RDMAP_TERMINATE,                                     \
		.terminate = {.layer = (layer_),                               \
			      .etype = (etype_),                               \
			      .code = (code_)},                                \
		__VA_ARGS__                                                    \
	}
/* A message with this opcode, with the layout that T and QN in `t` and `qn`
 * call for. */
#define OPCODE(op, p, len, ...)                                                \
	(struct msg)                                                           \
	{                                                                      \
		.opcode = (op), .octets = (p), .n = (len), __VA_ARGS__         \
	}

/*
 * How the octets are divided into TCP segments. On the raw link cuts are exact,
 * on the others they are boundaries of writes. An order sends the segments
 * between the cuts by their numbers, from 1: twice if a number is named twice,
 * not at all (until peer_releases) if it is not named. An order needs a case
 * with `.segments = true`. Without cuts each FPDU is a segment.
 */
struct cuts {
	size_t every, first;
}; /* write boundaries in the octets */
#define CUT_EVERY(n_) ((struct cuts){.every = (n_)})
#define CUT_AFTER(n_) ((struct cuts){.first = (n_)})

struct order {
	const unsigned char *number;
	size_t n;
};
#define ORDER(...)                                                             \
	((struct order){(const unsigned char[]){__VA_ARGS__},                  \
			sizeof((const unsigned char[]){__VA_ARGS__})})

/* Each pair of neighbours exchanged: 2, 1, 4, 3, ... */
#define ORDER_SWAPPED case_order_swapped()
struct order case_order_swapped(void);

struct send_opts {
	struct msg msg;
	struct cuts cuts;
	struct order order;
	bool fin;         /* the last segment carries FIN; needs an order */
	bool hold;        /* keep it: it is sent in one write with the next */
	size_t keep_last; /* hold back the last n octets for peer_goes_on() */
	bool early;       /* before the peer may send: any Terminate is right */
};
#define peer_sends(t, ...)                                                     \
	case_peer_sends(t, &(struct send_opts){.msg = __VA_ARGS__})
void case_peer_sends(struct test *t, const struct send_opts *o);
/* Declares that the peer breaks this rule on purpose, at least once, in the
 * statements that follow. Without it the peer breaks no rule except the one
 * that an override names (--judge-peer). */
void peer_breaks(struct test *t, struct req_must req);
/* Sends the octets that keep_last held back. */
void peer_goes_on(struct test *t);
/* The number of Reads and atomics that the peer may have outstanding on this
 * stream: the device's IRD, as negotiated. */
unsigned peer_ord(struct test *t);
/* Withholds the nth segment of the next octets, and sends it on release. */
void peer_withholds(struct test *t, unsigned nth);
void peer_releases(struct test *t);
/* One more segment with octets that were sent before, startup frame included.
 * Its first octet is `back` octets from the end. It has the same octets, or
 * others in their place. */
void peer_resends(struct test *t, uint32_t back, size_t n);
void peer_resends_others(struct test *t, uint32_t back, const void *octets,
			 size_t n);
/* One more segment after the peer's own FIN. */
void peer_sends_beyond(struct test *t, const void *octets, size_t n);
/* Sets the receive window that the peer offers. */
void peer_offers_window(struct test *t, long octets); /* below 0: all of it */
/* The case no longer needs the small window of .rcvbuf: from now on the window
 * is large, so that the rest arrives soon even over a long path. */
void peer_makes_room(struct test *t);
/* Turns the peer's acknowledgments off or on. */
void peer_acknowledges(struct test *t, bool on);
/* A copy of the last n octets that the peer sent. */
uint8_t *octets_sent(struct test *t, size_t n);
/* The next n segments of the device that carry octets are lost. */
void peer_loses(struct test *t, unsigned n);
/* The peer disappears from the network without closing. */
void peer_falls_silent(struct test *t);
/* A router reports to the device that its path takes no larger packets than
 * this. The device may remember that for longer than the case. */
void path_narrows(struct test *t, unsigned mtu);
/* Waits until the device retransmits octets. */
bool dut_sends_again(struct test *t);
/* Waits until nobody has sent anything for this long. */
void all_is_quiet(struct test *t, unsigned ms);
/* Octets that are not a frame. */
void peer_sends_octets(struct test *t, const void *octets, size_t n);
void peer_closes(struct test *t); /* FIN; the peer continues receiving */
/* The same after a Terminate of the device has arrived, if one arrives. The
 * device may wait for it before it closes TCP: RFC 5040 s6.2.1 and s7 do not
 * say when it closes. */
void peer_closes_behind_terminate(struct test *t);
void peer_resets(struct test *t);
/* The stream offset at which the peer's next FPDU starts; the payload length of
 * a Send that would end at offset `end` if the peer sent it now, as one FPDU.
 * The case is not applicable if the path cannot carry an FPDU of that size. */
uint32_t peer_offset(struct test *t);
size_t send_payload_up_to(struct test *t, uint32_t end);
/* The same two for the device, while none of its octets are on their way. */
uint32_t dut_offset(struct test *t);
size_t dut_send_payload_up_to(struct test *t, uint32_t end);
/* The number of octets that one TCP segment of the device can carry (EMSS), and
 * the resulting MULPDU (RFC 5044 s4.5). */
unsigned path_emss(struct test *t);
unsigned path_mulpdu(struct test *t);
/* The longest ULPDU that every device accepts, or has to make: it fits a TCP
 * segment in both directions. MPA need not support a ULPDU that is longer than
 * its MULPDU (RFC 5044 s3), and the device's host may have a smaller MTU than
 * the suite's. */
unsigned peer_mulpdu(struct test *t);
/* path_mulpdu() for a device that does not subtract TCP options: RFC 5044 s2
 * defines EMSS by the MSS of RFC 793, which does not count them. */
unsigned path_mulpdu_most(struct test *t);

/* n octets of a pattern that depends on the position and the seed; n octets
 * with the same value. */
const uint8_t *pattern(struct test *t, size_t n, unsigned seed);
const uint8_t *octets_of(struct test *t, size_t n, unsigned value);

struct rdmap_read_request case_read_of(const struct frame *f);
struct rdmap_atomic_request case_atomic_of(const struct frame *f);
struct rdmap_atomic_response case_atomic_response_of(const struct frame *f);
/* The contents of the device's Terminate, if it sent one. If not, nothing more
 * is judged: a message that never arrived has no form. */
struct rdmap_terminate terminate_seen(struct test *t);
struct rdmap_terminate case_terminate_of(const struct frame *f);
/* The number of zero octets after the headers that a Terminate returns, if they
 * have exactly the length of the headers that it does not return: RFC 5040 s7.1
 * says those are "set to zero". Otherwise 0. */
size_t zeros_for_headers(const struct frame *f);

/* ------------------------------------------------------------------ *
 * What the device sends
 * ------------------------------------------------------------------ */

/* The next FPDU has this opcode. If another one, the end of the stream, or
 * nothing arrives, the case ends with FAIL under `req`. */
#define awaits(t, req, opcode)                                                 \
	(__extension__({                                                       \
		CASE_USE(req);                                                 \
		case_awaits(t, req, opcode);                                   \
	}))
const struct frame *case_awaits(struct test *t, struct req_must req,
				unsigned opcode);

/* The same for a step that merely leads up to the point of the case: it is no
 * line of the case. If the FPDU does not arrive, or is another, the requirement
 * to send it, or that of its opcode, is blamed. */
const struct frame *awaits_given(struct test *t, unsigned opcode);

/* The message has arrived in this one FPDU. The case is not applicable if the
 * device has cut it into several, because DDP may make ULPDUs of any size (RFC
 * 5044 s3). */
void in_one_fpdu(struct test *t, const struct frame *f);

/* The next FPDU, or NULL. If it has to be a Terminate and the stream ended
 * without one, nothing more is judged (RFC 5040 s7.1). */
const struct frame *awaits_any(struct test *t, bool terminate);

/* A whole message: its segments, in the order of arrival. */
struct message {
	unsigned opcode;
	const struct frame *const *frames;
	size_t count;
	const uint8_t *octets; /* payload, in the order of the segments */
	size_t n;
};
#define awaits_message(t, req, opcode)                                         \
	(__extension__({                                                       \
		CASE_USE(req);                                                 \
		case_awaits_message(t, req, opcode);                           \
	}))
struct message case_awaits_message(struct test *t, struct req_must req,
				   unsigned opcode);
/* The message that begins with the frame taken last: this frame, and the segments
 * behind it that arrive (RFC 5041 s5.2). */
struct message message_begun(struct test *t);
/* The segments behind the one taken last, up to the last of its message. */
struct message case_awaits_rest(struct test *t, struct req_must req,
				unsigned opcode);
/* Like awaits_given(), up to the last segment. */
struct message awaits_given_message(struct test *t, unsigned opcode);
/* The largest ULPDU_Length of its segments. */
size_t largest_ulpdu(const struct message *m);

/* The next FPDU whatever it is, or NULL: end of stream, or the deadline. */
const struct frame *next_frame(struct test *t);
/* A Write or a Read of no octets, which a device may send of its own accord. */
bool is_empty_opening(const struct frame *f);
/* The number of Read Responses that arrive until the stream ends. */
unsigned responses_until_the_end(struct test *t);
/* The next FPDU or NULL, without taking it. */
const struct frame *frame_ahead(struct test *t);
/* True if an FPDU has arrived that was not taken yet; does not wait. */
bool frame_is_here(struct test *t);
/* The number of FPDUs that have arrived and were not taken, once a known-answer
 * exchange is answered. */
unsigned frames_waiting(struct test *t);
/* Octets of the device have arrived that are not a whole FPDU yet. */
bool dut_octets_came(struct test *t);
/* The Terminate, awaited; NULL if the stream ends without one. */
const struct frame *the_terminate(struct test *t);
/* The device overlooks an error that has to end the stream: it has sent no
 * Terminate, and a later known-answer exchange is answered. Rules about the end
 * are not broken then: the rule that it has overlooked is. */
bool dut_overlooks_it(struct test *t);
/* The stream offset of a frame's first octet, and of its ULPDU_Length. */
uint32_t frame_offset(const struct frame *f);
/* The device's TCP segments of Full Operation, in the order of arrival: the
 * stream offsets at which they start and end, counted like frame_offset(). For
 * a long stream only the last 256. */
struct dut_segment {
	uint32_t from, to;
};
struct dut_segments {
	const struct dut_segment *seg;
	size_t n;
};
struct dut_segments dut_segments(struct test *t);

#endif

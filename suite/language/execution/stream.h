/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One connection between the peer and the device, from both sides: the octets
 * and frames of both, and the reports of the agent.
 */
#ifndef SUITE_LANGUAGE_STREAM_H
#define SUITE_LANGUAGE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "harness/agent/client.h"
#include "harness/link/link.h"
#include "harness/observe/observe.h"
#include "harness/peer/association.h"
#include "harness/peer/peer.h"
#include "suite/judge/result.h"
#include "suite/language/words/case_stream.h"
#include "suite/language/words/case_wire.h"
#include "suite/language/execution/dut.h"
#include "suite/model/model.h"
#include "suite/model/startup/negotiate.h"
#include "suite/model/startup/session.h"

struct peer_judge; /* peer/peer_judge.h */

enum { STREAM_UNASKED = 16 };

enum stream_end { STREAM_UP, STREAM_FIN, STREAM_RESET };

struct stream {
	bool used;
	uint64_t began;      /* before the first request to the device */
	uint64_t adopted;    /* when the suite had the connection */
	enum case_role role; /* of the device */
	struct stream_opts opts;
	bool live; /* the peer has a connection */
	struct peer peer;
	char listener[AGENT_NAME],
		conn[AGENT_NAME]; /* the agent's names; "" = none yet */
	uint16_t dut_port;
	struct link_listener *peer_listener;

	/* on SCTP */
	struct association *association; /* NULL: not on SCTP, or not yet */
	bool shares;                     /* it belongs to another stream */
	uint16_t sid;
	struct model_session session;      /* judges the device's chunks */
	const struct event *looked;        /* the last event it has judged */
	struct model_session peer_session; /* with the roles exchanged */
	bool astray; /* the device's chunks no longer form a session */

	/* startup */
	struct model_device as_device;
	/* The device has no other kind of Request; the case did not ask for
	 * it. */
	bool enhanced_anyway, p2p_anyway;
	unsigned rtr_tried; /* sets of RTRs requested instead */
	bool sent_startup, saw_startup;
	struct mpa_startup sent_frame, seen_frame;
	bool not_accepted;        /* the agent reported none when last asked */
	bool full;                /* in Full Operation */
	struct model *model;      /* NULL before */
	struct peer_judge *judge; /* NULL: the peer is trusted */

	/* frames of the device, in order; the case has taken the first ones */
	const struct frame **frames;
	size_t frame_count, frame_cap, taken;
	const struct frame *terminate;
	enum stream_end end;
	bool starved;        /* a whole wait has passed without a frame */
	bool flooded;        /* more frames arrived than the suite reads */
	unsigned pulled;     /* FPDUs read */
	uint64_t broken_at;  /* octets received when a rule was broken */
	bool deaf;           /* a known-answer exchange was not answered */
	uint64_t deaf_at;    /* the number of actions before it */
	uint32_t fence;      /* sink STag of the last known-answer exchange */
	struct region octet; /* its source, if it reads an octet */
	bool has_octet;
	bool unread; /* the device no longer reads, and has to end the stream */
	bool may_stall; /* the case allows it to stop answering */
	bool withheld;  /* segments are kept back: nothing can be proved */
	bool shut;      /* the peer's window is closed: no answer can arrive */
	unsigned withhold; /* which segment of the next write, 0: none */
	size_t bound[64];  /* the ends of the FPDUs that are held */
	unsigned bounds;
	bool dirty;            /* something was sent since it last settled */
	bool peer_terminated;  /* the peer has sent its Terminate */
	bool peer_inside;      /* the last segment of a message is missing */
	bool proved;           /* a known-answer exchange has been answered */
	bool unseen;           /* the peer has sent a Write, and after it no
				* message that shows it to the ULP */
	uint32_t peer_ord;     /* Requests that the peer may have outstanding */
	size_t kept;           /* octets that keep_last holds back */
	bool refused;          /* the agent refused a request of the case */
	size_t controls_taken; /* chunks looked at for session control */

	bool to_queue_0; /* the peer sent to queue 0, right or wrong */
	const struct frame *unasked[STREAM_UNASKED]; /* Reads that are not
						      * answered yet */
	unsigned unanswered;
	uint32_t sends;      /* messages of the peer on queue 0 */
	uint32_t atomics;    /* Atomic Requests of the peer */
	uint32_t immediates; /* Immediate Data of the peer */
	unsigned asked;      /* Reads and atomics of the device, unanswered */
	unsigned segments;   /* of the device's incomplete message */
	uint64_t octets;     /* payload of these segments */
	uint64_t peer_messages, dut_messages; /* complete ones */
	uint64_t to_send; /* octets that the device was given to send */

	/* Without an agent: where the ULP's buffer is for this stream. */
	bool has_buffer, saw_send;
	uint32_t buffer_stag;
	uint64_t buffer_to;     /* TO of the first octet that is used */
	uint64_t buffer_first;  /* TO of the first advertised octet */
	uint64_t buffer_behind; /* TO after the last advertised octet */
	const struct frame *first_send;
	pid_t command; /* makes the device open the stream; 0: none */

	/* at the agent */
	unsigned receives;   /* posted so far: ordinals */
	size_t last_receive; /* octets of the one posted last */
	unsigned posts;      /* the same, of work requests */
	struct dut_event *events, *last_event;
	struct dut_event *by_id[DUT_EVENT_SLOTS];
	unsigned received, done_posts; /* completions that the events report */
	unsigned event_count;
	bool done;              /* dut_works() no longer uses it */
	bool posted_early;      /* work was posted before the model existed */
	bool empty_early;       /* some of it is an empty Write or Read */
	enum agent_stream told; /* latest state that the agent reported */
	bool final_known;
	struct dut_state final;
};

/* The current stream; without one the case ends with an error. */
struct stream *the_stream(struct test *t);
/* The same, with a connection of the peer. */
struct stream *live_stream(struct test *t);
struct stream *new_stream(struct test *t, enum case_role role,
			  const struct stream_opts *o);

/* Sending or receiving has failed with this status. The case ends with an error
 * if that is a failure of the environment. */
void stream_link_failed(struct test *t, struct stream *s,
			enum peer_status status);
/* The deadline of a wait that begins now. */
uint64_t test_deadline(const struct test *t);
/* The peer's MULPDU: the longest ULPDU that fits a TCP segment in both
 * directions. 0: the link does not report it. */
uint32_t stream_peer_mulpdu(const struct stream *s);
/* Receive one more FPDU; false: the stream ended, or the wait ended without
 * one. */
bool stream_pull(struct test *t, struct stream *s);
/* The same, including FPDUs that no case waits for (is_unasked). */
bool stream_pull_any(struct test *t, struct stream *s);
/* The wait has ended; the case is an error if octets of an incomplete frame
 * were still arriving. */
void stream_is_slow(struct test *t, const struct stream *s);
/* Receive until the stream has ended (a Terminate counts), or until a wait ends
 * without a frame. */
void stream_pull_to_end(struct test *t, struct stream *s);
bool stream_over(const struct stream *s);
/* The case is not applicable to a device that answers no Read. */
void stream_needs_reads(struct test *t);
/* True if a known-answer exchange is possible on this stream. */
bool stream_can_fence(const struct test *t, const struct stream *s);
/* If the frame taken last has L=0: pass over the rest of its message, which may
 * still be on its way. */
void stream_skip_rest(struct test *t);
bool stream_fence(struct test *t, struct stream *s);
/* Send a Read of 0 or 1 octets; true if its answer arrived. */
bool stream_ask(struct test *t, struct stream *s, uint32_t octets);
/* True if the peer may begin a message now. */
bool stream_takes_one_more(const struct test *t, const struct stream *s);
/*
 * Zero-length Writes and Reads that the device sends of its own accord (RFC
 * 5040 s5.1, s5.2.1), at any time: no case waits for them. The peer answers
 * each Read once the earlier Requests are answered (unasked.c).
 */
bool is_unasked(struct test *t, struct stream *s, const struct frame *f);
/* True if the device may send one now. */
bool may_be_unasked(const struct stream *s);
void unasked_answer(struct test *t, struct stream *s);
/* Send a message on this stream, without regard to foundations. */
void stream_send(struct test *t, struct stream *s, const struct send_opts *o);

/* The device has handled everything that the peer sent: it answered a later
 * exchange, or the stream is over for its agent, too. */
enum settled { SETTLED_ALIVE, SETTLED_OVER, SETTLED_STALLED };
enum settled stream_settle(struct test *t, struct stream *s);
/*
 * The device's host need not see the octets of a Write before a later Send was
 * delivered (RFC 5040 s5.5 item 5). If the peer has sent no Send since the
 * Write, it sends an empty one now. True: it was delivered, and the caller can
 * read the memory again.
 */
bool stream_reveals(struct test *t, struct stream *s);
const char *stream_end_text(struct test *t, const struct stream *s);
/*
 * Silence when the stream has to end: either the device has accepted the
 * message, or it no longer reads (s->unread). In the latter case it accepted
 * nothing, and breaks RFC 5040 s7: a connection with an error is torn down.
 * NULL: no silence, or it cannot be decided.
 */
const char *stream_silence(struct test *t, struct stream *s);
/* The case is about to wait for the end, because of an error. */
void stream_has_to_end(struct test *t, const struct stream *s);
/* True if several cases have found that the device no longer reads: later cases
 * wait less, because their result will be the same. */
bool stream_left_unread(const struct test *t);
/* The same for streams that the device leaves open after a Terminate. */
bool streams_are_left_open(const struct test *t);
/* After a Terminate only the end of the stream matters. If the device leaves
 * streams open, the waits from now on are brief. */
void stream_waits_briefly(struct test *t, const struct stream *s);
/* A known-answer exchange after a silence was answered. */
const char *stream_has_gone_on(struct test *t, struct stream *s);
/* The number of octets of an incomplete FPDU that have arrived; *due: its
 * length, 0: not known yet. */
size_t stream_part(const struct stream *s, size_t *due);
/* These octets are a complete empty Write or Read, which the device may send of
 * its own accord (unasked.c). */
bool stream_part_is_unasked(const struct stream *s);
/* The row that an incomplete FPDU breaks if no more of it arrives: the CRC is
 * missing, the pad is too short, the length is too large. Returns `row` if
 * there is no incomplete FPDU. */
unsigned short stream_part_row(const struct stream *s, unsigned short row);
void stream_startup_seen(struct test *t, struct stream *s,
			 const struct mpa_startup *f);
/*
 * The row that the device breaks if it does not answer a Request, or rejects it
 * although the ULP accepts. `row` is the row for all answers. The suite tries
 * the Request with another value of a flag to find a narrower row. *tried: the
 * text about that, or "".
 */
unsigned short unanswered_row(struct test *t, unsigned short row,
			      const char **tried);
/* Check a Reply for R=1. */
void stream_may_be_rejected(struct test *t, const struct stream *s);
void stream_full_operation(struct test *t, struct stream *s);
/*
 * The peer as initiator in the peer-to-peer model: it sends one of the agreed
 * RTRs, or the Terminate that is due if there is none (RFC 6581 s9.2). False:
 * then there is no stream.
 */
bool stream_open(struct test *t, struct stream *s);
/* The peer connects to the device's listener; returns a status of the link. */
int stream_tries(struct test *t, struct stream *s);
/* The device as initiator sends something, so that the peer may send, too.
 * False: it does not. */
bool stream_release(struct test *t, struct stream *s);
void test_objections(struct test *t, const struct model_objections *o,
		     const char *about);
/* At the end of a case: a last look at every stream, then close it. */
void streams_finish(struct test *t);
/* Open the connection beside which this case runs, if the run asks for one. */
void second_makes_room(struct test *t);

/* --- on SCTP (stream_session.c) -------------------------------------- */

bool test_on_sctp(const struct test *t);
/* The stream whose association this one shares, or NULL. */
struct stream *session_beside(struct test *t, const struct stream *s);
/* Set how associations are made and accepted from now on. */
void session_set_link(struct test *t, const struct stream *s);
/* Take over an association and judge its parameters; NULL: share that of the
 * other stream. */
void session_adopt(struct test *t, struct stream *s, struct link_conn *conn);
/* Its peer has ended: close the association, unless another stream owns it. */
void session_drop(struct stream *s);
/* Not applicable if the frame has a field that session control lacks; the
 * function code of a startup frame. */
void session_only(struct test *t, const struct startup *f);
uint16_t session_function(const struct startup *f);
/* Feed the golden model of sessions with everything sent and seen since, and
 * judge its objections. On TCP it does nothing. */
void session_looks(struct test *t, struct stream *s);
/* Wait for the end before there is a stream. PEER_OK: n octets came first. An
 * initiator's own Terminate may come before the end. */
enum peer_status session_ends_first(struct test *t, struct stream *s,
				    uint64_t deadline, const uint8_t **octets,
				    size_t *n);
/* The same for chunks that wait for a missing DDP-SSN: give up the missing
 * one. */
void session_waits_no_longer(struct test *t, struct stream *s);
void streams_drop(struct test *t);
enum teardown test_teardown(const struct test *t);

#endif

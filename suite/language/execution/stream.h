/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One connection between the peer and the device, from both sides: what the
 * peer sent, what the device did, and what its agent told of it.
 */
#ifndef SUITE_LANGUAGE_STREAM_H
#define SUITE_LANGUAGE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

enum stream_end { STREAM_UP, STREAM_FIN, STREAM_RESET };

struct stream {
	bool used;
	uint64_t began; /* before anything was asked of the device for it */
	enum case_role role; /* of the device */
	struct stream_opts opts;
	bool live; /* peer is there */
	struct peer peer;
	char listener[AGENT_NAME],
		conn[AGENT_NAME]; /* the agent's names; "" = none yet */
	uint16_t dut_port;
	struct link_listener *peer_listener;

	/* on SCTP */
	struct association *association; /* NULL: not on SCTP, or not yet */
	bool shares;                     /* it is another stream's */
	uint16_t sid;
	struct model_session session;      /* told of each chunk, */
	const struct event *looked;        /* up to this one */
	struct model_session peer_session; /* with the roles exchanged */
	bool astray; /* what the device sends is of no session any more */

	/* startup */
	struct model_device as_device;
	/* The device has no other Request; the case did not ask for it. */
	bool enhanced_anyway, p2p_anyway;
	unsigned rtr_tried; /* sets of RTRs asked for in its place */
	bool sent_startup, saw_startup;
	struct mpa_startup sent_frame, seen_frame;
	bool full;                /* in Full Operation */
	struct model *model;      /* NULL before */
	struct peer_judge *judge; /* NULL: the peer is trusted */

	/* what the device sent, in order; those before `taken` were awaited */
	const struct frame **frames;
	size_t frame_count, frame_cap, taken;
	const struct frame *terminate;
	enum stream_end end;
	bool starved;        /* a whole wait has passed for nothing */
	bool flooded;        /* more came than is looked at */
	unsigned pulled;     /* FPDUs that were */
	uint64_t broken_at;  /* octets that had come when a rule was broken */
	bool deaf;           /* a known-answer exchange was not answered, */
	uint64_t deaf_at;    /* with so much having happened */
	uint32_t fence;      /* sink STag of the last known-answer exchange */
	struct region octet; /* which it reads, where that is not empty */
	bool has_octet;
	bool unread;       /* the device reads no more, and has to end it */
	bool may_stall;    /* the case allows it to stop answering */
	bool withheld;     /* segments are kept back: nothing can be proved */
	bool shut;         /* the peer's window is closed: no answer can come */
	unsigned withhold; /* which segment of the next write, 0: none */
	size_t bound[64];  /* where the FPDUs that are held end */
	unsigned bounds;
	bool dirty;            /* something was sent since it last settled */
	bool peer_terminated;  /* the peer has sent its Terminate */
	bool peer_inside;      /* a message whose last segment is to come */
	bool proved;           /* a known-answer exchange has been answered */
	bool unseen;           /* the peer has written, and sent nothing since
				* that shows it to the ULP */
	uint32_t peer_ord;     /* Requests that the peer may have outstanding */
	size_t kept;           /* octets that keep_last holds back */
	bool refused;          /* what the case asked for, by its agent */
	size_t controls_taken; /* chunks looked at for session control */

	bool to_queue_0;   /* something of the peer, right or wrong */
	uint32_t sends;    /* messages of the peer on queue 0, */
	uint32_t atomics;  /* and atomics */
	unsigned asked;    /* Reads and atomics of the device, unanswered */
	unsigned segments; /* of its message that is still coming */
	uint64_t to_send;  /* octets that the device was given to send */

	/* at the agent */
	unsigned receives;   /* posted so far: ordinals */
	size_t last_receive; /* octets of the one posted last */
	unsigned posts;      /* the same, of work requests */
	struct dut_event *events, *last_event;
	struct dut_event *by_id[DUT_EVENT_SLOTS];
	unsigned received, done_posts; /* as many as the events tell of */
	unsigned event_count;
	bool done;              /* dut_works() has no more use for it */
	bool posted_early;      /* before there was a model to tell */
	enum agent_stream told; /* by its agent, last */
	bool final_known;
	struct dut_state final;
};

/* The stream the case is on; ends the case with an error if there is none. */
struct stream *the_stream(struct test *t);
/* The same, and its peer has a connection. */
struct stream *live_stream(struct test *t);
struct stream *new_stream(struct test *t, enum case_role role,
			  const struct stream_opts *o);

/* What came of sending or receiving: where that says more of the environment
 * than of the device, the case ends with an error. */
void stream_link_failed(struct test *t, struct stream *s,
			enum peer_status status);
/* Of a wait that begins now. */
uint64_t test_deadline(const struct test *t);
/* Receive one more FPDU; false: the stream ended or the wait was in vain. */
bool stream_pull(struct test *t, struct stream *s);
/* The wait has ended; an error of the case if the frame was still growing. */
void stream_is_slow(struct test *t, const struct stream *s);
/* Until it has ended (a Terminate counts), or the wait was in vain. */
void stream_pull_to_end(struct test *t, struct stream *s);
bool stream_over(const struct stream *s);
/* The case is not applicable to a device that answers no Read. */
void stream_needs_reads(struct test *t);
/* Whether a known-answer exchange can be tried on it. */
bool stream_can_fence(const struct test *t, const struct stream *s);
bool stream_fence(struct test *t, struct stream *s);
/* A Read of 0 octets or 1, and its answer, true if it came. */
bool stream_ask(struct test *t, struct stream *s, uint32_t octets);
/* Send it, on this stream, whatever the case stands on. */
void stream_send(struct test *t, struct stream *s, const struct send_opts *o);

/* The device has dealt with all that the peer sent: because it answered a
 * later exchange, or because the stream is over for its agent too. */
enum settled { SETTLED_ALIVE, SETTLED_OVER, SETTLED_STALLED };
enum settled stream_settle(struct test *t, struct stream *s);
/*
 * What a Write brought need not be in the device's memory, for its host, before
 * a Send behind it was delivered (RFC 5040 s5.5 item 5). Where none has gone
 * since, an empty one does now; true: it was delivered, and memory can be
 * looked at again.
 */
bool stream_reveals(struct test *t, struct stream *s);
const char *stream_end_text(struct test *t, const struct stream *s);
/*
 * Silence where the stream has to end: has the device taken what came, or does
 * it read no more (s->unread)? The latter has accepted nothing: it breaks what
 * RFC 5040 s7 has of a connection with an error, that it is torn down. NULL:
 * there is no silence, or no telling.
 */
const char *stream_silence(struct test *t, struct stream *s);
/* Several cases have found that: the next are not waited for in full, since
 * they tell the same. */
bool stream_left_unread(const struct test *t);
/* A known-answer exchange behind a silence was answered. */
const char *stream_has_gone_on(struct test *t, struct stream *s);
/* How many octets have come that are no whole FPDU; *due: how many it has as
 * its length says, 0: the length has not come. */
size_t stream_part(const struct stream *s, size_t *due);
/* What they break, where no more of them comes: they have no CRC, a pad that
 * is too short, a length that says more. `row`: there are none. */
unsigned short stream_part_row(const struct stream *s, unsigned short row);
void stream_startup_seen(struct test *t, struct stream *s,
			 const struct mpa_startup *f);
/*
 * Which row a Request breaks that is not answered, or rejected though the ULP
 * accepts, where `row` stands for all that answers need: what the other value
 * of a flag comes to says so. *tried: that, for the text, or "".
 */
unsigned short unanswered_row(struct test *t, unsigned short row,
			      const char **tried);
/* Of a Reply with R=1. */
void stream_may_be_rejected(struct test *t, const struct stream *s);
void stream_full_operation(struct test *t, struct stream *s);
/*
 * The peer as initiator in the peer-to-peer model: it sends one of the RTRs
 * agreed on, or the Terminate that is due where there is none (RFC 6581 s9.2);
 * false: then there is no stream to go on with.
 */
bool stream_open(struct test *t, struct stream *s);
/* The peer connects to the device's listener: a status of the link. */
int stream_tries(struct test *t, struct stream *s);
/* The device as initiator sends something, so that the peer may as well:
 * false if it does not. */
bool stream_release(struct test *t, struct stream *s);
void test_objections(struct test *t, const struct model_objections *o,
		     const char *about);
/* At the end of a case: a last look at every stream, then close it. */
void streams_finish(struct test *t);

/* --- on SCTP (stream_session.c) -------------------------------------- */

bool test_on_sctp(const struct test *t);
/* The stream whose association this one shares, or NULL. */
struct stream *session_beside(struct test *t, const struct stream *s);
/* How associations are made and taken from now on. */
void session_set_link(struct test *t, const struct stream *s);
/* Take an association over, or NULL: share that of the other stream. What it
 * says of itself is judged. */
void session_adopt(struct test *t, struct stream *s, struct link_conn *conn);
/* Close its association, unless it is another's; its peer has ended. */
void session_drop(struct stream *s);
/* Not applicable where the frame says what has no place in a message of
 * session control; which function code it has; and what such a message says,
 * as a frame: false where it starts nothing. */
void session_only(struct test *t, const struct startup *f);
uint16_t session_function(const struct startup *f);
bool session_startup(const struct session_chunk *c, struct mpa_startup *f);
/* A line under this row is on SCTP one under that: what MPA has a sentence for,
 * RFC 5043 or RFC 6581 s7 has one for as well, or it is none there: false. */
bool session_row(unsigned short req, unsigned short *on_sctp);
/* Tell the golden model of sessions what was sent and seen since, and judge
 * what it objects to. On TCP it does nothing. */
void session_looks(struct test *t, struct stream *s);
/* Wait until it ends, before there is a stream: PEER_OK where something else
 * comes first, n octets; but an initiator's own Terminate, which may. */
enum peer_status session_ends_first(struct test *t, struct stream *s,
				    uint64_t deadline, const uint8_t **octets,
				    size_t *n);
/* The same of what waits behind a chunk that has not come. */
void session_waits_no_longer(struct test *t, struct stream *s);
void streams_drop(struct test *t);
enum teardown test_teardown(const struct test *t);

#endif

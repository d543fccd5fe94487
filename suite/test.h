/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What stands behind the language of case.h: one running case. Only the
 * files that implement the language include this.
 */
#ifndef SUITE_TEST_H
#define SUITE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/agent/client.h"
#include "harness/link/capture.h"
#include "harness/link/link.h"
#include "harness/observe/observe.h"
#include "harness/peer/peer.h"
#include "suite/case.h"
#include "suite/device.h"
#include "suite/model/model.h"
#include "suite/model/negotiate.h"
#include "suite/reading.h"
#include "suite/registry.h"
#include "suite/reread.h"
#include "suite/result.h"
#include "suite/segmentation.h"

#define TEST_STREAMS 16
#define TEST_REGIONS 64
#define TEST_POST_ID 100000 /* ids of posts start here, of receives at 1 */

/* What all cases of one worker share. */
struct env {
	const struct device *device;
	struct agent *agent; /* NULL: has to be opened again */
	struct agent_hello hello;
	uint64_t claims; /* NEED_ bits, overrides applied */
	struct link *link;
	struct observe *log;
	struct model *models[TEST_STREAMS]; /* made when first needed */
	uint64_t wait_ns; /* an answer that has to come, comes by then */
	struct segmentation segmentation;
	struct readings readings; /* how this device is to be read */
	enum model_profile profile;
	unsigned spec;   /* its SPEC_ bit */
	char token[256]; /* "" = none */
};

enum stream_end { STREAM_UP, STREAM_FIN, STREAM_RESET };

/* An event that the agent told, of a receive or of posted work. */
struct told {
	unsigned id;
	bool receive;
	struct completion c;
	struct told *next;
};

struct test_region {
	struct region r;
	struct region_opts opts;
	uint8_t *shadow;   /* what the model knows of it; NULL: raced */
	uint8_t *kept;     /* what the agent's side put there */
	uint32_t bound_to; /* the model's number of that stream, or 0 */
	bool gone;         /* deregistered */
};

/* One connection between peer and device. */
struct stream {
	bool used;
	enum case_role role; /* of the device */
	struct stream_opts opts;
	bool live; /* peer is there */
	struct peer peer;
	char listener[AGENT_NAME],
		conn[AGENT_NAME]; /* the agent's names; "" = none yet */
	uint16_t dut_port;
	struct link_listener *peer_listener;

	/* startup */
	struct model_device as_device;
	bool enhanced_anyway; /* the device has no other Request */
	bool sent_startup, saw_startup;
	struct mpa_startup sent_frame, seen_frame;
	bool full;           /* in Full Operation */
	struct model *model; /* NULL before */

	/* what the device sent, in order; those before `taken` were awaited */
	const struct frame **frames;
	size_t frame_count, frame_cap, taken;
	const struct frame *terminate;
	enum stream_end end;
	bool starved;      /* a whole wait has passed for nothing */
	uint32_t fence;    /* sink STag of the last known-answer exchange */
	bool may_stall;    /* the case allows it to stop answering */
	bool withheld;     /* segments are kept back: nothing can be proved */
	bool shut;         /* the peer's window is closed: no answer can come */
	unsigned withhold; /* which segment of the next write, 0: none */
	size_t bound[64];  /* where the FPDUs that are held end */
	unsigned bounds;
	bool dirty;  /* something was sent since it last settled */
	size_t kept; /* octets that keep_last holds back */

	/* at the agent */
	unsigned receives; /* posted so far: ordinals */
	struct told *told, *told_last;
	unsigned told_count;
	bool done;         /* dut_works() has no more use for it */
	bool posted_early; /* before there was a model to tell */
	bool final_known;
	struct dut_state final;
};

struct judgement {
	unsigned short req;
	enum req_kind kind;
	bool ok;
	bool by_model;
	const char *text; /* what was due and what was seen */
	struct judgement *next;
};

enum error_cause { CAUSE_NONE, CAUSE_DEVICE, CAUSE_SUITE };

/* Receives asked for before there is a connection to post them on. */
struct pending_recv {
	unsigned count;
	size_t len;
	bool local;
	struct region region;
	size_t off;
	struct pending_recv *next;
};

struct test {
	struct env *env;
	const struct instance *in;
	jmp_buf out;
	struct stream stream[TEST_STREAMS];
	unsigned streams, current;
	struct test_region region[TEST_REGIONS];
	unsigned regions;
	struct pending_recv *pending, *pending_last;
	uint64_t writes; /* so far: a place for random cuts */
	unsigned next_post, fences;

	struct reread *reread, *reread_last; /* what was not as it was sent */
	struct judgement *judged, *judged_last;
	bool skipped;
	enum error_cause cause;
	char reason[512];       /* why SKIP or ERROR */
	const char *due, *seen; /* by the matcher that ran last */
	bool set_complete;      /* the expectation was an any_of() */
	/* What the agent's interface cannot tell: of the expectation at hand,
	 * and the first that could not be judged for it. NULL: none. */
	const char *not_told, *unjudged;
};

/* The stream the case is on; ends the case with an error if there is none. */
struct stream *the_stream(struct test *t);
/* The same, and its peer has a connection. */
struct stream *live_stream(struct test *t);
struct stream *new_stream(struct test *t, enum case_role role,
			  const struct stream_opts *o);

/* --- ending a case, and judging (case.c) --------------------------- */

void test_error(struct test *t, enum error_cause cause, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), noreturn));
void test_judge(struct test *t, unsigned short req, bool ok, bool by_model,
		const char *text);
/* Record a failure of a MUST and end the case. */
void test_fail(struct test *t, unsigned short req, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), noreturn));
/* For matchers: the agent has said that it cannot tell of this; false, and
 * the expectation is not judged. */
bool test_not_told(struct test *t, const char *what);
/* For matchers: what was due and what was seen. */
void test_due(struct test *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void test_seen(struct test *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
const char *test_format(struct test *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void *test_alloc(struct test *t, size_t n);
/* "de ad be ef ... (28 octets)", at most `max` of them. */
const char *test_hex(struct test *t, const uint8_t *octets, size_t n,
		     size_t max);
/* The same of a frame, as it was sent. */
const char *test_frame_hex(struct test *t, const struct frame *f, size_t max);
/* "1/1/00 (DDP, tagged, invalid STag)". */
const char *test_terminate_text(struct test *t, unsigned layer, unsigned etype,
				unsigned code);
/* "a Terminate 1/1/00 (...)", "Send, QN 0, MSN 3, MO 0, 5 octets of payload". */
const char *test_frame_text(struct test *t, const struct frame *f);

/* --- the wire (stream.c) ------------------------------------------- */

uint64_t test_deadline(const struct test *t);
/* Receive one more FPDU; false: the stream ended or the wait was in vain. */
bool stream_pull(struct test *t, struct stream *s);
/* Until it has ended (a Terminate counts), or the wait was in vain. */
void stream_pull_to_end(struct test *t, struct stream *s);
bool stream_over(const struct stream *s);
/* Whether a known-answer exchange can be tried on it. */
bool stream_can_fence(const struct test *t, const struct stream *s);
bool stream_fence(struct test *t, struct stream *s);

/* The device has dealt with all that the peer sent: because it answered a
 * later exchange, or because the stream is over for its agent too. */
enum settled { SETTLED_ALIVE, SETTLED_OVER, SETTLED_STALLED };
enum settled stream_settle(struct test *t, struct stream *s);
const char *stream_end_text(struct test *t, const struct stream *s);
void stream_startup_seen(struct test *t, struct stream *s,
			 const struct mpa_startup *f);
void stream_full_operation(struct test *t, struct stream *s);
/* The device as initiator sends something, so that the peer may as well:
 * false if it does not. */
bool stream_release(struct test *t, struct stream *s);
void test_objections(struct test *t, const struct model_objections *o,
		     const char *about);
/* At the end of a case: a last look at every stream, then close it. */
void streams_finish(struct test *t);
void streams_drop(struct test *t);
enum teardown test_teardown(const struct test *t);

/* --- the agent (dut.c) --------------------------------------------- */

/* An agent's reply takes its own time on top of the wait it was asked for. */
uint64_t dut_deadline(const struct test *t);
/* Ends the case unless the agent did what it was asked. */
void dut_check(struct test *t, enum agent_result r, const char *verb);
const char *dut_region_name(struct test *t, unsigned number);
struct test_region *dut_region(struct test *t, struct region r);
void dut_begin(struct test *t); /* reset the session */
void dut_listen(struct test *t, struct stream *s);
void dut_connect(struct test *t, struct stream *s, uint16_t port);
/* Learn the connection's name, and post what waits for it. */
void dut_accept(struct test *t, struct stream *s);
void dut_post_pending(struct test *t, struct stream *s);
/* Fetch events: at least `min`, or until the deadline. */
void dut_events(struct test *t, struct stream *s, unsigned min,
		uint64_t deadline);
/* dut_accepts, of what has come within ms. */
struct accept_seen dut_accepts_within(struct test *t, unsigned ms);
void dut_wait_final(struct test *t, struct stream *s);
void dut_round_trip(struct test *t);
/* The agent still answers; else the case ends with an error. */
void dut_is_there(struct test *t);
void dut_tell_region(struct test *t, struct stream *s, struct test_region *r);

/* --- a whole case (case.c) ------------------------------------------ */

/*
 * Run one instance and fill *out. Strings in it live until the next call.
 * The transcript (NULL: not wanted) gets the events as text, for `show`.
 */
void test_run(struct env *env, const struct instance *in, struct result *out,
	      enum error_cause *cause, const char **transcript);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What stands behind the language of case.h: the execution of one case. Only
 * the files that implement the language include this.
 *
 * The folder has the state that a case has, and what every statement needs:
 *
 *   alone.c    a device without an agent
 *   case.c     a case from its first statement to its verdict
 *   ground.c   what the case stands on
 *   waits.c    how long a case waits
 *   meets.c    which values of which dimension it meets
 *   testbed.c  what outlives the case
 *
 * Above it, from the top, are the folders of what implements the statements:
 *
 *   history/   atomics of several streams, an order of them, why there is none
 *   match/     what was due and what was seen
 *   evidence/  what a judgement is about; that and the events, for who was not
 *              there; as text
 *   sctp/      associations, sessions and chunks
 *   stream/    connections: brought up, received from, known to work, taken
 *              down; startup frames step by step; what the golden model is
 *              given of them
 *   peer/      what the peer sends; what it does to TCP; whether it may
 *   dut/       what the agent is asked, and what it answers
 *   text/      objections of the golden model, and faults of a session, in
 *              words
 */
#ifndef SUITE_LANGUAGE_EXECUTION_H
#define SUITE_LANGUAGE_EXECUTION_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "suite/judge/verdict.h"
#include "suite/language/case.h"
#include "suite/language/execution/alone.h"
#include "suite/language/execution/dut.h"
#include "suite/language/execution/instance.h"
#include "suite/language/execution/looked_at.h"
#include "suite/language/execution/stream.h"
#include "suite/language/execution/testbed.h"
#include "suite/reading/interpret.h"

#define TEST_REGIONS 64
#define TEST_CUTS    4096   /* of what is written at once */
#define TEST_POST_ID 100000 /* ids of posts start here, of receives at 1 */
#define TEST_BREAKS  8u     /* rules that a case breaks on purpose */

/* Of a Terminate that did not come: its layer, where the case names one. */
enum { TEST_ANY = 16, TOLD };

/* A rule that the peer breaks because the case wants it to. */
struct broken_rule {
	unsigned short req;
	bool happened;
};

struct test {
	struct testbed *bed;
	const struct instance *in;
	jmp_buf out;
	struct stream stream[TESTBED_STREAMS];
	unsigned streams, current;
	struct test_region region[TEST_REGIONS];
	unsigned regions;
	struct pending_recv *pending, *pending_last;
	uint64_t writes; /* so far: a place for random cuts */
	unsigned next_post, fences;
	bool ahead;    /* work was posted that the agent has not told of, */
	unsigned kept; /* and so much of it not yet sent to it */
	uint64_t acts; /* what the case did so far; */
	uint64_t told; /* and how often its agent had news of a stream */
	bool in_vain;  /* a whole wait has passed for nothing, */
	uint64_t in_vain_at; /* with so much having happened */
	struct broken_rule broken[TEST_BREAKS];
	unsigned breaks;

	struct chunk_log *chunks; /* NULL: not over SCTP */
	struct association_opts association;
	struct interpreter interpreter; /* of what was not sent as meant */
	struct judgement *judged, *judged_last;
	struct looked_at taken; /* what the case has looked at last; */
	struct looked_at look;  /* and whoever judges just now */
	struct ended_case ended;
	uint64_t began;  /* of the clock of its events */
	bool has_broken; /* one of these a MUST */
	bool skipped;
	const char *blocked_by; /* the case that tells why; NULL: it is not */
	const char *shaken_by;  /* the same, of what this case is about */
	enum foundation shaken;
	uint64_t rests[FOUNDATION_ROLES]; /* a bit for each foundation */
	bool outweighed;   /* one of these has fallen, and is told instead */
	bool contradicted; /* by what was seen, says the matcher */
	bool on_ground;    /* the case has not come to its own stimulus yet */
	unsigned untold;   /* of this layer no Terminate came, or TOLD */
	/* Without an agent (alone.h): an expectation is being looked at, it has
	 * asked the host for this, and octets were seen that no ULP sends. */
	bool evaluating, witnessed;
	const char *asked;
	bool excused; /* a line did not hold, for which the ULP may be the cause */
	bool rejected;      /* by a Reply with R=1, which nobody asked for */
	bool reads_no_more; /* where the stream had to end, it neither ended nor
			     * went on */
	bool in_parts; /* less than an FPDU: its row says what is missing */
	enum error_cause cause;
	char reason[512];       /* why SKIP, ERROR or BLOCKED */
	const char *due, *seen; /* by the matcher that ran last */
	bool set_complete;      /* the expectation was an any_of() */
	/* What the agent's interface cannot tell: of the expectation at hand,
	 * and the first that could not be judged for it. NULL: none. */
	const char *not_told, *unjudged;
};

/* A field as the case has it, or as it would be. */
static inline uint64_t overridden(struct over o, uint64_t otherwise)
{
	return o.set ? o.v : otherwise;
}

/* --- the peer itself (peer_excuse.c) ------------------------------- */

/* Each ends the case with an error where the peer breaks a rule that nobody
 * has named. */
void excuse_startup(struct test *t, struct stream *s, const struct startup *f);
void excuse_begin(struct test *t, struct stream *s,
		  const struct model_agreed *a);
void excuse_frame(struct test *t, struct stream *s, const struct send_opts *o,
		  const struct ddp_segment *meant, const struct frame *sent);
/* A chunk of SCTP, by the golden model of sessions. */
void excuse_chunk(struct test *t, struct stream *s,
		  const struct frame_chunk *sent, const struct model_chunk *c);
void excuse_end(struct test *t);
/* The case has said that this rule is broken. */
bool peer_may_break(const struct test *t, unsigned short req);

/* --- what the case stands on (ground.c) ----------------------------- */

/* Each ends the case as BLOCKED where that has fallen, unless the case itself
 * tells of it; one that is about it is shaken, and goes on. */
void test_stands_on(struct test *t, enum case_role role, enum foundation f);
void test_stands_on_startup(struct test *t, enum case_role role,
			    const struct stream_opts *o);
/* Where no known-answer exchange works, and Sends do both ways, the case does
 * without: what it sees counts, what has not come does not, and nothing is
 * proved to be right. */
void test_goes_on_without_answers(struct test *t, enum case_role role);
/* That an FPDU is taken whose pad is that of a ULPDU of so many octets. */
void test_stands_on_pad(struct test *t, const struct stream *s,
			size_t ulpdu_octets);
/* Startup frames were exchanged by hand. */
void test_stands_on_frames(struct test *t, const struct stream *s);
/* That it sends markers, where the peer's startup frame asks for them. */
void test_stands_on_markers(struct test *t, const struct stream *s);
/* That the golden model objects to this in each startup frame of the device,
 * which other cases tell. */
bool test_is_always_so(const struct test *t, enum case_role role,
		       unsigned short req);
/* And that it takes what has none, where it asks for none itself: for whatever
 * the peer sends. */
void test_stands_on_directions(struct test *t, const struct stream *s);
bool test_directions_have_fallen(const struct test *t, const struct stream *s);
void test_stands_on_message(struct test *t, const struct stream *s,
			    const struct msg *m);
void test_stands_on_work(struct test *t, struct stream *s,
			 const struct post *p);
/* What the case does on its way: it is BLOCKED where that has fallen, if it
 * fails. `qn` is the queue; of several segments, or one that is but a part. */
void test_rests_on(struct test *t, enum case_role role, enum foundation f);
void test_rests_on_message(struct test *t, struct stream *s,
			   const struct send_opts *o, uint32_t qn, bool parts);
/* So many octets go out at once: FPDUs that TCP may cut anywhere. */
void test_rests_on_write(struct test *t, const struct stream *s, size_t n);
/* The case has failed: BLOCKED, if what it rests on has fallen. */
void test_blames_its_ground(struct test *t);
/* Should it fail, it would be. */
bool test_rests_on_fallen(const struct test *t);
/* It tells itself, by a line of its own, what that has fallen by. */
bool test_tells_its_ground(const struct test *t);
/* Something has not come: in a case that is shaken it cannot count. */
void test_counts_if_seen(struct test *t);
/* The way in which it stands. */
unsigned test_way(const struct test *t, enum case_role role, enum foundation f);
bool test_has_fallen(const struct test *t, enum case_role role,
		     enum foundation f);

/* An IRD or ORD as the case has it, or as it would be. */
static inline unsigned depth_of(unsigned opt, unsigned otherwise)
{
	return opt == ZERO_DEPTH ? 0 : opt ? opt : otherwise;
}

/* --- waiting (waits.c) --------------------------------------------- */

/* The case does something that the device may answer, other than to send. */
void test_acts(struct test *t);
/* What the case waits for from now on blames nobody: others may run beside. */
void wait_at_ease(const struct test *t);
/* How long to wait for what an answer may be, in ns; until when. */
uint64_t wait_lasts(const struct test *t);
/* For an answer that has not come to the cases before. */
uint64_t impatient_deadline(const struct test *t);
uint64_t wait_deadline(const struct test *t);
/* The same, or CLOCK_NOW, which is one look, where a whole wait was in vain and
 * nothing has happened since. */
uint64_t wait_begins(const struct test *t);
/* The wait that began so has ended, and nothing came: the case ends, BLOCKED,
 * where it rests on what has fallen. */
void wait_in_vain(struct test *t, uint64_t deadline);
/* The same of a known-answer exchange. */
void stream_is_deaf(const struct test *t, struct stream *s);
bool stream_was_deaf(const struct test *t, const struct stream *s);

/* --- ending a case, and judging (case.c) --------------------------- */

void test_error(struct test *t, enum error_cause cause, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), noreturn));
/* The same for what has fallen; the second goes on. */
void test_blocked(struct test *t, const char *by, enum foundation f)
	__attribute__((noreturn));
void test_set_blocked(struct test *t, const char *by, enum foundation f);
void test_judge(struct test *t, unsigned short req, bool ok, bool by_model,
		const char *text);
/* A MUST is broken already. */
bool test_has_broken(const struct test *t);
/* From now on nothing is received; the case ends here where a MUST is broken,
 * by that. */
void test_is_flooded(struct test *t);
/* Record a failure of a MUST and end the case. */
void test_fail(struct test *t, unsigned short req, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), noreturn));
/* The case ends here, by what was judged. */
void test_enough(struct test *t) __attribute__((noreturn));
/* For matchers: the agent has said that it cannot tell of this; false, and
 * the expectation is not judged. */
bool test_not_told(struct test *t, const char *what);
/* The evidence of a case that has ended (evidence_of.c), in its arena. */
void test_evidence(struct test *t, const struct evidence_bounds *b,
		   struct result *out);
/* For matchers: whether the text of an expectation that came out so is read
 * by anybody. Of a program that is one of many only what is broken is. */
static inline bool test_tells(const struct test *t, bool ok)
{
	return !ok || !t->bed->exploring || !t->bed->brief;
}
/* For matchers: what was due and what was seen. */
void test_due(struct test *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void test_seen(struct test *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Not applicable where the device has no room for so much of it, by what its
 * agent says; 0: it says nothing. */
void test_within(struct test *t, uint64_t needed, uint64_t most,
		 const char *what);
/*
 * What never came is not accused of its form, nor is a refusal that was not
 * told a hole: the sentence that is broken where a stream has ended without
 * the Terminate due (RFC 5040 s7.1, s6.2.1), in the place of this one.
 */
unsigned short test_untold_row(struct test *t, unsigned short req,
			       unsigned layer);
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

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The implementation of the language of case.h: the execution of one case. Only
 * the files that implement the language include this header.
 *
 * This folder has the state of a case, and what every statement needs:
 *
 *   alone.c    a device without an agent
 *   case.c     a case from its first statement to its result: its memory, its
 *              end, and the whole
 *   judging.c  whether a line holds, and which row is blamed if not
 *   case_text.c  what was due, what was seen, and frames, as text
 *   ground.c   the foundations that the case depends on
 *   waits.c    how long a case waits
 *   meets.c    which values of which dimension occur in it
 *   testbed.c  what several cases share
 *
 * The folders above it implement the statements, from the top:
 *
 *   history/   atomics of several streams, and whether they have one order
 *   match/     matchers: what was due and what was seen
 *   evidence/  what a judgement is about; the events as evidence, and as text
 *   sctp/      associations, sessions and chunks
 *   stream/    connections: opening, receiving, proving that they work, and
 *              closing; startup frames step by step; input of the golden model
 *   peer/      what the peer sends, its TCP, and whether it breaks a rule
 *   dut/       requests to the agent, and its answers
 *   text/      objections of the golden model, and faults of sessions, in words
 */
#ifndef SUITE_LANGUAGE_EXECUTION_H
#define SUITE_LANGUAGE_EXECUTION_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "suite/dimension/axes.h"
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
#define TEST_CUTS    4096   /* of one write */
#define TEST_POST_ID 100000 /* ids of posts start here, of receives at 1 */
#define TEST_BREAKS  8u     /* rules that a case breaks on purpose */

/* The layer of a Terminate that did not come, if the case names one. */
enum { TEST_ANY = 16, TOLD };

/* A rule that the case lets the peer break. */
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
	unsigned beside; /* so many are not the case's: it begins behind them */
	struct test_region region[TEST_REGIONS];
	unsigned regions;
	struct pending_recv *pending, *pending_last;
	uint64_t writes; /* so far: the index for random cuts */
	unsigned next_post, fences;
	bool ahead;    /* posted work that the agent has not reported yet, */
	unsigned kept; /* and how much of it was not yet sent to it */
	uint64_t acts; /* the number of actions of the case; */
	uint64_t told; /* and of news of streams from its agent */
	bool in_vain;  /* a whole wait has passed in vain, */
	uint64_t in_vain_at; /* after so many of these */
	bool silence_is_due; /* the present wait is for it */
	bool is_past;        /* and no verdict depends on it any more */
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
	bool outweighed; /* a dependency has fallen, and is reported instead */
	bool contradicted; /* by what was seen, according to the matcher */
	bool on_ground;    /* the case has not reached its own stimulus */
	bool aside;        /* what the peer sends is for the suite alone */
	struct axes axes;  /* points that the case has met so far */
	unsigned untold;   /* layer of a Terminate that did not come, or TOLD */
	/* Without an agent (alone.h): an expectation is being looked at, it has
	 * asked the host for this, and octets were seen that no ULP sends. */
	bool evaluating, witnessed;
	bool of_receives; /* it depends on those that its ULP has posted */
	bool connecting;  /* by one statement: depths are at least so large */
	const char *asked;
	struct {
		size_t octets;   /* of it that are allotted to regions */
		uint8_t *shadow; /* as the model knows it; NULL: raced */
		unsigned on;     /* the stream that has filled it, from 1 */
		bool used, raced, laying;
		bool beside; /* what lies beside it was asked for */
		bool quiet;  /* its ULP has left it alone, behind a failure */
	} buffer;
	bool excused; /* a line did not hold, for which the ULP may be the cause */
	bool rejected;      /* by a Reply with R=1, without a reason */
	bool reads_no_more; /* where the stream had to end, it neither ended nor
			     * went on */
	bool in_parts; /* less than an FPDU came: the row is that of the missing part */
	enum error_cause cause;
	char reason[512];       /* why SKIP, ERROR or BLOCKED */
	const char *due, *seen; /* by the latest matcher */
	bool shows_last;        /* what was seen says less than what the device
				 * sent last */
	bool set_complete;      /* the expectation was an any_of() */
	/* What the agent's interface cannot report: for the current
	 * expectation, and for the first one that could not be judged. NULL:
	 * none. */
	const char *not_told, *unjudged;
	/* The current expectation is what the case presupposes; one such could
	 * not be judged. */
	bool insists, presumed;
};

/* A field with the override of the case, or with its right value. */
static inline uint64_t overridden(struct over o, uint64_t otherwise)
{
	return o.set ? o.v : otherwise;
}

/* --- the peer itself (peer_excuse.c) ------------------------------- */

/* Each ends the case with an error if the peer breaks a rule that the case does
 * not name. */
void excuse_startup(struct test *t, struct stream *s, const struct startup *f);
void excuse_begin(struct test *t, struct stream *s,
		  const struct model_agreed *a);
void excuse_frame(struct test *t, struct stream *s, const struct send_opts *o,
		  const struct ddp_segment *meant, const struct frame *sent);
/* A chunk of SCTP, judged by the golden model of sessions. */
void excuse_chunk(struct test *t, struct stream *s,
		  const struct frame_chunk *sent, const struct model_chunk *c);
void excuse_end(struct test *t);
/* Whether the case declares that this rule is broken. */
bool peer_may_break(const struct test *t, unsigned short req);

/* --- what the case stands on (ground.c) ----------------------------- */

/* Each ends the case as BLOCKED if the foundation has fallen, unless the case
 * itself reports that; a case about the foundation is marked as shaken, and
 * continues. */
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
/* The case exchanged the startup frames itself. */
void test_stands_on_frames(struct test *t, const struct stream *s);
/* The device sends markers if the peer's startup frame asks for them. */
void test_stands_on_markers(struct test *t, const struct stream *s);
/* Remove what the golden model objects to in every stream of the device, and
 * other cases report. */
void test_leaves_out_told(const struct test *t, enum case_role role,
			  struct model_objections *o);
/* And the device accepts FPDUs without markers if it does not ask for them: for
 * everything that the peer sends. */
void test_stands_on_directions(struct test *t, const struct stream *s);
bool test_directions_have_fallen(const struct test *t, const struct stream *s);
void test_stands_on_message(struct test *t, const struct stream *s,
			    const struct msg *m);
void test_stands_on_work(struct test *t, struct stream *s,
			 const struct post *p);
/* A dependency on the way: if the case fails, and this has fallen, it is
 * BLOCKED. `qn` is the queue; `parts`: several segments, or a single part. */
void test_rests_on(struct test *t, enum case_role role, enum foundation f);
void test_rests_on_message(struct test *t, struct stream *s,
			   const struct send_opts *o, uint32_t qn, bool parts);
/* n octets go out at once: FPDUs that TCP may cut anywhere. */
void test_rests_on_write(struct test *t, const struct stream *s, size_t n);
/* The case has failed: it is BLOCKED if a dependency has fallen. */
void test_blames_its_ground(struct test *t);
/* Whether it would be BLOCKED if it failed. */
bool test_rests_on_fallen(const struct test *t);
/* Whether the case itself has a line that reports the fallen dependency. */
bool test_tells_its_ground(const struct test *t);
/* Something has not come: in a shaken case this does not count as a failure. */
void test_counts_if_seen(struct test *t);
/* The way of the foundation that holds. */
unsigned test_way(const struct test *t, enum case_role role, enum foundation f);
bool test_has_fallen(const struct test *t, enum case_role role,
		     enum foundation f);

/* An IRD or ORD of the case, or its default. */
static inline unsigned depth_of(unsigned opt, unsigned otherwise)
{
	return opt == ZERO_DEPTH ? 0 : opt ? opt : otherwise;
}

/* --- waiting (waits.c) --------------------------------------------- */

/* Note an action of the case, other than sending, that the device may answer. */
void test_acts(struct test *t);
/* What the case waits for from now on blames nobody: others may run beside. */
void wait_at_ease(const struct test *t);
/* How long to wait for a possible answer, in ns; until when. */
uint64_t wait_lasts(const struct test *t);
/* Until when, if earlier cases waited for such an answer in vain. */
uint64_t impatient_deadline(const struct test *t);
uint64_t wait_deadline(const struct test *t);
/* The same; or CLOCK_NOW, for a single look, if a whole wait was in vain and
 * nothing has happened since. */
uint64_t wait_begins(const struct test *t);
/* It ended before this deadline: an agent answers at once where no event can
 * come any more. */
bool wait_was_cut(uint64_t deadline);
/* The wait with this deadline was in vain. The case ends as BLOCKED if a
 * dependency has fallen. */
void wait_in_vain(struct test *t, uint64_t deadline);
/*
 * What the peer has sent before this wait may arrive slowly, where it is much
 * and the path is long or loses packets: nothing that answers it is due yet. A
 * whole wait begins anew when more of it has arrived, or a frame of the device
 * has grown meanwhile, up to a limit.
 */
struct arrival {
	uint64_t left;     /* octets that have not arrived */
	uint64_t deadline; /* of the wait; CLOCK_NOW as for wait_begins() */
	uint64_t last;     /* the limit */
};
struct arrival arrival_begins(const struct test *t, const struct stream *s);
/* When to look whether more has arrived: the deadline, or sooner. */
uint64_t arrival_look_at(const struct test *t, const struct arrival *a);
/* Part of a frame has come, and its last octets within half a wait. */
bool frame_grows(const struct test *t, const struct stream *s);
/* Look; true: the wait goes on. */
bool arrival_goes_on(const struct test *t, const struct stream *s,
		     struct arrival *a);
/* The same for a known-answer exchange. */
void stream_is_deaf(const struct test *t, struct stream *s);
bool stream_was_deaf(const struct test *t, const struct stream *s);

/* --- the end and the memory of a case (case.c) ------------------------- */

void test_error(struct test *t, enum error_cause cause, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), noreturn));
/* End the case as BLOCKED; the second continues. */
void test_blocked(struct test *t, const char *by, enum foundation f)
	__attribute__((noreturn));
void test_set_blocked(struct test *t, const char *by, enum foundation f);
/* A MUST is broken already. */
bool test_has_broken(const struct test *t);
/* Receive no more; end the case here if a MUST is broken. */
void test_is_flooded(struct test *t);
/* End the case here, with its judgements so far. */
void test_enough(struct test *t) __attribute__((noreturn));
/* End the case as not applicable if the agent's limit `most` is below `needed`;
 * 0: it reports no limit. */
void test_within(struct test *t, uint64_t needed, uint64_t most,
		 const char *what);
/* The evidence of a case that has ended (evidence_of.c), in its arena. */
void test_evidence(struct test *t, const struct evidence_bounds *b,
		   struct result *out);
void *test_alloc(struct test *t, size_t n);

/* --- judging (judging.c) ----------------------------------------------- */

void test_judge(struct test *t, unsigned short req, bool ok, bool by_model,
		const char *text);
/* Record a failure of a MUST and end the case. */
void test_fail(struct test *t, unsigned short req, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), noreturn));
/* For matchers: the agent has declared that it cannot report this. Returns
 * false; the expectation is not judged. */
bool test_not_told(struct test *t, const char *what);
/*
 * The row to blame if a stream ended without the Terminate that was due (RFC
 * 5040 s7.1, s6.2.1). A missing message is not blamed for its form, and an
 * unreported refusal is not blamed as an acceptance.
 */
unsigned short test_untold_row(struct test *t, unsigned short req,
			       unsigned layer);

/* --- texts, in the arena of the case (case_text.c) --------------------- */

/* For matchers: whether the text of an expectation with this result is needed.
 * Exploration needs only the texts of failures. */
static inline bool test_tells(const struct test *t, bool ok)
{
	return !ok || !t->bed->exploring || !t->bed->brief;
}
/* For matchers: the expectation, and the observation. */
void test_due(struct test *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void test_seen(struct test *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* "the last from the device: a Terminate 0/1/47 (...) [...], and then FIN" */
const char *test_last_seen(struct test *t);
const char *test_format(struct test *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* "de ad be ef ... (28 octets)", at most `max` of them. */
const char *test_hex(struct test *t, const uint8_t *octets, size_t n,
		     size_t max);
/* The octets of a frame as it was sent. */
const char *test_frame_hex(struct test *t, const struct frame *f, size_t max);
/* "1/1/00 (DDP, tagged, invalid STag)". */
const char *test_terminate_text(struct test *t, unsigned layer, unsigned etype,
				unsigned code);
/* "a Terminate 1/1/00 (...)", "Send, QN 0, MSN 3, MO 0, 5 octets of payload". */
const char *test_frame_text(struct test *t, const struct frame *f);

#endif

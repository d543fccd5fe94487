/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What performs a program: the state that its steps share, and the files of this
 * folder, from the top. Only they include this header.
 *
 *   perform.c     the whole, from the first stream to the last octet
 *   end_step.c    steps that end a stream
 *   peer_step.c   steps of the peer
 *   fault.c       the fault of a message
 *   dut_step.c    steps of the device
 *   sharing.c     words that streams share
 *   apart.c       messages that share octets are kept apart
 *   settle.c      what is due on a stream
 *   memory.c      the octets of the regions at the end
 *   connect.c     streams and regions, before the first step
 *   startup.c     the fault of a startup frame
 *   answer.c      answers to the device's Requests
 */
#ifndef SUITE_EXPLORE_PERFORMER_H
#define SUITE_EXPLORE_PERFORMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "suite/explore/perform/perform.h"
#include "suite/explore/program.h"
#include "suite/language/case.h"
#include "suite/language/case_program.h"

enum {
	PERFORM_BATCH = 64, /* messages on queue 0 between two looks at them */
	PERFORM_SPANS = 64, /* parts of regions that are being written */
	PERFORM_POSTS = 64, /* likewise, by the device */
};

/* What is due for one message that was sent, or posted. */
struct due_receive {
	struct sink sink;
	const struct step *step;
	const uint8_t *octets;
	size_t n;
};
struct due_work {
	unsigned id;
	const struct step *step;
	bool has_value;
	uint64_t value; /* for an atomic: the peer's answer */
};

struct on_one {
	unsigned number;
	bool over;
	struct sink sinks;     /* posted ahead, */
	unsigned next, posted; /* and the next of them */
	struct due_receive receive[PERFORM_BATCH];
	unsigned receives;
	/* For receive buffers in regions: octets that no message has reached. */
	struct refill rest[PERFORM_BATCH];
	unsigned rests;
	struct due_work work[PERFORM_POSTS];
	unsigned works, answered; /* atomics among them */
	unsigned last_order;
	bool any_order;
	bool writes; /* the peer has sent Writes that no Send has shown */
};

/* Octets of a region that messages on their way will change. */
struct span {
	uint64_t from, to;
	bool by_device; /* a Response to it, */
	bool received;  /* or a receive buffer: one that is complete shows it */
	bool atomic;    /* an atomic of the peer */
};
struct spans {
	struct span span[PERFORM_SPANS];
	unsigned n;
};

struct performer {
	struct test *t;
	const struct program *p;
	struct performance *so_far;
	struct region region[PROGRAM_REGIONS];
	struct spans writing[PROGRAM_REGIONS];
	struct on_one stream[PROGRAM_STREAMS];
	unsigned batch, posts;   /* as many as the device takes of both */
	unsigned salt;           /* of the next pattern */
	struct region shared;    /* words that all streams share, */
	struct history *history; /* and its result; NULL: none */
};

/* --- answers (answer.c) -------------------------------------------------- */

/* The payload of a segment, so that its FPDU is not larger than TCP can carry
 * at once (RFC 5044 s4.5); 0: as chosen by the language. */
size_t perform_segment(const struct performer *w, const struct on_one *s,
		       size_t wanted);
/* A message that waits for others is not held back. */
void perform_lets_go(struct test *t);
/* The peer answers the device's Requests: this one, or all that have come. */
void perform_answer(struct performer *w, struct on_one *s,
		    const struct frame *f);
void perform_answer_what_is_here(struct performer *w, struct on_one *s);

/* --- before the first step (connect.c) ------------------------------------ */

/* Stream i of the program. */
void perform_connect(struct performer *w, unsigned i);
/* The regions that its steps use. */
void perform_register(struct performer *w);

/* --- results that are due (settle.c, memory.c) ---------------------------- */

/* The device has processed everything that the peer has sent so far. */
void perform_fence(struct performer *w, struct on_one *s);
/* Everything due has arrived, and is correct. */
void perform_settle(struct performer *w, struct on_one *s);
/*
 * The device need not show its host what a Write has placed before it delivers
 * a message behind it (RFC 5040 s5.5): a Send of the peer, for which no buffer of
 * another is posted.
 */
void perform_show_writes(struct performer *w, struct on_one *s);
/* The stream ends: what was not shown need never be. */
void perform_show_or_open(struct performer *w, struct on_one *s);
/* The regions hold the octets that are due at the end. */
void perform_check_memory(struct performer *w);

/* --- steps ---------------------------------------------------------------- */

/*
 * The RFCs do not define in which order the octets of consecutive messages are
 * placed (RFC 5040 s5.5, appendix B), nor whether an atomic comes before the
 * placement of what follows it: messages that share octets are not on their way
 * at the same time; and a receive buffer is read only when it is complete.
 * Atomics of one stream are in order (apart.c).
 */
void perform_keep_apart(struct performer *w, struct on_one *on,
			const struct step *s);
/* The step at this place of the program, which is the peer's. */
void perform_peer_step(struct performer *w, struct on_one *on, unsigned at);
void perform_dut_step(struct performer *w, struct on_one *on,
		      const struct step *s);
void perform_end_step(struct performer *w, struct on_one *on,
		      const struct step *s);

/* --- words that streams share (sharing.c) ---------------------------------- */

/* First on one stream, that each operation does what it should: the result for
 * several streams depends on this. */
void perform_begin_sharing(struct performer *w);
/* The results on all streams have one order. */
void perform_end_sharing(struct performer *w);

#endif

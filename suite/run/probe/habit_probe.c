/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/run/probe/habit_probe.h"

#include "suite/language/case.h"
#include "suite/run/probe/probe.h"

struct opening {
	bool enhanced;
	bool *found;
	struct request_form *form;
};

struct error_probe {
	unsigned etype;
	bool *unspecified;
};

/*
 * The device as initiator, with a Write of its ULP to send. A message without
 * payload before it is the device's own. If its Requests ask for the peer-to-
 * peer model, this message was agreed on instead.
 */
static void probe_opening(struct test *t, const void *row)
{
	const struct opening *o = row;

	dut_dials(t, .enhanced = o->enhanced, .sees_opening = true);
	struct startup_seen request = dut_startup(t);

	if (!request.came || request.enhanced.a)
		return;
	peer_sends_startup(t,
			   REPLY(.enhanced = o->enhanced, .ird = 16, .ord = 1));
	full_operation(t);
	dut_posts(t, POST_WRITE_N("its own", 7, PEER_SINK_STAG, PEER_SINK_TO));
	const struct frame *f = next_frame(t);

	*o->found = f && is_empty_opening(f);
}

/* The form of its only Request, if the agent does not report it. */
static void probe_request(struct test *t, const void *row)
{
	const struct opening *o = row;

	dut_dials(t, .sees_opening = true);
	struct startup_seen request = dut_startup(t);

	if (!request.came)
		return;
	*o->form = (struct request_form){
		.known = true,
		.rev = request.frame.rev,
		.enhanced = request.has_enhanced,
		.rtr = !request.enhanced.a
			       ? 0
			       : (request.enhanced.b ? RTR_SEND : 0) |
					 (request.enhanced.c ? RTR_WRITE : 0) |
					 (request.enhanced.d ? RTR_READ : 0),
	};
}

static void run_probe(struct testbed *bed,
		      void (*run)(struct test *, const void *),
		      const struct opening *o)
{
	const struct case_desc desc = {
		.file = "suite/run/probe/habit_probe.c",
		.name = "probe",
		.title = "messages it sends without work",
		.run = run,
	};
	probe_briefly(bed, &desc, INITIATOR, o);
}

/* Whether an error of this type has code FF: for a Read that names no buffer,
 * or for an opcode that does not exist. */
static void probe_code(struct test *t, const void *row)
{
	const struct error_probe *p = row;

	dut_posts_recv(t, 64);
	connects(t, .crc = true);
	peer_sends(t, p->etype == 1
			      ? READ_FROM(stag_never_issued(t), 0x1000, 40)
			      : OPCODE(12, "probe", 5));
	const struct frame *f = the_terminate(t);

	if (!f)
		return;
	struct rdmap_terminate term = case_terminate_of(f);

	*p->unspecified = term.layer == TERM_RDMA && term.etype == p->etype &&
			  term.code == TERM_UNSPECIFIED;
}

/* Both have the code. If only one has it, it is a wrong code. */
static bool names_no_error(struct testbed *bed)
{
	static const struct case_desc desc = {
		.file = "suite/run/probe/habit_probe.c",
		.name = "probe",
		.title = "the codes of its RDMAP errors",
		.run = probe_code,
	};
	enum case_role role =
		bed->claims & NEED_RESPONDER ? RESPONDER : INITIATOR;
	bool all = true;

	for (unsigned etype = 1; all && etype <= 2; etype++) {
		bool unspecified = false;
		const struct error_probe p = {etype, &unspecified};

		probe_briefly(bed, &desc, role, &p);
		all = unspecified;
	}
	return all;
}

/* Whether its Reply leaves the IRD open although the ULP gave a number, or has
 * a lower IRD than requested. */
static void probe_reply(struct test *t, const void *row)
{
	struct habits *const *habits = row;
	unsigned n = dut_max_ird(t) < 4 ? dut_max_ird(t) : 4;

	dut_listens(t, .dut_ird = n ? n : ZERO_DEPTH);
	peer_opens_tcp(t);
	peer_sends_startup(t, REQUEST(.enhanced = true, .ird = 4, .ord = n));
	struct startup_seen reply = dut_startup(t);

	if (!reply.came || !reply.has_enhanced || reply.frame.flags & MPA_R)
		return;
	(*habits)->ird_open = reply.enhanced.ird == MPA_NOT_NEGOTIATED;
	(*habits)->ird_low = reply.enhanced.ird < n;
}

static void look_at_ird(struct testbed *bed)
{
	static const struct case_desc desc = {
		.file = "suite/run/probe/habit_probe.c",
		.name = "probe",
		.title = "the IRD of its Replies",
		.run = probe_reply,
	};
	struct habits *const seen = &bed->habits;

	probe_briefly(bed, &desc, RESPONDER, &seen);
}

/* No MULPDU is shorter: RFC 5044 s3. Over SCTP it is 516 octets at least. */
#define ULPDU_MIN 128
#define SEVERAL   4096 /* octets: more than a segment of that length takes */

/* Sees whether a segment that is not the last of the next message is shorter.
 * False: its end does not come. */
static bool sees_segments(struct test *t, bool *shorter)
{
	const struct frame *f;

	while ((f = next_frame(t)) && !f->seg.short_header && !f->seg.ddp.last)
		*shorter |= f->fpdu->ulpdu_length < ULPDU_MIN;
	return f && !f->seg.short_header;
}

/* On a path with room for longer ones, in a long message or in short ones: a
 * device may cut only some. */
static void probe_segments(struct test *t, const void *row)
{
	bool *const *shorter = row;

	connects(t, .mss = 1460);
	dut_posts(t, POST_WRITE_N(pattern(t, SEVERAL, 1), SEVERAL,
				  PEER_SINK_STAG, PEER_SINK_TO));
	bool comes = sees_segments(t, *shorter);

	for (unsigned i = 0; i < 4 && comes && !**shorter; i++) {
		dut_posts(t, i % 2 && dut_claims(t) & NEED_SEND
				     ? POST_SEND("check")
				     : POST_WRITE_N("check", 5, PEER_SINK_STAG,
						    PEER_SINK_TO));
		comes = sees_segments(t, *shorter);
	}
}

static bool makes_short_ulpdus(struct testbed *bed)
{
	static const struct case_desc desc = {
		.file = "suite/run/probe/habit_probe.c",
		.name = "probe",
		.title = "the lengths of its segments",
		.run = probe_segments,
	};
	bool shorter = false, *const seen = &shorter;

	probe_briefly(bed, &desc,
		      bed->claims & NEED_RESPONDER ? RESPONDER : INITIATOR,
		      &seen);
	return shorter;
}

static bool opens(struct testbed *bed, bool enhanced)
{
	bool found = false;
	const struct opening o = {.enhanced = enhanced, .found = &found};

	run_probe(bed, probe_opening, &o);
	return found;
}

static void find_request(struct testbed *bed)
{
	struct request_form form = {0};
	const struct opening o = {.form = &form};

	if (bed->hello.untold & AGENT_UNTOLD_STARTUP_FRAMES &&
	    !bed->device->request.known)
		run_probe(bed, probe_request, &o);
	bed->habits.request = form.known ? form : bed->device->request;
}

void habit_probe(struct testbed *bed, uint64_t needs)
{
	/* Already found out, without an agent. */
	struct request_form request = bed->habits.request;

	bed->habits = (struct habits){0};
	if (bed->claims & NEED_READ && bed->claims & NEED_SEND)
		bed->habits.unspecified = names_no_error(bed);
	if (device_is_alone(bed->device))
		bed->habits.ird_open = bed->ulp.ird_open;
	else if (bed->claims & NEED_RESPONDER && bed->claims & NEED_MPA_V2 &&
		 needs & (NEED_MPA_V2 | NEED_P2P))
		look_at_ird(bed);
	if (device_is_alone(bed->device)) {
		bed->habits.request = request;
		return;
	}
	if (bed->claims & NEED_WRITE)
		bed->habits.short_ulpdus = makes_short_ulpdus(bed);
	if (bed->claims & NEED_INITIATOR)
		find_request(bed);
	if (!(bed->claims & NEED_INITIATOR) || !(bed->claims & NEED_WRITE))
		return;
	bed->habits.opens_plain = opens(bed, false);
	if (bed->claims & needs & NEED_MPA_V2)
		bed->habits.opens_enhanced = opens(bed, true);
}

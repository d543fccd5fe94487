/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/audit/fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/wire/mpa.h"
#include "harness/wire/rdmap.h"

enum { INITIATOR, RESPONDER, EITHER };
enum frame_kind { FRAME_STARTUP, FRAME_FPDU, FRAME_TERMINATE };

/* A whole frame on its way. */
struct frame {
	uint8_t *octets;
	size_t n;
	enum frame_kind kind;
	unsigned long number; /* of an FPDU, from 1 */
	unsigned long after_ms;
	size_t cut; /* a second segment begins here; 0: none */
	bool dropped;
};

struct fault_kind {
	const char *name;
	const char *arg; /* the argument's meaning, and its default: */
	unsigned long usual, most;
	unsigned of; /* whose frame */
	enum frame_kind frame;
	/* False: this frame cannot have the fault. */
	bool (*apply)(struct frame *f, unsigned long arg);
};

/* --- the faults ------------------------------------------------------------------ */

static bool crc_bit(struct frame *f, unsigned long arg)
{
	(void)arg;
	f->octets[f->n - 1] ^= 1;
	return true;
}

/* Cut in the middle of the header, so that neither half is an FPDU. */
static bool cut(struct frame *f, unsigned long arg)
{
	(void)arg;
	f->cut = f->n < 16 ? f->n / 2 : 7;
	return true;
}

static bool withhold(struct frame *f, unsigned long arg)
{
	(void)arg;
	f->dropped = true;
	return true;
}

static bool delay(struct frame *f, unsigned long arg)
{
	f->after_ms = arg;
	return true;
}

/* The first octet of the ULP's data. */
static bool private_data(struct frame *f, unsigned long arg)
{
	struct mpa_startup s;
	size_t at = MPA_HEADER_OCTETS;

	mpa_startup_decode(&s, f->octets, f->n);
	at += s.flags & MPA_S && s.rev >= 2 ? 4 : 0;
	at += arg;
	if (at >= f->n)
		return false;
	f->octets[at] ^= 1;
	return true;
}

static const struct fault_kind kinds[] = {
	{"crc-bit", "FPDU of the initiator", 1, 1000000, INITIATOR, FRAME_FPDU,
	 crc_bit},
	{"crc-bit-back", "FPDU of the responder", 1, 1000000, RESPONDER,
	 FRAME_FPDU, crc_bit},
	{"cut-fpdu", "FPDU of the initiator", 1, 1000000, INITIATOR, FRAME_FPDU,
	 cut},
	{"withhold-terminate", "", 0, 0, EITHER, FRAME_TERMINATE, withhold},
	{"late-request", "milliseconds", 1000, 600000, INITIATOR, FRAME_STARTUP,
	 delay},
	{"late-reply", "milliseconds", 1000, 600000, RESPONDER, FRAME_STARTUP,
	 delay},
	{"private-data", "octet of the ULP in the Request", 0, 511, INITIATOR,
	 FRAME_STARTUP, private_data},
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

bool fault_parse(struct fault *f, const char *text, char *why, size_t cap)
{
	size_t n = strcspn(text, ":");
	char *end = "";

	for (size_t i = 0; i < KINDS; i++) {
		const struct fault_kind *k = &kinds[i];

		if (strlen(k->name) != n || strncmp(k->name, text, n) != 0)
			continue;
		*f = (struct fault){k, k->usual};
		if (text[n])
			f->arg = strtoul(text + n + 1, &end, 10);
		if (!*end && f->arg <= k->most && (!text[n] || text[n + 1]))
			return true;
		snprintf(why, cap, "--fault %s: expected 0 to %lu%s%s", text,
			 k->most, *k->arg ? ": " : "", k->arg);
		return false;
	}
	n = (size_t)snprintf(why, cap,
			     "--fault %.40s: no such fault; there are", text);
	for (size_t i = 0; i < KINDS && n < cap; i++)
		n += (size_t)snprintf(why + n, cap - n, "%s %s",
				      !i              ? ""
				      : i + 1 < KINDS ? ","
						      : " and",
				      kinds[i].name);
	return false;
}

/* --- frames ------------------------------------------------------------------------ */

/* The length of the first held frame; 0: it is not complete. */
static size_t whole(struct faulty *f, unsigned from, struct fpdu *fpdu)
{
	static uint8_t room[65536];
	const struct octets *o = &f->from[from];
	size_t used;

	if (!f->startup[from]) {
		used = mpa_startup_octets(o->held, o->n);
		return o->n >= MPA_HEADER_OCTETS && used <= o->n ? used : 0;
	}
	return fpdu_decode(fpdu, o->held, o->n, f->markers[from],
			   f->offset[from], room, sizeof(room),
			   &used) == FPDU_OK
		       ? used
		       : 0;
}

static void name_fpdu(const struct fpdu *fpdu, struct frame *frame, char *name)
{
	struct ddp_segment seg;
	struct rdmap_terminate t;

	ddp_decode(&seg, fpdu->ulpdu, fpdu->ulpdu_length);
	snprintf(name, FAULT_STEP, "%s",
		 seg.short_header ? "an FPDU"
				  : rdmap_opcode_name(seg.ddp.opcode));
	if (seg.short_header || seg.ddp.tagged ||
	    seg.ddp.opcode != RDMAP_TERMINATE)
		return;
	frame->kind = FRAME_TERMINATE;
	if (rdmap_terminate_decode(&t, seg.payload, seg.payload_octets))
		snprintf(name, FAULT_STEP, "Terminate %x/%x/%02x", t.layer,
			 t.etype, t.code);
}

static void name_startup(struct faulty *f, unsigned from,
			 const struct frame *frame, char *name)
{
	struct mpa_startup s;

	mpa_startup_decode(&s, frame->octets, frame->n);
	/* This frame asks the other end for markers. */
	f->markers[!from] = s.flags & MPA_M;
	f->startup[from] = true;
	snprintf(name, FAULT_STEP, "%s%s",
		 mpa_kind(&s) == MPA_KIND_REQUEST ? "MPA Request"
		 : mpa_kind(&s) == MPA_KIND_REPLY ? "MPA Reply"
						  : "a startup frame",
		 s.flags & MPA_R ? " that rejects" : "");
}

static bool is_meant(const struct faulty *f, unsigned from,
		     const struct frame *frame)
{
	const struct fault_kind *k = f->fault->kind;

	if (!k || f->done || (k->of != EITHER && k->of != from))
		return false;
	if (k->frame == FRAME_FPDU)
		return frame->kind != FRAME_STARTUP &&
		       frame->number == f->fault->arg;
	return k->frame == frame->kind;
}

static void step(struct fault_steps *s, const char *name)
{
	if (s->n < FAULT_STEPS)
		snprintf(s->step[s->n], FAULT_STEP, "%s", name);
	s->n++;
}

static void pass_frame(struct faulty *f, unsigned from, struct frame *frame,
		       const char *name, fault_pass *pass, void *user)
{
	if (f->done)
		step(&f->then[from], name);
	if (is_meant(f, from, frame) &&
	    f->fault->kind->apply(frame, f->fault->arg)) {
		f->done = true;
		f->of = from;
		snprintf(f->what, sizeof(f->what), "%s", name);
	}
	if (frame->dropped)
		return;
	if (frame->cut)
		pass(user, from, frame->octets, frame->cut, 0);
	pass(user, from, frame->octets + frame->cut, frame->n - frame->cut,
	     frame->after_ms);
}

bool faulty_octets(struct faulty *f, unsigned from, const uint8_t *octets,
		   size_t n, fault_pass *pass, void *user)
{
	struct octets *o = &f->from[from];
	struct fpdu fpdu;
	size_t used;

	if (!f->fault->kind || f->through[from]) {
		pass(user, from, octets, n, 0);
		return true;
	}
	if (!octets_hold(o, octets, n))
		return false;
	while (o->n && (used = whole(f, from, &fpdu))) {
		struct frame frame = {.octets = o->held, .n = used};
		char name[FAULT_STEP];

		if (f->startup[from]) {
			frame.kind = FRAME_FPDU;
			frame.number = ++f->fpdus[from];
			name_fpdu(&fpdu, &frame, name);
			f->offset[from] += (uint32_t)used;
		} else {
			name_startup(f, from, &frame, name);
		}
		pass_frame(f, from, &frame, name, pass, user);
		octets_drop(o, used);
	}
	/* No FPDU is longer: this is something else. */
	if (o->n > FPDU_OCTETS_MAX) {
		f->through[from] = true;
		pass(user, from, o->held, o->n, 0);
		octets_drop(o, o->n);
	}
	return true;
}

void faulty_end(struct faulty *f, unsigned from, bool reset, fault_pass *pass,
		void *user)
{
	struct octets *o = &f->from[from];

	if (f->done && !f->then[from].end)
		f->then[from].end = reset ? "RST" : "FIN";
	if (o->n)
		pass(user, from, o->held, o->n, 0);
	octets_drop(o, o->n);
}

void faulty_free(struct faulty *f)
{
	octets_free(&f->from[0]);
	octets_free(&f->from[1]);
}

/* --- in words ------------------------------------------------------------------------ */

static size_t put_steps(const struct fault_steps *s, char *line, size_t cap)
{
	size_t n = 0;

	for (unsigned i = 0; i < s->n && i < FAULT_STEPS && n < cap; i++)
		n += (size_t)snprintf(line + n, cap - n, "%s%s", i ? ", " : "",
				      s->step[i]);
	if (s->n > FAULT_STEPS && n < cap)
		n += (size_t)snprintf(line + n, cap - n, ", %u more",
				      s->n - FAULT_STEPS);
	if (n < cap)
		n += (size_t)snprintf(line + n, cap - n, "%s%s",
				      s->n && s->end ? ", " : "",
				      s->end ? s->end
				      : s->n ? ""
					     : "nothing");
	return n;
}

void faulty_line(const struct faulty *f, char *line, size_t cap)
{
	static const char *const sides[] = {"initiator", "responder"};
	size_t n;

	if (!f->done) {
		snprintf(line, cap, "%s: no frame arrived that it could change",
			 f->fault->kind->name);
		return;
	}
	n = (size_t)snprintf(line, cap, "%s, %s of the %s",
			     f->fault->kind->name, f->what, sides[f->of]);
	for (unsigned i = 0; i < 2 && n < cap; i++) {
		n += (size_t)snprintf(line + n, cap - n,
				      "; then from the %s: ", sides[i]);
		if (n < cap)
			n += put_steps(&f->then[i], line + n, cap - n);
	}
}

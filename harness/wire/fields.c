/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/wire/fields.h"

#include <string.h>

#include "harness/wire/fpdu.h"
#include "harness/wire/mpa.h"
#include "harness/wire/rdmap.h"
#include "harness/wire/session.h"
#include "harness/wire/terminate_names.h"

#define OF_DDP    "RFC 5041 s4.1"
#define OF_RDMAP  "RFC 5040 s4.1"
#define OF_READ   "RFC 5040 s4.4"
#define OF_TERM   "RFC 5040 s4.8"
#define OF_ATOMIC "RFC 7306 s5.2.1"
#define OF_ANSWER "RFC 7306 s5.2.2"
#define OF_FRAME  "RFC 5044 s7.1.1"

/* --- octets, without the markers between them -------------------------- */

struct walk {
	const uint8_t *octets;
	size_t at, n;
	size_t left; /* before the ULPDU's end, or SIZE_MAX */
	const unsigned short *markers;
	size_t marker_count;
	size_t next;   /* marker */
	size_t told;   /* markers that are fields already, */
	size_t behind; /* up to here */
	bool leading;
	struct field *list;
	size_t count, cap;
};

/* Consecutive octets, except for markers. */
struct piece {
	size_t at, span, octets, wanted;
	uint64_t value; /* of the first eight */
};

static void add(struct walk *w, const struct field *f)
{
	if (w->count < w->cap)
		w->list[w->count++] = *f;
}

static uint64_t value_at(const uint8_t *octets, size_t n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n && i < 8; i++)
		v = v << 8 | octets[i];
	return v;
}

/* RFC 5044 s4.3: FPDUPTR counts from ULPDU_Length, after a leading marker. */
static void tell_marker(struct walk *w, size_t at)
{
	size_t there = w->n - at < 4 ? w->n - at : 4;
	uint64_t value = value_at(w->octets + at, there);
	uint64_t due = at - (at && w->leading ? FPDU_MARKER_OCTETS : 0);
	struct field f = {
		.name = "marker: reserved",
		.section = "RFC 5044 s4.3",
		.means = "",
		.part = FIELD_OF_MPA,
		.form = FIELD_HEX,
		.at = at,
		.span = there < 4 ? there : 2,
		.octets = there < 4 ? there : 2,
		.cut = there < 4,
	};

	f.value = there < 4 ? 0 : value >> 16;
	add(w, &f);
	if (there < 4)
		return;
	f.name = "marker: FPDUPTR";
	f.means = value & 0xffff ? "" : "the FPDU begins after it";
	f.form = FIELD_NUMBER;
	f.at = at + 2;
	f.value = value & 0xffff;
	f.is_wrong = f.value != (due & 0xffff);
	f.due = due & 0xffff;
	add(w, &f);
}

/* Those that were passed since the last field. */
static void tell_markers(struct walk *w)
{
	for (; w->told < w->next; w->told++) {
		size_t at = w->markers[w->told];

		if (at < w->behind)
			continue;
		tell_marker(w, at);
		w->behind = at + FPDU_MARKER_OCTETS;
	}
}

/* After a marker at this place. */
static bool pass_marker(struct walk *w)
{
	/* Such as cannot be: in another one. */
	while (w->next < w->marker_count && w->markers[w->next] < w->at)
		w->next++;
	if (w->next == w->marker_count || w->markers[w->next] != w->at ||
	    w->at == w->n)
		return false;
	w->next++;
	w->at = w->n - w->at < 4 ? w->n : w->at + 4;
	return true;
}

static struct piece take(struct walk *w, size_t wanted)
{
	tell_markers(w);
	while (wanted && pass_marker(w))
		tell_markers(w);
	struct piece p = {.at = w->at, .wanted = wanted};

	if (wanted > w->left)
		wanted = w->left;
	while (p.octets < wanted && w->at < w->n) {
		size_t run = wanted - p.octets;
		size_t end = w->n;

		if (pass_marker(w))
			continue;
		if (w->next < w->marker_count && w->markers[w->next] < end)
			end = w->markers[w->next];
		if (run > end - w->at)
			run = end - w->at;
		for (size_t i = 0; i < run && p.octets + i < 8; i++)
			p.value = p.value << 8 | w->octets[w->at + i];
		w->at += run;
		p.octets += run;
		p.span = w->at - p.at;
	}
	if (w->left != SIZE_MAX)
		w->left -= p.octets;
	return p;
}

/* --- fields ------------------------------------------------------------- */

static struct field field_of(const struct piece *p, enum field_part part,
			     enum field_form form, const char *name,
			     const char *section)
{
	return (struct field){
		.name = name,
		.section = section,
		.means = "",
		.part = part,
		.form = form,
		.at = p->at,
		.span = p->span,
		.octets = p->octets,
		.value = p->octets <= 8 ? p->value : 0,
		.cut = p->octets < p->wanted,
	};
}

/* Reported if one of its octets is present. Returns its value, 0 if it is
 * cut. */
static uint64_t tell(struct walk *w, size_t octets, enum field_part part,
		     enum field_form form, const char *name,
		     const char *section)
{
	struct piece p = take(w, octets);
	struct field f = field_of(&p, part, form, name, section);

	if (p.octets)
		add(w, &f);
	return f.cut ? 0 : f.value;
}

static uint64_t bits_of(const struct piece *p, unsigned first, unsigned n)
{
	return p->value >> (8 * p->octets - first - n) &
	       ((UINT64_C(1) << n) - 1);
}

static void tell_bits(struct walk *w, const struct piece *p, unsigned first,
		      unsigned n, enum field_part part, const char *name,
		      const char *section, const char *means)
{
	struct field f = field_of(p, part, FIELD_NUMBER, name, section);

	f.first_bit = first;
	f.bits = n;
	f.value = bits_of(p, first, n);
	f.means = means ? means : "";
	/* Of the octets that contain it. */
	if (f.span == f.octets) {
		f.at += first / 8;
		f.first_bit = first % 8;
		f.octets = f.span = (f.first_bit + n + 7) / 8;
	}
	add(w, &f);
}

/* A field with parts of which not all octets are there. */
static bool is_cut(struct walk *w, const struct piece *p, enum field_part part,
		   const char *name, const char *section)
{
	struct field f = field_of(p, part, FIELD_OCTETS, name, section);

	if (p->octets && f.cut)
		add(w, &f);
	return f.cut;
}

/* All that is left. */
static void tell_rest(struct walk *w, enum field_part part, const char *name,
		      const char *section)
{
	bool all = w->left == SIZE_MAX;
	struct piece p = take(w, all ? w->n - w->at : w->left);
	struct field f = field_of(&p, part, FIELD_OCTETS, name, section);

	/* The remaining octets include markers. */
	f.cut = f.cut && !all;
	if (p.octets)
		add(w, &f);
}

struct row {
	const char *name;
	unsigned char octets;
	enum field_form form;
};

static void tell_rows(struct walk *w, const struct row *row, size_t n,
		      enum field_part part, const char *section)
{
	for (size_t i = 0; i < n; i++)
		tell(w, row[i].octets, part, row[i].form, row[i].name, section);
}

#define ROWS(rows) rows, sizeof(rows) / sizeof((rows)[0])

/* --- RDMAP (RFC 5040 s4, RFC 7306 s5 and s6) ----------------------------- */

static void tell_read_request(struct walk *w, enum field_part part)
{
	static const struct row rows[] = {
		{"Data Sink STag", 4, FIELD_HEX},
		{"Data Sink Tagged Offset", 8, FIELD_HEX},
		{"RDMA Read Message Size", 4, FIELD_NUMBER},
		{"Data Source STag", 4, FIELD_HEX},
		{"Data Source Tagged Offset", 8, FIELD_HEX},
	};

	tell_rows(w, ROWS(rows), part, OF_READ);
}

static void tell_atomic_request(struct walk *w)
{
	static const char *const names[] = {"FetchAdd", "Swap", "CmpSwap"};
	static const struct row rows[] = {
		{"Request Identifier", 4, FIELD_HEX},
		{"Remote STag", 4, FIELD_HEX},
		{"Remote Tagged Offset", 8, FIELD_HEX},
		{"Add or Swap Data", 8, FIELD_HEX},
		{"Add or Swap Mask", 8, FIELD_HEX},
		{"Compare Data", 8, FIELD_HEX},
		{"Compare Mask", 8, FIELD_HEX},
	};
	struct piece p = take(w, 4);

	if (is_cut(w, &p, FIELD_OF_RDMAP, "AOpCode", OF_ATOMIC))
		return;
	uint64_t aopcode = bits_of(&p, 28, 4);

	tell_bits(w, &p, 0, 28, FIELD_OF_RDMAP, "Reserved", OF_ATOMIC, NULL);
	tell_bits(w, &p, 28, 4, FIELD_OF_RDMAP, "AOpCode", OF_ATOMIC,
		  aopcode < 3 ? names[aopcode] : "not assigned");
	tell_rows(w, ROWS(rows), FIELD_OF_RDMAP, OF_ATOMIC);
}

static void tell_atomic_response(struct walk *w)
{
	static const struct row rows[] = {
		{"Original Request Identifier", 4, FIELD_HEX},
		{"Original Remote Data Value", 8, FIELD_HEX},
	};

	tell_rows(w, ROWS(rows), FIELD_OF_RDMAP, OF_ANSWER);
}

static bool tell_ddp_header(struct walk *w, struct ddp *d, bool returned);

static void tell_terminate(struct walk *w)
{
	struct piece p = take(w, 4);

	if (is_cut(w, &p, FIELD_OF_RDMAP, "Terminate Control", OF_TERM))
		return;
	unsigned layer = (unsigned)bits_of(&p, 0, 4);
	unsigned etype = (unsigned)bits_of(&p, 4, 4);
	unsigned code = (unsigned)bits_of(&p, 8, 8);
	bool m = bits_of(&p, 16, 1), d = bits_of(&p, 17, 1);
	bool r = bits_of(&p, 18, 1);
	struct terminate_names names = terminate_names(layer, etype, code);
	struct ddp header;

	tell_bits(w, &p, 0, 4, FIELD_OF_RDMAP, "Layer", OF_TERM,
		  names.layer ? names.layer : "not registered");
	tell_bits(w, &p, 4, 4, FIELD_OF_RDMAP, "Error Type", OF_TERM,
		  names.etype ? names.etype : "not registered");
	tell_bits(w, &p, 8, 8, FIELD_OF_RDMAP, "Error Code", OF_TERM,
		  names.code ? names.code : "not registered");
	tell_bits(w, &p, 16, 1, FIELD_OF_RDMAP, "M", OF_TERM,
		  m ? "the DDP Segment Length is valid" : "");
	tell_bits(w, &p, 17, 1, FIELD_OF_RDMAP, "D", OF_TERM,
		  d ? "the DDP header is returned" : "");
	tell_bits(w, &p, 18, 1, FIELD_OF_RDMAP, "R", OF_TERM,
		  r ? "the RDMA header is returned" : "");
	tell_bits(w, &p, 19, 13, FIELD_OF_RDMAP, "Reserved", OF_TERM, NULL);
	if (m || d)
		tell(w, 2, FIELD_OF_RDMAP, FIELD_NUMBER, "DDP Segment Length",
		     OF_TERM);
	if (d && w->left)
		tell_ddp_header(w, &header, true);
	if (r && w->left)
		tell_read_request(w, FIELD_OF_RDMA_RETURNED);
}

/* --- DDP (RFC 5041 s4) ---------------------------------------------------- */

static void tell_tagged(struct walk *w, struct ddp *d, enum field_part part)
{
	d->stag =
		(uint32_t)tell(w, 4, part, FIELD_HEX, "STag", "RFC 5041 s4.2");
	d->to = tell(w, 8, part, FIELD_HEX, "TO", "RFC 5041 s4.2");
}

static void tell_untagged(struct walk *w, struct ddp *d, enum field_part part)
{
	static const char section[] = "RFC 5041 s4.3";

	d->inval_stag = (uint32_t)tell(w, 4, part, FIELD_HEX, "Invalidate STag",
				       OF_RDMAP);
	d->qn = (uint32_t)tell(w, 4, part, FIELD_NUMBER, "QN", section);
	d->msn = (uint32_t)tell(w, 4, part, FIELD_NUMBER, "MSN", section);
	d->mo = (uint32_t)tell(w, 4, part, FIELD_NUMBER, "MO", section);
}

/* False: it is not all there. */
static bool tell_ddp_header(struct walk *w, struct ddp *d, bool returned)
{
	enum field_part part = returned ? FIELD_OF_DDP_RETURNED : FIELD_OF_DDP;
	struct piece p = take(w, 1);

	*d = (struct ddp){0};
	if (is_cut(w, &p, part, "DDP Control", OF_DDP))
		return false;
	d->tagged = bits_of(&p, 0, 1);
	d->last = bits_of(&p, 1, 1);
	tell_bits(w, &p, 0, 1, part, "T", OF_DDP,
		  d->tagged ? "tagged" : "untagged");
	tell_bits(w, &p, 1, 1, part, "L", OF_DDP,
		  d->last ? "the last of its message"
			  : "more of its message follows");
	tell_bits(w, &p, 2, 4, part, "Rsvd", OF_DDP, NULL);
	tell_bits(w, &p, 6, 2, part, "DV", OF_DDP, NULL);
	p = take(w, 1);
	if (is_cut(w, &p, part, "RDMAP Control", OF_RDMAP))
		return false;
	d->opcode = (uint8_t)bits_of(&p, 4, 4);
	if (!returned)
		part = FIELD_OF_RDMAP;
	tell_bits(w, &p, 0, 2, part, "RV", OF_RDMAP, NULL);
	tell_bits(w, &p, 2, 2, part, "Rsv", OF_RDMAP, NULL);
	tell_bits(w, &p, 4, 4, part, "Opcode", OF_RDMAP,
		  rdmap_opcode_name(d->opcode));
	if (!returned)
		part = FIELD_OF_DDP;
	if (d->tagged)
		tell_tagged(w, d, part);
	else
		tell_untagged(w, d, part);
	return w->at < w->n || !w->left;
}

/* The contents of a DDP segment; the first segment has a header. */
static void tell_message(struct walk *w, const struct ddp *d)
{
	const char *rest = "octets after it", *section = "";
	enum field_part part = FIELD_OF_NOBODY;

	if (d->tagged || d->mo || d->opcode <= RDMAP_WRITE ||
	    d->opcode == RDMAP_READ_RESPONSE ||
	    d->opcode > RDMAP_ATOMIC_RESPONSE ||
	    (d->opcode >= RDMAP_SEND && d->opcode <= RDMAP_SEND_SE_INV)) {
		rest = "payload";
		part = FIELD_OF_ULP;
		section = d->tagged ? "RFC 5041 s4.2" : "RFC 5041 s4.3";
	} else if (d->opcode == RDMAP_READ_REQUEST) {
		tell_read_request(w, FIELD_OF_RDMAP);
	} else if (d->opcode == RDMAP_TERMINATE) {
		tell_terminate(w);
	} else if (d->opcode == RDMAP_ATOMIC_REQUEST) {
		tell_atomic_request(w);
	} else if (d->opcode == RDMAP_ATOMIC_RESPONSE) {
		tell_atomic_response(w);
	} else {
		tell(w, RDMAP_IMM_OCTETS, FIELD_OF_ULP, FIELD_HEX,
		     "Immediate Data", "RFC 7306 s6.2");
	}
	tell_rest(w, part, rest, section);
}

/* --- MPA (RFC 5044, RFC 6581) --------------------------------------------- */

static void tell_crc(struct walk *w, const struct fields_framing *how)
{
	struct piece p = take(w, FPDU_CRC_OCTETS);
	struct field f =
		field_of(&p, FIELD_OF_MPA, FIELD_HEX, "CRC", "RFC 5044 s4.4");

	if (!p.octets)
		return;
	if (how->crc_off) {
		f.means = "not in use";
	} else if (how->crc && !f.cut) {
		uint32_t crc = how->crc(w->octets, p.at);

		/* Its least significant octet goes first. */
		for (unsigned i = 0; i < 4; i++)
			f.due = f.due << 8 | (crc >> (8 * i) & 0xff);
		f.is_wrong = f.value != f.due;
		f.means = f.is_wrong ? "does not match" : "matches";
	}
	add(w, &f);
}

size_t fields_of_fpdu(struct field *list, size_t cap, const uint8_t *octets,
		      size_t n, const struct fields_framing *how)
{
	struct walk w = {
		.octets = octets,
		.n = n,
		.left = SIZE_MAX,
		.markers = how->markers,
		.marker_count = how->marker_count,
		.leading = how->marker_count && how->markers[0] == 0,
		.list = list,
		.cap = cap,
	};
	struct ddp d;
	size_t length = (size_t)tell(&w, 2, FIELD_OF_MPA, FIELD_NUMBER,
				     "ULPDU_Length", "RFC 5044 s4.1");

	if (w.at < w.n) {
		w.left = length;
		if (tell_ddp_header(&w, &d, false))
			tell_message(&w, &d);
		tell_rest(&w, FIELD_OF_NOBODY, "octets", "");
		w.left = SIZE_MAX;
		if (fpdu_pad((uint16_t)length))
			tell(&w, fpdu_pad((uint16_t)length), FIELD_OF_MPA,
			     FIELD_HEX, "PAD", "RFC 5044 s4.1");
		tell_crc(&w, how);
		tell_rest(&w, FIELD_OF_NOBODY, "octets after it", "");
	}
	tell_markers(&w);
	return w.count;
}

static void tell_depth(struct walk *w, const char *const names[3],
		       const char *const means[2])
{
	struct piece p = take(w, 2);

	if (is_cut(w, &p, FIELD_OF_MPA, names[2], "RFC 6581 s9.1"))
		return;
	for (unsigned i = 0; i < 2; i++)
		tell_bits(w, &p, i, 1, FIELD_OF_MPA, names[i], "RFC 6581 s9.2",
			  bits_of(&p, i, 1) ? means[i] : "");
	tell_bits(w, &p, 2, 14, FIELD_OF_MPA, names[2], "RFC 6581 s9.1",
		  bits_of(&p, 2, 14) == MPA_NOT_NEGOTIATED ? "not negotiated"
							   : "");
}

/* The first octets of the private data, if S is set (RFC 6581 s9). */
static void tell_enhanced(struct walk *w)
{
	static const char *const first[] = {"A", "B", "IRD"};
	static const char *const second[] = {"C", "D", "ORD"};
	static const char *const ab[] = {"the peer-to-peer model",
					 "RTR: a zero-length Send"};
	static const char *const cd[] = {"RTR: a zero-length RDMA Write",
					 "RTR: a zero-length RDMA Read"};

	tell_depth(w, first, ab);
	if (w->left)
		tell_depth(w, second, cd);
}

size_t fields_of_startup(struct field *list, size_t cap, const uint8_t *octets,
			 size_t n)
{
	static const char enhanced[] = "enhanced data follows";
	struct walk w = {.octets = octets,
			 .n = n,
			 .left = SIZE_MAX,
			 .list = list,
			 .cap = cap};
	struct piece p = take(&w, MPA_KEY_OCTETS);
	struct field key =
		field_of(&p, FIELD_OF_MPA, FIELD_OCTETS, "Key", OF_FRAME);
	struct mpa_startup f;

	if (mpa_startup_decode(&f, octets, n))
		key.means = mpa_kind(&f) == MPA_KIND_REQUEST ? "a Request"
			    : mpa_kind(&f) == MPA_KIND_REPLY ? "a Reply"
							     : "neither key";
	if (p.octets)
		add(&w, &key);
	if (key.cut)
		return w.count;
	p = take(&w, 1);
	if (!p.octets)
		return w.count;
	tell_bits(&w, &p, 0, 1, FIELD_OF_MPA, "M", OF_FRAME,
		  bits_of(&p, 0, 1) ? "markers wanted" : "no markers wanted");
	tell_bits(&w, &p, 1, 1, FIELD_OF_MPA, "C", OF_FRAME,
		  bits_of(&p, 1, 1) ? "CRCs wanted" : "no CRCs wanted");
	tell_bits(&w, &p, 2, 1, FIELD_OF_MPA, "R", OF_FRAME,
		  bits_of(&p, 2, 1) ? "rejected" : "");
	tell_bits(&w, &p, 3, 1, FIELD_OF_MPA, "S", "RFC 6581 s6",
		  bits_of(&p, 3, 1) ? enhanced : "");
	tell_bits(&w, &p, 4, 4, FIELD_OF_MPA, "Res", OF_FRAME, NULL);
	bool s = bits_of(&p, 3, 1);

	tell(&w, 1, FIELD_OF_MPA, FIELD_NUMBER, "Rev", OF_FRAME);
	w.left = n > 17 ? 2 : 0;
	size_t length = (size_t)tell(&w, 2, FIELD_OF_MPA, FIELD_NUMBER,
				     "PD_Length", OF_FRAME);

	if (w.at < n) {
		w.left = length;
		if (s && length)
			tell_enhanced(&w);
		tell_rest(&w, FIELD_OF_ULP, "private data", OF_FRAME);
		w.left = SIZE_MAX;
		tell_rest(&w, FIELD_OF_NOBODY, "octets after it", "");
	}
	return w.count;
}

/* --- DDP over SCTP (RFC 5043 s5, RFC 6581 s7) -------------------------------- */

static void tell_control(struct walk *w)
{
	struct piece p = take(w, 2);
	struct field f = field_of(&p, FIELD_OF_SCTP, FIELD_NUMBER,
				  "Function Code", "RFC 5043 s5.2.3");
	const char *name = session_function_name((uint16_t)f.value);

	if (!p.octets)
		return;
	if (!f.cut)
		f.means = name ? name : "not registered";
	add(w, &f);
	if (f.cut)
		return;
	w->left = w->n - w->at;
	if (w->left && (f.value == SESSION_ENHANCED_INITIATE ||
			f.value == SESSION_ENHANCED_ACCEPT))
		tell_enhanced(w);
	tell_rest(w, FIELD_OF_ULP, "private data", "RFC 5043 s5.2.3");
}

size_t fields_of_chunk(struct field *list, size_t cap, const uint8_t *octets,
		       size_t n, uint32_t ppid)
{
	struct walk w = {.octets = octets,
			 .n = n,
			 .left = SIZE_MAX,
			 .list = list,
			 .cap = cap};
	struct ddp d;

	if (ppid != SESSION_PPID_SEGMENT && ppid != SESSION_PPID_CONTROL) {
		tell_rest(&w, FIELD_OF_NOBODY, "octets", "");
		return w.count;
	}
	tell(&w, SESSION_SSN_OCTETS, FIELD_OF_SCTP, FIELD_NUMBER, "DDP-SSN",
	     "RFC 5043 s5.2.1");
	if (w.at == n)
		return w.count;
	if (ppid == SESSION_PPID_CONTROL) {
		tell_control(&w);
		return w.count;
	}
	w.left = n - w.at;
	if (tell_ddp_header(&w, &d, false))
		tell_message(&w, &d);
	tell_rest(&w, FIELD_OF_NOBODY, "octets", "");
	return w.count;
}

/* --- words ----------------------------------------------------------------- */

const char *field_part_name(enum field_part part)
{
	static const char *const names[] = {
		[FIELD_OF_MPA] = "MPA",
		[FIELD_OF_SCTP] = "SCTP",
		[FIELD_OF_DDP] = "DDP",
		[FIELD_OF_RDMAP] = "RDMAP",
		[FIELD_OF_DDP_RETURNED] = "the DDP header returned",
		[FIELD_OF_RDMA_RETURNED] = "the RDMA header returned",
		[FIELD_OF_ULP] = "ULP",
		[FIELD_OF_NOBODY] = "",
	};

	return names[part];
}

/* Digits of v to this base, at least so many; returns the end of them. */
static char *put_digits(char *to, uint64_t v, unsigned base, unsigned least)
{
	char digits[24];
	unsigned n = 0;

	for (; v || n < least; v /= base)
		digits[n++] = "0123456789abcdef"[v % base];
	while (n)
		*to++ = digits[--n];
	return to;
}

void field_value_text(const struct field *f, char text[FIELD_TEXT])
{
	char *to = text;

	if (f->form == FIELD_OCTETS || f->cut) {
		to = put_digits(to, f->octets, 10, 1);
		memcpy(to, f->octets == 1 ? " octet" : " octets", 7);
		to += f->octets == 1 ? 6 : 7;
	} else if (f->form == FIELD_HEX) {
		memcpy(to, "0x", 2);
		to = put_digits(to + 2, f->value, 16, (unsigned)f->octets * 2);
	} else {
		to = put_digits(to, f->value, 10, 1);
	}
	*to = '\0';
}

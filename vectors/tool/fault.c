/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "harness/crc/crc.h"
#include "vectors/tool/fault.h"

struct found {
	struct vec_faults *faults;
	const char *prefix;
};

static void fault_if(const struct found *to, bool wrong, const char *name)
{
	if (!wrong)
		return;
	assert(to->faults->n < VEC_FAULTS_MAX);
	snprintf(to->faults->name[to->faults->n++], 32, "%s%s", to->prefix,
		 name);
}

/* ---- startup: RFC 5044 s7.1.1, RFC 6581 s6 and s9 --------------------- */

static void enhanced_flag_faults(const struct found *to,
				 const struct mpa_enhanced *e, bool request)
{
	bool rtr = e->b || e->c || e->d;

	fault_if(to, !e->a && rtr, "enhanced-flags");
	/* RFC 6581 s9.2 does not require at least one from the initiator. */
	fault_if(to, e->a && !rtr && !request, "enhanced-no-rtr");
}

static void enhanced_faults(const struct found *to, const struct mpa_startup *s,
			    bool request)
{
	struct mpa_enhanced e;

	fault_if(to, s->rev < 2, "enhanced-rev");
	if (!vec_enhanced(s, &e)) {
		/* A rejecting Reply need not bear the data. */
		fault_if(to, true, "enhanced-short");
		return;
	}
	enhanced_flag_faults(to, &e, request);
}

void vec_startup_faults(struct vec_faults *faults, const struct mpa_startup *s,
			bool request)
{
	const struct found to = {faults, ""};

	fault_if(&to,
		 mpa_kind(s) != (request ? MPA_KIND_REQUEST : MPA_KIND_REPLY),
		 "key");
	fault_if(&to, s->flags & MPA_RESERVED, "reserved-bits");
	fault_if(&to, request && (s->flags & MPA_R), "reject-in-request");
	fault_if(&to, s->rev == 0, "rev-0");
	fault_if(&to, s->pd_length > MPA_PRIVATE_MAX, "pd-too-long");
	fault_if(&to, s->pd_length != s->private_octets, "pd-length");
	if (s->flags & MPA_S)
		enhanced_faults(&to, s, request);
}

/* ---- RDMAP headers ---------------------------------------------------- */

/* All of RFC 6580 s3.1 to s3.3 and RFC 6581 s8. */
static const struct {
	uint8_t layer, etype;
	int first, last;
} registered[] = {
	{0, 0, 0x00, 0xff}, {0, 1, 0x00, 0x04}, {0, 1, 0x09, 0x09},
	{0, 1, 0xff, 0xff}, {0, 2, 0x05, 0x09}, {0, 2, 0xff, 0xff},
	{1, 0, 0x00, 0x00}, {1, 1, 0x00, 0x04}, {1, 2, 0x01, 0x06},
	{1, 3, 0x00, 0xff}, {2, 0, 0x01, 0x07},
};

bool vec_term_registered(uint8_t layer, uint8_t etype, uint8_t code)
{
	for (size_t i = 0; i < sizeof(registered) / sizeof(registered[0]); i++)
		if (registered[i].layer == layer &&
		    registered[i].etype == etype &&
		    code >= registered[i].first && code <= registered[i].last)
			return true;
	return false;
}

/* Does the returned DDP header belong to a Read Request? */
static bool returns_read_request(const struct rdmap_terminate *t)
{
	return t->ddp_header && t->ddp_header_octets == DDP_UNTAGGED_OCTETS &&
	       (t->ddp_header[1] & 0x0f) == RDMAP_READ_REQUEST;
}

/* HdrCt against RFC 5040 s4.8 figure 10: SHOULD, so a vector's verdict on
 * these is open. "Yes, if possible" leaves M and D to the sender. */
static bool header_bits_wrong(const struct rdmap_terminate *t)
{
	if (t->m != t->d)
		return true;
	switch (t->layer) {
	case TERM_RDMA:
		if (t->etype == 0)
			return t->m || t->r;
		return t->r != (t->etype == 1 && returns_read_request(t));
	case TERM_DDP:
		return !t->m || t->r;
	default:
		return t->m || t->r;
	}
}

static void terminate_faults(const struct found *to,
			     const struct rdmap_terminate *t)
{
	fault_if(to, !vec_term_registered(t->layer, t->etype, t->code),
		 "term-code");
	fault_if(to, t->reserved, "term-reserved");
	fault_if(to, t->truncated, "term-truncated");
	fault_if(to, !t->truncated && t->tail.n, "trailing-octets");
	fault_if(to, !t->truncated && header_bits_wrong(t), "term-header-bits");
}

static void atomic_faults(const struct found *to,
			  const struct rdmap_atomic_request *a)
{
	fault_if(to, a->reserved, "atomic-reserved");
	/* RFC 7306 s5.2.1 figure 5 and registry: only 0 and 2. */
	fault_if(to,
		 a->aopcode != RDMAP_FETCHADD && a->aopcode != RDMAP_CMPSWAP,
		 "aopcode");
	fault_if(to,
		 a->aopcode == RDMAP_FETCHADD &&
			 (a->compare != 0 || a->compare_mask != UINT64_MAX),
		 "unused-operand");
	fault_if(to, a->tail.n, "trailing-octets");
}

static void header_faults(const struct found *to, const struct vec_frame *f)
{
	if (f->header != VEC_NO_HEADER && !f->seg.ddp.last) {
		fault_if(to, true, "header-split");
		return;
	}
	fault_if(to, f->header_short, "header-short");
	if (f->header_short)
		return;
	switch (f->header) {
	case VEC_READ_REQUEST:
		fault_if(to, f->read_request.tail.n, "trailing-octets");
		break;
	case VEC_TERMINATE:
		terminate_faults(to, &f->terminate);
		break;
	case VEC_IMM:
		fault_if(to, f->imm.tail.n, "trailing-octets");
		break;
	case VEC_ATOMIC_REQUEST:
		atomic_faults(to, &f->atomic_request);
		break;
	case VEC_ATOMIC_RESPONSE:
		fault_if(to, f->atomic_response.tail.n, "trailing-octets");
		break;
	case VEC_NO_HEADER:
		break;
	}
}

/* ---- DDP and RDMAP control: RFC 5041 s4.1, RFC 5040 s4.1, RFC 7306 s4.1 - */

static bool unassigned(uint8_t opcode)
{
	return opcode > RDMAP_ATOMIC_RESPONSE;
}

static bool opcode_is_tagged(uint8_t opcode)
{
	return opcode == RDMAP_WRITE || opcode == RDMAP_READ_RESPONSE;
}

static bool invalidates(uint8_t opcode)
{
	return opcode == RDMAP_SEND_INV || opcode == RDMAP_SEND_SE_INV;
}

static uint32_t queue_of(uint8_t opcode)
{
	switch (opcode) {
	case RDMAP_READ_REQUEST:
	case RDMAP_ATOMIC_REQUEST:
		return DDP_QN_READ_REQUEST;
	case RDMAP_TERMINATE:
		return DDP_QN_TERMINATE;
	case RDMAP_ATOMIC_RESPONSE:
		return DDP_QN_ATOMIC_RESPONSE;
	default:
		return DDP_QN_SEND;
	}
}

static void opcode_faults(const struct found *to, const struct vec_frame *f)
{
	const struct ddp *d = &f->seg.ddp;

	fault_if(to, unassigned(d->opcode), "opcode");
	if (unassigned(d->opcode))
		return;
	if (d->tagged != opcode_is_tagged(d->opcode)) {
		fault_if(to, true, "buffer-model");
		return;
	}
	if (d->tagged)
		return;
	fault_if(to, d->qn != queue_of(d->opcode), "queue");
	fault_if(to, d->inval_stag && !invalidates(d->opcode), "inval-stag");
	header_faults(to, f);
}

static void ddp_faults(const struct found *to, const struct vec_frame *f)
{
	const struct ddp *d = &f->seg.ddp;
	const uint64_t end = f->seg.payload_octets;

	if (f->seg.short_header) {
		fault_if(to, true, "short-header");
		return;
	}
	fault_if(to, d->rsvd, "ddp-reserved");
	fault_if(to, d->dv != DDP_VERSION, "ddp-version");
	fault_if(to, d->rv != RDMAP_VERSION, "rdmap-version");
	fault_if(to, d->rdmap_rsvd, "rdmap-reserved");
	/* The TO after the last octet may be 2^64 itself, not beyond. */
	fault_if(to, d->tagged && end && d->to > UINT64_MAX - (end - 1),
		 "to-wrap");
	fault_if(to, !d->tagged && d->mo + end > (uint64_t)UINT32_MAX + 1,
		 "mo-wrap");
	opcode_faults(to, f);
}

/* ---- MPA: RFC 5044 s4.1 to s4.4 --------------------------------------- */

static void marker_faults(const struct found *to, const struct fpdu *f)
{
	bool pointer = false, reserved = false;

	for (unsigned i = 0; i < f->marker_count; i++) {
		pointer |= f->marker[i].fpduptr !=
			   fpdu_marker_pointer(i, f->offset);
		reserved |= f->marker[i].reserved != 0;
	}
	fault_if(to, pointer, "marker-pointer");
	fault_if(to, reserved, "marker-reserved");
}

void vec_frame_faults(struct vec_faults *faults, const char *prefix,
		      const struct vec_frame *f, const uint8_t *octets,
		      bool crc)
{
	const struct found to = {faults, prefix};
	bool pad = false;

	for (size_t i = 0; i < f->fpdu.pad_octets; i++)
		pad |= f->fpdu.pad[i] != 0;
	fault_if(&to, pad, "pad");
	fault_if(&to,
		 f->fpdu.ulpdu_length == 0 ||
			 f->fpdu.ulpdu_length > FPDU_ULPDU_MAX,
		 "ulpdu-length");
	marker_faults(&to, &f->fpdu);
	fault_if(&to,
		 crc && crc32c(octets, f->used - FPDU_CRC_OCTETS) !=
				 crc_get(f->fpdu.crc),
		 "crc");
	ddp_faults(&to, f);
}

/* --- DDP over SCTP: RFC 5043 s5 to s10, RFC 6581 s7 --------------------- */

static void control_faults(const struct found *to,
			   const struct session_chunk *s)
{
	bool enhanced = s->function == SESSION_ENHANCED_INITIATE ||
			s->function == SESSION_ENHANCED_ACCEPT;
	struct mpa_enhanced e;

	fault_if(to,
		 s->function < SESSION_INITIATE ||
			 s->function > SESSION_ENHANCED_REJECT,
		 "function");
	fault_if(to, s->body_octets > SESSION_PRIVATE_MAX, "private-too-long");
	fault_if(to, s->function == SESSION_TERMINATE && s->body_octets,
		 "terminate-private");
	if (session_enhanced(s, &e))
		enhanced_flag_faults(to, &e,
				     s->function == SESSION_ENHANCED_INITIATE);
	else
		fault_if(to, enhanced, "enhanced-short");
}

static void data_faults(const struct found *to, const struct vec_chunk *c)
{
	fault_if(to, !(c->tlv.flags & SCTP_DATA_U), "ordered");
	fault_if(to,
		 c->data.ppid != SESSION_PPID_SEGMENT &&
			 c->data.ppid != SESSION_PPID_CONTROL,
		 "ppid");
	fault_if(to, c->session.cut, "session-short");
	if (c->session.cut || (c->data.ppid != SESSION_PPID_SEGMENT &&
			       c->data.ppid != SESSION_PPID_CONTROL))
		return;
	if (c->session.control)
		control_faults(to, &c->session);
	else
		ddp_faults(to, &c->frame);
}

static void init_faults(const struct found *to, const struct sctp_init *i)
{
	uint32_t indication = 0;

	switch (session_adaptation(i->parameters, i->parameter_octets,
				   &indication)) {
	case SESSION_ADAPTATION_ABSENT:
		fault_if(to, true, "adaptation-absent");
		break;
	case SESSION_ADAPTATION_PRESENT:
		fault_if(to, indication != SESSION_ADAPTATION_DDP,
			 "adaptation-other");
		break;
	case SESSION_ADAPTATION_BROKEN:
		fault_if(to, true, "adaptation-broken");
		break;
	}
	fault_if(to, i->outbound != i->inbound, "streams-differ");
}

void vec_chunk_faults(struct vec_faults *faults, const struct vec_chunk *c)
{
	const struct found to = {faults, ""};
	bool pad = false;

	for (size_t i = 0; i < c->tlv.pad_octets; i++)
		pad |= c->tlv.pad[i] != 0;
	fault_if(&to, pad, "pad");
	if (c->tlv.type == SCTP_CHUNK_DATA)
		data_faults(&to, c);
	else
		init_faults(&to, &c->init);
}

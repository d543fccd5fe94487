/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/crc/crc.h"
#include "vectors/tool/build.h"

/* The stated fields of one frame. `wrong` stays set: a value does not fit. */
struct stated {
	const struct vec *v;
	unsigned index;
	bool wrong;
};

static const char *text(const struct stated *s, const char *name)
{
	char full[40];

	if (s->index == 0)
		return vec_stated(s->v, name);
	snprintf(full, sizeof(full), "%u.%s", s->index, name);
	return vec_stated(s->v, full);
}

static uint64_t get(struct stated *s, const char *name, uint64_t otherwise,
		    uint64_t max)
{
	const char *value = text(s, name);
	uint64_t n = otherwise;

	if (value && (!vec_number(value, &n) || n > max)) {
		s->wrong = true;
		return otherwise;
	}
	return n;
}

static bool flag(struct stated *s, const char *name, bool otherwise)
{
	return get(s, name, otherwise, 1);
}

static uint8_t get8(struct stated *s, const char *name, uint8_t otherwise)
{
	return (uint8_t)get(s, name, otherwise, UINT8_MAX);
}

static uint16_t get16(struct stated *s, const char *name)
{
	return (uint16_t)get(s, name, 0, UINT16_MAX);
}

static uint32_t get32(struct stated *s, const char *name)
{
	return (uint32_t)get(s, name, 0, UINT32_MAX);
}

static uint64_t get64(struct stated *s, const char *name)
{
	return get(s, name, 0, UINT64_MAX);
}

static size_t octets(struct stated *s, const char *name, uint8_t *out,
		     size_t cap)
{
	const char *value = text(s, name);
	long n = value ? vec_octets(value, out, cap) : 0;

	if (n < 0)
		s->wrong = true;
	return n < 0 ? 0 : (size_t)n;
}

/* The four octets at the head of the private data. */
static void enhanced(struct stated *s, uint8_t out[MPA_ENHANCED_OCTETS])
{
	const struct mpa_enhanced e = {
		.a = flag(s, "enh_a", false),
		.b = flag(s, "enh_b", false),
		.c = flag(s, "enh_c", false),
		.d = flag(s, "enh_d", false),
		.ird = (uint16_t)get(s, "ird", 0, 0x3fff),
		.ord = (uint16_t)get(s, "ord", 0, 0x3fff),
	};

	mpa_enhanced_encode(&e, out);
}

size_t vec_build_startup(const struct vec *v, uint8_t *out, size_t cap)
{
	struct stated s = {.v = v};
	uint8_t private[MPA_PRIVATE_MAX + MPA_ENHANCED_OCTETS];
	struct mpa_startup f = {.private_data = private};
	bool request = v->kind == VEC_MPA_REQUEST;
	size_t skip = 0, n;

	memcpy(f.key, request ? mpa_key_request : mpa_key_reply,
	       MPA_KEY_OCTETS);
	f.flags = (uint8_t)((flag(&s, "m", false) ? MPA_M : 0) |
			    (flag(&s, "c", false) ? MPA_C : 0) |
			    (flag(&s, "r", false) ? MPA_R : 0) |
			    (flag(&s, "s", false) ? MPA_S : 0));
	f.rev = get8(&s, "rev", 1);
	if (f.flags & MPA_S) {
		enhanced(&s, private);
		skip = MPA_ENHANCED_OCTETS;
	}
	n = octets(&s, "private", private + skip, sizeof(private) - skip);
	f.private_octets = skip + n;
	f.pd_length = (uint16_t)f.private_octets;
	return s.wrong ? 0 : mpa_startup_encode(&f, out, cap);
}

/* ---- FPDUs ------------------------------------------------------------ */

static size_t read_request(struct stated *s, uint8_t *out, size_t cap)
{
	const struct rdmap_read_request h = {
		.sink_stag = get32(s, "sink_stag"),
		.sink_to = get64(s, "sink_to"),
		.size = get32(s, "size"),
		.source_stag = get32(s, "source_stag"),
		.source_to = get64(s, "source_to"),
	};

	return rdmap_read_request_encode(&h, out, cap);
}

static size_t atomic_request(struct stated *s, uint8_t *out, size_t cap)
{
	const struct rdmap_atomic_request h = {
		.aopcode = (uint8_t)get(s, "aopcode", 0, 15),
		.id = get32(s, "id"),
		.stag = get32(s, "remote_stag"),
		.to = get64(s, "remote_to"),
		.data = get64(s, "data"),
		.mask = get64(s, "mask"),
		.compare = get64(s, "compare"),
		.compare_mask = get64(s, "compare_mask"),
	};

	return rdmap_atomic_request_encode(&h, out, cap);
}

static size_t atomic_response(struct stated *s, uint8_t *out, size_t cap)
{
	const struct rdmap_atomic_response h = {
		.id = get32(s, "id"),
		.value = get64(s, "value"),
	};

	return rdmap_atomic_response_encode(&h, out, cap);
}

static size_t imm(struct stated *s, uint8_t *out, size_t cap)
{
	struct rdmap_imm h = {0};

	if (octets(s, "imm", h.data, sizeof(h.data)) != sizeof(h.data))
		s->wrong = true;
	return rdmap_imm_encode(&h, out, cap);
}

static size_t terminate(struct stated *s, uint8_t *out, size_t cap)
{
	uint8_t ddp[DDP_UNTAGGED_OCTETS], rdma[RDMAP_READ_REQUEST_OCTETS];
	struct rdmap_terminate h = {
		.layer = (uint8_t)get(s, "layer", 0, 15),
		.etype = (uint8_t)get(s, "etype", 0, 15),
		.code = get8(s, "code", 0),
		.m = flag(s, "m", false),
		.d = flag(s, "d", false),
		.r = flag(s, "r", false),
		.segment_length = get16(s, "segment_length"),
	};

	h.has_segment_length = h.m || h.d;
	if (h.d) {
		h.ddp_header = ddp;
		h.ddp_header_octets = octets(s, "ddp_header", ddp, sizeof(ddp));
	}
	if (h.r) {
		h.rdma_header = rdma;
		if (octets(s, "rdma_header", rdma, sizeof(rdma)) !=
		    sizeof(rdma))
			s->wrong = true;
	}
	return rdmap_terminate_encode(&h, out, cap);
}

static struct ddp ddp(struct stated *s)
{
	return (struct ddp){
		.tagged = flag(s, "t", false),
		.last = flag(s, "l", true),
		.dv = (uint8_t)get(s, "dv", DDP_VERSION, 3),
		.rv = (uint8_t)get(s, "rv", RDMAP_VERSION, 3),
		.opcode = (uint8_t)get(s, "opcode", 0, 15),
		.stag = get32(s, "stag"),
		.to = get64(s, "to"),
		.inval_stag = get32(s, "inval_stag"),
		.qn = get32(s, "qn"),
		.msn = get32(s, "msn"),
		.mo = get32(s, "mo"),
	};
}

static size_t payload(struct stated *s, const struct ddp *d, uint8_t *out,
		      size_t cap)
{
	if (d->tagged || !d->last || d->mo)
		return octets(s, "payload", out, cap);
	switch (d->opcode) {
	case RDMAP_READ_REQUEST:
		return read_request(s, out, cap);
	case RDMAP_TERMINATE:
		return terminate(s, out, cap);
	case RDMAP_IMM:
	case RDMAP_IMM_SE:
		return imm(s, out, cap);
	case RDMAP_ATOMIC_REQUEST:
		return atomic_request(s, out, cap);
	case RDMAP_ATOMIC_RESPONSE:
		return atomic_response(s, out, cap);
	default:
		return octets(s, "payload", out, cap);
	}
}

/* CRCs not in use: the field may hold anything, and has to be stated. */
static void put_crc(struct stated *s, uint8_t *out, size_t n)
{
	uint8_t *crc = out + n - FPDU_CRC_OCTETS;

	if (s->v->crc)
		crc_put(crc, crc32c(out, n - FPDU_CRC_OCTETS));
	else if (octets(s, "crc", crc, FPDU_CRC_OCTETS) != FPDU_CRC_OCTETS)
		s->wrong = true;
}

/* room takes the payload meanwhile; both have VEC_ROOM octets. */
static size_t segment(struct stated *s, uint8_t *room, uint8_t *out)
{
	struct ddp_segment seg = {.ddp = ddp(s), .payload = room};

	seg.payload_octets = payload(s, &seg.ddp, room, VEC_ROOM);
	return ddp_encode(&seg, out, VEC_ROOM);
}

size_t vec_build_fpdu(const struct vec *v, unsigned i, uint32_t offset,
		      uint8_t *out, size_t cap)
{
	struct stated s = {.v = v, .index = i};
	uint8_t *room = malloc(2 * VEC_ROOM), *ulpdu;
	struct fpdu f;
	size_t n;

	if (!room)
		return 0;
	ulpdu = room + VEC_ROOM;
	n = segment(&s, room, ulpdu);
	if (n == 0 || n > UINT16_MAX)
		s.wrong = true;
	fpdu_init(&f, ulpdu, (uint16_t)n, v->markers, offset);
	n = s.wrong ? 0 : fpdu_encode(&f, out, cap);
	if (n)
		put_crc(&s, out, n);
	free(room);
	return s.wrong ? 0 : n;
}

unsigned vec_build_count(const struct vec *v)
{
	struct stated s = {.v = v, .index = 1};

	while (text(&s, "ulpdu_length"))
		s.index++;
	return s.index - 1;
}

/* ---- SCTP chunks ------------------------------------------------------ */

/* Private data as stated, preceded by enhanced data if the function has it. */
static size_t control(struct stated *s, uint16_t function, uint8_t *out)
{
	size_t skip = 0;

	if (function == SESSION_ENHANCED_INITIATE ||
	    function == SESSION_ENHANCED_ACCEPT) {
		enhanced(s, out);
		skip = MPA_ENHANCED_OCTETS;
	}
	return skip + octets(s, "private", out + skip, VEC_ROOM - skip);
}

static size_t data_chunk(struct stated *s, uint8_t *room, uint8_t *out)
{
	uint8_t *body = room + VEC_ROOM;
	struct session_chunk c = {.ddp_ssn = get16(s, "ddp_ssn"), .body = body};
	struct sctp_data d = {
		.tsn = get32(s, "tsn"),
		.stream = get16(s, "stream"),
		.ssn = get16(s, "ssn"),
		.ppid = get32(s, "ppid"),
		.user = room,
	};

	c.control = d.ppid == SESSION_PPID_CONTROL;
	c.function = get16(s, "function");
	c.body_octets = c.control ? control(s, c.function, body)
				  : segment(s, room, body);
	d.user_octets = session_encode(&c, room, VEC_ROOM);
	return sctp_data_encode(&d, out, VEC_ROOM);
}

static size_t init_chunk(struct stated *s, uint8_t *room, uint8_t *out)
{
	const struct sctp_init i = {
		.tag = get32(s, "tag"),
		.window = get32(s, "window"),
		.outbound = get16(s, "outbound"),
		.inbound = get16(s, "inbound"),
		.tsn = get32(s, "tsn"),
		.parameters = room,
		.parameter_octets = octets(s, "parameters", room, VEC_ROOM),
	};

	return sctp_init_encode(&i, out, VEC_ROOM);
}

size_t vec_build_chunk(const struct vec *v, uint8_t *out, size_t cap)
{
	static const uint8_t zeros[3];
	struct stated s = {.v = v};
	uint8_t *room = malloc(3 * (size_t)VEC_ROOM);
	struct sctp_tlv t = {.pad = zeros};
	size_t n;

	if (!room)
		return 0;
	uint8_t *value = room + 2 * (size_t)VEC_ROOM;

	t.type = get8(&s, "chunk_type", SCTP_CHUNK_DATA);
	if (t.type == SCTP_CHUNK_DATA) {
		t.flags = (uint8_t)((flag(&s, "u", true) ? SCTP_DATA_U : 0) |
				    (flag(&s, "b", true) ? SCTP_DATA_B : 0) |
				    (flag(&s, "e", true) ? SCTP_DATA_E : 0));
		n = data_chunk(&s, room, value);
	} else {
		n = init_chunk(&s, room, value);
	}
	t.value = value;
	t.value_octets = n;
	t.length = (uint16_t)(SCTP_CHUNK_OCTETS + n);
	t.pad_octets = (size_t)-n & 3;
	n = s.wrong || n > UINT16_MAX - SCTP_CHUNK_OCTETS
		    ? 0
		    : sctp_chunk_encode(&t, out, cap);
	free(room);
	return n;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/explore/as_case.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "suite/explore/perform/perform.h"
#include "suite/language/case.h"

#define STREAM_IS(n) p->stream[0][n]

struct writer {
	const struct program *p;
	FILE *out;
	unsigned salt; /* of the next pattern, as perform/ counts them */
};

static void put(struct writer *w, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static void put(struct writer *w, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(w->out, fmt, ap);
	va_end(ap);
}

/* If some receive buffers are in regions, the regions come first. */
static bool receives_in_regions(const struct program *p)
{
	for (unsigned i = 0; i < p->steps; i++)
		if (p->step[i].n[STEP_INTO])
			return true;
	return false;
}

/* --- the needs of the case ------------------------------------------------ */

static void put_needs(struct writer *w)
{
	static const char *const of[STEP_OPS] = {
		[PEER_SENDS] = "NEED_SEND",
		[DUT_SENDS] = "NEED_SEND",
		[PEER_WRITES] = "NEED_WRITE",
		[DUT_WRITES] = "NEED_WRITE",
		[PEER_READS] = "NEED_READ",
		[DUT_READS] = "NEED_READ",
		[PEER_ADDS] = "NEED_FETCHADD",
		[DUT_ADDS] = "NEED_FETCHADD",
		[PEER_SWAPS] = "NEED_CMPSWAP",
		[DUT_SWAPS] = "NEED_CMPSWAP",
		[PEER_IMMEDIATE] = "NEED_IMM",
		[DUT_IMMEDIATE] = "NEED_IMM",
		[DUT_WRITES_IMMEDIATE] = "NEED_IMM",
	};
	const struct program *p = w->p;
	unsigned done = 0;

	put(w, "     .needs = NEED_AGENT");
	for (unsigned i = 0; i < p->steps; i++) {
		const char *need = of[p->step[i].op];
		bool again = false;

		for (unsigned k = 0; k < i; k++)
			again |= of[p->step[k].op] == need;
		if (need && !again)
			put(w, "%s | %s", ++done % 4 ? "" : "\n\t     ", need);
	}
	if (receives_in_regions(p))
		put(w, " | NEED_RECV_LOCAL");
	if (STREAM_IS(STREAM_ENHANCED))
		put(w, " | NEED_ENHANCED");
	if (STREAM_IS(STREAM_MARKERS))
		put(w, " | NEED_MARKERS_TX");
	if (STREAM_IS(STREAM_DUT_MARKERS))
		put(w, " | NEED_MARKERS_RX");
	if (STREAM_IS(STREAM_CRC_OFF))
		put(w, " | NEED_CRC_OFF");
	if (STREAM_IS(STREAM_INITIATES))
		put(w, ",\n     .role = INITIATOR");
	put(w, ")\n");
}

/* --- given --------------------------------------------------------------------- */

static void put_stream(struct writer *w, unsigned i)
{
	const uint64_t *s = w->p->stream[i];

	put(w, "\t%s(t, .crc = %s",
	    s[STREAM_INITIATES] ? "dut_connects" : "peer_connects",
	    s[STREAM_CRC_OFF] ? "OFF, .dut_crc = OFF" : "ON");
	if (s[STREAM_ENHANCED])
		put(w,
		    ", .enhanced = true, .ird = %" PRIu64 ", .ord = %" PRIu64
		    ",\n\t\t.dut_ird = %" PRIu64 ", .dut_ord = %" PRIu64,
		    s[STREAM_ORD], s[STREAM_IRD], s[STREAM_IRD], s[STREAM_ORD]);
	if (s[STREAM_RTR])
		put(w, ", .rtr = %" PRIu64, s[STREAM_RTR]);
	if (s[STREAM_MARKERS])
		put(w, ", .markers = true");
	if (s[STREAM_DUT_MARKERS])
		put(w, ", .dut_markers = true");
	if (s[STREAM_MSS])
		put(w, ", .mss = %" PRIu64, s[STREAM_MSS]);
	put(w, ");\n");
}

static void put_access(struct writer *w, uint64_t access)
{
	static const char *const names[] = {"LOCAL_WRITE", "REMOTE_READ",
					    "REMOTE_WRITE", "REMOTE_ATOMIC"};
	const char *apart = "";

	for (unsigned i = 0; i < 4; i++)
		if (access & 1u << i) {
			put(w, "%s%s", apart, names[i]);
			apart = " | ";
		}
	if (!*apart)
		put(w, "0");
}

static void put_region(struct writer *w, unsigned i)
{
	const uint64_t *r = w->p->region[i];

	put(w,
	    "\tstruct region r%u =\n\t\tdut_registers(t, .len = %" PRIu64
	    ",\n\t\t\t      .access = ",
	    i, r[REGION_LEN]);
	put_access(w, r[REGION_ACCESS]);
	if (r[REGION_ALIGN])
		put(w, ", .align = %u", 1u << r[REGION_ALIGN]);
	if (r[REGION_SKEW])
		put(w, ", .skew = %" PRIu64, r[REGION_SKEW]);
	if (r[REGION_ZERO_BASED])
		put(w, ", .zero_based = true");
	put(w,
	    ");\n\tdut_fills(t, r%u, 0, pattern(t, %" PRIu64 ", %u), %" PRIu64
	    ");\n",
	    i, r[REGION_LEN], 50 + i, r[REGION_LEN]);
}

static bool shares(const struct program *p)
{
	for (unsigned i = 0; i < p->steps; i++)
		if (p->step[i].n[STEP_SHARED])
			return true;
	return false;
}

static void put_history(struct writer *w)
{
	put(w,
	    "\tstruct region words =\n\t\tdut_registers(t, .len = %u, .raced = "
	    "true,\n\t\t\t      .access = FOR_ATOMICS);\n"
	    "\tstruct history *h = history_of(t, words, %u);\n",
	    SHARED_WORDS * 8, SHARED_WORDS);
}

/* The results of all streams are awaited before anything can be judged. */
static void put_order(struct writer *w)
{
	unsigned streams = program_streams_used(w->p);

	for (unsigned i = 0; i < w->p->streams; i++)
		if (streams & 1u << i)
			put(w,
			    "\ton_stream(t, %u);\n"
			    "\twhile (originals_due(t, h))\n"
			    "\t\toriginal_given(t, h);\n",
			    i);
	put(w, "\tmust(t, RDMAPX_5_3_01, has_one_order(h));\n"
	       "\tmust(t, RDMAPX_5_2_1_24, has_one_order_by_stream(h));\n");
}

static void put_receives(struct writer *w)
{
	for (unsigned i = 0; i < w->p->steps; i++) {
		const struct step *s = &w->p->step[i];

		if (s->n[STEP_INTO])
			put(w,
			    "\tstruct sink s%u = dut_posts_recv_in(t, r%u, "
			    "%" PRIu64 ", %" PRIu64 ");\n",
			    i, step_region(s), s->n[STEP_OFF], step_buffer(s));
		else if (s->op == PEER_SENDS || s->op == PEER_IMMEDIATE)
			put(w,
			    "\tstruct sink s%u = dut_posts_recv(t, %" PRIu64
			    ");\n",
			    i, step_buffer(s));
	}
}

static void put_regions(struct writer *w)
{
	unsigned used = program_regions_used(w->p);

	for (unsigned i = 0; i < w->p->regions; i++)
		if (used & 1u << i)
			put_region(w, i);
}

/* --- when ----------------------------------------------------------------------- */

static void put_word(struct writer *w, uint64_t v)
{
	put(w, "\"");
	for (unsigned i = 0; i < 8; i++)
		put(w, "\\x%02x", (unsigned)(v >> (56 - 8 * i) & 0xff));
	put(w, "\"");
}

/* The override for the fault; NULL: no single override expresses it. */
static const char *override_of(const struct step *s)
{
	bool read = s->op == PEER_READS, write = s->op == PEER_WRITES;

	switch ((enum step_fault)s->n[STEP_FAULT]) {
	case FAULT_CRC:
		return ".crc = CRC_WRONG";
	case FAULT_CRC_SWAPPED:
		return ".crc = CRC_BYTE_SWAPPED";
	case FAULT_DV:
		return ".dv = IS(2)";
	case FAULT_DV_ZERO:
		return ".dv = IS(0)";
	case FAULT_STAG:
		return read    ? ".read.source_stag = stag_never_issued(t)"
		       : write ? ".stag = stag_never_issued(t)"
			       : ".atomic.stag = stag_never_issued(t)";
	case FAULT_STAG_ZERO:
		return read    ? ".read.source_stag = 0"
		       : write ? ".stag = 0"
			       : ".atomic.stag = 0";
	case FAULT_MSN:
		return ".msn = IS(0)";
	case FAULT_MSN_AHEAD:
		return ".msn = IS(0x40000000)";
	case FAULT_QN:
		return ".qn = IS(4), .msn = IS(1)";
	case FAULT_QN_HIGH:
		return ".qn = IS(0x80000000), .msn = IS(1)";
	case FAULT_MO:
		return ".mo = IS(0x10000)";
	case FAULT_RV:
		return ".rv = IS(3)";
	case FAULT_OPCODE:
		return ".opcode_field = IS(0xf)";
	case FAULT_TAGGED:
		return write ? ".t = IS(0)" : ".t = IS(1)";
	case FAULT_NOT_LAST:
		return ".l = IS(0)";
	case FAULT_AOPCODE_1:
		return ".atomic.aopcode = 1";
	case FAULT_AOPCODE_3:
		return ".atomic.aopcode = 3";
	case FAULT_AOPCODE_15:
		return ".atomic.aopcode = 15";
	default:
		return NULL;
	}
}

static void put_how(struct writer *w, const struct step *s)
{
	const char *override = s->n[STEP_FAULT] ? override_of(s) : NULL;

	if (override)
		put(w, ",\n\t\t\t%s", override);
	if (s->n[STEP_SEGMENT])
		put(w, ", .segment = %" PRIu64, s->n[STEP_SEGMENT]);
	put(w, ")");
	if (s->n[STEP_CUT])
		put(w, ",\n\t\t   .cuts = %s(%" PRIu64 ")",
		    s->n[STEP_CUT] < 256 ? "CUT_AFTER" : "CUT_EVERY",
		    s->n[STEP_CUT]);
	if (s->n[STEP_HOLD])
		put(w, ",\n\t\t   .hold = true");
	put(w, ");\n");
}

static void put_peer_step(struct writer *w, const struct step *s)
{
	static const char *const sends[2][2] = {
		{"RDMAP_SEND", "RDMAP_SEND_INV"},
		{"RDMAP_SEND_SE", "RDMAP_SEND_SE_INV"}};
	uint64_t n = s->n[STEP_LEN], region = s->n[STEP_REGION],
		 off = s->n[STEP_OFF];
	char target[32];

	snprintf(target, sizeof(target), "r%" PRIu64, region);
	if (s->n[STEP_SHARED])
		strcpy(target, "words");
	if (s->n[STEP_FAULT] && !override_of(s))
		put(w, "\t/* with this fault: %s */\n",
		    step_fault_name((enum step_fault)s->n[STEP_FAULT]));
	put(w, s->n[STEP_SHARED] ? "\tpeer_asks(t, h, " : "\tpeer_sends(t, ");
	switch (s->op) {
	case PEER_SENDS:
		put(w, "SEND_KIND(%s, pattern(t, %" PRIu64 ", %u), %" PRIu64,
		    sends[s->n[STEP_SE]][s->n[STEP_INV] != 0], n, w->salt++, n);
		if (s->n[STEP_INV])
			put(w, ", .inval = r%" PRIu64 ".stag",
			    s->n[STEP_INV] - 1);
		break;
	case PEER_WRITES:
		put(w,
		    "WRITE(r%" PRIu64 ", %" PRIu64 ", pattern(t, %" PRIu64
		    ", %u), %" PRIu64,
		    region, off, n, w->salt++, n);
		break;
	case PEER_READS:
		put(w, "READ(r%" PRIu64 ", %" PRIu64 ", %" PRIu64, region, off,
		    n);
		break;
	case PEER_ADDS:
		put(w, "FETCHADD(%s, %" PRIu64 ", 0x%" PRIx64 ", 0x%" PRIx64,
		    target, off, s->n[STEP_A], s->n[STEP_A_MASK]);
		break;
	case PEER_SWAPS:
		put(w,
		    "CMPSWAP_MASKED(%s, %" PRIu64 ", 0x%" PRIx64
		    ",\n\t\t\t\t     0x%" PRIx64 ", 0x%" PRIx64 ", 0x%" PRIx64,
		    target, off, s->n[STEP_A], s->n[STEP_A_MASK], s->n[STEP_B],
		    s->n[STEP_B_MASK]);
		break;
	default:
		put(w, "%s(", s->n[STEP_SE] ? "IMM_SE" : "IMM");
		put_word(w, s->n[STEP_B]);
		break;
	}
	put_how(w, s);
}

static void put_dut_step(struct writer *w, const struct step *s, unsigned i)
{
	uint64_t n = s->n[STEP_LEN], to = s->n[STEP_TO];

	put(w, "\tunsigned id%u = dut_posts(t, ", i);
	switch (s->op) {
	case DUT_SENDS:
		put(w, "POST_SEND_N(pattern(t, %" PRIu64 ", %u), %" PRIu64, n,
		    w->salt++, n);
		break;
	case DUT_WRITES:
	case DUT_WRITES_IMMEDIATE:
		put(w,
		    "POST_WRITE_N(pattern(t, %" PRIu64 ", %u), %" PRIu64
		    ", PEER_SINK_STAG, 0x%" PRIx64,
		    n, w->salt++, n, to);
		if (s->op == DUT_WRITES_IMMEDIATE) {
			put(w, ", .imm = ");
			put_word(w, s->n[STEP_B]);
		}
		break;
	case DUT_READS:
		put(w,
		    "POST_READ(r%" PRIu64 ", %" PRIu64 ", %" PRIu64
		    ", PEER_SINK_STAG, 0x%" PRIx64,
		    s->n[STEP_REGION], s->n[STEP_OFF], n, to);
		break;
	case DUT_ADDS:
		put(w,
		    "POST_FETCHADD(r%" PRIu64 ", %" PRIu64
		    ", PEER_SINK_STAG, 0x%" PRIx64 ", 0x%" PRIx64
		    ", .mask = 0x%" PRIx64,
		    s->n[STEP_REGION], s->n[STEP_OFF], to, s->n[STEP_A],
		    s->n[STEP_A_MASK]);
		break;
	case DUT_SWAPS:
		put(w,
		    "POST_CMPSWAP(r%" PRIu64 ", %" PRIu64
		    ", PEER_SINK_STAG, 0x%" PRIx64 ", 0x%" PRIx64 ", 0x%" PRIx64
		    ",\n\t\t.masks = true, .compare_mask = 0x%" PRIx64
		    ", .swap_mask = 0x%" PRIx64,
		    s->n[STEP_REGION], s->n[STEP_OFF], to, s->n[STEP_A],
		    s->n[STEP_B], s->n[STEP_A_MASK], s->n[STEP_B_MASK]);
		break;
	default:
		put(w, "POST_IMM(");
		put_word(w, s->n[STEP_B]);
		break;
	}
	put(w, "%s%s));\n", s->n[STEP_FENCE] ? ", .fence = true" : "",
	    s->n[STEP_SE] ? ", .se = true" : "");
	if (s->op == DUT_READS)
		put(w,
		    "\tconst struct frame *f%u = awaits_given(t, "
		    "RDMAP_READ_REQUEST);\n"
		    "\tpeer_sends(t, READ_RESPONSE(f%u, pattern(t, %" PRIu64
		    ", %u), %" PRIu64 "));\n",
		    i, i, n, w->salt++, n);
	else if (s->op == DUT_ADDS || s->op == DUT_SWAPS)
		put(w,
		    "\tconst struct frame *f%u = awaits_given(t, "
		    "RDMAP_ATOMIC_REQUEST);\n"
		    "\tpeer_sends(t, ATOMIC_RESPONSE(f%u, 0x%" PRIx64 "));\n",
		    i, i, perform_value(s));
}

static void put_steps(struct writer *w)
{
	unsigned stream = 0;

	for (unsigned i = 0; i < w->p->steps; i++) {
		const struct step *s = &w->p->step[i];

		if (s->n[STEP_STREAM] != stream) {
			stream = (unsigned)s->n[STEP_STREAM];
			put(w, "\ton_stream(t, %u);\n", stream);
		}
		if (step_ends(s->op))
			put(w, "\t/* %s */\n", step_op_name(s->op));
		else if (s->op == SETTLE)
			put(w, "\tmust(t, RDMAP_5_2_1_16, stream_works());\n");
		else if (s->op < DUT_SENDS)
			put_peer_step(w, s);
		else
			put_dut_step(w, s, i);
	}
}

/* --- then ------------------------------------------------------------------------ */

/* RDMAPX-5.1.1-08 as RDMAPX_5_1_1_08. */
static void put_row(struct writer *w, unsigned short req)
{
	for (const char *c = req_table[req].id; *c; c++)
		putc(isalnum((unsigned char)*c) ? *c : '_', w->out);
}

static void put_memory(struct writer *w, const struct as_case_due *due,
		       unsigned i)
{
	size_t n = w->p->region[i][REGION_LEN];

	put(w, "\tstatic const uint8_t due%u[] = {", i);
	for (size_t k = 0; k < n; k++)
		put(w, "%s0x%02x,", k % 12 ? " " : "\n\t\t", due->octets[i][k]);
	put(w, "\n\t};\n\tmust(t, ");
	put_row(w, due->req[i]);
	put(w, ", memory_is(r%u, 0, due%u, sizeof(due%u)));\n", i, i, i);
}

static void put_delivered(struct writer *w, const struct as_case_due *due)
{
	unsigned salt = 0;

	for (unsigned i = 0; i < w->p->steps; i++) {
		const struct step *s = &w->p->step[i];
		uint64_t n = s->n[STEP_LEN];

		if (s->n[STEP_FAULT] &&
		    (s->op == PEER_SENDS || s->op == PEER_IMMEDIATE)) {
			put(w, "\tmust(t, ");
			put_row(w, due->broken);
			put(w, ", not_delivered(s%u));\n", i);
		}
		if (s->op == PEER_SENDS && !s->n[STEP_FAULT])
			put(w,
			    "\tmust(t, DDP_4_1_02,\n\t     delivered(s%u, "
			    "pattern(t, %" PRIu64 ", %u), %" PRIu64 "));\n",
			    i, n, salt, n);
		if (s->op == PEER_IMMEDIATE && !s->n[STEP_FAULT]) {
			put(w,
			    "\tmust(t, RDMAPX_6_1_01,\n\t     "
			    "delivered_imm(s%u, ",
			    i);
			put_word(w, s->n[STEP_B]);
			put(w, "));\n");
		}
		salt += s->op == PEER_SENDS || s->op == PEER_WRITES ||
			s->op == DUT_SENDS || s->op == DUT_WRITES ||
			s->op == DUT_READS || s->op == DUT_WRITES_IMMEDIATE;
		if (s->op > PEER_IMMEDIATE && s->op < SETTLE)
			put(w, "\tmust(t, RDMAP_5_5_11, completed(id%u));\n",
			    i);
	}
}

/* The step that the device has to refuse, or NULL. */
static const struct step *fault_of(const struct program *p)
{
	for (unsigned i = 0; i < p->steps; i++)
		if (p->step[i].n[STEP_FAULT])
			return &p->step[i];
	return NULL;
}

bool as_case_write(const struct program *p, const struct as_case_due *due,
		   FILE *out)
{
	struct writer w = {.p = p, .out = out};
	unsigned regions = program_regions_used(p),
		 streams = program_streams_used(p);
	bool into = receives_in_regions(p);

	put(&w,
	    "/* SPDX-License-Identifier: BSD-2-Clause */\n"
	    "/*\n * From `warpspec explore`, seed %" PRIu64 ", program %" PRIu64
	    ". Say in the title what it is\n"
	    " * about, put the line that is the fault itself first, take out "
	    "what it can do\n * without, and plant a mutant that it kills.\n"
	    " */\n#include \"case.h\"\n\n",
	    p->seed, p->number);
	put(&w,
	    "CASE(from_seed_%" PRIu64 "_program_%" PRIu64
	    ",\n     .title = \"the device behaves as the RFCs require\",\n",
	    p->seed, p->number);
	put_needs(&w);
	put(&w, "{\n\t/* Given buffers, streams and memory, */\n");
	if (into)
		put_regions(&w);
	put_receives(&w);
	for (unsigned i = 0; i < p->streams; i++)
		if (streams & 1u << i)
			put_stream(&w, i);
	if (!into)
		put_regions(&w);
	if (shares(p))
		put_history(&w);
	put(&w, "\n\t/* when this goes on, */\n");
	put_steps(&w);
	if (fault_of(p)) {
		put(&w, "\n\t/* then it is refused, and memory holds what it "
			"should. */\n\tmust(t, ");
		put_row(&w, due->broken);
		put(&w, ", stream_ends());\n");
	} else {
		put(&w, "\n\t/* then all of it is done, and memory holds what "
			"it should. */\n"
			"\tmust(t, RDMAP_5_2_1_16, stream_works());\n");
	}
	put_delivered(&w, due);
	if (shares(p))
		put_order(&w);
	for (unsigned i = 0; i < p->regions; i++)
		if (regions & 1u << i && due->octets[i])
			put_memory(&w, due, i);
	put(&w, "}\n");
	return !ferror(out);
}

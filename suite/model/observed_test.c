/* SPDX-License-Identifier: BSD-2-Clause */
/* A device of which the wire alone is seen: what its memory holds is learnt from
 * what comes and goes, and what a Terminate cannot mean. */
#include "suite/model/model_fixture.h"

struct learning {
	struct fixture f;
	uint8_t shadow[LEN], known[LEN];
	struct model_operands operands[MODEL_REQUESTS];
};

static void begin(struct learning *l)
{
	struct model_config c = plain_config();
	struct model_region r = {
		.stag = STAG,
		.to = BASE,
		.len = LEN,
		.access = MODEL_LW | MODEL_RR | MODEL_RW | MODEL_RA,
		.pd = 1,
		.shadow = l->shadow,
		.known = l->known,
		.operands = l->operands,
	};

	memset(l, 0, sizeof(*l));
	c.observed = true;
	c.regions_known = c.receives_known = c.works_known = false;
	model_init(&l->f.m, &c);
	CU_ASSERT_TRUE(model_region_add(&l->f.m, &r));
}

/* The peer reads eight octets at BASE, and gets these. */
static unsigned reads(struct learning *l, uint32_t msn, const char octets[8])
{
	peer(&l->f, read_request(&l->f, msn, 8, STAG, BASE));
	return dut(&l->f, tagged(RDMAP_READ_RESPONSE, 0xaaaa,
				 0x2000 + msn * 0x1000, octets, 8));
}

static void what_is_written_is_read(void)
{
	struct learning l;

	begin(&l);
	/* What was there before is not known. */
	CU_ASSERT_EQUAL(reads(&l, 1, "whatever"), 0);
	/* But after that it is. */
	CU_ASSERT_EQUAL(reads(&l, 2, "whatever"), 0);
	CU_ASSERT_EQUAL(reads(&l, 3, "whatEver"), 1);
	CU_ASSERT_EQUAL(l.f.objections.list[0].req, REQ_OF(RDMAP_5_2_1_09));
	/* One slip is one objection. */
	CU_ASSERT_EQUAL(reads(&l, 4, "whatEver"), 0);
	peer(&l.f, tagged(RDMAP_WRITE, STAG, BASE + 2, "XY", 2));
	CU_ASSERT_EQUAL(reads(&l, 5, "whXYEver"), 0);
	CU_ASSERT_EQUAL(reads(&l, 6, "whXYEvEr"), 1);
}

static void a_write_behind_a_read_may_be_seen_by_it(void)
{
	struct learning l;

	begin(&l);
	CU_ASSERT_EQUAL(reads(&l, 1, "12345678"), 0);
	peer(&l.f, read_request(&l.f, 2, 8, STAG, BASE));
	peer(&l.f, tagged(RDMAP_WRITE, STAG, BASE, "ABCD", 4));
	CU_ASSERT_EQUAL(dut(&l.f, tagged(RDMAP_READ_RESPONSE, 0xaaaa, 0x4000,
					 "AB345678", 8)),
			0);
	CU_ASSERT_EQUAL(reads(&l, 3, "ABCD5678"), 0);
}

/* In either octet order, which the first original value shows. */
static void a_word_is_what_an_atomic_leaves(void)
{
	struct learning l;

	begin(&l);
	peer(&l.f, tagged(RDMAP_WRITE, STAG, BASE, "\1\0\0\0\0\0\0\0", 8));
	peer(&l.f, fetchadd(&l.f, 1, 11, BASE, 2));
	CU_ASSERT_EQUAL(dut(&l.f, atomic_response(&l.f, 1, 11, 1)), 0);
	CU_ASSERT_EQUAL(reads(&l, 2, "\3\0\0\0\0\0\0\0"), 0);
	peer(&l.f, fetchadd(&l.f, 3, 12, BASE, 1));
	CU_ASSERT_EQUAL(dut(&l.f, atomic_response(&l.f, 2, 12, 3)), 0);
	CU_ASSERT_EQUAL(reads(&l, 4, "\0\0\0\0\0\0\0\4"), 1);
	CU_ASSERT_EQUAL(l.f.objections.list[0].req, REQ_OF(RDMAPX_5_1_1_01));

	begin(&l);
	peer(&l.f, tagged(RDMAP_WRITE, STAG, BASE, "\0\0\0\0\0\0\0\1", 8));
	peer(&l.f, fetchadd(&l.f, 1, 11, BASE, 2));
	CU_ASSERT_EQUAL(dut(&l.f, atomic_response(&l.f, 1, 11, 1)), 0);
	CU_ASSERT_EQUAL(reads(&l, 2, "\0\0\0\0\0\0\0\3"), 0);
	peer(&l.f, fetchadd(&l.f, 3, 12, BASE, 1));
	CU_ASSERT_EQUAL(dut(&l.f, atomic_response(&l.f, 2, 12, 7)), 1);
}

/* A Write that comes before the answer may have been before the atomic. */
static void a_word_written_meanwhile_is_not_known(void)
{
	struct learning l;

	begin(&l);
	CU_ASSERT_EQUAL(reads(&l, 1, "\1\0\0\0\0\0\0\0"), 0);
	peer(&l.f, fetchadd(&l.f, 2, 11, BASE, 2));
	peer(&l.f, tagged(RDMAP_WRITE, STAG, BASE, "\5\0\0\0\0\0\0\0", 8));
	CU_ASSERT_EQUAL(dut(&l.f, atomic_response(&l.f, 1, 11, 5)), 0);
	CU_ASSERT_EQUAL(reads(&l, 3, "\7\0\0\0\0\0\0\0"), 0);
}

/* No rule says which of two Writes is placed first, unless an answer has come
 * between them (RFC 5040 s5.5). */
static void the_later_of_two_writes_may_be_placed_first(void)
{
	struct learning l;

	begin(&l);
	peer(&l.f, tagged(RDMAP_WRITE, STAG, BASE, "ABCDEFGH", 8));
	peer(&l.f, tagged(RDMAP_WRITE, STAG, BASE, "abcd", 4));
	CU_ASSERT_EQUAL(reads(&l, 1, "ABCDEFGH"), 0);
	CU_ASSERT_EQUAL(reads(&l, 2, "abcdEFGH"), 1);

	begin(&l);
	peer(&l.f, tagged(RDMAP_WRITE, STAG, BASE, "ABCDEFGH", 8));
	peer(&l.f, tagged(RDMAP_WRITE, STAG, BASE, "abcd", 4));
	CU_ASSERT_EQUAL(reads(&l, 1, "ABCDEFGh"), 1);

	begin(&l);
	peer(&l.f, tagged(RDMAP_WRITE, STAG, BASE, "ABCDEFGH", 8));
	CU_ASSERT_EQUAL(reads(&l, 1, "ABCDEFGH"), 0);
	peer(&l.f, tagged(RDMAP_WRITE, STAG, BASE, "abcd", 4));
	CU_ASSERT_EQUAL(reads(&l, 2, "ABCDEFGH"), 1);

	/* So does the answer to a Read of no octets. */
	begin(&l);
	peer(&l.f, tagged(RDMAP_WRITE, STAG, BASE, "ABCDEFGH", 8));
	peer(&l.f, read_request(&l.f, 1, 0, 0, 0));
	CU_ASSERT_EQUAL(
		dut(&l.f, tagged(RDMAP_READ_RESPONSE, 0xaaaa, 0x3000, NULL, 0)),
		0);
	peer(&l.f, tagged(RDMAP_WRITE, STAG, BASE, "abcd", 4));
	CU_ASSERT_EQUAL(reads(&l, 2, "ABCDEFGH"), 1);

	/* The Request that is answered was there before the second Write. */
	begin(&l);
	peer(&l.f, tagged(RDMAP_WRITE, STAG, BASE, "ABCDEFGH", 8));
	peer(&l.f, read_request(&l.f, 1, 8, STAG, BASE + 8));
	peer(&l.f, tagged(RDMAP_WRITE, STAG, BASE, "abcd", 4));
	CU_ASSERT_EQUAL(dut(&l.f, tagged(RDMAP_READ_RESPONSE, 0xaaaa, 0x3000,
					 "12345678", 8)),
			0);
	CU_ASSERT_EQUAL(reads(&l, 2, "ABCDEFGH"), 0);
}

/* The sink of a Read may have an STag of its own. */
static void a_sink_may_be_the_same_memory(void)
{
	struct learning l;

	begin(&l);
	CU_ASSERT_EQUAL(reads(&l, 1, "12345678"), 0);
	/* No octets are placed anywhere. */
	dut(&l.f, read_request(&l.f, 1, 0, 0xbbbb, 0x7000));
	peer(&l.f, tagged(RDMAP_READ_RESPONSE, 0xaaaa, 0x3000, NULL, 0));
	CU_ASSERT_EQUAL(reads(&l, 2, "1234567x"), 1);
	dut(&l.f, read_request(&l.f, 2, 4, 0xbbbb, 0x7000));
	peer(&l.f, tagged(RDMAP_READ_RESPONSE, 0xaaaa, 0x3000, "WXYZ", 4));
	CU_ASSERT_EQUAL(reads(&l, 3, "WXYZ5678"), 0);
}

/* A Compare and Swap; every field is the caller's. */
static struct ddp_segment atomic(struct learning *l, uint32_t msn,
				 struct rdmap_atomic_request h)
{
	uint8_t *room = l->f.octets[l->f.made++ % 4];

	h.stag = STAG;
	h.to = BASE;
	h.id = msn;
	rdmap_atomic_request_encode(&h, room, 128);
	return untagged(RDMAP_ATOMIC_REQUEST, 1, msn, room,
			RDMAP_ATOMIC_REQUEST_OCTETS);
}

/* RFC 7306 s5.1.1, s5.1.2: each combination of masks has a sentence of its own,
 * and a word that a later Read finds otherwise breaks that one. */
static void a_wrong_word_breaks_the_sentence_of_its_masks(void)
{
	static const uint64_t all = UINT64_MAX, top = UINT64_C(1) << 63;
	const struct {
		struct rdmap_atomic_request h;
		unsigned short req;
	} rows[] = {
		{{.aopcode = RDMAP_FETCHADD, .data = 2},
		 REQ_OF(RDMAPX_5_1_1_01)},
		{{.aopcode = RDMAP_FETCHADD, .data = 2, .mask = all},
		 REQ_OF(RDMAPX_5_1_1_06)},
		{{.aopcode = RDMAP_FETCHADD, .data = 2, .mask = top},
		 REQ_OF(RDMAPX_5_1_1_07)},
		{{.aopcode = RDMAP_FETCHADD, .data = 2, .mask = 0x80},
		 REQ_OF(RDMAPX_5_1_1_08)},
		/* It compares equal, and is swapped. */
		{{.aopcode = RDMAP_CMPSWAP,
		  .data = 5,
		  .mask = all,
		  .compare = 1,
		  .compare_mask = all},
		 REQ_OF(RDMAPX_5_1_2_01)},
		{{.aopcode = RDMAP_CMPSWAP,
		  .data = 5,
		  .mask = all,
		  .compare = 1,
		  .compare_mask = 0xff},
		 REQ_OF(RDMAPX_5_1_2_03)},
		{{.aopcode = RDMAP_CMPSWAP, .data = 5, .mask = all},
		 REQ_OF(RDMAPX_5_1_2_04)},
		{{.aopcode = RDMAP_CMPSWAP, .data = 5},
		 REQ_OF(RDMAPX_5_1_2_05)},
		{{.aopcode = RDMAP_CMPSWAP, .data = 5, .mask = 0xf},
		 REQ_OF(RDMAPX_5_1_2_06)},
		/* It does not. */
		{{.aopcode = RDMAP_CMPSWAP,
		  .data = 5,
		  .mask = all,
		  .compare = 2,
		  .compare_mask = all},
		 REQ_OF(RDMAPX_5_1_2_02)},
		{{.aopcode = RDMAP_CMPSWAP,
		  .data = 5,
		  .mask = all,
		  .compare = 2,
		  .compare_mask = 0xff},
		 REQ_OF(RDMAPX_5_1_2_03)},
	};
	struct learning l;

	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		begin(&l);
		peer(&l.f,
		     tagged(RDMAP_WRITE, STAG, BASE, "\1\0\0\0\0\0\0\0", 8));
		peer(&l.f, atomic(&l, 1, rows[i].h));
		CU_ASSERT_EQUAL(dut(&l.f, atomic_response(&l.f, 1, 1, 1)), 0);
		CU_ASSERT_EQUAL(reads(&l, 2, "other!!!"), 1);
		CU_ASSERT_EQUAL(l.f.objections.list[0].req, rows[i].req);
	}
}

/* The value that comes back is the one that was there. */
static void a_wrong_original_breaks_the_sentence_of_its_kind(void)
{
	const struct rdmap_atomic_request swap = {.aopcode = RDMAP_CMPSWAP};
	struct learning l;

	begin(&l);
	peer(&l.f, tagged(RDMAP_WRITE, STAG, BASE, "\1\0\0\0\0\0\0\0", 8));
	peer(&l.f, atomic(&l, 1, swap));
	CU_ASSERT_EQUAL(dut(&l.f, atomic_response(&l.f, 1, 1, 7)), 1);
	CU_ASSERT_EQUAL(l.f.objections.list[0].req, REQ_OF(RDMAPX_5_1_2_08));
	/* After that, no word is certain. */
	peer(&l.f, atomic(&l, 2, swap));
	CU_ASSERT_EQUAL(dut(&l.f, atomic_response(&l.f, 2, 2, 9)), 0);
}

/* RFC 7306 s5.1.1: the host chooses the order of the octets. A word that is the
 * same in both orders does not show it. */
static void a_word_of_either_order_is_not_known_afterwards(void)
{
	struct learning l;

	begin(&l);
	CU_ASSERT_EQUAL(reads(&l, 1, "\0\0\0\0\0\0\0\0"), 0);
	peer(&l.f, fetchadd(&l.f, 2, 11, BASE, 1));
	CU_ASSERT_EQUAL(dut(&l.f, atomic_response(&l.f, 1, 11, 0)), 0);
	CU_ASSERT_EQUAL(reads(&l, 3, "\0\0\0\0\0\0\0\1"), 0);
	begin(&l);
	CU_ASSERT_EQUAL(reads(&l, 1, "\0\0\0\0\0\0\0\0"), 0);
	peer(&l.f, fetchadd(&l.f, 2, 11, BASE, 1));
	CU_ASSERT_EQUAL(dut(&l.f, atomic_response(&l.f, 1, 11, 0)), 0);
	CU_ASSERT_EQUAL(reads(&l, 3, "\1\0\0\0\0\0\0\0"), 0);
	/* One that leaves such a word is. */
	begin(&l);
	CU_ASSERT_EQUAL(reads(&l, 1, "\0\0\0\0\0\0\0\0"), 0);
	peer(&l.f, fetchadd(&l.f, 2, 11, BASE, 0));
	CU_ASSERT_EQUAL(dut(&l.f, atomic_response(&l.f, 1, 11, 0)), 0);
	CU_ASSERT_EQUAL(reads(&l, 3, "\0\0\0\0\0\0\0\1"), 1);
}

/* RFC 5041 s7.1: an Atomic Response ahead of its turn may have a buffer. */
static void a_response_ahead_may_wait(void)
{
	struct learning l;

	begin(&l);
	peer(&l.f, atomic_response(&l.f, 2, 1, 0));
	CU_ASSERT_TRUE(model_outcomes_has(&l.f.outcomes, MODEL_WAIT));
	begin(&l);
	peer(&l.f, atomic_response(&l.f, 1 + MODEL_REQUESTS, 1, 0));
	CU_ASSERT_FALSE(model_outcomes_has(&l.f.outcomes, MODEL_WAIT));
}

/* An STag that may have been withdrawn says nothing of a Write to it. */
static void a_doubtful_stag_may_be_invalid(void)
{
	struct learning l;

	begin(&l);
	l.f.m.region[0].doubtful = true;
	CU_ASSERT_EQUAL(
		peer(&l.f, tagged(RDMAP_WRITE, STAG, BASE + LEN, "x", 1)),
		MODEL_STIM_NONE);
	l.f.m.region[0].doubtful = false;
	CU_ASSERT_EQUAL(
		peer(&l.f, tagged(RDMAP_WRITE, STAG, BASE + LEN, "x", 1)),
		MODEL_STIM_TAGGED_BOUNDS);
}

/* RFC 7306 s5.1.1: the address has to be aligned, and only a memory whose
 * addresses are known shows it. */
static void alignment_is_seen_where_addresses_are(void)
{
	struct learning l;

	begin(&l);
	CU_ASSERT_EQUAL(peer(&l.f, fetchadd(&l.f, 1, 11, BASE + 1, 2)),
			MODEL_STIM_NONE);
	begin(&l);
	l.f.m.region[0].by_address = true;
	CU_ASSERT_EQUAL(peer(&l.f, fetchadd(&l.f, 1, 11, BASE + 1, 2)),
			MODEL_STIM_ATOMIC_UNALIGNED);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"what is written is read", what_is_written_is_read},
		{"a Write behind a Read",
		 a_write_behind_a_read_may_be_seen_by_it},
		{"atomics", a_word_is_what_an_atomic_leaves},
		{"a word written meanwhile",
		 a_word_written_meanwhile_is_not_known},
		{"two Writes to one place",
		 the_later_of_two_writes_may_be_placed_first},
		{"a wrong word breaks the sentence of its masks",
		 a_wrong_word_breaks_the_sentence_of_its_masks},
		{"a wrong original breaks the sentence of its kind",
		 a_wrong_original_breaks_the_sentence_of_its_kind},
		{"a word of either order is not known afterwards",
		 a_word_of_either_order_is_not_known_afterwards},
		{"a Response ahead may wait", a_response_ahead_may_wait},
		{"a doubtful STag may be invalid",
		 a_doubtful_stag_may_be_invalid},
		{"alignment is seen where addresses are",
		 alignment_is_seen_where_addresses_are},
		{"another STag of the same memory",
		 a_sink_may_be_the_same_memory},
	};

	return unit_run("observed", tests, UNIT_COUNT(tests));
}

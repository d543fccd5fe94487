/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sessions as a text: one word for each chunk, "p" for the peer and "d" for the
 * device, with a function code, or "s" for a segment. A faulty word is followed
 * by its fault.
 */
#include "suite/model/startup/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/unit.h"
#include "suite/req/req.h"

static struct model_session s;
static uint16_t ssn[2];

static struct model_chunk chunk(enum model_side side, char what)
{
	struct model_chunk c = {.ppid = what == 's' ? SESSION_PPID_SEGMENT
						    : SESSION_PPID_CONTROL};

	c.session.control = what != 's';
	c.session.ddp_ssn = ssn[side]++;
	c.session.function = what == 'x'   ? SESSION_EXPERIMENTAL
			     : what == 's' ? 0
					   : (uint16_t)(what - '0');
	return c;
}

static const char *fault_name(enum model_session_fault fault)
{
	static const char *const names[] = {
		"",        "ppid", "ordered",  "cut",   "ssn",     "function",
		"private", "data", "sequence", "mixed", "unasked", "after",
	};

	return names[fault];
}

static const char *due_name(enum model_session_due due)
{
	static const char *const names[] = {"", "answers", "ended", "open",
					    "waits"};

	return names[due];
}

/* A whole session; the fault after the ":" of each word has to be found. */
static void must_be(const char *text)
{
	char copy[256], *rest = copy, *word;

	snprintf(copy, sizeof(copy), "%s", text);
	while ((word = strsep(&rest, " "))) {
		const char *expected = strchr(word, ':');
		enum model_side side = word[0] == 'p' ? MODEL_PEER : MODEL_DUT;
		struct model_chunk c = chunk(side, word[1]);
		const char *found =
			side == MODEL_DUT
				? fault_name(model_session_dut(&s, &c).fault)
				: due_name(model_session_peer(&s, &c).due);

		expected = expected ? expected + 1 : "";
		if (strcmp(found, expected) != 0)
			fprintf(stderr, "%s: at %s found '%s'\n", text, word,
				found);
		CU_ASSERT_STRING_EQUAL(found, expected);
	}
}

static void begin(bool knows_rfc6581, unsigned rejects)
{
	model_session_init(&s, knows_rfc6581);
	s.rejects_agreed = rejects;
	ssn[0] = ssn[1] = 0;
}

struct row {
	const char *text;
	bool over, may_end;
};

/* RFC 5043 s6.2 to s6.4, RFC 6581 s7: all legal sessions. */
static void legal_sequences(void)
{
	static const struct row rows[] = {
		{"p1:answers d2 ps ds ps p4 d4", true, true},
		{"p1:answers d2 ps ds p4", false, true},
		{"p1:answers d2 ds d4 ps p4", true, true},
		{"p1:answers d2 d4", false, true},
		{"p1:answers d2", false, false},
		{"p1:answers d3", true, true},
		{"p1:answers d4", true, true},
		{"d1 p2 ds ps d4 p4", true, true},
		{"d1 ds p2 ps ds d4 p4", true, true},
		{"d1 ds p3", true, true},
		{"d1 p3", true, true},
		{"d1 p4", true, true},
		{"d1 d4", false, true},
		{"d1 d4 p2 p4", true, true},
		{"p5:answers d6 ps ds p4 d4", true, true},
		{"p5:answers d7", true, true},
		{"p5:answers d4", true, true},
		{"d5 p6 ds d4", false, true},
		{"d5 p7", true, true},
		{"p1:answers p4:open d2 d4", true, true},
	};

	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		begin(true, 1);
		must_be(rows[i].text);
		CU_ASSERT_EQUAL(model_session_is_over(&s), rows[i].over);
		CU_ASSERT_EQUAL(model_session_may_end(&s), rows[i].may_end);
	}
}

static void the_device_leaves_the_patterns(void)
{
	static const char *const rows[] = {
		"ds:sequence",
		"d2:sequence",
		"d4:sequence",
		"d1 d1:sequence",
		"d1 d2:sequence",
		"p1:answers ds:sequence",
		"p1:answers d1:sequence",
		"p1:answers d2 d2:sequence",
		"p1:answers d2 d3:sequence",
		"p1:answers d2 ps d1:sequence",
		"p1:answers d2 d4 ds:after",
		"p1:answers d2 d4 d4:after",
		"p1:answers d4 d2:after",
		"p1:answers d3 ds:after",
		"d1 p3 ds:after",
		"d1 p3 d4:after",
		"d1 p4 ds:after",
		"p1:answers d6:mixed",
		"p5:answers d2:mixed",
		"p5:answers d3:mixed",
		"d0:function",
		"dx:function",
		"d8:function",
	};

	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		begin(true, 1);
		must_be(rows[i]);
	}
	begin(true, 0);
	must_be("p1:answers d3:unasked");
	begin(false, 0);
	must_be("d5:function");
}

static void the_peer_leaves_the_patterns(void)
{
	static const char *const rows[] = {
		"ps:ended",
		"p2:ended",
		"p4:ended",
		"p1:answers p1:ended",
		"p1:answers ps:ended",
		"p1:answers d2 p1:ended",
		"p1:answers d2 p4 ps:ended",
		"p1:answers d3 ps:ended",
		"d1 ps:ended",
		"d1 p1:ended",
		"d1 p6:ended",
		"d5 p2:ended",
		"p1:answers d2 p0:ended",
		"p1:answers d2 p8:ended",
		"p1:answers d2 px:ended",
		"p0:ended p1:ended",
	};

	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		begin(true, 1);
		must_be(rows[i]);
	}
}

static struct model_session_verdict dut(struct model_chunk c)
{
	return model_session_dut(&s, &c);
}

static void what_a_chunk_may_hold(void)
{
	struct model_chunk c;
	struct model_session_verdict v;

	begin(true, 1);
	c = chunk(MODEL_DUT, '1');
	c.ppid = 18;
	v = dut(c);
	CU_ASSERT_EQUAL(v.fault, MODEL_SESSION_PPID);
	CU_ASSERT_EQUAL(v.req, REQ_INDEX_SCTPX_5_1_03);
	CU_ASSERT_EQUAL(v.seen, 18);

	begin(true, 1);
	c = chunk(MODEL_DUT, '1');
	c.ordered = true;
	CU_ASSERT_EQUAL(dut(c).req, REQ_INDEX_SCTPX_10_01);

	begin(true, 1);
	c = chunk(MODEL_DUT, '1');
	c.session.cut = true;
	CU_ASSERT_EQUAL(dut(c).fault, MODEL_SESSION_CUT);

	for (size_t n = 512; n < 514; n++) {
		begin(true, 1);
		c = chunk(MODEL_DUT, '1');
		c.session.body_octets = n;
		CU_ASSERT_EQUAL(dut(c).req,
				n > 512 ? REQ_INDEX_SCTPX_5_2_3_08 : 0);
		begin(true, 1);
		c = chunk(MODEL_DUT, '5');
		c.session.body_octets = n;
		CU_ASSERT_EQUAL(dut(c).req,
				n > 512 ? REQ_INDEX_SCTPX_6581_7_05 : 0);
		/* The receiver may react in any way. */
		begin(true, 1);
		c = chunk(MODEL_PEER, '1');
		c.session.body_octets = n;
		CU_ASSERT_EQUAL(model_session_peer(&s, &c).due,
				n > 512 ? MODEL_SESSION_IS_OPEN
					: MODEL_SESSION_ANSWERS);
	}
	begin(true, 1);
	must_be("d1 p2");
	c = chunk(MODEL_DUT, '4');
	c.session.body_octets = 1;
	CU_ASSERT_EQUAL(dut(c).req, REQ_INDEX_SCTPX_5_2_3_09);
	begin(true, 1);
	must_be("d5 p6");
	c = chunk(MODEL_DUT, '4');
	c.session.body_octets = 1;
	CU_ASSERT_EQUAL(dut(c).req, REQ_INDEX_SCTPX_6581_7_06);
}

/* RFC 5043 s6, s6.1, s10. */
static void numbers_are_in_turn(void)
{
	struct model_chunk c;
	struct model_session_verdict v;

	begin(true, 1);
	c = chunk(MODEL_DUT, '1');
	c.session.ddp_ssn = 1;
	CU_ASSERT_EQUAL(dut(c).req, REQ_INDEX_SCTPX_6_1_01);

	begin(true, 1);
	must_be("d1 p2 ds ds");
	c = chunk(MODEL_DUT, 's');
	c.session.ddp_ssn++;
	v = dut(c);
	CU_ASSERT_EQUAL(v.fault, MODEL_SESSION_SSN);
	CU_ASSERT_EQUAL(v.req, REQ_INDEX_SCTPX_6_01);
	CU_ASSERT_EQUAL(v.seen, 4);
	CU_ASSERT_EQUAL(v.due, 3);
	/* One gap is one fault. */
	ssn[MODEL_DUT]++;
	must_be("ds");

	begin(true, 1);
	must_be("p1:answers d2");
	c = chunk(MODEL_PEER, 's');
	c.session.ddp_ssn = 40000;
	CU_ASSERT_EQUAL(model_session_peer(&s, &c).due, MODEL_SESSION_IS_ENDED);
	begin(true, 1);
	must_be("p1:answers d2");
	c = chunk(MODEL_PEER, 's');
	c.session.ddp_ssn = 2;
	CU_ASSERT_EQUAL(model_session_peer(&s, &c).due, MODEL_SESSION_WAITS);
	c.session.ddp_ssn = 1;
	CU_ASSERT_EQUAL(model_session_peer(&s, &c).due, MODEL_SESSION_GOES_ON);
	c.session.ddp_ssn = 1;
	CU_ASSERT_EQUAL(model_session_peer(&s, &c).due, MODEL_SESSION_IS_ENDED);

	/* Across the wrap. */
	begin(true, 1);
	must_be("d1 p2");
	for (uint32_t i = 1; i < 70000; i++)
		CU_ASSERT_EQUAL_FATAL(dut(chunk(MODEL_DUT, 's')).fault,
				      MODEL_SESSION_RIGHT);
}

/* Any chunks in any order: there is always an answer, and no way back. */
static void noise_has_an_answer(void)
{
	uint32_t state = 5043;

	for (unsigned run = 0; run < 2000; run++) {
		bool over = false;

		begin(run & 1, run & 2);
		for (unsigned i = 0; i < 30; i++) {
			struct model_chunk c;

			state = state * 1664525u + 1013904223u;
			c = chunk(state >> 31 ? MODEL_PEER : MODEL_DUT,
				  "s0123456789x"[(state >> 8) % 12]);
			if (state >> 31)
				CU_ASSERT(model_session_peer(&s, &c).due <=
					  MODEL_SESSION_WAITS);
			if (!(state >> 31)) {
				struct model_session_verdict v = dut(c);

				CU_ASSERT(!v.fault ||
					  v.req < (unsigned)REQ_COUNT);
				CU_ASSERT(!over || v.fault);
			}
			CU_ASSERT(!over || model_session_is_over(&s));
			over = model_session_is_over(&s);
		}
	}
}

/* RFC 5043 s5.2.2, s6.1: the message that is cut, and the number that was used.
 */
static void each_chunk_breaks_its_own_sentence(void)
{
	struct model_chunk c;

	begin(true, 1);
	c = chunk(MODEL_DUT, '1');
	c.session.cut = true;
	CU_ASSERT_EQUAL(dut(c).req, REQ_INDEX_SCTPX_5_2_02);
	begin(true, 1);
	c = chunk(MODEL_DUT, 's');
	c.session.cut = true;
	CU_ASSERT_EQUAL(dut(c).req, REQ_INDEX_SCTPX_5_2_2_01);
	begin(true, 1);
	must_be("d1 p2 ds");
	c = chunk(MODEL_DUT, 's');
	c.session.ddp_ssn = 1;
	CU_ASSERT_EQUAL(dut(c).req, REQ_INDEX_SCTPX_5_2_1_01);
	begin(true, 1);
	must_be("d1 p2 ds");
	c = chunk(MODEL_DUT, 's');
	c.session.ddp_ssn = 9;
	CU_ASSERT_EQUAL(dut(c).req, REQ_INDEX_SCTPX_6_01);
	/* Those of the peer end the session. */
	begin(true, 1);
	c = chunk(MODEL_PEER, '1');
	c.ppid = 18;
	CU_ASSERT_EQUAL(model_session_peer(&s, &c).due, MODEL_SESSION_IS_ENDED);
	begin(true, 1);
	c = chunk(MODEL_PEER, '1');
	c.session.cut = true;
	CU_ASSERT_EQUAL(model_session_peer(&s, &c).due, MODEL_SESSION_IS_ENDED);
}

/* After a fault that changes the meaning of what follows, nothing is judged. */
static void some_faults_lead_astray(void)
{
	CU_ASSERT_FALSE(model_session_leads_astray(MODEL_SESSION_RIGHT));
	CU_ASSERT_FALSE(model_session_leads_astray(MODEL_SESSION_ORDERED));
	CU_ASSERT_FALSE(model_session_leads_astray(MODEL_SESSION_PRIVATE));
	CU_ASSERT_FALSE(model_session_leads_astray(MODEL_SESSION_WITH_DATA));
	CU_ASSERT_TRUE(model_session_leads_astray(MODEL_SESSION_CUT));
	CU_ASSERT_TRUE(model_session_leads_astray(MODEL_SESSION_SSN));
}

/* RFC 6581 s7: codes 5 to 7 are the Request and the Replies of enhanced MPA. */
static void some_chunks_are_startup_frames(void)
{
	static const struct {
		char what;
		bool is_one;
		uint8_t flags, rev;
	} rows[] = {
		{'1', true, MPA_C, 1},
		{'2', true, MPA_C, 1},
		{'3', true, MPA_C | MPA_R, 1},
		{'5', true, MPA_C | MPA_S, 2},
		{'6', true, MPA_C | MPA_S, 2},
		{'7', true, MPA_C | MPA_S | MPA_R, 2},
		{'0', false, 0, 0},
		{'4', false, 0, 0},
		{'8', false, 0, 0},
	};
	struct mpa_startup f;

	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		struct model_chunk c = chunk(MODEL_DUT, rows[i].what);

		CU_ASSERT_EQUAL(model_session_startup(&c.session, &f),
				rows[i].is_one);
		if (!rows[i].is_one)
			continue;
		CU_ASSERT_EQUAL(f.flags, rows[i].flags);
		CU_ASSERT_EQUAL(f.rev, rows[i].rev);
		c.session.cut = true;
		CU_ASSERT_FALSE(model_session_startup(&c.session, &f));
	}
}

static const struct unit_test tests[] = {
	{"legal_sequences", legal_sequences},
	{"the_device_leaves_the_patterns", the_device_leaves_the_patterns},
	{"the_peer_leaves_the_patterns", the_peer_leaves_the_patterns},
	{"what_a_chunk_may_hold", what_a_chunk_may_hold},
	{"each chunk breaks its own sentence",
	 each_chunk_breaks_its_own_sentence},
	{"some faults lead astray", some_faults_lead_astray},
	{"some chunks are startup frames", some_chunks_are_startup_frames},
	{"numbers_are_in_turn", numbers_are_in_turn},
	{"noise_has_an_answer", noise_has_an_answer},
};

int main(void)
{
	return unit_run("sessions of the model", tests, UNIT_COUNT(tests));
}

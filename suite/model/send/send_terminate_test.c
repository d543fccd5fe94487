/* SPDX-License-Identifier: BSD-2-Clause */
/* Terminates. Of a device of which the wire alone is seen, only what the returned
 * message shows, or what was seen on the wire, rules a cause out. */
#include "suite/model/model_fixture.h"

static void watch_with(struct fixture *f, bool crc, uint32_t ird)
{
	struct model_config c = plain_config();

	c.observed = true;
	c.crc = crc;
	c.ird = ird;
	c.regions_known = c.receives_known = c.works_known = false;
	setup_with(f, &c);
}

static void watch(struct fixture *f)
{
	watch_with(f, true, 4);
}

/* A Terminate with exactly these parts. */
static struct ddp_segment terminate(struct fixture *f,
				    const struct rdmap_terminate *t)
{
	uint8_t *room = f->octets[f->made++ % 4];

	return untagged(RDMAP_TERMINATE, 2, 1, room,
			rdmap_terminate_encode(t, room, 128));
}

/* It returns nothing. */
static struct ddp_segment bare(struct fixture *f, unsigned layer,
			       unsigned etype, unsigned code)
{
	return terminate_about(f, layer, etype, code, NULL, false);
}

static bool objects(const struct fixture *f, unsigned short req)
{
	for (unsigned i = 0; i < f->objections.n; i++)
		if (f->objections.list[i].req == req)
			return true;
	return false;
}

/* RFC 5041 s7.2, RFC 5040 s7.2: a version, an opcode or a queue is in the
 * header that comes back. */
static void what_the_header_shows_is_no_cause(void)
{
	static const uint8_t codes[][3] = {
		{1, 2, 0x01}, {1, 2, 0x06}, {0, 2, 0x05}};
	struct fixture f;
	struct ddp_segment sent = send_of(1, "hello");

	for (size_t i = 0; i < UNIT_COUNT(codes); i++) {
		watch(&f);
		peer(&f, sent);
		dut(&f, terminate_about(&f, codes[i][0], codes[i][1],
					codes[i][2], &sent, false));
		CU_ASSERT_TRUE(only(&f, MODEL_FAULT_TERMINATE_UNCALLED,
				    REQ_OF(RDMAP_4_8_31)));
	}
	/* A receive buffer may be missing, or too short. */
	watch(&f);
	peer(&f, sent);
	CU_ASSERT_EQUAL(dut(&f, terminate_about(&f, 1, 2, 0x05, &sent, false)),
			0);
	/* With another version it is not what was sent. */
	watch(&f);
	peer(&f, sent);
	sent.ddp.dv = 2;
	CU_ASSERT_EQUAL(dut(&f, terminate_about(&f, 1, 2, 0x06, &sent, false)),
			0);
}

static void a_message_at_fault_has_its_number(void)
{
	struct fixture f;
	struct ddp_segment right = send_of(1, "hello");
	struct ddp_segment wrong = send_of(2, "hello");

	wrong.ddp.dv = 2;
	watch(&f);
	peer(&f, right);
	CU_ASSERT_EQUAL(peer(&f, wrong), MODEL_STIM_DV2_UNTAGGED);
	CU_ASSERT_EQUAL(dut(&f, terminate_about(&f, 1, 2, 0x06, &wrong, false)),
			0);
	/* The number of another error. */
	wrong.ddp.msn = 1;
	watch(&f);
	peer(&f, wrong);
	dut(&f, terminate_about(&f, 1, 2, 0x01, &wrong, false));
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_TERMINATE_CODE, REQ_OF(DDP_4_1_19)));
	/* What comes back is then compared with it. */
	watch(&f);
	peer(&f, wrong);
	struct ddp_segment longer = wrong;

	longer.payload_octets++;
	dut(&f, terminate_about(&f, 1, 2, 0x06, &longer, false));
	CU_ASSERT_TRUE(objects(&f, REQ_OF(RDMAP_4_8_12)));
	/* It may be about the other one, whatever is wrong with that. */
	wrong.ddp.msn = 2;
	watch(&f);
	peer(&f, right);
	peer(&f, wrong);
	CU_ASSERT_EQUAL(dut(&f, terminate_about(&f, 1, 2, 0x01, &right, false)),
			0);
}

/* Two segments with one header: the returned length decides. */
static void the_length_tells_two_segments_apart(void)
{
	struct fixture f;
	struct ddp_segment one = send_of(1, "hello");
	struct ddp_segment two = send_of(1, "hello, hello");

	/* A device may accept this version. */
	one.ddp.rv = two.ddp.rv = 0;
	one.ddp.last = two.ddp.last = false;
	watch(&f);
	CU_ASSERT_EQUAL(peer(&f, one), MODEL_STIM_RV_ZERO);
	CU_ASSERT_EQUAL(peer(&f, two), MODEL_STIM_RV_ZERO);
	CU_ASSERT_EQUAL(dut(&f, terminate_about(&f, 0, 2, 0x05, &two, false)),
			0);
	watch(&f);
	peer(&f, one);
	peer(&f, two);
	two.payload_octets++;
	dut(&f, terminate_about(&f, 0, 2, 0x05, &two, false));
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_TERMINATE_SEGMENT_LENGTH,
			    REQ_OF(RDMAP_4_8_12)));
}

/* RFC 5040 s4.8: FF is for those errors that no other code names. */
static void unspecified_is_no_number_for_what_was_seen(void)
{
	struct fixture f;
	struct ddp_segment wrong = send_of(1, "hello");
	struct ddp_segment other = send_of(2, "hello");

	wrong.ddp.rv = 2;
	watch(&f);
	CU_ASSERT_EQUAL(peer(&f, wrong), MODEL_STIM_RV);
	dut(&f, terminate_about(&f, 0, 2, 0xff, &wrong, false));
	CU_ASSERT_TRUE(objects(&f, REQ_OF(RDMAP_4_8_33)));
	/* Of a message that has no fault it may be used. */
	watch(&f);
	peer(&f, wrong);
	dut(&f, terminate_about(&f, 0, 2, 0xff, &other, false));
	CU_ASSERT_FALSE(objects(&f, REQ_OF(RDMAP_4_8_33)));
}

/* RFC 5044 s4.4, s8. */
static void mpa_names_the_field_that_was_wrong(void)
{
	struct fixture f;
	struct ddp_segment sent = send_of(1, "hello");

	/* Nobody uses CRCs. */
	watch_with(&f, false, 4);
	peer(&f, sent);
	dut(&f, bare(&f, 2, 0, 0x02));
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_TERMINATE_UNCALLED, REQ_OF(MPA_4_4_06)));
	watch_with(&f, false, 4);
	peer(&f, sent);
	CU_ASSERT_EQUAL(dut(&f, bare(&f, 2, 0, 0x03)), 0);
	/* Of one FPDU at fault the other field is named. */
	watch(&f);
	model_peer_sends(&f.m, &sent, MODEL_FRAME_CRC_WRONG, &f.outcomes);
	CU_ASSERT_EQUAL(dut(&f, bare(&f, 2, 0, 0x02)), 0);
	watch(&f);
	model_peer_sends(&f.m, &sent, MODEL_FRAME_CRC_WRONG, &f.outcomes);
	dut(&f, bare(&f, 2, 0, 0x03));
	CU_ASSERT_TRUE(objects(&f, REQ_OF(MPA_8_02)));
	watch(&f);
	model_peer_sends(&f.m, &sent, MODEL_FRAME_MARKER_WRONG, &f.outcomes);
	dut(&f, bare(&f, 2, 0, 0x02));
	CU_ASSERT_TRUE(objects(&f, REQ_OF(MPA_8_04)));
	/* What changed on the way to the device was not seen. */
	watch(&f);
	peer(&f, sent);
	CU_ASSERT_EQUAL(dut(&f, bare(&f, 2, 0, 0x02)), 0);
	watch(&f);
	sent.ddp.dv = 2;
	peer(&f, sent);
	CU_ASSERT_EQUAL(dut(&f, bare(&f, 2, 0, 0x03)), 0);
}

/* RFC 5040 s4.8: errors of the LLP and local ones return nothing. */
static void an_error_of_no_message_returns_none(void)
{
	struct fixture f;
	struct ddp_segment sent = send_of(1, "hello");
	uint8_t nothing[RDMAP_READ_REQUEST_OCTETS] = {0};
	struct rdmap_terminate t = {
		.layer = TERM_RDMA,
		.r = true,
		.rdma_header = nothing,
	};

	watch(&f);
	peer(&f, sent);
	CU_ASSERT_EQUAL(dut(&f, bare(&f, 0, 0, 0x00)), 0);
	watch(&f);
	peer(&f, sent);
	dut(&f, terminate_about(&f, 0, 0, 0x00, &sent, false));
	CU_ASSERT_TRUE(objects(&f, REQ_OF(RDMAP_4_8_16)));
	CU_ASSERT_TRUE(objects(&f, REQ_OF(RDMAP_4_8_30)));
	watch(&f);
	peer(&f, sent);
	dut(&f, terminate_about(&f, 2, 0, 0x05, &sent, false));
	CU_ASSERT_TRUE(objects(&f, REQ_OF(RDMAP_7_1_02)));
	/* Of a Read Request header, too; zeros are nothing. */
	watch(&f);
	peer(&f, sent);
	dut(&f, terminate(&f, &t));
	CU_ASSERT_FALSE(objects(&f, REQ_OF(RDMAP_4_8_16)));
	CU_ASSERT_TRUE(objects(&f, REQ_OF(RDMAP_4_8_30)));
	nothing[27] = 1;
	watch(&f);
	peer(&f, sent);
	dut(&f, terminate(&f, &t));
	CU_ASSERT_TRUE(objects(&f, REQ_OF(RDMAP_4_8_16)));
	/* The CRC and the markers are of an FPDU that cannot be returned. */
	watch(&f);
	peer(&f, sent);
	dut(&f, terminate_about(&f, 2, 0, 0x02, &sent, false));
	CU_ASSERT_TRUE(objects(&f, REQ_OF(RDMAP_4_8_25)));
}

/* RFC 5040 s4.8, figure 10: the error names a message, and none comes back. */
static void an_error_of_a_message_returns_it(void)
{
	struct fixture f;
	struct ddp_segment sent = send_of(1, "hello");
	struct ddp_segment wrong = send_of(1, "hello");
	static const struct {
		uint8_t layer, etype, code;
		unsigned short req;
	} rows[] = {
		{1, 1, 0x00, REQ_OF(RDMAP_4_8_26)},
		{1, 2, 0x02, REQ_OF(RDMAP_4_8_26)},
		{0, 1, 0x00, REQ_OF(RDMAP_4_8_27)},
		{0, 2, 0x05, REQ_OF(RDMAP_4_8_28)},
	};

	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		watch(&f);
		peer(&f, sent);
		dut(&f, bare(&f, rows[i].layer, rows[i].etype, rows[i].code));
		CU_ASSERT_TRUE(
			only(&f, MODEL_FAULT_TERMINATE_BITS, rows[i].req));
	}
	/* The message at fault was a Send: its header is due. */
	wrong.ddp.rv = 2;
	watch(&f);
	peer(&f, wrong);
	dut(&f, bare(&f, 0, 2, 0x05));
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_TERMINATE_BITS, REQ_OF(RDMAP_7_1_03)));
	/* DDP's catastrophic error, and RDMAP's, may be about none. */
	watch(&f);
	peer(&f, sent);
	CU_ASSERT_EQUAL(dut(&f, bare(&f, 1, 0, 0x00)), 0);
	watch(&f);
	peer(&f, sent);
	CU_ASSERT_EQUAL(dut(&f, bare(&f, 0, 2, 0x07)), 0);
	/* Without a CRC it may have arrived as another message. */
	watch_with(&f, false, 4);
	peer(&f, sent);
	CU_ASSERT_EQUAL(dut(&f, bare(&f, 1, 1, 0x00)), 0);
}

/* RFC 5041 s5.2: STag and TO of a Write of no octets are not looked at. */
static void an_empty_write_has_no_bounds(void)
{
	struct fixture f;
	struct ddp_segment empty = tagged(RDMAP_WRITE, 0x999, 7, NULL, 0);
	struct ddp_segment longer = tagged(RDMAP_WRITE, 0x999, 7, "x", 1);
	struct ddp_segment other = tagged(RDMAP_WRITE, 0x999, 8, NULL, 0);
	struct ddp_segment open = empty;

	watch(&f);
	peer(&f, empty);
	dut(&f, terminate_about(&f, 1, 1, 0x00, &empty, false));
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_TERMINATE_UNCALLED, REQ_OF(DDP_5_2_11)));
	/* With octets the STag may be invalid. */
	watch(&f);
	peer(&f, longer);
	CU_ASSERT_EQUAL(
		dut(&f, terminate_about(&f, 1, 1, 0x00, &longer, false)), 0);
	/* It returns another one, or not the last. */
	watch(&f);
	peer(&f, other);
	CU_ASSERT_EQUAL(dut(&f, terminate_about(&f, 1, 1, 0x00, &empty, false)),
			0);
	open.ddp.last = false;
	watch(&f);
	peer(&f, empty);
	CU_ASSERT_EQUAL(dut(&f, terminate_about(&f, 1, 1, 0x00, &open, false)),
			0);
	/* A Write whose earlier segment had octets. */
	open = longer;
	open.ddp.last = false;
	watch(&f);
	peer(&f, open);
	peer(&f, other);
	CU_ASSERT_EQUAL(dut(&f, terminate_about(&f, 1, 1, 0x00, &other, false)),
			0);
}

/* RFC 5040 s5.2.1: nor are those of a Read of no octets. */
static void an_empty_read_has_no_source(void)
{
	struct fixture f;
	struct ddp_segment read;

	watch(&f);
	read = read_request(&f, 1, 0, 0x999, 7);
	peer(&f, read);
	dut(&f, terminate_about(&f, 0, 1, 0x00, &read, true));
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_TERMINATE_UNCALLED,
			    REQ_OF(RDMAP_5_2_1_12)));
	watch(&f);
	read = read_request(&f, 1, 4, 0x999, 7);
	peer(&f, read);
	CU_ASSERT_EQUAL(dut(&f, terminate_about(&f, 0, 1, 0x00, &read, true)),
			0);
}

/* RFC 5040 s6.1: an IRD that was agreed on is room for so many Requests. */
static void a_request_within_ird_has_room(void)
{
	static const unsigned codes[] = {0x02, 0x03};
	struct fixture f;
	struct ddp_segment first, second;

	for (size_t i = 0; i < UNIT_COUNT(codes); i++) {
		watch(&f);
		first = read_request(&f, 1, 4, 0x999, 7);
		peer(&f, first);
		dut(&f, terminate_about(&f, 1, 2, codes[i], &first, false));
		CU_ASSERT_TRUE(only(&f, MODEL_FAULT_TERMINATE_UNCALLED,
				    REQ_OF(RDMAP_4_8_31)));
	}
	/* Another error of the queue may have its cause. */
	watch(&f);
	first = read_request(&f, 1, 4, 0x999, 7);
	peer(&f, first);
	CU_ASSERT_EQUAL(dut(&f, terminate_about(&f, 1, 2, 0x05, &first, false)),
			0);
	/* Of a Request that was not sent nothing is known. */
	watch(&f);
	first = read_request(&f, 1, 4, 0x999, 7);
	second = read_request(&f, 2, 4, 0x999, 7);
	peer(&f, first);
	CU_ASSERT_EQUAL(
		dut(&f, terminate_about(&f, 1, 2, 0x02, &second, false)), 0);
	/* Without an agreement one is served, if the device serves any. */
	watch_with(&f, true, MODEL_UNLIMITED);
	peer(&f, first);
	CU_ASSERT_EQUAL(dut(&f, terminate_about(&f, 1, 2, 0x02, &first, false)),
			0);
	watch_with(&f, true, MODEL_UNLIMITED);
	peer(&f, read_request(&f, 1, 0, 0, 0));
	CU_ASSERT_EQUAL(
		dut(&f, tagged(RDMAP_READ_RESPONSE, 0xaaaa, 0x3000, NULL, 0)),
		0);
	second = read_request(&f, 2, 4, 0x999, 7);
	peer(&f, second);
	dut(&f, terminate_about(&f, 1, 2, 0x02, &second, false));
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_TERMINATE_UNCALLED, REQ_OF(RDMAP_4_8_31)));
	/* A second one before the answer may be one too many. */
	watch_with(&f, true, MODEL_UNLIMITED);
	peer(&f, read_request(&f, 1, 0, 0, 0));
	dut(&f, tagged(RDMAP_READ_RESPONSE, 0xaaaa, 0x3000, NULL, 0));
	peer(&f, read_request(&f, 2, 4, 0x999, 7));
	second = read_request(&f, 3, 4, 0x999, 7);
	peer(&f, second);
	CU_ASSERT_EQUAL(
		dut(&f, terminate_about(&f, 1, 2, 0x02, &second, false)), 0);
}

/* RFC 5041 s7.1, RFC 5040 s7.2: octets inside a region of which STag and length
 * are known are within its bounds. */
static void what_is_inside_is_within_bounds(void)
{
	struct fixture f;
	struct ddp_segment sent;

	watch(&f);
	sent = tagged(RDMAP_WRITE, STAG, BASE + LEN - 5, "hello", 5);
	peer(&f, sent);
	dut(&f, terminate_about(&f, 1, 1, 0x01, &sent, false));
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_TERMINATE_UNCALLED, REQ_OF(RDMAP_4_8_31)));
	watch(&f);
	sent = read_request(&f, 1, 4, STAG, BASE + LEN - 4);
	peer(&f, sent);
	dut(&f, terminate_about(&f, 0, 1, 0x01, &sent, true));
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_TERMINATE_UNCALLED, REQ_OF(RDMAP_4_8_31)));
	watch(&f);
	sent = read_request(&f, 1, 4, STAG, BASE);
	peer(&f, sent);
	dut(&f, terminate_about(&f, 0, 1, 0x00, &sent, true));
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_TERMINATE_UNCALLED, REQ_OF(RDMAP_4_8_31)));
	/* DDP has no number for the right to write: that of the STag may stand
	 * for it. */
	watch(&f);
	sent = tagged(RDMAP_WRITE, STAG, BASE, "hello", 5);
	peer(&f, sent);
	CU_ASSERT_EQUAL(dut(&f, terminate_about(&f, 1, 1, 0x00, &sent, false)),
			0);
	/* An STag of another stream cannot be seen. */
	watch(&f);
	sent = read_request(&f, 1, 4, STAG, BASE);
	peer(&f, sent);
	CU_ASSERT_EQUAL(dut(&f, terminate_about(&f, 0, 1, 0x03, &sent, true)),
			0);
	/* What is not known of the memory may be so. */
	watch(&f);
	sent = tagged(RDMAP_WRITE, 0x999, BASE, "hello", 5);
	peer(&f, sent);
	CU_ASSERT_EQUAL(dut(&f, terminate_about(&f, 1, 1, 0x01, &sent, false)),
			0);
}

/* The peer's own Terminate, and lost segments, leave everything open. */
static void after_a_terminate_nothing_is_certain(void)
{
	struct fixture f;
	struct ddp_segment sent = send_of(1, "hello");

	watch(&f);
	peer(&f, sent);
	peer(&f, bare(&f, 0, 0, 0x00));
	CU_ASSERT_EQUAL(dut(&f, terminate_about(&f, 1, 2, 0x01, &sent, false)),
			0);
	watch(&f);
	peer(&f, sent);
	f.m.lossy = true;
	CU_ASSERT_EQUAL(dut(&f, terminate_about(&f, 1, 2, 0x01, &sent, false)),
			0);
}

/* RFC 5040 s4.8: a header that is not there may be zero, but not behind the
 * Terminate. */
static void zeros_behind_it_are_reported(void)
{
	struct fixture f;
	static const uint8_t zeros[RDMAP_READ_REQUEST_OCTETS];
	struct rdmap_terminate t = {.layer = TERM_RDMA,
				    .tail = {zeros, sizeof(zeros)}};

	watch(&f);
	peer(&f, send_of(1, "hello"));
	dut(&f, terminate(&f, &t));
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_TERMINATE_LENGTH, REQ_OF(RDMAP_4_8_32)));
	/* A device whose memory is known is not asked. */
	setup_released(&f);
	model_provoked(&f.m);
	CU_ASSERT_EQUAL(dut(&f, terminate(&f, &t)), 0);
}

/* RFC 6580 s3: the registries of the layers. RFC 5041 s7.2 reserves type 3 for
 * the LLP, where MPA has type 0. */
static void each_registry_has_its_row(void)
{
	static const struct {
		uint8_t layer, etype, code;
		unsigned short req;
	} rows[] = {
		{2, 3, 0x02, REQ_OF(IANA_3_3_02)},
		{2, 3, 0xff, REQ_OF(IANA_3_3_01)},
		{2, 0, 0xff, REQ_OF(IANA_3_3_01)},
		{1, 2, 0x00, REQ_OF(DDP_7_2_13)},
		{1, 2, 0x77, REQ_OF(IANA_3_2_01)},
		{1, 1, 0x00, REQ_OF(RDMAP_4_8_26)},
		{0, 2, 0x77, REQ_OF(IANA_3_1_01)},
		{7, 0, 0x00, REQ_OF(RDMAP_4_8_06)},
	};
	struct fixture f;

	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		watch(&f);
		peer(&f, send_of(1, "hello"));
		dut(&f, bare(&f, rows[i].layer, rows[i].etype, rows[i].code));
		CU_ASSERT_TRUE(objects(&f, rows[i].req));
	}
}

/* Where the memory is known, each fault asks for its number. */
static void each_fault_asks_for_its_number(void)
{
	struct model_region other = {.stag = 0x777,
				     .to = BASE,
				     .len = LEN,
				     .access = MODEL_RR,
				     .pd = 1,
				     .stream = 2};
	struct model_config c = plain_config();
	struct fixture f;
	struct ddp_segment sent = send_of(1, "hello");

	/* RFC 5044 s8: a wrong CRC is no wrong marker. */
	setup(&f);
	post_receives(&f, 1);
	model_peer_sends(&f.m, &sent, MODEL_FRAME_CRC_WRONG, &f.outcomes);
	dut(&f, bare(&f, 2, 0, 0x03));
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_TERMINATE_CODE, REQ_OF(MPA_8_02)));
	/* RFC 5040 s4.8: the STag is valid, and of another stream. */
	setup(&f);
	CU_ASSERT_TRUE(model_region_add(&f.m, &other));
	sent = read_request(&f, 1, 4, 0x777, BASE);
	CU_ASSERT_EQUAL(peer(&f, sent), MODEL_STIM_READ_STREAM);
	dut(&f, terminate_about(&f, 0, 1, 0x00, &sent, true));
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_TERMINATE_CODE, REQ_OF(RDMAP_4_8_31)));
	setup(&f);
	CU_ASSERT_TRUE(model_region_add(&f.m, &other));
	sent = read_request(&f, 1, 4, 0x777, BASE);
	peer(&f, sent);
	dut(&f, terminate_about(&f, 0, 1, 0x02, &sent, true));
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_TERMINATE_CODE, REQ_OF(RDMAP_7_2_08)));
	/* A device may report all of RDMAP's errors as one. */
	c.unspecified = true;
	for (unsigned i = 0; i < 2; i++) {
		setup_with(&f, &c);
		CU_ASSERT_TRUE(model_region_add(&f.m, &other));
		sent = read_request(&f, 1, 4, 0x777, BASE);
		peer(&f, sent);
		CU_ASSERT_EQUAL(
			dut(&f, terminate_about(&f, 0, 1, 0xff, &sent, true)),
			i);
		c.unspecified = false;
	}
}

/* RFC 5044 s8, RFC 5040 s6.2.1: MPA reports a FIN with a code of its own. */
static void a_fin_has_a_code(void)
{
	struct model_config c = plain_config();
	struct fixture f;

	setup_released(&f);
	model_peer_closed(&f.m);
	CU_ASSERT_EQUAL(dut(&f, bare(&f, 2, 0, 0x01)), 0);
	setup_released(&f);
	CU_ASSERT_EQUAL(dut(&f, bare(&f, 2, 0, 0x01)), 1);
	setup_released(&f);
	model_peer_closed(&f.m);
	CU_ASSERT_EQUAL(dut(&f, bare(&f, 2, 0, 0x05)), 1);
	setup_released(&f);
	model_peer_closed(&f.m);
	CU_ASSERT_EQUAL(dut(&f, bare(&f, 1, 0, 0x00)), 1);
	/* SCTP has no FIN. */
	c.sctp = true;
	setup_with(&f, &c);
	model_peer_closed(&f.m);
	CU_ASSERT_EQUAL(dut(&f, bare(&f, 2, 0, 0x01)), 1);
}

/* RFC 6581 s9: the startup has left a Terminate to be sent. */
static void a_startup_asks_for_its_number(void)
{
	const struct model_outcomes due = {
		.n = 1,
		.outcome = {{MODEL_TERMINATE, TERM_LLP, 0, 0x06,
			     REQ_OF(EMPA_9_1_13)}},
		.req = REQ_OF(EMPA_9_1_13),
		.silent_req = REQ_OF(EMPA_9_1_13)};
	struct model_config c = plain_config();
	struct fixture f;

	c.dut_initiates = true;
	setup_with(&f, &c);
	model_setup_terminate(&f.m, &due);
	CU_ASSERT_EQUAL(dut(&f, bare(&f, 2, 0, 0x06)), 0);
	setup_with(&f, &c);
	model_setup_terminate(&f.m, &due);
	dut(&f, bare(&f, 2, 0, 0x07));
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_TERMINATE_CODE, REQ_OF(EMPA_9_1_13)));
}

/* RFC 5040 s6.2.1: after a Terminate the stream ends in order. */
static void a_reset_is_not_graceful(void)
{
	struct fixture f;

	setup_released(&f);
	peer(&f, bare(&f, 0, 0, 0x00));
	model_dut_ends(&f.m, MODEL_END_RST, &f.objections);
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_NOT_GRACEFUL, REQ_OF(RDMAP_6_2_1_06)));
	setup_released(&f);
	peer(&f, bare(&f, 0, 0, 0x00));
	model_dut_ends(&f.m, MODEL_END_FIN, &f.objections);
	CU_ASSERT_EQUAL(f.objections.n, 0);
	setup_released(&f);
	model_dut_ends(&f.m, MODEL_END_RST, &f.objections);
	CU_ASSERT_EQUAL(f.objections.n, 0);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"what the header shows is no cause",
		 what_the_header_shows_is_no_cause},
		{"a message at fault has its number",
		 a_message_at_fault_has_its_number},
		{"the length tells two segments apart",
		 the_length_tells_two_segments_apart},
		{"unspecified is no number for what was seen",
		 unspecified_is_no_number_for_what_was_seen},
		{"MPA names the field that was wrong",
		 mpa_names_the_field_that_was_wrong},
		{"an error of no message returns none",
		 an_error_of_no_message_returns_none},
		{"an error of a message returns it",
		 an_error_of_a_message_returns_it},
		{"an empty Write has no bounds", an_empty_write_has_no_bounds},
		{"an empty Read has no source", an_empty_read_has_no_source},
		{"a Request within the IRD has room",
		 a_request_within_ird_has_room},
		{"what is inside is within bounds",
		 what_is_inside_is_within_bounds},
		{"after a Terminate nothing is certain",
		 after_a_terminate_nothing_is_certain},
		{"each registry has its row", each_registry_has_its_row},
		{"each fault asks for its number",
		 each_fault_asks_for_its_number},
		{"a FIN has a code", a_fin_has_a_code},
		{"a startup asks for its number",
		 a_startup_asks_for_its_number},
		{"a reset is not graceful", a_reset_is_not_graceful},
		{"zeros behind it are reported", zeros_behind_it_are_reported},
	};

	return unit_run("terminates", tests, UNIT_COUNT(tests));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The faults of the suite's own peer are reported, on the built-in device:
 * hand-made cases, most of them with a peer that breaks a rule.
 */
#include <stdio.h>
#include <string.h>

#include "harness/crc/crc.h"
#include "harness/unit.h"
#include "suite/device/builtin.h"
#include "suite/device/links.h"
#include "suite/language/execution/execution.h"
#include "suite/language/peer/peer_judge.h"

static struct device device;
static struct testbed bed;

/* --- peers -------------------------------------------------------------- */

static void right(struct test *t, const void *row)
{
	(void)row;
	struct region r = dut_registers(t, .len = 64, .access = FOR_READS);

	connects(t, .enhanced = true, .markers = true, .dut_markers = true);
	peer_sends(t, WRITE(r, 0, pattern(t, 64, 1), 64, .segment = 20));
	peer_sends(t, READ(r, 0, 64));
	case_must(t, RDMAP_5_2_1_16, stream_works());
}

static void names_its_fault(struct test *t, const void *row)
{
	(void)row;
	connects(t);
	peer_sends(t, SEND("out of turn", .msn = IS(7)));
	case_must(t, DDP_7_1_17, stream_ends());
}

static void speaks_behind_its_terminate(struct test *t, const void *row)
{
	bool declared = row != NULL;

	connects(t);
	case_must(t, RDMAP_5_2_1_16, stream_works());
	if (declared)
		peer_breaks(t, RDMAP_5_4_07);
	peer_sends(t, TERMINATE(TERM_RDMA, 0, 0));
	peer_sends(t, WRITE_TO(PEER_SINK_STAG, PEER_SINK_TO, "", 0));
}

static void declares_what_it_does_not(struct test *t, const void *row)
{
	(void)row;
	connects(t);
	peer_breaks(t, RDMAP_5_4_07);
	case_must(t, RDMAP_5_2_1_16, stream_works());
}

static void loses_count(struct test *t, const void *row)
{
	(void)row;
	connects(t);
	live_stream(t)->peer.msn[DDP_QN_READ_REQUEST] = 9;
	case_must(t, RDMAP_5_2_1_16, stream_works());
}

static void computes_wrong_crcs(struct test *t, const void *row)
{
	(void)row;
	connects(t);
	/* Its next FPDU begins at another place than the stream requires. */
	live_stream(t)->peer.tx_markers = true;
	case_must(t, RDMAP_5_2_1_16, stream_works());
}

static void begins_a_message_inside_another(struct test *t, const void *row)
{
	struct region r = dut_registers(t, .len = 64, .access = FOR_WRITES);

	(void)row;
	connects(t);
	peer_sends(t, WRITE(r, 0, "half", 4, .l = IS(0)));
	live_stream(t)->peer_inside = false;
	case_must(t, RDMAP_5_2_1_16, stream_works());
}

static void asks_inside_a_request(struct test *t, const void *row)
{
	struct region r = dut_registers(t, .len = 64, .access = FOR_READS);

	(void)row;
	connects(t);
	peer_sends(t, READ(r, 0, 8, .l = IS(0)));
	live_stream(t)->peer_inside = false;
	case_must(t, RDMAP_5_2_1_16, stream_works());
}

static void asks_beyond_the_depth(struct test *t, const void *row)
{
	struct region r = dut_registers(t, .len = 64, .access = FOR_READS);

	(void)row;
	connects(t, .enhanced = true, .dut_ird = 1, .ord = 1);
	live_stream(t)->peer_ord = 2;
	peer_sends(t, READ(r, 0, 8), .hold = true);
	case_must(t, RDMAP_5_2_1_16, stream_works());
}

/* With the depth unchanged, the second Read waits. */
static void keeps_to_the_depth(struct test *t, const void *row)
{
	struct region r = dut_registers(t, .len = 64, .access = FOR_READS);

	(void)row;
	connects(t, .enhanced = true, .dut_ird = 1, .ord = 1);
	peer_sends(t, READ(r, 0, 8), .hold = true);
	case_must(t, RDMAP_5_2_1_16, stream_works());
}

static void answers_what_nobody_asked(struct test *t, const void *row)
{
	(void)row;
	connects(t);
	peer_sends(t, OPCODE(RDMAP_READ_RESPONSE, "", 0));
	case_must(t, RDMAP_5_2_2_08, stream_ends());
}

static void offers_no_rtr(struct test *t, const void *row)
{
	(void)row;
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(t, request_offering(0));
	case_must(t, MPA_7_1_1_02, holds("a Reply", dut_startup(t).came));
}

static void offers_too_many_reads(struct test *t, const void *row)
{
	(void)row;
	dut_dials(t, .enhanced = true, .dut_ird = 1);
	case_awaits_startup(t, EMPA_6_01);
	peer_sends_startup(t, REPLY(.enhanced = true, .ird = 16, .ord = 16,
				    .exceeds = true));
	case_must(t, EMPA_9_1_13, stream_ends());
}

static void speaks_before_the_initiator(struct test *t, const void *row)
{
	(void)row;
	dut_dials(t);
	case_awaits_startup(t, MPA_7_1_2_01);
	peer_sends_startup(t, REPLY());
	full_operation(t);
	peer_sends(t, WRITE_TO(PEER_SINK_STAG, PEER_SINK_TO, "", 0));
	case_must(t, MPA_7_1_2_16, stream_ends());
}

/* --- the reports about them ----------------------------------------------- */

static const int declared;

static const struct {
	const char *name;
	void (*run)(struct test *t, const void *row);
	const void *row;
	enum testbed_peer peer;
	const char *told; /* NULL: no objection to the peer */
} peers[] = {
	{"is right", right, NULL, PEER_JUDGED, NULL},
	{"is right", right, NULL, PEER_JUDGED_STRICTLY, NULL},
	{"names its fault", names_its_fault, NULL, PEER_JUDGED, NULL},
	{"names its fault", names_its_fault, NULL, PEER_JUDGED_STRICTLY,
	 "DDP-4.3-05"},
	{"speaks behind its Terminate", speaks_behind_its_terminate, NULL,
	 PEER_JUDGED, "RDMAP-5.4-07"},
	{"says so", speaks_behind_its_terminate, &declared, PEER_JUDGED, NULL},
	{"says so", speaks_behind_its_terminate, &declared,
	 PEER_JUDGED_STRICTLY, "RDMAP-5.4-07"},
	{"is trusted", speaks_behind_its_terminate, NULL, PEER_TRUSTED, NULL},
	{"says what is not so", declares_what_it_does_not, NULL, PEER_JUDGED,
	 "but the peer did not"},
	{"loses count", loses_count, NULL, PEER_JUDGED, "DDP-4.3-06"},
	{"uses markers unasked", computes_wrong_crcs, NULL, PEER_JUDGED,
	 "MPA-7.1.1-07"},
	{"begins inside", begins_a_message_inside_another, NULL, PEER_JUDGED,
	 "DDP-5.3-01"},
	{"asks inside", asks_inside_a_request, NULL, PEER_JUDGED, "DDP-5.3-01"},
	{"asks too much", asks_beyond_the_depth, NULL, PEER_JUDGED,
	 "RDMAP-6.1-02"},
	{"keeps to the depth", keeps_to_the_depth, NULL, PEER_JUDGED, NULL},
	{"answers unasked", answers_what_nobody_asked, NULL, PEER_JUDGED,
	 "RDMAP-5.2-01"},
	{"offers no RTR", offers_no_rtr, NULL, PEER_JUDGED, "EMPA-9.2-02"},
	{"offers an ORD above the IRD", offers_too_many_reads, NULL,
	 PEER_JUDGED, "EMPA-9.1-01"},
	{"speaks first", speaks_before_the_initiator, NULL, PEER_JUDGED,
	 "MPA-7.1.2-16"},
};

static bool found[UNIT_COUNT(peers)];

/* Is the expected fault of this peer reported? A case is a CUnit test itself,
 * so none can run inside one. */
static bool is_told(size_t i)
{
	const struct case_desc desc = {
		.file = __FILE__, .name = "peer", .run = peers[i].run};
	const struct instance in = {.id = peers[i].name,
				    .title = peers[i].name,
				    .desc = &desc,
				    .row = peers[i].row,
				    .role = RESPONDER,
				    .level = ""};
	struct result result;
	enum error_cause cause;

	bed.peer = peers[i].peer;
	testbed_run(&bed, &in, &result, &cause);
	bool told = result.verdict == VERDICT_ERROR;

	if (peers[i].told ? told && cause == CAUSE_SUITE &&
				    strstr(result.reason, peers[i].told)
			  : !told)
		return true;
	printf("a peer that %s: %s: %s\n", peers[i].name,
	       verdict_name(result.verdict), result.reason);
	return false;
}

static void what_is_wrong_is_told(void)
{
	for (size_t i = 0; i < UNIT_COUNT(peers); i++)
		CU_ASSERT_TRUE(found[i]);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"what is wrong with the peer is told", what_is_wrong_is_told},
	};
	const struct builtin b = {.spec = "rfc7306"};
	const char *crc = "";
	char why[256] = "";
	bool usage;

	device_init(&device);
	if (crc_init(&crc) < 0 ||
	    !builtin_start(&b, &device, &usage, why, sizeof(why)) ||
	    !testbed_open(&bed, &device, link_socket_open(), MODEL_RFC7306, 1,
			  why, sizeof(why)) ||
	    !testbed_reach_agent(&bed, why, sizeof(why))) {
		fprintf(stderr, "peer_judge_test: %s%s\n", crc, why);
		return 1;
	}
	for (size_t i = 0; i < UNIT_COUNT(peers); i++)
		found[i] = is_told(i);
	int status = unit_run("peer_judge", tests, UNIT_COUNT(tests));

	testbed_close(&bed);
	builtin_stop();
	return status;
}

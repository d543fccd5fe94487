/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 6580 s3.1 to s3.3: the registered numbers of a Terminate. RFC 5040 s8.1.1:
 * the inbound depth that a ULP can limit. */
#include "case.h"

/* --- what the device sends ----------------------------------------------- */

enum provocation {
	READ_UNKNOWN_STAG,
	READ_BOUNDS,
	READ_ACCESS,
	READ_DOMAIN,
	READ_WRAP,
	INVALIDATE_UNKNOWN,
	VERSION,
	OPCODE_14,
	SEND_QUEUE,
	SEND_NO_BUFFER,
	SEND_MSN,
	SEND_MO,
	SEND_LENGTH,
	SEND_VERSION,
	WRITE_UNKNOWN_STAG,
	WRITE_BOUNDS,
	WRITE_DOMAIN,
	WRITE_WRAP,
	WRITE_VERSION,
	SHORT_FPDU,
	WRONG_CRC,
};

struct provoked {
	CASE_ROW;
	enum provocation by;
};

struct targets {
	struct region r;       /* 16 octets */
	struct region no_read; /* without remote read access */
	struct region other;   /* of another protection domain */
};

#define WRAPPING 0xfffffffffffffff8

static void peer_reads(struct test *t, enum provocation by,
		       const struct targets *g)
{
	if (by == READ_UNKNOWN_STAG)
		peer_sends(t, READ_FROM(stag_never_issued(t), 0, 8));
	else if (by == READ_BOUNDS)
		peer_sends(t, READ(g->r, 16, 8));
	else if (by == READ_ACCESS)
		peer_sends(t, READ(g->no_read, 0, 8));
	else if (by == READ_DOMAIN)
		peer_sends(t, READ(g->other, 0, 8));
	else
		peer_sends(t, READ_FROM(g->r.stag, WRAPPING, 16));
}

static void peer_writes(struct test *t, enum provocation by,
			const struct targets *g)
{
	const uint8_t *p = octets_of(t, 16, 0xaa);

	if (by == WRITE_UNKNOWN_STAG)
		peer_sends(t, WRITE_TO(stag_never_issued(t), 0, p, 16));
	else if (by == WRITE_BOUNDS)
		peer_sends(t, WRITE(g->r, 8, p, 16));
	else if (by == WRITE_DOMAIN)
		peer_sends(t, WRITE(g->other, 0, p, 16));
	else if (by == WRITE_WRAP)
		peer_sends(t, WRITE_TO(g->r.stag, WRAPPING, p, 16));
	else if (by == WRITE_VERSION)
		peer_sends(t, WRITE(g->r, 0, p, 16, .dv = IS(0)));
	else if (by == SHORT_FPDU)
		peer_sends(t, WRITE(g->r, 0, "", 0, .ulpdu_cut = IS(7)));
	else
		peer_sends(t, WRITE(g->r, 0, p, 16, .crc = CRC_WRONG));
}

static void peer_provokes(struct test *t, enum provocation by,
			  const struct targets *g)
{
	switch (by) {
	case INVALIDATE_UNKNOWN:
		peer_sends(t, SEND_KIND(RDMAP_SEND_INV, "hello", 5,
					.inval = stag_never_issued(t)));
		break;
	case VERSION:
		peer_sends(t, SEND("hello", .rv = IS(3)));
		break;
	case OPCODE_14:
		peer_sends(t, OPCODE(14, "hello", 5));
		break;
	case SEND_QUEUE:
		peer_sends(t, SEND("hello", .qn = IS(4)));
		break;
	case SEND_NO_BUFFER:
		peer_sends(t, SEND("first"));
		peer_sends(t, SEND("second"));
		break;
	case SEND_MSN:
		peer_sends(t, SEND("hello", .msn = IS(0)));
		break;
	case SEND_MO:
		peer_sends(t, SEND("hello", .mo = IS(32)));
		break;
	case SEND_LENGTH:
		peer_sends(t, SEND_N(octets_of(t, 17, 0xaa), 17));
		break;
	case SEND_VERSION:
		peer_sends(t, SEND("hello", .dv = IS(2)));
		break;
	case READ_UNKNOWN_STAG:
	case READ_BOUNDS:
	case READ_ACCESS:
	case READ_DOMAIN:
	case READ_WRAP:
		peer_reads(t, by, g);
		break;
	default:
		peer_writes(t, by, g);
	}
}

static struct targets make_targets(struct test *t, enum provocation by)
{
	unsigned access = by <= READ_WRAP ? FOR_READS : FOR_WRITES;

	dut_posts_recv(t, 16);
	return (struct targets){
		.r = dut_registers(t, .len = 16, .access = access),
		.no_read = dut_registers(t, .len = 16, .access = FOR_WRITES),
		.other = dut_registers(t, .len = 16, .pd = 1, .access = access),
	};
}

/* RFC 5040 s4.8: the code "identifies the specific error". Figure 9 has "Unspecified
 * Error" besides. Of a device that always sends it, all other cases take it for
 * the code that they ask for. */
CASE(errors_of_rdmap_are_specified,
     .title = "a Terminate for an error of RDMAP identifies the error",
     .needs = NEED_READ | NEED_SEND, .role = EITHER)
{
	/* Given a device that has named an error of RDMAP by its code, */
	told_once(t);
	connects(t, .crc = true);

	/* when the peer reads by an STag never issued, */
	peer_sends(t, READ_FROM(stag_never_issued(t), 0x1000, 40));
	const struct frame *f = the_terminate(t);

	/* then the code reports that. */
	if (!f)
		not_applicable(t, "the device sent no Terminate: %s",
			       how_it_ended(t));
	should(t, RDMAP_4_8_33,
	       is_not("error code", case_terminate_of(f).code,
		      TERM_UNSPECIFIED));
}

/* RFC 6580 s3.1: 0/0/any, 0/1/00 to 04, 09, ff and 0/2/05 to 09, ff. */
static bool registered_for_rdma(unsigned etype, unsigned code)
{
	if (etype == 1)
		return code <= 4 || code == 9 || code == 0xff;
	if (etype == 2)
		return (code >= 5 && code <= 9) || code == 0xff;
	return etype == 0;
}

/* RFC 6580 s3.2: 1/0/00, 1/1/00 to 04, 1/2/01 to 06, 1/3/any. */
static bool registered_for_ddp(unsigned etype, unsigned code)
{
	if (etype == 0)
		return code == 0;
	if (etype == 1)
		return code <= 4;
	if (etype == 2)
		return code >= 1 && code <= 6;
	return etype == 3;
}

/* RFC 6580 s3.3 and RFC 6581 s8: 2/0/01 to 07. Type 3, which RFC 5041 s7.2
 * keeps for the LLP, is judged on its own. */
static bool registered_for_mpa(unsigned etype, unsigned code)
{
	return (etype == 0 || etype == 3) && code >= 1 && code <= 7;
}

/* The Terminate, if one came: is it of another layer, or registered there? */
static bool other_or(const struct frame *f, unsigned layer,
		     bool (*registered)(unsigned etype, unsigned code))
{
	struct rdmap_terminate h = case_terminate_of(f);

	return !f || h.layer != layer || registered(h.etype, h.code);
}

static const struct provoked all[] = {
	{.id = "read_from_unknown_stag", .by = READ_UNKNOWN_STAG},
	{.id = "read_out_of_bounds", .by = READ_BOUNDS},
	{.id = "read_without_access", .by = READ_ACCESS},
	{.id = "read_from_other_domain", .by = READ_DOMAIN},
	{.id = "read_that_wraps", .by = READ_WRAP},
	{.id = "invalidate_of_unknown_stag", .by = INVALIDATE_UNKNOWN},
	{.id = "rdmap_version", .by = VERSION},
	{.id = "opcode", .by = OPCODE_14},
	{.id = "queue", .by = SEND_QUEUE},
	{.id = "no_buffer", .by = SEND_NO_BUFFER},
	{.id = "msn", .by = SEND_MSN},
	{.id = "mo", .by = SEND_MO},
	{.id = "message_too_long", .by = SEND_LENGTH},
	{.id = "version_untagged", .by = SEND_VERSION},
	{.id = "write_to_unknown_stag", .by = WRITE_UNKNOWN_STAG},
	{.id = "write_out_of_bounds", .by = WRITE_BOUNDS},
	{.id = "write_to_other_domain", .by = WRITE_DOMAIN},
	{.id = "write_that_wraps", .by = WRITE_WRAP},
	{.id = "version_tagged", .by = WRITE_VERSION},
	{.id = "no_header", .by = SHORT_FPDU},
	{.id = "crc", .by = WRONG_CRC},
};

CASE_EACH(a_terminate_bears_registered_numbers, struct provoked, all,
	  .title = "whatever the fault, layer, type and code of its "
		   "Terminate are registered",
	  .needs = NEED_CRC | NEED_SEND | NEED_SEND_INV | NEED_WRITE |
		   NEED_READ,
	  .role = EITHER)
{
	/* Given buffers to do wrong with, */
	struct targets g = make_targets(t, row->by);
	connects(t);

	/* when the peer does so in this way, */
	peer_provokes(t, row->by, &g);
	const struct frame *f = the_terminate(t);
	if (!f)
		not_applicable(t, "the device sent no Terminate: %s",
			       how_it_ended(t));

	/* then the report about it has registered numbers. */
	must(t, IANA_3_1_01,
	     holds_of(f, "a registered layer",
		      case_terminate_of(f).layer <= TERM_LLP,
		      "not a registered layer"));
	must(t, IANA_3_1_01,
	     holds_of(f, "a registered type and code, if the layer is RDMA",
		      other_or(f, TERM_RDMA, registered_for_rdma),
		      "not a registered type and code"));
	must(t, IANA_3_2_01,
	     holds_of(f, "a registered type and code, if the layer is DDP",
		      other_or(f, TERM_DDP, registered_for_ddp),
		      "not a registered type and code"));
	must(t, IANA_3_3_01,
	     holds_of(f, "a registered type and code, if the layer is the LLP",
		      other_or(f, TERM_LLP, registered_for_mpa),
		      "not a registered type and code"));
}

CASE(a_local_catastrophe_may_have_any_code,
     .title = "a local catastrophic error of RDMA may be reported "
	      "with any code",
     .needs = NEED_PROVOKE, .role = EITHER)
{
	/* Given a stream, */
	connects(t);

	/* when the device meets an error of its own, */
	dut_provokes(t, TERM_RDMA, 0, 0x42);

	/* then it may say which one. */
	may(t, IANA_3_1_02, terminate(TERM_RDMA, 0, 0x42));
}

/* --- what the device receives -------------------------------------------- */

struct numbers {
	CASE_ROW;
	unsigned etype, code;
};

static const struct numbers unregistered[] = {
	{.id = "0_3_00", .etype = 3, .code = 0x00},
	{.id = "0_1_42", .etype = 1, .code = 0x42},
};

CASE_EACH(an_unregistered_terminate_ends_the_stream, struct numbers,
	  unregistered,
	  .title = "a Terminate whose numbers are not registered is reported "
		   "to the ULP, and ends the stream",
	  .needs = NEED_TERMINATE, .role = EITHER)
{
	/* Given a stream, */
	connects(t);

	/* when the peer ends it for a reason that has no name, and closes, */
	peer_breaks(t, IANA_3_1_01);
	peer_sends(t, TERMINATE(TERM_RDMA, row->etype, row->code));
	peer_closes(t);

	/* then the ULP gets it unchanged, or an error: its numbers are not
	 * among the valid ones (RFC 5040 s4.8), and for an invalid Terminate
	 * s5.4 requires that "an error is surfaced". The stream is over. */
	must(t, RDMAP_5_4_04,
	     any_of(t, agent_sees_terminate(TERM_RDMA, row->etype, row->code),
		    agent_sees_fatal_end()));
	observe(t, IANA_3_1_03, "%s",
		dut_ends(t).has_terminate ? "delivered" : "an error");
	must(t, RDMAP_7_01, stream_ends());
}

/* --- the inbound depth --------------------------------------------------- */

struct cap {
	CASE_ROW;
	unsigned ird;
};

static const struct cap caps[] = {
	{.id = "2", .ird = 2},
	{.id = "4", .ird = 4},
};

CASE_EACH(the_inbound_depth_follows_the_ulp, struct cap, caps,
	  .title = "the IRD offered if the ULP has set a limit below the "
		   "requested ORD is recorded",
	  .needs = NEED_ENHANCED | NEED_READ)
{
	/* Given a ULP that allows so many Read Requests at a time, */
	dut_listens(t, .enhanced = true, .dut_ird = row->ird);
	peer_opens_tcp(t);

	/* when the peer would like to have 16, */
	peer_sends_startup(t, REQUEST(.enhanced = true, .ird = 16, .ord = 16));
	struct startup_seen reply = awaits_reply(t);

	/* then it gets the limit, or more, or is rejected: RFC 6581 s9.1 does
	 * not rule on a responder that cannot have as many. */
	observe(t, RDMAP_8_1_1_08, "with a limit of %u the Reply %s IRD %u",
		row->ird, reply.frame.flags & MPA_R ? "rejects, with" : "has",
		reply.enhanced.ird);
}

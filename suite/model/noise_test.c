/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Long random conversations, correct and faulty mixed. The model has to stay
 * within its bounds, to be the same function of the same events every time, and
 * never to object twice to one fault, or by a row that binds nobody.
 */
#include "suite/model/internal.h"
#include "suite/model/model_fixture.h"

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dull;
}

static uint32_t pick(uint64_t *state, uint32_t n)
{
	return (uint32_t)(next_random(state) >> 33) % n;
}

/* A number that is often the correct one. */
static uint32_t near(uint64_t *state, uint32_t right)
{
	return pick(state, 8) ? right : right + pick(state, 5) - 2;
}

static uint8_t payload[256];

static struct ddp_segment random_segment(uint64_t *state, const uint32_t msn[4])
{
	static uint8_t header[64];
	struct ddp_segment s = {.payload = payload};
	struct rdmap_read_request r = {
		.sink_stag = STAG,
		.sink_to = BASE + pick(state, 16),
		.size = pick(state, 64),
		.source_stag = near(state, STAG),
		.source_to = BASE + pick(state, LEN),
	};
	struct rdmap_atomic_request a = {
		.aopcode = (uint8_t)pick(state, 4),
		.id = pick(state, 4),
		.stag = near(state, STAG),
		.to = BASE + pick(state, LEN + 8) * (pick(state, 4) ? 8 : 1),
		.data = next_random(state),
		.compare_mask = UINT64_MAX,
	};

	s.ddp.opcode = (uint8_t)pick(state, pick(state, 8) ? 12 : 16);
	s.ddp.tagged =
		pick(state, 16) ? opcode_tagged(s.ddp.opcode) : pick(state, 2);
	s.ddp.last = pick(state, 4) != 0;
	s.ddp.dv = (uint8_t)(pick(state, 32) ? 1 : pick(state, 4));
	s.ddp.rv = (uint8_t)(pick(state, 32) ? 1 : pick(state, 4));
	s.ddp.stag = near(state, STAG);
	s.ddp.to = BASE + pick(state, LEN);
	s.ddp.inval_stag = pick(state, 8) ? 0 : near(state, STAG);
	s.ddp.qn = near(state, opcode_queue(s.ddp.opcode));
	s.ddp.msn = near(state, s.ddp.qn < 4 ? msn[s.ddp.qn] : 1);
	s.ddp.mo = pick(state, 4) ? 0 : pick(state, 64);
	s.payload_octets = pick(state, 4) ? pick(state, 40) : pick(state, 256);
	s.short_header = pick(state, 64) == 0;
	if (s.ddp.opcode == RDMAP_READ_REQUEST && pick(state, 8)) {
		s.payload_octets = rdmap_read_request_encode(&r, header, 64);
		s.payload = header;
		s.ddp.mo = 0;
	} else if (s.ddp.opcode == RDMAP_ATOMIC_REQUEST && pick(state, 8)) {
		s.payload_octets = rdmap_atomic_request_encode(&a, header, 64);
		s.payload = header;
		s.ddp.mo = 0;
	}
	return s;
}

static void random_event(struct fixture *f, uint64_t *state)
{
	struct ddp_segment s;
	struct model_work w = {.op = (enum model_work_op)pick(state, 8),
			       .len = pick(state, 32),
			       .data = payload,
			       .stag = STAG,
			       .to = BASE};
	struct model_region r = {.stag = STAG + 1 + pick(state, 20),
				 .to = BASE,
				 .len = 16,
				 .access = 15,
				 .pd = 1};
	uint32_t index;

	switch (pick(state, 12)) {
	case 0:
		model_recv_posted(&f->m, 64, f->receive[pick(state, 8)]);
		break;
	case 1:
		model_post(&f->m, &w, &index);
		break;
	case 2:
		if (pick(state, 2))
			model_region_add(&f->m, &r);
		else
			model_region_remove(&f->m, r.stag);
		break;
	case 3:
		if (!pick(state, 16))
			model_region_invalidate(&f->m, STAG);
		break;
	case 4:
	case 5:
	case 6:
	case 7:
		s = random_segment(state, f->m.rx_msn);
		model_peer_sends(&f->m, &s,
				 pick(state, 64) ? MODEL_FRAME_RIGHT
						 : MODEL_FRAME_CRC_WRONG,
				 &f->outcomes);
		break;
	default:
		s = random_segment(state, f->m.tx_msn);
		model_dut_sends(&f->m, &s, NULL, NULL, &f->objections);
		break;
	}
}

static bool sound(const struct fixture *f)
{
	unsigned i, k;

	if (f->objections.n > MODEL_OBJECTIONS ||
	    f->outcomes.n > MODEL_OUTCOMES || f->m.asked > MODEL_REQUESTS ||
	    f->m.wanted > MODEL_REQUESTS)
		return false;
	for (i = 0; i < f->objections.n; i++) {
		const struct model_objection *o = &f->objections.list[i];
		enum req_kind kind = req_table[o->req].kind;

		if (kind != REQ_KIND_must && kind != REQ_KIND_should)
			return false;
		for (k = 0; k < i; k++)
			if (f->objections.list[k].fault == o->fault &&
			    f->objections.list[k].req == o->req)
				return false;
	}
	return true;
}

#define CONVERSATIONS 4000
#define EVENTS        60

static void noise(void)
{
	static struct fixture a, b;
	uint64_t seed = 0x5041504a5044504bull, state;
	unsigned unsound = 0, different = 0, objected = 0, faulty = 0;
	unsigned i, k;

	for (i = 0; i < CONVERSATIONS; i++) {
		uint64_t start = next_random(&seed);
		struct model_config c = plain_config();

		c.dut_initiates = i & 1;
		c.rtr = (uint8_t)(i >> 1 & 7);
		c.profile = (enum model_profile)(i >> 4 & 3);
		c.works_known = i >> 6 & 1;
		c.receives_known = i >> 7 & 1;
		c.regions_known = i >> 8 & 1;
		setup_with(&a, &c);
		state = start;
		for (k = 0; k < EVENTS; k++) {
			random_event(&a, &state);
			unsound += !sound(&a);
			objected += a.objections.n != 0;
		}
		faulty += a.m.suspects != 0;
		setup_with(&b, &c);
		state = start;
		for (k = 0; k < EVENTS; k++)
			random_event(&b, &state);
		different += memcmp(a.memory, b.memory, sizeof(a.memory)) ||
			     a.m.deliveries != b.m.deliveries ||
			     a.m.suspects != b.m.suspects ||
			     a.m.asked != b.m.asked ||
			     a.m.works_sent != b.m.works_sent ||
			     a.objections.n != b.objections.n;
	}
	CU_ASSERT_EQUAL(unsound, 0);
	CU_ASSERT_EQUAL(different, 0);
	/* The noise is neither all faulty nor all correct. */
	CU_ASSERT_TRUE(objected > CONVERSATIONS);
	CU_ASSERT_TRUE(faulty > CONVERSATIONS / 4);
}

int main(void)
{
	static const struct unit_test tests[] = {{"noise", noise}};

	return unit_run("noise", tests, UNIT_COUNT(tests));
}

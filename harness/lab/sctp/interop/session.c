/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of a session: control messages and Sends, by either side. */
#include "harness/lab/sctp/interop/interop.h"

#include <string.h>

#include "harness/wire/rdmap.h"

static const uint8_t *private_data(uint16_t function, size_t n)
{
	static uint8_t octets[1024];

	for (size_t i = 0; i < n; i++)
		octets[i] = (uint8_t)(function + i);
	return octets;
}

void we_say(struct peer *p, uint16_t function, size_t octets)
{
	CU_ASSERT_EQUAL_FATAL(peer_control(p, function,
					   private_data(function, octets),
					   octets, NULL, soon()),
			      PEER_OK);
}

void we_hear(struct peer *p, uint16_t ddp_ssn, uint16_t function,
	     size_t private_octets)
{
	const uint8_t *octets;
	struct session_chunk c;
	size_t n;

	CU_ASSERT_EQUAL_FATAL(peer_receive_startup(p, soon(), &octets, &n),
			      PEER_OK);
	session_decode(&c, true, octets, n);
	CU_ASSERT_EQUAL(c.ddp_ssn, ddp_ssn);
	CU_ASSERT_EQUAL(c.function, function);
	CU_ASSERT_EQUAL_FATAL(c.body_octets, private_octets);
	CU_ASSERT_EQUAL(memcmp(c.body, private_data(function, private_octets),
			       private_octets),
			0);
}

void they_say(unsigned sid, uint16_t function, size_t octets)
{
	ask("say %s stream=%u function=%u octets=%zu", theirs, sid, function,
	    octets);
}

void they_hear(unsigned sid, uint16_t function, size_t octets,
	       unsigned segments)
{
	ask("control %s stream=%u", theirs, sid);
	CU_ASSERT_EQUAL(told("function"), function);
	CU_ASSERT_EQUAL(told("octets"), (long)octets);
	CU_ASSERT_EQUAL(told("segments"), segments);
}

void open_session(struct peer *p, unsigned sid, bool we_begin)
{
	if (we_begin) {
		we_say(p, SESSION_INITIATE, 5);
		they_hear(sid, SESSION_INITIATE, 5, 0);
		they_say(sid, SESSION_ACCEPT, 0);
		we_hear(p, 0, SESSION_ACCEPT, 0);
	} else {
		they_say(sid, SESSION_INITIATE, 0);
		we_hear(p, 0, SESSION_INITIATE, 0);
		we_say(p, SESSION_ACCEPT, 7);
		they_hear(sid, SESSION_ACCEPT, 7, 0);
	}
}

enum peer_status put_send(struct peer *p, uint32_t msn, size_t payload,
			  const struct peer_faults *f)
{
	static uint8_t octets[70000], ulpdu[70000];
	const struct ddp_segment seg = {
		.ddp = {.last = true,
			.dv = 1,
			.rv = 1,
			.opcode = RDMAP_SEND,
			.msn = msn},
		.payload = octets,
		.payload_octets = payload,
	};

	for (size_t i = 0; i < payload; i++)
		octets[i] = (uint8_t)(msn + i);
	return peer_frame(p, ulpdu, ddp_encode(&seg, ulpdu, sizeof(ulpdu)),
			  f ? f : &peer_no_faults, NULL);
}

void we_send(struct peer *p, uint32_t from, uint32_t count, size_t payload)
{
	for (uint32_t i = from; i < from + count; i++)
		CU_ASSERT_EQUAL_FATAL(put_send(p, i, payload, NULL), PEER_OK);
	CU_ASSERT_EQUAL_FATAL(peer_flush(p, NULL, 0, 0, soon()), PEER_OK);
}

void we_get(struct peer *p, uint32_t from, uint32_t count, size_t payload)
{
	for (uint32_t i = from; i < from + count; i++) {
		const struct frame *f = NULL;

		CU_ASSERT_EQUAL_FATAL(peer_receive(p, soon(), &f), PEER_OK);
		CU_ASSERT_EQUAL(f->chunk->ddp_ssn, (uint16_t)i);
		CU_ASSERT_FALSE(f->chunk->ordered);
		CU_ASSERT_EQUAL(f->seg.ddp.opcode, RDMAP_SEND);
		CU_ASSERT_EQUAL(f->seg.ddp.msn, i);
		CU_ASSERT_EQUAL_FATAL(f->seg.payload_octets, payload);
		for (size_t k = 0; k < payload; k++)
			if (f->seg.payload[k] != (uint8_t)(i + k))
				CU_FAIL_FATAL("other octets than were sent");
	}
}

void end_session(struct peer *p, unsigned sid, unsigned segments)
{
	const struct frame *f;

	CU_ASSERT_EQUAL(peer_close_sending(p), PEER_OK);
	they_hear(sid, SESSION_TERMINATE, 0, segments);
	they_say(sid, SESSION_TERMINATE, 0);
	CU_ASSERT_EQUAL(peer_receive(p, soon(), &f), PEER_FIN);
}

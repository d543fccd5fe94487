/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any octets as a capture: the audit ends, and its results are complete; if the
 * file breaks off, one line says so. The first octet chooses between a file,
 * the octets of one connection in segments, and the chunks of an SCTP
 * association in packets, which reach further.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/crc/crc.h"
#include "harness/wire/fuzz.h"
#include "suite/audit/sctp/associations.h"
#include "harness/link/raw/capture_file.h"
#include "harness/wire/sctp.h"
#include "suite/audit/conversation.h"
#include "suite/audit/sctp/ddp_streams.h"
#include "suite/audit/outcome.h"

static void free_ladder(struct result *r)
{
	for (size_t i = 0; i < r->event_count; i++) {
		free((void *)r->events[i].text);
		free((void *)r->events[i].octets);
		free((void *)r->events[i].markers);
		free((void *)r->events[i].marks);
	}
	for (size_t i = 0; i < r->line_count; i++)
		free((void *)r->lines[i].text);
	free((void *)r->events);
	free((void *)r->lines);
}

static void look_at(const struct conversation *c)
{
	struct result r;

	for (unsigned end = 0; end < 2; end++) {
		must_hold(outcome_of(c, end, "fuzz", &r));
		must_hold(r.verdict != VERDICT_ERROR);
		must_hold(!r.broken_count == (r.verdict != VERDICT_FAIL &&
					      r.verdict != VERDICT_WARN));
		free((void *)r.id);
		free((void *)r.title);
		free((void *)r.detail);
		free((void *)r.signature);
		free((void *)r.consequences);
		for (size_t i = 0; i < r.broken_count; i++) {
			free((void *)r.broken[i].text);
			free((void *)r.broken[i].section);
			free((void *)r.broken[i].statement);
		}
		free((void *)r.requirements);
		if (r.broken_count)
			free_ladder(&r);
		free(r.broken);
	}
}

/* Segments: which end, how many octets, and the octets; or a gap. */
static void converse(const uint8_t *data, size_t size)
{
	struct assembly_flow flow = {.opened = true};
	struct assembly_at at = {0};
	struct conversation *c = conversation_new(&flow, MODEL_RFC7306);

	must_hold(c);
	flow.end[0].family = flow.end[1].family = 4;
	flow.opened = size & 1;
	while (size > 2 && !flow.ignored) {
		size_t n = (size_t)(data[0] << 8 | data[1]);
		unsigned from = n >> 15, gap = n >> 14 & 1;

		n &= 0x3fff;
		data += 2;
		size -= 2;
		at.packet++;
		if (gap) {
			conversation_gap(c, from, n, &at);
			continue;
		}
		n = n < size ? n : size;
		conversation_octets(c, from, data, n, &at);
		must_hold(c->from[from].n <= (2u << 20));
		data += n;
		size -= n;
	}
	conversation_ends(c, 0, size & 1, true, &at);
	conversation_ends(c, 1, false, true, &at);
	look_at(c);
	conversation_free(c);
}

static void concludes(void *user, struct conversation *c)
{
	c->number = ++*(unsigned *)user;
	look_at(c);
}

static void begins(void *user, struct association_flow *f)
{
	f->user = ddp_streams_new(f, user);
	must_hold(f->user);
}

static void message(void *user, struct association_flow *f, unsigned from,
		    bool received, const struct association_data *m,
		    const struct assembly_at *at)
{
	(void)user;
	must_hold(ddp_streams_message(f->user, from, received, m, at));
}

static void gap(void *user, struct association_flow *f, unsigned from,
		const struct assembly_at *at)
{
	(void)user;
	ddp_streams_gap(f->user, from, at);
}

static void aborts(void *user, struct association_flow *f, unsigned from,
		   bool received, const struct assembly_at *at)
{
	(void)user;
	ddp_streams_abort(f->user, from, received, at);
}

static void over(void *user, struct association_flow *f)
{
	(void)user;
	must_hold(ddp_streams_end(f->user));
	f->user = NULL;
}

/* A packet of this end, with chunks of these octets. Tags are as good as any
 * fuzzer can guess them: the end's own number. */
static void send(struct associations *a, unsigned from, const uint8_t *chunks,
		 size_t n, const struct assembly_at *at)
{
	enum { IP4_HEADER = 20 };
	static uint8_t packet[IP4_HEADER + SCTP_HEADER_OCTETS + 4096];
	bool init = n && chunks[0] == SCTP_CHUNK_INIT;
	const struct sctp_packet head = {.source = (uint16_t)(1 + from),
					 .destination = (uint16_t)(2 - from),
					 .tag = init ? 0 : 1 + !from,
					 .chunks = chunks,
					 .chunk_octets = n};
	uint8_t *sctp = packet + IP4_HEADER;
	size_t octets = sctp_packet_encode(&head, sctp, 4096);

	must_hold(octets);
	crc_put(sctp + 8, crc32c(sctp, octets));
	octets += IP4_HEADER;
	memset(packet, 0, IP4_HEADER);
	packet[0] = 0x45;
	packet[2] = (uint8_t)(octets >> 8);
	packet[3] = (uint8_t)octets;
	packet[9] = 132;

	uint32_t sum = 0x4500u + (uint32_t)octets + 132;

	sum = ~((sum & 0xffff) + (sum >> 16));
	packet[10] = (uint8_t)(sum >> 8);
	packet[11] = (uint8_t)sum;

	uint8_t *exact = malloc(octets);

	must_hold(exact);
	memcpy(exact, packet, octets);
	must_hold(associations_packet(a, exact, octets, octets, at) !=
		  ASSOCIATIONS_FULL);
	free(exact);
}

/* Packets: which end, how many octets, and the chunks. */
static void associate(const uint8_t *data, size_t size)
{
	static const struct associations_events events = {begins, message, gap,
							  aborts, over};
	unsigned streams = 0;
	struct ddp_streams_of_all all = {.profile = MODEL_RFC7306,
					 .concludes = concludes,
					 .user = &streams};
	struct associations *a = associations_new(&events, &all);
	struct assembly_at at = {0};

	must_hold(a);
	while (size > 2) {
		size_t n = (size_t)(data[0] << 8 | data[1]);
		unsigned from = n >> 15;

		n &= 0x7ff;
		data += 2;
		size -= 2;
		at.packet++;
		n = n < size ? n : size;
		send(a, from, data, n, &at);
		data += n;
		size -= n;
	}
	associations_free(a);
	must_hold(!all.open && !all.ahead_octets);
}

static void read_file(const uint8_t *data, size_t size)
{
	FILE *f = fmemopen((void *)data, size, "rb");
	char why[CAPTURE_FILE_WHY] = "";
	enum capture_status status;
	struct capture_packet p;

	must_hold(f);
	struct capture_file *c = capture_file_open(f, why);

	while (c && (status = capture_file_next(c, &p, why)) != CAPTURE_END) {
		if (status == CAPTURE_BROKEN)
			break;
		uint8_t *exact = malloc(p.n + 1);

		must_hold(exact && p.n <= p.length);
		if (p.n)
			memcpy(exact, p.octets, p.n);
		p.octets = exact;
		if (capture_packet_to_ip(&p))
			must_hold(p.n && p.octets > exact - 1);
		free(exact);
	}
	if (*why)
		must_be_a_line(why);
	capture_file_close(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool ready;
	const char *fault;

	if (!ready)
		must_hold(crc_init(&fault) == 0);
	ready = true;
	if (size < 2)
		return 0;
	if (*data & 1)
		read_file(data + 1, size - 1);
	else if (*data & 2)
		associate(data + 1, size - 1);
	else
		converse(data + 1, size - 1);
	return 0;
}

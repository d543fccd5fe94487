/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any octets as a capture: the audit ends, and its results are complete; if the
 * file breaks off, one line says so. The first octet chooses between a file,
 * and the octets of one connection in segments, which reach further.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/crc/crc.h"
#include "harness/wire/fuzz.h"
#include "suite/audit/conversation.h"
#include "suite/audit/outcome.h"
#include "harness/link/raw/capture_file.h"

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
	else
		converse(data + 1, size - 1);
	return 0;
}

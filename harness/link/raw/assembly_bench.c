/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How fast captures are judged: RDMA Writes in segments of 1460 octets, and in
 * those of offload, with CRCs. `--write FILE MIB` writes such a capture instead,
 * for a comparison with other programs.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "harness/crc/crc.h"
#include "harness/link/raw/packet.h"
#include "harness/wire/ddp.h"
#include "harness/wire/fpdu.h"
#include "harness/wire/mpa.h"
#include "harness/wire/rdmap.h"
#include "suite/audit/audit.h"

enum { FRAME = 70000, SNAPLEN = 262144, LINK_ETHERNET = 1 };

struct writing {
	FILE *file;
	uint32_t seq[2];
	uint64_t octets;
};

static void put32(FILE *f, uint32_t v)
{
	fwrite(&v, 4, 1, f);
}

static void put_packet(struct writing *w, unsigned from, uint8_t flags,
		       const uint8_t *octets, size_t n)
{
	static uint8_t frame[FRAME];
	struct packet_path path = {.mac_to = {2}, .mac_from = {2}};
	const struct segment s = {.seq = w->seq[from],
				  .ack = flags == SEGMENT_SYN ? 0
							      : w->seq[!from],
				  .flags = flags,
				  .window = 65535,
				  .octets = octets,
				  .n = n};

	link_end_parse(from ? &path.to : &path.from, "10.77.0.3", 1000);
	link_end_parse(from ? &path.from : &path.to, "10.77.0.2", 2000);
	size_t all = packet_tcp(frame, sizeof(frame), &path, &s);

	put32(w->file, 1);
	put32(w->file, 0);
	put32(w->file, (uint32_t)all);
	put32(w->file, (uint32_t)all);
	fwrite(frame, 1, all, w->file);
	w->octets += 16 + all;
	w->seq[from] += (uint32_t)n + !!(flags & SEGMENT_SYN);
}

static void put_startup(struct writing *w, unsigned from, const uint8_t *key)
{
	struct mpa_startup f = {.flags = MPA_C, .rev = 1};
	uint8_t octets[MPA_HEADER_OCTETS];

	memcpy(f.key, key, MPA_KEY_OCTETS);
	put_packet(w, from, SEGMENT_ACK, octets,
		   mpa_startup_encode(&f, octets, sizeof(octets)));
}

static void put_write(struct writing *w, size_t payload, uint64_t to, bool last)
{
	static uint8_t ulpdu[65536], out[FRAME];
	struct ddp_segment s = {.ddp = {.tagged = true,
					.last = last,
					.dv = DDP_VERSION,
					.rv = RDMAP_VERSION,
					.opcode = RDMAP_WRITE,
					.stag = 1,
					.to = to},
				.payload_octets = payload};
	static uint8_t data[65536];
	struct fpdu f;

	s.payload = data;
	size_t n = ddp_encode(&s, ulpdu, sizeof(ulpdu));

	fpdu_init(&f, ulpdu, (uint16_t)n, false, 0);
	n = fpdu_encode(&f, out, sizeof(out));
	crc_put(out + n - FPDU_CRC_OCTETS, crc32c(out, n - FPDU_CRC_OCTETS));
	put_packet(w, 0, SEGMENT_ACK, out, n);
}

static void write_capture(FILE *file, uint64_t octets, size_t payload)
{
	struct writing w = {.file = file, .seq = {1, 1}};
	static const uint8_t head[] = {0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0,
				       0,    0,    0,    0,    0, 0, 0, 0};
	uint64_t to = 0;

	fwrite(head, 1, sizeof(head), file);
	put32(file, SNAPLEN);
	put32(file, LINK_ETHERNET);
	put_packet(&w, 0, SEGMENT_SYN, NULL, 0);
	put_packet(&w, 1, SEGMENT_SYN | SEGMENT_ACK, NULL, 0);
	put_startup(&w, 0, mpa_key_request);
	put_startup(&w, 1, mpa_key_reply);
	for (unsigned i = 0; w.octets < octets; i++, to += payload) {
		put_write(&w, payload, to, i % 64 == 63);
		if (i % 16 == 0)
			put_packet(&w, 1, SEGMENT_ACK, NULL, 0);
	}
}

static void measure(const char *name, size_t payload, double floor)
{
	enum { MIB = 96 };
	char path[] = "/tmp/assembly_bench.XXXXXX", why[512];
	char *const files[] = {path};
	const struct audit_options o = {.files = files, .count = 1, .spec = ""};
	struct run_result out;
	int fd = mkstemp(path);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");

	if (!file)
		return;
	write_capture(file, (uint64_t)MIB << 20, payload);
	fclose(file);
	/* On one core, whatever else uses it. */
	clock_t began = clock();
	bool ok = audit(&o, &out, why, sizeof(why));
	double s = (double)(clock() - began) / CLOCKS_PER_SEC;

	unlink(path);
	if (!ok || out.totals[VERDICT_FAIL] || !out.totals[VERDICT_PASS])
		printf("bench %s: it was not judged: %s\n", name,
		       ok ? out.note : why);
	else
		printf("bench %s %.2f GB/s (floor %.2f)\n", name,
		       (double)((uint64_t)MIB << 20) / s / 1e9, floor);
}

int main(int argc, char **argv)
{
	const char *fault;

	if (crc_init(&fault) < 0) {
		fprintf(stderr, "%s\n", fault);
		return 1;
	}
	if (argc == 4 && strcmp(argv[1], "--write") == 0) {
		FILE *f = strcmp(argv[2], "-") == 0 ? stdout
						    : fopen(argv[2], "wb");

		if (!f)
			return 1;
		write_capture(f, strtoull(argv[3], NULL, 10) << 20, 1400);
		return fclose(f) != 0;
	}
	measure("audit of segments of 1460 octets", 1400, 1.0);
	measure("audit of segments of offload", 60000, 1.0);
	return 0;
}

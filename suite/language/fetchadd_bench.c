/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FetchAdd exchanges per second, one outstanding on each of 16 streams, with
 * the reference device: over the kernel's TCP and over the raw link. A
 * figure, not a verdict; what it adds up to is checked all the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/crc/crc.h"
#include "harness/lab/veth.h"
#include "harness/link/clock.h"
#include "suite/device/builtin.h"
#include "suite/device/links.h"
#include "suite/language/execution.h"

enum { STREAMS = 16, EXCHANGES = 200000, FPDU = 128 };

static const char *kind;
static double *rate; /* exchanges per second; shared by both processes */

/* One request as it goes over the wire; its octets. */
static size_t request(struct peer *p, const struct region *r, uint8_t out[FPDU])
{
	uint8_t body[64], ulpdu[FPDU];
	struct rdmap_atomic_request h = {.aopcode = RDMAP_FETCHADD,
					 .id = p->msn[1],
					 .stag = r->stag,
					 .to = r->to,
					 .data = 1,
					 .mask = 0,
					 .compare_mask = ~0ull};
	struct ddp_segment s = {
		.ddp = {.last = true,
			.dv = DDP_VERSION,
			.rv = RDMAP_VERSION,
			.opcode = RDMAP_ATOMIC_REQUEST,
			.qn = DDP_QN_READ_REQUEST,
			.msn = p->msn[1]++},
		.payload = body,
		.payload_octets =
			rdmap_atomic_request_encode(&h, body, sizeof(body)),
	};
	struct fpdu f;
	size_t n = ddp_encode(&s, ulpdu, sizeof(ulpdu));

	fpdu_init(&f, ulpdu, (uint16_t)n, false, 0);
	n = fpdu_encode(&f, out, FPDU);
	crc_put(out + n - 4, crc32c(out, n - 4));
	return n;
}

/* All of one answer: they have one length. */
static bool answered(struct link_conn *c, size_t *have)
{
	uint8_t in[FPDU];
	size_t due = fpdu_octets(18 + 12, false, 0);
	long k = link_recv_now(c, in, due - *have);

	if (k > 0)
		*have += (size_t)k;
	if (k == 0 || (k < 0 && k != LINK_TIMEOUT)) {
		fprintf(stderr, "fetchadd_bench: %s: %s\n", kind, c->why);
		exit(1);
	}
	if (*have < due)
		return false;
	*have = 0;
	return true;
}

static void exchange(struct test *t, const void *row)
{
	struct region r = dut_registers(t, .len = 8);
	struct link_wait waits[STREAMS];
	size_t have[STREAMS] = {0};
	uint8_t out[FPDU];
	unsigned done = 0, asked = 0;

	(void)row;
	for (unsigned i = 0; i < STREAMS; i++)
		connects(t);
	uint64_t start = clock_now_ns();

	for (unsigned i = 0; i < STREAMS; i++, asked++) {
		struct peer *p = &t->stream[i].peer;

		waits[i] =
			(struct link_wait){.conn = p->conn, .want = LINK_READ};
		link_send_now(p->conn, out, request(p, &r, out));
	}
	while (done < EXCHANGES) {
		if (link_wait(t->bed->link, waits, STREAMS,
			      clock_after_ms(2000)) < 0) {
			fprintf(stderr, "fetchadd_bench: %s: nothing came\n",
				kind);
			exit(1);
		}
		for (unsigned i = 0; i < STREAMS; i++) {
			struct peer *p = &t->stream[i].peer;

			if (!waits[i].ready || !answered(p->conn, &have[i]))
				continue;
			done++;
			if (asked == EXCHANGES)
				continue;
			link_send_now(p->conn, out, request(p, &r, out));
			asked++;
		}
	}
	double s = (double)(clock_now_ns() - start) / CLOCK_NS_PER_S;
	uint64_t sum;

	memcpy(&sum, dut_memory(t, r, 0, 8), 8);
	*rate = done / s;
	printf("bench fetchadd.%s %.0f /s\n", kind, *rate);
	if (sum != EXCHANGES)
		printf("bench fetchadd.%s added up to %llu, not to %d\n", kind,
		       (unsigned long long)sum, EXCHANGES);
	fflush(stdout);
	streams_drop(t);
	_exit(sum != EXCHANGES);
}

static int measure(void)
{
	static const struct case_desc desc = {
		.file = "suite/run/fetchadd_bench.c", .name = "fetchadd"};
	static struct device d;
	static struct testbed bed;
	struct builtin b = {.spec = "rfc7306"};
	struct instance in = {.id = "fetchadd", .role = RESPONDER, .level = ""};
	struct case_desc run = desc;
	struct result result;
	enum error_cause cause;
	struct lab lab;
	char why[512] = "";
	bool usage;

	run.run = exchange;
	in.desc = &run;
	in.title = "";
	device_init(&d);
	bool ok = true;

	if (strcmp(kind, "raw") == 0) {
		ok = lab_enter(&lab, LAB_IPV4, why, sizeof(why));
		if (ok) {
			b.bind = lab.device_address;
			strcpy(d.link_interface, lab.peer_interface);
			strcpy(d.link_address, lab.peer_address);
		}
	}
	ok = ok && links_open(kind, &d, 0, why, sizeof(why)) &&
	     builtin_start(&b, &d, &usage, why, sizeof(why)) &&
	     testbed_open(&bed, &d, links_take(), MODEL_RFC7306, 1, why,
			  sizeof(why)) &&
	     testbed_reach_agent(&bed, why, sizeof(why));
	if (ok)
		testbed_run(&bed, &in, &result, &cause);
	printf("bench fetchadd.%s not measured: %s\n", kind,
	       ok ? result.reason : why);
	return 1;
}

int main(void)
{
	static const char *const kinds[] = {"socket", "raw"};
	const char *fault;
	int bad = crc_init(&fault);
	double rates[2];

	rate = mmap(NULL, sizeof(*rate), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (rate == MAP_FAILED) {
		perror("fetchadd_bench: mmap");
		return 2;
	}
	for (size_t i = 0; i < 2; i++) {
		int status = 1;
		pid_t pid = fork();

		kind = kinds[i];
		if (pid == 0)
			_exit(measure());
		waitpid(pid, &status, 0);
		bad |= status;
		rates[i] = *rate;
	}
	if (!bad)
		printf("bench fetchadd.raw_to_socket %.2f\n",
		       rates[1] / rates[0]);
	return bad != 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FetchAdd exchanges per second, one outstanding on each of 16 streams, with
 * the reference device: over kernel TCP, with and without the golden model, and
 * over the raw link. It is a figure, not a verdict, but the sum is checked.
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
#include "suite/language/execution/execution.h"

enum { STREAMS = 16, EXCHANGES = 100000, ROUNDS = 3, FPDU = 128 };

static const char *kind;
static bool modelled; /* the model follows each Request and Response */
static double *rate;  /* exchanges per second; shared by both processes */

static void wrong(const char *why)
{
	fprintf(stderr, "fetchadd_bench: %s: %s\n", kind, why);
	exit(1);
}

/* One request as sent, and its octets. Each stream has a word of its own. */
static size_t request(struct stream *on, unsigned word, const struct region *r,
		      uint8_t out[FPDU])
{
	struct peer *p = &on->peer;
	struct model_outcomes may;
	uint8_t body[64], ulpdu[FPDU];
	struct rdmap_atomic_request h = {.aopcode = RDMAP_FETCHADD,
					 .id = p->msn[1],
					 .stag = r->stag,
					 .to = r->to + word * 8ull,
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

	if (modelled && model_peer_sends(on->model, &s, MODEL_FRAME_RIGHT,
					 &may) != MODEL_STIM_NONE)
		wrong("the model does not let the peer ask");

	fpdu_init(&f, ulpdu, (uint16_t)n, false, 0);
	n = fpdu_encode(&f, out, FPDU);
	crc_put(out + n - 4, crc32c(out, n - 4));
	return n;
}

static void judge(struct stream *on, const uint8_t *octets, size_t n)
{
	struct model_objections objections;
	struct ddp_segment s;
	struct fpdu f;
	size_t used;

	if (fpdu_decode(&f, octets, n, false, 0, NULL, 0, &used) != FPDU_OK)
		wrong("no FPDU");
	ddp_decode(&s, f.ulpdu, f.ulpdu_length);
	model_dut_sends(on->model, &s, &f, NULL, &objections);
	if (objections.n)
		wrong("the model objects");
}

struct answer {
	uint8_t octets[FPDU];
	size_t have;
};

/* All of one answer: they have one length. */
static bool answered(struct stream *on, struct answer *a)
{
	struct link_conn *c = on->peer.conn;
	size_t due = fpdu_octets(18 + 12, false, 0);
	long k = link_recv_now(c, a->octets + a->have, due - a->have);

	if (k > 0)
		a->have += (size_t)k;
	if (k == 0 || (k < 0 && k != LINK_TIMEOUT))
		wrong(c->why);
	if (a->have < due)
		return false;
	if (modelled)
		judge(on, a->octets, due);
	a->have = 0;
	return true;
}

static void exchange(struct test *t, const void *row)
{
	struct region r =
		dut_registers(t, .len = 8 * STREAMS, .access = FOR_ATOMICS);
	struct link_wait waits[STREAMS];
	static struct answer answer[STREAMS];
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
		link_send_now(p->conn, out, request(&t->stream[i], i, &r, out));
	}
	while (done < EXCHANGES) {
		if (link_wait(t->bed->link, waits, STREAMS,
			      clock_after_ms(2000)) < 0)
			wrong("nothing came");
		for (unsigned i = 0; i < STREAMS; i++) {
			struct stream *on = &t->stream[i];

			if (!waits[i].ready || !answered(on, &answer[i]))
				continue;
			done++;
			if (asked == EXCHANGES)
				continue;
			link_send_now(on->peer.conn, out,
				      request(on, i, &r, out));
			asked++;
		}
	}
	double s = (double)(clock_now_ns() - start) / CLOCK_NS_PER_S;
	uint64_t word[STREAMS], sum = 0;

	memcpy(word, dut_memory(t, r, 0, sizeof(word)), sizeof(word));
	for (unsigned i = 0; i < STREAMS; i++)
		sum += word[i];
	*rate = done / s;
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
	ok = ok &&
	     links_open(modelled ? "socket" : kind, &d, 0, why, sizeof(why)) &&
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
	enum { SOCKET, RAW, MODELLED, KINDS };
	static const char *const kinds[KINDS] = {"socket", "raw",
						 "beside_model"};
	const char *fault;
	int bad = crc_init(&fault);
	double rates[KINDS] = {0};

	rate = mmap(NULL, sizeof(*rate), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (rate == MAP_FAILED) {
		perror("fetchadd_bench: mmap");
		return 2;
	}
	/* In turns, so that other load on the machine affects all of them. */
	for (unsigned i = 0; i < ROUNDS * KINDS && !bad; i++) {
		unsigned k = i % KINDS;
		int status = 1;
		pid_t pid = fork();

		kind = kinds[k];
		modelled = k == MODELLED;
		if (pid == 0)
			_exit(measure());
		waitpid(pid, &status, 0);
		bad |= status;
		rates[k] = *rate > rates[k] ? *rate : rates[k];
	}
	if (bad)
		return 1;
	for (unsigned k = 0; k < KINDS; k++)
		printf("bench fetchadd.%s %.0f /s\n", kinds[k], rates[k]);
	printf("bench fetchadd.raw_to_socket %.2f\n"
	       "bench fetchadd.beside_model_to_without %.2f\n",
	       rates[RAW] / rates[SOCKET], rates[MODELLED] / rates[SOCKET]);
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Captures, read back with libpcap, and with tshark if it is installed: clean
 * TCP streams with the octets that were sent.
 */
#include <pcap/pcap.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/link/capture.h"
#include "harness/unit.h"

enum { SECOND = 1000, BIG = 200000 };

static char dir[] = "/tmp/capture_test.XXXXXX";
static char why[CAPTURE_WHY];

static const char *in_dir(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

struct ends {
	struct link_listener *listener;
	struct link_conn *us, *peer;
};

/* Only our end is recorded, as in a run: the peer is on another link. */
static struct ends connected(struct link *link, struct link *other,
			     const char *addr, bool we_connect)
{
	struct link *active = we_connect ? link : other;
	struct link *passive = we_connect ? other : link;
	struct link_conn *a = NULL, *p = NULL;
	struct ends e = {0};
	uint16_t port = 0;

	CU_ASSERT_EQUAL_FATAL(link_listen(passive, addr, &port, &e.listener),
			      LINK_OK);
	CU_ASSERT_EQUAL_FATAL(
		link_connect(active, addr, port, clock_after_ms(SECOND), &a),
		LINK_OK);
	CU_ASSERT_EQUAL_FATAL(
		link_accept(e.listener, clock_after_ms(SECOND), &p), LINK_OK);
	e.us = we_connect ? a : p;
	e.peer = we_connect ? p : a;
	return e;
}

static void receive_all(struct link_conn *c, uint64_t n)
{
	uint8_t got[65536];

	while (c->received < n) {
		long k = link_recv(c, got, sizeof(got), clock_after_ms(SECOND));
		CU_ASSERT_FATAL(k > 0);
	}
}

static void closed(struct ends *e)
{
	link_close(e->us);
	link_close(e->peer);
	link_listener_close(e->listener);
}

static void speak(struct link_conn *c, const char *text)
{
	CU_ASSERT_EQUAL(link_send(c, text, strlen(text), NULL, 0,
				  clock_after_ms(SECOND)),
			LINK_OK);
}

/* Four streams: both roles, IPv4 and IPv6 if available, much data, a FIN from
 * either side first, a RST from either side. */
static void talk(struct link *link, struct link *other)
{
	struct link_listener *six;
	uint16_t port = 0;
	bool has6 = link_listen(other, "::1", &port, &six) == LINK_OK;
	uint8_t *big = malloc(BIG);

	if (has6)
		link_listener_close(six);
	else
		printf("capture: no IPv6 loopback here: %s\n", other->why);
	memset(big, 'B', BIG);

	struct ends a = connected(link, other, "127.0.0.1", true);
	struct ends b = connected(link, other, "127.0.0.1", false);
	static const size_t cuts[] = {1, 3};
	CU_ASSERT_EQUAL(
		link_send(a.us, "hello", 5, cuts, 2, clock_after_ms(SECOND)),
		LINK_OK);
	receive_all(a.peer, 5);
	speak(b.peer, "odd");
	receive_all(b.us, 3);
	speak(a.peer, "answer");
	receive_all(a.us, 6);
	link_half_close(a.peer);
	CU_ASSERT_EQUAL(link_drain(a.us, clock_after_ms(SECOND)), LINK_OK);
	speak(a.us, "!");
	closed(&a);
	link_reset(b.peer);
	CU_ASSERT_EQUAL(link_drain(b.us, clock_after_ms(SECOND)), LINK_RESET);
	closed(&b);

	struct ends c =
		connected(link, other, has6 ? "::1" : "127.0.0.1", true);
	for (int from = 0; from < BIG; from += 50000) {
		CU_ASSERT_EQUAL(link_send(c.us, big + from, 50000, NULL, 0,
					  clock_after_ms(SECOND)),
				LINK_OK);
		receive_all(c.peer, (uint64_t)from + 50000);
	}
	link_half_close(c.us);
	CU_ASSERT_EQUAL(link_drain(c.peer, clock_after_ms(SECOND)), LINK_OK);
	link_close(c.peer);
	c.peer = NULL;
	CU_ASSERT_EQUAL(link_drain(c.us, clock_after_ms(SECOND)), LINK_OK);
	closed(&c);

	struct ends d = connected(link, other, "127.0.0.1", true);
	speak(d.us, "bye");
	receive_all(d.peer, 3);
	link_reset(d.us);
	closed(&d);
	free(big);
}

static const struct capture_about about = {
	.application = "capture_test",
	.link = "pair",
	.comment = "what it is about\nin two lines",
	.first = "how it begins",
	.last = "how it ends",
};

static void save_a_talk(const char *path)
{
	struct link *link = link_socket_open();
	struct link *other = link_socket_open();
	struct stat st;

	link->capture = capture_open(CAPTURE_LIMIT);
	talk(link, other);
	CU_ASSERT_FALSE(capture_is_cut(link->capture));
	CU_ASSERT_EQUAL(capture_save(link->capture, &about, path, why), 0);
	CU_ASSERT_EQUAL(stat(path, &st), 0);
	CU_ASSERT_EQUAL((uint64_t)st.st_size,
			capture_octets(link->capture, &about));
	capture_close(link->capture);
	link_close_provider(link);
	link_close_provider(other);
}

static void libpcap_reads_it(void)
{
	char error[PCAP_ERRBUF_SIZE];
	struct pcap_pkthdr *h;
	const u_char *octets;
	uint64_t last = 0;
	unsigned packets = 0;
	size_t captured = 0;

	save_a_talk(in_dir("talk.pcapng"));
	pcap_t *p = pcap_open_offline_with_tstamp_precision(
		in_dir("talk.pcapng"), PCAP_TSTAMP_PRECISION_NANO, error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	CU_ASSERT_EQUAL(pcap_datalink(p), DLT_RAW);
	while (pcap_next_ex(p, &h, &octets) == 1) {
		uint64_t at = (uint64_t)h->ts.tv_sec * CLOCK_NS_PER_S +
			      (uint64_t)h->ts.tv_usec;
		CU_ASSERT(at >= last);
		CU_ASSERT_EQUAL(h->caplen, h->len);
		CU_ASSERT(octets[0] == 0x45 || octets[0] == 0x60);
		last = at;
		packets++;
		captured += h->caplen;
	}
	pcap_close(p);
	CU_ASSERT(packets > 30);
	CU_ASSERT(captured > BIG);
	CU_ASSERT((time_t)(last / CLOCK_NS_PER_S) >= time(NULL) - 60);
	CU_ASSERT((time_t)(last / CLOCK_NS_PER_S) <= time(NULL) + 1);
}

static bool has_tshark(void)
{
	return system("command -v tshark >/dev/null 2>&1") == 0;
}

/* tshark's output for the talk; nothing above TCP guesses at the octets. */
static size_t tshark(const char *what, char *out, size_t cap)
{
	char command[1024];
	size_t n = 0, k;

	snprintf(command, sizeof(command),
		 "tshark -n -r %s -d tcp.port==1-65535,data "
		 "-o tcp.check_checksum:TRUE -o ip.check_checksum:TRUE %s "
		 "2>%s/stderr",
		 in_dir("talk.pcapng"), what, dir);
	FILE *f = popen(command, "r");
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	while ((k = fread(out + n, 1, cap - 1 - n, f)) > 0)
		n += k;
	out[n] = '\0';
	CU_ASSERT_EQUAL(pclose(f), 0);
	return n;
}

static void tshark_reads_it_clean(void)
{
	static char out[65536];

	if (!has_tshark()) {
		printf("capture: no tshark here, its reading is not checked\n");
		CU_PASS("no tshark");
		return;
	}
	save_a_talk(in_dir("talk.pcapng"));
	tshark("-Y '_ws.malformed || tcp.analysis.flags || "
	       "tcp.checksum.status != 1 || ip.checksum.status == 0' "
	       "-T fields -e frame.number -e _ws.expert.message",
	       out, sizeof(out));
	CU_ASSERT_STRING_EQUAL(out, "");
	/* Stream 0, our octets: three writes; then the octet after its FIN. */
	tshark("-Y 'tcp.stream == 0 && tcp.len > 0' -T fields -e tcp.payload",
	       out, sizeof(out));
	CU_ASSERT_STRING_EQUAL(out, "68\n656c\n6c6f\n616e73776572\n21\n");
	tshark("-Y frame.comment -T fields -e frame.comment", out, sizeof(out));
	CU_ASSERT_STRING_EQUAL(out, "how it begins\nhow it ends\n");
	tshark("-Y 'frame.number == 1' -T fields -e frame.interface_name", out,
	       sizeof(out));
	CU_ASSERT_STRING_EQUAL(out, "pair\n");
	tshark("-Y 'tcp.flags.syn == 1' -T fields -e tcp.stream -e tcp.flags",
	       out, sizeof(out));
	CU_ASSERT_STRING_EQUAL(out, "0\t0x0002\n0\t0x0012\n1\t0x0002\n"
				    "1\t0x0012\n2\t0x0002\n2\t0x0012\n"
				    "3\t0x0002\n3\t0x0012\n");
	tshark("-Y 'tcp.flags.fin == 1 || tcp.flags.reset == 1' -T fields "
	       "-e tcp.stream -e tcp.flags",
	       out, sizeof(out));
	CU_ASSERT_STRING_EQUAL(out, "0\t0x0011\n0\t0x0011\n1\t0x0014\n"
				    "2\t0x0011\n2\t0x0011\n3\t0x0014\n");
}

static const struct link_end some_end = {
	.family = 4, .addr = {192, 0, 2, 1}, .port = 7};

static void no_capture_costs_nothing(void)
{
	CU_ASSERT_EQUAL(capture_flow(NULL, &some_end, &some_end, true), -1);
	capture_data(NULL, -1, CAPTURE_SENT, "x", 1);
	capture_fin(NULL, -1, CAPTURE_SENT);
	capture_reset(NULL, -1, CAPTURE_SENT);
	capture_restart(NULL);
	CU_ASSERT_TRUE(capture_is_empty(NULL));
	CU_ASSERT_FALSE(capture_is_cut(NULL));
}

static void it_is_bounded(void)
{
	struct capture *c = capture_open(10000);
	uint8_t octets[1000] = {0};

	int flow = capture_flow(c, &some_end, &some_end, true);
	CU_ASSERT_EQUAL(flow, 0);
	for (int i = 0; i < 9; i++)
		capture_data(c, flow, CAPTURE_SENT, octets, 1000);
	CU_ASSERT_FALSE(capture_is_cut(c));
	for (int i = 0; i < 9; i++)
		capture_data(c, flow, CAPTURE_SENT, octets, 1000);
	CU_ASSERT_TRUE(capture_is_cut(c));
	CU_ASSERT_EQUAL(capture_save(c, NULL, in_dir("cut.pcapng"), why), 0);
	capture_restart(c);
	CU_ASSERT_FALSE(capture_is_cut(c));
	CU_ASSERT_TRUE(capture_is_empty(c));
	for (int i = 0; i < CAPTURE_FLOWS; i++)
		CU_ASSERT_EQUAL(capture_flow(c, &some_end, &some_end, true), i);
	CU_ASSERT_EQUAL(capture_flow(c, &some_end, &some_end, true), -1);
	CU_ASSERT_TRUE(capture_is_cut(c));
	capture_close(c);
}

/* A disk that fills up: one line, no half file, the old one whole. */
static void a_full_disk_is_told(void)
{
	struct capture *c = capture_open(CAPTURE_LIMIT);
	struct rlimit was, little;
	static uint8_t octets[50000];
	const char *path = in_dir("kept.pcapng");
	FILE *f = fopen(path, "w");

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	fputs("old", f);
	fclose(f);
	int flow = capture_flow(c, &some_end, &some_end, true);
	capture_data(c, flow, CAPTURE_SENT, octets, sizeof(octets));
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &was);
	little = was;
	little.rlim_cur = 10000;
	setrlimit(RLIMIT_FSIZE, &little);
	why[0] = '\0';
	int status = capture_save(c, NULL, path, why);
	setrlimit(RLIMIT_FSIZE, &was);
	CU_ASSERT_EQUAL(status, -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "kept.pcapng"));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "too large"));
	char text[8] = "";
	f = fopen(path, "r");
	CU_ASSERT_PTR_NOT_NULL(fgets(text, sizeof(text), f));
	fclose(f);
	CU_ASSERT_STRING_EQUAL(text, "old");
	CU_ASSERT_EQUAL(
		capture_save(c, NULL, in_dir("no/such/dir.pcapng"), why), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "No such file"));
	capture_close(c);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"libpcap reads it", libpcap_reads_it},
		{"tshark reads it clean", tshark_reads_it_clean},
		{"no capture costs nothing", no_capture_costs_nothing},
		{"it is bounded", it_is_bounded},
		{"a full disk is reported", a_full_disk_is_told},
	};

	if (!mkdtemp(dir)) {
		perror(dir);
		return 1;
	}
	int status = unit_run("capture", tests, UNIT_COUNT(tests));
	static const char *const left[] = {"talk.pcapng", "cut.pcapng",
					   "kept.pcapng", "stderr"};
	for (size_t i = 0; i < UNIT_COUNT(left); i++)
		unlink(in_dir(left[i]));
	/* Fails if a save left a temporary file behind. */
	if (rmdir(dir) != 0) {
		perror(dir);
		status = 1;
	}
	return status;
}

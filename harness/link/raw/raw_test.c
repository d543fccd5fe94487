/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The raw link at one end of a private wire, the kernel's TCP at the other,
 * over IPv4 and over IPv6. If the machine allows no namespace, the test says so
 * and does nothing else.
 */
#include "harness/link/raw/raw.h"

#include <linux/if_packet.h>
#include <linux/tcp.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/lab/veth.h"
#include "harness/unit.h"

enum { SECOND = 1000, SOON = 20, MANY = 300000, FRAMES = 400 };

static enum lab_family family;
static struct lab lab;
static struct link *raw, *sock;

static uint32_t headers(void)
{
	return family == LAB_IPV6 ? 60 : 40;
}

struct ends {
	struct link_listener *listener;
	struct link_conn *us, *peer; /* raw, kernel */
};

/* The raw link connects. The two wait for one another in one thread: the
 * kernel answers by itself. */
static struct ends connected(void)
{
	struct ends e = {0};
	uint16_t port = 0;

	CU_ASSERT_EQUAL_FATAL(
		link_listen(sock, lab.device_address, &port, &e.listener),
		LINK_OK);
	CU_ASSERT_EQUAL_FATAL(link_connect(raw, lab.device_address, port,
					   clock_after_ms(SECOND), &e.us),
			      LINK_OK);
	CU_ASSERT_EQUAL_FATAL(
		link_accept(e.listener, clock_after_ms(SECOND), &e.peer),
		LINK_OK);
	return e;
}

static void closed(struct ends *e)
{
	if (e->us)
		link_reset(e->us);
	link_close(e->us);
	link_close(e->peer);
	link_listener_close(e->listener);
}

static uint64_t soon(void)
{
	return clock_after_ms(SECOND);
}

/* The octets that the kernel received, n of them. */
static void peer_has(struct ends *e, const char *text)
{
	char got[64];
	size_t n = strlen(text), have = 0;

	while (have < n) {
		long k = link_recv(e->peer, got + have, n - have, soon());

		CU_ASSERT_FATAL(k > 0);
		have += (size_t)k;
	}
	CU_ASSERT_EQUAL(memcmp(got, text, n), 0);
}

static void exchange(void)
{
	struct ends e = connected();
	char got[16];

	CU_ASSERT_STRING_EQUAL(raw->address,
			       family == LAB_IPV6 ? "fd00:77::3" : "10.77.0.3");
	CU_ASSERT_EQUAL(link_emss(e.us), 9216 - headers() - 12);
	CU_ASSERT_EQUAL(link_send(e.us, "hello", 5, NULL, 0, soon()), LINK_OK);
	peer_has(&e, "hello");
	CU_ASSERT_EQUAL(link_send(e.peer, "back", 4, NULL, 0, soon()), LINK_OK);
	CU_ASSERT_EQUAL(link_recv(e.us, got, sizeof(got), soon()), 4);
	CU_ASSERT_EQUAL(link_recv(e.us, got, sizeof(got), clock_after_ms(SOON)),
			LINK_TIMEOUT);
	closed(&e);
}

/* A family and a port, and an address if `end` has one; its length. */
static socklen_t kernels_end(struct sockaddr_storage *at,
			     const struct link_end *end)
{
	struct sockaddr_in *in = (struct sockaddr_in *)at;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)at;

	*at = (struct sockaddr_storage){0};
	if (family == LAB_IPV6) {
		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons(end->port);
		memcpy(&in6->sin6_addr, end->addr, 16);
		return sizeof(*in6);
	}
	in->sin_family = AF_INET;
	in->sin_port = htons(end->port);
	memcpy(&in->sin_addr, end->addr, 4);
	return sizeof(*in);
}

static void the_kernel_connects(void)
{
	struct link_listener *l = NULL;
	struct link_conn *us = NULL;
	struct sockaddr_storage to;
	uint16_t port = 0;
	char got[8];

	CU_ASSERT_EQUAL_FATAL(link_listen(raw, raw->address, &port, &l),
			      LINK_OK);
	socklen_t len = kernels_end(&to, &l->local);
	int fd = socket(to.ss_family, SOCK_STREAM | SOCK_NONBLOCK, 0);

	connect(fd, (struct sockaddr *)&to, len);
	CU_ASSERT_EQUAL_FATAL(link_accept(l, soon(), &us), LINK_OK);
	CU_ASSERT_EQUAL(send(fd, "dial", 4, 0), 4);
	CU_ASSERT_EQUAL(link_recv(us, got, sizeof(got), soon()), 4);
	shutdown(fd, SHUT_WR);
	CU_ASSERT_EQUAL(link_recv(us, got, sizeof(got), soon()), 0);
	CU_ASSERT_TRUE(us->fin_seen);
	link_close(us);
	link_listener_close(l);
	close(fd);
}

static void nobody_there(void)
{
	struct link_listener *l;
	struct link_conn *c;
	uint16_t port = 0;

	link_listen(sock, lab.device_address, &port, &l);
	link_listener_close(l);
	CU_ASSERT_EQUAL(link_connect(raw, lab.device_address, port, soon(), &c),
			LINK_REFUSED);
	CU_ASSERT_EQUAL(
		link_connect(raw,
			     family == LAB_IPV6 ? "fd00:77::99" : "10.77.0.99",
			     1, clock_after_ms(SOON), &c),
		LINK_TIMEOUT);
	CU_ASSERT_EQUAL(
		link_connect(raw,
			     family == LAB_IPV6 ? "2001:db8::1" : "192.0.2.1",
			     1, soon(), &c),
		LINK_ERROR);
	CU_ASSERT_PTR_NOT_NULL(strstr(raw->why, "not on the segment"));
}

static void both_ways_of_ending(void)
{
	struct ends e = connected();
	char got[8];

	link_send(e.peer, "abc", 3, NULL, 0, soon());
	CU_ASSERT_EQUAL(link_half_close(e.us), LINK_OK);
	CU_ASSERT_EQUAL(link_recv(e.peer, got, 8, soon()), 0);
	CU_ASSERT_EQUAL(link_recv(e.us, got, 8, soon()), 3);
	link_half_close(e.peer);
	CU_ASSERT_EQUAL(link_recv(e.us, got, 8, soon()), 0);
	CU_ASSERT_EQUAL(link_drain(e.us, soon()), LINK_OK);
	closed(&e);

	e = connected();
	link_send(e.peer, "abc", 3, NULL, 0, soon());
	link_reset(e.peer);
	CU_ASSERT_EQUAL(link_recv(e.us, got, 8, soon()), 3);
	CU_ASSERT_EQUAL(link_recv(e.us, got, 8, soon()), LINK_RESET);
	CU_ASSERT_EQUAL(link_send(e.us, "x", 1, NULL, 0, soon()), LINK_RESET);
	closed(&e);

	e = connected();
	link_reset(e.us);
	CU_ASSERT_EQUAL(link_recv(e.peer, got, 8, soon()), LINK_RESET);
	closed(&e);
}

/* More than any window, with the kernel's offloads in the way. */
static void much_in_both_directions(void)
{
	struct ends e = connected();
	uint8_t *out = malloc(MANY), *in = malloc(MANY);
	size_t sent = 0, got = 0;

	for (size_t i = 0; i < MANY; i++)
		out[i] = (uint8_t)(i * 7 + i / 251);
	while (got < MANY) {
		long k = 0;

		if (sent < MANY)
			k = link_send_now(e.peer, out + sent, MANY - sent);
		CU_ASSERT_FATAL(k >= 0);
		sent += (size_t)k;
		k = link_recv(e.us, in + got, MANY - got, soon());
		CU_ASSERT_FATAL(k > 0);
		got += (size_t)k;
	}
	CU_ASSERT_EQUAL(memcmp(out, in, MANY), 0);
	CU_ASSERT(link_raw_stats(raw).checksum_offloaded > 0);
	CU_ASSERT(link_raw_stats(raw).large > 0);
	CU_ASSERT(link_raw_stats(raw).largest > 9216);
	CU_ASSERT_EQUAL(link_raw_stats(raw).bad, 0);

	uint64_t until = soon();

	for (got = sent = 0; got < MANY && clock_now_ns() < until;) {
		long k = 0;

		if (sent < MANY)
			k = link_send_now(e.us, out + sent, MANY - sent);
		CU_ASSERT_FATAL(k >= 0);
		sent += (size_t)k;
		link_serve(raw);
		k = link_recv_now(e.peer, in + got, MANY - got);
		CU_ASSERT_FATAL(k > 0 || k == LINK_TIMEOUT);
		got += k > 0 ? (size_t)k : 0;
	}
	CU_ASSERT_EQUAL(got, MANY);
	CU_ASSERT_EQUAL(memcmp(out, in, MANY), 0);
	free(out);
	free(in);
	closed(&e);
}

/* The receiving kernel counts the segments. */
static void every_cut_is_a_segment(void)
{
	const struct link_end any = {0};
	struct sockaddr_storage at;
	socklen_t len = kernels_end(&at, &any);
	struct link_conn *us = NULL;
	struct tcp_info info = {0};
	size_t cuts[199];
	uint8_t octets[200] = {0};

	for (size_t i = 0; i < 199; i++)
		cuts[i] = i + 1;
	int listener = socket(at.ss_family, SOCK_STREAM, 0);

	CU_ASSERT_EQUAL_FATAL(bind(listener, (struct sockaddr *)&at, len), 0);
	CU_ASSERT_EQUAL_FATAL(listen(listener, 1), 0);
	getsockname(listener, (struct sockaddr *)&at, &len);
	/* At the same place in both families' addresses. */
	uint16_t port = ntohs(((struct sockaddr_in *)&at)->sin_port);

	CU_ASSERT_EQUAL_FATAL(
		link_connect(raw, lab.device_address, port, soon(), &us),
		LINK_OK);
	int fd = accept(listener, NULL, NULL);

	CU_ASSERT_EQUAL(link_send(us, octets, 200, cuts, 199, soon()), LINK_OK);
	CU_ASSERT_EQUAL(us->torn, 0);
	len = sizeof(info);
	CU_ASSERT_EQUAL(getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len), 0);
	CU_ASSERT_EQUAL(info.tcpi_data_segs_in, 200);
	close(fd);
	close(listener);
	link_reset(us);
	link_close(us);
}

static void scripted(void)
{
	static const struct link_segment plan[] = {
		{.from = 6, .to = 10},
		{.from = 2, .to = 7},
		{.from = 2, .to = 7},
	};
	struct ends e = connected();
	char got[8];

	CU_ASSERT_EQUAL(link_send_segments(e.us, "0123456789", 10, plan, 3),
			LINK_OK);
	CU_ASSERT_EQUAL(link_recv(e.peer, got, 8, clock_after_ms(SOON)),
			LINK_TIMEOUT);
	CU_ASSERT_EQUAL(link_release(e.us), LINK_OK);
	peer_has(&e, "0123456789");
	closed(&e);
}

static void numbers_wrap(void)
{
	raw->options = (struct link_options){
		.isn_chosen = true, .isn = 0xfffffffdu, .no_times = true};
	struct ends e = connected();

	raw->options = (struct link_options){0};
	CU_ASSERT_EQUAL(link_emss(e.us), 9216 - headers());
	CU_ASSERT_EQUAL(link_send(e.us, "over the wrap", 13, NULL, 0, soon()),
			LINK_OK);
	peer_has(&e, "over the wrap");
	closed(&e);
}

/* About one in sixteen begins with a number that high. */
static void connections_that_are_not_wanted(void)
{
	for (unsigned i = 0; i < 8; i++) {
		raw->options =
			(struct link_options){.peer_isn_least = 0xf0000000u};
		struct ends e = connected();

		raw->options = (struct link_options){0};
		CU_ASSERT_EQUAL(link_send(e.us, "wanted", 6, NULL, 0, soon()),
				LINK_OK);
		peer_has(&e, "wanted");
		closed(&e);
	}
}

/* "02:..." of the kernel's end, as a complaint ends. */
static void taken_by(char *text, size_t cap)
{
	struct ifreq r = {.ifr_name = "device0"};
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	CU_ASSERT_EQUAL(ioctl(fd, SIOCGIFHWADDR, &r), 0);
	close(fd);
	const uint8_t *m = (const uint8_t *)r.ifr_hwaddr.sa_data;

	snprintf(text, cap, "%s is taken: %02x:%02x:%02x:%02x:%02x:%02x has it",
		 lab.device_address, m[0], m[1], m[2], m[3], m[4], m[5]);
}

/* The kernel at the other end has that one. */
static void an_address_that_is_taken(void)
{
	struct link_raw c = {.interface = lab.peer_interface,
			     .address = family == LAB_IPV6 ? "fd00:77::2/64"
							   : "10.77.0.2/24"};
	char why[LINK_WHY] = "", wanted[LINK_WHY];
	bool privilege;
	struct link *other = link_raw_open(&c, &privilege, why);

	CU_ASSERT_PTR_NOT_NULL_FATAL(other);
	CU_ASSERT_EQUAL(link_raw_claim(&other, 1, why), LINK_ERROR);
	taken_by(wanted, sizeof(wanted));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, wanted));
	link_close_provider(other);
	CU_ASSERT_EQUAL(link_raw_claim(&raw, 1, why), LINK_OK);
}

/* Frames that its filter lets through, more than its buffer holds. */
static void fill_buffer(const struct link_end *own)
{
	uint8_t frame[64] = {[0] = 0x33, 0x33, [5] = 1, [12] = 0x86, 0xdd};
	uint8_t *ip = frame + 14;
	struct sockaddr_ll at = {.sll_family = AF_PACKET,
				 .sll_ifindex = (int)if_nametoindex("device0"),
				 .sll_halen = 6};
	int fd = socket(AF_PACKET, SOCK_RAW, 0);

	if (family == LAB_IPV6) {
		/* ICMPv6 of nobody, to all nodes. */
		ip[0] = 0x60;
		ip[6] = 58;
		memcpy(ip + 24, (const uint8_t[16]){0xff, 2, [15] = 1}, 16);
	} else {
		/* An ARP Reply of nobody. */
		memset(frame, 0xff, 6);
		memcpy(frame + 12,
		       (const uint8_t[]){8, 6, 0, 1, 8, 0, 6, 4, 0, 2}, 10);
		memcpy(ip + 24, own->addr, 4);
	}
	for (unsigned i = 0; i < FRAMES; i++)
		CU_ASSERT_EQUAL_FATAL(sendto(fd, frame, sizeof(frame), 0,
					     (struct sockaddr *)&at,
					     sizeof(at)),
				      sizeof(frame));
	close(fd);
}

/*
 * While nobody calls a link, frames are lost; one of them asks for its address.
 * The kernel would ask again after a second.
 */
static void a_question_that_was_lost(void)
{
	struct link_raw c = {.interface = lab.peer_interface,
			     .address = lab.peer_address,
			     .index = 5};
	char why[LINK_WHY] = "";
	struct sockaddr_storage to;
	struct link_listener *l = NULL;
	struct link_conn *us = NULL;
	uint16_t port = 0;
	bool privilege;
	struct link *other = link_raw_open(&c, &privilege, why);

	CU_ASSERT_PTR_NOT_NULL_FATAL(other);
	CU_ASSERT_EQUAL(link_dropped(other), 0);
	CU_ASSERT_EQUAL_FATAL(link_listen(other, other->address, &port, &l),
			      LINK_OK);
	socklen_t len = kernels_end(&to, &l->local);
	int fd = socket(to.ss_family, SOCK_STREAM | SOCK_NONBLOCK, 0);

	fill_buffer(&l->local);
	CU_ASSERT_EQUAL(connect(fd, (struct sockaddr *)&to, len), -1);
	poll(NULL, 0, SOON);
	CU_ASSERT_EQUAL(link_accept(l, clock_after_ms(SECOND / 2), &us),
			LINK_OK);
	CU_ASSERT(link_dropped(other) > 0);
	link_close(us);
	close(fd);
	link_listener_close(l);
	link_close_provider(other);
}

static void bad_configurations(void)
{
	static const struct link_raw bad[] = {
		{.interface = "peer0", .address = "10.77.0.3"},
		{.interface = "peer0", .address = "10.77.0.3/33"},
		{.interface = "peer0", .address = "device/24"},
		{.interface = "peer0", .address = "10.77.0.250/24", .index = 9},
		{.interface = "peer0", .address = "fd00::3"},
		{.interface = "peer0", .address = "fd00::3/127"},
		{.interface = "peer0", .address = "fd00::fe/124", .index = 2},
		{.interface = "nothing0", .address = "10.77.0.3/24"},
		{.interface = "", .address = "10.77.0.3/24"},
	};
	char why[LINK_WHY];

	for (size_t i = 0; i < UNIT_COUNT(bad); i++) {
		why[0] = '\0';
		CU_ASSERT_FALSE(link_raw_check(&bad[i], why));
		CU_ASSERT(why[0] != '\0');
	}
}

static struct ifreq of_interface(const char *name)
{
	struct ifreq r = {0};

	snprintf(r.ifr_name, sizeof(r.ifr_name), "%s", name);
	return r;
}

static void ask_kernel(unsigned long what, struct ifreq *r)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	CU_ASSERT_EQUAL_FATAL(ioctl(fd, what, r), 0);
	close(fd);
}

/* Its peer takes no frame of this size, as if it had no carrier. Our TCP sends
 * again, and the link goes on. The loss counts, and a small rcvbuf does not
 * explain it. */
static void frames_that_are_not_taken(void)
{
	raw->options.rcvbuf = 4096;
	struct ends e = connected();
	raw->options.rcvbuf = 0;
	uint64_t lost = raw->lost, unproven = raw->unproven;
	struct ifreq narrow = of_interface("device0"), wide = narrow;
	static char much[1400], got[sizeof(much)];
	uint64_t dropped = link_dropped(raw);
	size_t n = 0;

	ask_kernel(SIOCGIFMTU, &wide);
	narrow.ifr_mtu = 1280; /* IPv6 goes on */
	ask_kernel(SIOCSIFMTU, &narrow);
	CU_ASSERT_EQUAL(link_send(e.us, much, sizeof(much), NULL, 0, soon()),
			LINK_OK);
	CU_ASSERT_EQUAL(link_recv(e.us, got, 8, clock_after_ms(SOON)),
			LINK_TIMEOUT);
	CU_ASSERT(link_dropped(raw) > dropped);
	ask_kernel(SIOCSIFMTU, &wide);
	for (uint64_t end = soon(); n < sizeof(got) && clock_now_ns() < end;) {
		link_serve(raw);
		long k = link_recv_now(e.peer, got, sizeof(got));

		n += k > 0 ? (size_t)k : 0;
	}
	CU_ASSERT_EQUAL(n, sizeof(got));
	closed(&e);
	CU_ASSERT(raw->lost > lost);
	CU_ASSERT_EQUAL(raw->unproven, unproven);
}

/* Last: it takes the wire away. */
static void an_interface_that_goes_down(void)
{
	struct ends e = connected();
	struct ifreq down = of_interface("peer0");
	char got[8];

	ask_kernel(SIOCSIFFLAGS, &down);
	CU_ASSERT_EQUAL(link_recv(e.us, got, 8, soon()), LINK_ERROR);
	CU_ASSERT(e.us->why[0] != '\0');
	closed(&e);
}

static const struct unit_test tests[] = {
	{"exchange", exchange},
	{"the kernel connects", the_kernel_connects},
	{"nobody there", nobody_there},
	{"FIN and RST", both_ways_of_ending},
	{"much in both directions", much_in_both_directions},
	{"every cut is a segment", every_cut_is_a_segment},
	{"scripted", scripted},
	{"numbers wrap", numbers_wrap},
	{"connections that are not wanted", connections_that_are_not_wanted},
	{"an address that is taken", an_address_that_is_taken},
	{"a question that was lost", a_question_that_was_lost},
	{"bad configurations", bad_configurations},
	{"frames that are not taken", frames_that_are_not_taken},
	{"an interface that goes down", an_interface_that_goes_down},
};

static int test_family(void)
{
	const char *name = family == LAB_IPV6 ? "raw over IPv6" : "raw";
	struct link_raw c = {0};
	char why[512];
	bool privilege;

	if (!lab_enter(&lab, family, why, sizeof(why))) {
		printf("%s: not tested here: %s\n", name, why);
		return 0;
	}
	c.interface = lab.peer_interface;
	c.address = lab.peer_address;
	raw = link_raw_open(&c, &privilege, why);
	sock = link_socket_open();
	if (!raw || !sock) {
		printf("%s: %s\n%s: 0 passed, 1 failed\n", name, why, name);
		return 1;
	}
	int status = unit_run(name, tests, UNIT_COUNT(tests));

	link_close_provider(raw);
	link_close_provider(sock);
	return status;
}

/* Each in a process, and so in a network, of its own. */
int main(void)
{
	static const enum lab_family families[] = {LAB_IPV4, LAB_IPV6};
	int bad = 0;

	for (size_t i = 0; i < UNIT_COUNT(families); i++) {
		int status = 1;

		family = families[i];
		fflush(NULL);
		pid_t pid = fork();

		if (pid == 0) {
			status = test_family();
			fflush(NULL);
			_exit(status);
		}
		waitpid(pid, &status, 0);
		bad |= status;
	}
	return bad != 0;
}

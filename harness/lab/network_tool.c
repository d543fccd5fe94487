/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A network with distance and faults: two namespaces, each with a tun device of
 * Ethernet frames, and between them this program. It delays packets, loses
 * them, lets others overtake them, and duplicates them.
 *
 *   network_tool [OPTION...] DEVICE... -- SUITE...
 *
 *   --delay-ms X   each way           --jitter-ms X  at most this much longer
 *   --loss P       percent            --reorder P    percent, arrive later
 *   --duplicate P  percent            --seed N       of these choices
 *   --overtaken-ms X  how much later the others arrive; 2, and half of the delay
 *   --burst P      percent of packets that begin a burst of losses, which goes on
 *   --burst-more P percent of the packets in it (Gilbert's model; 70),
 *   --burst-ms X   at most for this long (30): few packets do not prolong it
 *   --mtu X        packets of more octets vanish, and nobody is informed,
 *   --mtu-from S   from this second on (0)
 *   --mtu-reported 1  a router reports them, and forwards the IPv4 packets that
 *                  it may fragment (ICMP, RFC 1191 s4; IPv4 alone)
 *   --outage-ms X  nothing passes for this long,
 *   --outage-every S  each time when so many seconds have passed (20)
 *
 * DEVICE runs at 10.66.0.2 and fd00:66::2, and has to print a line when it is
 * ready. SUITE runs at 10.66.0.1 and fd00:66::1, its interface is `wire`; the
 * addresses from 10.66.0.3 on are free for the raw link. The exit status is
 * SUITE's; 2: the network could not be made. The last line of output has the
 * counts.
 *
 * The choices are a function of the seed, the direction, and the number of the
 * packet. ARP and neighbour discovery belong to the segment at each end, not to
 * the path between: they pass at once, and are never lost.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/if.h>
#include <linux/if_ether.h>
#include <linux/if_tun.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/link/clock.h"

enum {
	FRAME_MAX = 2048,
	HELD_MAX = 8192,
	ICMPV6 = 58,
	DRAWS_EACH = 8, /* of a packet */
};

#define WIRE "wire"

static struct {
	double delay_ms, jitter_ms, loss, reorder, duplicate;
	double overtaken_ms, burst, burst_more, burst_ms;
	double mtu, mtu_from, mtu_reported, outage_ms, outage_every;
	uint64_t seed;
	uint64_t began;
} way = {.seed = 1,
	 .overtaken_ms = -1,
	 .burst_more = 70,
	 .burst_ms = 30,
	 .outage_every = 20};

static struct {
	unsigned long long packets, lost, late, twice, full;
} counts;

struct frame {
	uint64_t due, number; /* if two times are equal, the first packet is
			       * first */
	size_t n;
	uint8_t octets[FRAME_MAX];
};

/* One direction: a heap by time. */
struct queue {
	int from, to;
	uint64_t direction, number, last_due;
	bool in_burst;
	uint64_t burst_began;
	struct frame *held[HELD_MAX];
	size_t count;
};

/* --- choices -------------------------------------------------------------- */

/* splitmix64 */
static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ull;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

/* The n-th draw of this packet: 0 to 1. */
static double draw(const struct queue *q, unsigned n)
{
	uint64_t x = mix(way.seed ^ mix(q->direction));

	x = mix(x + q->number * DRAWS_EACH + n);
	return (double)(x >> 11) / (double)(1ull << 53);
}

/* --- packets on the way ------------------------------------------------------ */

static bool is_sooner(const struct frame *a, const struct frame *b)
{
	return a->due < b->due || (a->due == b->due && a->number < b->number);
}

static void swap(struct queue *q, size_t i, size_t k)
{
	struct frame *f = q->held[i];

	q->held[i] = q->held[k];
	q->held[k] = f;
}

static void hold(struct queue *q, const uint8_t *octets, size_t n, uint64_t due)
{
	struct frame *f = q->count < HELD_MAX ? malloc(sizeof(*f)) : NULL;

	if (!f) {
		counts.full++;
		return;
	}
	f->due = due;
	f->number = q->number;
	f->n = n;
	memcpy(f->octets, octets, n);
	size_t i = q->count++;

	q->held[i] = f;
	for (; i && is_sooner(q->held[i], q->held[(i - 1) / 2]);
	     i = (i - 1) / 2)
		swap(q, i, (i - 1) / 2);
}

static struct frame *take(struct queue *q)
{
	struct frame *first = q->held[0];

	q->held[0] = q->held[--q->count];
	for (size_t i = 0;;) {
		size_t least = i;

		for (size_t k = 2 * i + 1; k <= 2 * i + 2; k++)
			if (k < q->count &&
			    is_sooner(q->held[k], q->held[least]))
				least = k;
		if (least == i)
			return first;
		swap(q, i, least);
		i = least;
	}
}

/* Neither ARP nor ICMPv6, which includes neighbour discovery. */
static bool goes_far(const uint8_t *f, size_t n)
{
	unsigned type = n < ETH_HLEN ? 0 : f[12] << 8 | f[13];

	return type == ETH_P_IP || (type == ETH_P_IPV6 && n > ETH_HLEN + 6 &&
				    f[ETH_HLEN + 6] != ICMPV6);
}

/* Whether this packet never arrives. */
static bool is_lost(struct queue *q, uint64_t now)
{
	double s = (double)(now - way.began) / CLOCK_NS_PER_S;
	double period = way.outage_every + way.outage_ms / 1000;

	bool was = q->in_burst && (double)(now - q->burst_began) <
					  way.burst_ms * CLOCK_NS_PER_MS;

	q->in_burst = draw(q, 4) * 100 < (was ? way.burst_more : way.burst);
	if (q->in_burst && !was)
		q->burst_began = now;
	if (q->in_burst || draw(q, 0) * 100 < way.loss)
		return true;
	if (way.outage_ms > 0 &&
	    s - (double)(uint64_t)(s / period) * period > way.outage_every)
		return true;
	return false;
}

/* RFC 1071 */
static void put_checksum(uint8_t *at, const uint8_t *octets, size_t n)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += i % 2 ? octets[i] : (uint32_t)octets[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	at[0] = (uint8_t)(~sum >> 8);
	at[1] = (uint8_t)~sum;
}

/* RFC 792, RFC 1191 s4: "fragmentation needed and DF set", to the sender of
 * this IPv4 packet, as if from its destination. */
static void report_mtu(const struct queue *q, const uint8_t *octets)
{
	enum { IP = 20, ICMP = 8, QUOTED_MOST = 60 + 8 };
	const uint8_t *ip = octets + ETH_HLEN;
	size_t quoted = (size_t)(ip[0] & 15) * 4 + 8;
	uint8_t f[ETH_HLEN + IP + ICMP + QUOTED_MOST] = {0};
	uint8_t *out = f + ETH_HLEN, *icmp = out + IP;

	memcpy(f, octets + ETH_ALEN, ETH_ALEN);
	memcpy(f + ETH_ALEN, octets, ETH_ALEN);
	f[12] = ETH_P_IP >> 8;
	out[0] = 0x45;
	out[3] = (uint8_t)(IP + ICMP + quoted);
	out[8] = 64;
	out[9] = IPPROTO_ICMP;
	memcpy(out + 12, ip + 16, 4);
	memcpy(out + 16, ip + 12, 4);
	put_checksum(out + 10, out, IP);
	icmp[0] = 3;
	icmp[1] = 4;
	icmp[6] = (uint8_t)((unsigned)way.mtu >> 8);
	icmp[7] = (uint8_t)(unsigned)way.mtu;
	memcpy(icmp + ICMP, ip, quoted);
	put_checksum(icmp + 2, icmp, ICMP + quoted);
	(void)!write(q->from, f, ETH_HLEN + IP + ICMP + quoted);
}

/* Whether the path no longer takes packets of this size. */
static bool is_too_large(const struct queue *q, const uint8_t *octets, size_t n,
			 uint64_t now)
{
	bool is_ipv4 = octets[12] == ETH_P_IP >> 8;

	if (way.mtu <= 0 || (double)(n - ETH_HLEN) <= way.mtu ||
	    (double)(now - way.began) / CLOCK_NS_PER_S < way.mtu_from)
		return false;
	if (!is_ipv4 || way.mtu_reported <= 0)
		return true;
	bool may_be_cut = !(octets[ETH_HLEN + 6] & 0x40);

	if (!may_be_cut)
		report_mtu(q, octets);
	return !may_be_cut;
}

static void forward(struct queue *q, const uint8_t *octets, size_t n)
{
	uint64_t now = clock_now_ns();

	if (!goes_far(octets, n)) {
		(void)!write(q->to, octets, n);
		return;
	}
	q->number++;
	counts.packets++;
	if (is_lost(q, now) || is_too_large(q, octets, n, now)) {
		counts.lost++;
		return;
	}
	double ms = way.delay_ms + way.jitter_ms * draw(q, 1);
	uint64_t due = now + (uint64_t)(ms * CLOCK_NS_PER_MS);

	if (draw(q, 2) * 100 < way.reorder) {
		counts.late++;
		due += (uint64_t)(way.overtaken_ms * CLOCK_NS_PER_MS);
	} else {
		/* Jitter alone never lets a packet overtake another. */
		due = due > q->last_due ? due : q->last_due;
		q->last_due = due;
	}
	hold(q, octets, n, due);
	if (draw(q, 3) * 100 < way.duplicate) {
		counts.twice++;
		hold(q, octets, n, due);
	}
}

static void deliver(struct queue *q, uint64_t now)
{
	while (q->count && q->held[0]->due <= now) {
		struct frame *f = take(q);

		(void)!write(q->to, f->octets, f->n);
		free(f);
	}
}

static void read_all(struct queue *q)
{
	uint8_t octets[FRAME_MAX];
	ssize_t n;

	while ((n = read(q->from, octets, sizeof(octets))) > 0)
		forward(q, octets, (size_t)n);
}

/* Waits until `suite` has ended, and returns its status as from waitpid(). */
static int carry(struct queue q[2], pid_t suite, int ended)
{
	struct pollfd p[] = {{.fd = q[0].from, .events = POLLIN},
			     {.fd = q[1].from, .events = POLLIN},
			     {.fd = ended, .events = POLLIN}};
	char octets[16];
	int status = 0;

	while (waitpid(suite, &status, WNOHANG) == 0) {
		uint64_t now = clock_now_ns(), first = now + CLOCK_NS_PER_S;

		for (unsigned i = 0; i < 2; i++) {
			deliver(&q[i], now);
			if (q[i].count && q[i].held[0]->due < first)
				first = q[i].held[0]->due;
		}
		struct timespec left = {
			.tv_sec = (time_t)((first - now) / CLOCK_NS_PER_S),
			.tv_nsec = (long)((first - now) % CLOCK_NS_PER_S)};

		if (ppoll(p, 3, &left, NULL) <= 0)
			continue;
		for (unsigned i = 0; i < 2; i++)
			if (p[i].revents)
				read_all(&q[i]);
		while (read(ended, octets, sizeof(octets)) > 0)
			continue;
	}
	return status;
}

/* --- namespaces ----------------------------------------------------------- */

static void fails(const char *what)
{
	fprintf(stderr, "network_tool: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* Runs ip(8) with these words. */
static void ip(const char *words)
{
	char line[256];

	snprintf(line, sizeof(line), "PATH=$PATH:/sbin:/usr/sbin ip %s", words);
	if (system(line) != 0)
		exit(2);
}

/* Moves this process into a new namespace with one end of the wire, for host
 * `number`. Returns the end that is open here. */
static int make_end(unsigned number)
{
	struct ifreq r = {.ifr_flags = IFF_TAP | IFF_NO_PI};
	char words[128];

	if (unshare(CLONE_NEWNET) != 0)
		fails("a network namespace");
	int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);

	strcpy(r.ifr_name, WIRE);
	if (fd < 0 || ioctl(fd, TUNSETIFF, &r) < 0)
		fails("/dev/net/tun");
	ip("link set lo up");
	snprintf(words, sizeof(words), "addr add 10.66.0.%u/24 dev " WIRE,
		 number);
	ip(words);
	snprintf(words, sizeof(words),
		 "addr add fd00:66::%u/64 dev " WIRE " nodad", number);
	ip(words);
	ip("link set " WIRE " up");
	return fd;
}

static pid_t start(char **argv, int out)
{
	fflush(NULL);
	pid_t pid = fork();

	if (pid < 0)
		fails("fork");
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (out >= 0)
		dup2(out, STDOUT_FILENO);
	execvp(argv[0], argv);
	fprintf(stderr, "network_tool: %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

static void await_line(int fd)
{
	char c = 0;

	while (c != '\n')
		if (read(fd, &c, 1) != 1) {
			fprintf(stderr, "network_tool: the device ended\n");
			exit(2);
		}
}

/* Readable when a child has ended. */
static int ended[2];

static void on_child(int sig)
{
	(void)sig;
	(void)!write(ended[1], "", 1);
}

static const struct {
	struct option option;
	double *value;
} options[] = {
	{{"delay-ms", required_argument, NULL, 0}, &way.delay_ms},
	{{"jitter-ms", required_argument, NULL, 0}, &way.jitter_ms},
	{{"loss", required_argument, NULL, 0}, &way.loss},
	{{"reorder", required_argument, NULL, 0}, &way.reorder},
	{{"duplicate", required_argument, NULL, 0}, &way.duplicate},
	{{"overtaken-ms", required_argument, NULL, 0}, &way.overtaken_ms},
	{{"burst", required_argument, NULL, 0}, &way.burst},
	{{"burst-more", required_argument, NULL, 0}, &way.burst_more},
	{{"burst-ms", required_argument, NULL, 0}, &way.burst_ms},
	{{"mtu", required_argument, NULL, 0}, &way.mtu},
	{{"mtu-from", required_argument, NULL, 0}, &way.mtu_from},
	{{"mtu-reported", required_argument, NULL, 0}, &way.mtu_reported},
	{{"outage-ms", required_argument, NULL, 0}, &way.outage_ms},
	{{"outage-every", required_argument, NULL, 0}, &way.outage_every},
};

enum { OPTIONS = sizeof(options) / sizeof(options[0]) };

/* Where DEVICE begins in argv. */
static int read_options(int argc, char **argv)
{
	static const struct option seed = {"seed", required_argument, NULL,
					   's'};
	struct option all[OPTIONS + 2] = {[OPTIONS] = seed};
	int c, which;

	for (unsigned i = 0; i < OPTIONS; i++)
		all[i] = options[i].option;
	while ((c = getopt_long(argc, argv, "+", all, &which)) != -1) {
		if (c == 's')
			way.seed = strtoull(optarg, NULL, 0);
		else if (c == 0)
			*options[which].value = strtod(optarg, NULL);
		else
			exit(2);
	}
	if (way.overtaken_ms < 0)
		way.overtaken_ms = 2 + way.delay_ms / 2;
	return optind;
}

/* Kill it, if it is still there, and wait for it. */
static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		continue;
}

int main(int argc, char **argv)
{
	static struct queue q[2];
	int at = read_options(argc, argv), gap = at, ready[2];

	while (gap < argc && strcmp(argv[gap], "--") != 0)
		gap++;
	if (gap == at || gap + 1 >= argc) {
		fprintf(stderr, "usage: network_tool [OPTION...] DEVICE... -- "
				"SUITE...\n");
		return 2;
	}
	argv[gap] = NULL;
	if (pipe2(ready, O_CLOEXEC) || pipe2(ended, O_CLOEXEC | O_NONBLOCK))
		fails("pipe");
	int far = make_end(2);
	pid_t device = start(argv + at, ready[1]);

	close(ready[1]);
	await_line(ready[0]);
	int near = make_end(1);

	signal(SIGCHLD, on_child);
	pid_t suite = start(argv + gap + 1, -1);

	q[0] = (struct queue){.from = near, .to = far, .direction = 1};
	q[1] = (struct queue){.from = far, .to = near, .direction = 2};
	way.began = clock_now_ns();
	int status = carry(q, suite, ended[0]);

	signal(SIGCHLD, SIG_DFL);
	end(device);
	fprintf(stderr,
		"network: %llu packets, %llu lost, %llu overtaken, %llu twice, "
		"%llu without room\n",
		counts.packets, counts.lost, counts.late, counts.twice,
		counts.full);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * warpspec-refdut: an iWARP device and its agent in one process. It shares
 * nothing with the suite but the CRC and the parser of the agent protocol's
 * lines, so that neither can hide an error of the other.
 */
#include "harness/crc/crc.h"
#include "harness/refdut/control.h"
#include "harness/refdut/features.h"
#include "harness/refdut/loop.h"
#include "harness/refdut/mutants.h"
#include "harness/refdut/session.h"

#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

static const char usage[] =
	"usage: warpspec-refdut [--bind ADDRESS] [--agent-port PORT]\n"
	"       [--mutant NAME | --control NAME] [--spec rfc7306|draft-10|"
	"draft-03|draft-01]\n"
	"       [--without FEATURE,FEATURE...]\n"
	"       [--startup-timeout-ms N] [--token-file FILE]\n"
	"       [--list-mutants] [--version] [--help]\n"
	"An iWARP device in software, driven by the agent protocol. Its agent"
	" listens on\n"
	"127.0.0.1:18515 unless told otherwise; port 0 takes any. With --spec"
	" draft-03 or\n"
	"draft-01 it offers the Swap those drafts have; with --without it does"
	" not claim\n"
	"these features, and refuses their operations as unknown.\n"
	"controls: mute closer resetter garbage echo hangup terminator\n";

struct options {
	const char *bind;
	uint64_t port;
	const char *token_file;
};

static int complain(const char *what, const char *which)
{
	fprintf(stderr, "warpspec-refdut: %s%s%s\n", what, which ? ": " : "",
		which ? which : "");
	return 2;
}

/* The token is the file's text without the line end that editors add. */
static int read_token(const char *path)
{
	FILE *file = fopen(path, "re");
	size_t n;

	if (!file)
		return complain(path, strerror(errno));
	n = fread(agent_token.octets, 1, TOKEN_MAX, file);
	fclose(file);
	while (n && (agent_token.octets[n - 1] == '\n' ||
		     agent_token.octets[n - 1] == '\r'))
		n--;
	agent_token.len = n;
	return n ? 0 : complain("the token is empty", path);
}

static bool choose_spec(const char *name)
{
	bool swap =
		strcmp(name, "draft-03") == 0 || strcmp(name, "draft-01") == 0;

	if (swap)
		feature_add_swap();
	return swap || strcmp(name, "rfc7306") == 0 ||
	       strcmp(name, "draft-10") == 0;
}

static bool remove_features(const char *list)
{
	const char *bad;
	char name[32];
	size_t n;

	if (feature_remove(list, &bad, &n))
		return true;
	snprintf(name, sizeof(name), "%.*s", (int)(n < 31 ? n : 31), bad);
	complain("no such feature", name);
	return false;
}

/* Returns -1 to go on, otherwise the exit status. */
static int parse(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{"bind", required_argument, NULL, 'b'},
		{"agent-port", required_argument, NULL, 'p'},
		{"mutant", required_argument, NULL, 'm'},
		{"control", required_argument, NULL, 'c'},
		{"spec", required_argument, NULL, 's'},
		{"without", required_argument, NULL, 'w'},
		{"startup-timeout-ms", required_argument, NULL, 't'},
		{"token-file", required_argument, NULL, 'k'},
		{"list-mutants", no_argument, NULL, 'l'},
		{"version", no_argument, NULL, 'v'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	uint64_t n;
	int c, status;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":", longs, NULL)) != -1) {
		switch (c) {
		case 'b':
			o->bind = optarg;
			break;
		case 'p':
			if (!line_number(optarg, &o->port) ||
			    o->port > UINT16_MAX)
				return complain("bad port", optarg);
			break;
		case 'm':
			if (!mutant_plant(optarg))
				return complain("no such mutant", optarg);
			break;
		case 'c':
			if (!control_choose(optarg))
				return complain("no such control", optarg);
			break;
		case 's':
			if (!choose_spec(optarg))
				return complain("no such spec", optarg);
			break;
		case 'w':
			if (!remove_features(optarg))
				return 2;
			break;
		case 't':
			if (!line_number(optarg, &n) || !n || n > 600000)
				return complain("bad timeout", optarg);
			startup_timeout_ms = (unsigned)n;
			break;
		case 'k':
			status = read_token(optarg);
			if (status)
				return status;
			break;
		case 'l':
			mutant_list(stdout);
			return fflush(stdout) ? 1 : 0;
		case 'v':
			printf("warpspec-refdut %s\n", WARPSPEC_VERSION);
			return 0;
		case 'h':
			fputs(usage, stdout);
			return 0;
		case ':':
			return complain("a value is missing", argv[optind - 1]);
		default:
			return complain("unknown option", argv[optind - 1]);
		}
	}
	if (optind < argc)
		return complain("unexpected argument", argv[optind]);
	return -1;
}

static int resolve(const struct options *o, struct sockaddr_storage *at,
		   socklen_t *len)
{
	struct sockaddr_in *in = (struct sockaddr_in *)at;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)at;
	bool loopback;

	memset(at, 0, sizeof(*at));
	if (inet_pton(AF_INET, o->bind, &in->sin_addr) == 1) {
		in->sin_family = AF_INET;
		in->sin_port = htons((uint16_t)o->port);
		*len = sizeof(*in);
		loopback = ntohl(in->sin_addr.s_addr) >> 24 == 127;
	} else if (inet_pton(AF_INET6, o->bind, &in6->sin6_addr) == 1) {
		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons((uint16_t)o->port);
		*len = sizeof(*in6);
		loopback = IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr);
	} else {
		return complain("not a numeric address", o->bind);
	}
	if (!loopback && !agent_token.len)
		return complain("an address other than loopback needs "
				"--token-file",
				o->bind);
	return 0;
}

static void announce(const struct sockaddr_storage *at)
{
	const struct sockaddr_in *in = (const struct sockaddr_in *)at;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)at;
	char text[INET6_ADDRSTRLEN];

	if (at->ss_family == AF_INET6) {
		inet_ntop(AF_INET6, &in6->sin6_addr, text, sizeof(text));
		printf("warpspec-refdut: agent [%s]:%u\n", text,
		       ntohs(in6->sin6_port));
	} else {
		inet_ntop(AF_INET, &in->sin_addr, text, sizeof(text));
		printf("warpspec-refdut: agent %s:%u\n", text,
		       ntohs(in->sin_port));
	}
	fflush(stdout);
}

static void signalled(struct watch *watch, uint32_t events)
{
	(void)watch;
	(void)events;
	loop_stop();
}

/* SIGTERM and SIGINT end the loop like any other event. */
static int watch_signals(struct watch *watch)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -1;
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return -1;
	watch->ready = signalled;
	return loop_watch(watch, fd, EPOLLIN);
}

/* Many streams need many descriptors. */
static void raise_limits(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

int main(int argc, char **argv)
{
	struct options o = {.bind = "127.0.0.1", .port = 18515};
	struct watch signals = {.fd = -1};
	struct sockaddr_storage at;
	const char *why;
	socklen_t len = 0;
	int status = parse(argc, argv, &o);

	if (status >= 0)
		return status;
	status = resolve(&o, &at, &len);
	if (status)
		return status;
	if (crc_init(&why) < 0) {
		complain("crc", why);
		return 1;
	}
	raise_limits();
	if (loop_init() < 0 || watch_signals(&signals) < 0) {
		complain("event loop", strerror(errno));
		return 1;
	}
	if (server_start((struct sockaddr *)&at, len, &at) < 0) {
		complain("agent port", strerror(errno));
		return 1;
	}
	announce(&at);
	loop_run();
	server_stop();
	close(signals.fd);
	loop_fini();
	return 0;
}

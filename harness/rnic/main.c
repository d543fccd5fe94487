/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * warpspec-agent: the agent protocol for an RNIC with an rdma-core provider.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/rnic/ibverbs.h"
#include "harness/rnic/server.h"
#include "harness/rnic/startup_probe.h"

static const char usage[] =
	"usage: warpspec-agent [--device NAME] [--bind ADDRESS] [--port PORT]\n"
	"       [--token-file FILE] [--version] [--help]\n"
	"The agent of an RNIC with an rdma-core provider. It listens on"
	" 127.0.0.1:18515\n"
	"by default; with port 0 the system chooses the port. Any address"
	" but loopback\n"
	"requires a token. Without --device it uses the iWARP device of the"
	" bound address,\n"
	"or the first one.\n";

struct options {
	const char *device, *bind, *token_file;
	uint64_t port;
};

static int complain(const char *what, const char *which)
{
	fprintf(stderr, "warpspec-agent: %s%s%s\n", what, which ? ": " : "",
		which ? which : "");
	return 2;
}

/* Returns -1 to continue, otherwise the exit status. */
static int parse(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{"device", required_argument, NULL, 'd'},
		{"bind", required_argument, NULL, 'b'},
		{"port", required_argument, NULL, 'p'},
		{"token-file", required_argument, NULL, 't'},
		{"version", no_argument, NULL, 'v'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":", longs, NULL)) != -1) {
		switch (c) {
		case 'd':
			o->device = optarg;
			break;
		case 'b':
			o->bind = optarg;
			break;
		case 'p':
			if (!line_number(optarg, &o->port) ||
			    o->port > UINT16_MAX)
				return complain("bad port", optarg);
			break;
		case 't':
			o->token_file = optarg;
			break;
		case 'v':
			puts("warpspec-agent " WARPSPEC_VERSION);
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

/* The file's first line, as in the suite. Whoever can write the file chooses
 * who is served. */
static int read_token(const char *path, struct verbs_token *t)
{
	FILE *f = path ? fopen(path, "re") : NULL;
	struct stat st;

	if (!path)
		return -1;
	if (!f)
		return complain(path, strerror(errno));
	if (fstat(fileno(f), &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink &&
	    st.st_mode & S_IWOTH) {
		fclose(f);
		return complain("others may write it: chmod o-w", path);
	}
	errno = 0;
	size_t n = fread(t->octets, 1, sizeof(t->octets), f);
	int error = ferror(f) ? errno : 0;

	fclose(f);
	if (error)
		return complain(path, strerror(error));
	for (t->len = 0; t->len < n; t->len++)
		if (strchr("\r\n", t->octets[t->len]))
			break;
	if (t->len == sizeof(t->octets))
		return complain("the token's line is too long", path);
	return t->len ? -1 : complain("the token is empty", path);
}

static int resolve(const struct options *o, bool has_token,
		   struct sockaddr_storage *at, socklen_t *len)
{
	struct sockaddr_in *in = (struct sockaddr_in *)at;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)at;
	bool loopback;

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
	if (!loopback && !has_token)
		return complain("an address other than loopback needs "
				"--token-file",
				o->bind);
	return -1;
}

/* Registered memory is locked, and every session has descriptors. */
static void raise_limits(void)
{
	static const struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
	struct rlimit limit;

	if (setrlimit(RLIMIT_MEMLOCK, &all) != 0 &&
	    getrlimit(RLIMIT_MEMLOCK, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_MEMLOCK, &limit);
	}
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static struct verbs_device *open_device(void *arg,
					const struct verbs_facts *facts,
					char *why, size_t cap)
{
	return rnic_open(arg, facts, why, cap);
}

/* --- facts found before the first session --------------------------------- */

/* In a process of its own, so that this one never opens a device: rdma-core
 * does not support forks well. */
struct learned {
	bool found;
	struct rnic_place place;
	struct verbs_facts facts;
	char why[VERBS_WHY];
};

static void look(const struct options *o, struct learned *l)
{
	struct verbs_device *d;

	if (!rnic_find(&l->place, o->device, o->bind, l->why, sizeof(l->why)))
		return;
	d = rnic_open(&l->place, &l->facts, l->why, sizeof(l->why));
	if (!d)
		return;
	l->found = rnic_facts(d, &l->facts);
	if (!l->found)
		snprintf(l->why, sizeof(l->why),
			 "device %s: no answer to a "
			 "query",
			 l->place.device);
	d->ops->destroy(d);
}

static bool find_device(const struct options *o, struct learned *l)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		look(o, l);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) < 0)
		snprintf(l->why, sizeof(l->why), "fork: %s", strerror(errno));
	return l->found;
}

/* A session without a token, over a pair of sockets, is asked to connect and
 * to listen. */
static void probe_device(struct learned *l, struct verbs_guard *guard)
{
	static const struct verbs_token none;
	const uint64_t roles = 1ull << AGENT_FEATURE_BIT_INITIATOR |
			       1ull << AGENT_FEATURE_BIT_RESPONDER;
	struct verbs_facts facts = l->facts;
	const struct verbs_server v = {.facts = &facts,
				       .token = &none,
				       .open = open_device,
				       .arg = &l->place};
	pid_t pid;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
		snprintf(l->why, sizeof(l->why), "socketpair: %s",
			 strerror(errno));
		return;
	}
	pid = verbs_server_session(&v, pair[1], guard, "itself");
	close(pair[1]);
	verbs_probe_startup(pair[0], &l->facts, l->why, sizeof(l->why));
	if (pid > 0)
		waitpid(pid, NULL, 0);
	l->facts.probed = l->facts.features & roles;
	/* Properties of rdma_cm with any device need no probe. */
	if (!l->facts.probed)
		l->facts.features |= roles | 1ull << AGENT_FEATURE_BIT_MPA_V1 |
				     1ull << AGENT_FEATURE_BIT_PRIVATE_DATA |
				     1ull << AGENT_FEATURE_BIT_REJECT;
}

static void announce(const struct sockaddr_storage *at, const struct learned *l)
{
	char text[INET6_ADDRSTRLEN];

	if (at->ss_family == AF_INET6) {
		const struct sockaddr_in6 *in6 = (const void *)at;

		inet_ntop(AF_INET6, &in6->sin6_addr, text, sizeof(text));
		printf("warpspec-agent: agent [%s]:%u device %s at %s\n", text,
		       ntohs(in6->sin6_port), l->place.device, l->facts.addr);
	} else {
		const struct sockaddr_in *in = (const void *)at;

		inet_ntop(AF_INET, &in->sin_addr, text, sizeof(text));
		printf("warpspec-agent: agent %s:%u device %s at %s\n", text,
		       ntohs(in->sin_port), l->place.device, l->facts.addr);
	}
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct options o = {.bind = "127.0.0.1", .port = 18515};
	struct verbs_token token = {.len = 0};
	struct sockaddr_storage at = {0};
	struct learned *learned;
	struct verbs_guard *guard;
	socklen_t len = 0;
	int listener;
	int status = parse(argc, argv, &o);

	if (status < 0)
		status = read_token(o.token_file, &token);
	if (status < 0)
		status = resolve(&o, token.len, &at, &len);
	if (status >= 0)
		return status;
	signal(SIGPIPE, SIG_IGN);
	raise_limits();
	listener = verbs_server_bind(&at, len);
	if (listener < 0) {
		complain("agent port", strerror(errno));
		return 1;
	}
	learned = mmap(NULL, sizeof(*learned), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	guard = verbs_guard_new();
	if (learned == MAP_FAILED || !guard) {
		complain("memory", strerror(errno));
		return 1;
	}
	if (!find_device(&o, learned)) {
		complain(learned->why, NULL);
		return 1;
	}
	probe_device(learned, guard);
	if (learned->why[0])
		complain("startup frames of the device", learned->why);
	verbs_guard_free(guard);
	const struct verbs_server v = {.facts = &learned->facts,
				       .token = &token,
				       .open = open_device,
				       .arg = &learned->place};

	announce(&at, learned);
	if (verbs_server_run(&v, listener) == 0)
		return 0;
	complain("server", strerror(errno));
	return 1;
}

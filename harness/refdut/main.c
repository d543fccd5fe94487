/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * warpspec-refdut: an iWARP device and its agent in one process. It shares only
 * the CRC and the parser of the agent protocol's lines with the suite, so that
 * neither can hide an error of the other.
 */
#include "harness/crc/crc.h"
#include "harness/refdut/control.h"
#include "harness/refdut/agent/features.h"
#include "harness/refdut/loop.h"
#include "harness/refdut/decision/overrides.h"
#include "harness/refdut/agent/session.h"
#include "harness/refdut/ulp/ulp.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/signalfd.h>
#include <unistd.h>

static const char usage[] =
	"usage: warpspec-refdut [--bind ADDRESS] [--agent-port PORT] "
	"[--token-file FILE]\n"
	"       warpspec-refdut --ulp rping [--bind ADDRESS] [--port PORT] "
	"[--clients N]\n"
	"       [--verify] [--mpa 1|2]\n"
	"       warpspec-refdut --ulp buffer|buffer-send [--bind ADDRESS] "
	"[--port PORT] "
	"\n"
	"       [--clients N] [--mpa 1|2]\n"
	"       warpspec-refdut --ulp rping-client --connect ADDRESS:PORT "
	"[--count N]\n"
	"       [--size OCTETS] [--verify] [--mpa 1|2] [--settle-ms N]\n"
	"       warpspec-refdut --list-mutants | --list-coincidences | "
	"--list-variants |\n"
	"       --list-controls | --version | --help\n"
	"each with [--mutant NAME,NAME... | --control NAME] [--variant "
	"NAME,NAME...] "
	"[--spec rfc7306|draft-10|"
	"draft-03|\n"
	"draft-01] [--without FEATURE,FEATURE...] [--startup-timeout-ms N]\n"
	"\n"
	"An iWARP device in software, driven by the agent protocol. Its agent"
	" listens on\n"
	"127.0.0.1:18515 by default; with port 0 the system chooses the port. "
	"With --spec\n"
	"draft-03 or draft-01 the device has the Swap of those drafts. With "
	"--without it\n"
	"does not claim these features, and refuses their operations as "
	"unknown.\n"
	"\n"
	"With --ulp there is no agent: the device itself speaks the protocol of"
	" the rping\n"
	"of rdmacm-utils. A server listens on 127.0.0.1:7174 by default, and "
	"serves N\n"
	"clients, or until SIGTERM. A client makes one exchange of 64 octets by"
	" default.\n"
	"With --ulp buffer it lets its peers use memory: one buffer for all "
	"connections,\n"
	"whose STag, TO and length it prints, and one for each, advertised in "
	"private data,\n"
	"or, with buffer-send, by a Send.\n"
	"--verify compares the octets received with the expected ones.\n"
	"--settle-ms makes a client wait after the Reply, for servers that lose"
	" an FPDU that\n"
	"comes immediately after it. The exit status is 0 if every exchange was"
	" complete.\n";

enum { AGENT_PORT = 18515 };

struct options {
	const char *bind;
	uint64_t port;
	const char *connect;
	char given[64]; /* the letters of the options given */
	size_t ngiven;
	struct address at; /* where the agent listens */
	struct ulp ulp;
};

static int complain(const char *what, const char *which)
{
	fprintf(stderr, "warpspec-refdut: %s%s%s\n", what, which ? ": " : "",
		which ? which : "");
	return 2;
}

static int complain_of_mutant(const char *name)
{
	const struct override *meant = override_meant(name);

	if (!meant)
		return complain("no such mutant (--list-mutants lists them)",
				name);
	fprintf(stderr,
		"warpspec-refdut: no such mutant: %s; did you mean %s%s?\n",
		name, meant->kind == OVERRIDE_VARIANT ? "the variant +" : "",
		meant->name);
	return 2;
}

/* The token is the file's first line, as in the suite. Whoever can write the
 * file chooses who is served. */
static int read_token(const char *path)
{
	FILE *file = fopen(path, "re");
	struct stat st;
	size_t n;

	if (!file)
		return complain(path, strerror(errno));
	if (fstat(fileno(file), &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_nlink && st.st_mode & S_IWOTH) {
		fclose(file);
		return complain("others may write it: chmod o-w", path);
	}
	errno = 0;
	n = fread(agent_token.octets, 1, TOKEN_MAX, file);
	int error = ferror(file) ? errno : 0;

	fclose(file);
	if (error)
		return complain(path, strerror(error));
	size_t line = 0;

	while (line < n && !strchr("\r\n", agent_token.octets[line]))
		line++;
	if (line == TOKEN_MAX)
		return complain("the token's line is too long", path);
	agent_token.len = n = line;
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

static const struct option longs[] = {
	{"bind", required_argument, NULL, 'b'},
	{"agent-port", required_argument, NULL, 'p'},
	{"mutant", required_argument, NULL, 'm'},
	{"variant", required_argument, NULL, 'a'},
	{"control", required_argument, NULL, 'c'},
	{"spec", required_argument, NULL, 's'},
	{"without", required_argument, NULL, 'w'},
	{"startup-timeout-ms", required_argument, NULL, 't'},
	{"token-file", required_argument, NULL, 'k'},
	{"ulp", required_argument, NULL, 'u'},
	{"port", required_argument, NULL, 'P'},
	{"clients", required_argument, NULL, 'C'},
	{"connect", required_argument, NULL, 'x'},
	{"count", required_argument, NULL, 'n'},
	{"size", required_argument, NULL, 'z'},
	{"verify", no_argument, NULL, 'V'},
	{"mpa", required_argument, NULL, 'M'},
	{"settle-ms", required_argument, NULL, 'S'},
	{"list-mutants", no_argument, NULL, 'l'},
	{"list-coincidences", no_argument, NULL, 'i'},
	{"list-variants", no_argument, NULL, 'L'},
	{"list-controls", no_argument, NULL, 'o'},
	{"version", no_argument, NULL, 'v'},
	{"help", no_argument, NULL, 'h'},
	{0},
};

static bool choose_ulp(const char *name, enum ulp_role *role)
{
	*role = strcmp(name, "rping") == 0          ? ULP_RPING
		: strcmp(name, "rping-client") == 0 ? ULP_RPING_CLIENT
		: strcmp(name, "buffer") == 0       ? ULP_BUFFER
		: strcmp(name, "buffer-send") == 0  ? ULP_BUFFER_SEND
						    : ULP_NONE;
	return *role;
}

static bool in_range(const char *text, uint64_t low, uint64_t high, uint64_t *n)
{
	return line_number(text, n) && *n >= low && *n <= high;
}

/* Options for upper layer protocols only. */
static int parse_ulp(int c, struct options *o)
{
	uint64_t n = 0;

	switch (c) {
	case 'u':
		if (!choose_ulp(optarg, &o->ulp.role))
			return complain("no such ULP", optarg);
		break;
	case 'C':
		if (!in_range(optarg, 1, UINT32_MAX, &n))
			return complain("bad number of clients", optarg);
		o->ulp.clients = (uint32_t)n;
		break;
	case 'x':
		o->connect = optarg;
		break;
	case 'n':
		if (!in_range(optarg, 1, RPING_COUNT_MAX, &n))
			return complain("bad count", optarg);
		o->ulp.count = (uint32_t)n;
		break;
	case 'z':
		if (!in_range(optarg, 1, RPING_SIZE_MAX, &n))
			return complain("bad size: 1 to 65536 octets", optarg);
		o->ulp.size = (uint32_t)n;
		break;
	case 'S':
		if (!in_range(optarg, 0, RPING_SETTLE_MAX_MS, &n))
			return complain("bad time to settle", optarg);
		o->ulp.settle_ms = (unsigned)n;
		break;
	case 'V':
		o->ulp.verify = true;
		break;
	case 'M':
		if (!in_range(optarg, 1, 2, &n))
			return complain("the MPA revision is 1 or 2", optarg);
		o->ulp.rev = (unsigned)n;
		break;
	default:
		return complain("unknown option", NULL);
	}
	return 0;
}

/* Options about the device: its faults, its choices, its claims. Returns -1 for
 * an option of another kind, otherwise as parse_ulp. */
static int parse_device(int c)
{
	char why[128];

	switch (c) {
	case 'm':
		return mutants_plant(optarg) ? 0 : complain_of_mutant(optarg);
	case 'a':
		if (!variants_take(optarg, why, sizeof(why)))
			return complain(why, NULL);
		return 0;
	case 'c':
		if (!control_choose(optarg))
			return complain(
				"no such control (--list-controls lists them)",
				optarg);
		return 0;
	case 's':
		if (!choose_spec(optarg))
			return complain("no such spec", optarg);
		return 0;
	case 'w':
		return remove_features(optarg) ? 0 : 2;
	default:
		return -1;
	}
}

/* Options about the address and the token. Returns as above. */
static int parse_service(int c, struct options *o)
{
	uint64_t n;

	switch (c) {
	case 'b':
		o->bind = optarg;
		return 0;
	case 'p':
	case 'P':
		if (!in_range(optarg, 0, UINT16_MAX, &o->port))
			return complain("bad port", optarg);
		return 0;
	case 't':
		if (!in_range(optarg, 1, 600000, &n))
			return complain("bad timeout", optarg);
		startup_timeout_ms = (unsigned)n;
		return 0;
	case 'k':
		return read_token(optarg);
	default:
		return -1;
	}
}

/* Options that only print something. False: it is not one of them. */
static bool print(int c)
{
	switch (c) {
	case 'l':
		mutant_list(stdout);
		return true;
	case 'i':
		coincidence_list(stdout);
		return true;
	case 'L':
		variants_list(stdout);
		return true;
	case 'o':
		control_list(stdout);
		return true;
	case 'v':
		printf("warpspec-refdut %s\n", WARPSPEC_VERSION);
		return true;
	case 'h':
		fputs(usage, stdout);
		return true;
	default:
		return false;
	}
}

/* Returns -1 to go on, otherwise the exit status. */
static int parse(int argc, char **argv, struct options *o)
{
	int c, status;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":", longs, NULL)) != -1) {
		if (o->ngiven + 1 < sizeof(o->given))
			o->given[o->ngiven++] = (char)c;
		if (c == ':')
			return complain("a value is missing", argv[optind - 1]);
		if (c == '?')
			return complain("unknown option", argv[optind - 1]);
		if (print(c))
			return fflush(stdout) ? 1 : 0;
		status = parse_device(c);
		if (status < 0)
			status = parse_service(c, o);
		if (status < 0)
			status = parse_ulp(c, o);
		if (status)
			return status;
	}
	if (optind < argc)
		return complain("unexpected argument", argv[optind]);
	return -1;
}

static bool given(const struct options *o, char letter)
{
	return memchr(o->given, letter, o->ngiven);
}

/* Every given option has to be one of the permitted ones. */
static int check_given(const struct options *o)
{
	static const char *const of_role[] = {
		[ULP_NONE] = "bpmacswtk",
		[ULP_RPING] = "umacswtbPCVM",
		[ULP_RPING_CLIENT] = "umacswtxnzVMS",
		[ULP_BUFFER] = "umacswtbPCM",
		[ULP_BUFFER_SEND] = "umacswtbPCM",
	};
	static const char *const where[] = {
		[ULP_NONE] = "without --ulp",
		[ULP_RPING] = "with --ulp rping",
		[ULP_RPING_CLIENT] = "with --ulp rping-client",
		[ULP_BUFFER] = "with --ulp buffer",
		[ULP_BUFFER_SEND] = "with --ulp buffer-send",
	};

	for (const struct option *l = longs; l->name; l++) {
		if (!given(o, (char)l->val) ||
		    strchr(of_role[o->ulp.role], l->val))
			continue;
		fprintf(stderr, "warpspec-refdut: --%s cannot be used %s\n",
			l->name, where[o->ulp.role]);
		return 2;
	}
	return 0;
}

/* The address to listen at or to connect to. */
static int resolve(struct options *o)
{
	if (o->ulp.role == ULP_RPING_CLIENT) {
		if (!o->connect)
			return complain("--connect ADDRESS:PORT is missing",
					NULL);
		if (!address_parse_pair(o->connect, &o->ulp.address))
			return complain("not a numeric address with a port",
					o->connect);
		return 0;
	}
	if (o->ulp.role && !given(o, 'P'))
		o->port = RPING_PORT;
	if (!address_parse(o->bind, (uint16_t)o->port, &o->at))
		return complain("not a numeric address", o->bind);
	o->ulp.address = o->at;
	/* The agent gives out the host's memory; a ULP only its own buffers. */
	if (o->ulp.role == ULP_NONE && !address_is_loopback(&o->at) &&
	    !agent_token.len)
		return complain("an address other than loopback needs "
				"--token-file",
				o->bind);
	return 0;
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

static int run_agent(struct options *o)
{
	char text[ADDRESS_TEXT];

	if (server_start(&o->at) < 0) {
		complain("agent port", strerror(errno));
		return 1;
	}
	address_text(&o->at, text);
	printf("warpspec-refdut: agent %s\n", text);
	if (fflush(stdout) != 0) {
		complain("standard output", strerror(errno));
		return 1;
	}
	loop_run();
	server_stop();
	return 0;
}

int main(int argc, char **argv)
{
	struct options o = {
		.bind = "127.0.0.1",
		.port = AGENT_PORT,
		.ulp = {.count = 1, .size = RPING_SIZE, .rev = 2},
	};
	struct watch signals = {.fd = -1};
	const char *why;
	int status = parse(argc, argv, &o);

	if (status >= 0)
		return status;
	status = check_given(&o);
	if (!status)
		status = resolve(&o);
	if (status)
		return status;
	if (o.ulp.role && !given(&o, 't'))
		startup_timeout_ms = RPING_PATIENCE_MS;
	if (crc_init(&why) < 0) {
		complain("crc", why);
		return 1;
	}
	raise_limits();
	if (loop_init() < 0 || watch_signals(&signals) < 0) {
		complain("event loop", strerror(errno));
		return 1;
	}
	status = o.ulp.role ? ulp_run(&o.ulp) : run_agent(&o);
	close(signals.fd);
	loop_fini();
	return status;
}

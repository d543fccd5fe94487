/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rping between two devices, a process each, and the messages of each role when
 * a peer does something else.
 */
#include "harness/crc/crc.h"
#include "harness/refdut/decision/overrides.h"
#include "harness/refdut/ulp/ulp.h"
#include "harness/unit.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEADLINE_MS = 20000, TEXT = 4096 };

/* A process, and all of its output. */
struct device {
	pid_t pid;
	int said;
	char text[TEXT];
	size_t n;
};

static struct watch signals = {.fd = -1};

static void signalled(struct watch *watch, uint32_t events)
{
	(void)watch;
	(void)events;
	loop_stop();
}

static void begin(struct device *d, int (*serve)(const struct ulp *),
		  const struct ulp *ulp, const char *mutant)
{
	const char *why;
	sigset_t set;
	int ends[2];
	int status;

	memset(d, 0, sizeof(*d));
	CU_ASSERT_EQUAL_FATAL(pipe(ends), 0);
	fflush(NULL);
	/* A stop signal before the process handles signals stops it once it
	 * does. */
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	d->pid = fork();
	d->said = ends[0];
	if (d->pid) {
		sigprocmask(SIG_UNBLOCK, &set, NULL);
		close(ends[1]);
		return;
	}
	close(ends[0]);
	dup2(ends[1], STDOUT_FILENO);
	dup2(ends[1], STDERR_FILENO);
	close(ends[1]);
	overrides_clear();
	if (mutant)
		mutants_plant(mutant);
	signals.ready = signalled;
	if (crc_init(&why) < 0 || loop_init() < 0 ||
	    loop_watch(&signals, signalfd(-1, &set, SFD_CLOEXEC), EPOLLIN) < 0)
		_exit(99);
	status = serve(ulp);
	loop_fini();
	fflush(NULL);
	_exit(status);
}

/* Read output until it contains this text, or the output ends. */
static bool hear(struct device *d, const char *what)
{
	struct pollfd p = {.fd = d->said, .events = POLLIN};

	while (!what || !strstr(d->text, what)) {
		ssize_t n;

		if (poll(&p, 1, DEADLINE_MS) != 1)
			return false;
		n = read(d->said, d->text + d->n, TEXT - 1 - d->n);
		if (n <= 0)
			return !what;
		d->n += (size_t)n;
	}
	return true;
}

/* Its exit status, once it is done; its output stays. */
static int end(struct device *d)
{
	int status = 0;

	if (!hear(d, NULL))
		kill(d->pid, SIGKILL);
	close(d->said);
	waitpid(d->pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void says(const struct device *d, const char *what)
{
	CU_ASSERT_PTR_NOT_NULL(strstr(d->text, what));
	if (!strstr(d->text, what))
		fprintf(stderr, "due: %s\nsaid: %s", what, d->text);
}

static struct ulp loopback(enum ulp_role role)
{
	struct ulp ulp = {
		.role = role,
		.count = 1,
		.size = RPING_SIZE,
		.rev = 2,
		.verify = true,
	};

	CU_ASSERT_TRUE_FATAL(address_parse("127.0.0.1", 0, &ulp.address));
	return ulp;
}

static void begin_server(struct device *d, struct ulp *server,
			 struct address *at, const char *mutant)
{
	char text[ADDRESS_TEXT];

	begin(d, ulp_run, server, mutant);
	CU_ASSERT_TRUE_FATAL(hear(d, "\n"));
	CU_ASSERT_EQUAL_FATAL(sscanf(d->text, "listening %63s", text), 1);
	CU_ASSERT_TRUE_FATAL(address_parse_pair(text, at));
}

static void data_go_there_and_back(void)
{
	static const struct {
		uint32_t size, count;
		const char *text;
	} rows[] = {
		{1, 1, "rping: 1 exchange of 1 octet with 127.0.0.1:"},
		{2, 3, "rping: 3 exchanges of 2 octets with 127.0.0.1:"},
		{13, 10, "rping: 10 exchanges of 13 octets"},
		{64, 1, "rping: 1 exchange of 64 octets"},
		{64, 1000, "rping: 1000 exchanges of 64 octets"},
		{1448, 10, "rping: 10 exchanges of 1448 octets"},
		{65535, 60, "rping: 60 exchanges of 65535 octets"},
		{65536, 60, "rping: 60 exchanges of 65536 octets"},
	};

	for (unsigned rev = 1; rev <= 2; rev++) {
		struct ulp server = loopback(ULP_RPING);
		struct ulp client = loopback(ULP_RPING_CLIENT);
		struct device s, c;

		client.rev = rev;
		server.clients = UNIT_COUNT(rows);
		begin_server(&s, &server, &client.address, NULL);
		for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
			client.size = rows[i].size;
			client.count = rows[i].count;
			begin(&c, ulp_run, &client, NULL);
			CU_ASSERT_EQUAL(end(&c), 0);
			says(&c, rows[i].text);
			says(&c, ", verified\n");
		}
		CU_ASSERT_EQUAL(end(&s), 0);
		for (size_t i = 0; i < UNIT_COUNT(rows); i++)
			says(&s, rows[i].text);
	}
}

static void a_client_lets_the_server_settle(void)
{
	struct ulp server = loopback(ULP_RPING);
	struct ulp client = loopback(ULP_RPING_CLIENT);
	uint64_t began = loop_now();
	struct device s, c;

	client.settle_ms = 40;
	server.clients = 1;
	begin_server(&s, &server, &client.address, NULL);
	begin(&c, ulp_run, &client, NULL);
	CU_ASSERT_EQUAL(end(&c), 0);
	CU_ASSERT_TRUE(loop_now() - began >= 40);
	CU_ASSERT_EQUAL(end(&s), 0);
}

static void a_server_serves_clients_at_once_until_told_to_stop(void)
{
	enum { CLIENTS = 5 };
	struct ulp server = loopback(ULP_RPING);
	struct ulp client = loopback(ULP_RPING_CLIENT);
	struct device s, c[CLIENTS];

	client.count = 100;
	client.size = 20000;
	client.verify = false;
	begin_server(&s, &server, &client.address, NULL);
	for (int i = 0; i < CLIENTS; i++)
		begin(&c[i], ulp_run, &client, NULL);
	for (int i = 0; i < CLIENTS; i++) {
		CU_ASSERT_EQUAL(end(&c[i]), 0);
		says(&c[i], ", not verified\n");
	}
	kill(s.pid, SIGTERM);
	CU_ASSERT_EQUAL(end(&s), 0);
}

static void a_client_told_to_stop_is_not_done(void)
{
	struct ulp server = loopback(ULP_RPING);
	struct ulp client = loopback(ULP_RPING_CLIENT);
	struct device s, c;

	client.count = RPING_COUNT_MAX;
	server.clients = 1;
	begin_server(&s, &server, &client.address, NULL);
	begin(&c, ulp_run, &client, NULL);
	kill(c.pid, SIGTERM);
	CU_ASSERT_EQUAL(end(&c), 1);
	says(&c, ": interrupted after ");
	/* The connection may not even have reached the server. */
	kill(s.pid, SIGTERM);
	end(&s);
}

/* A fault of one device, found by the other one. */
static void octets_that_are_wrong_are_found(void)
{
	static const struct {
		const char *of_server, *of_client;
		int server_status;
		const char *server_says, *client_says;
	} rows[] = {
		/* The last segment of a Write is placed over the first one. */
		{"to_not_advanced", NULL, 0, NULL,
		 "exchange 1, waiting for the data to come back: octet "},
		/* So is that of a Read Response. */
		{NULL, "to_not_advanced", 1,
		 "exchange 1, RDMA Read of the data: octet ", NULL},
		/* Protocol errors end both. */
		{NULL, "response_one_short", 1,
		 "exchange 1, RDMA Read of the data: Terminate sent: layer 0",
		 "exchange 1, waiting for the data to be read: Terminate "
		 "received: layer 0"},
		{"write_stag_byte_swapped", NULL, 1,
		 "exchange 1, RDMA Write of the data: Terminate received: "
		 "layer 1, type 1, code 0",
		 "exchange 1, waiting for the data to come back: Terminate "
		 "sent: layer 1, type 1, code 0"},
	};

	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		struct ulp server = loopback(ULP_RPING);
		struct ulp client = loopback(ULP_RPING_CLIENT);
		struct device s, c;

		server.clients = 1;
		client.size = 65536;
		begin_server(&s, &server, &client.address, rows[i].of_server);
		begin(&c, ulp_run, &client, rows[i].of_client);
		CU_ASSERT_EQUAL(end(&c), 1);
		CU_ASSERT_EQUAL(end(&s), rows[i].server_status);
		if (rows[i].server_says)
			says(&s, rows[i].server_says);
		if (rows[i].client_says)
			says(&c, rows[i].client_says);
	}
}

/* --- a peer that does something else ---------------------------------- */

/* One row for each Send of the peer, and how often it waits for a Send before
 * that. */
struct odd {
	uint32_t ird;
	uint32_t len[2]; /* length of the Sends; 0: it closes instead */
	uint32_t size[2];
	const char *text;
};

static const struct odd *odd;
static struct conn *odd_conn;
static struct region *odd_region;
static unsigned odd_sent;

static void odd_step(struct job *job)
{
	struct work *work;

	(void)job;
	if (odd_conn->phase == PHASE_GONE) {
		loop_stop();
		return;
	}
	/* First when the stream is up, then after every Send that arrived. */
	if (conn_is_final(odd_conn) || !odd_conn->was_established ||
	    odd_conn->nevents < odd_sent)
		return;
	if (odd_sent == 2 || !odd->len[odd_sent]) {
		conn_close(odd_conn, false);
		return;
	}
	work = alloc_zeroed(sizeof(*work));
	work->op = OP_SEND;
	work->silent = true;
	work->len = odd->len[odd_sent];
	work->octets = alloc_zeroed(work->len + 16);
	be64_put(work->octets, odd_region->to);
	be32_put(work->octets + 8, odd_region->stag);
	be32_put(work->octets + 12, odd->size[odd_sent]);
	odd_sent++;
	work_post(odd_conn, work);
}

static int serve_oddly(const struct ulp *ulp)
{
	static struct job job = {.run = odd_step};
	struct params params = {
		.ird = odd->ird,
		.ord = 1,
		.crc = true,
		.rev = 2,
		.enhanced = true,
		.rq = 3,
		.rqlen = 64,
		.first_msn = 1,
	};
	struct region_options options = {
		.domain = {.owner = &job},
		.len = 64,
		.align = 64,
		.access = ACCESS_REMOTE_READ | ACCESS_REMOTE_WRITE,
	};

	odd_region = region_register("odd", &options);
	odd_conn = conn_connect((const struct sockaddr *)&ulp->address.at,
				ulp->address.len, &params, &job, &job);
	if (!odd_region || !odd_conn)
		return 99;
	loop_run();
	conn_destroy(odd_conn);
	region_put(odd_region);
	return 0;
}

static void a_server_says_what_is_wrong_with_a_client(void)
{
	static const struct odd rows[] = {
		{1, {0}, {0}, "exchange 1, waiting for the source: the peer"},
		{1,
		 {12},
		 {64},
		 "exchange 1, waiting for the source: a Send of 12 octets, "
		 "due 16"},
		{1, {17}, {64}, "waiting for the source: Terminate sent: "},
		{1, {16}, {0}, "0 octets are advertised: 1 to 65536 are"},
		{1, {16}, {65537}, "65537 octets are advertised"},
		{0, {16}, {64}, "the ORD is 0"},
		{1,
		 {16},
		 {65},
		 "exchange 1, RDMA Read of the data: Terminate received: "
		 "layer 0, type 1, code 1"},
		{1,
		 {16, 0},
		 {64},
		 "exchange 1, waiting for the sink: the peer "
		 "has closed"},
		{1, {16, 16}, {64, 63}, "a sink of 63 octets for 64"},
	};

	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		struct ulp server = loopback(ULP_RPING);
		struct ulp client = loopback(ULP_RPING_CLIENT);
		struct device s, c;

		odd = &rows[i];
		server.clients = 1;
		server.verify = false;
		begin_server(&s, &server, &client.address, NULL);
		begin(&c, serve_oddly, &client, NULL);
		CU_ASSERT_EQUAL(end(&c), 0);
		CU_ASSERT_EQUAL(end(&s), 1);
		says(&s, rows[i].text);
	}
}

static void a_client_says_why_there_is_no_stream(void)
{
	struct ulp server = loopback(ULP_RPING);
	struct ulp client = loopback(ULP_RPING_CLIENT);
	struct device s, c;

	/* A server of revision 1 does not answer a Request of revision 2. */
	server.clients = 1;
	server.rev = 1;
	begin_server(&s, &server, &client.address, NULL);
	begin(&c, ulp_run, &client, NULL);
	CU_ASSERT_EQUAL(end(&c), 1);
	says(&c, "startup: peer-closed\n");
	CU_ASSERT_EQUAL(end(&s), 1);
	says(&s, "startup: revision\n");

	/* Now no server is running any more. */
	begin(&c, ulp_run, &client, NULL);
	CU_ASSERT_EQUAL(end(&c), 1);
	says(&c, "startup: refused\n");
}

static void addresses_are_read_as_they_are_told(void)
{
	static const char *const good[] = {"127.0.0.1:1", "192.0.2.7:65535",
					   "[::1]:7174", "[2001:db8::7]:80"};
	static const char *const bad[] = {
		"",
		":",
		"127.0.0.1",
		"127.0.0.1:",
		"1.2.3:4",
		"[::1]",
		"::1:80",
		"127.0.0.1:0",
		"[]:1",
		"[::1]80",
		"::1]:80",
		"127.0.0.1:65536",
		"host:80",
		"[1.2.3.4]:80",
		"127.0.0.1:8o",
		"[::1:80",
	};
	char text[ADDRESS_TEXT];
	struct address address;

	for (size_t i = 0; i < UNIT_COUNT(good); i++) {
		CU_ASSERT_TRUE_FATAL(address_parse_pair(good[i], &address));
		address_text(&address, text);
		CU_ASSERT_STRING_EQUAL(text, good[i]);
	}
	for (size_t i = 0; i < UNIT_COUNT(bad); i++)
		CU_ASSERT_FALSE(address_parse_pair(bad[i], &address));
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"data go there and back", data_go_there_and_back},
		{"a client lets the server settle",
		 a_client_lets_the_server_settle},
		{"a server serves clients at once, until it is stopped",
		 a_server_serves_clients_at_once_until_told_to_stop},
		{"a client that is stopped is not done",
		 a_client_told_to_stop_is_not_done},
		{"octets that are wrong are found",
		 octets_that_are_wrong_are_found},
		{"a server says what is wrong with a client",
		 a_server_says_what_is_wrong_with_a_client},
		{"a client says why there is no stream",
		 a_client_says_why_there_is_no_stream},
		{"addresses are read as they are printed",
		 addresses_are_read_as_they_are_told},
	};

	return unit_run("ulp", tests, UNIT_COUNT(tests));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Test cases on the built-in device: which cases run at the same time, what
 * waiting costs, and which case is blamed when the device goes down.
 */
#include "suite/run/plan/runner.h"

#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/crc/crc.h"
#include "harness/unit.h"
#include "suite/catalogue/catalogue.h"
#include "suite/catalogue/registry.h"
#include "suite/device/builtin.h"
#include "suite/language/case.h"

#define ORDINARY    24
#define DESTRUCTIVE 4
#define PATIENT     12 /* wait for a message that never comes */
#define RECEIVES    16
#define SESSIONS    4 /* sessions of an agent that opens no more */

/* Shared by the processes of a run. */
static struct shared {
	atomic_int inside, ended; /* cases that run, and have */
	atomic_int beside;        /* destructive ones with company */
	atomic_int early;         /* ... that did not run last */
	atomic_bool ill;
	atomic_int resets, looks;
	atomic_int waiting, most_waiting; /* at once */
	atomic_int refused;               /* sessions */
	int glitch; /* the look at which it seems ill, once, or 0 */
} * shared;

/* --- the cases ------------------------------------------------------------- */

static void exchanges(struct test *t)
{
	atomic_fetch_add(&shared->inside, 1);
	connects(t);
}

static void leaves(void)
{
	atomic_fetch_sub(&shared->inside, 1);
	atomic_fetch_add(&shared->ended, 1);
}

struct row {
	CASE_ROW;
};

static const struct row many[ORDINARY] = {
	{.id = "a"}, {.id = "b"}, {.id = "c"}, {.id = "d"}, {.id = "e"},
	{.id = "f"}, {.id = "g"}, {.id = "h"}, {.id = "i"}, {.id = "j"},
	{.id = "k"}, {.id = "l"}, {.id = "m"}, {.id = "n"}, {.id = "o"},
	{.id = "p"}, {.id = "q"}, {.id = "r"}, {.id = "s"}, {.id = "t"},
	{.id = "u"}, {.id = "v"}, {.id = "w"}, {.id = "x"}};
static const struct row few[] = {{.id = "1"}, {.id = "2"}, {.id = "3"}};

CASE_EACH(ordinary, struct row, many, .title = "a case like any other")
{
	(void)row;
	exchanges(t);
	must(t, RDMAP_5_2_1_16, stream_works());
	leaves();
}

CASE(deadly, .title = "a device goes down with it, and its agent does not")
{
	exchanges(t);
	shared->ill = true;
	must(t, RDMAP_5_2_1_16, stream_works());
	leaves();
}

static void comes_last_and_alone(struct test *t)
{
	exchanges(t);
	if (shared->inside != 1)
		shared->beside++;
	if (shared->ended < ORDINARY)
		shared->early++;
}

static void was_alone(void)
{
	if (shared->inside != 1)
		shared->beside++;
	leaves();
}

CASE_EACH(destructive, struct row, few, .title = "it may go down with it",
	  .destructive = true)
{
	(void)row;
	comes_last_and_alone(t);
	must(t, RDMAP_5_2_1_16, stream_works());
	was_alone();
}

CASE(destructive_wait, .title = "the same, and takes its time", .waits = true,
     .destructive = true)
{
	comes_last_and_alone(t);
	must(t, RDMAP_5_2_1_16, stream_works());
	was_alone();
}

static const struct row dozen[PATIENT] = {
	{.id = "a"}, {.id = "b"}, {.id = "c"}, {.id = "d"},
	{.id = "e"}, {.id = "f"}, {.id = "g"}, {.id = "h"},
	{.id = "i"}, {.id = "j"}, {.id = "k"}, {.id = "l"}};

CASE_EACH(patient, struct row, dozen, .title = "it waits for nothing")
{
	struct sink sink = dut_posts_recv(t, 8);

	(void)row;
	connects(t);
	int now = atomic_fetch_add(&shared->waiting, 1) + 1;

	if (now > shared->most_waiting)
		shared->most_waiting = now;
	dut_receives(t, sink);
	atomic_fetch_sub(&shared->waiting, 1);
	must(t, RDMAP_5_2_1_16, stream_works());
}

CASE(patience, .title = "many waits for nothing, then something")
{
	struct sink sinks = dut_posts_recvs(t, RECEIVES, 8);

	connects(t);
	for (unsigned i = 0; i < RECEIVES; i++)
		dut_receives(t, sink_at(sinks, i));
	must(t, RDMAP_5_2_1_16, stream_works());
	peer_sends(t, SEND("hello"));
	must(t, RDMAP_5_3_02, delivered(sink_at(sinks, 0), "hello", 5));
}

/* --- an agent that opens few sessions ------------------------------------- */

static int talk_to(uint16_t port, bool listens)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_port = htons(port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || (listens ? bind(fd, (void *)&at, sizeof(at)) < 0 ||
					 listen(fd, 64) < 0
			       : connect(fd, (void *)&at, sizeof(at)) < 0))
		exit(1);
	return fd;
}

static bool pass_on(int from, int to)
{
	static char octets[1 << 16];
	ssize_t n = recv(from, octets, sizeof(octets), 0);

	return n > 0 && send(to, octets, (size_t)n, MSG_NOSIGNAL) == n;
}

/* Relays between the suite and the agent for a number of sessions, and closes
 * any other. */
static void stand_before(int door, uint16_t agent)
{
	struct pollfd p[1 + 2 * SESSIONS] = {{.fd = door, .events = POLLIN}};

	for (unsigned i = 1; i < UNIT_COUNT(p); i++)
		p[i] = (struct pollfd){.fd = -1, .events = POLLIN};
	while (poll(p, UNIT_COUNT(p), -1) >= 0) {
		for (unsigned i = 1; i < UNIT_COUNT(p); i++) {
			unsigned other = i % 2 ? i + 1 : i - 1;

			if (p[i].fd < 0 || !p[i].revents ||
			    pass_on(p[i].fd, p[other].fd))
				continue;
			close(p[i].fd);
			close(p[other].fd);
			p[i].fd = p[other].fd = -1;
		}
		if (!p[0].revents)
			continue;
		unsigned at = 1;
		int fd = accept(door, NULL, NULL);

		while (at < UNIT_COUNT(p) && p[at].fd >= 0)
			at += 2;
		if (at < UNIT_COUNT(p)) {
			p[at].fd = fd;
			p[at + 1].fd = talk_to(agent, false);
			p[at].revents = p[at + 1].revents = 0;
		} else {
			shared->refused++;
			close(fd);
		}
	}
}

static pid_t few_sessions(struct device *d)
{
	int door = talk_to(0, true);
	struct sockaddr_in at;
	socklen_t n = sizeof(at);
	uint16_t agent = d->agent_port;

	getsockname(door, (void *)&at, &n);
	d->agent_port = ntohs(at.sin_port);
	pid_t pid = fork();

	if (pid == 0) {
		stand_before(door, agent);
		_exit(0);
	}
	close(door);
	return pid;
}

/* --- the device -------------------------------------------------------------- */

static struct device device;

static void health(struct hooks *h, struct hook_result *out)
{
	(void)h;
	*out = (struct hook_result){.end = HOOK_WELL};
	if (++shared->looks == shared->glitch || shared->ill) {
		out->end = HOOK_ILL;
		strcpy(out->line, "the health hook ended with status 1");
		strcpy(out->output, "Oops");
	}
}

static void reset(struct hooks *h, struct hook_result *out)
{
	(void)h;
	*out = (struct hook_result){.end = HOOK_WELL};
	shared->ill = false;
	shared->inside = 0;
	shared->resets++;
}

static struct hooks hooks = {.health = health, .reset = reset};

/* --- runs --------------------------------------------------------------------- */

/* The result of a run. CUnit, which the suite itself is built on, does not run
 * within CUnit: all runs come before the tests. */
struct outcome {
	struct run_result r;
	struct shared s;
	const char *finding; /* the first, or NULL */
};

static struct outcome without_asking, asked, glitched, crashed[4];
static struct outcome waited[2], limited, many_waits, few_opened;
static const unsigned jobs[] = {1, 2, 8, 16};

static const struct result *result_of(const struct outcome *o, const char *name)
{
	for (size_t i = 0; i < o->r.count; i++)
		if (strcmp(o->r.results[i].id +
				   strlen("suite/run/runner/runner_test/"),
			   name) == 0)
			return &o->r.results[i];
	CU_FAIL_FATAL("no such case");
	return NULL;
}

/* Those that do not wait. */
#define QUICK "!*patien*"

static double scale = 1;

static struct outcome run(unsigned workers, const char *selector,
			  bool with_destructive, int glitch)
{
	char why[512] = "", text[64];
	char *selectors[] = {text, QUICK};
	struct outcome out = {0};
	struct run_options o = {
		.device = &device,
		.hooks = &hooks,
		.profile = MODEL_RFC7306,
		.spec = "rfc7306",
		.selectors = selectors,
		.selector_count = strstr(selector, "patien") ? 1 : 2,
		.jobs = workers,
		.destructive = with_destructive,
		.quiet = true,
		.timeout_scale = scale,
	};

	snprintf(text, sizeof(text), "%s", selector);
	memset(shared, 0, sizeof(*shared));
	shared->glitch = glitch;
	if (!runner_run(&o, &out.r, why, sizeof(why))) {
		fprintf(stderr, "runner: %s\n", why);
		exit(1);
	}
	out.s = *shared;
	out.finding = out.r.finding_count ? out.r.findings[0] : NULL;
	return out;
}

static void run_all(void)
{
	without_asking = run(4, "!*deadly", false, 0);
	asked = run(8, "!*deadly", true, 0);
	for (size_t i = 0; i < UNIT_COUNT(jobs); i++)
		crashed[i] = run(jobs[i], "*", true, 0);
	/* The first look is before the first case. */
	glitched = run(8, "!*deadly", false, 3);
	scale = 0.5;
	waited[0] = run(1, "*/patient/[abc]", false, 0);
	waited[1] = run(2, "*/patient/*", false, 0);
	many_waits = run(1, "*/patience", false, 0);
	device.streams = 3;
	limited = run(2, "*/patient/*", false, 0);
	device.streams = 0;

	uint16_t agent = device.agent_port;
	pid_t before = few_sessions(&device);

	few_opened = run(2, "*/patient/*", false, 0);
	kill(before, SIGKILL);
	device.agent_port = agent;
}

static void cases_wait_side_by_side(void)
{
	const struct outcome *o = &waited[1];

	CU_ASSERT_EQUAL(o->r.totals[VERDICT_PASS], PATIENT);
	CU_ASSERT(o->s.most_waiting > 2);
}

static void with_one_job_there_is_one_case(void)
{
	CU_ASSERT_EQUAL(waited[0].r.totals[VERDICT_PASS], 3);
	CU_ASSERT_EQUAL(waited[0].s.most_waiting, 1);
}

static void a_device_takes_so_many(void)
{
	CU_ASSERT_EQUAL(limited.r.totals[VERDICT_PASS], PATIENT);
	CU_ASSERT(limited.s.most_waiting <= 3);
}

static void a_session_that_is_refused_is_no_error(void)
{
	CU_ASSERT_EQUAL(few_opened.r.exit_status, 0);
	CU_ASSERT_EQUAL(few_opened.r.totals[VERDICT_PASS], PATIENT);
	CU_ASSERT(few_opened.s.most_waiting <= SESSIONS);
	CU_ASSERT(few_opened.s.refused > 0);
}

static void many_waits_cost_one_deadline(void)
{
	const struct result *r = result_of(&many_waits, "patience");

	CU_ASSERT_EQUAL(r->verdict, VERDICT_PASS);
	/* A deadline is a second here. */
	CU_ASSERT(r->duration_ns >= 1000000000ull);
	CU_ASSERT(r->duration_ns < RECEIVES / 2 * 1000000000ull);
}

static void destructive_cases_have_to_be_asked_for(void)
{
	const struct outcome *o = &without_asking;

	CU_ASSERT_EQUAL(o->r.exit_status, 0);
	CU_ASSERT_EQUAL(o->r.totals[VERDICT_PASS], ORDINARY);
	CU_ASSERT_EQUAL(o->r.totals[VERDICT_SKIP], DESTRUCTIVE);
	CU_ASSERT_PTR_NOT_NULL(
		strstr(result_of(o, "destructive/2")->reason, "--destructive"));
}

static void destructive_cases_run_last_and_alone(void)
{
	const struct outcome *o = &asked;

	CU_ASSERT_EQUAL(o->r.exit_status, 0);
	CU_ASSERT_EQUAL(o->r.totals[VERDICT_PASS], ORDINARY + DESTRUCTIVE);
	CU_ASSERT_EQUAL(o->s.beside, 0);
	CU_ASSERT_EQUAL(o->s.early, 0);
}

static void a_crash_is_told_of_the_case_that_did_it(void)
{
	for (size_t i = 0; i < UNIT_COUNT(jobs); i++) {
		const struct outcome *o = &crashed[i];
		const struct result *r = result_of(o, "deadly");

		CU_ASSERT_EQUAL(o->r.exit_status, 1);
		CU_ASSERT_EQUAL(o->r.totals[VERDICT_PASS],
				ORDINARY + DESTRUCTIVE);
		CU_ASSERT_EQUAL(r->verdict, VERDICT_FAIL);
		CU_ASSERT_STRING_EQUAL(r->signature, "device-crashed");
		CU_ASSERT_STRING_EQUAL(r->reason, "the device crashed");
		CU_ASSERT_PTR_NOT_NULL(strstr(r->detail, "\n  Oops\n"));
		CU_ASSERT_EQUAL(r->requirement_count, 1);
		CU_ASSERT_PTR_NULL(o->finding);
		CU_ASSERT(o->s.resets >= 1 && o->s.resets <= 2);
		CU_ASSERT_EQUAL(o->s.beside, 0);
	}
}

static void a_crash_that_no_case_repeats_is_a_finding(void)
{
	const struct outcome *o = &glitched;

	CU_ASSERT_EQUAL(o->r.exit_status, 1);
	CU_ASSERT_EQUAL(o->r.totals[VERDICT_PASS], ORDINARY);
	CU_ASSERT_EQUAL(o->r.finding_count, 1);
	CU_ASSERT_PTR_NOT_NULL_FATAL(o->finding);
	CU_ASSERT_PTR_NOT_NULL(strstr(
		o->finding, "ran: suite/run/runner/runner_test/ordinary/"));
	CU_ASSERT_PTR_NOT_NULL(strstr(o->finding, "\n  Oops\n"));
	CU_ASSERT_EQUAL(o->s.resets, 1);
}

static void show_tells_what_is_destructive(void)
{
	const struct registry *all = registry();
	char *text = NULL;
	size_t octets;
	FILE *out = open_memstream(&text, &octets);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	for (size_t i = 0; i < all->count; i++) {
		const char *told;

		rewind(out);
		catalogue_show(&all->instances[i], out);
		fputc('\0', out);
		fflush(out);
		told = strstr(text, "--destructive");
		CU_ASSERT_EQUAL(told != NULL,
				all->instances[i].desc->destructive);
	}
	fclose(out);
	free(text);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"destructive cases have to be asked for",
		 destructive_cases_have_to_be_asked_for},
		{"destructive cases run last and alone",
		 destructive_cases_run_last_and_alone},
		{"a crash is told of the case that did it",
		 a_crash_is_told_of_the_case_that_did_it},
		{"a crash that no case repeats is a finding",
		 a_crash_that_no_case_repeats_is_a_finding},
		{"cases wait side by side", cases_wait_side_by_side},
		{"with one job there is one case",
		 with_one_job_there_is_one_case},
		{"a device takes so many", a_device_takes_so_many},
		{"a session that is refused is no error",
		 a_session_that_is_refused_is_no_error},
		{"many waits cost one deadline", many_waits_cost_one_deadline},
		{"show tells what is destructive",
		 show_tells_what_is_destructive},
	};
	const struct builtin b = {.spec = "rfc7306"};
	char why[512];
	const char *fault;
	bool usage;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	device_init(&device);
	if (shared == MAP_FAILED || crc_init(&fault) < 0 ||
	    !builtin_start(&b, &device, &usage, why, sizeof(why))) {
		fprintf(stderr,
			"runner: the built-in device did not start: %s\n", why);
		return 1;
	}
	run_all();
	int status = unit_run("runner", tests, UNIT_COUNT(tests));

	builtin_stop();
	return status;
}

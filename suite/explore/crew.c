/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/explore/crew.h"

#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "suite/device/builtin.h"
#include "suite/device/confined.h"
#include "suite/device/links.h"
#include "suite/explore/perform/perform.h"
#include "suite/run/worker/lateness.h"

volatile sig_atomic_t explore_ended;

/* The input of a worker: the program, and how programs are made. */
struct order {
	uint64_t number;
	unsigned era; /* of the device, between two resets */
	struct generate_options how;
};

struct hand {
	pid_t pid;
	int fd;
	bool busy;
	struct dimensions_met *met; /* shared with it; NULL: not requested */
};

enum { HAND_KEEPS = 4 << 20 }; /* octets */

static struct hand hands[RUNNER_WORKERS_MAX];
static unsigned hand_count, era;

/* --- a hand ----------------------------------------------------------------------- */

static bool is_must(const struct result *r, const char *id, size_t n)
{
	for (size_t i = 0; i < r->broken_count; i++)
		if (strlen(r->broken[i].requirement) == n &&
		    strncmp(r->broken[i].requirement, id, n) == 0)
			return strcmp(r->broken[i].level, "MUST") == 0;
	return false;
}

/* The broken requirements; one that makes it a failure comes first, because it
 * names the finding. */
static void put_signature(const struct result *r, char *out, size_t cap)
{
	size_t at = 0;

	*out = '\0';
	for (unsigned pass = 0; pass < 2; pass++)
		for (const char *w = r->signature; *w;) {
			size_t n = strcspn(w, " ");

			if (is_must(r, w, n) == !pass && at + n + 2 < cap)
				at += (size_t)snprintf(out + at, cap - at,
						       "%s%.*s", at ? " " : "",
						       (int)n, w);
			w += n + strspn(w + n, " ");
		}
}

struct outcome crew_perform_one(struct testbed *bed, struct performance *p,
				struct result *result)
{
	struct instance in = perform_as(p, "explore/program");
	struct lateness from = lateness_from_now(getpid(), builtin_pid());
	struct outcome o = {.number = p->program->number,
			    .verdict = VERDICT_ERROR};
	enum error_cause cause;
	char why[CREW_SIGNATURE] = "";

	*result = (struct result){.verdict = VERDICT_ERROR};
	if (testbed_agent_lost(bed) &&
	    !testbed_reach_agent(bed, why, sizeof(why))) {
		o.device_gone = true;
		memcpy(o.reason, why, sizeof(o.reason));
		return o;
	}
	link_serve(bed->link);
	testbed_run(bed, &in, result, &cause);
	o.operations = p->operations;
	o.verdict = result->verdict;
	o.device_gone = testbed_agent_lost(bed);
	o.refused = !o.device_gone && o.verdict == VERDICT_ERROR &&
		    cause == CAUSE_DEVICE;
	o.late_ns = lateness_since(&from);
	put_signature(result, o.signature, sizeof(o.signature));
	snprintf(o.reason, sizeof(o.reason), "%s", result->reason);
	snprintf(o.detail, sizeof(o.detail), "%s", result->detail);
	o.unseen = result->unseen;
	link_serve(bed->link);
	return o;
}

/* The memory of one program is reused by the next. */
static void keep_memory(void)
{
	mallopt(M_MMAP_THRESHOLD, HAND_KEEPS);
	mallopt(M_TRIM_THRESHOLD, HAND_KEEPS);
	mallopt(M_TOP_PAD, HAND_KEEPS / 4);
}

/* False: errno, 0 if nobody is there. */
static bool receive(int fd, void *to, size_t octets)
{
	ssize_t n;

	do
		n = recv(fd, to, octets, 0);
	while (n < 0 && errno == EINTR);
	if (n >= 0)
		errno = 0;
	return n == (ssize_t)octets;
}

static bool hand_over(int fd, const void *from, size_t octets)
{
	ssize_t n;

	do
		n = send(fd, from, octets, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)octets;
}

static void serve(const struct crew_options *o, struct link *link,
		  struct dimensions_met *met, int fd)
{
	static struct program program;
	static struct order order;
	struct testbed bed;
	struct result result;
	unsigned known = era;
	char why[256];

	keep_memory();
	if (!testbed_open(&bed, o->run->device, link, o->run->profile,
			  o->run->timeout_scale, why, sizeof(why))) {
		fprintf(stderr, "warpspec: explore: %s\n", why);
		return;
	}
	bed.wait_ns = o->wait_ns;
	bed.readings = o->readings;
	bed.habits = o->habits;
	bed.segmentation = o->run->segmentation;
	bed.peer = o->run->peer;
	bed.exploring = bed.brief = true;
	confined_to(o->run->device, link->name, NULL);
	while (receive(fd, &order, sizeof(order))) {
		struct performance p = {.program = &program};

		if (order.era != known)
			testbed_leave_agent(&bed);
		known = order.era;
		generate(&order.how, order.number, &program);
		struct outcome out = crew_perform_one(&bed, &p, &result);

		if (met)
			dimensions_merge(met, &bed.met);
		if (!hand_over(fd, &out, sizeof(out)))
			break;
	}
	testbed_close(&bed);
}

/* --- the crew ---------------------------------------------------------------------- */

static bool hire(const struct crew_options *o)
{
	struct hand *h = &hands[hand_count];
	pid_t parent = getpid();
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return false;
	fflush(NULL);
	struct link *link = links_take();
	void *met = mmap(NULL, sizeof(*h->met), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	h->met = met == MAP_FAILED ? NULL : met;

	h->pid = link ? fork() : -1;
	if (h->pid == 0) {
		/* What ends the run is the first process's to see. */
		signal(SIGINT, SIG_IGN);
		signal(SIGTERM, SIG_IGN);
		signal(SIGHUP, SIG_IGN);
		signal(SIGALRM, SIG_IGN);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(pair[0]);
		if (getppid() == parent) {
			links_forget();
			serve(o, link, h->met, pair[1]);
		}
		_exit(0);
	}
	close(pair[1]);
	link_close_provider(link);
	h->fd = pair[0];
	h->busy = false;
	if (h->pid < 0) {
		close(pair[0]);
		return false;
	}
	hand_count++;
	return true;
}

bool crew_open(const struct crew_options *o, unsigned n)
{
	while (hand_count < n && hire(o))
		continue;
	return hand_count > 0;
}

void crew_met(struct dimensions_met *into)
{
	for (unsigned i = 0; i < hand_count; i++)
		if (hands[i].met)
			dimensions_merge(into, hands[i].met);
}

void crew_renew(void)
{
	era++;
}

void crew_close(void)
{
	for (unsigned i = 0; i < hand_count; i++)
		close(hands[i].fd);
	for (unsigned i = 0; i < hand_count; i++) {
		/* One that waits for a device does not see its end. */
		if (hands[i].busy)
			kill(hands[i].pid, SIGKILL);
		while (waitpid(hands[i].pid, NULL, 0) < 0 && errno == EINTR)
			continue;
	}
	hand_count = 0;
}

static bool give(struct hand *h, const struct generate_options *o,
		 uint64_t number)
{
	static struct order order;

	order.number = number;
	order.era = era;
	order.how = *o;
	h->busy = hand_over(h->fd, &order, sizeof(order));
	return h->busy;
}

/* A worker with a result reports it. False: a signal, or a worker is gone. */
static bool take(uint64_t from, struct outcome *out, bool *has)
{
	struct pollfd fds[RUNNER_WORKERS_MAX];

	for (unsigned i = 0; i < hand_count; i++)
		fds[i] = (struct pollfd){.fd = hands[i].busy ? hands[i].fd : -1,
					 .events = POLLIN};
	if (poll(fds, hand_count, -1) < 0)
		return errno == EINTR && !explore_ended;
	for (unsigned i = 0; i < hand_count; i++) {
		struct outcome one;

		if (!fds[i].revents)
			continue;
		if (!receive(hands[i].fd, &one, sizeof(one)))
			return false;
		hands[i].busy = false;
		out[one.number - from] = one;
		has[one.number - from] = true;
	}
	return true;
}

static bool any_busy(void)
{
	for (unsigned i = 0; i < hand_count; i++)
		if (hands[i].busy)
			return true;
	return false;
}

static bool is_failure(const struct outcome *o)
{
	return o->verdict == VERDICT_FAIL || o->verdict == VERDICT_ERROR ||
	       o->device_gone;
}

bool crew_perform(const struct generate_options *o, uint64_t from, unsigned n,
		  struct outcome *out, unsigned *done, unsigned *begun)
{
	bool *has = calloc(n, sizeof(*has));
	unsigned given = 0;
	bool ok = has;

	*begun = 0;

	while (ok && (given < n || any_busy())) {
		for (unsigned i = 0; ok && i < hand_count && given < n; i++)
			if (!hands[i].busy)
				ok = give(&hands[i], o, from + given++);
		*begun = given > *begun ? given : *begun;
		ok = ok && take(from, out, has);
		/* Programs after a failure are made differently. */
		for (unsigned i = 0; ok && i < given; i++)
			if (has[i] && is_failure(&out[i]))
				n = given = i + 1;
	}
	for (*done = 0; has && *done < n && has[*done];)
		++*done;
	free(has);
	return ok;
}

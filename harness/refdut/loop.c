/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/refdut/loop.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { ROUND = 64, COMPLAINTS = 4 };

static int epoll_fd = -1;
static volatile bool stopping;
static uint64_t rounds;
static struct timer timers; /* ring, soonest first; itself the anchor */
static struct job *jobs;
static struct job **jobs_end = &jobs;
static void **doomed;
static size_t ndoomed;
static size_t cap_doomed;

int loop_init(void)
{
	timers.prev = timers.next = &timers;
	stopping = false;
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	return epoll_fd < 0 ? -1 : 0;
}

static void free_doomed(void)
{
	while (ndoomed)
		free(doomed[--ndoomed]);
}

void loop_fini(void)
{
	free_doomed();
	free(doomed);
	doomed = NULL;
	cap_doomed = 0;
	close(epoll_fd);
	epoll_fd = -1;
}

void loop_complain(const char *call)
{
	static unsigned lines;

	switch (errno) {
	case EAGAIN:
	case EINTR:
	case ECONNABORTED:
	case ECONNREFUSED:
	case ECONNRESET:
	case EPIPE:
	case ETIMEDOUT:
	case EHOSTUNREACH:
	case ENETUNREACH:
		return;
	default:
		break;
	}
	/* A host that lacks something may lack it at each call. */
	if (lines++ < COMPLAINTS)
		fprintf(stderr, "warpspec-refdut: %s: %s\n", call,
			strerror(errno));
}

uint64_t loop_now(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_MONOTONIC, &t) < 0) {
		loop_complain("clock_gettime");
		_exit(1);
	}
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

uint64_t loop_round(void)
{
	return rounds;
}

int loop_watch(struct watch *watch, int fd, uint32_t events)
{
	struct epoll_event e = {.events = events, .data.ptr = watch};

	if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &e) < 0)
		return -1;
	watch->fd = fd;
	watch->events = events;
	return 0;
}

void loop_want(struct watch *watch, uint32_t events)
{
	struct epoll_event e = {.events = events, .data.ptr = watch};

	if (watch->fd < 0 || watch->events == events)
		return;
	watch->events = events;
	epoll_ctl(epoll_fd, EPOLL_CTL_MOD, watch->fd, &e);
}

void loop_unwatch(struct watch *watch)
{
	if (watch->fd < 0)
		return;
	epoll_ctl(epoll_fd, EPOLL_CTL_DEL, watch->fd, NULL);
	watch->fd = -1;
}

void timer_cancel(struct timer *timer)
{
	if (!timer->prev)
		return;
	timer->prev->next = timer->next;
	timer->next->prev = timer->prev;
	timer->prev = timer->next = NULL;
}

/* Nearly all timers of one kind have the same duration, so a new one nearly
 * always goes to the end. */
void timer_arm(struct timer *timer, uint64_t ms)
{
	struct timer *after = timers.prev;

	timer_cancel(timer);
	timer->at = loop_now() + ms;
	after = timers.prev;
	while (after != &timers && after->at > timer->at)
		after = after->prev;
	timer->prev = after;
	timer->next = after->next;
	after->next->prev = timer;
	after->next = timer;
}

void loop_post(struct job *job)
{
	if (job->queued)
		return;
	job->queued = true;
	job->next = NULL;
	*jobs_end = job;
	jobs_end = &job->next;
}

void loop_post_first(struct job *job)
{
	if (job->queued)
		return;
	if (!jobs) {
		loop_post(job);
		return;
	}
	job->queued = true;
	job->next = jobs;
	jobs = job;
}

void loop_free(void *block)
{
	if (ndoomed == cap_doomed) {
		size_t cap = cap_doomed ? 2 * cap_doomed : 64;
		void **grown = realloc(doomed, cap * sizeof(*doomed));

		/* Leaking one block is better than using it after it was
		 * freed. */
		if (!grown)
			return;
		doomed = grown;
		cap_doomed = cap;
	}
	doomed[ndoomed++] = block;
}

static void run_jobs(void)
{
	while (jobs) {
		struct job *job = jobs;

		jobs = job->next;
		if (!jobs)
			jobs_end = &jobs;
		job->queued = false;
		job->run(job);
	}
}

static void fire_timers(void)
{
	uint64_t now;

	if (timers.next == &timers)
		return;
	now = loop_now();
	while (timers.next != &timers && timers.next->at <= now) {
		struct timer *timer = timers.next;

		timer_cancel(timer);
		timer->fire(timer);
	}
}

static int patience(void)
{
	uint64_t now;

	/* Queued before the first round. */
	if (jobs)
		return 0;
	if (timers.next == &timers)
		return -1;
	now = loop_now();
	if (timers.next->at <= now)
		return 0;
	if (timers.next->at - now > 60000)
		return 60000;
	return (int)(timers.next->at - now);
}

void loop_run(void)
{
	struct epoll_event events[ROUND];

	while (!stopping) {
		int n = epoll_wait(epoll_fd, events, ROUND, patience());

		if (n < 0 && errno != EINTR) {
			loop_complain("epoll_wait");
			exit(1);
		}
		rounds++;
		for (int i = 0; i < n; i++) {
			struct watch *watch = events[i].data.ptr;

			if (watch->fd >= 0)
				watch->ready(watch, events[i].events);
		}
		fire_timers();
		run_jobs();
		free_doomed();
	}
}

void loop_stop(void)
{
	stopping = true;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/worker.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "suite/env.h"
#include "suite/record.h"
#include "suite/test.h"

enum { WORKER_LARGE = 128 << 10 }; /* octets */

/* "mpa/crc/name" as DIR/mpa.crc.name.pcap */
static void capture_path(const char *dir, const char *id, char *path,
			 size_t cap)
{
	int n = snprintf(path, cap, "%s/", dir);

	for (; *id && (size_t)n + 6 < cap; id++)
		path[n++] = *id == '/' ? '.' : *id;
	snprintf(path + n, cap - (size_t)n, ".pcap");
}

static void save_capture(const struct worker_options *o, struct env *env,
			 struct record *r)
{
	static char path[1024], why[CAPTURE_WHY];

	if (!o->captures || capture_is_empty(env->link->capture))
		return;
	capture_path(o->captures, r->result.id, path, sizeof(path));
	if (capture_save(env->link->capture, path, why) == 0)
		r->result.capture = path;
	else
		r->note = why;
}

static void unreachable(const struct instance *in, const char *why,
			struct record *r)
{
	static const char *const none[1];

	r->result = (struct result){
		.id = in->id,
		.title = in->title,
		.verdict = VERDICT_ERROR,
		.level = in->level,
		.requirements = none,
		.role = in->role == INITIATOR ? "initiator" : "responder",
		.signature = "",
		.detail = "",
		.reason = why,
	};
	r->cause = RECORD_DEVICE;
	r->unstarted = true;
}

/*
 * What a case did to the device may show only after it has ended. With its
 * agent gone there is no verdict but one on what was seen before.
 */
static void outlive(struct env *env, struct record *r)
{
	static char why[512];

	r->agent_lost =
		env_agent_lost(env) || !env_hear_agent(env, why, sizeof(why));
	if (r->agent_lost && r->result.verdict != VERDICT_FAIL &&
	    r->result.verdict != VERDICT_ERROR) {
		r->result.verdict = VERDICT_ERROR;
		r->result.reason = why[0] ? why : "the agent is gone";
		r->cause = RECORD_DEVICE;
	}
	r->link_down = env->link->down;
	if (r->link_down)
		r->cause = RECORD_DEVICE;
}

static void run_one(const struct worker_options *o, struct env *env,
		    const struct instance *in, struct record *r)
{
	static char why[512];
	enum error_cause cause;

	*r = (struct record){.note = ""};
	if (env_agent_lost(env) && !env_reach_agent(env, why, sizeof(why))) {
		unreachable(in, why, r);
		return;
	}
	/* What is left of the case before is none of this one's. */
	link_serve(env->link);
	capture_restart(env->link->capture);
	test_run(env, in, &r->result, &cause, NULL);
	r->cause = cause == CAUSE_DEVICE  ? RECORD_DEVICE
		   : cause == CAUSE_SUITE ? RECORD_SUITE
					  : RECORD_FINE;
	outlive(env, r);
	link_serve(env->link);
	save_capture(o, env, r);
}

/*
 * What a large case takes is given back after it, also when the heap has
 * something behind it: otherwise each would add to what the next one needs.
 */
static void keep_small(void)
{
	mallopt(M_MMAP_THRESHOLD, WORKER_LARGE);
}

void worker_serve(const struct worker_options *o, int fd)
{
	struct env env;
	char why[512];
	uint32_t index;

	keep_small();
	if (!env_open(&env, o->device, o->link, o->profile, o->timeout_scale,
		      why, sizeof(why))) {
		fprintf(stderr, "warpspec: worker: %s\n", why);
		return;
	}
	env.wait_ns = o->wait_ns;
	env.segmentation = o->segmentation;
	env.readings = o->readings;
	if (o->captures)
		env.link->capture = capture_open(CAPTURE_LIMIT);
	while (recv(fd, &index, sizeof(index), 0) == sizeof(index)) {
		struct record r;

		if (index == WORKER_ANEW) {
			env_leave_agent(&env);
			continue;
		}
		run_one(o, &env, &registry()->instances[index], &r);
		char *line = record_line(&r);
		size_t n = line ? strlen(line) : 0;
		bool sent = line && n <= RECORD_MAX &&
			    send(fd, line, n, MSG_NOSIGNAL) == (ssize_t)n;

		free(line);
		if (!sent)
			break;
	}
	capture_close(env.link->capture);
	env.link->capture = NULL;
	env_close(&env);
}

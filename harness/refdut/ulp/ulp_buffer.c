/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A server whose peers may read, write and change its memory. It takes no
 * action of its own: it accepts Sends and continues.
 */
#include "harness/refdut/ulp/ulp.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 2 << 20, RECEIVES = 16, RECEIVE_SIZE = 4096, DEPTH = 16 };

static struct region *common;

static struct region *new_buffer(const char *name, const struct ulp *ulp)
{
	struct region_options options = {
		.domain = {.owner = ulp},
		.len = SIZE,
		.align = 4096,
		.access = ACCESS_LOCAL_WRITE | ACCESS_REMOTE_READ |
			  ACCESS_REMOTE_WRITE | ACCESS_REMOTE_ATOMIC,
	};

	return region_register(name, &options);
}

static void drop(struct region *region)
{
	if (!region)
		return;
	region_invalidate(region);
	region_put(region);
}

bool buffer_open(const struct ulp *ulp)
{
	common = new_buffer("common", ulp);
	if (!common) {
		fputs("warpspec-refdut: buffer: no memory to register\n",
		      stderr);
		return false;
	}
	printf("buffer 0x%08" PRIx32 ":0x%" PRIx64 ":%" PRIu64 "\n",
	       common->stag, common->to, common->len);
	return true;
}

void buffer_close(void)
{
	drop(common);
	common = NULL;
}

static void post_receives(struct rping *r, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct receive *receive = alloc_zeroed(sizeof(*receive));

		receive->len = RECEIVE_SIZE;
		receive_post(r->conn, receive);
	}
}

static void advertise(struct rping *r, uint8_t *octets)
{
	struct rping_info info = {r->data->to, r->data->stag,
				  (uint32_t)r->data->len};

	rping_info_put(&info, octets);
}

static void established(struct rping *r)
{
	struct work *work;

	r->step = RPING_SOURCE;
	if (r->ulp->role != ULP_BUFFER_SEND)
		return;
	work = alloc_zeroed(sizeof(*work));
	work->op = OP_SEND;
	work->len = RPING_INFO_SIZE;
	work->octets = alloc_zeroed(RPING_INFO_SIZE);
	work->silent = true;
	advertise(r, work->octets);
	work_post(r->conn, work);
}

static void completed(struct rping *r, const struct event *event)
{
	if (event->op == OP_RECV && event->status == STATUS_OK)
		post_receives(r, 1);
}

static void ended(struct rping *r)
{
	r->step = RPING_CLOSE;
	conn_close(r->conn, false);
}

struct rping *buffer_serve(const struct ulp *ulp, int fd)
{
	struct rping *r = alloc_zeroed(sizeof(*r));
	struct params params = {
		.ird = DEPTH,
		.ord = DEPTH,
		.crc = true,
		.rev = ulp->rev,
		.rtr = RTR_ALL,
		.rq = RECEIVES,
		.rqlen = RECEIVE_SIZE,
		.first_msn = 1,
	};

	r->ulp = ulp;
	r->job.run = ulp_step;
	r->established = established;
	r->completed = completed;
	r->ended = ended;
	r->step = RPING_STARTUP;
	r->data = new_buffer("data", ulp);
	if (r->data && ulp->role == ULP_BUFFER) {
		advertise(r, params.private_data);
		params.private_len = RPING_INFO_SIZE;
	}
	r->conn = conn_accept(fd, &params, ulp, &r->job);
	return r;
}

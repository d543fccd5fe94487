/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/link/raw/raw.h"

#include <assert.h>
#include <net/if.h>
#include <stdlib.h>

#include "harness/link/raw/connect.h"
#include "harness/link/raw/connections.h"
#include "harness/link/raw/input.h"
#include "harness/link/raw/stream.h"
#include "harness/link/raw/wait.h"

static int raw_fd(const struct link *link)
{
	return ethernet_fd(raw_link_of(link)->frames.ethernet);
}

static uint64_t raw_serve(struct link *link)
{
	raw_process(raw_link_of(link));
	return raw_flush(raw_link_of(link));
}

static uint64_t raw_dropped(const struct link *link)
{
	return frames_dropped(&raw_link_of(link)->frames);
}

static void raw_destroy(struct link *link)
{
	struct raw_link *r = raw_link_of(link);

	assert(!r->listeners);
	raw_conns_free(r);
	frames_close(&r->frames);
	free(r);
}

static const struct link_ops raw_ops = {
	.sniffs = true,
	.connect = raw_connect,
	.listen = raw_listen,
	.accept_now = raw_accept_now,
	.send_now = raw_send_now,
	.recv_now = raw_recv_now,
	.half_close = raw_half_close,
	.reset = raw_reset,
	.close = raw_close,
	.listener_close = raw_listener_close,
	.wait = raw_wait,
	.destroy = raw_destroy,
	.lost = raw_lost,
	.unacknowledged = raw_unacknowledged,
	.make_room = raw_make_room,
	.emss = raw_emss,
	.mss = raw_mss,
	.emss_out = raw_emss_out,
	.send_segments = raw_send_segments,
	.send_stray = raw_send_stray,
	.release = raw_release,
	.set_acks = raw_set_acks,
	.set_window = raw_set_window,
	.lose = raw_lose,
	.fall_silent = raw_fall_silent,
	.tell_path_mtu = raw_tell_path_mtu,
	.arrivals = raw_arrivals,
	.fd = raw_fd,
	.serve = raw_serve,
	.dropped = raw_dropped,
};

/* --- opening ---------------------------------------- */

bool link_raw_check(const struct link_raw *c, char why[LINK_WHY])
{
	struct address a;

	if (!c->interface[0]) {
		link_fail(why, 0,
			  "raw link: no interface: set [link] interface");
		return false;
	}
	if (if_nametoindex(c->interface) == 0) {
		link_fail(why, 0, "raw link: there is no interface %.32s",
			  c->interface);
		return false;
	}
	return address_make(&a, c->address, c->index, c->gateway, why);
}

struct link *link_raw_open(const struct link_raw *c, bool *privilege,
			   char why[LINK_WHY])
{
	struct raw_link *r = calloc(1, sizeof(*r));

	*privilege = false;
	if (!r) {
		link_fail(why, 0, "out of memory");
		return NULL;
	}
	r->stats = c->stats ? c->stats : &r->own_stats;
	r->link.ops = &raw_ops;
	r->link.name = "raw";
	r->link.caps = LINK_CAP_CUTS | LINK_CAP_SEGMENTS | LINK_CAP_HALF_CLOSE |
		       LINK_CAP_RESET | LINK_CAP_LISTEN | LINK_CAP_RCVBUF |
		       LINK_CAP_MSS;
	r->now = clock_now_ns();
	/* Not those of the run before: a device may remember them. */
	r->next_port = (uint16_t)(r->now / 50000000u);
	r->neighbours.frames = &r->frames;
	r->neighbours.own = &r->address;
	if (address_make(&r->address, c->address, c->index, c->gateway, why)) {
		address_text(&r->address, r->link.address);
		if (frames_open(&r->frames, &r->link, &r->address, c->interface,
				privilege, why))
			return &r->link;
	}
	free(r);
	return NULL;
}

struct link_raw_stats link_raw_stats(const struct link *link)
{
	return *raw_link_of(link)->stats;
}

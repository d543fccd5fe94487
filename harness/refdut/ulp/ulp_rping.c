/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One connection's exchanges. Each step waits for one completion, which starts
 * the next step. The connection's end is handled only when no completion is
 * left, because completions come first.
 *
 * The data of an exchange depends on its number: a text with the number, then
 * letters that start one letter later in each exchange, then a zero octet. A
 * server made for strings sends back the octets up to the first zero octet, so
 * there is no other one.
 */
#include "harness/refdut/ulp/ulp.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	INFO_SIZE = RPING_INFO_SIZE,
	RECEIVES = 2, /* one is posted while the other is being processed */
	LETTERS = 'z' - 'A' + 1,
};

/* --- how it ends ------------------------------------------------------- */

static bool is_client(const struct rping *r)
{
	return r->ulp->role == ULP_RPING_CLIENT;
}

/* Printed once: later events do not change it. */
static void tell_done(struct rping *r)
{
	printf("rping: %u exchange%s of %u octet%s with %s, %s\n", r->exchanges,
	       r->exchanges == 1 ? "" : "s", r->size, r->size == 1 ? "" : "s",
	       r->peer, r->ulp->verify ? "verified" : "not verified");
	fflush(stdout);
	timer_cancel(&r->timer);
	r->step = RPING_CLOSE;
}

static void tell_failed(struct rping *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void tell_failed(struct rping *r, const char *format, ...)
{
	static const char *const doing[] = {
		[RPING_SOURCE] = "waiting for the source",
		[RPING_READ] = "RDMA Read of the data",
		[RPING_SINK] = "waiting for the sink",
		[RPING_WRITE] = "RDMA Write of the data",
		[RPING_GO_AHEAD] = "waiting for the data to be read",
		[RPING_RETURN] = "waiting for the data to come back",
	};
	va_list ap;

	fprintf(stderr, "warpspec-refdut: rping with %s: ", r->peer);
	if (r->step == RPING_STARTUP || r->step == RPING_SETTLE)
		fputs("startup", stderr);
	else
		fprintf(stderr, "exchange %u, %s", r->exchanges + 1,
			doing[r->step]);
	fputs(": ", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	timer_cancel(&r->timer);
	r->step = RPING_CLOSE;
	r->failed = true;
}

static void begin_exchange(struct rping *r);

static void expired(struct timer *timer)
{
	struct rping *r =
		(struct rping *)((char *)timer - offsetof(struct rping, timer));

	if (r->step == RPING_SETTLE) {
		begin_exchange(r);
		return;
	}
	tell_failed(r, "nothing came for %d s", RPING_PATIENCE_MS / 1000);
	conn_abort(r->conn);
}

static void next_step(struct rping *r, enum rping_step step)
{
	r->step = step;
	timer_arm(&r->timer, RPING_PATIENCE_MS);
}

/* --- data -------------------------------------------------------------- */

static void make_data(uint8_t *data, uint32_t size, uint32_t exchange)
{
	char text[32];
	uint32_t n = (uint32_t)snprintf(text, sizeof(text),
					"rdma-ping-%u: ", exchange);

	for (uint32_t i = 0; i + 1 < size; i++)
		data[i] = i < n ? (uint8_t)text[i]
				: (uint8_t)('A' + (exchange + i - n) % LETTERS);
	data[size - 1] = 0;
}

/* Is the received data the expected data? */
static bool verified(struct rping *r)
{
	const uint8_t *data = r->data->octets;
	uint32_t i = 0;

	if (!r->ulp->verify)
		return true;
	while (i < r->size && data[i] == r->due[i])
		i++;
	if (i == r->size)
		return true;
	tell_failed(r, "octet %u of %u is 0x%02x, due 0x%02x", i, r->size,
		    data[i], r->due[i]);
	conn_close(r->conn, false);
	return false;
}

static struct region *region_of(struct rping *r, const char *name,
				unsigned access)
{
	struct region_options options = {
		.domain = r->conn->domain,
		.len = is_client(r) ? r->ulp->size : RPING_SIZE_MAX,
		.align = 4096,
		.access = access,
		.stream = r->conn,
	};

	return region_register(name, &options);
}

static bool get_memory(struct rping *r)
{
	unsigned access = is_client(r) ? ACCESS_REMOTE_WRITE : 0;

	r->due = alloc_zeroed(is_client(r) ? r->ulp->size : RPING_SIZE_MAX);
	r->data = region_of(r, "data", ACCESS_LOCAL_WRITE | access);
	if (is_client(r))
		r->source = region_of(r, "source", ACCESS_REMOTE_READ);
	if (r->data && (r->source || !is_client(r)))
		return true;
	tell_failed(r, "no memory to register");
	conn_close(r->conn, false);
	return false;
}

/* --- work -------------------------------------------------------------- */

static void post(struct rping *r, enum op op, const struct rping_info *remote)
{
	struct work *work = alloc_zeroed(sizeof(*work));

	work->op = op;
	work->local = region_get(r->data);
	work->len = r->size;
	work->rstag = remote->stag;
	work->rto = remote->to;
	/* A Write is done when the Send after it is done. */
	work->silent = op == OP_WRITE;
	work_post(r->conn, work);
}

void rping_info_put(const struct rping_info *info, uint8_t *octets)
{
	be64_put(octets, info->to);
	be32_put(octets + 8, info->stag);
	be32_put(octets + 12, info->size);
}

static void send_info(struct rping *r, const struct rping_info *info,
		      bool silent)
{
	struct work *work = alloc_zeroed(sizeof(*work));

	work->op = OP_SEND;
	work->len = INFO_SIZE;
	work->octets = alloc_zeroed(INFO_SIZE);
	rping_info_put(info, work->octets);
	work->silent = silent;
	work_post(r->conn, work);
}

static void advertise(struct rping *r, const struct region *region)
{
	struct rping_info info = {region->to, region->stag, r->size};

	send_info(r, &info, true);
}

static void post_receive(struct rping *r)
{
	struct receive *receive = alloc_zeroed(sizeof(*receive));

	receive->len = INFO_SIZE;
	receive_post(r->conn, receive);
}

/* --- the server -------------------------------------------------------- */

/* A Send that only says "go on" contains zeros. */
static const struct rping_info go_on;

static bool take_info(struct rping *r, const struct event *event,
		      struct rping_info *info)
{
	info->to = be64(event->octets);
	info->stag = be32(event->octets + 8);
	info->size = be32(event->octets + 12);
	if (info->size && info->size <= RPING_SIZE_MAX)
		return true;
	tell_failed(r, "%u octets are advertised: 1 to %d are served",
		    info->size, RPING_SIZE_MAX);
	conn_close(r->conn, false);
	return false;
}

static void source_advertised(struct rping *r, const struct event *event)
{
	struct rping_info info;

	if (!take_info(r, event, &info))
		return;
	if (r->conn->agreed.ord == 0) {
		tell_failed(r, "no RDMA Read is possible: the ORD is 0");
		conn_close(r->conn, false);
		return;
	}
	r->size = info.size;
	next_step(r, RPING_READ);
	post(r, OP_READ, &info);
}

static void data_read(struct rping *r, const struct event *event)
{
	(void)event;
	make_data(r->due, r->size, r->exchanges);
	if (!verified(r))
		return;
	next_step(r, RPING_SINK);
	send_info(r, &go_on, true);
}

static void sink_advertised(struct rping *r, const struct event *event)
{
	struct rping_info info;

	if (!take_info(r, event, &info))
		return;
	if (info.size < r->size) {
		tell_failed(r, "a sink of %u octets for %u", info.size,
			    r->size);
		conn_close(r->conn, false);
		return;
	}
	next_step(r, RPING_WRITE);
	post(r, OP_WRITE, &info);
	send_info(r, &go_on, false);
}

static void data_written(struct rping *r, const struct event *event)
{
	(void)event;
	r->exchanges++;
	next_step(r, RPING_SOURCE);
}

/* --- the client -------------------------------------------------------- */

static void begin_exchange(struct rping *r)
{
	make_data(r->source->octets, r->size, r->exchanges);
	memcpy(r->due, r->source->octets, r->size);
	/* Data already in the buffer must not pass for the data to come. */
	for (uint32_t i = 0; i < r->size; i++)
		r->data->octets[i] = (uint8_t)~r->due[i];
	next_step(r, RPING_GO_AHEAD);
	advertise(r, r->source);
}

static void told_to_go_ahead(struct rping *r, const struct event *event)
{
	(void)event;
	next_step(r, RPING_RETURN);
	advertise(r, r->data);
}

static void data_returned(struct rping *r, const struct event *event)
{
	(void)event;
	if (!verified(r))
		return;
	r->exchanges++;
	if (r->exchanges < r->ulp->count) {
		begin_exchange(r);
		return;
	}
	tell_done(r);
	conn_close(r->conn, false);
}

/* --- the connection ---------------------------------------------------- */

static const struct {
	enum op due;
	void (*then)(struct rping *r, const struct event *event);
} steps[] = {
	[RPING_SOURCE] = {OP_RECV, source_advertised},
	[RPING_READ] = {OP_READ, data_read},
	[RPING_SINK] = {OP_RECV, sink_advertised},
	[RPING_WRITE] = {OP_SEND, data_written},
	[RPING_GO_AHEAD] = {OP_RECV, told_to_go_ahead},
	[RPING_RETURN] = {OP_RECV, data_returned},
};

static void completed(struct rping *r, const struct event *event)
{
	/* The connection's end explains the flushed work. */
	if (r->step >= RPING_STARTUP || event->status != STATUS_OK)
		return;
	if (event->op == OP_RECV)
		post_receive(r);
	if (event->op == OP_RECV && event->len != INFO_SIZE) {
		tell_failed(r, "a Send of %u octets, due %d", event->len,
			    INFO_SIZE);
		conn_close(r->conn, false);
	} else if (event->op != steps[r->step].due) {
		tell_failed(r, "a Send that arrives too early");
		conn_close(r->conn, false);
	} else {
		steps[r->step].then(r, event);
	}
}

static void established(struct rping *r)
{
	if (!get_memory(r))
		return;
	if (!is_client(r)) {
		next_step(r, RPING_SOURCE);
		return;
	}
	r->size = r->ulp->size;
	r->step = RPING_SETTLE;
	if (r->ulp->settle_ms)
		timer_arm(&r->timer, r->ulp->settle_ms);
	else
		begin_exchange(r);
}

static void ended(struct rping *r)
{
	const struct terminate *t = &r->conn->terminate;

	switch (r->conn->state) {
	case CONN_REJECTED:
		tell_failed(r, "rejected");
		conn_close(r->conn, false);
		break;
	case CONN_TERMINATED:
		/* When the refusal of a Write arrives, the exchange has moved
		 * on. */
		if (!t->local && r->step == RPING_SOURCE && r->exchanges) {
			r->step = RPING_WRITE;
			r->exchanges--;
		}
		tell_failed(r, "Terminate %s: layer %u, type %u, code %u",
			    t->local ? "sent" : "received", t->octets[0] >> 4,
			    t->octets[0] & 15, t->octets[1]);
		break;
	case CONN_CLOSED:
		if (r->step == RPING_SOURCE && r->exchanges)
			tell_done(r);
		else
			tell_failed(r, "the peer has closed");
		break;
	default:
		tell_failed(r, "%s",
			    r->conn->failure ? r->conn->failure : "lost");
	}
}

void ulp_step(struct job *job)
{
	struct rping *r =
		(struct rping *)((char *)job - offsetof(struct rping, job));
	struct conn *c = r->conn;

	if (r->gone)
		return;
	if (r->step == RPING_STARTUP && c->was_established)
		r->established(r);
	while (c->events) {
		struct event *event = event_take(c);

		r->completed(r, event);
		event_free(event);
	}
	if (r->step != RPING_CLOSE && conn_is_final(c))
		r->ended(r);
	if (c->phase == PHASE_GONE)
		r->over(r);
}

static struct rping *new_rping(const struct ulp *ulp, struct params *params)
{
	struct rping *r = alloc_zeroed(sizeof(*r));
	bool client = ulp->role == ULP_RPING_CLIENT;

	r->ulp = ulp;
	r->job.run = ulp_step;
	r->established = established;
	r->completed = completed;
	r->ended = ended;
	r->timer.fire = expired;
	r->step = RPING_STARTUP;
	*params = (struct params){
		.ird = 1,
		.ord = 1,
		.crc = true,
		.rev = ulp->rev,
		.enhanced = client && ulp->rev == 2,
		.rtr = client ? 0 : RTR_ALL,
		.rq = RECEIVES,
		.rqlen = INFO_SIZE,
		.first_msn = 1,
	};
	return r;
}

struct rping *rping_serve(const struct ulp *ulp, int fd)
{
	struct params params;
	struct rping *r = new_rping(ulp, &params);
	struct address peer;

	if (address_peer(fd, &peer))
		address_text(&peer, r->peer);
	r->conn = conn_accept(fd, &params, r, &r->job);
	return r;
}

struct rping *rping_connect(const struct ulp *ulp)
{
	struct params params;
	struct rping *r = new_rping(ulp, &params);

	address_text(&ulp->address, r->peer);
	r->conn = conn_connect((const struct sockaddr *)&ulp->address.at,
			       ulp->address.len, &params, r, &r->job);
	if (r->conn)
		return r;
	free(r);
	return NULL;
}

static void release(struct region *region)
{
	if (region)
		region_invalidate(region);
	region_put(region);
}

void rping_destroy(struct rping *r)
{
	r->gone = true;
	timer_cancel(&r->timer);
	conn_destroy(r->conn);
	release(r->source);
	release(r->data);
	free(r->due);
	loop_free(r);
}

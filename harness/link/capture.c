/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recording: one buffer of records, each a header and its octets, appended
 * as things happen. The packets are made of them in capture_pcapng.c.
 */
#include "harness/link/capture.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "harness/link/capture_record.h"

enum { CAPTURE_FIRST = 4096 };

struct capture *capture_open(size_t limit)
{
	struct capture *c = calloc(1, sizeof(*c));
	struct timespec wall;

	if (!c)
		return NULL;
	clock_gettime(CLOCK_REALTIME, &wall);
	c->epoch_ns = (uint64_t)wall.tv_sec * CLOCK_NS_PER_S +
		      (uint64_t)wall.tv_nsec - clock_now_ns();
	c->limit = limit;
	return c;
}

void capture_close(struct capture *c)
{
	if (!c)
		return;
	free(c->octets);
	free(c);
}

void capture_restart(struct capture *c)
{
	if (!c)
		return;
	c->used = 0;
	c->flows = 0;
	c->cut = false;
	c->frames = false;
}

/* Room for one record, or NULL and the capture ends here. */
static uint8_t *append(struct capture *c, size_t n)
{
	if (!c->cut && n <= c->limit - c->used) {
		if (n <= c->cap - c->used)
			return c->octets + c->used;
		size_t cap = c->cap ? c->cap : CAPTURE_FIRST;
		while (cap < c->used + n)
			cap *= 2;
		if (cap > c->limit)
			cap = c->limit;
		uint8_t *grown = realloc(c->octets, cap);
		if (grown) {
			c->octets = grown;
			c->cap = cap;
			return c->octets + c->used;
		}
	}
	c->cut = true;
	return NULL;
}

static void record(struct capture *c, int flow, enum record_kind kind,
		   enum capture_dir dir, const void *octets, size_t n)
{
	if (!c || flow < 0 || (unsigned)flow >= c->flows)
		return;
	struct record r = {.at_ns = clock_now_ns(),
			   .n = (uint32_t)n,
			   .flow = (uint16_t)flow,
			   .kind = (uint8_t)kind,
			   .dir = (uint8_t)dir};
	uint8_t *at = append(c, sizeof(r) + n);
	if (!at)
		return;
	memcpy(at, &r, sizeof(r));
	if (n > 0)
		memcpy(at + sizeof(r), octets, n);
	c->used += sizeof(r) + n;
}

int capture_flow(struct capture *c, const struct link_end *local,
		 const struct link_end *remote, bool we_connected)
{
	if (!c)
		return -1;
	if (c->flows == CAPTURE_FLOWS) {
		c->cut = true;
		return -1;
	}
	int flow = (int)c->flows++;
	c->flow[flow].end[CAPTURE_SENT] = *local;
	c->flow[flow].end[CAPTURE_RECEIVED] = *remote;
	record(c, flow, RECORD_OPEN,
	       we_connected ? CAPTURE_SENT : CAPTURE_RECEIVED, NULL, 0);
	return flow;
}

void capture_data(struct capture *c, int flow, enum capture_dir dir,
		  const void *octets, size_t n)
{
	const uint8_t *at = octets;

	while (n > 0) {
		size_t k = n < CAPTURE_SEGMENT ? n : CAPTURE_SEGMENT;
		record(c, flow, RECORD_DATA, dir, at, k);
		at += k;
		n -= k;
	}
}

void capture_fin(struct capture *c, int flow, enum capture_dir dir)
{
	record(c, flow, RECORD_FIN, dir, NULL, 0);
}

void capture_reset(struct capture *c, int flow, enum capture_dir dir)
{
	record(c, flow, RECORD_RESET, dir, NULL, 0);
}

void capture_sctp(struct capture *c, const struct link_end *local,
		  const struct link_end *remote, enum capture_dir dir,
		  const void *octets, size_t n, const char *comment)
{
	struct capture_sctp_head head = {.comment = comment};
	struct record r = {.at_ns = clock_now_ns(),
			   .n = (uint32_t)(sizeof(head) + n),
			   .kind = RECORD_SCTP,
			   .dir = (uint8_t)dir};
	uint8_t *at = NULL;

	if (c && n <= CAPTURE_SEGMENT)
		at = append(c, sizeof(r) + r.n);
	if (!at)
		return;
	head.end[CAPTURE_SENT] = *local;
	head.end[CAPTURE_RECEIVED] = *remote;
	memcpy(at, &r, sizeof(r));
	memcpy(at + sizeof(r), &head, sizeof(head));
	memcpy(at + sizeof(r) + sizeof(head), octets, n);
	c->used += sizeof(r) + r.n;
}

void capture_frame(struct capture *c, const void *octets, size_t n,
		   size_t length, uint64_t at_ns)
{
	uint32_t whole = (uint32_t)length;
	struct record r = {.at_ns = at_ns,
			   .n = (uint32_t)(sizeof(whole) + n),
			   .kind = RECORD_FRAME};
	uint8_t *at = c ? append(c, sizeof(r) + r.n) : NULL;

	if (!at)
		return;
	memcpy(at, &r, sizeof(r));
	memcpy(at + sizeof(r), &whole, sizeof(whole));
	memcpy(at + sizeof(r) + sizeof(whole), octets, n);
	c->used += sizeof(r) + r.n;
	c->frames = true;
}

bool capture_is_cut(const struct capture *c)
{
	return c && c->cut;
}

bool capture_is_empty(const struct capture *c)
{
	return !c || c->used == 0;
}

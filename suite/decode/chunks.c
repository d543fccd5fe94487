/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/decode/chunks.h"

#include <stdlib.h>
#include <string.h>

#include "harness/link/raw/capture_file.h"
#include "harness/wire/session.h"
#include "suite/audit/sctp/associations.h"

enum { OCTETS_MOST = 256 << 20 };

static void begins(void *user, struct association_flow *f)
{
	struct chunks_taken *c = user;

	/* Its number, plus one. */
	f->user = (void *)(uintptr_t)++c->associations;
}

static struct chunk_taken *another(struct chunks_taken *c)
{
	if (c->n == c->cap) {
		size_t cap = c->cap ? 2 * c->cap : 64;
		struct chunk_taken *more =
			realloc(c->list, cap * sizeof(*more));

		if (!more)
			return NULL;
		c->list = more;
		c->cap = cap;
	}
	return &c->list[c->n];
}

static void message(void *user, struct association_flow *f, unsigned from,
		    bool received, const struct association_data *m,
		    const struct assembly_at *at)
{
	struct chunks_taken *c = user;
	struct chunk_taken *t;
	uint8_t *octets;

	(void)received;
	if (!session_ppid_of_ddp(m->ppid))
		return;
	c->full |= c->octets + m->n > OCTETS_MOST;
	if (c->full)
		return;
	t = another(c);
	octets = malloc(m->n + 1);
	if (!t || !octets) {
		free(octets);
		c->failed = true;
		return;
	}
	if (m->n)
		memcpy(octets, m->octets, m->n);
	*t = (struct chunk_taken){
		.association = (unsigned)(uintptr_t)f->user - 1,
		.turn = c->n,
		.end = {f->end[0], f->end[1]},
		.from = from,
		.packet = (unsigned)at->packet,
		.stream = m->stream,
		.ppid = m->ppid,
		.octets = octets,
		.n = m->n,
	};
	c->n++;
	c->octets += m->n;
}

static void gap(void *user, struct association_flow *f, unsigned from,
		const struct assembly_at *at)
{
	struct chunks_taken *c = user;

	(void)f;
	(void)from;
	(void)at;
	c->gaps = true;
}

static void aborts(void *user, struct association_flow *f, unsigned from,
		   bool received, const struct assembly_at *at)
{
	(void)user;
	(void)f;
	(void)from;
	(void)received;
	(void)at;
}

static void over(void *user, struct association_flow *f)
{
	(void)user;
	(void)f;
}

static void take(struct chunks_taken *c, struct associations *a,
		 struct capture_packet *p)
{
	const struct assembly_at at = {p->number, p->at_ns};
	enum associations_took took;

	if (!capture_packet_to_ip(p))
		return;
	took = associations_packet(a, p->octets, p->n, p->length, &at);
	c->packets += took != ASSOCIATIONS_FOREIGN;
	c->damaged += took == ASSOCIATIONS_DAMAGED;
	c->failed |= took == ASSOCIATIONS_FULL;
}

static int by_association(const void *a, const void *b)
{
	const struct chunk_taken *x = a, *y = b;

	return x->association != y->association
		       ? (x->association > y->association ? 1 : -1)
		       : (x->turn > y->turn) - (x->turn < y->turn);
}

void chunks_read(struct chunks_taken *c, FILE *file)
{
	static const struct associations_events events = {begins, message, gap,
							  aborts, over};
	char why[CAPTURE_FILE_WHY];
	struct capture_file *f = capture_file_open(file, why);
	struct associations *a = associations_new(&events, c);
	struct capture_packet p;

	c->failed |= !f || !a;
	while (f && a && capture_file_next(f, &p, why) == CAPTURE_PACKET)
		take(c, a, &p);
	associations_free(a);
	if (f)
		capture_file_close(f);
	if (c->n)
		qsort(c->list, c->n, sizeof(*c->list), by_association);
}

void chunks_free(struct chunks_taken *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->list[i].octets);
	free(c->list);
	*c = (struct chunks_taken){0};
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/audit/outcome.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/observe/arena.h"
#include "harness/observe/observe.h"
#include "harness/text/memstream.h"
#include "harness/wire/rdmap.h"
#include "suite/audit/ladder.h"
#include "suite/judge/verdict.h"

static const char *role_of(const struct conversation *c, unsigned end)
{
	if (c->phase == CONVERSATION_MIDWAY ||
	    (!c->sctp && !c->request && c->phase != CONVERSATION_REFUSED))
		return "";
	return end == c->initiator ? "initiator" : "responder";
}

static void put_end(FILE *out, const struct link_end *e)
{
	char address[INET6_ADDRSTRLEN] = "";

	inet_ntop(e->family == 6 ? AF_INET6 : AF_INET, e->addr, address,
		  sizeof(address));
	fprintf(out, e->family == 6 ? "[%s]:%u" : "%s:%u", address, e->port);
}

/* --- choices ----------------------------------------------------------- */

static void put_depth(FILE *out, const char *name, unsigned depth)
{
	if (depth == MPA_NOT_NEGOTIATED)
		fprintf(out, ", %s not negotiated", name);
	else
		fprintf(out, ", %s %u", name, depth);
}

static void put_startup(FILE *out, const struct conversation_side *s, bool sctp)
{
	if (!s->startup) {
		fputs("startup: not captured\n", out);
		return;
	}
	if (sctp)
		fprintf(out, "session: %s%s",
			s->flags & MPA_S ? "enhanced (RFC 6581 s7)"
					 : "plain (RFC 5043)",
			s->flags & MPA_R ? ", rejected" : "");
	else
		fprintf(out, "startup: Rev %u, M=%d, C=%d, S=%d%s", s->rev,
			!!(s->flags & MPA_M), !!(s->flags & MPA_C),
			!!(s->flags & MPA_S), s->flags & MPA_R ? ", R=1" : "");
	if (s->enhanced) {
		fprintf(out, ", A=%d B=%d C=%d D=%d", s->offers.a, s->offers.b,
			s->offers.c, s->offers.d);
		put_depth(out, "IRD", s->offers.ird);
		put_depth(out, "ORD", s->offers.ord);
	}
	fputc('\n', out);
}

static void put_messages(FILE *out, const struct conversation_side *s,
			 bool sctp)
{
	const char *join = ": ";

	fprintf(out, "sent: %" PRIu64 " %s, %" PRIu64 " octets", s->fpdus,
		sctp ? "DDP Segment Chunks" : "FPDUs", s->octets);
	for (unsigned i = 0; i < 16; i++) {
		if (!s->messages[i])
			continue;
		fprintf(out, "%s%" PRIu64 " %s", join, s->messages[i],
			rdmap_opcode_name((uint8_t)i));
		join = ", ";
	}
	if (s->fpdus)
		fprintf(out, "; the longest %s: %u octets",
			sctp ? "segment" : "ULPDU", s->longest);
	fputc('\n', out);
}

static void put_lacks(FILE *out, const struct conversation_side *s, bool sctp)
{
	if (s->gaps && sctp)
		fprintf(out,
			"not captured: messages in %u place%s; Requests and "
			"Responses are not compared behind the first\n",
			s->gaps, s->gaps == 1 ? "" : "s");
	else if (s->gaps)
		fprintf(out,
			"not captured: %" PRIu64 " octets, in %u gap%s; "
			"Requests and Responses are not compared behind the "
			"first\n",
			s->lost, s->gaps, s->gaps == 1 ? "" : "s");
	if (s->changed)
		fprintf(out,
			"retransmitted with other octets than before: %u "
			"segment%s\n",
			s->changed, s->changed == 1 ? "" : "s");
	if (s->not_judged_from)
		fprintf(out,
			"the framing is lost in packet %" PRIu64
			": what follows is not judged\n",
			s->not_judged_from);
}

static char *choices_of(const struct conversation *c, unsigned end)
{
	const struct conversation_side *s = &c->side[end];
	struct memstream m;
	FILE *out = memstream_open(&m);

	if (out) {
		put_startup(out, s, c->sctp);
		put_messages(out, s, c->sctp);
		put_lacks(out, s, c->sctp);
		if (c->remark)
			fprintf(out, "%s\n", c->remark);
		if (c->findings.more)
			fputs("there were more findings than are kept\n", out);
	}
	return memstream_finish(&m, NULL);
}

/* --- the verdict ------------------------------------------------------------ */

static enum teardown teardown_of(const struct conversation_side *s)
{
	if (s->terminated)
		return s->fin     ? TEARDOWN_TERMINATE_FIN
		       : s->reset ? TEARDOWN_TERMINATE_RST
				  : TEARDOWN_TERMINATE_OPEN;
	return s->fin ? TEARDOWN_FIN : s->reset ? TEARDOWN_RST : TEARDOWN_OPEN;
}

enum { HELD_MOST = 8 };

/* Rows that the models have checked in all messages of SCTP. */
static size_t list_held_over_sctp(const struct conversation_side *s,
				  struct judgement list[HELD_MOST])
{
	static const unsigned short of_sessions[] = {REQ_INDEX_SCTPX_5_1_03,
						     REQ_INDEX_SCTPX_10_01,
						     REQ_INDEX_SCTPX_6_5_01};
	static const unsigned short of_segments[] = {REQ_INDEX_DDP_4_1_13,
						     REQ_INDEX_RDMAP_4_1_02,
						     REQ_INDEX_DDP_4_3_06};
	size_t n = 0;

	for (size_t i = 0; s->startup && i < 3; i++)
		list[n++].req = of_sessions[i];
	for (size_t i = 0; s->fpdus && i < 3; i++)
		list[n++].req = of_segments[i];
	return n;
}

/* Rows that the model has checked in all frames. */
static size_t list_held(const struct conversation_side *s, bool crc,
			struct judgement list[HELD_MOST])
{
	static const unsigned short of_fpdus[] = {
		REQ_INDEX_MPA_4_1_03, REQ_INDEX_DDP_4_1_13,
		REQ_INDEX_RDMAP_4_1_02, REQ_INDEX_DDP_4_3_06};
	size_t n = 0;

	if (s->startup)
		list[n++].req = REQ_INDEX_MPA_7_1_1_01;
	for (size_t i = 0; s->fpdus && i < 4; i++)
		list[n++].req = of_fpdus[i];
	if (s->fpdus && crc)
		list[n++].req = REQ_INDEX_MPA_4_4_04;
	return n;
}

static struct judgement failed(const struct finding *f)
{
	return (struct judgement){.req = f->req,
				  .kind = req_table[f->req].kind,
				  .by_model = true,
				  .text = f->text};
}

static bool copied(const char **text)
{
	char *copy = text_held(strdup(*text ? *text : ""));

	*text = text_held(copy);
	return copy;
}

/* References to memory that is freed. */
static bool keep(struct result *r)
{
	size_t n = r->requirement_count;
	const char **ids = text_held(malloc((n + 1) * sizeof(*ids)));
	struct result_broken *broken =
		text_held(malloc((r->broken_count + 1) * sizeof(*broken)));
	bool ok = ids && broken && copied(&r->id) && copied(&r->title) &&
		  copied(&r->detail) && copied(&r->signature) &&
		  copied(&r->consequences);

	if (!ok) {
		free(ids);
		free(broken);
		return false;
	}
	memcpy(ids, r->requirements, n * sizeof(*ids));
	if (r->broken_count)
		memcpy(broken, r->broken, r->broken_count * sizeof(*broken));
	r->requirements = ids;
	r->broken = broken;
	r->axes = NULL; /* they are of cases */
	r->axes_count = 0;
	for (size_t i = 0; ok && i < r->broken_count; i++)
		ok = copied(&broken[i].text) && copied(&broken[i].section) &&
		     copied(&broken[i].statement);
	return ok;
}

static void no_room(void *user)
{
	(void)user;
	abort();
}

bool outcome_of(const struct conversation *c, unsigned end, const char *place,
		struct result *out)
{
	static struct observe *log;
	static struct judgement list[HELD_MOST + FINDINGS_MOST];
	const struct conversation_side *s = &c->side[end];
	const struct arena arena = {.full = no_room};
	struct arena a = arena;
	const char *role = role_of(c, end);
	size_t n;

	if (!log && !(log = text_held(observe_new())))
		return false;
	observe_reset(log);
	a.log = log;
	memset(list, 0, sizeof(list));
	n = c->sctp ? list_held_over_sctp(s, list)
		    : list_held(s, c->from[end].crc, list);
	for (size_t i = 0; i < n; i++) {
		list[i].ok = true;
		list[i].kind = req_table[list[i].req].kind;
		list[i].text = "";
	}
	for (const struct finding *f = c->findings.first; f; f = f->next)
		if (f->end == end)
			list[n++] = failed(f);
	for (size_t i = 1; i < n; i++)
		list[i - 1].next = &list[i];

	struct memstream m;
	FILE *title = memstream_open(&m);

	if (title) {
		put_end(title, &c->ends[end]);
		fputs(" to ", title);
		put_end(title, &c->ends[!end]);
		if (c->sctp)
			fprintf(title, ", stream %u", c->stream);
	}
	char *names = memstream_finish(&m, NULL);
	char *choices = choices_of(c, end);
	struct ended_case ended = {
		.id = arena_format(&a, "%s/%u/%s", place, c->number,
				   *role ? role
				   : end ? "b"
					 : "a"),
		.title = names ? names : "",
		.level = n ? "MUST" : "",
		.role = role,
		.judged = n ? list : NULL,
		.teardown = teardown_of(s),
		.skipped = !n,
		.reason = n ? "" : "no whole frame of it was captured",
		.reading = "",
		.reading_lines = "",
	};

	verdict_of(&ended, &a, out);
	out->detail =
		arena_format(&a, "%s%s", out->detail, choices ? choices : "");
	bool ok = names && choices && keep(out) &&
		  (!out->broken_count || ladder_of(c, end, out));

	free(names);
	free(choices);
	return ok;
}

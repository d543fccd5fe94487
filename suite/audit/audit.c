/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/audit/audit.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "harness/link/clock.h"
#include "harness/link/raw/assembly.h"
#include "suite/audit/sctp/associations.h"
#include "harness/link/raw/capture_file.h"
#include "harness/text/memstream.h"
#include "harness/link/raw/capture_live.h"
#include "suite/audit/collection.h"
#include "suite/audit/conversation.h"
#include "suite/audit/sctp/ddp_streams.h"

struct auditing {
	const struct audit_options *o;
	struct collection collection;
	char place[192]; /* of the current file */
	unsigned streams;
	uint64_t unknown_links;
	struct associations *associations; /* of the current file */
	struct ddp_streams_of_all sctp;
	uint64_t packets, damaged; /* of SCTP */
};

/* --- connections ------------------------------------------------------------ */

static void begins(void *user, struct assembly_flow *f)
{
	struct auditing *a = user;
	struct conversation *c = conversation_new(f, a->o->profile);

	a->collection.failed |= !c;
	f->user = c;
	f->ignored = !c;
	if (!c)
		return;
	c->named = named_find(a->o->streams, a->o->stream_count, f->end);
	c->memory = a->o->memory;
}

static void octets(void *user, struct assembly_flow *f, unsigned from,
		   const uint8_t *octets, size_t n,
		   const struct assembly_at *at)
{
	(void)user;
	conversation_octets(f->user, from, octets, n, at);
}

static void gap(void *user, struct assembly_flow *f, unsigned from, uint64_t n,
		const struct assembly_at *at)
{
	(void)user;
	conversation_gap(f->user, from, n, at);
}

static void changed(void *user, struct assembly_flow *f, unsigned from,
		    const struct assembly_at *at)
{
	(void)user;
	(void)at;
	conversation_changed(f->user, from);
}

static void ends(void *user, struct assembly_flow *f, unsigned from, bool reset,
		 bool acked, const struct assembly_at *at)
{
	(void)user;
	conversation_ends(f->user, from, reset, acked, at);
}

static void conclude(struct auditing *a, struct conversation *c)
{
	c->number = ++a->streams;
	for (unsigned i = 0; i < 2; i++)
		collection_add(&a->collection, c,
			       c->request ? i ^ c->initiator : i, a->place);
}

/* --- associations ----------------------------------------------------------- */

static void concludes(void *user, struct conversation *c)
{
	conclude(user, c);
}

static void association_begins(void *user, struct association_flow *f)
{
	struct auditing *a = user;

	f->user = ddp_streams_new(f, &a->sctp);
	a->collection.failed |= !f->user;
	f->ignored = !f->user;
}

static void association_message(void *user, struct association_flow *f,
				unsigned from, bool received,
				const struct association_data *m,
				const struct assembly_at *at)
{
	struct auditing *a = user;

	a->collection.failed |=
		!ddp_streams_message(f->user, from, received, m, at);
}

static void association_gap(void *user, struct association_flow *f,
			    unsigned from, const struct assembly_at *at)
{
	(void)user;
	ddp_streams_gap(f->user, from, at);
}

static void association_aborts(void *user, struct association_flow *f,
			       unsigned from, bool received,
			       const struct assembly_at *at)
{
	(void)user;
	ddp_streams_abort(f->user, from, received, at);
}

static void association_over(void *user, struct association_flow *f)
{
	struct auditing *a = user;

	if (f->user)
		a->collection.failed |= !ddp_streams_end(f->user);
	f->user = NULL;
	f->ignored = true;
}

static const struct associations_events association_events = {
	association_begins, association_message, association_gap,
	association_aborts, association_over};

/* --- connections that end ---------------------------------------------------- */

static void over(void *user, struct assembly_flow *f, bool evicted)
{
	struct conversation *c = f->user;

	(void)evicted;
	if (c && c->recognised)
		conclude(user, c);
	conversation_free(c);
	f->user = NULL;
	f->ignored = true;
}

/* --- files ------------------------------------------------------------------ */

/* The name of a file without the characters that have a meaning in
 * selectors. */
static void place_of(struct auditing *a, const char *path)
{
	const char *name = strrchr(path, '/');
	size_t n = 0;

	name = strcmp(path, "-") == 0 ? "stdin" : name ? name + 1 : path;
	for (; *name && n + 1 < sizeof(a->place); name++)
		a->place[n++] = strchr("/*?[]! ", *name) ? '_' : *name;
	a->place[n] = '\0';
	for (const char *const *end =
		     (const char *const[]){".pcapng", ".pcap", NULL};
	     *end; end++)
		if (n > strlen(*end) &&
		    strcmp(a->place + n - strlen(*end), *end) == 0)
			a->place[n - strlen(*end)] = '\0';
}

static FILE *open_file(const char *path, char *why, size_t cap)
{
	int fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO)
					: open(path, O_RDONLY | O_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "rb");

	if (!f) {
		snprintf(why, cap, "%.300s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
	}
	return f;
}

static void take_packet(struct auditing *a, struct assembly *s,
			struct capture_packet *p)
{
	const struct assembly_at at = {p->number, p->at_ns};
	enum associations_took took;

	a->unknown_links += !capture_link_known(p->link);
	if (!capture_packet_to_ip(p)) {
		assembly_other(s);
		return;
	}
	took = associations_packet(a->associations, p->octets, p->n, p->length,
				   &at);
	a->packets += took != ASSOCIATIONS_FOREIGN;
	a->damaged += took == ASSOCIATIONS_DAMAGED;
	a->collection.failed |= took == ASSOCIATIONS_FULL;
	if (took == ASSOCIATIONS_FOREIGN &&
	    !assembly_packet(s, p->octets, p->n, p->length, &at))
		a->collection.failed = true;
}

static void breaks_off(struct auditing *a, const char *path, const char *said)
{
	collection_note(&a->collection, path, said);
	a->collection.broken = true;
}

static void read_packets(struct auditing *a, struct capture_file *f,
			 struct assembly *s, const char *path)
{
	char said[CAPTURE_FILE_WHY];
	enum capture_status status;
	struct capture_packet p;

	while ((status = capture_file_next(f, &p, said)) == CAPTURE_PACKET)
		take_packet(a, s, &p);
	if (status == CAPTURE_BROKEN)
		breaks_off(a, path, said);
}

static void say_counts(struct auditing *a, const struct assembly_counts *n,
		       const char *path)
{
	char line[256];

	if (a->unknown_links) {
		snprintf(line, sizeof(line),
			 "%" PRIu64 " packets of a link that is neither "
			 "Ethernet nor IP",
			 a->unknown_links);
		collection_note(&a->collection, path, line);
	}
	if (n->damaged + a->damaged) {
		snprintf(line, sizeof(line),
			 "%" PRIu64 " of %" PRIu64 " packets are fragments, or "
			 "damaged, or have a wrong checksum",
			 n->damaged + a->damaged, n->packets + a->packets);
		collection_note(&a->collection, path, line);
	}
	if (associations_evicted(a->associations)) {
		snprintf(line, sizeof(line),
			 "%" PRIu64 " associations were followed no longer, as "
			 "%d others were open",
			 associations_evicted(a->associations),
			 ASSOCIATIONS_MOST);
		collection_note(&a->collection, path, line);
	}
	if (a->sctp.passed_over) {
		snprintf(line, sizeof(line),
			 "%" PRIu64 " messages of SCTP were passed over, as %d "
			 "streams were followed already",
			 a->sctp.passed_over, DDP_STREAMS_MOST);
		collection_note(&a->collection, path, line);
	}
	if (n->evicted) {
		snprintf(line, sizeof(line),
			 "%" PRIu64 " connections were followed no longer, as "
			 "%d others were open",
			 n->evicted, ASSEMBLY_FLOWS);
		collection_note(&a->collection, path, line);
	}
}

static const struct assembly_events events = {begins,  octets, gap,
					      changed, ends,   over};

/* Connections and associations of one place. NULL: no memory. */
static struct assembly *begin_place(struct auditing *a, const char *path)
{
	struct assembly *s = text_held(assembly_new(&events, a));

	place_of(a, path);
	a->streams = 0;
	a->unknown_links = a->packets = a->damaged = 0;
	a->sctp = (struct ddp_streams_of_all){.profile = a->o->profile,
					      .memory = a->o->memory,
					      .concludes = concludes,
					      .user = a};
	a->associations =
		s ? text_held(associations_new(&association_events, a)) : NULL;
	if (s && a->associations)
		return s;
	assembly_free(s);
	a->collection.failed = true;
	return NULL;
}

static void end_place(struct auditing *a, struct assembly *s, const char *path)
{
	assembly_end(s);
	associations_end(a->associations);
	say_counts(a, assembly_counts(s), path);
	associations_free(a->associations);
	a->associations = NULL;
	assembly_free(s);
}

static bool audit_opened(struct auditing *a, FILE *file, const char *path,
			 char *why, size_t cap)
{
	char said[CAPTURE_FILE_WHY];
	struct capture_file *f = capture_file_open(file, said);

	if (!f) {
		snprintf(why, cap, "%.300s: %s", path, said);
		return false;
	}
	struct assembly *s = begin_place(a, path);

	if (s) {
		read_packets(a, f, s, path);
		end_place(a, s, path);
	}
	capture_file_close(f);
	return true;
}

static bool audit_file(struct auditing *a, const char *path, char *why,
		       size_t cap)
{
	FILE *file = open_file(path, why, cap);

	return file && audit_opened(a, file, path, why, cap);
}

/* --- an interface ------------------------------------------------------------- */

int audit_ends(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void show(const struct auditing *a, const struct assembly_counts *n,
		 uint64_t dropped)
{
	const struct audit_progress p = {
		.packets = n->packets + a->packets,
		.dropped = dropped,
		.open = n->flows,
		.over = a->streams,
		.findings = a->collection.count - a->collection.clean,
	};

	if (a->o->shows)
		a->o->shows(&p);
}

/* Only the packets that wait now: more may always come. */
static bool take_batch(struct auditing *a, struct assembly *s,
		       struct capture_live *c)
{
	enum { BATCH = 4096 };
	enum capture_status status = CAPTURE_PACKET;
	char said[CAPTURE_FILE_WHY];
	struct capture_packet p;

	for (unsigned i = 0; i < BATCH && status == CAPTURE_PACKET; i++) {
		status = capture_live_next(c, &p, said);
		if (status == CAPTURE_PACKET)
			take_packet(a, s, &p);
	}
	if (status == CAPTURE_BROKEN)
		breaks_off(a, a->o->follow, said);
	return status != CAPTURE_BROKEN;
}

static void follow(struct auditing *a, struct assembly *s,
		   struct capture_live *c)
{
	uint64_t end = a->o->max_time_ns ? clock_now_ns() + a->o->max_time_ns
					 : UINT64_MAX;
	uint64_t next = clock_after_ms(1000);
	struct pollfd fds[2] = {{capture_live_fd(c), POLLIN, 0},
				{audit_ends(), POLLIN, 0}};

	while (clock_now_ns() < end && !fds[1].revents && take_batch(a, s, c)) {
		if (clock_now_ns() >= next) {
			show(a, assembly_counts(s), capture_live_dropped(c));
			next = clock_after_ms(1000);
		}
		if (poll(fds, 2, clock_poll_ms(next < end ? next : end)) < 0 &&
		    errno != EINTR)
			break;
	}
	/* Packets that have passed but were not handed over yet. */
	if (poll(fds, 1, 2 * CAPTURE_LIVE_BATCH_MS) > 0)
		take_batch(a, s, c);
	if (fds[1].fd >= 0)
		close(fds[1].fd);
}

static bool audit_interface(struct auditing *a, char *why, size_t cap)
{
	char said[CAPTURE_FILE_WHY];
	struct capture_live *c = capture_live_open(a->o->follow, said);
	struct assembly *s;
	char line[128];

	if (!c) {
		snprintf(why, cap, "%.100s: %s", a->o->follow, said);
		return false;
	}
	s = begin_place(a, a->o->follow);
	if (a->o->follows)
		a->o->follows(a->o->follow);
	if (s) {
		follow(a, s, c);
		end_place(a, s, a->o->follow);
	}
	if (capture_live_dropped(c)) {
		snprintf(line, sizeof(line),
			 "the kernel dropped %" PRIu64 " packets",
			 capture_live_dropped(c));
		breaks_off(a, a->o->follow, line);
	}
	capture_live_close(c);
	return true;
}

/* --- all of it -------------------------------------------------------------- */

bool audit(const struct audit_options *o, struct run_result *out, char *why,
	   size_t cap)
{
	static struct auditing a;
	uint64_t began = clock_now_ns();
	const char *name = o->follow       ? o->follow
			   : o->count == 1 ? o->files[0]
					   : "captures";

	a = (struct auditing){.o = o};
	collection_begin(out, name, "capture", o->spec, o->strict);
	if (o->follow && !audit_interface(&a, why, cap))
		return false;
	for (size_t i = 0; i < o->count; i++)
		if (!audit_file(&a, o->files[i], why, cap))
			return false;
	collection_end(&a.collection, out, name, "no iWARP stream in it");
	out->duration_ns = clock_now_ns() - began;
	return true;
}

bool audit_octets(const struct audit_options *o, const char *name,
		  const void *octets, size_t n, struct run_result *out,
		  char *why, size_t cap)
{
	static struct auditing a;
	/* The file is only read; an empty one cannot be opened in memory. */
	FILE *file = n ? fmemopen((void *)octets, n, "rb") : NULL;

	if (!file) {
		snprintf(why, cap, "%.300s: %s", name,
			 n ? strerror(errno) : "an empty file");
		return false;
	}
	a = (struct auditing){.o = o};
	collection_begin(out, name, "capture", o->spec, o->strict);
	if (!audit_opened(&a, file, name, why, cap))
		return false;
	collection_end(&a.collection, out, name, "no iWARP stream in it");
	return true;
}

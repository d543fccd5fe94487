/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/audit/audit.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/link/clock.h"
#include "harness/link/raw/assembly.h"
#include "harness/link/raw/capture_file.h"
#include "suite/audit/collection.h"
#include "suite/audit/conversation.h"

struct auditing {
	const struct audit_options *o;
	struct collection collection;
	char place[192]; /* of the file in hand */
	unsigned streams;
	uint64_t unknown_links;
};

/* --- connections ------------------------------------------------------------ */

static void begins(void *user, struct assembly_flow *f)
{
	struct auditing *a = user;
	struct conversation *c = conversation_new(f, a->o->profile);

	a->collection.failed |= !c;
	f->user = c;
	f->ignored = !c;
	if (c)
		c->named =
			named_find(a->o->streams, a->o->stream_count, f->end);
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

/* The name of a file without what a selector has a meaning for. */
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

static void read_packets(struct auditing *a, struct capture_file *f,
			 struct assembly *s, const char *path)
{
	char said[CAPTURE_FILE_WHY];
	enum capture_status status;
	struct capture_packet p;

	while ((status = capture_file_next(f, &p, said)) == CAPTURE_PACKET) {
		const struct assembly_at at = {p.number, p.at_ns};

		a->unknown_links += !capture_link_known(p.link);
		if (!capture_packet_to_ip(&p))
			assembly_other(s);
		else if (!assembly_packet(s, p.octets, p.n, p.length, &at))
			a->collection.failed = true;
	}
	if (status == CAPTURE_BROKEN) {
		collection_note(&a->collection, path, said);
		a->collection.broken = true;
	}
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
	if (n->damaged) {
		snprintf(line, sizeof(line),
			 "%" PRIu64 " of %" PRIu64 " packets are fragments, or "
			 "damaged, or have a wrong checksum",
			 n->damaged, n->packets);
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

static bool audit_file(struct auditing *a, const char *path, char *why,
		       size_t cap)
{
	static const struct assembly_events events = {begins,  octets, gap,
						      changed, ends,   over};
	char said[CAPTURE_FILE_WHY];
	FILE *file = open_file(path, why, cap);

	if (!file)
		return false;
	struct capture_file *f = capture_file_open(file, said);

	if (!f) {
		snprintf(why, cap, "%.300s: %s", path, said);
		return false;
	}
	struct assembly *s = assembly_new(&events, a);

	place_of(a, path);
	a->streams = 0;
	a->unknown_links = 0;
	if (s) {
		read_packets(a, f, s, path);
		assembly_end(s);
		say_counts(a, assembly_counts(s), path);
	} else {
		a->collection.failed = true;
	}
	assembly_free(s);
	capture_file_close(f);
	return true;
}

/* --- all of it -------------------------------------------------------------- */

bool audit(const struct audit_options *o, struct run_result *out, char *why,
	   size_t cap)
{
	static struct auditing a;
	uint64_t began = clock_now_ns();

	a = (struct auditing){.o = o};
	collection_begin(out, o->count == 1 ? o->files[0] : "captures",
			 "capture", o->spec, o->strict);
	for (size_t i = 0; i < o->count; i++)
		if (!audit_file(&a, o->files[i], why, cap))
			return false;
	collection_end(&a.collection, out, o->files[0],
		       "no iWARP stream in it");
	out->duration_ns = clock_now_ns() - began;
	return true;
}

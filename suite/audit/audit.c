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
#include "suite/audit/conversation.h"
#include "suite/audit/outcome.h"

/* Results that are kept: of sides without a finding, and of sides with one. */
enum { CLEAN_MOST = 16384, FOUND_MOST = 8192 };

struct auditing {
	const struct audit_options *o;
	struct run_result *out;
	struct result *results;
	size_t count, cap, clean;
	char place[192]; /* of the current file */
	unsigned streams;
	uint64_t left_out, unknown_links;
	size_t totals[VERDICT_COUNT];
	char note[768];
	bool broken, failed;
};

static bool add_result(struct auditing *a, const struct result *r)
{
	if (a->count == a->cap) {
		size_t cap = a->cap ? 2 * a->cap : 64;
		struct result *more = realloc(a->results, cap * sizeof(*more));

		if (!more)
			return false;
		a->results = more;
		a->cap = cap;
	}
	a->results[a->count++] = *r;
	return true;
}

/* --- connections ------------------------------------------------------------ */

static void begins(void *user, struct assembly_flow *f)
{
	struct auditing *a = user;
	struct conversation *c = conversation_new(f, a->o->profile);

	a->failed |= !c;
	f->user = c;
	f->ignored = !c;
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

static bool has_finding(const struct conversation *c, unsigned end)
{
	for (const struct finding *f = c->findings.first; f; f = f->next)
		if (f->end == end)
			return true;
	return false;
}

static void conclude(struct auditing *a, struct conversation *c)
{
	struct result r;

	a->failed |=
		c->findings.failed || c->from[0].failed || c->from[1].failed;
	c->number = ++a->streams;
	for (unsigned i = 0; i < 2; i++) {
		unsigned end = c->request ? i ^ c->initiator : i;
		bool found = has_finding(c, end);

		if (found ? a->count - a->clean >= FOUND_MOST
			  : a->clean >= CLEAN_MOST) {
			a->left_out++;
			a->broken |= found;
			continue;
		}
		if (!outcome_of(c, end, a->place, &r) || !add_result(a, &r))
			a->failed = true;
		else
			a->clean += !found;
	}
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

static void note(struct auditing *a, const char *path, const char *what)
{
	size_t n = strlen(a->note);

	snprintf(a->note + n, sizeof(a->note) - n, "%s%.300s: %s",
		 n ? "; " : "", path, what);
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
			a->failed = true;
	}
	if (status == CAPTURE_BROKEN) {
		note(a, path, said);
		a->broken = true;
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
		note(a, path, line);
	}
	if (n->damaged) {
		snprintf(line, sizeof(line),
			 "%" PRIu64 " of %" PRIu64 " packets are fragments, or "
			 "damaged, or have a wrong checksum",
			 n->damaged, n->packets);
		note(a, path, line);
	}
	if (n->evicted) {
		snprintf(line, sizeof(line),
			 "%" PRIu64 " connections were followed no longer, as "
			 "%d others were open",
			 n->evicted, ASSEMBLY_FLOWS);
		note(a, path, line);
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
		a->failed = true;
	}
	assembly_free(s);
	capture_file_close(f);
	return true;
}

/* --- all of it -------------------------------------------------------------- */

static int status_of(const struct auditing *a)
{
	enum { FAILED = 1, SUITE = 4, PARTIAL = 5 };
	const struct run_result *r = a->out;

	if (r->totals[VERDICT_FAIL] ||
	    (a->o->strict && r->totals[VERDICT_WARN]))
		return FAILED;
	if (a->failed)
		return SUITE;
	return r->count == r->totals[VERDICT_SKIP] || a->broken ? PARTIAL : 0;
}

static int by_id(const void *x, const void *y)
{
	return strcmp(((const struct result *)x)->id,
		      ((const struct result *)y)->id);
}

static void comes_to(struct auditing *a)
{
	struct run_result *out = a->out;

	qsort(a->results, a->count, sizeof(*a->results), by_id);
	out->results = a->results;
	out->count = out->planned = a->count;
	for (size_t i = 0; i < a->count; i++)
		out->totals[a->results[i].verdict]++;
	if (a->left_out) {
		char line[128];

		snprintf(line, sizeof(line),
			 "%" PRIu64 " sides more were judged than are listed",
			 a->left_out);
		note(a, "audit", line);
	}
	if (!a->count && !*a->note)
		note(a, a->o->files[0], "no iWARP stream in it");
	out->note = a->note;
	clock_gettime(CLOCK_REALTIME, &out->finished);
	out->exit_status = status_of(a);
}

bool audit(const struct audit_options *o, struct run_result *out, char *why,
	   size_t cap)
{
	static struct auditing a;

	a = (struct auditing){.o = o, .out = out};
	*out = (struct run_result){
		.suite_name = "warpspec",
		.suite_version = WARPSPEC_VERSION,
		.suite_build = "",
		.device_name = o->count == 1 ? o->files[0] : "captures",
		.device_agent = "",
		.device_impl = "",
		.host_name = "",
		.host_release = "",
		.host_machine = "",
		.link = "capture",
		.link_note = "",
		.spec = o->spec,
		.jobs = 1,
		.strict = o->strict,
		.again = "",
		.journal = "",
	};
	clock_gettime(CLOCK_REALTIME, &out->started);
	uint64_t began = clock_now_ns();

	for (size_t i = 0; i < o->count; i++)
		if (!audit_file(&a, o->files[i], why, cap))
			return false;
	comes_to(&a);
	out->duration_ns = clock_now_ns() - began;
	return true;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/run/worker/worker.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <zlib.h>

#include "harness/link/capture.h"
#include "harness/text/digest.h"
#include "suite/catalogue/registry.h"
#include "suite/device/confined.h"
#include "suite/judge/verdict.h"
#include "suite/language/execution/testbed.h"
#include "suite/run/journal/record.h"

/* Octets: of large texts; of the values that a case meets. */
enum { WORKER_LARGE = 128 << 10, WORKER_MET = 24 << 10 };

/* "mpa/crc/name" as DIR/mpa.crc.name.pcapng */
static void capture_path(const char *dir, const char *id, char *path,
			 size_t cap)
{
	int n = snprintf(path, cap, "%s/", dir);

	for (; *id && (size_t)n + 8 < cap; id++)
		path[n++] = *id == '/' ? '.' : *id;
	snprintf(path + n, cap - (size_t)n, ".pcapng");
}

static bool is_failure(enum verdict v)
{
	return v == VERDICT_FAIL || v == VERDICT_WARN || v == VERDICT_ERROR;
}

/* The capture of the case that has just run, if wanted. */
static void keep_evidence(const struct worker_options *o, struct testbed *bed,
			  struct result *r)
{
	const struct evidence_bounds room = record_room(r);

	if (o->evidence == EVIDENCE_OF_ALL ||
	    (o->evidence == EVIDENCE_OF_FAILURES &&
	     (is_failure(r->verdict) || r->verdict == VERDICT_BLOCKED)))
		testbed_evidence(bed, &room, r);
}

/* Reserve room for so many octets; false: none is left. */
static bool take_room(struct capture_room *room, uint64_t octets)
{
	if (!room)
		return true;
	uint64_t left = room->octets;

	do
		if (octets > left) {
			room->left_out++;
			return false;
		}
	while (!atomic_compare_exchange_weak(&room->octets, &left,
					     left - octets));
	return true;
}

static const char *describe(struct testbed *bed, const struct result *r)
{
	const char *text = observe_format(
		bed->log, "case: %s\n%s\nrequirements:", r->id, r->title);

	for (size_t i = 0; i < r->requirement_count; i++)
		text = observe_format(bed->log, "%s %s", text,
				      r->requirements[i]);
	if (*r->role)
		text = observe_format(bed->log, "%s\nthe device is %s", text,
				      r->role);
	text = observe_format(bed->log, "%s\nverdict: %s%s%s", text,
			      verdict_name(r->verdict), *r->reason ? ", " : "",
			      r->reason);
	return *r->detail
		       ? observe_format(bed->log, "%s\n\n%s", text, r->detail)
		       : text;
}

/* As the run will report a listed failure. */
static struct result as_known(const struct worker_options *o,
			      const struct result *r)
{
	struct result told = *r;
	const char *reason =
		o->known ? deviations_reason(o->known, r, time(NULL)) : NULL;

	if (reason) {
		told.verdict = VERDICT_XFAIL;
		told.reason = reason;
	}
	return told;
}

static void add_to_digest(void *user, const void *octets, size_t n)
{
	digest_add(user, octets, n);
}

/* The capture has a name of its own, and a comment with the result of the case. */
static void save_capture(const struct worker_options *o,
			 const struct instance *in, struct testbed *bed,
			 struct capture *c, struct record *r)
{
	static char path[1024], sum[DIGEST_HEX], why[CAPTURE_WHY];
	bool again = r->result.capture;

	if (!o->captures || capture_is_empty(c) || (r->note && *r->note))
		return;
	capture_path(o->captures, r->result.id, path, sizeof(path));
	r->result.capture = NULL;
	r->result.capture_sha256 = NULL;
	if ((o->captures_of_failures ||
	     !o->asked[in - registry()->instances]) &&
	    !is_failure(r->result.verdict)) {
		if (again)
			unlink(path);
		return;
	}
	observe_spare(bed->log);
	const struct result told = as_known(o, &r->result);
	const char *text = describe(bed, &told);
	struct digest *digest = digest_new();
	const struct capture_about about = {
		.application = "warpspec " WARPSPEC_VERSION,
		.link = bed->link->name,
		.comment = text,
		.first = observe_format(bed->log, "%s: %s", r->result.id,
					r->result.title),
		.last = observe_format(
			bed->log, "%s: %s%s%s", verdict_name(told.verdict),
			told.signature,
			*told.signature && *told.reason ? " " : "",
			told.reason),
		.written = digest ? add_to_digest : NULL,
		.user = digest,
	};

	bool has_room = again || take_room(o->room, capture_octets(c, &about));
	bool saved = has_room && capture_save(c, &about, path, why) == 0;

	/* Without memory for its checksum the report has none. */
	if (digest_finish(digest, sum) && saved)
		r->result.capture_sha256 = sum;
	if (saved)
		r->result.capture = path;
	else if (has_room)
		r->note = why;
}

/*
 * The effect of a case on the device may show only after its end. If the agent
 * is gone, only a failure that was seen before counts.
 */
static void outlive(struct testbed *bed, struct record *r)
{
	static char why[512];

	r->agent_lost = testbed_agent_lost(bed) ||
			!testbed_hear_agent(bed, why, sizeof(why));
	r->agent_silent =
		r->agent_lost && bed->agent && agent_was_silent(bed->agent);
	if (r->agent_lost && r->result.verdict != VERDICT_FAIL &&
	    r->result.verdict != VERDICT_ERROR) {
		verdict_unsay(&r->result);
		r->result.verdict = VERDICT_ERROR;
		r->result.reason = why[0] ? why : "the agent is gone";
		r->cause = CAUSE_DEVICE;
	}
	r->link_down = bed->link->down;
	if (!r->link_down)
		return;
	r->cause = CAUSE_DEVICE;
	/* What did not come, could not come. */
	if (r->result.unseen) {
		verdict_unsay(&r->result);
		r->result.verdict = VERDICT_ERROR;
		r->result.reason = bed->link->why;
	}
}

static void run_one(const struct worker_options *o, struct testbed *bed,
		    const struct instance *in, struct record *r)
{
	static char why[512], met[WORKER_MET];

	*r = (struct record){.note = ""};
	if (testbed_agent_lost(bed) &&
	    !testbed_reach_agent(bed, why, sizeof(why))) {
		*r = record_unjudged(in, VERDICT_ERROR, CAUSE_DEVICE, why);
		r->unstarted = true;
		return;
	}
	/* Leftovers of the previous case do not belong to this one. */
	link_serve(bed->link);
	capture_restart(bed->link->capture);
	testbed_run(bed, in, &r->result, &r->cause);
	r->limited = bed->limited;
	r->lost = bed->lost;
	r->interrupted = bed->interrupted;
	r->unseen = r->result.unseen;
	r->unconnected = bed->unconnected;
	dimensions_format(&bed->met, met, sizeof(met));
	r->met = met;
	outlive(bed, r);
	link_serve(bed->link);
	keep_evidence(o, bed, &r->result);
	save_capture(o, in, bed, bed->link->capture, r);
}

/* The known-answer exchange: the case that tries it in this role. */
static const struct instance *twin_of(const struct testbed *bed,
				      const struct instance *in)
{
	const struct registry *r = registry();
	const struct footing *at =
		bed->ground ? &bed->ground->at[in->role][FOUNDATION_ANSWER]
			    : NULL;

	if (!at || !at->told_by || at->fallen || in->desc->founds)
		return NULL;
	for (size_t i = 0; i < r->count; i++)
		if (strcmp(r->instances[i].id, at->told_by) == 0)
			return &r->instances[i];
	return NULL;
}

/*
 * Something may be missing for another reason than the case's stimulus. It
 * counts only if a plain exchange still works on this device in this role. If
 * that fails as well, the case is BLOCKED.
 */
static char *line_of(const struct worker_options *o, struct testbed *bed,
		     const struct instance *in, struct record *r)
{
	struct capture *capture = bed->link->capture;
	const struct instance *twin;
	char *line = record_line(r);
	struct result result;
	enum error_cause cause;

	if (!line || !r->result.unseen || r->agent_lost || r->link_down ||
	    (r->result.verdict != VERDICT_FAIL &&
	     r->result.verdict != VERDICT_WARN) ||
	    !(twin = twin_of(bed, in)))
		return line;
	const char *saved = r->result.capture, *sum = r->result.capture_sha256;
	const char *note = r->note, *met = r->met;
	uint64_t lost = r->lost;
	bool interrupted = r->interrupted;
	struct record before;

	bed->link->capture = NULL;
	testbed_run(bed, twin, &result, &cause);
	link_serve(bed->link);
	bed->link->capture = capture;
	if (!record_fell(&result) || testbed_agent_lost(bed))
		return line;
	/* The line has what was seen: the log now belongs to the other case. */
	bool has_line = record_parse(&before, line, strlen(line));

	free(line);
	*r = record_unjudged(in, VERDICT_BLOCKED, CAUSE_NONE,
			     "the case failed, but a plain exchange without "
			     "the case's own stimulus fails now, too");
	r->result.blocked_by = twin->id;
	r->unanswered = true;
	r->lost = lost + bed->lost;
	r->interrupted = interrupted || bed->interrupted;
	r->unconnected = bed->unconnected;
	r->unseen = true;
	r->result.capture = saved;
	r->result.capture_sha256 = sum;
	r->note = note;
	r->met = met;
	save_capture(o, in, bed, capture, r);
	if (has_line) {
		r->result.events = before.result.events;
		r->result.event_count = before.result.event_count;
		r->result.lines = before.result.lines;
		r->result.line_count = before.result.line_count;
		r->result.memory = before.result.memory;
		r->result.memory_count = before.result.memory_count;
	}
	line = record_line(r);
	if (has_line)
		record_release(&before);
	return line;
}

/*
 * Return the memory of a large case after it, even if it is not at the end of
 * the heap: otherwise each case would add to the need of the next.
 */
static void keep_small(void)
{
	mallopt(M_MMAP_THRESHOLD, WORKER_LARGE);
}

/* Without memory for a line the answer says so. */
static bool send_answer(int fd, uint32_t index, const char *line)
{
	size_t n = line ? strlen(line) : 0;

	if (n > RECORD_MAX)
		n = 0;
	struct worker_answer head = {
		.index = index,
		.octets = (uint32_t)n,
		.crc = (uint32_t)crc32(0, (const Bytef *)line, (uInt)n),
	};
	struct iovec part[] = {{&head, sizeof(head)}, {(void *)line, n}};
	struct msghdr m = {.msg_iov = part, .msg_iovlen = n ? 2 : 1};

	ssize_t sent;

	do
		sent = sendmsg(fd, &m, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	if (sent < 0 && errno != EPIPE && errno != ECONNRESET)
		fprintf(stderr, "warpspec: worker: its answer: %s\n",
			strerror(errno));
	return sent == (ssize_t)(sizeof(head) + n);
}

/* The index of the next case. False: there is none. */
static bool receive_index(int fd, uint32_t *index)
{
	ssize_t n;

	do
		n = recv(fd, index, sizeof(*index), 0);
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno != ECONNRESET)
		fprintf(stderr, "warpspec: worker: its next case: %s\n",
			strerror(errno));
	return n == sizeof(*index);
}

void worker_serve(const struct worker_options *o, int fd)
{
	struct testbed bed;
	char why[512];
	uint32_t index;

	keep_small();
	if (!testbed_open(&bed, o->device, o->link, o->profile,
			  o->timeout_scale, why, sizeof(why))) {
		fprintf(stderr, "warpspec: worker: %s\n", why);
		return;
	}
	bed.wait_ns = o->wait_ns;
	bed.exchange_ns = o->exchange_ns;
	bed.segmentation = o->segmentation;
	bed.second = o->second;
	bed.readings = o->readings;
	bed.habits = o->habits;
	bed.ulp = o->ulp;
	bed.hello = o->hello;
	bed.peer = o->peer;
	bed.ground = o->ground;
	bed.waiting = o->waiting;
	bed.bell = o->bell;
	bed.patience = o->patience;
	if (o->evidence != EVIDENCE_OF_NONE)
		testbed_trace(&bed);
	if (o->captures)
		bed.link->capture = capture_open(CAPTURE_LIMIT);
	confined_to(o->device, bed.link->name, o->captures);
	while (receive_index(fd, &index)) {
		struct record r;

		if (index == WORKER_ANEW) {
			testbed_leave_agent(&bed);
			continue;
		}
		run_one(o, &bed, &registry()->instances[index], &r);
		char *line =
			line_of(o, &bed, &registry()->instances[index], &r);
		bool sent = send_answer(fd, index, line);

		free(line);
		if (!sent)
			break;
	}
	capture_close(bed.link->capture);
	bed.link->capture = NULL;
	testbed_close(&bed);
}

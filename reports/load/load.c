/* SPDX-License-Identifier: BSD-2-Clause */
#include "reports/load/load.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/text/json_memory.h"
#include "reports/load/json_reader.h"
#include "reports/load/load_case.h"
#include "reports/load/load_dimensions.h"
#include "suite/judge/evidence.h"

/* A report of all cases, each with all its evidence, is a tenth of that. */
#define OCTETS_MOST ((size_t)256 << 20)
#define VALUES_MOST ((size_t)8 << 20)
#define DEPTH_MOST  12

struct loaded {
	struct run_result run; /* first: this part is public */
	json_t *root;
	struct reader_block *blocks;
	void **evidence; /* the memory of each case */
};

/* --- the file ---------------------------------------------------------------- */

static char *objects_to_file(const char *path, const char *what, char *why,
			     size_t cap)
{
	snprintf(why, cap, "%s: %s", path, what);
	return NULL;
}

/* All of it, for the caller to free(). */
static char *read_whole(int fd, const char *path, size_t size, size_t *n,
			char *why, size_t cap)
{
	char *octets = malloc(size + 1);

	if (!octets)
		return objects_to_file(path, strerror(ENOMEM), why, cap);
	for (*n = 0; *n < size;) {
		ssize_t got = read(fd, octets + *n, size - *n);

		if (got == 0)
			break;
		if (got > 0) {
			*n += (size_t)got;
		} else if (errno != EINTR) {
			objects_to_file(path, strerror(errno), why, cap);
			free(octets);
			return NULL;
		}
	}
	return octets;
}

static char *read_file(const char *path, size_t *n, char *why, size_t cap)
{
	/* A FIFO without a writer would block. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	char *octets = NULL;

	if (fd < 0 || fstat(fd, &st) < 0)
		objects_to_file(path, strerror(errno), why, cap);
	else if (!S_ISREG(st.st_mode))
		objects_to_file(path, "not a regular file", why, cap);
	else if ((uintmax_t)st.st_size > OCTETS_MOST)
		objects_to_file(
			path, "larger than 256 MiB: no report of this suite is",
			why, cap);
	else
		octets = read_whole(fd, path, (size_t)st.st_size, n, why, cap);
	if (fd >= 0)
		close(fd);
	return octets;
}

/* --- as JSON ----------------------------------------------------------------- */

/* Before anything is built: how deep it is, and of how many values. */
static bool is_bounded(struct reader *r, const char *octets, size_t n)
{
	size_t depth = 0, values = 0;
	bool quoted = false;

	for (size_t i = 0; i < n; i++) {
		char c = octets[i];

		if (c == '"')
			quoted = !quoted;
		else if (quoted)
			i += c == '\\';
		else if (c == '[' || c == '{')
			depth++, values++;
		else if (c == ']' || c == '}')
			depth -= depth > 0;
		else
			values += c == ',';
		if (depth > DEPTH_MOST) {
			reader_objects(r,
				       "octet %zu: nested deeper than a report "
				       "is",
				       i + 1);
			return false;
		}
	}
	if (values > VALUES_MOST)
		reader_objects(
			r, "%zu values: no report of this suite has so many",
			values);
	return !r->failed;
}

static json_t *parse(struct reader *r, const char *octets, size_t n)
{
	json_error_t error;
	json_t *root;

	if (!is_bounded(r, octets, n))
		return NULL;
	root = json_memory_load(octets, n, JSON_REJECT_DUPLICATES, &error);
	if (!root && errno == ENOMEM)
		reader_objects(r, "out of memory");
	else if (!root)
		reader_objects(r, "line %d: %s", error.line, error.text);
	return root;
}

/* --- as a run ---------------------------------------------------------------- */

#define RUN_KEYS                                                               \
	"schema suite device claims host shard jobs selectors rerun again "    \
	"strict "                                                              \
	"exit_status note link link_note spec seed started finished "          \
	"duration_ms from_journal planned totals not_applicable readings "     \
	"cases dimensions cases_without_dimensions findings stale "            \
	"known_findings statement"

static bool check_schema(struct reader *r, const json_t *root)
{
	const json_t *schema = json_object_get(root, "schema");

	if (!json_is_object(root) || !json_is_integer(schema))
		reader_objects(
			r, "not a report of a run: it has no schema number");
	else if (json_integer_value(schema) != REPORT_SCHEMA)
		reader_objects(
			r,
			"a report of schema %lld; this program reads %d: "
			"use the version that wrote it",
			(long long)json_integer_value(schema), REPORT_SCHEMA);
	return !r->failed;
}

/* An object in the root; NULL if there is none. */
static const json_t *object_at(struct reader *r, const json_t *root,
			       const char *key, const char *keys, bool due)
{
	const json_t *object = reader_member(r, root, key, due);
	size_t mark = reader_enter(r, key, SIZE_MAX);
	bool ok = object && (!keys || reader_is_object(r, object, keys));

	if (object && !json_is_object(object))
		reader_objects(r, "expected an object");
	reader_leave(r, mark);
	return ok && !r->failed ? object : NULL;
}

static void load_suite(struct reader *r, const json_t *root,
		       struct run_result *run)
{
	const json_t *suite =
		object_at(r, root, "suite", "name version build held_to", true);
	const json_t *held = !suite ? NULL
				    : object_at(r, suite, "held_to",
						"mutants variants", false);

	run->suite_name = reader_line(r, suite, "name", true);
	run->suite_version = reader_line(r, suite, "version", true);
	run->suite_build = reader_line(r, suite, "build", false);
	if (!held)
		return;
	run->mutants = reader_number(r, held, "mutants", 1u << 30, true);
	run->variants = reader_number(r, held, "variants", 1u << 30, true);
}

static bool is_name(const char *key)
{
	return *key &&
	       !key[strspn(key, "abcdefghijklmnopqrstuvwxyz0123456789-_")];
}

/* Other data about the device is a name and a value. */
static void load_device(struct reader *r, const json_t *root,
			struct run_result *run)
{
	const json_t *device = object_at(r, root, "device", NULL, true);
	size_t n = json_object_size(device);
	struct result_identity *identity =
		reader_alloc(r, n, sizeof(*identity));
	const char *key;
	json_t *value;

	run->device_name = reader_text(r, device, "name", true);
	run->device_agent = reader_text(r, device, "agent", true);
	run->device_impl = reader_text(r, device, "impl", true);
	run->identity = identity;
	json_object_foreach((json_t *)device, key, value)
	{
		if (r->failed)
			return;
		if (strcmp(key, "name") == 0 || strcmp(key, "agent") == 0 ||
		    strcmp(key, "impl") == 0)
			continue;
		if (!is_name(key))
			reader_objects(r, "device: no such key: %.60s", key);
		identity[run->identity_count++] = (struct result_identity){
			key, reader_text(r, device, key, true)};
	}
}

static void load_claims(struct reader *r, const json_t *root,
			struct run_result *run)
{
	const json_t *object = object_at(r, root, "claims", NULL, false);
	struct result_claim *claims =
		reader_alloc(r, json_object_size(object), sizeof(*claims));
	const char *key;
	json_t *value;

	run->claims = claims;
	json_object_foreach((json_t *)object, key, value)
	{
		if (!is_name(key))
			reader_objects(r, "claims: no such key: %.60s", key);
		if (r->failed)
			return;
		claims[run->claim_count++] = (struct result_claim){
			key, json_is_true(value)
				     ? ""
				     : reader_line(r, object, key, true)};
	}
}

static void load_host(struct reader *r, const json_t *root,
		      struct run_result *run)
{
	const json_t *host =
		object_at(r, root, "host", "name release machine", false);

	run->host_name = host ? reader_text(r, host, "name", true) : "";
	run->host_release = host ? reader_text(r, host, "release", true) : "";
	run->host_machine = host ? reader_text(r, host, "machine", true) : "";
}

static void load_statement(struct reader *r, const json_t *root,
			   struct run_result *run)
{
	const json_t *object =
		object_at(r, root, "statement", "path sha256 notes", false);
	struct result_statement *s = reader_alloc(r, 1, sizeof(*s));

	if (!object || !s)
		return;
	s->path = reader_text(r, object, "path", true);
	s->sha256 = reader_line(r, object, "sha256", true);
	s->notes = reader_text(r, object, "notes", false);
	run->statement = s;
}

static void load_shard(struct reader *r, const json_t *root,
		       struct run_result *run)
{
	const json_t *shard = object_at(r, root, "shard", "index count", false);
	uint64_t index, count;

	if (!shard)
		return;
	index = reader_number(r, shard, "index", 100000, true);
	count = reader_number(r, shard, "count", 100000, true);
	if (index < 1 || index > count)
		reader_objects(r, "shard: part %llu of %llu is missing",
			       (unsigned long long)index,
			       (unsigned long long)count);
	if (count <= 1)
		return;
	run->shard = (unsigned)index;
	run->shards = (unsigned)count;
}

/* As report_time() writes it. */
static void load_time(struct reader *r, const json_t *root, const char *key,
		      struct timespec *out)
{
	const char *text = reader_text(r, root, key, true);
	struct tm tm = {0};
	const char *end = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
	uint64_t ms;

	if (end && *end == '.' && strlen(end) == 5 && end[4] == 'Z' &&
	    reader_digits(end + 1, 3, &ms) && strlen(text) == 24) {
		out->tv_sec = timegm(&tm);
		out->tv_nsec = (long)ms * 1000000;
		return;
	}
	reader_objects(r, "%s: expected a time, as 2026-11-21T02:31:19.042Z",
		       key);
}

/* In ns; nothing if the clock was set meanwhile. */
static uint64_t between(const struct timespec *from, const struct timespec *to)
{
	int64_t seconds = (int64_t)to->tv_sec - (int64_t)from->tv_sec, ns;

	if (seconds < 0 || seconds > 1000000000)
		return 0;
	ns = seconds * 1000000000 + to->tv_nsec - from->tv_nsec;
	return ns < 0 ? 0 : (uint64_t)ns;
}

static void load_head(struct reader *r, const json_t *root,
		      struct run_result *run)
{
	const json_t *journal =
		object_at(r, root, "from_journal", "path verdicts", false);

	load_suite(r, root, run);
	load_device(r, root, run);
	load_claims(r, root, run);
	load_host(r, root, run);
	load_statement(r, root, run);
	load_shard(r, root, run);
	run->jobs = (unsigned)reader_number(r, root, "jobs", 100000, false);
	run->selectors = (char *const *)reader_texts(
		r, root, "selectors", false, &run->selector_count);
	if (reader_member(r, root, "rerun", false))
		run->rerun = reader_text(r, root, "rerun", true);
	if (reader_member(r, root, "again", false))
		run->again = reader_line(r, root, "again", true);
	run->strict = reader_flag(r, root, "strict");
	run->exit_status = (int)reader_number(r, root, "exit_status", 5, false);
	run->note = reader_text(r, root, "note", false);
	run->link = reader_line(r, root, "link", true);
	run->link_note = reader_text(r, root, "link_note", false);
	run->spec = reader_line(r, root, "spec", true);
	run->seed = reader_number(r, root, "seed", UINT64_MAX, true);
	load_time(r, root, "started", &run->started);
	load_time(r, root, "finished", &run->finished);
	run->duration_ns = reader_member(r, root, "duration_ms", false)
				   ? reader_ms(r, root, "duration_ms", true)
				   : between(&run->started, &run->finished);
	run->journal = "";
	if (!journal)
		return;
	run->journal = reader_text(r, journal, "path", true);
	run->from_journal =
		reader_number(r, journal, "verdicts", SIZE_MAX, true);
}

static void load_cases(struct reader *r, const json_t *root, struct loaded *l)
{
	struct run_result *run = &l->run;
	const json_t *list = reader_list(r, root, "cases", true, &run->count);
	struct result *cases = reader_alloc(r, run->count, sizeof(*cases));

	l->evidence = reader_alloc(r, run->count, sizeof(*l->evidence));
	run->results = cases;
	for (size_t i = 0; !r->failed && i < run->count; i++) {
		size_t mark = reader_enter(r, "cases", i);

		load_case(r, json_array_get(list, i), &cases[i],
			  &l->evidence[i]);
		if (!r->failed && i &&
		    strcmp(cases[i - 1].id, cases[i].id) >= 0)
			reader_objects(r,
				       "%.80s: twice, or not in the order of "
				       "ids",
				       cases[i].id);
		run->totals[cases[i].verdict]++;
		reader_leave(r, mark);
	}
	run->planned = run->count;
	if (reader_member(r, root, "planned", false))
		run->planned =
			reader_number(r, root, "planned", SIZE_MAX, true);
}

static void check_totals(struct reader *r, const json_t *root,
			 const struct run_result *run)
{
	const json_t *totals =
		object_at(r, root, "totals",
			  "pass fail warn info skip xfail error blocked", true);

	for (int v = 0; totals && v < VERDICT_COUNT; v++) {
		const char *name = verdict_name((enum verdict)v);
		uint64_t told = reader_number(r, totals, name, SIZE_MAX, true);

		if (!r->failed && told != run->totals[v])
			reader_objects(r,
				       "totals: %s: %llu, but it has %zu such "
				       "cases",
				       name, (unsigned long long)told,
				       run->totals[v]);
	}
}

static void load_reasons(struct reader *r, const json_t *root,
			 struct run_result *run)
{
	const json_t *list = reader_list(r, root, "not_applicable", false,
					 &run->reason_count);
	struct result_reason *reasons =
		reader_alloc(r, run->reason_count, sizeof(*reasons));

	run->reasons = reasons;
	for (size_t i = 0; !r->failed && i < run->reason_count; i++) {
		const json_t *one = json_array_get(list, i);
		size_t mark = reader_enter(r, "not_applicable", i);

		if (reader_is_object(r, one, "reason cases"))
			reasons[i] = (struct result_reason){
				reader_line(r, one, "reason", true),
				reader_number(r, one, "cases", SIZE_MAX, true)};
		reader_leave(r, mark);
	}
}

static void load_readings(struct reader *r, const json_t *root,
			  struct run_result *run)
{
	const json_t *list =
		reader_list(r, root, "readings", false, &run->reading_count);
	struct result_reading *readings =
		reader_alloc(r, run->reading_count, sizeof(*readings));

	run->readings = readings;
	for (size_t i = 0; !r->failed && i < run->reading_count; i++) {
		const json_t *one = json_array_get(list, i);
		size_t mark = reader_enter(r, "readings", i);

		if (reader_is_object(r, one, "name fields section note"))
			readings[i] = (struct result_reading){
				reader_line(r, one, "name", true),
				reader_line(r, one, "fields", true),
				reader_line(r, one, "section", true),
				reader_text(r, one, "note", true)};
		reader_leave(r, mark);
	}
}

static void load_stale(struct reader *r, const json_t *root,
		       struct run_result *run)
{
	const json_t *list =
		reader_list(r, root, "stale", false, &run->stale_count);
	struct result_stale *stale =
		reader_alloc(r, run->stale_count, sizeof(*stale));

	run->stale = stale;
	for (size_t i = 0; !r->failed && i < run->stale_count; i++) {
		const json_t *one = json_array_get(list, i);
		size_t mark = reader_enter(r, "stale", i);

		if (reader_is_object(r, one, "entry case text"))
			stale[i] = (struct result_stale){
				reader_text(r, one, "entry", true),
				reader_text(r, one, "case", true),
				reader_line(r, one, "text", true)};
		reader_leave(r, mark);
	}
}

static void load_run(struct reader *r, const json_t *root, struct loaded *l)
{
	struct run_result *run = &l->run;

	if (!check_schema(r, root) || !reader_is_object(r, root, RUN_KEYS))
		return;
	load_head(r, root, run);
	load_cases(r, root, l);
	check_totals(r, root, run);
	load_reasons(r, root, run);
	load_readings(r, root, run);
	load_stale(r, root, run);
	load_dimensions(r, root, run);
	run->findings =
		reader_texts(r, root, "findings", false, &run->finding_count);
	run->known = reader_texts(r, root, "known_findings", false,
				  &run->known_count);
}

const struct run_result *report_load_octets(const char *octets, size_t n,
					    const char *name, char *why,
					    size_t cap)
{
	struct reader r = {.name = name, .why = why, .cap = cap};
	struct loaded *loaded = calloc(1, sizeof(*loaded));

	if (!loaded) {
		reader_objects(&r, "out of memory");
		return NULL;
	}
	loaded->root = parse(&r, octets, n);
	if (loaded->root)
		load_run(&r, loaded->root, loaded);
	loaded->blocks = r.blocks;
	if (!r.failed)
		return &loaded->run;
	report_unload(&loaded->run);
	return NULL;
}

const struct run_result *report_load(const char *path, char *why, size_t cap)
{
	size_t n;
	char *octets = read_file(path, &n, why, cap);
	struct run_result *run =
		octets ? (struct run_result *)report_load_octets(octets, n,
								 path, why, cap)
		       : NULL;

	if (run)
		run->written = path;
	free(octets);
	return run;
}

void report_unload(const struct run_result *run)
{
	struct loaded *loaded = (struct loaded *)run;

	if (!loaded)
		return;
	for (size_t i = 0; loaded->evidence && i < loaded->run.count; i++)
		evidence_release(loaded->evidence[i]);
	json_decref(loaded->root);
	reader_free(loaded->blocks);
	free(loaded);
}

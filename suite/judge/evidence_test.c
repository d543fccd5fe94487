/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/judge/evidence.h"

#include "harness/unit.h"
#include "reports/sample.h"

static const struct result *told(void)
{
	for (size_t i = 0; i < nasty.count; i++)
		if (evidence_is_there(&nasty.results[i]))
			return &nasty.results[i];
	CU_FAIL_FATAL("the sample has no evidence");
	return NULL;
}

static void same_octets(const uint8_t *a, const uint8_t *b, size_t n)
{
	CU_ASSERT_EQUAL(!a, !b);
	if (a && b)
		CU_ASSERT_EQUAL(memcmp(a, b, n), 0);
}

static void comes_back(void)
{
	const struct result *r = told();
	json_t *o = evidence_json(r), *again;
	struct result back = {0};
	void *owned = NULL;
	const char *why = "";

	CU_ASSERT_PTR_NOT_NULL_FATAL(o);
	CU_ASSERT_FATAL(evidence_parse(&back, o, &owned, &why));
	CU_ASSERT_EQUAL_FATAL(back.event_count, r->event_count);
	CU_ASSERT_EQUAL_FATAL(back.line_count, r->line_count);
	CU_ASSERT_EQUAL_FATAL(back.memory_count, r->memory_count);
	for (size_t i = 0; i < r->event_count; i++) {
		const struct result_event *a = &r->events[i];
		const struct result_event *b = &back.events[i];

		CU_ASSERT_EQUAL(a->kind, b->kind);
		CU_ASSERT_EQUAL(a->from_device, b->from_device);
		CU_ASSERT_EQUAL(a->stream, b->stream);
		CU_ASSERT_EQUAL(a->at_ns, b->at_ns);
		CU_ASSERT_EQUAL(a->n, b->n);
		CU_ASSERT_EQUAL_FATAL(a->kept, b->kept);
		same_octets(a->octets, b->octets, a->kept);
		CU_ASSERT_EQUAL_FATAL(a->mark_count, b->mark_count);
		CU_ASSERT_EQUAL_FATAL(a->marker_count, b->marker_count);
		CU_ASSERT_EQUAL(a->crc_off, b->crc_off);
		CU_ASSERT_EQUAL(a->ppid, b->ppid);
	}
	CU_ASSERT_EQUAL(back.events[4].marks[1].octets, 4);
	CU_ASSERT_EQUAL(back.events[5].markers[1], 532);
	CU_ASSERT_EQUAL(back.lines[0].event, r->lines[0].event);
	CU_ASSERT_EQUAL(back.lines[2].event, 0);
	CU_ASSERT(back.lines[3].consequence);
	CU_ASSERT_EQUAL(back.memory[0].octets, 4);
	CU_ASSERT_PTR_NULL(back.memory[0].due);
	same_octets(back.memory[0].after, r->memory[0].after, 4);
	again = evidence_json(&back);
	CU_ASSERT(json_equal(o, again));
	json_decref(again);
	evidence_release(owned);
	json_decref(o);
}

/* Set a key of the first element of a list to another value. */
static void is_refused(const char *list, const char *key, json_t *value,
		       const char *about)
{
	json_t *o = evidence_json(told());
	struct result back = {0};
	void *owned = NULL;
	const char *why = "";

	json_object_set_new(json_array_get(json_object_get(o, list), 0), key,
			    value);
	CU_ASSERT_FALSE(evidence_parse(&back, o, &owned, &why));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, about));
	CU_ASSERT_EQUAL(back.event_count, 0);
	json_decref(o);
}

static void hostile_evidence_is_refused(void)
{
	struct result back = {0};
	void *owned = NULL;
	const char *why = "";
	json_t *empty = json_object();

	CU_ASSERT_FALSE(evidence_parse(&back, empty, &owned, &why));
	CU_ASSERT_FALSE(evidence_parse(&back, NULL, &owned, &why));
	json_decref(empty);
	is_refused("events", "kind", json_string("frames"), "kind");
	is_refused("events", "kind", json_integer(1), "text");
	is_refused("events", "octets", json_string("abc"), "hex");
	is_refused("events", "octets", json_string("zz"), "hex");
	is_refused("events", "octets", json_integer(3), "hex");
	is_refused("events", "of", json_integer(3), "octets");
	is_refused("events", "at_ns", json_integer(-1), "range");
	is_refused("events", "stream", json_string("1"), "range");
	is_refused("events", "markers", json_pack("[i]", 22), "marker");
	is_refused("events", "markers", json_pack("[i, i]", 8, 8), "marker");
	is_refused("events", "marks",
		   json_pack("[{s:i, s:i, s:i}]", "from", 20, "octets", 3,
			     "line", 0),
		   "mark");
	is_refused("events", "marks",
		   json_pack("[{s:i, s:i, s:i}]", "from", 20, "octets", 1,
			     "line", 4),
		   "mark");
	is_refused("events", "marks", json_pack("[{}]"), "mark");
	is_refused("lines", "event", json_integer(8), "event");
	is_refused("lines", "text", json_null(), "text");
	is_refused("memory", "due", json_string("00"), "lengths");
	is_refused("memory", "line", json_integer(4), "line");
}

/* The same for the whole list. */
static void is_no_list(const char *list, json_t *value, const char *about)
{
	json_t *o = evidence_json(told());
	struct result back = {0};
	void *owned = NULL;
	const char *why = "";

	json_object_set_new(o, list, value);
	CU_ASSERT_FALSE(evidence_parse(&back, o, &owned, &why));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, about));
	json_decref(o);
}

static void lists_are_lists(void)
{
	json_t *o = evidence_json(told());
	struct result back = {0};
	void *owned = NULL;
	const char *why = "";

	is_no_list("events", json_null(), "missing");
	is_no_list("lines", json_null(), "missing");
	is_no_list("memory", json_null(), "missing");
	json_object_del(o, "lines");
	CU_ASSERT_FALSE(evidence_parse(&back, o, &owned, &why));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "missing"));
	json_decref(o);
	is_no_list("events", json_pack("[{}]"), "text");
	/* Lines refer to events, and the events are not there. */
	is_no_list("events", json_array(), "event");
}

static void numbers_have_a_range(void)
{
	is_refused("events", "stream", json_integer(INT64_C(1) << 32), "range");
	is_refused("events", "ppid", json_integer(INT64_C(1) << 32), "range");
	is_refused("events", "octets", json_string("0g"), "hex");
	is_refused("events", "octets", json_string("0 "), "hex");
	is_refused("events", "octets", json_string("A0"), "hex");
	is_refused("events", "markers", json_pack("[s]", "8"), "marker");
	is_refused("events", "markers", json_pack("[i]", -1), "marker");
	is_refused("events", "marks",
		   json_pack("[{s:i, s:i, s:i}]", "from", 23, "octets", 0,
			     "line", 0),
		   "range");
}

/* An FPDU of more octets than a marker can stand at. */
static void a_marker_stands_in_the_first_octets(void)
{
	static const struct result_event event = {
		.kind = EVENT_OCTETS, .text = "", .n = 80000};
	const struct result r = {.events = &event, .event_count = 1};
	struct result back = {0};
	void *owned = NULL;
	const char *why = "";
	json_t *o = evidence_json(&r);
	json_t *e = json_array_get(json_object_get(o, "events"), 0);

	json_object_set_new(e, "of", json_integer(80000));
	json_object_set_new(e, "markers", json_pack("[i]", 65535));
	CU_ASSERT_FATAL(evidence_parse(&back, o, &owned, &why));
	CU_ASSERT_EQUAL(back.events[0].n, 80000);
	CU_ASSERT_EQUAL(back.events[0].markers[0], 65535);
	evidence_release(owned);
	json_object_set_new(e, "markers", json_pack("[i]", 65536));
	CU_ASSERT_FALSE(evidence_parse(&back, o, &owned, &why));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "marker"));
	json_decref(o);
}

/* Memory of which only the expected octets are known. */
static void a_part_is_evidence(void)
{
	static const uint8_t due[] = {1, 2};
	static const struct result_line line = {
		.requirement = "MPA-8-02", .level = "SHOULD", .text = ""};
	static const struct result_memory memory = {
		.region = "r", .due = due, .octets = sizeof(due)};
	const struct result only_line = {.lines = &line, .line_count = 1};
	const struct result both = {.lines = &line,
				    .line_count = 1,
				    .memory = &memory,
				    .memory_count = 1};
	struct result back = {0};
	void *owned = NULL;
	const char *why = "";
	json_t *o = evidence_json(&both);

	CU_ASSERT_FALSE(evidence_is_there(&(const struct result){0}));
	CU_ASSERT(evidence_is_there(&only_line));
	CU_ASSERT(evidence_is_there(&(const struct result){.memory_count = 1}));
	CU_ASSERT_FATAL(evidence_parse(&back, o, &owned, &why));
	CU_ASSERT_PTR_NULL(back.memory[0].before);
	CU_ASSERT_PTR_NULL(back.memory[0].after);
	CU_ASSERT_EQUAL(back.memory[0].octets, 2);
	same_octets(back.memory[0].due, due, sizeof(due));
	evidence_release(owned);
	json_decref(o);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"what is written is read back", comes_back},
		{"hostile evidence is refused", hostile_evidence_is_refused},
		{"lists are lists", lists_are_lists},
		{"numbers have a range", numbers_have_a_range},
		{"a marker stands in the first octets",
		 a_marker_stands_in_the_first_octets},
		{"a part is evidence", a_part_is_evidence},
	};

	return unit_run("evidence", tests, UNIT_COUNT(tests));
}

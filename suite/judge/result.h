/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The results of a run, as plain data: everything that reports/ sees of the
 * suite. Strings are UTF-8, never NULL unless stated otherwise, and owned by
 * the run. Text from the device is already escaped to printable ASCII in
 * `detail`.
 */
#ifndef SUITE_JUDGE_RESULT_H
#define SUITE_JUDGE_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum verdict {
	VERDICT_PASS,
	VERDICT_FAIL,    /* a MUST broken */
	VERDICT_WARN,    /* a SHOULD not followed */
	VERDICT_INFO,    /* the device's choice, where it has one */
	VERDICT_SKIP,    /* not applicable; the reason says why */
	VERDICT_XFAIL,   /* a known deviation */
	VERDICT_ERROR,   /* the suite could not judge it */
	VERDICT_BLOCKED, /* a case that it depends on failed */
	VERDICT_COUNT,
};

enum teardown {                /* how the device ended the stream */
		TEARDOWN_NONE, /* no stream was opened */
		TEARDOWN_OPEN, /* still open when the case ended */
		TEARDOWN_TERMINATE_FIN,
		TEARDOWN_TERMINATE_RST,
		TEARDOWN_TERMINATE_OPEN,
		TEARDOWN_FIN,
		TEARDOWN_RST,
		TEARDOWN_COUNT,
};

/* The signature of a case that brought the device down. */
#define RESULT_CRASHED "device-crashed"

/* The reason of a deviation that is not explained yet. */
#define RESULT_UNEXPLAINED "not yet explained"

/* A requirement that a case found broken. */
struct result_broken {
	const char *requirement, *level; /* "MPA-4.4-14", "MUST" */
	const char *section;             /* "RFC 5044 s4.4" */
	const char *statement;           /* what has to hold */
	const char *text;                /* lines: the due and the seen value */
	const char *known; /* the reason of a deviation's entry, or "" */
	bool by_model;     /* found by the golden model, not by a line */
};

/*
 * The evidence of a case: with it, a reader can follow the events. The suite
 * keeps it if it is requested. Its size is bounded, and no verdict depends on
 * it.
 */
enum result_event_kind {
	EVENT_STARTUP, /* a startup frame, or its equivalent */
	EVENT_FRAME,   /* an FPDU */
	EVENT_OCTETS,  /* octets that are not a frame */
	EVENT_FIN,
	EVENT_RESET,
	EVENT_AGENT, /* a line of the agent's protocol */
	EVENT_NOTE,
	EVENT_KIND_COUNT,
};

/* Octets of an event that a judgement objects to. */
struct result_mark {
	size_t from, octets;
	size_t line; /* of the case's lines, from 0 */
};

struct result_event {
	enum result_event_kind kind;
	bool from_device;      /* received from the device; for an agent's line:
			        * from the agent */
	unsigned stream;       /* number of the case's connection, from 0 */
	uint64_t at_ns;        /* since the case began */
	const char *text;      /* one line: its description, or its text */
	const uint8_t *octets; /* as on the wire: the first `kept` ones */
	size_t kept, n;        /* n: the number of all octets */
	/* The places of an FPDU's markers, and whether its CRC is in use:
	 * needed to decode it (RFC 5044 s4). */
	const unsigned short *markers; /* offsets, from low to high */
	size_t marker_count;
	bool crc_off;
	uint32_t ppid; /* for a chunk of SCTP; else 0 */
	const struct result_mark *marks;
	size_t mark_count;
};

/* The result of one expectation of the case, or of one objection of the
 * model. */
struct result_line {
	const char *requirement, *level;
	const char *text; /* expected and observed */
	bool ok, by_model;
	bool consequence; /* failed as a consequence: not blamed */
	size_t event;     /* one after the last event that it examined; 0:
			   * none */
};

/* Octets of a region of the device that a case compared. */
struct result_memory {
	const char *region;                  /* "region 1, STag 0x00000100" */
	uint64_t offset;                     /* of the first octet kept */
	const uint8_t *before, *due, *after; /* NULL: not known */
	size_t octets;                       /* the number of each */
	size_t line; /* number of the line that compared them, from 0 */
};

enum { RESULT_SHA256 = 64 }; /* digits */

/* The points of the axes that a case had met when it judged a requirement: its
 * stimuli, and the device's frames. */
struct result_axes {
	const char *requirement;
	const char *points; /* "role:responder peer-opcode:send,write"; read by
			     * suite/dimension/axes.h */
};

struct result {
	const char *id; /* mpa/crc/wrong_crc_is_never_delivered */
	const char *title;
	enum verdict verdict;
	enum teardown teardown;
	const char *
		level; /* strongest judged: "MUST", "SHOULD", "MAY", "OPEN", "" */
	const char *const *requirements; /* ids, in the order of first use */
	size_t requirement_count;
	const char *role; /* of the device: "responder", "initiator" or "" */
	uint64_t duration_ns;
	const char *signature; /* ids of the requirements broken, "" = none */
	struct result_broken
		*broken; /* in the order found; an id at most twice, by the case
			  * and by the model */
	size_t broken_count;
	const char *consequences; /* likewise for lines that failed as a
				   * consequence of those; NULL or "": none */
	const char *detail;       /* lines with what was seen and due, or with a
			      * choice of the device; or "" */
	const char *reading;      /* names of the readings it relies on, if the
			      * device encodes fields differently; NULL or "":
			      * none */
	const char *reason;  /* one line: why SKIP, ERROR, XFAIL or BLOCKED;
				* else "" */
	const char *retried; /* one line: why it ran again at the end, alone; or
			      * NULL */
	const char *blocked_by; /* the case because of which it is BLOCKED, or
				 * NULL */
	bool block_known;       /* that failure is a known deviation */
	bool not_run;           /* an ERROR: the run ended before it */
	bool unseen; /* it failed only because something did not arrive */
	const struct result_axes *axes; /* of requirements that lines of the
					 * case judged; none: not known */
	size_t axes_count;
	const char *device_log;     /* lines that the log hook printed after the
				     * case; or NULL */
	const char *capture;        /* path, or NULL */
	const char *capture_sha256; /* of that file, in hex, or NULL */
	/* Its evidence; none if it was not requested. */
	const struct result_event *events;
	size_t event_count;
	const struct result_line *lines;
	size_t line_count;
	const struct result_memory *memory;
	size_t memory_count;
};

/* A reading in force: how fields of this device are interpreted. */
struct result_reading {
	const char *name;
	const char *fields, *section; /* "the CRC field", "RFC 5044 s4.4" */
	const char *note;             /* what the device does */
};

/* A deviation that is listed but does not hold any more. */
struct result_stale {
	const char *entry; /* its name: its first case */
	const char *id;    /* the case that shows it, or "" */
	const char *text;  /* one line */
};

/* The identity of the device, from the device file. */
struct result_identity {
	const char *name, *value; /* "firmware", "1.2.3" */
};

/* A claim of the device: a feature, or a limit and its value. */
struct result_claim {
	const char *name;  /* "markers-rx", "max-ird" */
	const char *value; /* "": a feature */
};

/* A reason why a group of cases was not applicable. */
struct result_reason {
	const char *text; /* one line */
	size_t cases;
};

/* Values of a dimension, from low to high. */
struct result_values {
	uint64_t low, high;
	bool met;
};

/* A quantity that a peer or a ULP can choose, and which of its values occurred
 * in this run: each edge, and the values between two edges, in order. */
struct result_dimension {
	const char *name, *unit, *what;
	uint64_t low, high;  /* on this device */
	bool device_chooses; /* neither a peer nor a ULP, and anew each time */
	/* Values outside these are listed only if they occurred. */
	const struct result_values *values;
	size_t count;
};

struct background;

/* The conformance statement that a run was checked against. */
struct result_statement {
	const char *path;
	const char *sha256; /* of the file, in hex */
	const char *notes;  /* lines about features that it does not state, or
			     * "" */
};

struct run_result {
	const char *suite_name, *suite_version, *suite_build;
	/* The number of devices with which the suite itself is tested: built-in
	 * devices with one fault each, and those with another legal choice. */
	size_t mutants, variants;
	const char *device_name, *device_agent, *device_impl;
	const struct result_identity *identity;
	size_t identity_count;
	const struct result_claim *claims; /* none: not available */
	size_t claim_count;
	const char *host_name, *host_release, *host_machine; /* the suite's */
	const char *link, *spec;
	const char *link_note; /* one line on the state of the link, or "" */
	uint64_t seed;
	unsigned shard, shards; /* shard of shards, from 1; 0: all of it */
	unsigned jobs;
	char *const *selectors; /* as given; none: all cases */
	size_t selector_count;
	const char *rerun; /* the report of the run whose failed cases alone ran
			    * again; NULL: none */
	const char *again; /* the command that ran, without selectors and output
			    * files; NULL: unknown; "": there is none */
	const char *written; /* its JSON report; NULL: not known, or none */
	bool strict;         /* a SHOULD not followed also fails the run */
	struct timespec started, finished; /* wall clock */
	uint64_t duration_ns;              /* monotonic */
	size_t totals[VERDICT_COUNT];
	const struct result *results; /* in the order of their ids */
	size_t count;
	const struct result_reading *readings;
	size_t reading_count;
	const struct result_stale *stale;
	size_t stale_count;
	const struct result_reason *reasons; /* of SKIPs, most cases first */
	size_t reason_count;
	const struct result_dimension *dimensions;
	size_t dimension_count;
	size_t unknown_met;  /* results from a journal without values */
	size_t planned;      /* cases that the run was to execute */
	size_t from_journal; /* results of an earlier run */
	const char *journal; /* the journal with them; "" = none was read */
	int exit_status;
	const char *note; /* one line on why the run ended early, or "" */
	const struct background *background; /* NULL: none */
	/* Findings without a case: one line each, and indented ones below
	 * it. */
	const char *const *findings;
	size_t finding_count;
	/* The same for findings that a deviation lists as known. */
	const char *const *known;
	size_t known_count;
	const struct result_statement *statement; /* NULL: not checked */
};

/* The run's result of this case, or NULL. */
const struct result *result_find(const struct run_result *run, const char *id);

const char *verdict_name(enum verdict v);   /* "pass", "fail", ... */
const char *teardown_name(enum teardown t); /* "terminate-fin", ... */
/* "startup", "frame", ...; the kind of such a name, EVENT_KIND_COUNT: none. */
const char *event_kind_name(enum result_event_kind k);
enum result_event_kind event_kind_named(const char *name);

#endif

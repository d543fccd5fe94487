/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The suite's knowledge that does not depend on a run, as plain data. reports/
 * gets only this and the results of a run (result.h). Strings are never NULL.
 */
#ifndef SUITE_JUDGE_BACKGROUND_H
#define SUITE_JUDGE_BACKGROUND_H

#include <stdbool.h>
#include <stddef.h>

/* The built-in device with one fault. */
struct background_fault {
	const char *name, *text; /* "ignore_bad_crc", and its description */
};

struct background_requirement {
	const char *id, *level;    /* "MPA-4.4-14", "MUST" */
	const char *spec;          /* "RFC 5044" */
	const char *section;       /* "RFC 5044 s4.4" */
	const char *layer, *actor; /* "MPA", "receiver" */
	bool open;                 /* observed, never failed */
	const char *statement, *stimulus, *expected;
	const struct background_fault *faults; /* the faults that break it */
	size_t fault_count;
	const char *untestable; /* why no case can judge it, or "" */
	const char *unbroken;   /* why no fault breaks it, or "" */
	size_t cases;           /* the suite's cases that judge it */
};

struct background_case {
	const char *id;
	const char *const *needs; /* features that a device has to claim */
	size_t need_count;
	/* Its description, "Given ..., when ..., then ...", and further
	 * comments of its file; or "". */
	const char *procedure, *discussion;
};

struct background {
	const struct background_requirement *requirements; /* by section */
	size_t requirement_count;
	const struct background_case *cases; /* by id */
	size_t case_count;
	const struct background_fault *faults; /* all of them */
	size_t fault_count;
	const char *const *features;
	size_t feature_count;
};

/* The case of this id, or NULL. */
const struct background_case *background_case_of(const struct background *b,
						 const char *id);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs of several devices side by side: the result of each requirement and case
 * on each device, the choices, and the pairs that would not interoperate
 * (pairs.h).
 */
#ifndef REPORTS_MATRIX_H
#define REPORTS_MATRIX_H

#include <stdbool.h>
#include <stddef.h>

#include "reports/compare/pairs.h"
#include "suite/judge/result.h"

#define MATRIX_RUNS 26 /* each has a letter */

/* A requirement, and its result on each device: the worst of its cases. */
struct matrix_requirement {
	const char *id;
	enum verdict of[MATRIX_RUNS]; /* VERDICT_COUNT: no verdict */
	/* A case about it ran, or was to run, and says nothing about it: it
	 * failed for another reason, was blocked, or was not judged. */
	bool unsaid[MATRIX_RUNS];
	/* A case that found it broken, if possible one with a capture. */
	const struct result *by[MATRIX_RUNS];
};

struct matrix_case {
	const char *id, *title;
	const struct result *of[MATRIX_RUNS]; /* NULL: it is not in the run */
	char *choice[MATRIX_RUNS];            /* "": none; see choice.h */
	/* The capture is stored next to the page, under the name of
	 * matrix_capture(). */
	bool captured[MATRIX_RUNS];
	bool evidence[MATRIX_RUNS]; /* a requirement refers to it */
};

struct matrix {
	const struct run_result *runs[MATRIX_RUNS];
	size_t count;
	bool reference;                          /* the first run is one */
	struct matrix_requirement *requirements; /* by id */
	size_t requirement_count;
	struct matrix_case *cases; /* by id */
	size_t case_count;
	struct pair *pairs;
	size_t pair_count;
};

/* At most MATRIX_RUNS runs. Without `reference`, a run of the built-in device
 * comes first and becomes the reference, if there is one. *out is for
 * matrix_free(). False: out of memory. */
bool matrix_of(const struct run_result *const *runs, size_t n, bool reference,
	       struct matrix *out);
void matrix_free(struct matrix *m);

struct matrix_case *matrix_find_case(const struct matrix *m, const char *id);

/* The cases of a layer on a device, or of all layers. */
struct matrix_tally {
	size_t failed, unjudged; /* unjudged: blocked, or not judged */
	size_t applicable;       /* with both of these */
};

/* layer: "mpa"; NULL: all. */
struct matrix_tally matrix_tally(const struct run_result *run,
				 const char *layer);
bool matrix_is_layer(const char *id, const char *layer);

/* "captures/A.mpa.crc.a_case.pcapng", of the run with that letter. */
#define MATRIX_CAPTURE 320
void matrix_capture(char name[MATRIX_CAPTURE], size_t run, const char *id);

/* True if devices differ. */
bool matrix_requirement_differs(const struct matrix *m,
				const struct matrix_requirement *r);
bool matrix_case_differs(const struct matrix *m, const struct matrix_case *c);
/* True if they differ in a choice that was observed on at least two devices. */
bool matrix_choice_differs(const struct matrix *m, const struct matrix_case *c);
/* True if c is the case `of` with the device as initiator, and each device
 * chose the same in both. */
bool matrix_choice_is_twin(const struct matrix *m, const struct matrix_case *of,
			   const struct matrix_case *c);

#endif

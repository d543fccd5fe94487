/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The run: a plan, the workers that carry it out, and the results in the order
 * of their ids. A case that crashes or hangs costs its worker and nothing else.
 */
#ifndef SUITE_RUN_RUNNER_H
#define SUITE_RUN_RUNNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "suite/device/builtin.h"
#include "suite/device/device.h"
#include "suite/device/hooks.h"
#include "suite/device/segmentation.h"
#include "suite/ics/ics.h"
#include "suite/judge/deviations/deviations.h"
#include "suite/judge/result.h"
#include "suite/language/execution/testbed.h"
#include "suite/model/model.h"

#define RUNNER_WORKERS_MAX 64
#define RUNNER_RESUMES     64 /* journals that a run can resume */
/* If each worker has an address of its own: the workers in excess of jobs. */
#define RUNNER_ADDRESSES 8

struct run_options {
	const struct device *device;
	const struct builtin *builtin; /* the built-in device, or NULL */
	struct hooks *hooks;           /* the device's, or NULL */
	enum model_profile profile;
	const char *spec; /* its name */
	char *const *selectors;
	size_t selector_count;
	/* Run only the cases that failed in this run; NULL: all. See
	 * rerun.h. */
	const struct run_result *rerun;
	const char *rerun_path;
	unsigned jobs;
	unsigned shard, shards; /* shard of shards, from 1; 0: all */
	uint64_t seed;          /* shuffles the order, if given */
	bool shuffle;
	const char *captures;      /* folder, or NULL */
	bool captures_of_failures; /* only of FAIL, WARN and ERROR */
	uint64_t captures_max;     /* octets in all; 0: unlimited */
	enum evidence_of evidence; /* which cases have it in reports */
	/* Paths; if there is exactly one to resume, the run appends to it. */
	const char *journal; /* or NULL */
	const char *resume[RUNNER_RESUMES];
	size_t resumes;
	struct deviations *deviations; /* or NULL */
	const char *deviations_path;
	bool update_deviations;      /* rewrite that file */
	const struct ics *statement; /* to check the device against, or NULL */
	bool destructive, strict, fail_fast;
	struct segmentation segmentation;
	bool second; /* each case runs beside another connection */
	enum testbed_peer peer;
	bool force; /* run even if the preflight fails */
	bool quiet; /* print no plan and no progress */
	double timeout_scale;
	const char *again;    /* as in struct run_result */
	uint64_t max_time_ns; /* the run ends after this time; 0: no limit */
	uint64_t case_timeout_ns; /* a case is ended after it; 0: no limit */
};

/*
 * Carry out the run. Returns false on a usage error, with one line in why,
 * before any case runs. Otherwise *out is complete (also after a signal) and
 * has the exit status; it lives until the process ends.
 */
bool runner_run(const struct run_options *o, struct run_result *out, char *why,
		size_t cap);

/*
 * The largest number of cases that run at once on this device. With one job it
 * is one. Otherwise at most `jobs` cases use the processor, and further ones
 * wait at the same time, up to the limit of the device. `addresses`: each
 * worker has an address of its own (the raw link).
 */
unsigned runner_workers(const struct device *d, unsigned jobs, bool addresses);

/* The names of --spec. False: unknown. */
bool runner_profile(const char *name, enum model_profile *p);

#endif

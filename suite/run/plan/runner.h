/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The run: a plan, workers that carry it out, results in the order of their
 * ids. A case that crashes or hangs costs its worker and nothing else.
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
#include "suite/judge/deviations.h"
#include "suite/judge/result.h"
#include "suite/language/execution/testbed.h"
#include "suite/model/model.h"

#define RUNNER_WORKERS_MAX 64
#define RUNNER_RESUMES     64 /* journals that a run can resume */
/* Workers more than jobs where each takes an address of its own. */
#define RUNNER_ADDRESSES 8

struct run_options {
	const struct device *device;
	const struct builtin *builtin; /* what it was started as, or NULL */
	struct hooks *hooks;           /* the device's, or NULL */
	enum model_profile profile;
	const char *spec; /* its name */
	char *const *selectors;
	size_t selector_count;
	/* Of these only what failed in that run; NULL: all. See rerun.h. */
	const struct run_result *rerun;
	const char *rerun_path;
	unsigned jobs;
	unsigned shard, shards; /* shard of shards, from 1; 0: all */
	uint64_t seed;          /* shuffles the order, if given */
	bool shuffle;
	const char *captures;      /* folder, or NULL */
	bool captures_of_failures; /* and of WARNs and ERRORs, alone */
	uint64_t captures_max;     /* octets of them; 0: no bound */
	enum evidence_of evidence; /* what reports are to show */
	/* Paths; to resume one, and no more, goes on in that journal. */
	const char *journal; /* or NULL */
	const char *resume[RUNNER_RESUMES];
	size_t resumes;
	struct deviations *deviations; /* or NULL */
	const char *deviations_path;
	bool update_deviations;      /* write that file anew */
	const struct ics *statement; /* that the device is held to, or NULL */
	bool destructive, strict, fail_fast;
	struct segmentation segmentation;
	enum testbed_peer peer;
	bool force; /* run although the preflight failed */
	bool quiet; /* no plan, no progress */
	double timeout_scale;
	const char *again;    /* as in struct run_result */
	uint64_t max_time_ns; /* then the run ends; 0: when it is done */
};

/*
 * Carry it out. Returns false on a usage error, with one line in why, before
 * anything has run. Otherwise *out is complete (also after a signal) and has
 * its exit status; it lives until the process ends.
 */
bool runner_run(const struct run_options *o, struct run_result *out, char *why,
		size_t cap);

/*
 * The most cases that will run at once on this device. With one job it is one;
 * otherwise so many want the processor, and others wait beside them, up to
 * what the device takes. Addresses: each has one of its own (the raw link).
 */
unsigned runner_workers(const struct device *d, unsigned jobs, bool addresses);

/* The names of --spec. False: no such one. */
bool runner_profile(const char *name, enum model_profile *p);

#endif

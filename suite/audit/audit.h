/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Judges traffic in which the suite took no part by what is visible on the
 * wire: `warpspec audit`.
 *
 *   harness/link/raw/capture_file.c   a file or a pipe, as packets
 *   harness/link/raw/assembly.c       packets, as octets of connections, in an
 *                                     order in which they can have been caused
 *   named.c          streams that are named on the command line
 *   octets.c         octets of a direction, as FPDUs; after a gap, too
 *   conversation.c   a connection: startup frames, FPDUs, its ends
 *   sctp/associations.c  packets, as messages of SCTP associations, likewise
 *   sctp/ddp_streams.c   an association: its DDP streams, and their sessions
 *   observer.c       both sides, each judged as the device by the golden model
 *   memory.c         memory of responders, as far as the user describes it
 *   memory_file.c    that description
 *   finding.c        the model's objections, in words
 *   trace.c          the last frames; those before a finding are kept
 *   ladder.c         the kept frames, as the evidence of a side
 *   outcome.c        a side, as a result; its choices
 *   collection.c     all sides, as a run's result
 *   audit.c          reads the files, or an interface
 *
 * A side is a case of the report: STREAM/initiator and STREAM/responder. Things
 * that a capture cannot show (memory, completions, posted work) are not judged,
 * nor is anything that is uncertain because octets are missing.
 */
#ifndef SUITE_AUDIT_AUDIT_H
#define SUITE_AUDIT_AUDIT_H

#include <stdbool.h>
#include <stddef.h>

#include "suite/audit/memory.h"
#include "suite/audit/named.h"
#include "suite/judge/result.h"
#include "suite/model/model.h"

struct audit_progress {
	uint64_t packets, dropped; /* by the kernel */
	uint64_t open, over;       /* connections of TCP; streams of iWARP */
	uint64_t findings;         /* sides with a finding */
};

struct audit_options {
	char *const *files; /* "-": standard input */
	size_t count;
	enum model_profile profile;
	const char *spec; /* its name */
	bool strict;      /* an unmet SHOULD fails the audit */
	const struct named_stream *streams; /* whose start is missing */
	size_t stream_count;
	struct memory_places *memory; /* of responders, or NULL */
	/* An interface, instead of files: until SIGINT or SIGTERM, or until
	 * this time is over (0: no limit). */
	const char *follow;
	uint64_t max_time_ns;
	/* Called once, when every packet is captured; called every second. */
	void (*follows)(const char *interface);
	void (*shows)(const struct audit_progress *p);
};

/*
 * False: a file cannot be read at all; one line in why. Otherwise *out is
 * complete, as after a run, and lives until the process ends. The note names a
 * file that breaks off; that file is judged as far as it goes.
 */
bool audit(const struct audit_options *o, struct run_result *out, char *why,
	   size_t cap);

/* The same for a file whose octets are in memory; `name` is its name. */
bool audit_octets(const struct audit_options *o, const char *name,
		  const void *octets, size_t n, struct run_result *out,
		  char *why, size_t cap);

/* Hold back SIGINT, SIGTERM and SIGHUP, which end an audit of live traffic.
 * Returns a descriptor that becomes readable with the first of them, for the
 * caller to close; -1: there is none. */
int audit_ends(void);

#endif

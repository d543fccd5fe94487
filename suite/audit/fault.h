/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One named fault on the way between two devices, and the reactions of both:
 * the octets of a pair of connections are whole frames, one of which is
 * changed, held back or passed on later.
 */
#ifndef SUITE_AUDIT_FAULT_H
#define SUITE_AUDIT_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "suite/audit/octets.h"

struct fault_kind;

struct fault {
	const struct fault_kind *kind; /* NULL: none */
	unsigned long arg;
};

/* NAME[:ARG]. False: one line in why, which lists the names. */
bool fault_parse(struct fault *f, const char *text, char *why, size_t cap);

enum { FAULT_STEPS = 4, FAULT_STEP = 48 };

/* The reaction of an end to the fault: its first frames, and how it ended. */
struct fault_steps {
	unsigned n;
	char step[FAULT_STEPS][FAULT_STEP];
	const char *end; /* "FIN", "RST", or NULL */
};

/* By end: end 0 has connected, and counts as the initiator. */
struct faulty {
	const struct fault *fault;
	struct octets from[2];
	bool startup[2]; /* its startup frame has passed */
	bool markers[2]; /* it sends markers */
	uint32_t offset[2];
	unsigned long fpdus[2];
	bool through[2]; /* frames can no longer be separated */
	bool done;
	unsigned of;           /* the end that sent the frame at fault */
	char what[FAULT_STEP]; /* the name of that frame */
	struct fault_steps then[2];
};

/* Octets to pass on, at the earliest after this many milliseconds. */
typedef void fault_pass(void *user, unsigned from, const uint8_t *octets,
			size_t n, unsigned long after_ms);

/* False: no memory. */
bool faulty_octets(struct faulty *f, unsigned from, const uint8_t *octets,
		   size_t n, fault_pass *pass, void *user);
/* The connection has ended: pass on all held octets unchanged. */
void faulty_end(struct faulty *f, unsigned from, bool reset, fault_pass *pass,
		void *user);
void faulty_free(struct faulty *f);

/* One line about the fault, and the reactions of both ends. */
void faulty_line(const struct faulty *f, char *line, size_t cap);

#endif

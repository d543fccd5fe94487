/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Control devices (control.def): some are no iWARP devices at all, some are
 * right in all but one kind of thing. A case about that kind has to distinguish
 * each of them from a device: it passes on none.
 *
 * Of the former the agent side is that of the reference device, and the wire
 * side is replaced from the moment TCP or an association of SCTP is up - or
 * before, where not a packet of SCTP is to be sent -, or from the first FPDU
 * on.
 */
#ifndef HARNESS_REFDUT_CONTROL_H
#define HARNESS_REFDUT_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct conn;
struct work;

#define CONTROL(ident, name, kind, how, sentence) CONTROL_##ident,
enum control {
	CONTROL_NONE,
#include "harness/refdut/control.def"
	CONTROLS
};
#undef CONTROL

extern enum control control_chosen;

/* Choose by name; false where there is none of that name. */
bool control_choose(const char *name);

/* Name, kind, sentence: one line each, separated by tabs. */
void control_list(FILE *to);

/* TCP is up. True: the connection is the control's now. */
bool control_connected(struct conn *conn);

/* Octets came on a connection that is the control's. */
void control_input(struct conn *conn, const uint8_t *octets, size_t n);

/* What becomes of every association of SCTP, once it is up. */
enum control_association {
	ASSOCIATION_SERVED,   /* as by any device */
	ASSOCIATION_ENDED,    /* shut down at once */
	ASSOCIATION_ABORTED,  /* at once */
	ASSOCIATION_ANSWERED, /* its messages are the control's */
};

enum control_association control_association(void);

/* The answer to a message of an association that is the control's: as many
 * octets, in their place. */
void control_message(uint8_t *octets, size_t n);

/* A valid FPDU came after a correct startup, the first of its stream or not.
 * True: it was dealt with. */
bool control_fpdu(struct conn *conn, const uint8_t *ulpdu, uint32_t len,
		  bool first);

/* An error was found, to be named by this type and code. True: it was dealt
 * with. */
bool control_fault(struct conn *conn, unsigned *type, unsigned *code);

/* A segment that has a whole header came; `first` is the first of its stream.
 * True: it was dealt with. */
bool control_segment(struct conn *conn, const uint8_t *ulpdu, uint32_t len,
		     bool first);

/* Work was posted. True: nothing more comes of it; otherwise it may have its
 * status already. */
bool control_post(struct work *work);

/* No octet that comes reaches a buffer of the ULP's. */
bool control_places_nothing(void);

static inline bool control_is(enum control control)
{
	return control_chosen == control;
}

#endif
